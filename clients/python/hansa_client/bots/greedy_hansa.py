"""What the greedy bot likes in Hansa (2004).

A sold good is worth 1 and its barrels, an unsold one 1, a city with a booth 2 (4 if nobody else is there).
"""

from __future__ import annotations

from collections import Counter

from hansa_client._match import Action
from hansa_client._view import View

LARGEST_UNSOLD = 3  # more are taken away at the end of a turn


class Taste:
    """What a seat likes in this position. All values are in points, more or less."""

    def __init__(self, view: View, legal: list[Action]) -> None:
        self.view = view
        self.me = view.me
        self.seat = view.seat
        self.colours: Counter[str] = Counter()  # unsold goods by colour
        for good, count in self.me.unsold.items():
            self.colours[good.split()[0]] += count
        self.unsold = sum(self.colours.values())
        self.sails = {action.text.split(maxsplit=1)[1] for action in legal if action.text.startswith("sail ")}

    def value(self, words: list[str]) -> float:
        """How good an action is; its text in words."""
        verb, rest = words[0], " ".join(words[1:])
        match verb:
            case "place":
                return 5 - self._booths(rest).count(0) if self._is_alone(rest) else 1
            case "replenish":
                return 1 if self._empty_warehouses() >= 3 else -1
            case "sell":
                return 20 + self._barrels(rest)
            case "buy":
                return self._buy(rest)
            case "build":
                return self._build(rest)
            case "sail":
                return self._visit(rest) * 0.8 - 0.5
            case "lose" | "give":
                return -self._keep(rest)
            case _:  # end, finish, skip
                return 0

    def _booths(self, city: str) -> list[int]:
        return self.view.booths.get(city) or [0] * len(self.view.players)

    def _most_of_others(self, city: str) -> int:
        return max(count for seat, count in enumerate(self._booths(city)) if seat != self.seat)

    def _is_alone(self, city: str) -> bool:
        return self._most_of_others(city) == 0

    def _empty_warehouses(self) -> int:
        return sum(row.count(None) for row in self.view.warehouses.values())

    @staticmethod
    def _barrels(good: str) -> int:
        return int(good.split()[1])

    def _price(self, city: str) -> int:
        booths = self._booths(city)
        most = max(booths)
        return 0 if booths[self.seat] == most and booths.count(most) == 1 else 1

    def _buy(self, good: str, city: str | None = None) -> float:
        """A good makes a pair with others of its colour, and then it can be sold for all its barrels."""
        colour, barrels = good.split(maxsplit=1)[0], self._barrels(good)
        price = self._price(city or self.view.ship)
        if self.unsold >= LARGEST_UNSOLD and not self.colours[colour]:
            return 0.2 - price
        pair = (1 + barrels) if self.colours[colour] else 0.6 * barrels
        return 1 + pair - 0.7 * price

    def _build(self, good: str, city: str | None = None) -> float:
        """A first booth in a city counts at the end, lets us sell there, and the most of them make buying free."""
        city = city or self.view.ship
        booths = self._booths(city)
        colour, barrels = good.split(maxsplit=1)[0], self._barrels(good)
        if self.me.booths == 0:
            return -1
        gain = 0.0
        if not booths[self.seat]:
            gain += 4 if self._is_alone(city) else 2
        elif booths[self.seat] <= self._most_of_others(city) < booths[self.seat] + barrels:
            gain += 1.5
        loss = 1.0 + (barrels if self.colours[colour] >= 2 else 0.5 * barrels)
        return gain + 0.5 - loss

    def _can_sell(self) -> float:
        """The worth of selling every colour of which there are two or more."""
        worth = 0
        for good, count in self.me.unsold.items():
            if self.colours[good.split()[0]] >= 2:
                worth += count * (1 + self._barrels(good))
        return worth

    def _visit(self, city: str) -> float:
        """The best that could be done in a city."""
        best = 0.0
        if self._booths(city)[self.seat]:
            best = self._can_sell()
        for good in self.view.warehouses[city]:
            if good is not None and self._price(city) < self.me.talers:
                best = max(best, self._buy(good, city))
        for good in self.me.unsold:
            best = max(best, self._build(good, city))
        return best

    def _keep(self, good: str) -> float:
        """How much a good is worth to keep."""
        colour, barrels = good.split(maxsplit=1)[0], self._barrels(good)
        return 1 + barrels * (1.0 if self.colours[colour] >= 2 else 0.4)
