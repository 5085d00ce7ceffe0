"""The main function of a bot."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from collections.abc import Sequence

from hansa_client._bot import Bot
from hansa_client._client import Client
from hansa_client._errors import ClientError
from hansa_client._options import Options, options_from_arguments
from hansa_client._source import BotSource
from hansa_client._worker import set_up_logging

log = logging.getLogger("hansa_client")


def run(bot: Bot, arguments: Sequence[str] | None = None) -> None:
    """Play until Ctrl-C. The options are those of the command line; `--help` shows them.

    The first Ctrl-C (or SIGTERM) says goodbye: no new matches, those that run are played to their end. The second one
    ends at once.
    """
    try:
        options = options_from_arguments(arguments)
        set_up_logging(getattr(logging, options.log_level.upper()))
        run_source(BotSource(ready=bot), options)
    except ClientError as error:
        sys.exit(f"{type(bot).__name__}: {error}")


def run_source(source: BotSource, options: Options) -> None:
    """Play until a signal comes. Raises `ClientError`."""
    asyncio.run(_until_signal(Client(source, options)))


async def _until_signal(client: Client) -> None:
    loop = asyncio.get_running_loop()
    came = 0

    def stop() -> None:
        nonlocal came
        came += 1
        if came == 1:
            log.info("goodbye: %d matches to finish; once more to end at once", client.running_matches)
            client.leave()
        else:
            client.stop()

    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, stop)
        except NotImplementedError:  # Windows
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop))
    await client.run()
