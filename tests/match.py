"""One game on the compiled core and on the reference engine, compared at every decision."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Generic, NoReturn, Self, TypeVar, cast

import hansa_fast as hf
from tests.reference import Reference, new_reference, reference_at, setup_of

Json = dict[str, Any]
Twin = TypeVar("Twin", bound=Reference)

SCORES_EVERY = 25  # decisions between two comparisons of the scores
RETURN_EVERY = 10  # decisions between two returns of the core from its own dict


class DifferenceError(AssertionError):
    """The engines disagree; the message holds all that is needed to see it again."""


def dict_difference(core: Any, reference: Any, path: str = "") -> Iterator[str]:
    """The places in which two JSON values differ."""
    if isinstance(core, dict) and isinstance(reference, dict):
        for key in sorted({*core, *reference}):
            if core.get(key, "absent") != reference.get(key, "absent"):
                yield from dict_difference(core.get(key, "absent"), reference.get(key, "absent"), f"{path}.{key}")
    elif core != reference:
        yield f"{path.lstrip('.')}: core {core!r}, reference {reference!r}"


class Match(Generic[Twin]):
    """One game on both engines. `check` compares them, `play` goes on."""

    def __init__(self, rules: hf.Rules, start: Json, state: hf.State | None = None, twin: Twin | None = None) -> None:
        self.rules = rules
        self.start = start
        self.played: list[str] = []
        self.state = hf.State.from_dict(rules, start) if state is None else state
        self.twin: Twin = cast("Twin", reference_at(rules, start)) if twin is None else twin
        self.actions: dict[str, int] = {}

    @classmethod
    def opening(cls, rules: hf.Rules, seed: int) -> Self:
        """A new game: the core draws the set-up, the reference is given it."""
        state = rules.new(seed=seed)
        return cls(rules, state.to_dict(), state, cast("Twin", new_reference(rules, setup_of(state))))

    def check(self) -> None:
        """Everything that can be seen of the position must be equal."""
        state, twin = self.state, self.twin
        ids = state.legal_actions()
        self.actions = {state.describe(action): action for action in ids}
        if len(self.actions) != len(ids):
            self._differ("two legal actions of the core have one text")
        if (state.player, state.phase, state.is_over) != (twin.player, twin.phase, twin.is_over):
            asked = f"core {state.player} {state.phase}, reference {twin.player} {twin.phase}"
            self._differ(f"player and phase: {asked}")
        legal = twin.legal()
        if self.actions.keys() != set(legal):
            only_core = sorted(set(self.actions) - set(legal))
            self._differ(
                f"legal only in the core: {only_core}; only in the reference: {sorted(set(legal) - set(self.actions))}"
            )
        core, reference = state.to_dict(), twin.to_dict()
        if core != reference:
            self._differ("dicts: " + "; ".join(dict_difference(core, reference)))
        number = len(self.played)
        if number % SCORES_EVERY == 0 or state.is_over:
            self.check_scores()
        if number % RETURN_EVERY == 0 or state.is_over:
            self._check_return(core)

    def check_scores(self) -> None:
        """The scoring so far and, when the game is over, its result."""
        if self.state.scores() != self.twin.scores():
            self._differ(f"scores: core {self.state.scores()}, reference {self.twin.scores()}")
        if self.state.is_over and self.state.result() != self.twin.result():
            self._differ(f"result: core {self.state.result()}, reference {self.twin.result()}")

    def _check_return(self, core: Json) -> None:
        try:
            back = hf.State.from_dict(self.rules, core)
        except hf.PositionError as refusal:
            self._differ(f"the core refuses its own position: {refusal}")
        if back != self.state:
            self._differ("the core comes back from its dict as another position")

    def play(self, text: str) -> None:
        """Play a legal action on both."""
        self.played.append(text)
        self.state.apply(self.actions[text])
        self.twin.apply(text)

    def _differ(self, what: str) -> NoReturn:
        start = json.dumps(self.start, ensure_ascii=False)
        raise DifferenceError(
            f"{what}\nafter {len(self.played)} actions; to see it again:\n"
            f"rules = {self.rules!r}\nstart = {start}\nactions = {json.dumps(self.played, ensure_ascii=False)}"
        )


def replay(rules: hf.Rules, start: Json, actions: list[str]) -> Match[Reference]:
    """The game of a difference once more, compared at every decision."""
    match: Match[Reference] = Match(rules, start)
    for text in actions:
        match.check()
        match.play(text)
    match.check()
    return match
