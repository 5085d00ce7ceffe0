"""What the numbers promise, simulated: how often intervals hold the truth, how often tests pass what should not pass.

Bounds leave room for chance with few simulations; HANSA_SIMULATIONS=10 makes ten times as many.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from hansa_server.ratings import Fit, Question, Table, fit
from hansa_server.ratings.gsprt import FIRST_LOOK, llr
from hansa_server.ratings.luce import Floats
from tests.ratings.simulation import (
    DEAL_LUCK,
    MORE,
    SEATS,
    ahead,
    arrangement,
    bound,
    league,
    play_blocks,
    random_tables,
)

# Twins: their difference is zero whatever luck does to the scale.
TWINS = {"a": 0.4, "b": 0.4, "c": 0.0, "d": 0.0, "e": -0.4, "f": -0.4}
PAIRS = [("a", "b"), ("c", "d"), ("e", "f")]


def coverage(runs: int, play: Callable[[], list[Table]], covariance: Callable[[Fit], Floats]) -> tuple[float, float]:
    """The share of 95 % intervals that hold the truth, and the mean standard error."""
    held, errors = 0, []
    for _ in range(runs):
        found = fit(play())
        v = covariance(found)
        for bot, twin in PAIRS:
            i, j = found.index(bot), found.index(twin)
            errors.append(np.sqrt(v[i, i] + v[j, j] - 2 * v[i, j]))
            held += abs(found.ratings[i] - found.ratings[j]) < 1.96 * errors[-1]
    return held / (runs * len(PAIRS)), float(np.mean(errors))


def in_pairs(tables: list[Table]) -> list[Table]:
    """Every pair of a table as a game of its own: what must not be done."""
    return [
        Table("pool", table.block, (table.bots[i], table.bots[j]), (table.ranks[i], table.ranks[j]))
        for table in tables
        for i, j in combinations(range(len(table.bots)), 2)
    ]


def robust(found: Fit) -> Floats:
    return found.covariance


def by_model(found: Fit) -> Floats:
    return found.model_covariance


@pytest.mark.parametrize(("players", "held"), [(3, 0.92), (4, 0.90), (5, 0.82)])
def test_pairs_taken_as_independent_give_false_errors(players: int, held: float) -> None:
    """By how much the errors are too small says more exactly than counting how seldom they hold the truth."""
    rng = np.random.default_rng([1, players])
    runs = 30 * MORE
    found = [fit(in_pairs(random_tables(rng, TWINS, players, 150))) for _ in range(runs)]
    false, right = (np.mean([error_of_twins(one, v(one)) for one in found]) for v in (by_model, robust))
    assert 2 * stats.norm.cdf(1.96 * false / right) - 1 == pytest.approx(held, abs=0.025)
    near = [
        abs(one.difference(*pair).elo) < 1.96 * error_of_twins(one, by_model(one)) for one in found for pair in PAIRS
    ]
    assert np.mean(near) == pytest.approx(held, abs=0.01 + bound(held, 3 * runs))


def error_of_twins(found: Fit, covariance: Floats) -> float:
    """The mean standard error of the differences between twins."""
    at = [(found.index(bot), found.index(twin)) for bot, twin in PAIRS]
    return float(np.mean([np.sqrt(covariance[i, i] + covariance[j, j] - 2 * covariance[i, j]) for i, j in at]))


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_block_robust_errors_hold(players: int) -> None:
    """Rotated blocks with strong luck of the deal."""
    rng = np.random.default_rng([2, players])
    runs = 80 * MORE
    share, _ = coverage(runs, lambda: league(rng, TWINS, players, 600 // players), robust)
    assert share == pytest.approx(0.95, abs=0.01 + bound(0.95, 3 * runs))


@pytest.mark.parametrize("players", [3, 5])
def test_model_errors_are_too_wide_for_rotated_blocks(players: int) -> None:
    """They ignore the luck that the rotation takes out."""
    rng = np.random.default_rng([3, players])
    seed = int(rng.integers(1 << 30))
    runs = 40 * MORE
    plays = [np.random.default_rng(seed) for _ in range(2)]
    model, wide = coverage(runs, lambda: league(plays[0], TWINS, players, 450 // players), by_model)
    _, right = coverage(runs, lambda: league(plays[1], TWINS, players, 450 // players), robust)
    assert 1.1 < wide / right < 1.5
    assert model > 0.95


def passes(question: Question, scores: Floats) -> float:
    """The share of tests (rows) that end with "better"."""
    values, indices = np.unique(np.round(scores, 12), return_inverse=True)
    indices = indices.reshape(scores.shape)
    counts = np.zeros((len(scores), len(values)))
    live = np.arange(len(scores))
    better = 0
    s0, s1 = question.means
    for block in range(scores.shape[1]):
        counts[live, indices[live, block]] += 1
        if block + 1 < FIRST_LOOK:
            continue
        seen = counts[live]
        ratio = llr(values, seen, s0, s1)
        mean = seen @ values / seen.sum(axis=1)
        spread = np.sqrt(seen @ values**2 / seen.sum(axis=1) - mean**2)
        bounds = np.array([question.bounds(one) for one in spread])
        up, down = ratio >= bounds[:, 1], ratio <= bounds[:, 0]
        better += int(up.sum())
        live = live[~(up | down)]
        if not len(live):
            break
    assert len(live) < 0.02 * len(scores), "tests must come to an end"
    return better / len(scores)


@pytest.mark.parametrize("players", [2, 3, 5])
def test_block_test_passes_as_seldom_as_it_says(players: int) -> None:
    """A and B are equal, alpha is 5 %."""
    rng = np.random.default_rng([4, players])
    runs = 400 * MORE
    share = passes(Question(0, 30), play_blocks(rng, players, (runs, 1500)))
    assert share == pytest.approx(0.05, abs=0.01 + bound(0.05, runs))


def test_block_test_finds_what_is_better() -> None:
    """With the difference of H1 in truth, 95 % pass."""
    rng = np.random.default_rng(5)
    gap = 0.25
    truth = float(play_blocks(rng, 3, (400_000,), gap).mean())
    elo1 = 400 * np.log10(truth / (1 - truth))
    runs = 400 * MORE
    share = passes(Question(0, float(elo1)), play_blocks(rng, 3, (runs, 1500), gap))
    assert share == pytest.approx(0.95, abs=0.015 + bound(0.95, runs))


@pytest.mark.parametrize(("players", "at_least"), [(3, 0.06), (4, 0.10), (5, 0.10)])
def test_pairs_taken_as_independent_games_pass_too_often(players: int, at_least: float) -> None:
    """The same test on single games in seats by lot, with each pair counted for itself."""
    rng = np.random.default_rng([6, players])
    runs, games = 400 * MORE, 3000
    seats = np.array(arrangement(players))
    chosen = np.argsort(rng.random((runs, games, players)), axis=2)
    strength = SEATS[:players][chosen] + rng.gumbel(size=(runs, games, players))
    scores = ahead(strength, list(seats))
    pairs = int(seats.sum() * (~seats).sum())
    # A score of k of m pairs is k wins and m - k losses.
    share = wrongly_passes(Question(0, 30), scores, pairs)
    assert share > at_least
    assert share < 0.4


def wrongly_passes(question: Question, scores: Floats, pairs: int) -> float:
    wins = np.cumsum(scores * pairs, axis=1)[:, FIRST_LOOK - 1 :]
    games = pairs * np.arange(FIRST_LOOK, scores.shape[1] + 1)
    s0, s1 = question.means
    ratio = wins * np.log(s1 / s0) + (games - wins) * np.log((1 - s1) / (1 - s0))
    low, high = question.walls
    up = np.where((ratio >= high).any(axis=1), (ratio >= high).argmax(axis=1), ratio.shape[1])
    down = np.where((ratio <= low).any(axis=1), (ratio <= low).argmax(axis=1), ratio.shape[1])
    return float((up < down).mean())


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_arrangement_and_complement_save_games(players: int) -> None:
    """Variance per game, against seats and deals by lot: as many games are saved."""
    rng = np.random.default_rng([7, players])
    count = 40_000
    paired = 2 * play_blocks(rng, players, (count,)).var()
    chosen = np.argsort(rng.random((count, players)), axis=1)
    deal = DEAL_LUCK * rng.standard_normal((count, players)) + SEATS[:players][chosen]
    alone = ahead(deal + rng.gumbel(size=(count, players)), arrangement(players)).var()
    assert 0.25 < 1 - paired / alone < 0.6


def test_luck_of_the_deal_shrinks_differences() -> None:
    """By about a third: Elo is about bots and rules."""
    rng = np.random.default_rng(8)
    strengths = {"a": 0.8, "b": 0.0, "c": -0.4}
    lucky = fit(league(rng, strengths, 3, 1500)).difference("a", "b").elo
    plain = fit(league(rng, strengths, 3, 1500, luck=0)).difference("a", "b").elo
    assert 0.5 < lucky / plain < 0.8
