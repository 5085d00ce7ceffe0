"""Bots of all languages in the same matches on a real server."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

import hansa_fast as hf
from hansa_client.pb.hansa.v1 import game_pb2, match_pb2
from hansa_server.tournament import archive, event_file
from hansa_server.tournament.numbers import numbers
from tests.client.arena import arena, run, until
from tests.languages.clients import Client
from tests.languages.table import failures, gathered, running

SEATS = 4


def tables(names: list[str]) -> list[list[str]]:
    """Tables of four, so that everybody sits in every seat once; built-in bots fill up."""
    names = names + ["builtin:random"] * (SEATS - len(names))
    return [[names[(first + seat) % len(names)] for seat in range(SEATS)] for first in range(len(names))]


def test_everybody_sits_in_every_seat_once() -> None:
    names = ["a", "b", "c", "d", "e", "f"]
    for seat in range(SEATS):
        assert sorted(table[seat] for table in tables(names)) == names
    assert all(len(set(table)) == SEATS for table in tables(names))
    assert tables(["a"])[0] == ["a", "builtin:random", "builtin:random", "builtin:random"]


def test_one_bot_of_each_language_in_the_same_matches(clients: list[Client], tmp_path: Path) -> None:
    """Both games, all tables at once over one stream of each bot: played to the end, without forfeits."""
    names = [client.language for client in clients]

    async def work() -> None:
        async with gathered(clients, tmp_path) as (there, bots):
            begun = [
                (table, await there.begin(*table, seed=seed, game=game, players=SEATS, turn_limit=40))
                for game in ("teutonica", "hansa")
                for seed, table in enumerate(tables(names))
            ]
            for table, match_id in begun:
                match = await there.finished(match_id)
                assert list(match.players) == table
                assert [seat.forfeit for seat in match.result.seats] == [game_pb2.FORFEIT_REASON_UNSPECIFIED] * SEATS
                record = await there.matches.GetRecord(match_pb2.GetRecordRequest(match_id=match_id))
                game = hf.Game.from_text(record.text)
                assert len(game.actions) == match.result.actions
                assert game.state.is_over
                assert [seat.rank for seat in match.result.seats] == game.state.result()["ranks"]
            for bot in bots:
                assert "answer refused" not in bot.written()

    run(work())


def test_a_rated_tournament_of_all_languages(clients: list[Client], tmp_path: Path) -> None:
    """A bot of each language in the same matches of both games: every game counts, and the export stands up to
    checking."""
    names = [client.language for client in clients]
    fill = [f"random-{k}" for k in range(max(0, SEATS - len(names)))]

    async def work() -> None:
        async with gathered(clients, tmp_path, bot="random") as (there, _):
            director = there.server.director
            event = event_file.from_dict(
                {
                    "name": "babel",
                    "format": {"kind": "round-robin", "blocks_each": 2},
                    "tables": [
                        {"players": SEATS, "turn_limit": 20},
                        {"game": "hansa", "players": 3, "turn_limit": 20},
                    ],
                    "bots": [
                        *({"name": name} for name in names),
                        *({"name": n, "uses": "builtin:random"} for n in fill),
                    ],
                }
            )
            director.create(event)
            campaign = director.campaign("babel")
            async with campaign.lock:
                await campaign.start()
            await until(lambda: "babel" not in director.campaigns)
            export = tmp_path / "babel.hansa-event"
            export.write_bytes(b"".join(archive.pieces(director.ledger, "babel")))
        checked = archive.verify(export)
        assert checked.replayed and checked.chronicle is not None
        for pool in numbers(checked.chronicle)["pools"]:
            assert sorted(line["bot"] for line in pool["standings"]) == sorted([*names, *fill])
            assert all(line["games"] > 0 for line in pool["standings"])
        assert all(not game.forfeits for block in checked.chronicle.finished() for game in block.games)

    run(work())


def test_a_server_that_stops_and_comes_back(clients: list[Client], tmp_path: Path) -> None:
    """Running matches are parked; all bots come back by themselves, and the matches go on to their end."""
    names = [client.language for client in clients]

    async def work() -> None:
        async with AsyncExitStack() as stack:
            async with arena(tmp_path) as there:
                bots = [
                    await stack.enter_async_context(
                        running(client, tmp_path, "--server", there.address, "--name", client.language)
                    )
                    for client in clients
                ]
                await there.connected(*names)
                begun = [await there.begin(*table, players=SEATS) for table in tables(names)]
                live = [there.server.arena.live[match_id].match for match_id in begun]
                await until(lambda: all(match.sequence > 10 for match in live))
            parked = [match.sequence for match in live]
            async with arena(tmp_path, address=there.address) as again:
                for match_id, before in zip(begun, parked, strict=True):
                    result = (await again.finished(match_id)).result
                    assert result.actions >= before
                    assert [seat.forfeit for seat in result.seats] == [game_pb2.FORFEIT_REASON_UNSPECIFIED] * SEATS
                for bot in bots:
                    bot.say_stop()
                for bot in bots:
                    assert await bot.ended() == 0, bot.written()
                    assert "no connection" in bot.written()
                    assert failures(bot.written()) == []

    run(work())
