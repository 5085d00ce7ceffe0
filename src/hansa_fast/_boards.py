"""Boards, markers, tiles and cards: read from JSON files, checked, never changed."""

from __future__ import annotations

import json
import os
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from hansa_fast._errors import BoardError, shown

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
LIMITS = {
    "cities": 32,
    "routes": 40,
    "posts": 128,
    "offices": 128,
    "regions": 4,
    "permissions": 4,
    "provinces": 16,
    "pairs of route and ability": 32,
    "pairs of neighbouring offices": 56,
    "offices of one city": 8,
    "green cities": 3,
}
MAX_ROUTE_POSTS = 6
MAX_COIN = 2
MAX_POINTS = 99
TAVERNS = 3
MAX_PRESTIGE_SLOTS = 4
SEATS = (2, 3, 4, 5)

# The keys of a board file and what they hold; `?` marks what may be left out. docs/boards.md tells what they mean.
PLACE = {"x": float, "y": float}
FORMAT: dict[str, Any] = {
    "id": str,
    "name": str,
    "players": [int],
    "completed_cities_limit": int,
    "east_west": [str],
    "special_prestige": {"city": str, "route": [str], "slots": [{"points": int, "privilege": str}]},
    "regions": [str],
    "aspect": float,
    "permissions?": [{"city": str, "regions": [str]}],
    "aliases?": Mapping,
    "cities": [
        {
            "name": str,
            "regions": [str],
            "banner": str,
            "offices": [{"privilege": str, "shape": str, "coin": int}],
            "abilities": [str],
            "special": (str, None),
            **PLACE,
        }
    ],
    "routes": [
        {
            "a": str,
            "b": str,
            "posts": [{"shape": str, **PLACE}],
            "tavern": bool,
            "region": (str, None),
            "maritime": bool,
            "permanent_marker": (str, None),
            "bonus_marker_allowed": bool,
        }
    ],
    "two_player?": {
        "soldiers": [[str]],
        "provinces": [{"id": str, "label": str, "routes": [int], **PLACE}],
        "borders": [list],
        "note?": str,
    },
    "note?": str,
}


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
def data_files() -> Mapping[str, Traversable]:
    """All data files by name: those of the package, then those of the directories in `HANSA_BOARDS`."""
    found: dict[str, Traversable] = {}
    folders: list[Traversable] = [files("hansa_fast").joinpath("boards")]
    folders += [Path(folder) for folder in os.environ.get("HANSA_BOARDS", "").split(os.pathsep) if folder]
    for folder in folders:
        if not folder.is_dir():
            raise BoardError(f"HANSA_BOARDS: {folder} is no directory")
        for entry in folder.iterdir():
            name = entry.name.removesuffix(".json")
            if name == entry.name:
                continue
            if name in found:
                raise BoardError(f"HANSA_BOARDS: {entry} has the name of another board")
            found[name] = entry
    return dict(sorted(found.items()))


@cache
def read_data(name: str) -> Any:
    """The parsed JSON file of this name."""
    try:
        return json.loads(data_files()[name].read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise BoardError(f"{data_files()[name]}: {error}") from None


def file_names() -> tuple[str, ...]:
    """Names of all data files, sorted, without the ending."""
    return tuple(data_files())


@cache
def board_names() -> tuple[str, ...]:
    """Names of all Hansa Teutonica boards, sorted."""
    return tuple(name for name in file_names() if "completed_cities_limit" in keys_of(read_data(name)))


def keys_of(data: object) -> tuple[str, ...]:
    """The keys of a parsed file that nobody has checked yet."""
    return tuple(data) if isinstance(data, Mapping) else ()


@cache
def load_board(name: str) -> Board:
    """The board of this name. Raises `BoardError` if its file has a mistake."""
    board = check_board(read_data(name))
    if board.name != name:
        raise BoardError(f"board {name}: its id is {shown(board.name)}; it must be the name of the file")
    return board


def check_board(data: Any) -> Board:
    """Check a parsed board file and derive its name tables; the error names every wrong entry."""
    wrong: list[str] = []
    check_format(data, FORMAT, "", wrong)
    if not wrong:
        check_names(data, wrong)
    if not wrong:
        _check_cities(data, wrong)
        _check_routes(data, wrong)
        _check_rest(data, wrong)
    if not wrong:
        board = _derive(data)
        _check_limits(board, wrong)
    if wrong:
        raise BoardError(f"board {shown(data.get('id')) if isinstance(data, Mapping) else '?'}: " + "; ".join(wrong))
    return board


def check_format(value: Any, form: Any, where: str, wrong: list[str]) -> None:
    """Whether a value has the keys and kinds of values that `form` has."""
    name = where or "board"
    if isinstance(form, Mapping):
        if not isinstance(value, Mapping):
            wrong.append(f"{name}: must be an object, not {shown(value)}")
            return
        known = {key.removesuffix("?"): part for key, part in form.items()}
        wrong += [f"{name}: {key} is missing" for key in form if not key.endswith("?") and key not in value]
        wrong += [f"{name}: {shown(key)} is no known key" for key in value if key not in known]
        for key, part in known.items():
            if key in value:
                check_format(value[key], part, f"{where}.{key}" if where else key, wrong)
    elif isinstance(form, list):
        if not isinstance(value, list):
            wrong.append(f"{name}: must be a list, not {shown(value)}")
            return
        for k, entry in enumerate(value):
            check_format(entry, form[0], f"{where}[{k}]", wrong)
    elif isinstance(form, tuple):
        if value is not None:
            check_format(value, form[0], where, wrong)
    elif form is float:
        if type(value) not in (int, float) or not -1e6 < value < 1e6:
            wrong.append(f"{name}: must be a number, not {shown(value)}")
    elif form is Mapping:
        if not isinstance(value, Mapping):
            wrong.append(f"{name}: must be an object, not {shown(value)}")
    elif type(value) is not form:
        wrong.append(f"{name}: must be {form.__name__}, not {shown(value)}")


def fold(text: str) -> str:
    """Texts are compared without regard to case, accents' encoding and repeated blanks."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def check_names(data: Mapping[str, Any], wrong: list[str]) -> None:
    """Names must be told apart in texts of actions and in records."""
    names = [city["name"] for city in data["cities"]]
    aliases = data.get("aliases", {})
    for name, others in aliases.items():
        if name not in names:
            wrong.append(f"aliases: {shown(name)} is no city")
        if not isinstance(others, list) or not all(isinstance(other, str) for other in others):
            wrong.append(f"aliases.{name}: must be a list of names, not {shown(others)}")
            return
    spoken = names + [alias for others in aliases.values() for alias in others]
    for name in spoken:
        if not name.isprintable() or fold(name) != " ".join(name.casefold().split(" ")) or set(name) & set(';"[]@#'):
            wrong.append(f"cities: {shown(name)} cannot be written in texts")
        if [fold(other) for other in spoken].count(fold(name)) > 1:
            wrong.append(f"cities: {shown(name)} occurs twice")
    for others in aliases.values():
        for alias in others:
            if any(fold(alias) in fold(name) for name in names) or not alias:
                wrong.append(f"aliases: {shown(alias)} is part of a name")


def _check_cities(data: Mapping[str, Any], wrong: list[str]) -> None:
    for city in data["cities"]:
        where = f"city {city['name']}"
        for office in city["offices"]:
            one_of(office["privilege"], PRIVILEGES, f"{where}: privilege", wrong)
            one_of(office["shape"], SHAPES, f"{where}: shape", wrong)
            if not 0 <= office["coin"] <= MAX_COIN:
                wrong.append(f"{where}: a coin is worth 0 to {MAX_COIN} points, not {shown(office['coin'])}")
        _all_of(city["abilities"], ABILITIES, f"{where}: ability", wrong)
        _all_of(city["regions"], data["regions"], f"{where}: region", wrong)
        if city["special"] is not None:
            one_of(city["special"], ("green", "prestige"), f"{where}: special", wrong)
        if (city["special"] == "green") == bool(city["offices"]):
            wrong.append(f"{where}: a green city has no printed office, every other city has one")


def _check_routes(data: Mapping[str, Any], wrong: list[str]) -> None:
    cities = {city["name"] for city in data["cities"]}
    greens = [city for city in data["cities"] if city["special"] == "green"]
    for route in data["routes"]:
        where = f"route {route['a']}-{route['b']}"
        for end in ("a", "b"):
            one_of(route[end], cities, f"{where}: city", wrong)
        if route["a"] == route["b"]:
            wrong.append(f"{where}: must join two cities")
        if not 1 <= len(route["posts"]) <= MAX_ROUTE_POSTS:
            wrong.append(f"{where}: must have 1 to {MAX_ROUTE_POSTS} posts, not {len(route['posts'])}")
        for post in route["posts"]:
            one_of(post["shape"], ("any", "merchant"), f"{where}: shape of a post", wrong)
        if data["regions"]:
            one_of(route["region"], data["regions"], f"{where}: region", wrong)
        elif route["region"] is not None:
            wrong.append(f"{where}: the board has no regions")
        if route["permanent_marker"] is not None:
            one_of(route["permanent_marker"], PERMANENT_MARKERS, f"{where}: permanent marker", wrong)
            if route["bonus_marker_allowed"]:
                wrong.append(f"{where}: takes no marker besides its permanent one")
            if route["permanent_marker"] == "office_in_green_city" and not greens:
                wrong.append(f"{where}: there is no green city for its permanent marker")
        if route["tavern"] and not route["bonus_marker_allowed"]:
            wrong.append(f"{where}: has a tavern, so it must take a marker")
    names = [f"{route['a']}-{route['b']}" for route in data["routes"]]
    ends = [frozenset((route["a"], route["b"])) for route in data["routes"]]
    if len(set(names)) < len(names) or len(set(ends)) < len(ends):
        wrong.append("routes: two routes join the same cities")
    taverns = sum(route["tavern"] for route in data["routes"])
    if taverns != TAVERNS:
        wrong.append(f"routes: exactly {TAVERNS} must have a tavern, not {taverns}")


def _check_rest(data: Mapping[str, Any], wrong: list[str]) -> None:
    cities = {city["name"] for city in data["cities"]}
    routes = {f"{route['a']}-{route['b']}" for route in data["routes"]}
    regions, permissions = data["regions"], data.get("permissions", [])
    if len(set(regions)) < len(regions):
        wrong.append("regions: one occurs twice")
    for permission in permissions:
        one_of(permission["city"], cities, "permissions: city", wrong)
        _all_of(permission["regions"], regions, "permissions: region", wrong)
    if regions and not set(regions) - {region for permission in permissions for region in permission["regions"]}:
        wrong.append("regions: one must need no permission")
    if len(set(data["east_west"])) != 2 or len(data["east_west"]) != 2:
        wrong.append("east_west: must name two cities")
    _all_of(data["east_west"], cities, "east_west: city", wrong)
    special = data["special_prestige"]
    one_of("-".join(special["route"]), routes, "special_prestige: route", wrong)
    one_of(special["city"], cities, "special_prestige: city", wrong)
    points = [slot["points"] for slot in special["slots"]]
    if not 1 <= len(points) <= MAX_PRESTIGE_SLOTS or len(set(points)) < len(points):
        wrong.append(f"special_prestige: must have 1 to {MAX_PRESTIGE_SLOTS} spaces with different points")
    if not all(1 <= number <= MAX_POINTS for number in points):
        wrong.append(f"special_prestige: points are from 1 to {MAX_POINTS}")
    for slot in special["slots"]:
        one_of(slot["privilege"], PRIVILEGES, "special_prestige: privilege", wrong)
    if (
        not data["players"]
        or not set(data["players"]) <= set(SEATS)
        or len(set(data["players"])) < len(data["players"])
    ):
        wrong.append(f"players: must be some of {', '.join(map(str, SEATS))}, not {shown(data['players'])}")
    if not 1 <= data["completed_cities_limit"] <= len(cities):
        wrong.append(f"completed_cities_limit: must be from 1 to {len(cities)}")
    if not data["aspect"] > 0:
        wrong.append("aspect: must be width divided by height")
    if 2 in data["players"] or "two_player" in data:
        _check_provinces(data, wrong)


def _check_provinces(data: Mapping[str, Any], wrong: list[str]) -> None:
    if "two_player" not in data:
        wrong.append("two_player: a board for two players needs provinces")
        return
    part = data["two_player"]
    names = [province["id"] for province in part["provinces"]]
    if not names or len(set(names)) < len(names):
        wrong.append("two_player: provinces must have different ids")
    for province in part["provinces"]:
        if not all(0 <= r < len(data["routes"]) for r in province["routes"]):
            wrong.append(f"two_player: province {province['id']} borders a route that is not there")
        if not province["id"].isalnum():
            wrong.append(f"two_player: province {shown(province['id'])} must have a single word as its id")
    for border in part["borders"]:
        if len(border) != 4 or not all(isinstance(name, str) and name in names for name in border[:2]):
            wrong.append(f"two_player: border {shown(border)} does not join two provinces")
    if any(
        r not in {r for province in part["provinces"] for r in province["routes"]} for r in range(len(data["routes"]))
    ):
        wrong.append("two_player: a route borders no province")


def _check_limits(board: Board, wrong: list[str]) -> None:
    """What fits into the tables and ids of the core."""
    sizes = {
        "cities": len(board.cities),
        "routes": len(board.routes),
        "posts": len(board.posts),
        "offices": sum(len(city["offices"]) for city in board.data["cities"]),
        "regions": len(board.data["regions"]),
        "permissions": len(board.data.get("permissions", [])),
        "provinces": len(board.data.get("two_player", {}).get("provinces", [])),
        "pairs of route and ability": len(board.develop_pairs),
        "pairs of neighbouring offices": len(board.swap_pairs),
        "offices of one city": max(len(city["offices"]) for city in board.data["cities"]),
        "green cities": len(board.green_cities),
    }
    wrong += [
        f"{what}: {sizes[what]} are too many, at most {most}" for what, most in LIMITS.items() if sizes[what] > most
    ]


def one_of(value: object, names: Any, what: str, wrong: list[str]) -> None:
    if value not in names:
        wrong.append(f"{what} {shown(value)} is none of {', '.join(sorted(names))}")


def _all_of(values: list[str], names: Any, what: str, wrong: list[str]) -> None:
    for value in values:
        one_of(value, names, what, wrong)


def _derive(data: Mapping[str, Any]) -> Board:
    """The name tables of a board without mistakes."""
    cities = tuple(city["name"] for city in data["cities"])
    index = {name: i for i, name in enumerate(cities)}
    for name, aliases in data.get("aliases", {}).items():
        index.update(dict.fromkeys(aliases, index[name]))
    routes = tuple(f"{route['a']}-{route['b']}" for route in data["routes"])
    sizes = [len(route["posts"]) for route in data["routes"]]
    pairs = []
    for r, route in enumerate(data["routes"]):
        printed = {ability for end in ("a", "b") for ability in data["cities"][index[route[end]]]["abilities"]}
        pairs += [(r, k) for k, ability in enumerate(ABILITIES) if ability in printed]
    foreign = {region for permission in data.get("permissions", []) for region in permission["regions"]}
    return Board(
        data=data,
        cities=cities,
        routes=routes,
        posts=tuple(f"{name} {n + 1}" for name, size in zip(routes, sizes, strict=True) for n in range(size)),
        city_index=index,
        develop_pairs=tuple(pairs),
        swap_pairs=tuple((c, k) for c, city in enumerate(data["cities"]) for k in range(len(city["offices"]) - 1)),
        green_cities=tuple(c for c, city in enumerate(data["cities"]) if city["special"] == "green"),
        foreign=tuple(region for region in data["regions"] if region in foreign),
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
