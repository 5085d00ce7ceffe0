"""`hansa tournament` as people and programs use it: real servers, real stores, a real terminal."""

from __future__ import annotations

import gzip
import json
import os
import pty
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import structlog
from structlog.testing import LogCapture
from typer.main import get_command

from hansa_fast.cli.output import printable_lines, table
from hansa_fast.cli.tournament import app
from tests.cli.runner import Done, Runner
from tests.server.hosting import PATIENCE, Host, client, hosted

POOL = "teutonica:2009:standard-3:2p:30t"
COMMANDS = sorted(get_command(app).commands)  # type: ignore[attr-defined]
BUILT_IN = {"greedy": "builtin:greedy", "planner": "builtin:planner", "random": "builtin:random"}
LOUD = "import sys; print('\\x1b[31mred\\x07', flush=True); sys.exit(3)"


def event(name: str, bots: dict[str, str], kind: str = "round-robin", more: str = "") -> str:
    """An event file with small games for two."""
    listed = "".join(f"\n[[bots]]\nname = {json.dumps(bot)}\nuses = {json.dumps(uses)}\n" for bot, uses in bots.items())
    return f'name = "{name}"\n{more}\n[format]\nkind = "{kind}"\n\n[[tables]]\nplayers = 2\nturn_limit = 30\n{listed}'


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, run: Runner) -> Iterator[None]:  # noqa: ARG001 (it changes the folder)
    """Small events in the folder of the test; nothing of the environment counts, and servers log to nobody."""
    for name in [name for name in os.environ if name.startswith("HANSA_")]:
        monkeypatch.delenv(name)
    Path("cup.toml").write_text(event("cup", BUILT_IN), encoding="utf-8")
    Path("open.toml").write_text(event("open", {"anna": "connected", **BUILT_IN}), encoding="utf-8")
    before = structlog.get_config()
    structlog.configure(processors=[LogCapture()], cache_logger_on_first_use=False)
    yield
    structlog.configure(**before)


def at(host: Host, run: Runner, *words: str, code: int = 0) -> Done:
    """A command about tournaments at a server."""
    done = run("tournament", *words, "--server", host.address)
    assert done.code == code, done
    return done


def process(*words: str, **how: Any) -> subprocess.Popen[bytes]:
    """The command in a process of its own."""
    return subprocess.Popen([sys.executable, "-m", "hansa_fast.cli", "tournament", *words], **how)


def hear_ctrl_c() -> None:
    """A process that was started in the background, as these tests may be, does not hear it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


# -- Files -----------------------------------------------------------------------------------------------------------


def test_an_event_from_the_first_file_to_the_last(run: Runner) -> None:
    for kind in ("swiss", "round-robin"):
        Path("new.toml").write_text(run("tournament", "new", "--format", kind).out, encoding="utf-8")
        assert f"new.toml: ok, {kind} of 4 bots at 2 tables, " in run("tournament", "check", "new.toml").out
    facts = run("tournament", "check", "cup.toml", "--json").json
    assert (facts["bots"], facts["tables"]) == (list(BUILT_IN), [POOL])

    played = run("tournament", "run", "cup.toml", "--out", "report", "--export", "cup.event", "--json")
    assert sorted(os.listdir("report")) == ["report.html", "report.json", "report.md"]
    lines = played.err.splitlines()
    assert "cup: finished, 6 games" in lines and "\x1b" not in played.err
    assert played.json["pools"][0]["standings"][0]["bot"] == "planner"
    again = run("tournament", "run", "cup.toml")
    assert again.err == "cup: finished, 6 games\n"
    assert f"{POOL}: standings\nplace   bot" in again.out and f"{POOL}: crosstable" in again.out
    assert run("tournament", "run", "cup.toml", "--json").out == played.out

    found = run("tournament", "verify", "cup.event", "--json").json
    assert {name: found[name] for name in ("ok", "games", "blocks", "replayed")} == {
        "ok": True,
        "games": 6,
        "blocks": 3,
        "replayed": True,
    }
    assert "cup.event: ok, cup: 6 games in 3 blocks replayed" in run("tournament", "verify", "cup.event").out
    assert run("tournament", "report", "cup.event", "--json").out == played.out
    assert run("tournament", "report", "cup.event").out == again.out
    assert f"{POOL}: opponents" in run("tournament", "explain", "greedy", "cup.event").out
    assert run("tournament", "explain", "greedy", "cup.event", "--json").json["bot"] == "greedy"

    assert "all derived numbers are the same" in run("tournament", "rebuild", "cup", "--store", "cup.db").out
    assert "6 games in 3 blocks are in the store" in run("tournament", "import", "cup.event", "--store", "b.db").out
    assert run("tournament", "rebuild", "cup", "--store", "b.db", "--json").json["different"] == []

    rows = run("tournament", "backup", "a.backup", "--store", "cup.db", "--json").json["rows"]
    assert run("tournament", "restore", "a.backup", "--store", "c.db", "--json").json["rows"] == rows
    assert run("tournament", "run", "cup.toml", "--store", "c.db", "--json").out == played.out


def test_what_is_wrong_with_files_is_told_with_its_exit_code(run: Runner) -> None:
    assert run("tournament", "run", "cup.toml", "--export", "cup.event").code == 0
    bad = {"wrong": "builtin:nobody", "two words": "cmd:", "random": "builtin:random"}
    Path("bad.toml").write_text(event("bad", bad, "round-robbin", "forgiven = -1"), encoding="utf-8")
    Path("broken.toml").write_text("name = ", encoding="utf-8")
    lines = gzip.decompress(Path("cup.event").read_bytes()).splitlines(keepends=True)
    changed = json.loads(lines[2])
    changed["games"][0][1]["totals" if isinstance(changed["games"][0][1], dict) else 0] = [99, 0]
    Path("changed.event").write_bytes(
        gzip.compress(b"".join([*lines[:2], json.dumps(changed).encode() + b"\n", *lines[3:]]))
    )
    Path("cut.event").write_bytes(Path("cup.event").read_bytes()[:600])
    Path("taken.backup").touch()
    Path("no.backup").write_bytes(gzip.compress(b"hello"))
    for line, code, told in [
        ("new --format chess", 2, "--format: 'chess' is none of gauntlet, knockout"),
        ("check bad.toml", 2, "bad.toml: 5 things are wrong:\n"),
        ("run bad.toml", 2, "bots[1].name: "),
        ("create bad.toml", 2, "bots[0].uses: "),
        ("check broken.toml", 3, "broken.toml: is no TOML file: "),
        ("check nothing.toml", 3, "nothing.toml: cannot be read: No such file"),
        ("verify nothing.event", 3, "nothing.event: there is no such file"),
        ("verify changed.event", 1, "changed.event: block 1"),
        ("verify cut.event", 1, "cut.event: "),
        ("report cut.event", 3, "cut.event: line "),
        ("explain nobody cup.event", 2, "nobody"),
        ("import changed.event --store x.db", 1, "changed.event: block 1"),
        ("import cup.event --store cup.db", 4, "cup"),
        ("rebuild spring --store cup.db", 3, "there is no tournament 'spring' in the store"),
        ("rebuild cup --store none.db", 3, "none.db: there is no such store"),
        ("backup a.backup --store none.db", 3, "none.db: there is no such store"),
        ("backup taken.backup --store cup.db", 3, "taken.backup: is there already"),
        ("backup no/where.backup --store cup.db", 3, "cannot be written: No such file"),
        ("restore nothing.backup --store y.db", 3, "nothing.backup: cannot be read: No such file"),
        ("restore no.backup --store y.db", 3, "no.backup: is no backup"),
        ("status cup --server 127.0.0.1:9", 4, "no server can be reached at 127.0.0.1:9"),
    ]:
        done = run("tournament", *line.split(" "))
        assert done.code == code, (line, done)
        assert done.err.startswith("hansa: ") and told in done.err, (line, done.err)
        assert done.out == "" and "Traceback" not in done.err
    assert {line.split(":")[0].strip() for line in run("tournament", "check", "bad.toml").err.splitlines()[1:6]} == {
        "forgiven",
        "format.kind",
        "bots[0].uses",
        "bots[1].name",
        "bots[1].uses",
    }
    found = run("tournament", "verify", "changed.event", "--json")
    assert (found.code, json.loads(found.out)["ok"]) == (1, False)

    assert run("tournament", "backup", "a.backup", "--store", "cup.db").code == 0
    full = run("tournament", "restore", "a.backup", "--store", "cup.db")
    assert (full.code, "--store: is not empty: the table" in full.err) == (2, True)
    Path("cup.toml").write_text(event("cup", {**BUILT_IN, "late": "builtin:random"}), encoding="utf-8")
    other = run("tournament", "run", "cup.toml")
    assert (other.code, "a tournament of this name that was set up differently" in other.err) == (4, True)


def test_help_has_examples(run: Runner) -> None:
    assert len(COMMANDS) >= 23
    for name in COMMANDS:
        done = run("tournament", name, "--help")
        assert done.code == 0
        assert f"Example: hansa tournament {name}" in " ".join(done.out.split()), name
    listed = run("tournament", "--help").out
    assert all(f" {name} " in listed for name in COMMANDS)


# -- At a server -----------------------------------------------------------------------------------------------------


def test_every_command_at_a_server(run: Runner, tmp_path: Path) -> None:
    with hosted(tmp_path) as host, host.client() as visitor:
        assert at(host, run, "list").out == "there are no tournaments\n"
        at(host, run, "create", "open.toml", "--validate-only")
        assert at(host, run, "list", "--json").json == []
        made = at(host, run, "create", "open.toml", "--request-id", "r", "--json").json
        assert (made["name"], made["state"]) == ("open", "TOURNAMENT_STATE_CREATED")
        assert at(host, run, "create", "open.toml", "--request-id", "r", "--json").json == made
        assert "already" in at(host, run, "create", "open.toml", code=4).err
        assert at(host, run, "matches", "open").out == "no game has begun\n"
        assert at(host, run, "crosstable", "open").out == "nobody has met anybody yet\n"
        assert at(host, run, "standings", "open").out == f"{POOL}: nothing is finished yet\n"
        assert "open: is created; this needs it to be paused" in at(host, run, "resume", "open", code=4).err
        assert at(host, run, "start", "open").out.startswith("open: running, ")
        assert at(host, run, "pause", "open", "--json").json["state"] == "TOURNAMENT_STATE_PAUSED"
        refused = at(host, run, "concurrency", "open", "5000", code=4)
        assert "5000 games at once would have" in refused.err
        assert at(host, run, "concurrency", "open", "3", "--force", "--json").json["concurrency"] == 3
        assert at(host, run, "enter", "open", "late", "--uses", "builtin:random").out.startswith("open: paused")
        assert "takes part already" in at(host, run, "enter", "open", "late", code=4).err
        assert "entrant.uses: " in at(host, run, "enter", "open", "x", "--uses", "builtin:nobody", code=2).err
        line_up = at(host, run, "withdraw", "open", "late", "--json").json["line_up"]
        assert [place["entrant"]["name"] for place in line_up if "withdrawn_block" in place] == ["late"]
        at(host, run, "resume", "open")
        status = at(host, run, "status", "open").out
        assert "not connected: anna\n" in status and re.search("seed committed to as [0-9a-f]{64}\n", status)
        assert "without" not in status and "the seed was" not in status

        bot = visitor.bot("anna")
        playing = threading.Thread(target=lambda: [bot.play() for _ in range(6)])
        playing.start()
        watched = at(host, run, "watch", "open", "--every", "0.1")
        playing.join(PATIENCE)
        assert watched.err.splitlines()[-1].startswith("open: finished, 12 games")
        assert "\x1b" not in watched.err
        assert watched.out.startswith("open: finished, 12 games\n")
        messages = [json.loads(line) for line in at(host, run, "watch", "open", "--json").out.splitlines()]
        assert messages[-1]["tournament"]["state"] == "TOURNAMENT_STATE_FINISHED"
        assert at(host, run, "standings", "open").out == watched.out.partition("\n")[2]
        pools = at(host, run, "standings", "open", "--json", "--pool", POOL).json
        assert {line["bot"]: int(line["games"]) for line in pools[0]["lines"]} == dict.fromkeys(["anna", *BUILT_IN], 6)
        assert "pool: 'x' is none of " in at(host, run, "standings", "open", "--pool", "x", code=2).err
        heads = at(host, run, "crosstable", "open").out.splitlines()[1]
        assert heads.split() == ["anna", "greedy", "planner", "random"]
        cells = at(host, run, "crosstable", "open", "--json").json
        assert sum(int(cell["ahead"]) + int(cell["tied"]) + int(cell["behind"]) for cell in cells) == 24
        games = at(host, run, "matches", "open", "--bot", "anna", "--json").json
        assert len(games) == 6 and all("anna" in game["bots"] for game in games)
        short = at(host, run, "matches", "open", "--most", "2")
        assert len(short.out.splitlines()) == 3 and "there are more" in short.err
        assert [row["state"] for row in at(host, run, "list", "--json").json] == ["TOURNAMENT_STATE_FINISHED"]
        assert at(host, run, "list").out.splitlines()[1].split() == ["open", "finished", "round-robin", "12", "5"]
        assert "the seed was " in at(host, run, "status", "open").out
        over = at(host, run, "pause", "open", code=4)
        assert "open: is finished" in over.err and "hint" not in over.err
        assert "there is no tournament 'nobody'" in at(host, run, "status", "nobody", code=4).err
        assert "there is no log" in at(host, run, "log", games[0]["match_id"], "anna", code=4).err
        at(host, run, "export", "open", "open.event")
        assert run("tournament", "verify", "open.event", "--json").json["games"] == 12
        assert "cannot be written" in at(host, run, "export", "open", "no/where", code=3).err

        at(host, run, "create", "cup.toml")
        assert at(host, run, "stop", "cup").out.startswith("cup: stopped, 0 games")
        saved = run("tournament", "backup", "a.backup", "--store", "arena.db")
        assert saved.code == 0 and "keep it to yourself" in saved.err
        for words in (["rebuild", "open"], ["import", "open.event"], ["restore", "a.backup"]):
            done = run("tournament", *words, "--store", "arena.db")
            assert (done.code, done.err) == (2, "hansa: --store: another server plays from it\n")


def test_the_log_of_a_local_bot_moves_no_cursor(run: Runner, tmp_path: Path) -> None:
    loud = f"cmd:{sys.executable} -c {json.dumps(LOUD)}"
    limits = "[limits]\nrestarts = 0\n[clock]\nper_decision = 0.2\ngrace = 0.0\n"
    text = event("loud", {"loud": loud, "random": "builtin:random"}) + limits
    Path("loud.toml").write_text(text, encoding="utf-8")
    with hosted(tmp_path) as host:
        at(host, run, "create", "loud.toml", "--start")
        assert "forfeits: " in at(host, run, "watch", "loud").out
        match_id = at(host, run, "matches", "loud", "--json").json[0]["match_id"]
        written = at(host, run, "log", match_id, "loud").out
    assert "\ufffd[31mred\ufffd\n" in written and "[hansa] exit code 3" in written
    assert "\x1b" not in written


def test_text_from_outside_is_made_printable() -> None:
    shown = table(["a\x1b[2J", ">b"], [["x\x07", "\x9b1m"]], colour=False, title="t\x1b]0;t")
    assert printable_lines(shown) == shown
    assert printable_lines("a\tb\r\n\x1b") == "a\tb\ufffd\n\ufffd"


# -- Interrupted, and on a terminal ----------------------------------------------------------------------------------


def free_port() -> int:
    """A port nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def playing_as_anna(address: str, matches: int) -> Iterator[None]:
    """Plays so many matches at a server that is about to start."""
    host, _, port = address.rpartition(":")

    def play() -> None:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            with suppress(OSError), socket.create_connection((host, int(port)), 1.0):
                break
            time.sleep(0.05)
        with client(address) as one:
            bot = one.bot("anna")
            for _ in range(matches):
                bot.play()

    thread = threading.Thread(target=play)
    thread.start()
    yield
    thread.join(PATIENCE)
    assert not thread.is_alive()


def test_ctrl_c_leaves_a_tournament_that_goes_on(run: Runner) -> None:
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with process("run", "open.toml", **pipes, preexec_fn=hear_ctrl_c) as first:
        assert first.stderr is not None and first.stdout is not None
        told = []
        for line in first.stderr:
            told.append(line.decode())
            if "waits for anna" in told[-1]:
                break
        first.send_signal(signal.SIGINT)
        out, err = first.communicate(timeout=PATIENCE)
    assert first.returncode == 130 and out == b""
    assert told[0].startswith("bots connect to 127.0.0.1:")
    assert err.decode() == "open is left as it is in open.db; the same command goes on with it\n"

    address = f"127.0.0.1:{free_port()}"
    with playing_as_anna(address, 6):
        done = run("tournament", "run", "open.toml", "--address", address, "--json")
    assert done.err.splitlines()[:2] == [f"bots connect to {address}", done.err.splitlines()[1]]
    assert "running, 6 of 12 games" in done.err.splitlines()[1]
    assert sum(line["games"] for line in done.json["pools"][0]["standings"]) == 24


class Screen:
    """As much of a terminal as a display that renews itself needs."""

    def __init__(self) -> None:
        self.lines: dict[int, str] = {}
        self.row = 0
        self.cursor = True
        self.seen = ""

    def show(self, text: str) -> None:
        """Take what was written."""
        for part in re.findall(r"\x1b\[[?0-9;]*[A-Za-z]|\r|\n|[^\x1b\r\n]+", text):
            if part == "\n":
                self.row += 1
                self.seen += part
            elif part in ("\x1b[?25l", "\x1b[?25h"):
                self.cursor = part.endswith("h")
            elif part.endswith("A") and part.startswith("\x1b"):
                self.row -= int(part[2:-1] or 1)
            elif part == "\x1b[2K":
                self.lines[self.row] = ""
            elif not part.startswith(("\x1b", "\r")):
                self.lines[self.row] = self.lines.get(self.row, "") + part
                self.seen += part

    @property
    def is_clean(self) -> bool:
        """Whether nothing is left on it."""
        return self.cursor and self.row == 0 and not any(line.strip() for line in self.lines.values())


def test_the_live_display_on_a_terminal() -> None:
    ours, theirs = pty.openpty()
    environment = {**os.environ, "COLUMNS": "160", "LINES": "40"}
    with process("run", "cup.toml", stdout=subprocess.PIPE, stderr=theirs, env=environment) as running:
        os.close(theirs)
        screen = Screen()
        written = b""
        with suppress(OSError):  # the other end is closed
            while piece := os.read(ours, 65536):
                written += piece
        assert running.stdout is not None
        out = running.stdout.read().decode()
    os.close(ours)
    screen.show(written.decode())
    assert running.returncode == 0
    assert "cup: running, " in screen.seen or "cup: finished, 6 games" in screen.seen
    assert re.search(r"place +bot +rating +error +places +first +ladder +games", screen.seen)
    assert re.search(r"planner v1 +\d+\* +± \d+", screen.seen) and "●" in screen.seen
    assert screen.is_clean, screen.lines
    assert f"{POOL}: standings" in out and "\x1b" not in out
