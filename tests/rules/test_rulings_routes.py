"""Establishing a route (E1-E11)."""

from __future__ import annotations

import pytest

from tests.engines import Position, Table, Tables, posts

TAVERN = "Goslar-Hildesheim"


def points(game: Table) -> list[int]:
    return [player["points"] for player in game["players"]]


@pytest.mark.ruling("E1")
def test_e1_every_step_is_done_in_order(table: Tables) -> None:
    """Prestige takes Blue to 20, the draw fails, and still Red gets marker and office."""
    position = Position().office("Goslar", 1).points(1, 19).fill(TAVERN, "trader 0").pile_left(0, user=2)
    game = table(position).play(f"route {TAVERN} office Hildesheim")
    assert points(game) == [0, 20, 0, 0]
    assert game.seat(0)["markers"] == {"move_3": 1}
    assert game["offices"]["Hildesheim"] == ["trader 0", None]
    assert game.result()["reasons"] == ["20 points", "no marker"]


@pytest.mark.ruling("E2")
@pytest.mark.parametrize("reward", ["none", "office Goslar", "office Hildesheim"])
def test_e2_marker_cannot_be_declined(table: Tables, reward: str) -> None:
    game = table(Position().fill(TAVERN, "trader 0").pile("actions_4"))
    assert game.offers("route") == {f"route {TAVERN} {one}" for one in ("none", "office Goslar", "office Hildesheim")}
    game.play(f"route {TAVERN} {reward}")
    assert game.seat(0)["markers"] == {"move_3": 1}
    assert game["plate"] == {"actions_4": 1}
    assert TAVERN not in game["markers"]


@pytest.mark.ruling("E3")
def test_e3_control_is_judged_before_the_new_office(table: Tables) -> None:
    game = table(Position().fill("Dortmund-Duisburg", "trader 0")).play("route Dortmund-Duisburg office Duisburg")
    assert points(game) == [0, 0, 0, 0]
    position = Position().ability(0, privilege=1).office("Minden", 1).fill("Hannover-Minden", "trader 0")
    game = table(position).play("route Hannover-Minden office Minden")
    assert points(game) == [0, 1, 0, 0]
    assert game.score("cities") == [2, 0, 0, 0]


@pytest.mark.ruling("E4")
@pytest.mark.parametrize(
    ("printed", "extras", "controller"),
    [
        ([0, 1], [], 1),
        ([0, 0, 1], [], 0),
        ([0, 1, 1, 0], [], 0),
        ([0], [1], 0),
        ([0], [1, 1], 1),
        ([0, 1], [0], 0),
        ([0, 1], [0, 1], 1),
        ([1, 0], [2, 2, 0], 0),
        ([2], [0, 1, 1, 0], 0),
        ([2], [1, 0, 0, 1], 1),
    ],
)
def test_e4_controller(table: Tables, printed: list[int], extras: list[int], controller: int) -> None:
    position = Position(edition="2009").office("Minden", *printed).fill("Hannover-Minden", "trader 3").turn(3)
    for seat in extras:
        position.extra("Minden", f"trader {seat}")
    game = table(position)
    assert game.score("cities") == [2 if seat == controller else 0 for seat in range(4)]
    game.play("route Hannover-Minden none")
    assert points(game) == [1 if seat == controller else 0 for seat in range(4)]


@pytest.mark.ruling("E4")
def test_e4_nobody_controls_an_empty_city(table: Tables) -> None:
    game = table(Position().office("Hannover", 2).fill("Hannover-Minden", "trader 0")).play(
        "route Hannover-Minden none"
    )
    assert points(game) == [0, 0, 1, 0]


def chain(*missing: str) -> Position:
    """Seat 0 is on the shortest way from Arnheim to Stendal, but not in the missing cities; seat 1 is in Minden."""
    position = Position()
    for city in ("Arnheim", "Münster", "Brunswiek", "Stendal"):
        if city not in missing:
            position.office(city, 0)
    return position.office("Minden", *([1] if "Minden" in missing else [1, 0]))


@pytest.mark.ruling("E4")
@pytest.mark.parametrize("owners", [(0, 1), (1, 0)])
def test_e4_a_later_extra_office_ranks_below_an_earlier_one(table: Tables, owners: tuple[int, int]) -> None:
    position = Position(board="east").extra("Waren", *(f"trader {owner}" for owner in owners))
    assert table(position).score("cities") == [2 * (seat == owners[0]) for seat in range(4)]


@pytest.mark.ruling("E5")
def test_e5_connection_by_an_office(table: Tables) -> None:
    position = chain("Minden").ability(0, privilege=1).fill("Hannover-Minden", "trader 0")
    game = table(position).play("route Hannover-Minden office Minden")
    assert points(game) == [7, 1, 0, 0]
    assert game["east_west"] == [0]


@pytest.mark.ruling("E5")
def test_e5_connection_by_an_extra_office(table: Tables) -> None:
    position = chain("Minden").markers(0, "additional_post").fill("Hannover-Minden", "trader 0")
    game = table(position).play("route Hannover-Minden extra Minden trader")
    assert points(game) == [7, 1, 0, 0]
    assert game["east_west"] == [0]


@pytest.mark.ruling("E5")
def test_e5_no_connection_with_a_gap(table: Tables) -> None:
    position = chain("Minden", "Brunswiek").markers(0, "additional_post").fill("Hannover-Minden", "trader 0")
    game = table(position).play("route Hannover-Minden extra Minden trader")
    assert points(game) == [0, 1, 0, 0]
    assert game["east_west"] == []


def eastern_chain(*missing: str) -> Position:
    """Seat 0 between Lübeck and Danzig through Waren and Belgard, but not in the missing cities."""
    position = Position(board="east").ability(0, privilege=1)
    for city in ("Lübeck", "Wismar", "Stettin", "Kulm", "Danzig"):
        if city not in missing:
            position.office(city, 0)
    for city in ("Waren", "Belgard"):
        if city not in missing:
            position.green(city, "trader 0")
    return position


@pytest.mark.ruling("E5")
def test_e5_connection_by_a_green_office(table: Tables) -> None:
    position = eastern_chain("Waren").fill("Malmö-Visby", "trader 0", "merchant 0", "trader 0")
    game = table(position).play("route Malmö-Visby none", "green-office Waren trader")
    assert points(game) == [7, 0, 0, 0]
    assert game["east_west"] == [0]


@pytest.mark.ruling("E5")
def test_e5_connection_by_an_extra_office_in_a_green_city(table: Tables) -> None:
    position = eastern_chain("Belgard").markers(0, "additional_post").fill("Anklam-Belgard", "trader 0")
    game = table(position).play("route Anklam-Belgard extra Belgard trader")
    assert points(game) == [7, 0, 0, 0]
    assert game["east_west"] == [0]


@pytest.mark.ruling("E5")
def test_e5_connection_over_the_sea(table: Tables) -> None:
    position = Position(board="east").ability(0, privilege=1, book=1).office("Wismar", 0).office("Stralsund", 0)
    position.office("Malmö", 0).office("Danzig", 0).fill("Lübeck-Wismar", "trader 0")
    game = table(position).play("route Lübeck-Wismar office Lübeck")
    assert points(game) == [7 + 1, 0, 0, 0]
    assert game["east_west"] == [0]


@pytest.mark.ruling("E6")
def test_e6_once_per_player(table: Tables) -> None:
    position = chain().points(0, 7).ability(0, privilege=2, book=1).office("Magdeburg", 1)
    position.fill("Magdeburg-Stendal", "trader 0", "merchant 0", "trader 0")
    game = table(position)
    assert game["east_west"] == [0]
    game.play("route Magdeburg-Stendal office Stendal")
    assert points(game) == [7 + 1, 1, 0, 0]
    assert game["east_west"] == [0]


def nine_completed() -> Position:
    position = Position().office("Brunswiek", 1).office("Coellen", 1, 1).office("Goslar", 1, 1).office("Halle", 1, 1)
    position.office("Hannover", 2, 2).office("Hildesheim", 2, 2).office("Lübeck", 2, 2)
    return position.office("Warburg", 3, 3).office("Groningen", 3, 3)


@pytest.mark.ruling("E7")
def test_e7_tenth_completed_city(table: Tables) -> None:
    game = table(nine_completed().fill("Dortmund-Duisburg", "trader 0"))
    assert game["completed"] == 9
    assert not game.is_over
    game.play("route Dortmund-Duisburg office Duisburg")
    assert game.is_over
    assert game["completed"] == 10
    assert game.result()["reasons"] == ["completed cities"]


@pytest.mark.ruling("E7")
def test_e7_anyone_reaching_twenty_ends_the_game_at_once(table: Tables) -> None:
    position = (
        Position().ability(0, actions=5).points(2, 19).office("Duisburg", 2).fill("Dortmund-Duisburg", "trader 0")
    )
    game = table(position).play("route Dortmund-Duisburg none")
    assert game.is_over
    assert game.phase == "over"
    assert game.legal() == set()
    assert game.player == -1
    assert game["end"] == ["20 points"]
    assert game["actions"] >= 0
    result = game.result()
    assert result["reasons"] == ["20 points"]
    assert result["winners"] == [2]
    low = table(Position().points(2, 18).office("Duisburg", 2).fill("Dortmund-Duisburg", "trader 0"))
    assert not low.play("route Dortmund-Duisburg none").is_over


@pytest.mark.ruling("E7")
def test_e7_coin_and_connection_count_towards_twenty(table: Tables) -> None:
    position = Position().points(0, 19).fill("Coellen-Warburg", "trader 0")
    assert table(position).play("route Coellen-Warburg office Coellen").is_over
    position = chain("Minden").ability(0, privilege=1).points(0, 13).fill("Hannover-Minden", "trader 0")
    game = table(position).play("route Hannover-Minden office Minden")
    assert game.points(0) == 20
    assert game.result()["reasons"] == ["20 points"]


@pytest.mark.ruling("E7")
def test_e7_permanent_marker_before_the_end(table: Tables) -> None:
    position = Position(board="east").ability(0, book=1).points(0, 19).office("Malmö", 0)
    game = table(position.fill("Malmö-Visby", "trader 0", "merchant 0", "trader 0")).play("route Malmö-Visby none")
    assert game.points(0) == 20
    assert game.phase == "green-office"
    assert not game.is_over
    game.play("green-office Waren trader")
    assert game.is_over
    assert game["green"] == {"Waren": ["trader 0"]}
    assert game.result()["reasons"] == ["20 points"]


@pytest.mark.ruling("E7")
def test_e7_all_reasons_are_reported_in_order(table: Tables) -> None:
    markers = {
        "Dortmund-Duisburg": "actions_3",
        "Bremen-Osnabrück": "swap_posts",
        "Lüneburg-Perleberg": "additional_post",
    }
    position = nine_completed().on_routes(markers).pile_left(0, user=3).office("Dortmund", 1).points(1, 19)
    game = table(position.fill("Dortmund-Duisburg", "trader 0")).play("route Dortmund-Duisburg office Duisburg")
    reasons = ["20 points", "completed cities", "no marker"]
    assert game.result()["reasons"] == reasons
    assert game["end"] == reasons


@pytest.mark.ruling("E7")
def test_e7_turn_limit_is_not_a_reason_beside_others(table: Tables) -> None:
    position = Position(turn_limit=1).points(2, 19).office("Duisburg", 2).fill("Dortmund-Duisburg", "trader 0")
    game = table(position).play("route Dortmund-Duisburg none")
    assert game.result()["reasons"] == ["20 points"]


@pytest.mark.ruling("E8")
def test_e8_failing_to_draw_ends_the_game_drawing_the_last_does_not(table: Tables) -> None:
    position = Position().ability(0, actions=1).pile_left(1, user=3)
    position.fill(TAVERN, "trader 0").fill("Bremen-Osnabrück", "trader 0")
    game = table(position)
    assert len(game["pile"]) == 1
    game.play(f"route {TAVERN} none")
    assert not game.is_over
    assert game["pile"] == []
    assert sum(game["plate"].values()) == 1
    game.play("route Bremen-Osnabrück none")
    assert game.is_over
    assert game.result()["reasons"] == ["no marker"]
    assert game.seat(0)["markers"] == {"move_3": 1, "swap_posts": 1}
    assert game.score("markers")[0] == 3, "two taken ones, and not the one on the plate"


@pytest.mark.ruling("E8")
def test_e8_an_empty_pile_alone_does_not_end_the_game(table: Tables) -> None:
    game = table(Position().pile_left(0, user=3).fill("Dortmund-Duisburg", "trader 0"))
    assert not game.play("route Dortmund-Duisburg none", "end").is_over


@pytest.mark.ruling("E9")
@pytest.mark.parametrize(
    ("board", "players", "route"),
    [
        ("standard-4-5", 4, "Coellen-Warburg"),
        ("standard-3", 3, "Coellen-Warburg"),
        ("east", 4, "Danzig-Königsberg"),
        ("britannia-3", 3, "Plymouth-Salisbury"),
        ("britannia-4-5", 4, "Plymouth-Salisbury"),
    ],
)
def test_e9_special_prestige(table: Tables, board: str, players: int, route: str) -> None:
    def held(privilege: int, *row: str) -> Position:
        return Position(board=board, players=players).ability(0, privilege=privilege).fill(route, *row)

    pieces = ("trader 0", "merchant 0", "trader 0", "trader 0")
    for privilege, spaces in enumerate(([7], [7, 8], [7, 8, 9], [7, 8, 9, 11])):
        game = table(held(privilege, *pieces))
        assert game.offers("route", route, "prestige") == {f"route {route} prestige {space}" for space in spaces}
    assert not table(held(3, "trader 0")).offers("route", route, "prestige")
    game = table(held(3, *pieces).prestige(8, 1))
    assert f"route {route} prestige 8" not in game.legal()
    supply, stock = game.supply(0), game.stock(0)
    game.play(f"route {route} prestige 11")
    assert game["prestige"] == {"8": 1, "11": 0}
    assert (game.supply(0), game.stock(0)) == (supply, (stock[0] + 3, stock[1]))
    assert game.score("prestige")[:2] == [11, 8]
    assert game.points(0) == 0
    assert (game.score("cities")[0], game.score("network")[0]) == (0, 0), "it is not an office"


@pytest.mark.ruling("E10")
@pytest.mark.parametrize(
    ("board", "route", "city", "filled", "coin"),
    [
        ("standard-4-5", "Coellen-Warburg", "Coellen", 0, 1),
        ("standard-4-5", "Coellen-Warburg", "Coellen", 1, 0),
        ("standard-4-5", "Coellen-Warburg", "Warburg", 0, 0),
        ("standard-4-5", "Emden-Groningen", "Groningen", 0, 1),
        ("standard-4-5", "Halle-Quedlinburg", "Halle", 0, 1),
        ("standard-4-5", "Hamburg-Lübeck", "Lübeck", 0, 1),
        ("standard-4-5", "Hamburg-Stade", "Stade", 0, 0),
        ("standard-3", "Coellen-Warburg", "Coellen", 0, 1),
        ("standard-3", "Coellen-Warburg", "Warburg", 0, 1),
        ("standard-3", "Hamburg-Stade", "Stade", 0, 1),
        ("east", "Havelberg-Perleberg", "Havelberg", 0, 1),
        ("east", "Halle-Magdeburg", "Magdeburg", 0, 1),
        ("east", "Krakau-Thorn", "Thorn", 0, 1),
        ("east", "Krakau-Thorn", "Thorn", 1, 0),
        ("britannia-3", "Bristol-Salisbury", "Bristol", 0, 2),
        ("britannia-3", "Cambridge-Ipswich", "Ipswich", 0, 2),
        ("britannia-3", "Plymouth-Salisbury", "Plymouth", 0, 0),
        ("britannia-3", "Plymouth-Salisbury", "Plymouth", 1, 2),
        ("britannia-4-5", "Bristol-Salisbury", "Bristol", 0, 2),
    ],
)
def test_e10_coins(table: Tables, *, board: str, route: str, city: str, filled: int, coin: int) -> None:
    players = 3 if board in ("standard-3", "britannia-3") else 4
    position = Position(board=board, players=players).ability(0, privilege=3).office(city, *[1] * filled)
    position.fill(route, "merchant 0", *["trader 0"] * (len(posts(board, route)) - 1))
    game = table(position).play(f"route {route} office {city}")
    assert game.points(0) == coin


@pytest.mark.ruling("E10")
def test_e10_no_coin_for_an_extra_office_nor_by_swap(table: Tables) -> None:
    position = Position().markers(0, "additional_post").office("Coellen", 1).fill("Coellen-Warburg", "trader 0")
    game = table(position).play("route Coellen-Warburg extra Coellen trader")
    assert points(game) == [0, 1, 0, 0]
    game = table(Position().markers(0, "swap_posts").office("Groningen", 1, 0)).play("use swap_posts Groningen 1 2")
    assert game["offices"]["Groningen"] == ["merchant 0", "trader 1"]
    assert points(game) == [0, 0, 0, 0]


@pytest.mark.ruling("E11")
@pytest.mark.parametrize(
    ("route", "pieces", "city", "filled", "privilege", "allowed"),
    [
        ("Dortmund-Duisburg", ("trader", "trader"), "Dortmund", 0, 0, False),
        ("Dortmund-Duisburg", ("trader", "merchant"), "Dortmund", 0, 0, True),
        ("Dortmund-Duisburg", ("trader", "merchant"), "Dortmund", 1, 0, False),
        ("Dortmund-Duisburg", ("trader", "merchant"), "Dortmund", 1, 1, True),
        ("Dortmund-Duisburg", ("merchant", "merchant"), "Dortmund", 1, 1, False),
        ("Dortmund-Duisburg", ("trader", "merchant"), "Dortmund", 2, 1, False),
        ("Dortmund-Duisburg", ("trader", "merchant"), "Dortmund", 2, 2, True),
        ("Dortmund-Duisburg", ("trader", "merchant"), "Dortmund", 3, 3, False),
        ("Dortmund-Duisburg", ("trader", "trader"), "Duisburg", 0, 0, True),
        ("Dortmund-Duisburg", ("merchant", "merchant"), "Duisburg", 0, 3, False),
    ],
)
def test_e11_office(
    table: Tables, *, route: str, pieces: tuple[str, ...], city: str, filled: int, privilege: int, allowed: bool
) -> None:
    position = Position().ability(0, privilege=privilege, book=1).office(city, *[1] * filled)
    game = table(position.fill(route, *(f"{shape} 0" for shape in pieces)))
    assert (f"route {route} office {city}" in game.legal()) == allowed
    assert f"route {route} none" in game.legal()


@pytest.mark.ruling("E11")
def test_e11_office_piece_leaves_the_route_the_rest_goes_to_stock(table: Tables) -> None:
    game = table(Position().fill("Dortmund-Duisburg", "trader 0", "merchant 0"))
    supply, stock = game.supply(0), game.stock(0)
    game.play("route Dortmund-Duisburg office Dortmund")
    assert game["offices"] == {"Dortmund": ["merchant 0", None, None]}
    assert (game.supply(0), game.stock(0)) == (supply, (stock[0] + 1, stock[1]))


def test_route_needs_all_posts_to_be_own(table: Tables) -> None:
    assert not table(Position().fill("Dortmund-Duisburg", "trader 0", "trader 1")).offers("route")
    assert not table(Position().fill("Dortmund-Duisburg", "trader 0", None)).offers("route")
    assert not table(Position().fill("Dortmund-Duisburg", "trader 1")).offers("route")


def test_abilities_are_developed_where_they_are_printed(table: Tables) -> None:
    game = table(Position().fill("Emden-Groningen", "trader 0").fill("Goslar-Magdeburg", "trader 0"))
    assert {text for text in game.offers("route") if "develop" in text} == {"route Emden-Groningen develop book"}
    supply, stock = game.supply(0), game.stock(0)
    game.play("route Emden-Groningen develop book")
    assert game.supply(0) == (supply[0], supply[1] + 1)
    assert game.stock(0) == (stock[0] + 3, stock[1])
    assert game["offices"] == {}


def test_last_office_completes_the_city(table: Tables) -> None:
    position = Position().ability(0, privilege=2).office("Hannover", 1).fill("Hannover-Minden", "trader 0")
    game = table(position).play("route Hannover-Minden office Hannover")
    assert game["completed"] == 1
    game = table(Position().fill("Hannover-Minden", "trader 0")).play("route Hannover-Minden office Hannover")
    assert game["completed"] == 0


@pytest.mark.ruling("E7")
def test_e7_eighth_completed_city_of_britannia(table: Tables) -> None:
    position = Position(board="britannia-3", players=3)
    for city in ("Bristol", "Durham", "Ipswich", "Lancaster"):
        position.office(city, 1)
    for city in ("Coventry", "Nottingham", "Conway"):
        position.office(city, 2, 2)
    game = table(position.fill("Lancaster-Richmond", "trader 0"))
    assert game["completed"] == 7
    game.play("route Lancaster-Richmond office Richmond")
    assert game.result()["reasons"] == ["completed cities"]
