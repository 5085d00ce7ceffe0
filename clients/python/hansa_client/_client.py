"""A bot on a server: one stream for all matches, opened again whenever it breaks."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any

import grpc

from hansa_client import _wire
from hansa_client._bot import Bot
from hansa_client._errors import RefusedError, ReplacedError
from hansa_client._options import Options
from hansa_client._source import BotSource
from hansa_client._worker import Worker, WorkerDiedError, make_workers
from hansa_client.pb.hansa.v1 import play_pb2, play_pb2_grpc

log = logging.getLogger("hansa_client")

KEEPALIVE = 30.0  # seconds between pings, unless the server wants them further apart
STEADY = 1.0  # seconds after which a stream counts as a success, and delays begin anew
HOPELESS = {  # trying again would not help
    grpc.StatusCode.INVALID_ARGUMENT: "the server does not accept this bot",
    grpc.StatusCode.UNAUTHENTICATED: "the server does not accept the token",
    grpc.StatusCode.PERMISSION_DENIED: "the token is not one of a bot",
    grpc.StatusCode.UNIMPLEMENTED: "this is no Hansa server",
}


@dataclass
class _Decision:
    """The newest decision of a match.

    Streams are numbered, so that nothing is answered twice on one, and what the last one may have lost
    is sent again on the next.
    """

    sequence: int
    asked_on: int
    answer: play_pb2.PlayRequest | None = None
    sent_on: int = 0


class _Lane:
    """Messages that a worker takes one after the other."""

    def __init__(self, worker: Worker, client: Client) -> None:
        self.worker = worker
        self.matches: set[str] = set()
        self.queue: asyncio.Queue[tuple[str, play_pb2.PlayResponse, float]] = asyncio.Queue()
        self.task = client.spawn(client.work_on(self))


class Client:
    """Connects a bot to a server and keeps it there."""

    def __init__(self, source: BotSource, options: Options) -> None:
        self._source = source
        self._options = options
        self._bot = source.make()
        self._workers: list[Worker] = []
        self._lanes: dict[str, _Lane] = {}  # by match
        self._steady_lanes: list[_Lane] = []  # one for each worker that takes messages one by one
        self._decisions: dict[str, _Decision] = {}
        self._outbox: asyncio.Queue[play_pb2.PlayRequest] = asyncio.Queue()
        self._stream = 0  # number of the current one
        self._connected = False
        self._call: Any = None
        self._keepalive = KEEPALIVE
        self._rate = 0  # messages a second that the server takes; 0: not said
        self._leaving = False
        self._stopped = asyncio.Event()
        self._failure: BaseException | None = None
        self._unheard: set[str] = set()  # matches the server has not named since the last reconnection
        self._to_name = 0  # seats it will still name
        self._waiting = 0  # messages the workers have not taken in yet
        self._background: set[asyncio.Task[None]] = set()

    # -- From outside ---------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Play until `leave` or `stop`. Raises `ClientError` if the server does not want this bot."""
        credentials = self._credentials()
        try:
            self._open_workers()
            playing = asyncio.create_task(self._connect_again_and_again(credentials))
            stopping = asyncio.create_task(self._stopped.wait())
            try:
                await asyncio.wait((playing, stopping), return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in (playing, stopping):
                    task.cancel()
                results = await asyncio.gather(playing, stopping, return_exceptions=True)
            if isinstance(results[0], Exception):
                raise results[0]
        finally:
            self._close_workers()
            for task in self._background:
                task.cancel()

    def leave(self) -> None:
        """Take no new matches, finish those that run, then end."""
        if not self._leaving:
            self._leaving = True
            if self._connected:
                self._outbox.put_nowait(play_pb2.PlayRequest(goodbye=play_pb2.Goodbye()))
            elif not self._lanes and self._call is None:
                self._stopped.set()
            # Otherwise a hello is on its way, and may have brought a match: the goodbye follows the welcome.

    def stop(self) -> None:
        """End at once. Matches that run wait for the bot on the server, as long as its clock allows."""
        self._stopped.set()

    @property
    def running_matches(self) -> int:
        """How many matches this bot plays."""
        return len(self._lanes)

    # -- Connecting -----------------------------------------------------------------------------------------------

    async def _connect_again_and_again(self, credentials: grpc.ChannelCredentials | None) -> None:
        attempt = 0
        while True:
            began = time.monotonic()
            try:
                await self._play(credentials)
                problem = "the stream was closed"
            except grpc.aio.AioRpcError as error:
                problem = self._judge(error)
            except WorkerDiedError as error:
                problem = str(error)
                self._close_workers()
                self._open_workers()
            if self._leaving and not self._lanes:
                await self._drain()
                return
            attempt = 0 if time.monotonic() - began > STEADY else attempt + 1
            longest = min(self._options.longest_delay, self._options.first_delay * 2 ** min(attempt, 30))
            delay = longest * random.uniform(0.5, 1.0)  # so that not all bots of a server come back in the same moment
            log.warning("no connection to %s: %s; next attempt in %.1f s", self._options.server, problem, delay)
            await asyncio.sleep(delay)

    def _judge(self, error: grpc.aio.AioRpcError) -> str:
        """What to do about the end of a stream: raises what cannot be helped, otherwise says why."""
        code, details = error.code(), error.details() or ""
        if self._leaving and not self._lanes:
            return details
        if code is grpc.StatusCode.ABORTED:
            raise ReplacedError(f"another process plays as this bot now: {details}") from None
        if code in HOPELESS:
            without_token = code is grpc.StatusCode.UNAUTHENTICATED and not self._options.token
            hint = "; give it with --token-file or HANSA_TOKEN" if without_token else ""
            raise RefusedError(f"{self._options.server}: {HOPELESS[code]}: {details}{hint}") from None
        return f"{code.name}: {details}"

    async def _play(self, credentials: grpc.ChannelCredentials | None) -> None:
        """Open a stream, play on it, return or raise when it ends."""
        if self._failure is not None:  # a worker failed while there was no stream
            failure, self._failure = self._failure, None
            raise failure
        options, bot = self._options, self._bot
        metadata = [("authorization", f"Bearer {options.token}")] if options.token else []
        hello = _wire.hello_to_proto(bot, self._name(), options.max_matches or bot.max_matches)
        channel = self._channel(credentials)
        writer: asyncio.Task[None] | None = None
        try:
            call = play_pb2_grpc.PlayServiceStub(channel).Play(metadata=metadata)
            self._call = call
            self._stream += 1
            self._outbox = asyncio.Queue()
            self._outbox.put_nowait(hello)
            writer = asyncio.create_task(self._write(call, self._outbox))
            while isinstance(message := await call.read(), play_pb2.PlayResponse):
                self._take(message)
            if self._failure is not None:
                raise self._failure
        except asyncio.CancelledError:
            if self._failure is not None:  # a worker failed and cancelled the call
                raise self._failure from None
            raise
        finally:
            self._connected = False
            self._call = None
            self._failure = None
            if writer is not None:
                writer.cancel()
            await channel.close()

    def _name(self) -> str:
        """With a token the token's name counts, so the bot's own is sent only if somebody asked for it."""
        options, bot = self._options, self._bot
        return options.name or ("" if options.token else bot.name or type(bot).__name__)

    def _credentials(self) -> grpc.ChannelCredentials | None:
        options = self._options
        if not options.uses_tls:
            return None
        return grpc.ssl_channel_credentials(
            options.read(options.tls_ca), options.read(options.tls_key), options.read(options.tls_certificate)
        )

    def _channel(self, credentials: grpc.ChannelCredentials | None) -> grpc.aio.Channel:
        """A connection of its own for every attempt, so that no delay of an older one is waited for."""
        options: list[tuple[str, Any]] = [
            ("grpc.use_local_subchannel_pool", 1),
            ("grpc.keepalive_time_ms", int(self._keepalive * 1000)),
            ("grpc.keepalive_timeout_ms", 10_000),
            ("grpc.http2.max_pings_without_data", 0),
            ("grpc.max_receive_message_length", 64 * 2**20),  # the history of a long match, with texts
        ]
        if self._options.is_loopback:
            options.append(("grpc.enable_http_proxy", 0))
        if credentials is None:
            return grpc.aio.insecure_channel(self._options.server, options=options)
        return grpc.aio.secure_channel(self._options.server, credentials, options=options)

    async def _write(self, call: Any, outbox: asyncio.Queue[play_pb2.PlayRequest]) -> None:
        """Send what is in the outbox, no faster than the server takes it."""
        free = time.monotonic()  # when the next message may go
        try:
            while True:
                message = await outbox.get()
                if self._rate:
                    now = time.monotonic()
                    free = max(free, now - 0.5) + 1 / self._rate  # half a second's worth may go at once
                    if free > now:
                        await asyncio.sleep(free - now)
                await call.write(message)
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
            pass  # the stream is over; whoever reads it learns why

    # -- Messages -------------------------------------------------------------------------------------------------

    def _take(self, message: play_pb2.PlayResponse) -> None:
        """A message came. What a newer server may say beyond what is known here is passed over."""
        kind = message.WhichOneof("message")
        if kind == "welcome":
            self._welcome(message.welcome)
        elif kind == "notice":
            log.warning("the server says: %s", message.notice.text)
        elif kind is not None:
            self._take_about_match(getattr(message, kind).match_id, kind, message)

    def _welcome(self, welcome: play_pb2.Welcome) -> None:
        self._connected = True
        self._rate = welcome.max_messages_per_second
        self._keepalive = max(KEEPALIVE, 1.5 * _wire.seconds_from_proto(welcome.min_keepalive))
        log.info("connected to %s as %s", self._options.server, welcome.name)
        self._unheard = set(self._lanes)
        self._to_name = welcome.open_seats
        self._forget_unheard()
        if self._leaving:
            self._outbox.put_nowait(play_pb2.PlayRequest(goodbye=play_pb2.Goodbye()))

    def _take_about_match(self, match_id: str, kind: str, message: play_pb2.PlayResponse) -> None:
        if kind == "match_started":
            self._unheard.discard(match_id)
            self._seat(match_id)
            self._to_name -= 1
            self._forget_unheard()
        elif kind == "decision_request":
            self._seat(match_id)
            if not self._is_new(message.decision_request):
                return
        lane = self._lanes.get(match_id)
        if lane is None:
            log.info("passing over %s about match %s, which this bot does not play", kind, match_id)
            return
        self._waiting += 1
        lane.queue.put_nowait((kind, message, time.monotonic()))
        if kind == "match_ended":
            self._decisions.pop(match_id, None)
            lane.matches.discard(match_id)
            del self._lanes[match_id]

    def _is_new(self, request: play_pb2.DecisionRequest) -> bool:
        """Whether a decision has to be thought about. Otherwise the answer is known, or comes as soon as it is."""
        decision = self._decisions.get(request.match_id)
        if decision is None or request.sequence > decision.sequence:
            self._decisions[request.match_id] = _Decision(request.sequence, self._stream)
            return True
        if request.sequence == decision.sequence:
            decision.asked_on = self._stream
            self._send_answer(decision)
        return False

    def _send_answer(self, decision: _Decision) -> None:
        """Send an answer, if this stream asked for it and has not got it yet."""
        if decision.answer is not None and decision.sent_on != self._stream and decision.asked_on == self._stream:
            decision.sent_on = self._stream
            self._outbox.put_nowait(decision.answer)

    def _forget_unheard(self) -> None:
        """Once the server has named all open matches, those it does not know any more ended while the bot was away."""
        if self._to_name > 0:
            return
        for match_id in sorted(self._unheard):
            ended = play_pb2.PlayResponse(match_ended=play_pb2.MatchEnded(match_id=match_id))
            self._take_about_match(match_id, "match_ended", ended)
        self._unheard.clear()

    # -- Workers --------------------------------------------------------------------------------------------------

    def _open_workers(self) -> None:
        self._workers = make_workers(self._source, self._bot, self._options.processes)
        self._steady_lanes = [_Lane(worker, self) for worker in self._workers if worker.one_by_one]

    def _close_workers(self) -> None:
        for lane in {*self._steady_lanes, *self._lanes.values()}:
            lane.task.cancel()
        self._lanes.clear()
        self._decisions.clear()
        self._waiting = 0
        for worker in self._workers:
            worker.close()

    def _seat(self, match_id: str) -> None:
        """Give a match to the worker with the fewest; it stays there."""
        if match_id not in self._lanes:
            if self._steady_lanes:
                lane = min(self._steady_lanes, key=lambda lane: len(lane.matches))
            else:
                lane = _Lane(self._workers[0], self)
            lane.matches.add(match_id)
            self._lanes[match_id] = lane

    async def work_on(self, lane: _Lane) -> None:
        """Hand messages to a worker and send what it answers, to the end of the match or of its worker."""
        while True:
            kind, message, received = await lane.queue.get()
            reply = None
            try:
                reply = await lane.worker.take(message, received)
            except WorkerDiedError as error:
                self._failure = error
                if self._call is not None:
                    self._call.cancel()
                return
            except Exception:
                log.exception("a message of the server makes no sense: %s", kind)
            self._waiting -= 1
            if reply is not None:
                self._reply(kind, message, reply)
            if kind == "match_ended" and not lane.worker.one_by_one:
                return

    def _reply(self, kind: str, message: play_pb2.PlayResponse, reply: play_pb2.PlayRequest) -> None:
        request = message.decision_request if kind == "decision_request" else message.answer_rejected
        decision = self._decisions.get(request.match_id)
        if decision is None or decision.sequence != request.sequence:
            return  # it took too long: the match is over or has gone on
        decision.answer = reply
        if kind == "answer_rejected":
            decision.sent_on = 0  # the decision is still open on this stream
        self._send_answer(decision)

    async def _drain(self) -> None:
        """Let the workers take in what came: the ends of the last matches."""
        while self._waiting:
            await asyncio.sleep(0.01)

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start something that runs beside the stream."""
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)
        return task


async def play(bot: Bot | str, options: Options | None = None) -> None:
    """Play in a program that has an event loop, until cancelled. A text is the place of a bot, as for `load_bot`."""
    source = BotSource(place=bot) if isinstance(bot, str) else BotSource(ready=bot)
    await Client(source, options or Options()).run()
