"""Perft counts and the signature: behaviour that was written down once and must not change unnoticed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import hansa_fast as hf
from hansa_fast._signature import every_rules, signature
from tests import perft
from tests.rows import RULES, row_name

REFERENCE_NODES = 500  # positions the reference walks through for one count
ENTRIES = perft.read(perft.FILE.read_text(encoding="utf-8"))
SIGNATURE = Path(__file__).parent / "data" / "signature.txt"


def test_every_row_has_an_opening_and_positions_of_a_game() -> None:
    for rules in RULES:
        mine = [entry for entry in ENTRIES if entry.rules == rules]
        assert sum(not entry.played for entry in mine) == 1, row_name(rules)
        assert sum(bool(entry.played) for entry in mine) >= 2, row_name(rules)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_counts(entry: perft.Entry) -> None:
    assert sorted(entry.counts) == list(range(1, len(entry.counts) + 1))
    for depth in entry.counts:
        wrong = perft.mismatch(entry, depth)
        assert wrong is None, wrong


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_counts_of_the_reference(entry: perft.Entry) -> None:
    """As deep as the slow engine gets in a moment; on a difference the counts per action are compared."""
    game = perft.twin(entry)
    for depth, count in entry.counts.items():
        if depth > 1 and entry.counts[depth - 1] > REFERENCE_NODES:
            break
        if perft.reference_perft(game, depth) != count:
            assert perft.divide(entry.state(), depth) == perft.reference_divide(game, depth)


def test_a_wrong_count_is_told_by_action() -> None:
    entry = replace(ENTRIES[0], counts={2: 1})
    wrong = perft.mismatch(entry, 2)
    assert wrong is not None
    assert wrong.startswith(f"{entry.name}: perft 2 is")
    assert sum(int(line.rsplit(": ", 1)[1]) for line in wrong.splitlines()[1:]) == hf.perft(entry.state(), 2)


def test_the_file_can_be_written_again() -> None:
    entry = ENTRIES[1]
    assert perft.read(entry.to_text()) == [entry]
    with pytest.raises(ValueError, match="line 1"):
        perft.read("nonsense 1")


def test_signature() -> None:
    """If behaviour was meant to change, write the new number down: `hansa bench --signature`."""
    assert signature() == int(SIGNATURE.read_text(encoding="utf-8"))


def test_signature_covers_every_row() -> None:
    rows = {replace(rules, turn_limit=None) for rules in every_rules()}
    assert rows == set(RULES)
