"""A picture of a board and a position as SVG, drawn from plain data with our own shapes only.

The picture is laid out on a canvas 1200 units wide (`width` merely scales it): a headline, the map, a strip with what
belongs to the whole board, and a desk for each player. Everything a program may want to find again carries a data
attribute: `data-city`, `data-route`, `data-post`, `data-office`, `data-piece` (once for each piece outside the desks),
`data-marker`, `data-seat`.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hansa_fast._draw_facts import (
    ABILITIES,
    EAST_WEST_POINTS,
    TRACKS,
    Data,
    check_names,
    count_hidden,
    decision_text,
    favour_label,
    has_pawn,
    marker_label,
    piece_in_hand,
    player_name,
    turn_flags,
    turn_text,
)
from hansa_fast._draw_layout import Box, box_at
from hansa_fast._draw_map import draw_map, find_layout, office_coin, office_plate, ship, tavern
from hansa_fast._draw_page import CANVAS, HEAD, MARGIN, Flow, desk_head, draw_desks, headline, page
from hansa_fast._draw_shapes import (
    GOLD,
    INK,
    PAPER,
    SEAT_FILLS,
    SEAT_INKS,
    decimal,
    element,
    icon,
    placed_piece,
    rect,
    seat_badge,
    text_line,
    token,
    tooltip,
)

# --- what belongs to the whole board -------------------------------------------------------------------------------


def _completed(flow: Flow, board: Data, state: Data | None) -> None:
    """The counter of completed cities."""
    flow.text("Completed cities", 13, font_weight="bold")
    count, limit = (0 if state is None else state["completed"]), board["completed_cities_limit"]
    cells = []
    for number in range(limit + 1):
        reached = number == count and state is not None
        box = box_at(flow.room(20) + 10, flow.y, 18, 20)
        fill = GOLD if reached else "#b5533c" if number == limit else PAPER
        ink = "#ffffff" if number == limit and not reached else INK
        cells.append(rect(box, 3, fill=fill, stroke=INK, stroke_width=2.2 if reached else 0.8))
        cells.append(text_line((box.left + box.right) / 2, flow.y, str(number), 12, fill=ink, font_weight="bold"))
    flow.parts.append(
        element("g", tooltip(f"{count} completed, the game ends at {limit}") + "".join(cells), data_completed=count)
    )
    flow.room(16)


def _east_west(flow: Flow, board: Data, state: Data | None) -> None:
    """Who connected the two red cities, and for how many points."""
    first, second = board["east_west"]
    flow.text(f"{first} - {second}", 13, font_weight="bold")
    seats: Sequence[int] = () if state is None else state["east_west"]
    for number in range(max(len(EAST_WEST_POINTS), len(seats))):
        points = EAST_WEST_POINTS[number] if number < len(EAST_WEST_POINTS) else 0
        x = flow.room(48)
        box = Box(x, flow.y - 12, x + 45, flow.y + 12)
        cell = rect(box, 4, fill="#e9c9c3", stroke="#8e2a1d", stroke_width=1.2)
        cell += text_line(x + 11, flow.y, str(points), 13, font_weight="bold")
        if number < len(seats):
            cell += seat_badge(seats[number], x + 31, flow.y, 16)
        flow.parts.append(element("g", tooltip(f"East-west connection for {points} points") + cell))
    flow.room(16)


def _legend(flow: Flow, board: Data) -> None:
    """What the shapes mean."""
    grey: dict[str, Any] = {"fill": "#b9b2a6", "stroke": "#1a1a1a", "stroke_width": 1.4}

    def office(shape: str, coin: int) -> Callable[[float], str]:
        fields = {"shape": shape, "privilege": "white", "coin": coin}
        return lambda x: office_plate(fields, x, flow.y, 0.72) + office_coin(fields, x, flow.y, 0.72)

    flow.entry(lambda x: rect(box_at(x, flow.y, 15, 15), 3, **grey), "trader")
    flow.entry(lambda x: element("circle", cx=x, cy=flow.y, r=8, **grey), "merchant")
    flow.entry(office("trader", 0), "office for a trader")
    flow.entry(office("merchant", 1), "office for a merchant, with a coin")
    dashed = {"fill": "#d8c08a", "stroke": INK, "stroke_dasharray": "3 2"}
    flow.entry(lambda x: rect(box_at(x, flow.y, 18, 17), 4, **dashed), "extra offices")
    flow.entry(lambda x: tavern(x, flow.y, 0.8, "legend"), "tavern")
    if any(post["shape"] == "merchant" for route in board["routes"] for post in route["posts"]):
        flow.entry(lambda x: ship(x, flow.y, 0.9), "merchants only")
    flow.text("Privilege: W white, O orange, P pink, B black", 11.5)


def _strip(board: Data, state: Data | None, top: float) -> tuple[list[str], float]:
    """What belongs to the whole board, below the map; also where it ends."""
    flow = Flow(MARGIN, CANVAS - MARGIN, top, 28)
    _completed(flow, board, state)
    _east_west(flow, board, state)
    if state is not None:
        flow.text(f"Markers in the pile {count_hidden(state['pile'])}", 13, font_weight="bold", space=16)
        hidden = count_hidden(state["plate"])
        if hidden:
            flow.text(f"drawn unseen {hidden}", 13, font_weight="bold", space=16)
        if state["favours"]:
            flow.next_line()
            flow.text("Favours", 13, font_weight="bold")
            for tile in state["favours"]:
                flow.label(favour_label(tile), 12, f"Open favour: {tile}", fill="#e7d7f5")
    permissions = board.get("permissions") or ()
    if permissions:
        flow.next_line()
        flow.text("Permissions", 13, font_weight="bold")
        for permission in permissions:
            city = permission["city"]
            used = state is not None and city in state["permissions_used"]
            text = f"{city}: {' or '.join(r.capitalize() for r in permission['regions'])}{' (used)' if used else ''}"
            fill = "#c9c2b4" if used else "#f3ddc3"
            flow.label(text, 12, f"Permission of {city}", fill=fill, ink="#6d6658" if used else INK)
    flow.next_line()
    _legend(flow, board)
    return flow.parts, flow.bottom


def _headline(board: Data, state: Data | None, names: Sequence[str] | None) -> list[str]:
    """The name of the board and whose decision it is, with the piece in hand."""
    if state is None:
        return headline(board["name"])
    hand = piece_in_hand(state)
    flags = "; ".join([turn_text(state), *turn_flags(state)])
    parts = headline(board["name"], flags, decision_text(state, names), state["player"], room=90 if hand else 0)
    if hand is not None:
        parts.append(
            rect(
                Box(CANVAS - MARGIN - 86, 32, CANVAS - MARGIN, 56),
                6,
                fill="#ffe3f1",
                stroke="#d1006c",
                stroke_width=1.6,
            )
        )
        parts.append(text_line(CANVAS - MARGIN - 78, 44, "in hand", 12, text_anchor="start"))
        parts.append(element("g", placed_piece(hand, "in hand", CANVAS - MARGIN - 16, 44, 19), data_hand=hand))
    return parts


# --- desks ---------------------------------------------------------------------------------------------------------


def _track(ability: str, developed: int, x: float, y: float, seat: int) -> str:
    """One ability: all its values, those reached in the seat's colour, the present one framed."""
    fill, ink = SEAT_FILLS[seat % len(SEAT_FILLS)], SEAT_INKS[seat % len(SEAT_INKS)]
    parts = [icon(ability, x + 8, y, 14, INK), text_line(x + 20, y, ability, 12, text_anchor="start")]
    for number, value in enumerate(TRACKS[ability]):
        box = box_at(x + 92 + number * 22, y, 20, 17)
        if number == developed:
            parts.append(rect(box, 3, fill=fill, stroke="#1a1a1a", stroke_width=2.2))
            parts.append(text_line(x + 92 + number * 22, y, value, 12.5, fill=ink, font_weight="bold"))
        else:
            shade = {"fill": fill, "fill_opacity": 0.35} if number < developed else {"fill": "#ffffff"}
            colour = INK if number < developed else "#8b8378"
            parts.append(rect(box, 3, stroke="#9a8f7c", stroke_width=0.8, **shade))
            parts.append(text_line(x + 92 + number * 22, y, value, 11.5, fill=colour))
    value = TRACKS[ability][developed]
    return element(
        "g", tooltip(f"{ability} {value}, space {developed}") + "".join(parts), data_ability=ability, data_value=value
    )


def _amount(word: str, pieces: Data, x: float, y: float, seat: int) -> str:
    """How many traders and merchants lie in supply or stock."""
    parts = [text_line(x, y, word, 12, text_anchor="start", font_weight="bold")]
    for number, (shape, key) in enumerate((("trader", "traders"), ("merchant", "merchants"))):
        left = x + 54 + number * 46
        parts.append(token(shape, seat, left + 8, y, 15))
        parts.append(text_line(left + 20, y, str(pieces[key]), 14, text_anchor="start", font_weight="bold"))
    tip = tooltip(f"{word}: {pieces['traders']} traders, {pieces['merchants']} merchants")
    return element("g", tip + "".join(parts), data_amount=word)


def _desk_lists(player: Data, left: float, right: float, top: float) -> tuple[list[str], float]:
    """Markers, plate, favours and mission of a player; also where they end."""
    parts: list[str] = []
    rows: list[tuple[str, list[tuple[str, str]], dict[str, Any]]] = [
        ("markers", _counted(player["markers"]), {"fill": GOLD, "stroke": "#6a4b00"}),
        ("used", _counted(player["used"]), {"fill": "#ddd5c4", "ink": "#5f5748", "stroke": "#8b8378"}),
        ("plate", _counted(player["plate"]), {"fill": "#ffffff", "stroke_dasharray": "3 2"}),
        ("favours", [(favour_label(tile), tile) for tile in player["favours"]], {"fill": "#e7d7f5"}),
        ("mission", [(city, city) for city in player["mission"] or ()], {"fill": "#d5e8d4"}),
    ]
    for word, entries, style in rows:
        if not entries and word not in ("markers", "used"):
            continue
        flow = Flow(left, right, top, 21, indent=64)
        flow.parts.append(text_line(left, flow.y, word, 12, text_anchor="start", font_weight="bold"))
        flow.x = left + 64
        if not entries:
            flow.text("-", 12)
        for text, tip in entries:
            flow.label(text, 11, f"{word}: {tip}", **style)
        parts.append(element("g", flow.parts, data_list=word))
        top = flow.bottom
    return parts, top


def _counted(kinds: Any) -> list[tuple[str, str]]:
    """Labels of markers by kind, with numbers above one."""
    if not isinstance(kinds, Mapping):
        return [(f"{kinds} unseen", "unseen")] if kinds else []
    return [
        (marker_label(kind) + (f" x{count}" if count > 1 else ""), f"{kind} x{count}") for kind, count in kinds.items()
    ]


def _desk(
    seat: int, state: Data, names: Sequence[str] | None, left: float, top: float, width: float
) -> tuple[list[str], float]:
    """A player's desk without its frame; also where it ends."""
    player = state["players"][seat]
    parts = desk_head(seat, player_name(seat, names), player["points"], "points", left, top, width)
    y = top + 48
    for ability in ABILITIES:
        parts.append(_track(ability, player["abilities"][ability], left + 12, y, seat))
        y += 21
    beside = width >= 2 * 190
    amount_left, amount_top = (left + 238, top + 48) if beside else (left + 12, y)
    parts.append(_amount("supply", player["supply"], amount_left, amount_top, seat))
    parts.append(_amount("stock", player["stock"], amount_left, amount_top + 23, seat))
    lists, bottom = _desk_lists(player, left + 12, left + width - 10, y - 6 if beside else y + 36)
    return parts + lists, bottom + 8


# --- all together --------------------------------------------------------------------------------------------------


def board_svg(
    board: Mapping[str, Any],
    state: Mapping[str, Any] | None = None,
    *,
    width: int = 1200,
    names: Sequence[str] | None = None,
) -> str:
    """The picture of a board, and of a position on it if a state's canonical dict is given.

    Missions and markers are drawn as far as the dict tells them: give a player's view to hide what that player does not
    know. The order of the pile and what was drawn unseen are never shown.
    """
    if state is not None:
        check_names(board, state)
    two_player = has_pawn(state) and bool(board.get("two_player"))
    layout = find_layout(json.dumps(board, sort_keys=True), two_player)
    strip, bottom = _strip(board, state, HEAD + layout.height + 4)
    desks: list[str] = []
    if state is not None:
        desks, bottom = draw_desks(
            len(state["players"]), state["player"], bottom + 2, lambda seat, *place: _desk(seat, state, names, *place)
        )
    parts = [
        *_headline(board, state, names),
        element("g", draw_map(board, state, layout), transform=f"translate(0 {decimal(HEAD)})"),
        *strip,
        *desks,
    ]
    return page(board["name"], parts, bottom + 6, layout.height, width)
