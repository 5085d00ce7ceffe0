"""The published rating: all tables of a pool fitted at once, with seats and real ties, and errors counted by blocks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np
from scipy import linalg, sparse, special
from scipy.sparse import csgraph
from threadpoolctl import ThreadpoolController

from hansa_server.ratings.elo import PER_LOG_ODDS
from hansa_server.ratings.luce import Floats, Ints, Rankings, Steps, steps_of, tie_orders_of
from hansa_server.ratings.results import Forfeits, RatingError, Table

LEVEL = 1500.0
PHANTOM = 0.5  # wins, and as many losses, that keep every number finite
PROVISIONAL = 30  # blocks
UNKNOWN = 10_000.0  # the standard error, in Elo, of what the results say nothing about

_ITERATIONS = 100
_HALVINGS = 40
_STRIDE = 3.0  # log-odds by which no step goes further: where a bot won all, a first step would be far too long
_CLOSE = 1e-8  # gain in log-likelihood by a step, per table, after which the next would gain nothing
_MANY, _THINNED = 50_000, 16  # with so many seats, begin with every so manieth step
_FURTHEST = 12.0  # log-odds: without a phantom, what is further away has no maximum
_FLAT = 1e-9  # information, against the largest, that is none
_CHUNK = 1 << 15  # steps whose information is held at once


@dataclass(frozen=True)
class Difference:
    """How much stronger one bot is than another, in Elo, with the standard error."""

    elo: float
    error: float


@dataclass(frozen=True, eq=False)
class SeatEffects:
    """What each seat is worth at tables of a size, in Elo; the effects sum to zero."""

    elo: Floats
    covariance: Floats


@dataclass(frozen=True, eq=False)
class Fit:
    """Ratings of a pool. Arrays follow `bots`, which are sorted by name.

    Ratings of different components have nothing to do with one another: no chain of tables connects them. The first
    component is that of the anchor or the largest; the others are each about the level for themselves.
    """

    pool: str
    bots: tuple[str, ...]
    ratings: Floats
    covariance: Floats  # block-robust, of the ratings as they are anchored
    model_covariance: Floats  # if every table were independent of all others; for comparison
    component: Ints
    games: Ints
    blocks_of: Ints
    blocks: tuple[str, ...]
    seats: dict[int, SeatEffects]
    ties: dict[int, float]  # δ by the number of bots that tie; orders that never occurred are left out
    anchor: str | None
    phantom: float
    forfeits: Forfeits
    log_likelihood: float
    iterations: int
    _bread: Floats = field(repr=False)
    _scores: sparse.csr_matrix = field(repr=False)

    def index(self, bot: str) -> int:
        """The place of a bot in the arrays."""
        try:
            return self.bots.index(bot)
        except ValueError:
            raise RatingError(f"{bot} has no results in pool {self.pool}") from None

    @property
    def components(self) -> tuple[tuple[str, ...], ...]:
        """Groups of bots that can be compared; more than one means that the event fell apart."""
        groups = range(int(self.component.max()) + 1)
        return tuple(tuple(self.bots[k] for k in np.flatnonzero(self.component == group)) for group in groups)

    def difference(self, bot: str, other: str) -> Difference:
        """How much stronger `bot` is than `other`."""
        i, j = self.index(bot), self.index(other)
        if self.component[i] != self.component[j]:
            raise RatingError(f"{bot} and {other} cannot be compared: no chain of tables connects them")
        variance = self.covariance[i, i] + self.covariance[j, j] - 2 * self.covariance[i, j]
        error = math.sqrt(max(0.0, variance))
        return Difference(float(self.ratings[i] - self.ratings[j]), error if error < UNKNOWN / 2 else math.inf)

    def influence(self, bot: str) -> dict[str, float]:
        """About how much each block moved the rating of a bot, in Elo (the first step of leaving it out)."""
        moved = PER_LOG_ODDS * (self._scores @ self._bread[self.index(bot)])
        return {block: float(elo) for block, elo in zip(self.blocks, moved, strict=True)}


@cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()


def one_thread() -> AbstractContextManager[Any]:
    """Around linear algebra of this size: on one thread it is as fast, on a busy machine many times faster, and the
    last digits do not depend on how many there are."""
    limit: AbstractContextManager[Any] = _libraries().limit(limits=1, user_api="blas")
    return limit


def fit(
    tables: Sequence[Table],
    *,
    anchor: str | None = None,
    level: float = LEVEL,
    forfeits: Forfeits = Forfeits.AS_PLAYED,
    phantom: float = PHANTOM,
) -> Fit:
    """Fit the tables of one pool.

    The anchor has the rating `level` and no error; without one the mean has. Every bot is given `phantom` wins and as
    many losses against an even opponent, and every seat and tie the same, so that an undefeated bot has a finite
    number; 0 is plain maximum likelihood and refuses such results.
    """
    with one_thread():
        return _fit(tables, anchor, level, forfeits, phantom)


def _fit(tables: Sequence[Table], anchor: str | None, level: float, forfeits: Forfeits, phantom: float) -> Fit:
    columns = _Columns.of(tables, forfeits)
    if anchor is not None and anchor not in columns.bots:
        raise RatingError(f"the anchor {anchor} has no results in pool {columns.pool}")
    component = _components(columns, anchor)
    basis = _basis(columns, component, phantom)
    params, information, value, iterations = _maximise(columns, basis, phantom)
    data_information = information - np.diag(_phantom_information(params, phantom))

    # Back from the free parameters to all of them, and from there to what is published: differences.
    inverse = basis @ linalg.inv(basis.T @ information @ basis) @ basis.T
    scores = _block_scores(columns, params)
    blind = _blind_directions(basis, data_information)
    robust = _robust(columns, scores, inverse) + blind
    contrast = _contrast(columns, component, anchor)
    bots = len(columns.bots)
    scale = PER_LOG_ODDS**2
    seats = {}
    for players, at in columns.seat_ranges.items():
        seats[players] = SeatEffects(PER_LOG_ODDS * params[at], scale * robust[at, at])
    return Fit(
        pool=columns.pool,
        bots=columns.bots,
        ratings=level + PER_LOG_ODDS * (contrast @ params[:bots]),
        covariance=scale * (contrast @ robust[:bots, :bots] @ contrast.T),
        model_covariance=scale * (contrast @ (inverse + blind)[:bots, :bots] @ contrast.T),
        component=component,
        games=columns.games,
        blocks_of=columns.blocks_of,
        blocks=columns.blocks,
        seats=seats,
        ties={
            order: math.exp(log)
            for order, log in zip(columns.tie_orders, params[len(params) - len(columns.tie_orders) :], strict=True)
        },
        anchor=anchor,
        phantom=phantom,
        forfeits=forfeits,
        log_likelihood=value,
        iterations=iterations,
        _bread=contrast @ inverse[:bots],
        _scores=scores,
    )


@dataclass(frozen=True, eq=False)
class _Columns:
    """The tables as arrays. A slot is a seat at a table; parameters are bots, then seats by table size, then ties."""

    pool: str
    bots: tuple[str, ...]
    blocks: tuple[str, ...]
    slot_bot: Ints
    slot_seat: Ints  # index of the seat's parameter
    slot_block: Ints
    table_block: Ints
    slot_table: Ints
    seat_ranges: dict[int, slice]
    tie_orders: tuple[int, ...]
    steps: list[Steps]
    games: Ints
    blocks_of: Ints
    size: int  # number of parameters

    @classmethod
    def of(cls, tables: Sequence[Table], forfeits: Forfeits) -> _Columns:
        if not tables:
            raise RatingError("there are no results yet")
        pools = sorted({table.pool for table in tables})
        if len(pools) > 1:
            raise RatingError(f"ratings are kept per pool; here are several: {', '.join(pools)}")
        bots = tuple(sorted({bot for table in tables for bot in table.bots}))
        number = {bot: k for k, bot in enumerate(bots)}
        blocks = {block: k for k, block in enumerate(dict.fromkeys(table.block for table in tables))}
        seat_ranges: dict[int, slice] = {}
        end = len(bots)
        for players in sorted({len(table.bots) for table in tables}):
            seat_ranges[players] = slice(end, end + players)
            end += players
        slot_bot: list[int] = []
        slot_seat: list[int] = []
        slot_table: list[int] = []
        ranked: dict[int, tuple[list[int], list[int]]] = {}  # first slots and ranks, by the number of bots compared
        for at, table in enumerate(tables):
            seats = table.seats(forfeits)
            if len(seats) < 2:
                continue
            starts, ranks = ranked.setdefault(len(seats), ([], []))
            starts.append(len(slot_bot))
            start = seat_ranges[len(table.bots)].start
            slot_bot += [number[table.bots[seat]] for seat in seats]
            slot_seat += [start + seat for seat in seats]
            slot_table += [at] * len(seats)
            ranks += [table.ranks[seat] for seat in seats]
        if not ranked:
            raise RatingError("no table has two bots that can be compared")
        rankings = [
            Rankings.of(np.array(starts, np.intp)[:, None] + np.arange(width), np.array(ranks).reshape(-1, width))
            for width, (starts, ranks) in sorted(ranked.items())
        ]
        tie_orders = tie_orders_of(rankings)
        bot_column, table_column = np.array(slot_bot, np.intp), np.array(slot_table, np.intp)
        table_block = np.array([blocks[table.block] for table in tables], np.intp)
        block_column = table_block[table_column]
        return cls(
            pool=pools[0],
            bots=bots,
            blocks=tuple(blocks),
            slot_bot=bot_column,
            slot_seat=np.array(slot_seat, np.intp),
            slot_block=block_column,
            table_block=table_block,
            slot_table=table_column,
            seat_ranges=seat_ranges,
            tie_orders=tie_orders,
            steps=steps_of(rankings, tie_orders),
            games=_distinct(bot_column, table_column, len(bots)),
            blocks_of=_distinct(bot_column, block_column, len(bots)),
            size=end + len(tie_orders),
        )

    def thinned(self, by: int) -> _Columns:
        """The same with a part of the steps."""
        parts = [Steps(steps.slots[::by], steps.chosen[::by], steps.sets) for steps in self.steps]
        return replace(self, steps=parts)

    def utilities(self, params: Floats) -> tuple[Floats, Floats]:
        """Of every slot, and the logarithms of the tie parameters."""
        return params[self.slot_bot] + params[self.slot_seat], params[self.size - len(self.tie_orders) :]


def _distinct(bots: Ints, groups: Ints, count: int) -> Ints:
    """In how many groups each bot was."""
    pairs = np.sort(groups * count + bots)  # several times faster than looking for unique ones
    first = np.concatenate([[True], pairs[1:] != pairs[:-1]])[: len(pairs)]
    return np.bincount(pairs[first] % count, minlength=count).astype(np.intp)


def _components(columns: _Columns, anchor: str | None) -> Ints:
    """The component of each bot: the anchor's first, then by size, then by name."""
    bots, tables = len(columns.bots), int(columns.slot_table.max()) + 1
    edges = (np.ones(len(columns.slot_bot)), (columns.slot_bot, bots + columns.slot_table))
    _, labels = csgraph.connected_components(sparse.coo_matrix(edges, shape=(bots + tables,) * 2), directed=False)
    labels = labels[:bots]
    groups: list[list[int]] = [list(np.flatnonzero(labels == label)) for label in dict.fromkeys(labels.tolist())]
    home = -1 if anchor is None else columns.bots.index(anchor)
    groups.sort(key=lambda group: (home not in group, -len(group), group[0]))
    component = np.empty(bots, np.intp)
    for number, group in enumerate(groups):
        component[group] = number
    return component


def _basis(columns: _Columns, component: Ints, phantom: float) -> Floats:
    """From free parameters to all: seat effects sum to zero, and so do bots that no phantom holds in place."""
    basis = np.zeros((columns.size, columns.size))
    used = 0

    def place(rows: Ints, block: Floats) -> None:
        nonlocal used
        basis[np.ix_(rows, np.arange(used, used + block.shape[1]))] = block
        used += block.shape[1]

    if phantom > 0:
        place(np.arange(len(columns.bots)), np.eye(len(columns.bots)))
    else:
        for group in range(int(component.max()) + 1):
            place(np.flatnonzero(component == group), _zero_sum(int((component == group).sum())))
    for players, at in columns.seat_ranges.items():
        place(np.arange(at.start, at.stop), _zero_sum(players))
    orders = len(columns.tie_orders)
    place(np.arange(columns.size - orders, columns.size), np.eye(orders))
    return basis[:, :used]


def _zero_sum(size: int) -> Floats:
    """An orthonormal basis of the vectors that sum to zero: [size, size - 1]."""
    found: Floats = linalg.helmert(size).T if size > 1 else np.zeros((1, 0))
    return found


def _maximise(columns: _Columns, basis: Floats, phantom: float) -> tuple[Floats, Floats, float, int]:
    """Newton's method; the penalised log-likelihood is concave. Returns parameters, information, value, iterations."""
    params = np.zeros(columns.size)
    if phantom > 0 and len(columns.slot_bot) > _MANY:  # a part of the tables says where to begin
        params = _climb(columns.thinned(_THINNED), basis, phantom, params, 1.0)[0]
    return _climb(columns, basis, phantom, params, _CLOSE * (int(columns.slot_table.max()) + 1))


def _climb(
    columns: _Columns, basis: Floats, phantom: float, params: Floats, close: float
) -> tuple[Floats, Floats, float, int]:
    value, gradient, information = _derivatives(columns, params, phantom)
    for iteration in range(1, _ITERATIONS + 1):
        free_gradient = basis.T @ gradient
        try:
            step = linalg.cho_solve(linalg.cho_factor(basis.T @ information @ basis), free_gradient)
        except linalg.LinAlgError:
            raise RatingError("the results do not fix all numbers; a phantom is needed") from None
        gain = float(free_gradient @ step)
        move = basis @ step
        move *= min(1.0, _STRIDE / max(float(np.abs(move).max()), 1e-300))
        best = params, value, gradient, information
        for _ in range(_HALVINGS):
            params = best[0] + move
            value, gradient, information = _derivatives(columns, params, phantom)
            if value >= best[1]:
                break
            move = move / 2
        else:  # no step gains anything that could be told from rounding
            params, value, gradient, information = best
        if not phantom and np.abs(params).max() > _FURTHEST:
            break
        if gain <= close:
            return params, information, value, iteration
    raise RatingError("the results have no finite maximum (a bot, a seat or a tie always or never wins)")


def _phantom_information(params: Floats, phantom: float) -> Floats:
    found: Floats = 2 * phantom * special.expit(params) * special.expit(-params)
    return found


def _derivatives(columns: _Columns, params: Floats, phantom: float) -> tuple[float, Floats, Floats]:
    """The penalised log-likelihood, its gradient and minus its Hessian, by all parameters."""
    size, orders = columns.size, len(columns.tie_orders)
    # log σ(x) + log σ(-x) for each parameter, without overflow
    value = -phantom * float((np.abs(params) + 2 * np.log1p(np.exp(-np.abs(params)))).sum())
    gradient = -phantom * np.tanh(params / 2)
    information = np.zeros(size * size)
    for steps, likelihood, chances in _chunks(columns, params):
        value += float(likelihood.sum())
        width = steps.slots.shape[1]
        local = steps.gradient(chances)
        # Whom a candidate of a step stands for: a bot and a seat, or a tie order.
        candidates = steps.slots.T
        owners = [[columns.slot_bot[slots], columns.slot_seat[slots]] for slots in candidates]
        for k, pair in enumerate(owners):
            for owner in pair:
                gradient += np.bincount(owner, local[:, k], size)
        gradient[size - orders :] += local[:, width:].sum(axis=0)
        owners += [[np.full(len(local), size - orders + k)] for k in range(orders)]
        curvature = steps.information(chances)
        curvature[np.equal(*steps.pairs)] /= 2  # counted once here and once in the transpose
        for first, second, curved in zip(*steps.pairs, curvature, strict=True):
            for row in owners[first]:
                for column in owners[second]:
                    information += np.bincount(row * size + column, curved, size * size)
    square = information.reshape(size, size)
    return value, gradient, square + square.T + np.diag(_phantom_information(params, phantom))


def _chunks(columns: _Columns, params: Floats) -> Iterator[tuple[Steps, Floats, Floats]]:
    """The steps in portions, with their log-likelihood and the chances of what could have come."""
    utilities, log_ties = columns.utilities(params)
    for steps in columns.steps:
        for start in range(0, len(steps.chosen), _CHUNK):
            part = Steps(steps.slots[start : start + _CHUNK], steps.chosen[start : start + _CHUNK], steps.sets)
            yield part, *part.evaluate(utilities, log_ties)


def _block_scores(columns: _Columns, params: Floats) -> sparse.csr_matrix:
    """The gradient of each block: [blocks, parameters]."""
    slots = np.zeros(len(columns.slot_bot))
    blocks, orders = len(columns.blocks), len(columns.tie_orders)
    tied = np.zeros((blocks, orders))
    for steps, _, chances in _chunks(columns, params):
        width = steps.slots.shape[1]
        local = steps.gradient(chances)
        slots += np.bincount(steps.slots.ravel(), local[:, :width].ravel(), len(slots))
        owner = columns.slot_block[steps.slots[:, 0]]
        for order in range(orders):
            tied[:, order] += np.bincount(owner, local[:, width + order], blocks)
    rows = np.concatenate([columns.slot_block, columns.slot_block])
    cells = np.concatenate([columns.slot_bot, columns.slot_seat])
    first = sparse.csr_matrix((np.concatenate([slots, slots]), (rows, cells)), shape=(blocks, columns.size - orders))
    return sparse.hstack([first, sparse.csr_matrix(tied)], format="csr")


def _robust(columns: _Columns, scores: sparse.csr_matrix, inverse: Floats) -> Floats:
    """The covariance by blocks: games of one block share a deal, so that only blocks are independent of one another.

    The usual factor blocks/(blocks - 1) is taken bot by bot, for a bot that came late has fewer blocks than the event.
    One block says nothing about how results vary: what hangs on it is unknown.
    """
    blocks = len(columns.blocks)
    counts = np.full(columns.size, blocks)
    counts[: len(columns.bots)] = columns.blocks_of
    few = counts < 2
    factor = np.sqrt(np.where(few, 1.0, counts / np.maximum(counts - 1, 1)))
    spread = (scores.T @ scores).toarray() * np.outer(factor, factor)
    found: Floats = inverse @ spread @ inverse + np.diag(np.where(few, (UNKNOWN / PER_LOG_ODDS) ** 2, 0.0))
    return found


def _blind_directions(basis: Floats, data_information: Floats) -> Floats:
    """A covariance as good as infinite for what only the phantom decides, such as a bot that never changed its seat."""
    values, vectors = linalg.eigh(basis.T @ data_information @ basis)
    blind = basis @ vectors[:, values < _FLAT * max(values[-1], 1e-300)]
    found: Floats = (UNKNOWN / PER_LOG_ODDS) ** 2 * (blind @ blind.T)
    return found


def _contrast(columns: _Columns, component: Ints, anchor: str | None) -> Floats:
    """From strengths to ratings: less the anchor's, or less the mean of the component."""
    bots = len(columns.bots)
    contrast = np.eye(bots)
    for group in range(int(component.max()) + 1):
        members = component == group
        if anchor is not None and members[columns.bots.index(anchor)]:
            contrast[members, columns.bots.index(anchor)] -= 1
        else:
            contrast[np.ix_(members, members)] -= 1 / members.sum()
    return contrast
