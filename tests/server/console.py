"""Pages whose commands are run: all of a page one after the other in a shell, and what they write is compared."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

MARK = "=== next ==="
BLOCK = re.compile(r"^```(console|toml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"# (\S+\.toml)\n")


def examples(page: str) -> list[tuple[str, str]]:
    """Commands and what the page says they write, in the order of the page."""
    blocks = [text for kind, text in BLOCK.findall(page) if kind == "console"]
    parts = [part for block in blocks for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [(command, expected) for command, _, expected in (part.partition("\n") for part in parts)]


def files(page: str) -> dict[str, str]:
    """The files that a page shows: blocks of TOML whose first line is a comment with their name."""
    blocks = [text for kind, text in BLOCK.findall(page) if kind == "toml"]
    return {found[1]: text for text in blocks if (found := FILE.match(text))}


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


def follow(page: str, folder: Path, instead: Mapping[str, str], timeout: float = 300.0) -> int:
    """Write the files of a page and run its commands in this folder; returns how many there were.

    What is different here (ports, addresses) is put in place of what the page says.
    """
    for old, new in instead.items():
        page = page.replace(old, new)
    tools = folder / "bin"
    tools.mkdir()
    for name, words in (("hansa", '-m hansa_fast.cli "$@"'), ("python3", '"$@"')):
        tool = tools / name
        tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" {words}\n', encoding="utf-8")
        tool.chmod(0o755)
    for name, text in files(page).items():
        (folder / name).write_text(text, encoding="utf-8")
    commands = examples(page)
    lines = ["exec 2>&1", "trap 'kill $(jobs -p) 2> /dev/null' EXIT"]
    for command, _ in commands:
        lines += [command, f'code=$?; if [ $code != 0 ]; then echo "exit code $code"; fi; echo "{MARK}"']
    known = {name: value for name, value in os.environ.items() if not name.startswith("HANSA_")}
    done = subprocess.run(
        ["bash", "-c", "\n".join(lines)],
        cwd=folder,
        env={**known, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    outputs = done.stdout.split(f"{MARK}\n")
    assert len(outputs) == len(commands) + 1, done.stdout
    for (command, expected), actual in zip(commands, outputs, strict=False):
        assert matches(expected, actual), f"$ {command}\n{actual}"
    return len(commands)
