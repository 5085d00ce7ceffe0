"""A real server on a real socket, an organiser, and bots that play there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import grpc

from hansa_client import Bot, Match, Options, Result
from hansa_client._client import Client
from hansa_client._source import BotSource
from hansa_client.pb.hansa.v1 import game_pb2, match_pb2, match_pb2_grpc
from hansa_server.serve import Server
from hansa_server.settings import Settings

PATIENCE = 120.0  # seconds after which a test gives up: far more than any machine needs

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a test's coroutine; a hang is a failure."""
    return asyncio.run(asyncio.wait_for(work, PATIENCE))


class Arena:
    """A server with an organiser's connection."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.channel = grpc.aio.insecure_channel(server.address, options=[("grpc.use_local_subchannel_pool", 1)])
        self.matches = match_pb2_grpc.MatchServiceStub(self.channel)

    @property
    def address(self) -> str:
        """Where it listens."""
        return self.server.address

    async def connected(self, *names: str) -> None:
        """Wait until these bots are there."""
        await until(lambda: set(names) <= set(self.server.arena.sessions))

    async def begin(self, *bots: str, seed: int = 1, **rules: Any) -> str:
        """Begin a match; returns its id."""
        request = match_pb2.CreateMatchRequest(rules=game_pb2.Rules(**rules), bots=bots, seed=seed)
        response = await self.matches.CreateMatch(request)
        return str(response.match.match_id)

    async def match(self, match_id: str) -> match_pb2.Match:
        """A match as it is now."""
        response = await self.matches.GetMatch(match_pb2.GetMatchRequest(match_id=match_id))
        assert isinstance(response.match, match_pb2.Match)
        return response.match

    async def finished(self, match_id: str) -> match_pb2.Match:
        """Wait for the end of a match."""
        await until(lambda: match_id not in self.server.arena.live)
        match = await self.match(match_id)
        assert match.state == match_pb2.MATCH_STATE_FINISHED
        return match


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something to become true."""
    while not condition():
        await asyncio.sleep(0.01)


def settings_for(folder: Path, **settings: Any) -> Settings:
    """A server of a test: a free port, a store of its own, a clock that nobody hits."""
    defaults = {
        "address": "127.0.0.1:0",
        "store": str(folder / "arena.db"),
        "per_decision": PATIENCE,
        "stop_grace": 0.0,
    }
    return Settings(**{**defaults, **settings})


@asynccontextmanager
async def arena(folder: Path, **settings: Any) -> AsyncIterator[Arena]:
    """A server that runs as long as it is used."""
    server = Server(settings_for(folder, **settings))
    await server.start()
    there = Arena(server)
    try:
        yield there
    finally:
        await there.channel.close()
        await server.stop()


@asynccontextmanager
async def playing(bot: Bot | str, address: str, **options: Any) -> AsyncIterator[Client]:
    """A bot that is connected as long as it is needed. What ends it early is raised at the end."""
    source = BotSource(place=bot) if isinstance(bot, str) else BotSource(ready=bot)
    client = Client(source, Options(server=address, first_delay=0.02, longest_delay=0.2, **options))
    task = asyncio.create_task(client.run())
    try:
        yield client
    finally:
        client.stop()
        await task


class Noting(Bot):
    """Takes the first legal action and notes what it hears."""

    def __init__(self) -> None:
        self.started: list[Match] = []
        self.ended: list[tuple[Match, Result | None]] = []

    def choose(self, view: Any, legal: Any) -> Any:  # noqa: ARG002
        return legal[0]

    def match_started(self, match: Match) -> None:
        self.started.append(match)

    def match_ended(self, match: Match, result: Result | None) -> None:
        self.ended.append((match, result))
