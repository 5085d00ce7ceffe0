"""Backups: what is put back is what was there at one moment, on whatever database."""

from __future__ import annotations

import gzip
import itertools
import json
import shutil
import stat
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic.script import ScriptDirectory

import hansa_fast as hf
from hansa_client.pb.hansa.v1 import match_pb2
from hansa_server import store as store_module
from hansa_server.auth import Role, create_token
from hansa_server.errors import BadField
from hansa_server.match import MatchSpec, Played
from hansa_server.store import Store, migrations, utc_now
from hansa_server.tournament.backup import backup, restore
from tests.server.bots import pick, run, short, table, until
from tests.server.conftest import DATABASES
from tests.server.postgres import Cluster

NewStore = Callable[[str], str]
MOVES = list(itertools.product(DATABASES, DATABASES))

# A migration as a later version may have it, with every kind of column.
LATER = '''
"""Later."""

import sqlalchemy as sa
from alembic import op

revision = "later"
down_revision = {head!r}


def upgrade():
    op.add_column("matches", sa.Column("mood", sa.String(8), nullable=False, server_default="calm"))
    op.create_table(
        "things",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("parent", sa.Integer, sa.ForeignKey("things.id")),
        sa.Column("data", sa.LargeBinary),
        sa.Column("at", sa.DateTime(timezone=True)),
        sa.Column("yes", sa.Boolean),
        sa.Column("number", sa.Float),
        sa.Column("value", sa.JSON),
        sa.Column("big", sa.BigInteger),
    )
'''


@pytest.fixture
def new_store(request: pytest.FixtureRequest, tmp_path: Path) -> NewStore:
    """Makes the address of a new store of a kind of database."""
    numbers = itertools.count()

    def make(kind: str) -> str:
        name = f"backup{next(numbers)}"
        if kind == "sqlite":
            return str(tmp_path / f"{name}.db")
        running: Cluster = request.getfixturevalue("cluster")
        return running.database(f"{name}_{tmp_path.name.lower()}")

    return make


@pytest.fixture
def later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], None]:
    """Lets the program be one version newer, or not."""
    now = store_module.MIGRATIONS
    newer = tmp_path / "migrations"
    shutil.copytree(now, newer)
    head = ScriptDirectory.from_config(migrations()).get_current_head()
    (newer / "versions" / "later.py").write_text(LATER.format(head=head))
    return lambda is_later: monkeypatch.setattr(store_module, "MIGRATIONS", newer if is_later else now)


def content(address: str) -> dict[str, list[Any]]:
    """All rows of all tables."""
    opened = Store(address)
    found = sa.MetaData()
    with opened.engine.connect() as connection:
        found.reflect(connection)
        rows = {
            name: sorted([_plain(value) for value in row] for row in connection.execute(sa.select(one)))
            for name, one in found.tables.items()
        }
    opened.close()
    return rows


def _plain(value: Any) -> Any:
    """A value that can be compared with those of the other database, and sorted."""
    if hasattr(value, "tzinfo"):
        return str(value.replace(tzinfo=None))
    return "null" if value is None else value


def fill(address: str, matches: int = 3, actions: int = 5) -> None:
    """Something to keep."""
    opened = Store(address)
    for number in range(matches):
        spec = MatchSpec(f"match{number}", hf.Rules(players=2), 2**64 - 1 - number, ("änna", "builtin:greedy"))
        opened.create_match(spec, f"request{number}", utc_now())
        played = [Played(n, n % 2, n, "", 0.25, 3.5, (0.5,), "good ✓") for n in range(actions)]
        opened.append([(f"match{number}", one) for one in played], utc_now())
    create_token(opened, Role.BOT, "anna", timedelta(days=3))
    opened.close()


@pytest.mark.parametrize(("source", "target"), list(zip(DATABASES, reversed(DATABASES), strict=True)))
def test_a_running_server_moves(new_store: NewStore, tmp_path: Path, source: str, target: str) -> None:
    first, second, file = new_store(source), new_store(target), tmp_path / "backup.gz"
    was: dict[str, list[Any]] = {}
    began: list[str] = []

    async def save() -> None:
        async with table(tmp_path, store=first) as there:
            anna = await there.bot("anna", lambda request: pick(request) if request.sequence < 20 else None)
            create_token(there.server.store, Role.WATCHER, "carla", timedelta(days=1))
            await there.finished(await there.create(short(2), ["builtin:random", "builtin:greedy"]))
            began.append(await there.create(short(2), ["anna", "builtin:random"]))
            await anna.asked()
            told: list[tuple[str, int, int]] = []
            counts = backup(there.server.store.engine, file, lambda *step: told.append(step))
            was.update(content(first))
            assert counts == {name: len(rows) for name, rows in was.items() if name != "alembic_version"}
            assert {name: done for name, done, total in told if done == total} == counts
            assert stat.S_IMODE(file.stat().st_mode) == 0o600
            assert not file.with_name("backup.gz.part").exists()
            anna.drop()
            await anna.closed()

    async def go_on() -> None:
        async with table(tmp_path, store=second) as there:
            anna = await there.bot("anna")
            assert (await anna.over(began[0])).reasons
            assert (await there.finished(began[0])).state == match_pb2.MATCH_STATE_FINISHED
            anna.drop()
            await until(there.is_quiet)

    run(save())
    restore(file, second)
    assert content(second) == was
    assert was["tokens"] and was["actions"] and len(was["matches"]) == 2
    run(go_on())


def test_one_moment(address: str, tmp_path: Path) -> None:
    """What is committed while a backup is made is not in it, not even in the tables that come later."""
    fill(address)
    writer = Store(address)
    before = content(address)
    numbers = itertools.count(100)

    def write(_table: str, _done: int, _total: int) -> None:
        number = next(numbers)
        writer.create_match(MatchSpec(f"match{number}", hf.Rules(players=2), 1, ("a", "b")), None, utc_now())
        writer.append([("match0", Played(number, 0, 0, "", 0, 0))], utc_now())
        create_token(writer, Role.BOT, "late")

    counts = backup(writer.engine, tmp_path / "backup.gz", write)
    writer.close()
    assert counts == {name: len(rows) for name, rows in before.items() if name != "alembic_version"}
    assert len(content(address)["matches"]) > counts["matches"]
    restore(tmp_path / "backup.gz", str(tmp_path / "again.db"))
    assert content(str(tmp_path / "again.db")) == before


@pytest.mark.parametrize(("source", "target"), MOVES)
def test_versions(new_store: NewStore, tmp_path: Path, later: Callable[[bool], None], source: str, target: str) -> None:
    old, new = tmp_path / "old.gz", tmp_path / "new.gz"
    first, second, third = new_store(source), new_store(target), new_store(target)
    fill(first)
    opened = Store(first)
    backup(opened.engine, old)
    opened.close()

    later(True)
    restore(old, second)
    assert {row[-1] for row in content(second)["matches"]} == {"calm"}, "an older one is brought up to date"
    opened = Store(second)
    things = sa.Table("things", sa.MetaData(), autoload_with=opened.engine)
    rows: list[dict[str, Any]] = [
        {"data": b"\0\xff", "at": utc_now(), "yes": True, "number": 0.1, "value": {"ä": [1, None]}, "big": 2**62},
        {"data": None, "at": None, "yes": False, "number": None, "value": [], "big": None},
    ]
    with opened.engine.begin() as connection:
        for row in rows:
            connection.execute(things.insert().values(**row))
        connection.execute(things.update().where(things.c.id == 2).values(parent=1))
    was = content(second)
    backup(opened.engine, new)
    opened.close()
    restore(new, third)
    assert content(third) == was
    opened = Store(third)
    with opened.engine.begin() as connection:
        assert connection.execute(things.insert().values(data=b"x")).inserted_primary_key == (3,), "numbers go on"
    opened.close()

    later(False)
    with pytest.raises(BadField, match="made by a newer version: it has format 1 and revision later"):
        restore(new, new_store(target))


def test_what_is_refused(address: str, tmp_path: Path) -> None:
    good, bad, empty = tmp_path / "good.gz", tmp_path / "bad.gz", str(tmp_path / "empty.db")
    fill(address, matches=20)
    opened = Store(address)
    backup(opened.engine, good)
    for path, problem in ((good, "is there already"), (tmp_path / "no" / "where.gz", "cannot be written: No such")):
        with pytest.raises(BadField, match=problem):
            backup(opened.engine, path)
    opened.close()

    with pytest.raises(BadField, match="is not empty: the table matches has rows"):
        restore(good, address)
    lines = gzip.decompress(good.read_bytes()).splitlines(keepends=True)
    row = next(number for number, line in enumerate(lines) if line.startswith(b'["match0"'))
    header = json.loads(lines[0])
    data = good.read_bytes()
    for wrong, problem in {
        b"hello": "is no backup",
        gzip.compress(b"hello"): "is no backup",
        gzip.compress(b""): "is no backup",
        data[: len(data) // 2]: "is damaged",
        data[:200] + bytes([data[200] ^ 4]) + data[201:]: "is damaged",
        data[:-8] + bytes([data[-8] ^ 1]) + data[-7:]: "is damaged",
        gzip.compress(b"".join(lines[:-1])): "its last line is not there",
        gzip.compress(b"".join(lines[:row] + lines[row + 1 :])): "rows are missing|rows that cannot be",
        gzip.compress(b"".join(lines[: row + 1] + lines[row:])): "rows that cannot be",
        gzip.compress(b"".join(line.replace(b'"request_id"', b'"request"') for line in lines)): "is not known",
        gzip.compress(json.dumps({**header, "hansa_backup": 2}).encode()): "made by a newer version: it has format 2",
    }.items():
        bad.write_bytes(wrong)
        with pytest.raises(BadField, match=problem):
            restore(bad, empty)
    with pytest.raises(BadField, match="cannot be read: No such file"):
        restore(tmp_path / "nothing.gz", empty)

    playing = Store(empty)
    playing.claim()
    with pytest.raises(BadField, match="another server plays from it"):
        restore(good, empty)
    playing.close()
    assert not any(rows for name, rows in content(empty).items() if name != "alembic_version"), "all or nothing"
    restore(good, empty)
    assert content(empty) == content(address)
