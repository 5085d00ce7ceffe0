"""Kill the server at random moments, again and again: no match may be lost, doubled or changed by it.

`python -m tests.server.restart --minutes 30` does it for longer. Bots decide by the place in the match only, so what an
unbroken run of the same seeds leads to is known beforehand.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import grpc

import hansa_fast as hf
from hansa_client.pb.hansa.v1 import game_pb2, match_pb2, match_pb2_grpc, play_pb2, play_pb2_grpc
from hansa_server import wire
from hansa_server.match import Answer, Match, MatchSpec
from hansa_server.serve import Server, set_up_logging
from hansa_server.settings import Settings
from tests.server.bots import OWN_CONNECTION, answer, check_result, hello, pick

ROOT = Path(__file__).parents[2]
BOTS = ("anna", "bert", "cora")
OPTIONS: dict[str, dict[str, Any]] = {
    "anna": {"view_format": 1},
    "bert": {"texts": True},
    "cora": {"event_delivery": 1, "view_format": 2},
}
BEFORE_LISTENING = -1
SILENCE = 5.0  # seconds


async def serve(store: str) -> None:
    """The server that is killed. Says on standard output where it listens."""
    settings = Settings(
        address="127.0.0.1:0", store=store, per_decision=3600.0, reconnect_patience=3600.0, stop_grace=0.0
    )
    set_up_logging(settings)
    await Server(settings).run(lambda server: print(server.address, flush=True))


def plan(seed: int, matches: int) -> list[tuple[game_pb2.Rules, list[str]]]:
    """Which matches are played."""
    draw = random.Random(seed)
    rows = []
    for _ in range(matches):
        game = draw.choice(("teutonica", "hansa"))
        names = draw.sample([*BOTS, "builtin:random", "builtin:greedy"], draw.randint(2, 4))
        if not set(names) & set(BOTS):
            names[0] = draw.choice(BOTS)
        rules = game_pb2.Rules(game=game, players=len(names), turn_limit=draw.randint(10, 60))
        rows.append((rules, names))
    return rows


def unbroken(rules: game_pb2.Rules, names: list[str], seed: int) -> Match:
    """The match as it goes when nobody is killed."""
    match = Match(MatchSpec("unbroken", wire.rules_from_proto(rules), seed, tuple(names)))
    for seat in range(len(names)):
        match.came(seat, 0.0)
    match.start(0.0)
    while not match.is_over:
        if match.asked is None:
            match.go_on(0.0)
            continue
        request = play_pb2.DecisionRequest(sequence=match.sequence, legal_actions=match.state.legal_actions())
        match.answer(match.asked, Answer(match.sequence, pick(request)), 0.0)
    return match


class Child:
    """The server as a process of its own."""

    def __init__(self, store: str) -> None:
        path = os.pathsep.join([str(ROOT), *(entry for entry in sys.path if entry)])
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.server.restart", "--serve", store],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": path},
            text=True,
        )

    async def listening(self) -> str:
        """Wait until it listens; returns its address."""
        assert self.process.stdout is not None
        address = (await asyncio.to_thread(self.process.stdout.readline)).strip()
        assert address, "the server did not start"
        return address

    async def end(self, number: int) -> int:
        """Send a signal and wait for the end."""
        self.process.send_signal(number)
        status = await asyncio.to_thread(self.process.wait, 60)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return status


async def sent(call: Any, reply: play_pb2.PlayRequest) -> bool:
    """Send an answer. If the call ends meanwhile grpc calls that an internal error, and forgets the server's status."""
    try:
        await call.write(reply)
    except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
        return False
    return True


class Campaign:
    """Matches that are played while their server is killed and started again."""

    def __init__(self, seed: int, store: str, matches: int) -> None:
        self.store = store
        self.plan = plan(seed, matches)
        self.draw = random.Random(seed + 1)
        self.address = ""
        self.changed = asyncio.Event()
        self.answers = 0
        self.kills = 0
        self.told: dict[tuple[str, int], int] = {}  # every action that any bot was ever told
        self.results: dict[str, game_pb2.Result] = {}  # every result that any bot was ever told
        self.created: dict[int, str] = {}
        self.codes: list[grpc.StatusCode] = []
        self.crossed = 0  # calls that ended while an answer was on its way
        self.notices = 0
        self.tasks: list[asyncio.Task[None]] = []

    # -- Bots ----------------------------------------------------------------------------------------------------

    def hear(self, message: play_pb2.PlayResponse) -> play_pb2.PlayRequest | None:
        """Note what was told: it must never change again."""
        kind = message.WhichOneof("message")
        if kind == "match_started":
            self.note(message.match_started.match_id, message.match_started.history)
        elif kind == "match_events":
            assert not message.match_events.forfeits
            self.note(message.match_events.match_id, message.match_events.actions)
        elif kind == "match_ended":
            ended = message.match_ended
            assert self.results.setdefault(ended.match_id, ended.result) == ended.result
        elif kind == "decision_request":
            request = message.decision_request
            self.note(request.match_id, request.events)
            self.answers += 1
            return answer(request, pick(request))
        elif kind == "notice":
            self.notices += 1
        else:
            assert kind == "welcome", message
        return None

    def note(self, match_id: str, actions: Any) -> None:
        """Actions that a bot was told."""
        for action in actions:
            assert self.told.setdefault((match_id, action.sequence), action.action) == action.action

    async def play(self, name: str) -> None:
        """A bot that comes back whenever it can."""
        while True:
            address = self.address
            if not address:
                await self.changed.wait()
                continue
            async with grpc.aio.insecure_channel(address, OWN_CONNECTION) as channel:
                call: Any = play_pb2_grpc.PlayServiceStub(channel).Play()
                try:
                    await call.write(hello(name, **OPTIONS[name]))
                    while (message := await call.read()) is not grpc.aio.EOF:
                        reply = self.hear(message)
                        if reply is not None and not await sent(call, reply):
                            self.crossed += 1
                            break
                    else:
                        self.codes.append(await call.code())
                except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
                    self.codes.append(await call.code())
            while self.address == address:
                await self.changed.wait()

    async def arrange(self) -> None:
        """Create the matches; each request is sent again until its answer came, and is one match nevertheless."""
        while len(self.created) < len(self.plan):
            address = self.address
            if not address:
                await self.changed.wait()
                continue
            async with grpc.aio.insecure_channel(address, OWN_CONNECTION) as channel:
                stub = match_pb2_grpc.MatchServiceStub(channel)
                while len(self.created) < len(self.plan) and self.address == address:
                    await self.create(stub, len(self.created))

    async def create(self, stub: Any, number: int) -> None:
        """Ask for a match once."""
        rules, names = self.plan[number]
        request = match_pb2.CreateMatchRequest(rules=rules, bots=names, seed=number, request_id=f"request-{number}")
        try:
            self.created[number] = (await stub.CreateMatch(request)).match.match_id
        except grpc.aio.AioRpcError as error:
            if error.code() not in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.FAILED_PRECONDITION):
                raise
            await asyncio.sleep(0.01)

    # -- The server ----------------------------------------------------------------------------------------------

    def publish(self, address: str) -> None:
        """Tell the bots where the server is now."""
        self.address = address
        self.changed.set()
        self.changed = asyncio.Event()

    async def life(self, number: int, answers: int) -> int:
        """A life of the server, ended by a signal after so many answers, however fast this machine is."""
        child = Child(self.store)
        if answers == BEFORE_LISTENING:
            await asyncio.sleep(self.draw.uniform(0.0, 1.0))
            return await child.end(number)
        try:
            self.publish(await child.listening())
            end = self.answers + answers
            last, since = self.answers, time.monotonic()
            # Nobody hears of a match that ended just before the kill, so a long silence may mean that all is played.
            while self.answers < end and not self.is_done() and time.monotonic() < since + SILENCE:
                await asyncio.sleep(0.001)
                if self.answers > last:
                    last, since = self.answers, time.monotonic()
                assert child.process.poll() is None, "the server ended by itself"
                self.check_bots()
        except BaseException:
            child.process.kill()
            raise
        status = await child.end(number)
        self.publish("")
        return status

    def is_done(self) -> bool:
        """Whether every match has ended as far as the bots know."""
        return len(self.created) == len(self.plan) and all(i in self.results for i in self.created.values())

    def check_bots(self) -> None:
        """A bot that found something wrong says so."""
        for task in self.tasks:
            if task.done():
                task.result()

    async def run(self, kills: int, most: int = 150) -> None:
        """Kill and start, then let the rest be played and look at what is there."""
        async with self:
            while self.kills < kills:
                at = self.draw.choice((BEFORE_LISTENING, 0, 1, *(self.draw.randint(2, most) for _ in range(9))))
                assert await self.life(signal.SIGKILL, at) == -signal.SIGKILL
                self.kills += 1
            await self.finish()

    async def __aenter__(self) -> Campaign:
        self.tasks = [asyncio.create_task(self.play(name)) for name in BOTS]
        self.tasks.append(asyncio.create_task(self.arrange()))
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)

    async def finish(self) -> None:
        """Let the rest be played without harm, and check everything."""
        child = Child(self.store)
        try:
            self.publish(await child.listening())
            async with grpc.aio.insecure_channel(self.address, OWN_CONNECTION) as channel:
                stub: Any = match_pb2_grpc.MatchServiceStub(channel)
                request = match_pb2.ListMatchesRequest(page_size=1000)
                end = time.monotonic() + 120
                over = False
                while not over and time.monotonic() < end:
                    self.check_bots()
                    await asyncio.sleep(0.05)
                    listed = (await stub.ListMatches(request)).matches
                    running = [match for match in listed if match.state == match_pb2.MATCH_STATE_RUNNING]
                    over = not running and len(self.created) == len(self.plan)
                assert over, f"not played to the end: {running}"
                assert sorted(match.match_id for match in listed) == sorted(self.created.values()), (
                    "none lost or doubled"
                )
                for number, match_id in self.created.items():
                    (match,) = [match for match in listed if match.match_id == match_id]
                    text = (await stub.GetRecord(match_pb2.GetRecordRequest(match_id=match_id))).text
                    self.check(number, match, hf.Game.from_text(text))
        finally:
            await child.end(signal.SIGTERM)
            self.publish("")

    def check(self, number: int, match: match_pb2.Match, game: hf.Game) -> None:
        """A match is what its actions replay to, what was told of it, and what an unbroken run gives."""
        assert match.state == match_pb2.MATCH_STATE_FINISHED
        check_result(match.result, game)
        rules, names = self.plan[number]
        expected = unbroken(rules, names, number)
        assert list(game.actions) == [played.action for played in expected.actions], "as if nothing had happened"
        assert expected.outcome is not None
        assert match.result == wire.result_to_proto(expected.outcome, expected.sequence)
        assert self.results.get(match.match_id, match.result) == match.result
        for (told, sequence), action in self.told.items():
            assert told != match.match_id or game.actions[sequence] == action, "what was told is never lost"


def main() -> None:
    """Campaign after campaign, until the time is over."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--serve", metavar="STORE", help=argparse.SUPPRESS)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.serve:
        asyncio.run(serve(options.serve))
        return
    end = time.monotonic() + options.minutes * 60
    kills = 0
    seed = options.seed
    while time.monotonic() < end:
        with tempfile.TemporaryDirectory() as folder:

            async def campaign(seed: int = seed, folder: str = folder) -> Campaign:
                found = Campaign(seed, f"{folder}/arena.db", 12)
                await found.run(20)
                return found

            done = asyncio.run(campaign())
        kills += done.kills
        print(f"seed {seed}: {len(done.plan)} matches whole after {done.kills} kills; {kills} kills in all", flush=True)
        seed += 1


if __name__ == "__main__":
    main()
