"""A short run of the fuzzer; `python -m tests.fuzz --minutes N` runs it as long as asked, always with new input."""

from __future__ import annotations

import pytest

from tests.fuzz import TARGETS, run_trial

# Trials of each target, and how many of them must at least be accepted and be refused: else the fuzzer has gone dull.
TRIALS = {
    "dict": (600, 3, 400),
    "position": (450, 80, 150),
    "bytes": (900, 20, 500),
    "parse": (500, 2, 400),
    "rules": (500, 50, 200),
    "setup": (200, 30, 80),
    "record": (400, 30, 200),
}


def test_every_target_is_tried() -> None:
    assert set(TRIALS) == set(TARGETS)


@pytest.mark.parametrize("part", range(3))
@pytest.mark.parametrize("target", TRIALS)
def test_broken_input_is_refused_or_can_be_played(target: str, part: int) -> None:
    trials, accepted, refused = TRIALS[target]
    results = [run_trial(target, number) for number in range(part, trials, 3)]
    assert sum(results) >= accepted // 3
    assert len(results) - sum(results) >= refused // 3
