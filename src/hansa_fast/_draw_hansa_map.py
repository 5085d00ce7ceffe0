"""The sea chart of Hansa (2004): where everything is drawn, and the drawing of it.

Cities stand where the board file says; coasts, lanes, the ship's moorings and the compass follow from them. That
depends on the board only, so pictures of one game do not jump.
"""

import json
import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from hansa_fast._draw_facts import Data, plural
from hansa_fast._draw_hansa_facts import (
    ASPECT,
    booths_in,
    can_sail,
    counted,
    goods_in,
    majority,
    parse_good,
    ports_from,
)
from hansa_fast._draw_layout import Box, Candidate, Obstacle, Point, around, box_at, choose_places, samples
from hansa_fast._draw_page import CANVAS
from hansa_fast._draw_shapes import (
    GOLD,
    INK,
    LAND,
    PAPER,
    SEA,
    SEA_DEEP,
    SEAT_FILLS,
    SEAT_INKS,
    curve,
    decimal,
    element,
    icon,
    rect,
    steps,
    text_line,
    text_width,
    tooltip,
)
from hansa_fast._hansa_board import MOST_PLAYERS

SERIF = "Georgia, 'Times New Roman', serif"
GOOD_FILLS = {
    "orange": "#f08a1c",
    "brown": "#8d5b34",
    "red": "#c9362f",
    "yellow": "#f3d12f",
    "green": "#3f9b4b",
    "blue": "#2f70c2",
}
OTHER_GOOD = "#a8a29a"  # a colour we have no shade of; its name is written anyway
LANE, OPEN_LANE = "#2c6480", "#c2185b"

# Sizes at scale 1.
NAME_HEIGHT = 23.0
SLOT = (64.0, 45.0)  # a warehouse
BOOTH = 37.0  # width of a seat's booths
BOOTHS_HEIGHT = 27.0
SHIP = (58.0, 60.0)
CHANNEL = 34.0  # width of the water along a lane
BORDER = 13.0  # the scale around the chart


class Layout(NamedTuple):
    """Where everything on the chart is drawn, in units of the canvas."""

    height: float
    scale: float
    cities: dict[str, Box]
    lanes: list[list[Point]]  # points from city to city, as the routes of the file
    moorings: dict[str, Point]  # where the ship lies at a city
    compass: tuple[float, float, float]  # centre and radius


# --- where things lie ----------------------------------------------------------------------------------------------


def _city_size(city: Data, scale: float) -> tuple[float, float]:
    """The room of a city: its name, its warehouses, the booths of all seats."""
    name = text_width(city["name"], 15, bold=True) + 24
    width = max(name, len(city["warehouses"]) * SLOT[0] + 10, MOST_PLAYERS * BOOTH + 8)
    return width * scale, (NAME_HEIGHT + SLOT[1] + BOOTHS_HEIGHT + 6) * scale


def _centre(box: Box) -> Point:
    return (box.left + box.right) / 2, (box.top + box.bottom) / 2


def _grown(box: Box, by: float) -> Box:
    return Box(box.left - by, box.top - by, box.right + by, box.bottom + by)


def _holds(box: Box, point: Point) -> bool:
    return box.left <= point[0] <= box.right and box.top <= point[1] <= box.bottom


def _arc(start: Point, end: Point, bow: float) -> list[Point]:
    """Points of an arc, bowed to one side by a part of its length."""
    (x0, y0), (x1, y1) = start, end
    across = (y0 - y1) * bow * 2, (x1 - x0) * bow * 2
    middle = (x0 + x1) / 2 + across[0], (y0 + y1) / 2 + across[1]
    count = max(8, round(math.dist(start, end) / 6))
    points = []
    for k in range(count + 1):
        t = k / count
        a, b, c = (1 - t) ** 2, 2 * t * (1 - t), t**2
        points.append((a * x0 + b * middle[0] + c * x1, a * y0 + b * middle[1] + c * y1))
    return points


def _lane(start: Box, end: Box, others: Sequence[Box], lanes: Sequence[Sequence[Point]]) -> list[Point]:
    """The lane between two cities, bowed so that it keeps clear of other cities and lanes; it ends at their edges."""

    def cost(bow: float) -> float:
        points = clear(bow)
        covered = sum(_holds(box, point) for box in others for point in points)
        touched = sum(math.dist(point, other) < 16 for lane in lanes for other in lane[::3] for point in points[::3])
        return covered + touched + abs(bow) * 6

    def clear(bow: float) -> list[Point]:
        arc = _arc(_centre(start), _centre(end), bow)
        return [point for point in arc if not _holds(_grown(start, 4), point) and not _holds(_grown(end, 9), point)]

    points = clear(min((0.07, -0.07, 0.14, -0.14, 0.22, -0.22, 0.32, -0.32), key=cost))
    return points if len(points) > 1 else [_centre(start), _centre(end)]


def _mooring_places(city: Box, scale: float) -> list[tuple[Candidate, Point]]:
    """Places for the ship along the sides of a city."""
    width, height = SHIP[0] * scale, SHIP[1] * scale
    x, y = _centre(city)
    across, down = (city.right - city.left + width) / 2 + 3, (city.bottom - city.top + height) / 2 + 3
    points = [(x + side * across, y + shift * height / 2) for side in (1, -1) for shift in (0, -1, 1)]
    points += [(x + shift * across / 2, y + side * down) for side in (1, -1) for shift in (0, -1, 1)]
    return [(Candidate(4.0 * n, (box_at(*point, width, height),)), point) for n, point in enumerate(points)]


def _compass_place(blocked: Sequence[Box], height: float) -> tuple[float, float, float]:
    """The centre and radius of the largest free circle, up to the size the compass needs."""
    best = (0.0, 0.0, 0.0)
    for row in range(1, 40):
        for column in range(1, 60):
            x, y = CANVAS * column / 60, height * row / 40
            radius = min(x, y, CANVAS - x, height - y) - BORDER
            for box in blocked:
                radius = min(
                    radius, math.hypot(max(box.left - x, 0, x - box.right), max(box.top - y, 0, y - box.bottom))
                )
            if radius > best[2]:
                best = (x, y, radius)
    return best[0], best[1], min(best[2] * 0.9, 74.0)


@lru_cache(maxsize=16)
def find_layout(board_json: str) -> Layout:
    """The chart of a board; the same for every position."""
    board: dict[str, Any] = json.loads(board_json)
    height = CANVAS / board.get("aspect", ASPECT)
    points = [(city["x"] * CANVAS, city["y"] * height) for city in board["cities"]]
    nearest = min((math.dist(p, q) for number, p in enumerate(points) for q in points[:number]), default=CANVAS)
    scale = max(0.6, min(1.15, nearest / 240))
    frame = Box(BORDER + 8, BORDER + 8, CANVAS - BORDER - 8, height - BORDER - 8)

    sizes = [_city_size(city, scale) for city in board["cities"]]
    places = [around(*point, size, 12, 8) for point, size in zip(points, sizes, strict=True)]
    chosen = choose_places([[candidate for candidate, _ in options] for options in places], (), frame)
    boxes = [options[index][0].boxes[0] for options, index in zip(places, chosen, strict=True)]
    cities = dict(zip((city["name"] for city in board["cities"]), boxes, strict=True))
    lanes: list[list[Point]] = []
    for a, b in board["routes"]:
        others = [_grown(box, 8) for name, box in cities.items() if name not in (a, b)]
        lanes.append(_lane(cities[a], cities[b], others, lanes))

    blocked = [box_at(*point, 8, 8) for lane in lanes for point in samples(lane, 8)]
    obstacles = [Obstacle(2, _grown(box, 4)) for box in blocked]
    obstacles += [Obstacle(20, _grown(box, 2)) for box in boxes]
    moorings = {name: _mooring_places(box, scale) for name, box in cities.items()}
    taken = choose_places([[candidate for candidate, _ in m] for m in moorings.values()], obstacles, frame)
    spots = {name: options[index] for (name, options), index in zip(moorings.items(), taken, strict=True)}
    blocked += [*boxes, *(candidate.boxes[0] for candidate, _ in spots.values())]
    compass = _compass_place(blocked, height)
    return Layout(height, scale, cities, lanes, {name: point for name, (_, point) in spots.items()}, compass)


# --- pieces --------------------------------------------------------------------------------------------------------


def good_fill(good: str) -> str:
    """The shade of a good."""
    return GOOD_FILLS.get(parse_good(good)[0], OTHER_GOOD)


def barrel(x: float, y: float, height: float, fill: str) -> str:
    """A barrel around a centre, with its hoops."""
    h, w, bulge = height / 2, height * 0.31, height * 0.16
    body = steps("M", x - w, y - h, "q", -bulge, h, 0.0, 2 * h, "h", 2 * w, "q", bulge, -h, 0.0, -2 * h, "z")
    hoops = "".join(steps("M", x - w - bulge * 0.36, y + at * h, "h", 2 * w + bulge * 0.72) for at in (-0.52, 0.52))
    thin = max(0.8, height * 0.055)
    shine = steps("M", x - w * 0.45, y - h * 0.8, "q", -bulge * 0.6, h * 0.8, 0.0, 1.6 * h)
    return (
        element("path", d=body, fill=fill, stroke=INK, stroke_width=thin, stroke_linejoin="round")
        + element("path", d=shine, fill="none", stroke="#ffffff", stroke_opacity=0.55, stroke_width=thin)
        + element("path", d=hoops, fill="none", stroke=INK, stroke_width=thin * 1.25)
    )


def barrels(good: str, x: float, y: float, height: float) -> str:
    """The barrels of a good side by side around a centre."""
    count = parse_good(good)[1]
    step = height * 0.84
    return "".join(barrel(x + (k - (count - 1) / 2) * step, y, height, good_fill(good)) for k in range(count))


def chip_width(good: str, count: int) -> float:
    """The width of a chip."""
    return 14 + parse_good(good)[1] * 11 + text_width(counted(good, count), 11, bold=True)


def chip(good: str, count: int, tip: str, left: float, y: float) -> str:
    """A good off the board: its barrels, its name, how many there are."""
    colour_width = parse_good(good)[1] * 11
    box = Box(left, y - 9.5, left + chip_width(good, count), y + 9.5)
    parts = [
        tooltip(tip),
        rect(box, 5, fill="#ffffff"),
        rect(box, 5, fill=good_fill(good), fill_opacity=0.28, stroke=INK, stroke_width=0.9),
        barrels(good, left + 5 + colour_width / 2, y, 13),
        text_line(left + 8 + colour_width, y, counted(good, count), 11, text_anchor="start", font_weight="bold"),
    ]
    return element("g", parts, class_="good", data_good=good, data_count=count)


def stall(seat: int, x: float, y: float, size: float) -> str:
    """A booth: a stall with a striped awning, and the seat's number below it."""
    fill, ink = SEAT_FILLS[seat % len(SEAT_FILLS)], SEAT_INKS[seat % len(SEAT_INKS)]
    w, h = size * 0.5, size * 0.46
    parts = [rect(Box(x - w * 0.84, y - h * 0.3, x + w * 0.84, y + h), 1, fill=fill, stroke="#1a1a1a", stroke_width=1)]
    stripe = 2 * w / 5
    for number in range(5):
        left = x - w + number * stripe
        hang = steps(
            "M", left, y - h, "h", stripe, "v", h * 0.62, "a", stripe / 2, stripe / 2, 0, 0, 1, -stripe, 0, "z"
        )
        colour = "#ffffff" if number % 2 else fill
        parts.append(element("path", d=hang, fill=colour, stroke="#1a1a1a", stroke_width=0.7))
    parts.append(text_line(x, y + h * 0.5, str(seat), size * 0.44, fill=ink, font_weight="bold"))
    return "".join(parts)


def coin(x: float, y: float, radius: float) -> str:
    """A taler."""
    rim = element("circle", cx=x, cy=y, r=radius, fill=GOLD, stroke="#6a4b00", stroke_width=1.2)
    return rim + element("circle", cx=x, cy=y, r=radius * 0.62, fill="none", stroke="#6a4b00", stroke_width=0.8)


def cog(x: float, y: float, scale: float) -> str:
    """The ship: hull with castles, mast, a bellied sail, a pennant."""
    hull = (
        "M-27 6l3 -9h9v8h28v-10h11l3 2q-2 12 -8 17q-3 5 -10 5h-22q-8 0 -11 -6z",
        "M-23 12q22 5 45 -1",
    )
    sail = "M-17 -25q17 6 36 0q5 12 0 24q-19 -5 -36 0q4 -12 0 -24z"
    stripes = "M-7 -22.6q3 11 0 20.6M8 -22.6q3 11 0 20.6"
    parts = [
        element("path", d="M-31 18q6 -5 12 0t12 0t12 0t12 0t12 0", fill="none", stroke="#ffffff", stroke_width=2.4),
        element("path", d="M0 6v-37", stroke=INK, stroke_width=2.6),
        element("path", d="M0 -31h14l-4 3.5l4 3.5h-14z", fill="#c9362f", stroke=INK, stroke_width=0.8),
        element("path", d=hull[0], fill="#8a5a30", stroke=INK, stroke_width=1.5, stroke_linejoin="round"),
        element("path", d=hull[1], fill="none", stroke="#5d3a1c", stroke_width=1.3),
        element("path", d=sail, fill="#fffaf0", stroke=INK, stroke_width=1.4, stroke_linejoin="round"),
        element("path", d=stripes, fill="none", stroke="#c9362f", stroke_width=4),
    ]
    return element("g", parts, transform=f"translate({decimal(x)} {decimal(y)}) scale({scale:.2f})")


def lane_head(tip: Point, before: Point, size: float, fill: str) -> str:
    """The head of an arrow that comes from `before`."""
    angle = math.atan2(tip[1] - before[1], tip[0] - before[0])
    corners = [tip]
    for turn in (math.pi - 0.46, math.pi, math.pi + 0.46):
        reach = size * (0.72 if turn == math.pi else 1.0)
        corners.append((tip[0] + reach * math.cos(angle + turn), tip[1] + reach * math.sin(angle + turn)))
    shape = "M" + "L".join(steps(*corner) for corner in corners) + "z"
    return element("path", d=shape, fill=fill, stroke=PAPER, stroke_width=1, stroke_linejoin="round")


# --- sea and land --------------------------------------------------------------------------------------------------


def _coast(centre: Point, across: float, down: float, phase: float) -> str:
    """An irregular closed shore around a centre."""
    points = []
    for k in range(22):
        angle = 2 * math.pi * k / 22
        bumps = 1 + 0.09 * math.sin(3 * angle + phase) + 0.06 * math.sin(7 * angle + 2.3 * phase)
        points.append((centre[0] + across * bumps * math.cos(angle), centre[1] + down * bumps * math.sin(angle)))
    return curve([*points, points[0]]) + "z"


def _shores(layout: Layout) -> str:
    """The land: under each city, out to the edge of the chart where that is near."""
    paths = []
    for number, box in enumerate(layout.cities.values()):
        (x, y), width, height = _centre(box), box.right - box.left, box.bottom - box.top
        phase = 1.7 * number
        paths.append(_coast((x, y), width * 0.66, height * 0.74, phase))
        edges = [
            (box.left, (0.0, y), width * 0.62, height * 0.95),
            (CANVAS - box.right, (CANVAS, y), width * 0.62, height * 0.95),
            (box.top, (x, 0.0), width * 1.0, height * 0.62),
            (layout.height - box.bottom, (x, layout.height), width * 1.0, height * 0.62),
        ]
        paths += [_coast(centre, across, down, phase + 1) for gap, centre, across, down in edges if gap < 0.7 * height]
    return "".join(paths)


def _ground(layout: Layout) -> list[str]:
    """Sea with rhumb lines, and land with channels along the lanes."""
    frame = Box(0, 0, CANVAS, layout.height)
    x, y, _ = layout.compass
    rays = "".join(
        steps("M", x, y, "L", x + 2000 * math.cos(math.pi * k / 8), y + 2000 * math.sin(math.pi * k / 8))
        for k in range(16)
    )
    parts = [
        rect(frame, 10, fill=SEA),
        rect(frame, 10, fill="url(#waves)", opacity=0.55),
        element("path", d=rays, stroke="#7fa9b8", stroke_width=0.8, stroke_opacity=0.6),
    ]
    land, lanes = _shores(layout), "".join(curve(lane[::4] + lane[-1:]) for lane in layout.lanes)
    for name, grow, fill in (
        ("shoal", 26.0, "#bcd8e2"),
        ("shallows", 13.0, SEA_DEEP),
        ("coast", 4.0, "#8a7450"),
        ("land", 0.0, LAND),
    ):
        mask = element("path", d=land, fill="#ffffff", stroke="#ffffff", stroke_width=grow)
        round_line = {"fill": "none", "stroke_linecap": "round", "stroke": "#000000"}
        mask += element("path", d=lanes, stroke_width=CHANNEL * layout.scale - grow, **round_line)
        parts.append(element("mask", mask, id=name) + rect(frame, 10, fill=fill, mask=f"url(#{name})"))
    return parts


def _border(layout: Layout) -> list[str]:
    """The scale around the chart."""
    parts = []
    inner = Box(BORDER, BORDER, CANVAS - BORDER, layout.height - BORDER)
    middle = _grown(inner, BORDER / 2)
    parts.append(rect(middle, 6, fill="none", stroke=PAPER, stroke_width=BORDER))
    parts.append(rect(middle, 6, fill="none", stroke="#5d4a2a", stroke_width=BORDER * 0.42, stroke_dasharray="30 30"))
    parts.append(rect(inner, 3, fill="none", stroke="#5d4a2a", stroke_width=1.6))
    parts.append(rect(Box(1, 1, CANVAS - 1, layout.height - 1), 10, fill="none", stroke="#5d4a2a", stroke_width=2.4))
    return parts


def _compass(layout: Layout) -> str:
    """A compass rose in the open sea."""
    x, y, radius = layout.compass
    if radius < 24:
        return ""
    parts = [
        element(
            "circle", cx=x, cy=y, r=radius * 0.8, fill=PAPER, fill_opacity=0.75, stroke="#5d4a2a", stroke_width=1.4
        ),
        element("circle", cx=x, cy=y, r=radius * 0.68, fill="none", stroke="#5d4a2a", stroke_width=0.8),
    ]
    for k, reach in [(k, 0.5) for k in (1, 3, 5, 7)] + [(k, 0.8) for k in (0, 2, 4, 6)]:
        angle = math.pi * k / 4
        tip = (x + radius * reach * math.sin(angle), y - radius * reach * math.cos(angle))
        for side, fill in ((-1, PAPER), (1, "#7d2a24" if k % 2 == 0 else "#5d4a2a")):
            waist = angle + side * math.pi / 4
            corner = (x + radius * 0.17 * math.sin(waist), y - radius * 0.17 * math.cos(waist))
            shape = steps("M", x, y, "L", *corner, "L", *tip, "z")
            parts.append(element("path", d=shape, fill=fill, stroke="#5d4a2a", stroke_width=0.8))
    parts.append(
        text_line(x, y - radius * 0.9, "N", radius * 0.22, font_weight="bold", font_family=SERIF, fill="#5d4a2a")
    )
    return element("g", parts, class_="compass")


def _lane_arrow(route: Sequence[str], lane: Sequence[Point], scale: float, open_now: bool) -> str:
    """An arrow along which the ship sails; `open_now` if it may do so at once."""
    colour, width = (OPEN_LANE, 4.2) if open_now else (LANE, 3.0)
    tip, size = lane[-1], 17.0 * scale
    shaft = [point for point in lane if math.dist(point, tip) > size * 0.6] or [lane[0]]
    middle = len(lane) // 2
    path = curve([*shaft[::4], shaft[-1]])
    line = element("path", d=path, fill="none", stroke=PAPER, stroke_width=(width + 2.4) * scale, stroke_opacity=0.7)
    line += element("path", d=path, fill="none", stroke=colour, stroke_width=width * scale, stroke_dasharray="11 5")
    line += lane_head(lane[middle], lane[middle - 1], size * 0.8, colour)
    line += lane_head(tip, lane[-2], size, colour)
    tip_text = f"{route[0]} to {route[1]}" + (": open now, for a taler" if open_now else "")
    content = tooltip(tip_text) + line
    return element(
        "g", content, class_="lane", data_from=route[0], data_to=route[1], data_open="yes" if open_now else "no"
    )


# --- a city --------------------------------------------------------------------------------------------------------


def _warehouse(good: str | None, number: int, x: float, y: float, scale: float) -> str:
    """A warehouse with the good in it; when empty, its number: they are filled in this order."""
    box = box_at(x, y, (SLOT[0] - 4) * scale, (SLOT[1] - 3) * scale)
    if good is None:
        slot = rect(box, 4, fill="#efe6d2", stroke="#9a8f7c", stroke_width=1, stroke_dasharray="4 3")
        slot += text_line(x, y, str(number), 15 * scale, fill="#b3a78f", font_family=SERIF)
        return element("g", tooltip(f"Empty warehouse, filled as number {number}") + slot, class_="warehouse")
    slot = rect(box, 4, fill="#ffffff") + rect(
        box, 4, fill=good_fill(good), fill_opacity=0.25, stroke=INK, stroke_width=1.1
    )
    many = min(1.0, 3.4 / parse_good(good)[1])
    slot += barrels(good, x, y - 6.5 * scale, 22 * scale * many)
    size = min(11.5, 11.5 * (SLOT[0] - 10) / text_width(good, 11.5, bold=True))
    slot += text_line(x, y + 13.5 * scale, good, size * scale, font_weight="bold")
    return element("g", tooltip(f"Good: {good}") + slot, class_="warehouse", data_good=good)


def _booths(seat: int, count: int, is_most: bool, left: float, y: float, scale: float) -> str:
    """The booths of a seat in a city; a crown for the majority."""
    s = scale
    parts = [tooltip(f"{plural(count, 'booth')} of seat {seat}" + (", the most here" if is_most else ""))]
    if is_most:
        box = Box(left, y - 12.5 * s, left + (BOOTH - 1) * s, y + 12.5 * s)
        parts.append(rect(box, 5, fill=GOLD, fill_opacity=0.75, stroke="#6a4b00", stroke_width=1.2))
    parts.append(stall(seat, left + 11.5 * s, y, 20 * s))
    parts.append(
        text_line(
            left + 28 * s, y + (4 * s if is_most else 0), str(count), (13 if count < 10 else 11) * s, font_weight="bold"
        )
    )
    if is_most:
        parts.append(icon("privilege", left + 28 * s, y - 6.5 * s, 9.5 * s, "#7d2a24"))
    attributes: dict[str, object] = {"data_majority": "yes"} if is_most else {}
    return element("g", parts, class_="booths", data_seat=seat, data_booths=count, **attributes)


def _city(board: Data, state: Data | None, city: Data, layout: Layout) -> str:
    """A city: its name, its warehouses, its booths."""
    name, scale, box = city["name"], layout.scale, layout.cities[city["name"]]
    x = (box.left + box.right) / 2
    here = state is not None and state["ship"] == name
    banner = Box(box.left, box.top, box.right, box.top + NAME_HEIGHT * scale)
    round_top = steps(
        "M", banner.left, banner.bottom, "v", -NAME_HEIGHT * scale + 8, "q", 0, -8, 8, -8,
        "h", box.right - box.left - 16, "q", 8, 0, 8, 8, "v", NAME_HEIGHT * scale - 8, "z",
    )  # fmt: skip
    parts = [
        rect(Box(box.left + 3, box.top + 4, box.right + 3, box.bottom + 4), 8, fill="#1a1a1a", fill_opacity=0.25),
        rect(box, 8, fill=PAPER),
        element("path", d=round_top, fill="#7d2a24"),
        rect(box, 8, fill="none", stroke=GOLD if here else INK, stroke_width=4 if here else 1.6),
        text_line(
            x, (banner.top + banner.bottom) / 2, name, 15 * scale, fill="#fff6e0", font_weight="bold", font_family=SERIF
        ),
    ]
    goods = goods_in(state, city)
    y = banner.bottom + (SLOT[1] / 2 + 2) * scale
    for number, (good, space) in enumerate(zip(goods, city["warehouses"], strict=True)):
        slot_x = x + (number - (len(goods) - 1) / 2) * SLOT[0] * scale
        parts.append(_warehouse(good, space, slot_x, y, scale))
    y = box.bottom - (BOOTHS_HEIGHT / 2 + 1) * scale
    booths = [(seat, count) for seat, count in enumerate(booths_in(state, name)) if count]
    most = majority(booths_in(state, name))
    for number, (seat, count) in enumerate(booths):
        left = x + (number - len(booths) / 2) * BOOTH * scale
        parts.append(_booths(seat, count, seat == most, left, y, scale))
    if state is not None and not booths:
        parts.append(text_line(x, y, "no booths", 10.5 * scale, fill="#9a8f7c"))
    tip = tooltip(f"{name}: sails to {', '.join(ports_from(board, name)) or 'nowhere'}")
    return element("g", [tip, *parts], class_="city", data_city=name)


@lru_cache(maxsize=16)
def _background(board_json: str) -> str:
    """Everything that is the same in all positions, except the arrows."""
    layout = find_layout(board_json)
    return "".join([element("g", _ground(layout), clip_path="url(#map)"), *_border(layout), _compass(layout)])


def draw_chart(board: Data, state: Data | None) -> tuple[list[str], float]:
    """The whole chart, with the origin in its top left corner; also its height."""
    board_json = json.dumps(board, sort_keys=True)
    layout = find_layout(board_json)
    ship = board["start"] if state is None else state["ship"]
    parts = [_background(board_json)]
    lanes: Iterable[tuple[Sequence[str], Sequence[Point]]] = zip(board["routes"], layout.lanes, strict=True)
    arrows = [(can_sail(state) and route[0] == ship, route, lane) for route, lane in lanes]
    parts += [_lane_arrow(route, lane, layout.scale, open_now) for open_now, route, lane in sorted(arrows)]
    parts += [_city(board, state, city, layout) for city in board["cities"]]
    place: dict[str, object] = {"data_start": ship} if state is None else {"data_ship": ship}
    drawn = cog(*layout.moorings[ship], layout.scale)
    parts.append(element("g", tooltip(f"The ship: {ship}") + drawn, class_="ship", **place))
    return parts, layout.height
