"""Drawing, whatever the game: the one place that knows which module draws which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hansa_fast import _draw_facts, _draw_plain, _draw_svg, _draw_text
from hansa_fast._draw_terminal import TextLayout
from hansa_fast._errors import HansaError
from hansa_fast._rules import board_data
from hansa_fast._state import State

DRAWN = ("teutonica",)  # games whose boards are drawn; positions of any other are written down as a list of facts


def text(
    state: State,
    *,
    colour: bool,
    width: int = 100,
    layout: TextLayout = "auto",
    names: Sequence[str] | None = None,
) -> str:
    """Board and desks for a terminal."""
    if state.rules.game not in DRAWN:
        seen = state if state.is_over else state.view(state.player)  # what lies face down is shown to nobody
        return "\n".join([decision(state, names=names), "", *_draw_plain.fact_lines(seen.to_dict())]) + "\n"
    board = board_data(state.rules.game, state.rules.board)
    return _draw_text.board_text(board, state.to_dict(), colour=colour, width=width, layout=layout, names=names)


def svg(state: State, *, names: Sequence[str] | None = None) -> str:
    """Board and desks as a picture."""
    return _draw_svg.board_svg(_drawn_board(state.rules.game, state.rules.board), state.to_dict(), names=names)


def decision(state: State, *, names: Sequence[str] | None = None) -> str:
    """Whose decision it is and what is being decided, in a line."""
    if state.rules.game in DRAWN:
        return _draw_facts.decision_text(state.to_dict(), names)
    return "Game over" if state.is_over else f"{_draw_facts.player_name(state.player, names)} decides: {state.phase}"


def desk(state: State, seat: int, *, colour: bool, width: int = 100, names: Sequence[str] | None = None) -> str:
    """What lies before one player, in a few lines."""
    value = state.to_dict()
    if state.rules.game in DRAWN:
        return "\n".join(_draw_text.desk_lines(seat, value, names, colour, width))
    return "\n".join([_draw_facts.player_name(seat, names), *_draw_plain.fact_lines(value["players"][seat], 2)])


def scores(state: State, *, colour: bool, names: Sequence[str] | None = None) -> str:
    """The table of scores, with ranks when the game is over."""
    ranks = state.result()["ranks"] if state.is_over else None
    return _draw_text.scores_text(state.scores(), ranks, colour=colour, names=names)


def empty_text(game: str, board: str, *, colour: bool, width: int = 100, layout: TextLayout = "auto") -> str:
    """A board on which nothing stands, for a terminal."""
    data = board_data(game, board)
    if game not in DRAWN:
        return "\n".join(_draw_plain.fact_lines(data)) + "\n"
    return _draw_text.board_text(data, None, colour=colour, width=width, layout=layout)


def empty_svg(game: str, board: str) -> str:
    """A board on which nothing stands, as a picture."""
    return _draw_svg.board_svg(_drawn_board(game, board))


def _drawn_board(game: str, board: str) -> Mapping[str, Any]:
    """The facts of a board there is a picture of."""
    if game not in DRAWN:
        raise HansaError(f"there are no pictures of {game}")
    return board_data(game, board)
