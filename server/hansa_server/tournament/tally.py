"""What is counted as blocks are finished: totals, pairs and the ladder of every pool.

All of it follows from the finished blocks. Counts do not depend on their order; the ladder does, so it climbs in the
order of the schedule, as far as that is played without a gap.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from hansa_server.ratings import Ladder, Rung, Table
from hansa_server.tournament.block import GameResult

SHARES = 24  # place scores are multiples of 1/24 at all tables of two to five: sums of them stay exact


@dataclass
class BotTally:
    """What is counted of a bot in a pool."""

    games: int = 0
    firsts: int = 0
    place_shares: int = 0
    points: int = 0
    forfeits: Counter[str] = field(default_factory=Counter)  # by reason
    seats: Counter[int] = field(default_factory=Counter)

    @property
    def place_score(self) -> float:
        """The mean share of the others left behind."""
        return self.place_shares / SHARES / self.games if self.games else 0.0


@dataclass
class PairTally:
    """What is counted of a bot against another."""

    ahead: int = 0
    tied: int = 0
    behind: int = 0
    after: int = 0  # times it sat right after the other


@dataclass
class PoolTally:
    """What is counted in a pool."""

    bots: dict[str, BotTally] = field(default_factory=dict)
    pairs: dict[tuple[str, str], PairTally] = field(default_factory=dict)
    ladder: Ladder = field(default_factory=Ladder)


class Tally:
    """The counts of a tournament, and which of them have changed since they were stored."""

    def __init__(self) -> None:
        self.pools: dict[str, PoolTally] = {}
        self.changed_bots: set[tuple[str, str]] = set()  # pool and bot
        self.changed_pairs: set[tuple[str, str, str]] = set()

    def pool(self, name: str) -> PoolTally:
        """The counts of a pool."""
        return self.pools.setdefault(name, PoolTally())

    def count(self, pool: str, games: Iterable[GameResult]) -> None:
        """Count the games of a finished block."""
        here = self.pool(pool)
        touched: set[tuple[str, str]] = set()
        for game in games:
            bots, ranks = game.bots, game.ranks
            players = len(bots)
            for seat, (bot, rank) in enumerate(zip(bots, ranks, strict=True)):
                mine = here.bots.get(bot)
                if mine is None:
                    mine = here.bots[bot] = BotTally()
                shares = 0
                for other_seat, (other, other_rank) in enumerate(zip(bots, ranks, strict=True)):
                    if other_seat == seat:
                        continue
                    shares += 2 if rank < other_rank else 1 if rank == other_rank else 0
                    if other != bot:
                        key = bot, other
                        pair = here.pairs.get(key)
                        if pair is None:
                            pair = here.pairs[key] = PairTally()
                        if rank < other_rank:
                            pair.ahead += 1
                        elif rank == other_rank:
                            pair.tied += 1
                        else:
                            pair.behind += 1
                        if other_seat == (seat - 1) % players:
                            pair.after += 1
                        touched.add(key)
                mine.games += 1
                mine.firsts += rank == 1
                mine.place_shares += shares * SHARES // (2 * (players - 1))
                mine.points += game.totals[seat]
                mine.seats[seat] += 1
                if seat in game.forfeits:
                    mine.forfeits[game.forfeits[seat]] += 1
                self.changed_bots.add((pool, bot))
        self.changed_pairs.update((pool, *pair) for pair in touched)

    def climb(self, tables: Sequence[Table]) -> None:
        """Let the ladder move by the games of the next block of the schedule."""
        for table in tables:
            for bot in self.pool(table.pool).ladder.apply(table):
                self.changed_bots.add((table.pool, bot))

    def forfeits(self) -> Counter[str]:
        """All of them, by reason."""
        found: Counter[str] = Counter()
        for pool in self.pools.values():
            for bot in pool.bots.values():
                found.update(bot.forfeits)
        return found

    def stored(self) -> None:
        """What has changed is in the store now."""
        self.changed_bots.clear()
        self.changed_pairs.clear()

    def everything_changed(self) -> None:
        """Nothing is in the store: all of it has to be written."""
        self.changed_bots = {(pool, bot) for pool, here in self.pools.items() for bot in here.bots}
        self.changed_pairs = {(pool, *pair) for pool, here in self.pools.items() for pair in here.pairs}

    # -- As plain values -----------------------------------------------------------------------------------------

    def bot_values(self, pool: str, bot: str) -> dict[str, Any]:
        """All that is counted of a bot in a pool."""
        here = self.pools[pool]
        mine = here.bots[bot]
        rung = here.ladder.rungs.get(bot, Rung())
        return {
            "games": mine.games,
            "firsts": mine.firsts,
            "place_shares": mine.place_shares,
            "points": mine.points,
            "forfeits": dict(sorted(mine.forfeits.items())),
            "seats": {str(seat): count for seat, count in sorted(mine.seats.items())},
            "ladder": rung.rating,
            "ladder_games": rung.games,
        }

    def set_bot(self, pool: str, bot: str, values: dict[str, Any]) -> None:
        """Take in what `bot_values` gave."""
        here = self.pool(pool)
        here.bots[bot] = BotTally(
            values["games"],
            values["firsts"],
            values["place_shares"],
            values["points"],
            Counter(values["forfeits"]),
            Counter({int(seat): count for seat, count in values["seats"].items()}),
        )
        here.ladder.rungs[bot] = Rung(values["ladder"], values["ladder_games"])
