"""Around every call: who calls, what is too much, how errors are told, what is counted.

The services themselves only do their work.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import aclosing, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias

import grpc
import structlog
from google.protobuf.descriptor import ServiceDescriptor
from google.protobuf.message import DecodeError

from hansa_server.auth import ROLES, Gatekeeper, Principal
from hansa_server.errors import ArenaError, BadField, NoStore, TooMuch, WhoAreYou, as_arena_error, grpc_status
from hansa_server.metrics import Metrics
from hansa_server.settings import Settings
from hansa_server.traces import NO_TRACES, Traces

log = structlog.get_logger()

Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"
caller: ContextVar[Principal] = ContextVar("caller")

PARTING = 1.0  # seconds in which a client may take in why its stream ends
MOST_BUCKETS = 10_000  # callers remembered


@dataclass(eq=False)
class Stream:
    """A stream that is open."""

    principal: Principal
    task: asyncio.Task[Any]
    ended: ArenaError | None = None

    def end(self, error: ArenaError) -> None:
        """End it with this error."""
        if self.ended is None:
            self.ended = error
            self.task.cancel()


class Rates:
    """A token bucket for each caller: `rate` calls a second, and as many at once after a pause."""

    def __init__(self, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}  # what is left, and when that was

    def __len__(self) -> int:
        """Callers remembered."""
        return len(self._buckets)

    def take(self, who: str) -> bool:
        """Whether this caller may make one more call now; if so it is counted."""
        now = self._clock()
        left, last = self._buckets.get(who, (self._rate, now))
        left = min(self._rate, left + (now - last) * self._rate)
        allowed = left >= 1.0
        self._buckets[who] = (left - allowed, now)
        if len(self._buckets) > MOST_BUCKETS:
            self._forget(now)
        return allowed

    def _forget(self, now: float) -> None:
        """Callers who have been away for a second have a full bucket again; the oldest go first."""
        recent = {who: entry for who, entry in self._buckets.items() if entry[1] > now - 1.0}
        self._buckets = dict(list(recent.items())[-MOST_BUCKETS // 2 :])


class Unreadable:
    """Stands for bytes that are no message of the expected kind."""

    def __init__(self, kind: str) -> None:
        self.problem = BadField("message", f"the bytes are no protobuf message {kind}")


class Reading(grpc.aio.ServerInterceptor):
    """Lets unreadable bytes come through to the edge, which refuses them; gRPC would call them an internal error."""

    async def intercept_service(self, continuation: Any, handler_call_details: Any) -> Any:
        """Wrap the reading of requests of our own services."""
        handler = await continuation(handler_call_details)
        if handler is None or handler_call_details.method not in ROLES:
            return handler
        read = handler.request_deserializer
        kind = read.__self__.DESCRIPTOR.full_name

        def read_or_note(data: bytes) -> Any:
            try:
                return read(data)
            except DecodeError:
                return Unreadable(kind)

        return handler._replace(request_deserializer=read_or_note)


class Edge:
    """Wraps the methods of services, so that each call is admitted, counted, and fails with a proper status."""

    def __init__(
        self, gatekeeper: Gatekeeper, metrics: Metrics, settings: Settings, traces: Traces = NO_TRACES
    ) -> None:
        self._gatekeeper = gatekeeper
        self._metrics = metrics
        self._settings = settings
        self._traces = traces
        self._rates = Rates(settings.max_calls_per_second)
        self._calls: Counter[str] = Counter()  # being answered, by caller
        self._watching: Counter[str] = Counter()  # streams to watchers, by caller
        self._streams: set[Stream] = set()

    @property
    def open_streams(self) -> int:
        """Streams of bots and watchers."""
        return len(self._streams)

    def guard(self, servicer: Any, service: ServiceDescriptor) -> Any:
        """Wrap every RPC of a servicer; a method without a row in the table of roles is refused."""
        for method in service.methods:
            path = f"/{service.full_name}/{method.name}"
            if path not in ROLES:
                raise KeyError(f"{path} has no row in the table of roles")
            work = getattr(servicer, method.name)
            if method.server_streaming:
                setattr(servicer, method.name, self._stream(path, work))
            else:
                setattr(servicer, method.name, self._single(path, work))
        return servicer

    async def run(self) -> None:
        """Look after the tokens of open streams; needs to run as long as the server does."""
        while True:
            await asyncio.sleep(self._settings.token_check)
            with_tokens = [stream for stream in self._streams if stream.principal.token_id]
            if not with_tokens:
                continue
            try:
                worthless = self._gatekeeper.worthless()
            except Exception:  # a store that is away for a while ends no stream
                log.exception("the tokens of open streams cannot be checked")
                continue
            for stream in with_tokens:
                if problem := worthless.get(stream.principal.token_id):
                    log.info("stream ended", token=stream.principal.token_id, problem=problem)
                    stream.end(WhoAreYou(problem))

    # -- Admission -----------------------------------------------------------------------------------------------

    def _admit(self, path: str, context: Context) -> tuple[Principal, str]:
        """Who calls, and under which key it is counted: the token, or without tokens the host."""
        host = host_of(context.peer())
        metadata = dict(context.invocation_metadata() or ())
        authorization = metadata.get("authorization")
        try:
            principal = self._gatekeeper.admit(path, authorization if isinstance(authorization, str) else None)
        except ArenaError:
            if not self._rates.take(host):
                raise self._too_often() from None
            raise
        who = principal.token_id or host
        if not self._rates.take(who):
            raise self._too_often()
        caller.set(principal)
        return principal, who

    def _too_often(self) -> TooMuch:
        return TooMuch("calls", f"at most {self._settings.max_calls_per_second} calls a second")

    @contextmanager
    def _place(self, counter: Counter[str], who: str, most: int, what: str) -> Iterator[None]:
        """One of the places a caller has."""
        if counter[who] >= most:
            raise TooMuch(what, f"at most {most} {what} at once")
        counter[who] += 1
        try:
            yield
        finally:
            counter[who] -= 1
            if not counter[who]:
                del counter[who]

    # -- Calls and streams ---------------------------------------------------------------------------------------

    def _single(self, path: str, method: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        """A call with one request and one response."""

        async def call(request: Any, context: Context) -> Any:
            with self._traces.span(path):
                try:
                    _, who = self._admit(path, context)
                    if isinstance(request, Unreadable):
                        raise request.problem
                    with self._place(self._calls, who, self._settings.max_calls_at_once, "calls"):
                        response = await method(request, context)
                except asyncio.CancelledError:
                    self._metrics.calls.labels(path, "CANCELLED").inc()
                    raise
                except Exception as error:
                    await self._fail(path, error, context)
            self._metrics.calls.labels(path, "OK").inc()
            return response

        return call

    def _stream(self, path: str, method: Callable[..., Any]) -> Callable[..., Awaitable[None]]:
        """A call whose responses are a stream: a generator of responses, or a coroutine that writes by itself."""

        async def call(request: Any, context: Context) -> None:
            task = asyncio.current_task()
            assert task is not None
            stream: Stream | None = None
            with self._traces.span(path):
                try:
                    principal, who = self._admit(path, context)
                    if isinstance(request, Unreadable):
                        raise request.problem
                    stream = Stream(principal, task)
                    self._streams.add(stream)
                    if inspect.isasyncgenfunction(method):
                        with self._place(self._watching, who, self._settings.max_streams_per_token, "streams"):
                            async with aclosing(method(request, context)) as responses:
                                async for response in responses:
                                    await self._write(context, response)
                    else:
                        await method(request, context)
                except asyncio.CancelledError:
                    if stream is None or stream.ended is None:
                        self._metrics.calls.labels(path, "CANCELLED").inc()
                        raise
                    task.uncancel()
                    await self._fail(path, stream.ended, context)
                except Exception as error:
                    await self._fail(path, error, context)
                finally:
                    if stream is not None:
                        self._streams.discard(stream)
            self._metrics.calls.labels(path, "OK").inc()

        return call

    async def _write(self, context: Context, response: Any) -> None:
        """Hand a message over. gRPC holds it until the client has room, so a client that does not read is seen here."""
        seconds = self._settings.write_timeout
        try:
            async with asyncio.timeout(seconds):
                await context.write(response)
        except TimeoutError:
            raise TooMuch("reading", f"nothing was read for {seconds:g} seconds") from None

    async def _fail(self, path: str, error: Exception, context: Context) -> NoReturn:
        known = as_arena_error(error)
        code = grpc.StatusCode.INTERNAL if known is None else known.code
        self._metrics.calls.labels(path, code.name).inc()
        # A client that does not read does not take in the status either; then its stream is simply cut.
        with suppress(TimeoutError):
            async with asyncio.timeout(PARTING):
                if known is None:
                    log.error("a call failed", method=path, exc_info=error)
                    await context.abort(code, "the server made a mistake; it is in its log")
                else:
                    if isinstance(known, NoStore):
                        log.error("the store does not answer", method=path, problem=str(error.__cause__ or error))
                    log.debug("call refused", method=path, status=code.name, problem=str(known))
                    status = grpc_status(known)
                    await context.abort(status.code, status.details, status.trailing_metadata)
        raise asyncio.CancelledError


def host_of(peer: str) -> str:
    """The host in the name gRPC gives a peer, such as `ipv4:127.0.0.1:50123`."""
    return peer.rpartition(":")[0] or peer
