"""How a tournament is shown while it runs: a table that renews itself, or plain lines where nobody looks."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from hansa_fast.cli import output

STATES = {1: "created", 2: "running", 3: "paused", 4: "finished", 5: "stopped"}
OVER = ("finished", "stopped")
LINE_EVERY = 10.0  # seconds between plain lines
MOST_LINES = 12  # of a pool in the live display


class Show(Protocol):
    """Shows how a tournament is."""

    def __call__(self, message: Any) -> None:
        """It is so now: a WatchTournamentResponse."""


@contextmanager
def live(*, quiet: bool = False) -> Iterator[Show]:
    """A display on the error output: for people a table, otherwise a line now and then."""
    console = Console(stderr=True)
    if quiet:
        yield lambda _: None
    elif console.is_terminal:
        with Live(console=console, refresh_per_second=4, transient=True) as display:
            yield lambda message: display.update(_picture(message))
    else:
        yield _Lines()


class _Lines:
    """A plain line at the beginning, now and then, and at the end."""

    def __init__(self) -> None:
        self._last = 0.0
        self._state = 0
        self._problem = ""

    def __call__(self, message: Any) -> None:
        tournament = message.tournament
        now = time.monotonic()
        news = (tournament.state, tournament.problem) != (self._state, self._problem)
        if news or now - self._last >= LINE_EVERY:
            self._last, self._state, self._problem = now, tournament.state, tournament.problem
            output.note(f"{tournament.name}: {headline(tournament)}")


def headline(tournament: Any) -> str:
    """A tournament in a line: how far it is, how fast, how long it takes, what went wrong."""
    state = STATES.get(tournament.state, "?")
    games = f"{tournament.games_finished:,}"
    if tournament.HasField("games_expected") and state not in OVER:
        games += f" of {tournament.games_expected:,}"
    parts = [state, f"{games} games"]
    if state not in OVER:
        parts += _pace(tournament)
    if tournament.forfeits:
        parts.append("forfeits: " + ", ".join(f"{count} {why}" for why, count in sorted(tournament.forfeits.items())))
    if tournament.blocks_void:
        parts.append(f"{tournament.blocks_void} blocks void")
    if tournament.problem:
        parts.append(output.printable(tournament.problem))
    return ", ".join(parts)


def _pace(tournament: Any) -> list[str]:
    """How fast it goes, and how long it takes."""
    parts = []
    if tournament.games_running:
        parts.append(f"{tournament.games_running} running")
    if tournament.decisions_per_second:
        parts.append(f"{tournament.decisions_per_second:,.0f} decisions/s")
    if tournament.HasField("time_left_high"):
        ends = (tournament.time_left_low, tournament.time_left_high)
        low, high = (duration(value.ToTimedelta().total_seconds()) for value in ends)
        parts.append(f"{low} left" if low == high else f"{low} to {high} left")
    return parts


def duration(seconds: float) -> str:
    """A time as people say it.

    >>> duration(4.2), duration(75), duration(7300)
    ('4 s', '1 min 15 s', '2 h 2 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


HEADS = ("place", "bot", "rating", "error", "places", "first", "ladder", "games", "firsts", "forfeits")


def standing_cells(line: Any) -> list[str]:
    """A line of the standings, as `HEADS` names its cells."""
    rated = line.HasField("rating")
    low, high = (line.places[0], line.places[-1]) if line.places else (0, 0)
    bot = output.printable(line.bot) + (f" v{output.printable(line.version)}" if line.version else "")
    bot += " (withdrawn)" if line.withdrawn else ""
    return [
        str(line.place),
        bot,
        f"{line.rating:.0f}{'*' if line.provisional else ''}" if rated else "-",
        (f"± {line.error:.0f}" if line.HasField("error") else "± ?") if rated else "-",
        (f"{low}" if low == high else f"{low}-{high}") if rated else "-",
        f"{100 * line.first_chance:.0f} %" if rated else "-",
        f"{line.ladder:.0f}",
        f"{line.games:,}",
        f"{line.firsts:,}",
        str(line.forfeits),
    ]


def _picture(message: Any) -> Group:
    """What is on the screen: the headline, a bar, and the standings with error bars."""
    tournament = message.tournament
    parts: list[Any] = [Text(f"{tournament.name}: {headline(tournament)}", style="bold")]
    if tournament.HasField("games_expected") and tournament.games_expected:
        parts.append(ProgressBar(total=tournament.games_expected, completed=tournament.games_finished, width=60))
    for pool in message.standings:
        grid = Table(title=pool.pool, title_justify="left", box=None, pad_edge=False, padding=(0, 2, 0, 0))
        for head in (*HEADS, ""):
            grid.add_column(head, justify="left" if head in ("bot", "") else "right", no_wrap=True)
        shown = pool.lines[:MOST_LINES]
        for line in shown:
            grid.add_row(*standing_cells(line), _whisker(line, pool.lines))
        if len(pool.lines) > len(shown):
            grid.add_row("", f"and {len(pool.lines) - len(shown)} more")
        parts.append(grid)
    return Group(*parts)


def _whisker(line: Any, lines: Any, width: int = 24) -> str:
    """The rating with its interval, drawn among all others."""
    rated = [other for other in lines if other.HasField("rating") and other.HasField("error")]
    if not rated or not line.HasField("rating") or not line.HasField("error"):
        return ""
    low = min(other.rating - other.error for other in rated)
    high = max(other.rating + other.error for other in rated)

    def at(value: float) -> int:
        return int(round((value - low) / max(high - low, 1.0) * (width - 1)))  # noqa: RUF046

    begin, middle, end = at(line.rating - line.error), at(line.rating), at(line.rating + line.error)
    cells = [" "] * width
    cells[begin : end + 1] = ["─"] * (end + 1 - begin)
    cells[middle] = "●"
    return "".join(cells)
