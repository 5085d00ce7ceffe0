"""`hansa new`: a new game."""

from __future__ import annotations

import json as json_module
from typing import Annotated, Any

import typer

import hansa_fast as hf
from hansa_fast.cli import output, sources
from hansa_fast.cli.errors import CliError, ExitCode
from hansa_fast.cli.options import (
    BoardOption,
    DrawnSeedOption,
    EditionOption,
    FavoursOption,
    GameOption,
    JsonOption,
    MissionsOption,
    PlayersOption,
    TurnLimitOption,
    draw_seed,
    make_rules,
)

EPILOG = "Example: hansa new --players 3 --board east --seed 7 --out game.hansa; or: hansa new --game hansa --players 4"


def new(
    game: GameOption = None,
    edition: EditionOption = None,
    board: BoardOption = None,
    players: PlayersOption = None,
    missions: MissionsOption = False,
    favours: FavoursOption = False,
    turn_limit: TurnLimitOption = None,
    seed: DrawnSeedOption = None,
    setup: Annotated[
        str | None, typer.Option(help="JSON file with parts of the set-up (docs/formats.md).", metavar="FILE")
    ] = None,
    name: Annotated[
        list[str] | None, typer.Option("--name", help="Who sits at seat 0; repeat for the next seats.")
    ] = None,
    out: Annotated[str, typer.Option("--out", "-o", help="Where to write; `-` is the output.", metavar="FILE")] = "-",
    json: JsonOption = False,
) -> None:
    """Set up a new game and write its record, or with --json its position."""
    rules = make_rules(game, edition, board, players, missions, favours, turn_limit)
    record = start_game(rules, seed, setup=None if setup is None else read_setup(setup), names=name or [])
    if json:
        value = sources.position_dict(record.state, sources.seat_names(record.tags, rules.players))
        output.save_text(out, json_module.dumps(value, ensure_ascii=False, indent=2) + "\n")
    else:
        output.save_text(out, record.to_text())
    if out != "-":
        output.note(f"{out}: {rules.game} on {rules.board} for {rules.players}, seed {record.seed}")


def start_game(
    rules: hf.Rules, seed: int | None, *, setup: dict[str, Any] | None = None, names: list[str] | None = None
) -> hf.Game:
    """A game with these names at its seats; without a seed one is drawn."""
    if len(names or []) > rules.players:
        raise CliError(f"{len(names or [])} names are given for {rules.players} players")
    tags = {f"Seat {seat}": name for seat, name in enumerate(names or [])}
    return hf.Game(rules, draw_seed() if seed is None else seed, setup, tags)


def read_setup(path: str) -> dict[str, Any]:
    """The parts of a set-up that a JSON file gives."""
    try:
        value = json_module.loads(sources.read_text(path))
    except ValueError as error:
        raise CliError(f"{path}: is not JSON: {error}", code=ExitCode.UNREADABLE) from None
    if not isinstance(value, dict):
        raise CliError(f"{path}: a set-up is an object", hint="see docs/formats.md", code=ExitCode.UNREADABLE)
    return value
