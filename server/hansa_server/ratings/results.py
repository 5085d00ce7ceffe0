"""What was played, as ratings see it: a table of bots in their seats and the places they came to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

SMALLEST, LARGEST = 2, 5  # players at a table


class RatingError(ValueError):
    """The results do not allow what was asked of them."""


class Forfeits(Enum):
    """How tables with forfeits are read."""

    AS_PLAYED = "as played"  # who forfeits is last
    CLEAN = "clean"  # who forfeits was not there; the others are ranked among themselves


@dataclass(frozen=True, slots=True)
class Table:
    """One finished game.

    Bots and ranks are by seat. Smaller ranks are better and equal ranks are ties; only their order counts, so that
    ranks from 0 and from 1 mean the same. Seats that forfeited share the last place. Tables of one block were played
    from one deal through a set of seatings: together they are one piece of evidence.
    """

    pool: str
    block: str
    bots: tuple[str, ...]
    ranks: tuple[int, ...]
    forfeits: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        players = len(self.bots)
        if not SMALLEST <= players <= LARGEST:
            raise RatingError(f"block {self.block}: a table has {SMALLEST} to {LARGEST} players, not {players}")
        if len(self.ranks) != players:
            raise RatingError(f"block {self.block}: {len(self.ranks)} ranks for {players} players")
        if any(type(rank) is not int for rank in self.ranks):
            raise RatingError(f"block {self.block}: every seat needs a whole number as its rank, not {self.ranks!r}")
        if self.forfeits:
            if not all(0 <= seat < players for seat in self.forfeits):
                raise RatingError(f"block {self.block}: forfeits name seats that are not there: {set(self.forfeits)}")
            last = max(self.ranks)
            if self.forfeits != {seat for seat, rank in enumerate(self.ranks) if rank == last}:
                raise RatingError(f"block {self.block}: seats that forfeit, and only they, share the last place")

    def seats(self, forfeits: Forfeits) -> tuple[int, ...]:
        """The seats that are compared."""
        if forfeits is Forfeits.AS_PLAYED or not self.forfeits:
            return tuple(range(len(self.bots)))
        return tuple(seat for seat in range(len(self.bots)) if seat not in self.forfeits)


def by_pool(tables: Iterable[Table]) -> dict[str, list[Table]]:
    """The tables of each pool, in their order; numbers of different pools are never mixed."""
    pools: dict[str, list[Table]] = {}
    for table in tables:
        pools.setdefault(table.pool, []).append(table)
    return pools


def by_block(tables: Iterable[Table]) -> dict[str, list[Table]]:
    """The tables of each block, in their order."""
    blocks: dict[str, list[Table]] = {}
    for table in tables:
        blocks.setdefault(table.block, []).append(table)
    return blocks


def place_scores(ranks: Sequence[int]) -> tuple[float, ...]:
    """1 for the first place, 0 for the last, even steps between; tied places share what they cover."""
    beaten = [sum(other > rank for other in ranks) for rank in ranks]
    level = [sum(other == rank for other in ranks) - 1 for rank in ranks]
    return tuple((b + t / 2) / (len(ranks) - 1) for b, t in zip(beaten, level, strict=True))


def forfeit_share(tables: Sequence[Table]) -> float:
    """The share of tables at which somebody forfeited."""
    return sum(bool(table.forfeits) for table in tables) / len(tables) if tables else 0.0
