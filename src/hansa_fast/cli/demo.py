"""`hansa demo`: a rated tournament of both games, from the server to the report."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hansa_fast.cli import arena, output
from hansa_fast.cli.errors import CliError, ExitCode
from hansa_fast.cli.options import ColourOption, JsonOption
from hansa_fast.cli.tournament import save_pieces, stub_of, write_report
from hansa_fast.cli.tournament_live import live

if TYPE_CHECKING:
    from hansa_server.tournament.event import Event

EPILOG = "Example: hansa demo --rounds 4 --out evening"

BOTS = ("planner", "greedy", "wavering", "random")
TURNS = 40  # a player; two random players hardly ever end a game
TABLES = (
    {"players": 4, "board": "standard-4-5"},
    {"players": 4, "game": "hansa"},
    {"players": 4, "board": "east"},
    {"players": 3, "board": "britannia-3"},
    {"players": 2, "edition": "2009", "board": "standard-3"},
    {"players": 3, "board": "standard-3", "missions": True, "favours": True},
)
PATIENCE = 60.0  # seconds for the server to listen
GOODBYE = 5.0  # seconds for a process to end


def demo(
    rounds: Annotated[int, typer.Option(min=1, max=1000, help="How often everybody meets everybody.")] = 1,
    out: Annotated[str, typer.Option("--out", "-o", help="Folder for store and report.", metavar="FOLDER")] = "demo",
    seed: Annotated[
        str, typer.Option(help="The secret all deals come from, 64 hexadecimal digits.", show_default="drawn")
    ] = "",
    colour: ColourOption = None,
    json: JsonOption = False,
) -> None:
    """Start a server and four bots as processes of their own, let them play a rated tournament at tables of both games,
    and leave a report: page, Markdown and JSON."""
    folder = Path(out)
    _make_folder(folder)
    with arena.needs("hansa_server"):
        from hansa_server.tournament import archive
        from hansa_server.tournament.numbers import numbers
        from hansa_server.tournament.report import write_all
    for path in folder.glob("demo.db*"):
        path.unlink()
    begin = time.monotonic()
    export = folder / "demo.hansa-event"
    with _server(folder) as address:
        output.note(f"a server listens on {address}; {', '.join(BOTS)} connect to it")
        with _bots(address, folder):
            _play(_event(rounds, seed), address, export)
    checked = archive.verify(export)
    assert checked.chronicle is not None
    shown = numbers(checked.chronicle)
    files = write_all(shown, folder)
    if json:
        output.write_json(
            {"seconds": round(time.monotonic() - begin, 1), "files": [str(path) for path in files], **shown}
        )
        return
    write_report(shown, output.want_colour(colour))
    output.write(
        f"{checked.games} games, {checked.actions:,} decisions over gRPC in {time.monotonic() - begin:.0f} s; every "
        f"game was replayed and every rating computed again from {export}.\n"
        f"The report: {', '.join(str(path) for path in files)}. Open {folder / 'report.html'} in a browser."
    )


def _event(rounds: int, seed: str) -> Event:
    """Round robins at all tables."""
    from hansa_server.tournament import event_file

    tables = [{**table, "turn_limit": TURNS * int(str(table["players"]))} for table in TABLES]
    values: dict[str, Any] = {
        "name": "demo",
        "anchor": "random",
        "format": {"kind": "round-robin", "rounds": rounds},
        "tables": tables,
        "bots": [{"name": name} for name in BOTS],
        "limits": {"concurrency": 8},
    }
    try:
        return event_file.from_dict({**values, "seed": seed} if seed else values)
    except event_file.Problems as error:
        raise CliError(f"--{error.problems[0]}") from None


def _play(event: Event, address: str, export: Path) -> None:
    """Create the tournament, watch it to its end, and save it."""
    from hansa_client.pb.hansa.v1 import tournament_pb2
    from hansa_server.tournament import wire

    message = wire.event_to_proto(event, private=True)
    message.seed = event.seed
    with arena.Access(address).channel() as channel, live() as show:
        stub = stub_of(channel)
        stub.CreateTournament(tournament_pb2.CreateTournamentRequest(event=message), timeout=arena.PATIENCE)
        stub.StartTournament(tournament_pb2.StartTournamentRequest(name=event.name), timeout=arena.PATIENCE)
        for news in stub.WatchTournament(tournament_pb2.WatchTournamentRequest(name=event.name)):
            show(news)
        pieces = stub.ExportTournament(tournament_pb2.ExportTournamentRequest(name=event.name))
        save_pieces(str(export), (piece.data for piece in pieces))


@contextmanager
def _server(folder: Path) -> Iterator[str]:
    """A server as a process of its own, on a free loopback port."""
    port = folder / "port"
    port.unlink(missing_ok=True)
    options = ["--address", "127.0.0.1:0", "--store", str(folder / "demo.db"), "--port-file", str(port)]
    with _process(["serve", *options, "--log-level", "warning", "--stop-grace", "0"], folder / "server.log") as running:
        end = time.monotonic() + PATIENCE
        while not port.exists():
            if running.poll() is not None or time.monotonic() > end:
                raise CliError("the server did not start", hint=f"see {folder / 'server.log'}", code=ExitCode.REFUSED)
            time.sleep(0.05)
        yield f"127.0.0.1:{port.read_text().strip()}"


@contextmanager
def _bots(address: str, folder: Path) -> Iterator[None]:
    """The bots, each a process of its own that plays over gRPC."""
    with ExitStack() as stack:
        for name in BOTS:
            words = ["bot", "run", name, "--name", name, "--server", address]
            stack.enter_context(_process(words, folder / f"{name}.log"))
        yield


@contextmanager
def _process(words: list[str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A command `hansa` as a process; it ends when it is not needed any more."""
    with log.open("wb") as file:
        running = subprocess.Popen(
            [sys.executable, "-m", "hansa_fast.cli", *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=file,
        )
    try:
        yield running
    finally:
        running.send_signal(signal.SIGTERM)
        try:
            running.wait(GOODBYE)
        except subprocess.TimeoutExpired:
            output.note(f"{shlex.join(words)} does not end by itself")
            running.kill()
            running.wait()


def _make_folder(path: Path) -> None:
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise CliError(f"{path}: cannot be made: {error.strerror}", code=ExitCode.UNREADABLE) from None
