"""Games of tournaments: those that are played in one go are the games of the arena."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

import hansa_fast as hf
from hansa_server.match import Match, MatchSpec, play_out
from hansa_server.store import pack, unpack
from hansa_server.tournament.block import Pairing, rotations
from hansa_server.tournament.chronicle import FINISHED, Block
from hansa_server.tournament.games import chain_hash, played_game, result_from_json, result_to_json, specs_of
from tests.tournament.running import SECRET, event, plain

ROWS = [(game.name, board.name) for game in hf.games() for board in hf.boards() if board.game == game.name]


def in_the_arena(spec: MatchSpec) -> Match:
    """The match as the arena plays it."""
    match = Match(spec)
    match.start(0.0)
    while not match.is_over:
        match.go_on(0.0)
    return match


def check(spec: MatchSpec) -> None:
    actions, outcome = play_out(spec)
    match = in_the_arena(spec)
    assert list(actions) == [played.action for played in match.actions]
    assert outcome == match.outcome
    stored = pack([played.action for played in match.actions])
    assert played_game(spec, pack(actions), outcome) == played_game(spec, stored, match.outcome)
