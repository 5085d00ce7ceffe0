"""The course of a match without a server: events and the time go in, effects come out."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

import hansa_fast as hf
from hansa_server.clock import ClockRules
from hansa_server.match import (
    AT_ONCE,
    COMMENT_LENGTH,
    Answer,
    Asked,
    Effect,
    Ended,
    Forfeit,
    Forfeited,
    Match,
    MatchSpec,
    OnForfeit,
    Outcome,
    Played,
    Problem,
    Rejected,
)

RULES = hf.Rules(players=3, turn_limit=12)
CLOCK = ClockRules(per_decision=8, grace=0.5)
Choose = Callable[[hf.State], int | str]


def spec(
    players: Sequence[str] = ("anna", "bert", "cora"),
    rules: hf.Rules | None = None,
    *,
    seed: int = 7,
    clock: ClockRules = CLOCK,
    on_forfeit: OnForfeit = OnForfeit.END,
    forgiven: int = 2,
) -> MatchSpec:
    """What is settled before a match."""
    rules = rules or hf.Rules(players=len(players), turn_limit=12)
    return MatchSpec("m", rules, seed, tuple(players), clock, on_forfeit, forgiven)


def begun(settled: MatchSpec | None = None, *, present: bool = True) -> Match:
    """A match that was started, with all its bots there and the question handed over."""
    match = Match(settled or spec())
    if present:
        for seat in range(len(match.seats)):
            assert match.came(seat, 0.0) == []
    match.start(0.0)
    hand_over(match, 0.0)
    return match


def hand_over(match: Match, now: float) -> None:
    """The open question reaches the network."""
    if match.asked is not None:
        match.sent(match.asked, match.sequence, now)


def legal(match: Match) -> Answer:
    """Some legal answer to the open question."""
    return Answer(match.sequence, match.state.choose(match.sequence * 31 + 5, "greedy"))


def play_out(match: Match, now: float = 0.0, choose: Choose | None = None) -> list[Effect]:
    """Answer every question until the end; returns all effects."""
    out: list[Effect] = []
    while not match.is_over:
        if match.asked is None:
            out += match.go_on(now)
            continue
        hand_over(match, now)
        answer = legal(match) if choose is None else Answer(match.sequence, choose(match.state))
        out += match.answer(match.asked, answer, now)
    return out


def replayed(match: Match) -> hf.State:
    """The position that the actions of a match lead to."""
    state = match.spec.rules.new(match.spec.seed)
    for number, played in enumerate(match.actions):
        assert played.sequence == number
        assert played.seat == state.player
        assert played.text == state.describe(played.action)
        state.apply(played.action)
    return state


def other(match: Match) -> int:
    """A seat that was not asked."""
    assert match.asked is not None
    return (match.asked + 1) % len(match.seats)


# -- The usual course ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("game", ["teutonica", "hansa"])
def test_a_match_ends_with_the_result_of_its_game(game: str, players: int) -> None:
    if game == "hansa" and players == 5:
        players = 4
    names = [f"bot{seat}" for seat in range(players)]
    match = begun(spec(names, hf.Rules(game=game, players=players, turn_limit=60)))
    effects = play_out(match)
    state = replayed(match)
    assert state.is_over
    assert match.state == state
    ended = effects[-1]
    assert isinstance(ended, Ended)
    assert ended.outcome is match.outcome
    assert match.outcome == Outcome(
        tuple(state.result()["reasons"]), tuple(state.scores()), tuple(state.result()["ranks"]), (None,) * players
    )
    assert sum(isinstance(effect, Ended) for effect in effects) == 1
    assert match.asked is None
    assert match.deadline() is None


def test_decisions_with_one_legal_answer_are_played_without_asking() -> None:
    match = begun(spec(rules=hf.Rules(players=3, turn_limit=150)))
    answered = {match.sequence - 1}
    asked: set[int] = set()
    while not match.is_over:
        assert match.asked is not None
        assert len(match.state.legal_actions()) > 1
        asked.add(match.sequence)
        match.answer(match.asked, legal(match), 0.0)
    state = match.spec.rules.new(match.spec.seed)
    answered.clear()
    for played in match.actions:
        assert (len(state.legal_actions()) > 1) == (played.sequence in asked)
        state.apply(played.action)
    assert 0 < len(asked) < len(match.actions)


def test_texts_and_ids_are_the_same_answer() -> None:
    by_id, by_text = begun(), begun()
    play_out(by_id)
    play_out(by_text, choose=lambda state: state.describe(state.choose(len(by_text.actions) * 31 + 5, "greedy")))
    assert by_id.actions == by_text.actions
    assert by_id.outcome == by_text.outcome


def test_what_a_bot_says_is_kept_and_cut() -> None:
    match = begun()
    assert match.asked is not None
    answer = replace(legal(match), evaluation=(1.5, 2.0, 3.0), comment="ü" * 1000)
    played = match.answer(match.asked, answer, 0.0)[0]
    assert isinstance(played, Played)
    assert played.evaluation == (1.5, 2.0, 3.0)
    assert played.comment == "ü" * COMMENT_LENGTH


def test_one_bot_may_sit_in_several_seats() -> None:
    match = begun(spec(["anna", "anna", "bert"]))
    play_out(match)
    assert match.outcome is not None
    assert match.outcome.forfeits == (None, None, None)
    one = begun(spec(["anna", "anna", "bert"]))
    assert one.asked is not None
    one.resign(0, 0.0)
    assert [seat.forfeit for seat in one.seats] == [Forfeit.RESIGNED, None, None]


# -- Built-in bots -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", ["greedy", "planner", "random"])
def test_built_in_bots_are_deterministic(policy: str) -> None:
    names = [f"builtin:{policy}"] * 3
    matches = [begun(spec(names, seed=seed)) for seed in (3, 3, 4)]
    for match in matches:
        play_out(match)
    assert matches[0].actions == matches[1].actions
    assert matches[0].outcome == matches[1].outcome
    assert matches[0].actions != matches[2].actions


def test_built_in_bots_play_a_bounded_number_of_actions_at_once() -> None:
    match = Match(spec(["builtin:random", "builtin:random"], hf.Rules(players=2)))
    effects = match.start(0.0)
    assert len(effects) == AT_ONCE
    assert all(isinstance(effect, Played) for effect in effects)
    assert match.asked is None and not match.is_over
    assert len(match.go_on(0.0)) == AT_ONCE
    assert match.sequence == 2 * AT_ONCE
    ended = match.abort(0.0)
    assert isinstance(ended[0], Ended)
    assert match.go_on(0.0) == []


def test_going_on_does_nothing_while_a_bot_is_asked() -> None:
    match = begun()
    assert match.go_on(0.0) == []


def test_cutting_built_in_play_into_pieces_does_not_change_it() -> None:
    def all_of(match: Match) -> list[Played]:
        play_out(match)
        return match.actions

    names = ["builtin:random", "builtin:greedy", "builtin:random"]
    rules = hf.Rules(players=3, turn_limit=200)
    whole = Match(spec(names, rules))
    whole.start(0.0)
    expected = all_of(whole)
    assert len(expected) > 2 * AT_ONCE
    for cut in (1, AT_ONCE - 1, AT_ONCE, AT_ONCE + 7):
        again = Match(spec(names, rules))
        again.replay(expected[:cut], ())
        again.start(0.0)
        assert all_of(again) == expected


# -- Wrong answers -------------------------------------------------------------------------------------------------


def rejection(effects: list[Effect]) -> Rejected:
    assert isinstance(effects[0], Rejected)
    return effects[0]


@pytest.mark.parametrize("choice", [-1, -(2**31), 1023, 1024, 2**31 - 1, "", "no such thing", "\0", "x" * 100_000])
def test_an_illegal_answer_says_why_and_leaves_the_decision_open(choice: int | str) -> None:
    match = begun()
    seat = match.asked
    assert seat is not None
    before = match.state.copy()
    assert choice not in before.legal_actions()
    effects = match.answer(seat, Answer(0, choice), 1.0)
    assert len(effects) == 1
    found = rejection(effects)
    assert found.problem is Problem.ILLEGAL_ACTION
    assert found.forgiven_left == 1
    assert 0 < len(found.explanation) < 1000
    assert match.asked == seat and match.state == before
    assert match.deadline() == 8.5, "the clock runs on"


def test_the_illegal_answer_too_many_costs_the_seat() -> None:
    match = begun(spec(forgiven=2))
    seat = match.asked
    assert seat is not None
    for left in (1, 0):
        effects = match.answer(seat, Answer(0, -1), 1.0)
        assert rejection(effects).forgiven_left == left
        assert len(effects) == 1
    effects = match.answer(seat, Answer(0, -1), 1.0)
    assert rejection(effects).forgiven_left == 0
    assert effects[1] == Forfeited(seat, 0, Forfeit.ILLEGAL_ANSWER, "random")
    assert isinstance(effects[2], Played) and effects[2].seat == seat, "the replacement plays on"
    late = match.answer(seat, Answer(match.sequence, 0), 1.0)
    assert rejection(late).problem is Problem.UNKNOWN_MATCH


def test_nothing_is_forgiven_if_so_settled() -> None:
    match = begun(spec(forgiven=0))
    assert match.asked is not None
    effects = match.answer(match.asked, Answer(0, -1), 1.0)
    assert [type(effect) for effect in effects[:2]] == [Rejected, Forfeited]


def test_malformed_messages_have_a_reason_of_their_own() -> None:
    match = begun(spec(forgiven=1))
    assert match.asked is not None
    seat = other(match)
    effects = match.malformed(seat, "an answer needs an action or a text", 1.0)
    assert rejection(effects).problem is Problem.MALFORMED
    effects = match.malformed(seat, "an answer needs an action or a text", 1.0)
    assert [effect for effect in effects if isinstance(effect, Forfeited)] == [
        Forfeited(seat, 0, Forfeit.MALFORMED_MESSAGE, "random")
    ]
    assert match.asked is not None, "the seat that was asked still is"
    assert match.malformed(seat, "again", 1.0) == []


def test_forgiveness_is_counted_by_seat_and_over_all_kinds() -> None:
    match = begun(spec(forgiven=2))
    seat = match.asked
    assert seat is not None
    assert rejection(match.answer(seat, Answer(0, -1), 0.0)).forgiven_left == 1
    assert rejection(match.malformed(seat, "?", 0.0)).forgiven_left == 0
    assert rejection(match.malformed(other(match), "?", 0.0)).forgiven_left == 1


def test_stale_answers_cost_nothing() -> None:
    match = begun()
    seat = match.asked
    assert seat is not None
    answer = legal(match)
    match.answer(seat, answer, 0.0)
    assert match.sequence >= 1
    for _ in range(50):
        effects = match.answer(seat, answer, 0.0)
        assert len(effects) == 1
        assert rejection(effects).problem is Problem.STALE_SEQUENCE
        assert rejection(effects).forgiven_left == 2


def test_future_sequences_and_answers_out_of_turn_cost_forgiveness() -> None:
    match = begun()
    seat = match.asked
    assert seat is not None
    future = rejection(match.answer(seat, Answer(5, 0), 0.0))
    assert (future.problem, future.forgiven_left) == (Problem.MALFORMED, 1)
    out_of_turn = rejection(match.answer(other(match), Answer(0, match.state.legal_actions()[0]), 0.0))
    assert (out_of_turn.problem, out_of_turn.forgiven_left) == (Problem.NOT_YOUR_DECISION, 1)
    assert match.sequence == 0


# -- Time ----------------------------------------------------------------------------------------------------------


def test_the_clock_runs_from_the_handing_over() -> None:
    match = Match(spec())
    for seat in range(3):
        match.came(seat, 0.0)
    assert match.start(0.0) == [Asked(match.state.player, 0)]
    assert match.deadline() is None
    assert match.tick(1e9) == []
    hand_over(match, 100.0)
    assert match.deadline() == 108.5
    assert match.tick(108.0) == []
    assert match.asked is not None
    played = match.answer(match.asked, legal(match), 103.5)[0]
    assert isinstance(played, Played)
    assert played.think == 3.0


def test_sending_an_old_question_starts_no_clock() -> None:
    match = begun()
    seat = match.asked
    assert seat is not None
    match.answer(seat, legal(match), 0.0)
    match.sent(seat, 0, 1.0)
    match.sent(other(match), match.sequence, 1.0)
    assert match.deadline() is None


def test_an_answer_read_before_its_question_was_noted_as_sent_is_fine() -> None:
    match = Match(spec())
    for seat in range(3):
        match.came(seat, 0.0)
    match.start(0.0)
    assert match.asked is not None
    played = match.answer(match.asked, legal(match), 50.0)[0]
    assert isinstance(played, Played)
    assert played.think == 0.0


@pytest.mark.parametrize(
    ("answered", "present", "reason"),
    [
        (True, True, Forfeit.TIMEOUT),
        (False, True, Forfeit.SILENT),
        (True, False, Forfeit.DISCONNECTED),
        (False, False, Forfeit.DISCONNECTED),
    ],
)
def test_out_of_time(answered: bool, present: bool, reason: Forfeit) -> None:
    match = begun(spec(rules=hf.Rules(players=3)))
    first = match.asked
    assert first is not None
    if answered:
        match.answer(first, legal(match), 0.0)
        while match.asked != first:
            assert match.asked is not None
            match.answer(match.asked, legal(match), 0.0)
        hand_over(match, 0.0)
    if not present:
        match.left(first, 1.0)
    before = match.sequence
    assert match.deadline() == 8.5
    assert match.tick(8.25) == []
    effects = match.tick(8.5)
    assert effects[0] == Forfeited(first, before, reason, "random")
    assert isinstance(effects[-1], Asked)
    assert effects[-1].seat != first
    assert match.tick(8.5) == []


def test_an_answer_that_comes_too_late_is_out_of_time_even_before_the_tick() -> None:
    match = begun()
    seat = match.asked
    assert seat is not None
    effects = match.answer(seat, legal(match), 8.75)
    assert effects[0] == Forfeited(seat, 0, Forfeit.SILENT, "random")


def test_an_answer_at_the_last_moment_counts() -> None:
    match = begun()
    seat = match.asked
    assert seat is not None
    played = match.answer(seat, legal(match), 8.5)[0]
    assert isinstance(played, Played)
    assert played.think == 8.0


def test_the_bank_goes_down_and_is_noted_with_each_action() -> None:
    clock = ClockRules(per_decision=0, bank=20, increment=1, grace=0)
    match = begun(spec(clock=clock))
    seat = match.asked
    assert seat is not None
    played = match.answer(seat, legal(match), 4.0)[0]
    assert isinstance(played, Played)
    assert played.bank == 17.0
    while match.asked != seat:
        assert match.asked is not None
        match.answer(match.asked, legal(match), 4.0)
    hand_over(match, 10.0)
    assert match.deadline() == 27.0 + sum(p.seat == seat and p.sequence > 0 and p.bank > 17.0 for p in match.actions)


def test_the_clock_of_a_bot_that_is_away_runs() -> None:
    match = Match(spec())
    assert match.start(5.0) == [Asked(match.state.player, 0)]
    assert match.deadline() == 13.5
    seat = match.asked
    assert seat is not None
    assert match.came(seat, 7.0) == [Asked(seat, 0)]
    hand_over(match, 7.5)
    assert match.deadline() == 13.5, "coming back does not wind the clock up"
    match.left(seat, 8.0)
    assert match.deadline() == 13.5
    match.came(seat, 9.0)
    played = match.answer(seat, legal(match), 9.5)[0]
    assert isinstance(played, Played)
    assert played.think == 4.0


def test_leaving_before_the_question_was_sent_starts_the_clock() -> None:
    match = Match(spec())
    for seat in range(3):
        match.came(seat, 0.0)
    match.start(0.0)
    assert match.asked is not None
    match.left(other(match), 1.0)
    assert match.deadline() is None
    match.left(match.asked, 2.0)
    assert match.deadline() == 10.5


def test_after_a_restart_the_clock_waits_for_absent_bots_for_a_while() -> None:
    match = Match(spec(), patience=60.0)
    match.start(5.0)
    assert match.deadline() == 68.5
    match.tick(60.0)
    assert match.asked is not None
    assert match.tick(68.5)[0] == Forfeited(match.actions[0].seat, 0, Forfeit.DISCONNECTED, "random")


def test_patience_is_over_for_a_bot_that_came_back() -> None:
    match = Match(spec(), patience=60.0)
    match.start(5.0)
    seat = match.asked
    assert seat is not None
    assert match.came(seat, 10.0) == [Asked(seat, 0)]
    assert match.deadline() is None, "its clock runs when the question is handed over"
    hand_over(match, 11.0)
    assert match.deadline() == 19.5
    match.left(seat, 12.0)
    assert match.deadline() == 19.5, "a running clock goes on"


def test_patience_does_not_help_a_bot_that_leaves_later() -> None:
    match = Match(spec(), patience=60.0)
    for seat in range(3):
        match.came(seat, 0.0)
    match.start(0.0)
    assert match.asked is not None
    match.left(match.asked, 90.0)
    assert match.deadline() == 98.5


# -- Giving up, and the end ----------------------------------------------------------------------------------------


def test_end_policy_goes_on_until_one_seat_is_left() -> None:
    match = begun(spec(["anna", "bert", "cora", "dora"]))
    assert match.resign(1, 0.0)[0] == Forfeited(1, 0, Forfeit.RESIGNED, "random")
    assert match.resign(1, 0.0) == [], "once is enough"
    match.resign(3, 0.0)
    assert not match.is_over
    effects = match.resign(0, 0.0)
    ended = effects[-1]
    assert isinstance(ended, Ended)
    assert ended.outcome.reasons == ("forfeit",)
    assert ended.outcome.ranks == (2, 2, 1, 2)
    assert ended.outcome.forfeits == (Forfeit.RESIGNED, Forfeit.RESIGNED, None, Forfeit.RESIGNED)


def test_replace_policy_plays_to_the_end_even_if_nobody_is_left() -> None:
    match = begun(spec(on_forfeit=OnForfeit.REPLACE))
    assert match.asked is not None
    order = [other(match), (match.asked + 2) % 3, match.asked]
    for seat in order[:2]:
        assert match.resign(seat, 0.0) == [Forfeited(seat, 0, Forfeit.RESIGNED, "greedy")]
    effects = match.resign(order[2], 0.0)
    while not match.is_over:
        effects += match.go_on(0.0)
    assert match.state.is_over
    assert replayed(match) == match.state
    assert match.outcome is not None
    assert match.outcome.ranks == (1, 1, 1), "all share the last place, which is the first one"
    assert match.outcome.reasons == tuple(match.state.result()["reasons"])


@pytest.mark.parametrize("gone", [0, 1, 2, 3])
def test_forfeits_come_last_whatever_they_score(gone: int) -> None:
    match = begun(spec(["anna", "bert", "cora", "dora"], seed=11, on_forfeit=OnForfeit.REPLACE))
    match.resign(gone, 0.0)
    play_out(match)
    outcome = match.outcome
    assert outcome is not None
    assert outcome.ranks[gone] == 4
    places = match.state.result()["ranks"]
    standing = [seat for seat in range(4) if seat != gone]
    for seat in standing:
        better = sum(places[rival] < places[seat] for rival in standing)
        assert outcome.ranks[seat] == 1 + better


def test_abort_ends_at_once_and_once() -> None:
    match = begun()
    ended = match.abort(1.0)[0]
    assert isinstance(ended, Ended)
    assert ended.outcome.reasons == ("aborted",)
    assert match.abort(1.0) == []
    assert match.resign(0, 1.0) == []
    assert match.tick(100.0) == []
    assert match.came(0, 1.0) == []
    assert match.malformed(0, "?", 1.0) == []
    assert rejection(match.answer(0, Answer(0, 0), 1.0)).problem is Problem.UNKNOWN_MATCH
    assert match.deadline() is None


def test_the_named_replacement_is_a_built_in_bot() -> None:
    for policy, name in ((OnForfeit.END, "random"), (OnForfeit.REPLACE, "greedy")):
        match = begun(spec(["anna", "bert", "cora", "dora"], on_forfeit=policy))
        assert match.asked is not None
        told = match.resign(other(match), 0.0)
        assert match.forfeits() == told
        assert isinstance(told[0], Forfeited)
        assert told[0].replacement == name


# -- Any event in any state ----------------------------------------------------------------------------------------

FORFEITABLE = (Forfeit.TIMEOUT, Forfeit.SILENT, Forfeit.DISCONNECTED)


class Storm:
    """Random events on a match; what must always hold is checked after each one."""

    def __init__(self, seed: int) -> None:
        draw = self.draw = random.Random(seed)
        game = draw.choice(("teutonica", "hansa"))
        seats = draw.randint(2, 5 if game == "teutonica" else 4)
        names = [draw.choice(("anna", "bert", "cora", "builtin:greedy", "builtin:random")) for _ in range(seats)]
        clock = draw.choice((CLOCK, ClockRules(0, 16, 0.5, 0.25), ClockRules(4, 16, 0, 0)))
        self.spec = spec(
            names,
            hf.Rules(game=game, players=seats, turn_limit=draw.choice((5, 40))),
            seed=seed,
            clock=clock,
            on_forfeit=draw.choice(list(OnForfeit)),
            forgiven=draw.randint(0, 3),
        )
        self.match = Match(self.spec, patience=draw.choice((0.0, 5.0)))
        self.now = 0.0
        self.effects: list[Effect] = []

    def event(self) -> list[Effect]:
        draw, match = self.draw, self.match
        seat = draw.randrange(len(match.seats))
        if match.asked is not None and draw.random() < 0.7:
            seat = match.asked
        self.now += draw.choice((0.0, 0.0, 0.125, 0.5, 2.0, 3.0))
        sequence = max(0, match.sequence + draw.choice((0, 0, 0, 0, 0, 0, 0, 0, -1, 1)))
        kind = draw.choices(
            ("answer", "illegal", "sent", "came", "left", "tick", "malformed", "resign", "abort", "go_on"),
            (60, 4, 20, 6, 3, 8, 2, 0.3, 0.1, 6),
        )[0]
        if kind == "answer":
            state = match.state
            choice: int | str = 0 if state.is_over else draw.choice(state.legal_actions())
            if not state.is_over and draw.random() < 0.3:
                choice = state.describe(int(choice))
            return match.answer(seat, Answer(sequence, choice), self.now)
        if kind == "illegal":
            return match.answer(seat, Answer(sequence, draw.choice((-1, 1023, "nonsense"))), self.now)
        if kind == "malformed":
            return match.malformed(seat, "?", self.now)
        if kind == "sent":
            match.sent(seat, sequence, self.now)
        elif kind == "left":
            match.left(seat, self.now)
        elif kind == "came":
            return match.came(seat, self.now)
        elif kind == "tick":
            return match.tick(self.now)
        elif kind == "resign":
            return match.resign(seat, self.now)
        elif kind == "abort":
            return match.abort(self.now)
        elif kind == "go_on":
            return match.go_on(self.now)
        return []

    def check(self, effects: list[Effect], was_over: bool) -> None:
        match = self.match
        if was_over:
            assert all(isinstance(effect, Rejected) for effect in effects)
            return
        self.effects += effects
        asked = match.asked
        if asked is not None:
            seat = match.seats[asked]
            assert asked == match.state.player
            assert not match.is_over and seat.forfeit is None and seat.bot is None
            assert len(match.state.legal_actions()) > 1
            due = match.deadline()
            assert due is None or due == pytest.approx(
                seat.clock.started + seat.clock.allowed() + self.spec.clock.grace  # type: ignore[operator]
            )
            if not seat.present:
                assert due is not None, "nobody can make the clock of an absent bot run later"
        else:
            assert match.deadline() is None
        assert all(0 <= seat.forgiven <= self.spec.forgiven for seat in match.seats)
        assert match.sequence == len(match.actions)
        questions = [effect for effect in effects if isinstance(effect, Asked)]
        assert len(questions) <= 1
        if questions:
            assert asked is not None
            assert questions == [Asked(asked, match.sequence)] == effects[-1:]
        if any(isinstance(effect, Ended) for effect in effects):
            assert isinstance(effects[-1], Ended)

    def check_story(self) -> None:
        """The effects tell the whole story of the match, without gaps, and the store can take it up."""
        match = self.match
        assert [effect for effect in self.effects if isinstance(effect, Played)] == match.actions
        assert replayed(match) == match.state
        lost = [effect for effect in self.effects if isinstance(effect, Forfeited)]
        assert len({effect.seat for effect in lost}) == len(lost)
        assert {effect.seat: effect.reason for effect in lost} == {
            number: seat.forfeit for number, seat in enumerate(match.seats) if seat.forfeit is not None
        }
        assert sorted(match.forfeits(), key=lambda item: item.seat) == sorted(lost, key=lambda item: item.seat)
        for effect in lost:
            assert effect.reason in {*FORFEITABLE, Forfeit.ILLEGAL_ANSWER, Forfeit.MALFORMED_MESSAGE, Forfeit.RESIGNED}
        again = Match(self.spec)
        again.replay(match.actions, lost)
        assert again.state == match.state
        assert again.actions == match.actions
        assert [seat.clock.bank for seat in again.seats] == [seat.clock.bank for seat in match.seats]
        for mine, theirs in zip(again.seats, match.seats, strict=True):
            assert (mine.forfeit, mine.bot, mine.answered) == (theirs.forfeit, theirs.bot, theirs.answered)


@pytest.mark.parametrize("part", range(8))
def test_any_event_in_any_state(part: int) -> None:
    ends = 0
    reasons: set[Forfeit] = set()
    for seed in range(part * 40, part * 40 + 40):
        storm = Storm(seed)
        storm.check(storm.match.start(0.0), was_over=False)
        for _ in range(storm.draw.choice((20, 200, 2000))):
            was_over = storm.match.is_over
            storm.check(storm.event(), was_over)
            if was_over and storm.draw.random() < 0.2:
                break
        storm.check_story()
        if storm.match.is_over:
            ends += 1
            outcome = storm.match.outcome
            assert outcome is not None
            check_ranks(outcome)
        reasons |= {seat.forfeit for seat in storm.match.seats if seat.forfeit is not None}
    assert ends > 10
    assert len(reasons) >= 5


def check_ranks(outcome: Outcome) -> None:
    """Ranks are places: forfeits share the last one, the others have theirs by the rules."""
    standing = [rank for rank, forfeit in zip(outcome.ranks, outcome.forfeits, strict=True) if forfeit is None]
    gone = [rank for rank, forfeit in zip(outcome.ranks, outcome.forfeits, strict=True) if forfeit is not None]
    assert all(rank == len(standing) + 1 for rank in gone)
    assert all(rank == 1 + sum(other_rank < rank for other_rank in standing) for rank in standing)


# -- Taking up a match ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["teutonica", "hansa"])
@pytest.mark.parametrize("names", [("anna", "bert", "cora"), ("builtin:random", "bert", "builtin:greedy")])
def test_a_match_taken_up_at_any_prefix_ends_the_same(game: str, names: tuple[str, ...]) -> None:
    settled = spec(names, hf.Rules(game=game, players=3, turn_limit=20), clock=ClockRules(0, 100, 0.5, 0))
    whole = begun(settled)
    play_out(whole)
    for cut in range(whole.sequence):
        again = Match(settled)
        again.replay(whole.actions[:cut], ())
        assert again.state == whole.record().state_at(cut)
        again.start(0.0)
        play_out(again)
        assert [(p.seat, p.action) for p in again.actions] == [(p.seat, p.action) for p in whole.actions]
        assert again.outcome == whole.outcome


def test_forfeits_are_taken_up_too() -> None:
    for policy in OnForfeit:
        whole = begun(spec(["anna", "bert", "cora", "dora"], on_forfeit=policy))
        assert whole.asked is not None
        lost = [effect for effect in whole.resign(whole.asked, 0.0) if isinstance(effect, Forfeited)]
        play_out(whole)
        for cut in range(1, whole.sequence):
            again = Match(whole.spec)
            again.replay(whole.actions[:cut], lost)
            again.start(0.0)
            play_out(again)
            assert again.outcome == whole.outcome
            assert [p.action for p in again.actions] == [p.action for p in whole.actions]


def test_a_match_that_forfeits_decided_ends_when_it_is_taken_up() -> None:
    match = Match(spec())
    match.replay((), [Forfeited(seat, 0, Forfeit.RESIGNED, "random") for seat in (0, 2)])
    ended = match.start(0.0)[0]
    assert isinstance(ended, Ended)
    assert ended.outcome.reasons == ("forfeit",)
    assert ended.outcome.ranks == (2, 1, 2)


# -- Records -------------------------------------------------------------------------------------------------------


def test_records_round_trip() -> None:
    match = begun()
    for number in range(200):
        if number % 20 == 0 or match.is_over:
            text = match.record().to_text()
            game = hf.Game.from_text(text)
            assert game.actions == tuple(played.action for played in match.actions)
            assert game.state == match.state
            assert game.to_text() == text
        if match.is_over:
            break
        assert match.asked is not None
        match.answer(match.asked, legal(match), 0.0)
    assert match.is_over
    tags = match.record().tags
    assert match.outcome is not None
    assert [tags[f"Seat {seat}"] for seat in range(3)] == ["anna", "bert", "cora"]
    assert tags["Match"] == "m"
    assert tags["Match ranks"] == " ".join(map(str, match.outcome.ranks))
    assert tags["Match reasons"] == ", ".join(match.outcome.reasons)


def test_records_name_forfeits() -> None:
    match = begun()
    match.resign(1, 0.0)
    match.abort(0.0)
    game = hf.Game.from_text(match.record().to_text())
    assert game.tags["Forfeit 1"] == "resigned"
    assert game.tags["Match reasons"] == "aborted"
