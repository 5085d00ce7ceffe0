"""Settings of the server: options of the command line before environment variables before a TOML file before the defaults."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, get_type_hints

from hansa_server.errors import BadField

PREFIX = "HANSA_"


@dataclass(frozen=True)
class Settings:
    """All settings; the comment behind each says what it means."""

    address: str = "127.0.0.1:7717"  # host:port to listen on; port 0 picks a free one
    store: str = "hansa.db"  # SQLite file, or an address such as postgresql://user@host/name
    tokens: bool = False  # calls need a bearer token
    tls_certificate: str = ""  # PEM file; with the key it turns TLS on
    tls_key: str = ""  # PEM file
    tls_client_ca: str = ""  # PEM file; clients must show a certificate signed by it (mutual TLS)
    per_decision: float = 10.0  # seconds for a decision, unless the match says otherwise; 0 for no limit
    bank: float = 0.0  # seconds for a match; 0 for no limit
    increment: float = 0.0  # seconds added to the bank after each answer
    grace: float = 0.05  # seconds of network delay that are not charged
    forgiven: int = 3  # illegal or senseless answers forgiven in a match
    on_forfeit: str = "end"  # "end": the match is over when one seat is left; "replace": a built-in bot plays on
    max_message_bytes: int = 1_048_576  # largest message a client may send
    max_messages_per_second: int = 2000  # of one stream
    max_streams: int = 2000  # of bots, all together
    max_streams_per_token: int = 8  # of watchers; a bot has one
    max_matches_per_bot: int = 256  # at once
    outbox_bytes: int = 8_388_608  # unread messages of a bot before it is cut off
    write_timeout: float = 10.0  # seconds a watcher may take to read a message
    watch_delay: float = 0.0  # seconds by which watchers lag behind at least
    min_keepalive: float = 10.0  # seconds between keepalive pings of a client
    reconnect_patience: float = 60.0  # seconds after a start of the server in which clocks of absent bots stand still
    stop_grace: float = 5.0  # seconds in which running matches may finish when the server is asked to stop
    metrics_address: str = ""  # host:port for Prometheus; empty for none
    log_format: str = "text"  # "text" or "json"
    log_level: str = "info"  # "debug", "info", "warning" or "error"
    traces: bool = False  # OpenTelemetry traces; the exporter is set by the usual OTEL_ variables

    def __post_init__(self) -> None:
        choices = {
            "on_forfeit": ("end", "replace"),
            "log_format": ("text", "json"),
            "log_level": ("debug", "info", "warning", "error"),
        }
        for name, allowed in choices.items():
            if getattr(self, name) not in allowed:
                raise BadField(name, f"must be one of {', '.join(allowed)}, not {getattr(self, name)!r}")
        for part in fields(self):
            value = getattr(self, part.name)
            if isinstance(value, (int, float)) and value < 0:
                raise BadField(part.name, f"must not be negative, is {value}")
        if bool(self.tls_certificate) != bool(self.tls_key):
            raise BadField("tls_key", "certificate and key come together")
        if self.tls_client_ca and not self.tls_certificate:
            raise BadField("tls_client_ca", "mutual TLS needs a certificate and key of the server too")


def load_settings(
    options: Mapping[str, Any], environment: Mapping[str, str], file: str | Path | None = None
) -> Settings:
    """Put the settings together. Options that are None were not given. Every mistake is named with its source."""
    settings = Settings()
    if file is not None:
        settings = _with(settings, _read_toml(Path(file)), str(file))
    known = {PREFIX + part.name.upper(): part.name for part in fields(Settings)}
    from_environment = {known[key]: value for key, value in environment.items() if key in known}
    settings = _with(settings, from_environment, "environment")
    return _with(settings, {name: value for name, value in options.items() if value is not None}, "option")


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadField(str(path), f"cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadField(str(path), f"is no TOML file: {error}") from None


def _with(settings: Settings, values: Mapping[str, Any], source: str) -> Settings:
    kinds = get_type_hints(Settings)
    changed = {}
    for name, value in values.items():
        if name not in kinds:
            raise BadField(f"{source}: {name}", f"is no setting; there are {', '.join(sorted(kinds))}")
        changed[name] = _convert(f"{source}: {name}", value, kinds[name])
    return replace(settings, **changed)


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
    raise BadField(where, f"must be {kind.__name__}, not {value!r}")


def to_toml(settings: Settings) -> str:
    """The settings as a TOML file that `load_settings` reads."""
    lines = []
    for part in fields(settings):
        value = getattr(settings, part.name)
        text = str(value).lower() if isinstance(value, bool) else repr(value).replace("'", '"')
        lines.append(f"{part.name} = {text}")
    return "\n".join(lines) + "\n"
