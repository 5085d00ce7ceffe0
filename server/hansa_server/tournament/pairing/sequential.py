"""Test: is one bot better than another? Blocks are played until the answer is sure enough."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any

from hansa_server.ratings import (
    Question,
    RatingError,
    SequentialTest,
    Table,
    Verdict,
    betting_interval,
    block_score,
    fair_field_spread,
    fair_spread,
    field_score,
)
from hansa_server.ratings.elo import from_score
from hansa_server.ratings.gsprt import FIRST_LOOK
from hansa_server.tournament.block import GameResult, Pairing, Seating, complements
from hansa_server.tournament.pairing.scheme import Scheme, Setting, Setup

GAMES = 2  # of a block


class SequentialScheme(Scheme):
    """A against B, block by block, until the sequential test has a verdict or the budget is spent.

    With two bots in the line-up they fill the tables: a block is a seating of copies of both and the one with each in
    the other's seats. All arrangements come in turn. With more bots the others are the field: A sits down in a seat
    among some of them, and then B in the same seat of the same deal among the same others. Seats and opponents come in
    turn.

    The test looks at the blocks in their order, whatever order they end in, and no more once it has a verdict.
    """

    NAME = "test"
    MEANING = "Is a bot better than another? A sequential test that ends as soon as the answer is sure enough."
    SETTINGS = (
        Setting("a", "", "the bot that is tested; empty: the first of the line-up"),
        Setting("b", "", "the bot it is tested against; empty: the second of the line-up; all others are the field"),
        Setting("elo0", 0.0, "a difference, in Elo, at which A is not to pass"),
        Setting("elo1", 15.0, "a difference at which it is to pass"),
        Setting("alpha", 0.05, "the chance to pass at `elo0`", lambda share: 0 < share < 0.5, "between 0 and 0.5"),
        Setting("beta", 0.05, "the chance not to pass at `elo1`", lambda share: 0 < share < 0.5, "between 0 and 0.5"),
        Setting("budget", 0, "games after which it ends anyway; 0 for no limit", lambda games: games >= 0, "0 or more"),
        Setting(
            "faults",
            10,
            "blocks that may be spoilt by the host; one more is a verdict of its own",
            lambda blocks: blocks >= 0,
            "0 or more",
        ),
    )
    OPEN = False

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self._test = SequentialTest(question_of(setup))
        self._bots: list[str] = []
        self._gone: set[str] = set()
        self._made = 0
        self._results: dict[int, Sequence[GameResult] | None] = {}  # of blocks that are waited with
        self._seen = 0  # blocks the test has come to
        self._dropped = 0

    @classmethod
    def problems(cls, setup: Setup, bots: Sequence[str]) -> list[tuple[str, str]]:
        found = []
        named = [setup.settings[key] for key in ("a", "b")]
        for key, bot in zip(("a", "b"), named, strict=True):
            if bot and bot not in bots:
                found.append((f"format.{key}", f"{bot!r} is not in the line-up"))
        if len(bots) < 2:
            found.append(("bots", "a test needs two bots"))
        elif not found and len(set(_sides(setup, bots))) < 2:
            found.append(("format.b", f"is {named[0] or named[1]!r}, and so is a"))
        try:
            question_of(setup)
        except RatingError as error:
            where = "budget" if "budget" in str(error) else "elo1"
            found.append((f"format.{where}", str(error).replace("blocks", f"blocks of {GAMES} games")))
        return found

    # -- What is told ----------------------------------------------------------------------------------------------

    def enter(self, bot: str) -> None:
        self._bots.append(bot)

    def withdraw(self, bot: str) -> None:
        self._gone.add(bot)

    def made(self, number: int, pairing: Pairing) -> None:
        expected = self._pairing(number)
        if number != self._made or pairing != expected:
            raise ValueError(f"block {number} is not the one that comes next: {pairing}, not {expected}")
        self._made += 1

    def ended(self, number: int, games: Sequence[GameResult] | None) -> None:
        self._results[number] = games
        while self._seen in self._results and self._test.verdict is None:
            counted = self._results.pop(self._seen)
            if counted is None:
                self._dropped += 1
            else:
                self._test.add(score_of(self._seen, counted, *_sides(self.setup, self._bots)))
            self._seen += 1

    def voided(self, number: int) -> None:
        del number
        if self._test.verdict is None:
            self._test.add_void()

    # -- What is said ----------------------------------------------------------------------------------------------

    def more(self, wanted: int) -> list[Pairing]:
        if self.is_over:
            return []
        first, last = self._made, self._made + wanted
        if self._test.question.budget is not None:
            last = min(last, self._test.question.budget + self._dropped)
        return [self._pairing(number) for number in range(first, last)]

    @property
    def is_over(self) -> bool:
        return self._test.verdict is not None or not self._is_possible

    def games_expected(self) -> int | None:
        if self._test.verdict is not None:
            return GAMES * self._test.blocks
        budget = self._test.question.budget
        return None if budget is None else GAMES * budget

    def outcome(self) -> dict[str, Any]:
        a, b = _sides(self.setup, self._bots)
        verdict = self._test.verdict
        if verdict is None and not self._is_possible:
            verdict = Verdict.INCONCLUSIVE
        found = {"verdict": None if verdict is None else verdict.value, "a": a, "b": b, "field": self._field}
        return found | describe(self._test)

    # -- Blocks ----------------------------------------------------------------------------------------------------

    @property
    def _field(self) -> list[str]:
        sides = _sides(self.setup, self._bots)
        return [bot for bot in self._bots if bot not in sides]

    @property
    def _is_possible(self) -> bool:
        """Whether those who are needed have not withdrawn."""
        field = self._field
        return not self._gone.intersection(_sides(self.setup, self._bots)) and not (
            field and self._gone.issuperset(field)
        )

    def _pairing(self, number: int) -> Pairing:
        tables = len(self.setup.players)
        table, turn = number % tables, number // tables
        players = self.setup.players[table]
        a, b = _sides(self.setup, self._bots)
        field = [bot for bot in self._field if bot not in self._gone]
        start = self.setup.draw(f"{self.NAME} {table}")
        if not self._field:
            ways = arrangements(players)
            seated = ways[(start + turn) % len(ways)]
            seatings = complements([a if mine else b for mine in seated], a, b)
        else:
            seat, first = (start + turn) % players, start // players + turn // players
            others = [field[(first + k) % len(field)] for k in range(players - 1)]
            seatings = tuple(tuple(_turned([bot, *others], seat)) for bot in (a, b))
        return Pairing(table, turn + 1, seatings)


def score_of(number: int, games: Sequence[GameResult], a: str, b: str) -> float:
    """The score of A against B in a block, whether the two fill the tables or sit among a field."""
    tables = [Table("test", str(number), game.bots, game.ranks, frozenset(game.forfeits)) for game in games]
    if {a, b}.issuperset(games[0].bots):
        return block_score(tables, a, b)
    return field_score(tables[0], tables[1], a, b)


def question_of(setup: Setup) -> Question:
    """What is asked. A budget is in games; one that is too small for a first look is refused."""
    settings = setup.settings
    return Question(
        settings["elo0"],
        settings["elo1"],
        settings["alpha"],
        settings["beta"],
        settings["budget"] // GAMES if settings["budget"] else None,
        settings["faults"],
    )


def _sides(setup: Setup, bots: Sequence[str]) -> tuple[str, str]:
    """A and B."""
    a, b = setup.settings["a"], setup.settings["b"]
    a = a or next((bot for bot in bots if bot != b), "")
    return a, b or next((bot for bot in bots if bot != a), "")


def arrangements(players: int) -> list[tuple[bool, ...]]:
    """Every way to seat copies of A (True) in half of the seats (or one less); one of each two that are complements."""
    found: list[tuple[bool, ...]] = []
    for seats in combinations(range(players), players // 2):
        seated = tuple(seat in seats for seat in range(players))
        if tuple(not mine for mine in seated) not in found:
            found.append(seated)
    return found


def _turned(bots: Sequence[str], seat: int) -> Seating:
    """The first bot in this seat, and the others after it round the table."""
    return tuple(bots[(place - seat) % len(bots)] for place in range(len(bots)))


def first_spread(players: Sequence[int], *, field: bool) -> float:
    """The spread of block scores that plans begin with: the largest of all tables, if games shared no luck."""
    return max(
        fair_field_spread(seats) if field else fair_spread(seats // 2, seats - seats // 2, GAMES) for seats in players
    )


def describe(test: SequentialTest) -> dict[str, Any]:
    """How a test stands, as plain values. What is infinite or not known yet is None."""
    question = test.question
    estimate = bounds = peeking = None
    if test.blocks:
        low, high = betting_interval(test.scores)
        peeking = {"low": _elo(low), "high": _elo(high)}
    if test.blocks >= FIRST_LOOK:
        found = test.estimate()
        estimate = {"elo": _finite(found.elo), "low": _finite(found.low), "high": _finite(found.high)}
        bounds = [round(bound, 6) for bound in test.bounds]
    return {
        "elo0": question.elo0,
        "elo1": question.elo1,
        "alpha": question.alpha,
        "beta": question.beta,
        "budget": None if question.budget is None else GAMES * question.budget,
        "llr": round(test.llr, 6),
        "bounds": bounds,
        "score": round(test.mean, 6) if test.blocks else None,
        "spread": round(test.spread, 6) if test.blocks else None,
        "estimate": estimate,
        "peeking": peeking,
        "scores": [{"score": score, "blocks": test.scores[score]} for score in sorted(test.scores)],
        "blocks": test.blocks,
        "games": GAMES * test.blocks,
        "voids": test.void,
    }


def _elo(score: float) -> float | None:
    return _finite(from_score(score))


def _finite(elo: float) -> float | None:
    return round(elo, 3) if math.isfinite(elo) else None


FORMAT = SequentialScheme
