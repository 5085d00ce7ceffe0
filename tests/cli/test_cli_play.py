"""Playing at the terminal, here through a pipe."""

import re
import sys
from pathlib import Path

import pytest

import hansa_fast as hf
from hansa_fast.cli import main
from hansa_fast.cli.choices import Choices
from tests.cli.runner import Runner, Stream


def play_with_hints(run: Runner, *args: str, limit: int = 400) -> str:
    """Play a game to its end by following the hints, a few answers at a time; returns the last output."""
    for _ in range(limit):
        done = run("play", *args, stdin="hint\n")
        assert done.code == 0
        hint = re.search(r"would choose (\d+): (.*)", done.out)
        if hint is None:
            return done.out
        done = run("play", *args, stdin=f"{hint[1]}\n")
        assert f"\n  {hint[2]}\n" in done.out
    raise AssertionError("the game does not end")


def test_a_whole_game_by_numbers(run: Runner) -> None:
    run("new", "--players", "3", "--seed", "3", "--turn-limit", "12", "--out", "game.hansa")
    last = play_with_hints(run, "game.hansa")
    assert "Final scores" in last
    game = hf.Game.load("game.hansa")
    assert game.state.is_over
    assert game.tags == {"Seat 0": "human", "Seat 1": "greedy", "Seat 2": "greedy"}
    assert run("record", "check", "game.hansa").code == 0


def test_numbers_texts_and_beginnings_are_the_same(run: Runner) -> None:
    saved = []
    text = "place trader Kampen-Osnabrück 1"
    number = Choices(hf.Rules(players=3).new(3)).texts.index(text) + 1
    for answer in (
        str(number),
        text,
        text.upper(),
        "place trader Kampen-Osnabrueck 1",
        "pl tr kam osn 1",
        "place t kampen-osn 1",
    ):
        done = run("play", "-p", "3", "--seed", "3", "--save", "game.hansa", stdin=f"{answer}\nquit\n")
        assert f"\n  {text}\n" in done.out, answer
        saved.append(Path("game.hansa").read_text(encoding="utf-8"))
    assert len(set(saved)) == 1
    assert hf.Game.load("game.hansa").actions == (hf.Rules(players=3).new(3).parse(text),)


def test_several_choices_are_listed_and_none_is_played(run: Runner) -> None:
    done = run("play", "-p", "3", "--seed", "3", "--save", "game.hansa", stdin="place trader kamp 1\nplace\nall\n")
    assert "place trader Arnheim-Kampen 1" in done.out
    assert "place trader Arnheim-Duisburg 1/2/3" in done.out
    assert "another word makes them fewer" in done.out
    assert not Path("game.hansa").exists()  # nothing was played, so there is nothing to save


def test_mistakes_in_the_game(run: Runner) -> None:
    done = run("play", "-p", "3", "--seed", "3", stdin="\n0\n999\nplase trader Hamburg-Stade 1\nundoo\nundo\nend of\n")
    assert done.code == 0
    assert "A number, a text, or `help`." in done.out
    assert "There is no choice 0" in done.out
    assert "There is no choice 999" in done.out
    assert "did you mean place trader Hamburg-Stade 1" in done.out
    assert "did you mean undo?" in done.out
    assert "There is nothing to take back." in done.out
    assert not list(Path().iterdir())


def test_every_word_of_the_help_works(run: Runner) -> None:
    words = ["help", "?", "all", "show", "map", "list", "desk", "scores", "log", "hint", "undo", "save other.hansa"]
    stdin = "".join(f"{word}\n" for word in ["end", *words])
    done = run("play", "-p", "3", "--seed", "3", "--save", "game.hansa", stdin=stdin)
    for text in (
        "Answer with a number",
        "Routes",
        "Scores if the game ended now",
        "2. 1 greedy: ",
        "The greedy bot would choose",
    ):
        assert text in done.out
    assert "Taken back: end" in done.out
    assert "Saved in other.hansa" in done.out
    assert len(hf.Game.load("other.hansa")) == 0


def test_undo_takes_the_answers_of_the_bots_back_too(run: Runner) -> None:
    run("play", "-p", "3", "--seed", "3", "--save", "once.hansa", stdin="end\nhint\n")
    done = run("play", "-p", "3", "--seed", "3", "--save", "twice.hansa", stdin="end\nundo\nend\nhint\n")
    assert "Taken back: end" in done.out
    assert hf.Game.load("once.hansa") == hf.Game.load("twice.hansa")
    game = hf.Game.load("once.hansa")
    assert {state.player for state, _, _ in game.steps()} == {0, 1, 2}
    run("play", "once.hansa", stdin="undo\nincome 1\nquit\n")
    assert hf.Game.load("once.hansa").actions == (hf.Rules(players=3).new(3).parse("income 1 trader"),)


def test_undo_in_the_middle_of_a_decision_chain(run: Runner) -> None:
    game = hf.Game(hf.Rules(players=3), 3)
    game.play("place trader Hamburg-Stade 1")
    game.save("game.hansa")
    done = run("play", "game.hansa", stdin="move\nundo\nundo\nquit\n")
    assert "Taken back: move" in done.out
    assert "Taken back: place trader Hamburg-Stade 1" in done.out
    assert len(hf.Game.load("game.hansa")) in (0, 1)


def test_seats_bots_and_names(run: Runner) -> None:
    options = ["--seat", "1", "--bot", "uniform", "--bot", "2=greedy", "--name", "anna"]
    run("play", "-p", "3", "--seed", "3", "--save", "game.hansa", *options, stdin="end\n")
    game = hf.Game.load("game.hansa")
    assert game.tags == {"Seat 0": "uniform", "Seat 1": "anna", "Seat 2": "greedy"}
    again = run("play", "game.hansa", stdin="scores\n")
    assert "anna decides" in again.out
    assert hf.Game.load("game.hansa").tags == game.tags


def test_a_person_against_the_search(run: Runner) -> None:
    """It has its settings in its name, and the record keeps them; taking back and playing the same is the same game."""
    options = ["-p", "3", "--seed", "3", "--bot", "search:iterations=20", "--bot", "2=planner", "--save", "game.hansa"]
    run("play", *options, stdin="income 2 traders\nend\nquit\n")
    game = hf.Game.load("game.hansa")
    assert game.tags == {"Seat 0": "human", "Seat 1": "search:iterations=20", "Seat 2": "planner"}
    assert {state.player for state, _, _ in game.steps()} >= {0, 1, 2}
    run("play", "game.hansa", stdin="undo\nundo\nincome 2 traders\nend\nquit\n")
    assert hf.Game.load("game.hansa") == game


def test_several_people_at_one_terminal(run: Runner) -> None:
    done = run(
        "play",
        "-p",
        "2",
        "--seed",
        "3",
        "--seat",
        "0",
        "--seat",
        "1",
        "--save",
        "game.hansa",
        stdin="pawn P4\nend\nend\n",
    )
    game = hf.Game.load("game.hansa")
    assert [state.player for state, _, _ in game.steps()] == [1, 0, 1]
    assert "human decides" in done.out


def test_bots_alone_play_a_whole_game(run: Runner) -> None:
    done = run(
        "play",
        "-p",
        "2",
        "--seed",
        "3",
        "--bot",
        "0=greedy",
        "--bot",
        "1=greedy",
        "--turn-limit",
        "20",
        "--save",
        "a.hansa",
    )
    assert "Final scores" in done.out
    assert hf.Game.load("a.hansa").state.is_over


def test_only_what_the_person_may_know_is_shown(run: Runner) -> None:
    game = hf.Game(hf.Rules(players=3, missions=True), 3)
    game.save("game.hansa")
    shown = run("play", "game.hansa", stdin="list\n").out
    missions = [player["mission"] for player in game.state.to_dict()["players"]]
    assert ", ".join(missions[0]) in shown
    assert ", ".join(missions[1]) not in shown
    assert ", ".join(missions[2]) not in shown


def test_a_record_is_never_overwritten_by_a_new_game(run: Runner) -> None:
    for _ in range(3):
        run("play", "-p", "3", "--seed", "3", stdin="end\n")
    assert {path.name for path in Path().iterdir()} == {"game-3.hansa", "game-3-2.hansa", "game-3-3.hansa"}


def test_interrupting_saves(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(Stream):
        def readline(self, _size: int | None = -1) -> str:  # type: ignore[override]
            if self.getvalue():
                self.truncate(0)
                return "end\n"
            raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stdin", Interrupted("end\n"))
    assert main(["play", "-p", "3", "--seed", "3", "--save", "game.hansa"]) == 130
    assert len(hf.Game.load("game.hansa")) > 0
    assert run("record", "check", "game.hansa").code == 0


def test_saving_where_nothing_can_be_written(run: Runner) -> None:
    done = run(
        "play", "-p", "3", "--seed", "3", "--save", "no/game.hansa", stdin="end\nsave no/other.hansa\nsave game.hansa\n"
    )
    assert "no/other.hansa: cannot be written" in done.out
    assert done.code == 0
    assert run("play", "-p", "3", "--seed", "3", "--save", "no/game.hansa", stdin="end\n").code == 3


def test_the_second_game_is_played_through_the_same_door(run: Runner) -> None:
    run("new", "--game", "hansa", "--players", "2", "--seed", "1", "--turn-limit", "4", "--out", "game.hansa")
    assert "Final scores" in play_with_hints(run, "game.hansa")
    assert run("show", "game.hansa").code == 0
    assert run("replay", "game.hansa").code == 0
    assert "data-ship" in run("show", "game.hansa", "--svg", "-").out
    assert "data-city" in run("boards", "hansa-2004", "--svg", "-").out


def test_the_desk_is_shown_when_the_first_turn_begins(run: Runner) -> None:
    """The set-up of Hansa belongs to no turn: three booths are placed, then the talers of the first turn are there."""
    done = run("play", "--game", "hansa", "-p", "2", "--seed", "3", "--save", "game.hansa", stdin="1\n1\n1\n")
    assert re.findall(r"^0 human +(\d) talers +(\d+) booths", done.out, re.MULTILINE) == [("3", "15"), ("6", "9")]
