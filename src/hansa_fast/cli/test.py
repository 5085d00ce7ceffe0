"""`hansa test`: is a bot better than another? What the CI of a bot author calls."""

from __future__ import annotations

import hashlib
import json as js
import os
import re
import shlex
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hansa_fast.cli import arena, output
from hansa_fast.cli.errors import CliError, ExitCode
from hansa_fast.cli.options import (
    BoardOption,
    ColourOption,
    EditionOption,
    FavoursOption,
    GameOption,
    JsonOption,
    MissionsOption,
    PlayersOption,
    TurnLimitOption,
)

if TYPE_CHECKING:
    from hansa_server.ratings import Plan
    from hansa_server.tournament.event import Event
    from hansa_server.tournament.verdict import Report

EPILOG = (
    "Exit codes: 0 better; 10 not better; 11 inconclusive; 12 infrastructure fault. "
    "Example: hansa test my_bot.py old_bot.py --elo0 0 --elo1 15 --budget 10m --junit result.xml"
)

QUESTION, PLAY, RESULT = "Question", "Play", "Result"
BUILT_IN, COMMAND = "builtin:", "cmd:"
LINES_EVERY = 10.0  # seconds between lines of progress, where there is no terminal
UNITS = {"h": 3600, "m": 60, "s": 1}
FAULTS = 10  # blocks that may be spoilt by the host


def run(
    a: Annotated[
        str, typer.Argument(help="The bot to test: greedy, random, a Python file, or cmd: and a command.", metavar="A")
    ],
    b: Annotated[str, typer.Argument(help="The bot to test it against.", metavar="B")],
    elo0: Annotated[
        float, typer.Option(help="A difference at which A is not to pass.", rich_help_panel=QUESTION)
    ] = 0.0,
    elo1: Annotated[float, typer.Option(help="A difference at which A is to pass.", rich_help_panel=QUESTION)] = 15.0,
    alpha: Annotated[float, typer.Option(help="The chance to pass at elo0.", rich_help_panel=QUESTION)] = 0.05,
    beta: Annotated[float, typer.Option(help="The chance not to pass at elo1.", rich_help_panel=QUESTION)] = 0.05,
    budget: Annotated[
        str | None,
        typer.Option(
            help="Ends anyway after so many games (2000) or so long (10m, 1h30m).",
            metavar="GAMES|TIME",
            rich_help_panel=QUESTION,
            show_default="no limit",
        ),
    ] = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Only say how many games it will take.", rich_help_panel=QUESTION)
    ] = False,
    field: Annotated[
        list[str] | None,
        typer.Option(
            help="A third bot: A and B take turns in a seat among such bots, instead of filling the table. Repeatable.",
            metavar="BOT",
            rich_help_panel=PLAY,
        ),
    ] = None,
    tables: Annotated[
        str | None,
        typer.Option(
            help="File with [[tables]] as in an event file, which come in turn.", metavar="FILE", rich_help_panel=PLAY
        ),
    ] = None,
    per_decision: Annotated[
        float, typer.Option(min=0, help="Seconds for a decision; 0 for no limit.", rich_help_panel=PLAY)
    ] = 10.0,
    bank: Annotated[float, typer.Option(min=0, help="Seconds for a game; 0 for no limit.", rich_help_panel=PLAY)] = 0.0,
    concurrency: Annotated[
        int, typer.Option(min=0, help="Games at once; 0 for what fits the machine.", rich_help_panel=PLAY)
    ] = 0,
    force: Annotated[
        bool,
        typer.Option("--force", help="More games at once than the machine has cores for.", rich_help_panel=PLAY),
    ] = False,
    store: Annotated[
        str | None,
        typer.Option(
            help="SQLite file or database: what is played is kept there, and the same test goes on where it was.",
            metavar="STORE",
            rich_help_panel=PLAY,
            show_default="none",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", "-s", min=0, help="All deals come from it.", show_default="drawn", rich_help_panel=PLAY),
    ] = None,
    game: GameOption = None,
    edition: EditionOption = None,
    board: BoardOption = None,
    players: PlayersOption = None,
    missions: MissionsOption = False,
    favours: FavoursOption = False,
    turn_limit: TurnLimitOption = None,
    junit: Annotated[
        str | None, typer.Option(help="Write a JUnit report.", metavar="FILE", rich_help_panel=RESULT)
    ] = None,
    markdown: Annotated[
        str | None, typer.Option(help="Write a summary in Markdown.", metavar="FILE", rich_help_panel=RESULT)
    ] = None,
    colour: ColourOption = None,
    json: JsonOption = False,
) -> None:
    """Test whether a bot is better than another, with as few games as the answer takes.

    Blocks of two games are played from one deal, the second with A and B in each other's seats. After each block a
    sequential test looks whether it is sure enough: that the difference is elo1 rather than elo0 (better), or the other
    way round (not better).
    """
    one_table = {
        "game": game,
        "edition": edition,
        "board": board,
        "players": players,
        "missions": missions or None,
        "favours": favours or None,
        "turn_limit": turn_limit,
    }
    given = {name: value for name, value in one_table.items() if value is not None}
    games, seconds = parse_budget(budget)
    question = {"elo0": elo0, "elo1": elo1, "alpha": alpha, "beta": beta, "budget": games, "faults": FAULTS}
    with _mistakes():
        seats = _read_tables(tables, given) if tables is not None else [given]
        bots = line_up([a, b, *(field or [])])
        event = make_event(bots, question, seats, {"per_decision": per_decision, "bank": bank}, concurrency, seed)
        if plan:
            _show_plan(event, store, output.want_colour(colour), json)
            return
        report = _play(event, store, seconds, force)
    if junit is not None:
        output.save_text(junit, report.to_junit())
    if markdown is not None:
        output.save_text(markdown, report.to_markdown())
    code = exit_code(report.verdict.value)
    if json:
        output.write_json({**report.to_dict(), "exit_code": int(code)})
    else:
        rows = report.rows()
        output.write(output.table(["", ""], rows, colour=output.want_colour(colour)).lstrip("\n"))
    raise typer.Exit(code)


def exit_code(verdict: str) -> ExitCode:
    """The exit code of a verdict."""
    codes = {"better": ExitCode.OK, "not better": ExitCode.NOT_BETTER, "inconclusive": ExitCode.INCONCLUSIVE}
    return codes.get(verdict, ExitCode.FAULT)


def parse_budget(text: str | None) -> tuple[int, float | None]:
    """Games (0 for no limit) and seconds.

    >>> parse_budget("2000"), parse_budget("1h30m")
    ((2000, None), (0, 5400.0))
    """
    if text is None:
        return 0, None
    if re.fullmatch(r"[1-9][0-9]{0,11}", text):
        return int(text), None
    if re.fullmatch(r"([0-9]{1,6}h)?([0-9]{1,6}m)?([0-9]{1,6}s)?", text):
        seconds = sum(int(number) * UNITS[unit] for number, unit in re.findall("([0-9]+)([hms])", text))
        if seconds:
            return 0, float(seconds)
    raise CliError(f"--budget: {text!r} is no number of games and no time", hint="such as 2000, 10m or 1h30m")


@contextmanager
def _mistakes() -> Iterator[None]:
    """Needs the server, and tells what it refuses without a traceback."""
    with arena.needs("hansa_server"):
        errors, event_file = (import_module(f"hansa_server.{name}") for name in ("errors", "tournament.event_file"))
    try:
        yield
    except event_file.Problems as error:
        raise CliError("\n  ".join(_as_option(problem) for problem in error.problems)) from None
    except errors.ArenaError as error:
        raise CliError(str(error)) from None


def _as_option(problem: Any) -> str:
    """A mistake in the event of a test, by the option that made it."""
    section, _, name = problem.where.rpartition(".")
    if section in ("format", "clock", "limits"):
        return f"--{name.replace('_', '-')}: {problem.what}"
    where = problem.where.removesuffix(".uses")
    return f"{ {'bots[0]': 'A', 'bots[1]': 'B'}.get(where, where) }: {problem.what}"


# -- Who plays what ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Player:
    """A bot of a test."""

    name: str
    uses: str
    digest: str = ""  # of its file: another version is another bot


def line_up(bots: Sequence[str]) -> list[Player]:
    """The bots as they were named, each with a name of its own."""
    found: list[Player] = []
    for bot in bots:
        player = _player(bot)
        names = [other.name for other in found]
        count = 2
        name = player.name
        while name in names:
            name = f"{player.name[:58]}-{count}"
            count += 1
        found.append(Player(name, player.uses, player.digest))
    return found


def _player(bot: str) -> Player:
    """A bot as it was named on the command line. Names of built-in ones are checked with the event."""
    if bot.startswith(COMMAND):
        command = bot.removeprefix(COMMAND)
        words = shlex.split(command) if _is_whole(command) else []
        files = [word for word in words if os.path.isfile(word)]
        return Player(_name(Path((files or words[:1] or ["bot"])[-1]).stem), bot, _digest(files))
    if not re.search(r"\.py(:\w+)?$", bot):
        if os.path.exists(bot):
            raise CliError(f"{bot!r} is no Python file", hint=f"a command that starts a bot is {f'{COMMAND}./{bot}'!r}")
        return Player(_name(bot.removeprefix(BUILT_IN)), BUILT_IN + bot.removeprefix(BUILT_IN))
    with arena.needs("hansa_client"):
        from hansa_client import ClientError, load_bot
    file, _, wanted = bot.partition(".py:")
    path = Path(f"{file}.py" if wanted else file).resolve()
    place = f"{path}:{wanted}" if wanted else str(path)
    try:
        load_bot(place)  # mistakes in the file are told better here than by a bot that does not come
    except ClientError as error:
        raise CliError(str(error)) from error.__cause__
    command = shlex.join([sys.executable, "-m", "hansa_client", place])
    return Player(_name(wanted or path.stem), f"{COMMAND}{command}", _digest([str(path)]))


def _is_whole(command: str) -> bool:
    """Whether every quote has an end."""
    try:
        shlex.split(command)
    except ValueError:
        return False
    return True


def _name(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-.")[:60] or "bot"


def _digest(files: Sequence[str]) -> str:
    return hashlib.sha256(b"\0".join(Path(file).read_bytes() for file in files)).hexdigest()


def _read_tables(path: str, given: dict[str, Any]) -> list[Any]:
    if given:
        named = ", ".join(f"--{name.replace('_', '-')}" for name in given)
        raise CliError(f"--tables says all about the tables; leave out {named}")
    try:
        values = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise CliError(f"{path}: cannot be read: {error.strerror}", code=ExitCode.UNREADABLE) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CliError(f"{path}: is no TOML file: {error}", code=ExitCode.UNREADABLE) from None
    tables = values.get("tables")
    if not isinstance(tables, list) or not tables:
        raise CliError(f"{path}: has no [[tables]]", hint="docs/event-files.md shows what they look like")
    return tables


def make_event(
    bots: Sequence[Player],
    question: dict[str, Any],
    tables: Sequence[Any],
    clock: dict[str, float],
    concurrency: int,
    seed: int | None,
) -> Event:
    """The tournament of a test. Its name comes from all that matters: another version of a bot is another test."""
    from hansa_server.tournament import event_file

    values: dict[str, Any] = {
        "format": {"kind": "test", **question},
        "tables": list(tables),
        "bots": [{"name": bot.name, "uses": bot.uses} for bot in bots],
        "clock": clock,
        "rate_unbalanced": True,  # nobody asks for ratings: blocks are fair by themselves
    }
    facts = [values, [bot.digest for bot in bots], seed]
    values["name"] = f"test-{hashlib.sha256(js.dumps(facts, sort_keys=True, default=str).encode()).hexdigest()[:16]}"
    values["limits"] = {"concurrency": concurrency, "voids": 10 * (question["faults"] + 1)}  # the test ends before
    if seed is not None:
        values["seed"] = hashlib.sha256(f"hansa test {seed}".encode()).hexdigest()
    return event_file.from_dict(values)


# -- Playing -------------------------------------------------------------------------------------------------------


def _play(event: Event, store: str | None, seconds: float | None, force: bool) -> Report:
    """Play until there is a verdict, showing how it goes."""
    from hansa_server.errors import NotNow
    from hansa_server.ratings import Verdict
    from hansa_server.serve import set_up_logging
    from hansa_server.settings import Settings
    from hansa_server.tournament import verdict
    from hansa_server.tournament.run import run_event

    set_up_logging(Settings(log_level="error"))
    begin = time.monotonic()
    with _store(store) as address, _display() as show:
        follow = Follow(show)
        try:
            chronicle = run_event(event, address, progress=follow, seconds=seconds, force=force)
        except NotNow as error:
            if not follow.outcome or "has paused itself" not in str(error):
                raise
            found = {**_plain(follow.outcome), "verdict": None}
            return verdict.Report(
                Verdict.FAULT, found, event.pools, time.monotonic() - begin, problem=str(error), test=event.name
            )
        except KeyboardInterrupt:
            if store is not None:
                output.note("the same command goes on with this test")
            raise
    return verdict.report(chronicle, time.monotonic() - begin)


@contextmanager
def _store(store: str | None) -> Iterator[str]:
    if store is not None:
        yield store
        return
    with tempfile.TemporaryDirectory(prefix="hansa-test-", ignore_cleanup_errors=True) as folder:
        yield str(Path(folder) / "test.db")


def _plain(value: Any) -> Any:
    """A protobuf Struct as plain values, with whole numbers as such."""
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


@contextmanager
def _display() -> Iterator[Callable[[int, int, str], None]]:
    """Shows games done, games in all (0 if that is open) and a line: a bar in a terminal, else a line now and then."""
    if sys.stderr.isatty():
        with output.progress("playing", 0) as advance:
            yield lambda done, total, line: advance(done, line, total or None)
        return
    said = time.monotonic()

    def say(done: int, _total: int, line: str) -> None:
        nonlocal said
        if time.monotonic() - said >= LINES_EVERY:
            said = time.monotonic()
            output.note(f"{done} games: {line}")

    yield say


class Follow:
    """Makes a line of what a server tells about a test that runs."""

    def __init__(self, show: Callable[[int, int, str], None]) -> None:
        self._show = show
        self._begin: tuple[float, int] | None = None
        self.outcome: dict[str, Any] = {}

    def __call__(self, message: Any) -> None:
        """What a server tells."""
        from google.protobuf.json_format import MessageToDict

        tournament = message.tournament
        if not tournament.outcome.fields:
            return
        self.outcome = MessageToDict(tournament.outcome)
        now = time.monotonic()
        if self._begin is None:
            self._begin = now, tournament.blocks_finished
        blocks, elapsed = tournament.blocks_finished - self._begin[1], now - self._begin[0]
        rate = blocks / elapsed if elapsed > 0 else 0.0
        self._show(tournament.games_finished, int(self.outcome["budget"] or 0), line_of(self.outcome, rate))


def line_of(outcome: dict[str, Any], rate: float) -> str:
    """How a test stands: the ratio between its bounds, the estimate, and the time left at so many blocks a second."""
    from hansa_server.ratings import Question, blocks_left
    from hansa_server.tournament.verdict import elo, span

    if not outcome["bounds"]:
        return "LLR 0.00, before the first look"
    low, high = outcome["bounds"]
    parts = [f"LLR {outcome['llr']:.2f} between {low:.2f} and {high:.2f}"]
    if outcome["estimate"]:
        parts.append(f"{elo(outcome['estimate']['elo'])} Elo ({span(outcome['estimate'])})")
    if rate > 0:
        budget = None if outcome["budget"] is None else int(outcome["budget"]) // 2
        question = Question(outcome["elo0"], outcome["elo1"], outcome["alpha"], outcome["beta"], budget)
        left = blocks_left(question, int(outcome["blocks"]), outcome["score"], outcome["spread"])
        parts.append(f"{_duration(left[0] / rate)} to {_duration(left[1] / rate)} left")
    return ", ".join(parts)


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


# -- Planning ------------------------------------------------------------------------------------------------------


def _show_plan(event: Event, store: str | None, coloured: bool, json: bool) -> None:
    """How many games the question needs."""
    from hansa_server.ratings import plan, worst_case
    from hansa_server.tournament.pairing import Setup
    from hansa_server.tournament.pairing.sequential import GAMES, first_spread, question_of

    players = tuple(rules.players for rules in event.tables)
    question = question_of(Setup(players, event.settings, lambda _: 0))
    pilot = _pilot(event, store)
    spread, blocks = pilot or (first_spread(players, field=len(event.bots) > 2), 0)
    gap = question.elo1 - question.elo0
    differences = [question.elo0 - gap, question.elo0, question.elo1, question.elo1 + gap, question.elo1 + 4 * gap]
    plans = [plan(question, difference, spread, GAMES) for difference in differences]
    worst = worst_case(question, spread, GAMES)
    if json:
        rows = [_plan_dict(one) for one in plans]
        output.write_json({"spread": round(spread, 4), "pilot": blocks, "plans": rows, "worst": _plan_dict(worst)})
        return
    plans.insert(2, worst)
    cells = [
        [
            f"{one.elo:+.1f}" + (" (worst case)" if one is worst else ""),
            f"{one.better:.0%}",
            f"{one.not_better:.0%}",
            *([f"{one.inconclusive:.0%}"] if question.budget else []),
            f"{one.games:,.0f}",
            f"{one.longest:,}",
        ]
        for one in plans
    ]
    heads = ["true difference", ">better", ">not better", *([">inconclusive"] if question.budget else [])]
    output.write(output.table([*heads, ">games", ">games, 95 %"], cells, colour=coloured))
    source = f"of {blocks} blocks in the store" if pilot else "without any shared luck: real blocks need fewer games"
    output.write(f"Block scores have a standard deviation of {spread:.3f}, {source}.")


def _plan_dict(one: Plan) -> dict[str, Any]:
    return {name: round(value, 4) for name, value in asdict(one).items()}


def _pilot(event: Event, store: str | None) -> tuple[float, int] | None:
    """The spread of the scores that a store has of tests of these bots at these tables, and of how many blocks."""
    from statistics import pstdev

    from hansa_server.ratings.gsprt import FIRST_LOOK
    from hansa_server.store import Store
    from hansa_server.tournament.chronicle import FINISHED
    from hansa_server.tournament.ledger import Ledger
    from hansa_server.tournament.pairing.sequential import score_of

    if store is None or ("://" not in store and not os.path.exists(store)):
        return None
    opened = Store(store)
    try:
        ledger = Ledger(opened)
        scores = [
            score_of(block.number, block.games, event.bots[0].name, event.bots[1].name)
            for stored in ledger.page(limit=1000)
            if (stored.event.format, stored.event.tables, stored.event.bots) == (event.format, event.tables, event.bots)
            for block in ledger.blocks(stored.event.name)
            if block.state == FINISHED
        ]
    finally:
        opened.close()
    return (pstdev(scores), len(scores)) if len(scores) >= FIRST_LOOK and pstdev(scores) > 0 else None
