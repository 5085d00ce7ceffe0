"""Small pieces of SVG: tags, text, pills, pieces and icons, and the colours all drawings share."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape

from hansa_fast._draw_facts import parse_piece
from hansa_fast._draw_layout import Box, Point, box_at

INK = "#2b2118"
PAPER = "#fbf6ea"
PARCHMENT = "#f1e7cf"
LAND = "#efe4c6"
SEA = "#cfe3ea"
SEA_DEEP = "#a9cbd8"
ROAD = "#b59a6b"
GOLD = "#e3b23c"

# Okabe and Ito's colours stay apart for colour-blind people; each piece shows its seat's number as well.
SEAT_FILLS = ("#0072b2", "#e8702a", "#00a87a", "#f0e442", "#cc79a7")
SEAT_INKS = ("#ffffff", "#1a1a1a", "#1a1a1a", "#1a1a1a", "#1a1a1a")

PRIVILEGE_FILLS = {"white": "#ffffff", "orange": "#f39c34", "pink": "#f0a3c4", "black": "#2d2a28"}
PRIVILEGE_INKS = {"white": "#8b8378", "orange": "#6b3d05", "pink": "#7c2a51", "black": "#c9c3bb"}

BANNER_FILLS = {
    "plain": "#fffaf0",
    "yellow": "#f6d75e",
    "red": "#c0392b",
    "green": "#4c9a52",
    "brown": "#a9744f",
    "blue": "#7fa8dc",
}
BANNER_INKS = {"red": "#ffffff", "green": "#ffffff", "brown": "#ffffff"}

REGION_FILLS = {"wales": "#b98a5e", "scotland": "#6f8fd0"}

# Characters that no XML document may have, not even escaped.
FORBIDDEN = re.compile(r"[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

# Drawn in a square of 16 units.
ABILITY_ICONS = {
    "keys": "M4.5 4.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 3.3-2.4H11v2.4h2V9.1h1.5V6.9H7.8A3.5 3.5 0 0 0 4.5 4.5z"
    "M4.5 6.9a1.1 1.1 0 1 1 0 2.2 1.1 1.1 0 0 1 0-2.2z",
    "actions": "M3 1h10v2.2L9.3 8l3.7 4.8V15H3v-2.2L6.7 8 3 3.2z",
    "privilege": "M1 4l3.6 3.6L8 2l3.4 5.6L15 4l-1.6 9.5H2.6z",
    "book": "M7.5 3.8C5.5 2.5 3.5 2.3 1 3v9.8c2.5-.7 4.5-.5 6.5.8z"
    "M8.5 3.8c2-1.3 4-1.5 6.5-.8v9.8c-2.5-.7-4.5-.5-6.5.8z",
    "bank": "M5.2 1.5h5.6L9.6 4.6c2.9 1.3 4.6 4 4.6 6.4 0 2.6-2 3.7-6.2 3.7S1.8 13.6 1.8 11c0-2.4 1.7-5.1 4.6-6.4z",
}


def xml_text(text: str) -> str:
    """Text that may stand in XML: escaped, without the characters XML forbids."""
    return escape(FORBIDDEN.sub("\ufffd", text), {'"': "&quot;"})


def decimal(value: float) -> str:
    """A short decimal."""
    return f"{value:.1f}".removesuffix(".0")


def steps(*steps: str | float) -> str:
    """The commands of a path: letters and numbers as they come."""
    return " ".join(step if isinstance(step, str) else decimal(step) for step in steps)


def attribute_list(values: Mapping[str, object]) -> str:
    """Attributes as written in a tag; underscores stand for hyphens."""
    parts = []
    for name, value in values.items():
        text = decimal(value) if isinstance(value, float) else xml_text(str(value))
        parts.append(f' {name.rstrip("_").replace("_", "-")}="{text}"')
    return "".join(parts)


def element(name: str, content: str | Iterable[str] | None = None, **attributes: object) -> str:
    """An element; its content is markup, not text."""
    if content is None:
        return f"<{name}{attribute_list(attributes)}/>"
    inner = content if isinstance(content, str) else "".join(content)
    return f"<{name}{attribute_list(attributes)}>{inner}</{name}>"


def tooltip(text: str) -> str:
    """The tooltip of the surrounding group."""
    return element("title", xml_text(text))


def text_line(x: float, y: float, text: str, size: float, **attributes: object) -> str:
    """A line of text; `y` is its middle, the anchor is in the middle too unless told otherwise."""
    values = {"text_anchor": "middle", "fill": INK, **attributes}
    return element("text", xml_text(text), x=x, y=y + size * 0.35, font_size=size, **values)


def rect(box: Box, radius: float, **attributes: Any) -> str:
    """A rectangle with rounded corners."""
    width, height = box.right - box.left, box.bottom - box.top
    return element("rect", x=box.left, y=box.top, width=width, height=height, rx=radius, **attributes)


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """About how wide a line of sans-serif text is; rather too much than too little."""
    narrow = sum(ch in "iljtfrI.,:;'|!()[] -" for ch in text)
    wide = sum(ch in "mwMWGOQ%@" for ch in text)
    return size * (0.6 * len(text) - 0.2 * narrow + 0.25 * wide) * (1.14 if bold else 1.0)


def curve(line: Sequence[Point]) -> str:
    """A smooth path through all points of a line."""
    path = [steps("M", *line[0])]
    for number in range(len(line) - 1):
        before, start = line[max(0, number - 1)], line[number]
        end, after = line[number + 1], line[min(len(line) - 1, number + 2)]
        handles = (
            start[0] + (end[0] - before[0]) / 6,
            start[1] + (end[1] - before[1]) / 6,
            end[0] - (after[0] - start[0]) / 6,
            end[1] - (after[1] - start[1]) / 6,
            *end,
        )
        path.append(steps("C", *handles))
    return "".join(path)


def icon(ability: str, x: float, y: float, size: float, fill: str) -> str:
    """The icon of an ability around a centre."""
    scale = size / 16
    place = f"translate({decimal(x - size / 2)} {decimal(y - size / 2)}) scale({scale:.3f})"
    return element("path", d=ABILITY_ICONS[ability], transform=place, fill=fill, fill_rule="evenodd")


def token(shape: str, seat: int, x: float, y: float, size: float) -> str:
    """A piece without any claim about where it is: cube for a trader, disc for a merchant, with the seat's number."""
    fill, ink = SEAT_FILLS[seat % len(SEAT_FILLS)], SEAT_INKS[seat % len(SEAT_INKS)]
    style: dict[str, Any] = {"fill": fill, "stroke": "#1a1a1a", "stroke_width": size * 0.07}
    if shape == "merchant":
        body = element("circle", cx=x, cy=y, r=size / 2, **style)
    else:
        body = rect(box_at(x, y, size * 0.92, size * 0.92), size * 0.18, **style)
    return body + text_line(x, y, str(seat), size * 0.66, fill=ink, font_weight="bold")


def placed_piece(piece: str, place: str, x: float, y: float, size: float) -> str:
    """A piece that stands somewhere in the game."""
    shape, seat = parse_piece(piece)
    return element("g", tooltip(f"{piece}: {place}") + token(shape, seat, x, y, size), class_="piece", data_piece=piece)


def pill(x: float, y: float, text: str, size: float, *, fill: str, ink: str = INK, **attributes: object) -> str:
    """A pill with text around a centre."""
    box = box_at(x, y, pill_width(text, size), size * 1.6)
    frame: dict[str, Any] = {"fill": fill, "stroke": INK, "stroke_width": 1, **attributes}
    return rect(box, size * 0.45, **frame) + text_line(x, y, text, size, fill=ink, font_weight="bold")


def pill_width(text: str, size: float) -> float:
    """The width of a pill."""
    return text_width(text, size, bold=True) + size * 0.9


def seat_badge(seat: int, x: float, y: float, size: float) -> str:
    """A seat's number in its colour, as a lozenge (so that it is no piece)."""
    fill, ink = SEAT_FILLS[seat % len(SEAT_FILLS)], SEAT_INKS[seat % len(SEAT_INKS)]
    h = size * 0.62
    shape = steps("M", x, y - h, "l", h, h, "l", -h, h, "l", -h, -h, "z")
    body = element("path", d=shape, fill=fill, stroke="#1a1a1a", stroke_width=1.2)
    return element("g", body + text_line(x, y, str(seat), size * 0.62, fill=ink, font_weight="bold"), data_seat=seat)
