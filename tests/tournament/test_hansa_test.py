"""`hansa test`: real games, real verdicts, exit codes, reports, and a test that is killed and goes on."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from hansa_fast.cli.errors import CliError, ExitCode
from hansa_fast.cli.test import exit_code, line_of, parse_budget
from hansa_server.ratings import Question, SequentialTest, Verdict
from hansa_server.tournament.pairing.sequential import describe
from hansa_server.tournament.verdict import Report, span
from tests.cli.conftest import run
from tests.cli.runner import Runner

__all__ = ["run"]

SMALL = ("--players", "2", "--turn-limit", "40")
# Scores of all kinds, and a question that so few games do not answer.
LONG: tuple[str, ...] = (
    "greedy",
    "random",
    "--field",
    "greedy",
    "--field",
    "random",
    "--players",
    "3",
    "--turn-limit",
    "60",
)
LONG += ("--elo0", "187", "--elo1", "188", "--seed", "5", "--budget", "1600")

FIRST = """
from hansa_client import Bot

class First(Bot):
    name = "first"
    def choose(self, view, legal):
        return legal[0]
"""


def test_better(run: Runner) -> None:
    done = run("test", "greedy", "random", *SMALL, "--seed", "1", "--junit", "r.xml", "--markdown", "r.md", "--json")
    assert done.code == 0, done.err
    found = done.json
    assert (found["verdict"], found["exit_code"], found["a"], found["b"]) == ("better", 0, "greedy", "random")
    assert found["estimate"]["low"] > 100
    assert found["peeking"]["low"] > 0
    assert found["games"] == 2 * found["blocks"] == 2 * sum(row["blocks"] for row in found["scores"])
    assert found["tables"] == ["teutonica:2009:standard-3:2p:40t"]
    case = junit(Path("r.xml").read_text(encoding="utf-8"))
    assert [child.tag for child in case] == ["system-out"]
    text = Path("r.md").read_text(encoding="utf-8")
    assert text.startswith("## Better: greedy is better than random\n\n| | |\n|---|---|\n| question | 0 or 15 Elo")
    again = run("test", "greedy", "random", *SMALL, "--seed", "1", "--json").json
    assert {**again, "seconds": 0} == {**found, "seconds": 0}


def test_a_bot_is_not_better_than_itself(run: Runner) -> None:
    done = run("test", "greedy", "greedy", *SMALL, "--seed", "1", "--junit", "r.xml")
    assert done.code == 10
    assert "verdict        not better: greedy is not better than greedy-2\n" in done.out
    case = junit(Path("r.xml").read_text(encoding="utf-8"))
    assert case[0].tag == "failure"
    assert case[0].attrib == {"message": "greedy is not better than greedy-2", "type": "not better"}


def test_budgets_of_games_and_of_time(run: Runner) -> None:
    narrow = ("greedy", "greedy", *SMALL, "--elo0", "-5", "--elo1", "5", "--json")
    games = run("test", *narrow, "--budget", "40")
    assert games.code == 11
    found = json.loads(games.out)
    assert (found["verdict"], found["games"], found["budget"]) == ("inconclusive", 40, 40)
    assert found["peeking"]["low"] < 0 < found["peeking"]["high"]
    timed = run("test", *narrow, "--budget", "1s", "--junit", "r.xml")
    assert timed.code == 11
    assert json.loads(timed.out)["verdict"] == "inconclusive"
    assert junit(Path("r.xml").read_text(encoding="utf-8"))[0].tag == "skipped"


def test_files_commands_and_several_tables(run: Runner) -> None:
    """Bots in processes of their own, over gRPC."""
    Path("first_bot.py").write_text(FIRST, encoding="utf-8")
    tables = "[[tables]]\nplayers = 2\nturn_limit = 24\n\n[[tables]]\ngame = 'hansa'\nplayers = 3\nturn_limit = 30\n"
    Path("tables.toml").write_text(tables, encoding="utf-8")
    done = run("test", "greedy", "first_bot.py", "--tables", "tables.toml", "--seed", "1", "--elo1", "60", "--json")
    assert done.code == 0, done.err
    assert done.json["b"] == "first_bot"
    assert len(done.json["tables"]) == 2
    command = f"cmd:{sys.executable} -m hansa_client first_bot.py"
    done = run("test", command, "greedy", *SMALL, "--seed", "1", "--elo1", "60")
    assert done.code == 10, done.err


def test_infrastructure_fault(run: Runner) -> None:
    done = run("test", "cmd:./not_there", "random", *SMALL, "--junit", "r.xml", "--json")
    assert done.code == 12
    found = json.loads(done.out)
    assert (found["verdict"], found["exit_code"]) == ("infrastructure fault", 12)
    assert "not_there cannot be started" in found["problem"]
    case = junit(Path("r.xml").read_text(encoding="utf-8"))
    assert case[0].tag == "error"
    assert "not_there cannot be started" in case[0].attrib["message"]


def test_killed_and_gone_on_with(run: Runner) -> None:
    """The result is that of a test that was never killed; when it is over the same command only says it again."""
    command = [sys.executable, "-m", "hansa_fast.cli", "test", *LONG, "--json", "--store", "tests.db"]
    begun = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 60
        while (before := blocks_in("tests.db")) < 20 and begun.poll() is None and time.monotonic() < end:
            time.sleep(0.01)
        assert begun.poll() is None, "it was over before it could be killed"
    finally:
        os.kill(begun.pid, signal.SIGKILL)
        begun.wait()
    assert 20 <= before < 800
    planned = run("test", *LONG, "--plan", "--json", "--store", "tests.db").json
    assert planned["pilot"] >= 20
    gone_on = run("test", *LONG, "--json", "--store", "tests.db")
    unbroken = run("test", *LONG, "--json")
    assert gone_on.code == unbroken.code == 11
    results = [{**json.loads(done.out), "seconds": 0} for done in (gone_on, unbroken)]
    assert results[0] == results[1]
    assert len(results[0]["scores"]) > 3
    begin = time.monotonic()
    again = run("test", *LONG, "--json", "--store", "tests.db")
    assert {**json.loads(again.out), "seconds": 0} == results[0]
    assert time.monotonic() - begin < 30


def blocks_in(store: str) -> int:
    """Finished blocks in a store that another process writes."""
    if not os.path.exists(store):
        return 0
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as connection:
        try:
            return sum(row[0] for row in connection.execute("SELECT blocks_finished FROM tournaments"))
        except sqlite3.OperationalError:  # its tables are not there yet
            return 0


def test_another_version_is_another_test(run: Runner) -> None:
    names = []
    for version in ("0", "-1"):
        Path("my_bot.py").write_text(FIRST.replace("legal[0]", f"legal[{version}]"), encoding="utf-8")
        done = run("test", "my_bot.py", "random", *SMALL, "--budget", "32", "--elo1", "1", "--store", "s.db", "--json")
        names.append(json.loads(done.out)["test"])
    assert len(set(names)) == 2


def test_plan(run: Runner) -> None:
    done = run("test", "greedy", "random", "--plan", "--players", "2", "--elo1", "20")
    assert done.code == 0
    assert re.search(r"\+10\.0 \(worst case\) +50% +50% +[\d,]+ +[\d,]+\n", done.out)
    assert "standard deviation of 0.354, without any shared luck" in done.out
    found = run("test", "greedy", "random", "--plan", "--players", "2", "--elo1", "20", "--json").json
    by_elo = {row["elo"]: row for row in found["plans"]}
    assert by_elo[0]["better"] == pytest.approx(0.05, abs=1e-3)
    assert by_elo[20]["better"] == pytest.approx(0.95, abs=1e-3)
    assert found["worst"]["games"] > by_elo[20]["games"] > by_elo[40]["games"]
    assert all(row["longest"] > row["games"] for row in found["plans"])
    capped = run("test", "greedy", "random", "--plan", "--players", "2", "--elo1", "20", "--budget", "200")
    assert "inconclusive" in capped.out.splitlines()[0]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("greddy", "random"), "A: 'builtin:greddy' is none of the built-in bots"),
        (("greedy", "my_bot.py"), "my_bot.py: there is no such file"),
        (("greedy", "cmd:"), "B: there is no command after cmd:"),
        (("greedy", "cmd:bot 'a"), "B: the command has a quote"),
        (("greedy", "random", "--elo0", "20"), "--elo1: elo0 must be below elo1"),
        (("greedy", "random", "--alpha", "0.7"), "--alpha: must be between 0 and 0.5, not 0.7"),
        (("greedy", "random", "--budget", "20"), "--budget: the budget must be at least 16 blocks of 2 games, not 10"),
        (("greedy", "random", "--budget", "soon"), "--budget: 'soon' is no number of games and no time"),
        (("greedy", "random", "--board", "eats"), "board: 'eats' is none of"),
        (("greedy", "random", "--tables", "t.toml", "--players", "3"), "leave out --players"),
        (("greedy", "random", "--per-decision", "0"), "needs a limit"),
        (("greedy", "random", "--concurrency", "5000"), "5000 games at once would have"),
    ],
)
def test_mistakes(run: Runner, args: tuple[str, ...], said: str) -> None:
    done = run("test", *args)
    assert done.code == 2, done.out
    assert said in done.err


def test_files_that_cannot_be_read(run: Runner) -> None:
    assert run("test", "greedy", "random", "--tables", "none.toml").code == 3
    Path("t.toml").write_text("tables = 3", encoding="utf-8")
    assert "has no [[tables]]" in run("test", "greedy", "random", "--tables", "t.toml").err
    Path("bot.exe").write_text("", encoding="utf-8")
    assert "is no Python file" in run("test", "greedy", "bot.exe").err


@pytest.mark.parametrize(
    ("text", "found"),
    [(None, (0, None)), ("64", (64, None)), ("10m", (0, 600)), ("1h30m", (0, 5400)), ("2h5s", (0, 7205))],
)
def test_budget(text: str | None, found: tuple[int, float | None]) -> None:
    assert parse_budget(text) == found


@pytest.mark.parametrize("text", ["", "0", "0m", "m", "30m1h", "-5", "1.5h", "10 m"])
def test_wrong_budgets(text: str) -> None:
    with pytest.raises(CliError, match="is no number of games"):
        parse_budget(text)


def test_exit_codes(run: Runner) -> None:
    assert [exit_code(verdict.value) for verdict in Verdict] == [
        ExitCode.OK,
        ExitCode.NOT_BETTER,
        ExitCode.INCONCLUSIVE,
        ExitCode.FAULT,
    ]
    said = " ".join(run("test", "--help").out.split())
    assert "Exit codes: 0 better; 10 not better; 11 inconclusive; 12 infrastructure fault." in said
    assert "Example: hansa test my_bot.py" in said


def standing(scores: list[float], budget: int | None = None) -> dict[str, Any]:
    test = SequentialTest(Question(0, 15, budget=budget))
    for score in scores:
        test.add(score)
    return {"verdict": None, "a": "new", "b": "old", "field": []} | describe(test)


def test_line_of_progress() -> None:
    assert line_of(standing([0.5, 1.0]), 1.0) == "LLR 0.00, before the first look"
    line = line_of(standing([0.5, 1.0, 0.0, 0.75] * 10), 2.0)
    found = re.fullmatch(
        r"LLR (-?[\d.]+) between (-[\d.]+) and ([\d.]+), [+-][\d.]+ Elo \([+-][\d.]+ to [+-][\d.]+\), "
        r"(\d+ s|\d+ min) to (\d+ s|\d+ min) left",
        line,
    )
    assert found, line
    assert float(found[2]) < float(found[1]) < float(found[3])
    capped = line_of(standing([0.5, 1.0, 0.0, 0.75] * 10, budget=42), 2.0)
    assert capped.endswith("1 s to 1 s left")


def junit(text: str) -> ElementTree.Element:
    """The one case of a report, after its shape was checked: what CI systems read, and counts that are right."""
    suites = ElementTree.fromstring(text)
    assert suites.tag == "testsuites"
    (suite,) = suites
    assert suite.tag == "testsuite"
    (case,) = suite
    assert case.tag == "testcase"
    assert set(case.attrib) == {"classname", "name", "time"}
    kinds = [child.tag for child in case if child.tag != "system-out"]
    assert len(kinds) <= 1 and set(kinds) <= {"failure", "error", "skipped"}
    for element in (suites, suite):
        counts = {name: int(element.attrib[name]) for name in ("tests", "failures", "errors", "skipped")}
        expected = {"failures": "failure", "errors": "error", "skipped": "skipped"}
        assert counts == {"tests": 1} | {name: kinds.count(kind) for name, kind in expected.items()}
        assert float(element.attrib["time"]) >= 0
    return case


def test_reports_take_any_text() -> None:
    outcome = standing([0.5] * 3) | {"a": "<new> & 'old'", "b": 'a|b"\x00'}
    report = Report(Verdict.FAULT, outcome, ("p|q",), 1.0, problem="no <disk>\x1b[31m & \ud800 no | light")
    case = junit(report.to_junit())
    assert case.attrib["name"].startswith("<new> & 'old' is better than a|b\"\ufffd")
    assert case[0].attrib["message"] == "no <disk>\ufffd[31m & \ufffd no | light"
    rows = [line for line in report.to_markdown().splitlines() if line.startswith("|")]
    assert all(len(re.findall(r"(?<!\\)\|", row)) == 3 for row in rows)
    assert json.loads(json.dumps(report.to_dict()))["verdict"] == "infrastructure fault"


def test_intervals_in_words() -> None:
    assert span({"low": None, "high": None}) == "anything"
    assert span({"low": 3.0, "high": None}) == "at least +3.0"
    assert span({"low": None, "high": -3.0}) == "at most -3.0"
    assert span({"low": -1.0, "high": 2.0}) == "-1.0 to +2.0"
