"""Two players with the pawn (T1-T7)."""

from __future__ import annotations

import pytest

from tests.engines import Position, Tables, load, posts, routes, with_prefix

BOARD = "standard-3"
PROVINCES = [f"P{number}" for number in range(1, 17)]
NEXT_TO_P10 = ("Arnheim-Duisburg", "Arnheim-Münster", "Dortmund-Duisburg")


def two(pawn: str = "P10") -> Position:
    return Position(edition="2009", board=BOARD, players=2).pawn(pawn)


def free_moves(table: Tables, pawn: str) -> set[str]:
    return {text.removeprefix("pawn ") for text in table(two(pawn)).offers("pawn") if not text.endswith("action")}


@pytest.mark.ruling("T1")
def test_t1_before_the_first_action(table: Tables) -> None:
    game = table(two()).play("pawn P14")
    assert (game.phase, game.player, game["pawn"], game["actions"]) == ("main", 0, "P14", 2)
    assert all(text.endswith("action") for text in game.offers("pawn")), "one free move a turn"
    assert game.offers("place")
    assert game.offers("income")
    game.play("place trader Coellen-Warburg 1", "income 3 traders")
    assert game["actions"] == 0
    assert not game.offers("pawn"), "not both before and after"


@pytest.mark.ruling("T1")
def test_t1_after_an_action_it_ends_the_actions(table: Tables) -> None:
    game = table(two().ability(0, actions=1).markers(0, "actions_3", "actions_4", "develop_ability"))
    game.play("income 3 traders", "pawn P14")
    assert game["pawn"] == "P14"
    assert game["actions"] == 0
    abilities = ("keys", "actions", "privilege", "book", "bank")
    assert game.legal() == with_prefix("use develop_ability", abilities) | {"end"}
    game.play("use develop_ability privilege")
    assert game.legal() == {"end"}


@pytest.mark.ruling("T1")
def test_t1_developing_actions_gives_none_after_it(table: Tables) -> None:
    game = table(two().markers(0, "develop_ability")).play(
        "income 3 traders", "pawn P14", "use develop_ability actions"
    )
    assert game["actions"] == 0
    assert game.legal() == {"end"}
    before = table(two().markers(0, "develop_ability")).play("pawn P14", "use develop_ability actions")
    assert before["actions"] == 3


@pytest.mark.ruling("T1")
def test_t1_after_the_last_action(table: Tables) -> None:
    game = table(two().turn(0, actions=0, acted=True))
    assert game.offers("pawn") == with_prefix("pawn", free_moves(table, "P10"))
    assert game.play("pawn P4", "end")["pawn"] == "P4"
    assert game.player == 1
    assert game.offers("pawn P10") == {"pawn P10", "pawn P10 action"}


@pytest.mark.ruling("T1", "T2")
@pytest.mark.parametrize(
    ("pawn", "reach"),
    [
        ("P10", {"P4", "P7", "P8", "P11", "P12", "P14", "P16"}),
        ("P15", {"P6", "P12", "P13", "P14", "P16"}),
        ("P3", {"P1", "P2", "P5", "P6", "P9", "P13"}),
    ],
)
def test_t2_one_or_two_borders(table: Tables, pawn: str, reach: set[str]) -> None:
    assert free_moves(table, pawn) == reach


@pytest.mark.ruling("T2")
@pytest.mark.parametrize("pawn", PROVINCES)
def test_t2_borders_are_routes_and_soldiers(table: Tables, pawn: str) -> None:
    borders = load(BOARD)["two_player"]["borders"]
    steps = {
        province: {b if a == province else a for a, b, *_ in borders if province in (a, b)} for province in PROVINCES
    }
    reach = steps[pawn].union(*(steps[province] for province in steps[pawn])) - {pawn}
    assert free_moves(table, pawn) == reach


@pytest.mark.ruling("T3")
def test_t3_anywhere_for_an_action_at_any_time(table: Tables) -> None:
    others = {f"pawn {province} action" for province in PROVINCES if province != "P10"}
    game = table(two())
    assert {text for text in game.offers("pawn") if text.endswith("action")} == others
    game.play("place trader Arnheim-Münster 1")
    assert {text for text in game.offers("pawn") if text.endswith("action")} == others
    game.play("pawn P3 action")
    assert (game["pawn"], game["actions"]) == ("P3", 0)
    assert not {text for text in game.offers("pawn") if text.endswith("action")}
    assert "pawn P6" in game.legal(), "the free move is still there"


@pytest.mark.ruling("T3")
def test_t3_does_not_use_up_the_free_move(table: Tables) -> None:
    game = table(two()).play("pawn P14", "pawn P3 action")
    assert (game["pawn"], game["actions"]) == ("P3", 1)
    game.play("place trader Hamburg-Lübeck 1")
    assert game["actions"] == 0
    game = table(two()).play("pawn P3 action", "pawn P6")
    assert game["actions"] == 0, "made after an action, the free move ends the actions"


@pytest.mark.ruling("T4")
def test_t4_placing_needs_the_pawn(table: Tables) -> None:
    assert table(two()).offers("place trader") == with_prefix("place trader", posts(BOARD, *NEXT_TO_P10))


@pytest.mark.ruling("T4")
@pytest.mark.parametrize("pawn", PROVINCES)
def test_t4_routes_of_a_province(table: Tables, pawn: str) -> None:
    province = next(one for one in load(BOARD)["two_player"]["provinces"] if one["id"] == pawn)
    names = list(routes(BOARD))
    near = [names[number] for number in province["routes"]]
    assert table(two(pawn)).offers("place merchant") == with_prefix("place merchant", posts(BOARD, *near))


@pytest.mark.ruling("T4")
def test_t4_displacing_needs_the_pawn(table: Tables) -> None:
    position = two().piece("Arnheim-Duisburg 1", "trader 1").piece("Hamburg-Lübeck 1", "trader 1")
    assert table(position).offers("displace trader") == {"displace trader Arnheim-Duisburg 1"}


@pytest.mark.ruling("T4")
def test_t4_establishing_needs_the_pawn_an_extra_office_too(table: Tables) -> None:
    def position(pawn: str) -> Position:
        return two(pawn).markers(0, "additional_post").office("Duisburg", 1).fill("Dortmund-Duisburg", "trader 0")

    assert not table(position("P3")).offers("route")
    assert table(position("P10")).offers("route") == {
        "route Dortmund-Duisburg none",
        "route Dortmund-Duisburg extra Duisburg trader",
    }
    assert table(position("P14")).offers("route")


@pytest.mark.ruling("T4")
def test_t4_moving_income_and_markers_do_not_need_it(table: Tables) -> None:
    position = two().markers(0, "develop_ability", "remove_3").piece("Hamburg-Lübeck 1", "trader 0")
    game = table(position.piece("Hamburg-Lübeck 2", "trader 1"))
    assert {"move", "use remove_3", "use develop_ability keys", "income 3 traders"} <= game.legal()
    game.play("move", "lift Hamburg-Lübeck 1")
    free = set(posts(BOARD)) - {"Hamburg-Lübeck 1", "Hamburg-Lübeck 2"}
    assert game.legal() == with_prefix("set", free)


@pytest.mark.ruling("T5")
def test_t5_the_answer_is_not_restricted(table: Tables) -> None:
    game = table(two().piece("Dortmund-Duisburg 1", "trader 1")).play(
        "displace trader Dortmund-Duisburg 1", "pay 1 trader"
    )
    assert game.legal() == with_prefix("answer trader", posts(BOARD, "Arnheim-Duisburg", "Dortmund-Paderborn"))
    far = two().piece("Arnheim-Münster 1", "trader 1")
    game = table(far).play("displace trader Arnheim-Münster 1", "pay 1 trader")
    assert game.legal() == with_prefix(
        "answer trader", posts(BOARD, "Arnheim-Duisburg", "Arnheim-Kampen", "Minden-Münster")
    )


@pytest.mark.ruling("T6")
def test_t6_set_up(table: Tables) -> None:
    game = table.new(two())
    assert (game.phase, game.player) == ("pawn", 1)
    assert game["pawn"] is None
    assert game.legal() == with_prefix("pawn", PROVINCES)
    assert [game.supply(seat) for seat in range(2)] == [(5, 1), (6, 1)]
    assert [game.stock(seat) for seat in range(2)] == [(6, 0), (5, 0)]
    game.play("pawn P7")
    turn = {key: game[key] for key in ("phase", "player", "pawn", "actions", "turn")}
    assert turn == {"phase": "main", "player": 0, "pawn": "P7", "actions": 2, "turn": 0}
    assert game.offers("pawn P4") == {"pawn P4", "pawn P4 action"}


@pytest.mark.ruling("T7")
def test_t7_a_turn_without_actions_has_its_free_move(table: Tables) -> None:
    game = table(two()).play("pawn P14", "end")
    assert (game.player, game["pawn"], game["turn"]) == (1, "P14", 1)
    game = table(two().turn(0, actions=0, acted=True))
    assert game.offers("pawn") == with_prefix("pawn", free_moves(table, "P10"))
