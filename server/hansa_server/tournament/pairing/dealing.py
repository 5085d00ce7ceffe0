"""Schemes whose blocks are known beforehand: lists of combinations, dealt out a few at a time.

Nothing here is held as a list: how far a source has come is all that is kept. What `more` said is kept as a plan until
it is `made`, and forgotten when the line-up changes, so that the schedule does not depend on how often one asked.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, islice, pairwise
from math import comb, gcd
from typing import Any, ClassVar

from hansa_server.tournament.block import GameResult, Pairing, rotations
from hansa_server.tournament.pairing.meetings import Meetings
from hansa_server.tournament.pairing.scheme import Scheme, Setting, Setup
from hansa_server.tournament.pairing.scores import Scores

FEW = 5000  # combinations that are looked at one by one when bots have left

SETTINGS = (
    Setting("rounds", 1, "how often everything is played, each time from new deals", lambda n: n >= 1, "at least 1"),
    Setting(
        "blocks_each",
        0,
        "blocks of a bot in a round at each table, drawn so that all play equally often and meet as evenly as can be; "
        "0 for every combination",
        lambda n: n >= 0,
        "0 or more",
    ),
    Setting("both_ways", False, "also play every block the other way round, so that neighbours change sides"),
)


class Source(ABC):
    """Where blocks of one table come from. It moves on when it is asked; `settle` keeps the first step that was not
    settled yet, `give_back` takes all others back."""

    def __init__(self, table: int, players: int) -> None:
        self.table = table
        self.players = players

    @abstractmethod
    def take(self) -> tuple[int, tuple[str, ...]] | None:
        """The next round and bots, or None at the end."""

    @abstractmethod
    def settle(self) -> None:
        """The block that was taken first is made."""

    @abstractmethod
    def give_back(self) -> None:
        """What was taken and is not settled is still to come."""

    def cancel(self, bots: Sequence[str]) -> None:
        """A block that was made will not be played."""
        del bots

    @abstractmethod
    def progress(self) -> Fraction:
        """How far it has come, from 0 to 1, with what was taken."""

    @abstractmethod
    def left(self) -> int:
        """How many blocks are not settled yet; after withdrawals about so many."""


@dataclass(frozen=True)
class _Mark:
    """A point in a course: round, pattern, shift, and how many combinations lie before it."""

    round: int = 0
    pattern: int = 0
    shift: int = 0
    passed: int = 0


class Course(Source):
    """Every combination of fixed bots with others, `rounds` times; those with bots that have left are passed over.

    The others sit round a circle. A pattern of gaps is turned all the way round before the next one comes, so that
    after each turn all have played equally often. Patterns come in steps through all of them from a drawn start.
    When few combinations are left by withdrawals, only their patterns are looked at.
    """

    def __init__(
        self,
        table: int,
        players: int,
        fixed: tuple[str, ...],
        others: tuple[str, ...],
        rounds: int,
        start: int,
        is_in: Callable[[str], bool],
    ) -> None:
        super().__init__(table, players)
        self.fixed = fixed
        self.others = others
        self._size = players - len(fixed)
        self._rounds = rounds
        self._is_in = is_in
        self._count = comb(len(others), self._size)
        self._patterns = comb(len(others) - 1, self._size - 1) if self._size and self._count else self._count
        self._start = start
        self._step = self._patterns * 61_803 // 100_000  # golden: near patterns are far apart in time
        while gcd(self._step, self._patterns) > 1:
            self._step += 1
        self._settled = _Mark()
        self._taken: deque[_Mark] = deque()
        self._few: dict[int, int] | None = None  # combinations that are left, by pattern, if they are few
        self._ahead: Iterator[tuple[int, tuple[str, ...], _Mark]] | None = None

    def take(self) -> tuple[int, tuple[str, ...]] | None:
        if self._ahead is None:
            self._few = self._count_few()
            self._ahead = self._walk(self._settled)
        found = next(self._ahead, None)
        if found is None:
            return None
        self._taken.append(found[2])
        return found[0], found[1]

    def settle(self) -> None:
        self._settled = self._taken.popleft()

    def give_back(self) -> None:
        self._taken.clear()
        self._ahead = None

    def progress(self) -> Fraction:
        mark = self._taken[-1] if self._taken else self._settled
        return Fraction(mark.passed, self._count * self._rounds) if self._count else Fraction(1)

    def left(self) -> int:
        if not self._count or not all(map(self._is_in, self.fixed)):
            return 0
        mark = self._settled
        few = self._count_few()
        if few is not None:
            turns = self._turns(mark.pattern)[mark.shift :]
            here = sum(self._is_whole(places) for places in turns) if mark.round < self._rounds else 0
            later = sum(number for pattern, number in few.items() if pattern > mark.pattern)
            return here + later + sum(few.values()) * (self._rounds - mark.round - 1)
        share = comb(sum(map(self._is_in, self.others)), self._size)
        return max(0, self._count * self._rounds - mark.passed) * share // self._count

    def _turns(self, pattern: int) -> tuple[tuple[int, ...], ...]:
        return _turns(len(self.others), self._size, (self._start + pattern * self._step) % self._patterns)

    def _is_whole(self, places: Sequence[int]) -> bool:
        return all(self._is_in(self.others[place]) for place in places)

    def _count_few(self) -> dict[int, int] | None:
        """How many combinations of those who are in belong to each pattern; None if all are in, or if it is a lot."""
        places = [place for place, bot in enumerate(self.others) if self._is_in(bot)]
        if len(places) == len(self.others) or not self._size or comb(len(places), self._size) > FEW:
            return None
        back = pow(self._step, -1, self._patterns) if self._patterns > 1 else 0
        found: Counter[int] = Counter()
        for chosen in combinations(places, self._size):
            index = _index(len(self.others), chosen)
            found[(index - self._start) * back % self._patterns] += 1
        return dict(sorted(found.items()))

    def _walk(self, mark: _Mark) -> Iterator[tuple[int, tuple[str, ...], _Mark]]:
        """All combinations from a mark on, with the mark after each."""
        if not all(map(self._is_in, self.fixed)) or sum(map(self._is_in, self.others)) < self._size:
            return
        passed = mark.passed
        for round in range(mark.round, self._rounds):  # noqa: A001
            first = mark.pattern if round == mark.round else 0
            for pattern in range(first, self._patterns) if self._few is None else self._few:
                if pattern < first:
                    continue
                turns = self._turns(pattern)
                if self._few is not None:  # about so many lie before it
                    passed = round * self._count + pattern * self._count // self._patterns
                for shift in range(mark.shift if (round, pattern) == (mark.round, mark.pattern) else 0, len(turns)):
                    passed += 1
                    if self._is_whole(turns[shift]):
                        chosen = (self.others[place] for place in turns[shift])
                        yield round + 1, (*self.fixed, *chosen), _Mark(round, pattern, shift + 1, passed)


class Draft(Source):
    """A balanced choice of combinations. Who has played least comes first (`fixed` bots always), then those who have
    played least and met the bots at the table least. Ends when everybody who counts has played `wanted` blocks; to fill
    the last table some play one more."""

    def __init__(
        self,
        table: int,
        players: int,
        fixed: tuple[str, ...],
        others: Callable[[], list[str]],
        rounds: int,
        each: int,
        lot: Callable[[str], int],
        is_in: Callable[[str], bool],
    ) -> None:
        super().__init__(table, players)
        self.fixed = fixed
        self._others = others
        self._each = each
        self._wanted = rounds * each
        self._lot = lot
        self._is_in = is_in
        self._meetings = Meetings()
        self._taken: deque[tuple[str, ...]] = deque()
        self._lots: dict[tuple[str, int], int] = {}

    def take(self) -> tuple[int, tuple[str, ...]] | None:
        others = self._others()
        if len(others) + len(self.fixed) < self.players or not all(map(self._is_in, self.fixed)):
            return None
        played = self._meetings.blocks
        chosen = list(self.fixed)
        while len(chosen) < self.players:
            candidates = (bot for bot in others if bot not in chosen)
            chosen.append(
                min(candidates, key=lambda bot: (played[bot], self._meetings.known(bot, chosen), self._chance(bot)))
            )
        done = played[chosen[0]]
        if done >= self._wanted:
            return None
        self._meetings.note(chosen)
        self._taken.append(tuple(chosen))
        return done // self._each + 1, tuple(chosen)

    def _chance(self, bot: str) -> int:
        """A lot for each of its blocks, so that level bots do not always come in the same order."""
        key = bot, self._meetings.blocks[bot]
        if key not in self._lots:
            self._lots[key] = self._lot(f"{bot} {key[1]}")
        return self._lots[key]

    def settle(self) -> None:
        self._taken.popleft()

    def give_back(self) -> None:
        while self._taken:
            self._meetings.note(self._taken.pop(), -1)

    def cancel(self, bots: Sequence[str]) -> None:
        """The others get another block for it."""
        self._meetings.note(bots, -1)

    def progress(self) -> Fraction:
        counted = self.fixed or self._others()
        done = sum(min(self._meetings.blocks[bot], self._wanted) for bot in counted)
        return Fraction(done, self._wanted * len(counted)) if counted else Fraction(1)

    def left(self) -> int:
        if len(self._others()) + len(self.fixed) < self.players or not all(map(self._is_in, self.fixed)):
            return 0
        counted = self.fixed[:1] or self._others()
        missing = sum(max(0, self._wanted - self._meetings.blocks[bot]) for bot in counted)
        return len(self._taken) + (missing if self.fixed else -(-missing // self.players))


@lru_cache(maxsize=256)
def _turns(items: int, size: int, index: int) -> tuple[tuple[int, ...], ...]:
    """All ways to turn a pattern of gaps round the circle, so that each prefix uses the places evenly. Nothing if the
    pattern is another one, turned."""
    if not size:
        return ((),)
    gaps = _gaps(items, size, index)
    if any(gaps[turn:] + gaps[:turn] < gaps for turn in range(1, size)):
        return ()
    repeat = next(turn for turn in range(1, size + 1) if gaps[turn:] + gaps[:turn] == gaps)
    places = [sum(gaps[:turn]) for turn in range(size)]
    shifts = dict.fromkeys(range(sum(gaps[:repeat])))
    used = [0] * items
    found = []
    while shifts:
        shift = min(shifts, key=lambda shift: sum(used[(place + shift) % items] for place in places))
        del shifts[shift]
        found.append(tuple((place + shift) % items for place in places))
        for place in found[-1]:
            used[place] += 1
    return tuple(found)


def _gaps(items: int, size: int, index: int) -> tuple[int, ...]:
    """The pattern of this number: gaps of at least 1 that add up to the circle."""
    gaps = []
    for open_gaps in range(size - 1, 0, -1):
        gap = 1
        while index >= (ways := comb(items - gap - 1, open_gaps - 1)):
            index -= ways
            gap += 1
        gaps.append(gap)
        items -= gap
    return (*gaps, items)


def _index(items: int, places: Sequence[int]) -> int:
    """The number of the pattern that these places are a turn of, given in their order: the inverse of `_gaps`."""
    around = [b - a for a, b in pairwise((*places, places[0] + items))]
    gaps = min(around[turn:] + around[:turn] for turn in range(len(around)))
    index = 0
    for number, gap in enumerate(gaps[:-1]):
        open_gaps = len(gaps) - 1 - number
        index += sum(comb(items - smaller - 1, open_gaps - 1) for smaller in range(1, gap))
        items -= gap
    return index


class Dealt(Scheme):
    """A scheme that deals from sources, each time from the one that is least far. A subclass says which there are.

    A bot that withdraws takes all its further combinations with it. One that comes back goes on with what is still to
    come; what was passed over in the meantime is not made up for.
    """

    SETTINGS: ClassVar[tuple[Setting, ...]] = SETTINGS

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self._entered: list[str] = []
        self._in: set[str] = set()
        self._sources: list[Source] = []
        self._numbers = 0
        self._plan: deque[tuple[Source, Pairing]] = deque()
        self._meetings = Meetings()  # of what is made and planned, for the order round the table
        self._open: dict[int, tuple[Source, Pairing]] = {}
        self._games = 0  # of blocks that are made and were not dropped
        self._dropped = 0
        self._scores = Scores()

    @abstractmethod
    def _first_sources(self) -> list[Source]:
        """For the bots that are in when play begins."""

    @abstractmethod
    def _sources_of(self, bot: str) -> list[Source]:
        """What comes in addition when a bot enters later; it is not among those that have entered yet."""

    def is_in(self, bot: str) -> bool:
        """Whether a bot takes part now."""
        return bot in self._in

    def bots(self) -> list[str]:
        """Who takes part now, in the order of entering."""
        return [bot for bot in self._entered if bot in self._in]

    def course(self, table: int, fixed: Sequence[str], others: Sequence[str]) -> Course:
        """Every combination of these at a table."""
        rounds = self.setup.settings["rounds"]
        start = self.setup.draw(f"{self.NAME} {table} {' '.join(fixed)}")
        return Course(table, self.setup.players[table], tuple(fixed), tuple(others), rounds, start, self.is_in)

    def draft(self, table: int, fixed: Sequence[str], others: Callable[[], list[str]]) -> Draft:
        """A balanced choice of the combinations at a table."""
        rounds, each = self.setup.settings["rounds"], self.setup.settings["blocks_each"]
        words = f"{self.NAME} {table} {' '.join(fixed)}"
        return Draft(
            table,
            self.setup.players[table],
            tuple(fixed),
            others,
            rounds,
            each,
            lambda what: self.setup.draw(f"{words} {what}"),
            self.is_in,
        )

    def enter(self, bot: str) -> None:
        self._forget()
        if bot not in self._entered:
            if self._numbers:
                self._sources += self._sources_of(bot)
            self._entered.append(bot)
        self._in.add(bot)

    def withdraw(self, bot: str) -> None:
        self._forget()
        self._in.discard(bot)

    def more(self, wanted: int) -> list[Pairing]:
        while len(self._plan) < wanted and (planned := self._next()):
            self._plan.append(planned)
        return [pairing for _, pairing in islice(self._plan, wanted)]

    def made(self, number: int, pairing: Pairing) -> None:
        expected = self.more(1)
        if expected != [pairing]:
            raise ValueError(f"block {number} is not the one that comes next: {pairing}, not {expected}")
        source, _ = self._plan.popleft()
        source.settle()
        self._numbers += 1
        self._open[number] = source, pairing
        self._games += len(pairing.seatings)

    def ended(self, number: int, games: Sequence[GameResult] | None) -> None:
        source, pairing = self._open.pop(number)
        if games is not None:
            self._scores.note(games)
            return
        self._forget()
        source.cancel(pairing.bots)
        self._meetings.note(pairing.seatings[0], -1, both_ways=self.setup.settings["both_ways"])
        self._games -= len(pairing.seatings)
        self._dropped += 1

    @property
    def is_over(self) -> bool:
        return not self._open and not self.more(1)

    def games_expected(self) -> int:
        if not self._numbers:
            self._start()
        turns = 2 if self.setup.settings["both_ways"] else 1
        left = sum(source.left() * source.players * (turns if source.players > 2 else 1) for source in self._sources)
        return self._games + left

    def outcome(self) -> dict[str, Any]:
        rows = self._scores.table(self._entered, lambda bot: self.setup.draw(f"lot {bot}"))
        for row in rows:
            row["withdrawn"] = row["bot"] not in self._in
        return {"standings": rows, "dropped_blocks": self._dropped}

    def _start(self) -> None:
        """Sources are made anew until the first block is made: those who are in by then begin together."""
        if not self._sources:
            self._sources = self._first_sources()

    def _next(self) -> tuple[Source, Pairing] | None:
        self._start()
        both_ways = self.setup.settings["both_ways"]
        waiting = sorted(self._sources, key=lambda source: (source.progress(), source.table))
        for source in waiting:
            taken = source.take()
            if taken is not None:
                ring = self._meetings.ring(taken[1], both_ways=both_ways)
                self._meetings.note(ring, both_ways=both_ways)
                return source, Pairing(source.table, taken[0], rotations(ring, both_ways=both_ways))
        return None

    def _forget(self) -> None:
        """Take the plan back."""
        while self._plan:
            _, pairing = self._plan.pop()
            self._meetings.note(pairing.seatings[0], -1, both_ways=self.setup.settings["both_ways"])
        for source in self._sources:
            source.give_back()
        if not self._numbers:
            self._sources = []
