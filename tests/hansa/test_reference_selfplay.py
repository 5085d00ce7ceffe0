"""The reference engine of Hansa plays random games with itself: nothing gets lost, stuck or out of its own dict."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

import pytest

from tests.conservation import BOOTHS, GOODS, Ledger, count_booths, count_goods
from tests.reference.hansa import Hansa, load_board

PLAYERS = (2, 3, 4)
VERBS = {"replenish": 3, "buy": 6, "sail": 6, "build": 1, "sell": 2}


def random_setup(players: int, rng: random.Random) -> dict[str, Any]:
    board = load_board()
    colours = rng.sample(board.colours, players + 2)
    goods = [
        f"{colour} {barrels}" for colour in colours for barrels, count in board.barrels.items() for _ in range(count)
    ]
    rng.shuffle(goods)
    laid, goods = goods[: len(board.spaces)], goods[len(board.spaces) :]
    piles = []
    for size in board.pile_sizes(players):
        piles.append(goods[:size])
        goods = goods[size:]
    assert not goods
    return {"colours": colours, "goods": laid, "piles": piles}


def choose(legal: list[str], rng: random.Random) -> str:
    """Random, but fond of doing something, so that games come to an end, and slow to sell, so that goods gather."""
    if "finish" in legal and rng.random() < 0.5:
        return "finish"
    for wish in rng.choices(list(VERBS), k=3, weights=list(VERBS.values())):
        options = [text for text in legal if text.split(maxsplit=1)[0] == wish]
        if options:
            return rng.choice(options)
    return rng.choice(legal)


def play(players: int, seed: int, turn_limit: int | None = None) -> tuple[Hansa, Counter[str]]:
    """One random game, checked as it goes, and how often each verb was played."""
    rng = random.Random(f"{players} {seed}")
    options: dict[str, Any] = {"players": players, "turn_limit": turn_limit}
    setup = random_setup(players, rng)
    game = Hansa(**options, setup=setup)
    whole = count_goods(game.to_dict())
    assert whole.total() == GOODS[players]
    ledger = Ledger(players)
    verbs: Counter[str] = Counter()
    for _ in range(20_000):
        state = game.to_dict()
        ledger.check(state)
        assert count_goods(state) == whole
        assert [count_booths(state, seat) for seat in range(players)] == [BOOTHS] * players
        legal = game.legal()
        twin = Hansa.from_dict(options, json.loads(json.dumps(state)))
        assert json.dumps(twin.to_dict()) == json.dumps(state)  # the order of the keys too
        assert twin.legal() == legal == sorted(set(legal))
        if game.is_over:
            break
        assert legal, game.phase
        text = choose(legal, rng)
        verbs[text.split(maxsplit=1)[0]] += 1
        game.apply(text)
        twin.apply(text)
        assert twin.to_dict() == game.to_dict()
        ledger.note(state, text, game.to_dict())
    assert game.is_over and game.player == -1 and not game.legal()
    return game, verbs


@pytest.mark.parametrize("players", PLAYERS)
def test_random_games_keep_goods_booths_and_talers(players: int) -> None:
    seen: Counter[str] = Counter()
    for seed in range(12):
        game, verbs = play(players, seed)
        seen += verbs
        result = game.result()
        assert result["reasons"] == ["pile five"]
        assert game.turn % players == 0 and game.current == players - 1  # the round is finished
        assert min(result["ranks"]) == 1 and result["winners"]
        assert all(score["total"] == score["unsold"] + score["sold"] + score["cities"] for score in result["scores"])
        assert all(player.unsold.total() <= 3 for player in game.players)  # nobody gains goods out of turn
    words = "place replenish skip sail buy build sell finish lose give end"
    assert set(seen) == set(words.split())


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("turn_limit", [1, 5, 9])
def test_turn_limit_ends_a_game_also_within_a_round(players: int, turn_limit: int) -> None:
    game, _ = play(players, 0, turn_limit)
    assert game.result()["reasons"] == ["turn limit"]
    assert game.turn == turn_limit and game.current == (turn_limit - 1) % players


def test_copy_goes_its_own_way() -> None:
    game = Hansa(players=3, setup=random_setup(3, random.Random(1)))
    for text in ("Danzig", "Danzig", "Riga", "Riga", "Reval", "Reval", "Kalmar", "Kalmar", "Danzig"):
        game.apply(f"place {text}")
    before = game.to_dict()
    twin = game.copy()
    assert twin.legal() == game.legal()
    twin.apply("sail Danzig")
    twin.apply(next(text for text in twin.legal() if text.startswith("buy")))
    assert game.to_dict() == before != twin.to_dict()


def test_what_is_not_legal_is_refused() -> None:
    game = Hansa(players=2, setup=random_setup(2, random.Random(1)))
    before = game.to_dict()
    for text in ("place Copenhagen", "place", "end", ""):
        with pytest.raises(ValueError, match="not legal"):
            game.apply(text)
    assert game.to_dict() == before
    with pytest.raises(ValueError, match="not over"):
        game.result()
