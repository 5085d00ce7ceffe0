"""The wire contract: its code and reference are up to date, everything in it is explained, and no old bot breaks."""

from __future__ import annotations

import filecmp
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent
PROTO = ROOT / "proto"
GENERATED = ROOT / "clients" / "python" / "hansa_client" / "pb"
TOOLS = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))


def run(*words: str | Path, folder: Path = PROTO) -> subprocess.CompletedProcess[str]:
    """Run a tool of the environment the tests run in."""
    environment = {**os.environ, "PATH": TOOLS}
    command = [str(word) for word in words]
    command[0] = shutil.which(command[0], path=TOOLS) or command[0]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def document() -> Any:
    """The script that writes the reference."""
    spec = importlib.util.spec_from_file_location("document", PROTO / "document.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the contract that may be spoilt."""
    return Path(shutil.copytree(PROTO, tmp_path / "proto", ignore=shutil.ignore_patterns("__pycache__")))


def test_generated_code_is_up_to_date(tmp_path: Path) -> None:
    done = run(sys.executable, PROTO / "generate.py", tmp_path)
    assert done.returncode == 0, done.stderr
    fresh = {path.relative_to(tmp_path) for path in tmp_path.rglob("*.py*") if path.is_file()}
    kept = {path.relative_to(GENERATED) for path in GENERATED.rglob("*.py*") if "__pycache__" not in path.parts}
    kept = {path for path in kept if (GENERATED / path).is_file()}
    assert fresh == kept
    assert len(fresh) > 30
    _, different, unreadable = filecmp.cmpfiles(tmp_path, GENERATED, map(str, fresh), shallow=False)
    assert (different, unreadable) == ([], []), "run proto/generate.py"


def test_reference_is_up_to_date(tmp_path: Path) -> None:
    done = run(sys.executable, PROTO / "document.py", tmp_path / "protocol.md")
    assert done.returncode == 0, done.stderr
    fresh = (tmp_path / "protocol.md").read_text(encoding="utf-8")
    assert fresh == (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8"), "run proto/document.py"


def test_reference_links_lead_somewhere() -> None:
    text = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    heads = {head.lower().replace(".", "") for head in re.findall(r"^### (\S+)$", text, re.MULTILINE)}
    links = set(re.findall(r"\]\(#([^)]*)\)", text))
    assert len(links) > 40
    assert links <= heads


def test_everything_has_a_comment(document: Any) -> None:
    contract = document.read_contract()
    names = [name for file in contract for _, name in document.places(file)]
    assert len(names) > 300
    assert {"PlayService.Play", "Hello.name", "TeutonicaView.Player.Ability.developed", "Shape.SHAPE_TRADER"} < set(
        names
    )
    assert document.without_comment(contract) == []


def test_a_missing_comment_is_noticed(document: Any, copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = copy / "hansa" / "v1" / "clock.proto"
    text = clock.read_text(encoding="utf-8")
    spoilt = text.replace("  // Added to the bank after each answer.\n", "")
    assert spoilt != text
    clock.write_text(spoilt, encoding="utf-8")
    monkeypatch.setattr(document, "PROTO", copy)
    assert document.without_comment(document.read_contract()) == ["hansa/v1/clock.proto: ClockRules.increment"]


def test_lint() -> None:
    done = run("buf", "lint")
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


def test_nothing_breaks_the_released_contract() -> None:
    done = run("buf", "breaking", "--against", "released/hansa.v1.binpb")
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("google.protobuf.Duration grace = 4;", "google.protobuf.Duration grace = 5;"),
        ("google.protobuf.Duration grace = 4;", "double grace = 4;"),
        ("google.protobuf.Duration grace = 4;", ""),
    ],
)
def test_a_breaking_change_is_noticed(copy: Path, old: str, new: str) -> None:
    clock = copy / "hansa" / "v1" / "clock.proto"
    text = clock.read_text(encoding="utf-8")
    assert old in text
    clock.write_text(text.replace(old, new), encoding="utf-8")
    done = run("buf", "breaking", "--against", PROTO / "released" / "hansa.v1.binpb", folder=copy)
    assert done.returncode != 0
    assert "clock.proto" in done.stdout
