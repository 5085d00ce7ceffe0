"""Charts of a report as SVG, with nothing from outside.

Lengths across are in per cent, so that a chart is as wide as there is room and its text stays as large as it is.
Colours are those of Okabe and Ito, darker on light ground and lighter on dark ground. Nothing is told by colour alone:
every line has its name at its end, and every whisker its number beside it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from hansa_server.tournament.report_text import plus_minus, printable, rating, signed

Plain = dict[str, Any]

STYLES = 8  # of lines that are told apart; further ones are grey
_COLOURS = 6  # the others are dashed
_FAR = 0.06  # of the range, as a margin

LIGHT = """--ground:#fff;--ink:#1c1f24;--soft:#555c66;--line:#d5d9df;--faint:#b3b9c2;
--c0:#0068a5;--c1:#c24e00;--c2:#007a59;--c3:#a8447f;--c4:#8a6100;--c5:#3f444d;"""
DARK = """--ground:#14171c;--ink:#e8eaee;--soft:#a9b0bb;--line:#343a44;--faint:#5b6370;
--c0:#5cb6f0;--c1:#ff9552;--c2:#35cfa0;--c3:#ee9fcd;--c4:#efc350;--c5:#cfd4dc;"""
SHAPES = (
    ".chart{display:block;width:100%;font:12px/1.2 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;"
    "font-variant-numeric:tabular-nums}"
    ".chart text{fill:var(--ink)}.chart .soft{fill:var(--soft)}.chart .grid{stroke:var(--line)}"
    ".chart .whisker{stroke:var(--c0);stroke-width:2}.chart .open{stroke-dasharray:3 4}"
    ".chart .dot{fill:var(--c0);stroke:var(--ground);stroke-width:1.5}.chart .few{fill:var(--ground);stroke:var(--c0);"
    "stroke-width:2}"
    ".chart .curve{fill:none;stroke-width:2;stroke-linejoin:round}.chart .rest{stroke:var(--faint);stroke-width:1}"
    ".chart .lead{stroke-width:1}"
    + "".join(f".chart .s{k}{{stroke:var(--c{k % _COLOURS})}}" for k in range(STYLES))
    + "".join(f".chart .curve.s{k}{{stroke-dasharray:7 4}}" for k in range(_COLOURS, STYLES))
)


@dataclass(frozen=True)
class Whisker:
    """A line of a chart of intervals. Without an error the interval has no end."""

    label: str
    value: float
    error: float | None
    told: str  # the value in words
    provisional: bool = False


def standings(key: str, lines: Sequence[Plain]) -> str:
    """Ratings with their intervals."""
    whiskers = [
        Whisker(
            line["bot"],
            line["rating"],
            line["error"],
            f"{rating(line['rating'])} {plus_minus(line['error'])}",
            line["provisional"],
        )
        for line in lines
    ]
    return intervals(key, "Ratings with 95 % intervals", whiskers)


def seats(key: str, lines: Sequence[Plain]) -> str:
    """What seats are worth, with their intervals."""
    whiskers = [
        Whisker(
            f"seat {line['seat']}", line["elo"], line["error"], f"{signed(line['elo'])} {plus_minus(line['error'])}"
        )
        for line in lines
    ]
    return intervals(key, "What each seat is worth in Elo, with 95 % intervals", whiskers, always=(0.0,))


def intervals(key: str, title: str, whiskers: Sequence[Whisker], always: Sequence[float] = ()) -> str:
    """A dot and a whisker for each line. `always` is within the scale in any case."""
    row = 26 if len(whiskers) <= 40 else 18
    top = 22
    ends = [w.value + sign * (w.error or 0.0) for w in whiskers for sign in (-1, 1)]
    scale = _Scale.of([*ends, *always], first=30.0, last=79.0)
    bottom = top + row * len(whiskers)
    parts = []
    for tick in scale.ticks(5):
        x = scale.at(tick)
        parts.append(f'<line class="grid" x1="{x}" x2="{x}" y1="{top - 4}" y2="{bottom}"/>')
        parts.append(f'<text class="soft" x="{x}" y="12" text-anchor="middle">{tick:g}</text>')
    for k, w in enumerate(whiskers):
        y = top + row * k + row // 2
        low, high = (
            (scale.first, scale.last) if w.error is None else (scale.at(w.value - w.error), scale.at(w.value + w.error))
        )
        edge = ' class="whisker open"' if w.error is None else ' class="whisker"'
        parts.append(f"<g><title>{_text(w.label)}: {_text(w.told)}</title>")
        parts.append(_clipped(0, 28, y, w.label))
        parts.append(f'<line{edge} x1="{low}" x2="{high}" y1="{y}" y2="{y}"/>')
        if w.error is not None:
            parts += [f'<line class="whisker" x1="{x}" x2="{x}" y1="{y - 4}" y2="{y + 4}"/>' for x in (low, high)]
        dot = "dot few" if w.provisional else "dot"
        parts.append(f'<circle class="{dot}" cx="{scale.at(w.value)}" cy="{y}" r="5"/>')
        parts.append(f'<text x="100%" y="{y + 4}" text-anchor="end">{_text(w.told)}</text></g>')
    told = "; ".join(f"{w.label} {w.told}" for w in whiskers)
    return _chart(key, title, told, bottom + 4, parts)


def curves(key: str, ladder: Plain) -> str:
    """Ladder Elo by the number of the game, a line for each bot; the best are in colour and have their names."""
    games, ratings = ladder["curves"]["games"], ladder["curves"]["ratings"]
    ranked = [rung["bot"] for rung in ladder["rungs"]]
    values = [value for curve in ratings.values() for value in curve if value is not None]
    height, top, bottom = 340, 12, 300
    scale = _Scale.of([*values, 1500.0], first=float(bottom), last=float(top))
    parts = []
    for tick in scale.ticks(6):
        y = scale.number(tick)
        parts.append(f'<line class="grid" x1="10%" x2="76%" y1="{y}" y2="{y}"/>')
        parts.append(f'<text class="soft" x="9%" y="{y + 4:g}" text-anchor="end">{tick:g}</text>')
    last = max(games[-1], 2)
    for game in sorted({1, *(tick for tick in _Scale(1, last, 0, 1).ticks(4) if tick < 0.9 * last), last}):
        x = f"{10 + 66 * (game - 1) / (last - 1):.2f}%"
        if game == 1 or (game - 1) / (last - 1) > 0.12:
            parts.append(f'<text class="soft" x="{x}" y="{bottom + 18}" text-anchor="middle">{game:g}</text>')
    parts.append(f'<text class="soft" x="43%" y="{bottom + 36}" text-anchor="middle">game</text>')
    # Lines stretch with the page, and their width does not.
    parts.append(
        f'<svg x="10%" y="0" width="66%" height="{height}" viewBox="0 0 1000 {height}" preserveAspectRatio="none" '
        'overflow="visible">'
    )
    for place, bot in reversed(list(enumerate(ranked))):  # the best on top
        points = [
            f"{1000 * (game - 1) / (last - 1):.1f},{scale.number(value)}"
            for game, value in zip(games, ratings[bot], strict=True)
            if value is not None
        ]
        points = points * 2 if len(points) == 1 else points  # a single game is a point
        style = f"curve s{place}" if place < STYLES else "curve rest"
        parts.append(
            f'<polyline class="{style}" vector-effect="non-scaling-stroke" stroke-linecap="round" '
            f'points="{" ".join(points)}"><title>{_text(bot)}</title></polyline>'
        )
    parts.append("</svg>")
    named = sorted(ranked[:STYLES], key=lambda bot: -_end(ratings[bot]))
    ends = [scale.number(_end(ratings[bot])) for bot in named]
    for bot, end, y in zip(named, ends, spread(ends, gap=15.0, low=float(top), high=float(bottom)), strict=True):
        parts.append(f'<line class="lead s{ranked.index(bot)}" x1="76%" x2="79%" y1="{end}" y2="{y:g}"/>')
        parts.append(_clipped(79.6, 20.4, y, bot))
    rungs = "; ".join(f"{rung['bot']} {rating(rung['rating'])}" for rung in ladder["rungs"])
    return _chart(key, "Ladder Elo by game", f"At the end: {rungs}", height, parts)


def spread(wanted: Sequence[float], *, gap: float, low: float, high: float) -> list[float]:
    """Heights of labels in this order, close to those wanted, at least a gap apart."""
    if len(wanted) > 1:
        gap = min(gap, (high - low) / (len(wanted) - 1))
    found: list[float] = []
    for height in wanted:
        found.append(max(height, low if not found else found[-1] + gap))
    ceiling = high
    for k in range(len(found) - 1, -1, -1):
        found[k] = min(found[k], ceiling)
        ceiling = found[k] - gap
    return [round(height, 1) for height in found]


def standalone(chart: str) -> str:
    """A chart as a file of its own."""
    style = f"svg{{{LIGHT}background:var(--ground)}}@media(prefers-color-scheme:dark){{svg{{{DARK}}}}}{SHAPES}"
    head, _, rest = chart.partition(">")
    return f'{head} xmlns="http://www.w3.org/2000/svg" width="720">\n<style>{style}</style>{rest}\n'


@dataclass(frozen=True)
class _Scale:
    """From values to places on the page."""

    low: float
    high: float
    start: float
    end: float

    @classmethod
    def of(cls, values: Sequence[float], first: float, last: float) -> _Scale:
        low, high = min(values), max(values)
        room = _FAR * (high - low) or 10.0
        return cls(low - room, high + room, first, last)

    def number(self, value: float) -> float:
        """Where a value is; what is outside is at the border."""
        share = min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))
        return round(self.start + share * (self.end - self.start), 2)

    def at(self, value: float) -> str:
        return f"{self.number(value):g}%"

    @property
    def first(self) -> str:
        return f"{self.start:g}%"

    @property
    def last(self) -> str:
        return f"{self.end:g}%"

    def ticks(self, about: int) -> list[float]:
        """Round numbers within the range."""
        rough = (self.high - self.low) / about
        power = 10 ** math.floor(math.log10(rough))
        step = next(power * k for k in (1, 2, 5, 10) if power * k >= rough)
        first = math.ceil(self.low / step)
        return [round(step * k, 6) + 0.0 for k in range(first, math.floor(self.high / step) + 1)]


def _end(curve: Sequence[float | None]) -> float:
    return next((value for value in reversed(curve) if value is not None), 0.0)


def _clipped(x: float, width: float, y: float, name: str) -> str:
    """A name in as much room as there is."""
    return (
        f'<svg x="{x:g}%" y="{y - 10:g}" width="{width:g}%" height="20"><text x="0" y="14">{_text(name)}</text></svg>'
    )


def _text(text: str) -> str:
    return escape(printable(text))


def _chart(key: str, title: str, told: str, height: int, parts: Sequence[str]) -> str:
    """A chart that can be read aloud."""
    return (
        f'<svg class="chart" role="img" aria-labelledby="{key}-title {key}-desc" height="{height}">'
        f'<title id="{key}-title">{_text(title)}</title><desc id="{key}-desc">{_text(told)}</desc>'
        + "".join(parts)
        + "</svg>"
    )
