"""The one place where protobuf messages and this package's own objects are translated into each other."""

from __future__ import annotations

from collections.abc import Iterable

from google.protobuf.duration_pb2 import Duration

from hansa_client._bot import Bot
from hansa_client._match import Action, Choice, Clock, ClockRules, Match, Played, Result, Rules, SeatResult
from hansa_client.pb.hansa.v1 import clock_pb2, game_pb2, play_pb2

MOST_COMMENT = 280


def seconds_from_proto(message: Duration) -> float:
    """Seconds of a message."""
    return float(message.seconds + message.nanos / 1e9)


def rules_from_proto(message: game_pb2.Rules) -> Rules:
    """Options of a message."""
    return Rules(
        game=message.game,
        edition=message.edition,
        board=message.board,
        players=message.players,
        missions=message.missions,
        favours=message.favours,
        turn_limit=message.turn_limit or None,
    )


def clock_rules_from_proto(message: clock_pb2.ClockRules) -> ClockRules:
    """How time is counted."""
    return ClockRules(
        per_decision=seconds_from_proto(message.per_decision),
        bank=seconds_from_proto(message.bank),
        increment=seconds_from_proto(message.increment),
        grace=seconds_from_proto(message.grace),
    )


def clock_from_proto(message: clock_pb2.ClockState, received: float) -> Clock:
    """The clock of a decision that was asked at this time."""
    return Clock(
        decision=seconds_from_proto(message.decision) if message.HasField("decision") else None,
        bank=seconds_from_proto(message.bank) if message.HasField("bank") else None,
        received=received,
    )


def played_from_proto(messages: Iterable[game_pb2.PlayedAction]) -> list[Played]:
    """Actions that were played."""
    return [Played(part.sequence, part.seat, part.action, part.text) for part in messages]


def match_from_proto(message: play_pb2.MatchStarted) -> Match:
    """A match that begins or goes on."""
    return Match(
        id=message.match_id,
        seat=message.seat,
        rules=rules_from_proto(message.rules),
        players=tuple(message.players),
        clock=clock_rules_from_proto(message.clock),
        history=played_from_proto(message.history),
    )


def legal_from_proto(message: play_pb2.DecisionRequest) -> list[Action]:
    """The legal actions of a decision."""
    texts = list(message.legal_texts) or [""] * len(message.legal_actions)
    return [Action(number, text) for number, text in zip(message.legal_actions, texts, strict=True)]


def forfeit_from_proto(reason: game_pb2.ForfeitReason.ValueType) -> str:
    """Why a seat was given up, in a word or two: "timeout", "illegal answer"; empty if it was not."""
    if reason == game_pb2.FORFEIT_REASON_UNSPECIFIED:
        return ""
    if reason not in game_pb2.ForfeitReason.values():  # a reason of a newer server
        return f"reason {reason}"
    return game_pb2.ForfeitReason.Name(reason).removeprefix("FORFEIT_REASON_").replace("_", " ").lower()


def result_from_proto(message: game_pb2.Result) -> Result:
    """How a match came out."""
    seats = (
        SeatResult(
            seat=seat.seat,
            total=seat.total,
            rank=seat.rank,
            scores={entry.category: entry.points for entry in seat.scores},
            forfeit=forfeit_from_proto(seat.forfeit),
        )
        for seat in message.seats
    )
    return Result(tuple(message.reasons), tuple(seats), message.actions)


def hello_to_proto(bot: Bot, name: str, max_matches: int) -> play_pb2.PlayRequest:
    """How a bot introduces itself. It hears at once of what is played only if it listens."""
    listens = type(bot).actions_played is not Bot.actions_played
    return play_pb2.PlayRequest(
        hello=play_pb2.Hello(
            name=name,
            version=bot.version,
            games=bot.games,
            max_matches=max_matches,
            view_format=play_pb2.VIEW_FORMAT_JSON if bot.views else play_pb2.VIEW_FORMAT_UNSPECIFIED,
            texts=bot.texts,
            event_delivery=(play_pb2.EVENT_DELIVERY_UNSPECIFIED if listens else play_pb2.EVENT_DELIVERY_WITH_DECISIONS),
        )
    )


def answer_to_proto(match_id: str, sequence: int, choice: Choice) -> play_pb2.PlayRequest:
    """A choice whose action is a legal `Action`."""
    assert isinstance(choice.action, Action)
    return play_pb2.PlayRequest(
        answer=play_pb2.Answer(
            match_id=match_id,
            sequence=sequence,
            action=choice.action.id,
            evaluation=choice.evaluation,
            comment=choice.comment[:MOST_COMMENT],
        )
    )


def resign_to_proto(match_id: str) -> play_pb2.PlayRequest:
    """The bot gives a match up."""
    return play_pb2.PlayRequest(resign=play_pb2.Resign(match_id=match_id))
