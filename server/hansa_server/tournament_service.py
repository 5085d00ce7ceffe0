"""TournamentService: the edge for those who run tournaments and those who look at them."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator
from contextlib import suppress

from hansa_client.pb.hansa.v1 import tournament_pb2, tournament_pb2_grpc
from hansa_server import wire as base
from hansa_server.edge import Context, caller
from hansa_server.errors import BadField, NotAllowed, NotFound
from hansa_server.match_service import PAGE_TOKEN, page_size
from hansa_server.tournament import archive, event_file, wire
from hansa_server.tournament.campaign import Campaign
from hansa_server.tournament.director import Director
from hansa_server.tournament.event import CONNECTED, Event
from hansa_server.tournament.games import result_from_json
from hansa_server.tournament.ledger import ENDED, Stored

GAME_TOKEN = re.compile(r"([0-9]{1,9})\.([0-9]{1,4})")
LEAST_PAUSE, LONGEST_PAUSE = 0.1, 3600.0  # seconds between messages to a watcher
QUIET = 5.0  # seconds after which a watcher hears that all is as it was


class TournamentService(tournament_pb2_grpc.TournamentServiceServicer):
    """Calls about tournaments."""

    def __init__(self, director: Director) -> None:
        self._director = director
        self._ledger = director.ledger

    async def CreateTournament(  # noqa: N802
        self, request: tournament_pb2.CreateTournamentRequest, _context: Context
    ) -> tournament_pb2.CreateTournamentResponse:
        """Set up a tournament."""
        stored = self._director.create(
            self._event(request.event),
            request_id=request.request_id,
            validate_only=request.validate_only,
            force=request.force,
        )
        if request.validate_only:
            return tournament_pb2.CreateTournamentResponse(tournament=wire.tournament_to_proto(stored, private=True))
        return tournament_pb2.CreateTournamentResponse(tournament=self._show(stored.event.name))

    def _event(self, message: tournament_pb2.Event) -> Event:
        """The event of a message, or every mistake in it."""
        values = wire.event_values(message)
        settings = self._director.arena.settings
        values.setdefault("clock", self._director.arena.default_clock().to_dict())
        values.setdefault("forgiven", settings.forgiven)
        return event_file.from_dict(values)

    async def GetTournament(  # noqa: N802
        self, request: tournament_pb2.GetTournamentRequest, _context: Context
    ) -> tournament_pb2.GetTournamentResponse:
        """One tournament."""
        return tournament_pb2.GetTournamentResponse(tournament=self._show(request.name))

    async def ListTournaments(  # noqa: N802
        self, request: tournament_pb2.ListTournamentsRequest, _context: Context
    ) -> tournament_pb2.ListTournamentsResponse:
        """Tournaments, newest first; the token of a page is the number of the last one of the page before."""
        size = page_size(request.page_size)
        if not PAGE_TOKEN.fullmatch(request.page_token):
            raise BadField("page_token", "must be the next_page_token of the page before")
        found = self._ledger.page(
            state=wire.state_from_proto(request.state),
            below=int(request.page_token) if request.page_token else None,
            limit=size + 1,
        )
        more = str(found[size - 1].number) if len(found) > size else ""
        shown = [self._show(stored.event.name) for stored in found[:size]]
        return tournament_pb2.ListTournamentsResponse(tournaments=shown, next_page_token=more)

    async def StartTournament(  # noqa: N802
        self, request: tournament_pb2.StartTournamentRequest, _context: Context
    ) -> tournament_pb2.StartTournamentResponse:
        """Begin to play."""
        campaign = self._director.campaign(request.name)
        async with campaign.turn():
            await campaign.start()
        return tournament_pb2.StartTournamentResponse(tournament=self._show(request.name))

    async def PauseTournament(  # noqa: N802
        self, request: tournament_pb2.PauseTournamentRequest, _context: Context
    ) -> tournament_pb2.PauseTournamentResponse:
        """Begin no further games."""
        campaign = self._director.campaign(request.name)
        async with campaign.turn():
            await campaign.pause()
        return tournament_pb2.PauseTournamentResponse(tournament=self._show(request.name))

    async def ResumeTournament(  # noqa: N802
        self, request: tournament_pb2.ResumeTournamentRequest, _context: Context
    ) -> tournament_pb2.ResumeTournamentResponse:
        """Go on."""
        campaign = self._director.campaign(request.name)
        async with campaign.turn():
            await campaign.resume()
        return tournament_pb2.ResumeTournamentResponse(tournament=self._show(request.name))

    async def StopTournament(  # noqa: N802
        self, request: tournament_pb2.StopTournamentRequest, _context: Context
    ) -> tournament_pb2.StopTournamentResponse:
        """End it now."""
        campaign = self._director.campaign(request.name)
        async with campaign.turn():
            await campaign.stop()
        await campaign.ended()
        return tournament_pb2.StopTournamentResponse(tournament=self._show(request.name))

    async def SetConcurrency(  # noqa: N802
        self, request: tournament_pb2.SetConcurrencyRequest, _context: Context
    ) -> tournament_pb2.SetConcurrencyResponse:
        """Change how many games are played at once."""
        if not 0 <= request.concurrency <= 10_000:
            raise BadField("concurrency", f"must be from 1 to 10000, or 0 for what fits, not {request.concurrency}")
        campaign = self._director.campaign(request.name)
        async with campaign.turn():
            await campaign.set_concurrency(request.concurrency, force=request.force)
        return tournament_pb2.SetConcurrencyResponse(tournament=self._show(request.name))

    async def EnterBot(  # noqa: N802
        self, request: tournament_pb2.EnterBotRequest, _context: Context
    ) -> tournament_pb2.EnterBotResponse:
        """Let one more bot take part."""
        campaign = self._director.campaign(request.name)
        values = {"name": request.entrant.name, "uses": request.entrant.uses or CONNECTED}
        entrant = event_file.entrant(values, "entrant")
        async with campaign.turn():
            await campaign.enter(entrant)
        return tournament_pb2.EnterBotResponse(tournament=self._show(request.name))

    async def WithdrawBot(  # noqa: N802
        self, request: tournament_pb2.WithdrawBotRequest, _context: Context
    ) -> tournament_pb2.WithdrawBotResponse:
        """Take a bot out."""
        campaign = self._director.campaign(request.name)
        async with campaign.turn():
            await campaign.withdraw(request.bot)
        return tournament_pb2.WithdrawBotResponse(tournament=self._show(request.name))

    async def GetStandings(  # noqa: N802
        self, request: tournament_pb2.GetStandingsRequest, _context: Context
    ) -> tournament_pb2.GetStandingsResponse:
        """Standings by pool."""
        stored = self._director.get(request.name)
        return tournament_pb2.GetStandingsResponse(pools=self._standings(stored, request.pool))

    async def GetCrosstable(  # noqa: N802
        self, request: tournament_pb2.GetCrosstableRequest, _context: Context
    ) -> tournament_pb2.GetCrosstableResponse:
        """Who finished ahead of whom."""
        stored = self._director.get(request.name)
        campaign = self._director.campaigns.get(request.name)
        tally = campaign.tally if campaign is not None else self._ledger.tally(request.name)
        return wire.crosstable_to_proto(tally, self._pools(stored, request.pool))

    async def ListTournamentMatches(  # noqa: N802
        self, request: tournament_pb2.ListTournamentMatchesRequest, _context: Context
    ) -> tournament_pb2.ListTournamentMatchesResponse:
        """Games by the schedule; the token of a page is block and game of the last one of the page before."""
        stored = self._director.get(request.name)
        size = page_size(request.page_size)
        after = (-1, 0)
        if request.page_token:
            found = GAME_TOKEN.fullmatch(request.page_token)
            if found is None:
                raise BadField("page_token", "must be the next_page_token of the page before")
            after = (int(found[1]), int(found[2]))
        rows = self._ledger.page_of_games(request.name, after, size + 1, request.bot)
        response = tournament_pb2.ListTournamentMatchesResponse()
        for row, block in rows[:size]:
            seating = block.pairing.seatings[row.game]
            result = None if row.result is None else result_from_json(row.result, seating, row.match_id)
            response.matches.append(
                wire.match_to_proto(
                    stored.event, block.number, block.attempt, block.pairing, row.game, row.match_id, result
                )
            )
        if len(rows) > size:
            last = rows[size - 1][0]
            response.next_page_token = f"{last.block}.{last.game}"
        return response

    async def GetBotLog(  # noqa: N802
        self, request: tournament_pb2.GetBotLogRequest, _context: Context
    ) -> tournament_pb2.GetBotLogResponse:
        """What a local bot wrote during a match: of one that runs so far, of one that is over all that is kept."""
        for campaign in self._director.campaigns.values():
            text = campaign.running_log(request.match_id, request.bot)
            if text is not None:
                return tournament_pb2.GetBotLogResponse(text=text)
        found = self._ledger.log(request.match_id, request.bot)
        if found is None:
            raise NotFound("log", f"{request.bot} in {request.match_id}")
        return tournament_pb2.GetBotLogResponse(text=found)

    async def WatchTournament(  # noqa: N802
        self, request: tournament_pb2.WatchTournamentRequest, _context: Context
    ) -> AsyncIterator[tournament_pb2.WatchTournamentResponse]:
        """How a tournament is, again and again."""
        every = base.duration_from_proto(request.every) if request.HasField("every") else 1.0
        if not LEAST_PAUSE <= every <= LONGEST_PAUSE:
            raise BadField("every", f"must be from {LEAST_PAUSE} to {LONGEST_PAUSE:.0f} seconds, not {every}")
        while True:
            stored = self._director.get(request.name)
            campaign = self._director.campaigns.get(request.name)
            changed = campaign.changed if campaign is not None else None
            is_last = changed is None or stored.standing.state in ENDED  # it may end while this is sent
            sent = time.monotonic()
            yield tournament_pb2.WatchTournamentResponse(
                tournament=self._show(request.name), standings=self._standings(stored, "")
            )
            if changed is None or is_last:
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(max(QUIET, every)):
                    await changed.wait()
            left = sent + every - time.monotonic()
            if left > 0:
                await asyncio.sleep(left)

    async def ExportTournament(  # noqa: N802
        self, request: tournament_pb2.ExportTournamentRequest, _context: Context
    ) -> AsyncIterator[tournament_pb2.ExportTournamentResponse]:
        """The whole tournament as one file."""
        stored = self._director.get(request.name)
        if stored.standing.state not in ENDED and not caller.get().is_organiser:
            raise NotAllowed("a tournament that is not over is exported by organisers only")
        pieces = archive.pieces(self._ledger, request.name, private=caller.get().is_organiser)
        try:
            while (piece := await asyncio.to_thread(next, pieces, None)) is not None:
                yield tournament_pb2.ExportTournamentResponse(data=piece)
        finally:
            with suppress(ValueError):  # a thread is at it, for a caller who has gone: it ends with that piece
                pieces.close()

    # -- What is shown -------------------------------------------------------------------------------------------

    def _show(self, name: str) -> tournament_pb2.Tournament:
        """A tournament as it is now, as much of it as the caller may see."""
        stored = self._director.get(name)
        private = caller.get().is_organiser
        message = wire.tournament_to_proto(stored, private=private)
        campaign = self._director.campaigns.get(name)
        if campaign is None:
            for place in self._ledger.line_up(name):
                message.line_up.append(wire.place_to_proto(place, private=private, present=False))
            message.forfeits.update(self._ledger.tally(name).forfeits())
        else:
            self._show_running(message, campaign, private)
        return message

    def _show_running(self, message: tournament_pb2.Tournament, campaign: Campaign, private: bool) -> None:
        standing = campaign.standing
        for place in campaign.line_up.values():
            here = not place.entrant.is_connected or place.entrant.name in self._director.arena.sessions
            message.line_up.append(wire.place_to_proto(place, private=private, present=here))
        message.forfeits.update(campaign.tally.forfeits())
        message.blocks_running = len(campaign.open)
        message.games_running = campaign.games_running
        message.concurrency = campaign.concurrency
        message.decisions_per_second = campaign.pace.decisions_per_second(standing.decisions)
        if not message.problem:
            message.problem = campaign.waits_for()
        message.outcome.update(campaign.scheme.outcome())
        expected = campaign.scheme.games_expected()
        if expected is not None:
            message.games_expected = expected
            left = campaign.pace.time_left(standing.games_finished, expected - standing.games_finished)
            if left is not None:
                message.time_left_low.CopyFrom(base.duration_to_proto(left[0]))
                message.time_left_high.CopyFrom(base.duration_to_proto(left[1]))

    def _pools(self, stored: Stored, pool: str) -> tuple[str, ...]:
        if pool and pool not in stored.event.pools:
            raise BadField("pool", f"{pool!r} is none of {', '.join(stored.event.pools)}")
        return (pool,) if pool else stored.event.pools

    def _standings(self, stored: Stored, pool: str) -> list[tournament_pb2.PoolStandings]:
        name = stored.event.name
        campaign = self._director.campaigns.get(name)
        tally = campaign.tally if campaign is not None else self._ledger.tally(name)
        places = campaign.line_up.values() if campaign is not None else self._ledger.line_up(name)
        line_up = {place.entrant.name: place for place in places}
        fits = campaign.fits if campaign is not None else self._ledger.fits(name)
        return [
            wire.standings_to_proto(pool, tally.pool(pool), fits.get(pool), line_up)
            for pool in self._pools(stored, pool)
        ]
