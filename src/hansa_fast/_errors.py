"""All errors the package raises on purpose.

HansaError (ValueError)
├── RulesError            options that do not go together, or a set-up that does not fit them
├── BoardError            a board file that cannot be played on
├── PositionError         a position that cannot occur; `.problems` names every inconsistency
├── IllegalActionError    an action that is not legal here; the state is untouched
├── ActionTextError       a text that names no action
├── HiddenError           a view was asked for something its player cannot know
├── RecordError           a game record that cannot be read or replayed
└── SearchError           settings of a search that make no sense
"""

from __future__ import annotations

import reprlib

__all__ = [
    "ActionTextError",
    "BoardError",
    "HansaError",
    "HiddenError",
    "IllegalActionError",
    "PositionError",
    "RecordError",
    "RulesError",
    "SearchError",
]


class HansaError(ValueError):
    """Base of all errors of this package."""


class RulesError(HansaError):
    """Options that do not go together; the message says what would be allowed."""


class BoardError(HansaError):
    """A board file that cannot be played on; the message names the entry."""


class PositionError(HansaError):
    """A position that cannot occur in a game. `problems` names every inconsistency found."""

    def __init__(self, problems: list[str] | str) -> None:
        self.problems = [problems] if isinstance(problems, str) else list(problems)
        super().__init__("; ".join(self.problems))

    def __reduce__(self) -> tuple[type[PositionError], tuple[list[str]]]:
        return (PositionError, (self.problems,))


class IllegalActionError(HansaError):
    """An action that is not legal in this position. The state was not changed."""


class ActionTextError(HansaError):
    """A text that names no action; the message holds the nearest texts that do."""


class HiddenError(HansaError):
    """A view cannot go on because the next step depends on something hidden from its player."""


class RecordError(HansaError):
    """A game record that cannot be read or replayed. `line` is the line number, counted from 1, if known."""

    def __init__(self, message: str, line: int | None = None) -> None:
        self.line = line
        super().__init__(message if line is None else f"line {line}: {message}")


class SearchError(HansaError):
    """Settings of a search that make no sense; the message says what would."""


class _Short(reprlib.Repr):
    """Reprs for messages: a line at most, and never an error of their own (a huge int has no repr)."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 2
        self.maxstring = self.maxother = 80

    def repr_int(self, x: int, level: int) -> str:  # noqa: ARG002 (the name is that of the base class)
        return repr(x) if x.bit_length() <= 128 else f"a number of {x.bit_length()} bits"


_short = _Short()


def shown(value: object) -> str:
    """An untrusted value as it appears in a message."""
    return _short.repr(value)
