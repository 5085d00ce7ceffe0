"""Checks to print beside the table: are seats equal, do the results look like the model, are there cycles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from scipy import linalg, stats

from hansa_server.ratings.joint_fit import Fit
from hansa_server.ratings.luce import Floats
from hansa_server.ratings.results import RatingError, Table


@dataclass(frozen=True)
class ChiSquare:
    """A statistic, its degrees of freedom, and the chance of one as large if all is well."""

    value: float
    freedom: int
    chance: float


def equal_seats(fit: Fit, players: int) -> ChiSquare:
    """Whether all seats are worth the same at tables of a size."""
    if players not in fit.seats:
        raise RatingError(f"pool {fit.pool} has no tables of {players}")
    seats = fit.seats[players]
    value = float(seats.elo @ linalg.pinvh(seats.covariance, rtol=1e-9) @ seats.elo)
    return ChiSquare(value, players - 1, float(stats.chi2.sf(value, players - 1)))


def ahead_counts(tables: Sequence[Table], bots: Sequence[str]) -> Floats:
    """How often the bot of the row finished ahead of that of the column; ties count half."""
    number = {bot: k for k, bot in enumerate(bots)}
    counts = np.zeros((len(bots), len(bots)))
    for table in tables:
        for i, j in permutations(range(len(table.bots)), 2):
            if table.bots[i] != table.bots[j] and table.ranks[i] <= table.ranks[j]:
                counts[number[table.bots[i]], number[table.bots[j]]] += 1.0 if table.ranks[i] < table.ranks[j] else 0.5
    return counts


def cycles(counts: Floats, bots: Sequence[str], least: int = 10) -> list[tuple[str, str, str]]:
    """Threes in which each beats the next more often than not, where each pair has met at least so often."""
    met = counts + counts.T
    beats = (counts > met / 2) & (met >= least)
    found = []
    for i, j, k in permutations(range(len(bots)), 3):
        if i == min(i, j, k) and beats[i, j] and beats[j, k] and beats[k, i]:
            found.append((bots[i], bots[j], bots[k]))
    return found
