"""Seeds and command lines: nobody but organisers learns them before it is time."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import grpc

from hansa_client.pb.hansa.v1 import match_pb2, play_pb2, tournament_pb2, watch_pb2
from hansa_server.auth import Role
from hansa_server.tournament import archive, seeds
from tests.server.hosting import Client, RawBot, hosted, refused
from tests.tournament.running import FINISHED, LOCAL, SECRET, event


def ask(client: Client, method: str, **values: Any) -> Any:
    """Make a call of TournamentService."""
    return client(getattr(client.tournaments, method), getattr(tournament_pb2, f"{method}Request")(**values))


def record(client: Client, match_id: str) -> str:
    """The record of a match."""
    text: str = client(client.matches.GetRecord, match_pb2.GetRecordRequest(match_id=match_id)).text
    return text


def answer_all(bot: RawBot, games: int) -> list[str]:
    """Play until so many matches are over; returns which."""
    return [bot.play().match_id for _ in range(games)]


def test_records_of_a_block_that_is_not_over(tmp_path: Path) -> None:
    """All games of a block are played from one deal: the record of the first would tell what comes in the second."""
    with hosted(tmp_path, tokens=True) as host:
        clients = {role: host.client(host.token(role, f"a-{role.value}")) for role in (Role.ORGANISER, Role.WATCHER)}
        with (
            clients[Role.ORGANISER] as organiser,
            clients[Role.WATCHER] as watcher,
            host.client(host.token(Role.BOT, "anna")) as anna,
        ):
            bots = {"anna": "", "greedy": "builtin:greedy"}
            message = event("open", bots, settings={"rounds": 2}, limits={"concurrency": 1})
            ask(organiser, "CreateTournament", event=message, force=True)
            bot = anna.bot()
            bot.hear("welcome")
            ask(organiser, "StartTournament", name="open")
            (first,) = answer_all(bot, 1)
            second = bot.hear("match_started").match_id
            watching = watch_pb2.WatchMatchRequest(match_id=first, view_format=play_pb2.VIEW_FORMAT_JSON)
            block_seed = f'[Seed "{seeds.block_seed(SECRET, 0, 0)}"]'
            assert block_seed in record(organiser, first)
            for nosy in (watcher, anna):
                for match_id, problem in ((first, "whose block is not over"), (second, "running match")):
                    error = refused(lambda nosy=nosy, match_id=match_id: record(nosy, match_id))  # type: ignore[misc]
                    assert error.code() is grpc.StatusCode.PERMISSION_DENIED
                    assert problem in error.details()
                everything = [
                    nosy(nosy.matches.GetMatch, match_pb2.GetMatchRequest(match_id=first)),
                    nosy(nosy.matches.ListMatches, match_pb2.ListMatchesRequest()),
                    ask(nosy, "GetTournament", name="open"),
                    ask(nosy, "ListTournaments"),
                    ask(nosy, "ListTournamentMatches", name="open"),
                    ask(nosy, "GetStandings", name="open"),
                    *nosy(nosy.watch.WatchMatch, watching),
                    next(ask(nosy, "WatchTournament", name="open")),
                ]
                told = " ".join(map(str, everything))
                assert str(seeds.block_seed(SECRET, 0, 0)) not in told
                assert SECRET not in told
                assert seeds.commitment(SECRET) in told
                error = refused(lambda nosy=nosy: ask(nosy, "ExportTournament", name="open"))  # type: ignore[misc]
                assert error.code() is grpc.StatusCode.PERMISSION_DENIED
            assert b"".join(piece.data for piece in ask(organiser, "ExportTournament", name="open"))
            answer_all(bot, 1)
            assert block_seed in record(organiser, second)
            third = bot.hear("match_started").match_id
            assert block_seed in record(watcher, first), "the block is over"
            assert block_seed in record(watcher, second)
            assert refused(lambda: record(watcher, third)).code() is grpc.StatusCode.PERMISSION_DENIED
            answer_all(bot, 2)
            seen = [message.tournament for message in ask(watcher, "WatchTournament", name="open")][-1]
            assert (seen.state, seen.seed) == (FINISHED, SECRET)
            assert seeds.commitment(seen.seed) == seen.commitment
            assert record(watcher, third)
            assert b"".join(piece.data for piece in ask(watcher, "ExportTournament", name="open"))


def test_command_lines_and_seeds_are_for_organisers(tmp_path: Path) -> None:
    with (
        hosted(tmp_path, tokens=True) as host,
        host.client(host.token(Role.ORGANISER, "olga")) as organiser,
        host.client(host.token(Role.WATCHER, "willi")) as watcher,
    ):
        message = event("open", {"anna": "", "local": LOCAL, "thinker": "builtin:search:iterations=1"})
        created = ask(organiser, "CreateTournament", event=message).tournament
        assert created.event.bots[1].uses == LOCAL == created.line_up[1].entrant.uses
        assert (created.seed, created.event.seed) == ("", "")
        for shown in (
            ask(watcher, "GetTournament", name="open").tournament,
            ask(watcher, "ListTournaments").tournaments[0],
            next(ask(watcher, "WatchTournament", name="open")).tournament,
        ):
            assert shown.event.bots[1].uses == "cmd:" == shown.line_up[1].entrant.uses
            assert shown.event.bots[2].uses == "builtin:search:iterations=1", "which is no secret"
            assert SECRET not in str(shown)
            assert "steady" not in str(shown)
        ask(organiser, "StopTournament", name="open")
        shown = ask(watcher, "GetTournament", name="open").tournament
        assert shown.seed == SECRET
        assert "steady" not in str(shown), "command lines stay where they are"
        files = {}
        for client in (organiser, watcher):
            data = b"".join(piece.data for piece in ask(client, "ExportTournament", name="open"))
            files[client] = gzip.decompress(data).decode()
            (tmp_path / "export").write_bytes(data)
            assert archive.verify(tmp_path / "export").replayed
        assert "steady" in files[organiser]
        assert "steady" not in files[watcher]
        assert "builtin:search:iterations=1" in files[watcher]
