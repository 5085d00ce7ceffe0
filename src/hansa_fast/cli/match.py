"""`hansa match`: a match between bots, at a server or in this process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Annotated, Any

import typer

import hansa_fast as hf
from hansa_fast import _draw
from hansa_fast.bots import KINDS, BotNameError, make_bot
from hansa_fast.cli import arena, output
from hansa_fast.cli.errors import CliError, ExitCode
from hansa_fast.cli.options import (
    BoardOption,
    ColourOption,
    DrawnSeedOption,
    EditionOption,
    FavoursOption,
    GameOption,
    JsonOption,
    LayoutOption,
    MissionsOption,
    TurnLimitOption,
    draw_seed,
    make_rules,
)
from hansa_fast.cli.show import parse_layout

EPILOG = "Example: hansa match --bot greedy --bot random --bot random --seed 7 --save match.hansa"

BUILT_IN = "builtin:"
CLOCK = "Clock and forfeits (at a server)"


@dataclass(frozen=True)
class Seat:
    """How a bot came out."""

    bot: str
    scores: dict[str, int]
    total: int
    rank: int
    forfeit: str | None = None


@dataclass(frozen=True)
class Finished:
    """A match that is over."""

    record: hf.Game
    reasons: tuple[str, ...]
    seats: tuple[Seat, ...]
    match_id: str | None = None


@dataclass(frozen=True)
class Terms:
    """What a server is told about a match besides its rules."""

    per_decision: float | None = None
    bank: float | None = None
    increment: float | None = None
    grace: float | None = None
    on_forfeit: str | None = None
    anonymous: bool = False


def match(
    bot: Annotated[
        list[str] | None,
        typer.Option(
            help="Who sits at seat 0; repeat for the next seats. At a server: a connected bot, or a built-in one "
            f"such as builtin:planner. In this process: {', '.join(KINDS)}, or a Python file with a bot."
        ),
    ] = None,
    server: arena.ServerOption = None,
    token: arena.TokenOption = None,
    token_file: arena.TokenFileOption = None,
    tls: arena.TlsOption = False,
    tls_ca: arena.TlsCaOption = None,
    tls_cert: arena.TlsCertOption = None,
    tls_key: arena.TlsKeyOption = None,
    game: GameOption = None,
    edition: EditionOption = None,
    board: BoardOption = None,
    missions: MissionsOption = False,
    favours: FavoursOption = False,
    turn_limit: TurnLimitOption = None,
    seed: DrawnSeedOption = None,
    per_decision: Annotated[
        float | None, typer.Option(min=0, help="Seconds for a decision.", rich_help_panel=CLOCK)
    ] = None,
    bank: Annotated[float | None, typer.Option(min=0, help="Seconds for the match.", rich_help_panel=CLOCK)] = None,
    increment: Annotated[
        float | None, typer.Option(min=0, help="Seconds added to the bank after each answer.", rich_help_panel=CLOCK)
    ] = None,
    grace: Annotated[
        float | None, typer.Option(min=0, help="Seconds of network delay not charged.", rich_help_panel=CLOCK)
    ] = None,
    on_forfeit: Annotated[
        str | None,
        typer.Option(
            help="What a forfeit does.", metavar="end|replace", show_default="the server's", rich_help_panel=CLOCK
        ),
    ] = None,
    anonymous: Annotated[
        bool, typer.Option("--anonymous", help="Bots do not hear who the others are.", rich_help_panel=CLOCK)
    ] = False,
    save: Annotated[str | None, typer.Option(help="Write the record to this file.", metavar="FILE")] = None,
    layout: LayoutOption = "auto",
    colour: ColourOption = None,
    json: JsonOption = False,
) -> None:
    """Let bots play a match, watch it, and show how it ended.

    With --server (or the variable HANSA_SERVER) the match is played there; otherwise in this process, without clocks.
    """
    drawn = parse_layout(layout)
    bots = bot or []
    if len(bots) < 2:
        raise CliError("a match needs at least two bots", hint="--bot greedy --bot random")
    rules = make_rules(game, edition, board, len(bots), missions, favours, turn_limit)
    terms = Terms(per_decision, bank, increment, grace, on_forfeit, anonymous)
    if on_forfeit not in (None, "end", "replace"):
        raise CliError(f"--on-forfeit: must be end or replace, not {on_forfeit!r}")
    if server is not None:
        access = arena.Access(server, token, token_file, tls, tls_ca, tls_cert, tls_key)
        finished = _play_at_server(access, rules, bots, seed, terms)
    else:
        if terms != Terms():
            raise CliError("clocks and forfeits are a server's", hint="--server says where one is")
        finished = _play_here(rules, bots, draw_seed() if seed is None else seed)
    if save is not None:
        output.save_text(save, finished.record.to_text())
        output.note(f"saved in {save}; `hansa replay {save}` shows it")
    if json:
        output.write_json(_as_dict(finished))
    elif save != "-":
        coloured = output.want_colour(colour)
        width = output.terminal_width()
        state = finished.record.state
        output.write(_draw.text(state, colour=coloured, width=width, layout=drawn, names=_distinct(bots)))
        output.write(_table(finished, coloured))
    if finished.reasons == ("aborted",):
        raise CliError("an organiser stopped the match", code=ExitCode.WRONG)


# -- In this process -----------------------------------------------------------------------------------------------


def _play_here(rules: hf.Rules, bots: Sequence[str], seed: int) -> Finished:
    files = any(".py" in name for name in bots)
    record = _play_files(rules, bots, seed) if files else _play_built_in(rules, bots, seed)
    state = record.state
    ranks = state.result()["ranks"]
    seats = []
    for seat, score in enumerate(state.scores()):
        scores = {category: points for category, points in score.items() if category != "total"}
        seats.append(Seat(bots[seat], scores, score["total"], ranks[seat]))
    return Finished(record, tuple(state.result()["reasons"]), tuple(seats))


def _play_files(rules: hf.Rules, bots: Sequence[str], seed: int) -> hf.Game:
    """A game between bots of the client package: they see what they would see on a server."""
    with arena.needs("hansa_client"):
        client, local = (import_module(name) for name in ("hansa_client", "hansa_client.local"))
    try:
        made = [client.load_bot(name.removeprefix(BUILT_IN)) for name in bots]
        record: hf.Game = local.play(made, rules, seed).game
    except client.ClientError as error:
        raise CliError(f"--bot: {error}") from None
    return record


def _play_built_in(rules: hf.Rules, bots: Sequence[str], seed: int) -> hf.Game:
    names = [name.removeprefix(BUILT_IN) for name in bots]
    try:
        players = [make_bot(name) for name in names]
    except BotNameError as error:
        hint = "bots that are connected to a server play there: --server says where it is"
        raise CliError(f"--bot: {error}", hint="" if "did you mean" in str(error) else hint) from None
    record = hf.Game(rules, seed, tags={f"Seat {seat}": name for seat, name in enumerate(bots)})
    state = record.state
    with output.progress("playing", rules.turn_limit or 0) as advance:
        while not state.is_over:
            text = f"turn {state.turn}: {bots[state.player]}"
            action = players[state.player].choose(state, (seed << 32 | len(record)) % 2**64)
            record.play(action)
            state.apply(action)
            advance(state.turn, text, rules.turn_limit)
    return record


# -- At a server ---------------------------------------------------------------------------------------------------


def _play_at_server(
    access: arena.Access, rules: hf.Rules, bots: Sequence[str], seed: int | None, terms: Terms
) -> Finished:
    with arena.needs("hansa_client"):
        from hansa_client.pb.hansa.v1 import match_pb2, match_pb2_grpc
    with access.channel() as channel:
        matches = match_pb2_grpc.MatchServiceStub(channel)
        response = matches.CreateMatch(_request(rules, bots, seed, terms), timeout=arena.PATIENCE)
        match_id = response.match.match_id
        output.note(f"match {match_id} at {access.server}")
        try:
            result = _watch(channel, match_id, rules, bots)
        except KeyboardInterrupt:
            output.note(f"match {match_id} goes on at the server")
            raise
        text = matches.GetRecord(match_pb2.GetRecordRequest(match_id=match_id), timeout=arena.PATIENCE).text
    seats = []
    for row in result.seats:
        scores = {entry.category: entry.points for entry in row.scores}
        seats.append(Seat(bots[row.seat], scores, row.total, row.rank, _reason(row.forfeit)))
    return Finished(hf.Game.from_text(text), tuple(result.reasons), tuple(seats), match_id)


def _request(rules: hf.Rules, bots: Sequence[str], seed: int | None, terms: Terms) -> Any:
    from google.protobuf.duration_pb2 import Duration

    from hansa_client.pb.hansa.v1 import clock_pb2, game_pb2, match_pb2

    options = {name: value for name, value in rules.to_dict().items() if value is not None}
    request = match_pb2.CreateMatchRequest(
        rules=game_pb2.Rules(**options), bots=bots, seed=seed, anonymous=terms.anonymous
    )
    if terms.on_forfeit is not None:
        request.forfeit_policy = match_pb2.ForfeitPolicy.Value(f"FORFEIT_POLICY_{terms.on_forfeit.upper()}")
    times = {name: getattr(terms, name) for name in ("per_decision", "bank", "increment", "grace")}
    given = {name: value for name, value in times.items() if value is not None}
    if given:
        clock = {name: Duration(nanos=0, seconds=0) for name in given}
        for name, value in given.items():
            clock[name].FromNanoseconds(round(value * 1e9))
        request.clock.CopyFrom(clock_pb2.ClockRules(**clock))
    return request


def _watch(channel: Any, match_id: str, rules: hf.Rules, bots: Sequence[str]) -> Any:
    """Show how the match goes, until it is over; returns its result."""
    from hansa_client.pb.hansa.v1 import watch_pb2, watch_pb2_grpc

    stub = watch_pb2_grpc.WatchServiceStub(channel)
    played = 0
    with output.progress("playing", 0) as advance:
        for news in stub.WatchMatch(watch_pb2.WatchMatchRequest(match_id=match_id, texts=True)):
            for lost in news.forfeits:
                output.note(f"{bots[lost.seat]} forfeits seat {lost.seat}: {_reason(lost.reason)}")
            if news.actions:
                last = news.actions[-1].action
                played = last.sequence + 1
                advance(played, f"{bots[last.seat]}: {last.text}")
            if news.HasField("result"):
                return news.result
    raise CliError(f"the server ended the story of match {match_id} on {rules.board}", code=ExitCode.REFUSED)


def _reason(forfeit: int) -> str | None:
    """A reason for a forfeit in words."""
    from hansa_client.pb.hansa.v1 import game_pb2

    if forfeit == game_pb2.FORFEIT_REASON_UNSPECIFIED:
        return None
    name: str = game_pb2.ForfeitReason.Name(forfeit)  # type: ignore[arg-type]
    return name.removeprefix("FORFEIT_REASON_").lower().replace("_", " ")


# -- What is shown -------------------------------------------------------------------------------------------------


def _distinct(bots: Sequence[str]) -> list[str]:
    """Names that tell the seats apart on the board."""
    return [name if bots.count(name) == 1 else f"{name} {seat}" for seat, name in enumerate(bots)]


def _table(finished: Finished, coloured: bool) -> str:
    """The seats, the best first."""
    categories = list(finished.seats[0].scores)
    rows = []
    for seat, row in sorted(enumerate(finished.seats), key=lambda pair: pair[1].rank):
        rows.append([row.rank, seat, row.bot, *row.scores.values(), row.total, row.forfeit or ""])
    heads = [">place", ">seat", "bot", *(f">{category}" for category in categories), ">total", "forfeit"]
    title = f"Result ({', '.join(finished.reasons)}; {len(finished.record)} actions, seed {finished.record.seed})"
    return output.table(heads, rows, colour=coloured, title=title)


def _as_dict(finished: Finished) -> dict[str, Any]:
    seats = [{"seat": seat, **asdict(row)} for seat, row in enumerate(finished.seats)]
    record = finished.record
    facts = {"match": finished.match_id, "rules": record.rules.to_dict(), "seed": record.seed, "actions": len(record)}
    return {**facts, "reasons": list(finished.reasons), "seats": seats}
