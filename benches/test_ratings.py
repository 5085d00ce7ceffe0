"""How long the joint fit takes: 200 bots and 100,000 tables of five."""

from __future__ import annotations

import numpy as np
from pytest_benchmark.fixture import BenchmarkFixture

from hansa_server.ratings import Table, fit
from hansa_server.ratings.elo import PER_LOG_ODDS

BOTS, BLOCKS, PLAYERS = 200, 20_000, 5


def season() -> tuple[list[Table], list[float]]:
    """Rotated blocks of bots whose strength is known, with some ties."""
    rng = np.random.default_rng(1)
    strengths = rng.standard_normal(BOTS)
    names = [f"bot {k:03}" for k in range(BOTS)]
    tables = []
    for block in range(BLOCKS):
        bots = rng.choice(BOTS, PLAYERS, replace=False)
        for turn in range(PLAYERS):
            seated = np.roll(bots, turn)
            score = np.round(10 * (strengths[seated] + rng.gumbel(size=PLAYERS)))
            places = tuple(int(place) for place in -score)
            tables.append(Table("season", str(block), tuple(names[k] for k in seated), places))
    return tables, strengths.tolist()


def test_joint_fit(benchmark: BenchmarkFixture) -> None:
    """Once: it takes seconds."""
    tables, strengths = season()
    benchmark.extra_info.update(amount=len(tables), unit="table")
    found = benchmark.pedantic(fit, args=(tables,), rounds=1)  # type: ignore[no-untyped-call]
    true = PER_LOG_ODDS * (np.array(strengths) - np.mean(strengths))
    assert np.abs(found.ratings - found.ratings.mean() - true).max() < 60
    assert len(found.components) == 1
