"""Boards, markers, tiles and cards: read from JSON files, checked, never changed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from hansa_fast._errors import BoardError

ABILITIES = ("keys", "actions", "privilege", "book", "bank")
ABILITY_VALUES = {
    "keys": (1, 2, 2, 3, 4),
    "actions": (2, 3, 3, 4, 4, 5),
    "privilege": ("white", "orange", "pink", "black"),
    "book": (2, 3, 4, 5),
    "bank": (3, 5, 7, "all"),
}
PRIVILEGES = ("white", "orange", "pink", "black")
SHAPES = ("trader", "merchant")
PERMANENT_MARKERS = ("develop_privilege", "move_any_2", "office_in_green_city", "place_2", "place_2_wales_scotland")

# What fits into the tables of the core and into the ids of docs/actions.md.
LIMITS = {"cities": 32, "routes": 40, "posts": 128, "offices": 128, "regions": 4, "permissions": 4, "provinces": 16}
MAX_ROUTE_POSTS = 6
MAX_DEVELOP_PAIRS = 32
MAX_SWAP_PAIRS = 56
MAX_GREEN_CITIES = 3


@dataclass(frozen=True)
class Board:
    """A checked board of Hansa Teutonica. Cities, routes and posts are known by their index in the file."""

    data: Mapping[str, Any]
    cities: tuple[str, ...]
    routes: tuple[str, ...]  # "a-b"
    posts: tuple[str, ...]  # "a-b n"
    city_index: Mapping[str, int]  # names and aliases
    develop_pairs: tuple[tuple[int, int], ...]  # (route, ability)
    swap_pairs: tuple[tuple[int, int], ...]  # (city, left office from 0)
    green_cities: tuple[int, ...]
    foreign: tuple[str, ...]  # regions that need a permission, and are scored

    @property
    def name(self) -> str:
        """The identifier, which is also the name of the file."""
        return str(self.data["id"])


@cache
def read_data(name: str) -> Any:
    """The parsed JSON file `boards/<name>.json` of the package."""
    text = files("hansa_fast").joinpath("boards", f"{name}.json").read_text(encoding="utf-8")
    return json.loads(text)


@cache
def file_names() -> tuple[str, ...]:
    """Names of all data files of the package, sorted, without the ending."""
    entries = files("hansa_fast").joinpath("boards").iterdir()
    return tuple(sorted(entry.name.removesuffix(".json") for entry in entries if entry.name.endswith(".json")))


@cache
def board_names() -> tuple[str, ...]:
    """Names of all Hansa Teutonica boards in the package, sorted."""
    return tuple(name for name in file_names() if "completed_cities_limit" in read_data(name))


@cache
def load_board(name: str) -> Board:
    """The board of this name. Raises `BoardError` if its file has a mistake."""
    return check_board(read_data(name))


def check_board(data: Mapping[str, Any]) -> Board:
    """Check a parsed board file and derive its name tables; the error names every wrong entry."""
    wrong: list[str] = []

    def need(condition: bool, message: str) -> None:
        if not condition:
            wrong.append(message)

    cities = tuple(city["name"] for city in data["cities"])
    index = {name: i for i, name in enumerate(cities)}
    need(len(index) == len(cities), "cities: a name occurs twice")
    for name, aliases in data.get("aliases", {}).items():
        need(name in index, f"aliases: {name} is no city")
        index.update({alias: index.get(name, 0) for alias in aliases})
    regions = list(data["regions"])
    offices = 0
    swap_pairs: list[tuple[int, int]] = []
    green: list[int] = []
    for i, city in enumerate(data["cities"]):
        where = f"city {city['name']}"
        for office in city["offices"]:
            privilege = office["privilege"]
            need(privilege in PRIVILEGES, f"{where}: privilege {privilege!r} is none of {PRIVILEGES}")
            need(office["shape"] in SHAPES, f"{where}: shape {office['shape']!r} is none of {SHAPES}")
        need(set(city["abilities"]) <= set(ABILITIES), f"{where}: abilities must be of {ABILITIES}")
        need(set(city["regions"]) <= set(regions), f"{where}: regions must be of {regions}")
        need(city["special"] in (None, "green", "prestige"), f"{where}: special {city['special']!r} is not known")
        offices += len(city["offices"])
        swap_pairs += [(i, k) for k in range(len(city["offices"]) - 1)]
        if city["special"] == "green":
            need(not city["offices"], f"{where}: a green city has no printed office")
            green.append(i)
    routes: list[str] = []
    posts: list[str] = []
    pairs: list[tuple[int, int]] = []
    for r, route in enumerate(data["routes"]):
        name = f"{route['a']}-{route['b']}"
        where = f"route {name}"
        routes.append(name)
        posts += [f"{name} {n + 1}" for n in range(len(route["posts"]))]
        need(1 <= len(route["posts"]) <= MAX_ROUTE_POSTS, f"{where}: 1 to {MAX_ROUTE_POSTS} posts")
        need(route["region"] is None or route["region"] in regions, f"{where}: region must be of {regions}")
        need(
            route["permanent_marker"] in (None, *PERMANENT_MARKERS),
            f"{where}: permanent marker must be of {PERMANENT_MARKERS}",
        )
        need(
            all(post["shape"] in ("any", "merchant") for post in route["posts"]),
            f"{where}: the shape of a post is any or merchant",
        )
        abilities: set[int] = set()
        for end in ("a", "b"):
            if route[end] not in cities:
                wrong.append(f"{where}: {route[end]} is no city")
                continue
            abilities |= {ABILITIES.index(a) for a in data["cities"][index[route[end]]]["abilities"] if a in ABILITIES}
        pairs += [(r, ability) for ability in sorted(abilities)]
    need(len(set(routes)) == len(routes), "routes: two routes join the same cities")
    need(sum(bool(route["tavern"]) for route in data["routes"]) == 3, "routes: exactly three have a tavern")
    permissions = data.get("permissions", [])
    foreign = {region for permission in permissions for region in permission["regions"]}
    need(foreign <= set(regions), f"permissions: regions must be of {regions}")
    for permission in permissions:
        need(permission["city"] in cities, f"permissions: {permission['city']} is no city")
    need(not regions or bool(set(regions) - foreign), "regions: one must need no permission")
    for city_name in data["east_west"]:
        need(city_name in cities, f"east_west: {city_name} is no city")
    special = data["special_prestige"]
    need("-".join(special["route"]) in routes, f"special_prestige: {'-'.join(special['route'])} is no route")
    need(len(special["slots"]) <= 4, "special_prestige: at most four spaces")
    provinces = data.get("two_player", {}).get("provinces", [])
    sizes = {
        "cities": len(cities),
        "routes": len(routes),
        "posts": len(posts),
        "offices": offices,
        "regions": len(regions),
        "permissions": len(permissions),
        "provinces": len(provinces),
    }
    for what, limit in LIMITS.items():
        need(sizes[what] <= limit, f"{what}: {sizes[what]} are too many, at most {limit}")
    need(len(pairs) <= MAX_DEVELOP_PAIRS, f"abilities: more than {MAX_DEVELOP_PAIRS} pairs of route and ability")
    need(len(swap_pairs) <= MAX_SWAP_PAIRS, f"offices: more than {MAX_SWAP_PAIRS} neighbouring pairs")
    need(len(green) <= MAX_GREEN_CITIES, f"cities: more than {MAX_GREEN_CITIES} green ones")
    if wrong:
        raise BoardError(f"board {data.get('id', '?')}: " + "; ".join(wrong))
    return Board(
        data=data,
        cities=cities,
        routes=tuple(routes),
        posts=tuple(posts),
        city_index=index,
        develop_pairs=tuple(pairs),
        swap_pairs=tuple(swap_pairs),
        green_cities=tuple(green),
        foreign=tuple(region for region in regions if region in foreign),
    )


def marker_kinds(edition: str) -> tuple[str, ...]:
    """Kinds of markers of an edition in the order of the file, which is the order of their ids."""
    return tuple(marker["id"] for marker in read_data("bonus-markers")["editions"][edition]["markers"])


def marker_counts(edition: str) -> tuple[int, ...]:
    """How many markers of each kind the edition has."""
    return tuple(marker["count"] for marker in read_data("bonus-markers")["editions"][edition]["markers"])


def gold_counts(edition: str) -> tuple[int, ...]:
    """How many of each kind are gold: they start on the taverns."""
    return tuple(marker["gold_starters"] for marker in read_data("bonus-markers")["editions"][edition]["markers"])


def favour_tiles() -> tuple[str, ...]:
    """All favour tiles in the order of the file, which is the order of their ids."""
    return tuple(tile["id"] for tile in read_data("emperors-favour")["tiles"])


def mission_cards() -> tuple[tuple[str, ...], ...]:
    """The mission cards, three cities each."""
    return tuple(tuple(card) for card in read_data("missions")["cards"])


def module_boards() -> tuple[str, ...]:
    """Boards on which missions and favours can be played (F1)."""
    return tuple(read_data("missions")["boards"])
