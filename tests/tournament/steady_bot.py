"""A bot that decides by what it is asked alone, so that every run of a tournament comes out the same."""

from __future__ import annotations

import sys
from zlib import crc32

from hansa_client import Action, Bot, Match, View, run


class Steady(Bot):
    """Any legal action, always the same one in the same place."""

    name = "steady"
    views = False
    texts = False

    def match_started(self, match: Match) -> None:
        print(f"match {match.id} from action {len(match.history)}", file=sys.stderr, flush=True)

    def choose(self, view: View, legal: list[Action]) -> Action:
        words = f"{view.match.seat} {len(view.match.history)} {[action.id for action in legal]}"
        return legal[crc32(words.encode()) % len(legal)]


if __name__ == "__main__":
    run(Steady())
