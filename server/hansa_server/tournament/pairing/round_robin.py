"""Round robin: everybody meets everybody, at every table of the event and in every seat."""

from __future__ import annotations

from collections.abc import Sequence

from hansa_server.tournament.pairing.dealing import Dealt, Source
from hansa_server.tournament.pairing.scheme import Setup


class RoundRobin(Dealt):
    """Every combination of bots at every table, or with `blocks_each` a balanced choice of them.

    Blocks are dealt so that a table in the middle of the event means something: all bots have played nearly equally
    often, and all tables of the event are equally far. A bot that enters late gets all combinations with those who are
    there, and catches up before the others go on. Blocks that are dropped because a bot withdrew are not played with
    others instead; only with `blocks_each` the others get another block.
    """

    NAME = "round-robin"
    MEANING = "Every combination of bots at every table, every bot in every seat."

    @classmethod
    def problems(cls, setup: Setup, bots: Sequence[str]) -> list[tuple[str, str]]:
        return too_few(setup, bots)

    def _first_sources(self) -> list[Source]:
        tables = range(len(self.setup.players))
        if self.setup.settings["blocks_each"]:
            return [self.draft(table, (), self.bots) for table in tables]
        return [self.course(table, (), self._entered) for table in tables]

    def _sources_of(self, bot: str) -> list[Source]:
        if self.setup.settings["blocks_each"]:
            return []
        return [self.course(table, (bot,), self._entered) for table in range(len(self.setup.players))]


def too_few(setup: Setup, bots: Sequence[str]) -> list[tuple[str, str]]:
    """Tables that cannot be filled."""
    return [
        ("bots", f"there are {len(bots)}, but table {table} has {players} seats")
        for table, players in enumerate(setup.players)
        if len(bots) < players
    ]


FORMAT = RoundRobin
