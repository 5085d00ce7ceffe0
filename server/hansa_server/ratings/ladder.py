"""Ladder Elo: the familiar number that moves after every game. For display; the published rating is the joint fit.

It depends on the order of games, so that tables are applied in the order of the schedule, never as they finish.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import combinations

from hansa_server.ratings.elo import expected
from hansa_server.ratings.results import Table

START = 1500.0
PROVISIONAL = 30  # games


def step_size(games: int) -> float:
    """K, the largest change by one game, after so many games."""
    if games < PROVISIONAL:
        return 32.0
    return 16.0 if games < 100 else 8.0


@dataclass
class Rung:
    """Where a bot stands on the ladder."""

    rating: float = START
    games: int = 0

    @property
    def provisional(self) -> bool:
        return self.games < PROVISIONAL


@dataclass
class Ladder:
    """The rungs of all bots that have played."""

    rungs: dict[str, Rung] = field(default_factory=dict)

    def apply(self, table: Table) -> dict[str, float]:
        """Count one game; returns the changes. A bot in two seats moves once, and not by the games with itself."""
        before = {bot: self.rungs.setdefault(bot, Rung()) for bot in dict.fromkeys(table.bots)}
        gains = dict.fromkeys(before, 0.0)  # what was scored beyond expectation
        for (bot, rank), (other, other_rank) in combinations(zip(table.bots, table.ranks, strict=True), 2):
            if other != bot:
                score = 1.0 if rank < other_rank else 0.5 if rank == other_rank else 0.0
                gain = score - expected(before[bot].rating - before[other].rating)
                gains[bot] += gain
                gains[other] -= gain
        shared = len(table.bots) - 1
        changes = {bot: step_size(before[bot].games) / shared * gain for bot, gain in gains.items()}
        for bot, change in changes.items():
            before[bot].rating += change
            before[bot].games += 1
        return changes


def replay(tables: Iterable[Table]) -> Ladder:
    """The ladder after all tables, in the order they are given."""
    ladder = Ladder()
    for table in tables:
        ladder.apply(table)
    return ladder
