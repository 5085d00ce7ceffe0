"""The documentation is true: examples run, links lead somewhere, figures are those of the core."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import hansa_fast as hf
from hansa_fast import _boards, _draw
from hansa_fast._rules import engine_of

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
RULES = {"Hansa Teutonica": hf.Rules(), "Hansa": hf.Rules(game="hansa")}
PICTURED = 200  # actions of docs/example.hansa, as in the Makefile


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def blocks(page: Path, language: str) -> list[str]:
    """The fenced blocks of a page in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text_of(page), re.MULTILINE | re.DOTALL)


def rows(page: Path, section: str) -> list[list[str]]:
    """The cells of the table rows below a heading, without the head; "the same" means the cell above."""
    part = re.split(r"^## ", text_of(page).partition(f"\n## {section}\n")[2], flags=re.MULTILINE)[0]
    lines = [line for line in part.splitlines() if line.startswith("|")]
    found: list[list[str]] = []
    for line in lines[2:]:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        found.append([found[-1][k] if cell == "the same" else cell for k, cell in enumerate(cells)])
    return found


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=lambda page: page.name)
def test_python_examples_run(page: Path, tmp_path: Path) -> None:
    """Blocks of a page belong together: a later one knows the names of those before. Each page runs by itself."""
    script = "\n".join(blocks(page, "python"))
    run = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_readme_opens_with_ten_lines_of_python(capsys: pytest.CaptureFixture[str]) -> None:
    first = blocks(ROOT / "README.md", "python")[0]
    assert len([line for line in first.splitlines() if line]) == 10
    exec(compile(first, "README.md", "exec"), {})
    assert capsys.readouterr().out.count("[") == 3


def test_commands_of_the_readme_do_what_it_says(tmp_path: Path) -> None:
    """`...` stands for any lines."""
    examples = [part for block in blocks(ROOT / "README.md", "console") for part in re.split(r"(?m)^\$ ", block)[1:]]
    ours = [example.partition("\n") for example in examples if example.startswith("hansa ")]
    assert len(ours) >= 3
    for command, _, expected in ours:
        line = [sys.executable, "-m", "hansa_fast.cli", *shlex.split(command)[1:]]
        done = subprocess.run(line, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
        assert done.returncode == 0, done.stderr
        pattern = "(?:.*\n)*?".join(re.escape(part) for part in re.split(r"(?m)^\.\.\.\n", expected))
        assert re.fullmatch(pattern, done.stdout + done.stderr), f"$ {command}\n{done.stdout}{done.stderr}"


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as they are made on the web."""
    headings = re.findall(r"^#+ (.*)$", text_of(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    prose = re.sub(r"^```.*?^```$|`[^`\n]*`", "", text_of(page), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if re.match(r"https?://", target):
            continue
        path, _, anchor = target.partition("#")
        other = (page.parent / path).resolve() if path else page
        assert other.exists(), f"{page.name}: {target}"
        assert not anchor or anchor in anchors(other), f"{page.name}: {target}"


def test_every_page_is_in_the_index() -> None:
    listed = set(re.findall(r"\]\(([\w-]+\.md)\)", text_of(ROOT / "docs/README.md")))
    assert listed == {page.name for page in (ROOT / "docs").glob("*.md")} - {"README.md"}


def test_state_sizes_are_told() -> None:
    told = {row[0]: int(row[1]) for row in rows(ROOT / "docs/core.md", "A state")}
    assert told == {game: engine_of(rules).state_size for game, rules in RULES.items()}
    assert max(told.values()) <= 512


def test_limits_of_boards_are_told() -> None:
    text = " ".join(text_of(ROOT / "docs/boards.md").split())
    for what, limit in _boards.LIMITS.items():
        assert f"{limit} {what}" in text


@pytest.mark.parametrize("game", RULES)
def test_id_blocks_follow_one_another(game: str) -> None:
    """No id is in two blocks, none is left out, and none is too large."""
    following = 0
    for first, last in id_blocks(game):
        assert first == following
        following = last + 1
    assert following <= 1024


def id_blocks(game: str) -> list[tuple[int, int]]:
    cells = [row[0] for row in rows(ROOT / "docs/actions.md", f"The id space of {game}")]
    return [(int(cell.partition("-")[0]), int(cell.rpartition("-")[2])) for cell in cells]


@pytest.mark.parametrize(("game", "rules"), RULES.items())
def test_ids_in_play_are_in_the_blocks_of_their_verbs(game: str, rules: hf.Rules) -> None:
    """All actions that are met in play stand in the block that names their verb."""
    table = rows(ROOT / "docs/actions.md", f"The id space of {game}")
    spans = id_blocks(game)
    met: set[int] = set()
    for seed in range(10):
        state = rules.new(seed)
        for step in range(400):
            if state.is_over:
                break
            for action in state.legal_actions():
                block = next(k for k, (first, last) in enumerate(spans) if first <= action <= last)
                met.add(block)
                verb = state.describe(action).split()[0]
                assert re.search(rf"\b{verb}\b", " ".join(table[block][1:])), f"{action}: {state.describe(action)}"
            state.apply(state.choose(seed=400 * seed + step, policy="greedy" if step % 4 else "uniform"))
    assert len(met) > len(spans) // 2


def test_picture_is_the_position_it_claims_to_be() -> None:
    """`make pictures` draws it anew."""
    game = hf.Game.load(ROOT / "docs/example.hansa")
    names = [game.tags[f"Seat {seat}"] for seat in range(game.rules.players)]
    assert _draw.svg(game.state_at(PICTURED), names=names) == text_of(ROOT / "docs/board.svg")
