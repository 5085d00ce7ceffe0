"""The commands of docs/tournaments.md, the organiser's guide, do what the page says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from hansa_server.tournament.pairing import formats
from tests.server.console import follow, free_port
from tests.server.postgres import Cluster, binaries

TEXT = (Path(__file__).parents[2] / "docs" / "tournaments.md").read_text(encoding="utf-8")
DATABASE = "postgresql://hansa@db.example/hansa"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[str]:
    """An empty database; where PostgreSQL is not installed another file stands for it."""
    if binaries() is None:
        yield str(tmp_path / "other.db")
        return
    cluster = Cluster()
    yield cluster.database("guide")
    cluster.close()


def test_commands(tmp_path: Path, database: str) -> None:
    folder = tmp_path / "guide"
    folder.mkdir()
    assert follow(TEXT, folder, {"7717": str(free_port()), DATABASE: f"'{database}'"}) > 40
    assert "<svg" in (folder / "report" / "report.html").read_text(encoding="utf-8")


def test_every_format_is_on_the_page() -> None:
    part = TEXT.partition("\n## Formats\n")[2].partition("\n## ")[0]
    told = re.findall(r"^\| `([\w-]+)` \|", part, re.MULTILINE)
    assert set(formats()) <= set(told)


def test_every_command_is_on_the_page() -> None:
    from typer.main import get_command

    from hansa_fast.cli.tournament import app

    for name in get_command(app).commands:  # type: ignore[attr-defined]
        assert f"hansa tournament {name}" in TEXT, name
