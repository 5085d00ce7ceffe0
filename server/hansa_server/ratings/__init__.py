"""Ratings and tests of bots at tables of two to five: pure functions on plain data."""

from hansa_server.ratings.checks import ChiSquare, Surprises, ahead_counts, cycles, equal_seats, surprises
from hansa_server.ratings.expected import Expected, expected_results
from hansa_server.ratings.gsprt import Estimate, Question, SequentialTest, Verdict
from hansa_server.ratings.joint_fit import Difference, Fit, SeatEffects, fit
from hansa_server.ratings.ladder import Ladder, Rung, replay
from hansa_server.ratings.peeking import betting_interval, peeking_interval
from hansa_server.ratings.planner import Plan, blocks_left, fair_field_spread, fair_spread, plan, worst_case
from hansa_server.ratings.pools import Overall, combine
from hansa_server.ratings.results import Forfeits, RatingError, Table, by_block, by_pool, forfeit_share, place_scores
from hansa_server.ratings.score import block_score, field_score, table_score
from hansa_server.ratings.standing import Rated, Standing, quasi_errors, standings, superiority

__all__ = [
    "ChiSquare",
    "Difference",
    "Estimate",
    "Expected",
    "Fit",
    "Forfeits",
    "Ladder",
    "Overall",
    "Plan",
    "Question",
    "Rated",
    "RatingError",
    "Rung",
    "SeatEffects",
    "SequentialTest",
    "Standing",
    "Surprises",
    "Table",
    "Verdict",
    "ahead_counts",
    "betting_interval",
    "block_score",
    "blocks_left",
    "by_block",
    "by_pool",
    "combine",
    "cycles",
    "equal_seats",
    "expected_results",
    "fair_field_spread",
    "fair_spread",
    "field_score",
    "fit",
    "forfeit_share",
    "peeking_interval",
    "place_scores",
    "plan",
    "quasi_errors",
    "replay",
    "standings",
    "superiority",
    "surprises",
    "table_score",
    "worst_case",
]
