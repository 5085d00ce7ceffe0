"""What must survive: matches, their actions as they are played, tokens. SQLite, or any other SQLAlchemy address.

A match is its specification and its actions; everything else follows. `append` commits before anybody is told what
happened, so what was told is never lost. With SQLite the commit is a write into the log of the database, tens of
microseconds, and is done right on the event loop.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import time
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic import command
from alembic.config import Config as AlembicConfig
from sqlalchemy.engine import Connection, Engine

from hansa_fast import Rules
from hansa_server.clock import ClockRules
from hansa_server.errors import BadField, NotFound
from hansa_server.match import Forfeit, Forfeited, Match, MatchSpec, OnForfeit, Outcome, Played
from hansa_server.settings import DURABILITIES

metadata = sa.MetaData()

matches = sa.Table(
    "matches",
    metadata,
    sa.Column("match_id", sa.String(32), primary_key=True),
    sa.Column("number", sa.BigInteger, nullable=False, unique=True),  # in the order of creation
    sa.Column("request_id", sa.String(64), unique=True),
    sa.Column("spec", sa.Text, nullable=False),
    sa.Column("state", sa.String(16), nullable=False, index=True),
    sa.Column("created", sa.DateTime(timezone=True), nullable=False),
    sa.Column("ended", sa.DateTime(timezone=True)),
    sa.Column("outcome", sa.Text),
)
actions = sa.Table(
    "actions",
    metadata,
    sa.Column("match_id", sa.String(32), sa.ForeignKey("matches.match_id"), primary_key=True),
    sa.Column("sequence", sa.Integer, primary_key=True),
    sa.Column("seat", sa.SmallInteger, nullable=False),
    sa.Column("action", sa.SmallInteger, nullable=False),
    sa.Column("think_us", sa.BigInteger, nullable=False),
    sa.Column("bank_us", sa.BigInteger, nullable=False),
    sa.Column("said", sa.Text),  # evaluation and comment as JSON
    sqlite_with_rowid=False,
)
forfeits = sa.Table(
    "forfeits",
    metadata,
    sa.Column("match_id", sa.String(32), sa.ForeignKey("matches.match_id"), primary_key=True),
    sa.Column("seat", sa.SmallInteger, primary_key=True),
    sa.Column("sequence", sa.Integer, nullable=False),
    sa.Column("reason", sa.String(32), nullable=False),
    sa.Column("replacement", sa.String(32), nullable=False),
)
records = sa.Table(  # the actions of matches that were stored as a whole, or whose details were let go
    "records",
    metadata,
    sa.Column("match_id", sa.String(32), sa.ForeignKey("matches.match_id"), primary_key=True),
    sa.Column("actions", sa.LargeBinary, nullable=False),  # two bytes each, the smaller one first
)
tokens = sa.Table(
    "tokens",
    metadata,
    sa.Column("token_id", sa.String(16), primary_key=True),
    sa.Column("hash", sa.String(64), nullable=False, unique=True),
    sa.Column("role", sa.String(16), nullable=False),
    sa.Column("name", sa.String(64), nullable=False),
    sa.Column("created", sa.DateTime(timezone=True), nullable=False),
    sa.Column("expires", sa.DateTime(timezone=True)),
    sa.Column("revoked", sa.DateTime(timezone=True)),
)

RUNNING, FINISHED, ABORTED = "running", "finished", "aborted"
MICRO = 1_000_000
NUL = "\0"  # in no text that PostgreSQL takes, so in none that is stored
CLAIM = 0x48616E7361  # the key of the lock on a PostgreSQL database
CLAIM_PATIENCE = 5.0  # seconds
MIGRATIONS = Path(__file__).parent / "migrations"


@dataclass(frozen=True)
class StoredMatch:
    """A match as the store has it."""

    spec: MatchSpec
    state: str
    number: int
    created: datetime
    ended: datetime | None
    outcome: Outcome | None
    actions: int


def open_engine(address: str, durability: str = DURABILITIES[0]) -> Engine:
    """Connect; a plain path means an SQLite file. Brings the schema up to date."""
    url = address if "://" in address else f"sqlite:///{address}"
    if url.startswith("postgresql://"):
        url = url.replace("postgresql://", "postgresql+psycopg://", 1)
    engine = sa.create_engine(url)
    if engine.dialect.name == "sqlite":
        sa.event.listen(engine, "connect", partial(_prepare_sqlite, durability))
    else:
        from .postgresql import prepare_connection

        sa.event.listen(engine, "connect", prepare_connection)
    with engine.begin() as connection:
        upgrade(connection)
    return engine


def _prepare_sqlite(durability: str, connection: Any, _record: object) -> None:
    """A commit is safe from the end of this process in any case; `full` waits until the disk has it, too."""
    cursor = connection.cursor()
    synchronous = f"synchronous = {durability.upper()}"
    limit = f"journal_size_limit = {64 * 2**20}"  # bytes that the log may keep once it was written back
    for pragma in ("journal_mode = WAL", synchronous, limit, "foreign_keys = ON", "busy_timeout = 5000"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def migrations() -> AlembicConfig:
    """Where the migrations are."""
    config = AlembicConfig()
    config.set_main_option("script_location", str(MIGRATIONS))
    return config


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Run the migrations that are missing."""
    config = migrations()
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


class Store:
    """The database behind the arena. One process at a time plays from it."""

    def __init__(self, address: str, durability: str = DURABILITIES[0]) -> None:
        self.engine = open_engine(address, durability)
        self._connection = self.engine.connect()
        # Actions come by the thousand a second: their statement is made once and handed to the driver as it is.
        self._insert_action = self._insert_into(actions)
        self._insert_forfeit = self._insert_into(forfeits)
        self._claim: sqlite3.Connection | None = None

    def _insert_into(self, table: sa.Table) -> str:
        columns = ", ".join(column.name for column in table.columns)
        mark = "?" if self.engine.dialect.paramstyle == "qmark" else "%s"
        marks = ", ".join(mark for _ in table.columns)
        return f"INSERT INTO {table.name} ({columns}) VALUES ({marks})"

    def claim(self) -> None:
        """Make sure that no other server plays from this store; the claim ends with the process or `close`."""
        on_server = self.engine.dialect.name == "postgresql"
        if not (self._claim_database() if on_server else self._claim_file()):
            raise BadField("store", "another server plays from it")

    def _claim_database(self) -> bool:
        """Lock the database; that a server is gone which had been killed is noticed a moment later."""
        end = time.monotonic() + CLAIM_PATIENCE
        query = sa.select(sa.func.pg_try_advisory_lock(CLAIM))
        while True:
            with self._connection.begin():
                if self._connection.execute(query).scalar_one():
                    return True
            if time.monotonic() > end:
                return False
            time.sleep(0.05)

    def _claim_file(self) -> bool:
        """Lock a file beside the database, which itself stays open to `hansa token` and backups."""
        name = self.engine.url.database
        if self.engine.dialect.name != "sqlite" or not name or name == ":memory:":
            return True
        self._claim = sqlite3.connect(f"{name}.lock", timeout=0, isolation_level=None)
        try:
            self._claim.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            return False
        return True

    def close(self) -> None:
        """Let go of the database."""
        self._connection.close()
        self.engine.dispose()
        if self._claim is not None:
            self._claim.close()

    # -- Writing -------------------------------------------------------------------------------------------------

    def create_match(self, spec: MatchSpec, request_id: str | None, now: datetime) -> None:
        """Note a match that begins."""
        with self._connection.begin():
            number = self._connection.execute(
                sa.select(sa.func.coalesce(sa.func.max(matches.c.number), 0))
            ).scalar_one()
            self._connection.execute(
                matches.insert().values(
                    match_id=spec.match_id,
                    number=number + 1,
                    request_id=request_id or None,
                    spec=spec_to_json(spec),
                    state=RUNNING,
                    created=now,
                )
            )

    def append(
        self, entries: Iterable[tuple[str, Played | Forfeited | Outcome]], now: datetime, *, again: bool = False
    ) -> None:
        """Note what happened in any number of matches, all of it or nothing.

        `again` after a commit that failed: if the connection was lost in the middle of it, it may have been made.
        """
        if_new = " ON CONFLICT DO NOTHING" if again else ""
        played: list[tuple[object, ...]] = []
        lost: list[tuple[object, ...]] = []
        others: list[sa.Executable] = []
        for match_id, entry in entries:
            if isinstance(entry, Played):
                said = json.dumps([entry.evaluation, entry.comment]) if entry.evaluation or entry.comment else None
                think, bank = round(entry.think * MICRO), round(entry.bank * MICRO)
                played.append((match_id, entry.sequence, entry.seat, entry.action, think, bank, said))
            elif isinstance(entry, Forfeited):
                lost.append((match_id, entry.seat, entry.sequence, entry.reason.value, entry.replacement))
            else:
                state = ABORTED if entry.reasons == ("aborted",) else FINISHED
                values = {"state": state, "ended": now, "outcome": json.dumps(outcome_to_dict(entry))}
                others.append(matches.update().where(matches.c.match_id == match_id).values(**values))
        with self._connection.begin():
            if played:
                self._connection.exec_driver_sql(self._insert_action + if_new, played)
            if lost:
                self._connection.exec_driver_sql(self._insert_forfeit + if_new, lost)
            for statement in others:
                self._connection.execute(statement)

    # -- Reading -------------------------------------------------------------------------------------------------

    def find_request(self, request_id: str) -> str | None:
        """The match that was created for this request id."""
        if NUL in request_id:
            return None
        query = sa.select(matches.c.match_id).where(matches.c.request_id == request_id)
        with self.engine.connect() as connection:
            return connection.execute(query).scalar_one_or_none()

    def get_match(self, match_id: str) -> StoredMatch:
        """One match, without its actions. Raises `NotFound`."""
        found = [] if NUL in match_id else self.list_matches(match_id=match_id, limit=1)
        if not found:
            raise NotFound("match", match_id)
        return found[0]

    def list_matches(
        self, *, state: str | None = None, below: int | None = None, match_id: str | None = None, limit: int = 50
    ) -> list[StoredMatch]:
        """Matches, newest first; `below` goes on after the number of the last one of the page before."""
        rows = sa.select(sa.func.count()).where(actions.c.match_id == matches.c.match_id).scalar_subquery()
        length = sa.func.length(records.c.actions, type_=sa.Integer)
        packed = sa.select(length // 2).where(records.c.match_id == matches.c.match_id)
        count = sa.func.coalesce(packed.scalar_subquery(), rows)
        query = sa.select(matches, count.label("actions")).order_by(matches.c.number.desc()).limit(limit)
        if state is not None:
            query = query.where(matches.c.state == state)
        if below is not None:
            query = query.where(matches.c.number < below)
        if match_id is not None:
            query = query.where(matches.c.match_id == match_id)
        with self.engine.connect() as connection:
            return [_stored(row) for row in connection.execute(query)]

    def load_match(self, match_id: str) -> Match:
        """A match brought to the point where it was left."""
        stored = self.get_match(match_id)
        match = Match(stored.spec)
        with self.engine.connect() as connection:
            rows = connection.execute(
                sa.select(actions).where(actions.c.match_id == match_id).order_by(actions.c.sequence)
            ).all()
            lost = connection.execute(
                sa.select(forfeits).where(forfeits.c.match_id == match_id).order_by(forfeits.c.sequence)
            ).all()
            packed = connection.execute(
                sa.select(records.c.actions).where(records.c.match_id == match_id)
            ).scalar_one_or_none()
        state = match.spec.rules.new(match.spec.seed)
        played = []
        for row in rows:
            evaluation, comment = json.loads(row.said) if row.said else ((), "")
            text = state.describe(row.action)
            state.apply(row.action)
            think, bank = row.think_us / MICRO, row.bank_us / MICRO
            played.append(Played(row.sequence, row.seat, row.action, text, think, bank, tuple(evaluation), comment))
        for sequence, action in enumerate(unpack(packed or b"")[len(rows) :], len(rows)):
            played.append(Played(sequence, state.player, action, state.describe(action)))
            state.apply(action)
        given_up = [Forfeited(row.seat, row.sequence, Forfeit(row.reason), row.replacement) for row in lost]
        match.replay(played, given_up)
        match.outcome = stored.outcome
        return match

    def running_matches(self) -> list[str]:
        """Ids of the matches that run, oldest first."""
        query = sa.select(matches.c.match_id).where(matches.c.state == RUNNING).order_by(matches.c.number)
        with self.engine.connect() as connection:
            return list(connection.execute(query).scalars())

    # -- Tokens --------------------------------------------------------------------------------------------------

    def add_token(self, row: dict[str, Any]) -> None:
        """Note a token; only its hash is kept."""
        with self.engine.begin() as connection:
            connection.execute(tokens.insert().values(**row))

    def find_token(self, digest: str) -> Any | None:
        """The row of the token with this hash."""
        with self.engine.connect() as connection:
            return connection.execute(sa.select(tokens).where(tokens.c.hash == digest)).one_or_none()

    def list_tokens(self) -> Sequence[Any]:
        """All tokens, oldest first."""
        with self.engine.connect() as connection:
            return connection.execute(sa.select(tokens).order_by(tokens.c.created, tokens.c.token_id)).all()

    def revoke_token(self, token_id: str, now: datetime) -> None:
        """Make a token worthless. Raises `NotFound`."""
        if NUL in token_id:
            raise NotFound("token", token_id)
        with self.engine.begin() as connection:
            changed = connection.execute(
                tokens.update().where(tokens.c.token_id == token_id, tokens.c.revoked.is_(None)).values(revoked=now)
            )
            if changed.rowcount == 0:
                raise NotFound("token", token_id)


def pack(found: Sequence[int]) -> bytes:
    """Actions as the store and exports keep them: two bytes each, the smaller one first."""
    packed = array("H", found)
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


def unpack(packed: bytes) -> array[int]:
    """The actions that `pack` wrote."""
    found = array("H")
    found.frombytes(packed)
    if sys.byteorder == "big":
        found.byteswap()
    return found


def utc_now() -> datetime:
    """The time of day."""
    return datetime.now(UTC)


def aware(value: datetime | None) -> datetime | None:
    """SQLite forgets the zone; all times are UTC."""
    return value if value is None or value.tzinfo is not None else value.replace(tzinfo=UTC)


def _stored(row: Any) -> StoredMatch:
    created = aware(row.created)
    assert created is not None
    outcome = None if row.outcome is None else outcome_from_dict(json.loads(row.outcome))
    spec = spec_from_dict(json.loads(row.spec))
    return StoredMatch(spec, row.state, row.number, created, aware(row.ended), outcome, row.actions)


def spec_to_dict(spec: MatchSpec) -> dict[str, Any]:
    """A specification as plain values."""
    return {
        "match_id": spec.match_id,
        "rules": spec.rules.to_dict(),
        "seed": str(spec.seed),  # JSON readers may lose digits of large numbers
        "players": list(spec.players),
        "clock": spec.clock.to_dict(),
        "on_forfeit": spec.on_forfeit.value,
        "forgiven": spec.forgiven,
        "anonymous": spec.anonymous,
        **({"via": list(spec.via)} if spec.via else {}),
    }


def spec_to_json(spec: MatchSpec) -> str:
    """What `spec_to_dict` gives as JSON. Most of it is the same in many matches, and written once."""
    same = _spec_parts(spec.rules, spec.players, spec.clock, spec.on_forfeit, spec.forgiven, spec.anonymous, spec.via)
    return f'{{"match_id":"{spec.match_id}","seed":"{spec.seed}",{same}'


@lru_cache(4096)
def _spec_parts(*parts: Any) -> str:
    values = spec_to_dict(MatchSpec("", parts[0], 0, *parts[1:]))
    del values["match_id"], values["seed"]
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))[1:]


def spec_from_dict(value: dict[str, Any]) -> MatchSpec:
    """The specification that `spec_to_dict` wrote."""
    return MatchSpec(
        match_id=value["match_id"],
        rules=Rules(**value["rules"]),
        seed=int(value["seed"]),
        players=tuple(value["players"]),
        clock=ClockRules(**value["clock"]),
        on_forfeit=OnForfeit(value["on_forfeit"]),
        forgiven=value["forgiven"],
        anonymous=value["anonymous"],
        via=tuple(value.get("via", ())),
    )


def outcome_to_dict(outcome: Outcome) -> dict[str, Any]:
    """An outcome as plain values."""
    return {
        "reasons": list(outcome.reasons),
        "scores": list(outcome.scores),
        "ranks": list(outcome.ranks),
        "forfeits": [None if forfeit is None else forfeit.value for forfeit in outcome.forfeits],
    }


def outcome_from_dict(value: dict[str, Any]) -> Outcome:
    """The outcome that `outcome_to_dict` wrote."""
    lost = tuple(None if reason is None else Forfeit(reason) for reason in value["forfeits"])
    return Outcome(tuple(value["reasons"]), tuple(value["scores"]), tuple(value["ranks"]), lost)
