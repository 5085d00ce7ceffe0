"""Runs a command and leaves nothing of it behind, whatever becomes of the server.

A program of its own, `python -I -S keeper.py SERVER COMMAND...`, that imports next to nothing and so starts in some
tens of milliseconds. SERVER is the process id of its parent.

- Standard input is a pipe from the server. A byte asks the command to end (SIGTERM); the end of the pipe, which a
  server that was killed cannot avoid either, kills it. So does the death of the parent itself.
- Standard output takes its reports, a word and a number a line: `started` and a process id, or `failed` and an error
  number; then, once nothing of the command runs any more, `ended` and an exit code (of a signal: with a minus).
- Standard error is handed on: the command writes its output and its error output there.

The command is the head of a session of its own. The keeper is a subreaper: whoever loses its parent below it becomes
its child, also what has left the session, so that all descendants are found and killed when the command is over.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import sys
import time
from contextlib import suppress

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
PATIENCE = 5.0  # seconds for descendants to die; those of another user may not


def prctl(option: int, value: int) -> None:
    """Tell the kernel something about this process."""
    if ctypes.CDLL(None, use_errno=True).prctl(option, ctypes.c_ulong(value), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def report(word: str, number: int) -> None:
    """Tell the server, if it is still there."""
    with suppress(OSError):
        os.write(1, f"{word} {number}\n".encode())


def start(command: list[str]) -> tuple[int, int]:
    """Start the command; returns its process id and 0, or the number of the error that prevented it."""
    keeper = os.getpid()
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.setsid()
            prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != keeper:
                os._exit(1)
            for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them, and that would be handed on
                signal.signal(number, signal.SIG_DFL)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(2, 1)
            os.execvp(command[0], command)
        except OSError as error:
            os.write(writing, str(error.errno).encode())
        finally:
            os._exit(127)
    os.close(writing)
    problem = os.read(reading, 16)  # ends at once when the command runs
    os.close(reading)
    return pid, int(problem or 0)


def reap(ended: dict[int, int]) -> bool:
    """Take in all children that are dead; returns whether others live."""
    try:
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return True
            ended[pid] = os.waitstatus_to_exitcode(status)
    except ChildProcessError:
        return False


def descendants() -> list[int]:
    """The process ids of all who stem from this process."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdecimal():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    parent = int(file.read().rpartition(b")")[2].split()[1])
            except OSError:
                continue  # it is gone
            children.setdefault(parent, []).append(int(name))
    found = list(children.get(os.getpid(), ()))
    for pid in found:
        found += children.get(pid, ())
    return found


def kill_all(ended: dict[int, int]) -> None:
    """Kill until nobody is left."""
    end = time.monotonic() + PATIENCE
    while reap(ended) and time.monotonic() < end:
        for pid in descendants():
            with suppress(OSError):  # it is gone, or of another user
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.002)


def main() -> None:
    """Keep a command until it ends or must end."""
    server, command = int(sys.argv[1]), sys.argv[2:]
    stopped = False

    def stop(*_: object) -> None:
        nonlocal stopped
        stopped = True

    waking, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, stop)
    prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    if os.getppid() != server:
        return
    pid, problem = start(command)
    ended: dict[int, int] = {}
    if problem:
        os.waitpid(pid, 0)
        report("failed", problem)
        return
    report("started", pid)
    while not stopped and pid not in ended:
        ready = select.select([0, waking], [], [])[0]
        if waking in ready:
            os.read(waking, 4096)
            reap(ended)
        if 0 in ready:
            if not os.read(0, 1):
                break
            if pid not in ended:
                with suppress(OSError):  # all of it has just gone, or is of another user
                    os.killpg(pid, signal.SIGTERM)
    kill_all(ended)
    report("ended", ended.get(pid, -signal.SIGKILL))


if __name__ == "__main__":
    main()
