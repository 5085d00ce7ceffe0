"""What a fit would have expected of the tables it was made from: places, and who finishes ahead of whom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hansa_server.ratings.elo import PER_LOG_ODDS
from hansa_server.ratings.joint_fit import Fit
from hansa_server.ratings.luce import Floats, Ints

_CHUNK = 1 << 14  # tables that are worked on at once


@dataclass(frozen=True, eq=False)
class Expected:
    """Chances by table and seat. Ties count half in `ahead`, and they share the better place."""

    places: Floats  # [tables, seats, places]
    ahead: Floats  # [tables, seats, seats]


def expected_results(fit: Fit, bots: Ints) -> Expected:
    """Of tables of one size, told by the bots (as indices of the fit) in their seats: [tables, seats]."""
    tables, players = bots.shape
    places = np.zeros((tables, players, players))
    ahead = np.zeros((tables, players, players))
    if tables:
        utilities = (fit.ratings[bots] + fit.seats[players].elo) / PER_LOG_ODDS
        ties = [0.0, 1.0, *(fit.ties.get(order, 0.0) for order in range(2, players + 1))]
        for start in range(0, tables, _CHUNK):
            part = slice(start, start + _CHUNK)
            _walk(utilities[part], ties, places[part], ahead[part])
    return Expected(places, ahead)


def _walk(utilities: Floats, ties: Sequence[float], places: Floats, ahead: Floats) -> None:
    """Go down from the full table to every set of seats that may be left, and add up what may come next there."""
    players = utilities.shape[1]
    # Of no account for the chances, and nothing overflows.
    utilities = utilities - utilities.max(axis=1, keepdims=True)
    weight = {
        chosen: ties[len(seats)] * np.exp(utilities[:, seats].mean(axis=1))
        for chosen in range(1, 1 << players)
        if ties[len(seats := _seats(chosen))] > 0
    }
    reached = {(1 << players) - 1: np.ones(len(utilities))}
    for left in range((1 << players) - 1, 0, -1):  # a subset is a smaller number
        if left not in reached:
            continue
        candidates = _seats(left)
        place = players - len(candidates)
        sets = [chosen for chosen in _subsets(left) if chosen in weight]
        rate = reached.pop(left) / sum(weight[chosen] for chosen in sets)
        for chosen in sets:
            chance = rate * weight[chosen]
            for seat in _seats(chosen):
                places[:, seat, place] += chance
                for other in candidates:
                    if other != seat:
                        ahead[:, seat, other] += chance / 2 if chosen >> other & 1 else chance
            if rest := left & ~chosen:
                reached[rest] = reached[rest] + chance if rest in reached else chance


def _seats(members: int) -> list[int]:
    return [seat for seat in range(members.bit_length()) if members >> seat & 1]


def _subsets(of: int) -> Iterator[int]:
    """All but the empty one."""
    chosen = of
    while chosen:
        yield chosen
        chosen = (chosen - 1) & of
