"""Watching: the whole story for everybody, nothing hidden for anybody, and nobody waits for a slow watcher."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import grpc
import pytest

import hansa_fast as hf
from hansa_client.pb.hansa.v1 import game_pb2, match_pb2, play_pb2, watch_pb2
from hansa_server import wire
from hansa_server.watch_service import MOST_ACTIONS
from tests.server.bots import OWN_CONNECTION, Bot, Table, answer, clock, pick, refused, run, short, table, until


class Watcher:
    """Somebody who watches a match and notes all."""

    def __init__(self, arena: Table, match_id: str, **options: Any) -> None:
        self.first: match_pb2.Match | None = None
        self.actions: list[watch_pb2.WatchedAction] = []
        self.forfeits: list[tuple[int, int, str]] = []
        self.views: dict[int, Any] = {}  # by the number of actions before
        self.result: game_pb2.Result | None = None
        self.begin = options.get("from_sequence", 0)
        self.call = arena.watch.WatchMatch(watch_pb2.WatchMatchRequest(match_id=match_id, **options))
        self.task = asyncio.create_task(self._watch())

    async def _watch(self) -> None:
        async for message in self.call:
            assert self.result is None, "the result is in the last message"
            if self.first is None:
                self.first = message.match
                continue
            assert not message.HasField("match")
            self.actions.extend(message.actions)
            self.forfeits += [(item.seat, item.reason, item.replacement) for item in message.forfeits]
            form = message.WhichOneof("position")
            if form is not None and self.actions:
                self.views[self.actions[-1].action.sequence + 1] = getattr(message, form)
            if message.HasField("result"):
                self.result = message.result

    def check(self, game: hf.Game, match: match_pb2.Match, *, texts: bool = False) -> None:
        """What was seen is what happened."""
        assert self.first is not None and self.first.match_id == match.match_id
        begin = self.actions[0].action.sequence if self.actions else len(game)
        told = [(item.action.sequence, item.action.seat, item.action.action, item.action.text) for item in self.actions]
        assert told == [
            (number, state.player, action, text if texts else "")
            for number, (state, action, text) in enumerate(game.steps())
            if number >= begin
        ]
        assert self.result == match.result


@pytest.mark.parametrize("game", ["teutonica", "hansa"])
@pytest.mark.parametrize("view_format", [0, 1, 2])
def test_from_the_beginning_from_the_middle_and_from_now(game: str, view_format: Any, tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            held = True
            anna = await arena.bot("anna", lambda request: None if held and request.sequence > 12 else pick(request))
            await arena.bot("bert")
            rules = game_pb2.Rules(game=game, turn_limit=20)
            rules.missions = game == "teutonica"
            rules.edition = "big-box" if game == "teutonica" else "2004"
            rules.players = 3
            await arena.bot("cora")
            match_id = await arena.create(rules, ["anna", "bert", "cora"])
            early = Watcher(arena, match_id, view_format=view_format, texts=True)
            request = await anna.asked()
            late = Watcher(arena, match_id, view_format=view_format)
            middle = Watcher(arena, match_id, from_sequence=5, view_format=view_format)
            now = Watcher(arena, match_id, from_sequence=-1)
            ahead = Watcher(arena, match_id, from_sequence=10_000)
            watchers = (early, late, middle, now, ahead)
            await until(lambda: all(watcher.first for watcher in watchers))
            await until(lambda: len(late.actions) == request.sequence)
            held = False
            await anna.say(answer(request, pick(request)))
            match = await arena.finished(match_id)
            record = await arena.record(match_id)
            after = Watcher(arena, match_id, view_format=view_format, texts=True)
            tail = Watcher(arena, match_id, from_sequence=len(record) - 1)
            for watcher in (*watchers, after, tail):
                await watcher.task
                watcher.check(record, match, texts=watcher in (early, after))
                assert await watcher.call.code() == grpc.StatusCode.OK
            assert [len(watcher.actions) for watcher in (early, late, middle, now, ahead, after, tail)] == [
                len(record),
                len(record),
                len(record) - 5,
                len(record) - request.sequence,
                len(record) - request.sequence,
                len(record),
                1,
            ]
            for watcher in (early, late, middle, after):
                assert bool(watcher.views) == bool(view_format)
                for number, view in watcher.views.items():
                    expected = record.state_at(number).view(None)
                    if view_format == play_pb2.VIEW_FORMAT_MESSAGE:
                        assert view == wire.view_to_proto(expected)
                    else:
                        assert json.loads(view) == expected.to_dict()

    run(main())


async def rest(call: Any) -> list[watch_pb2.WatchMatchResponse]:
    """What is still to come."""
    found = []
    while (message := await call.read()) is not grpc.aio.EOF:
        found.append(message)
    return found


@pytest.mark.parametrize("game", ["teutonica", "hansa"])
def test_hidden_things_are_hidden(game: str, tmp_path: Path) -> None:
    """Missions, piles and drawn markers are in no message; nor is the seed, from which they follow."""

    async def main() -> None:
        async with table(tmp_path) as arena:
            secret = 1234567891234567
            held = True
            anna = await arena.bot("anna", lambda request: None if held else pick(request))
            await arena.bot("bert")
            rules = game_pb2.Rules(game=game, players=2, turn_limit=80)
            names = ["anna", "bert"]
            if game == "teutonica":
                rules.edition, rules.missions, rules.favours, rules.players = "big-box", True, True, 3
                await arena.bot("cora")
                names.append("cora")
            match_id = await arena.create(rules, names, seed=secret)
            request = await anna.asked()
            calls = [
                arena.watch.WatchMatch(watch_pb2.WatchMatchRequest(match_id=match_id, view_format=form, texts=True))
                for form in (play_pb2.VIEW_FORMAT_MESSAGE, play_pb2.VIEW_FORMAT_JSON)
            ]
            for call in calls:
                first: Any = await call.read()
                assert first.match.match_id == match_id
            held = False
            await anna.say(answer(request, pick(request)))
            structured, plain = [await rest(call) for call in calls]
            assert str(secret) not in str([*structured, *plain])
            views = [json.loads(message.view_json) for message in plain]
            open_views = [view for view in views if view["player"] is not None]
            assert len(open_views) > 20
            for view in open_views:
                if game == "hansa":
                    assert {marker for pile in view["piles"] for marker in pile} <= {"hidden"}
                else:
                    assert set(view["pile"]) <= {"hidden"}
                    assert set(view["plate"]) <= {"hidden"}
                    assert {player["mission"] for player in view["players"]} == {"hidden"}
            for message in structured[:-1]:
                for player in message.view.teutonica.players:
                    assert not player.mission

    run(main())


def test_what_bots_say_is_seen(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            anna = await arena.bot("anna", lambda _: None)
            match_id = await arena.create(short(2, turns=2), ["anna", "builtin:random"])
            watcher = Watcher(arena, match_id)
            request = await anna.asked()
            anna.choose = pick
            await anna.say(answer(request, pick(request), evaluation=[1.5, -2.0], comment="ü" * 300))
            await arena.finished(match_id)
            await watcher.task
            after = Watcher(arena, match_id)
            await after.task
            for seen in (watcher, after):
                (said,) = [item for item in seen.actions if item.comment]
                assert said.action.sequence == request.sequence
                assert list(said.evaluation) == [1.5, -2.0]
                assert said.comment == "ü" * 280
                assert said.think_time.ToNanoseconds() >= 0

    run(main())


def test_forfeits_are_seen_by_their_names(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            anna = await arena.bot("anna", lambda _: None)
            await arena.bot("bert")
            match_id = await arena.create(short(3), ["anna", "bert", "builtin:greedy"])
            watcher = Watcher(arena, match_id)
            await anna.asked()
            await anna.say(play_pb2.PlayRequest(resign=play_pb2.Resign(match_id=match_id)))
            await arena.finished(match_id)
            after = Watcher(arena, match_id)
            for seen in (watcher, after):
                await seen.task
                assert seen.forfeits == [(0, game_pb2.FORFEIT_REASON_RESIGNED, "random")]

    run(main())


def test_a_delay_holds_back_everything(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            anna = await arena.bot("anna", lambda _: None)
            bert = await arena.bot("bert", lambda _: None)
            match_id = await arena.create(short(2), ["anna", "bert"])
            delay = clock(grace=3600).grace
            watcher = Watcher(arena, match_id, delay=delay)
            await until(lambda: watcher.first)
            for _ in range(3):
                await until(lambda: anna.open or bert.open)
                bot = anna if anna.open else bert
                request = bot.open.pop()
                await bot.say(answer(request, pick(request)))
            await until(lambda: anna.open or bert.open)
            await anna.say(play_pb2.PlayRequest(resign=play_pb2.Resign(match_id=match_id)))
            match = await arena.finished(match_id)
            assert match.result.reasons == ["forfeit"]
            late = Watcher(arena, match_id)
            await late.task
            assert late.result == match.result, "who comes after the end sees all of it"
            await asyncio.sleep(0.1)
            assert watcher.first is not None
            assert watcher.first.actions == 0
            assert not watcher.actions and not watcher.forfeits and watcher.result is None
            watcher.task.cancel()

    run(main())


def test_a_delayed_story_is_whole(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path, watch_delay=0.3) as arena:
            await arena.bot("anna")
            await arena.bot("bert")
            begin = arena.arena.clock.now()
            match_id = await arena.create(short(2, turns=6), ["anna", "bert"])
            watcher = Watcher(arena, match_id, view_format=2)
            await until(lambda: watcher.first)
            match = await arena.finished(match_id)
            if arena.arena.clock.now() - begin < 0.3:
                assert not watcher.actions and watcher.result is None
            await watcher.task
            assert arena.arena.clock.now() - begin >= 0.3
            watcher.check(await arena.record(match_id), match)

    run(main())


@pytest.mark.parametrize(
    "options",
    [
        {"from_sequence": -2},
        {"view_format": 9},
        {"delay": clock(grace=10**9).grace},
        {"delay": clock(grace=-1).grace},
    ],
)
def test_senseless_requests(options: dict[str, Any], tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            match_id = await arena.create(short(2), ["builtin:random"] * 2)
            call = arena.watch.WatchMatch(watch_pb2.WatchMatchRequest(match_id=match_id, **options))
            assert (await refused(call.read())).code() == grpc.StatusCode.INVALID_ARGUMENT
            unknown = arena.watch.WatchMatch(watch_pb2.WatchMatchRequest(match_id="nope"))
            assert (await refused(unknown.read())).code() == grpc.StatusCode.NOT_FOUND

    run(main())


def test_all_matches(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            anna = await arena.bot("anna", lambda _: None)
            running = await arena.create(short(2), ["anna", "builtin:random"])
            await anna.asked()
            seen: dict[bool, list[tuple[str, int]]] = {True: [], False: []}

            async def watch(include: bool) -> None:
                request = watch_pb2.WatchMatchesRequest(include_running=include)
                async for message in arena.watch.WatchMatches(request):
                    seen[include].append((message.match.match_id, message.match.state))

            tasks = [asyncio.create_task(watch(include)) for include in (True, False)]
            await until(lambda: seen[True])
            await until(lambda: len(arena.server.edge._streams) == 3)
            ids = [await arena.create(short(2), ["builtin:random"] * 2, seed=seed) for seed in range(5)]
            await arena.matches.AbortMatch(match_pb2.AbortMatchRequest(match_id=running))
            await until(lambda: all(len(seen[include]) >= 11 + include for include in seen))
            state = match_pb2.MatchState.Value
            assert seen[True][0] == (running, state("MATCH_STATE_RUNNING"))
            for include in (True, False):
                assert seen[include][-1] == (running, state("MATCH_STATE_ABORTED"))
                for match_id in ids:
                    told = [now for which, now in seen[include] if which == match_id]
                    assert len(told) == 2, "once when it began, once when it ended"
                    assert told[-1] == state("MATCH_STATE_FINISHED")
            for task in tasks:
                task.cancel()

    run(main())


def test_a_watcher_that_does_not_read_is_cut_off(tmp_path: Path) -> None:
    """It holds up nobody, needs no memory, and may come again for the rest."""

    async def main() -> None:
        async with table(tmp_path, write_timeout=0.3) as arena:
            options = [*OWN_CONNECTION, ("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 65536)]
            channel = grpc.aio.insecure_channel(arena.server.address, options)
            endless = await arena.create(game_pb2.Rules(players=2), ["builtin:random"] * 2)
            await until(lambda: arena.arena.live[endless].shown > 20 * MOST_ACTIONS)
            await arena.matches.AbortMatch(match_pb2.AbortMatchRequest(match_id=endless))
            watch = channel.unary_stream(
                "/hansa.v1.WatchService/WatchMatch",
                request_serializer=watch_pb2.WatchMatchRequest.SerializeToString,
                response_deserializer=watch_pb2.WatchMatchResponse.FromString,
            )
            json_form = play_pb2.VIEW_FORMAT_JSON
            call = watch(watch_pb2.WatchMatchRequest(match_id=endless, texts=True, view_format=json_form))
            got = 0
            await until(lambda: arena.server.edge._streams)
            await until(lambda: not arena.server.edge._streams)
            await arena.check_health()
            try:
                async for message in call:
                    got += len(message.actions)
            except grpc.aio.AioRpcError:
                pass
            assert await call.code() in (grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.CANCELLED)
            match = await arena.match(endless)
            assert got < match.actions
            again = Watcher(arena, endless, from_sequence=got)
            await again.task
            assert len(again.actions) == match.actions - got
            assert again.result == match.result
            await channel.close()

    run(main())


def test_watchers_that_leave_are_forgotten(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path, max_streams_per_token=100) as arena:
            anna = await Bot(arena.channel, "anna", lambda _: None).connect()
            match_id = await arena.create(short(2), ["anna", "builtin:random"])
            await anna.asked()
            watchers = [Watcher(arena, match_id) for _ in range(50)]
            await until(lambda: all(watcher.first for watcher in watchers))
            assert len(arena.server.edge._streams) == 51
            for watcher in watchers:
                watcher.call.cancel()
            await until(lambda: len(arena.server.edge._streams) == 1)
            await asyncio.gather(*(watcher.task for watcher in watchers), return_exceptions=True)

    run(main())
