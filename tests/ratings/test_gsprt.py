"""The sequential test, its plans and its estimates."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from hansa_server.ratings import (
    Question,
    RatingError,
    SequentialTest,
    Table,
    Verdict,
    betting_interval,
    block_score,
    blocks_left,
    fair_spread,
    field_score,
    peeking_interval,
    plan,
    table_score,
    worst_case,
)
from hansa_server.ratings.brownian import Brownian
from hansa_server.ratings.elo import expected, from_score
from hansa_server.ratings.gsprt import FIRST_LOOK
from tests.ratings.simulation import play_blocks


def run(question: Question, scores: list[float]) -> SequentialTest:
    test = SequentialTest(question)
    for score in scores:
        if test.add(score):
            break
    return test


def test_scores_of_blocks() -> None:
    one = Table("p", "1", ("A", "B", "A"), (0, 1, 2))
    two = Table("p", "1", ("B", "A", "B"), (1, 1, 0))
    assert table_score(one, "A", "B") == 0.5
    assert table_score(two, "A", "B") == 0.25
    assert block_score([one, two], "A", "B") == 0.375
    assert block_score([one, two], "B", "A") == 0.625
    with pytest.raises(RatingError, match="did not hold seat 0"):
        block_score([one, one], "A", "B")
    with pytest.raises(RatingError, match="not both"):
        table_score(one, "A", "C")
    with pytest.raises(RatingError, match="at least one game"):
        block_score([], "A", "B")


def test_only_pairs_of_those_who_forfeit_count() -> None:
    """B in seat 3 forfeits: its pairs with both copies of A count, the others do not."""
    table = Table("p", "1", ("A", "B", "A", "B"), (2, 0, 1, 3), frozenset({3}))
    assert table_score(table, "A", "B") == 1
    assert table_score(Table("p", "1", table.bots, table.ranks), "A", "B") == 0.5


def test_score_against_a_field() -> None:
    mine = Table("p", "1", ("x", "A", "y"), (1, 0, 2))
    theirs = Table("p", "1", ("x", "B", "y"), (0, 1, 1))
    assert field_score(mine, theirs, "A", "B") == pytest.approx(0.5 + (1 - 0.25) / 2)
    assert field_score(theirs, mine, "B", "A") == pytest.approx(0.5 - (1 - 0.25) / 2)
    with pytest.raises(RatingError, match="differ in one seat"):
        field_score(mine, mine, "A", "B")


def test_four_verdicts() -> None:
    rng = np.random.default_rng(1)
    question = Question(0, 30, budget=3000)
    strong, weak, middling = (play_blocks(rng, 3, (3000,), gap).tolist() for gap in (0.5, -0.2, 0.1))
    assert run(question, strong).verdict is Verdict.BETTER
    assert run(question, weak).verdict is Verdict.NOT_BETTER
    short = run(Question(0, 30, budget=40), middling)
    assert (short.verdict, short.blocks) == (Verdict.INCONCLUSIVE, 40)
    faulty = SequentialTest(Question(void_limit=2))
    assert [faulty.add_void(), faulty.add_void(), faulty.add_void()] == [None, None, Verdict.FAULT]
    with pytest.raises(RatingError, match="the test is over: infrastructure fault"):
        faulty.add(0.5)


def test_no_verdict_before_the_first_look() -> None:
    test = run(Question(0, 400), [1.0] * FIRST_LOOK)
    assert (test.verdict, test.blocks) == (Verdict.BETTER, FIRST_LOOK)


def test_bots_that_are_the_same_are_not_better() -> None:
    """All blocks end alike: there is no spread at all, and still a verdict."""
    test = run(Question(0, 15), [0.5] * 5000)
    assert test.verdict is Verdict.NOT_BETTER
    assert abs(test.estimate().elo) < 15


@pytest.mark.parametrize("question", [{"elo0": 5, "elo1": 5}, {"alpha": 0}, {"beta": 0.6}, {"budget": 3}])
def test_impossible_questions(question: dict[str, float]) -> None:
    with pytest.raises(RatingError, match="must be"):
        Question(**question)  # type: ignore[arg-type]
    with pytest.raises(RatingError, match="from 0 to 1"):
        SequentialTest(Question()).add(1.5)


def test_mirrored_scores_mirror_the_ratio() -> None:
    scores = play_blocks(np.random.default_rng(2), 4, (200,), 0.1).tolist()
    plus, minus = SequentialTest(Question(-10, 10)), SequentialTest(Question(-10, 10))
    for score in scores[:15]:
        plus.add(score)
        minus.add(1 - score)
    assert plus.llr == pytest.approx(-minus.llr)


def test_particle_between_walls() -> None:
    """Against walks by hand, and against what is known."""
    level = Brownian(-1, 3, 0, 1)
    assert float(level.chance_low()) == pytest.approx(0.75)
    assert level.mean_time() == pytest.approx(3)
    drifting = Brownian(-2, 3, 0.4, 1.5)
    rng = np.random.default_rng(3)
    place, at, when = np.zeros(4000), np.full(4000, np.inf), np.full(4000, np.inf)
    step = 0.004
    for k in range(2500):
        live = np.isinf(when)
        place[live] += 0.4 * step + math.sqrt(1.5 * step) * rng.standard_normal(live.sum())
        # walls drawn in, since the walk is seen at steps only
        hit = live & ((place <= -2 + 0.583 * math.sqrt(1.5 * step)) | (place >= 3 - 0.583 * math.sqrt(1.5 * step)))
        when[hit], at[hit] = (k + 1) * step, place[hit]
    assert float(drifting.chance_low()) == pytest.approx((at < 0).sum() / 4000, abs=0.03)
    for time in (0.5, 2.0, 6.0):
        assert drifting.underway(time) == pytest.approx((when > time).mean(), abs=0.03)
        lower = ((at < 0) & (when <= time)).mean()
        assert drifting.outcome(time, -2) == pytest.approx(lower, abs=0.03)
        assert drifting.outcome(time, 3) == pytest.approx(1 - ((at > 0) & (when <= time)).mean(), abs=0.03)
    # both ways to write the density meet where they change over
    width2 = 0.5 * 25 / 1.5
    assert drifting.underway(width2 * 0.9999) == pytest.approx(drifting.underway(width2 * 1.0001), rel=1e-3)


def test_plan_of_the_textbook() -> None:
    """At the hypotheses the chances are alpha and beta; Wald's mean length is (α·b + (1-α)·a) / drift."""
    question = Question(0, 15)
    spread = fair_spread(1, 1)
    at0, at1 = plan(question, 0, spread), plan(question, 15, spread)
    assert [at0.better, at1.better] == pytest.approx([0.05, 0.95])
    s0, s1 = question.means
    wald = -0.9 * math.log(19) / (-((s1 - s0) ** 2) / spread**2 / 2)
    assert at0.blocks == pytest.approx(wald, rel=0.01)
    assert at0.games == 2 * at0.blocks
    worst = worst_case(question, spread)
    assert worst.blocks > at0.blocks and worst.better == pytest.approx(0.5)
    assert worst.longest > worst.games
    capped = plan(Question(0, 15, budget=500), 7.5, spread)
    assert capped.inconclusive > 0.5 and capped.blocks < 500
    assert capped.better + capped.not_better + capped.inconclusive == pytest.approx(1)


@pytest.mark.parametrize(("a", "b"), [(1, 1), (1, 2), (2, 2), (2, 3)])
def test_fair_spread(a: int, b: int) -> None:
    rng = np.random.default_rng(4)
    order = rng.random((2, 20000, a + b))
    scores = (order[..., :a, None] > order[..., None, a:]).mean(axis=(-1, -2)).mean(axis=0)
    assert scores.std() == pytest.approx(fair_spread(a, b), rel=0.03)


def test_plan_is_what_happens() -> None:
    rng = np.random.default_rng(5)
    question = Question(0, 60)
    spread = float(play_blocks(rng, 3, (20000,), 0.0).std())
    lengths = [run(question, play_blocks(rng, 3, (1200,)).tolist()).blocks for _ in range(60)]
    assert np.mean(lengths) == pytest.approx(plan(question, 0, spread).blocks, rel=0.25)


def test_estimate_after_stopping_is_not_biased() -> None:
    """The median of estimates is the truth, and 95 % of intervals hold it, although tests stop when they like."""
    rng = np.random.default_rng(6)
    truth = from_score(float(play_blocks(rng, 3, (400_000,), 0.2).mean()))
    below, covered, plain, runs = 0, 0, 0, 120
    for _ in range(runs):
        test = run(Question(0, 60), play_blocks(rng, 3, (1500,), 0.2).tolist())
        assert test.verdict in (Verdict.BETTER, Verdict.NOT_BETTER)
        found = test.estimate()
        below += found.elo < truth
        covered += found.low < truth < found.high
        plain += from_score(test.mean) < truth
        assert found.low < found.elo < found.high
    assert abs(below / runs - 0.5) < 0.15
    assert covered / runs > 0.88


@pytest.mark.parametrize("scores", [[1.0], [1.0, 1.0, 1.0, 0.75], [1.0, 0.5]])
def test_estimate_of_a_landslide(scores: list[float]) -> None:
    """A bot that is far better passes early; the estimate is what was seen and not what would just have passed."""
    test = run(Question(0, 15), scores * 200)
    assert test.verdict is Verdict.BETTER
    found = test.estimate()
    assert found.low > 100
    assert expected(found.low) < np.mean(scores) and found.low < found.elo <= found.high
    if min(scores) < 1:
        assert expected(found.elo) == pytest.approx(test.mean, abs=0.02)


def test_steep_walks() -> None:
    """Where the drift is steep the other wall is left out; both ways to reckon meet where they change over."""
    for drift in (0.6, -0.6):
        flat, steep = (Brownian(-2, 3, drift * factor, 0.01) for factor in (0.9999, 1.0001))
        for time in (3.0, 4.0, 5.0, 6.0):
            for place in (-2.0, -1.5, 1.0, 2.5, 3.0):
                assert flat.outcome(time, place) == pytest.approx(steep.outcome(time, place), abs=2e-3)
                assert flat.underway(time, place) == pytest.approx(steep.underway(time, place), abs=2e-3)
            assert flat.underway(time) == pytest.approx(steep.underway(time), abs=2e-3)
    assert Brownian(-3, 3, 1.0, 1e-12).outcome(2.9, 3.0) == 1
    assert Brownian(-3, 3, 1.0, 1e-12).outcome(3.1, 3.0) == 0


def test_peeking_is_allowed() -> None:
    """The interval holds at all blocks at once in 95 % of runs; a plain one, looked at each time, does not."""
    rng = np.random.default_rng(7)
    runs, length = 200, 600
    scores = play_blocks(rng, 3, (runs, length))
    blocks = np.arange(1, length + 1)
    means = np.cumsum(scores, axis=1) / blocks
    spread = np.sqrt(np.maximum(np.cumsum(scores**2, axis=1) / blocks - means**2, 1e-9))
    wrong = plainly_wrong = 0
    for k in range(runs):
        ends = [peeking_interval(n + 1, means[k, n], spread[k, n], planned=300) for n in range(FIRST_LOOK, length)]
        wrong += any(not low < 0.5 < high for low, high in ends)
        late = np.arange(FIRST_LOOK, length)
        plainly_wrong += bool((np.abs(means[k, late] - 0.5) > 1.96 * spread[k, late] / np.sqrt(late + 1)).any())
    assert wrong / runs < 0.07
    assert plainly_wrong / runs > 0.2
    assert peeking_interval(1, 0.5, 0.3, planned=100) == (-math.inf, math.inf)


def test_peeking_at_bots_that_nearly_always_win() -> None:
    """Blocks that were all won are no proof that none is lost."""
    rng = np.random.default_rng(8)
    wrong = 0
    for _ in range(100):
        won = np.cumsum(rng.random(400) < 0.98)
        ends = [betting_interval({1.0: int(won[n]), 0.5: int(n + 1 - won[n])}) for n in range(FIRST_LOOK, 400, 12)]
        wrong += any(not low <= 0.99 <= high for low, high in ends)
    assert wrong <= 5


def test_betting_interval() -> None:
    """It is hardly wider than the one for means that are nearly normal, and mirrored scores mirror it."""
    scores = Counter(np.round(play_blocks(np.random.default_rng(9), 4, (2000,)), 12).tolist())
    values, counts = np.array(list(scores)), np.array(list(scores.values()))
    mean = float(counts @ values / counts.sum())
    spread = math.sqrt(counts @ (values - mean) ** 2 / counts.sum())
    low, high = betting_interval(scores)
    normal = peeking_interval(2000, mean, spread, planned=2000)
    assert low < 0.5 < high
    assert 0.8 < (high - low) / (normal[1] - normal[0]) < 1.3
    turned = betting_interval({1 - score: count for score, count in scores.items()})
    assert turned == pytest.approx((1 - high, 1 - low), abs=1e-5)
    few = betting_interval({1.0: 2})
    assert few[0] < 0.3 and few[1] == 1
    assert betting_interval({0.5: 100})[0] > 0.4


def test_blocks_left() -> None:
    """Close to a wall little is left, without a drift most; a budget is the end of it."""
    question = Question(0, 15)
    near, far = (blocks_left(question, 400, mean, 0.2) for mean in (0.53, 0.511))
    assert 0 <= near[0] <= near[1] < far[1]
    assert far[0] < far[1]
    assert blocks_left(question, 100, 0.9, 0.2) == (0, 0)
    assert blocks_left(Question(0, 15, budget=500), 400, 0.511, 0.2)[1] == 100
    # What is foretold is what happens: in the middle of a test that has no drift, walks by hand.
    rng = np.random.default_rng(9)
    step = question.walk(0.5, 0.2)
    middle = expected(7.5)
    place, left = np.zeros(400), np.zeros(400)
    low, high = question.walls
    for _ in range(4000):
        live = (place > low) & (place < high)
        left += live
        place[live] += math.sqrt(step.variance) * rng.standard_normal(live.sum())
    low_end, high_end = blocks_left(question, 300, middle, 0.2)
    assert low_end < left.mean() < 1.1 * high_end


def test_elo_and_scores() -> None:
    assert expected(0) == 0.5
    assert expected(100) == pytest.approx(0.640, abs=1e-3)
    assert from_score(expected(37.5)) == pytest.approx(37.5)
    assert (from_score(0), from_score(1)) == (-math.inf, math.inf)
