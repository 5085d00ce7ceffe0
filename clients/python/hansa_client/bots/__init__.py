"""Bots to begin with, to play against, and to learn from.

`RandomBot` and `GreedyBot` need nothing but what the server sends. `EngineBot` is any bot of hansa_fast, if that is
installed; then its names count, so that a bot is the same over gRPC as in process.
"""

from collections.abc import Callable

from hansa_client._bot import Bot
from hansa_client.bots.engine_bot import EngineBot, engine_names, is_engine_bot
from hansa_client.bots.greedy_bot import GreedyBot
from hansa_client.bots.random_bot import RandomBot

BOTS: dict[str, Callable[[], Bot]] = {"greedy": GreedyBot, "random": RandomBot}


def bot_of(name: str) -> Bot | None:
    """The bot of this name, or None. Random play needs no engine: all of it is alike."""
    if name != "random" and is_engine_bot(name):
        return EngineBot(name)
    return BOTS[name]() if name in BOTS else None


def bot_names() -> list[str]:
    """The names that `bot_of` knows."""
    return list(dict.fromkeys([*engine_names(), *BOTS]))


__all__ = ["BOTS", "EngineBot", "GreedyBot", "RandomBot", "bot_names", "bot_of"]
