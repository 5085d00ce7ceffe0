"""Speed of the compiled core: playouts, perft, legal actions, copies."""

from __future__ import annotations

from functools import partial

import pytest

import hansa_fast as hf
from benches.conftest import Timed
from hansa_fast import _state
from hansa_fast._measure import GAMES, HANSA, MAIN, MIDDLE_DEPTH, MIDDLE_LEAVES, SEED, TABLES, Table, middle_game

IDS = [table.label.replace(", ", "-").replace(" ", "-") for table in TABLES]


@pytest.mark.parametrize("table", TABLES, ids=IDS)
@pytest.mark.parametrize("policy", ["uniform", "greedy"])
def test_playouts(timed: Timed, table: Table, policy: str) -> None:
    play = partial(hf.playouts, table.rules().new(SEED), GAMES, 1, policy=policy)
    decisions: int = getattr(table, policy)
    assert play()["decisions"] == decisions
    timed(play, decisions, "decisions")


@pytest.mark.parametrize("table", TABLES, ids=IDS)
def test_perft(timed: Timed, table: Table) -> None:
    count = partial(hf.perft, table.rules().new(SEED), 4)
    assert count() == table.perft4
    timed(count, table.perft4, "leaves")


@pytest.mark.parametrize("table", [MAIN, HANSA], ids=lambda table: table.game)
def test_perft_middle_game(timed: Timed, table: Table) -> None:
    moves, leaves = 120, MIDDLE_LEAVES[table][120]
    count = partial(hf.perft, middle_game(moves, table), MIDDLE_DEPTH[table])
    assert count() == leaves
    timed(count, leaves, "leaves")


def test_legal_actions_of_a_fresh_copy(timed: Timed) -> None:
    state = middle_game()
    actions = state.legal_actions()
    assert len(actions) == hf.perft(state, 1) == 215
    assert sum(1 << action for action in actions) == state.legal_mask()
    timed(lambda: state.copy().legal_actions(), 1, "lists")


def test_legal_mask_of_a_fresh_copy(timed: Timed) -> None:
    state = middle_game()
    assert [a for a in range(1024) if state.legal_mask() >> a & 1] == state.legal_actions()
    timed(lambda: state.copy().legal_mask(), 1, "masks")


def test_copy(timed: Timed) -> None:
    state = middle_game()
    twin = state.copy()
    twin.apply(twin.legal_actions()[0])
    assert twin != state == state.copy()
    timed(state.copy, 1, "copies")


@pytest.mark.parametrize("how", ["core", "memcpy"])
def test_copy_in_c(timed: Timed, how: str) -> None:
    state = middle_game()
    copies = partial(_state._copy_rounds, state, 10_000, how == "memcpy")
    assert copies() == state
    timed(copies, 10_000, "copies")


def test_new_game(timed: Timed) -> None:
    rules = MAIN.rules()
    assert rules.new(SEED) == rules.new(SEED) != rules.new(SEED + 1)
    timed(partial(rules.new, SEED), 1, "games")
