"""How fast a tournament goes, and how long it will take."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field


@dataclass
class Pace:
    """How fast it goes, from what was finished lately."""

    seen: deque[tuple[float, int, int]] = field(default_factory=lambda: deque(maxlen=120))

    def note(self, games: int, decisions: int) -> None:
        """So much is finished now."""
        now = time.monotonic()
        if not self.seen or now - self.seen[-1][0] >= 0.5:
            self.seen.append((now, games, decisions))

    def decisions_per_second(self, decisions: int) -> float:
        """Decisions a second, lately."""
        if not self.seen:
            return 0.0
        begin, _, before = self.seen[0]
        return (decisions - before) / max(time.monotonic() - begin, 0.5)

    def time_left(self, games: int, left: int) -> tuple[float, float] | None:
        """Seconds until `left` games are played, as a range: what is seen of the pace is a sample."""
        if not self.seen or left <= 0:
            return None
        begin, before, _ = self.seen[0]
        played = games - before
        if played < 1:
            return None
        rate = played / max(time.monotonic() - begin, 0.5)
        doubt = min(2 / played**0.5, 0.9)
        return left / (rate * (1 + doubt)), left / (rate * (1 - doubt))
