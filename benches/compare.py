"""Prints what `pytest benches --benchmark-json=NEW` measured, and how it compares with an older run.

python benches/compare.py NEW [OLD]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

# (what, of which bench, over which bench): how many times faster the first is
RATIOS = [
    # Many games, not the same few again and again: of those the processor learns the branches by heart.
    ("core : plain Python", "test_playouts[uniform-standard-4-5-4-players]", "test_same_games[by_reference-teutonica]"),
    (
        "core : plain Python, Hansa",
        "test_playouts[uniform-hansa-2004-3-players]",
        "test_same_games[by_reference-hansa]",
    ),
    (
        "core : plain Python, the same games",
        "test_same_games[in_core-teutonica]",
        "test_same_games[by_reference-teutonica]",
    ),
    (
        "Python loop : plain Python, the same games",
        "test_same_games[by_api-teutonica]",
        "test_same_games[by_reference-teutonica]",
    ),
    ("memcpy : copy of a state", "test_copy_in_c[memcpy]", "test_copy_in_c[core]"),
    ("playouts, 2 threads : 1", "test_playouts_by_threads[2]", "test_playouts_by_threads[1]"),
    ("Batch.playout, 2 threads : 1", "test_batch_playout[2]", "test_batch_playout[1]"),
    ("Batch steps, 2 threads : 1", "test_batch_steps[2]", "test_batch_steps[1]"),
]


def rates(path: str) -> dict[str, tuple[float, str]]:
    """Per bench, how many things were done in a second (by the median), and what they are."""
    found = {}
    for bench in json.loads(Path(path).read_text(encoding="utf-8"))["benchmarks"]:
        info = bench["extra_info"]
        found[bench["name"]] = (info["amount"] / bench["stats"]["median"], info["unit"])
    return found


def main(new_path: str, old_path: str | None = None) -> None:
    """Print the tables."""
    new = rates(new_path)
    old = rates(old_path) if old_path else {}
    width = max(map(len, new))
    for name, (rate, unit) in new.items():
        change = f"   {rate / old[name][0]:6.2f} times the old" if name in old else ""
        print(f"{name:{width}} {rate:16,.0f} {unit + '/s':12}{change}")
    print()
    for what, first, second in RATIOS:
        if first in new and second in new:
            print(f"{what:{width}} {new[first][0] / new[second][0]:16,.2f}")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
