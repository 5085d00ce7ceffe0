"""How a test of one bot against another came out: for people, for programs, for a CI that reads Markdown or JUnit."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree

from hansa_server.ratings import Verdict
from hansa_server.tournament.chronicle import Chronicle

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Report:
    """A test that is over."""

    verdict: Verdict
    outcome: dict[str, Any]  # as the format `test` has it
    tables: tuple[str, ...]  # by the names of their pools
    seconds: float  # of this run
    forfeits: dict[str, dict[str, int]] = field(default_factory=dict)  # by bot and reason
    problem: str = ""  # what was wrong with the host
    test: str = ""  # the name of the tournament in its store
    seed: str = ""
    commitment: str = ""

    @property
    def headline(self) -> str:
        """The verdict as a sentence."""
        a, b = self.outcome["a"], self.outcome["b"]
        return {
            Verdict.BETTER: f"{a} is better than {b}",
            Verdict.NOT_BETTER: f"{a} is not better than {b}",
            Verdict.INCONCLUSIVE: f"it is open whether {a} is better than {b}",
            Verdict.FAULT: f"the test of {a} against {b} could not be played",
        }[self.verdict]

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            **self.outcome,
            "verdict": self.verdict.value,
            "tables": list(self.tables),
            "forfeits": self.forfeits,
            "problem": self.problem,
            "seconds": round(self.seconds, 3),
            "test": self.test,
            "seed": self.seed,
            "commitment": self.commitment,
        }

    def rows(self) -> list[tuple[str, str]]:
        """What there is to say, line by line."""
        found = self.outcome
        against = f" among {', '.join(found['field'])}" if found["field"] else ""
        rows = [("verdict", f"{self.verdict.value}: {self.headline}{against}")]
        if self.problem:
            rows.append(("problem", self.problem))
        errors = f"errors {found['alpha']:g} and {found['beta']:g}"
        rows.append(("question", f"{found['elo0']:g} or {found['elo1']:g} Elo, {errors}"))
        rows.append(("tables", ", ".join(self.tables)))
        if found["estimate"]:
            estimate = found["estimate"]
            rows.append(("difference", f"{elo(estimate['elo'])} Elo, 95 %: {span(estimate)}"))
        if found["peeking"]:
            rows.append(("at any time", f"95 %: {span(found['peeking'])} Elo"))
        if found["bounds"]:
            low, high = found["bounds"]
            rows.append(("LLR", f"{found['llr']:.2f}, bounds {low:.2f} and {high:.2f}"))
        rows.append(("games", f"{found['games']:,} in {found['blocks']:,} blocks, {found['voids']} void"))
        if found["scores"]:
            counts = ", ".join(f"{row['score']:.4g}: {row['blocks']}" for row in found["scores"])
            rows.append(("block scores", counts))
        for bot, reasons in self.forfeits.items():
            lost = ", ".join(f"{reason} {count}" for reason, count in reasons.items())
            rows.append((f"forfeits of {bot}", lost))
        rows.append(("time", f"{self.seconds:.1f} s"))
        return rows

    def to_markdown(self) -> str:
        """For the summary page of a CI."""
        title = f"## {self.verdict.value.capitalize()}: {self.headline}\n"
        cells = [f"| {_cell(name)} | {_cell(text)} |" for name, text in self.rows()[1:]]
        return "\n".join([title, "| | |", "|---|---|", *cells, ""])

    def to_junit(self) -> str:
        """One test case: it fails if A is not better, is skipped if that is open, and is an error if the host failed.

        Its shape is the one that CI systems read: suites, suite, case, each with its counts and times.
        """
        found = self.outcome
        kinds = {Verdict.NOT_BETTER: "failure", Verdict.INCONCLUSIVE: "skipped", Verdict.FAULT: "error"}
        kind = kinds.get(self.verdict)
        seconds = f"{self.seconds:.3f}"
        counts = {
            "tests": "1",
            "failures": str(int(kind == "failure")),
            "errors": str(int(kind == "error")),
            "skipped": str(int(kind == "skipped")),
            "time": seconds,
        }
        suites = ElementTree.Element("testsuites", counts)
        suite = ElementTree.SubElement(suites, "testsuite", {"name": "hansa test", **counts})
        name = f"{found['a']} is better than {found['b']} [{found['elo0']:g}, {found['elo1']:g}]"
        case = ElementTree.SubElement(
            suite, "testcase", {"classname": "hansa.test", "name": _xml(name), "time": seconds}
        )
        text = _xml("\n".join(f"{name}: {value}" for name, value in self.rows()))
        if kind is not None:
            attributes = {"message": _xml(self.problem or self.headline)}
            if kind != "skipped":
                attributes["type"] = self.verdict.value
            ElementTree.SubElement(case, kind, attributes).text = text
        ElementTree.SubElement(case, "system-out").text = text
        ElementTree.indent(suites)
        return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def report(chronicle: Chronicle, seconds: float) -> Report:
    """Of a test that is over. One that was stopped before it had a verdict is inconclusive."""
    outcome = dict(chronicle.outcome)
    lost: dict[str, Counter[str]] = {}
    for block in chronicle.finished():
        for game in block.games:
            for seat, reason in sorted(game.forfeits.items()):
                lost.setdefault(game.bots[seat], Counter())[reason] += 1
    return Report(
        verdict=Verdict(outcome["verdict"] or Verdict.INCONCLUSIVE.value),
        outcome=outcome,
        tables=chronicle.event.pools,
        seconds=seconds,
        forfeits={bot: dict(sorted(reasons.items())) for bot, reasons in sorted(lost.items())},
        test=chronicle.event.name,
        seed=chronicle.secret,
        commitment=chronicle.commitment,
    )


def elo(value: float | None) -> str:
    """A difference with its sign; one that has no bound is told in words."""
    return "without bound" if value is None else f"{value:+.1f}"


def span(ends: dict[str, float | None]) -> str:
    """An interval in words."""
    low, high = ends["low"], ends["high"]
    if low is None and high is None:
        return "anything"
    if low is None:
        return f"at most {elo(high)}"
    return f"at least {elo(low)}" if high is None else f"{elo(low)} to {elo(high)}"


def _cell(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")


def _xml(text: str) -> str:
    """Without the characters that no XML may have."""
    return _NO_XML.sub("\ufffd", text)
