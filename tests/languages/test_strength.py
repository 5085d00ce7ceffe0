"""The example bot of each client plays sensibly: clearly better than any legal action."""

from __future__ import annotations

from pathlib import Path

from tests.client.arena import run
from tests.languages.clients import Client
from tests.languages.strength import GAMES, Strength, measure

MATCHES = 12


def test_the_example_beats_random(client: Client, tmp_path: Path) -> None:
    """With equal bots it would win three of twelve; ten or more of them happen once in 26,000 trials."""
    found = run(measure(client, tmp_path, MATCHES))
    assert [row.game for row in found] == list(GAMES)
    for row in found:
        assert row.wins >= 10, found
        assert row.points > 2 * row.points_of_others, found


def test_the_error_of_a_rate() -> None:
    assert 0 < Strength("go", "hansa", 100, 100, 0, 0).error < 0.03
    assert 0.08 < Strength("go", "hansa", 100, 50, 0, 0).error < 0.10
