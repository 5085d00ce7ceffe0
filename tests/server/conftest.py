"""What the tests of the arena share."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from structlog.testing import LogCapture

from tests.server.postgres import Cluster, binaries

DATABASES = ["sqlite", "postgresql"] if binaries() else ["sqlite"]
_numbers = itertools.count()


@pytest.fixture(autouse=True)
def logs() -> Iterator[LogCapture]:
    """What the server logs; nothing unexpected may be in it."""
    capture = LogCapture()
    before = structlog.get_config()
    structlog.configure(processors=[capture], cache_logger_on_first_use=False)
    yield capture
    structlog.configure(**before)
    failed = [entry for entry in capture.entries if entry["event"] == "a call failed"]
    assert not failed, failed


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """One PostgreSQL for all tests that want one."""
    running = Cluster()
    yield running
    running.close()


@pytest.fixture(params=DATABASES)
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty store of each kind of database."""
    if request.param == "sqlite":
        return str(tmp_path / "arena.db")
    running: Cluster = request.getfixturevalue("cluster")
    return running.database(f"arena{next(_numbers)}")
