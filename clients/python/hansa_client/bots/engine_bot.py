"""The bots of hansa_fast over gRPC: each view is set up as a position of the engine, and the engine's bot chooses."""

from __future__ import annotations

import hashlib

from hansa_client._bot import Bot
from hansa_client._errors import BotError
from hansa_client._match import Action, Match
from hansa_client._view import View, plain

try:
    import hansa_fast
    from hansa_fast import bots as engine
except ImportError:  # the engine is another package; without it these bots cannot play
    hansa_fast = None  # type: ignore[assignment]


def engine_names() -> list[str]:
    """The names of the engine's bots; none if it is not installed."""
    return [] if hansa_fast is None else list(engine.KINDS)


def is_engine_bot(name: str) -> bool:
    """Whether the engine is installed and has a bot of this name, whatever its settings."""
    return name.partition(":")[0] in engine_names()


class EngineBot(Bot):
    """A bot of the engine by its name, such as `planner`. For the same seed it plays as it does in process."""

    texts = False

    def __init__(self, name: str = "planner", seed: int = 0) -> None:
        if hansa_fast is None:
            raise BotError(f"the bot {name} needs the rules engine: install hansa_fast")
        try:
            kind, _ = engine.parse_bot(name)
        except engine.BotNameError as error:
            raise BotError(str(error)) from None
        self.name = kind.name
        self.version = kind.version
        self.max_matches = 256 if kind.quick else 16
        self.kind = name
        self.seed = seed

    def match_started(self, match: Match) -> None:
        """Each match has a bot of its own, which may remember what it thought."""
        match.data["rules"] = hansa_fast.Rules(**vars(match.rules))
        match.data["bot"] = engine.make_bot(self.kind)

    def choose(self, view: View, legal: list[Action]) -> int:  # noqa: ARG002
        """What the engine's bot chooses, knowing what this seat knows."""
        match = view.match
        state = hansa_fast.State.from_dict(match.data["rules"], plain(view))
        action: int = match.data["bot"].choose(state, self.seed_of(match))
        return action

    def seed_of(self, match: Match) -> int:
        """Out of the seed, the match and the place in it only: asked again, a bot answers the same."""
        text = f"{self.seed} {match.id} {match.seat} {len(match.history)}"
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
