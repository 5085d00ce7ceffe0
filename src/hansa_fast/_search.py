"""`Search`: a strong player, and an analyst, for every game of the package. `docs/search.md` tells how it works."""

from __future__ import annotations

import difflib
import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields
from typing import Any

from hansa_fast._errors import HiddenError, IllegalActionError, SearchError, shown
from hansa_fast._state import POLICIES, State
from hansa_fast._tree import Tree

PLAYOUT = "planner"  # the policy that playouts follow, and whose action is tried first
ORDER = "greedy"  # the policy in whose order the other actions are tried

# How a result is valued between 0 and 1, for each seat: the win, the place, and for the rest the margin.
WIN_WEIGHT = 0.5
PLACE_WEIGHT = 0.2
MARGIN = 6.0  # points ahead that are three quarters of all a margin can be worth

SURE = 2.0  # the best action is the one whose value is the highest even so many standard errors lower,
SERIOUS = 0.1  # among those with so large a part of the visits that the most visited one has

SLICE = 0.004  # seconds that a thread works without looking at the clock
EVERY = 0.1  # seconds between two answers that improve on each other
LONGEST_LINE = 12  # actions of a principal line


def _setting(default: Any, kind: type, least: float, most: float, meaning: str) -> Any:
    return field(default=default, metadata={"kind": kind, "least": least, "most": most, "meaning": meaning})


@dataclass(frozen=True, kw_only=True)
class SearchSettings:
    """What a search is told by name, as in `search:time=0.5,threads=2`. The text of it is its name, without defaults.

    >>> str(SearchSettings.parse("search:threads=2,iterations=500"))
    'search:iterations=500,threads=2'
    """

    iterations: int | None = _setting(None, int, 1, 10**9, "iterations a decision")
    time: float | None = _setting(None, float, 0.001, 86_400, "seconds a decision")
    threads: int = _setting(1, int, 1, 256, "threads")
    playout: str = _setting(PLAYOUT, str, 0, 0, "policy of the playouts")
    horizon: int = _setting(100, int, 1, 100_000, "turns after which a playout is scored as it stands")
    explore: float = _setting(3.0, float, 0, 1000, "curiosity")
    nodes: int = _setting(500_000, int, 100, 100_000_000, "room of the tree of a thread")

    DEFAULT_ITERATIONS = 2000  # if neither iterations nor time are given

    def __post_init__(self) -> None:
        """Check every value."""
        for entry in fields(self):
            value = getattr(self, entry.name)
            if value is not None or entry.default is not None:
                _check(entry.name, value, entry.metadata)

    @classmethod
    def parse(cls, text: str) -> SearchSettings:
        """The settings of a text: `search`, or `search:` and settings with commas between them."""
        if type(text) is not str:
            raise SearchError(f"settings: must be a text such as 'search:time=0.5', not {shown(text)}")
        name, colon, rest = text.strip().partition(":")
        if name != "search":
            raise SearchError(f"settings: {shown(text)} does not begin with 'search'")
        known = {entry.name: entry.metadata["kind"] for entry in fields(cls)}
        given: dict[str, Any] = {}
        for part in rest.split(",") if colon else ():
            key, equals, value = (word.strip() for word in part.partition("="))
            if not equals or key not in known:
                near = difflib.get_close_matches(key, known, 1)
                hint = f"; did you mean {near[0]}=?" if near else ""
                raise SearchError(f"settings: {shown(part)} is none of {', '.join(f'{k}=' for k in known)}{hint}")
            if key in given:
                raise SearchError(f"settings: {key} is given twice")
            given[key] = _read(key, value, known[key])
        return cls(**given)

    def __str__(self) -> str:
        """The shortest text that means the same."""
        parts = [
            f"{entry.name}={getattr(self, entry.name):{'g' if entry.metadata['kind'] is float else ''}}"
            for entry in fields(self)
            if getattr(self, entry.name) != entry.default
        ]
        return "search" + (":" + ",".join(parts) if parts else "")


def _read(key: str, text: str, kind: type) -> Any:
    try:
        return kind(text)
    except ValueError:
        what = "a whole number" if kind is int else "a number"
        raise SearchError(f"{key}: must be {what}, not {shown(text)}") from None


def _check(name: str, value: Any, told: Any) -> None:
    if told["kind"] is str:
        if value not in POLICIES:
            raise SearchError(f"{name}: {shown(value)} is none of {', '.join(POLICIES)}")
        return
    kinds = (int,) if told["kind"] is int else (int, float)
    if type(value) not in kinds or not told["least"] <= value <= told["most"]:
        what = "a whole number" if told["kind"] is int else "a number"
        raise SearchError(f"{name}: must be {what} from {told['least']} to {told['most']}, not {shown(value)}")


@dataclass(frozen=True)
class Candidate:
    """An action of the position that is analysed, and what the search thinks of it. Tuples are by seat."""

    action: int
    visits: int  # iterations that began with it
    value: float  # for the seat that decides, from 0 to 1
    doubt: float  # the standard error of the value
    place: tuple[float, ...]  # expected, from 1
    score: tuple[float, ...]  # expected
    line: tuple[int, ...]  # how the game would go on, beginning with this action

    def texts(self, state: State) -> list[str]:
        """The line in words, from the position that was analysed, as far as it does not depend on anything hidden."""
        seen = state.view(state.player)
        out = []
        for action in self.line:
            if not seen.is_legal(action):
                break
            out.append(seen.describe(action))
            try:
                seen.apply(action)
            except HiddenError:
                break
        return out


@dataclass(frozen=True)
class Analysis:
    """What a search has found."""

    player: int  # the seat that decides
    candidates: tuple[Candidate, ...]  # best first; actions that are like one of them are left out
    iterations: int  # done for this answer
    reused: int  # done before, for an earlier position, and still of use
    seconds: float
    nodes: int  # of all trees
    is_last: bool  # whether the search has done all it was asked for

    @property
    def best(self) -> Candidate:
        """The action to play."""
        return self.candidates[0]


class Search:
    """A player that looks ahead: information-set Monte Carlo tree search.

    The same settings, seed and calls give the same answers if the settings limit iterations, not time.
    What the seat that decides cannot know is dealt anew in every iteration, never looked at.

    >>> from hansa_fast import Rules
    >>> state = Rules(players=3).new(seed=7)
    >>> search = Search("search:iterations=100", seed=1)
    >>> action = search.choose(state)
    >>> state.is_legal(action)
    True
    """

    def __init__(self, settings: str | SearchSettings = "search", *, seed: int = 0) -> None:
        if type(seed) is not int or not 0 <= seed < 2**64:
            raise SearchError(f"seed: must be a whole number from 0 to 2**64 - 1, not {shown(seed)}")
        self._settings = settings if isinstance(settings, SearchSettings) else SearchSettings.parse(settings)
        self._seed = seed
        self._asked = 0  # positions so far
        self._root: State | None = None  # what the trees have grown from; None if they were told to advance since
        self._chosen: int | None = None  # the answer there
        told = self._settings
        self._trees = [
            Tree(
                nodes=told.nodes,
                playout=told.playout,
                order=ORDER,
                horizon=told.horizon,
                explore=told.explore,
                win_weight=WIN_WEIGHT,
                place_weight=PLACE_WEIGHT,
                margin=MARGIN,
            )
            for _ in range(told.threads)
        ]

    @property
    def settings(self) -> SearchSettings:
        """How it searches."""
        return self._settings

    def choose(self, state: State, seed: int | None = None) -> int:
        """The action to play in this position. It may be a view; the seat that decides is the one that thinks.

        A seed is for this decision alone; without one it comes from the search's own seed. If nobody tells what was
        played, the search takes it that its answer was, and goes on from there if the next position shows that.
        """
        legal = state.legal_actions()
        if len(legal) == 1:
            return legal[0]
        answer = None
        for answer in self._improve(state, EVERY, seed):
            if self._settings.iterations is None and self._settings.time is not None and self._is_settled(answer):
                break
        assert answer is not None
        self._chosen = answer.best.action
        return self._chosen

    def analyse(self, state: State, progress: Callable[[Analysis], None] | None = None) -> Analysis:
        """All that can be found out within the limits. `progress` is called with every answer on the way."""
        answer = None
        for answer in self.improve(state):
            if progress is not None:
                progress(answer)
        assert answer is not None
        return answer

    def improve(self, state: State, every: float = EVERY) -> Iterator[Analysis]:
        """Answers that get better, about one every so many seconds; the last one is all there is.

        Nothing goes on between two answers, so leaving the loop ends the search.
        """
        return self._improve(state, every, None)

    def _improve(self, state: State, every: float, seed: int | None) -> Iterator[Analysis]:
        if state.is_over:
            raise IllegalActionError("the game is over")
        told = self._settings
        self._plant(state, seed)
        begin = time.perf_counter()
        reused = sum(tree.visits for tree in self._trees)
        total = told.iterations
        if total is None and told.time is None:
            total = told.DEFAULT_ITERATIONS
        end = math.inf if told.time is None else begin + told.time
        count = len(self._trees)
        left = [10**18 if total is None else total * (k + 1) // count - total * k // count for k in range(count)]
        done = 0
        while True:
            ran = self._run(min(end, time.perf_counter() + every), left)
            done += sum(ran)
            left = [most - n for most, n in zip(left, ran, strict=True)]
            now = time.perf_counter()
            last = now >= end or not any(left)
            yield self._answer(state, done, reused, now - begin, last)
            if last:
                return

    def advance(self, actions: Iterable[int]) -> int:
        """Tell what was played since the last position; what was found about the future is kept.

        Returns how many iterations are still of use. The actions are believed: wrong ones make answers worse, but never
        illegal.
        """
        for action in actions:
            for tree in self._trees:
                tree.advance(action)
            self._root = self._chosen = None
        return sum(tree.visits for tree in self._trees)

    def _plant(self, state: State, seed: int | None) -> None:
        """Set the trees to a position. They are kept if they belong to it and were grown for the same seat."""
        seen = state.view(state.player)
        self.advance(self._guess(seen))
        for k, tree in enumerate(self._trees):
            keep = tree.rules == state.rules and tree.viewer == state.player and self._root in (None, seen)
            tree.plant(seen, _mix(self._seed, self._asked, k) if seed is None else _mix(seed, k), keep)
        self._root = seen
        self._asked += 1

    def _guess(self, seen: State) -> list[int]:
        """What was played since the last position if it was the action chosen there, and then what had to be."""
        if self._root is None or self._chosen is None or self._root.rules != seen.rules:
            return []
        state = self._root.copy()
        played = [self._chosen]
        try:
            state.apply(self._chosen)
            while state != seen and len(legal := state.legal_actions()) == 1:
                state.apply(legal[0])
                played.append(legal[0])
        except HiddenError:
            return []
        return played if state == seen else []

    def _run(self, end: float, left: list[int]) -> list[int]:
        """Let every tree grow until then, or by so many iterations; returns how many each one did."""
        ran = [0] * len(left)

        def work(k: int) -> None:
            ran[k] = _grow(self._trees[k], end, left[k])

        others = [threading.Thread(target=work, args=(k,)) for k in range(1, len(left))]
        for thread in others:
            thread.start()
        try:
            work(0)
        finally:
            for thread in others:
                thread.join()
        return ran

    def _answer(self, state: State, iterations: int, reused: int, seconds: float, last: bool) -> Analysis:
        """The trees put together."""
        player, seats = state.player, range(state.rules.players)
        visits: dict[int, int] = {}
        sums: dict[int, list[list[float]]] = {}
        for tree in self._trees:
            for action, n, *columns in tree.children():
                visits[action] = visits.get(action, 0) + n
                mine = sums.setdefault(action, [[0.0] * len(seats) for _ in columns])
                for column, values in zip(mine, columns, strict=True):
                    for seat in seats:
                        column[seat] += values[seat]
        found = []
        for action, n in visits.items():
            if not state.is_legal(action):
                continue
            value, square, place, score = (tuple(total / n for total in column) for column in sums[action])
            doubt = math.sqrt((max(0.0, square[player] - value[player] ** 2) + 1 / n) / n)
            line = max((tree.line(action, LONGEST_LINE) for tree in self._trees), key=len)
            found.append(Candidate(action, n, value[player], doubt, place, score, tuple(line)))
        most = max(candidate.visits for candidate in found)
        found.sort(key=lambda one: (one.visits < most * SERIOUS, SURE * one.doubt - one.value, one.action))
        nodes = sum(tree.size for tree in self._trees)
        return Analysis(player, tuple(found), iterations, reused, seconds, nodes, last)

    def _is_settled(self, answer: Analysis) -> bool:
        """Whether no other action can become a serious one in the time that is left."""
        assert self._settings.time is not None
        rest = (self._settings.time - answer.seconds) * answer.iterations / answer.seconds
        return all(answer.best.visits * SERIOUS > other.visits + rest for other in answer.candidates[1:])


def _grow(tree: Tree, end: float, most: int) -> int:
    """Let a tree grow until then, or by so many iterations; returns how many. The GIL is free nearly all the time."""
    done, step = 0, 8
    now = time.perf_counter()
    while done < most:
        step = min(step, most - done)
        tree.run(step)
        done += step
        before, now = now, time.perf_counter()
        if now >= end:
            break
        step = max(1, min(2 * step, int(step * min(SLICE, end - now) / max(now - before, 1e-9))))
    return done


def _mix(*numbers: int) -> int:
    """One seed out of several numbers, without a pattern."""
    value = 0
    for number in numbers:
        value = (value + number + 0x9E3779B97F4A7C15) % 2**64
        value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        value = (value ^ (value >> 27)) * 0x94D049BB133111EB % 2**64
        value ^= value >> 31
    return value
