"""Any legal action, all alike."""

from __future__ import annotations

import random

from hansa_client._bot import Bot
from hansa_client._match import Action
from hansa_client._view import View


def dice(view: View, seed: int) -> random.Random:
    """A generator out of the seed, the match and the place in it only: asked again, a bot answers the same."""
    match = view.match
    return random.Random(f"{seed} {match.id} {match.seat} {len(match.history)}")


class RandomBot(Bot):
    """Plays any legal action."""

    name = "random"
    version = "1"
    max_matches = 256
    views = False
    texts = False
    inline = True

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def choose(self, view: View, legal: list[Action]) -> Action:
        """Draw one."""
        return dice(view, self.seed).choice(legal)
