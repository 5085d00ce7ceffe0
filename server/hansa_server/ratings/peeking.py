"""An interval for a chart that is watched: valid at every block at once, however often somebody looks."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from scipy import optimize, special

_EDGE = 1e-6  # how near to 0 or 1 a mean is looked for
_BETS = np.geomspace(0.01, 0.95, 16)  # shares of what there is


def peeking_interval(
    blocks: int, mean: float, spread: float, *, planned: int, alpha: float = 0.05
) -> tuple[float, float]:
    """The interval of the mean after so many blocks. It is tightest, for its kind, at the planned number of blocks.

    One block of the largest spread there can be is added to those that were seen: blocks that all ended alike, such as
    those of a bot that wins all, do not say that others could not end.
    """
    if blocks < 2:
        return -math.inf, math.inf
    rho2 = (-2 * math.log(alpha) + math.log(-2 * math.log(alpha)) + 1) / planned
    n = blocks * rho2 + 1
    spread = math.sqrt((blocks * spread**2 + 0.25) / (blocks + 1))
    half = spread * math.sqrt(2 * n / (blocks**2 * rho2) * math.log(math.sqrt(n) / alpha))
    return mean - half, mean + half


def betting_interval(scores: Mapping[float, int], *, alpha: float = 0.05) -> tuple[float, float]:
    """The same for scores from 0 to 1 that may be as skewed as they like: it holds for any number of blocks.

    Who bets that the mean is not `m` gains nothing on average if it is: so ever to gain 1/alpha has at most the chance
    alpha. Bets of many sizes either way are made at once; the interval has those `m` against which nobody got so rich.
    """
    values, counts = np.array(list(scores)), np.array(list(scores.values()), np.float64)

    def gain(mean: float) -> float:
        bets = np.concatenate([_BETS / mean, -_BETS / (1 - mean)])
        won = np.log1p(bets[:, None] * (values - mean)) @ counts
        return float(special.logsumexp(won) - math.log(len(bets)) + math.log(alpha))

    seen = min(max(float(counts @ values / counts.sum()), _EDGE), 1 - _EDGE)
    low, high = (
        float(optimize.brentq(gain, end, seen, xtol=1e-7)) if gain(end) > 0 and abs(end - seen) > _EDGE else edge
        for end, edge in ((_EDGE, 0.0), (1 - _EDGE, 1.0))
    )
    return low, high
