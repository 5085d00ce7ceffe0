"""WatchService: spectators read the story of a match at their own pace, so nothing is buffered for them."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import AsyncIterator

from hansa_client.pb.hansa.v1 import play_pb2, watch_pb2, watch_pb2_grpc
from hansa_server import wire
from hansa_server.arena import Arena, Live
from hansa_server.clock import LONGEST
from hansa_server.edge import Context, caller
from hansa_server.errors import BadField, TooMuch
from hansa_server.match import Match

MOST_ACTIONS = 500  # in one message
LONG_AGO = -1e9


class WatchService(watch_pb2_grpc.WatchServiceServicer):
    """The edge for spectators."""

    def __init__(self, arena: Arena) -> None:
        self._arena = arena

    async def WatchMatch(  # noqa: N802
        self, request: watch_pb2.WatchMatchRequest, _context: Context
    ) -> AsyncIterator[watch_pb2.WatchMatchResponse]:
        """The story of a match from any action on."""
        if request.from_sequence < -1:
            raise BadField("from_sequence", f"must be 0 or more, or -1 for now, not {request.from_sequence}")
        if request.view_format not in play_pb2.ViewFormat.values():
            raise BadField("view_format", f"{request.view_format} is not known")
        delay = wire.duration_from_proto(request.delay)
        if not 0 <= delay <= LONGEST:
            raise BadField("delay", f"must be from 0 to {LONGEST:.0f} seconds, not {delay}")
        delay = max(delay, self._arena.settings.watch_delay)
        stored = self._arena.store.get_match(request.match_id)
        live = self._arena.live.get(request.match_id)
        first = watch_pb2.WatchMatchResponse(match=wire.match_to_proto(stored, caller.get()))
        if live is None:
            match = self._arena.store.load_match(request.match_id)
            live = Live(match, stored.created, told=[])
            live.shown = match.sequence
            live.times = [LONG_AGO] * match.sequence
            live.lost = [(LONG_AGO, forfeited) for forfeited in match.forfeits()]
            live.ended = LONG_AGO
            live.outcome = match.outcome
        elif delay:
            first.match.actions = bisect_right(live.times, self._arena.clock.now() - delay)
        at = live.shown if request.from_sequence < 0 else min(request.from_sequence, live.shown)
        yield first
        async for response in self._story(live, at, delay, request):
            yield response

    async def _story(
        self, live: Live, at: int, delay: float, request: watch_pb2.WatchMatchRequest
    ) -> AsyncIterator[watch_pb2.WatchMatchResponse]:
        told = 0  # forfeits
        position = _Position(live.match)
        while True:
            changed = live.changed
            until = self._arena.clock.now() - delay
            end = at
            while end < min(live.shown, at + MOST_ACTIONS) and live.times[end] <= until:
                end += 1
            lost = told
            while lost < len(live.lost) and live.lost[lost][0] <= until and live.lost[lost][1].sequence <= end:
                lost += 1
            whole = end == live.shown and lost == len(live.lost)
            over = whole and live.outcome is not None and live.ended <= until
            if end > at or lost > told or over:
                response = watch_pb2.WatchMatchResponse(
                    actions=[wire.watched_to_proto(played, request.texts) for played in live.match.actions[at:end]],
                    forfeits=[wire.forfeited_to_proto(forfeited) for _, forfeited in live.lost[told:lost]],
                )
                at, told = end, lost
                position.show(response, at, request.view_format)
                if over and live.outcome is not None:
                    response.result.CopyFrom(wire.result_to_proto(live.outcome, live.shown))
                yield response
                if over:
                    return
                continue
            coming = live.times[at : at + 1] + [when for when, _ in live.lost[told : told + 1]]
            if live.outcome is not None:
                coming.append(live.ended)
            if coming:
                await asyncio.sleep(max(0.01, min(coming) - until))
            else:
                await changed.wait()

    async def WatchMatches(  # noqa: N802
        self, request: watch_pb2.WatchMatchesRequest, _context: Context
    ) -> AsyncIterator[watch_pb2.WatchMatchesResponse]:
        """Matches as they begin and end."""
        arena = self._arena
        seen = arena.news_count
        if request.include_running:
            for match_id in list(arena.live):
                yield self._news(match_id)
        while True:
            changed = arena.match_changed
            missed = arena.news_count - seen
            if missed > len(arena.news):
                raise TooMuch("reading", "too many matches began and ended unread")
            for match_id in list(arena.news)[len(arena.news) - missed :] if missed else ():
                seen += 1
                yield self._news(match_id)
            await changed.wait()

    def _news(self, match_id: str) -> watch_pb2.WatchMatchesResponse:
        stored = self._arena.store.get_match(match_id)
        return watch_pb2.WatchMatchesResponse(match=wire.match_to_proto(stored, caller.get()))


class _Position:
    """The position of a match after any number of actions, going forward."""

    def __init__(self, match: Match) -> None:
        self._match = match
        self._state = match.spec.rules.new(match.spec.seed)
        self._at = 0

    def show(self, response: watch_pb2.WatchMatchResponse, at: int, view_format: int) -> None:
        """Add the position after `at` actions as nobody in particular sees it."""
        if view_format == play_pb2.VIEW_FORMAT_UNSPECIFIED:
            return
        for played in self._match.actions[self._at : at]:
            self._state.apply(played.action)
        self._at = at
        view = self._state.view(None)
        if view_format == play_pb2.VIEW_FORMAT_MESSAGE:
            response.view.CopyFrom(wire.view_to_proto(view))
        else:
            response.view_json = wire.view_json(view)
