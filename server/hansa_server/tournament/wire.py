"""Messages about tournaments, translated into our own objects and back; `hansa_server.wire` does it for all others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.protobuf.struct_pb2 import Struct, Value

from hansa_client.pb.hansa.v1 import game_pb2, match_pb2, tournament_pb2
from hansa_fast import Rules
from hansa_server import wire
from hansa_server.errors import BadField
from hansa_server.tournament.block import Pairing
from hansa_server.tournament.chronicle import Place, PlayedGame
from hansa_server.tournament.event import COMMAND, CONNECTED, Entrant, Event
from hansa_server.tournament.ledger import CREATED, ENDED, OVER, PAUSED, PLAYING, STOPPED, Stored
from hansa_server.tournament.tally import PoolTally, Tally

NO_LIMIT = -1  # as turn_limit of an event's table, where 0 stands for the usual limit

STATES = {
    CREATED: tournament_pb2.TOURNAMENT_STATE_CREATED,
    PLAYING: tournament_pb2.TOURNAMENT_STATE_RUNNING,
    PAUSED: tournament_pb2.TOURNAMENT_STATE_PAUSED,
    OVER: tournament_pb2.TOURNAMENT_STATE_FINISHED,
    STOPPED: tournament_pb2.TOURNAMENT_STATE_STOPPED,
}


def event_values(message: tournament_pb2.Event) -> dict[str, Any]:
    """An event of a message in the form of an event file, not checked. What is unset is left out."""
    found: dict[str, Any] = {
        "name": message.name,
        "format": {**{name: _plain(value) for name, value in message.settings.fields.items()}, "kind": message.format},
        "tables": [_rules_values(table) for table in message.tables],
        "bots": [{"name": bot.name, "uses": bot.uses or CONNECTED} for bot in message.bots],
        "anonymous": message.anonymous,
        "rate_unbalanced": message.rate_unbalanced,
    }
    if message.HasField("clock"):
        clock = message.clock
        names = ("per_decision", "bank", "increment", "grace")
        found["clock"] = {name: wire.duration_from_proto(getattr(clock, name)) for name in names}
    if message.forfeit_policy != match_pb2.FORFEIT_POLICY_UNSPECIFIED:
        names_ = {number: policy.value for policy, number in wire.ON_FORFEIT.items()}
        found["on_forfeit"] = names_.get(message.forfeit_policy, str(message.forfeit_policy))
    if message.HasField("forgiven_answers"):
        found["forgiven"] = message.forgiven_answers
    if message.anchor:
        found["anchor"] = message.anchor
    if message.seed:
        found["seed"] = message.seed
    limits: dict[str, Any] = {}
    for name in ("concurrency", "restarts", "voids", "log_bytes"):
        if message.limits.HasField(name):
            limits[name] = getattr(message.limits, name)
    if message.limits.HasField("absent"):
        limits["absent"] = wire.duration_from_proto(message.limits.absent)
    if message.limits.HasField("play_time"):
        limits["hours"] = wire.duration_from_proto(message.limits.play_time) / 3600
    if limits:
        found["limits"] = limits
    return found


def _plain(value: Value) -> Any:
    """A value of a Struct, whatever it is. Its numbers are all floating; whole ones are meant as such."""
    kind = value.WhichOneof("kind")
    if kind == "struct_value":
        return {name: _plain(part) for name, part in value.struct_value.fields.items()}
    if kind == "list_value":
        return [_plain(part) for part in value.list_value.values]
    if kind == "number_value":
        return int(value.number_value) if value.number_value.is_integer() else value.number_value
    return None if kind in (None, "null_value") else getattr(value, kind)


def _rules_values(message: Any) -> dict[str, Any]:
    names = ("game", "edition", "board", "players", "turn_limit")
    given = {name: getattr(message, name) for name in names if getattr(message, name)}
    if message.turn_limit == NO_LIMIT:
        given["turn_limit"] = 0
    return {**given, "missions": message.missions, "favours": message.favours}


def event_to_proto(event: Event, *, private: bool) -> tournament_pb2.Event:
    """An event as a message. Command lines are private."""
    limits = event.limits
    settings = Struct()
    settings.update(dict(event.settings))
    return tournament_pb2.Event(
        name=event.name,
        format=event.format,
        settings=settings,
        tables=[_rules_to_proto(rules) for rules in event.tables],
        bots=[entrant_to_proto(entrant, private=private) for entrant in event.bots],
        clock=wire.clock_to_proto(event.clock),
        forfeit_policy=wire.ON_FORFEIT[event.on_forfeit],
        forgiven_answers=event.forgiven,
        anonymous=event.anonymous,
        anchor=event.anchor,
        rate_unbalanced=event.rate_unbalanced,
        limits=tournament_pb2.EventLimits(
            concurrency=limits.concurrency,
            absent=wire.duration_to_proto(limits.absent),
            restarts=limits.restarts,
            voids=limits.voids,
            play_time=wire.duration_to_proto(limits.hours * 3600),
            log_bytes=limits.log_bytes,
        ),
    )


def _rules_to_proto(rules: Rules) -> game_pb2.Rules:
    message = wire.rules_to_proto(rules)
    message.turn_limit = rules.turn_limit or NO_LIMIT
    return message


def entrant_to_proto(entrant: Entrant, *, private: bool) -> tournament_pb2.Entrant:
    """A bot of the line-up as a message."""
    uses = COMMAND if entrant.is_private and not private else entrant.uses
    return tournament_pb2.Entrant(name=entrant.name, uses=uses)


def place_to_proto(place: Place, *, private: bool, present: bool) -> tournament_pb2.LineUpPlace:
    """A place in the line-up as a message."""
    return tournament_pb2.LineUpPlace(
        entrant=entrant_to_proto(place.entrant, private=private),
        entered_block=place.entered,
        withdrawn_block=place.withdrawn,
        present=present,
        version=place.version or "",
    )


def tournament_to_proto(stored: Stored, *, private: bool) -> tournament_pb2.Tournament:
    """What the store knows of a tournament as a message."""
    standing = stored.standing
    message = tournament_pb2.Tournament(
        name=stored.event.name,
        state=STATES[standing.state],
        event=event_to_proto(stored.event, private=private),
        commitment=stored.commitment,
        seed=stored.secret if standing.state in ENDED else "",
        blocks_made=standing.blocks_made,
        blocks_finished=standing.blocks_finished,
        blocks_void=standing.blocks_void,
        games_finished=standing.games_finished,
        decisions=standing.decisions,
        problem=standing.problem,
        chain=standing.chain,
        chain_blocks=standing.chain_blocks,
        create_time=wire.time_to_proto(stored.created),
    )
    if standing.started is not None:
        message.start_time.CopyFrom(wire.time_to_proto(standing.started))
    if standing.ended is not None:
        message.end_time.CopyFrom(wire.time_to_proto(standing.ended))
    if standing.outcome is not None:
        message.outcome.update(standing.outcome)
    return message


def state_from_proto(value: int) -> str | None:
    """A state to look for; None for all."""
    if value == tournament_pb2.TOURNAMENT_STATE_UNSPECIFIED:
        return None
    for state, number in STATES.items():
        if number == value:
            return state
    raise BadField("state", f"{value} is not known")


def standings_to_proto(
    pool: str, tally: PoolTally, fit: tuple[int, list[Mapping[str, Any]]] | None, line_up: Mapping[str, Place]
) -> tournament_pb2.PoolStandings:
    """The standings of a pool: by rating, and those without one after them by their mean place score."""
    rated = {line["bot"]: line for line in (fit[1] if fit else ())}
    order = sorted(
        tally.bots,
        key=lambda bot: (bot not in rated, rated[bot]["place"] if bot in rated else -tally.bots[bot].place_score, bot),
    )
    message = tournament_pb2.PoolStandings(pool=pool, rated_blocks=fit[0] if fit else 0)
    for position, bot in enumerate(order, 1):
        mine, line = tally.bots[bot], rated.get(bot)
        rung = tally.ladder.rungs.get(bot)
        shown = message.lines.add(
            bot=bot,
            place=line["place"] if line else position,
            ladder=rung.rating if rung else 1500.0,
            games=mine.games,
            firsts=mine.firsts,
            place_score=mine.place_score,
            points=mine.points / mine.games if mine.games else 0.0,
            forfeits=mine.forfeits.total(),
            withdrawn=line_up[bot].withdrawn is not None,
            version=line_up[bot].version,
        )
        if line:
            shown.rating = line["rating"]
            shown.places.extend(line["places"])
            shown.first_chance = line["first"]
            shown.provisional = line["provisional"]
            if line["error"] is not None:
                shown.error = line["error"]
    return message


def crosstable_to_proto(tally: Tally, pools: tuple[str, ...]) -> tournament_pb2.GetCrosstableResponse:
    """All pairs of these pools."""
    message = tournament_pb2.GetCrosstableResponse()
    for pool in pools:
        for (bot, other), pair in sorted(tally.pools[pool].pairs.items() if pool in tally.pools else ()):
            message.cells.add(pool=pool, bot=bot, opponent=other, ahead=pair.ahead, tied=pair.tied, behind=pair.behind)
    return message


def match_to_proto(
    event: Event, block: int, attempt: int, pairing: Pairing, game: int, match_id: str, result: PlayedGame | None
) -> tournament_pb2.TournamentMatch:
    """A game of a tournament as a message."""
    message = tournament_pb2.TournamentMatch(
        match_id=match_id,
        block=block,
        game=game,
        attempt=attempt,
        round=pairing.round,
        pool=event.pool(pairing.table),
        bots=pairing.seatings[game],
    )
    if result is not None:
        message.ranks.extend(result.ranks)
        message.totals.extend(result.totals)
        message.forfeits.update(dict(result.forfeits))
    return message
