from typing import Final, final

from hansa_fast._rules import Rules
from hansa_fast._state import State

NODE_BYTES: Final[int]

@final
class Tree:
    timed: bool
    def __init__(
        self,
        nodes: int,
        playout: str,
        order: str,
        horizon: int,
        explore: float,
        slope: float,
        unseen: float,
        place_weight: float,
        win_weight: float,
        margin_scale: float,
    ) -> None: ...
    @property
    def capacity(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def rules(self) -> Rules | None: ...
    @property
    def viewer(self) -> int: ...
    @property
    def playing(self) -> int: ...
    @property
    def visits(self) -> int: ...
    def plant(self, state: State, seed: int, keep: bool) -> None: ...
    def advance(self, action: int) -> bool: ...
    def run(self, iterations: int) -> None: ...
    def children(self) -> list[tuple[int, int, list[float], list[float], list[float]]]: ...
    def line(self, action: int, most: int) -> list[int]: ...
