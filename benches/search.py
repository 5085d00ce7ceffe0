"""Speed of the search: iterations per second on one thread, on two, and of two searches side by side.

python -m benches.search [--seconds 1] [--rounds 5] [--json]
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass

import hansa_fast as hf
from hansa_fast._search import PLAYOUT
from hansa_fast._state import POLICIES
from hansa_fast._tree import NODE_BYTES

RULES = {
    "standard-4-5": hf.Rules(board="standard-4-5", players=4),
    "hansa-2004": hf.Rules(game="hansa", players=4),
}
DECISIONS = 40  # into the game
SIDE_BY_SIDE = 2  # searches at once
PLACE_BYTES = NODE_BYTES + 4  # of a node in the pool, with the number that says where it goes when the tree is moved


@dataclass(frozen=True)
class Figures:
    """What was measured for one position and one policy of the playouts."""

    board: str
    playout: str
    one_thread: float  # iterations per second
    two_threads: float
    side_by_side: float  # of two searches in processes of their own, together
    ratio: float  # two threads : side by side
    processor_ratio: float  # the same per second of processor time, which other work on the machine disturbs less
    playout_share: float  # of the time of a search
    nodes_per_iteration: float
    bytes_per_node: int


def position(board: str) -> hf.State:
    """A position in the middle of a game, always the same."""
    state = RULES[board].new(seed=1)
    number = 0
    while number < DECISIONS or len(state.legal_actions()) < 5:
        state.apply(state.choose(number, "greedy"))
        number += 1
    return state


def think(board: str, playout: str, seconds: float, threads: int = 1) -> tuple[float, float]:
    """Iterations per second of the clock, and per second of processor time."""
    search = hf.Search(f"search:time={seconds},threads={threads},playout={playout}")
    state = position(board)
    before = time.process_time()
    found = search.analyse(state)
    if found.iterations != sum(candidate.visits for candidate in found.candidates):
        raise RuntimeError(f"{board}: {found.iterations} iterations, but other visits")
    return found.iterations / found.seconds, found.iterations / (time.process_time() - before)


class Companion:
    """A process that searches when told to."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benches.search", "--companion"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._answer()

    def __enter__(self) -> Companion:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def begin(self, board: str, playout: str, seconds: float) -> None:
        """Let it search."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([board, playout, seconds]) + "\n")
        self._process.stdin.flush()

    def end(self) -> tuple[float, float]:
        """What it found."""
        clock, processor = self._answer()
        return clock, processor

    def _answer(self) -> list[float]:
        assert self._process.stdout is not None
        values: list[float] = json.loads(self._process.stdout.readline())
        return values


def accompany() -> None:
    """The life of a companion: read what to do, do it, tell."""
    print("[]", flush=True)
    for line in sys.stdin:
        print(json.dumps(think(*json.loads(line))), flush=True)


def playout_share(board: str, playout: str, iterations: int = 2000) -> tuple[float, float]:
    """Which part of a search's time its playouts take, and how many nodes an iteration adds."""
    tree = hf.Search(f"search:playout={playout}")._trees[0]
    tree.plant(position(board), 1, False)
    tree.time_playouts()
    begin = time.perf_counter_ns()
    tree.run(iterations)
    return tree.playing / (time.perf_counter_ns() - begin), tree.size / iterations


def measure(board: str, playout: str, seconds: float, rounds: int) -> Figures:
    """All figures of one position; what is compared is measured in turn."""
    one, two, both = [], [], []
    with ExitStack() as stack:
        companions = [stack.enter_context(Companion()) for _ in range(SIDE_BY_SIDE)]
        for _ in range(rounds):
            one.append(think(board, playout, seconds))
            two.append(think(board, playout, seconds, SIDE_BY_SIDE))
            for companion in companions:
                companion.begin(board, playout, seconds)
            ends = [companion.end() for companion in companions]
            both.append((sum(clock for clock, _ in ends), statistics.mean(processor for _, processor in ends)))
    share, nodes = playout_share(board, playout)

    def median(values: list[tuple[float, float]], column: int) -> float:
        return statistics.median(value[column] for value in values)

    return Figures(
        board=board,
        playout=playout,
        one_thread=median(one, 0),
        two_threads=median(two, 0),
        side_by_side=median(both, 0),
        ratio=statistics.median(mine[0] / other[0] for mine, other in zip(two, both, strict=True)),
        processor_ratio=statistics.median(mine[1] / other[1] for mine, other in zip(two, both, strict=True)),
        playout_share=share,
        nodes_per_iteration=nodes,
        bytes_per_node=PLACE_BYTES,
    )


def run(seconds: float, rounds: int) -> Iterator[Figures]:
    """Every position with every policy that makes sense in playouts."""
    for board in RULES:
        for playout in dict.fromkeys((PLAYOUT, *POLICIES)):
            if playout != "uniform":
                yield measure(board, playout, seconds, rounds)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Speed of the search.")
    parser.add_argument("--seconds", type=float, default=1.0, help="of one search")
    parser.add_argument("--rounds", type=int, default=5, help="searches of a kind; the median counts")
    parser.add_argument("--json", action="store_true", help="for programs")
    parser.add_argument("--companion", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.companion:
        accompany()
        return
    if not options.json:
        print(
            f"{'board':14}{'playout':10}{'1 thread':>12}{'2 threads':>12}{'2 searches':>12}{'ratio':>8}"
            f"{'by processor':>14}{'playouts':>10}{'nodes/it.':>11}{'bytes/node':>12}"
        )
    found = []
    for row in run(options.seconds, options.rounds):
        found.append(asdict(row))
        if not options.json:
            print(
                f"{row.board:14}{row.playout:10}{row.one_thread:12,.0f}{row.two_threads:12,.0f}{row.side_by_side:12,.0f}"
                f"{row.ratio:8.2f}{row.processor_ratio:14.2f}{row.playout_share:10.0%}{row.nodes_per_iteration:11.2f}"
                f"{row.bytes_per_node:12}",
                flush=True,
            )
    if options.json:
        print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
