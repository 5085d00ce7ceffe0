"""Decisions a second of each language's random bot, side by side in one run.

    python -m benches.languages            one match, then 16 at once, over the one stream of each bot
    python -m benches.languages --json

Each bot plays on two servers. The arena is the real one and does all its work: rules, clock, commit to SQLite on disk.
The bare one knows no rules: it takes an answer and sends the next question, so that more of what is measured is the
bot. All bots are connected all the time, and rounds of all of them take turns, so that a busy machine slows all alike.
Beside the rate stands the processor time that the bot itself needs for a decision, from which other programs take
little away (read from /proc, so on Linux only).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc

from hansa_client.pb.hansa.v1 import clock_pb2, game_pb2, play_pb2, play_pb2_grpc
from hansa_server.serve import set_up_logging
from tests.client.arena import arena, settings_for, until
from tests.languages.clients import Client, left_out, present_clients

GAMES = (1, 16)
ROUNDS = 5
SECONDS = 1.0  # of each round
SETTLE = 0.2  # seconds in which matches get going
RATE = 1_000_000  # messages a second that are taken from a bot: more than it can send
LEGAL = list(range(0, 120, 2))  # as many as a position has on average

Rate = Callable[[str, int], Awaitable["Measured"]]  # of a bot, in so many games


@dataclass(frozen=True)
class Measured:
    """What came out of a round."""

    rate: float  # decisions a second
    processor: float  # microseconds a decision of the bot's process


class Bare(play_pb2_grpc.PlayServiceServicer):
    """Asks, takes the answer, asks again."""

    def __init__(self) -> None:
        self.bots: dict[str, BareBot] = {}
        self.pids: dict[str, int] = {}

    async def Play(self, _requests: object, context: Any) -> None:  # type: ignore[override]  # noqa: N802
        """Serve a bot."""
        hello: Any = (await context.read()).hello
        bot = BareBot(context)
        welcome = play_pb2.Welcome(name=hello.name, max_matches=hello.max_matches, max_messages_per_second=RATE)
        await bot.send(play_pb2.PlayResponse(welcome=welcome))
        self.bots[hello.name] = bot
        while (message := await context.read()) is not grpc.aio.EOF:
            await bot.take(message.answer)

    async def rate(self, name: str, games: int) -> Measured:
        """Measure a bot in so many matches."""
        return await self.bots[name].rate(games, self.pids[name])


class BareBot:
    """A bot on the bare server."""

    def __init__(self, context: Any) -> None:
        self.context = context
        self.writing = asyncio.Lock()  # gRPC takes one message at a time
        self.answers = 0
        self.playing: set[str] = set()

    async def send(self, *messages: play_pb2.PlayResponse) -> None:
        """Send messages in this order."""
        for message in messages:
            async with self.writing:
                await self.context.write(message)

    async def take(self, answer: play_pb2.Answer) -> None:
        """Count an answer and ask again."""
        if answer.match_id in self.playing:
            assert answer.action in LEGAL, answer
            self.answers += 1
            await self.send(question(answer.match_id, answer.sequence + 1))

    async def rate(self, games: int, pid: int) -> Measured:
        """Measure it in so many matches."""
        self.playing = {f"{games}-{self.answers}-{number}" for number in range(games)}
        matches = sorted(self.playing)
        rules = game_pb2.Rules(game="teutonica", players=2)
        for match_id in matches:
            started = play_pb2.MatchStarted(match_id=match_id, rules=rules, players=["bot", "nobody"])
            await self.send(play_pb2.PlayResponse(match_started=started), question(match_id, 0))
        found = await rate_of(lambda: self.answers, pid)
        self.playing = set()
        for match_id in matches:
            ended = play_pb2.MatchEnded(match_id=match_id, result=game_pb2.Result())
            await self.send(play_pb2.PlayResponse(match_ended=ended))
        await asyncio.sleep(SETTLE)  # answers that were on their way
        return found


def question(match_id: str, sequence: int) -> play_pb2.PlayResponse:
    """A decision to be made."""
    clock = clock_pb2.ClockState()
    clock.decision.seconds = 60
    request = play_pb2.DecisionRequest(
        match_id=match_id, sequence=sequence, legal_actions=LEGAL, phase="main", clock=clock
    )
    return play_pb2.PlayResponse(decision_request=request)


async def rate_of(count: Callable[[], float], pid: int) -> Measured:
    """How fast decisions are counted, once they go, and what they cost the process that makes them."""
    await asyncio.sleep(SETTLE)
    before, used, began = count(), processor_seconds(pid), time.perf_counter()
    await asyncio.sleep(SECONDS)
    decisions, used, took = count() - before, processor_seconds(pid) - used, time.perf_counter() - began
    return Measured(decisions / took, 1e6 * used / max(1, decisions))


def processor_seconds(pid: int) -> float:
    """What a process has used so far, in all its threads."""
    stat = Path(f"/proc/{pid}/stat")
    if not stat.exists():
        return 0.0
    fields = stat.read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def bots(clients: Sequence[Client], address: str, folder: Path) -> Iterator[dict[str, int]]:
    """The random bot of each client, under the name of its language; their process ids by name."""
    pids = {}
    with ExitStack() as stack:
        for client in clients:
            log = stack.enter_context((folder / f"{client.language}.log").open("ab"))
            command = [*client.command("random"), "--server", address, "--name", client.language]
            process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
            stack.callback(process.wait)
            stack.callback(os.killpg, process.pid, signal.SIGKILL)
            pids[client.language] = process.pid
        yield pids


@asynccontextmanager
async def bare_server(clients: Sequence[Client], folder: Path) -> AsyncIterator[Rate]:
    """The bare server with all bots connected."""
    service = Bare()
    server = grpc.aio.server()
    play_pb2_grpc.add_PlayServiceServicer_to_server(service, server)
    address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    with bots(clients, address, folder) as service.pids:
        await asyncio.wait_for(until(lambda: len(service.bots) == len(clients)), 60)
        yield service.rate
    await server.stop(None)


@asynccontextmanager
async def arena_server(clients: Sequence[Client], folder: Path) -> AsyncIterator[Rate]:
    """The arena with all bots connected. A bot plays both seats of its matches, so that all decisions are its own."""
    set_up_logging(settings_for(folder, log_level="error"))
    async with arena(folder, max_messages_per_second=RATE) as there:
        registry = there.server.arena.metrics.registry

        async def rate(name: str, games: int) -> Measured:
            matches = [await there.begin(name, name, seed=seed, game="teutonica") for seed in range(games)]
            found = await rate_of(lambda: registry.get_sample_value("hansa_overhead_seconds_count") or 0.0, pids[name])
            for match_id in matches:
                if match_id in there.server.arena.live:
                    there.server.arena.abort(match_id)
            return found

        with bots(clients, there.address, folder) as pids:
            await asyncio.wait_for(there.connected(*(client.language for client in clients)), 60)
            yield rate


SERVERS = {"bare": bare_server, "arena": arena_server}


async def measure(clients: Sequence[Client], folder: Path, rounds: int) -> list[dict[str, Any]]:
    """The median of rounds that take turns, by language, server and number of games."""
    rows: dict[str, dict[str, Any]] = {client.language: {"language": client.language} for client in clients}
    for server, connected in SERVERS.items():
        async with connected(clients, folder) as rate:
            for games in GAMES:
                found: dict[str, list[Measured]] = {client.language: [] for client in clients}
                for number in range(rounds):
                    for client in clients:
                        found[client.language].append(await rate(client.language, games))
                    if sys.stderr.isatty():
                        print(f"\r{server}, {games} games: round {number + 1} of {rounds} ", end="", file=sys.stderr)
                for language, all_rounds in found.items():
                    rows[language][f"{server}_{games}"] = statistics.median(one.rate for one in all_rounds)
                    if server == "bare":
                        rows[language][f"processor_{games}"] = statistics.median(one.processor for one in all_rounds)
    return list(rows.values())


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benches.languages", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="for programs")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"rounds of each (default {ROUNDS})")
    arguments = parser.parse_args()
    for line in left_out():
        print(line, file=sys.stderr)
    clients = present_clients()
    for client in clients:
        client.make()
    with tempfile.TemporaryDirectory() as folder:
        rows = asyncio.run(measure(clients, Path(folder), arguments.rounds))
    if arguments.json:
        print(json.dumps(rows))
        return
    columns = [f"{server}_{games}" for server in SERVERS for games in GAMES]
    print("\n             decisions a second                                                processor, us a decision")
    print("             a bare server                     the arena                       a bare server")
    print("language     1 match          16 matches       1 match          16 matches       1 match  16 matches")
    python = next(row for row in rows if row["language"] == "python")
    for row in sorted(rows, key=lambda row: -float(row[columns[0]])):
        cells = [f"{row[column]:7,.0f} {row[column] / python[column]:5.2f} x" for column in columns]
        costs = f"{row['processor_1']:7,.0f}  {row['processor_16']:10,.0f}"
        print(f"{row['language']:12} " + "  ".join(cells) + "  " + costs)
    print("\nx: times Python's, in the same run")


if __name__ == "__main__":
    main()
