"""Two players: figures that others have published."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from hansa_server.ratings import Question, SequentialTest, Table, Verdict, fit
from hansa_server.ratings.elo import PER_LOG_ODDS, expected, from_score
from hansa_server.ratings.gsprt import llr, llr_by_moments, llr_normalised

# Agresti, Categorical Data Analysis (2nd edition, 2002), page 438: baseball in the American League, 1987. Each row is a
# home team, each cell its wins and losses at home against the team of the column. All 42 cells were compared with
# data/baseball.csv of the R package BradleyTerry2 (Turner and Firth, Journal of Statistical Software 48(9), 2012).
TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
HOME = """
  -  4-3 4-2 4-3 6-1 4-2 6-0
 3-3  -  4-2 4-3 6-0 6-1 4-3
 2-5 4-3  -  2-4 4-3 4-2 6-0
 3-3 5-1 2-5  -  4-3 4-2 6-1
 5-1 2-5 3-3 4-2  -  5-2 6-0
 2-5 3-3 3-4 4-3 4-2  -  2-4
 2-5 1-5 1-6 2-4 1-6 3-4  -
"""


def baseball(seats: bool) -> list[Table]:
    """With seats the home team sits first; without, each game is counted half from either side."""
    tables: list[Table] = []
    for home, row in zip(TEAMS, HOME.strip().splitlines(), strict=True):
        for away, cell in zip(TEAMS, row.split(), strict=True):
            if cell == "-":
                continue
            wins, losses = (int(part) for part in cell.split("-"))
            for ranks in [(0, 1)] * wins + [(1, 0)] * losses:
                block = str(len(tables))
                tables.append(Table("1987", block, (home, away), ranks))
                if not seats:
                    tables.append(Table("1987", block, (away, home), ranks[::-1]))
    return tables


def test_bradley_terry_of_agresti() -> None:
    """Table 10.11, column 3: without the advantage of playing at home. BradleyTerry2 tests itself by them."""
    found = fit(baseball(seats=False), anchor="Baltimore", level=0, phantom=0)
    logs = {bot: round(float(value) / PER_LOG_ODDS, 2) for bot, value in zip(found.bots, found.ratings, strict=True)}
    assert logs == {
        "Baltimore": 0,
        "Cleveland": 0.68,
        "Boston": 1.11,
        "New York": 1.25,
        "Toronto": 1.29,
        "Detroit": 1.44,
        "Milwaukee": 1.58,
    }


def test_bradley_terry_with_home_advantage() -> None:
    """Table 10.11, column 5, with seats: the advantage is 0.302 and the standard errors are about 0.3."""
    found = fit(baseball(seats=True), anchor="Baltimore", level=0, phantom=0)
    weights = np.exp(found.ratings / PER_LOG_ODDS)
    shares = sorted(float(share) for share in np.round(weights / weights.sum(), 3))
    assert shares == [0.044, 0.088, 0.137, 0.157, 0.164, 0.190, 0.220]
    home = found.seats[2].elo / PER_LOG_ODDS
    assert home[0] - home[1] == pytest.approx(0.302, abs=5e-4)
    errors = np.sqrt(np.diag(found.model_covariance)) / PER_LOG_ODDS
    assert [round(float(error), 1) for error in np.delete(errors, found.index("Baltimore"))] == [0.3] * 6


def test_davidson_of_two() -> None:
    """For two bots Davidson's model is solved by hand: odds w/l, and δ = t / √(w·l)."""
    results = [(0, 1)] * 40 + [(1, 0)] * 10 + [(0, 0)] * 30
    tables = [Table("p", str(k), ("a", "b"), ranks) for k, ranks in enumerate(results)]
    tables += [Table("p", str(k), ("b", "a"), ranks[::-1]) for k, ranks in enumerate(results)]
    found = fit(tables, phantom=0)
    assert found.difference("a", "b").elo == pytest.approx(400 * math.log10(4))
    assert found.ties == {2: pytest.approx(30 / math.sqrt(400))}


PAIRS = np.array([0, 0.25, 0.5, 0.75, 1])


@pytest.mark.parametrize(
    ("counts", "elo0", "elo1", "published"),
    [
        ([223, 9863, 21279, 10037, 246], 0.5, 2.5, -3.07),
        ([871, 26175, 55983, 26678, 821], 0.0, 2.0, -4.98),
    ],
)
def test_pentanomial_ratio(counts: list[int], elo0: float, elo1: float, published: float) -> None:
    """Figures of fastchess (app/tests/sprt_test.cpp, "logistic pentanomial"), which computes as fishtest does. Two
    draws and a win each are told apart there, and not here."""
    weights = np.array(counts, float)
    assert float(llr(PAIRS, weights, expected(elo0), expected(elo1))) == pytest.approx(published, abs=0.005)
    mean = weights @ PAIRS / weights.sum()
    spread = math.sqrt(weights @ (PAIRS - mean) ** 2 / weights.sum())
    near = llr_by_moments(weights.sum(), mean, spread, expected(elo0), expected(elo1))
    assert near == pytest.approx(published, abs=0.02)


@pytest.mark.parametrize(
    ("counts", "elo0", "elo1", "published"),
    [([21184, 40708, 21404], 0.5, 2.5, -1.57), ([57030, 106593, 57433], 0.0, 2.0, -2.59)],
)
def test_trinomial_ratio(counts: list[int], elo0: float, elo1: float, published: float) -> None:
    """ "Logistic trinomial" of the same file: single games, lost, drawn and won."""
    found = float(llr(PAIRS[::2], np.array(counts, float), expected(elo0), expected(elo1)))
    assert found == pytest.approx(published, abs=0.005)


@pytest.mark.parametrize(
    ("counts", "elo0", "elo1", "published"),
    [([365, 16618, 36229, 16974, 390], 0.0, 2.0, 2.25), ([127, 4883, 10712, 5150, 104], -1.75, 0.25, 3.01)],
)
def test_normalised_ratio(counts: list[int], elo0: float, elo1: float, published: float) -> None:
    """ "Normalized pentanomial" of the same file. Normalised Elo is (mean - ½) / spread of a game, times 800 / ln 10; a
    block of two games has √2 of that."""
    weights = np.array(counts, float)
    mean = weights @ PAIRS / weights.sum()
    spread = math.sqrt(weights @ (PAIRS - mean) ** 2 / weights.sum())
    unit = 800 / math.log(10) / math.sqrt(2)
    found = llr_normalised(weights.sum(), mean, spread, elo0 / unit, elo1 / unit)
    assert found == pytest.approx(published, abs=0.01)


@pytest.mark.parametrize(
    ("counts", "published"), [([1, 60, 500, 1200, 600], 188.3595), ([1, 20, 300, 900, 779], 245.4729)]
)
def test_estimate_after_stopping(counts: list[int], published: float) -> None:
    """The median-unbiased Elo of fishtest (server/tests/test_stats_sprt.py) for normalised bounds 0 and 2."""
    weights = np.array(counts, float)
    mean = weights @ PAIRS / weights.sum()
    spread_of_a_game = math.sqrt(2 * weights @ (PAIRS - mean) ** 2 / weights.sum())
    question = Question(0, from_score(0.5 + 2 * spread_of_a_game / (800 / math.log(10))))
    test = SequentialTest(question, Counter(dict(zip(PAIRS.tolist(), counts, strict=True))), verdict=Verdict.BETTER)
    found = test.estimate()
    assert found.elo == pytest.approx(published, abs=2e-3)
    assert found.low < published < found.high
