"""PlayService: one stream a bot."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import grpc

from hansa_client.pb.hansa.v1 import play_pb2_grpc
from hansa_server.arena import Arena, Session
from hansa_server.edge import Context, Unreadable, caller
from hansa_server.errors import BadField, TooMuch, as_arena_error

HELLO_TIMEOUT = 10.0


class PlayService(play_pb2_grpc.PlayServiceServicer):
    """The edge between a bot's stream and the arena."""

    def __init__(self, arena: Arena) -> None:
        self._arena = arena

    async def Play(self, _requests: object, context: Context) -> None:  # type: ignore[override]  # noqa: N802
        """Let the bot in, then read and write side by side until one of them ends."""
        session = await self._welcome(context)
        reader = asyncio.create_task(self._read(session, context))
        writer = asyncio.create_task(self._write(session, context))
        guard = asyncio.create_task(self._guard(session))
        try:
            try:
                await asyncio.wait((reader, writer, guard), return_when=asyncio.FIRST_COMPLETED)
            finally:
                reader.cancel()
                guard.cancel()
                self._arena.disconnect(session)
            problem = session.closed
            if reader.done() and not reader.cancelled() and (error := reader.exception()) is not None:
                problem = as_arena_error(error)
                if problem is None:
                    raise error
                session.close(problem)
                await asyncio.wait((writer,), timeout=1.0)
        finally:
            writer.cancel()
            await asyncio.gather(reader, writer, guard, return_exceptions=True)
        if problem is not None:
            raise problem

    async def _welcome(self, context: Context) -> Session:
        try:
            first = await asyncio.wait_for(context.read(), HELLO_TIMEOUT)
        except TimeoutError:
            raise BadField("hello", f"did not come within {HELLO_TIMEOUT:.0f} seconds") from None
        if isinstance(first, Unreadable):
            raise first.problem
        if first is grpc.aio.EOF or first.WhichOneof("message") != "hello":
            raise BadField("hello", "must be the first message of the stream")
        return self._arena.connect(first.hello, caller.get())

    async def _read(self, session: Session, context: Context) -> None:
        arena = self._arena
        rate = arena.settings.max_messages_per_second
        tokens, last = float(rate), time.monotonic()
        while True:
            message: Any = await context.read()
            if message is grpc.aio.EOF:
                return
            if isinstance(message, Unreadable):
                raise message.problem
            now = time.monotonic()
            tokens = min(rate, tokens + (now - last) * rate) - 1
            last = now
            if tokens < 0:
                raise TooMuch("messages", f"more than {rate} messages a second")
            arena.receive(session, message)
            # An answer is mostly followed by the next question to the same bot: in the next round of the event loop it
            # is committed and queued, and can be written from here without waking another task.
            session.attended = True
            await asyncio.sleep(0)
            session.attended = False
            await self._write_queued(session, context)
            if session.ending:
                session.ready.set()

    async def _write(self, session: Session, context: Context) -> None:
        """Write what comes while nobody reads."""
        while True:
            await self._write_queued(session, context)
            if session.ending and session.writing is None:
                return
            session.ready.clear()
            await session.ready.wait()

    async def _write_queued(self, session: Session, context: Context) -> None:
        """Write all that is queued, unless somebody is at it already."""
        while session.outbox and session.writing is None:
            message, asks = session.outbox.popleft()
            session.waiting_bytes -= message.ByteSize()
            session.writing = time.monotonic()
            await context.write(message)
            session.writing = None
            if asks is not None:
                self._arena.sent(asks)

    async def _guard(self, session: Session) -> None:
        """Ends when the bot does not read: gRPC holds a message until there is room, and no clock would start."""
        patience = self._arena.settings.write_timeout
        while True:
            await asyncio.sleep(min(1.0, patience / 4))
            waited = 0.0 if session.writing is None else time.monotonic() - session.writing
            if waited > patience or (waited and session.ending):
                session.close(TooMuch("reading", f"nothing was read for {waited:.1f} seconds: the bot is too slow"))
                return
