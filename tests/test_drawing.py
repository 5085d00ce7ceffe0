"""Pictures and terminal texts of Hansa Teutonica: everything that is on the board is shown, in every phase."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections import Counter
from typing import Any

import pytest

import hansa_fast as hf
from hansa_fast import _boards
from hansa_fast._draw_svg import board_svg
from hansa_fast._draw_terminal import TextLayout
from hansa_fast._draw_text import board_text, scores_text
from tests.conservation import Json, board_pieces, hand_pieces
from tests.playing import sample
from tests.rows import row_name, rules_of

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
WIDTHS = (40, 80, 100, 160, 240)
NAMES = ["<anna> & co", 'b"ob"', "\u202ecarl", "d" * 60, "\x1b[31meve"]


# Every board, edition and module, every number of players; more rows would draw the same things again.
ROWS = [
    hf.Rules(edition="2009", board="standard-3", players=2),
    hf.Rules(edition="2009", board="standard-4-5", players=5),
    hf.Rules(board="standard-3", players=3, missions=True),
    hf.Rules(board="standard-4-5", players=4, favours=True),
    hf.Rules(board="standard-4-5", players=5, missions=True, favours=True),
    hf.Rules(board="east", players=4),
    hf.Rules(board="britannia-3", players=3),
    hf.Rules(board="britannia-4-5", players=5),
]


def positions(rules: hf.Rules) -> list[hf.State]:
    """A position of every phase, every other one as a player sees it."""
    phases = {state.phase: state for state in sample(rules)}
    return [state.view(0) if k % 2 else state for k, state in enumerate(phases.values())]


def data_of(rules: hf.Rules) -> Any:
    return _boards.load_board(rules.board).data


def parse(svg: str) -> ET.Element:
    root = ET.fromstring(svg)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    return root


def attributes(root: ET.Element, name: str) -> Counter[str]:
    """All values of a data attribute."""
    return Counter(element.attrib[f"data-{name}"] for element in root.iter() if f"data-{name}" in element.attrib)


def pieces_by(root: ET.Element, name: str) -> dict[str, list[str]]:
    """The pieces inside each element with this data attribute."""
    return {
        holder.attrib[f"data-{name}"]: [piece for part in holder.iter() if (piece := part.get("data-piece"))]
        for holder in root.iter()
        if f"data-{name}" in holder.attrib
    }


def check_board_parts(root: ET.Element, data: Any) -> None:
    routes = [f"{route['a']}-{route['b']}" for route in data["routes"]]
    assert set(attributes(root, "city")) >= {city["name"] for city in data["cities"]}
    assert set(attributes(root, "route")) >= set(routes)
    posts = [
        f"{name} {n}"
        for name, route in zip(routes, data["routes"], strict=True)
        for n in range(1, len(route["posts"]) + 1)
    ]
    assert attributes(root, "post") == Counter(posts)
    offices = [f"{city['name']} {n}" for city in data["cities"] for n in range(1, len(city["offices"]) + 1)]
    assert set(attributes(root, "office")) >= set(offices)


@pytest.mark.parametrize("board", sorted({rules.board for rules in rules_of("teutonica")}))
def test_an_empty_board_is_drawn(board: str) -> None:
    data = _boards.load_board(board).data
    root = parse(board_svg(data))
    check_board_parts(root, data)
    assert not attributes(root, "piece")
    assert not attributes(root, "desk")


@pytest.mark.parametrize("rules", ROWS, ids=row_name)
def test_every_piece_is_drawn_once_where_it_stands(rules: hf.Rules) -> None:
    for state in positions(rules):
        d = state.to_dict()
        root = parse(board_svg(data_of(rules), d))
        check_board_parts(root, data_of(rules))
        assert attributes(root, "piece") == Counter(board_pieces(d) + hand_pieces(d)), state
        assert {post: row[0] for post, row in pieces_by(root, "post").items() if row} == d["posts"]
        offices = pieces_by(root, "office")
        for city, row in d["offices"].items():
            for n, piece in enumerate(row, 1):
                assert offices[f"{city} {n}"] == ([piece] if piece else [])
        assert attributes(root, "desk") == Counter(str(seat) for seat in range(rules.players))
        assert sorted(attributes(root, "marker").elements()) == sorted(d["markers"].values())
        assert attributes(root, "completed") == Counter([str(d["completed"])])


@pytest.mark.parametrize("rules", ROWS, ids=row_name)
def test_a_view_shows_no_more_than_its_player_knows(rules: hf.Rules) -> None:
    """The order of the pile and unseen markers are never drawn; but for missions, any deal of them looks the same."""
    for state in sample(rules)[::5]:
        if state.is_over:
            continue
        other = state.redeal(0, 99)
        for draw in (board_svg, lambda data, d: board_text(data, d, colour=False, layout="list")):
            assert draw(data_of(rules), state.view(0).to_dict()) == draw(data_of(rules), other.view(0).to_dict())
            if not rules.missions:
                assert draw(data_of(rules), state.to_dict()) == draw(data_of(rules), other.to_dict())


def test_pictures_scale_and_take_any_name() -> None:
    state = sample(ROWS[-1])[0]
    small, large = (board_svg(data_of(state.rules), state.to_dict(), width=width) for width in (300, 2400))
    assert parse(small).get("viewBox") == parse(large).get("viewBox")
    assert (parse(small).get("width"), parse(large).get("width")) == ("300", "2400")
    named = [name.replace("\x1b", "") for name in NAMES]
    parse(board_svg(data_of(state.rules), state.to_dict(), names=named))
    assert "anna" in board_svg(data_of(state.rules), state.to_dict(), names=named)


def check_colours(state: hf.State, width: int, layout: TextLayout) -> str:
    """The plain text, which must be the coloured one without its escapes."""
    data, d = data_of(state.rules), state.to_dict()
    plain = board_text(data, d, colour=False, width=width, layout=layout)
    coloured = board_text(data, d, colour=True, width=width, layout=layout)
    assert "\x1b" not in plain
    assert "\x1b[" in coloured
    assert ESCAPE.sub("", coloured) == plain
    assert plain.endswith("\n")
    return plain


@pytest.mark.parametrize("rules", ROWS, ids=row_name)
def test_plain_text_is_the_coloured_one_without_escapes(rules: hf.Rules) -> None:
    for k, state in enumerate(positions(rules)):
        check_colours(state, WIDTHS[k % len(WIDTHS)], "list")


# Finding the places of a map takes a while, so maps are tried on a few positions only.
@pytest.mark.parametrize("board", sorted({rules.board for rules in rules_of("teutonica")}))
def test_maps_of_several_widths(board: str) -> None:
    rules = next(rules for rules in ROWS if rules.board == board)
    states = [rules.new(seed=1), next(state for state in sample(rules) if state.phase == "over")]
    for state, width in zip((*states, states[0]), (120, 160, 200), strict=True):
        plain = check_colours(state, width, "map")
        assert max(map(len, plain.splitlines())) <= width
        assert check_colours(state, width, "auto") in (plain, check_colours(state, width, "list"))


@pytest.mark.parametrize("rules", ROWS, ids=row_name)
def test_the_list_names_every_city_route_and_desk(rules: hf.Rules) -> None:
    board = _boards.load_board(rules.board)
    for state in positions(rules):
        text = board_text(data_of(rules), state.to_dict(), colour=False, width=120, layout="list")
        for name in (*board.cities, *board.routes):
            assert name in text
        for seat in range(rules.players):
            assert re.search(rf"\b{seat}\b", text)
        phase = "Game over" if state.is_over else state.phase
        assert phase in text


@pytest.mark.parametrize("rules", ROWS, ids=row_name)
def test_the_table_of_scores_holds_every_number(rules: hf.Rules) -> None:
    end, _ = hf.playout(rules.new(seed=2), 2, policy="greedy", turn_limit=400)
    result = end.result()
    plain = scores_text(result["scores"], result["ranks"], colour=False)
    assert ESCAPE.sub("", scores_text(result["scores"], result["ranks"], colour=True)) == plain
    head, *rows = plain.splitlines()
    assert head.split()[0] == "rank"
    assert head.split()[2:] == list(result["scores"][0])
    assert len(rows) == rules.players
    for seat, row in enumerate(rows):
        numbers = [int(word) for word in row.split() if word.isdigit()]
        assert numbers[0] == result["ranks"][seat]
        assert numbers[-len(result["scores"][seat]) :] == list(result["scores"][seat].values())
    without = scores_text(end.scores(), None, colour=False, names=["x"] * rules.players)
    assert "rank" not in without


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"posts": {"Nowhere 1": "trader 0"}}, "posts: standard-3 has no 'Nowhere 1'"),
        ({"markers": {"Nowhere": "actions_3"}}, "markers: standard-3 has no 'Nowhere'"),
        ({"offices": {"Arnheim": ["trader 0"]}}, "offices: Arnheim has 4 printed offices, not 1"),
        ({"prestige": {"10": 0}}, "prestige: standard-3 has no '10'"),
        ({"pawn": "P99"}, "pawn: standard-3 has no province 'P99'"),
    ],
)
def test_what_the_board_does_not_have_is_not_silently_left_out(change: Json, message: str) -> None:
    rules = hf.Rules(edition="2009", board="standard-3", players=2)
    d = {**rules.new(seed=1).to_dict(), **change}
    with pytest.raises(ValueError, match=re.escape(message)):
        board_svg(data_of(rules), d)
    with pytest.raises(ValueError, match=re.escape(message)):
        board_text(data_of(rules), d, colour=False, layout="list")
