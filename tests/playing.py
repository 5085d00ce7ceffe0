"""Positions from play for tests that need many different ones: every row of what can be played, every phase."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import hansa_fast as hf
from tests.rows import row_name, rules_of

Json = dict[str, Any]

RULES = rules_of("teutonica")
BOARDS = tuple(dict.fromkeys(rules.board for rules in RULES))

DESK = {"keys": 4, "actions": 5, "privilege": 3, "book": 3, "bank": 3}
WHOLE = {"trader": 26, "merchant": 4}  # without the score marker
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


def hand_pieces(d: Json) -> list[str]:
    """Pieces in hand, which are neither on the board nor on a desk."""
    pending = d["pending"] or {}
    out = []
    if d["phase"] == "set":
        out.append(pending["hand"])
    if d["phase"] in ("answer", "answer-to") and pending["down"] is None:
        out.append(f"{pending['shape']} {d['player']}")
    if d["phase"] == "answer-to":
        out.append(f"{pending['hand']} {d['player']}")
    return out


def board_pieces(d: Json) -> list[str]:
    """All pieces on posts, in offices and on spaces of prestige."""
    rows: list[Iterable[str | None]] = [d["posts"].values()]
    for key in ("offices", "extra", "green"):
        rows += d[key].values()
    out = [piece for row in rows for piece in row if piece is not None]
    return out + [f"merchant {seat}" for seat in d["prestige"].values()]


def count_pieces(d: Json, seat: int) -> dict[str, int]:
    """All pieces of a seat by shape, counted from the canonical dict alone."""
    player = d["players"][seat]
    total = Counter({shape: player["supply"][shape + "s"] + player["stock"][shape + "s"] for shape in WHOLE})
    for ability, size in DESK.items():
        total["merchant" if ability == "book" else "trader"] += size - player["abilities"][ability]
    for piece in board_pieces(d) + hand_pieces(d):
        shape, owner = piece.split()
        total[shape] += owner == str(seat)
    return dict(total)


def count_markers(d: Json) -> Counter[str]:
    """All markers by kind, counted from the canonical dict alone; hidden ones as `hidden`."""
    total = Counter(d["markers"].values()) + Counter(d["pile"]) + Counter(d["plate"])
    for player in d["players"]:
        for key in ("markers", "used", "plate"):
            total.update(player[key])
    return total
