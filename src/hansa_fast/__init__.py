"""A fast rules engine for the Hansa board games.

>>> import hansa_fast as hf
>>> state = hf.Rules(board="standard-4-5", players=4).new(seed=7)
>>> state.player, state.phase
(0, 'main')
>>> state.apply(state.parse("place trader Kampen-Osnabrück 2"))
"""

from hansa_fast._batch import Batch
from hansa_fast._errors import (
    ActionTextError,
    BoardError,
    HansaError,
    HiddenError,
    IllegalActionError,
    PositionError,
    RecordError,
    RulesError,
    SearchError,
)
from hansa_fast._record import Game
from hansa_fast._rules import GameInfo, Rules, board, games
from hansa_fast._search import Analysis, Candidate, Search, SearchSettings
from hansa_fast._state import State, perft, playout, playouts
from hansa_fast._types import Playouts, Result

__all__ = [
    "ActionTextError",
    "Analysis",
    "Batch",
    "BoardError",
    "Candidate",
    "Game",
    "GameInfo",
    "HansaError",
    "HiddenError",
    "IllegalActionError",
    "Playouts",
    "PositionError",
    "RecordError",
    "Result",
    "Rules",
    "RulesError",
    "Search",
    "SearchError",
    "SearchSettings",
    "State",
    "board",
    "games",
    "perft",
    "playout",
    "playouts",
]
