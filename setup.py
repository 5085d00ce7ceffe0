"""Builds the compiled core. Everything else about the package stands in pyproject.toml.

HANSA_DEBUG=1    checks every index and every arithmetic step, keeps assertions (see `make debug`)
HANSA_NATIVE=1   uses all instructions of this machine's processor; such a build runs only on machines like it
"""

import os
import platform
import sys

from Cython.Build import cythonize
from setuptools import Extension, setup

DEBUG = os.environ.get("HANSA_DEBUG") == "1"
NATIVE = os.environ.get("HANSA_NATIVE") == "1"

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

MODULES = ["_engine", "_teutonica", "_teutonica_engine", "_hansa", "_hansa_engine", "_state", "_batch"]


def compile_args() -> list[str]:
    """Flags of the C compiler."""
    if sys.platform == "win32":
        return ["/O2"] if not DEBUG else ["/Od"]
    args = ["-O3", "-fno-strict-aliasing", "-Wno-unused-function", "-Wno-unreachable-code"]
    if DEBUG:
        args = ["-O1", "-g", "-fsanitize=undefined,bounds-strict" if platform.system() == "Linux" else "-g"]
        args += ["-fno-sanitize-recover=all"] if platform.system() == "Linux" else []
    if NATIVE:
        args.append("-march=native")
    elif platform.machine().lower() in ("x86_64", "amd64"):
        args.append("-march=x86-64-v2")  # popcount; NumPy asks for the same
    return args


extensions = [
    Extension(
        f"hansa_fast.{name}",
        [f"src/hansa_fast/{name}.pyx"],
        include_dirs=["src/hansa_fast"],
        depends=["src/hansa_fast/_bits.h"],
        extra_compile_args=compile_args(),
        extra_link_args=["-fsanitize=undefined"] if DEBUG and platform.system() == "Linux" else [],
        define_macros=[("HANSA_DEBUG", "1")] if DEBUG else [],
        undef_macros=["NDEBUG"] if DEBUG else [],
    )
    for name in MODULES
]

setup(ext_modules=cythonize(extensions, compiler_directives=COMPILER_DIRECTIVES, force=DEBUG, annotate=False))
