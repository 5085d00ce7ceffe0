"""The ladder counts right: every seat once a deal, shared wins shared, intervals by deals, a picture that is one."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benches import ladder
from hansa_fast.bots import KINDS, Kind, PolicyBot, version_of


def test_a_bot_against_itself_is_exactly_even() -> None:
    for row in ladder.measure([("planner", "planner")], ["standard-3", "pawn", "hansa"], 3, 1, 1):
        assert row.share == pytest.approx(row.even)
        assert row.games == 3 * row.players
        assert row.mean_score == pytest.approx(row.mean_score_others)
    assert ladder.play_deal(ladder.Job("hansa", "planner", "planner", 4)).share == pytest.approx(0.25)


def test_processes_do_not_matter() -> None:
    pair = [("planner", "greedy")]
    assert ladder.measure(pair, ["hansa"], 4, 5, 1) == ladder.measure(pair, ["hansa"], 4, 5, 2)


def test_intervals_come_from_deals() -> None:
    job = ladder.Job("hansa", "a", "b", 1)
    shares = (0.0, 0.5, 1.0, 0.5)
    row = ladder.summarise([ladder.Outcome(job, share, 10.0, 5.0) for share in shares * 10])
    assert row.share == 0.5
    assert row.error == pytest.approx(1.96 * (5 / 39) ** 0.5 / 40**0.5)
    assert (row.deals, row.games, row.even) == (40, 160, 0.25)
    few = ladder.summarise([ladder.Outcome(job, share, 10.0, 5.0) for share in shares])
    assert few.error == pytest.approx(3.18 * (0.5 / 3) ** 0.5 / 2)  # Student's factor for three degrees of freedom
    alike = ladder.summarise([ladder.Outcome(job, 0.75, 10.0, 5.0)] * 3)
    assert alike.error == pytest.approx(1.96 * (0.75 * 0.25 / 12) ** 0.5)
    assert ladder.summarise([ladder.Outcome(job, 0.75, 10.0, 5.0)]).error == 1
    sure = ladder.summarise([ladder.Outcome(job, 1.0, 10.0, 5.0)] * 30)
    assert (sure.share, sure.error) == (1.0, 0.1)


def test_what_was_saved_is_not_played_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "deals.jsonl"
    pair = [("planner", "greedy")]
    whole = ladder.measure(pair, ["hansa", "pawn"], 3, 1, 1)
    stopped = ladder.measure(pair, ["hansa", "pawn"], 3, 1, 1, file, minutes=1e-9)
    assert [(row.board, row.deals) for row in stopped] == [("hansa", 1)]
    assert ladder.measure(pair, ["hansa", "pawn"], 3, 1, 1, file, minutes=0) == stopped
    played = []
    play = ladder.play_deal

    def counted(job: ladder.Job) -> ladder.Outcome:
        played.append(job)
        return play(job)

    monkeypatch.setattr(ladder, "play_deal", counted)
    assert ladder.measure(pair, ["hansa", "pawn"], 3, 1, 1, file) == whole
    assert len(played) == 5
    assert ladder.measure(pair, ["hansa", "pawn"], 3, 1, 1, file) == whole
    assert len(played) == 5


def test_the_ladder_goes_up_to_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a pair every bot meets the one below it on all boards, the search with so many seconds a decision."""

    def asked(pairs: list[tuple[str, str]], boards: list[str], *_: object) -> list[ladder.Row]:
        assert pairs == [("greedy", "random"), ("planner", "greedy"), ("search:time=1", "planner")]
        assert boards == ["standard-4-5", "standard-3", "east", "britannia-4-5", "pawn", "hansa"]
        raise InterruptedError

    monkeypatch.setattr(ladder, "measure", asked)
    with pytest.raises(InterruptedError):
        run(monkeypatch)


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
        (["--draw", "curve.json"], "needs --svg"),
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
    found = capsys.readouterr().out
    rows = json.loads(found)["rows"]
    by_level = {(row["bot"], row["board"]): row["share"] for row in rows}
    for board in ("hansa", "east"):
        shares = [by_level[f"rising:level={level}", board] for level in (1, 2, 3)]
        assert shares == sorted(shares) and shares[0] < shares[2]
    root = ElementTree.parse(picture).getroot()
    space = "{http://www.w3.org/2000/svg}"
    assert len(root.findall(f"{space}circle")) == 6
    (tmp_path / "curve.json").write_text(found, encoding="utf-8")
    run(monkeypatch, "--draw", str(tmp_path / "curve.json"), "--svg", str(tmp_path / "again.svg"))
    assert (tmp_path / "again.svg").read_bytes() == picture.read_bytes()
    run(monkeypatch, *words)  # each against the one before
    assert len(json.loads(capsys.readouterr().out)["rows"]) == 4


DOCS = Path(__file__).parents[1] / "docs"


def told(row: ladder.Row) -> str:
    """A row as the tables of the docs have it."""
    cells = (
        f"`{row.bot}`",
        f"{row.players - 1} × `{row.others}`",
        {"hansa": "`hansa-2004`", "pawn": "pawn game (`standard-3`, 2 players)"}.get(row.board, f"`{row.board}`"),
        f"{row.even:.0%}",
        f"{row.share:.1%}",
        f"± {row.error:.1%}",
        str(row.games),
        f"{row.mean_score:.1f}",
        f"{row.mean_score_others:.1f}",
    )
    return f"| {' | '.join(cells)} |".replace("%", " %")


def test_the_curve_of_the_docs_is_what_was_measured() -> None:
    """The picture is drawn from the figures, and the page tells them all."""
    found = json.loads((DOCS / "search-strength.json").read_text(encoding="utf-8"))
    assert ladder.picture(found) == (DOCS / "search-strength.svg").read_text(encoding="utf-8")
    assert found["versions"] == {name: version_of(name) for name in found["versions"]}
    page = (DOCS / "search.md").read_text(encoding="utf-8")
    assert "](search-strength.svg)" in page
    for values in found["rows"]:
        row = ladder.Row(**{key: value for key, value in values.items() if key != "even"})
        assert told(row) in page
