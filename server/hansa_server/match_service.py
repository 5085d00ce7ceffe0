"""MatchService and ServerService: matches outside tournaments, and about the server itself."""

from __future__ import annotations

import re

import hansa_fast as hf
from hansa_client.pb.hansa.v1 import match_pb2, match_pb2_grpc, server_pb2, server_pb2_grpc
from hansa_server import __version__, wire
from hansa_server.arena import Arena
from hansa_server.edge import Context, caller
from hansa_server.errors import BadField, NotAllowed
from hansa_server.match import OnForfeit
from hansa_server.store import RUNNING, StoredMatch
from hansa_server.tournament.ledger import Ledger

MOST_PAGE = 1000
PAGE_TOKEN = re.compile(r"[0-9]{0,18}")
USUAL_PAGE = 50


def page_size(asked: int) -> int:
    """How many rows a page has."""
    if asked < 0:
        raise BadField("page_size", f"must not be negative, is {asked}")
    return min(asked or USUAL_PAGE, MOST_PAGE)


class MatchService(match_pb2_grpc.MatchServiceServicer):
    """The edge for organisers."""

    def __init__(self, arena: Arena, ledger: Ledger) -> None:
        self._arena = arena
        self._ledger = ledger

    async def ListBots(  # noqa: N802
        self, request: match_pb2.ListBotsRequest, _context: Context
    ) -> match_pb2.ListBotsResponse:
        """Connected bots by name; the token of a page is the last name of the page before."""
        size = page_size(request.page_size)
        sessions = self._arena.sessions
        names = sorted(name for name in sessions if name > request.page_token)
        response = match_pb2.ListBotsResponse(next_page_token=names[size - 1] if len(names) > size else "")
        for name in names[:size]:
            session = sessions[name]
            response.bots.add(
                name=name,
                version=session.version,
                games=sorted(session.games),
                max_matches=session.max_matches,
                running_matches=session.matches,
                connect_time=wire.time_to_proto(session.connected),
            )
        return response

    async def CreateMatch(  # noqa: N802
        self, request: match_pb2.CreateMatchRequest, _context: Context
    ) -> match_pb2.CreateMatchResponse:
        """Begin a match."""
        rules = wire.rules_from_proto(request.rules, players=len(request.bots) or 4)
        match_id = self._arena.create_match(
            rules,
            tuple(request.bots),
            seed=request.seed if request.HasField("seed") else None,
            clock=wire.clock_from_proto(request.clock) if request.HasField("clock") else None,
            on_forfeit=wire.on_forfeit_from_proto(request.forfeit_policy, OnForfeit(self._arena.settings.on_forfeit)),
            anonymous=request.anonymous,
            request_id=request.request_id,
            validate_only=request.validate_only,
        )
        if not match_id:
            plan = match_pb2.Match(rules=wire.rules_to_proto(rules), players=request.bots)
            return match_pb2.CreateMatchResponse(match=plan)
        return match_pb2.CreateMatchResponse(match=wire.match_to_proto(self._get(match_id), caller.get()))

    async def GetMatch(  # noqa: N802
        self, request: match_pb2.GetMatchRequest, _context: Context
    ) -> match_pb2.GetMatchResponse:
        """One match."""
        return match_pb2.GetMatchResponse(match=wire.match_to_proto(self._get(request.match_id), caller.get()))

    async def ListMatches(  # noqa: N802
        self, request: match_pb2.ListMatchesRequest, _context: Context
    ) -> match_pb2.ListMatchesResponse:
        """Matches, newest first; the token of a page is the number of the last match of the page before."""
        size = page_size(request.page_size)
        if not PAGE_TOKEN.fullmatch(request.page_token):
            raise BadField("page_token", "must be the next_page_token of the page before")
        found = self._arena.store.list_matches(
            state=wire.state_filter_from_proto(request.state),
            below=int(request.page_token) if request.page_token else None,
            limit=size + 1,
        )
        more = str(found[size - 1].number) if len(found) > size else ""
        messages = [wire.match_to_proto(stored, caller.get()) for stored in found[:size]]
        return match_pb2.ListMatchesResponse(matches=messages, next_page_token=more)

    async def GetRecord(  # noqa: N802
        self, request: match_pb2.GetRecordRequest, _context: Context
    ) -> match_pb2.GetRecordResponse:
        """The record of a match. Its seed reveals hidden things as long as anything is played from it, so until then
        only organisers get it."""
        stored = self._get(request.match_id)
        if not caller.get().is_organiser:
            if stored.state == RUNNING:
                raise NotAllowed("the record of a running match is for organisers only")
            if self._ledger.is_under_way(request.match_id):
                raise NotAllowed("the record of a match whose block is not over yet is for organisers only")
        match = self._arena.store.load_match(request.match_id)
        return match_pb2.GetRecordResponse(text=match.record().to_text())

    async def AbortMatch(  # noqa: N802
        self, request: match_pb2.AbortMatchRequest, _context: Context
    ) -> match_pb2.AbortMatchResponse:
        """Stop a match."""
        self._get(request.match_id)
        self._arena.abort(request.match_id)
        await self._arena.settled()
        return match_pb2.AbortMatchResponse(match=wire.match_to_proto(self._get(request.match_id), caller.get()))

    def _get(self, match_id: str) -> StoredMatch:
        return self._arena.store.get_match(match_id)


class ServerService(server_pb2_grpc.ServerServiceServicer):
    """What this server is."""

    def __init__(self, arena: Arena) -> None:
        self._arena = arena

    async def GetServerInfo(  # noqa: N802
        self, _request: server_pb2.GetServerInfoRequest, _context: Context
    ) -> server_pb2.GetServerInfoResponse:
        """Version and limits."""
        settings = self._arena.settings
        return server_pb2.GetServerInfoResponse(
            version=__version__,
            games=[game.name for game in hf.games()],
            tokens_required=settings.tokens,
            default_clock=wire.clock_to_proto(self._arena.default_clock()),
            max_message_bytes=settings.max_message_bytes,
            min_keepalive=wire.duration_to_proto(settings.min_keepalive),
        )
