"""How strong the bots are: seat-balanced matches with common seeds, counted by deals.

    python -m benches.ladder                                     the ladder: every bot against the one below it
    python -m benches.ladder --pair planner/greedy --deals 500   one pair: the first bot, the second at all other seats
    python -m benches.ladder --boards east,hansa --processes 2 --json
    python -m benches.ladder --pair search:time=1/planner --save out.jsonl --minutes 30    goes on where it was stopped
    python -m benches.ladder --curve search:iterations={} --values 50,100,200,400 --against planner --svg docs/curve.svg
    python -m benches.ladder --draw docs/search-strength.json --svg docs/search-strength.svg    what --curve --json gave

A deal is a seed of the set-up. It is played as often as it has seats, with the bot in each of them once, so neither the
deal nor the seat favours anybody; another bot gets the same deals. Shared wins are shared. The interval is the 95 % one
of the mean over deals, since the games of a deal are not independent: the normal one, or three deals among all of them
if every game was won, or none. Fewer than 30 deals say little about their own spread: then it is Student's, and never
narrower than if every game stood alone. Even play wins as often as the other seats.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import multiprocessing
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import hansa_fast as hf
from hansa_fast.bots import KINDS, BotNameError, make_bot, version_of

TURNS_PER_PLAYER = 100  # random players hardly ever end a game
BOARDS = {
    "standard-4-5": hf.Rules(board="standard-4-5", players=4),
    "standard-3": hf.Rules(board="standard-3", players=3),
    "east": hf.Rules(board="east", players=4),
    "britannia-4-5": hf.Rules(board="britannia-4-5", players=4),
    "pawn": hf.Rules(edition="2009", board="standard-3", players=2),
    "hansa": hf.Rules(game="hansa", players=4),
}
PAIRS = (("greedy", "random"), ("planner", "greedy"), ("search:time={time}", "planner"))
NORMAL_95 = 1.96
# Student's factors instead of it, for 2, 3, ... deals.
STUDENT_95 = (
    *(12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14),
    *(2.13, 2.12, 2.11, 2.10, 2.09, 2.09, 2.08, 2.07, 2.07, 2.06, 2.06, 2.06, 2.05, 2.05),
)


@dataclass(frozen=True)
class Job:
    """One deal of one pair on one board."""

    board: str
    bot: str
    others: str
    deal: int


@dataclass(frozen=True)
class Row:
    """How a bot came out against others on a board."""

    board: str
    players: int
    bot: str
    others: str
    deals: int
    games: int
    share: float  # of wins
    error: float  # half of the 95 % interval
    mean_score: float
    mean_score_others: float

    @property
    def even(self) -> float:
        """The share of equal players."""
        return 1 / self.players


@dataclass(frozen=True)
class Outcome:
    """A deal that was played at every seat: the mean share of wins, and the mean scores."""

    job: Job
    share: float
    score: float
    others: float


def play_game(rules: hf.Rules, deal: int, names: Sequence[str]) -> hf.State:
    """A game between these bots, by seat. Choices come from the deal and the place in the game only."""
    state = rules.new(deal)
    bots = [make_bot(name) for name in names]
    number = 0
    while not state.is_over:
        seed = (deal * 0x9E3779B97F4A7C15 + number * 0xD1342543DE82EF95 + 1) % 2**64
        state.apply(bots[state.player].choose(state, seed))
        number += 1
    return state


def play_deal(job: Job) -> Outcome:
    """The bot in every seat of the deal once."""
    rules = replace(BOARDS[job.board], turn_limit=BOARDS[job.board].players * TURNS_PER_PLAYER)
    share = score = others = 0.0
    for seat in range(rules.players):
        names = [job.bot if other == seat else job.others for other in range(rules.players)]
        result = play_game(rules, job.deal, names).result()
        if seat in result["winners"]:
            share += 1 / len(result["winners"])
        totals = [points["total"] for points in result["scores"]]
        score += totals[seat]
        others += (sum(totals) - totals[seat]) / (rules.players - 1)
    return Outcome(job, share / rules.players, score / rules.players, others / rules.players)


def summarise(outcomes: Sequence[Outcome]) -> Row:
    """All deals of one pair on one board."""
    job = outcomes[0].job
    n = len(outcomes)
    players = BOARDS[job.board].players
    share = sum(outcome.share for outcome in outcomes) / n
    spread = sum((outcome.share - share) ** 2 for outcome in outcomes) / max(1, n - 1)
    score = sum(outcome.score for outcome in outcomes) / n
    others = sum(outcome.others for outcome in outcomes) / n
    return Row(
        job.board, players, job.bot, job.others, n, n * players, share, _error(n, players, share, spread), score, others
    )


def _error(deals: int, players: int, share: float, spread: float) -> float:
    """Half of the 95 % interval of a share of wins that has so large a variance from deal to deal."""
    if share in (0, 1) or deals == 1:  # no spread: what could have been missed is at most about three among the deals
        return min(1, 3 / deals)
    if deals < len(STUDENT_95) + 2:
        alone = NORMAL_95 * math.sqrt(share * (1 - share) / (deals * players))
        return min(1, max(alone, STUDENT_95[deals - 2] * math.sqrt(spread / deals)))
    return NORMAL_95 * math.sqrt(spread / deals)


def play_all(jobs: Sequence[Job], processes: int) -> Iterator[Outcome]:
    """The deals as they are finished."""
    if processes == 1:
        yield from map(play_deal, jobs)
        return
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        yield from pool.imap_unordered(play_deal, jobs)


def load(file: Path) -> list[Outcome]:
    """The deals that were played before, one line of JSON each."""
    if not file.exists():
        return []
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return [Outcome(Job(**line.pop("job")), **line) for line in lines]


def measure(
    pairs: Sequence[tuple[str, str]],
    boards: Sequence[str],
    deals: int,
    seed: int,
    processes: int,
    save: Path | None = None,
    minutes: float = math.inf,
) -> list[Row]:
    """Play every pair on every board, deal by deal, with progress on standard error.

    Deals are kept in the file `save`, and what is there already is not played again. When the minutes are over the rows
    are those of the deals that are finished; with no minutes nothing is played, only counted.
    """
    asked = [Job(board, *pair, seed + deal) for deal in range(deals) for pair in pairs for board in boards]
    outcomes = {outcome.job: outcome for outcome in (load(save) if save else ())}
    jobs = [job for job in asked if job not in outcomes] if minutes > 0 else []
    began = time.monotonic()
    for number, outcome in enumerate(play_all(jobs, processes), 1):
        job = outcome.job
        outcomes[job] = outcome
        if save:
            with save.open("a", encoding="utf-8") as out:
                out.write(json.dumps(asdict(outcome)) + "\n")
        passed = time.monotonic() - began
        left = min(passed / number * (len(jobs) - number), minutes * 60 - passed)
        if sys.stderr.isatty():
            text = f"{number} of {len(jobs)} deals, {left:.0f} s left: {job.bot} against {job.others} on {job.board}"
            print(f"\r\x1b[K{text[:110]}", end="", file=sys.stderr, flush=True)
        elif len(jobs) >= 10 and number % (len(jobs) // 10) == 0:
            print(f"{number} of {len(jobs)} deals, {left:.0f} s left", file=sys.stderr, flush=True)
        if left <= 0:
            break
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)
    # Deals come back in any order; sums of floats should not depend on it.
    rows = []
    for pair in pairs:
        for board in boards:
            of_this = [job for job in asked if (job.bot, job.others, job.board) == (*pair, board)]
            if found := [outcomes[job] for job in of_this if job in outcomes]:
                rows.append(summarise(found))
    return rows


def table(rows: Sequence[Row]) -> str:
    """The rows for people."""
    heads = f"{'bot':<24}{'against':<24}{'board':<15}{'even':>6}{'wins':>8}{'95 %':>9}"
    lines = [f"{heads}{'games':>7}{'points':>8}{'theirs':>8}"]
    for row in rows:
        lines.append(
            f"{row.bot:<24}{f'{row.players - 1} x {row.others}':<24}{row.board:<15}{row.even:>6.0%}{row.share:>8.1%}"
            f"{f'± {row.error:.1%}':>9}{row.games:>7}{row.mean_score:>8.1f}{row.mean_score_others:>8.1f}"
        )
    return "\n".join(lines)


# -- The curve -----------------------------------------------------------------------------------------------------


LINE_HEIGHT = 16


def draw_curve(rows: Sequence[tuple[float, Row]], title: str, axis: str) -> str:
    """Share of wins over a setting, one line a board, as an SVG picture; the setting grows by factors."""
    width, height, left, bottom, top = 720, 420, 60, 60, 50
    colours = ("#1b6ca8", "#c0392b", "#2e8b57", "#b8860b", "#6a3d9a", "#444444")
    values = sorted({value for value, _ in rows})
    low, high = math.log(values[0]), math.log(values[-1])
    right = width - 150

    def x(value: float) -> float:
        return left + (right - left) * ((math.log(value) - low) / (high - low) if high > low else 0.5)

    def y(share: float) -> float:
        return height - bottom - (height - bottom - top) * share

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
        'font-size="13">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{left}" y="28" font-size="16">{title}</text>',
        f'<text x="{(left + right) / 2}" y="{height - 14}" text-anchor="middle">{axis}</text>',
    ]
    for tenth in range(0, 11, 2):
        level = y(tenth / 10)
        out.append(f'<path d="M{left} {level:.1f}H{right}" stroke="#ddd"/>')
        out.append(f'<text x="{left - 8}" y="{level + 4:.1f}" text-anchor="end">{tenth * 10} %</text>')
    for value in values:
        out.append(f'<text x="{x(value):.1f}" y="{height - bottom + 20}" text-anchor="middle">{value:g}</text>')
    for even in sorted({row.even for _, row in rows}):
        out.append(f'<path d="M{left} {y(even):.1f}H{right}" stroke="#888" stroke-dasharray="4 4"/>')
        out.append(f'<text x="{right + 12}" y="{y(even) + 4:.1f}" fill="#888">even play</text>')
    ends: list[float] = []  # where names of lines stand already
    for number, board in enumerate(dict.fromkeys(row.board for _, row in rows)):
        colour = colours[number % len(colours)]
        line = sorted((value, row) for value, row in rows if row.board == board)
        path = "L".join(f"{x(value):.1f} {y(row.share):.1f}" for value, row in line)
        out.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for value, row in line:
            above, below = y(min(1, row.share + row.error)), y(max(0, row.share - row.error))
            beside = x(value) + 3 * number  # so that intervals of several boards can be told apart
            out.append(f'<path d="M{beside:.1f} {above:.1f}V{below:.1f}" stroke="{colour}" opacity="0.6"/>')
            out.append(f'<circle cx="{x(value):.1f}" cy="{y(row.share):.1f}" r="3.5" fill="{colour}"/>')
        end = y(line[-1][1].share) + 4
        while any(abs(end - other) < LINE_HEIGHT for other in ends):
            end += LINE_HEIGHT
        ends.append(end)
        out.append(f'<text x="{right + 12}" y="{end:.1f}" fill="{colour}">{board}</text>')
    return "\n".join([*out, "</svg>", ""])


def measure_curve(options: argparse.Namespace, boards: Sequence[str]) -> list[Row]:
    """The same bot with rising settings against a fixed one, or each against the setting before it."""
    names = [options.curve.replace("{}", f"{float(value):g}") for value in options.values.split(",")]
    if options.against:
        pairs = [(name, options.against) for name in names]
    else:
        pairs = [(after, before) for before, after in itertools.pairwise(names)]
    check(pairs)
    return measure(pairs, boards, options.deals, options.seed, options.processes, options.save, options.minutes)


def picture(found: Mapping[str, Any]) -> str:
    """What `--curve --json` found, as an SVG picture."""
    before, _, after = found["curve"].partition("{}")
    rows = [Row(**{key: value for key, value in row.items() if key != "even"}) for row in found["rows"]]
    points = [(float(row.bot.removeprefix(before).removesuffix(after)), row) for row in rows]
    against = f"against {found['against'] or 'the one before'}"
    title = (
        f"{before.partition(':')[0]} {against}: share of wins, 95 % intervals, {sum(row.games for row in rows)} games"
    )
    return draw_curve(points, title, before.partition(":")[2].rpartition(",")[2].rstrip("="))


# -- The command ---------------------------------------------------------------------------------------------------


def check(pairs: Sequence[tuple[str, str]]) -> None:
    """Wrong names are told before anything is played."""
    for pair in pairs:
        for name in pair:
            try:
                make_bot(name)
            except BotNameError as error:
                sys.exit(f"ladder: {error}")


def parse_pair(text: str) -> tuple[str, str]:
    """Two names, such as `planner/greedy` or, with settings, `search:time=1/planner`."""
    bot, _, others = text.partition("/")
    if not bot or not others:
        raise argparse.ArgumentTypeError(f"{text!r} names no two bots, such as planner/greedy")
    return bot, others


def main() -> None:
    """Read the options, play, print."""
    parser = argparse.ArgumentParser(prog="python -m benches.ladder", description=__doc__.partition("\n")[0])
    parser.add_argument("--pair", type=parse_pair, action="append", help="BOT/OTHERS; repeat for more pairs")
    parser.add_argument("--boards", default=",".join(BOARDS), help=f"of {', '.join(BOARDS)}")
    parser.add_argument("--deals", type=int, default=100, help="per pair and board; each is played once a seat")
    parser.add_argument("--seed", type=int, default=1, help="the first deal")
    parser.add_argument("--time", type=float, default=1.0, help="seconds a decision of the bots that think by time")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--save", type=Path, metavar="FILE", help="keep every deal here; go on with what is missing")
    parser.add_argument(
        "--minutes", type=float, default=math.inf, help="begin to count after so long, with what there is"
    )
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--curve", metavar="NAME", help="a bot with {} for a setting, such as search:iterations={}")
    parser.add_argument("--values", default="50,100,200,400,800", help="of the curve's setting")
    parser.add_argument("--against", metavar="BOT", help="of the curve; the setting before it unless given")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="draw the curve")
    parser.add_argument("--draw", type=Path, metavar="FILE", help="play nothing: draw what --curve --json wrote")
    options = parser.parse_args()
    boards = options.boards.split(",")
    for board in boards:
        if board not in BOARDS:
            parser.error(f"--boards: {board!r} is none of {', '.join(BOARDS)}")
    if options.deals < 2 or options.processes < 1:
        parser.error("--deals must be at least 2, --processes at least 1")
    if options.draw and not options.svg:
        parser.error("--draw needs --svg FILE")
    if options.draw:
        options.svg.write_text(picture(json.loads(options.draw.read_text(encoding="utf-8"))), encoding="utf-8")
        return
    found: dict[str, Any] = {}
    if options.curve:
        if "{}" not in options.curve:
            parser.error("--curve needs {} where the setting goes")
        rows = measure_curve(options, boards)
        found = {"curve": options.curve, "against": options.against}
    else:
        known = [(bot.replace("{time}", f"{options.time:g}"), others) for bot, others in PAIRS]
        pairs = options.pair or [pair for pair in known if pair[0].partition(":")[0] in KINDS]
        check(pairs)
        rows = measure(pairs, boards, options.deals, options.seed, options.processes, options.save, options.minutes)
    found["versions"] = {name: version_of(name) for row in rows for name in (row.bot, row.others)}
    found["rows"] = [{**asdict(row), "even": row.even} for row in rows]
    if options.svg:
        options.svg.write_text(picture(found), encoding="utf-8")
        print(f"drawn in {options.svg}", file=sys.stderr)
    print(json.dumps(found, indent=2) if options.json else table(rows))


if __name__ == "__main__":
    main()
