"""Scores of bots by the places they came to, and the tie-breaks between them.

A game scores (n - r) / (n - 1) for place r at a table of n, ties averaged. Counts are whole numbers (24ths of a game,
12ths of a point), so that sums are exact and do not depend on the order of blocks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from itertools import groupby
from typing import Any

from hansa_server.tournament.block import GameResult

UNIT = 24  # of a game: places at tables of two to five are whole numbers of it
POINT = 12  # of a point: so are the means of up to four others
DIGITS = 9  # that are told and compared


@cache  # there are few ways to come out
def place_units(ranks: tuple[int, ...]) -> tuple[int, ...]:
    """Scores by seat in 24ths."""
    share = UNIT // 2 // (len(ranks) - 1)
    return tuple(share * (2 * sum(r > rank for r in ranks) + ranks.count(rank) - 1) for rank in ranks)


class Scores:
    """What bots have reached so far. A bot that is not at any table yet has no games."""

    def __init__(self) -> None:
        self.games: Counter[str] = Counter()
        self.units: Counter[str] = Counter()
        self.firsts: Counter[str] = Counter()
        self.margins: Counter[str] = Counter()  # own points above the mean of the others, in 12ths
        self._ahead: Counter[tuple[str, str]] = Counter()  # in halves: 2 for ahead, 1 for level
        self._met: dict[str, Counter[str]] = {}

    def note(self, games: Iterable[GameResult]) -> None:
        """Count games."""
        played, firsts, units_of, margins, met, ahead = (
            *(self.games, self.firsts, self.units, self.margins, self._met, self._ahead),
        )
        for game in games:
            bots, ranks, totals = game.bots, game.ranks, game.totals
            units, best, total, players = place_units(ranks), min(ranks), sum(totals), len(bots)
            worth = POINT // (players - 1)
            for seat, bot in enumerate(bots):
                rank = ranks[seat]
                played[bot] += 1
                units_of[bot] += units[seat]
                firsts[bot] += rank == best
                margins[bot] += (totals[seat] * players - total) * worth
                mine = met.get(bot)
                if mine is None:
                    mine = met[bot] = Counter()
                for place, other in enumerate(bots):
                    if place != seat:
                        mine[other] += 1
                        ahead[bot, other] += 2 if ranks[place] > rank else ranks[place] == rank

    def mean(self, bot: str) -> float:
        """The mean score of a bot; a half if it has not played."""
        return self.units[bot] / (UNIT * self.games[bot]) if self.games[bot] else 0.5

    def opponents(self, bot: str) -> float:
        """The mean score of the opponents a bot has met, as often as it met them."""
        met = self._met.get(bot)
        if not met:
            return 0.5
        return sum(self.mean(other) * met[other] for other in sorted(met)) / sum(met.values())

    def between(self, bot: str, others: Iterable[str]) -> float:
        """The share of games in which a bot finished ahead of these others; a half if they never met."""
        met = sum(self._met.get(bot, Counter())[other] for other in others if other != bot)
        ahead = sum(self._ahead[bot, other] for other in others if other != bot)
        return ahead / (2 * met) if met else 0.5

    def table(
        self, bots: Iterable[str], lot: Callable[[str], int], worth: Mapping[str, float] | None = None
    ) -> list[dict[str, Any]]:
        """Bots from the best to the worst, with everything that decided it.

        By score (`worth`, or the mean of all games), then mean score of the opponents met, games against those who are
        still level, firsts, score margin. Bots that are level in all of it share a place, in the order of lots.
        """
        rows: list[dict[str, Any]] = [
            {
                "bot": bot,
                "score": round(self.mean(bot) if worth is None else worth[bot], DIGITS),
                "opponents": round(self.opponents(bot), DIGITS),
                "head_to_head": 0.5,
                "firsts": self.firsts[bot],
                "margin": round(self.margins[bot] / POINT, DIGITS),
                "games": self.games[bot],
            }
            for bot in bots
        ]
        rows.sort(key=_level)
        for _, group in groupby(rows, _level):
            level = list(group)
            if len(level) > 1:
                names = [row["bot"] for row in level]
                for row in level:
                    row["head_to_head"] = round(self.between(row["bot"], names), DIGITS)
        rows.sort(key=lambda row: (*_decided(row), lot(row["bot"])))
        for index, row in enumerate(rows):
            tied = index > 0 and _decided(row) == _decided(rows[index - 1])
            row["place"] = rows[index - 1]["place"] if tied else index + 1
        return rows


def _level(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return -row["score"], -row["opponents"]


def _decided(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return *_level(row), -row["head_to_head"], -row["firsts"], -row["margin"]
