"""The examples of docs/cli.md are what the command does."""

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.runner import Runner

DOCS = Path(__file__).parent.parent.parent / "docs" / "cli.md"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def examples() -> list[tuple[str, str]]:
    """Commands and what the page says they write, in the order of the page."""
    found = []
    for block in BLOCK.findall(DOCS.read_text(encoding="utf-8")):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, expected = part.partition("\n")
            found.append((command, expected))
    return found


def run_line(line: str, run: Runner) -> str:
    """Run `printf TEXT | hansa ... | hansa ...` the way a shell would; the last output, errors and exit code."""
    text = ""
    answer = ""
    for part in line.split(" | "):
        words = shlex.split(part)
        if words[0] == "printf":
            text = words[1].replace("\\n", "\n")
            continue
        assert words[0] == "hansa"
        done = run(*words[1:], stdin=text)
        text = done.out
        answer = done.out + done.err + (f"exit code {done.code}\n" if done.code else "")
    return answer


def matches(expected: str, actual: str) -> bool:
    """Whether a text is the expected one; `...` on a line of its own stands for any lines."""
    parts = [re.escape(part) for part in re.split(r"^\.\.\.\n", expected, flags=re.MULTILINE)]
    return re.fullmatch("(?:.*\n)*?".join(parts), actual) is not None


def test_examples_in_the_page(run: Runner) -> None:
    commands = examples()
    assert len(commands) > 8
    for command, expected in commands:
        actual = run_line(command, run)
        assert matches(expected, actual), f"$ {command}\n{actual}"


def test_every_exit_code_and_command_is_documented(run: Runner) -> None:
    text = DOCS.read_text(encoding="utf-8")
    from hansa_fast.cli.errors import ExitCode

    for code in ExitCode:
        assert f"\n| {int(code)} |" in text
    listed = re.findall(r"^│ (\w+)  ", run("--help").out.partition("Commands")[2], re.MULTILINE)
    assert len(listed) > 8
    for name in listed:
        assert f"| `hansa {name}" in text


@pytest.mark.parametrize(
    ("expected", "actual", "same"),
    [
        ("a\n", "a\n", True),
        ("a\n...\nb\n", "a\nx\ny\nb\n", True),
        ("a\n...\nb\n", "a\nc\n", False),
        ("a\n", "a\nb\n", False),
    ],
)
def test_the_comparison_itself(expected: str, actual: str, same: bool) -> None:
    assert matches(expected, actual) is same
