"""Clocks of a match: pure arithmetic on seconds; what time it is comes from outside."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

from hansa_server.errors import BadField

LONGEST = 7 * 24 * 3600.0


@dataclass(frozen=True)
class ClockRules:
    """How time is counted, in seconds. Zero means: no such limit. At least one limit is set."""

    per_decision: float = 10.0
    bank: float = 0.0
    increment: float = 0.0
    grace: float = 0.05

    def __post_init__(self) -> None:
        for part in fields(self):
            value = getattr(self, part.name)
            if type(value) not in (int, float) or not 0 <= value <= LONGEST:
                raise BadField(f"clock.{part.name}", f"must be from 0 to {LONGEST:.0f} seconds, not {value!r}")
        if not self.per_decision and not self.bank:
            raise BadField("clock", "needs a limit: per_decision, bank, or both")
        if self.increment and not self.bank:
            raise BadField("clock.increment", "needs a bank to be added to")

    def to_dict(self) -> dict[str, float]:
        """The rules as plain values; `ClockRules(**d)` gives them back."""
        return {part.name: getattr(self, part.name) for part in fields(self)}


@dataclass
class SeatClock:
    """The clock of one seat. It runs from `start` to `stop`, at most one decision at a time."""

    rules: ClockRules
    bank: float = field(init=False)
    started: float | None = None

    def __post_init__(self) -> None:
        self.bank = self.rules.bank

    def allowed(self) -> float:
        """Seconds for a decision that is asked for now, without the grace."""
        limits = [self.rules.per_decision] if self.rules.per_decision else []
        if self.rules.bank:
            limits.append(self.bank)
        return max(0.0, min(limits))

    def start(self, now: float) -> None:
        """The decision was handed to the bot. A clock that runs goes on as it is."""
        if self.started is None:
            self.started = now

    def deadline(self) -> float | None:
        """When the running decision is lost."""
        return None if self.started is None else self.started + self.rules.grace + self.allowed()

    def spent(self, now: float) -> float:
        """Seconds charged for the running decision so far."""
        return 0.0 if self.started is None else max(0.0, now - self.started - self.rules.grace)

    def stop(self, now: float) -> float:
        """The decision is over; returns the seconds that were charged."""
        spent = self.spent(now)
        self.started = None
        if self.rules.bank:
            self.bank = max(0.0, self.bank - spent) + self.rules.increment
        return spent
