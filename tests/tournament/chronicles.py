"""Chronicles by chance, from bots whose strength is known: what reports are made from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import count, groupby
from typing import Any

import numpy as np

from hansa_fast import Rules
from hansa_server.ratings import Table
from hansa_server.tournament import seeds
from hansa_server.tournament.block import Pairing
from hansa_server.tournament.chronicle import FINISHED, Block, Chronicle, Place, PlayedGame
from hansa_server.tournament.event import Entrant, Event
from tests.ratings.simulation import league

STRENGTHS = {"anna": 0.8, "bert": 0.3, "cleo": 0.0, "dora": -0.2, "emil": -0.6}
SECRET = "5e" * 32

Lost = Callable[[int, Table], Mapping[int, str]]  # forfeits of a game, by its number


def chronicle_of(
    pools: Mapping[Rules, Sequence[Table]], *, lost: Lost | None = None, state: str = "finished", **event: Any
) -> Chronicle:
    """What a tournament with these results looks like; tables of a block follow one another."""
    rules = tuple(pools)
    number = count()
    blocks: list[Block] = []
    for at, tables in enumerate(pools.values()):
        for _, group in groupby(tables, key=lambda table: table.block):
            games = tuple(_game(table, next(number), lost) for table in group)
            blocks.append(_block(len(blocks), at, games))
    names = list(dict.fromkeys(bot for tables in pools.values() for table in tables for bot in sorted(table.bots)))
    bots = tuple(Entrant(name, "builtin:greedy") for name in names)
    settings = {"name": "spring cup", "format": "round-robin", "settings": {"rounds": 3, "both_ways": False}, **event}
    return Chronicle(
        event=Event(tables=rules, bots=bots, **settings),
        state=state,
        commitment=seeds.commitment(SECRET),
        secret=SECRET if state == "finished" else "",
        line_up=tuple(Place(bot, 0) for bot in bots),
        blocks=tuple(blocks),
        outcome={"winner": names[0], "points": {name: k for k, name in enumerate(names)}} if names else {},
    )


def _block(number: int, table: int, games: tuple[PlayedGame, ...]) -> Block:
    games = tuple(replace(game, match_id=f"m-{number}-{k}") for k, game in enumerate(games))
    pairing = Pairing(table, 1 + number // 10, tuple(game.bots for game in games))
    return Block(number, pairing, FINISHED, games=games, chain=seeds.commitment(f"block {number}"))


def _game(table: Table, number: int, lost: Lost | None) -> PlayedGame:
    forfeits = dict(lost(number, table)) if lost else {}
    ranks = [1 + sum(other < rank for other in table.ranks) for rank in table.ranks]
    totals = tuple(60 - 7 * rank for rank in ranks)
    if forfeits:  # they share the last place
        left = [seat for seat in range(len(ranks)) if seat not in forfeits]
        ranks = [
            1 + len(left) if seat in forfeits else 1 + sum(ranks[other] < ranks[seat] for other in left)
            for seat in range(len(ranks))
        ]
    return PlayedGame(table.bots, tuple(ranks), totals, forfeits)


def simulated(
    players: int = 3,
    blocks: int = 60,
    strengths: Mapping[str, float] = STRENGTHS,
    seed: int = 8,
    grain: float = 0.3,
    **more: Any,
) -> Chronicle:
    """One pool of rotated blocks."""
    tables = league(np.random.default_rng(seed), dict(strengths), players, blocks, grain=grain)
    return chronicle_of({Rules(players=players): tables}, **more)


def empty() -> Chronicle:
    """Nothing is played yet."""
    bots = tuple(Entrant(name) for name in STRENGTHS)
    event = Event("spring cup", "round-robin", (Rules(players=3), Rules(players=4)), bots)
    line_up = tuple(Place(bot, 0) for bot in bots)
    return Chronicle(event, "created", seeds.commitment(SECRET), "", line_up, ())
