"""The arena: connected bots, running matches, and the traffic between them.

Everything runs on one event loop. What happens in a match is worked out at once, committed to the store in
batches, and only then told to anybody.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

import structlog
from sqlalchemy.exc import SQLAlchemyError

import hansa_fast as hf
from hansa_client.pb.hansa.v1 import clock_pb2, game_pb2, play_pb2
from hansa_fast import Rules
from hansa_fast.bots import KINDS, BotNameError, parse_bot
from hansa_server import wire
from hansa_server.auth import Principal, check_name
from hansa_server.clock import ClockRules
from hansa_server.errors import ArenaError, BadField, NotNow, Replaced, Stopping, TooMuch
from hansa_server.match import (
    BUILT_IN,
    Asked,
    Effect,
    Ended,
    Forfeited,
    Match,
    MatchSpec,
    OnForfeit,
    Outcome,
    Played,
    Problem,
    Rejected,
)
from hansa_server.metrics import Metrics
from hansa_server.settings import Settings
from hansa_server.store import Store, utc_now

log = structlog.get_logger()

RETRY = 1.0  # seconds until a failed commit is tried again


class FairClock:
    """Seconds that go forward, without those in which the server could not listen: bots are not charged for them."""

    PULSE = 0.05
    SLACK = 0.02

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._pulse = clock()
        self._held: float | None = None
        self.lag = 0.0  # in all

    def now(self) -> float:
        """The time. A pulse that is overdue means that the loop was blocked meanwhile."""
        if self._held is not None:
            return self._held
        now = self._clock()
        late = now - self._pulse - self.PULSE - self.SLACK
        if late > 0:
            self.lag += late
            self._pulse += late
        return now - self.lag

    def hold(self) -> None:
        """Stand still until `go_on`."""
        self._held = self.now()

    def go_on(self) -> None:
        """Run again, from where it was held."""
        if self._held is not None:
            self._pulse = self._clock()
            self.lag = self._pulse - self._held
            self._held = None

    def beat(self) -> None:
        """The loop is listening."""
        self.now()
        self._pulse = self._clock()

    async def run(self) -> None:
        """Beat; needs to run as long as the clock is used."""
        while True:
            self.beat()
            await asyncio.sleep(self.PULSE)


@dataclass(eq=False)
class Session:
    """A bot that is connected."""

    name: str
    version: str
    games: frozenset[str]
    max_matches: int
    view_format: int
    texts: bool
    live_events: bool
    connected: datetime
    most_bytes: int
    outbox: deque[tuple[play_pb2.PlayResponse, tuple[Live, int, int] | None]] = field(default_factory=deque)
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    closed: ArenaError | None = None
    ending: bool = False  # nothing more is queued; the stream ends after what is
    leaving: bool = False
    seats: set[tuple[str, int]] = field(default_factory=set)
    waiting_bytes: int = 0
    writing: float | None = None  # since when a message waits for the network to take it
    attended: bool = False  # whoever reads the stream is about to write what is queued: nobody need be woken for it

    @property
    def matches(self) -> int:
        """How many matches the bot plays; it may have several seats in one."""
        return len({match_id for match_id, _ in self.seats})

    def send(self, message: play_pb2.PlayResponse, asks: tuple[Live, int, int] | None = None) -> None:
        """Queue a message; a bot that lets too many wait is cut off."""
        if self.ending:
            return
        self.waiting_bytes += message.ByteSize()
        if self.waiting_bytes > self.most_bytes:
            self.outbox.clear()
            self.close(TooMuch("reading", f"more than {self.most_bytes} bytes wait unread: the bot is too slow"))
            return
        self.outbox.append((message, asks))
        if not self.attended:
            self.ready.set()

    def close(self, error: ArenaError | None = None) -> None:
        """End the stream after what is queued, with this error or in peace."""
        if not self.ending:
            self.ending = True
            self.closed = error
        self.ready.set()


@dataclass(eq=False)
class Live:
    """A match that runs, with what the arena needs around it."""

    match: Match
    created: datetime
    told: list[int]  # by seat: how many actions its bot was told about
    times: list[float] = field(default_factory=list)  # when each action was committed
    shown: int = 0  # actions committed
    lost: list[tuple[float, Forfeited]] = field(default_factory=list)  # seats given up, and when that was committed
    ended: float = 0.0  # when the outcome was committed
    timer: asyncio.TimerHandle | None = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    outcome: Outcome | None = None  # once it is committed
    arrived: float | None = None  # when the last answer came, until the next question leaves

    def notify(self) -> None:
        """Wake everybody who watches."""
        self.changed.set()
        self.changed = asyncio.Event()


class Arena:
    """Bots, matches and the store."""

    def __init__(self, store: Store, settings: Settings, metrics: Metrics | None = None) -> None:
        self.store = store
        self.settings = settings
        self.metrics = metrics or Metrics()
        self.clock = FairClock()
        self.sessions: dict[str, Session] = {}
        self.live: dict[str, Live] = {}
        self.finishing = False  # no new matches
        self.stopping = False
        self.match_changed = asyncio.Event()
        self.ended: list[Callable[[Match], None]] = []  # are told of every match whose end is committed
        self.came: list[Callable[[], None]] = []  # are told when a bot has connected
        self.news: deque[str] = deque(maxlen=10_000)  # ids of matches that began or ended
        self.news_count = 0
        self._effects: list[tuple[Live, list[Effect]]] = []
        self._flushing = False
        self.away = ""  # why the last commit failed, if it did
        self._retry: asyncio.TimerHandle | None = None
        self._settled = asyncio.Event()

    # -- Bots ----------------------------------------------------------------------------------------------------

    def connect(self, hello: play_pb2.Hello, principal: Principal) -> Session:
        """Let a bot in; an older stream of the same bot is closed."""
        if self.stopping:
            raise Stopping("the server is stopping")
        if principal.name and hello.name not in ("", principal.name):
            raise BadField("hello.name", f"this token plays as {principal.name!r}; leave the name empty or use it")
        name = check_name(principal.name or hello.name, "hello.name")
        if not 1 <= hello.max_matches <= 1_000_000:
            raise BadField("hello.max_matches", f"must be at least 1, not {hello.max_matches}")
        known = [game.name for game in hf.games()]
        for game in hello.games:
            if game not in known:
                raise BadField("hello.games", f"{game!r} is none of {', '.join(known)}")
        if hello.view_format not in play_pb2.ViewFormat.values():
            raise BadField("hello.view_format", f"{hello.view_format} is not known")
        if hello.event_delivery not in play_pb2.EventDelivery.values():
            raise BadField("hello.event_delivery", f"{hello.event_delivery} is not known")
        old = self.sessions.get(name)
        if old is None and len(self.sessions) >= self.settings.max_streams:
            raise TooMuch("streams", f"{self.settings.max_streams} bots are connected, which is the most")
        session = Session(
            name=name,
            version=hello.version[:64],
            games=frozenset(hello.games),
            max_matches=min(hello.max_matches, self.settings.max_matches_per_bot),
            view_format=hello.view_format,
            texts=hello.texts,
            live_events=hello.event_delivery != play_pb2.EVENT_DELIVERY_WITH_DECISIONS,
            connected=utc_now(),
            most_bytes=self.settings.outbox_bytes,
        )
        if old is not None:
            old.close(Replaced("a newer stream of the same bot took this one's place"))
            self.disconnect(old)
        self.sessions[name] = session
        self.metrics.bots.set(len(self.sessions))
        log.info("bot connected", bot=name, version=session.version, again=old is not None)
        waiting = [
            (live, seat)
            for live in self.live.values()
            for seat, player in enumerate(live.match.spec.sessions)
            if player == name and live.match.seats[seat].forfeit is None and not live.match.is_over
        ]
        session.send(play_pb2.PlayResponse(welcome=self._welcome(session, len(waiting))))
        for live, seat in waiting:
            self._seat(session, live, seat)
        for tell in self.came:
            tell()
        return session

    def _welcome(self, session: Session, open_seats: int) -> play_pb2.Welcome:
        from hansa_server import __version__

        return play_pb2.Welcome(
            server_version=__version__,
            name=session.name,
            max_matches=session.max_matches,
            forgiven_answers=self.settings.forgiven,
            max_message_bytes=self.settings.max_message_bytes,
            max_messages_per_second=self.settings.max_messages_per_second,
            min_keepalive=wire.duration_to_proto(self.settings.min_keepalive),
            open_seats=open_seats,
        )

    def _seat(self, session: Session, live: Live, seat: int) -> None:
        """Put a bot at its place and tell it the story so far."""
        match_id = live.match.spec.match_id
        session.seats.add((match_id, seat))
        history = live.match.actions[: live.shown]
        live.told[seat] = live.shown
        started = wire.started_to_proto(live.match.spec, seat, history, session.texts)
        session.send(play_pb2.PlayResponse(match_started=started))
        effects = live.match.came(seat, self.clock.now())
        if live.shown == live.match.sequence:
            self._tell(live, effects)
        # Otherwise a commit is under way, and the question comes with it.

    def disconnect(self, session: Session) -> None:
        """A stream is gone; its matches wait as long as the clocks allow."""
        if self.sessions.get(session.name) is session:
            del self.sessions[session.name]
        self.metrics.bots.set(len(self.sessions))
        now = self.clock.now()
        for match_id, seat in session.seats:
            live = self.live.get(match_id)
            if live is not None:
                live.match.left(seat, now)
                self._set_timer(live)
        session.seats.clear()
        log.info("bot disconnected", bot=session.name)

    # -- What bots say -------------------------------------------------------------------------------------------

    def receive(self, session: Session, message: play_pb2.PlayRequest) -> None:
        """A message of a bot, apart from its Hello."""
        now = self.clock.now()
        kind = message.WhichOneof("message")
        if kind == "answer":
            self._answer(session, message.answer, now)
        elif kind == "resign":
            live, seats = self._seats_of(session, message.resign.match_id)
            if live is None:
                session.send(_unknown(message.resign.match_id))
                return
            for seat in seats:
                self._note(live, live.match.resign(seat, now))
        elif kind == "goodbye":
            session.leaving = True
            self._close_if_done(session)
        elif kind == "hello":
            raise BadField("hello", "was said before; a stream begins with one Hello")
        else:
            raise BadField("message", "holds neither answer, resign nor goodbye")

    def _seats_of(self, session: Session, match_id: str) -> tuple[Live | None, list[int]]:
        """A running match and the seats in it that this bot still plays."""
        live = self.live.get(match_id)
        if live is None:
            return None, []
        seats = [
            number
            for number, seat in enumerate(live.match.seats)
            if seat.forfeit is None and (match_id, number) in session.seats
        ]
        return (live if seats else None), seats

    def _answer(self, session: Session, message: play_pb2.Answer, now: float) -> None:
        live, seats = self._seats_of(session, message.match_id)
        if live is None:
            session.send(_unknown(message.match_id, message.sequence))
            return
        live.arrived = time.perf_counter()
        asked = live.match.asked
        seat = asked if asked is not None and asked in seats else seats[0]
        answer = wire.answer_from_proto(message)
        if isinstance(answer, str):
            self._note(live, live.match.malformed(seat, answer, now))
        else:
            self._note(live, live.match.answer(seat, answer, now))

    def _close_if_done(self, session: Session) -> None:
        if session.leaving and not session.seats:
            session.close()

    # -- Matches -------------------------------------------------------------------------------------------------

    def create_match(
        self,
        rules: Rules,
        bots: tuple[str, ...],
        *,
        seed: int | None = None,
        clock: ClockRules | None = None,
        on_forfeit: OnForfeit | None = None,
        anonymous: bool = False,
        request_id: str = "",
        validate_only: bool = False,
    ) -> str:
        """Begin a match; returns its id. The same request id gives the same match again."""
        if self.finishing:
            raise Stopping("the server is stopping")
        if request_id:
            if len(request_id) > 64 or not request_id.isprintable():
                raise BadField("request_id", "at most 64 characters that can be printed")
            known = self.store.find_request(request_id)
            if known is not None:
                return known
        self._check_bots(rules, bots)
        spec = MatchSpec(
            match_id=secrets.token_hex(8),
            rules=rules,
            seed=secrets.randbits(63) if seed is None else seed,
            players=bots,
            clock=clock or self.default_clock(),
            on_forfeit=on_forfeit or OnForfeit(self.settings.on_forfeit),
            forgiven=self.settings.forgiven,
            anonymous=anonymous,
        )
        if validate_only:
            return ""
        self.begin(spec, request_id)
        return spec.match_id

    def begin(self, spec: MatchSpec, request_id: str = "") -> None:
        """Begin a match as it is specified. Bots that are not connected are waited for as their clocks allow."""
        now = utc_now()
        self.store.create_match(spec, request_id, now)
        self._begin(Match(spec), now)

    def _check_bots(self, rules: Rules, bots: tuple[str, ...]) -> None:
        if len(bots) != rules.players:
            raise BadField("bots", f"{rules.players} seats need as many bots, not {len(bots)}")
        for name in bots:
            if name.startswith(BUILT_IN):
                self._check_built_in(name)
                continue
            session = self.sessions.get(name)
            if session is None or session.leaving:
                raise NotNow(name, "is not connected")
            if session.games and rules.game not in session.games:
                raise NotNow(name, f"does not play {rules.game}")
            if session.matches >= session.max_matches:
                raise NotNow(name, f"plays {session.matches} matches, which is the most it takes")

    @staticmethod
    def _check_built_in(name: str) -> None:
        known = ", ".join(BUILT_IN + kind.name for kind in KINDS.values() if kind.quick)
        try:
            kind, _ = parse_bot(name.removeprefix(BUILT_IN))
        except BotNameError as error:
            raise BadField("bots", f"{name[:80]!r} is no built-in bot: {error}; there are {known}") from None
        if not kind.quick:
            raise BadField("bots", f"{name[:80]!r} thinks too long to be built in; there are {known}")

    def default_clock(self) -> ClockRules:
        """The clock of matches that set none."""
        settings = self.settings
        return ClockRules(settings.per_decision, settings.bank, settings.increment, settings.grace)

    def resume(self) -> int:
        """Take up all matches that ran when the server went away; returns their number."""
        patience = self.clock.now() + self.settings.reconnect_patience
        for match_id in self.store.running_matches():
            self.take_up(match_id, patience)
        return len(self.live)

    def take_up(self, match_id: str, patience: float = 0.0) -> None:
        """Go on with a match of the store. Until `patience` the clocks of bots that are away stand still."""
        match = self.store.load_match(match_id)
        match.patience = patience
        self._begin(match, self.store.get_match(match_id).created)

    def _begin(self, match: Match, created: datetime) -> None:
        live = Live(match, created, told=[match.sequence] * len(match.seats))
        live.shown = match.sequence
        now = self.clock.now()
        live.times = [now] * match.sequence
        live.lost = [(now, forfeited) for forfeited in match.forfeits()]
        self.live[match.spec.match_id] = live
        self.metrics.running.set(len(self.live))
        self._spread(match.spec.match_id)
        for seat, name in enumerate(match.spec.sessions):
            session = self.sessions.get(name)
            if session is not None and match.seats[seat].forfeit is None:
                self._seat(session, live, seat)
        self._note(live, match.start(now))

    async def settled(self) -> None:
        """Wait until all that happened so far is committed."""
        while self._flushing:
            self._settled.clear()
            await self._settled.wait()

    def abort(self, match_id: str) -> None:
        """Stop a running match."""
        live = self.live.get(match_id)
        if live is None or live.match.is_over:
            raise NotNow(match_id, f"is {self.store.get_match(match_id).state}, not running")
        self._note(live, live.match.abort(self.clock.now()))

    # -- Committing and telling ----------------------------------------------------------------------------------

    def _note(self, live: Live, effects: list[Effect]) -> None:
        """Something happened: it is committed with all else of this moment, then told."""
        if not effects:
            return
        self._effects.append((live, effects))
        if not self._flushing:
            self._flushing = True
            asyncio.get_running_loop().call_soon(self._flush)

    def _flush(self) -> None:
        batch, self._effects = self._effects, []
        entries: list[tuple[str, Played | Forfeited | Outcome]] = []
        for live, effects in batch:
            for effect in effects:
                if isinstance(effect, Ended):
                    entries.append((live.match.spec.match_id, effect.outcome))
                elif isinstance(effect, (Played, Forfeited)):
                    entries.append((live.match.spec.match_id, effect))
        try:
            if entries:
                self.store.append(entries, utc_now(), again=bool(self.away))
        except SQLAlchemyError as error:
            # Nobody is told anything and all clocks stand still: everything waits until the store is back.
            self.away = str(error.__cause__ or error).strip().splitlines()[0]
            log.error("the store does not take what happened; trying again", problem=self.away)
            self.clock.hold()
            self._effects = batch + self._effects
            if not self.stopping:
                self._retry = asyncio.get_running_loop().call_later(RETRY, self._flush)
            return
        self.clock.go_on()
        self.away = ""
        self._flushing = False
        self._settled.set()
        now = self.clock.now()
        for live, effects in batch:
            for effect in effects:
                if isinstance(effect, Played):
                    live.times.append(now)
                    live.shown += 1
                    self.metrics.decisions.inc()
                    self.metrics.think.observe(effect.think)
                elif isinstance(effect, Forfeited):
                    live.lost.append((now, effect))
                elif isinstance(effect, Ended):
                    live.ended = now
            self._tell(live, effects)

    def _tell(self, live: Live, effects: list[Effect]) -> None:
        """Tell bots and watchers what is committed."""
        match = live.match
        spec = match.spec
        asked: int | None = None
        for effect in effects:
            if isinstance(effect, Asked):
                # A bot may have answered before it was asked; then another question follows.
                asked = effect.seat if effect.sequence == match.sequence else None
            elif isinstance(effect, Rejected):
                self._send(live, effect.seat, _rejected(spec.match_id, effect))
            elif isinstance(effect, Forfeited):
                self.metrics.forfeits.labels(effect.reason.value).inc()
                log.info("seat forfeited", match=spec.match_id, seat=effect.seat, reason=effect.reason.value)
        forfeits = [wire.forfeited_to_proto(effect) for effect in effects if isinstance(effect, Forfeited)]
        over = any(isinstance(effect, Ended) for effect in effects)
        for seat, name in enumerate(spec.sessions):
            session = self.sessions.get(name)
            if session is None or (spec.match_id, seat) not in session.seats:
                continue
            if seat == asked and not forfeits:
                self._ask(session, live, seat)
            elif (live.shown > live.told[seat] and (session.live_events or over or forfeits)) or forfeits:
                events = play_pb2.MatchEvents(
                    match_id=spec.match_id, actions=self._news_for(session, live, seat), forfeits=forfeits
                )
                session.send(play_pb2.PlayResponse(match_events=events))
                if seat == asked:
                    self._ask(session, live, seat)
        if asked is not None and spec.sessions[asked] not in self.sessions:
            live.arrived = None  # the question waits for its bot, not for us
        if over:
            self._finish(live)
        else:
            self._set_timer(live)
            if match.asked is None and not self.stopping:
                asyncio.get_running_loop().call_soon(self._go_on, live)
        live.notify()

    def _go_on(self, live: Live) -> None:
        """Built-in bots have more to play; in between everybody else had a turn."""
        self._note(live, live.match.go_on(self.clock.now()))

    def _news_for(self, session: Session, live: Live, seat: int) -> list[game_pb2.PlayedAction]:
        """The actions this seat was not told yet."""
        begin, live.told[seat] = live.told[seat], live.shown
        return [wire.played_to_proto(played, session.texts) for played in live.match.actions[begin : live.shown]]

    def _ask(self, session: Session, live: Live, seat: int) -> None:
        """Send the open decision to its bot."""
        match = live.match
        state = match.state
        legal = state.legal_actions()
        clock = match.seats[seat].clock
        spent = clock.spent(self.clock.now())
        request = play_pb2.DecisionRequest(
            match_id=match.spec.match_id,
            seat=seat,
            sequence=match.sequence,
            legal_actions=legal,
            phase=state.phase,
            clock=clock_pb2.ClockState(decision=wire.duration_to_proto(max(0.0, clock.allowed() - spent))),
            events=self._news_for(session, live, seat),
        )
        if clock.rules.bank:
            request.clock.bank.CopyFrom(wire.duration_to_proto(max(0.0, clock.bank - spent)))
        if session.texts:
            request.legal_texts.extend(state.describe(action) for action in legal)
        if session.view_format == play_pb2.VIEW_FORMAT_MESSAGE:
            request.view.CopyFrom(wire.view_to_proto(state.view(seat)))
        elif session.view_format == play_pb2.VIEW_FORMAT_JSON:
            request.view_json = wire.view_json(state.view(seat))
        session.send(play_pb2.PlayResponse(decision_request=request), (live, seat, match.sequence))

    def sent(self, asks: tuple[Live, int, int]) -> None:
        """A decision request was handed to the network: the clock of the bot runs from now on."""
        live, seat, sequence = asks
        live.match.sent(seat, sequence, self.clock.now())
        if live.arrived is not None:
            self.metrics.overhead.observe(time.perf_counter() - live.arrived)
            live.arrived = None
        self._set_timer(live)

    def _send(self, live: Live, seat: int, message: play_pb2.PlayResponse) -> None:
        session = self.sessions.get(live.match.spec.sessions[seat])
        if session is not None:
            session.send(message)

    def _set_timer(self, live: Live) -> None:
        """See to it that a clock that runs out is noticed. Deadlines mostly move on, so an early timer is kept."""
        due = live.match.deadline()
        if due is None or self.stopping:
            return
        loop = asyncio.get_running_loop()
        when = loop.time() + max(0.0, due - self.clock.now()) + 0.001
        if live.timer is not None:
            if live.timer.when() <= when:
                return
            live.timer.cancel()
        live.timer = loop.call_at(when, self._tick, live)

    def _tick(self, live: Live) -> None:
        live.timer = None
        effects = live.match.tick(self.clock.now())
        if effects:
            self._note(live, effects)
        else:
            self._set_timer(live)

    def _finish(self, live: Live) -> None:
        """The end of a match is committed."""
        match = live.match
        assert match.outcome is not None
        live.outcome = match.outcome
        result = wire.result_to_proto(match.outcome, match.sequence)
        ended = play_pb2.PlayResponse(match_ended=play_pb2.MatchEnded(match_id=match.spec.match_id, result=result))
        del self.live[match.spec.match_id]
        if live.timer is not None:
            live.timer.cancel()
        for seat, name in enumerate(match.spec.sessions):
            session = self.sessions.get(name)
            if session is not None and (match.spec.match_id, seat) in session.seats:
                session.seats.discard((match.spec.match_id, seat))
                session.send(ended)
                self._close_if_done(session)
        self.metrics.running.set(len(self.live))
        self.metrics.matches.labels(match.outcome.reasons[0]).inc()
        log.info("match ended", match=match.spec.match_id, reasons=match.outcome.reasons, ranks=match.outcome.ranks)
        self._spread(match.spec.match_id)
        for tell in self.ended:
            tell(match)

    def _spread(self, match_id: str) -> None:
        """Tell those who watch all matches that this one began or ended."""
        self.news.append(match_id)
        self.news_count += 1
        self.match_changed.set()
        self.match_changed = asyncio.Event()

    # -- The end of the day --------------------------------------------------------------------------------------

    async def stop(self, grace: float) -> None:
        """Let running matches finish for a while, then park the others: they go on after a restart."""
        notice = play_pb2.Notice(
            kind=play_pb2.NOTICE_KIND_SHUTTING_DOWN,
            text="the server is stopping; running matches go on when it is back",
        )
        for session in self.sessions.values():
            session.send(play_pb2.PlayResponse(notice=notice))
        self.finishing = True
        end = time.monotonic() + grace
        while self.live and time.monotonic() < end:
            await asyncio.sleep(0.05)
        self.stopping = True
        for live in self.live.values():
            if live.timer is not None:
                live.timer.cancel()
                live.timer = None
        if self._retry is not None:
            self._retry.cancel()
        if self._effects:
            self._flush()
        for session in list(self.sessions.values()):
            session.close(Stopping("the server is stopping; running matches go on when it is back"))
        log.info("stopped", parked=len(self.live))


def _unknown(match_id: str, sequence: int = 0) -> play_pb2.PlayResponse:
    return play_pb2.PlayResponse(
        answer_rejected=play_pb2.AnswerRejected(
            match_id=match_id[:64],
            sequence=sequence,
            problem=wire.PROBLEMS[Problem.UNKNOWN_MATCH],
            explanation="this bot plays in no running match of this id",
        )
    )


def _rejected(match_id: str, effect: Rejected) -> play_pb2.PlayResponse:
    return play_pb2.PlayResponse(
        answer_rejected=play_pb2.AnswerRejected(
            match_id=match_id,
            sequence=effect.sequence,
            problem=wire.PROBLEMS[effect.problem],
            explanation=effect.explanation,
            forgiven_left=effect.forgiven_left,
        )
    )
