"""Options that several commands share."""

from __future__ import annotations

import secrets
from typing import Annotated, Any

import typer

import hansa_fast as hf

RULES = "Rules"  # the panel of these options in the help

GameOption = Annotated[
    str | None, typer.Option("--game", help="teutonica or hansa.", rich_help_panel=RULES, show_default="teutonica")
]
EditionOption = Annotated[
    str | None,
    typer.Option(
        "--edition",
        help="teutonica: 2009 or big-box; hansa: 2004.",
        rich_help_panel=RULES,
        show_default="big-box, for two 2009; 2004",
    ),
]
BoardOption = Annotated[
    str | None,
    typer.Option("--board", help="See `hansa boards`.", rich_help_panel=RULES, show_default="by game and players"),
]
PlayersOption = Annotated[
    int | None, typer.Option("--players", "-p", help="How many play.", rich_help_panel=RULES, show_default="4")
]
MissionsOption = Annotated[bool, typer.Option("--missions", help="Play with mission cards.", rich_help_panel=RULES)]
FavoursOption = Annotated[bool, typer.Option("--favours", help="Play with favour tiles.", rich_help_panel=RULES)]
TurnLimitOption = Annotated[
    int | None,
    typer.Option("--turn-limit", min=1, max=2**31 - 1, help="Score after so many turns of all.", rich_help_panel=RULES),
]

SEED_HELP = "Everything random comes from it."
_SEED: dict[str, Any] = {"min": 0, "max": 2**64 - 1, "rich_help_panel": RULES}
SeedOption = Annotated[int, typer.Option("--seed", "-s", help=SEED_HELP, **_SEED)]
DrawnSeedOption = Annotated[int | None, typer.Option("--seed", "-s", help=SEED_HELP, show_default="drawn", **_SEED)]

JsonOption = Annotated[bool, typer.Option("--json", help="Write JSON for programs.")]
ColourOption = Annotated[
    bool | None,
    typer.Option("--colour/--plain", help="Write with or without colours.", show_default="colours in a terminal"),
]
LayoutOption = Annotated[
    str, typer.Option("--layout", help="The board as `map` or as `list`; `auto` is a map if it fits.", metavar="LAYOUT")
]
SvgOption = Annotated[str | None, typer.Option("--svg", help="Write a picture to this file.", metavar="FILE")]
SourceArgument = Annotated[
    str, typer.Argument(help="A game record, or a position as JSON. `-` reads it from the input.", metavar="FILE")
]


def make_rules(
    game: str | None,
    edition: str | None,
    board: str | None,
    players: int | None,
    missions: bool,
    favours: bool,
    turn_limit: int | None,
) -> hf.Rules:
    """The rules these options ask for; what is left out is for the rules to fill in."""
    given = {"game": game, "edition": edition, "board": board, "players": players, "turn_limit": turn_limit}
    options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    return hf.Rules(missions=missions, favours=favours, **options)


def draw_seed() -> int:
    """A seed for a game nobody asked to repeat: short enough to type."""
    return secrets.randbelow(10**6)
