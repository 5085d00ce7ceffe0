"""A private PostgreSQL for tests: a cluster in a directory of its own that listens on a socket in there."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path


def binaries() -> Path | None:
    """Where the programs of PostgreSQL are, if it is installed; Debian keeps them out of the path."""
    on_path = shutil.which("initdb")
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    return Path(on_path).resolve().parent if on_path else found[-1].parent if found else None


class Cluster:
    """A running PostgreSQL. It does not run as root, so root lends it another user."""

    def __init__(self, *, fsync: bool = False) -> None:
        programs = binaries()
        assert programs is not None
        self._programs = programs
        self._fsync = "on" if fsync else "off"
        self._as_user: list[str] = []
        self.folder = Path(tempfile.mkdtemp(prefix="hansa-pg-"))
        if os.getuid() == 0:
            import pwd

            user = pwd.getpwnam("nobody")
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            self._as_user = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
        self._run("initdb", "-D", f"{self.folder}/data", "-U", "hansa", "-A", "trust", "-E", "UTF8", "--no-sync")
        self.start()

    def _run(self, program: str, *arguments: str) -> None:
        with (self.folder.parent / f"{self.folder.name}.log").open("ab") as log:
            subprocess.run(
                [*self._as_user, str(self._programs / program), *arguments],
                check=True,
                cwd=self.folder,
                stdout=log,
                stderr=log,
                timeout=120,
            )

    def start(self) -> None:
        """Start it and wait until it answers."""
        options = f"-c listen_addresses='' -c unix_socket_directories={self.folder} -c fsync={self._fsync}"
        self._run("pg_ctl", "-D", f"{self.folder}/data", "-w", "-o", options, "-l", f"{self.folder}/log", "start")

    def stop(self) -> None:
        """Stop it at once, open connections or not."""
        self._run("pg_ctl", "-D", f"{self.folder}/data", "-w", "-m", "immediate", "stop")

    def close(self) -> None:
        """Stop it for good and leave nothing."""
        self.stop()
        shutil.rmtree(self.folder)
        (self.folder.parent / f"{self.folder.name}.log").unlink()

    def database(self, name: str) -> str:
        """The address of a new database."""
        self._run("createdb", "-h", str(self.folder), "-U", "hansa", name)
        return f"postgresql://hansa@/{name}?host={self.folder}"
