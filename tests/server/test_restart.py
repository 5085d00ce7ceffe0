"""A server that is killed, stopped, or loses its database: no match is lost, doubled or changed."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import grpc
import pytest
from structlog.testing import LogCapture

from hansa_client.pb.hansa.v1 import match_pb2, play_pb2
from tests.server.bots import Bot, Table, answer, clock, pick, refused, run, short, table, until
from tests.server.restart import Campaign

KILLS = int(os.environ.get("HANSA_TEST_KILLS", "6"))


@pytest.mark.parametrize("seed", [1, 2])
def test_killing_the_server_again_and_again(seed: int, tmp_path: Path) -> None:
    async def main() -> Campaign:
        campaign = Campaign(seed, str(tmp_path / "arena.db"), matches=6)
        await campaign.run(max(1, KILLS // 2))
        return campaign

    campaign = asyncio.run(main())
    assert campaign.kills >= 1
    assert campaign.answers > 0
    assert len(campaign.created) == 6


def test_stopping_gently_parks_the_matches(tmp_path: Path) -> None:
    async def main() -> Campaign:
        async with Campaign(3, str(tmp_path / "arena.db"), matches=6) as campaign:
            assert await campaign.life(signal.SIGTERM, 100) == 0
            assert not campaign.is_done()
            await until(lambda: len(campaign.codes) + campaign.crossed == 3)
            assert set(campaign.codes) <= {grpc.StatusCode.UNAVAILABLE}
            assert campaign.notices + campaign.crossed >= 3, "every bot was told that could hear it"
            assert campaign.notices
            await campaign.finish()
        return campaign

    asyncio.run(main())


def test_a_gentle_stop_lets_matches_finish(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            anna = await arena.bot("anna", lambda _: None)
            match_id = await arena.create(short(2), ["anna", "builtin:random"])
            request = await anna.asked()
            stopping = asyncio.create_task(arena.server.stop(60.0))
            await until(lambda: anna.notices)
            assert anna.notices[0].kind == play_pb2.NOTICE_KIND_SHUTTING_DOWN
            anna.choose = pick
            await anna.say(answer(request, pick(request)))
            await stopping
            assert anna.stories[match_id].ended, "it was played to its end"
            assert await anna.closed() == grpc.StatusCode.UNAVAILABLE

    run(main())


def test_no_new_matches_while_stopping(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            anna = await arena.bot("anna", lambda _: None)
            await arena.create(short(2), ["anna", "builtin:random"])
            request = await anna.asked()
            stopping = asyncio.create_task(arena.server.stop(60.0))
            await until(lambda: anna.notices)
            error = await refused(arena.create(short(2), ["anna", "builtin:random"]))
            assert error.code() == grpc.StatusCode.UNAVAILABLE
            anna.choose = pick
            await anna.say(answer(request, pick(request)))
            await stopping

    run(main())


def test_a_parked_match_is_watched_and_listed_after_a_restart(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            anna = await arena.bot("anna", lambda request: pick(request) if request.sequence < 9 else None)
            match_id = await arena.create(
                short(2), ["anna", "builtin:random"], clock=clock(bank=1000, increment=1), anonymous=True
            )
            request = await anna.asked()
            bank = request.clock.bank
        async with table(tmp_path) as arena:
            match = await arena.match(match_id)
            assert match.state == match_pb2.MATCH_STATE_RUNNING
            assert match.actions == request.sequence
            live = arena.arena.live[match_id]
            due = live.match.deadline()
            assert due is not None
            assert due > arena.arena.clock.now() + arena.server.settings.reconnect_patience / 2, "it waits for its bot"
            again = await arena.bot("anna", lambda _: None)
            asked = await again.asked()
            assert (asked.sequence, list(asked.legal_actions)) == (request.sequence, list(request.legal_actions))
            assert abs(asked.clock.bank.ToMicroseconds() - bank.ToMicroseconds()) <= 1, "banks are kept"
            assert len(again.stories[match_id].started[0].history) == request.sequence
            again.choose = pick
            await again.say(answer(asked, pick(asked)))
            await arena.finished(match_id)

    run(main())


# -- The database is away ------------------------------------------------------------------------------------------


@contextmanager
def full_disk(_arena: Table, file: Path) -> Iterator[None]:
    """No file of this process may grow further, as on a disk that is full."""
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (file.with_name(f"{file.name}-wal").stat().st_size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))


@contextmanager
def locked(arena: Table, file: Path) -> Iterator[None]:
    """Somebody else writes and does not come to an end."""
    connection = arena.server.store._connection
    connection.exec_driver_sql("PRAGMA busy_timeout = 10")
    connection.rollback()
    with sqlite3.connect(file, isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")
    other.close()


@pytest.mark.parametrize("trouble", [full_disk, locked])
def test_play_waits_for_the_database(
    trouble: Callable[[Table, Path], AbstractContextManager[None]],
    tmp_path: Path,
    logs: LogCapture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nobody is told anything and no clock runs; then everything goes on as if nothing had been."""
    monkeypatch.setattr("hansa_server.arena.RETRY", 0.02)

    async def main() -> None:
        async with table(tmp_path, grace=0.0) as arena:
            store = tmp_path / "arena.db"
            bots = [await arena.bot(name, lambda _: None) for name in ("anna", "bert", "cora")]
            anna, bert, cora = bots
            short_clock = clock(per_decision=1.0)
            ids = {
                "anna": await arena.create(short(2), ["anna", "builtin:random"]),
                "bert": await arena.create(short(2), ["bert", "builtin:random"], clock=short_clock),
                "cora": await arena.create(short(2), ["cora", "builtin:random"], clock=short_clock),
            }
            asked = {bot.name: await bot.asked() for bot in bots}
            with trouble(arena, store):
                await anna.say(answer(asked["anna"], pick(asked["anna"])))
                await until(lambda: failures(logs) >= 3)
                cora.drop()
                await cora.closed()
                before = arena.arena.clock.now()
                await asyncio.sleep(1.2)  # longer than the clocks of bert and cora allow
                assert arena.arena.clock.now() == before
                assert not anna.open and len(anna.stories[ids["anna"]].actions) == asked["anna"].sequence
                bert.choose = pick
                await bert.say(answer(asked["bert"], pick(asked["bert"])))
                error = await refused(arena.create(short(2), ["anna", "builtin:random"]))
                assert error.code() == grpc.StatusCode.UNAVAILABLE
                abort = match_pb2.AbortMatchRequest(match_id=ids["anna"])
                aborting = asyncio.ensure_future(arena.matches.AbortMatch(abort))
                await asyncio.sleep(0.05)
                assert not aborting.done(), "it is not aborted before it is stored"
                cora = await Bot(arena.channel, "cora", lambda _: None).connect()
            match = (await aborting).match
            assert match.state == match_pb2.MATCH_STATE_ABORTED
            assert match.actions > asked["anna"].sequence, "what was answered before is kept"
            again = await cora.asked()
            cora.choose = pick
            await cora.say(answer(again, pick(again)))
            for bot in (bert, cora):
                match = await arena.finished(ids[bot.name])
                assert not any(seat.forfeit for seat in match.result.seats), "no clock was charged"
            await arena.finished(ids["anna"])
            await arena.check_health()

    run(main())


def failures(logs: LogCapture) -> int:
    """How often the server said that the store does not take what happened."""
    return sum("does not take" in entry["event"] for entry in logs.entries)


def test_a_server_can_stop_while_the_database_is_away(
    tmp_path: Path, logs: LogCapture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hansa_server.arena.RETRY", 0.02)

    async def main() -> None:
        async with table(tmp_path) as arena:
            anna = await arena.bot("anna", lambda _: None)
            match_id = await arena.create(short(2), ["anna", "builtin:random"])
            request = await anna.asked()
            with locked(arena, tmp_path / "arena.db"):
                await anna.say(answer(request, pick(request)))
                await until(lambda: failures(logs))
                await arena.server.stop(0.0)
                count = failures(logs)
                await asyncio.sleep(0.1)
                assert failures(logs) == count, "nothing goes on after the stop"
        async with table(tmp_path) as arena:
            assert (await arena.match(match_id)).actions == request.sequence, "it is where it was left"
            again = await arena.bot("anna")
            await again.over(match_id)
            await arena.finished(match_id)

    run(main())
