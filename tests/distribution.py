"""What is given away: what a wheel and a source distribution must hold, and a trial of both.

    python -m tests.distribution [TESTS...]

builds the source distribution and from it the wheel, both in isolation, looks into them, installs the wheel into a
fresh environment and runs tests (of the rules and the stubs, if none are named) away from the sources, as cibuildwheel
does.
"""

from __future__ import annotations

import fnmatch
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import venv
import zipfile
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]
QUICK_TESTS = ("tests/rules", "tests/test_stubs.py")

# Of the files in src/hansa_fast, users get these.
INSTALLED = ("*.py", "*.pyi", "*.json", "*/py.typed")


def list_wheel(path: Path) -> list[str]:
    """Names of all files in a wheel."""
    with zipfile.ZipFile(path) as wheel:
        return wheel.namelist()


def list_sdist(path: Path) -> list[str]:
    """Names of all files in a source distribution, without its own directory."""
    with tarfile.open(path) as sdist:
        return [member.name.partition("/")[2] for member in sdist.getmembers() if member.isfile()]


def package_files() -> list[str]:
    """The files of the package in the source tree, but for what a compiler or an interpreter has made of them."""
    files = [path.relative_to(ROOT).as_posix() for path in (ROOT / "src/hansa_fast").rglob("*") if path.is_file()]
    return [name for name in files if not _matches(name, ("*.so", "*.pyd", "*.c", "*.pyc"))]


def wheel_problems(names: Iterable[str]) -> list[str]:
    """What is wrong with the files of a wheel."""
    found = {name for name in names if ".dist-info/" not in name}
    compiled = {name for name in found if _matches(name, ("*.so", "*.pyd"))}
    wanted = {name.removeprefix("src/") for name in package_files() if _matches(name, INSTALLED)}
    modules = {name.removeprefix("src/").removesuffix(".pyx") for name in package_files() if name.endswith(".pyx")}
    built = {name.partition(".")[0] for name in compiled}
    out = [f"wheel: {name} is missing" for name in sorted(wanted - found)]
    out += [f"wheel: {name} does not belong there" for name in sorted(found - wanted - compiled)]
    out += [f"wheel: module {name} is not compiled" for name in sorted(modules - built)]
    return out + [f"wheel: {name} has no source" for name in sorted(built - modules)]


def sdist_problems(names: Iterable[str]) -> list[str]:
    """What is wrong with the files of a source distribution."""
    found = set(names)
    wanted = set(package_files()) | {"CHANGELOG.md", "LICENSE", "Makefile", "README.md", "pyproject.toml", "setup.py"}
    for folder in ("benches", "clients/python/hansa_client", "docs", "proto", "server/hansa_server", "tests"):
        files = [path for path in (ROOT / folder).rglob("*") if path.is_file() and path.suffix != ".pyc"]
        wanted |= {path.relative_to(ROOT).as_posix() for path in files}
    out = [f"sdist: {name} is missing" for name in sorted(wanted - found)]
    made = sorted(name for name in found if _matches(name, ("*.c", "*.so", "*.pyd", "*.pyc", "build/*")))
    return out + [f"sdist: {name} is made by the build" for name in made]


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatch.fnmatch(name, pattern) for pattern in patterns)


def run(*command: str | Path, cwd: Path) -> None:
    """Run a command that must succeed."""
    print("+", *command, flush=True)
    subprocess.run([str(word) for word in command], cwd=cwd, check=True)


def try_distribution(tests: Iterable[str]) -> None:
    """Build, look into, install and test what users get."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["cibuildwheel"]
    with tempfile.TemporaryDirectory(prefix="hansa-dist-") as name:
        place = Path(name)
        run(sys.executable, "-m", "build", "--outdir", place / "dist", ROOT, cwd=place)
        (sdist,) = (place / "dist").glob("*.tar.gz")
        (wheel,) = (place / "dist").glob("*.whl")
        problems = sdist_problems(list_sdist(sdist)) + wheel_problems(list_wheel(wheel))
        if problems:
            sys.exit("\n".join(problems))
        venv.create(place / "venv", with_pip=True)
        python = place / "venv" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
        extras = ",".join(settings["test-extras"])
        run(python, "-m", "pip", "--disable-pip-version-check", "-q", "install", f"{wheel}[{extras}]", cwd=place)
        (place / "trial").mkdir()
        for source in settings["test-sources"]:
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, place / "trial" / source, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(ROOT / source, place / "trial" / source)
        run(python, "-m", "pytest", "-q", "-n", "2", *tests, cwd=place / "trial")
        print(
            f"{sdist.name} ({sdist.stat().st_size:,} bytes) and {wheel.name} ({wheel.stat().st_size:,} bytes) are good"
        )


if __name__ == "__main__":
    try_distribution(sys.argv[1:] or QUICK_TESTS)
