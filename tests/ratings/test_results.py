"""Tables are checked when they are made."""

from __future__ import annotations

from typing import Any

import pytest

from hansa_server.ratings import Forfeits, RatingError, Table, by_block, by_pool, forfeit_share, place_scores


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"bots": ("a",), "ranks": (1,)}, "2 to 5 players"),
        ({"bots": tuple("abcdef"), "ranks": tuple(range(6))}, "2 to 5 players"),
        ({"ranks": (1, 2)}, "2 ranks for 3"),
        ({"ranks": (0, None, 1)}, "whole number"),
        ({"ranks": (0, True, 2)}, "whole number"),
        ({"ranks": (0, 1.5, 2)}, "whole number"),
        ({"forfeits": frozenset({3})}, "not there"),
        ({"forfeits": frozenset({0})}, "share the last place"),
        ({"ranks": (1, 2, 2), "forfeits": frozenset({2})}, "share the last place"),
    ],
)
def test_impossible_tables_are_refused(changes: dict[str, Any], problem: str) -> None:
    values: dict[str, Any] = {"pool": "p", "block": "b", "bots": ("a", "b", "c"), "ranks": (1, 2, 3)}
    with pytest.raises(RatingError, match=problem):
        Table(**(values | changes))


def test_seats_that_are_compared() -> None:
    table = Table("p", "b", ("a", "b", "c", "d"), (1, 3, 2, 3), frozenset({1, 3}))
    assert table.seats(Forfeits.AS_PLAYED) == (0, 1, 2, 3)
    assert table.seats(Forfeits.CLEAN) == (0, 2)
    assert forfeit_share([table, Table("p", "b", ("a", "b"), (0, 1))]) == 0.5
    assert forfeit_share([]) == 0


@pytest.mark.parametrize(
    ("ranks", "scores"),
    [
        ((0, 1), (1, 0)),
        ((1, 1), (0.5, 0.5)),
        ((1, 1, 3, 4, 5), (0.875, 0.875, 0.5, 0.25, 0)),
        ((2, 0, 2), (0.25, 1, 0.25)),
    ],
)
def test_place_scores(ranks: tuple[int, ...], scores: tuple[float, ...]) -> None:
    assert place_scores(ranks) == pytest.approx(scores)


def test_groups_keep_their_order() -> None:
    tables = [Table(pool, block, ("a", "b"), (0, 1)) for pool, block in (("q", "1"), ("p", "2"), ("q", "2"))]
    assert by_pool(tables) == {"q": [tables[0], tables[2]], "p": [tables[1]]}
    assert by_block(tables) == {"1": [tables[0]], "2": [tables[1], tables[2]]}
