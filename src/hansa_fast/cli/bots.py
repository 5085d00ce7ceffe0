"""The local bots of the demo: small, seeded, and of clearly different strength."""

from __future__ import annotations

from collections.abc import Callable

import hansa_fast as hf

Bot = Callable[[hf.State, int], int]  # position and seed to an action

CANDIDATES = 16
PLAYOUTS = 8


def greedy(state: hf.State, seed: int) -> int:
    """Finishes routes as soon as it can."""
    return state.choose(seed, "greedy")


def random(state: hf.State, seed: int) -> int:
    """Any legal action, all alike."""
    return state.choose(seed, "uniform")


def wavering(state: hf.State, seed: int) -> int:
    """Greedy every other time, by chance; otherwise random."""
    return greedy(state, seed) if _mix(seed) & 1 else random(state, seed)


def playouts(state: hf.State, seed: int) -> int:
    """Tries some actions, plays each out a few times from what its seat knows, and takes the best margin."""
    me = state.player
    known = state.redeal(me, seed)
    actions = state.legal_actions()
    if len(actions) > CANDIDATES:
        policies = (greedy, random)
        actions = list(dict.fromkeys(policies[i % 2](state, _mix(seed + i)) for i in range(CANDIDATES)))
    return max(actions, key=lambda action: _margin(known, action, me, seed))


def _margin(state: hf.State, action: int, me: int, seed: int) -> float:
    """How far ahead of the best other seat an action leads on average."""
    child = state.copy()
    child.apply(action)
    if child.is_over:
        points = [float(score["total"]) for score in child.scores()]
    else:
        points = hf.playouts(child, PLAYOUTS, seed, policy="greedy")["mean_score"]
    return points[me] - max(value for seat, value in enumerate(points) if seat != me)


def _mix(seed: int) -> int:
    """Another number out of this one, without a pattern."""
    value = (seed + 0x9E3779B97F4A7C15) * 0xBF58476D1CE4E5B9 % 2**64
    return (value ^ (value >> 31)) * 0x94D049BB133111EB % 2**64 >> 3


BOTS: dict[str, Bot] = {"playouts": playouts, "greedy": greedy, "wavering": wavering, "random": random}
