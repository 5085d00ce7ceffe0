"""Backups: all that a store holds in one file, made while the server runs, and put back into a store of either kind.

A backup is a gzip file of JSON lines. The first is the header; then comes for each table a line with its columns,
followed by its rows as lists; the last line counts the rows. Times are ISO 8601 in UTC, bytes are base64, all else is
JSON's own. The tables are those of the database, so a backup is as new as its schema; an older one is put back as it
was, and then brought up to date like any older database.
"""

from __future__ import annotations

import base64
import gzip
import json
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import DataError, IntegrityError

from hansa_server.errors import BadField
from hansa_server.store import Store, migrations, upgrade, utc_now

FORMAT = 1
REVISIONS = "alembic_version"  # the table that holds the revision of a schema
BATCH = 1000  # rows
COMPRESSION = 6

Progress = Callable[[str, int, int], None]  # a table, how many of its rows are done, and how many there are
Coder = Callable[[Any], Any]


def backup(engine: Engine, path: str | Path, progress: Progress = lambda *_: None) -> dict[str, int]:
    """Write all tables as they are at one moment; returns how many rows each has. The file appears when it is whole."""
    path = Path(path)
    if path.exists():
        raise BadField(str(path), "is there already; a backup overwrites nothing")
    part = path.with_name(path.name + ".part")
    try:
        with _written(part) as file, _snapshot(engine) as connection:
            counts = _write(file, connection, progress)
        part.rename(path)
    except OSError as error:
        raise BadField(str(path), f"cannot be written: {error.strerror}") from None
    finally:
        part.unlink(missing_ok=True)
    return counts


def restore(path: str | Path, address: str, progress: Progress = lambda *_: None) -> dict[str, int]:
    """Put a backup into an empty store, all of it or nothing; returns how many rows each table has.

    Raises `BadField` if the file is no backup, is damaged or newer than this program, and if the store is not empty or
    a server plays from it.
    """
    path = Path(path)
    revision, totals = _check(path)
    with closing(Store(address)) as store:
        store.claim()
        with store.engine.connect() as connection, _transaction(connection), _lines(path) as lines:
            _clear(connection)
            upgrade(connection, revision)
            _read(path, map(json.loads, lines), totals, connection, progress)
            _advance_sequences(connection)
            upgrade(connection)
    return totals


# -- Files ------------------------------------------------------------------------------------------------------------


@contextmanager
def _written(path: Path) -> Iterator[gzip.GzipFile]:
    """A gzip file that only its owner may read, safely on the disk in the end."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        with gzip.GzipFile(filename="", mode="wb", compresslevel=COMPRESSION, fileobj=file, mtime=0) as packed:
            yield packed
        file.flush()
        os.fsync(descriptor)


@contextmanager
def _lines(path: Path) -> Iterator[Iterator[str]]:
    """The lines of a backup."""
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            yield file
    except (EOFError, gzip.BadGzipFile, zlib.error, UnicodeDecodeError) as error:
        no_gzip = isinstance(error, gzip.BadGzipFile) and "CRC" not in str(error)
        raise BadField(str(path), "is no backup" if no_gzip else "is damaged: it was cut or changed") from None
    except OSError as error:
        raise BadField(str(path), f"cannot be read: {error.strerror}") from None


def _check(path: Path) -> tuple[str, dict[str, int]]:
    """The revision of the schema of a backup and its numbers of rows. The whole file is read: gzip has a checksum."""
    with _lines(path) as lines:
        first = last = next(lines, "")
        revision = _check_header(path, first)
        for line in lines:
            last = line
    totals: dict[str, int] | None = json.loads(last).get("rows") if last.startswith("{") else None
    if totals is None:
        raise BadField(str(path), "is damaged: its last line is not there")
    return revision, totals


def _check_header(path: Path, line: str) -> str:
    """The revision of the schema of a backup that this version can read."""
    try:
        header = json.loads(line)
        written, revision = header["hansa_backup"], str(header["revision"])
    except (ValueError, TypeError, KeyError):
        raise BadField(str(path), "is no backup") from None
    scripts = ScriptDirectory.from_config(migrations())
    with suppress(CommandError):
        if written == FORMAT and scripts.get_revision(revision) is not None:
            return revision
    raise BadField(
        str(path),
        f"was made by a newer version: it has format {written} and revision {revision}, "
        f"this version knows format {FORMAT} and revisions up to {scripts.get_current_head()}",
    )


# -- Databases --------------------------------------------------------------------------------------------------------


@contextmanager
def _snapshot(engine: Engine) -> Iterator[Connection]:
    """A connection that sees one moment, whatever is written meanwhile."""
    with engine.connect() as connection:
        if engine.dialect.name == "postgresql":
            connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        with _transaction(connection, "BEGIN"):
            yield connection


@contextmanager
def _transaction(connection: Connection, begin: str = "BEGIN IMMEDIATE") -> Iterator[None]:
    """A transaction. SQLite's driver begins none for reading and for changes of the schema, unless it is told to."""
    with connection.begin():
        if connection.dialect.name == "sqlite":
            connection.exec_driver_sql(begin)
        yield


def _tables(connection: Connection) -> list[sa.Table]:
    """The tables that the database has, those that others refer to first."""
    found = sa.MetaData()
    found.reflect(connection)
    return [table for table in found.sorted_tables if table.name != REVISIONS]


def _count(connection: Connection, table: sa.Table) -> int:
    count: int = connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
    return count


def _clear(connection: Connection) -> None:
    """Take away the tables of an empty store."""
    tables = _tables(connection)
    for table in tables:
        if connection.execute(sa.select(sa.literal(1)).select_from(table).limit(1)).first():
            raise BadField("store", f"is not empty: the table {table.name} has rows. A backup goes into a new store")
    for table in reversed(tables):
        table.drop(connection)
    connection.exec_driver_sql(f"DROP TABLE {REVISIONS}")


def _advance_sequences(connection: Connection) -> None:
    """Numbers that PostgreSQL gives go on after those that were put back."""
    if connection.dialect.name != "postgresql":
        return
    for table in _tables(connection):
        for column in table.primary_key.columns:
            name = connection.execute(
                sa.select(sa.func.pg_get_serial_sequence(f'"{table.name}"', column.name))
            ).scalar_one()
            last = None if name is None else connection.execute(sa.select(sa.func.max(column))).scalar_one()
            if last is not None:
                connection.execute(sa.select(sa.func.setval(name, last)))


# -- Rows -------------------------------------------------------------------------------------------------------------


def _write(file: gzip.GzipFile, connection: Connection, progress: Progress) -> dict[str, int]:
    def put(line: object) -> None:
        file.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")

    revision = connection.exec_driver_sql(f"SELECT version_num FROM {REVISIONS}").scalar_one()
    put({"hansa_backup": FORMAT, "revision": revision, "made": utc_now().isoformat()})
    counts = {}
    for table in _tables(connection):
        total, done = _count(connection, table), 0
        put({"table": table.name, "columns": {column.name: _kind(column) for column in table.columns}})
        coders = [ENCODERS[_kind(column)] for column in table.columns]
        query = sa.select(table).order_by(*table.primary_key.columns).execution_options(yield_per=BATCH)
        progress(table.name, done, total)
        for rows in connection.execute(query).partitions():
            for row in rows:
                put([coder(value) for coder, value in zip(coders, row, strict=True)])
            done += len(rows)
            progress(table.name, done, total)
        counts[table.name] = done
    put({"rows": counts})
    return counts


def _read(path: Path, lines: Iterator[Any], totals: dict[str, int], connection: Connection, progress: Progress) -> None:
    """Put all rows into the tables of the same revision."""
    tables = {table.name: table for table in _tables(connection)}
    counts: dict[str, int] = {}
    name = ""
    coders: dict[str, Coder] = {}
    rows: list[dict[str, Any]] = []

    def insert() -> None:
        if rows:
            try:
                connection.execute(tables[name].insert(), rows)
            except (DataError, IntegrityError) as error:
                raise BadField(str(path), f"holds rows that cannot be: {name}: {error.orig}") from None
            counts[name] += len(rows)
            rows.clear()
            progress(name, counts[name], totals[name])

    for line in lines:
        if isinstance(line, list):
            rows.append({key: coder(value) for (key, coder), value in zip(coders.items(), line, strict=True)})
            if len(rows) >= BATCH:
                insert()
            continue
        insert()
        if "table" in line:
            name, kinds = line["table"], line["columns"]
            if name not in tables or set(kinds) != set(tables[name].columns.keys()):
                raise BadField(str(path), f"the table {name} with {', '.join(kinds)} is not known")
            coders = {key: DECODERS[kind] for key, kind in kinds.items()}
            counts[name] = 0
            progress(name, 0, totals[name])
    if counts != totals:
        raise BadField(str(path), "is damaged: rows are missing")


def _kind(column: sa.Column[Any]) -> str:
    """How the values of a column are written."""
    if isinstance(column.type, sa.DateTime):
        return "time"
    return "bytes" if isinstance(column.type, sa.LargeBinary) else "plain"


def _time_to_text(value: datetime | None) -> str | None:
    """SQLite forgets the zone; all times are UTC."""
    if value is None:
        return None
    return (value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)).isoformat()


ENCODERS: dict[str, Coder] = {
    "plain": lambda value: value,
    "time": _time_to_text,
    "bytes": lambda value: None if value is None else base64.b64encode(value).decode(),
}
DECODERS: dict[str, Coder] = {
    "plain": lambda value: value,
    "time": lambda value: None if value is None else datetime.fromisoformat(value),
    "bytes": lambda value: None if value is None else base64.b64decode(value),
}
