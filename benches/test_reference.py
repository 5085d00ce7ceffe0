"""The same games in plain Python, through the public methods, and inside the core: what the core is worth."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from benches.conftest import Timed
from benches.same_game import SameGame, decisions, same_games

DECISIONS = 4124
WAYS = [SameGame.by_reference, SameGame.by_api, SameGame.in_core]


@pytest.mark.parametrize(
    "how", [SameGame.by_reference, SameGame.by_api, SameGame.in_core], ids=lambda how: how.__name__
)
def test_same_games(timed: Timed, how: Callable[[SameGame], object]) -> None:
    games = same_games()  # which checks them in all three ways
    assert decisions() == DECISIONS
    timed(lambda: [how(game) for game in games], DECISIONS, "decisions")
