"""Ladder Elo."""

from __future__ import annotations

import pytest

from hansa_server.ratings import Ladder, Rung, Table, replay
from hansa_server.ratings.ladder import step_size


def table(ranks: tuple[int, ...], bots: str = "abcde") -> Table:
    return Table("p", "b", tuple(bots[: len(ranks)]), ranks)


def test_two_players_are_plain_elo() -> None:
    """1613 against 1609 with K = 32 is the example of many textbooks: E = 0.506."""
    ladder = Ladder({"a": Rung(1613, 0), "b": Rung(1609, 0)})
    changes = ladder.apply(table((0, 1)))
    assert changes["a"] == pytest.approx(32 * (1 - 1 / (1 + 10 ** (-4 / 400))))
    assert changes["a"] == pytest.approx(15.816, abs=1e-3)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_winner_among_equals_gains_half_of_k_and_all_sums_to_zero(players: int) -> None:
    changes = Ladder().apply(table(tuple(range(players))))
    assert changes["a"] == pytest.approx(16)
    assert sum(changes.values()) == pytest.approx(0)


def test_tied_winners_gain_more_than_the_third() -> None:
    changes = Ladder().apply(table((1, 1, 3, 4, 5)))
    assert changes["a"] == changes["b"] == pytest.approx(12)
    assert [changes[bot] for bot in "cde"] == pytest.approx([0, -8, -16])


def test_ranks_from_zero_and_from_one_are_the_same() -> None:
    assert Ladder().apply(table((0, 2, 1))) == Ladder().apply(table((1, 3, 2)))


def test_a_bot_does_not_play_itself() -> None:
    changes = Ladder().apply(Table("p", "b", ("a", "a", "b"), (0, 1, 2)))
    assert changes == {"a": pytest.approx(16), "b": pytest.approx(-16)}
    assert Ladder().apply(Table("p", "b", ("a", "a"), (0, 1))) == {"a": 0}


def test_steps_become_smaller() -> None:
    assert [step_size(games) for games in (0, 29, 30, 99, 100, 5000)] == [32, 32, 16, 16, 8, 8]


def test_replay_depends_on_the_order_and_on_nothing_else() -> None:
    tables = [table((0, 1, 2), bots) for bots in ("abc", "bca", "cab", "bac")] * 10
    first, again, other = replay(tables), replay(tables), replay(tables[::-1])
    assert first.rungs == again.rungs
    assert first.rungs != other.rungs
    assert first.rungs["a"].games == 40 and not first.rungs["a"].provisional
    assert replay(tables[:29]).rungs["a"].provisional
