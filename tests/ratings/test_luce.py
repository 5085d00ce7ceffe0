"""The Davidson-Luce model against the same written out."""

from __future__ import annotations

from itertools import chain, combinations, product

import numpy as np
import pytest
from scipy import optimize

from hansa_server.ratings.luce import Rankings, Steps, steps_of, tie_orders_of


def spelled_out(utilities: list[float], ranks: tuple[int, ...], ties: dict[int, float]) -> float:
    """The chance of a ranking, straight from the definition."""
    weights = np.exp(utilities)
    left = list(range(len(ranks)))
    chance = 1.0

    def mass(chosen: tuple[int, ...]) -> float:
        return float(ties.get(len(chosen), 0.0) * np.prod(weights[list(chosen)]) ** (1 / len(chosen)))

    while left:
        best = min(ranks[k] for k in left)
        place = tuple(k for k in left if ranks[k] == best)
        every = chain.from_iterable(combinations(left, size) for size in range(1, len(left) + 1))
        chance *= mass(place) / sum(mass(chosen) for chosen in every)
        left = [k for k in left if k not in place]
    return chance


def steps(ranks: tuple[int, ...], orders: tuple[int, ...]) -> list[Steps]:
    slots = np.arange(len(ranks))[None, :]
    return steps_of([Rankings.of(slots, np.array([ranks]))], orders)


def log_likelihood(parts: list[Steps], utilities: list[float], logs: list[float]) -> float:
    return sum(float(part.evaluate(np.array(utilities), np.array(logs))[0].sum()) for part in parts)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_chances_are_those_of_the_definition_and_sum_to_one(players: int) -> None:
    utilities = [0.3, -0.5, 1.1, 0.0][:players]
    ties = {1: 1.0, 2: 0.4, 3: 0.2, 4: 0.1}
    orders = tuple(range(2, players + 1))
    logs = [float(np.log(ties[order])) for order in orders]
    total = 0.0
    for ranks in product(range(players), repeat=players):
        if sorted(set(ranks)) != list(range(len(set(ranks)))):
            continue  # the same order with other numbers
        chance = float(np.exp(log_likelihood(steps(ranks, orders), utilities, logs)))
        assert chance == pytest.approx(spelled_out(utilities, ranks, ties))
        total += chance
    assert total == pytest.approx(1)


def test_orders_of_ties_that_occur() -> None:
    def orders(*ranks: tuple[int, ...]) -> tuple[int, ...]:
        return tie_orders_of([Rankings.of(np.arange(len(r))[None, :], np.array([r])) for r in ranks])

    assert orders((0, 1, 2)) == ()
    assert orders((0, 0, 1), (1, 2)) == (2,)
    assert orders((0, 0, 1), (3, 3, 3, 3, 1)) == (2, 4)


@pytest.mark.parametrize("ranks", [(1, 1, 3, 4, 5), (2, 0, 0, 0, 1), (1, 0, 1, 0, 2), (0, 1, 2, 3, 4)])
def test_gradient_and_information_are_derivatives(ranks: tuple[int, ...]) -> None:
    orders = (2, 3)
    point = np.array([0.3, -0.5, 1.1, 0.0, 0.2, -0.4, -1.0])
    parts = steps(ranks, orders)
    gradient, information = np.zeros(7), np.zeros((7, 7))
    for part in parts:
        owner = np.append(part.slots[0], [5, 6])
        chances = part.evaluate(point[:5], point[5:])[1]
        np.add.at(gradient, owner, part.gradient(chances)[0])
        for first, second, curved in zip(*part.pairs, part.information(chances)[:, 0], strict=True):
            information[owner[first], owner[second]] += curved
            information[owner[second], owner[first]] += curved if first != second else 0

    def value(x: np.typing.NDArray[np.float64]) -> float:
        return log_likelihood(parts, list(x[:5]), list(x[5:]))

    assert gradient == pytest.approx(optimize.approx_fprime(point, value, 1e-7), abs=1e-5)
    step = 1e-4
    for i, j in combinations(range(7), 2):
        ei, ej = np.eye(7)[i] * step, np.eye(7)[j] * step
        second = value(point + ei + ej) - value(point + ei - ej) - value(point - ei + ej) + value(point - ei - ej)
        assert information[i, j] == pytest.approx(-second / (4 * step**2), abs=1e-5)
