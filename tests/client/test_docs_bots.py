"""The guide for bot authors is true: its files are written, its commands are run in order, their output is compared.

Its `python` blocks are run with those of all other pages (tests/test_docs.py).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hansa_client.check._steps import GAMES, all_steps
from hansa_client.check._table import phases

PAGE = Path(__file__).parents[2] / "docs" / "bots.md"
USUAL = "127.0.0.1:7717"  # the page's address; here the server has a free port of its own
BLOCK = re.compile(r"^```(py|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Reader:
    """Somebody who follows the page in an empty folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.address = USUAL
        self.running: list[subprocess.Popen[str]] = []
        tools = folder / "bin"
        tools.mkdir()
        for name, words in (("hansa", '-m hansa_fast.cli "$@"'), ("python", '"$@"')):
            tool = tools / name
            tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" {words}\n', encoding="utf-8")
            tool.chmod(0o755)
        path = f"{tools}{os.pathsep}{os.environ['PATH']}"
        self.environment = {**os.environ, "PATH": path, "HANSA_ADDRESS": "127.0.0.1:0"}

    def follow(self, language: str, text: str) -> None:
        """Write a file, or run commands."""
        if language == "py":
            name = text.partition("\n")[0].removeprefix("# ")
            (self.folder / name).write_text(text, encoding="utf-8")
            return
        for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            command, _, expected = part.partition("\n")
            if command.endswith(" &"):
                self.start(command, expected)
            else:
                self.run(command, expected)

    def start(self, command: str, expected: str) -> None:
        """Start something that goes on running. A new server takes the place of the old one and its bots."""
        if command.startswith("hansa serve"):
            self.stop()
        log = self.folder / f"log-{len(self.running)}"
        with log.open("w", encoding="utf-8") as file:
            process = subprocess.Popen(
                f"exec {command.removesuffix(' &')}",
                shell=True,
                cwd=self.folder,
                env=self.environment,
                stdout=file,
                stderr=file,
                text=True,
            )
        self.running.append(process)
        ready = "listening on" if command.startswith("hansa serve") else "connected to"
        while ready not in (written := log.read_text(encoding="utf-8")):
            assert process.poll() is None, written
            time.sleep(0.02)
        if command.startswith("hansa serve"):
            found = re.search(r"listening on (\S+)\n", written)
            assert found is not None
            self.address = found[1]
            self.environment["HANSA_SERVER"] = self.address
            assert expected == f"listening on {USUAL}\n"

    def run(self, command: str, expected: str) -> None:
        """Run a command that ends, and compare what it writes."""
        line = command.replace(USUAL, self.address)
        done = subprocess.run(
            line, shell=True, cwd=self.folder, env=self.environment, capture_output=True, encoding="utf-8", check=False
        )
        assert done.returncode == 0, f"$ {line}\n{done.stdout}{done.stderr}"
        assert matches(expected, done.stdout), f"$ {line}\n{done.stdout}{done.stderr}"

    def stop(self) -> None:
        """End what runs, bots before their server."""
        for process in reversed(self.running):
            process.terminate()
            process.wait()
        self.running.clear()


def matches(expected: str, actual: str) -> bool:
    """Whether a text is the expected one; `...` alone on a line stands for any lines, behind others for the rest."""
    pattern = re.escape(expected)
    pattern = re.sub(r"(?m)^\\\.\\\.\\\.\\?\n", r"(?:.*\n)*?", pattern)
    pattern = re.sub(r"(?m)\\\.\\\.\\\.(?=\\?$)", r".*", pattern)
    return re.fullmatch(pattern, actual) is not None


@pytest.mark.parametrize(
    ("expected", "actual", "same"),
    [
        ("a\n", "a\n", True),
        ("a\n...\nb\n", "a\nx\ny\nb\n", True),
        ("...\nb\n...\n", "a\nb\nc\n", True),
        ("a ...\nb\n", "a x y\nb\n", True),
        ("a ...\nb\n", "a x\ny\nb\n", False),
        ("a\n...\nb\n", "a\nc\n", False),
        ("a\n", "a\nb\n", False),
    ],
)
def test_the_comparison_itself(expected: str, actual: str, same: bool) -> None:
    assert matches(expected, actual) is same


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    """A reader who leaves nothing running behind."""
    somebody = Reader(tmp_path)
    yield somebody
    somebody.stop()


def test_the_page_can_be_followed(reader: Reader) -> None:
    assert shutil.which("sh")
    steps = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    assert len(steps) >= 6
    for language, text in steps:
        reader.follow(language, text)


def test_the_first_bot_has_ten_lines() -> None:
    first = next(text for language, text in BLOCK.findall(PAGE.read_text(encoding="utf-8")) if language == "py")
    assert len([line for line in first.splitlines() if line and not line.startswith("#")]) <= 10


def test_all_steps_of_the_check_are_told() -> None:
    text = PAGE.read_text(encoding="utf-8").partition("\n## Check it\n")[2]
    told = {name for line in re.findall(r"^\| (`.*?) \|", text, re.MULTILINE) for name in re.findall(r"`(.*?)`", line)}
    every_phase = {f"{game} {phase}" for game in GAMES for phase in phases(game)}
    assert {f"{game} PHASE" for game in GAMES} <= told
    assert told - {f"{game} PHASE" for game in GAMES} == {step.name for step in all_steps()} - every_phase
