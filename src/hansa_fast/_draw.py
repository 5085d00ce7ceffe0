"""Drawing, whatever the game: the one place that knows which module draws which."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from hansa_fast import _draw_facts, _draw_hansa_facts, _draw_hansa_svg, _draw_hansa_text, _draw_svg, _draw_text
from hansa_fast._draw_terminal import TextLayout
from hansa_fast._rules import board_data
from hansa_fast._state import State

Data = Mapping[str, Any]
Names = Sequence[str] | None


class TextDrawer(Protocol):
    """Draws a board, and a position on it if one is given, for a terminal."""

    def __call__(
        self,
        board: Data,
        state: Data | None = None,
        *,
        colour: bool,
        width: int,
        layout: TextLayout,
        names: Names = None,
    ) -> str:
        """The text."""


class PictureDrawer(Protocol):
    """Draws a board, and a position on it if one is given, as a picture."""

    def __call__(self, board: Data, state: Data | None = None, *, names: Names = None) -> str:
        """The SVG."""


class Drawers(NamedTuple):
    """How a game is drawn."""

    text: TextDrawer
    svg: PictureDrawer
    decision: Callable[[Data, Names], str]
    desk: Callable[[int, Data, Names, bool, int], list[str]]


DRAWERS = {
    "teutonica": Drawers(_draw_text.board_text, _draw_svg.board_svg, _draw_facts.decision_text, _draw_text.desk_lines),
    "hansa": Drawers(
        _draw_hansa_text.board_text,
        _draw_hansa_svg.board_svg,
        _draw_hansa_facts.decision_text,
        _draw_hansa_text.desk_lines,
    ),
}


def text(state: State, *, colour: bool, width: int = 100, layout: TextLayout = "auto", names: Names = None) -> str:
    """Board and desks for a terminal."""
    board = board_data(state.rules.game, state.rules.board)
    draw = DRAWERS[state.rules.game].text
    return draw(board, state.to_dict(), colour=colour, width=width, layout=layout, names=names)


def svg(state: State, *, names: Names = None) -> str:
    """Board and desks as a picture."""
    board = board_data(state.rules.game, state.rules.board)
    return DRAWERS[state.rules.game].svg(board, state.to_dict(), names=names)


def decision(state: State, *, names: Names = None) -> str:
    """Whose decision it is and what is being decided, in a line."""
    return DRAWERS[state.rules.game].decision(state.to_dict(), names)


def desk(state: State, seat: int, *, colour: bool, width: int = 100, names: Names = None) -> str:
    """What lies before one player, in a few lines."""
    return "\n".join(DRAWERS[state.rules.game].desk(seat, state.to_dict(), names, colour, width))


def scores(state: State, *, colour: bool, names: Names = None) -> str:
    """The table of scores, with ranks when the game is over."""
    ranks = state.result()["ranks"] if state.is_over else None
    return _draw_text.scores_text(state.scores(), ranks, colour=colour, names=names)


def empty_text(game: str, board: str, *, colour: bool, width: int = 100, layout: TextLayout = "auto") -> str:
    """A board on which nothing stands, for a terminal."""
    return DRAWERS[game].text(board_data(game, board), None, colour=colour, width=width, layout=layout)


def empty_svg(game: str, board: str) -> str:
    """A board on which nothing stands, as a picture."""
    return DRAWERS[game].svg(board_data(game, board))
