"""Tests of the kit for bots start programs in folders of their own."""

import os
import sys

import pytest

from tests.cli.conftest import run

__all__ = ["run"]


@pytest.fixture(autouse=True)
def _same_packages_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """What can be imported here can be imported by every program a test starts, in whatever folder."""
    paths = [os.path.abspath(path) for path in sys.path if os.path.isdir(path)]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    for name in ("HANSA_SERVER", "HANSA_TOKEN", "HANSA_TLS_CA"):
        monkeypatch.delenv(name, raising=False)
