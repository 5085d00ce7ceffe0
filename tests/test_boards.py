"""Boards, markers, tiles and cards: the files hold what they must, mistakes are named, a new board is data only."""

from __future__ import annotations

import copy
import hashlib
import itertools
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hansa_fast as hf
from hansa_fast import _boards, _hansa_board
from tests.playing import Json
from tests.rows import RULES

DOCS = Path(__file__).parent.parent / "docs"

# cities, routes, posts, of them boats, printed offices, coins, green cities, (route, ability) pairs, permanent markers
COUNTS = {
    "standard-3": (27, 32, 101, 0, 57, 6, 0, 5, 0),
    "standard-4-5": (27, 34, 107, 0, 62, 4, 0, 7, 0),
    "east": (28, 32, 98, 6, 55, 3, 3, 11, 4),
    "britannia-3": (26, 35, 111, 7, 60, 3, 0, 11, 3),
    "britannia-4-5": (30, 40, 121, 9, 72, 3, 0, 12, 2),
}
# Of the parsed content, so that line endings do not matter. A changed board is another game: records, ids and perft
# counts change with it. Whoever means it writes the new sum down here.
CHECKSUMS = {
    "bonus-markers": "3442a1adbd8b4d82",
    "britannia-3": "448f544262b16065",
    "britannia-4-5": "89a8fb186dd2ba57",
    "east": "e68d44386d4f0334",
    "emperors-favour": "c76222adeb1f79f3",
    "hansa-2004": "2c48e30cf021a3ab",
    "missions": "d91a7fd16360a7fe",
    "standard-3": "6be6dee35a255c54",
    "standard-4-5": "c2f45e0ca4adb43c",
}


def raw(name: str) -> Json:
    """A copy of a file's content that may be spoiled."""
    data: Json = copy.deepcopy(_boards.read_data(name))
    return data


def checksum(name: str) -> str:
    return hashlib.sha256(json.dumps(raw(name), sort_keys=True).encode()).hexdigest()[:16]


# -- What the files hold ----------------------------------------------------------------------------------------------


def test_the_package_has_these_files() -> None:
    assert _boards.file_names() == tuple(CHECKSUMS)
    assert (
        _boards.board_names()
        == tuple(sorted(COUNTS))
        == tuple(sorted({rules.board for rules in RULES if rules.game == "teutonica"}))
    )
    assert _hansa_board.board_names() == ("hansa-2004",)


@pytest.mark.parametrize("name", CHECKSUMS)
def test_no_file_changes_unnoticed(name: str) -> None:
    assert checksum(name) == CHECKSUMS[name]


@pytest.mark.parametrize("name", COUNTS)
def test_counts(name: str) -> None:
    board = _boards.load_board(name)
    posts = [post for route in board.data["routes"] for post in route["posts"]]
    offices = [office for city in board.data["cities"] for office in city["offices"]]
    assert COUNTS[name] == (
        len(board.cities),
        len(board.routes),
        len(posts),
        sum(post["shape"] == "merchant" for post in posts),
        len(offices),
        sum(office["coin"] > 0 for office in offices),
        len(board.green_cities),
        len(board.develop_pairs),
        sum(route["permanent_marker"] is not None for route in board.data["routes"]),
    )
    assert len(board.posts) == len(posts)
    assert sum(route["tavern"] for route in board.data["routes"]) == 3
    assert [slot["points"] for slot in board.data["special_prestige"]["slots"]] == [7, 8, 9, 11]
    assert board.data["completed_cities_limit"] == (8 if name.startswith("britannia") else 10)
    assert board.foreign == {"britannia-3": ("wales",), "britannia-4-5": ("wales", "scotland")}.get(name, ())
    for alias, others in board.data.get("aliases", {}).items():
        assert {board.city_index[other] for other in others} == {board.city_index[alias]}


def test_provinces_of_the_two_player_game() -> None:
    part = _boards.load_board("standard-3").data["two_player"]
    assert len(part["provinces"]) == 16
    assert len(part["soldiers"]) == 4
    assert [name for name in COUNTS if "two_player" in raw(name)] == ["standard-3"]


@pytest.mark.parametrize(
    ("edition", "counts"),
    [
        (
            "2009",
            {
                "additional_post": 5,
                "swap_posts": 2,
                "actions_3": 2,
                "actions_4": 2,
                "develop_ability": 3,
                "remove_3": 2,
            },
        ),
        (
            "big-box",
            {"additional_post": 4, "swap_posts": 3, "actions_3": 2, "actions_4": 2, "develop_ability": 2, "move_3": 2},
        ),
    ],
)
def test_markers(edition: str, counts: dict[str, int]) -> None:
    kinds = _boards.marker_kinds(edition)
    assert dict(zip(kinds, _boards.marker_counts(edition), strict=True)) == counts
    gold = dict(zip(kinds, _boards.gold_counts(edition), strict=True))
    assert {kind for kind, n in gold.items() if n == 1} == {"additional_post", "swap_posts", list(counts)[-1]}
    assert sum(gold.values()) == 3


def test_tiles_and_cards() -> None:
    assert _boards.favour_tiles() == (
        "relocate_anywhere",
        "extra_action",
        "income_follow",
        "displaced_trader_2",
        "city_control_double",
        "ability_7",
    )
    cards = _boards.mission_cards()
    assert len(cards) == len(set(cards)) == 9
    for board in _boards.module_boards():
        assert {city for card in cards for city in card} <= set(_boards.load_board(board).cities)
    assert _boards.module_boards() == ("standard-3", "standard-4-5")


# -- What the core derives from them ----------------------------------------------------------------------------------


def rules_of(board: str) -> hf.Rules:
    return hf.Rules(edition="big-box", board=board, players=5 if board.endswith("4-5") else 3)


def nearest_routes(data: Json, origin: int) -> set[int]:
    """Ring 1: routes that share a city with this one, in its own country or at home (D5, D14)."""
    routes = data["routes"]
    foreign = {region for permission in data.get("permissions", []) for region in permission["regions"]}
    ends = {routes[origin]["a"], routes[origin]["b"]}
    return {
        r
        for r, route in enumerate(routes)
        if r != origin
        and ends & {route["a"], route["b"]}
        and (route["region"] == routes[origin]["region"] or route["region"] not in foreign)
    }


@pytest.mark.parametrize("name", COUNTS)
def test_the_core_finds_the_neighbours_of_every_route(name: str) -> None:
    rules, data = rules_of(name), raw(name)
    names = [f"{route['a']}-{route['b']}" for route in data["routes"]]
    for r, route in enumerate(data["routes"]):
        d = rules.new(seed=1).to_dict()
        shape = route["posts"][0]["shape"].replace("any", "trader")
        d["players"][0]["supply"][shape + "s"] -= 1
        d["players"][1]["stock"]["traders"] -= 1
        d["posts"][f"{names[r]} 1"] = f"{shape} 0"
        pending = {"route": names[r], "shape": "trader", "down": None, "extras": 0}
        d.update(phase="answer", player=1, pending=pending, acted=True, fresh=False, actions=1)
        state = hf.State.from_dict(rules, d)
        got = {state.describe(action) for action in state.legal_actions()}
        assert got == {
            f"answer trader {names[k]} {n}"
            for k in nearest_routes(data, r)
            for n, post in enumerate(data["routes"][k]["posts"], 1)
            if post["shape"] == "any"
        }


@pytest.mark.parametrize("name", COUNTS)
def test_the_core_joins_cities_as_the_routes_do(name: str) -> None:
    rules, data = rules_of(name), raw(name)
    joined = {frozenset((route["a"], route["b"])) for route in data["routes"]}
    cities = {city["name"]: city for city in data["cities"] if len(city["offices"]) > 1}
    for a, b in itertools.combinations(cities, 2):
        d = rules.new(seed=1).to_dict()
        d["players"][0]["supply"]["traders"] -= 2
        for city in (a, b):
            d["offices"][city] = ["trader 0"] + [None] * (len(cities[city]["offices"]) - 1)
        score = hf.State.from_dict(rules, d).scores()[0]
        assert score["network"] == (2 if frozenset((a, b)) in joined else 1), (a, b)
        assert score["cities"] == 4


# -- Mistakes ---------------------------------------------------------------------------------------------------------


def route(data: Json, name: str) -> Json:
    return next(route for route in data["routes"] if f"{route['a']}-{route['b']}" == name)


def city(data: Json, name: str) -> Json:
    return next(city for city in data["cities"] if city["name"] == name)


def many_cities(data: Json) -> None:
    data["cities"] += [{**city(data, "Arnheim"), "name": f"New {k}"} for k in range(6)]


def many_routes(data: Json) -> None:
    pairs = itertools.combinations([city["name"] for city in data["cities"]], 2)
    there = {frozenset((route["a"], route["b"])) for route in data["routes"]}
    new = [pair for pair in pairs if frozenset(pair) not in there][:9]
    data["routes"] += [{**data["routes"][0], "a": a, "b": b} for a, b in new]


Spoil = Callable[[Json], object]
MISTAKES: list[tuple[str, Spoil, str]] = [
    ("standard-3", lambda d: d.pop("routes"), "board: routes is missing"),
    ("standard-3", lambda d: d.update(alias={}), "board: 'alias' is no known key"),
    ("standard-3", lambda d: d.update(id=3), "id: must be str, not 3"),
    ("standard-3", lambda d: d.update(cities={}), "cities: must be a list, not {}"),
    ("standard-3", lambda d: d["cities"].append(None), "cities[27]: must be an object, not None"),
    ("standard-3", lambda d: d["cities"][3].pop("offices"), "cities[3]: offices is missing"),
    (
        "standard-3",
        lambda d: d["cities"][0]["offices"][1].update(coin="1"),
        "cities[0].offices[1].coin: must be int, not '1'",
    ),
    ("standard-3", lambda d: d["cities"][0].update(x="left"), "cities[0].x: must be a number, not 'left'"),
    ("standard-3", lambda d: d["cities"][0].update(y=float("nan")), "cities[0].y: must be a number, not nan"),
    ("standard-3", lambda d: d["routes"][2].update(tavern=1), "routes[2].tavern: must be bool, not 1"),
    ("standard-3", lambda d: d["routes"][2].update(region=0), "routes[2].region: must be str, not 0"),
    ("standard-3", lambda d: d.update(aliases=[]), "aliases: must be an object, not []"),
    ("standard-3", lambda d: d.update(aliases={"Arnheim": "Arnhem"}), "aliases.Arnheim: must be a list of names"),
    ("standard-3", lambda d: d.update(aliases={"Atlantis": ["A"]}), "aliases: 'Atlantis' is no city"),
    ("standard-3", lambda d: d.update(aliases={"Arnheim": ["heim"]}), "aliases: 'heim' is part of a name"),
    ("standard-3", lambda d: d.update(aliases={"Arnheim": ["x"], "Kampen": ["X"]}), "cities: 'x' occurs twice"),
    ("standard-3", lambda d: d["cities"][1].update(name="ARNHEIM"), "cities: 'ARNHEIM' occurs twice"),
    (
        "standard-3",
        lambda d: d["cities"][1].update(name="Bremen; end"),
        "cities: 'Bremen; end' cannot be written in texts",
    ),
    ("standard-3", lambda d: d["cities"][1].update(name="Bre  men"), "cities: 'Bre  men' cannot be written in texts"),
    ("standard-3", lambda d: d["cities"][1].update(name="Bre\nmen"), "cannot be written in texts"),
    (
        "standard-3",
        lambda d: d["cities"][0]["offices"][0].update(privilege="gold"),
        "city Arnheim: privilege 'gold' is none of",
    ),
    (
        "standard-3",
        lambda d: d["cities"][0]["offices"][0].update(shape="cube"),
        "city Arnheim: shape 'cube' is none of",
    ),
    (
        "standard-3",
        lambda d: d["cities"][0]["offices"][0].update(coin=3),
        "city Arnheim: a coin is worth 0 to 2 points, not 3",
    ),
    ("standard-3", lambda d: d["cities"][0].update(abilities=["magic"]), "city Arnheim: ability 'magic' is none of"),
    ("standard-3", lambda d: d["cities"][0].update(regions=["wales"]), "city Arnheim: region 'wales' is none of"),
    ("standard-3", lambda d: d["cities"][0].update(special="blue"), "city Arnheim: special 'blue' is none of"),
    (
        "standard-3",
        lambda d: d["cities"][0].update(special="green"),
        "city Arnheim: a green city has no printed office",
    ),
    (
        "standard-3",
        lambda d: d["cities"][0].update(offices=[]),
        "city Arnheim: a green city has no printed office, every other",
    ),
    (
        "standard-3",
        lambda d: d["routes"][0].update(a="Atlantis"),
        "route Atlantis-Duisburg: city 'Atlantis' is none of",
    ),
    ("standard-3", lambda d: d["routes"][0].update(b="Arnheim"), "route Arnheim-Arnheim: must join two cities"),
    ("standard-3", lambda d: d["routes"][0].update(posts=[]), "route Arnheim-Duisburg: must have 1 to 6 posts, not 0"),
    ("standard-3", lambda d: d["routes"][0].update(posts=d["routes"][0]["posts"] * 3), "must have 1 to 6 posts, not 9"),
    (
        "standard-3",
        lambda d: d["routes"][0]["posts"][0].update(shape="cube"),
        "route Arnheim-Duisburg: shape of a post 'cube'",
    ),
    ("standard-3", lambda d: d["routes"][0].update(region="wales"), "route Arnheim-Duisburg: the board has no regions"),
    ("britannia-3", lambda d: d["routes"][0].update(region=None), "region None is none of england, wales"),
    (
        "standard-3",
        lambda d: d["routes"][0].update(permanent_marker="gold", bonus_marker_allowed=False),
        "permanent marker 'gold' is none",
    ),
    (
        "standard-3",
        lambda d: d["routes"][0].update(permanent_marker="place_2"),
        "takes no marker besides its permanent one",
    ),
    (
        "standard-3",
        lambda d: d["routes"][0].update(permanent_marker="office_in_green_city", bonus_marker_allowed=False),
        "there is no green city for its permanent marker",
    ),
    (
        "standard-3",
        lambda d: route(d, "Bremen-Osnabrück").update(bonus_marker_allowed=False),
        "has a tavern, so it must take a marker",
    ),
    ("standard-3", lambda d: d["routes"].append(d["routes"][0]), "routes: two routes join the same cities"),
    (
        "standard-3",
        lambda d: d["routes"].append({**d["routes"][0], "a": "Duisburg", "b": "Arnheim"}),
        "two routes join the same cities",
    ),
    ("standard-3", lambda d: d["routes"][0].update(tavern=True), "routes: exactly 3 must have a tavern, not 4"),
    ("britannia-3", lambda d: d["permissions"][0].update(city="Rome"), "permissions: city 'Rome' is none of"),
    ("britannia-3", lambda d: d["permissions"][0].update(regions=["italy"]), "permissions: region 'italy' is none of"),
    (
        "britannia-3",
        lambda d: d["permissions"][0].update(regions=["england", "wales"]),
        "regions: one must need no permission",
    ),
    ("britannia-3", lambda d: d["regions"].append("wales"), "regions: one occurs twice"),
    ("standard-3", lambda d: d.update(east_west=["Arnheim"]), "east_west: must name two cities"),
    ("standard-3", lambda d: d.update(east_west=["Arnheim", "Arnheim"]), "east_west: must name two cities"),
    ("standard-3", lambda d: d.update(east_west=["Arnheim", "Rome"]), "east_west: city 'Rome' is none of"),
    (
        "standard-3",
        lambda d: d["special_prestige"].update(route=["Coellen", "Rome"]),
        "special_prestige: route 'Coellen-Rome'",
    ),
    ("standard-3", lambda d: d["special_prestige"].update(city="Rome"), "special_prestige: city 'Rome' is none of"),
    ("standard-3", lambda d: d["special_prestige"].update(slots=[]), "special_prestige: must have 1 to 4 spaces"),
    ("standard-3", lambda d: d["special_prestige"]["slots"][0].update(points=8), "spaces with different points"),
    (
        "standard-3",
        lambda d: d["special_prestige"]["slots"][0].update(points=300),
        "special_prestige: points are from 1 to 99",
    ),
    (
        "standard-3",
        lambda d: d["special_prestige"]["slots"][0].update(privilege="red"),
        "special_prestige: privilege 'red' is none",
    ),
    ("standard-3", lambda d: d.update(players=[]), "players: must be some of 2, 3, 4, 5, not []"),
    ("standard-3", lambda d: d.update(players=[3, 6]), "players: must be some of 2, 3, 4, 5, not [3, 6]"),
    ("standard-3", lambda d: d.update(completed_cities_limit=0), "completed_cities_limit: must be from 1 to 27"),
    ("standard-3", lambda d: d.update(aspect=0), "aspect: must be width divided by height"),
    ("standard-3", lambda d: d.pop("two_player"), "two_player: a board for two players needs provinces"),
    ("standard-3", lambda d: d["two_player"].update(provinces=[]), "two_player: provinces must have different ids"),
    (
        "standard-3",
        lambda d: d["two_player"]["provinces"][0].update(routes=[99]),
        "province P1 borders a route that is not there",
    ),
    (
        "standard-3",
        lambda d: d["two_player"]["provinces"][0].update(id="the north"),
        "must have a single word as its id",
    ),
    ("standard-3", lambda d: d["two_player"]["borders"].append(["P1"]), "border ['P1'] does not join two provinces"),
    (
        "standard-3",
        lambda d: d["two_player"]["borders"].append(["P1", "P99", "route", 0]),
        "does not join two provinces",
    ),
    (
        "standard-3",
        lambda d: [p["routes"].clear() for p in d["two_player"]["provinces"]],
        "two_player: a route borders no province",
    ),
    ("standard-3", many_cities, "cities: 33 are too many, at most 32"),
    ("standard-4-5", many_routes, "routes: 43 are too many, at most 40"),
    (
        "standard-4-5",
        lambda d: [r.update(posts=r["posts"][:1] * 6) for r in d["routes"]],
        "posts: 204 are too many, at most 128",
    ),
    (
        "standard-4-5",
        lambda d: [c.update(offices=c["offices"][:1] * 5) for c in d["cities"]],
        "offices: 135 are too many, at most 128",
    ),
    (
        "standard-4-5",
        lambda d: city(d, "Arnheim").update(offices=city(d, "Arnheim")["offices"][:1] * 9),
        "offices of one city: 9 are too many",
    ),
    (
        "standard-4-5",
        lambda d: [c.update(offices=c["offices"][:1] * 4) for c in d["cities"]],
        "pairs of neighbouring offices: 81 are too many, at most 56",
    ),
    (
        "standard-4-5",
        lambda d: [c.update(abilities=["keys"]) for c in d["cities"]],
        "pairs of route and ability: 34 are too many, at most 32",
    ),
    (
        "standard-4-5",
        lambda d: [c.update(special="green", offices=[]) for c in d["cities"][:4]],
        "green cities: 4 are too many, at most 3",
    ),
    ("britannia-3", lambda d: d["regions"].extend("abc"), "regions: 5 are too many, at most 4"),
    (
        "britannia-3",
        lambda d: d["permissions"].extend(d["permissions"][:1] * 3),
        "permissions: 5 are too many, at most 4",
    ),
    (
        "standard-3",
        lambda d: d["two_player"]["provinces"].append({**d["two_player"]["provinces"][0], "id": "P17"}),
        "provinces: 17 are too many, at most 16",
    ),
    ("hansa-2004", lambda d: d.pop("routes"), "board: routes is missing"),
    ("hansa-2004", lambda d: d.update(east_west=[]), "board: 'east_west' is no known key"),
    ("hansa-2004", lambda d: d["cities"][0].pop("x"), "cities[0]: x is missing"),
    ("hansa-2004", lambda d: d["cities"][0].update(warehouses=2), "cities[0].warehouses: must be a list, not 2"),
    ("hansa-2004", lambda d: d["cities"][0].update(warehouses=["1"]), "cities[0].warehouses[0]: must be int, not '1'"),
    ("hansa-2004", lambda d: d["cities"][1].update(name="TØNSBERG"), "cities: 'TØNSBERG' occurs twice"),
    ("hansa-2004", lambda d: d["cities"][1].update(name="Aal; borg"), "cities: 'Aal; borg' cannot be written in texts"),
    ("hansa-2004", lambda d: d.update(start="Oslo"), "start: city 'Oslo' is none of Aalborg, "),
    ("hansa-2004", lambda d: d.update(cities=d["cities"][:3]), "cities: must be from 4 to 16, not 3"),
    (
        "hansa-2004",
        lambda d: d["cities"].extend({"name": f"New {k}", "warehouses": [], "x": 0, "y": 0} for k in range(8)),
        "cities: must be from 4 to 16, not 17",
    ),
    (
        "hansa-2004",
        lambda d: city(d, "Riga").update(warehouses=[9, 9, 9, 9, 9]),
        "city Riga: at most 4 warehouses, not 5",
    ),
    (
        "hansa-2004",
        lambda d: [city.update(warehouses=[]) for city in d["cities"]],
        "cities: must have from 1 to 16 warehouses in all, not 0",
    ),
    (
        "hansa-2004",
        lambda d: city(d, "Riga").update(warehouses=[9] * 4) or city(d, "Reval").update(warehouses=[8] * 2),
        "cities: must have from 1 to 16 warehouses in all, not 17",
    ),
    (
        "hansa-2004",
        lambda d: city(d, "Riga").update(warehouses=[8, 9]),
        "cities: number 8 is on warehouses of Reval and Riga",
    ),
    ("hansa-2004", lambda d: d.update(players=[2, 5]), "players: must be some of 2, 3, 4, not [2, 5]"),
    ("hansa-2004", lambda d: d.update(players=[]), "players: must be some of 2, 3, 4, not []"),
    ("hansa-2004", lambda d: d.update(players=[2, 2]), "players: must be some of 2, 3, 4, not [2, 2]"),
    ("hansa-2004", lambda d: d["routes"][0].append("Riga"), "does not lead from one city to another"),
    ("hansa-2004", lambda d: d["routes"][0].clear(), "routes: [] does not lead from one city to another"),
    ("hansa-2004", lambda d: d["routes"].append(["Riga", "Riga"]), "['Riga', 'Riga'] does not lead from one city"),
    ("hansa-2004", lambda d: d["routes"].append(["Riga", "Oslo"]), "['Riga', 'Oslo'] does not lead from one city"),
    ("hansa-2004", lambda d: d["routes"].append(["Riga", "Danzig"]), "routes: ['Riga', 'Danzig'] occurs twice"),
    ("hansa-2004", lambda d: d["routes"].remove(["Reval", "Riga"]), "routes: the ship cannot get to Riga"),
    ("hansa-2004", lambda d: d["goods"].update(colours=["red", "blue"]), "goods: must have from 3 to 8 colours, not 2"),
    ("hansa-2004", lambda d: d["goods"]["colours"].extend("abc"), "goods: must have from 3 to 8 colours, not 9"),
    ("hansa-2004", lambda d: d["goods"]["colours"].append("red"), "goods: colour 'red' occurs twice"),
    (
        "hansa-2004",
        lambda d: d["goods"]["colours"].append("Grey"),
        "goods: 'Grey' must be a single word in small letters",
    ),
    ("hansa-2004", lambda d: d["goods"]["colours"].append("sea green"), "'sea green' must be a single word"),
    ("hansa-2004", lambda d: d["goods"].update(barrels={}), "goods: there are no markers"),
    ("hansa-2004", lambda d: d["goods"].update(barrels=[4, 5, 4]), "goods.barrels: must be an object, not [4, 5, 4]"),
    ("hansa-2004", lambda d: d["goods"]["barrels"].update({"5": 1}), "goods: barrels '5' is none of 1, 2, 3, 4"),
    ("hansa-2004", lambda d: d["goods"]["barrels"].update({"1": 6}), "of each kind there are 1 to 5 markers, not 6"),
    ("hansa-2004", lambda d: d["goods"]["barrels"].update({"1": 0}), "of each kind there are 1 to 5 markers, not 0"),
    ("hansa-2004", lambda d: d["goods"]["barrels"].update({"1": True}), "there are 1 to 5 markers, not True"),
    (
        "hansa-2004",
        lambda d: d["goods"]["colours"].append("grey"),
        "goods: with 4 players 77 markers would be left for the piles; must be from 5 to 64",
    ),
    (
        "hansa-2004",
        lambda d: d["goods"].update(barrels={"1": 4}),
        "goods: with 2 players 2 markers would be left for the piles; must be from 5 to 64",
    ),
]
CHECKS: dict[str, Callable[[Any], object]] = {"hansa-2004": _hansa_board.check_board}


def check_board(data: Any, name: str) -> None:
    CHECKS.get(name, _boards.check_board)(data)


@pytest.mark.parametrize(("name", "spoil", "message"), MISTAKES, ids=[message[:60] for _, _, message in MISTAKES])
def test_every_mistake_is_named(name: str, spoil: Spoil, message: str) -> None:
    data = raw(name)
    check_board(data, name)
    spoil(data)
    with pytest.raises(hf.BoardError) as caught:
        check_board(data, name)
    assert message in str(caught.value)


def test_all_mistakes_are_named_at_once() -> None:
    data = raw("standard-3")
    data["cities"][0]["abilities"] = ["magic"]
    data["routes"][0]["tavern"] = True
    data["east_west"] = []
    with pytest.raises(hf.BoardError) as caught:
        _boards.check_board(data)
    for part in ("board 'standard-3': ", "city Arnheim", "tavern", "east_west"):
        assert part in str(caught.value)


@pytest.mark.parametrize("name", ["standard-3", "hansa-2004"])
@pytest.mark.parametrize("data", [None, 7, "board", [], {}, {"id": 10**5000}, {"cities": [[]]}, {1: 2}])
def test_what_is_no_board_is_refused(data: Any, name: str) -> None:
    with pytest.raises(hf.BoardError, match="board"):
        check_board(data, name)


def test_any_entry_of_the_wrong_kind_is_refused_or_harmless() -> None:
    """Every value of a file, one by one, replaced by something else: `BoardError` or a board, never anything else."""
    refused = 0
    for name in ("standard-3", "britannia-3", "hansa-2004"):
        data = raw(name)
        for box, key in places(data):
            old = box[key]
            junk: Any
            for junk in (None, -1, 10**5000, "\ud800", [], {"a": 1}, True):
                box[key] = junk
                try:
                    check_board(data, name)
                except hf.BoardError:
                    refused += 1
            box[key] = old
        check_board(data, name)
    assert refused > 2000


def places(data: Json) -> list[tuple[Any, Any]]:
    """Some of the (container, key) pairs of a file: all keys of the first entries of every list."""
    out: list[tuple[Any, Any]] = []
    todo: list[Any] = [data]
    while todo:
        box = todo.pop()
        keys = list(box) if isinstance(box, dict) else range(min(len(box), 3)) if isinstance(box, list) else ()
        out += [(box, key) for key in keys]
        todo += [box[key] for key in keys]
    return out


# -- New boards -------------------------------------------------------------------------------------------------------


def run(code: str, folder: Path, **environment: str) -> str:
    """Run Python in a process of its own, since boards are looked up once; returns what it prints."""
    path = os.pathsep.join(entry for entry in sys.path if entry)
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_example_of_the_docs_adds_a_board(tmp_path: Path) -> None:
    text = (DOCS / "boards.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 2
    more = """
from hansa_fast import _boards
assert "standard-3-short" in _boards.board_names()
assert {text for a in state.legal_actions() if (text := state.describe(a)).startswith("place trader")}
texts = [state.rules.board, end.is_over]
board = _boards.load_board("standard-3-short")
assert any(board.routes[r] == "Hamburg-Lübeck" and a == 3 for r, a in board.develop_pairs)
assert hf.State.from_dict(rules, end.to_dict()) == end
print(texts)
"""
    out = run("\n".join([*blocks, more]), tmp_path, PYTHONIOENCODING="utf-8").splitlines()
    assert out[-1] == "['standard-3-short', True]"


def test_boards_of_other_directories_must_be_right(tmp_path: Path) -> None:
    def error(**files: str) -> str:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        for name, text in files.items():
            (folder / f"{name.replace('_', '-')}.json").write_text(text, encoding="utf-8")
        code = (
            "import hansa_fast as hf\n"
            "try:\n    hf.Rules(board='mine', players=3).new()\n"
            "except hf.HansaError as error:\n    print(type(error).__name__, ascii(str(error)))"
        )
        return run(code, tmp_path, HANSA_BOARDS=str(folder))

    assert error().startswith("RulesError")
    assert "has the name of another board" in error(standard_3="{}")
    assert error(mine="{").startswith("BoardError")
    assert "its id is 'standard-3'; it must be the name of the file" in error(mine=json.dumps(raw("standard-3")))
    assert "cities is missing" in error(mine=json.dumps({"completed_cities_limit": 1}))
    assert error(mine="7").startswith("RulesError")
    spoiled = raw("standard-3") | {"id": "mine", "players": [3, 7]}
    assert "players: must be some of" in error(mine=json.dumps(spoiled))
    assert error(mine=json.dumps(raw("standard-3") | {"id": "mine"})) == ""


def test_a_corrected_board_of_hansa_is_data_only(tmp_path: Path) -> None:
    """Another arrow, other numbers of warehouses and a third warehouse are played as the file says."""
    data = raw("hansa-2004") | {"id": "hansa-corrected"}
    data["routes"].remove(["Danzig", "Reval"])
    data["routes"] += [["Reval", "Danzig"], ["Riga", "Stockholm"]]
    city(data, "Riga")["warehouses"] = [0, 0]
    city(data, "Reval")["warehouses"] = [8, 8]
    folder = tmp_path / "boards"
    folder.mkdir()
    (folder / "hansa-corrected.json").write_text(json.dumps(data), encoding="utf-8")
    code = """
import hansa_fast as hf
rules = hf.Rules(game="hansa", board="hansa-corrected", players=3)
state = rules.new(seed=1)
d = state.to_dict()
assert [len(pile) for pile in d["piles"]] == [10] * 5 and len(d["warehouses"]["Reval"]) == 2
while state.phase == "place":
    state.apply(state.choose(1))
d = state.to_dict()
for here, there in (("Reval", {"Riga", "Danzig"}), ("Riga", {"Danzig", "Stockholm"}), ("Danzig", {"Kalmar"})):
    legal = hf.State.from_dict(rules, {**d, "ship": here})
    texts = {legal.describe(action) for action in legal.legal_actions()}
    assert {text[5:] for text in texts if text.startswith("sail ")} == there, texts
first = d["piles"][0][:2]
for city, row in d["warehouses"].items():
    for good in row:
        d["removed"][good] = d["removed"].get(good, 0) + 1
d["warehouses"] = {city: [None] * len(row) for city, row in d["warehouses"].items()}
order = [f"{colour} {n}" for colour in d["colours"] for n in (1, 2, 3)]
d["removed"] = {good: d["removed"][good] for good in order if good in d["removed"]}
state = hf.State.from_dict(rules, d)
state.apply(state.parse("end"))
state.apply(state.parse("replenish"))
assert state.to_dict()["warehouses"]["Riga"] == first  # number 0 comes first
end, _ = hf.playout(state, 1, policy="greedy", turn_limit=500)
assert end.result()["reasons"] == ["pile five"]
from hansa_fast import _draw
assert "Reval" in _draw.svg(state)
print("played")
"""
    assert run(code, tmp_path, HANSA_BOARDS=str(folder)) == "played\n"


def test_a_missing_directory_is_named(tmp_path: Path) -> None:
    code = "import hansa_fast as hf\ntry:\n    hf.Rules()\nexcept hf.BoardError as error:\n    print(error)"
    assert "nowhere is no directory" in run(code, tmp_path, HANSA_BOARDS="nowhere")
