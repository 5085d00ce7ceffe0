"""The commands of docs/server.md do what the page says, one after the other in a shell."""

from __future__ import annotations

import os
import re
import shlex
import socket
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

from hansa_server.auth import Role
from hansa_server.metrics import Metrics
from hansa_server.settings import Settings

PAGE = Path(__file__).parents[2] / "docs" / "server.md"
TEXT = PAGE.read_text(encoding="utf-8")
MARK = "=== next ==="


def examples() -> list[tuple[str, str]]:
    """Commands and what the page says they write, in the order of the page."""
    blocks = re.findall(r"^```console\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    parts = [part for block in blocks for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [(command, expected) for command, _, expected in (part.partition("\n") for part in parts)]


def matches(expected: str, actual: str) -> bool:
    """`...` on a line of its own stands for any lines, within a line for anything; spaces between columns are free."""
    pattern = re.escape(re.sub(r"^\.\.\.\n", "\0", expected, flags=re.MULTILINE))
    pattern = pattern.replace("\0", "(?:.*\n)*?").replace(re.escape("..."), ".*")
    return re.fullmatch(re.sub(r"(\\ ){2,}", " +", pattern), actual) is not None


def free_port() -> int:
    """A port nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def test_commands(tmp_path: Path) -> None:
    port = str(free_port())
    commands = [(command.replace("7717", port), expected.replace("7717", port)) for command, expected in examples()]
    assert len(commands) > 25
    lines = [f'hansa() {{ {shlex.quote(sys.executable)} -m hansa_fast.cli "$@"; }}', "exec 2>&1"]
    for command, _ in commands:
        # A server in the background must be the process itself, not a shell around it: $! is to be stopped.
        called = command.replace("hansa serve", f"{shlex.quote(sys.executable)} -m hansa_fast.cli serve")
        lines += [called, f'code=$?; if [ $code != 0 ]; then echo "exit code $code"; fi; echo "{MARK}"']
    known = {name: value for name, value in os.environ.items() if not name.startswith("HANSA_")}
    done = subprocess.run(
        ["bash", "-c", "\n".join(lines)],
        cwd=tmp_path,
        env=known,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    outputs = done.stdout.split(f"{MARK}\n")
    assert len(outputs) == len(commands) + 1, done.stdout
    for (command, expected), actual in zip(commands, outputs, strict=False):
        assert matches(expected, actual), f"$ {command}\n{actual}"


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
