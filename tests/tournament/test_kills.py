"""Servers and bots of a tournament that are killed; `make soak-tournament` does it for longer."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.tournament.kills import check

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="local bots are started on Linux only")

KILLS = int(os.environ.get("HANSA_TEST_KILLS", "4"))


def test_the_report_is_the_same_after_kills(address: str, tmp_path: Path) -> None:
    killed = check(1, address, tmp_path, KILLS, rounds=1)
    assert killed["server"] >= 1


def test_a_swiss_event_is_the_same_after_kills(tmp_path: Path) -> None:
    killed = check(2, str(tmp_path / "arena.db"), tmp_path, KILLS, rounds=2, kind="swiss")
    assert killed["server"] >= 1
