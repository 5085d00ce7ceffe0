"""Every client does what `hansa bot check` wants, and what the options every bot has promise."""

from __future__ import annotations

import asyncio
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hansa_client import Bot
from hansa_client.check import check_command
from hansa_client.check._steps import all_steps
from hansa_server.auth import Role, create_token
from hansa_server.wire import view_to_proto
from tests.client.arena import arena, playing, run, until
from tests.languages.clients import Client
from tests.languages.table import failures, running

TLS = Path(__file__).parents[1] / "client" / "tls"


def test_the_check(client: Client, tmp_path: Path) -> None:
    """Both games, every phase, reconnection, refused answers, the end of matches and of the server."""
    log = tmp_path / "log"
    command = ["sh", "-c", 'exec "$@" > "$0" 2>&1', str(log), *client.command()]
    report = check_command(shlex.join(command), patience=60.0, view_message=view_to_proto)
    written = log.read_text(encoding="utf-8")
    assert report.is_right, (report.to_dict(), written)
    assert [step.name for step in report.steps] == [step.name for step in all_steps()]
    assert not any(step.notes for step in report.steps), report.to_dict()
    assert failures(written) == []


def test_the_random_bot(client: Client) -> None:
    """The other bot speaks the same protocol; a few steps of each kind show it."""
    steps = ("teutonica main", "hansa main", "many", "rejected", "cut", "stop")
    report = check_command(shlex.join(client.command("random")), patience=60.0, only=steps)
    assert report.is_right, report.to_dict()
    assert not any(step.notes for step in report.steps), report.to_dict()


def test_tokens_and_tls(client: Client, tmp_path: Path) -> None:
    """A token over TLS, with a certificate of the bot's own; the bot plays under the token's name."""

    async def work() -> None:
        settings = {
            "tls_certificate": TLS / "server.pem",
            "tls_key": TLS / "server.key",
            "tls_client_ca": TLS / "ca.pem",
        }
        async with arena(tmp_path, tokens=True, **{name: str(path) for name, path in settings.items()}) as there:
            _, token = create_token(there.server.store, Role.BOT, "anna")
            file = tmp_path / "anna.token"
            file.write_text(token + "\n", encoding="utf-8")
            options = {"tls-ca": TLS / "ca.pem", "tls-cert": TLS / "client.pem", "tls-key": TLS / "client.key"}
            words = [word for name, path in options.items() for word in (f"--{name}", str(path))]
            async with running(client, tmp_path, "--server", there.address, "--token-file", str(file), *words) as bot:
                await until(lambda: "anna" in there.server.arena.sessions or bot.has_ended)
                assert "anna" in there.server.arena.sessions, bot.written()
                bot.say_stop()
                assert await bot.ended() == 0, bot.written()

    run(work())


def test_a_wrong_token(client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Trying again would not help, so the bot ends and says why."""
    monkeypatch.setenv("HANSA_TOKEN", "hansa_wrong")

    async def work() -> None:
        async with arena(tmp_path, tokens=True) as there:
            monkeypatch.setenv("HANSA_SERVER", there.address)
            async with running(client, tmp_path) as bot:
                assert await bot.ended() != 0
                assert "the server does not accept the token" in bot.written()

    run(work())


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--server", "example.org:7717"), "must not travel in the open"),
        (("--server", "nowhere"), "--server must be HOST:PORT"),
        (("--tls-cert", "cert.pem"), "--tls-cert and --tls-key come together"),
        (("--token-file", "no-such-file"), "no-such-file"),
    ],
)
def test_options_that_cannot_be(
    client: Client, options: tuple[str, ...], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bot ends at once and says what would be right; the token goes nowhere."""
    monkeypatch.setenv("HANSA_TOKEN", "secret")
    done = subprocess.run(
        [*client.command(), *options], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode != 0
    assert told in done.stdout + done.stderr
    assert "secret" not in done.stdout + done.stderr


class _Sleeping(Bot):
    """Never decides."""

    name = "sleeping"

    async def choose(self, view: Any, legal: Any) -> Any:  # noqa: ARG002
        await asyncio.Event().wait()


def test_the_second_signal_ends_at_once(client: Client, tmp_path: Path) -> None:
    """After the first one the running match goes on; it would never end."""

    async def work() -> None:
        async with arena(tmp_path) as there, playing(_Sleeping(), there.address):
            options = ("--server", there.address, "--name", "leaving")
            async with running(client, tmp_path, *options) as bot:
                await there.connected("sleeping", "leaving")
                match_id = await there.begin("sleeping", "leaving", game="hansa")
                bot.say_stop()
                await asyncio.sleep(0.5)
                assert not bot.has_ended, bot.written()
                assert match_id in there.server.arena.live
                bot.say_stop()
                await bot.ended()
                await until(lambda: "leaving" not in there.server.arena.sessions)
                assert match_id in there.server.arena.live

    run(work())
