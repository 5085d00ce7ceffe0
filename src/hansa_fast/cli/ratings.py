"""Ladder Elo at tables of any size, and how far it would differ had other games been played."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import stdev

START = 1500.0
PROVISIONAL_GAMES = 30
RESAMPLES = 300


@dataclass(frozen=True)
class Result:
    """The names at the table by seat, all different, and the place of each; equal places are shared."""

    names: tuple[str, ...]
    ranks: tuple[int, ...]

    def pairs(self, name: str) -> list[tuple[str, float]]:
        """Everybody else at the table, with 1 for finishing ahead of them, a half for the same place, 0 for behind."""
        mine = self.ranks[self.names.index(name)]
        others = [(other, rank) for other, rank in zip(self.names, self.ranks, strict=True) if other != name]
        return [(other, 0.5 if rank == mine else float(mine < rank)) for other, rank in others]

    def place_score(self, name: str) -> float:
        """The share of the others that a name finished ahead of."""
        pairs = self.pairs(name)
        return sum(score for _, score in pairs) / len(pairs)


def expected(mine: float, other: float) -> float:
    """The chance to finish ahead of somebody with this rating."""
    return float(1 / (1 + 10 ** ((other - mine) / 400)))


def step_size(games: int) -> float:
    """The largest change of a rating by one game: less and less as games are played."""
    return 32.0 if games < PROVISIONAL_GAMES else 16.0 if games < 100 else 8.0


def ladder(results: Iterable[Result]) -> dict[str, float]:
    """Elo after these games in this order.

    Everybody meets everybody else at the table, all with their ratings before the game. The sum over the others is
    divided by their number, so that a game moves a rating by at most the step size however many play.
    """
    ratings: dict[str, float] = {}
    games: Counter[str] = Counter()
    for result in results:
        before = {name: ratings.setdefault(name, START) for name in result.names}
        for name in result.names:
            change = sum(score - expected(before[name], before[other]) for other, score in result.pairs(name))
            ratings[name] += step_size(games[name]) * change / (len(result.names) - 1)
        games.update(result.names)
    return ratings


def errors(blocks: Sequence[Sequence[Result]], seed: int = 0) -> dict[str, float | None]:
    """Half the width of a 95 % interval of each rating: 1.96 standard deviations over blocks drawn again.

    Games of a block share a deal and their seats balance each other, so the block is what is drawn, never the game.
    With fewer than two blocks of a name there is nothing to compare: None.
    """
    generator = random.Random(seed)
    seen: dict[str, list[float]] = {}
    for _ in range(RESAMPLES):
        sample = generator.choices(blocks, k=len(blocks))
        for name, rating in ladder(chain.from_iterable(sample)).items():
            seen.setdefault(name, []).append(rating)
    count = Counter(name for block in blocks for name in {name for result in block for name in result.names})
    return {name: 1.96 * stdev(seen[name]) if count[name] > 1 else None for name in count}
