"""The published table."""

from __future__ import annotations

import numpy as np
import pytest

from hansa_server.ratings import (
    Table,
    ahead_counts,
    combine,
    cycles,
    equal_seats,
    fit,
    quasi_errors,
    standings,
    superiority,
)
from hansa_server.ratings.pools import error
from hansa_server.ratings.results import RatingError
from hansa_server.ratings.standing import quantile
from tests.ratings.simulation import league

STRENGTHS = {"a": 0.6, "b": 0.2, "c": 0.0, "d": -0.3, "e": -0.3}
TABLES = league(np.random.default_rng(1), STRENGTHS, 4, 150)


def test_lines_are_in_order_and_agree() -> None:
    found = fit(TABLES, anchor="c")
    lines = standings(found)
    assert [line.rating for line in lines] == sorted((line.rating for line in lines), reverse=True)
    assert [line.place for line in lines] == [1, 2, 3, 4, 5]
    assert all(line.places[0] <= line.place <= line.places[1] for line in lines)
    assert sum(line.first for line in lines) == pytest.approx(1)
    assert lines == standings(found)
    few = fit(TABLES[:60])
    assert standings(few, seed=1) != standings(few, seed=2)
    assert not any(line.provisional for line in lines)


def test_errors_do_not_depend_on_the_anchor() -> None:
    one, other = fit(TABLES, anchor="a"), fit(TABLES, anchor="e")
    assert quasi_errors(one) == pytest.approx(quasi_errors(other), rel=1e-3)
    quasi = quasi_errors(one)
    for i, bot in enumerate(one.bots):
        for j in range(i):
            assert np.hypot(quasi[i], quasi[j]) == pytest.approx(one.difference(bot, one.bots[j]).error, rel=0.1)


def test_superiority_is_the_chance_of_the_difference() -> None:
    chance = superiority(fit(TABLES))
    assert chance + chance.T == pytest.approx(np.ones((5, 5)))
    assert chance[0, 3] > 0.999
    assert 0.02 < chance[3, 4] < 0.98


def test_superiority_says_nothing_across_components() -> None:
    apart = [Table("pool", f"x{k}", ("x", "y"), (k % 2, 1 - k % 2)) for k in range(20)]
    chance = superiority(fit(TABLES + apart))
    assert np.isnan(chance[0, 5]) and not np.isnan(chance[5, 6])


def test_few_blocks_are_provisional_and_wider() -> None:
    lines = standings(fit(TABLES[: 4 * 10]))
    assert all(line.provisional for line in lines)
    assert quantile(5) == pytest.approx(2.776, abs=1e-3)
    assert quantile(30) == pytest.approx(1.960, abs=1e-3)
    assert quantile(1) == np.inf


def test_seats_are_tested() -> None:
    assert equal_seats(fit(TABLES), 4).chance < 1e-3
    fair = [Table(t.pool, t.block, t.bots, ranks) for t, ranks in zip(TABLES, _even_ranks(len(TABLES)), strict=True)]
    assert equal_seats(fit(fair), 4).chance > 0.01
    with pytest.raises(RatingError, match="no tables of 3"):
        equal_seats(fit(TABLES), 3)


def _even_ranks(count: int) -> list[tuple[int, ...]]:
    rng = np.random.default_rng(2)
    return [tuple(int(rank) for rank in rng.permutation(4)) for _ in range(count)]


def test_cycles_are_named() -> None:
    wins = [("a", "b"), ("b", "c"), ("c", "a"), ("a", "d"), ("b", "d"), ("c", "d")]
    tables = [Table("p", f"{pair}{k}", pair, (0, 1) if k % 3 else (1, 1)) for pair in wins for k in range(12)]
    counts = ahead_counts(tables, "abcd")
    assert counts[0, 1] == 10 and counts[1, 0] == 2
    assert cycles(counts, "abcd") == [("a", "b", "c")]
    assert cycles(counts, "abcd", least=13) == []


def test_pools_are_combined_with_their_spread() -> None:
    rng = np.random.default_rng(3)
    same = [fit(league(rng, STRENGTHS, players, 150, luck=0)) for players in (3, 4, 5)]
    overall = combine(same, anchor="c")
    assert overall.spread < 20
    assert error(overall, "a", "d") < min(found.difference("a", "d").error for found in same)
    assert overall.ratings[overall.bots.index("a")] - 1500 == pytest.approx(0.6 * 173.7, abs=25)
    turned = {bot: -strength for bot, strength in STRENGTHS.items()}
    unlike = combine([same[0], fit(league(rng, turned, 4, 150, luck=0))])
    assert unlike.spread > 40
    assert error(unlike, "a", "d") > 40


def test_pools_that_share_no_bot_are_not_combined() -> None:
    other = fit([Table("q", str(k), ("x", "y"), (k % 2, 1 - k % 2)) for k in range(20)])
    with pytest.raises(RatingError, match="pool q shares no bot"):
        combine([fit(TABLES), other])
