"""The sequential test of one bot against another, block by block.

H0 says that the difference is `elo0`, H1 that it is `elo1`. After every block the generalised likelihood ratio is
looked at: how much better the scores fit the best distribution whose mean is that of H1 than the best whose mean is
that of H0. Draws, seats, deals and the number of players are in the spread of the scores, which is fitted and not
assumed. For two players and blocks of two games this is the pentanomial test of computer chess.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
from scipy import optimize

from hansa_server.ratings.brownian import Brownian
from hansa_server.ratings.elo import expected, from_score
from hansa_server.ratings.luce import Floats
from hansa_server.ratings.results import RatingError

FIRST_LOOK = 16  # blocks
OVERSHOOT = 0.583  # of a standard deviation, by which a walk passes a wall on average (Chernoff, Siegmund)
_SEED_MASS = 1e-3  # blocks at 0 and at 1 while none was seen there, as fishtest does, so that every mean is possible


class Verdict(Enum):
    """How a test ends."""

    BETTER = "better"
    NOT_BETTER = "not better"
    INCONCLUSIVE = "inconclusive"  # the budget is spent
    FAULT = "infrastructure fault"  # too many blocks could not be played


@dataclass(frozen=True)
class Question:
    """What is tested, and how sure the answer has to be."""

    elo0: float = 0.0
    elo1: float = 15.0
    alpha: float = 0.05  # the chance of "better" if the difference is elo0
    beta: float = 0.05  # the chance of "not better" if it is elo1
    budget: int | None = None  # blocks
    void_limit: int = 10  # blocks that may be void by faults of the host

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise RatingError(f"elo0 must be below elo1, not {self.elo0} and {self.elo1}")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise RatingError(f"alpha and beta must be between 0 and 0.5, not {self.alpha} and {self.beta}")
        if self.budget is not None and self.budget < FIRST_LOOK:
            raise RatingError(f"the budget must be at least {FIRST_LOOK} blocks, not {self.budget}")

    @property
    def means(self) -> tuple[float, float]:
        """The mean scores of H0 and H1."""
        return expected(self.elo0), expected(self.elo1)

    @property
    def walls(self) -> tuple[float, float]:
        """Where the ratio ends up when it stops, on average: Wald's bounds."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def bounds(self, spread: float) -> tuple[float, float]:
        """Where the ratio stops if scores have this standard deviation: the walls, less the expected overshoot."""
        s0, s1 = self.means
        low, high = self.walls
        over = min(OVERSHOOT * (s1 - s0) / max(spread, 1e-9), 0.9 * high, -0.9 * low)
        return low + over, high - over

    def walk(self, mean: float, spread: float) -> Brownian:
        """The walk of the ratio if blocks have this mean and standard deviation."""
        s0, s1 = self.means
        return Brownian(*self.walls, (mean - (s0 + s1) / 2) * (s1 - s0) / spread**2, ((s1 - s0) / spread) ** 2)


@dataclass(frozen=True)
class Estimate:
    """A difference in Elo with its interval."""

    elo: float
    low: float
    high: float


@dataclass
class SequentialTest:
    """A test under way: scores of blocks go in, perhaps a verdict comes out."""

    question: Question
    scores: Counter[float] = field(default_factory=Counter)
    void: int = 0
    verdict: Verdict | None = None

    @property
    def blocks(self) -> int:
        return self.scores.total()

    @property
    def mean(self) -> float:
        return sum(score * count for score, count in self.scores.items()) / self.blocks

    @property
    def spread(self) -> float:
        """The standard deviation of the scores, with what is seeded."""
        values, counts = _seeded(*self._arrays())
        mean = counts @ values / counts.sum()
        return math.sqrt(counts @ (values - mean) ** 2 / counts.sum())

    @property
    def llr(self) -> float:
        """The logarithm of the generalised likelihood ratio, H1 against H0."""
        return float(llr(*self._arrays(), *self.question.means)) if self.blocks else 0.0

    @property
    def bounds(self) -> tuple[float, float]:
        return self.question.bounds(self.spread)

    def add(self, score: float) -> Verdict | None:
        """Count a block that was played to its end."""
        if not 0 <= score <= 1:
            raise RatingError(f"the score of a block is from 0 to 1, not {score}")
        self._refuse_if_over()
        self.scores[round(score, 12)] += 1
        if self.blocks >= FIRST_LOOK:
            low, high = self.bounds
            ratio = self.llr
            if ratio >= high:
                self.verdict = Verdict.BETTER
            elif ratio <= low:
                self.verdict = Verdict.NOT_BETTER
        if self.verdict is None and self.blocks == self.question.budget:
            self.verdict = Verdict.INCONCLUSIVE
        return self.verdict

    def add_void(self) -> Verdict | None:
        """Count a block that a fault of the host has spoilt. It says nothing about the bots and is played anew."""
        self._refuse_if_over()
        self.void += 1
        if self.void > self.question.void_limit:
            self.verdict = Verdict.FAULT
        return self.verdict

    def estimate(self, confidence: float = 0.95) -> Estimate:
        """The difference, now or at the end: median-unbiased, with an interval that holds although the test stopped
        when it did (the plain mean is biased by the stopping). Between 0 and FIRST_LOOK blocks there is none."""
        if self.blocks < FIRST_LOOK:
            raise RatingError(f"an estimate needs {FIRST_LOOK} blocks, not {self.blocks}")
        spread, time = self.spread, float(self.blocks)
        low, high = self.question.walls
        walked = self.question.walk(self.mean, spread).drift * time
        place = min(max(walked, low), high)
        if self.verdict in (Verdict.BETTER, Verdict.NOT_BETTER):
            place = high if self.verdict is Verdict.BETTER else low
        if abs(walked) > abs(place):  # one bot is far better: as a walk it had met the wall before
            time *= place / walked

        def solve(chance: float) -> float:
            def off(mean: float) -> float:
                return self.question.walk(mean, spread).outcome(time, place) - chance

            if off(0.0) <= 0:
                return 0.0
            return 1.0 if off(1.0) >= 0 else float(optimize.brentq(off, 0.0, 1.0))

        tail = (1 - confidence) / 2
        return Estimate(*(from_score(solve(chance)) for chance in (0.5, 1 - tail, tail)))

    def _arrays(self) -> tuple[Floats, Floats]:
        values = sorted(self.scores)
        return np.array(values), np.array([float(self.scores[value]) for value in values])

    def _refuse_if_over(self) -> None:
        if self.verdict is not None:
            raise RatingError(f"the test is over: {self.verdict.value}")


def _seeded(values: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """With the smallest and the largest score in it."""
    for end in (0.0, 1.0):
        if end not in values:
            values = np.append(values, end)
            counts = np.concatenate([counts, np.zeros((*counts.shape[:-1], 1))], axis=-1)
    ends = (values == 0) | (values == 1)
    return values, np.where(ends & (counts == 0), _SEED_MASS, counts)


def llr(values: Floats, counts: Floats, s0: float, s1: float) -> Floats:
    """The logarithm of the generalised likelihood ratio of mean `s1` against mean `s0`.

    `counts[..., k]` says how often the score `values[k]` was seen; leading axes are tests of their own.
    """
    values, counts = _seeded(values, counts)
    found: Floats = _log_loss(values, counts, s0) - _log_loss(values, counts, s1)
    return found


def _log_loss(values: Floats, counts: Floats, mean: float) -> Floats:
    """How much likelihood is lost by the best distribution on the scores with this mean.

    It is p_k ∝ counts_k / (1 + λ (x_k - mean)), where λ makes the mean right: one root of a falling function.
    """
    off = values - mean
    low = np.full(counts.shape[:-1], -1 / off.max())
    high = np.full(counts.shape[:-1], -1 / off.min())
    root = np.zeros(counts.shape[:-1])
    for _ in range(100):
        ratio = off / (1 + root[..., None] * off)
        height = (counts * ratio).sum(axis=-1)
        low, high = np.where(height > 0, root, low), np.where(height > 0, high, root)
        newton = root + height / (counts * ratio**2).sum(axis=-1)
        following = np.where((newton > low) & (newton < high), newton, (low + high) / 2)
        done = np.abs(following - root).max(initial=0) < 1e-12
        root = following
        if done:
            break
    found: Floats = (counts * np.log1p(root[..., None] * off)).sum(axis=-1)
    return found


def llr_by_moments(blocks: float, mean: float, spread: float, s0: float, s1: float) -> float:
    """Nearly the same from mean and standard deviation alone, as if scores were normal."""
    return blocks / 2 * math.log((spread**2 + (mean - s0) ** 2) / (spread**2 + (mean - s1) ** 2))


def llr_normalised(blocks: float, mean: float, spread: float, t0: float, t1: float) -> float:
    """For hypotheses about (mean - ½)/spread: so the length of a test does not depend on how many games are tied."""
    t = (mean - 0.5) / spread
    return blocks / 2 * math.log((1 + (t - t0) ** 2) / (1 + (t - t1) ** 2))
