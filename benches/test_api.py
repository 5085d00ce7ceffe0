"""Speed of what bots and tools call from Python."""

from __future__ import annotations

from functools import cache, partial

import pytest

import hansa_fast as hf
from benches.conftest import Timed
from hansa_fast._measure import API_DECISIONS, API_GAMES, MAIN, SEED, Table, api_loop, middle_game


@cache
def finished_game() -> hf.Game:
    game = hf.Game(MAIN.rules(), seed=SEED)
    while not game.state.is_over:
        game.play(game.state.choose(len(game), "greedy"))
    return game


@pytest.mark.parametrize("table", API_DECISIONS, ids=lambda table: table.game)
def test_python_loop(timed: Timed, table: Table) -> None:
    loop = partial(api_loop, table.rules(), API_GAMES)
    assert loop() == API_DECISIONS[table]
    timed(loop, API_DECISIONS[table], "decisions")


def test_view(timed: Timed) -> None:
    state = middle_game()
    seen = state.view(1)
    assert seen.is_view
    assert seen.to_dict()["pile"] != state.to_dict()["pile"]
    timed(partial(state.view, 1), 1, "views")


def test_redeal(timed: Timed) -> None:
    state = middle_game()
    dealt = state.redeal(1, 3)
    assert not dealt.is_view
    assert dealt.view(1) == state.view(1)
    timed(partial(state.redeal, 1, 3), 1, "redeals")


def test_to_bytes(timed: Timed) -> None:
    state = middle_game()
    assert hf.State.from_bytes(state.rules, state.to_bytes()) == state
    timed(state.to_bytes, 1, "states")


def test_from_bytes(timed: Timed) -> None:
    state = middle_game()
    read = partial(hf.State.from_bytes, state.rules, state.to_bytes())
    assert read() == state
    timed(read, 1, "states")


def test_to_dict(timed: Timed) -> None:
    state = middle_game()
    assert hf.State.from_dict(state.rules, state.to_dict()) == state
    timed(state.to_dict, 1, "states")


def test_from_dict(timed: Timed) -> None:
    state = middle_game()
    read = partial(hf.State.from_dict, state.rules, state.to_dict())
    assert read() == state
    timed(read, 1, "states")


def test_describe(timed: Timed) -> None:
    state = middle_game()
    actions = state.legal_actions()
    texts = [state.describe(action) for action in actions]
    assert len(set(texts)) == len(actions)
    timed(lambda: [state.describe(action) for action in actions], len(actions), "texts")


def test_parse(timed: Timed) -> None:
    state = middle_game()
    action = state.legal_actions()[-1]
    read = partial(state.parse, state.describe(action))
    assert read() == action
    timed(read, 1, "texts")


def test_scores(timed: Timed) -> None:
    state = finished_game().state
    assert [seat["total"] for seat in state.scores()] == [seat["total"] for seat in state.result()["scores"]]
    timed(state.scores, 1, "tables")


def test_record_to_text(timed: Timed) -> None:
    game = finished_game()
    assert hf.Game.from_text(game.to_text()) == game
    timed(game.to_text, len(game), "decisions")


def test_record_load(timed: Timed) -> None:
    game = finished_game()
    read = partial(hf.Game.from_text, game.to_text())
    assert read() == game
    timed(read, len(game), "decisions")
