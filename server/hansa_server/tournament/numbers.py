"""All numbers of a tournament, derived from its chronicle: what reports show and programs read.

The same chronicle gives the same bytes. So there are no times in it, floats are rounded in one place, and the order of
keys is fixed. What is unknown, such as the error after one block, is None.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from hansa_server import __version__
from hansa_server.ratings import (
    Expected,
    Fit,
    Forfeits,
    Ladder,
    RatingError,
    Standing,
    Table,
    combine,
    cycles,
    equal_seats,
    expected_results,
    fit,
    standings,
    superiority,
    surprises,
)
from hansa_server.ratings.joint_fit import LEVEL, PHANTOM, PROVISIONAL, one_thread
from hansa_server.ratings.ladder import START
from hansa_server.ratings.luce import Floats, Ints
from hansa_server.ratings.standing import CONFIDENCE, quantile
from hansa_server.tournament.certificate import Certificate, certify
from hansa_server.tournament.chronicle import DROPPED, FINISHED, MADE, RUNNING, Block, Chronicle, Place, PlayedGame
from hansa_server.tournament.event import Entrant

FORM = 1  # changes with the meaning of a key
DECIMALS = 4
CURVE_POINTS = 200  # of a rating curve; a long event is thinned out
MOST_CYCLES = MOST_SURPRISES = 20  # that are named; the number is of all
MOST_PROBLEMS = 20  # with the balance of seats, and with that of neighbours
MOST_MOVES = 10  # blocks that `explain` names
NOBODY = Place(Entrant(""), 0)  # stands for bots that are missing in the line-up of a file that nobody has checked

Plain = dict[str, Any]


def numbers(chronicle: Chronicle) -> Plain:
    """The numbers of a tournament, finished or not: plain values, ready for JSON."""
    with one_thread():
        return _numbers(chronicle)


def _numbers(chronicle: Chronicle) -> Plain:
    event = chronicle.event
    line_up = _by_name(chronicle)
    pools = [_Pool.of(chronicle, certificate) for certificate in certify(chronicle)]
    rated = [pool for pool in pools if pool.fit is not None]
    found = {
        "form": FORM,
        "event": {
            "name": event.name,
            "format": event.format,
            "settings": _sorted(event.settings),
            "state": chronicle.state,
            "engine": __version__,
            "anchor": event.anchor or None,
            "level": LEVEL,
            "phantom": PHANTOM,
            "confidence": CONFIDENCE,
            "on_forfeit": event.on_forfeit.value,
            "rate_unbalanced": event.rate_unbalanced,
            "games": sum(len(pool.games) for pool in pools),
            "blocks": _block_counts(chronicle.blocks),
        },
        "seed": {
            "commitment": chronicle.commitment,
            "secret": chronicle.secret or None,
            "chain": next((block.chain for block in reversed(chronicle.finished())), "") or None,
        },
        "bots": [
            {
                "bot": place.entrant.name,
                "plays_by": "command" if place.entrant.is_private else place.entrant.uses,
                "version": place.version,
                "entered": place.entered,
                "withdrawn": place.withdrawn,
            }
            for place in chronicle.line_up
        ],
        "overall": _overall(rated, event.anchor, line_up),
        "outcome": _sorted(chronicle.outcome),
        "pools": [_pool_numbers(pool, chronicle, line_up) for pool in pools],
    }
    rounded: Plain = _plain(found)
    return rounded


def explain(chronicle: Chronicle, bot: str, pool: str | None = None) -> Plain:
    """Where the rating of a bot comes from: opponents, seats, its way on the ladder, the blocks that moved it most."""
    event = chronicle.event
    if pool is not None and pool not in event.pools:
        raise RatingError(f"there is no pool {pool}; the pools are {', '.join(event.pools)}")
    line_up = _by_name(chronicle)
    if bot not in line_up:
        raise RatingError(f"{bot} is not in the line-up; the bots are {', '.join(line_up)}")
    pools = [_Pool.of(chronicle, found) for found in certify(chronicle) if pool in (None, found.pool)]
    found = {
        "form": FORM,
        "bot": bot,
        "version": line_up[bot].version,
        "pools": [_explanation(pool, bot, line_up) for pool in pools if bot in pool.bots],
    }
    rounded: Plain = _plain(found)
    return rounded


def first_difference(one: Any, other: Any, where: str = "") -> str | None:
    """The first place at which two such numbers differ by more than rounding on another machine; None if nowhere.

    A key that one of them does not have, since it is older, goes with what is unknown."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in [*one, *(key for key in other if key not in one)]:
            if (key in one) != (key in other):
                if one.get(key) is other.get(key) is None:
                    continue
                return f"{where}.{key}".lstrip(".") + ": is in one of them only"
            if found := first_difference(one[key], other[key], f"{where}.{key}".lstrip(".")):
                return found
        return None
    if isinstance(one, list) and isinstance(other, list):
        if len(one) != len(other):
            return f"{where}: {len(one)} entries and {len(other)}"
        pairs = enumerate(zip(one, other, strict=True))
        return next((found for k, pair in pairs if (found := first_difference(*pair, f"{where}[{k}]"))), None)
    if isinstance(one, float) and isinstance(other, float):
        same = math.isclose(one, other, rel_tol=1e-5, abs_tol=2 * 10**-DECIMALS)
    else:
        same = type(one) is type(other) and one == other
    return None if same else f"{where}: {one!r} and {other!r}"


# --- A pool ---


@dataclass(frozen=True, eq=False)
class _Pool:
    """The games of a pool that count, as they are and as arrays [games, seats]; bots are indices of `bots`."""

    name: str
    rules: Plain
    blocks: tuple[Block, ...]  # all, whatever their state
    games: tuple[PlayedGame, ...]
    tables: tuple[Table, ...]
    bots: tuple[str, ...]  # sorted by name, as in a fit
    seated: Ints
    ranks: Ints
    points: Floats
    forfeited: Floats  # 1 or 0
    block: Ints
    anchor: str | None
    certificate: Certificate
    fit: Fit | None
    clean: Fit | None
    reason: str  # why there is no fit

    @classmethod
    def of(cls, chronicle: Chronicle, certificate: Certificate) -> _Pool:
        event, name = chronicle.event, certificate.pool
        rules = next(rules for k, rules in enumerate(event.tables) if event.pool(k) == name)
        blocks = tuple(block for block in chronicle.blocks if event.pool(block.pairing.table) == name)
        games, tables, numbers = [], [], []
        for number, block in enumerate(block for block in blocks if block.state == FINISHED):
            for game in block.games:
                games.append(game)
                tables.append(Table(name, str(block.number), game.bots, game.ranks, frozenset(game.forfeits)))
                numbers.append(number)
        bots = tuple(sorted({bot for game in games for bot in game.bots}))
        number_of = {bot: k for k, bot in enumerate(bots)}
        shape = (len(games), rules.players)
        forfeited = np.zeros(shape)
        for at, game in enumerate(games):
            for seat in game.forfeits:
                forfeited[at, seat] = 1
        anchor = event.anchor if event.anchor in number_of else None
        played, clean, reason = None, None, ""
        if not games:
            reason = "no block is finished yet"
        elif not certificate.is_balanced and not event.rate_unbalanced:
            reason = "seats are not balanced, and the event does not say rate_unbalanced"
        else:
            try:
                played = fit(tables, anchor=anchor)
            except RatingError as error:
                reason = str(error)
        if played is not None:
            try:
                clean = fit(tables, anchor=anchor, forfeits=Forfeits.CLEAN) if forfeited.any() else played
            except RatingError:
                clean = None  # forfeits at every table: there is nothing else to go by
        return cls(
            name=name,
            rules=rules.to_dict(),
            blocks=blocks,
            games=tuple(games),
            tables=tuple(tables),
            bots=bots,
            seated=np.array([[number_of[bot] for bot in game.bots] for game in games], np.intp).reshape(shape),
            ranks=np.array([game.ranks for game in games], np.intp).reshape(shape),
            points=np.array([game.totals for game in games], np.float64).reshape(shape),
            forfeited=forfeited,
            block=np.array(numbers, np.intp),
            anchor=anchor,
            certificate=certificate,
            fit=played,
            clean=clean,
            reason=reason,
        )

    @property
    def players(self) -> int:
        players: int = self.rules["players"]
        return players

    @cached_property
    def lines(self) -> list[Standing]:
        return standings(self.fit) if self.fit else []

    @cached_property
    def expected(self) -> Expected | None:
        return expected_results(self.fit, self.seated) if self.fit else None

    @cached_property
    def scores(self) -> Floats:
        """Place scores by game and seat, as `place_scores` has them."""
        mine, other = self.ranks[:, :, None], self.ranks[:, None, :]
        beaten, level = (other > mine).sum(axis=2), (other == mine).sum(axis=2) - 1
        found: Floats = (beaten + level / 2) / (self.players - 1)
        return found

    @cached_property
    def order(self) -> list[int]:
        """The bots as they are published: by rating, or by place score where nothing is rated."""
        if self.lines:
            return [self.bots.index(line.bot) for line in self.lines]
        mean = self.mean_by_bot(self.scores)
        return sorted(range(len(self.bots)), key=lambda k: (-mean[k], self.bots[k]))

    @cached_property
    def names(self) -> list[str]:
        return [self.bots[k] for k in self.order]

    def sum_by_bot(self, values: Floats) -> Floats:
        """By bot, of values by game and seat."""
        found: Floats = np.bincount(self.seated.ravel(), values.ravel(), len(self.bots)).astype(np.float64)
        return found

    def mean_by_bot(self, values: Floats) -> Floats:
        """Of values by game and seat."""
        return self.sum_by_bot(values) / self.sum_by_bot(np.ones(self.seated.shape))

    @cached_property
    def table_counts(self) -> Ints:
        """At how many tables each bot sat; one with two seats sat there once."""
        row = np.sort(self.seated, axis=1)
        first = np.ones(row.shape, np.bool_)
        first[:, 1:] = row[:, 1:] != row[:, :-1]
        return np.bincount(row[first], minlength=len(self.bots)).astype(np.intp)

    def by_pair(self, values: Floats) -> Floats:
        """[bots, bots], of values by game, seat and other seat; a bot does not meet itself."""
        first = np.broadcast_to(self.seated[:, :, None], values.shape)
        second = np.broadcast_to(self.seated[:, None, :], values.shape)
        size = len(self.bots)
        sums = np.bincount((first * size + second).ravel(), values.ravel(), size * size)
        found: Floats = sums.astype(np.float64).reshape(size, size)
        np.fill_diagonal(found, 0)
        return found

    @cached_property
    def ahead(self) -> Floats:
        return self.by_pair((self.ranks[:, :, None] < self.ranks[:, None, :]).astype(np.float64))

    @cached_property
    def tied(self) -> Floats:
        return self.by_pair((self.ranks[:, :, None] == self.ranks[:, None, :]).astype(np.float64))


def _pool_numbers(pool: _Pool, chronicle: Chronicle, line_up: Mapping[str, Place]) -> Plain:
    order = np.array(pool.order, np.intp)
    grid = np.ix_(order, order)
    return {
        "pool": pool.name,
        "rules": pool.rules,
        "games": len(pool.games),
        "blocks": _block_counts(pool.blocks),
        "rated": pool.fit is not None,
        "remarks": _remarks(pool, chronicle),
        "anchor": pool.anchor,
        "bots": pool.names,
        "components": [list(members) for members in pool.fit.components] if pool.fit else [],
        "standings": _standings(pool, line_up),
        "superiority": superiority(pool.fit)[grid] if pool.fit else [],
        "covariance": pool.fit.covariance[grid] if pool.fit else [],
        "ladder": _ladder(pool),
        "totals": _totals(pool),
        "crosstable": {
            "ahead": pool.ahead[grid].astype(int),
            "tied": pool.tied[grid].astype(int),
            "expected": pool.by_pair(pool.expected.ahead)[grid] if pool.expected else [],
        },
        "seats": _seats(pool),
        "ties": {str(order): chance for order, chance in sorted(pool.fit.ties.items())} if pool.fit else {},
        "surprises": _surprises(pool),
        "cycles": _cycles(pool),
        "forfeits": _forfeits(pool),
        "certificate": _certificate(pool.certificate),
    }


def _remarks(pool: _Pool, chronicle: Chronicle) -> list[str]:
    """What a reader has to know before the numbers."""
    found = [f"not rated: {pool.reason}"] if pool.reason else []
    if pool.fit is None:
        return found
    if not pool.certificate.is_balanced:
        found.append("seats are not balanced; it is rated because the event says rate_unbalanced")
    if chronicle.event.anchor and pool.anchor is None:
        found.append(f"the anchor {chronicle.event.anchor} has no results here; the mean of all bots is {LEVEL:.0f}")
    if len(pool.fit.components) > 1:
        found.append(
            f"the pool falls apart into {len(pool.fit.components)} groups that no chain of tables connects; "
            "ratings of different groups cannot be compared"
        )
    few = sum(line.provisional for line in pool.lines)
    if few:
        found.append(f"{few} of {len(pool.lines)} ratings are provisional: under {PROVISIONAL} blocks")
    if pool.clean is None:
        found.append("there is no clean rating: forfeits leave no table with two bots")
    return found


def _standings(pool: _Pool, line_up: Mapping[str, Place]) -> list[Plain]:
    # Of the clean fit only ratings and errors are shown, and they need no draws.
    clean = pool.lines if pool.clean is pool.fit else standings(pool.clean, draws=1) if pool.clean else []
    beside = {line.bot: line for line in clean if line.games}
    return [
        {
            **_line(line, line_up),
            "clean": {
                "rating": beside[line.bot].rating,
                "error": beside[line.bot].error,
                "games": beside[line.bot].games,
            }
            if line.bot in beside
            else None,
        }
        for line in pool.lines
    ]


def _line(line: Standing, line_up: Mapping[str, Place]) -> Plain:
    place = line_up.get(line.bot, NOBODY)
    return {
        "bot": line.bot,
        "version": place.version,
        "component": line.component,
        "place": line.place,
        "rating": line.rating,
        "error": line.error,
        "places": list(line.places),
        "first": line.first,
        "games": line.games,
        "blocks": line.blocks,
        "provisional": line.provisional,
        "withdrawn": place.withdrawn is not None,
    }


def _ladder(pool: _Pool) -> Plain:
    """The rungs, and the way there. Nothing while the pool is not to be rated."""
    ladder = Ladder()
    if pool.fit is None:
        return {"rungs": [], "curves": {"games": [], "ratings": {}}}
    at = np.unique(np.linspace(1, len(pool.tables), CURVE_POINTS).round().astype(int)).tolist()
    stops = set(at)
    curves: dict[str, list[float | None]] = {bot: [] for bot in pool.names}
    for game, table in enumerate(pool.tables, 1):
        ladder.apply(table)
        if game in stops:
            for bot, curve in curves.items():
                curve.append(ladder.rungs[bot].rating if bot in ladder.rungs else None)
    rungs = sorted(ladder.rungs.items(), key=lambda item: (-item[1].rating, item[0]))
    return {
        "rungs": [
            {"bot": bot, "rating": rung.rating, "games": rung.games, "provisional": rung.provisional}
            for bot, rung in rungs
        ],
        "curves": {"games": at, "ratings": curves},
    }


def _totals(pool: _Pool) -> list[Plain]:
    """What was counted, by bot. Points are those of seats that were not given up."""
    if not pool.games:
        return []
    kept = 1 - pool.forfeited
    others = kept.sum(axis=1, keepdims=True) - kept
    rest = (kept * pool.points).sum(axis=1, keepdims=True) - kept * pool.points
    comparable = kept * (others > 0)
    margin = comparable * (pool.points - rest / np.maximum(others, 1))
    best = pool.ranks == pool.ranks.min(axis=1, keepdims=True)
    firsts = pool.sum_by_bot(best / best.sum(axis=1, keepdims=True))
    places = (pool.ranks[:, :, None] > pool.ranks[:, None, :]).sum(axis=2)
    counts = [pool.sum_by_bot((places == place).astype(np.float64)) for place in range(pool.players)]
    expected = [pool.sum_by_bot(pool.expected.places[:, :, k]) for k in range(pool.players)] if pool.expected else []
    score = pool.mean_by_bot(pool.scores)
    with np.errstate(divide="ignore", invalid="ignore"):  # a bot that never kept its seat has no points
        points = pool.sum_by_bot(kept * pool.points) / pool.sum_by_bot(kept)
        ahead_by = pool.sum_by_bot(margin) / pool.sum_by_bot(comparable)
    return [
        {
            "bot": pool.bots[k],
            "games": int(pool.table_counts[k]),
            "firsts": firsts[k],
            "score": score[k],
            "points": points[k],
            "margin": ahead_by[k],
            "places": [int(count[k]) for count in counts],
            "expected_places": [count[k] for count in expected],
        }
        for k in pool.order
    ]


def _seats(pool: _Pool) -> Plain:
    if not pool.games:
        return {"seats": [], "test": None}
    best = pool.ranks == pool.ranks.min(axis=1, keepdims=True)
    kept = pool.forfeited == 0
    effects = pool.fit.seats[pool.players] if pool.fit else None
    lines = []
    for seat in range(pool.players):
        error = None
        if effects and pool.fit:
            error = math.sqrt(max(0.0, effects.covariance[seat, seat])) * quantile(len(pool.fit.blocks))
        lines.append(
            {
                "seat": seat,
                "elo": effects.elo[seat] if effects else None,
                "error": error,
                "games": len(pool.games),
                "firsts": (best[:, seat] / best.sum(axis=1)).sum(),
                "score": pool.scores[:, seat].mean(),
                "points": pool.points[kept[:, seat], seat].mean() if kept[:, seat].any() else None,
            }
        )
    test = None
    if pool.fit and len(pool.fit.blocks) > 1:
        chi = equal_seats(pool.fit, pool.players)
        test = {"chi_square": chi.value, "freedom": chi.freedom, "chance": chi.chance}
    return {"seats": lines, "test": test}


def _surprises(pool: _Pool) -> Plain | None:
    """Head-to-head results that the ratings do not explain."""
    if pool.expected is None:
        return None
    found = surprises(pool.expected, pool.seated, pool.ranks, pool.block)
    if not len(found.sigmas):
        return None
    score, met = pool.ahead + pool.tied / 2, pool.ahead + pool.tied + pool.ahead.T
    expected = pool.by_pair(pool.expected.ahead)
    largest = sorted(range(len(found.sigmas)), key=lambda k: -abs(round(float(found.sigmas[k]), DECIMALS)))[
        :MOST_SURPRISES
    ]
    lines = []
    for k in largest:
        pair = found.bot[k], found.other[k]
        bot, other = pair if found.sigmas[k] >= 0 else pair[::-1]  # the one that did better than expected
        lines.append(
            {
                "bot": pool.bots[bot],
                "other": pool.bots[other],
                "met": int(met[bot, other]),
                "score": score[bot, other],
                "expected": expected[bot, other],
                "sigmas": abs(found.sigmas[k]),
            }
        )
    return {"pairs": len(found.sigmas), "chance": found.chance, "largest": lines}


def _cycles(pool: _Pool) -> Plain:
    """Each beats the next more often than not; those first whose weakest link is strongest."""
    counts = pool.ahead + pool.tied / 2
    number = {bot: k for k, bot in enumerate(pool.bots)}
    share = counts / np.maximum(counts + counts.T, 1)
    found = []
    for cycle in cycles(counts, pool.bots):
        at = [number[bot] for bot in cycle]
        found.append((-min(share[i, j] for i, j in pairwise([*at, at[0]])), cycle))
    found.sort()
    return {
        "count": len(found),
        "strongest": [{"bots": list(cycle), "weakest_link": -weakest} for weakest, cycle in found[:MOST_CYCLES]],
    }


def _forfeits(pool: _Pool) -> Plain:
    """By bot in the published order, then by reason."""
    counts: dict[tuple[str, str], int] = {}
    for game in pool.games:
        for seat, reason in game.forfeits.items():
            key = game.bots[seat], reason
            counts[key] = counts.get(key, 0) + 1
    place = {bot: k for k, bot in enumerate(pool.names)}
    games = int(pool.forfeited.any(axis=1).sum()) if pool.games else 0
    return {
        "games": games,
        "share": games / len(pool.games) if pool.games else 0.0,
        "by_bot": [
            {"bot": bot, "reason": reason, "count": counts[bot, reason]}
            for bot, reason in sorted(counts, key=lambda key: (place[key[0]], key[1]))
        ],
    }


def _certificate(certificate: Certificate) -> Plain:
    """The certificate, in the order of its own bots. Where much is wrong, a part of it is named."""
    found = certificate.to_dict()
    for key in ("seat_problems", "neighbour_problems"):
        found[key] = found[key][:MOST_PROBLEMS]
    return {key: value for key, value in found.items() if key not in ("pool", "games")}


# --- All pools together ---


@dataclass(frozen=True, eq=False)
class _Joint:
    """Ratings over all pools, as `standings` reads them."""

    bots: tuple[str, ...]
    ratings: Floats
    covariance: Floats
    games: Ints
    blocks_of: Ints

    @property
    def component(self) -> Ints:
        return np.zeros(len(self.bots), np.intp)

    @property
    def components(self) -> tuple[tuple[str, ...], ...]:
        return (self.bots,)


def _overall(pools: Sequence[_Pool], anchor: str, line_up: Mapping[str, Place]) -> Plain:
    """Ratings over all pools that are rated, or why there are none."""
    fits = [pool.fit for pool in pools if pool.fit]
    nothing: Plain = {"spread": None, "pools": [], "bots": [], "standings": [], "superiority": [], "covariance": []}
    if len(fits) < 2:
        return {"reason": "fewer than two pools are rated", **nothing}
    try:
        found = combine(fits, anchor=anchor if any(anchor in fit.bots for fit in fits) else None)
    except RatingError as error:
        return {"reason": str(error), **nothing}

    def added(of: str) -> Ints:
        return np.array(
            [sum(int(getattr(fit, of)[fit.index(bot)]) for fit in fits if bot in fit.bots) for bot in found.bots],
            np.intp,
        )

    joint = _Joint(found.bots, found.ratings, found.covariance, added("games"), added("blocks_of"))
    lines = standings(joint)
    order = [found.bots.index(line.bot) for line in lines]
    grid = np.ix_(order, order)
    return {
        "reason": "",
        "spread": found.spread,
        "pools": [fit.pool for fit in fits],
        "bots": [line.bot for line in lines],
        "standings": [_line(line, line_up) for line in lines],
        "superiority": superiority(joint)[grid],
        "covariance": found.covariance[grid],
    }


# --- Where a rating comes from ---


def _explanation(pool: _Pool, bot: str, line_up: Mapping[str, Place]) -> Plain:
    me = pool.bots.index(bot)
    mine = pool.seated == me
    met = pool.ahead[me] + pool.tied[me] + pool.ahead[:, me]
    expected = pool.by_pair(pool.expected.ahead)[me] if pool.expected else None
    ratings = {line.bot: line.rating for line in pool.lines}
    opponents = [
        {
            "bot": pool.bots[k],
            "version": line_up.get(pool.bots[k], NOBODY).version,
            "rating": ratings.get(pool.bots[k]),
            "met": int(met[k]),
            "ahead": int(pool.ahead[me, k]),
            "tied": int(pool.tied[me, k]),
            "behind": int(pool.ahead[k, me]),
            "score": pool.ahead[me, k] + pool.tied[me, k] / 2,
            "expected": None if expected is None else expected[k],
        }
        for k in pool.order
        if met[k]
    ]
    # A place score is the mean over the other seats of being ahead of them.
    ahead = pool.expected.ahead.sum(axis=2) / (pool.players - 1) if pool.expected else None
    seats = [
        {
            "seat": seat,
            "games": int(mine[:, seat].sum()),
            "score": pool.scores[mine[:, seat], seat].sum(),
            "expected": None if ahead is None else ahead[mine[:, seat], seat].sum(),
        }
        for seat in range(pool.players)
    ]
    return {
        "pool": pool.name,
        "rated": pool.fit is not None,
        "remark": pool.reason,
        "standing": next((_line(line, line_up) for line in pool.lines if line.bot == bot), None),
        "opponents": opponents,
        "seats": seats,
        "ladder": _way(pool, bot),
        "moved": _moves(pool, bot),
        "forfeits": [
            {"match_id": game.match_id, "seat": seat, "reason": reason}
            for game in pool.games
            for seat, reason in sorted(game.forfeits.items())
            if game.bots[seat] == bot
        ],
    }


def _way(pool: _Pool, bot: str) -> Plain:
    """Every game of the bot on the ladder: what it changed and where it led."""
    ladder, steps = Ladder(), []
    if pool.fit is None:
        return {"start": START, "games": []}
    for game, table in zip(pool.games, pool.tables, strict=True):
        changes = ladder.apply(table)
        if bot in changes:
            steps.append({"match_id": game.match_id, "change": changes[bot], "rating": ladder.rungs[bot].rating})
    return {"start": START, "games": steps}


def _moves(pool: _Pool, bot: str) -> list[Plain]:
    """The blocks that moved the rating most, either way."""
    if pool.fit is None:
        return []
    blocks = {str(block.number): block for block in pool.blocks}
    moved = pool.fit.influence(bot)
    mine = [block for block in moved if bot in blocks[block].pairing.bots]
    mine.sort(key=lambda block: (-abs(round(moved[block], DECIMALS)), blocks[block].number))
    return [
        {
            "block": blocks[block].number,
            "elo": moved[block],
            "games": [
                {"match_id": game.match_id, "bots": list(game.bots), "places": _places(game.ranks)}
                for game in blocks[block].games
            ],
        }
        for block in mine[:MOST_MOVES]
    ]


# --- Plain values ---


def _by_name(chronicle: Chronicle) -> dict[str, Place]:
    """The line-up."""
    return {place.entrant.name: place for place in chronicle.line_up}


def _places(ranks: Sequence[int]) -> list[int]:
    """From 1; ties share the better one."""
    return [1 + sum(other < rank for other in ranks) for rank in ranks]


def _block_counts(blocks: Sequence[Block]) -> dict[str, int]:
    counts = {state: sum(block.state == state for block in blocks) for state in (FINISHED, RUNNING, MADE, DROPPED)}
    return {**counts, "void": sum(block.attempt for block in blocks)}


def _sorted(value: Any) -> Any:
    """Values from outside with their keys in order: how somebody's dict was filled must not show."""
    if isinstance(value, Mapping):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list | tuple) else value


def _plain(value: Any) -> Any:
    """The one place where floats are rounded. Neither infinity nor NaN is JSON: None stands for what is unknown."""
    if isinstance(value, np.ndarray):
        if np.isfinite(value).all():  # the same, faster: covariances of many bots are large
            return (value.round(DECIMALS) + 0).tolist()
        value = value.tolist()
    if isinstance(value, float):
        return round(float(value), DECIMALS) + 0.0 if math.isfinite(value) else None  # and no -0.0
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value.item() if isinstance(value, np.generic) else value
