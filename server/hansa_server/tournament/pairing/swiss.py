"""Swiss for tables of any size: in each round bots meet others that stand about where they stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

from hansa_server.tournament.block import GameResult, Pairing, rotations
from hansa_server.tournament.pairing.meetings import Meetings
from hansa_server.tournament.pairing.round_robin import too_few
from hansa_server.tournament.pairing.scheme import Scheme, Setting, Setup
from hansa_server.tournament.pairing.scores import UNIT, Scores

BYE = Fraction(1, 2)
SMALL = 10  # bots among whom the best seating of a round is found by trying everything
TRIES = 6  # in a larger field, as long as there are repeats
NEAR = 10  # bots of a larger field that are tried beside one

Groups = list[list[int]]  # places in the standings, by table
Costs = list[list[int]]  # of two bots at one table


class Swiss(Scheme):
    """A block scores the mean of its games for each bot; the sum of all blocks is the score.

    A round fills tables down the standings; first of all repeats are avoided, then bots at a table stand as near to
    each other as can be. In fields of up to 10 no better round exists; in larger ones none that a swap of two bots
    would give. Tables of the event take turns by rounds.

    When bots are left over, those with the fewest byes sit out, the last in the standings first. A bye scores a half.
    Bots that enter late play from the next round on; rounds before that score nothing, and their share of byes begins
    with the smallest there is. Who withdraws gets no further round and is listed last. A block that is dropped counts
    as a bye for the others. A round for whose table there are too few bots is left out.
    """

    NAME = "swiss"
    MEANING = (
        "Rounds in which bots meet others with about the same score, and nobody twice as long as that is possible."
    )
    SETTINGS = (
        Setting("rounds", 5, "how many rounds there are", lambda n: n >= 1, "at least 1"),
        Setting("both_ways", False, "also play every block the other way round, so that neighbours change sides"),
    )

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self._entered: list[str] = []
        self._in: set[str] = set()
        self._worth: dict[str, Fraction] = {}
        self._byes: Counter[str] = Counter()
        self._byes_before: dict[str, int] = {}  # what a late entrant is taken to have had
        self._scores = Scores()
        self._meetings = Meetings()
        self._round = 0  # the last one of which a block was made
        self._plan: list[Pairing] | None = None  # what is to come of that round, or the next one if it is not begun
        self._open: dict[int, Pairing] = {}
        self._games = 0

    @classmethod
    def problems(cls, setup: Setup, bots: Sequence[str]) -> list[tuple[str, str]]:
        return too_few(setup, bots)

    def enter(self, bot: str) -> None:
        if bot not in self._entered:
            self._entered.append(bot)
            self._worth[bot] = Fraction(0)
        if bot not in self._in:
            least = min((self._byes[other] for other in self._in), default=0)
            self._byes_before[bot] = self._byes_before.get(bot, 0) + max(0, least - self._byes[bot])
            self._byes[bot] = max(self._byes[bot], least)
        self._in.add(bot)
        self._replan()

    def withdraw(self, bot: str) -> None:
        self._in.discard(bot)
        if self._begun:
            lost = [pairing for pairing in self._plan or () if bot in pairing.bots]
            self._plan = [pairing for pairing in self._plan or () if bot not in pairing.bots]
            for pairing in lost:
                self._let_off(pairing)
        self._replan()

    def more(self, wanted: int) -> list[Pairing]:
        del wanted
        if not self._begun and not self._open and self._plan is None:
            self._plan = self._pair()
        return list(self._plan or ())

    def made(self, number: int, pairing: Pairing) -> None:
        if not self._begun:
            self.more(1)
        if not self._plan or self._plan[0] != pairing:
            raise ValueError(f"block {number} is not the one that comes next: {pairing}")
        if pairing.round != self._round:
            self._round = pairing.round
            playing = {bot for planned in self._plan for bot in planned.bots}
            for bot in self._in - playing:
                self._byes[bot] += 1
                self._worth[bot] += BYE
        self._plan = self._plan[1:] or None
        self._open[number] = pairing
        self._meetings.note(pairing.seatings[0], both_ways=self.setup.settings["both_ways"])
        self._games += len(pairing.seatings)

    def ended(self, number: int, games: Sequence[GameResult] | None) -> None:
        pairing = self._open.pop(number)
        if games is None:
            self._meetings.note(pairing.seatings[0], -1, both_ways=self.setup.settings["both_ways"])
            self._games -= len(pairing.seatings)
            self._let_off(pairing)
        else:
            block = Scores()
            block.note(games)
            for bot in pairing.bots:
                self._worth[bot] += Fraction(block.units[bot], UNIT * block.games[bot])
            self._scores.note(games)
        self._replan()

    @property
    def is_over(self) -> bool:
        return not self._open and not self.more(1)

    def games_expected(self) -> int:
        games = self._games + sum(len(pairing.seatings) for pairing in (self._plan or ()) if self._begun)
        for number in self._rounds_left():
            players = self.setup.players[(number - 1) % len(self.setup.players)]
            turns = 2 if self.setup.settings["both_ways"] and players > 2 else 1
            games += len(self._in) // players * players * turns
        return games

    def outcome(self) -> dict[str, Any]:
        rows = self._standings()
        for row in rows:
            row["byes"] = self._byes[row["bot"]] - self._byes_before.get(row["bot"], 0)
            row["withdrawn"] = row["bot"] not in self._in
        return {"standings": rows, "round": self._round, "rounds": self.setup.settings["rounds"]}

    @property
    def _begun(self) -> bool:
        """Whether a round is on the schedule in part: its plan stands."""
        return bool(self._plan) and self._plan is not None and self._plan[0].round == self._round

    def _replan(self) -> None:
        if not self._begun:
            self._plan = None

    def _let_off(self, pairing: Pairing) -> None:
        """What a block that is not played is to those who would have played it."""
        for bot in pairing.bots:
            if bot in self._in:
                self._worth[bot] += BYE

    def _rounds_left(self) -> Iterator[int]:
        for number in range(self._round + 1, self.setup.settings["rounds"] + 1):
            if self.setup.players[(number - 1) % len(self.setup.players)] <= len(self._in):
                yield number

    def _standings(self) -> list[dict[str, Any]]:
        worth = {bot: float(self._worth[bot]) for bot in self._entered}
        here = self._scores.table([bot for bot in self._entered if bot in self._in], self._lot, worth)
        gone = self._scores.table([bot for bot in self._entered if bot not in self._in], self._lot, worth)
        for row in gone:
            row["place"] += len(here)
        return here + gone

    def _lot(self, bot: str) -> int:
        return self.setup.draw(f"swiss {bot}")

    def _pair(self) -> list[Pairing]:
        number = next(self._rounds_left(), 0)
        if not number:
            return []
        table = (number - 1) % len(self.setup.players)
        players = self.setup.players[table]
        order = [row["bot"] for row in self._standings() if row["bot"] in self._in]
        last_first = sorted(range(len(order)), key=lambda place: (self._byes[order[place]], -place))
        out = set(last_first[: len(order) % players])
        order = [bot for place, bot in enumerate(order) if place not in out]
        both_ways = self.setup.settings["both_ways"]
        return [
            Pairing(table, number, rotations(self._meetings.ring(group, both_ways=both_ways), both_ways=both_ways))
            for group in fill_tables(order, players, self._meetings)
        ]


def fill_tables(order: Sequence[str], players: int, meetings: Meetings) -> list[list[str]]:
    """Put bots, given from the best to the worst, at tables: fewest repeats, then nearest in the standings."""
    count = len(order)
    repeat = count**3 * players  # more than any distances add up to
    # Meeting a third time is worse than two bots that meet twice, hence the square.
    costs = [
        [repeat * meetings.met(order[a], order[b]) ** 2 + (a - b) ** 2 for b in range(count)] for a in range(count)
    ]
    found = _try_all(costs, players) if count <= SMALL else _search(costs, players, repeat)
    return [[order[place] for place in sorted(group)] for group in sorted(found, key=min)]


def _cost(group: Sequence[int], costs: Costs) -> int:
    return sum(costs[a][b] for a, b in combinations(group, 2))


def _try_all(costs: Costs, players: int) -> Groups:
    best: tuple[int, Groups] | None = None

    def descend(left: Sequence[int], so_far: int, groups: Groups) -> None:
        nonlocal best
        if best is not None and so_far >= best[0]:
            return
        if not left:
            best = so_far, groups
            return
        choices = [[left[0], *mates] for mates in combinations(left[1:], players - 1)]
        for cost, group in sorted((_cost(group, costs), group) for group in choices):
            descend([place for place in left if place not in group], so_far + cost, [*groups, group])

    descend(range(len(costs)), 0, [])
    assert best is not None
    return best[1]


def _search(costs: Costs, players: int, repeat: int) -> Groups:
    """A good round for a large field: those whom a repeat was found for choose first in the next try."""
    tries: list[tuple[int, Groups]] = []
    first: list[int] = []
    while len(tries) < TRIES:
        groups = _greedy([*first, *(place for place in range(len(costs)) if place not in first)], costs, players)
        _improve(groups, costs)
        tries.append((sum(_cost(group, costs) for group in groups), groups))
        worst = [place for group in groups if _cost(group, costs) >= repeat for place in group]
        if not worst:
            break
        first = [*(place for place in worst if place not in first), *first]
    return min(tries)[1]


def _greedy(order: Sequence[int], costs: Costs, players: int) -> Groups:
    left, groups = list(order), []
    while left:
        near = combinations(left[1 : 1 + NEAR], players - 1)
        group = min(([left[0], *mates] for mates in near), key=lambda group: _cost(group, costs))
        groups.append(group)
        left = [place for place in left if place not in group]
    return groups


def _improve(groups: Groups, costs: Costs) -> None:
    """Swap two bots as long as that makes the round better."""
    better = True
    while better:
        better = False
        for one, other in combinations(groups, 2):
            for i, j in product(range(len(one)), range(len(other))):
                a, b = one[i], other[j]
                gain = sum(costs[a][c] - costs[b][c] for c in one if c != a)
                gain += sum(costs[b][c] - costs[a][c] for c in other if c != b)
                if gain > 0:
                    one[i], other[j] = b, a
                    better = True


FORMAT = Swiss
