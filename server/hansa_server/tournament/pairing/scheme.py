"""What a pairing scheme is: it is told who is in and how blocks came out, and says which blocks come next.

A scheme is free of stores and clocks. What it says follows from what it was told and in which order, so that after a
restart it is told everything again and stands where it stood.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from hansa_server.tournament.block import GameResult, Pairing


@dataclass(frozen=True)
class Setting:
    """A setting of a format, as the table [format] of an event file has it."""

    name: str
    default: Any  # its type is the type of the setting; a type instead of a value means that it has to be given
    meaning: str
    allowed: Callable[[Any], bool] | None = None
    wanted: str = ""  # what is allowed, in words


@dataclass(frozen=True)
class Setup:
    """What a scheme may know of its event."""

    players: tuple[int, ...]  # seats at each table of the event
    settings: Mapping[str, Any]  # all of them
    draw: Callable[[str], int]  # the same number for the same words, and nobody can foretell it


class Scheme(ABC):
    """A pairing scheme. Bots are entered before anything else, and may come and go later if the scheme allows it."""

    NAME: ClassVar[str]
    MEANING: ClassVar[str]
    SETTINGS: ClassVar[tuple[Setting, ...]] = ()
    IN_ORDER: ClassVar[bool] = True  # results are told in the order of the blocks, not as they come in
    OPEN: ClassVar[bool] = True  # bots may still enter once blocks have been made

    def __init__(self, setup: Setup) -> None:
        self.setup = setup

    @classmethod
    def problems(cls, setup: Setup, bots: Sequence[str]) -> list[tuple[str, str]]:
        """What is wrong with an event of this format: the place in the event file, and what is wrong there."""
        del setup, bots
        return []

    @abstractmethod
    def enter(self, bot: str) -> None:
        """A bot takes part from now on."""

    @abstractmethod
    def withdraw(self, bot: str) -> None:
        """A bot gets no further blocks. Those of its blocks that had not begun are `ended` without a result."""

    @abstractmethod
    def more(self, wanted: int) -> list[Pairing]:
        """Blocks to be played next. About `wanted` are enough; a round may come as a whole. None while results are
        waited for. The caller notes each with `made`, in this order."""

    @abstractmethod
    def made(self, number: int, pairing: Pairing) -> None:
        """A block was put on the schedule under this number; numbers are consecutive from 0."""

    @abstractmethod
    def ended(self, number: int, games: Sequence[GameResult] | None) -> None:
        """A block was played to its end; or (None) it never will be."""

    def voided(self, number: int) -> None:  # noqa: B027
        """An attempt at a block was spoilt by the host; it is played anew."""

    @property
    @abstractmethod
    def is_over(self) -> bool:
        """Whether nothing more will come: the result stands."""

    @abstractmethod
    def games_expected(self) -> int | None:
        """How many games there will be in all, as far as can be said now; None if there is no end to it."""

    def outcome(self) -> dict[str, Any]:
        """What the format itself says about the result, such as places of a knockout: plain values."""
        return {}
