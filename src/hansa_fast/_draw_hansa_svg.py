"""A picture of Hansa (2004): board and position as SVG, drawn from plain data with our own shapes only.

The picture has a headline, the chart, a strip with what belongs to the whole board, and a desk for each player.
Everything a program may want to find again carries a data attribute: `data-city`; in it `data-good` (a warehouse that
is filled) and `data-booths` with `data-seat` and perhaps `data-majority`; `data-ship`, `data-from` and `data-to` (an
arrow), `data-pile`, `data-list` with `data-good` and `data-count`, `data-desk`, `data-talers`, `data-supply`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from hansa_fast._draw_facts import Data, player_name, plural, turn_text
from hansa_fast._draw_hansa_facts import check_names, counted, decision_text, is_last_round
from hansa_fast._draw_hansa_map import (
    LANE,
    barrels,
    chip,
    chip_width,
    coin,
    draw_chart,
    lane_head,
    stall,
)
from hansa_fast._draw_layout import box_at
from hansa_fast._draw_page import CANVAS, HEAD, MARGIN, Flow, desk_head, draw_desks, headline, page
from hansa_fast._draw_shapes import GOLD, INK, decimal, element, icon, rect, steps, text_line, tooltip

# --- what belongs to the whole board -------------------------------------------------------------------------------


def _pile(number: int, size: int, *, drawn_from: bool, x: float, y: float) -> str:
    """A pile of face-down goods with its size."""
    parts = [tooltip(f"Pile {number}: {plural(size, 'good')} left")]
    if not size:
        parts.append(rect(box_at(x, y, 30, 22), 3, fill="none", stroke="#9a8f7c", stroke_dasharray="4 3"))
        parts.append(text_line(x, y, "0", 13, fill="#8b8378", font_weight="bold"))
    else:
        for layer in reversed(range(min(3, 1 + size // 4))):
            box = box_at(x + 2 * layer, y - 2 * layer, 30, 22)
            parts.append(rect(box, 3, fill="#6d5638", stroke="#efe4c6", stroke_width=1))
        outline = {"stroke": GOLD, "stroke_width": 3} if drawn_from else {"stroke": INK, "stroke_width": 1}
        parts.append(rect(box_at(x, y, 30, 22), 3, fill="#6d5638", **outline))
        parts.append(text_line(x, y, str(size), 14, fill="#ffffff", font_weight="bold"))
    return element("g", parts, class_="pile", data_pile=number, data_size=size)


def _piles(flow: Flow, board: Data, state: Data) -> None:
    """The five piles; the first that is not empty is drawn from."""
    flow.text("Piles", 13, font_weight="bold")
    sizes = [len(pile) for pile in state["piles"]]
    top = next((number for number, size in enumerate(sizes) if size), None)
    for number, size in enumerate(sizes):
        x = flow.room(44) + 20
        flow.parts.append(_pile(number + 1, size, drawn_from=number == top, x=x, y=flow.y))
    if is_last_round(board, state):
        text = "last round" if state["player"] is not None else "pile five was begun"
        flow.label(text, 13, "Pile five was begun: the round is finished, then the game is over", fill="#f2b8a8")
    flow.room(16)


def _goods(flow: Flow, word: str, goods: Mapping[str, int]) -> None:
    """Chips of goods; a dash for none."""
    outside, flow.parts = flow.parts, []
    if not goods:
        flow.text("-", 12)
    for good, count in goods.items():
        left = flow.room(chip_width(good, count) + 5)
        flow.parts.append(chip(good, count, f"{word}: {counted(good, count)}", left, flow.y))
    flow.parts = [*outside, element("g", flow.parts, data_list=word)]


def _legend(flow: Flow) -> None:
    """What the shapes mean."""
    y = flow.y

    def arrow(x: float) -> str:
        line = element("path", d=steps("M", x - 10, flow.y, "h", 10.0), stroke=LANE, stroke_width=3)
        return line + lane_head((x + 9, flow.y), (x, flow.y), 13, LANE)

    flow.entry(arrow, "where the ship sails")
    flow.entry(lambda x: barrels(" 1", x, y, 17), "a good of one barrel")
    flow.entry(lambda x: stall(0, x, y, 18), "booths of a seat")
    flow.entry(lambda x: icon("privilege", x, y, 13, "#7d2a24"), "the most booths: gets the buyers' talers")
    flow.entry(lambda x: text_line(x, y, "4", 15, fill="#9a8f7c"), "empty warehouse: when it is filled")


def _strip(board: Data, state: Data | None, top: float) -> tuple[list[str], float]:
    """What belongs to the whole board, below the chart; also where it ends."""
    flow = Flow(MARGIN, CANVAS - MARGIN, top, 30)
    if state is not None:
        _piles(flow, board, state)
    flow.text("Colours", 13, font_weight="bold")
    for name in board["goods"]["colours"] if state is None else state["colours"]:
        x = flow.room(20)
        flow.parts.append(barrels(f"{name} 1", x + 9, flow.y, 18))
        flow.text(name, 12, space=10)
    flow.next_line()
    if state is not None:
        flow.text("Removed", 13, font_weight="bold")
        flow.line, flow.indent = 24, 70
        _goods(flow, "removed", state["removed"])
        flow.next_line()
    _legend(flow)
    return flow.parts, flow.bottom


# --- desks ---------------------------------------------------------------------------------------------------------


def _desk(
    seat: int, state: Data, names: Sequence[str] | None, left: float, top: float, width: float
) -> tuple[list[str], float]:
    """A player's desk without its frame; also where it ends."""
    player = state["players"][seat]
    parts = desk_head(seat, player_name(seat, names), player["talers"], "talers", left, top, width)
    y, x = top + 53, left + 12
    supply = stall(seat, x + 11, y, 22) + text_line(
        x + 28, y, f"{plural(player['booths'], 'booth')} left", 13, text_anchor="start", font_weight="bold"
    )
    tip = tooltip(f"{plural(player['booths'], 'booth')} in supply")
    parts.append(element("g", tip + supply, data_supply=player["booths"]))
    coins = min(player["talers"], 8)
    parts += [coin(left + width - 20 - k * 11, y, 8) for k in reversed(range(coins))]
    bottom = y + 16
    for word in ("unsold", "sold"):
        flow = Flow(left + 12, left + width - 8, bottom, 23, indent=52)
        flow.parts.append(text_line(left + 12, flow.y, word, 12, text_anchor="start", font_weight="bold"))
        flow.x += 52
        _goods(flow, word, player[word])
        parts += flow.parts
        bottom = flow.bottom
    return parts, bottom + 6


# --- all together --------------------------------------------------------------------------------------------------


def board_svg(
    board: Mapping[str, Any],
    state: Mapping[str, Any] | None = None,
    *,
    width: int = 1200,
    names: Sequence[str] | None = None,
) -> str:
    """The picture of a board, and of a position on it if a state's canonical dict is given.

    What lies in the piles is never shown. On an empty board the ship lies where it starts.
    """
    heading, desks = headline(board["name"]), list[str]()
    if state is not None:
        check_names(board, state)
        heading = headline(board["name"], turn_text(state), decision_text(state, names), state["player"])
    chart, height = draw_chart(board, state)
    strip, bottom = _strip(board, state, HEAD + height + 4)
    if state is not None:
        desks, bottom = draw_desks(
            len(state["players"]), state["player"], bottom + 2, lambda seat, *place: _desk(seat, state, names, *place)
        )
    below = element("g", chart, transform=f"translate(0 {decimal(HEAD)})")
    return page(board["name"], [*heading, below, *strip, *desks], bottom + 6, height, width)
