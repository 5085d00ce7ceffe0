"""`hansa boards`: which boards there are, and what one looks like."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from hansa_fast import _boards, _draw
from hansa_fast.cli import output
from hansa_fast.cli.errors import CliError, did_you_mean
from hansa_fast.cli.options import ColourOption, JsonOption, LayoutOption, SvgOption
from hansa_fast.cli.show import parse_layout

EPILOG = "Example: hansa boards east --svg east.svg"


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
    if name is None:
        if svg is not None:
            raise CliError("--svg draws one board", hint=f"name one of {', '.join(_boards.board_names())}")
        rows = [_summary(board) for board in _boards.board_names()]
        if json:
            output.write_json(rows)
        else:
            heads = ["name", "players", ">cities", ">routes", ">posts", "title"]
            output.write(output.table(heads, [_cells(row) for row in rows], colour=coloured))
        return
    if name not in _boards.board_names():
        hint = did_you_mean(name, _boards.board_names()) or f"there are {', '.join(_boards.board_names())}"
        raise CliError(f"there is no board {name!r}", hint=hint)
    if svg is not None:
        output.save_text(svg, _draw.empty_svg(name))
    if json:
        output.write_json(_boards.load_board(name).data)
    elif svg is None:
        output.write(_draw.empty_text(name, colour=coloured, width=output.terminal_width(), layout=drawn), end="")


def _summary(name: str) -> dict[str, Any]:
    """The facts of a board that help to choose one."""
    board = _boards.load_board(name)
    return {
        "name": name,
        "title": board.data["name"],
        "players": board.data["players"],
        "cities": len(board.cities),
        "routes": len(board.routes),
        "posts": len(board.posts),
    }


def _cells(row: dict[str, Any]) -> list[object]:
    players = ", ".join(str(count) for count in row["players"])
    return [row["name"], players, row["cities"], row["routes"], row["posts"], row["title"]]
