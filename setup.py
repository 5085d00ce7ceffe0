"""Builds the compiled core. Everything else about the package stands in pyproject.toml.

HANSA_DEBUG=1    checks every index and every arithmetic step, keeps assertions (see `make debug`)
HANSA_NATIVE=1   uses all instructions of this machine's processor; such a build runs only on machines like it
"""

import os
import platform
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

DEBUG = os.environ.get("HANSA_DEBUG") == "1"
NATIVE = os.environ.get("HANSA_NATIVE") == "1"

# A directory for each kind of build: the next one never takes up what another has left behind.
BUILD = "build/debug" if DEBUG else "build/native" if NATIVE else "build/release"

COMPILER_DIRECTIVES = {
    "language_level": 3,
    "boundscheck": DEBUG,
    "wraparound": False,
    "initializedcheck": DEBUG,
    "cdivision": not DEBUG,
    "nonecheck": DEBUG,
    "auto_pickle": False,
    "autotestdict": False,
    "embedsignature": False,
    "binding": True,
}


def sanitizers() -> list[str]:
    """What the C compiler adds to a debug build; its runtime is at hand on Linux only."""
    return ["-fsanitize=undefined", "-fno-sanitize-recover=all"] if DEBUG and sys.platform == "linux" else []


def processor() -> list[str]:
    """The instructions the C compiler may use. Population count is worth it, and NumPy asks for the same."""
    if NATIVE:
        return ["-march=native"]
    if sys.platform == "darwin":
        return ["-Xarch_x86_64", "-march=x86-64-v2"]  # a universal build has a part that is not x86
    if platform.machine().lower() in ("x86_64", "amd64") and sys.maxsize > 2**32:
        return ["-march=x86-64-v2"]
    return []


def compile_args() -> list[str]:
    """Flags of the C compiler."""
    if sys.platform == "win32":
        return ["/Od" if DEBUG else "/O2"]
    # Without -ffp-contract=off some processors would round in fewer places, and a search find something else there.
    args = ["-ffp-contract=off", "-fno-strict-aliasing"]
    args += ["-Wno-unused-function", "-Wno-unreachable-code", "-Wno-sign-compare"]
    return [*args, *(["-O1", "-g"] if DEBUG else ["-O3", "-g0"]), *sanitizers(), *processor()]


extensions = [
    Extension(
        f"hansa_fast.{source.stem}",
        [source.as_posix()],
        include_dirs=["src/hansa_fast"],
        depends=["src/hansa_fast/_bits.h"],
        extra_compile_args=compile_args(),
        extra_link_args=sanitizers(),
        undef_macros=["NDEBUG"] if DEBUG else [],
    )
    for source in sorted(Path("src/hansa_fast").glob("*.pyx"))
]

setup(
    ext_modules=cythonize(extensions, compiler_directives=COMPILER_DIRECTIVES, build_dir=f"{BUILD}/c"),
    options={"build": {"build_base": BUILD}, "build_ext": {"parallel": True}},
)
