"""Who has met whom, and who sat beside whom: what schemes keep even."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations, pairwise, permutations


class Meetings:
    """Counts over blocks. A block that is taken back is noted by -1."""

    def __init__(self) -> None:
        self.blocks: Counter[str] = Counter()
        self._pairs: Counter[tuple[str, str]] = Counter()
        self._before: Counter[tuple[str, str]] = Counter()  # who plays right before whom

    def note(self, ring: Sequence[str], by: int = 1, *, both_ways: bool = False) -> None:
        """Count a block whose bots sit in this order round the table."""
        for bot in ring:
            self.blocks[bot] += by
        for one, other in combinations(ring, 2):
            self._pairs[min(one, other), max(one, other)] += by
        for one, other in pairwise((*ring, ring[0])):
            self._before[one, other] += by
            if both_ways:
                self._before[other, one] += by

    def met(self, one: str, other: str) -> int:
        """In how many blocks two bots have met."""
        return self._pairs[min(one, other), max(one, other)]

    def known(self, bot: str, others: Iterable[str]) -> int:
        """In how many blocks a bot has met these, together."""
        return sum(self.met(bot, other) for other in others)

    def ring(self, bots: Sequence[str], *, both_ways: bool = False) -> tuple[str, ...]:
        """The order round the table by which neighbours are most even; the first of equally good ones."""
        first, *rest = bots

        def worn(ring: tuple[str, ...]) -> int:
            used = sum(self._before[one, other] for one, other in pairwise((*ring, ring[0])))
            if both_ways:
                used += sum(self._before[other, one] for one, other in pairwise((*ring, ring[0])))
            return used

        return min(((first, *order) for order in permutations(rest)), key=worn)
