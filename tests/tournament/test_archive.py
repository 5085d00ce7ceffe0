"""Exports: whole and unchanged they verify, and whatever is changed is found and named."""

from __future__ import annotations

import base64
import gzip
import itertools
import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hansa_server.errors import AlreadyThere
from hansa_server.store import Store
from hansa_server.tournament import archive, seeds, standings
from hansa_server.tournament.archive import ArchiveError
from hansa_server.tournament.event import Event
from hansa_server.tournament.ledger import Ledger
from hansa_server.tournament.run import run_event
from tests.server.conftest import DATABASES
from tests.server.postgres import Cluster
from tests.tournament.running import BUILT_IN, event, plain

Lines = list[dict[str, Any]]


def played() -> Event:
    """An event that is played in a moment, at tables of both sizes."""
    return plain(event("open", {**BUILT_IN, "ran": "builtin:random"}, players=(2, 3), settings={"rounds": 2}))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The export of a tournament that is over."""
    folder = tmp_path_factory.mktemp("whole")
    run_event(played(), str(folder / "arena.db"))
    path = folder / "whole.export"
    path.write_bytes(export(str(folder / "arena.db")))
    return path


def export(address: str) -> bytes:
    """The bytes of an export."""
    with closing(Store(address)) as store:
        return b"".join(archive.pieces(Ledger(store), "open"))


def lines_of(path: Path) -> Lines:
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).decode().splitlines()]


def write(lines: Lines, path: Path) -> Path:
    text = "\n".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) for line in lines)
    path.write_bytes(gzip.compress(text.encode() + b"\n"))
    return path


def test_an_export_verifies(whole: Path, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    checked = archive.verify(whole, lambda done, of: told.append((done, of)))
    assert (checked.name, checked.blocks, checked.games, checked.replayed) == ("open", 8, 18, True)
    assert told == [(number, 8) for number in range(1, 9)]
    again = archive.verify(write(lines_of(whole), tmp_path / "again"))
    assert again.chronicle == checked.chronicle == archive.load(whole)


def test_an_export_of_another_version_verifies(whole: Path, tmp_path: Path) -> None:
    """As long as that made the same numbers; otherwise it is said which version it was."""
    lines = lines_of(whole)
    for line in lines:
        if "engine" in line:
            line["engine"] = "0.0.9"
        if "numbers" in line:
            line["numbers"]["event"]["engine"] = "0.0.9"
    assert archive.verify(write(lines, tmp_path / "older")).games == 18
    lines[-1]["numbers"]["event"]["name"] = "closed"
    with pytest.raises(ArchiveError, match=r"made by 0\.0\.9, and this is \d"):
        archive.verify(write(lines, tmp_path / "different"))


def block(lines: Lines, number: int) -> dict[str, Any]:
    return lines[1 + number]


def change_action(lines: Lines) -> None:
    """Another legal action in the middle of a game; the rest of it is kept."""
    game = block(lines, 3)["games"][1]
    packed = bytearray(base64.b64decode(game[2]))
    packed[10], packed[11] = packed[8], packed[9]
    game[2] = base64.b64encode(bytes(packed)).decode()


def change_last_action(lines: Lines) -> None:
    game = block(lines, 3)["games"][1]
    game[2] = base64.b64encode(base64.b64decode(game[2])[:-2]).decode()


def change_rank(lines: Lines) -> None:
    ranks = block(lines, 2)["games"][0][1][0]
    ranks[:] = ranks[::-1] if ranks[0] != ranks[1] else [1, 2]


def change_total(lines: Lines) -> None:
    block(lines, 0)["games"][0][1][1][0] += 1


def forfeit(lines: Lines) -> None:
    block(lines, 0)["games"][0][1][2] = {"0": "timeout"}


def unknown_forfeit(lines: Lines) -> None:
    block(lines, 0)["games"][0][1][2] = {"0": "bad luck"}


def rename(lines: Lines) -> None:
    """Everywhere, so that the file agrees with itself."""
    text = json.dumps(lines).replace('"greedy"', '"gready"').replace('"builtin:greedy"', '"builtin:greedy"')
    lines[:] = json.loads(text)


def rename_in_line_up(lines: Lines) -> None:
    lines[0]["line_up"][0][0] = "somebody"


def drop_block(lines: Lines) -> None:
    del lines[4]


def drop_last_block(lines: Lines) -> None:
    del lines[-2]
    lines[0]["blocks"] -= 1


def drop_block_and_renumber(lines: Lines) -> None:
    del lines[4]
    lines[0]["blocks"] -= 1
    for number, line in enumerate(lines[1:-1]):
        line["block"][0] = number


def reorder(lines: Lines) -> None:
    lines[2], lines[3] = lines[3], lines[2]


def change_seed(lines: Lines) -> None:
    lines[0]["seed"] = "c0ffee" + lines[0]["seed"][6:]


def change_seed_and_commitment(lines: Lines) -> None:
    change_seed(lines)
    lines[0]["commitment"] = seeds.commitment(lines[0]["seed"])


def change_commitment(lines: Lines) -> None:
    lines[0]["commitment"] = "0" * 64


def change_chain(lines: Lines) -> None:
    block(lines, 5)["block"][6] = "0" * 64


def forget_chain(lines: Lines) -> None:
    block(lines, 5)["block"][6] = ""


def change_record(lines: Lines) -> None:
    block(lines, 5)["games"][0][1][5] = "0" * 64


def change_rating(lines: Lines) -> None:
    """The first rating there is."""

    def first(value: Any) -> bool:
        if isinstance(value, dict):
            if isinstance(value.get("rating"), (int, float)):
                value["rating"] += 1
                return True
            return any(first(part) for part in value.values())
        return isinstance(value, list) and any(first(part) for part in value)

    assert first(lines[-1])


def change_rules(lines: Lines) -> None:
    lines[0]["event"]["tables"][0]["turn_limit"] = 12


def wrong_version(lines: Lines) -> None:
    lines[0]["version"] = 2


def wrong_kind(lines: Lines) -> None:
    lines[0]["kind"] = "hansa record"


def no_head(lines: Lines) -> None:
    del lines[0]["line_up"]


def bad_event(lines: Lines) -> None:
    lines[0]["event"]["format"]["rounds"] = -1


def no_such_table(lines: Lines) -> None:
    block(lines, 1)["block"][1] = 7


def no_games(lines: Lines) -> None:
    block(lines, 1)["games"] = []


def junk_actions(lines: Lines) -> None:
    block(lines, 1)["games"][0][2] = "???"


def odd_actions(lines: Lines) -> None:
    block(lines, 1)["games"][0][2] = "AAAA"  # three bytes


def junk_block(lines: Lines) -> None:
    block(lines, 1)["block"] = [1, 2]


def no_numbers(lines: Lines) -> None:
    del lines[-1]


def more(lines: Lines) -> None:
    lines.append({"more": 1})


TAMPERED: dict[Callable[[Lines], None], str] = {
    change_action: r"block 3, game 1: ",
    change_last_action: r"block 3, game 1: its actions do not lead to an end",
    change_rank: r"block 2, game 0: ranks: ",
    change_total: r"block 0, game 0: totals: ",
    forfeit: r"block 0, game 0: ranks: |block 0, game 0: record: ",
    unknown_forfeit: r"block 0, game 0: 'bad luck' is not a valid Forfeit",
    rename: r"block \d, game \d: record: ",
    rename_in_line_up: r"block 0: random is not in the line-up",
    drop_block: r"line 5: has block 4; block 3 should follow",
    drop_last_block: r"numbers: ",
    drop_block_and_renumber: r"block 3, game 0: the match \w+ does not follow from the seed",
    reorder: r"line 3: has block 2; block 1 should follow",
    change_seed: r"seed: is not the one that was committed to",
    change_seed_and_commitment: r"block 0, game 0: the match \w+ does not follow from the seed",
    change_commitment: r"seed: is not the one that was committed to",
    change_chain: r"block 5: its hash does not follow from the blocks up to it",
    forget_chain: r"block 5: is not tied to the blocks before it",
    change_record: r"block 5, game 0: record: ",
    change_rating: r"numbers: .*rating",
    change_rules: r"block 0, game 0: ",
    wrong_version: r"line 1: has version 2; this program reads version 1",
    wrong_kind: r"line 1: this is no export of a tournament but 'hansa record'",
    no_head: r"line 1: the head is not whole: KeyError: 'line_up'",
    bad_event: r"line 1: event: format.rounds: must be at least 1",
    no_such_table: r"block 1: there is no table 7",
    no_games: r"line 3: is no block: .*3 games should be there, not 0",
    junk_actions: r"line 3: is no block: ",
    odd_actions: r"line 3: is no block: ValueError: half an action is too many",
    more: r"line 11: the file should have ended before",
    junk_block: r"line 3: is no block: ",
    no_numbers: r"the file ends after line 9; numbers should follow",
}


@pytest.mark.parametrize("tamper", TAMPERED, ids=lambda tamper: tamper.__name__)
def test_what_is_changed_is_found(tamper: Callable[[Lines], None], whole: Path, tmp_path: Path) -> None:
    lines = lines_of(whole)
    tamper(lines)
    with pytest.raises(ArchiveError, match=rf"^(?:{TAMPERED[tamper]})"):
        archive.verify(write(lines, tmp_path / "changed"))


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda data: data[: len(data) // 2], r"line \d+ cannot be read: Compressed file ended"),
        (lambda data: data[:-8] + b"\0" * 8, r"line \d+ cannot be read: CRC check failed"),
        (lambda _: b"", "the file ends after line 0"),
        (lambda _: b"junk" * 100, "line 1 cannot be read: Not a gzipped file"),
        (lambda _: gzip.compress(b"\xff\xfe\n"), "line 1 cannot be read: 'utf-8'"),
        (lambda _: gzip.compress(b"nonsense\n"), "line 1: is not JSON"),
        (lambda _: gzip.compress(b"[" * 100_000), "line 1: is not JSON"),
        (lambda _: gzip.compress(b"[]\n"), "line 1: should have kind, version"),
    ],
)
def test_files_that_are_no_exports(change: Callable[[bytes], bytes], problem: str, whole: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad"
    bad.write_bytes(change(whole.read_bytes()))
    with pytest.raises(ArchiveError, match=problem):
        archive.verify(bad)


# -- Into another store ---------------------------------------------------------------------------------------------


@pytest.fixture
def new_store(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], str]:
    """Makes the address of a new store of a kind of database."""
    numbers = itertools.count()

    def make(kind: str) -> str:
        name = f"archive{next(numbers)}"
        if kind == "sqlite":
            return str(tmp_path / f"{name}.db")
        running: Cluster = request.getfixturevalue("cluster")
        return running.database(f"{name}_{tmp_path.name.lower()}")

    return make


@pytest.mark.parametrize("kind", DATABASES)
def test_import_into_another_store(kind: str, new_store: Callable[[str], str], whole: Path, tmp_path: Path) -> None:
    address = new_store(kind)
    with closing(Store(address)) as store:
        ledger = Ledger(store)
        checked = archive.bring_in(ledger, whole)
        with pytest.raises(AlreadyThere, match="open"):
            archive.bring_in(ledger, whole)
        stored = ledger.find("open")
        assert stored is not None and stored.standing.games_finished == checked.games
        assert standings.rebuild(ledger, "open", stored.standing) == [], "what is derived came with it"
        match_id = archive.load(whole).blocks[0].games[0].match_id
        match = store.load_match(match_id)
        assert match.is_over and match.sequence == store.get_match(match_id).actions
    again = tmp_path / "again"
    again.write_bytes(export(address))
    before, after = lines_of(whole), lines_of(again)
    (note,) = [note for note in after[0]["notes"] if note not in before[0]["notes"]]
    assert note[2:] == ["imported", "from an export, after checking it"]
    after[0]["notes"].remove(note)
    assert after[:-1] == before[:-1]
    archive.verify(again)
    third = new_store(DATABASES[0])
    with closing(Store(third)) as store:
        archive.bring_in(Ledger(store), again)


def test_one_that_is_not_over_is_not_imported(whole: Path, tmp_path: Path) -> None:
    lines = lines_of(whole)
    lines[0]["state"], lines[0]["seed"] = "paused", ""
    with closing(Store(str(tmp_path / "s.db"))) as store, pytest.raises(ArchiveError):
        archive.bring_in(Ledger(store), write(lines, tmp_path / "running"))
