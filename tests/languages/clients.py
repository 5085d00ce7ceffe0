"""The clients in `clients/`, one for each language: which can be built here, and what starts their bots.

    python -m tests.languages.clients build            build those whose tools are here, say which are left out
    python -m tests.languages.clients build --require  a client whose tools are missing is an error
    python -m tests.languages.clients test [--require] the same, and run the tests each of them has itself

A client is a folder with a Makefile (`build`, `test`, `clean`) and a script `bot`. Python needs no building.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
REQUIRED = bool(os.environ.get("HANSA_REQUIRE_CLIENTS"))

# The programs that a client is built and run with, besides make.
TOOLS = {
    "cpp": ("g++", "cmake", "protoc", "grpc_cpp_plugin"),
    "go": ("go",),
    "java": ("java", "javac", "mvn"),
    "python": (),
    "rust": ("cargo", "cc"),
    "typescript": ("node", "npm"),
}


@dataclass(frozen=True)
class Client:
    """The client of a language."""

    language: str
    folder: Path

    @property
    def missing(self) -> list[str]:
        """Programs it needs and that are not here."""
        tools = TOOLS.get(self.language, ())
        return [tool for tool in (*tools, *(["make"] if tools else [])) if shutil.which(tool) is None]

    def command(self, bot: str = "sensible") -> list[str]:
        """What starts its bot "random" or "sensible"; the options every bot has may follow."""
        if self.language == "python":
            return [sys.executable, "-m", "hansa_client", {"sensible": "greedy"}.get(bot, bot)]
        return [str(self.folder / "bot"), "--bot", bot]

    def make(self, target: str = "build") -> None:
        """Make a target. Only one process at a time builds a client, and the next one finds it built."""
        if self.language == "python":
            return
        lock = Path(tempfile.gettempdir()) / f"hansa-client-{self.language}-{os.getuid()}.lock"
        with lock.open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            done = subprocess.run(
                ["make", "--no-print-directory", "-C", str(self.folder), target],
                capture_output=True,
                text=True,
                check=False,
            )
        if done.returncode != 0:
            raise RuntimeError(f"make -C {self.folder} {target} failed\n{done.stdout}{done.stderr}")


def all_clients() -> list[Client]:
    """The clients of all languages, by name."""
    folders = sorted(path for path in (ROOT / "clients").iterdir() if path.is_dir())
    return [
        Client(folder.name, folder)
        for folder in folders
        if folder.name == "python" or os.access(folder / "bot", os.X_OK)
    ]


def present_clients() -> list[Client]:
    """Those whose tools are here."""
    return [client for client in all_clients() if not client.missing]


def left_out() -> list[str]:
    """A line for each client whose tools are not here."""
    return [
        f"the {client.language} client is left out: there is no {' and no '.join(client.missing)} here"
        for client in all_clients()
        if client.missing
    ]


def main() -> None:
    """Build and test clients."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.languages.clients", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("target", choices=("build", "test"))
    parser.add_argument("--require", action="store_true", help="a client that cannot be built here is an error")
    arguments = parser.parse_args()
    for line in left_out():
        print(line, flush=True)
    if arguments.require and left_out():
        sys.exit("all clients are required, so this is an error")
    for client in present_clients():
        if client.language == "python":
            continue
        print(f"the {client.language} client: {arguments.target}", flush=True)
        try:
            client.make(arguments.target)
        except RuntimeError as error:
            sys.exit(str(error))


if __name__ == "__main__":
    main()
