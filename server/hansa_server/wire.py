"""The one place where protobuf messages and the server's own objects are translated into each other."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from hansa_client.pb.hansa.v1 import clock_pb2, game_pb2, match_pb2, play_pb2, view_pb2, watch_pb2
from hansa_fast import Rules, State
from hansa_server.auth import Principal
from hansa_server.clock import ClockRules
from hansa_server.errors import BadField
from hansa_server.match import Answer, Forfeit, Forfeited, MatchSpec, OnForfeit, Outcome, Played, Problem
from hansa_server.store import RUNNING, StoredMatch

NANO = 1_000_000_000

FORFEITS = {
    Forfeit.TIMEOUT: game_pb2.FORFEIT_REASON_TIMEOUT,
    Forfeit.ILLEGAL_ANSWER: game_pb2.FORFEIT_REASON_ILLEGAL_ANSWER,
    Forfeit.MALFORMED_MESSAGE: game_pb2.FORFEIT_REASON_MALFORMED_MESSAGE,
    Forfeit.DISCONNECTED: game_pb2.FORFEIT_REASON_DISCONNECTED,
    Forfeit.SILENT: game_pb2.FORFEIT_REASON_SILENT,
    Forfeit.RESIGNED: game_pb2.FORFEIT_REASON_RESIGNED,
}
PROBLEMS = {
    Problem.ILLEGAL_ACTION: play_pb2.ANSWER_PROBLEM_ILLEGAL_ACTION,
    Problem.MALFORMED: play_pb2.ANSWER_PROBLEM_MALFORMED,
    Problem.UNKNOWN_MATCH: play_pb2.ANSWER_PROBLEM_UNKNOWN_MATCH,
    Problem.STALE_SEQUENCE: play_pb2.ANSWER_PROBLEM_STALE_SEQUENCE,
    Problem.NOT_YOUR_DECISION: play_pb2.ANSWER_PROBLEM_NOT_YOUR_DECISION,
}
ON_FORFEIT = {
    OnForfeit.END: match_pb2.FORFEIT_POLICY_END,
    OnForfeit.REPLACE: match_pb2.FORFEIT_POLICY_REPLACE,
}
STATES = {
    "running": match_pb2.MATCH_STATE_RUNNING,
    "finished": match_pb2.MATCH_STATE_FINISHED,
    "aborted": match_pb2.MATCH_STATE_ABORTED,
}
SHAPES = {"trader": view_pb2.SHAPE_TRADER, "merchant": view_pb2.SHAPE_MERCHANT}


# -- Time ----------------------------------------------------------------------------------------------------------


def duration_to_proto(seconds: float) -> Duration:
    """Seconds as a message."""
    whole, rest = divmod(round(seconds * NANO), NANO)
    return Duration(seconds=whole, nanos=rest)


def duration_from_proto(message: Duration) -> float:
    """Seconds of a message."""
    return float(message.seconds + message.nanos / NANO)


def time_to_proto(value: datetime) -> Timestamp:
    """A time of day as a message."""
    message = Timestamp()
    message.FromDatetime(value)
    return message


def clock_to_proto(rules: ClockRules) -> clock_pb2.ClockRules:
    """Clock rules as a message."""
    return clock_pb2.ClockRules(
        per_decision=duration_to_proto(rules.per_decision),
        bank=duration_to_proto(rules.bank),
        increment=duration_to_proto(rules.increment),
        grace=duration_to_proto(rules.grace),
    )


def clock_from_proto(message: clock_pb2.ClockRules) -> ClockRules:
    """Clock rules of a message; raises `BadField`."""
    return ClockRules(
        per_decision=duration_from_proto(message.per_decision),
        bank=duration_from_proto(message.bank),
        increment=duration_from_proto(message.increment),
        grace=duration_from_proto(message.grace),
    )


# -- Games ---------------------------------------------------------------------------------------------------------


def rules_to_proto(rules: Rules) -> game_pb2.Rules:
    """Options as a message, all filled in."""
    return game_pb2.Rules(
        game=rules.game,
        edition=rules.edition,
        board=rules.board,
        players=rules.players,
        missions=rules.missions,
        favours=rules.favours,
        turn_limit=rules.turn_limit or 0,
    )


def rules_from_proto(message: game_pb2.Rules, players: int = 4) -> Rules:
    """Options of a message; what is left out is filled in. Raises `RulesError`."""
    return Rules(
        game=message.game or "teutonica",
        edition=message.edition,
        board=message.board,
        players=message.players or players,
        missions=message.missions,
        favours=message.favours,
        turn_limit=message.turn_limit or None,
    )


def played_to_proto(played: Played, texts: bool) -> game_pb2.PlayedAction:
    """An action as a message."""
    return game_pb2.PlayedAction(
        sequence=played.sequence, seat=played.seat, action=played.action, text=played.text if texts else ""
    )


def forfeited_to_proto(forfeited: Forfeited) -> play_pb2.SeatForfeited:
    """A forfeit as a message."""
    return play_pb2.SeatForfeited(
        seat=forfeited.seat, reason=FORFEITS[forfeited.reason], replacement=forfeited.replacement
    )


def scores_to_proto(
    scores: Sequence[Mapping[str, int]], ranks: Sequence[int] = (), forfeits: Sequence[Forfeit | None] = ()
) -> list[game_pb2.SeatResult]:
    """The table of scores as messages."""
    rows = []
    for seat, score in enumerate(scores):
        row = game_pb2.SeatResult(seat=seat, total=score["total"])
        for category, points in score.items():
            if category != "total":
                row.scores.add(category=category, points=points)
        if ranks:
            row.rank = ranks[seat]
        forfeit = forfeits[seat] if forfeits else None
        if forfeit is not None:
            row.forfeit = FORFEITS[forfeit]
        rows.append(row)
    return rows


def result_to_proto(outcome: Outcome, actions: int) -> game_pb2.Result:
    """An outcome as a message."""
    seats = scores_to_proto(outcome.scores, outcome.ranks, outcome.forfeits)
    return game_pb2.Result(reasons=outcome.reasons, seats=seats, actions=actions)


def answer_from_proto(message: play_pb2.Answer) -> Answer | str:
    """A bot's answer, or what is wrong with it."""
    choice: int | str
    if message.WhichOneof("choice") == "action":
        choice = message.action
    elif message.WhichOneof("choice") == "text":
        choice = message.text
    else:
        return "an answer needs an action or a text"
    if message.sequence < 0:
        return f"sequence: must not be negative, is {message.sequence}"
    if len(message.evaluation) > 5:
        return "evaluation: one number a seat"
    return Answer(message.sequence, choice, tuple(message.evaluation), message.comment)


# -- Matches -------------------------------------------------------------------------------------------------------


def match_to_proto(stored: StoredMatch, principal: Principal) -> match_pb2.Match:
    """A stored match as a message. While an anonymous one runs, its names are for organisers only."""
    spec = stored.spec
    secret = spec.anonymous and stored.state == RUNNING and not principal.is_organiser
    message = match_pb2.Match(
        match_id=spec.match_id,
        state=STATES[stored.state],
        rules=rules_to_proto(spec.rules),
        players=[""] * len(spec.players) if secret else spec.players,
        clock=clock_to_proto(spec.clock),
        forfeit_policy=ON_FORFEIT[spec.on_forfeit],
        actions=stored.actions,
        create_time=time_to_proto(stored.created),
    )
    if stored.ended is not None:
        message.end_time.CopyFrom(time_to_proto(stored.ended))
    if stored.outcome is not None:
        message.result.CopyFrom(result_to_proto(stored.outcome, stored.actions))
    return message


def on_forfeit_from_proto(value: int, default: OnForfeit) -> OnForfeit:
    """The policy of a message."""
    if value == match_pb2.FORFEIT_POLICY_UNSPECIFIED:
        return default
    for policy, number in ON_FORFEIT.items():
        if number == value:
            return policy
    raise BadField("forfeit_policy", f"{value} is not known")


def state_filter_from_proto(value: int) -> str | None:
    """The state that is asked for; None for all."""
    if value == match_pb2.MATCH_STATE_UNSPECIFIED:
        return None
    for state, number in STATES.items():
        if number == value:
            return state
    raise BadField("state", f"{value} is not known")


def started_to_proto(spec: MatchSpec, seat: int, history: Iterable[Played], texts: bool) -> play_pb2.MatchStarted:
    """The beginning of a match as one seat is told about it."""
    names = ["" if spec.anonymous and other != seat else name for other, name in enumerate(spec.players)]
    return play_pb2.MatchStarted(
        match_id=spec.match_id,
        rules=rules_to_proto(spec.rules),
        seat=seat,
        players=names,
        clock=clock_to_proto(spec.clock),
        history=[played_to_proto(played, texts) for played in history],
    )


def watched_to_proto(played: Played, texts: bool) -> watch_pb2.WatchedAction:
    """An action as watchers see it."""
    return watch_pb2.WatchedAction(
        action=played_to_proto(played, texts),
        evaluation=played.evaluation,
        comment=played.comment,
        think_time=duration_to_proto(played.think),
    )


# -- Views ---------------------------------------------------------------------------------------------------------


def view_json(view: State) -> str:
    """A view as canonical JSON."""
    return json.dumps(view.to_dict(), ensure_ascii=False, separators=(",", ":"))


def view_to_proto(view: State) -> view_pb2.View:
    """A view as a message."""
    d = view.to_dict()
    message = view_pb2.View(
        turn=d["turn"],
        current=d["current"],
        player=-1 if d["player"] is None else d["player"],
        phase=d["phase"],
        turn_limit=d["turn_limit"] or 0,
        pending_json=json.dumps(d["pending"], ensure_ascii=False) if d["pending"] else "",
        end=d["end"],
    )
    if view.rules.game == "hansa":
        message.hansa.CopyFrom(_hansa_view(d))
    else:
        message.teutonica.CopyFrom(_teutonica_view(d))
    return message


def _piece(text: str | None) -> view_pb2.Piece:
    if text is None:
        return view_pb2.Piece()
    shape, seat = text.split(" ")
    return view_pb2.Piece(shape=SHAPES[shape], seat=int(seat))


def _counts(kinds: Mapping[str, int]) -> list[view_pb2.KindCount]:
    return [view_pb2.KindCount(kind=kind, count=count) for kind, count in kinds.items()]


def _teutonica_view(d: Mapping[str, Any]) -> view_pb2.TeutonicaView:
    message = view_pb2.TeutonicaView(
        actions=d["actions"],
        fresh=d["fresh"],
        acted=d["acted"],
        actions_over=d["actions_over"],
        pawn=d["pawn"] or "",
        pawn_moved=d["pawn_moved"],
        permissions_used=d["permissions_used"],
        completed=d["completed"],
        east_west=d["east_west"],
        pile=len(d["pile"]),
        drawn=sum(d["plate"].values()),
        favours=d["favours"],
    )
    for post, piece in d["posts"].items():
        message.posts.add(post=post, piece=_piece(piece))
    for city in dict.fromkeys((*d["offices"], *d["extra"], *d["green"])):
        message.cities.add(
            city=city,
            offices=[_piece(piece) for piece in d["offices"].get(city, ())],
            extra=[_piece(piece) for piece in d["extra"].get(city, ())],
            green=[_piece(piece) for piece in d["green"].get(city, ())],
        )
    for points, seat in d["prestige"].items():
        message.prestige.add(points=int(points), seat=seat)
    for route, kind in d["markers"].items():
        message.markers.add(route=route, kind=kind)
    for player in d["players"]:
        row = message.players.add(
            supply=view_pb2.PieceCount(**player["supply"]),
            stock=view_pb2.PieceCount(**player["stock"]),
            points=player["points"],
            markers=_counts(player["markers"]),
            used=_counts(player["used"]),
            plate=_counts(player["plate"]),
            favours=player["favours"],
            mission=player["mission"] if isinstance(player["mission"], list) else (),
        )
        for ability, developed in player["abilities"].items():
            row.abilities.add(ability=ability, developed=developed)
    return message


def _hansa_view(d: Mapping[str, Any]) -> view_pb2.HansaView:
    message = view_pb2.HansaView(
        ship=d["ship"],
        acted=d["acted"],
        colours=d["colours"],
        piles=[len(pile) for pile in d["piles"]],
        removed=_counts(d["removed"]),
    )
    none = [0] * len(d["players"])
    for city, goods in d["warehouses"].items():
        message.cities.add(city=city, warehouses=[good or "" for good in goods], booths=d["booths"].get(city, none))
    for player in d["players"]:
        message.players.add(
            talers=player["talers"],
            booths=player["booths"],
            unsold=_counts(player["unsold"]),
            sold=_counts(player["sold"]),
        )
    return message
