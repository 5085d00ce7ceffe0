"""Boards of Hansa (2004): read from a JSON file, checked, never changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from hansa_fast import _boards
from hansa_fast._errors import BoardError, shown

PILES = 5
SEATS = (2, 3, 4)
MOST_PLAYERS = SEATS[-1]
MIN_CITIES = 4  # three to place booths in, and the one where the ship starts
MIN_COLOURS = 3  # one is played with two players
BARRELS = ("1", "2", "3", "4")
# What fits into the state of the core and into the ids of docs/actions.md.
MAX_CITIES = 16
MAX_SPACES = 16
MAX_CITY_SPACES = 4
MAX_COLOURS = 8
MAX_EQUAL_MARKERS = 5
MAX_PILE = 64

# The keys of a board file and what they hold; `?` marks what may be left out. docs/boards.md tells what they mean.
FORMAT: dict[str, Any] = {
    "id": str,
    "name": str,
    "players": [int],
    "start": str,
    "cities": [{"name": str, "warehouses": [int], "x": float, "y": float}],
    "routes": [[str]],
    "goods": {"colours": [str], "barrels": Mapping},
    "reconstructed?": Mapping,
    "note?": str,
}


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
    board = check_board(_boards.read_data(name))
    if board.data["id"] != name:
        raise BoardError(f"board {name}: its id is {shown(board.data['id'])}; it must be the name of the file")
    return board


@cache
def board_names() -> tuple[str, ...]:
    """Names of all boards of Hansa in the package, sorted."""
    return tuple(name for name in _boards.file_names() if "goods" in _boards.keys_of(_boards.read_data(name)))


def check_board(data: Any) -> HansaBoard:
    """Check a parsed board file and derive its tables; the error names every wrong entry."""
    wrong: list[str] = []
    _boards.check_format(data, FORMAT, "", wrong)
    if not wrong:
        _boards.check_names(data, wrong)
    if not wrong:
        _check_cities(data, wrong)
        _check_routes(data, wrong)
        _check_goods(data, wrong)
    if not wrong:
        board = _derive(data)
        _check_piles(board, wrong)
    if wrong:
        raise BoardError(f"board {shown(data.get('id')) if isinstance(data, Mapping) else '?'}: " + "; ".join(wrong))
    return board


def _check_cities(data: Mapping[str, Any], wrong: list[str]) -> None:
    cities = [city["name"] for city in data["cities"]]
    if not MIN_CITIES <= len(cities) <= MAX_CITIES:
        wrong.append(f"cities: must be from {MIN_CITIES} to {MAX_CITIES}, not {len(cities)}")
    _boards.one_of(data["start"], cities, "start: city", wrong)
    for city in data["cities"]:
        if len(city["warehouses"]) > MAX_CITY_SPACES:
            wrong.append(f"city {city['name']}: at most {MAX_CITY_SPACES} warehouses, not {len(city['warehouses'])}")
    numbered = [(number, city["name"]) for city in data["cities"] for number in city["warehouses"]]
    if not 1 <= len(numbered) <= MAX_SPACES:
        wrong.append(f"cities: must have from 1 to {MAX_SPACES} warehouses in all, not {len(numbered)}")
    for number in sorted({number for number, _ in numbered}):
        owners = sorted({name for other, name in numbered if other == number})
        if len(owners) > 1:
            wrong.append(f"cities: number {shown(number)} is on warehouses of {' and '.join(owners)}")
    seats = data["players"]
    if not seats or not set(seats) <= set(SEATS) or len(set(seats)) < len(seats):
        wrong.append(f"players: must be some of {', '.join(map(str, SEATS))}, not {shown(seats)}")


def _check_routes(data: Mapping[str, Any], wrong: list[str]) -> None:
    cities = {city["name"] for city in data["cities"]}
    arrows = [tuple(arrow) for arrow in data["routes"]]
    for arrow in arrows:
        if len(arrow) != 2 or arrow[0] == arrow[1] or not set(arrow) <= cities:
            wrong.append(f"routes: {shown(list(arrow))} does not lead from one city to another")
        elif arrows.count(arrow) > 1:
            wrong.append(f"routes: {shown(list(arrow))} occurs twice")
    reached = {data["start"]}
    for _ in cities:
        reached |= {arrow[-1] for arrow in arrows if arrow and arrow[0] in reached}
    if not reached >= cities:
        wrong.append(f"routes: the ship cannot get to {', '.join(sorted(cities - reached))}")


def _check_goods(data: Mapping[str, Any], wrong: list[str]) -> None:
    colours, barrels = data["goods"]["colours"], data["goods"]["barrels"]
    if not MIN_COLOURS <= len(colours) <= MAX_COLOURS:
        wrong.append(f"goods: must have from {MIN_COLOURS} to {MAX_COLOURS} colours, not {len(colours)}")
    for colour in colours:
        if not colour.isalpha() or _boards.fold(colour) != colour:
            wrong.append(f"goods: {shown(colour)} must be a single word in small letters")
        if colours.count(colour) > 1:
            wrong.append(f"goods: colour {shown(colour)} occurs twice")
    if not barrels:
        wrong.append("goods: there are no markers")
    for key, number in barrels.items():
        _boards.one_of(key, BARRELS, "goods: barrels", wrong)
        if type(number) is not int or not 1 <= number <= MAX_EQUAL_MARKERS:
            wrong.append(f"goods: of each kind there are 1 to {MAX_EQUAL_MARKERS} markers, not {shown(number)}")


def _check_piles(board: HansaBoard, wrong: list[str]) -> None:
    for players in board.data["players"]:
        sizes = board.pile_sizes(players)
        if min(sizes) < 1 or sum(sizes) > MAX_PILE:
            wrong.append(
                f"goods: with {players} players {sum(sizes)} markers would be left for the piles; "
                f"must be from {PILES} to {MAX_PILE}"
            )


def _derive(data: Mapping[str, Any]) -> HansaBoard:
    cities = tuple(city["name"] for city in data["cities"])
    numbered = [(number, k) for k, city in enumerate(data["cities"]) for number in city["warehouses"]]
    barrels = {int(key): number for key, number in sorted(data["goods"]["barrels"].items())}
    return HansaBoard(
        data,
        cities,
        {name: k for k, name in enumerate(cities)},
        tuple(data["goods"]["colours"]),
        barrels,
        tuple(k for _, k in sorted(numbered)),
    )
