"""Where a position comes from: a game record or a JSON file; see docs/cli.md."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import hansa_fast as hf
from hansa_fast.cli.errors import CliError, ExitCode, did_you_mean

KEYS = ("rules", "state", "names")


@dataclass(frozen=True)
class Source:
    """What a file holds: a position, and the whole game if the file is a record."""

    path: str
    state: hf.State
    game: hf.Game | None
    names: tuple[str, ...] | None

    def need_game(self) -> hf.Game:
        """The game, or an error that says that a position has none."""
        if self.game is None:
            raise CliError(
                f"{self.path}: is a position, but a record is needed",
                hint="a position does not tell how it came about; `hansa play --save` and `hansa new` write records",
            )
        return self.game

    def at(self, number: int | None) -> hf.State:
        """The position after so many actions; None is the last one."""
        if number is None:
            return self.state
        game = self.need_game()
        if not 0 <= number <= len(game):
            raise CliError(f"{self.path}: has {len(game)} actions, so there is no position {number}")
        return game.state_at(number)


def seat_names(tags: Mapping[str, str], players: int) -> tuple[str, ...] | None:
    """The names of the seats in a record's tags, None if there are none."""
    if not any(f"Seat {seat}" in tags for seat in range(players)):
        return None
    return tuple(tags.get(f"Seat {seat}", "?") for seat in range(players))


def position_dict(state: hf.State, names: Sequence[str] | None = None) -> dict[str, Any]:
    """A position with its rules as plain JSON values: the form that `read_source` reads."""
    value: dict[str, Any] = {"rules": state.rules.to_dict(), "state": state.to_dict()}
    return value if names is None else {**value, "names": list(names)}


def read_text(path: str) -> str:
    """The text of a file; `-` is the standard input."""
    try:
        if path == "-":
            return sys.stdin.read()
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        raise _unreadable(path, "no such file", _near_file(path)) from None
    except UnicodeDecodeError as error:
        raise _unreadable(path, f"is not text in UTF-8 (byte {error.start})") from None
    except OSError as error:
        raise _unreadable(path, f"cannot be read: {error.strerror}") from None


def read_source(path: str) -> Source:
    """The position or game in a file."""
    text = read_text(path)
    if not text.strip():
        raise _unreadable(path, "is empty", "`hansa new` writes a new game")
    return _read_position(path, text) if text.lstrip().startswith("{") else _read_record(path, text)


def _read_record(path: str, text: str) -> Source:
    try:
        game = hf.Game.from_text(text)
    except hf.RecordError as error:
        raise _unreadable(path, str(error), f"`hansa record check {path}` says more") from None
    return Source(path, game.state, game, seat_names(game.tags, game.rules.players))


def _read_position(path: str, text: str) -> Source:
    try:
        value = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise _unreadable(path, f"is not JSON: {error}") from None
    if not isinstance(value, dict) or "state" not in value:
        raise _unreadable(path, "is JSON but no position", 'a position is {"rules": {...}, "state": {...}}')
    for key in value:
        if key not in KEYS:
            raise _unreadable(path, f"{key!r} is none of {', '.join(KEYS)}", did_you_mean(key, KEYS))
    rules = _rules_of(path, value.get("rules", {}))
    names = value.get("names")
    if names is not None and not (
        isinstance(names, list) and len(names) == rules.players and all(isinstance(name, str) for name in names)
    ):
        raise _unreadable(path, f"names: must be {rules.players} texts")
    try:
        state = hf.State.from_dict(rules, value["state"])
    except hf.PositionError as error:
        raise _unreadable(path, "is no possible position:\n" + "\n".join(f"  {p}" for p in error.problems)) from None
    return Source(path, state, None, None if names is None else tuple(names))


def _rules_of(path: str, value: Any) -> hf.Rules:
    options = hf.Rules().to_dict()
    if not isinstance(value, dict):
        raise _unreadable(path, "rules: must be an object")
    for key in value:
        if key not in options:
            raise _unreadable(path, f"rules: {key!r} is none of {', '.join(options)}", did_you_mean(key, options))
    try:
        return hf.Rules(**value)
    except hf.RulesError as error:
        raise _unreadable(path, f"rules: {error}") from None


def _unreadable(path: str, problem: str, hint: str = "") -> CliError:
    return CliError(f"{'the input' if path == '-' else path}: {problem}", hint=hint, code=ExitCode.UNREADABLE)


def _near_file(path: str) -> str:
    folder = os.path.dirname(path)
    try:
        near = did_you_mean(os.path.basename(path), os.listdir(folder or "."))
    except OSError:
        return f"there is no folder {folder}"
    return near.replace("mean ", f"mean {folder}{os.sep}", 1) if near and folder else near
