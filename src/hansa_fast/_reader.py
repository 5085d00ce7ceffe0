"""Reading of values that nobody has checked yet: positions, set-ups."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable
from typing import Any

from hansa_fast._errors import shown

MANY = 20  # mistakes, after which no more hints are given
MOST = 200  # entries of any part of a position


class Reader:
    """Reads untrusted values; collects what is wrong with them instead of stopping at the first mistake."""

    def __init__(self, seats: int) -> None:
        self.seats = seats
        self.wrong: list[str] = []

    def fail(self, where: str, message: str) -> None:
        where = "".join(letter if letter.isprintable() else "?" for letter in where[:120])
        self.wrong.append(f"{where}: {message}")

    def number(self, value: object, where: str, top: int) -> int:
        if type(value) is not int or not 0 <= value <= top:
            self.fail(where, f"must be a whole number from 0 to {top}, not {shown(value)}")
            return 0
        return value

    def flag(self, value: object, where: str) -> bool:
        if type(value) is not bool:
            self.fail(where, f"must be true or false, not {shown(value)}")
        return value is True

    def seat(self, value: object, where: str) -> int:
        return self.number(value, where, self.seats - 1)

    def name(self, value: object, names: Iterable[str], where: str, what: str) -> int:
        """Index of a name in a sequence of names; 0 after a mistake."""
        names = list(names)
        if type(value) is str and value in names:
            return names.index(value)
        near: list[str] = []
        if type(value) is str and len(self.wrong) < MANY:  # looking for the nearest name is slow
            near = difflib.get_close_matches(value[:80], names, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        self.fail(where, f"{shown(value)} is no {what}{hint}")
        return 0

    def table(self, value: object, where: str, keys: Collection[str] | None = None) -> dict[str, Any]:
        """A dict; with `keys`, exactly these must be there."""
        if type(value) is not dict or any(type(key) is not str for key in value):
            self.fail(where, f"must be an object with strings as keys, not {shown(value)}")
            return {}
        if len(value) > MOST:
            self.fail(where, f"has {len(value)} entries, which is more than any position needs")
            return {}
        if keys is not None:
            for key in keys:
                if key not in value:
                    self.fail(where, f"{key} is missing")
            for key in value:
                if key not in keys:
                    self.name(key, keys, where, "known key")
        return value

    def items(self, value: object, where: str, most: int) -> list[Any]:
        if type(value) is not list or len(value) > most:
            self.fail(where, f"must be a list of at most {most}, not {shown(value)}")
            return []
        return value
