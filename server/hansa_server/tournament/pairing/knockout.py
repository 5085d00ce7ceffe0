"""Knockout: at each table some go on and the others are out, until a final."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hansa_server.tournament.block import GameResult, Pairing, rotations
from hansa_server.tournament.pairing.meetings import Meetings
from hansa_server.tournament.pairing.round_robin import too_few
from hansa_server.tournament.pairing.scheme import Scheme, Setting, Setup
from hansa_server.tournament.pairing.scores import UNIT, Scores


@dataclass
class Tie:
    """The bots of a table and what they have played so far; it is decided by whole blocks, so that seats are even."""

    table: int
    bots: tuple[str, ...]  # by seed
    through: int  # how many go on
    blocks: int = 0  # made
    waiting: set[int] = field(default_factory=set)  # numbers of blocks that are not over
    cancelled: bool = False  # a block was dropped: nothing more is played
    scores: Scores = field(default_factory=Scores)
    order: tuple[str, ...] = ()  # from the best to the worst, once it is decided


@dataclass
class Stage:
    """A round of the knockout."""

    number: int
    ties: list[Tie]  # at least one
    byes: tuple[str, ...]
    refilled: tuple[str, ...] = ()  # bots that were out and fill up the last table


class Knockout(Scheme):
    """Bots sit at as many tables as can be filled, dealt by their seeds (the best seeds apart from each other), and the
    best `advance` of each table go on. Who is left over has a bye: those with the fewest byes, better seeds first. As
    soon as exactly one table is left it is the final. If fewer bots are left than a table has seats, the best of those
    who went out last fill it up. Tables of the event take turns by rounds; one that is too large is passed over.

    A table is decided by the points for places in a whole block. If the last place that goes on (in the final: the
    first place) is level with the next one, further blocks are played, `tie_blocks` at most. Then count: firsts, score
    margin, the better seed.

    Nobody can enter once it has begun. A bot that withdraws loses its table: it is last there, and what is left of the
    table is decided by what was played, then by seeds. Bots that go out in the same round are placed by their place at
    the table, their points, then their seeds.
    """

    NAME = "knockout"
    MEANING = "The best of each table go on to the next round, the others are out; ties are decided by whole blocks."
    OPEN = False
    SETTINGS = (
        Setting("advance", 1, "how many of a table go on", lambda n: n >= 1, "at least 1"),
        Setting("tie_blocks", 2, "further blocks of a table that is level", lambda n: n >= 0, "0 or more"),
        Setting("seeded", False, "bots are seeded in the order of the file, the strongest first; else by lot"),
        Setting("both_ways", False, "also play every block the other way round, so that neighbours change sides"),
    )

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self._entered: list[str] = []
        self._in: set[str] = set()
        self._stages: list[Stage] = []
        self._out: list[tuple[str, ...]] = []  # who went out, by stages, each from the best to the worst
        self._byes: Counter[str] = Counter()
        self._meetings = Meetings()
        self._ties: dict[int, tuple[Tie, Pairing]] = {}  # of blocks that are not over
        self._numbers = 0
        self._games = 0

    @classmethod
    def problems(cls, setup: Setup, bots: Sequence[str]) -> list[tuple[str, str]]:
        found = too_few(setup, bots)
        smallest = min(setup.players, default=2)
        if setup.settings["advance"] >= smallest:
            found.append(("format.advance", f"must be less than the seats of the smallest table, {smallest}"))
        return found

    def enter(self, bot: str) -> None:
        if self._numbers:
            raise ValueError("nobody can enter a knockout that has begun")
        if bot not in self._entered:
            self._entered.append(bot)
        self._in.add(bot)

    def withdraw(self, bot: str) -> None:
        self._in.discard(bot)
        self._go_on()

    def more(self, wanted: int) -> list[Pairing]:
        del wanted
        stage = self._stages[-1] if self._stages else self._first_stage()
        if stage is None:
            return []
        # Blocks come in waves, one for each table that is not decided: the schedule does not depend on when one asks.
        open_ties = [tie for tie in stage.ties if not tie.order]
        wave = max(1, *(tie.blocks for tie in stage.ties))
        if all(tie.blocks >= wave for tie in open_ties):
            if any(tie.waiting for tie in stage.ties):
                return []
            wave += 1
        both_ways = self.setup.settings["both_ways"]
        return [
            Pairing(
                tie.table,
                stage.number,
                rotations(self._meetings.ring(tie.bots, both_ways=both_ways), both_ways=both_ways),
            )
            for tie in open_ties
            if tie.blocks < wave
        ]

    def made(self, number: int, pairing: Pairing) -> None:
        expected = self.more(1)[:1]
        if expected != [pairing]:
            raise ValueError(f"block {number} is not the one that comes next: {pairing}, not {expected}")
        if not self._stages:
            first = self._first_stage()
            assert first is not None
            self._begin(first)
        tie = next(tie for tie in self._stages[-1].ties if set(tie.bots) == set(pairing.bots))
        self._numbers += 1
        tie.blocks += 1
        tie.waiting.add(number)
        self._ties[number] = tie, pairing
        self._meetings.note(pairing.seatings[0], both_ways=self.setup.settings["both_ways"])
        self._games += len(pairing.seatings)

    def ended(self, number: int, games: Sequence[GameResult] | None) -> None:
        tie, pairing = self._ties.pop(number)
        tie.waiting.discard(number)
        if games is None:
            tie.cancelled = True
            self._games -= len(pairing.seatings)
        else:
            tie.scores.note(games)
        self._go_on()

    @property
    def is_over(self) -> bool:
        return not self._ties and not self.more(1)

    def games_expected(self) -> int:
        games = self._games
        turns = 2 if self.setup.settings["both_ways"] else 1
        stage = self._stages[-1] if self._stages else None
        left, number = len(self._in), 1
        if stage is not None:
            open_ties = [tie for tie in stage.ties if not tie.order]
            games += sum(self._seats(tie.table, turns) for tie in open_ties if not tie.waiting)
            if not open_ties or self._is_final(stage):
                return games
            left, number = sum(tie.through for tie in stage.ties) + len(stage.byes), stage.number + 1
        while left > 1:
            table = self._table(number, left)
            left = max(left, self.setup.players[table])
            tables = left // self.setup.players[table]
            games += tables * self._seats(table, turns)
            if left == self.setup.players[table]:
                break
            left -= tables * (self.setup.players[table] - self.setup.settings["advance"])
            number += 1
        return games

    def outcome(self) -> dict[str, Any]:
        stages = [
            {
                "round": stage.number,
                "final": self._is_final(stage),
                "byes": list(stage.byes),
                "refilled": list(stage.refilled),
                "tables": [
                    {
                        "table": tie.table,
                        "bots": list(tie.bots),
                        "blocks": tie.blocks,
                        "points": {bot: round(tie.scores.units[bot] / UNIT, 9) for bot in tie.bots},
                        "order": list(tie.order),
                        "through": list(tie.order[: tie.through]),
                    }
                    for tie in stage.ties
                ],
            }
            for stage in self._stages
        ]
        places = self._places() if self.is_over else []
        return {
            "bracket": stages,
            "places": [{"place": place + 1, "bot": bot} for place, bot in enumerate(places)],
            "winner": places[0] if places else "",
            "withdrawn": [bot for bot in self._entered if bot not in self._in],
        }

    def _seats(self, table: int, turns: int) -> int:
        players = self.setup.players[table]
        return players * (turns if players > 2 else 1)

    def _seeds(self) -> list[str]:
        """From the best seed to the worst."""
        if self.setup.settings["seeded"]:
            return list(self._entered)
        return sorted(self._entered, key=lambda bot: (self.setup.draw(f"knockout {bot}"), bot))

    def _is_final(self, stage: Stage) -> bool:
        return len(stage.ties) == 1 and not stage.byes

    def _first_stage(self) -> Stage | None:
        return self._stage(1, [bot for bot in self._seeds() if bot in self._in], ())

    def _begin(self, stage: Stage) -> None:
        self._byes.update(stage.byes)
        self._stages.append(stage)

    def _table(self, number: int, bots: int) -> int:
        """The table of the event that a round is played at: the next in turn that can be filled, or the smallest."""
        tables = [(number - 1 + step) % len(self.setup.players) for step in range(len(self.setup.players))]
        fitting = [table for table in tables if self.setup.players[table] <= bots]
        return fitting[0] if fitting else min(tables, key=lambda table: self.setup.players[table])

    def _stage(self, number: int, bots: list[str], losers: Sequence[str]) -> Stage | None:
        """The round of these bots, given by seed; the first of `losers` fill up the last table. None if one is left."""
        if len(bots) < 2:
            return None
        table = self._table(number, len(bots))
        players = self.setup.players[table]
        refilled = tuple(losers[: max(0, players - len(bots))])
        if len(bots) + len(refilled) < players:
            return None  # not even a last table: seeds decide
        rank = {bot: place for place, bot in enumerate(self._seeds())}
        field = sorted([*bots, *refilled], key=rank.__getitem__)
        left_over = len(field) % players
        byes = sorted(field, key=lambda bot: (self._byes[bot], rank[bot]))[:left_over]
        playing = [bot for bot in field if bot not in byes]
        count = len(playing) // players
        seats: list[list[str]] = [[] for _ in range(count)]
        for place, bot in enumerate(playing):
            lap, step = divmod(place, count)
            seats[count - 1 - step if lap % 2 else step].append(bot)
        final = count == 1 and not byes
        through = 1 if final else self.setup.settings["advance"]
        return Stage(number, [Tie(table, tuple(at), through) for at in seats], tuple(byes), refilled)

    def _go_on(self) -> None:
        """Decide what can be decided; when a round is over the next one begins."""
        while self._stages:
            stage = self._stages[-1]
            for tie in stage.ties:
                if not tie.order and not tie.waiting:
                    self._decide(tie)
            if not all(tie.order for tie in stage.ties) or len(self._out) == len(self._stages):
                return
            through = {bot for tie in stage.ties for bot in tie.order[: tie.through]} | set(stage.byes)
            out = [bot for tie in stage.ties for bot in tie.order[tie.through :]]
            if self._is_final(stage):
                out = list(stage.ties[0].order[1:])
            else:
                out.sort(key=self._lost_by(stage))
                gone = [bot for bot in self._seeds() if bot in through - self._in]
                out += gone
                through -= set(gone)
            self._out.append(tuple(out))
            following = None
            if not self._is_final(stage):
                bots = [bot for bot in self._seeds() if bot in through]
                following = self._stage(stage.number + 1, bots, [bot for bot in out if bot in self._in])
            if following is None:
                return
            self._out[-1] = tuple(bot for bot in out if bot not in following.refilled)
            self._begin(following)

    def _lost_by(self, stage: Stage) -> Any:
        place = {bot: tie.order.index(bot) for tie in stage.ties for bot in tie.order}
        units = {bot: tie.scores.units[bot] / max(1, tie.scores.games[bot]) for tie in stage.ties for bot in tie.bots}
        rank = {bot: number for number, bot in enumerate(self._seeds())}
        return lambda bot: (bot not in self._in, place[bot], -units[bot], rank[bot])

    def _decide(self, tie: Tie) -> None:
        """Bring a table in order, unless it is to be played (on)."""
        here = [bot for bot in tie.bots if bot in self._in]
        can_play = len(here) == len(tie.bots) and not tie.cancelled
        if can_play and not tie.blocks:
            return
        rank = {bot: number for number, bot in enumerate(self._seeds())}
        scores = tie.scores
        order = sorted(
            tie.bots,
            key=lambda bot: (
                bot not in self._in,
                -scores.units[bot],
                -scores.firsts[bot],
                -scores.margins[bot],
                rank[bot],
            ),
        )
        level = scores.units[order[tie.through - 1]] == scores.units[order[tie.through]]
        if can_play and level and tie.blocks <= self.setup.settings["tie_blocks"]:
            return
        tie.order = tuple(order)

    def _places(self) -> list[str]:
        """Everybody from the winner on."""
        final = self._stages[-1].ties[0] if self._stages and self._is_final(self._stages[-1]) else None
        out = [bot for gone in reversed(self._out) for bot in gone]
        best = list(final.order[:1]) if final else [bot for bot in self._seeds() if bot in self._in and bot not in out]
        return [*best, *out, *(bot for bot in self._seeds() if bot not in best and bot not in out)]


FORMAT = Knockout
