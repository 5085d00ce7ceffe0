"""The seat-balance certificate: how often each bot sat in each seat and played right after each other bot."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from hansa_server.tournament.block import Seating
from hansa_server.tournament.chronicle import Chronicle


@dataclass(frozen=True)
class Certificate:
    """The seats of one pool. Counts are games; rows are bots in the order of their names.

    Seats are balanced if every bot sat in every seat equally often. Neighbours are balanced if of each two bots each
    played right before the other equally often; that is what playing both ways round gives. Ratings need the first.
    """

    pool: str
    games: int
    bots: tuple[str, ...]
    seats: tuple[tuple[int, ...], ...]  # bot x seat
    neighbours: tuple[tuple[int, ...], ...]  # bot x the bot that plays right before it, at its left hand

    @property
    def seat_problems(self) -> list[str]:
        """Exactly what is not balanced about the seats."""
        return [
            f"{bot} sat {_times(min(row))} in seat {row.index(min(row))}, but {_times(max(row))} in seat "
            f"{row.index(max(row))}"
            for bot, row in zip(self.bots, self.seats, strict=True)
            if min(row) != max(row)
        ]

    @property
    def neighbour_problems(self) -> list[str]:
        """Exactly what is not balanced about the neighbours."""
        return [
            f"{one} played {_times(self.neighbours[b][a])} right before {other}, but {other} "
            f"{_times(self.neighbours[a][b])} right before {one}"
            for a, one in enumerate(self.bots)
            for b, other in enumerate(self.bots)
            if a < b and self.neighbours[a][b] != self.neighbours[b][a]
        ]

    @property
    def is_balanced(self) -> bool:
        """Whether seats are balanced."""
        return not self.seat_problems

    @property
    def verdict(self) -> str:
        """All in a sentence."""
        if not self.games:
            return "nothing was played"
        if not self.is_balanced:
            return f"not balanced: {'; '.join(self.seat_problems)}"
        uneven = len(self.neighbour_problems)
        if uneven:
            return f"seats are balanced; {uneven} {'pair' if uneven == 1 else 'pairs'} of neighbours are not"
        return "seats and neighbours are balanced"

    def to_dict(self) -> dict[str, Any]:
        """The certificate as plain values."""
        return {
            "pool": self.pool,
            "games": self.games,
            "bots": list(self.bots),
            "seats": [list(row) for row in self.seats],
            "neighbours": [list(row) for row in self.neighbours],
            "balanced": self.is_balanced,
            "neighbours_balanced": not self.neighbour_problems,
            "seat_problems": self.seat_problems,
            "neighbour_problems": self.neighbour_problems,
            "verdict": self.verdict,
        }


def certify(chronicle: Chronicle) -> list[Certificate]:
    """A certificate for each pool of an event, over the blocks that count."""
    seatings: dict[str, list[Seating]] = {pool: [] for pool in chronicle.event.pools}
    players = {chronicle.event.pool(table): rules.players for table, rules in enumerate(chronicle.event.tables)}
    for block in chronicle.finished():
        seatings[chronicle.event.pool(block.pairing.table)] += [game.bots for game in block.games]
    return [certificate(pool, players[pool], seatings[pool]) for pool in chronicle.event.pools]


def certificate(pool: str, players: int, seatings: Iterable[Seating]) -> Certificate:
    """The certificate of these seatings, a game each."""
    played = list(seatings)
    bots = tuple(sorted({bot for seating in played for bot in seating}))
    index = {bot: number for number, bot in enumerate(bots)}
    seats = [[0] * players for _ in bots]
    neighbours = [[0] * len(bots) for _ in bots]
    for seating in played:
        for seat, bot in enumerate(seating):
            seats[index[bot]][seat] += 1
            neighbours[index[bot]][index[seating[seat - 1]]] += 1
    return Certificate(pool, len(played), bots, _frozen(seats), _frozen(neighbours))


def may_publish(chronicle: Chronicle, certificates: Sequence[Certificate] | None = None) -> tuple[bool, list[str]]:
    """Whether ratings of an event may be published, and if not, why: seats are not balanced, and the organiser did not
    ask for ratings all the same (`rate_unbalanced`)."""
    found = certify(chronicle) if certificates is None else certificates
    reasons = [f"{one.pool}: {problem}" for one in found for problem in one.seat_problems]
    return chronicle.event.rate_unbalanced or not reasons, reasons


def _frozen(rows: list[list[int]]) -> tuple[tuple[int, ...], ...]:
    return tuple(map(tuple, rows))


def _times(count: int) -> str:
    return "once" if count == 1 else "never" if count == 0 else f"{count} times"
