"""Tables by chance, from bots whose strength is known.

A bot does as well as its strength, its seat, the luck of the deal for that seat and its luck of the day have it; the
luck of the deal is the same in all games of a block. Without it the order of a table is that of Plackett and Luce.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from hansa_server.ratings import Table
from hansa_server.ratings.luce import Floats

DEAL_LUCK = 1.2  # it shrinks the apparent differences by about a third
SEATS = np.array([0.5, 0.2, 0.0, -0.3, -0.4])
MORE = int(os.environ.get("HANSA_SIMULATIONS", "1"))  # that many times as many simulations: bounds get tighter


def league(
    rng: np.random.Generator,
    strengths: dict[str, float],
    players: int,
    blocks: int,
    luck: float = DEAL_LUCK,
    grain: float = 0.0,
) -> list[Table]:
    """Blocks of as many games as players: one deal, and every bot once in every seat."""
    names, values = list(strengths), np.array(list(strengths.values()))
    drawn = np.argsort(rng.random((blocks, len(names))), axis=1)[:, :players]
    deals = luck * rng.standard_normal((blocks, players)) + SEATS[:players]
    turns = (np.arange(players) - np.arange(players)[:, None]) % players  # [game, seat]
    seated = drawn[:, turns]
    performance = deals[:, None] + rng.gumbel(size=seated.shape) + values[seated]
    return tables_of(names, seated, places(performance, grain))


def places(performance: Floats, grain: float = 0.0) -> npt.NDArray[np.intp]:
    """Places by performance, the highest first; what is the same in whole grains is a tie."""
    if grain:
        performance = np.floor(performance / grain)
    return np.asarray((performance[..., None, :] > performance[..., :, None]).sum(axis=-1))


def tables_of(names: Sequence[str], seated: npt.NDArray[np.intp], ranks: npt.NDArray[np.intp]) -> list[Table]:
    """From [block, game, seat]."""
    bots = np.array(names)[seated].tolist()
    return [
        Table("pool", str(block), tuple(who), tuple(where))
        for block, games in enumerate(zip(bots, ranks.tolist(), strict=True))
        for who, where in zip(*games, strict=True)
    ]


def random_tables(rng: np.random.Generator, strengths: dict[str, float], players: int, games: int) -> list[Table]:
    """Games with a deal each, seats by lot, and no luck of the deal."""
    names = list(strengths)
    seated = np.argsort(rng.random((games, 1, len(names))), axis=-1)[..., :players]
    strength = np.array([strengths[name] for name in names])
    return tables_of(names, seated, places(SEATS[:players] + rng.gumbel(size=seated.shape) + strength[seated]))


def bound(expected: float, runs: int, sigmas: float = 3.5) -> float:
    """How far a share of so many runs may be from what is expected of it."""
    return float(sigmas * np.sqrt(expected * (1 - expected) / runs))


def ahead(performance: Floats, is_a: Sequence[bool]) -> Floats:
    """The share of pairs in which A is ahead of B: performance [..., seats]."""
    a = [k for k, mine in enumerate(is_a) if mine]
    b = [k for k, mine in enumerate(is_a) if not mine]
    share = np.zeros(performance.shape[:-1])
    for i in a:
        for j in b:
            share += performance[..., i] > performance[..., j]
    return share / (len(a) * len(b))


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
