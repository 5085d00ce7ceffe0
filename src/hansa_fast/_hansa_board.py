"""Boards of Hansa (2004): read from a JSON file, checked, never changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from hansa_fast import _boards
from hansa_fast._errors import BoardError

PILES = 5
MOST_PLAYERS = 4
# What fits into the state of the core and into the ids of docs/actions.md.
MAX_CITIES = 16
MAX_SPACES = 16
MAX_CITY_SPACES = 4
MAX_COLOURS = 8
MAX_BARRELS = 4
MAX_EQUAL_MARKERS = 5
MAX_PILE = 64


@dataclass(frozen=True)
class HansaBoard:
    """A checked board. Cities and colours are known by their index in the file, goods are colour and barrels."""

    data: Mapping[str, Any]
    cities: tuple[str, ...]
    city_index: Mapping[str, int]
    colours: tuple[str, ...]
    barrels: Mapping[int, int]  # barrels -> markers of each colour
    spaces: tuple[int, ...]  # the city of each warehouse, in the order in which they are filled (H2)

    def played_colours(self, players: int) -> int:
        """How many colours are in play (H1): all with four players, one fewer for each player fewer."""
        return len(self.colours) - (MOST_PLAYERS - players)

    def pile_sizes(self, players: int) -> tuple[int, ...]:
        """The sizes of the five piles (H1): as equal as can be, the first ones larger."""
        rest = self.played_colours(players) * sum(self.barrels.values()) - len(self.spaces)
        return tuple((rest + PILES - 1 - k) // PILES for k in range(PILES))


@cache
def load_board(name: str) -> HansaBoard:
    """The board of this name. Raises `BoardError` if its file has a mistake."""
    return check_board(_boards.read_data(name))


@cache
def board_names() -> tuple[str, ...]:
    """Names of all boards of Hansa in the package, sorted."""
    return tuple(name for name in _boards.file_names() if "goods" in _boards.keys_of(_boards.read_data(name)))


def check_board(data: Mapping[str, Any]) -> HansaBoard:
    """Check a parsed board file and derive its tables; the error names every wrong entry."""
    try:
        return _check(data)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        if isinstance(error, BoardError):
            raise
        raise BoardError(f"board: an entry is missing or of the wrong kind: {error!r}") from None


def _check(data: Mapping[str, Any]) -> HansaBoard:
    wrong: list[str] = []

    def need(condition: bool, message: str) -> None:
        if not condition:
            wrong.append(message)

    cities = tuple(str(city["name"]) for city in data["cities"])
    index = {name: k for k, name in enumerate(cities)}
    need(len(index) == len(cities), "cities: a name occurs twice")
    need(1 <= len(cities) <= MAX_CITIES, f"cities: at most {MAX_CITIES}")
    need(data["start"] in index, f"start: {data['start']!r} is no city")
    numbered = []
    for k, city in enumerate(data["cities"]):
        rooms = city["warehouses"]
        need(len(rooms) <= MAX_CITY_SPACES, f"city {city['name']}: at most {MAX_CITY_SPACES} warehouses")
        need(all(type(n) is int for n in rooms), f"city {city['name']}: warehouses have numbers")
        numbered += [(number, k) for number in rooms]
    need(len(numbered) <= MAX_SPACES, f"cities: at most {MAX_SPACES} warehouses in all")
    for number in {number for number, _ in numbered}:
        owners = {k for other, k in numbered if other == number}
        need(len(owners) == 1, f"cities: two cities have warehouses of number {number}")
    for route in data["routes"]:
        need(len(route) == 2 and set(route) <= set(cities), f"routes: {route!r} does not join two cities")
    reached = {data["start"]}
    for _ in cities:
        reached |= {b for a, b in data["routes"] if a in reached}
    need(reached >= set(cities), f"routes: the ship cannot get to {', '.join(sorted(set(cities) - reached))}")
    colours = tuple(str(colour) for colour in data["goods"]["colours"])
    barrels = {int(key): int(value) for key, value in data["goods"]["barrels"].items()}
    need(len(set(colours)) == len(colours) <= MAX_COLOURS, f"goods: at most {MAX_COLOURS} different colours")
    need(all(colour and " " not in colour for colour in colours), "goods: a colour is a single word")
    need(set(barrels) <= set(range(1, MAX_BARRELS + 1)), f"goods: barrels are from 1 to {MAX_BARRELS}")
    need(all(0 < n <= MAX_EQUAL_MARKERS for n in barrels.values()), f"goods: 1 to {MAX_EQUAL_MARKERS} equal markers")
    need(len(colours) >= MOST_PLAYERS - 1, "goods: too few colours for two players")
    rest = len(colours) * sum(barrels.values()) - len(numbered)
    need(PILES <= rest <= MAX_PILE, f"goods: the piles would hold {rest} markers, at most {MAX_PILE}")
    if wrong:
        raise BoardError(f"board {data.get('id', '?')}: " + "; ".join(wrong))
    spaces = tuple(k for _, k in sorted(numbered))
    return HansaBoard(data, cities, index, colours, dict(sorted(barrels.items())), spaces)
