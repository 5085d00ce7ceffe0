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
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import hansa_fast as hf
from tests import (
    hansa_coverage,
    hansa_dealer,
    hansa_styles,
    teutonica_coverage,
    teutonica_dealer,
    teutonica_styles,
)
from tests.coverage import Coverage, Tally
from tests.match import DifferenceError, Match
from tests.rows import RULES, row_name

CURIOSITY = 0.15  # share of decisions in which what was seen least is played
FIRST = 6  # decisions in which curiosity is three times as large
MAX_GAME = 4000  # decisions after which a game is left


class Course(NamedTuple):
    """All that is particular to exploring one game."""

    coverage: type[Coverage[Any]]
    seat_styles: Callable[[Match[Any], random.Random], list[str]]
    choose: Callable[[Match[Any], str, random.Random], str]
    deal: Callable[[hf.Rules, str, random.Random], dict[str, Any]]
    themes: Mapping[str, int]  # of dealt positions, and how many decisions are played from there


COURSES = {
    "teutonica": Course(
        teutonica_coverage.Coverage,
        teutonica_styles.seat_styles,
        teutonica_styles.choose,
        teutonica_dealer.deal,
        teutonica_dealer.THEMES,
    ),
    "hansa": Course(
        hansa_coverage.Coverage,
        hansa_styles.seat_styles,
        hansa_styles.choose,
        hansa_dealer.deal,
        hansa_dealer.THEMES,
    ),
}


def play(match: Match[Any], coverage: Coverage[Any], rng: random.Random, limit: int) -> None:
    """Up to `limit` decisions, compared one by one; each seat has its style."""
    course = COURSES[match.rules.game]
    styles = course.seat_styles(match, rng)
    match.check()
    while not match.state.is_over and len(match.played) < limit:
        if rng.random() < (CURIOSITY if len(match.played) > FIRST else 3 * CURIOSITY):
            text = coverage.rarest(match, rng)
        else:
            text = course.choose(match, styles[match.twin.player], rng)
        coverage.before(match, text)
        match.play(text)
        coverage.note_after(match)
        match.check()
    match.check_scores()
    coverage.finish(match)


def opening_game(rules: hf.Rules, coverage: Coverage[Any], rng: random.Random) -> None:
    """A game from its set-up, to its end or the turn limit."""
    limit = rng.choice((20, 100, 300))
    limited = hf.Rules(**{**rules.to_dict(), "turn_limit": limit})
    play(Match.opening(limited, rng.getrandbits(63)), coverage, rng, MAX_GAME)


def excursion(rules: hf.Rules, theme: str, coverage: Coverage[Any], rng: random.Random) -> None:
    """A stretch of a game from a random position."""
    course = COURSES[rules.game]
    play(Match(rules, course.deal(rules, theme, rng)), coverage, rng, course.themes[theme])


def explore(rules: hf.Rules, seed: int, least: int, most: int) -> Coverage[Any]:
    """Games of these rules until `least` decisions are compared and all is reached; `most` decisions at most."""
    course = COURSES[rules.game]
    themes = list(course.themes)
    coverage = course.coverage(rules)
    for number in itertools.count():
        if coverage.decisions >= least and (coverage.decisions >= most or not coverage.missing()):
            return coverage
        rng = random.Random(f"{row_name(rules)} {seed} {number}")
        if number % 16 == 0:
            opening_game(rules, coverage, rng)
        else:
            excursion(rules, themes[number % len(themes)], coverage, rng)
    raise AssertionError("the games do not run out")


def expected(game: str) -> set[str]:
    """All that some row of the game must reach."""
    return set().union(*(COURSES[game].coverage.expected(rules) for rules in RULES if rules.game == game))


def soak(minutes: float, seed: int) -> dict[str, Tally]:
    """Games of all rows in turn until the time is over, with progress on stderr; what was reached, by game."""
    tallies = {game: Tally() for game in COURSES}
    began = told = time.monotonic()
    for number in itertools.count():
        for rules in RULES:
            now = time.monotonic()
            if now - began >= 60 * minutes:
                return tallies
            if now - told >= 1:
                told = now
                decisions = sum(tally.decisions for tally in tallies.values())
                games = sum(tally.games for tally in tallies.values())
                print(
                    f"\r{decisions:,} decisions, {games:,} games, {decisions / (now - began):,.0f} a second, "
                    f"{60 * minutes - (now - began):.0f} s left ",
                    end="",
                    file=sys.stderr,
                    flush=True,
                )
            tallies[rules.game].add(explore(rules, seed * 1_000_003 + number, 500, 500))
    raise AssertionError("the games do not run out")


def main() -> int:
    """The soak runner."""
    parser = argparse.ArgumentParser(prog="python -m tests.differential", description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=5, help="how long to play (default 5)")
    parser.add_argument("--seed", type=int, default=1, help="another seed, other games (default 1)")
    parser.add_argument("--report", action="store_true", help="print how often everything was reached")
    arguments = parser.parse_args()
    try:
        tallies = soak(arguments.minutes, arguments.seed)
    except DifferenceError as difference:
        print(f"\n{difference}", file=sys.stderr)
        return 1
    print(file=sys.stderr)
    for game, tally in tallies.items():
        if arguments.report:
            print(f"{tally.table(expected(game))}\n")
        print(f"{game}: no difference in {tally.decisions:,} decisions of {tally.games:,} games")
    return 0


if __name__ == "__main__":
    sys.exit(main())
