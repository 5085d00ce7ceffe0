"""Games of a tournament: how each follows from the seed and the schedule, and how results are written and hashed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from hansa_fast import Rules
from hansa_server.match import MatchSpec, Outcome
from hansa_server.tournament import seeds
from hansa_server.tournament.block import Pairing
from hansa_server.tournament.chronicle import Block, PlayedGame
from hansa_server.tournament.event import Entrant, Event


def specs_of(
    event: Event, entrants: Mapping[str, Entrant], secret: str, number: int, pairing: Pairing, attempt: int
) -> list[MatchSpec]:
    """The matches of a block: the same in every run from the same seed, down to their ids."""
    seed = seeds.block_seed(secret, number, attempt)
    commitment = seeds.commitment(secret)
    specs = []
    uses = {bot: entrants[bot].uses if entrants[bot].is_built_in else bot for bot in pairing.bots}
    for game, seating in enumerate(pairing.seatings):
        via = tuple([uses[bot] for bot in seating])
        words = f"{commitment} {event.name} {number} {game} {attempt}"
        specs.append(
            MatchSpec(
                match_id=hashlib.sha256(words.encode()).hexdigest()[:16],
                rules=event.tables[pairing.table],
                seed=seed,
                players=seating,
                clock=event.clock,
                on_forfeit=event.on_forfeit,
                forgiven=event.forgiven,
                anonymous=event.anonymous,
                via=via if via != seating else (),
            )
        )
    return specs


def played_game(spec: MatchSpec, packed: bytes, outcome: Outcome) -> PlayedGame:
    """What a tournament keeps of a match."""
    lost = {seat: reason.value for seat, reason in enumerate(outcome.forfeits) if reason is not None}
    totals = tuple([score["total"] for score in outcome.scores])
    facts = (spec.players, outcome.ranks, totals, lost, spec.match_id, outcome.reasons, len(packed) // 2)
    return PlayedGame(*facts, record=_record_hash(spec, packed, outcome.ranks, totals, lost, outcome.reasons))


def _record_hash(spec: MatchSpec, packed: bytes, *outcome: Any) -> str:
    """The hash of a record: rules, seed, names, every action, and how it came out."""
    head = to_json([_rules(spec.rules), str(spec.seed), spec.players, *outcome])
    return hashlib.sha256(head.encode() + b"\n" + packed).hexdigest()


@cache
def _rules(rules: Rules) -> dict[str, Any]:
    return rules.to_dict()


def chain_hash(before: str, block: Block) -> str:
    """The hash that ties a block to all before it."""
    pairing = block.pairing
    facts = [block.number, pairing.table, pairing.round, pairing.seatings, block.state, block.attempt]
    records = [game.record for game in block.games]
    return hashlib.sha256(f"{before}\n{to_json([*facts, records])}".encode()).hexdigest()


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def to_json(value: Any) -> str:
    """The one way in which values are written: the same bytes for the same value."""
    return _ENCODER.encode(value)


def result_to_json(game: PlayedGame) -> str:
    """A result without what its block says already."""
    lost = {str(seat): reason for seat, reason in sorted(game.forfeits.items())}
    return to_json([game.ranks, game.totals, lost, game.reasons, game.actions, game.record])


def result_from_json(text: str, bots: tuple[str, ...], match_id: str) -> PlayedGame:
    """The result that `result_to_json` wrote."""
    return result_from_values(json.loads(text), bots, match_id)


def result_from_values(values: Any, bots: tuple[str, ...], match_id: str) -> PlayedGame:
    """A result out of the values that `result_to_json` writes."""
    ranks, totals, lost, reasons, count, record = values
    forfeits = {int(seat): reason for seat, reason in lost.items()}
    return PlayedGame(bots, tuple(ranks), tuple(totals), forfeits, match_id, tuple(reasons), count, record)
