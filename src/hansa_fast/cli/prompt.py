"""Asking a person, or a pipe that plays one."""

from __future__ import annotations

import sys

from hansa_fast.cli import output


def ask(prompt: str) -> str | None:
    """A line of input without blanks around it; None at its end. What came through a pipe is repeated in the output."""
    if sys.stdin.isatty() and sys.stdout.isatty():
        try:
            return input(prompt).strip()
        except EOFError:
            output.write("")
            return None
    output.write(prompt, end="")
    line = sys.stdin.readline()
    output.write(line.strip())
    return line.strip() if line else None
