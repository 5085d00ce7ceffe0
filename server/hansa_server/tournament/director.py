"""All tournaments of a server: creates them, takes them up, lets go of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from functools import partial

import structlog
from sqlalchemy.exc import SQLAlchemyError

from hansa_server.arena import Arena
from hansa_server.errors import AlreadyThere, BadField, NotFound, NotNow, Stopping
from hansa_server.match import Match
from hansa_server.store import utc_now
from hansa_server.tournament import seeds
from hansa_server.tournament.campaign import Campaign
from hansa_server.tournament.capacity import cores, games_at_once
from hansa_server.tournament.event import Event
from hansa_server.tournament.ledger import ENDED, Ledger, Standing, Stored
from hansa_server.tournament.local_bots import LocalBots

log = structlog.get_logger()

TIDY = 3600.0  # seconds between looks for what need not be kept


class Director:
    """All tournaments of a server."""

    def __init__(self, arena: Arena, ledger: Ledger, local_bots: Callable[..., LocalBots]) -> None:
        self.arena = arena
        self.ledger = ledger
        self.local_bots = local_bots
        self.workers = ThreadPoolExecutor(cores(), "tournament")
        self.campaigns: dict[str, Campaign] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._held: list[Campaign] | None = None  # once the server stops

    def start(self) -> int:
        """Take up all tournaments that are not over; returns their number."""
        for stored in self.ledger.unfinished():
            games = stored.standing.games_finished
            log.info("taking up a tournament", tournament=stored.event.name, games=games)  # a large one takes a while
            self._take_up(stored)
        self.arena.ended.append(self._match_ended)
        self.arena.came.append(self._wake_all)
        return len(self.campaigns)

    async def keep_house(self) -> None:
        """Let go of what the settings say need not be kept, again and again."""
        settings = self.arena.settings
        while settings.keep_logs or settings.keep_details:
            try:
                for days, what in ((settings.keep_logs, "logs"), (settings.keep_details, "details")):
                    if days:
                        before = utc_now() - timedelta(days=days)
                        count = await asyncio.to_thread(self.ledger.purge, what, before, utc_now())
                        log.info("let go of what need not be kept", what=what, count=count)
            except SQLAlchemyError as error:
                log.warning("the store is not tidied up", problem=str(error.__cause__ or error))
            await asyncio.sleep(TIDY)

    def _take_up(self, stored: Stored) -> Campaign:
        campaign = Campaign(stored, self.arena, self.ledger, self.workers, self.local_bots)
        self.campaigns[stored.event.name] = campaign
        task = asyncio.create_task(campaign.run())
        self._tasks[stored.event.name] = task
        task.add_done_callback(partial(self._is_over, campaign))
        return campaign

    def _is_over(self, campaign: Campaign, task: asyncio.Task[None]) -> None:
        self.campaigns.pop(campaign.name, None)
        self._tasks.pop(campaign.name, None)
        if not task.cancelled() and task.exception() is not None:
            log.error("a tournament failed", tournament=campaign.name, exc_info=task.exception())

    def _match_ended(self, match: Match) -> None:
        for campaign in self.campaigns.values():
            campaign.match_ended(match)

    def _wake_all(self) -> None:
        for campaign in self.campaigns.values():
            campaign.wake()

    async def hold(self) -> None:
        """Begin nothing more. Matches that end from now on are counted when the server is back."""
        self._held = list(self.campaigns.values())
        for campaign in self._held:
            campaign.held = True
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def stop(self) -> None:
        """Leave all tournaments as they are, and nothing running; they go on when the server is back."""
        for campaign in self._held or ():
            await campaign.leave()
        self.workers.shutdown(wait=True, cancel_futures=True)

    def create(self, event: Event, *, request_id: str = "", validate_only: bool = False, force: bool = False) -> Stored:
        """Set a tournament up. The same request id gives the same tournament again."""
        if request_id:
            if len(request_id) > 64 or not request_id.isprintable():
                raise BadField("request_id", "at most 64 characters that can be printed")
            known = self.ledger.find_request(request_id)
            if known is not None:
                return self._going(self.get(known))
        games_at_once(event.bots, event.limits.concurrency, force=force)
        if self.ledger.find(event.name) is not None:
            raise AlreadyThere("tournament", event.name)
        secret = event.seed or seeds.draw()
        event = replace(event, seed="")
        stored = Stored(event, secret, seeds.commitment(secret), 0, utc_now(), Standing())
        if validate_only:
            return stored
        self._expect_time()
        self.ledger.create(event, secret, stored.commitment, request_id, stored.created)
        return self._going(self.get(event.name))

    def _expect_time(self) -> None:
        if self._held is not None:
            raise Stopping("the server is stopping; tournaments go on when it is back")

    def _going(self, stored: Stored) -> Stored:
        """A tournament that is taken up, if it is not over: the store may have gone away before that could be done."""
        if stored.standing.state in ENDED or stored.event.name in self.campaigns:
            return stored
        self._expect_time()
        return self._take_up(stored).stored

    def get(self, name: str) -> Stored:
        """A tournament as it is now. Raises `NotFound`."""
        campaign = self.campaigns.get(name)
        if campaign is not None:
            return campaign.stored
        stored = self.ledger.find(name)
        if stored is None:
            raise NotFound("tournament", name)
        return stored

    def campaign(self, name: str) -> Campaign:
        """A tournament that is not over. Raises `NotFound` or `NotNow`."""
        stored = self._going(self.get(name))
        if name not in self.campaigns:
            raise NotNow(name, f"is {stored.standing.state}: nothing about it can be changed")
        return self.campaigns[name]
