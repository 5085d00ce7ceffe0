"""The command `hansa`, run inside the test in a folder of its own."""

import sys
from pathlib import Path

import pytest

from hansa_fast.cli import main
from tests.cli.runner import Done, Runner, Stream


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Runner:
    """Runs `hansa`; the current folder is the test's own, and nothing of the environment colours the output."""
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")

    def call(*args: str, stdin: str = "", terminal: bool = False) -> Done:
        out, err = Stream(terminal=terminal), Stream()
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", Stream(stdin))
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            code = main(args)
        return Done(code, out.getvalue(), err.getvalue())

    return call
