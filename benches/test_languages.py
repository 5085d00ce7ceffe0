"""The measuring of the languages itself: both servers get answers from a bot."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from benches import languages
from tests.languages.clients import present_clients


def test_decisions_of_a_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(languages, "SECONDS", 0.3)
    clients = [client for client in present_clients() if client.language == "python"]
    (row,) = asyncio.run(languages.measure(clients, tmp_path, rounds=1))
    assert row.pop("language") == "python"
    assert set(row) == {"bare_1", "bare_16", "processor_1", "processor_16", "arena_1", "arena_16"}
    assert all(rate > 0 for rate in row.values()), row
