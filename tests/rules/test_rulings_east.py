"""East: green cities and permanent markers (X1, X2, X4, X5)."""

from __future__ import annotations

import pytest

from tests.engines import Position, Table, Tables, posts, with_prefix

BOARD = "east"


def east() -> Position:
    return Position(board=BOARD)


def green_route(supply: tuple[int, int] = (5, 1)) -> Position:
    """Seat 0 holds Malmö-Visby, whose permanent marker gives an office in a green city."""
    position = east().ability(0, book=1).supply(0, *supply)
    return position.fill("Malmö-Visby", "trader 0", "merchant 0", "trader 0")


def points(game: Table) -> list[int]:
    return [game.points(seat) for seat in range(4)]


@pytest.mark.ruling("X1")
@pytest.mark.parametrize("route", ["Havelberg-Waren", "Stettin-Waren", "Waren-Wismar"])
def test_x1_waren_offers_actions_or_bank(table: Tables, route: str) -> None:
    game = table(east().fill(route, "trader 0"))
    assert game.offers("route", route, "develop") == {f"route {route} develop actions", f"route {route} develop bank"}
    assert f"route {route} office Waren" not in game.legal()
    game.play(f"route {route} develop bank")
    assert game.level(0, "bank") == 1
    assert game.level(0, "actions") == 0


@pytest.mark.ruling("X2")
def test_x2_first_office_of_a_green_city_completes_it_once(table: Tables) -> None:
    position = east().ability(0, actions=1).markers(0, "additional_post", "additional_post")
    game = table(position.fill("Stettin-Waren", "trader 0").fill("Waren-Wismar", "trader 0"))
    game.play("route Stettin-Waren extra Waren trader")
    assert game["extra"] == {"Waren": ["trader 0"]}
    assert game["completed"] == 1
    game.play("route Waren-Wismar extra Waren trader")
    assert game["extra"] == {"Waren": ["trader 0", "trader 0"]}
    assert game["completed"] == 1
    game = table(green_route()).play("route Malmö-Visby none", "green-office Dresden trader")
    assert game["green"] == {"Dresden": ["trader 0"]}
    assert game["completed"] == 1
    game = table(green_route().green("Dresden", "trader 1")).play(
        "route Malmö-Visby none", "green-office Dresden trader"
    )
    assert game["green"] == {"Dresden": ["trader 1", "trader 0"]}
    assert game["completed"] == 1
    game = table(green_route().extra("Dresden", "trader 1")).play(
        "route Malmö-Visby none", "green-office Dresden trader"
    )
    assert game["completed"] == 1


@pytest.mark.ruling("X2")
def test_x2_the_tenth_city_may_be_green(table: Tables) -> None:
    position = east().markers(0, "additional_post")
    for city in ("Berlin-Cölln", "Perleberg", "Tangermünde", "Wittenberg"):
        position.office(city, 1)
    for city in ("Allenstein", "Anklam", "Elbing"):
        position.office(city, 2, 2)
    for city in ("Kulm", "Stettin"):
        position.office(city, 3, 3)
    game = table(position.fill("Dresden-Halle", "trader 0"))
    assert game["completed"] == 9
    game.play("route Dresden-Halle extra Dresden trader")
    assert game.is_over
    assert game.result()["reasons"] == ["completed cities"]


@pytest.mark.ruling("X2")
@pytest.mark.parametrize(
    ("extras", "green", "controller"),
    [
        ([1], [], 1),
        ([1, 2], [], 1),
        ([], [1, 2], 2),
        ([2], [1], 1),
        ([2, 2], [1], 2),
        ([2], [1, 2], 2),
        ([1], [1, 2], 1),
    ],
)
def test_x2_green_cities_are_controlled_like_others(
    table: Tables, extras: list[int], green: list[int], controller: int
) -> None:
    """Extra offices lie on the far left, later ones further left; those of the permanent marker on the far right."""
    position = east().fill("Stettin-Waren", "trader 0")
    for seat in extras:
        position.extra("Waren", f"trader {seat}")
    for seat in green:
        position.green("Waren", f"trader {seat}")
    game = table(position)
    assert game["completed"] == 1
    assert game.score("cities") == [2 if seat == controller else 0 for seat in range(4)]
    game.play("route Stettin-Waren none")
    assert points(game) == [1 if seat == controller else 0 for seat in range(4)]


@pytest.mark.ruling("X2")
def test_x2_green_offices_belong_to_networks(table: Tables) -> None:
    position = east().office("Kulm", 0).green("Belgard", "trader 0", "trader 0").extra("Belgard", "trader 0")
    assert table(position.office("Danzig", 0)).score("network")[0] == 5


@pytest.mark.ruling("X4")
def test_x4_green_office_from_supply(table: Tables) -> None:
    game = table(green_route()).play("route Malmö-Visby none")
    assert (game.phase, game.player, game["actions"]) == ("green-office", 0, 1)
    choices = [f"{city} {shape}" for city in ("Belgard", "Dresden", "Waren") for shape in ("trader", "merchant")]
    assert game.legal() == with_prefix("green-office", choices) | {"skip"}
    supply = game.supply(0)
    game.play("green-office Belgard merchant")
    assert game.supply(0) == (supply[0], supply[1] - 1)
    assert game["green"] == {"Belgard": ["merchant 0"]}
    assert (game.phase, game.player, game["actions"]) == ("main", 0, 1)


@pytest.mark.ruling("X4")
def test_x4_not_at_all_if_not_now_and_never_owned(table: Tables) -> None:
    game = table(green_route()).play("route Malmö-Visby none", "skip")
    assert game.phase == "main"
    assert not game.offers("use")
    assert not game.offers("green-office")
    assert game["green"] == {}
    assert game["completed"] == 0
    assert game.seat(0)["markers"] == {}
    assert game.score("markers")[0] == 0
    empty = table(green_route((0, 0))).play("route Malmö-Visby none")
    assert empty.phase == "main", "nothing in supply, so nothing to ask"


@pytest.mark.ruling("X4")
def test_x4_together_with_a_reward(table: Tables) -> None:
    position = green_route().ability(0, privilege=1)
    game = table(position).play("route Malmö-Visby office Visby", "green-office Waren trader")
    assert game["offices"] == {"Visby": ["merchant 0"]}
    assert game["green"] == {"Waren": ["trader 0"]}
    assert game["completed"] == 2


def privilege_route(level: int) -> Position:
    position = east().ability(0, book=2, privilege=level)
    return position.fill("Malmö-Stralsund", "merchant 0", "merchant 0", "trader 0")


@pytest.mark.ruling("X4")
def test_x4_develop_privilege(table: Tables) -> None:
    game = table(privilege_route(1)).play("route Malmö-Stralsund none")
    assert game.phase == "develop-privilege"
    assert game.legal() == {"develop-privilege", "skip"}
    supply = game.supply(0)
    game.play("develop-privilege")
    assert game.level(0, "privilege") == 2
    assert game.supply(0) == (supply[0] + 1, supply[1])
    assert (game.phase, game["actions"]) == ("main", 1)
    skipped = table(privilege_route(1)).play("route Malmö-Stralsund none", "skip")
    assert skipped.level(0, "privilege") == 1
    assert skipped.phase == "main"
    assert table(privilege_route(3)).play("route Malmö-Stralsund none").phase == "main"


def move_route() -> Position:
    return east().ability(0, book=2).fill("Stralsund-Wismar", "merchant 0", "merchant 0", "trader 0")


@pytest.mark.ruling("X4")
def test_x4_move_any_two(table: Tables) -> None:
    position = move_route().fill("Lübeck-Wismar", "trader 1", "trader 0", "merchant 2")
    game = table(position).play("route Stralsund-Wismar none")
    assert (game.phase, game.player) == ("lift", 0)
    assert game.legal() == with_prefix("lift", posts(BOARD, "Lübeck-Wismar")) | {"finish"}
    game.play("lift Lübeck-Wismar 1")
    houses = set(posts(BOARD, boats=False)) - {"Lübeck-Wismar 1"}
    assert game.legal() == with_prefix("set", houses)
    game.play("set Lübeck-Wismar 2")
    assert game["pending"]["hand"] == "trader 0"
    game.play("set Lübeck-Wismar 1")
    assert (game.phase, game["actions"]) == ("main", 1)
    assert [game["posts"][name] for name in posts(BOARD, "Lübeck-Wismar")] == ["trader 0", "trader 1", "merchant 2"]


@pytest.mark.ruling("X4")
def test_x4_move_any_two_may_move_one_or_none(table: Tables) -> None:
    position = move_route().fill("Lübeck-Wismar", "trader 1", "trader 0", "merchant 2")
    game = table(position).play("route Stralsund-Wismar none", "finish")
    assert game.phase == "main"
    game = table(position).play("route Stralsund-Wismar none", "lift Lübeck-Wismar 3", "set Malmö-Visby 2", "finish")
    assert game.phase == "main"
    assert game["posts"]["Malmö-Visby 2"] == "merchant 2"
    assert table(move_route()).play("route Stralsund-Wismar none").phase == "main", "nothing to move"


def place_route() -> Position:
    """Seat 0 holds Danzig-Malmö and has one more merchant in stock."""
    position = east().ability(0, book=1).supply(0, 5, 0)
    return position.fill("Danzig-Malmö", "trader 0", "trader 0", "trader 0", "merchant 0")


@pytest.mark.ruling("X5")
def test_x5_place_two_of_the_pieces_left(table: Tables) -> None:
    game = table(place_route().piece("Lübeck-Wismar 1", "trader 1"))
    traders, merchants = game.stock(0)
    assert merchants == 1
    game.play("route Danzig-Malmö none")
    assert game.phase == "place-two"
    assert game["pending"] == {"traders": 3, "merchants": 1, "left": 2}
    assert game.stock(0) == (traders + 3, merchants + 1)
    taken = {"Lübeck-Wismar 1"}
    assert game.legal() == (
        with_prefix("place-two trader", set(posts(BOARD, boats=False)) - taken)
        | with_prefix("place-two merchant", set(posts(BOARD)) - taken)
        | {"skip"}
    )
    game.play("place-two merchant Danzig-Malmö 4")
    assert game.stock(0) == (traders + 3, merchants)
    assert not game.offers("place-two merchant"), "the other merchant was not on the route"
    assert "skip" in game.legal()
    game.play("place-two trader Stettin-Waren 2")
    assert (game.phase, game.player, game["actions"]) == ("main", 0, 1)
    assert game.stock(0) == (traders + 2, merchants)
    assert game["posts"]["Danzig-Malmö 4"] == "merchant 0"
    assert game["posts"]["Stettin-Waren 2"] == "trader 0"


@pytest.mark.ruling("X5")
def test_x5_none_or_one(table: Tables) -> None:
    game = table(place_route()).play("route Danzig-Malmö none", "skip")
    assert game.phase == "main"
    assert game["posts"] == {}
    game = table(place_route()).play("route Danzig-Malmö none", "place-two trader Danzig-Malmö 1", "skip")
    assert game.phase == "main"
    assert game["posts"] == {"Danzig-Malmö 1": "trader 0"}


@pytest.mark.ruling("X5")
def test_x5_the_office_piece_is_gone(table: Tables) -> None:
    game = table(place_route()).play("route Danzig-Malmö office Danzig")
    assert game["pending"] == {"traders": 2, "merchants": 1, "left": 2}
    game = table(place_route()).play("route Danzig-Malmö office Malmö")
    assert game["pending"] == {"traders": 3, "merchants": 0, "left": 2}
    assert not game.offers("place-two merchant")


def test_boat_posts(table: Tables) -> None:
    game = table(east())
    boats = ["Danzig-Malmö 4", "Malmö-Stralsund 1", "Malmö-Stralsund 2", "Malmö-Visby 2"]
    boats += ["Stralsund-Wismar 1", "Stralsund-Wismar 2"]
    assert game.offers("place merchant") == with_prefix("place merchant", posts(BOARD))
    assert game.offers("place trader") == with_prefix("place trader", set(posts(BOARD)) - set(boats))
