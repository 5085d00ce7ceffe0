"""Ways to play Hansa (2004): random, but with a taste, so that games get somewhere."""

from __future__ import annotations

import random

from tests.match import Match as AnyMatch
from tests.reference.hansa import Hansa, colour_of, of_colour
from tests.styles import Weights, choose_verb

Match = AnyMatch[Hansa]

# How often a verb is chosen, relative to the others that are legal; 1 if it is not named.
STYLES: dict[str, Weights | None] = {
    "uniform": None,
    "merchant": {"sell": 60, "buy": 20, "build": 3, "sail": 6, "replenish": 4, "end": 0.3},
    "hoarder": {"buy": 30, "sail": 10, "build": 0.3, "sell": 0.5, "replenish": 8, "end": 0.1},
    "builder": {"build": 30, "buy": 12, "sail": 8, "sell": 1, "end": 0.5},
    "sailor": {"sail": 40, "buy": 3, "build": 1, "sell": 3, "end": 0.2},
    "idler": {"end": 20, "skip": 20, "buy": 3, "build": 1},
}
COLLECTS = 0.7  # share of goods chosen by colour


def seat_styles(match: Match, rng: random.Random) -> list[str]:
    """A style for every seat; the player to move often sells what he can."""
    styles = [rng.choice(list(STYLES)) for _ in range(match.rules.players)]
    if rng.random() < 0.3:
        styles[match.twin.current] = "merchant"
    return styles


def choose(match: Match, style: str, rng: random.Random) -> str:
    """One of the legal texts: first a verb by its weight, then mostly goods of a colour of which there are more."""
    texts = list(match.actions)
    weights = STYLES[style]
    if weights is None or len(texts) == 1:
        return rng.choice(texts)
    verb, group = choose_verb(texts, weights, rng)
    if verb == "buy" and rng.random() < COLLECTS:
        unsold = match.twin.players[match.twin.player].unsold
        liking = {text: of_colour(unsold, colour_of(text.removeprefix("buy "))) for text in group}
        best = max(liking.values())
        group = [text for text in group if liking[text] == best]
    return rng.choice(group)
