"""`hansa bot check`: bots that are right pass, each mistake is found where it is made."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from hansa_client import OptionError
from hansa_client.check import Judged, Report, check_command
from hansa_client.check._steps import GAMES, all_steps
from hansa_client.check._table import find_positions, phases
from tests.client.raw_bot import FAULTS

PYTHON = shlex.quote(sys.executable)
RAW_BOT = shlex.quote(str(Path(__file__).parent / "raw_bot.py"))


def check(fault: str, *steps: str, patience: float = 60.0) -> Report:
    """Check the raw bot with this fault."""
    return check_command(f"{PYTHON} {RAW_BOT} {fault} {{server}}", patience=patience, only=steps)


def problems(report: Report) -> dict[str, str]:
    """What was wrong, by step."""
    return {step.name: step.problem for step in report.steps if step.state == "wrong"}


def test_an_included_bot_passes() -> None:
    """The other one is checked with the bots of all languages."""
    told: list[Judged] = []
    report = check_command(f"{PYTHON} -m hansa_client random --server {{server}}", patience=60.0, tell=told.append)
    assert report.is_right, report.to_dict()
    assert told == report.steps
    assert [step.name for step in report.steps] == [step.name for step in all_steps()]
    assert not any(step.notes for step in report.steps)
    assert "goodbye" in report.output


def test_the_address_comes_in_the_environment_and_no_token_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot with a token would leave its name out, and is not checked with one."""
    monkeypatch.setenv("HANSA_TOKEN", "secret")
    monkeypatch.setenv("HANSA_SERVER", "127.0.0.1:1")
    report = check_command(f"{PYTHON} -m hansa_client random", patience=60.0, only=("many",))
    assert report.is_right, report.to_dict()
    assert not any(step.notes for step in report.steps)


def test_a_bot_without_the_kit_passes() -> None:
    report = check("none")
    assert report.is_right, report.to_dict()
    answered_twice = [step.name for step in report.steps if any("answered twice" in note for note in step.notes)]
    assert answered_twice == ["repeated"]  # it answers what comes twice twice, which costs nothing


# Where a fault shows, and what is said about it. The patience is short where nothing comes, so that the test is too.
FOUND = {
    "silent": ("hansa main", "no answer within 3 seconds to decision", 3.0),
    "illegal": ("hansa main", "1023 is no legal action in decision", 60.0),
    "stale": ("hansa main", "an answer carries the sequence of its decision request", 60.0),
    "empty": ("hansa main", "holds neither an action nor a text", 60.0),
    "resigns": ("hansa main", "the bot resigns instead of an answer", 60.0),
    "stubborn": ("rejected", "again, which was rejected", 60.0),
    "strict": ("unknown", "the bot's process ended with exit code 1", 60.0),
    "leaves": ("cut", "the bot's process ended with exit code 0", 60.0),
    "sulks": ("cut", "the bot did not come back within 4 seconds", 3.0),
    "renames": ("cut", "the bot came back as 'raw-2'; it was 'raw-1' before", 60.0),
    "mute": ("hello", "hello.max_matches must be at least 1", 60.0),
    "rude": ("hello", "the first message of a stream must be hello, not answer", 60.0),
    "talkative": ("hello", "the bot sends answer, but nobody asked it", 60.0),
    "deaf": ("stop", "neither said goodbye nor ended within 3 s", 3.0),
}


def test_every_fault_has_a_row() -> None:
    assert set(FAULTS) == {"none", *FOUND}


@pytest.mark.parametrize("fault", FOUND)
def test_faults_are_found(fault: str) -> None:
    step, told, patience = FOUND[fault]
    report = check(fault, step, patience=patience)
    assert list(problems(report)) == [step]
    assert told in problems(report)[step]


def test_what_comes_after_a_dead_bot_is_left_out() -> None:
    report = check("strict", "unknown", "slow", "stop")
    assert [(step.name, step.state) for step in report.steps] == [
        ("hello", "right"),
        ("unknown", "wrong"),
        ("slow", "left out"),
        ("stop", "left out"),
    ]
    assert "a message I do not know" in report.output


def test_hope_ends_after_some_steps() -> None:
    report = check("illegal", "hansa place", "hansa main", "hansa sell", "hansa lose")
    assert [step.state for step in report.steps] == ["right", "wrong", "wrong", "wrong", "left out"]


def test_a_bot_that_never_connects() -> None:
    report = check_command(f"{PYTHON} -c 'print(\"{{server}} is too far\")'")
    assert not report.is_right
    assert problems(report) == {"hello": "the bot's process ended with exit code 0"}
    assert "is too far" in report.output


@pytest.mark.parametrize(
    ("command", "only", "told"),
    [
        (" ", (), "the command that starts the bot is empty"),
        ("./there-is-no-such-bot {server}", (), "cannot be started"),
        ("./my_bot {server}", ("dance",), "there is no step 'dance'"),
    ],
)
def test_commands_that_cannot_be(command: str, only: tuple[str, ...], told: str) -> None:
    with pytest.raises(OptionError, match=told):
        check_command(command, only=only)


@pytest.mark.parametrize("game", GAMES)
def test_positions_of_every_phase(game: str) -> None:
    found = find_positions(game)
    assert list(found) == phases(game)
    for phase, make in found.items():
        table = make()
        assert table.state.phase == phase
        assert len(table.state.legal_actions()) > 1
        assert table.seat == table.state.player
