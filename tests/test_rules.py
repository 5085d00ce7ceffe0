"""What can be played: every allowed combination is accepted; a refusal of any other says what would be allowed."""

from __future__ import annotations

import itertools
import pickle
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

import hansa_fast as hf
from tests.playing import ROWS, row_name

BOARDS = ("britannia-3", "britannia-4-5", "east", "standard-3", "standard-4-5")
OPTIONS: list[dict[str, Any]] = [
    {"edition": edition, "board": board, "players": players, "missions": missions, "favours": favours}
    for edition, board, players, missions, favours in itertools.product(
        ("2009", "big-box"), BOARDS, range(7), (False, True), (False, True)
    )
]


def test_the_table_has_all_rows() -> None:
    assert len(ROWS) == 22
    assert len(OPTIONS) == 280


@pytest.mark.parametrize("options", ROWS, ids=lambda options: row_name(hf.Rules(**options)))
def test_every_allowed_combination_is_accepted(options: dict[str, Any]) -> None:
    rules = hf.Rules(game="teutonica", **options)
    assert rules.to_dict() == {"game": "teutonica", **options, "turn_limit": None}
    assert hf.Rules(**rules.to_dict()) == rules
    assert hash(hf.Rules(**rules.to_dict())) == hash(rules)
    assert pickle.loads(pickle.dumps(rules)) == rules
    state = rules.new(seed=1)
    assert state.rules == rules
    assert len(state.scores()) == rules.players


def test_everything_else_is_refused() -> None:
    refused = [options for options in OPTIONS if options not in ROWS]
    assert len(refused) == len(OPTIONS) - len(ROWS)
    for options in refused:
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
    ("players", "edition", "board"),
    [
        (2, "2009", "standard-3"),
        (3, "big-box", "standard-3"),
        (4, "big-box", "standard-4-5"),
        (5, "big-box", "standard-4-5"),
    ],
)
def test_edition_and_board_may_be_left_out(players: int, edition: str, board: str) -> None:
    assert hf.Rules(players=players) == hf.Rules(edition=edition, board=board, players=players)


def test_rules_cannot_be_changed() -> None:
    rules = hf.Rules(players=4)
    with pytest.raises(FrozenInstanceError):
        rules.players = 5  # type: ignore[misc]
    assert len({rules, hf.Rules(players=4), hf.Rules(players=5)}) == 2


def test_the_turn_limit_is_part_of_the_rules() -> None:
    assert hf.Rules(players=4, turn_limit=2**31 - 1).new().to_dict()["turn_limit"] == 2**31 - 1
    assert hf.Rules(players=4, turn_limit=1) != hf.Rules(players=4)
