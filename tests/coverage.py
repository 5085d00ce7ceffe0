"""Counting what compared games have reached, whichever game it is; `<game>_coverage` says what there is to reach."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping
from typing import ClassVar, Generic, NamedTuple

import hansa_fast as hf
from tests.match import Match, Twin


class Branch(NamedTuple, Generic[Twin]):
    """A rare way through the rules: where it exists, and how to see that the next action takes it."""

    name: str
    exists: Callable[[hf.Rules], bool]
    is_taken: Callable[[Match[Twin], str], bool]


class Tally:
    """How often everything was reached."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.decisions = 0
        self.games = 0

    def add(self, other: Tally) -> None:
        """Sum up."""
        self.counts.update(other.counts)
        self.decisions += other.decisions
        self.games += other.games

    def table(self, keys: set[str]) -> str:
        """How often each of the keys was reached, as text."""
        width = max(len(key) for key in keys)
        lines = [f"{key:<{width}} {self.counts[key]:>12,}" for key in sorted(keys)]
        return "\n".join([*lines, f"{'decisions compared':<{width}} {self.decisions:>12,}"])


class Coverage(Tally, ABC, Generic[Twin]):
    """Counts what the compared games of one row reach."""

    # Verbs with many actions that hardly differ, and how many of them are looked at.
    alike: ClassVar[Mapping[str, int]] = {}

    def __init__(self, rules: hf.Rules) -> None:
        super().__init__()
        self.rules = rules

    @staticmethod
    @abstractmethod
    def expected(rules: hf.Rules) -> set[str]:
        """All that must be reached in games of these rules."""

    @abstractmethod
    def keys(self, match: Match[Twin], text: str) -> list[str]:
        """What playing this action adds to."""

    @abstractmethod
    def note_before(self, match: Match[Twin], text: str) -> None:
        """Note what the position says by itself."""

    @abstractmethod
    def note_after(self, match: Match[Twin]) -> None:
        """Note what the last action has brought about."""

    @abstractmethod
    def note_end(self, match: Match[Twin]) -> None:
        """Note what a game, or what was played of it, has come to."""

    def before(self, match: Match[Twin], text: str) -> None:
        """Note the decision that is about to be made."""
        self.decisions += 1
        self.counts[f"phase {match.twin.phase}"] += 1
        self.counts.update(self.keys(match, text))
        self.note_before(match, text)

    def finish(self, match: Match[Twin]) -> None:
        """Note the end of a game, or of what was played of it."""
        self.games += 1
        scores = match.twin.scores()
        for part in scores[0]:
            self.counts[f"score {part}"] += any(score[part] for score in scores)
        self.note_end(match)
        if match.twin.is_over:
            self.counts["phase over"] += 1
            result = match.twin.result()
            for reason in result["reasons"]:
                self.counts[f"end {reason}"] += 1
            self.counts["end several reasons"] += len(result["reasons"]) > 1
            ranks = result["ranks"]
            self.counts["ranks shared" if len(set(ranks)) < len(ranks) else "ranks distinct"] += 1

    def rarest(self, match: Match[Twin], rng: random.Random) -> str:
        """Of some legal actions of every verb, the one that was seen least so far."""
        groups: dict[str, list[str]] = {}
        for text in match.actions:
            groups.setdefault(text.split(" ", 1)[0], []).append(text)
        some = [
            text
            for verb, group in groups.items()
            for text in rng.sample(group, min(self.alike.get(verb, len(group)), len(group)))
        ]
        rng.shuffle(some)
        return min(some, key=lambda text: min(self.counts[key] for key in self.keys(match, text)))

    def missing(self) -> list[str]:
        """What should have been reached and has not."""
        return sorted(key for key in self.expected(self.rules) if not self.counts[key])
