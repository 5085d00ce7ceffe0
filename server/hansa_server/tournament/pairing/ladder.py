"""Ladder: play goes on and on, bots come and go, and nobody waits for a bot that is slow or broken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hansa_server.ratings import Ladder as Rungs
from hansa_server.ratings import Table
from hansa_server.ratings.ladder import START
from hansa_server.tournament.block import GameResult, Pairing, rotations
from hansa_server.tournament.pairing.meetings import Meetings
from hansa_server.tournament.pairing.round_robin import too_few
from hansa_server.tournament.pairing.scheme import Scheme, Setting, Setup

HEAD_START = 10  # blocks by which a newcomer is let go first
VARIETY = 25  # Elo points by which an opponent seems further away for each block with it, and for each it is ahead
CHOSEN = frozenset({"resigned"})  # forfeits that are no failure


@dataclass
class Member:
    """What the ladder knows of a bot."""

    share: int = 0  # blocks for the fair share; a newcomer begins a little behind those who are there
    blocks: int = 0  # played to their end
    is_in: bool = True
    open: set[int] = field(default_factory=set)
    last: frozenset[str] = frozenset()  # who sat in its last block
    failed: int = 0  # blocks in a row
    benchings: int = 0  # by which the time on the bench grows
    bench_until: int | None = None  # blocks of others that must have ended
    suspicion: int = 0  # of being slow
    again: int = 0  # blocks in a row with the same others


@dataclass
class Running:
    """A block that has not ended."""

    pairing: Pairing
    since: int  # blocks that had ended when it was made
    overdue: bool = False


class Ladder(Scheme):
    """The bot with the smallest share of blocks comes next, against those nearest in ladder rating that are free; who
    sat with it in its last block only if nobody else is free, and whom it met more often, or who has played more, seems
    further away. Tables of the event take turns.

    A bot has at most `open_blocks` blocks that have not ended. A block is overdue when so many others have ended since
    it was made that everybody could have played. Then it holds up nobody any more but a bot under suspicion: each
    overdue block adds to the suspicion of those of its bots that are most suspected already, each block that ends in
    time takes some away. Bots under suspicion are kept apart if there are others, so that it comes out who is slow.
    Bots that are free only together, again and again, and a large table that never finds enough free bots, wait for
    others in the end, but never for an overdue block or a bot under suspicion. Only where no second table can be filled
    beside that of a slow bot all have to wait for it.

    A bot that forfeits most games of a block in `bench_after` blocks in a row, not by resigning, is benched until
    `bench_blocks` blocks of others have ended; then it gets one block as a trial. If it fails again it is benched for
    twice as long, and so on; a trial without failure sets it free. While nothing could be played without it, it plays.

    A newcomer begins a little behind the smallest share. A bot that withdraws is not paired again until it comes back;
    blocks that are dropped do not count. Results count as they come in.
    """

    NAME = "ladder"
    MEANING = "Continuous matchmaking: bots come and go, fair shares of play, opponents of about the same strength."
    IN_ORDER = False
    SETTINGS = (
        Setting("blocks", 0, "how many blocks are played; 0 for no end", lambda n: n >= 0, "0 or more"),
        Setting("open_blocks", 1, "blocks of a bot at once", lambda n: n >= 1, "at least 1"),
        Setting(
            "bench_after",
            3,
            "blocks in a row that a bot must lose by forfeits to be benched; 0 for no bench",
            lambda n: n >= 0,
            "0 or more",
        ),
        Setting(
            "bench_blocks", 10, "blocks of others for which it is benched at first", lambda n: n >= 1, "at least 1"
        ),
        Setting("both_ways", False, "also play every block the other way round, so that neighbours change sides"),
    )

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self._members: dict[str, Member] = {}
        self._running: dict[int, Running] = {}
        self._numbers = 0
        self._ended = 0  # with results
        self._made = [0] * len(setup.players)  # by table, without dropped ones
        self._games = 0
        self._rungs = Rungs()
        self._meetings = Meetings()

    @classmethod
    def problems(cls, setup: Setup, bots: Sequence[str]) -> list[tuple[str, str]]:
        return too_few(setup, bots)

    def enter(self, bot: str) -> None:
        shares = [member.share for member in self._members.values() if member.is_in]
        behind = max(0, min(shares, default=0) - HEAD_START)
        member = self._members.setdefault(bot, Member(behind))
        member.share = max(member.share, behind)
        member.is_in = True

    def withdraw(self, bot: str) -> None:
        self._members[bot].is_in = False

    def more(self, wanted: int) -> list[Pairing]:
        found: list[Pairing] = []
        try:
            while len(found) < wanted and (pairing := self._next()):
                self._note(-1 - len(found), pairing)  # numbers that no block has, for as long as this takes
                found.append(pairing)
        finally:
            for number in range(len(found)):
                self._take_back(-1 - number)
        return found

    def made(self, number: int, pairing: Pairing) -> None:
        self._numbers += 1
        self._note(number, pairing)
        self._games += len(pairing.seatings)
        for bot in pairing.bots:
            member, company = self._members[bot], frozenset(pairing.bots) - {bot}
            member.again = member.again + 1 if member.last == company else 0
            member.last = company

    def ended(self, number: int, games: Sequence[GameResult] | None) -> None:
        if games is None:
            self._games -= len(self._running[number].pairing.seatings)
            self._take_back(number)
            return
        running = self._running.pop(number)
        self._ended += 1
        for bot in running.pairing.bots:
            member = self._members[bot]
            member.suspicion = max(0, member.suspicion - (not running.overdue))
            member.open.discard(number)
            member.blocks += 1
            self._judge(bot, games)
        for game in games:
            self._rungs.apply(Table("ladder", str(number), game.bots, game.ranks))
        self._look_for_overdue()

    @property
    def is_over(self) -> bool:
        return self._is_full and not self._running

    def games_expected(self) -> int | None:
        blocks = self.setup.settings["blocks"]
        if not blocks:
            return None
        turns = 2 if self.setup.settings["both_ways"] else 1
        sizes = [players * (turns if players > 2 else 1) for players in self.setup.players]
        left = blocks - sum(self._made)
        return self._games + sum(sizes[step % len(sizes)] for step in range(left))

    def outcome(self) -> dict[str, Any]:
        rows: list[dict[str, Any]] = [
            {
                "bot": bot,
                "rating": round(self._rating(bot), 3),
                "blocks": member.blocks,
                "games": self._rungs.rungs[bot].games if bot in self._rungs.rungs else 0,
                "benched": self._is_benched(member),
                "withdrawn": not member.is_in,
            }
            for bot, member in self._members.items()
        ]
        rows.sort(key=lambda row: (row["withdrawn"], -row["rating"]))
        benched = [
            {"bot": bot, "times": member.benchings, "blocks_left": max(0, (member.bench_until or 0) - self._ended)}
            for bot, member in self._members.items()
            if self._is_benched(member)
        ]
        return {"ladder": rows, "benched": benched, "blocks": self._ended}

    @property
    def _is_full(self) -> bool:
        blocks: int = self.setup.settings["blocks"]
        return bool(blocks) and sum(self._made) >= blocks

    def _rating(self, bot: str) -> float:
        return self._rungs.rungs[bot].rating if bot in self._rungs.rungs else START

    def _is_benched(self, member: Member) -> bool:
        return member.bench_until is not None and self._ended < member.bench_until

    def _note(self, number: int, pairing: Pairing) -> None:
        self._running[number] = Running(pairing, self._ended)
        self._made[pairing.table] += 1
        self._meetings.note(pairing.seatings[0], both_ways=self.setup.settings["both_ways"])
        for bot in pairing.bots:
            self._members[bot].share += 1
            self._members[bot].open.add(number)

    def _take_back(self, number: int) -> None:
        pairing = self._running.pop(number).pairing
        self._made[pairing.table] -= 1
        self._meetings.note(pairing.seatings[0], -1, both_ways=self.setup.settings["both_ways"])
        for bot in pairing.bots:
            self._members[bot].share -= 1
            self._members[bot].open.discard(number)

    def _judge(self, bot: str, games: Sequence[GameResult]) -> None:
        """Bench a bot that fails all the time, and set one free that does not fail any more."""
        member = self._members[bot]
        seats = [(game, seat) for game in games for seat, name in enumerate(game.bots) if name == bot]
        failures = sum(seat in game.forfeits and game.forfeits[seat] not in CHOSEN for game, seat in seats)
        if 2 * failures <= len(seats):
            member.failed = member.benchings = 0
            member.bench_until = None
            return
        member.failed += 1
        after = self.setup.settings["bench_after"]
        if after and (member.failed >= after or member.benchings):
            member.bench_until = self._ended + self.setup.settings["bench_blocks"] * 2**member.benchings
            member.benchings += 1

    @property
    def _lap(self) -> int:
        """Blocks in which everybody could have played."""
        return max(1, len(self._members) // min(self.setup.players))

    def _look_for_overdue(self) -> None:
        for running in self._running.values():
            if not running.overdue and self._ended - running.since > self._lap:
                running.overdue = True
                bots = [self._members[bot] for bot in running.pairing.bots]
                most = max(member.suspicion for member in bots)
                for member in bots:
                    member.suspicion += member.suspicion == most

    def _is_held(self, bot: str, running: Running) -> bool:
        """Whether a block that has not ended keeps a bot busy."""
        if not running.overdue:
            return True
        # As long as it is not clear who is slow nobody is held: those who are not will show it in other blocks.
        own = self._members[bot].suspicion
        return own > 1 and all(self._members[other].suspicion < own for other in running.pairing.bots if other != bot)

    def _worth_waiting(self) -> bool:
        """Whether something will end soon, as far as can be known."""
        return any(
            not running.overdue and not any(self._members[bot].suspicion for bot in running.pairing.bots)
            for running in self._running.values()
        )

    def _is_free(self, bot: str) -> bool:
        member = self._members[bot]
        if not member.is_in or self._is_benched(member):
            return False
        allowed = 1 if member.benchings else self.setup.settings["open_blocks"]
        return sum(self._is_held(bot, self._running[number]) for number in member.open) < allowed

    def _next(self) -> Pairing | None:
        if self._is_full:
            return None
        free = [bot for bot in self._members if self._is_free(bot)]
        usable = sum(member.is_in and not self._is_benched(member) for member in self._members.values())
        order = sorted(range(len(self._made)), key=lambda table: (self._made[table], table))
        for table in order:
            players = self.setup.players[table]
            bots = self._choose(free, players)
            if bots and not (usable > players and self._is_stale(bots)):
                return self._pairing(table, bots)
            if usable >= players and self._made[order[-1]] - self._made[table] > self._lap and self._worth_waiting():
                return None  # smaller tables would always be faster
        if not self._running:
            smallest = min(order, key=lambda table: self.setup.players[table])
            benched = [bot for bot, member in self._members.items() if member.is_in and bot not in free]
            benched.sort(key=lambda bot: self._members[bot].bench_until or 0)
            missing = max(0, self.setup.players[smallest] - len(free))
            bots = self._choose(free + benched[:missing], self.setup.players[smallest])
            return self._pairing(smallest, bots) if bots else None
        return None

    def _is_stale(self, bots: Sequence[str]) -> bool:
        """Whether these have played together all the time, and others will soon be free."""
        company = frozenset(bots)
        members = [self._members[bot] for bot in bots]
        alone = all(member.last | {bot} == company for bot, member in zip(bots, members, strict=True))
        return alone and max(member.again for member in members) > self._lap and self._worth_waiting()

    def _pairing(self, table: int, bots: Sequence[str]) -> Pairing:
        both_ways = self.setup.settings["both_ways"]
        ring = self._meetings.ring(bots, both_ways=both_ways)
        return Pairing(table, 1, rotations(ring, both_ways=both_ways))

    def _choose(self, free: Sequence[str], players: int) -> list[str]:
        """Bots for a table, or nobody."""
        if len(free) < players:
            return []
        by_share = sorted(free, key=lambda bot: (self._members[bot].share, self._lot(bot)))
        for first in by_share:
            chosen = [first]
            for bot in self._by_distance(first, free):
                if len(chosen) < players and not self._are_suspects(bot, chosen):
                    chosen.append(bot)
            if len(chosen) == players:
                return chosen
        if self._worth_waiting():
            return []
        return [by_share[0], *self._by_distance(by_share[0], free)[: players - 1]]

    def _by_distance(self, first: str, free: Sequence[str]) -> list[str]:
        """All others, the best opponents first."""

        def far(bot: str) -> tuple[Any, ...]:
            apart = abs(round(self._rating(bot)) - round(self._rating(first)))
            apart += VARIETY * (self._meetings.met(first, bot) + self._members[bot].share)
            return bot in self._members[first].last, apart, self._lot(bot)

        return sorted((bot for bot in free if bot != first), key=far)

    def _are_suspects(self, bot: str, others: Sequence[str]) -> bool:
        """Whether two of them are under suspicion: together it would not come out who is slow."""
        return self._members[bot].suspicion > 0 and any(self._members[other].suspicion for other in others)

    def _lot(self, bot: str) -> int:
        return self.setup.draw(f"ladder {self._numbers} {bot}")


FORMAT = Ladder
