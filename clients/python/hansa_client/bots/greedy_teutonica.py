"""What the greedy bot likes in Hansa Teutonica.

The board is not known, but what a decision needs of it is in the view and in the texts of the legal actions: free posts
are those where a piece could be placed.
"""

from __future__ import annotations

from collections import Counter, defaultdict

from hansa_client._match import Action
from hansa_client._view import View

ABILITIES = {"actions": 12, "privilege": 6, "book": 4, "bank": 5, "keys": 6}
MARKERS = {"additional_post": 3, "swap_posts": 2, "actions_3": 4, "actions_4": 5, "develop_ability": 4}


def route_of(post: str) -> str:
    """The route of a post: `Kampen-Osnabrück 2` belongs to `Kampen-Osnabrück`."""
    return post.rsplit(" ", 1)[0]


class Taste:
    """What a seat likes in this position. Values only compare actions of the same decision."""

    def __init__(self, view: View, legal: list[Action]) -> None:
        self.view = view
        self.me = view.me
        self.seat = view.seat
        self.mine: Counter[str] = Counter()  # pieces by route
        self.theirs: Counter[str] = Counter()
        for post, piece in view.posts.items():
            owner = self.mine if int(piece.split()[1]) == self.seat else self.theirs
            owner[route_of(post)] += 1
        free: dict[str, set[str]] = defaultdict(set)
        for action in legal:
            words = action.text.split()
            if words[0] in ("place", "answer", "set", "to", "place-two") and len(words) > 2:
                post = " ".join(words[1:] if words[0] in ("set", "to") else words[2:])
                if post not in view.posts:
                    free[route_of(post)].add(post)
        self.free = {route: len(posts) for route, posts in free.items()}
        self.pieces = self.me.supply.traders + self.me.supply.merchants

    def value(self, words: list[str]) -> float:
        """How good an action is; its text in words."""
        verb = words[0]
        match verb:
            case "route":
                return 200 + self._establish(words)
            case "use":
                return self._use(words)
            case "place" | "answer" | "place-two":
                return 60 + self._stand(" ".join(words[2:])) - (2 if words[1] == "merchant" else 0)
            case "to" | "set":
                return 60 + self._stand(" ".join(words[1:]))
            case "displace":
                return self._displace(" ".join(words[2:])) - (2 if words[1] == "merchant" else 0)
            case "income":
                return 90 + self._count(words) if self.pieces <= 1 else 5
            case "pay":
                return -self._count(words) - 2 * sum(word.startswith("merchant") for word in words)
            case "favour-income":
                return 2 if words[1] == "merchant" else 1
            case "develop-privilege" | "green-office":
                return 10
            case "lift":
                return self._lift(" ".join(words[1:]))
            case "remove":
                return 1 if self.mine[route_of(" ".join(words[1:]))] == 0 else -1
            case "on":
                return -abs(self.mine[words[1]] - 1)
            case "pawn":
                return -10 if words[-1] == "action" else 3
            case "move":
                return self._gather()
            case "favour":
                return -5
            case _:  # end, finish, stop, decline, skip, flip, put-marker
                return 0

    @staticmethod
    def _count(words: list[str]) -> int:
        """How many pieces a text such as `income 2 traders 1 merchant` names."""
        return sum(int(word) for word in words if word.isdecimal())

    def _developed(self, ability: str) -> int:
        return int(self.me.abilities[ability])

    def _establish(self, words: list[str]) -> float:
        """A finished route: the marker on it, and what is done with it."""
        # ROUTE may hold spaces, so what follows it is found by its word.
        kind = next(word for word in ("none", "office", "develop", "extra", "prestige") if word in words)
        at = words.index(kind)
        route = " ".join(words[1:at])
        marker = MARKERS.get(self.view.markers.get(route, ""), 3) if route in self.view.markers else 0
        rest = words[at + 1 :]
        if kind == "develop":
            worth = ABILITIES[rest[0]] - self._developed(rest[0])
        elif kind == "office":
            worth = 9
        elif kind == "extra":
            worth = 7
        elif kind == "prestige":
            worth = 8 + int(rest[0])
        else:
            worth = 0
        return marker + worth

    def _stand(self, post: str) -> float:
        """A piece on a post: the nearer its route is to being ours, the better. Long routes need many turns."""
        route = route_of(post)
        marker = 2 if route in self.view.markers else 0
        return 6 * self.mine[route] - 4 * self.theirs[route] - 2 * self.free.get(route, 0) + marker

    def _displace(self, post: str) -> float:
        """Worth its fee only to finish a route."""
        route = route_of(post)
        is_last = self.mine[route] >= 2 and self.theirs[route] == 1 and self.free.get(route, 0) == 0
        return 85 if is_last and self.pieces >= 3 else -10

    def _gather(self) -> float:
        """With nothing left to place, pieces that stand about are brought together."""
        return 8 if self.pieces == 0 and len(self.mine) > 1 else -5

    def _lift(self, post: str) -> float:
        """Pieces that stand alone are moved before others; those of opponents off our routes."""
        return -self.mine[route_of(post)]

    def _use(self, words: list[str]) -> float:
        """Markers are for using: more actions at once, abilities as soon as possible."""
        match words[1]:
            case "actions_3" | "actions_4":
                return 98 if self.pieces >= 3 else -5
            case "develop_ability":
                return 98 + ABILITIES[words[2]] - self._developed(words[2])
            case _:  # swapping offices and moving pieces without a plan does as much harm as good
                return -5
