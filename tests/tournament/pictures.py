"""Draws the picture of docs/reading-results.md: ``python -m tests.tournament.pictures``."""

from __future__ import annotations

from pathlib import Path

from hansa_server.tournament import charts
from hansa_server.tournament.numbers import numbers
from tests.tournament.chronicles import simulated

PICTURE = Path(__file__).parents[2] / "docs" / "standings.svg"


def picture() -> str:
    """Ratings with their intervals, from a small example."""
    return charts.standalone(charts.standings("standings", numbers(simulated(blocks=60))["pools"][0]["standings"]))


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8", newline="\n")
