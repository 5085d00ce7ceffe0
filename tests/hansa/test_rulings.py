"""Every ruling on Hansa (H1-H15), and what the decisions of its turn offer."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from tests.hansa_engines import CITIES, COLOURS, KINDS, PILE_SIZES, SPACES, Port, Tables, arrows

PLAYERS = (2, 3, 4)
START = "Copenhagen"
ELSEWHERE = [city for city in CITIES if city != START]


def set_up(players: int) -> list[str]:
    """The placements of a set-up in which each seat has its own first city."""
    return [f"place {ELSEWHERE[(seat + step) % 8]}" for step in (0, 1, 2) for seat in range(players)]


def sale() -> Port:
    """Seat 0 lies in Danzig with two booths and six markers of three colours; the others hold nothing."""
    port = Port().ship("Danzig").booths("Danzig", 2)
    return port.unsold(0, "orange 1", "orange 1", "orange 3", "brown 2", "brown 3", "red 1")


# H1, H15: goods


@pytest.mark.ruling("H1")
@pytest.mark.parametrize("players", PLAYERS)
def test_h1_goods_and_piles(table: Tables, players: int) -> None:
    game = table.new(Port(players=players))
    assert game["colours"] == COLOURS[: players + 2]
    assert tuple(len(pile) for pile in game["piles"]) == PILE_SIZES[players]
    laid = [good for row in game["warehouses"].values() for good in row]
    assert len(laid) == 14 and None not in laid
    assert Counter([*laid, *(good for pile in game["piles"] for good in pile)]) == {
        f"{colour} {barrels}": count for colour in game["colours"] for barrels, count in KINDS.items()
    }
    assert game["removed"] == {} and game["ship"] == START
    assert [game.seat(seat) for seat in range(players)] == [
        {"talers": 3, "booths": 15, "unsold": {}, "sold": {}} for _ in range(players)
    ]


@pytest.mark.ruling("H1")
@pytest.mark.parametrize("players", PLAYERS)
def test_h1_set_up_is_as_given(table: Tables, players: int) -> None:
    port = Port(players=players).colours(*COLOURS[-players - 2 :]).draws("blue 3", "blue 1")
    game = table.new(port)
    opening = port.to_dict() | {"phase": "place"}
    assert game.to_dict() == opening
    assert game["colours"] == COLOURS[-players - 2 :]
    assert game["piles"][0][:2] == ["blue 3", "blue 1"]


@pytest.mark.ruling("H1")
@pytest.mark.parametrize("players", PLAYERS)
def test_h1_seeded_set_up_of_the_core(players: int) -> None:
    import hansa_fast as hf

    rules = hf.Rules(game="hansa", players=players)
    openings = [rules.new(seed=seed).to_dict() for seed in range(20)]
    for opening in openings:
        assert tuple(len(pile) for pile in opening["piles"]) == PILE_SIZES[players]
        rows = (*opening["piles"], *opening["warehouses"].values())
        assert Counter(good for row in rows for good in row) == {
            f"{colour} {barrels}": count for colour in opening["colours"] for barrels, count in KINDS.items()
        }
    assert len({str(opening["warehouses"]) for opening in openings}) == 20
    assert len({str(opening["piles"][4]) for opening in openings}) == 20
    assert rules.new(seed=3).to_dict() == openings[3]


@pytest.mark.ruling("H1")
def test_h1_parts_of_the_set_up_of_the_core() -> None:
    """What is given stands, what is not given comes from the seed, and nothing is there twice."""
    import hansa_fast as hf

    rules = hf.Rules(game="hansa", players=2)
    whole = Port(players=2).colours("brown", "red", "green", "blue").setup()
    for parts in (("colours",), ("colours", "goods"), ("colours", "piles")):
        openings = [rules.new(seed=seed, setup={part: whole[part] for part in parts}).to_dict() for seed in range(10)]
        for opening in openings:
            laid = [opening["warehouses"][city][place] for city, place in SPACES]
            assert opening["colours"] == whole["colours"]
            assert Counter([*laid, *(good for pile in opening["piles"] for good in pile)]) == {
                f"{colour} {barrels}": count for colour in whole["colours"] for barrels, count in KINDS.items()
            }
            assert (laid == whole["goods"]) == ("goods" in parts)
            assert (opening["piles"] == whole["piles"]) == ("piles" in parts)
        assert len({str(opening) for opening in openings}) == 10


@pytest.mark.ruling("H1")
@pytest.mark.parametrize(
    "change",
    [
        {"colours": ["brown", "red", "green"]},
        {"colours": ["brown", "red", "green", "pink"]},
        {"colours": ["orange", "brown", "red", "yellow"]},  # not those of the goods
        {"goods": ["brown 1"] * 14},
        {"piles": [["brown 1"] * 8, [], [], [], []]},
    ],
    ids=str,
)
def test_h1_core_refuses_a_set_up_that_does_not_fit(change: dict[str, list[str]]) -> None:
    import hansa_fast as hf

    setup = Port(players=2).colours("brown", "red", "green", "blue").setup()
    rules = hf.Rules(game="hansa", players=2)
    assert rules.new(setup=setup).phase == "place"
    with pytest.raises(hf.RulesError):
        rules.new(setup=setup | change)
    with pytest.raises(hf.RulesError, match="colours"):
        rules.new(setup={"goods": setup["goods"]})


@pytest.mark.ruling("H15")
@pytest.mark.parametrize("players", PLAYERS)
def test_h15_colours_are_picked_by_the_seed(players: int) -> None:
    import hansa_fast as hf

    rules = hf.Rules(game="hansa", players=players)
    picked = {tuple(rules.new(seed=seed).to_dict()["colours"]) for seed in range(200)}
    assert picked == set(combinations(COLOURS, players + 2))
    assert rules.new(seed=5).to_dict()["colours"] == rules.new(seed=5).to_dict()["colours"]


@pytest.mark.parametrize("players", [0, 1, 5])
def test_core_refuses_other_numbers_of_players(players: int) -> None:
    import hansa_fast as hf

    with pytest.raises(hf.RulesError, match=r"2.*3.*4"):
        hf.Rules(game="hansa", players=players)


# H6: the set-up


@pytest.mark.ruling("H6")
@pytest.mark.parametrize("players", PLAYERS)
def test_h6_three_rounds_in_seat_order(table: Tables, players: int) -> None:
    game = table.new(Port(players=players))
    for step in range(3):
        for seat in range(players):
            assert (game.phase, game.player, game["current"], game["turn"]) == ("place", seat, seat, 0)
            own = [city for city in CITIES if game.booths(city)[seat]]
            assert len(own) == step
            assert game.legal() == {f"place {city}" for city in ELSEWHERE if city not in own}
            city = ELSEWHERE[step]  # where the others are, too
            game.play(f"place {city}")
            assert game.booths(city)[: seat + 1] == [2] * (seat + 1) and game.in_supply(seat) == 13 - 2 * step
    assert (game.phase, game.player, game["current"], game["turn"]) == ("main", 0, 0, 0)
    assert game["booths"] == {city: [2] * players for city in ELSEWHERE[:3]}


@pytest.mark.ruling("H6")
def test_h6_talers_and_booths(table: Tables) -> None:
    game = table.new(Port())
    assert game.talers() == [3, 3, 3]
    game.play(*set_up(3))
    assert game.talers() == [6, 3, 3]  # the first turn has begun
    assert [game.in_supply(seat) for seat in range(3)] == [9, 9, 9]


# The turn


def test_income_begins_every_turn(table: Tables) -> None:
    game = table(Port().talers(0, 1).talers(1, 0).talers(2, 2))
    assert game.play("end").talers() == [1, 3, 2]
    assert game.play("end").talers() == [1, 3, 5]
    assert game.play("end").talers() == [4, 3, 3]
    assert (game.player, game["turn"]) == (0, 3)


def test_replenish_is_not_asked_when_nothing_is_empty(table: Tables) -> None:
    game = table(Port()).play("end")
    assert (game.phase, game.player) == ("main", 1)


def test_replenish_is_not_asked_when_no_marker_is_left(table: Tables) -> None:
    game = table(Port().empty("Riga").piles(0, 0, 0, 0, 0)).play("end")
    assert (game.phase, game.player) == ("main", 1)


def test_replenish_or_skip(table: Tables) -> None:
    port = Port().lay("Tønsberg", None, "brown 3").draws("red 2", "green 1")
    game = table(port).play("end")
    assert (game.phase, game.player, game["current"]) == ("replenish", 1, 1)
    assert game.legal() == {"replenish", "skip"}
    game.play("skip")
    assert (game.phase, game.player, game.talers()[1]) == ("main", 1, 6)
    assert game["warehouses"]["Tønsberg"] == [None, "brown 3"]
    assert not game.offers("replenish")
    game.play("end", "replenish")
    assert (game.phase, game.player, game.talers()[2]) == ("main", 2, 5)
    assert game["warehouses"]["Tønsberg"] == ["red 2", "brown 3"]
    assert game["piles"][0][0] == "green 1"


def test_replenish_is_the_only_answer_when_all_is_empty(table: Tables) -> None:
    game = table(Port().empty()).play("end")
    assert (game.phase, game.player) == ("replenish", 1)
    assert game.legal() == {"replenish"}
    game.play("replenish")
    assert all(None not in row for row in game["warehouses"].values())
    assert [len(pile) for pile in game["piles"]] == [0, 7, 10, 10, 10]


def test_one_marker_left_on_the_board_allows_skipping(table: Tables) -> None:
    game = table(Port().empty().lay("Kalmar", "red 1")).play("end")
    assert game.legal() == {"replenish", "skip"}


@pytest.mark.ruling("H2")
def test_h2_filling_order(table: Tables) -> None:
    port = Port().empty("Tønsberg", "Aalborg", "Copenhagen", "Riga")
    drawn = ["red 1", "green 3", "brown 2", "orange 2", "yellow 1", "red 3", "orange 1"]
    game = table(port.draws(*drawn)).play("end", "replenish")
    assert game["warehouses"]["Tønsberg"] == drawn[:2]
    assert game["warehouses"]["Aalborg"] == drawn[2:4]
    assert game["warehouses"]["Copenhagen"] == drawn[4:5]
    assert game["warehouses"]["Riga"] == drawn[5:]


@pytest.mark.ruling("H2")
def test_h2_all_spaces_by_number_and_from_pile_to_pile(table: Tables) -> None:
    drawn = [f"{colour} {barrels}" for barrels in (1, 2, 3) for colour in COLOURS[:5]][:14]
    port = Port().empty().draws(*drawn).piles(2, 10, 10, 10, 10)
    game = table(port).play("end", "replenish")
    assert [game["warehouses"][city][place] for city, place in SPACES] == drawn
    assert [len(pile) for pile in game["piles"]] == [0, 0, 8, 10, 10]


@pytest.mark.ruling("H3")
def test_h3_too_few_markers(table: Tables) -> None:
    port = Port().empty("Tønsberg", "Aalborg").draws("red 1", "green 3", "brown 2").piles(0, 0, 0, 0, 3)
    game = table(port.talers(1, 0)).play("end", "replenish")
    assert game["warehouses"]["Tønsberg"] == ["red 1", "green 3"]
    assert game["warehouses"]["Aalborg"] == ["brown 2", None]
    assert game.talers()[1] == 2  # the fee is due all the same
    assert game["piles"] == [[], [], [], [], []]
    game.play("end")
    assert game.phase == "main"


@pytest.mark.ruling("H4")
def test_h4_fee_is_paid_out_of_the_income(table: Tables) -> None:
    game = table(Port().empty().talers(1, 0)).play("end")
    assert game.talers()[1] == 3
    assert game.play("replenish").talers()[1] == 2


# H5: the end


@pytest.mark.ruling("H5")
def test_h5_emptying_pile_four_is_no_end(table: Tables) -> None:
    port = Port().turn(2).lay("Tønsberg", "red 1").piles(0, 0, 0, 1, 10)
    game = table(port).play("end", "replenish")
    assert [len(pile) for pile in game["piles"]] == [0, 0, 0, 0, 10]
    game.play("end", "end", "end")
    assert not game.is_over and (game.player, game["end"]) == (0, [])


@pytest.mark.ruling("H5")
@pytest.mark.parametrize("seat", range(3))
def test_h5_first_marker_of_pile_five_ends_the_round(table: Tables, seat: int) -> None:
    before = (seat - 1) % 3
    port = Port().turn(before, number=9 + before).empty("Tønsberg").piles(0, 0, 0, 1, 10)
    game = table(port).play("end", "replenish")
    assert [len(pile) for pile in game["piles"]] == [0, 0, 0, 0, 9]
    while game.player < 2:
        assert game["end"] == []
        following = game.player + 1
        game.play("end")
        assert (game.phase, game.player) == ("main", following)
    turn, talers = game["turn"], game.talers()
    game.play("end")
    assert game.is_over and game.player == -1 and game.legal() == set()
    assert (game["phase"], game["player"], game["current"], game["turn"]) == ("over", None, 2, turn + 1)
    assert game["end"] == game.result()["reasons"] == ["pile five"]
    assert game.talers() == [*talers[:2], 3]  # taxes, but no income of a further turn


@pytest.mark.ruling("H5")
def test_h5_replenishing_stays_allowed_in_the_last_round(table: Tables) -> None:
    port = Port().turn(2).ship("Danzig").empty("Tønsberg").lay("Danzig", "red 1", "red 2").piles(0, 0, 0, 0, 10)
    game = table(port).play("end", "replenish")
    game.play("buy red 1", "end")
    assert (game.phase, game.player) == ("replenish", 1)
    game.play("replenish")
    assert [len(pile) for pile in game["piles"]] == [0, 0, 0, 0, 7]
    game.play("end", "end")
    assert game.is_over


@pytest.mark.ruling("H5")
def test_h5_skipping_does_not_end_the_game(table: Tables) -> None:
    game = table(Port().turn(2).empty("Tønsberg").piles(0, 0, 0, 0, 10))
    for _ in range(4):
        game.play("end", "skip")
    assert not game.is_over


@pytest.mark.ruling("A6")
@pytest.mark.parametrize("limit", [1, 2, 3, 4])
def test_a6_turn_limit_within_a_round(table: Tables, limit: int) -> None:
    game = table(Port(turn_limit=limit).sold(1, "red 3"))
    for _ in range(limit):
        assert not game.is_over
        game.play("end")
    assert game.is_over and game["turn"] == limit and game["current"] == (limit - 1) % 3
    assert game.result()["reasons"] == ["turn limit"] and game.result()["winners"] == [1]


@pytest.mark.ruling("A6")
def test_a6_turn_limit_waits_for_the_taxes(table: Tables) -> None:
    game = table(Port(turn_limit=1).unsold(0, "red 1", "red 2", "red 3", "brown 1")).play("end")
    assert not game.is_over and game["turn"] == 0
    assert game.play("give red 3").is_over


@pytest.mark.ruling("A6", "H5")
def test_pile_five_comes_before_the_turn_limit(table: Tables) -> None:
    port = Port(turn_limit=6).turn(2, number=5).empty("Tønsberg").piles(0, 0, 0, 0, 9)
    assert table(port).play("end").result()["reasons"] == ["pile five"]


# H7: visits


@pytest.mark.ruling("H7")
def test_h7_city_where_the_turn_starts_is_a_visit(table: Tables) -> None:
    game = table(Port().ship("Aalborg").lay("Aalborg", "red 1", "red 2")).play("buy red 1")
    assert game["acted"] and game.legal() == {"sail Copenhagen", "end"}
    game.play("end", "skip")
    assert not game["acted"] and "buy red 2" in game.legal()


@pytest.mark.ruling("H7")
def test_h7_coming_back_is_a_new_visit(table: Tables) -> None:
    port = Port().ship("Aalborg").lay("Aalborg", "red 1", "red 2").booths("Aalborg", 1).talers(0, 3)
    game = table(port).play("buy red 1", "sail Copenhagen", "sail Lübeck", "sail Aalborg")
    assert not game["acted"] and game.legal() == {"buy red 2", "build red 1", "end"}
    game.play("buy red 2")
    assert game["acted"] and game.legal() == {"end"}
    assert game.unsold(0) == {"red 1": 1, "red 2": 1}


@pytest.mark.parametrize("city", CITIES)
def test_sailing_follows_the_arrows(table: Tables, city: str) -> None:
    game = table(Port().ship(city))
    assert game.offers("sail") == {f"sail {there}" for there in arrows(city)}
    goal = min(arrows(city))
    game.play(f"sail {goal}")
    assert (game["ship"], game.talers()) == (goal, [2, 3, 3])
    assert table(Port().ship(city).talers(0, 0)).offers("sail") == set()


def test_sailing_goes_on_after_an_action_and_as_far_as_the_talers_reach(table: Tables) -> None:
    game = table(Port().lay(START, "red 1").talers(0, 3)).play("buy red 1", "sail Lübeck", "sail Aalborg")
    assert game.talers()[0] == 0 and game.legal() == {"build red 1", "end"}


# H8: buying


@pytest.mark.ruling("H8")
@pytest.mark.parametrize(
    ("booths", "talers"),
    [
        ((), [2, 3, 3]),  # nobody there: to the bank
        ((1, 2, 0), [2, 4, 3]),
        ((1, 2, 3), [2, 3, 4]),
        ((0, 0, 1), [2, 3, 4]),
        ((3, 2, 2), [3, 3, 3]),  # the buyer's own majority
        ((1, 0, 0), [3, 3, 3]),
        ((0, 2, 2), [2, 3, 3]),  # a tie: to the bank
        ((2, 2, 0), [2, 3, 3]),  # also a tie with the buyer
        ((1, 1, 1), [2, 3, 3]),
    ],
)
def test_h8_who_gets_the_taler(table: Tables, booths: tuple[int, ...], talers: list[int]) -> None:
    game = table(Port().lay(START, "red 1").booths(START, *booths).booths("Riga", 0, 9, 0)).play("buy red 1")
    assert game.talers() == talers
    assert game.unsold(0) == {"red 1": 1} and game["warehouses"][START] == [None]
    assert (game.phase, game["acted"]) == ("main", True)


@pytest.mark.ruling("H8")
@pytest.mark.parametrize(("booths", "offered"), [((), False), ((1, 2), False), ((2, 2), False), ((2, 1), True)])
def test_h8_must_be_payable(table: Tables, booths: tuple[int, ...], offered: bool) -> None:
    game = table(Port().lay(START, "red 1").booths(START, *booths).talers(0, 0))
    assert game.offers("buy") == ({"buy red 1"} if offered else set())


@pytest.mark.ruling("H8")
def test_h8_equal_markers_are_one_action(table: Tables) -> None:
    game = table(Port().ship("Aalborg").lay("Aalborg", "red 1", "red 1"))
    assert game.offers("buy") == {"buy red 1"}
    game.play("buy red 1")
    assert game["warehouses"]["Aalborg"] == [None, "red 1"]
    other = table(Port().ship("Aalborg").lay("Aalborg", "red 1", "red 2"))
    assert other.offers("buy") == {"buy red 1", "buy red 2"}
    assert other.play("buy red 2")["warehouses"]["Aalborg"] == ["red 1", None]


def test_nothing_to_buy_in_an_empty_city(table: Tables) -> None:
    assert table(Port().empty(START)).offers("buy") == set()


# H9: building


@pytest.mark.ruling("H9")
@pytest.mark.parametrize(("barrels", "in_supply", "built"), [(1, 3, 1), (2, 3, 2), (3, 3, 3), (2, 1, 1), (3, 2, 2)])
def test_h9_as_many_as_barrels_and_as_are_left(table: Tables, barrels: int, in_supply: int, built: int) -> None:
    port = Port().unsold(0, f"red {barrels}").booths("Riga", 15 - in_supply, 1).talers(0, 0)
    game = table(port)
    removed = game["removed"].get(f"red {barrels}", 0)
    assert game.legal() == {f"build red {barrels}", "end"}
    game.play(f"build red {barrels}")
    assert game.booths(START) == [built, 0, 0] and game.in_supply(0) == in_supply - built
    assert game.unsold(0) == {} and game["removed"][f"red {barrels}"] == removed + 1
    assert game.talers() == [0, 3, 3] and game["acted"]


@pytest.mark.ruling("H9")
def test_h9_not_without_a_booth(table: Tables) -> None:
    port = Port().unsold(0, "red 1", "brown 3").booths("Riga", 15)
    assert table(port).offers("build") == set()


@pytest.mark.ruling("H9")
def test_h9_no_limit_in_a_city(table: Tables) -> None:
    game = table(Port().unsold(0, "red 3").booths(START, 12, 3, 3)).play("build red 3")
    assert game.booths(START) == [15, 3, 3] and game.in_supply(0) == 0


@pytest.mark.ruling("H9")
def test_h9_equal_markers_are_one_action_and_sold_ones_are_safe(table: Tables) -> None:
    game = table(Port().unsold(0, "red 2", "red 2", "brown 1").sold(0, "orange 3"))
    assert game.offers("build") == {"build red 2", "build brown 1"}
    assert game.play("build red 2").unsold(0) == {"brown 1": 1, "red 2": 1}
    assert game.sold(0) == {"orange 3": 1}


# H10: selling


@pytest.mark.ruling("H10")
def test_h10_needs_a_booth_in_the_city(table: Tables) -> None:
    port = Port().ship("Danzig").unsold(0, "red 1", "red 2")
    assert table(port.booths("Danzig", 0, 2).booths("Riga", 2)).offers("sell") == set()
    assert table(port.booths("Danzig", 1, 2)).offers("sell") == {"sell red 1", "sell red 2"}


@pytest.mark.ruling("H10")
def test_h10_needs_two_of_the_colour(table: Tables) -> None:
    port = Port().ship("Danzig").booths("Danzig", 1).unsold(0, "red 1", "brown 2", "brown 3").sold(0, "red 1")
    assert table(port).offers("sell") == {"sell brown 2", "sell brown 3"}
    port = Port().ship("Danzig").booths("Danzig", 1).unsold(0, "red 1", "brown 2").sold(0, "brown 2")
    assert table(port).offers("sell") == set()


@pytest.mark.ruling("H10")
def test_h10_markers_are_picked_one_at_a_time(table: Tables) -> None:
    game = table(sale())
    assert game.offers("sell") == {"sell orange 1", "sell orange 3", "sell brown 2", "sell brown 3"}
    game.play("sell orange 3")
    assert (game.phase, game.player, game["acted"]) == ("sell", 0, True)
    assert game["pending"] == {"picked": {"orange": 1}}
    assert game.sold(0) == {"orange 3": 1} and game.unsold(0)["orange 1"] == 2
    # Not yet to be finished or given up; red still cannot be completed.
    assert game.legal() == {"sell orange 1", "sell brown 2", "sell brown 3"}
    game.play("sell brown 2")
    assert game["pending"] == {"picked": {"orange": 1, "brown": 1}}
    assert game.legal() == {"sell orange 1", "sell brown 3"}  # the last brown one belongs to a colour picked already
    game.play("sell orange 1")
    assert game.legal() == {"sell orange 1", "sell brown 3"}  # brown is not complete
    assert game.booths("Danzig") == [2, 0, 0]  # the booth goes with the end of the sale
    game.play("sell brown 3")
    assert game.legal() == {"sell orange 1", "finish"}
    game.play("finish")
    assert (game.phase, game.player, game["pending"]) == ("main", 0, None)
    assert game.unsold(0) == {"orange 1": 1, "red 1": 1}
    assert game.sold(0) == {"orange 1": 1, "orange 3": 1, "brown 2": 1, "brown 3": 1}


@pytest.mark.ruling("H10")
def test_h10_not_necessarily_all(table: Tables) -> None:
    game = table(sale()).play("sell orange 1", "sell orange 1")
    assert game.legal() == {"sell orange 3", "sell brown 2", "sell brown 3", "finish"}
    game.play("finish")
    assert game.unsold(0) == {"orange 3": 1, "brown 2": 1, "brown 3": 1, "red 1": 1}
    assert game.legal() == {*(f"sail {city}" for city in arrows("Danzig")), "end"}


@pytest.mark.ruling("H10")
def test_h10_one_booth_for_the_whole_sale(table: Tables) -> None:
    game = table(sale())
    talers = game.talers()
    game.play("sell orange 1", "sell orange 1", "sell orange 3", "sell brown 2", "sell brown 3")
    assert game.phase == "main"  # nothing more to pick: finished without asking
    assert game.booths("Danzig") == [1, 0, 0] and game.in_supply(0) == 14
    assert game.talers() == talers


@pytest.mark.ruling("H10")
def test_h10_last_booth_may_be_sold_away(table: Tables) -> None:
    port = Port().ship("Danzig").booths("Danzig", 1).unsold(0, "red 1", "red 1")
    game = table(port)
    assert game.offers("sell") == {"sell red 1"}
    game.play("sell red 1")
    assert game.legal() == {"sell red 1"}
    game.play("sell red 1")
    assert game["booths"] == {} and game.in_supply(0) == 15 and game.sold(0) == {"red 1": 2}


@pytest.mark.ruling("H10")
def test_h10_odd_one_of_a_sold_colour_goes_with_it(table: Tables) -> None:
    """Three of a colour: the third may be picked although it is alone by then."""
    game = table(sale()).play("sell orange 1", "sell orange 3")
    assert "sell orange 1" in game.legal()


# H11: losses


@pytest.mark.ruling("H11")
def test_h11_clockwise_from_the_seller_by_colour(table: Tables) -> None:
    port = Port(players=4).turn(1).ship("Danzig").booths("Danzig", 0, 1)
    port.unsold(1, "brown 1", "brown 1", "orange 1", "orange 1", "red 3")
    port.unsold(0, "brown 2", "red 1").unsold(2, "orange 2", "orange 3", "brown 2", "brown 2", "blue 1")
    port.unsold(3, "orange 3", "red 2").sold(3, "brown 3")
    game = table(port).play("sell brown 1", "sell orange 1", "sell brown 1", "sell orange 1")
    removed = Counter(game["removed"])
    expected = [
        (2, "orange", {"lose orange 2", "lose orange 3"}, "lose orange 3"),
        (2, "brown", {"lose brown 2"}, "lose brown 2"),
        (3, "orange", {"lose orange 3"}, "lose orange 3"),
        (0, "brown", {"lose brown 2"}, "lose brown 2"),
    ]
    for seat, colour, offered, choice in expected:
        assert (game.phase, game.player, game["current"]) == ("lose", seat, 1)
        assert game["pending"] == {"colour": colour, "sold": ["orange", "brown"]}
        assert game.legal() == offered
        game.play(choice)
    assert (game.phase, game.player, game["pending"], game["acted"]) == ("main", 1, None, True)
    assert [game.unsold(seat) for seat in range(4)] == [
        {"red 1": 1},
        {"red 3": 1},
        {"orange 2": 1, "brown 2": 1, "blue 1": 1},
        {"red 2": 1},
    ]
    assert game.sold(3) == {"brown 3": 1}  # what is sold is safe
    assert Counter(game["removed"]) - removed == {"orange 3": 2, "brown 2": 2}


@pytest.mark.ruling("H11")
def test_h11_seller_keeps_what_was_not_sold(table: Tables) -> None:
    game = table(sale()).play("sell orange 1", "sell orange 1", "finish")
    assert game.phase == "main" and game.unsold(0)["orange 3"] == 1


@pytest.mark.ruling("H11")
def test_h11_one_marker_however_many_were_sold(table: Tables) -> None:
    port = Port(players=2).ship("Danzig").booths("Danzig", 1)
    port.unsold(0, "red 1", "red 1", "red 2").unsold(1, "red 3", "red 3", "red 2")
    game = table(port).play("sell red 1", "sell red 1", "sell red 2", "lose red 3")
    assert (game.phase, game.player) == ("main", 0)
    assert game.unsold(1) == {"red 2": 1, "red 3": 1}


# H12, H13: taxes


@pytest.mark.ruling("H12")
def test_h12_talers_above_three_are_lost(table: Tables) -> None:
    for talers, kept in ((2, 2), (3, 3), (4, 3), (9, 3)):
        assert table(Port().talers(0, talers)).play("end").talers() == [kept, 6, 3]


@pytest.mark.ruling("H12")
def test_h12_exactly_the_goods_above_three(table: Tables) -> None:
    port = Port().unsold(0, "orange 1", "orange 1", "brown 3", "red 2", "red 2").sold(0, "red 3").talers(0, 5)
    game = table(port).play("end")
    removed = Counter(game["removed"])
    assert (game.phase, game.player, game["turn"], game["pending"]) == ("give", 0, 0, None)
    assert game.talers() == [3, 3, 3]
    assert game.legal() == {"give orange 1", "give brown 3", "give red 2"}
    game.play("give red 2")
    assert game.legal() == {"give orange 1", "give brown 3", "give red 2"}
    game.play("give orange 1")
    assert (game.phase, game.player, game["turn"]) == ("main", 1, 1)
    assert game.unsold(0) == {"orange 1": 1, "brown 3": 1, "red 2": 1} and game.sold(0) == {"red 3": 1}
    assert Counter(game["removed"]) - removed == {"red 2": 1, "orange 1": 1}


@pytest.mark.ruling("H12")
def test_h12_three_goods_are_kept(table: Tables) -> None:
    game = table(Port().unsold(0, "orange 1", "brown 3", "red 2").sold(0, "red 3", "red 1")).play("end")
    assert (game.phase, game.player) == ("main", 1)


@pytest.mark.ruling("H12")
def test_h12_on_ones_own_turn_only(table: Tables) -> None:
    port = Port().lay(START, "red 1").booths(START, 0, 1).unsold(1, "orange 1", "brown 3", "red 2", "red 2")
    game = table(port).play("buy red 1", "end")
    assert game.talers() == [2, 4 + 3, 3]
    assert game.unsold(1) == {"orange 1": 1, "brown 3": 1, "red 2": 2}
    game.play("skip", "end")
    assert (game.phase, game.player, game.talers()) == ("give", 1, [2, 3, 3])


@pytest.mark.ruling("H12")
def test_h12_the_last_turn_too(table: Tables) -> None:
    port = Port().turn(2, number=8).empty("Tønsberg").piles(0, 0, 0, 0, 9).talers(2, 6)
    game = table(port.unsold(2, "red 1", "red 2", "red 3", "brown 1")).play("end")
    assert (game.phase, game.player) == ("give", 2)
    game.play("give brown 1")
    assert game.is_over and game.talers()[2] == 3 and game.score("unsold") == [0, 0, 3]


@pytest.mark.ruling("H13")
def test_h13_bank_never_runs_out(table: Tables) -> None:
    """More talers are out than the box holds (22); the income is paid in full."""
    game = table(Port(players=4).talers(1, 12).talers(2, 12)).play("end")
    assert game.talers() == [3, 15, 12, 3]


# Scores and H14


def test_scores(table: Tables) -> None:
    port = Port().unsold(0, "red 3", "red 1").sold(0, "orange 1", "orange 2", "orange 3", "brown 3")
    port.booths("Riga", 2, 1).booths("Kalmar", 0, 3).booths("Reval", 1, 1, 1)
    assert table(port).scores() == [
        {"unsold": 2, "sold": 2 + 3 + 4 + 4, "cities": 2 + 2, "total": 2 + 13 + 4},
        {"unsold": 0, "sold": 0, "cities": 2 + 4 + 2, "total": 8},
        {"unsold": 0, "sold": 0, "cities": 2, "total": 2},
    ]


@pytest.mark.ruling("H14")
def test_h14_booths_on_the_board_break_ties(table: Tables) -> None:
    port = Port(turn_limit=1).booths("Riga", 1).booths("Kalmar", 0, 3).booths("Reval", 0, 0, 2)
    result = table(port).play("end").result()
    assert [score["total"] for score in result["scores"]] == [4, 4, 4]
    assert (result["ranks"], result["winners"]) == ([3, 1, 2], [1])


@pytest.mark.ruling("H14")
@pytest.mark.parametrize(
    ("booths", "ranks"),
    [
        ((2, 2, 1), [1, 1, 3]),
        ((1, 2, 1), [2, 1, 2]),
        ((1, 1, 1), [1, 1, 1]),
    ],
)
def test_h14_then_the_place_is_shared(table: Tables, booths: tuple[int, ...], ranks: list[int]) -> None:
    port = Port(turn_limit=1)
    for seat, city in enumerate(("Riga", "Kalmar", "Reval")):
        port.booths(city, *[booths[seat] if other == seat else 0 for other in range(3)])
    result = table(port).play("end").result()
    assert [score["total"] for score in result["scores"]] == [4, 4, 4]
    assert result["ranks"] == ranks
    assert result["winners"] == [seat for seat in range(3) if ranks[seat] == 1]


@pytest.mark.ruling("H14")
def test_h14_points_come_before_booths(table: Tables) -> None:
    port = Port(turn_limit=1).booths("Riga", 9, 1).sold(1, "red 1")
    assert table(port).play("end").result()["ranks"] == [2, 1, 3]


# Refusals


@pytest.mark.parametrize(
    "text", ["sail Kalmar", "buy red 2", "build red 1", "sell red 1", "finish", "skip", "replenish"]
)
def test_refused_action_leaves_the_game_as_it_was(table: Tables, text: str) -> None:
    game = table(Port().lay(START, "red 1"))
    before = game.to_dict()
    with pytest.raises(ValueError, match=text):
        game.apply(text)
    assert game.to_dict() == before


def test_position_comes_back_as_it_was_given(table: Tables) -> None:
    port = sale().talers(1, 7).unsold(1, "green 2").sold(2, "yellow 3", "yellow 1").booths("Riga", 0, 3, 1)
    port.lay("Aalborg", None, "red 2").turn(0, number=12).piles(0, 4, 10, 10, 10)
    game = table(port)
    assert game.to_dict() == port.to_dict()
    for key in ("warehouses", "booths", "removed"):
        assert list(game[key]) == list(port.to_dict()[key])  # in the order of the board
