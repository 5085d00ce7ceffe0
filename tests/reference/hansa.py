"""Hansa (2004), told slowly: the rules of the second game in plain Python.

This engine is the second opinion on the compiled core. It shares nothing with it but the board file, prefers the
shortest way to say a rule over the fastest way to compute it, and names the ruling (H5, H10, ...) wherever one is
carried out.

How it works: a position is a phase, the player who decides, and plain dicts and lists of goods and booths. For each
phase there is one method `_choices_<phase>` that yields pairs `(text, deed)`, where a deed is a method followed by its
arguments. `legal` lists the texts, `apply` carries out the deed. Decisions, texts and the dict are specified in
docs/actions.md and docs/formats.md. A good is written as everywhere: `orange 2`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from tests.reference.boards import BOARD_FILES

Deed = tuple[Any, ...]  # a method and its arguments
Option = tuple[str, Deed]
Space = tuple[str, int]  # a warehouse: a city and the place of the space in its row

BOOTHS = 15
START_TALERS = 3
INCOME = 3
KEPT_TALERS = 3  # H12
KEPT_GOODS = 3  # H12
SET_UP_ROUNDS = 3  # H6
SET_UP_BOOTHS = 2  # H6
PILES = 5


# --- what never changes ----------------------------------------------------------------------------


class Board:
    """The facts of the board, read once: cities, arrows, warehouses, goods."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.start: str = data["start"]
        self.cities: list[str] = [city["name"] for city in data["cities"]]
        self.arrows: dict[str, list[str]] = {
            city: [there for here, there in data["routes"] if here == city] for city in self.cities
        }
        numbered = [
            (number, (city["name"], place))
            for city in data["cities"]
            for place, number in enumerate(city["warehouses"])
        ]
        # H2: by number; spaces of one number keep the order of the file, so both of a city come in turn.
        self.spaces: list[Space] = [space for _, space in sorted(numbered, key=lambda pair: pair[0])]
        self.space_count = {city["name"]: len(city["warehouses"]) for city in data["cities"]}
        self.colours: list[str] = data["goods"]["colours"]
        self.barrels: dict[int, int] = {int(barrels): count for barrels, count in data["goods"]["barrels"].items()}
        self.goods = [f"{colour} {barrels}" for colour in self.colours for barrels in sorted(self.barrels)]

    def pile_sizes(self, players: int) -> list[int]:
        """H1: what is not laid out makes five piles, as equal as can be, the first ones larger."""
        colours = players + 2
        rest = colours * sum(self.barrels.values()) - len(self.spaces)
        return [rest // PILES + (pile < rest % PILES) for pile in range(PILES)]


@cache
def load_board() -> Board:
    """The board (shared by all games: it never changes)."""
    return Board(json.loads((BOARD_FILES / "hansa-2004.json").read_text(encoding="utf-8")))


# --- small words -----------------------------------------------------------------------------------


def colour_of(good: str) -> str:
    """`orange` of `orange 2`."""
    return good.split(maxsplit=1)[0]


def barrels_of(good: str) -> int:
    """`2` of `orange 2`."""
    return int(good.split()[1])


def of_colour(goods: Counter[str], colour: str) -> int:
    """How many of the goods have this colour."""
    return sum(number for good, number in goods.items() if colour_of(good) == colour)


def in_order(counts: Counter[str], order: list[str]) -> dict[str, int]:
    """A plain dict of the counts that are not zero, in the order of the board."""
    return {key: counts[key] for key in order if counts[key]}


@dataclass
class Player:
    """What lies in front of one player."""

    talers: int = START_TALERS
    booths: int = BOOTHS
    unsold: Counter[str] = field(default_factory=Counter)
    sold: Counter[str] = field(default_factory=Counter)

    def copy(self) -> Player:
        """An independent copy."""
        return Player(self.talers, self.booths, self.unsold.copy(), self.sold.copy())

    def to_dict(self, goods: list[str]) -> dict[str, Any]:
        """The player's part of the canonical dict."""
        return {
            "talers": self.talers,
            "booths": self.booths,
            "unsold": in_order(self.unsold, goods),
            "sold": in_order(self.sold, goods),
        }

    @classmethod
    def from_dict(cls, d: dict[str, Any]) -> Player:
        """The player that `to_dict` wrote."""
        return cls(d["talers"], d["booths"], Counter(d["unsold"]), Counter(d["sold"]))


# --- the game --------------------------------------------------------------------------------------


class Hansa:
    """A game of Hansa (2004). Nothing in it is random: the set-up is given."""

    def __init__(self, *, players: int, turn_limit: int | None = None, setup: dict[str, Any]) -> None:
        self._set_options(players, turn_limit)
        self.colours = [colour for colour in self.board.colours if colour in setup["colours"]]
        self.warehouses: dict[str, list[str | None]] = {
            city: [None] * count for city, count in self.board.space_count.items()
        }
        for (city, place), good in zip(self.board.spaces, setup["goods"], strict=True):
            self.warehouses[city][place] = good
        self.piles: list[list[str]] = [list(pile) for pile in setup["piles"]]
        self.removed: Counter[str] = Counter()
        self.booths: dict[str, list[int]] = {city: [0] * players for city in self.board.cities}
        self.players = [Player() for _ in self.seats]
        self.ship = self.board.start
        self.acted = False
        self.end: list[str] = []
        self.turn = 0
        self.current = 0
        self._ask("place", 0)

    def _set_options(self, players: int, turn_limit: int | None) -> None:
        self.board = load_board()
        self.seats = range(players)
        self.turn_limit = turn_limit
        self._menu_now: dict[str, Deed] | None = None

    # --- the public face ---------------------------------------------------------------------------

    @classmethod
    def from_dict(cls, options: dict[str, Any], d: dict[str, Any]) -> Hansa:
        """The game in the position of a canonical dict, which is believed.

        `options` are the arguments of a game without its set-up.
        """
        game = cls.__new__(cls)
        game._set_options(options["players"], d["turn_limit"])
        game.turn = d["turn"]
        game.current = d["current"]
        game._player = -1 if d["player"] is None else d["player"]
        game.phase = d["phase"]
        game.colours = list(d["colours"])
        game.ship = d["ship"]
        game.acted = d["acted"]
        game.warehouses = {city: list(d["warehouses"][city]) for city in game.board.cities}
        game.booths = {city: list(d["booths"].get(city, [0] * options["players"])) for city in game.board.cities}
        game.piles = [list(pile) for pile in d["piles"]]
        game.removed = Counter(d["removed"])
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
            "colours": list(self.colours),
            "ship": self.ship,
            "acted": self.acted,
            "warehouses": {city: list(row) for city, row in self.warehouses.items()},
            "booths": {city: list(row) for city, row in self.booths.items() if any(row)},
            "piles": [list(pile) for pile in self.piles],
            "removed": in_order(self.removed, self.board.goods),
            "end": list(self.end),
            "players": [player.to_dict(self.board.goods) for player in self.players],
            "pending": None if self.pending is None else dict(self.pending),
        }

    def copy(self) -> Hansa:
        """An independent copy."""
        twin = Hansa.__new__(Hansa)
        twin.__dict__.update(self.__dict__)
        twin._menu_now = None  # its deeds are bound to this game
        twin.warehouses = {city: list(row) for city, row in self.warehouses.items()}
        twin.booths = {city: list(row) for city, row in self.booths.items()}
        twin.piles = [list(pile) for pile in self.piles]
        twin.removed = self.removed.copy()
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
        deed(*arguments)

    # --- phases ------------------------------------------------------------------------------------

    def _menu(self) -> dict[str, Deed]:
        """All legal answers."""
        if self._menu_now is None:
            self._menu_now = dict(getattr(self, f"_choices_{self.phase}")())
        return self._menu_now

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
        if self.phase == "replenish":
            self._ask("main", self.current)
        elif self.phase == "sell":
            self._finish_sale()
        elif self.phase == "lose":
            self._ask_next_loss()
        elif self.phase == "give":
            self._finish_turn()

    def _choices_over(self) -> Iterator[Option]:
        yield from ()

    # --- the set-up (H6) ---------------------------------------------------------------------------

    def _choices_place(self) -> Iterator[Option]:
        """H6: anywhere but where the ship starts, and three different cities."""
        for city in self.board.cities:
            if city != self.board.start and self.booths[city][self.current] == 0:
                yield f"place {city}", (self._place, city)

    def _place(self, city: str) -> None:
        self._set_up_booths(city, SET_UP_BOOTHS)
        following = (self.current + 1) % len(self.seats)
        if self.players[following].booths == BOOTHS - SET_UP_ROUNDS * SET_UP_BOOTHS:
            self._begin_turn(0)
        else:
            self.current = following
            self._ask("place", following)

    # --- the turn ----------------------------------------------------------------------------------

    @property
    def _me(self) -> Player:
        """The player whose turn it is."""
        return self.players[self.current]

    def _begin_turn(self, seat: int) -> None:
        """H4: income comes before the fee. H7: the city where the turn begins counts as a visit."""
        self.current = seat
        self.acted = False
        self._me.talers += INCOME  # H13: without looking at the bank
        self._ask("replenish", seat)

    def _choices_main(self) -> Iterator[Option]:
        yield from self._sail_choices()
        if not self.acted:  # one action a visit
            yield from self._buy_choices()
            yield from self._build_choices()
            yield from self._first_sell_choices()
        yield "end", (self._end_turn,)

    def _end_turn(self) -> None:
        """H12: first the talers, then the goods."""
        self._me.talers = min(self._me.talers, KEPT_TALERS)
        self._ask("give", self.current)

    def _choices_give(self) -> Iterator[Option]:
        """H12: exactly the unsold markers above three."""
        if self._me.unsold.total() > KEPT_GOODS:
            for good in in_order(self._me.unsold, self.board.goods):
                yield f"give {good}", (self._give, good)

    def _give(self, good: str) -> None:
        self._remove(self._me, good)
        self._ask("give", self.current)

    def _finish_turn(self) -> None:
        """H5: the round is finished first. A6: the limit counts all turns, also within a round."""
        self.turn += 1
        following = (self.current + 1) % len(self.seats)
        if self._last_pile_begun() and following == 0:
            self._finish_game("pile five")
        elif self.turn == self.turn_limit:
            self._finish_game("turn limit")
        else:
            self._begin_turn(following)

    def _finish_game(self, reason: str) -> None:
        self.end.append(reason)
        self._ask("over", -1)

    def _remove(self, player: Player, good: str) -> None:
        """An unsold marker leaves the game."""
        player.unsold[good] -= 1
        self.removed[good] += 1

    # --- replenishing (H2-H5) ----------------------------------------------------------------------

    def _empty_spaces(self) -> list[Space]:
        """H2: in the order in which they are filled."""
        return [(city, place) for city, place in self.board.spaces if self.warehouses[city][place] is None]

    def _choices_replenish(self) -> Iterator[Option]:
        """Asked only when there is something to fill and something to fill it with."""
        empty = self._empty_spaces()
        if empty and any(self.piles):
            yield "replenish", (self._replenish,)
            if len(empty) < len(self.board.spaces):  # with nothing left on the board it must be done
                yield "skip", (self._leave,)

    def _replenish(self) -> None:
        """H3: the whole fee, even if there are too few markers."""
        self._me.talers -= 1
        for city, place in self._empty_spaces():
            pile = next((pile for pile in self.piles if pile), None)
            if pile is not None:
                self.warehouses[city][place] = pile.pop(0)
        self._leave()

    def _last_pile_begun(self) -> bool:
        """H5: emptying pile four does not count, the first marker of pile five does."""
        return len(self.piles[-1]) < self.board.pile_sizes(len(self.seats))[-1]

    # --- sailing (H7) ------------------------------------------------------------------------------

    def _sail_choices(self) -> Iterator[Option]:
        if self._me.talers >= 1:
            for city in self.board.arrows[self.ship]:
                yield f"sail {city}", (self._sail, city)

    def _sail(self, city: str) -> None:
        """H7: every arrival is a new visit."""
        self._me.talers -= 1
        self.ship = city
        self.acted = False
        self._ask("main", self.current)

    # --- buying (H8) -------------------------------------------------------------------------------

    def _majority(self, city: str) -> int | None:
        """H8: the seat with strictly most booths in the city, if there is one."""
        most = max(self.booths[city])
        return self.booths[city].index(most) if most and self.booths[city].count(most) == 1 else None

    def _buy_choices(self) -> Iterator[Option]:
        """H8: it must be payable; equal markers are one action."""
        if self._me.talers >= 1 or self._majority(self.ship) == self.current:
            for good in self.warehouses[self.ship]:
                if good is not None:
                    yield f"buy {good}", (self._buy, good)

    def _buy(self, good: str) -> None:
        """H8: to the majority (free if it is one's own), on a tie or without booths to the bank."""
        receiver = self._majority(self.ship)
        if receiver != self.current:
            self._me.talers -= 1
            if receiver is not None:
                self.players[receiver].talers += 1
        row = self.warehouses[self.ship]
        row[row.index(good)] = None
        self._me.unsold[good] += 1
        self.acted = True
        self._ask("main", self.current)

    # --- booths (H9) -------------------------------------------------------------------------------

    def _build_choices(self) -> Iterator[Option]:
        """H9: with no booth left it is not allowed."""
        if self._me.booths > 0:
            for good in in_order(self._me.unsold, self.board.goods):
                yield f"build {good}", (self._build, good)

    def _build(self, good: str) -> None:
        """H9: as many as barrels, as far as the supply goes."""
        self._remove(self._me, good)
        self._set_up_booths(self.ship, min(barrels_of(good), self._me.booths))
        self.acted = True
        self._ask("main", self.current)

    def _set_up_booths(self, city: str, number: int) -> None:
        self._me.booths -= number
        self.booths[city][self.current] += number

    # --- selling (H10, H11) ------------------------------------------------------------------------

    def _first_sell_choices(self) -> Iterator[Option]:
        """H10: with a booth in the city."""
        if self.booths[self.ship][self.current] >= 1:
            yield from self._pick_choices({})

    def _pick_choices(self, picked: dict[str, int]) -> Iterator[Option]:
        """H10: a colour of the sale, or one of which there are two to begin with."""
        unsold = self._me.unsold
        for good in in_order(unsold, self.board.goods):
            if colour_of(good) in picked or of_colour(unsold, colour_of(good)) >= 2:
                yield f"sell {good}", (self._pick, good, picked)

    def _choices_sell(self) -> Iterator[Option]:
        """H10: the sale may be finished once every colour has two; not asked when there is nothing else to do."""
        assert self.pending is not None
        picked = self.pending["picked"]
        choices = list(self._pick_choices(picked))
        yield from choices
        if choices and min(picked.values()) >= 2:
            yield "finish", (self._leave,)

    def _pick(self, good: str, picked: dict[str, int]) -> None:
        self.acted = True
        self._me.unsold[good] -= 1
        self._me.sold[good] += 1
        now = Counter(picked)
        now[colour_of(good)] += 1
        self._ask("sell", self.current, {"picked": in_order(now, self.board.colours)})

    def _finish_sale(self) -> None:
        """H10: one booth for the whole sale. H11: then the losses."""
        assert self.pending is not None
        self._set_up_booths(self.ship, -1)
        sold = list(self.pending["picked"])
        self._ask_loss(sold, self._losses(sold))

    def _losses(self, sold: list[str]) -> list[tuple[int, str]]:
        """H11: who loses of which colour, clockwise from the seller, colours in the order of the board."""
        opponents = [(self.current + step) % len(self.seats) for step in self.seats if step > 0]
        return [(seat, colour) for seat in opponents for colour in sold]

    def _ask_loss(self, sold: list[str], losses: list[tuple[int, str]]) -> None:
        """Ask for the first of these losses; when there is none, the seller goes on."""
        if losses:
            seat, colour = losses[0]
            self._ask("lose", seat, {"colour": colour, "sold": sold})
        else:
            self._ask("main", self.current)

    def _ask_next_loss(self) -> None:
        assert self.pending is not None
        sold = self.pending["sold"]
        losses = self._losses(sold)
        done = losses.index((self._player, self.pending["colour"]))
        self._ask_loss(sold, losses[done + 1 :])

    def _choices_lose(self) -> Iterator[Option]:
        """H11: an unsold marker of the colour, of the victim's choice."""
        assert self.pending is not None
        for good in in_order(self.players[self._player].unsold, self.board.goods):
            if colour_of(good) == self.pending["colour"]:
                yield f"lose {good}", (self._lose, good)

    def _lose(self, good: str) -> None:
        self._remove(self.players[self._player], good)
        self._leave()

    # --- the end -----------------------------------------------------------------------------------

    def scores(self) -> list[dict[str, int]]:
        """The final scoring of every seat, as if the game ended now."""
        scores = []
        for seat in self.seats:
            player = self.players[seat]
            score = {
                "unsold": player.unsold.total(),
                "sold": sum(number * (1 + barrels_of(good)) for good, number in player.sold.items()),
                "cities": sum(self._city_points(row, seat) for row in self.booths.values()),
            }
            score["total"] = sum(score.values())
            scores.append(score)
        return scores

    def _city_points(self, row: list[int], seat: int) -> int:
        if row[seat] == 0:
            return 0
        return 4 if sum(row) == row[seat] else 2

    def result(self) -> dict[str, Any]:
        """Why the game ended, and who came where; only when it is over."""
        if not self.is_over:
            raise ValueError("the game is not over")
        scores = self.scores()
        # H14: the total, then the booths on the board
        strength = [
            (score["total"], sum(row[seat] for row in self.booths.values())) for seat, score in enumerate(scores)
        ]
        ranks = [1 + sum(other > own for other in strength) for own in strength]
        return {
            "reasons": list(self.end),
            "scores": scores,
            "ranks": ranks,
            "winners": [seat for seat in self.seats if ranks[seat] == 1],
        }
