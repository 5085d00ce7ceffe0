"""The board of Hansa (2004) and a position as text for a terminal.

`[orange 2]` is a warehouse with two barrels of orange, `1:4*` four booths of seat 1, who has the most there. Colours
only repeat what the text says: without its escape codes the coloured text is the plain one.
"""

import json
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from hansa_fast._draw_facts import Data, plural, turn_text
from hansa_fast._draw_hansa_facts import (
    ASPECT,
    booths_in,
    can_sail,
    check_names,
    counted,
    decision_text,
    goods_in,
    is_last_round,
    majority,
    parse_good,
    ports_from,
)
from hansa_fast._draw_layout import Box, Candidate, choose_places
from hansa_fast._draw_terminal import ESCAPE, Grid, TextLayout, pad, paint, seat_code, seat_label, wrap

MAP_WIDTH = 80  # below this the map is too crowded to read
WIDEST_MAP = 120

Texts = list[tuple[str, str]]  # pieces of a line, each with the escape code of its colour

# Codes of the 256-colour palette; goods of any other colour keep the terminal's own.
GOOD_COLOURS = {"orange": 208, "brown": 137, "red": 203, "yellow": 227, "green": 77, "blue": 75}
ARROW, OPEN_ARROW, SHIP = "2", "1;33", "1;36"


def _good_code(good: str) -> str:
    """The escape code of a good's colour."""
    code = GOOD_COLOURS.get(parse_good(good)[0])
    return "" if code is None else f"38;5;{code}"


def _joined(texts: Texts, colour: bool) -> str:
    """Pieces of a line as one text."""
    return "".join(paint(text, code, colour) for text, code in texts)


def _length(texts: Texts) -> int:
    """How many characters a line has."""
    return sum(len(text) for text, _ in texts)


# --- a city --------------------------------------------------------------------------------------------------------


def _name_texts(board: Data, state: Data | None, city: str) -> Texts:
    """The name of a city, with the ship if it lies there; on an empty board with the start."""
    texts: Texts = [(city, "1")]
    if state is None and city == board["start"]:
        texts.append((" (start)", SHIP))
    elif state is not None and city == state["ship"]:
        texts.append((" <ship>", SHIP))
    return texts


def _goods_texts(board: Data, state: Data | None, city: Data) -> Texts:
    """The warehouses of a city; all are equally wide."""
    room = max(len(colour) for colour in board["goods"]["colours"]) + 2
    texts: Texts = []
    for good in goods_in(state, city):
        texts += [("[", ""), (f"{good or '-':^{room}}", _good_code(good) if good else ""), ("]", "")]
    return texts


def _booth_texts(state: Data | None, city: str) -> Texts:
    """The booths in a city by seat, the majority with a star."""
    booths = booths_in(state, city)
    most = majority(booths)
    texts: Texts = []
    for seat, count in enumerate(booths):
        if count:
            texts += [(" ", "")] if texts else []
            texts.append((f"{seat}:{count}{'*' if seat == most else ''}", seat_code(seat)))
    return texts or [("-", "")]


# --- the list ------------------------------------------------------------------------------------------------------


def _board_list(board: Data, state: Data | None, colour: bool, width: int) -> list[str]:
    """A line for each city: its name, its warehouses, its booths, where the ship can go from there."""
    rows = []
    for city in board["cities"]:
        name = city["name"]
        ports = f"-> {', '.join(ports_from(board, name))}"
        arrows = paint(ports, OPEN_ARROW, colour and can_sail(state) and state is not None and name == state["ship"])
        cells = [_name_texts(board, state, name), _goods_texts(board, state, city), _booth_texts(state, name)]
        rows.append([*(_joined(cell, colour) for cell in cells), arrows])
    widths = [max(len(ESCAPE.sub("", row[column])) for row in rows) for column in range(4)]
    own_line = sum(widths) + 9 > width
    lines = []
    for *facts, arrows in rows:
        line = "   ".join(pad(fact, size) for fact, size in zip(facts, widths, strict=False))
        lines += [line.rstrip(), " " * (widths[0] + 3) + arrows] if own_line else [f"{line}   {arrows}"]
    return lines


# --- the map -------------------------------------------------------------------------------------------------------


class _Spot(NamedTuple):
    """Where a city stands on the grid: the row of its name and the column of its middle."""

    row: int
    column: int


def _city_box(spot: _Spot, width: int) -> Box:
    """The cells of a city: three lines around the middle column."""
    left = spot.column - width // 2
    return Box(left, spot.row, left + width, spot.row + 3)


@lru_cache(maxsize=64)
def _map_spots(board_json: str, columns: int, widths: tuple[int, ...]) -> tuple[int, list[_Spot]]:
    """Rows of the map, and where the cities stand: at their points, or a little aside for want of room."""
    board: dict[str, Any] = json.loads(board_json)
    rows = round(columns / board.get("aspect", ASPECT) / 2.2)
    options = []
    for city, width in zip(board["cities"], widths, strict=True):
        row, column = round(city["y"] * (rows - 1)) - 1, round(city["x"] * (columns - 1))
        spots = [_Spot(row + down, column + aside) for down in range(-4, 5) for aside in range(-16, 17, 2)]
        boxes = [_city_box(spot, width) for spot in spots]
        wide = [Box(box.left - 2, box.top - 0.5, box.right + 2, box.bottom + 0.5) for box in boxes]
        costs = [2.0 * abs(spot.row - row) + abs(spot.column - column) for spot in spots]
        options.append([(Candidate(c, (w,)), spot) for c, w, spot in zip(costs, wide, spots, strict=True)])
    candidates = [[candidate for candidate, _ in option] for option in options]
    chosen = choose_places(candidates, (), Box(-2, -0.5, columns + 2, rows + 0.5))
    return rows, [option[index][1] for option, index in zip(options, chosen, strict=True)]


def _draw_arrow(grid: Grid, start: Box, end: Box, code: str) -> None:
    """A dotted line from city to city, with heads in the middle and at the end."""
    y0, x0, y1, x1 = start.top + 1, (start.left + start.right) / 2, end.top + 1, (end.left + end.right) / 2
    steps = max(1, round(max(abs(y1 - y0), abs(x1 - x0) / 2)))
    cells = [(round(y0 + (y1 - y0) * k / steps), round(x0 + (x1 - x0) * k / steps)) for k in range(steps + 1)]

    def inside(box: Box, row: int, column: int) -> bool:
        return box.top <= row < box.bottom and box.left - 1 <= column <= box.right

    free = [cell for cell in cells if not inside(start, *cell) and not inside(end, *cell)]
    flat = abs(x1 - x0) > 2 * abs(y1 - y0)
    head = (">" if x1 > x0 else "<") if flat else ("v" if y1 > y0 else "^")
    for number, cell in enumerate(free):
        is_head = number in (len(free) - 1, (len(free) - 1) // 2)
        grid.write(*cell, head if is_head else ".", code)


def _board_map(board: Data, state: Data | None, colour: bool, width: int) -> list[str]:
    """The board on a grid of characters."""
    cities = [
        (_name_texts(board, state, c["name"]), _goods_texts(board, state, c), _booth_texts(state, c["name"]))
        for c in board["cities"]
    ]
    seats = 0 if state is None else len(state["players"])
    widths = tuple(
        max(len(city["name"]) + len(" <ship>"), _length(goods), _length(booths), 4 * seats)
        for city, (_, goods, booths) in zip(board["cities"], cities, strict=True)
    )
    columns = min(width, WIDEST_MAP)
    rows, spots = _map_spots(json.dumps(board, sort_keys=True), columns, widths)
    boxes = {
        city["name"]: _city_box(spot, width) for city, spot, width in zip(board["cities"], spots, widths, strict=True)
    }
    grid = Grid(rows, columns)
    ship = state["ship"] if state is not None and can_sail(state) else None
    for first, second in sorted(board["routes"], key=lambda route: bool(route[0] == ship)):
        _draw_arrow(grid, boxes[first], boxes[second], OPEN_ARROW if first == ship else ARROW)
    for texts, spot in zip(cities, spots, strict=True):
        for row, line in enumerate(texts, spot.row):
            column = spot.column - _length(line) // 2 - 1
            for text, code in [(" ", ""), *line, (" ", "")]:  # no dot of an arrow touches a text
                grid.write(row, column, text, code)
                column += len(text)
    lines = grid.lines(colour)
    filled = [number for number, line in enumerate(lines) if line]
    return lines[filled[0] : filled[-1] + 1]


# --- around the board ----------------------------------------------------------------------------------------------


def _goods_lines(word: str, goods: Mapping[str, int], colour: bool, width: int, indent: int) -> list[str]:
    """A list of goods after a word, with their number in all; a dash for none."""
    painted = [counted(paint(good, _good_code(good), colour), count) for good, count in goods.items()]
    entries = [f"{entry}," for entry in painted[:-1]] + (painted[-1:] or ["-"])
    total = f" {sum(goods.values())}" if goods else ""
    return wrap([f"{word}{total}: {entries[0]}", *entries[1:]], width, indent, between=" ")


def _headline(board: Data, state: Data, names: Sequence[str] | None, colour: bool, width: int) -> list[str]:
    """The board, the turn, whose decision it is."""
    lines = wrap([paint(board["name"], "1", colour), turn_text(state)], width, 0)
    lines += [paint(line, "1", colour) for line in textwrap.wrap(decision_text(state, names), width)]
    if is_last_round(board, state) and state["player"] is not None:
        lines.append(paint("Pile five is begun: this is the last round.", "1;31", colour))
    return lines


def _common(state: Data, colour: bool, width: int) -> list[str]:
    """What belongs to the whole board."""
    fields = [
        f"Ship: {state['ship']}",
        f"Piles: {' '.join(str(len(pile)) for pile in state['piles'])}",
        f"Colours: {' '.join(paint(name, _good_code(f'{name} 1'), colour) for name in state['colours'])}",
    ]
    return wrap(fields, width, 0) + _goods_lines("Removed", state["removed"], colour, width, 0)


def desk_lines(seat: int, state: Data, names: Sequence[str] | None, colour: bool, width: int) -> list[str]:
    """A player's desk."""
    player = state["players"][seat]
    fields = [seat_label(seat, names, colour), plural(player["talers"], "taler"), plural(player["booths"], "booth")]
    if seat == state["player"]:
        fields.append("<- decides")
    lines = wrap(fields, width, 0)
    for word in ("unsold", "sold"):
        lines += _goods_lines(word, player[word], colour, width, 2)
    return lines


def _legend(board: Data, width: int) -> list[str]:
    """What the signs mean."""
    example = f"[{board['goods']['colours'][0]} 2] warehouse with a good of two barrels"
    return wrap([example, "1:4* four booths of seat 1, the most there"], width, 0)


def board_text(
    board: Mapping[str, Any],
    state: Mapping[str, Any] | None = None,
    *,
    colour: bool,
    width: int = 100,
    layout: TextLayout = "auto",
    names: Sequence[str] | None = None,
) -> str:
    """The terminal view of a position, given as a state's canonical dict; without one, of the empty board.

    `list` names every city with all that lies there; `map` draws the board instead; `auto` is the map when the terminal
    is wide enough. The desks follow in any case. What lies in the piles is never shown.
    """
    draw = _board_map if layout == "map" or (layout == "auto" and width >= MAP_WIDTH) else _board_list
    if state is None:
        lines: Iterable[str] = [paint(board["name"], "1", colour), "", *draw(board, None, colour, width)]
        return "\n".join(lines) + "\n"
    check_names(board, state)
    lines = [*_headline(board, state, names, colour, width), "", *draw(board, state, colour, width), ""]
    lines += [*_legend(board, width), "", *_common(state, colour, width)]
    for seat in range(len(state["players"])):
        lines += ["", *desk_lines(seat, state, names, colour, width)]
    return "\n".join(lines) + "\n"
