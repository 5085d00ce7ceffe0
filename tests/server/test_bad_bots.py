"""Bots that misbehave: each is a result with its own reason, and everybody else plays on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc
import pytest

from hansa_client.pb.hansa.v1 import game_pb2, match_pb2, play_pb2
from hansa_server import play_service
from hansa_server.errors import TooMuch
from tests.server.bots import Bot, Table, answer, clock, hello, pick, refused, run, short, table, until

Misdeed = Callable[[Table, Bot, str], Awaitable[None]]

REASON = game_pb2.ForfeitReason.Value
CODE = grpc.StatusCode


def run_out(arena: Table, match_id: str) -> None:
    """Let the clock of the open decision run out now, however fast this machine is."""
    live = arena.arena.live[match_id]
    assert live.match.asked is not None
    live.match.seats[live.match.asked].clock.started = -1e9
    arena.arena._tick(live)


async def raw_stream(arena: Table) -> Any:
    """A Play stream that sends and gets bytes."""
    return arena.channel.stream_stream("/hansa.v1.PlayService/Play")()


# -- One bad bot among good ones -----------------------------------------------------------------------------------


async def stall(arena: Table, bad: Bot, match_id: str) -> None:
    await bad.asked()
    run_out(arena, match_id)


async def stall_later(arena: Table, bad: Bot, match_id: str) -> None:
    for _ in range(2):
        request = await bad.asked()
        await bad.say(answer(request, pick(request)))
    await bad.asked()
    run_out(arena, match_id)


async def crash(arena: Table, bad: Bot, match_id: str) -> None:
    await bad.asked()
    bad.drop()
    await until(lambda: "bad" not in arena.arena.sessions)
    run_out(arena, match_id)


async def crash_before_the_question(arena: Table, bad: Bot, match_id: str) -> None:
    bad.drop()
    await until(lambda: "bad" not in arena.arena.sessions)
    await until(lambda: arena.arena.live[match_id].match.asked == 0)
    run_out(arena, match_id)


async def illegal(_arena: Table, bad: Bot, match_id: str) -> None:
    request = await bad.asked()
    wrong: tuple[int | str, ...] = (-1, "sail to Lübeck", 1023, 2**31 - 1)
    for number, choice in enumerate(wrong):
        await bad.say(answer(request, choice))
        await until(lambda number=number: len(bad.rejected) > number)  # type: ignore[misc]
    assert [told.problem for told in bad.rejected] == [play_pb2.ANSWER_PROBLEM_ILLEGAL_ACTION] * 4
    assert [told.forgiven_left for told in bad.rejected] == [2, 1, 0, 0]
    assert all(told.explanation and told.match_id == match_id for told in bad.rejected)


async def malformed(_arena: Table, bad: Bot, match_id: str) -> None:
    request = await bad.asked()
    choice = pick(request)
    for message in (
        answer(request, None),
        play_pb2.PlayRequest(answer=play_pb2.Answer(match_id=match_id, sequence=-1, action=choice)),
        answer(request, choice, evaluation=[1.0] * 6),
        play_pb2.PlayRequest(answer=play_pb2.Answer(match_id=match_id, sequence=2**31 - 1, action=choice)),
    ):
        await bad.say(message)
    await until(lambda: len(bad.rejected) == 4)
    assert [told.problem for told in bad.rejected] == [play_pb2.ANSWER_PROBLEM_MALFORMED] * 4


async def resign(_arena: Table, bad: Bot, match_id: str) -> None:
    await bad.say(play_pb2.PlayRequest(resign=play_pb2.Resign(match_id=match_id)))


async def empty_message(arena: Table, bad: Bot, match_id: str) -> None:
    await bad.asked()
    await bad.say(play_pb2.PlayRequest())
    assert await bad.closed() == CODE.INVALID_ARGUMENT
    run_out(arena, match_id)


async def second_hello(arena: Table, bad: Bot, match_id: str) -> None:
    await bad.asked()
    await bad.say(hello("bad"))
    assert await bad.closed() == CODE.INVALID_ARGUMENT
    run_out(arena, match_id)


async def flood(arena: Table, bad: Bot, match_id: str) -> None:
    request = await bad.asked()
    session = arena.arena.sessions["bad"]
    stale = play_pb2.PlayRequest(answer=play_pb2.Answer(match_id="no such match", sequence=request.sequence, action=1))
    try:
        for _ in range(20_000):
            await bad.say(stale)
    except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
        pass
    await bad.closed()  # a write that fails hides the status from this client
    await until(lambda: session.closed is not None)
    assert isinstance(session.closed, TooMuch)
    assert "messages a second" in str(session.closed)
    run_out(arena, match_id)


async def oversize(arena: Table, bad: Bot, match_id: str) -> None:
    request = await bad.asked()
    await bad.say(answer(request, "x" * 2_000_000))
    assert await bad.closed() == CODE.RESOURCE_EXHAUSTED
    run_out(arena, match_id)


@pytest.mark.parametrize(
    ("misdeed", "reason"),
    [
        (stall, "FORFEIT_REASON_SILENT"),
        (stall_later, "FORFEIT_REASON_TIMEOUT"),
        (crash, "FORFEIT_REASON_DISCONNECTED"),
        (crash_before_the_question, "FORFEIT_REASON_DISCONNECTED"),
        (illegal, "FORFEIT_REASON_ILLEGAL_ANSWER"),
        (malformed, "FORFEIT_REASON_MALFORMED_MESSAGE"),
        (resign, "FORFEIT_REASON_RESIGNED"),
        (empty_message, "FORFEIT_REASON_DISCONNECTED"),
        (second_hello, "FORFEIT_REASON_DISCONNECTED"),
        (flood, "FORFEIT_REASON_DISCONNECTED"),
        (oversize, "FORFEIT_REASON_DISCONNECTED"),
    ],
)
@pytest.mark.parametrize("policy", [match_pb2.FORFEIT_POLICY_END, match_pb2.FORFEIT_POLICY_REPLACE])
def test_one_bad_bot_among_good_ones(misdeed: Misdeed, reason: str, policy: Any, tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path, max_messages_per_second=500, grace=0.0) as arena:
            bad = await arena.bot("bad", lambda _: None)
            good = [await arena.bot(name) for name in ("good1", "good2")]
            match_id = await arena.create(short(3), ["bad", "good1", "good2"], forfeit_policy=policy)
            await misdeed(arena, bad, match_id)
            match = await arena.finished(match_id)
            assert [seat.forfeit for seat in match.result.seats] == [REASON(reason), 0, 0]
            assert match.result.seats[0].rank == 3
            assert list(match.result.reasons) == ["turn limit"], "the game itself was played to its end"
            name = "random" if policy == match_pb2.FORFEIT_POLICY_END else "greedy"
            for bot in good:
                assert await bot.over(match_id) == match.result
                told = bot.stories[match_id].forfeits
                assert [(f.seat, f.reason, f.replacement) for f in told] == [(0, REASON(reason), name)]
                assert not bot.rejected
            await arena.check_health()
            for bot in (bad, *good):
                bot.drop()
            await until(arena.is_quiet)

    run(main())


@pytest.mark.parametrize("policy", [match_pb2.FORFEIT_POLICY_END, match_pb2.FORFEIT_POLICY_REPLACE])
@pytest.mark.parametrize("away", [False, True])
def test_real_clocks_run_out(policy: Any, away: bool, tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            bad = await arena.bot("bad", lambda _: None)
            for rules in (clock(per_decision=0.05), clock(bank=0.05), clock(per_decision=5, bank=0.05, grace=0.01)):
                match_id = await arena.create(short(2), ["bad", "builtin:random"], clock=rules, forfeit_policy=policy)
                if away:
                    bad.drop()
                match = await arena.finished(match_id)
                expected = "DISCONNECTED" if away else "SILENT"
                assert [seat.forfeit for seat in match.result.seats] == [REASON(f"FORFEIT_REASON_{expected}"), 0]
                ended = "forfeit" if policy == match_pb2.FORFEIT_POLICY_END else "turn limit"
                assert list(match.result.reasons) == [ended]
                if away:
                    await bad.closed()
                    await until(arena.is_quiet)
                    await bad.connect()

    run(main())


def test_a_bot_is_not_charged_for_what_it_was_not_sent(tmp_path: Path) -> None:
    """The loop of the server stands still for longer than the clock allows; nobody loses a seat for it."""

    async def main() -> None:
        import time

        async with table(tmp_path) as arena:
            slow = await arena.bot("slow", lambda _: None)
            match_id = await arena.create(short(2), ["slow", "builtin:random"], clock=clock(per_decision=2))
            request = await slow.asked()
            time.sleep(2.2)
            await slow.say(answer(request, pick(request)))
            await until(lambda: arena.arena.live[match_id].match.sequence > request.sequence)
            match = await arena.match(match_id)
            assert match.state == match_pb2.MATCH_STATE_RUNNING

    run(main())


# -- Answers that go wrong -----------------------------------------------------------------------------------------


def test_answers_out_of_order_over_many_matches(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            anna = await arena.bot("anna", lambda _: None)
            ids = [await arena.create(short(2), ["anna", "builtin:greedy"], seed=seed) for seed in range(8)]
            while set(ids) & set(arena.arena.live):
                waiting = [match_id for match_id in ids if match_id in arena.arena.live]
                await until(lambda waiting=waiting: len(anna.open) == len(set(waiting) & set(arena.arena.live)))  # type: ignore[misc]
                requests, anna.open = anna.open[::-1], []
                for request in requests:
                    await anna.say(answer(request, pick(request)))
            for match_id in ids:
                match = await arena.finished(match_id)
                assert not any(seat.forfeit for seat in match.result.seats)
            assert not anna.rejected

    run(main())


def test_wrong_matches_cost_nothing_and_touch_nobody(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path, forgiven=0) as arena:
            anna = await arena.bot("anna", lambda _: None)
            bert = await arena.bot("bert", lambda _: None)
            mine = await arena.create(short(2), ["anna", "builtin:random"])
            theirs = await arena.create(short(2), ["bert", "builtin:random"])
            request = await anna.asked()
            asked = await bert.asked()
            for match_id in (theirs, "", "nope", "x" * 100_000, "\0"):
                wrong = play_pb2.Answer(match_id=match_id, sequence=asked.sequence, action=asked.legal_actions[0])
                await anna.say(play_pb2.PlayRequest(answer=wrong))
                await anna.say(play_pb2.PlayRequest(resign=play_pb2.Resign(match_id=match_id)))
            await until(lambda: len(anna.rejected) == 10)
            assert {told.problem for told in anna.rejected} == {play_pb2.ANSWER_PROBLEM_UNKNOWN_MATCH}
            assert arena.arena.live[theirs].match.sequence == asked.sequence
            assert arena.arena.live[theirs].match.forfeits() == []
            await anna.say(answer(request, pick(request)))
            await until(lambda: arena.arena.live[mine].match.sequence > request.sequence)

    run(main())


def test_replayed_sequences_cost_nothing(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path, forgiven=0) as arena:
            anna = await arena.bot("anna", lambda _: None)
            match_id = await arena.create(short(2), ["anna", "builtin:random"])
            first = await anna.asked()
            for _ in range(30):
                await anna.say(answer(first, pick(first)))
            await until(lambda: len(anna.rejected) == 29)
            assert {told.problem for told in anna.rejected} == {play_pb2.ANSWER_PROBLEM_STALE_SEQUENCE}
            assert {told.sequence for told in anna.rejected} == {first.sequence}
            assert not arena.arena.live[match_id].match.forfeits()
            again = await anna.asked()
            assert again.sequence > first.sequence

    run(main())


def test_answers_before_the_question(tmp_path: Path) -> None:
    """A bot that guesses ahead gets no question of others, and the match stays whole."""

    async def main() -> None:
        async with table(tmp_path, forgiven=1000, max_messages_per_second=100_000) as arena:
            bots = [Bot(arena.channel, name, lambda _: None) for name in ("anna", "bert")]
            for bot in bots:
                await bot.connect()
            match_id = await arena.create(short(2, turns=20), ["anna", "bert"])
            while match_id in arena.arena.live:
                match = arena.arena.live[match_id].match
                if match.asked is None:
                    await asyncio.sleep(0)
                    continue
                for sequence in range(match.sequence, match.sequence + 3):
                    for bot in bots:
                        # Any ids that may be legal: the next ones of both bots arrive in one go.
                        for action in match.state.legal_actions()[:2]:
                            ahead = play_pb2.Answer(match_id=match_id, sequence=sequence, action=action)
                            arena.arena.receive(arena.arena.sessions[bot.name], play_pb2.PlayRequest(answer=ahead))
                await asyncio.sleep(0.001)
            await arena.finished(match_id)
            game = await arena.record(match_id)
            for seat, bot in enumerate(bots):
                await bot.over(match_id)
                story = bot.stories[match_id]
                assert [a.action for a in story.actions] == list(game.actions)
                for request in story.requests:
                    state = game.state_at(request.sequence)
                    assert state.player == seat
                    assert list(request.legal_actions) == state.legal_actions()

    run(main())


# -- Streams that go wrong -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("garbage", [b"\xff", b"\x0a\xff\xff\xff\xff\x0f", b"\x12\x03abc", bytes(range(256))])
@pytest.mark.parametrize("greeted", [False, True])
def test_garbage_ends_the_stream_with_a_clear_status(garbage: bytes, greeted: bool, tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            call = await raw_stream(arena)
            if greeted:
                await call.write(hello("bad").SerializeToString())
                assert await call.read() is not grpc.aio.EOF
            await call.write(garbage)
            assert await call.code() == CODE.INVALID_ARGUMENT
            assert "protobuf" in await call.details()
            await until(arena.is_quiet)
            await arena.check_health()

    run(main())


@pytest.mark.parametrize(
    "first",
    [
        play_pb2.PlayRequest(),
        play_pb2.PlayRequest(goodbye=play_pb2.Goodbye()),
        play_pb2.PlayRequest(answer=play_pb2.Answer(match_id="x", action=1)),
        hello(""),
        hello("a b"),
        hello("ü"),
        hello("x" * 65),
        hello("x" * 50_000),
        hello("builtin:random"),
        hello("anna\n"),
        hello("anna", max_matches=0),
        hello("anna", max_matches=-1),
        hello("anna", games=["chess"]),
        hello("anna", games=["hansa", "x" * 50_000]),
        hello("anna", view_format=9),
        hello("anna", event_delivery=9),
    ],
)
def test_a_stream_begins_with_a_proper_hello(first: play_pb2.PlayRequest, tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            call = await raw_stream(arena)
            await call.write(first.SerializeToString())
            assert await call.code() == CODE.INVALID_ARGUMENT
            assert await call.details()
            assert arena.is_quiet()

    run(main())


def test_a_stream_without_hello_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play_service, "HELLO_TIMEOUT", 0.1)

    async def main() -> None:
        async with table(tmp_path) as arena:
            silent = [await raw_stream(arena) for _ in range(20)]
            for call in silent:
                assert await call.code() == CODE.INVALID_ARGUMENT
            call = await raw_stream(arena)
            await call.done_writing()
            assert await call.code() == CODE.INVALID_ARGUMENT

    run(main())


class Wire:
    """A wire between a bot and the server that can be made to carry nothing while it stays connected."""

    def __init__(self, target: str) -> None:
        host, _, port = target.rpartition(":")
        self._target = (host, int(port))
        self._flows = asyncio.Event()
        self._flows.set()
        self._writers: list[asyncio.StreamWriter] = []

    async def __aenter__(self) -> Wire:
        self._server = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        self.address = f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for writer in self._writers:
            writer.close()

    def freeze(self) -> None:
        self._flows.clear()

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection(*self._target)
        self._writers += [writer, far_writer]
        await asyncio.gather(self._carry(reader, far_writer), self._carry(far_reader, writer))

    async def _carry(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        try:
            while data := await source.read(65536):
                await self._flows.wait()
                sink.write(data)
                await sink.drain()
        except OSError:
            pass
        sink.close()


def test_a_half_open_connection(tmp_path: Path) -> None:
    """The wire is dead but nobody closed it: the clock decides, and a new stream takes the place of the dead one."""

    async def main() -> None:
        async with table(tmp_path) as arena, Wire(arena.server.address) as wire:
            channel = grpc.aio.insecure_channel(wire.address)
            dead = await Bot(channel, "anna", lambda _: None).connect()
            one = await arena.create(short(2), ["anna", "builtin:random"])
            two = await arena.create(short(2), ["anna", "builtin:random"], seed=6)
            await until(lambda: len(dead.open) == 2)
            wire.freeze()
            run_out(arena, one)
            match = await arena.finished(one)
            assert match.result.seats[0].forfeit == game_pb2.FORFEIT_REASON_SILENT
            assert "anna" in arena.arena.sessions
            alive = await arena.bot("anna")
            await alive.over(two)
            match = await arena.finished(two)
            assert not any(seat.forfeit for seat in match.result.seats)
            assert one not in alive.stories
            await channel.close()
            alive.drop()
            await until(arena.is_quiet)

    run(main())


class Reluctant:
    """A bot that says Hello and reads nothing."""

    def __init__(self, arena: Table) -> None:
        # Small windows, so that little is on its way before the server has to wait.
        options = [("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 65536)]
        self.channel = grpc.aio.insecure_channel(arena.server.address, options=options)

    async def connect(self) -> Any:
        channel: Any = self.channel
        self.call = channel.stream_stream("/hansa.v1.PlayService/Play")()
        await self.call.write(hello("slow", view_format=2, texts=True, max_matches=250).SerializeToString())
        return self.call


@pytest.mark.parametrize(
    "settings", [{"outbox_bytes": 200_000, "write_timeout": 3600.0}, {"write_timeout": 0.3}], ids=["bytes", "time"]
)
def test_a_bot_that_reads_nothing_is_cut_off(settings: dict[str, Any], tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path, **settings) as arena:
            slow = Reluctant(arena)
            await slow.connect()
            await until(lambda: "slow" in arena.arena.sessions)
            session = arena.arena.sessions["slow"]
            ids: list[str] = []
            while "slow" in arena.arena.sessions and len(ids) < 240:
                rules = clock(per_decision=0.5)
                try:
                    ids.append(await arena.create(short(2), ["slow", "builtin:random"], clock=rules, seed=len(ids)))
                except grpc.aio.AioRpcError as error:
                    if error.code() != CODE.FAILED_PRECONDITION:
                        raise
                assert session.waiting_bytes <= arena.server.settings.outbox_bytes + 100_000
            await until(lambda: "slow" not in arena.arena.sessions)
            assert session.closed is not None and "too slow" in str(session.closed)
            await arena.check_health()
            for match_id in ids:
                match = await arena.finished(match_id)
                assert match.result.seats[0].forfeit in (
                    game_pb2.FORFEIT_REASON_DISCONNECTED,
                    game_pb2.FORFEIT_REASON_SILENT,
                )
            await slow.channel.close()
            await until(arena.is_quiet)

    run(main())


def test_a_slow_old_stream_does_not_hold_up_the_new_one(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path, write_timeout=0.3) as arena:
            slow = Reluctant(arena)
            await slow.connect()
            await until(lambda: "slow" in arena.arena.sessions)
            ids = [await arena.create(short(2), ["slow", "builtin:random"], seed=seed) for seed in range(40)]
            quick = await arena.bot("slow")
            for match_id in ids:
                await quick.over(match_id)
                match = await arena.finished(match_id)
                assert not any(seat.forfeit for seat in match.result.seats)
            await slow.channel.close()

    run(main())


def test_many_bots_come_and_go_without_leaving_anything(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:

            async def visit(number: int) -> None:
                bot = await arena.bot(f"bot{number}", lambda _: None)
                await arena.create(short(2), [bot.name, "builtin:random"], clock=clock(per_decision=0.05))
                if number % 3 == 0:
                    bot.drop()
                elif number % 3 == 1:
                    await bot._call.done_writing()
                else:
                    await bot.say(play_pb2.PlayRequest())
                await bot.closed()

            for _ in range(3):
                await asyncio.gather(*(visit(number) for number in range(30)))
                await until(arena.is_quiet)
                await until(lambda: not [task for task in asyncio.all_tasks() if "PlayService" in str(task)])
            listed = await arena.matches.ListMatches(match_pb2.ListMatchesRequest(page_size=1000))
            assert len(listed.matches) == 90
            assert all(match.state == match_pb2.MATCH_STATE_FINISHED for match in listed.matches)

    run(main())


def test_too_many_bots(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path, max_streams=3) as arena:
            bots = [await arena.bot(f"bot{number}") for number in range(3)]
            error = await refused(arena.bot("late"))
            assert error.code() == CODE.RESOURCE_EXHAUSTED
            again = await arena.bot("bot1")
            assert await bots[1].closed() == CODE.ABORTED
            again.drop()
            await again.closed()
            await until(lambda: len(arena.arena.sessions) == 2)
            late = await arena.bot("late")
            assert late.welcome is not None

    run(main())


def test_refusals_of_calls_touch_no_match(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            anna = await arena.bot("anna", lambda _: None)
            match_id = await arena.create(short(2), ["anna", "builtin:random"])
            await anna.asked()
            await refused(arena.create(short(2), ["anna", "nobody"]))
            await refused(arena.create(short(5), ["anna"]))
            assert list(arena.arena.live) == [match_id]
            assert arena.arena.sessions["anna"].matches == 1

    run(main())
