from typing import Final, Self

from typing_extensions import disjoint_base

from hansa_fast._engine import Engine
from hansa_fast._hansa_board import HansaBoard
from hansa_fast._rules import Rules

PHASES: Final[tuple[str, ...]]
VERBS: Final[frozenset[str]]
REASONS: Final[tuple[str, ...]]
CATEGORIES: Final[tuple[str, ...]]
BLOCKS: Final[tuple[tuple[int, str], ...]]
STATE_KEYS: Final[tuple[str, ...]]
PLAYER_KEYS: Final[tuple[str, ...]]

@disjoint_base
class Hansa(Engine):
    def __new__(cls, rules: Rules) -> Self: ...
    @property
    def board(self) -> HansaBoard: ...
    @property
    def goods(self) -> tuple[str | None, ...]: ...
    @property
    def piles(self) -> tuple[int, ...]: ...

@disjoint_base
class Names:
    def __init__(self, engine: Hansa) -> None: ...
    @property
    def goods(self) -> list[str]: ...
    @property
    def numbers(self) -> list[int]: ...
