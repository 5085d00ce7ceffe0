"""The report as tables, Markdown and a page: everything escaped, nothing from outside, the same bytes every time."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Mapping
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from hansa_fast import Rules
from hansa_fast.cli import output
from hansa_server.ratings import Table
from hansa_server.tournament import charts, report_text
from hansa_server.tournament.numbers import explain, numbers
from hansa_server.tournament.report import to_json, write_all
from hansa_server.tournament.report_html import html
from hansa_server.tournament.report_markdown import markdown
from tests.ratings.simulation import league
from tests.tournament.chronicles import STRENGTHS, chronicle_of, empty, simulated

ROOT = Path(__file__).parents[2]
NASTY = '<b>&"x'
CONTROL = "\x1b[31m\u202ered|*_`"
NAMES = {"anna": 0.8, NASTY: 0.4, CONTROL: 0.0, "<script>alert(1)</script>": -0.2, "emil": -0.6}
CHROMIUM = shutil.which("chromium")

VOID = {"meta", "wbr"}  # tags that have no end
SHAPES = {"line", "circle"}


def lost(number: int, table: Table) -> Mapping[int, str]:
    return {table.bots.index("emil"): "<i>timeout"} if number % 8 == 0 and "emil" in table.bots else {}


def two_pools(name: str = 'cup <of> & "names"') -> dict[str, Any]:
    rng = np.random.default_rng(6)
    pools = {Rules(players=3): league(rng, NAMES, 3, 40, grain=0.3), Rules(players=4): league(rng, NAMES, 4, 12)}
    return numbers(chronicle_of(pools, lost=lost, name=name))


def apart() -> dict[str, Any]:
    rng = np.random.default_rng(2)
    other = league(rng, {"x": 0.5, "y": 0.0, "z": -0.5}, 3, 10)
    tables = [Table(t.pool, f"x{t.block}", t.bots, t.ranks) for t in other]
    return numbers(chronicle_of({Rules(players=3): [*league(rng, {"a": 0.5, "b": 0.0, "c": -0.5}, 3, 10), *tables]}))


FOUND = two_pools()
EVENTS = {
    "two pools": FOUND,
    "nothing played": numbers(empty()),
    "one block": numbers(simulated(blocks=1)),
    "fallen apart": apart(),
    "not rated": numbers(
        chronicle_of(
            {Rules(players=3): [t for k, t in enumerate(league(np.random.default_rng(1), STRENGTHS, 3, 9)) if k % 3]}
        )
    ),
    "many bots": numbers(simulated(players=5, blocks=60, strengths={f"bot {k:02}": 0.0 for k in range(45)})),
}


class Reader(HTMLParser):
    """Reads a page and keeps a book of open tags."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in SHAPES
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open.pop() == tag, f"</{tag}> after {self.open}"

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text.append(data)


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    return reader


@pytest.mark.parametrize("found", EVENTS.values(), ids=EVENTS)
def test_page_is_well_formed_and_whole(found: dict[str, Any]) -> None:
    page = html(found)
    reader = read(page)
    assert not {"script", "link", "img", "iframe", "object"} & {tag for tag, _ in reader.tags}
    assert not re.search(r"https?:|//|url\(|@import", page)
    ids = [attrs["id"] for _, attrs in reader.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    targets = [str(attrs["href"]) for tag, attrs in reader.tags if tag == "a"]
    assert targets and all(target[0] == "#" and target[1:] in ids for target in targets)
    assert not [key for _, attrs in reader.tags for key in attrs if key.startswith("on")]
    tables = [k for k, (tag, _) in enumerate(reader.tags) if tag == "table"]
    assert all(reader.tags[k + 1][0] == "caption" for k in tables)
    pictures = re.findall(r'<svg class="chart".*?</svg>(?=\n|$)', page, re.DOTALL)
    assert len(pictures) == page.count('class="chart"')
    for picture in pictures:
        root = ElementTree.fromstring(picture)
        assert [child.tag for child in root[:2]] == ["title", "desc"] and all(child.text for child in root[:2])
        labels = str(root.get("aria-labelledby")).split()
        assert labels == [root[0].get("id"), root[1].get("id")]


def test_page_shows_every_part() -> None:
    text = " ".join(read(html(FOUND)).text)
    for title in ("Over all pools", "Standings", "Crosstable", "Likelihood of superiority", "Ladder Elo", "Seats"):
        assert title in text
    for title in ("Forfeits", "Seat-balance certificate", "How to verify", "Line-up", "Outcome of the format"):
        assert title in text
    for value in FOUND["seed"].values():
        assert value in text
    line = FOUND["pools"][0]["standings"][0]
    assert f"{line['rating']:.0f} ± {line['error']:.0f}" in text
    assert "provisional" in text  # the second pool has few blocks


def test_names_are_text_everywhere() -> None:
    page, text = html(FOUND), markdown(FOUND)
    assert "<b>" not in page and "<i>" not in page and "<script" not in page
    assert "&lt;b&gt;&amp;&quot;x" in page and NASTY in "".join(read(page).text)
    assert not re.search(r"<[a-z]", text) and "&lt;b&gt;&amp;" in text
    for shown in (page, text):
        assert "\x1b" not in shown and "\u202e" not in shown
    assert r"red\|\*\_\`" in text
    for line in text.splitlines():  # every row has as many cells as its table
        if line.startswith("|"):
            assert line.endswith("|")


def test_markdown_tables_are_rectangular() -> None:
    for found in EVENTS.values():
        width = None
        for line in markdown(found).splitlines():
            cells = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else None
            assert width is None or cells is None or cells == width, line
            width = cells


def test_tables_fit_the_terminal() -> None:
    for found in EVENTS.values():
        sheets = [report_text.facts(found), report_text.seed(found), report_text.line_up(found)]
        sheets += [sheet for pool in found["pools"] for sheet in report_text.pool_sheets(pool, most=8)]
        for sheet in sheets:
            assert all(len(row) == len(sheet.columns) for row in sheet.rows), sheet.title
            shown = output.table(sheet.columns, sheet.rows, colour=False)
            assert len(shown.splitlines()) == 1 + len(sheet.rows)
    pool = EVENTS["many bots"]["pools"][0]
    assert len(report_text.crosstable(pool, most=8).rows) == 8
    assert report_text.crosstable(pool).title == "Crosstable (the first 40 of 45 bots)"


def test_outcome_of_any_format_as_tables() -> None:
    tables = [{"bots": ["a", NASTY], "points": {"a": 1.5, NASTY: 0.5}, "through": ["a"]}]
    outcome = {
        "bracket": [{"byes": [], "round": 1, "tables": 2 * tables}, {"byes": ["b"], "round": 2, "tables": []}],
        "places": [{"bot": "a", "place": 1, "withdrawn": False}],
        "winner": "a",
    }
    bracket, places, rest = report_text.outcome({"outcome": outcome})
    assert bracket.columns == (">round", "byes", "bots", "points", "through", "tables")
    assert bracket.rows[1] == ("1", "–", f"a, {NASTY}", f"a 1.5, {NASTY} 0.5", "a", "–")
    assert bracket.rows[2] == ("2", "b", "–", "–", "–", "–")
    assert places.columns == (">place", "bot", "withdrawn") and places.rows == (("1", "a", "no"),)
    assert rest.rows == (("winner", "a"),)
    assert report_text.outcome({"outcome": {}}) == []


def test_explanation_as_tables() -> None:
    event = simulated(
        lost=lambda k, table: {table.bots.index("emil"): "timeout"} if "emil" in table.bots and k % 9 == 0 else {}
    )
    found = explain(event, "emil")
    sheets = {sheet.title.split(": ")[1]: sheet for sheet in report_text.explained(found)}
    assert list(sheets) == ["opponents of emil", "seats", "blocks that moved the rating most", "forfeits"]
    assert len(sheets["opponents of emil"].rows) == 4 and len(sheets["seats"].rows) == 3
    assert sheets["forfeits"].rows[0][2] == "timeout"
    assert all(len(row) == len(sheet.columns) for sheet in sheets.values() for row in sheet.rows)


def test_values_are_shown_as_they_are_known() -> None:
    assert report_text.plus_minus(None) == "± ∞" and report_text.plus_minus(12.4) == "± 12"
    assert (
        report_text.chance(0.0) == "< 1 %" and report_text.chance(1.0) == "> 99 %" and report_text.chance(0.5) == "50 %"
    )
    assert report_text.percent(1.0) == "100 %" and report_text.percent(None) == "–"
    assert report_text.span((2, 2)) == "2" and report_text.span((2, 4)) == "2–4"
    assert [report_text.signed(value) for value in (0.2, -0.4, 3.0, -7.6, None)] == ["0", "0", "+3", "-8", "–"]


def test_files_are_the_same_every_time(tmp_path: Path) -> None:
    first = write_all(FOUND, tmp_path / "a" / "deep")
    again = write_all(two_pools(), tmp_path / "b")
    assert [path.name for path in first] == ["report.md", "report.json", "report.html"]
    for one, other in zip(first, again, strict=True):
        assert one.read_bytes() == other.read_bytes() and b"\r" not in one.read_bytes()
    assert json.loads(first[1].read_text(encoding="utf-8")) == FOUND
    read_again = json.loads(first[1].read_text(encoding="utf-8"))
    assert html(read_again) == first[2].read_text(encoding="utf-8")  # numbers are all a report needs


def test_json_has_a_line_for_each_row() -> None:
    assert to_json({"a": [[1, 2.5], [3, None]], "b": {"ü": []}, "c": []}) == (
        '{\n  "a": [\n    [1, 2.5],\n    [3, null]\n  ],\n  "b": {"ü": []},\n  "c": []\n}\n'
    )
    for found in EVENTS.values():
        assert json.loads(to_json(found)) == found


# --- Charts ---


def test_whiskers_are_where_the_numbers_are() -> None:
    lines = FOUND["pools"][0]["standings"]
    root = ElementTree.fromstring(charts.standings("k", lines))
    centres, spans = [], []
    for group in root.iter("g"):
        dot = next(group.iter("circle"))
        centres.append(float(str(dot.get("cx")).rstrip("%")))
        whisker = next(line for line in group.iter("line") if line.get("y1") == line.get("y2"))
        spans.append([float(str(whisker.get(end)).rstrip("%")) for end in ("x1", "x2")])
    ratings = np.array([line["rating"] for line in lines])
    slope, level = np.polyfit(ratings, centres, 1)
    assert slope > 0 and slope * ratings + level == pytest.approx(centres, abs=0.02)
    for (low, high), centre, line in zip(spans, centres, lines, strict=True):
        assert (low, high) == pytest.approx((centre - slope * line["error"], centre + slope * line["error"]), abs=0.03)
        assert 30 <= low < high <= 79


def test_curves_begin_with_the_first_game_of_a_bot() -> None:
    ladder = FOUND["pools"][0]["ladder"]
    root = ElementTree.fromstring(charts.curves("k", ladder))
    drawn = {next(iter(line)).text: str(line.get("points")).split() for line in root.iter("polyline")}
    for bot, curve in ladder["curves"]["ratings"].items():
        assert len(drawn[report_text.printable(bot)]) == sum(value is not None for value in curve)
    styles = [line.get("class") for line in root.iter("polyline")]
    assert len(set(styles)) == len(styles) == 5
    many = EVENTS["many bots"]["pools"][0]["ladder"]
    styles = [line.get("class") for line in ElementTree.fromstring(charts.curves("k", many)).iter("polyline")]
    assert styles.count("curve rest") == 45 - charts.STYLES


def test_labels_keep_their_distance() -> None:
    placed = charts.spread([10, 11, 12, 200, 290, 295, 300], gap=15, low=12, high=300)
    assert all(b - a >= 14.9 for a, b in pairwise(placed))
    assert placed[0] >= 12 and placed[-1] <= 300 and placed[3] == 200
    crowded = charts.spread([50.0] * 30, gap=15, low=0, high=290)
    assert crowded[0] >= 0 and crowded[-1] <= 290 and crowded == sorted(crowded)


def contrast(one: str, other: str) -> float:
    """As accessibility guidelines count it."""

    def light(colour: str) -> float:
        digits = colour if len(colour) == 7 else "#" + "".join(2 * sign for sign in colour[1:])
        parts = [int(digits[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))

    high, low = sorted((light(one), light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [charts.LIGHT, charts.DARK], ids=["light", "dark"])
def test_colours_have_contrast(theme: str) -> None:
    colours = dict(re.findall(r"--(\w+):(#\w+)", theme))
    for name in ("ink", "soft", *(f"c{k}" for k in range(6))):
        assert contrast(colours[name], colours["ground"]) >= 4.5, name


def test_picture_of_the_docs_is_that_of_the_example() -> None:
    """`python -m tests.tournament.pictures` draws it anew."""
    from tests.tournament.pictures import PICTURE, picture

    assert PICTURE.read_text(encoding="utf-8") == picture()
    root = ElementTree.fromstring(picture())
    assert root.tag == "{http://www.w3.org/2000/svg}svg"


# --- In a browser ---


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
@pytest.mark.parametrize("size", ["1200,900", "400,800"])
def test_page_in_a_browser(size: str, tmp_path: Path) -> None:
    page = write_all(FOUND, tmp_path)[2]
    line = [str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    line += [
        f"--window-size={size}",
        "--enable-logging=stderr",
        "--virtual-time-budget=2000",
        "--dump-dom",
        page.as_uri(),
    ]
    done = subprocess.run(line, capture_output=True, encoding="utf-8", timeout=120, check=True)
    assert "CONSOLE" not in done.stderr
    reader = read(re.sub(r"<(line|circle)( [^>]*)></\1>", r"<\1\2/>", done.stdout))
    shown = " ".join(reader.text)
    for place in FOUND["pools"][0]["standings"]:
        assert report_text.printable(place["bot"]) in shown and f"{place['rating']:.0f}" in shown
