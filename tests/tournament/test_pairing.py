"""What every pairing scheme promises, over random sizes, line-ups that change, and results in any order."""

from __future__ import annotations

import os
import random
import tracemalloc
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hansa_server.tournament.block import GameResult, Pairing
from hansa_server.tournament.pairing import formats
from hansa_server.tournament.pairing.meetings import Meetings
from hansa_server.tournament.pairing.scores import UNIT, Scores, place_units
from tests.tournament.driver import Driver, names, play, setup_of, state, told_again

FORMATS = sorted(formats().keys() - {"test"})  # whose blocks are other ones, see test_sequential.py
CHANCE = st.integers(0, 2**32).map(random.Random)

EXAMPLES = int(os.environ.get("HANSA_EXAMPLES", "15"))  # of everything; the same ones in every run
steady = settings(max_examples=EXAMPLES, derandomize=True, deadline=None, database=None)


@st.composite
def drivers(draw: st.DrawFn, format: str, *, bots: int = 9) -> Driver:  # noqa: A002
    """An event of a format that is about to begin."""
    players = draw(st.lists(st.integers(2, 5), min_size=1, max_size=2))
    count = draw(st.integers(max(players) + 1, max(bots, max(players) + 1)))
    chosen: dict[str, Any] = {"both_ways": draw(st.booleans())}
    if format in ("round-robin", "gauntlet", "swiss"):
        chosen["rounds"] = draw(st.integers(1, 3))
    if format in ("round-robin", "gauntlet"):
        chosen["blocks_each"] = draw(st.sampled_from([0, 0, 1, 3, 7]))
    if format == "gauntlet":
        chosen["challengers"] = names(draw(st.integers(1, min(2, count - max(players) + 1))))
    if format == "knockout":
        chosen["advance"] = draw(st.integers(1, min(players) - 1))
        chosen["tie_blocks"] = draw(st.integers(0, 2))
        chosen["seeded"] = draw(st.booleans())
    if format == "ladder":
        chosen["blocks"] = draw(st.integers(0, 60))
        chosen["open_blocks"] = draw(st.integers(1, 2))
    return Driver(format, setup_of(format, players, **chosen), names(count))


@st.composite
def changes(draw: st.DrawFn, driver: Driver) -> dict[int, tuple[str, str]]:
    """Bots that come, go and come back, by the number of blocks that are made by then."""
    found = {}
    for when in draw(st.lists(st.integers(0, 30), max_size=4, unique=True)):
        bot = f"bot{draw(st.integers(0, 11))}"
        found[when] = ("enter" if driver.scheme.OPEN and draw(st.booleans()) else "withdraw"), bot
    return found


class Careful(Driver):
    """Leaves out changes that do not make sense, and notes what can be seen of the scheme after every step."""

    def __init__(self, driver: Driver) -> None:
        self.states: list[Any] = []
        self.line_up: set[str] = set()
        super().__init__(driver.format, driver.setup, [words[0] for what, *words in driver.log if what == "enter"])

    def tell(self, what: str, *words: Any) -> None:
        if what in ("enter", "withdraw") and (words[0] in self.line_up) == (what == "enter"):
            return
        super().tell(what, *words)
        if what == "enter":
            self.line_up.add(words[0])
        if what == "withdraw":
            self.line_up.discard(words[0])
        self.states.append(state(self.scheme))

    def make(self, wanted: int) -> list[int]:
        made = super().make(wanted)
        for number in made:
            assert set(self.blocks[number].bots) <= self.line_up
        return made


def check_block(pairing: Pairing, driver: Driver) -> None:
    """A balanced set of seatings of different bots."""
    players = driver.setup.players[pairing.table]
    assert len(pairing.bots) == players
    assert pairing.round >= 1
    for seating in pairing.seatings:
        assert sorted(seating) == sorted(pairing.bots)
    turns = 2 if driver.setup.settings["both_ways"] and players > 2 else 1
    for seat in range(players):
        assert Counter(seating[seat] for seating in pairing.seatings) == dict.fromkeys(pairing.bots, turns)
    if turns == 2:
        before = Counter((seating[seat - 1], seating[seat]) for seating in pairing.seatings for seat in range(players))
        assert all(before[one, other] == before[other, one] for one, other in before)


@pytest.mark.parametrize("format", FORMATS)
def test_promises_of_every_scheme(format: str) -> None:  # noqa: A002
    """Blocks are balanced, only bots of the line-up play, it ends, and who is told the same again knows the same."""

    @steady
    @given(st.data(), CHANCE)
    def check(data: st.DataObject, chance: random.Random) -> None:
        driver = Careful(data.draw(drivers(format, bots=7)))
        failing = data.draw(st.sets(st.sampled_from(names(7)), max_size=1))
        wanted = data.draw(st.integers(1, 6))
        driver.run(chance, limit=40, at_once=wanted, changes=data.draw(changes(driver)), failing=failing)
        for pairing in driver.blocks:
            check_block(pairing, driver)
        if len(driver.blocks) < 40 and format != "ladder":
            assert driver.scheme.is_over
            played = [games for games in driver.results.values() if games]
            assert driver.scheme.games_expected() == sum(map(len, played))
        step = max(1, len(driver.log) // 6)
        for steps in {*range(1, len(driver.log) + 1, step), len(driver.log)}:
            assert state(told_again(driver, steps)) == driver.states[steps - 1], f"after {steps} steps"

    check()


@pytest.mark.parametrize("format", [name for name in FORMATS if formats()[name].IN_ORDER])
def test_schedule_does_not_depend_on_speed(format: str) -> None:  # noqa: A002
    """Where results are told in order, how many blocks run at once and which is faster changes nothing."""

    @settings(steady, max_examples=-(-EXAMPLES // 2))
    @given(st.data(), CHANCE, st.integers(2, 9))
    def check(data: st.DataObject, chance: random.Random, at_once: int) -> None:
        one = data.draw(drivers(format))
        other = Driver(format, one.setup, [words[0] for _, *words in one.log])
        one.run(random.Random(0), at_once=1, limit=80)
        other.run(chance, at_once=at_once, limit=80)
        shorter = min(len(one.blocks), len(other.blocks))
        assert one.blocks[:shorter] == other.blocks[:shorter]
        if len(one.blocks) < 80:  # else the last blocks may still be open
            assert one.scheme.is_over and other.scheme.is_over
            assert one.scheme.outcome() == other.scheme.outcome()

    check()


@pytest.mark.parametrize("format", [name for name in FORMATS if formats()[name].IN_ORDER])
def test_blocks_that_nobody_expects_are_refused(format: str) -> None:  # noqa: A002
    driver = Driver(
        format, setup_of(format, [2], **({"challengers": ["bot0"]} if format == "gauntlet" else {})), names(5)
    )
    with pytest.raises(ValueError, match="block 0 is not the one that comes next"):
        driver.scheme.made(0, Pairing(0, 1, (("bot0", "stranger"), ("stranger", "bot0"))))


# -- Round robin ---------------------------------------------------------------------------------------------------


def combinations_played(driver: Driver, table: int) -> Counter[frozenset[str]]:
    return Counter(frozenset(pairing.bots) for pairing in driver.blocks if pairing.table == table)


@settings(steady, max_examples=2 * EXAMPLES)
@given(
    st.integers(2, 9),
    st.lists(st.integers(2, 5), min_size=1, max_size=3),
    st.integers(1, 3),
    st.integers(1, 50),
    CHANCE,
)
def test_round_robin_plays_every_combination(
    count: int, players: list[int], rounds: int, at_once: int, chance: random.Random
) -> None:
    driver = Driver("round-robin", setup_of("round-robin", players, rounds=rounds), names(count))
    expected = driver.scheme.games_expected()
    driver.run(chance, at_once=at_once)
    for table, seats in enumerate(players):
        every = map(frozenset, combinations(names(count), seats))
        assert combinations_played(driver, table) == dict.fromkeys(every, rounds)
    assert expected == sum(len(pairing.seatings) for pairing in driver.blocks)


@steady
@given(st.integers(5, 9), st.integers(2, 4), st.integers(1, 2), st.data(), CHANCE)
def test_round_robin_with_a_line_up_that_changes(
    count: int, players: int, rounds: int, data: st.DataObject, chance: random.Random
) -> None:
    """Those who stay meet in every combination, late ones too."""
    driver = Driver("round-robin", setup_of("round-robin", [players], rounds=rounds), names(count))
    late = [f"bot{count + number}" for number in range(data.draw(st.integers(0, 2)))]
    gone = names(data.draw(st.integers(0, 2)))
    moments = st.integers(0, 30)
    plan: dict[int, tuple[str, str]] = {}
    for bot in late:
        plan[data.draw(moments.filter(lambda when: when not in plan))] = ("enter", bot)
    for bot in gone:
        plan[data.draw(moments.filter(lambda when: when not in plan))] = ("withdraw", bot)
    driver.run(chance, changes=plan, at_once=data.draw(st.integers(1, 5)))
    entered = {words[0] for what, *words in driver.log if what == "enter"}
    left = {words[0] for what, *words in driver.log if what == "withdraw"}
    played = combinations_played(driver, 0)
    for together in map(frozenset, combinations(sorted(entered - left), players)):
        assert played[together] == rounds
    assert max(played.values()) <= rounds


@steady
@given(st.integers(6, 14), st.integers(2, 5))
def test_a_part_of_a_round_robin_means_something(count: int, players: int) -> None:
    """After any number of blocks all bots have played nearly equally often, and all tables are equally far."""
    driver = Driver("round-robin", setup_of("round-robin", [players, players]), names(count))
    played = [Counter(dict.fromkeys(names(count), 0)) for _ in range(2)]
    for number, pairing in enumerate(driver.scheme.more(300)):
        assert pairing.table == number % 2
        played[pairing.table].update(pairing.bots)
        assert max(played[pairing.table].values()) - min(played[pairing.table].values()) <= 3


def test_a_round_robin_of_many_bots_is_made_as_it_goes() -> None:
    """60 bots at tables of five are 5,461,512 combinations."""
    driver = Driver("round-robin", setup_of("round-robin", [5]), names(60))
    assert driver.scheme.games_expected() == 5 * 5_461_512
    tracemalloc.start()
    for _ in range(30):
        for number in driver.make(12):
            driver.end(number, None)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4_000_000
    assert len({frozenset(pairing.bots) for pairing in driver.blocks}) == 360
    assert set(Counter(bot for pairing in driver.blocks for bot in pairing.bots).values()) == {30}


@steady
@given(st.integers(5, 16), st.integers(2, 5), st.integers(1, 12), st.integers(1, 2), CHANCE)
def test_a_balanced_choice_of_combinations(
    count: int, players: int, each: int, rounds: int, chance: random.Random
) -> None:
    driver = Driver("round-robin", setup_of("round-robin", [players], blocks_each=each, rounds=rounds), names(count))
    driver.run(chance)
    played = Counter(bot for pairing in driver.blocks for bot in pairing.bots)
    assert set(played.values()) <= {each * rounds, each * rounds + 1}
    assert len(driver.blocks) == -(-count * each * rounds // players)
    met = Counter(pair for pairing in driver.blocks for pair in map(frozenset, combinations(pairing.bots, 2)))
    fair = len(driver.blocks) * players * (players - 1) / (count * (count - 1))
    assert max(met.values()) <= fair + 3


def test_a_late_bot_catches_up() -> None:
    driver = Driver("round-robin", setup_of("round-robin", [3], blocks_each=8), names(6))
    driver.run(random.Random(1), changes={10: ("enter", "bot6")})
    played = Counter(bot for pairing in driver.blocks for bot in pairing.bots)
    assert set(played.values()) <= {8, 9}


# -- Gauntlet ------------------------------------------------------------------------------------------------------


@steady
@given(st.integers(6, 9), st.integers(2, 5), st.integers(1, 2), st.booleans(), CHANCE)
def test_gauntlet(count: int, players: int, challengers: int, comes_late: bool, chance: random.Random) -> None:
    driver = Driver("gauntlet", setup_of("gauntlet", [players], challengers=names(challengers)), names(count))
    driver.run(chance, changes={3: ("enter", f"bot{count}")} if comes_late else {})
    field = [bot for what, bot, *_ in driver.log if what == "enter" and bot not in names(challengers)]
    expected = {
        frozenset([challenger, *others])
        for challenger in names(challengers)
        for others in combinations(field, players - 1)
    }
    assert combinations_played(driver, 0) == dict.fromkeys(expected, 1)


@steady
@given(st.integers(6, 12), st.integers(2, 4), st.integers(1, 9), CHANCE)
def test_gauntlet_against_a_balanced_choice(count: int, players: int, each: int, chance: random.Random) -> None:
    driver = Driver("gauntlet", setup_of("gauntlet", [players], challengers=["bot0"], blocks_each=each), names(count))
    driver.run(chance)
    played = Counter(dict.fromkeys(names(count), 0))
    played.update(bot for pairing in driver.blocks for bot in pairing.bots)
    assert played.pop("bot0") == each
    assert max(played.values()) - min(played.values()) <= 1


@pytest.mark.parametrize(
    ("challengers", "count", "expected"),
    [
        ([], 4, ("format.challengers", "must name at least one bot")),
        (["bot9"], 4, ("format.challengers[0]", "'bot9' is not in the line-up")),
        (["bot0", "bot0"], 4, ("format.challengers[1]", "'bot0' is named twice")),
        (["bot0", "bot1"], 3, ("format.challengers", "leaves 1 for the field; table 0 needs 2")),
        (["bot0"], 2, ("bots", "there are 2, but table 0 has 3 seats")),
    ],
)
def test_gauntlets_that_cannot_be(challengers: list[str], count: int, expected: tuple[str, str]) -> None:
    setup = setup_of("gauntlet", [3], challengers=challengers)
    assert formats()["gauntlet"].problems(setup, names(count)) == [expected]


# -- Swiss ---------------------------------------------------------------------------------------------------------


def partitions(bots: Sequence[str], players: int) -> Iterator[list[tuple[str, ...]]]:
    if not bots:
        yield []
        return
    for mates in combinations(bots[1:], players - 1):
        group = (bots[0], *mates)
        for rest in partitions([bot for bot in bots if bot not in group], players):
            yield [group, *rest]


@steady
@given(st.integers(3, 8), st.integers(2, 4), st.integers(1, 7), CHANCE)
def test_swiss_has_no_repeat_that_can_be_avoided(count: int, players: int, rounds: int, chance: random.Random) -> None:
    count = max(count, players)
    driver = Driver("swiss", setup_of("swiss", [players], rounds=rounds), names(count))
    driver.run(chance)
    assert [pairing.round for pairing in driver.blocks] == [
        number for number in range(1, rounds + 1) for _ in range(count // players)
    ]
    met = Meetings()

    def repeats(groups: Sequence[Sequence[str]]) -> int:
        return sum(met.met(one, other) ** 2 for group in groups for one, other in combinations(group, 2))

    for number in range(1, rounds + 1):
        groups = [pairing.bots for pairing in driver.blocks if pairing.round == number]
        playing = sorted(bot for group in groups for bot in group)
        assert repeats(groups) == min(map(repeats, partitions(playing, players)))
        for group in groups:
            met.note(group)


@steady
@given(st.integers(5, 30), st.lists(st.integers(2, 5), min_size=1, max_size=2), st.integers(1, 9), CHANCE)
def test_swiss_shares_byes_and_takes_turns_at_tables(
    count: int, players: list[int], rounds: int, chance: random.Random
) -> None:
    driver = Driver("swiss", setup_of("swiss", players, rounds=rounds), names(count))
    driver.run(chance)
    byes = Counter(dict.fromkeys(names(count), 0))
    for number in range(1, rounds + 1):
        blocks = [pairing for pairing in driver.blocks if pairing.round == number]
        assert {pairing.table for pairing in blocks} == {(number - 1) % len(players)}
        playing = [bot for pairing in blocks for bot in pairing.bots]
        assert len(playing) == len(set(playing))
        byes.update(set(names(count)) - set(playing))
        assert max(byes.values()) - min(byes.values()) <= 1
    rows = driver.scheme.outcome()["standings"]
    assert {row["bot"]: row["byes"] for row in rows} == byes
    assert [row["score"] for row in rows] == sorted((row["score"] for row in rows), reverse=True)


def test_swiss_finds_the_best() -> None:
    """Without luck the best of 32 is first after enough rounds, and the last is last."""
    driver = Driver("swiss", setup_of("swiss", [4], rounds=6), names(32))
    driver.run(random.Random(1), noise=0.5)
    rows = driver.scheme.outcome()["standings"]
    assert (rows[0]["bot"], rows[0]["place"], rows[-1]["bot"]) == ("bot31", 1, "bot0")
    met = Counter(pair for pairing in driver.blocks for pair in map(frozenset, combinations(pairing.bots, 2)))
    assert max(met.values()) == 1


def test_swiss_with_a_bot_that_leaves_in_the_middle_of_a_round() -> None:
    driver = Driver("swiss", setup_of("swiss", [2], rounds=3), names(4))
    driver.make(1)
    (number,) = [number for number in driver.open if "bot1" in driver.blocks[number].bots]
    (other,) = set(driver.blocks[number].bots) - {"bot1"}
    driver.withdraw("bot1")
    for left in list(driver.open):
        driver.end(left, play(left, driver.blocks[left]))
    rows = {row["bot"]: row for row in driver.scheme.outcome()["standings"]}
    assert rows[other]["score"] == 0.5
    assert rows["bot1"]["withdrawn"] and rows["bot1"]["place"] == 4
    driver.run(random.Random(1))
    assert driver.scheme.is_over
    assert not any("bot1" in pairing.bots for pairing in driver.blocks[2:])


# -- Scores --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ranks", "scores"),
    [
        ((1, 2), (1, 0)),
        ((1, 1), (0.5, 0.5)),
        ((1, 1, 3, 4, 5), (0.875, 0.875, 0.5, 0.25, 0)),
        ((2, 1, 2), (0.25, 1, 0.25)),
    ],
)
def test_places_score_what_they_beat(ranks: tuple[int, ...], scores: tuple[float, ...]) -> None:
    assert place_units(ranks) == tuple(score * UNIT for score in scores)


def test_head_to_head_counts_before_margin() -> None:
    """All have won and lost a game; among those two who are asked for, a beat b."""
    scores = Scores()
    games = [(("a", "b"), (10, 9)), (("b", "c"), (99, 0)), (("c", "a"), (10, 9))]
    scores.note(GameResult(bots, (1, 2), totals) for bots, totals in games)
    rows = scores.table("ba", {"a": 2, "b": 1}.__getitem__)
    assert [(row["bot"], row["place"], row["head_to_head"], row["margin"]) for row in rows] == [
        ("a", 1, 1.0, 0.0),
        ("b", 2, 0.0, 98.0),
    ]


def test_firsts_count_before_margin() -> None:
    """a and b met the same opponents, but never each other."""
    scores = Scores()
    for bots, ranks, totals in [
        (("a", "c", "d"), (1, 2, 3), (5, 4, 3)),
        (("a", "c", "d"), (3, 1, 2), (3, 5, 4)),
        (("b", "c", "d"), (2, 1, 3), (50, 60, 0)),
        (("b", "c", "d"), (2, 3, 1), (50, 0, 60)),
    ]:
        scores.note([GameResult(bots, ranks, totals)])
    rows = scores.table("ba", lambda _: 0)
    assert [(row["bot"], row["firsts"], row["margin"]) for row in rows] == [("a", 1, 0.0), ("b", 0, 40.0)]


def test_margin_decides_and_then_places_are_shared() -> None:
    scores = Scores()
    scores.note([GameResult(("a", "b"), (1, 2), (20, 10)), GameResult(("b", "a"), (1, 2), (15, 10))])
    lots = {"a": 2, "b": 1}.__getitem__
    assert [(row["bot"], row["place"]) for row in scores.table("ab", lots)] == [("a", 1), ("b", 2)]
    scores.note([GameResult(("b", "a"), (1, 2), (15, 10)), GameResult(("b", "a"), (2, 1), (10, 10))])
    assert [(row["bot"], row["place"]) for row in scores.table("ab", lots)] == [("b", 1), ("a", 1)]


def test_opponents_count_before_head_to_head() -> None:
    scores = Scores()
    for bots in [("a", "b"), ("b", "c"), ("b", "d"), ("c", "a"), ("c", "d"), ("d", "c")]:
        scores.note([GameResult(bots, (1, 2), (1, 0))])
    rows = scores.table("abcd", lambda _: 0, {"a": 1.0, "b": 1.0, "c": 0.0, "d": 0.0})
    assert [row["bot"] for row in rows[:2]] == ["a", "b"]
    assert rows[0]["opponents"] == round((2 / 3 + 1 / 2) / 2, 9)
    assert rows[1]["opponents"] == round((1 / 2 + 1 / 2 + 1 / 3) / 3, 9)


# -- Knockout ------------------------------------------------------------------------------------------------------


@settings(steady, max_examples=3 * EXAMPLES)
@given(st.data(), CHANCE)
def test_knockout_ends_with_one_winner_and_places_for_all(data: st.DataObject, chance: random.Random) -> None:
    driver = data.draw(drivers("knockout", bots=24))
    count = len(driver.log)
    leaving = data.draw(st.lists(st.integers(0, count - 1), max_size=count - 1, unique=True))
    plan = {
        2 * when: ("withdraw", f"bot{number}") for when, number in enumerate(leaving[: data.draw(st.integers(0, 3))])
    }
    expected = driver.scheme.games_expected()
    driver.run(chance, changes=plan, noise=data.draw(st.sampled_from([0.0, 3.0, 30.0])))
    assert driver.scheme.is_over
    outcome = driver.scheme.outcome()
    assert sorted(row["bot"] for row in outcome["places"]) == sorted(names(count))
    assert [row["place"] for row in outcome["places"]] == list(range(1, count + 1))
    assert outcome["winner"] == outcome["places"][0]["bot"]
    left = {words[0] for what, *words in driver.log if what == "withdraw"}
    if not left:
        assert outcome["bracket"][-1]["final"]
        assert outcome["bracket"][-1]["tables"][0]["order"] == [
            row["bot"] for row in outcome["places"][: driver.setup.players[driver.blocks[-1].table]]
        ]
        assert expected is not None and expected <= sum(len(pairing.seatings) for pairing in driver.blocks)
    places = {row["bot"]: row["place"] for row in outcome["places"]}
    for stage in outcome["bracket"]:
        for table in stage["tables"]:
            assert len(table["through"]) == (1 if stage["final"] else driver.setup.settings["advance"])
            assert table["blocks"] <= 1 + driver.setup.settings["tie_blocks"]
            if not left:
                points = [table["points"][bot] for bot in table["order"]]
                assert points == sorted(points, reverse=True)
    if (
        driver.setup.settings["advance"] == 1
        and not left
        and not any(stage["refilled"] for stage in outcome["bracket"])
    ):
        first_out = [bot for table in outcome["bracket"][0]["tables"] for bot in table["order"][1:]]
        if not outcome["bracket"][0]["final"]:
            assert min(places[bot] for bot in first_out) == count - len(first_out) + 1


def level_games(pairing: Pairing) -> list[GameResult]:
    return [GameResult(seating, (1,) * len(seating), (0,) * len(seating)) for seating in pairing.seatings]


def test_a_level_knockout_is_played_on_and_then_decided_by_seeds() -> None:
    driver = Driver("knockout", setup_of("knockout", [2], tie_blocks=2, seeded=True), names(4))
    while driver.make(1):
        for number in list(driver.open):
            driver.end(number, level_games(driver.blocks[number]))
    assert len(driver.blocks) == 3 * 3
    outcome = driver.scheme.outcome()
    assert [row["bot"] for row in outcome["places"]] == ["bot0", "bot1", "bot2", "bot3"]
    assert [sorted(table["bots"]) for table in outcome["bracket"][0]["tables"]] == [["bot0", "bot3"], ["bot1", "bot2"]]


def test_a_bot_that_withdraws_loses_its_table() -> None:
    driver = Driver("knockout", setup_of("knockout", [2], seeded=True), names(4))
    driver.make(1)
    driver.withdraw("bot0")
    assert [bot for number in driver.open for bot in driver.blocks[number].bots] == ["bot1", "bot2"]
    driver.run(random.Random(1), noise=0.0)
    places = [row["bot"] for row in driver.scheme.outcome()["places"]]
    assert places == ["bot3", "bot2", "bot1", "bot0"]


def test_nobody_enters_a_knockout_late() -> None:
    driver = Driver("knockout", setup_of("knockout", [2]), names(4))
    driver.make(1)
    assert not driver.scheme.OPEN
    with pytest.raises(ValueError, match="has begun"):
        driver.scheme.enter("late")


def test_somebody_has_to_go_out() -> None:
    problems = formats()["knockout"].problems(setup_of("knockout", [4, 3], advance=3), names(4))
    assert problems == [("format.advance", "must be less than the seats of the smallest table, 3")]


# -- Ladder --------------------------------------------------------------------------------------------------------


class Clockwork(Driver):
    """Blocks take time: as long as their slowest bot. So many can run at once as the bots allow."""

    def run_until(self, end: float, pace: dict[str, float], *, failing: Sequence[str] = ()) -> None:
        chance = random.Random(1)
        now, due = 0.0, dict[int, float]()
        while now < end:
            for number in self.make(8):
                slowest = max(pace.get(bot, 1.0) for bot in self.blocks[number].bots)
                due[number] = now + slowest * chance.uniform(0.8, 1.2)
            assert due, "nothing is played and nothing will be"
            number = min(due, key=due.__getitem__)
            now = due.pop(number)
            self.end(number, play(number, self.blocks[number], failing=failing))

    def played(self) -> Counter[str]:
        ended = (number for number, games in self.results.items() if games)
        return Counter(bot for number in ended for bot in self.blocks[number].bots)


@pytest.mark.parametrize(("count", "players"), [(6, [2]), (6, [3]), (8, [4]), (12, [4]), (9, [2, 3]), (7, [2, 5])])
def test_shares_on_the_ladder_are_fair(count: int, players: list[int]) -> None:
    ladder = Clockwork("ladder", setup_of("ladder", players), names(count))
    ladder.run_until(120, {})
    played = ladder.played()
    assert min(played[bot] for bot in names(count)) > 0.75 * max(played.values())
    met = Counter(pair for pairing in ladder.blocks for pair in map(frozenset, combinations(pairing.bots, 2)))
    assert len(met) == count * (count - 1) // 2
    tables = Counter(pairing.table for pairing in ladder.blocks)
    assert max(tables.values()) - min(tables.values()) <= 2 * count


@pytest.mark.parametrize(("count", "players"), [(6, 2), (8, 3), (10, 4), (12, 5)])
def test_a_slow_bot_holds_nobody_up(count: int, players: int) -> None:
    """Fifty times as slow as the others: they play nearly as much as without it."""
    usual = Clockwork("ladder", setup_of("ladder", [players]), names(count)[1:])
    usual.run_until(200, {})
    slowed = Clockwork("ladder", setup_of("ladder", [players]), names(count))
    slowed.run_until(200, {"bot0": 50.0})
    without, beside = usual.played(), slowed.played()
    assert beside["bot0"] >= 3
    for bot in names(count)[1:]:
        assert beside[bot] > 0.6 * without[bot]
    assert max(Counter(bot for number in slowed.open for bot in slowed.blocks[number].bots).values()) <= 4


@pytest.mark.parametrize(("count", "players"), [(5, 2), (8, 3), (10, 4)])
def test_a_bot_that_crashes_in_a_loop_gets_a_small_share(count: int, players: int) -> None:
    """It crashes at once, so that it would be the first to be free again every time."""
    ladder = Clockwork("ladder", setup_of("ladder", [players]), names(count))
    ladder.run_until(300, {}, failing=["bot0"])
    played = ladder.played()
    total = len(ladder.results)
    assert played["bot0"] <= 3 + (total // 10).bit_length() + 1
    assert min(played[bot] for bot in names(count)[1:]) > 10 * played["bot0"]
    benched = ladder.scheme.outcome()["benched"]
    assert [row["bot"] for row in benched] == ["bot0"]
    assert benched[0]["times"] == played["bot0"] - 2


def test_a_trial_sets_a_bot_free() -> None:
    ladder = Clockwork("ladder", setup_of("ladder", [2], bench_blocks=25), names(6))
    ladder.run_until(8, {}, failing=["bot0"])
    assert ladder.scheme.outcome()["benched"]
    ladder.run(random.Random(1), limit=len(ladder.blocks) + 100)
    assert ladder.scheme.outcome()["benched"] == []
    assert Counter(bot for pairing in ladder.blocks[-60:] for bot in pairing.bots)["bot0"] > 10


def test_a_benched_bot_plays_if_nothing_can_be_played_without_it() -> None:
    ladder = Clockwork("ladder", setup_of("ladder", [3], blocks=40), names(3))
    ladder.run(random.Random(1), failing=["bot0"])
    assert ladder.scheme.is_over
    assert len(ladder.blocks) == 40


def test_resigning_is_no_failure() -> None:
    driver = Driver("ladder", setup_of("ladder", [2], blocks=20), names(4))
    while driver.make(1):
        (number,) = driver.open
        games = [GameResult(seating, (1, 2), (9, 1), {1: "resigned"}) for seating in driver.blocks[number].seatings]
        driver.end(number, games)
    assert driver.scheme.outcome()["benched"] == []


def test_a_newcomer_plays_soon_but_not_all_the_time() -> None:
    ladder = Clockwork("ladder", setup_of("ladder", [2]), names(8))
    ladder.run_until(100, {})
    before = len(ladder.blocks)
    ladder.tell("enter", "bot8")
    ladder.run(random.Random(1), limit=before + 80, at_once=3)
    shares = Counter(bot for pairing in ladder.blocks[before:] for bot in pairing.bots)
    assert max(shares.values()) - 12 <= shares["bot8"] <= max(shares.values()) + 1
    assert shares["bot8"] > 10


@pytest.mark.parametrize(("count", "players"), [(9, 3), (12, 3), (12, 4)])
def test_two_bots_that_never_answer_hold_nobody_up(count: int, players: int) -> None:
    """Others sit with one of them and then with the other; that alone makes nobody slow. Rounds, so that chance has no
    part in it: all blocks end in the round in which they are made, but for those of the two."""
    ladder = Driver("ladder", setup_of("ladder", [players]), names(count))
    played: Counter[str] = Counter()
    for _ in range(150):
        for number in ladder.make(8):
            bots = ladder.blocks[number].bots
            if not {"bot0", "bot1"} & set(bots):
                ladder.tell("ended", number, play(number, ladder.blocks[number]))
                played.update(bots)
    good = [played[bot] for bot in names(count)[2:]]
    assert min(good) > 90
    assert min(good) > 0.75 * max(good)


def test_ladder_without_an_end() -> None:
    driver = Driver("ladder", setup_of("ladder", [2]), names(4))
    driver.run(random.Random(1), limit=500)
    assert len(driver.blocks) >= 500
    assert not driver.scheme.is_over
    assert driver.scheme.games_expected() is None
    ratings = {row["bot"]: row["rating"] for row in driver.scheme.outcome()["ladder"]}
    assert sorted(ratings, key=ratings.__getitem__) == names(4)
