"""The ids of actions never change: `tests/data/action_ids.txt` pins every id of every board.

The file says which physical choice an id is. `python -m tests.test_action_ids --update` writes it anew; a line that is
changed or gone breaks every record and every bot, so only new lines (a new board) are harmless.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import hansa_fast as hf
from tests import hansa_dealer
from tests.conservation import DESK
from tests.playing import Json, sample
from tests.rows import BOARDS, RULES, row_name, rules_of
from tests.teutonica_changes import mend

FILE = Path(__file__).parent / "data" / "action_ids.txt"
HEAD = """\
# Every action id of every board and the choice it stands for; see docs/actions.md.
# Written by: python -m tests.test_action_ids --update
"""
SHAPES = ("trader", "merchant")
ABILITIES = ("keys", "actions", "privilege", "book", "bank")
FEES = ("1 trader", "1 merchant", "2 traders", "1 trader 1 merchant", "2 merchants")
KINDS = ("additional_post", "swap_posts", "actions_3", "actions_4", "develop_ability", "remove_3 or move_3")
HANSA = "hansa-2004"
TEUTONICA = tuple(board for board in BOARDS if board != HANSA)


def board_data(board: str) -> dict[str, Any]:
    from hansa_fast import _boards

    data: dict[str, Any] = json.loads(json.dumps(_boards.read_data(board)))
    return data


def income_text(traders: int, merchants: int) -> str:
    return f"{traders} traders {merchants} merchants from stock"


def teutonica_choices(board: str) -> Iterator[tuple[int, str]]:
    """The table of docs/actions.md, spelled out for a board: every id that can ever be legal there."""
    data = board_data(board)
    cities = {city["name"]: city for city in data["cities"]}
    routes = [(f"{route['a']}-{route['b']}", route) for route in data["routes"]]
    posts = [f"{name} {n + 1}" for name, route in routes for n in range(len(route["posts"]))]
    boats = [post["shape"] == "merchant" for _, route in routes for post in route["posts"]]
    for p, post in enumerate(posts):
        if not boats[p]:
            yield p, f"trader {post}"
        yield 128 + p, f"merchant {post}"
    for m in range(5):
        for t in range(27):
            if m + t:
                yield 256 + 32 * m + t, income_text(t, m)
    pair = 696
    for r, (name, route) in enumerate(routes):
        yield 416 + r, f"route {name}"
        for e, end in enumerate("ab"):
            if cities[route[end]]["offices"]:
                yield 456 + 40 * e + r, f"route {name} office {route[end]}"
            for s, shape in enumerate(SHAPES):
                if shape == "merchant" or any(post["shape"] == "any" for post in route["posts"]):
                    yield 536 + 80 * e + 40 * s + r, f"route {name} extra {route[end]} {shape}"
        for ability in ABILITIES:
            if any(ability in cities[route[end]]["abilities"] for end in "ab"):
                yield pair, f"route {name} develop {ability}"
                pair += 1
        if route["bonus_marker_allowed"]:
            yield 800 + r, f"marker on {name}"
    for k, slot in enumerate(data["special_prestige"]["slots"]):
        yield 728 + k, f"prestige {slot['points']}"
    for first, names in ((732, FEES), (737, KINDS), (743, ABILITIES)):
        for k, name in enumerate(names):
            yield first + k, {732: "fee ", 737: "marker ", 743: "ability "}[first] + name
    if board.startswith("standard"):
        for k, tile in enumerate(board_data("emperors-favour")["tiles"]):
            yield 748 + k, f"tile {tile['id']}"
    for k, province in enumerate(data.get("two_player", {}).get("provinces", [])):
        yield 754 + k, f"pawn {province['id']}"
        yield 770 + k, f"pawn {province['id']} action"
    green = [name for name, city in cities.items() if city["special"] == "green"]
    for g, name in enumerate(green):
        for s, shape in enumerate(SHAPES):
            yield 786 + 2 * g + s, f"green {name} {shape}"
        for i in range(31):
            yield 896 + 32 * g + i, f"swap {name} {i + 1} {i + 2}"
    yield 794, "move"
    yield 795, "done"
    pair = 840
    for name, city in cities.items():
        for i in range(len(city["offices"]) - 1):
            yield pair, f"swap {name} {i + 1} {i + 2}"
            pair += 1


def hansa_choices() -> Iterator[tuple[int, str]]:
    data = board_data(HANSA)
    for v, verb in enumerate(("buy", "build", "sell", "lose", "give")):
        for c, colour in enumerate(data["goods"]["colours"]):
            for barrels in (1, 2, 3):
                yield 32 * v + 4 * c + barrels - 1, f"{verb} {colour} {barrels}"
    for c, city in enumerate(data["cities"]):
        yield 160 + c, f"sail {city['name']}"
        if city["name"] != data["start"]:
            yield 176 + c, f"place {city['name']}"
    yield 192, "replenish"
    yield 193, "done"
    yield 194, "end"


def whole_table() -> str:
    """The text of the file."""
    lines = [HEAD]
    for board in sorted(BOARDS):
        choices = sorted(hansa_choices() if board == HANSA else teutonica_choices(board))
        lines += [f"{board} {action} {choice}\n" for action, choice in choices]
    return "".join(lines)


@cache
def pinned() -> dict[str, dict[int, str]]:
    """The file: board, id, choice."""
    out: dict[str, dict[int, str]] = {}
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            board, action, choice = line.split(" ", 2)
            assert int(action) not in out.setdefault(board, {}), line
            out[board][int(action)] = choice
    return out


def choice_of(state: hf.State, action: int) -> str:
    """The physical choice behind an action, told from its text."""
    text = state.describe(action)
    if state.rules.game == "hansa":
        return "done" if text in ("skip", "finish") else text
    verb, _, rest = text.partition(" ")
    words = rest.split()
    standing = state.to_dict()["posts"]
    if verb in ("place", "displace", "answer", "place-two"):
        return rest
    if verb in ("lift", "remove", "answer-from"):
        return f"{standing[rest].split()[0]} {rest}"
    if verb in ("set", "to"):
        return f"{state.to_dict()['pending']['hand'].split()[0]} {rest}"
    if verb == "income":
        counts = dict(zip(words[1::2], words[::2], strict=True))
        pick = [int(counts.get(shape + "s") or counts.get(shape) or 0) for shape in SHAPES]
        return income_text(*pick)
    if verb == "favour-income":
        return income_text(int(rest == "trader"), int(rest == "merchant"))
    if verb == "route":
        if " prestige " in text:
            return f"prestige {words[-1]}"
        return text.removesuffix(" none")
    if verb in ("use", "flip", "put-marker"):
        if words[0] == "swap_posts" and len(words) > 1:
            return f"swap {' '.join(words[1:])}"
        if words[0] == "develop_ability" and len(words) > 1:
            return f"ability {words[1]}"
        return "marker " + (words[0] if words[0] in KINDS else KINDS[-1])
    if verb == "develop-privilege":
        return "ability privilege"
    if verb in ("end", "finish", "stop", "decline", "skip"):
        return "done"
    words_of = {"pay": "fee", "favour": "tile", "on": "marker on", "green-office": "green"}
    return f"{words_of.get(verb, verb)} {rest}".strip()


def test_the_table_is_the_pinned_one() -> None:
    want, got = FILE.read_text(encoding="utf-8").splitlines(), whole_table().splitlines()
    changed = sorted(set(want) ^ set(got))
    assert not changed, changed[:20]
    assert want == got


def test_every_id_is_below_1024_and_means_one_thing() -> None:
    assert set(pinned()) == set(BOARDS)
    for board, table in pinned().items():
        assert all(0 <= action < 1024 for action in table), board
        assert len(set(table.values())) == len(table), board
    for board in TEUTONICA:  # what does not depend on the board is the same on all
        for action in (*range(256, 416), *range(732, 748), 794, 795):
            assert pinned()[board].get(action) == pinned()["standard-3"].get(action)


# -- Positions in which, together, every id of a board is legal -------------------------------------------------------


class Builder:
    """A dict to build positions from: seat 0 has developed everything and holds all its pieces in supply."""

    def __init__(self, rules: hf.Rules, *kinds: str) -> None:
        self.rules = rules
        self.d: Json = rules.new(seed=1).to_dict()
        self.me = self.d["players"][0]
        self.me["abilities"] = dict(DESK)
        self.me["supply"] = {"traders": 26, "merchants": 4}
        self.me["stock"] = {"traders": 0, "merchants": 0}
        self.d["actions"] = 5
        for kind in kinds:
            self.d["pile"].remove(kind)
            self.me["markers"][kind] = self.me["markers"].get(kind, 0) + 1
        if rules.players == 2:
            self.d.update(phase="main", player=0, pawn="P1")

    def take(self, seat: int, shape: str) -> str:
        player = self.d["players"][seat]
        place = "stock" if player["stock"][shape + "s"] else "supply"
        player[place][shape + "s"] -= 1
        return f"{shape} {seat}"

    def fill(self, city: dict[str, Any], seats: list[int]) -> None:
        """Traders of these seats in the leftmost printed offices."""
        if seats:
            row = [self.take(seat, "trader") for seat in seats]
            self.d["offices"][city["name"]] = row + [None] * (len(city["offices"]) - len(row))

    def enter(self, phase: str, **pending: Any) -> None:
        self.d.update(phase=phase, fresh=False, acted=True, actions=1, pending=pending or None)

    def state(self) -> hf.State:
        mend(self.rules, self.d)
        return hf.State.from_dict(self.rules, self.d)


def route_positions(rules: hf.Rules, data: dict[str, Any]) -> Iterator[hf.State]:
    """Every route full of own pieces of both shapes, with 0 and more offices taken at its ends."""
    cities = {city["name"]: city for city in data["cities"]}
    for route in data["routes"]:
        for taken in range(-1, 6):
            b = Builder(rules, "additional_post")
            if taken < 0:  # one space of each ability is left to develop
                b.me["abilities"] = {ability: size - 1 for ability, size in DESK.items()}
                b.me["supply"], b.d["actions"] = {"traders": 22, "merchants": 3}, 4
            shapes = ["trader" if post["shape"] == "any" else "merchant" for post in route["posts"]]
            if "merchant" not in shapes:
                shapes[0] = "merchant"
            for n, shape in enumerate(shapes, 1):
                b.d["posts"][f"{route['a']}-{route['b']} {n}"] = b.take(0, shape)
            for end in "ab":
                b.fill(cities[route[end]], [1] * min(max(taken, 0), len(cities[route[end]]["offices"])))
            if rules.players == 2:
                provinces = data["two_player"]["provinces"]
                b.d["pawn"] = next(p["id"] for p in provinces if data["routes"].index(route) in p["routes"])
            yield b.state()


def city_positions(rules: hf.Rules, data: dict[str, Any]) -> Iterator[hf.State]:
    """Every city full of offices that can be swapped."""
    for city in data["cities"]:
        b = Builder(rules, "swap_posts")
        b.fill(city, [k % 2 for k in range(len(city["offices"]))])
        if city["special"] == "green":
            b.d["green"][city["name"]] = [b.take((0, 1, 0, 2)[k % 4], "trader") for k in range(32)]
        if len(city["offices"]) > 1 or city["special"] == "green":
            yield b.state()


def piece_positions(rules: hf.Rules, data: dict[str, Any]) -> Iterator[hf.State]:
    """Income of everything; every post open to both shapes; every fee."""
    b = Builder(rules)
    b.me["stock"], b.me["supply"] = b.me["supply"], b.me["stock"]
    yield b.state()
    b = Builder(rules)
    for permission in data.get("permissions", []):
        city = next(city for city in data["cities"] if city["name"] == permission["city"])
        b.fill(city, [0])
    yield b.state()
    for shape in SHAPES:
        b = Builder(rules)
        route = data["routes"][0]
        post = f"{route['a']}-{route['b']} 1"
        b.d["players"][1]["supply"] = {"traders": 6, "merchants": 0}
        b.d["players"][1]["stock"] = {"traders": 5, "merchants": 1}
        b.d["posts"][post] = b.take(1, shape)
        b.enter("pay", post=post, shape="trader")
        yield b.state()


def marker_positions(rules: hf.Rules) -> Iterator[hf.State]:
    """Every kind on the plate, every route open to it, every ability to develop, every green city."""
    kinds = sorted(Builder(rules).d["pile"])
    for start in range(len(set(kinds)) - 2):
        b = Builder(rules)
        b.d["pile"] += b.d["markers"].values()
        b.d["markers"] = {}
        for kind in sorted({*b.d["pile"]})[start : start + 3]:
            b.d["pile"].remove(kind)
            b.me["plate"][kind] = 1
        b.enter("put-marker")
        yield b.state()
        b.enter("marker-route", kind=next(iter(b.me["plate"])))
        yield b.state()
    b = Builder(rules, "develop_ability")
    b.me["abilities"] = dict.fromkeys(DESK, 0)
    b.me["supply"], b.d["actions"] = {"traders": 11, "merchants": 1}, 2
    yield b.state()
    if rules.board == "east":
        b = Builder(rules)
        b.enter("green-office")
        yield b.state()


def special_positions(rules: hf.Rules, data: dict[str, Any]) -> Iterator[hf.State]:
    """Every tile open, every province the pawn can be in."""
    if rules.favours:
        tiles = [tile["id"] for tile in board_data("emperors-favour")["tiles"]]
        for start in range(len(tiles) - rules.players + 1):
            b = Builder(rules, "actions_3", "actions_4")
            b.d["favours"] = tiles[start : start + rules.players]
            yield b.state()
    if rules.players == 2:
        for province in data["two_player"]["provinces"]:
            b = Builder(rules)
            b.d["pawn"] = province["id"]
            yield b.state()


def all_positions(rules: hf.Rules) -> Iterator[hf.State]:
    data = board_data(rules.board)
    yield from route_positions(rules, data)
    yield from city_positions(rules, data)
    yield from piece_positions(rules, data)
    yield from marker_positions(rules)
    yield from special_positions(rules, data)


ROWS_OF_BOARD: dict[str, tuple[dict[str, Any], ...]] = {
    "standard-3": ({"edition": "2009", "players": 2}, {"players": 3, "favours": True}),
    "standard-4-5": ({"players": 5, "favours": True}, {"edition": "2009", "players": 4}),
    "east": ({"players": 3},),
    "britannia-3": ({"players": 3},),
    "britannia-4-5": ({"players": 5},),
}


@pytest.mark.parametrize("board", TEUTONICA)
def test_the_core_means_what_the_table_says(board: str) -> None:
    table = pinned()[board]
    seen: set[int] = set()
    for row in ROWS_OF_BOARD[board]:
        for state in all_positions(hf.Rules(board=board, **row)):
            for action in state.legal_actions():
                assert table.get(action) == choice_of(state, action), (state.phase, state.describe(action))
                seen.add(action)
    assert seen == set(table), sorted((action, table[action]) for action in set(table) - seen)


@pytest.mark.parametrize("rules", RULES, ids=row_name)
def test_the_core_means_it_in_every_phase(rules: hf.Rules) -> None:
    table = pinned()[rules.board]
    for state in sample(rules):
        for action in state.legal_actions():
            assert table.get(action) == choice_of(state, action), (state.phase, state.describe(action))


def test_the_core_of_hansa_means_what_the_table_says() -> None:
    """Every id is legal somewhere in the first decisions after random positions."""
    table, rng = pinned()[HANSA], random.Random(1)
    seen: set[int] = set()
    for number in range(600):
        rules = rng.choice(rules_of("hansa"))
        theme = rng.choice(list(hansa_dealer.THEMES))
        state = hf.State.from_dict(rules, hansa_dealer.deal(rules, theme, rng)) if number % 40 else rules.new(number)
        for _ in range(20):
            for action in state.legal_actions():
                seen.add(action)
                assert table.get(action) == choice_of(state, action)
            if state.is_over:
                break
            state.apply(rng.choice(state.legal_actions()))
    assert seen == set(table), sorted(set(table) - seen)


if __name__ == "__main__":
    if sys.argv[1:] != ["--update"]:
        sys.exit("usage: python -m tests.test_action_ids --update")
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(whole_table(), encoding="utf-8", newline="\n")
