"""A full disk and a database that goes away: play stops, says so, and goes on as if nothing had happened."""

from __future__ import annotations

import asyncio
import resource
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from sqlalchemy.exc import OperationalError
from structlog.testing import LogCapture

from hansa_client.pb.hansa.v1 import tournament_pb2
from hansa_server.store import Store
from hansa_server.tournament import campaign as campaign_module
from hansa_server.tournament.chronicle import Chronicle
from hansa_server.tournament.ledger import Ledger
from hansa_server.tournament.numbers import numbers
from tests.server.bots import Table, refused, run, table, until
from tests.server.conftest import DATABASES
from tests.server.postgres import Cluster
from tests.tournament.running import FINISHED, call, create, event, get, ledger, over

BOTS = {"random": "builtin:random", "greedy": "builtin:greedy", "anna": "", "bert": ""}
TROUBLE = "the store does not take what happened; trying again"


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Try again soon."""
    monkeypatch.setattr("hansa_server.arena.RETRY", 0.02)
    monkeypatch.setattr(campaign_module, "RETRY", 0.02)


def message(rounds: int = 3) -> tournament_pb2.Event:
    """Blocks in one go and blocks with bots from outside."""
    return event("open", BOTS, settings={"rounds": rounds}, limits={"concurrency": 2})


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Chronicle:
    """What comes out if nothing happens."""
    folder = tmp_path_factory.mktemp("unbroken")

    async def main() -> Chronicle:
        async with table(folder) as arena:
            for name in ("anna", "bert"):
                await arena.bot(name)
            await create(arena, message(), force=True)
            return await over(arena)

    return run(main())


def check_same(chronicle: Chronicle, expected: Chronicle) -> None:
    assert [block.chain for block in chronicle.blocks] == [block.chain for block in expected.blocks]
    assert numbers(chronicle) == numbers(expected)


@contextmanager
def full_disk() -> Iterator[None]:
    """No file of this process may be written, as on a disk that is full."""
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))


async def refuse_all(arena: Table) -> None:
    """Every call that would change something is refused at once, and nothing is changed by it."""
    entrant = tournament_pb2.Entrant(name="cora")
    for method, values in (
        ("CreateTournament", {"event": event("new")}),
        ("PauseTournament", {"name": "open"}),
        ("StopTournament", {"name": "open"}),
        ("SetConcurrency", {"name": "open", "concurrency": 1}),
        ("EnterBot", {"name": "open", "entrant": entrant}),
        ("WithdrawBot", {"name": "open", "bot": "anna"}),
    ):
        error = await refused(asyncio.wait_for(call(arena, method, **values), 30.0))
        assert error.code() is grpc.StatusCode.UNAVAILABLE, (method, error)


def told(logs: LogCapture) -> bool:
    return any(entry["event"] == TROUBLE for entry in logs.entries)


def test_a_full_disk(tmp_path: Path, unbroken: Chronicle, logs: LogCapture) -> None:
    async def main() -> Chronicle:
        async with table(tmp_path) as arena:
            bots = [await arena.bot(name, lambda _: None) for name in ("anna", "bert")]
            campaign = await create(arena, message(), force=True)
            await until(lambda: bots[0].open or bots[1].open)
            with full_disk():
                for bot in bots:
                    await bot.let_go()
                await until(lambda: campaign.waits_for().startswith("the store takes nothing"))
                found = await get(arena)
                assert "disk" in found.problem
                assert "play goes on when it does" in found.problem
                watching: Any = arena.tournaments.WatchTournament(tournament_pb2.WatchTournamentRequest(name="open"))
                assert (await watching.read()).tournament.problem == found.problem
                watching.cancel()
                await refuse_all(arena)
                assert told(logs)
                done = campaign.standing.games_finished
                assert not campaign.changed.is_set()
            await until(lambda: campaign.standing.games_finished > done, "it goes on")
            chronicle = await over(arena)
            assert (await get(arena)).problem == ""
            return chronicle

    chronicle = run(main())
    check_same(chronicle, unbroken)
    assert [note.kind for note in chronicle.notes] == ["created", "started", "finished"], "refused calls change nothing"


def test_a_full_disk_while_blocks_are_handed_in(tmp_path: Path, logs: LogCapture) -> None:
    """Built-in bots play on in their workers; what they have played is kept until there is room for it."""

    async def main() -> Chronicle:
        async with table(tmp_path) as arena:
            two = {"random": "builtin:random", "greedy": "builtin:greedy"}
            campaign = await create(arena, event("open", two, settings={"rounds": 400}), start=False)
            await call(arena, "StartTournament", name="open")
            with full_disk():
                await until(lambda: campaign.away, "the disk is full")
                assert "disk" in (await get(arena)).problem
                error = await refused(call(arena, "PauseTournament", name="open"))
                assert error.code() is grpc.StatusCode.UNAVAILABLE
            assert told(logs)
            return await over(arena)

    chronicle = run(main())
    assert len(chronicle.finished()) == 400
    assert chronicle.finished() == list(chronicle.blocks)


def failing(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, times: int, *, after: bool = False) -> list[int]:
    """Let a write fail so many times, before it or after it was made; nobody can tell which."""
    original = getattr(owner, name)
    calls = [0]

    def write(*words: Any, **more: Any) -> Any:
        calls[0] += 1
        if calls[0] > times:
            return original(*words, **more)
        if after:
            original(*words, **more)
        raise OperationalError("COMMIT", {}, Exception("the connection was lost"))

    monkeypatch.setattr(owner, name, write)
    return calls


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("name", ["make", "begin", "write", "put_fits", "update", "create_match", "chronicle"])
def test_every_write_is_made_again(
    name: str, after: bool, tmp_path: Path, unbroken: Chronicle, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A commit that fails is repeated, even if it was made after all: nothing is lost or counted twice."""

    async def main() -> Chronicle:
        async with table(tmp_path) as arena:
            for bot in ("anna", "bert"):
                await arena.bot(bot)
            campaign = await create(arena, message(), force=True, start=name == "update")
            owner: Any = campaign.ledger.store if name == "create_match" else campaign.ledger
            calls = failing(monkeypatch, owner, name, 3, after=after)
            if name != "update":
                await call(arena, "StartTournament", name="open")
            found = await over(arena)
            assert calls[0] > 3, "it came to that"
            monkeypatch.undo()
            return found if name != "chronicle" else ledger(arena).chronicle("open")

    check_same(run(main()), unbroken)


def test_a_tournament_that_was_created_after_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            for bot in ("anna", "bert"):
                await arena.bot(bot)
            failing(monkeypatch, ledger(arena), "create", 1, after=True)
            error = await refused(call(arena, "CreateTournament", event=message(1), request_id="r", force=True))
            assert error.code() is grpc.StatusCode.UNAVAILABLE
            again = (await call(arena, "CreateTournament", event=message(1), request_id="r", force=True)).tournament
            assert again.name == "open"
            await call(arena, "StartTournament", name="open")
            await over(arena)
            assert (await get(arena)).state == FINISHED

    run(main())


def test_ratings_wait_for_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, logs: LogCapture, unbroken: Chronicle
) -> None:
    """Ratings that are made beside the play are left for later; those at the end are waited for."""
    monkeypatch.setattr(campaign_module, "REFIT", 0.0)
    monkeypatch.setattr(campaign_module, "REFIT_SHARE", 0)

    async def main() -> Chronicle:
        async with table(tmp_path) as arena:
            bots = [await arena.bot(bot, lambda _: None) for bot in ("anna", "bert")]
            failing(monkeypatch, ledger(arena), "put_fits", 1)
            await create(arena, message(), force=True)
            await until(lambda: [entry for entry in logs.entries if entry["event"] == "ratings wait for the store"])
            for bot in bots:
                await bot.let_go()
            return await over(arena)

    check_same(run(main()), unbroken)


if "postgresql" in DATABASES:

    @pytest.fixture
    def own_cluster() -> Any:
        """A database that nobody else uses, since it is stopped."""
        running = Cluster()
        yield running
        running.close()

    def test_a_database_that_goes_away(
        own_cluster: Cluster, tmp_path: Path, unbroken: Chronicle, logs: LogCapture
    ) -> None:
        address = own_cluster.database("away")

        async def main() -> Chronicle:
            async with table(tmp_path, store=address) as arena:
                bots = [await arena.bot(name, lambda _: None) for name in ("anna", "bert")]
                campaign = await create(arena, message(), force=True)
                await until(lambda: bots[0].open or bots[1].open)
                await asyncio.to_thread(own_cluster.stop)
                for bot in bots:
                    await bot.let_go()
                await until(lambda: campaign.waits_for().startswith("the store takes nothing"))
                assert "the store takes nothing" in (await get(arena)).problem
                await refuse_all(arena)
                assert told(logs)
                await asyncio.to_thread(own_cluster.start)
                await until(lambda: campaign.standing.games_finished > 10 or campaign.standing.state == "finished")
                await asyncio.to_thread(own_cluster.stop)
                await asyncio.to_thread(own_cluster.start)
                return await over(arena)

        check_same(run(main(), 120.0), unbroken)
        with closing(Store(address)) as store:
            check_same(Ledger(store).chronicle("open"), unbroken)
