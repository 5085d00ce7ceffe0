"""How many games a question needs, before they are played."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from scipy import optimize

from hansa_server.ratings.brownian import Brownian
from hansa_server.ratings.elo import expected
from hansa_server.ratings.gsprt import FIRST_LOOK, Question


@dataclass(frozen=True)
class Plan:
    """What to expect of a test if the true difference is `elo`."""

    elo: float
    better: float  # the chances of the verdicts
    not_better: float
    inconclusive: float
    blocks: float  # on average
    games: float
    longest: int  # games that are enough in 95 of 100 tests (without the budget)


def fair_spread(copies_a: int, copies_b: int, games: int = 2) -> float:
    """The standard deviation of block scores between equal bots without ties, if games shared no luck at all.

    Blocks of a seating and its complement vary less than this, since luck of the deal cancels: plans made with it are
    on the safe side. A pilot of a few dozen blocks gives the true value.
    """
    return math.sqrt((copies_a + copies_b + 1) / (12 * copies_a * copies_b) / games)


def fair_field_spread(players: int) -> float:
    """The same for blocks in which first one bot and then the other sits down among the same others."""
    return math.sqrt((players + 1) / (24 * (players - 1)))


def plan(question: Question, elo: float, spread: float, games_per_block: int = 2) -> Plan:
    """What to expect if the true difference is `elo` and block scores have the standard deviation `spread`."""
    walk = question.walk(expected(elo), spread)
    longest = max(float(FIRST_LOOK), _time_until(walk.underway, 0.05, walk.mean_time()))
    if question.budget is None:
        low, open_end = float(walk.chance_low()), 0.0
        blocks = walk.mean_time()
    else:
        open_end = walk.underway(question.budget)
        low = walk.outcome(question.budget, walk.low)
        steps = 200
        times = [question.budget * (k + 0.5) / steps for k in range(steps)]
        blocks = sum(walk.underway(time) for time in times) * question.budget / steps
    blocks = max(float(FIRST_LOOK), blocks)
    return Plan(
        elo=elo,
        better=max(0.0, 1 - low - open_end),
        not_better=low,
        inconclusive=open_end,
        blocks=blocks,
        games=blocks * games_per_block,
        longest=math.ceil(longest) * games_per_block,
    )


def worst_case(question: Question, spread: float, games_per_block: int = 2) -> Plan:
    """The plan for the difference half way between the hypotheses, which takes longest."""
    middle = sum(question.means) / 2
    return plan(question, 400 * math.log10(middle / (1 - middle)), spread, games_per_block)


def blocks_left(question: Question, blocks: int, mean: float, spread: float) -> tuple[float, float]:
    """How many blocks a test will probably go on for: a range, since the drift of its ratio is known by a sample only.

    The ratio goes on from where it is. Its drift is what was seen, give or take a standard error; in between there may
    be no drift at all, which takes longest.
    """
    walk = question.walk(mean, spread)
    low, high = question.walls
    place = min(max(walk.drift * blocks, low), high)
    error = math.sqrt(walk.variance / blocks)
    drifts = {walk.drift - error, walk.drift, walk.drift + error, min(max(0.0, walk.drift - error), walk.drift + error)}
    if place in (low, high):
        return 0.0, 0.0
    left = [Brownian(low - place, high - place, drift, walk.variance).mean_time() for drift in drifts]
    most = math.inf if question.budget is None else max(0, question.budget - blocks)
    return min(*left, most), min(max(left), most)


def _time_until(chance: Callable[[float], float], level: float, start: float) -> float:
    late = start
    while chance(late) > level:
        late *= 2
    return float(optimize.brentq(lambda time: chance(time) - level, start * 1e-6, late))
