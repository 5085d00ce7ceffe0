"""The distributions hold what they need and nothing else. `make dist-check` goes on to install and try them."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

from tests.distribution import ROOT, list_sdist, list_wheel, sdist_problems, wheel_problems

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_distributions_hold_what_they_need_and_nothing_else(tmp_path: Path) -> None:
    """Built by setuptools out of what is compiled already; both at once, since they share a directory."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HANSA_")}
    out = ["--dist-dir", str(tmp_path)]
    line = [sys.executable, "setup.py", "-q", "sdist", *out, "bdist_wheel", *out]
    done = subprocess.run(line, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (sdist,) = tmp_path.glob("*.tar.gz")
    (wheel,) = tmp_path.glob("*.whl")
    assert sdist_problems(list_sdist(sdist)) == []
    assert wheel_problems(list_wheel(wheel)) == []
    assert any(name.endswith("licenses/LICENSE") for name in list_wheel(wheel))


def test_problems_are_found() -> None:
    assert "wheel: hansa_fast/boards/east.json is missing" in wheel_problems([])
    assert "wheel: module hansa_fast/_state is not compiled" in wheel_problems([])
    assert "wheel: hansa_fast/_state.pyx does not belong there" in wheel_problems(["hansa_fast/_state.pyx"])
    assert "sdist: src/hansa_fast/_bits.h is missing" in sdist_problems([])
    assert "sdist: build/release/c/_state.c is made by the build" in sdist_problems(["build/release/c/_state.c"])


def test_wheels_are_built_for_every_python_the_package_claims() -> None:
    claimed = {line.rpartition(" ")[2] for line in PROJECT["project"]["classifiers"] if ":: 3." in line}
    assert {f"cp{version.replace('.', '')}-*" for version in claimed} == set(PROJECT["tool"]["cibuildwheel"]["build"])
    assert PROJECT["project"]["requires-python"] == ">=" + min(claimed, key=lambda text: int(text[2:]))
