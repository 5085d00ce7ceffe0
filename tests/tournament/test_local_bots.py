"""Local bots: real processes on a real server, which crash, hang, talk and leave families behind."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from hansa_server.errors import BadField, CannotStart, NotNow
from hansa_server.tournament import local_bots
from hansa_server.tournament.local_bots import LocalBots, bot_environment, check_command
from tests.server.bots import Table, clock, run, short, table, until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="local bots are started on Linux only")

TLS = Path(__file__).parents[1] / "client" / "tls"

# A bot that tells what happens to it. `crash(life, decision)` is put in where it matters.
SCRIPTED = """
import os, signal, sys, time
from pathlib import Path
from hansa_client import Bot, run

lives = Path(__file__).with_suffix(".lives")
with lives.open("a") as file:
    file.write("x")
life = len(lives.read_text())

def crash(life, decision):
    {crash}

crash(life, 0)

class Scripted(Bot):
    views = texts = False
    decisions = 0

    def match_started(self, match):
        print(f"life {{life}} begins {{match.id}}", file=sys.stderr)

    def choose(self, view, legal):
        self.decisions += 1
        crash(life, self.decisions)
        return legal[self.decisions % len(legal)]

    def match_ended(self, match, result):
        print(f"life {{life}} ends {{match.id}}")

run(Scripted(), ["--log-level", "error"])
"""

# A program that leaves others behind: a child, one in a session of its own, and a daemon that forked twice.
FAMILY = """
import os, signal, subprocess, sys, time

signal.signal(signal.SIGTERM, signal.SIG_IGN)
if sys.argv[1:]:
    time.sleep(600)
again = [sys.executable, "-I", "-S", __file__]
subprocess.Popen([*again, "child"])
subprocess.Popen([*again, "session"], start_new_session=True)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execv(sys.executable, [*again, "daemon"])
    os._exit(0)
os.wait()
print("all are here", flush=True)
{end}
"""

# A server with a bot that plays and a family, to be killed.
VICTIM = """
import asyncio, sys
from pathlib import Path
from hansa_server.tournament.local_bots import LocalBots
from tests.server.bots import short, table, until

async def main(folder, playing, family):
    async with table(Path(folder)) as there:
        keeper = there.server.gatekeeper
        bots = LocalBots(there.server.address, keeper.lend, keeper.take_back, restarts=3, log_bytes=1000)
        await bots.acquire("family", family, "m2")
        name = await bots.acquire("alpha", playing, "m1")
        await until(lambda: name in there.arena.sessions)
        await there.create(short(2), [name, "builtin:random"])
        await until(lambda: "all are here" in bots.log("m2", "family"))
        print("ready", flush=True)
        await asyncio.sleep(600)

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.fixture(autouse=True)
def _same_packages_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """What can be imported here can be imported by every program a test starts."""
    paths = [os.path.abspath(path) for path in sys.path if os.path.isdir(path)]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))


def script(folder: Path, text: str, name: str = "bot.py") -> str:
    """The command that runs this program."""
    path = folder / name
    path.write_text(text)
    return shlex.join([sys.executable, str(path)])


def scripted(folder: Path, crash: str = "pass") -> str:
    """The command of a bot that tells what happens to it."""
    return script(folder, SCRIPTED.format(crash=crash))


def family(folder: Path, end: str = "time.sleep(600)") -> str:
    """The command of a program that leaves others behind."""
    return script(folder, FAMILY.format(end=end), "family.py")


def processes(folder: Path) -> list[str]:
    """Command lines of all processes with a program in this folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        if str(folder) in line and path.parent.name != str(os.getpid()):
            found.append(line)
    return found


class Bots:
    """Local bots at a server."""

    def __init__(self, there: Table, options: dict[str, Any]) -> None:
        self.there = there
        self.tokens: dict[str, str] = {}  # by name of the slot; newest
        self.made: list[str] = []  # ids
        self.revoked: list[str] = []
        options = {"restarts": 3, "log_bytes": 65_536, **options}
        self.local = LocalBots(options.pop("server", there.server.address), self.lend, self.take_back, **options)

    def lend(self, name: str) -> tuple[str, str]:
        token_id, self.tokens[name] = self.there.server.gatekeeper.lend(name)
        self.made.append(token_id)
        return token_id, self.tokens[name]

    def take_back(self, token_id: str) -> None:
        self.revoked.append(token_id)
        self.there.server.gatekeeper.take_back(token_id)

    async def start(self, command: str, match: str = "m1", **more: Any) -> str:
        """A slot whose bot is connected."""
        slot = await self.local.acquire("alpha", command, match, **more)
        await until(lambda: slot in self.there.arena.sessions, f"{slot}: {self.local.log(match, 'alpha')}")
        return slot

    async def said(self, match: str, words: str) -> None:
        """Wait until these words are in a log."""
        await until(lambda: words in self.local.log(match, "alpha"), words)

    async def play(self, slot: str, **more: Any) -> Any:
        """A match to its end."""
        match_id = await self.there.create(short(2), [slot, "builtin:random"], **more)
        return await self.there.finished(match_id)


@asynccontextmanager
async def local(folder: Path, *, settings: dict[str, Any] | None = None, **options: Any) -> AsyncIterator[Bots]:
    """A server with local bots. Afterwards nothing of them is left: no process, no token."""
    async with table(folder, **(settings or {})) as there:
        bots = Bots(there, options)
        try:
            yield bots
        finally:
            await bots.local.close()
        assert sorted(bots.revoked) == sorted(bots.made)
        assert not processes(folder)
        await until(there.is_quiet)


def test_plays_match_after_match_in_one_slot(tmp_path: Path) -> None:
    async def main() -> None:
        async with local(tmp_path) as bots:
            command = scripted(tmp_path)
            ended = {}
            for number in (1, 2):
                slot = await bots.start(command, f"m{number}")
                assert slot == "alpha.1", "the same one again"
                match = await bots.play(slot)
                assert not any(seat.forfeit for seat in match.result.seats)
                await bots.said(f"m{number}", f"life 1 ends {match.match_id}\n")
                log = ended[number] = await bots.local.release(slot, f"m{number}")
                assert log == bots.local.log(f"m{number}", "alpha")
                assert log == f"life 1 begins {match.match_id}\nlife 1 ends {match.match_id}\n"
                assert not bots.local.failures(f"m{number}")
            assert ended[1] != ended[2]
            one = await bots.start(command, "m3")
            two = await bots.start(command, "m4")
            assert (one, two) == ("alpha.1", "alpha.2"), "a slot plays one match at a time"
            with pytest.raises(NotNow, match="does not play the match m4"):
                await bots.local.release(one, "m4")
            await bots.local.release(one, "m3")
            await bots.local.retire("alpha")
            await until(lambda: set(bots.there.arena.sessions) == {"alpha.2"})
            # A match that goes on after a restart wants its slot back.
            with pytest.raises(NotNow, match=r"alpha\.2: plays another match"):
                await bots.local.acquire("alpha", command, "m5", slot=two)
            assert await bots.start(command, "m5", slot="alpha.7") == "alpha.7"
            assert bots.local.log("m9", "alpha") == bots.local.log("m1", "other") == ""

    run(main())


def test_a_crash_in_the_middle_is_mended(tmp_path: Path) -> None:
    async def main() -> None:
        async with local(tmp_path) as bots:
            crash = "if decision == 2 and life < 3: os._exit(7) if life == 1 else os.kill(os.getpid(), signal.SIGSEGV)"
            slot = await bots.start(scripted(tmp_path, crash))
            match = await bots.play(slot)
            assert not any(seat.forfeit for seat in match.result.seats)
            await bots.said("m1", f"life 3 ends {match.match_id}\n")
            log = (await bots.local.release(slot, "m1")).splitlines()
            begins = [f"life {life} begins {match.match_id}" for life in (1, 2, 3)]
            assert log == [
                begins[0],
                "[hansa] exit code 7, started again (1 of 3)",
                begins[1],
                "[hansa] signal 11 (SIGSEGV), started again (2 of 3)",
                begins[2],
                f"life 3 ends {match.match_id}",
            ]
            reasons = [(failure.reason, failure.again, failure.slot) for failure in bots.local.failures("m1")]
            assert reasons == [("exit code 7", True, "alpha.1"), ("signal 11 (SIGSEGV)", True, "alpha.1")]
            assert await bots.start(scripted(tmp_path), "m2") == "alpha.1"
            assert bots.local.down("alpha.1") == ""

    run(main())


def test_a_crash_loop_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with local(tmp_path, restarts=2) as bots:
            crash = "if life > 1 or decision: sys.stderr.write('no '); os._exit(1)"
            slot = await bots.start(scripted(tmp_path, crash))
            token = bots.tokens[slot]
            playing = asyncio.create_task(bots.play(slot, clock=clock(per_decision=1.0)))
            await until(lambda: bots.local.down(slot), "the bot is given up")
            assert bots.local.down(slot) == "exit code 1, after 2 new starts"
            assert [failure.again for failure in bots.local.failures("m1")] == [True, True, False]
            assert str(bots.local.failures("m1")[-1]) == "alpha.1: exit code 1, stays down for this match"
            match = await playing
            assert [bool(seat.forfeit) for seat in match.result.seats] == [True, False]
            log = await bots.local.release(slot, "m1")
            assert log.splitlines()[-1] == "[hansa] exit code 1, stays down for this match (2 of 2 used)"
            assert "no \n[hansa] exit code 1, started again (1 of 2)\n" in log
            await until(lambda: bots.revoked)
            # A fresh one plays the next match.
            assert await bots.start(scripted(tmp_path), "m2") == slot
            assert bots.tokens[slot] != token
            assert not any(seat.forfeit for seat in (await bots.play(slot)).result.seats)

    monkeypatch.setattr(local_bots, "FIRST_DELAY", 0.05)
    run(main())


def test_a_process_that_ends_between_matches_is_no_failure(tmp_path: Path) -> None:
    async def main() -> None:
        async with local(tmp_path) as bots:
            waiting = "while not os.path.exists(__file__ + '.go'): time.sleep(0.01)"
            command = script(tmp_path, f"import os, time\nprint('here')\n{waiting}\nprint('done')")
            slot = await bots.local.acquire("alpha", command, "m1")
            await bots.said("m1", "here\n")
            assert await bots.local.release(slot, "m1", settle=0.0) == "here\n"
            (tmp_path / "bot.py.go").touch()
            await until(lambda: bots.revoked)
            assert bots.local.log("m1", "alpha") == "here\ndone\n", "late words belong to the match before"
            assert not bots.local.failures("m1")
            assert await bots.local.acquire("alpha", command, "m2") == slot, "a new one"
            assert len(set(bots.tokens)) == 1

    run(main())


def test_a_bot_that_hangs_is_dismissed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with local(tmp_path) as bots:
            # The second life of it does not hang.
            command = scripted(tmp_path, "if life == 1 and decision: time.sleep(600)")
            slot = await bots.start(command)
            match = await bots.play(slot, clock=clock(per_decision=0.2))
            assert [bool(seat.forfeit) for seat in match.result.seats] == [True, False]
            await bots.local.release(slot, "m1", dismiss=True)
            assert not bots.local.failures("m1"), "a stall is not a crash"
            slot = await bots.start(command, "m2")
            assert slot == "alpha.2", "the one that hangs is not given out again"
            assert not any(seat.forfeit for seat in (await bots.play(slot)).result.seats)
            await until(lambda: bots.revoked, "the one that hung is gone")

    monkeypatch.setattr(local_bots, "GOODBYE", 0.2)
    run(main())


@pytest.mark.parametrize("end", ["time.sleep(600)", "sys.exit(3)"])
def test_nothing_is_left_after_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str) -> None:
    async def main() -> None:
        async with local(tmp_path, restarts=0) as bots:
            slot = await bots.local.acquire("alpha", family(tmp_path, end), "m1")
            await bots.said("m1", "all are here")
            if end.startswith("sys"):
                await until(lambda: bots.local.down(slot))
                assert not processes(tmp_path), "when a command is over, all it has started is"
            else:
                await until(lambda: len(processes(tmp_path)) == 5, "a keeper, the bot, a child, a session and a daemon")

    monkeypatch.setattr(local_bots, "GOODBYE", 0.2)
    run(main())


def test_a_keeper_that_is_killed(tmp_path: Path) -> None:
    async def main() -> None:
        async with local(tmp_path, restarts=0) as bots:
            command = script(tmp_path, "import time; print('here'); time.sleep(600)")
            slot = await bots.local.acquire("alpha", command, "m1")
            await bots.said("m1", "here\n")
            (keeper,) = [
                int(path.parent.name)
                for path in Path("/proc").glob("[0-9]*/cmdline")
                if b"keeper.py" in path.read_bytes() and str(tmp_path).encode() in path.read_bytes()
            ]
            os.kill(keeper, signal.SIGKILL)
            await until(lambda: bots.local.down(slot))
            assert bots.local.failures("m1")[0].reason == "its keeper was killed"
            await until(lambda: not processes(tmp_path))

    run(main())


def wait_for(condition: Callable[[], object], seconds: float = 20.0) -> bool:
    """Whether something comes true in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def test_nothing_is_left_when_the_server_is_killed(tmp_path: Path) -> None:
    bots = tmp_path / "bots"
    bots.mkdir()
    crash = "decision == 3 and time.sleep(600)"
    server = subprocess.Popen(
        [sys.executable, "-c", VICTIM, str(tmp_path), scripted(bots, crash), family(bots)],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    assert server.stdout is not None
    with server, server.stdout:
        try:
            assert any(line == b"ready\n" for line in server.stdout)
            assert wait_for(lambda: len(processes(bots)) == 8), "two keepers, a bot, four of a family, and the server"
        finally:
            server.kill()
    assert wait_for(lambda: not processes(bots)), processes(bots)


def test_tokens_are_shown_nowhere(tmp_path: Path) -> None:
    async def main() -> None:
        async with local(tmp_path) as bots:
            told = """
import os, sys, time
token = os.environ["HANSA_TOKEN"]
for part in (f"<{token}>", token[:30], token[30:], "\\n", token, token[:11], "|", token[:20]):
    sys.stderr.write(part)
    sys.stderr.flush()
    time.sleep(0.05)
print("!", os.environ["HANSA_SERVER"], sys.argv)
time.sleep(600)
"""
            slot = await bots.local.acquire("alpha", script(tmp_path, told), "m1")
            await bots.said("m1", "bot.py']\n")
            token = bots.tokens[slot]
            assert not [line for line in processes(tmp_path) if token in line]
            log = await bots.local.release(slot, "m1")
            first, second = log.splitlines()
            assert first == "<[token]>[token]"
            assert second.startswith(f"[token]{token[:11]}|{token[:20]}! {bots.there.server.address} ")
            assert token not in log
            assert token not in repr(vars(bots.local)["_slots"])

    run(main())


def test_the_environment_is_clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HANSA_SECRET", "HANSA_STORE", "PGPASSWORD", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "geheim")
    monkeypatch.setenv("LC_TIME", "C")
    monkeypatch.setenv("HANSA_BOARDS", "my-boards")

    async def main() -> None:
        async with local(tmp_path) as bots:
            command = script(tmp_path, "import os; print(dict(os.environ), os.getcwd(), os.isatty(0))")
            await bots.local.acquire("alpha", command, "m1", directory=tmp_path)
            await until(lambda: bots.local.failures("m1"))
            log = bots.local.log("m1", "alpha").splitlines()[0]
            assert log.endswith(f" {tmp_path} False")
            assert "geheim" not in log
            assert "'LC_TIME': 'C'" in log and "'HANSA_BOARDS': 'my-boards'" in log
            assert "'HANSA_TOKEN': '[token]'" in log

    run(main())
    assert bot_environment({})["PATH"].endswith(os.defpath)
    passed = bot_environment()
    assert passed["PYTHONPATH"] == os.environ["PYTHONPATH"]
    if sys.prefix != sys.base_prefix:
        assert os.path.dirname(sys.executable) in passed["PATH"].split(os.pathsep), "as if it were activated"


def test_the_page_names_what_is_passed_on() -> None:
    text = (Path(__file__).parents[2] / "docs" / "local_bots.md").read_text(encoding="utf-8")
    _, told = text.split("what programs commonly need:")
    assert set(re.findall(r"`([A-Z0-9_]+)`", told.split("and all that begin")[0])) == local_bots.PASSED_ON


def test_commands_that_cannot_be_started(tmp_path: Path) -> None:
    plain, garbage = tmp_path / "plain.txt", tmp_path / "garbage"
    plain.write_text("hello")
    garbage.write_bytes(b"\0\1\2")
    garbage.chmod(0o755)

    async def main() -> None:
        async with local(tmp_path) as bots:
            for command, problem in {
                "no-such-program --fast": "alpha: no-such-program cannot be started: no such file or directory",
                str(plain): f"alpha: {plain} cannot be started: permission denied",
                str(garbage): f"alpha: {garbage} cannot be started: exec format error",
            }.items():
                with pytest.raises(CannotStart) as caught:
                    await bots.local.acquire("alpha", command, "m1")
                assert str(caught.value) == problem
            with pytest.raises(CannotStart, match=r"the directory .*/nowhere is not there"):
                await bots.local.acquire("alpha", "true", "m1", directory=tmp_path / "nowhere")
            for command, problem in {"": "is empty", "bot 'x": "cannot be split", "bot\0": "NUL"}.items():
                with pytest.raises(BadField, match=problem):
                    await bots.local.acquire("alpha", command, "m1")
            with pytest.raises(BadField, match="must be 1 to 64"):
                await bots.local.acquire("a" * 63, "true", "m1")
            assert len(bots.revoked) == 4, "a token that was not used is worth nothing"
            await bots.local.close()
            with pytest.raises(NotNow, match="closed"):
                await bots.local.acquire("alpha", "true", "m1")

    run(main())


def test_check_command(tmp_path: Path) -> None:
    (tmp_path / "bot").write_text("#!/bin/sh\n")
    for command, problem in {
        "no-such-program": "is not in the PATH",
        "./nothing": "is not there",
        "./bot --fast": "may not be executed",
        "": "is empty",
    }.items():
        with pytest.raises(BadField, match=problem):
            check_command(command, tmp_path)
    (tmp_path / "bot").chmod(0o755)
    check_command("./bot --fast", tmp_path)
    check_command("sh -c 'exit 1'", tmp_path)


def test_a_flood_of_words(tmp_path: Path) -> None:
    async def main() -> None:
        async with local(tmp_path, log_bytes=1000) as bots:
            flood = "import os\nwhile True: os.write(2, b'spam\\0 \\xff' * 10_000)"
            slot = await bots.local.acquire("alpha", script(tmp_path, flood), "m1")
            await bots.said("m1", "left out")
            await bots.there.check_health()
            log = await bots.local.release(slot, "m1")
            first, _, rest = log.partition("\n")
            assert first.startswith("[hansa] ") and first.endswith(" bytes before this are left out")
            assert len(rest) == 1000 and "\0" not in rest and "spam\N{REPLACEMENT CHARACTER} " in rest

    run(main())


def test_bots_of_the_kit_and_tls(tmp_path: Path) -> None:
    async def main() -> None:
        files = {"tls_certificate": str(TLS / "server.pem"), "tls_key": str(TLS / "server.key"), "tokens": True}
        async with local(tmp_path, settings=files, tls_ca=TLS / "ca.pem") as bots:
            slot = await bots.start(f"{sys.executable} -m hansa_client greedy")
            assert bots.there.arena.sessions[slot].name == "alpha.1"

    run(main())
