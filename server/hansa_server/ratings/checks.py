"""Checks to print beside the table: are seats equal, do the results look like the model, are there cycles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from scipy import linalg, sparse, stats

from hansa_server.ratings.expected import Expected
from hansa_server.ratings.joint_fit import Fit
from hansa_server.ratings.luce import Floats, Ints
from hansa_server.ratings.results import RatingError, Table

_AT_ONCE = 100  # flips that are held at once


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
    for i in range(len(bots)):  # the first by name; the other two come after it
        later = beats[i + 1 :, i + 1 :] & beats[i, i + 1 :, None] & beats[i + 1 :, i]
        found += [(bots[i], bots[i + 1 + j], bots[i + 1 + k]) for j, k in np.argwhere(later)]
    return found


@dataclass(frozen=True, eq=False)
class Surprises:
    """How far results of pairs are from what the fit expects; arrays follow the pairs, `bot` before `other` by number.

    `sigmas` counts by blocks. `chance` is that of a largest one as large as here, if the model is right; it errs on the
    large side, for the fit has already come as close to the results as it could.
    """

    bot: Ints
    other: Ints
    sigmas: Floats
    chance: float


def surprises(
    expected: Expected, bots: Ints, ranks: Ints, blocks: Ints, *, least: int = 10, flips: int = 500, seed: int = 0
) -> Surprises:
    """Whether some bot does better or worse against another than their ratings say, where they met in enough blocks.

    Tables are told by seat: [tables, seats]. If all is well, what a block says beyond expectation might as well have
    come with the other sign: that is what the largest surprise is compared with.
    """
    players, count = bots.shape[1], int(bots.max()) + 1
    rows, cells, values = [], [], []
    for i in range(players):
        for j in range(players):
            here = bots[:, i] < bots[:, j]  # each pair once, and no bot with itself
            score = np.where(ranks[:, i] < ranks[:, j], 1.0, np.where(ranks[:, i] == ranks[:, j], 0.5, 0.0))
            rows.append(blocks[here])
            cells.append(bots[here, i] * count + bots[here, j])
            values.append((score - expected.ahead[:, i, j])[here])
    pairs, column = np.unique(np.concatenate(cells), return_inverse=True)
    row = np.concatenate(rows)
    shape = (int(blocks.max()) + 1, len(pairs))
    met = sparse.csr_matrix((np.ones(len(row)), (row, column)), shape=shape)
    enough = np.flatnonzero(np.bincount(met.indices, minlength=len(pairs)) >= least)
    off = sparse.csr_matrix((np.concatenate(values), (row, column)), shape=shape)[:, enough]
    spread = np.sqrt(np.asarray(off.multiply(off).sum(axis=0)).ravel())
    spread[spread == 0] = np.inf  # everything came as expected
    sigmas = np.asarray(off.sum(axis=0)).ravel() / spread
    largest = np.abs(sigmas).max(initial=0.0)
    rng = np.random.default_rng(seed)
    as_large = 0
    for start in range(0, flips, _AT_ONCE):
        signs = 2.0 * rng.integers(0, 2, (shape[0], min(_AT_ONCE, flips - start))) - 1
        as_large += int(((np.abs(off.T @ signs) / spread[:, None]).max(axis=0, initial=0.0) >= largest - 1e-9).sum())
    return Surprises(pairs[enough] // count, pairs[enough] % count, sigmas, (1 + as_large) / (1 + flips))
