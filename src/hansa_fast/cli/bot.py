"""`hansa bot`: begin a bot, run it on a server, check that it speaks the protocol."""

from __future__ import annotations

import logging
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from hansa_fast.bots import KINDS
from hansa_fast.cli import arena, output
from hansa_fast.cli.errors import CliError, ExitCode
from hansa_fast.cli.options import JsonOption

app = typer.Typer(help="Begin, run and check bots.", no_args_is_help=True)

BotArgument = Annotated[
    str, typer.Argument(help="A Python file (or FILE.py:Class), or a bot of `hansa bot list`.", metavar="BOT")
]


@contextmanager
def _mistakes() -> Iterator[None]:
    """Needs hansa_client, and tells its errors without a traceback."""
    with arena.needs("hansa_client"):
        from hansa_client import BotError, ClientError, OptionError
    try:
        yield
    except (BotError, OptionError) as error:
        raise CliError(str(error)) from error.__cause__
    except ClientError as error:
        raise CliError(str(error), code=ExitCode.REFUSED) from error.__cause__


@app.command("list", epilog="Example: hansa bot list --json")
def list_bots(json: JsonOption = False) -> None:
    """The bots that come along, from the weakest to the strongest."""
    if json:
        rows = [{"name": k.name, "version": k.version, "about": k.about, "built_in": k.quick} for k in KINDS.values()]
        output.write_json(rows)
        return
    cells = [[k.name, k.version, f"builtin:{k.name}" if k.quick else "", k.about] for k in KINDS.values()]
    output.write(output.table(["bot", ">version", "in a server", "what it does"], cells, colour=False))


@app.command("new", epilog="Example: hansa bot new my_bot")
def new(
    name: Annotated[str, typer.Argument(help="Its name: letters, digits and _. The file is NAME.py.")],
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
) -> None:
    """Write a runnable starting point for a bot."""
    with _mistakes():
        from hansa_client._template import starting_point

        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,63}", name):
            raise CliError(f"{name!r} is no name for a bot", hint="use letters, digits and _, such as my_bot")
        path = Path(f"{name}.py")
        if path.exists() and not force:
            raise CliError(f"{path} is there already", hint="--force writes over it")
        output.save_text(str(path), starting_point(name))
        output.write(f"{path} is ready. `hansa bot check {path}` tries it, `hansa bot run {path}` lets it play.")


@app.command("run", epilog="Example: hansa bot run my_bot.py --server 127.0.0.1:7717")
def run(
    bot: BotArgument,
    server: arena.ServerOption = None,
    token: arena.TokenOption = None,
    token_file: arena.TokenFileOption = None,
    tls: arena.TlsOption = False,
    tls_ca: arena.TlsCaOption = None,
    tls_cert: arena.TlsCertOption = None,
    tls_key: arena.TlsKeyOption = None,
    name: Annotated[
        str | None, typer.Option("--name", help="Play under this name.", show_default="the bot's own")
    ] = None,
    max_matches: Annotated[
        int | None, typer.Option("--max-matches", help="Matches at once.", show_default="the bot's own")
    ] = None,
    processes: Annotated[
        int | None,
        typer.Option("--processes", help="Choose in so many processes.", metavar="N", show_default="in this one"),
    ] = None,
    log_level: Annotated[str, typer.Option("--log-level", help="debug, info, warning or error.")] = "info",
) -> None:
    """Let a bot play on a server. The first Ctrl-C finishes the matches that run, the second one ends at once."""
    given = {
        "server": server,
        "token": token,
        "token_file": token_file,
        "name": name,
        "max_matches": max_matches,
        "processes": processes,
        "tls": tls,
        "tls_ca": tls_ca,
        "tls_certificate": tls_cert,
        "tls_key": tls_key,
        "log_level": log_level,
    }
    with _mistakes():
        from hansa_client._options import combine_options
        from hansa_client._run import run_source
        from hansa_client._source import BotSource
        from hansa_client._worker import set_up_logging

        options = combine_options(given)
        set_up_logging(getattr(logging, options.log_level.upper()))
        run_source(BotSource(place=bot), options)


@app.command("check", epilog="Example: hansa bot check --command clients/go/bot")
def check(
    bot: Annotated[
        str | None, typer.Argument(help="A Python file, or a bot of `hansa bot list`.", metavar="BOT")
    ] = None,
    command: Annotated[
        str | None,
        typer.Option("--command", help="Starts a bot in any language; it connects to HANSA_SERVER, or {server}."),
    ] = None,
    step: Annotated[list[str] | None, typer.Option("--step", help="Only this step; may be repeated.")] = None,
    patience: Annotated[float, typer.Option("--patience", min=0.1, help="Seconds to wait for an answer.")] = 10.0,
    json: JsonOption = False,
) -> None:
    """Walk a bot through the protocol, both games and every phase, and say at each step what was right or wrong."""
    if (bot is None) == (command is None):
        raise CliError("name a bot, or give a --command that starts it")
    with _mistakes():
        from hansa_client import load_bot
        from hansa_client.check import check_command, lines_of

        if bot is not None:
            load_bot(bot)  # mistakes in the file are told better here than by a bot that does not come
            command = " ".join(
                [shlex.quote(sys.executable), "-m", "hansa_client", shlex.quote(bot), "--server {server}"]
            )
        assert command is not None

        def tell(judged: Any) -> None:
            if not json:
                output.write("\n".join(lines_of(judged)))

        report = check_command(command, patience=patience, only=step or (), view_message=_view_message(), tell=tell)
    if json:
        output.write_json(report.to_dict())
    else:
        if not report.is_right and report.output:
            output.write("\nThe last lines that the bot wrote:\n" + report.output)
        wrong = sum(judged.state == "wrong" for judged in report.steps)
        right = sum(judged.state == "right" for judged in report.steps)
        left_out = len(report.steps) - wrong - right
        output.write(f"\n{right} right, {wrong} wrong" + (f", {left_out} left out" if left_out else ""))
    if not report.is_right:
        raise typer.Exit(ExitCode.WRONG)


def _view_message() -> Any:
    """Positions as messages are made by the server's code, if it is installed."""
    try:
        from hansa_server.wire import view_to_proto
    except ImportError:
        return None
    return view_to_proto
