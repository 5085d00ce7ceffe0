"""The report as Markdown."""

from __future__ import annotations

import re
from typing import Any

from hansa_server.tournament import report_text
from hansa_server.tournament.report_text import Sheet, printable

WIDEST = 20  # bots in a crosstable


def markdown(numbers: dict[str, Any]) -> str:
    """All tables of the report, the same as at the terminal."""
    lines = [f"# {_text(printable(numbers['event']['name']))}", "", *_table(report_text.facts(numbers))]
    if numbers["overall"]["standings"]:
        lines += _section(report_text.overall(numbers))
    elif len(numbers["pools"]) > 1:
        lines += [
            "## Over all pools",
            "",
            f"There is no rating over all pools: {_text(numbers['overall']['reason'])}.",
            "",
        ]
    for sheet in report_text.outcome(numbers):
        lines += _section(sheet)
    for pool in numbers["pools"]:
        lines += [f"## {_text(pool['pool'])}", ""]
        lines += [_text(report_text.about(pool)), ""]
        lines += [line for remark in pool["remarks"] for line in (f"- {_text(printable(remark))}", "")]
        for sheet in report_text.pool_sheets(pool, WIDEST):
            lines += _section(sheet, level=3)
    for sheet in (report_text.line_up(numbers), report_text.seed(numbers)):
        lines += _section(sheet)
    return "\n".join(lines).rstrip("\n") + "\n"


def _section(sheet: Sheet, level: int = 2) -> list[str]:
    meaning = [_text(sheet.meaning), ""] if sheet.meaning else []
    return [f"{'#' * level} {_text(sheet.title)}", "", *meaning, *_table(sheet)]


def _table(sheet: Sheet) -> list[str]:
    heads = [_text(column.removeprefix(">")) or " " for column in sheet.columns]
    rule = ["---:" if column.startswith(">") else "---" for column in sheet.columns]
    body = [[_text(cell) for cell in row] for row in sheet.rows]
    return [*(f"| {' | '.join(row)} |" for row in (heads, rule, *body)), ""]


def _text(text: str) -> str:
    """Nothing in it is markup."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_\[\]|~])", r"\\\1", text)
