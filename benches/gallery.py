"""The game of the gallery: plays it again and writes it with its notes.

    python -m benches.gallery                     writes docs/gallery.hansa
    python -m benches.gallery --seed 5 --out x    another game, without notes

The bots are limited by iterations, so every machine plays the same game.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import hansa_fast as hf
from hansa_fast.bots import make_bot, version_of

ROOT = Path(__file__).parents[1]
RECORD = ROOT / "docs" / "gallery.hansa"
RULES = hf.Rules(board="standard-4-5", players=4)
SEED = 1
SEATS = {
    "Anna (search)": "search:iterations=1000",
    "Bert (planner)": "planner",
    "Cora (search)": "search:iterations=1000",
    "Dirk (planner)": "planner",
}


def play(seed: int = SEED, progress: bool = False) -> hf.Game:
    """The game between the bots of the gallery."""
    tags = {f"Seat {seat}": who for seat, who in enumerate(SEATS)}
    tags |= {f"Bot {seat}": f"{bot}, version {version_of(bot)}" for seat, bot in enumerate(SEATS.values())}
    game = hf.Game(RULES, seed, tags=tags)
    bots = [make_bot(bot) for bot in SEATS.values()]
    while not (state := game.state).is_over:
        game.play(bots[state.player].choose(state, len(game)))
        if progress:
            print(f"\r\x1b[K{len(game)} actions, turn {state.turn + 1}", end="", file=sys.stderr, flush=True)
    if progress:
        print(file=sys.stderr)
    return game


def main() -> None:
    """Read the options, play, write."""
    parser = argparse.ArgumentParser(prog="python -m benches.gallery", description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=SEED, help="of the set-up")
    parser.add_argument("--out", type=Path, default=RECORD, metavar="FILE")
    options = parser.parse_args()
    game = play(options.seed, progress=sys.stderr.isatty())
    if options.out.exists():  # the same game keeps its notes
        before = hf.Game.load(options.out)
        if before.actions == game.actions:
            for name, value in before.tags.items():
                if name.startswith("Note "):
                    game.set_tag(name, value)
        else:
            print(f"{options.out}: this is another game, so its notes are gone", file=sys.stderr)
    game.save(options.out)


if __name__ == "__main__":
    main()
