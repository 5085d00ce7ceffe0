"""What all benches share: processor time as the clock, and a note of how much work one call is."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

Timed = Callable[..., None]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Processor time disturbs less on a busy machine; where threads are timed only the wall clock tells."""
    for item in items:
        if item.get_closest_marker("benchmark") is None:
            item.add_marker(pytest.mark.benchmark(timer=time.process_time))


@pytest.fixture
def timed(benchmark: BenchmarkFixture) -> Timed:
    """`timed(work, amount, unit)` times a call of `work` that does `amount` things. Check its answer before."""

    def run(work: Callable[[], object], amount: int, unit: str) -> None:
        benchmark.extra_info.update(amount=amount, unit=unit)
        benchmark(work)

    return run
