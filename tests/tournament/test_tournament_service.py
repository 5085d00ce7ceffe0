"""TournamentService over the wire: what each call does in each state, pages, numbers, and what is refused."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from hansa_client.pb.hansa.v1 import play_pb2, tournament_pb2
from hansa_server.tournament import seeds
from hansa_server.tournament.capacity import cores
from hansa_server.tournament.chronicle import DROPPED
from tests.server.bots import Bot, Table, refused, run, table, until
from tests.tournament.running import (
    BUILT_IN,
    CREATED,
    FINISHED,
    LOCAL,
    PAUSED,
    RUNNING,
    SECRET,
    STOPPED,
    call,
    campaign_of,
    check_numbers,
    create,
    event,
    export,
    get,
    ledger,
    matches,
    over,
)

CONNECTED = ("anna", "bert")


def violations(error: grpc.aio.AioRpcError) -> dict[str, str]:
    """The mistakes an error names, by field."""
    status = rpc_status.from_call(error)  # type: ignore[arg-type]
    assert status is not None
    found = error_details_pb2.BadRequest()
    assert any(packed.Unpack(found) for packed in status.details)
    return {violation.field: violation.description for violation in found.field_violations}


async def in_state(arena: Table, state: int) -> None:
    """A tournament of connected bots, none of which is there, in a state; nothing is played by itself."""
    await create(arena, event("open", (*CONNECTED, "dora")), start=False)
    if state in (RUNNING, PAUSED, STOPPED):
        await call(arena, "StartTournament", name="open")
    if state == PAUSED:
        await call(arena, "PauseTournament", name="open")
    if state == STOPPED:
        await call(arena, "StopTournament", name="open")
    assert (await get(arena)).state == state


CHANGES: dict[str, tuple[set[int], int | None, dict[str, Any]]] = {
    "StartTournament": ({CREATED}, RUNNING, {}),
    "PauseTournament": ({RUNNING}, PAUSED, {}),
    "ResumeTournament": ({PAUSED}, RUNNING, {}),
    "StopTournament": ({CREATED, RUNNING, PAUSED}, STOPPED, {}),
    "SetConcurrency": ({CREATED, RUNNING, PAUSED}, None, {"concurrency": 1}),
    "EnterBot": ({CREATED, RUNNING, PAUSED}, None, {"entrant": tournament_pb2.Entrant(name="cora")}),
    "WithdrawBot": ({CREATED, RUNNING, PAUSED}, None, {"bot": "anna"}),
}
NAMES = {CREATED: "created", RUNNING: "running", PAUSED: "paused", FINISHED: "finished", STOPPED: "stopped"}


@pytest.mark.parametrize("state", [CREATED, RUNNING, PAUSED, STOPPED])
def test_every_change_in_every_state(state: int, tmp_path: Path) -> None:
    async def main() -> None:
        for number, (method, (allowed, following, values)) in enumerate(CHANGES.items()):
            folder = tmp_path / str(number)
            folder.mkdir()
            async with table(folder) as arena:
                await in_state(arena, state)
                if state in allowed:
                    answer = (await call(arena, method, name="open", **values)).tournament
                    assert answer.state == (following or state)
                    assert (await get(arena)).state == answer.state, "every change answers with how it is then"
                else:
                    error = await refused(call(arena, method, name="open", **values))
                    assert error.code() is grpc.StatusCode.FAILED_PRECONDITION
                    assert f"is {NAMES[state]}" in (error.details() or "")
                    assert (await get(arena)).state == state
                unknown = await refused(call(arena, method, name="nothing", **values))
                assert unknown.code() is grpc.StatusCode.NOT_FOUND

    run(main())


def test_questions_in_every_state(tmp_path: Path) -> None:
    async def main() -> None:
        for state in (CREATED, RUNNING, PAUSED, STOPPED):
            folder = tmp_path / str(state)
            folder.mkdir()
            async with table(folder) as arena:
                await in_state(arena, state)
                assert [pool.pool for pool in (await call(arena, "GetStandings", name="open")).pools] == [
                    "teutonica:2009:standard-3:2p:10t"
                ]
                assert not (await call(arena, "GetCrosstable", name="open")).cells
                assert not await matches(arena)
                assert [one.state for one in (await call(arena, "ListTournaments")).tournaments] == [state]
                watching = arena.tournaments.WatchTournament(tournament_pb2.WatchTournamentRequest(name="open"))
                first: Any = await watching.read()
                assert first.tournament.state == state
                watching.cancel()
                assert (await export(arena, folder / "export")).stat().st_size > 100

    run(main())


def test_questions_about_nothing(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            for method in ("GetTournament", "GetStandings", "GetCrosstable", "ListTournamentMatches"):
                for name in ("nothing", "", "a\0b"):
                    assert (await refused(call(arena, method, name=name))).code() is grpc.StatusCode.NOT_FOUND, method
            for method in ("WatchTournament", "ExportTournament"):
                stream = getattr(arena.tournaments, method)(getattr(tournament_pb2, f"{method}Request")(name="nothing"))
                assert (await refused(stream.read())).code() is grpc.StatusCode.NOT_FOUND
            await create(arena, event("open", CONNECTED))
            for method in ("GetStandings", "GetCrosstable"):
                error = await refused(call(arena, method, name="open", pool="chess"))
                assert "none of teutonica:" in violations(error)["pool"]
            for match_id, bot in (("none", "anna"), ("a\0b", "anna"), ("none", "a\0b")):
                error = await refused(call(arena, "GetBotLog", match_id=match_id, bot=bot))
                assert error.code() is grpc.StatusCode.NOT_FOUND
            request = tournament_pb2.WatchTournamentRequest(name="open")
            request.every.FromMilliseconds(1)
            assert "every" in violations(await refused(arena.tournaments.WatchTournament(request).read()))

    run(main())


# -- Setting up ----------------------------------------------------------------------------------------------------


def test_validate_only_creates_nothing(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            request = {"event": event(), "validate_only": True, "request_id": "r"}
            told = (await call(arena, "CreateTournament", **request)).tournament
            assert told.commitment == seeds.commitment(SECRET)
            assert (told.state, told.seed, told.event.seed) == (CREATED, "", "")
            assert not (await call(arena, "ListTournaments")).tournaments
            assert (await refused(get(arena))).code() is grpc.StatusCode.NOT_FOUND
            await create(arena, event(), start=False, request_id="r")
            error = await refused(call(arena, "CreateTournament", event=event(), validate_only=True))
            assert error.code() is grpc.StatusCode.ALREADY_EXISTS

    run(main())


def test_one_request_is_one_tournament(address: str, tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path, store=address) as arena:
            first = (await call(arena, "CreateTournament", event=event(), request_id="r")).tournament
            again = (await call(arena, "CreateTournament", event=event(), request_id="r")).tournament
            assert again == first
            other = (await call(arena, "CreateTournament", event=event("other"), request_id="r")).tournament
            assert other.name == "open", "the first one"
            error = await refused(call(arena, "CreateTournament", event=event(), request_id="s"))
            assert error.code() is grpc.StatusCode.ALREADY_EXISTS
            status = rpc_status.from_call(error)  # type: ignore[arg-type]
            found = error_details_pb2.ResourceInfo()
            assert status is not None and any(packed.Unpack(found) for packed in status.details)
            assert (found.resource_type, found.resource_name) == ("tournament", "open")
            assert "request_id" in violations(
                await refused(call(arena, "CreateTournament", event=event("new"), request_id="x" * 65))
            )
            assert [one.name for one in (await call(arena, "ListTournaments")).tournaments] == ["open"]

    run(main())


def test_every_mistake_is_named_at_once(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            wrong = event("two words", {"anna": "builtin:clever", "anna!": "", "bert": "cmd:"}, anchor="nobody")
            wrong.tables[0].board = "esat"
            wrong.settings.update({"rounds": -1, "sets": 3})
            wrong.clock.bank.FromSeconds(-5)
            wrong.seed = "12"
            wrong.limits.voids = 0
            error = await refused(call(arena, "CreateTournament", event=wrong))
            assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
            expected = ["name", "tables[0].board", "bots[0].uses", "bots[1].name", "bots[2].uses", "anchor", "seed"]
            expected += ["format.rounds", "format.sets", "clock.bank", "limits.voids"]
            assert set(violations(error)) == set(expected)
            assert "did you mean east?" in violations(error)["tables[0].board"]
            assert all(f"{field}: " in (error.details() or "") for field in expected)
            settings = event(settings={"rounds": float("nan"), "kind": "swiss"})
            assert set(violations(await refused(call(arena, "CreateTournament", event=settings)))) == {"format.rounds"}
            bad = tournament_pb2.Entrant(name="a b", uses="builtin:x")
            await create(arena, event(), start=False)
            entering = await refused(call(arena, "EnterBot", name="open", entrant=bad))
            assert set(violations(entering)) == {"entrant.name", "entrant.uses"}

    run(main())


def test_more_games_at_once_than_cores(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            many = cores() + 1
            crowded = event(limits={"concurrency": many})
            error = await refused(call(arena, "CreateTournament", event=crowded))
            assert error.code() is grpc.StatusCode.FAILED_PRECONDITION
            assert f"it has {cores()} cores" in (error.details() or "")
            assert (await call(arena, "CreateTournament", event=crowded, force=True)).tournament.concurrency == many
            await create(arena, event("outside", CONNECTED, limits={"concurrency": 500}), start=False)
            assert (await get(arena, "outside")).concurrency == 500, "bots from outside do not need our cores"
            campaign = await create(arena, event("busy", ("anna", "bert", "cora"), settings={"rounds": 3}))
            bots = [await arena.bot(name, lambda _: None) for name in ("anna", "bert", "cora")]
            await until(lambda: campaign.games_running == 18, "all games at once")
            assert (await get(arena, "busy")).games_running == 18
            error = await refused(call(arena, "SetConcurrency", name="open", concurrency=many))
            assert "or force it" in (error.details() or "")
            forced = await call(arena, "SetConcurrency", name="open", concurrency=many + 1, force=True)
            assert forced.tournament.concurrency == many + 1
            assert (await call(arena, "SetConcurrency", name="open")).tournament.concurrency == cores()
            for wrong in (-1, 10_001):
                error = await refused(call(arena, "SetConcurrency", name="busy", concurrency=wrong))
                assert "concurrency" in violations(error)
            assert bots

    run(main())


def test_concurrency_is_changed_while_running(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            campaign = await create(arena, event("open", CONNECTED, settings={"rounds": 4}, limits={"concurrency": 1}))
            bots = [await arena.bot(name, lambda _: None) for name in CONNECTED]
            await until(lambda: campaign.games_running == 1)
            assert (await call(arena, "SetConcurrency", name="open", concurrency=3)).tournament.concurrency == 3
            await until(lambda: campaign.games_running == 3)
            await call(arena, "SetConcurrency", name="open", concurrency=1)
            await let_go(bots)
            await over(arena)
            assert [note.text for note in ledger(arena).notes("open") if note.kind == "concurrency"] == ["3", "1"]

    run(main())


async def let_go(bots: list[Bot]) -> None:
    """Let bots answer what they left open, and all that comes."""
    for bot in bots:
        await bot.let_go()


# -- Pages ---------------------------------------------------------------------------------------------------------


def test_pages_of_tournaments(address: str, tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path, store=address) as arena:
            for number in range(5):
                await create(arena, event(f"event{number}", CONNECTED), start=number == 3)
            names, token = [], ""
            while True:
                page = await call(arena, "ListTournaments", page_size=2, page_token=token)
                assert len(page.tournaments) <= 2
                names += [one.name for one in page.tournaments]
                token = page.next_page_token
                if not token:
                    break
            assert names == [f"event{number}" for number in (4, 3, 2, 1, 0)]
            running = await call(arena, "ListTournaments", state=RUNNING)
            assert [one.name for one in running.tournaments] == ["event3"]
            assert not (await call(arena, "ListTournaments", state=FINISHED)).tournaments
            for nonsense in ("x", "-1", "1.5", "9" * 30, "1 OR 1=1", "٣"):
                assert "page_token" in violations(await refused(call(arena, "ListTournaments", page_token=nonsense)))
            assert "page_size" in violations(await refused(call(arena, "ListTournaments", page_size=-1)))
            assert "state" in violations(await refused(call(arena, "ListTournaments", state=99)))

    run(main())


def test_pages_of_games(address: str, tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path, store=address) as arena:
            bots = {**BUILT_IN, "ran": "builtin:random"}
            await create(arena, event("open", bots))
            chronicle = await over(arena)
            everything = await matches(arena)
            assert await matches(arena, page_size=1) == await matches(arena, page_size=5) == everything
            told = [(game.match_id, tuple(game.bots), tuple(game.ranks), tuple(game.totals)) for game in everything]
            assert told == [
                (game.match_id, game.bots, game.ranks, game.totals)
                for block in chronicle.blocks
                for game in block.games
            ]
            assert [(game.block, game.game) for game in everything] == sorted(
                (game.block, game.game) for game in everything
            )
            assert {game.pool for game in everything} == set(chronicle.event.pools)
            for bot in bots:  # "ran" is the beginning of another name
                mine = await matches(arena, bot=bot, page_size=3)
                assert mine == [game for game in everything if bot in game.bots]
            for nobody in ("nobody", "%", "_", '"', "a\0b"):
                assert not await matches(arena, bot=nobody)
            for nonsense in ("x", "1", "1.", "-1.0", "1.2.3", "9" * 30 + ".0", "1.99999"):
                error = await refused(call(arena, "ListTournamentMatches", name="open", page_token=nonsense))
                assert "page_token" in violations(error), nonsense
            record = await arena.record(everything[0].match_id)
            assert len(record) == chronicle.blocks[0].games[0].actions
            stored = await arena.match(everything[0].match_id)
            assert stored.actions == len(record), "matches that were stored as a whole look like others"

    run(main())


# -- Numbers -------------------------------------------------------------------------------------------------------


def test_numbers_while_running_and_at_the_end(address: str, tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path, store=address) as arena:
            bots = {**BUILT_IN, "anna": "", "bert": ""}
            message = event("open", bots, players=(2, 3), settings={"rounds": 1}, limits={"concurrency": 2})
            quitter = await arena.bot("bert")
            saying: list[asyncio.Future[None]] = []

            def resign(request: Any) -> None:
                said = play_pb2.PlayRequest(resign=play_pb2.Resign(match_id=request.match_id))
                saying.append(asyncio.ensure_future(quitter.say(said)))

            quitter.choose = resign
            campaign = await create(arena, message, force=True)
            await until(lambda: campaign.standing.blocks_finished >= 2 and campaign.waits_for() == "waits for anna")
            await call(arena, "PauseTournament", name="open")
            assert (await get(arena)).problem == ""
            await check_numbers(arena, ledger(arena).chronicle("open"))
            await call(arena, "ResumeTournament", name="open")
            await until(lambda: campaign.waits_for() == "waits for anna")
            found = await get(arena)
            assert found.problem == "waits for anna"
            assert {place.entrant.name: place.present for place in found.line_up} == {
                "random": True,
                "greedy": True,
                "anna": False,
                "bert": True,
            }
            assert found.games_expected > found.games_finished > 0
            await arena.bot("anna")
            chronicle = await over(arena)
            await check_numbers(arena, chronicle)
            found = await get(arena)
            assert found.games_finished == 12 + 12
            assert found.forfeits["resigned"] == sum(
                "resigned" in game.forfeits.values() for block in chronicle.blocks for game in block.games
            )
            assert found.chain == chronicle.blocks[-1].chain
            assert found.chain_blocks == found.blocks_made == len(chronicle.blocks)
            standings = (await call(arena, "GetStandings", name="open")).pools
            assert all(line.HasField("rating") for pool in standings for line in pool.lines)
            assert [pool.rated_blocks for pool in standings] == [6, 4]

    run(main())


def test_watching_ends_with_the_tournament(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            await create(arena, event("open", CONNECTED), start=False)
            request = tournament_pb2.WatchTournamentRequest(name="open")
            request.every.FromMilliseconds(100)
            watching = aiter(arena.tournaments.WatchTournament(request))
            assert (await anext(watching)).tournament.state == CREATED
            bots = [await arena.bot(name, lambda _: None) for name in CONNECTED]
            await call(arena, "StartTournament", name="open")
            await let_go(bots)
            seen = [message async for message in watching]
            assert seen[-1].tournament.state == FINISHED
            assert seen[-1].tournament.seed == SECRET
            assert [line.games for line in seen[-1].standings[0].lines] == [4, 4]
            assert all(line.HasField("rating") for line in seen[-1].standings[0].lines)
            assert [message.tournament.games_finished for message in seen] == sorted(
                message.tournament.games_finished for message in seen
            )
            again = [message async for message in arena.tournaments.WatchTournament(request)]
            assert len(again) == 1, "one that is over is told once"

    run(main())


# -- Pausing and stopping ------------------------------------------------------------------------------------------


def test_a_pause_begins_nothing_more(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            bots = [await arena.bot(name, lambda _: None) for name in CONNECTED]
            campaign = await create(arena, event("open", CONNECTED, settings={"rounds": 3}, limits={"concurrency": 1}))
            await until(lambda: campaign.games_running == 1)
            assert (await call(arena, "PauseTournament", name="open")).tournament.games_running == 1
            await let_go(bots)
            await until(lambda: not arena.arena.live and campaign.games_running == 0)
            campaign.wake()
            await until(lambda: not campaign._wake.is_set(), "a step after that")
            assert (await get(arena)).games_running == 0
            assert len(await matches(arena)) == 1
            assert not arena.arena.live
            assert (await call(arena, "ResumeTournament", name="open")).tournament.state == RUNNING
            chronicle = await over(arena)
            assert [len(block.games) for block in chronicle.finished()] == [2, 2, 2]
            kinds = [note.kind for note in chronicle.notes]
            assert kinds == ["created", "started", "paused", "resumed", "finished"]

    run(main())


def test_a_stop_drops_what_is_not_whole(address: str, tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path, store=address) as arena:
            message = event("open", {**BUILT_IN, "anna": ""}, kind="swiss", settings={"rounds": 5})
            await create(arena, message)
            campaign = campaign_of(arena)
            anna = await arena.bot("anna", lambda _: None)
            await until(lambda: campaign.games_running, "a game of anna")
            running = set(arena.arena.live)
            stopped = (await call(arena, "StopTournament", name="open")).tournament
            assert (stopped.state, stopped.seed, stopped.games_running) == (STOPPED, SECRET, 0)
            assert seeds.commitment(stopped.seed) == stopped.commitment
            chronicle = await over(arena)
            await until(lambda: not arena.arena.live, "what ran is aborted")
            assert {(await arena.match(match_id)).result.reasons[0] for match_id in running} == {"aborted"}
            assert any(block.state == DROPPED for block in chronicle.blocks)
            assert all(block.chain for block in chronicle.blocks)
            await check_numbers(arena, chronicle)
            assert anna.open

    run(main())


def test_a_stop_counts_whole_blocks_behind_one_that_is_not(tmp_path: Path) -> None:
    """The outcome of a format that hears of results in order knows all blocks that count."""

    async def main() -> None:
        async with table(tmp_path) as arena:
            bots = {"anna": "", "bert": "", **BUILT_IN}
            message = event("open", bots, kind="swiss", settings={"rounds": 1})
            campaign = await create(arena, message)
            await until(campaign.waits_for, "only blocks of those who are away are left")
            done = [block for block in ledger(arena).blocks("open") if block.games]
            await call(arena, "StopTournament", name="open")
            chronicle = await over(arena)
            assert chronicle.finished() == [
                block for block in chronicle.blocks if block.number in {one.number for one in done}
            ]
            rows = {row["bot"]: row for row in chronicle.outcome["standings"]}
            for block in chronicle.finished():
                assert all(rows[bot]["games"] == 2 for bot in block.pairing.bots)

    run(main())


def test_a_call_to_stop_may_be_given_up(tmp_path: Path) -> None:
    """Nothing is left half done when the caller does not wait for the answer."""

    async def main() -> None:
        async with table(tmp_path) as arena:
            anna = await arena.bot("anna", lambda _: None)
            campaign = await create(arena, event("open", {"anna": "", "local": LOCAL}))
            await until(lambda: anna.open, "a game against the local bot")
            stopping = arena.tournaments.StopTournament(tournament_pb2.StopTournamentRequest(name="open"))
            await until(lambda: campaign._stop_asked)
            stopping.cancel()
            chronicle = await over(arena)
            assert chronicle.state == "stopped"

    run(main())


# -- One that fails all the time, and two at once --------------------------------------------------------------------


def test_a_bot_that_forfeits_everything_stops_nothing(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            await arena.bot("wild", lambda _: "nonsense")
            message = event("open", {**BUILT_IN, "wild": ""}, settings={"rounds": 1}, forgiven_answers=0)
            await create(arena, message)
            chronicle = await over(arena)
            assert [block.state for block in chronicle.blocks] == ["finished"] * 3
            found = await get(arena)
            assert dict(found.forfeits) == {"illegal answer": 4}
            await check_numbers(arena, chronicle)
            for block in chronicle.blocks:
                for game in block.games:
                    for seat in game.forfeits:
                        assert (game.bots[seat], game.ranks[seat]) == ("wild", 2)

    run(main())


def test_two_tournaments_at_once(address: str, tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path, store=address) as arena:
            for name in CONNECTED:
                await arena.bot(name)
            first = event("first", {**BUILT_IN, "anna": "", "bert": ""}, settings={"rounds": 1})
            second = event("second", {**BUILT_IN, "anna": ""}, players=3, settings={"rounds": 2})
            for message in (first, second):
                await create(arena, message)
            for name, games in (("first", 12), ("second", 6)):
                chronicle = await over(arena, name)
                assert (await get(arena, name)).games_finished == games
                await check_numbers(arena, chronicle)
            ids = [game.match_id for name in ("first", "second") for game in await matches(arena, name)]
            assert len(set(ids)) == len(ids)

    run(main())
