"""What `hansa bench` prints: how fast the core is on this machine, each figure checked before it is timed.

One core is measured in processor time, so that other programs on the machine disturb little; several cores in wall
time, the rivals in turn, again and again. Every figure is a median.
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import IO, NamedTuple

from hansa_fast._batch import Batch
from hansa_fast._rules import Rules
from hansa_fast._state import State, _copy_rounds, perft, playouts

Progress = Callable[[str, int, int], None]

TURN_LIMIT = 300  # uniformly random games hardly end by themselves
SEED = 7  # of the set-up
GAMES = 200  # whose decisions are known, below


@dataclass(frozen=True)
class Row:
    """One figure."""

    name: str
    value: float
    unit: str
    note: str


class Table(NamedTuple):
    """A board with its known answers for the set-up SEED."""

    board: str
    players: int
    uniform: int  # decisions of GAMES playouts, seed 1
    greedy: int
    perft4: int
    game: str = "teutonica"

    @property
    def label(self) -> str:
        return f"{self.board}, {self.players} players"

    def rules(self) -> Rules:
        return Rules(game=self.game, board=self.board, players=self.players, turn_limit=TURN_LIMIT)


TABLES = (
    Table("standard-3", 3, 272_371, 40_194, 13_144_860),
    Table("standard-4-5", 4, 271_633, 41_914, 15_576_318),
    Table("standard-4-5", 5, 271_912, 40_790, 15_576_318),
    Table("east", 4, 271_799, 48_583, 10_760_592),
    Table("britannia-3", 3, 272_011, 45_495, 8_472_019),
    Table("britannia-4-5", 4, 273_336, 50_225, 7_380_995),
    Table("hansa-2004", 2, 45_485, 31_252, 3_136, "hansa"),
    Table("hansa-2004", 3, 59_049, 41_296, 3_584, "hansa"),
    Table("hansa-2004", 4, 74_602, 51_608, 4_096, "hansa"),
)
MAIN, HANSA = TABLES[1], TABLES[7]
API_GAMES, API_DECISIONS = 20, {MAIN: 27_098, HANSA: 5_911}
OPENING_DEPTH, OPENING_LEAVES = 5, 1_288_988_051
MIDDLE_DEPTH = {MAIN: 5, HANSA: 11}
MIDDLE_LEAVES = {  # after so many decisions of the greedy policy: every twentieth of a game, none picked
    MAIN: {
        20: 3_556_196,
        40: 11_291_701,
        60: 11_403_159,
        80: 373_129_987,
        100: 2_548_727,
        120: 26_587_878,
        140: 1_736_863,
    },
    HANSA: {
        20: 388_587,
        40: 645_130,
        60: 740_296,
        80: 207_431,
        100: 2_078_574,
        120: 665_619,
        140: 37_761,
    },
}
BATCH_GAMES, BATCH_DECISIONS = 1024, 1_395_731
STEP_GAMES, STEPS = 4096, 50


def run(progress: Progress | None = None, quick: bool = False) -> list[Row]:
    """Measure everything. `quick` times each figure only once, to see that all answers are right."""
    rounds = 1 if quick else 7
    parts: list[tuple[str, Callable[[int], list[Row]]]] = [
        *((f"playouts, {table.label}", partial(_playout_rows, table)) for table in TABLES),
        ("Python loop", _api_rows),
        ("perft", lambda n: _perft_rows(min(n, 3))),
        ("copying", _copy_rows),
        ("playouts on 2 threads", _playouts_scaling),
        ("Batch on 2 threads", _batch_scaling),
        ("Batch step by step on 2 threads", _step_scaling),
    ]
    rows: list[Row] = []
    for done, (name, part) in enumerate(parts):
        if progress:
            progress(name, done, len(parts))
        rows += part(rounds)
    if progress:
        progress("done", len(parts), len(parts))
    return rows


def _check(name: str, got: object, expected: object) -> None:
    if got != expected:
        raise RuntimeError(f"{name}: the answer is {got}, not {expected}; nothing was timed")


def _seconds(work: Callable[[], object], rounds: int) -> float:
    """Processor seconds of one call."""
    times = []
    for _ in range(rounds):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return max(median(times), 1e-9)


# -- One core ----------------------------------------------------------------------------------------------------------


def _playout_rows(table: Table, rounds: int) -> list[Row]:
    state = table.rules().new(SEED)
    rows = []
    for policy, decisions in (("uniform", table.uniform), ("greedy", table.greedy)):
        name = f"playouts {policy}, {table.label}"
        play = partial(playouts, state, GAMES, 1, policy=policy)
        _check(name, play()["decisions"], decisions)
        rate = decisions / _seconds(play, rounds)
        rows.append(Row(name, rate, "decisions/s", "1 core, all legal actions at every decision"))
    return rows


def api_loop(rules: Rules, games: int) -> int:
    """Uniformly random games through the public methods; returns the decisions."""
    decisions = 0
    for seed in range(games):
        state = rules.new(seed)
        uniform = random.Random(seed).random
        while not state.is_over:
            actions = state.legal_actions()
            state.apply(actions[int(uniform() * len(actions))])
            decisions += 1
    return decisions


def _api_rows(rounds: int) -> list[Row]:
    rows = []
    for table, decisions in API_DECISIONS.items():
        name, loop = f"Python loop, {table.label}", partial(api_loop, table.rules(), API_GAMES)
        _check(name, loop(), decisions)
        rate = decisions / _seconds(loop, rounds)
        rows.append(Row(name, rate, "decisions/s", "legal_actions() as a list, random choice, apply()"))
    return rows


def middle_game(moves: int = 60, table: Table = MAIN) -> State:
    """The position after so many decisions of the greedy policy."""
    state = table.rules().new(SEED)
    for seed in range(moves):
        state.apply(state.choose(seed, "greedy"))
    return state


def _perft_rows(rounds: int) -> list[Row]:
    for table in TABLES:
        _check(f"perft 4, {table.label}", perft(table.rules().new(SEED), 4), table.perft4)
    opening = MAIN.rules().new(SEED)
    _check("perft, opening", perft(opening, OPENING_DEPTH), OPENING_LEAVES)
    rate = OPENING_LEAVES / _seconds(partial(perft, opening, OPENING_DEPTH), rounds)
    rows = [Row(f"perft {OPENING_DEPTH}, opening", rate, "leaves/s", "1 core, last decision counted and not played")]
    return rows + [row for table in MIDDLE_LEAVES for row in _middle_rows(table, rounds)]


def _middle_rows(table: Table, rounds: int) -> list[Row]:
    depth, leaves = MIDDLE_DEPTH[table], MIDDLE_LEAVES[table]
    times = {}
    for moves, count in leaves.items():
        state = middle_game(moves, table)
        _check(f"perft, {table.label}, after {moves} decisions", perft(state, depth), count)
        times[moves] = _seconds(partial(perft, state, depth), rounds)
    slowest = min(leaves[moves] / times[moves] for moves in times)
    together = sum(leaves.values()) / sum(times.values())
    name = f"perft {depth}, {len(times)} middle games, {table.label}"
    return [
        Row(f"{name}, together", together, "leaves/s", "all leaves by all the time"),
        Row(f"{name}, slowest", slowest, "leaves/s", "the position with the lowest rate"),
    ]


def _copy_rows(rounds: int) -> list[Row]:
    state = middle_game()
    data = bytearray(state.to_bytes()[-state_bytes(state) :])
    n, m = 1_000_000, 100_000

    def objects() -> None:
        copy = state.copy
        for _ in range(m):
            copy()

    def buffers() -> None:
        copy = data.copy
        for _ in range(m):
            copy()

    _check("copy", _copy_rounds(state, 1000, False), state)
    _check("memcpy", _copy_rounds(state, 1000, True), state)
    _check("State.copy()", state.copy(), state)
    works: list[Callable[[], object]] = [
        lambda: _copy_rounds(state, n, False),
        lambda: _copy_rounds(state, n, True),
        objects,
        buffers,
    ]
    times: list[list[float]] = [[], [], [], []]
    for _ in range(rounds):  # in turn, so that a slow moment meets all of them
        for work, mine in zip(works, times, strict=True):
            mine.append(_seconds(work, 1))
    core, plain, whole, buffer = (median(mine) for mine in times)
    size = f"{len(data)} bytes"
    return [
        Row("state", len(data), "bytes", "at most 512"),
        Row("copy in the core", core / n * 1e9, "ns", f"{size}, as playouts do it"),
        Row("memcpy", plain / n * 1e9, "ns", f"{size}, the same loop"),
        Row("copy : memcpy", core / plain, "ratio", "to be under 3"),
        Row("State.copy()", whole / m * 1e9, "ns", "from Python, with a new object"),
        Row("bytearray.copy()", buffer / m * 1e9, "ns", f"{size} from Python, with a new object"),
        Row("State.copy() : bytearray.copy()", whole / buffer, "ratio", "to be under 3"),
        Row(
            "State.copy() : memcpy",
            whole / m / plain * n,
            "ratio",
            "call and object from Python against bare memcpy in C",
        ),
    ]


def state_bytes(state: State) -> int:
    """Size of a state, without the head of its byte form."""
    return len(state.to_bytes()) - 8


# -- Two cores ---------------------------------------------------------------------------------------------------------
#
# Two threads of this process against two processes of one thread, with as much work; a worker process is told by a
# line when to begin, does half of the work and answers with its decisions. Setting up is not timed.


class Job(NamedTuple):
    """Work to be timed, and what has to be done before each time."""

    prepare: Callable[[], object]
    run: Callable[[], int]  # returns decisions


def _playouts_job(share: int, threads: int) -> Job:
    state = MAIN.rules().new(SEED)
    n = 8 * GAMES // share
    return Job(lambda: None, lambda: int(playouts(state, n, 1, threads=threads)["decisions"]))


def _batch_job(share: int, threads: int) -> Job:
    batch = Batch(MAIN.rules(), BATCH_GAMES // share, 1, threads=threads)
    return Job(batch.reset, batch.playout)


def batch_steps(batch: Batch, steps: int) -> int:
    """So many steps of every game, uniformly random; returns the decisions."""
    decisions = 0
    for _ in range(steps):
        actions = batch.choose()
        batch.step(actions)
        decisions += int((actions >= 0).sum())
    return decisions


def _step_job(share: int, threads: int) -> Job:
    batch = Batch(MAIN.rules(), STEP_GAMES // share, 1, threads=threads)
    return Job(lambda: None, lambda: batch_steps(batch, STEPS))


JOBS: dict[str, Callable[[int, int], Job]] = {"playouts": _playouts_job, "batch": _batch_job, "step": _step_job}


def serve(name: str) -> None:
    """The worker process: prepares or runs half of the job for every line that comes in."""
    job = JOBS[name](2, 1)
    for line in sys.stdin:
        print(job.run() if line == "run\n" else job.prepare(), flush=True)


@contextmanager
def _workers(name: str) -> Iterator[Job]:
    """Two processes as one job."""
    command = [sys.executable, "-c", f"from hansa_fast._measure import serve; serve({name!r})"]
    with ExitStack() as stack:
        pipes: list[tuple[IO[str], IO[str]]] = []
        for _ in range(2):
            child = stack.enter_context(
                subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="ascii")
            )
            assert child.stdin
            assert child.stdout
            pipes.append((child.stdin, child.stdout))

        def ask(what: str) -> list[str]:
            for begin, _ in pipes:
                begin.write(what + "\n")
                begin.flush()
            return [answer.readline() for _, answer in pipes]

        yield Job(lambda: ask("prepare"), lambda: sum(map(int, ask("run"))))


def _rate(job: Job) -> float:
    job.prepare()
    begin = time.perf_counter()
    decisions = job.run()
    return decisions / (time.perf_counter() - begin)


def _scaling(name: str, label: str, rounds: int) -> list[Row]:
    """Rates of one thread, two threads and two processes, and what two threads keep of the latter."""
    with _workers(name) as processes:
        rivals = (JOBS[name](2, 1), JOBS[name](1, 2), processes)
        for job in rivals:
            _rate(job)  # to warm up
        turns = [[_rate(job) for job in rivals] for _ in range(rounds)]
    single, threads, pair = (median(rates) for rates in zip(*turns, strict=True))
    return [
        Row(f"{label}, 1 thread", single, "decisions/s", "wall time"),
        Row(f"{label}, 2 threads", threads, "decisions/s", "wall time"),
        Row(f"{label}, 2 processes", pair, "decisions/s", "wall time, 1 thread each"),
        Row(f"{label}, 2 processes : 1 thread", pair / single, "ratio", "about 2 if a second core is free"),
        Row(
            f"{label}, 2 threads : 2 processes",
            median(rates[1] / rates[2] for rates in turns),
            "ratio",
            "to be at least 0.9; tells little unless a second core is free",
        ),
    ]


def _playouts_scaling(rounds: int) -> list[Row]:
    state = MAIN.rules().new(SEED)
    _check("playouts on 2 threads", playouts(state, GAMES, 1, threads=2), playouts(state, GAMES, 1))
    return _scaling("playouts", "playouts", rounds)


def _batch_scaling(rounds: int) -> list[Row]:
    for threads in (1, 2):
        batch = Batch(MAIN.rules(), BATCH_GAMES, 1, threads=threads)
        _check(f"Batch on {threads} threads", batch.playout(), BATCH_DECISIONS)
    return _scaling("batch", "Batch.playout", rounds)


def _step_scaling(rounds: int) -> list[Row]:
    one, two = (Batch(MAIN.rules(), BATCH_GAMES, 1, threads=threads) for threads in (1, 2))
    _check("Batch steps", batch_steps(one, STEPS), STEPS * BATCH_GAMES)
    _check("Batch steps on 2 threads", batch_steps(two, STEPS), STEPS * BATCH_GAMES)
    _check("Batch steps on 2 threads", two.masks.tobytes(), one.masks.tobytes())
    return _scaling("step", "Batch.choose and step", rounds)
