"""The store: what was committed comes back as it was, on every database."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError, OperationalError
from structlog.testing import LogCapture

import hansa_fast as hf
from hansa_client.pb.hansa.v1 import match_pb2
from hansa_server import store as store_module
from hansa_server.auth import Role, create_token
from hansa_server.clock import ClockRules
from hansa_server.errors import BadField, NotFound
from hansa_server.match import Answer, Forfeit, Forfeited, Match, MatchSpec, OnForfeit, Outcome, Played
from hansa_server.serve import Server
from hansa_server.settings import Settings
from hansa_server.store import ABORTED, FINISHED, RUNNING, Store, actions, forfeits
from tests.server.bots import answer, pick, run, short, table, until
from tests.server.conftest import DATABASES
from tests.server.postgres import Cluster

Entry = tuple[str, Played | Forfeited | Outcome]
NOW = datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)


@pytest.fixture
def store(address: str) -> Iterator[Store]:
    """An empty store."""
    opened = Store(address)
    yield opened
    opened.close()


def spec(number: int = 0, **more: object) -> MatchSpec:
    """What is settled before a match."""
    values: dict[str, object] = {
        "match_id": f"match{number}",
        "rules": hf.Rules(players=3, missions=True, turn_limit=10),
        "seed": 2**64 - 1 - number,
        "players": ("anna", "builtin:greedy", "anna"),
        "clock": ClockRules(0, 60, 0.5, 0.25),
        "on_forfeit": OnForfeit.REPLACE,
        "forgiven": 7,
        "anonymous": True,
        **more,
    }
    return MatchSpec(**values)  # type: ignore[arg-type]


def play(match: Match, store: Store) -> None:
    """Play a match to its end, all of it into the store as the arena does."""
    match_id = match.spec.match_id
    effects = match.start(0.0)
    while True:
        entries: list[Entry] = []
        for effect in effects:
            if isinstance(effect, (Played, Forfeited)):
                entries.append((match_id, effect))
        if match.outcome is not None:
            entries.append((match_id, match.outcome))
        store.append(entries, NOW + timedelta(hours=1))
        if match.is_over:
            return
        if match.asked is None:
            effects = match.go_on(0.0)
        elif match.sequence > 20 and match.seats[match.asked].forfeit is None:
            effects = match.resign(match.asked, 0.0)
        else:
            said = {"evaluation": (1.5, float("inf"), -2.0), "comment": "ein „Zug“\0\n🐟"} if match.sequence % 3 else {}
            choice = match.state.choose(match.sequence, "greedy")
            effects = match.answer(match.asked, Answer(match.sequence, choice, **said), 0.125)  # type: ignore[arg-type]


def test_a_match_comes_back_as_it_was(store: Store) -> None:
    match = Match(spec())
    store.create_match(match.spec, "request", NOW)
    play(match, store)
    assert any(seat.forfeit for seat in match.seats)
    again = store.load_match("match0")
    assert again.spec == match.spec
    assert again.actions == match.actions
    assert again.state == match.state
    assert again.outcome == match.outcome
    assert again.forfeits() == match.forfeits()
    assert again.record().to_text() == match.record().to_text()
    stored = store.get_match("match0")
    assert (stored.state, stored.actions) == (FINISHED, match.sequence)
    assert (stored.created, stored.ended) == (NOW, NOW + timedelta(hours=1))
    assert store.running_matches() == []


def test_matches_are_found(store: Store) -> None:
    for number in range(5):
        store.create_match(spec(number), f"request{number}" if number else "", NOW)
    store.create_match(spec(5), None, NOW)  # no request id is shared by any number of matches
    assert store.running_matches() == [f"match{number}" for number in range(6)]
    assert store.find_request("request3") == "match3"
    assert store.find_request("unknown") is None
    assert store.find_request("a\0b") is None
    for unknown in ("nope", "", "a\0b", "x" * 10_000):
        with pytest.raises(NotFound):
            store.get_match(unknown)
        with pytest.raises(NotFound):
            store.load_match(unknown)
    outcome = Outcome(("aborted",), ({"total": 0},) * 3, (1, 1, 1), (None,) * 3)
    store.append([("match2", outcome)], NOW)
    assert store.get_match("match2").state == ABORTED
    assert [found.spec.match_id for found in store.list_matches(state=RUNNING, limit=3)] == [
        "match5",
        "match4",
        "match3",
    ]
    assert [found.spec.match_id for found in store.list_matches(below=4, limit=2)] == ["match2", "match1"]
    assert [found.spec.match_id for found in store.list_matches(state=ABORTED)] == ["match2"]


def test_a_request_makes_one_match(store: Store) -> None:
    store.create_match(spec(0), "request", NOW)
    with pytest.raises(IntegrityError):
        store.create_match(spec(1), "request", NOW)
    store.create_match(spec(2), "another", NOW)
    assert store.running_matches() == ["match0", "match2"]


def played(sequence: int) -> Played:
    """Any action."""
    return Played(sequence, 0, 13, "", 0.5, 10.0)


def rows(store: Store) -> int:
    """How many actions are stored."""
    with store.engine.connect() as connection:
        return int(connection.execute(sa.select(sa.func.count()).select_from(actions)).scalar_one())


def test_all_or_nothing(store: Store) -> None:
    store.create_match(spec(0), None, NOW)
    store.append([("match0", played(0))], NOW)
    lost = Forfeited(0, 1, Forfeit.TIMEOUT, "random")
    twice: list[list[Entry]] = [
        [("match0", played(1)), ("match0", played(0))],
        [("match0", played(1)), ("match0", lost), ("match0", lost)],
    ]
    for bad in twice:
        with pytest.raises(IntegrityError):
            store.append(bad, NOW)
        assert rows(store) == 1
    store.append([("match0", played(1)), ("match0", lost)], NOW)
    assert rows(store) == 2


def test_what_was_committed_after_all_may_be_sent_again(store: Store) -> None:
    """A connection may be lost in the middle of a commit: then nobody knows whether it was made."""
    store.create_match(spec(0), None, NOW)
    entries: list[Entry] = [("match0", played(0)), ("match0", Forfeited(0, 1, Forfeit.TIMEOUT, "random"))]
    store.append(entries, NOW)
    store.append([*entries, ("match0", played(1))], NOW, again=True)
    assert rows(store) == 2
    with store.engine.connect() as connection:
        assert len(connection.execute(sa.select(forfeits)).all()) == 1


def test_one_server_at_a_time_plays_from_a_store(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = Store(address), Store(address)
    first.claim()
    with monkeypatch.context() as patch:
        patch.setattr(store_module, "CLAIM_PATIENCE", 0.0)
        with pytest.raises(BadField, match="another server"):
            second.claim()
    first.close()
    second.claim()
    second.close()


def test_a_second_server_does_not_start(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        one = Server(Settings(address="127.0.0.1:0", store=address))
        await one.start()
        with monkeypatch.context() as patch:
            patch.setattr(store_module, "CLAIM_PATIENCE", 0.0)
            with pytest.raises(BadField, match="another server"):
                Server(Settings(address="127.0.0.1:0", store=address))
        await one.stop(0.0)
        other = Server(Settings(address="127.0.0.1:0", store=address))
        await other.start()
        await other.stop(0.0)

    run(main())


def test_tokens(store: Store) -> None:
    ids = [create_token(store, role, f"name-{role.value}")[0] for role in Role]
    assert sorted(row.token_id for row in store.list_tokens()) == sorted(ids)
    store.revoke_token(ids[0], NOW)
    with pytest.raises(NotFound):
        store.revoke_token(ids[0], NOW)
    with pytest.raises(NotFound):
        store.revoke_token("a\0b", NOW)


def test_an_old_file_is_opened_again(address: str) -> None:
    first = Store(address)
    match = Match(spec())
    first.create_match(match.spec, None, NOW)
    play(match, first)
    first.close()
    again = Store(address)
    assert again.load_match("match0").actions == match.actions
    again.close()


@pytest.mark.parametrize("game", ["teutonica", "hansa"])
def test_matches_are_played_on_every_database(address: str, game: str, tmp_path: object) -> None:
    async def main() -> None:
        async with table(tmp_path, store=address) as arena:  # type: ignore[arg-type]
            for name in ("anna", "bert", "cora"):
                await arena.bot(name)
            ids = [
                await arena.create(short(3, game, 15), ["anna", "bert", "cora"], seed=seed, request_id=f"r{seed}")
                for seed in range(3)
            ]
            for match_id in ids:
                match = await arena.finished(match_id)
                assert match.state == match_pb2.MATCH_STATE_FINISHED
            await arena.check_health()

    run(main())


if "postgresql" in DATABASES:

    def test_a_database_that_is_restarted(cluster: Cluster) -> None:
        store = Store(cluster.database("restarted"))
        store.create_match(spec(0), None, NOW)
        store.append([("match0", played(0))], NOW)
        cluster.stop()
        for _ in range(3):
            with pytest.raises(OperationalError):
                store.append([("match0", played(1))], NOW)
        cluster.start()
        store.append([("match0", played(1))], NOW, again=True)
        assert rows(store) == 2
        store.close()

    def test_matches_go_on_after_the_database_was_restarted(
        cluster: Cluster, tmp_path: object, monkeypatch: pytest.MonkeyPatch, logs: LogCapture
    ) -> None:
        monkeypatch.setattr("hansa_server.arena.RETRY", 0.05)

        async def main() -> None:
            async with table(tmp_path, store=cluster.database("playing")) as arena:  # type: ignore[arg-type]
                anna = await arena.bot("anna", lambda request: pick(request) if request.sequence < 10 else None)
                await arena.bot("bert")
                match_id = await arena.create(short(2, turns=60), ["anna", "bert"])
                request = await anna.asked()
                anna.choose = pick
                await asyncio.to_thread(cluster.stop)
                await anna.say(answer(request, pick(request)))
                await until(lambda: [entry for entry in logs.entries if entry["log_level"] == "error"])
                await asyncio.to_thread(cluster.start)
                match = await arena.finished(match_id)
                assert not any(seat.forfeit for seat in match.result.seats)

        run(main())

    def lose(store: Store, moment: str) -> None:
        """The connection is ended from outside while a long answer is asked for, read or closed."""
        query = sa.text("SELECT generate_series(1, 10)")
        with store.engine.connect() as other, store.engine.connect() as connection:
            backend = connection.execute(sa.text("SELECT pg_backend_pid()")).scalar_one()
            streaming = connection.execution_options(yield_per=2)
            rows = streaming.execute(query).scalars() if moment != "asked" else None
            assert rows is None or next(rows) == 1
            other.execute(sa.text(f"SELECT pg_terminate_backend({backend}, 5000)"))
            if rows is not None and moment == "closed":
                rows.close()
            else:
                list(rows or streaming.execute(query))

    @pytest.mark.parametrize("moment", ["asked", "read", "closed"])
    def test_a_long_answer_whose_connection_is_lost_may_be_forgotten(cluster: Cluster, moment: str) -> None:
        """The cursor on the server complains when it is deleted open, and a complaint fails a test."""
        with closing(Store(cluster.database(f"lost_{moment}"))) as store:
            with pytest.raises(OperationalError) as caught:
                lose(store, moment)
            del caught
            gc.collect()

    def test_a_long_answer_must_be_closed(cluster: Cluster) -> None:
        """As long as there is a connection, a forgotten cursor is a mistake of ours."""
        with closing(Store(cluster.database("forgotten"))) as store, store.engine.connect() as connection:
            cursor: Any = connection.execution_options(yield_per=2).execute(sa.text("SELECT 1")).cursor
            with pytest.warns(ResourceWarning, match="deleted while still open"):
                cursor.__del__()
