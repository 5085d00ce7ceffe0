"""The demo: a real server, bots in processes of their own, a rated tournament, and the report it leaves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from hansa_fast.cli.demo import BOTS, TABLES
from hansa_server.tournament import archive
from tests.tournament.kills import environment

SEED = "0123456789abcdef" * 4


def test_demo_leaves_a_report_that_can_be_checked(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "hansa_fast.cli", "demo", "--out", "evening", "--seed", SEED, "--json"]
    done = subprocess.run(
        words, cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    shown = json.loads(done.stdout)
    folder = tmp_path / "evening"
    for name in ("report.html", "report.md", "report.json"):
        assert "planner" in (folder / name).read_text(encoding="utf-8")
    assert shown["files"] == [f"evening/{name}" for name in ("report.md", "report.json", "report.html")]
    checked = archive.verify(folder / "demo.hansa-event")
    assert checked.replayed and checked.games == 48
    assert checked.chronicle is not None and checked.chronicle.secret == SEED
    assert {rules.game for rules in checked.chronicle.event.tables} == {"teutonica", "hansa"}
    assert len(shown["pools"]) == len(TABLES)
    for pool in shown["pools"]:
        assert sorted(line["bot"] for line in pool["standings"]) == sorted(BOTS)
        assert pool["standings"][0]["bot"] == "planner"
        assert pool["forfeits"]["games"] == 0
    lines = done.stderr.splitlines()
    assert lines[0].startswith("a server listens on 127.0.0.1:")
    assert "finished" in lines[-1]
    running = [Path(f"/proc/{process}/cmdline") for process in os.listdir("/proc") if process.isdigit()]
    left = [path for path in running if path.exists() and str(folder).encode() in path.read_bytes()]
    assert left == [], "nothing is left running"
