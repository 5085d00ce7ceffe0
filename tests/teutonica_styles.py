"""Ways to play Hansa Teutonica: random, but with a taste, so that games get somewhere."""

from __future__ import annotations

import random

from tests.match import Match as AnyMatch
from tests.reference.teutonica import Teutonica
from tests.styles import Weights, choose_verb

Match = AnyMatch[Teutonica]

# How often a verb is chosen, relative to the others that are legal; 1 if it is not named.
STYLES: dict[str, Weights | None] = {
    "uniform": None,
    "finisher": {"route": 60, "place": 30, "income": 6, "displace": 3, "move": 2, "use": 3, "favour": 4, "end": 0.3},
    "fighter": {"displace": 60, "place": 12, "income": 12, "route": 8, "move": 1, "end": 0.3, "decline": 0.1},
    "settler": {"place": 40, "income": 40, "displace": 1, "route": 0.2, "move": 0.5, "end": 0.2, "decline": 0.05},
    "mover": {"move": 20, "use": 40, "place": 20, "income": 5, "route": 20, "displace": 5, "end": 0.5, "finish": 0.3},
    "courtier": {"favour": 400, "route": 60, "place": 30, "income": 8, "displace": 4, "use": 20, "end": 0.3},
}
PIECE_VERBS = ("place", "displace", "answer", "to", "set", "place-two", "answer-from")
STOP_VERBS = ("decline", "finish", "skip", "stop")


def post_of(match: Match, text: str) -> str:
    """The post that a text ends with; names of cities may hold blanks."""
    words = text.split()
    for first in range(1, len(words)):
        name = " ".join(words[first:])
        if name in match.twin.board.route_of:
            return name
    raise ValueError(f"no post in {text!r}")


def attraction(match: Match, text: str) -> float:
    """How much the player likes a route: own pieces there, few others, a marker to win."""
    twin = match.twin
    route = twin.board.route_of[post_of(match, text)]
    owners = [twin.posts[post][1] for post in twin.board.posts_of[route] if post in twin.posts]
    share = sum(1 if owner == twin.player else -1 for owner in owners) / len(twin.board.posts_of[route])
    prize = route in twin.markers or twin.board.routes[route]["permanent_marker"] is not None
    return share + prize / 2


def seat_styles(match: Match, rng: random.Random) -> list[str]:
    """A style for every seat; the player to move is often one who gets on."""
    styles = [rng.choice(list(STYLES)) for _ in range(match.rules.players)]
    if rng.random() < 0.5:
        styles[match.twin.current] = rng.choice(("finisher", "courtier")) if match.rules.favours else "finisher"
    return styles


def choose(match: Match, style: str, rng: random.Random) -> str:
    """One of the legal texts: first a verb by its weight, then mostly the most attractive post or reward."""
    texts = list(match.actions)
    weights = STYLES[style]
    if weights is None or len(texts) == 1:
        return rng.choice(texts)
    if match.twin.actions_over and "use develop_ability actions" in texts and rng.random() < 0.5:  # F2, T1
        return "use develop_ability actions"
    verb, group = choose_verb(texts, {**dict.fromkeys(STOP_VERBS, 0.4), **weights}, rng)
    if verb == "route" and rng.random() < 0.9:
        group = [text for text in group if not text.endswith(" none")] or group
    if verb == "pay" or (verb == "income" and rng.random() < 0.5):
        return group[-1] if rng.random() < 0.5 else rng.choice(group)
    if verb == "answer-from" and rng.random() < 0.5:  # D10: an extra just placed may be taken again
        group = [text for text in group if f"to {post_of(match, text)}" == match.played[-1]] or group
    if verb in PIECE_VERBS and rng.random() < 0.7:
        liking = {text: attraction(match, text) for text in group}
        best = max(liking.values())
        group = [text for text in group if liking[text] == best]
    return rng.choice(group)
