"""What can go wrong at the command line, and the exit code each of it has."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from enum import IntEnum

from hansa_fast import HansaError, HiddenError, RulesError, SearchError


class ExitCode(IntEnum):
    """What the command tells the program that called it; documented in docs/cli.md."""

    OK = 0
    WRONG = 1  # a check was made and failed
    USAGE = 2  # the command was called wrongly
    UNREADABLE = 3  # a file cannot be read or written, or what it holds is no record and no position
    REFUSED = 4  # the server cannot be reached, or refused what was asked for
    NOT_BETTER = 10  # `hansa test`: the bot is not better
    INCONCLUSIVE = 11  # `hansa test`: the budget was spent before there was an answer
    FAULT = 12  # `hansa test`: the games could not be played, and not because of a bot
    INTERRUPTED = 130  # Ctrl-C
    CLOSED = 141  # whoever read the output closed it


class CliError(Exception):
    """A mistake of the user, told without a traceback."""

    def __init__(self, message: str, *, hint: str = "", code: ExitCode = ExitCode.USAGE) -> None:
        """What is wrong, what may help, and the exit code."""
        super().__init__(message)
        self.hint = hint
        self.code = code


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint with the nearest of the known words; empty if none is near."""
    lower = {name.casefold(): name for name in known}
    near = difflib.get_close_matches(word.casefold(), lower, 1)
    return f"did you mean {lower[near[0]]}?" if near else ""


def exit_code_of(error: HansaError) -> ExitCode:
    """The exit code of an error of the package that no command turned into a better one."""
    return ExitCode.USAGE if isinstance(error, RulesError | HiddenError | SearchError) else ExitCode.UNREADABLE
