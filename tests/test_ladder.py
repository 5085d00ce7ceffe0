"""The ladder counts right: every seat once a deal, shared wins shared, intervals by deals, a picture that is one."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benches import ladder
from hansa_fast.bots import KINDS, Kind, PolicyBot


def test_a_bot_against_itself_is_exactly_even() -> None:
    for row in ladder.measure([("planner", "planner")], ["standard-3", "pawn", "hansa"], 3, 1, 1):
        assert row.share == pytest.approx(row.even)
        assert row.error == pytest.approx(0)
        assert row.games == 3 * row.players
        assert row.mean_score == pytest.approx(row.mean_score_others)


def test_processes_do_not_matter() -> None:
    pair = [("planner", "greedy")]
    assert ladder.measure(pair, ["hansa"], 4, 5, 1) == ladder.measure(pair, ["hansa"], 4, 5, 2)


def test_intervals_come_from_deals() -> None:
    job = ladder.Job("hansa", "a", "b", 1)
    row = ladder.summarise([ladder.Outcome(job, share, 10.0, 5.0) for share in (0.0, 0.5, 1.0, 0.5)])
    assert row.share == 0.5
    assert row.error == pytest.approx(1.96 * (0.5 / 3) ** 0.5 / 2)
    assert (row.deals, row.games, row.even) == (4, 16, 0.25)
    sure = ladder.summarise([ladder.Outcome(job, 1.0, 10.0, 5.0)] * 30)
    assert (sure.share, sure.error) == (1.0, 0.1)


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> None:
    monkeypatch.setattr(sys, "argv", ["ladder", *words])
    ladder.main()


def test_the_table_and_the_json(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    run(monkeypatch, "--deals", "2", "--boards", "hansa", "--pair", "greedy/random")
    assert "3 x random" in capsys.readouterr().out
    run(monkeypatch, "--deals", "2", "--boards", "hansa", "--pair", "greedy/random", "--json")
    found = json.loads(capsys.readouterr().out)
    assert found["versions"] == {"greedy": KINDS["greedy"].version, "random": KINDS["random"].version}
    assert [(row["games"], row["even"]) for row in found["rows"]] == [(8, 0.25)]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--pair", "planer/greedy"], "did you mean planner"),
        (["--pair", "planner"], "names no two bots"),
        (["--boards", "moon"], "'moon' is none of standard-4-5"),
        (["--curve", "planner"], "needs {}"),
        (["--deals", "1"], "at least 2"),
    ],
)
def test_mistakes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    with pytest.raises(SystemExit) as stopped:
        run(monkeypatch, *words)
    assert message in f"{stopped.value} {capsys.readouterr().err}"


def test_a_curve(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A bot that is greedy from level 2 on and plans from level 3 on."""
    policies = ["uniform", "greedy", "planner"]
    made = Kind("rising", "1", "test", lambda level: PolicyBot(policies[level - 1]), {"level": int})
    monkeypatch.setitem(KINDS, "rising", made)
    picture = tmp_path / "curve.svg"
    words = ["--curve", "rising:level={}", "--values", "1,2,3", "--boards", "hansa,east", "--deals", "3", "--json"]
    run(monkeypatch, *words, "--against", "greedy", "--svg", str(picture))
    rows = json.loads(capsys.readouterr().out)["rows"]
    by_level = {(row["bot"], row["board"]): row["share"] for row in rows}
    for board in ("hansa", "east"):
        shares = [by_level[f"rising:level={level}", board] for level in (1, 2, 3)]
        assert shares == sorted(shares) and shares[0] < shares[2]
    root = ElementTree.parse(picture).getroot()
    space = "{http://www.w3.org/2000/svg}"
    assert len(root.findall(f"{space}circle")) == 6
    run(monkeypatch, *words)  # each against the one before
    assert len(json.loads(capsys.readouterr().out)["rows"]) == 4
