"""How many games a machine can play at once."""

from __future__ import annotations

import os
from collections.abc import Iterable

from hansa_server.errors import NotNow
from hansa_server.tournament.event import Entrant

REMOTE = 64  # games at once if all bots come from outside


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def games_at_once(bots: Iterable[Entrant], wanted: int, *, force: bool = False) -> int:
    """How many games to play at once. More than the machine has cores for is refused: bots would lose on its clock."""
    here = [bot.name for bot in bots if not bot.is_connected]
    most = cores()
    if wanted > most and here and not force:
        raise NotNow(
            "concurrency",
            f"{wanted} games at once would have {wanted} bots of this machine think at the same time (such as "
            f"{here[0]}), and it has {most} cores: they would lose time to each other. At most {most}, or force it",
        )
    return wanted or (most if here else REMOTE)
