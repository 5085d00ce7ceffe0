"""Versions of built-in bots: they are kept, and told wherever ratings are."""

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
from hansa_server.store import Store
from hansa_server.tournament import archive
from hansa_server.tournament.chronicle import Chronicle
from hansa_server.tournament.ledger import Ledger
from hansa_server.tournament.numbers import explain, numbers
from hansa_server.tournament.report import to_json
from hansa_server.tournament.report_html import html
from hansa_server.tournament.report_markdown import markdown
from hansa_server.tournament.report_text import explained
from hansa_server.tournament.run import run_event
from tests.server.bots import run, table, until
from tests.tournament.running import (
    BUILT_IN,
    call,
    create,
    event,
    export,
    get,
    ledger,
    over,
    plain,
)


def change(monkeypatch: pytest.MonkeyPatch, bot: str = "greedy", version: str = "2") -> None:
    """From now on this is another server, which has another version of a bot."""
    monkeypatch.setitem(KINDS, bot, replace(KINDS[bot], version=version))


def versions(chronicle: Chronicle) -> dict[str, str | None]:
    return {place.entrant.name: place.version for place in chronicle.line_up}


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
