"""Every mistake is told with its exit code, what may help, and no traceback."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import hansa_fast as hf
from hansa_fast.cli import main
from tests.cli.runner import Runner, Stream


def position(**changes: Any) -> str:
    """A position as text, with some entries replaced."""
    return json.dumps({"rules": {"players": 3}, "state": hf.Rules(players=3).new(1).to_dict()} | changes)


MISTAKES = {
    "no command": (["shwo"], 2, "Did you mean 'show'?"),
    "no option": (["show", "x", "--jsn"], 2, "--json"),
    "argument missing": (["show"], 2, "FILE"),
    "a number is needed": (["new", "--players", "three"], 2, "--players"),
    "too small": (["new", "--seed", "-1"], 2, "--seed"),
    "no board": (["boards", "esat"], 2, "did you mean east?"),
    "no board at all": (["boards", "qqqq"], 2, "standard-4-5"),
    "which board": (["boards", "--svg", "x.svg"], 2, "east"),
    "no layout": (["boards", "--layout", "mpa"], 2, "did you mean map?"),
    "no such rules": (["new", "--board", "brittania-3"], 2, "did you mean britannia-3?"),
    "rules that do not fit": (["new", "--players", "9"], 2, "takes 4 or 5 players, not 9"),
    "too many names": (["new", "--players", "2", "--name", "a", "--name", "b", "--name", "c"], 2, "2 players"),
    "no file": (["show", "gam.hansa"], 3, "did you mean game.hansa?"),
    "no folder": (["show", "nowhere/game.hansa"], 3, "no folder nowhere"),
    "a folder": (["show", "."], 3, "."),
    "empty": (["show", "empty"], 3, "is empty"),
    "not text": (["show", "bytes"], 3, "UTF-8"),
    "not JSON": (["show", "broken.json"], 3, "line 1"),
    "no position": (["show", "list.json"], 3, '{"rules": {...}, "state": {...}}'),
    "unknown key": (["show", "key.json"], 3, "did you mean names?"),
    "unknown rule": (["show", "rule.json"], 3, "did you mean players?"),
    "wrong rules": (["show", "rules.json"], 3, "takes"),
    "wrong names": (["show", "names.json"], 3, "must be 3 texts"),
    "impossible": (["show", "impossible.json"], 3, "\n  "),
    "no record": (["show", "noise.txt"], 3, "hansa record check noise.txt"),
    "past the end": (["show", "game.hansa", "--at", "9"], 2, "has 1 actions"),
    "no such seat": (["show", "game.hansa", "--view", "3"], 2, "from 0 to 2"),
    "position without a past": (["show", "good.json", "--at", "0"], 2, "a record is needed"),
    "replay of a position": (["replay", "good.json"], 2, "a record is needed"),
    "step and json": (["replay", "game.hansa", "--step", "--json"], 2, "--step"),
    "perft of a view": (["perft", "view.json"], 2, "hides"),
    "perft with rules twice": (["perft", "game.hansa", "--players", "3"], 2, "leave out"),
    "perft without a record": (["perft", "--at", "1"], 2, "--at needs a record"),
    "divide nothing": (["perft", "--depth", "0", "--divide"], 2, "--divide"),
    "play with rules twice": (["play", "game.hansa", "--seed", "0"], 2, "leave out"),
    "play from the input": (["play", "-"], 2, "must be a file"),
    "play a position": (["play", "good.json"], 2, "a record is needed"),
    "no such bot": (["play", "--bot", "gredy"], 2, "did you mean greedy?"),
    "wrong setting of a bot": (["play", "--bot", "search:time=x"], 2, "time cannot be 'x'"),
    "bot at no seat": (["play", "--players", "3", "--bot", "3=greedy"], 2, "from 0 to 2"),
    "person at no seat": (["play", "--players", "3", "--seat", "3"], 2, "from 0 to 2"),
    "names for nobody": (["play", "--players", "3", "--name", "a", "--name", "b"], 2, "2 names"),
    "cannot write": (["new", "--out", "nowhere/game.hansa"], 3, "cannot be written"),
    "cannot make a folder": (["demo", "--out", "empty"], 3, "cannot be made"),
    "quick signature": (["bench", "--signature", "--quick"], 2, "--quick"),
    "check what is missing": (["record", "check"], 2, "FILE"),
}


@pytest.fixture
def files(run: Runner) -> Runner:
    """The files the mistakes are about."""
    game = hf.Game(hf.Rules(players=3), 1)
    game.play("end")
    game.save("game.hansa")
    view = hf.Rules(players=3).new(1).view(0).to_dict()
    texts = {
        "empty": " \n",
        "broken.json": '{"rules": ',
        "list.json": '{"a": 1}',
        "good.json": position(),
        "view.json": position(state=view),
        "key.json": position(name=["a", "b", "c"]),
        "rule.json": position(rules={"player": 3}),
        "rules.json": position(rules={"players": 3, "board": "standard-4-5"}),
        "names.json": position(names=["a"]),
        "impossible.json": position(state={"turn": -1}),
        "noise.txt": "what is this\n",
    }
    for name, text in texts.items():
        Path(name).write_text(text, encoding="utf-8")
    Path("bytes").write_bytes(b"\xff\xfe\x00")
    return run


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake(files: Runner, name: str) -> None:
    args, code, help_text = MISTAKES[name]
    done = files(*args)
    assert done.code == code, done
    assert done.out == ""
    assert done.err.startswith("hansa: ")
    assert help_text in done.err
    assert "Traceback" not in done.err


def test_interrupted(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(Stream):
        def read(self, _size: int | None = -1) -> str:
            raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stdin", Interrupted())
    assert main(["show", "-"]) == 130
    assert run("boards").code == 0


def test_version_and_help(run: Runner) -> None:
    assert run("--version").out.startswith("hansa_fast ")
    done = run("--help")
    assert done.code == 0
    assert "Exit codes: 0 all right; 1 a check failed; 2 called wrongly; 3" in " ".join(done.out.split())
    bare = run()
    assert (bare.code, bare.err.splitlines()[0]) == (2, "hansa: a command is needed")
    assert bare.out.rstrip() == done.out.rstrip()


@pytest.mark.parametrize(
    "command",
    ["boards", "new", "show", "legal", "analyse", "play", "replay", "perft", "bench", "demo", "record", "record check"],
)
def test_every_help_has_an_example(run: Runner, command: str) -> None:
    done = run(*command.split(" "), "--help")
    assert done.code == 0
    assert f"Example: hansa {command}" in " ".join(done.out.split())
