"""What an organiser settles before a tournament begins."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

from hansa_fast import Rules
from hansa_fast.bots import BotNameError, Kind, parse_bot
from hansa_server.clock import ClockRules
from hansa_server.match import BUILT_IN, OnForfeit

CONNECTED = "connected"
COMMAND = "cmd:"


@dataclass(frozen=True)
class Entrant:
    """A bot in a tournament. Its name is the one that is rated; who plays for it is told by `uses`."""

    name: str
    uses: str = (
        CONNECTED  # "connected" (by this name), "builtin:" and a bot of the package, or "cmd:" and a command line
    )

    @property
    def is_connected(self) -> bool:
        """Whether the bot comes from outside."""
        return self.uses == CONNECTED

    @property
    def is_private(self) -> bool:
        """Whether who plays for it is told to organisers only: command lines may hold secrets."""
        return self.uses.startswith(COMMAND)

    @cached_property
    def is_built_in(self) -> bool:
        """Whether the server plays for it on the side. A bot that thinks for long has a process of its own."""
        return self.uses.startswith(BUILT_IN) and (self._kind is None or self._kind.quick)

    @property
    def version(self) -> str | None:
        """The version of its built-in bot that is installed here; None if there is none."""
        return None if self._kind is None else self._kind.version

    @property
    def is_here(self) -> bool:
        """Whether its built-in bot is installed here, if it has one: an older or newer server may have had others."""
        return not self.uses.startswith(BUILT_IN) or self._kind is not None

    @property
    def _kind(self) -> Kind | None:
        try:
            return parse_bot(self.uses.removeprefix(BUILT_IN))[0] if self.uses.startswith(BUILT_IN) else None
        except BotNameError:
            return None

    @cached_property
    def command(self) -> str:
        """The command line that the server runs; empty if there is none."""
        if self.uses.startswith(COMMAND):
            return self.uses.removeprefix(COMMAND)
        if self.uses.startswith(BUILT_IN) and not self.is_built_in:
            return shlex.join([sys.executable, "-m", "hansa_client", self.uses.removeprefix(BUILT_IN)])
        return ""


@dataclass(frozen=True)
class Limits:
    """How much may be going on, and how long things are waited for."""

    concurrency: int = 0  # games at once; 0 lets the server choose what fits the machine
    absent: float = 300.0  # seconds a block waits for a connected bot that is away, before it forfeits by its clock
    restarts: int = 3  # times a local bot is started again in one match
    voids: int = 10  # blocks spoilt by the host before the tournament pauses itself
    hours: float = 0.0  # of play, after which no further block begins; 0 for no limit
    log_bytes: int = 65_536  # of the error output of a local bot that are kept, per match


@dataclass(frozen=True)
class Event:
    """A tournament as it is set up."""

    name: str
    format: str
    tables: tuple[Rules, ...]
    bots: tuple[Entrant, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)  # of the format, all of them, checked
    clock: ClockRules = field(default_factory=ClockRules)
    on_forfeit: OnForfeit = OnForfeit.REPLACE
    forgiven: int = 3
    anonymous: bool = False
    anchor: str = ""  # the bot whose rating is the level; empty for the mean
    seed: str = ""  # 64 hexadecimal digits; empty: drawn when the tournament is created
    rate_unbalanced: bool = False  # rate although seats are not balanced
    limits: Limits = field(default_factory=Limits)

    def pool(self, table: int) -> str:
        """The name of the pool whose ratings a table counts for."""
        return pool_name(self.tables[table])

    @property
    def pools(self) -> tuple[str, ...]:
        """All pools, in the order of the tables."""
        return tuple(dict.fromkeys(pool_name(rules) for rules in self.tables))


@cache
def pool_name(rules: Rules) -> str:
    """Rules in a word: results under different rules are never mixed.

    >>> pool_name(Rules(players=3, missions=True, turn_limit=90))
    'teutonica:big-box:standard-3:3p:missions:90t'
    """
    parts = [rules.game, rules.edition, rules.board, f"{rules.players}p"]
    parts += [module for module in ("missions", "favours") if getattr(rules, module)]
    parts += [f"{rules.turn_limit}t"] if rules.turn_limit else []
    return ":".join(parts)
