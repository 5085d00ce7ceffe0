"""Explicit set-ups: any part may be given, wrong ones are refused with a message that names the part."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import hansa_fast as hf
from hansa_fast import _boards
from tests.playing import RULES, Json
from tests.rows import row_name

PLAIN = hf.Rules(edition="big-box", board="standard-4-5", players=4)
FULL = hf.Rules(edition="big-box", board="standard-4-5", players=4, missions=True, favours=True)
OLD = hf.Rules(edition="2009", board="standard-3", players=2)

TAVERNS = {"Bremen-Osnabrück": "swap_posts", "Goslar-Hildesheim": "move_3", "Lüneburg-Perleberg": "additional_post"}


def setup_of(state: hf.State) -> Json:
    """The set-up a new game began with."""
    d = state.to_dict()
    out: Json = {"taverns": d["markers"], "pile": d["pile"]}
    if state.rules.favours:
        out["favours"] = d["favours"]
    if state.rules.missions:
        out["missions"] = [player["mission"] for player in d["players"]]
    return out


@pytest.mark.parametrize("rules", RULES, ids=row_name)
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


@pytest.mark.parametrize("rules", RULES, ids=row_name)
def test_the_whole_setup_replaces_the_seed(rules: hf.Rules) -> None:
    wanted = rules.new(seed=1)
    setup = setup_of(wanted)
    before = copy.deepcopy(setup)
    for seed in (1, 2, 3):
        assert rules.new(seed=seed, setup=setup) == wanted
    assert setup == before


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


PILE = setup_of(FULL.new(seed=1))["pile"]
CARDS = setup_of(FULL.new(seed=1))["missions"]
TILES = setup_of(FULL.new(seed=1))["favours"]


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
