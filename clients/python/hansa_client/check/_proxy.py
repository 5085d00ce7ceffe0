"""The network between bot and server, as bad as a step wants it: slow, cut, or away."""

from __future__ import annotations

import asyncio
from contextlib import suppress

PIECE = 1400  # bytes that travel together when the network is slow


class Proxy:
    """Passes bytes between bots and a server."""

    def __init__(self) -> None:
        self.delay = 0.0  # seconds each piece travels
        self.away = False  # connections are cut as soon as they are made
        self.port = 0
        self._target = 0
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self, target: int) -> None:
        """Listen on a free port of this machine, and pass on to this one."""
        self._target = target
        self._server = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Cut everything."""
        self.cut()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    def cut(self) -> None:
        """Cut all connections the hard way."""
        for writer in self._writers:
            writer.transport.abort()

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.away:
            writer.transport.abort()
            return
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        there_reader, there_writer = await asyncio.open_connection("127.0.0.1", self._target)
        self._writers |= {writer, there_writer}
        try:
            await asyncio.gather(self._pass(reader, there_writer), self._pass(there_reader, writer))
        finally:
            self._writers -= {writer, there_writer}
            for end in (writer, there_writer):
                end.transport.abort()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                size = PIECE if self.delay else len(data)
                for begin in range(0, len(data), size):
                    if self.delay:
                        await asyncio.sleep(self.delay)
                    writer.write(data[begin : begin + size])
                    await writer.drain()
        writer.transport.abort()  # one direction alone is of no use to gRPC
