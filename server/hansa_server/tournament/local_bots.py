"""Local bots: commands that the server starts, supervises and cleans up.

A bot plays in slots, `NAME.1`, `NAME.2` and so on, each a process with a token of its own that plays one match at a
time under the name of the slot. So what it writes belongs to exactly one match. A process that dies in a match is
started again, a few times; what it said and how it ended is kept. Each runs under a keeper (see `keeper`), so that
nothing is left of it, not even when the server is killed.

Commands run as the user of the server and are not shut in: run only what you trust with that.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import structlog

from hansa_server.auth import check_name
from hansa_server.errors import BadField, CannotStart, NotNow
from hansa_server.tournament import keeper

log = structlog.get_logger()

# What a command gets to see of the environment of the server. All else may be secret: HANSA_STORE and PGPASSWORD, keys
# of the organiser. On top come HANSA_SERVER, HANSA_TOKEN and, with TLS, HANSA_TLS_CA.
PASSED_ON = frozenset(
    {
        *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TZ", "LANG", "LANGUAGE"),
        *("VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH", "PYTHONHOME", "PYTHONUTF8", "PYTHONWARNINGS"),
        *("LD_LIBRARY_PATH", "JAVA_HOME", "NODE_PATH", "DOTNET_ROOT", "GOPATH", "CARGO_HOME", "RUSTUP_HOME"),
        *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "CUDA_VISIBLE_DEVICES"),
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"),
        "HANSA_BOARDS",
    }
)
PASSED_ON_PREFIX = "LC_"

GOODBYE = 2.0  # seconds between the request to end and the end by force
PATIENCE = 10.0  # seconds for a keeper to clean up
SETTLE = 0.05  # seconds in which words about a match that is over may still come
FIRST_DELAY = 0.5  # seconds before the second new start in a match, doubled with each further one; the first is at once
LONGEST_DELAY = 10.0
CHUNK = 65_536  # bytes
FLOOD_PAUSE = 0.01  # seconds between chunks: a bot that writes without end has to wait, not the server
KEPT_MATCHES = 256  # whose logs and failures are in memory
REDACTED = b"[token]"


@dataclass(frozen=True)
class Failure:
    """A process of a local bot that ended while its match ran, or could not be started for it."""

    entrant: str
    slot: str
    match_id: str
    reason: str  # such as "exit code 1", "signal 11 (SIGSEGV)" or "could not be started: ..."
    again: bool  # whether it was started again

    def __str__(self) -> str:
        return f"{self.slot}: {self.reason}, {'started again' if self.again else 'stays down for this match'}"


def split_command(command: str) -> list[str]:
    """The words of a command line, as a shell splits it. No shell runs it. Raises `BadField`."""
    if "\0" in command:
        raise BadField("command", "has a NUL character in it")
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise BadField("command", f"{command!r} cannot be split into words: {error}") from None
    if not words or not words[0]:
        raise BadField("command", "is empty")
    return words


def check_command(command: str, directory: str | Path = ".") -> None:
    """Raises `BadField` if the command cannot be run here: so a mistake is found before anything is played."""
    program = split_command(command)[0]
    path = str(Path(directory) / program) if os.sep in program else program
    if shutil.which(path, path=bot_environment()["PATH"]) is None:
        found = os.path.exists(path) and os.sep in program
        problem = "may not be executed" if found else "is not there" if os.sep in program else "is not in the PATH"
        raise BadField("command", f"{program} {problem}")


def bot_environment(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """What a command gets to see of an environment. Programs of the virtual environment of the server are found."""
    passed = {
        name: value for name, value in environment.items() if name in PASSED_ON or name.startswith(PASSED_ON_PREFIX)
    }
    passed.setdefault("PATH", os.defpath)
    passed.setdefault("PYTHONUNBUFFERED", "1")  # so that what is printed comes in the match it is about
    if sys.prefix != sys.base_prefix:
        passed["VIRTUAL_ENV"] = sys.prefix
        programs = str(Path(sys.executable).parent)
        if programs not in passed["PATH"].split(os.pathsep):
            passed["PATH"] = os.pathsep.join([programs, passed["PATH"]])
    return passed


class LocalBots:
    """All local bots of a server. To be used on one event loop, in a thread that lives as long as the bots."""

    def __init__(
        self,
        server_address: str,
        make_token: Callable[[str], tuple[str, str]],
        revoke_token: Callable[[str], None],
        *,
        restarts: int,
        log_bytes: int,
        tls_ca: str | Path | None = None,
    ) -> None:
        """`make_token` gives the id and the token of a bot of a name, `revoke_token` takes the id."""
        if sys.platform != "linux":
            raise NotNow("local bots", "can be started on Linux only; elsewhere connect them by themselves")
        self._environment = {**bot_environment(), "HANSA_SERVER": server_address}
        if tls_ca is not None:
            self._environment["HANSA_TLS_CA"] = str(Path(tls_ca).resolve())
        self._make_token = make_token
        self._revoke_token = revoke_token
        self._restarts = restarts
        self._log_bytes = log_bytes
        self._slots: dict[str, _Slot] = {}
        self._stories: dict[str, _Story] = {}  # by match, newest last
        self._leaving: set[asyncio.Task[None]] = set()
        self._closed = False

    # -- For whoever runs matches ---------------------------------------------------------------------------------

    async def acquire(
        self, entrant: str, command: str, match_id: str, *, directory: str | Path = ".", slot: str = ""
    ) -> str:
        """A slot in which this bot plays this match; returns its name, under which the bot connects.

        It is the one that has been free for longest, or a new one; or the one that is named, for a match that goes on
        after a restart of the server. Raises `CannotStart` if the command cannot be run, `BadField` if it is no command
        at all, and `NotNow` if the slot that is named plays another match.
        """
        if self._closed:
            raise NotNow("local bots", "are closed")
        words = split_command(command)
        folder = str(Path(directory).resolve())
        story = self._story(match_id)
        free = [
            one
            for one in self._slots.values()
            if one.is_free and one.runs == (entrant, words, folder) and slot in ("", one.name)
        ]
        if free:
            found = min(free, key=lambda one: one.freed)
            found.begin(match_id, story.open_log(entrant, self._log_bytes))
            return found.name
        found = self._open_slot(entrant, words, folder, slot)
        found.begin(match_id, story.open_log(entrant, self._log_bytes))
        found.minder = asyncio.create_task(self._mind(found))
        try:
            await found.tried.wait()
        except BaseException:
            self._dismiss(found)
            raise
        if found.cannot_start:
            self._drop(found)
            raise CannotStart(entrant, f"{words[0]} {found.cannot_start}")
        if found.closing:
            raise NotNow("local bots", "are closed")
        return found.name

    async def release(self, slot: str, match_id: str, *, dismiss: bool = False, settle: float = SETTLE) -> str:
        """Give a slot back; returns what its process wrote during the match, with a moment for its last words.

        The slot is free at once, before these last words are waited for. `dismiss` ends its process: after a forfeit it
        may hang, and would forfeit the next match too.
        """
        found = self._slots.get(slot)
        if found is None or found.match_id != match_id or found.log is None:
            raise NotNow(slot, f"does not play the match {match_id}")
        log_ = found.log
        found.end(asyncio.get_running_loop().time())
        found.closing = dismiss or found.run is None  # one that is down does not play again
        if settle:
            await asyncio.sleep(settle)
        found.drain(log_)
        if found.closing:
            self._dismiss(found)
        return log_.text()

    def log(self, match_id: str, entrant: str) -> str:
        """What the processes of a bot wrote during one of the last matches."""
        story = self._stories.get(match_id)
        return "" if story is None else "".join(log_.text() for log_ in story.logs.get(entrant, ()))

    def failures(self, match_id: str) -> list[Failure]:
        """What went wrong in one of the last matches, in order."""
        story = self._stories.get(match_id)
        return [] if story is None else list(story.failures)

    def down(self, slot: str) -> str:
        """Why the bot of a slot is not started again in its match; empty if it runs or will."""
        found = self._slots.get(slot)
        return "there is no such slot" if found is None else found.down

    async def retire(self, entrant: str) -> None:
        """End all processes of a bot that do not play."""
        await asyncio.gather(
            *(self._end(slot) for slot in list(self._slots.values()) if slot.is_free and slot.entrant == entrant)
        )

    async def close(self) -> None:
        """End all processes: they may say goodbye, then they are killed. Their tokens are worth nothing any more."""
        self._closed = True
        await asyncio.gather(*(self._end(slot) for slot in list(self._slots.values())), *self._leaving)

    # -- Slots ----------------------------------------------------------------------------------------------------

    def _story(self, match_id: str) -> _Story:
        """What is known of a match. Of the oldest nothing is kept in memory."""
        story = self._stories.pop(match_id, None) or _Story()
        self._stories[match_id] = story
        while len(self._stories) > KEPT_MATCHES:
            del self._stories[next(iter(self._stories))]
        return story

    def _open_slot(self, entrant: str, words: list[str], folder: str, name: str) -> _Slot:
        number = 1
        while f"{entrant}.{number}" in self._slots:
            number += 1
        name = check_name(name or f"{entrant}.{number}", "bots")
        if name in self._slots:
            raise NotNow(name, "plays another match")
        token_id, token = self._make_token(name)
        slot = _Slot(entrant, words, folder, name, token_id, token)
        self._slots[name] = slot
        return slot

    def _drop(self, slot: _Slot) -> None:
        """Nothing of a slot runs any more: its name may be used again, its token not."""
        if self._slots.get(slot.name) is not slot:
            return
        del self._slots[slot.name]
        try:
            self._revoke_token(slot.token_id)
        except Exception:  # such as a store that is away: everything else must still be cleaned up
            log.exception("the token of a local bot cannot be revoked", bot=slot.name, token=slot.token_id)

    def _dismiss(self, slot: _Slot) -> None:
        """End a slot in the background."""
        slot.closing = True
        task = asyncio.create_task(self._end(slot))
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)

    async def _end(self, slot: _Slot) -> None:
        slot.closing = True
        if slot.run is not None:
            await slot.run.end()
        if slot.minder is not None:
            slot.minder.cancel()
            await asyncio.gather(slot.minder, return_exceptions=True)
        self._drop(slot)

    async def _mind(self, slot: _Slot) -> None:
        """Run the command of a slot, again and again as long as its match needs it."""
        while True:
            environment = {**self._environment, "HANSA_TOKEN": slot.token}
            run = slot.run = _Run(slot.words, environment, slot.folder, slot.take)
            await run.up.wait()
            if not run.cannot_start:
                slot.tried.set()
            await run.over.wait()
            slot.run = None
            if not slot.tried.is_set():
                slot.cannot_start = run.cannot_start
                slot.tried.set()
                return
            if slot.closing:
                return
            log.info("local bot ended", bot=slot.name, match=slot.match_id, reason=run.reason)
            if slot.log is None or not slot.match_id:
                self._drop(slot)
                return
            again = slot.restarts < self._restarts
            self._story(slot.match_id).failures.append(
                Failure(slot.entrant, slot.name, slot.match_id, run.reason, again)
            )
            if not again:
                slot.down = f"{run.reason}, after {self._restarts} new starts"
                slot.log.note(f"{run.reason}, stays down for this match ({self._restarts} of {self._restarts} used)")
                return
            slot.restarts += 1
            slot.log.note(f"{run.reason}, started again ({slot.restarts} of {self._restarts})")
            if slot.restarts > 1:
                await asyncio.sleep(min(LONGEST_DELAY, FIRST_DELAY * 2 ** (slot.restarts - 2)))
            if slot.closing:
                return


@dataclass(eq=False)
class _Slot:
    """A place for a process of a bot."""

    entrant: str
    words: list[str]
    folder: str
    name: str
    token_id: str
    token: str = field(repr=False)
    # The process:
    run: _Run | None = None
    minder: asyncio.Task[None] | None = None
    tried: asyncio.Event = field(default_factory=asyncio.Event)  # whether the first start went well is known
    cannot_start: str = ""
    closing: bool = False
    # The match:
    match_id: str = ""
    log: _Log | None = None  # goes on after the match, until the next one begins
    restarts: int = 0
    down: str = ""
    freed: float = 0.0

    def __post_init__(self) -> None:
        self._redactor = _Redactor(self.token.encode())

    @property
    def runs(self) -> tuple[str, list[str], str]:
        """What slots have in common that can stand in for each other."""
        return self.entrant, self.words, self.folder

    @property
    def is_free(self) -> bool:
        """Whether it may be given to a match."""
        runs = self.run is not None and not self.run.over.is_set()
        return runs and not self.match_id and not self.closing

    def begin(self, match_id: str, log_: _Log) -> None:
        """A match begins; what was written so far belongs to the one before."""
        self.drain(self.log)
        self.match_id, self.log, self.restarts, self.down = match_id, log_, 0, ""

    def end(self, now: float) -> None:
        """The match is over."""
        self.match_id, self.freed = "", now

    def drain(self, log_: _Log | None) -> None:
        """Take in what was written up to now, if this log is still the one it belongs to."""
        if log_ is None or self.log is not log_:
            return
        if self.run is not None:
            self.run.drain()
        log_.add(self._redactor.flush())

    def take(self, data: bytes) -> None:
        """Something was written."""
        if self.log is not None:
            self.log.add(self._redactor.pass_on(data) if data else self._redactor.flush())


class _Story:
    """What is kept of a match."""

    def __init__(self) -> None:
        self.logs: dict[str, list[_Log]] = {}  # by bot; one that has several seats may play in several slots
        self.failures: deque[Failure] = deque(maxlen=100)

    def open_log(self, entrant: str, most: int) -> _Log:
        """A new log of this bot."""
        log_ = _Log(most)
        self.logs.setdefault(entrant, []).append(log_)
        return log_


class _Log:
    """The last bytes that were written, and notes of ours between them."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._bytes = bytearray()
        self._left_out = 0

    def add(self, data: bytes) -> None:
        self._bytes += data
        surplus = len(self._bytes) - self._most
        if surplus > 0:
            del self._bytes[:surplus]
            self._left_out += surplus

    def note(self, text: str) -> None:
        """A line of ours."""
        self.add((b"\n" if self._bytes and not self._bytes.endswith(b"\n") else b"") + f"[hansa] {text}\n".encode())

    def text(self) -> str:
        """All of it as text that every database takes."""
        text = self._bytes.decode(errors="replace").replace("\0", "\N{REPLACEMENT CHARACTER}")
        return f"[hansa] {self._left_out} bytes before this are left out\n{text}" if self._left_out else text


class _Redactor:
    """Takes a secret out of a stream of bytes, wherever the stream is cut."""

    SHORTEST = 12  # bytes of the beginning of the secret that give too much away

    def __init__(self, secret: bytes) -> None:
        self._secret = secret
        self._held = b""  # may be the beginning of the secret

    def pass_on(self, data: bytes) -> bytes:
        """What may be shown so far."""
        data = (self._held + data).replace(self._secret, REDACTED)
        for length in range(min(len(self._secret) - 1, len(data)), 0, -1):
            if data.endswith(self._secret[:length]):
                self._held = data[-length:]
                return data[:-length]
        self._held = b""
        return data

    def flush(self) -> bytes:
        """What was held back, when nothing more comes."""
        held, self._held = self._held, b""
        return held if len(held) < self.SHORTEST else REDACTED


class _Run:
    """A command that runs, with its keeper. `take` gets what it writes, and nothing (b"") when that is over."""

    def __init__(
        self, words: list[str], environment: Mapping[str, str], folder: str, take: Callable[[bytes], None]
    ) -> None:
        self.up = asyncio.Event()  # it was started, or cannot be
        self.over = asyncio.Event()  # nothing of it is left
        self.reason = "its keeper was killed"  # why it ended
        self.cannot_start = ""
        self._take = take
        self._pid = 0
        self._reports = b""
        self._loop = asyncio.get_running_loop()
        self._keeper: subprocess.Popen[bytes] | None = None
        try:
            # With -I nothing in the folder or on the path gets into the keeper. This takes a millisecond or two.
            self._keeper = subprocess.Popen(
                [sys.executable, "-I", "-S", keeper.__file__, str(os.getpid()), *words],
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=dict(environment),
                cwd=folder,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            self._fail(str(error) if os.path.isdir(folder) else f"the directory {folder} is not there")
            self.over.set()
            return
        assert self._keeper.stdout is not None and self._keeper.stderr is not None
        self._report_fd, self._log_fd = self._keeper.stdout.fileno(), self._keeper.stderr.fileno()
        for descriptor, ready in ((self._report_fd, self._hear), (self._log_fd, self._listen)):
            os.set_blocking(descriptor, False)
            self._loop.add_reader(descriptor, ready)
        self._is_listening = True

    def _fail(self, problem: str) -> None:
        self.cannot_start = f"cannot be started: {problem}"
        self.reason = f"could not be started: {problem}"
        self.up.set()

    # -- What the command writes ----------------------------------------------------------------------------------

    def _listen(self) -> None:
        data = _read(self._log_fd)
        if data is None:
            return
        self._take(data)
        if len(data) in (0, CHUNK):
            self._loop.remove_reader(self._log_fd)
        if not data:
            self._is_listening = False
        elif len(data) == CHUNK:
            self._loop.call_later(FLOOD_PAUSE, self._listen_again)

    def _listen_again(self) -> None:
        if self._is_listening:
            self._loop.add_reader(self._log_fd, self._listen)

    def drain(self) -> None:
        """Take in what is there already; of a flood no more than the pipe holds, or it would never end."""
        for _ in range(2):
            if not self._is_listening or not (data := _read(self._log_fd)):
                return
            self._take(data)

    # -- What the keeper says -------------------------------------------------------------------------------------

    def _hear(self) -> None:
        data = _read(self._report_fd)
        if data is None:
            return
        if not data:
            self._loop.remove_reader(self._report_fd)
            self._bury()
            return
        self._reports += data
        *lines, self._reports = self._reports.split(b"\n")
        for line in lines:
            word, number = line.decode().split()
            if word == "started":
                self._pid = int(number)
                self.up.set()
            elif word == "failed":
                self._fail(_explain(int(number)))
            else:
                self.reason = _reason(int(number))
                self._pid = 0

    def _bury(self) -> None:
        """The keeper is about to be gone, and with it all it kept."""
        assert self._keeper is not None
        if self._keeper.poll() is None:
            self._loop.call_later(0.002, self._bury)
            return
        if self._pid:  # somebody killed the keeper: what is known of the command is killed from here
            self._kill_group()
        self.drain()
        if self._is_listening:
            self._is_listening = False
            self._loop.remove_reader(self._log_fd)
            self._take(b"")
        for pipe in (self._keeper.stdin, self._keeper.stdout, self._keeper.stderr):
            assert pipe is not None
            pipe.close()
        self.up.set()
        self.over.set()

    def _kill_group(self) -> None:
        with suppress(OSError):
            os.killpg(self._pid, signal.SIGKILL)

    # -- The end --------------------------------------------------------------------------------------------------

    async def end(self) -> None:
        """Ask the command to end, and make it."""
        if self._keeper is None or self._keeper.stdin is None:
            return
        if not self.over.is_set():
            with suppress(OSError):  # it is ending
                self._keeper.stdin.write(b"t")
        if not await self._ended_within(GOODBYE):
            self._keeper.stdin.close()
        if not await self._ended_within(PATIENCE):
            log.error("a keeper does not end", pid=self._keeper.pid)
            self._keeper.kill()
            await self.over.wait()

    async def _ended_within(self, seconds: float) -> bool:
        try:
            await asyncio.wait_for(self.over.wait(), seconds)
        except TimeoutError:
            return False
        return True


def _read(descriptor: int) -> bytes | None:
    """What is there to read; None if nothing is, b"" at the end."""
    try:
        return os.read(descriptor, CHUNK)
    except BlockingIOError:
        return None


def _reason(code: int) -> str:
    """Why a process ended, in words."""
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {-code} ({signal.Signals(-code).name})"
    except ValueError:
        return f"signal {-code}"


def _explain(error: int) -> str:
    """Why a command could not be started, in words."""
    text = os.strerror(error)
    return text[0].lower() + text[1:]
