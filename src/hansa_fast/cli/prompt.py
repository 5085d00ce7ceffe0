"""Asking a person, or a pipe that plays one."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from hansa_fast.cli import output

try:
    import readline
except ImportError:  # Windows has none; lines are then typed without history and completion
    readline = None  # type: ignore[assignment]


def ask(prompt: str, texts: Sequence[str] = ()) -> str | None:
    """A line of input without blanks around it; None at its end.

    At a terminal the tab key completes to one of the texts. What came through a pipe is repeated in the output.
    """
    if sys.stdin.isatty() and sys.stdout.isatty():
        _complete_with(texts)
        try:
            return input(prompt).strip()
        except EOFError:
            output.write("")
            return None
    output.write(prompt, end="")
    line = sys.stdin.readline()
    output.write(line.strip())
    return line.strip() if line else None


def _complete_with(texts: Sequence[str]) -> None:
    """Let the tab key complete a whole line to one of these texts."""
    if readline is None:
        return

    def complete(typed: str, number: int) -> str | None:
        found = [text for text in texts if text.casefold().startswith(typed.casefold())]
        return found[number] if number < len(found) else None

    readline.set_completer(complete)
    readline.set_completer_delims("")
    readline.parse_and_bind("bind ^I rl_complete" if "libedit" in (readline.__doc__ or "") else "tab: complete")
