"""The compiled core against the reference engine: the same game on both, compared at every decision.

Games start from openings and from random positions and are played in several styles, so that rare phases are reached.
At every decision the player, the phase, the texts of the legal actions and the canonical dicts must be equal; now and
then the scores, and whether the core takes its own dict back; at the end the results. What was reached is counted.

    python -m tests.differential --minutes 5 --seed 1 --report

plays on until the time is over, and stops with exit code 1 at the first difference, told so that it can be replayed.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
import time

import hansa_fast as hf
from tests.coverage import Coverage, expected
from tests.dealer import THEMES, Dealer
from tests.match import DifferenceError, Match
from tests.rows import all_rules, row_name
from tests.styles import STYLES, choose

CURIOSITY = 0.15  # share of decisions in which what was seen least is played
FIRST = 6  # decisions in which curiosity is three times as large
MAX_GAME = 4000  # decisions after which a game is left
EXCURSION = {"mixed": 60, "crowded": 30, "ready": 20, "chains": 20}  # decisions played from a random position


def play(match: Match, coverage: Coverage, rng: random.Random, limit: int) -> None:
    """Up to `limit` decisions, compared one by one; each seat has its style."""
    styles = [rng.choice(list(STYLES)) for _ in range(match.rules.players)]
    if rng.random() < 0.5:
        styles[match.twin.current] = rng.choice(("finisher", "courtier")) if match.rules.favours else "finisher"
    match.check()
    while not match.state.is_over and len(match.played) < limit:
        if rng.random() < (CURIOSITY if len(match.played) > FIRST else 3 * CURIOSITY):
            text = coverage.rarest(match, rng)
        else:
            text = choose(match, styles[match.twin.player], rng)
        coverage.before(match, text)
        connected = len(match.twin.east_west)
        match.play(text)
        coverage.after(match, connected)
        match.check()
    match.check_scores()
    coverage.finish(match)


def opening_game(rules: hf.Rules, coverage: Coverage, rng: random.Random) -> None:
    """A game from its set-up, to its end or the turn limit."""
    limit = rng.choice((20, 100, 300))
    limited = hf.Rules(**{**rules.to_dict(), "turn_limit": limit})
    play(Match.opening(limited, rng.getrandbits(63)), coverage, rng, MAX_GAME)


def excursion(rules: hf.Rules, theme: str, coverage: Coverage, rng: random.Random) -> None:
    """A stretch of a game from a random position."""
    position = Dealer(rules, theme, rng).position()
    play(Match(rules, position.to_dict()), coverage, rng, EXCURSION[theme])


def explore(rules: hf.Rules, seed: int, least: int, most: int) -> Coverage:
    """Games of these rules until `least` decisions are compared and all is reached; `most` decisions at most."""
    coverage = Coverage()
    for number in itertools.count():
        if coverage.decisions >= least and (coverage.decisions >= most or not coverage.missing(rules)):
            return coverage
        rng = random.Random(f"{row_name(rules)} {seed} {number}")
        if number % 16 == 0:
            opening_game(rules, coverage, rng)
        else:
            excursion(rules, THEMES[number % len(THEMES)], coverage, rng)
    raise AssertionError("the games do not run out")


def soak(minutes: float, seed: int) -> Coverage:
    """Games of all rows in turn until the time is over, with progress on stderr."""
    total = Coverage()
    began = told = time.monotonic()
    rows = all_rules()
    for number in itertools.count():
        for rules in rows:
            now = time.monotonic()
            if now - began >= 60 * minutes:
                return total
            if now - told >= 1:
                told = now
                rest = 60 * minutes - (now - began)
                rate = total.decisions / (now - began)
                print(
                    f"\r{total.decisions:,} decisions, {total.games:,} games, {rate:,.0f} a second, {rest:.0f} s left ",
                    end="",
                    file=sys.stderr,
                    flush=True,
                )
            total.add(explore(rules, seed * 1_000_003 + number, 500, 500))
    raise AssertionError("the games do not run out")


def main() -> int:
    """The soak runner."""
    parser = argparse.ArgumentParser(prog="python -m tests.differential", description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=5, help="how long to play (default 5)")
    parser.add_argument("--seed", type=int, default=1, help="another seed, other games (default 1)")
    parser.add_argument("--report", action="store_true", help="print how often everything was reached")
    arguments = parser.parse_args()
    try:
        total = soak(arguments.minutes, arguments.seed)
    except DifferenceError as difference:
        print(f"\n{difference}", file=sys.stderr)
        return 1
    print(file=sys.stderr)
    if arguments.report:
        print(total.table(set().union(*(expected(rules) for rules in all_rules()))))
    print(f"no difference in {total.decisions:,} decisions of {total.games:,} games")
    return 0


if __name__ == "__main__":
    sys.exit(main())
