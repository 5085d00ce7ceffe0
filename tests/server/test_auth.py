"""Who may do what: every call with every kind of token, and what becomes of tokens."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.rpc import error_details_pb2

from hansa_client.pb.hansa.v1 import engine_pb2, match_pb2, play_pb2, watch_pb2
from hansa_server.auth import ROLES, Gatekeeper, Role, create_token, digest
from hansa_server.errors import BadField, NotFound, WhoAreYou
from hansa_server.store import Store, utc_now
from tests.server.hosting import METHODS, PATIENCE, Client, Host, details, hosted, refused

ALL = {"bot", "organiser", "watcher"}
ANYBODY = {*ALL, "none", "nonsense", "expired", "revoked"}

# Who may make which call. A call of the contract that has no row here fails the first test.
TABLE = {
    "/hansa.v1.ServerService/GetServerInfo": ANYBODY,
    "/hansa.v1.PlayService/Play": {"bot"},
    "/hansa.v1.MatchService/ListBots": ALL,
    "/hansa.v1.MatchService/CreateMatch": {"organiser"},
    "/hansa.v1.MatchService/GetMatch": ALL,
    "/hansa.v1.MatchService/ListMatches": ALL,
    "/hansa.v1.MatchService/GetRecord": ALL,
    "/hansa.v1.MatchService/AbortMatch": {"organiser"},
    "/hansa.v1.WatchService/WatchMatch": ALL,
    "/hansa.v1.WatchService/WatchMatches": ALL,
    "/hansa.v1.TournamentService/CreateTournament": {"organiser"},
    "/hansa.v1.TournamentService/GetTournament": ALL,
    "/hansa.v1.TournamentService/ListTournaments": ALL,
    "/hansa.v1.TournamentService/StartTournament": {"organiser"},
    "/hansa.v1.TournamentService/PauseTournament": {"organiser"},
    "/hansa.v1.TournamentService/ResumeTournament": {"organiser"},
    "/hansa.v1.TournamentService/StopTournament": {"organiser"},
    "/hansa.v1.TournamentService/SetConcurrency": {"organiser"},
    "/hansa.v1.TournamentService/EnterBot": {"organiser"},
    "/hansa.v1.TournamentService/WithdrawBot": {"organiser"},
    "/hansa.v1.TournamentService/GetStandings": ALL,
    "/hansa.v1.TournamentService/GetCrosstable": ALL,
    "/hansa.v1.TournamentService/ListTournamentMatches": ALL,
    "/hansa.v1.TournamentService/GetBotLog": {"organiser"},
    "/hansa.v1.TournamentService/WatchTournament": ALL,
    "/hansa.v1.TournamentService/ExportTournament": ALL,
    "/hansa.v1.EngineService/ListGames": ALL,
    "/hansa.v1.EngineService/ListBoards": ALL,
    "/hansa.v1.EngineService/GetBoard": ALL,
    "/hansa.v1.EngineService/NewGame": ALL,
    "/hansa.v1.EngineService/GetPosition": ALL,
    "/hansa.v1.EngineService/ApplyActions": ALL,
    "/hansa.v1.EngineService/DescribeActions": ALL,
    "/hansa.v1.EngineService/ParseActions": ALL,
    "/hansa.v1.EngineService/RunPlayouts": ALL,
    "/hansa.v1.EngineService/CountPerft": ALL,
    "/hansa.v1.EngineService/AnalysePosition": ALL,
}
REFUSALS = (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED)


def test_every_call_has_a_row() -> None:
    assert set(TABLE) == set(METHODS)
    assert set(ROLES) == set(METHODS)


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Client]]:
    """A server that needs tokens and has a running match, and a client with each kind of token."""
    with hosted(tmp_path_factory.mktemp("doors"), tokens=True) as host:
        tokens: dict[str, str | None] = {role.value: host.token(role, f"a-{role.value}") for role in Role}
        tokens["none"] = None
        tokens["nonsense"] = "hansa_nonsense"
        tokens["expired"] = host.token(Role.ORGANISER, "late", lifetime=timedelta(seconds=-1))
        tokens["revoked"] = host.token(Role.ORGANISER, "gone")
        host.call(lambda: host.server.store.revoke_token(id_of(host, "gone"), utc_now()))
        clients = {}
        with host.client(tokens["organiser"]) as organiser, host.client(host.token(Role.BOT, "seated")) as seated:
            seated.bot().hear("welcome")
            organiser.begin(["seated", "builtin:random"])
            for name, token in tokens.items():
                clients[name] = Client(organiser.channel, token)
            yield clients


def id_of(host: Host, name: str) -> str:
    """The id of the token of this name."""
    return next(str(row.token_id) for row in host.server.store.list_tokens() if row.name == name)


def attempt(client: Client, path: str) -> Any:
    """Make a call that is as empty as can be; the error, or None if it went well."""
    kind = "unary_stream" if METHODS[path].server_streaming else "unary_unary"
    if METHODS[path].client_streaming:
        kind = "stream_stream"
    request: Any = watch_pb2.WatchMatchesRequest(include_running=True).SerializeToString()
    if not path.endswith("/WatchMatches"):
        request = b""
    method = getattr(client.channel, kind)(path)
    try:
        answer = method(
            iter([request]) if kind == "stream_stream" else request, timeout=PATIENCE, metadata=client.metadata
        )
        if kind != "unary_unary":
            next(answer)
            answer.cancel()
    except grpc.RpcError as error:
        return error
    return None


@pytest.mark.parametrize("path", METHODS)
@pytest.mark.parametrize("role", sorted(ANYBODY))
def test_table(doors: dict[str, Client], path: str, role: str) -> None:
    error = attempt(doors[role], path)
    if role in TABLE[path]:
        assert error is None or error.code() not in REFUSALS, error
    else:
        known = role in ALL
        assert error is not None
        assert error.code() is REFUSALS[known]
        info = details(error, error_details_pb2.ErrorInfo)
        assert (info.reason, info.domain) == ("NOT_ALLOWED" if known else "BAD_TOKEN", "hansa.v1")


@pytest.mark.parametrize("header", ["", "Bearer", "Basic abc", "hansa_abc", "Bearer \N{SNOWMAN}"])
def test_headers_that_are_no_token(tmp_path: Path, header: str) -> None:
    store = Store(str(tmp_path / "s.db"))
    with pytest.raises(WhoAreYou):
        Gatekeeper(store, required=True).admit("/hansa.v1.MatchService/ListBots", header)
    store.close()


def test_only_the_hash_is_stored(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "s.db"))
    _, token = create_token(store, Role.BOT, "anna")
    (row,) = store.list_tokens()
    assert row.hash == digest(token)
    assert token not in str(row)
    store.close()
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert row.hash.encode() in stored
    assert token.encode() not in stored
    assert token.removeprefix("hansa_").encode() not in stored


def test_tokens_are_long_and_differ(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "s.db"))
    made = {create_token(store, Role.WATCHER, "w")[1] for _ in range(20)}
    assert len(made) == 20
    assert all(len(token) >= 40 for token in made)
    with pytest.raises(BadField, match="name"):
        create_token(store, Role.BOT, "two words")
    with pytest.raises(NotFound):
        store.revoke_token("nothing", utc_now())
    store.close()


def test_revoked_and_expired_tokens_end_open_streams(tmp_path: Path) -> None:
    with hosted(tmp_path, tokens=True, token_check=0.05) as host:
        token, other = host.token(Role.BOT, "anna"), host.token(Role.BOT, "bert")
        short = host.token(Role.WATCHER, "carla", lifetime=timedelta(seconds=2))
        with host.client(token) as anna, host.client(other) as bert, host.client(short) as carla:
            playing, staying = anna.bot(), bert.bot()
            playing.hear("welcome")
            staying.hear("welcome")
            watching = carla.watch.WatchMatches(watch_pb2.WatchMatchesRequest(), metadata=carla.metadata)
            host.call(lambda: host.server.store.revoke_token(id_of(host, "anna"), utc_now()))
            error: Any = playing.ended()
            assert error.code() is grpc.StatusCode.UNAUTHENTICATED
            assert "was revoked" in error.details()
            host.until(lambda: set(host.server.arena.sessions) == {"bert"}, "anna leaves")
            late = refused(lambda: watching)
            assert (late.code(), "has expired" in late.details()) == (grpc.StatusCode.UNAUTHENTICATED, True)
            again: Any = anna.bot().ended()
            assert again.code() is grpc.StatusCode.UNAUTHENTICATED
            assert staying.call.is_active()
            staying.leave()


def test_a_bot_plays_under_the_name_of_its_token(tmp_path: Path) -> None:
    with hosted(tmp_path, tokens=True) as host, host.client(host.token(Role.BOT, "anna")) as anna:
        assert anna.bot().hear("welcome").name == "anna"
        assert anna.bot("anna").hear("welcome").name == "anna"
        error: Any = anna.bot("bert").ended()
        assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
        (violation,) = details(error, error_details_pb2.BadRequest).field_violations
        assert violation.field == "hello.name"
        assert "'anna'" in violation.description


def test_without_tokens_everybody_is_everything(tmp_path: Path) -> None:
    with hosted(tmp_path) as host, host.client("hansa_whatever") as client:
        client.bot("anna").hear("welcome")
        assert client.begin(["anna", "builtin:greedy"])
        listed = client(client.matches.ListBots, match_pb2.ListBotsRequest())
        assert [bot.name for bot in listed.bots] == ["anna"]
        assert client(client.engine.ListGames, engine_pb2.ListGamesRequest()).games
        assert client.bot("bert", view_format=play_pb2.VIEW_FORMAT_JSON).hear("welcome")


def test_without_tokens_a_good_one_still_gives_its_name(tmp_path: Path) -> None:
    with hosted(tmp_path) as host:
        token, watcher = host.token(Role.BOT, "anna"), host.token(Role.WATCHER, "carla")
        gone = host.token(Role.BOT, "gone")
        host.call(lambda: host.server.store.revoke_token(id_of(host, "gone"), utc_now()))
        with host.client(token) as anna, host.client(watcher) as carla, host.client(gone) as other:
            assert anna.bot().hear("welcome").name == "anna"
            error: Any = anna.bot("bert").ended()
            assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
            assert "'anna'" in error.details()
            # What a token is not for, and a token that is worth nothing, is as if there were none.
            assert other.bot("dora").hear("welcome").name == "dora"
            assert carla.bot("emil").hear("welcome").name == "emil"
            assert carla.begin(["anna", "builtin:greedy"])
            assert anna.begin(["emil", "builtin:greedy"])


@pytest.mark.parametrize("tokens", [True, False])
def test_lent_tokens(tmp_path: Path, tokens: bool) -> None:
    with hosted(tmp_path, tokens=tokens, token_check=0.05) as host:
        keeper = host.server.gatekeeper
        token_id, token = host.call(lambda: keeper.lend("anna.1"))
        kept = host.call(lambda: keeper.lend("bert.1"))[1]
        assert host.call(host.server.store.list_tokens) == [], "nothing is stored"
        with host.client(token) as anna, host.client(kept) as bert:
            playing, staying = anna.bot(), bert.bot()
            assert playing.hear("welcome").name == "anna.1"
            assert staying.hear("welcome").name == "bert.1"
            host.call(lambda: keeper.take_back(token_id))
            error: Any = playing.ended()
            assert (error.code(), "was taken back" in error.details()) == (grpc.StatusCode.UNAUTHENTICATED, True)
            again: Any = anna.bot().ended()
            refusal = grpc.StatusCode.UNAUTHENTICATED if tokens else grpc.StatusCode.INVALID_ARGUMENT
            assert again.code() is refusal, "it has no name any more"
            assert staying.call.is_active()
        if tokens:
            with host.client(kept) as bert:
                refusal = refused(lambda: bert.begin(["builtin:greedy", "builtin:greedy"])).code()
                assert refusal is grpc.StatusCode.PERMISSION_DENIED
    with pytest.raises(BadField, match="name"):
        keeper.lend("two words")
