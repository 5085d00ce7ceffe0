"""The end of the game: what is counted, networks (N1) and ties (N2)."""

from __future__ import annotations

import pytest

from tests.engines import DESK, Position, Tables


@pytest.mark.ruling("N1")
def test_n1_offices_count_not_cities(table: Tables) -> None:
    position = Position().ability(0, keys=1).office("Minden", 0, 0, 1, 0).office("Hannover", 0)
    assert table(position).score("network") == [8, 1, 0, 0]


@pytest.mark.ruling("N1")
def test_n1_largest_network_only(table: Tables) -> None:
    """Two offices in Arnheim and Duisburg, three in Goslar, Magdeburg and Hildesheim, which no route joins to them."""
    position = Position().ability(0, book=1).office("Arnheim", 0).office("Duisburg", 0)
    position.office("Goslar", 0).office("Magdeburg", 0).office("Hildesheim", 0)
    assert table(position).score("network") == [3, 0, 0, 0]


@pytest.mark.ruling("N1")
def test_n1_neighbours_without_a_route_are_not_joined(table: Tables) -> None:
    position = Position().office("Goslar", 0).office("Brunswiek", 0)
    assert table(position).score("network") == [1, 0, 0, 0]


@pytest.mark.ruling("N1")
def test_n1_extra_offices_belong_to_it(table: Tables) -> None:
    position = Position().office("Minden", 1).extra("Minden", "trader 0", "trader 0").office("Hannover", 0)
    assert table(position).score("network") == [3, 1, 0, 0]


@pytest.mark.ruling("N1")
def test_n1_maritime_routes_join(table: Tables) -> None:
    position = Position(board="east").ability(0, book=1).office("Visby", 0).office("Malmö", 0).office("Danzig", 0)
    assert table(position).score("network") == [3, 0, 0, 0]


@pytest.mark.ruling("N1")
@pytest.mark.parametrize(("level", "keys"), list(enumerate((1, 2, 2, 3, 4))))
def test_n1_times_keys(table: Tables, level: int, keys: int) -> None:
    position = Position().ability(0, keys=level).office("Minden", 0, 0).office("Paderborn", 0)
    assert table(position).score("network")[0] == 3 * keys


def test_all_parts_add_up(table: Tables) -> None:
    position = Position().points(0, 6).ability(0, keys=4, bank=3, book=2).markers(0, "actions_3").used(0, "swap_posts")
    position.prestige(8, 0).prestige(7, 1).office("Minden", 0, 1, 0).office("Hannover", 0)
    assert table(position).scores()[:2] == [
        {
            "track": 6,
            "abilities": 4,
            "markers": 3,
            "prestige": 8,
            "cities": 4,
            "network": 12,
            "missions": 0,
            "total": 37,
        },
        {"track": 0, "abilities": 0, "markers": 0, "prestige": 7, "cities": 0, "network": 1, "missions": 0, "total": 8},
    ]


@pytest.mark.parametrize("ability", ["actions", "privilege", "book", "bank"])
def test_four_for_a_full_ability(table: Tables, ability: str) -> None:
    assert table(Position().ability(0, **{ability: DESK[ability]})).score("abilities")[0] == 4
    assert table(Position().ability(0, **{ability: DESK[ability] - 1})).score("abilities")[0] == 0


def test_nothing_for_full_keys(table: Tables) -> None:
    assert table(Position().ability(0, keys=4)).score("abilities")[0] == 0


def ranks(table: Tables, position: Position) -> list[int]:
    """Ranks when the game ends by its limit after this turn."""
    game = table(position).play("end")
    result = game.result()
    assert result["winners"] == [seat for seat, rank in enumerate(result["ranks"]) if rank == 1]
    assert result["scores"] == game.scores()
    found: list[int] = result["ranks"]
    return found


def last_turn(edition: str = "big-box") -> Position:
    return Position(edition=edition, turn_limit=1)


@pytest.mark.ruling("N2")
def test_n2_most_points_win(table: Tables) -> None:
    position = last_turn().points(0, 2).points(1, 9).points(2, 5).points(3, 7).ability(1, actions=4)
    assert ranks(table, position) == [4, 1, 3, 2]


@pytest.mark.ruling("N2")
def test_n2_shared_in_2009_at_every_place(table: Tables) -> None:
    position = last_turn("2009").points(3, 4).points(1, 2).points(2, 2).ability(1, actions=3)
    assert ranks(table, position) == [4, 2, 2, 1]
    assert ranks(table, last_turn("2009").ability(2, actions=3)) == [1, 1, 1, 1]


@pytest.mark.ruling("N2")
def test_n2_actions_further_left_at_every_place(table: Tables) -> None:
    position = last_turn().points(3, 4).points(1, 2).points(2, 2).ability(1, actions=3).ability(0, actions=2)
    assert ranks(table, position) == [4, 3, 2, 1]


@pytest.mark.ruling("N2")
def test_n2_spaces_count_not_values(table: Tables) -> None:
    """The second and third space are both worth three actions."""
    position = last_turn().points(0, 5).points(1, 5).ability(0, actions=2).ability(1, actions=1)
    assert ranks(table, position) == [2, 1, 3, 3]


@pytest.mark.ruling("N2")
def test_n2_then_network_then_shared(table: Tables) -> None:
    """Seat 0 has 2 for a city and 1 for the network, seats 1 and 2 as much on the track."""
    position = last_turn().office("Goslar", 0).points(1, 3).points(2, 3)
    assert ranks(table, position) == [1, 2, 2, 4]
    position = last_turn("2009").office("Goslar", 0).points(1, 3).points(2, 3)
    assert ranks(table, position) == [1, 1, 1, 4]


@pytest.mark.ruling("N2")
def test_n2_actions_before_network(table: Tables) -> None:
    position = last_turn().office("Goslar", 0).points(1, 3).ability(0, actions=1)
    assert ranks(table, position) == [2, 1, 3, 3]
