"""A server in the process of the test, and bots on raw stubs that note all they are told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import grpc

import hansa_fast as hf
from hansa_client.pb.hansa.v1 import (
    clock_pb2,
    engine_pb2_grpc,
    game_pb2,
    match_pb2,
    match_pb2_grpc,
    play_pb2,
    play_pb2_grpc,
    tournament_pb2_grpc,
    watch_pb2_grpc,
)
from hansa_server.serve import Server
from hansa_server.settings import Settings

T = TypeVar("T")
Choose = Callable[[play_pb2.DecisionRequest], int | str | None]

# A connection that no other channel of this process shares.
OWN_CONNECTION = [("grpc.use_local_subchannel_pool", 1), ("grpc.enable_retries", 0)]
PATIENT = 60.0  # seconds until a test that hangs is given up


def run(main: Coroutine[Any, Any, T], seconds: float = PATIENT) -> T:
    """Run a test to its end, or give it up when it hangs."""
    return asyncio.run(asyncio.wait_for(main, seconds))


async def until(condition: Callable[[], object], what: str = "") -> None:
    """Wait until something is so."""
    for _ in range(int(PATIENT * 200)):
        if condition():
            return
        await asyncio.sleep(0.005)
    raise AssertionError(f"never came: {what or condition}")


def pick(request: play_pb2.DecisionRequest) -> int:
    """A choice that depends on the place in the match only, spread over the legal actions."""
    return request.legal_actions[(request.sequence * 7919 + 13) % len(request.legal_actions)]


def hello(name: str, **options: Any) -> play_pb2.PlayRequest:
    """The first message of a bot."""
    options.setdefault("max_matches", 100)
    return play_pb2.PlayRequest(hello=play_pb2.Hello(name=name, **options))


def answer(request: play_pb2.DecisionRequest, choice: int | str | None, **more: Any) -> play_pb2.PlayRequest:
    """The answer to a decision request."""
    if isinstance(choice, str):
        more["text"] = choice
    elif choice is not None:
        more["action"] = choice
    return play_pb2.PlayRequest(answer=play_pb2.Answer(match_id=request.match_id, sequence=request.sequence, **more))


@dataclass
class Story:
    """What a bot was told about one seat in a match."""

    started: list[play_pb2.MatchStarted] = field(default_factory=list)
    actions: list[game_pb2.PlayedAction] = field(default_factory=list)
    requests: list[play_pb2.DecisionRequest] = field(default_factory=list)
    forfeits: list[play_pb2.SeatForfeited] = field(default_factory=list)
    ended: list[game_pb2.Result] = field(default_factory=list)

    def add(self, actions: Any) -> None:
        """Actions go on without gaps."""
        for action in actions:
            assert action.sequence == len(self.actions), f"{action.sequence} came after {len(self.actions)} actions"
            self.actions.append(action)


class Bot:
    """A bot on a raw stream. `choose` decides; None leaves a request unanswered."""

    def __init__(self, channel: grpc.aio.Channel, name: str, choose: Choose = pick, **options: Any) -> None:
        self.name = name
        self.choose = choose
        self.stories: dict[str, Story] = {}
        self.rejected: list[play_pb2.AnswerRejected] = []
        self.notices: list[play_pb2.Notice] = []
        self.open: list[play_pb2.DecisionRequest] = []  # left unanswered by `choose`
        self.welcome: play_pb2.Welcome | None = None
        self.code: grpc.StatusCode | None = None
        self.details = ""
        self._options = options
        self._channel = channel
        self._call: Any = None
        self._task: asyncio.Task[None] | None = None
        self._writing = asyncio.Lock()  # gRPC takes one message at a time

    async def connect(self, **options: Any) -> Bot:
        """Say Hello and begin to play; again after a lost stream."""
        self.code = None
        self._call = play_pb2_grpc.PlayServiceStub(self._channel).Play()
        await self._call.write(hello(self.name, **{**self._options, **options}))
        first = await self._call.read()
        if first is not grpc.aio.EOF:
            assert first.WhichOneof("message") == "welcome", first
            self.welcome = first.welcome
        self._task = asyncio.create_task(self._play(self._call))
        return self

    async def say(self, message: play_pb2.PlayRequest) -> None:
        """Send anything."""
        async with self._writing:
            await self._call.write(message)

    async def let_go(self) -> None:
        """Answer what was left open, and all that comes."""
        self.choose = pick
        while self.open:
            request = self.open.pop(0)
            await self.say(answer(request, pick(request)))

    def drop(self) -> None:
        """Lose the stream, without a word."""
        self._call.cancel()

    async def closed(self) -> grpc.StatusCode:
        """Wait until the stream is over; returns its status."""
        assert self._task is not None
        await self._task
        assert self.code is not None
        return self.code

    async def over(self, match_id: str) -> game_pb2.Result:
        """Wait for the end of a match."""
        await until(lambda: match_id in self.stories and self.stories[match_id].ended, f"end of {match_id}")
        return self.stories[match_id].ended[0]

    async def asked(self) -> play_pb2.DecisionRequest:
        """Wait for a request that `choose` left unanswered, and take it."""
        await until(lambda: self.open, f"a question for {self.name}")
        return self.open.pop(0)

    async def _play(self, call: Any) -> None:
        try:
            while (message := await call.read()) is not grpc.aio.EOF:
                reply = self.hear(message)
                if reply is not None:
                    async with self._writing:
                        await call.write(reply)
        except (asyncio.CancelledError, grpc.aio.AioRpcError, asyncio.InvalidStateError):
            pass
        self.code = await call.code()
        self.details = await call.details()

    def hear(self, message: play_pb2.PlayResponse) -> play_pb2.PlayRequest | None:
        """Note a message; returns the answer to a decision request."""
        kind = message.WhichOneof("message")
        if kind == "match_started":
            story = self.stories.setdefault(message.match_started.match_id, Story())
            story.started.append(message.match_started)
            story.actions.clear()
            story.add(message.match_started.history)
        elif kind == "match_events":
            story = self.stories[message.match_events.match_id]
            story.add(message.match_events.actions)
            story.forfeits.extend(message.match_events.forfeits)
        elif kind == "decision_request":
            request = message.decision_request
            story = self.stories[request.match_id]
            story.add(request.events)
            story.requests.append(request)
            assert request.sequence == len(story.actions), "a question comes after all that was played"
            choice = self.choose(request)
            if choice is None:
                self.open.append(request)
                return None
            return answer(request, choice)
        elif kind == "answer_rejected":
            self.rejected.append(message.answer_rejected)
        elif kind == "match_ended":
            self.stories[message.match_ended.match_id].ended.append(message.match_ended.result)
        elif kind == "notice":
            self.notices.append(message.notice)
        else:
            raise AssertionError(f"unexpected {kind}")
        return None


class Table:
    """A running server with stubs for all its services."""

    def __init__(self, server: Server, channel: grpc.aio.Channel) -> None:
        self.server = server
        self.arena = server.arena
        self.channel = channel
        self.matches = match_pb2_grpc.MatchServiceStub(channel)
        self.watch = watch_pb2_grpc.WatchServiceStub(channel)
        self.engine = engine_pb2_grpc.EngineServiceStub(channel)
        self.tournaments = tournament_pb2_grpc.TournamentServiceStub(channel)

    async def bot(self, name: str, choose: Choose = pick, **options: Any) -> Bot:
        """A bot that is connected."""
        return await Bot(self.channel, name, choose, **options).connect()

    async def create(self, rules: game_pb2.Rules | None = None, bots: Any = (), **more: Any) -> str:
        """Begin a match; returns its id."""
        more.setdefault("seed", 5)
        request = match_pb2.CreateMatchRequest(rules=rules or short(len(bots)), bots=bots, **more)
        return (await self.matches.CreateMatch(request)).match.match_id

    async def match(self, match_id: str) -> match_pb2.Match:
        """A match as the server has it."""
        return (await self.matches.GetMatch(match_pb2.GetMatchRequest(match_id=match_id))).match

    async def record(self, match_id: str) -> hf.Game:
        """The record of a match."""
        response = await self.matches.GetRecord(match_pb2.GetRecordRequest(match_id=match_id))
        return hf.Game.from_text(response.text)

    async def finished(self, match_id: str) -> match_pb2.Match:
        """Wait for the end of a match; its stored result is what its record replays to."""
        await until(lambda: match_id not in self.arena.live, f"end of {match_id}")
        match = await self.match(match_id)
        assert match.state != match_pb2.MATCH_STATE_RUNNING
        game = await self.record(match_id)
        check_result(match.result, game)
        return match

    def is_quiet(self) -> bool:
        """Whether nothing is left of bots and matches."""
        return not self.arena.sessions and not self.arena.live

    async def check_health(self) -> None:
        """The server still plays: two fresh bots finish a match."""
        bots = [await self.bot(f"healthy{number}") for number in range(2)]
        match_id = await self.create(short(2), [bot.name for bot in bots])
        await self.finished(match_id)
        for bot in bots:
            assert (await bot.over(match_id)).reasons
            bot.drop()
            await bot.closed()
        await until(lambda: not any(name.startswith("healthy") for name in self.arena.sessions))


def short(players: int, game: str = "teutonica", turns: int = 10) -> game_pb2.Rules:
    """Rules of a short game."""
    return game_pb2.Rules(game=game, players=players, turn_limit=turns)


def clock(**seconds: float) -> clock_pb2.ClockRules:
    """Clock rules of plain seconds."""
    rules = clock_pb2.ClockRules()
    for name, value in seconds.items():
        getattr(rules, name).FromNanoseconds(round(value * 1e9))
    return rules


def check_result(result: game_pb2.Result, game: hf.Game) -> None:
    """A result is what the record replays to."""
    state = game.state
    assert result.actions == len(game)
    assert [seat.total for seat in result.seats] == [score["total"] for score in state.scores()]
    for seat, score in zip(result.seats, state.scores(), strict=True):
        assert {entry.category: entry.points for entry in seat.scores} == {
            category: points for category, points in score.items() if category != "total"
        }
    if state.is_over:
        assert list(result.reasons) == state.result()["reasons"]
        if not any(seat.forfeit for seat in result.seats):
            assert [seat.rank for seat in result.seats] == list(state.result()["ranks"])
    else:
        assert list(result.reasons) in (["forfeit"], ["aborted"])


@asynccontextmanager
async def table(tmp_path: Path, **settings: Any) -> AsyncIterator[Table]:
    """A server on a free port. After the test nothing may be left of it: no bot, no match, no task."""
    settings = {
        "address": "127.0.0.1:0",
        "store": str(tmp_path / "arena.db"),
        "stop_grace": 0.0,
        "per_decision": 3600.0,
        **settings,
    }
    before = asyncio.all_tasks()
    server = Server(Settings(**settings))
    await server.start()
    channel = grpc.aio.insecure_channel(server.address, options=OWN_CONNECTION)
    try:
        yield Table(server, channel)
    finally:
        await channel.close()
        await server.stop(0.0)
    left: set[asyncio.Task[Any]] = set()
    for _ in range(1000):  # calls that were cut off come to their end in a moment
        left = {task for task in asyncio.all_tasks() - before if "hansa_server" in _where(task)}
        if not left and not server.arena.sessions:
            break
        await asyncio.sleep(0.01)
    assert not left, f"tasks are left: {left}"
    assert not server.arena.sessions


def _where(task: asyncio.Task[Any]) -> str:
    """The file in which a task was defined."""
    code = getattr(task.get_coro(), "cr_code", None)
    return "" if code is None else str(code.co_filename)


async def refused(call: Awaitable[Any]) -> grpc.aio.AioRpcError:
    """The error of a call that must fail."""
    try:
        answer = await call
    except grpc.aio.AioRpcError as error:
        return error
    raise AssertionError(f"not refused: {answer}")
