"""The same games in plain Python, through the public methods, and inside the core: what the core is worth."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from benches.conftest import Timed
from benches.same_game import SameGame, decisions, same_games
from hansa_fast._measure import HANSA, MAIN, Table

DECISIONS = {MAIN: 4124, HANSA: 963}
WAYS = [SameGame.by_reference, SameGame.by_api, SameGame.in_core]


@pytest.mark.parametrize("table", DECISIONS, ids=lambda table: table.game)
@pytest.mark.parametrize("how", WAYS, ids=lambda how: how.__name__)
def test_same_games(timed: Timed, how: Callable[[SameGame], object], table: Table) -> None:
    games = same_games(table)  # which checks them in all three ways
    assert decisions(table) == DECISIONS[table]
    timed(lambda: [how(game) for game in games], DECISIONS[table], "decisions")
