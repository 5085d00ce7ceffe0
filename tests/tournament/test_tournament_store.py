"""Tournaments in the store: older databases, schemas, what is derived and rebuilt, what is let go, backups."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from structlog.testing import LogCapture

from hansa_client.pb.hansa.v1 import match_pb2, tournament_pb2
from hansa_fast.bots import KINDS
from hansa_server.store import Store, matches, metadata, upgrade, utc_now
from hansa_server.tournament import archive, report_text, standings
from hansa_server.tournament import ledger as ledger_module
from hansa_server.tournament.backup import backup, restore
from hansa_server.tournament.ledger import Ledger
from hansa_server.tournament.numbers import numbers
from hansa_server.tournament.run import run_event
from tests.server.bots import run, table, until
from tests.server.conftest import DATABASES
from tests.server.postgres import Cluster
from tests.tournament.running import BUILT_IN, LOCAL, call, create, event, ledger, over, plain

OLD = Path(__file__).with_name("old")

HEAD = "0003"
NewStore = Callable[[str], str]


@pytest.fixture
def new_store(request: pytest.FixtureRequest, tmp_path: Path) -> NewStore:
    """Makes the address of a new store of a kind of database."""
    counter = itertools.count()

    def make(kind: str) -> str:
        name = f"store{next(counter)}"
        if kind == "sqlite":
            return str(tmp_path / f"{name}.db")
        running: Cluster = request.getfixturevalue("cluster")
        return running.database(f"{name}_{tmp_path.name.lower()}")

    return make


def plain_engine(address: str) -> sa.Engine:
    """A connection to a store that does nothing by itself."""
    if "://" in address:
        return sa.create_engine(address.replace("postgresql://", "postgresql+psycopg://", 1))
    return sa.create_engine(f"sqlite:///{address}")


# -- Schemas -------------------------------------------------------------------------------------------------------


def load_old(address: str, revision: str) -> None:
    """A database as the server of this revision of the schema left it (`tests/tournament/old` has its dumps)."""
    kind = "postgresql" if "://" in address else "sqlite"
    script = (OLD / f"{kind}-{revision}.sql").read_text(encoding="utf-8")
    engine = plain_engine(address)
    raw: Any = engine.raw_connection()
    if kind == "sqlite":
        raw.dbapi_connection.executescript(script)
    else:
        raw.dbapi_connection.execute(script)
        raw.dbapi_connection.commit()
    raw.invalidate()
    engine.dispose()


def test_a_database_of_before_there_were_tournaments(address: str, tmp_path: Path) -> None:
    load_old(address, "0001")
    with closing(Store(address)) as store, store.engine.connect() as connection:
        assert connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar_one() == HEAD
        old = connection.execute(sa.select(matches).order_by(matches.c.number)).all()
        assert [row.state for row in old] == ["finished", "finished", "finished", "running", "aborted"]
        assert [row.request_id for row in old] == ["first", None, None, "running", None]
        for row in old:
            match = store.load_match(row.match_id)
            assert match.record().to_text()
            assert store.get_match(row.match_id).actions == match.sequence
        first = store.load_match(old[0].match_id)
        assert {played.comment for played in first.actions if played.comment} == {"ein „Zug“ 🐟"}
        lost = store.load_match(old[2].match_id)
        assert [forfeit.reason.value for forfeit in lost.forfeits()] == ["resigned"]
        assert [row.name for row in store.list_tokens()] == ["willi"]
        running = old[3].match_id

    async def main() -> None:
        async with table(tmp_path, store=address) as arena:
            assert set(arena.arena.live) == {running}
            await create(arena, event("new", {**BUILT_IN, "anna": ""}, settings={"rounds": 1}))
            await arena.bot("anna")
            match = await arena.finished(running)
            assert match.state == match_pb2.MATCH_STATE_FINISHED
            assert len((await over(arena, "new")).finished()) == 3

    run(main())


def test_a_database_of_before_versions_were_kept(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One tournament was over, another was in the middle of a game: it goes on, for nobody knows what its bots were."""
    load_old(address, "0002")
    monkeypatch.setitem(KINDS, "greedy", replace(KINDS["greedy"], version="2"))
    with closing(Store(address)) as store, store.engine.connect() as connection:
        assert connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar_one() == HEAD
        done = Ledger(store).chronicle("done")
        assert [(place.entrant.name, place.version) for place in done.line_up] == [("random", None), ("greedy", None)]
        assert Ledger(store).line_up("open")[2].entrant.name == "anna"
        assert " v" not in report_text.standings(numbers(done)["pools"][0]).rows[0][1]
        (tmp_path / "done").write_bytes(b"".join(archive.pieces(Ledger(store), "done")))
    assert archive.verify(tmp_path / "done").chronicle == done

    async def main() -> None:
        async with table(tmp_path, store=address) as arena:
            assert len(arena.arena.live) == 1
            new = tournament_pb2.Entrant(name="new", uses="builtin:greedy")
            told = (await call(arena, "EnterBot", name="open", entrant=new)).tournament
            assert [place.version for place in told.line_up] == ["", "", "", "2"]
            await arena.bot("anna")
            chronicle = await over(arena)
            assert [place.version for place in chronicle.line_up] == [None, None, None, "2"]
            assert {block.attempt for block in chronicle.finished()} == {0}
            assert "paused" not in [note.kind for note in chronicle.notes]

    run(main())
    assert rebuild(address, "done") == rebuild(address) == []


def test_migrations_lead_to_the_schema_of_the_program(address: str) -> None:
    with closing(Store(address)) as store, store.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, metadata) == []


def test_migrations_go_step_by_step(address: str) -> None:
    engine = plain_engine(address)
    with engine.begin() as connection:
        upgrade(connection, "0001")
    with engine.begin() as connection:
        assert not sa.inspect(connection).has_table("tournaments")
        upgrade(connection, "0002")
        assert sa.inspect(connection).has_table("tournaments")
    with engine.begin() as connection:
        upgrade(connection)
        assert "version" in {column["name"] for column in sa.inspect(connection).get_columns("entrants")}
    engine.dispose()


# -- What is derived -----------------------------------------------------------------------------------------------


def played(address: str, rounds: int = 2) -> None:
    """A tournament that is over."""
    bots = {**BUILT_IN, "ran": "builtin:random"}
    run_event(plain(event("open", bots, players=(2, 3), settings={"rounds": rounds})), address)


def derived(address: str) -> dict[str, list[tuple[Any, ...]]]:
    """All rows that are derived."""
    tables = (ledger_module.tournaments, ledger_module.tallies, ledger_module.pairs, ledger_module.fits)
    engine = plain_engine(address)
    with engine.connect() as connection:
        found = {table.name: [tuple(row) for row in connection.execute(sa.select(table))] for table in tables}
    engine.dispose()
    return {name: sorted(rows, key=str) for name, rows in found.items()}


def rebuild(address: str, name: str = "open") -> list[str]:
    """Make all that is derived anew; returns what was different."""
    with closing(Store(address)) as store:
        stored = Ledger(store).find(name)
        assert stored is not None
        return standings.rebuild(Ledger(store), name, stored.standing)


POOL = "teutonica:2009:standard-3:2p:10t"
TALLY = {"games": 1, "firsts": 0, "place_shares": 0, "points": 0, "forfeits": {}, "seats": {}}
DAMAGES = {
    "UPDATE tournaments SET games_finished = 7": "games_finished: 7 was stored, the games give 18",
    "UPDATE tournaments SET decisions = 1": "decisions: 1 was stored",
    "UPDATE tournaments SET blocks_finished = 1": "blocks_finished: 1 was stored, the games give 8",
    "UPDATE tournaments SET chain = 'abc'": "chain: 'abc' was stored",
    f"DELETE FROM tallies WHERE bot = 'ran' AND pool = '{POOL}'": f"{POOL}, ran: nothing was stored",
    "UPDATE tallies SET data = '"
    + json.dumps({**TALLY, "ladder": 1500.0, "ladder_games": 1})
    + "' WHERE bot = 'ran'": (f'{POOL}, ran: {{"games":1,'),
    "UPDATE pairs SET ahead = ahead + 1 WHERE bot = 'greedy' AND other = 'ran'": f"{POOL}, greedy against ran: ",
    "DELETE FROM pairs": f"{POOL}, greedy against ran: None, not ",
    "DELETE FROM fits": f"{POOL}: ratings differ",
    "UPDATE fits SET data = '[]'": f"{POOL}: ratings differ",
}


def test_what_is_derived_is_rebuilt(address: str) -> None:
    played(address)
    before = derived(address)
    assert rebuild(address) == []
    assert derived(address) == before, "the same bytes"
    for damage, problem in DAMAGES.items():
        engine = plain_engine(address)
        with engine.begin() as connection:
            connection.exec_driver_sql(damage)
        engine.dispose()
        assert derived(address) != before
        named = rebuild(address)
        assert any(one.startswith(problem) for one in named), (damage, named)
        assert derived(address) == before, damage
    assert rebuild(address) == []


# -- What is let go ------------------------------------------------------------------------------------------------


def test_logs_and_details_are_let_go(address: str, tmp_path: Path, logs: LogCapture) -> None:
    async def first() -> None:
        async with table(tmp_path, store=address) as arena:
            await arena.bot("anna")
            await create(arena, event("open", {"anna": "", "local": LOCAL}, settings={"rounds": 1}))
            await create(arena, event("goes-on", {"anna": "", "nobody": ""}))
            await over(arena)

    run(first())
    with closing(Store(address)) as store:
        book = Ledger(store)
        chronicle = book.chronicle("open")
        ids = [game.match_id for block in chronicle.blocks for game in block.games]
        before = {match_id: store.load_match(match_id).record().to_text() for match_id in ids}
        export = b"".join(archive.pieces(book, "open"))
        assert book.purge("logs", utc_now() - timedelta(days=1), utc_now()) == 0, "it has ended just now"
        assert all(book.log(match_id, "local") for match_id in ids)
        end = ledger_module.tournaments.c.ended
        with store.engine.begin() as connection:
            old = {end: utc_now() - timedelta(days=3)}
            connection.execute(ledger_module.tournaments.update().where(end.is_not(None)).values(old))

    async def second() -> None:
        async with table(tmp_path, store=address, keep_logs=2.0, keep_details=1.0) as arena:
            await until(lambda: [entry for entry in logs.entries if entry.get("what") == "details"])
            (count,) = [entry["count"] for entry in logs.entries if entry.get("what") == "logs"]
            assert count == 2
            book = ledger(arena)
            assert not any(book.log(match_id, "local") for match_id in ids)
            for match_id in ids:
                match = arena.server.store.load_match(match_id)
                assert match.record().to_text() == before[match_id], "records stay"
                assert not any(one.think for one in match.actions)
                assert (await arena.match(match_id)).actions == match.sequence

    run(second())
    with closing(Store(address)) as store:
        book = Ledger(store)
        purged = [note.text for note in book.notes("open") if note.kind == "purged"]
        assert purged == ["2 logs of local bots", "thinking times and remarks of 2 matches"]
        assert not [note for note in book.notes("goes-on") if note.kind == "purged"]
        again = tmp_path / "again"
        again.write_bytes(b"".join(archive.pieces(book, "open")))
        (tmp_path / "before").write_bytes(export)
        archive.verify(again)
        assert archive.load(again).blocks == archive.load(tmp_path / "before").blocks
        assert rebuild(address) == []


# -- Backups -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("source", "target"), list(zip(DATABASES, reversed(DATABASES), strict=True)))
def test_a_backup_of_a_tournament_that_runs(source: str, target: str, new_store: NewStore, tmp_path: Path) -> None:
    """What is put back goes on to the same end, in a store of either kind."""
    here, there = new_store(source), new_store(target)
    copy = tmp_path / "backup.gz"
    message = event("open", {**BUILT_IN, "anna": "", "bert": ""}, settings={"rounds": 2})

    async def first() -> Any:
        async with table(tmp_path, store=here) as arena:
            bots = [await arena.bot(name, lambda _: None) for name in ("anna", "bert")]
            campaign = await create(arena, message)
            await until(lambda: bots[0].open and not campaign.batches and campaign.standing.blocks_finished)
            backup(arena.server.store.engine, copy)
            for bot in bots:
                await bot.let_go()
            return await over(arena)

    async def second() -> Any:
        async with table(tmp_path, store=there) as arena:
            for name in ("anna", "bert"):
                await arena.bot(name)
            return await over(arena)

    expected = run(first())
    restore(copy, there)
    chronicle = run(second())
    assert [block.chain for block in chronicle.blocks] == [block.chain for block in expected.blocks]
    assert numbers(chronicle) == numbers(expected)
    assert rebuild(there) == []
