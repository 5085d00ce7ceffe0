"""The server as a whole: store, arena, services, and how it starts and stops."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from wsgiref.simple_server import WSGIServer

import grpc
import structlog
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from prometheus_client import start_http_server
from sqlalchemy.exc import SQLAlchemyError

from hansa_client.pb.hansa.v1 import (
    engine_pb2,
    engine_pb2_grpc,
    match_pb2,
    match_pb2_grpc,
    play_pb2,
    play_pb2_grpc,
    server_pb2,
    server_pb2_grpc,
    tournament_pb2,
    tournament_pb2_grpc,
    watch_pb2,
    watch_pb2_grpc,
)
from hansa_server.arena import Arena
from hansa_server.auth import Gatekeeper
from hansa_server.edge import Edge, Reading
from hansa_server.engine_service import EngineService
from hansa_server.errors import BadField, NotNow
from hansa_server.match_service import MatchService, ServerService
from hansa_server.play_service import PlayService
from hansa_server.settings import Settings, split_address
from hansa_server.store import Store
from hansa_server.tournament.director import Director
from hansa_server.tournament.ledger import Ledger
from hansa_server.tournament.local_bots import LocalBots
from hansa_server.tournament_service import TournamentService
from hansa_server.traces import NO_TRACES, Traces, make_traces
from hansa_server.watch_service import WatchService

log = structlog.get_logger()

SERVICES = {
    name: module.DESCRIPTOR.services_by_name[name]
    for name, module in (
        ("PlayService", play_pb2),
        ("MatchService", match_pb2),
        ("WatchService", watch_pb2),
        ("TournamentService", tournament_pb2),
        ("EngineService", engine_pb2),
        ("ServerService", server_pb2),
    )
}
SERVICE_NAMES = tuple(service.full_name for service in SERVICES.values())


def set_up_logging(settings: Settings) -> None:
    """Structured logs on standard error. Tokens never get into them: nothing logs metadata."""
    level = getattr(logging, settings.log_level.upper())
    render = (
        structlog.processors.JSONRenderer(ensure_ascii=False)
        if settings.log_format == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso"),
            structlog.processors.format_exc_info,
            render,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )


class Server:
    """A server that can be started and stopped; tests run several of them in one process."""

    def __init__(self, settings: Settings, traces: Traces | None = None) -> None:
        self.settings = settings
        self.traces = traces or (make_traces() if settings.traces else NO_TRACES)
        self.store = _open_store(settings.store, settings.durability)
        self.arena = Arena(self.store, settings)
        self.director = Director(self.arena, Ledger(self.store), self._local_bots)
        self.gatekeeper = Gatekeeper(self.store, settings.tokens)
        self.edge = Edge(self.gatekeeper, self.arena.metrics, settings, self.traces)
        self.port = 0
        self.metrics_port = 0
        self._health = health.aio.HealthServicer()
        self._grpc = grpc.aio.server(
            interceptors=[Reading()],
            options=[
                ("grpc.max_receive_message_length", settings.max_message_bytes),
                ("grpc.keepalive_permit_without_calls", 1),
                ("grpc.http2.min_ping_interval_without_data_ms", int(settings.min_keepalive * 1000)),
                ("grpc.keepalive_time_ms", int(settings.keepalive * 1000)),
                ("grpc.keepalive_timeout_ms", int(settings.keepalive_timeout * 1000)),
                ("grpc.http2.ping_timeout_ms", int(settings.keepalive_timeout * 1000)),  # it counts for these pings too
                ("grpc.http2.max_pings_without_data", 0),
                ("grpc.max_concurrent_streams", settings.max_streams_per_connection),
                ("grpc.so_reuseport", 0),
                ("grpc.http2.bdp_probe", 0),  # windows stay small, and so what a connection can make us hold
            ],
        )
        self._tasks: list[asyncio.Task[None]] = []
        self._metrics_server: WSGIServer | None = None

    async def start(self) -> None:
        """Take up the matches of the store and listen."""
        arena, settings = self.arena, self.settings
        servicers: dict[str, tuple[Any, Callable[..., None]]] = {
            "PlayService": (PlayService(arena), play_pb2_grpc.add_PlayServiceServicer_to_server),
            "MatchService": (
                MatchService(arena, self.director.ledger),
                match_pb2_grpc.add_MatchServiceServicer_to_server,
            ),
            "WatchService": (WatchService(arena), watch_pb2_grpc.add_WatchServiceServicer_to_server),
            "TournamentService": (
                TournamentService(self.director),
                tournament_pb2_grpc.add_TournamentServiceServicer_to_server,
            ),
            "EngineService": (EngineService(), engine_pb2_grpc.add_EngineServiceServicer_to_server),
            "ServerService": (ServerService(arena), server_pb2_grpc.add_ServerServiceServicer_to_server),
        }
        for name, (servicer, add) in servicers.items():
            add(self.edge.guard(servicer, SERVICES[name]), self._grpc)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._grpc)
        names = (*SERVICE_NAMES, health.SERVICE_NAME, reflection.SERVICE_NAME)
        reflection.enable_server_reflection(names, self._grpc)
        self.port = self._listen()
        if settings.metrics_address:
            self._serve_metrics()
        self._tasks = [asyncio.create_task(arena.clock.run()), asyncio.create_task(self.edge.run())]
        resumed = arena.resume()
        tournaments = self.director.start()
        self._tasks.append(asyncio.create_task(self.director.keep_house()))
        await self._grpc.start()
        for name in ("", *SERVICE_NAMES):
            await self._health.set(name, health_pb2.HealthCheckResponse.SERVING)
        if not settings.tokens:
            log.warning("tokens are off: everybody who can reach this address may play and organise")
        tls = "mutual" if settings.tls_client_ca else "on" if settings.tls_certificate else "off"
        log.info(
            "serving",
            address=self.address,
            store=_without_secret(settings.store),
            tls=tls,
            tokens=settings.tokens,
            metrics=self.metrics_port or None,
            resumed=resumed,
            tournaments=tournaments,
        )

    def _serve_metrics(self) -> None:
        host, port = split_address(self.settings.metrics_address)
        try:
            self._metrics_server, _ = start_http_server(port, host, registry=self.arena.metrics.registry)
        except OSError as error:
            raise BadField("metrics_address", f"cannot be listened on: {error.strerror}") from None
        self.metrics_port = self._metrics_server.server_port

    def _local_bots(self, *, restarts: int, log_bytes: int) -> LocalBots:
        """For the bots of a tournament that the server runs itself. They reach it the way others do."""
        settings = self.settings
        if settings.tls_client_ca:
            raise NotNow("local bots", "have no certificate to show: they cannot play where mutual TLS is needed")
        host, _ = split_address(settings.address)
        near = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}.get(host, host)
        return LocalBots(
            f"{near}:{self.port}",
            self.gatekeeper.lend,
            self.gatekeeper.take_back,
            restarts=restarts,
            log_bytes=log_bytes,
            tls_ca=settings.tls_certificate or None,
        )

    @property
    def address(self) -> str:
        """Where the server listens."""
        return f"{split_address(self.settings.address)[0]}:{self.port}"

    def _listen(self) -> int:
        settings = self.settings
        try:
            if not settings.tls_certificate:
                return self._grpc.add_insecure_port(settings.address)
            authority = Path(settings.tls_client_ca).read_bytes() if settings.tls_client_ca else None
            pair = (Path(settings.tls_key).read_bytes(), Path(settings.tls_certificate).read_bytes())
            credentials = grpc.ssl_server_credentials(
                [pair], root_certificates=authority, require_client_auth=authority is not None
            )
            return self._grpc.add_secure_port(settings.address, credentials)
        except OSError as error:
            raise BadField(str(error.filename), f"cannot be read: {error.strerror}") from None
        except RuntimeError:
            raise BadField("address", f"cannot listen on {settings.address}; is another server running?") from None

    async def stop(self, grace: float | None = None) -> None:
        """Stop gently: matches finish or are parked, bots are told, nothing is lost."""
        await self._health.enter_graceful_shutdown()
        await self.director.hold()
        await self.arena.stop(self.settings.stop_grace if grace is None else grace)
        await self.director.stop()
        await self._grpc.stop(1.0)
        for task in self._tasks:
            task.cancel()
        if self._metrics_server is not None:
            self._metrics_server.shutdown()
            self._metrics_server.server_close()
        self.traces.close()
        self.store.close()

    async def run(self, listening: Callable[[Server], None] = lambda _: None) -> None:
        """Serve until SIGTERM or SIGINT; `listening` is called once the server takes calls."""
        done = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, done.set)
        await self.start()
        listening(self)
        await done.wait()
        log.info("stopping")
        await self.stop()


def _open_store(address: str, durability: str) -> Store:
    try:
        store = Store(address, durability)
    except (SQLAlchemyError, ImportError) as error:
        problem = str(error.__cause__ or error).splitlines()[0]
        raise BadField("store", f"{_without_secret(address)} cannot be opened: {problem}") from None
    try:
        store.claim()
    except BadField:
        store.close()
        raise
    return store


def _without_secret(address: str) -> str:
    """A store's address without its password."""
    scheme, mark, rest = address.partition("://")
    return address if not mark or "@" not in rest else f"{scheme}://***@{rest.rpartition('@')[2]}"
