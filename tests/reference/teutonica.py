"""Hansa Teutonica, told slowly: the rules of both editions on all five boards in plain Python.

This engine is the second opinion on the compiled core. It shares nothing with it but the board files, prefers the
shortest way to say a rule over the fastest way to compute it, and names the ruling (D5, M3, ...) wherever one is
carried out.

How it works: a position is a phase, the player who decides, and plain dicts and lists of pieces. For each phase there
is one method `_choices_<phase>` that yields pairs `(text, deed)`, where a deed is a method followed by its arguments.
`legal` lists the texts, `apply` carries out the deed. Decisions, texts and the dict are specified in docs/actions.md
and docs/formats.md.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Any

from tests.reference.boards import BOARD_FILES

Piece = tuple[str, int]  # shape and seat
Deed = tuple[Any, ...]  # a method and its arguments
Option = tuple[str, Deed]

SHAPES = ("trader", "merchant")
PRIVILEGES = ("white", "orange", "pink", "black")
DESK = {
    "keys": (1, 2, 2, 3, 4),
    "actions": (2, 3, 3, 4, 4, 5),
    "privilege": PRIVILEGES,
    "book": (2, 3, 4, 5),
    "bank": (3, 5, 7, None),  # None: all
}
FEE = {"trader": 1, "merchant": 2}  # D1; the displaced player gets as many extras
EAST_WEST_POINTS = (7, 4, 2)
COUNTRY_POINTS = (7, 4, 2)
MARKER_POINTS = (0, 1, 3, 3, 6, 6, 10, 10, 15, 15, 21)
END_REASONS = ("20 points", "completed cities", "no marker", "turn limit")
GREEN_LIMIT = 32  # offices by the permanent marker in one green city: a limit of the engine, not of the rules

# The word that stops a phase of several answers.
STOP_WORD = {
    "answer": "decline",
    "lift": "finish",
    "remove": "stop",
    "favour-income": "skip",
    "develop-privilege": "skip",
    "green-office": "skip",
    "place-two": "skip",
}


# --- what never changes ----------------------------------------------------------------------------


@cache
def read_json(name: str) -> Any:
    """The content of one of the project's board files."""
    return json.loads((BOARD_FILES / f"{name}.json").read_text(encoding="utf-8"))


@cache
def favour_tiles() -> tuple[str, ...]:
    """All favour tiles, in the order of the tile file."""
    return tuple(tile["id"] for tile in read_json("emperors-favour")["tiles"])


class Board:
    """The facts of one board, read once: cities, routes, posts, and what lies how far from what."""

    def __init__(self, name: str) -> None:
        data = read_json(name)
        self.completed_limit: int = data["completed_cities_limit"]
        self.east_west: tuple[str, str] = tuple(data["east_west"])
        self.cities: dict[str, dict[str, Any]] = {city["name"]: city for city in data["cities"]}
        self.green = [name for name, city in self.cities.items() if city["special"] == "green"]
        self.routes: dict[str, dict[str, Any]] = {f"{route['a']}-{route['b']}": route for route in data["routes"]}
        self.ends = {name: (route["a"], route["b"]) for name, route in self.routes.items()}
        self.region = {name: route["region"] for name, route in self.routes.items()}

        self.posts_of = {
            name: [f"{name} {number}" for number in range(1, len(route["posts"]) + 1)]
            for name, route in self.routes.items()
        }
        self.route_of = {post: name for name, posts in self.posts_of.items() for post in posts}
        self.posts = list(self.route_of)
        self.boats = {
            post
            for name, route in self.routes.items()
            for post, printed in zip(self.posts_of[name], route["posts"], strict=True)
            if printed["shape"] == "merchant"
        }

        prestige = data["special_prestige"]
        self.prestige_route = "-".join(prestige["route"])
        self.prestige = {space["points"]: space["privilege"] for space in prestige["slots"]}

        # Countries in which one needs permission; the others (England) are home to all.
        self.permissions: list[dict[str, Any]] = data.get("permissions", [])
        self.foreign = [
            region for region in data["regions"] if any(region in entry["regions"] for entry in self.permissions)
        ]

        # P4: a permanent marker, Wales and Scotland keep bonus markers away.
        self.marker_routes = [
            name
            for name, route in self.routes.items()
            if route["bonus_marker_allowed"] and not route["permanent_marker"] and route["region"] not in self.foreign
        ]

        self.neighbours: dict[str, set[str]] = {city: set() for city in self.cities}
        for a, b in self.ends.values():
            self.neighbours[a].add(b)
            self.neighbours[b].add(a)

        self.rings = {name: self._rings_around(name) for name in self.routes}
        self._read_provinces(data.get("two_player"))

    def fits(self, shape: str, post: str) -> bool:
        """Boat posts take merchants only."""
        return shape == "merchant" or post not in self.boats

    def home_or_same(self, start: str, goal: str) -> bool:
        """D14, B5: from a route one may get to routes of the same country and to England."""
        return self.region[goal] == self.region[start] or self.region[goal] not in self.foreign

    def _rings_around(self, origin: str) -> list[list[str]]:
        """D5: the posts of ring 1, ring 2, ... around a route. D14: through its own country and England only."""
        rings: list[list[str]] = []
        unseen = [route for route in self.routes if route != origin and self.home_or_same(origin, route)]
        cities = set(self.ends[origin])
        while True:
            ring = [route for route in unseen if cities.intersection(self.ends[route])]
            if not ring:
                return rings
            rings.append([post for route in ring for post in self.posts_of[route]])
            unseen = [route for route in unseen if route not in ring]
            cities = {city for route in ring for city in self.ends[route]}

    def _read_provinces(self, two_player: dict[str, Any] | None) -> None:
        """T2: the provinces, the routes on their borders, and the provinces one or two borders away."""
        self.provinces: dict[str, set[str]] = {}
        self.pawn_reach: dict[str, list[str]] = {}
        if two_player is None:
            return
        names = list(self.routes)
        self.provinces = {
            province["id"]: {names[index] for index in province["routes"]} for province in two_player["provinces"]
        }
        beside: dict[str, set[str]] = {province: set() for province in self.provinces}
        for a, b, _, _ in two_player["borders"]:
            beside[a].add(b)
            beside[b].add(a)
        for province in self.provinces:
            near = beside[province].union(*(beside[other] for other in beside[province]))
            self.pawn_reach[province] = [other for other in self.provinces if other in near and other != province]


@cache
def load_board(name: str) -> Board:
    """The board of that name (shared by all games: it never changes)."""
    return Board(name)


# --- small words -----------------------------------------------------------------------------------


def piece_text(piece: Piece | None) -> str | None:
    """`("trader", 2)` is written `trader 2`."""
    return None if piece is None else f"{piece[0]} {piece[1]}"


def parse_piece(text: str) -> Piece:
    """The piece that `piece_text` wrote."""
    shape, seat = text.split()
    return shape, int(seat)


def amount_text(traders: int, merchants: int) -> str:
    """`2 traders 1 merchant`; a part that is zero is not written."""
    parts = []
    for number, shape in ((traders, "trader"), (merchants, "merchant")):
        if number:
            parts.append(f"{number} {shape}" if number == 1 else f"{number} {shape}s")
    return " ".join(parts)


def without_zeros(counts: Counter[str]) -> dict[str, int]:
    """A plain dict of the counts that are not zero."""
    return {kind: number for kind, number in counts.items() if number}


def plural(counts: Counter[str]) -> dict[str, int]:
    """Pieces as the canonical dict writes them."""
    return {"traders": counts["trader"], "merchants": counts["merchant"]}


def singular(counts: dict[str, int]) -> Counter[str]:
    """Pieces as this engine counts them."""
    return Counter(trader=counts["traders"], merchant=counts["merchants"])


@dataclass
class Player:
    """What lies in front of one player."""

    supply: Counter[str]
    stock: Counter[str]
    points: int = 0
    abilities: dict[str, int] = field(default_factory=lambda: dict.fromkeys(DESK, 0))
    markers: Counter[str] = field(default_factory=Counter)
    used: Counter[str] = field(default_factory=Counter)
    plate: Counter[str] = field(default_factory=Counter)
    favours: list[str] = field(default_factory=list)
    mission: list[str] | None = None

    def value(self, ability: str) -> Any:
        """The value that an ability shows now."""
        return DESK[ability][self.abilities[ability]]

    def is_full(self, ability: str) -> bool:
        """A6: a full ability cannot be developed."""
        return self.abilities[ability] == len(DESK[ability]) - 1

    def has_privilege(self, colour: str) -> bool:
        """Whether the privilege reaches this colour."""
        return PRIVILEGES.index(colour) <= self.abilities["privilege"]

    def copy(self) -> Player:
        """An independent copy."""
        return Player(
            self.supply.copy(),
            self.stock.copy(),
            self.points,
            dict(self.abilities),
            self.markers.copy(),
            self.used.copy(),
            self.plate.copy(),
            list(self.favours),
            self.mission,
        )

    def to_dict(self) -> dict[str, Any]:
        """The player's part of the canonical dict."""
        return {
            "supply": plural(self.supply),
            "stock": plural(self.stock),
            "points": self.points,
            "abilities": dict(self.abilities),
            "markers": without_zeros(self.markers),
            "used": without_zeros(self.used),
            "plate": without_zeros(self.plate),
            "favours": [tile for tile in favour_tiles() if tile in self.favours],
            "mission": None if self.mission is None else list(self.mission),
        }

    @classmethod
    def from_dict(cls, d: dict[str, Any]) -> Player:
        """The player that `to_dict` wrote."""
        return cls(
            singular(d["supply"]),
            singular(d["stock"]),
            d["points"],
            dict(d["abilities"]),
            Counter(d["markers"]),
            Counter(d["used"]),
            Counter(d["plate"]),
            list(d["favours"]),
            None if d["mission"] is None else list(d["mission"]),
        )


# --- the game --------------------------------------------------------------------------------------


class Teutonica:
    """A game of Hansa Teutonica. Nothing in it is random: the set-up is given."""

    def __init__(
        self,
        *,
        edition: str,
        board: str,
        players: int,
        missions: bool = False,
        favours: bool = False,
        turn_limit: int | None = None,
        setup: dict[str, Any],
    ) -> None:
        self._set_options(edition, board, players=players, missions=missions, favours=favours, turn_limit=turn_limit)
        self.players = [
            Player(supply=Counter(trader=5 + seat, merchant=1), stock=Counter(trader=6 - seat, merchant=0))
            for seat in range(players)
        ]
        if missions:
            for player, card in zip(self.players, setup["missions"], strict=True):
                player.mission = list(card)

        self.posts: dict[str, Piece] = {}
        self.offices: dict[str, list[Piece | None]] = {
            name: [None] * len(city["offices"]) for name, city in self.board.cities.items()
        }
        self.extra: dict[str, list[Piece]] = {name: [] for name in self.board.cities}
        self.green: dict[str, list[Piece]] = {name: [] for name in self.board.green}
        self.prestige: dict[int, int] = {}
        self.completed = 0
        self.east_west: list[int] = []
        self.markers: dict[str, str] = dict(setup["taverns"])
        self.pile: list[str] = list(setup["pile"])
        self.plate: Counter[str] = Counter()
        self.favours: list[str] = list(setup["favours"]) if favours else []
        self.end: list[str] = []
        self.pawn: str | None = None

        self.turn = 0
        self._begin_turn(0)
        if players == 2:  # T6: seat 1 puts the pawn on the board first
            self.phase = "pawn"
            self._player = 1

    def _set_options(
        self, edition: str, board: str, *, players: int, missions: bool, favours: bool, turn_limit: int | None
    ) -> None:
        self.edition = edition
        self.board_name = board
        self.board = load_board(board)
        self.seats = range(players)
        self.missions_module = missions
        self.favours_module = favours
        self.turn_limit = turn_limit
        self.pending: Any = None  # what the phase still has to know
        self._menu_now: dict[str, Deed] | None = None

    # --- the public face ---------------------------------------------------------------------------

    @classmethod
    def from_dict(cls, options: dict[str, Any], d: dict[str, Any]) -> Teutonica:
        """The game in the position of a canonical dict, which is believed.

        `options` are the arguments of a game without its set-up.
        """
        game = cls.__new__(cls)
        game._set_options(
            options["edition"],
            options["board"],
            players=options["players"],
            missions=options.get("missions", False),
            favours=options.get("favours", False),
            turn_limit=d["turn_limit"],
        )
        game.turn = d["turn"]
        game.current = d["current"]
        game._player = -1 if d["player"] is None else d["player"]
        game.phase = d["phase"]
        game.actions = d["actions"]
        game.fresh = d["fresh"]
        game.acted = d["acted"]
        game.actions_over = d["actions_over"]
        game.pawn = d["pawn"]
        game.pawn_moved = d["pawn_moved"]
        game.permissions_used = list(d["permissions_used"])
        game.posts = {post: parse_piece(piece) for post, piece in d["posts"].items()}
        game.offices = {
            name: [piece and parse_piece(piece) for piece in d["offices"].get(name, [None] * len(city["offices"]))]
            for name, city in game.board.cities.items()
        }
        game.extra = {name: [parse_piece(piece) for piece in d["extra"].get(name, [])] for name in game.board.cities}
        game.green = {name: [parse_piece(piece) for piece in d["green"].get(name, [])] for name in game.board.green}
        game.prestige = {int(points): seat for points, seat in d["prestige"].items()}
        game.completed = d["completed"]
        game.east_west = list(d["east_west"])
        game.markers = dict(d["markers"])
        game.pile = list(d["pile"])
        game.plate = Counter(d["plate"])
        game.favours = list(d["favours"])
        game.end = list(d["end"])
        game.players = [Player.from_dict(player) for player in d["players"]]
        game.pending = None if d["pending"] is None else dict(d["pending"])
        return game

    def to_dict(self) -> dict[str, Any]:
        """The canonical dict: plain JSON values, equal for equal states."""
        return {
            "turn": self.turn,
            "turn_limit": self.turn_limit,
            "current": self.current,
            "player": None if self.is_over else self._player,
            "phase": self.phase,
            "actions": self.actions,
            "fresh": self.fresh,
            "acted": self.acted,
            "actions_over": self.actions_over,
            "pawn": self.pawn,
            "pawn_moved": self.pawn_moved,
            "permissions_used": [e["city"] for e in self.board.permissions if e["city"] in self.permissions_used],
            "posts": {post: piece_text(self.posts[post]) for post in self.board.posts if post in self.posts},
            "offices": {
                city: [piece_text(piece) for piece in offices] for city, offices in self.offices.items() if any(offices)
            },
            "extra": {city: [piece_text(piece) for piece in row] for city, row in self.extra.items() if row},
            "green": {city: [piece_text(piece) for piece in row] for city, row in self.green.items() if row},
            "prestige": {str(points): seat for points, seat in sorted(self.prestige.items())},
            "completed": self.completed,
            "east_west": list(self.east_west),
            "markers": {route: self.markers[route] for route in self.board.routes if route in self.markers},
            "pile": list(self.pile),
            "plate": without_zeros(self.plate),
            "favours": [tile for tile in favour_tiles() if tile in self.favours],
            "end": list(self.end),
            "players": [player.to_dict() for player in self.players],
            "pending": None if self.pending is None else dict(self.pending),
        }

    def copy(self) -> Teutonica:
        """An independent copy."""
        twin = Teutonica.__new__(Teutonica)
        twin.__dict__.update(self.__dict__)
        twin._menu_now = None  # its deeds are bound to this game
        twin.permissions_used = list(self.permissions_used)
        twin.posts = dict(self.posts)
        twin.offices = {city: list(row) for city, row in self.offices.items()}
        twin.extra = {city: list(row) for city, row in self.extra.items()}
        twin.green = {city: list(row) for city, row in self.green.items()}
        twin.prestige = dict(self.prestige)
        twin.east_west = list(self.east_west)
        twin.markers = dict(self.markers)
        twin.pile = list(self.pile)
        twin.plate = self.plate.copy()
        twin.favours = list(self.favours)
        twin.end = list(self.end)
        twin.players = [player.copy() for player in self.players]
        twin.pending = None if self.pending is None else dict(self.pending)
        return twin

    @property
    def player(self) -> int:
        """The seat that decides now; -1 when the game is over."""
        return self._player

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.phase == "over"

    def legal(self) -> list[str]:
        """The texts of all legal actions, sorted."""
        return sorted(self._menu())

    def apply(self, text: str) -> None:
        """Carry out a legal action; anything else is refused with a ValueError and changes nothing."""
        menu = self._menu()
        if text not in menu:
            raise ValueError(f"{text!r} is not legal in phase {self.phase!r}")
        deed, *arguments = menu[text]
        self._menu_now = None
        if self.phase != "pawn":  # the set-up of the pawn comes before the first turn
            self.fresh = False
        deed(*arguments)

    # --- phases ------------------------------------------------------------------------------------

    def _menu(self) -> dict[str, Deed]:
        """All legal answers. The word that stops a phase is offered only beside another answer."""
        if self._menu_now is None:
            menu = dict(self._choices())
            if menu and self._may_stop():
                menu[STOP_WORD[self.phase]] = (self._leave,)
            self._menu_now = menu
        return self._menu_now

    def _choices(self) -> Iterator[Option]:
        """The answers of this phase other than stopping."""
        choices: Iterator[Option] = getattr(self, "_choices_" + self.phase.replace("-", "_"))()
        return choices

    def _may_stop(self) -> bool:
        """Whether what must be done in this phase has been done."""
        if self.phase == "answer":
            return bool(self.pending["down"])  # D9
        if self.phase == "lift":
            return bool(self.pending["lifted"] or self.pending["kind"] == "move_any_2")  # M3, X4
        if self.phase == "remove":
            return bool(self.pending["removed"])  # U6
        return self.phase in STOP_WORD

    def _ask(self, phase: str, player: int, pending: dict[str, Any] | None = None) -> None:
        """Go to a phase; if there is nothing to choose in it, go on at once."""
        self.phase = phase
        self._player = player
        self.pending = pending
        self._menu_now = None
        if not self._menu():
            self._leave()

    def _leave(self) -> None:
        """Where the game goes on when a phase ends."""
        if self.phase == "put-marker":
            self._finish_turn()
        elif self._is_permanent_marker():
            self._finish_route()
        else:
            self._ask("main", self.current)

    def _is_permanent_marker(self) -> bool:
        """Whether this phase belongs to a permanent marker, hence to the action of a route (X4)."""
        if self.phase == "lift":
            return bool(self.pending["kind"] == "move_any_2")
        return self.phase in ("develop-privilege", "green-office", "place-two")

    def _choices_over(self) -> Iterator[Option]:
        yield from ()

    # --- the turn ----------------------------------------------------------------------------------

    @property
    def _me(self) -> Player:
        """The player whose turn it is."""
        return self.players[self.current]

    def _begin_turn(self, seat: int) -> None:
        self.current = seat
        self.actions: int = self._me.value("actions") + ("extra_action" in self._me.favours)  # F3
        self.fresh = True
        self.acted = False
        self.actions_over = False
        self.pawn_moved = False
        self.permissions_used: list[str] = []
        self.phase = "main"
        self._player = seat
        self.pending = None
        self._menu_now = None

    def _choices_main(self) -> Iterator[Option]:
        if self.actions > 0:
            yield from self._income_choices()
            yield from self._place_choices()
            yield from self._displace_choices()
            yield from self._move_choices()
            yield from self._route_choices()
        yield from self._use_choices()
        yield from self._favour_choices()
        yield from self._pawn_choices()
        yield "end", (self._end_turn,)  # A2, A3

    def _spend_action(self) -> None:
        self.actions -= 1
        self.acted = True

    def _stop_actions(self) -> None:
        """F2, T1: no action is left or can be gained in this turn."""
        self.actions = 0
        self.actions_over = True

    def _end_turn(self) -> None:
        """P1, P2: what was drawn is now seen, and then placed."""
        self._me.plate += self.plate
        self.plate = Counter()
        self._ask("put-marker", self.current)

    def _finish_turn(self) -> None:
        """A6: the turn is counted, the limit checked."""
        self.turn += 1
        if self.turn_limit is not None and self.turn >= self.turn_limit:
            self._finish_game(["turn limit"])
        else:
            self._begin_turn((self.current + 1) % len(self.seats))

    def _finish_game(self, reasons: list[str]) -> None:
        self.end = [reason for reason in END_REASONS if reason in reasons]
        self.phase = "over"
        self._player = -1
        self.pending = None
        self._menu_now = None

    # --- income (A1, A4) ---------------------------------------------------------------------------

    def _income_choices(self) -> Iterator[Option]:
        stock = self._me.stock
        bank = self._me.value("bank")
        most = stock.total() if bank is None else min(bank, stock.total())
        least = most if self.edition == "2009" else 1
        for traders in range(stock["trader"] + 1):
            for merchants in range(stock["merchant"] + 1):
                if traders + merchants > 0 and least <= traders + merchants <= most:
                    yield f"income {amount_text(traders, merchants)}", (self._income, traders, merchants)

    def _income(self, traders: int, merchants: int) -> None:
        self._spend_action()
        hired = Counter(trader=traders, merchant=merchants)
        self._me.stock.subtract(hired)
        self._me.supply.update(hired)
        for seat in self.seats:  # F4: at most one player owns the tile
            if seat != self.current and "income_follow" in self.players[seat].favours:
                self._ask("favour-income", seat)
                return
        self._ask("main", self.current)

    def _choices_favour_income(self) -> Iterator[Option]:
        """F4."""
        for shape in SHAPES:
            if self.players[self._player].stock[shape]:
                yield f"favour-income {shape}", (self._favour_income, shape)

    def _favour_income(self, shape: str) -> None:
        owner = self.players[self._player]
        owner.stock[shape] -= 1
        owner.supply[shape] += 1
        self._leave()

    # --- where one may place, displace and establish -----------------------------------------------

    def _pawn_borders(self, route: str) -> bool:
        """T4: with two players the pawn must stand beside the route."""
        return self.pawn is None or route in self.board.provinces[self.pawn]

    def _permission_city(self, country: str | None) -> str | None:
        """B1-B3: the city whose permission would be used for this country, or None if there is none."""
        cities: list[str] = [
            entry["city"]
            for entry in self.board.permissions
            if country in entry["regions"]
            and entry["city"] not in self.permissions_used  # B2
            and self._rightmost_printed_owner(entry["city"]) == self.current
        ]
        inside = [city for city in cities if country in self.board.cities[city]["regions"]]  # B3
        return next(iter(inside + cities), None)

    def _rightmost_printed_owner(self, city: str) -> int | None:
        """B1: the owner of the rightmost occupied printed office."""
        owners = [piece[1] for piece in self.offices[city] if piece is not None]
        return owners[-1] if owners else None

    def _open_routes(self) -> list[str]:
        """The routes on which the player may place and displace (B4, T4)."""
        closed = [country for country in self.board.foreign if self._permission_city(country) is None]
        return [
            route for route in self.board.routes if self.board.region[route] not in closed and self._pawn_borders(route)
        ]

    def _use_permission(self, post: str) -> None:
        """B4: placing and displacing in Wales or Scotland is a use."""
        country = self.board.region[self.board.route_of[post]]
        city = self._permission_city(country)
        if country in self.board.foreign and city is not None:
            self.permissions_used.append(city)

    # --- placing -----------------------------------------------------------------------------------

    def _place_choices(self) -> Iterator[Option]:
        shapes = [shape for shape in SHAPES if self._me.supply[shape]]
        for route in self._open_routes():
            for post in self.board.posts_of[route]:
                if post not in self.posts:
                    for shape in shapes:
                        if self.board.fits(shape, post):
                            yield f"place {shape} {post}", (self._place, shape, post)

    def _place(self, shape: str, post: str) -> None:
        self._spend_action()
        self._use_permission(post)
        self._me.supply[shape] -= 1
        self.posts[post] = (shape, self.current)
        self._ask("main", self.current)

    # --- displacing --------------------------------------------------------------------------------

    def _displace_choices(self) -> Iterator[Option]:
        supply = self._me.supply
        for route in self._open_routes():
            for post in self.board.posts_of[route]:
                if post not in self.posts or self.posts[post][1] == self.current:
                    continue
                displaced, victim = self.posts[post]
                if supply.total() < 1 + FEE[displaced]:  # D1
                    continue
                if not self._has_post(victim, route, displaced):  # D11
                    continue
                for shape in SHAPES:
                    if supply[shape] and self.board.fits(shape, post):  # D3
                        yield f"displace {shape} {post}", (self._displace, shape, post)

    def _displace(self, shape: str, post: str) -> None:
        self._spend_action()
        self._use_permission(post)
        self._ask("pay", self.current, {"post": post, "shape": shape})

    def _choices_pay(self) -> Iterator[Option]:
        """D1, D2: any pieces in supply beside the replacing one."""
        fee = FEE[self.posts[self.pending["post"]][0]]
        left = self._me.supply.copy()
        left[self.pending["shape"]] -= 1
        for merchants in range(fee + 1):
            traders = fee - merchants
            if traders <= left["trader"] and merchants <= left["merchant"]:
                yield f"pay {amount_text(traders, merchants)}", (self._pay, traders, merchants)

    def _pay(self, traders: int, merchants: int) -> None:
        post, shape = self.pending["post"], self.pending["shape"]
        fee = Counter(trader=traders, merchant=merchants)
        self._me.supply.subtract(fee)
        self._me.stock.update(fee)
        self._me.supply[shape] -= 1
        displaced, victim = self.posts[post]
        self.posts[post] = (shape, self.current)
        extras = FEE[displaced]
        if displaced == "trader" and "displaced_trader_2" in self.players[victim].favours:  # F6
            extras = 2
        self._ask(
            "answer",
            victim,
            {"route": self.board.route_of[post], "shape": displaced, "down": None, "extras": extras},
        )

    # --- the displaced player's answer (D4-D14) ----------------------------------------------------

    def _nearest_posts(self, seat: int, origin: str, shape: str) -> list[str]:
        """D4-D6, D14: the free posts for this shape in the nearest ring that has any. F5: all of the board."""
        anywhere = "relocate_anywhere" in self.players[seat].favours
        for ring in [self.board.posts] if anywhere else self.board.rings[origin]:
            posts = [post for post in ring if post not in self.posts and self.board.fits(shape, post)]
            if posts:
                return posts
        return []

    def _has_post(self, seat: int, origin: str, shape: str, taken: str | None = None) -> bool:
        """D11, D12: whether a displaced piece finds a post, in whatever ring, also if `taken` is taken."""
        anywhere = "relocate_anywhere" in self.players[seat].favours
        return any(
            post not in self.posts and post != taken and self.board.fits(shape, post)
            for ring in ([self.board.posts] if anywhere else self.board.rings[origin])
            for post in ring
        )

    def _open_source(self, seat: int) -> Counter[str] | None:
        """D8: the stock; when it is empty, the supply; None when that is empty too."""
        player = self.players[seat]
        if player.stock.total():
            return player.stock
        if player.supply.total():
            return player.supply
        return None

    def _choices_answer(self) -> Iterator[Option]:
        seat, origin, displaced = self._player, self.pending["route"], self.pending["shape"]
        in_hand = self.pending["down"] is None
        if in_hand:
            for post in self._nearest_posts(seat, origin, displaced):
                yield f"answer {displaced} {post}", (self._answer_displaced, post)
        if self.pending["extras"] == 0:
            return
        source = self._open_source(seat)
        if source is not None:
            for shape in SHAPES:
                if source[shape] == 0 or (in_hand and shape == displaced):  # D12
                    continue
                for post in self._nearest_posts(seat, origin, shape):
                    if not in_hand or self._has_post(seat, origin, displaced, taken=post):  # D12
                        yield f"answer {shape} {post}", (self._answer_extra, shape, post)
        elif not in_hand:  # D10
            for post, piece in list(self.posts.items()):
                if piece[1] == seat and post != self.pending["down"] and self._posts_after_lifting(post):
                    yield f"answer-from {post}", (self._answer_from, post)

    def _posts_after_lifting(self, lifted: str) -> list[str]:
        """D10: where a piece taken from a route may go; its own post counts for the ring, but is not offered."""
        piece = self.posts.pop(lifted)
        posts = self._nearest_posts(piece[1], self.pending["route"], piece[0])
        self.posts[lifted] = piece
        return [post for post in posts if post != lifted]

    def _answer_displaced(self, post: str) -> None:
        self.posts[post] = (self.pending["shape"], self._player)
        self._ask("answer", self._player, {**self.pending, "down": post})

    def _answer_extra(self, shape: str, post: str) -> None:
        source = self._open_source(self._player)
        assert source is not None
        source[shape] -= 1
        self._put_extra(shape, post)

    def _put_extra(self, shape: str, post: str) -> None:
        self.posts[post] = (shape, self._player)
        origin, displaced, down, extras = (self.pending[key] for key in ("route", "shape", "down", "extras"))
        self._ask("answer", self._player, {"route": origin, "shape": displaced, "down": down, "extras": extras - 1})

    def _answer_from(self, post: str) -> None:
        shape, _ = self.posts.pop(post)
        self._ask("answer-to", self._player, {**self.pending, "from": post, "hand": shape})

    def _choices_answer_to(self) -> Iterator[Option]:
        shape = self.pending["hand"]
        for post in self._nearest_posts(self._player, self.pending["route"], shape):
            if post != self.pending["from"]:
                yield f"to {post}", (self._put_extra, shape, post)

    # --- moving (M1-M4, U7, X4) --------------------------------------------------------------------

    def _move_choices(self) -> Iterator[Option]:
        if self._any_lift("move", self._me.value("book")):
            yield "move", (self._move,)

    def _move(self) -> None:
        self._spend_action()
        self._start_moving("move", self._me.value("book"))  # M1

    def _start_moving(self, kind: str, lifts: int) -> None:
        self._ask("lift", self.current, {"kind": kind, "left": lifts, "lifted": False})

    def _may_be_moved(self, kind: str, piece: Piece) -> bool:
        if kind == "move":
            return piece[1] == self.current
        if kind == "move_3":
            return piece[1] != self.current  # U7
        return True

    def _may_move_to(self, kind: str, shape: str, start: str, goal: str) -> bool:
        """M4, B5: boats, and the countries, judged by the post from which the piece was lifted."""
        if start == goal or not self.board.fits(shape, goal):
            return False
        start, goal = self.board.route_of[start], self.board.route_of[goal]
        if kind == "move":
            return self.board.home_or_same(start, goal)
        return bool(self.board.region[start] == self.board.region[goal])

    def _free_goals(self, kind: str, shape: str, start: str, posts: dict[str, Piece]) -> Iterator[str]:
        """The free posts on which a lifted piece may be set."""
        for goal in self.board.posts:
            if goal not in posts and self._may_move_to(kind, shape, start, goal):
                yield goal

    def _exchanges(self, kind: str, hand: Piece, start: str, lifts: int, posts: dict[str, Piece]) -> Iterator[str]:
        """M3: the pieces that can be lifted by setting the one in hand on their post, and then have somewhere to go."""
        if lifts == 0:
            return
        for goal, piece in posts.items():
            if (
                piece != hand
                and self._may_be_moved(kind, piece)
                and self._may_move_to(kind, hand[0], start, goal)
                and self._has_goal(kind, piece, goal, lifts - 1, {**posts, goal: hand})
            ):
                yield goal

    def _has_goal(self, kind: str, hand: Piece, start: str, lifts: int, posts: dict[str, Piece]) -> bool:
        """M3: whether a piece lifted from `start` has somewhere to go; the others stand on `posts`."""
        for _ in self._free_goals(kind, hand[0], start, posts):
            return True
        for _ in self._exchanges(kind, hand, start, lifts, posts):
            return True
        return False

    def _can_lift(self, kind: str, post: str, lifts: int) -> bool:
        """M3: no lift that would leave the piece without a post; `lifts` counts this one too."""
        piece = self.posts[post]
        if lifts == 0 or not self._may_be_moved(kind, piece):
            return False
        rest = {other: standing for other, standing in self.posts.items() if other != post}
        return self._has_goal(kind, piece, post, lifts - 1, rest)

    def _any_lift(self, kind: str, lifts: int) -> bool:
        return any(self._can_lift(kind, post, lifts) for post in self.posts)

    def _choices_lift(self) -> Iterator[Option]:
        for post in self.posts:
            if self._can_lift(self.pending["kind"], post, self.pending["left"]):
                yield f"lift {post}", (self._lift, post)

    def _lift(self, post: str) -> None:
        self._take_in_hand(post, self.posts.pop(post))

    def _take_in_hand(self, post: str, piece: Piece) -> None:
        """A piece is lifted, which counts one (M2, M3)."""
        moved = {"kind": self.pending["kind"], "left": self.pending["left"] - 1, "lifted": True}
        self._ask("set", self.current, {**moved, "from": post, "hand": piece_text(piece)})

    def _choices_set(self) -> Iterator[Option]:
        kind, lifts, start = self.pending["kind"], self.pending["left"], self.pending["from"]
        hand = parse_piece(self.pending["hand"])
        for goal in self._free_goals(kind, hand[0], start, self.posts):
            yield f"set {goal}", (self._set, hand, goal)
        for goal in self._exchanges(kind, hand, start, lifts, self.posts):
            yield f"set {goal}", (self._set, hand, goal)

    def _set(self, hand: Piece, goal: str) -> None:
        lifted = self.posts.get(goal)
        self.posts[goal] = hand
        if lifted is not None:
            self._take_in_hand(goal, lifted)
        else:
            kind, left = self.pending["kind"], self.pending["left"]
            self._ask("lift", self.current, {"kind": kind, "left": left, "lifted": True})

    # --- offices -----------------------------------------------------------------------------------

    def _row(self, city: str) -> list[int]:
        """E4: the owners of a city's offices from the left: later extras, earlier extras, printed ones, green ones."""
        pieces = self.extra[city][::-1] + [piece for piece in self.offices[city] if piece] + self.green.get(city, [])
        return [seat for _, seat in pieces]

    def _controller(self, city: str) -> int | None:
        """E4: the player with most offices; of several, the one with the office furthest to the right."""
        row = self._row(city)
        if not row:
            return None
        return max(row, key=lambda seat: (row.count(seat), len(row) - row[::-1].index(seat)))

    def _connected(self, seat: int, start: str) -> set[str]:
        """The cities joined to `start` by routes, with an office of the player in each of them."""
        found: set[str] = set()
        reached = {start} if seat in self._row(start) else set()
        while reached:
            found |= reached
            reached = {
                city
                for known in reached
                for city in self.board.neighbours[known]
                if city not in found and seat in self._row(city)
            }
        return found

    def _check_east_west(self) -> None:
        """E5, E6: after every new office; once per player."""
        east, west = self.board.east_west
        if self.current not in self.east_west and west in self._connected(self.current, east):
            place = len(self.east_west)
            self.east_west.append(self.current)
            self._me.points += EAST_WEST_POINTS[place] if place < len(EAST_WEST_POINTS) else 0

    def _check_green_completed(self, city: str) -> None:
        """X2: the first office of a green city counts as a completed city, once."""
        if city in self.green and len(self._row(city)) == 1:
            self.completed += 1

    # --- establishing a route (E1-E11, U2) ---------------------------------------------------------

    def _route_choices(self) -> Iterator[Option]:
        for route, posts in self.board.posts_of.items():
            pieces = [self.posts.get(post) for post in posts]
            if all(piece and piece[1] == self.current for piece in pieces) and self._pawn_borders(route):  # T4
                yield f"route {route} none", (self._route, route)
                shapes = [shape for shape in SHAPES if (shape, self.current) in pieces]
                for reward, deed in self._reward_choices(route, shapes):
                    yield f"route {route} {reward}", (self._route, route, *deed)

    def _reward_choices(self, route: str, shapes: list[str]) -> Iterator[Option]:
        """The rewards that a route with pieces of these shapes can give."""
        me = self._me
        for city in self.board.ends[route]:
            index = self._leftmost_free(city)
            if index >= 0:
                printed = self.board.cities[city]["offices"][index]
                if printed["shape"] in shapes and me.has_privilege(printed["privilege"]):  # E11
                    yield f"office {city}", (self._reward_office, city)
            for ability in self.board.cities[city]["abilities"]:  # X1
                if not me.is_full(ability):
                    yield f"develop {ability}", (self._reward_develop, ability)
            if me.markers["additional_post"] and (city in self.green or self._row(city)):  # U2
                for shape in shapes:
                    yield f"extra {city} {shape}", (self._reward_extra, city, shape)
        if route == self.board.prestige_route and "merchant" in shapes:  # E9
            for points, colour in self.board.prestige.items():
                if points not in self.prestige and me.has_privilege(colour):
                    yield f"prestige {points}", (self._reward_prestige, points)

    def _leftmost_free(self, city: str) -> int:
        """The index of the leftmost free printed office; -1 if there is none."""
        return self.offices[city].index(None) if None in self.offices[city] else -1

    def _route(self, route: str, reward: Callable[..., None] | None = None, *what: Any) -> None:
        """E1: prestige, marker, reward; then all other pieces to stock and the permanent marker (X4)."""
        self._spend_action()
        self._score_control(route)
        self._take_marker(route)
        pieces = Counter(self.posts.pop(post)[0] for post in self.board.posts_of[route])
        if reward is not None:
            reward(pieces, *what)
        self._me.stock.update(pieces)
        self._permanent_marker(self.board.routes[route]["permanent_marker"], pieces)

    def _score_control(self, route: str) -> None:
        """E3, E4: the controller of each end city gains 1."""
        for city in self.board.ends[route]:
            controller = self._controller(city)
            if controller is not None:
                self.players[controller].points += 1

    def _take_marker(self, route: str) -> None:
        """E2, P1, E8: the marker is taken, and another one drawn unseen; if there is none, the game will end."""
        if route in self.markers:
            self._me.markers[self.markers.pop(route)] += 1
            if self.pile:
                self.plate[self.pile.pop(0)] += 1
            else:
                self.end.append("no marker")

    def _reward_office(self, pieces: Counter[str], city: str) -> None:
        index = self._leftmost_free(city)
        printed = self.board.cities[city]["offices"][index]
        pieces[printed["shape"]] -= 1
        self.offices[city][index] = (printed["shape"], self.current)
        self._me.points += printed["coin"]  # E10
        if self._leftmost_free(city) < 0:
            self.completed += 1
        self._check_east_west()

    def _reward_extra(self, pieces: Counter[str], city: str, shape: str) -> None:
        """U2, U3: left of all others; no coin (E10)."""
        self._turn_over("additional_post")
        pieces[shape] -= 1
        self.extra[city].append((shape, self.current))
        self._check_green_completed(city)
        self._check_east_west()

    def _reward_develop(self, _pieces: Counter[str], ability: str) -> None:
        self._develop(ability)

    def _reward_prestige(self, pieces: Counter[str], points: int) -> None:
        """E9."""
        pieces["merchant"] -= 1
        self.prestige[points] = self.current

    def _develop(self, ability: str) -> None:
        """The desk piece goes to supply. A5: a higher number of actions gives one at once."""
        me = self._me
        before = me.value("actions")
        me.abilities[ability] += 1
        me.supply["merchant" if ability == "book" else "trader"] += 1
        if not self.actions_over:  # F2, T1
            self.actions += me.value("actions") - before

    def _finish_route(self) -> None:
        """E7: only now, after the whole action, is the end of the game judged."""
        reasons = list(self.end)
        if any(player.points >= 20 for player in self.players):
            reasons.append("20 points")
        if self.completed >= self.board.completed_limit:
            reasons.append("completed cities")
        if reasons:
            self._finish_game(reasons)
        else:
            self._ask("main", self.current)

    # --- permanent markers (X4, X5, B6) ------------------------------------------------------------

    def _permanent_marker(self, kind: str | None, pieces: Counter[str]) -> None:
        """`pieces`: those of the route that have just gone to stock."""
        if kind == "develop_privilege":
            self._ask("develop-privilege", self.current)
        elif kind == "office_in_green_city":
            self._ask("green-office", self.current)
        elif kind == "place_2":  # X5
            self._ask("place-two", self.current, {**plural(pieces), "left": 2})
        elif kind == "place_2_wales_scotland":  # B6
            self._ask("place-two", self.current, {**plural(self._me.stock), "left": 2})
        elif kind == "move_any_2":
            self._start_moving("move_any_2", 2)
        else:
            self._finish_route()

    def _choices_develop_privilege(self) -> Iterator[Option]:
        if not self._me.is_full("privilege"):
            yield "develop-privilege", (self._develop_privilege,)

    def _develop_privilege(self) -> None:
        self._develop("privilege")
        self._leave()

    def _choices_green_office(self) -> Iterator[Option]:
        for city, row in self.green.items():
            for shape in SHAPES:
                if self._me.supply[shape] and len(row) < GREEN_LIMIT:
                    yield f"green-office {city} {shape}", (self._green_office, city, shape)

    def _green_office(self, city: str, shape: str) -> None:
        """Far right, from supply, no privilege; completes (X2) and connects (E5) like others."""
        self._me.supply[shape] -= 1
        self.green[city].append((shape, self.current))
        self._check_green_completed(city)
        self._check_east_west()
        self._leave()

    def _choices_place_two(self) -> Iterator[Option]:
        """X5: anywhere; B6: in Wales and Scotland, without permission."""
        if self.pending["left"] == 0:
            return
        for post in self.board.posts:
            if post in self.posts:
                continue
            if self.board.foreign and self.board.region[self.board.route_of[post]] not in self.board.foreign:
                continue
            for shape in SHAPES:
                if self.pending[shape + "s"] and self.board.fits(shape, post):
                    yield f"place-two {shape} {post}", (self._place_two, shape, post)

    def _place_two(self, shape: str, post: str) -> None:
        self._me.stock[shape] -= 1
        self.posts[post] = (shape, self.current)
        pending = {**self.pending, "left": self.pending["left"] - 1}
        pending[shape + "s"] -= 1
        self._ask("place-two", self.current, pending)

    # --- bonus markers (U1-U8) ---------------------------------------------------------------------

    def _use_choices(self) -> Iterator[Option]:
        markers = self._me.markers
        for kind, more in (("actions_3", 3), ("actions_4", 4)):
            if markers[kind] and not self.actions_over:
                yield f"use {kind}", (self._use_actions, kind, more)
        if markers["develop_ability"]:
            for ability in DESK:
                if not self._me.is_full(ability):
                    yield f"use develop_ability {ability}", (self._use_develop, ability)
        if markers["swap_posts"]:
            yield from self._swap_choices()
        if markers["remove_3"] and self.posts:  # U8
            yield "use remove_3", (self._use_remove,)
        if markers["move_3"] and self._any_lift("move_3", 3):  # U8
            yield "use move_3", (self._use_move,)

    def _turn_over(self, kind: str) -> None:
        """A used marker still counts at the end."""
        self._me.markers[kind] -= 1
        self._me.used[kind] += 1

    def _use_actions(self, kind: str, more: int) -> None:
        self._turn_over(kind)
        self.actions += more
        self._ask("main", self.current)

    def _use_develop(self, ability: str) -> None:
        self._turn_over("develop_ability")
        self._develop(ability)
        self._ask("main", self.current)

    def _swap_choices(self) -> Iterator[Option]:
        """U4, U5: neighbours of different owners, never extras; in `big-box` one of them must be the player's."""
        for city in self.board.cities:
            row = self._swappable(city)
            for index, (left, right) in enumerate(pairwise(row)):
                if left is None or right is None or left[1] == right[1]:
                    continue
                if self.edition == "2009" or self.current in (left[1], right[1]):
                    yield f"use swap_posts {city} {index + 1} {index + 2}", (self._use_swap, city, index)

    def _swappable(self, city: str) -> list[Piece | None]:
        return list(self.green[city]) if city in self.green else list(self.offices[city])

    def _use_swap(self, city: str, index: int) -> None:
        self._turn_over("swap_posts")
        row: list[Any] = self.green[city] if city in self.green else self.offices[city]
        row[index], row[index + 1] = row[index + 1], row[index]
        self._ask("main", self.current)

    def _use_move(self) -> None:
        self._turn_over("move_3")
        self._start_moving("move_3", 3)

    def _use_remove(self) -> None:
        self._turn_over("remove_3")
        self._ask("remove", self.current, {"left": 3, "removed": False})

    def _choices_remove(self) -> Iterator[Option]:
        """U6."""
        if self.pending["left"]:
            for post in self.posts:
                yield f"remove {post}", (self._remove, post)

    def _remove(self, post: str) -> None:
        shape, seat = self.posts.pop(post)
        self.players[seat].supply[shape] += 1
        self._ask("remove", self.current, {"left": self.pending["left"] - 1, "removed": True})

    def _marker_routes(self) -> list[str]:
        """P4, P5: routes that may get a marker now."""
        return [
            route
            for route in self.board.marker_routes
            if route not in self.markers
            and not any(post in self.posts for post in self.board.posts_of[route])
            and any(None in self.offices[city] for city in self.board.ends[route])
        ]

    def _choices_put_marker(self) -> Iterator[Option]:
        """P2, P3: in any order, as long as a route qualifies."""
        kinds = without_zeros(self._me.plate)
        if kinds and self._marker_routes():
            for kind in kinds:
                yield f"put-marker {kind}", (self._put_marker, kind)

    def _put_marker(self, kind: str) -> None:
        self._ask("marker-route", self.current, {"kind": kind})

    def _choices_marker_route(self) -> Iterator[Option]:
        for route in self._marker_routes():
            yield f"on {route}", (self._put_marker_on, route)

    def _put_marker_on(self, route: str) -> None:
        kind = self.pending["kind"]
        self._me.plate[kind] -= 1
        self.markers[route] = kind
        self._ask("put-marker", self.current)

    # --- favours (F2) ------------------------------------------------------------------------------

    def _favour_choices(self) -> Iterator[Option]:
        if self.favours_module and self.fresh and self._me.markers.total() >= 2:
            for tile in self.favours:
                yield f"favour {tile}", (self._favour, tile)

    def _favour(self, tile: str) -> None:
        self._ask("flip", self.current, {"tile": tile, "left": 2})

    def _choices_flip(self) -> Iterator[Option]:
        for kind in without_zeros(self._me.markers):
            yield f"flip {kind}", (self._flip, kind)

    def _flip(self, kind: str) -> None:
        self._turn_over(kind)
        tile, left = self.pending["tile"], self.pending["left"] - 1
        if left:
            self._ask("flip", self.current, {"tile": tile, "left": left})
        else:
            self.favours.remove(tile)
            self._me.favours.append(tile)
            self._stop_actions()
            self._ask("main", self.current)

    # --- the pawn (T1-T7) --------------------------------------------------------------------------

    def _choices_pawn(self) -> Iterator[Option]:
        """T6."""
        for province in self.board.provinces:
            yield f"pawn {province}", (self._move_pawn, province)

    def _pawn_choices(self) -> Iterator[Option]:
        if self.pawn is None:
            return
        if not self.pawn_moved:  # T1, T7
            for province in self.board.pawn_reach[self.pawn]:
                yield f"pawn {province}", (self._move_pawn_free, province)
        if self.actions > 0:  # T3
            for province in self.board.provinces:
                if province != self.pawn:
                    yield f"pawn {province} action", (self._move_pawn_by_action, province)

    def _move_pawn(self, province: str) -> None:
        self.pawn = province
        self._ask("main", self.current)

    def _move_pawn_free(self, province: str) -> None:
        """T1: after an action, the free move ends the actions."""
        self.pawn_moved = True
        if self.acted:
            self._stop_actions()
        self._move_pawn(province)

    def _move_pawn_by_action(self, province: str) -> None:
        self._spend_action()
        self._move_pawn(province)

    # --- the end (section 11) ----------------------------------------------------------------------

    def scores(self) -> list[dict[str, int]]:
        """The final scoring of every seat, as if the game ended now."""
        rows = {city: self._row(city) for city in self.board.cities}
        controllers = {city: self._controller(city) for city in self.board.cities}
        scores = []
        for seat in self.seats:
            player = self.players[seat]
            full = [ability for ability in DESK if ability != "keys" and player.is_full(ability)]
            markers = player.markers.total() + player.used.total()
            controlled = [city for city, controller in controllers.items() if controller == seat]
            scores.append(
                {
                    "track": player.points,
                    "abilities": len(full) * (7 if "ability_7" in player.favours else 4),  # F7
                    "markers": MARKER_POINTS[min(markers, 10)],
                    "prestige": sum(points for points, owner in self.prestige.items() if owner == seat),
                    "cities": len(controlled) * (4 if "city_control_double" in player.favours else 2),  # F7
                    "network": self._largest_network(seat, rows) * player.value("keys"),  # N1
                    "missions": self._mission_points(seat, rows, controlled),
                }
            )
        for country in self.board.foreign:
            for seat, points in enumerate(self._country_points(country, rows, controllers)):
                scores[seat][country] = points
        for score in scores:
            score["total"] = sum(score.values())
        return scores

    def _largest_network(self, seat: int, rows: dict[str, list[int]]) -> int:
        """N1: offices, not cities, in the cities of the largest network."""
        networks = [self._connected(seat, city) for city, row in rows.items() if seat in row]
        return max((sum(rows[city].count(seat) for city in network) for network in networks), default=0)

    def _mission_points(self, seat: int, rows: dict[str, list[int]], controlled: list[str]) -> int:
        """F8."""
        mission = self.players[seat].mission
        if mission is None:
            return 0
        bonus = 5 if all(city in controlled for city in mission) else 0
        return sum(seat in rows[city] for city in mission) + bonus

    def _country_points(
        self, country: str, rows: dict[str, list[int]], controllers: dict[str, int | None]
    ) -> list[int]:
        """B7-B9: most controlled cities, then most offices; players still tied share the places they take up."""
        cities = [name for name, city in self.board.cities.items() if country in city["regions"]]
        strength = {}
        for seat in self.seats:
            offices = sum(rows[city].count(seat) for city in cities)
            if offices:  # B9
                strength[seat] = (sum(controllers[city] == seat for city in cities), offices)
        points = [0 for _ in self.seats]
        for seat, own in strength.items():
            better = sum(other > own for other in strength.values())
            tied = sum(other == own for other in strength.values())
            points[seat] = sum(COUNTRY_POINTS[better : better + tied]) // tied  # B8
        return points

    def result(self) -> dict[str, Any]:
        """Why the game ended, and who came where; only when it is over."""
        if not self.is_over:
            raise ValueError("the game is not over")
        scores = self.scores()
        strength = [self._final_strength(seat, scores[seat]) for seat in self.seats]
        ranks = [1 + sum(other > own for other in strength) for own in strength]
        return {
            "reasons": list(self.end),
            "scores": scores,
            "ranks": ranks,
            "winners": [seat for seat in self.seats if ranks[seat] == 1],
        }

    def _final_strength(self, seat: int, score: dict[str, int]) -> tuple[int, ...]:
        """N2: the total; in `big-box` ties go to the shorter way on the actions track, then to the larger network."""
        if self.edition == "2009":
            return (score["total"],)
        return score["total"], -self.players[seat].abilities["actions"], score["network"]
