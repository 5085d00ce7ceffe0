"""Runs a tournament: takes blocks from the pairing scheme, has their games played, counts what came of them.

Everything happens on the event loop of the arena, one step after the other. A tournament can be left at any moment, by
`kill -9` too: what it needs to go on is in the store, and what is played from the same seeds comes out the same.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from concurrent.futures import Executor
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

import structlog
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from hansa_server.arena import RETRY, Arena
from hansa_server.errors import ArenaError, NoStore, NotFound, NotNow
from hansa_server.match import Forfeit, Match, MatchSpec, Outcome
from hansa_server.ratings import Table
from hansa_server.store import RUNNING as MATCH_RUNNING
from hansa_server.store import pack, utc_now
from hansa_server.tournament import seeds, standings
from hansa_server.tournament.block import Pairing
from hansa_server.tournament.capacity import games_at_once
from hansa_server.tournament.chronicle import DROPPED, FINISHED, MADE, Block, Place
from hansa_server.tournament.event import Entrant, Event
from hansa_server.tournament.games import chain_hash, played_game, result_from_json, specs_of
from hansa_server.tournament.ledger import (
    CREATED,
    ENDED,
    OVER,
    PAUSED,
    PLAYING,
    STOPPED,
    Change,
    Ledger,
    Standing,
    Stored,
    Whole,
)
from hansa_server.tournament.local_bots import LocalBots
from hansa_server.tournament.open_block import AT_ONCE, Batch, HandedIn, OpenBlock, play_blocks
from hansa_server.tournament.pace import Pace
from hansa_server.tournament.pairing import Scheme, Setup, formats
from hansa_server.tournament.tally import Tally

log = structlog.get_logger()

SEARCHED = 512  # waiting blocks that are looked through for one that can begin
MOST_WAITING = 2048  # blocks that wait, most of them for bots that are away: then no more are made
BUSY = 2.0  # seconds in which the host could not listen, in the course of one match: a lost clock is then its fault
REFIT = 5.0  # seconds between ratings while a tournament runs, at least
FIRST_FIT = 1.0  # seconds until the first ones
TURN = 0.005  # seconds between looks whether an organiser may change something
REFIT_SHARE = 20  # and so many times as long as they take
LOST_CLOCK = frozenset({Forfeit.TIMEOUT, Forfeit.DISCONNECTED, Forfeit.SILENT})


class Campaign:
    """A tournament that is not over."""

    def __init__(
        self, stored: Stored, arena: Arena, ledger: Ledger, workers: Executor, local_bots: Callable[..., LocalBots]
    ) -> None:
        self.arena = arena
        self.ledger = ledger
        self.stored = stored
        self._workers = workers
        self._make_local_bots = local_bots
        self.event: Event = stored.event
        self.standing: Standing = stored.standing
        self.line_up = {place.entrant.name: place for place in self.ledger.line_up(self.name)}
        self.tally: Tally = self.ledger.tally(self.name)
        self.pace = Pace()
        self.waiting: dict[int, OpenBlock] = {}  # on the schedule, not begun
        self.open: dict[int, OpenBlock] = {}
        self.batches: set[asyncio.Future[Batch]] = set()  # blocks of built-in bots that are being played
        self.fits: standings.Fits = self.ledger.fits(self.name)
        self.lock = asyncio.Lock()
        self.changed = asyncio.Event()
        self.away = ""  # why the store takes nothing, while that is so
        self.held = False  # it is left as it is: nothing more is written
        self._stop_asked = False
        self._wake = asyncio.Event()
        self._inbox: list[Match] = []
        self._handed_in: deque[HandedIn] = deque()
        self._stretch = 1  # blocks that a worker is given
        self._done: dict[int, Block] = {}  # over, but the chain has not come to them
        self._matches: dict[str, tuple[OpenBlock, int]] = {}  # that run in the arena
        self._slots: dict[str, dict[str, str]] = {}  # by match and bot: the slot of a local bot
        self._fitting: asyncio.Task[None] | None = None
        self._fitted = (0, time.monotonic() + FIRST_FIT - REFIT, 0.0)  # blocks, when, and how long it took
        self._local: LocalBots | None = None
        self._closing: asyncio.Task[None] | None = None
        self._clock = time.monotonic()
        self.scheme: Scheme = self._make_scheme()
        self._take_up()

    @property
    def name(self) -> str:
        return self.event.name

    @property
    def concurrency(self) -> int:
        """Games at once."""
        return games_at_once(self._bots_in(), self.standing.concurrency, force=True)

    @property
    def games_running(self) -> int:
        """Games being played."""
        return len(self._matches) + len(self.batches)

    def waits_for(self) -> str:
        """What play waits for, if for anything."""
        if away := self.away or self.arena.away:
            return f"the store takes nothing ({away}); play goes on when it does"
        if self.standing.state != PLAYING or self.games_running:
            return ""
        late = sorted({bot for block in self.waiting.values() if block.since is not None for bot in self._away(block)})
        return f"waits for {', '.join(late)}" if late else ""

    def running_log(self, match_id: str, bot: str) -> str | None:
        """What a local bot has written in a match that runs."""
        if self._local is None or bot not in self._slots.get(match_id, {}):
            return None
        return self._local.log(match_id, bot)

    def _bots_in(self) -> list[Entrant]:
        return [place.entrant for place in self.line_up.values() if place.withdrawn is None]

    # -- Taking up -----------------------------------------------------------------------------------------------

    def _make_scheme(self) -> Scheme:
        players = tuple(rules.players for rules in self.event.tables)
        draw = partial(seeds.draw_for, self.stored.secret)
        return formats()[self.event.format](Setup(players, self.event.settings, draw))

    def _take_up(self) -> None:
        """Tell the scheme all that happened, in the same order, and find out what is under way."""
        moves = deque(self.ledger.moves(self.name))
        told: deque[Block] = deque()  # the scheme is about to hear how they came out
        heard = 0

        def tell(made: int) -> None:
            """All that was so when this many blocks were on the schedule."""
            nonlocal heard
            while True:
                most = moves[0].chained if moves and self.scheme.IN_ORDER else self.standing.blocks_made
                while told and (heard < most or not self.scheme.IN_ORDER):
                    block = told.popleft()
                    self.scheme.ended(block.number, block.games if block.state == FINISHED else None)
                    heard += 1
                if not moves or moves[0].made > made:
                    return
                move = moves.popleft()
                (self.scheme.enter if move.entered else self.scheme.withdraw)(move.bot)

        for bot in self.event.bots:
            self.scheme.enter(bot.name)
        for block in self.ledger.blocks(self.name):
            tell(block.number)
            self.scheme.made(block.number, block.pairing)
            for _ in range(block.attempt):
                self.scheme.voided(block.number)
            if block.state in (FINISHED, DROPPED):
                chained = block.number < self.standing.chain_blocks
                if chained or not self.scheme.IN_ORDER:
                    told.append(block)
                if not chained:
                    self._done[block.number] = block
            else:
                found = self._open_block(block.number, block.pairing, block.attempt)
                if block.state == MADE:
                    self.waiting[block.number] = found
                else:
                    self.open[block.number] = found
        tell(self.standing.blocks_made)
        for block_ in self.open.values():
            self._find_games(block_)

    def _find_games(self, block: OpenBlock) -> None:
        """What became of the games of a block that had begun."""
        for game, (match_id, result) in self.ledger.open_games(self.name, block.number).items():
            seating = block.pairing.seatings[game]
            live = self.arena.live.get(match_id)
            block.begun[game] = True
            if result is not None:
                block.results[game] = result_from_json(result, seating, match_id)
            elif live is not None:
                block.specs[game] = live.match.spec
                block.lag[game] = self.arena.clock.lag
                self._matches[match_id] = (block, game)
            else:
                try:
                    stored = self.ledger.store.get_match(match_id)
                except NotFound:
                    block.begun[game] = False  # it was about to begin
                    continue
                assert stored.state != MATCH_RUNNING
                self._matches[match_id] = (block, game)
                self._inbox.append(self.ledger.store.load_match(match_id))

    def _open_block(self, number: int, pairing: Pairing, attempt: int) -> OpenBlock:
        entrants = {bot: place.entrant for bot, place in self.line_up.items()}
        specs = specs_of(self.event, entrants, self.stored.secret, number, pairing, attempt)
        count = len(specs)
        built_in = all(entrants[bot].is_built_in for bot in pairing.bots)
        return OpenBlock(number, pairing, attempt, specs, [None] * count, [False] * count, [0.0] * count, built_in)

    # -- Running -------------------------------------------------------------------------------------------------

    def wake(self) -> None:
        """Something has happened."""
        self._wake.set()

    def match_ended(self, match: Match) -> None:
        """A match has ended in the arena; it may be one of ours."""
        if match.spec.match_id in self._matches:
            self._inbox.append(match)
            self.wake()

    async def leave(self) -> None:
        """Let go of workers and local bots, wherever play is."""
        self.held = True
        for task in self.batches:
            task.cancel()
        await self._close_local_bots()
        if self._fitting is not None:
            await asyncio.wait([self._fitting])  # a thread reads from the store, which is about to be closed

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """The moment in which something may be changed. Raises `NoStore` rather than wait for the store."""
        while self.lock.locked():
            self._expect_store()
            await asyncio.sleep(TURN)
        async with self.lock:
            yield

    def _expect_store(self) -> None:
        if self.away:
            raise NoStore(f"the store does not answer ({self.away}); try again later")

    async def run(self) -> None:
        """Play until it is over."""
        try:
            await self._play()
        except Exception:
            await self.leave()
            raise

    async def _play(self) -> None:
        async with self.lock:
            await self._see_to_versions()
        await self._take_up_local_bots()
        while self.standing.state not in ENDED and not self.held:
            self._wake.clear()
            async with self.lock:
                await self._step()
            if self.standing.state in ENDED:
                break
            if self._handed_in:
                await asyncio.sleep(0)  # others have their turn
                continue
            with suppress(TimeoutError):
                async with asyncio.timeout(1.0):
                    await self._wake.wait()
        await self._close_local_bots()

    async def _see_to_versions(self) -> None:
        """Built-in bots that are not what they were do not play on: what they were in the middle of is void."""
        problem = self._other_versions() if self.standing.state != CREATED else ""
        if problem and problem != self.standing.problem:
            await self._pause(problem)
        change = Change()
        for block in list(self.open.values()):
            changed = [place.changed for bot in block.bots if (place := self.line_up[bot]).changed]
            if changed:
                await self._void(block, changed[0], change)
        if change:
            await self._commit(change)

    def _other_versions(self) -> str:
        """Which built-in bots are not what they were, and what to do about it; empty if there are none."""
        changed = [place.changed for place in self.line_up.values() if place.withdrawn is None and place.changed]
        if not changed or self.scheme.is_over:
            return ""
        return (
            "bots have changed with the server, and ratings must not mix versions; withdraw them and enter the new "
            f"ones under other names: {'; '.join(changed)}"
        )

    async def _step(self) -> None:
        now = time.monotonic()
        if self.standing.state == PLAYING:
            self.standing.played_seconds += now - self._clock
        self._clock = now
        await self._take_in()
        await self._drop_withdrawn()
        handed_in = self._handed_in.popleft() if self._handed_in else None
        if handed_in:
            self._take_back(*handed_in)
        if self.standing.state == PLAYING and not self._stop_asked:
            await self._begin_more()
        if handed_in:
            await self._count_batch(*handed_in)  # while the workers play on
        if self._stop_asked:
            await self._finish(STOPPED)
            return
        if self.standing.state == PLAYING:
            idle = not self.open and not self.batches
            if self.standing.state == PLAYING and (self.scheme.is_over or (idle and self._is_time_up())):
                await self._finish(OVER)
        self._refit_if_due()
        self.pace.note(self.standing.games_finished, self.standing.decisions)

    def _is_time_up(self) -> bool:
        hours = self.event.limits.hours
        return bool(hours) and self.standing.played_seconds >= hours * 3600

    async def _take_in(self) -> None:
        """Note the matches that have ended in the arena, and count the blocks that are whole."""
        inbox, self._inbox = self._inbox, []
        change = Change()
        for match in inbox:
            where = self._matches.pop(match.spec.match_id, None)
            if where is None:
                continue  # of an attempt that is void
            block, game = where
            assert match.outcome is not None
            pairs = zip(match.spec.players, match.outcome.forfeits, strict=True)
            await self._release(match.spec.match_id, change, [bot for bot, forfeit in pairs if forfeit is not None])
            problem = self._spoilt(match, match.outcome, block.lag[game])
            if problem:
                await self._void(block, problem, change)
                continue
            packed = pack([played.action for played in match.actions])
            found = block.results[game] = played_game(match.spec, packed, match.outcome)
            change.results.append((block.number, game, found))
            if block.is_whole:
                del self.open[block.number]
                self._count(block, change)
        if change:
            await self._commit(change)

    def _spoilt(self, match: Match, outcome: Outcome, lag: float) -> str:
        """Why a match says nothing about the bots; empty if it does."""
        if outcome.reasons == ("aborted",):
            return f"match {match.spec.match_id} was stopped by an organiser"
        late = self.arena.clock.lag - lag
        if late > BUSY and LOST_CLOCK & set(outcome.forfeits):
            return f"a clock ran out in match {match.spec.match_id} while the host was busy for {late:.1f} s"
        return ""

    def _count(self, block: OpenBlock, change: Change) -> None:
        """A block is whole."""
        games = tuple(game for game in block.results if game is not None)
        done = Block(block.number, block.pairing, FINISHED, block.attempt, games)
        change.blocks.append(done)
        self.tally.count(self.event.pool(block.pairing.table), games)
        standing = self.standing
        standing.blocks_finished += 1
        standing.games_finished += len(games)
        standing.decisions += sum(game.actions for game in games)
        self._over(done, change)

    def _over(self, block: Block, change: Change) -> None:
        """A block is finished or dropped: chain, ladder and scheme hear of it when its turn has come."""
        self._done[block.number] = block
        if not self.scheme.IN_ORDER:
            self.scheme.ended(block.number, block.games if block.state == FINISHED else None)
        standing = self.standing
        while (following := self._done.pop(standing.chain_blocks, None)) is not None:
            standing.chain = chain_hash(standing.chain, following)
            change.chained.append((following.number, standing.chain))
            standing.chain_blocks += 1
            if following.state == FINISHED:
                self.tally.climb(_tables(self.event.pool(following.pairing.table), following))
            if self.scheme.IN_ORDER:
                self.scheme.ended(following.number, following.games if following.state == FINISHED else None)
                if self.scheme.is_over:
                    break  # what comes after it does not count

    async def _commit(self, change: Change) -> None:
        await self._write(lambda: self.ledger.write(self.name, change, self.standing, self.tally, utc_now()))
        self._tell()

    async def _write(self, work: Callable[[], Awaitable[object] | None]) -> None:
        """Write to the store. While it does not take anything nothing goes on, and the clocks stand still."""
        while True:
            try:
                if (done := work()) is not None:
                    await done
            except SQLAlchemyError as error:
                self.away = str(error.__cause__ or error).strip().splitlines()[0]
                log.error(
                    "the store does not take what happened; trying again", tournament=self.name, problem=self.away
                )
                self._tell()
                self.arena.clock.hold()
                await asyncio.sleep(RETRY)
                continue
            if self.away:
                log.info("the store is back", tournament=self.name)
                self.away = ""
                self._tell()
            self.arena.clock.go_on()
            return

    def _tell(self) -> None:
        """Wake everybody who watches."""
        self.changed.set()
        self.changed = asyncio.Event()

    # -- Beginning games -----------------------------------------------------------------------------------------

    async def _begin_more(self) -> None:
        """Begin as many games as may be played at once."""
        while self.standing.state == PLAYING and not self.scheme.is_over:
            room = self.concurrency - self.games_running
            if room <= 0:
                return
            await self._make_blocks()
            begun = (not self._is_time_up() and self._begin_batch()) or await self._begin_game()
            if not begun:
                return
            await asyncio.sleep(0)  # games that run go on meanwhile

    async def _make_blocks(self) -> None:
        """Put more on the schedule when little is left of it."""
        wanted = max(2 * self.concurrency, 2 * AT_ONCE)
        ready = sum(block.since is None for block in self.waiting.values())
        if ready >= wanted or len(self.waiting) >= MOST_WAITING or self.scheme.is_over or self._is_time_up():
            return
        pairings = self.scheme.more(wanted)
        if not pairings:
            return
        first = self.standing.blocks_made
        self.standing.blocks_made += len(pairings)
        await self._write(lambda: self.ledger.make(self.name, first, pairings, self.standing))
        for number, pairing in enumerate(pairings, first):
            self.scheme.made(number, pairing)
            self.waiting[number] = self._open_block(number, pairing, 0)

    def _begin_batch(self) -> bool:
        """Hand blocks among built-in bots to a worker, which plays them in one go; not before what others have played
        is counted, or they would run away."""
        if len(self._handed_in) >= self.concurrency:
            return False
        near = islice((block for block in self.waiting.values() if block.since is None), SEARCHED)
        batch = list(islice((block for block in near if block.is_built_in), self._stretch))
        if not batch:
            return False
        for block in batch:
            del self.waiting[block.number]
            self.open[block.number] = block
            block.begun = [True] * len(block.specs)
        jobs = [(block.number, block.specs) for block in batch]
        work = asyncio.get_running_loop().run_in_executor(self._workers, play_blocks, jobs)
        self.batches.add(work)
        work.add_done_callback(partial(self._batch_is_over, batch))
        return True

    def _batch_is_over(self, batch: list[OpenBlock], work: asyncio.Future[Batch]) -> None:
        self.batches.discard(work)
        if work.cancelled():
            return
        if (error := work.exception()) is not None:
            log.error("a batch of games failed", tournament=self.name, exc_info=error)
            return
        self._handed_in.append((batch, work.result()))
        self.wake()

    def _take_back(self, batch: Sequence[OpenBlock], played: Batch) -> None:
        """What a worker did not come to goes back on the schedule."""
        left = [block for block in batch if block.number not in played]
        for block in left:
            del self.open[block.number]
            block.begun = [False] * len(block.specs)
            self.waiting[block.number] = block
        if left:
            self.waiting = dict(sorted(self.waiting.items()))

    async def _count_batch(self, batch: Sequence[OpenBlock], played: Batch) -> None:
        """Note what a worker has played."""
        self._stretch = min(2 * len(played), AT_ONCE)
        change = Change()
        for block in batch:
            if block.number not in played:
                continue
            del self.open[block.number]
            for game, (packed, outcome) in enumerate(played[block.number]):
                spec = block.specs[game]
                found = block.results[game] = played_game(spec, packed, outcome)
                change.results.append((block.number, game, found))
                change.whole.append(Whole(spec, packed, outcome))
            self._count(block, change)
        await self._commit(change)

    async def _begin_game(self) -> bool:
        """Begin the next game whose bots are there."""
        now = time.monotonic()
        fresh = () if self._is_time_up() else self.waiting.values()
        for block in (*self.open.values(), *fresh):
            game = next((game for game, begun in enumerate(block.begun) if not begun), None)
            if game is None or (block.is_built_in and not block.has_begun):  # workers play those
                continue
            if away := self._away(block):
                is_busy = any(map(self._is_busy, away))
                if block.since is None or is_busy:
                    block.since = now
                if is_busy or now - block.since < self.event.limits.absent:
                    continue
            block.since = None
            await self._begin(block, game)
            return True
        return False

    def _away(self, block: OpenBlock) -> list[str]:
        """The connected bots of a block that cannot play one more match."""
        game = self.event.tables[block.pairing.table].game
        return [bot for bot in block.bots if self.line_up[bot].entrant.is_connected and not self._can_play(bot, game)]

    def _can_play(self, bot: str, game: str) -> bool:
        session = self.arena.sessions.get(bot)
        if session is None or session.leaving or self._is_busy(bot):
            return False
        return not session.games or game in session.games

    def _is_busy(self, bot: str) -> bool:
        """Whether a bot is there, but plays as many matches as it takes: that will pass."""
        session = self.arena.sessions.get(bot)
        return session is not None and session.matches >= session.max_matches

    async def _begin(self, block: OpenBlock, game: int) -> None:
        spec = block.specs[game]
        slots = {}
        for bot in dict.fromkeys(spec.players):
            command = self.line_up[bot].entrant.command
            if command:
                try:
                    slots[bot] = await self._local_bots().acquire(bot, command, spec.match_id)
                except ArenaError as error:
                    for slot in slots.values():
                        await self._local_bots().release(slot, spec.match_id, settle=0.0)
                    await self._pause(str(error))
                    return
        if slots:
            self._slots[spec.match_id] = slots
            via = tuple(slots.get(bot, who) for bot, who in zip(spec.players, spec.sessions, strict=True))
            spec = block.specs[game] = replace(spec, via=via)
        if not block.has_begun:
            self.waiting.pop(block.number, None)
            self.open[block.number] = block
        block.begun[game] = True
        block.lag[game] = self.arena.clock.lag
        self._matches[spec.match_id] = (block, game)
        await self._write(lambda: self._begin_in_arena(spec, block.number, game))

    def _begin_in_arena(self, spec: MatchSpec, block: int, game: int) -> None:
        self.ledger.begin(self.name, block, game, spec.match_id)
        if spec.match_id in self.arena.live:
            return
        try:
            self.arena.begin(spec)
        except IntegrityError:  # the commit that seemed to fail was made after all
            self.arena.take_up(spec.match_id)

    # -- Local bots ----------------------------------------------------------------------------------------------

    def _local_bots(self) -> LocalBots:
        if self._local is None:
            limits = self.event.limits
            self._local = self._make_local_bots(restarts=limits.restarts, log_bytes=limits.log_bytes)
        return self._local

    async def _take_up_local_bots(self) -> None:
        """Start the local bots of matches that run."""
        for match_id, (block, game) in list(self._matches.items()):
            spec = block.specs[game]
            for bot, slot in zip(spec.players, spec.sessions, strict=True):
                command = self.line_up[bot].entrant.command
                if command and match_id in self.arena.live:
                    if bot in self._slots.get(match_id, {}):
                        continue  # it has several seats
                    try:
                        await self._local_bots().acquire(bot, command, match_id, slot=slot)
                    except ArenaError as error:
                        await self._pause(str(error))
                        continue
                    self._slots.setdefault(match_id, {})[bot] = slot

    async def _release(self, match_id: str, change: Change, lost: Collection[str] = ()) -> None:
        """The local bots of a match are free; what they wrote is kept. One that lost its seat may hang: it is ended."""
        slots = self._slots.pop(match_id, {})
        if not slots:
            return
        assert self._local is not None
        release = partial(self._local.release, match_id=match_id)
        texts = await asyncio.gather(*(release(slot, dismiss=bot in lost) for bot, slot in slots.items()))
        change.logs += [(match_id, bot, text) for bot, text in zip(slots, texts, strict=True) if text]

    async def _close_local_bots(self) -> None:
        if self._local is not None and self._closing is None:
            self._closing = asyncio.create_task(self._local.close())
        if self._closing is not None:
            await asyncio.shield(self._closing)  # they are closed, even if a server that stops does not wait here

    # -- What organisers do --------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Begin to play."""
        self._expect(CREATED)
        fresh = {bot: replace(place, version=place.entrant.version) for bot, place in self.line_up.items()}
        if fresh != self.line_up:  # the server is another one by now, and nobody has played yet
            self.ledger.put_versions(self.name, fresh.values())
            self.line_up = fresh
        self._expect_same_bots()
        self._change("started", state=PLAYING, started=utc_now())

    async def pause(self) -> None:
        """Begin no further games."""
        self._expect(PLAYING)
        self._change("paused", state=PAUSED, problem="")

    async def _pause(self, problem: str) -> None:
        """Something is wrong that an organiser has to see to."""
        self.standing.state, self.standing.problem = PAUSED, problem
        log.error("a tournament is paused", tournament=self.name, problem=problem)
        await self._update("paused", problem)

    async def resume(self) -> None:
        """Go on."""
        self._expect(PAUSED)
        self._expect_same_bots()
        self._change("resumed", state=PLAYING, problem="")

    async def stop(self) -> None:
        """End it as soon as may be; `ended` waits for that."""
        self._expect(CREATED, PLAYING, PAUSED)
        self.ledger.update(self.name, self.standing, utc_now())  # or it is refused: the store is needed for it
        self._stop_asked = True
        self.wake()

    async def ended(self) -> None:
        """Wait for the end. Raises `NoStore` rather than wait for the store."""
        while self.standing.state not in ENDED and not self.held:
            self._expect_store()
            changed = self.changed
            with suppress(TimeoutError):
                async with asyncio.timeout(1.0):
                    await changed.wait()

    async def set_concurrency(self, wanted: int, *, force: bool) -> None:
        """Change how many games are played at once."""
        self._expect(CREATED, PLAYING, PAUSED)
        games_at_once(self._bots_in(), wanted, force=force)
        self._change("concurrency", str(wanted) if wanted else "as fits the machine", concurrency=wanted)

    async def enter(self, entrant: Entrant) -> None:
        """Let one more bot take part."""
        self._expect(CREATED, PLAYING, PAUSED)
        known = self.line_up.get(entrant.name)
        if known is not None and known.withdrawn is None:
            raise NotNow(entrant.name, "takes part already")
        if known is not None and known.entrant.uses != entrant.uses:
            raise NotNow(entrant.name, f"took part as {known.entrant.uses!r}: another bot needs another name")
        if known is not None and known.changed:
            raise NotNow(entrant.name, f"is another bot by now, and needs another name: {known.changed}")
        made = self.standing.blocks_made
        if made and not self.scheme.OPEN:
            raise NotNow(self.name, f"the format {self.event.format} takes nobody in once it has begun")
        self.ledger.enter(self.name, entrant, made, self.standing.chain_blocks, utc_now())
        self.line_up[entrant.name] = replace(known or Place(entrant, made, version=entrant.version), withdrawn=None)
        self.scheme.enter(entrant.name)
        self._tell()
        self.wake()

    async def withdraw(self, bot: str) -> None:
        """Take a bot out: its blocks that have not begun are dropped with the next step."""
        self._expect(CREATED, PLAYING, PAUSED)
        place = self.line_up.get(bot)
        if place is None or place.withdrawn is not None:
            raise NotNow(bot, "does not take part")
        made = self.standing.blocks_made
        self.ledger.withdraw(self.name, bot, made, self.standing.chain_blocks, utc_now())
        self.line_up[bot] = replace(place, withdrawn=made)
        self.scheme.withdraw(bot)
        self._tell()
        self.wake()

    def _change(self, kind: str, text: str = "", **values: Any) -> None:
        """Change where the tournament is, for an organiser; if the store does not answer nothing is changed."""
        self.ledger.update(self.name, replace(self.standing, **values), utc_now(), kind, text)
        vars(self.standing).update(values)
        self._tell()
        self.wake()

    async def _drop_withdrawn(self) -> None:
        """Drop the blocks that have not begun of bots that are withdrawn."""
        gone = {bot for bot, place in self.line_up.items() if place.withdrawn is not None}
        lost = [block for block in self.waiting.values() if gone & set(block.bots)] if gone else []
        if not lost:
            return
        change = Change()
        for block in lost:
            del self.waiting[block.number]
            self._drop(block, change)
        await self._commit(change)

    def _drop(self, block: OpenBlock, change: Change) -> None:
        dropped = Block(block.number, block.pairing, DROPPED, block.attempt)
        change.blocks.append(dropped)
        self._over(dropped, change)

    async def _void(self, block: OpenBlock, problem: str, change: Change) -> None:
        """The host has spoilt a block: all its games are played anew, from another deal."""
        log.warning("a block is void", tournament=self.name, block=block.number, problem=problem)
        self.standing.blocks_void += 1
        await self._abort_matches(block, change)
        attempt = block.attempt + 1
        await self._write(lambda: self.ledger.void(self.name, block.number, attempt, self.standing, problem, utc_now()))
        self.open.pop(block.number, None)
        fresh = self._open_block(block.number, block.pairing, attempt)
        self.waiting = dict(sorted({**self.waiting, block.number: fresh}.items()))
        self.scheme.voided(block.number)
        if self.standing.blocks_void > self.event.limits.voids and self.standing.state == PLAYING:
            await self._pause(f"{self.standing.blocks_void} blocks were void, the last one since {problem}")
        self._tell()

    async def _abort_matches(self, block: OpenBlock, change: Change) -> None:
        for match_id, (owner, _) in list(self._matches.items()):
            if owner is block:
                del self._matches[match_id]
                await self._release(match_id, change)
                if match_id in self.arena.live and not self.arena.live[match_id].match.is_over:
                    self.arena.abort(match_id)

    async def _finish(self, state: str) -> None:
        """The result stands: what is not whole is dropped, ratings are made from the rest."""
        change = Change()
        for block in [*self.open.values(), *self.waiting.values()]:
            await self._abort_matches(block, change)
        left = {block.number: block for block in (*self.open.values(), *self.waiting.values())}
        self.open.clear()
        self.waiting.clear()
        late = [block for block in self._done.values() if block.state == FINISHED]
        is_settled = self.scheme.is_over
        if late and is_settled:
            # They were played beyond the point where the result was settled.
            self._done = {block.number: replace(block, state=DROPPED, games=()) for block in self._done.values()}
            change.blocks += self._done.values()
            for block_ in late:
                self.standing.blocks_finished -= 1
                self.standing.games_finished -= len(block_.games)
                self.standing.decisions -= sum(game.actions for game in block_.games)
        for number in sorted(left):
            block = left[number]
            dropped = Block(block.number, block.pairing, DROPPED, block.attempt)
            change.blocks.append(dropped)
            self._done[number] = dropped
        while (following := self._done.pop(self.standing.chain_blocks, None)) is not None:
            self.standing.chain = chain_hash(self.standing.chain, following)
            change.chained.append((following.number, self.standing.chain))
            self.standing.chain_blocks += 1
            if following.state == FINISHED:
                self.tally.climb(_tables(self.event.pool(following.pairing.table), following))
            if self.scheme.IN_ORDER and not is_settled:
                self.scheme.ended(following.number, following.games if following.state == FINISHED else None)
        if change:
            await self._commit(change)
        if self._fitting is not None:
            await asyncio.wait([self._fitting])
        self.standing.outcome = self.scheme.outcome()
        if late and is_settled:
            await self._write(self._rebuild)
        else:
            await self._write(self._fit)
        self.standing.state, self.standing.ended = state, utc_now()
        await self._update(state)
        log.info("a tournament is over", tournament=self.name, state=state, games=self.standing.games_finished)

    async def _rebuild(self) -> None:
        await asyncio.to_thread(standings.rebuild, self.ledger, self.name, self.standing)
        self.tally, self.fits = self.ledger.tally(self.name), self.ledger.fits(self.name)

    async def _update(self, kind: str, text: str = "") -> None:
        await self._write(lambda: self.ledger.update(self.name, self.standing, utc_now(), kind, text))
        self._tell()
        self.wake()

    def _expect_same_bots(self) -> None:
        if problem := self._other_versions():
            raise NotNow(self.name, problem)

    def _expect(self, *states: str) -> None:
        if self.standing.state not in states:
            raise NotNow(self.name, f"is {self.standing.state}; this needs it to be {' or '.join(states)}")

    # -- Ratings -------------------------------------------------------------------------------------------------

    def _refit_if_due(self) -> None:
        blocks, when, took = self._fitted
        due = time.monotonic() - when >= max(REFIT, REFIT_SHARE * took)
        if self.standing.blocks_finished == blocks or not due or self._fitting is not None:
            return
        self._fitting = asyncio.create_task(self._refit())
        self._fitting.add_done_callback(self._fit_is_over)

    def _fit_is_over(self, task: asyncio.Task[None]) -> None:
        self._fitting = None
        if not task.cancelled() and task.exception() is not None:
            log.error("ratings failed", tournament=self.name, exc_info=task.exception())

    async def _refit(self) -> None:
        try:
            await self._fit()
        except SQLAlchemyError as error:
            log.warning("ratings wait for the store", tournament=self.name, problem=str(error.__cause__ or error))

    async def _fit(self) -> None:
        """Make the ratings anew from all that is stored, beside the play."""
        blocks, begin = self.standing.blocks_finished, time.monotonic()
        found = await asyncio.to_thread(lambda: standings.fit_pools(self.ledger.chronicle(self.name)))
        self.ledger.put_fits(self.name, found)
        self.fits = found
        self._fitted = (blocks, time.monotonic(), time.monotonic() - begin)
        self._tell()


def _tables(pool: str, block: Block) -> list[Table]:
    return [Table(pool, str(block.number), game.bots, game.ranks, frozenset(game.forfeits)) for game in block.games]
