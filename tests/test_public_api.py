"""The public face: what can be imported, what importing it brings along, and that the docstrings are true."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import pickle
import pkgutil
import subprocess
import sys

import pytest

import hansa_fast as hf
from hansa_fast import _errors

MODULES = ["hansa_fast"] + [f"hansa_fast.{entry.name}" for entry in pkgutil.iter_modules(hf.__path__)]


def test_all_is_sorted_and_complete() -> None:
    assert hf.__all__ == sorted(hf.__all__)
    public = {
        name
        for name, value in vars(hf).items()
        if not name.startswith("_") and not inspect.ismodule(value) and name != "annotations"
    }
    assert public == {name for name in hf.__all__ if not name.startswith("_")}


@pytest.mark.parametrize("name", hf.__all__)
def test_every_public_name_has_a_docstring(name: str) -> None:
    value = getattr(hf, name)
    if not isinstance(value, str):
        assert (value.__doc__ or "").strip(), name


@pytest.mark.parametrize(
    "cls", [hf.Analysis, hf.Batch, hf.Candidate, hf.Game, hf.Rules, hf.Search, hf.SearchSettings, hf.State]
)
def test_every_public_method_has_a_docstring(cls: type) -> None:
    for name, member in vars(cls).items():
        if not name.startswith("_") and (callable(member) or isinstance(member, (property, staticmethod, classmethod))):
            assert (member.__doc__ or "").strip(), f"{cls.__name__}.{name}"


def test_the_errors_are_one_small_tree() -> None:
    for name in _errors.__all__:
        error = getattr(hf, name)
        assert issubclass(error, hf.HansaError)
        assert issubclass(error, ValueError)
        assert pickle.loads(pickle.dumps(error("text"))).args == error("text").args
        assert f"{name} " in (_errors.__doc__ or "")
    assert hf.RecordError("bad", line=3).line == 3
    assert str(hf.RecordError("bad", line=3)) == "line 3: bad"
    twin = pickle.loads(pickle.dumps(hf.RecordError("bad", line=3)))
    assert (twin.line, str(twin)) == (3, "line 3: bad")


FORBIDDEN = ("grpc", "google.protobuf", "typer", "rich", "click", "tests", "hypothesis")


def test_importing_the_package_brings_nothing_of_the_layers_above() -> None:
    code = (
        "import sys, hansa_fast as hf\n"
        "hf.playout(hf.Rules(players=4).new(seed=1), 1, policy='greedy')\n"
        f"print([name for name in {FORBIDDEN!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": ":".join(entry for entry in sys.path if entry and "tests" not in entry)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("module", [name for name in MODULES if not name.endswith("__main__")])
def test_the_examples_of_the_docstrings_are_true(module: str) -> None:
    result = doctest.testmod(importlib.import_module(module), raise_on_error=False)
    assert result.failed == 0


def test_there_are_examples() -> None:
    tests = [test for name in ("hansa_fast", "hansa_fast._rules", "hansa_fast._record") for test in _examples(name)]
    assert sum(len(test.examples) for test in tests) >= 6


def _examples(module: str) -> list[doctest.DocTest]:
    return doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(module))


def test_python_modules_import_only_what_lies_below() -> None:
    """No module of the core imports the command line."""
    for entry in pkgutil.iter_modules(hf.__path__):
        module = importlib.import_module(f"hansa_fast.{entry.name}") if not entry.ispkg else None
        source = getattr(module, "__file__", "") or ""
        if not source.endswith(".py") or entry.name == "__main__":
            continue
        with open(source, encoding="utf-8") as file:
            tree = ast.parse(file.read())
        for node in ast.walk(tree):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            assert not any(name.startswith("hansa_fast.cli") for name in names), entry.name


def test_objects_made_behind_the_back_do_no_harm() -> None:
    """Nobody should, but `__new__` alone must not bring the interpreter down."""
    state = hf.State.__new__(hf.State)
    assert state.is_over
    assert state.legal_actions() == []
    assert hf.perft(state, 2) == 0
    with pytest.raises(hf.IllegalActionError):
        state.apply(0)
    batch = hf.Batch.__new__(hf.Batch)
    assert len(batch) == 0
    assert batch.playout() == 0
    assert list(batch.choose()) == []
