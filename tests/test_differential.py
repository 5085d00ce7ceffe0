"""The core and the reference engine agree in random games of every row, and the games reach every corner."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

import hansa_fast as hf
from tests import differential
from tests.coverage import expected
from tests.match import DifferenceError, Match, replay
from tests.rows import all_rules, row_name

LEAST = 10_000  # compared decisions of every row
MOST = 150_000  # after so many decisions everything must have been reached

# Section 1 of docs/rules.md.
ROWS = {
    ("2009", "standard-3"): (2, 3),
    ("2009", "standard-4-5"): (4, 5),
    ("big-box", "standard-3"): (3,),
    ("big-box", "standard-4-5"): (4, 5),
    ("big-box", "east"): (3, 4, 5),
    ("big-box", "britannia-3"): (3,),
    ("big-box", "britannia-4-5"): (4, 5),
}


def test_the_rows_are_those_of_the_rules() -> None:
    modules = [(False, False), (False, True), (True, False), (True, True)]
    wanted = [
        (edition, board, players, *both)
        for (edition, board), numbers in ROWS.items()
        for players in numbers
        for both in (modules if edition == "big-box" and board.startswith("standard") else modules[:1])
    ]
    found = [(row.edition, row.board, row.players, row.missions, row.favours) for row in all_rules()]
    assert sorted(found) == sorted(wanted)
    assert LEAST * len(found) >= 200_000


@pytest.mark.parametrize("rules", all_rules(), ids=row_name)
def test_engines_agree(rules: hf.Rules) -> None:
    coverage = differential.explore(rules, 1, LEAST, MOST)
    assert coverage.decisions >= LEAST
    assert coverage.missing(rules) == []


def test_the_rows_together_reach_everything() -> None:
    """Each row is checked against what it must reach; here that nothing is left to no row."""
    keys = set().union(*(expected(rules) for rules in all_rules()))
    for start, least in {"phase": 16, "verb": 80, "branch": 25, "end": 5, "tile": 6, "permanent": 5}.items():
        assert sum(key.startswith(start + " ") for key in keys) >= least, start


# A comparison that cannot fail proves nothing: each of these spoils one engine a little.


def spoiled_match(spoil: Any) -> Match:
    match = Match.opening(hf.Rules(players=4), 1)
    match.check()
    spoil(match)
    return match


def spoil_post(match: Match) -> None:
    match.twin.posts["Arnheim-Kampen 1"] = ("trader", 0)
    match.twin._menu_now = None


def spoil_turn(match: Match) -> None:
    match.twin._player = 1


def spoil_supply(match: Match) -> None:
    match.twin.players[3].supply["trader"] += 1


def spoil_score(match: Match) -> None:
    match.twin.completed = 0
    match.twin.scores = list  # type: ignore[method-assign]


@pytest.mark.parametrize(
    ("spoil", "word"),
    [(spoil_post, "legal only"), (spoil_turn, "player and phase"), (spoil_supply, "players"), (spoil_score, "scores")],
)
def test_a_difference_is_seen(spoil: Any, word: str) -> None:
    with pytest.raises(DifferenceError, match=word) as seen:
        spoiled_match(spoil).check()
    assert "rules = Rules(" in str(seen.value)
    assert "start = {" in str(seen.value)


def test_a_game_can_be_replayed() -> None:
    rules = hf.Rules(players=4)
    match = Match.opening(rules, 1)
    texts = ["place trader Arnheim-Kampen 1", "end", "displace trader Arnheim-Kampen 1", "pay 1 trader"]
    for text in texts:
        match.check()
        match.play(text)
    assert replay(rules, match.start, texts).state == match.state


def test_soak_runner() -> None:
    command = [sys.executable, "-m", "tests.differential", "--minutes", "0.01", "--seed", "3", "--report"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "no difference in" in run.stdout
    assert "phase main" in run.stdout


def test_soak_runner_stops_at_a_difference(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def differ(_minutes: float, _seed: int) -> None:
        spoiled_match(spoil_supply).check()

    monkeypatch.setattr(differential, "soak", differ)
    monkeypatch.setattr(sys, "argv", ["differential"])
    assert differential.main() == 1
    assert "rules = Rules(" in capsys.readouterr().err
