"""Rule tests run on both engines through the fixture `table`."""

from __future__ import annotations

import pytest

from tests.engines import ENGINES, Tables


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "ruling(*names): the rulings that fail this test when missing or wrong")


@pytest.fixture(params=ENGINES)
def table(request: pytest.FixtureRequest) -> Tables:
    """`table(position)` and `table.new(position)` give a game on the engine at hand."""
    return Tables(request.param)
