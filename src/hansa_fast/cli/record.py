"""`hansa record`: looking after game records."""

from __future__ import annotations

from typing import Annotated, Any

import typer

import hansa_fast as hf
from hansa_fast.cli import output, sources
from hansa_fast.cli.errors import CliError, ExitCode
from hansa_fast.cli.options import JsonOption

app = typer.Typer(no_args_is_help=True, help="Look after game records.", epilog="Example: hansa record check *.hansa")

CHECK_EPILOG = "Example: hansa record check games/*.hansa && echo all right"


@app.command(epilog=CHECK_EPILOG)
def check(
    files: Annotated[list[str], typer.Argument(help="Game records; `-` is the input.", metavar="FILE")],
    json: JsonOption = False,
) -> None:
    """Replay records and say what is wrong with them; exit code 1 if anything is.

    Every action must be legal, of the seat that decides, and in its turn.

    A result in the header must be the one the replay gives.

    What follows a wrong line means nothing, so it is the last one to be told.
    """
    reports = []
    with output.progress("checking", len(files)) as advance:
        for done, path in enumerate(files):
            advance(done, path)
            reports.append(_check(path))
    if json:
        output.write_json(reports)
    else:
        for report in reports:
            output.write(_line(report))
    if any(not report["ok"] for report in reports):
        raise typer.Exit(max(report["code"] for report in reports))


def _check(path: str) -> dict[str, Any]:
    """What the check of one file found."""
    report: dict[str, Any] = {"file": path, "ok": False, "code": int(ExitCode.WRONG), "line": None, "problem": None}
    try:
        game = hf.Game.from_text(sources.read_text(path))
    except hf.RecordError as error:
        return report | {"line": error.line, "problem": str(error)}
    except CliError as error:
        return report | {"code": int(error.code), "problem": str(error).removeprefix(f"{path}: ")}
    facts = {"actions": len(game), "turns": game.state.turn, "over": game.state.is_over}
    return report | {"ok": True, "code": int(ExitCode.OK)} | facts


def _line(report: dict[str, Any]) -> str:
    if not report["ok"]:
        return f"{report['file']}: WRONG: {report['problem']}"
    end = "over" if report["over"] else "not over"
    return f"{report['file']}: ok, {report['actions']} actions in {report['turns']} turns, {end}"
