"""What a tournament costs on top of its games, and how fast a large one answers. All ratios are taken in one run.

    python -m benches.tournament                       overhead in process and over gRPC, and answers while it plays
    python -m benches.tournament --games 1000000       standings and status of an event of so many stored games
    python -m benches.tournament --games 1000000 --store postgresql://...      the same on PostgreSQL

In process: a round robin of four built-in bots of a kind, with store, tallies and ratings, beside two bare loops over
the very same games that keep nothing. One asks a bot for every decision, as anybody would write it in Python; the other
has the core play whole games, as the tournament itself does where all bots are policies of the core. Over gRPC: bots
that answer at once, in a tournament and in plain matches of the arena, as many games at once on the same server.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import sqlalchemy as sa

from benches.arena import serve_arena, served
from hansa_client.pb.hansa.v1 import (
    game_pb2,
    match_pb2,
    match_pb2_grpc,
    play_pb2,
    play_pb2_grpc,
    tournament_pb2,
    tournament_pb2_grpc,
    watch_pb2,
    watch_pb2_grpc,
)
from hansa_fast import Rules
from hansa_fast.bots import make_bot
from hansa_server.match import BUILT_IN, SEQUENCE_STEP, WORD, MatchSpec, choice_seed, judge, play_out
from hansa_server.serve import Server, set_up_logging
from hansa_server.settings import Settings
from hansa_server.store import Store, outcome_to_dict, pack, spec_to_dict, utc_now
from hansa_server.tournament import event_file, seeds, standings
from hansa_server.tournament.block import Pairing, rotations
from hansa_server.tournament.event import Event
from hansa_server.tournament.games import played_game, result_to_json, specs_of, to_json
from hansa_server.tournament.ledger import OVER, Ledger, Standing

ROUNDS = 3
BOTS = 16
AT_ONCE = 64  # games over gRPC
SECONDS = 3.0  # of each round over gRPC
CALLS = 20  # whose times are taken
KINDS = ("random", "greedy", "planner")


def event(name: str, rounds: int, kind: str = KINDS[0]) -> Event:
    """Four built-in bots that answer at once, at the usual table."""
    return event_file.from_dict(
        {
            "name": name,
            "format": {"kind": "round-robin", "rounds": rounds},
            "tables": [{"players": 4}],
            "bots": [{"name": f"{kind}-{k}", "uses": f"builtin:{kind}"} for k in range(4)],
        }
    )


# -- In process ----------------------------------------------------------------------------------------------------


def asked(specs: Sequence[MatchSpec]) -> tuple[float, int]:
    """Seconds and decisions of these games, one after the other: a bot is asked for every decision, nothing is kept."""
    begin, decisions = time.perf_counter(), 0
    bots = {name: make_bot(name.removeprefix(BUILT_IN)) for spec in specs for name in spec.sessions}
    for spec in specs:
        state, seed = spec.rules.new(spec.seed), choice_seed(spec.seed, 0)
        choices, apply = [bots[name].choose for name in spec.sessions], state.apply
        while not state.is_over:
            apply(choices[state.player](state, seed))
            seed = (seed + SEQUENCE_STEP) & WORD
            decisions += 1
        judge(state, (None,) * spec.rules.players, tuple(state.result()["reasons"]))
    return time.perf_counter() - begin, decisions


def whole(specs: Sequence[MatchSpec]) -> tuple[float, int]:
    """Seconds and decisions of these games, one after the other, each played by the core; nothing is kept."""
    begin = time.perf_counter()
    decisions = sum(len(play_out(spec)[0]) for spec in specs)
    return time.perf_counter() - begin, decisions


async def played(server: Server, wanted: Event) -> tuple[float, int, list[MatchSpec]]:
    """Seconds and decisions of a tournament, from its start until its result stands; and its games."""
    director = server.director
    director.create(wanted)
    campaign = director.campaign(wanted.name)
    begin = time.perf_counter()
    async with campaign.lock:
        await campaign.start()
    await campaign.ended()
    took = time.perf_counter() - begin
    chronicle = director.ledger.chronicle(wanted.name)
    entrants = {place.entrant.name: place.entrant for place in chronicle.line_up}
    specs = [
        spec
        for block in chronicle.finished()
        for spec in specs_of(wanted, entrants, chronicle.secret, block.number, block.pairing, block.attempt)
    ]
    return took, campaign.standing.decisions, specs


def in_process(kind: str, rounds: int = ROUNDS, length: int = 800) -> dict[str, float]:
    """Rates of all, in rounds that take turns; the share is the median of the rounds' ratios."""

    async def main() -> list[tuple[int, float, float, float]]:
        found = []
        with tempfile.TemporaryDirectory() as folder:
            server = Server(Settings(address="127.0.0.1:0", store=f"{folder}/arena.db", log_level="error"))
            await server.start()
            for number in range(rounds):
                took, decisions, specs = await played(server, event(f"bench-{number}", length, kind))
                (loop, again), (core, once_more) = asked(specs), whole(specs)
                assert decisions == again == once_more, "the same games"
                found.append((len(specs), decisions / took, decisions / loop, decisions / core))
            await server.stop(0.0)
        return found

    rows = asyncio.run(main())
    return {
        "games": sum(row[0] for row in rows),
        "tournament": statistics.median(row[1] for row in rows),
        "asked": statistics.median(row[2] for row in rows),
        "share of asked": statistics.median(row[1] / row[2] for row in rows),
        "whole": statistics.median(row[3] for row in rows),
        "share of whole": statistics.median(row[1] / row[3] for row in rows),
    }


# -- Over gRPC -----------------------------------------------------------------------------------------------------


class Count:
    """Decisions so far."""

    made = 0


@asynccontextmanager
async def bots(channel: grpc.aio.Channel) -> AsyncIterator[Count]:
    """Bots that answer at once."""
    count = Count()

    async def bot(name: str) -> None:
        call = play_pb2_grpc.PlayServiceStub(channel).Play()
        hello = play_pb2.Hello(name=name, max_matches=200, event_delivery=play_pb2.EVENT_DELIVERY_WITH_DECISIONS)
        await call.write(play_pb2.PlayRequest(hello=hello))
        while True:
            message: Any = await call.read()
            if message.WhichOneof("message") == "decision_request":
                asked = message.decision_request
                legal = asked.legal_actions
                answer = play_pb2.Answer(
                    match_id=asked.match_id, sequence=asked.sequence, action=legal[asked.sequence * 7 % len(legal)]
                )
                await call.write(play_pb2.PlayRequest(answer=answer))
                count.made += 1

    tasks = [asyncio.create_task(bot(name)) for name in names()]
    stub = match_pb2_grpc.MatchServiceStub(channel)
    while len((await stub.ListBots(match_pb2.ListBotsRequest(page_size=1000))).bots) < BOTS:
        await asyncio.sleep(0.02)
    try:
        yield count
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def names() -> list[str]:
    """The bots."""
    return [f"bot-{k}" for k in range(BOTS)]


async def rate(count: Count, seconds: float) -> float:
    """Decisions a second, once all is under way."""
    while count.made < 20 * AT_ONCE:
        await asyncio.sleep(0.05)
    before, begin = count.made, time.perf_counter()
    await asyncio.sleep(seconds)
    return (count.made - before) / (time.perf_counter() - begin)


async def arena_rate(address: str, seconds: float) -> float:
    """Decisions a second in plain matches. One that ends is followed by another, as in a tournament."""
    async with grpc.aio.insecure_channel(address) as channel, bots(channel) as count:
        stub = match_pb2_grpc.MatchServiceStub(channel)
        begun: list[str] = []

        async def begin(number: int) -> None:
            pair = [f"bot-{number % BOTS}", f"bot-{(number + 1 + number // BOTS % (BOTS - 1)) % BOTS}"]
            rules = game_pb2.Rules(players=2, turn_limit=200)
            request = match_pb2.CreateMatchRequest(rules=rules, bots=pair, seed=number)
            begun.append((await stub.CreateMatch(request)).match.match_id)

        async def follow() -> None:
            news = watch_pb2_grpc.WatchServiceStub(channel).WatchMatches(watch_pb2.WatchMatchesRequest())
            while True:
                message: Any = await news.read()
                if message.match.state == match_pb2.MATCH_STATE_FINISHED:
                    await begin(len(begun))

        for number in range(AT_ONCE):
            await begin(number)
        follower = asyncio.create_task(follow())
        found = await rate(count, seconds)
        follower.cancel()
        await asyncio.gather(follower, return_exceptions=True)
        for match_id in begun:
            match = (await stub.GetMatch(match_pb2.GetMatchRequest(match_id=match_id))).match
            if match.state == match_pb2.MATCH_STATE_RUNNING:
                await stub.AbortMatch(match_pb2.AbortMatchRequest(match_id=match_id))
    return found


async def tournament_rate(address: str, seconds: float, name: str) -> float:
    """Decisions a second in a tournament."""
    async with grpc.aio.insecure_channel(address) as channel, bots(channel) as count:
        stub = tournament_pb2_grpc.TournamentServiceStub(channel)
        wanted = tournament_pb2.Event(
            name=name,
            format="round-robin",
            tables=[game_pb2.Rules(players=2, turn_limit=200)],
            bots=[tournament_pb2.Entrant(name=bot) for bot in names()],
        )
        wanted.settings.update({"rounds": 1000})
        wanted.limits.concurrency = AT_ONCE
        await stub.CreateTournament(tournament_pb2.CreateTournamentRequest(event=wanted))
        await stub.StartTournament(tournament_pb2.StartTournamentRequest(name=name))
        found = await rate(count, seconds)
        await stub.StopTournament(tournament_pb2.StopTournamentRequest(name=name))
    return found


def over_grpc(rounds: int = ROUNDS, seconds: float = SECONDS) -> dict[str, float]:
    """Rates of both on one server, in rounds that take turns."""
    arenas, tournaments = [], []
    with served(serve_arena) as address:
        for number in range(rounds):
            arenas.append(asyncio.run(arena_rate(address, seconds)))
            tournaments.append(asyncio.run(tournament_rate(address, seconds, f"bench-{number}")))
    shares = [full / plain for full, plain in zip(tournaments, arenas, strict=True)]
    return {
        "arena": statistics.median(arenas),
        "tournament": statistics.median(tournaments),
        "share": statistics.median(shares),
    }


# -- A large event -------------------------------------------------------------------------------------------------


def fill(ledger: Ledger, count: int) -> Event:
    """Put a finished tournament of so many games into an empty store: all rows that a real one would have. The games
    are a few real ones, stored again and again under other ids; all that is derived is derived from them."""
    wanted = event("large", max(1, count // 8))
    secret = seeds.draw()
    ledger.create(wanted, secret, seeds.commitment(secret), "", utc_now())
    entrants = {bot.name: bot for bot in wanted.bots}

    pairing = Pairing(0, 1, rotations([bot.name for bot in wanted.bots]))
    models = []
    for number in range(8):
        for spec in specs_of(wanted, entrants, secret, number, pairing, 0):
            actions, outcome = play_out(spec)
            packed = pack(actions)
            models.append((spec, packed, outcome, played_game(spec, packed, outcome)))
    postgresql = ledger.engine.dialect.name == "postgresql"
    now: Any = utc_now() if postgresql else utc_now().replace(tzinfo=None).isoformat(" ", timespec="microseconds")
    mark = "%s" if postgresql else "?"
    seatings = to_json(pairing.seatings)
    step = 5000  # blocks a transaction
    blocks = count // 4
    for first in range(0, blocks, step):
        numbers = range(first, min(first + step, blocks))
        rows: dict[str, list[tuple[Any, ...]]] = {"blocks": [], "games": [], "matches": [], "records": []}
        for number in numbers:
            rows["blocks"].append(("large", number, 0, 1, seatings, "finished", 0, f"{number:064x}"))
            for game in range(4):
                spec, packed, outcome, result = models[(number % 8) * 4 + game]
                match_id = f"{number * 4 + game:016x}"
                rows["games"].append(("large", number, game, match_id, result_to_json(result)))
                text = to_json({**spec_to_dict(spec), "match_id": match_id})
                over = to_json(outcome_to_dict(outcome))
                rows["matches"].append((match_id, number * 4 + game, None, text, "finished", now, now, over))
                rows["records"].append((match_id, packed))
        with ledger.engine.begin() as connection:
            for table, width in (("blocks", 8), ("matches", 8), ("records", 2), ("games", 5)):
                marks = ", ".join([mark] * width)
                connection.exec_driver_sql(f"INSERT INTO {table} VALUES ({marks})", rows[table])
        _say(f"{4 * numbers[-1] + 4:,} games are in the store")
    with ledger.engine.begin() as connection:
        if postgresql:
            connection.execute(sa.text("ANALYZE"))
    standing = Standing(state=OVER, started=utc_now(), ended=utc_now(), outcome={})
    tally, standing, fits = standings.derive(ledger.chronicle("large"), standing)
    ledger.replace_derived("large", tally, standing, fits)
    return wanted


def answers(address: str, count: int) -> dict[str, float]:
    """Seconds that `standings` and `status` take over gRPC on a store with one large event."""
    store = Store(address)
    begin = time.perf_counter()
    fill(Ledger(store), count)
    filled = time.perf_counter() - begin
    store.close()

    async def main() -> dict[str, float]:
        server = Server(Settings(address="127.0.0.1:0", store=address, log_level="error"))
        await server.start()
        found: dict[str, float] = {"games": count, "filled": filled}
        async with grpc.aio.insecure_channel(server.address) as channel:
            stub = tournament_pb2_grpc.TournamentServiceStub(channel)
            calls = {
                "standings": (stub.GetStandings, tournament_pb2.GetStandingsRequest(name="large")),
                "status": (stub.GetTournament, tournament_pb2.GetTournamentRequest(name="large")),
                "crosstable": (stub.GetCrosstable, tournament_pb2.GetCrosstableRequest(name="large")),
                "matches": (stub.ListTournamentMatches, tournament_pb2.ListTournamentMatchesRequest(name="large")),
            }
            for name, (call, request) in calls.items():
                times = []
                for _ in range(CALLS):
                    begin = time.perf_counter()
                    await call(request)  # type: ignore[operator]
                    times.append(time.perf_counter() - begin)
                found[name] = max(times)
            games = (await stub.GetTournament(tournament_pb2.GetTournamentRequest(name="large"))).tournament
            assert games.games_finished == count // 4 * 4
        await server.stop(0.0)
        return found

    return asyncio.run(main())


def while_playing(seconds: float = SECONDS * 3) -> dict[str, float]:
    """Seconds that `standings` and `status` take while the same server plays short games of built-in bots as fast as it
    can: what is counted and written then is in the way."""

    async def main(folder: str) -> dict[str, float]:
        server = Server(Settings(address="127.0.0.1:0", store=f"{folder}/arena.db", log_level="error"))
        await server.start()
        found: dict[str, list[float]] = {"standings": [], "status": []}
        wanted = event("busy", 1_000_000, "greedy")
        async with grpc.aio.insecure_channel(server.address) as channel:
            stub: Any = tournament_pb2_grpc.TournamentServiceStub(channel)
            server.director.create(replace(wanted, tables=(Rules(game="hansa", players=4),)))
            await stub.StartTournament(tournament_pb2.StartTournamentRequest(name="busy"))
            begin = time.perf_counter()
            while time.perf_counter() < begin + seconds:
                for name, call, request in (
                    ("standings", stub.GetStandings, tournament_pb2.GetStandingsRequest(name="busy")),
                    ("status", stub.GetTournament, tournament_pb2.GetTournamentRequest(name="busy")),
                ):
                    asked_at = time.perf_counter()
                    await call(request)
                    found[name].append(time.perf_counter() - asked_at)
                await asyncio.sleep(0.05)
            took = time.perf_counter() - begin
            games = server.director.campaign("busy").standing.games_finished
        await server.stop(0.0)
        slowest = {name: max(times) for name, times in found.items()}
        return {"games": games / took, "calls": len(found["status"]), **slowest}

    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(main(folder))


def _say(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r{text} ", end="", file=sys.stderr, flush=True)


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(prog="python -m benches.tournament", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="for programs")
    parser.add_argument("--games", type=int, default=0, help="store so many games, and ask about them")
    parser.add_argument("--store", default="", help="an empty store to put them into (default: an SQLite file)")
    arguments = parser.parse_args()
    set_up_logging(Settings(log_level="error"))
    if arguments.games:
        with tempfile.TemporaryDirectory() as folder:
            found: dict[str, Any] = answers(arguments.store or str(Path(folder) / "large.db"), arguments.games)
    else:
        found = {"in process": {kind: in_process(kind) for kind in KINDS}, "over gRPC": over_grpc()}
        found["while playing"] = while_playing()
    if arguments.json:
        print(json.dumps(found))
        return
    if arguments.games:
        print(f"\n{found['games']:,} games; the slowest of {CALLS} calls, in milliseconds:")
        for name in ("standings", "status", "crosstable", "matches"):
            print(f"{name:12}{1000 * found[name]:9.1f}")
        return
    print(f"\n{'decisions/s':24}{'without':>12} {'tournament':>12}   share")
    for kind, row in found["in process"].items():
        for loop in ("asked", "whole"):
            share = 100 * row[f"share of {loop}"]
            print(f"{f'{kind}, {loop}':24}{row[loop]:12,.0f} {row['tournament']:12,.0f} {share:6.0f} %")
    row = found["over gRPC"]
    print(f"{'over gRPC':24}{row['arena']:12,.0f} {row['tournament']:12,.0f} {100 * row['share']:6.0f} %")
    row = found["while playing"]
    slowest = ", ".join(f"{name} {1000 * row[name]:.0f} ms" for name in ("standings", "status"))
    rate = f"{row['games']:,.0f} games of Hansa a second"
    print(f"\nWhile {rate} are played, the slowest of {row['calls']} calls: {slowest}")


if __name__ == "__main__":
    main()
