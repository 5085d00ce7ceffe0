"""Several pools seen together: a bot's strength over all, beside its line in each.

In each pool a bot is as strong as it is overall plus an effect of that pool; the effects are normal, with a spread
that is fitted. If bots are about as good everywhere the spread is small and all pools count; if not, the overall number
has a large error and says so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import linalg, optimize

from hansa_server.ratings.joint_fit import UNKNOWN, Fit
from hansa_server.ratings.luce import Floats
from hansa_server.ratings.results import RatingError

_WIDEST = 1000.0  # Elo


@dataclass(frozen=True, eq=False)
class Overall:
    """Ratings over all pools; arrays follow `bots`. `spread` is how much a bot differs from pool to pool, in Elo."""

    bots: tuple[str, ...]
    ratings: Floats
    covariance: Floats
    spread: float


def combine(fits: Sequence[Fit], *, anchor: str | None = None, level: float = 1500.0) -> Overall:
    """The overall ratings. Every pool must be in one piece, and the pools must share bots."""
    if not fits:
        raise RatingError("there are no pools")
    for fit in fits:
        if len(fit.components) > 1:
            raise RatingError(f"pool {fit.pool} falls apart into {len(fit.components)} components")
    bots = tuple(sorted({bot for fit in fits for bot in fit.bots}))
    seen = set(fits[0].bots)
    left = list(fits[1:])
    while joined := [fit for fit in left if seen & set(fit.bots)]:
        seen.update(bot for fit in joined for bot in fit.bots)
        left = [fit for fit in left if fit not in joined]
    if left:
        raise RatingError(f"pool {left[0].pool} shares no bot with the others")
    if anchor is not None and anchor not in bots:
        raise RatingError(f"the anchor {anchor} has no results")

    values = np.concatenate([fit.ratings - fit.ratings.mean() for fit in fits])
    design = np.zeros((len(values), len(bots)))
    design[np.arange(len(values)), [bots.index(bot) for fit in fits for bot in fit.bots]] = 1
    # The level of a pool is a convention: as good as unknown.
    noise = linalg.block_diag(*(fit.covariance + UNKNOWN**2 for fit in fits))
    free = linalg.helmert(len(bots)).T if len(bots) > 1 else np.zeros((1, 0))
    design = design @ free

    def solve(spread: float) -> tuple[float, Floats, Floats]:
        factor = linalg.cho_factor(noise + (spread**2 + 1e-6) * np.eye(len(values)), lower=True)
        weighted = linalg.cho_solve(factor, design)
        information = design.T @ weighted
        inverse = linalg.inv(information)
        found = inverse @ (weighted.T @ values)
        rest = values - design @ found
        logs = 2 * np.log(np.diag(factor[0])).sum() + np.linalg.slogdet(information)[1]
        return float(logs + rest @ linalg.cho_solve(factor, rest)), found, inverse  # restricted likelihood

    spread = 0.0
    if len(fits) > 1:
        spread = float(optimize.minimize_scalar(lambda s: solve(s)[0], bounds=(0, _WIDEST), method="bounded").x)
        spread = round(spread, 2)  # finer digits are those of the machine, not of the results
        spread = min(spread, 0.0, key=lambda s: solve(s)[0])
    _, found, inverse = solve(spread)
    contrast = np.eye(len(bots))
    if anchor is None:
        contrast -= 1 / len(bots)
    else:
        contrast[:, bots.index(anchor)] -= 1
    strengths = free @ found
    covariance = free @ inverse @ free.T
    return Overall(bots, level + contrast @ strengths, contrast @ covariance @ contrast.T, spread)


def error(overall: Overall, bot: str, other: str) -> float:
    """The standard error of the difference between two bots."""
    i, j = overall.bots.index(bot), overall.bots.index(other)
    v = overall.covariance
    return math.sqrt(max(0.0, v[i, i] + v[j, j] - 2 * v[i, j]))
