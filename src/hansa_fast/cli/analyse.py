"""`hansa analyse`: the best actions of a position, and what they lead to."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Annotated, Any

import typer

import hansa_fast as hf
from hansa_fast import _draw
from hansa_fast.cli import output, sources
from hansa_fast.cli.errors import CliError
from hansa_fast.cli.options import SEED_HELP, ColourOption, JsonOption, SourceArgument
from hansa_fast.cli.show import AtOption

EPILOG = "Example: hansa analyse game.hansa --at 40 --time 5 --threads 2"
SECONDS = 2.0  # if no limit is given


def analyse(
    file: SourceArgument,
    at: AtOption = None,
    time: Annotated[
        float | None, typer.Option("--time", help="Seconds to think.", metavar="SECONDS", show_default=f"{SECONDS:g}")
    ] = None,
    iterations: Annotated[
        int | None, typer.Option("--iterations", help="Think this much instead: the same answer every time.")
    ] = None,
    threads: Annotated[int, typer.Option("--threads", help="Think on so many processors at once.")] = 1,
    playout: Annotated[
        str | None, typer.Option("--playout", help="The policy that games are played out by.", show_default="the best")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", "-s", min=0, max=2**64 - 1, help=SEED_HELP)] = 0,
    top: Annotated[int, typer.Option("--top", min=1, help="Show so many actions.")] = 10,
    colour: ColourOption = None,
    json: JsonOption = False,
) -> None:
    """Find the best actions: how often each was tried, the expected place and score of every seat."""
    source = sources.read_source(file)
    state = source.at(at)
    if state.is_over:
        raise CliError(f"{file}: the game is over", hint="`--at N` analyses the position after N actions of a record")
    limits: dict[str, Any] = {"time": time, "iterations": iterations, "threads": threads, "playout": playout}
    if time is None and iterations is None:
        limits["time"] = SECONDS
    settings = hf.SearchSettings(**{name: value for name, value in limits.items() if value is not None})
    if threads > (cores := os.cpu_count() or 1):
        output.note(f"there are only {cores} processors, so {threads} threads help nothing")
    found = think(state, settings, seed)
    if json:
        output.write_json(analysis_dict(state, found, settings, seed, top))
        return
    coloured = output.want_colour(colour)
    output.write(_draw.decision(state, names=source.names))
    output.write(analysis_table(state, found, source.names, top, coloured))
    output.write("goes on: " + "; ".join(found.best.texts(state)))
    output.note(
        f"{found.iterations:,} iterations in {found.seconds:.2f} s, {found.nodes:,} nodes,"
        f" {len(found.candidates)} actions tried"
    )


def think(state: hf.State, settings: hf.SearchSettings, seed: int) -> hf.Analysis:
    """Search with a bar that shows how far it is and what is best so far."""
    search = hf.Search(settings, seed=seed)
    total = settings.iterations or round(1000 * (settings.time or 1))
    with output.progress("thinking", total) as advance:

        def show(found: hf.Analysis) -> None:
            done = found.iterations if settings.iterations else round(1000 * found.seconds)
            advance(min(done, total), state.describe(found.best.action))

        return search.analyse(state, show)


def analysis_table(state: hf.State, found: hf.Analysis, names: Sequence[str] | None, top: int, coloured: bool) -> str:
    """The best actions, one a line; places and scores are by seat."""
    seats = range(state.rules.players)
    who = [names[seat] if names else f"seat {seat}" for seat in seats]
    columns = ["action", ">visits", ">share", *(f">{name}" for name in who)]
    total = sum(candidate.visits for candidate in found.candidates)
    rows = [
        [
            state.describe(candidate.action),
            f"{candidate.visits:,}",
            f"{100 * candidate.visits / total:.1f} %",
            *(f"{candidate.place[seat]:.2f}: {candidate.score[seat]:.1f}" for seat in seats),
        ]
        for candidate in found.candidates[:top]
    ]
    return output.table(columns, rows, colour=coloured, title="By seat: expected place: expected score")


def analysis_dict(
    state: hf.State, found: hf.Analysis, settings: hf.SearchSettings, seed: int, top: int
) -> dict[str, Any]:
    """The analysis as plain JSON values."""
    return {
        "player": found.player,
        "phase": state.phase,
        "settings": str(settings),
        "seed": seed,
        "iterations": found.iterations,
        "seconds": round(found.seconds, 6),
        "nodes": found.nodes,
        "actions": [
            {
                "id": candidate.action,
                "text": state.describe(candidate.action),
                "visits": candidate.visits,
                "value": round(candidate.value, 6),
                "place": [round(place, 4) for place in candidate.place],
                "score": [round(score, 4) for score in candidate.score],
                "line": candidate.texts(state),
            }
            for candidate in found.candidates[:top]
        ],
    }
