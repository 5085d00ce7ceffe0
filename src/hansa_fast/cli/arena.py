"""How commands reach a server: the options that say where it is and who calls, and how its refusals are told."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from hansa_fast.cli import output
from hansa_fast.cli.errors import CliError, ExitCode

if TYPE_CHECKING:
    import grpc

    from hansa_server.settings import Settings
    from hansa_server.store import Store

PANEL = "Server"
STORE = "Store"
USUAL_SERVER = "127.0.0.1:7717"
LOOPBACK = ("127.", "localhost:", "[::1]:", "unix:")
STATUS_DETAILS = "grpc-status-details-bin"
PATIENCE = 10.0  # seconds in which a server must answer a call

ServerOption = Annotated[
    str | None,
    typer.Option(
        "--server", help="Where the server is.", metavar="HOST:PORT", envvar="HANSA_SERVER", rich_help_panel=PANEL
    ),
]
TokenOption = Annotated[
    str | None,
    typer.Option(
        "--token", help="Bearer token.", envvar="HANSA_TOKEN", show_envvar=True, metavar="TOKEN", rich_help_panel=PANEL
    ),
]
TokenFileOption = Annotated[
    str | None,
    typer.Option("--token-file", help="File that holds the bearer token.", metavar="FILE", rich_help_panel=PANEL),
]
TlsOption = Annotated[
    bool, typer.Option("--tls", help="Use TLS and trust what this machine trusts.", rich_help_panel=PANEL)
]
TlsCaOption = Annotated[
    str | None,
    typer.Option(
        "--tls-ca",
        help="Use TLS and trust this authority (PEM).",
        metavar="FILE",
        envvar="HANSA_TLS_CA",
        show_envvar=True,
        rich_help_panel=PANEL,
    ),
]
TlsCertOption = Annotated[
    str | None,
    typer.Option("--tls-cert", help="Show this certificate (PEM; mutual TLS).", metavar="FILE", rich_help_panel=PANEL),
]
TlsKeyOption = Annotated[
    str | None, typer.Option("--tls-key", help="Key of the certificate (PEM).", metavar="FILE", rich_help_panel=PANEL)
]

StoreOption = Annotated[
    str | None,
    typer.Option(
        "--store", help="SQLite file or address of the store.", show_default="the server's", rich_help_panel=STORE
    ),
]
ConfigOption = Annotated[
    str | None,
    typer.Option(
        "--config", help="The server's TOML file.", metavar="FILE", envvar="HANSA_CONFIG", rich_help_panel=STORE
    ),
]


@contextmanager
def needs(package: str) -> Iterator[None]:
    """Around the import of a package that need not be installed."""
    try:
        yield
    except ImportError as error:
        raise CliError(
            f"this needs the package {package}, which cannot be imported: {error}", hint=f"pip install {package}"
        ) from None


@dataclass(frozen=True)
class Access:
    """Where the server is, and who calls."""

    server: str
    token: str | None = None
    token_file: str | None = None
    tls: bool = False
    tls_ca: str | None = None
    tls_cert: str | None = None
    tls_key: str | None = None

    @contextmanager
    def channel(self) -> Iterator[grpc.Channel]:
        """A channel on which every call carries the token. What goes wrong inside is told as a `CliError`."""
        with needs("hansa_client"):
            import grpc
        if bool(self.tls_cert) != bool(self.tls_key):
            raise CliError("--tls-cert and --tls-key come together")
        token = self.token if self.token_file is None else _read(self.token_file).decode().strip()
        if self.tls or self.tls_ca or self.tls_cert:
            files = [None if path is None else _read(path) for path in (self.tls_ca, self.tls_key, self.tls_cert)]
            channel = grpc.secure_channel(self.server, grpc.ssl_channel_credentials(*files))
        else:
            if token and not self.server.startswith(LOOPBACK):
                output.note("hansa: without TLS everybody on the way can read the token; see --tls")
            channel = grpc.insecure_channel(self.server)
        with channel:
            try:
                yield grpc.intercept_channel(channel, *_carry(token)) if token else channel
            except grpc.RpcError as error:
                raise _refusal(self.server, error) from None


def at_server(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that say where the server is; it gets an `Access` as its first argument."""
    own = list(inspect.signature(command).parameters.values())[1:]
    options = {
        "server": ServerOption,
        "token": TokenOption,
        "token_file": TokenFileOption,
        "tls": TlsOption,
        "tls_ca": TlsCaOption,
        "tls_cert": TlsCertOption,
        "tls_key": TlsKeyOption,
    }
    defaults: dict[str, Any] = {"server": USUAL_SERVER, "tls": False}

    @functools.wraps(command)
    def wrapped(**values: Any) -> None:
        given = {name: values.pop(name) for name in options}
        command(Access(**{**given, "server": given["server"] or USUAL_SERVER}), **values)

    named = inspect.Parameter.KEYWORD_ONLY
    hints = get_type_hints(command, include_extras=True)
    parameters = [parameter.replace(kind=named, annotation=hints[parameter.name]) for parameter in own]
    parameters += [
        inspect.Parameter(name, named, default=defaults.get(name), annotation=kind) for name, kind in options.items()
    ]
    wrapped.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return wrapped


@contextmanager
def opened_store(store: str | None, config: str | None, *, must_exist: bool) -> Iterator[Store]:
    """The store that the server with these settings uses."""
    settings = _store_settings(store, config)
    with telling_of_stores():
        from hansa_server.store import Store

        if must_exist and "://" not in settings.store and not os.path.exists(settings.store):
            raise CliError(
                f"{settings.store}: there is no such store",
                hint="--store or --config say where it is; `hansa token create` and `hansa serve` make one",
                code=ExitCode.UNREADABLE,
            )
        with closing(Store(settings.store, settings.durability)) as opened:
            yield opened


def store_address(store: str | None, config: str | None) -> str:
    """Where the store is that the server with these settings uses."""
    return _store_settings(store, config).store


def _store_settings(store: str | None, config: str | None) -> Settings:
    with needs("hansa_server"):
        from hansa_server.errors import BadField
        from hansa_server.settings import load_settings
    try:
        return load_settings({"store": store}, os.environ, config)
    except BadField as error:
        raise CliError(str(error)) from None


@contextmanager
def telling_of_stores() -> Iterator[None]:
    """Around work on a store: what it refuses, and that it cannot be reached, is told as a `CliError`."""
    with needs("hansa_server"):
        from sqlalchemy.exc import SQLAlchemyError

        from hansa_server.errors import ArenaError, BadField
    try:
        yield
    except BadField as error:
        if error.name in ("store", "name"):
            raise CliError(f"--{error}") from None
        raise CliError(str(error), code=ExitCode.UNREADABLE) from None  # a file
    except ArenaError as error:
        raise CliError(str(error), code=ExitCode.REFUSED) from None
    except ImportError as error:
        raise CliError(
            f"the store cannot be opened: {error}", hint="pip install 'hansa_server[postgresql]' for PostgreSQL"
        ) from None
    except SQLAlchemyError as error:
        cause = str(error.__cause__ or error).splitlines()[0]
        raise CliError(f"the store cannot be opened: {cause}", code=ExitCode.UNREADABLE) from None


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise CliError(f"{path}: cannot be read: {error.strerror}", code=ExitCode.UNREADABLE) from None


def _carry(token: str) -> tuple[Any, ...]:
    """Interceptors that send the token with every call."""
    import grpc

    class Carrier(grpc.UnaryUnaryClientInterceptor, grpc.UnaryStreamClientInterceptor):
        def intercept_unary_unary(self, go_on: Callable[..., Any], details: Any, request: Any) -> Any:
            return go_on(self._signed(details), request)

        def intercept_unary_stream(self, go_on: Callable[..., Any], details: Any, request: Any) -> Any:
            return go_on(self._signed(details), request)

        def _signed(self, details: Any) -> Any:
            signed = grpc.ClientCallDetails()
            for name in ("method", "timeout", "credentials", "wait_for_ready", "compression"):
                setattr(signed, name, getattr(details, name, None))
            signed.metadata = (*(details.metadata or ()), ("authorization", f"Bearer {token}"))
            return signed

    return (Carrier(),)


def _refusal(server: str, error: Any) -> CliError:
    """What the server answered, in words, with what may help."""
    import grpc

    code, text = error.code(), error.details() or ""
    if code is grpc.StatusCode.UNAVAILABLE and not _details(error):
        return CliError(
            f"no server can be reached at {server}: {text}",
            hint="`hansa serve` starts one; --server says where it is, --tls that it speaks TLS",
            code=ExitCode.REFUSED,
        )
    if code is grpc.StatusCode.INVALID_ARGUMENT:
        return CliError(text, code=ExitCode.USAGE)
    hints = {
        grpc.StatusCode.UNAUTHENTICATED: "--token, --token-file or the variable HANSA_TOKEN give one; "
        "`hansa token create` makes one",
        grpc.StatusCode.PERMISSION_DENIED: "`hansa token list` shows the roles of the tokens",
        grpc.StatusCode.FAILED_PRECONDITION: "`hansa lobby` shows who is connected" if "connected" in text else "",
    }
    words = code.name.lower().replace("_", " ")
    return CliError(f"the server refuses ({words}): {text}", hint=hints.get(code, ""), code=ExitCode.REFUSED)


def _details(error: Any) -> list[Any]:
    """The `google.rpc` messages that came with an error of the server itself."""
    from google.rpc import status_pb2

    for key, value in error.trailing_metadata() or ():
        if key == STATUS_DETAILS:
            return list(status_pb2.Status.FromString(value).details)
    return []
