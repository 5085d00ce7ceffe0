"""The emperor's favour and the missions of the Big Box (F1-F8)."""

from __future__ import annotations

import pytest

from tests.engines import DESK, Position, Table, Tables, load, posts, with_prefix

BOARD = "standard-4-5"
ORIGIN = "Coellen-Warburg"
RING_1 = ("Göttingen-Warburg", "Paderborn-Warburg")
TILES = [tile["id"] for tile in load("emperors-favour")["tiles"]]


def favours() -> Position:
    return Position(favours=True)


def displaced(table: Tables, tile: str, shape: str = "trader") -> Table:
    """Seat 1, who owns the tile, is displaced from Coellen-Warburg."""
    game = table(favours().tile(1, tile).piece(f"{ORIGIN} 1", f"{shape} 1"))
    return game.play(f"displace trader {ORIGIN} 1", "pay 1 trader" if shape == "trader" else "pay 2 traders")


@pytest.mark.ruling("F1")
@pytest.mark.parametrize("players", [3, 4, 5])
def test_f1_as_many_tiles_as_players(table: Tables, players: int) -> None:
    board = "standard-3" if players == 3 else BOARD
    game = table.new(Position(board=board, players=players, favours=True))
    assert game["favours"] == TILES[:players]
    assert table.new(Position(board=board, players=players))["favours"] == []


@pytest.mark.ruling("F1")
@pytest.mark.parametrize("module", ["missions", "favours"])
@pytest.mark.parametrize(("board", "players"), [("east", 4), ("britannia-3", 3), ("britannia-4-5", 4)])
def test_f1_the_core_refuses_other_boards(board: str, players: int, module: str) -> None:
    import hansa_fast as hf

    with pytest.raises(hf.RulesError):
        hf.Rules(game="teutonica", edition="big-box", board=board, players=players, **{module: True})


@pytest.mark.ruling("F2")
def test_f2_buying(table: Tables) -> None:
    position = favours().markers(0, "actions_3", "actions_4", "swap_posts", "develop_ability")
    game = table(position)
    assert game.offers("favour") == with_prefix("favour", TILES[:4])
    game.play("favour extra_action")
    assert (game.phase, game.player) == ("flip", 0)
    assert game.legal() == with_prefix("flip", ["actions_3", "actions_4", "swap_posts", "develop_ability"])
    game.play("flip actions_4")
    assert game.legal() == with_prefix("flip", ["actions_3", "swap_posts", "develop_ability"])
    game.play("flip swap_posts")
    assert game.seat(0)["favours"] == ["extra_action"]
    assert "extra_action" not in game["favours"]
    assert game.seat(0)["used"] == {"actions_4": 1, "swap_posts": 1}
    assert (game.phase, game["actions"]) == ("main", 0)
    assert game.legal() == with_prefix("use develop_ability", DESK) | {"end"}, "no actions, no +3, no second tile"
    game.play("use develop_ability actions")
    assert game["actions"] == 0
    assert game.legal() == {"end"}
    assert game.score("markers")[0] == 6


@pytest.mark.ruling("F2")
def test_f2_two_of_a_kind_may_be_flipped(table: Tables) -> None:
    game = table(favours().markers(0, "actions_3", "actions_3")).play(f"favour {TILES[0]}", "flip actions_3")
    assert game.legal() == {"flip actions_3"}
    assert game.play("flip actions_3").seat(0)["used"] == {"actions_3": 2}


@pytest.mark.ruling("F2")
def test_f2_only_first_of_all_and_for_two_unused_markers(table: Tables) -> None:
    three = ("actions_3", "swap_posts", "develop_ability")
    assert not table(favours().markers(0, *three)).play("income 1 trader").offers("favour")
    assert not table(favours().markers(0, *three)).play("use actions_3").offers("favour")
    assert not table(favours().markers(0, "actions_3").used(0, "swap_posts")).offers("favour")
    assert not table(favours().markers(1, *three)).offers("favour")
    assert not table(Position().markers(0, *three)).offers("favour")


@pytest.mark.ruling("F2")
def test_f2_plate_is_placed(table: Tables) -> None:
    position = favours().markers(0, "actions_3", "swap_posts").plate(0, "develop_ability")
    position.on_routes({"Goslar-Hildesheim": "move_3", "Lüneburg-Perleberg": "additional_post"})
    game = table(position).play(f"favour {TILES[0]}", "flip actions_3", "flip swap_posts", "end")
    assert (game.phase, game.player) == ("put-marker", 0)
    assert game.legal() == {"put-marker develop_ability"}


@pytest.mark.ruling("F3")
def test_f3_extra_action_from_the_next_turn_on(table: Tables) -> None:
    position = favours().markers(0, "actions_3", "swap_posts")
    game = table(position).play("favour extra_action", "flip actions_3", "flip swap_posts")
    assert game["actions"] == 0
    game.play("end", "end", "end", "end")
    assert (game.player, game["actions"]) == (0, 3)


@pytest.mark.ruling("F3")
def test_f3_on_top_of_everything(table: Tables) -> None:
    game = table(favours().tile(1, "extra_action").ability(1, actions=5).markers(1, "actions_4")).play("end")
    assert game["actions"] == 6
    assert game.play("use actions_4")["actions"] == 10
    assert game.play("end")["actions"] == 2


@pytest.mark.ruling("F4")
def test_f4_income_tile(table: Tables) -> None:
    game = table(favours().tile(1, "income_follow").supply(1, 6, 0)).play("income 2 traders")
    assert (game.phase, game.player, game["current"]) == ("favour-income", 1, 0)
    assert game.legal() == {"favour-income trader", "favour-income merchant", "skip"}
    supply, stock = game.supply(1), game.stock(1)
    game.play("favour-income merchant")
    assert game.supply(1) == (supply[0], supply[1] + 1)
    assert game.stock(1) == (stock[0], stock[1] - 1)
    assert (game.phase, game.player, game["actions"]) == ("main", 0, 1)
    game.play("income 1 trader")
    assert game.legal() == {"favour-income trader", "skip"}
    supply = game.supply(1)
    game.play("skip")
    assert game.supply(1) == supply
    assert (game.phase, game.player, game["actions"]) == ("main", 0, 0)


@pytest.mark.ruling("F4")
def test_f4_not_asked_for_own_income_nor_with_an_empty_stock(table: Tables) -> None:
    game = table(favours().tile(1, "income_follow").turn(1)).play("income 1 trader")
    assert (game.phase, game.player) == ("main", 1)
    game = table(favours().tile(1, "income_follow").stock(1, 0, 0)).play("income 1 trader")
    assert (game.phase, game.player) == ("main", 0)
    game = table(favours()).play("income 1 trader")
    assert (game.phase, game.player) == ("main", 0)


@pytest.mark.ruling("F5")
def test_f5_displaced_anywhere(table: Tables) -> None:
    game = displaced(table, "relocate_anywhere")
    free = set(posts(BOARD)) - {f"{ORIGIN} 1"}
    assert game.legal() == with_prefix("answer trader", free)
    game.play("answer trader Hamburg-Lübeck 1")
    assert game.legal() == with_prefix("answer trader", free - {"Hamburg-Lübeck 1"}) | {"decline"}
    game.play(f"answer trader {ORIGIN} 2")
    assert game.phase == "main"


@pytest.mark.ruling("F5")
def test_f5_only_for_its_owner(table: Tables) -> None:
    game = table(favours().tile(2, "relocate_anywhere").piece(f"{ORIGIN} 1", "trader 1"))
    game.play(f"displace trader {ORIGIN} 1", "pay 1 trader")
    assert game.legal() == with_prefix("answer trader", posts(BOARD, *RING_1))


@pytest.mark.ruling("F5", "D11")
def test_f5_a_free_post_of_the_origin_route_is_enough(table: Tables) -> None:
    """The only free post of the board lies on the route of the piece that is to be displaced."""

    def crowded() -> Position:
        return Position(favours=True, players=5).piece(f"{ORIGIN} 1", "trader 1")

    def filled(position: Position) -> Table:
        return table(position.fill_rest(0, 1, 2, 3, 4, free=[f"{ORIGIN} 2"]))

    text = f"displace trader {ORIGIN} 1"
    assert text not in filled(crowded()).legal()
    game = filled(crowded().tile(1, "relocate_anywhere")).play(text, "pay 1 trader")
    assert game.legal() == {f"answer trader {ORIGIN} 2"}


@pytest.mark.ruling("F6")
@pytest.mark.parametrize("shape", ["trader", "merchant"])
def test_f6_two_extras_for_a_trader(table: Tables, shape: str) -> None:
    game = displaced(table, "displaced_trader_2", shape)
    assert game["pending"]["extras"] == 2
    game.play(f"answer {shape} {RING_1[0]} 1", f"answer trader {RING_1[0]} 2", f"answer trader {RING_1[0]} 3")
    assert (game.phase, game.player) == ("main", 0)


@pytest.mark.ruling("F7")
def test_f7_cities_and_abilities(table: Tables) -> None:
    position = favours().open_tiles(*TILES[-4:]).tile(0, "city_control_double").tile(1, "ability_7")
    position.office("Hannover", 0).office("Minden", 0, 1).office("Goslar", 1).ability(0, bank=3)
    position.ability(1, keys=4, bank=3, book=3)
    game = table(position)
    assert game.score("cities") == [4, 4, 0, 0]
    assert game.score("abilities") == [4, 14, 0, 0]


@pytest.mark.ruling("F7")
def test_f7_every_controlled_city(table: Tables) -> None:
    position = favours().open_tiles(*TILES[-4:]).tile(0, "city_control_double")
    game = table(position.office("Hannover", 0).office("Minden", 0).office("Goslar", 0, 1))
    assert game.score("cities") == [8, 2, 0, 0]


def mission() -> Position:
    """The card of seat 0 names Osnabrück, Stendal and Paderborn."""
    return Position(missions=True).mission(0, "Paderborn")


@pytest.mark.ruling("F8")
@pytest.mark.parametrize(
    ("offices", "points"),
    [
        ({}, 0),
        ({"Osnabrück": [0]}, 1),
        ({"Osnabrück": [0], "Stendal": [0]}, 2),
        ({"Osnabrück": [0], "Stendal": [0], "Paderborn": [0]}, 8),
        ({"Osnabrück": [0, 1], "Stendal": [0], "Paderborn": [0]}, 3),
        ({"Osnabrück": [1, 0], "Stendal": [0], "Paderborn": [0]}, 8),
        ({"Osnabrück": [0, 1], "Hannover": [0]}, 1),
    ],
)
def test_f8_missions(table: Tables, offices: dict[str, list[int]], points: int) -> None:
    position = mission()
    for city, row in offices.items():
        position.office(city, *row)
    game = table(position)
    assert game.score("missions") == [points, 0, 0, 0]
    assert all(scores["total"] == sum(scores.values()) - scores["total"] for scores in game.scores())


@pytest.mark.ruling("F8")
def test_f8_extra_offices_count(table: Tables) -> None:
    position = mission().office("Osnabrück", 3).extra("Osnabrück", "trader 0").office("Stendal", 0)
    assert table(position).score("missions") == [2, 0, 0, 0]
    position = mission().office("Osnabrück", 3).extra("Osnabrück", "trader 0", "trader 0")
    assert table(position.office("Stendal", 0).office("Paderborn", 0)).score("missions") == [8, 0, 0, 0]


def test_modules_are_absent_when_not_played(table: Tables) -> None:
    game = table(Position().office("Osnabrück", 0).office("Stendal", 0).office("Paderborn", 0))
    assert game.score("missions") == [0, 0, 0, 0]
    assert game.seat(0)["mission"] is None
