"""A bot at its matches: takes in what the server says about them, asks the bot, gives its answers. Knows no stream."""

from __future__ import annotations

import inspect
import logging
import random
from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import Any

from hansa_client import _wire
from hansa_client._bot import Bot, Chosen
from hansa_client._errors import ChoiceError
from hansa_client._match import Action, Choice, Match, Played
from hansa_client._view import Facts, read_facts, view_of
from hansa_client.pb.hansa.v1 import play_pb2

log = logging.getLogger("hansa_client")

WORTH_ANOTHER_TRY = (play_pb2.ANSWER_PROBLEM_ILLEGAL_ACTION, play_pb2.ANSWER_PROBLEM_MALFORMED)


@dataclass
class _Seated:
    """A match with what is needed to answer. A bot that plays against itself has several seats in it."""

    seats: dict[int, Match] = field(default_factory=dict)
    history: list[Played] = field(default_factory=list)  # the same list in all of the seats
    sequence: int = -1  # of the newest decision
    legal: list[Action] = field(default_factory=list)
    tried: set[int] = field(default_factory=set)  # ids that were answered to it


class Table:
    """The matches of one bot."""

    def __init__(self, bot: Bot) -> None:
        self.bot = bot
        self._matches: dict[str, _Seated] = {}

    async def take(self, message: play_pb2.PlayResponse, received: float) -> play_pb2.PlayRequest | None:
        """Take in a message about a match that was received at this time; returns the bot's reply, if it has one.

        What the bot does wrong ends here: it is logged, and no other match hears of it.
        """
        kind = message.WhichOneof("message")
        if kind == "match_started":
            await self._start(message.match_started)
        elif kind == "match_events":
            await self._hear(message.match_events)
        elif kind == "decision_request":
            return await self._decide(message.decision_request, received)
        elif kind == "answer_rejected":
            return self._try_again(message.answer_rejected)
        elif kind == "match_ended":
            await self._end(message.match_ended)
        return None

    async def _start(self, message: play_pb2.MatchStarted) -> None:
        match = _wire.match_from_proto(message)
        seated = self._matches.setdefault(match.id, _Seated())
        news = self._take_up(seated, match.history)
        if match.seat in seated.seats:
            log.info("match %s goes on after %d actions", match.id, len(seated.history))
            await self._tell_played(seated, news)
            return
        match.history = seated.history
        seated.seats[match.seat] = match
        names = ", ".join(name or "?" for name in match.players)
        log.info("match %s: %s, seat %d of %s", match.id, match.rules.game, match.seat, names)
        await self._call(self.bot.match_started, match)

    async def _hear(self, message: play_pb2.MatchEvents) -> None:
        seated = self._matches.get(message.match_id)
        if seated is None:
            return
        for forfeit in message.forfeits:
            reason = _wire.forfeit_from_proto(forfeit.reason)
            for match in seated.seats.values():
                match.forfeits[forfeit.seat] = reason
            if forfeit.seat in seated.seats:
                log.error("match %s: seat %d is forfeited: %s", message.match_id, forfeit.seat, reason)
        await self._tell_played(seated, self._take_up(seated, _wire.played_from_proto(message.actions)))

    async def _decide(self, message: play_pb2.DecisionRequest, received: float) -> play_pb2.PlayRequest | None:
        seated = self._matches.setdefault(message.match_id, _Seated())
        await self._tell_played(seated, self._take_up(seated, _wire.played_from_proto(message.events)))
        position = read_facts(message.view_json) if message.view_json else Facts(phase=message.phase)
        seat = message.seat if message.seat in seated.seats else next(iter(seated.seats), message.seat)
        match = seated.seats.get(seat) or Match(message.match_id, seat, history=seated.history)
        view = view_of(position, match, _wire.clock_from_proto(message.clock, received))
        seated.sequence, seated.legal, seated.tried = message.sequence, _wire.legal_from_proto(message), set()
        try:
            chosen = self.bot.choose(view, list(seated.legal))
            choice = checked(await chosen if inspect.isawaitable(chosen) else chosen, seated.legal)
        except Exception as error:
            return self._failed(message, seated, error)
        assert isinstance(choice.action, Action)
        seated.tried.add(choice.action.id)
        return _wire.answer_to_proto(message.match_id, message.sequence, choice)

    def _failed(self, message: play_pb2.DecisionRequest, seated: _Seated, error: Exception) -> play_pb2.PlayRequest:
        where = f"match {message.match_id}, decision {message.sequence} ({message.phase})"
        if self.bot.on_error == "resign":
            log.error("%s: choose() failed, the match is given up", where, exc_info=error)
            return _wire.resign_to_proto(message.match_id)
        action = random.choice(seated.legal)
        log.error("%s: choose() failed, playing %s instead", where, action.text or action.id, exc_info=error)
        seated.tried.add(action.id)
        return _wire.answer_to_proto(message.match_id, message.sequence, Choice(action))

    def _try_again(self, message: play_pb2.AnswerRejected) -> play_pb2.PlayRequest | None:
        """An answer was refused. It was checked before it was sent, so the server knows better: take another one."""
        seated = self._matches.get(message.match_id)
        problem = message.explanation or f"problem {message.problem}"
        if seated is None or message.sequence != seated.sequence or message.problem not in WORTH_ANOTHER_TRY:
            log.info("match %s, decision %d: answer not taken: %s", message.match_id, message.sequence, problem)
            return None
        rest = [action for action in seated.legal if action.id not in seated.tried]
        log.error("match %s, decision %d: answer refused: %s", message.match_id, message.sequence, problem)
        if not rest:
            return None
        action = random.choice(rest)
        seated.tried.add(action.id)
        return _wire.answer_to_proto(message.match_id, message.sequence, Choice(action))

    async def _end(self, message: play_pb2.MatchEnded) -> None:
        seated = self._matches.pop(message.match_id, None)
        if seated is None:
            return
        result = _wire.result_from_proto(message.result) if message.HasField("result") else None
        for match in seated.seats.values():
            if result is None:
                log.info("match %s ended while the bot was away", match.id)
            elif match.seat < len(result.seats):
                mine = result.seats[match.seat]
                log.info("match %s is over: seat %d, %d points, place %d", match.id, match.seat, mine.total, mine.rank)
            await self._call(self.bot.match_ended, match, result)

    @staticmethod
    def _take_up(seated: _Seated, actions: list[Played]) -> list[Played]:
        """Add actions to the history; returns those that were not there before."""
        news = [played for played in actions if played.sequence >= len(seated.history)]
        seated.history.extend(news)
        return news

    async def _tell_played(self, seated: _Seated, news: list[Played]) -> None:
        if news:
            for match in seated.seats.values():
                await self._call(self.bot.actions_played, match, news)

    async def _call(self, hook: Any, match: Match, *arguments: object) -> None:
        """Call a hook of the bot; if it fails the match goes on."""
        try:
            done: Awaitable[None] | None = hook(match, *arguments)
            if inspect.isawaitable(done):
                await done
        except Exception:
            log.exception("match %s: %s() failed", match.id, hook.__name__)


def checked(chosen: Chosen, legal: list[Action]) -> Choice:
    """What `choose` returned as a choice of one of the legal actions. Raises `ChoiceError`."""
    choice = chosen if isinstance(chosen, Choice) else Choice(chosen)
    wanted = choice.action
    for action in legal:
        if wanted in (action, action.id) or (isinstance(wanted, str) and wanted == action.text):
            return choice._replace(action=action)
    known = ", ".join(f"{action.id} ({action.text})" if action.text else str(action.id) for action in legal[:5])
    raise ChoiceError(f"choose() returned {wanted!r}, which is none of the {len(legal)} legal actions: {known}, ...")
