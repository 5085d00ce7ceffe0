"""What every terminal view needs: colours, lines that wrap, a grid of characters, names of seats."""

import re
from collections.abc import Iterable, Sequence
from typing import Literal

from hansa_fast._draw_facts import player_name

TextLayout = Literal["auto", "map", "list"]

# Codes of the 256-colour palette: blue, orange, green, yellow, pink.
SEAT_COLOURS = (33, 208, 36, 226, 212)
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def paint(text: str, code: str, colour: bool) -> str:
    """Text with an escape code around it, if colours are wanted."""
    return f"\x1b[{code}m{text}\x1b[0m" if colour and code else text


def seat_code(seat: int) -> str:
    """The escape code of a seat's colour."""
    return f"1;38;5;{SEAT_COLOURS[seat % len(SEAT_COLOURS)]}"


def pad(text: str, width: int) -> str:
    """Text filled up to a visible width."""
    return text + " " * (width - len(ESCAPE.sub("", text)))


def wrap(fields: Iterable[str], width: int, indent: int, *, between: str = "   ") -> list[str]:
    """Fields in lines no wider than `width`, unless a single field is."""
    lines: list[str] = []
    for field in fields:
        longer = f"{lines[-1]}{between}{field}" if lines else ""
        if lines and len(ESCAPE.sub("", longer)) <= width:
            lines[-1] = longer
        else:
            lines.append(" " * indent + field)
    return lines


def seat_label(seat: int, names: Sequence[str] | None, colour: bool) -> str:
    """A seat's number, with its name if it has one, in its colour."""
    return paint(seat_text(seat, names), seat_code(seat), colour)


def seat_text(seat: int, names: Sequence[str] | None) -> str:
    """A seat's number, with its name if it has one."""
    return f"{seat} {player_name(seat, names)}" if names is not None and seat < len(names) else f"seat {seat}"


class Grid:
    """Characters on a grid, each with the escape code of its colour."""

    def __init__(self, rows: int, columns: int) -> None:
        """An empty grid."""
        self.rows, self.columns = rows, columns
        self.cells: dict[tuple[int, int], tuple[str, str]] = {}

    def write(self, row: int, column: int, text: str, code: str = "") -> None:
        """Write a text; what would stand outside is cut off."""
        for number, character in enumerate(text):
            if 0 <= row < self.rows and 0 <= column + number < self.columns:
                self.cells[row, column + number] = (character, code)

    def lines(self, colour: bool) -> list[str]:
        """The lines without trailing blanks."""
        lines = []
        for row in range(self.rows):
            line, run, code = "", "", ""
            for column in range(self.columns):
                character, next_code = self.cells.get((row, column), (" ", ""))
                if next_code != code:
                    line, run, code = line + paint(run, code, colour), "", next_code
                run += character
            lines.append((line + paint(run, code, colour)).rstrip())
        return lines
