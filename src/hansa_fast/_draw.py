"""Drawing, whatever the game: the one place that knows which module draws which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hansa_fast import _boards, _draw_facts, _draw_svg, _draw_text
from hansa_fast._draw_text import TextLayout
from hansa_fast._state import State


def _board(name: str) -> Mapping[str, Any]:
    """The data of a board, as in its file."""
    return _boards.load_board(name).data


def text(
    state: State,
    *,
    colour: bool,
    width: int = 100,
    layout: TextLayout = "auto",
    names: Sequence[str] | None = None,
) -> str:
    """Board and desks for a terminal."""
    board = _board(state.rules.board)
    return _draw_text.board_text(board, state.to_dict(), colour=colour, width=width, layout=layout, names=names)


def svg(state: State, *, names: Sequence[str] | None = None) -> str:
    """Board and desks as a picture."""
    return _draw_svg.board_svg(_board(state.rules.board), state.to_dict(), names=names)


def decision(state: State, *, names: Sequence[str] | None = None) -> str:
    """Whose decision it is and what is being decided, in a line."""
    return _draw_facts.decision_text(state.to_dict(), names)


def desk(state: State, seat: int, *, colour: bool, width: int = 100, names: Sequence[str] | None = None) -> str:
    """What lies before one player, in a few lines."""
    return "\n".join(_draw_text.desk_lines(seat, state.to_dict(), names, colour, width))


def scores(state: State, *, colour: bool, names: Sequence[str] | None = None) -> str:
    """The table of scores, with ranks when the game is over."""
    ranks = state.result()["ranks"] if state.is_over else None
    return _draw_text.scores_text(state.scores(), ranks, colour=colour, names=names)


def empty_text(board: str, *, colour: bool, width: int = 100, layout: TextLayout = "auto") -> str:
    """A board on which nothing stands, for a terminal."""
    return _draw_text.board_text(_board(board), None, colour=colour, width=width, layout=layout)


def empty_svg(board: str) -> str:
    """A board on which nothing stands, as a picture."""
    return _draw_svg.board_svg(_board(board))
