"""The Davidson-Luce model: rankings with real ties, place by place from the top.

From the bots that have no place yet, the set T comes next with a chance in proportion to δ_|T| times the geometric mean
of the weights of T, where δ_1 = 1. Without ties this is Plackett-Luce; for two players Davidson's model and, without
ties, Bradley-Terry. Each step is a choice among sets that is log-linear in the utilities and in log δ: its gradient is
what was seen minus what was expected, its Hessian minus a covariance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Steps:
    """All choices among equally many bots: each row one choice.

    `slots` says whose turn it could have been, as indices into one long list of all seats at all tables; `chosen` is
    the row of `sets` that came next.
    """

    slots: Ints  # [steps, candidates]
    chosen: Ints  # [steps]
    sets: Floats  # [sets, candidates + tie orders]: the share of each candidate, then whether it is a tie of that order

    def evaluate(self, utilities: Floats, log_ties: Floats) -> tuple[Floats, Floats]:
        """The log-likelihood of each step, and the chances [steps, sets]."""
        width = self.slots.shape[1]
        logits = utilities[self.slots] @ self.sets[:, :width].T + self.sets[:, width:] @ log_ties
        top = logits.max(axis=1, keepdims=True)
        chances = np.exp(logits - top)
        total = chances.sum(axis=1, keepdims=True)
        seen = logits[np.arange(len(self.chosen)), self.chosen]
        chances /= total
        return seen - top[:, 0] - np.log(total[:, 0]), chances

    def gradient(self, chances: Floats) -> Floats:
        """Of each step by its own candidates and the tie orders: [steps, candidates + tie orders]."""
        return self.sets[self.chosen] - chances @ self.sets

    def information(self, chances: Floats) -> Floats:
        """Minus the Hessian of each step, for every pair of `pairs`: [pairs, steps]."""
        first, second = self.pairs
        mean = self.sets.T @ chances.T
        found: Floats = (self.sets[:, first] * self.sets[:, second]).T @ chances.T
        found -= mean[first] * mean[second]
        return found

    @property
    def pairs(self) -> tuple[Ints, Ints]:
        """The upper triangle, with the diagonal, of candidates and tie orders."""
        first, second = np.triu_indices(self.sets.shape[1])
        return first, second


def candidate_sets(candidates: int, tie_orders: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Every set that can come next: single bots, and ties of the orders that occur."""
    sizes = [1, *(order for order in tie_orders if order <= candidates)]
    return tuple(chosen for size in sizes for chosen in combinations(range(candidates), size))


def set_features(candidates: int, tie_orders: Sequence[int]) -> Floats:
    """The rows of `Steps.sets`."""
    sets = candidate_sets(candidates, tie_orders)
    features = np.zeros((len(sets), candidates + len(tie_orders)))
    for row, chosen in enumerate(sets):
        features[row, list(chosen)] = 1 / len(chosen)
        if len(chosen) > 1:
            features[row, candidates + tie_orders.index(len(chosen))] = 1
    return features


@dataclass(frozen=True)
class Rankings:
    """Rankings of equally many slots: each row one ranking, the best first, with how many share the place of each."""

    slots: Ints
    sharing: Ints
    opens: npt.NDArray[np.bool_]  # whether the slot is the first of its place

    @classmethod
    def of(cls, slots: Ints, ranks: Ints) -> Rankings:
        """From slots and their ranks, both [rankings, slots]; smaller ranks are better."""
        order = np.argsort(ranks, axis=1, kind="stable")
        ranks = np.take_along_axis(ranks, order, axis=1)
        opens = np.ones(ranks.shape, np.bool_)
        opens[:, 1:] = ranks[:, 1:] != ranks[:, :-1]
        sharing = (ranks[:, :, None] == ranks[:, None, :]).sum(axis=2)
        return cls(np.take_along_axis(slots, order, axis=1), sharing.astype(np.intp), opens)


def tie_orders_of(rankings: Sequence[Rankings]) -> tuple[int, ...]:
    """How many bots share a place, wherever places are shared."""
    return tuple(sorted({int(order) for part in rankings for order in np.unique(part.sharing)} - {1}))


def steps_of(rankings: Sequence[Rankings], tie_orders: Sequence[int]) -> list[Steps]:
    """The choices in rankings, by the number of candidates."""
    found: dict[int, list[tuple[Ints, Ints]]] = {}
    for part in rankings:
        width = part.slots.shape[1]
        for done in range(width - 1):
            at = part.opens[:, done]
            found.setdefault(width - done, []).append((part.slots[at, done:], part.sharing[at, done]))
    steps = []
    for candidates, parts in sorted(found.items()):
        # Those of the next place stand first among those who are left, so that only their number matters.
        row = np.zeros(candidates + 1, np.intp)
        for k, chosen in enumerate(candidate_sets(candidates, tie_orders)):
            if chosen == tuple(range(len(chosen))):
                row[len(chosen)] = k
        slots, sharing = (np.concatenate(column) for column in zip(*parts, strict=True))
        if len(slots):
            steps.append(Steps(slots, row[sharing], set_features(candidates, tie_orders)))
    return steps
