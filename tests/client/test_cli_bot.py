"""`hansa bot`, as people call it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hansa_fast.bots import KINDS
from tests.cli.runner import Runner
from tests.client import arena

HANSA = (sys.executable, "-m", "hansa_fast.cli")


def test_new_writes_a_bot_that_passes_the_check(run: Runner) -> None:
    done = run("bot", "new", "my_bot")
    assert (done.code, done.err) == (0, "")
    assert "class MyBot(Bot):" in Path("my_bot.py").read_text(encoding="utf-8")
    done = run("bot", "check", "my_bot.py", "--patience", "60", "--step", "hansa end", "--step", "teutonica end")
    assert (done.code, done.err) == (0, "")
    assert done.out.endswith("\n3 right, 0 wrong\n")


def test_list_is_what_the_docs_show(run: Runner) -> None:
    done = run("bot", "list")
    assert (done.code, done.err) == (0, "")
    page = (Path(__file__).parents[2] / "docs" / "opponents.md").read_text(encoding="utf-8")
    shown = page.partition("$ hansa bot list\n")[2].partition("```")[0]
    assert [line.rstrip() for line in done.out.splitlines()] == shown.splitlines()
    rows = run("bot", "list", "--json").json
    assert [(row["name"], row["version"], row["built_in"]) for row in rows] == [
        (kind.name, kind.version, kind.quick) for kind in KINDS.values()
    ]


def test_new_does_not_write_over_a_bot(run: Runner) -> None:
    Path("my_bot.py").write_text("precious", encoding="utf-8")
    done = run("bot", "new", "my_bot")
    assert (done.code, done.err) == (2, "hansa: my_bot.py is there already\n  hint: --force writes over it\n")
    assert Path("my_bot.py").read_text(encoding="utf-8") == "precious"
    assert run("bot", "new", "my_bot", "--force").code == 0
    assert Path("my_bot.py").read_text(encoding="utf-8") != "precious"


def test_check_says_what_is_wrong(run: Runner) -> None:
    command = f"{sys.executable} {Path(arena.__file__).parent / 'raw_bot.py'} illegal {{server}}"
    done = run("bot", "check", "--command", command, "--step", "hansa main", "--step", "many")
    assert done.code == 1
    assert "ok    hello: connects" in done.out
    assert "WRONG hansa main: answers in the phase main\n        1023 is no legal action in decision" in done.out
    assert done.out.endswith("\n1 right, 2 wrong\n")
    done = run("bot", "check", "--command", command, "--step", "hansa main", "--json")
    assert done.code == 1
    assert '"right": false' in done.out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["new", "my bot"], "'my bot' is no name for a bot"),
        (["check"], "name a bot, or give a --command"),
        (["check", "greedy", "--command", "x"], "name a bot, or give a --command"),
        (["check", "nobody.py"], "there is no such file"),
        (["check", "greedy", "--step", "dance"], "there is no step 'dance'"),
        (["run", "nobody"], "there are random, wavering, greedy"),
        (["run", "greedy", "--server", "here"], "--server must be HOST:PORT, not 'here'"),
        (["run", "greedy", "--log-level", "loud"], "--log-level must be one of"),
        (["run", "greedy", "--token-file", "no.token"], "no.token cannot be read"),
    ],
)
def test_mistakes(run: Runner, words: list[str], told: str) -> None:
    done = run("bot", *words)
    assert done.code == 2
    assert told in done.err


def test_without_the_kit(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hansa_client", None)
    done = run("bot", "run", "greedy")
    assert done.code == 2
    assert "pip install hansa_client" in done.err


@pytest.mark.parametrize("processes", [0, 2])
def test_run_plays_until_it_is_told_to_stop(tmp_path: Path, processes: int) -> None:
    """As a process of its own, with a token from a file; SIGTERM finishes the match that runs."""

    async def main() -> None:
        from hansa_server.auth import Role, create_token

        async with arena.arena(tmp_path, tokens=True) as there:
            _, token = create_token(there.server.store, Role.BOT, "greta")
            (tmp_path / "token").write_text(token + "\n", encoding="utf-8")
            options = ("--server", there.address, "--token-file", "token", "--processes", str(processes))
            process = subprocess.Popen([*HANSA, "bot", "run", "greedy", *options], cwd=tmp_path, stderr=subprocess.PIPE)
            try:
                await there.connected("greta")
                from hansa_fast import Rules

                match_id = there.server.arena.create_match(Rules(players=2, turn_limit=30), ("greta", "builtin:random"))
                process.send_signal(signal.SIGTERM)
                await arena.until(lambda: match_id not in there.server.arena.live)
                await arena.until(lambda: process.poll() is not None)
                assert process.returncode == 0
                outcome = there.server.store.load_match(match_id)
                assert outcome.is_over or outcome.state.is_over
                assert all(seat.forfeit is None for seat in outcome.seats)
            finally:
                process.kill()
                _, err = process.communicate()
            assert b"goodbye: " in err
            assert token.encode() not in err

    arena.run(main())


def test_a_wrong_token_is_told(tmp_path: Path) -> None:
    async def main() -> None:
        import asyncio

        async with arena.arena(tmp_path, tokens=True) as there:
            environment = {**os.environ, "HANSA_SERVER": there.address, "HANSA_TOKEN": "hansa_wrong"}
            process = await asyncio.create_subprocess_exec(
                *HANSA, "bot", "run", "random", env=environment, stderr=asyncio.subprocess.PIPE
            )
            _, err = await process.communicate()
            assert process.returncode == 4
            assert "the server does not accept the token: this token is not known here" in err.decode()
            assert "hansa_wrong" not in err.decode()

    arena.run(main())
