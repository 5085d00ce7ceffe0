"""The map: where everything on a board is drawn, and the drawing of it.

Posts stand where the board file says; city names, markers and the like look for free room around them. That depends on
the board only, so pictures of one game do not jump.
"""

import json
import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from hansa_fast._draw_facts import (
    PRIVILEGE_LETTERS,
    Data,
    has_pawn,
    marker_label,
    permanent_label,
    post_names,
    posts_in_question,
    route_name,
)
from hansa_fast._draw_layout import Box, Candidate, Obstacle, Point, around, box_at, choose_places, overlap, samples
from hansa_fast._draw_page import CANVAS
from hansa_fast._draw_shapes import (
    BANNER_FILLS,
    BANNER_INKS,
    GOLD,
    INK,
    LAND,
    PAPER,
    PRIVILEGE_FILLS,
    PRIVILEGE_INKS,
    REGION_FILLS,
    ROAD,
    SEA,
    SEA_DEEP,
    curve,
    element,
    icon,
    pill,
    pill_width,
    placed_piece,
    rect,
    steps,
    text_line,
    text_width,
    tooltip,
)

# --- where things lie on the map -----------------------------------------------------------------------------------


class CityPlace(NamedTuple):
    """Where the parts of a city are drawn (centres)."""

    offices: Point
    name: Point
    abilities: Point


class Layout(NamedTuple):
    """Where everything on the map is drawn, in units of the canvas."""

    height: float
    scale: float  # size of the symbols; 1 suits posts about 37 units apart
    posts: dict[str, Point]
    lines: dict[str, list[Point]]  # from city to city through the posts
    cities: dict[str, CityPlace]
    markers: dict[str, tuple[Point, Point]]  # the label and the point of the route it belongs to
    prestige: Point
    provinces: dict[str, Point]
    soldiers: list[Point]


OFFICE = 25.0  # an office with its margin; these are sizes at scale 1
POST = 27.0
NAME = 14.0  # font size of city names
NAME_HEIGHT = 20.0
TAG = 11.5  # font size on markers
EXTRAS = 46.0  # the room for extra offices
GREEN_COLUMNS = 4  # offices drawn at full size in a city without printed ones


def _office_columns(city: Data) -> int:
    """How many offices the tray of a city is wide."""
    return len(city["offices"]) or GREEN_COLUMNS


def _name_width(city: Data, scale: float) -> float:
    """The width of a city's banner."""
    return text_width(city["name"], NAME * scale, bold=True) + 18 * scale


def _abilities_width(city: Data, scale: float) -> float:
    """The width of the plate with the abilities a city develops."""
    return sum(text_width(ability, TAG * scale, bold=True) + 26 * scale for ability in city["abilities"])


def _city_candidates(city: Data, x: float, y: float, scale: float) -> list[tuple[Candidate, CityPlace]]:
    """Ways to arrange a city: the offices stay at the city's point, name and abilities go around them."""
    row = _office_columns(city) * OFFICE * scale
    width, height = _name_width(city, scale), NAME_HEIGHT * scale
    plate, step = _abilities_width(city, scale), (OFFICE / 2 + 1 + NAME_HEIGHT / 2) * scale
    slack = int((width + row) / 2 - 8 * scale)
    names: list[tuple[float, float, float, int]] = [
        (abs(shift) / 4 + 3 * gap + (0 if side < 0 else 30), x + shift, y + side * (step + gap), side)
        for gap in (0, 4, 8)
        for shift in range(-slack + slack % 6, slack + 1, 6)
        for side in (-1, 1)
    ]
    beside = (row + width) / 2 + 3 * scale
    names += [(50, x + beside, y, -1), (60, x - beside - EXTRAS * scale, y, -1)]
    candidates = []
    for cost, name_x, name_y, side in names:
        name_box = box_at(name_x, name_y, width, height)
        if not plate:
            candidates.append((Candidate(cost, (name_box,)), CityPlace((x, y), (name_x, name_y), (x, y))))
            continue
        spots = [
            (0, x, y - side * step),
            (10, name_x, name_y + side * height),
            (10, name_x + (width + plate) / 2, name_y),
            (12, name_x - (width + plate) / 2, name_y),
            (14, x + (row + plate) / 2 + 3 * scale, y),
            (20, x - (row + plate) / 2 - 3 * scale, y),
        ]
        for more, plate_x, plate_y in spots:
            boxes = (name_box, box_at(plate_x, plate_y, plate, height))
            place = CityPlace((x, y), (name_x, name_y), (plate_x, plate_y))
            candidates.append((Candidate(cost + more, boxes), place))
    return candidates


def _marker_size(route: Data, scale: float) -> tuple[float, float]:
    """The room a route's marker takes: a permanent one its text, a tavern its sign as well."""
    if route["permanent_marker"]:
        return pill_width(permanent_label(route["permanent_marker"]), TAG * scale) + 2, TAG * scale * 1.7
    widest = max(pill_width(marker_label(kind), TAG * scale) for kind in ("develop_ability", "move_3"))
    return widest + (24 * scale if route["tavern"] else 0), (22 if route["tavern"] else 19) * scale


def _beside_line(
    line: Sequence[Point], size: tuple[float, float], scale: float
) -> list[tuple[Candidate, tuple[Point, Point]]]:
    """Places for a label beside (or in a wide gap of) a line, the middle of the line first."""
    places = []
    middle = (len(line) - 2) / 2
    for number, ((x0, y0), (x1, y1)) in enumerate(pairwise(line)):
        length = math.hypot(x1 - x0, y1 - y0) or 1.0
        along_x, along_y = (x1 - x0) / length, (y1 - y0) / length
        reach = abs(along_y) * size[0] / 2 + abs(along_x) * size[1] / 2
        for part in (0.5, 0.0, 1.0):
            x, y = x0 + part * (x1 - x0), y0 + part * (y1 - y0)
            cost = abs(number + part - 0.5 - middle) * 16
            distances = [0.0, reach + 6 * scale, reach + POST / 2 * scale + 2, reach + POST * scale]
            for rank, distance in enumerate(distances):
                for side in (1, -1):
                    point = (x - side * along_y * distance, y + side * along_x * distance)
                    places.append((Candidate(cost + rank * 12, (box_at(*point, *size),)), (point, (x, y))))
    return places


def _settle_city(city: Data, x: float, y: float, posts: Sequence[Point], scale: float) -> Point:
    """The centre of a city's offices: its point on the board, moved a little if offices or name would cover posts."""
    row, width, height = _office_columns(city) * OFFICE * scale, _name_width(city, scale), OFFICE * scale
    step = (OFFICE + NAME_HEIGHT + 2) / 2 * scale
    size = (POST + 3) * scale
    near = [box_at(*post, size, size) for post in posts if math.dist(post, (x, y)) < row + 160]

    def covered(box: Box) -> float:
        return sum(overlap(box, post) for post in near)

    best, best_cost = (x, y), math.inf
    shifts = [(dx, dy) for dx in range(-24, 49, 6) for dy in range(-24, 25, 6)]
    for dx, dy in sorted(shifts, key=lambda shift: math.hypot(*shift)):
        cost = math.hypot(dx, dy)
        if cost >= best_cost:
            break
        centre_x, centre_y = x + dx * scale, y + dy * scale
        left, top = centre_x - row / 2 - EXTRAS * scale, centre_y - height / 2
        cost += 10 * covered(Box(left, top, centre_x + row / 2, top + height)) + 10 * max(0.0, 8 - left)
        if cost < best_cost:
            names = (
                box_at(centre_x + shift * (width + row) / 2, centre_y + side * step, width, NAME_HEIGHT * scale)
                for shift in (0.0, -0.2, 0.2, -0.4, 0.4, -0.6, 0.6, -0.8, 0.8)
                for side in (-1, 1)
            )
            cost += 10 * min(covered(name) for name in names)
        if cost < best_cost:
            best, best_cost = (centre_x, centre_y), cost
    return best


PRESTIGE_SIZE = (150.0, 50.0)
PROVINCE_SIZE = (46.0, 22.0)
SOLDIER_SIZE = (20.0, 24.0)


@lru_cache(maxsize=16)
def find_layout(board_json: str, two_player: bool) -> Layout:
    """The map of a board; the same for every position, so that pictures of a game do not jump."""
    board: dict[str, Any] = json.loads(board_json)
    height = CANVAS / board["aspect"]

    def at(thing: Data) -> Point:
        return thing["x"] * CANVAS, thing["y"] * height

    posts = {
        name: at(post)
        for route in board["routes"]
        for name, post in zip(post_names(route), route["posts"], strict=True)
    }
    points = list(posts.values())
    nearest = min(math.dist(p, q) for number, p in enumerate(points) for q in points[:number])
    scale = max(0.6, min(1.2, nearest / 37))
    centres = {city["name"]: _settle_city(city, *at(city), points, scale) for city in board["cities"]}
    lines = {
        route_name(route): [centres[route["a"]], *(posts[name] for name in post_names(route)), centres[route["b"]]]
        for route in board["routes"]
    }

    obstacles = [Obstacle(40, box_at(*point, (POST + 2) * scale, (POST + 2) * scale)) for point in points]
    obstacles += [Obstacle(0.5, box_at(*p, 10, 10)) for line in lines.values() for p in samples(line, 12)]
    for city in board["cities"]:
        x, y = centres[city["name"]]
        row = _office_columns(city) * OFFICE * scale
        obstacles.append(Obstacle(10, box_at(x, y, row, OFFICE * scale)))
        extras = Box(x - row / 2 - EXTRAS * scale, y - 11 * scale, x - row / 2, y + 11 * scale)
        obstacles.append(Obstacle(5, extras))

    labels: list[list[Candidate]] = []
    places: list[list[Any]] = []

    def add(options: list[tuple[Candidate, Any]]) -> int:
        labels.append([candidate for candidate, _ in options])
        places.append([place for _, place in options])
        return len(labels) - 1

    cities = {c["name"]: add(_city_candidates(c, *centres[c["name"]], scale)) for c in board["cities"]}
    special = board["special_prestige"]
    size = PRESTIGE_SIZE[0] * scale, PRESTIGE_SIZE[1] * scale
    prestige = add(around(*centres[special["city"]], size, 14 * scale, 9))
    markers = {
        route_name(route): add(_beside_line(lines[route_name(route)], _marker_size(route, scale), scale))
        for route in board["routes"]
        if route["bonus_marker_allowed"] or route["permanent_marker"]
    }
    provinces: dict[str, int] = {}
    soldiers: list[int] = []
    if two_player:
        extra_board = board["two_player"]
        size = PROVINCE_SIZE[0] * scale, PROVINCE_SIZE[1] * scale
        provinces = {p["id"]: add(around(*at(p), size, 9 * scale, 6)) for p in extra_board["provinces"]}
        size = SOLDIER_SIZE[0] * scale, SOLDIER_SIZE[1] * scale
        for first, second in extra_board["soldiers"]:
            (x0, y0), (x1, y1) = centres[first], centres[second]
            soldiers.append(add(around((x0 + x1) / 2, (y0 + y1) / 2, size, 8 * scale, 5)))

    frame = Box(6, 6, CANVAS - 6, height - 6)
    chosen = [place[index] for place, index in zip(places, choose_places(labels, obstacles, frame), strict=True)]
    return Layout(
        height=height,
        scale=scale,
        posts=posts,
        lines=lines,
        cities={name: chosen[label] for name, label in cities.items()},
        markers={name: chosen[label] for name, label in markers.items()},
        prestige=chosen[prestige],
        provinces={name: chosen[label] for name, label in provinces.items()},
        soldiers=[chosen[label] for label in soldiers],
    )


# --- the map -------------------------------------------------------------------------------------------------------


def _open_sea(lines: Sequence[Sequence[Point]], height: float) -> list[str]:
    """The areas between sea routes and the upper or lower edge of the map, whichever is nearer."""
    heights = [y for line in lines for _, y in line]
    edge = 0.0 if sum(heights) / len(heights) < height / 2 else height
    areas = []
    for line in lines:
        eastward = list(line) if line[0][0] <= line[-1][0] else list(reversed(line))
        areas.append(curve([(0.0, edge), (0.0, edge), *eastward, (CANVAS, edge), (CANVAS, edge)]) + "z")
    return areas


def _ground(board: Data, layout: Layout) -> list[str]:
    """Land, sea where routes go by ship, and the countries with rules of their own."""
    frame = Box(0, 0, CANVAS, layout.height)
    curves = {route_name(route): curve(layout.lines[route_name(route)]) for route in board["routes"]}
    at_sea = [curves[route_name(route)] for route in board["routes"] if route["maritime"]]
    by_land = [curves[route_name(route)] for route in board["routes"] if not route["maritime"]]

    def strokes(paths: Iterable[str], colour: str, width: float) -> str:
        style = {"fill": "none", "stroke": colour, "stroke_linecap": "round", "stroke_linejoin": "round"}
        return element("path", d="".join(paths), stroke_width=width, **style)

    if not at_sea:
        return [rect(frame, 10, fill=LAND)]
    water = [rect(frame, 10, fill=SEA), rect(frame, 10, fill="url(#waves)")]
    shore = "".join(steps("M", *place.offices, "h", 0.1) for place in layout.cities.values())
    if board["regions"]:
        # Boards with countries are islands: everything near a road or a city is land, except where ships sail.
        parts = water
        for colour, grow in ((SEA_DEEP, 8.0), (LAND, 0.0)):
            parts += [strokes(by_land, colour, 190 + grow), strokes([shore], colour, 130 + grow)]
        parts += [strokes(at_sea, SEA_DEEP, 58), strokes(at_sea, SEA, 52)]
    else:
        # Elsewhere the sea lies between the ships' routes and the edge they are nearest to, away from the roads.
        parts = [rect(frame, 10, fill=LAND)]
        open_sea = "".join(
            _open_sea([layout.lines[route_name(r)] for r in board["routes"] if r["maritime"]], layout.height)
        )
        for name, grow, content in (("coast", 8.0, [rect(frame, 10, fill=SEA_DEEP)]), ("sea", 0.0, water)):
            mask = element("path", d=open_sea, fill="#ffffff") + strokes([open_sea], "#ffffff", 130 + grow)
            mask += strokes(by_land, "#000000", 120 - grow) + strokes(at_sea, "#ffffff", 52 + grow)
            mask += strokes([shore], "#000000", 100 - grow)
            parts += [element("mask", mask, id=name), element("g", content, mask=f"url(#{name})")]
    for region, colour in REGION_FILLS.items():
        routes = [curves[route_name(r)] for r in board["routes"] if r["region"] == region]
        if routes:
            parts.append(element("g", strokes(routes, colour, 74), opacity=0.38, data_region=region))
    return parts


def _route(route: Data, layout: Layout) -> str:
    """The road or sea lane of a route."""
    path, scale = curve(layout.lines[route_name(route)]), layout.scale
    if route["maritime"]:
        style: dict[str, Any] = {"stroke": "#3f7f9c", "stroke_width": 3.0 * scale, "stroke_dasharray": "9 6"}
        lines = element("path", d=path, fill="none", **style)
    else:
        colour = REGION_FILLS.get(route["region"] or "", ROAD)
        lines = element("path", d=path, fill="none", stroke="#7d6845", stroke_width=8.5 * scale)
        lines += element("path", d=path, fill="none", stroke=colour, stroke_width=6.0 * scale)
    country = f" ({route['region']})" if route["region"] else ""
    return element("g", tooltip(route_name(route) + country) + lines, class_="route", data_route=route_name(route))


def ship(x: float, y: float, s: float) -> str:
    """A hull and a sail: here only merchants go."""
    hull = steps("M", x - 9 * s, y + 2 * s, "h", 18 * s, "l", -4 * s, 6 * s, "h", -10 * s, "z")
    sail = steps("M", x, y - 9 * s, "v", 9 * s, "h", 7 * s, "z")
    return element("path", d=hull + sail, fill="#2f6f8c")


def _house(x: float, y: float, s: float) -> str:
    """A roof and walls, faintly."""
    roof = steps("M", x - 7 * s, y, "l", 7 * s, -6.5 * s, "l", 7 * s, 6.5 * s, "h", -2 * s)
    walls = steps("v", 6 * s, "h", -10 * s, "v", -6 * s, "z")
    return element("path", d=roof + walls, fill="#e2d3ae")


def _post(name: str, post: Data, piece: str | None, why: str | None, layout: Layout) -> str:
    """A post with the piece on it; `why` marks the post as part of the pending decision."""
    (x, y), scale = layout.posts[name], layout.scale
    size = POST * scale
    parts = []
    if why is not None:
        ring = box_at(x, y, size + 9 * scale, size + 9 * scale)
        parts.append(rect(ring, 10 * scale, fill="none", stroke="#d1006c", stroke_width=3, stroke_dasharray="5 3"))
    if post["shape"] == "merchant":
        parts.append(element("circle", cx=x, cy=y, r=size * 0.5, fill="#e9f6fb", stroke="#2f6f8c", stroke_width=1.8))
        if piece is None:
            parts.append(ship(x, y, scale))
    else:
        box = box_at(x, y, size * 0.94, size * 0.94)
        parts.append(rect(box, 6 * scale, fill=PAPER, stroke="#6b5836", stroke_width=1.8))
        if piece is None:
            parts.append(_house(x, y, scale))
    if piece is not None:
        parts.append(placed_piece(piece, name, x, y, 21 * scale))
    tip = name if why is None else f"{name} ({why})"
    return element("g", tooltip(tip) + "".join(parts), class_="post", data_post=name)


def _marker_spot(route: Data, kind: str | None, layout: Layout) -> str:
    """What lies beside a route: a printed permanent marker, the tavern, a marker."""
    name, scale = route_name(route), layout.scale
    if name not in layout.markers:
        return ""
    (x, y), _ = layout.markers[name]
    if route["permanent_marker"]:
        text = permanent_label(route["permanent_marker"])
        label = pill(x, y, text, TAG * scale, fill="#d9c8ec", stroke="#5b3a86", stroke_width=1.6)
        tip = tooltip(f"Permanent marker on {name}: {route['permanent_marker']}")
        return element("g", tip + label, class_="permanent", data_permanent=route["permanent_marker"])
    parts = []
    if route["tavern"]:
        sign = _tavern_x(route, x, scale)
        parts.append(tavern(sign, y, scale, name))
        x = sign + 13 * scale + pill_width(marker_label(kind or ""), TAG * scale) / 2
    if kind is not None:
        parts.append(_marker_tag(kind, name, x, y, scale))
    return "".join(parts)


def _tavern_x(route: Data, x: float, scale: float) -> float:
    """The centre of a tavern's sign, at the left end of the route's spot."""
    return x - _marker_size(route, scale)[0] / 2 + 11 * scale


def _marker_leader(route: Data, kind: str | None, layout: Layout) -> str:
    """The line that ties what lies beside a route to it."""
    name = route_name(route)
    if name not in layout.markers or not (kind or route["permanent_marker"] or route["tavern"]):
        return ""
    (x, y), (x0, y0) = layout.markers[name]
    if route["tavern"]:
        x = _tavern_x(route, x, layout.scale)
    colour = "#5b3a86" if route["permanent_marker"] else "#6a4b00"
    return element("path", d=steps("M", x, y, "L", x0, y0), stroke=colour, stroke_width=2.2)


def _marker_tag(kind: str, route: str, x: float, y: float, scale: float) -> str:
    """A marker on a route."""
    label = pill(x, y, marker_label(kind), TAG * scale, fill=GOLD, stroke="#6a4b00", stroke_width=1.6)
    return element("g", tooltip(f"Marker on {route}: {kind}") + label, class_="marker", data_marker=kind)


def tavern(x: float, y: float, scale: float, route: str) -> str:
    """A tavern's sign: a mug."""
    s = scale
    handle = steps("M", x + 3 * s, y - 2 * s, "h", 4 * s, "v", 6 * s, "h", -4 * s)
    mug = [
        element("circle", cx=x, cy=y, r=11 * s, fill="#7a4a21", stroke=INK, stroke_width=1),
        element("path", d=handle, fill="none", stroke="#fff3d6", stroke_width=1.6),
        rect(Box(x - 5 * s, y - 3.5 * s, x + 3 * s, y + 6 * s), 1, fill="#f3c14b"),
        rect(Box(x - 6 * s, y - 6 * s, x + 4 * s, y - 2.5 * s), 2, fill="#ffffff"),
    ]
    return element("g", tooltip(f"Tavern: {route}") + "".join(mug), class_="tavern")


def office_plate(office: Data, x: float, y: float, scale: float) -> str:
    """The shape an office takes, in the colour of the privilege it needs."""
    size = (OFFICE - 2) * scale
    style: dict[str, Any] = {"fill": PRIVILEGE_FILLS[office["privilege"]], "stroke": INK, "stroke_width": 1.4}
    if office["shape"] == "merchant":
        return element("circle", cx=x, cy=y, r=size / 2, **style)
    return rect(box_at(x, y, size, size), 2.5, **style)


def office_coin(office: Data, x: float, y: float, scale: float) -> str:
    """The coin at the corner of an office, if it has one."""
    if not office["coin"]:
        return ""
    coin_x, coin_y = x + 9.7 * scale, y - 10.1 * scale
    coin = element("circle", cx=coin_x, cy=coin_y, r=5.7 * scale, fill=GOLD, stroke="#6a4b00", stroke_width=1)
    return coin + text_line(coin_x, coin_y, str(office["coin"]), 9 * scale, font_weight="bold")


def _office(office: Data, piece: str | None, place: str, x: float, y: float, scale: float) -> str:
    """A printed office and who has it; its privilege in a letter while it is free."""
    if piece is None:
        letter, ink = PRIVILEGE_LETTERS[office["privilege"]], PRIVILEGE_INKS[office["privilege"]]
        content = text_line(x, y, letter, 12 * scale, fill=ink, font_weight="bold")
    else:
        content = placed_piece(piece, place, x, y, 16.5 * scale)
    parts = [tooltip(place), office_plate(office, x, y, scale), content, office_coin(office, x, y, scale)]
    return element("g", parts, class_="office", data_office=place)


def _green_offices(city: str, pieces: Sequence[str], x: float, y: float, scale: float) -> list[str]:
    """The offices of a city without printed ones, from the left; small ones in rows when there are many."""
    columns = next((columns for columns in (GREEN_COLUMNS, 6) if len(pieces) <= columns), 8)
    step = GREEN_COLUMNS * OFFICE * scale / columns
    rows = math.ceil(len(pieces) / columns)
    parts = []
    for number, piece in enumerate(pieces):
        row, column = divmod(number, columns)
        piece_x = x + (column - (columns - 1) / 2) * step
        piece_y = y + (row - (rows - 1) / 2) * step
        parts.append(placed_piece(piece, f"{city}, green office {number + 1}", piece_x, piece_y, step * 0.78))
    return parts


def _city_offices(city: Data, state: Data | None, layout: Layout) -> str:
    """The tray of a city: extra offices on the left, then the printed or green ones."""
    name, scale = city["name"], layout.scale
    x, y = layout.cities[name].offices
    columns, step = _office_columns(city), OFFICE * scale
    left = x - columns * step / 2
    extras: Sequence[str] = () if state is None else state["extra"].get(name, ())
    parts = []
    if extras:
        pitch = step * (0.8 if len(extras) <= 2 else 1.6 / len(extras))
        tray = Box(left - pitch * len(extras) - 5 * scale, y - step / 2 + 1.5, left + 4, y + step / 2 - 1.5)
        parts.append(rect(tray, 4, fill="#d8c08a", stroke=INK, stroke_width=1, stroke_dasharray="3 2"))
        for number, piece in enumerate(extras):
            spot = left - 2 * scale - pitch * (number + 0.5)
            parts.append(
                placed_piece(piece, f"{name}, extra office {number + 1}", spot, y, min(17 * scale, pitch * 0.95))
            )
    tray = box_at(x, y, columns * step + 3, step + 3)
    if city["offices"]:
        parts.append(rect(tray, 4, fill="#8a7450", stroke=INK, stroke_width=1))
        pieces = [None] * columns if state is None else state["offices"].get(name, [None] * columns)
        for number, (office, piece) in enumerate(zip(city["offices"], pieces, strict=True)):
            spot = x + (number - (columns - 1) / 2) * step
            parts.append(_office(office, piece, f"{name} {number + 1}", spot, y, scale))
    else:
        parts.append(rect(tray, 4, fill="#cfe6c6", stroke="#2f6b35", stroke_width=1.5, stroke_dasharray="5 3"))
        green: Sequence[str] = () if state is None else state["green"].get(name, ())
        if green:
            parts += _green_offices(name, green, x, y, scale)
        else:
            parts.append(text_line(x, y, "no printed office", 10 * scale, fill="#2f6b35"))
    return "".join(parts)


def _city_name(city: Data, layout: Layout) -> str:
    """The banner with a city's name, split into its colours."""
    name, scale = city["name"], layout.scale
    x, y = layout.cities[name].name
    box = box_at(x, y, _name_width(city, scale), NAME_HEIGHT * scale)
    colours = city["banner"].split("-")
    part = (box.right - box.left) / len(colours)
    banner = []
    for number, colour in enumerate(colours):
        stripe = Box(box.left + number * part, box.top, box.left + (number + 1) * part, box.bottom)
        banner.append(rect(stripe, 0, fill=BANNER_FILLS.get(colour, BANNER_FILLS["plain"])))
    banner.append(rect(box, 2, fill="none", stroke=INK, stroke_width=1.6, class_="banner"))
    ink = BANNER_INKS.get(colours[0], INK) if len(colours) == 1 else INK
    halo: dict[str, Any] = {}
    if len(colours) > 1:
        halo = {"stroke": "#fffaf0", "stroke_width": 3.0 * scale, "paint_order": "stroke", "stroke_linejoin": "round"}
    banner.append(text_line(x, y, name, NAME * scale, fill=ink, font_weight="bold", **halo))
    return "".join(banner)


def _city_abilities(city: Data, layout: Layout) -> str:
    """The plate with what a city develops."""
    if not city["abilities"]:
        return ""
    scale = layout.scale
    x, y = layout.cities[city["name"]].abilities
    width = _abilities_width(city, scale)
    parts = [
        rect(box_at(x, y, width, (NAME_HEIGHT - 2) * scale), 5, fill="#3b2f4d", stroke="#f6d75e", stroke_width=1.4)
    ]
    left = x - width / 2
    for ability in city["abilities"]:
        cell = text_width(ability, TAG * scale, bold=True) + 26 * scale
        parts.append(icon(ability, left + 12 * scale, y, 13 * scale, "#f6d75e"))
        parts.append(
            text_line(
                left + 21 * scale, y, ability, TAG * scale, fill="#ffffff", font_weight="bold", text_anchor="start"
            )
        )
        left += cell
    return element("g", tooltip(f"{city['name']} develops {', '.join(city['abilities'])}") + "".join(parts))


def _prestige(board: Data, state: Data | None, layout: Layout) -> str:
    """The spaces of special prestige."""
    (x, y), scale = layout.prestige, layout.scale
    special = board["special_prestige"]
    width, height = PRESTIGE_SIZE[0] * scale, PRESTIGE_SIZE[1] * scale
    heading = f"prestige {special['route'][0]}-{special['route'][1]}"
    size = min(11 * scale, 11 * scale * (width - 8) / text_width(heading, 11 * scale, bold=True))
    parts = [
        rect(box_at(x, y, width, height), 6, fill="#f7ecd0", stroke="#6a4b00", stroke_width=1.6),
        text_line(x, y - 15 * scale, heading, size, font_weight="bold"),
    ]
    slots = special["slots"]
    for number, slot in enumerate(slots):
        slot_x = x + (number - (len(slots) - 1) / 2) * 29 * scale
        slot_y = y + 7 * scale
        fill, ink = PRIVILEGE_FILLS[slot["privilege"]], PRIVILEGE_INKS[slot["privilege"]]
        parts.append(element("circle", cx=slot_x, cy=slot_y, r=13 * scale, fill=fill, stroke=INK, stroke_width=1.4))
        seat = None if state is None else state["prestige"].get(str(slot["points"]))
        if seat is None:
            parts.append(text_line(slot_x, slot_y, str(slot["points"]), 13 * scale, fill=ink, font_weight="bold"))
        else:
            parts.append(placed_piece(f"merchant {seat}", f"prestige {slot['points']}", slot_x, slot_y, 19 * scale))
    return element(
        "g", tooltip("Special prestige " + ", ".join(str(slot["points"]) for slot in slots)) + "".join(parts)
    )


def _pawn_map(board: Data, state: Data, layout: Layout) -> list[str]:
    """Provinces, soldiers and the pawn of the game for two."""
    scale = layout.scale
    size = PROVINCE_SIZE[0] * scale, PROVINCE_SIZE[1] * scale
    parts = []
    for (x, y), (first, second) in zip(layout.soldiers, board["two_player"]["soldiers"], strict=True):
        (x0, y0), (x1, y1) = layout.cities[first].offices, layout.cities[second].offices
        border = steps("M", x0, y0, "L", x, y, "L", x1, y1)
        parts.append(element("path", d=border, fill="none", stroke="#7a1f1f", stroke_width=2, stroke_dasharray="3 5"))
        w, h = 8 * scale, 10 * scale
        shield = steps("M", x - w, y - h, "h", 2 * w, "v", h, "q", 0.0, h * 0.7, -w, h, "q", -w, -h * 0.3, -w, -h, "z")
        cross = steps("M", x, y - h, "v", 2 * h, "M", x - w, y - 2 * scale, "h", 2 * w)
        soldier = element("path", d=shield, fill="#b33a3a", stroke=INK, stroke_width=1.2)
        soldier += element("path", d=cross, stroke="#ffffff", stroke_width=2, fill="none")
        parts.append(element("g", tooltip(f"Soldier between {first} and {second}") + soldier, class_="soldier"))
    for province in board["two_player"]["provinces"]:
        name = province["id"]
        x, y = layout.provinces[name]
        if state["pawn"] == name:
            content = rect(box_at(x, y, *size), 8, fill="#3d3d3d", stroke="#ffffff", stroke_width=1.5)
            content += _pawn(x - 12 * scale, y, scale) + text_line(
                x + 7 * scale, y, name, 11 * scale, fill="#ffffff", font_weight="bold"
            )
        else:
            plate = box_at(x, y, 30 * scale, 18 * scale)
            content = rect(
                plate, 8, fill="#ffffff", fill_opacity=0.55, stroke="#7a1f1f", stroke_width=1, stroke_dasharray="3 2"
            )
            content += text_line(x, y, name, 11 * scale, fill="#7a1f1f", font_weight="bold")
        parts.append(element("g", tooltip(f"{name}: {province['label']}") + content, data_province=name))
    return parts


def _pawn(x: float, y: float, s: float) -> str:
    """The pawn."""
    left = steps("M", x - 7 * s, y + 9 * s, "q", 4 * s, -5 * s, 4 * s, -12 * s)
    right = steps("h", 6 * s, "q", 0.0, 7 * s, 4 * s, 12 * s, "z")
    head = element("circle", cx=x, cy=y - 6 * s, r=5.5 * s)
    return element(
        "g", element("path", d=left + right) + head, fill="#ffffff", stroke="#1a1a1a", stroke_width=1, class_="pawn"
    )


def draw_map(board: Data, state: Data | None, layout: Layout) -> list[str]:
    """The whole map; its top left corner is the origin."""
    posts: Data = {} if state is None else state["posts"]
    markers: Data = {} if state is None else state["markers"]
    questions = {} if state is None else posts_in_question(state)
    parts = [element("g", _ground(board, layout), clip_path="url(#map)")]
    parts += [_route(route, layout) for route in board["routes"]]
    parts += [_marker_leader(route, markers.get(route_name(route)), layout) for route in board["routes"]]
    if state is not None and has_pawn(state) and board.get("two_player"):
        parts += _pawn_map(board, state, layout)
    for route in board["routes"]:
        for name, post in zip(post_names(route), route["posts"], strict=True):
            parts.append(_post(name, post, posts.get(name), questions.get(name), layout))
    for city in board["cities"]:
        tip = tooltip(f"{city['name']} ({', '.join(city['regions'])})" if city["regions"] else city["name"])
        content = _city_name(city, layout) + _city_abilities(city, layout) + _city_offices(city, state, layout)
        parts.append(element("g", tip + content, class_="city", data_city=city["name"]))
    parts += [_marker_spot(route, markers.get(route_name(route)), layout) for route in board["routes"]]
    parts.append(_prestige(board, state, layout))
    parts.append(rect(Box(0, 0, CANVAS, layout.height), 10, fill="none", stroke="#5d4a2a", stroke_width=4))
    return parts
