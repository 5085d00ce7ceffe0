"""Tables by chance, from bots whose strength is known.

A bot does as well as its strength, its seat, the luck of the deal for that seat and its luck of the day have it; the
luck of the deal is the same in all games of a block. Without it the order of a table is that of Plackett and Luce.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from hansa_server.ratings import Table
from hansa_server.ratings.luce import Floats

DEAL_LUCK = 1.4  # strong: it shrinks the apparent differences by about a third
SEATS = np.array([0.5, 0.2, 0.0, -0.3, -0.4])
MORE = int(os.environ.get("HANSA_SIMULATIONS", "1"))  # that many times as many simulations, and tighter bounds


def bound(expected: float, runs: int, sigmas: float = 3.5) -> float:
    """How far a share of so many runs may be from what is expected of it."""
    return float(sigmas * np.sqrt(expected * (1 - expected) / runs))


def ranks_of(performance: Floats, grain: float = 0.0) -> tuple[int, ...]:
    """Places by performance, the highest first; what is the same in whole grains is a tie."""
    if grain:
        performance = np.floor(performance / grain)
    return tuple(int((performance > value).sum()) for value in performance)


def league(
    rng: np.random.Generator,
    strengths: dict[str, float],
    players: int,
    blocks: int,
    luck: float = DEAL_LUCK,
    grain: float = 0.0,
) -> list[Table]:
    """Blocks of as many games as players: one deal, and every bot once in every seat."""
    names = list(strengths)
    tables = []
    for block in range(blocks):
        bots = rng.permutation(len(names))[:players]
        deal = luck * rng.standard_normal(players) + SEATS[:players]
        day = rng.gumbel(size=(players, players))
        for turn in range(players):
            seated = [names[k] for k in np.roll(bots, turn)]
            performance = deal + day[turn] + [strengths[bot] for bot in seated]
            tables.append(Table("pool", str(block), tuple(seated), ranks_of(performance, grain)))
    return tables


def random_tables(rng: np.random.Generator, strengths: dict[str, float], players: int, games: int) -> list[Table]:
    """Games with a deal each, seats by lot, and no luck of the deal."""
    names = list(strengths)
    tables = []
    for game in range(games):
        seated = [names[k] for k in rng.permutation(len(names))[:players]]
        performance = SEATS[:players] + rng.gumbel(size=players) + [strengths[bot] for bot in seated]
        tables.append(Table("pool", str(game), tuple(seated), ranks_of(performance)))
    return tables


def ahead(performance: Floats, is_a: Sequence[bool]) -> Floats:
    """The share of pairs in which A is ahead of B: performance [..., seats]."""
    a = [k for k, mine in enumerate(is_a) if mine]
    b = [k for k, mine in enumerate(is_a) if not mine]
    share: Floats = (performance[..., a][..., :, None] > performance[..., b][..., None, :]).mean(axis=(-1, -2))
    return share


def arrangement(players: int) -> list[bool]:
    """Who is A: every other seat."""
    return [seat % 2 == 0 for seat in range(players)]


def play_blocks(rng: np.random.Generator, players: int, shape: tuple[int, ...], gap: float = 0.0) -> Floats:
    """Scores of blocks of A against B, stronger by `gap`: a seating and its complement with the same deal."""
    is_a = np.array(arrangement(players))
    deal = DEAL_LUCK * rng.standard_normal((*shape, players)) + SEATS[:players]
    one = ahead(deal + rng.gumbel(size=(*shape, players)) + gap * is_a, list(is_a))
    two = ahead(deal + rng.gumbel(size=(*shape, players)) + gap * ~is_a, list(~is_a))
    return (one + two) / 2
