"""Random legal positions of Hansa Teutonica to start from, made for what games hardly ever reach."""

from __future__ import annotations

import random

import hansa_fast as hf
from tests.engines import ABILITIES, DESK, Json, Position, cities, load, marker_kinds, posts, routes
from tests.reference.teutonica import SHAPES

THEMES = {"mixed": 60, "crowded": 30, "ready": 20, "chains": 20}  # and the decisions played from there


class Dealer:
    """Makes random legal positions: offices, abilities, markers and pieces as a game might never mix them.

    The themes: `mixed` anything; `crowded` hardly a free post; `ready` the player to move can do what needs a lot of
    preparation; `chains` offices that are about to join the two east-west cities.
    """

    def __init__(self, rules: hf.Rules, theme: str, rng: random.Random) -> None:
        self.rng = rng
        self.theme = theme
        self.rules = rules
        self.board = rules.board
        self.seats = range(rules.players)
        self.current = rng.choice(self.seats)
        options = {key: getattr(rules, key) for key in ("edition", "board", "players", "missions", "favours")}
        self.at = Position(**options).turn(self.current)
        self.filled: list[str] = []
        self.completable = load(self.board)["completed_cities_limit"] - (
            1 if theme == "chains" else rng.choice((1, 1, 2, 4))
        )

    def position(self) -> Position:
        """A random position."""
        rng = self.rng
        for seat in self.seats:
            self._abilities(seat)
        self._markers()
        if self.theme == "chains":
            self._chains()
        elif self.theme != "crowded":
            self._offices()
        self._full_routes()
        if self.theme == "crowded":
            self._crowd()
        else:
            self._pieces(rng.choice((0.1, 0.4, 0.7, 0.9)))
        for seat in self.seats:
            self._share_out(seat)
            few = 18 if self.theme == "ready" else 7  # 7: an east-west connection has been paid
            self.at.points(seat, rng.choice((few, few, 12, 15, 18, 19)))
        if self.rules.players == 2:
            self._pawn()
        return self.at

    def _pawn(self) -> None:
        """In any province; often where the player to move can establish a route."""
        provinces = {p["id"]: p["routes"] for p in load(self.board)["two_player"]["provinces"]}
        full = [number for number, name in enumerate(routes(self.board)) if name in self.filled[:1]]
        good = [name for name, beside in provinces.items() if set(full) & set(beside)]
        self.at.pawn(self.rng.choice(good if good and self.rng.random() < 0.7 else list(provinces)))

    def _has(self, seat: int, shape: str) -> bool:
        return self.at.unplaced(seat)[SHAPES.index(shape)] > 0

    def _abilities(self, seat: int) -> None:
        rng = self.rng
        if self.theme in ("crowded", "chains"):
            self.at.ability(seat, **DESK)
        elif self.theme == "ready" and seat == self.current:
            self.at.ability(
                seat, privilege=rng.choice((1, 2, 3, 3)), book=3, actions=rng.randint(0, 5), bank=rng.randint(0, 3)
            )
        else:
            fond = 1.0 if self.theme == "ready" else rng.random()
            levels = {name: rng.randint(0, DESK[name]) if rng.random() < fond else 0 for name in ABILITIES}
            self.at.ability(seat, **levels)
            if self.theme == "ready":
                self.at.ability(seat, book=3)

    def _markers(self) -> None:
        """All kinds lie about; the pile may be empty, and the player to move has more than others."""
        rng = self.rng
        allowed = [
            name
            for name, route in routes(self.board).items()
            if route["bonus_marker_allowed"] and not route["permanent_marker"]
        ]
        kinds = [kind for kind, number in marker_kinds(self.rules.edition).items() for _ in range(number)]
        rng.shuffle(kinds)
        waiting = [kinds.pop() for _ in range(3)]
        plates = rng.choice((0, 0, 0, 1, 2))
        for kind in waiting[:plates]:
            self.at.plate(self.current, kind)
        self.at.on_routes(dict(zip(rng.sample(allowed, 3), waiting[plates:], strict=False)))
        if self.rules.favours:
            open_tiles = rng.sample([tile["id"] for tile in load("emperors-favour")["tiles"]], self.rules.players)
            self.at.open_tiles(*open_tiles)
            for tile in open_tiles:
                if len(kinds) >= 6 and rng.random() < 0.5:
                    seat = rng.choice(self.seats)
                    self.at.own_tile(seat, tile)
                    self.at.used(seat, kinds.pop(), kinds.pop())
        pile = rng.choice((0, 1, 3, len(kinds)))
        while len(kinds) > pile:
            seat = self.current if rng.random() < 0.5 else rng.choice(self.seats)
            (self.at.markers if rng.random() < 0.7 else self.at.used)(seat, kinds.pop())
        self.at.pile(*kinds)

    def _offices(self) -> None:
        rng = self.rng
        share = 0.9 if self.theme == "ready" else rng.choice((0.0, 0.3, 0.6, 0.9))
        rows: dict[str, list[int]] = {name: [] for name in cities(self.board)}
        if self.rules.missions:
            seat = rng.choice(self.seats)
            for city in self.at.mission_of(seat):
                self._add_office(rows, city, seat)
        names = list(rows)
        rng.shuffle(names)
        for name in names:
            printed = cities(self.board)[name]["offices"]
            if rng.random() > share:
                continue
            room = len(printed) - len(rows[name]) if printed else 3
            for _ in range(max(rng.randint(0, room), rng.randint(0, room))):
                self._add_office(rows, name, rng.choice(self.seats))
            if printed and rows[name] and rng.random() < 0.3:
                self._extra(name)
        self._prestige()

    def _add_office(self, rows: dict[str, list[int]], city: str, seat: int) -> bool:
        """The next printed office of the city, or one more of a green city, if the seat has the piece."""
        row, printed = rows[city], cities(self.board)[city]["offices"]
        completes = not row if not printed else len(row) + 1 == len(printed)
        if (printed and len(row) == len(printed)) or (completes and self.completable == 0):
            return False
        shape = printed[len(row)]["shape"] if printed else "trader"
        keeps = self.theme == "ready" and seat == self.current and shape == "merchant"  # for what needs merchants
        if keeps or not self._has(seat, shape):
            return False
        row.append(seat)
        if printed:
            self.at.office_added(city, f"{shape} {seat}")
        else:
            self.at.green(city, f"{shape} {seat}")
        self.completable -= completes
        return True

    def _chains(self) -> None:
        """Some seats are connected; the player to move lacks the last city, next to which a route is full."""
        rng = self.rng
        rows: dict[str, list[int]] = {name: [] for name in cities(self.board)}
        others = [seat for seat in self.seats if seat != self.current]
        connected = []
        for seat in rng.sample(others, min(rng.choice((0, 0, 1, 2, 3)), len(others))):
            path = self._path(rows)
            if path and all(self._add_office(rows, city, seat) for city in path):
                connected.append(seat)
        path = self._path(rows)
        if path and all(self._add_office(rows, city, self.current) for city in path[:-1]):
            before, last = path[-2], path[-1]
            name = f"{before}-{last}" if f"{before}-{last}" in routes(self.board) else f"{last}-{before}"
            self._fill(name, self.current, 0.5)
        self.at.east_west(*(seat for seat in connected if seat in self.at.connected()))

    def _path(self, rows: dict[str, list[int]]) -> list[str]:
        """A way from one of the east-west cities to the other, through cities in which an office is free."""
        table = cities(self.board)
        room = {name: len(city["offices"]) - len(rows[name]) if city["offices"] else 9 for name, city in table.items()}
        spare = 0 if self.completable > 3 else 1  # do not complete the last cities that may be
        open_cities = [name for name in table if room[name] > spare]
        start, goal = load(self.board)["east_west"]
        ways = {start: [start]}
        todo = [start]
        ends = [(route["a"], route["b"]) for route in load(self.board)["routes"]]
        self.rng.shuffle(ends)
        for city in todo:
            for a, b in ends:
                other = b if a == city else a
                if city in (a, b) and other in open_cities and other not in ways:
                    ways[other] = [*ways[city], other]
                    todo.append(other)
        return ways.get(goal, []) if start in open_cities else []

    def _extra(self, city: str) -> None:
        """Somebody's used marker for an extra office stands for one in this city."""
        for seat in self.seats:
            if self.at.spare_extra(seat) and self._has(seat, "trader"):
                self.at.extra_used(city, f"trader {seat}")
                return

    def _prestige(self) -> None:
        for slot in load(self.board)["special_prestige"]["slots"]:
            seats = [seat for seat in self.seats if self.at.unplaced(seat)[1] > 1 and seat != self.current]
            if seats and self.rng.random() < 0.2:
                self.at.prestige(slot["points"], self.rng.choice(seats))

    def _full_routes(self) -> None:
        """Some routes are ready to be established, mostly by the player to move."""
        rng = self.rng
        special = [name for name, route in routes(self.board).items() if route["permanent_marker"]]
        prestige = "-".join(load(self.board)["special_prestige"]["route"])
        marked = list(self.at.to_dict()["markers"])
        almost = {
            name: len(row) - row.index(None) == 1 for name, row in self.at.to_dict()["offices"].items() if None in row
        }
        last = [name for name, route in routes(self.board).items() if almost.get(route["a"]) or almost.get(route["b"])]
        skilled = [
            name
            for name, route in routes(self.board).items()
            if any(cities(self.board)[route[end]]["abilities"] for end in ("a", "b"))
        ]
        if self.theme == "ready":
            names = rng.sample([prestige, *special, *special, *rng.sample(skilled, 2)], 2)
            names += rng.sample(last, min(1, len(last)))
            names += marked
        else:
            names = [*rng.sample(special, min(len(special), rng.randint(0, 2))), *marked]
            names += rng.sample(list(routes(self.board)), 2)
        for name in dict.fromkeys(names):
            if not self.at.is_taken(f"{name} 1"):
                seat = self.current if rng.random() < 0.7 else rng.choice(self.seats)
                self._fill(name, seat, 0.0 if self.theme == "ready" and name != prestige else 0.4)

    def _fill(self, name: str, seat: int, fondness: float) -> None:
        """Fill a route if the seat has the pieces, here and there with merchants."""
        spaces = routes(self.board)[name]["posts"]
        traders, merchants = self.at.unplaced(seat)
        boats = sum(space["shape"] == "merchant" for space in spaces)
        row = []
        for space in spaces:
            boats -= space["shape"] == "merchant"
            if space["shape"] == "merchant" or traders == 0 or (merchants > boats and self.rng.random() < fondness):
                row.append(f"merchant {seat}")
                merchants -= 1
            else:
                row.append(f"trader {seat}")
                traders -= 1
        if merchants >= 0:
            self.at.fill(name, *row)
            self.filled.append(name)

    def _crowd(self) -> None:
        """All posts but very few are taken, as far as the pieces last; the player to move keeps some in hand."""
        rng = self.rng
        free = [post for post in posts(self.board) if not self.at.is_taken(post)]
        holes = rng.sample(free, min(len(free), rng.choice((1, 1, 2, 3))))
        if rng.random() < 0.3:  # holes on one route only, from which nobody can be displaced
            name = rng.choice(free).rsplit(" ", 1)[0]
            holes = [post for post in posts(self.board, name) if post in free][:2]
        self._pieces(1.0, holes, kept=5)

    def _pieces(self, share: float, holes: list[str] | None = None, kept: int = 0) -> None:
        """Pieces on this share of the free posts, as far as they last."""
        rng = self.rng
        free = [post for post in posts(self.board) if not self.at.is_taken(post) and post not in (holes or [])]
        houses = set(posts(self.board, boats=False))
        mix = 0.4 if self.theme == "ready" else 0.1  # merchants on house posts
        poor = [seat for seat in self.seats if seat != self.current and rng.random() < 0.5]  # they run out first
        rng.shuffle(free)
        for post in free[: round(share * len(free))]:
            shapes = (
                list(SHAPES) if post in houses and rng.random() < mix else ["trader" if post in houses else "merchant"]
            )
            owners = [
                (seat, shape)
                for seat in self.seats
                for shape in shapes
                if self._has(seat, shape) and (seat != self.current or sum(self.at.unplaced(seat)) > kept)
            ]
            if owners:
                seat, shape = rng.choice([owner for owner in owners if owner[0] in poor] or owners)
                self.at.piece(post, f"{shape} {seat}")

    def _share_out(self, seat: int) -> None:
        """What is left lies in supply, in stock, or in both."""
        traders, merchants = self.at.unplaced(seat)
        where = self.rng.choice(("supply", "stock", "both", "both"))
        if where == "supply" or (seat == self.current and self.theme in ("crowded", "ready")):
            self.at.supply(seat, traders, merchants)
        elif where == "stock":
            self.at.supply(seat, 0, 0)
        else:
            self.at.supply(seat, self.rng.randint(0, traders), self.rng.randint(0, merchants))


def deal(rules: hf.Rules, theme: str, rng: random.Random) -> Json:
    """The dict of a random position."""
    return Dealer(rules, theme, rng).position().to_dict()
