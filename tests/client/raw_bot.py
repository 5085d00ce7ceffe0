"""A bot without the kit, on the bare stubs: right, or wrong in one way. `python raw_bot.py FAULT HOST:PORT`."""

from __future__ import annotations

import queue
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import grpc
from google.protobuf.unknown_fields import UnknownFieldSet

from hansa_client.pb.hansa.v1 import play_pb2, play_pb2_grpc

FAULTS = (
    "none",
    "silent",
    "illegal",
    "stale",
    "empty",
    "resigns",
    "stubborn",
    "strict",
    "leaves",
    "sulks",
    "renames",
    "mute",
    "rude",
    "talkative",
    "deaf",
)


class RawBot:
    """Answers with the last legal action, or the one before if that was rejected."""

    def __init__(self, fault: str, server: str) -> None:
        self.fault = fault
        self.server = server
        self.streams = 0
        self.legal: dict[tuple[str, int], list[int]] = {}
        self.outbox: queue.SimpleQueue[play_pb2.PlayRequest | None] = queue.SimpleQueue()
        self.leaving = False

    def stop(self, *_: object) -> None:
        """Say goodbye."""
        if self.fault != "deaf":
            self.leaving = True
            self.outbox.put(play_pb2.PlayRequest(goodbye=play_pb2.Goodbye()))

    def run(self) -> None:
        """Play until the goodbye."""
        signal.signal(signal.SIGTERM, self.stop)
        while not self.leaving:
            with suppress(grpc.RpcError):
                self.play()
            if self.fault == "leaves":
                return
            while self.fault == "sulks":
                time.sleep(1)
            time.sleep(0.1)

    def play(self) -> None:
        """Play on one stream."""
        self.outbox = queue.SimpleQueue()
        self.streams += 1
        with grpc.insecure_channel(self.server, options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
            for message in play_pb2_grpc.PlayServiceStub(channel).Play(self.requests(self.outbox)):
                self.take(message)

    def requests(self, outbox: queue.SimpleQueue[play_pb2.PlayRequest | None]) -> Iterator[play_pb2.PlayRequest]:
        """Hello, then answers."""
        name = f"raw-{self.streams}" if self.fault == "renames" else "raw"
        hello = play_pb2.Hello(name=name, max_matches=0 if self.fault == "mute" else 4)
        if self.fault == "rude":
            yield play_pb2.PlayRequest(answer=play_pb2.Answer(match_id="x"))
        yield play_pb2.PlayRequest(hello=hello)
        if self.fault == "talkative":
            yield play_pb2.PlayRequest(answer=play_pb2.Answer(match_id="x"))
        while (request := outbox.get()) is not None:
            yield request

    def take(self, message: play_pb2.PlayResponse) -> None:
        """Take in a message."""
        kind = message.WhichOneof("message")
        if self.fault == "strict" and (kind is None or len(UnknownFieldSet(message))):
            sys.exit("a message I do not know")
        if kind == "decision_request":
            request = message.decision_request
            self.legal[request.match_id, request.sequence] = list(request.legal_actions)
            self.answer(request.match_id, request.sequence)
        elif kind == "answer_rejected" and message.answer_rejected.problem == play_pb2.ANSWER_PROBLEM_ILLEGAL_ACTION:
            rejected = message.answer_rejected
            if self.fault != "stubborn":
                self.legal[rejected.match_id, rejected.sequence].pop()
            self.answer(rejected.match_id, rejected.sequence)

    def answer(self, match_id: str, sequence: int) -> None:
        """Answer a decision."""
        answer: dict[str, Any] = {"match_id": match_id, "sequence": sequence}
        if self.fault == "stale":
            answer["sequence"] -= 1
        if self.fault != "empty":
            answer["action"] = 1023 if self.fault == "illegal" else self.legal[match_id, sequence][-1]
        if self.fault == "resigns":
            self.outbox.put(play_pb2.PlayRequest(resign=play_pb2.Resign(match_id=match_id)))
        elif self.fault != "silent":
            self.outbox.put(play_pb2.PlayRequest(answer=play_pb2.Answer(**answer)))


if __name__ == "__main__":
    assert sys.argv[1] in FAULTS
    RawBot(sys.argv[1], sys.argv[2]).run()
