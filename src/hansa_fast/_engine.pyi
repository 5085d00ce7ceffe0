from typing import Self

from typing_extensions import disjoint_base

from hansa_fast._rules import Rules

@disjoint_base
class Engine:
    def __new__(cls, rules: Rules) -> Self: ...
    @property
    def state_size(self) -> int: ...
    @property
    def seats(self) -> int: ...
