"""A server that does what a script says: the real contract on the wire, and bytes beyond it where a step wants them."""

from __future__ import annotations

import asyncio
from typing import Any

import grpc
from google.protobuf.message import DecodeError

from hansa_client.pb.hansa.v1 import play_pb2


class GoneError(Exception):
    """The stream of the bot is over."""


class Stream:
    """A stream that a bot opened."""

    def __init__(self, context: Any) -> None:
        self._context = context
        self._inbox: asyncio.Queue[bytes | None] = asyncio.Queue()  # None: the bot closed its side, or is gone
        self._ending: asyncio.Future[tuple[grpc.StatusCode, str]] = asyncio.get_running_loop().create_future()
        self.over = False

    async def serve(self) -> None:
        """Read until the stream ends by itself or by `close`."""
        reading = asyncio.create_task(self._read())
        try:
            await asyncio.wait((reading, self._ending), return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.over = True
            self._inbox.put_nowait(None)
            reading.cancel()
        if self._ending.done():
            code, details = self._ending.result()
            if code is not grpc.StatusCode.OK:
                await self._context.abort(code, details)

    async def _read(self) -> None:
        while (data := await self._context.read()) is not grpc.aio.EOF:
            self._inbox.put_nowait(data)

    async def send(self, message: play_pb2.PlayResponse, beyond: bytes = b"") -> None:
        """Send a message, and bytes of fields that no bot knows behind it."""
        if self.over:
            raise GoneError
        try:
            await self._context.write(message.SerializeToString() + beyond)
        except Exception as error:  # whatever gRPC says when the other side is gone
            raise GoneError from error

    async def receive(self) -> play_pb2.PlayRequest:
        """The next message of the bot. Raises `GoneError` when there is none, `DecodeError` when it is none."""
        data = await self._inbox.get()
        if data is None:
            raise GoneError
        return play_pb2.PlayRequest.FromString(data)

    def close(self, code: grpc.StatusCode, details: str = "") -> None:
        """End the stream from this side."""
        if not self._ending.done():
            self._ending.set_result((code, details))


class ScriptedServer:
    """Takes streams of bots; what happens on them is up to the script."""

    def __init__(self) -> None:
        self.port = 0
        self._streams: asyncio.Queue[Stream] = asyncio.Queue()
        self._grpc = grpc.aio.server(options=[("grpc.so_reuseport", 0)])

    async def start(self) -> None:
        """Listen on a free port of this machine."""
        handler: Any = grpc.stream_stream_rpc_method_handler(self._play)  # bytes on both sides
        self._grpc.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler("hansa.v1.PlayService", {"Play": handler}),)
        )
        self.port = self._grpc.add_insecure_port("127.0.0.1:0")
        await self._grpc.start()

    async def stop(self) -> None:
        """Close everything."""
        await self._grpc.stop(None)

    async def _play(self, _requests: object, context: Any) -> None:
        stream = Stream(context)
        self._streams.put_nowait(stream)
        await stream.serve()

    async def next_stream(self) -> Stream:
        """The next stream a bot opens, or the newest of those that wait."""
        stream = await self._streams.get()
        while not self._streams.empty():
            stream = self._streams.get_nowait()
        return stream


__all__ = ["DecodeError", "GoneError", "ScriptedServer", "Stream"]
