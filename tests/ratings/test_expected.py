"""What a fit expects of tables, and results that are far from it."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

from hansa_server.ratings import Fit, Table, ahead_counts, expected_results, fit, surprises
from hansa_server.ratings.elo import PER_LOG_ODDS
from tests.ratings.simulation import DEAL_LUCK, MORE, bound, league, random_tables

STRENGTHS = {"a": 0.7, "b": 0.3, "c": 0.0, "d": -0.4, "e": -0.6}


def seated(found: Fit, tables: list[Table]) -> np.typing.NDArray[np.intp]:
    return np.array([[found.index(bot) for bot in table.bots] for table in tables], np.intp)


def weak_orders(seats: tuple[int, ...], weights: list[float], ties: dict[int, float]) -> list[tuple[float, list[int]]]:
    """Every outcome with its chance, straight from the definition; ranks by seat."""
    if not seats:
        return [(1.0, [0] * len(weights))]
    sets = [chosen for size in range(1, len(seats) + 1) for chosen in combinations(seats, size)]
    weight = {
        chosen: ties.get(len(chosen), 0.0) * math.prod(weights[seat] for seat in chosen) ** (1 / len(chosen))
        for chosen in sets
    }
    found = []
    for chosen in sets:
        for chance, ranks in weak_orders(tuple(seat for seat in seats if seat not in chosen), weights, ties):
            now = [len(weights) - len(seats) if seat in chosen else rank for seat, rank in enumerate(ranks)]
            found.append((chance * weight[chosen] / sum(weight.values()), now))
    return found


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_expectations_are_those_of_the_model(players: int) -> None:
    tables = league(np.random.default_rng(players), STRENGTHS, players, 30, grain=0.5)
    found = fit(tables)
    expected = expected_results(found, seated(found, tables[:3]))
    for at, table in enumerate(tables[:3]):
        utility = [found.ratings[found.index(bot)] + found.seats[players].elo[k] for k, bot in enumerate(table.bots)]
        weights = [float(np.exp(value / PER_LOG_ODDS - 8)) for value in utility]
        places, ahead = np.zeros((players, players)), np.zeros((players, players))
        for chance, ranks in weak_orders(tuple(range(players)), weights, {1: 1.0, **found.ties}):
            for i in range(players):
                places[i, ranks[i]] += chance
                for j in range(players):
                    ahead[i, j] += chance * ((ranks[i] < ranks[j]) + 0.5 * (ranks[i] == ranks[j])) * (i != j)
        assert expected.places[at] == pytest.approx(places)
        assert expected.ahead[at] == pytest.approx(ahead)


def test_what_was_seen_is_what_is_expected_on_average() -> None:
    tables = random_tables(np.random.default_rng(1), STRENGTHS, 2, 600)
    found = fit(tables, phantom=0.0)
    expected = expected_results(found, seated(found, tables)).ahead
    scored = ahead_counts(tables, found.bots).sum(axis=1)
    at = seated(found, tables)
    hoped = np.bincount(at[:, 0], expected[:, 0, 1], 5) + np.bincount(at[:, 1], expected[:, 1, 0], 5)
    assert hoped == pytest.approx(scored, abs=0.1)  # for two players the fit is where these agree


def test_a_favourite_opponent_is_found() -> None:
    """Only a pair that does what its ratings do not say is a surprise."""

    def chance(tables: list[Table]) -> tuple[float, tuple[str, str]]:
        found = fit(tables)
        at = seated(found, tables)
        ranks = np.array([table.ranks for table in tables])
        blocks = np.unique([int(table.block) for table in tables], return_inverse=True)[1]
        seen = surprises(expected_results(found, at), at, ranks, blocks)
        assert len(seen.sigmas) == 10
        top = int(np.abs(seen.sigmas).argmax())
        return seen.chance, (found.bots[seen.bot[top]], found.bots[seen.other[top]])

    fair = league(np.random.default_rng(5), STRENGTHS, 3, 120, luck=0)
    assert chance(fair)[0] > 0.1
    bent = []
    for table in fair:
        place = dict(zip(table.bots, table.ranks, strict=True))
        if {"b", "d"} <= place.keys() and place["b"] < place["d"]:
            place["b"], place["d"] = place["d"], place["b"]
        bent.append(Table(table.pool, table.block, table.bots, tuple(place[bot] for bot in table.bots)))
    least, pair = chance(bent)
    assert least == pytest.approx(1 / 501) and pair == ("b", "d")


@pytest.mark.parametrize(("players", "luck"), [(2, 0.0), (4, DEAL_LUCK)])
def test_false_alarms_are_no_more_than_promised(players: int, luck: float) -> None:
    """They are fewer, in truth: the fit has already come as close to the results as it could."""
    runs, alarms = 60 * MORE, 0
    for seed in range(runs):
        tables = league(np.random.default_rng(seed), STRENGTHS, players, 60, luck=luck, grain=0.3)
        found = fit(tables)
        at, ranks = seated(found, tables), np.array([table.ranks for table in tables])
        blocks = np.array([int(table.block) for table in tables])
        alarms += surprises(expected_results(found, at), at, ranks, blocks).chance <= 0.05
    assert alarms / runs <= 0.05 + bound(0.05, runs, 2.0)


def test_pairs_that_hardly_met_say_nothing() -> None:
    tables = league(np.random.default_rng(1), STRENGTHS, 5, 9)
    found = fit(tables)
    at, ranks = seated(found, tables), np.array([table.ranks for table in tables])
    seen = surprises(expected_results(found, at), at, ranks, np.arange(len(tables)) // 5)
    assert not len(seen.sigmas) and seen.chance == 1
