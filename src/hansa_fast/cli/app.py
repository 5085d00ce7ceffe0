"""The command `hansa`: its commands, and what happens when one fails."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated

import typer

from hansa_fast import HansaError
from hansa_fast.cli import (
    analyse,
    bench,
    boards,
    bot,
    demo,
    legal,
    lobby,
    match,
    new,
    output,
    perft,
    play,
    record,
    replay,
    serve,
    show,
    test,
    token,
    tournament,
)
from hansa_fast.cli.errors import CliError, ExitCode, exit_code_of

EPILOG = (
    "Exit codes: 0 all right; 1 a check failed; 2 called wrongly; 3 a file cannot be read or written; "
    "4 the server cannot be reached or refuses; "
    "of `hansa test`: 10 not better, 11 inconclusive, 12 infrastructure fault; "
    "130 interrupted; 141 the output was closed. "
    "Results go to the output, everything else to the error output."
)

app = typer.Typer(
    help="Play, show, replay and measure the Hansa board games.",
    epilog=EPILOG,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)

for module in (boards, new, show, legal, analyse, play, replay, perft, bench, demo, match, lobby):
    name = module.__name__.rsplit(".", 1)[-1]
    app.command(name, epilog=module.EPILOG)(getattr(module, name))
app.command("test", epilog=test.EPILOG)(test.run)
app.command("serve", epilog=serve.EPILOG, cls=serve.ServeCommand)(serve.serve)
app.add_typer(record.app, name="record")
app.add_typer(token.app, name="token")
app.add_typer(bot.app, name="bot")
app.add_typer(tournament.app, name="tournament")


def _print_version(wanted: bool) -> None:
    if wanted:
        try:
            number = version("hansa_fast")
        except PackageNotFoundError:  # run from a source tree
            number = "(not installed)"
        output.write(f"hansa_fast {number}")
        raise typer.Exit


@app.callback()
def options(
    _version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Options of `hansa` itself."""


def main(args: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code. Mistakes of the user are told without a traceback."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if not stream.isatty() and hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8")  # as all our files, whatever the locale
    try:
        code = typer.main.get_command(app).main(args, prog_name="hansa", standalone_mode=False)
    except CliError as error:
        return _fail(str(error), error.hint, error.code)
    except HansaError as error:
        return _fail(str(error), "", exit_code_of(error))
    except typer.TyperException as error:  # the command line itself
        context = getattr(error, "ctx", None)
        path = "hansa" if context is None else context.command_path
        message = error.format_message() or "a command is needed"
        return _fail(message, f"`{path} --help` shows how to call it", ExitCode.USAGE)
    except (KeyboardInterrupt, typer.Abort):
        return int(ExitCode.INTERRUPTED)
    return int(code or 0)


def _fail(message: str, hint: str, code: ExitCode) -> int:
    # It may quote what a file or a server says.
    output.note(output.printable_lines(f"hansa: {message}" + (f"\n  hint: {hint}" if hint else "")))
    return int(code)
