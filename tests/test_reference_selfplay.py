"""The reference engine plays random games with itself: nothing gets lost, stuck or out of its own dict."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from tests.reference.teutonica import SHAPES, Teutonica, read_json

DESK_PIECES = {"keys": 4, "actions": 5, "privilege": 3, "book": 3, "bank": 3}
WHOLE = Counter(trader=26, merchant=4)  # without the score marker

# (edition, board, players, modules): every row of what can be played.
ROWS = [
    ("2009", "standard-3", 2, ()),
    ("2009", "standard-3", 3, ()),
    ("2009", "standard-4-5", 4, ()),
    ("2009", "standard-4-5", 5, ()),
    ("big-box", "standard-3", 3, ()),
    ("big-box", "standard-3", 3, ("missions", "favours")),
    ("big-box", "standard-4-5", 4, ("favours",)),
    ("big-box", "standard-4-5", 5, ("missions",)),
    ("big-box", "standard-4-5", 5, ("missions", "favours")),
    ("big-box", "east", 3, ()),
    ("big-box", "east", 4, ()),
    ("big-box", "east", 5, ()),
    ("big-box", "britannia-3", 3, ()),
    ("big-box", "britannia-4-5", 4, ()),
    ("big-box", "britannia-4-5", 5, ()),
]


def random_setup(edition: str, board: str, players: int, rng: random.Random) -> dict[str, Any]:
    """A set-up of both modules; the engine takes from it what it needs."""
    markers = read_json("bonus-markers")["editions"][edition]["markers"]
    gold = [marker["id"] for marker in markers for _ in range(marker["gold_starters"])]
    pile = [marker["id"] for marker in markers for _ in range(marker["count"] - marker["gold_starters"])]
    rng.shuffle(gold)
    rng.shuffle(pile)
    taverns = [f"{route['a']}-{route['b']}" for route in read_json(board)["routes"] if route["tavern"]]
    tiles = [tile["id"] for tile in read_json("emperors-favour")["tiles"]]
    return {
        "taverns": dict(zip(taverns, gold, strict=True)),
        "pile": pile,
        "favours": rng.sample(tiles, players),
        "missions": rng.sample(read_json("missions")["cards"], players),
    }


def pieces_of(state: dict[str, Any], seat: int) -> Counter[str]:
    """All pieces of a player, wherever they are."""
    player = state["players"][seat]
    pieces: Counter[str] = Counter()
    for place in ("supply", "stock"):
        pieces.update({shape: player[place][shape + "s"] for shape in SHAPES})
    for ability, size in DESK_PIECES.items():
        pieces["merchant" if ability == "book" else "trader"] += size - player["abilities"][ability]
    standing = list(state["posts"].values())
    for rows in (state["offices"], state["extra"], state["green"]):
        standing += [piece for row in rows.values() for piece in row if piece]
    standing += [f"merchant {owner}" for owner in state["prestige"].values()]
    pending = state["pending"] or {}
    if state["phase"] == "set":
        standing.append(pending["hand"])
    elif state["phase"] in ("answer", "answer-to"):
        if pending["down"] is None:
            standing.append(f"{pending['shape']} {state['player']}")
        if state["phase"] == "answer-to":
            standing.append(f"{pending['hand']} {state['player']}")
    pieces.update(piece.split()[0] for piece in standing if piece.endswith(f" {seat}"))
    return pieces


VERBS = {"route": 20, "place": 40, "displace": 10, "income": 10, "use": 3, "move": 5, "pawn": 5}


def choose(game: Teutonica, legal: list[str], rng: random.Random) -> str:
    """Random, but fond of filling and establishing routes and slow to end a turn, so that games come to an end."""
    for stop in ("decline", "finish"):
        if stop in legal and rng.random() < 0.5:
            return stop
    if game.phase == "main":
        wishes = rng.choices(list(VERBS), k=8, weights=list(VERBS.values()))
        for wish in ("favour", "route" if rng.random() < 0.9 else "end", *wishes):
            options = [text for text in legal if text.split()[0] == wish]
            if options:
                legal = [text for text in options if not text.endswith(" none")] or options
                break
    if rng.random() < 0.8 and legal[0].split()[0] in ("place", "answer", "answer-from", "to", "set", "lift"):
        sign = -1 if game.phase == "lift" else 1
        shares = {text: sign * attraction(game, text) for text in legal}
        legal = [text for text in legal if shares[text] == max(shares.values())]
    return rng.choice(legal)


def attraction(game: Teutonica, text: str) -> float:
    """How much the player who decides likes the route named last: own pieces, no others, a marker beside it."""
    words = text.split()
    post = next((" ".join(words[n:]) for n in range(1, len(words)) if " ".join(words[n:]) in game.board.route_of), None)
    if post is None:
        return 0
    route = game.board.route_of[post]
    posts = game.board.posts_of[route]
    owners = [game.posts[other][1] for other in posts if other in game.posts]
    marker = route in game.markers or game.board.routes[route]["permanent_marker"] is not None
    return sum(1 if owner == game.player else -1 for owner in owners) / len(posts) + marker / 2


def play(row: tuple[str, str, int, tuple[str, ...]], seed: int, turn_limit: int) -> Teutonica:
    """One random game, checked as it goes."""
    edition, board, players, modules = row
    rng = random.Random(f"{row} {seed}")
    options: dict[str, Any] = {"edition": edition, "board": board, "players": players, "turn_limit": turn_limit}
    options |= dict.fromkeys(modules, True)
    game = Teutonica(**options, setup=random_setup(edition, board, players, rng))
    for _ in range(100_000):
        legal = game.legal()
        if game.is_over:
            break
        assert legal, game.phase
        assert legal == sorted(set(legal))
        state = game.to_dict()
        for seat in range(players):
            assert pieces_of(state, seat) == WHOLE, (game.phase, seat)
        twin = Teutonica.from_dict(options, state)
        assert twin.to_dict() == state
        assert twin.legal() == legal
        game.apply(choose(game, legal, rng))
    assert game.is_over
    assert game.player == -1
    assert not game.legal()
    assert Teutonica.from_dict(options, game.to_dict()).to_dict() == game.to_dict()
    return game


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]} {row[1]} {row[2]} {' '.join(row[3])}".strip())
def test_random_games_keep_all_pieces_and_return_from_their_dict(row: tuple[str, str, int, tuple[str, ...]]) -> None:
    for seed, turn_limit in enumerate((150, 40)):
        game = play(row, seed, turn_limit)
        result = game.result()
        assert result["reasons"] == game.end
        assert game.end
        assert min(result["ranks"]) == 1
        assert result["winners"]
        assert all(score["total"] == sum(score.values()) - score["total"] for score in result["scores"])


def test_the_turn_limit_ends_a_game() -> None:
    game = play(ROWS[0], 0, turn_limit=3)
    assert game.end == ["turn limit"]
    assert game.to_dict()["turn"] == 3


def test_a_copy_goes_its_own_way() -> None:
    setup = random_setup("big-box", "standard-3", 3, random.Random(1))
    game = Teutonica(edition="big-box", board="standard-3", players=3, setup=setup)
    before = game.to_dict()
    twin = game.copy()
    assert twin.legal() == game.legal()
    twin.apply("place trader Arnheim-Duisburg 1")
    assert game.to_dict() == before != twin.to_dict()


def test_what_is_not_legal_is_refused() -> None:
    setup = random_setup("big-box", "standard-3", 3, random.Random(1))
    game = Teutonica(edition="big-box", board="standard-3", players=3, setup=setup)
    before = game.to_dict()
    with pytest.raises(ValueError, match="not legal"):
        game.apply("route Arnheim-Duisburg none")
    assert game.to_dict() == before
