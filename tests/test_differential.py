"""The core and the reference engine agree in random games of every row, and the games reach every corner."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

import hansa_fast as hf
from tests import differential
from tests.match import DifferenceError, Match, replay
from tests.rows import RULES, row_name, rules_of

# Decisions of every row: so many are compared, and after so many everything must have been reached.
LEAST = {"teutonica": 10_000, "hansa": 40_000}
MOST = 150_000


def test_enough_decisions_are_compared() -> None:
    for game, together in {"teutonica": 200_000, "hansa": 100_000}.items():
        assert LEAST[game] * len(rules_of(game)) >= together


@pytest.mark.parametrize("rules", RULES, ids=row_name)
def test_engines_agree(rules: hf.Rules) -> None:
    coverage = differential.explore(rules, 1, LEAST[rules.game], MOST)
    assert coverage.decisions >= LEAST[rules.game]
    assert coverage.missing() == []


@pytest.mark.parametrize(
    ("game", "numbers"),
    [
        ("teutonica", {"phase": 16, "verb": 80, "branch": 25, "end": 5, "tile": 6, "permanent": 5}),
        ("hansa", {"phase": 7, "verb": 40, "branch": 45, "end": 2, "colour": 12, "score": 3}),
    ],
)
def test_there_is_much_to_reach(game: str, numbers: dict[str, int]) -> None:
    """Each row is checked against what it must reach; here that this is not little."""
    keys = differential.expected(game)
    for start, least in numbers.items():
        assert sum(key.startswith(start + " ") for key in keys) >= least, start


@pytest.mark.parametrize("info", hf.games(), ids=lambda info: info.name)
def test_every_phase_is_to_be_reached(info: hf.GameInfo) -> None:
    assert {f"phase {phase}" for phase in info.phases} <= differential.expected(info.name)


# A comparison that cannot fail proves nothing: each of these spoils one engine a little.


def spoil_post(match: Match[Any]) -> None:
    match.twin.posts["Arnheim-Kampen 1"] = ("trader", 0)
    match.twin._menu_now = None


def spoil_booths(match: Match[Any]) -> None:
    match.twin.booths["Riga"][0] = 2
    match.twin._menu_now = None


def spoil_turn(match: Match[Any]) -> None:
    match.twin._player = 1


def spoil_supply(match: Match[Any]) -> None:
    match.twin.players[3].supply["trader"] += 1


def spoil_talers(match: Match[Any]) -> None:
    match.twin.players[3].talers += 1


def spoil_score(match: Match[Any]) -> None:
    match.twin.scores = list


@pytest.mark.parametrize(
    ("game", "spoil", "word"),
    [
        ("teutonica", spoil_post, "legal only"),
        ("hansa", spoil_booths, "legal only"),
        ("teutonica", spoil_turn, "player and phase"),
        ("hansa", spoil_turn, "player and phase"),
        ("teutonica", spoil_supply, "players"),
        ("hansa", spoil_talers, "players"),
        ("teutonica", spoil_score, "scores"),
        ("hansa", spoil_score, "scores"),
    ],
)
def test_a_difference_is_seen(game: str, spoil: Any, word: str) -> None:
    match: Match[Any] = Match.opening(hf.Rules(game=game, players=4), 1)
    match.check()
    spoil(match)
    with pytest.raises(DifferenceError, match=word) as seen:
        match.check()
    assert "rules = Rules(" in str(seen.value)
    assert "start = {" in str(seen.value)


def test_a_game_can_be_replayed() -> None:
    rules = hf.Rules(players=4)
    match: Match[Any] = Match.opening(rules, 1)
    texts = ["place trader Arnheim-Kampen 1", "end", "displace trader Arnheim-Kampen 1", "pay 1 trader"]
    for text in texts:
        match.check()
        match.play(text)
    assert replay(rules, match.start, texts).state == match.state


def test_soak_runner() -> None:
    command = [sys.executable, "-m", "tests.differential", "--minutes", "0.01", "--seed", "3", "--report"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "teutonica: no difference in" in run.stdout
    assert "hansa: no difference in" in run.stdout
    assert "phase main" in run.stdout


def test_soak_runner_stops_at_a_difference(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def differ(_minutes: float, _seed: int) -> None:
        match: Match[Any] = Match.opening(hf.Rules(players=4), 1)
        spoil_supply(match)
        match.check()

    monkeypatch.setattr(differential, "soak", differ)
    monkeypatch.setattr(sys, "argv", ["differential"])
    assert differential.main() == 1
    assert "rules = Rules(" in capsys.readouterr().err
