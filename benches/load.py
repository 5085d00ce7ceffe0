"""Many bots at once on one server, for a while: no error, flat memory, and how long the server makes bots wait.

    python -m benches.load --bots 500 --matches 100 --seconds 60

The server is a process of its own; the bots are raw streams in this one. A match that ends is followed by another, so
that as many run all the time. At the end finished matches are replayed from their records. Exit code 1 if anything was
wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import time
from pathlib import Path
from typing import Any

import grpc

from benches.arena import serve_arena, served
from hansa_client.pb.hansa.v1 import game_pb2, match_pb2, match_pb2_grpc, play_pb2, play_pb2_grpc
from hansa_fast import Game

TABLES = (
    game_pb2.Rules(players=4, turn_limit=60),
    game_pb2.Rules(board="east", players=5, turn_limit=60),
    game_pb2.Rules(board="britannia-3", players=3, turn_limit=60),
    game_pb2.Rules(game="hansa", players=4),
    game_pb2.Rules(game="hansa", players=2),
)
CHANNELS = 8  # connections the streams are spread over
WARM_UP = 0.4  # share of the time after which memory must stay flat


class Load:
    """The bots, the matches, and what was seen."""

    def __init__(self, bots: int, matches: int, seconds: float, seed: int) -> None:
        self.bots = bots
        self.matches = matches
        self.seconds = seconds
        self.rng = random.Random(seed)
        self.decisions = 0
        self.finished: list[str] = []
        self.errors: list[str] = []
        self.waits: list[float] = []  # from an answer to the next message about the match
        self.free = [f"bot-{number}" for number in range(bots)]
        self.ended = asyncio.Event()
        self.seated: dict[str, list[str]] = {}

    async def bot(self, channel: grpc.aio.Channel, name: str) -> None:
        """A stream that picks any legal action."""
        call = play_pb2_grpc.PlayServiceStub(channel).Play()
        hello = play_pb2.Hello(name=name, max_matches=1, event_delivery=play_pb2.EVENT_DELIVERY_WITH_DECISIONS)
        answered = 0.0
        await call.write(play_pb2.PlayRequest(hello=hello))
        while True:
            message: Any = await call.read()
            kind = message.WhichOneof("message")
            if kind == "decision_request":
                asked = message.decision_request
                events = asked.events
                if answered and events and events[0].sequence == asked.sequence - 1:
                    self.waits.append(time.perf_counter() - answered)  # this bot decided just before
                action = self.rng.choice(asked.legal_actions)
                answer = play_pb2.Answer(match_id=asked.match_id, sequence=asked.sequence, action=action)
                await call.write(play_pb2.PlayRequest(answer=answer))
                answered = time.perf_counter()
                self.decisions += 1
            elif kind == "match_ended":
                self.end(message.match_ended)
            elif kind == "answer_rejected":
                self.errors.append(f"{name}: {message.answer_rejected.explanation}")

    def end(self, ended: play_pb2.MatchEnded) -> None:
        """A match is over; its bots are free again."""
        names = self.seated.pop(ended.match_id, None)
        if names is not None:
            self.free += names
            self.finished.append(ended.match_id)
            if any(seat.forfeit for seat in ended.result.seats):
                self.errors.append(f"{ended.match_id}: a seat was forfeited")
            self.ended.set()

    async def organise(self, stub: Any, end: float) -> None:
        """Keep as many matches running as asked for."""
        while time.perf_counter() < end:
            while len(self.seated) < self.matches:
                rules = self.rng.choice(TABLES)
                self.rng.shuffle(self.free)
                names = [self.free.pop() for _ in range(rules.players)]
                request = match_pb2.CreateMatchRequest(rules=rules, bots=names, seed=self.rng.getrandbits(60))
                match = (await stub.CreateMatch(request)).match
                self.seated[match.match_id] = names
            self.ended.clear()
            try:
                await asyncio.wait_for(self.ended.wait(), 0.5)
            except TimeoutError:
                continue

    async def run(self, address: str) -> dict[str, Any]:
        """The whole load; returns the report."""
        channels = [grpc.aio.insecure_channel(address, [("hansa.channel", k)]) for k in range(CHANNELS)]
        tasks = [
            asyncio.create_task(self.bot(channels[number % CHANNELS], f"bot-{number}")) for number in range(self.bots)
        ]
        stub = match_pb2_grpc.MatchServiceStub(channels[0])
        while len((await stub.ListBots(match_pb2.ListBotsRequest(page_size=1000))).bots) < self.bots:
            await asyncio.sleep(0.05)
        began = time.perf_counter()
        organiser = asyncio.create_task(self.organise(stub, began + self.seconds))
        memory: list[tuple[float, float]] = []
        while not organiser.done():
            await asyncio.sleep(min(1.0, self.seconds / 20))
            now = time.perf_counter() - began
            memory.append((now, server_megabytes()))
            if sys.stderr.isatty():
                rate = self.decisions / now
                print(
                    f"\r{rate:,.0f} decisions/s, {self.seconds - now:.0f} s left ", end="", file=sys.stderr, flush=True
                )
        organiser.result()
        elapsed = time.perf_counter() - began
        for task in tasks:
            if task.done():
                self.errors.append(f"a bot's stream ended: {task.exception()!r}")
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for match_id in self.finished[:: max(1, len(self.finished) // 50)]:
            record = (await stub.GetRecord(match_pb2.GetRecordRequest(match_id=match_id))).text
            Game.from_text(record)  # raises if the stored result is not what the actions replay to
        for channel in channels:
            await channel.close()
        warm = [value for when, value in memory if when >= WARM_UP * self.seconds]
        waits = sorted(self.waits)
        return {
            "bots": self.bots,
            "matches_at_once": self.matches,
            "seconds": elapsed,
            "decisions_per_second": self.decisions / elapsed,
            "matches_finished": len(self.finished),
            "wait_p50_ms": 1000 * waits[len(waits) // 2],
            "wait_p99_ms": 1000 * waits[len(waits) * 99 // 100],
            "memory_warm_mb": warm[0],
            "memory_end_mb": warm[-1],
            "errors": self.errors[:10],
        }


SERVER_PID: list[int] = []


def server_megabytes() -> float:
    """Resident memory of the server's process."""
    for line in Path(f"/proc/{SERVER_PID[0]}/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise AssertionError("no VmRSS")


def run(bots: int, matches: int, seconds: float, seed: int = 1) -> dict[str, Any]:
    """Start a server, load it, report."""
    import multiprocessing

    with served(serve_arena) as address:
        SERVER_PID[:] = [max(child.pid or 0 for child in multiprocessing.active_children())]

        async def go() -> dict[str, Any]:
            return await Load(bots, matches, seconds, seed).run(address)

        return asyncio.run(go())


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m benches.load", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--bots", type=int, default=500)
    parser.add_argument("--matches", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    report = run(arguments.bots, arguments.matches, arguments.seconds)
    growth = report["memory_end_mb"] / report["memory_warm_mb"]
    if arguments.json:
        print(json.dumps(report))
    else:
        print()
        for name, value in report.items():
            print(f"{name.replace('_', ' '):22} {value:,.2f}" if isinstance(value, float) else f"{name:22} {value}")
    if report["errors"] or growth > 1.1:
        print(
            f"not good: {len(report['errors'])} errors, memory grew {growth:.2f} times after warm-up", file=sys.stderr
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
