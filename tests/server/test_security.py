"""Nobody reads along, nobody cheats, nobody takes more than a share: with real connections."""

from __future__ import annotations

import asyncio
import json
import resource
import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.rpc import error_details_pb2

import hansa_fast as hf
from hansa_client.pb.hansa.v1 import (
    engine_pb2,
    game_pb2,
    match_pb2,
    play_pb2,
    server_pb2,
    server_pb2_grpc,
    watch_pb2,
    watch_pb2_grpc,
)
from hansa_server.auth import Gatekeeper, Role
from hansa_server.edge import MOST_BUCKETS, Edge, Rates, host_of
from hansa_server.errors import BadField
from hansa_server.metrics import Metrics
from hansa_server.settings import Settings
from hansa_server.store import Store
from tests.server.hosting import FILES, PATIENCE, SERVICES, Authority, Host, details, hosted, refused
from tests.server.hosting import client as connect

SMALL_WINDOW = (("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 65_535))

INFO = server_pb2.GetServerInfoRequest()


def quota(error: Any) -> str:
    """The limit an error names."""
    assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED, error
    (violation,) = details(error, error_details_pb2.QuotaFailure).violations
    return str(violation.subject)


# -- TLS -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pki(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Certificates: of the server, of a client, and of a stranger with an authority of its own."""
    folder = tmp_path_factory.mktemp("pki")
    ours, theirs = Authority(folder, "ours"), Authority(folder, "theirs")
    files = {"ca": ours.certificate, "other-ca": theirs.certificate}
    for name, authority in (("server", ours), ("client", ours), ("stranger", theirs)):
        files[name], files[f"{name}-key"] = authority.issue(name)
    return files


def credentials(pki: dict[str, Path], ca: str, name: str | None = None) -> grpc.ChannelCredentials:
    """What a client trusts and shows."""
    pair = (None, None) if name is None else (pki[f"{name}-key"].read_bytes(), pki[name].read_bytes())
    return grpc.ssl_channel_credentials(pki[ca].read_bytes(), *pair)


def test_tls(tmp_path: Path, pki: dict[str, Path]) -> None:
    tls: dict[str, Any] = {"tls_certificate": str(pki["server"]), "tls_key": str(pki["server-key"])}
    with hosted(tmp_path, tokens=True, **tls) as host:
        token = host.token(Role.ORGANISER, "anna")
        with host.client(token, credentials=credentials(pki, "ca")) as good:
            assert good(good.server.GetServerInfo, INFO).tokens_required
            assert not good(good.matches.ListBots, match_pb2.ListBotsRequest()).bots
        with host.client(credentials=credentials(pki, "other-ca")) as bad:
            assert refused(lambda: bad(bad.server.GetServerInfo, INFO)).code() is grpc.StatusCode.UNAVAILABLE
        with host.client() as plain:
            assert refused(lambda: plain(plain.server.GetServerInfo, INFO)).code() is grpc.StatusCode.UNAVAILABLE


def test_mutual_tls(tmp_path: Path, pki: dict[str, Path]) -> None:
    names = {"tls_certificate": "server", "tls_key": "server-key", "tls_client_ca": "ca"}
    files: dict[str, Any] = {setting: str(pki[name]) for setting, name in names.items()}
    with hosted(tmp_path, **files) as host:
        with host.client(credentials=credentials(pki, "ca", "client")) as good:
            assert good(good.server.GetServerInfo, INFO).games
            bot = good.bot("anna")
            assert bot.hear("welcome").name == "anna"
        for name in (None, "stranger"):
            with host.client(credentials=credentials(pki, "ca", name)) as bad:
                assert refused(lambda: bad(bad.server.GetServerInfo, INFO)).code() is grpc.StatusCode.UNAVAILABLE


def test_files_of_tls_that_are_not_there(tmp_path: Path, pki: dict[str, Path]) -> None:
    files: dict[str, Any] = {"tls_certificate": str(pki["server"]), "tls_key": str(tmp_path / "no.key")}
    with pytest.raises(BadField, match=r"no\.key: cannot be read"), hosted(tmp_path, **files):
        pass


# -- Cheating ------------------------------------------------------------------------------------------------------


@contextmanager
def seated(tmp_path: Path, names: tuple[str, ...], **rules: Any) -> Iterator[tuple[Host, Any, dict[str, Any], str]]:
    """A server with tokens, an organiser, bots by name, and a match of the first two."""
    with ExitStack() as stack:
        host = stack.enter_context(hosted(tmp_path, tokens=True))
        organiser = stack.enter_context(host.client(host.token(Role.ORGANISER, "boss")))
        bots = {}
        for name in names:
            client = stack.enter_context(host.client(host.token(Role.BOT, name)))
            bots[name] = client.bot(view_format=play_pb2.VIEW_FORMAT_JSON)
            bots[name].hear("welcome")
        yield host, organiser, bots, organiser.begin([*names[:2], "builtin:random"], **rules)


def test_a_bot_acts_in_its_own_seat_only(tmp_path: Path) -> None:
    with seated(tmp_path, ("anna", "bert", "carla")) as (host, organiser, bots, match_id):
        question = bots["anna"].hear("decision_request")
        bots["bert"].hear("match_started")

        bots["bert"].answer(question)  # in another's turn
        rejected = bots["bert"].hear("answer_rejected")
        assert rejected.problem == play_pb2.ANSWER_PROBLEM_NOT_YOUR_DECISION
        assert rejected.forgiven_left == 2

        bots["carla"].answer(question)  # in a match of others
        rejected = bots["carla"].hear("answer_rejected")
        assert rejected.problem == play_pb2.ANSWER_PROBLEM_UNKNOWN_MATCH

        bots["carla"].say(resign=play_pb2.Resign(match_id=match_id))  # for others
        bots["carla"].answer(question)
        bots["carla"].hear("answer_rejected")
        now = organiser.match(match_id)
        assert (now.state, now.actions) == (match_pb2.MATCH_STATE_RUNNING, 0)
        assert not any(seat.forfeit for seat in host.call(lambda: host.server.arena.live[match_id].match.seats))

        bots["anna"].answer(question)
        host.until(lambda: host.server.arena.live[match_id].shown >= 1, "anna's action")
        assert host.call(lambda: host.server.arena.live[match_id].match.actions[0].seat) == 0


def test_names_of_an_anonymous_match_are_kept_while_it_runs(tmp_path: Path) -> None:
    with seated(tmp_path, ("anna", "bert")) as (host, organiser, _, _):
        request = match_pb2.CreateMatchRequest(bots=["anna", "bert"], anonymous=True)
        match_id = organiser(organiser.matches.CreateMatch, request).match.match_id
        ask = match_pb2.GetMatchRequest(match_id=match_id)
        with (
            host.client(host.token(Role.BOT, "eve")) as spy,
            host.client(host.token(Role.WATCHER, "walter")) as watcher,
        ):
            for curious in (spy, watcher):
                assert list(curious(curious.matches.GetMatch, ask).match.players) == ["", ""]
                listed = curious(curious.matches.ListMatches, match_pb2.ListMatchesRequest()).matches
                assert [list(match.players) for match in listed if match.match_id == match_id] == [["", ""]]
                story = curious(curious.watch.WatchMatch, watch_pb2.WatchMatchRequest(match_id=match_id))
                assert list(next(story).match.players) == ["", ""]
                story.cancel()
            assert list(organiser.match(match_id).players) == ["anna", "bert"]
            organiser(organiser.matches.AbortMatch, match_pb2.AbortMatchRequest(match_id=match_id))
            assert list(spy(spy.matches.GetMatch, ask).match.players) == ["anna", "bert"]


def hidden(view: dict[str, Any]) -> list[Any]:
    """The missions that a view of teutonica shows, by seat."""
    return [player["mission"] for player in view["players"]]


def test_a_bot_sees_its_own_view_only(tmp_path: Path) -> None:
    modules = {"missions": True, "favours": True}
    with seated(tmp_path, ("anna", "bert", "carla"), **modules, board="standard-3", edition="big-box") as running:
        host, organiser, bots, match_id = running
        state: hf.State = host.call(host.server.arena.live[match_id].match.state.copy)
        question = bots["anna"].hear("decision_request")
        seen = json.loads(question.view_json)
        assert seen == state.view(0).to_dict()
        assert hidden(seen)[0] == state.to_dict()["players"][0]["mission"]
        assert not isinstance(hidden(seen)[1], list)
        assert state.to_dict()["pile"] != seen["pile"]

        request = watch_pb2.WatchMatchRequest(match_id=match_id, view_format=play_pb2.VIEW_FORMAT_JSON, texts=True)
        with host.client(host.token(Role.WATCHER, "walter")) as watcher:
            story = watcher(watcher.watch.WatchMatch, request)
            first = next(story)
            assert first.match.match_id == match_id
            bots["anna"].answer(question)
            watched = json.loads(next(story).view_json)
            assert not any(isinstance(mission, list) for mission in hidden(watched))
            assert set(map(str, watched["pile"])) == set(map(str, seen["pile"]))
            story.cancel()

            ask = match_pb2.GetRecordRequest(match_id=match_id)
            error = refused(lambda: watcher(watcher.matches.GetRecord, ask))
            assert error.code() is grpc.StatusCode.PERMISSION_DENIED
            assert '[Seed "5"]' in organiser(organiser.matches.GetRecord, ask).text
            organiser(organiser.matches.AbortMatch, match_pb2.AbortMatchRequest(match_id=match_id))
            assert '[Seed "5"]' in watcher(watcher.matches.GetRecord, ask).text


def test_nothing_on_the_wire_could_carry_the_seed_of_a_match() -> None:
    seeds = [
        f"{message.name}.{field.name}"
        for file in (*FILES, game_pb2)
        for message in file.DESCRIPTOR.message_types_by_name.values()
        for field in message.fields
        if "seed" in field.name or (field.name == "state" and field.type == field.TYPE_BYTES)
    ]
    asked = [f"{call}Request.seed" for call in ("NewGame", "RunPlayouts", "AnalysePosition", "CreateMatch")]
    asked.append("Event.seed")
    # That of a tournament is told when it is over, see tests/tournament/test_secrets.py.
    assert sorted(seeds) == sorted(["Position.state", "Tournament.seed", *asked])


def test_the_engine_knows_no_match() -> None:
    names = {field.name for message in engine_pb2.DESCRIPTOR.message_types_by_name.values() for field in message.fields}
    assert "position" in names
    assert not any("match" in name for name in names)


# -- Limits --------------------------------------------------------------------------------------------------------


def test_oversized_messages(tmp_path: Path) -> None:
    with hosted(tmp_path, max_message_bytes=10_000) as host, host.client() as client:
        request = engine_pb2.GetBoardRequest(board="x" * 20_000)
        assert refused(lambda: client(client.engine.GetBoard, request)).code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        bot = client.bot("anna")
        bot.hear("welcome")
        bot.say(answer=play_pb2.Answer(comment="x" * 20_000))
        error: Any = bot.ended()
        assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        host.until(lambda: not host.server.arena.sessions, "the bot is gone")
        assert client(client.server.GetServerInfo, INFO).max_message_bytes == 10_000


def test_streams_of_a_token(tmp_path: Path) -> None:
    with hosted(tmp_path, tokens=True, max_streams_per_token=2) as host, ExitStack() as stack:
        anna, bert = (stack.enter_context(host.client(host.token(Role.WATCHER, name))) for name in ("anna", "bert"))
        request = watch_pb2.WatchMatchesRequest()
        open_streams = [anna(anna.watch.WatchMatches, request) for _ in range(2)]
        host.until(lambda: host.server.edge.open_streams == 2, "two streams")
        assert quota(refused(lambda: anna(anna.watch.WatchMatches, request))) == "streams"
        other = bert(bert.watch.WatchMatches, request)
        host.until(lambda: host.server.edge.open_streams == 3, "bert has a stream of his own")
        open_streams[0].cancel()
        host.until(lambda: host.server.edge.open_streams == 2, "anna has a place again")
        again = anna(anna.watch.WatchMatches, request)
        host.until(lambda: host.server.edge.open_streams == 3, "and takes it")
        for stream in (*open_streams, other, again):
            stream.cancel()


def test_bots_all_together(tmp_path: Path) -> None:
    with hosted(tmp_path, max_streams=1) as host, host.client() as client:
        first = client.bot("anna")
        first.hear("welcome")
        assert quota(client.bot("bert").ended()) == "streams"
        client.bot("anna").hear("welcome")  # takes its own place
        error: Any = first.ended()
        assert error.code() is grpc.StatusCode.ABORTED


def test_calls_per_second(tmp_path: Path) -> None:
    with hosted(tmp_path, tokens=True, max_calls_per_second=1) as host, ExitStack() as stack:
        anna, bert = (stack.enter_context(host.client(host.token(Role.WATCHER, name))) for name in ("anna", "bert"))
        request = match_pb2.ListBotsRequest()
        anna(anna.matches.ListBots, request)
        # The next within the second is refused; how fast this machine is does not matter, as some come in time.
        assert quota(refused(lambda: [anna(anna.matches.ListBots, request) for _ in range(10_000)])) == "calls"
        bert(bert.matches.ListBots, request)


def test_guessing_tokens_is_limited_too(tmp_path: Path) -> None:
    with hosted(tmp_path, tokens=True, max_calls_per_second=5) as host, host.client("hansa_guess") as guesser:
        codes = set()
        while grpc.StatusCode.RESOURCE_EXHAUSTED not in codes:
            codes.add(refused(lambda: guesser(guesser.matches.ListBots, match_pb2.ListBotsRequest())).code())
        assert codes == {grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.UNAUTHENTICATED}
        with host.client(host.token(Role.WATCHER, "anna")) as anna:
            anna(anna.matches.ListBots, match_pb2.ListBotsRequest())


def test_token_buckets() -> None:
    now = 100.0
    rates = Rates(2.0, lambda: now)
    assert [rates.take("anna") for _ in range(3)] == [True, True, False]
    assert rates.take("bert")
    now += 0.5
    assert [rates.take("anna") for _ in range(2)] == [True, False]
    now += 100.0
    assert [rates.take("anna") for _ in range(3)] == [True, True, False]
    for number in range(3 * MOST_BUCKETS):
        now += 1e-6
        rates.take(f"host {number}")
    assert len(rates) <= MOST_BUCKETS
    assert not Rates(0.0).take("anybody")


@pytest.mark.parametrize(
    ("peer", "host"),
    [("ipv4:127.0.0.1:50123", "ipv4:127.0.0.1"), ("ipv6:%5B::1%5D:50123", "ipv6:%5B::1%5D"), ("unix:", "unix")],
)
def test_host_of(peer: str, host: str) -> None:
    assert host_of(peer) == host


def test_messages_of_a_bot_per_second(tmp_path: Path) -> None:
    with hosted(tmp_path, max_messages_per_second=20) as host, host.client() as client:
        bot = client.bot("anna")
        for _ in range(2000):
            bot.say(answer=play_pb2.Answer(match_id="none", action=1))
        assert quota(bot.ended()) == "messages"
        host.until(lambda: not host.server.arena.sessions, "the bot is gone")


class Endless(watch_pb2_grpc.WatchServiceServicer):
    """Has more to tell than anybody can read."""

    def __init__(self) -> None:
        self.told = 0
        self.closed = False

    async def WatchMatch(  # noqa: N802
        self, request: watch_pb2.WatchMatchRequest, _context: Any
    ) -> AsyncIterator[watch_pb2.WatchMatchResponse]:
        """A long story."""
        try:
            while True:
                self.told += 1
                yield watch_pb2.WatchMatchResponse(view_json=request.match_id * 10_000)
        finally:
            self.closed = True

    async def WatchMatches(  # noqa: N802
        self, _request: watch_pb2.WatchMatchesRequest, _context: Any
    ) -> AsyncIterator[watch_pb2.WatchMatchesResponse]:
        """No story."""
        return
        yield


def test_a_watcher_that_does_not_read_is_cut_off(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "s.db"))

    async def main() -> tuple[grpc.StatusCode, Endless]:
        service = Endless()
        edge = Edge(Gatekeeper(store, required=False), Metrics(), Settings(write_timeout=0.2))
        server = grpc.aio.server()
        watch_pb2_grpc.add_WatchServiceServicer_to_server(edge.guard(service, SERVICES["WatchService"]), server)
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=SMALL_WINDOW) as channel:
            stub: Any = watch_pb2_grpc.WatchServiceStub(channel)
            call = stub.WatchMatch(watch_pb2.WatchMatchRequest(match_id="x"))
            await call.read()
            async with asyncio.timeout(PATIENCE):
                while not service.closed or edge.open_streams:
                    await asyncio.sleep(0.01)
            before = memory()
            told = service.told
            await asyncio.sleep(0.3)
            assert service.told == told
            assert memory() - before < 4_000_000
            try:
                while await call.read() is not grpc.aio.EOF:
                    pass
            except grpc.aio.AioRpcError:
                pass
            code = await call.code()
        await server.stop(0)
        return code, service

    code, service = asyncio.run(main())
    store.close()
    assert code in (grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.CANCELLED)
    assert service.told < 1000  # of 10 kB each


def memory() -> int:
    """The most bytes this process ever held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def test_a_bot_that_does_not_read_is_cut_off_and_its_matches_go_on(tmp_path: Path) -> None:
    limits: dict[str, Any] = {"write_timeout": 0.3, "outbox_bytes": 200_000, "per_decision": 0.2, "on_forfeit": "end"}
    with hosted(tmp_path, **limits) as host, host.client() as organiser, host.client(options=SMALL_WINDOW) as slow:
        bot = slow.bot("slow", texts=True, view_format=play_pb2.VIEW_FORMAT_JSON)
        host.until(lambda: "slow" in host.server.arena.sessions, "the bot is there")
        session = host.call(lambda: host.server.arena.sessions["slow"])
        begun: list[str] = []
        while host.call(lambda: "slow" in host.server.arena.sessions) and len(begun) < 100:
            with suppress(grpc.RpcError):  # it may be cut off at this very moment
                begun.append(organiser.begin(["slow", "builtin:random"]))
            assert host.call(lambda: sum(message.ByteSize() for message, _ in session.outbox)) <= 200_000
        host.until(lambda: not host.server.arena.sessions, "the bot is cut off")
        host.until(lambda: not host.server.arena.live, "its matches end")
        assert begun
        reasons = {organiser.match(match_id).result.seats[0].forfeit for match_id in begun}
        assert reasons <= {
            game_pb2.FORFEIT_REASON_DISCONNECTED,
            game_pb2.FORFEIT_REASON_SILENT,
            game_pb2.FORFEIT_REASON_TIMEOUT,
        }
        assert game_pb2.FORFEIT_REASON_UNSPECIFIED not in reasons
        bot.leave()


class Wire:
    """A line between a client and a server that can go dead without either of them being told."""

    def __init__(self, address: str) -> None:
        host, _, port = address.rpartition(":")
        self._target = (host, int(port))
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self.dead = threading.Event()
        self._sockets: list[socket.socket] = [self._listener]
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def _accept(self) -> None:
        try:
            near, _ = self._listener.accept()
        except OSError:
            return
        far = socket.create_connection(self._target)
        self._sockets += [near, far]
        for source, sink in ((near, far), (far, near)):
            self._threads.append(threading.Thread(target=self._carry, args=(source, sink)))
            self._threads[-1].start()

    def _carry(self, source: socket.socket, sink: socket.socket) -> None:
        try:
            while data := source.recv(65_536):
                if not self.dead.is_set():
                    sink.sendall(data)
        except OSError:
            pass

    def close(self) -> None:
        """Cut it for good."""
        for one in self._sockets:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        for thread in self._threads:
            thread.join(PATIENCE)


def test_half_open_connections_end_by_keepalive(tmp_path: Path) -> None:
    with hosted(tmp_path, keepalive=1.0, keepalive_timeout=0.5) as host:
        wire = Wire(host.address)
        try:
            with connect(wire.address) as client:
                client.bot("anna").hear("welcome")
                assert list(host.call(lambda: dict(host.server.arena.sessions))) == ["anna"]
                wire.dead.set()
                begin = time.monotonic()
                host.until(lambda: not host.server.arena.sessions, "the dead connection is noticed")
                assert time.monotonic() - begin < PATIENCE
        finally:
            wire.close()


class Slow(server_pb2_grpc.ServerServiceServicer):
    """Answers when it is told to."""

    def __init__(self) -> None:
        self.go_on = asyncio.Event()
        self.asked = 0

    async def GetServerInfo(  # noqa: N802
        self, _request: server_pb2.GetServerInfoRequest, _context: Any
    ) -> server_pb2.GetServerInfoResponse:
        """Takes its time."""
        self.asked += 1
        await self.go_on.wait()
        return server_pb2.GetServerInfoResponse()


def test_calls_at_once(tmp_path: Path) -> None:
    """Calls keep their places until they are answered; one more of the same caller is refused."""
    store = Store(str(tmp_path / "s.db"))

    async def main() -> Any:
        service = Slow()
        edge = Edge(Gatekeeper(store, required=False), Metrics(), Settings(max_calls_at_once=2))
        server = grpc.aio.server()
        server_pb2_grpc.add_ServerServiceServicer_to_server(edge.guard(service, SERVICES["ServerService"]), server)
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel, asyncio.timeout(PATIENCE):
            stub: Any = server_pb2_grpc.ServerServiceStub(channel)
            waiting = [stub.GetServerInfo(INFO) for _ in range(2)]
            while service.asked < 2:
                await asyncio.sleep(0.01)
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await stub.GetServerInfo(INFO)
            service.go_on.set()
            for call in waiting:
                await call
            await stub.GetServerInfo(INFO)
        await server.stop(0)
        return caught.value

    assert quota(asyncio.run(main())) == "calls"
    store.close()
