"""The measuring of the arena itself: both servers answer, and a small load leaves no error behind."""

from __future__ import annotations

from benches import arena, load


def test_decisions_beside_the_floor() -> None:
    """Figures come out of both servers; `arena_rate` fails by itself if an answer is refused."""
    rows = arena.measure(rounds=1, seconds=0.3)
    assert [row["games"] for row in rows] == [1, 64]
    assert all(row["floor"] > 0 and row["arena"] > 0 for row in rows)


def test_a_small_load() -> None:
    report = load.run(bots=40, matches=8, seconds=3)
    assert report["errors"] == []
    assert report["decisions_per_second"] > 0
    assert report["wait_p99_ms"] >= report["wait_p50_ms"] > 0
    assert report["memory_end_mb"] < 2 * report["memory_warm_mb"]
