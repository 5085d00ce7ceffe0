"""Golden perft counts: how many sequences of decisions start in a position. See tests/data/perft.txt.

python -m tests.perft            compares every count, and shows the counts per action where one differs
python -m tests.perft --update   writes the file anew
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import hansa_fast as hf
from tests.reference import Reference, reference_at
from tests.rows import RULES, row_name

FILE = Path(__file__).parent / "data" / "perft.txt"
NODE_CAP = 3_000_000  # no larger count is written down
STOPS = (60, 180, 400)  # decisions after which a position of a game is taken
LAST = 12  # decisions before the end of a game that is shorter
SEED = 7

HEADER = """\
# How many sequences of n decisions start in a position; a game that is over has none.
# id     a name
# rules  edition, board, players, modules
# seed   of the set-up
# play   the actions that lead to the position, as ids of docs/actions.md
# perft  n and the count
# Written by `python -m tests.perft --update`.
"""


@dataclass
class Entry:
    """A position and its counts by depth."""

    name: str
    rules: hf.Rules
    seed: int
    played: list[int]
    counts: dict[int, int] = field(default_factory=dict)

    def state(self) -> hf.State:
        """The position."""
        state = self.rules.new(seed=self.seed)
        for action in self.played:
            state.apply(action)
        return state

    def to_text(self) -> str:
        """The entry as it stands in the file."""
        lines = [f"id {self.name}", f"rules {row_name(self.rules)}", f"seed {self.seed}"]
        if self.played:
            lines.append(f"play {' '.join(map(str, self.played))}")
        return "\n".join([*lines, *(f"perft {depth} {count}" for depth, count in self.counts.items())])


def read(text: str) -> list[Entry]:
    """The entries of a file."""
    entries: list[Entry] = []
    rows = {row_name(rules): rules for rules in RULES}
    for number, line in enumerate(text.splitlines(), 1):
        word, _, rest = line.partition(" ")
        if word == "id":
            entries.append(Entry(rest, hf.Rules(), 0, []))
        elif word == "rules":
            entries[-1].rules = rows[rest]
        elif word == "seed":
            entries[-1].seed = int(rest)
        elif word == "play":
            entries[-1].played = [int(action) for action in rest.split()]
        elif word == "perft":
            depth, count = rest.split()
            entries[-1].counts[int(depth)] = int(count)
        elif line and word != "#":
            raise ValueError(f"line {number}: {word!r} is not known")
    return entries


def divide(state: hf.State, depth: int) -> dict[str, int]:
    """The count of every legal action."""
    counts = {}
    for action in state.legal_actions():
        after = state.copy()
        after.apply(action)
        counts[state.describe(action)] = 1 if depth == 1 else 0 if after.is_over else hf.perft(after, depth - 1)
    return counts


def reference_perft(game: Reference, depth: int) -> int:
    """The same count by the reference engine."""
    if depth == 1:
        return len(game.legal())
    return sum(reference_divide(game, depth).values())


def reference_divide(game: Reference, depth: int) -> dict[str, int]:
    """The count of every legal action by the reference engine."""
    counts = {}
    for text in game.legal():
        after = game.copy()
        after.apply(text)
        counts[text] = 1 if depth == 1 else reference_perft(after, depth - 1)
    return counts


def twin(entry: Entry) -> Reference:
    """The position of an entry on the reference engine."""
    return reference_at(entry.rules, entry.state().to_dict())


def mismatch(entry: Entry, depth: int) -> str | None:
    """What is wrong with a count, with the counts per action; None if nothing is."""
    state = entry.state()
    found, wanted = hf.perft(state, depth), entry.counts[depth]
    if found == wanted:
        return None
    lines = [f"{text}: {count}" for text, count in divide(state, depth).items()]
    return "\n".join([f"{entry.name}: perft {depth} is {found}, not {wanted}; by action:", *lines])


def walk(rules: hf.Rules) -> list[int]:
    """A game that gets somewhere: what is rare is done when it can be, and hardly anything is wasted."""
    rng = random.Random(row_name(rules))
    state = rules.new(seed=SEED)
    played: list[int] = []
    liking = {"route": 200, "favour": 50, "use": 8, "place": 30, "income": 8, "displace": 4, "end": 0.2}
    liking |= {"sell": 20, "buy": 10, "build": 2, "sail": 3, "replenish": 3}
    while not state.is_over and len(played) < STOPS[-1]:
        actions = state.legal_actions()
        texts = [state.describe(action) for action in actions]
        weights = [0.1 if text.endswith(" none") else liking.get(text.split(" ", 1)[0], 1) for text in texts]
        action = rng.choices(actions, weights)[0]
        played.append(action)
        state.apply(action)
    return played[:-LAST] if state.is_over else played


def fresh_entries() -> Iterator[Entry]:
    """The opening and some positions of a game of every row, with their counts."""
    for rules in RULES:
        played = walk(rules)
        for stop in sorted({0, *(min(stop, len(played)) for stop in STOPS)}):
            name = f"{row_name(rules)} {'opening' if stop == 0 else f'after {stop}'}"
            entry = Entry(name, rules, SEED, played[:stop])
            depth, count = 1, hf.perft(entry.state(), 1)
            while 0 < count <= NODE_CAP:
                entry.counts[depth] = count
                depth += 1
                count = hf.perft(entry.state(), depth)
            yield entry


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.perft", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--update", action="store_true", help="write the file anew")
    if parser.parse_args().update:
        FILE.write_text("\n\n".join([HEADER, *(entry.to_text() for entry in fresh_entries())]) + "\n", encoding="utf-8")
    entries = read(FILE.read_text(encoding="utf-8"))
    wrong = [text for entry in entries for depth in entry.counts if (text := mismatch(entry, depth))]
    for text in wrong:
        print(text)
    print(f"{len(entries)} positions, {sum(len(entry.counts) for entry in entries)} counts, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
