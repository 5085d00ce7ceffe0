"""Tournaments in the store. Schedule, games and log are the truth; tallies, pairs and fits are derived from them.

A block is finished in one transaction with everything that is derived from it, so that what is stored agrees at any
moment. All writes may be repeated: after a commit that failed nobody knows whether it was made.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hansa_server.match import MatchSpec, Outcome
from hansa_server.store import FINISHED as MATCH_FINISHED
from hansa_server.store import (
    NUL,
    Store,
    actions,
    aware,
    matches,
    metadata,
    outcome_to_dict,
    pack,
    records,
    spec_to_json,
)
from hansa_server.tournament import event_file
from hansa_server.tournament.block import Pairing
from hansa_server.tournament.chronicle import (
    FINISHED,
    MADE,
    RUNNING,
    Block,
    Chronicle,
    Note,
    Place,
    PlayedGame,
)
from hansa_server.tournament.event import Entrant, Event
from hansa_server.tournament.games import result_from_json, result_to_json, to_json
from hansa_server.tournament.tally import PairTally, Tally

CREATED, PLAYING, PAUSED, OVER, STOPPED = "created", "running", "paused", "finished", "stopped"
ENDED = (OVER, STOPPED)
AT_A_TIME = 500  # rows of a statement; databases take some ten thousand values at most
ROWS = "{rows}"  # where they go

NAME = sa.String(64)


def _of_tournament() -> sa.Column[str]:
    return sa.Column("tournament", NAME, sa.ForeignKey("tournaments.name"), primary_key=True)


tournaments = sa.Table(
    "tournaments",
    metadata,
    sa.Column("name", NAME, primary_key=True),
    sa.Column("number", sa.BigInteger, nullable=False, unique=True),  # in the order of creation
    sa.Column("request_id", sa.String(64), unique=True),
    sa.Column("event", sa.Text, nullable=False),  # as JSON, without the seed
    sa.Column("secret", sa.String(64), nullable=False),
    sa.Column("commitment", sa.String(64), nullable=False),
    sa.Column("state", sa.String(16), nullable=False, index=True),
    sa.Column("problem", sa.Text, nullable=False),
    sa.Column("concurrency", sa.Integer, nullable=False),
    sa.Column("created", sa.DateTime(timezone=True), nullable=False),
    sa.Column("started", sa.DateTime(timezone=True)),
    sa.Column("ended", sa.DateTime(timezone=True)),
    sa.Column("played_seconds", sa.Float, nullable=False),
    sa.Column("blocks_made", sa.Integer, nullable=False),
    sa.Column("blocks_finished", sa.Integer, nullable=False),
    sa.Column("blocks_void", sa.Integer, nullable=False),
    sa.Column("games_finished", sa.BigInteger, nullable=False),
    sa.Column("decisions", sa.BigInteger, nullable=False),
    sa.Column("chain", sa.String(64), nullable=False),
    sa.Column("chain_blocks", sa.Integer, nullable=False),  # up to where chain and ladder go
    sa.Column("outcome", sa.Text),
)
entrants = sa.Table(
    "entrants",
    metadata,
    _of_tournament(),
    sa.Column("name", NAME, primary_key=True),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("uses", sa.Text, nullable=False),
    sa.Column("entered", sa.Integer, nullable=False),
    sa.Column("withdrawn", sa.Integer),
    sa.Column("version", sa.Text),  # of its built-in bot
)
notes = sa.Table(
    "notes",
    metadata,
    _of_tournament(),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("block", sa.Integer, nullable=False),
    sa.Column("chained", sa.Integer, nullable=False),  # how many blocks the chain had; of changes of the line-up
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("created", sa.DateTime(timezone=True), nullable=False),
)
blocks = sa.Table(
    "blocks",
    metadata,
    _of_tournament(),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("seat_table", sa.SmallInteger, nullable=False),
    sa.Column("round", sa.Integer, nullable=False),
    sa.Column("seatings", sa.Text, nullable=False),
    sa.Column("state", sa.String(16), nullable=False),
    sa.Column("attempt", sa.Integer, nullable=False),
    sa.Column("chain", sa.String(64), nullable=False),
    sqlite_with_rowid=False,
)
games = sa.Table(  # those that have begun
    "games",
    metadata,
    _of_tournament(),
    sa.Column("block", sa.Integer, primary_key=True),
    sa.Column("game", sa.SmallInteger, primary_key=True),
    sa.Column("match_id", sa.String(32), nullable=False, unique=True),
    sa.Column("result", sa.Text),
    sqlite_with_rowid=False,
)
tallies = sa.Table(
    "tallies",
    metadata,
    _of_tournament(),
    sa.Column("pool", sa.String(128), primary_key=True),
    sa.Column("bot", NAME, primary_key=True),
    sa.Column("data", sa.Text, nullable=False),
)
pairs = sa.Table(
    "pairs",
    metadata,
    _of_tournament(),
    sa.Column("pool", sa.String(128), primary_key=True),
    sa.Column("bot", NAME, primary_key=True),
    sa.Column("other", NAME, primary_key=True),
    sa.Column("ahead", sa.BigInteger, nullable=False),
    sa.Column("tied", sa.BigInteger, nullable=False),
    sa.Column("behind", sa.BigInteger, nullable=False),
    sa.Column("after", sa.BigInteger, nullable=False),
)
fits = sa.Table(
    "fits",
    metadata,
    _of_tournament(),
    sa.Column("pool", sa.String(128), primary_key=True),
    sa.Column("blocks", sa.Integer, nullable=False),
    sa.Column("data", sa.Text, nullable=False),
)
logs = sa.Table(  # what local bots wrote
    "logs",
    metadata,
    sa.Column("match_id", sa.String(32), primary_key=True),
    sa.Column("bot", NAME, primary_key=True),
    sa.Column("created", sa.DateTime(timezone=True), nullable=False),
    sa.Column("text", sa.Text, nullable=False),
)


@dataclass
class Standing:
    """Where a tournament is; everything the runner changes as it goes on."""

    state: str = CREATED
    problem: str = ""
    concurrency: int = 0
    started: datetime | None = None
    ended: datetime | None = None
    played_seconds: float = 0.0
    blocks_made: int = 0
    blocks_finished: int = 0
    blocks_void: int = 0
    games_finished: int = 0
    decisions: int = 0
    chain: str = ""
    chain_blocks: int = 0
    outcome: dict[str, Any] | None = None


@dataclass(frozen=True)
class Stored:
    """A tournament as the store has it."""

    event: Event
    secret: str
    commitment: str
    number: int
    created: datetime
    standing: Standing


@dataclass(frozen=True)
class Move:
    """A change of the line-up: when this many blocks were on the schedule, and this many tied to the chain."""

    bot: str
    entered: bool  # or withdrawn
    made: int
    chained: int


@dataclass(frozen=True)
class Whole:
    """A match that was played in one go, to be stored with its result."""

    spec: MatchSpec
    packed: bytes  # its actions
    outcome: Outcome


@dataclass
class Change:
    """What one transaction writes. Blocks are as they are now; the standing and the tally go with them."""

    blocks: list[Block] = field(default_factory=list)  # finished or dropped
    chained: list[tuple[int, str]] = field(default_factory=list)  # number and hash
    results: list[tuple[int, int, PlayedGame]] = field(default_factory=list)  # block, game
    whole: list[Whole] = field(default_factory=list)
    logs: list[tuple[str, str, str]] = field(default_factory=list)  # match, bot, text

    def __bool__(self) -> bool:
        return bool(self.blocks or self.chained or self.results or self.whole or self.logs)


class Ledger:
    """Reads and writes tournaments."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.engine = store.engine
        # Results come by the thousand a second: their statements are handed to the driver as they are.
        self._mark = "?" if self.engine.dialect.paramstyle == "qmark" else "%s"
        self._insert_match = self._insert(matches) + " ON CONFLICT DO NOTHING"
        self._insert_record = self._insert(records) + " ON CONFLICT DO NOTHING"
        self._insert_block = self._insert(blocks) + " ON CONFLICT DO NOTHING"
        self._put_game = self._upsert(games, "match_id", "result")
        self._put_tally = self._upsert(tallies, "data")
        self._put_pair = self._upsert(pairs, "ahead", "tied", "behind", "after")
        self._set_state = self._update(blocks, "state")
        self._set_chain = self._update(blocks, "chain")
        self._put_fit = self._upsert(fits, "blocks", "data")
        self._put_log = self._upsert(logs, "created", "text")

    def _insert(self, table: sa.Table) -> str:
        names = ", ".join(column.name for column in table.columns)
        return f"INSERT INTO {table.name} ({names}) VALUES {ROWS}"

    def _upsert(self, table: sa.Table, *changing: str) -> str:
        keys = ", ".join(column.name for column in table.primary_key)
        changes = ", ".join(f"{name} = excluded.{name}" for name in changing)
        return f"{self._insert(table)} ON CONFLICT ({keys}) DO UPDATE SET {changes}"

    def _update(self, table: sa.Table, changing: str) -> str:
        """Set a column in the rows of a tournament with these numbers; both databases call the columns of values so."""
        return (
            f"UPDATE {table.name} SET {changing} = found.column2 FROM (VALUES {ROWS}) AS found "
            f"WHERE {table.name}.number = found.column1 AND {table.name}.tournament = {self._mark}"
        )

    def _fill(self, connection: Connection, statement: str, rows: Sequence[tuple[Any, ...]], *more: Any) -> None:
        """Run a statement on many rows at a time. The driver works through them without coming back to Python between
        them, so that games go on beside it."""
        for first in range(0, len(rows), AT_A_TIME):
            some = rows[first : first + AT_A_TIME]
            row = f"({', '.join([self._mark] * len(some[0]))})"
            words = (*chain.from_iterable(some), *more)
            connection.exec_driver_sql(statement.replace(ROWS, ", ".join([row] * len(some))), words)

    def _time(self, now: datetime) -> datetime | str:
        """A time as the driver takes it."""
        postgresql = self.engine.dialect.name == "postgresql"
        return now if postgresql else now.replace(tzinfo=None).isoformat(" ", timespec="microseconds")

    # -- Writing -------------------------------------------------------------------------------------------------

    def create(self, event: Event, secret: str, commitment: str, request_id: str, now: datetime) -> None:
        """Note a new tournament with its line-up."""
        with self.engine.begin() as connection:
            number = connection.execute(sa.select(sa.func.coalesce(sa.func.max(tournaments.c.number), 0))).scalar_one()
            standing = Standing(concurrency=event.limits.concurrency)
            connection.execute(
                tournaments.insert().values(
                    name=event.name,
                    number=number + 1,
                    request_id=request_id or None,
                    event=to_json({**event_file.to_dict(event), "seed": ""}),
                    secret=secret,
                    commitment=commitment,
                    created=now,
                    **_standing_values(standing),
                )
            )
            for position, entrant in enumerate(event.bots):
                values = {"position": position, "uses": entrant.uses, "entered": 0, "version": entrant.version}
                connection.execute(entrants.insert().values(tournament=event.name, name=entrant.name, **values))
            self._note(connection, event.name, 0, "created", f"seed committed to as {commitment}", now)

    def update(self, name: str, standing: Standing, now: datetime, kind: str = "", text: str = "") -> None:
        """Write where a tournament is, with a line in its log."""
        with self.engine.begin() as connection:
            self._set(connection, name, standing)
            if kind:
                self._note(connection, name, standing.blocks_made, kind, text, now)

    def enter(self, name: str, entrant: Entrant, block: int, chained: int, now: datetime) -> None:
        """One more bot takes part, or one that was withdrawn is back."""
        key = {"tournament": name, "name": entrant.name}
        with self.engine.begin() as connection:
            where = (entrants.c.tournament == name) & (entrants.c.name == entrant.name)
            known = connection.execute(sa.select(entrants.c.position).where(where)).scalar_one_or_none()
            if known is None:
                last = sa.select(sa.func.coalesce(sa.func.max(entrants.c.position), -1)).where(
                    entrants.c.tournament == name
                )
                position = connection.execute(last).scalar_one() + 1
                values = {"position": position, "uses": entrant.uses, "entered": block, "version": entrant.version}
                connection.execute(entrants.insert().values(**key, **values))
            else:
                connection.execute(entrants.update().where(where).values(uses=entrant.uses, withdrawn=None))
            self._note(connection, name, block, "entered", entrant.name, now, chained)

    def put_versions(self, name: str, places: Iterable[Place]) -> None:
        """Note which versions of built-in bots take part."""
        with self.engine.begin() as connection:
            for place in places:
                where = (entrants.c.tournament == name) & (entrants.c.name == place.entrant.name)
                connection.execute(entrants.update().where(where).values(version=place.version))

    def withdraw(self, name: str, bot: str, block: int, chained: int, now: datetime) -> None:
        """A bot takes no further part."""
        where = (entrants.c.tournament == name) & (entrants.c.name == bot)
        with self.engine.begin() as connection:
            connection.execute(entrants.update().where(where).values(withdrawn=block))
            self._note(connection, name, block, "withdrawn", bot, now, chained)

    def make(self, name: str, first: int, pairings: Sequence[Pairing], standing: Standing) -> None:
        """Put blocks on the schedule."""
        rows = [
            (name, number, pairing.table, pairing.round, to_json(pairing.seatings), MADE, 0, "")
            for number, pairing in enumerate(pairings, first)
        ]
        with self.engine.begin() as connection:
            self._fill(connection, self._insert_block, rows)
            self._set(connection, name, standing)

    def begin(self, name: str, block: int, game: int, match_id: str) -> None:
        """A game of a block is about to begin."""
        where = (blocks.c.tournament == name) & (blocks.c.number == block)
        with self.engine.begin() as connection:
            connection.execute(blocks.update().where(where).values(state=RUNNING))
            self._fill(connection, self._put_game, [(name, block, game, match_id, None)])

    def write(self, name: str, change: Change, standing: Standing, tally: Tally, now: datetime) -> None:
        """Write what happened, all of it or nothing."""
        with self.engine.begin() as connection:
            if change.whole:
                self._write_whole(connection, change.whole, now)
            rows = [
                (name, block, game, played.match_id, result_to_json(played)) for block, game, played in change.results
            ]
            self._fill(connection, self._put_game, rows)
            self._fill(connection, self._set_state, [(block.number, block.state) for block in change.blocks], name)
            self._fill(connection, self._set_chain, change.chained, name)
            logged = [(match_id, bot, self._time(now), text.replace(NUL, "")) for match_id, bot, text in change.logs]
            self._fill(connection, self._put_log, logged)
            self._write_tally(connection, name, tally)
            self._set(connection, name, standing)
        tally.stored()

    def _write_whole(self, connection: Connection, whole: Iterable[Whole], now: datetime) -> None:
        number = connection.execute(sa.select(sa.func.coalesce(sa.func.max(matches.c.number), 0))).scalar_one()
        rows, packed = [], []
        time = self._time(now)
        for match in whole:
            number += 1
            spec, outcome = spec_to_json(match.spec), to_json(outcome_to_dict(match.outcome))
            rows.append((match.spec.match_id, number, None, spec, MATCH_FINISHED, time, time, outcome))
            packed.append((match.spec.match_id, match.packed))
        self._fill(connection, self._insert_match, rows)
        self._fill(connection, self._insert_record, packed)

    def _write_tally(self, connection: Connection, name: str, tally: Tally) -> None:
        values = [(name, pool, bot, to_json(tally.bot_values(pool, bot))) for pool, bot in sorted(tally.changed_bots)]
        self._fill(connection, self._put_tally, values)
        rows = []
        for pool, bot, other in sorted(tally.changed_pairs):
            pair = tally.pools[pool].pairs[bot, other]
            rows.append((name, pool, bot, other, pair.ahead, pair.tied, pair.behind, pair.after))
        self._fill(connection, self._put_pair, rows)

    def void(self, name: str, block: int, attempt: int, standing: Standing, text: str, now: datetime) -> None:
        """An attempt at a block was spoilt: its games are forgotten (their matches stay), and it begins anew."""
        where = (blocks.c.tournament == name) & (blocks.c.number == block)
        with self.engine.begin() as connection:
            connection.execute(blocks.update().where(where).values(state=MADE, attempt=attempt))
            connection.execute(games.delete().where((games.c.tournament == name) & (games.c.block == block)))
            self._set(connection, name, standing)
            self._note(connection, name, standing.blocks_made, "void", f"block {block}: {text}", now)

    def put_fits(self, name: str, found: dict[str, tuple[int, Any]]) -> None:
        """Keep the ratings of pools: of how many blocks they are, and what they say."""
        rows = [(name, pool, count, to_json(data)) for pool, (count, data) in sorted(found.items())]
        with self.engine.begin() as connection:
            self._fill(connection, self._put_fit, rows)

    def replace_derived(self, name: str, tally: Tally, standing: Standing, found: dict[str, tuple[int, Any]]) -> None:
        """Write everything that is derived anew."""
        tally.everything_changed()
        with self.engine.begin() as connection:
            for table in (tallies, pairs, fits):
                connection.execute(table.delete().where(table.c.tournament == name))
            self._write_tally(connection, name, tally)
            rows = [(name, pool, count, to_json(data)) for pool, (count, data) in sorted(found.items())]
            self._fill(connection, self._put_fit, rows)
            self._set(connection, name, standing)
        tally.stored()

    def bring_in(
        self,
        chronicle: Chronicle,
        whole: Iterable[Whole],
        standing: Standing,
        tally: Tally,
        found: dict[str, tuple[int, Any]],
        now: datetime,
    ) -> None:
        """Take in a tournament of another store that is over."""
        event = chronicle.event
        name = event.name
        tally.everything_changed()
        with self.engine.begin() as connection:
            number = connection.execute(sa.select(sa.func.coalesce(sa.func.max(tournaments.c.number), 0))).scalar_one()
            connection.execute(
                tournaments.insert().values(
                    name=name,
                    number=number + 1,
                    event=to_json({**event_file.to_dict(event), "seed": ""}),
                    secret=chronicle.secret,
                    commitment=chronicle.commitment,
                    created=now,
                    **_standing_values(standing),
                )
            )
            for position, place in enumerate(chronicle.line_up):
                values = {"position": position, "uses": place.entrant.uses}
                values |= {"entered": place.entered, "withdrawn": place.withdrawn, "version": place.version}
                connection.execute(entrants.insert().values(tournament=name, name=place.entrant.name, **values))
            for note in chronicle.notes:
                self._note(connection, name, note.block, note.kind, note.text, now)
            self._note(connection, name, standing.blocks_made, "imported", "from an export, after checking it", now)
            rows = [
                (
                    *(name, block.number, block.pairing.table, block.pairing.round),
                    *(to_json(block.pairing.seatings), block.state, block.attempt, block.chain),
                )
                for block in chronicle.blocks
            ]
            self._fill(connection, self._insert_block, rows)
            results = [
                (name, block.number, game, played.match_id, result_to_json(played))
                for block in chronicle.blocks
                for game, played in enumerate(block.games)
            ]
            self._write_whole(connection, whole, now)
            self._fill(connection, self._put_game, results)
            self._write_tally(connection, name, tally)
            fit_rows = [(name, pool, count, to_json(data)) for pool, (count, data) in sorted(found.items())]
            self._fill(connection, self._put_fit, fit_rows)
        tally.stored()

    def purge(self, what: str, before: datetime, now: datetime) -> int:
        """Let go of "logs" (what local bots wrote) or "details" (thinking times and remarks) of tournaments that ended
        before; records stay. Returns of how many matches that was. A line in each tournament's log says so."""
        gone = 0
        with self.engine.begin() as connection:
            over = connection.execute(
                sa.select(tournaments.c.name, tournaments.c.blocks_made).where(
                    tournaments.c.state.in_(ENDED), tournaments.c.ended < before
                )
            ).all()
            for name, made in over:
                mine = sa.select(games.c.match_id).where(games.c.tournament == name)
                if what == "logs":
                    count = connection.execute(logs.delete().where(logs.c.match_id.in_(mine))).rowcount
                    text = f"{count} logs of local bots"
                else:
                    count = self._pack_details(connection, list(connection.execute(mine).scalars()))
                    text = f"thinking times and remarks of {count} matches"
                if count:
                    self._note(connection, name, made, "purged", text, now)
                    gone += count
        return gone

    def _pack_details(self, connection: Connection, match_ids: Sequence[str]) -> int:
        count = 0
        for match_id in match_ids:
            query = sa.select(actions.c.action).where(actions.c.match_id == match_id).order_by(actions.c.sequence)
            played = list(connection.execute(query).scalars())
            if played:
                self._fill(connection, self._insert_record, [(match_id, pack(played))])
                connection.execute(actions.delete().where(actions.c.match_id == match_id))
                count += 1
        return count

    def _set(self, connection: Connection, name: str, standing: Standing) -> None:
        values = _standing_values(standing)
        connection.execute(tournaments.update().where(tournaments.c.name == name).values(**values))

    def _note(
        self, connection: Connection, name: str, block: int, kind: str, text: str, now: datetime, chained: int = 0
    ) -> None:
        last = sa.select(sa.func.coalesce(sa.func.max(notes.c.number), -1)).where(notes.c.tournament == name)
        number = connection.execute(last).scalar_one() + 1
        values = {"number": number, "block": block, "chained": chained, "kind": kind, "text": text, "created": now}
        connection.execute(notes.insert().values(tournament=name, **values))

    # -- Reading -------------------------------------------------------------------------------------------------

    def find_request(self, request_id: str) -> str | None:
        """The tournament that was created for this request id."""
        if NUL in request_id:
            return None
        query = sa.select(tournaments.c.name).where(tournaments.c.request_id == request_id)
        with self.engine.connect() as connection:
            return connection.execute(query).scalar_one_or_none()

    def find(self, name: str) -> Stored | None:
        """One tournament, if it is there."""
        if NUL in name:
            return None
        with self.engine.connect() as connection:
            row = connection.execute(sa.select(tournaments).where(tournaments.c.name == name)).one_or_none()
        return None if row is None else _stored(row)

    def page(self, *, state: str | None = None, below: int | None = None, limit: int = 50) -> list[Stored]:
        """Tournaments, newest first; `below` goes on after the number of the last one of the page before."""
        query = sa.select(tournaments).order_by(tournaments.c.number.desc()).limit(limit)
        if state is not None:
            query = query.where(tournaments.c.state == state)
        if below is not None:
            query = query.where(tournaments.c.number < below)
        with self.engine.connect() as connection:
            return [_stored(row) for row in connection.execute(query)]

    def unfinished(self) -> list[Stored]:
        """Tournaments that are not over, oldest first."""
        query = sa.select(tournaments).where(tournaments.c.state.not_in(ENDED)).order_by(tournaments.c.number)
        with self.engine.connect() as connection:
            return [_stored(row) for row in connection.execute(query)]

    def line_up(self, name: str) -> list[Place]:
        """Who takes part, or did, in the order of entry."""
        query = sa.select(entrants).where(entrants.c.tournament == name).order_by(entrants.c.position)
        with self.engine.connect() as connection:
            rows = connection.execute(query).all()
        return [Place(Entrant(row.name, row.uses), row.entered, row.withdrawn, row.version) for row in rows]

    def notes(self, name: str) -> list[Note]:
        """The log of a tournament."""
        query = sa.select(notes).where(notes.c.tournament == name).order_by(notes.c.number)
        with self.engine.connect() as connection:
            return [Note(row.number, row.block, row.kind, row.text) for row in connection.execute(query)]

    def moves(self, name: str) -> list[Move]:
        """How the line-up changed after the set-up, in that order."""
        kinds = ("entered", "withdrawn")
        query = sa.select(notes).where(notes.c.tournament == name, notes.c.kind.in_(kinds)).order_by(notes.c.number)
        with self.engine.connect() as connection:
            rows = connection.execute(query).all()
        return [Move(row.text, row.kind == "entered", row.block, row.chained) for row in rows]

    def blocks(self, name: str) -> Iterator[Block]:
        """The schedule; of finished blocks with their games."""
        query = sa.select(blocks).where(blocks.c.tournament == name).order_by(blocks.c.number)
        results = (
            sa.select(games)
            .where((games.c.tournament == name) & games.c.result.is_not(None))
            .order_by(games.c.block, games.c.game)
        )
        with (
            self.engine.connect() as connection,
            self.engine.connect() as other,
            connection.execution_options(yield_per=5000).execute(query) as schedule,
            other.execution_options(yield_per=5000).execute(results) as played,
        ):
            rows = iter(played)
            row = next(rows, None)
            for block in schedule:
                seatings = tuple(tuple(seating) for seating in json.loads(block.seatings))
                mine = []
                while row is not None and row.block <= block.number:
                    if block.state == FINISHED:
                        mine.append(result_from_json(row.result, seatings[row.game], row.match_id))
                    row = next(rows, None)
                pairing = Pairing(block.seat_table, block.round, seatings)
                yield Block(block.number, pairing, block.state, block.attempt, tuple(mine), block.chain)

    def open_games(self, name: str, block: int) -> dict[int, tuple[str, str | None]]:
        """The games of a block that have begun: match and, if it is over, result."""
        query = sa.select(games).where((games.c.tournament == name) & (games.c.block == block))
        with self.engine.connect() as connection:
            return {row.game: (row.match_id, row.result) for row in connection.execute(query)}

    def is_under_way(self, match_id: str) -> bool:
        """Whether a match belongs to a block that is not over: then its seed is still played from."""
        query = (
            sa.select(blocks.c.state)
            .join(games, (games.c.tournament == blocks.c.tournament) & (games.c.block == blocks.c.number))
            .where(games.c.match_id == match_id)
        )
        with self.engine.connect() as connection:
            return connection.execute(query).scalar_one_or_none() in (MADE, RUNNING)

    def page_of_games(self, name: str, after: tuple[int, int], limit: int, bot: str = "") -> list[tuple[Any, Block]]:
        """Games that have begun, in the order of the schedule, after this block and game; with their blocks."""
        if NUL in bot:
            return []
        query = (
            sa.select(games, blocks.c.seat_table, blocks.c.round, blocks.c.seatings, blocks.c.state, blocks.c.attempt)
            .join(blocks, (games.c.tournament == blocks.c.tournament) & (games.c.block == blocks.c.number))
            .where(games.c.tournament == name)
            .where(sa.tuple_(games.c.block, games.c.game) > sa.tuple_(*map(sa.literal, after)))
            .order_by(games.c.block, games.c.game)
            .limit(limit)
        )
        if bot:
            query = query.where(blocks.c.seatings.contains(json.dumps(bot, ensure_ascii=False), autoescape=True))
        with self.engine.connect() as connection:
            rows = connection.execute(query).all()
        found = []
        for row in rows:
            seatings = tuple(tuple(seating) for seating in json.loads(row.seatings))
            pairing = Pairing(row.seat_table, row.round, seatings)
            found.append((row, Block(row.block, pairing, row.state, row.attempt)))
        return found

    def tally(self, name: str) -> Tally:
        """What was counted."""
        found = Tally()
        with self.engine.connect() as connection:
            for row in connection.execute(sa.select(tallies).where(tallies.c.tournament == name)):
                found.set_bot(row.pool, row.bot, json.loads(row.data))
            for row in connection.execute(sa.select(pairs).where(pairs.c.tournament == name)):
                pair = PairTally(row.ahead, row.tied, row.behind, row.after)
                found.pool(row.pool).pairs[row.bot, row.other] = pair
        return found

    def fits(self, name: str) -> dict[str, tuple[int, Any]]:
        """The ratings that are kept, by pool."""
        query = sa.select(fits).where(fits.c.tournament == name).order_by(fits.c.pool)
        with self.engine.connect() as connection:
            return {row.pool: (row.blocks, json.loads(row.data)) for row in connection.execute(query)}

    def log(self, match_id: str, bot: str) -> str | None:
        """What a local bot wrote during a match."""
        if NUL in match_id + bot:
            return None
        query = sa.select(logs.c.text).where((logs.c.match_id == match_id) & (logs.c.bot == bot))
        with self.engine.connect() as connection:
            return connection.execute(query).scalar_one_or_none()

    def actions_of(self, name: str) -> Generator[tuple[int, int, bytes]]:
        """Block, game and packed actions of all games that have a result, in the order of the schedule."""
        packed = (
            sa.select(games.c.block, games.c.game, games.c.match_id, records.c.actions)
            .join(records, records.c.match_id == games.c.match_id, isouter=True)
            .where((games.c.tournament == name) & games.c.result.is_not(None))
            .order_by(games.c.block, games.c.game)
        )
        with (
            self.engine.connect() as connection,
            self.engine.connect() as other,
            connection.execution_options(yield_per=1000).execute(packed) as rows,
        ):
            for row in rows:
                if row.actions is not None:
                    yield row.block, row.game, row.actions
                    continue
                query = sa.select(actions.c.action).where(actions.c.match_id == row.match_id)
                played = other.execute(query.order_by(actions.c.sequence)).scalars()
                yield row.block, row.game, pack(list(played))

    def chronicle(self, name: str, *, reveal: bool = False) -> Chronicle:
        """All that happened. The seed is in it once the tournament is over, or to reveal it anyway."""
        stored = self.find(name)
        assert stored is not None
        standing = stored.standing
        secret = stored.secret if reveal or standing.state in ENDED else ""
        return Chronicle(
            event=stored.event,
            state=standing.state,
            commitment=stored.commitment,
            secret=secret,
            line_up=tuple(self.line_up(name)),
            blocks=tuple(self.blocks(name)),
            notes=tuple(self.notes(name)),
            outcome=standing.outcome or {},
        )


def _standing_values(standing: Standing) -> dict[str, Any]:
    outcome = None if standing.outcome is None else to_json(standing.outcome)
    return {**vars(standing), "outcome": outcome}


def _stored(row: Any) -> Stored:
    created = aware(row.created)
    assert created is not None
    values = {name: getattr(row, name) for name in vars(Standing())}
    values["started"], values["ended"] = aware(row.started), aware(row.ended)
    values["outcome"] = None if row.outcome is None else json.loads(row.outcome)
    event = event_file.from_dict(json.loads(row.event), anywhere=True)
    return Stored(event, row.secret, row.commitment, row.number, created, Standing(**values))
