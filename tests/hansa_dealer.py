"""Random legal positions of Hansa (2004) to start from, made for what games hardly ever reach."""

from __future__ import annotations

import random
from typing import Any

import hansa_fast as hf
from tests.hansa_engines import BOOTHS, CITIES, COLOURS, KINDS, PILE_SIZES, SPACES, Port

THEMES = {"mixed": 50, "bare": 40, "market": 30, "late": 40}  # and the decisions played from there


class Dealer:
    """Makes random legal positions.

    The themes: `mixed` anything; `bare` hardly a marker in the warehouses; `market` many goods in few colours and a
    booth to sell them, so that much is sold and lost; `late` the last piles and the last turns of a limit.
    """

    def __init__(self, rules: hf.Rules, theme: str, rng: random.Random) -> None:
        self.rng = rng
        self.theme = theme
        self.players = rules.players
        self.seat = rng.randrange(self.players)
        turn = self.seat + self.players * rng.randint(0, 5)
        limit = turn + rng.randint(1, 2 * self.players) if theme == "late" and rng.random() < 0.5 else None
        self.at = Port(players=self.players, turn_limit=limit).turn(self.seat, number=turn)

    def position(self) -> dict[str, Any]:
        """A random position."""
        rng, at = self.rng, self.at
        colours = rng.sample(COLOURS, self.players + 2)
        self.ship = rng.choice(CITIES)
        at.colours(*colours).ship(self.ship, acted=self.theme != "market" and rng.random() < 0.2)
        goods = [f"{colour} {barrels}" for colour in colours for barrels, n in KINDS.items() for _ in range(n)]
        rng.shuffle(goods)
        if self.theme == "market":  # few colours are dealt out first
            goods.sort(key=lambda good: good.split()[0] in colours[:3] and rng.random() < 0.9)
        for seat in range(self.players):
            self._hold(seat, goods)
            just_taxed = seat == (self.seat - 1) % self.players
            at.talers(seat, rng.choice((0, 1, 2, 3) if just_taxed else (0, 1, 2, 3, 3, 4, 6, 9)))
        if self.theme != "market":
            self._lay(goods)
        self._booths()
        if self.theme == "late":
            self._last_piles(goods)
        return at.to_dict()

    def _hold(self, seat: int, goods: list[str]) -> None:
        """Goods of a seat; the player to move has most."""
        few, many = {"market": (6, 9), "late": (0, 6)}.get(self.theme, (0, 4)) if seat == self.seat else (0, 4)
        for _ in range(self.rng.randint(few, many)):
            self.at.unsold(seat, goods.pop())
        for _ in range(self.rng.choice((0, 0, 2, 3))):
            self.at.sold(seat, goods.pop())

    def _lay(self, goods: list[str]) -> None:
        share = {"mixed": self.rng.choice((0.4, 0.7, 1.0)), "bare": self.rng.choice((0.0, 0.1)), "late": 0.5}[
            self.theme
        ]
        for city in CITIES:
            row = [goods.pop() if self.rng.random() < share else None for name, _ in SPACES if name == city]
            if row[1:] and row[0] is not None and self.rng.random() < 0.3 and row[0] in goods:
                goods.remove(row[0])  # two equal markers
                if row[1] is not None:
                    goods.append(row[1])
                row[1] = row[0]
            self.at.lay(city, *row)

    def _booths(self) -> None:
        """Mostly a few in many cities; here and there somebody has hardly any left."""
        rng = self.rng
        left = [BOOTHS - rng.choice((0, 0, 1, 2, 6)) for _ in range(self.players)]
        crowded = rng.random() < 0.5
        for city in CITIES:
            row = []
            for seat in range(self.players):
                sells = self.theme == "market" and (seat, city) == (self.seat, self.ship)
                number = min(left[seat], max(int(sells), rng.choice((0, 1, 1, 2, 3) if crowded else (0, 0, 0, 1, 2))))
                left[seat] -= number
                row.append(number)
            self.at.booths(city, *row)

    def _last_piles(self, goods: list[str]) -> None:
        """Pile four is nearly empty, or pile five is begun; in the first turn of a round it cannot be long begun."""
        *_, fourth, fifth = PILE_SIZES[self.players]
        if self.seat == 0 or self.rng.random() < 0.6:
            sizes = (0, 0, 0, self.rng.randint(0, min(4, fourth)), fifth)
        else:
            sizes = (0, 0, 0, 0, self.rng.choice((0, 1, 2, 3, fifth - 1)))
        if sum(sizes) <= len(goods):
            self.at.piles(*sizes)


def deal(rules: hf.Rules, theme: str, rng: random.Random) -> dict[str, Any]:
    """The dict of a random position."""
    return Dealer(rules, theme, rng).position()
