"""The report of a tournament as files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hansa_server.tournament.report_html import html
from hansa_server.tournament.report_markdown import markdown

Plain = dict[str, Any]


def write_all(numbers: Plain, folder: Path) -> list[Path]:
    """Write report.md, report.json and report.html into a folder; the same numbers give the same bytes."""
    texts = {"report.md": markdown(numbers), "report.json": to_json(numbers), "report.html": html(numbers)}
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    return [folder / name for name in texts]


def to_json(value: Any) -> str:
    """As JSON for people, too: a line for each row of a matrix."""
    return _json(value, "") + "\n"


def _json(value: Any, indent: str) -> str:
    inner = indent + "  "
    items: list[Any] = (
        list(value.values() if isinstance(value, dict) else value) if isinstance(value, dict | list) else []
    )
    if not any(isinstance(item, dict | list) and item for item in items):
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    if isinstance(value, dict):
        lines = [f"{inner}{json.dumps(key, ensure_ascii=False)}: {_json(item, inner)}" for key, item in value.items()]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    return "[\n" + ",\n".join(inner + _json(item, inner) for item in value) + f"\n{indent}]"
