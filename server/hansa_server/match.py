"""The course of a match, free of sockets, stores and clocks on the wall: events and the time go in, effects come out.

A match asks one seat at a time. Every method takes the time `now` (seconds on any clock that only goes forward) and
returns the effects that follow, in order; the arena carries them out. `tick` must be called when `deadline` has come.

| event | in which state | what follows |
|---|---|---|
| start | new or taken up from the store | Asked |
| sent | a decision is open | the clock of the seat runs |
| answer | a decision is open | Played and Asked or Ended; or Rejected, perhaps with Forfeited |
| left, came | any | the clock runs while the bot is away; Asked again when it is back |
| tick | the deadline has come | Forfeited, then as for answer |
| go_on | nobody is asked, since built-in bots have more to play | Played, and Asked or Ended once they are done |
| resign, abort | running | Forfeited or Ended |
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from functools import cache

from hansa_fast import Game, HansaError, Rules, State
from hansa_fast.bots import Bot, BotNameError, PolicyBot, make_bot
from hansa_server.clock import ClockRules, SeatClock

BUILT_IN = "builtin:"
COMMENT_LENGTH = 280
WORD = 2**64 - 1
SEED_STEP, SEQUENCE_STEP = 0x9E3779B97F4A7C15, 0xD1342543DE82EF95
AT_ONCE = 100  # actions that are played without a bot before the match lets go; `go_on` plays the next ones


class Forfeit(Enum):
    """Why a seat was given up."""

    TIMEOUT = "timeout"
    ILLEGAL_ANSWER = "illegal answer"
    MALFORMED_MESSAGE = "malformed message"
    DISCONNECTED = "disconnected"
    SILENT = "silent"
    RESIGNED = "resigned"


class Problem(Enum):
    """What is wrong with an answer."""

    ILLEGAL_ACTION = "illegal action"
    MALFORMED = "malformed"
    UNKNOWN_MATCH = "unknown match"
    STALE_SEQUENCE = "stale sequence"
    NOT_YOUR_DECISION = "not your decision"


class OnForfeit(Enum):
    """What happens to a seat that is given up."""

    END = "end"  # the match is over when one seat is left
    REPLACE = "replace"  # a built-in bot plays on to the end of the game


@dataclass(frozen=True)
class MatchSpec:
    """All that is settled before a match begins."""

    match_id: str
    rules: Rules
    seed: int
    players: tuple[str, ...]  # names by seat
    clock: ClockRules = field(default_factory=ClockRules)
    on_forfeit: OnForfeit = OnForfeit.END
    forgiven: int = 3
    anonymous: bool = False
    via: tuple[str, ...] = ()  # who plays for them, if that is somebody of another name

    @property
    def sessions(self) -> tuple[str, ...]:
        """By seat: the session that plays, or the built-in bot."""
        return self.via or self.players

    @property
    def is_built_in(self) -> bool:
        """Whether built-in bots hold all seats."""
        return all(name.startswith(BUILT_IN) for name in self.sessions)


@dataclass(frozen=True)
class Asked:
    """A seat has to decide."""

    seat: int
    sequence: int


@dataclass(frozen=True)
class Played:
    """An action was played."""

    sequence: int
    seat: int
    action: int
    text: str
    think: float = 0.0
    bank: float = 0.0  # what is left in the bank of the seat
    evaluation: tuple[float, ...] = ()
    comment: str = ""


@dataclass(frozen=True)
class Rejected:
    """An answer was not accepted."""

    seat: int
    sequence: int
    problem: Problem
    explanation: str
    forgiven_left: int


@dataclass(frozen=True)
class Forfeited:
    """A seat was given up; the named built-in bot plays on for it."""

    seat: int
    sequence: int
    reason: Forfeit
    replacement: str


@dataclass(frozen=True)
class Outcome:
    """How a match came out. Seats that forfeited share the last place, whatever their score."""

    reasons: tuple[str, ...]
    scores: tuple[dict[str, int], ...]
    ranks: tuple[int, ...]
    forfeits: tuple[Forfeit | None, ...]


@dataclass(frozen=True)
class Ended:
    """The match is over."""

    outcome: Outcome


Effect = Asked | Played | Rejected | Forfeited | Ended


def choice_seed(seed: int, sequence: int) -> int:
    """Built-in bots depend on the seed and the place in the match only: one taken up goes on as it would have."""
    return (seed * SEED_STEP + sequence * SEQUENCE_STEP + 1) & WORD


def judge(state: State, forfeits: tuple[Forfeit | None, ...], reasons: tuple[str, ...]) -> Outcome:
    """How a match comes out at this position. Without the end of the game points decide; seats that were given up share
    the last place, the others move up."""
    scores = tuple(state.scores())
    if state.is_over:
        ranks = list(state.result()["ranks"])
    else:
        totals = [score["total"] for score in scores]
        ranks = [1 + sum(other > total for other in totals) for total in totals]
    standing = [number for number, forfeit in enumerate(forfeits) if forfeit is None]
    for number in range(len(ranks)):
        if forfeits[number] is not None:
            ranks[number] = len(standing) + 1
    fair = [ranks[number] for number in standing]
    for number, rank in zip(standing, fair, strict=True):
        ranks[number] = 1 + sum(other < rank for other in fair)
    return Outcome(reasons, scores, tuple(ranks), forfeits)


@cache
def _quick_bot(name: str) -> Bot:
    """A built-in bot. These keep nothing from one decision to the next, so one is enough for all seats."""
    return make_bot(name.removeprefix(BUILT_IN))


def play_out(spec: MatchSpec) -> tuple[array[int], Outcome]:
    """Play a match of built-in bots in one go: its actions and outcome, the same as of a `Match` that runs."""
    state = spec.rules.new(spec.seed)
    bots = [_quick_bot(name) for name in spec.sessions]
    policies = [bot.policy for bot in bots if isinstance(bot, PolicyBot)]
    seed = choice_seed(spec.seed, 0)
    if len(policies) == len(bots):
        actions = state.play(policies, seed, SEQUENCE_STEP)
    else:
        actions = array("H")
        while not state.is_over:
            action = bots[state.player].choose(state, seed)
            state.apply(action)
            actions.append(action)
            seed = (seed + SEQUENCE_STEP) & WORD
    return actions, judge(state, (None,) * spec.rules.players, tuple(state.result()["reasons"]))


@dataclass(frozen=True)
class Answer:
    """What a bot answered; the choice is an id or a text."""

    sequence: int
    choice: int | str
    evaluation: tuple[float, ...] = ()
    comment: str = ""


@dataclass
class _Seat:
    """What a match keeps about a seat."""

    player: str
    clock: SeatClock
    bot: Bot | None = None  # the built-in one that plays here
    present: bool = False
    answered: bool = False  # at least once
    forgiven: int = 0
    lost: Forfeited | None = None

    @property
    def forfeit(self) -> Forfeit | None:
        """Why the seat was given up, if it was."""
        return None if self.lost is None else self.lost.reason


@dataclass
class Match:
    """A match that runs."""

    spec: MatchSpec
    patience: float = 0.0  # until then the clocks of absent bots stand still: a server that was away waits for them
    seats: list[_Seat] = field(init=False)
    outcome: Outcome | None = None
    _open: int | None = None  # the seat that was asked

    def __post_init__(self) -> None:
        spec = self.spec
        self.state: State = spec.rules.new(spec.seed)
        self.actions: list[Played] = []
        self.seats = [_Seat(name, SeatClock(spec.clock), forgiven=spec.forgiven) for name in spec.sessions]
        for seat in self.seats:
            if seat.player.startswith(BUILT_IN):
                with suppress(BotNameError):  # of another server: its seat is one of a bot that is away
                    seat.bot = make_bot(seat.player.removeprefix(BUILT_IN))

    # -- Taking up a stored match --------------------------------------------------------------------------------

    def replay(self, played: Sequence[Played], forfeits: Sequence[Forfeited]) -> None:
        """Bring a new match to the point where the store left it."""
        lost = {forfeit.seat: forfeit.sequence for forfeit in forfeits}
        for action in played:
            seat = self.seats[action.seat]
            seat.clock.bank = action.bank
            by_bot = seat.bot is None and action.sequence < lost.get(action.seat, len(played))
            seat.answered |= by_bot and not self._is_forced()
            self.state.apply(action.action)
            self.actions.append(action)
        for forfeit in forfeits:
            self._give_up(forfeit)

    # -- Questions -----------------------------------------------------------------------------------------------

    @property
    def sequence(self) -> int:
        """How many actions were played."""
        return len(self.actions)

    @property
    def is_over(self) -> bool:
        """Whether the match has ended."""
        return self.outcome is not None

    @property
    def asked(self) -> int | None:
        """The seat whose answer the match waits for."""
        return self._open

    def deadline(self) -> float | None:
        """When `tick` must be called; None while no clock runs."""
        return None if self._open is None else self.seats[self._open].clock.deadline()

    def forfeits(self) -> list[Forfeited]:
        """The seats given up so far."""
        return [seat.lost for seat in self.seats if seat.lost is not None]

    # -- Events --------------------------------------------------------------------------------------------------

    def start(self, now: float) -> list[Effect]:
        """Begin, or go on after `replay`."""
        return [self._end(("forfeit",))] if self._is_decided() else self._go_on(now)

    def came(self, seat: int, now: float) -> list[Effect]:
        """The bot of a seat is connected (again): an open decision is asked again, the clock goes on as it is."""
        self.seats[seat].present = True
        clock = self.seats[seat].clock
        if clock.started is not None and clock.started > now:
            clock.started = None  # the patience is over, the question is about to be sent
        return [Asked(seat, self.sequence)] if self._open == seat else []

    def left(self, seat: int, now: float) -> None:
        """The bot of a seat is gone. If it has to decide its clock runs from now on at the latest."""
        self.seats[seat].present = False
        if self._open == seat:
            self.seats[seat].clock.start(max(now, self.patience))

    def sent(self, seat: int, sequence: int, now: float) -> None:
        """The decision request was handed to the network."""
        if self._open == seat and sequence == self.sequence:
            self.seats[seat].clock.start(now)

    def answer(self, seat: int, answer: Answer, now: float) -> list[Effect]:
        """A bot decided."""
        if self.is_over or self.seats[seat].forfeit is not None:
            return [self._reject(seat, answer, Problem.UNKNOWN_MATCH, "the match is over for this seat")]
        if answer.sequence < self.sequence:
            text = f"decision {answer.sequence} was made before; {self.sequence} is open"
            return [self._reject(seat, answer, Problem.STALE_SEQUENCE, text)]
        if self._open != seat:
            return self._fault(seat, answer, Problem.NOT_YOUR_DECISION, "nobody asked this seat", now)
        if answer.sequence > self.sequence:
            text = f"decision {self.sequence} is open, not {answer.sequence}"
            return self._fault(seat, answer, Problem.MALFORMED, text, now)
        clock = self.seats[seat].clock
        clock.start(now)  # an answer may be read before the sending was noted
        due = clock.deadline()
        if due is not None and now > due:
            return self.tick(now)
        try:
            action = self.state.parse(answer.choice) if isinstance(answer.choice, str) else answer.choice
            text = self.state.describe(action)
        except HansaError as error:
            return self._fault(seat, answer, Problem.ILLEGAL_ACTION, str(error), now)
        think = clock.stop(now)
        self.seats[seat].answered = True
        played = self._play(seat, action, text, think, answer.evaluation, answer.comment[:COMMENT_LENGTH])
        return [played, *self._go_on(now)]

    def malformed(self, seat: int, explanation: str, now: float) -> list[Effect]:
        """A message about this match made no sense."""
        if self.is_over or self.seats[seat].forfeit is not None:
            return []
        return self._fault(seat, Answer(self.sequence, -1), Problem.MALFORMED, explanation, now)

    def tick(self, now: float) -> list[Effect]:
        """Time has passed: a clock may have run out."""
        due = self.deadline()
        if self._open is None or due is None or now < due:
            return []
        seat = self.seats[self._open]
        if not seat.present:
            return self._forfeit(self._open, Forfeit.DISCONNECTED, now)
        return self._forfeit(self._open, Forfeit.TIMEOUT if seat.answered else Forfeit.SILENT, now)

    def resign(self, seat: int, now: float) -> list[Effect]:
        """A bot gives the match up."""
        if self.is_over or self.seats[seat].forfeit is not None:
            return []
        return self._forfeit(seat, Forfeit.RESIGNED, now)

    def go_on(self, now: float) -> list[Effect]:
        """Play on where built-in bots had more to play than fits into one event."""
        return [] if self.is_over or self._open is not None else self._go_on(now)

    def abort(self, _now: float) -> list[Effect]:
        """An organiser stops the match."""
        return [] if self.is_over else [self._end(("aborted",))]

    # -- What follows --------------------------------------------------------------------------------------------

    def _go_on(self, now: float) -> list[Effect]:
        """Play what needs no bot; then ask the next seat or end. After many actions the rest is left to `go_on`."""
        out: list[Effect] = []
        while not self.state.is_over:
            number = self.state.player
            seat = self.seats[number]
            forced = self._is_forced()
            if seat.bot is None and not forced:
                self._open = number
                if not seat.present:
                    seat.clock.start(max(now, self.patience))
                return [*out, Asked(number, self.sequence)]
            if len(out) >= AT_ONCE:
                return out
            bot = None if forced else seat.bot
            action = self.state.legal_actions()[0] if bot is None else bot.choose(self.state, self._choice_seed())
            out.append(self._play(number, action, self.state.describe(action)))
        return [*out, self._end(tuple(self.state.result()["reasons"]))]

    def _is_forced(self) -> bool:
        """Whether there is a single legal action."""
        return self.state.legal_mask().bit_count() == 1

    def _choice_seed(self) -> int:
        return choice_seed(self.spec.seed, self.sequence)

    def _play(
        self,
        seat: int,
        action: int,
        text: str,
        think: float = 0.0,
        evaluation: tuple[float, ...] = (),
        comment: str = "",
    ) -> Played:
        played = Played(self.sequence, seat, action, text, think, self.seats[seat].clock.bank, evaluation, comment)
        self.state.apply(action)
        self.actions.append(played)
        self._open = None
        return played

    def _reject(self, seat: int, answer: Answer, problem: Problem, text: str) -> Rejected:
        return Rejected(seat, answer.sequence, problem, text, self.seats[seat].forgiven)

    def _fault(self, seat: int, answer: Answer, problem: Problem, text: str, now: float) -> list[Effect]:
        """A wrong answer that costs forgiveness; the one too many costs the seat."""
        self.seats[seat].forgiven -= 1
        if self.seats[seat].forgiven >= 0:
            return [self._reject(seat, answer, problem, text)]
        self.seats[seat].forgiven = 0
        illegal = problem is Problem.ILLEGAL_ACTION
        reason = Forfeit.ILLEGAL_ANSWER if illegal else Forfeit.MALFORMED_MESSAGE
        return [self._reject(seat, answer, problem, text), *self._forfeit(seat, reason, now)]

    def _give_up(self, forfeited: Forfeited) -> None:
        """Put the built-in bot in the place of a seat."""
        seat = self.seats[forfeited.seat]
        seat.lost = forfeited
        seat.bot = make_bot(forfeited.replacement)

    def _is_decided(self) -> bool:
        """Whether forfeits have cut the match short."""
        left = sum(seat.forfeit is None for seat in self.seats)
        return self.spec.on_forfeit is OnForfeit.END and left <= 1

    def _forfeit(self, seat: int, reason: Forfeit, now: float) -> list[Effect]:
        replacement = "greedy" if self.spec.on_forfeit is OnForfeit.REPLACE else "random"
        forfeited = Forfeited(seat, self.sequence, reason, replacement)
        self._give_up(forfeited)
        if self._is_decided():
            return [forfeited, self._end(("forfeit",))]
        if self._open == seat:
            self._open = None
            return [forfeited, *self._go_on(now)]
        return [forfeited]

    def _end(self, reasons: tuple[str, ...]) -> Ended:
        self.outcome = judge(self.state, tuple(seat.forfeit for seat in self.seats), reasons)
        self._open = None
        return Ended(self.outcome)

    def record(self) -> Game:
        """The record of the game, with names, forfeits and (once it is over) the outcome of the match."""
        game = Game(self.spec.rules, self.spec.seed)
        for number, name in enumerate(self.spec.players):
            game.set_tag(f"Seat {number}", name)
        game.set_tag("Match", self.spec.match_id)
        for played in self.actions:
            game.play(played.action)
        for number, seat in enumerate(self.seats):
            if seat.forfeit is not None:
                game.set_tag(f"Forfeit {number}", seat.forfeit.value)
        if self.outcome is not None:
            game.set_tag("Match reasons", ", ".join(self.outcome.reasons))
            game.set_tag("Match ranks", " ".join(str(rank) for rank in self.outcome.ranks))
        return game
