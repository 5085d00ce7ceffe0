"""Event files: every mistake is named at once with its place, and what is written reads back equal."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from google.rpc import error_details_pb2
from hypothesis import given, settings
from hypothesis import strategies as st

from hansa_fast import Rules
from hansa_fast.bots import KINDS
from hansa_server.clock import ClockRules
from hansa_server.errors import grpc_status
from hansa_server.match import OnForfeit
from hansa_server.tournament.event import Entrant, Event, Limits
from hansa_server.tournament.event_file import (
    CLOCK,
    LIMITS,
    TABLE,
    Problem,
    Problems,
    entrant,
    example,
    from_dict,
    load,
    to_dict,
    to_toml,
)
from hansa_server.tournament.event_page import document
from hansa_server.tournament.pairing import formats

BUILT_IN = ", ".join(f"builtin:{name}" for name in KINDS)
PAGE = Path(__file__).parents[2] / "docs" / "event-files.md"
SMALLEST = """\
name = "cup"
[format]
kind = "round-robin"
[[tables]]
players = 3
[[bots]]
name = "one"
[[bots]]
name = "two"
uses = "builtin:greedy"
[[bots]]
name = "three"
uses = "cmd:python3 'my bot.py'"
"""


def mistakes(text: str) -> list[str]:
    with pytest.raises(Problems) as caught:
        load(text)
    return [str(problem) for problem in caught.value.problems]


def test_defaults() -> None:
    bots = Entrant("one"), Entrant("two", "builtin:greedy"), Entrant("three", "cmd:python3 'my bot.py'")
    table = Rules(players=3, turn_limit=300)
    everything = {"rounds": 1, "blocks_each": 0, "both_ways": False}
    assert load(SMALLEST) == Event("cup", "round-robin", (table,), bots, everything)
    assert bots[2].command == "python3 'my bot.py'"


def test_everything_can_be_set() -> None:
    event = load(
        f"""
        name = "cup"
        seed = "{"AB" * 32}"
        anchor = "b"
        anonymous = true
        on_forfeit = "end"
        forgiven = 0
        rate_unbalanced = true
        format = {{ kind = "gauntlet", challengers = ["a"], rounds = 2, blocks_each = 5, both_ways = true }}
        bots = [{{ name = "a" }}, {{ name = "b", uses = "builtin:random" }}]
        tables = [{{ game = "hansa", players = 2, edition = "2004", board = "hansa-2004", turn_limit = 0 }}]
        clock = {{ per_decision = 0, bank = 60, increment = 0.5, grace = 1 }}
        limits = {{ concurrency = 3, absent = 5, restarts = 0, voids = 1, hours = 2.5, log_bytes = 0 }}
        """
    )
    assert event == Event(
        "cup",
        "gauntlet",
        (Rules(game="hansa", players=2),),
        (Entrant("a"), Entrant("b", "builtin:random")),
        {"challengers": ["a"], "rounds": 2, "blocks_each": 5, "both_ways": True},
        ClockRules(0.0, 60.0, 0.5, 1.0),
        OnForfeit.END,
        0,
        True,
        "b",
        "ab" * 32,
        True,
        Limits(3, 5.0, 0, 1, 2.5, 0),
    )


def test_tables_of_settings_name_all_fields() -> None:
    assert [setting.name for setting in CLOCK] == list(ClockRules.__dataclass_fields__)
    assert [setting.name for setting in LIMITS] == list(Limits.__dataclass_fields__)
    assert {setting.name for setting in TABLE} == set(Rules.__dataclass_fields__)


# What is changed in the smallest file: (what, into what, the only mistake).
MISTAKES = [
    ('name = "cup"\n', "", "name: is missing"),
    ('name = "cup"', 'name = "a cup"', "name: must be 1 to 64 letters, digits or any of '._-', not 'a cup'"),
    ('name = "cup"', 'name = "cup"\nsead = "1"', "sead: is no setting; did you mean seed?"),
    (
        'name = "cup"',
        'name = "cup"\nqqq = 1',
        "qqq: is no setting; there are name, seed, anchor, anonymous, on_forfeit, forgiven, rate_unbalanced, "
        "format, tables, bots, clock, limits",
    ),
    (
        'name = "cup"',
        'name = "cup"\nseed = "12"',
        "seed: must be 64 hexadecimal digits, not '12'; without a seed one is drawn",
    ),
    ('name = "cup"', 'name = "cup"\nseed = 12', "seed: must be a text, not 12"),
    (
        'name = "cup"',
        f'name = "cup"\nseed = "{"0" * 64}"',
        "seed: is easy to guess: all its digits are the same; without a seed one is drawn",
    ),
    ('name = "cup"', 'name = "cup"\nanchor = "ome"', "anchor: 'ome' is not in the line-up; did you mean one?"),
    ('name = "cup"', 'name = "cup"\nanchor = "xyz"', "anchor: 'xyz' is not in the line-up"),
    ('name = "cup"', 'name = "cup"\nanonymous = 1', "anonymous: must be true or false, not 1"),
    (
        'name = "cup"',
        'name = "cup"\non_forfeit = "rep"',
        "on_forfeit: must be one of end, replace, not 'rep'; did you mean replace?",
    ),
    ('name = "cup"', 'name = "cup"\nforgiven = -1', "forgiven: must be at least 0, not -1"),
    ('name = "cup"', 'name = "cup"\nforgiven = 1.0', "forgiven: must be a whole number, not 1.0"),
    ('name = "cup"', 'name = "cup"\nforgiven = 99999999999999999999', "forgiven: is too large"),
    (
        '[format]\nkind = "round-robin"\n',
        "",
        "format: is missing: [format] with a kind, one of gauntlet, knockout, ladder, round-robin, test, swiss",
    ),
    (
        'kind = "round-robin"',
        "",
        "format.kind: is missing: one of gauntlet, knockout, ladder, round-robin, test, swiss",
    ),
    (
        "round-robin",
        "round_robin",
        "format.kind: must be one of gauntlet, knockout, ladder, round-robin, test, swiss, not 'round_robin'; "
        "did you mean round-robin?",
    ),
    ('robin"', 'robin"\nrounds = 0', "format.rounds: must be at least 1, not 0"),
    ('robin"', 'robin"\nrounds = "2"', "format.rounds: must be a whole number, not '2'"),
    ('robin"', 'robin"\nround = 2', "format.round: is no setting; did you mean rounds?"),
    ("round-robin", "gauntlet", "format.challengers: is missing"),
    ('round-robin"', 'gauntlet"\nchallengers = [1]', "format.challengers: must be a list of texts, not [1]"),
    ('round-robin"', 'gauntlet"\nchallengers = ["x"]', "format.challengers[0]: 'x' is not in the line-up"),
    (
        'round-robin"',
        'knockout"\nadvance = 3',
        "format.advance: must be less than the seats of the smallest table, 3",
    ),
    ("players = 3", "players = 6", "tables[0].players: must be from 2 to 5, not 6"),
    ("players = 3", "players = 4", "bots: there are 3, but table 0 has 4 seats"),
    ("players = 3", "players = true", "tables[0].players: must be a whole number, not True"),
    (
        "players = 3",
        'players = 3\ngame = "hanse"',
        "tables[0].game: 'hanse' is none of teutonica, hansa; did you mean hansa?",
    ),
    (
        "players = 3",
        'players = 3\nboard = "eest"',
        "tables[0].board: 'eest' is none of britannia-3, britannia-4-5, east, standard-3, standard-4-5; "
        "did you mean east?",
    ),
    (
        "players = 3",
        'players = 3\nboard = "standard-4-5"',
        "tables[0].players: standard-4-5 (big-box) takes 4 or 5 players, not 3",
    ),
    (
        "players = 3",
        'players = 3\ngame = "hansa"\nmissions = true',
        "tables[0]: missions and favours belong to the big-box edition of teutonica",
    ),
    ("players = 3", "players = 3\nturn_limit = -1", "tables[0].turn_limit: must be 0 or more, not -1"),
    ("players = 3", "players = 3\nturns_limit = 5", "tables[0].turns_limit: is no setting; did you mean turn_limit?"),
    ("[[tables]]\nplayers = 3\n", "", "tables: is missing: write [[tables]] for each of them"),
    ("[[tables]]", "[tables]", "tables: must be a list: write [[tables]] for each of them"),
    ('name = "two"', 'name = "one"', "bots[1].name: 'one' is the name of bots[0] too"),
    ('name = "two"\n', "", "bots[1].name: is missing"),
    ('name = "two"', 'name = ""', "bots[1].name: must be 1 to 64 letters, digits or any of '._-', not ''"),
    ('name = "two"', 'name = "two"\ncopies = 2', "bots[1].copies: is no setting; there are name, uses"),
    (
        "builtin:greedy",
        "builtin:gredy",
        f"bots[1].uses: 'builtin:gredy' is none of the built-in bots {BUILT_IN}: there is no bot 'gredy' among "
        f"{', '.join(KINDS)}; did you mean greedy?",
    ),
    (
        "builtin:greedy",
        "greedy",
        f"bots[1].uses: must be connected, {BUILT_IN}, or cmd: and a command, not 'greedy'; "
        "did you mean builtin:greedy?",
    ),
    ("cmd:python3 'my bot.py'", "cmd: ", "bots[2].uses: there is no command after cmd:"),
    ("cmd:python3 'my bot.py'", "cmd:''", "bots[2].uses: there is no command after cmd:"),
    (
        "cmd:python3 'my bot.py'",
        "cmd:python3 'my",
        'bots[2].uses: the command has a quote or backslash without an end: "python3 \'my"',
    ),
    ("cmd:python3 'my bot.py'", "cmd:a\\nb", "bots[2].uses: the command must be one line"),
    ("[[tables]]", "[clock]\nper_decision = -1\n[[tables]]", "clock.per_decision: must be from 0 to 604800, not -1.0"),
    ("[[tables]]", "[clock]\nper_decision = nan\n[[tables]]", "clock.per_decision: must be a finite number, not nan"),
    ("[[tables]]", "[clock]\nper_decision = 0\n[[tables]]", "clock: needs a limit: per_decision, bank, or both"),
    ("[[tables]]", "[clock]\nincrement = 1\n[[tables]]", "clock.increment: needs a bank to be added to"),
    (
        "[[tables]]",
        "[clock]\nperdecision = 1\n[[tables]]",
        "clock.perdecision: is no setting; did you mean per_decision?",
    ),
    ("[format]", "clock = 5\n[format]", "clock: must be a table, not 5"),
    ("[[tables]]", "[limits]\nvoids = 0\n[[tables]]", "limits.voids: must be at least 1, not 0"),
    ("[[tables]]", "[limits]\nhours = inf\n[[tables]]", "limits.hours: must be a finite number, not inf"),
    ("[[tables]]", '[limits]\nhours = "1"\n[[tables]]', "limits.hours: must be a number, not '1'"),
]


@pytest.mark.parametrize(("what", "into", "expected"), MISTAKES, ids=[message for *_, message in MISTAKES])
def test_one_mistake_is_the_only_one_named(what: str, into: str, expected: str) -> None:
    assert what in SMALLEST
    assert mistakes(SMALLEST.replace(what, into, 1)) == [expected]


def test_all_mistakes_are_named_at_once() -> None:
    found = mistakes(
        """
        nme = "cup"
        seed = "xyz"
        anchor = "b"
        forgiven = "many"
        [format]
        kind = "swiss"
        rounds = 0
        both_way = true
        [[tables]]
        players = 9
        board = "atlantis"
        [[tables]]
        game = "chess"
        [[bots]]
        name = "a b"
        uses = "builtin:genius"
        [[bots]]
        name = "c"
        uses = "cmd:"
        [[bots]]
        name = "c"
        [clock]
        bank = -5
        increment = "much"
        [limits]
        concurrency = -1
        hour = 3
        """
    )
    assert [message.split(": ")[0] for message in found] == [
        "nme",
        "name",
        "forgiven",
        "seed",
        "format.both_way",
        "format.rounds",
        "tables[0].players",
        "tables[0].board",
        "tables[1].game",
        "bots[0].name",
        "bots[0].uses",
        "bots[1].uses",
        "bots[2].name",
        "clock.bank",
        "clock.increment",
        "limits.hour",
        "limits.concurrency",
        "anchor",
    ]


def test_nothing_at_all() -> None:
    assert [message.split(": ")[0] for message in mistakes("")] == ["name", "format", "tables", "bots"]
    assert mistakes('bots = 1\ntables = [2]\nformat = "x"\nname = "x"') == [
        "format: must be a table: [format] with a kind, one of gauntlet, knockout, ladder, round-robin, test, swiss",
        "tables[0]: must be a table, not 2",
        "bots: must be a list: write [[bots]] for each of them",
    ]


def test_what_is_no_file_or_no_toml(tmp_path: Path) -> None:
    assert mistakes("name = ")[0].startswith("file: is no TOML file: ")
    with pytest.raises(Problems, match=r"absent\.toml: cannot be read: No such file"):
        load(tmp_path / "absent.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff")
    with pytest.raises(Problems, match=r"bytes\.toml: is no TOML file"):
        load(str(tmp_path / "bytes.toml"))
    (tmp_path / "event.toml").write_text(SMALLEST, encoding="utf-8")
    assert load(tmp_path / "event.toml") == load(str(tmp_path / "event.toml")) == load(SMALLEST)


def test_mistakes_over_the_wire() -> None:
    """As fields of a request, and no more than trailers have room for."""
    error = Problems([Problem(f"bots[{number}].uses", "x" * 500) for number in range(500)])
    status = grpc_status(error)
    assert status.details.endswith("and 488 more")
    assert sum(len(value) for _, value in status.trailing_metadata) < 8192
    request = error_details_pb2.BadRequest()
    assert error.details()[1].Unpack(request)
    assert [violation.field for violation in request.field_violations][:2] == ["bots[0].uses", "bots[1].uses"]


def test_a_bot_that_enters_later_is_checked_alike() -> None:
    assert entrant({"name": "late", "uses": "builtin:random"}) == Entrant("late", "builtin:random")
    with pytest.raises(Problems) as caught:
        entrant({"name": "a b", "uses": "cmd:", "copies": 1})
    assert [problem.where for problem in caught.value.problems] == ["bot.copies", "bot.name", "bot.uses"]


NAMES = st.from_regex(r"[A-Za-z0-9._-]{1,12}", fullmatch=True)
SECONDS = st.floats(0.001, 1000, allow_nan=False)
LETTERS = st.characters(exclude_characters="\0\n\r'\"\\", exclude_categories=["Cs"])
WORDS = st.text(LETTERS).map("run{}".format)


@st.composite
def events(draw: st.DrawFn) -> Event:
    rules = [
        Rules(players=3),
        Rules(players=5, turn_limit=77),
        Rules(players=2, turn_limit=9),
        Rules(game="hansa", players=4),
        Rules(players=4, missions=True, favours=True),
        Rules(players=3, board="britannia-3", turn_limit=1),
    ]
    names = draw(st.lists(NAMES, min_size=6, max_size=9, unique=True))
    uses = st.one_of(st.sampled_from(["connected", "builtin:greedy", "builtin:random"]), WORDS.map("cmd:{}".format))
    kind = draw(st.sampled_from(sorted(formats())))
    chosen: dict[str, Any] = {}
    for setting in formats()[kind].SETTINGS:
        if setting.default is list:
            chosen[setting.name] = draw(st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True))
        elif isinstance(setting.default, bool):
            chosen[setting.name] = draw(st.booleans())
        elif isinstance(setting.default, str | float) or setting.name == "budget":
            chosen[setting.name] = setting.default  # what goes with them depends on the others
        else:
            chosen[setting.name] = 1 if setting.name == "advance" else draw(st.integers(1, 2**40))
    bank = draw(st.sampled_from([0.0, 300.0]))
    return Event(
        draw(NAMES),
        kind,
        tuple(draw(st.lists(st.sampled_from(rules), min_size=1, max_size=4))),
        tuple(Entrant(name, draw(uses)) for name in names),
        chosen,
        ClockRules(draw(SECONDS), bank, draw(SECONDS) if bank else 0.0, draw(SECONDS)),
        draw(st.sampled_from(OnForfeit)),
        draw(st.integers(0, 9)),
        draw(st.booleans()),
        draw(st.sampled_from(["", *names])),
        draw(st.sampled_from(["", "0123456789abcdef" * 4])),
        draw(st.booleans()),
        Limits(draw(st.integers(0, 99)), draw(SECONDS), draw(st.integers(0, 9)), 1, draw(SECONDS), 7),
    )


@settings(max_examples=40, derandomize=True, deadline=None, database=None)
@given(events())
def test_what_is_written_reads_back_equal(event: Event) -> None:
    assert load(to_toml(event)) == event
    values = to_dict(event)
    assert from_dict(json.loads(json.dumps(values))) == event
    assert json.dumps(to_dict(from_dict(values))) == json.dumps(values)


def test_texts_that_are_no_unicode_are_refused() -> None:
    values = {**to_dict(load(SMALLEST)), "anchor": "\ud800"}
    with pytest.raises(Problems, match="anchor: is no Unicode text"):
        from_dict(values)


@pytest.mark.parametrize("kind", sorted(formats()))
def test_examples_are_good_files_that_explain_every_setting(kind: str) -> None:
    text = example(kind)
    event = load(text)
    assert event.format == kind
    assert all(entry.uses.startswith("builtin:") for entry in event.bots), "it can be played as it is"
    assert "cmd:python3 my_bot.py" in text and "it connects by itself" in text
    for setting in formats()[kind].SETTINGS:
        assert f"# {setting.meaning}\n{setting.name} = " in text


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == document(), (
        "run python -m hansa_server.tournament.event_page docs/event-files.md"
    )


def test_examples_of_the_page_load() -> None:
    found = re.findall(r"^```toml\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert sorted(load(text).format for text in found) == sorted(formats())
