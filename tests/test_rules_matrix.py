"""The rules matrix of docs/rules.md is complete and true: rulings, functions and tests that exist, none missing."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple

TESTS = Path(__file__).parent
DOCS = TESTS.parent / "docs" / "rules.md"
SOURCE = TESTS.parent / "src" / "hansa_fast"
RULE_TESTS = ("rules/test_*.py", "hansa/test_*.py")  # where a mark `ruling` counts

SCENARIOS = (*range(1, 29), *range(35, 40))  # of Hansa Teutonica
EXAMPLES = range(1, 11)  # of the rulebook of Hansa


class Row(NamedTuple):
    """A line of the matrix."""

    rule: str
    what: str
    where: list[str]
    tests: list[str]


@cache
def text_and_matrix() -> tuple[str, list[Row]]:
    text, matrix = DOCS.read_text(encoding="utf-8").split("\n## Rules matrix\n")
    rows = []
    for line in matrix.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if re.fullmatch(r"[A-Z]\d+", cells[0]):
            rows.append(Row(cells[0], cells[1], re.findall(r"`([^`]+)`", cells[2]), re.findall(r"`([^`]+)`", cells[3])))
    return text, rows


@cache
def functions_of(name: str) -> set[str]:
    """The functions and methods of a source file, compiled or not."""
    heads = re.findall(r"^ *(?:cdef|cpdef|def|async def)\b[^\n(]*?(\w+)\(", (SOURCE / name).read_text("utf-8"), re.M)
    return set(heads)


@cache
def marked_tests() -> dict[str, set[str]]:
    """The rulings that each test is marked with, by `file::test`."""
    marks = {}
    for path in sorted(path for pattern in RULE_TESTS for path in TESTS.glob(pattern)):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                calls = [mark for mark in node.decorator_list if isinstance(mark, ast.Call)]
                rulings = [call for call in calls if ast.unparse(call.func) == "pytest.mark.ruling"]
                names = {ast.literal_eval(name) for call in rulings for name in call.args}
                marks[f"{path.relative_to(TESTS).as_posix()}::{node.name}"] = names
    return marks


def test_every_ruling_of_the_text_has_one_row() -> None:
    text, rows = text_and_matrix()
    named = set(re.findall(r"\*\*([A-Z]\d+)\*\*", text))
    assert len(named) > 85
    assert Counter(row.rule for row in rows) == Counter(named)


def test_every_ruling_mentioned_is_a_ruling() -> None:
    """Also in the source: a name such as D5 in a comment must be one of the text."""
    text, rows = text_and_matrix()
    rules = {row.rule for row in rows}
    letters = "".join(sorted({rule[0] for rule in rules}))
    core = [path.read_text(encoding="utf-8") for path in SOURCE.glob("*.pyx")]
    references = [path.read_text(encoding="utf-8") for path in TESTS.glob("reference/*.py")]
    for source in (text, *references, *core):
        mentioned = set(re.findall(rf"\b([{letters}][1-9]\d?)\b(?!-)", source))
        assert mentioned <= rules | {"P" + str(number) for number in range(1, 20)}, mentioned - rules


def test_every_row_says_what_where_and_which_tests() -> None:
    for row in text_and_matrix()[1]:
        assert row.what
        assert row.where, f"{row.rule} is implemented nowhere"
        assert row.tests, f"{row.rule} has no test"


def test_every_function_exists() -> None:
    for row in text_and_matrix()[1]:
        for place in row.where:
            name, function = place.split(": ")
            assert function in functions_of(name), f"{row.rule}: no {function} in {name}"


def test_every_test_exists_and_carries_its_mark() -> None:
    for row in text_and_matrix()[1]:
        for name in row.tests:
            assert name in marked_tests(), f"{row.rule}: no test {name}"
            assert row.rule in marked_tests()[name], f"{name} is not marked with {row.rule}"


def test_every_marked_test_is_in_the_matrix() -> None:
    rows = {row.rule: row for row in text_and_matrix()[1]}
    for name, rulings in marked_tests().items():
        for rule in rulings:
            assert name in rows[rule].tests, f"{rule}: {name} is not in the matrix"


def test_every_scenario_has_its_test() -> None:
    names = [name.split("::")[1] for name in marked_tests() if "scenarios" in name]
    numbers = [int(name.split("_")[2]) for name in names]
    assert sorted(numbers) == list(SCENARIOS)


def test_every_example_has_its_test() -> None:
    """Some have two: 07a and 07b."""
    names = [name.split("::")[1] for name in marked_tests() if "hansa/test_examples" in name]
    numbers = {int(name.split("_")[2][:2]) for name in names if name.startswith("test_example_")}
    assert numbers == set(EXAMPLES)
