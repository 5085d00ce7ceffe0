"""Rule tests of Hansa run on both engines through the fixture `table`."""

from __future__ import annotations

import pytest

from tests.hansa_engines import ENGINES, Tables


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "ruling(*names): the rulings that fail this test when missing or wrong")


@pytest.fixture(params=ENGINES)
def table(request: pytest.FixtureRequest) -> Tables:
    """`table(port)` and `table.new(port)` give a game on the engine at hand."""
    return Tables(request.param)
