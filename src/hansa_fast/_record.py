"""Game records: rules, seed and actions, as an object and as a small text file (docs/formats.md)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from os import PathLike
from pathlib import Path
from typing import Any

from hansa_fast._errors import HansaError, RecordError, shown
from hansa_fast._rules import Rules
from hansa_fast._state import State

FORMAT = "hansa record 1"
OPTION_TAGS = {field.name.replace("_", " ").capitalize(): field.name for field in fields(Rules)}  # "Turn limit"
RESULT_TAGS = ("Reasons", "Totals", "Ranks")
OWN_TAGS = ("Format", *OPTION_TAGS, "Seed", "Setup", *RESULT_TAGS)

TAG_LINE = re.compile(r'\[([^"\[\]\x00-\x1f\x85\u2028\u2029]+) ("(?:[^"\\]|\\.)*")\]')
TURN_LINE = re.compile(r"(\d{1,10})\. (.+)")
DECISION = re.compile(r"(?:@(\d) )?(.+)")


class Game:
    """A game as it was played: rules, seed (and set-up), free tags, and every action.

    >>> game = Game(Rules(players=3), seed=7, tags={"Seat 0": "anna"})
    >>> game.play("place trader Arnheim-Duisburg 1")
    0
    >>> print(game.to_text().splitlines()[-1])
    1. @0 place trader Arnheim-Duisburg 1
    """

    def __init__(
        self,
        rules: Rules,
        seed: int = 0,
        setup: Mapping[str, Any] | None = None,
        tags: Mapping[str, str] | None = None,
    ) -> None:
        self.rules = rules
        self.seed = seed
        self.setup: dict[str, Any] | None = None if setup is None else json.loads(json.dumps(dict(setup)))
        self.tags: dict[str, str] = {}
        for name, value in (tags or {}).items():
            self.set_tag(name, value)
        self._actions: list[int] = []
        self._state = rules.new(seed, self.setup)

    def __len__(self) -> int:
        return len(self._actions)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        mine = (self.rules, self.seed, self.setup, self.tags, self._actions)
        return mine == (other.rules, other.seed, other.setup, other.tags, other._actions)

    __hash__ = None  # type: ignore[assignment]  # it changes as it is played

    def __repr__(self) -> str:
        return f"<Game {self.rules.game} {self.rules.board}, seed {self.seed}, {len(self)} actions>"

    @property
    def actions(self) -> tuple[int, ...]:
        """The ids of all actions so far."""
        return tuple(self._actions)

    @property
    def state(self) -> State:
        """The position now, as a copy."""
        return self._state.copy()

    def set_tag(self, name: str, value: str) -> None:
        """Write a free tag into the header, such as who sat where."""
        if name in OWN_TAGS or not name.strip() or name != name.strip() or not TAG_LINE.fullmatch(f'[{name} ""]'):
            raise RecordError(f"tag {shown(name)}: the name is taken by the format or cannot be written")
        value = str(value)
        if any("\ud800" <= letter <= "\udfff" for letter in name + value):
            raise RecordError(f"tag {shown(name)}: {shown(value)} is no Unicode text and cannot be written")
        self.tags[name] = value

    def play(self, action: int | str) -> int:
        """Play an action, given by its id or its text; returns the id. A refused one changes nothing."""
        number = self._state.parse(action) if isinstance(action, str) else action
        self._state.apply(number)
        self._actions.append(number)
        return number

    def undo(self) -> int:
        """Take the last action back; returns its id."""
        if not self._actions:
            raise RecordError("there is nothing to undo")
        self._state = self.state_at(len(self) - 1)
        return self._actions.pop()

    def state_at(self, count: int) -> State:
        """The position after `count` actions."""
        if not 0 <= count <= len(self):
            raise RecordError(f"the game has {len(self)} actions; there is no position after {count}")
        state = self.rules.new(self.seed, self.setup)
        for action in self._actions[:count]:
            state.apply(action)
        return state

    def steps(self) -> Iterator[tuple[State, int, str]]:
        """Replay: the position before each action (a copy), the action, and its text."""
        state = self.rules.new(self.seed, self.setup)
        for action in self.actions:
            yield state.copy(), action, state.describe(action)
            state.apply(action)

    # -- Text ----------------------------------------------------------------------------------------------------

    def to_text(self) -> str:
        """The record as text: header tags, an empty line, one line a turn."""
        header = {"Format": FORMAT}
        options = self.rules.to_dict()
        for tag, name in OPTION_TAGS.items():
            if options[name] is not None:
                header[tag] = {True: "yes", False: "no"}.get(options[name], str(options[name]))
        header["Seed"] = str(self.seed)
        if self.setup is not None:
            header["Setup"] = json.dumps(self.setup, ensure_ascii=False, sort_keys=True)
        header |= self.tags
        if self._state.is_over:
            header |= _result_tags(self._state)
        lines = [f"[{name} {json.dumps(value, ensure_ascii=False)}]" for name, value in header.items()]
        return "\n".join([*lines, "", *self._turn_lines()]) + "\n"

    def _turn_lines(self) -> list[str]:
        """`12. @0 first action; second action; @1 the answer of seat 1; @0 end`."""
        turns: dict[int, list[str]] = {}
        decider = -1
        for state, _, text in self.steps():
            if state.turn not in turns:
                turns[state.turn] = []
                decider = -1
            turns[state.turn].append(text if state.player == decider else f"@{state.player} {text}")
            decider = state.player
        return [f"{turn + 1}. {'; '.join(texts)}" for turn, texts in turns.items()]

    @classmethod
    def from_text(cls, text: str) -> Game:
        """The game that `to_text` wrote, replayed. `RecordError` names the line that is wrong, and why.

        Empty lines and lines that begin with `#` mean nothing. A result in the header must be the one the replay gives.
        """
        if not isinstance(text, str):
            raise RecordError(f"a record is a text, not {shown(text)}")
        lines = [(number, line.strip()) for number, line in enumerate(text.split("\n"), 1)]
        lines = [(number, line) for number, line in lines if line and not line.startswith("#")]
        heads = [entry for entry in lines if entry[1].startswith("[")]
        if heads != lines[: len(heads)]:
            late = next(number for number, line in lines[len(heads) :] if line.startswith("["))
            raise RecordError("tags stand before the first turn", late)
        game, claimed = cls._from_header(heads)
        for number, line in lines[len(heads) :]:
            game._read_turn(line, number)
        if claimed and not game._state.is_over:
            raise RecordError("the header has a result, but the game is not over")
        found = _result_tags(game._state) if game._state.is_over else {}
        for name, value in claimed.items():
            if value != found[name]:
                raise RecordError(f"{name}: the header says {value!r}, the replay {found[name]!r}")
        return game

    @classmethod
    def _from_header(cls, heads: list[tuple[int, str]]) -> tuple[Game, dict[str, str]]:
        tags: dict[str, str] = {}
        for number, line in heads:
            match = TAG_LINE.fullmatch(line)
            if match is None:
                raise RecordError(f'{line[:80]!r} is no tag; one is written [Name "value"]', number)
            name = match[1]
            if name in tags:
                raise RecordError(f"tag {name!r} occurs twice", number)
            try:
                tags[name] = json.loads(match[2])
            except ValueError as error:
                raise RecordError(f"tag {name!r}: {error}", number) from None
        if tags.pop("Format", None) != FORMAT:
            raise RecordError(f'not a record: the first line must be [Format "{FORMAT}"]', 1)
        options = {OPTION_TAGS[tag]: _option(tag, tags.pop(tag)) for tag in OPTION_TAGS if tag in tags}
        claimed = {name: tags.pop(name) for name in RESULT_TAGS if name in tags}
        seed = _option("Seed", tags.pop("Seed", ""))
        try:
            setup = json.loads(tags.pop("Setup")) if "Setup" in tags else None
            return cls(Rules(**options), seed, setup, tags), claimed
        except RecordError:
            raise
        except (HansaError, ValueError, TypeError, RecursionError) as error:
            raise RecordError(f"header: {error}") from None

    def _read_turn(self, line: str, number: int) -> None:
        match = TURN_LINE.fullmatch(line)
        if match is None:
            raise RecordError(f"{line[:80]!r} is no turn; one is written '1. @0 first action; second action'", number)
        if int(match[1]) != self._state.turn + 1:
            raise RecordError(f"turn {match[1]} stands where turn {self._state.turn + 1} is due", number)
        for part in match[2].split(";"):
            decision = DECISION.fullmatch(part.strip())
            if decision is None:
                raise RecordError("an action is missing between two semicolons", number)
            if decision[1] is not None and int(decision[1]) != self._state.player:
                raise RecordError(f"{part.strip()!r}: it is seat {self._state.player} that decides", number)
            if self._state.turn + 1 != int(match[1]):
                raise RecordError(f"{part.strip()!r}: turn {match[1]} was over before", number)
            try:
                self.play(decision[2])
            except HansaError as error:
                raise RecordError(str(error), number) from None

    def save(self, path: str | PathLike[str]) -> None:
        """Write the record to a file (UTF-8)."""
        Path(path).write_text(self.to_text(), encoding="utf-8", newline="\n")

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Game:
        """Read a record from a file."""
        try:
            return cls.from_text(Path(path).read_text(encoding="utf-8"))
        except UnicodeDecodeError as error:
            raise RecordError(f"not UTF-8 text: {error}") from None


def _result_tags(state: State) -> dict[str, str]:
    result = state.result()
    return {
        "Reasons": ", ".join(result["reasons"]),
        "Totals": " ".join(str(score["total"]) for score in result["scores"]),
        "Ranks": " ".join(str(rank) for rank in result["ranks"]),
    }


def _option(tag: str, text: str) -> Any:
    """The value of an option as its tag writes it."""
    if tag in ("Players", "Turn limit", "Seed"):
        if not re.fullmatch(r"[0-9]{1,20}", text):
            raise RecordError(f"{tag}: must be a whole number, not {text!r}")
        return int(text)
    if tag in ("Missions", "Favours"):
        if text not in ("yes", "no"):
            raise RecordError(f"{tag}: must be yes or no, not {text!r}")
        return text == "yes"
    return text
