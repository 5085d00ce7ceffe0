"""The package beside its peers: one table, one run, one machine. Run it in an environment that `install.py` made.

What runs on one core is measured in processor time, all of them in turn, round after round. Of a peer the best round
counts, of ours the median. Random games are the same everywhere: at every decision all legal actions, and one of them
drawn uniformly. OpenSpiel's compiled loop is its `RandomRolloutEvaluator`, reached through a tree search of one
simulation: the wheel offers no faster way to random games. It does not count decisions, so its games are taken to be as
long as those played from Python beside it.

python benches/peers/table.py [PAGE]
"""

from __future__ import annotations

import atexit
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # the plain Python engine stands among the tests

from benches.peers.install import STOCKFISH_PATH
from benches.same_game import decisions, same_games
from hansa_fast import _measure, perft, playouts

ROUNDS = 5
WIDE = 20  # legal actions a decision: games as wide as this are like ours, tic-tac-toe is not

SECOND_CORE = 1.5  # times the rate of one thread that two processes reach at least, if there is a second core

# OpenSpiel's games, and how many random games are one round of the compiled loop and of the Python loop
SPIEL = {
    "chess": (100, 20),
    "breakthrough": (2000, 200),
    "chinese_checkers": (100, 8),
    "hex": (2000, 150),
    "y": (1000, 100),
    "amazons": (500, 60),
    "connect_four": (10_000, 800),
    "oware": (3000, 200),
    "mancala": (10_000, 500),
    "tic_tac_toe": (50_000, 3000),
}
STOCKFISH = {
    "start": ("startpos", 6, 119_060_324),
    "middle game 1": ("fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 5, 193_690_690),
    "middle game 2": (
        "fen r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        5,
        164_075_551,
    ),
}

Timed = tuple[float, float]  # how much was done, in how many seconds


@dataclass
class Figure:
    """Something measured round after round."""

    group: str
    who: str
    what: str
    work: Callable[[], Timed]
    width: float = 0  # legal actions a decision, where it matters
    rates: list[float] = field(default_factory=list)

    @property
    def is_ours(self) -> bool:
        return self.who == "hansa_fast"

    @property
    def rate(self) -> float:
        return median(self.rates) if self.is_ours else max(self.rates)


COMPILED, PYTHON, PERFT, PLAIN = (
    "random games in compiled code, decisions/s",
    "random games driven from Python, decisions/s",
    "perft, leaves/s",
    "plain Python engine of the same rules, decisions/s",
)


def timed(work: Callable[[], object], amount: float) -> Timed:
    begin = time.process_time()
    work()
    return amount, time.process_time() - begin


def check(what: str, is_right: bool) -> None:
    if not is_right:
        sys.exit(f"{what}: a wrong answer; nothing was timed")


# -- Ours --------------------------------------------------------------------------------------------------------------


def our_width(rules: Any) -> float:
    """Legal actions a decision in uniformly random games."""
    widths = []
    state = rules.new(1)
    uniform = random.Random(1).random
    while not state.is_over:
        actions = state.legal_actions()
        widths.append(len(actions))
        state.apply(actions[int(uniform() * len(actions))])
    return sum(widths) / len(widths)


def ours() -> Iterator[Figure]:
    for table in _measure.TABLES:
        state, games = table.rules().new(_measure.SEED), _measure.GAMES
        check(table.label, playouts(state, games, 1)["decisions"] == table.uniform)

        def play(state: Any = state, amount: int = table.uniform) -> Timed:
            return timed(lambda: playouts(state, _measure.GAMES, 1), amount)

        yield Figure(COMPILED, "hansa_fast", table.label, play, our_width(table.rules()))
    for table, amount in _measure.API_DECISIONS.items():
        rules = table.rules()
        check("Python loop", _measure.api_loop(rules, _measure.API_GAMES) == amount)

        def loop(rules: Any = rules, amount: int = amount) -> Timed:
            return timed(lambda: _measure.api_loop(rules, _measure.API_GAMES), amount)

        yield Figure(PYTHON, "hansa_fast", table.label, loop, our_width(rules))
    for moves, leaves in {0: _measure.OPENING_LEAVES, **_measure.MIDDLE_LEAVES[_measure.MAIN]}.items():
        state = _measure.middle_game(moves)
        depth = _measure.MIDDLE_DEPTH[_measure.MAIN] if moves else _measure.OPENING_DEPTH
        check(f"perft after {moves} decisions", perft(state, depth) == leaves)

        def count(state: Any = state, depth: int = depth, leaves: int = leaves) -> Timed:
            return timed(lambda: perft(state, depth), leaves)

        yield Figure(PERFT, "hansa_fast", f"after {moves:3} decisions, depth {depth}", count)


def plain_python() -> Iterator[Figure]:
    for table in (_measure.MAIN, _measure.HANSA):

        def play(table: Any = table) -> Timed:
            games = same_games(table)  # checked against the core, decision by decision
            return timed(lambda: [game.by_reference() for game in games], decisions(table))

        yield Figure(PLAIN, "plain Python", table.label, play)


# -- Peers -------------------------------------------------------------------------------------------------------------


def spiel_loop(game: Any, games: int, seed: int) -> tuple[int, int]:
    """Random games driven from Python; returns decisions, and legal actions at all of them."""
    decided = legal = 0
    uniform = random.Random(seed).random
    for _ in range(games):
        state = game.new_initial_state()
        while not state.is_terminal():
            actions = state.legal_actions()
            state.apply_action(actions[int(uniform() * len(actions))])
            decided += 1
            legal += len(actions)
    return decided, legal


def open_spiel() -> Iterator[Figure]:
    pyspiel: Any = import_module("pyspiel")
    for name, (many, few) in SPIEL.items():
        game = pyspiel.load_game(name)
        decided, legal = spiel_loop(game, 3 * few, 0)
        length, width = decided / few / 3, legal / decided
        bot = pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(many, 7), 2.0, 1, 100, False, 5, False)
        check(f"open_spiel {name}", bot.mcts_search(game.new_initial_state()).explore_count == 1)

        def rollouts(bot: Any = bot, game: Any = game, amount: float = many * length) -> Timed:
            return timed(lambda: bot.mcts_search(game.new_initial_state()), amount)

        def loop(game: Any = game, few: int = few) -> Timed:
            begin = time.process_time()
            decided, _ = spiel_loop(game, few, 1)
            return decided, time.process_time() - begin

        yield Figure(COMPILED, "open_spiel", name, rollouts, width)
        yield Figure(PYTHON, "open_spiel", name, loop, width)


def python_chess() -> Iterator[Figure]:
    chess: Any = import_module("chess")
    check("python-chess", chess.Board().legal_moves.count() == 20)

    def loop() -> Timed:
        uniform = random.Random(1).random
        decided = 0
        begin = time.process_time()
        for _ in range(5):
            board = chess.Board()
            moves = list(board.legal_moves)
            while moves and board.ply() < 300:
                board.push(moves[int(uniform() * len(moves))])
                decided += 1
                moves = list(board.legal_moves)
        return decided, time.process_time() - begin

    yield Figure(PYTHON, "python-chess", "chess", loop)


def catanatron() -> Iterator[Figure]:
    catan: Any = import_module("catanatron")

    def loop() -> Timed:
        game = catan.Game([catan.RandomPlayer(color) for color in catan.Color], seed=1)
        begin = time.process_time()
        decided = 0
        while game.winning_color() is None and decided < 5000:
            game.play_tick()
            decided += 1
        return decided, time.process_time() - begin

    check("catanatron", loop()[0] > 100)
    yield Figure(PYTHON, "catanatron", "Catan, 4 players", loop)


class Stockfish:
    """The engine, waiting for positions to count."""

    def __init__(self, path: str) -> None:
        self.child = subprocess.Popen(
            [path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="ascii"
        )
        self.name = self.ask("uci", "id name")
        self.ask("isready", "readyok")

    def ask(self, command: str, wanted: str) -> str:
        assert self.child.stdin
        assert self.child.stdout
        self.child.stdin.write(command + "\n")
        self.child.stdin.flush()
        for line in self.child.stdout:
            if line.startswith(wanted):
                return line[len(wanted) :].strip()
        sys.exit("stockfish ended unexpectedly")

    def seconds(self) -> float:
        """Processor time used so far, in Linux; elsewhere the wall clock."""
        try:
            fields = Path(f"/proc/{self.child.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        except OSError:
            return time.perf_counter()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def perft(self, position: str, depth: int) -> tuple[int, float]:
        begin = self.seconds()
        leaves = int(self.ask(f"position {position}\ngo perft {depth}", "Nodes searched:"))
        return leaves, self.seconds() - begin


def stockfish() -> Iterator[Figure]:
    path = shutil.which("stockfish") or shutil.which("stockfish", path=STOCKFISH_PATH)
    if path is None:
        raise ImportError
    engine = Stockfish(path)
    atexit.register(engine.child.terminate)
    for name, (position, depth, leaves) in STOCKFISH.items():
        check(f"stockfish, {name}", engine.perft(position, depth)[0] == leaves)

        def count(position: str = position, depth: int = depth) -> Timed:
            return engine.perft(position, depth)

        yield Figure(PERFT, engine.name, f"chess, {name}, depth {depth}", count)


# -- The table ---------------------------------------------------------------------------------------------------------


def measure() -> tuple[list[Figure], list[str]]:
    """All figures, and the peers that are not here."""
    figures = [*ours(), *plain_python()]
    missing = []
    for peer in (open_spiel, python_chess, catanatron, stockfish):
        try:
            figures += peer()
        except ImportError:
            missing.append(peer.__name__)
    for done in range(ROUNDS):
        print(f"round {done + 1} of {ROUNDS}", file=sys.stderr)
        for figure in figures:
            amount, seconds = figure.work()
            figure.rates.append(amount / seconds)
    return figures, missing


def figure_lines(figures: list[Figure]) -> Iterator[str]:
    """The figures by group, the fastest first."""
    for group in (COMPILED, PYTHON, PERFT, PLAIN):
        mine = [figure for figure in figures if figure.group == group]
        yield f"\n{group}"
        for figure in sorted(mine, key=lambda figure: -figure.rate):
            width = f"{figure.width:5.1f} legal" if figure.width else ""
            yield f"  {figure.who:16} {figure.what:32} {width:12} {figure.rate:16,.0f}"


def best_peer(figures: list[Figure], group: str, least_width: float = 0) -> Figure | None:
    """The fastest peer of a group."""
    found = [f for f in figures if f.group == group and not f.is_ours and f.width >= least_width]
    return max(found, key=lambda figure: figure.rate, default=None)


class Asked(NamedTuple):
    """Something asked of the package."""

    text: str
    reached: float
    least: float
    is_telling: bool = True  # not so where a second core was needed and the machine gave none

    @property
    def verdict(self) -> str:
        if not self.is_telling:
            return "undecided: no second core was free"
        return "met" if self.reached >= self.least else "NOT MET"


def requirements(figures: list[Figure]) -> Iterator[Asked]:
    """All that is asked."""
    main = next(f for f in figures if f.group == COMPILED and f.what == _measure.MAIN.label)
    slowest = min((f for f in figures if f.group == COMPILED and f.is_ours), key=lambda figure: figure.rate)
    yield Asked("in the core, M decisions/s, slowest board", slowest.rate / 1e6, 10)
    for text, width in ((f"games of {WIDE} legal actions and more", WIDE), ("all games, the smallest too", 0)):
        peer = best_peer(figures, COMPILED, width)
        if peer:
            yield Asked(f"in the core : best of OpenSpiel, {text} ({peer.what})", main.rate / peer.rate, 4)
    loop = next(f for f in figures if f.group == PYTHON and f.what == _measure.MAIN.label)
    peer = best_peer(figures, PYTHON)
    yield Asked("from Python, M decisions/s", loop.rate / 1e6, 1)
    if peer:
        yield Asked(f"from Python : best peer from Python ({peer.who} {peer.what})", loop.rate / peer.rate, 1)
    peer = best_peer(figures, PERFT)
    if peer:
        opening, *middle = [figure.rate for figure in figures if figure.group == PERFT and figure.is_ours]
        leaves = _measure.MIDDLE_LEAVES[_measure.MAIN].values()
        together = sum(leaves) / sum(count / rate for count, rate in zip(leaves, middle, strict=True))
        yield Asked(f"perft, opening : best of {peer.who}", opening / peer.rate, 2)
        yield Asked(f"perft, {len(middle)} middle games together : best of {peer.who}", together / peer.rate, 2)
        yield Asked(f"perft, slowest of the middle games : best of {peer.who}", min(middle) / peer.rate, 2)
    plain = next(f for f in figures if f.group == PLAIN and f.what == _measure.MAIN.label)
    yield Asked("in the core : plain Python", main.rate / plain.rate, 1000)
    rows = {row.name: row.value for row in _measure.run()}
    yield Asked("memcpy : copy, in C", 1 / rows["copy : memcpy"], 1 / 3)
    yield Asked("memcpy : copy, in Python", 1 / rows["State.copy() : bytearray.copy()"], 1 / 3)
    yield Asked("memcpy in C : State.copy() from Python, with its new object", 1 / rows["State.copy() : memcpy"], 1 / 3)
    for label in ("playouts", "Batch.playout", "Batch.choose and step"):
        gain = rows[f"{label}, 2 processes : 1 thread"]
        text = f"{label}, 2 threads : 2 processes (which reach {gain:.2f} of 1 thread)"
        yield Asked(text, rows[f"{label}, 2 threads : 2 processes"], 0.9, gain >= SECOND_CORE)


def table() -> str:
    """Measure, and put everything together."""
    figures, missing = measure()
    names = [name for name in ("hansa_fast", "open_spiel", "chess", "catanatron") if is_installed(name)]
    lines = [
        f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, " + ", ".join(f"{n} {version(n)}" for n in names)
    ]
    lines += figure_lines(figures)
    lines += ["", "what is asked" + " " * 66 + "reached     least"]
    for asked in requirements(figures):
        lines.append(f"  {asked.text:74} {asked.reached:10,.2f}{asked.least:10,.2f}  {asked.verdict}")
    lines += [f"not here, so not compared: {peer}" for peer in missing]
    return "\n".join(lines)


def put_into(page: Path, text: str) -> None:
    """Replace the figures that stand in a page of the documentation."""
    before, begin, rest = page.read_text(encoding="utf-8").partition("<!-- figures begin -->\n")
    _, end, after = rest.partition("<!-- figures end -->\n")
    if not end:
        sys.exit(f"{page}: there is no place for figures")
    page.write_text(f"{before}{begin}```text\n{text}\n```\n{end}{after}", encoding="utf-8")


def main() -> None:
    """Print the table; with the name of a page, put it there too."""
    text = table()
    print(text)
    if len(sys.argv) == 2:
        put_into(Path(sys.argv[1]), text)


def is_installed(name: str) -> bool:
    try:
        version(name)
    except PackageNotFoundError:
        return False
    return True


if __name__ == "__main__":
    main()
