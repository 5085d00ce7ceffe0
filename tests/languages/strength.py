"""How much better than random the example bot of each client plays, on a real server.

    python -m tests.languages.strength --matches 100

One sensible bot sits with three random ones of the server, in every seat equally often; so with equal bots it would win
one match in four.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from hansa_server.serve import set_up_logging
from tests.client.arena import settings_for
from tests.languages.clients import Client, left_out, present_clients
from tests.languages.table import gathered

SEATS = 4
GAMES = ("teutonica", "hansa")
AT_ONCE = 16
TURN_LIMIT = 200  # random bots would play on forever


@dataclass(frozen=True)
class Strength:
    """How a bot came out against random ones."""

    language: str
    game: str
    matches: int
    wins: float  # a shared first place counts by its part
    points: float  # on average
    points_of_others: float

    @property
    def rate(self) -> float:
        """Part of the matches won."""
        return self.wins / self.matches

    @property
    def error(self) -> float:
        """Half of the 95 % interval of the rate (Wilson's, so that it is not zero when all are won)."""
        z = 1.96
        spread = math.sqrt(self.rate * (1 - self.rate) / self.matches + z * z / (4 * self.matches**2))
        return z * spread / (1 + z * z / self.matches)


async def measure(client: Client, folder: Path, matches: int) -> list[Strength]:
    """Play so many matches in each game."""
    found = []
    async with gathered([client], folder) as (there, _):
        for game in GAMES:
            wins = points = others = 0.0
            for first in range(0, matches, AT_ONCE):
                numbers = range(first, min(first + AT_ONCE, matches))
                begun = []
                for number in numbers:
                    seats = ["builtin:random"] * SEATS
                    seats[number % SEATS] = client.language
                    rules = {"game": game, "players": SEATS, "turn_limit": TURN_LIMIT}
                    begun.append(await there.begin(*seats, seed=number, **rules))
                for number, match_id in zip(numbers, begun, strict=True):
                    result = (await there.finished(match_id)).result
                    mine = result.seats[number % SEATS]
                    assert not mine.forfeit, result
                    if mine.rank == 1:
                        wins += 1 / sum(seat.rank == 1 for seat in result.seats)
                    points += mine.total / matches
                    others += (sum(seat.total for seat in result.seats) - mine.total) / (SEATS - 1) / matches
            found.append(Strength(client.language, game, matches, wins, points, others))
    return found


def measure_all(clients: Sequence[Client], matches: int) -> list[Strength]:
    """One client after the other."""
    found = []
    for client in clients:
        client.make()
        with tempfile.TemporaryDirectory() as folder:
            set_up_logging(settings_for(Path(folder), log_level="error"))
            found += asyncio.run(measure(client, Path(folder), matches))
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.languages.strength", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--matches", type=int, default=100, help="in each game (default 100)")
    parser.add_argument("--json", action="store_true", help="for programs")
    arguments = parser.parse_args()
    for line in left_out():
        print(line, file=sys.stderr)
    rows = measure_all(present_clients(), arguments.matches)
    if arguments.json:
        print(json.dumps([asdict(row) for row in rows]))
        return
    print("language    game       matches  won by the bot  points  a random bot's")
    for row in rows:
        print(
            f"{row.language:10}  {row.game:9}  {row.matches:7}  {100 * row.rate:6.1f} ± {100 * row.error:3.1f} %  "
            f"{row.points:6.1f}  {row.points_of_others:14.1f}"
        )


if __name__ == "__main__":
    main()
