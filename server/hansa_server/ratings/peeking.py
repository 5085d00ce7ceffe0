"""An interval for a chart that is watched: valid at every block at once, however often somebody looks."""

from __future__ import annotations

import math


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
