"""The Elo scale: 400 points are odds of ten to one to finish ahead."""

from __future__ import annotations

import math

PER_LOG_ODDS = 400 / math.log(10)  # Elo points of one natural log-odds


def expected(elo: float) -> float:
    """The chance to finish ahead of one who is `elo` points weaker (a tie counts half)."""
    return 1 / (1 + 10 ** (-elo / 400))


def from_score(score: float) -> float:
    """The inverse of `expected`: infinite for 0 and 1."""
    if score <= 0 or score >= 1:
        return math.copysign(math.inf, score - 0.5)
    return PER_LOG_ODDS * math.log(score / (1 - score))
