"""What a decision costs over the wire: the arena beside a bare gRPC ping-pong of the same messages, in one run.

    python -m benches.arena            one game, then 64 games at once: decisions a second of both, and their ratio
    python -m benches.arena --json

The floor answers each message with the same ready-made one. Both servers are processes of their own, both are driven by
the same kind of raw client, and rounds of both take turns, so that a busy machine slows both alike. The arena does all
its work: rules, clock, commit to SQLite on disk.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc

from hansa_client.pb.hansa.v1 import game_pb2, match_pb2, match_pb2_grpc, play_pb2, play_pb2_grpc

ROUNDS = 5
SECONDS = 1.5  # of each round
LEGAL = list(range(0, 120, 2))  # as many as a position has on average


class Floor(play_pb2_grpc.PlayServiceServicer):
    """Answers everything with a decision request that is ready."""

    async def Play(self, _requests: object, context: Any) -> None:  # type: ignore[override]  # noqa: N802
        """Ping-pong."""
        request = play_pb2.DecisionRequest(match_id="0" * 16, sequence=7, legal_actions=LEGAL, phase="main")
        ready = play_pb2.PlayResponse(decision_request=request)
        while await context.read() is not grpc.aio.EOF:
            await context.write(ready)


def serve_floor(port: Any) -> None:
    """The process of the floor."""

    async def run() -> None:
        server = grpc.aio.server()
        play_pb2_grpc.add_PlayServiceServicer_to_server(Floor(), server)
        port.put(server.add_insecure_port("127.0.0.1:0"))
        await server.start()
        await server.wait_for_termination()

    asyncio.run(run())


def serve_arena(port: Any) -> None:
    """The process of the arena."""
    from hansa_server.serve import Server, set_up_logging
    from hansa_server.settings import Settings

    async def run() -> None:
        with tempfile.TemporaryDirectory() as folder:
            settings = Settings(
                address="127.0.0.1:0",
                store=str(Path(folder) / "arena.db"),
                max_messages_per_second=1_000_000,
                log_level="error",
            )
            set_up_logging(settings)
            server = Server(settings)
            await server.start()
            port.put(server.port)
            await asyncio.Event().wait()

    asyncio.run(run())


@contextmanager
def served(target: Callable[[Any], None]) -> Iterator[str]:
    """The address of a server in a process of its own."""
    context = multiprocessing.get_context("spawn")
    port: Any = context.Queue()
    process = context.Process(target=target, args=(port,), daemon=True)
    process.start()
    try:
        yield f"127.0.0.1:{port.get(timeout=60)}"
    finally:
        process.kill()
        process.join()


async def floor_rate(address: str, streams: int, seconds: float) -> float:
    """Round trips a second over so many streams."""
    count = 0

    async def ping(channel: grpc.aio.Channel, end: float) -> None:
        nonlocal count
        call = play_pb2_grpc.PlayServiceStub(channel).Play()
        while time.perf_counter() < end:
            answer = play_pb2.Answer(match_id="0" * 16, sequence=7, action=LEGAL[count % len(LEGAL)])
            await call.write(play_pb2.PlayRequest(answer=answer))
            message: Any = await call.read()
            assert len(message.decision_request.legal_actions) == len(LEGAL)
            count += 1
        call.cancel()

    async with grpc.aio.insecure_channel(address) as channel:
        began = time.perf_counter()
        await asyncio.gather(*(ping(channel, began + seconds) for _ in range(streams)))
        return count / (time.perf_counter() - began)


async def arena_rate(address: str, games: int, seconds: float) -> float:
    """Decisions a second in so many two-player games at once, two bots each; every answer is one round trip."""
    count = 0
    refused: list[str] = []

    async def bot(channel: grpc.aio.Channel, name: str) -> None:
        nonlocal count
        call = play_pb2_grpc.PlayServiceStub(channel).Play()
        hello = play_pb2.Hello(name=name, max_matches=1, event_delivery=play_pb2.EVENT_DELIVERY_WITH_DECISIONS)
        await call.write(play_pb2.PlayRequest(hello=hello))
        while True:
            message: Any = await call.read()
            kind = message.WhichOneof("message")
            if kind == "decision_request":
                asked = message.decision_request
                legal = asked.legal_actions
                answer = play_pb2.Answer(
                    match_id=asked.match_id, sequence=asked.sequence, action=legal[count * 7 % len(legal)]
                )
                await call.write(play_pb2.PlayRequest(answer=answer))
                count += 1
            elif kind == "answer_rejected":
                refused.append(message.answer_rejected.explanation)

    async with grpc.aio.insecure_channel(address) as channel:
        names = [(f"a-{game}", f"b-{game}") for game in range(games)]
        bots = [asyncio.create_task(bot(channel, name)) for pair in names for name in pair]
        stub = match_pb2_grpc.MatchServiceStub(channel)
        while len((await stub.ListBots(match_pb2.ListBotsRequest(page_size=1000))).bots) < 2 * games:
            await asyncio.sleep(0.02)
        matches = []
        for seed, pair in enumerate(names):
            request = match_pb2.CreateMatchRequest(rules=game_pb2.Rules(players=2), bots=pair, seed=seed)
            matches.append((await stub.CreateMatch(request)).match.match_id)
        await asyncio.sleep(0.2)
        before, began = count, time.perf_counter()
        await asyncio.sleep(seconds)
        rate = (count - before) / (time.perf_counter() - began)
        early = list(refused)  # answers that cross the end of their match are refused later on
        for match_id in matches:
            found = (await stub.GetMatch(match_pb2.GetMatchRequest(match_id=match_id))).match
            if found.state == match_pb2.MATCH_STATE_RUNNING:
                await stub.AbortMatch(match_pb2.AbortMatchRequest(match_id=match_id))
        for task in bots:
            task.cancel()
        await asyncio.gather(*bots, return_exceptions=True)
    assert not early, early[0]
    return rate


def measure(rounds: int = ROUNDS, seconds: float = SECONDS) -> list[dict[str, float]]:
    """Both servers with 1 and 64 games; medians over rounds that take turns."""
    rows = []
    with served(serve_floor) as floor, served(serve_arena) as arena:
        for games in (1, 64):
            floors, arenas = [], []
            for number in range(rounds):
                floors.append(asyncio.run(floor_rate(floor, games, seconds)))
                arenas.append(asyncio.run(arena_rate(arena, games, seconds)))
                if sys.stderr.isatty():
                    print(f"\r{games} games: round {number + 1} of {rounds} ", end="", file=sys.stderr, flush=True)
            bare, full = statistics.median(floors), statistics.median(arenas)
            rows.append({"games": games, "floor": bare, "arena": full, "cost": bare / full, "share": full / bare})
    return rows


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benches.arena", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="for programs")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"rounds of each (default {ROUNDS})")
    arguments = parser.parse_args()
    rows = measure(arguments.rounds)
    if arguments.json:
        print(json.dumps(rows))
        return
    print("\ngames  floor/s  arena/s  a decision costs  share of the floor")
    for row in rows:
        print(
            f"{row['games']:5.0f}  {row['floor']:7,.0f}  {row['arena']:7,.0f}  "
            f"{row['cost']:11.2f} times  {100 * row['share']:15.0f} %"
        )


if __name__ == "__main__":
    main()
