"""Plays the blocks of a pairing scheme with made-up results, in the order and with the mishaps that a test wants."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from hansa_server.tournament.block import GameResult, Pairing
from hansa_server.tournament.pairing import Scheme, Setup, formats

Strength = Callable[[str], float]
Step = tuple[Any, ...]


def lot(words: str) -> int:
    """What stands for the secret of an event."""
    return int.from_bytes(hashlib.sha256(words.encode()).digest()[:8], "big")


def setup_of(format: str, players: Sequence[int], **settings: Any) -> Setup:  # noqa: A002
    """A setup with the usual settings but for those given."""
    values = {setting.name: setting.default for setting in formats()[format].SETTINGS}
    return Setup(tuple(players), {**values, **settings}, lot)


def names(count: int) -> list[str]:
    return [f"bot{number}" for number in range(count)]


def strength_of(bot: str) -> float:
    """Stronger with larger numbers."""
    return float(bot.removeprefix("bot"))


def play(
    number: int,
    pairing: Pairing,
    *,
    noise: float = 3.0,
    strength: Strength = strength_of,
    failing: Iterable[str] = (),
) -> list[GameResult]:
    """Results of a block that depend on nothing but the block. Points are coarse, so that there are ties."""
    found = []
    for game, seating in enumerate(pairing.seatings):
        chance = random.Random(f"{number} {game}")
        totals = [int(strength(bot) + noise * chance.random()) for bot in seating]
        forfeits = {seat: "disconnected" for seat, bot in enumerate(seating) if bot in failing}
        worth = [-1 if seat in forfeits else total for seat, total in enumerate(totals)]
        ranks = tuple(1 + sum(other > own for other in worth) for own in worth)
        found.append(GameResult(seating, ranks, tuple(totals), forfeits))
    return found


class Driver:
    """Stands for the director: notes everything it tells the scheme, so that it can be told again."""

    def __init__(self, format: str, setup: Setup, bots: Sequence[str]) -> None:  # noqa: A002
        self.format = format
        self.setup = setup
        self.scheme: Scheme = formats()[format](setup)
        self.log: list[Step] = []
        self.blocks: list[Pairing] = []
        self.open: list[int] = []
        self.results: dict[int, list[GameResult] | None] = {}
        self._waiting: dict[int, list[GameResult] | None] = {}
        for bot in bots:
            self.tell("enter", bot)

    def tell(self, what: str, *words: Any) -> None:
        getattr(self.scheme, what)(*words)
        self.log.append((what, *words))

    def make(self, wanted: int) -> list[int]:
        """Ask for blocks and put them on the schedule; their numbers."""
        made = []
        for pairing in self.scheme.more(wanted):
            number = len(self.blocks)
            self.blocks.append(pairing)
            self.open.append(number)
            self.tell("made", number, pairing)
            made.append(number)
        return made

    def end(self, number: int, games: list[GameResult] | None) -> None:
        """A block is over. Schemes that want results in order get them in order."""
        self.open.remove(number)
        self.results[number] = games
        if not self.scheme.IN_ORDER:
            self.tell("ended", number, games)
            return
        self._waiting[number] = games
        while (first := len(self.results) - len(self._waiting)) in self._waiting:
            self.tell("ended", first, self._waiting.pop(first))

    def withdraw(self, bot: str) -> None:
        """A bot leaves; its blocks that have not begun (here: none has) are dropped."""
        self.tell("withdraw", bot)
        for number in list(self.open):
            if bot in self.blocks[number].bots:
                self.end(number, None)

    def run(
        self,
        chance: random.Random,
        *,
        limit: int = 3000,
        at_once: int = 4,
        changes: Mapping[int, tuple[str, str]] | None = None,
        failing: Iterable[str] = (),
        noise: float = 3.0,
    ) -> None:
        """Play to the end, blocks ending in any order; `changes` of the line-up come when so many blocks are made."""
        changes = dict(changes or {})
        while len(self.blocks) < limit:
            for when in sorted(when for when in changes if when <= len(self.blocks)):
                what, bot = changes.pop(when)
                self.withdraw(bot) if what == "withdraw" else self.tell("enter", bot)
            if len(self.open) < at_once:
                self.make(max(1, at_once - len(self.open)))
            if not self.open:
                if self.scheme.is_over or not self.scheme.more(1):
                    break
                continue
            number = chance.choice(self.open)
            self.end(number, play(number, self.blocks[number], failing=failing, noise=noise))


def told_again(driver: Driver, steps: int | None = None) -> Scheme:
    """A new scheme that was told the same, as after a restart."""
    scheme = formats()[driver.format](driver.setup)
    for what, *words in driver.log[:steps]:
        getattr(scheme, what)(*words)
    return scheme


def state(scheme: Scheme) -> tuple[Any, ...]:
    """What can be seen of a scheme."""
    return scheme.more(3), scheme.is_over, scheme.games_expected(), scheme.outcome()
