from typing import Final, Self

from typing_extensions import disjoint_base

from hansa_fast._boards import Board
from hansa_fast._engine import Engine
from hansa_fast._reader import Reader
from hansa_fast._rules import Rules

PHASES: Final[tuple[str, ...]]
VERBS: Final[frozenset[str]]
REASONS: Final[tuple[str, ...]]
MOVES: Final[tuple[str, ...]]
SHAPES: Final[tuple[str, ...]]
ABILITIES: Final[tuple[str, ...]]
ACTION_SPACES: Final[tuple[int, ...]]
STATE_KEYS: Final[tuple[str, ...]]
PLAYER_KEYS: Final[tuple[str, ...]]
PENDING_KEYS: Final[dict[str, tuple[str, ...]]]

@disjoint_base
class Teutonica(Engine):
    def __new__(cls, rules: Rules) -> Self: ...
    @property
    def board(self) -> Board: ...
    @property
    def kinds(self) -> tuple[str, ...]: ...
    @property
    def tiles(self) -> tuple[str, ...]: ...
    @property
    def cards(self) -> tuple[tuple[str, ...], ...]: ...

class PieceReader(Reader):
    def piece(self, value: object, where: str) -> int: ...
