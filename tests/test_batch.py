"""Many games stepped together do what each would do alone, on any number of threads."""

from __future__ import annotations

import gc
import threading

import numpy as np
import pytest

import hansa_fast as hf
from tests.rows import RULES, row_name

GAMES = 600  # enough for two threads to share


def bits(mask: np.ndarray) -> int:
    """The words of a mask as one number."""
    return int.from_bytes(mask.astype("<u8").tobytes(), "little")


@pytest.mark.parametrize("rules", RULES, ids=row_name)
def test_a_batch_does_what_single_states_do(rules: hf.Rules) -> None:
    batch = hf.Batch(rules, 8, seed=3, turn_limit=12)
    states = [batch.state(k) for k in range(8)]
    for _ in range(400):
        if (batch.players < 0).all():
            break
        for k, state in enumerate(states):
            assert batch.players[k] == state.player
            assert batch.turns[k] == state.turn
            assert bits(batch.masks[k]) == state.legal_mask()
        actions = batch.choose()
        for k, state in enumerate(states):
            if actions[k] >= 0:
                state.apply(int(actions[k]))
        batch.step(actions)
    assert (batch.players < 0).all()
    for k, state in enumerate(states):
        assert batch.state(k) == state
        assert batch.scores[k].tolist() == [score["total"] for score in state.scores()]
        ranks = state.result()["ranks"]
        assert batch.ranks[k].tolist() == ranks
        beaten = [sum((a < b) + (a == b) / 2 for b in ranks) - 0.5 for a in ranks]
        assert batch.rewards[k].tolist() == pytest.approx([x / (len(ranks) - 1) for x in beaten])


def test_threads_change_nothing_but_the_time() -> None:
    batches = [hf.Batch(hf.Rules(players=3), GAMES, seed=5, threads=threads, turn_limit=20) for threads in (1, 2, 5)]
    for _ in range(30):
        chosen = [batch.choose() for batch in batches]
        for batch, actions in zip(batches, chosen, strict=True):
            assert (actions == chosen[0]).all()
            batch.step(actions)
    played = [batch.playout("greedy") for batch in batches]
    assert played[0] > 0
    assert len(set(played)) == 1
    for batch in batches:
        assert (batch.players == -1).all()
        assert (batch.scores == batches[0].scores).all()


@pytest.mark.parametrize("threads", [1, 2])
def test_an_illegal_action_changes_nothing(threads: int) -> None:
    batch = hf.Batch(hf.Rules(players=4), GAMES, seed=1, threads=threads)
    before = [batch.state(k) for k in range(GAMES)]
    good = batch.choose()
    for game, action in ((0, 1023), (GAMES - 1, 5000), (7, -2)):
        actions = good.astype(np.int64)
        actions[game] = action
        with pytest.raises(hf.IllegalActionError, match=f"game {game}: action {action} is not legal"):
            batch.step(actions)
    assert [batch.state(k) for k in range(GAMES)] == before
    batch.step(np.full(GAMES, -1))
    assert [batch.state(k) for k in range(GAMES)] == before
    batch.step(good)
    assert [batch.state(k) for k in range(GAMES)] != before


def test_wrong_arguments_are_named() -> None:
    rules = hf.Rules(game="hansa", players=2)
    for wrong in ({"n": 0}, {"n": "4"}, {"n": 4, "threads": 0}):
        with pytest.raises(ValueError, match="must be a whole number of at least 1"):
            hf.Batch(rules, **wrong)
    batch = hf.Batch(rules, 4)
    for actions in ([1, 2], [0.5] * 4, [[1]] * 4):
        with pytest.raises(ValueError, match="4 whole numbers"):
            batch.step(actions)
    with pytest.raises(IndexError, match="no game 4 among 4"):
        batch.state(4)
    with pytest.raises(IndexError, match="no game -1"):
        batch.reset([0, -1])
    with pytest.raises(ValueError, match="policy"):
        batch.choose("clever")


def test_arrays_are_views_that_cannot_be_written() -> None:
    batch = hf.Batch(hf.Rules(players=3), 2, seed=1)
    masks, players = batch.masks, batch.players
    before = masks.copy()
    batch.step(batch.choose())
    assert (masks != before).any()
    assert masks is batch.masks
    with pytest.raises(ValueError, match="read-only"):
        players[0] = 3


def test_reset_begins_other_games() -> None:
    batch = hf.Batch(hf.Rules(players=3), 4, seed=1, turn_limit=5)
    first = [batch.state(k) for k in range(4)]
    assert len(set(first)) == 4
    batch.playout()
    batch.reset([1, 3])
    assert batch.players.tolist() == [-1, 0, -1, 0]
    assert batch.scores[1].tolist() == [0, 0, 0]
    assert batch.state(1) != first[1]
    assert batch.state(1).turn == 0
    again = hf.Batch(hf.Rules(players=3), 4, seed=1, turn_limit=5)
    assert [again.state(k) for k in range(4)] == first


def test_threads_end_with_their_batch() -> None:
    before = set(threading.enumerate())
    batch = hf.Batch(hf.Rules(players=3), GAMES, threads=4)
    batch.step(batch.choose())
    crew = set(threading.enumerate()) - before
    assert len(crew) == 3
    del batch
    gc.collect()
    for thread in crew:
        thread.join(timeout=60)
        assert not thread.is_alive()
