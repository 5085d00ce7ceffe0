"""The turn (A1-A6), the set-up, the values of the abilities and where the editions differ."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.engines import DESK, GOLD, Position, Tables, load, marker_kinds, posts, routes, with_prefix

TABLES = [
    ("2009", "standard-3", 2),
    ("2009", "standard-3", 3),
    ("2009", "standard-4-5", 4),
    ("2009", "standard-4-5", 5),
    ("big-box", "standard-3", 3),
    ("big-box", "standard-4-5", 4),
    ("big-box", "standard-4-5", 5),
    ("big-box", "east", 3),
    ("big-box", "east", 4),
    ("big-box", "east", 5),
    ("big-box", "britannia-3", 3),
    ("big-box", "britannia-4-5", 4),
    ("big-box", "britannia-4-5", 5),
]


# Set-up


@pytest.mark.parametrize(("edition", "board", "players"), TABLES)
def test_opening(table: Tables, edition: str, board: str, players: int) -> None:
    position = Position(edition=edition, board=board, players=players)
    opening = position.to_dict()
    if players == 2:
        opening |= {"phase": "pawn", "player": 1, "pawn": None}
    game = table.new(position).to_dict()
    if players == 2:  # nothing has begun before the pawn stands: these three say nothing yet
        for key in ("actions", "fresh", "current"):
            opening[key] = game[key]
    assert game == opening


@pytest.mark.parametrize(("edition", "total"), [("2009", 16), ("big-box", 15)])
def test_opening_has_every_marker(table: Tables, edition: str, total: int) -> None:
    game = table.new(Position(edition=edition))
    assert len(game["markers"]) == 3
    assert len(game["pile"]) == total - 3
    assert all(routes("standard-4-5")[name]["tavern"] for name in game["markers"])


def test_opening_with_modules(table: Tables) -> None:
    game = table.new(Position(missions=True, favours=True))
    assert len(game["favours"]) == 4
    cards = load("missions")["cards"]
    assert [game.seat(seat)["mission"] for seat in range(4)] == cards[:4]


def test_pile_is_drawn_in_the_order_given(table: Tables) -> None:
    position = Position().ability(0, actions=1).pile("actions_4", "swap_posts", "develop_ability")
    position.fill("Goslar-Hildesheim", "trader 0").fill("Bremen-Osnabrück", "trader 0")
    game = table(position).play("route Goslar-Hildesheim none")
    assert game["plate"] == {"actions_4": 1}
    game.play("route Bremen-Osnabrück none")
    assert game["plate"] == {"actions_4": 1, "swap_posts": 1}
    assert game["pile"][0] == "develop_ability"


# Values of the abilities


@pytest.mark.parametrize(("level", "actions"), list(enumerate((2, 3, 3, 4, 4, 5))))
def test_values_of_actions(table: Tables, level: int, actions: int) -> None:
    game = table(Position().ability(1, actions=level)).play("end")
    assert (game.player, game["actions"]) == (1, actions)


@pytest.mark.parametrize(("level", "keys"), list(enumerate((1, 2, 2, 3, 4))))
def test_values_of_keys(table: Tables, level: int, keys: int) -> None:
    assert table(Position().ability(0, keys=level).office("Goslar", 0)).score("network") == [keys, 0, 0, 0]


@pytest.mark.parametrize(("level", "book"), list(enumerate((2, 3, 4, 5))))
def test_values_of_book(table: Tables, level: int, book: int) -> None:
    game = table(Position().ability(0, book=level).piece("Goslar-Magdeburg 1", "trader 0")).play("move")
    assert game["pending"]["left"] == book


@pytest.mark.parametrize("level", range(4))
@pytest.mark.parametrize("filled", range(4))
def test_values_of_privilege(table: Tables, level: int, filled: int) -> None:
    """Minden's four offices are white, orange, pink and black."""
    position = Position().ability(0, privilege=level).office("Minden", *[1] * filled)
    game = table(position.fill("Hannover-Minden", "trader 0"))
    assert ("route Hannover-Minden office Minden" in game.legal()) == (level >= filled)


@pytest.mark.parametrize("edition", ["2009", "big-box"])
@pytest.mark.parametrize(("level", "bank"), list(enumerate((3, 5, 7, 9))))
def test_values_of_bank(table: Tables, edition: str, level: int, bank: int) -> None:
    """All is nine here: the stock is made that large."""
    game = table(Position(edition=edition).ability(0, bank=level).stock(0, 9, 0))
    numbers = (bank,) if edition == "2009" else range(1, bank + 1)
    assert game.offers("income") == {f"income {number} trader{'s' * (number > 1)}" for number in numbers}


# A1-A6


@pytest.mark.ruling("A1")
def test_a1_mix_is_the_owners_choice(table: Tables) -> None:
    big_box = table(Position().supply(0, 5, 0).piece("Goslar-Magdeburg 1", "trader 0"))
    assert big_box.stock(0) == (5, 1)
    assert big_box.offers("income") == {
        "income 1 trader",
        "income 2 traders",
        "income 3 traders",
        "income 1 merchant",
        "income 1 trader 1 merchant",
        "income 2 traders 1 merchant",
    }
    old = table(Position(edition="2009").supply(0, 5, 0))
    assert old.offers("income") == {"income 3 traders", "income 2 traders 1 merchant"}
    old.play("income 2 traders 1 merchant")
    assert (old.supply(0), old.stock(0), old["actions"]) == ((7, 1), (4, 0), 1)


@pytest.mark.ruling("A1")
def test_a1_short_stock(table: Tables) -> None:
    assert table(Position(edition="2009").stock(0, 1, 1)).offers("income") == {"income 1 trader 1 merchant"}
    assert table(Position(edition="2009").stock(0, 0, 1)).offers("income") == {"income 1 merchant"}
    big_box = table(Position().stock(0, 1, 1))
    assert big_box.offers("income") == {"income 1 trader", "income 1 merchant", "income 1 trader 1 merchant"}


@pytest.mark.ruling("A1")
def test_a1_two_merchants(table: Tables) -> None:
    game = table(Position(edition="2009").ability(0, book=1).stock(0, 1, 2))
    assert game.offers("income") == {"income 1 trader 2 merchants"}
    game = table(Position().ability(0, book=1).stock(0, 0, 2))
    assert game.offers("income") == {"income 1 merchant", "income 2 merchants"}


@pytest.mark.ruling("A2")
def test_a2_turn_may_end_between_actions(table: Tables) -> None:
    game = table(Position().ability(0, actions=5))
    for left in (5, 4, 3):
        assert game["actions"] == left
        assert "end" in game.legal()
        game.play("place trader Goslar-Magdeburg 1" if left == 5 else "income 1 trader")
    game.play("end")
    assert (game.player, game["actions"], game["turn"]) == (1, 2, 1)


@pytest.mark.ruling("A2")
def test_a2_not_within_an_action(table: Tables) -> None:
    game = table(Position().fill("Goslar-Magdeburg", "trader 0", "trader 1"))
    game.play("move")
    assert "end" not in game.legal()
    game = table(Position().fill("Goslar-Magdeburg", "trader 0", "trader 1")).play("displace trader Goslar-Magdeburg 2")
    assert game.legal() == {"pay 1 trader", "pay 1 merchant"}


@pytest.mark.ruling("A3")
def test_a3_nobody_is_forced_to_act(table: Tables) -> None:
    game = table(Position().markers(0, "actions_3"))
    for seat in (0, 1, 2, 3, 0):
        assert game.player == seat
        game.play("end")
    assert game["turn"] == 5
    assert game.seat(0)["markers"] == {"actions_3": 1}


def test_turn_goes_on_after_the_last_action(table: Tables) -> None:
    game = table(Position().markers(0, "actions_3")).play("income 1 trader", "income 1 trader")
    assert (game.phase, game.player, game["actions"]) == ("main", 0, 0)
    assert game.legal() == {"use actions_3", "end"}
    game.play("use actions_3")
    assert game["actions"] == 3
    assert game.offers("income")


@pytest.mark.ruling("A4")
def test_a4_no_income_from_an_empty_stock(table: Tables) -> None:
    for edition in ("2009", "big-box"):
        assert not table(Position(edition=edition).stock(0, 0, 0)).offers("income")
        assert table(Position(edition=edition).stock(0, 1, 0)).offers("income") == {"income 1 trader"}


@pytest.mark.ruling("A5")
@pytest.mark.parametrize(("level", "gain"), list(enumerate((1, 0, 1, 0, 1))))
def test_a5_extra_action_when_the_number_rises(table: Tables, level: int, gain: int) -> None:
    game = table(Position().ability(0, actions=level).markers(0, "develop_ability"))
    actions = game["actions"]
    game.play("use develop_ability actions")
    assert game["actions"] == actions + gain
    game = table(Position().ability(0, actions=level).fill("Göttingen-Quedlinburg", "trader 0"))
    game.play("route Göttingen-Quedlinburg develop actions")
    assert game["actions"] == actions - 1 + gain


@pytest.mark.ruling("A5")
def test_a5_also_beside_plus_three_and_after_the_last_action(table: Tables) -> None:
    position = Position().markers(0, "actions_3", "actions_4", "develop_ability")
    game = table(position).play("use actions_3", "use actions_4", "use develop_ability actions")
    assert game["actions"] == 2 + 3 + 4 + 1
    spent = table(Position().markers(0, "develop_ability").turn(0, actions=0, acted=True))
    assert spent.play("use develop_ability actions")["actions"] == 1


@pytest.mark.ruling("A5")
def test_a5_other_abilities_give_no_action(table: Tables) -> None:
    for name in ("keys", "privilege", "book", "bank"):
        game = table(Position().markers(0, "develop_ability")).play(f"use develop_ability {name}")
        assert game["actions"] == 2


@pytest.mark.ruling("A6")
@pytest.mark.parametrize(
    ("ability", "route"),
    [
        ("keys", "Halle-Quedlinburg"),
        ("actions", "Göttingen-Quedlinburg"),
        ("privilege", "Hamburg-Stade"),
        ("book", "Emden-Groningen"),
        ("bank", "Hamburg-Lübeck"),
    ],
)
def test_a6_full_ability(table: Tables, ability: str, route: str) -> None:
    for level, offered in ((DESK[ability] - 1, True), (DESK[ability], False)):
        position = Position().ability(0, **{ability: level}).markers(0, "develop_ability")
        game = table(position.fill(route, "trader 0"))
        assert (f"route {route} develop {ability}" in game.legal()) == offered
        assert (f"use develop_ability {ability}" in game.legal()) == offered
        assert game.offers("route", route, "develop") <= {f"route {route} develop {ability}"}


@pytest.mark.ruling("A6")
def test_a6_turn_limit_counts_all_turns(table: Tables) -> None:
    game = table(Position(turn_limit=6).points(2, 3))
    for turn in range(6):
        assert not game.is_over
        assert game["turn"] == turn
        game.play("end")
    assert game.is_over
    assert game.phase == "over"
    assert game.player == -1
    assert game.legal() == set()
    assert game["end"] == ["turn limit"]
    assert game["player"] is None
    result = game.result()
    assert result["reasons"] == ["turn limit"]
    assert result["winners"] == [2]
    assert result["ranks"] == [2, 2, 1, 2]
    assert [scores["total"] for scores in result["scores"]] == [0, 0, 3, 0]


@pytest.mark.ruling("A6")
def test_a6_turn_limit_waits_for_the_markers(table: Tables) -> None:
    game = table(Position(turn_limit=1).fill("Goslar-Hildesheim", "trader 0").pile("swap_posts"))
    game.play("route Goslar-Hildesheim none", "end")
    assert not game.is_over
    game.play("put-marker swap_posts")
    assert not game.is_over
    game.play("on Goslar-Hildesheim")
    assert game.is_over
    assert game.result()["reasons"] == ["turn limit"]
    assert game["markers"]["Goslar-Hildesheim"] == "swap_posts"


def test_placing_takes_a_piece_from_supply_to_a_free_post(table: Tables) -> None:
    position = Position().supply(0, 1, 0).fill("Goslar-Magdeburg", "trader 1", None)
    free = set(posts("standard-4-5")) - {"Goslar-Magdeburg 1"}
    game = table(position)
    assert game.offers("place") == with_prefix("place trader", free)
    stock = game.stock(0)
    game.play("place trader Goslar-Magdeburg 2")
    assert game["posts"]["Goslar-Magdeburg 2"] == "trader 0"
    assert (game.supply(0), game.stock(0), game["actions"]) == ((0, 0), stock, 1)
    assert not game.offers("place")


def test_refused_action_leaves_the_game_as_it_was(table: Tables) -> None:
    game = table(Position().piece("Goslar-Magdeburg 1", "trader 1"))
    before = game.to_dict()
    with pytest.raises(ValueError, match="not legal"):
        game.apply("place trader Goslar-Magdeburg 1")
    assert game.to_dict() == before


# The core alone: seeds and refusals


@pytest.mark.parametrize("edition", ["2009", "big-box"])
def test_seeded_set_up_of_the_core(edition: str) -> None:
    import hansa_fast as hf

    rules = hf.Rules(game="teutonica", edition=edition, board="standard-4-5", players=4)
    taverns = {name for name, route in routes("standard-4-5").items() if route["tavern"]}
    arrangements, piles = set(), set()
    for seed in range(40):
        opening = rules.new(seed=seed).to_dict()
        assert set(opening["markers"]) == taverns
        assert sorted(opening["markers"].values()) == sorted(GOLD[edition])
        assert Counter([*opening["pile"], *opening["markers"].values()]) == marker_kinds(edition)
        arrangements.add(tuple(sorted(opening["markers"].items())))
        piles.add(tuple(opening["pile"]))
    assert len(arrangements) == 6
    assert len(piles) > 30
    assert rules.new(seed=3).to_dict() == rules.new(seed=3).to_dict()


def test_seeded_modules_of_the_core() -> None:
    import hansa_fast as hf

    rules = hf.Rules(game="teutonica", edition="big-box", board="standard-4-5", players=5, missions=True, favours=True)
    cards = [tuple(card) for card in load("missions")["cards"]]
    for seed in range(20):
        opening = rules.new(seed=seed).to_dict()
        dealt = [tuple(player["mission"]) for player in opening["players"]]
        assert len(set(dealt)) == 5
        assert set(dealt) <= set(cards)
        assert len(set(opening["favours"])) == 5


@pytest.mark.parametrize(
    "options",
    [
        {"edition": "2010", "board": "standard-4-5", "players": 4},
        {"edition": "big-box", "board": "nowhere", "players": 4},
        {"edition": "big-box", "board": "standard-3", "players": 2},
        {"edition": "big-box", "board": "standard-3", "players": 4},
        {"edition": "big-box", "board": "standard-4-5", "players": 3},
        {"edition": "big-box", "board": "standard-4-5", "players": 6},
        {"edition": "2009", "board": "standard-4-5", "players": 2},
        {"edition": "2009", "board": "standard-4-5", "players": 3},
        {"edition": "2009", "board": "standard-3", "players": 1},
        {"edition": "2009", "board": "standard-3", "players": 4},
        {"edition": "2009", "board": "east", "players": 4},
        {"edition": "2009", "board": "britannia-3", "players": 3},
        {"edition": "2009", "board": "britannia-4-5", "players": 4},
        {"edition": "big-box", "board": "east", "players": 2},
        {"edition": "big-box", "board": "east", "players": 6},
        {"edition": "big-box", "board": "britannia-3", "players": 4},
        {"edition": "big-box", "board": "britannia-4-5", "players": 3},
        {"edition": "2009", "board": "standard-4-5", "players": 4, "missions": True},
        {"edition": "2009", "board": "standard-4-5", "players": 4, "favours": True},
    ],
    ids=lambda options: " ".join(str(value) for value in options.values()),
)
def test_core_refuses_what_cannot_be_played(options: dict[str, Any]) -> None:
    import hansa_fast as hf

    with pytest.raises(hf.RulesError) as refusal:
        hf.Rules(game="teutonica", **options)
    assert isinstance(refusal.value, ValueError)
    assert str(refusal.value)


@pytest.mark.parametrize(("edition", "board", "players"), TABLES)
def test_core_plays_every_table(edition: str, board: str, players: int) -> None:
    import hansa_fast as hf

    state = hf.Rules(game="teutonica", edition=edition, board=board, players=players).new(seed=7)
    assert len(state.to_dict()["players"]) == players
    assert state.phase == ("pawn" if players == 2 else "main")
