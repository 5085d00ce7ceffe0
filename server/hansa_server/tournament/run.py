"""A tournament in one process: an embedded server on a free loopback port, and a client that follows it."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, replace

import grpc

from hansa_client.pb.hansa.v1 import tournament_pb2, tournament_pb2_grpc
from hansa_server.errors import NotNow
from hansa_server.serve import Server
from hansa_server.settings import Settings
from hansa_server.tournament import event_file
from hansa_server.tournament.chronicle import Chronicle
from hansa_server.tournament.event import Event
from hansa_server.tournament.ledger import CREATED, PAUSED, Ledger

EVERY = 0.5  # seconds between looks
START = 60.0  # seconds for the server to start and stop
CALL = 30.0  # seconds for a call

Watched = tournament_pb2.WatchTournamentResponse


@dataclass(frozen=True)
class Embedded:
    """A server in a thread of its own."""

    server: Server
    address: str
    loop: asyncio.AbstractEventLoop

    @property
    def ledger(self) -> Ledger:
        """Its tournaments; to be read from any thread."""
        return self.server.director.ledger


@contextmanager
def embedded(settings: Settings) -> Iterator[Embedded]:
    """A server that runs as long as it is needed. Raises what keeps it from starting."""
    started: Future[Embedded] = Future()
    finish = threading.Event()

    async def main() -> None:
        try:
            server = Server(settings)
            await server.start()
        except BaseException as error:
            started.set_exception(error)
            return
        started.set_result(Embedded(server, server.address, asyncio.get_running_loop()))
        await asyncio.to_thread(finish.wait)
        await server.stop()

    thread = threading.Thread(target=lambda: asyncio.run(main()), name="embedded server")
    thread.start()
    try:
        yield started.result(START)
    finally:
        finish.set()
        thread.join(START + settings.stop_grace)


def run_event(
    event: Event,
    store: str,
    *,
    progress: Callable[[Watched], None] | None = None,
    listening: Callable[[str], None] | None = None,
    seconds: float | None = None,
    address: str = "127.0.0.1:0",
    force: bool = False,
    settings: Settings | None = None,
) -> Chronicle:
    """Play an event to its end, or stop it after so many seconds; returns all that happened.

    If the store has it already it goes on where it was, however it was left. `progress` is told how it is, now and
    then; `listening` where bots may connect. Ctrl-C leaves it as it is.
    """
    settings = replace(settings or Settings(), address=address, store=store, stop_grace=0.0)
    with embedded(settings) as host:
        if listening is not None:
            listening(host.address)
        _begin(host, event, force)
        with grpc.insecure_channel(host.address) as channel:
            _follow(tournament_pb2_grpc.TournamentServiceStub(channel), event.name, progress, seconds)
        return host.ledger.chronicle(event.name)


def _begin(host: Embedded, event: Event, force: bool) -> None:
    """Set the tournament up, unless it is there, and let it play."""

    async def begin() -> None:
        director = host.server.director
        stored = host.ledger.find(event.name)
        if stored is None:
            director.create(event, force=force)
        elif event_file.to_dict(replace(stored.event, seed="")) != event_file.to_dict(replace(event, seed="")):
            raise NotNow(event.name, "the store has a tournament of this name that was set up differently")
        elif event.seed not in ("", stored.secret):
            raise NotNow(event.name, "the store has a tournament of this name from another seed")
        campaign = director.campaigns.get(event.name)
        if campaign is None:
            return  # it is over
        async with campaign.turn():
            if campaign.standing.state == CREATED:
                await campaign.start()
            elif campaign.standing.state == PAUSED:
                await campaign.resume()

    asyncio.run_coroutine_threadsafe(begin(), host.loop).result(START)


def _follow(
    stub: tournament_pb2_grpc.TournamentServiceStub,
    name: str,
    progress: Callable[[Watched], None] | None,
    seconds: float | None,
) -> None:
    """Watch until it is over, or stop it when its time is up. A pause by itself raises `NotNow`."""
    request = tournament_pb2.WatchTournamentRequest(name=name)
    request.every.FromMilliseconds(int(EVERY * 1000))
    end = None if seconds is None else time.monotonic() + seconds
    paused = tournament_pb2.TOURNAMENT_STATE_PAUSED
    for message in stub.WatchTournament(request):
        if progress is not None:
            progress(message)
        if message.tournament.state == paused and message.tournament.problem:
            raise NotNow(name, f"has paused itself: {message.tournament.problem}")
        if end is not None and time.monotonic() >= end and message.tournament.state != paused:
            stub.StopTournament(tournament_pb2.StopTournamentRequest(name=name), timeout=CALL)
            end = None
