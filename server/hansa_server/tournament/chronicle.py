"""All that happened in a tournament, as plain data: what ratings, reports and exports are made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hansa_server.ratings import Table
from hansa_server.tournament.block import GameResult, Pairing
from hansa_server.tournament.event import Entrant, Event

MADE, RUNNING, FINISHED, DROPPED = "made", "running", "finished", "dropped"  # states of a block


@dataclass(frozen=True)
class PlayedGame(GameResult):
    """A game of a block with its record."""

    match_id: str = ""
    reasons: tuple[str, ...] = ()  # why it ended
    actions: int = 0
    record: str = ""  # the hash of its record


@dataclass(frozen=True)
class Block:
    """A block of the schedule. Its games count when all of them are over."""

    number: int
    pairing: Pairing
    state: str
    attempt: int = 0  # how often it was spoilt and begun anew
    games: tuple[PlayedGame, ...] = ()  # of a finished one, in the order of the seatings
    chain: str = ""  # the hash that ties it to all blocks before it


@dataclass(frozen=True)
class Place:
    """A bot in the line-up. Blocks count from 0; None means never."""

    entrant: Entrant
    entered: int  # how many blocks were on the schedule when it came
    withdrawn: int | None = None
    version: str | None = None  # of the built-in bot that plays for it; None if it has none, or nobody has noted it

    @property
    def changed(self) -> str:
        """What is different about its built-in bot since it was entered; empty if nothing is known to be."""
        name, uses, now = self.entrant.name, self.entrant.uses, self.entrant.version
        if not self.entrant.is_here:
            return f"{name} was {uses}, which is not here"
        if self.version in (None, now):
            return ""
        return f"{name} was version {self.version} of {uses}, which is version {now} here"


@dataclass(frozen=True)
class Note:
    """A line of the log of a tournament: what was done, at which point of the schedule."""

    number: int
    block: int  # how many blocks were on the schedule
    kind: str  # "created", "started", "paused", "resumed", "stopped", "entered", "withdrawn", "void", ...
    text: str


@dataclass(frozen=True)
class Chronicle:
    """A tournament from its set-up to where it is now."""

    event: Event
    state: str
    commitment: str
    secret: str  # empty until it is revealed
    line_up: tuple[Place, ...]
    blocks: tuple[Block, ...]
    notes: tuple[Note, ...] = ()
    outcome: Mapping[str, Any] = field(default_factory=dict)  # of the format

    def finished(self) -> list[Block]:
        """The blocks that count, in the order of the schedule."""
        return [block for block in self.blocks if block.state == FINISHED]

    def tables(self) -> list[Table]:
        """What ratings see, in the order of the schedule."""
        return [
            Table(
                self.event.pool(block.pairing.table), str(block.number), game.bots, game.ranks, frozenset(game.forfeits)
            )
            for block in self.finished()
            for game in block.games
        ]
