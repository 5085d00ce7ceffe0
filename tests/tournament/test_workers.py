"""Blocks among built-in bots, which workers play: the server stays free for others and can stop."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from hansa_server.match import MatchSpec
from hansa_server.tournament.ledger import Change
from hansa_server.tournament.open_block import AT_ONCE
from tests.server.bots import run, table, until
from tests.tournament.running import call, campaign_of, create, event, get, ledger, over

TWO = {"random": "builtin:random", "greedy": "builtin:greedy"}
CONCURRENCY = 3


def long(rounds: int = 100_000) -> Any:
    """Far more than is played here."""
    return event("open", TWO, settings={"rounds": rounds}, limits={"concurrency": CONCURRENCY})


def test_a_server_stops_in_the_middle_of_it(tmp_path: Path) -> None:
    """Whatever wakes the tournament at that moment."""
    for _ in range(3):

        async def main() -> tuple[int, int]:
            async with table(tmp_path) as arena:
                if not arena.server.director.campaigns:
                    await create(arena, long(), force=True)
                campaign = campaign_of(arena)
                before = campaign.standing.blocks_finished
                await until(lambda: campaign.standing.blocks_finished > before + 20)
                campaign.wake()
                await asyncio.sleep(0)
                await asyncio.wait_for(arena.server.director.hold(), 30.0)
                held = campaign.standing.blocks_finished
                campaign.wake()
                await asyncio.sleep(0.1)
                assert campaign.standing.blocks_finished == held
                return before, held

        before, held = run(main(), 60.0)
        assert held > before


def test_it_is_counted_in_small_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is answered while games are counted and written. The store is slow here, so much waits to be counted."""
    written: list[int] = []
    open_blocks: list[int] = []

    async def main() -> None:
        async with table(tmp_path) as arena:
            write = ledger(arena).write

            def slowly(name: str, change: Change, *more: Any) -> None:
                time.sleep(0.02)
                write(name, change, *more)
                written.append(len(change.blocks))
                open_blocks.append(len(campaign_of(arena).open))

            def not_here(spec: MatchSpec) -> None:
                raise AssertionError(f"{spec} is played in the arena")

            monkeypatch.setattr(ledger(arena), "write", slowly)
            monkeypatch.setattr(arena.arena, "begin", not_here)
            campaign = await create(arena, long(600), force=True)
            await until(lambda: campaign.standing.blocks_finished > 300)
            assert (await get(arena)).games_finished >= 600
            await over(arena)

    run(main(), 120.0)
    assert sum(written) == 600
    assert max(written) <= AT_ONCE
    assert max(written) > AT_ONCE // 2, "or pieces are too small"
    # Being played, waiting to be counted, and being counted.
    assert max(open_blocks) <= (2 * CONCURRENCY + 1) * AT_ONCE


def test_a_stopped_tournament_counts_what_it_has_counted(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            campaign = await create(arena, long(), force=True)
            await until(lambda: campaign.standing.blocks_finished > 50)
            await call(arena, "StopTournament", name="open")
            chronicle = ledger(arena).chronicle("open")
            found = await get(arena)
            assert len(chronicle.finished()) * 2 == found.games_finished
            assert {block.state for block in chronicle.blocks} == {"finished", "dropped"}

    run(main(), 60.0)
