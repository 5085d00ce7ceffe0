"""What a bot is walked through."""

from __future__ import annotations

import asyncio
import re
import signal
import time
from collections.abc import Awaitable, Callable
from functools import partial

import grpc

from hansa_client.check._table import Table, find_positions, new_table, phases
from hansa_client.check._walk import Step, Walk, WrongError
from hansa_client.pb.hansa.v1 import game_pb2, play_pb2

GAMES = ("teutonica", "hansa")
START = 30.0  # seconds a bot may need to start, if the patience is shorter: some languages take their time
AWAY = 1.0  # seconds a server is away
NETWORK = 0.1  # seconds a piece travels in a slow network
QUIET = 0.3  # seconds in which a bot that was not asked says nothing
STRANGER = "no-such-match"

# A field of number 1000 with a text in it, and one of number 1001 with a number: no version of the contract has them.
BEYOND = b"\xc2\x3e\x05hello" + b"\xc8\x3e\x2a"


def all_steps() -> list[Step]:
    """All steps, in order."""
    steps = [Step("hello", "connects and introduces itself", _hello, needs_stream=False)]
    for game in GAMES:
        positions = _Positions(game)
        for phase in phases(game):
            steps.append(
                Step(f"{game} {phase}", f"answers in the phase {phase}", partial(_phase, game, phase, positions))
            )
    steps += [
        Step("many", "plays several matches at once", _many),
        Step("repeated", "is not confused by messages that come twice or late", _repeated),
        Step("stranger", "passes over what is said about a match it does not play", _stranger),
        Step("rejected", "answers again, and otherwise, after an answer was rejected", _rejected),
        Step("unknown", "passes over fields, kinds of messages and values it does not know", _unknown),
        Step("anonymous", "plays against opponents without names, and on when one of them forfeits", _anonymous),
        Step("slow", "plays over a slow network", _slow),
        Step("cut", "comes back when its stream is cut, and goes on with its match", _cut),
        Step("away", "comes back when the network was away, and goes on with its match", _away),
        Step("shutdown", "comes back after a server that stopped, and goes on with its match", _shutdown),
    ]
    for game in GAMES:
        steps.append(Step(f"{game} end", "plays a game to its end and stays for the next one", partial(_end, game)))
    steps.append(Step("stop", "says goodbye when it is asked to stop (SIGTERM), and ends", _stop))
    return steps


class _Positions:
    """Positions of a game, looked for when the first one is needed."""

    def __init__(self, game: str) -> None:
        self._game = game
        self._found: dict[str, Callable[[], Table]] = {}

    def table(self, phase: str) -> Table:
        if not self._found:
            self._found = find_positions(self._game)
        return self._found[phase]()


def _plays(walk: Walk, game: str) -> bool:
    if walk.hello.games and game not in walk.hello.games:
        walk.notes.append(f"not tried: the bot does not play {game}")
        return False
    return True


def _game_of(walk: Walk) -> str:
    """A game this bot plays."""
    return next(iter(walk.hello.games), GAMES[0])


async def _hello(walk: Walk) -> None:
    try:
        await walk.meet(max(START, walk.patience))
    except TimeoutError:
        raise WrongError(f"the bot connected, but said nothing within {walk.patience:g} seconds") from None
    hello = walk.hello
    if not re.fullmatch(r"[A-Za-z0-9._-]{0,64}", hello.name):
        raise WrongError(f"hello.name must be at most 64 letters, digits or any of '._-', not {hello.name!r}")
    if not hello.name:
        walk.notes.append("the bot sends no name: it can play with a token only")
    if hello.max_matches < 1:
        raise WrongError(f"hello.max_matches must be at least 1, not {hello.max_matches}")
    for game in hello.games:
        if game not in GAMES:
            raise WrongError(f"hello.games: {game!r} is none of {', '.join(GAMES)}")
    if hello.view_format not in play_pb2.ViewFormat.values():
        raise WrongError(f"hello.view_format: {hello.view_format} is not known")
    if hello.view_format == play_pb2.VIEW_FORMAT_MESSAGE and walk.view_message is None:
        walk.notes.append("positions as messages come from the server's code: install hansa_server to get them here")
    await walk.greet()
    await _quiet(walk)


async def _quiet(walk: Walk) -> None:
    """A bot that was not asked says nothing."""
    end = time.monotonic() + QUIET
    while (left := end - time.monotonic()) > 0:
        try:
            message = await walk.receive(left)
        except TimeoutError:
            return
        answer = message.answer
        if (answer.match_id, answer.sequence) not in walk.answered:
            raise WrongError(
                f"the bot sends {message.WhichOneof('message') or 'an empty message'}, but nobody asked it"
            )


async def _phase(game: str, phase: str, positions: _Positions, walk: Walk) -> None:
    if _plays(walk, game):
        table = positions.table(phase)
        await walk.begin(table)
        await walk.play(table, 1)
        await walk.end(table)


async def _many(walk: Walk) -> None:
    count = min(walk.hello.max_matches, 4)
    if count == 1:
        walk.notes.append("the bot plays one match at a time")
    games = [game for game in GAMES if not walk.hello.games or game in walk.hello.games]
    tables = [new_table(games[number % len(games)], seed=number) for number in range(count)]
    await walk.begin(*tables)
    for _ in range(5):
        waiting = [table for table in tables if not table.is_over]
        for table in waiting:
            await walk.ask(table)
        while waiting:
            table, action = await walk.answer(*waiting)
            waiting.remove(table)
            table.play(action)
            table.go_on()
    await walk.end(*tables)


async def _repeated(walk: Walk) -> None:
    table = new_table(_game_of(walk))
    await walk.begin(table)
    first = table.request(walk.hello, walk.view_message)
    await walk.send(first, first)  # twice
    _, action = await walk.answer(table)
    before = table.sequence
    table.play(action)
    table.go_on()
    await walk.send(table.events(walk.hello, before), table.events(walk.hello, before))
    await walk.play(table, 2)
    await walk.send(first)  # long answered
    await walk.play(table, 2)
    await walk.end(table)
    await walk.send(table.ended())
    await _quiet(walk)


async def _stranger(walk: Walk) -> None:
    table = new_table(_game_of(walk))
    await walk.begin(table)
    await walk.play(table, 1)
    played = [game_pb2.PlayedAction(sequence=0, seat=0, action=0)]
    rejected = play_pb2.AnswerRejected(
        match_id=STRANGER, problem=play_pb2.ANSWER_PROBLEM_UNKNOWN_MATCH, explanation="no such match"
    )
    await walk.send(
        play_pb2.PlayResponse(match_ended=play_pb2.MatchEnded(match_id=STRANGER, result=game_pb2.Result())),
        play_pb2.PlayResponse(match_events=play_pb2.MatchEvents(match_id=STRANGER, actions=played)),
        play_pb2.PlayResponse(answer_rejected=rejected),
    )
    await walk.play(table, 2)
    await walk.end(table)


async def _rejected(walk: Walk) -> None:
    table = new_table(_game_of(walk))
    await walk.begin(table)
    await walk.ask(table)
    _, first = await walk.answer(table)
    rejected = play_pb2.AnswerRejected(
        match_id=table.match_id,
        sequence=table.sequence,
        problem=play_pb2.ANSWER_PROBLEM_ILLEGAL_ACTION,
        explanation=f"{first} is not legal (this is what the check says, to see what the bot does)",
        forgiven_left=2,
    )
    await walk.send(play_pb2.PlayResponse(answer_rejected=rejected))
    walk.answered.discard((table.match_id, table.sequence))
    _, second = await walk.answer(table)
    if second == first:
        raise WrongError(f"the bot sends {first} again, which was rejected as not legal; it has to choose otherwise")
    table.play(second)
    table.go_on()
    await walk.play(table, 2)
    await walk.end(table)


async def _unknown(walk: Walk) -> None:
    table = new_table(_game_of(walk))
    await walk.begin(table)
    await walk.play(table, 1)
    await walk.send(play_pb2.PlayResponse(), beyond=BEYOND)  # a kind of message that this version does not have
    await walk.send(play_pb2.PlayResponse(notice=play_pb2.Notice(kind=99, text="from the future")))  # type: ignore[arg-type]
    await walk.ask(table, beyond=BEYOND)
    _, action = await walk.answer(table)
    table.play(action)
    table.go_on()
    inner = table.request(walk.hello, walk.view_message)
    inner.decision_request.MergeFromString(BEYOND)  # kept and sent on, as fields nobody knows
    await walk.send(inner)
    _, action = await walk.answer(table)
    table.play(action)
    table.go_on()
    await walk.play(table, 1)
    await walk.end(table)


async def _anonymous(walk: Walk) -> None:
    table = new_table(_game_of(walk), anonymous=True)
    await walk.begin(table)
    await walk.play(table, 2)
    other = (table.seat + 1) % table.rules.players
    forfeit = play_pb2.SeatForfeited(seat=other, reason=game_pb2.FORFEIT_REASON_TIMEOUT, replacement="random")
    events = play_pb2.MatchEvents(match_id=table.match_id, forfeits=[forfeit])
    await walk.send(play_pb2.PlayResponse(match_events=events))
    await walk.play(table, 2)
    await walk.end(table)


async def _slow(walk: Walk) -> None:
    table = new_table(_game_of(walk))
    walk.proxy.delay = NETWORK
    await walk.begin(table)
    await walk.play(table, 2, patience=walk.patience + 10)
    await walk.end(table)
    await _quiet(walk)
    walk.proxy.delay = 0.0


async def _interrupted(walk: Walk, interrupt: Callable[[], Awaitable[None]]) -> None:
    """A match in which the stream is lost while a decision is open, once before and once after the bot answered."""
    table = new_table(_game_of(walk))
    await walk.begin(table)
    await walk.play(table, 2)
    await walk.ask(table)
    await walk.answer(table)  # the answer is lost with the stream, as far as the server is concerned
    walk.answered.discard((table.match_id, table.sequence))
    await interrupt()
    await walk.come(walk.patience + AWAY)
    await walk.play(table, 3)
    await walk.end(table)


async def _cut(walk: Walk) -> None:
    async def cut() -> None:
        assert walk.stream is not None
        walk.stream.close(grpc.StatusCode.UNAVAILABLE, "cut by the check")

    await _interrupted(walk, cut)


async def _away(walk: Walk) -> None:
    async def away() -> None:
        walk.proxy.away = True
        walk.proxy.cut()
        await asyncio.sleep(AWAY)
        walk.proxy.away = False

    await _interrupted(walk, away)


async def _shutdown(walk: Walk) -> None:
    async def stop() -> None:
        assert walk.stream is not None
        text = "the server is stopping; running matches go on when it is back"
        notice = play_pb2.Notice(kind=play_pb2.NOTICE_KIND_SHUTTING_DOWN, text=text)
        await walk.send(play_pb2.PlayResponse(notice=notice))
        walk.proxy.away = True
        walk.stream.close(grpc.StatusCode.UNAVAILABLE, text)
        await asyncio.sleep(AWAY / 2)
        walk.proxy.cut()
        await asyncio.sleep(AWAY / 2)
        walk.proxy.away = False

    await _interrupted(walk, stop)


async def _end(game: str, walk: Walk) -> None:
    if not _plays(walk, game):
        return
    table = new_table(game, turn_limit=15, seed=2)
    await walk.begin(table)
    await walk.play(table, 10_000)
    await walk.send(table.events(walk.hello, table.told))
    await walk.end(table)
    await _quiet(walk)
    following = new_table(game, seed=3)
    await walk.begin(following)
    await walk.play(following, 1)
    await walk.end(following)


async def _stop(walk: Walk) -> None:
    process, stream = walk.process, walk.stream
    assert process is not None and stream is not None
    process.send_signal(signal.SIGTERM)
    try:
        message = await walk.receive()
        if message.WhichOneof("message") != "goodbye":
            raise WrongError(f"asked to stop, the bot sends {message.WhichOneof('message')} and not goodbye")
    except WrongError as error:
        if "goodbye" in str(error):
            raise
        walk.notes.append("the bot ends without a goodbye; with one the server gives it no new match meanwhile")
    except TimeoutError:
        raise WrongError(f"asked to stop, the bot neither said goodbye nor ended within {walk.patience:g} s") from None
    stream.close(grpc.StatusCode.OK)
    try:
        await asyncio.wait_for(process.wait(), walk.patience)
    except TimeoutError:
        raise WrongError(f"the bot still runs {walk.patience:g} seconds after its goodbye") from None
    if process.returncode:
        walk.notes.append(f"the bot ends with exit code {process.returncode}")
