"""The bots that come with the package, by name: the same in this process, built into a server, and over gRPC.

A bot may have settings after a colon, such as `name:time=0.5,threads=2`. Every kind has a version; it is raised when a
bot may choose differently than before, so that ratings of different versions are not mixed up.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Protocol

from hansa_fast._search import Search, SearchSettings
from hansa_fast._state import State, playouts

CANDIDATES = 16
PLAYOUTS = 8


class BotNameError(ValueError):
    """There is no bot of this name, or it has no such setting."""


class Bot(Protocol):
    """Plays one seat of one game. It may keep what it has thought from one decision to the next."""

    def choose(self, state: State, seed: int) -> int:
        """A legal action for the seat that decides. Depends only on what this seat knows, so a view will do."""


@dataclass(frozen=True)
class Kind:
    """A kind of bot: how it is called, what it is, how one is made."""

    name: str
    version: str
    about: str
    make: Callable[..., Bot]
    settings: Mapping[str, Callable[[str], Any]] = field(default_factory=dict)  # name of a setting to its reader
    quick: bool = True  # decides within a millisecond, so that a server can do it on the side


@dataclass(frozen=True)
class PolicyBot:
    """A policy of the core."""

    policy: str

    def choose(self, state: State, seed: int) -> int:
        """As the core says."""
        return state.choose(seed, self.policy)


class WaveringBot:
    """Greedy every other time, by chance; otherwise random."""

    def choose(self, state: State, seed: int) -> int:
        """One of both."""
        return state.choose(seed, "greedy" if _mix(seed) & 1 else "uniform")


class PlayoutsBot:
    """Tries some actions, plays each out a few times from what its seat knows, and takes the best margin."""

    def choose(self, state: State, seed: int) -> int:
        """The candidate with the best margin."""
        me = state.player
        known = state.redeal(me, seed)
        actions = state.legal_actions()
        if len(actions) > CANDIDATES:
            policies = ("greedy", "uniform")
            drawn = (state.choose(_mix(seed + i), policies[i % 2]) for i in range(CANDIDATES))
            actions = list(dict.fromkeys(drawn))
        return max(actions, key=lambda action: self._margin(known, action, me, seed))

    @staticmethod
    def _margin(state: State, action: int, me: int, seed: int) -> float:
        """How far ahead of the best other seat an action leads on average."""
        child = state.copy()
        child.apply(action)
        if child.is_over:
            points = [float(score["total"]) for score in child.scores()]
        else:
            points = playouts(child, PLAYOUTS, seed, policy="greedy")["mean_score"]
        return points[me] - max(value for seat, value in enumerate(points) if seat != me)


def _mix(seed: int) -> int:
    """Another number out of this one, without a pattern."""
    value = (seed + 0x9E3779B97F4A7C15) * 0xBF58476D1CE4E5B9 % 2**64
    return (value ^ (value >> 31)) * 0x94D049BB133111EB % 2**64 >> 3


def _make_search(**settings: Any) -> Search:
    return Search(SearchSettings(**settings))


def _search_setting(name: str) -> Callable[[str], Any]:
    """Reads a setting of the search from its text."""
    return lambda text: getattr(SearchSettings.parse(f"search:{name}={text}"), name)


# From the weakest to the strongest.
_KINDS = (
    Kind("random", "1", "any legal action, all alike", lambda: PolicyBot("uniform")),
    Kind("wavering", "1", "greedy every other time, otherwise random", WaveringBot),
    Kind("greedy", "1", "finishes routes or sells goods as soon as it can", lambda: PolicyBot("greedy")),
    Kind("playouts", "1", "plays some actions out a few times", PlayoutsBot, quick=False),
    Kind("planner", "1", "plans routes or voyages by what they bring for what they cost", lambda: PolicyBot("planner")),
    Kind(
        "search",
        "1",
        "looks ahead in a tree of what may come, as long as its settings let it",
        _make_search,
        {part.name: _search_setting(part.name) for part in fields(SearchSettings)},
        quick=False,
    ),
)
KINDS: dict[str, Kind] = {kind.name: kind for kind in _KINDS}


def parse_bot(text: str) -> tuple[Kind, dict[str, Any]]:
    """The kind and the settings that a name such as `planner` or `name:time=0.5` means."""
    name, colon, rest = text.partition(":")
    kind = KINDS.get(name)
    if kind is None:
        near = difflib.get_close_matches(name, KINDS, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise BotNameError(f"there is no bot {name[:80]!r} among {', '.join(KINDS)}{hint}")
    known = ", ".join(kind.settings) or "none"
    settings: dict[str, Any] = {}
    for part in rest.split(",") if colon else ():
        key, _, value = part.partition("=")
        if key not in kind.settings or key in settings:
            problem = "is set twice" if key in settings else "is no setting"
            raise BotNameError(f"{text[:80]!r}: {key!r} {problem} of {name}; its settings: {known}")
        try:
            settings[key] = kind.settings[key](value)
        except ValueError as error:
            raise BotNameError(f"{text[:80]!r}: {key} cannot be {value!r}: {error}") from None
    return kind, settings


def make_bot(text: str) -> Bot:
    """A bot for one seat of one game, by its name.

    >>> from hansa_fast import Rules
    >>> make_bot("planner").choose(Rules(players=3).new(1), seed=7) in Rules(players=3).new(1).legal_actions()
    True
    """
    kind, settings = parse_bot(text)
    return kind.make(**settings)


def version_of(text: str) -> str:
    """The version of the bot of this name."""
    return parse_bot(text)[0].version
