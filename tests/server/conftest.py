"""What the tests of the arena share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import structlog
from structlog.testing import LogCapture


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
