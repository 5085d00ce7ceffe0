"""The server as a whole: store, arena, services, and how it starts and stops."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import grpc
import structlog
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from hansa_client.pb.hansa.v1 import (
    engine_pb2,
    engine_pb2_grpc,
    match_pb2,
    match_pb2_grpc,
    play_pb2,
    play_pb2_grpc,
    server_pb2,
    server_pb2_grpc,
    watch_pb2,
    watch_pb2_grpc,
)
from prometheus_client import start_http_server

from hansa_server.arena import Arena
from hansa_server.auth import Gatekeeper
from hansa_server.edge import Edge
from hansa_server.engine_service import EngineService
from hansa_server.errors import BadField
from hansa_server.match_service import MatchService, ServerService
from hansa_server.play_service import PlayService
from hansa_server.settings import Settings
from hansa_server.store import Store
from hansa_server.watch_service import WatchService

log = structlog.get_logger()

SERVICES = {
    name: module.DESCRIPTOR.services_by_name[name].full_name
    for name, module in (
        ("PlayService", play_pb2),
        ("MatchService", match_pb2),
        ("WatchService", watch_pb2),
        ("EngineService", engine_pb2),
        ("ServerService", server_pb2),
    )
}


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

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.store = Store(settings.store)
        self.arena = Arena(self.store, settings)
        self.port = 0
        self._health = health.aio.HealthServicer()
        self._grpc = grpc.aio.server(
            options=[
                ("grpc.max_receive_message_length", settings.max_message_bytes),
                ("grpc.keepalive_permit_without_calls", 1),
                ("grpc.http2.min_ping_interval_without_data_ms", int(settings.min_keepalive * 1000)),
                ("grpc.keepalive_time_ms", 30_000),
                ("grpc.keepalive_timeout_ms", 10_000),
                ("grpc.so_reuseport", 0),
            ]
        )
        self._pulse: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Take up the matches of the store and listen."""
        arena, settings = self.arena, self.settings
        edge = Edge(Gatekeeper(self.store, settings.tokens), arena.metrics)
        servicers = {
            "PlayService": (PlayService(arena), play_pb2_grpc.add_PlayServiceServicer_to_server),
            "MatchService": (MatchService(arena), match_pb2_grpc.add_MatchServiceServicer_to_server),
            "WatchService": (WatchService(arena), watch_pb2_grpc.add_WatchServiceServicer_to_server),
            "EngineService": (EngineService(), engine_pb2_grpc.add_EngineServiceServicer_to_server),
            "ServerService": (ServerService(arena), server_pb2_grpc.add_ServerServiceServicer_to_server),
        }
        for name, (servicer, add) in servicers.items():
            add(edge.guard(servicer, SERVICES[name]), self._grpc)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._grpc)
        names = (*SERVICES.values(), health.SERVICE_NAME, reflection.SERVICE_NAME)
        reflection.enable_server_reflection(names, self._grpc)
        self.port = self._listen()
        self._pulse = asyncio.create_task(arena.clock.run())
        resumed = arena.resume()
        await self._grpc.start()
        for name in ("", *SERVICES.values()):
            await self._health.set(name, health_pb2.HealthCheckResponse.SERVING)
        if settings.metrics_address:
            host, _, port = settings.metrics_address.rpartition(":")
            start_http_server(int(port), host or "127.0.0.1", registry=arena.metrics.registry)
        if not settings.tokens:
            log.warning("tokens are off: everybody who can reach this address may play and organise")
        tls = "mutual" if settings.tls_client_ca else "on" if settings.tls_certificate else "off"
        log.info("serving", address=self.address, store=_without_secret(settings.store), tls=tls, resumed=resumed)

    @property
    def address(self) -> str:
        """Where the server listens."""
        return f"{self.settings.address.rpartition(':')[0]}:{self.port}"

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
        await self.arena.stop(self.settings.stop_grace if grace is None else grace)
        await self._grpc.stop(1.0)
        if self._pulse is not None:
            self._pulse.cancel()
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


def _without_secret(address: str) -> str:
    """A store's address without its password."""
    scheme, mark, rest = address.partition("://")
    return address if not mark or "@" not in rest else f"{scheme}://***@{rest.rpartition('@')[2]}"
