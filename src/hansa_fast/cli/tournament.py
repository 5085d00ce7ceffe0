"""`hansa tournament`: events that run by themselves, their standings, and what can be checked about them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hansa_fast.cli import arena, output
from hansa_fast.cli.arena import at_server
from hansa_fast.cli.errors import CliError, ExitCode
from hansa_fast.cli.options import ColourOption, JsonOption
from hansa_fast.cli.tournament_live import HEADS, STATES, headline, live, standing_cells

if TYPE_CHECKING:
    from hansa_server.tournament.chronicle import Chronicle
    from hansa_server.tournament.event import Event

app = typer.Typer(
    no_args_is_help=True,
    help="Run tournaments, watch them, and check what came of them.",
    epilog="Example: hansa tournament new > event.toml; hansa tournament run event.toml",
)

FILES, SERVER, OFFLINE = "In one process", "At a server", "With an export or a store"
PAGE = 1000
PATIENCE = 60.0  # seconds for calls that make ratings

EventArgument = Annotated[str, typer.Argument(help="The event as a TOML file.", metavar="EVENT.toml")]
NameArgument = Annotated[str, typer.Argument(help="Name of the tournament.", metavar="NAME")]
ExportArgument = Annotated[str, typer.Argument(help="A file that `export` wrote.", metavar="FILE")]
BackupArgument = Annotated[str, typer.Argument(help="The backup, a file.", metavar="FILE")]
ForceOption = Annotated[
    bool, typer.Option("--force", help="Play more games at once than the machine has cores for, if asked to.")
]
OutOption = Annotated[
    str | None, typer.Option("--out", "-o", help="Folder for the report: page, Markdown, JSON.", metavar="FOLDER")
]
PoolOption = Annotated[str | None, typer.Option("--pool", help="Only this pool.", show_default="all")]


# -- In one process ------------------------------------------------------------------------------------------------


@app.command(rich_help_panel=FILES, epilog="Example: hansa tournament new --format swiss > event.toml")
def new(
    kind: Annotated[str, typer.Option("--format", help="The format of the tournament.")] = "round-robin",
) -> None:
    """Write an event file to begin with."""
    with arena.needs("hansa_server"):
        from hansa_server.tournament import event_file
        from hansa_server.tournament.pairing import formats
    if kind not in formats():
        raise CliError(f"--format: {kind!r} is none of {', '.join(sorted(formats()))}")
    output.write(event_file.example(kind), end="")
    output.note("name your own bots in it; `hansa tournament check` then says whether all is right")


@app.command(rich_help_panel=FILES, epilog="Example: hansa tournament check event.toml")
def check(event: EventArgument, json: JsonOption = False) -> None:
    """Read an event file and name every mistake in it."""
    found = _load(event)
    with arena.needs("hansa_server"):
        from hansa_server.tournament.capacity import games_at_once
    facts = {
        "name": found.name,
        "format": found.format,
        "tables": list(found.pools),
        "bots": [bot.name for bot in found.bots],
        "games_at_once": games_at_once(found.bots, found.limits.concurrency, force=True),
    }
    if json:
        output.write_json(facts)
    else:
        output.write(
            f"{event}: ok, {found.format} of {len(found.bots)} bots at {len(found.tables)} "
            f"{'table' if len(found.tables) == 1 else 'tables'}, {facts['games_at_once']} games at once"
        )


@app.command(rich_help_panel=FILES, epilog="Example: hansa tournament run event.toml --out report")
def run(
    event: EventArgument,
    store: Annotated[
        str | None, typer.Option(help="SQLite file or address of a store.", show_default="NAME.db beside the event")
    ] = None,
    out: OutOption = None,
    address: Annotated[
        str, typer.Option(help="Where connected bots reach it; port 0 picks a free one.", metavar="HOST:PORT")
    ] = "127.0.0.1:0",
    export_to: Annotated[str | None, typer.Option("--export", help="Write the export here.", metavar="FILE")] = None,
    force: ForceOption = False,
    colour: ColourOption = None,
    json: JsonOption = False,
) -> None:
    """Play an event to its end in this process, with a server of its own. Called again, it goes on where it was."""
    found = _load(event)
    with arena.needs("hansa_server"):
        from hansa_server.tournament.numbers import numbers
        from hansa_server.tournament.report import write_all
    place = store or str(Path(event).with_name(f"{found.name}.db"))
    chronicle = play(found, place, address=address, force=force)
    if export_to is not None:
        with arena.opened_store(place, None, must_exist=True) as opened:
            from hansa_server.tournament import archive
            from hansa_server.tournament.ledger import Ledger

            save_pieces(export_to, archive.pieces(Ledger(opened), found.name))
        output.note(f"exported to {export_to}; `hansa tournament verify {export_to}` checks it")
    shown = numbers(chronicle)
    if out is not None:
        for path in write_all(shown, Path(out)):
            output.note(f"wrote {path}")
    if json:
        output.write_json(shown)
    else:
        write_report(shown, output.want_colour(colour))


def play(found: Event, store: str, *, address: str = "127.0.0.1:0", force: bool = False) -> Chronicle:
    """Play an event in this process, with a live display. Ctrl-C leaves it to be gone on with."""
    from hansa_server.errors import ArenaError
    from hansa_server.serve import set_up_logging
    from hansa_server.settings import load_settings
    from hansa_server.tournament.run import run_event

    connected = any(bot.is_connected for bot in found.bots)

    def listening(where: str) -> None:
        if connected:
            output.note(f"bots connect to {where}")

    try:
        settings = load_settings({"log_level": "error"}, {})
        set_up_logging(settings)
        with live() as show:
            return run_event(
                found, store, progress=show, listening=listening, address=address, force=force, settings=settings
            )
    except ArenaError as error:
        raise CliError(str(error), code=ExitCode.REFUSED) from None
    except KeyboardInterrupt:
        output.note(f"{found.name} is left as it is in {store}; the same command goes on with it")
        raise


def _load(path: str) -> Event:
    """The event of a file, or every mistake in it."""
    with arena.needs("hansa_server"):
        from hansa_server.tournament import event_file
    try:
        return event_file.load(Path(path))
    except event_file.Problems as error:
        unreadable = len(error.problems) == 1 and error.problems[0].where == path
        lines = "\n".join(f"  {problem}" for problem in error.problems)
        message = str(error.problems[0]) if unreadable else f"{path}: {_things(len(error.problems))} wrong:\n{lines}"
        code = ExitCode.UNREADABLE if unreadable else ExitCode.USAGE
        hint = (
            "`hansa tournament new` writes one to begin with"
            if unreadable
            else "docs/event-files.md tells all settings"
        )
        raise CliError(message, hint=hint, code=code) from None


def _things(count: int) -> str:
    return "one thing is" if count == 1 else f"{count} things are"


# -- At a server ---------------------------------------------------------------------------------------------------


def stub_of(channel: Any) -> Any:
    """The calls about tournaments."""
    from hansa_client.pb.hansa.v1 import tournament_pb2_grpc

    return tournament_pb2_grpc.TournamentServiceStub(channel)


@app.command(rich_help_panel=SERVER, epilog="Example: hansa tournament create event.toml --start")
@at_server
def create(
    access: arena.Access,
    event: EventArgument,
    start_it: Annotated[bool, typer.Option("--start", help="Begin to play at once.")] = False,
    validate_only: Annotated[bool, typer.Option("--validate-only", help="Let the server check it, no more.")] = False,
    request_id: Annotated[str, typer.Option(help="Sent again, it creates nothing new.", show_default="none")] = "",
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Set a tournament up at a server."""
    found = _load(event)
    with arena.needs("hansa_client"):
        from hansa_client.pb.hansa.v1 import tournament_pb2
        from hansa_server.tournament import wire
    message = wire.event_to_proto(found, private=True)
    message.seed = found.seed
    with access.channel() as channel:
        stub = stub_of(channel)
        request = tournament_pb2.CreateTournamentRequest(
            event=message, request_id=request_id, validate_only=validate_only, force=force
        )
        tournament = stub.CreateTournament(request, timeout=arena.PATIENCE).tournament
        if start_it and not validate_only:
            begin = tournament_pb2.StartTournamentRequest(name=found.name)
            tournament = stub.StartTournament(begin, timeout=arena.PATIENCE).tournament
    _say(tournament, json)


def _changing(name: str, verb: str, doc: str) -> None:
    """A command that changes the state of a tournament."""

    def command(access: arena.Access, tournament: NameArgument, json: JsonOption = False) -> None:
        with arena.needs("hansa_client"):
            from hansa_client.pb.hansa.v1 import tournament_pb2
        request = getattr(tournament_pb2, f"{verb}TournamentRequest")(name=tournament)
        with access.channel() as channel:
            changed = getattr(stub_of(channel), f"{verb}Tournament")(request, timeout=PATIENCE).tournament
        _say(changed, json)

    command.__doc__ = doc
    command.__name__ = name
    app.command(name, rich_help_panel=SERVER, epilog=f"Example: hansa tournament {name} spring-open")(
        at_server(command)
    )


_changing("start", "Start", "Begin to play.")
_changing("pause", "Pause", "Begin no further games; those that run are played to their end.")
_changing("resume", "Resume", "Go on after a pause.")
_changing("stop", "Stop", "End it now: blocks that are not whole do not count, the seed is revealed.")


@app.command(rich_help_panel=SERVER, epilog="Example: hansa tournament concurrency spring-open 4")
@at_server
def concurrency(
    access: arena.Access,
    tournament: NameArgument,
    games: Annotated[int, typer.Argument(help="Games at once; 0 lets the server choose.", min=0)],
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Change how many games are played at once, while it runs."""
    with arena.needs("hansa_client"):
        from hansa_client.pb.hansa.v1 import tournament_pb2
    request = tournament_pb2.SetConcurrencyRequest(name=tournament, concurrency=games, force=force)
    with access.channel() as channel:
        _say(stub_of(channel).SetConcurrency(request, timeout=arena.PATIENCE).tournament, json)


@app.command(rich_help_panel=SERVER, epilog="Example: hansa tournament enter spring-open newcomer")
@at_server
def enter(
    access: arena.Access,
    tournament: NameArgument,
    bot: Annotated[str, typer.Argument(help="Name of the bot.", metavar="BOT")],
    uses: Annotated[
        str, typer.Option(help="Who plays: connected, builtin:NAME, or cmd: and a command line.", metavar="WHO")
    ] = "connected",
    json: JsonOption = False,
) -> None:
    """Let one more bot take part: it gets blocks that are made from now on."""
    with arena.needs("hansa_client"):
        from hansa_client.pb.hansa.v1 import tournament_pb2
    entrant = tournament_pb2.Entrant(name=bot, uses=uses)
    request = tournament_pb2.EnterBotRequest(name=tournament, entrant=entrant)
    with access.channel() as channel:
        _say(stub_of(channel).EnterBot(request, timeout=arena.PATIENCE).tournament, json)


@app.command(rich_help_panel=SERVER, epilog="Example: hansa tournament withdraw spring-open newcomer")
@at_server
def withdraw(
    access: arena.Access,
    tournament: NameArgument,
    bot: Annotated[str, typer.Argument(help="Name of the bot.", metavar="BOT")],
    json: JsonOption = False,
) -> None:
    """Take a bot out: blocks that have not begun are dropped, its results stay."""
    with arena.needs("hansa_client"):
        from hansa_client.pb.hansa.v1 import tournament_pb2
    request = tournament_pb2.WithdrawBotRequest(name=tournament, bot=bot)
    with access.channel() as channel:
        _say(stub_of(channel).WithdrawBot(request, timeout=arena.PATIENCE).tournament, json)


@app.command("list", rich_help_panel=SERVER, epilog="Example: hansa tournament list --json")
@at_server
def list_tournaments(access: arena.Access, colour: ColourOption = None, json: JsonOption = False) -> None:
    """List the tournaments of a server, newest first."""
    with arena.needs("hansa_client"):
        from hansa_client.pb.hansa.v1 import tournament_pb2
    found: list[Any] = []
    with access.channel() as channel:
        stub, page = stub_of(channel), ""
        while True:
            request = tournament_pb2.ListTournamentsRequest(page_size=PAGE, page_token=page)
            response = stub.ListTournaments(request, timeout=arena.PATIENCE)
            found += response.tournaments
            page = response.next_page_token
            if not page:
                break
    if json:
        output.write_json([_as_dict(tournament) for tournament in found])
        return
    rows = [
        [one.name, STATES.get(one.state, "?"), one.event.format, f"{one.games_finished:,}", len(one.line_up)]
        for one in found
    ]
    heads = ["name", "state", "format", ">games", ">bots"]
    shown = output.table(heads, rows, colour=output.want_colour(colour))
    output.write(shown if rows else "there are no tournaments")


@app.command(rich_help_panel=SERVER, epilog="Example: hansa tournament status spring-open")
@at_server
def status(access: arena.Access, tournament: NameArgument, json: JsonOption = False) -> None:
    """Say how far a tournament is, how fast it goes, how long it takes and what went wrong."""
    with arena.needs("hansa_client"):
        from hansa_client.pb.hansa.v1 import tournament_pb2
    with access.channel() as channel:
        request = tournament_pb2.GetTournamentRequest(name=tournament)
        found = stub_of(channel).GetTournament(request, timeout=arena.PATIENCE).tournament
    if json:
        output.write_json(_as_dict(found))
        return
    output.write(f"{found.name}: {headline(found)}")
    output.write(
        f"{found.blocks_finished:,} of {found.blocks_made:,} blocks on the schedule are finished, "
        f"{found.blocks_running} are under way; {found.concurrency or '-'} games at once"
    )
    away = [
        place.entrant.name for place in found.line_up if not place.present and not place.HasField("withdrawn_block")
    ]
    if away and STATES.get(found.state) in ("created", "running", "paused"):
        output.write(f"not connected: {', '.join(map(output.printable, away))}")
    output.write(f"seed committed to as {found.commitment}")
    if found.seed:
        output.write(f"the seed was {found.seed}")
    if found.chain:
        output.write(f"chain after {found.chain_blocks:,} blocks: {found.chain}")


@app.command(rich_help_panel=SERVER, epilog="Example: hansa tournament watch spring-open")
@at_server
def watch(
    access: arena.Access,
    tournament: NameArgument,
    every: Annotated[float, typer.Option(min=0.1, max=3600, help="Seconds between looks.")] = 1.0,
    colour: ColourOption = None,
    json: JsonOption = False,
) -> None:
    """Watch a tournament until it is over; then show its standings. With --json a line whenever it has changed."""
    with arena.needs("hansa_client"):
        from hansa_client.pb.hansa.v1 import tournament_pb2
    request = tournament_pb2.WatchTournamentRequest(name=tournament)
    request.every.FromMilliseconds(round(every * 1000))
    last: Any = None
    with access.channel() as channel, live(quiet=json) as show:
        for message in stub_of(channel).WatchTournament(request):
            last = message
            show(message)
            if json:
                output.write_line_json(_as_dict(message))
    if last is not None and not json:
        output.write(f"{tournament}: {headline(last.tournament)}")
        _write_standings(last.standings, output.want_colour(colour))


@app.command(rich_help_panel=SERVER, epilog="Example: hansa tournament standings spring-open")
@at_server
def standings(
    access: arena.Access,
    tournament: NameArgument,
    pool: PoolOption = None,
    colour: ColourOption = None,
    json: JsonOption = False,
) -> None:
    """Show ratings with their errors, the places a bot may truly hold, and the ladder."""
    with arena.needs("hansa_client"):
        from hansa_client.pb.hansa.v1 import tournament_pb2
    with access.channel() as channel:
        request = tournament_pb2.GetStandingsRequest(name=tournament, pool=pool or "")
        found = stub_of(channel).GetStandings(request, timeout=arena.PATIENCE)
    if json:
        output.write_json(_as_dict(found)["pools"])
    else:
        _write_standings(found.pools, output.want_colour(colour))


@app.command(rich_help_panel=SERVER, epilog="Example: hansa tournament crosstable spring-open")
@at_server
def crosstable(
    access: arena.Access,
    tournament: NameArgument,
    pool: PoolOption = None,
    colour: ColourOption = None,
    json: JsonOption = False,
) -> None:
    """Show who finished ahead of whom how often: ahead, tied and behind, of the row's bot."""
    with arena.needs("hansa_client"):
        from hansa_client.pb.hansa.v1 import tournament_pb2
    with access.channel() as channel:
        request = tournament_pb2.GetCrosstableRequest(name=tournament, pool=pool or "")
        found = stub_of(channel).GetCrosstable(request, timeout=PATIENCE)
    if json:
        output.write_json(_as_dict(found)["cells"])
        return
    pools = list(dict.fromkeys(cell.pool for cell in found.cells))
    if not pools:
        output.write("nobody has met anybody yet")
    for name in pools:
        cells = {(cell.bot, cell.opponent): cell for cell in found.cells if cell.pool == name}
        bots = sorted({bot for bot, _ in cells})
        rows = []
        for bot in bots:
            row = [output.printable(bot)]
            for other in bots:
                one = cells.get((bot, other))
                row.append(f"{one.ahead}-{one.tied}-{one.behind}" if one else "")
            rows.append(row)
        heads = ["", *(f">{output.printable(bot)}" for bot in bots)]
        output.write(output.table(heads, rows, colour=output.want_colour(colour), title=name))


@app.command(rich_help_panel=SERVER, epilog="Example: hansa tournament matches spring-open --bot greedy")
@at_server
def matches(
    access: arena.Access,
    tournament: NameArgument,
    bot: Annotated[str, typer.Option(help="Only games of this bot.", show_default="all")] = "",
    most: Annotated[int, typer.Option("--most", min=1, help="At most so many.")] = 50,
    colour: ColourOption = None,
    json: JsonOption = False,
) -> None:
    """List the games in the order of the schedule, with ids, places and points."""
    with arena.needs("hansa_client"):
        from hansa_client.pb.hansa.v1 import tournament_pb2
    found: list[Any] = []
    page = ""
    with access.channel() as channel:
        stub = stub_of(channel)
        while len(found) < most:
            request = tournament_pb2.ListTournamentMatchesRequest(
                name=tournament, page_size=min(PAGE, most - len(found)), page_token=page, bot=bot
            )
            response = stub.ListTournamentMatches(request, timeout=PATIENCE)
            found += response.matches
            page = response.next_page_token
            if not page:
                break
    if json:
        output.write_json([_as_dict(one) for one in found])
        return
    rows = []
    for one in found:
        seats = [
            f"{one.ranks[seat] if one.ranks else '-'} {output.printable(name)}"
            + (f" {one.totals[seat]}" if one.totals else "")
            + (f" ({one.forfeits[seat]})" if seat in one.forfeits else "")
            for seat, name in enumerate(one.bots)
        ]
        rows.append([one.block, one.game, one.match_id, one.pool, ", ".join(seats)])
    heads = [">block", ">game", "match", "pool", "place, bot and points by seat"]
    shown = output.table(heads, rows, colour=output.want_colour(colour))
    output.write(shown if rows else "no game has begun")
    if page:
        output.note("there are more; --most says how many to show")


@app.command(rich_help_panel=SERVER, epilog="Example: hansa tournament log 1f2e3d4c5b6a7980 my_bot")
@at_server
def log(
    access: arena.Access,
    match_id: Annotated[str, typer.Argument(help="A match, see `matches`.", metavar="MATCH")],
    bot: Annotated[str, typer.Argument(help="A local bot in it.", metavar="BOT")],
) -> None:
    """Show what a local bot wrote to its error output during a match."""
    with arena.needs("hansa_client"):
        from hansa_client.pb.hansa.v1 import tournament_pb2
    with access.channel() as channel:
        request = tournament_pb2.GetBotLogRequest(match_id=match_id, bot=bot)
        text = stub_of(channel).GetBotLog(request, timeout=arena.PATIENCE).text
    output.write(output.printable_lines(text), end="")


@app.command(rich_help_panel=SERVER, epilog="Example: hansa tournament export spring-open spring-open.hansa-event")
@at_server
def export(
    access: arena.Access,
    tournament: NameArgument,
    file: Annotated[str, typer.Argument(help="Where to write it.", metavar="FILE")],
) -> None:
    """Save a whole tournament as one file: event, schedule, every action, ratings. `verify` checks it anywhere."""
    with arena.needs("hansa_client"):
        from hansa_client.pb.hansa.v1 import tournament_pb2
    with access.channel() as channel:
        stream = stub_of(channel).ExportTournament(tournament_pb2.ExportTournamentRequest(name=tournament))
        size = save_pieces(file, (message.data for message in stream))
    output.note(f"{file}: {size:,} bytes; `hansa tournament verify {file}` checks it")


# -- With an export or a store -------------------------------------------------------------------------------------


@app.command(rich_help_panel=OFFLINE, epilog="Example: hansa tournament verify spring-open.hansa-event")
def verify(file: ExportArgument, json: JsonOption = False) -> None:
    """Replay every game of an export and rebuild every hash and rating; name the first difference.

    Needs nothing but the file. The exit code is 1 if anything is not as the file says.
    """
    with _reading(file) as archive, output.progress("checking blocks", 0) as advance:
        try:
            checked = archive.verify(file, lambda done, total: advance(done, total=total))
        except archive.ArchiveError as error:
            if json:
                output.write_json({"file": file, "ok": False, "problem": str(error)})
                raise typer.Exit(ExitCode.WRONG) from None
            raise CliError(f"{file}: {error}", code=ExitCode.WRONG) from None
    if json:
        facts = {"tournament": checked.name, "blocks": checked.blocks, "games": checked.games}
        output.write_json({"file": file, "ok": True, **facts, "actions": checked.actions, "replayed": checked.replayed})
        return
    what = "replayed" if checked.replayed else "not replayed, since the seed is not revealed before the end"
    output.write(
        f"{file}: ok, {checked.name}: {checked.games:,} games in {checked.blocks:,} blocks {what}; "
        f"{checked.actions:,} actions; hashes and ratings are as told"
    )


@app.command(rich_help_panel=OFFLINE, epilog="Example: hansa tournament report spring-open.hansa-event --out report")
def report(file: ExportArgument, out: OutOption = None, colour: ColourOption = None, json: JsonOption = False) -> None:
    """Make the report of an export: in the terminal, and with --out as page, Markdown and JSON."""
    with _reading(file) as archive:
        from hansa_server.tournament.numbers import numbers
        from hansa_server.tournament.report import write_all

        shown = numbers(_loaded(archive, file))
    if out is not None:
        for path in write_all(shown, Path(out)):
            output.note(f"wrote {path}")
    if json:
        output.write_json(shown)
    else:
        write_report(shown, output.want_colour(colour))


@app.command(rich_help_panel=OFFLINE, epilog="Example: hansa tournament explain greedy spring-open.hansa-event")
def explain(
    bot: Annotated[str, typer.Argument(help="Name of the bot.", metavar="BOT")],
    file: ExportArgument,
    pool: PoolOption = None,
    colour: ColourOption = None,
    json: JsonOption = False,
) -> None:
    """Show where the rating of a bot comes from: results, opponents, seats, the blocks that moved it most."""
    with _reading(file) as archive:
        from hansa_server.ratings import RatingError
        from hansa_server.tournament import numbers
        from hansa_server.tournament.report_text import explained

        try:
            found = numbers.explain(_loaded(archive, file), bot, pool)
        except RatingError as error:
            raise CliError(str(error)) from None
    if json:
        output.write_json(found)
    else:
        _write_sheets(explained(found), output.want_colour(colour))


@app.command(rich_help_panel=OFFLINE, epilog="Example: hansa tournament rebuild spring-open --store hansa.db")
def rebuild(
    tournament: NameArgument,
    store: arena.StoreOption = None,
    config: arena.ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Make totals, ladder and ratings anew from the games of a store, and say what was different before."""
    with _claimed(store, config) as ledger:
        from hansa_server.tournament.standings import rebuild as work

        stored = ledger.find(tournament)
        if stored is None:
            raise CliError(f"there is no tournament {tournament!r} in the store", code=ExitCode.UNREADABLE)
        different = work(ledger, tournament, stored.standing)
    if json:
        output.write_json({"tournament": tournament, "different": different})
    else:
        output.write("\n".join(different) if different else f"{tournament}: all derived numbers are the same")


@app.command("import", rich_help_panel=OFFLINE, epilog="Example: hansa tournament import spring-open.hansa-event")
def bring_in(file: ExportArgument, store: arena.StoreOption = None, config: arena.ConfigOption = None) -> None:
    """Take an export into a store, after checking all of it."""
    with (
        _reading(file) as archive,
        _claimed(store, config, must_exist=False) as ledger,
        output.progress("taking in blocks", 0) as advance,
    ):
        try:
            checked = archive.bring_in(ledger, file, lambda done, total: advance(done, total=total))
        except archive.ArchiveError as error:
            raise CliError(f"{file}: {error}", code=ExitCode.WRONG) from None
    output.write(f"{checked.name}: {checked.games:,} games in {checked.blocks:,} blocks are in the store")


@app.command(rich_help_panel=OFFLINE, epilog="Example: hansa tournament backup arena.hansa-backup --store hansa.db")
def backup(
    file: BackupArgument, store: arena.StoreOption = None, config: arena.ConfigOption = None, json: JsonOption = False
) -> None:
    """Save all that a store holds as one file: matches, tournaments, tokens, all of one moment. The server may run."""
    with arena.opened_store(store, config, must_exist=True) as opened, _copying("saving") as copied:
        from hansa_server.tournament import backup as work

        rows = work.backup(opened.engine, file, copied)
    if json:
        output.write_json({"file": file, "rows": rows})
    else:
        output.write(f"{file}: {sum(rows.values()):,} rows of {len(rows)} tables, {os.path.getsize(file):,} bytes")
        output.note("it holds the hashes of tokens and the seeds of running tournaments: keep it to yourself")


@app.command(rich_help_panel=OFFLINE, epilog="Example: hansa tournament restore arena.hansa-backup --store new.db")
def restore(
    file: BackupArgument, store: arena.StoreOption = None, config: arena.ConfigOption = None, json: JsonOption = False
) -> None:
    """Put a backup into a store that is new or empty, of either kind. All that ran goes on at the next start."""
    address = arena.store_address(store, config)
    with arena.telling_of_stores(), _copying("putting back") as copied:
        from hansa_server.tournament import backup as work

        rows = work.restore(file, address, copied)
    if json:
        output.write_json({"file": file, "rows": rows})
    else:
        output.write(f"{file}: {sum(rows.values()):,} rows of {len(rows)} tables are in the store")


@contextmanager
def _copying(doing: str) -> Iterator[Any]:
    """Shows how many rows of which table are copied."""
    with output.progress(doing, 0) as advance:
        yield lambda table, done, total: advance(done, f"{doing} {table}", total)


@contextmanager
def _claimed(store: str | None, config: str | None, *, must_exist: bool = True) -> Iterator[Any]:
    """The tournaments of a store that no server plays from."""
    with arena.opened_store(store, config, must_exist=must_exist) as opened:
        from hansa_server.tournament.ledger import Ledger

        opened.claim()
        yield Ledger(opened)


@contextmanager
def _reading(file: str) -> Iterator[Any]:
    """The module that reads exports; a file that is not there is told so."""
    with arena.needs("hansa_server"):
        from hansa_server.tournament import archive
    try:
        if not os.path.isfile(file):
            raise CliError(f"{file}: there is no such file", code=ExitCode.UNREADABLE)
        yield archive
    except OSError as error:
        raise CliError(f"{file}: cannot be read: {error.strerror}", code=ExitCode.UNREADABLE) from None


def _loaded(archive: Any, file: str) -> Any:
    try:
        return archive.load(file)
    except archive.ArchiveError as error:
        raise CliError(f"{file}: {error}", code=ExitCode.UNREADABLE) from None


# -- What is shown -------------------------------------------------------------------------------------------------


def _say(tournament: Any, json: bool) -> None:
    """How a tournament is after it was changed."""
    if json:
        output.write_json(_as_dict(tournament))
    else:
        output.write(f"{tournament.name}: {headline(tournament)}")


def _as_dict(message: Any) -> Any:
    """A message as plain values, with all that is not set."""
    from google.protobuf import json_format

    return json_format.MessageToDict(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )


def _write_standings(pools: Any, coloured: bool) -> None:
    heads = [head if head == "bot" else f">{head}" for head in HEADS]
    for pool in pools:
        rows = [standing_cells(line) for line in pool.lines]
        if rows:
            output.write(output.table(heads, rows, colour=coloured, title=pool.pool))
        else:
            output.write(f"{pool.pool}: nothing is finished yet")
    if any(line.provisional for pool in pools for line in pool.lines):
        output.write("* provisional: under 30 blocks. Errors are of 95 % intervals.")


def write_report(shown: Any, coloured: bool) -> None:
    """The tables people look at first; the rest is in the report."""
    from hansa_server.tournament import report_text

    sheets = [report_text.facts(shown)]
    for pool in shown["pools"]:
        parts = [report_text.standings(pool), report_text.forfeits(pool)]
        if len(shown["pools"]) == 1:
            parts.insert(1, report_text.crosstable(pool))
        sheets += [replace(sheet, title=f"{pool['pool']}: {sheet.title.lower()}") for sheet in parts]
    if len(shown["pools"]) > 1:
        overall = report_text.overall(shown)
        width = len(report_text.standings(shown["pools"][0]).columns) - 1  # a column for each pool comes after
        rows = tuple(row[:width] for row in overall.rows)
        sheets.append(replace(overall, columns=overall.columns[:width], rows=rows))
    _write_sheets(sheets, coloured)


def _write_sheets(sheets: Any, coloured: bool) -> None:
    for sheet in sheets:
        if sheet.rows:
            output.write(output.table(sheet.columns, sheet.rows, colour=coloured, title=sheet.title) + "\n")


def save_pieces(path: str, pieces: Iterator[bytes]) -> int:
    """Write a file from its pieces; it is there as a whole or not at all."""
    size = 0
    try:
        with open(f"{path}.part", "wb") as file:
            for piece in pieces:
                size += file.write(piece)
        os.replace(f"{path}.part", path)
    except OSError as error:
        raise CliError(f"{path}: cannot be written: {error.strerror}", code=ExitCode.UNREADABLE) from None
    return size
