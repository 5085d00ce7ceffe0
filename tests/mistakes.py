"""Positions from play with a mistake in them, for the tables of what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import hansa_fast as hf
from tests.playing import Json, sample

Change = Callable[[Json], object]
Suits = Callable[[Json], bool]


def position(rules: hf.Rules, phase: str, suits: Suits = lambda _: True) -> Json:
    """The dict of a position from play: the first of this phase that suits."""
    for state in (rules.new(seed=1), *sample(rules)):
        if state.phase == phase and suits(state.to_dict()):
            return state.to_dict()
    raise AssertionError(f"no position of phase {phase} suits")


def set_at(*path: Any) -> Change:
    """Set the value at a path; the last entry is the value."""
    *keys, last, value = path

    def change(d: Json) -> None:
        box: Any = d
        for key in keys:
            box = box[key]
        box[last] = value

    return change


def delete(*path: Any) -> Change:
    *keys, last = path

    def change(d: Json) -> None:
        box: Any = d
        for key in keys:
            box = box[key]
        del box[last]

    return change


def both(*changes: Change) -> Change:
    def change(d: Json) -> None:
        for one in changes:
            one(d)

    return change


def add(path: tuple[Any, ...], number: int) -> Change:
    def change(d: Json) -> None:
        box: Any = d
        for key in path[:-1]:
            box = box[key]
        box[path[-1]] += number

    return change


def problems_of(rules: hf.Rules, d: Any) -> list[str]:
    """What is wrong with a position."""
    try:
        hf.State.from_dict(rules, d)
    except hf.PositionError as error:
        return error.problems
    return []


def check_named(rules: hf.Rules, phase: str, suits: Suits | None, change: Change, message: str) -> None:
    """A position is right; after the change its problems have the message (none if it is empty)."""
    d = position(rules, phase, suits or (lambda _: True))
    assert problems_of(rules, d) == []
    change(d)
    found = problems_of(rules, d)
    if message:
        assert any(message in problem for problem in found), found
    else:
        assert found == []  # a change that is allowed
