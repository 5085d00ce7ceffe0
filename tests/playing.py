"""Positions from play for tests that need many different ones: every row of what can be played, every phase."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import hansa_fast as hf
from tests.rows import row_name

Json = dict[str, Any]

TURNS = 2_000  # no game of the walks below lasts so long; a broken one ends here


def walk_step(state: hf.State, rng: random.Random) -> int:
    """An action of a policy that both finishes games and visits rare decisions.

    Half of the steps are greedy; the others choose the kind of action first (the verb, and the marker to use), so that
    one `use` weighs as much as a hundred places.
    """
    if rng.random() < 0.5:
        return state.choose(rng.getrandbits(64), "greedy")
    kinds: dict[str, list[int]] = {}
    for action in state.legal_actions():
        verb, _, rest = state.describe(action).partition(" ")
        kinds.setdefault(f"{verb} {rest.split()[0]}" if verb == "use" else verb, []).append(action)
    if len(kinds) > 1 and rng.random() < 0.7:
        kinds.pop("end", None)
    if "favour" in kinds and rng.random() < 0.5:
        return rng.choice(kinds["favour"])
    return rng.choice(kinds[rng.choice(sorted(kinds))])


def walk(rules: hf.Rules, seed: int, steps: int | None = None) -> Iterator[hf.State]:
    """The positions of one game from the set-up on, the last one included; each is a copy."""
    rng = random.Random(seed)
    state = rules.new(seed)
    count = 0
    yield state.copy()
    while not state.is_over and state.turn < TURNS and (steps is None or count < steps):
        state.apply(walk_step(state, rng))
        count += 1
        yield state.copy()


def expected_phases(rules: hf.Rules) -> set[str]:
    """All phases a game of these rules can come to."""
    if rules.game == "hansa":
        return {"place", "replenish", "main", "sell", "lose", "give", "over"}
    out = {"main", "pay", "answer", "answer-to", "lift", "set", "put-marker", "marker-route", "over"}
    if rules.edition == "2009":
        out.add("remove")
    if rules.players == 2:
        out.add("pawn")
    if rules.favours:
        out |= {"flip", "favour-income"}
    if rules.board == "east":
        out |= {"develop-privilege", "green-office", "place-two"}
    if rules.board.startswith("britannia"):
        out.add("place-two")
    return out


@cache
def sample(rules: hf.Rules, each: int = 4) -> tuple[hf.State, ...]:
    """Positions of every phase, from games that are the same in every run; later games fill up what is rare."""
    rng = random.Random(row_name(rules))
    kept: dict[str, list[hf.State]] = {phase: [] for phase in sorted(expected_phases(rules))}
    seen: Counter[str] = Counter()
    for seed in range(60):
        for state in walk(rules, seed):
            phase = state.phase
            seen[phase] += 1
            if len(kept[phase]) < each:
                kept[phase].append(state)
            elif (place := rng.randrange(seen[phase])) < each:  # every position of a phase is equally likely
                kept[phase][place] = state
        if seed >= 3 and all(len(states) == each for states in kept.values()):
            break
    return tuple(state for states in kept.values() for state in states)
