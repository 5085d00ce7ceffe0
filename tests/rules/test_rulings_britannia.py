"""Britannia: permissions, countries and their scoring (B1-B9)."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from tests.engines import Position, Table, Tables, posts, routes, with_prefix

BOARD = "britannia-4-5"


def britannia() -> Position:
    return Position(board=BOARD)


def posts_in(*countries: str, board: str = BOARD, boats: bool = True) -> set[str]:
    names = [name for name, route in routes(board).items() if route["region"] in countries]
    return set(posts(board, *names, boats=boats)) if names else set()


def open_countries(game: Table, board: str = BOARD) -> set[str]:
    """The countries in which the player may place a trader now (there it must be every free house post)."""
    offered = {text.removeprefix("place trader ") for text in game.offers("place trader")}
    found = set()
    for country in ("england", "wales", "scotland"):
        free = posts_in(country, board=board, boats=False) - set(game["posts"])
        if offered & free:
            assert free <= offered
            found.add(country)
    return found


@pytest.mark.ruling("B1")
@pytest.mark.parametrize(
    ("offices", "countries"),
    [
        ({}, set()),
        ({"Cardiff": [0]}, {"wales"}),
        ({"Carlisle": [0]}, {"scotland"}),
        ({"London": [0]}, {"wales", "scotland"}),
        ({"Cardiff": [0, 0, 1]}, set()),
        ({"Cardiff": [1, 1, 0]}, {"wales"}),
        ({"Carlisle": [0, 1], "London": [0, 1]}, set()),
        ({"Conway": [0], "Edinburgh": [0]}, set()),
    ],
)
def test_b1_rightmost_printed_office(table: Tables, offices: dict[str, list[int]], countries: set[str]) -> None:
    position = britannia()
    for city, row in offices.items():
        position.office(city, *row)
    assert open_countries(table(position)) == countries | {"england"}


@pytest.mark.ruling("B1")
def test_b1_extra_offices_give_no_permission(table: Tables) -> None:
    position = britannia().office("Cardiff", 1).extra("Cardiff", "trader 0", "trader 0")
    assert open_countries(table(position)) == {"england"}
    position = britannia().office("Cardiff", 0).extra("Cardiff", "trader 1", "trader 1")
    assert open_countries(table(position)) == {"england", "wales"}


@pytest.mark.ruling("B1")
def test_b1_three_players(table: Tables) -> None:
    def three(city: str) -> Position:
        return Position(board="britannia-3", players=3).office(city, 0)

    assert open_countries(table(three("Carlisle")), "britannia-3") == {"england"}
    assert open_countries(table(three("London")), "britannia-3") == {"england", "wales"}
    assert open_countries(table(three("Cardiff")), "britannia-3") == {"england", "wales"}


@pytest.mark.ruling("B2")
def test_b2_checked_live(table: Tables) -> None:
    game = table(britannia().markers(0, "swap_posts").office("Cardiff", 0, 1))
    assert open_countries(game) == {"england"}
    game.play("use swap_posts Cardiff 1 2")
    assert open_countries(game) == {"england", "wales"}
    game = table(britannia().markers(0, "swap_posts").office("Cardiff", 1, 0))
    assert open_countries(game) == {"england", "wales"}
    game.play("use swap_posts Cardiff 1 2")
    assert open_countries(game) == {"england"}
    game = table(britannia().fill("Cardiff-Oxford", "trader 0"))
    assert open_countries(game) == {"england"}
    game.play("route Cardiff-Oxford office Cardiff")
    assert open_countries(game) == {"england", "wales"}


@pytest.mark.ruling("B2")
def test_b2_one_use_per_city_and_turn(table: Tables) -> None:
    game = table(britannia().office("Cardiff", 0)).play("place trader Cardiff-Montgomery 1")
    assert game["permissions_used"] == ["Cardiff"]
    assert open_countries(game) == {"england"}
    game.play("end", "end", "end", "end")
    assert game.player == 0
    assert game["permissions_used"] == []
    assert open_countries(game) == {"england", "wales"}


@pytest.mark.ruling("B2")
def test_b2_a_second_office_does_not_renew_a_use(table: Tables) -> None:
    position = britannia().ability(0, actions=1, privilege=1).office("Cardiff", 0).fill("Cardiff-Oxford", "trader 0")
    game = table(position).play("place trader Cardiff-Montgomery 1", "route Cardiff-Oxford office Cardiff")
    assert game["actions"] == 1
    assert open_countries(game) == {"england"}


@pytest.mark.ruling("B3")
def test_b3_the_city_of_the_country_is_spent_before_london(table: Tables) -> None:
    position = britannia().ability(0, actions=3).office("Cardiff", 0).office("Carlisle", 0).office("London", 0)
    game = table(position).play("place trader Cardiff-Montgomery 1")
    assert game["permissions_used"] == ["Cardiff"]
    assert open_countries(game) == {"england", "wales", "scotland"}
    game.play("place trader Falkirk-Glasgow 1")
    assert game["permissions_used"] == ["Cardiff", "Carlisle"]
    assert open_countries(game) == {"england", "wales", "scotland"}
    game.play("place trader Falkirk-Glasgow 2")
    assert game["permissions_used"] == ["Cardiff", "Carlisle", "London"]
    assert open_countries(game) == {"england"}


@pytest.mark.ruling("B3")
def test_b3_london_alone(table: Tables) -> None:
    position = britannia().ability(0, actions=1).office("London", 0).office("Carlisle", 1)
    game = table(position).play("place trader Falkirk-Glasgow 1")
    assert game["permissions_used"] == ["London"]
    assert open_countries(game) == {"england"}


@pytest.mark.ruling("B4")
def test_b4_displacing_is_a_use(table: Tables) -> None:
    post = "Cardiff-Montgomery 1"
    assert not table(britannia().piece(post, "trader 1")).offers("displace")
    game = table(britannia().ability(0, actions=1).office("Cardiff", 0).piece(post, "trader 1"))
    game.play(f"displace trader {post}")
    assert game["permissions_used"] == ["Cardiff"]
    game.play("pay 1 trader", "answer trader Montgomery-Pembroke 1", "answer trader Montgomery-Pembroke 2")
    assert (game.phase, game.player) == ("main", 0)
    assert open_countries(game) == {"england"}
    assert not game.offers("displace")


@pytest.mark.ruling("B4")
def test_b4_england_needs_none_and_uses_none(table: Tables) -> None:
    game = table(britannia().office("London", 0).piece("London-Oxford 1", "trader 1"))
    game.play("place trader London-Oxford 2")
    assert game["permissions_used"] == []
    game.play("displace trader London-Oxford 1")
    assert game["permissions_used"] == []


@pytest.mark.ruling("B4")
def test_b4_establishing_and_moving_are_no_uses(table: Tables) -> None:
    position = britannia().fill("Chester-Conway", "trader 0").piece("Falkirk-Glasgow 1", "trader 0")
    game = table(position).play("move", "lift Falkirk-Glasgow 1", "set Edinburgh-Glasgow 1", "finish")
    game.play("route Chester-Conway none")
    assert game["permissions_used"] == []


def set_posts(table: Tables, start: str, position: Position | None = None) -> set[str]:
    game = table((position or britannia()).piece(start, "trader 0")).play("move", f"lift {start}")
    return {text.removeprefix("set ") for text in game.legal()}


@pytest.mark.ruling("B5", "M4")
@pytest.mark.parametrize(
    ("start", "countries"),
    [
        ("London-Oxford 1", ("england",)),
        ("Cardiff-Montgomery 1", ("england", "wales")),
        ("Falkirk-Glasgow 1", ("england", "scotland")),
    ],
)
def test_b5_own_moves(table: Tables, start: str, countries: Iterable[str]) -> None:
    assert set_posts(table, start) == posts_in(*countries, boats=False) - {start}


@pytest.mark.ruling("B5")
def test_b5_judged_by_where_it_was_lifted_from(table: Tables) -> None:
    game = table(britannia().piece("Cardiff-Montgomery 1", "trader 0"))
    game.play("move", "lift Cardiff-Montgomery 1", "set London-Oxford 1", "lift London-Oxford 1")
    assert game.legal() == with_prefix("set", posts_in("england", boats=False) - {"London-Oxford 1"})


@pytest.mark.ruling("B5")
def test_b5_exchanges_keep_the_limits(table: Tables) -> None:
    position = britannia().piece("London-Oxford 1", "trader 0").piece("Cardiff-Montgomery 1", "merchant 0")
    game = table(position).play("move", "lift London-Oxford 1")
    assert "set Cardiff-Montgomery 1" not in game.legal()
    game = table(position).play("move", "lift Cardiff-Montgomery 1")
    assert "set London-Oxford 1" in game.legal()
    game.play("set London-Oxford 1")
    assert game.legal() == with_prefix("set", posts_in("england", boats=False) - {"London-Oxford 1"})


@pytest.mark.ruling("B5")
@pytest.mark.parametrize(
    ("start", "country"),
    [("London-Oxford 1", "england"), ("Cardiff-Montgomery 1", "wales"), ("Falkirk-Glasgow 1", "scotland")],
)
def test_b5_moved_by_markers_each_stays_in_its_country(table: Tables, start: str, country: str) -> None:
    stay = with_prefix("set", posts_in(country, boats=False) - {start})
    game = table(britannia().markers(0, "move_3").piece(start, "trader 1")).play("use move_3", f"lift {start}")
    assert game.legal() == stay
    position = britannia().piece(start, "trader 1").fill("Calais-Canterbury", "trader 0", "merchant 0", "trader 0")
    game = table(position).play("route Calais-Canterbury none", f"lift {start}")
    assert game.legal() == stay
    own = britannia().piece(start, "trader 0").fill("Calais-Canterbury", "trader 0", "merchant 0", "trader 0")
    game = table(own).play("route Calais-Canterbury none", f"lift {start}")
    assert game.legal() == stay


def place_route() -> Position:
    """Seat 0 holds Calais-Southampton, whose permanent marker places two in Wales or Scotland."""
    position = britannia().ability(0, book=2).supply(0, 4, 0)
    return position.fill("Calais-Southampton", "trader 0", "merchant 0", "merchant 0")


@pytest.mark.ruling("B6")
def test_b6_place_two_from_stock(table: Tables) -> None:
    game = table(place_route().piece("Falkirk-Glasgow 1", "trader 1"))
    traders, merchants = game.stock(0)
    game.play("route Calais-Southampton none")
    assert game.phase == "place-two"
    assert game["pending"] == {"traders": traders + 1, "merchants": merchants + 2, "left": 2}
    taken = {"Falkirk-Glasgow 1"}
    assert game.legal() == (
        with_prefix("place-two trader", posts_in("wales", "scotland", boats=False) - taken)
        | with_prefix("place-two merchant", posts_in("wales", "scotland") - taken)
        | {"skip"}
    )
    game.play("place-two merchant Conway-Isle of Man 1", "place-two merchant Carlisle-Isle of Man 2")
    assert (game.phase, game.player, game["actions"]) == ("main", 0, 1)
    assert game.stock(0) == (traders + 1, merchants)
    assert game.supply(0) == (4, 0)
    assert game["permissions_used"] == []


@pytest.mark.ruling("B6")
def test_b6_up_to_two(table: Tables) -> None:
    assert table(place_route()).play("route Calais-Southampton none", "skip").phase == "main"
    game = table(place_route()).play("route Calais-Southampton none", "place-two trader Falkirk-Glasgow 1", "skip")
    assert game.phase == "main"
    assert game["posts"] == {"Falkirk-Glasgow 1": "trader 0"}


@pytest.mark.ruling("B6")
def test_b6_three_players_have_wales_only(table: Tables) -> None:
    position = Position(board="britannia-3", players=3).ability(0, book=1)
    position.fill("Calais-Southampton", "trader 0", "merchant 0", "merchant 0")
    game = table(position).play("route Calais-Southampton none")
    offered = {text.removeprefix("place-two trader ") for text in game.offers("place-two trader")}
    assert offered == posts_in("wales", board="britannia-3", boats=False)


def test_permanent_marker_of_carlisle_for_three_players(table: Tables) -> None:
    pieces = ("trader 0", "merchant 0", "merchant 0")
    position = Position(board="britannia-3", players=3).ability(0, book=1).piece("London-Oxford 1", "trader 1")
    game = table(position.fill("Carlisle-Isle of Man", *pieces)).play("route Carlisle-Isle of Man none")
    assert game.legal() == {"lift London-Oxford 1", "finish"}
    four = britannia().ability(0, book=1).piece("London-Oxford 1", "trader 1").fill("Carlisle-Isle of Man", *pieces)
    assert table(four).play("route Carlisle-Isle of Man none").phase == "main"


# Scoring of the countries

Offices = dict[str, list[int]]


def country_scores(table: Tables, offices: Offices, board: str = BOARD, players: int = 4) -> Table:
    position = Position(board=board, players=players)
    for seat in range(players):
        position.ability(seat, book=3)
    for city, row in offices.items():
        position.office(city, *row)
    return table(position)


@pytest.mark.ruling("B7")
def test_b7_isle_of_man_counts_for_both(table: Tables) -> None:
    game = country_scores(table, {"Isle of Man": [0]})
    assert game.score("wales") == [7, 0, 0, 0]
    assert game.score("scotland") == [7, 0, 0, 0]
    three = country_scores(table, {"Isle of Man": [0]}, "britannia-3", 3)
    assert three.score("wales") == [7, 0, 0]
    assert all("scotland" not in scores for scores in three.scores())


@pytest.mark.ruling("B7")
@pytest.mark.parametrize(
    ("board", "city", "wales", "scotland"),
    [
        (BOARD, "Carlisle", 0, 7),
        (BOARD, "Newcastle", 0, 7),
        (BOARD, "Chester", 7, 0),
        (BOARD, "Hereford", 0, 0),
        (BOARD, "Durham", 0, 0),
        ("britannia-3", "Carlisle", 0, None),
        ("britannia-3", "Newcastle", 0, None),
        ("britannia-3", "Cardiff", 7, None),
    ],
)
def test_b7_country_of_a_city(table: Tables, board: str, city: str, wales: int, scotland: int | None) -> None:
    scores = country_scores(table, {city: [0]}, board, 4 if board == BOARD else 3).scores()[0]
    assert scores["wales"] == wales
    assert scores.get("scotland") == scotland
    assert scores["total"] == sum(scores.values()) - scores["total"]


@pytest.mark.ruling("B7")
@pytest.mark.parametrize(
    ("offices", "wales"),
    [
        ({"Conway": [0], "Chester": [0], "Cardiff": [2, 1], "Montgomery": [2]}, [7, 2, 4, 0]),
        ({"Cardiff": [0, 1, 1, 1], "Montgomery": [0]}, [4, 7, 0, 0]),
        ({"Cardiff": [2, 1, 1], "Montgomery": [0], "Conway": [3]}, [3, 7, 0, 3]),
        ({"Pembroke": [1, 1, 1], "Montgomery": [0], "Conway": [0]}, [7, 4, 0, 0]),
    ],
)
def test_b7_cities_then_offices(table: Tables, offices: Offices, wales: list[int]) -> None:
    assert country_scores(table, offices).score("wales") == wales


@pytest.mark.ruling("B7")
def test_b7_extra_offices_count(table: Tables) -> None:
    position = britannia().office("Conway", 0).office("Montgomery", 1).extra("Conway", "trader 0")
    assert table(position).score("wales") == [7, 4, 0, 0]


@pytest.mark.ruling("B8")
@pytest.mark.parametrize(
    ("offices", "wales"),
    [
        ({"Conway": [0], "Montgomery": [1]}, [5, 5, 0, 0]),
        ({"Conway": [0], "Montgomery": [1], "Chester": [2]}, [4, 4, 4, 0]),
        ({"Conway": [0], "Montgomery": [1], "Chester": [2], "Pembroke": [3]}, [3, 3, 3, 3]),
        ({"Conway": [0], "Montgomery": [0], "Chester": [1], "Pembroke": [2]}, [7, 3, 3, 0]),
        ({"Conway": [0], "Montgomery": [0], "Cardiff": [1, 1], "Chester": [2], "Pembroke": [3]}, [7, 4, 1, 1]),
        ({"Cardiff": [1, 2, 0, 0]}, [7, 3, 3, 0]),
        ({"Cardiff": [1, 2, 3, 0, 0]}, [7, 2, 2, 2]),
    ],
)
def test_b8_remaining_ties_pool_their_places(table: Tables, offices: Offices, wales: list[int]) -> None:
    assert country_scores(table, offices).score("wales") == wales


@pytest.mark.ruling("B8")
def test_b8_scotland_in_the_same_way(table: Tables) -> None:
    game = country_scores(table, {"Falkirk": [0], "Edinburgh": [1], "Carlisle": [2, 2]})
    assert game.score("scotland") == [3, 3, 7, 0]


@pytest.mark.ruling("B9")
def test_b9_nothing_without_an_office(table: Tables) -> None:
    assert country_scores(table, {"Conway": [2]}).score("wales") == [0, 0, 7, 0]
    assert country_scores(table, {"Conway": [2, 1]}).score("wales") == [0, 7, 4, 0]
    assert country_scores(table, {"London": [0]}).score("wales") == [0, 0, 0, 0]
