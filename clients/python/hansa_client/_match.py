"""A match as a bot knows it: options, clock, history, actions and the result. Plain objects; the wire is elsewhere."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Action(NamedTuple):
    """A legal action: its id and what it means in words."""

    id: int
    text: str = ""


class Played(NamedTuple):
    """An action that was played: the how-manieth of the match, by which seat, its id and what it means in words."""

    sequence: int
    seat: int
    action: int
    text: str = ""


class Choice(NamedTuple):
    """What `choose` may return to say more than the action: what spectators see beside it."""

    action: Action | int | str
    evaluation: Sequence[float] = ()  # what each seat is expected to score, by seat
    comment: str = ""  # at most 280 characters are kept


@dataclass(frozen=True)
class Rules:
    """The options of a game, all filled in."""

    game: str = ""
    edition: str = ""
    board: str = ""
    players: int = 0
    missions: bool = False
    favours: bool = False
    turn_limit: int | None = None


@dataclass(frozen=True)
class ClockRules:
    """How time is counted, in seconds; 0 stands for no such limit."""

    per_decision: float = 0.0
    bank: float = 0.0
    increment: float = 0.0
    grace: float = 0.0


@dataclass(frozen=True)
class Clock:
    """The clock of a decision, in seconds."""

    decision: float | None = None  # for this decision, when it was asked; None: as long as you like
    bank: float | None = None  # what was left in the bank then; None without a bank
    received: float = field(default_factory=time.monotonic)

    def left(self) -> float:
        """How many seconds are left for this decision now; infinity without a limit."""
        if self.decision is None:
            return float("inf")
        return max(0.0, self.decision - (time.monotonic() - self.received))


@dataclass(frozen=True)
class SeatResult:
    """How a seat came out."""

    seat: int
    total: int
    rank: int
    scores: dict[str, int]
    forfeit: str = ""  # why the seat was given up, such as "timeout"; empty if it was not


@dataclass(frozen=True)
class Result:
    """How a match came out; ranks are places from 1, shared ones have the same number."""

    reasons: tuple[str, ...]
    seats: tuple[SeatResult, ...]
    actions: int

    @property
    def totals(self) -> tuple[int, ...]:
        """Points by seat."""
        return tuple(seat.total for seat in self.seats)

    @property
    def ranks(self) -> tuple[int, ...]:
        """Places by seat."""
        return tuple(seat.rank for seat in self.seats)

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats in the first place."""
        return tuple(seat.seat for seat in self.seats if seat.rank == 1)


@dataclass(eq=False)
class Match:
    """A match that this bot plays."""

    id: str
    seat: int
    rules: Rules = Rules()
    players: tuple[str, ...] = ()  # names by seat; empty names when the opponents are kept secret
    clock: ClockRules = ClockRules()
    history: list[Played] = field(default_factory=list)  # everything played so far
    forfeits: dict[int, str] = field(default_factory=dict)  # seats given up, and why
    data: dict[str, Any] = field(default_factory=dict)  # the bot's own notes on this match
