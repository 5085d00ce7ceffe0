"""The unit of a tournament: one deal played through a balanced set of seatings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

Seating = tuple[str, ...]  # bots by seat


@dataclass(frozen=True)
class Pairing:
    """A block that is to be played: at which table, by whom, through which seatings (a game each)."""

    table: int  # index among the tables of the event
    round: int  # from 1
    seatings: tuple[Seating, ...]

    @cached_property
    def bots(self) -> tuple[str, ...]:
        """Who plays in it, each once, in the order of the first seating."""
        return tuple(dict.fromkeys(bot for seating in self.seatings for bot in seating))


@dataclass(frozen=True)
class GameResult:
    """How a game of a block came out; all by seat. Smaller ranks are better, equal ones are ties."""

    bots: Seating
    ranks: tuple[int, ...]
    totals: tuple[int, ...]  # points
    forfeits: Mapping[int, str] = field(default_factory=dict)  # reasons by seat


def rotations(bots: Sequence[str], *, both_ways: bool = False) -> tuple[Seating, ...]:
    """Seatings in which everybody sits in every seat once; both ways round also turns the neighbours about."""
    seatings = [(*bots[shift:], *bots[:shift]) for shift in range(len(bots))]
    if both_ways and len(bots) > 2:
        seatings += rotations(bots[::-1])
    return tuple(seatings)


def complements(seating: Sequence[str], a: str, b: str) -> tuple[Seating, ...]:
    """A seating of copies of two bots, and the one with each in the other's seats."""
    other = {a: b, b: a}
    return tuple(seating), tuple(other[bot] for bot in seating)
