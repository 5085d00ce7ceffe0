"""A whole tournament as one file, and what can be checked with nothing else: every game, hash and rating.

The file is gzip, a JSON value a line: the head (event, seed, line-up, log), then the blocks with their games and all
actions, at the end the numbers of the report.
"""

from __future__ import annotations

import base64
import binascii
import gzip
import json
import zlib
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hansa_fast import HansaError
from hansa_server import __version__
from hansa_server.errors import AlreadyThere
from hansa_server.match import Forfeit, MatchSpec, Outcome, judge
from hansa_server.store import unpack
from hansa_server.tournament import event_file, seeds, standings
from hansa_server.tournament.block import Pairing
from hansa_server.tournament.chronicle import FINISHED, Block, Chronicle, Note, Place, PlayedGame
from hansa_server.tournament.event import COMMAND, Entrant
from hansa_server.tournament.games import chain_hash, played_game, result_from_values, result_to_json, specs_of, to_json
from hansa_server.tournament.ledger import ENDED, Ledger, Standing, Whole
from hansa_server.tournament.numbers import first_difference, numbers

HIDDEN = f"{COMMAND}hidden"
KIND = "hansa tournament"
VERSION = 1
PIECE = 256 * 1024  # bytes
LONGEST_LINE = 64 * 1024 * 1024  # characters; more is no line of ours

Progress = Callable[[int, int], None]  # blocks done, blocks in all


class ArchiveError(ValueError):
    """A file is no export, or what it says is not so. The message names the first place."""


# -- Writing -------------------------------------------------------------------------------------------------------


def pieces(ledger: Ledger, name: str, *, private: bool = True) -> Generator[bytes]:
    """The file of a tournament. Its seed is in it once it is over; blocks that are not whole are without games. Command
    lines of local bots are private."""
    packer = zlib.compressobj(6, zlib.DEFLATED, 31)
    waiting = bytearray()
    for line in _lines(ledger, name, private):
        waiting += packer.compress(line.encode() + b"\n")
        while len(waiting) >= PIECE:
            yield bytes(waiting[:PIECE])
            del waiting[:PIECE]
    waiting += packer.flush()
    yield bytes(waiting)


def _lines(ledger: Ledger, name: str, private: bool) -> Iterator[str]:
    chronicle = ledger.chronicle(name) if private else _without_commands(ledger.chronicle(name))
    yield to_json(
        {
            "kind": KIND,
            "version": VERSION,
            "engine": __version__,
            "event": {**event_file.to_dict(chronicle.event), "seed": ""},
            "state": chronicle.state,
            "commitment": chronicle.commitment,
            "seed": chronicle.secret,
            "line_up": [
                [place.entrant.name, place.entrant.uses, place.entered, place.withdrawn, place.version]
                for place in chronicle.line_up
            ],
            "notes": [[note.number, note.block, note.kind, note.text] for note in chronicle.notes],
            "outcome": chronicle.outcome,
            "blocks": len(chronicle.blocks),
        }
    )
    with closing(ledger.actions_of(name)) as actions:
        for block in chronicle.blocks:
            games = []
            for at, game in enumerate(block.games):
                number, index, packed = next(actions)
                while (number, index) < (block.number, at):  # of blocks that are not whole
                    number, index, packed = next(actions)
                assert (number, index) == (block.number, at)
                result = json.loads(result_to_json(game))
                games.append([game.match_id, result, base64.b64encode(packed).decode()])
            yield to_json({"block": [*_facts(block)], "games": games})
    yield to_json({"numbers": numbers(chronicle)})


def _without_commands(chronicle: Chronicle) -> Chronicle:
    def shown(entrant: Entrant) -> Entrant:
        return replace(entrant, uses=HIDDEN) if entrant.is_private else entrant

    event = replace(chronicle.event, bots=tuple(map(shown, chronicle.event.bots)))
    line_up = tuple(replace(place, entrant=shown(place.entrant)) for place in chronicle.line_up)
    return replace(chronicle, event=event, line_up=line_up)


def _facts(block: Block) -> tuple[object, ...]:
    pairing = block.pairing
    return block.number, pairing.table, pairing.round, pairing.seatings, block.state, block.attempt, block.chain


# -- Reading -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Head:
    """What an export says before its blocks."""

    chronicle: Chronicle  # without blocks
    blocks: int
    engine: str


@dataclass
class Checked:
    """What was found right."""

    name: str
    blocks: int = 0
    games: int = 0
    actions: int = 0
    replayed: bool = False  # False if the seed is not revealed yet
    chronicle: Chronicle | None = None
    wholes: list[Whole] = field(default_factory=list)  # the games, if they were asked for


def load(path: str | Path) -> Chronicle:
    """The chronicle of an export, without checking it."""
    reader = _Reader(path)
    head = reader.head()
    blocks = tuple(block for block, _ in reader.blocks(head.blocks))
    return _with_blocks(head.chronicle, blocks)


def verify(path: str | Path, progress: Progress | None = None, *, keep: bool = False) -> Checked:
    """Replay every game, rebuild every hash and rating; raises `ArchiveError` at the first difference."""
    reader = _Reader(path)
    head = reader.head()
    chronicle = head.chronicle
    event = chronicle.event
    checked = Checked(event.name, replayed=bool(chronicle.secret))
    if chronicle.secret and seeds.commitment(chronicle.secret) != chronicle.commitment:
        raise ArchiveError("seed: is not the one that was committed to")
    entrants = {place.entrant.name: place.entrant for place in chronicle.line_up}
    blocks: list[Block] = []
    chain = ""
    for block, packed in reader.blocks(head.blocks):
        where = f"block {block.number}"
        if unknown := [bot for bot in block.pairing.bots if bot not in entrants]:
            raise ArchiveError(f"{where}: {unknown[0]} is not in the line-up")
        if not 0 <= block.pairing.table < len(event.tables):
            raise ArchiveError(f"{where}: there is no table {block.pairing.table}")
        if block.state == FINISHED and chronicle.secret:
            specs = specs_of(event, entrants, chronicle.secret, block.number, block.pairing, block.attempt)
            for game, spec in enumerate(specs):
                try:
                    outcome = _replay(spec, packed[game], block.games[game])
                except ArchiveError as error:
                    raise ArchiveError(f"{where}, game {game}: {error}") from None
                if keep:
                    checked.wholes.append(Whole(spec, packed[game], outcome))
        if block.chain:
            chain = chain_hash(chain, block)
            if chain != block.chain:
                raise ArchiveError(f"{where}: its hash does not follow from the blocks up to it")
        elif chronicle.state in ENDED:
            raise ArchiveError(f"{where}: is not tied to the blocks before it")
        checked.blocks += 1
        checked.games += len(block.games)
        checked.actions += sum(game.actions for game in block.games)
        blocks.append(block)
        if progress is not None:
            progress(checked.blocks, head.blocks)
    checked.chronicle = _with_blocks(chronicle, tuple(blocks))
    stored = reader.value("numbers")["numbers"]
    again = json.loads(to_json(numbers(checked.chronicle)))
    again["event"]["engine"] = head.engine  # another version may have made the file, but its numbers are the same
    if found := first_difference(stored, again):
        made = "" if head.engine == __version__ else f"; it was made by {head.engine}, and this is {__version__}"
        raise ArchiveError(f"numbers: {found} (in the file, and from its games{made})")
    reader.end()
    return checked


def _replay(spec: MatchSpec, packed: bytes, game: PlayedGame) -> Outcome:
    """Play a game again; raises `ArchiveError` if anything differs from what is told of it."""
    if game.match_id != spec.match_id:
        raise ArchiveError(f"the match {game.match_id} does not follow from the seed; {spec.match_id} would")
    state = spec.rules.new(spec.seed)
    for number, action in enumerate(unpack(packed)):
        try:
            state.apply(action)
        except HansaError as error:
            raise ArchiveError(f"action {number} is not possible: {error}") from None
    try:
        lost = tuple(Forfeit(game.forfeits[seat]) if seat in game.forfeits else None for seat in range(len(game.bots)))
    except ValueError as error:
        raise ArchiveError(str(error)) from None
    reasons = tuple(state.result()["reasons"]) if state.is_over else ("forfeit",)
    if not state.is_over and sum(reason is None for reason in lost) > 1:
        raise ArchiveError("its actions do not lead to an end")
    outcome = judge(state, lost, reasons)
    again = played_game(spec, packed, outcome)
    for name in ("ranks", "totals", "reasons", "actions", "record"):
        told, found = getattr(game, name), getattr(again, name)
        if told != found:
            raise ArchiveError(f"{name}: {told} is told, {found} is what its actions lead to")
    return outcome


def bring_in(ledger: Ledger, path: str | Path, progress: Progress | None = None) -> Checked:
    """Put an exported tournament into a store, after checking all of it. Raises `ArchiveError` or `AlreadyThere`."""
    checked = verify(path, progress, keep=True)
    chronicle = checked.chronicle
    assert chronicle is not None
    if chronicle.state not in ENDED:
        raise ArchiveError("the tournament is not over: move a running one with `hansa tournament backup`")
    if ledger.find(checked.name) is not None:
        raise AlreadyThere("tournament", checked.name)
    now = datetime.now(UTC)
    standing = Standing(state=chronicle.state, started=now, ended=now, outcome=dict(chronicle.outcome))
    standing.blocks_void = sum(note.kind == "void" for note in chronicle.notes)
    tally, standing, fits = standings.derive(chronicle, standing)
    ledger.bring_in(chronicle, checked.wholes, standing, tally, fits, now)
    return checked


def _with_blocks(chronicle: Chronicle, blocks: tuple[Block, ...]) -> Chronicle:
    return replace(chronicle, blocks=blocks)


class _Reader:
    """Reads the lines of an export; what is wrong is told with the number of the line."""

    def __init__(self, path: str | Path) -> None:
        self._path = path
        self._lines = self._read()
        self._number = 0

    def _read(self) -> Iterator[str]:
        try:
            with gzip.open(self._path, "rt", encoding="utf-8") as file:
                while line := file.readline(LONGEST_LINE):
                    self._number += 1
                    yield line
        except (gzip.BadGzipFile, EOFError, zlib.error, UnicodeDecodeError) as error:
            raise ArchiveError(f"line {self._number + 1} cannot be read: {error}") from None

    def _fail(self, problem: str) -> ArchiveError:
        return ArchiveError(f"line {self._number}: {problem}")

    def value(self, *keys: str) -> dict[str, Any]:
        """The next line, which must have these keys."""
        line = next(self._lines, None)
        if line is None:
            raise ArchiveError(f"the file ends after line {self._number}; {keys[0]} should follow")
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            raise self._fail("is not JSON") from None
        if not isinstance(value, dict) or any(key not in value for key in keys):
            raise self._fail(f"should have {', '.join(keys)}")
        return value

    def end(self) -> None:
        """Nothing follows, and the checksum of the file is right."""
        if next(self._lines, None) is not None:
            raise self._fail("the file should have ended before")

    def head(self) -> Head:
        """The first line."""
        value = self.value("kind", "version")
        if value["kind"] != KIND:
            raise self._fail(f"this is no export of a tournament but {value['kind']!r}")
        if value["version"] != VERSION:
            raise self._fail(f"has version {value['version']}; this program reads version {VERSION}")
        try:
            return self._head(value)
        except event_file.Problems as error:
            raise self._fail(f"event: {error}") from None
        except (KeyError, TypeError, ValueError) as error:
            raise self._fail(f"the head is not whole: {type(error).__name__}: {error}") from None

    def _head(self, value: Mapping[str, Any]) -> Head:
        event = event_file.from_dict(value["event"], anywhere=True)
        line_up = tuple(
            Place(Entrant(name, uses), entered, gone, *version)  # which older files do not tell
            for name, uses, entered, gone, *version in value["line_up"]
        )
        notes = tuple(Note(*note) for note in value["notes"])
        chronicle = Chronicle(
            event, value["state"], value["commitment"], value["seed"], line_up, (), notes, value["outcome"]
        )
        return Head(chronicle, int(value["blocks"]), value["engine"])

    def blocks(self, count: int) -> Iterator[tuple[Block, list[bytes]]]:
        """The blocks, with the packed actions of their games."""
        for expected in range(count):
            value = self.value("block", "games")
            try:
                block, packed = self._block(value)
            except (KeyError, TypeError, ValueError, binascii.Error) as error:
                raise self._fail(f"is no block: {type(error).__name__}: {error}") from None
            if block.number != expected:
                raise self._fail(f"has block {block.number}; block {expected} should follow")
            yield block, packed

    def _block(self, value: Mapping[str, Any]) -> tuple[Block, list[bytes]]:
        number, table, round_, seatings, state, attempt, chain = value["block"]
        pairing = Pairing(table, round_, tuple(tuple(seating) for seating in seatings))
        games, packed = [], []
        for at, (match_id, result, actions) in enumerate(value["games"]):
            games.append(result_from_values(result, pairing.seatings[at], match_id))
            packed.append(base64.b64decode(actions, validate=True))
            if len(packed[-1]) % 2:
                raise ValueError("half an action is too many")
        if state == FINISHED and len(games) != len(pairing.seatings):
            raise ValueError(f"{len(pairing.seatings)} games should be there, not {len(games)}")
        return Block(number, pairing, state, attempt, tuple(games), chain), packed
