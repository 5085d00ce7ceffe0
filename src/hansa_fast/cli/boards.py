"""`hansa boards`: which boards there are, and what one looks like."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from hansa_fast import _draw, _rules
from hansa_fast.cli import output
from hansa_fast.cli.errors import CliError, did_you_mean
from hansa_fast.cli.options import ColourOption, JsonOption, LayoutOption, SvgOption
from hansa_fast.cli.show import parse_layout

EPILOG = "Example: hansa boards east --svg east.svg; or: hansa boards hansa-2004"


def boards(
    name: Annotated[str | None, typer.Argument(help="A board to see in detail.", show_default=False)] = None,
    svg: SvgOption = None,
    layout: LayoutOption = "auto",
    colour: ColourOption = None,
    json: JsonOption = False,
) -> None:
    """List the boards, or show one of them."""
    drawn = parse_layout(layout)
    coloured = output.want_colour(colour)
    games = {board: game for game in _rules.GAMES for board in _rules.board_names(game)}
    if name is None:
        if svg is not None:
            raise CliError("--svg draws one board", hint=f"name one of {', '.join(games)}")
        rows = [_summary(game, board) for board, game in games.items()]
        if json:
            output.write_json(rows)
        else:
            output.write(
                output.table(["name", "game", "players", "title"], [_cells(row) for row in rows], colour=coloured)
            )
        return
    if name not in games:
        raise CliError(f"there is no board {name!r}", hint=did_you_mean(name, games) or f"there are {', '.join(games)}")
    if svg is not None:
        output.save_text(svg, _draw.empty_svg(games[name], name))
    if json:
        output.write_json(_rules.board_data(games[name], name))
    elif svg is None:
        width = output.terminal_width()
        output.write(_draw.empty_text(games[name], name, colour=coloured, width=width, layout=drawn), end="")


def _summary(game: str, name: str) -> dict[str, Any]:
    """The facts of a board that help to choose one."""
    data = _rules.board_data(game, name)
    sizes = {"cities": len(data["cities"]), "routes": len(data["routes"])}
    return {"name": name, "game": game, "players": data["players"], "title": data["name"], **sizes}


def _cells(row: dict[str, Any]) -> list[object]:
    return [row["name"], row["game"], ", ".join(str(count) for count in row["players"]), row["title"]]
