"""The only door to the terminal: results go to stdout, everything else to stderr."""

from __future__ import annotations

import errno
import io
import json
import os
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, Protocol

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from hansa_fast.cli.errors import CliError, ExitCode

WIDTH_WITHOUT_TERMINAL = 100


def write(text: str, end: str = "\n") -> None:
    """Write a result. When the reader has gone the program ends quietly."""
    try:
        sys.stdout.write(text + end)
        sys.stdout.flush()
    except OSError as error:
        if error.errno not in (errno.EPIPE, errno.EINVAL):  # the second is how Windows says it
            raise
        # What is still in the buffer must not raise again when the interpreter closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(ExitCode.CLOSED) from None


def write_json(value: Any) -> None:
    """Write a result for programs: one JSON value."""
    write(json.dumps(value, ensure_ascii=False, indent=2))


def write_line_json(value: Any) -> None:
    """Write one of many results for programs: a line of JSON."""
    write(json.dumps(value, ensure_ascii=False))


def note(text: str) -> None:
    """Say something that is not part of the result."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def save_text(path: str, text: str) -> None:
    """Write a file, or say why that is not possible. `-` is stdout."""
    if path == "-":
        write(text, end="")
        return
    try:
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise CliError(f"{path}: cannot be written: {error.strerror}", code=ExitCode.UNREADABLE) from None


def want_colour(colour: bool | None) -> bool:
    """Whether to write colours: as asked for, or if a person at a terminal would see them."""
    if colour is not None:
        return colour
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and sys.stdout.isatty()


def terminal_width() -> int:
    """How many characters fit into a line."""
    if not sys.stdout.isatty() and "COLUMNS" not in os.environ:
        return WIDTH_WITHOUT_TERMINAL
    return shutil.get_terminal_size((WIDTH_WITHOUT_TERMINAL, 24)).columns


def paint(text: str, code: str, colour: bool) -> str:
    """Text in a colour, if colours are wanted."""
    return f"\x1b[{code}m{text}\x1b[0m" if colour else text


def table(columns: Sequence[str], rows: Sequence[Sequence[object]], *, colour: bool, title: str = "") -> str:
    """A table as text, all of it printable. A column name that starts with `>` has its values on the right."""
    grid = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for column in columns:
        justify: Literal["left", "right"] = "right" if column.startswith(">") else "left"
        grid.add_column(printable(column.removeprefix(">")), justify=justify, no_wrap=True)
    for row in rows:
        grid.add_row(*(printable(str(cell)) for cell in row))
    text = io.StringIO()
    console = Console(
        file=text,
        width=max(terminal_width(), 200),  # a line that is too long is for the terminal to wrap
        force_terminal=colour,
        color_system="standard" if colour else None,
        highlight=False,
        markup=False,
        emoji=False,
    )
    console.print(grid)
    lines = [line.rstrip() for line in text.getvalue().splitlines()]
    # The table would break a title that is wider than itself.
    return "\n".join([*([paint(printable(title), "3", colour)] if title else []), *lines])


def columns(entries: Sequence[str], width: int, indent: int = 2) -> str:
    """Short texts in as many columns as fit, read from top to bottom."""
    widest = max(map(len, entries), default=0) + 2
    across = max(1, (width - indent) // widest)
    rows = -(-len(entries) // across)
    lines = []
    for row in range(rows):
        line = "".join(entry.ljust(widest) for entry in entries[row::rows])
        lines.append(" " * indent + line.rstrip())
    return "\n".join(lines)


def printable(text: str) -> str:
    """Text from outside without what would move the cursor or change colours."""
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text)


def printable_lines(text: str) -> str:
    """The same of a text with several lines, which it keeps, and its tabs."""
    return "".join(sign if sign in "\n\t" else printable(sign) for sign in text)


def figure(value: float) -> str:
    """A measured value with as many digits as mean something."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


class Advance(Protocol):
    """Tells how far a long work is."""

    def __call__(self, done: int, label: str | None = None, total: int | None = None) -> None:
        """So many steps are done, of those announced or of a new total; the label says what is going on."""


@contextmanager
def progress(label: str, total: int) -> Iterator[Advance]:
    """A bar with the time left on stderr, for people only: without a terminal nothing is written."""
    console = Console(stderr=True)
    parts = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*parts, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(label, total=total)

        shown = 0.0

        def advance(done: int, label: str | None = None, total: int | None = None) -> None:
            nonlocal shown
            if (now := time.monotonic()) - shown > 0.1:  # a call costs next to nothing, whatever is counted
                bar.update(task, completed=done, description=label, total=total)
                shown = now

        yield advance
