"""A board and a position as text for a terminal.

A piece is written by shape and seat: `t1` is a trader of seat 1, `m0` a merchant of seat 0. Square brackets are places
for any piece (offices: for a trader), round ones for a merchant only. Colours only repeat what the text says: without
its escape codes the coloured text is the plain one.
"""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise, zip_longest
from typing import Any, NamedTuple

from hansa_fast._draw_facts import (
    ABILITIES,
    EAST_WEST_POINTS,
    PRIVILEGE_LETTERS,
    TRACKS,
    Data,
    check_names,
    count_hidden,
    decision_text,
    marker_label,
    parse_piece,
    permanent_label,
    piece_in_hand,
    plural,
    post_names,
    posts_in_question,
    route_name,
    turn_flags,
    turn_text,
)
from hansa_fast._draw_layout import Box, Candidate, choose_places
from hansa_fast._draw_terminal import (
    ESCAPE,
    Grid,
    TextLayout,
    pad,
    paint,
    seat_code,
    seat_label,
    seat_text,
    wrap,
)

MAP_WIDTH = 100  # below this the map is too crowded to read

EMPTY: Data = {"posts": {}, "offices": {}, "extra": {}, "green": {}, "markers": {}}  # what stands on a board: nothing


def _short(piece: str) -> str:
    """A piece in two characters: `t1` or `m0`."""
    shape, seat = parse_piece(piece)
    return f"{shape[0]}{seat}"


def _piece(piece: str, colour: bool) -> str:
    """A piece in two characters, in its seat's colour."""
    return paint(_short(piece), seat_code(parse_piece(piece)[1]), colour)


# --- the list ------------------------------------------------------------------------------------------------------


def _route_line(route: Data, state: Data, colour: bool, name_width: int, posts_width: int) -> str:
    """A route with its posts, its marker and what is printed there."""
    posts = ""
    for name, post in zip(post_names(route), route["posts"], strict=True):
        piece = state["posts"].get(name)
        content = "  " if piece is None else _piece(piece, colour)
        posts += f"({content})" if post["shape"] == "merchant" else f"[{content}]"
    notes = [route["region"]] if route["region"] not in (None, "england") else []
    kind = state["markers"].get(route_name(route))
    if kind is not None:
        notes.append(paint(f"marker {kind}", "33", colour))
    if route["permanent_marker"]:
        notes.append(f"permanent {route['permanent_marker']}")
    if route["tavern"]:
        notes.append("tavern")
    line = f"{pad(route_name(route), name_width)} {pad(posts, posts_width)} {', '.join(notes)}"
    return line.rstrip()


def _city_line(city: Data, state: Data, colour: bool, name_width: int) -> str:
    """A city with its offices: privilege, occupant and coin of each; extra and green ones; what it develops."""
    name = city["name"]
    pieces = state["offices"].get(name, [None] * len(city["offices"]))
    fields = []
    for office, piece in zip(city["offices"], pieces, strict=True):
        content = "  " if piece is None else _piece(piece, colour)
        box = f"({content})" if office["shape"] == "merchant" else f"[{content}]"
        fields.append(PRIVILEGE_LETTERS[office["privilege"]] + box + (f"${office['coin']}" if office["coin"] else ""))
    for word, key in (("green", "green"), ("extra", "extra")):
        if state[key].get(name):
            fields.append(" ".join([word, *(_piece(piece, colour) for piece in state[key][name])]))
    if city["special"] == "green" and not state["green"].get(name):
        fields.append("green -")
    if city["abilities"]:
        fields.append(f"develops {' or '.join(city['abilities'])}")
    return f"{pad(name, name_width)} {' '.join(fields)}".rstrip()


def _board_list(board: Data, state: Data, colour: bool, width: int) -> list[str]:
    """All routes and all cities, side by side if there is room."""
    routes, cities = board["routes"], board["cities"]
    name_width = max(len(route_name(route)) for route in routes)
    posts_width = max(4 * len(route["posts"]) for route in routes)
    left = [_route_line(route, state, colour, name_width, posts_width) for route in routes]
    city_width = max(len(city["name"]) for city in cities)
    right = [_city_line(city, state, colour, city_width) for city in cities]
    left_width = max(len(ESCAPE.sub("", line)) for line in left)
    right_width = max(len(ESCAPE.sub("", line)) for line in right)
    if left_width + 3 + right_width > width:
        return ["Routes", *(f"  {line}" for line in left), "Cities", *(f"  {line}" for line in right)]
    left, right = ["Routes", *left], ["Cities", *right]
    return [f"{pad(a, left_width)}   {b}".rstrip() for a, b in zip_longest(left, right, fillvalue="")]


# --- the map -------------------------------------------------------------------------------------------------------


class _Spot(NamedTuple):
    """Where a label stands on the grid: row and first column of each of its lines."""

    cells: tuple[tuple[int, int], ...]


def _line_box(row: int, column: int, length: int) -> Box:
    """The box of a line of text, with a blank on both sides so that neighbours do not run together."""
    return Box(column - 0.5, row, column + length + 0.5, row + 1)


def _city_spots(row: int, column: int, name: int, offices: int) -> list[tuple[Candidate, _Spot]]:
    """Places for a city: its offices around a point, its name above or below."""
    spots = []
    for down in (0, -1, 1):
        for aside in (0, -2, 2, -4, 4):
            first = column - offices // 2 + aside
            for shift in (0, -3, 3, -6, 6):
                for side in (-1, 1):
                    name_first = column - name // 2 + aside + shift
                    cells = ((row + down + side, name_first), (row + down, first))
                    boxes = (_line_box(*cells[0], name), _line_box(*cells[1], offices))
                    cost = 3.0 * abs(down) + abs(aside) + 0.5 * abs(shift) + (0 if side < 0 else 1)
                    spots.append((Candidate(cost, boxes), _Spot(cells)))
    return spots


def _label_spots(points: Sequence[tuple[float, float]], length: int) -> list[tuple[Candidate, _Spot]]:
    """Places for one line of text beside some points (column, row), those in the middle first."""
    spots = []
    for number, (x, y) in enumerate(points):
        for down in (0, -1, 1, -2, 2):
            for aside in (0, -length // 2 - 2, length // 2 + 2):
                cell = (round(y) + down, round(x) - length // 2 + aside)
                cost = 2.0 * abs(number - (len(points) - 1) / 2) + 2 * abs(down) + abs(aside) * 0.4
                spots.append((Candidate(cost, (_line_box(*cell, length),)), _Spot((cell,))))
    return spots


def _post_spots(row: int, column: int) -> list[tuple[Candidate, _Spot]]:
    """Places for a post: its point, or a cell or two beside it."""
    spots = []
    for down in (0, -1, 1):
        for aside in (0, -1, 1, -2, 2):
            cell = (row + down, column - 1 + aside)
            box = Box(cell[1], cell[0], cell[1] + 2, cell[0] + 1)
            spots.append((Candidate(4.0 * abs(down) + 2 * abs(aside), (box,)), _Spot((cell,))))
    return spots


@lru_cache(maxsize=64)
def _map_spots(
    board_json: str, columns: int, office_widths: tuple[int, ...], labels: tuple[tuple[int, int], ...]
) -> tuple[int, list[_Spot], list[_Spot], list[_Spot]]:
    """Rows of the map, and where posts, cities and labels (index of the route, length) stand on it."""
    board: dict[str, Any] = json.loads(board_json)
    rows = round(columns / board["aspect"] / 2)

    def at(thing: Data) -> tuple[int, int]:
        return round(thing["y"] * (rows - 1)), round(thing["x"] * (columns - 1))

    options = [_post_spots(*at(post)) for route in board["routes"] for post in route["posts"]]
    posts = len(options)
    for city, width in zip(board["cities"], office_widths, strict=True):
        options.append(_city_spots(*at(city), len(city["name"]), width))
    cities = len(options)
    for index, length in labels:
        points = [at(post) for post in board["routes"][index]["posts"]]
        between = [((b + d) / 2, (a + c) / 2) for (a, b), (c, d) in pairwise(points)]
        options.append(_label_spots(between or [(points[0][1], points[0][0])], length))
    candidates = [[candidate for candidate, _ in option] for option in options]
    chosen = choose_places(candidates, (), Box(0, 0, columns, rows), rounds=4)
    spots = [option[index][1] for option, index in zip(options, chosen, strict=True)]
    return rows, spots[:posts], spots[posts:cities], spots[cities:]


def _office_texts(city: Data, state: Data) -> list[tuple[str, str]]:
    """The offices of a city on the map, from the left, as texts with their codes."""
    name = city["name"]
    texts = []
    for piece in reversed(state["extra"].get(name, ())):
        texts += [(_short(piece), seat_code(parse_piece(piece)[1])), ("+", "")]
    pieces = state["offices"].get(name, [None] * len(city["offices"]))
    for office, piece in zip(city["offices"], pieces, strict=True):
        left, right = "()" if office["shape"] == "merchant" else "[]"
        if piece is None:
            texts.append((left + PRIVILEGE_LETTERS[office["privilege"]] + right, ""))
        else:
            texts += [(left, ""), (_short(piece), seat_code(parse_piece(piece)[1])), (right, "")]
    if not city["offices"]:
        texts.append(("{", ""))
        texts += [(_short(piece), seat_code(parse_piece(piece)[1])) for piece in state["green"].get(name, ())]
        texts.append(("}", ""))
    return texts


def _board_map(board: Data, state: Data, colour: bool, width: int) -> list[str]:
    """The board on a grid of characters."""
    offices = [_office_texts(city, state) for city in board["cities"]]
    labels: list[tuple[int, str]] = []
    for index, route in enumerate(board["routes"]):
        kind = state["markers"].get(route_name(route))
        if kind is not None:
            labels.append((index, f"<{marker_label(kind)}>"))
        if route["permanent_marker"]:
            labels.append((index, f"<<{permanent_label(route['permanent_marker'])}>>"))
    columns = min(width, 160)
    rows, post_spots, city_spots, label_spots = _map_spots(
        json.dumps(board, sort_keys=True),
        columns,
        tuple(sum(len(text) for text, _ in texts) for texts in offices),
        tuple((index, len(text)) for index, text in labels),
    )
    grid = Grid(rows, columns)
    centres = {}
    for city, spot, texts in zip(board["cities"], city_spots, offices, strict=True):
        row, column = spot.cells[1]
        centres[city["name"]] = (row, column + sum(len(text) for text, _ in texts) // 2)
    number = 0
    for route in board["routes"]:
        cells = [spot.cells[0] for spot in post_spots[number : number + len(route["posts"])]]
        number += len(cells)
        stops = [centres[route["a"]], *((row, column + 1) for row, column in cells), centres[route["b"]]]
        for (row, column), (next_row, next_column) in pairwise(stops):
            steps = max(abs(next_row - row) * 2, abs(next_column - column)) // 2
            for step in range(1, steps):
                part = step / steps
                at = round(row + (next_row - row) * part), round(column + (next_column - column) * part)
                grid.write(*at, ".", "2")
    posts = [pair for route in board["routes"] for pair in zip(post_names(route), route["posts"], strict=True)]
    for (name, post), spot in zip(posts, post_spots, strict=True):
        piece = state["posts"].get(name)
        if piece is None:
            grid.write(*spot.cells[0], "()" if post["shape"] == "merchant" else "[]")
        else:
            grid.write(*spot.cells[0], _short(piece), seat_code(parse_piece(piece)[1]))
    for (_, text), spot in zip(labels, label_spots, strict=True):
        grid.write(*spot.cells[0], text, "33")
    for city, spot, texts in zip(board["cities"], city_spots, offices, strict=True):
        grid.write(*spot.cells[0], city["name"], "1")
        row, column = spot.cells[1]
        for text, code in texts:
            grid.write(row, column, text, code)
            column += len(text)
    return grid.lines(colour)


# --- around the board ----------------------------------------------------------------------------------------------


def _headline(board: Data, state: Data, names: Sequence[str] | None, colour: bool, width: int) -> list[str]:
    """The board, whose decision it is in which phase, how many actions are left, what is in hand."""
    lines = wrap([paint(board["name"], "1", colour), "; ".join([turn_text(state), *turn_flags(state)])], width, 0)
    lines.append(paint(decision_text(state, names), "1", colour))
    fields = [f"In hand: {_piece(hand, colour)} ({hand})"] if (hand := piece_in_hand(state)) else []
    fields += [f"{post}: {why}" for post, why in posts_in_question(state).items()]
    if state["end"] and state["player"] is not None:
        fields.append(f"End: {', '.join(state['end'])}")
    return lines + wrap(fields, width, 0)


def _common(board: Data, state: Data, names: Sequence[str] | None, colour: bool, width: int) -> list[str]:
    """What belongs to the whole board."""
    fields = [f"Completed cities: {state['completed']} of {board['completed_cities_limit']}"]
    seats = state["east_west"]
    places = []
    for number in range(max(len(EAST_WEST_POINTS), len(seats))):
        points = EAST_WEST_POINTS[number] if number < len(EAST_WEST_POINTS) else 0
        places.append(f"{points} " + (seat_label(seats[number], names, colour) if number < len(seats) else "-"))
    fields.append(f"{' to '.join(board['east_west'])}: {', '.join(places)}")
    special = board["special_prestige"]
    spaces = []
    for slot in special["slots"]:
        seat = state["prestige"].get(str(slot["points"]))
        holder = "(  )" if seat is None else f"({_piece(f'merchant {seat}', colour)})"
        spaces.append(f"{slot['points']}{PRIVILEGE_LETTERS[slot['privilege']]}{holder}")
    fields.append(f"Prestige {special['route'][0]}-{special['route'][1]}: {' '.join(spaces)}")
    fields.append(f"Markers in the pile: {count_hidden(state['pile'])}")
    if count_hidden(state["plate"]):
        fields.append(f"drawn unseen: {count_hidden(state['plate'])}")
    if state["favours"]:
        fields.append(f"Open favours: {', '.join(state['favours'])}")
    permissions = [
        f"{permission['city']} for {' or '.join(permission['regions'])}"
        + (" (used)" if permission["city"] in state["permissions_used"] else "")
        for permission in board.get("permissions") or ()
    ]
    if permissions:
        fields.append(f"Permissions: {', '.join(permissions)}")
    if state["pawn"] is not None:
        province = next(p for p in board["two_player"]["provinces"] if p["id"] == state["pawn"])
        fields.append(f"Pawn: {state['pawn']} ({province['label']})")
    return wrap(fields, width, 0)


def desk_lines(seat: int, state: Data, names: Sequence[str] | None, colour: bool, width: int) -> list[str]:
    """A player's desk."""
    player = state["players"][seat]
    fields = [seat_label(seat, names, colour), plural(player["points"], "point")]
    for key in ("supply", "stock"):
        pieces = player[key]
        fields.append(f"{key} {plural(pieces['traders'], 'trader')}, {plural(pieces['merchants'], 'merchant')}")
    if seat == state["player"]:
        fields.append("<- decides")
    lines = wrap(fields, width, 0)
    tracks = []
    for ability in ABILITIES:
        developed = player["abilities"][ability]
        values = [f"[{value}]" if space == developed else value for space, value in enumerate(TRACKS[ability])]
        tracks.append(f"{ability} {' '.join(values)}")
    lines += wrap(tracks, width, 2)
    lists = [f"markers {_counted(player['markers'])}", f"used {_counted(player['used'])}"]
    if player["plate"]:
        lists.append(f"plate {_counted(player['plate'])}")
    if player["favours"]:
        lists.append(f"favours {', '.join(player['favours'])}")
    if player["mission"]:
        lists.append(f"mission {', '.join(player['mission'])}")
    return lines + wrap(lists, width, 2)


def _counted(kinds: Any) -> str:
    """Markers by kind, with numbers above one; a dash for none."""
    if not isinstance(kinds, Mapping):
        return f"{kinds} unseen" if kinds else "-"
    return ", ".join(f"{kind} x{count}" if count > 1 else kind for kind, count in kinds.items()) or "-"


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

    `list` names every route and city with all that stands there; `map` draws the board instead; `auto` is the map when
    the terminal is wide enough. The desks follow in any case. Give a player's view to hide what that player does not
    know; the order of the pile and what was drawn unseen are never shown.
    """
    draw = _board_map if layout == "map" or (layout == "auto" and width >= MAP_WIDTH) else _board_list
    if state is None:
        return "\n".join([paint(board["name"], "1", colour), "", *draw(board, EMPTY, colour, width)]) + "\n"
    check_names(board, state)
    lines = _headline(board, state, names, colour, width)
    lines += ["", *draw(board, state, colour, width), ""]
    lines += _common(board, state, names, colour, width)
    for seat in range(len(state["players"])):
        lines += ["", *desk_lines(seat, state, names, colour, width)]
    return "\n".join(lines) + "\n"


def scores_text(
    scores: Sequence[Mapping[str, int]],
    ranks: Sequence[int] | None,
    *,
    colour: bool,
    names: Sequence[str] | None = None,
) -> str:
    """The table of final scores: a line for each player, a column for each category, the rank first if it is known."""
    categories = list(dict.fromkeys(category for score in scores for category in score))
    heads = (["rank"] if ranks is not None else []) + ["player", *categories]
    rows = []
    for seat, score in enumerate(scores):
        rank = [] if ranks is None else [str(ranks[seat])]
        rows.append([*rank, seat_text(seat, names), *(str(score.get(category, "")) for category in categories)])
    widths = [max(len(row[column]) for row in [heads, *rows]) for column in range(len(heads))]

    def line(row: Sequence[str]) -> str:
        cells = (
            cell.ljust(size) if head == "player" else cell.rjust(size)
            for cell, size, head in zip(row, widths, heads, strict=True)
        )
        return "  ".join(cells).rstrip()

    lines = [paint(line(heads), "1", colour)]
    lines += [paint(line(row), seat_code(seat), colour) for seat, row in enumerate(rows)]
    return "\n".join(lines) + "\n"
