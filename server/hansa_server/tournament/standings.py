"""Standings: the ratings that are kept beside the counts, and how all that is derived is made anew from the games."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hansa_server.ratings import RatingError, Table, by_pool, fit
from hansa_server.ratings import standings as lines_of
from hansa_server.tournament.certificate import certify
from hansa_server.tournament.chronicle import FINISHED, Chronicle
from hansa_server.tournament.games import chain_hash, to_json
from hansa_server.tournament.ledger import Ledger, Standing
from hansa_server.tournament.tally import Tally

DECIMALS = 4

Fits = dict[str, tuple[int, Any]]  # by pool: of how many blocks, and a line for each bot


def fit_pools(chronicle: Chronicle) -> Fits:
    """The published ratings of every pool that has results."""
    found: Fits = {}
    tables = by_pool(chronicle.tables())
    balanced = {certificate.pool for certificate in certify(chronicle) if certificate.is_balanced}
    for pool in chronicle.event.pools:
        mine = tables.get(pool, [])
        if mine and (pool in balanced or chronicle.event.rate_unbalanced):
            found[pool] = (len({table.block for table in mine}), _lines(mine, chronicle.event.anchor))
    return found


def _lines(tables: Sequence[Table], anchor: str) -> list[dict[str, Any]]:
    known = any(anchor in table.bots for table in tables)
    try:
        lines = lines_of(fit(tables, anchor=anchor if known else None))
    except RatingError:  # nobody can be compared with anybody yet
        return []
    return [
        {
            "bot": line.bot,
            "place": line.place,
            "rating": round(line.rating, DECIMALS),
            "error": round(line.error, DECIMALS) if math.isfinite(line.error) else None,
            "places": list(line.places),
            "first": round(line.first, DECIMALS),
            "blocks": line.blocks,
            "provisional": line.provisional,
            "component": line.component,
        }
        for line in lines
    ]


def derive(chronicle: Chronicle, standing: Standing) -> tuple[Tally, Standing, Fits]:
    """All that is derived, made from the blocks alone."""
    tally = Tally()
    blocks = finished = games = decisions = 0
    chain, chained = "", 0
    by_block: dict[str, list[Table]] = {}
    for table in chronicle.tables():
        by_block.setdefault(table.block, []).append(table)
    for block in chronicle.blocks:
        blocks += 1
        if block.state == FINISHED:
            finished += 1
            games += len(block.games)
            decisions += sum(game.actions for game in block.games)
            tally.count(chronicle.event.pool(block.pairing.table), block.games)
        if block.chain and chained == block.number:
            chain = chain_hash(chain, block)
            chained += 1
            tally.climb(by_block.get(str(block.number), []))
    again = replace(
        standing,
        blocks_made=blocks,
        blocks_finished=finished,
        games_finished=games,
        decisions=decisions,
        chain=chain,
        chain_blocks=chained,
    )
    return tally, again, fit_pools(chronicle)


def rebuild(ledger: Ledger, name: str, standing: Standing) -> list[str]:
    """Make all that is derived anew and store it; returns what was different before."""
    tally, again, fits = derive(ledger.chronicle(name), standing)
    different = _differences(ledger, name, standing, tally, again, fits)
    ledger.replace_derived(name, tally, again, fits)
    vars(standing).update(vars(again))
    return different


def _differences(ledger: Ledger, name: str, standing: Standing, tally: Tally, again: Standing, fits: Fits) -> list[str]:
    found = [
        f"{key}: {getattr(standing, key)!r} was stored, the games give {value!r}"
        for key, value in vars(again).items()
        if getattr(standing, key) != value
    ]
    kept = ledger.tally(name)
    for pool in sorted({*kept.pools, *tally.pools}):
        mine, theirs = tally.pool(pool), kept.pool(pool)
        for bot in sorted({*mine.bots, *theirs.bots}):
            values = [to_json(one.bot_values(pool, bot)) if bot in one.pool(pool).bots else "" for one in (kept, tally)]
            if values[0] != values[1]:
                found.append(
                    f"{pool}, {bot}: {values[0] or 'nothing'} was stored, the games give {values[1] or 'nothing'}"
                )
        for pair in sorted({*mine.pairs, *theirs.pairs}):
            if mine.pairs.get(pair) != theirs.pairs.get(pair):
                found.append(
                    f"{pool}, {pair[0]} against {pair[1]}: {theirs.pairs.get(pair)}, not {mine.pairs.get(pair)}"
                )
    kept_fits = ledger.fits(name)
    for pool in sorted({*kept_fits, *fits}):
        if to_json(kept_fits.get(pool)) != to_json(fits.get(pool)):
            found.append(f"{pool}: ratings differ from those of its games")
    return found
