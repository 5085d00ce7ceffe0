"""Explicit set-ups: any part may be given, wrong ones are refused with a message that names the part."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import hansa_fast as hf
from hansa_fast import _boards
from tests.playing import Json
from tests.reference import setup_of
from tests.rows import RULES, row_name, rules_of

PLAIN = hf.Rules(edition="big-box", board="standard-4-5", players=4)
FULL = hf.Rules(edition="big-box", board="standard-4-5", players=4, missions=True, favours=True)
OLD = hf.Rules(edition="2009", board="standard-3", players=2)
HANSA = hf.Rules(game="hansa", players=2)

TAVERNS = {"Bremen-Osnabrück": "swap_posts", "Goslar-Hildesheim": "move_3", "Lüneburg-Perleberg": "additional_post"}


@pytest.mark.parametrize("rules", rules_of("teutonica"), ids=row_name)
def test_a_new_game_is_as_the_rules_say(rules: hf.Rules) -> None:
    d = rules.new(seed=11).to_dict()
    for seat, player in enumerate(d["players"]):
        assert player["supply"] == {"traders": 5 + seat, "merchants": 1}
        assert player["stock"] == {"traders": 6 - seat, "merchants": 0}
        assert player["abilities"] == dict.fromkeys(_boards.ABILITIES, 0)
        assert (player["points"], player["markers"], player["used"], player["plate"]) == (0, {}, {}, {})
        assert (player["mission"] in list(map(list, _boards.mission_cards()))) == rules.missions
    gold = {"swap_posts", "additional_post", "remove_3" if rules.edition == "2009" else "move_3"}
    routes = _boards.load_board(rules.board).data["routes"]
    assert set(d["markers"]) == {f"{route['a']}-{route['b']}" for route in routes if route["tavern"]}
    assert set(d["markers"].values()) == gold
    assert len(d["pile"]) == (13 if rules.edition == "2009" else 12)
    assert len(d["favours"]) == (rules.players if rules.favours else 0)
    assert (d["turn"], d["current"], d["actions"], d["fresh"]) == (0, 0, 2, True)
    assert (d["phase"], d["player"]) == (("pawn", 1) if rules.players == 2 else ("main", 0))


@pytest.mark.parametrize("rules", rules_of("hansa"), ids=row_name)
def test_a_new_game_of_hansa_is_as_the_rules_say(rules: hf.Rules) -> None:
    d = rules.new(seed=11).to_dict()
    assert d["players"] == [{"talers": 3, "booths": 15, "unsold": {}, "sold": {}}] * rules.players
    assert len(d["colours"]) == rules.players + 2
    assert sum(map(len, d["warehouses"].values())) == 14
    assert not any(None in row for row in d["warehouses"].values())
    assert (d["turn"], d["current"], d["player"], d["phase"], d["acted"]) == (0, 0, 0, "place", False)
    assert (d["ship"], d["booths"], d["removed"], d["end"], d["pending"]) == ("Copenhagen", {}, {}, [], None)


@pytest.mark.parametrize("rules", RULES, ids=row_name)
def test_the_whole_setup_replaces_the_seed(rules: hf.Rules) -> None:
    wanted = rules.new(seed=1)
    setup = setup_of(wanted)
    before = copy.deepcopy(setup)
    for seed in (1, 2, 3):
        assert rules.new(seed=seed, setup=setup) == wanted
    assert setup == before


def test_the_colours_alone_are_given_in_any_order() -> None:
    colours = ["blue", "orange", "green", "brown"]
    setup = setup_of(HANSA.new(seed=2, setup={"colours": colours}))
    assert setup["colours"] == ["orange", "brown", "green", "blue"]
    assert HANSA.new(seed=2, setup=setup) == HANSA.new(seed=2, setup={"colours": colours[::-1]})


@pytest.mark.parametrize("part", ["goods", "piles"])
def test_a_part_of_hansa_leaves_the_rest_to_the_seed(part: str) -> None:
    """Only the markers that are not given are drawn."""
    whole = setup_of(HANSA.new(seed=1))
    setup = setup_of(HANSA.new(seed=2, setup={"colours": whole["colours"], part: whole[part]}))
    other = {"goods": "piles", "piles": "goods"}[part]
    assert setup[part] == whole[part]
    assert setup[other] != whole[other]


@pytest.mark.parametrize("part", ["taverns", "pile", "favours", "missions"])
def test_a_part_replaces_that_part_and_nothing_else(part: str) -> None:
    given = setup_of(FULL.new(seed=1))[part]
    assert setup_of(FULL.new(seed=2, setup={part: given})) == {**setup_of(FULL.new(seed=2)), part: given}


def test_no_setup_and_an_empty_one_are_the_same() -> None:
    assert FULL.new(seed=3, setup={}) == FULL.new(seed=3, setup=None) == FULL.new(seed=3)


def test_the_pile_is_drawn_from_its_front_and_the_order_of_tiles_does_not_matter() -> None:
    setup = setup_of(FULL.new(seed=4))
    assert FULL.new(setup={**setup, "favours": setup["favours"][::-1]}) == FULL.new(setup=setup)
    assert FULL.new(setup={**setup, "pile": setup["pile"][::-1]}).to_dict()["pile"] == setup["pile"][::-1]


def wrong(part: str, value: Any) -> Json:
    return {**setup_of(FULL.new(seed=1)), part: value}


def wrong_hansa(part: str, value: Any) -> Json:
    return {**setup_of(HANSA.new(seed=1)), part: value}


PILE = setup_of(FULL.new(seed=1))["pile"]
CARDS = setup_of(FULL.new(seed=1))["missions"]
TILES = setup_of(FULL.new(seed=1))["favours"]
COLOURS, GOODS, PILES = setup_of(HANSA.new(seed=1)).values()
UNUSED = next(name for name in hf.board("hansa-2004")["goods"]["colours"] if name not in COLOURS)


@pytest.mark.parametrize(
    ("rules", "setup", "message"),
    [
        (PLAIN, 7, "setup: must be an object, not 7"),
        (PLAIN, "pile", "setup: must be an object, not 'pile'"),
        (PLAIN, [], r"setup: must be an object, not \[\]"),
        (PLAIN, {1: []}, "setup: must be an object with strings as keys"),
        (PLAIN, {"piles": []}, "setup: 'piles' is no part of a set-up; did you mean pile?"),
        (PLAIN, {"taverns": []}, "setup.taverns: must be an object"),
        (PLAIN, {"taverns": {}}, "setup.taverns: Bremen-Osnabrück is missing"),
        (
            PLAIN,
            {"taverns": {**TAVERNS, "Arnheim-Duisburg": "actions_3"}},
            "setup.taverns: 'Arnheim-Duisburg' is no known key",
        ),
        (PLAIN, {"taverns": {**TAVERNS, "Bremen-Osnabrück": "move_3"}}, "setup.taverns: must be .* in any order"),
        (
            PLAIN,
            {"taverns": {**TAVERNS, "Bremen-Osnabrück": "swap"}},
            "setup.taverns.Bremen-Osnabrück: 'swap' is no kind",
        ),
        (PLAIN, {"pile": PILE[1:]}, "setup.pile: must hold 3 additional_post, 2 swap_posts"),
        (PLAIN, {"pile": [*PILE, "actions_3"]}, "setup.pile: must hold"),
        (PLAIN, {"pile": ["actions_3"] * 12}, "setup.pile: must hold"),
        (PLAIN, {"pile": ["actions_3"] * 17}, "setup.pile: must be a list of at most 16"),
        (PLAIN, {"pile": ["hidden"] * 12}, "setup.pile: 'hidden' is no kind"),
        (PLAIN, {"pile": None}, "setup.pile: must be a list"),
        (PLAIN, {"favours": TILES}, "setup.favours: not played with"),
        (PLAIN, {"missions": CARDS}, "setup.missions: not played with"),
        (OLD, {"missions": CARDS[:2]}, "setup.missions: not played with"),
        (OLD, {"pile": PILE}, "setup.pile: 'move_3' is no kind; did you mean remove_3?"),
        (FULL, wrong("favours", TILES[:3]), "setup.favours: must be 4 different tiles"),
        (FULL, wrong("favours", [TILES[0], *TILES[:3]]), "setup.favours: must be 4 different tiles"),
        (FULL, wrong("favours", [*TILES[:3], "gold"]), "setup.favours: 'gold' is no tile"),
        (FULL, wrong("missions", CARDS[:3]), "setup.missions: must be 4 different cards"),
        (FULL, wrong("missions", [CARDS[0], *CARDS[:3]]), "setup.missions: must be 4 different cards"),
        (
            FULL,
            wrong("missions", [*CARDS[:3], ["Arnheim"]]),
            r"setup.missions\[3\]: \['Arnheim'\] is no mission card; one is",
        ),
        (FULL, wrong("missions", "all"), "setup.missions: must be a list of at most 5, not 'all'"),
        (FULL, {"pile": 10**5000}, "setup.pile: must be a list of at most 16, not a number of"),
        (HANSA, 7, "setup: must be an object, not 7"),
        (HANSA, {"pile": []}, "setup: 'pile' is no part of a set-up; did you mean piles?"),
        (HANSA, {"goods": GOODS}, "setup: goods and piles need the colours"),
        (HANSA, {"piles": PILES}, "setup: goods and piles need the colours"),
        (HANSA, wrong_hansa("colours", COLOURS[:3]), "setup.colours: must be 4 different colours"),
        (HANSA, wrong_hansa("colours", [*COLOURS, UNUSED]), "setup.colours: must be 4 different colours"),
        (HANSA, wrong_hansa("colours", [COLOURS[0], *COLOURS[:3]]), "setup.colours: must be 4 different colours"),
        (HANSA, wrong_hansa("colours", [*COLOURS[:3], "pink"]), "setup.colours: 'pink' is no colour"),
        (HANSA, wrong_hansa("colours", "all"), "setup.colours: must be a list of at most 8, not 'all'"),
        (HANSA, wrong_hansa("goods", GOODS[1:]), "setup.goods: must be 14, one for each warehouse"),
        (HANSA, wrong_hansa("goods", [*GOODS[1:], "red 4"]), "setup.goods: 'red 4' is no goods marker"),
        (HANSA, wrong_hansa("goods", [*GOODS[1:], None]), "setup.goods: None is no goods marker"),
        (HANSA, wrong_hansa("goods", [f"{UNUSED} 1", *GOODS[1:]]), f"setup: too many of {UNUSED} 1, or its colour"),
        (HANSA, wrong_hansa("goods", [f"{COLOURS[0]} 1"] * 14), f"setup: too many of {COLOURS[0]} 1"),
        (HANSA, wrong_hansa("piles", PILES[1:]), "setup.piles: must have 8, 8, 8, 7, 7 markers"),
        (HANSA, wrong_hansa("piles", PILES[::-1]), "setup.piles: must have 8, 8, 8, 7, 7 markers"),
        (HANSA, wrong_hansa("piles", [*PILES, []]), "setup.piles: must be a list of at most 5"),
        (HANSA, wrong_hansa("piles", [["hidden"] * 8, *PILES[1:]]), "setup.piles: 'hidden' is no goods marker"),
    ],
)
def test_wrong_setups_are_refused(rules: hf.Rules, setup: Any, message: str) -> None:
    with pytest.raises(hf.RulesError, match=message):
        rules.new(seed=1, setup=setup)


def test_all_mistakes_are_named_at_once() -> None:
    with pytest.raises(hf.RulesError) as caught:
        FULL.new(setup={"taverns": {}, "pile": [], "favours": [], "missions": [], "dice": 2})
    for part in ("setup.taverns: ", "setup.pile: ", "setup.favours: ", "setup.missions: ", "setup: 'dice'"):
        assert part in str(caught.value)
