"""`hansa serve`: the arena for bots in any language."""

from __future__ import annotations

import asyncio
import inspect
import os
from dataclasses import fields
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand

from hansa_fast.cli import arena, output
from hansa_fast.cli.errors import CliError, ExitCode

if TYPE_CHECKING:
    from hansa_server.serve import Server
    from hansa_server.settings import Settings

EPILOG = "Example: hansa serve --config arena.toml --address 0.0.0.0:7717"


class ServeCommand(TyperCommand):
    """The command with an option for every setting of the server, which is only imported when they are needed."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The command's own options, then the settings."""
        own = super().get_params(ctx)
        return [*own[:-1], *_setting_options(), own[-1]]

    def invoke(self, ctx: Any) -> Any:
        """Run the command; the settings come as one object."""
        names = [option.name for option in _setting_options()]
        ctx.obj = {name: ctx.params.pop(name) for name in names}
        return super().invoke(ctx)


@cache
def _setting_options() -> list[Any]:
    """An option for each setting; None stands for not given."""
    with arena.needs("hansa_server"):
        from hansa_server.settings import PREFIX, Settings

    def settings(**_values: Any) -> None:
        """Only its signature is used."""

    parameters = []
    for part in fields(Settings):
        kind = get_type_hints(Settings)[part.name]
        flag = f"--{part.name.replace('_', '-')}"
        names = f"{flag}/--no-{flag[2:]}" if kind is bool else flag
        choices = part.metadata["choices"]
        meaning = part.metadata["meaning"]
        option = typer.Option(
            names,
            help=f"{meaning[0].upper()}{meaning[1:]}.",
            show_default=str(part.default).lower() if kind is bool else str(part.default) or "none",
            metavar="|".join(choices) if choices else None,
            rich_help_panel=f"Settings (in the environment {PREFIX}ADDRESS and so on)",
        )
        annotation = Annotated[kind | None, option]  # type: ignore[valid-type]
        only = inspect.Parameter.KEYWORD_ONLY
        parameters.append(inspect.Parameter(part.name, only, default=None, annotation=annotation))
    settings.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    settings.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    helper = typer.Typer(add_completion=False)
    helper.command()(settings)
    return list(typer.main.get_command(helper).params)


def serve(
    context: typer.Context,
    config: Annotated[
        str | None, typer.Option(help="TOML file with settings.", metavar="FILE", envvar="HANSA_CONFIG")
    ] = None,
    print_config: Annotated[
        bool, typer.Option("--print-config", help="Write all settings as a TOML file and exit.")
    ] = False,
    port_file: Annotated[
        str | None, typer.Option(help="Write the port to this file once the server listens.", metavar="FILE")
    ] = None,
) -> None:
    """Let bots play matches over gRPC, until Ctrl-C or SIGTERM.

    Options count before the TOML file, the file before environment variables, these before the defaults.

    The first line of the output is `listening on HOST:PORT`; the log goes to the error output.
    """
    with arena.needs("hansa_server"):
        from hansa_server.errors import BadField
        from hansa_server.settings import load_settings, to_toml
    try:
        settings = load_settings(context.obj, os.environ, config)
        if print_config:
            output.write(to_toml(settings), end="")
        else:
            _serve(settings, port_file)
    except BadField as error:
        unreadable = "cannot be" in error.problem or "is no TOML" in error.problem
        raise CliError(str(error), code=ExitCode.UNREADABLE if unreadable else ExitCode.USAGE) from None


def _serve(settings: Settings, port_file: str | None) -> None:
    from hansa_server.serve import Server, set_up_logging

    def listening(server: Server) -> None:
        if port_file is not None:
            # In one step, so that whoever waits for the file never reads half of it.
            output.save_text(f"{port_file}.new", f"{server.port}\n")
            os.replace(f"{port_file}.new", port_file)
        output.write(f"listening on {server.address}")

    async def main() -> None:
        await Server(settings).run(listening)

    set_up_logging(settings)
    loops = import_module("uvloop").new_event_loop if find_spec("uvloop") else None
    with asyncio.Runner(loop_factory=loops) as runner:
        runner.run(main())
