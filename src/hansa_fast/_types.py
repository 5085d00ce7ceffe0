"""Names for the dicts the package hands out, for type checkers and readers."""

from __future__ import annotations

from typing import TypedDict

__all__ = ["Playouts", "Result"]


class Result(TypedDict):
    """The final table of a game; lists are by seat, but for the reasons and the winners."""

    reasons: list[str]  # why the game is over
    scores: list[dict[str, int]]  # every scoring category, and "total"
    ranks: list[int]  # from 1; equal ranks are shared
    winners: list[int]  # seats of rank 1


class Playouts(TypedDict):
    """What many playouts came to; lists are by seat."""

    playouts: int
    decisions: int
    mean_score: list[float]
    mean_rank: list[float]
    win_share: list[float]  # a shared win counts in parts
