"""The format `test`: blocks that are fair whatever seats are worth, and a verdict that depends on their order alone."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from hansa_server.ratings import Question, SequentialTest, Verdict
from hansa_server.ratings.gsprt import FIRST_LOOK
from hansa_server.tournament import event_file
from hansa_server.tournament.block import GameResult, Pairing
from hansa_server.tournament.pairing import formats
from hansa_server.tournament.pairing.sequential import arrangements, describe
from tests.tournament.driver import Driver, play, setup_of, state, told_again


def driver_of(players: list[int], bots: tuple[str, ...] = ("new", "old"), **settings: Any) -> Driver:
    return Driver("test", setup_of("test", players, **settings), bots)


def results(number: int, pairing: Pairing, gap: float = 0.0) -> list[GameResult]:
    """`new` is better than the others by so much; all have luck of the day."""
    return play(number, pairing, noise=10, strength=lambda bot: gap if bot == "new" else 0.0)


def run(driver: Driver, gap: float = 0.0, *, at_once: int = 1, chance: random.Random | None = None) -> None:
    """Play to the end, blocks ending in any order."""
    chance = chance or random.Random(0)
    while not driver.scheme.is_over or driver.open:
        driver.make(at_once - len(driver.open))
        if not driver.open:
            break
        number = chance.choice(driver.open)
        driver.end(number, results(number, driver.blocks[number], gap))


@pytest.mark.parametrize(("players", "count"), [(2, 1), (3, 3), (4, 3), (5, 10)])
def test_blocks_are_complements_and_all_arrangements_come(players: int, count: int) -> None:
    assert len(arrangements(players)) == count
    driver = driver_of([players])
    driver.make(2 * count)
    first = Counter(pairing.seatings for pairing in driver.blocks)
    assert set(first.values()) == {2} and len(first) == count
    for one, two in first:
        assert [{"new", "old"}] * players == [{mine, other} for mine, other in zip(one, two, strict=True)]
        assert abs(one.count("new") - one.count("old")) == players % 2
    seats = [Counter(seating[seat] for pair in first for seating in pair) for seat in range(players)]
    assert all(seen == {"new": count, "old": count} for seen in seats)


def test_tables_come_in_turn() -> None:
    driver = driver_of([2, 3, 4])
    driver.make(7)
    assert [(pairing.table, pairing.round) for pairing in driver.blocks] == [
        (0, 1), (1, 1), (2, 1), (0, 2), (1, 2), (2, 2), (0, 3),
    ]  # fmt: skip
    assert [len(pairing.seatings[0]) for pairing in driver.blocks] == [2, 3, 4, 2, 3, 4, 2]


def test_field() -> None:
    """Same seat, same opponents, once A and once B; every seat and every opponent comes equally often."""
    driver = driver_of([3], ("x", "new", "old", "y", "z"), a="new", b="old")
    driver.make(9)
    seats, others = Counter[int](), Counter[str]()
    for one, two in (pairing.seatings for pairing in driver.blocks):
        (seat,) = [seat for seat in range(3) if one[seat] != two[seat]]
        assert (one[seat], two[seat]) == ("new", "old")
        seats[seat] += 1
        others.update(bot for bot in one if bot != "new")
        assert len(set(one)) == 3
    assert seats == {0: 3, 1: 3, 2: 3}
    assert others == {"x": 6, "y": 6, "z": 6}
    run(driver, gap=8)
    found = driver.scheme.outcome()
    assert found["verdict"] == "better"
    assert found["estimate"]["low"] > 0
    lone = driver_of([5], ("new", "old", "x"))
    lone.make(1)
    assert Counter(lone.blocks[0].seatings[1]) == {"old": 1, "x": 4}


def test_verdicts() -> None:
    better, worse, open_end = (driver_of([3], budget=400), driver_of([3], budget=4000), driver_of([2], budget=40))
    run(better, gap=3)
    run(worse, gap=-3)
    run(open_end)
    verdicts = [driver.scheme.outcome()["verdict"] for driver in (better, worse, open_end)]
    assert verdicts == ["better", "not better", "inconclusive"]
    found = open_end.scheme.outcome()
    assert (found["blocks"], found["games"], found["budget"]) == (20, 40, 40)
    assert len(open_end.blocks) == 20
    assert found["peeking"]["low"] < 0 < found["peeking"]["high"]
    assert sum(row["blocks"] for row in found["scores"]) == 20
    assert better.scheme.games_expected() == better.scheme.outcome()["games"] < 400
    assert better.scheme.more(5) == []


def test_faults_of_the_host() -> None:
    driver = driver_of([2], faults=2)
    driver.make(3)
    for _ in range(2):
        driver.tell("voided", 1)
    assert not driver.scheme.is_over
    driver.tell("voided", 0)
    assert driver.scheme.is_over
    assert driver.scheme.outcome()["verdict"] == "infrastructure fault"
    driver.tell("voided", 2)
    driver.end(0, results(0, driver.blocks[0]))
    assert driver.scheme.outcome()["voids"] == 3
    assert driver.scheme.outcome()["blocks"] == 0


@pytest.mark.parametrize("at_once", [2, 7])
def test_order_of_ending_does_not_matter(at_once: int) -> None:
    """What is ahead of its turn waits, and what comes after the verdict is not counted."""
    one, other = driver_of([3, 2]), driver_of([3, 2])
    run(one, gap=2)
    run(other, gap=2, at_once=at_once, chance=random.Random(3))
    assert one.scheme.outcome() == other.scheme.outcome()
    assert len(one.blocks) <= len(other.blocks)
    assert one.blocks == other.blocks[: len(one.blocks)]
    for steps in range(0, len(other.log), 9):
        told_again(other, steps).outcome()
    assert state(told_again(other)) == state(other.scheme)
    # A scheme that is told of blocks as the store has them, not in the order of their numbers, says the same.
    again = formats()["test"](other.setup)
    for bot in ("new", "old"):
        again.enter(bot)
    for number, pairing in enumerate(other.blocks):
        again.made(number, pairing)
    for number in reversed(range(len(other.blocks))):
        again.ended(number, other.results[number])
    assert again.outcome() == one.scheme.outcome()


def test_it_is_the_test_of_ratings() -> None:
    driver = driver_of([2], elo1=40.0, alpha=0.1, beta=0.02)
    run(driver, gap=1)
    test = SequentialTest(Question(0, 40, 0.1, 0.02))
    for number, pairing in enumerate(driver.blocks):
        ahead = [
            0.5 + (game.ranks[game.bots.index("old")] - game.ranks[game.bots.index("new")]) / 2
            for game in results(number, pairing, gap=1)
        ]
        test.add(sum(ahead) / 2)
    found = driver.scheme.outcome()
    assert test.verdict is not None and test.verdict.value == found["verdict"]
    assert found | describe(test) == found


def test_who_withdraws_ends_the_test() -> None:
    driver = driver_of([2])
    driver.make(4)
    driver.end(0, results(0, driver.blocks[0]))
    driver.withdraw("old")
    assert driver.scheme.is_over and driver.scheme.more(1) == []
    assert driver.scheme.outcome()["verdict"] == "inconclusive"
    field = driver_of([3], ("new", "old", "x", "y"))
    field.withdraw("x")
    assert not field.scheme.is_over
    field.make(6)
    assert {bot for pairing in field.blocks for bot in pairing.bots} == {"new", "old", "y"}
    field.withdraw("y")
    assert field.scheme.is_over


def test_dropped_blocks_are_made_up_for() -> None:
    driver = driver_of([2], budget=2 * FIRST_LOOK)
    driver.make(FIRST_LOOK)
    assert driver.make(1) == []
    for number in range(FIRST_LOOK):
        driver.end(number, None if number == 3 else results(number, driver.blocks[number]))
    assert driver.make(5) == [FIRST_LOOK]
    driver.end(FIRST_LOOK, results(FIRST_LOOK, driver.blocks[FIRST_LOOK]))
    assert driver.scheme.outcome()["blocks"] == FIRST_LOOK
    assert driver.scheme.outcome()["verdict"] == Verdict.INCONCLUSIVE.value


def test_forfeits_lose() -> None:
    """Who forfeits is behind all of the other bot, in every game."""
    driver = driver_of([3])
    while not driver.scheme.is_over:
        (number,) = driver.make(1)
        driver.end(number, play(number, driver.blocks[number], strength=lambda _: 0.0, failing=["old"]))
    found = driver.scheme.outcome()
    assert found["verdict"] == "better"
    assert found["scores"] == [{"score": 1.0, "blocks": found["blocks"]}]


@pytest.mark.parametrize(
    ("settings", "bots", "where", "what"),
    [
        ({"a": "mew"}, ["new", "old"], "format.a", "'mew' is not in the line-up"),
        ({"a": "new", "b": "new"}, ["new", "old"], "format.b", "and so is a"),
        ({}, ["new"], "bots", "needs two bots"),
        ({"elo0": 20.0}, ["new", "old"], "format.elo1", "elo0 must be below elo1"),
        ({"budget": 20}, ["new", "old"], "format.budget", "at least 16 blocks of 2 games, not 10"),
    ],
)
def test_problems(settings: dict[str, Any], bots: list[str], where: str, what: str) -> None:
    (found,) = formats()["test"].problems(setup_of("test", [2], **settings), bots)
    assert found[0] == where
    assert what in found[1]


def test_event_file() -> None:
    event = event_file.load(event_file.example("test"))
    assert event.format == "test"
    assert event_file.from_dict(event_file.to_dict(event)) == event
    with pytest.raises(event_file.Problems, match=r"format\.alpha: must be between 0 and 0.5, not 0.7"):
        event_file.load(event_file.example("test").replace("alpha = 0.05", "alpha = 0.7"))


def test_blocks_that_nobody_expects_are_refused() -> None:
    driver = driver_of([2])
    with pytest.raises(ValueError, match="block 0 is not the one that comes next"):
        driver.scheme.made(0, Pairing(0, 1, (("new", "new"), ("old", "old"))))
