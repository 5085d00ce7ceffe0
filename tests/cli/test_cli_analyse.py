"""`hansa analyse`: what it tells, in words and as JSON, and what it refuses."""

from __future__ import annotations

import pytest

import hansa_fast as hf
from tests.cli.runner import Runner


@pytest.fixture
def game() -> hf.Game:
    """A record of some actions, in the folder of the test."""
    game = hf.Game(hf.Rules(players=3, missions=True), seed=5, tags={"Seat 0": "anna", "Seat 1": "bert"})
    for number in range(40):
        game.play(game.state.choose(number, "greedy"))
    return game


@pytest.fixture(autouse=True)
def saved(game: hf.Game, run: Runner) -> None:  # noqa: ARG001 (the runner changes to the folder of the test)
    """Save the game where the command finds it."""
    game.save("game.hansa")


def test_json_is_what_the_search_finds(run: Runner, game: hf.Game) -> None:
    found = run("analyse", "game.hansa", "--at", "30", "--iterations", "200", "--seed", "3", "--json").json
    state = game.state_at(30)
    expected = hf.Search("search:iterations=200", seed=3).analyse(state)
    assert (found["player"], found["phase"], found["seed"]) == (state.player, state.phase, 3)
    assert (found["settings"], found["iterations"]) == ("search:iterations=200", 200)
    assert (found["nodes"], len(found["actions"])) == (expected.nodes, min(10, len(expected.candidates)))
    for entry, candidate in zip(found["actions"], expected.candidates, strict=False):
        assert (entry["id"], entry["visits"]) == (candidate.action, candidate.visits)
        assert entry["text"] == state.describe(candidate.action) == entry["line"][0]
        assert entry["place"] == pytest.approx(candidate.place, abs=1e-3)
        assert entry["score"] == pytest.approx(candidate.score, abs=1e-3)


def test_the_table_has_a_line_an_action(run: Runner, game: hf.Game) -> None:
    done = run("analyse", "game.hansa", "--iterations", "100", "--top", "2", "--threads", "2")
    assert done.code == 0
    who, title, head, *rows, line = done.out.splitlines()
    assert "decides" in who and "expected place" in title and line.startswith("goes on: ")
    assert head.split() == ["action", "visits", "share", "anna", "bert", "?"]
    assert len(rows) == min(2, len(game.state.legal_actions()))
    assert "100 iterations" in done.err and "actions tried" in done.err


def test_positions_and_views_can_be_analysed(run: Runner, game: hf.Game) -> None:
    open_ = run("show", "game.hansa", "--json").out
    seen = run("show", "game.hansa", "--json", "--view", str(game.state.player)).out
    assert open_ != seen
    words = ("analyse", "-", "--iterations", "60", "--json")
    first, second = (run(*words, stdin=text).json for text in (open_, seen))
    assert first | {"seconds": 0} == second | {"seconds": 0}


def test_time_is_the_usual_limit(run: Runner) -> None:
    found = run("analyse", "game.hansa", "--time", "0.05", "--json").json
    assert found["settings"] == "search:time=0.05" and found["seconds"] >= 0.05


@pytest.mark.parametrize(
    ("words", "code", "problem"),
    [
        (("--at", "41"), 2, "has 40 actions"),
        (("--time", "0"), 2, "time: must be a number from 0.001 to 86400, not 0"),
        (("--iterations", "0"), 2, "iterations: must be a whole number from 1"),
        (("--threads", "1000"), 2, "threads: must be a whole number from 1 to 256, not 1000"),
        (("--playout", "clever"), 2, "playout: 'clever' is none of uniform, greedy"),
        (("--top", "0"), 2, "--top"),
    ],
)
def test_mistakes(run: Runner, words: tuple[str, ...], code: int, problem: str) -> None:
    done = run("analyse", "game.hansa", *words)
    assert (done.code, done.out) == (code, "")
    assert problem in done.err


def test_a_finished_game_has_nothing_to_decide(run: Runner) -> None:
    game = hf.Game(hf.Rules(game="hansa", players=2), seed=1)
    while not game.state.is_over:
        game.play(game.state.choose(len(game), "greedy"))
    game.save("over.hansa")
    done = run("analyse", "over.hansa")
    assert done.code == 2 and "the game is over" in done.err
