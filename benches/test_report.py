"""How long all numbers of a tournament take: 200 bots and 100,000 tables of five, with forfeits (so two joint fits)."""

from __future__ import annotations

from pytest_benchmark.fixture import BenchmarkFixture

from benches.test_ratings import season
from hansa_fast import Rules
from hansa_server.tournament.numbers import numbers
from tests.tournament.chronicles import chronicle_of


def test_numbers(benchmark: BenchmarkFixture) -> None:
    """Once: it takes seconds."""
    tables, _ = season()
    event = chronicle_of({Rules(players=5): tables}, lost=lambda game, _: {} if game % 50 else {0: "timeout"})
    benchmark.extra_info.update(amount=len(tables), unit="table")
    found = benchmark.pedantic(numbers, args=(event,), rounds=1)  # type: ignore[no-untyped-call]
    pool = found["pools"][0]
    assert pool["rated"] and len(pool["standings"]) == 200 and pool["forfeits"]["games"] == 2000
