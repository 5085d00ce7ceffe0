"""Blocks that are being played, and how workers play those among built-in bots."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from hansa_server.match import MatchSpec, Outcome, play_out
from hansa_server.store import pack
from hansa_server.tournament.block import Pairing
from hansa_server.tournament.chronicle import PlayedGame

AT_ONCE = 32  # blocks of built-in bots that are handed to a worker; nothing else is done while they are counted
STRETCH = 0.2  # seconds after which a worker hands in what it has played

Batch = dict[int, list[tuple[bytes, Outcome]]]  # by block: actions and outcome of each game


@dataclass
class OpenBlock:
    """A block that is not over."""

    number: int
    pairing: Pairing
    attempt: int
    specs: list[MatchSpec]
    results: list[PlayedGame | None]
    begun: list[bool]
    lag: list[float]  # by game: the lag of the arena's clock when it began
    is_built_in: bool  # whether all its bots are
    since: float | None = None  # since when a bot is waited for

    @property
    def bots(self) -> tuple[str, ...]:
        return self.pairing.bots

    @property
    def has_begun(self) -> bool:
        return any(self.begun)

    @property
    def is_whole(self) -> bool:
        return all(result is not None for result in self.results)


HandedIn = tuple[list[OpenBlock], Batch]  # what a worker was given, and what it has played


def play_blocks(jobs: Sequence[tuple[int, list[MatchSpec]]]) -> Batch:
    """Play blocks of built-in bots, in a worker. After a moment it hands in what it has; the first one is always in."""
    end = time.monotonic() + STRETCH
    played = {}
    for number, specs in jobs:
        found = []
        for spec in specs:
            actions, outcome = play_out(spec)
            found.append((pack(actions), outcome))
        played[number] = found
        if time.monotonic() > end:
            break
    return played
