"""Hansa on both engines behind one face, and positions to set before them.

The counterpart of `engines` for the second game: a rule test sees only a table and builds what it needs with a `Port`,
a legal position to which readable changes are made, while goods and booths are conserved.
"""

from __future__ import annotations

from collections import Counter
from typing import Self

from tests.engines import ENGINES, CoreTable, Json, ReferenceTable, Table, load

__all__ = ["CITIES", "COLOURS", "ENGINES", "KINDS", "PILE_SIZES", "SPACES", "Port", "Tables", "arrows"]

BOARD = load("hansa-2004")
CITIES: list[str] = [city["name"] for city in BOARD["cities"]]
COLOURS: list[str] = BOARD["goods"]["colours"]
KINDS = {"1": 4, "2": 5, "3": 4}  # markers of a colour by barrels
BOOTHS = 15
PILE_SIZES = {2: (8, 8, 8, 7, 7), 3: (11, 10, 10, 10, 10), 4: (13, 13, 13, 13, 12)}

# The warehouses in the order in which they are filled: city and place in its row.
SPACES: list[tuple[str, int]] = [
    (city["name"], place)
    for city in sorted(BOARD["cities"], key=lambda city: city["warehouses"][0])
    for place in range(len(city["warehouses"]))
]


def arrows(city: str) -> set[str]:
    """Where the ship may sail from a city."""
    return {there for here, there in BOARD["routes"] if here == city}


class Port:
    """A legal position in phase `main`, to be changed step by step; `to_dict()` gives the canonical form.

    Seat 0 has the turn, everybody has 3 talers, all booths are in supply and the ship lies in its first city. Goods
    that are not mentioned fill the warehouses that are not mentioned, then the piles (short piles are the first ones);
    what does not fit is out of the game.
    """

    def __init__(self, *, players: int = 3, turn_limit: int | None = None) -> None:
        self.options: Json = {"players": players, "turn_limit": turn_limit}
        self.seats = range(players)
        self._colours = COLOURS[: players + 2]
        self._ship: str = BOARD["start"]
        self._acted = False
        self._turn = self._seat = 0
        self._laid: dict[str, list[str | None]] = {}
        self._booths: dict[str, list[int]] = {}
        self._talers = [3] * players
        self._unsold: list[Counter[str]] = [Counter() for _ in self.seats]
        self._sold: list[Counter[str]] = [Counter() for _ in self.seats]
        self._first: tuple[str, ...] = ()
        self._sizes: tuple[int, ...] | None = None

    # The board

    def colours(self, *colours: str) -> Self:
        self._colours = [colour for colour in COLOURS if colour in colours]
        return self

    def ship(self, city: str, *, acted: bool = False) -> Self:
        assert city in CITIES
        self._ship, self._acted = city, acted
        return self

    def lay(self, city: str, *goods: str | None) -> Self:
        """The warehouses of a city; those not mentioned are empty."""
        row = [place for name, place in SPACES if name == city]
        assert row and len(goods) <= len(row), f"{city} has {len(row)} warehouses"
        self._laid[city] = [*goods, *[None] * (len(row) - len(goods))]
        return self

    def empty(self, *cities: str) -> Self:
        """Nothing lies in these cities (in all cities, if none is named)."""
        for city in cities or CITIES:
            self.lay(city)
        return self

    def booths(self, city: str, *numbers: int) -> Self:
        """Booths in a city by seat; seats not mentioned have none."""
        assert city in CITIES and len(numbers) <= len(self.seats)
        self._booths[city] = [*numbers, *[0] * (len(self.seats) - len(numbers))]
        return self

    def draws(self, *goods: str) -> Self:
        """The goods that are drawn first."""
        self._first = goods
        return self

    def piles(self, *sizes: int) -> Self:
        """The sizes of the five piles; what does not fit is out of the game."""
        assert list(sizes) == self._fitting_sizes(sum(sizes)), "piles are drawn from in order"
        self._sizes = sizes
        return self

    # Players

    def turn(self, seat: int, *, number: int | None = None) -> Self:
        """Whose turn it is, after so many turns of all players."""
        self._seat = seat
        self._turn = seat if number is None else number
        assert self._turn % len(self.seats) == seat
        return self

    def talers(self, seat: int, talers: int) -> Self:
        self._talers[seat] = talers
        return self

    def unsold(self, seat: int, *goods: str) -> Self:
        self._unsold[seat].update(goods)
        return self

    def sold(self, seat: int, *goods: str) -> Self:
        self._sold[seat].update(goods)
        return self

    # Results

    def setup(self) -> Json:
        """The explicit set-up of the opening with these goods laid out and drawn first."""
        position = self.to_dict()
        goods = [position["warehouses"][city][place] for city, place in SPACES]
        return {"colours": position["colours"], "goods": goods, "piles": position["piles"]}

    def to_dict(self) -> Json:
        warehouses, piles, removed = self._settle_goods()
        players = []
        for seat in self.seats:
            placed = sum(row[seat] for row in self._booths.values())
            assert placed <= BOOTHS, f"seat {seat} has only {BOOTHS} booths"
            players.append(
                {
                    "talers": self._talers[seat],
                    "booths": BOOTHS - placed,
                    "unsold": _sorted(self._unsold[seat]),
                    "sold": _sorted(self._sold[seat]),
                }
            )
        return {
            "turn": self._turn,
            "turn_limit": self.options["turn_limit"],
            "current": self._seat,
            "player": self._seat,
            "phase": "main",
            "colours": list(self._colours),
            "ship": self._ship,
            "acted": self._acted,
            "warehouses": warehouses,
            "booths": {city: list(self._booths[city]) for city in CITIES if any(self._booths.get(city, ()))},
            "piles": piles,
            "removed": removed,
            "end": [],
            "players": players,
            "pending": None,
        }

    def _settle_goods(self) -> tuple[Json, list[list[str]], Json]:
        left = Counter({f"{colour} {barrels}": KINDS[barrels] for colour in self._colours for barrels in KINDS})
        for row in self._laid.values():
            left.subtract(good for good in row if good is not None)
        for counts in (*self._unsold, *self._sold):
            left.subtract(counts)
        left.subtract(self._first)
        assert min(left.values()) >= 0, f"too many goods: {left}"
        # Taken in turn from all kinds, so that neighbours differ.
        rest = [good for number in range(5) for good in sorted(left) if left[good] > number]
        warehouses: dict[str, list[str | None]] = {}
        for city, place in SPACES:
            row = warehouses.setdefault(city, [])
            row.append(self._laid[city][place] if city in self._laid else rest.pop(0))
        rest = [*self._first, *rest]
        piles = []
        for size in self._sizes or self._fitting_sizes(len(rest)):
            assert len(rest) >= size, "not enough goods for these piles"
            piles.append(rest[:size])
            rest = rest[size:]
        return {city: warehouses[city] for city in CITIES}, piles, _sorted(Counter(rest))

    def _fitting_sizes(self, goods: int) -> list[int]:
        """Full piles; with too few goods the first ones are drawn from."""
        missing = max(0, sum(PILE_SIZES[len(self.seats)]) - goods)
        sizes = []
        for full in PILE_SIZES[len(self.seats)]:
            sizes.append(max(0, full - missing))
            missing -= full - sizes[-1]
        return sizes


def _sorted(goods: Counter[str]) -> Json:
    """As the canonical dict has it: by colour, then by barrels, without zeros."""
    return {
        f"{colour} {barrels}": goods[f"{colour} {barrels}"]
        for colour in COLOURS
        for barrels in KINDS
        if goods[f"{colour} {barrels}"]
    }


class HansaTable(Table):
    """What the tests of this game like to ask."""

    def talers(self) -> list[int]:
        """The talers of all seats."""
        return [player["talers"] for player in self["players"]]

    def unsold(self, seat: int) -> Json:
        goods: Json = self.seat(seat)["unsold"]
        return goods

    def sold(self, seat: int) -> Json:
        goods: Json = self.seat(seat)["sold"]
        return goods

    def in_supply(self, seat: int) -> int:
        """Booths not on the board."""
        booths: int = self.seat(seat)["booths"]
        return booths

    def booths(self, city: str) -> list[int]:
        """Booths in a city, by seat."""
        numbers: list[int] = self["booths"].get(city, [0] * len(self["players"]))
        return numbers


class HansaReferenceTable(HansaTable, ReferenceTable):
    def __init__(self, options: Json, *, position: Json | None = None, setup: Json | None = None) -> None:
        from tests.reference.hansa import Hansa

        if position is not None:
            self._game = Hansa.from_dict(options, position)
        else:
            assert setup is not None
            self._game = Hansa(**options, setup=setup)


class HansaCoreTable(HansaTable, CoreTable):
    def __init__(self, options: Json, *, position: Json | None = None, setup: Json | None = None) -> None:
        import hansa_fast as hf

        rules = hf.Rules(game="hansa", **options)
        if position is None:
            self._state = rules.new(seed=1, setup=setup)
        else:
            self._state = hf.State.from_dict(rules, position)


class Tables:
    """Sets up games on one engine."""

    def __init__(self, engine: str) -> None:
        self.engine = engine
        self._table = {"reference": HansaReferenceTable, "core": HansaCoreTable}[engine]

    def __call__(self, port: Port) -> HansaTable:
        """The position itself."""
        return self._table(port.options, position=port.to_dict())

    def new(self, port: Port) -> HansaTable:
        """A new game, with the set-up of the port given explicitly."""
        return self._table(port.options, setup=port.setup())
