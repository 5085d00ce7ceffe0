"""Takes points and routes: every action has a value, the best one is played. No look ahead, no rules engine."""

from __future__ import annotations

from hansa_client._bot import Bot
from hansa_client._match import Action
from hansa_client._view import View
from hansa_client.bots import greedy_hansa, greedy_teutonica
from hansa_client.bots.random_bot import dice


class GreedyBot(Bot):
    """Plays the action it likes best; among equals, any."""

    name = "greedy"
    version = "kit-1"  # the engine has a greedy bot, too, and it is not the same
    max_matches = 256

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def choose(self, view: View, legal: list[Action]) -> Action:
        """The action of the highest value."""
        taste = greedy_hansa.Taste(view, legal) if "ship" in view else greedy_teutonica.Taste(view, legal)
        values = [taste.value(action.text.split()) for action in legal]
        best = max(values)
        return dice(view, self.seed).choice([a for a, value in zip(legal, values, strict=True) if value == best])
