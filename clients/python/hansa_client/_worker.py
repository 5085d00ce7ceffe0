"""Where a bot thinks: on the event loop, in a thread, or in a process of its own.

A match stays with one worker from its start to its end, and a thread or process takes one message at a time, in order.
So a bot can keep things in `self` without locks.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import multiprocessing
import queue
import signal
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Protocol, cast

from hansa_client._bot import Bot
from hansa_client._errors import BotError
from hansa_client._source import BotSource
from hansa_client._table import Table
from hansa_client.pb.hansa.v1 import play_pb2

log = logging.getLogger("hansa_client")

Reply = play_pb2.PlayRequest | None


class WorkerDiedError(Exception):
    """A process that chose is gone, and with it what it knew about its matches."""


class Worker(Protocol):
    """Takes messages about matches, answers some of them."""

    one_by_one: bool  # messages of all matches in order; otherwise of each match for itself

    async def take(self, message: play_pb2.PlayResponse, received: float) -> Reply:
        """Take in a message that was received at this time. Raises `WorkerDiedError`."""

    def close(self) -> None:
        """Stop at once, whatever is being thought about."""


class LoopWorker:
    """Thinks on the event loop: for async bots, and for plain ones that are fast."""

    one_by_one = False

    def __init__(self, bot: Bot) -> None:
        self._table = Table(bot)

    async def take(self, message: play_pb2.PlayResponse, received: float) -> Reply:
        return await self._table.take(message, received)

    def close(self) -> None:
        pass


class ThreadWorker:
    """Thinks in a thread, so that the stream stays alive."""

    one_by_one = True

    def __init__(self, bot: Bot) -> None:
        self._table = Table(bot)
        self._loop = asyncio.new_event_loop()  # of the thread, for hooks that are async
        self._thread = _Thread()

    async def take(self, message: play_pb2.PlayResponse, received: float) -> Reply:
        return await self._thread.call(lambda: self._loop.run_until_complete(self._table.take(message, received)))

    def close(self) -> None:
        self._thread.close(self._loop.close)


class ProcessWorker:
    """Thinks in a process of its own, for bots that need the processor."""

    one_by_one = True

    def __init__(self, source: BotSource, level: int) -> None:
        # Forking a process in which gRPC runs is not safe; a fresh one makes its own bot.
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(source, theirs, level), daemon=True)
        try:
            self._process.start()
        except (AttributeError, TypeError, ValueError) as error:  # how pickle says no
            raise BotError(f"the bot cannot be taken to another process: {error}") from error
        theirs.close()
        self._thread = _Thread()

    async def take(self, message: play_pb2.PlayResponse, received: float) -> Reply:
        return await self._thread.call(lambda: self._exchange(message.SerializeToString(), received))

    def _exchange(self, message: bytes, received: float) -> Reply:
        try:
            self._pipe.send((message, received))
            reply = cast("bytes | None", self._pipe.recv())
        except (EOFError, OSError):
            self._process.join(1.0)  # the pipe may be closed before the exit code is known
            raise WorkerDiedError(f"process {self._process.pid} is gone, exit code {self._process.exitcode}") from None
        return None if reply is None else play_pb2.PlayRequest.FromString(reply)

    def close(self) -> None:
        self._process.kill()
        self._thread.close(self._pipe.close)
        self._process.join()


def _serve(source: BotSource, pipe: Connection, level: int) -> None:
    """What a process does: answer until the pipe is closed. Signals are for the process that holds the stream."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    set_up_logging(level)
    table = Table(source.make())
    loop = asyncio.new_event_loop()
    while True:
        try:
            message, received = pipe.recv()
        except EOFError:
            return
        reply = loop.run_until_complete(table.take(play_pb2.PlayResponse.FromString(message), received))
        pipe.send(None if reply is None else reply.SerializeToString())


def set_up_logging(level: int) -> None:
    """Log to standard error."""
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=level)


def make_workers(source: BotSource, bot: Bot, processes: int) -> list[Worker]:
    """The workers a bot needs: so many processes, or one in this process."""
    if processes:
        return [ProcessWorker(source, log.getEffectiveLevel()) for _ in range(processes)]
    if bot.inline or inspect.iscoroutinefunction(bot.choose):
        return [LoopWorker(bot)]
    return [ThreadWorker(bot)]


class _Thread:
    """A thread that does one thing after the other. A bot that thinks forever in it does not keep the program."""

    def __init__(self) -> None:
        self._work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        threading.Thread(target=self._run, daemon=True, name="choose").start()

    def _run(self) -> None:
        while (work := self._work.get()) is not None:
            work()

    async def call(self, function: Callable[[], Reply]) -> Reply:
        """Do this in the thread and wait for it."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Reply] = loop.create_future()

        def settle(result: Reply, error: BaseException | None) -> None:
            if future.done():
                return
            if error is None:
                future.set_result(result)
            else:
                future.set_exception(error)

        def work() -> None:
            result: Reply = None
            problem: BaseException | None = None
            try:
                result = function()
            except BaseException as error:  # handed on, whatever it is
                problem = error
            if not loop.is_closed():
                loop.call_soon_threadsafe(settle, result, problem)

        self._work.put(work)
        return await future

    def close(self, last: Callable[[], None]) -> None:
        """Do what is left, then this, then end."""
        self._work.put(last)
        self._work.put(None)
