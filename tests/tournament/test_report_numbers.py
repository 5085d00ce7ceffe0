"""The numbers of a tournament are those of its ratings, and they add up."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from hansa_fast import Rules
from hansa_server.ratings import (
    Forfeits,
    RatingError,
    Table,
    ahead_counts,
    combine,
    equal_seats,
    fit,
    place_scores,
    replay,
    standings,
    superiority,
)
from hansa_server.tournament.block import Pairing
from hansa_server.tournament.chronicle import DROPPED, MADE, RUNNING, Block, Chronicle, Note
from hansa_server.tournament.numbers import CURVE_POINTS, explain, first_difference, numbers
from hansa_server.tournament.report import to_json
from tests.ratings.simulation import league
from tests.tournament.chronicles import SECRET, STRENGTHS, chronicle_of, empty, simulated

CLOSE = 1e-4  # they are rounded


def timeouts(number: int, table: Table) -> Mapping[int, str]:
    """Emil is slow every now and then, and once leaves."""
    if number % 7 or "emil" not in table.bots:
        return {}
    return {table.bots.index("emil"): "timeout" if number else "disconnected"}


EVENT = simulated(lost=timeouts)
FOUND = numbers(EVENT)
POOL = FOUND["pools"][0]


def test_event_is_told() -> None:
    assert FOUND["event"]["name"] == "spring cup" and FOUND["event"]["games"] == 180
    assert FOUND["event"]["blocks"] == {"finished": 60, "running": 0, "made": 0, "dropped": 0, "void": 0}
    assert FOUND["seed"] == {"commitment": EVENT.commitment, "secret": SECRET, "chain": EVENT.blocks[-1].chain}
    assert POOL["rules"] == EVENT.event.tables[0].to_dict() and POOL["rated"] and POOL["remarks"] == []
    assert FOUND["outcome"]["winner"] == EVENT.outcome["winner"]
    assert numbers(simulated(state="running", blocks=3))["seed"]["secret"] is None


def test_ratings_are_those_of_the_fit() -> None:
    tables = EVENT.tables()
    found, clean = fit(tables), fit(tables, forfeits=Forfeits.CLEAN)
    lines, beside = standings(found), {line.bot: line for line in standings(clean)}
    assert [line["bot"] for line in POOL["standings"]] == POOL["bots"] == [line.bot for line in lines]
    for shown, line in zip(POOL["standings"], lines, strict=True):
        assert shown["rating"] == pytest.approx(line.rating, abs=CLOSE)
        assert shown["error"] == pytest.approx(line.error, abs=CLOSE)
        assert (shown["place"], tuple(shown["places"]), shown["games"], shown["blocks"], shown["provisional"]) == (
            (line.place, line.places, line.games, line.blocks, line.provisional)
        )
        assert shown["first"] == pytest.approx(line.first, abs=CLOSE)
        assert shown["clean"]["rating"] == pytest.approx(beside[line.bot].rating, abs=CLOSE)
        assert shown["clean"]["games"] == beside[line.bot].games
    order = [found.index(bot) for bot in POOL["bots"]]
    assert np.array(POOL["covariance"]) == pytest.approx(found.covariance[np.ix_(order, order)], abs=CLOSE)
    assert np.array(POOL["superiority"]) == pytest.approx(superiority(found)[np.ix_(order, order)], abs=CLOSE)
    assert POOL["ties"] == {str(order): pytest.approx(tie, abs=CLOSE) for order, tie in found.ties.items()}
    assert [seat["elo"] for seat in POOL["seats"]["seats"]] == pytest.approx(found.seats[3].elo.tolist(), abs=CLOSE)
    assert POOL["seats"]["test"]["chance"] == pytest.approx(equal_seats(found, 3).chance, abs=CLOSE)
    # Who forfeits loses by it.
    emil = next(line for line in POOL["standings"] if line["bot"] == "emil")
    assert emil["clean"]["rating"] > emil["rating"] + 10 and emil["clean"]["games"] < emil["games"]


def test_chances_and_places_agree() -> None:
    chances = np.array(POOL["superiority"])
    assert chances + chances.T == pytest.approx(np.ones((5, 5)), abs=2 * CLOSE)
    assert sum(line["first"] for line in POOL["standings"]) == pytest.approx(1, abs=1e-3)
    assert all(line["places"][0] <= line["place"] <= line["places"][1] for line in POOL["standings"])
    ratings = [line["rating"] for line in POOL["standings"]]
    assert ratings == sorted(ratings, reverse=True)


def test_crosstable_and_totals_add_up() -> None:
    tables = EVENT.tables()
    ahead, tied = np.array(POOL["crosstable"]["ahead"]), np.array(POOL["crosstable"]["tied"])
    expected = np.array(POOL["crosstable"]["expected"])
    met = ahead + ahead.T + tied
    assert ahead + tied / 2 == pytest.approx(ahead_counts(tables, POOL["bots"]))
    assert (tied == tied.T).all() and not np.diag(met).any() and met.sum() == 2 * 3 * len(tables)
    assert expected + expected.T == pytest.approx(met, abs=1e-3)
    totals = {line["bot"]: line for line in POOL["totals"]}
    assert sum(line["firsts"] for line in totals.values()) == pytest.approx(len(tables), abs=1e-3)
    for bot, line in totals.items():
        mine = [(table, table.bots.index(bot)) for table in tables if bot in table.bots]
        scores = [place_scores(table.ranks)[seat] for table, seat in mine]
        assert line["games"] == len(mine) == sum(line["places"])
        assert sum(line["expected_places"]) == pytest.approx(len(mine), abs=1e-3)
        assert line["score"] == pytest.approx(np.mean(scores), abs=CLOSE)
        games = [game for block in EVENT.blocks for game in block.games if bot in game.bots]
        kept = [game.totals[game.bots.index(bot)] for game in games if game.bots.index(bot) not in game.forfeits]
        assert line["points"] == pytest.approx(np.mean(kept), abs=CLOSE)
    assert sum(seat["firsts"] for seat in POOL["seats"]["seats"]) == pytest.approx(len(tables), abs=1e-3)


def test_forfeits_are_counted_by_bot_and_reason() -> None:
    lost = [game for block in EVENT.blocks for game in block.games if game.forfeits]
    assert POOL["forfeits"]["games"] == len(lost) > 10
    assert POOL["forfeits"]["share"] == pytest.approx(len(lost) / 180, abs=CLOSE)
    found = {(line["bot"], line["reason"]): line["count"] for line in POOL["forfeits"]["by_bot"]}
    assert set(found) <= {("emil", "timeout"), ("emil", "disconnected")} and sum(found.values()) == len(lost)


def test_ladder_is_replayed_in_the_order_of_the_schedule() -> None:
    rungs = replay(EVENT.tables()).rungs
    assert {rung["bot"]: rung["rating"] for rung in POOL["ladder"]["rungs"]} == {
        bot: pytest.approx(rung.rating, abs=CLOSE) for bot, rung in rungs.items()
    }
    curves = POOL["ladder"]["curves"]
    assert curves["games"] == list(range(1, 181))
    for bot, curve in curves["ratings"].items():
        assert curve[-1] == pytest.approx(rungs[bot].rating, abs=CLOSE)
        first = next(k for k, table in enumerate(EVENT.tables()) if bot in table.bots)
        assert [value is None for value in curve[: first + 1]] == [True] * first + [False]
    long = numbers(simulated(players=2, blocks=300))["pools"][0]["ladder"]["curves"]["games"]
    assert len(long) == CURVE_POINTS and long[0] == 1 and long[-1] == 600


def test_pools_are_combined() -> None:
    rng = np.random.default_rng(4)
    event = chronicle_of({Rules(players=n): league(rng, STRENGTHS, n, 60) for n in (3, 4)}, anchor="cleo")
    found = numbers(event)
    tables = event.tables()
    fits = [fit([table for table in tables if table.pool == pool], anchor="cleo") for pool in event.event.pools]
    overall = combine(fits, anchor="cleo")
    assert found["overall"]["reason"] == "" and found["overall"]["spread"] == pytest.approx(overall.spread, abs=CLOSE)
    for line in found["overall"]["standings"]:
        assert line["rating"] == pytest.approx(overall.ratings[overall.bots.index(line["bot"])], abs=CLOSE)
        assert line["games"] == sum(int(one.games[one.index(line["bot"])]) for one in fits)
    assert all(next(li for li in p["standings"] if li["bot"] == "cleo")["rating"] == 1500 for p in found["pools"])
    assert FOUND["overall"]["reason"] == "fewer than two pools are rated"


def turned(value: Any) -> Any:
    """The same with every dict filled the other way round."""
    return {key: turned(value[key]) for key in reversed(list(value))} if isinstance(value, Mapping) else value


def test_same_chronicle_gives_the_same_bytes() -> None:
    first = to_json(FOUND)
    assert to_json(numbers(EVENT)) == first
    blocks = tuple(
        replace(block, games=tuple(replace(game, forfeits=turned(game.forfeits)) for game in block.games))
        for block in EVENT.blocks
    )
    event = replace(EVENT.event, settings=turned(EVENT.event.settings))
    other = replace(EVENT, event=event, blocks=blocks, outcome=turned(EVENT.outcome))
    assert list(other.outcome["points"]) != list(EVENT.outcome["points"])
    assert to_json(numbers(other)) == first
    assert json.loads(first) == FOUND  # no NaN, no infinity, nothing that JSON cannot hold


def test_nothing_in_it_depends_on_the_log() -> None:
    """A run that was broken off and taken up again has other notes, and the same numbers."""
    assert numbers(replace(EVENT, notes=(Note(0, 3, "resumed", "after a crash"),))) == FOUND


def test_differences_are_named() -> None:
    assert first_difference(FOUND, numbers(EVENT)) is None
    other = json.loads(json.dumps(FOUND))
    line = other["pools"][0]["standings"][2]
    line["rating"] += CLOSE
    assert first_difference(FOUND, other) is None  # another machine may round otherwise
    line["rating"] += 1
    assert str(first_difference(FOUND, other)).startswith("pools[0].standings[2].rating: 14")
    other["pools"].append({})
    assert first_difference(FOUND, other) == "pools: 1 entries and 2"
    assert first_difference({"a": 1}, {"a": 1, "b": 2}) == "b: is in one of them only"
    assert first_difference({"a": 1}, {"a": True}) == "a: 1 and True"


# --- Events that are not yet, or no longer, in good order ---


def test_nothing_played_yet() -> None:
    found = numbers(empty())
    assert [pool["rated"] for pool in found["pools"]] == [False, False]
    assert found["pools"][0]["remarks"] == ["not rated: no block is finished yet"]
    assert found["seed"]["chain"] is None and found["event"]["games"] == 0


def test_one_block_has_ratings_without_errors() -> None:
    found = numbers(simulated(blocks=1))["pools"][0]
    assert found["rated"] and all(line["error"] is None and line["provisional"] for line in found["standings"])
    assert found["surprises"] is None and found["seats"]["test"] is None


def test_unfinished_blocks_do_not_count() -> None:
    pairing = Pairing(0, 9, EVENT.blocks[0].pairing.seatings)
    made = [Block(60 + k, pairing, state, attempt=k) for k, state in enumerate((MADE, RUNNING, DROPPED))]
    found = numbers(replace(EVENT, blocks=(*EVENT.blocks, *made)))
    assert found["event"]["blocks"] == {"finished": 60, "running": 1, "made": 1, "dropped": 1, "void": 3}
    assert found["pools"][0]["standings"] == POOL["standings"]


def test_only_forfeits_of_a_bot() -> None:
    event = simulated(lost=lambda _, table: {table.bots.index("emil"): "silent"} if "emil" in table.bots else {})
    found = numbers(event)["pools"][0]
    emil = found["standings"][-1]
    assert emil["bot"] == "emil" and emil["clean"] is None and emil["rating"] is not None
    assert found["totals"][-1]["points"] is None and found["totals"][-1]["score"] == 0


def test_only_forfeits() -> None:
    event = simulated(blocks=5, lost=lambda _, table: dict.fromkeys(range(1, len(table.bots)), "silent"))
    found = numbers(event)["pools"][0]
    assert found["rated"] and found["standings"][0]["clean"] is None
    assert any("no clean rating" in remark for remark in found["remarks"])


def test_event_that_falls_apart() -> None:
    rng = np.random.default_rng(2)
    one = league(rng, {"a": 0.5, "b": 0.0, "c": -0.5}, 3, 10)
    two = [replace(table, block=f"x{table.block}") for table in league(rng, {"x": 0.5, "y": 0.0, "z": -0.5}, 3, 10)]
    event = chronicle_of({Rules(players=3): [*one, *two], Rules(players=4): league(rng, STRENGTHS, 4, 10)})
    found = numbers(event)
    pool = found["pools"][0]
    assert pool["components"] == [["a", "b", "c"], ["x", "y", "z"]]
    assert [line["component"] for line in pool["standings"]] == [0, 0, 0, 1, 1, 1]
    assert pool["superiority"][0][3] is None and pool["superiority"][0][1] is not None
    assert any("falls apart into 2 groups" in remark for remark in pool["remarks"])
    assert found["overall"]["reason"] == f"pool {pool['pool']} falls apart into 2 components"
    assert found["overall"]["standings"] == []


def unbalanced(**event: Any) -> Chronicle:
    tables = [table for k, table in enumerate(league(np.random.default_rng(1), STRENGTHS, 3, 40)) if k % 3]
    return chronicle_of({Rules(players=3): tables}, **event)


def test_unbalanced_seats_are_not_rated_unless_asked_for() -> None:
    found = numbers(unbalanced())["pools"][0]
    assert not found["rated"] and found["standings"] == [] and found["ladder"]["rungs"] == []
    assert found["remarks"][0].startswith("not rated: seats are not balanced")
    assert not found["certificate"]["balanced"] and found["certificate"]["seat_problems"]
    assert sum(line["games"] for line in found["totals"]) == 3 * found["games"]  # counting is allowed
    rated = numbers(unbalanced(rate_unbalanced=True))["pools"][0]
    assert rated["rated"] and rated["remarks"][0].startswith("seats are not balanced; it is rated because")
    assert POOL["certificate"]["balanced"]


def test_withdrawn_bots_are_marked() -> None:
    line_up = tuple(replace(place, withdrawn=40 if place.entrant.name == "bert" else None) for place in EVENT.line_up)
    found = numbers(replace(EVENT, line_up=line_up))
    assert [line["bot"] for line in found["pools"][0]["standings"] if line["withdrawn"]] == ["bert"]
    assert next(place for place in found["bots"] if place["bot"] == "bert")["withdrawn"] == 40


def test_anchor_without_results_is_told() -> None:
    found = numbers(replace(EVENT, event=replace(EVENT.event, anchor="zoe")))["pools"][0]
    assert found["anchor"] is None and "the anchor zoe has no results here" in found["remarks"][0]


def test_copies_of_a_bot_at_one_table() -> None:
    """As in a test of two versions: the games of a bot with itself say nothing."""
    seatings = (("a", "b", "a", "b"), ("b", "a", "b", "a"))
    rng = np.random.default_rng(1)
    tables = [
        Table("p", str(block), bots, tuple(int(rank) for rank in rng.permutation(4)))
        for block in range(40)
        for bots in seatings
    ]
    found = numbers(chronicle_of({Rules(players=4): tables}))["pools"][0]
    assert [line["games"] for line in found["totals"]] == [80, 80]
    assert [sum(line["places"]) for line in found["totals"]] == [160, 160]
    ahead = found["crosstable"]["ahead"]
    assert ahead[0][1] + ahead[1][0] == 4 * 80 and found["certificate"]["balanced"]


def test_command_lines_are_not_told() -> None:
    places = tuple(replace(p, entrant=replace(p.entrant, uses="cmd:bot --key secret")) for p in EVENT.line_up)
    assert {place["plays_by"] for place in numbers(replace(EVENT, line_up=places))["bots"]} == {"command"}


# --- Where a rating comes from ---


def test_explanation_adds_up() -> None:
    found = explain(EVENT, "emil")
    assert found["bot"] == "emil" and len(found["pools"]) == 1
    pool = found["pools"][0]
    total = next(line for line in POOL["totals"] if line["bot"] == "emil")
    at = POOL["bots"].index("emil")
    assert {line["bot"]: (line["ahead"], line["tied"]) for line in pool["opponents"]} == {
        bot: (POOL["crosstable"]["ahead"][at][k], POOL["crosstable"]["tied"][at][k])
        for k, bot in enumerate(POOL["bots"])
        if bot != "emil"
    }
    for part in ("score", "expected"):  # two opponents at each table
        by_opponent, by_seat = (sum(line[part] for line in pool[key]) for key in ("opponents", "seats"))
        assert by_opponent == pytest.approx(2 * by_seat, abs=1e-3)
    assert sum(line["score"] for line in pool["seats"]) == pytest.approx(total["games"] * total["score"], abs=0.02)
    assert sum(line["games"] for line in pool["seats"]) == total["games"] == len(pool["ladder"]["games"])
    way = pool["ladder"]["games"]
    rung = next(rung for rung in POOL["ladder"]["rungs"] if rung["bot"] == "emil")
    assert way[-1]["rating"] == rung["rating"]
    assert pool["ladder"]["start"] + sum(step["change"] for step in way) == pytest.approx(rung["rating"], abs=0.02)
    assert len(pool["forfeits"]) == POOL["forfeits"]["games"]
    played = {game.match_id for block in EVENT.blocks for game in block.games if "emil" in game.bots}
    assert {step["match_id"] for step in way} == played


def test_blocks_that_moved_a_rating_most() -> None:
    moved = explain(EVENT, "anna")["pools"][0]["moved"]
    influence = fit(EVENT.tables()).influence("anna")
    assert len(moved) == 10
    assert [abs(line["elo"]) for line in moved] == sorted((abs(line["elo"]) for line in moved), reverse=True)
    for line in moved:
        assert line["elo"] == pytest.approx(influence[str(line["block"])], abs=CLOSE)
        assert [game["match_id"] for game in line["games"]] == [f"m-{line['block']}-{k}" for k in range(3)]
        # Better places than usual move up.
        mine = [game["places"][game["bots"].index("anna")] for game in line["games"]]
        assert (np.mean(mine) < 2) == (line["elo"] > 0)


def test_explaining_what_is_not_there() -> None:
    with pytest.raises(RatingError, match="zoe is not in the line-up; the bots are"):
        explain(EVENT, "zoe")
    with pytest.raises(RatingError, match="there is no pool chess"):
        explain(EVENT, "anna", "chess")
    assert explain(empty(), "anna") == {"form": 1, "bot": "anna", "version": None, "pools": []}
    pool = explain(unbalanced(), "anna")["pools"][0]
    assert not pool["rated"] and pool["standing"] is None and pool["opponents"][0]["expected"] is None
