"""Random messages and random bytes against every call: always a clear status, and a server that plays on.

HANSA_FUZZ_CALLS=100000 does more of it.
"""

from __future__ import annotations

import asyncio
import os
import random
import struct
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

import hansa_fast as hf
from hansa_client.pb.hansa.v1 import match_pb2, play_pb2, tournament_pb2
from hansa_server import engine_service, wire
from hansa_server.serve import SERVICES
from tests.server.bots import PATIENT, Bot, Table, answer, hello, pick, run, short, table, until

CALLS = int(os.environ.get("HANSA_FUZZ_CALLS", "3000"))
CLEAR = {
    grpc.StatusCode.OK,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.NOT_FOUND,
    grpc.StatusCode.ALREADY_EXISTS,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.ABORTED,
    grpc.StatusCode.CANCELLED,  # by the test: enough was read
}
METHODS = [method for service in SERVICES.values() for method in service.methods if method.name != "Play"]
TEXTS = [
    *(
        "",
        "a",
        "anna",
        "bert",
        "hansa",
        "teutonica",
        "big-box",
        "2009",
        "2004",
        "standard-3",
        "east",
        "greedy",
        "uniform",
    ),
    *("builtin:random", "builtin:greedy", "builtin:", "income 3", "{}", "[]", '{"pile": {}}', '{"markers": 1}', "null"),
    *("\0", "\n", "\u2028", "ü" * 500, "x" * 5000, "%s%n", "../../etc/passwd", "'; DROP TABLE matches; --", "٣", "1e9"),
]
NAMES = ["open", "open", "other", "anna", "x" * 64, "x" * 65, "two words"]  # of tournaments and bots
STRUCTS: list[dict[str, Any]] = [
    *({}, {"rounds": 1}, {"rounds": 1.5}, {"rounds": -1}, {"rounds": None}, {"rounds": "1"}, {"challengers": ["anna"]}),
    *({"challengers": [1, {}]}, {"blocks": float("nan")}, {"\0": {"a": [[], {}]}}, {"kind": "swiss"}, {"rounds": 1e9}),
]
NUMBERS = (0, 0, 1, 1, 2, 3, 4, 5, 7, 10, -1, -2, 63, 255, 1023, 1024, 2**31 - 1, -(2**31))
KINDS = FieldDescriptor


class Fuzzer:
    """Draws messages: any field may be set to anything its type holds, often to something that nearly makes sense."""

    def __init__(self, seed: int, ids: list[str]) -> None:
        self.draw = random.Random(seed)
        self.ids = ids
        self.states = []
        for rules in (hf.Rules(players=3), hf.Rules(game="hansa", players=2), hf.Rules(players=5, missions=True)):
            state = rules.new(1)
            for number in range(self.draw.randrange(60)):
                if not state.is_over:
                    state.apply(state.choose(number, "greedy"))
            self.states.append(state)

    def message(self, descriptor: Descriptor, depth: int = 0) -> Message:
        """A random message of a kind."""
        message = GetMessageClass(descriptor)()
        if descriptor.name == "Position" and self.draw.random() < 0.8:
            return self.position(message)
        if descriptor.full_name == "google.protobuf.Struct":
            message.update(self.draw.choice(STRUCTS))  # type: ignore[attr-defined]
            return message
        if descriptor.name == "Event" and self.draw.random() < 0.5:
            message.CopyFrom(self.event())
            if self.draw.random() < 0.5:
                return message
        for field in descriptor.fields:
            if self.draw.random() < 0.25 + 0.1 * depth:
                continue
            if field.message_type is not None and field.message_type.GetOptions().map_entry:
                continue  # in answers only
            if field.is_repeated:
                values = [self.value(field, depth) for _ in range(self.draw.choice((0, 1, 2, 3, 6, 40)))]
                target = getattr(message, field.name)
                if field.type == KINDS.TYPE_MESSAGE:
                    for value in values:
                        target.add().CopyFrom(value)
                else:
                    target.extend(values)
            elif field.type == KINDS.TYPE_MESSAGE:
                getattr(message, field.name).CopyFrom(self.value(field, depth))
            else:
                setattr(message, field.name, self.value(field, depth))
        return message

    def event(self) -> tournament_pb2.Event:
        """An event that could be played."""
        bots = [tournament_pb2.Entrant(name=name, uses=f"builtin:{name}") for name in ("random", "greedy")]
        kind = self.draw.choice(("round-robin", "swiss", "ladder", "knockout"))
        return tournament_pb2.Event(name=self.draw.choice(NAMES), format=kind, tables=[short(2)], bots=bots)

    def position(self, message: Any) -> Message:
        """A position, sometimes with a few bits turned over."""
        state = self.draw.choice(self.states)
        data = bytearray(state.to_bytes())
        for _ in range(self.draw.choice((0, 0, 0, 1, 4))):
            data[self.draw.randrange(len(data))] ^= 1 << self.draw.randrange(8)
        message.rules.CopyFrom(wire.rules_to_proto(state.rules))
        message.state = bytes(data)
        return message  # type: ignore[no-any-return]

    def value(self, field: FieldDescriptor, depth: int) -> Any:
        """A random value of a field."""
        draw = self.draw
        if field.type == KINDS.TYPE_MESSAGE:
            assert field.message_type is not None
            return self.message(field.message_type, depth + 1)
        if field.type == KINDS.TYPE_STRING:
            lists = {"match_id": self.ids, "request_id": ["", "r", "x" * 64, "x" * 65], "name": NAMES, "bot": NAMES}
            known = lists.get(field.name, TEXTS)
            return draw.choice(known if draw.random() < 0.7 else TEXTS)
        if field.type == KINDS.TYPE_BYTES:
            return draw.randbytes(draw.choice((0, 1, 100, 1000)))
        if field.type == KINDS.TYPE_BOOL:
            return draw.random() < 0.5
        if field.type in (KINDS.TYPE_FLOAT, KINDS.TYPE_DOUBLE):
            return draw.choice((0.0, -1.0, 1e30, float("nan"), float("inf")))
        if field.type == KINDS.TYPE_UINT64:
            return draw.choice((0, 1, 2**63, 2**64 - 1))
        if field.type == KINDS.TYPE_INT64:
            return draw.choice((0, 1, 5, -1, 2**63 - 1, -(2**63)))
        if field.type == KINDS.TYPE_ENUM:
            return draw.choice((0, 1, 2, 3, 99))
        return draw.choice(NUMBERS)

    def garbage(self, descriptor: Descriptor) -> bytes:
        """Bytes that are a message no more, or never were."""
        draw = self.draw
        data = bytearray(self.message(descriptor).SerializeToString())
        kind = draw.randrange(4)
        if kind == 0:
            return draw.randbytes(draw.choice((0, 1, 2, 10, 100, 5000)))
        if kind == 1:
            return bytes(data[: draw.randrange(len(data) + 1)])
        if kind == 2:
            for _ in range(draw.randrange(1, 5)):
                if data:
                    data[draw.randrange(len(data))] = draw.randrange(256)
            return bytes(data)
        return bytes(data) + struct.pack("<BQ", draw.randrange(256), draw.getrandbits(64))


async def status_of(arena: Table, method: MethodDescriptor, data: bytes) -> grpc.StatusCode:
    """Make a call with these bytes; of a stream only the beginning is read."""
    path = f"/{method.containing_service.full_name}/{method.name}"
    channel: Any = arena.channel
    if method.server_streaming:
        call = channel.unary_stream(path)(data)
        try:
            async with asyncio.timeout(0.05):
                for _ in range(5):
                    if await call.read() is grpc.aio.EOF:
                        break
        except (TimeoutError, grpc.aio.AioRpcError):
            pass
        call.cancel()
    else:
        call = channel.unary_unary(path)(data)
    code: grpc.StatusCode = await call.code()
    return code


async def prepare(arena: Table) -> tuple[Bot, list[str]]:
    """A bot, a running match and a finished one, so that there is something to hit."""
    anna = await arena.bot("anna", lambda _: None)
    running = await arena.create(short(2), ["anna", "builtin:random"])
    finished = await arena.create(short(2), ["builtin:random"] * 2)
    await arena.finished(finished)
    bots = [tournament_pb2.Entrant(name=name) for name in ("anna", "bert")]
    event = tournament_pb2.Event(name="open", format="round-robin", tables=[short(2)], bots=bots)
    await arena.tournaments.CreateTournament(tournament_pb2.CreateTournamentRequest(event=event))
    return anna, [running, finished, "nope", ""]


async def tidy(arena: Table) -> None:
    """End what the random calls began."""
    for match_id in list(arena.arena.live):
        code = await arena.matches.AbortMatch(match_pb2.AbortMatchRequest(match_id=match_id)).code()
        assert code in (grpc.StatusCode.OK, grpc.StatusCode.FAILED_PRECONDITION), "it has just ended by itself"


@pytest.mark.parametrize("part", range(2))
@pytest.mark.parametrize("kind", ["messages", "bytes"])
def test_random_calls(kind: str, part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_service, "MOST_VISITS", 10_000)
    monkeypatch.setattr(engine_service, "MOST_PLAYOUTS", 100)

    async def main() -> None:
        async with table(tmp_path, max_calls_per_second=1_000_000) as arena:
            _, ids = await prepare(arena)
            fuzzer = Fuzzer(1000 + part, ids)
            seen: set[tuple[str, grpc.StatusCode]] = set()
            for number in range(CALLS // 4):
                method = METHODS[number % len(METHODS)]
                if kind == "messages":
                    data = fuzzer.message(method.input_type).SerializeToString()
                else:
                    data = fuzzer.garbage(method.input_type)
                code = await status_of(arena, method, data)
                assert code in CLEAR, (method.full_name, code, data)
                seen.add((method.name, code))
                if number % 50 == 0:
                    await tidy(arena)
            assert {name for name, _ in seen} == {method.name for method in METHODS}
            assert len({code for _, code in seen}) >= 4
            await tidy(arena)
            await arena.check_health()

    run(main(), PATIENT + CALLS / 10)


@pytest.mark.parametrize("part", range(2))
def test_random_streams(part: int, tmp_path: Path) -> None:
    """Bots that say Hello and then anything."""

    async def main() -> None:
        async with table(tmp_path, max_calls_per_second=1_000_000, forgiven=3) as arena:
            _, ids = await prepare(arena)
            good = [await arena.bot(f"good{number}") for number in range(2)]
            fuzzer = Fuzzer(2000 + part, ids)
            method = SERVICES["PlayService"].methods_by_name["Play"]
            codes: set[grpc.StatusCode] = set()
            for number in range(CALLS // 20):
                call: Any = arena.channel.stream_stream("/hansa.v1.PlayService/Play")()
                name = f"fuzz{number % 3}"
                try:
                    if fuzzer.draw.random() < 0.8:
                        await call.write(hello(name, view_format=number % 3).SerializeToString())
                        await call.read()
                        match_id = await arena.create(short(3), [name, "good0", "good1"], seed=number)
                        fuzzer.ids[0] = match_id
                    for _ in range(fuzzer.draw.randrange(1, 12)):
                        if fuzzer.draw.random() < 0.05:
                            await call.write(fuzzer.garbage(method.input_type))
                        else:
                            await call.write(fuzzer.message(method.input_type).SerializeToString())
                    await call.done_writing()
                    while await call.read() is not grpc.aio.EOF:
                        pass
                except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
                    pass
                code = await call.code()
                # A write that fails hides the status from this client; the log says whether the server failed.
                assert code in CLEAR or "from Core" in await call.details(), (code, await call.details())
                codes.add(code)
                if number % 10 == 0:
                    await tidy(arena)
            assert grpc.StatusCode.INVALID_ARGUMENT in codes
            await tidy(arena)
            for bot in good:
                assert bot.code is None, "the others are still there"
                assert {told.problem for told in bot.rejected} <= {play_pb2.ANSWER_PROBLEM_UNKNOWN_MATCH}, "aborted"
            await until(lambda: not [name for name in arena.arena.sessions if name.startswith("fuzz")])
            await arena.check_health()

    run(main(), PATIENT + CALLS / 10)


def test_random_choices_are_legal_or_told_why(tmp_path: Path) -> None:
    """Answers with random ids and texts on an otherwise proper stream: the match ends, one way or the other."""

    async def main() -> None:
        async with table(tmp_path, forgiven=10) as arena:
            draw = random.Random(5)

            def wild(request: Any) -> int | str:
                if draw.random() < 0.1:
                    return draw.choice((draw.randrange(-5, 1100), "nonsense", "", "income"))
                return pick(request)

            bots = [await arena.bot(name, wild) for name in ("anna", "bert")]
            for bot in bots:
                original = bot.hear

                def again(message: Any, bot: Bot = bot, original: Any = original) -> Any:
                    reply = original(message)
                    if message.HasField("answer_rejected"):
                        story = bot.stories[message.answer_rejected.match_id]
                        assert message.answer_rejected.explanation
                        return answer(story.requests[-1], pick(story.requests[-1]))
                    return reply

                bot.hear = again  # type: ignore[method-assign]
            ids = [await arena.create(short(2, turns=30), ["anna", "bert"], seed=seed) for seed in range(10)]
            for match_id in ids:
                await arena.finished(match_id)
            assert any(bot.rejected for bot in bots)

    run(main())
