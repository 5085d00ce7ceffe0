"""Tournaments on a server in the process of the test: short events, calls by name, and a recount of the numbers."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from hansa_client.pb.hansa.v1 import game_pb2, tournament_pb2
from hansa_server.tournament import event_file, wire
from hansa_server.tournament.campaign import Campaign
from hansa_server.tournament.chronicle import Chronicle
from hansa_server.tournament.event import Event
from hansa_server.tournament.ledger import Ledger
from tests.server.bots import Table, clock, until

STEADY = Path(__file__).with_name("steady_bot.py")
LOCAL = f"cmd:{sys.executable} {STEADY}"
SECRET = "5eed" * 16
CREATED, RUNNING, PAUSED, FINISHED, STOPPED = 1, 2, 3, 4, 5
BUILT_IN = {"random": "builtin:random", "greedy": "builtin:greedy"}


def event(
    name: str = "open",
    bots: dict[str, str] | Sequence[str] = BUILT_IN,
    *,
    kind: str = "round-robin",
    players: int | Sequence[int] = 2,
    turns: int = 10,
    limits: dict[str, Any] | None = None,
    settings: dict[str, Any] | None = None,
    seconds: float = 3600.0,
    **more: Any,
) -> tournament_pb2.Event:
    """A short event; bots without a word of who plays connect by themselves."""
    uses = bots if isinstance(bots, dict) else dict.fromkeys(bots, "")
    counts = [players] if isinstance(players, int) else players
    message = tournament_pb2.Event(
        name=name,
        format=kind,
        tables=[game_pb2.Rules(players=count, turn_limit=turns) for count in counts],
        bots=[tournament_pb2.Entrant(name=bot, uses=who) for bot, who in uses.items()],
        clock=clock(per_decision=seconds),
        seed=SECRET,
        **more,
    )
    message.settings.update({"rounds": 2} if settings is None else settings)
    for limit, value in (limits or {}).items():
        if limit in ("absent", "play_time"):
            getattr(message.limits, limit).FromNanoseconds(round(value * 1e9))
        else:
            setattr(message.limits, limit, value)
    return message


def plain(message: tournament_pb2.Event) -> Event:
    """The same event as our own object."""
    return event_file.from_dict(wire.event_values(message))


async def call(arena: Table, method: str, **values: Any) -> Any:
    """Make a call of TournamentService."""
    request = getattr(tournament_pb2, f"{method}Request")(**values)
    return await getattr(arena.tournaments, method)(request)


async def create(arena: Table, message: tournament_pb2.Event, *, start: bool = True, **values: Any) -> Campaign:
    """Set a tournament up, and let it begin."""
    await call(arena, "CreateTournament", event=message, **values)
    if start:
        await call(arena, "StartTournament", name=message.name)
    return campaign_of(arena, message.name)


def campaign_of(arena: Table, name: str = "open") -> Campaign:
    """A tournament that is not over."""
    return arena.server.director.campaigns[name]


async def get(arena: Table, name: str = "open") -> tournament_pb2.Tournament:
    """A tournament as it is now."""
    found: tournament_pb2.Tournament = (await call(arena, "GetTournament", name=name)).tournament
    return found


async def over(arena: Table, name: str = "open") -> Chronicle:
    """Wait for the end; returns all that happened."""
    await until(lambda: name not in arena.server.director.campaigns, f"the end of {name}")
    assert (await get(arena, name)).state in (FINISHED, STOPPED)
    return ledger(arena).chronicle(name)


def ledger(arena: Table) -> Ledger:
    """The tournaments of the store."""
    return arena.server.director.ledger


async def export(arena: Table, path: Path, name: str = "open") -> Path:
    """The whole tournament as a file."""
    request = tournament_pb2.ExportTournamentRequest(name=name)
    path.write_bytes(b"".join([piece.data async for piece in arena.tournaments.ExportTournament(request)]))
    return path


async def matches(arena: Table, name: str = "open", **more: Any) -> list[tournament_pb2.TournamentMatch]:
    """All games of a tournament, page by page."""
    found: list[tournament_pb2.TournamentMatch] = []
    token = ""
    while True:
        page = await call(arena, "ListTournamentMatches", name=name, page_token=token, **more)
        found += page.matches
        token = page.next_page_token
        if not token:
            return found


async def check_numbers(arena: Table, chronicle: Chronicle) -> None:
    """What the server tells is what the finished blocks add up to, counted the slow way."""
    name = chronicle.event.name
    lines: Counter[tuple[str, str, str]] = Counter()
    cells: Counter[tuple[str, str, str, str]] = Counter()
    lost: Counter[str] = Counter()
    games = decisions = 0
    for block in chronicle.finished():
        pool = chronicle.event.pool(block.pairing.table)
        for game in block.games:
            games += 1
            decisions += game.actions
            for seat, bot in enumerate(game.bots):
                lines[pool, bot, "games"] += 1
                lines[pool, bot, "firsts"] += game.ranks[seat] == 1
                lines[pool, bot, "points"] += game.totals[seat]
                lines[pool, bot, "forfeits"] += seat in game.forfeits
                if seat in game.forfeits:
                    lost[game.forfeits[seat]] += 1
                for other_seat, other in enumerate(game.bots):
                    if other_seat != seat:
                        mine, theirs = game.ranks[seat], game.ranks[other_seat]
                        how = "ahead" if mine < theirs else "tied" if mine == theirs else "behind"
                        cells[pool, bot, other, how] += 1
    found = await get(arena, name)
    assert (found.games_finished, found.decisions) == (games, decisions)
    assert found.blocks_finished == len(chronicle.finished())
    assert dict(found.forfeits) == dict(lost)
    pools = (await call(arena, "GetStandings", name=name)).pools
    assert [pool.pool for pool in pools] == list(chronicle.event.pools)
    told = {(pool.pool, line.bot): line for pool in pools for line in pool.lines}
    assert set(told) == {key[:2] for key in lines}
    for (pool, bot), line in told.items():
        assert line.games == lines[pool, bot, "games"]
        assert line.firsts == lines[pool, bot, "firsts"]
        assert line.points * line.games == pytest.approx(lines[pool, bot, "points"])
        assert line.forfeits == lines[pool, bot, "forfeits"]
    crosstable = (await call(arena, "GetCrosstable", name=name)).cells
    assert {(cell.pool, cell.bot, cell.opponent) for cell in crosstable} == {key[:3] for key in cells}
    for cell in crosstable:
        for how in ("ahead", "tied", "behind"):
            assert getattr(cell, how) == cells[cell.pool, cell.bot, cell.opponent, how]
