"""Speed of many games at once, on one thread and on two. Wall time: processor time counts both threads."""

from __future__ import annotations

import time

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import hansa_fast as hf
from benches.conftest import Timed
from hansa_fast._measure import BATCH_DECISIONS, BATCH_GAMES, GAMES, MAIN, SEED, STEPS, batch_steps

pytestmark = [pytest.mark.benchmark(timer=time.perf_counter), pytest.mark.parametrize("threads", [1, 2])]


def test_batch_playout(benchmark: BenchmarkFixture, threads: int) -> None:
    batch = hf.Batch(MAIN.rules(), BATCH_GAMES, 1, threads=threads)
    assert batch.playout() == BATCH_DECISIONS
    benchmark.extra_info.update(amount=BATCH_DECISIONS, unit="decisions")  # of the first games; others differ by < 1 %
    benchmark.pedantic(batch.playout, setup=batch.reset, rounds=5)  # type: ignore[no-untyped-call]


def test_batch_steps(timed: Timed, threads: int) -> None:
    batch = hf.Batch(MAIN.rules(), BATCH_GAMES, 1, threads=threads, turn_limit=1_000_000)
    assert batch_steps(batch, STEPS) == STEPS * BATCH_GAMES
    timed(lambda: batch_steps(batch, STEPS), STEPS * BATCH_GAMES, "decisions")


def test_batch_reset(timed: Timed, threads: int) -> None:
    batch = hf.Batch(MAIN.rules(), BATCH_GAMES, 1, threads=threads)
    batch.playout()
    assert (batch.players == -1).all()
    batch.reset()
    assert (batch.players == 0).all()
    timed(batch.reset, BATCH_GAMES, "games")


def test_playouts_by_threads(timed: Timed, threads: int) -> None:
    state = MAIN.rules().new(SEED)
    assert hf.playouts(state, GAMES, 1, threads=threads)["decisions"] == MAIN.uniform
    timed(lambda: hf.playouts(state, GAMES, 1, threads=threads), MAIN.uniform, "decisions")
