"""Which game is played, with which options: checked, immutable, hashable."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any

from hansa_fast import _boards, _hansa_board, _hansa_engine, _teutonica_engine
from hansa_fast._engine import Engine
from hansa_fast._errors import BoardError, RulesError, shown
from hansa_fast._hansa_engine import Hansa
from hansa_fast._state import State
from hansa_fast._teutonica_engine import Teutonica

ENGINES: dict[str, type[Engine]] = {"teutonica": Teutonica, "hansa": Hansa}
GAMES = tuple(ENGINES)
EDITIONS = {"teutonica": ("2009", "big-box"), "hansa": ("2004",)}
BOARDS_2009 = ("standard-3", "standard-4-5")


@dataclass(frozen=True)
class Rules:
    """The options of a game; edition and board may be left out, then the usual ones are filled in.

    >>> Rules(players=4)
    Rules(game='teutonica', edition='big-box', board='standard-4-5', players=4, missions=False, favours=False, \
turn_limit=None)
    >>> Rules(game="hansa", players=3).board
    'hansa-2004'
    """

    game: str = "teutonica"
    edition: str = ""
    board: str = ""
    players: int = 4
    missions: bool = False
    favours: bool = False
    turn_limit: int | None = None

    def __post_init__(self) -> None:
        wrong: list[str] = []
        self._check_type("players", int, wrong)
        self._check_type("missions", bool, wrong)
        self._check_type("favours", bool, wrong)
        if self.turn_limit is not None:
            self._check_type("turn_limit", int, wrong)
        _check_name("game", self.game, GAMES, wrong)
        if not wrong:
            self._fill_in()
            _check_name("edition", self.edition, EDITIONS[self.game], wrong)
            _check_name("board", self.board, board_names(self.game), wrong)
        if not wrong:
            self._check_combination(wrong)
        if wrong:
            raise RulesError("; ".join(wrong))

    def _fill_in(self) -> None:
        if self.edition == "":
            usual = "2004" if self.game == "hansa" else "2009" if self.players == 2 else "big-box"
            object.__setattr__(self, "edition", usual)
        if self.board == "":
            usual = "hansa-2004" if self.game == "hansa" else "standard-3" if self.players <= 3 else "standard-4-5"
            object.__setattr__(self, "board", usual)

    def _check_type(self, name: str, kind: type, wrong: list[str]) -> None:
        value = getattr(self, name)
        if type(value) is not kind:
            wrong.append(f"{name}: must be {kind.__name__}, not {shown(value)}")

    def _check_combination(self, wrong: list[str]) -> None:
        allowed = board_data(self.game, self.board)["players"]
        if self.game == "teutonica":
            allowed = [n for n in allowed if n != 2 or self.edition == "2009"]
            if self.edition == "2009" and self.board not in BOARDS_2009:
                wrong.append(f"board: the 2009 edition has {' and '.join(BOARDS_2009)}, not {self.board}")
        if self.missions or self.favours:
            boards = " and ".join(_boards.module_boards())
            if self.edition != "big-box":
                wrong.append("missions and favours belong to the big-box edition of teutonica")
            elif self.board not in _boards.module_boards():
                wrong.append(f"missions and favours are played on {boards}, not {self.board}")
        if self.players not in allowed:
            seats = " or ".join(str(n) for n in allowed)
            wrong.append(f"players: {self.board} ({self.edition}) takes {seats} players, not {shown(self.players)}")
        if self.turn_limit is not None and not 1 <= self.turn_limit < 2**31:
            wrong.append(f"turn_limit: must be at least 1 and less than 2**31, not {shown(self.turn_limit)}")

    def new(self, seed: int = 0, setup: Mapping[str, Any] | None = None) -> State:
        """A new game. Everything random comes from the seed; `setup` replaces any part of it (see docs/formats.md)."""
        return State.start(self, seed, setup)

    def to_dict(self) -> dict[str, Any]:
        """The options as plain values; `Rules(**d)` gives the rules back."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def _check_name(what: str, value: object, names: tuple[str, ...], wrong: list[str]) -> None:
    if type(value) is str and value in names:
        return
    near = difflib.get_close_matches(value[:80], names, 1) if type(value) is str else []
    hint = f"; did you mean {near[0]}?" if near else ""
    wrong.append(f"{what}: {shown(value)} is none of {', '.join(names)}{hint}")


@dataclass(frozen=True)
class GameInfo:
    """What there is of a game."""

    name: str
    editions: tuple[str, ...]
    boards: tuple[str, ...]
    phases: tuple[str, ...]  # the first one is the set-up, the last one the end


def games() -> tuple[GameInfo, ...]:
    """All games with their editions, boards and phases."""
    phases = {"teutonica": _teutonica_engine.PHASES, "hansa": _hansa_engine.PHASES}
    return tuple(GameInfo(game, EDITIONS[game], board_names(game), phases[game]) for game in GAMES)


def board(name: str) -> Mapping[str, Any]:
    """The facts of a board of any game, with drawing coordinates, as its file has them."""
    wrong: list[str] = []
    _check_name("board", name, tuple(board for game in GAMES for board in board_names(game)), wrong)
    if wrong:
        raise BoardError(wrong[0])
    return board_data("hansa" if name in board_names("hansa") else "teutonica", name)


def board_names(game: str) -> tuple[str, ...]:
    """Names of all boards of a game, sorted."""
    return _hansa_board.board_names() if game == "hansa" else _boards.board_names()


def board_data(game: str, name: str) -> Mapping[str, Any]:
    """The checked facts of a board as its file has them."""
    return _hansa_board.load_board(name).data if game == "hansa" else _boards.load_board(name).data


def engine_of(rules: Rules) -> Engine:
    """The compiled engine of these rules. The turn limit belongs to the state, so engines are shared between limits."""
    return _engine(replace(rules, turn_limit=None) if rules.turn_limit is not None else rules)


@cache
def _engine(rules: Rules) -> Engine:
    return ENGINES[rules.game](rules)
