"""The commands of docs/server.md do what the page says, one after the other in a shell."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

from hansa_server.auth import Role
from hansa_server.metrics import Metrics
from hansa_server.settings import Settings
from tests.server.console import follow, free_port, matches

PAGE = Path(__file__).parents[2] / "docs" / "server.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_commands(tmp_path: Path) -> None:
    assert follow(TEXT, tmp_path, {"7717": str(free_port())}) > 25


def test_settings_metrics_and_roles_on_the_page() -> None:
    values = {part.name: part.default for part in fields(Settings)}
    limits = re.findall(r"^\| `(\w+)` \| ([\d.]+) \|", TEXT, re.MULTILINE)
    assert len(limits) == 10
    for name, default in limits:
        assert str(values[name]) == default
    assert {name for name in values if name.startswith("max_")} <= {name for name, _ in limits}
    for family in Metrics().registry.collect():
        name = f"{family.name}_total" if family.type == "counter" else family.name
        assert f"`{name}`" in TEXT
    for role in Role:
        assert f"\n| {role.value} |" in TEXT


def test_every_module_is_on_the_page() -> None:
    for path in (Path(__file__).parents[2] / "server" / "hansa_server").glob("*.py"):
        assert path.name == "__init__.py" or f"`{path.name}`" in TEXT, path.name


def test_the_comparison_itself() -> None:
    assert matches("a ...: b\n...\nc   d\n", "a 12: b\nx\ny\nc     d\n")
    assert not matches("a\n", "b\n")
    assert not matches("a\n", "a\nb\n")
