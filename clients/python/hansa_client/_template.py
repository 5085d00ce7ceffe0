"""The starting point of a new bot."""

from __future__ import annotations

TEMPLATE = '''"""{title}, a bot for the Hansa board games. Let it play: `hansa bot run {file}`, or `python {file}`."""

from hansa_client import Action, Bot, Choice, Match, Result, View, run


class {kind}(Bot):
    """Takes routes and goods when it can, anything else otherwise. Make it better!"""

    name = "{name}"  # the bot plays and is rated under this name
    version = "1"  # count it up when the bot plays differently
    max_matches = 16  # so many at once

    def choose(self, view: View, legal: list[Action]) -> Action | Choice:
        """Decide. This is the only method a bot needs."""
        # `view` is the position as this seat sees it: the JSON form of docs/formats.md, its keys as attributes.
        # view.phase says what is decided, view.me is what lies in front of this bot, view.match.rules what is played,
        # view.clock.left() how many seconds are left.
        # `legal` has all legal actions (docs/actions.md), each with an id and a text such as "sail Danzig".
        for verb in ("route", "sell", "buy", "place"):
            for action in legal:
                if action.text.startswith(verb + " "):
                    # A Choice tells spectators more than the action; to return the action alone is fine too.
                    return Choice(action, comment=f"I like to {{verb}}")
        return legal[0]

    def match_started(self, match: Match) -> None:
        """A match begins. Leave this out if you do not need it; match.data is a dict for your own notes."""

    def match_ended(self, match: Match, result: Result | None) -> None:
        """A match is over. The result is None if it ended while the bot was not connected."""


if __name__ == "__main__":
    run({kind}())
'''


def starting_point(name: str) -> str:
    """The text of `name.py`: a bot that runs, with comments on where to go from there."""
    kind = "".join(part.capitalize() for part in name.split("_"))
    return TEMPLATE.format(title=kind, file=f"{name}.py", kind=kind, name=name.replace("_", "-"))
