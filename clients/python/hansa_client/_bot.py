"""What a bot is."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import Literal, TypeAlias

from hansa_client._match import Action, Choice, Match, Played, Result
from hansa_client._view import View

Chosen: TypeAlias = Action | int | str | Choice


class Bot:
    """A bot: derive from it and write `choose`. Everything else has a default.

    Plain methods are called one after the other in a thread of their own, so a bot may keep what it likes in `self`.
    An `async def choose` runs on the event loop, for all matches at once.
    """

    name: str = ""  # under which it plays; the name of the class unless set. With a token, the token's name counts
    version: str = ""  # for records and ratings
    games: Sequence[str] = ()  # games it plays, such as ("teutonica",); empty for all
    max_matches: int = 16  # at once
    views: bool = True  # wants positions; without, `view` has the phase only and less is sent
    texts: bool = True  # wants actions in words; without, texts are empty and less is sent
    on_error: Literal["any", "resign"] = "any"  # when choose() fails: play any legal action, or give the match up
    inline: bool = False  # a plain choose() that is fast may run on the event loop itself and save a switch of threads

    def choose(self, view: View, legal: list[Action]) -> Chosen | Awaitable[Chosen]:
        """Decide: return one of the legal actions, its id, its text, or a `Choice` with something for spectators."""
        raise NotImplementedError(f"{type(self).__name__} needs a method choose(self, view, legal)")

    def match_started(self, match: Match) -> Awaitable[None] | None:
        """A match begins; `match.history` is not empty if the bot comes into a running one."""

    def actions_played(self, match: Match, actions: list[Played]) -> Awaitable[None] | None:
        """Actions were played, the bot's own included. Override it to hear at once; `match.history` has them anyway."""

    def match_ended(self, match: Match, result: Result | None) -> Awaitable[None] | None:
        """A match is over. The result is None if it ended while the bot was not connected."""
