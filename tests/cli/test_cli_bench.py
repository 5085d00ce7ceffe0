"""`hansa bench` shows what was measured, and progress on long work is for people only."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

import pytest

import hansa_fast
from hansa_fast.cli import output
from tests.cli.runner import Runner, Stream


@dataclass(frozen=True)
class Row:
    """A figure as the measuring module gives it."""

    name: str
    value: float
    unit: str
    note: str


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Replaces the measuring, which takes a minute, by two known figures; notes whether it was to be quick."""
    asked: list[bool] = []

    def measure(progress: Callable[[str, int, int], None] | None = None, quick: bool = False) -> list[Row]:
        asked.append(quick)
        assert progress is not None
        progress("playouts", 1, 2)
        return [Row("playouts", 12_345_678.9, "decisions/s", "one core"), Row("copy", 1.2345, "times memcpy", "")]

    module = ModuleType("hansa_fast._measure")
    module.run = measure  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "hansa_fast._measure", module)
    monkeypatch.setattr(hansa_fast, "_measure", module, raising=False)
    return asked


def test_bench_table_and_json(run: Runner, measured: list[bool]) -> None:
    text = run("bench").out
    assert text.splitlines()[1].split() == ["playouts", "12,345,679", "decisions/s", "one", "core"]
    assert text.splitlines()[2].split() == ["copy", "1.23", "times", "memcpy"]
    rows = run("bench", "--quick", "--json").json
    assert rows[1] == {"name": "copy", "value": 1.2345, "unit": "times memcpy", "note": ""}
    assert measured == [False, True]


def test_bench_signature(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("hansa_fast._signature")
    module.signature = lambda: 1234567  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "hansa_fast._signature", module)
    monkeypatch.setattr(hansa_fast, "_signature", module, raising=False)
    assert run("bench", "--signature").out == "1234567\n"
    assert run("bench", "--signature", "--json").json == {"signature": 1234567}


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_is_for_people(monkeypatch: pytest.MonkeyPatch, terminal: bool) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    stream = Stream(terminal=terminal)
    monkeypatch.setattr(sys, "stderr", stream)
    with output.progress("counting", 10) as advance:
        advance(3, "half way")
    assert ("half way" in stream.getvalue()) is terminal
    assert ("3/10" in stream.getvalue()) is terminal
    assert ("left" in stream.getvalue()) is terminal
