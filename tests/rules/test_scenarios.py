"""The scenarios of section 14 of the rules, by their numbers.

Big Box on the board for four and five, four players, unless said otherwise. Red is seat 0, Blue 1, Green 2.
"""

from __future__ import annotations

import pytest

from tests.engines import DESK, Position, Tables, posts, with_prefix

ROUTE = "Dortmund-Paderborn"
NEXT_TO_ROUTE = ("Dortmund-Duisburg", "Hildesheim-Paderborn", "Minden-Paderborn", "Paderborn-Warburg")


def dortmund_paderborn() -> Position:
    """Red holds Dortmund's white space, Paderborn has Red white and Blue black, Red fills the route between."""
    return Position().office("Dortmund", 0).office("Paderborn", 0, 1).fill(ROUTE, "trader 0")


def coellen_warburg() -> Position:
    """Red, at orange, holds Coellen-Warburg with three traders and a merchant."""
    return Position().ability(0, privilege=1).fill("Coellen-Warburg", "trader 0", "trader 0", "trader 0", "merchant 0")


def test_scenario_01_displacing_a_trader(table: Tables) -> None:
    game = table(Position().supply(0, 5, 0).piece(f"{ROUTE} 2", "trader 1"))
    stock, blue = game.stock(0), game.stock(1)
    game.play(f"displace trader {ROUTE} 2", "pay 1 trader")
    assert game.supply(0) == (3, 0)
    assert game.stock(0) == (stock[0] + 1, stock[1])
    assert (game.phase, game.player) == ("answer", 1)
    assert game.legal() == with_prefix("answer trader", posts("standard-4-5", *NEXT_TO_ROUTE))
    game.play("answer trader Dortmund-Duisburg 1", "answer trader Minden-Paderborn 3")
    assert game["posts"] == {
        f"{ROUTE} 2": "trader 0",
        "Dortmund-Duisburg 1": "trader 1",
        "Minden-Paderborn 3": "trader 1",
    }
    assert game.stock(1) == (blue[0] - 1, blue[1])
    assert (game.phase, game.player, game["actions"]) == ("main", 0, 1)


def test_scenario_02_both_controllers_score(table: Tables) -> None:
    game = table(dortmund_paderborn()).play(f"route {ROUTE} none")
    assert [game.points(seat) for seat in range(4)] == [1, 1, 0, 0]


def test_scenario_03_office_in_the_leftmost_free_space(table: Tables) -> None:
    game = table(dortmund_paderborn().ability(0, privilege=2))
    stock = game.stock(0)
    game.play(f"route {ROUTE} office Dortmund")
    assert game["offices"]["Dortmund"] == ["merchant 0", "trader 0", None]
    assert game.stock(0) == (stock[0] + 2, stock[1])
    assert game["posts"] == {}


def test_scenario_04_marker_taken_and_another_drawn(table: Tables) -> None:
    markers = {ROUTE: "actions_3", "Bremen-Osnabrück": "swap_posts", "Goslar-Hildesheim": "move_3"}
    game = table(dortmund_paderborn().on_routes(markers).pile("develop_ability")).play(f"route {ROUTE} none")
    assert game.seat(0)["markers"] == {"actions_3": 1}
    assert game["plate"] == {"develop_ability": 1}
    assert ROUTE not in game["markers"]
    assert len(game["markers"]) == 2
    assert game.phase == "main"
    assert not game.offers("put-marker")
    game.play("end")
    assert (game.phase, game.player) == ("put-marker", 0)
    assert game.legal() == {"put-marker develop_ability"}


def test_scenario_05_choices_on_coellen_warburg(table: Tables) -> None:
    assert table(coellen_warburg()).offers("route") == {
        "route Coellen-Warburg none",
        "route Coellen-Warburg office Coellen",
        "route Coellen-Warburg office Warburg",
        "route Coellen-Warburg prestige 7",
        "route Coellen-Warburg prestige 8",
    }


def test_scenario_06_coellen_white_gives_a_point(table: Tables) -> None:
    game = table(coellen_warburg()).play("route Coellen-Warburg office Coellen")
    assert game.points(0) == 1
    assert game["offices"] == {"Coellen": ["trader 0", None]}


def test_scenario_07_network_of_nine_offices(table: Tables) -> None:
    position = Position().ability(0, keys=3).office("Minden", 0, 0).office("Hildesheim", 0, 0)
    for city in ("Hannover", "Paderborn", "Goslar", "Brunswiek", "Warburg", "Kampen"):
        position.office(city, 0)
    assert table(position).score("network") == [27, 0, 0, 0]


def test_scenario_08_book_developed_by_marker(table: Tables) -> None:
    position = Position().markers(0, "develop_ability").fill("Arnheim-Kampen", "trader 0")
    game = table(position)
    traders, merchants = game.supply(0)
    game.play("use develop_ability book")
    assert game.supply(0) == (traders, merchants + 1)
    game.play("move")
    for number in (1, 2, 3):
        assert game.phase == "lift"
        game.play(f"lift Arnheim-Kampen {number}", f"set Arnheim-Münster {number}")
    assert (game.phase, game["actions"]) == ("main", 1)
    assert set(game["posts"]) == set(posts("standard-4-5", "Arnheim-Münster"))


def test_scenario_09_extra_office_left_of_the_others(table: Tables) -> None:
    position = Position().office("Hannover", 1, 2).markers(0, "additional_post").fill("Bremen-Hannover", "trader 0")
    game = table(position).play("route Bremen-Hannover extra Hannover trader")
    assert game["extra"] == {"Hannover": ["trader 0"]}
    assert game["offices"]["Hannover"] == ["trader 1", "trader 2"]
    assert game.seat(0)["used"] == {"additional_post": 1}
    assert game.seat(0)["markers"] == {}
    assert game.score("cities") == [0, 0, 2, 0]


def test_scenario_10_no_reward_returns_all_to_stock(table: Tables) -> None:
    game = table(Position().fill(ROUTE, "trader 0", "merchant 0", "trader 0"))
    supply, (traders, merchants) = game.supply(0), game.stock(0)
    game.play(f"route {ROUTE} none")
    assert game.supply(0) == supply
    assert game.stock(0) == (traders + 2, merchants + 1)


def test_scenario_11_a_full_route_does_nothing_by_itself(table: Tables) -> None:
    position = dortmund_paderborn()
    before = table(position)
    game = table(Position().office("Dortmund", 0).office("Paderborn", 0, 1).fill(ROUTE, "trader 0", "trader 0", None))
    assert not game.offers("route")
    game.play(f"place trader {ROUTE} 3")
    assert game["posts"] == before["posts"]
    assert game["offices"] == before["offices"]
    assert [game.points(seat) for seat in range(4)] == [0, 0, 0, 0]
    assert f"route {ROUTE} none" in game.legal()
    spent = table(dortmund_paderborn().turn(0, actions=0, acted=True))
    assert not spent.offers("route")


def test_scenario_12_desk_piece_goes_to_supply(table: Tables) -> None:
    game = table(Position().fill("Göttingen-Quedlinburg", "trader 0"))
    supply, stock = game.supply(0), game.stock(0)
    game.play("route Göttingen-Quedlinburg develop actions")
    assert game.supply(0) == (supply[0] + 1, supply[1])
    assert game.stock(0) == (stock[0] + 3, stock[1])
    assert game.level(0, "actions") == 1


def test_scenario_13_last_space_of_duisburg(table: Tables) -> None:
    game = table(Position().fill("Dortmund-Duisburg", "trader 0"))
    assert game["completed"] == 0
    game.play("route Dortmund-Duisburg office Duisburg")
    assert game["completed"] == 1


def test_scenario_14_displacing_a_merchant(table: Tables) -> None:
    game = table(Position().piece(f"{ROUTE} 1", "merchant 1"))
    supply, stock = game.supply(0), game.stock(0)
    game.play(f"displace trader {ROUTE} 1", "pay 2 traders")
    assert game.supply(0) == (supply[0] - 3, supply[1])
    assert game.stock(0) == (stock[0] + 2, stock[1])
    assert game["pending"]["extras"] == 2
    game.play(
        "answer merchant Dortmund-Duisburg 1", "answer trader Dortmund-Duisburg 2", "answer trader Paderborn-Warburg 1"
    )
    assert (game.phase, game.player) == ("main", 0)


def test_scenario_15_five_players_supplies_and_stocks(table: Tables) -> None:
    game = table.new(Position(players=5))
    assert [game.supply(seat) for seat in range(5)] == [(5, 1), (6, 1), (7, 1), (8, 1), (9, 1)]
    assert [game.stock(seat) for seat in range(5)] == [(6, 0), (5, 0), (4, 0), (3, 0), (2, 0)]


def test_scenario_16_desk_of_fifteen_traders_and_three_merchants(table: Tables) -> None:
    """The desk is what is neither in supply nor in stock; each piece on it is one step of an ability."""
    freed = {"traders": 0, "merchants": 0}
    for name, steps in DESK.items():
        for level in range(steps):
            game = table(Position().markers(0, "develop_ability").ability(0, **{name: level}))
            before = game.supply(0)
            game.play(f"use develop_ability {name}")
            after = game.supply(0)
            freed["traders"] += after[0] - before[0]
            freed["merchants"] += after[1] - before[1]
        full = table(Position().markers(0, "develop_ability").ability(0, **{name: steps}))
        assert f"use develop_ability {name}" not in full.legal()
    assert freed == {"traders": 15, "merchants": 3}


@pytest.mark.parametrize(("edition", "numbers"), [("big-box", (1, 2, 3, 4, 5)), ("2009", (5,))])
def test_scenario_17_income_at_the_second_space(table: Tables, edition: str, numbers: tuple[int, ...]) -> None:
    game = table(Position(edition=edition).ability(0, bank=1).stock(0, 9, 0))
    assert game.offers("income") == {f"income {number} trader{'s' * (number > 1)}" for number in numbers}


def test_scenario_18_boat_posts_take_merchants_only(table: Tables) -> None:
    game = table(Position(board="east"))
    assert "place merchant Malmö-Visby 2" in game.legal()
    assert "place trader Malmö-Visby 2" not in game.legal()
    assert "place trader Malmö-Visby 1" in game.legal()


def test_scenario_19_two_pieces_cannot_displace_a_merchant(table: Tables) -> None:
    game = table(Position().supply(0, 2, 0).piece(f"{ROUTE} 1", "merchant 1"))
    assert not game.offers("displace")
    game = table(Position().supply(0, 3, 0).piece(f"{ROUTE} 1", "merchant 1"))
    assert game.offers("displace") == {f"displace trader {ROUTE} 1"}


def test_scenario_20_ending_with_actions_left(table: Tables) -> None:
    game = table(Position().ability(0, actions=1))
    assert game["actions"] == 3
    game.play("income 1 trader", "end")
    assert (game.player, game["current"], game["turn"], game["actions"]) == (1, 1, 1, 2)


@pytest.mark.parametrize(
    ("number", "points"),
    [(0, 0), (1, 1), (2, 3), (3, 3), (4, 6), (5, 6), (6, 10), (7, 10), (8, 15), (9, 15), (10, 21), (11, 21)],
)
def test_scenario_21_points_for_markers(table: Tables, number: int, points: int) -> None:
    assert table(Position().any_used(0, number)).score("markers") == [points, 0, 0, 0]


def test_scenario_22_all_abilities_full(table: Tables) -> None:
    assert table(Position().ability(0, **DESK)).score("abilities") == [16, 0, 0, 0]


def four_connections(ready: int) -> Position:
    """Four seats with chains from Arnheim; those before the seat `ready` have reached Stendal, the others lack it."""
    position = Position().ability(1, book=3).ability(2, privilege=1).ability(3, book=2, privilege=2)
    position.office("Arnheim", 0, 1, 2, 3).office("Münster", 0, 2).office("Minden", 0, 2, 3).office("Brunswiek", 0)
    position.office("Duisburg", 1).office("Dortmund", 1).office("Paderborn", 1, 3).office("Hildesheim", 1, 3)
    position.office("Goslar", 1, 3).office("Magdeburg", 1, 3).office("Hannover", 2).office("Lüneburg", 2)
    position.office("Perleberg", 2).office("Kampen", 3).office("Osnabrück", 3).office("Bremen", 3)
    for seat, points in zip(range(ready), (7, 4, 2), strict=False):
        position.points(seat, points)
    return position.office("Stendal", *range(ready)).turn(ready)


@pytest.mark.parametrize(
    ("seat", "route", "points"),
    [
        (0, "Magdeburg-Stendal", 7),
        (1, "Magdeburg-Stendal", 4),
        (2, "Magdeburg-Stendal", 2),
        (3, "Perleberg-Stendal", 0),
    ],
)
def test_scenario_23_east_west(table: Tables, seat: int, route: str, points: int) -> None:
    """Each last step is on a route whose cities others control."""
    piece = "merchant 1" if seat == 1 else f"trader {seat}"
    game = table(four_connections(seat).fill(route, piece, f"trader {seat}", f"trader {seat}"))
    assert game["east_west"] == list(range(seat))
    game.play(f"route {route} office Stendal")
    assert game["east_west"] == list(range(seat + 1))
    assert game.points(seat) == points


@pytest.mark.parametrize(
    ("edition", "ranks", "winners"), [("2009", [1, 1, 3, 3], [0, 1]), ("big-box", [1, 2, 3, 3], [0])]
)
def test_scenario_24_ties(table: Tables, edition: str, ranks: list[int], winners: list[int]) -> None:
    position = (
        Position(edition=edition, turn_limit=1).points(0, 5).points(1, 5).ability(0, actions=2).ability(1, actions=4)
    )
    game = table(position).play("end")
    result = game.result()
    assert result["ranks"] == ranks
    assert result["winners"] == winners


def test_scenario_25_remove_three(table: Tables) -> None:
    position = Position(edition="2009").markers(0, "remove_3").fill(ROUTE, "trader 1", "trader 1", "merchant 2")
    game = table(position)
    blue, green, stock = game.supply(1), game.supply(2), game.stock(1)
    game.play("use remove_3", f"remove {ROUTE} 1", f"remove {ROUTE} 2", f"remove {ROUTE} 3")
    assert game["posts"] == {}
    assert game.supply(1) == (blue[0] + 2, blue[1])
    assert game.stock(1) == stock
    assert game.supply(2) == (green[0], green[1] + 1)
    assert (game.phase, game["actions"]) == ("main", 2)


def test_scenario_26_third_placement_in_wales_is_refused(table: Tables) -> None:
    position = Position(board="britannia-3", players=3).ability(0, actions=1).office("Cardiff", 0).office("London", 0)
    game = table(position)
    game.play("place trader Cardiff-Montgomery 1", "place trader Chester-Conway 1")
    assert game["actions"] == 1
    assert not game.offers("place trader Cardiff-Montgomery")
    assert not game.offers("place trader Conway-Montgomery")
    assert "place trader Cardiff-Oxford 1" in game.legal()


@pytest.mark.parametrize(
    ("route", "pieces"),
    [
        ("Chester-Conway", ["trader 0"]),
        ("Carlisle-Chester", ["trader 0", "merchant 0", "merchant 0"]),
        ("Chester-Hereford", ["trader 0"]),
    ],
)
def test_scenario_27_chester_without_permission(table: Tables, route: str, pieces: list[str]) -> None:
    game = table(Position(board="britannia-4-5").ability(0, book=1).fill(route, *pieces))
    assert {f"route {route} office Chester", f"route {route} develop actions"} <= game.legal()
    game.play(f"route {route} office Chester")
    assert game["offices"] == {"Chester": ["trader 0", None, None]}


def test_scenario_28_tie_for_wales(table: Tables) -> None:
    position = Position(board="britannia-3", players=3).office("Cardiff", 0).office("Chester", 0)
    position.office("Conway", 1).office("Isle of Man", 1).office("Montgomery", 2)
    assert table(position).score("wales") == [5, 5, 2]


def test_scenario_35_office_piece_comes_from_the_route(table: Tables) -> None:
    game = table(Position().fill("Goslar-Magdeburg", "trader 0"))
    assert game.supply(0)[1] == 1
    assert "route Goslar-Magdeburg office Magdeburg" not in game.legal()
    game = table(Position().fill("Goslar-Magdeburg", "trader 0", "merchant 0"))
    assert "route Goslar-Magdeburg office Magdeburg" in game.legal()


def test_scenario_36_merchants_serve_as_traders(table: Tables) -> None:
    game = table(Position().piece(f"{ROUTE} 1", "trader 1"))
    assert f"place merchant {ROUTE} 2" in game.legal()
    supply, stock = game.supply(0), game.stock(0)
    game.play(f"displace trader {ROUTE} 1", "pay 1 merchant")
    assert game.supply(0) == (supply[0] - 1, supply[1] - 1)
    assert game.stock(0) == (stock[0], stock[1] + 1)


def test_scenario_37_replacement_waits_for_the_end_of_the_turn(table: Tables) -> None:
    position = Position().ability(0, actions=1).fill("Goslar-Hildesheim", "trader 0").pile("actions_4")
    game = table(position).play("route Goslar-Hildesheim none")
    left = {"Bremen-Osnabrück": "swap_posts", "Lüneburg-Perleberg": "additional_post"}
    assert game["markers"] == left
    game.play("income 1 trader")
    assert game["markers"] == left
    game.play("income 1 trader")
    assert game["markers"] == left
    game.play("end", "put-marker actions_4", "on Goslar-Hildesheim")
    assert game["markers"] == {**left, "Goslar-Hildesheim": "actions_4"}
    assert game.player == 1


def test_scenario_38_one_controller_of_both_cities(table: Tables) -> None:
    position = Position().office("Minden", 1).office("Hannover", 1).fill("Hannover-Minden", "trader 0")
    game = table(position).play("route Hannover-Minden none")
    assert (game.points(0), game.points(1)) == (0, 2)


def test_scenario_39_special_prestige_waits_for_the_end(table: Tables) -> None:
    text = "route Coellen-Warburg prestige 9"
    assert text not in table(coellen_warburg()).legal()
    game = table(coellen_warburg().ability(0, privilege=2).points(0, 19)).play(text)
    assert game.points(0) == 19
    assert not game.is_over
    assert game["prestige"] == {"9": 0}
    assert game.score("prestige") == [9, 0, 0, 0]
