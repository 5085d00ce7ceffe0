"""Bots to begin with, to play against, and to learn from. They need nothing but what the server sends."""

from collections.abc import Callable

from hansa_client._bot import Bot
from hansa_client.bots.greedy_bot import GreedyBot
from hansa_client.bots.random_bot import RandomBot

BOTS: dict[str, Callable[[], Bot]] = {"greedy": GreedyBot, "random": RandomBot}

__all__ = ["BOTS", "GreedyBot", "RandomBot"]
