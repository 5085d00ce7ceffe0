"""The joint fit: ties, seats, forfeits, undefeated bots, results that do not hang together."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from hansa_server.ratings import Forfeits, RatingError, Table, by_block, fit, standings
from hansa_server.ratings.elo import PER_LOG_ODDS
from tests.ratings.simulation import SEATS, league


def rotated(bots: str, ranks: Sequence[int], block: str) -> list[Table]:
    """A block in which every bot comes to the same place from every seat."""
    place = dict(zip(bots, ranks, strict=True))
    turns = [bots[k:] + bots[:k] for k in range(len(bots))]
    return [Table("pool", block, tuple(turn), tuple(place[bot] for bot in turn)) for turn in turns]


def rating(tables: list[Table], bot: str) -> float:
    found = fit(tables)
    return float(found.ratings[found.index(bot)])


def test_strengths_and_seats_are_found() -> None:
    strengths = {"a": 0.8, "b": 0.3, "c": 0.0, "d": -0.4, "e": -0.7}
    found = fit(league(np.random.default_rng(1), strengths, 4, 1500, luck=0), anchor="c")
    for bot, strength in strengths.items():
        apart = found.difference(bot, "c")
        assert abs(apart.elo - PER_LOG_ODDS * strength) < 4 * max(apart.error, 1e-9)
    assert found.ratings[found.index("c")] == 1500
    true_seats = PER_LOG_ODDS * (SEATS[:4] - SEATS[:4].mean())
    errors = np.sqrt(np.diag(found.seats[4].covariance))
    assert (np.abs(found.seats[4].elo - true_seats) < 4 * errors).all()
    assert found.seats[4].elo.sum() == pytest.approx(0, abs=1e-6)
    assert found.ties == {}


def test_score_is_zero_at_the_fit() -> None:
    """Without a phantom, what was seen is what was expected of every bot."""
    tables = league(np.random.default_rng(2), {"a": 0.5, "b": 0.0, "c": 0.0, "d": -0.2}, 3, 60, grain=1.5)
    found = fit(tables, phantom=0)
    assert set(found.ties) == {2, 3}
    assert all(math.isclose(sum(found.influence(bot).values()), 0, abs_tol=1e-5) for bot in found.bots)


@pytest.mark.parametrize("games", [1, 5, 50])
def test_tied_winners_are_above_the_third(games: int) -> None:
    tables = [table for k in range(games) for table in rotated("abcde", (1, 1, 3, 4, 5), str(k))]
    for part in (tables, tables[:1]):
        found = fit(part)
        assert found.ratings[0] == pytest.approx(found.ratings[1])
        assert (np.diff(found.ratings[1:]) < 0).all()


def test_only_the_order_of_ranks_counts() -> None:
    zero = [table for k in range(8) for table in rotated("abc", (0, 1, 1), str(k))]
    one = [Table(t.pool, t.block, t.bots, tuple(5 * rank + 1 for rank in t.ranks)) for t in zero]
    assert np.array_equal(fit(zero).ratings, fit(one).ratings)


def test_the_order_of_tables_does_not_count() -> None:
    tables = league(np.random.default_rng(3), {"a": 0.5, "b": 0.0, "c": 0.0}, 3, 40)
    first, other = fit(tables), fit(tables[::-1])
    assert first.ratings == pytest.approx(other.ratings, abs=1e-6)
    assert first.covariance == pytest.approx(other.covariance, rel=1e-6)
    assert np.array_equal(first.ratings, fit(tables).ratings)


def test_undefeated_bots_have_finite_numbers() -> None:
    tables = [table for k in range(30) for table in rotated("abcd", (0, 1, 2, 3), str(k))]
    found = fit(tables)
    assert np.isfinite(found.ratings).all()
    assert (np.diff(found.ratings) < -100).all()
    assert found.ratings[0] < fit(tables * 2).ratings[0]
    with pytest.raises(RatingError, match="no finite maximum"):
        fit(tables, phantom=0)


def test_games_that_are_all_tied() -> None:
    found = fit([table for k in range(30) for table in rotated("abc", (0, 0, 0), str(k))])
    assert found.ratings == pytest.approx([1500] * 3)
    assert found.ties[3] > 10


def test_parts_without_a_common_table_are_not_compared() -> None:
    rng = np.random.default_rng(4)
    left = league(rng, {"a": 0.5, "b": 0.0, "c": 0.0}, 3, 40)
    right = [Table(t.pool, "r" + t.block, t.bots, t.ranks) for t in league(rng, {"x": 0.5, "y": 0.0}, 2, 40)]
    found = fit(left + right, anchor="y")
    assert found.components == (("x", "y"), ("a", "b", "c"))
    assert found.difference("a", "b").error > 0
    with pytest.raises(RatingError, match="cannot be compared"):
        found.difference("a", "x")
    lines = standings(found)
    assert [(line.component, line.place) for line in lines] == [(0, 1), (0, 2), (1, 1), (1, 2), (1, 3)]
    assert sum(line.first for line in lines if line.component == 1) == pytest.approx(1)


def test_bots_that_always_sit_in_the_same_seat_are_unknown() -> None:
    """Nothing tells a good bot from a good seat, however many games there are."""
    tables = [Table("pool", str(k), ("a", "b"), (0, 1) if k % 3 else (1, 0)) for k in range(90)]
    assert fit(tables).difference("a", "b").error == math.inf
    turned = [Table("pool", t.block, t.bots[::-1], t.ranks[::-1]) for t in tables]
    assert fit(tables + turned).difference("a", "b").error < 60
    with pytest.raises(RatingError, match="phantom"):
        fit(tables, phantom=0)


def test_one_block_says_nothing_about_how_results_vary() -> None:
    tables = rotated("abc", (0, 1, 2), "1")
    assert fit(tables).difference("a", "b").error == math.inf
    rng = np.random.default_rng(5)
    late = league(rng, {"a": 0.5, "b": 0.0, "c": 0.0}, 3, 40) + rotated("abd", (0, 1, 2), "late")
    found = fit(late)
    assert found.difference("a", "d").error == math.inf
    assert found.difference("a", "b").error < 100
    assert list(found.blocks_of) == [41, 41, 40, 1]


def test_joint_fit_is_not_pooled_score() -> None:
    """In a gauntlet the same score against stronger opponents is worth more."""
    tables = []
    for k in range(40):
        tables += rotated("ab", (k % 2, 1 - k % 2), f"ab{k}")  # even with b
        tables += rotated("cd", (k % 2, 1 - k % 2), f"cd{k}")  # even with d
        tables += rotated("bd", (0, 1) if k % 4 else (1, 0), f"bd{k}")  # b beats d in three of four
    found = fit(tables)
    assert found.difference("a", "c").elo == pytest.approx(PER_LOG_ODDS * math.log(3), rel=0.1)


def test_forfeits_as_played_and_clean() -> None:
    """The best bot forfeits each third game: played last, but clean it is the best."""
    tables = []
    for k in range(60):
        if k % 3:
            tables += rotated("abc", (0, 1, 2) if k % 2 else (0, 2, 1), str(k))
        else:
            lost = rotated("abc", (9, 1, 2) if k % 2 else (9, 2, 1), str(k))
            tables += [Table(t.pool, t.block, t.bots, t.ranks, frozenset({t.bots.index("a")})) for t in lost]
    played, clean = fit(tables), fit(tables, forfeits=Forfeits.CLEAN)
    assert clean.difference("a", "b").elo > played.difference("a", "b").elo + 200
    assert clean.difference("b", "c").elo == pytest.approx(0, abs=1)
    assert (list(played.games), list(clean.games)) == ([180, 180, 180], [120, 180, 180])


def test_a_bot_that_only_forfeits_has_no_clean_number() -> None:
    tables = [
        Table(t.pool, t.block, t.bots, t.ranks, frozenset({t.bots.index("c")}))
        for k in range(10)
        for t in rotated("abc", (k % 2, 1 - k % 2, 7), str(k))
    ]
    clean = fit(tables, forfeits=Forfeits.CLEAN)
    assert clean.components == (("a", "b"), ("c",))
    assert standings(clean)[-1].games == 0
    with pytest.raises(RatingError, match="two bots"):
        fit([Table("p", "b", ("a", "b"), (0, 1), frozenset({1}))], forfeits=Forfeits.CLEAN)


def test_refusals() -> None:
    table = Table("p", "b", ("a", "b"), (0, 1))
    with pytest.raises(RatingError, match="no results yet"):
        fit([])
    with pytest.raises(RatingError, match="several: p, q"):
        fit([table, Table("q", "b", ("a", "b"), (0, 1))])
    with pytest.raises(RatingError, match="anchor z"):
        fit([table], anchor="z")
    with pytest.raises(RatingError, match="z has no results"):
        fit([table]).difference("a", "z")


def test_errors_agree_with_the_bootstrap() -> None:
    """Blocks drawn anew, with replacement: the ratings vary as much as the errors say."""
    rng = np.random.default_rng(6)
    tables = league(rng, {"a": 0.6, "b": 0.2, "c": 0.0, "d": -0.3}, 3, 150)
    found, blocks = fit(tables), list(by_block(tables).values())
    drawn = []
    for _ in range(150):
        picked = [blocks[k] for k in rng.integers(len(blocks), size=len(blocks))]
        again = [Table(t.pool, str(k), t.bots, t.ranks) for k, block in enumerate(picked) for t in block]
        drawn.append(fit(again).difference("a", "d").elo)
    assert np.std(drawn) == pytest.approx(found.difference("a", "d").error, rel=0.2)


def test_influence_names_the_block_that_moved_a_bot() -> None:
    tables = [table for k in range(40) for table in rotated("abc", ((0, 1, 2), (1, 2, 0), (2, 0, 1))[k % 3], str(k))]
    odd = [table for k in range(3) for table in rotated("abc", (0, 1, 2), "good")]
    moved = fit(tables + odd).influence("a")
    assert max(moved, key=lambda block: moved[block]) == "good"
    without, with_it = rating(tables, "a"), rating(tables + odd, "a")
    assert moved["good"] == pytest.approx(with_it - without, rel=0.5)
