"""The drawings of Hansa (2004) show what the state says: everything is read back from them."""

from __future__ import annotations

import copy
import json
import math
import re
import xml.etree.ElementTree as ET
from collections import Counter
from functools import cache
from typing import Any

import pytest

import hansa_fast as hf
from hansa_fast import _draw, _draw_hansa_map, _draw_hansa_svg, _draw_hansa_text
from hansa_fast._draw_layout import Box, box_at, overlap
from hansa_fast._rules import board_data

BOARD: dict[str, Any] = copy.deepcopy(dict(board_data("hansa", "hansa-2004")))
CITIES = [city["name"] for city in BOARD["cities"]]
PHASES = ("place", "replenish", "main", "sell", "lose", "give", "over")
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
GOOD = r"[a-z]+ \d"

Position = dict[str, Any]


@cache
def positions(players: int) -> tuple[hf.State, ...]:
    """All positions of a game, half of its decisions greedy so that it sells and ends."""
    state = hf.Rules(game="hansa", players=players).new(players)
    found = [state.copy()]
    while not state.is_over:
        number = len(found)
        state.apply(state.choose(number, "greedy" if number % 2 else "uniform"))
        found.append(state.copy())
    return tuple(found)


def some(players: int) -> list[hf.State]:
    """A few positions of every phase of a game."""
    by_phase: dict[str, list[hf.State]] = {}
    for state in positions(players):
        by_phase.setdefault(state.phase, []).append(state)
    return [state for states in by_phase.values() for state in states[:: max(1, len(states) // 4)]]


def majority(booths: list[int]) -> int | None:
    """The seat with more booths than each of the others."""
    first, second = sorted(booths, reverse=True)[:2]
    return booths.index(first) if first > second else None


def is_last_round(state: Position) -> bool:
    """Whether pile five is smaller than it was at the start (H1)."""
    return len(state["piles"][-1]) < {2: 7, 3: 10, 4: 12}[len(state["players"])]


EVERY_TABLE = pytest.mark.parametrize("players", [2, 3, 4])


def test_the_positions_have_all_phases() -> None:
    assert {state.phase for players in (2, 3, 4) for state in positions(players)} == set(PHASES)
    assert any(is_last_round(state.to_dict()) and not state.is_over for state in positions(3))


# --- the text ------------------------------------------------------------------------------------------------------


def text_of(state: Position, width: int = 100, layout: str = "auto", names: list[str] | None = None) -> str:
    chosen: Any = layout
    return _draw_hansa_text.board_text(BOARD, state, colour=False, width=width, layout=chosen, names=names)


def read_goods(text: str) -> dict[str, int]:
    """`orange 1, red 2 x3` as a dict."""
    return {m[1]: int(m[2] or 1) for m in re.finditer(rf"({GOOD})(?: x(\d+))?", text)}


def read_booths(text: str, players: int) -> list[int]:
    booths = [0] * players
    for match in re.finditer(r"(\d+):(\d+)", text):
        booths[int(match[1])] = int(match[2])
    return booths


def check_around(state: Position, text: str) -> None:
    """Everything below the board: what is common, and the desks."""
    blocks = text.split("\n\n")
    common = re.sub(r"\s+", " ", next(block for block in blocks if block.startswith("Ship:")))
    assert common.startswith(f"Ship: {state['ship']} ")
    assert f"Piles: {' '.join(str(len(pile)) for pile in state['piles'])} " in common
    assert f"Colours: {' '.join(state['colours'])} Removed" in common
    assert read_goods(common.partition("Removed")[2].partition(":")[2]) == state["removed"]
    desks = blocks[-len(state["players"]) :]
    for seat, (player, desk) in enumerate(zip(state["players"], desks, strict=True)):
        first, rest = desk.split("\n", 1)
        facts = re.fullmatch(r"seat (\d)   (\d+) talers?   (\d+) booths?(   <- decides)?", first)
        assert facts is not None
        assert [int(value) for value in facts.groups()[:3]] == [seat, player["talers"], player["booths"]]
        assert (facts[4] is not None) == (seat == state["player"])
        unsold, sold = re.split(r"^  sold\b", rest, flags=re.M)
        assert read_goods(unsold.partition(":")[2]) == player["unsold"]
        assert read_goods(sold.partition(":")[2]) == player["sold"]


@EVERY_TABLE
def test_list_is_read_back(players: int) -> None:
    for number, taken in enumerate(positions(players)):
        state = taken.to_dict()
        width = 60 + number % 141
        text = text_of(state, width, "list")
        assert max(map(len, text.splitlines())) <= width
        board = text.split("\n\n")[1]
        cities = re.split(rf"^(?=(?:{'|'.join(CITIES)})\b)", board, flags=re.M)[1:]
        assert [re.match(r"\w+", city)[0] for city in cities] == CITIES  # type: ignore[index]
        for facts, city in zip(BOARD["cities"], cities, strict=True):
            name = facts["name"]
            inside = [good.strip() for good in re.findall(r"\[(.*?)\]", city)]
            assert inside == [good or "-" for good in state["warehouses"][name]]
            booths = state["booths"].get(name, [0] * players)
            assert read_booths(city, players) == booths
            starred = re.search(r"(\d+):\d+\*", city)
            assert (int(starred[1]) if starred else None) == majority(booths)
            assert ("<ship>" in city) == (name == state["ship"])
            assert city.split("-> ")[1].split() == [
                end + "," * (k < sum(a == name for a, _ in BOARD["routes"]) - 1)
                for k, end in enumerate(b for a, b in BOARD["routes"] if a == name)
            ]
        check_around(state, text)


@EVERY_TABLE
def test_map_shows_everything_once(players: int) -> None:
    for number, taken in enumerate(positions(players)):
        state = taken.to_dict()
        width = 80 + number % 121
        text = text_of(state, width)
        assert max(map(len, text.splitlines())) <= width
        board = text.split("\n\n", 1)[1].split("\n\n[orange 2]")[0]
        for name in CITIES:
            assert len(re.findall(rf"(?<!\w){name}(?!\w)", board)) == 1
        inside = Counter(good.strip() for good in re.findall(r"\[(.*?)\]", board))
        assert inside == Counter(good or "-" for spaces in state["warehouses"].values() for good in spaces)
        booths = Counter(re.findall(r"\d+:\d+\*?", board))
        assert booths == Counter(
            f"{seat}:{count}{'*' if seat == majority(seats) else ''}"
            for seats in state["booths"].values()
            for seat, count in enumerate(seats)
            if count
        )
        assert board.count(f"{state['ship']} <ship>") == board.count("<ship>") == 1
        check_around(state, text)


def test_map_has_a_head_at_the_end_of_every_arrow() -> None:
    text = text_of(positions(4)[0].to_dict(), 120)
    board = text.split("\n\n", 1)[1].split("\n\n[orange 2]")[0].replace("<ship>", "")
    assert sum(board.count(head) for head in "<>^v") >= len(BOARD["routes"])


@EVERY_TABLE
def test_colours_only_repeat_the_text(players: int) -> None:
    for state in some(players):
        for width in (60, 80, 140, 200):
            drawn = [
                _draw.text(state, colour=colour, width=width, names=["a", "b", "c", "d"]) for colour in (True, False)
            ]
            assert "\x1b[" in drawn[0]
            assert ESCAPE.sub("", drawn[0]) == drawn[1]


@EVERY_TABLE
def test_what_is_decided_is_said(players: int) -> None:
    for taken in positions(players):
        state = taken.to_dict()
        text = re.sub(r"\s+", " ", text_of(state, 60))
        assert ("this is the last round" in text) == (is_last_round(state) and not taken.is_over)
        assert f"Turns finished: {state['turn']}" in text
        if taken.is_over:
            assert "Game over: pile five" in text
            continue
        assert f"Seat {state['player']} decides" in text
        assert (f"(turn of Seat {state['current']})" in text) == (state["player"] != state["current"])
        assert state["phase"] in _draw.decision(taken)
        if state["phase"] == "sell":
            picked = ", ".join(f"{count} {colour}" for colour, count in state["pending"]["picked"].items())
            assert f"sell in {state['ship']}, picked so far: {picked}" in text
        if state["phase"] == "lose":
            sold = ", ".join(state["pending"]["sold"])
            assert f"a marker of {state['pending']['colour']}, since Seat {state['current']} sold {sold}" in text
        if state["phase"] == "give":
            assert f"give, {sum(state['players'][state['player']]['unsold'].values()) - 3} marker" in text


def test_turn_limit_is_shown() -> None:
    state = hf.Rules(game="hansa", players=2, turn_limit=1).new(1)
    assert "Turns finished: 0 of 1" in _draw.text(state, colour=False)
    while not state.is_over:
        state.apply(state.legal_actions()[-1])
    assert "Game over: turn limit" in _draw.text(state, colour=False)
    assert "Game over: turn limit" in _draw.svg(state)


def test_one_desk_is_drawn_alone() -> None:
    state = positions(4)[-1]
    whole = _draw.text(state, colour=True, names=["a", "b", "c", "d"])
    for seat in range(4):
        assert _draw.desk(state, seat, colour=True, names=["a", "b", "c", "d"]) in whole


# --- the picture ---------------------------------------------------------------------------------------------------


def parse_svg(text: str) -> ET.Element:
    root = ET.fromstring(text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    return root


def read_list(root: ET.Element, word: str) -> dict[str, int]:
    found = root.find(f".//*[@data-list='{word}']")
    assert found is not None
    goods = found.findall(".//*[@data-good]")
    assert all(read_goods("".join(good.itertext())) for good in goods)
    return {good.attrib["data-good"]: int(good.attrib["data-count"]) for good in goods}


def check_picture(state: Position, root: ET.Element) -> None:
    players = len(state["players"])
    cities = root.findall(".//*[@data-city]")
    assert [city.attrib["data-city"] for city in cities] == CITIES
    for city in cities:
        name = city.attrib["data-city"]
        shown = "".join(city.itertext())
        assert name in shown
        goods = [slot.get("data-good") for slot in city.findall(".//*[@class='warehouse']")]
        assert goods == state["warehouses"][name]
        assert all(good is None or good in shown for good in goods)
        booths = [0] * players
        for stalls in city.findall(".//*[@data-booths]"):
            booths[int(stalls.attrib["data-seat"])] = int(stalls.attrib["data-booths"])
            texts = [text.text for text in stalls.findall("{*}text")]
            assert texts == [stalls.attrib["data-seat"], stalls.attrib["data-booths"]]
        assert booths == state["booths"].get(name, [0] * players)
        most = [int(stalls.attrib["data-seat"]) for stalls in city.findall(".//*[@data-majority]")]
        assert most == [seat for seat in [majority(booths)] if seat is not None]
    assert [ship.attrib["data-ship"] for ship in root.findall(".//*[@data-ship]")] == [state["ship"]]
    assert [int(pile.attrib["data-size"]) for pile in root.findall(".//*[@data-pile]")] == [
        len(pile) for pile in state["piles"]
    ]
    lanes = root.findall(".//*[@data-from]")
    assert sorted([lane.attrib["data-from"], lane.attrib["data-to"]] for lane in lanes) == sorted(BOARD["routes"])
    sails = state["phase"] == "main" and state["players"][state["player"]]["talers"] > 0
    assert all(
        (lane.attrib["data-open"] == "yes") == (sails and lane.attrib["data-from"] == state["ship"]) for lane in lanes
    )
    assert read_list(root, "removed") == state["removed"]
    desks = root.findall(".//*[@data-desk]")
    for player, desk in zip(state["players"], desks, strict=True):
        talers = desk.find(".//*[@data-talers]")
        supply = desk.find(".//*[@data-supply]")
        assert talers is not None and supply is not None
        assert talers.text == talers.attrib["data-talers"] == str(player["talers"])
        assert supply.attrib["data-supply"] == str(player["booths"])
        assert read_list(desk, "unsold") == player["unsold"]
        assert read_list(desk, "sold") == player["sold"]


@EVERY_TABLE
def test_picture_is_read_back(players: int) -> None:
    for state in positions(players)[:: players * 2]:
        check_picture(state.to_dict(), parse_svg(_draw.svg(state)))
    for state in some(players):
        root = parse_svg(_draw.svg(state))
        check_picture(state.to_dict(), root)
        shown = list(root.itertext())
        assert _draw.decision(state) in shown
        assert ("last round" in shown) == (is_last_round(state.to_dict()) and not state.is_over)


@EVERY_TABLE
def test_views_are_drawn_alike_since_piles_are_never_shown(players: int) -> None:
    for state in some(players):
        for seat in range(players):
            seen = state.view(seat)
            assert _draw.text(seen, colour=True) == _draw.text(state, colour=True)
            assert seat or _draw.svg(seen) == _draw.svg(state)


def test_strange_names_do_not_break_anything() -> None:
    names = ['<b>&"', "\x00 ]]>", "x" * 80]
    state = positions(3)[40]
    root = parse_svg(_draw.svg(state, names=names))
    assert '<b>&"' in root.itertext()
    assert names[2] in _draw.text(state, colour=False, names=names)


def test_width_only_scales_the_picture() -> None:
    state = positions(2)[50].to_dict()
    small, large = (parse_svg(_draw_hansa_svg.board_svg(BOARD, state, width=width)) for width in (600, 1200))
    assert small.attrib["viewBox"] == large.attrib["viewBox"]
    assert (small.attrib["width"], large.attrib["width"]) == ("600", "1200")
    assert int(small.attrib["height"]) == pytest.approx(int(large.attrib["height"]) / 2, abs=1)


def test_empty_board_is_drawn() -> None:
    root = parse_svg(_draw.empty_svg("hansa", "hansa-2004"))
    assert [city.attrib["data-city"] for city in root.findall(".//*[@data-city]")] == CITIES
    assert not root.findall(".//*[@data-good]") and not root.findall(".//*[@data-desk]")
    assert [ship.attrib["data-start"] for ship in root.findall(".//*[@data-start]")] == [BOARD["start"]]
    for layout in ("map", "list"):
        chosen: Any = layout
        text = _draw.empty_text("hansa", "hansa-2004", colour=False, layout=chosen)
        assert all(text.count(name) >= 1 for name in CITIES)
        assert text.count("[") == sum(len(city["warehouses"]) for city in BOARD["cities"])
        assert text.count(f"{BOARD['start']} (start)") == 1


# --- the board is data ---------------------------------------------------------------------------------------------


def layout_of(board: dict[str, Any]) -> _draw_hansa_map.Layout:
    return _draw_hansa_map.find_layout(json.dumps(board, sort_keys=True))


def mirrored() -> dict[str, Any]:
    """Another board: east and west exchanged, arrows reversed, other names, a colour nobody knows, a wider chart."""
    board = copy.deepcopy(BOARD)
    for city in board["cities"]:
        city["x"] = 1 - city["x"]
        city["name"] = f"New {city['name']}"
    board["routes"] = [[f"New {end}", f"New {start}"] for start, end in board["routes"]]
    board["start"] = f"New {board['start']}"
    board["goods"]["colours"][0] = "violet"
    return board | {"name": "Mirror", "aspect": 1.7}


@pytest.mark.parametrize("board", [BOARD, mirrored()], ids=["hansa-2004", "another"])
def test_chart_follows_the_file_and_nothing_overlaps(board: dict[str, Any]) -> None:
    layout = layout_of(board)
    boxes = layout.cities
    frame = Box(0, 0, 1200, layout.height)
    for city in board["cities"]:
        box = boxes[city["name"]]
        middle = (box.left + box.right) / 2, (box.top + box.bottom) / 2
        assert math.dist(middle, (city["x"] * 1200, city["y"] * layout.height)) < 80
        assert overlap(box, frame) == pytest.approx((box.right - box.left) * (box.bottom - box.top))
    names = list(boxes)
    for number, name in enumerate(names):
        assert not any(overlap(boxes[name], boxes[other]) for other in names[:number])
        ship = box_at(*layout.moorings[name], 50, 50)
        assert not any(overlap(ship, box) for box in boxes.values())
    for (start, end), lane in zip(board["routes"], layout.lanes, strict=True):
        assert math.dist(lane[0], middle_of(boxes[start])) < math.dist(lane[0], middle_of(boxes[end]))
        for x, y in lane:
            assert not any(box.left < x < box.right and box.top < y < box.bottom for box in boxes.values())


def middle_of(box: Box) -> tuple[float, float]:
    return (box.left + box.right) / 2, (box.top + box.bottom) / 2


def test_another_board_is_drawn_from_its_file() -> None:
    board = mirrored()
    root = parse_svg(_draw_hansa_svg.board_svg(board))
    assert [city.attrib["data-city"] for city in root.findall(".//*[@data-city]")] == [f"New {name}" for name in CITIES]
    assert "violet" in root.itertext()
    lanes = {(lane.attrib["data-from"], lane.attrib["data-to"]) for lane in root.findall(".//*[@data-from]")}
    assert lanes == {(start, end) for start, end in board["routes"]}
    text = _draw_hansa_text.board_text(board, colour=True, width=120)
    assert all(f"New {name}" in text for name in CITIES)


def change(path: str, value: Any) -> Position:
    """A position with one entry changed."""
    state: Position = positions(3)[60].to_dict()
    target: Any = state
    *way, last = path.split(".")
    for key in way:
        target = target[int(key)] if isinstance(target, list) else target[key]
    target[last] = value
    return state


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("ship", "Lubeck", "ship: hansa-2004 has no 'Lubeck'"),
        ("warehouses.Visby", [None], "warehouses: hansa-2004 has no 'Visby'"),
        ("warehouses.Riga", ["red 1"], "warehouses: Riga has 2 spaces"),
        ("warehouses.Reval", ["red 4"], "warehouses.Reval: hansa-2004 has no 'red 4'"),
        ("booths.Visby", [1, 0, 0], "booths: hansa-2004 has no 'Visby'"),
        ("booths.Riga", [1, 0], "booths: Riga needs a number for each of 3 seats"),
        ("colours", ["pink"], "colours: hansa-2004 has no 'pink'"),
        ("removed", {"pink 1": 1}, "removed: hansa-2004 has no 'pink 1'"),
        ("piles", [["red 9"], [], [], [], []], "piles: hansa-2004 has no 'red 9'"),
        ("piles", [[], []], "piles: there are 5, not 2"),
        ("players.1.unsold", {"pink 1": 1}, r"players\[1\].unsold: hansa-2004 has no 'pink 1'"),
        ("players.2.sold", {"red": 1}, r"players\[2\].sold: hansa-2004 has no 'red'"),
        ("pending", {"picked": {"pink": 1}}, "pending.picked: hansa-2004 has no 'pink'"),
        ("pending", {"colour": "pink", "sold": ["red"]}, "pending.colour: hansa-2004 has no 'pink'"),
        ("pending", {"colour": "red", "sold": ["pink"]}, "pending.sold: hansa-2004 has no 'pink'"),
    ],
)
def test_what_the_board_does_not_have_is_refused(path: str, value: Any, message: str) -> None:
    state = change(path, value)
    with pytest.raises(ValueError, match=message):
        text_of(state)
    with pytest.raises(ValueError, match=message):
        _draw_hansa_svg.board_svg(BOARD, state)
