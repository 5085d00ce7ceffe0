"""Moving (M1-M4)."""

from __future__ import annotations

import pytest

from tests.engines import Position, Tables, posts, with_prefix

BOARD = "standard-4-5"
ROUTE = "Arnheim-Kampen"


@pytest.mark.ruling("M1")
def test_m1_one_up_to_the_book_value(table: Tables) -> None:
    game = table(Position().piece(f"{ROUTE} 1", "trader 0").piece("Goslar-Magdeburg 1", "trader 0")).play("move")
    assert game.phase == "lift"
    assert game["actions"] == 1
    assert game.legal() == {f"lift {ROUTE} 1", "lift Goslar-Magdeburg 1"}
    game.play(f"lift {ROUTE} 1")
    taken = {f"{ROUTE} 1", "Goslar-Magdeburg 1"}
    assert game.legal() == with_prefix("set", set(posts(BOARD)) - taken)
    game.play("set Arnheim-Münster 2")
    assert game.legal() == {"lift Arnheim-Münster 2", "lift Goslar-Magdeburg 1", "finish"}
    game.play("finish")
    assert (game.phase, game.player, game["actions"]) == ("main", 0, 1)
    assert game["posts"] == {"Arnheim-Münster 2": "trader 0", "Goslar-Magdeburg 1": "trader 0"}


@pytest.mark.ruling("M1")
@pytest.mark.parametrize(("level", "book"), list(enumerate((2, 3, 4, 5))))
def test_m1_no_more_than_the_book_value(table: Tables, level: int, book: int) -> None:
    position = Position().ability(0, book=level).fill(ROUTE, "trader 0").fill("Emden-Stade", "trader 0")
    free = [*posts(BOARD, "Arnheim-Münster"), *posts(BOARD, "Hamburg-Lübeck")]
    mine = [*posts(BOARD, ROUTE), *posts(BOARD, "Emden-Stade")]
    game = table(position).play("move")
    for start, goal in zip(mine[:book], free, strict=False):
        game.play(f"lift {start}", f"set {goal}")
    assert game.phase == "main"


@pytest.mark.ruling("M1")
def test_m1_own_pieces_only(table: Tables) -> None:
    assert "move" not in table(Position().fill(ROUTE, "trader 1")).legal()
    game = table(Position().fill(ROUTE, "trader 0", "merchant 1", None)).play("move")
    assert game.legal() == {f"lift {ROUTE} 1"}
    game.play(f"lift {ROUTE} 1")
    assert f"set {ROUTE} 2" not in game.legal()


@pytest.mark.ruling("M2")
def test_m2_an_exchange_costs_two(table: Tables) -> None:
    position = Position().fill(ROUTE, "trader 0", "merchant 0", "trader 0")
    game = table(position).play("move", f"lift {ROUTE} 1")
    assert f"set {ROUTE} 2" in game.legal()
    assert f"set {ROUTE} 3" not in game.legal()
    game.play(f"set {ROUTE} 2")
    assert game.phase == "set"
    assert game["pending"]["hand"] == "merchant 0"
    assert game["pending"]["left"] == 0
    free = set(posts(BOARD)) - set(posts(BOARD, ROUTE)) | {f"{ROUTE} 1"}
    assert game.legal() == with_prefix("set", free)
    game.play(f"set {ROUTE} 1")
    assert game.phase == "main"
    assert [game["posts"][name] for name in posts(BOARD, ROUTE)] == ["merchant 0", "trader 0", "trader 0"]


@pytest.mark.ruling("M2")
def test_m2_no_exchange_with_the_last_lift(table: Tables) -> None:
    position = Position().fill(ROUTE, "trader 0", "merchant 0", "trader 0")
    game = table(position).play("move", f"lift {ROUTE} 3", "set Goslar-Magdeburg 1", f"lift {ROUTE} 1")
    assert f"set {ROUTE} 2" not in game.legal()
    assert f"set {ROUTE} 3" in game.legal()


@pytest.mark.ruling("M3")
def test_m3_chain_of_exchanges(table: Tables) -> None:
    position = Position().ability(0, book=1).fill(ROUTE, "trader 0", "merchant 0", "trader 0")
    game = table(position).play("move", f"lift {ROUTE} 1", f"set {ROUTE} 2")
    assert f"set {ROUTE} 2" not in game.legal(), "never back on the post it was lifted from"
    assert {f"set {ROUTE} 1", f"set {ROUTE} 3"} <= game.legal()
    game.play(f"set {ROUTE} 3")
    assert game["pending"]["hand"] == "trader 0"
    assert game["pending"]["left"] == 0
    game.play(f"set {ROUTE} 1")
    assert game.phase == "main"
    assert [game["posts"][name] for name in posts(BOARD, ROUTE)] == ["trader 0", "trader 0", "merchant 0"]


@pytest.mark.ruling("M3")
def test_m3_lifted_again_counts_again(table: Tables) -> None:
    game = table(Position().piece(f"{ROUTE} 1", "trader 0"))
    game.play("move", f"lift {ROUTE} 1", f"set {ROUTE} 2", f"lift {ROUTE} 2")
    assert f"set {ROUTE} 1" in game.legal()
    assert f"set {ROUTE} 2" not in game.legal()
    game.play(f"set {ROUTE} 1")
    assert game.phase == "main"
    assert game["posts"] == {f"{ROUTE} 1": "trader 0"}


@pytest.mark.ruling("M3")
def test_m3_no_finish_with_a_piece_in_hand(table: Tables) -> None:
    game = table(Position().fill(ROUTE, "trader 0")).play("move")
    assert "finish" not in game.legal()
    game.play(f"lift {ROUTE} 1")
    assert "finish" not in game.legal()
    game.play("set Goslar-Magdeburg 1")
    assert "finish" in game.legal()


def full_board(*pieces: str) -> Position:
    """No post is free, and these three are all that seat 0 has on routes."""
    return Position(players=5).fill(ROUTE, *pieces).fill_rest(1, 2, 3, 4)


@pytest.mark.ruling("M3")
def test_m3_no_lift_without_a_post_to_go_to(table: Tables) -> None:
    assert "move" not in table(full_board("trader 0", "trader 0", "trader 0")).legal()
    game = table(full_board("trader 0", "merchant 0", "trader 0").ability(0, book=1)).play("move")
    assert game.legal() == with_prefix("lift", posts(BOARD, ROUTE))
    game.play(f"lift {ROUTE} 1")
    assert game.legal() == {f"set {ROUTE} 2"}
    game.play(f"set {ROUTE} 2")
    assert game.legal() == {f"set {ROUTE} 1", f"set {ROUTE} 3"}
    game.play(f"set {ROUTE} 1")
    assert game.phase == "main", "the third lift would have nowhere to go, so the move is over"


@pytest.mark.ruling("M4")
def test_m4_only_merchants_on_boats(table: Tables) -> None:
    position = Position(board="east").ability(0, book=1)
    position.piece("Lübeck-Wismar 1", "trader 0").fill("Malmö-Stralsund", "merchant 0", None, "merchant 0")
    taken = {"Lübeck-Wismar 1", "Malmö-Stralsund 1", "Malmö-Stralsund 3"}
    game = table(position).play("move", "lift Lübeck-Wismar 1")
    houses = set(posts("east", boats=False)) - taken
    assert game.legal() == with_prefix("set", houses | {"Malmö-Stralsund 3"})
    game = table(position).play("move", "lift Malmö-Stralsund 3")
    assert game.legal() == with_prefix("set", set(posts("east")) - taken | {"Lübeck-Wismar 1"})
    game.play("set Stralsund-Wismar 1")
    assert game["posts"]["Stralsund-Wismar 1"] == "merchant 0"


@pytest.mark.ruling("M3", "M4")
def test_m4_a_trader_drawn_into_hand_needs_a_house(table: Tables) -> None:
    """All houses but one taken: a merchant from its boat may take the trader's place, who goes to the free house."""
    free = "Allenstein-Thorn 1"
    position = Position(board="east", players=5).piece("Stralsund-Wismar 1", "merchant 0")
    position.piece("Lübeck-Wismar 1", "trader 0").fill_rest(1, 2, 3, 4, free=[free], boats=False)
    game = table(position).play("move", "lift Stralsund-Wismar 1", "set Lübeck-Wismar 1")
    assert game.legal() == {f"set {free}"}
    full = Position(board="east", players=5).piece("Stralsund-Wismar 1", "merchant 0")
    full.piece("Lübeck-Wismar 1", "trader 0").fill_rest(1, 2, 3, 4, boats=False)
    game = table(full).play("move")
    assert game.legal() == {"lift Stralsund-Wismar 1"}, "the trader has no house to go to"
    game.play("lift Stralsund-Wismar 1")
    assert "set Lübeck-Wismar 1" not in game.legal()
    boats = set(posts("east")) - set(posts("east", boats=False)) - {"Stralsund-Wismar 1"}
    assert game.legal() == with_prefix("set", boats)
