"""Displacing and the answer to it (D1-D14). Seat 0 displaces, seat 1 is displaced."""

from __future__ import annotations

import pytest

from tests.engines import Position, Table, Tables, posts, with_prefix

BOARD = "standard-4-5"
ORIGIN = "Coellen-Warburg"
RING_1 = ("Göttingen-Warburg", "Paderborn-Warburg")
RING_2 = ("Dortmund-Paderborn", "Göttingen-Quedlinburg", "Hildesheim-Paderborn", "Minden-Paderborn")
RING_3 = (
    "Bremen-Minden",
    "Brunswiek-Minden",
    "Dortmund-Duisburg",
    "Goslar-Hildesheim",
    "Goslar-Quedlinburg",
    "Halle-Quedlinburg",
    "Hannover-Minden",
    "Minden-Münster",
)
FAR = ("Emden-Stade", "Hamburg-Stade", "Hamburg-Lübeck")


def victim(shape: str = "trader") -> Position:
    return Position().piece(f"{ORIGIN} 1", f"{shape} 1")


def displaced(table: Tables, position: Position, fee: str = "pay 1 trader", post: str = f"{ORIGIN} 1") -> Table:
    """Seat 0 takes the post with a trader and pays."""
    return table(position).play(f"displace trader {post}", fee)


def answers(shape: str, *names: str, board: str = BOARD) -> set[str]:
    return with_prefix(f"answer {shape}", posts(board, *names, boats=shape == "merchant"))


@pytest.mark.ruling("D1")
@pytest.mark.parametrize(("shape", "fee"), [("trader", 1), ("merchant", 2)])
def test_d1_piece_and_fee_come_from_supply(table: Tables, shape: str, fee: int) -> None:
    assert not table(victim(shape).supply(0, fee, 0)).offers("displace")
    game = table(victim(shape).supply(0, fee + 1, 0))
    stock, blue = game.stock(0), game.stock(1)
    assert game.offers("displace") == {f"displace trader {ORIGIN} 1"}
    game.play(f"displace trader {ORIGIN} 1")
    assert game.phase == "pay"
    assert game.supply(0) == (fee + 1, 0)
    assert game["actions"] == 1
    game.play("pay 1 trader" if fee == 1 else "pay 2 traders")
    assert game.supply(0) == (0, 0)
    assert game.stock(0) == (stock[0] + fee, stock[1])
    assert game.stock(1) == blue
    assert game["posts"] == {f"{ORIGIN} 1": "trader 0"}


@pytest.mark.ruling("D1")
def test_d1_only_opponents_are_displaced(table: Tables) -> None:
    game = table(Position().fill(ORIGIN, "trader 0", "trader 2", None, "merchant 3"))
    assert game.offers("displace trader") == {f"displace trader {ORIGIN} 2", f"displace trader {ORIGIN} 4"}


@pytest.mark.ruling("D2")
def test_d2_payer_picks_the_fee(table: Tables) -> None:
    position = victim("merchant").ability(0, book=1).supply(0, 3, 2)
    game = table(position).play(f"displace trader {ORIGIN} 1")
    assert game.legal() == {"pay 2 traders", "pay 1 trader 1 merchant", "pay 2 merchants"}
    game.play("pay 1 trader 1 merchant")
    assert game.supply(0) == (1, 1)
    game = table(position).play(f"displace merchant {ORIGIN} 1")
    assert game.legal() == {"pay 2 traders", "pay 1 trader 1 merchant"}
    game = table(victim().supply(0, 1, 1)).play(f"displace trader {ORIGIN} 1")
    assert game.legal() == {"pay 1 merchant"}
    game = table(victim().supply(0, 1, 1)).play(f"displace merchant {ORIGIN} 1")
    assert game.legal() == {"pay 1 trader"}


@pytest.mark.ruling("D3")
def test_d3_trader_replaces_a_merchant_but_not_on_a_boat(table: Tables) -> None:
    game = displaced(table, victim("merchant"), "pay 2 traders")
    assert game["posts"][f"{ORIGIN} 1"] == "trader 0"
    east = Position(board="east").fill("Malmö-Visby", "trader 1", "merchant 1")
    assert table(east).offers("displace") == {
        "displace trader Malmö-Visby 1",
        "displace merchant Malmö-Visby 1",
        "displace merchant Malmö-Visby 2",
    }
    assert table(east.supply(0, 5, 0)).offers("displace") == {"displace trader Malmö-Visby 1"}


@pytest.mark.ruling("D4")
def test_d4_never_back_on_the_origin_route(table: Tables) -> None:
    game = displaced(table, victim())
    assert game.legal() == answers("trader", *RING_1)
    game.play("answer trader Göttingen-Warburg 1")
    assert not game.offers("answer trader", ORIGIN)
    full = victim()
    for name in RING_1:
        full.fill(name, "trader 2")
    assert displaced(table, full).legal() == answers("trader", *RING_2)


@pytest.mark.ruling("D5")
def test_d5_nearest_ring_again_for_every_piece(table: Tables) -> None:
    position = victim().fill("Göttingen-Warburg", "trader 2").fill("Paderborn-Warburg", "trader 2", "trader 2", None)
    game = displaced(table, position)
    assert game.legal() == {"answer trader Paderborn-Warburg 3"}
    game.play("answer trader Paderborn-Warburg 3")
    assert game.legal() == answers("trader", *RING_2) | {"decline"}


@pytest.mark.ruling("D5")
def test_d5_third_ring(table: Tables) -> None:
    position = victim().ability(2, keys=2)
    for name in (*RING_1, "Dortmund-Paderborn", "Göttingen-Quedlinburg"):
        position.fill(name, "trader 2")
    for name in ("Hildesheim-Paderborn", "Minden-Paderborn"):
        position.fill(name, "trader 3")
    assert displaced(table, position).legal() == answers("trader", *RING_3)


@pytest.mark.ruling("D5")
def test_d5_a_single_free_post_holds_the_ring(table: Tables) -> None:
    """The two pieces may go to either end of the route, and not further while a near post is free."""
    position = Position().piece("Dortmund-Duisburg 1", "trader 1")
    game = displaced(table, position, post="Dortmund-Duisburg 1")
    near = answers("trader", "Arnheim-Duisburg", "Dortmund-Paderborn")
    assert game.legal() == near
    game.play("answer trader Arnheim-Duisburg 2")
    assert game.legal() == near - {"answer trader Arnheim-Duisburg 2"} | {"decline"}


@pytest.mark.ruling("D6")
def test_d6_trader_next_to_boats_goes_one_ring_on(table: Tables) -> None:
    position = Position(board="east").supply(1, 5, 0).piece("Malmö-Visby 1", "trader 1")
    position.fill("Danzig-Malmö", "trader 2", "trader 2", "trader 2").piece("Malmö-Stralsund 3", "trader 2")
    game = displaced(table, position, post="Malmö-Visby 1")
    next_ring = ("Belgard-Danzig", "Braunsberg-Danzig", "Danzig-Königsberg", "Stralsund-Wismar")
    boats = with_prefix("answer merchant", ["Danzig-Malmö 4", "Malmö-Stralsund 1", "Malmö-Stralsund 2"])
    assert game.legal() == answers("trader", *next_ring, board="east") | boats


@pytest.mark.ruling("D7")
def test_d7_extras_of_either_shape(table: Tables) -> None:
    game = displaced(table, victim().supply(1, 4, 0)).play("answer trader Göttingen-Warburg 1")
    free = ["Göttingen-Warburg 2", "Göttingen-Warburg 3", *posts(BOARD, "Paderborn-Warburg")]
    assert game.legal() == with_prefix("answer trader", free) | with_prefix("answer merchant", free) | {"decline"}
    game.play("answer merchant Paderborn-Warburg 3")
    assert game["posts"]["Paderborn-Warburg 3"] == "merchant 1"
    assert game.stock(1)[1] == 0
    game = displaced(table, victim("merchant"), "pay 2 traders")
    game.play("answer merchant Göttingen-Warburg 1", "answer trader Göttingen-Warburg 2")
    assert game.offers("answer") == with_prefix(
        "answer trader", ["Göttingen-Warburg 3", *posts(BOARD, "Paderborn-Warburg")]
    )


@pytest.mark.ruling("D8")
def test_d8_stock_comes_before_supply(table: Tables) -> None:
    game = displaced(table, victim().supply(1, 4, 1)).play("answer trader Göttingen-Warburg 1")
    assert game.offers("answer trader")
    assert not game.offers("answer merchant")
    game.play("answer trader Göttingen-Warburg 2")
    assert game.supply(1) == (4, 1)


@pytest.mark.ruling("D8")
def test_d8_supply_when_the_stock_runs_out(table: Tables) -> None:
    position = victim("merchant").ability(1, book=1).stock(1, 1, 0)
    game = displaced(table, position, "pay 2 traders").play("answer merchant Göttingen-Warburg 1")
    assert game.offers("answer trader")
    assert not game.offers("answer merchant")
    assert not game.offers("answer-from")
    game.play("answer trader Göttingen-Warburg 2")
    assert game.offers("answer trader")
    assert game.offers("answer merchant")
    assert not game.offers("answer-from")
    supply = game.supply(1)
    game.play("answer merchant Göttingen-Warburg 3")
    assert game.stock(1) == (0, 0)
    assert game.supply(1) == (supply[0], supply[1] - 1)


@pytest.mark.ruling("D8")
def test_d8_own_pieces_when_both_have_run_out(table: Tables) -> None:
    position = all_on_routes("merchant", "Hamburg-Lüneburg", "trader 1").stock(1, 1, 0).supply(1, 0, 0)
    game = displaced(table, position, "pay 2 traders").play("answer merchant Göttingen-Warburg 1")
    assert not game.offers("answer-from")
    game.play("answer trader Göttingen-Warburg 2")
    assert game.offers("answer-from")
    assert not game.offers("answer")


def crowded_east() -> Position:
    """Every house post of East is taken, every boat is free; seat 1 has a merchant on Lübeck-Wismar."""
    position = Position(board="east", players=5).piece("Lübeck-Wismar 1", "merchant 1")
    return position.fill_rest(1, 2, 3, 4, boats=False)


@pytest.mark.ruling("D8")
def test_d8_the_next_source_stays_closed(table: Tables) -> None:
    """Only boats are free: traders in stock fit nowhere, yet the merchants in supply are not reached."""
    boats = ["Stralsund-Wismar 1", "Stralsund-Wismar 2"]
    game = displaced(table, crowded_east().supply(1, 0, 3), "pay 2 traders", "Lübeck-Wismar 1")
    assert game.stock(1)[0] > 0
    assert game.stock(1)[1] == 0
    assert game.legal() == with_prefix("answer merchant", boats)
    game.play("answer merchant Stralsund-Wismar 1")
    assert (game.phase, game.player) == ("main", 0)
    game = displaced(table, crowded_east().stock(1, 0, 0), "pay 2 traders", "Lübeck-Wismar 1")
    game.play("answer merchant Stralsund-Wismar 1")
    assert game.legal() == {"answer merchant Stralsund-Wismar 2", "decline"}


@pytest.mark.ruling("D9")
def test_d9_declining(table: Tables) -> None:
    game = displaced(table, victim("merchant"), "pay 2 traders")
    stock, supply = game.stock(1), game.supply(1)
    assert "decline" not in game.legal()
    game.play("answer merchant Göttingen-Warburg 1")
    assert "decline" in game.legal()
    game.play("decline")
    assert (game.phase, game.player, game["actions"]) == ("main", 0, 1)
    assert (game.stock(1), game.supply(1)) == (stock, supply)
    game = displaced(table, victim("merchant"), "pay 2 traders")
    game.play("answer merchant Göttingen-Warburg 1", "answer trader Göttingen-Warburg 2", "decline")
    assert (game.phase, game.player) == ("main", 0)
    assert game.stock(1) == (stock[0] - 1, stock[1])
    assert game.supply(1) == supply


def all_on_routes(shape: str, route: str, *pieces: str) -> Position:
    """Seat 1 has nothing in stock and supply: the victim, nine traders far away, the rest on the named route."""
    position = victim(shape)
    for name in FAR:
        position.fill(name, "trader 1")
    return position.fill(route, *pieces, *[None] * (4 - len(pieces)))


@pytest.mark.ruling("D10")
def test_d10_own_pieces_from_routes(table: Tables) -> None:
    position = all_on_routes("trader", "Hamburg-Lüneburg", "trader 1", "merchant 1")
    game = displaced(table, position)
    assert (game.stock(1), game.supply(1)) == ((0, 0), (0, 0))
    assert game.legal() == answers("trader", *RING_1)
    game.play("answer trader Göttingen-Warburg 1")
    mine = [*posts(BOARD, *FAR), "Hamburg-Lüneburg 1", "Hamburg-Lüneburg 2"]
    assert game.legal() == with_prefix("answer-from", mine) | {"decline"}
    game.play("answer-from Hamburg-Lüneburg 2")
    assert (game.phase, game.player) == ("answer-to", 1)
    near = ["Göttingen-Warburg 2", "Göttingen-Warburg 3", *posts(BOARD, "Paderborn-Warburg")]
    assert game.legal() == with_prefix("to", near)
    game.play("to Paderborn-Warburg 2")
    assert game["posts"]["Paderborn-Warburg 2"] == "merchant 1"
    assert "Hamburg-Lüneburg 2" not in game["posts"]
    assert (game.phase, game.player) == ("main", 0)


@pytest.mark.ruling("D10")
def test_d10_an_extra_may_be_taken_again_the_displaced_piece_not(table: Tables) -> None:
    game = displaced(table, all_on_routes("merchant", "Hamburg-Lüneburg", "trader 1", "trader 1"), "pay 2 traders")
    game.play("answer merchant Göttingen-Warburg 1", "answer-from Emden-Stade 1", "to Göttingen-Warburg 2")
    assert "answer-from Göttingen-Warburg 2" in game.legal()
    assert "answer-from Göttingen-Warburg 1" not in game.legal()
    game.play("answer-from Göttingen-Warburg 2")
    assert game.legal() == with_prefix("to", ["Göttingen-Warburg 3", *posts(BOARD, "Paderborn-Warburg")])


@pytest.mark.ruling("D10")
def test_d10_a_piece_whose_own_post_is_the_ring_cannot_be_lifted(table: Tables) -> None:
    position = all_on_routes("trader", "Hamburg-Lüneburg", "merchant 1").piece("Göttingen-Warburg 1", "trader 1")
    position.fill("Paderborn-Warburg", "trader 2", "trader 2", None)
    position.piece("Göttingen-Warburg 2", "trader 2").piece("Göttingen-Warburg 3", "trader 2")
    game = displaced(table, position).play("answer trader Paderborn-Warburg 3")
    assert "answer-from Göttingen-Warburg 1" not in game.legal()
    assert "answer-from Emden-Stade 1" in game.legal()
    game.play("answer-from Emden-Stade 1")
    assert game.legal() == with_prefix("to", posts(BOARD, *RING_2))


@pytest.mark.ruling("D10")
def test_d10_a_piece_of_the_origin_route_may_be_lifted(table: Tables) -> None:
    position = all_on_routes("trader", "Hamburg-Lüneburg", "merchant 1").piece(f"{ORIGIN} 2", "trader 1")
    game = displaced(table, position).play("answer trader Paderborn-Warburg 3", f"answer-from {ORIGIN} 2")
    free = [*posts(BOARD, "Göttingen-Warburg"), "Paderborn-Warburg 1", "Paderborn-Warburg 2"]
    assert game.legal() == with_prefix("to", free)


@pytest.mark.ruling("D11")
def test_d11_no_displacing_without_a_post_to_go_to(table: Tables) -> None:
    """With one free post on the board, pieces of its own route cannot be displaced, all others can."""
    position = Position(players=5).piece("Goslar-Magdeburg 2", "trader 1")
    position.fill_rest(0, 1, 2, 3, 4, free=["Goslar-Magdeburg 1"])
    game = table(position)
    others = {name for name, piece in game["posts"].items() if piece != "trader 0" and name != "Goslar-Magdeburg 2"}
    assert game.offers("displace trader") == with_prefix("displace trader", others)


@pytest.mark.ruling("D11")
def test_d11_traders_cannot_flee_to_boats(table: Tables) -> None:
    assert table(crowded_east()).offers("displace") == {
        "displace trader Lübeck-Wismar 1",
        "displace merchant Lübeck-Wismar 1",
    }


@pytest.mark.ruling("D12")
def test_d12_any_order(table: Tables) -> None:
    position = victim().supply(1, 5, 0)
    game = displaced(table, position)
    assert game.legal() == answers("trader", *RING_1) | answers("merchant", *RING_1)
    game.play("answer merchant Göttingen-Warburg 1")
    assert game["pending"]["down"] is None
    assert game["pending"]["extras"] == 0
    assert game.legal() == answers("trader", *RING_1) - {"answer trader Göttingen-Warburg 1"}
    game.play("answer trader Göttingen-Warburg 2")
    assert game.phase == "main"


@pytest.mark.ruling("D12")
def test_d12_same_shape_is_the_displaced_piece(table: Tables) -> None:
    game = displaced(table, victim())
    stock = game.stock(1)
    game.play("answer trader Göttingen-Warburg 1")
    assert game["pending"]["down"] == "Göttingen-Warburg 1"
    assert game["pending"]["extras"] == 1
    assert game.stock(1) == stock


@pytest.mark.ruling("D12")
def test_d12_the_displaced_piece_keeps_a_post(table: Tables) -> None:
    position = Position(players=5).piece("Goslar-Quedlinburg 1", "trader 1")
    position.fill_rest(0, 1, 2, 3, 4, free=["Goslar-Magdeburg 1"])
    game = displaced(table, position, post="Goslar-Quedlinburg 1")
    assert game.stock(1)[1] > 0
    assert game.legal() == {"answer trader Goslar-Magdeburg 1"}
    game.play("answer trader Goslar-Magdeburg 1")
    assert (game.phase, game.player) == ("main", 0)


@pytest.mark.ruling("D13")
@pytest.mark.parametrize("actions", [2, 1])
def test_d13_answer_lies_inside_the_action(table: Tables, actions: int) -> None:
    position = Position().piece(f"{ORIGIN} 1", "trader 3").turn(0, actions=actions, acted=actions < 2)
    game = displaced(table, position)
    assert (game.phase, game.player, game["current"], game["turn"]) == ("answer", 3, 0, 0)
    game.play("answer trader Göttingen-Warburg 1", "decline")
    assert (game.phase, game.player, game["current"], game["turn"]) == ("main", 0, 0, 0)
    assert game["actions"] == actions - 1


@pytest.mark.ruling("D14")
def test_d14_from_england_to_england_only(table: Tables) -> None:
    board = "britannia-4-5"
    position = Position(board=board).piece("Carlisle-Durham 1", "trader 1")
    game = displaced(table, position, post="Carlisle-Durham 1")
    england = ("Carlisle-Chester", "Carlisle-Richmond", "Durham-Lancaster", "Durham-Newcastle", "Durham-York")
    assert game.legal() == answers("trader", *england, board=board)


@pytest.mark.ruling("D14")
def test_d14_from_scotland_not_to_wales(table: Tables) -> None:
    board = "britannia-4-5"
    position = Position(board=board).office("Carlisle", 0).piece("Carlisle-Isle of Man 1", "trader 1")
    game = displaced(table, position, post="Carlisle-Isle of Man 1")
    near = ("Carlisle-Chester", "Carlisle-Durham", "Carlisle-Falkirk", "Carlisle-Richmond")
    assert game.legal() == answers("trader", *near, board=board)


@pytest.mark.ruling("D14")
def test_d14_rings_are_not_searched_through_a_third_country(table: Tables) -> None:
    """From Conway-Isle of Man, Carlisle-Durham and Carlisle-Richmond are two steps off through Scotland, else three."""
    board = "britannia-4-5"
    position = Position(board=board).office("Cardiff", 0).piece("Conway-Isle of Man 3", "trader 1")
    position.fill("Chester-Conway", "trader 2").fill("Conway-Montgomery", "trader 2")
    game = displaced(table, position, post="Conway-Isle of Man 3")
    ring_2 = (
        "Cardiff-Montgomery",
        "Carlisle-Chester",
        "Chester-Hereford",
        "Hereford-Montgomery",
        "Montgomery-Pembroke",
    )
    assert game.legal() == answers("trader", *ring_2, board=board)


@pytest.mark.ruling("D10", "D14")
def test_d14_holds_for_own_pieces_from_routes(table: Tables) -> None:
    board = "britannia-4-5"
    position = Position(board=board).piece("Carlisle-Durham 1", "trader 1")
    for name in ("Chester-Conway", "Conway-Montgomery", "Montgomery-Pembroke"):
        position.fill(name, "trader 1")
    position.fill("Cardiff-Pembroke", "trader 1", "merchant 1", None)
    game = displaced(table, position, post="Carlisle-Durham 1").play("answer trader Carlisle-Richmond 1")
    game.play("answer-from Chester-Conway 1")
    england = ("Carlisle-Chester", "Carlisle-Richmond", "Durham-Lancaster", "Durham-Newcastle", "Durham-York")
    assert game.legal() == with_prefix("to", posts(board, *england, boats=False)) - {"to Carlisle-Richmond 1"}
