"""`hansa show`: the board, the desks and the scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, get_args

import typer

import hansa_fast as hf
from hansa_fast import _draw
from hansa_fast._draw_terminal import TextLayout
from hansa_fast.cli import output, sources
from hansa_fast.cli.errors import CliError, did_you_mean
from hansa_fast.cli.options import ColourOption, JsonOption, LayoutOption, SourceArgument, SvgOption

EPILOG = "Example: hansa show game.hansa --at 20 --view 1"

AtOption = Annotated[
    int | None,
    typer.Option("--at", min=0, help="The position after so many actions of the record.", show_default="the last"),
]
ViewOption = Annotated[
    int | None, typer.Option("--view", min=0, help="Hide what this seat cannot know.", metavar="SEAT")
]


def show(
    file: SourceArgument,
    at: AtOption = None,
    view: ViewOption = None,
    layout: LayoutOption = "auto",
    width: Annotated[
        int | None, typer.Option(min=40, max=400, help="Characters in a line.", show_default="the terminal's")
    ] = None,
    svg: SvgOption = None,
    colour: ColourOption = None,
    json: JsonOption = False,
) -> None:
    """Show a position: the board, the desks and the scores."""
    drawn = parse_layout(layout)
    source = sources.read_source(file)
    state = seen_by(source.at(at), view)
    if svg is not None:
        output.save_text(svg, _draw.svg(state, names=source.names))
    if json:
        output.write_json(sources.position_dict(state, source.names))
    elif svg is None:
        columns = output.terminal_width() if width is None else width
        coloured = output.want_colour(colour)
        output.write(_draw.text(state, colour=coloured, width=columns, layout=drawn, names=source.names))
        output.write(scores_with_title(state, source.names, coloured), end="")


def parse_layout(layout: str) -> TextLayout:
    """The layout of this name."""
    layouts: tuple[TextLayout, ...] = get_args(TextLayout)
    for known in layouts:
        if layout == known:
            return known
    raise CliError(f"--layout: {layout!r} is none of {', '.join(layouts)}", hint=did_you_mean(layout, layouts))


def seen_by(state: hf.State, seat: int | None) -> hf.State:
    """The position as a seat sees it; None sees everything."""
    if seat is None:
        return state
    if seat >= state.rules.players:
        raise CliError(f"there is no seat {seat}", hint=f"seats are numbered from 0 to {state.rules.players - 1}")
    return state.view(seat)


def scores_with_title(state: hf.State, names: Sequence[str] | None, coloured: bool) -> str:
    """The table of scores under a line that says what it is."""
    if state.is_over:
        title = f"Final scores ({', '.join(state.result()['reasons'])})"
    else:
        title = "Scores if the game ended now"
    return output.paint(title, "1", coloured) + "\n" + _draw.scores(state, colour=coloured, names=names)
