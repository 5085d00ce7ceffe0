"""The page of every picture, 1200 units wide: a headline, a map, things set in lines, a desk for each player."""

from collections.abc import Callable, Iterable
from typing import Any

from hansa_fast._draw_layout import Box
from hansa_fast._draw_shapes import (
    PAPER,
    PARCHMENT,
    SEA_DEEP,
    SEAT_FILLS,
    decimal,
    element,
    pill,
    pill_width,
    rect,
    seat_badge,
    text_line,
    text_width,
    tooltip,
)

CANVAS = 1200.0  # the width of everything
MARGIN = 16.0
HEAD = 58.0  # height of the headline
GAP = 12.0  # between strip and desks, and among desks


class Flow:
    """Things set from left to right and wrapped into lines."""

    def __init__(self, left: float, right: float, top: float, line: float, indent: float = 0.0) -> None:
        """Start at the top left; wrapped lines begin `indent` further right."""
        self.left, self.right, self.line, self.indent = left, right, line, indent
        self.x, self.y = left, top + line / 2
        self.parts: list[str] = []

    def room(self, width: float) -> float:
        """The left end of a thing that wide, on this line or the next."""
        if self.x + width > self.right and self.x > self.left + self.indent:
            self.x, self.y = self.left + self.indent, self.y + self.line
        x = self.x
        self.x += width
        return x

    def text(self, text: str, size: float, *, space: float = 6.0, **attributes: object) -> None:
        """Add a text."""
        width = text_width(text, size, bold="font_weight" in attributes)
        self.parts.append(text_line(self.room(width + space), self.y, text, size, text_anchor="start", **attributes))

    def label(self, text: str, size: float, tip: str, **attributes: Any) -> None:
        """Add a pill."""
        width = pill_width(text, size)
        x = self.room(width + 5) + width / 2
        self.parts.append(element("g", tooltip(tip) + pill(x, self.y, text, size, **attributes)))

    def entry(self, draw: Callable[[float], str], text: str) -> None:
        """Add an entry of a legend: a sign, drawn around the given x, and what it means."""
        x = self.room(36 + text_width(text, 11.5))
        self.parts.append(draw(x + 9) + text_line(x + 22, self.y, text, 11.5, text_anchor="start"))

    def next_line(self) -> None:
        """Start a new line."""
        self.x, self.y = self.left, self.y + self.line

    @property
    def bottom(self) -> float:
        """Where the last line ends."""
        return self.y + self.line / 2


def headline(title: str, flags: str = "", text: str = "", seat: int | None = None, *, room: float = 0.0) -> list[str]:
    """The title with remarks on the right; below it whose decision it is. `room` stays free at the right end."""
    serif = "Georgia, 'Times New Roman', serif"
    parts = [
        text_line(MARGIN, 21, title, 21, text_anchor="start", font_weight="bold", font_family=serif),
    ]
    if flags:
        parts.append(text_line(CANVAS - MARGIN, 21, flags, 13, text_anchor="end"))
    x = MARGIN
    if seat is not None and seat >= 0:
        parts.append(seat_badge(seat, x + 11, 44, 18))
        x += 28
    if text:
        size = min(15.0, 15.0 * (CANVAS - MARGIN - x - room) / text_width(text, 15.0, bold=True))
        parts.append(text_line(x, 44, text, size, text_anchor="start", font_weight="bold"))
    return parts


def desk_head(seat: int, name: str, amount: int, word: str, left: float, top: float, width: float) -> list[str]:
    """The uppermost line of a desk: who sits there, and what counts most."""
    number, right = str(amount), left + width
    number_left = right - 12 - text_width(number, 22, bold=True)
    room = number_left - 6 - text_width(word, 12) - left - 38
    size = min(16.0, 16.0 * room / max(1.0, text_width(name, 16, bold=True)))
    value: dict[str, Any] = {f"data_{word}": number}
    return [
        seat_badge(seat, left + 20, top + 20, 22),
        text_line(left + 38, top + 20, name, size, text_anchor="start", font_weight="bold"),
        text_line(right - 12, top + 20, number, 22, text_anchor="end", font_weight="bold", **value),
        text_line(number_left - 6, top + 22, word, 12, text_anchor="end"),
    ]


def draw_desks(
    count: int, deciding: int | None, top: float, draw: Callable[[int, float, float, float], tuple[list[str], float]]
) -> tuple[list[str], float]:
    """Frames in rows of up to four, filled by `draw(seat, left, top, width)`, which says where it ends; also where
    all end."""
    columns = count if count <= 4 else 3
    width = (CANVAS - 2 * MARGIN - (columns - 1) * GAP) / columns
    parts: list[str] = []
    for first in range(0, count, columns):
        row = range(first, min(count, first + columns))
        desks = [draw(seat, MARGIN + (seat - first) * (width + GAP), top, width) for seat in row]
        bottom = max(end for _, end in desks)
        for seat, (content, _) in zip(row, desks, strict=True):
            left = MARGIN + (seat - first) * (width + GAP)
            fill = SEAT_FILLS[seat % len(SEAT_FILLS)]
            frame = rect(
                Box(left, top, left + width, bottom),
                8,
                fill=PAPER,
                stroke=fill if seat == deciding else "#8a7450",
                stroke_width=4 if seat == deciding else 1.4,
            )
            stripe = rect(Box(left + 2, top + 2, left + width - 2, top + 37), 6, fill=fill, fill_opacity=0.22)
            parts.append(element("g", [frame, stripe, *content], class_="desk", data_desk=seat))
        top = bottom + GAP
    return parts, top


def page(title: str, parts: Iterable[str], height: float, map_height: float, width: int) -> str:
    """The whole picture, `width` pixels wide. The map may use the pattern `waves` and the clip path `map`."""
    waves = element(
        "pattern",
        element("path", d="M0 10q10 -7 20 0t20 0", fill="none", stroke=SEA_DEEP, stroke_width=1.3, opacity=0.7),
        id="waves",
        width=40,
        height=24,
        patternUnits="userSpaceOnUse",
    )
    content = [
        tooltip(title),
        element("defs", waves + element("clipPath", rect(Box(0, 0, CANVAS, map_height), 10), id="map")),
        rect(Box(0, 0, CANVAS, height), 0, fill=PARCHMENT),
        *parts,
    ]
    return (
        element(
            "svg",
            "\n".join(content),
            xmlns="http://www.w3.org/2000/svg",
            width=width,
            height=round(width * height / CANVAS),
            viewBox=f"0 0 {decimal(CANVAS)} {decimal(height)}",
            font_family="'DejaVu Sans', Verdana, 'Segoe UI', Arial, sans-serif",
            role="img",
        )
        + "\n"
    )
