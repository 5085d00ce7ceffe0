"""What can be played: every allowed combination is accepted; a refusal of any other says what would be allowed."""

from __future__ import annotations

import itertools
import pickle
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

import hansa_fast as hf
from tests.rows import BOARDS, RULES, row_name

NAMES = ("game", "edition", "board", "players", "missions", "favours")
OPTIONS = set(
    itertools.product(
        ("teutonica", "hansa"), ("2009", "big-box", "2004"), BOARDS, range(7), (False, True), (False, True)
    )
)
ROWS = {tuple(getattr(rules, name) for name in NAMES) for rules in RULES}


def test_the_table_has_all_rows() -> None:
    assert len(ROWS) == len(RULES) == 25
    assert len(OPTIONS) == 1008
    assert ROWS < OPTIONS


@pytest.mark.parametrize("rules", RULES, ids=row_name)
def test_every_allowed_combination_is_accepted(rules: hf.Rules) -> None:
    assert tuple(rules.to_dict()) == (*NAMES, "turn_limit")
    assert hf.Rules(**rules.to_dict()) == rules
    assert hash(hf.Rules(**rules.to_dict())) == hash(rules)
    assert pickle.loads(pickle.dumps(rules)) == rules
    state = rules.new(seed=1)
    assert state.rules == rules
    assert len(state.scores()) == rules.players


def test_everything_else_is_refused() -> None:
    for values in OPTIONS - ROWS:
        options: dict[str, Any] = dict(zip(NAMES, values, strict=True))
        with pytest.raises(hf.RulesError):
            hf.Rules(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"game": "chess"}, "game: 'chess' is none of teutonica"),
        ({"game": "teutonika"}, "did you mean teutonica?"),
        ({"edition": "2010"}, "edition: '2010' is none of 2009, big-box"),
        ({"edition": "bigbox"}, "did you mean big-box?"),
        (
            {"board": "standard-45"},
            "board: 'standard-45' is none of .*standard-3, standard-4-5; did you mean standard-4-5?",
        ),
        ({"board": "hansa-2004"}, "board: 'hansa-2004' is none of"),
        ({"board": "missions"}, "board: 'missions' is none of"),
        ({"board": "../secret"}, "board: '../secret' is none of"),
        (
            {"edition": "2009", "board": "east", "players": 3},
            "the 2009 edition has standard-3 and standard-4-5, not east",
        ),
        (
            {"edition": "2009", "board": "standard-3", "players": 3, "missions": True},
            "missions and favours belong to the big-box",
        ),
        (
            {"board": "east", "players": 3, "favours": True},
            "missions and favours are played on standard-3 and standard-4-5, not east",
        ),
        ({"board": "standard-4-5", "players": 3}, "standard-4-5 .* takes 4 or 5 players, not 3"),
        ({"board": "britannia-3", "players": 4}, "britannia-3 .* takes 3 players, not 4"),
        ({"edition": "big-box", "board": "standard-3", "players": 2}, r"standard-3 \(big-box\) takes 3 players, not 2"),
        ({"players": 6}, "takes 4 or 5 players, not 6"),
        ({"game": "hansa", "players": 5}, r"hansa-2004 \(2004\) takes 2 or 3 or 4 players, not 5"),
        ({"game": "hansa", "board": "east"}, "board: 'east' is none of hansa-2004"),
        ({"game": "hansa", "edition": "big-box"}, "edition: 'big-box' is none of 2004"),
        ({"game": "hansa", "missions": True}, "missions and favours belong to the big-box edition of teutonica"),
        ({"players": 4.0}, "players: must be int, not 4.0"),
        ({"players": True}, "players: must be int, not True"),
        ({"players": 10**5000}, "players"),
        ({"players": "4"}, "players: must be int, not '4'"),
        ({"missions": 1}, "missions: must be bool, not 1"),
        ({"favours": None}, "favours: must be bool, not None"),
        ({"game": None}, "game: None is none of"),
        ({"board": ["east"]}, r"board: \['east'\] is none of"),
        ({"turn_limit": 0}, "turn_limit: must be at least 1 .*, not 0"),
        ({"turn_limit": -3}, "turn_limit: must be at least 1"),
        ({"turn_limit": 2**31}, r"turn_limit: must be .* less than 2\*\*31"),
        ({"turn_limit": 1.5}, "turn_limit: must be int, not 1.5"),
        ({"turn_limit": True}, "turn_limit: must be int, not True"),
    ],
)
def test_refusals_say_what_would_be_allowed(options: dict[str, Any], message: str) -> None:
    with pytest.raises(hf.RulesError, match=message):
        hf.Rules(**options)


def test_all_wrong_options_are_named_at_once() -> None:
    with pytest.raises(hf.RulesError) as caught:
        hf.Rules(edition="2009", board="east", players=6, missions=True, turn_limit=0)
    for part in ("board: ", "missions and favours", "players: ", "turn_limit: "):
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("game", "players", "edition", "board"),
    [
        ("teutonica", 2, "2009", "standard-3"),
        ("teutonica", 3, "big-box", "standard-3"),
        ("teutonica", 4, "big-box", "standard-4-5"),
        ("teutonica", 5, "big-box", "standard-4-5"),
        ("hansa", 2, "2004", "hansa-2004"),
        ("hansa", 4, "2004", "hansa-2004"),
    ],
)
def test_edition_and_board_may_be_left_out(game: str, players: int, edition: str, board: str) -> None:
    assert hf.Rules(game=game, players=players) == hf.Rules(game=game, edition=edition, board=board, players=players)


def test_rules_cannot_be_changed() -> None:
    rules = hf.Rules(players=4)
    with pytest.raises(FrozenInstanceError):
        rules.players = 5  # type: ignore[misc]
    assert len({rules, hf.Rules(players=4), hf.Rules(players=5)}) == 2


def test_the_turn_limit_is_part_of_the_rules() -> None:
    assert hf.Rules(players=4, turn_limit=2**31 - 1).new().to_dict()["turn_limit"] == 2**31 - 1
    assert hf.Rules(players=4, turn_limit=1) != hf.Rules(players=4)
