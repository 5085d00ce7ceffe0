"""The bench of the search: that it works, not how fast; and single iterations beside those of other runs."""

from __future__ import annotations

import pytest

import hansa_fast as hf
from benches import search
from benches.conftest import Timed

ITERATIONS = 500


def test_every_figure_is_measured() -> None:
    row = search.measure("hansa-2004", "greedy", seconds=0.02, rounds=1)
    assert min(row.one_thread, row.two_threads, row.side_by_side, row.ratio, row.processor_ratio) > 0
    assert 0 < row.playout_share < 1
    assert row.nodes_per_iteration >= 0.5
    assert row.bytes_per_node <= 128


@pytest.mark.parametrize("board", search.RULES)
def test_iterations(timed: Timed, board: str) -> None:
    state = search.position(board)

    def work() -> hf.Analysis:
        return hf.Search(f"search:iterations={ITERATIONS},playout=greedy").analyse(state)

    assert work().iterations == ITERATIONS
    timed(work, ITERATIONS, "iterations")
