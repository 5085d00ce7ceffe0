"""Placing markers (P1-P5) and using them (U1-U8)."""

from __future__ import annotations

import pytest

from tests.engines import DESK, Position, Tables, cities, posts, routes, with_prefix

BOARD = "standard-4-5"
TAVERN = "Goslar-Hildesheim"


# Placing


@pytest.mark.ruling("P1")
def test_p1_unseen_until_the_end_of_the_turn(table: Tables) -> None:
    game = table(Position().fill(TAVERN, "trader 0").pile("actions_4")).play(f"route {TAVERN} none")
    assert game["plate"] == {"actions_4": 1}
    assert game.seat(0)["plate"] == {}
    assert not game.offers("use actions_4")
    assert not game.offers("put-marker")
    game.play("income 1 trader")
    assert game["plate"] == {"actions_4": 1}
    assert game.seat(0)["plate"] == {}
    game.play("end")
    assert game["plate"] == {}
    assert game.seat(0)["plate"] == {"actions_4": 1}
    game.play("put-marker actions_4", "on Arnheim-Kampen")
    assert game.seat(0)["plate"] == {}
    assert game["markers"]["Arnheim-Kampen"] == "actions_4"


@pytest.mark.ruling("P2")
@pytest.mark.parametrize("first", ["actions_4", "develop_ability"])
def test_p2_all_are_placed_in_any_order(table: Tables, first: str) -> None:
    kinds = {"actions_4", "develop_ability"}
    (second,) = kinds - {first}
    position = Position().pile(*sorted(kinds)).fill(TAVERN, "trader 0").fill("Bremen-Osnabrück", "trader 0")
    game = table(position).play(f"route {TAVERN} none", "route Bremen-Osnabrück none", "end")
    assert (game.phase, game.player) == ("put-marker", 0)
    assert game.legal() == with_prefix("put-marker", kinds)
    game.play(f"put-marker {first}")
    assert game.phase == "marker-route"
    game.play("on Arnheim-Kampen")
    assert game.legal() == {f"put-marker {second}"}
    game.play(f"put-marker {second}")
    assert "on Arnheim-Kampen" not in game.legal()
    game.play("on Emden-Stade")
    assert game["markers"] == {
        "Lüneburg-Perleberg": "additional_post",
        "Arnheim-Kampen": first,
        "Emden-Stade": second,
    }
    assert (game.phase, game.player, game["turn"]) == ("main", 1, 1)


@pytest.mark.ruling("P3")
def test_p3_without_a_route_it_waits_on_the_plate(table: Tables) -> None:
    """Every route has a piece or a marker; Goslar and Hildesheim are full. Seat 1 clears a route later."""
    position = Position().pile("actions_4").office("Goslar", 1, 1).office("Hildesheim", 1, 1)
    position.fill(TAVERN, "trader 0").fill("Kampen-Osnabrück", "trader 1")
    taken = {TAVERN, "Kampen-Osnabrück", "Bremen-Osnabrück", "Lüneburg-Perleberg"}
    for seat in (0, 2, 3):
        position.ability(seat, keys=4)
    for number, name in enumerate(name for name in routes(BOARD) if name not in taken):
        position.piece(f"{name} 1", f"trader {(0, 2, 3)[number % 3]}")
    game = table(position).play(f"route {TAVERN} none", "end")
    assert (game.phase, game.player) == ("main", 1)
    assert game.seat(0)["plate"] == {"actions_4": 1}
    assert game["plate"] == {}
    assert len(game["markers"]) == 2
    game.play("route Kampen-Osnabrück none", "end")
    assert (game.phase, game.player) == ("main", 2), "it is not seat 1's to place"
    game.play("end", "end")
    assert game.seat(0)["plate"] == {"actions_4": 1}
    assert game.player == 0
    assert not game.offers("use actions_4"), "what lies on the plate belongs to nobody"
    game.play("end")
    assert (game.phase, game.player) == ("put-marker", 0)
    game.play("put-marker actions_4")
    assert game.legal() == {"on Kampen-Osnabrück"}
    game.play("on Kampen-Osnabrück")
    assert game.seat(0)["plate"] == {}
    assert game["markers"]["Kampen-Osnabrück"] == "actions_4"
    assert (game.phase, game.player) == ("main", 1)


@pytest.mark.ruling("P4", "P5")
@pytest.mark.parametrize("board", ["standard-3", "standard-4-5", "east", "britannia-3", "britannia-4-5"])
def test_p4_routes_for_markers(table: Tables, board: str) -> None:
    table_routes = routes(board)
    tavern, *others = (name for name, route in table_routes.items() if route["tavern"])
    players = 3 if board in ("standard-3", "britannia-3") else 4
    occupied = {"standard": "Arnheim-Kampen", "east": "Breslau-Krakau", "britannia": "London-Oxford"}[
        board.split("-", 1)[0]
    ]
    position = Position(board=board, players=players).pile("swap_posts").fill(tavern, "trader 0")
    game = table(position.piece(f"{occupied} 2", "trader 1"))
    game.play(f"route {tavern} none", "end", "put-marker swap_posts")
    expected = set()
    for name, route in table_routes.items():
        printed = any(cities(board)[city]["offices"] for city in (route["a"], route["b"]))
        barred = route.get("permanent_marker") or route.get("region") in ("wales", "scotland")
        if printed and not barred and name not in (*others, occupied):
            expected.add(f"on {name}")
    assert game.legal() == expected
    assert f"on {tavern}" in expected, "the route just established is eligible"


@pytest.mark.ruling("P4")
def test_p4_needs_a_free_printed_office(table: Tables) -> None:
    position = Position().fill("Bremen-Osnabrück", "trader 0").pile("swap_posts")
    position.office("Duisburg", 1).office("Dortmund", 1, 1, 1).office("Goslar", 2, 2)
    game = table(position).play("route Bremen-Osnabrück none", "end", "put-marker swap_posts")
    assert "on Dortmund-Duisburg" not in game.legal()
    assert {"on Dortmund-Paderborn", "on Arnheim-Duisburg", "on Goslar-Magdeburg"} <= game.legal()


@pytest.mark.ruling("P4")
def test_p4_green_cities_have_no_printed_office(table: Tables) -> None:
    position = Position(board="east").pile("swap_posts").fill("Kulm-Stettin", "trader 0").office("Anklam", 1, 1)
    game = table(position).play("route Kulm-Stettin none", "end", "put-marker swap_posts")
    assert "on Anklam-Belgard" not in game.legal()
    assert "on Anklam-Stettin" in game.legal()
    assert {"on Belgard-Kulm", "on Kulm-Stettin"} <= game.legal()


@pytest.mark.ruling("P5")
def test_p5_not_if_the_route_does_not_qualify(table: Tables) -> None:
    position = Position().pile("swap_posts").fill(TAVERN, "trader 0").office("Goslar", 1, 1).office("Hildesheim", 1)
    assert f"on {TAVERN}" in table(position).play(f"route {TAVERN} none", "end", "put-marker swap_posts").legal()
    position = Position().pile("swap_posts").fill(TAVERN, "trader 0").office("Goslar", 1, 1).office("Hildesheim", 1, 1)
    assert f"on {TAVERN}" not in table(position).play(f"route {TAVERN} none", "end", "put-marker swap_posts").legal()


# Using


@pytest.mark.ruling("U1")
def test_u1_before_the_first_and_after_the_last_action(table: Tables) -> None:
    game = table(Position().markers(0, "develop_ability", "actions_3", "actions_4")).play("use develop_ability book")
    assert game["actions"] == 2
    assert game.seat(0)["used"] == {"develop_ability": 1}
    assert game.seat(0)["markers"] == {"actions_3": 1, "actions_4": 1}
    game.play("income 1 trader", "use actions_3")
    assert game["actions"] == 4
    for _ in range(4):
        game.play(min(game.offers("place trader")))
    assert game["actions"] == 0
    game.play("use actions_4")
    assert game["actions"] == 4
    assert game.score("markers")[0] == 3, "used markers still count"


@pytest.mark.ruling("U1")
def test_u1_own_turn_and_between_actions_only(table: Tables) -> None:
    position = (
        Position().markers(1, "actions_3", "develop_ability").markers(0, "actions_4").fill("Arnheim-Kampen", "trader 0")
    )
    game = table(position)
    assert game.offers("use") == {"use actions_4"}
    game.play("move")
    assert not game.offers("use")


@pytest.mark.ruling("U1")
def test_u1_not_in_the_action_that_took_it(table: Tables) -> None:
    tavern = "Lüneburg-Perleberg"
    position = Position().ability(0, actions=1).office("Perleberg", 1).pile("swap_posts")
    game = table(position.fill(tavern, "trader 0").fill("Perleberg-Stendal", "trader 0"))
    assert game["markers"][tavern] == "additional_post"
    assert not game.offers("route", tavern, "extra")
    assert not game.offers("route Perleberg-Stendal extra")
    game.play(f"route {tavern} none")
    assert game.offers("route Perleberg-Stendal extra") == {"route Perleberg-Stendal extra Perleberg trader"}


@pytest.mark.ruling("U1")
def test_u1_a_marker_taken_may_be_used_in_the_same_turn(table: Tables) -> None:
    markers = {TAVERN: "actions_3", "Bremen-Osnabrück": "swap_posts", "Lüneburg-Perleberg": "additional_post"}
    position = Position().on_routes(markers).fill(TAVERN, "trader 0").turn(0, actions=1, acted=True)
    game = table(position).play(f"route {TAVERN} none", "use actions_3")
    assert game["actions"] == 3


@pytest.mark.ruling("U2")
def test_u2_extra_office(table: Tables) -> None:
    """Dortmund has a free office; Duisburg is empty and takes no extra one."""
    pieces = ("trader 0", "merchant 0")
    position = Position().markers(0, "additional_post").office("Dortmund", 1)
    game = table(position.fill("Dortmund-Duisburg", *pieces))
    assert game.offers("route Dortmund-Duisburg extra") == {
        "route Dortmund-Duisburg extra Dortmund trader",
        "route Dortmund-Duisburg extra Dortmund merchant",
    }
    stock = game.stock(0)
    game.play("route Dortmund-Duisburg extra Dortmund merchant")
    assert game["extra"] == {"Dortmund": ["merchant 0"]}
    assert game["offices"]["Dortmund"] == ["merchant 1", None, None]
    assert game.stock(0) == (stock[0] + 1, stock[1])
    assert not table(Position().office("Dortmund", 1).fill("Dortmund-Duisburg", *pieces)).offers(
        "route Dortmund-Duisburg extra"
    )


@pytest.mark.ruling("U2")
def test_u2_only_pieces_of_the_route_and_no_privilege(table: Tables) -> None:
    position = Position().markers(0, "additional_post").office("Brunswiek", 1).fill("Brunswiek-Stendal", "trader 0")
    game = table(position)
    assert game.supply(0)[1] == 1
    assert game.offers("route Brunswiek-Stendal extra") == {"route Brunswiek-Stendal extra Brunswiek trader"}


@pytest.mark.ruling("U3")
def test_u3_extra_office_does_not_complete(table: Tables) -> None:
    position = Position().markers(0, "additional_post").office("Hannover", 1).fill("Hannover-Minden", "trader 0")
    game = table(position).play("route Hannover-Minden extra Hannover trader")
    assert game["completed"] == 0
    full = Position().markers(0, "additional_post").office("Hannover", 1, 1).fill("Hannover-Minden", "trader 0")
    game = table(full)
    assert game["completed"] == 1
    assert game.play("route Hannover-Minden extra Hannover trader")["completed"] == 1
    position = Position().ability(0, privilege=2).office("Hannover", 1).extra("Hannover", "trader 2")
    game = table(position.fill("Hannover-Minden", "trader 0")).play("route Hannover-Minden office Hannover")
    assert game["completed"] == 1
    assert game["offices"]["Hannover"] == ["trader 1", "trader 0"]


@pytest.mark.ruling("U4")
@pytest.mark.parametrize(
    ("edition", "row", "pairs"),
    [
        ("2009", [1, 2, 0], {"1 2", "2 3"}),
        ("big-box", [1, 2, 0], {"2 3"}),
        ("2009", [1, 2], {"1 2"}),
        ("big-box", [1, 2], set()),
        ("2009", [1, 0, 0, 2], {"1 2", "3 4"}),
        ("big-box", [1, 0, 0, 2], {"1 2", "3 4"}),
        ("big-box", [0, 1, 2, 0], {"1 2", "3 4"}),
    ],
)
def test_u4_swap(table: Tables, edition: str, row: list[int], pairs: set[str]) -> None:
    position = Position(edition=edition).markers(0, "swap_posts").ability(0, book=1).office("Stendal", *row)
    assert table(position).offers("use swap_posts") == with_prefix("use swap_posts Stendal", pairs)


@pytest.mark.ruling("U4")
def test_u4_shape_and_privilege_do_not_matter(table: Tables) -> None:
    """A trader takes the black round space of Perleberg."""
    game = table(Position().markers(0, "swap_posts").office("Perleberg", 1, 0, 1)).play("use swap_posts Perleberg 2 3")
    assert game["offices"]["Perleberg"] == ["trader 1", "merchant 1", "trader 0"]
    assert game.seat(0)["used"] == {"swap_posts": 1}
    assert game["actions"] == 2


@pytest.mark.ruling("U5")
def test_u5_never_an_extra_office(table: Tables) -> None:
    position = Position(edition="2009").markers(0, "swap_posts").office("Hannover", 1).extra("Hannover", "trader 0")
    assert not table(position).offers("use swap_posts")
    east = Position(board="east").markers(0, "swap_posts").green("Waren", "trader 1").extra("Waren", "trader 0")
    assert not table(east).offers("use swap_posts")


@pytest.mark.ruling("U5")
def test_u5_green_offices_and_no_coin(table: Tables) -> None:
    position = Position(board="east").markers(0, "swap_posts").green("Waren", "trader 0", "trader 1", "trader 2")
    game = table(position)
    assert game.offers("use swap_posts") == {"use swap_posts Waren 1 2"}
    assert game.score("cities") == [0, 0, 2, 0]
    game.play("use swap_posts Waren 1 2")
    assert game["green"] == {"Waren": ["trader 1", "trader 0", "trader 2"]}
    coin = table(Position().markers(0, "swap_posts").ability(0, book=1).office("Groningen", 1, 0))
    coin.play("use swap_posts Groningen 1 2")
    assert [coin.points(seat) for seat in range(4)] == [0, 0, 0, 0]


@pytest.mark.ruling("U6")
def test_u6_remove_one_to_three_of_any_owners(table: Tables) -> None:
    position = Position(edition="2009").markers(0, "remove_3")
    position.fill("Arnheim-Kampen", "trader 0", "merchant 1", "trader 2").piece("Emden-Stade 1", "trader 3")
    game = table(position)
    own, blue, green = game.supply(0), game.supply(1), game.supply(2)
    everything = with_prefix("remove", [*posts(BOARD, "Arnheim-Kampen"), "Emden-Stade 1"])
    game.play("use remove_3")
    assert game.phase == "remove"
    assert game.legal() == everything
    game.play("remove Arnheim-Kampen 1")
    assert game.supply(0) == (own[0] + 1, own[1])
    assert game.legal() == everything - {"remove Arnheim-Kampen 1"} | {"stop"}
    stopped = table(position).play("use remove_3", "remove Emden-Stade 1", "stop")
    assert (stopped.phase, stopped["actions"], len(stopped["posts"])) == ("main", 2, 3)
    game.play("remove Arnheim-Kampen 2", "remove Arnheim-Kampen 3")
    assert (game.phase, game["actions"]) == ("main", 2)
    assert game.supply(1) == (blue[0], blue[1] + 1)
    assert game.supply(2) == (green[0] + 1, green[1])
    assert game["posts"] == {"Emden-Stade 1": "trader 3"}


@pytest.mark.ruling("U7")
def test_u7_move_three_opponents_pieces(table: Tables) -> None:
    position = Position().markers(0, "move_3").piece("Emden-Stade 1", "trader 0")
    position.fill("Arnheim-Kampen", "trader 1", "trader 1", "trader 2").piece("Emden-Stade 2", "merchant 3")
    game = table(position).play("use move_3")
    theirs = [*posts(BOARD, "Arnheim-Kampen"), "Emden-Stade 2"]
    assert game.legal() == with_prefix("lift", theirs)
    game.play("lift Arnheim-Kampen 1")
    free = set(posts(BOARD)) - {*theirs, "Emden-Stade 1"}
    assert game.legal() == with_prefix("set", free | {"Arnheim-Kampen 3", "Emden-Stade 2"})
    game.play("set Arnheim-Kampen 3")
    assert game["pending"]["hand"] == "trader 2"
    assert game["pending"]["left"] == 1
    game.play("set Arnheim-Kampen 1")
    assert game["posts"]["Arnheim-Kampen 1"] == "trader 2"
    assert game["posts"]["Arnheim-Kampen 3"] == "trader 1"
    assert "finish" in game.legal()
    game.play("lift Emden-Stade 2", "set Goslar-Magdeburg 1")
    assert (game.phase, game["actions"]) == ("main", 2)
    assert game.seat(0)["used"] == {"move_3": 1}


@pytest.mark.ruling("U7")
def test_u7_may_finish_after_one_but_not_before(table: Tables) -> None:
    game = table(Position().markers(0, "move_3").fill("Arnheim-Kampen", "trader 1")).play("use move_3")
    assert "finish" not in game.legal()
    game.play("lift Arnheim-Kampen 1", "set Emden-Stade 1", "finish")
    assert game.phase == "main"


@pytest.mark.ruling("U8")
def test_u8_a_marker_without_effect_is_kept(table: Tables) -> None:
    def offered(kind: str, position: Position) -> bool:
        return bool(table(position.markers(0, kind)).offers("use", kind))

    def old() -> Position:
        return Position(edition="2009")

    assert not offered("remove_3", old())
    assert offered("remove_3", old().piece("Emden-Stade 1", "trader 0"))
    assert not offered("move_3", Position().piece("Emden-Stade 1", "trader 0"))
    assert offered("move_3", Position().piece("Emden-Stade 1", "trader 1"))
    assert not offered("swap_posts", Position().office("Hannover", 0, 0))
    assert offered("swap_posts", Position().office("Hannover", 0, 1))
    assert not offered("swap_posts", old().office("Hannover", 1).office("Goslar", 0, 0))
    assert offered("swap_posts", old().office("Hannover", 2, 1))
    assert not offered("develop_ability", Position().ability(0, **DESK))
    assert offered("develop_ability", Position().ability(0, **{**DESK, "keys": 3}))


@pytest.mark.ruling("U8")
def test_u8_extra_office_is_no_marker_to_use_by_itself(table: Tables) -> None:
    assert not table(Position().markers(0, "additional_post").office("Hannover", 1)).offers("use")
