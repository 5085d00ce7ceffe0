"""What the styles of both games have in common."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping

Weights = Mapping[str, float]


def choose_verb(texts: Iterable[str], weights: Weights, rng: random.Random) -> tuple[str, list[str]]:
    """One of the verbs by its weight (1 if it has none), and the texts that begin with it."""
    groups: dict[str, list[str]] = {}
    for text in texts:
        groups.setdefault(text.split(" ", 1)[0], []).append(text)
    verbs = list(groups)
    verb = rng.choices(verbs, [weights.get(verb, 1) for verb in verbs])[0]
    return verb, groups[verb]
