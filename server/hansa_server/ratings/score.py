"""The score of a block in a test of one bot against another: one number from 0 to 1, one half if they are equal."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from hansa_server.ratings.results import RatingError, Table, place_scores


def table_score(table: Table, a: str, b: str) -> float:
    """The share of pairs in which a copy of `a` finished ahead of a copy of `b`; ties count half.

    Where somebody forfeited, only the pairs of those who did count: the others played on with a stand-in.
    """
    seats = {bot: [seat for seat, other in enumerate(table.bots) if other == bot] for bot in (a, b)}
    pairs = [
        (table.ranks[i], table.ranks[j])
        for i, j in product(seats[a], seats[b])
        if not table.forfeits or i in table.forfeits or j in table.forfeits
    ]
    if not pairs or a == b:
        raise RatingError(f"block {table.block}: {a} and {b} were not both at the table {table.bots}")
    return sum(1.0 if mine < theirs else 0.5 if mine == theirs else 0.0 for mine, theirs in pairs) / len(pairs)


def block_score(tables: Sequence[Table], a: str, b: str) -> float:
    """The mean over the games of a block: a seating of `a` and `b`, and its complement.

    Each seat must be held by `a` as often as by `b`: else a good seat would pass for a good bot.
    """
    if not tables:
        raise RatingError("a block has at least one game")
    for seat in range(max(len(table.bots) for table in tables)):
        held = [table.bots[seat] for table in tables if seat < len(table.bots)]
        if held.count(a) != held.count(b):
            raise RatingError(f"block {tables[0].block}: {a} and {b} did not hold seat {seat} equally often")
    return sum(table_score(table, a, b) for table in tables) / len(tables)


def field_score(with_a: Table, with_b: Table, a: str, b: str) -> float:
    """The score of `a` against `b` in the same seat of the same deal, among the same others."""
    seats = [seat for seat, pair in enumerate(zip(with_a.bots, with_b.bots, strict=True)) if pair[0] != pair[1]]
    if len(seats) != 1 or (with_a.bots[seats[0]], with_b.bots[seats[0]]) != (a, b):
        raise RatingError(f"block {with_a.block}: the tables must differ in one seat, that of {a} and {b}")
    return 0.5 + (place_scores(with_a.ranks)[seats[0]] - place_scores(with_b.ranks)[seats[0]]) / 2
