"""Versions of built-in bots: they are kept, told wherever ratings are, and never mixed."""

from __future__ import annotations

import gzip
import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hansa_client.pb.hansa.v1 import tournament_pb2
from hansa_fast.bots import KINDS
from hansa_server.errors import NotNow
from hansa_server.store import Store
from hansa_server.tournament import archive
from hansa_server.tournament.chronicle import DROPPED, FINISHED, Chronicle
from hansa_server.tournament.ledger import Ledger
from hansa_server.tournament.numbers import explain, numbers
from hansa_server.tournament.report import to_json
from hansa_server.tournament.report_html import html
from hansa_server.tournament.report_markdown import markdown
from hansa_server.tournament.report_text import explained
from hansa_server.tournament.run import run_event
from tests.server.bots import Table, refused, run, table, until
from tests.tournament.running import (
    BUILT_IN,
    PAUSED,
    RUNNING,
    call,
    campaign_of,
    check_numbers,
    create,
    event,
    export,
    get,
    ledger,
    over,
    plain,
)

OTHER = "greedy was version 1 of builtin:greedy, which is version 2 here"


def change(monkeypatch: pytest.MonkeyPatch, bot: str = "greedy", version: str = "2") -> None:
    """From now on this is another server, which has another version of a bot."""
    monkeypatch.setitem(KINDS, bot, replace(KINDS[bot], version=version))


def versions(chronicle: Chronicle) -> dict[str, str | None]:
    return {place.entrant.name: place.version for place in chronicle.line_up}


async def begin(arena: Table, bots: dict[str, str] = BUILT_IN) -> None:
    """Blocks of built-in bots are over, and anna is in the middle of a game with greedy."""
    anna = await arena.bot("anna", lambda _: None)
    message = event("open", {**bots, "anna": ""}, settings={"rounds": 2}, limits={"concurrency": 1})
    campaign = await create(arena, message)
    await until(lambda: anna.open and campaign.standing.blocks_finished == 2 and not campaign.batches)
    assert [block.bots for block in campaign.open.values()] == [("greedy", "anna")]


# -- What is told --------------------------------------------------------------------------------------------------


def test_versions_are_told_with_the_ratings(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change(monkeypatch, version="7.1")

    async def main() -> Chronicle:
        async with table(tmp_path, store=address) as arena:
            bots = {**BUILT_IN, "thinker": "builtin:search:iterations=1", "anna": ""}
            campaign = await create(arena, event("open", bots, settings={"rounds": 1}), start=False)
            late = tournament_pb2.Entrant(name="late", uses="builtin:greedy")
            told = (await call(arena, "EnterBot", name="open", entrant=late)).tournament
            expected = {"random": "1", "greedy": "7.1", "thinker": "1", "anna": "", "late": "7.1"}
            assert {place.entrant.name: place.version for place in told.line_up} == expected
            await call(arena, "WithdrawBot", name="open", bot="thinker")
            await call(arena, "StartTournament", name="open")
            await until(lambda: campaign.standing.blocks_finished == 3)
            for _ in range(2):  # while it runs, and when it is over
                (pool,) = (await call(arena, "GetStandings", name="open")).pools
                for line in pool.lines:
                    assert line.version == expected[line.bot]
                assert {"random", "greedy", "late"} <= {line.bot for line in pool.lines}
                if "open" in arena.server.director.campaigns:
                    await arena.bot("anna")
                    await over(arena)
            found = await get(arena)
            assert {place.entrant.name: place.version for place in found.line_up} == expected
            await export(arena, tmp_path / "export")
            return ledger(arena).chronicle("open")

    chronicle = run(main())
    assert versions(chronicle) == {"random": "1", "greedy": "7.1", "thinker": "1", "anna": None, "late": "7.1"}
    assert archive.load(tmp_path / "export") == archive.verify(tmp_path / "export").chronicle == chronicle
    with closing(Store(str(tmp_path / "other.db"))) as store:
        archive.bring_in(Ledger(store), tmp_path / "export")
        assert Ledger(store).line_up("open") == list(chronicle.line_up)
    found = numbers(chronicle)
    assert {line["bot"]: line["version"] for line in found["bots"]} == versions(chronicle)
    lines = found["pools"][0]["standings"]
    assert {line["bot"]: line["version"] for line in lines} == {
        bot: version for bot, version in versions(chronicle).items() if bot != "thinker"
    }
    assert json.loads(to_json(found)) == found
    assert "| greedy v7.1 | " in markdown(found) and "| anna | " in markdown(found)
    assert "| late | builtin:greedy | 7.1 | 0 | – |" in markdown(found)
    assert "| thinker | builtin:search:iterations=1 | 1 | 0 | 0 |" in markdown(found)
    assert '<th scope="row">greedy v7.1</th>' in html(found)
    told = explain(chronicle, "greedy")
    assert (told["version"], told["pools"][0]["standing"]["version"]) == ("7.1", "7.1")
    opponents = explained(told)[0]
    assert opponents.title.endswith(": opponents of greedy v7.1")
    assert {row[0] for row in opponents.rows} == {"random v1", "anna", "late v7.1"}


def test_versions_over_all_pools(tmp_path: Path) -> None:
    chronicle = run_event(plain(event("open", players=(2, 2), turns=8)), str(tmp_path / "arena.db"))
    tables = (chronicle.event.tables[0], replace(chronicle.event.tables[0], turn_limit=9))
    apart = replace(chronicle, event=replace(chronicle.event, tables=tables))
    found = numbers(apart)
    assert {line["bot"]: line["version"] for line in found["overall"]["standings"]} == {"random": "1", "greedy": "1"}
    assert "| greedy v1 | " in markdown(found).partition("## Over all pools")[2].partition("##")[0]


def test_exports_of_before_versions_were_kept(tmp_path: Path) -> None:
    run_event(plain(event()), str(tmp_path / "arena.db"))
    with closing(Store(str(tmp_path / "arena.db"))) as store:
        data = b"".join(archive.pieces(Ledger(store), "open"))
    lines: list[dict[str, Any]] = [json.loads(line) for line in gzip.decompress(data).splitlines()]
    path = tmp_path / "old"

    def verify() -> Chronicle | None:
        path.write_bytes(gzip.compress("".join(json.dumps(line) + "\n" for line in lines).encode()))
        return archive.verify(path).chronicle

    for place in lines[0]["line_up"]:
        assert place.pop() == "1"
    with pytest.raises(archive.ArchiveError, match=r"numbers: bots\[0\].version: '1' and None"):
        verify()
    for line in [*lines[-1]["numbers"]["bots"], *lines[-1]["numbers"]["pools"][0]["standings"]]:
        del line["version"]
    chronicle = verify()
    assert chronicle is not None and versions(chronicle) == {"random": None, "greedy": None}
    assert " v1" not in markdown(numbers(chronicle)) and "| greedy | builtin:greedy | – | 0 | – |" in markdown(
        numbers(chronicle)
    )


# -- A server that has other bots ----------------------------------------------------------------------------------


def test_a_bot_that_has_changed_does_not_play_on(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def first() -> None:
        async with table(tmp_path, store=address) as arena:
            await begin(arena)

    async def second() -> None:
        """It pauses, says so again when it is started again, and the pause stays."""
        async with table(tmp_path, store=address) as arena:
            campaign = campaign_of(arena)
            await arena.bot("anna")
            await until(lambda: campaign.standing.state == "paused" and not campaign.open)
            assert not arena.arena.live
            found = await get(arena)
            assert found.state == PAUSED
            assert found.problem.startswith("bots have changed with the server, and ratings must not mix versions; ")
            assert found.problem.endswith(f" withdraw them and enter the new ones under other names: {OTHER}")
            error = await refused(call(arena, "ResumeTournament", name="open"))
            assert error.details() == f"open: {found.problem}"
            assert (await get(arena)).state == PAUSED

    async def third() -> Chronicle:
        async with table(tmp_path, store=address) as arena:
            await arena.bot("anna")
            error = await refused(call(arena, "ResumeTournament", name="open"))
            assert OTHER in (error.details() or "")
            await call(arena, "WithdrawBot", name="open", bot="greedy")
            same = tournament_pb2.Entrant(name="greedy", uses="builtin:greedy")
            error = await refused(call(arena, "EnterBot", name="open", entrant=same))
            assert error.details() == f"greedy: is another bot by now, and needs another name: {OTHER}"
            new = tournament_pb2.Entrant(name="greedy-2", uses="builtin:greedy")
            await call(arena, "EnterBot", name="open", entrant=new)
            found = (await call(arena, "ResumeTournament", name="open")).tournament
            assert (found.state, found.problem) == (RUNNING, "")
            chronicle = await over(arena)
            await check_numbers(arena, chronicle)
            return chronicle

    run(first())
    change(monkeypatch)
    run(second())
    run(second())
    chronicle = run(third())
    assert versions(chronicle) == {"random": "1", "greedy": "1", "anna": None, "greedy-2": "2"}
    mine = [block for block in chronicle.blocks if "greedy" in block.pairing.bots]
    assert {(block.state, block.pairing.bots) for block in mine} == {
        (FINISHED, ("random", "greedy")),
        (DROPPED, ("greedy", "anna")),
    }
    assert any({"greedy-2", "anna"} == set(block.pairing.bots) for block in chronicle.finished())
    assert [note.text for note in chronicle.notes if note.kind == "void"] == [f"block 1: {OTHER}"]
    kinds = ["created", "started", "paused", "void", "withdrawn", "entered", "resumed", "finished"]
    assert [note.kind for note in chronicle.notes] == kinds


def test_a_bot_that_is_withdrawn_does_not_play_out_as_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks under way go on without a bot's place in the line-up, but not with another bot."""

    async def first() -> None:
        async with table(tmp_path) as arena:
            await begin(arena)
            await call(arena, "WithdrawBot", name="open", bot="greedy")
            assert len(campaign_of(arena).open) == 1

    async def second() -> Chronicle:
        async with table(tmp_path) as arena:
            await arena.bot("anna")
            return await over(arena)

    run(first())
    change(monkeypatch)
    chronicle = run(second())
    assert "paused" not in [note.kind for note in chronicle.notes]
    assert {block.state for block in chronicle.blocks if set(block.pairing.bots) == {"greedy", "anna"}} == {DROPPED}


def test_games_of_others_are_played_to_their_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def first() -> None:
        async with table(tmp_path) as arena:
            await begin(arena)

    async def second() -> None:
        async with table(tmp_path) as arena:
            campaign = campaign_of(arena)
            await until(lambda: campaign.standing.state == "paused")
            assert "random was version 1 of builtin:random, which is version 1b here" in campaign.standing.problem
            assert [block.attempt for block in campaign.open.values()] == [0] and arena.arena.live
            await arena.bot("anna")
            await until(lambda: not arena.arena.live)
            assert campaign.standing.blocks_void == 0

    run(first())
    change(monkeypatch, "random", "1b")
    run(second())


def test_the_old_server_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def first() -> None:
        async with table(tmp_path) as arena:
            await begin(arena)

    async def second() -> None:
        async with table(tmp_path) as arena:
            await until(lambda: campaign_of(arena).standing.state == "paused")

    async def third() -> Chronicle:
        async with table(tmp_path) as arena:
            await arena.bot("anna")
            await call(arena, "ResumeTournament", name="open")
            return await over(arena)

    run(first())
    with monkeypatch.context() as newer:
        change(newer)
        run(second())
    chronicle = run(third())
    assert [block.attempt for block in chronicle.finished()] == [0, 1, 0, 0, 0, 0]


def test_what_has_not_begun_begins_with_the_bots_of_the_day(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def first() -> None:
        async with table(tmp_path, store=address) as arena:
            await create(arena, event(), start=False)

    async def second() -> Chronicle:
        async with table(tmp_path, store=address) as arena:
            told = (await call(arena, "StartTournament", name="open")).tournament
            assert [place.version for place in told.line_up] == ["1", "2"]
            return await over(arena)

    run(first())
    change(monkeypatch)
    chronicle = run(second())
    assert versions(chronicle) == {"random": "1", "greedy": "2"}
    assert len(chronicle.finished()) == 2


def test_a_run_in_one_process_says_why_it_does_not_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def first() -> None:
        async with table(tmp_path) as arena:
            await begin(arena)

    run(first())
    change(monkeypatch)
    message = event("open", {**BUILT_IN, "anna": ""}, settings={"rounds": 2}, limits={"concurrency": 1})
    for _ in range(2):
        with pytest.raises(NotNow, match=OTHER):
            run_event(plain(message), str(tmp_path / "arena.db"), seconds=30.0)


def test_a_bot_that_is_no_longer_there(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bots = {"random": "builtin:random", "greedy": "builtin:gone"}

    async def first() -> None:
        async with table(tmp_path, store=address) as arena:
            await create(arena, event("over", bots))
            await over(arena, "over")
            await create(arena, event("later", bots), start=False)
            await begin(arena, bots)

    async def second() -> Chronicle:
        async with table(tmp_path, store=address) as arena:
            campaign = campaign_of(arena)
            await arena.bot("anna")
            await until(lambda: campaign.standing.state == "paused" and not campaign.open)
            gone = "greedy was builtin:gone, which is not here"
            assert (await get(arena)).problem.endswith(gone)
            for method, name in (("ResumeTournament", "open"), ("StartTournament", "later")):
                assert gone in ((await refused(call(arena, method, name=name))).details() or "")
            again = tournament_pb2.Entrant(name="greedy-2", uses="builtin:gone")
            assert "none of the built-in bots" in (
                (await refused(call(arena, "EnterBot", name="open", entrant=again))).details() or ""
            )
            await call(arena, "WithdrawBot", name="open", bot="greedy")
            await call(arena, "ResumeTournament", name="open")
            assert len((await call(arena, "ListTournaments")).tournaments) == 3
            await export(arena, tmp_path / "export", "over")
            return await over(arena)

    with monkeypatch.context() as older:
        older.setitem(KINDS, "gone", replace(KINDS["greedy"], name="gone"))
        run(first())
    chronicle = run(second())
    assert {block.state for block in chronicle.blocks if set(block.pairing.bots) == {"greedy", "anna"}} == {DROPPED}
    checked = archive.verify(tmp_path / "export").chronicle
    assert checked is not None and versions(checked) == {"random": "1", "greedy": "1"}
    assert "| greedy | builtin:gone | 1 | 0 | – |" in markdown(numbers(checked))
