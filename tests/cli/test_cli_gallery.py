"""The game of the gallery is a game: legal, over, annotated where it says, and played again as far as there is time."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import hansa_fast as hf
from benches import gallery
from hansa_fast.bots import make_bot, version_of
from tests.cli.runner import Runner

DOCS = Path(__file__).parents[2] / "docs"
AGAIN = 24  # actions that are played again; all of them take a minute


@pytest.fixture(scope="module")
def game() -> hf.Game:
    """Loading replays it, so every action is legal and the result is the one of the header."""
    return hf.Game.load(gallery.RECORD)


def test_the_game_is_whole(game: hf.Game) -> None:
    assert game.rules == gallery.RULES
    assert game.seed == gallery.SEED
    assert game.state.is_over
    assert "turn limit" not in game.state.result()["reasons"]
    for seat, (who, bot) in enumerate(gallery.SEATS.items()):
        assert game.tags[f"Seat {seat}"] == who
        assert game.tags[f"Bot {seat}"] == f"{bot}, version {version_of(bot)}"
    assert game.to_text() == gallery.RECORD.read_text(encoding="utf-8")


def test_the_bots_play_it_again(game: hf.Game) -> None:
    """The beginning by all four, from their own seeds; and the planners' part to the end."""
    bots = [make_bot(bot) for bot in gallery.SEATS.values()]
    for number, (state, action, text) in enumerate(game.steps()):
        if number < AGAIN or list(gallery.SEATS.values())[state.player] == "planner":
            assert bots[state.player].choose(state, number) == action, (number, text)


def test_notes_are_on_turns_that_were_played(game: hf.Game, run: Runner) -> None:
    turns = {state.turn + 1: state for state, _, _ in game.steps()}
    notes = {int(name.split()[1]): text for name, text in game.tags.items() if name.startswith("Note ")}
    assert len(notes) >= 10
    assert notes.keys() <= turns.keys()
    assert max(notes) == max(turns)
    shown = " ".join(run("replay", str(gallery.RECORD)).out.split())
    stepped = " ".join(run("replay", str(gallery.RECORD), "--step", stdin="\n" * len(turns) + "q\n").out.split())
    for number, text in notes.items():
        assert text in shown
        assert text in stepped
        # Places that a note names are places where something is in play.
        for route in re.findall(r"\b[A-ZÖ]\w+-[A-Z]\w+", text):
            assert route in game.to_text().partition("\n\n")[2], (number, route)


def test_the_page_tells_of_this_game(game: hf.Game, run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (DOCS / "gallery.md").read_text(encoding="utf-8")
    points = [int(cell) for cell in re.findall(r"^\| \d \| \w+ \| `[^`]+` \| (\d+) \|$", page, re.MULTILINE)]
    assert points == [score["total"] for score in game.state.scores()]
    monkeypatch.chdir(DOCS.parent)
    command, _, told = page.partition("$ hansa analyse ")[2].partition("```")[0].partition("\n")
    assert run("analyse", *command.split()).out == told
