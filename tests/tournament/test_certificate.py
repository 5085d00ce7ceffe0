"""The certificate counts seats and neighbours, and says exactly what is not balanced."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hansa_fast import Rules
from hansa_server.tournament.block import Pairing, rotations
from hansa_server.tournament.certificate import certificate, certify, may_publish
from hansa_server.tournament.chronicle import DROPPED, FINISHED, RUNNING, Block, Chronicle, PlayedGame
from hansa_server.tournament.event import Entrant, Event
from tests.tournament.driver import Driver, names, setup_of

RULES = (Rules(players=3), Rules(game="hansa", players=2))


def chronicle_of(blocks: list[Block]) -> Chronicle:
    event = Event("cup", "round-robin", RULES, tuple(map(Entrant, names(4))))
    return Chronicle(event, "running", "", "", (), tuple(blocks))


def block_of(number: int, pairing: Pairing, state: str = FINISHED) -> Block:
    games = [PlayedGame(bots, tuple(range(len(bots))), (0,) * len(bots)) for bots in pairing.seatings]
    return Block(number, pairing, state, games=tuple(games) if state == FINISHED else ())


@pytest.mark.parametrize("both_ways", [False, True])
def test_what_schemes_make_is_balanced(both_ways: bool) -> None:
    driver = Driver("round-robin", setup_of("round-robin", [3, 2], both_ways=both_ways), names(4))
    driver.run(random.Random(1))
    found = certify(chronicle_of([block_of(number, pairing) for number, pairing in enumerate(driver.blocks)]))
    assert [one.pool for one in found] == ["teutonica:big-box:standard-3:3p", "hansa:2004:hansa-2004:2p"]
    assert [one.games for one in found] == [4 * 3 * (1 + both_ways), 6 * 2]
    assert found[0].seats == ((3 * (1 + both_ways),) * 3,) * 4
    assert found[1].neighbours == ((0, 2, 2, 2), (2, 0, 2, 2), (2, 2, 0, 2), (2, 2, 2, 0))
    assert all(one.is_balanced for one in found)
    if both_ways:
        assert {one.verdict for one in found} == {"seats and neighbours are balanced"}
    assert may_publish(chronicle_of([])) == (True, [])


def test_only_blocks_that_count_are_counted() -> None:
    pairing = Pairing(1, 1, rotations(["bot0", "bot1"]))
    blocks = [block_of(0, pairing), block_of(1, pairing, RUNNING), block_of(2, pairing, DROPPED)]
    assert [one.games for one in certify(chronicle_of(blocks))] == [0, 2]
    assert certify(chronicle_of(blocks))[0].verdict == "nothing was played"


def test_what_is_not_balanced_is_named() -> None:
    lame = Pairing(0, 1, rotations(["bot0", "bot1", "bot2"])[:2])
    chronicle = chronicle_of([block_of(0, lame)])
    found = certify(chronicle)[0]
    assert found.seats == ((1, 0, 1), (1, 1, 0), (0, 1, 1))
    assert found.seat_problems == [
        "bot0 sat never in seat 1, but once in seat 0",
        "bot1 sat never in seat 2, but once in seat 0",
        "bot2 sat never in seat 0, but once in seat 1",
    ]
    assert found.neighbour_problems[0] == "bot0 played 2 times right before bot1, but bot1 never right before bot0"
    assert found.verdict.startswith("not balanced: bot0 sat never in seat 1")
    assert may_publish(chronicle) == (False, [f"{found.pool}: {problem}" for problem in found.seat_problems])
    asked_for = replace(chronicle, event=replace(chronicle.event, rate_unbalanced=True))
    assert may_publish(asked_for)[0]
    assert json.loads(json.dumps(found.to_dict())) == found.to_dict()
    assert found.to_dict()["balanced"] is False


@settings(max_examples=20, derandomize=True, deadline=None, database=None)
@given(st.lists(st.permutations(names(4)), max_size=12))
def test_counts_add_up(seatings: list[list[str]]) -> None:
    """Everybody sits somewhere and after somebody in every game, whatever was played."""
    found = certificate("pool", 4, map(tuple, seatings))
    assert [sum(row) for row in found.seats] == [len(seatings)] * len(found.bots)
    assert [sum(row) for row in found.neighbours] == [len(seatings)] * len(found.bots)
    even = all(sum(s[seat] == bot for s in seatings) * 4 == len(seatings) for bot in found.bots for seat in range(4))
    assert found.is_balanced == even
