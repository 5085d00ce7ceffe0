"""One face for both engines, and positions to set before them.

A rule test sees only a `Table` (the slow reference or the compiled core behind it) and builds what it needs with a
`Position`: a legal opening to which readable changes are made, while pieces and markers are conserved.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, Self

from tests.reference.boards import BOARD_FILES

ENGINES = ("reference", "core")
ABILITIES = ("keys", "actions", "privilege", "book", "bank")
DESK = {"keys": 4, "actions": 5, "privilege": 3, "book": 3, "bank": 3}
ACTIONS = (2, 3, 3, 4, 4, 5)
GOLD = {
    "2009": ("swap_posts", "remove_3", "additional_post"),
    "big-box": ("swap_posts", "move_3", "additional_post"),
}
TRADERS, MERCHANTS = 26, 4

Json = dict[str, Any]
Pieces = tuple[int, int]


@cache
def load(name: str) -> Json:
    """A file of board data, by its name without the ending."""
    data: Json = json.loads((BOARD_FILES / f"{name}.json").read_text(encoding="utf-8"))
    return data


def routes(board: str) -> dict[str, Json]:
    return {f"{route['a']}-{route['b']}": route for route in load(board)["routes"]}


def cities(board: str) -> dict[str, Json]:
    return {city["name"]: city for city in load(board)["cities"]}


def posts(board: str, *names: str, boats: bool = True) -> list[str]:
    """The posts of the named routes (of all routes, if none is named), with or without boat posts."""
    table = routes(board)
    return [
        f"{name} {number}"
        for name in names or table
        for number, post in enumerate(table[name]["posts"], 1)
        if boats or post["shape"] == "any"
    ]


def marker_kinds(edition: str) -> dict[str, int]:
    """How many markers of each kind the edition has."""
    return {marker["id"]: marker["count"] for marker in load("bonus-markers")["editions"][edition]["markers"]}


def with_prefix(prefix: str, names: Iterable[str]) -> set[str]:
    return {f"{prefix} {name}" for name in names}


class Position:
    """A legal position, to be changed step by step; `to_dict()` gives the canonical form.

    Pieces put on the board come from the owner's stock, then from his supply; `supply` and `stock` fix one of the two
    exactly, the other takes what is left. A developed ability brings its desk piece into play. Markers not mentioned
    lie in the pile. What follows from the rest (completed cities, connections, actions) is worked out.
    """

    def __init__(
        self,
        *,
        edition: str = "big-box",
        board: str = "standard-4-5",
        players: int = 4,
        missions: bool = False,
        favours: bool = False,
        turn_limit: int | None = None,
    ) -> None:
        self.options: Json = {
            "edition": edition,
            "board": board,
            "players": players,
            "missions": missions,
            "favours": favours,
            "turn_limit": turn_limit,
        }
        self.board = board
        self.seats = range(players)
        self._posts: dict[str, str] = {}
        self._offices: dict[str, list[str]] = {}
        self._extra: dict[str, list[str]] = {}
        self._green: dict[str, list[str]] = {}
        self._prestige: dict[int, int] = {}
        self._abilities = [dict.fromkeys(ABILITIES, 0) for _ in self.seats]
        self._supply: dict[int, Pieces] = {}
        self._stock: dict[int, Pieces] = {}
        self._points = [0] * players
        self._markers: list[Counter[str]] = [Counter() for _ in self.seats]
        self._used: list[Counter[str]] = [Counter() for _ in self.seats]
        self._plates: list[Counter[str]] = [Counter() for _ in self.seats]
        self._any_used = [0] * players
        taverns = [name for name, route in routes(board).items() if route["tavern"]]
        self._on_routes = dict(zip(taverns, GOLD[edition], strict=True))
        self._first: tuple[str, ...] = ()
        self._pile_left: tuple[int, int] | None = None
        tiles = [tile["id"] for tile in load("emperors-favour")["tiles"]]
        self._open = tiles[:players] if favours else []
        self._tiles: list[list[str]] = [[] for _ in self.seats]
        self._missions: list[list[str] | None] = [None] * players
        if missions:
            self._missions = [list(card) for card in load("missions")["cards"][:players]]
        self._turn = 0
        self._actions: int | None = None
        self._acted = False
        self._pawn = "P1" if players == 2 else None
        self._connected: tuple[int, ...] = ()

    # The board

    def piece(self, post: str, piece: str) -> Self:
        assert post in posts(self.board), f"no post {post}"
        assert post not in self._posts, f"{post} is taken"
        self._posts[post] = piece
        return self

    def is_taken(self, post: str) -> bool:
        """Whether a piece stands on the post."""
        return post in self._posts

    def fill(self, route: str, *pieces: str | None) -> Self:
        """Pieces on a route from its first post on; a single piece fills all posts, None leaves one free."""
        names = posts(self.board, route)
        row = pieces * len(names) if len(pieces) == 1 else pieces
        assert len(row) <= len(names), f"{route} has {len(names)} posts"
        for name, piece in zip(names, row, strict=False):
            if piece is not None:
                self.piece(name, piece)
        return self

    def fill_rest(self, *seats: int, free: Iterable[str] = (), boats: bool = True) -> Self:
        """Traders of these seats, all abilities developed, on every free post but the named ones (and boat posts).

        Boat posts are taken by merchants if `boats` is set, else they stay free.
        """
        for seat in seats:
            self.ability(seat, **DESK)
        left = {seat: self.unplaced(seat) for seat in seats}
        for name in posts(self.board):
            if name in self._posts or name in set(free):
                continue
            route, number = name.rsplit(" ", 1)
            boat = routes(self.board)[route]["posts"][int(number) - 1]["shape"] == "merchant"
            if boat and not boats:
                continue
            seat = max(seats, key=lambda one: left[one][1 if boat else 0])
            traders, merchants = left[seat]
            left[seat] = (traders, merchants - 1) if boat else (traders - 1, merchants)
            self.piece(name, f"{'merchant' if boat else 'trader'} {seat}")
        return self

    def office(self, city: str, *owners: int | str) -> Self:
        """Printed offices from the left: seats (a piece of the printed shape) or pieces."""
        printed = cities(self.board)[city]["offices"]
        assert city not in self._offices, f"{city} is filled already"
        assert len(owners) <= len(printed), f"{city} has {len(printed)} offices"
        self._offices[city] = [
            f"{space['shape']} {owner}" if isinstance(owner, int) else owner
            for owner, space in zip(owners, printed, strict=False)
        ]
        return self

    def office_added(self, city: str, piece: str) -> Self:
        """One more printed office, right of those already filled."""
        row = self._offices.setdefault(city, [])
        assert len(row) < len(cities(self.board)[city]["offices"]), f"{city} is full"
        row.append(piece)
        return self

    def extra(self, city: str, *pieces: str) -> Self:
        """Extra offices in the order they were added; the owners have used a marker for each."""
        self._extra.setdefault(city, []).extend(pieces)
        for piece in pieces:
            self._used[_seat(piece)]["additional_post"] += 1
        return self

    def extra_used(self, city: str, piece: str) -> Self:
        """An extra office for a marker that the owner is already said to have used."""
        assert self.spare_extra(_seat(piece)), f"{piece} lacks a used marker"
        self._extra.setdefault(city, []).append(piece)
        return self

    def spare_extra(self, seat: int) -> int:
        """Used markers for extra offices of this seat that do not stand for one on the board yet."""
        standing = sum(_seat(piece) == seat for row in self._extra.values() for piece in row)
        return self._used[seat]["additional_post"] - standing

    def green(self, city: str, *pieces: str) -> Self:
        self._green.setdefault(city, []).extend(pieces)
        return self

    def prestige(self, points: int, seat: int) -> Self:
        self._prestige[points] = seat
        return self

    # Players

    def ability(self, seat: int, **levels: int) -> Self:
        for name, level in levels.items():
            assert 0 <= level <= DESK[name]
            self._abilities[seat][name] = level
        return self

    def supply(self, seat: int, traders: int, merchants: int) -> Self:
        self._supply[seat] = (traders, merchants)
        return self

    def stock(self, seat: int, traders: int, merchants: int) -> Self:
        self._stock[seat] = (traders, merchants)
        return self

    def points(self, seat: int, points: int) -> Self:
        self._points[seat] = points
        return self

    def turn(self, seat: int, *, actions: int | None = None, acted: bool = False) -> Self:
        """Whose turn it is; `actions` left, if not as many as his turn begins with; `acted` if it has begun."""
        self._turn, self._actions, self._acted = seat, actions, acted
        return self

    def tile(self, seat: int, tile: str) -> Self:
        """A favour bought earlier, for two markers; another tile is laid out in its stead if it was not open."""
        if tile not in self._open:
            self._open[-1] = tile
        self._open.remove(tile)
        self._tiles[seat].append(tile)
        self._any_used[seat] += 2
        return self

    def open_tiles(self, *tiles: str) -> Self:
        self._open = list(tiles)
        return self

    def own_tile(self, seat: int, tile: str) -> Self:
        """An open tile bought earlier; which markers were used for it is said elsewhere."""
        self._open.remove(tile)
        self._tiles[seat].append(tile)
        return self

    def mission(self, seat: int, third: str) -> Self:
        """The card with this third city, which is on no other; who had it gets the card of this seat."""
        card = next(list(card) for card in load("missions")["cards"] if card[2] == third)
        if card in self._missions:
            self._missions[self._missions.index(card)] = self._missions[seat]
        self._missions[seat] = card
        return self

    def mission_of(self, seat: int) -> list[str]:
        """The three cities of a seat's mission."""
        card = self._missions[seat]
        assert card is not None, "this game has no missions"
        return list(card)

    def pawn(self, province: str) -> Self:
        self._pawn = province
        return self

    def east_west(self, *seats: int) -> Self:
        """The order in which the connected seats made it, if not by seat."""
        self._connected = seats
        return self

    # Markers

    def markers(self, seat: int, *kinds: str) -> Self:
        self._markers[seat].update(kinds)
        return self

    def used(self, seat: int, *kinds: str) -> Self:
        self._used[seat].update(kinds)
        return self

    def any_used(self, seat: int, number: int) -> Self:
        """So many used markers of whatever kinds are left over."""
        self._any_used[seat] += number
        return self

    def plate(self, seat: int, *kinds: str) -> Self:
        """Markers that found no route at an earlier end of a turn."""
        self._plates[seat].update(kinds)
        return self

    def on_routes(self, markers: dict[str, str]) -> Self:
        """The markers on routes, in place of those at the taverns."""
        self._on_routes = dict(markers)
        return self

    def pile(self, *kinds: str) -> Self:
        """The kinds that are drawn first."""
        self._first = kinds
        return self

    def pile_left(self, number: int, *, user: int) -> Self:
        """A pile of this size; the other markers were used by this seat."""
        self._pile_left = (number, user)
        return self

    # Results

    def setup(self) -> Json:
        """The explicit set-up of the opening this position starts from."""
        setup: Json = {"taverns": dict(self._on_routes), "pile": self.to_dict()["pile"]}
        if self.options["favours"]:
            setup["favours"] = list(self._open)
        if self.options["missions"]:
            setup["missions"] = self._missions
        return setup

    def to_dict(self) -> Json:
        used = [Counter(counts) for counts in self._used]
        pile = self._settle_markers(used)
        tiles = [tile["id"] for tile in load("emperors-favour")["tiles"]]
        players = []
        for seat in self.seats:
            supply, stock = self._settle_pieces(seat)
            players.append(
                {
                    "supply": {"traders": supply[0], "merchants": supply[1]},
                    "stock": {"traders": stock[0], "merchants": stock[1]},
                    "points": self._points[seat],
                    "abilities": dict(self._abilities[seat]),
                    "markers": dict(+self._markers[seat]),
                    "used": dict(+used[seat]),
                    "plate": dict(+self._plates[seat]),
                    "favours": sorted(self._tiles[seat], key=tiles.index),
                    "mission": self._missions[seat],
                }
            )
        actions = ACTIONS[self._abilities[self._turn]["actions"]] + ("extra_action" in self._tiles[self._turn])
        return {
            "turn": self._turn,
            "turn_limit": self.options["turn_limit"],
            "current": self._turn,
            "player": self._turn,
            "phase": "main",
            "actions": actions if self._actions is None else self._actions,
            "fresh": not self._acted,
            "acted": self._acted,
            "actions_over": False,
            "pawn": self._pawn,
            "pawn_moved": False,
            "permissions_used": [],
            "posts": dict(self._posts),
            "offices": {
                city: row + [None] * (len(cities(self.board)[city]["offices"]) - len(row))
                for city, row in self._offices.items()
                if row
            },
            "extra": {city: list(row) for city, row in self._extra.items()},
            "green": {city: list(row) for city, row in self._green.items()},
            "prestige": {str(points): seat for points, seat in self._prestige.items()},
            "completed": self._completed(),
            "east_west": self._east_west(),
            "markers": dict(self._on_routes),
            "pile": pile,
            "plate": {},
            "favours": sorted(self._open, key=tiles.index),
            "end": [],
            "players": players,
            "pending": None,
        }

    # What follows from the rest

    def _pieces(self) -> Iterator[str]:
        yield from self._posts.values()
        for rows in (self._offices, self._extra, self._green):
            for row in rows.values():
                yield from row
        for seat in self._prestige.values():
            yield f"merchant {seat}"

    def unplaced(self, seat: int) -> Pieces:
        """The pieces of a seat that are neither on the board nor on his desk."""
        levels = self._abilities[seat]
        desk = sum(DESK[name] - levels[name] for name in ABILITIES if name != "book")
        placed = Counter(self._pieces())
        traders = TRADERS - desk - placed[f"trader {seat}"]
        merchants = MERCHANTS - (DESK["book"] - levels["book"]) - placed[f"merchant {seat}"]
        assert min(traders, merchants) >= 0, f"seat {seat} lacks {-traders} traders, {-merchants} merchants"
        return traders, merchants

    def _settle_pieces(self, seat: int) -> tuple[Pieces, Pieces]:
        traders, merchants = self.unplaced(seat)
        if seat in self._stock:
            stock = self._stock[seat]
            supply = (traders - stock[0], merchants - stock[1])
        else:
            supply = self._supply.get(seat, (min(traders, 5 + seat), min(merchants, 1)))
            stock = (traders - supply[0], merchants - supply[1])
        if seat in self._stock and seat in self._supply:
            assert supply == self._supply[seat], (
                f"seat {seat} has {traders} traders, {merchants} merchants to share out"
            )
        assert min(*supply, *stock) >= 0, f"seat {seat} has only {traders} traders, {merchants} merchants"
        return supply, stock

    def _settle_markers(self, used: list[Counter[str]]) -> list[str]:
        left = Counter(marker_kinds(self.options["edition"]))
        left.subtract(self._on_routes.values())
        left.subtract(self._first)
        for seat in self.seats:
            for counts in (self._markers[seat], used[seat], self._plates[seat]):
                left.subtract(counts)
        assert min(left.values()) >= 0, f"too many markers: {left}"
        assert len(self._on_routes) + sum(sum(plate.values()) for plate in self._plates) <= 3
        wanted = [(seat, number) for seat, number in enumerate(self._any_used) if number]
        if self._pile_left is not None:
            number, user = self._pile_left
            spare = left.total() + len(self._first) - number - sum(self._any_used)
            wanted.append((user, spare))
        for seat, number in wanted:
            for _ in range(number):
                kind = max(left, key=lambda one: left[one])
                assert left[kind] > 0, "no markers left"
                left[kind] -= 1
                used[seat][kind] += 1
        return [*self._first, *left.elements()]

    def _completed(self) -> int:
        table = cities(self.board)
        printed = sum(len(row) == len(table[city]["offices"]) for city, row in self._offices.items())
        return printed + len({city for city in (*self._green, *self._extra) if not table[city]["offices"]})

    def _east_west(self) -> list[int]:
        found = self.connected()
        if self._connected:
            assert sorted(self._connected) == found
            return list(self._connected)
        return found

    def connected(self) -> list[int]:
        """The seats whose offices join the two east-west cities."""
        start, goal = load(self.board)["east_west"]
        found = []
        for seat in self.seats:
            mine = {
                city
                for rows in (self._offices, self._extra, self._green)
                for city, row in rows.items()
                if any(_seat(piece) == seat for piece in row)
            }
            reached = {start} & mine
            for _ in mine:
                for route in load(self.board)["routes"]:
                    ends = {route["a"], route["b"]}
                    if ends & reached and ends <= mine:
                        reached |= ends
            if goal in reached:
                found.append(seat)
        return found


def _seat(piece: str) -> int:
    return int(piece.split()[1])


class Table:
    """A game in progress on one of the engines, in texts and plain values."""

    engine = ""

    # What an engine supplies

    @property
    def player(self) -> int:
        raise NotImplementedError

    @property
    def phase(self) -> str:
        raise NotImplementedError

    @property
    def is_over(self) -> bool:
        raise NotImplementedError

    def legal(self) -> set[str]:
        raise NotImplementedError

    def apply(self, text: str) -> None:
        raise NotImplementedError

    def to_dict(self) -> Json:
        raise NotImplementedError

    def scores(self) -> list[Json]:
        raise NotImplementedError

    def result(self) -> Json:
        raise NotImplementedError

    # What the tests like to ask

    def play(self, *texts: str) -> Self:
        """Each text must be legal when its moment comes."""
        for text in texts:
            legal = self.legal()
            assert text in legal, f"{text!r} is not among {sorted(legal)}"
            self.apply(text)
        return self

    def offers(self, *starts: str) -> set[str]:
        """The legal texts whose first words are these."""
        words = " ".join(starts).split()
        return {text for text in self.legal() if text.split()[: len(words)] == words}

    def seat(self, seat: int) -> Json:
        player: Json = self.to_dict()["players"][seat]
        return player

    def supply(self, seat: int) -> Pieces:
        supply = self.seat(seat)["supply"]
        return supply["traders"], supply["merchants"]

    def stock(self, seat: int) -> Pieces:
        stock = self.seat(seat)["stock"]
        return stock["traders"], stock["merchants"]

    def points(self, seat: int) -> int:
        points: int = self.seat(seat)["points"]
        return points

    def level(self, seat: int, ability: str) -> int:
        level: int = self.seat(seat)["abilities"][ability]
        return level

    def score(self, part: str) -> list[int]:
        """One part of the scores, by seat."""
        return [scores[part] for scores in self.scores()]

    def __getitem__(self, key: str) -> Any:
        return self.to_dict()[key]


class ReferenceTable(Table):
    engine = "reference"
    _game: Any  # the reference of either game

    def __init__(self, options: Json, *, position: Json | None = None, setup: Json | None = None) -> None:
        from tests.reference.teutonica import Teutonica

        if position is not None:
            self._game = Teutonica.from_dict(options, position)
        else:
            assert setup is not None
            self._game = Teutonica(**options, setup=setup)

    @property
    def player(self) -> int:
        return int(self._game.player)

    @property
    def phase(self) -> str:
        return str(self._game.phase)

    @property
    def is_over(self) -> bool:
        return bool(self._game.is_over)

    def legal(self) -> set[str]:
        texts = list(self._game.legal())
        assert len(set(texts)) == len(texts), "a text is not unique"
        return set(texts)

    def apply(self, text: str) -> None:
        self._game.apply(text)

    def to_dict(self) -> Json:
        return dict(self._game.to_dict())

    def scores(self) -> list[Json]:
        return list(self._game.scores())

    def result(self) -> Json:
        return dict(self._game.result())


class CoreTable(Table):
    engine = "core"

    def __init__(self, options: Json, *, position: Json | None = None, setup: Json | None = None) -> None:
        import hansa_fast as hf

        rules = hf.Rules(game="teutonica", **options)
        if position is None:
            self._state = rules.new(seed=1, setup=setup)
        else:
            self._state = hf.State.from_dict(rules, position)

    @property
    def player(self) -> int:
        return int(self._state.player)

    @property
    def phase(self) -> str:
        return str(self._state.phase)

    @property
    def is_over(self) -> bool:
        return bool(self._state.is_over)

    def legal(self) -> set[str]:
        texts = [self._state.describe(action) for action in self._state.legal_actions()]
        assert len(set(texts)) == len(texts), "a text is not unique"
        return set(texts)

    def apply(self, text: str) -> None:
        self._state.apply(self._state.parse(text))

    def to_dict(self) -> Json:
        return dict(self._state.to_dict())

    def scores(self) -> list[Json]:
        return list(self._state.scores())

    def result(self) -> Json:
        return dict(self._state.result())


class Tables:
    """Sets up games on one engine."""

    def __init__(self, engine: str) -> None:
        self.engine = engine
        self._table = {"reference": ReferenceTable, "core": CoreTable}[engine]

    def __call__(self, position: Position) -> Table:
        """The position itself."""
        return self._table(position.options, position=position.to_dict())

    def new(self, position: Position) -> Table:
        """A new game, with the set-up of the (unchanged) position given explicitly."""
        return self._table(position.options, setup=position.setup())
