"""`hansa perft`: how many sequences of decisions a position has."""

from __future__ import annotations

import time
from typing import Annotated

import typer

import hansa_fast as hf
from hansa_fast.cli import output, sources
from hansa_fast.cli.errors import CliError
from hansa_fast.cli.options import (
    BoardOption,
    ColourOption,
    EditionOption,
    FavoursOption,
    GameOption,
    JsonOption,
    MissionsOption,
    PlayersOption,
    SeedOption,
    TurnLimitOption,
    make_rules,
)
from hansa_fast.cli.show import AtOption

SMALL_DEPTH = 4  # so deep it takes less than a second

EPILOG = "Example: hansa perft --players 3 --depth 5 --divide; or: hansa perft --game hansa --depth 6"


def perft(
    file: Annotated[
        str | None,
        typer.Argument(help="A record or position; without it a new game is counted.", metavar="FILE"),
    ] = None,
    depth: Annotated[int, typer.Option("--depth", "-d", min=0, max=30, help="How many decisions deep.")] = 3,
    divide: Annotated[bool, typer.Option("--divide", help="Count below each first action.")] = False,
    at: AtOption = None,
    game: GameOption = None,
    edition: EditionOption = None,
    board: BoardOption = None,
    players: PlayersOption = None,
    missions: MissionsOption = False,
    favours: FavoursOption = False,
    turn_limit: TurnLimitOption = None,
    seed: SeedOption = 0,
    colour: ColourOption = None,
    json: JsonOption = False,
) -> None:
    """Count the sequences of so many decisions: the same number means the same rules."""
    if file is None:
        if at is not None:
            raise CliError("--at needs a record")
        state = make_rules(game, edition, board, players, missions, favours, turn_limit).new(seed)
    elif any((game, edition, board, players, missions, favours, turn_limit, seed)):
        raise CliError("a file brings its own rules and seed", hint="leave out either the file or these options")
    else:
        state = sources.read_source(file).at(at)
    if divide and depth < 1:
        raise CliError("--divide needs a depth of at least 1")
    begin = time.perf_counter()
    counts = count_below(state, depth)
    seconds = time.perf_counter() - begin
    total = sum(counts.values()) if depth else 1
    if json:
        value = {"depth": depth, "nodes": total, "seconds": round(seconds, 6)}
        below = [{"id": action, "text": state.describe(action), "nodes": n} for action, n in counts.items()]
        output.write_json(value | {"divide": below} if divide else value)
        return
    if divide and counts:
        rows = [[state.describe(action), action, f"{nodes:,}"] for action, nodes in counts.items()]
        output.write(output.table(["action", ">id", ">nodes"], rows, colour=output.want_colour(colour)))
    output.write(f"perft({depth}) = {total:,}")
    output.note(f"{seconds:.3f} s, {total / max(seconds, 1e-9) / 1e6:,.1f} million nodes per second")


def count_below(state: hf.State, depth: int) -> dict[int, int]:
    """The count below each legal action. Deep work is cut into smaller pieces, so that progress is smooth."""
    if state.is_view:
        raise hf.HiddenError("this position hides something, so nobody can say what may follow")
    actions = state.legal_actions() if depth else []
    if depth <= 1:
        return dict.fromkeys(actions, 1)
    pieces = [(action, _after(state, action)) for action in actions]
    rest = depth - 1
    if depth > SMALL_DEPTH:
        pieces = [(action, _after(child, answer)) for action, child in pieces for answer in child.legal_actions()]
        rest = depth - 2
    counts = dict.fromkeys(actions, 0)
    with output.progress(f"perft({depth})", len(pieces)) as advance:
        for done, (action, child) in enumerate(pieces):
            advance(done)
            counts[action] += hf.perft(child, rest)
    return counts


def _after(state: hf.State, action: int) -> hf.State:
    child = state.copy()
    child.apply(action)
    return child
