"""Games played by the plain Python engine and by the core: the same decisions, each with all legal actions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import hansa_fast as hf
from hansa_fast._measure import Table
from tests.reference import Reference, reference_at

STEP = 0x9E3779B97F4A7C15  # by which the generator moves on at every decision (docs/formats.md)
SEEDS = (11, 12, 13)


@dataclass(frozen=True)
class SameGame:
    """A uniformly random game from `start`, in the words of both engines."""

    seed: int
    start: hf.State
    actions: tuple[int, ...]
    texts: tuple[str, ...]
    end: hf.State

    def by_reference(self) -> Reference:
        """The whole game in plain Python."""
        game = reference_at(self.start.rules, self.start.to_dict())
        for text in self.texts:
            game.legal()
            game.apply(text)
        return game

    def by_api(self) -> hf.State:
        """The whole game through the public methods of the core."""
        state = self.start.copy()
        for action in self.actions:
            state.legal_actions()
            state.apply(action)
        return state

    def in_core(self) -> tuple[hf.State, int]:
        """The whole game inside the core, which draws the very same actions."""
        return hf.playout(self.start, self.seed)


def play(table: Table, seed: int) -> SameGame:
    """Play a game decision by decision; at each of them both engines must offer the same actions."""
    start = table.rules().new(seed)
    state, reference = start.copy(), reference_at(start.rules, start.to_dict())
    actions: list[int] = []
    texts: list[str] = []
    while not state.is_over:
        action = state.choose((seed + len(actions) * STEP) % 2**64, "uniform")
        assert sorted(map(state.describe, state.legal_actions())) == reference.legal()
        actions.append(action)
        texts.append(state.describe(action))
        state.apply(action)
        reference.apply(texts[-1])
    assert reference.to_dict() == state.to_dict()
    return SameGame(seed, start, tuple(actions), tuple(texts), state)


@cache
def same_games(table: Table) -> tuple[SameGame, ...]:
    """The games, checked."""
    games = tuple(play(table, seed) for seed in SEEDS)
    for game in games:
        assert game.by_reference().to_dict() == game.end.to_dict()
        assert game.by_api() == game.end
        assert game.in_core() == (game.end, len(game.actions))
    return games


def decisions(table: Table) -> int:
    """Of all the games together."""
    return sum(len(game.actions) for game in same_games(table))
