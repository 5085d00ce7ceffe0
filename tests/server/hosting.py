"""A server in a thread of its own, for tests that are its clients: plain calls, tokens, certificates."""

from __future__ import annotations

import asyncio
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import grpc
from google.rpc import status_pb2

from hansa_client.pb.hansa.v1 import (
    engine_pb2,
    engine_pb2_grpc,
    game_pb2,
    match_pb2,
    match_pb2_grpc,
    play_pb2,
    play_pb2_grpc,
    server_pb2,
    server_pb2_grpc,
    tournament_pb2,
    tournament_pb2_grpc,
    watch_pb2,
    watch_pb2_grpc,
)
from hansa_server.auth import Role, create_token
from hansa_server.serve import Server
from hansa_server.settings import Settings
from hansa_server.traces import Traces

PATIENCE = 30.0  # seconds until a test that hangs is given up
FILES = (engine_pb2, match_pb2, play_pb2, server_pb2, tournament_pb2, watch_pb2)
SERVICES = {name: service for file in FILES for name, service in file.DESCRIPTOR.services_by_name.items()}
METHODS = {f"/{service.full_name}/{method.name}": method for service in SERVICES.values() for method in service.methods}


class Host:
    """A running server; what concerns its objects is done in its own thread."""

    def __init__(self, server: Server, loop: asyncio.AbstractEventLoop) -> None:
        self.server = server
        self.address = server.address
        self._loop = loop

    def call(self, work: Callable[[], Any]) -> Any:
        """Do something in the thread of the server."""
        done: Future[Any] = Future()

        def run() -> None:
            try:
                done.set_result(work())
            except BaseException as error:
                done.set_exception(error)

        self._loop.call_soon_threadsafe(run)
        return done.result(PATIENCE)

    def until(self, condition: Callable[[], object], what: str) -> None:
        """Wait until something is so in the server."""
        end = time.monotonic() + PATIENCE
        while not self.call(condition):
            assert time.monotonic() < end, f"never came: {what}"
            time.sleep(0.01)

    def stop(self, grace: float) -> Future[None]:
        """Begin to stop the server gently."""
        return asyncio.run_coroutine_threadsafe(self.server.stop(grace), self._loop)

    def token(self, role: Role, name: str, **lifetime: Any) -> str:
        """A new token."""
        token: str = self.call(lambda: create_token(self.server.store, role, name, **lifetime)[1])
        return token

    @contextmanager
    def client(self, token: str | None = None, **how: Any) -> Iterator[Client]:
        """A client with a connection of its own."""
        with client(self.address, token, **how) as one:
            yield one


@contextmanager
def hosted(folder: Path, *, traces: Traces | None = None, **settings: Any) -> Iterator[Host]:
    """A server on a free port with a store in this folder."""
    values = {"address": "127.0.0.1:0", "store": str(folder / "arena.db"), "per_decision": 3600.0, "stop_grace": 0.0}
    started: Future[Host] = Future()
    finish = threading.Event()

    async def main() -> None:
        try:
            server = Server(Settings(**{**values, **settings}), traces)
            await server.start()
        except BaseException as error:
            started.set_exception(error)
            return
        started.set_result(Host(server, asyncio.get_running_loop()))
        await asyncio.to_thread(finish.wait)
        await server.stop(0.0)

    thread = threading.Thread(target=lambda: asyncio.run(main()))
    thread.start()
    try:
        yield started.result(PATIENCE)
    finally:
        finish.set()
        thread.join(PATIENCE)
    assert not thread.is_alive()


class Client:
    """All stubs on one connection. Every call carries the token and ends in time."""

    def __init__(self, channel: grpc.Channel, token: str | None) -> None:
        self.channel = channel
        self.bots: list[RawBot] = []  # kept: gRPC cancels a stream that nobody holds
        self.metadata = () if token is None else (("authorization", f"Bearer {token}"),)
        self.matches = match_pb2_grpc.MatchServiceStub(channel)
        self.watch = watch_pb2_grpc.WatchServiceStub(channel)
        self.engine = engine_pb2_grpc.EngineServiceStub(channel)
        self.server = server_pb2_grpc.ServerServiceStub(channel)
        self.tournaments = tournament_pb2_grpc.TournamentServiceStub(channel)

    def __call__(self, method: Any, request: Any) -> Any:
        """Make a call."""
        return method(request, metadata=self.metadata, timeout=PATIENCE)

    def bot(self, name: str = "", **hello: Any) -> RawBot:
        """A bot that has said Hello."""
        self.bots.append(RawBot(self, play_pb2.Hello(**{"name": name, "max_matches": 100, **hello})))
        return self.bots[-1]

    def begin(self, bots: list[str], seed: int | None = 5, **rules: Any) -> str:
        """Begin a match; returns its id."""
        rules = {"turn_limit": 10, **rules}
        request = match_pb2.CreateMatchRequest(rules=game_pb2.Rules(**rules), bots=bots, seed=seed)
        match_id: str = self(self.matches.CreateMatch, request).match.match_id
        return match_id

    def match(self, match_id: str) -> match_pb2.Match:
        """A match as it is now."""
        found: match_pb2.Match = self(self.matches.GetMatch, match_pb2.GetMatchRequest(match_id=match_id)).match
        return found


@contextmanager
def client(
    address: str,
    token: str | None = None,
    credentials: grpc.ChannelCredentials | None = None,
    options: tuple[tuple[str, Any], ...] = (),
) -> Iterator[Client]:
    """A client with a connection of its own."""
    options = (("grpc.use_local_subchannel_pool", 1), *options)
    if credentials is None:
        channel = grpc.insecure_channel(address, options)
    else:
        channel = grpc.secure_channel(address, credentials, options)
    with channel:
        one = Client(channel, token)
        yield one
        for bot in one.bots:
            bot.leave()


class RawBot:
    """A bot that does nothing by itself."""

    def __init__(self, owner: Client, hello: play_pb2.Hello) -> None:
        self._queue: SimpleQueue[play_pb2.PlayRequest | None] = SimpleQueue()
        stub = play_pb2_grpc.PlayServiceStub(owner.channel)
        self.call: Any = stub.Play(iter(self._queue.get, None), metadata=owner.metadata, timeout=PATIENCE)
        self.say(hello=hello)

    def say(self, **message: Any) -> None:
        """Send a message."""
        self._queue.put(play_pb2.PlayRequest(**message))

    def hear(self, kind: str) -> Any:
        """The next message of this kind; others are passed over."""
        for message in self.call:
            if message.WhichOneof("message") == kind:
                return getattr(message, kind)
        raise AssertionError(f"the stream ended before {kind}")

    def play(self) -> play_pb2.MatchEnded:
        """Answer every question with its first legal action, until a match ends."""
        for message in self.call:
            if message.WhichOneof("message") == "decision_request":
                self.answer(message.decision_request)
            elif message.WhichOneof("message") == "match_ended":
                ended: play_pb2.MatchEnded = message.match_ended
                return ended
        raise AssertionError("the stream ended before the match")

    def answer(self, request: play_pb2.DecisionRequest, action: int | None = None, **more: Any) -> None:
        """Answer a request."""
        chosen = request.legal_actions[0] if action is None else action
        answer = {"match_id": request.match_id, "sequence": request.sequence, "action": chosen, **more}
        self.say(answer=play_pb2.Answer(**answer))

    def ended(self) -> grpc.RpcError:
        """Wait for the end of the stream; returns its error."""
        try:
            for _ in self.call:
                pass
        except grpc.RpcError as error:
            return error
        raise AssertionError("the stream ended well")

    def leave(self) -> None:
        """Lose the stream."""
        self._queue.put(None)
        self.call.cancel()


def refused(call: Callable[[], Any]) -> Any:
    """The error of a call, or of a stream, that must fail."""
    try:
        answer = call()
        if hasattr(answer, "__next__"):
            answer = list(answer)
    except grpc.RpcError as error:
        return error
    raise AssertionError(f"not refused: {answer}")


def details(error: Any, kind: Any) -> Any:
    """The detail of this kind that came with an error."""
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin":
            status = status_pb2.Status.FromString(value)
            assert (status.code, status.message) == (error.code().value[0], error.details())
            for packed in status.details:
                message = kind()
                if packed.Unpack(message):
                    return message
    raise AssertionError(f"{error.code()} came without {kind.DESCRIPTOR.full_name}: {error.details()}")


class Authority:
    """A certificate authority that lives as long as the test."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self.certificate, self._key = folder / f"{name}.pem", folder / f"{name}.key"
        self._openssl("req", "-x509", *self._new_key(self._key), "-subj", f"/CN={name}", "-out", str(self.certificate))

    def issue(self, name: str) -> tuple[Path, Path]:
        """A certificate for localhost, and its key."""
        certificate, key = self._folder / f"{name}.pem", self._folder / f"{name}.key"
        names = ("-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1")
        issuer = ("-CA", str(self.certificate), "-CAkey", str(self._key))
        self._openssl(
            "req", "-x509", *self._new_key(key), *issuer, *names, "-subj", f"/CN={name}", "-out", str(certificate)
        )
        return certificate, key

    def _new_key(self, path: Path) -> tuple[str, ...]:
        return ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", str(path), "-days", "2")

    def _openssl(self, *words: str) -> None:
        done = subprocess.run(["openssl", *words], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
