"""A real server with a bot of each language at it."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from tests.client.arena import Arena, arena, until
from tests.languages.clients import Client


def failures(written: str) -> list[str]:
    """What a bot wrote about decisions in which its choosing failed. The kits then play any legal action, so nothing
    else would show it; they all say it in nearly the same words."""
    return [line for line in written.splitlines() if re.search(r"(?i)\bchoos\w*\W+failed", line)]


class Running:
    """A bot in a process of its own."""

    def __init__(self, process: asyncio.subprocess.Process, log: Path) -> None:
        self.process = process
        self.log = log

    def say_stop(self) -> None:
        """Ask it to stop, as Ctrl-C does."""
        self.process.send_signal(signal.SIGTERM)

    @property
    def has_ended(self) -> bool:
        """Whether it is gone."""
        return self.process.returncode is not None

    async def ended(self) -> int:
        """Wait for its end; returns the exit code."""
        return await self.process.wait()

    def written(self) -> str:
        """What it wrote."""
        return self.log.read_text(encoding="utf-8", errors="replace")


@asynccontextmanager
async def running(client: Client, folder: Path, *options: str, bot: str = "sensible") -> AsyncIterator[Running]:
    """A bot of a client as long as it is needed. Nothing of it is left behind."""
    log = folder / f"{client.language}-{bot}.log"
    with log.open("wb") as file:
        process = await asyncio.create_subprocess_exec(
            *client.command(bot),
            *options,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            start_new_session=True,
        )
    try:
        yield Running(process, log)
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


@asynccontextmanager
async def gathered(
    clients: Sequence[Client], folder: Path, *, bot: str = "sensible", **settings: Any
) -> AsyncIterator[tuple[Arena, list[Running]]]:
    """A server and a bot of each client, which plays there under the name of its language.

    At the end the bots are asked to stop, and have to end well.
    """
    async with arena(folder, **settings) as there, AsyncExitStack() as stack:
        bots = [
            await stack.enter_async_context(
                running(client, folder, "--server", there.address, "--name", client.language, bot=bot)
            )
            for client in clients
        ]
        names = {client.language for client in clients}
        await until(lambda: names <= set(there.server.arena.sessions) or any(bot.has_ended for bot in bots))
        assert not any(one.has_ended for one in bots), "".join(one.written() for one in bots)
        yield there, bots
        for one in bots:
            one.say_stop()
        for one in bots:
            assert await one.ended() == 0, one.written()
            assert failures(one.written()) == []
