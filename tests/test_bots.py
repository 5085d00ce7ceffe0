"""The bots that come along: legal, repeatable, blind to what is hidden, and each stronger than the one below."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pytest

import hansa_fast as hf
from hansa_fast.bots import KINDS, Bot, BotNameError, Kind, make_bot, parse_bot, version_of
from tests.rows import RULES, row_name

TURNS = 100  # of each player: far more than a game between planners takes

# What each version of a bot chooses, as a digest. If one changes, the bot plays differently: raise its version.
SIGNATURES = {
    ("random", "1"): "dc034b28b803cd8a",
    ("wavering", "1"): "da14b6a0a93949dd",
    ("greedy", "1"): "61369f5e9e4be616",
    ("playouts", "1"): "443c6132bd874496",
    ("planner", "1"): "f973bfedd38faf15",
    ("search", "1"): "c4d56302380b4ec2",  # with the iterations of NAMES
}

# Every bot, with settings that make it quick and repeatable.
NAMES = [name if name != "search" else "search:iterations=60" for name in KINDS]


@pytest.mark.parametrize("rules", RULES, ids=row_name)
def test_the_planner_plays_whole_games_by_what_it_may_know(rules: hf.Rules) -> None:
    """Every choice is legal, and the same from the view and from a re-deal of all that the seat cannot know."""
    state = hf.Rules(**{**rules.to_dict(), "turn_limit": TURNS * rules.players}).new(3)
    bot = make_bot("planner")
    number = 0
    while not state.is_over:
        action = bot.choose(state, number)
        assert bot.choose(state.redeal(state.player, number), number) == action, (state, state.describe(action))
        if number % 8 == 0:
            view = hf.State.from_dict(state.rules, json.loads(json.dumps(state.view(state.player).to_dict())))
            assert bot.choose(view, number) == action, (state, state.describe(action))
        state.apply(action)  # raises if it is not legal
        number += 1
    assert "turn limit" not in state.result()["reasons"]


def test_redeals_do_change_what_is_hidden() -> None:
    """Otherwise the test above would show nothing."""
    for rules in (hf.Rules(players=3, missions=True), hf.Rules(game="hansa", players=3)):
        state = rules.new(3)
        assert len({state.redeal(0, seed).to_bytes() for seed in range(5)}) == 5


@pytest.mark.parametrize("name", NAMES)
def test_bots_repeat_themselves(name: str) -> None:
    state = hf.Rules(players=3, missions=True, turn_limit=3).new(5)
    number = 0
    while not state.is_over:
        action = make_bot(name).choose(state, number)
        assert make_bot(name).choose(state.copy(), number) == action
        state.apply(action)
        number += 1


@pytest.mark.parametrize("name", NAMES)
def test_bots_know_only_what_their_seat_knows(name: str) -> None:
    for rules in (hf.Rules(players=3, missions=True), hf.Rules(game="hansa", players=3)):
        state = rules.new(5)
        assert make_bot(name).choose(state, 3) == make_bot(name).choose(state.view(state.player), 3)


def test_the_planner_is_not_a_machine() -> None:
    """Equals are chosen among by the seed, so that games from one position differ."""
    for rules in (hf.Rules(players=4), hf.Rules(game="hansa", players=4)):
        start = rules.new(1)
        ends = {hf.playout(start, seed, "planner", 200)[0].to_bytes() for seed in range(6)}
        assert len(ends) > 1


@pytest.mark.parametrize("rules", RULES, ids=row_name)
def test_the_planner_beats_greedy_clearly(rules: hf.Rules) -> None:
    """Eight deals through all seats, always the same ones. Even play would win one game among as many seats."""
    deals, wins = 8, 0.0
    for seat in range(rules.players):
        batch = hf.Batch(rules, deals, seed=11, turn_limit=TURNS * rules.players)
        while (batch.players >= 0).any():
            mine = batch.players == seat
            batch.step(np.where(mine, batch.choose("planner"), batch.choose("greedy")).astype(np.int16))
        first = batch.ranks == 1
        wins += float((first[:, seat] / first.sum(axis=1)).sum())
    assert wins / (deals * rules.players) >= 0.6


def test_playouts_and_batches_take_the_planner() -> None:
    for rules in (hf.Rules(players=3), hf.Rules(game="hansa", players=3)):
        start = rules.new(2)
        alone = hf.playouts(start, 6, 1, policy="planner", turn_limit=300)
        assert alone == hf.playouts(start, 6, 1, threads=2, policy="planner", turn_limit=300)
        assert alone["decisions"] > 300
        batch = hf.Batch(rules, 4, seed=3, turn_limit=300)
        for game, action in enumerate(batch.choose("planner")):
            assert batch.state(game).is_legal(int(action))
        assert batch.playout("planner") > 200
        assert (batch.players == -1).all()


@pytest.mark.parametrize("rules", RULES, ids=row_name)
def test_a_whole_game_in_the_core_is_the_one_that_is_played_step_by_step(rules: hf.Rules) -> None:
    policies = ["planner", "uniform", "greedy", "planner", "uniform"][: rules.players]
    rules = hf.Rules(**{**rules.to_dict(), "turn_limit": 60})
    for begin, step in ((5, 1), (2**64 - 3, 2**63 + 12345)):
        played, asked = rules.new(4), rules.new(4)
        first = asked.choose(1, "greedy")
        for state in (played, asked):
            state.apply(first)
        before = played.copy()
        expected, seed = [], begin
        while not asked.is_over:
            expected.append(asked.choose(seed, policies[asked.player]))
            asked.apply(expected[-1])
            seed = (seed + step) % 2**64
        assert list(played.play(policies, begin, step)) == expected
        assert played == asked
        assert not played.legal_actions()
        assert list(played.play(policies, begin, step)) == [], "nothing is left to play"
        assert before != played


def test_a_game_longer_than_what_is_played_at_once() -> None:
    """The core stops for a moment now and then."""
    rules = hf.Rules(players=5, turn_limit=3000)
    played, asked = rules.new(1), rules.new(1)
    actions = played.play(["uniform"] * 5, 7)
    for number, action in enumerate(actions):
        assert asked.choose(7 + number, "uniform") == action
        asked.apply(action)
    assert len(actions) > 8192
    assert played == asked


def test_playing_whole_games_needs_policies_and_an_open_state() -> None:
    state = hf.Rules(players=3, missions=True).new(1)
    for policies, message in (
        (["greedy"] * 2, "policies: must be 3, one for each seat"),
        ("greedy", "policies: must be 3"),
        (["greedy", "greedy", "clever"], "policy: 'clever' is none of uniform, greedy, planner"),
    ):
        with pytest.raises(ValueError, match=message):
            state.play(policies, 1)
    with pytest.raises(ValueError, match="seed"):
        state.play(["greedy"] * 3, -1)
    with pytest.raises(hf.HiddenError, match="redeal"):
        state.view(0).play(["greedy"] * 3, 1)
    assert state == hf.Rules(players=3, missions=True).new(1)


# -- Names -----------------------------------------------------------------------------------------------------------


def test_names_and_settings() -> None:
    kind, settings = parse_bot("planner")
    assert (kind.name, settings) == ("planner", {})
    assert version_of("planner") == kind.version
    assert all(kind.about and kind.version and kind.name == name for name, kind in KINDS.items())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("planer", "did you mean planner"),
        ("", "there is no bot ''"),
        ("planner:", "'' is no setting of planner; its settings: none"),
        ("greedy:time=1", "'time' is no setting of greedy"),
    ],
)
def test_wrong_names(text: str, message: str) -> None:
    with pytest.raises(BotNameError, match=message):
        make_bot(text)


def test_settings_are_read_by_the_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def make(**settings: float) -> Bot:
        made.append(settings)
        return make_bot("random")

    kind = Kind("tried", "7", "for this test", make, {"time": float, "threads": int})
    monkeypatch.setitem(KINDS, "tried", kind)
    make_bot("tried:time=0.5,threads=2")
    make_bot("tried")
    assert made == [{"time": 0.5, "threads": 2}, {}]
    assert version_of("tried:threads=1") == "7"
    for text, message in (("tried:threads=x", "threads cannot be 'x'"), ("tried:time=1,time=2", "'time' is set twice")):
        with pytest.raises(BotNameError, match=message):
            make_bot(text)


@pytest.mark.parametrize("name", NAMES)
def test_a_version_stands_for_what_a_bot_chooses(name: str) -> None:
    """Positions of games between random and greedy players, the same for every bot."""
    kind, _ = parse_bot(name)
    digest = hashlib.sha256()
    for rules in RULES if kind.quick else RULES[:2]:
        state = hf.Rules(**{**rules.to_dict(), "turn_limit": 12 if kind.quick else 3}).new(9)
        number = 0
        while not state.is_over:
            digest.update(make_bot(name).choose(state, number).to_bytes(2, "big"))
            state.apply(state.choose(number, "greedy" if number % 3 else "uniform"))
            number += 1
    assert SIGNATURES[kind.name, kind.version] == digest.hexdigest()[:16]
