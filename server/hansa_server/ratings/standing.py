"""The table that is published: rating ± error, the places a bot may truly hold, and the chance that it is the best."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy import linalg, optimize, stats

from hansa_server.ratings.joint_fit import PROVISIONAL, UNKNOWN, one_thread
from hansa_server.ratings.luce import Floats, Ints

DRAWS = 10_000
CONFIDENCE = 0.95


class Rated(Protocol):
    """Ratings with their errors: those of a fit, or of several pools together."""

    @property
    def bots(self) -> tuple[str, ...]: ...
    @property
    def ratings(self) -> Floats: ...
    @property
    def covariance(self) -> Floats: ...
    @property
    def component(self) -> Ints: ...
    @property
    def components(self) -> tuple[tuple[str, ...], ...]: ...
    @property
    def games(self) -> Ints: ...
    @property
    def blocks_of(self) -> Ints: ...


@dataclass(frozen=True)
class Standing:
    """A line of the table. Places and chances are among the bots of the same component."""

    bot: str
    component: int
    place: int
    rating: float
    error: float  # half the interval at the confidence that was asked for; infinite while there is nothing to go by
    places: tuple[int, int]
    first: float  # the chance to be the strongest
    games: int
    blocks: int
    provisional: bool


def standings(fit: Rated, *, seed: int = 0, draws: int = DRAWS, confidence: float = CONFIDENCE) -> list[Standing]:
    """All bots, the best of each component first. The same seed gives the same table."""
    with one_thread():
        return _lines(fit, seed, draws, confidence)


def _lines(fit: Rated, seed: int, draws: int, confidence: float) -> list[Standing]:
    lines: list[Standing] = []
    quasi = quasi_errors(fit)
    tail = (1 - confidence) / 2
    for group in range(len(fit.components)):
        members = np.flatnonzero(fit.component == group)
        ranks = _drawn_places(fit, members, np.random.default_rng([seed, group]), draws)
        low, high = np.quantile(ranks, [tail, 1 - tail], axis=0, method="inverted_cdf")
        ratings = fit.ratings[members]
        for k in sorted(range(len(members)), key=lambda k: (-ratings[k], fit.bots[members[k]])):
            at = members[k]
            blocks = int(fit.blocks_of[at])
            half = quasi[at] * quantile(blocks, confidence)
            lines.append(
                Standing(
                    bot=fit.bots[at],
                    component=group,
                    place=1 + int((ratings > ratings[k]).sum()),
                    rating=float(ratings[k]),
                    error=float(half) if quasi[at] < UNKNOWN / 4 else math.inf,
                    places=(int(low[k]), int(high[k])),
                    first=float((ranks[:, k] == 1).mean()),
                    games=int(fit.games[at]),
                    blocks=blocks,
                    provisional=blocks < PROVISIONAL,
                )
            )
    return lines


def quantile(blocks: int, confidence: float = CONFIDENCE) -> float:
    """How many standard errors half an interval is: Student's while there are few blocks."""
    upper = (1 + confidence) / 2
    if blocks < 2:
        return math.inf
    return float(stats.t.ppf(upper, blocks - 1) if blocks < PROVISIONAL else stats.norm.ppf(upper))


def superiority(fit: Rated) -> Floats:
    """The chance that the bot of the row is truly stronger than that of the column; NaN if they cannot be compared."""
    variance = np.diag(fit.covariance)
    spread = np.sqrt(np.maximum(variance[:, None] + variance[None, :] - 2 * fit.covariance, 0))
    apart = fit.ratings[:, None] - fit.ratings[None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        chance: Floats = stats.norm.cdf(apart / spread)
    chance[(spread == 0) & (apart == 0)] = 0.5
    np.fill_diagonal(chance, 0.5)
    chance[fit.component[:, None] != fit.component[None, :]] = np.nan
    return chance


def quasi_errors(fit: Rated) -> Floats:
    """A standard error for each bot by itself, so that √(a² + b²) is about the error of the difference of any two.

    The error of a rating against the anchor says little about two others; these do not depend on the anchor. They come
    closest on the logarithmic scale (Firth and de Menezes). A bot without any other to be compared with has NaN.
    """
    errors = np.full(len(fit.bots), np.nan)
    for group in range(len(fit.components)):
        members = np.flatnonzero(fit.component == group)
        if len(members) > 1:
            covariance = fit.covariance[np.ix_(members, members)]
            variance = np.diag(covariance)
            errors[members] = np.sqrt(_quasi_variances(variance[:, None] + variance[None, :] - 2 * covariance))
    return errors


def _quasi_variances(between: Floats) -> Floats:
    """Positive q with q_i + q_j close to `between[i, j]`."""
    size = len(between)
    upper = np.triu_indices(size, 1)
    target = np.log(np.maximum(between[upper], 1e-12))
    sums = between.sum(axis=1)
    total = sums.sum() / (2 * (size - 1))
    start = (sums - total) / (size - 2) if size > 2 else sums / 2  # exact if an exact answer exists
    start = np.maximum(start, 0.05 * np.exp(target).mean())

    def loss(logs: Floats) -> tuple[float, Floats]:
        q = np.exp(logs)
        pair = q[upper[0]] + q[upper[1]]
        off = np.log(pair) - target
        slope = 2 * off / pair
        gradient = np.bincount(upper[0], slope, size) + np.bincount(upper[1], slope, size)
        return float(off @ off), np.asarray(q * gradient, np.float64)

    found = optimize.minimize(loss, np.log(start), jac=True, method="L-BFGS-B")
    quasi: Floats = np.exp(found.x)
    return quasi


def _drawn_places(fit: Rated, members: Ints, rng: np.random.Generator, draws: int) -> Floats:
    """Places [draws, members] in worlds that agree with the results as well as chance has it."""
    values, vectors = linalg.eigh(fit.covariance[np.ix_(members, members)])
    # The symmetric root: there is only one, so that the draws do not hang on the signs a library gives to vectors.
    root = (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T
    worlds = fit.ratings[members] + rng.standard_normal((draws, len(members))) @ root
    order = np.argsort(-worlds, axis=1, kind="stable")
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(1, len(members) + 1)[None, :], axis=1)
    found: Floats = ranks.astype(np.float64)
    return found
