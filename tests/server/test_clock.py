"""Clocks: pure arithmetic, so every number here is exact (binary fractions of a second)."""

from __future__ import annotations

import itertools
import random

import pytest

from hansa_server.arena import FairClock
from hansa_server.clock import LONGEST, ClockRules, SeatClock
from hansa_server.errors import BadField


def test_a_clock_stands_until_the_decision_is_handed_over() -> None:
    clock = SeatClock(ClockRules(per_decision=8, grace=0.5))
    assert clock.deadline() is None
    assert clock.spent(1000) == 0
    assert clock.allowed() == 8


def test_per_decision_limit_begins_anew_each_time() -> None:
    clock = SeatClock(ClockRules(per_decision=8, grace=0))
    for start in (0.0, 100.0, 108.0):
        clock.start(start)
        assert clock.deadline() == start + 8
        assert clock.spent(start + 5) == 5
        assert clock.stop(start + 5) == 5
        assert clock.deadline() is None
        assert clock.bank == 0


def test_bank_is_used_up_and_the_increment_added_after_each_answer() -> None:
    clock = SeatClock(ClockRules(per_decision=0, bank=10, increment=2, grace=0))
    clock.start(0)
    assert clock.deadline() == 10
    assert clock.stop(4) == 4
    assert clock.bank == 8
    clock.start(50)
    assert clock.deadline() == 58
    clock.stop(58)
    assert clock.bank == 2
    clock.start(60)
    assert clock.deadline() == 62


def test_with_both_limits_the_smaller_one_counts() -> None:
    clock = SeatClock(ClockRules(per_decision=3, bank=5, grace=0))
    assert clock.allowed() == 3
    clock.start(0)
    assert clock.deadline() == 3
    clock.stop(3)
    assert clock.allowed() == 2
    clock.start(10)
    assert clock.deadline() == 12


def test_grace_is_free_but_not_saved_up() -> None:
    clock = SeatClock(ClockRules(per_decision=0, bank=10, increment=1, grace=0.5))
    clock.start(0)
    assert clock.deadline() == 10.5
    assert clock.stop(0.25) == 0
    assert clock.bank == 11, "an answer within the grace costs nothing and earns the increment only"
    clock.start(5)
    assert clock.stop(7.5) == 2
    assert clock.bank == 10


def test_an_empty_bank_leaves_the_grace() -> None:
    clock = SeatClock(ClockRules(per_decision=0, bank=1, grace=0.5))
    clock.start(0)
    clock.stop(1.5)
    assert clock.bank == 0
    clock.start(10)
    assert clock.allowed() == 0
    assert clock.deadline() == 10.5


def test_more_time_than_there_is_does_not_make_a_negative_bank() -> None:
    clock = SeatClock(ClockRules(per_decision=0, bank=1, increment=0.25, grace=0))
    clock.start(0)
    clock.stop(100)
    assert clock.bank == 0.25


def test_starting_a_running_clock_changes_nothing() -> None:
    clock = SeatClock(ClockRules(per_decision=8, grace=0))
    clock.start(1)
    clock.start(5)
    assert clock.deadline() == 9


def test_a_clock_that_begins_later_is_not_charged_before() -> None:
    clock = SeatClock(ClockRules(per_decision=8, grace=0))
    clock.start(100)
    assert clock.spent(50) == 0
    assert clock.deadline() == 108


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"per_decision": 0, "bank": 0}, "clock"),
        ({"per_decision": -1}, "clock.per_decision"),
        ({"bank": -0.5}, "clock.bank"),
        ({"bank": 5, "increment": -1}, "clock.increment"),
        ({"grace": -1}, "clock.grace"),
        ({"per_decision": 5, "increment": 1}, "clock.increment"),
        ({"per_decision": LONGEST + 1}, "clock.per_decision"),
        ({"bank": float("inf")}, "clock.bank"),
        ({"bank": float("nan")}, "clock.bank"),
        ({"per_decision": True}, "clock.per_decision"),
        ({"per_decision": "10"}, "clock.per_decision"),
    ],
)
def test_senseless_rules_name_the_field(values: dict[str, float], field: str) -> None:
    with pytest.raises(BadField) as caught:
        ClockRules(**values)
    assert caught.value.name == field


def test_rules_round_trip() -> None:
    rules = ClockRules(per_decision=3, bank=60, increment=0.5, grace=0.125)
    assert ClockRules(**rules.to_dict()) == rules


class Hand:
    """A clock on the wall that is moved by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_fair_clock_counts_the_time_while_the_loop_listens() -> None:
    hand = Hand()
    clock = FairClock(hand)
    begin = clock.now()
    for _ in range(100):
        hand.now += FairClock.PULSE
        clock.beat()
    assert clock.now() - begin == pytest.approx(100 * FairClock.PULSE)
    assert clock.lag == 0


def test_fair_clock_leaves_out_the_time_in_which_the_loop_was_blocked() -> None:
    hand = Hand()
    clock = FairClock(hand)
    begin = clock.now()
    hand.now += 30.0
    assert clock.now() - begin <= FairClock.PULSE + FairClock.SLACK + 1e-9
    clock.beat()
    hand.now += FairClock.PULSE
    clock.beat()
    assert clock.now() - begin <= 2 * FairClock.PULSE + FairClock.SLACK + 1e-9


@pytest.mark.parametrize("seed", range(20))
def test_fair_clock_never_goes_back(seed: int) -> None:
    draw = random.Random(seed)
    hand = Hand()
    clock = FairClock(hand)
    told = [clock.now()]
    for _ in range(500):
        hand.now += draw.choice((0.0, 0.001, 0.02, 0.05, 0.071, 0.5))
        if draw.random() < 0.3:
            clock.beat()
        told.append(clock.now())
    assert all(later >= earlier - 1e-9 for earlier, later in itertools.pairwise(told)), "apart from rounding"
    assert told[-1] - told[0] <= hand.now - 1000.0


def test_fair_clock_stands_still_while_it_is_held() -> None:
    hand = Hand()
    clock = FairClock(hand)
    begin = clock.now()
    clock.hold()
    for _ in range(100):
        hand.now += FairClock.PULSE
        clock.beat()
        assert clock.now() == begin
    clock.hold()  # once more is the same
    clock.go_on()
    clock.go_on()
    assert clock.now() == begin
    hand.now += FairClock.PULSE
    assert clock.now() == pytest.approx(begin + FairClock.PULSE)
