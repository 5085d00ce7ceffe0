"""The stubs say about the compiled modules what is true: names, parameters, defaults, kinds of classes."""

from __future__ import annotations

import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import hansa_fast

PACKAGE = Path(hansa_fast.__file__).parent

# What Cython adds to modules for its own use.
ALLOWED = r"hansa_fast\..*\.__pyx_capi__"


def compiled_modules() -> list[str]:
    """Names of the compiled modules of the package as it is installed."""
    names = {path.name.removesuffix(suffix) for suffix in EXTENSION_SUFFIXES for path in PACKAGE.glob(f"*{suffix}")}
    return sorted(name for name in names if "." not in name)


def test_every_compiled_module_has_a_stub_and_no_other_module_has_one() -> None:
    modules = compiled_modules()
    assert "_state" in modules
    assert modules == sorted(path.stem for path in PACKAGE.glob("*.pyi"))
    assert (PACKAGE / "py.typed").exists()


def test_stubs_agree_with_the_compiled_modules(tmp_path: Path) -> None:
    allowed = tmp_path / "allowed.txt"
    allowed.write_text(ALLOWED + "\n")
    modules = [f"hansa_fast.{name}" for name in compiled_modules()]
    command = [sys.executable, "-m", "mypy.stubtest", "--concise", "--allowlist", str(allowed), *modules]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
