"""What the tests of all clients rest on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.languages import clients
from tests.languages.clients import Client
from tests.languages.table import failures


@pytest.mark.parametrize(
    "line",
    [
        "match m, decision 3 (main): choose() failed, playing 4 instead",
        'level=ERROR msg="Choose failed, another action is played" match=m',
        "match m, decision 3 (main): choose failed, playing 4 instead: Error: no idea",
        "match m, decision 3 (main): choosing failed, playing 4 (end) instead",
    ],
)
def test_failures_are_found(line: str) -> None:
    assert failures(f"connected\n{line}\nmatch m is over\n") == [line]
    assert failures("connected\nno connection: failed to connect\n") == []


def test_a_client_whose_tools_are_missing_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(clients.TOOLS, "go", ("go", "there-is-no-such-tool"))
    go = Client("go", clients.ROOT / "clients" / "go")
    assert go.missing[-1] == "there-is-no-such-tool"
    assert go not in clients.present_clients()
    assert go in clients.all_clients()
    assert [line for line in clients.left_out() if line.startswith("the go client is left out: ")]


def test_a_build_that_fails_says_why(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("build:\n\t@echo no luck; false\n", encoding="utf-8")
    with pytest.raises(RuntimeError, match="no luck"):
        Client("broken", tmp_path).make()
