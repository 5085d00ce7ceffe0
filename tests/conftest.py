"""What holds for a whole run of tests: whether the store is tested with PostgreSQL, too."""

from __future__ import annotations

import os
from importlib.util import find_spec

import pytest

from tests.server.postgres import binaries

REQUIRE = "HANSA_REQUIRE_POSTGRESQL"


def _is_missing() -> bool:
    """Whether tests will be left out; without the server none of them needs a database."""
    return find_spec("hansa_server") is not None and binaries() is None


def pytest_configure() -> None:
    """Where everything has to be tested, nothing is left out quietly."""
    if _is_missing() and (os.environ.get(REQUIRE) == "1" or os.environ.get("CI") == "true"):
        raise pytest.UsageError(
            f"PostgreSQL is not installed, and with {REQUIRE}=1 or CI=true the store is tested with it: "
            "`make postgresql` installs it"
        )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say plainly what was left out."""
    if _is_missing():
        text = "PostgreSQL is not installed: the store was tested with SQLite only; `make postgresql` installs it"
        terminalreporter.write_line(text, yellow=True)
