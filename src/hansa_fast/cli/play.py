"""`hansa play`: a person at the terminal against bots."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Annotated

import typer

import hansa_fast as hf
from hansa_fast._draw_text import MAP_WIDTH
from hansa_fast.bots import BotNameError
from hansa_fast.cli import output, sources
from hansa_fast.cli.errors import CliError, ExitCode
from hansa_fast.cli.new import start_game
from hansa_fast.cli.options import (
    BoardOption,
    ColourOption,
    DrawnSeedOption,
    EditionOption,
    FavoursOption,
    GameOption,
    LayoutOption,
    MissionsOption,
    PlayersOption,
    TurnLimitOption,
    make_rules,
)
from hansa_fast.cli.session import End, Session, Style, check_bot
from hansa_fast.cli.show import parse_layout

EPILOG = (
    "Example: hansa play --players 3 --seat 1 --bot greedy --bot 2=uniform --save mine.hansa; "
    "or: hansa play --game hansa"
)

USUAL = "greedy"


def play(
    file: Annotated[
        str | None, typer.Argument(help="A record to go on with; without it a new game begins.", metavar="FILE")
    ] = None,
    seat: Annotated[
        list[int] | None,
        typer.Option(
            "--seat", min=0, help="A seat you play; repeat for more.", show_default="0, or as the record says"
        ),
    ] = None,
    bot: Annotated[
        list[str] | None,
        typer.Option(
            "--bot",
            help="A bot such as `planner` or `search:time=1` at the other seats, or `2=planner` at one.",
            show_default=USUAL,
        ),
    ] = None,
    name: Annotated[list[str] | None, typer.Option("--name", help="Your name; repeat for more seats of yours.")] = None,
    save: Annotated[
        str | None,
        typer.Option("--save", help="Where to save.", metavar="FILE", show_default="FILE, or game-SEED.hansa"),
    ] = None,
    show_board: Annotated[
        bool | None,
        typer.Option(
            "--board-each-turn/--no-board", help="Draw the board before each turn.", show_default="in a wide terminal"
        ),
    ] = None,
    layout: LayoutOption = "auto",
    colour: ColourOption = None,
    game: GameOption = None,
    edition: EditionOption = None,
    board: BoardOption = None,
    players: PlayersOption = None,
    missions: MissionsOption = False,
    favours: FavoursOption = False,
    turn_limit: TurnLimitOption = None,
    seed: DrawnSeedOption = None,
) -> None:
    """Play a game: choose by number or by text, take back, save and go on later. `help` in the game says more."""
    if file is None:
        rules = make_rules(game, edition, board, players, missions, favours, turn_limit)
        record = start_game(rules, seed)
    elif any((game, edition, board, players, missions, favours, turn_limit, seed is not None)):
        raise CliError("a record brings its own rules and seed", hint="leave out either the file or these options")
    elif file == "-":
        raise CliError("the input is needed for the answers, so the record must be a file")
    else:
        record = sources.read_source(file).need_game()
    bots = assign_seats(record, seat or [], bot or [], name or [])
    if show_board is None:
        show_board = sys.stdin.isatty() and sys.stdout.isatty() and output.terminal_width() >= MAP_WIDTH
    style = Style(output.want_colour(colour), parse_layout(layout), show_board)
    session = Session(record, bots, save or file or _free_path(record.seed), style)
    rules = record.rules
    output.write(
        f"{rules.game} on {rules.board} for {rules.players}, seed {record.seed}. `help` explains, `quit` saves."
    )
    try:
        end = session.run()
    except KeyboardInterrupt:
        output.write("")
        session.save()
        raise typer.Exit(ExitCode.INTERRUPTED) from None
    if end is End.OVER or len(record):
        session.save()


def assign_seats(game: hf.Game, people: Sequence[int], bots: Sequence[str], names: Sequence[str]) -> dict[int, str]:
    """Who sits where: writes it into the tags of the game, and returns the bots' names by seat."""
    seats = range(game.rules.players)
    for seat in people:
        _check_seat(seat, game.rules.players)
    default, special = _parse_bots(bots, game.rules.players)
    if not people:
        people = [seat for seat in seats if seat not in special and _is_person(game.tags, seat)] or [0]
    people = [seat for seat in people if seat not in special]
    if len(names) > len(people):
        raise CliError(f"{len(names)} names are given for {len(people)} seats of yours")
    playing = {}
    for seat in seats:
        tag, before = f"Seat {seat}", game.tags.get(f"Seat {seat}", "")
        if seat in people:
            number = list(people).index(seat)
            given = names[number] if number < len(names) else ""
            game.set_tag(tag, given or (before if before and not _is_bot(before) else "human"))
        else:
            usual = before if _is_bot(before) else USUAL
            playing[seat] = special.get(seat) or default or usual
            game.set_tag(tag, playing[seat])
    return playing


def _is_bot(name: str) -> bool:
    try:
        check_bot(name)
    except BotNameError:
        return False
    return True


def _is_person(tags: Mapping[str, str], seat: int) -> bool:
    """Whether a record names somebody at this seat who is no bot."""
    return not _is_bot(tags.get(f"Seat {seat}", USUAL))


def _parse_bots(bots: Sequence[str], players: int) -> tuple[str, dict[int, str]]:
    """The name of all bots (empty if none is given), and those of single seats."""
    default, special = "", {}
    for text in bots:
        match = re.fullmatch(r"(?:([0-9]+)=)?(.*)", text)
        name = match[2] if match else text
        try:
            check_bot(name)
        except BotNameError as error:
            raise CliError(f"--bot: {error}") from None
        if match and match[1] is not None:
            special[_check_seat(int(match[1]), players)] = name
        else:
            default = name
    return default, special


def _check_seat(seat: int, players: int) -> int:
    if seat >= players:
        raise CliError(f"there is no seat {seat}", hint=f"seats are numbered from 0 to {players - 1}")
    return seat


def _free_path(seed: int) -> str:
    """A name for a new record that overwrites nothing."""
    number, path = 1, f"game-{seed}.hansa"
    while os.path.exists(path):
        number += 1
        path = f"game-{seed}-{number}.hansa"
    return path
