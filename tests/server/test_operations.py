"""Running a server: the commands, its log, its numbers, health, reflection, errors, and how it stops."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import hansa_fast as hf
from hansa_client.pb.hansa.v1 import engine_pb2, match_pb2, play_pb2, server_pb2, watch_pb2
from hansa_fast.cli import main
from hansa_server import errors
from hansa_server.auth import Role, create_token
from hansa_server.errors import ArenaError, as_arena_error, grpc_status
from hansa_server.settings import Settings, load_settings
from hansa_server.store import Store
from hansa_server.traces import make_traces
from tests.cli.runner import Done, Stream
from tests.server.hosting import PATIENCE, SERVICES, Authority, Client, client, details, hosted, refused

SERVING, NOT_SERVING = health_pb2.HealthCheckResponse.SERVING, health_pb2.HealthCheckResponse.NOT_SERVING
NAMES = [service.full_name for service in SERVICES.values()]


@pytest.fixture
def hansa(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Done]:
    """Runs the command `hansa` in the folder of the test; variables may be given."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("HANSA_")]:
        monkeypatch.delenv(name)

    def call(*words: str, **variables: str) -> Done:
        out, err = Stream(), Stream()
        with monkeypatch.context() as patch:
            for name, value in variables.items():
                patch.setenv(name, value)
            for name, stream in (("stdin", Stream()), ("stdout", out), ("stderr", err)):
                patch.setattr(sys, name, stream)
            code = main(words)
        return Done(code, out.getvalue(), err.getvalue())

    return call


class Serving:
    """`hansa serve` as a process of its own."""

    def __init__(self, folder: Path, *words: str, **environment: str) -> None:
        known = {name: value for name, value in os.environ.items() if not name.startswith("HANSA_")}
        command = [sys.executable, "-m", "hansa_fast.cli", "serve", "--address", "127.0.0.1:0", *words]
        self.log = folder / "server.log"
        with self.log.open("w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                command, cwd=folder, env={**known, **environment}, stdout=subprocess.PIPE, stderr=log, text=True
            )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line.startswith("listening on 127.0.0.1:"), self.log.read_text(encoding="utf-8")
        self.address = line.split()[-1]

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Ask it to stop, and wait until it has."""
        self.process.send_signal(number)
        code = self.process.wait(PATIENCE)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code


@contextmanager
def serving(folder: Path, *words: str, **environment: str) -> Iterator[Serving]:
    """A server that is stopped at the end, whatever happens."""
    server = Serving(folder, *words, **environment)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            assert server.stop() == 0


# -- The commands --------------------------------------------------------------------------------------------------


def test_serve_with_defaults_warns_that_tokens_are_off(tmp_path: Path) -> None:
    with serving(tmp_path, "--port-file", "port", "--stop-grace", "0") as server:
        assert (tmp_path / "port").read_text(encoding="utf-8") == f"{server.address.rpartition(':')[2]}\n"
        with client(server.address) as anna:
            anna.bot("anna").hear("welcome")
            assert anna.begin(["anna", "builtin:random"])
        assert (tmp_path / "hansa.db").exists()
        assert server.stop(signal.SIGINT) == 0
    log = server.log.read_text(encoding="utf-8")
    assert "tokens are off" in log
    assert "stopped" in log
    assert "parked=1" in log
    assert "Traceback" not in log


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_tells_bots_and_parks_matches(tmp_path: Path, number: int) -> None:
    with serving(tmp_path, "--stop-grace", "0.1") as server, client(server.address) as anna:
        bot = anna.bot("anna")
        bot.hear("welcome")
        match_id = anna.begin(["anna", "builtin:random", "builtin:random"])
        question = bot.hear("decision_request")
        assert server.stop(number) == 0
        assert bot.hear("notice").kind == play_pb2.NOTICE_KIND_SHUTTING_DOWN
        error: Any = bot.ended()
        assert error.code() is grpc.StatusCode.UNAVAILABLE
        assert details(error, error_details_pb2.RetryInfo).retry_delay.seconds >= 1
    with serving(tmp_path) as server, client(server.address) as anna:
        bot = anna.bot("anna")
        assert bot.hear("match_started").match_id == match_id
        again = bot.hear("decision_request")
        assert (again.sequence, again.legal_actions) == (question.sequence, question.legal_actions)
        bot.answer(again)
        ended = bot.play()
        assert ended.match_id == match_id
        assert not any(seat.forfeit for seat in ended.result.seats)


def test_options_file_and_environment(tmp_path: Path, hansa: Callable[..., Done]) -> None:
    (tmp_path / "arena.toml").write_text('store = "file.db"\nforgiven = 7\n', encoding="utf-8")
    variables = {"HANSA_STORE": "variable.db", "HANSA_FORGIVEN": "8", "HANSA_BANK": "9"}
    done = hansa("serve", "--print-config", "--config", "arena.toml", "--store", "o.db", **variables)
    assert done.code == 0, done.err
    (tmp_path / "printed.toml").write_text(done.out, encoding="utf-8")
    settings = load_settings({}, {}, tmp_path / "printed.toml")
    assert (settings.store, settings.forgiven, settings.bank) == ("o.db", 7, 9.0)
    assert settings == Settings(store="o.db", forgiven=7, bank=9.0)
    again = hansa("serve", "--print-config", HANSA_CONFIG="printed.toml")
    assert again.out == done.out


def test_every_setting_is_an_option(hansa: Callable[..., Done]) -> None:
    done = hansa("serve", "--help", COLUMNS="200")
    for part in fields(Settings):
        assert f"--{part.name.replace('_', '-')}" in done.out
    assert "--no-tokens" in done.out


@pytest.mark.parametrize(
    ("words", "code", "problem"),
    [
        (["serve", "--address", "nowhere"], 2, "address: must be host:port"),
        (["serve", "--on-forfeit", "x"], 2, "on_forfeit: must be one of end, replace"),
        (["serve", "--config", "no.toml"], 3, "no.toml: cannot be read: No such file"),
        (["serve", "--config", "bad.toml"], 2, "bad.toml: adress: is no setting"),
        (["serve", "--store", "no/such/folder.db"], 3, "no/such/folder.db cannot be opened"),
        (["serve", "--adress", "x:1"], 2, "--address"),
        (["serve", "--tls-certificate", "c.pem", "--tls-key", "k.pem"], 3, "k.pem: cannot be read"),
        (["lobby", "--server", "127.0.0.1:1"], 4, "no server can be reached at 127.0.0.1:1"),
        (["lobby", "--tls-cert", "c.pem"], 2, "--tls-cert and --tls-key come together"),
        (["lobby", "--token-file", "no.token"], 3, "no.token: cannot be read"),
        (["match", "--bot", "greedy"], 2, "at least two bots"),
        (["match", "--bot", "gredy", "--bot", "random"], 2, "did you mean greedy?"),
        (["match", "--bot", "greedy", "--bot", "random", "--bank", "5"], 2, "--server"),
        (["match", "--bot", "no.py", "--bot", "random"], 2, "no.py"),
        (["match", "--bot", "greedy", "--bot", "random", "--board", "esat"], 2, "did you mean east?"),
        (["token", "list", "--store", "no.db"], 3, "no.db: there is no such store"),
        (["token", "create", "--name", "two words"], 2, "--name: must be 1 to 64 letters"),
        (["token", "create", "--name", "a", "--days", "0"], 2, "--days"),
        (["token", "create", "--name", "a", "--role", "king"], 2, "--role"),
        (["token", "revoke", "12345678", "--store", "some.db"], 2, "there is no token '12345678'"),
    ],
)
def test_mistakes(tmp_path: Path, words: list[str], code: int, problem: str, hansa: Callable[..., Done]) -> None:
    (tmp_path / "bad.toml").write_text("adress = 1", encoding="utf-8")
    Store(str(tmp_path / "some.db")).close()
    done = hansa(*words)
    assert (done.code, done.out) == (code, ""), done.err
    told = [line for line in done.err.splitlines() if line.startswith("hansa: ")]
    assert len(told) == 1
    assert problem in done.err
    assert "Traceback" not in done.err


def test_two_servers_on_one_port(tmp_path: Path, hansa: Callable[..., Done]) -> None:
    with serving(tmp_path) as server:
        done = hansa("serve", "--address", server.address, "--store", "other.db")
        assert done.code == 2
        assert f"cannot listen on {server.address}" in done.err


def test_tokens_from_the_command_line(tmp_path: Path, hansa: Callable[..., Done]) -> None:
    made = hansa("token", "create", "--role", "organiser", "--name", "boss", "--days", "1", "--json")
    boss = json.loads(made.out)
    plain = hansa("token", "create", "--name", "anna")
    assert re.fullmatch(r"hansa_\S{40,}\n", plain.out)
    assert "it is not shown again" in plain.err
    (tmp_path / "anna.token").write_text(plain.out, encoding="utf-8")
    with serving(tmp_path, "--tokens", "--token-check", "0.1") as server:
        listed = hansa("token", "list", "--json")
        rows = json.loads(listed.out)
        assert [(row["name"], row["role"], row["state"]) for row in rows] == [
            ("boss", "organiser", "good"),
            ("anna", "bot", "good"),
        ]
        assert plain.out.strip() not in listed.out + hansa("token", "list").out
        lobby = ["lobby", "--server", server.address, "--json"]
        assert json.loads(hansa(*lobby, "--token-file", "anna.token").out) == []
        assert json.loads(hansa(*lobby, HANSA_TOKEN=boss["token"]).out) == []
        refusal = hansa(*lobby)
        assert refusal.code == 4
        assert "unauthenticated" in refusal.err
        assert "--token" in refusal.err
        wrong = hansa(
            "match",
            "--server",
            server.address,
            "--token-file",
            "anna.token",
            "--bot",
            "a",
            "--bot",
            "b",
        )
        assert (wrong.code, "permission denied" in wrong.err) == (4, True)
        with client(server.address, plain.out.strip()) as anna:
            bot = anna.bot()
            bot.hear("welcome")
            assert hansa("token", "revoke", rows[1]["id"]).code == 0
            error: Any = bot.ended()
            assert error.code() is grpc.StatusCode.UNAUTHENTICATED
    states = {row["name"]: row["state"] for row in json.loads(hansa("token", "list", "--json").out)}
    assert states == {"boss": "good", "anna": "revoked"}


def test_match_here(tmp_path: Path, hansa: Callable[..., Done]) -> None:
    words = [
        "match",
        "--bot",
        "greedy",
        "--bot",
        "random",
        "--bot",
        "builtin:random",
        "--seed",
        "7",
        "--turn-limit",
        "60",
    ]
    done = hansa(*words, "--save", "m.hansa", "--json")
    value = json.loads(done.out)
    record = hf.Game.load(tmp_path / "m.hansa")
    assert value["seed"] == 7
    assert [seat["total"] for seat in value["seats"]] == [score["total"] for score in record.state.scores()]
    assert [seat["rank"] for seat in value["seats"]] == list(record.state.result()["ranks"])
    assert value["reasons"] == record.state.result()["reasons"]
    assert (value["match"], value["actions"]) == (None, len(record))
    shown = hansa(*words)
    assert "Result (" in shown.out
    assert hansa(*words, "--json").out == done.out
    hansa_game = hansa("match", "--game", "hansa", "--bot", "greedy", "--bot", "random", "--json")
    assert json.loads(hansa_game.out)["rules"]["game"] == "hansa"


def test_match_of_files_here(tmp_path: Path, hansa: Callable[..., Done]) -> None:
    (tmp_path / "first.py").write_text(
        "from hansa_client import Bot\n\n\nclass First(Bot):\n"
        "    name = 'first'\n\n    def choose(self, view, legal):\n        return legal[0]\n",
        encoding="utf-8",
    )
    words = ["match", "--bot", "first.py", "--bot", "greedy", "--turn-limit", "20", "--seed", "3", "--json"]
    done = hansa(*words)
    assert done.code == 0, done.err
    assert [seat["bot"] for seat in json.loads(done.out)["seats"]] == ["first.py", "greedy"]


def test_match_and_lobby_at_a_server(tmp_path: Path, hansa: Callable[..., Done]) -> None:
    with hosted(tmp_path) as host, host.client() as anna:
        bot = anna.bot("anna", version="1.2", games=["teutonica"])
        bot.hear("welcome")
        player = threading.Thread(target=bot.play)
        player.start()
        at = ["--server", host.address]
        (row,) = json.loads(hansa("lobby", *at, "--json").out)
        assert (row["name"], row["version"], row["games"], row["max_matches"]) == ("anna", "1.2", ["teutonica"], 100)
        assert "anna" in hansa("lobby", *at).out
        words = ["--bot", "anna", "--bot", "builtin:greedy", "--turn-limit", "10", "--seed", "4"]
        clock = [
            "--per-decision",
            "20",
            "--bank",
            "60",
            "--increment",
            "0.5",
            "--grace",
            "0.1",
            "--on-forfeit",
            "replace",
        ]
        done = hansa("match", *at, *words, *clock, "--save", "m.hansa", "--json")
        player.join(PATIENCE)
        assert done.code == 0, done.err
        value = json.loads(done.out)
        record = hf.Game.load(tmp_path / "m.hansa")
        assert (record.seed, record.tags["Match"]) == (4, value["match"])
        assert [seat["total"] for seat in value["seats"]] == [score["total"] for score in record.state.scores()]
        stored = anna.match(value["match"])
        assert (stored.clock.bank.seconds, stored.clock.increment.nanos) == (60, 500_000_000)
        assert stored.forfeit_policy == match_pb2.FORFEIT_POLICY_REPLACE
        absent = hansa("match", *at, "--bot", "bert", "--bot", "builtin:greedy")
        assert (absent.code, "bert: is not connected" in absent.err) == (4, True)
        senseless = hansa("match", *at, *words, "--bank", "0", "--per-decision", "0")
        assert (senseless.code, "clock: needs a limit" in senseless.err) == (2, True)


def test_watching_the_lobby(tmp_path: Path, hansa: Callable[..., Done], monkeypatch: pytest.MonkeyPatch) -> None:
    with hosted(tmp_path) as host, host.client() as anna:
        looks = 0

        def sleep(_seconds: float) -> None:
            nonlocal looks
            looks += 1
            if looks == 2:  # nothing changed before the second look
                anna.bot("anna").hear("welcome")
            if looks == 3:
                raise KeyboardInterrupt

        monkeypatch.setattr("hansa_fast.cli.lobby.sleep", sleep)
        done = hansa("lobby", "--server", host.address, "--watch")
    assert done.code == 130
    nobody, *table = done.out.splitlines()
    assert nobody == "nobody is connected"
    assert [line.split()[0] for line in table] == ["bot", "anna"]


@pytest.mark.parametrize("command", ["serve", "match", "lobby", "token", "token create", "token list", "token revoke"])
def test_every_help_has_an_example(hansa: Callable[..., Done], command: str) -> None:
    done = hansa(*command.split(" "), "--help")
    assert done.code == 0
    assert f"Example: hansa {command}" in " ".join(done.out.split())


def test_an_aborted_match_is_told(tmp_path: Path, hansa: Callable[..., Done]) -> None:
    with hosted(tmp_path) as host, host.client() as anna:
        anna.bot("anna").hear("welcome")

        def abort() -> None:
            host.until(lambda: host.server.arena.live, "the match begins")
            (match_id,) = host.call(lambda: list(host.server.arena.live))
            anna(anna.matches.AbortMatch, match_pb2.AbortMatchRequest(match_id=match_id))

        aborting = threading.Thread(target=abort)
        aborting.start()
        words = ["match", "--server", host.address, "--bot", "anna", "--bot", "builtin:greedy"]
        done = hansa(*words)
        aborting.join(PATIENCE)
        assert (done.code, "an organiser stopped the match" in done.err) == (1, True)


def test_commands_over_mutual_tls(tmp_path: Path, hansa: Callable[..., Done]) -> None:
    authority = Authority(tmp_path, "authority")
    (certificate, key), (mine, my_key) = authority.issue("server"), authority.issue("me")
    ca = str(authority.certificate)
    settings = {"tls_certificate": str(certificate), "tls_key": str(key), "tls_client_ca": ca}
    words = [word for name, value in settings.items() for word in (f"--{name.replace('_', '-')}", value)]
    with serving(tmp_path, *words) as server:
        lobby = ["lobby", "--server", server.address, "--json", "--tls-ca", ca]
        good = hansa(*lobby, "--tls-cert", str(mine), "--tls-key", str(my_key))
        assert good.out == "[]\n", good.err
        assert hansa(*lobby).code == 4
        assert hansa("lobby", "--server", server.address).code == 4


# -- The log -------------------------------------------------------------------------------------------------------


def test_the_log_is_json_and_holds_no_secret(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "hansa.db"))
    tokens = {name: create_token(store, role, name)[1] for name, role in (("anna", Role.BOT), ("boss", Role.ORGANISER))}
    store.close()
    words = ["--tokens", "--log-format", "json", "--log-level", "debug", "--stop-grace", "0"]
    with serving(tmp_path, *words) as server:
        with client(server.address, tokens["boss"]) as boss, client(server.address, tokens["anna"]) as anna:
            bot = anna.bot()
            bot.hear("welcome")
            match_id = boss.begin(["anna", "builtin:greedy"])
            bot.play()
            refused(lambda: anna(anna.matches.AbortMatch, match_pb2.AbortMatchRequest(match_id=match_id)))
            refused(lambda: boss(boss.matches.GetMatch, match_pb2.GetMatchRequest(match_id="none")))
        with client(server.address, "hansa_wrong-secret") as stranger:
            refused(lambda: stranger(stranger.matches.ListBots, match_pb2.ListBotsRequest()))
    text = server.log.read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    assert all({"event", "level", "timestamp"} <= set(line) for line in lines)
    assert {"serving", "bot connected", "match ended", "call refused", "stopped"} <= {line["event"] for line in lines}
    assert [line["bot"] for line in lines if line["event"] == "bot connected"] == ["anna"]
    assert [line["match"] for line in lines if line["event"] == "match ended"] == [match_id]
    for secret in (*tokens.values(), "wrong-secret"):
        assert secret.removeprefix("hansa_") not in text


def test_the_password_of_a_store_is_not_told(hansa: Callable[..., Done]) -> None:
    done = hansa("serve", "--store", "postgresql://anna:secret@127.0.0.1:1/x")
    assert done.code == 3
    assert "postgresql://***@127.0.0.1:1/x cannot be opened" in done.err
    assert "secret" not in done.err


# -- Numbers and traces --------------------------------------------------------------------------------------------


def numbers(address: str) -> dict[str, float]:
    """What Prometheus would read."""
    with urllib.request.urlopen(f"http://{address}/metrics", timeout=PATIENCE) as response:
        lines = response.read().decode().splitlines()
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines if line[0] != "#")}


def test_metrics(tmp_path: Path) -> None:
    with hosted(tmp_path, metrics_address="127.0.0.1:0") as host, host.client() as anna:
        at = f"127.0.0.1:{host.server.metrics_port}"
        assert numbers(at)["hansa_bots_connected"] == 0
        bot = anna.bot("anna")
        bot.hear("welcome")
        match_id = anna.begin(["anna", "builtin:random", "builtin:random"])
        question = bot.hear("decision_request")
        assert (numbers(at)["hansa_bots_connected"], numbers(at)["hansa_matches_running"]) == (1, 1)
        answers = 0
        while True:  # thinks at least 20 ms the first time
            if answers == 0:
                time.sleep(0.1)
            bot.answer(question)
            answers += 1
            message = next(m for m in bot.call if m.WhichOneof("message") in ("decision_request", "match_ended"))
            if message.WhichOneof("message") == "match_ended":
                break
            question = message.decision_request
        host.until(lambda: not host.server.arena.live, "the end")
        stored, found = anna.match(match_id), numbers(at)
        assert found["hansa_decisions_total"] == stored.actions
        assert found['hansa_matches_ended_total{reason="turn limit"}'] == 1
        assert found["hansa_matches_running"] == 0
        # Between two questions to this bot lies the server's work; the last answer is followed by none.
        assert found["hansa_overhead_seconds_count"] == answers - 1
        assert 0 < found["hansa_overhead_seconds_sum"] < answers * 1.0
        assert found["hansa_think_seconds_count"] == stored.actions
        assert found["hansa_think_seconds_sum"] >= 0.04  # less the grace
        assert found['hansa_calls_total{method="/hansa.v1.MatchService/CreateMatch",status="OK"}'] == 1
        resigned = anna.begin(["anna", "builtin:random"])
        bot.say(resign=play_pb2.Resign(match_id=resigned))
        host.until(lambda: not host.server.arena.live, "the end of the second")
        assert numbers(at)['hansa_forfeits_total{reason="resigned"}'] == 1
        refused(lambda: anna(anna.matches.GetMatch, match_pb2.GetMatchRequest(match_id="none")))
        assert numbers(at)['hansa_calls_total{method="/hansa.v1.MatchService/GetMatch",status="NOT_FOUND"}'] == 1


def test_traces(tmp_path: Path) -> None:
    exporter = InMemorySpanExporter()
    with hosted(tmp_path, traces=make_traces(exporter)) as host, host.client() as anna:
        anna(anna.server.GetServerInfo, server_pb2.GetServerInfoRequest())
        refused(lambda: anna(anna.matches.GetMatch, match_pb2.GetMatchRequest(match_id="none")))

        def names() -> list[str]:
            host.server.traces.flush()
            return [span.name for span in exporter.get_finished_spans()]

        host.until(lambda: len(names()) == 2, "both spans")
        found = names()
    assert found == ["/hansa.v1.ServerService/GetServerInfo", "/hansa.v1.MatchService/GetMatch"]


def test_traces_are_free_when_off(tmp_path: Path) -> None:
    script = "import sys, hansa_server.serve; print([name for name in sys.modules if name.startswith('opentelemetry')])"
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# -- Health, reflection, errors, deadlines -------------------------------------------------------------------------


def test_health(tmp_path: Path) -> None:
    with hosted(tmp_path, tokens=True) as host, host.client() as anna:
        stub: Any = health_pb2_grpc.HealthStub(anna.channel)
        for name in ("", *NAMES):
            answer = stub.Check(health_pb2.HealthCheckRequest(service=name), timeout=PATIENCE)
            assert answer.status == SERVING
        unknown = refused(lambda: stub.Check(health_pb2.HealthCheckRequest(service="none"), timeout=PATIENCE))
        assert unknown.code() is grpc.StatusCode.NOT_FOUND
        watching = stub.Watch(health_pb2.HealthCheckRequest(service=NAMES[0]), timeout=PATIENCE)
        assert next(watching).status == SERVING
        seated = Client(anna.channel, host.token(Role.BOT, "seated"))
        seated.bot().hear("welcome")
        boss = Client(anna.channel, host.token(Role.ORGANISER, "boss"))
        boss.begin(["seated", "builtin:random"])
        stopping = host.stop(grace=1.0)  # while the match runs
        assert next(watching).status == NOT_SERVING
        for name in ("", *NAMES):
            assert stub.Check(health_pb2.HealthCheckRequest(service=name), timeout=PATIENCE).status == NOT_SERVING
        stopping.result(PATIENCE)


def test_reflection(tmp_path: Path) -> None:
    with hosted(tmp_path) as host, host.client() as anna:
        stub: Any = reflection_pb2_grpc.ServerReflectionStub(anna.channel)
        requests = [
            reflection_pb2.ServerReflectionRequest(list_services=""),
            reflection_pb2.ServerReflectionRequest(file_containing_symbol="hansa.v1.PlayService"),
        ]
        listed, file = stub.ServerReflectionInfo(iter(requests), timeout=PATIENCE)
        names = {service.name for service in listed.list_services_response.service}
        assert set(NAMES) < names
        assert "grpc.health.v1.Health" in names
        described = FileDescriptorProto.FromString(file.file_descriptor_response.file_descriptor_proto[0])
        assert described.name == "hansa/v1/play.proto"


DETAILS = {
    "BadField": (grpc.StatusCode.INVALID_ARGUMENT, error_details_pb2.BadRequest, ("field", "problem")),
    "NotFound": (grpc.StatusCode.NOT_FOUND, error_details_pb2.ResourceInfo, ("match", "x")),
    "AlreadyThere": (grpc.StatusCode.ALREADY_EXISTS, error_details_pb2.ResourceInfo, ("tournament", "x")),
    "NotNow": (grpc.StatusCode.FAILED_PRECONDITION, error_details_pb2.PreconditionFailure, ("thing", "problem")),
    "CannotStart": (grpc.StatusCode.FAILED_PRECONDITION, error_details_pb2.PreconditionFailure, ("thing", "problem")),
    "TooMuch": (grpc.StatusCode.RESOURCE_EXHAUSTED, error_details_pb2.QuotaFailure, ("limit", "problem")),
    "NotAllowed": (grpc.StatusCode.PERMISSION_DENIED, error_details_pb2.ErrorInfo, ("no",)),
    "WhoAreYou": (grpc.StatusCode.UNAUTHENTICATED, error_details_pb2.ErrorInfo, ("no",)),
    "Replaced": (grpc.StatusCode.ABORTED, error_details_pb2.ErrorInfo, ("no",)),
    "Stopping": (grpc.StatusCode.UNAVAILABLE, error_details_pb2.RetryInfo, ("no",)),
    "NoStore": (grpc.StatusCode.UNAVAILABLE, error_details_pb2.RetryInfo, ("no",)),
}
CLASSES = {
    name: kind
    for name, kind in vars(errors).items()
    if isinstance(kind, type) and issubclass(kind, ArenaError) and kind is not ArenaError
}


def test_every_error_has_a_row() -> None:
    assert set(CLASSES) == set(DETAILS)
    assert len({kind.reason for kind in CLASSES.values()}) == len(CLASSES)
    for name in CLASSES:
        assert name in (errors.__doc__ or "")


@pytest.mark.parametrize("name", DETAILS)
def test_errors_as_statuses(name: str) -> None:
    code, kind, words = DETAILS[name]
    error = CLASSES[name](*words)
    status = grpc_status(error)
    assert (status.code, status.details) == (code, str(error))

    class Call:
        """As a client has it."""

        code = staticmethod(lambda: status.code)
        details = staticmethod(lambda: status.details)
        trailing_metadata = staticmethod(lambda: status.trailing_metadata)

    assert details(Call, kind) is not None
    info = details(Call, error_details_pb2.ErrorInfo)
    assert (info.reason, info.domain) == (CLASSES[name].reason, "hansa.v1")


def test_errors_of_the_rules_engine_name_their_field() -> None:
    with pytest.raises(hf.RulesError) as caught:
        hf.Rules(board="esat")
    error = as_arena_error(caught.value)
    assert isinstance(error, errors.BadField)
    assert error.name == "board"
    assert "did you mean east?" in error.problem
    assert as_arena_error(KeyError("a mistake of ours")) is None


def test_a_refusal_over_the_wire_names_the_field_and_what_would_be_right(tmp_path: Path) -> None:
    with hosted(tmp_path) as host, host.client() as anna:
        error = refused(lambda: anna(anna.engine.GetBoard, engine_pb2.GetBoardRequest(board="esat")))
        (violation,) = details(error, error_details_pb2.BadRequest).field_violations
        assert "did you mean east?" in violation.description
        error = refused(lambda: anna(anna.matches.GetMatch, match_pb2.GetMatchRequest(match_id="none")))
        found = details(error, error_details_pb2.ResourceInfo)
        assert (found.resource_type, found.resource_name) == ("match", "none")


def test_deadlines(tmp_path: Path) -> None:
    with hosted(tmp_path) as host, host.client() as anna:
        watching = anna.watch.WatchMatches(watch_pb2.WatchMatchesRequest(), timeout=0.2)
        assert refused(lambda: watching).code() is grpc.StatusCode.DEADLINE_EXCEEDED
        host.until(lambda: host.server.edge.open_streams == 0, "the stream is let go")
        position = anna(anna.engine.NewGame, engine_pb2.NewGameRequest()).position
        request = engine_pb2.RunPlayoutsRequest(position=position, playouts=10_000)
        late = refused(lambda: anna.engine.RunPlayouts(request, timeout=0.001))
        assert late.code() is grpc.StatusCode.DEADLINE_EXCEEDED
        assert anna(anna.server.GetServerInfo, server_pb2.GetServerInfoRequest()).games
