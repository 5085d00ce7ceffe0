"""Tournaments that do not go as planned: bots come, go, stay away or cannot be started, hosts spoil games."""

from __future__ import annotations

import gc
from collections import Counter
from pathlib import Path

import grpc
import pytest

from hansa_client.pb.hansa.v1 import match_pb2, play_pb2, tournament_pb2
from hansa_server.match import MatchSpec
from hansa_server.tournament import campaign as campaign_module
from hansa_server.tournament import seeds
from hansa_server.tournament.chronicle import DROPPED, Chronicle
from hansa_server.tournament.run import run_event
from tests.server.bots import Table, refused, run, table, until
from tests.tournament.driver import state
from tests.tournament.running import (
    BUILT_IN,
    LOCAL,
    PAUSED,
    RUNNING,
    SECRET,
    call,
    campaign_of,
    check_numbers,
    create,
    event,
    get,
    ledger,
    matches,
    over,
    plain,
)

THREE = ("anna", "bert", "cora")


async def abort(arena: Table, match_id: str) -> None:
    """Stop a match."""
    await arena.matches.AbortMatch(match_pb2.AbortMatchRequest(match_id=match_id))


def check_order(chronicle: Chronicle) -> None:
    """The schedule is whole: every block is over and tied to those before it."""
    assert [block.number for block in chronicle.blocks] == list(range(len(chronicle.blocks)))
    assert all(block.chain for block in chronicle.blocks)


# -- Coming and going ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["round-robin", "swiss", "ladder"])
def test_a_bot_is_withdrawn_and_comes_back(kind: str, address: str, tmp_path: Path) -> None:
    """Its blocks that have not begun are dropped, those under way are played; and a restart changes nothing of it."""
    settings = {"round-robin": {"rounds": 3}, "swiss": {"rounds": 4}, "ladder": {"blocks": 8}}[kind]

    async def first() -> tuple[object, ...]:
        async with table(tmp_path, store=address) as arena:
            bots = [await arena.bot(name, lambda _: None) for name in THREE]
            message = event("open", {**dict.fromkeys(THREE, ""), "dora": ""}, kind=kind, settings=settings)
            message.limits.concurrency = 1
            campaign = await create(arena, message)
            await until(lambda: campaign.games_running == 1)
            (running,) = arena.arena.live.values()
            away = next(block for block in campaign.waiting.values() if "dora" in block.bots)
            gone = next(bot for bot in away.bots if bot != "dora") if kind == "swiss" else running.match.spec.players[0]
            waiting = {number for number, block in campaign.waiting.items() if gone in block.bots}
            told = (await call(arena, "WithdrawBot", name="open", bot=gone)).tournament
            (place,) = [place for place in told.line_up if place.entrant.name == gone]
            assert place.withdrawn_block == told.blocks_made
            await until(lambda: not waiting & set(campaign.waiting), "its blocks are dropped")
            states = {block.number: block.state for block in ledger(arena).blocks("open")}
            assert all(states[number] == DROPPED for number in waiting)
            assert len(campaign.open) == 1, "the block under way goes on"
            error = await refused(call(arena, "WithdrawBot", name="open", bot=gone))
            assert "does not take part" in (error.details() or "")
            if kind == "swiss":  # its scheme is told of the block that is dropped before the bot is back
                for bot in bots:
                    await bot.let_go()
                await until(lambda: campaign.standing.chain_blocks > away.number)
            another = tournament_pb2.Entrant(name=gone, uses="builtin:greedy")
            error = await refused(call(arena, "EnterBot", name="open", entrant=another))
            assert "took part as 'connected'" in (error.details() or "")
            back = (await call(arena, "EnterBot", name="open", entrant=tournament_pb2.Entrant(name=gone))).tournament
            (place,) = [place for place in back.line_up if place.entrant.name == gone]
            assert not place.HasField("withdrawn_block")
            error = await refused(call(arena, "EnterBot", name="open", entrant=tournament_pb2.Entrant(name=gone)))
            assert "takes part already" in (error.details() or "")
            if kind == "swiss":
                await until(lambda: campaign.waits_for() == "waits for dora" and not campaign.open)
            return state(campaign.scheme)

    async def second(before: tuple[object, ...]) -> Chronicle:
        async with table(tmp_path, store=address) as arena:
            assert state(campaign_of(arena).scheme) == before
            for name in (*THREE, "dora"):
                await arena.bot(name)
            chronicle = await over(arena)
            check_order(chronicle)
            await check_numbers(arena, chronicle)
            return chronicle

    chronicle = run(second(run(first())))
    kinds = [note.kind for note in chronicle.notes]
    assert kinds == ["created", "started", "withdrawn", "entered", "finished"]
    (gone,) = {note.text for note in chronicle.notes if note.kind == "entered"}
    assert any(gone in block.pairing.bots for block in chronicle.finished())


@pytest.mark.parametrize("kind", ["round-robin", "swiss", "ladder"])
def test_a_bot_that_comes_late(kind: str, tmp_path: Path) -> None:
    settings = {"round-robin": {"rounds": 1}, "swiss": {"rounds": 3}, "ladder": {"blocks": 12}}[kind]

    async def main() -> None:
        async with table(tmp_path) as arena:
            message = event("open", {"anna": "", **BUILT_IN}, kind=kind, settings=settings)
            campaign = await create(arena, message)
            await until(campaign.waits_for, "all but anna have played")
            made = campaign.standing.blocks_made
            late = tournament_pb2.Entrant(name="late", uses="builtin:random")
            told = (await call(arena, "EnterBot", name="open", entrant=late)).tournament
            assert told.line_up[-1].entered_block == made
            await arena.bot("anna")
            chronicle = await over(arena)
            its = [block.number for block in chronicle.finished() if "late" in block.pairing.bots]
            assert its and min(its) >= made
            await check_numbers(arena, chronicle)

    run(main())


def test_a_closed_format_takes_nobody_in(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            message = event("open", {"anna": "", **BUILT_IN, "bert": ""}, kind="knockout", settings={})
            campaign = await create(arena, message, start=False)
            early = tournament_pb2.Entrant(name="early", uses="builtin:greedy")
            await call(arena, "EnterBot", name="open", entrant=early)
            await call(arena, "StartTournament", name="open")
            await until(lambda: campaign.standing.blocks_made)
            late = tournament_pb2.Entrant(name="late", uses="builtin:greedy")
            error = await refused(call(arena, "EnterBot", name="open", entrant=late))
            assert error.code() is grpc.StatusCode.FAILED_PRECONDITION
            assert "knockout takes nobody in once it has begun" in (error.details() or "")
            for bot in ("anna", "bert"):
                await arena.bot(bot)
            check_order(await over(arena))

    run(main())


# -- Bots that are away --------------------------------------------------------------------------------------------


def test_others_go_on_without_a_bot_that_is_away(tmp_path: Path) -> None:
    """However many blocks of a bot that is away pile up before those of the others."""

    async def main() -> None:
        async with table(tmp_path) as arena:
            for name in ("bert", "cora"):
                await arena.bot(name)
            message = event("open", THREE, settings={"rounds": 60}, turns=2, limits={"concurrency": 1})
            campaign = await create(arena, message)
            await until(lambda: campaign.standing.blocks_finished == 60 and campaign.waits_for() == "waits for anna")
            assert (await get(arena)).problem == "waits for anna"
            assert all("anna" in block.bots for block in campaign.waiting.values())
            await call(arena, "StopTournament", name="open")

    run(main())


def test_a_bot_that_comes_is_not_taken_for_away_any_more(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            await arena.bot("bert")
            campaign = await create(arena, event("open", THREE[:2], limits={"concurrency": 1}))
            await until(lambda: campaign.waits_for() == "waits for anna")
            await arena.bot("anna", lambda _: None)
            await until(lambda: campaign.games_running == 1)
            (block,) = campaign.open.values()
            assert block.since is None, "if it leaves, its second game is waited for from then on"
            assert campaign.waits_for() == ""

    run(main())


def test_a_bot_that_plays_as_much_as_it_takes_is_not_away(tmp_path: Path) -> None:
    """It is waited for as long as it takes, even if nobody waits for bots that are away."""

    async def main() -> None:
        async with table(tmp_path) as arena:
            anna = await arena.bot("anna", lambda _: None, max_matches=1)
            bert = await arena.bot("bert")
            message = event("open", THREE[:2], settings={"rounds": 1}, limits={"absent": 0.0, "concurrency": 4})
            campaign = await create(arena, message)
            await until(lambda: campaign.games_running == 1)
            (block,) = campaign.open.values()

            async def looked_at_again() -> None:
                await until(lambda: block.since is not None)
                before = block.since
                campaign.wake()
                await until(lambda: block.since != before)

            await looked_at_again()
            assert len(arena.arena.live) == 1
            bert.drop()
            await until(lambda: "bert" not in arena.arena.sessions)
            await looked_at_again()
            assert len(arena.arena.live) == 1, "nor does it begin while another one is away"
            await bert.connect()
            await anna.let_go()
            chronicle = await over(arena)
            assert [len(block.games) for block in chronicle.finished()] == [2]
            assert not (await get(arena)).forfeits

    run(main())


def test_bots_that_are_about_to_leave_or_do_not_play_the_game_are_away(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            anna = await arena.bot("anna", lambda _: None)
            await arena.bot("bert")
            cora = await arena.bot("cora", games=["hansa"])
            message = event("open", THREE, settings={"rounds": 1}, limits={"concurrency": 1})
            campaign = await create(arena, message)
            await until(lambda: anna.open)
            await anna.say(play_pb2.PlayRequest(goodbye=play_pb2.Goodbye()))
            await until(lambda: arena.arena.sessions["anna"].leaving)
            (block,) = campaign.open.values()
            await anna.let_go()
            await until(lambda: campaign.waits_for() or not campaign.open or block.since is not None)
            assert set(block.bots) == {"anna", "bert"}
            assert [result is not None for result in block.results] == [True, False]
            await until(lambda: "anna" not in arena.arena.sessions)
            cora.drop()
            for name in ("anna", "cora"):
                await until(lambda name=name: name not in arena.arena.sessions)  # type: ignore[misc]
                await arena.bot(name)
            chronicle = await over(arena)
            assert len(chronicle.finished()) == 3
            assert not (await get(arena)).forfeits

    run(main())


def test_a_bot_that_stays_away_loses_by_its_clock(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path, reconnect_patience=0.0) as arena:
            message = event(
                "open", {"anna": "", **BUILT_IN}, settings={"rounds": 1}, limits={"absent": 0.2}, seconds=0.1
            )
            await create(arena, message)
            chronicle = await over(arena)
            assert len(chronicle.finished()) == 3
            lost = [
                (game.bots[seat], reason)
                for block in chronicle.finished()
                for game in block.games
                for seat, reason in game.forfeits.items()
            ]
            assert lost == [("anna", "disconnected")] * 4
            await check_numbers(arena, chronicle)

    run(main())


def test_the_hours_are_over(tmp_path: Path) -> None:
    """Blocks under way are played to their end, no further one begins, although it is on the schedule."""

    async def main() -> None:
        async with table(tmp_path) as arena:
            bots = [await arena.bot(name, lambda _: None) for name in THREE]
            message = event("open", THREE, settings={"rounds": 5}, limits={"concurrency": 1, "play_time": 3600})
            campaign = await create(arena, message)
            await until(lambda: campaign.games_running == 1)
            assert campaign.standing.blocks_made == 15
            campaign.standing.played_seconds = 3600.0
            for bot in bots:
                await bot.let_go()
            chronicle = await over(arena)
            assert chronicle.state == "finished"
            assert [block.state for block in chronicle.blocks] == ["finished"] + [DROPPED] * 14
            assert len(chronicle.blocks[0].games) == 2

    run(main())


# -- What the host spoils ------------------------------------------------------------------------------------------


def test_an_aborted_match_voids_its_block(address: str, tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path, store=address) as arena:
            bots = [await arena.bot(name, lambda _: None) for name in THREE[:2]]
            message = event("open", THREE[:2], settings={"rounds": 2}, limits={"concurrency": 4, "voids": 2})
            campaign = await create(arena, message)
            await until(lambda: campaign.games_running == 4)
            old = {game.match_id: game for game in await matches(arena)}
            victim = next(match_id for match_id, game in old.items() if game.block == 0)
            await abort(arena, victim)
            await until(lambda: campaign.standing.blocks_void == 1 and campaign.games_running == 4)
            new = await matches(arena)
            assert {(game.block, game.attempt) for game in new} == {(0, 1), (1, 0)}
            assert not {game.match_id for game in new if game.block == 0} & set(old)
            for game in old.values():
                if game.block == 0:
                    assert (await arena.match(game.match_id)).state == match_pb2.MATCH_STATE_ABORTED
            specs: dict[str, MatchSpec] = {match_id: live.match.spec for match_id, live in arena.arena.live.items()}
            dealt = {game.block: specs[game.match_id].seed for game in new}
            assert dealt == {0: seeds.block_seed(SECRET, 0, 1), 1: seeds.block_seed(SECRET, 1, 0)}
            for bot in bots:
                await bot.let_go()
            chronicle = await over(arena)
            assert [(block.attempt, len(block.games)) for block in chronicle.blocks] == [(1, 2), (0, 2)]
            assert (await get(arena)).blocks_void == 1
            (note,) = [note.text for note in chronicle.notes if note.kind == "void"]
            assert note == f"block 0: match {victim} was stopped by an organiser"
            await check_numbers(arena, chronicle)

    run(main())


def test_too_many_voids_pause_it(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path) as arena:
            bots = [await arena.bot(name, lambda _: None) for name in THREE[:2]]
            message = event("open", THREE[:2], settings={"rounds": 1}, limits={"concurrency": 1, "voids": 2})
            campaign = await create(arena, message)
            for voids in (1, 2, 3):
                await until(lambda: campaign.games_running == 1 and arena.arena.live)
                await abort(arena, next(iter(arena.arena.live)))
                await until(lambda voids=voids: campaign.standing.blocks_void == voids)  # type: ignore[misc]
            await until(lambda: campaign.standing.state == "paused")
            found = await get(arena)
            assert found.state == PAUSED
            assert found.problem.startswith("3 blocks were void, the last one since match ")
            assert not arena.arena.live
            assert (await call(arena, "ResumeTournament", name="open")).tournament.problem == ""
            for bot in bots:
                await bot.let_go()
            chronicle = await over(arena)
            assert [(block.attempt, block.state) for block in chronicle.blocks] == [(3, "finished")]

    run(main())


def test_a_clock_that_ran_out_while_the_host_was_busy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(campaign_module, "BUSY", -1.0)  # whatever the lag is, it is more

    async def main() -> None:
        async with table(tmp_path) as arena:
            await arena.bot("anna", lambda _: None)
            message = event("open", {"anna": "", **BUILT_IN}, settings={"rounds": 1}, seconds=0.05, limits={"voids": 1})
            campaign = await create(arena, message)
            await until(lambda: campaign.standing.state == "paused")
            assert "while the host was busy for" in (await get(arena)).problem
            assert campaign.standing.blocks_void == 2

    run(main())


# -- Local bots ----------------------------------------------------------------------------------------------------


def test_a_command_that_cannot_be_started_pauses_it(tmp_path: Path) -> None:
    program = tmp_path / "bot.sh"
    program.write_text("#!/nowhere/at/all\n")
    program.chmod(0o755)

    async def main() -> None:
        async with table(tmp_path) as arena:
            bots = {"broken": f"cmd:{program}", **BUILT_IN}
            campaign = await create(arena, event("open", bots, settings={"rounds": 1}))
            await until(lambda: campaign.standing.state == "paused" and not campaign.batches)
            found = await get(arena)
            assert found.state == PAUSED
            assert found.problem.startswith("broken: ")
            assert "cannot be started: no such file or directory" in found.problem
            assert not arena.arena.live
            program.write_text(f"#!/bin/sh\nexec {LOCAL.removeprefix('cmd:')}\n")
            await call(arena, "ResumeTournament", name="open")
            chronicle = await over(arena)
            assert len(chronicle.finished()) == 3
            assert not (await get(arena)).forfeits

    run(main())


def test_what_local_bots_write_is_kept_by_match(address: str, tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path, store=address) as arena:
            anna = await arena.bot("anna", lambda _: None)
            campaign = await create(arena, event("open", {"anna": "", "local": LOCAL}, settings={"rounds": 1}))
            await until(lambda: anna.open, "a game begins")
            match_id = anna.open[0].match_id
            await until(lambda: "from action" in (campaign.running_log(match_id, "local") or ""))
            told = (await call(arena, "GetBotLog", match_id=match_id, bot="local")).text
            assert f"match {match_id} from action" in told, "while it runs"
            await anna.let_go()
            await over(arena)
            for game in await matches(arena):
                text = (await call(arena, "GetBotLog", match_id=game.match_id, bot="local")).text
                assert text.count(f"match {game.match_id} from action") == 1
                assert text.count("from action") == 1, "of no other match"
                error = await refused(call(arena, "GetBotLog", match_id=game.match_id, bot="anna"))
                assert error.code() is grpc.StatusCode.NOT_FOUND

    run(main())


def test_local_bots_of_a_void_block_are_free_again(tmp_path: Path) -> None:
    """Those of its other games too: the games that follow need no further processes, and what they wrote is kept."""

    async def main() -> None:
        async with table(tmp_path) as arena:
            anna = await arena.bot("anna", lambda _: None)
            message = event("open", {"anna": "", "local": LOCAL}, settings={"rounds": 1}, limits={"concurrency": 2})
            campaign = await create(arena, message, force=True)
            others = []
            for voids in (1, 2, 3):
                await until(lambda: campaign.games_running == 2 and len(arena.arena.live) == 2)
                first, other = arena.arena.live
                await until(lambda other=other: "from action" in (campaign.running_log(other, "local") or ""))  # type: ignore[misc]
                await abort(arena, first)
                await until(lambda voids=voids: campaign.standing.blocks_void == voids)  # type: ignore[misc]
                others.append(other)
            await until(lambda: campaign.games_running == 2)
            slots = {slot for slot in arena.arena.sessions if slot != "anna"}
            assert len(slots) <= 2 + 1, "one may be on its way out"
            await anna.let_go()
            await over(arena)
            for match_id in others:
                assert "from action" in (await call(arena, "GetBotLog", match_id=match_id, bot="local")).text

    run(main(), 120.0)


def test_nothing_is_left_of_local_bots(tmp_path: Path) -> None:
    """A server that stops at the very end of a tournament still waits until its local bots are gone."""
    for number in range(2):
        bots = {"local": LOCAL, "other": LOCAL}
        chronicle = run_event(plain(event(f"event{number}", bots, settings={"rounds": 1})), str(tmp_path / "s.db"))
        assert len(chronicle.finished()) == 1
        gc.collect()  # a process that is still there makes itself heard, and that fails the test


CRASHING = """
import sys
print("here I am", file=sys.stderr)
sys.exit(3)
"""


def test_a_ladder_with_a_bot_that_crashes_and_one_that_is_slow(tmp_path: Path) -> None:
    """The others keep playing."""
    program = tmp_path / "crashing.py"
    program.write_text(CRASHING)
    python = LOCAL.removeprefix("cmd:").split()[0]

    async def main() -> None:
        async with table(tmp_path, reconnect_patience=0.0) as arena:
            await arena.bot("slow", lambda _: None)
            others = [f"good{number}" for number in range(8)]
            uses = {**dict.fromkeys(others, "builtin:random"), "slow": "", "broken": f"cmd:{python} {program}"}
            settings = {"blocks": 120, "bench_after": 1, "bench_blocks": 10}
            limits = {"restarts": 1, "concurrency": 4}
            message = event("open", uses, kind="ladder", settings=settings, seconds=0.3, limits=limits)
            await create(arena, message, force=True)
            chronicle = await over(arena)
            blocks = Counter(bot for block in chronicle.finished() for bot in block.pairing.bots)
            assert len(chronicle.finished()) == 120
            alone = [block for block in chronicle.finished() if not {"broken", "slow"} & set(block.pairing.bots)]
            assert len(alone) >= 100, "play goes on without them"
            # Whoever sits with one of them has to wait for the end of that block; all others play on.
            fair = sorted(blocks[bot] for bot in others)
            assert fair[2] > 10 > max(blocks["broken"], blocks["slow"]), blocks
            rows = {row["bot"]: row for row in chronicle.outcome["ladder"]}
            assert {bot: row["blocks"] for bot, row in rows.items() if row["blocks"]} == blocks
            await check_numbers(arena, chronicle)
            its = [game.match_id for game in await matches(arena, bot="broken")]
            assert its
            text = (await call(arena, "GetBotLog", match_id=its[0], bot="broken")).text
            assert "here I am" in text
            assert "exit code 3" in text

    run(main())


# -- After a restart -----------------------------------------------------------------------------------------------


def test_all_states_survive_a_restart(address: str, tmp_path: Path) -> None:
    async def first() -> None:
        async with table(tmp_path, store=address) as arena:
            for name in ("created", "running", "paused", "stopped"):
                await create(arena, event(name, THREE[:2]), start=name != "created", request_id=name)
            await call(arena, "PauseTournament", name="paused")
            await call(arena, "StopTournament", name="stopped")
            await until(lambda: campaign_of(arena, "running").standing.blocks_made)

    async def second() -> None:
        async with table(tmp_path, store=address) as arena:
            listed = (await call(arena, "ListTournaments")).tournaments
            assert [(one.name, one.state) for one in listed] == [
                ("stopped", 5),
                ("paused", PAUSED),
                ("running", RUNNING),
                ("created", 1),
            ]
            assert set(arena.server.director.campaigns) == {"created", "running", "paused"}
            for name in THREE[:2]:
                await arena.bot(name)
            await over(arena, "running")
            await call(arena, "StartTournament", name="created")
            await call(arena, "ResumeTournament", name="paused")
            for name in ("created", "paused"):
                assert len((await over(arena, name)).finished()) == 2

    run(first())
    run(second())
