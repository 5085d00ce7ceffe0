"""Facts as lines of text: how a position looks for which there is no drawing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def fact_lines(facts: Mapping[str, Any], indent: int = 0) -> list[str]:
    """A line for each fact; what holds further facts is a heading with lines below it."""
    lines = []
    for key, value in facts.items():
        start = f"{' ' * indent}{key}"
        if _fits(value):
            lines.append(f"{start}: {_short(value)}")
        elif isinstance(value, Mapping):
            lines += [start, *fact_lines(value, indent + 2)]
        else:
            lines += [start, *(f"{' ' * indent}  {number}: {_short(entry)}" for number, entry in enumerate(value))]
    return lines


def _fits(value: Any) -> bool:
    """Whether a value is simple enough for a single line."""
    if isinstance(value, Mapping):
        return all(not isinstance(entry, Mapping | list | tuple) for entry in value.values())
    return not isinstance(value, list | tuple) or not any(isinstance(entry, Mapping | list | tuple) for entry in value)


def _short(value: Any) -> str:
    """A value within a line. What is hidden is only counted."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_short(entry)}" for key, entry in value.items()) or "-"
    if isinstance(value, Sequence) and not isinstance(value, str):
        texts = [_short(entry) for entry in value]
        return f"{len(texts)} hidden" if set(texts) == {"hidden"} else ", ".join(texts) or "-"
    return str(value)
