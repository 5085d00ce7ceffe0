"""What the numbers promise, simulated: how often intervals hold the truth, how often tests pass what should not pass.

Each test states a figure, what it was worked out or published as, and how far a simulation of its size may be from it:
three standard errors, two-sided. HANSA_SIMULATIONS=10 makes ten times as many simulations, and bounds as much tighter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from hansa_server.ratings import Question, SequentialTest, Table, Verdict, fit, plan
from hansa_server.ratings.elo import PER_LOG_ODDS, from_score
from hansa_server.ratings.gsprt import FIRST_LOOK, OVERSHOOT, llr
from hansa_server.ratings.luce import Floats
from tests.ratings.simulation import MORE, ahead, arrangement, league, places, play_blocks, tables_of

SIGMAS = 3.0
Z95 = 1.959964

# Twins: their difference is zero whatever luck does to the scale.
TWINS = {"a": 0.4, "b": 0.4, "c": 0.0, "d": 0.0, "e": -0.4, "f": -0.4}
PAIRS = [("a", "b"), ("c", "d"), ("e", "f")]
STRONG_LUCK = 1.0  # of the deal: as large as what bots differ by, and more


def near(share: float, claim: float, runs: int) -> bool:
    """Whether a share of so many independent runs may be called the claimed one."""
    return abs(share - claim) <= SIGMAS * math.sqrt(claim * (1 - claim) / runs)


def mean_and_error(values: Floats) -> tuple[float, float]:
    """Of independent runs."""
    return float(values.mean()), float(values.std(ddof=1) / math.sqrt(len(values)))


# -- Pairs treated as independent give false error bars -------------------------------------------------------------


@dataclass(frozen=True)
class PairFits:
    """Bradley-Terry fits of all pairs of all tables as if each were a game of its own; a run each row."""

    strengths: Floats  # [run, bot]
    covariance: Floats  # [run, bot, bot]


def fit_pairs(seated: npt.NDArray[np.intp], ranks: npt.NDArray[np.intp], bots: int) -> PairFits:
    """From who sat where and came to which place: [run, game, seat]. Newton's method for all runs at once."""
    runs, _, players = seated.shape
    start = (np.arange(runs) * bots**2)[:, None]
    wins = np.zeros(runs * bots**2)
    for i, j in combinations(range(players), 2):
        ahead_of = ranks[..., i] < ranks[..., j]
        winner = np.where(ahead_of, seated[..., i], seated[..., j])
        loser = np.where(ahead_of, seated[..., j], seated[..., i])
        wins += np.bincount((start + winner * bots + loser).ravel(), minlength=wins.size)
    wins = wins.reshape(runs, bots, bots)
    games = wins + wins.transpose(0, 2, 1)
    strengths = np.zeros((runs, bots))
    inverse = np.zeros_like(wins)
    for _ in range(8):
        chance = 1 / (1 + np.exp(strengths[:, None, :] - strengths[:, :, None]))
        weight = games * chance * (1 - chance)
        information = -weight
        information[:, range(bots), range(bots)] = weight.sum(axis=2)
        inverse = np.linalg.inv(information + 1 / bots)  # the level is free: any will do
        strengths += np.einsum("rij,rj->ri", inverse, (wins - games * chance).sum(axis=2))
    return PairFits(strengths, inverse)


@pytest.mark.parametrize(("players", "published"), [(3, 0.92), (4, 0.90), (5, 0.81)])
def test_pairs_taken_as_independent_give_false_errors(players: int, published: float) -> None:
    """600 games at tables by lot: what calls itself a 95 % interval.

    For equal bots it can be worked out. Counted as independent, each of the n - 1 pairs of a bot has the variance 1/4;
    in truth its place does, (n² - 1)/12. Errors are too small by √((n + 1)/3), and intervals hold the truth in 91.0,
    87.1 and 83.4 %. Published are 92, 90 and 81 %, from runs that were not counted; with 1,000 the figures are ours.
    """
    rng = np.random.default_rng([1, players])
    runs, bots = 1000 * MORE, 6
    seated = np.argsort(rng.random((runs, 600, bots)), axis=2)[..., :players]
    ranks = places(rng.gumbel(size=seated.shape))
    found = fit_pairs(seated, ranks, bots)
    held = []
    for i, j in combinations(range(bots), 2):
        variance = found.covariance[:, i, i] + found.covariance[:, j, j] - 2 * found.covariance[:, i, j]
        held.append(np.abs(found.strengths[:, i] - found.strengths[:, j]) < Z95 * np.sqrt(variance))
    share, error = mean_and_error(np.mean(held, axis=0))
    exact = 2 * stats.norm.cdf(Z95 / math.sqrt((players + 1) / 3)) - 1
    assert abs(share - exact) <= SIGMAS * error
    assert abs(share - published) < 0.04
    # The same by the fit itself, on all pairs of the first run as tables of two (either way round, half the weight).
    names = [f"bot {k}" for k in range(bots)]
    pairs = [
        Table("pool", table.block, (table.bots[i], table.bots[j]), (table.ranks[i], table.ranks[j]))
        for table in tables_of(names, seated[0, :, None], ranks[0, :, None])
        for i, j in (*combinations(range(players), 2), *combinations(reversed(range(players)), 2))
    ]
    whole = fit(pairs, phantom=0)
    assert whole.ratings - whole.ratings[0] == pytest.approx(
        PER_LOG_ODDS * (found.strengths[0] - found.strengths[0, 0]), abs=1e-3
    )
    contrast = np.eye(bots) - 1 / bots
    expected = contrast @ found.covariance[0] @ contrast * PER_LOG_ODDS**2 / 2
    assert whole.model_covariance == pytest.approx(expected, rel=1e-3)


# -- Block-robust errors hold, model errors are too wide ------------------------------------------------------------


@dataclass(frozen=True)
class Coverage:
    """Of intervals between twins, by run: how many hold the truth, and the mean standard errors."""

    robust: Floats
    by_model: Floats
    robust_error: Floats
    model_error: Floats


@cache
def rotated_blocks(players: int) -> Coverage:
    """Fits of 900 games each: 450 rotated blocks of two players to 180 of five, with strong luck of the deal."""
    rng = np.random.default_rng([2, players])
    rows = []
    for _ in range(200 * MORE):
        found = fit(league(rng, TWINS, players, 900 // players, luck=STRONG_LUCK))
        at = np.array([(found.index(bot), found.index(twin)) for bot, twin in PAIRS]).T
        gap = np.abs(found.ratings[at[0]] - found.ratings[at[1]])
        robust, model = (
            np.sqrt(v[at[0], at[0]] + v[at[1], at[1]] - 2 * v[at[0], at[1]])
            for v in (found.covariance, found.model_covariance)
        )
        rows.append([(gap < Z95 * robust).mean(), (gap < Z95 * model).mean(), robust.mean(), model.mean()])
    return Coverage(*np.array(rows).T)


@pytest.mark.parametrize(("players", "published"), [(2, 0.94), (3, 0.93), (4, 0.95), (5, 0.95)])
def test_block_robust_errors_hold(players: int, published: float) -> None:
    """95 % intervals hold in 95 %."""
    share, error = mean_and_error(rotated_blocks(players).robust)
    assert error < 0.012
    assert abs(share - 0.95) <= SIGMAS * error
    assert abs(share - published) < 0.04


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_model_errors_are_too_wide_for_rotated_blocks(players: int) -> None:
    """By 15 to 22 %, since they ignore the luck that the rotation takes out: 98 % of their intervals hold.

    How much depends on that luck: with that of the other tests (1.2) they are 22 (two players) to 29 % (five) too wide.
    """
    found = rotated_blocks(players)
    wider, error = mean_and_error(found.model_error / found.robust_error)
    assert 1.15 - SIGMAS * error <= wider <= 1.22 + SIGMAS * error
    assert error < 0.007
    share, error = mean_and_error(found.by_model)
    assert abs(share - 0.98) <= SIGMAS * error


# -- The sequential test passes as seldom as it says ----------------------------------------------------------------


def _first(crossed: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    """The first True of each row, or the length of the row."""
    return np.asarray(np.where(crossed.any(axis=1), crossed.argmax(axis=1), crossed.shape[1]))


@pytest.mark.parametrize(("players", "published"), [(2, 0.05), (3, 0.09), (4, 0.17), (5, 0.17)])
def test_pairs_taken_as_independent_games_pass_too_often(players: int, published: float) -> None:
    """Wald's test with bounds [0, 15] on single games in seats by lot, with each pair counted for itself.

    A and B are equal and alpha is 5 %. The variance is (n + 1)/3 times what the test takes it for, so that the chance
    to pass is 1/(1 + 19^(3/(n + 1))): 5.0, 9.9, 14.6 and 18.7 %, a little less for what walks overshoot.
    """
    rng = np.random.default_rng([6, players])
    runs = 1200 * MORE
    is_a = arrangement(players)
    pairs = sum(is_a) * (players - sum(is_a))
    s0, s1 = Question(0, 15).means
    low, high = Question(0, 15).walls
    win, lose = math.log(s1 / s0), math.log((1 - s1) / (1 - s0))
    passed = open_end = 0
    for _ in range(runs // 100):
        # Seats by lot: what seats and deals are worth is in the luck of the day.
        wins = pairs * ahead(rng.gumbel(size=(100, 18_000 // pairs, players)), is_a)
        ratio = np.cumsum(wins * win + (pairs - wins) * lose, axis=1)
        up, down = _first(ratio >= high), _first(ratio <= low)
        passed += int((up < down).sum())
        open_end += int((up == down).sum())
    assert open_end <= 0.002 * runs
    inflated = (players + 1) / 3
    over = OVERSHOOT * (win - lose) * math.sqrt(pairs / 4 * inflated)
    exact = 1 / (1 + math.exp((high + over) / inflated))
    assert near(passed / runs, exact, runs)
    assert near(passed / runs, published, runs)


@dataclass(frozen=True)
class Ends:
    """How tests ended, and after how many blocks."""

    better: npt.NDArray[np.bool_]
    over: npt.NDArray[np.bool_]
    blocks: npt.NDArray[np.intp]


def run_tests(question: Question, scores: Floats) -> Ends:
    """All tests (rows) at once, looked at after every block."""
    s0, s1 = question.means
    low, high = question.walls
    values, kinds = np.unique(np.round(scores, 12), return_inverse=True)
    kinds = kinds.reshape(scores.shape)
    counts = np.zeros((len(scores), len(values)))
    live = np.arange(len(scores))
    better = np.zeros(len(scores), np.bool_)
    blocks = np.full(len(scores), scores.shape[1])
    for block in range(scores.shape[1]):
        counts[live, kinds[live, block]] += 1
        if block + 1 < FIRST_LOOK or not len(live):
            continue
        seen = counts[live]
        ratio = llr(values, seen, s0, s1)
        mean = seen @ values / (block + 1)
        spread = np.sqrt(np.maximum(seen @ values**2 / (block + 1) - mean**2, 1e-18))
        over = np.minimum(OVERSHOOT * (s1 - s0) / spread, 0.9 * min(high, -low))
        up, down = ratio >= high - over, ratio <= low + over
        better[live[up]] = True
        blocks[live[up | down]] = block + 1
        live = live[~(up | down)]
    over_yet = np.ones(len(scores), np.bool_)
    over_yet[live] = False
    return Ends(better, over_yet, blocks)


def play_tests(question: Question, players: int, gap: float = 0.0, runs: int = 1200 * MORE) -> Ends:
    """Tests between A and B, who is weaker by `gap`, each as long as hardly any needs to be."""
    rng = np.random.default_rng([4, players, round(100 * gap)])
    spread = float(play_blocks(rng, players, (20_000,), gap).std())
    length = 2 * plan(question, question.elo1 / 2, spread, 1).longest
    scores = np.concatenate([play_blocks(rng, players, (100, length), gap) for _ in range(runs // 100)])
    return run_tests(question, scores)


@pytest.mark.parametrize(
    ("players", "elo1", "published"), [(2, 30, None), (3, 15, 0.053), (4, 30, None), (5, 15, 0.041)]
)
def test_block_test_passes_as_seldom_as_it_says(players: int, elo1: float, published: float | None) -> None:
    """A and B are equal, alpha is 5 %, 1,200 runs. Published is [0, 15] for three and five; the others are shorter."""
    ends = play_tests(Question(0, elo1), players)
    assert ends.over.mean() > 0.998
    share = float(ends.better.mean())
    assert near(share, 0.05, len(ends.better))
    assert published is None or near(share, published, len(ends.better))


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_block_test_finds_what_is_better(players: int) -> None:
    """With the difference of H1 in truth, 95 % pass."""
    gap = 0.3
    truth = float(play_blocks(np.random.default_rng([5, players]), players, (1_000_000,), gap).mean())
    ends = play_tests(Question(0, from_score(truth)), players, gap, runs=600 * MORE)
    assert ends.over.mean() > 0.998
    assert near(float(ends.better.mean()), 0.95, len(ends.better))


def test_all_at_once_is_one_by_one() -> None:
    """The tests above run many tests at once; here is what the test itself says, block by block."""
    question = Question(0, 60)
    scores = play_blocks(np.random.default_rng(9), 5, (20, 500), 0.05)
    ends = run_tests(question, scores)
    for row, better, blocks in zip(scores, ends.better, ends.blocks, strict=True):
        test = SequentialTest(question)
        for score in row:
            if test.add(float(score)):
                break
        assert (test.verdict is Verdict.BETTER, test.blocks) == (better, blocks)


# -- What blocks save, and what luck does ---------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "saved"), [(2, 0.342), (3, 0.377), (4, 0.409), (5, 0.424)])
def test_arrangement_and_complement_save_games(players: int, saved: float) -> None:
    """Variance per game, against seats and deals by lot: as many games are saved.

    Published are 39 to 42 %. With luck that shrinks differences by a third, four and five players save that many; fewer
    save less, since a bot meets the same luck in fewer pairs.
    """
    rng = np.random.default_rng([7, players])
    is_a = arrangement(players)
    shares = []
    for _ in range(40 * MORE):
        paired = 2 * play_blocks(rng, players, (10_000,)).var()
        # By lot the order of equal bots is any, whatever seats and deals are worth.
        alone = ahead(rng.gumbel(size=(10_000, players)), is_a).var()
        shares.append(1 - paired / alone)
    share, error = mean_and_error(np.array(shares))
    assert error < 0.004
    assert abs(share - saved) <= SIGMAS * error
    if players >= 4:
        assert 0.39 - SIGMAS * error <= share <= 0.42 + SIGMAS * error


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_luck_of_the_deal_shrinks_differences(players: int) -> None:
    """By about a third: Elo is about bots and rules."""
    rng = np.random.default_rng([8, players])
    gap = 0.3
    mean, error = mean_and_error(play_blocks(rng, players, (400_000 * MORE,), gap))
    shrunk = from_score(mean) / PER_LOG_ODDS / gap
    error /= mean * (1 - mean) * gap
    assert error < 0.01
    assert shrunk == pytest.approx(2 / 3, abs=0.02 + SIGMAS * error)
