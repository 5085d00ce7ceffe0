"""Options of a bot: the command line before the environment before what the bot says itself."""

from __future__ import annotations

import argparse
import ipaddress
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from hansa_client._errors import OptionError

DEFAULT_SERVER = "127.0.0.1:7717"
LOG_LEVELS = ("debug", "info", "warning", "error")


@dataclass(frozen=True)
class Options:
    """How to reach the server, and how to play."""

    server: str = DEFAULT_SERVER  # host:port
    token: str = field(default="", repr=False)
    name: str = ""  # instead of the bot's own
    max_matches: int = 0  # instead of the bot's own; 0 leaves it
    processes: int = 0  # processes that choose; 0: this one
    tls: bool = False  # use TLS with the certificates this machine trusts
    tls_ca: str = ""  # PEM file of the authority that signed the server's certificate; turns TLS on
    tls_certificate: str = ""  # PEM file of the bot's own certificate, for mutual TLS
    tls_key: str = ""  # PEM file of its key
    first_delay: float = 0.2  # seconds before the first attempt to connect again, doubled with each further one
    longest_delay: float = 5.0  # seconds between attempts, at most
    log_level: str = "info"

    def __post_init__(self) -> None:
        host, colon, port = self.server.rpartition(":")
        if not colon or not host or not port.isdecimal():
            raise OptionError(f"--server must be HOST:PORT, not {self.server!r}")
        if self.log_level not in LOG_LEVELS:
            raise OptionError(f"--log-level must be one of {', '.join(LOG_LEVELS)}, not {self.log_level!r}")
        if self.processes < 0 or self.max_matches < 0:
            raise OptionError("numbers of processes and matches must not be negative")
        if bool(self.tls_certificate) != bool(self.tls_key):
            raise OptionError("--tls-cert and --tls-key come together")
        if self.token and not self.uses_tls and not self.is_loopback:
            raise OptionError(f"a token must not travel in the open to {host}: use --tls or --tls-ca")

    @property
    def uses_tls(self) -> bool:
        """Whether the connection is encrypted."""
        return self.tls or bool(self.tls_ca) or bool(self.tls_certificate)

    @property
    def is_loopback(self) -> bool:
        """Whether the server is on this machine."""
        host = self.server.rpartition(":")[0].strip("[]")
        try:
            return host == "localhost" or ipaddress.ip_address(host).is_loopback
        except ValueError:
            return False

    def read(self, path: str) -> bytes | None:
        """What a file of these options holds; None without a file."""
        if not path:
            return None
        try:
            return Path(path).read_bytes()
        except OSError as error:
            raise OptionError(f"{path} cannot be read: {error.strerror}") from None


def read_token(path: str) -> str:
    """The token in a file: its first line."""
    try:
        lines = Path(path).read_text(encoding="utf-8").split()
    except OSError as error:
        raise OptionError(f"{path} cannot be read: {error.strerror}") from None
    if len(lines) != 1:
        raise OptionError(f"{path} must hold a token and nothing else")
    return lines[0]


def options_from_arguments(arguments: Sequence[str] | None, environment: Mapping[str, str] = os.environ) -> Options:
    """Options of a command line (None: of this process) and the environment."""
    parser = argparse.ArgumentParser(description="A bot for the Hansa board games.")
    parser.add_argument("--server", metavar="HOST:PORT", help=f"where to play; HANSA_SERVER, or {DEFAULT_SERVER}")
    parser.add_argument("--token-file", metavar="FILE", help="a file that holds the bot's token; or set HANSA_TOKEN")
    parser.add_argument("--name", help="play under this name")
    parser.add_argument("--max-matches", type=int, metavar="N", help="matches at once")
    parser.add_argument("--processes", type=int, metavar="N", help="choose in so many processes")
    parser.add_argument("--tls", action="store_true", default=None, help="encrypt, with the usual certificates")
    parser.add_argument(
        "--tls-ca", metavar="FILE", help="encrypt; the server's certificate is signed by this one; or set HANSA_TLS_CA"
    )
    parser.add_argument(
        "--tls-cert", dest="tls_certificate", metavar="FILE", help="the bot's own certificate, for mutual TLS"
    )
    parser.add_argument("--tls-key", metavar="FILE", help="its key")
    parser.add_argument("--log-level", choices=LOG_LEVELS)
    return combine_options({**vars(parser.parse_args(arguments))}, environment)


def combine_options(given: Mapping[str, object], environment: Mapping[str, str] = os.environ) -> Options:
    """Options that were given (None: was not) before those of the environment. `token_file` is read."""
    values = {name: value for name, value in given.items() if value is not None and name != "token_file"}
    if given.get("token_file"):
        values["token"] = read_token(str(given["token_file"]))
    values.setdefault("token", environment.get("HANSA_TOKEN", ""))
    values.setdefault("server", environment.get("HANSA_SERVER", DEFAULT_SERVER))
    values.setdefault("tls_ca", environment.get("HANSA_TLS_CA", ""))
    return replace(Options(), **values)  # type: ignore[arg-type]
