"""The ten examples of the rulebook, and the scenarios 29-34 and 40 of the rules, most of which retell one of them.

Gray is seat 0, Yellow 1, Purple 2; where an example names other players, whoever acts first is seat 0.
"""

from __future__ import annotations

from collections import Counter

from tests.hansa_engines import CITIES, COLOURS, PILE_SIZES, SPACES, Port, Tables

START = "Copenhagen"


def test_example_01_goods_are_laid_out_by_number(table: Tables) -> None:
    """The first goods lie in Tønsberg, which has number 1, the last ones in Riga, which has number 9."""
    goods = [f"{colour} {barrels}" for barrels in (3, 1, 2) for colour in COLOURS[:5]][:14]
    port = Port()
    for city in CITIES:
        port.lay(city, *[good for good, (name, _) in zip(goods, SPACES, strict=True) if name == city])
    setup = port.setup()
    assert setup["goods"] == goods
    game = table.new(port)
    assert game["warehouses"]["Tønsberg"] == goods[:2]
    assert game["warehouses"]["Riga"][-1] == goods[-1]
    assert [game["warehouses"][city][place] for city, place in SPACES] == goods
    assert all(game["warehouses"][city] for city in CITIES)


def test_example_02_piles_are_used_in_their_order(table: Tables) -> None:
    """The piles lie face down in a row; a pile is begun only when all before it are used up."""
    port = Port(players=4).empty("Tønsberg", "Aalborg")
    game = table(port.piles(2, 13, 13, 13, 12).draws("red 1", "red 2", "blue 1", "blue 2", "blue 3"))
    game.play("end", "replenish")
    assert game["warehouses"]["Tønsberg"] == ["red 1", "red 2"]
    assert game["warehouses"]["Aalborg"] == ["blue 1", "blue 2"]
    assert [len(pile) for pile in game["piles"]] == [0, 11, 13, 13, 12]
    assert game["piles"][1][0] == "blue 3"
    assert tuple(len(pile) for pile in table.new(Port(players=4))["piles"]) == PILE_SIZES[4]


def test_example_03_set_up_of_three_players(table: Tables) -> None:
    """Three rounds of two booths; nobody twice in a city, several players in one city, none in Copenhagen."""
    game = table.new(Port())
    for round_ in (("Danzig", "Danzig", "Riga"), ("Tønsberg", "Aalborg", "Aalborg"), ("Riga", "Lübeck", "Reval")):
        for seat, city in enumerate(round_):
            assert game.player == seat and "place Copenhagen" not in game.legal()
            game.play(f"place {city}")
    assert game["booths"] == {
        "Tønsberg": [2, 0, 0],
        "Aalborg": [0, 2, 2],
        "Lübeck": [0, 2, 0],
        "Danzig": [2, 2, 0],
        "Reval": [0, 0, 2],
        "Riga": [2, 0, 2],
    }
    assert (game.phase, game.player) == ("main", 0)


def test_example_04_one_action_in_each_city(table: Tables) -> None:
    """Scenario 30. Actions in Lübeck, Aalborg and Danzig, none in Copenhagen on the way."""
    port = Port().ship("Lübeck").lay("Lübeck", "red 1").lay("Aalborg", "red 2", "brown 3").lay("Danzig", "orange 1")
    game = table(port.talers(0, 6).booths("Lübeck", 1))
    game.play("buy red 1")
    assert not game.offers("buy") | game.offers("build") | game.offers("sell")
    game.play("sail Aalborg", "buy red 2")
    assert not game.offers("buy") | game.offers("build") | game.offers("sell")
    game.play("sail Copenhagen")
    assert game.offers("buy") and game.offers("build")  # she might act here, but sails on
    game.play("sail Danzig", "buy orange 1")
    assert game.unsold(0) == {"orange 1": 1, "red 1": 1, "red 2": 1}
    assert game.talers()[0] == 6 - 0 - 1 - 1 - 1 - 1 - 1
    game.play("end")
    assert game.player == 1


def test_example_05_ship_sails_with_the_arrows(table: Tables) -> None:
    """Scenario 29. From Copenhagen to Danzig, Lübeck or Tønsberg, not to Aalborg or Kalmar."""
    assert table(Port()).offers("sail") == {"sail Danzig", "sail Lübeck", "sail Tønsberg"}
    assert "sail Stockholm" in table(Port().ship("Tønsberg")).legal()  # over land, but the ship is moved all the same


def test_example_06_booths_for_barrels(table: Tables) -> None:
    """Scenario 31. Yellow's marker of two barrels draws level with Gray; a second action there is refused."""
    port = Port().turn(1).ship("Danzig").booths("Danzig", 4, 2).unsold(1, "red 1", "brown 2")
    game = table(port)
    assert {"build red 1", "build brown 2"} <= game.legal()
    game.play("build brown 2")
    assert game.booths("Danzig") == [4, 4, 0]
    assert game.unsold(1) == {"red 1": 1} and game.in_supply(1) == 15 - 4
    assert not game.offers("build")


def sale_in_danzig() -> Port:
    """Gray has three orange and two brown markers, Yellow two orange and one brown, Purple one brown."""
    port = Port().ship("Danzig").booths("Danzig", 2, 1)
    port.unsold(0, "orange 1", "orange 2", "orange 3", "brown 1", "brown 2")
    return port.unsold(1, "orange 1", "orange 3", "brown 2").unsold(2, "brown 3")


SALE = ("sell orange 1", "sell orange 2", "sell orange 3", "sell brown 1", "sell brown 2")


def test_example_07a_selling(table: Tables) -> None:
    """Five markers of two colours are sold at once, for one booth."""
    game = table(sale_in_danzig())
    talers = game.talers()
    game.play(*SALE)
    assert game.sold(0) == {"orange 1": 1, "orange 2": 1, "orange 3": 1, "brown 1": 1, "brown 2": 1}
    assert game.unsold(0) == {}
    assert game.booths("Danzig") == [1, 1, 0] and game.in_supply(0) == 14
    assert game.talers() == talers


def test_example_07b_losses(table: Tables) -> None:
    """Yellow loses an orange marker of his choice and his brown one, Purple his brown one."""
    game = table(sale_in_danzig()).play(*SALE)
    removed = Counter(game["removed"])
    assert (game.player, game.legal()) == (1, {"lose orange 1", "lose orange 3"})
    game.play("lose orange 1")
    assert (game.player, game.legal()) == (1, {"lose brown 2"})
    game.play("lose brown 2")
    assert (game.player, game.legal()) == (2, {"lose brown 3"})
    game.play("lose brown 3")
    assert (game.phase, game.player) == ("main", 0)
    assert (game.unsold(1), game.unsold(2)) == ({"orange 3": 1}, {})
    assert Counter(game["removed"]) - removed == {"orange 1": 1, "brown 2": 1, "brown 3": 1}


def test_example_08_a_whole_turn(table: Tables) -> None:
    """Scenario 32. Gray replenishes, buys from Purple, sails, buys for free, sails twice and builds in Reval."""
    port = Port().turn(2).booths(START, 0, 0, 1).booths("Tønsberg", 2, 1).lay(START, "red 3").lay("Tønsberg", "brown 1")
    game = table(port)
    game.play("end")
    assert (game.phase, game.player, game.talers()[0]) == ("replenish", 0, 6)
    game.play("replenish", "buy red 3")
    assert game.talers() == [4, 3, 4]
    game.play("sail Tønsberg", "buy brown 1")
    assert game.talers() == [3, 3, 4]  # his own majority
    game.play("sail Stockholm", "sail Reval", "build red 3")
    assert game.booths("Reval") == [3, 0, 0] and game.in_supply(0) == 15 - 2 - 3
    assert game.unsold(0) == {"brown 1": 1}
    assert game.talers() == [1, 3, 4]
    game.play("end")
    assert game.player == 1 and game.talers() == [1, 6, 4]  # no taxes for Gray, income for Yellow
    game.play("skip", "end")  # Yellow saves: three talers are kept
    assert game.player == 2 and game.talers() == [1, 3, 7]
    assert game["ship"] == "Reval"


def test_example_09_round_is_finished(table: Tables) -> None:
    """The second of three players begins the last pile; the third has his turn, then the game is over."""
    port = Port().empty("Tønsberg").piles(0, 0, 0, 1, 10).turn(0, number=12)
    game = table(port).play("end", "replenish", "end")
    assert (game.phase, game.player) == ("main", 2)
    game.play("end")
    assert game.is_over and game.result()["reasons"] == ["pile five"] and game["turn"] == 15


def test_example_10_cities(table: Tables) -> None:
    """Scenario 33. Three players in Copenhagen get 2 points each; Yellow, alone in Kalmar, gets 4 there."""
    assert table(Port().booths(START, 1, 2, 4)).score("cities") == [2, 2, 2]
    assert table(Port().booths("Kalmar", 0, 2)).score("cities") == [0, 4, 0]
    assert table(Port().booths(START, 1, 2, 4).booths("Kalmar", 0, 2)).score("cities") == [2, 6, 2]


def test_scenario_34_taxes(table: Tables) -> None:
    """Four talers, five unsold and two sold markers at the end of a turn: 3, 3 and 2 are left."""
    port = Port().talers(0, 4).unsold(0, "red 1", "red 1", "red 2", "brown 1", "green 3").sold(0, "red 3", "red 3")
    game = table(port).play("end", "give red 1", "give green 3")
    assert game.player == 1 and game.talers()[0] == 3
    assert (sum(game.unsold(0).values()), sum(game.sold(0).values())) == (3, 2)


def test_scenario_40_goods(table: Tables) -> None:
    """A sold marker of one barrel is worth 2, a sold one of three barrels 4, an unsold one of three barrels 1."""
    game = table(Port().sold(0, "red 1").sold(1, "red 3").unsold(2, "red 3"))
    assert game.score("total") == [2, 4, 1]
    assert (game.score("sold"), game.score("unsold")) == ([2, 4, 0], [0, 0, 1])
