"""Kill server and bots of a tournament at random moments, again and again: its report stays the same to the byte.

`python -m tests.tournament.kills --minutes 30` does it for longer. All bots decide by the position alone, so that an
unbroken run from the same seed says what has to come out.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc

from hansa_client.pb.hansa.v1 import tournament_pb2, tournament_pb2_grpc
from hansa_server.serve import set_up_logging
from hansa_server.settings import Settings
from hansa_server.tournament import archive, event_file, wire
from hansa_server.tournament.chronicle import Chronicle
from hansa_server.tournament.event import Entrant, Event
from hansa_server.tournament.numbers import numbers
from hansa_server.tournament.report import write_all
from hansa_server.tournament.run import run_event

ROOT = Path(__file__).parents[2]
STEADY = Path(__file__).with_name("steady_bot.py")
PATIENCE = 120.0  # seconds until a tournament that makes no progress is given up

EVENT = """
name = "kills"
anchor = "random"
seed = "{seed}"

[format]
kind = "{kind}"
rounds = {rounds}

[[tables]]
players = 3
turn_limit = 25

[[tables]]
game = "hansa"
players = 2
turn_limit = 16

[[bots]]
name = "random"
uses = "builtin:random"

[[bots]]
name = "greedy"
uses = "builtin:greedy"

[[bots]]
name = "local"
uses = "cmd:{python} {steady}"

[[bots]]
name = "outside"

[clock]
per_decision = 3600.0

[limits]
concurrency = 4
absent = 3600.0
restarts = 1000
"""


def event(seed: int, kind: str = "round-robin", rounds: int = 2) -> Event:
    """What is played: built-in, local and connected bots at tables of both games."""
    secret = random.Random(seed).randbytes(32).hex()
    text = EVENT.format(seed=secret, kind=kind, rounds=rounds, python=sys.executable, steady=STEADY)
    return event_file.load(text)


def report(chronicle: Chronicle, folder: Path) -> dict[str, bytes]:
    """The files of the report."""
    return {path.name: path.read_bytes() for path in write_all(numbers(chronicle), folder)}


def unbroken(wanted: Event, folder: Path) -> tuple[Chronicle, dict[str, bytes]]:
    """The report of a run in which nobody is killed. The bot from outside is replaced by a local one of its kind, and
    put back into the line-up afterwards: who plays for a bot does not change what is played."""
    local = [Entrant(bot.name, wanted.bots[2].uses) if bot.is_connected else bot for bot in wanted.bots]
    played = run_event(replace(wanted, bots=tuple(local)), str(folder / "unbroken.db"), force=True)
    line_up = tuple(replace(place, entrant=bot) for place, bot in zip(played.line_up, wanted.bots, strict=True))
    same = replace(played, event=replace(played.event, bots=wanted.bots), line_up=line_up)
    return same, report(same, folder / "unbroken")


def environment() -> dict[str, str]:
    """For child processes: the same modules as here, nothing of the settings around us."""
    path = os.pathsep.join([str(ROOT), *(entry for entry in sys.path if entry)])
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("HANSA_")},
        "PYTHONPATH": path,
    }


class Child:
    """The server as a process of its own, on a port that stays the same."""

    def __init__(self, store: str, folder: Path, port: int = 0) -> None:
        self._port_file = folder / "port"
        self._port_file.unlink(missing_ok=True)
        options = ["--address", f"127.0.0.1:{port}", "--store", store, "--port-file", str(self._port_file)]
        options += ["--stop-grace", "0", "--reconnect-patience", "3600", "--log-level", "error"]
        with (folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "hansa_fast.cli", "serve", *options],
                env=environment(),
                stdout=subprocess.DEVNULL,
                stderr=log,
            )

    def listening(self) -> int:
        """Wait until it listens; returns its port."""
        end = time.monotonic() + PATIENCE
        while not self._port_file.exists():
            assert self.process.poll() is None, "the server did not start"
            assert time.monotonic() < end, "the server does not listen"
            time.sleep(0.02)
        return int(self._port_file.read_text())

    def end(self, number: int) -> int:
        """Send a signal and wait for the end."""
        self.process.send_signal(number)
        return self.process.wait(60)


class Kills:
    """A tournament that is played while its server and its bots are killed and started again."""

    def __init__(self, wanted: Event, store: str, folder: Path, seed: int) -> None:
        self.event = wanted
        self.store = store
        self.folder = folder
        self.draw = random.Random(seed)
        self.child = Child(store, folder)
        self.port = self.child.listening()
        self.outside: subprocess.Popen[bytes] | None = None
        self.killed = {"server": 0, "outside": 0, "local": 0}

    def start_outside(self) -> None:
        """Start the bot that connects by itself."""
        self.outside = subprocess.Popen(
            [sys.executable, str(STEADY), "--name", "outside", "--server", f"127.0.0.1:{self.port}"],
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def call(self, method: str, **values: Any) -> Any:
        """Make a call, however often the server is killed meanwhile."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                with grpc.insecure_channel(f"127.0.0.1:{self.port}") as channel:
                    stub = tournament_pb2_grpc.TournamentServiceStub(channel)
                    request = getattr(tournament_pb2, f"{method}Request")(**values)
                    return getattr(stub, method)(request, timeout=10, wait_for_ready=True)
            except grpc.RpcError as error:
                again = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)
                if not isinstance(error, grpc.Call) or error.code() not in again or time.monotonic() > end:
                    raise

    def run(self, kills: int) -> Chronicle:
        """Create, start, kill so many times, wait for the end; returns what the export of it says."""
        try:
            self.start_outside()
            message = wire.event_to_proto(self.event, private=True)
            message.seed = self.event.seed
            self.call("CreateTournament", event=message, request_id="only once", force=True)
            self.kill_server()
            self.call("CreateTournament", event=message, request_id="only once", force=True)
            self.call("StartTournament", name=self.event.name)
            for _ in range(kills):
                time.sleep(self.draw.uniform(0.0, 1.2))
                self.draw.choice([self.kill_server, self.kill_server, self.kill_outside, self.kill_local])()
            self.wait()
            path = self.folder / "kills.export"
            path.write_bytes(self.export())
            checked = archive.verify(path)
            assert checked.chronicle is not None and checked.replayed
            return checked.chronicle
        finally:
            self.close()

    def wait(self) -> None:
        """Until the tournament is over."""
        over = tournament_pb2.TOURNAMENT_STATE_FINISHED
        seen, since = -1, time.monotonic()
        while (found := self.call("GetTournament", name=self.event.name).tournament).state != over:
            assert not found.problem or found.problem.startswith("waits for"), found.problem
            done = found.games_finished
            seen, since = (done, time.monotonic()) if done != seen else (seen, since)
            assert time.monotonic() - since < PATIENCE, f"stuck: {found}"
            time.sleep(0.1)

    def export(self) -> bytes:
        """The whole tournament as a file."""
        with grpc.insecure_channel(f"127.0.0.1:{self.port}") as channel:
            stub = tournament_pb2_grpc.TournamentServiceStub(channel)
            request = tournament_pb2.ExportTournamentRequest(name=self.event.name)
            return b"".join(piece.data for piece in stub.ExportTournament(request, timeout=60))

    def kill_server(self) -> None:
        """Kill the server, at times while it starts, or stop it gently, and start it again."""
        self.child.end(signal.SIGTERM if self.draw.random() < 0.25 else signal.SIGKILL)
        self.killed["server"] += 1
        if self.draw.random() < 0.3:
            self.child = Child(self.store, self.folder, self.port)
            time.sleep(self.draw.uniform(0.0, 2.0))
            self.child.end(signal.SIGKILL)
            self.killed["server"] += 1
        self.child = Child(self.store, self.folder, self.port)
        self.child.listening()

    def kill_outside(self) -> None:
        """Kill the bot that connects by itself, and start it again."""
        assert self.outside is not None
        self.outside.kill()
        self.outside.wait()
        self.killed["outside"] += 1
        self.start_outside()

    def kill_local(self) -> None:
        """Kill all processes of the local bot; the server starts them again."""
        for process in local_bots(self.child.process.pid):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
                self.killed["local"] += 1

    def close(self) -> None:
        """Leave nothing behind."""
        if self.outside is not None:
            self.outside.kill()
            self.outside.wait()
        if self.child.process.poll() is None:
            self.child.end(signal.SIGTERM)


def local_bots(server: int) -> list[int]:
    """The processes that run the steady bot below a server."""
    below = {server}
    found = []
    processes = []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            words = (path / "cmdline").read_bytes().split(b"\0")
            processes.append((int(path.name), parent, words))
    for _ in range(3):  # server, keeper, bot
        below |= {process for process, parent, _ in processes if parent in below}
    for process, _, words in processes:
        if process in below and process != server and str(STEADY).encode() in words and b"-I" not in words:
            found.append(process)
    return found


def check(
    seed: int, store: str, folder: Path, kills: int, rounds: int = 2, kind: str = "round-robin"
) -> dict[str, int]:
    """One tournament with kills beside an unbroken one; returns who was killed how often."""
    wanted = event(seed, kind, rounds)
    same, files = unbroken(wanted, folder)
    campaign = Kills(wanted, store, folder, seed)
    played = campaign.run(kills)
    assert [block.chain for block in played.blocks] == [block.chain for block in same.blocks], "the same games"
    assert report(played, folder / "killed") == files, "the same bytes"
    return campaign.killed


def main() -> None:
    """Tournament after tournament, until the time is over."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--store", help="address of an empty PostgreSQL database; SQLite files by default")
    options = parser.parse_args()
    set_up_logging(Settings(log_level="error"))
    end = time.monotonic() + options.minutes * 60
    seed = options.seed
    while time.monotonic() < end:
        with tempfile.TemporaryDirectory() as folder:
            killed = check(seed, options.store or f"{folder}/arena.db", Path(folder), kills=12)
        print(f"seed {seed}: the same report after killing {killed}", flush=True)
        seed += 1
        if options.store:
            break  # a database holds one tournament of this name


if __name__ == "__main__":
    main()
