"""Whole matches over real sockets."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status

import hansa_fast as hf
from hansa_client.pb.hansa.v1 import game_pb2, match_pb2, play_pb2
from hansa_server import wire
from tests.rows import RULES
from tests.server.bots import Bot, answer, check_result, clock, pick, refused, run, short, table, until

ROWS = list(RULES)
UNKNOWN: Any = 99  # of no enum
NAMES = ["anna", "bert", "cora", "dora", "emil"]


def options_of(number: int) -> dict[str, Any]:
    """Every way in which a bot may want to be told, in turn."""
    return {
        "view_format": number % 3,
        "texts": bool(number & 1),
        "event_delivery": (number // 2) % 2,
    }


def check_stories(bots: Sequence[Bot], match_id: str, game: hf.Game) -> None:
    """All that the bots were told is what happened."""
    played = [(step, state.player, action, text) for step, (state, action, text) in enumerate(game.steps())]
    for bot in bots:
        story = bot.stories[match_id]
        options = bot._options
        assert [(a.sequence, a.seat, a.action) for a in story.actions] == [row[:3] for row in played], bot.name
        assert [a.text for a in story.actions] == [row[3] if options["texts"] else "" for row in played]
        assert len(story.ended) == 1
        check_result(story.ended[0], game)
        seat = story.started[0].seat
        for request in story.requests:
            state = game.state_at(request.sequence)
            assert state.player == seat
            assert list(request.legal_actions) == state.legal_actions()
            assert request.phase == state.phase
            texts = [state.describe(action) for action in state.legal_actions()]
            assert list(request.legal_texts) == (texts if options["texts"] else [])
            form = request.WhichOneof("position")
            if options["view_format"] == play_pb2.VIEW_FORMAT_MESSAGE:
                assert form == "view"
                assert request.view == wire.view_to_proto(state.view(seat))
            elif options["view_format"] == play_pb2.VIEW_FORMAT_JSON:
                assert json.loads(request.view_json) == state.view(seat).to_dict()
            else:
                assert form is None
        asked = {request.sequence for request in story.requests}
        for step, (state, action, _) in enumerate(game.steps()):
            forced = len(state.legal_actions()) == 1
            if state.player == seat:
                assert (step in asked) != forced
                assert forced or action in state.legal_actions()


@pytest.mark.parametrize("part", range(4))
def test_every_row_of_the_options(part: int, tmp_path: Path) -> None:
    """All matches of a part run at once, over the same five streams."""

    async def main() -> None:
        async with table(tmp_path) as arena:
            bots = [await arena.bot(name, **options_of(part + number)) for number, name in enumerate(NAMES)]
            rows = ROWS[part::4]
            begun = []
            for seed, rules in enumerate(rows):
                message = wire.rules_to_proto(rules)
                message.turn_limit = 30 if rules.game == "teutonica" else 0
                begun.append((rules, await arena.create(message, NAMES[: rules.players], seed=seed)))
            for rules, match_id in begun:
                match = await arena.finished(match_id)
                assert match.state == match_pb2.MATCH_STATE_FINISHED
                assert match.rules.board == rules.board
                game = await arena.record(match_id)
                assert game.state.is_over
                seated = bots[: rules.players]
                for bot in seated:
                    await bot.over(match_id)
                check_stories(seated, match_id, game)
                for seat, bot in enumerate(seated):
                    started = bot.stories[match_id].started
                    assert len(started) == 1
                    assert started[0].seat == seat
                    assert list(started[0].players) == NAMES[: rules.players]
                    assert started[0].rules == match.rules
            assert all(not bot.rejected for bot in bots)

    run(main())


def test_a_whole_game_without_a_limit(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            states: dict[str, hf.State] = {}

            def greedy(request: play_pb2.DecisionRequest) -> str:
                rules = hf.Rules(players=3)
                state = hf.State.from_dict(rules, json.loads(request.view_json))
                states[request.match_id] = state
                return state.describe(state.redeal(state.player, 1).choose(request.sequence, "greedy"))

            for name in NAMES[:3]:
                await arena.bot(name, greedy, view_format=play_pb2.VIEW_FORMAT_JSON)
            match = await arena.finished(await arena.create(game_pb2.Rules(players=3), NAMES[:3]))
            assert match.result.reasons
            assert sorted(seat.rank for seat in match.result.seats)[0] == 1
            assert not any(seat.forfeit for seat in match.result.seats)

    run(main())


def test_many_matches_over_one_stream(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            bots = [await arena.bot(name, **options_of(number)) for number, name in enumerate(NAMES[:2])]
            ids = [await arena.create(short(2, turns=15), ["anna", "bert"], seed=seed) for seed in range(40)]
            for match_id in ids:
                await arena.finished(match_id)
                for bot in bots:
                    await bot.over(match_id)
                check_stories(bots, match_id, await arena.record(match_id))
            assert set(bots[0].stories) == set(ids)

    run(main())


def test_a_bot_in_two_seats_is_told_once_for_each(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            seen: list[play_pb2.PlayResponse] = []

            class Double(Bot):
                def hear(self, message: play_pb2.PlayResponse) -> play_pb2.PlayRequest | None:
                    seen.append(message)
                    request = message.decision_request
                    return answer(request, pick(request)) if message.HasField("decision_request") else None

            await Double(arena.channel, "anna", max_matches=1).connect()
            await arena.bot("bert")
            match_id = await arena.create(short(3), ["anna", "bert", "anna"])
            (info,) = [
                bot for bot in (await arena.matches.ListBots(match_pb2.ListBotsRequest())).bots if bot.name == "anna"
            ]
            assert info.running_matches in (0, 1), "two seats are one match"
            match = await arena.finished(match_id)
            game = await arena.record(match_id)
            await until(lambda: sum(message.HasField("match_ended") for message in seen) == 2)
            assert sorted(m.match_started.seat for m in seen if m.HasField("match_started")) == [0, 2]
            assert not any(message.HasField("answer_rejected") for message in seen)
            told: list[game_pb2.PlayedAction] = []
            for message in seen:
                told.extend(message.match_events.actions)
                told.extend(message.decision_request.events)
            for sequence in range(len(game)):
                assert sum(action.sequence == sequence for action in told) == 2, "once for each seat"
            asked = [m.decision_request.sequence for m in seen if m.HasField("decision_request")]
            expected = [
                number
                for number, (state, _, _) in enumerate(game.steps())
                if state.player != 1 and len(state.legal_actions()) > 1
            ]
            assert asked == expected
            assert [seat.forfeit for seat in match.result.seats] == [0, 0, 0]

    run(main())


def test_anonymous_matches_keep_the_names_of_the_others(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            bots = [await arena.bot(name) for name in NAMES[:3]]
            match_id = await arena.create(short(3), NAMES[:3], anonymous=True)
            await arena.finished(match_id)
            for seat, bot in enumerate(bots):
                await bot.over(match_id)
                names = list(bot.stories[match_id].started[0].players)
                assert names == [name if number == seat else "" for number, name in enumerate(NAMES[:3])]

    run(main())


# -- Coming, going and coming back ---------------------------------------------------------------------------------


def test_reconnecting_in_the_middle(tmp_path: Path) -> None:
    """The story is whole, the open decision comes again, the clock goes on."""

    async def main() -> None:
        async with table(tmp_path) as arena:
            silent = False

            def sometimes(request: play_pb2.DecisionRequest) -> int | None:
                return None if silent else pick(request)

            anna = Bot(arena.channel, "anna", sometimes, texts=True, view_format=2, event_delivery=0)
            await anna.connect()
            bert = await arena.bot("bert", texts=False, view_format=1, event_delivery=1)
            silent = True
            match_id = await arena.create(
                short(2, turns=30), ["anna", "bert"], clock=clock(bank=1000, increment=0.5, per_decision=500)
            )
            left = 500.0
            for round_ in range(6):
                request = await anna.asked()
                first = request
                anna.drop()
                await anna.closed()
                await until(lambda: "anna" not in arena.arena.sessions)
                live = arena.arena.live[match_id]
                assert live.match.deadline() is not None, "the clock runs while the bot is away"
                await anna.connect()
                request = await anna.asked()
                story = anna.stories[match_id]
                assert len(story.started) == round_ + 2
                assert len(story.started[-1].history) == request.sequence
                assert request.sequence == first.sequence
                assert list(request.legal_actions) == list(first.legal_actions)
                now = request.clock.decision.ToNanoseconds() / 1e9
                assert now <= first.clock.decision.ToNanoseconds() / 1e9
                assert now <= left
                bank = request.clock.bank.ToNanoseconds() / 1e9
                assert now <= bank <= 1000 + 0.5 * request.sequence
                await anna.say(answer(request, pick(request)))
            request = await anna.asked()
            silent = False
            await anna.say(answer(request, pick(request)))
            await arena.finished(match_id)
            await anna.over(match_id)
            await bert.over(match_id)
            game = await arena.record(match_id)
            story = anna.stories[match_id]
            assert [a.action for a in story.actions] == list(game.actions)
            assert [a.text for a in story.actions] == [text for _, _, text in game.steps()]

    run(main())


def test_the_clock_told_again_is_less_by_what_was_used(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path, grace=0.0) as arena:
            anna = await arena.bot("anna", lambda _: None)
            await arena.create(short(2), ["anna", "builtin:greedy"], clock=clock(bank=100))
            first = await anna.asked()
            live = next(iter(arena.arena.live.values()))
            seat = live.match.asked
            assert seat is not None
            started = live.match.seats[seat].clock
            await until(lambda: started.started is not None)
            assert started.started is not None
            started.started -= 40.0  # as if forty seconds had passed
            await anna.connect()
            again = await anna.asked()
            assert first.clock.bank.ToNanoseconds() == 100e9
            assert 50e9 < again.clock.bank.ToNanoseconds() <= 60e9
            assert again.clock.bank == again.clock.decision

    run(main())


def test_a_second_stream_takes_the_place_of_the_first(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            first = await arena.bot("anna", lambda _: None)
            await arena.bot("bert")
            match_id = await arena.create(short(2), ["anna", "bert"])
            request = await first.asked()
            second = await arena.bot("anna")
            assert await first.closed() == grpc.StatusCode.ABORTED
            assert "newer stream" in first.details
            await second.over(match_id)
            assert len(second.stories[match_id].started) == 1
            assert second.stories[match_id].requests[0].sequence == request.sequence
            await arena.finished(match_id)
            third = await arena.bot("anna")
            assert await second.closed() == grpc.StatusCode.ABORTED
            assert list(arena.arena.sessions) == ["bert", "anna"] or set(arena.arena.sessions) == {"anna", "bert"}
            assert third.code is None

    run(main())


def test_streams_of_one_name_replace_each_other_in_order(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            await arena.bot("bert", lambda _: None)
            line = [await arena.bot("anna", lambda _: None)]
            match_id = await arena.create(short(2), ["anna", "bert"])
            line += [await arena.bot("anna", lambda _: None) for _ in range(10)]
            for old in line[:-1]:
                assert await old.closed() == grpc.StatusCode.ABORTED
            last = line[-1]
            assert last.code is None
            await until(lambda: match_id in last.stories)
            assert arena.arena.live[match_id].match.seats[0].present

    run(main())


def test_goodbye_ends_the_stream_after_the_last_match(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            anna = await arena.bot("anna", lambda _: None)
            await arena.bot("bert")
            match_id = await arena.create(short(2), ["anna", "bert"])
            await anna.say(play_pb2.PlayRequest(goodbye=play_pb2.Goodbye()))
            request = await anna.asked()
            await until(lambda: arena.arena.sessions["anna"].leaving)
            error = await refused(arena.create(short(2), ["anna", "bert"]))
            assert error.code() == grpc.StatusCode.FAILED_PRECONDITION
            anna.choose = pick
            await anna.say(answer(request, pick(request)))
            assert await anna.closed() == grpc.StatusCode.OK
            assert anna.stories[match_id].ended
            await arena.finished(match_id)
            await until(lambda: "anna" not in arena.arena.sessions)
            quick = await arena.bot("cora")
            await quick.say(play_pb2.PlayRequest(goodbye=play_pb2.Goodbye()))
            assert await quick.closed() == grpc.StatusCode.OK

    run(main())


def test_an_end_of_sending_is_leaving(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            anna = await arena.bot("anna")
            await anna._call.done_writing()
            assert await anna.closed() == grpc.StatusCode.OK
            assert not arena.arena.sessions

    run(main())


def test_resigning(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            anna = await arena.bot("anna", lambda _: None)
            bert = await arena.bot("bert")
            cora = await arena.bot("cora", event_delivery=play_pb2.EVENT_DELIVERY_WITH_DECISIONS)
            match_id = await arena.create(short(3), ["anna", "bert", "cora"])
            resign = play_pb2.PlayRequest(resign=play_pb2.Resign(match_id=match_id))
            await anna.asked()
            await anna.say(resign)
            match = await arena.finished(match_id)
            assert [seat.forfeit for seat in match.result.seats] == [game_pb2.FORFEIT_REASON_RESIGNED, 0, 0]
            assert match.result.seats[0].rank == 3
            for bot in (anna, bert, cora):
                assert (await bot.over(match_id)) == match.result
                assert [(f.seat, f.reason, f.replacement) for f in bot.stories[match_id].forfeits] == [
                    (0, game_pb2.FORFEIT_REASON_RESIGNED, "random")
                ]
                assert len(bot.stories[match_id].actions) == match.actions
            await anna.say(resign)  # messages may cross
            await until(lambda: anna.rejected)
            assert anna.rejected[0].problem == play_pb2.ANSWER_PROBLEM_UNKNOWN_MATCH
            assert anna.code is None, "the stream stays"

    run(main())


# -- Arranging matches ---------------------------------------------------------------------------------------------


def test_a_bot_plays_as_many_matches_as_it_takes(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path, max_matches_per_bot=3) as arena:
            anna = await arena.bot("anna", lambda _: None, max_matches=2)
            bert = await arena.bot("bert", lambda _: None, max_matches=1000)
            assert anna.welcome is not None and anna.welcome.max_matches == 2
            assert bert.welcome is not None and bert.welcome.max_matches == 3
            first = await arena.create(short(2), ["anna", "bert"])
            await arena.create(short(2), ["anna", "bert"])
            error = await refused(arena.create(short(2), ["anna", "bert"]))
            assert error.code() == grpc.StatusCode.FAILED_PRECONDITION
            assert "anna" in str(error.details())
            await arena.create(short(2), ["builtin:random", "bert"])
            assert (await refused(arena.create(short(2), ["builtin:random", "bert"]))).code() == error.code()
            await arena.matches.AbortMatch(match_pb2.AbortMatchRequest(match_id=first))
            await arena.create(short(2), ["anna", "bert"])

    run(main())


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("builtin:planer", "did you mean planner"),
        ("builtin:planner:depth=3", "'depth' is no setting of planner"),
        ("builtin:playouts", "thinks too long to be built in; there are builtin:random"),
    ],
)
def test_only_quick_bots_are_built_in(tmp_path: Path, name: str, problem: str) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            error = await refused(arena.create(short(2), ["builtin:planner", name]))
            assert error.code() == grpc.StatusCode.INVALID_ARGUMENT
            assert problem in str(error.details())
            assert await arena.create(short(2), ["builtin:planner", "builtin:greedy"])

    run(main())


def test_one_request_makes_one_match(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            bots = ["builtin:random", "builtin:greedy"]
            first = await arena.create(short(2), bots, request_id="r1")
            assert await arena.create(short(2), bots, request_id="r1") == first
            assert await arena.create(short(2), bots, request_id="r2") != first
            assert await arena.create(short(2), bots) != await arena.create(short(2), bots)
            listed = (await arena.matches.ListMatches(match_pb2.ListMatchesRequest())).matches
            assert len(listed) == 4
            assert (await refused(arena.create(short(2), bots, request_id="x" * 65))).code() == (
                grpc.StatusCode.INVALID_ARGUMENT
            )

    run(main())


def test_validate_only_begins_nothing(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            bots = ["builtin:random", "builtin:greedy"]
            request = match_pb2.CreateMatchRequest(bots=bots, validate_only=True, request_id="r")
            match = (await arena.matches.CreateMatch(request)).match
            assert match.match_id == ""
            assert match.rules.board and match.rules.players == 2
            request.bots[0] = "nobody"
            assert (await refused(arena.matches.CreateMatch(request))).code() == grpc.StatusCode.FAILED_PRECONDITION
            assert not (await arena.matches.ListMatches(match_pb2.ListMatchesRequest())).matches
            assert arena.is_quiet()

    run(main())


def field_of(error: grpc.aio.AioRpcError) -> str:
    """The field that a refusal names."""
    status = rpc_status.from_call(error)  # type: ignore[arg-type]
    assert status is not None
    for detail in status.details:
        bad = error_details_pb2.BadRequest()
        if detail.Unpack(bad):
            assert bad.field_violations[0].description
            return str(bad.field_violations[0].field)
    raise AssertionError(f"no field is named: {error}")


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (match_pb2.CreateMatchRequest(bots=["builtin:random"]), "players"),
        (match_pb2.CreateMatchRequest(rules=short(3), bots=["builtin:random"] * 2), "bots"),
        (match_pb2.CreateMatchRequest(rules=game_pb2.Rules(game="chess"), bots=["builtin:random"] * 2), "game"),
        (match_pb2.CreateMatchRequest(bots=["builtin:clever"] * 2), "bots"),
        (match_pb2.CreateMatchRequest(bots=["builtin:random"] * 2, clock=clock()), "clock"),
        (match_pb2.CreateMatchRequest(bots=["builtin:random"] * 2, clock=clock(bank=-1)), "clock.bank"),
        (match_pb2.CreateMatchRequest(bots=["builtin:random"] * 2, forfeit_policy=UNKNOWN), "forfeit_policy"),
        (match_pb2.CreateMatchRequest(rules=game_pb2.Rules(turn_limit=-1), bots=["builtin:random"] * 2), "turn_limit"),
        (match_pb2.CreateMatchRequest(rules=game_pb2.Rules(players=-3), bots=["builtin:random"] * 2), "players"),
    ],
)
def test_senseless_matches_name_the_field(request_: match_pb2.CreateMatchRequest, field: str, tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            error = await refused(arena.matches.CreateMatch(request_))
            assert error.code() == grpc.StatusCode.INVALID_ARGUMENT
            assert field_of(error) == field

    run(main())


def test_bots_that_cannot_play(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            await arena.bot("anna", games=["hansa"])
            for rules, names in ((short(2), ["anna", "builtin:random"]), (short(2, "hansa"), ["anna", "gone"])):
                error = await refused(arena.create(rules, names))
                assert error.code() == grpc.StatusCode.FAILED_PRECONDITION
            await arena.finished(await arena.create(short(2, "hansa"), ["anna", "builtin:random"]))

    run(main())


def test_pages(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            for number in range(7):
                await arena.bot(f"bot{number}", version=f"v{number}", games=["hansa", "teutonica"])
            ids = [await arena.create(short(2), ["builtin:random"] * 2, seed=seed) for seed in range(7)]
            await until(lambda: not arena.arena.live)
            listed: list[str] = []
            token, pages = "", 0
            while pages == 0 or token:
                request = match_pb2.ListMatchesRequest(page_size=3, page_token=token)
                page = await arena.matches.ListMatches(request)
                listed += [match.match_id for match in page.matches]
                token, pages = page.next_page_token, pages + 1
            assert listed == ids[::-1]
            assert pages == 3
            names: list[str] = []
            token, pages = "", 0
            while pages == 0 or token:
                bots = await arena.matches.ListBots(match_pb2.ListBotsRequest(page_size=3, page_token=token))
                names += [bot.name for bot in bots.bots]
                token, pages = bots.next_page_token, pages + 1
                for bot in bots.bots:
                    assert (bot.version, list(bot.games)) == ("v" + bot.name[-1], ["hansa", "teutonica"])
            assert names == [f"bot{number}" for number in range(7)]
            finished = match_pb2.ListMatchesRequest(state=match_pb2.MATCH_STATE_FINISHED)
            assert len((await arena.matches.ListMatches(finished)).matches) == 7
            running = match_pb2.ListMatchesRequest(state=match_pb2.MATCH_STATE_RUNNING)
            assert not (await arena.matches.ListMatches(running)).matches
            for bad in ("x", "-1", "9" * 30, "9" * 5000, "²"):
                error = await refused(arena.matches.ListMatches(match_pb2.ListMatchesRequest(page_token=bad)))
                assert error.code() == grpc.StatusCode.INVALID_ARGUMENT
            for negative in (
                arena.matches.ListMatches(match_pb2.ListMatchesRequest(page_size=-1)),
                arena.matches.ListBots(match_pb2.ListBotsRequest(page_size=-1)),
                arena.matches.ListMatches(match_pb2.ListMatchesRequest(state=UNKNOWN)),
            ):
                assert (await refused(negative)).code() == grpc.StatusCode.INVALID_ARGUMENT

    run(main())


def test_aborting(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            anna = await arena.bot("anna", lambda _: None)
            match_id = await arena.create(short(2), ["anna", "builtin:random"])
            request = await anna.asked()
            abort = match_pb2.AbortMatchRequest(match_id=match_id)
            match = (await arena.matches.AbortMatch(abort)).match
            assert match.state == match_pb2.MATCH_STATE_ABORTED
            assert list(match.result.reasons) == ["aborted"]
            assert match.HasField("end_time")
            assert (await anna.over(match_id)) == match.result
            assert (await refused(arena.matches.AbortMatch(abort))).code() == grpc.StatusCode.FAILED_PRECONDITION
            unknown = match_pb2.AbortMatchRequest(match_id="nope")
            assert (await refused(arena.matches.AbortMatch(unknown))).code() == grpc.StatusCode.NOT_FOUND
            await anna.say(answer(request, pick(request)))
            await until(lambda: anna.rejected)
            assert anna.rejected[0].problem == play_pb2.ANSWER_PROBLEM_UNKNOWN_MATCH
            await arena.finished(match_id)

    run(main())


def test_built_in_bots_do_not_hold_up_the_others(tmp_path: Path) -> None:
    """Two random bots without a turn limit play for very long; everybody else goes on meanwhile."""

    async def main() -> None:
        async with table(tmp_path) as arena:
            endless = await arena.create(game_pb2.Rules(players=2), ["builtin:random"] * 2)
            await arena.check_health()
            assert endless in arena.arena.live
            match = (await arena.matches.AbortMatch(match_pb2.AbortMatchRequest(match_id=endless))).match
            assert match.state == match_pb2.MATCH_STATE_ABORTED
            assert match.actions > 0
            await arena.finished(endless)

    run(main())


def test_the_same_seed_is_the_same_match(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            for name in NAMES[:3]:
                await arena.bot(name)
            top = 2**64 - 1
            ids = [await arena.create(short(3, "hansa"), NAMES[:3], seed=seed) for seed in (9, 9, 0, top, top)]
            games = []
            for match_id in ids:
                await arena.finished(match_id)
                games.append((await arena.record(match_id)).actions)
            assert games[0] == games[1]
            assert games[3] == games[4]
            assert len(set(games)) == 3

    run(main())


@pytest.mark.parametrize("match_id", ["", "nope", "x" * 20_000, "ü" * 9_000, "a\nb", "\0"])
def test_unknown_matches(match_id: str, tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            for call in (
                arena.matches.GetMatch(match_pb2.GetMatchRequest(match_id=match_id)),
                arena.matches.GetRecord(match_pb2.GetRecordRequest(match_id=match_id)),
                arena.matches.AbortMatch(match_pb2.AbortMatchRequest(match_id=match_id)),
            ):
                error = await refused(call)
                assert error.code() == grpc.StatusCode.NOT_FOUND
                assert rpc_status.from_call(error) is not None  # type: ignore[arg-type]

    run(main())
