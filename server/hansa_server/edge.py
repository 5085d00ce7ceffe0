"""Around every call: who calls, how errors are told, what is counted. The services themselves only do their work."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable
from contextvars import ContextVar
from typing import Any, NoReturn

import grpc
import structlog

from hansa_server.auth import ROLES, Gatekeeper, Principal
from hansa_server.errors import as_arena_error, grpc_status
from hansa_server.metrics import Metrics

log = structlog.get_logger()

Context = grpc.aio.ServicerContext
caller: ContextVar[Principal] = ContextVar("caller")


class Edge:
    """Wraps the methods of a service, so that each call is admitted, counted, and fails with a proper status."""

    def __init__(self, gatekeeper: Gatekeeper, metrics: Metrics) -> None:
        self._gatekeeper = gatekeeper
        self._metrics = metrics

    def guard(self, servicer: Any, service: str) -> Any:
        """Wrap every RPC of a servicer; a method without a row in the table of roles is refused."""
        for name, method in inspect.getmembers(servicer, inspect.ismethod):
            path = f"/{service}/{name}"
            if name[0].isupper():
                if path not in ROLES:
                    raise KeyError(f"{path} has no row in the table of roles")
                streams = inspect.isasyncgenfunction(method)
                setattr(servicer, name, self._stream(path, method) if streams else self._single(path, method))
        return servicer

    def _admit(self, path: str, context: Context) -> None:
        metadata = dict(context.invocation_metadata() or ())
        authorization = metadata.get("authorization")
        caller.set(self._gatekeeper.admit(path, authorization if isinstance(authorization, str) else None))

    def _single(self, path: str, method: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def call(request: Any, context: Context) -> Any:
            try:
                self._admit(path, context)
                response = await method(request, context)
            except asyncio.CancelledError:
                raise
            except Exception as error:
                await self._fail(path, error, context)
            self._metrics.calls.labels(path, "OK").inc()
            return response

        return call

    def _stream(self, path: str, method: Callable[..., AsyncIterator[Any]]) -> Callable[..., AsyncIterator[Any]]:
        async def call(request: Any, context: Context) -> AsyncIterator[Any]:
            try:
                self._admit(path, context)
                async for response in method(request, context):
                    yield response
            except (asyncio.CancelledError, GeneratorExit):
                raise
            except Exception as error:
                await self._fail(path, error, context)
            self._metrics.calls.labels(path, "OK").inc()

        return call

    async def _fail(self, path: str, error: Exception, context: Context) -> NoReturn:
        known = as_arena_error(error)
        if known is None:
            log.exception("a call failed", method=path)
            self._metrics.calls.labels(path, "INTERNAL").inc()
            await context.abort(grpc.StatusCode.INTERNAL, "the server made a mistake; it is in its log")
        else:
            self._metrics.calls.labels(path, known.code.name).inc()
            status = grpc_status(known)
            await context.abort(status.code, status.details, status.trailing_metadata)
        raise AssertionError("abort does not return")
