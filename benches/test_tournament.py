"""The measuring of tournaments itself, on small ones."""

from __future__ import annotations

from pathlib import Path

from benches import tournament


def test_overhead_comes_out_of_the_same_games() -> None:
    found = tournament.in_process("greedy", rounds=1, length=2)
    assert found["games"] == 8
    assert all(found[name] > 0 for name in ("tournament", "asked", "whole"))


def test_both_kinds_of_matches_are_played_over_grpc() -> None:
    found = tournament.over_grpc(rounds=1, seconds=0.5)
    assert found["arena"] > 0 and found["tournament"] > 0


def test_calls_are_answered_while_it_plays() -> None:
    found = tournament.while_playing(1.0)
    assert found["games"] > 0 and found["calls"] > 0
    assert found["standings"] > 0 and found["status"] > 0


def test_a_large_event_answers(tmp_path: Path) -> None:
    found = tournament.answers(str(tmp_path / "large.db"), 800)
    assert found["games"] == 800
    assert all(found[name] > 0 for name in ("standings", "status", "crosstable", "matches"))
