"""The tests of all clients take each of them in turn."""

from __future__ import annotations

import os
import sys

import pytest

from tests.languages.clients import REQUIRED, Client, all_clients, left_out, present_clients


def pytest_report_header() -> list[str]:
    """Say plainly what is left out."""
    return left_out()


@pytest.fixture(autouse=True)
def _same_packages_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """What can be imported here can be imported by every bot a test starts, and no token of the user's is used."""
    paths = [os.path.abspath(path) for path in sys.path if os.path.isdir(path)]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    for name in ("HANSA_SERVER", "HANSA_TOKEN"):
        monkeypatch.delenv(name, raising=False)


def _built(client: Client) -> Client:
    if client.missing:
        pytest.fail(
            f"the {client.language} client is required (HANSA_REQUIRE_CLIENTS), but there is no {client.missing}"
        )
    client.make()
    return client


@pytest.fixture(params=all_clients() if REQUIRED else present_clients(), ids=lambda client: client.language)
def client(request: pytest.FixtureRequest) -> Client:
    """Each client, built."""
    return _built(request.param)


@pytest.fixture
def clients() -> list[Client]:
    """All clients, built."""
    return [_built(client) for client in (all_clients() if REQUIRED else present_clients())]
