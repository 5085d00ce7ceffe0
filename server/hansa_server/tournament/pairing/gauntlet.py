"""Gauntlet: one or several challengers against a field."""

from __future__ import annotations

from collections.abc import Sequence

from hansa_server.tournament.pairing.dealing import SETTINGS, Dealt, Source
from hansa_server.tournament.pairing.round_robin import too_few
from hansa_server.tournament.pairing.scheme import Setting, Setup


class Gauntlet(Dealt):
    """A challenger sits at every table, in every seat, with bots of the field; challengers never meet each other.

    A bot of the field that enters late meets every challenger in all combinations with those who are there. A
    challenger that withdraws ends its gauntlet. With `blocks_each` every challenger plays so many blocks in a round at
    each table, against those of the field whom it has met least; a dropped block is then played with others instead.
    """

    NAME = "gauntlet"
    MEANING = "One or several challengers, each in every seat against every choice of the field."
    SETTINGS = (Setting("challengers", list, "names of the bots that run the gauntlet"), *SETTINGS)

    @classmethod
    def problems(cls, setup: Setup, bots: Sequence[str]) -> list[tuple[str, str]]:
        found = []
        challengers = setup.settings["challengers"]
        if not challengers:
            found.append(("format.challengers", "must name at least one bot"))
        for index, bot in enumerate(challengers):
            where = f"format.challengers[{index}]"
            if not isinstance(bot, str) or bot not in bots:
                found.append((where, f"{bot!r} is not in the line-up"))
            elif bot in challengers[:index]:
                found.append((where, f"{bot!r} is named twice"))
        field = [bot for bot in bots if bot not in challengers]
        if challengers and not too_few(setup, bots):
            found += [
                ("format.challengers", f"leaves {len(field)} for the field; table {table} needs {players - 1}")
                for table, players in enumerate(setup.players)
                if len(field) < players - 1
            ]
        return found + too_few(setup, bots)

    def _field(self) -> list[str]:
        return [bot for bot in self.bots() if bot not in self._challengers()]

    def _challengers(self) -> list[str]:
        names: list[str] = self.setup.settings["challengers"]
        return names

    def _first_sources(self) -> list[Source]:
        found: list[Source] = []
        for challenger in self._challengers():
            if challenger in self._entered:
                found += self._gauntlet(challenger)
        return found

    def _gauntlet(self, challenger: str) -> list[Source]:
        tables = range(len(self.setup.players))
        if self.setup.settings["blocks_each"]:
            return [self.draft(table, (challenger,), self._field) for table in tables]
        field = [bot for bot in self._entered if bot not in self._challengers()]
        return [self.course(table, (challenger,), field) for table in tables]

    def _sources_of(self, bot: str) -> list[Source]:
        if bot in self._challengers():
            return self._gauntlet(bot)
        if self.setup.settings["blocks_each"]:
            return []
        field = [other for other in self._entered if other not in self._challengers()]
        return [
            self.course(table, (challenger, bot), field)
            for challenger in self._challengers()
            if challenger in self._entered
            for table in range(len(self.setup.players))
        ]


FORMAT = Gauntlet
