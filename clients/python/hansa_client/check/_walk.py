"""The steps of the check, one after the other, and what they found."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import signal
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO, Any, TypeVar

from google.protobuf.message import DecodeError

from hansa_client._errors import OptionError
from hansa_client.check._proxy import Proxy
from hansa_client.check._server import GoneError, ScriptedServer, Stream
from hansa_client.pb.hansa.v1 import play_pb2

HOPELESS = 3  # steps that fail in a row before the rest is left out
SHOWN = 15  # lines of what the bot wrote, in the report


T = TypeVar("T")


class WrongError(Exception):
    """The bot did something wrong; the text says what, and what would be right."""


@dataclass
class Judged:
    """A step of the check."""

    name: str
    what: str  # the bot should do
    state: str = "right"  # or "wrong", or "left out"
    problem: str = ""
    notes: list[str] = field(default_factory=list)  # not wrong, but worth knowing
    seconds: float = 0.0


@dataclass
class Report:
    """All steps."""

    steps: list[Judged] = field(default_factory=list)
    output: str = ""  # the last lines that the bot wrote

    @property
    def is_right(self) -> bool:
        """Whether the bot did everything right."""
        return all(step.state == "right" for step in self.steps)

    def to_dict(self) -> dict[str, Any]:
        """For programs."""
        steps = [
            {
                "name": step.name,
                "what": step.what,
                "state": step.state,
                "problem": step.problem,
                "notes": step.notes,
                "seconds": round(step.seconds, 3),
            }
            for step in self.steps
        ]
        return {"right": self.is_right, "steps": steps, "output": self.output}


class Walk:
    """A bot on its way through the steps."""

    def __init__(self, patience: float, view_message: Any) -> None:
        self.patience = patience
        self.view_message = view_message
        self.server = ScriptedServer()
        self.proxy = Proxy()
        self.process: asyncio.subprocess.Process | None = None
        self.stream: Stream | None = None
        self.hello = play_pb2.Hello()
        self.notes: list[str] = []
        self.tables: list[Any] = []  # matches the bot thinks are running
        self.answered: set[tuple[str, int]] = set()  # decisions that were answered, by match and sequence

    # -- The stream ----------------------------------------------------------------------------------------------

    async def come(self, patience: float | None = None) -> Stream:
        """Wait for the bot to open a stream and to say Hello; greets it and gives it its matches again."""
        stream = await self.meet(patience)
        await self.greet()
        return stream

    async def meet(self, patience: float | None = None) -> Stream:
        """Wait for the bot to open a stream and to say Hello."""
        again = bool(self.hello.max_matches)
        seconds = patience or self.patience
        verb = "come back" if again else "connect"
        wait = asyncio.create_task(self.server.next_stream())
        try:
            self.stream = stream = await self._or_exit(wait, seconds)
        except TimeoutError:
            raise WrongError(f"the bot did not {verb} within {seconds:g} seconds") from None
        finally:
            wait.cancel()
        message = await self.receive()
        kind = message.WhichOneof("message")
        if kind != "hello":
            raise WrongError(f"the first message of a stream must be hello, not {kind or 'an empty message'}")
        if again and message.hello.name != self.hello.name:
            raise WrongError(f"the bot came back as {message.hello.name!r}; it was {self.hello.name!r} before")
        self.hello = message.hello
        return stream

    async def greet(self) -> None:
        """Welcome the bot and give it its matches again."""
        welcome = play_pb2.Welcome(
            server_version="check",
            name=self.hello.name or "you",
            max_matches=self.hello.max_matches,
            forgiven_answers=3,
            max_message_bytes=2**20,
            max_messages_per_second=2000,
            open_seats=len(self.tables),
        )
        welcome.min_keepalive.seconds = 10
        await self.send(play_pb2.PlayResponse(welcome=welcome))
        for table in self.tables:
            await self.send(table.started(self.hello))

    async def send(self, *messages: play_pb2.PlayResponse, beyond: bytes = b"") -> None:
        """Send messages to the bot."""
        assert self.stream is not None
        for message in messages:
            try:
                await self.stream.send(message, beyond)
            except GoneError:
                raise WrongError(await self._why_gone()) from None

    async def receive(self, patience: float | None = None) -> play_pb2.PlayRequest:
        """The next message of the bot. Raises `TimeoutError`."""
        assert self.stream is not None
        wait = asyncio.create_task(self.stream.receive())
        try:
            return await self._or_exit(wait, patience or self.patience)
        except GoneError:
            raise WrongError(await self._why_gone()) from None
        except DecodeError:
            raise WrongError("the bot sent bytes that are no PlayRequest") from None
        finally:
            wait.cancel()

    async def _why_gone(self) -> str:
        with contextlib.suppress(TimeoutError):  # a stream often ends a moment before its process
            if self.process is not None:
                await asyncio.wait_for(self.process.wait(), 1.0)
        return self._exited() or "the bot closed its stream"

    def _exited(self) -> str:
        code = None if self.process is None else self.process.returncode
        return "" if code is None else f"the bot's process ended with exit code {code}"

    async def _or_exit(self, wait: asyncio.Task[T], patience: float) -> T:
        """Wait for something, but not longer than the bot's process lives. Raises `TimeoutError`."""
        waits: set[asyncio.Task[Any]] = {wait}
        ending = None
        if self.process is not None:
            ending = asyncio.create_task(self.process.wait())
            waits.add(ending)
        try:
            done, _ = await asyncio.wait(waits, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
            if not done:
                raise TimeoutError
            if wait in done:
                return wait.result()
            # What the bot sent last may still be on its way.
            done, _ = await asyncio.wait((wait,), timeout=0.5)
            if done:
                return wait.result()
            raise WrongError(self._exited())
        finally:
            if ending is not None:
                ending.cancel()

    # -- Matches -------------------------------------------------------------------------------------------------

    async def begin(self, *tables: Any) -> None:
        """Start matches."""
        for table in tables:
            self.tables.append(table)
            await self.send(table.started(self.hello))

    async def end(self, *tables: Any) -> None:
        """End matches."""
        for table in tables:
            self.tables.remove(table)
            await self.send(table.ended())

    async def ask(self, table: Any, beyond: bytes = b"") -> None:
        """Send the open decision of a match."""
        await self.send(table.request(self.hello, self.view_message), beyond=beyond)

    async def answer(self, *tables: Any, patience: float | None = None) -> tuple[Any, int]:
        """Wait for a right answer in one of these matches, which are asked; returns the match and the action."""
        seconds = patience or self.patience
        end = time.monotonic() + seconds
        while True:
            try:
                message = await self.receive(max(0.001, end - time.monotonic()))
            except TimeoutError:
                open_ = ", ".join(f"decision {table.sequence} of {table.match_id}" for table in tables)
                raise WrongError(f"no answer within {seconds:g} seconds to {open_}") from None
            kind = message.WhichOneof("message")
            if kind != "answer":
                what = {"goodbye": "says goodbye", "resign": "resigns", "hello": "says hello again"}
                raise WrongError(f"the bot {what.get(kind or '', 'sends an empty message')} instead of an answer")
            answer = message.answer
            for table in tables:
                if (answer.match_id, answer.sequence) == (table.match_id, table.sequence):
                    self.answered.add((table.match_id, table.sequence))
                    return table, _action_of(answer, table)
            if (answer.match_id, answer.sequence) in self.answered:
                self.notes.append(f"decision {answer.sequence} of {answer.match_id} was answered twice; costs nothing")
                continue
            known = {table.match_id: table.sequence for table in tables}
            if answer.match_id not in known:
                raise WrongError(f"an answer for match {answer.match_id!r}; asked was {', '.join(known)}")
            raise WrongError(
                f"an answer with sequence {answer.sequence}; the open decision is {known[answer.match_id]}: an answer "
                "carries the sequence of its decision request"
            )

    async def play(self, table: Any, decisions: int, patience: float | None = None) -> None:
        """Ask and let the bot answer, so many times or to the end of the game."""
        for _ in range(decisions):
            if table.is_over:
                return
            await self.ask(table)
            _, action = await self.answer(table, patience=patience)
            table.play(action)
            table.go_on()


def _action_of(answer: play_pb2.Answer, table: Any) -> int:
    legal: list[int] = table.state.legal_actions()
    choice = answer.WhichOneof("choice")
    where = f"decision {table.sequence} of {table.match_id} (phase {table.state.phase})"
    if choice is None:
        raise WrongError(f"the answer to {where} holds neither an action nor a text")
    if choice == "text":
        texts: dict[str, int] = {table.state.describe(action): action for action in legal}
        if answer.text not in texts:
            raise WrongError(f"{answer.text!r} is no legal action in {where}; legal is {' | '.join(texts)}"[:500])
        return texts[answer.text]
    if answer.action not in legal:
        raise WrongError(f"{answer.action} is no legal action in {where}; legal are {legal}"[:500])
    return answer.action


@dataclass(frozen=True)
class Step:
    """Something to try."""

    name: str
    what: str
    work: Callable[[Walk], Awaitable[None]]
    needs_stream: bool = True


async def walk_through(steps: Sequence[Step], walk: Walk, tell: Callable[[Judged], None]) -> list[Judged]:
    """Take the steps in order, as long as there is hope."""
    judged: list[Judged] = []
    hopeless = ""
    failed = 0
    for step in steps:
        result = Judged(step.name, step.what)
        judged.append(result)
        if hopeless:
            result.state, result.problem = "left out", hopeless
            tell(result)
            continue
        walk.notes = result.notes
        began = time.monotonic()
        try:
            if step.needs_stream and (walk.stream is None or walk.stream.over):
                walk.tables.clear()
                await walk.come()
            await step.work(walk)
            failed = 0
        except WrongError as error:
            result.state, result.problem = "wrong", str(error)
            failed += 1
            hopeless = (
                walk._exited() or _gone(walk) or (f"{failed} steps went wrong in a row" if failed >= HOPELESS else "")
            )
            walk.tables.clear()
            walk.proxy.delay, walk.proxy.away = 0.0, False
        result.seconds = time.monotonic() - began
        tell(result)
    return judged


def _gone(walk: Walk) -> str:
    return "the bot never connected" if walk.stream is None else ""


def check_command(
    command: str,
    *,
    patience: float = 10.0,
    only: Sequence[str] = (),
    view_message: Any = None,
    tell: Callable[[Judged], None] = lambda _: None,
) -> Report:
    """Start a bot and walk it through all steps, or only some.

    The address to connect to is in the bot's environment as HANSA_SERVER, and stands for `{server}` in the command.
    `view_message` makes the View message of a position, for bots that want positions in this form (the server's own
    function does). `tell` hears of every step when it is done. Raises `OptionError`.
    """
    try:
        from hansa_client.check._steps import all_steps
    except ImportError:
        raise OptionError("the check needs the rules engine for its positions: install hansa_fast") from None

    if not command.strip():
        raise OptionError("the command that starts the bot is empty")
    steps = all_steps()
    names = [step.name for step in steps]
    for name in only:
        if name not in names:
            raise OptionError(f"there is no step {name!r}; there are {', '.join(names)}")
    chosen = [step for step in steps if not only or step.name in only or step.name == "hello"]
    return asyncio.run(_check(command, chosen, patience, view_message, tell))


async def _check(
    command: str, steps: Sequence[Step], patience: float, view_message: Any, tell: Callable[[Judged], None]
) -> Report:
    walk = Walk(patience, view_message)
    with tempfile.TemporaryFile() as output:
        await walk.server.start()
        await walk.proxy.start(walk.server.port)
        try:
            walk.process = await _start(command, f"127.0.0.1:{walk.proxy.port}", output)
            judged = await walk_through(steps, walk, tell)
        finally:
            await _kill(walk.process)
            await walk.proxy.stop()
            await walk.server.stop()
        output.seek(0)
        lines = output.read().decode(errors="replace").splitlines()[-SHOWN:]
    return Report(judged, "\n".join(lines))


async def _start(command: str, address: str, output: IO[bytes]) -> asyncio.subprocess.Process:
    words = [word.replace("{server}", address) for word in split_command(command)]
    # A token of the user is meant for a server of the user's, not for this one; the bot is to play under its own name.
    environment = {name: value for name, value in os.environ.items() if name != "HANSA_TOKEN"}
    try:
        return await asyncio.create_subprocess_exec(
            *words,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env={**environment, "HANSA_SERVER": address},
            start_new_session=os.name == "posix",
        )
    except OSError as error:
        raise OptionError(f"{words[0]} cannot be started: {error.strerror}") from None


def split_command(command: str) -> list[str]:
    """The words of a command as a shell reads them."""
    return shlex.split(command, posix=sys.platform != "win32")


async def _kill(process: asyncio.subprocess.Process | None) -> None:
    """End what we started, with its children."""
    if process is None:
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        elif process.returncode is None:
            process.kill()
    await process.wait()


def lines_of(judged: Judged) -> Iterator[str]:
    """A step for people."""
    mark = {"right": "ok   ", "wrong": "WRONG", "left out": "-    "}[judged.state]
    yield f"{mark} {judged.name}: {judged.what}"
    if judged.problem:
        yield f"        {judged.problem}"
    for note in judged.notes:
        yield f"        note: {note}"
