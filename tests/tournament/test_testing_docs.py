"""The commands of docs/testing-bots.md do what the page says, and its tables are right."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from hansa_fast.cli.errors import ExitCode
from hansa_server.ratings import Question, Verdict, fair_spread, plan, worst_case
from tests.server.console import MARK, matches

TEXT = (Path(__file__).parents[2] / "docs" / "testing-bots.md").read_text(encoding="utf-8")


def test_commands(tmp_path: Path) -> None:
    blocks = re.findall(r"^```console\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    parts = [part for block in blocks for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    commands = [(command, expected) for command, _, expected in (part.partition("\n") for part in parts)]
    assert len(commands) == 10
    lines = [f'hansa() {{ {shlex.quote(sys.executable)} -m hansa_fast.cli "$@"; }}', "exec 2>&1"]
    for command, _ in commands:
        lines += [command, f'code=$?; if [ $code != 0 ]; then echo "exit code $code"; fi; echo "{MARK}"']
    known = {name: value for name, value in os.environ.items() if not name.startswith("HANSA_")}
    done = subprocess.run(
        ["bash", "-c", "\n".join(lines)],
        cwd=tmp_path,
        env=known,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    outputs = done.stdout.split(f"{MARK}\n")
    assert len(outputs) == len(commands) + 1, done.stdout
    for (command, expected), actual in zip(commands, outputs, strict=False):
        shown = re.sub(r"^\d+ games: .*\n", "", actual, flags=re.MULTILINE)  # progress on a slow machine
        assert matches(expected, shown), f"$ {command}\n{actual}"


def test_table_of_games() -> None:
    rows = re.findall(r"^\| (\d+) \| (\d) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|$", TEXT, re.MULTILINE)
    assert len(rows) == 8
    for elo1, players, *numbers in rows:
        question, seats = Question(0, float(elo1)), int(players)
        spread = fair_spread(seats // 2, seats - seats // 2)
        worst = worst_case(question, spread)
        found = [plan(question, 0, spread).games, worst.games, worst.longest]
        assert [int(number.replace(",", "")) for number in numbers] == pytest.approx(found, abs=0.5)


def test_verdicts_and_exit_codes() -> None:
    codes = [ExitCode.OK, ExitCode.NOT_BETTER, ExitCode.INCONCLUSIVE, ExitCode.FAULT]
    for verdict, code in zip(Verdict, codes, strict=True):
        assert f"\n| {verdict.value} | {int(code)} |" in TEXT
