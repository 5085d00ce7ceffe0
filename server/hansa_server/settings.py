"""Settings of the server: options count before a TOML file, it before environment variables, these before defaults."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from hansa_server.errors import BadField

PREFIX = "HANSA_"
HIGHEST_PORT = 65_535
DURABILITIES = ("normal", "full")

T = TypeVar("T")


def _setting(default: T, meaning: str, *, choices: tuple[str, ...] = ()) -> T:
    """A setting; its meaning is shown in the help of `hansa serve` and by `--print-config`."""
    value: T = field(default=default, metadata={"meaning": meaning, "choices": choices})
    return value


@dataclass(frozen=True)
class Settings:
    """All settings. The command line, the TOML file and the environment variables are made from this table."""

    address: str = _setting("127.0.0.1:7717", "host:port to listen on; port 0 picks a free one")
    store: str = _setting("hansa.db", "SQLite file, or an address such as postgresql://user@host/name")
    tokens: bool = _setting(False, "calls need a bearer token (`hansa token create`)")
    token_check: float = _setting(
        5.0, "seconds after which open streams of revoked and expired tokens end at the latest"
    )
    tls_certificate: str = _setting("", "PEM file; with the key it turns TLS on")
    tls_key: str = _setting("", "PEM file")
    tls_client_ca: str = _setting("", "PEM file; clients must show a certificate signed by it (mutual TLS)")
    per_decision: float = _setting(
        10.0, "seconds for a decision in matches that set no clock of their own; 0 for no limit"
    )
    bank: float = _setting(0.0, "seconds for a whole match; 0 for no limit")
    increment: float = _setting(0.0, "seconds added to the bank after each answer")
    grace: float = _setting(0.05, "seconds of network delay that are not charged")
    forgiven: int = _setting(3, "illegal or senseless answers forgiven in a match")
    on_forfeit: str = _setting(
        "end",
        "end: the match is over when one seat is left; replace: a built-in bot plays on",
        choices=("end", "replace"),
    )
    max_message_bytes: int = _setting(1_048_576, "largest message a client may send")
    max_messages_per_second: int = _setting(2000, "of one bot")
    max_calls_per_second: int = _setting(1000, "calls other than streams, of one token (without tokens: of one host)")
    max_calls_at_once: int = _setting(64, "calls other than streams, of one token (without tokens: of one host)")
    max_streams: int = _setting(2000, "bots connected, all together")
    max_streams_per_token: int = _setting(64, "streams of one watching token (without tokens: of one host)")
    max_streams_per_connection: int = _setting(1024, "streams and calls that share one connection")
    max_matches_per_bot: int = _setting(256, "matches of one bot at once")
    outbox_bytes: int = _setting(8_388_608, "unread messages of a bot before it is cut off")
    write_timeout: float = _setting(10.0, "seconds a bot or watcher may take to read a message before it is cut off")
    watch_delay: float = _setting(0.0, "seconds by which watchers lag behind at least")
    keepalive: float = _setting(30.0, "seconds after which a silent connection is pinged")
    keepalive_timeout: float = _setting(10.0, "seconds without an answer to a ping after which a connection is dead")
    min_keepalive: float = _setting(10.0, "seconds there must be between keepalive pings of a client")
    reconnect_patience: float = _setting(
        60.0, "seconds after a start in which the clocks of bots that are not back yet stand still"
    )
    stop_grace: float = _setting(5.0, "seconds in which running matches may finish when the server is asked to stop")
    durability: str = _setting(
        "normal",
        "of an SQLite store: normal keeps all but the last moments when the power fails, full waits for the disk at "
        "every commit",
        choices=DURABILITIES,
    )
    keep_logs: float = _setting(
        0.0, "days after the end of a tournament that the error output of local bots is kept; 0 for ever"
    )
    keep_details: float = _setting(
        0.0, "days after the end of a tournament that thinking times and remarks are kept; 0 for ever; records stay"
    )
    metrics_address: str = _setting("", "host:port for Prometheus; empty for none")
    log_format: str = _setting("text", "of the log on the error output", choices=("text", "json"))
    log_level: str = _setting("info", "what is worth logging", choices=("debug", "info", "warning", "error"))
    traces: bool = _setting(False, "OpenTelemetry traces; where they go is set by the usual OTEL_ variables")

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        for part in fields(self):
            value, choices = getattr(self, part.name), part.metadata["choices"]
            if choices and value not in choices:
                raise BadField(part.name, f"must be one of {', '.join(choices)}, not {value!r}")
            if isinstance(value, (int, float)) and not 0 <= value < math.inf:
                raise BadField(part.name, f"must be a number that is not negative, not {value}")
        _check_address("address", self.address)
        if self.metrics_address:
            _check_address("metrics_address", self.metrics_address)
        if bool(self.tls_certificate) != bool(self.tls_key):
            missing = "tls_key" if self.tls_certificate else "tls_certificate"
            raise BadField(missing, "is missing: certificate and key come together")
        if self.tls_client_ca and not self.tls_certificate:
            raise BadField("tls_certificate", "is missing: mutual TLS needs a certificate and key of the server too")


def split_address(address: str) -> tuple[str, int]:
    """Host and port of an address that was checked."""
    host, _, port = address.rpartition(":")
    return host, int(port)


def _check_address(name: str, address: str) -> None:
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or int(port) > HIGHEST_PORT:
        raise BadField(name, f"must be host:port, such as 127.0.0.1:7717, not {address!r}")


def load_settings(
    options: Mapping[str, Any], environment: Mapping[str, str], file: str | Path | None = None
) -> Settings:
    """Put the settings together. Options that are None were not given. Every mistake is named with its source."""
    kinds = get_type_hints(Settings)
    values: dict[str, Any] = {}
    for name, kind in kinds.items():
        if PREFIX + name.upper() in environment:
            values[name] = _convert(PREFIX + name.upper(), environment[PREFIX + name.upper()], kind)
    for name, value in ({} if file is None else _read_toml(Path(file))).items():
        if name not in kinds:
            raise BadField(f"{file}: {name}", f"is no setting; there are {', '.join(kinds)}")
        values[name] = _convert(f"{file}: {name}", value, kinds[name])
    for name, value in options.items():
        if value is not None:
            values[name] = _convert(name, value, kinds[name])
    return replace(Settings(), **values)


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadField(str(path), f"cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadField(str(path), f"is no TOML file: {error}") from None


def _convert(where: str, value: Any, kind: type) -> Any:
    """A value of a file, an option or an environment variable as the type of its setting."""
    if kind is bool and isinstance(value, str):
        if value.lower() in ("1", "true", "yes", "on", "0", "false", "no", "off"):
            return value.lower() in ("1", "true", "yes", "on")
    elif kind in (int, float) and isinstance(value, str):
        try:
            return kind(value)
        except ValueError:
            pass
    elif kind is float and type(value) is int:
        return float(value)
    elif type(value) is kind:
        return value
    words = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
    raise BadField(where, f"must be {words[kind]}, not {value!r}")


def to_toml(settings: Settings) -> str:
    """The settings as a TOML file with comments; `load_settings` reads the same settings back."""
    lines = []
    for part in fields(settings):
        choices = part.metadata["choices"]
        lines.append(f"# {part.metadata['meaning']}" + (f" ({', '.join(choices)})" if choices else ""))
        # JSON writes texts, numbers and truth values as TOML does, but for one character that TOML wants escaped.
        value = json.dumps(getattr(settings, part.name), ensure_ascii=False).replace("\x7f", "\\u007f")
        lines.append(f"{part.name} = {value}\n")
    return "\n".join(lines)
