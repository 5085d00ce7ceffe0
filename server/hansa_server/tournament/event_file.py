"""Event files: a tournament as TOML, and as the plain values that the store, exports and the API use.

Both are read by the same checks, and all mistakes are told at once, each with its place.
"""

from __future__ import annotations

import difflib
import json
import math
import re
import shlex
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import any_pb2
from google.rpc import error_details_pb2

from hansa_fast import Rules, RulesError
from hansa_fast import bots as engine_bots
from hansa_fast.bots import BotNameError, parse_bot
from hansa_server.auth import check_name
from hansa_server.clock import LONGEST, ClockRules
from hansa_server.errors import ArenaError, BadField, clip
from hansa_server.match import BUILT_IN, OnForfeit
from hansa_server.tournament.event import COMMAND, CONNECTED, Entrant, Event, Limits
from hansa_server.tournament.pairing import Scheme, Setting, Setup, formats

TURNS = 100  # for each player, if a table sets no turn limit: bots without a plan come to an end too
ON_THE_WIRE = 12  # mistakes that fit into the trailers of a call
SEED = re.compile(r"[0-9a-f]{64}")
MOST_BOTS, MOST_TABLES = 1000, 64

KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text", list: "a list of texts"}


def _at_least(least: float) -> tuple[Callable[[Any], bool], str]:
    return (lambda value: value >= least), f"at least {least:g}"


def _seconds() -> tuple[Callable[[Any], bool], str]:
    return (lambda value: 0 <= value <= LONGEST), f"from 0 to {LONGEST:.0f}"


def _one_of(names: Iterable[str]) -> tuple[Callable[[Any], bool], str]:
    allowed = tuple(names)
    return (lambda value: value in allowed), f"one of {', '.join(allowed)}"


TOP = (
    Setting("name", str, "of the tournament: 1 to 64 letters, digits or any of `._-`"),
    Setting("seed", "", "64 hexadecimal digits from which all deals and lots come; empty: drawn and kept secret"),
    Setting("anchor", "", "the bot whose rating is the level of all others; empty: the mean of all"),
    Setting("anonymous", False, "bots do not learn the names of their opponents"),
    Setting(
        "on_forfeit",
        Event.on_forfeit.value,
        "`replace`: a built-in bot plays on for a seat that is given up; `end`: a game is over when one seat is left",
        *_one_of(choice.value for choice in OnForfeit),
    ),
    Setting(
        "forgiven", Event.forgiven, "illegal or senseless answers of a bot that are forgiven in a game", *_at_least(0)
    ),
    Setting("rate_unbalanced", False, "publish ratings even if bots did not sit equally often in all seats"),
)
KIND = Setting("kind", str, "the format of the tournament", *_one_of(formats()))
TABLE = (
    Setting("game", "teutonica", "`teutonica` or `hansa`"),
    Setting("players", 4, "seats", lambda seats: 2 <= seats <= 5, "from 2 to 5"),
    Setting("edition", "", "empty: the usual one of the game"),
    Setting("board", "", "empty: the usual one for so many players"),
    Setting("missions", False, "with the missions"),
    Setting("favours", False, "with the emperor's favour"),
    Setting("turn_limit", 0, "turns after which a game ends; 0 for none", lambda n: 0 <= n < 2**31, "0 or more"),
)
BOT = (
    Setting("name", str, "by which the bot is rated: 1 to 64 letters, digits or any of `._-`"),
    Setting(
        "uses",
        CONNECTED,
        f"who plays for it: `{CONNECTED}`, a bot that connects under this name; "
        f"`{BUILT_IN}` and one of the bots that come along ({', '.join(f'`{name}`' for name in engine_bots.KINDS)}), "
        f"perhaps with settings, such as `{BUILT_IN}search:time=0.5`; "
        f"`{COMMAND}` and a command line that the server runs",
    ),
)
CLOCK = (
    Setting("per_decision", ClockRules.per_decision, "seconds for a decision; 0 for no limit", *_seconds()),
    Setting("bank", ClockRules.bank, "seconds for a whole game; 0 for no limit", *_seconds()),
    Setting("increment", ClockRules.increment, "seconds added to the bank after each answer", *_seconds()),
    Setting("grace", ClockRules.grace, "seconds of network delay that are not charged", *_seconds()),
)
LIMITS = (
    Setting("concurrency", Limits.concurrency, "games at once; 0: what fits the machine", *_at_least(0)),
    Setting(
        "absent", Limits.absent, "seconds a block waits for a bot that is away before its clock runs", *_at_least(0)
    ),
    Setting("restarts", Limits.restarts, "times a local bot is started again in one game", *_at_least(0)),
    Setting("voids", Limits.voids, "blocks spoilt by the host after which the tournament pauses itself", *_at_least(1)),
    Setting("hours", Limits.hours, "of play after which no further block begins; 0 for no limit", *_at_least(0)),
    Setting(
        "log_bytes", Limits.log_bytes, "of the error output of a local bot that are kept for each game", *_at_least(0)
    ),
)
SECTIONS = ("format", "tables", "bots", "clock", "limits")


@dataclass(frozen=True)
class Problem:
    """One mistake: the place, such as `bots[2].uses`, and what is wrong there."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


class Problems(ArenaError):
    """An event file with mistakes: `problems` has every one of them."""

    code = grpc.StatusCode.INVALID_ARGUMENT
    reason = "BAD_FIELD"

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        told = [clip(str(problem)) for problem in problems[:ON_THE_WIRE]]
        more = len(problems) - len(told)
        super().__init__("\n".join([*told, *([f"and {more} more"] if more else [])]))

    def details(self) -> list[any_pb2.Any]:
        """As for `BadField`, with a violation for each mistake, as far as trailers have room."""
        violations = [
            error_details_pb2.BadRequest.FieldViolation(field=clip(problem.where), description=clip(problem.what))
            for problem in self.problems[:ON_THE_WIRE]
        ]
        packed = any_pb2.Any()
        packed.Pack(error_details_pb2.BadRequest(field_violations=violations))
        return [*super().details(), packed]


def load(source: Path | str) -> Event:
    """Read an event file: its path (a `Path`, or a text that ends in `.toml`) or what is in it; or `Problems`."""
    path = Path(source) if isinstance(source, Path) or re.fullmatch(r"[^\n=]*\.toml", source) else None
    try:
        text = str(source) if path is None else path.read_text(encoding="utf-8")
        values = tomllib.loads(text)
    except OSError as error:
        raise Problems([Problem(str(path), f"cannot be read: {error.strerror}")]) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Problems([Problem("file" if path is None else str(path), f"is no TOML file: {error}")]) from None
    return from_dict(values)


def from_dict(values: Mapping[str, Any], *, anywhere: bool = False) -> Event:
    """The event of these plain values, as `to_dict` gives them or an event file has them; or `Problems`.

    One from `anywhere`, a store or an export, may name built-in bots that are not here."""
    check = _Check(anywhere)
    event = check.event(values)
    if check.problems or event is None:
        raise Problems(check.problems)
    return event


def entrant(values: Mapping[str, Any], where: str = "bot") -> Entrant:
    """A bot that enters later, given as in the line-up of an event; or `Problems`."""
    check = _Check()
    found = check.bots([values], lambda _: where)
    if check.problems:
        raise Problems(check.problems)
    return found[0]


def to_dict(event: Event) -> dict[str, Any]:
    """An event as plain values, all of them, in a fixed order."""
    return {
        "name": event.name,
        "seed": event.seed,
        "anchor": event.anchor,
        "anonymous": event.anonymous,
        "on_forfeit": event.on_forfeit.value,
        "forgiven": event.forgiven,
        "rate_unbalanced": event.rate_unbalanced,
        "format": {
            "kind": event.format,
            **{setting.name: event.settings[setting.name] for setting in formats()[event.format].SETTINGS},
        },
        "tables": [
            {setting.name: getattr(rules, setting.name) or setting.default for setting in TABLE}
            for rules in event.tables
        ],
        "bots": [{"name": bot.name, "uses": bot.uses} for bot in event.bots],
        "clock": {setting.name: getattr(event.clock, setting.name) for setting in CLOCK},
        "limits": {part.name: getattr(event.limits, part.name) for part in fields(event.limits)},
    }


def to_toml(event: Event) -> str:
    """An event as an event file with every setting; `load` reads an equal event back."""
    return _written(to_dict(event), {})


def example(kind: str) -> str:
    """An event file of a format, with comments: one that can be played as it is."""
    bots = [{"name": name, "uses": f"{BUILT_IN}{name}"} for name in ("planner", "greedy", "wavering", "random")]
    settings = formats()[kind].SETTINGS
    values = {
        "name": f"{kind}-evening",
        "anchor": "random",
        "format": {
            "kind": kind,
            **{
                setting.name: setting.default if not isinstance(setting.default, type) else [bots[0]["name"]]
                for setting in settings
            },
        },
        "tables": [{"game": "teutonica", "players": 3}, {"game": "hansa", "players": 2, "turn_limit": 120}],
        "bots": bots,
        "clock": {"per_decision": 5.0, "bank": 300.0},
        "limits": {"hours": 10.0},
    }
    comments = {
        ("", "name"): "A tournament of the arena: `hansa tournament run` plays it.",
        ("", "anchor"): _setting(TOP, "anchor").meaning,
        ("format", "kind"): formats()[kind].MEANING,
        **{("format", setting.name): setting.meaning for setting in settings},
        ("tables", ""): "Every table is a pool with ratings of its own.",
        (
            "bots",
            "",
        ): 'Put yours here: `uses = "cmd:python3 my_bot.py"` runs one; without `uses` it connects by itself.',
        ("clock", ""): "In seconds; a decision may take as long as both limits allow.",
        ("limits", "hours"): _setting(LIMITS, "hours").meaning,
    }
    return _written(values, comments)


class _Check:
    """Goes through the values of an event and notes every mistake."""

    def __init__(self, anywhere: bool = False) -> None:
        self.problems: list[Problem] = []
        self._anywhere = anywhere

    def wrong(self, where: str, what: str) -> None:
        self.problems.append(Problem(where, what))

    def event(self, values: Mapping[str, Any]) -> Event | None:
        top = self._section("", values, TOP, beside=SECTIONS)
        name = self._name("name", top.get("name"))
        seed = self._seed(top.get("seed"))
        kind, settings = self._format(values.get("format"))
        tables = [
            self._rules(f"tables[{n}]", table) for n, table in enumerate(self._list("tables", values, MOST_TABLES))
        ]
        listed = self._list("bots", values, MOST_BOTS)
        bots = self.bots(listed, lambda number: f"bots[{number}]")
        clock = self._clock(values.get("clock", {}))
        limits = self._section("limits", values.get("limits", {}), LIMITS)
        names = [bot.name for bot in bots]
        anchor = top.get("anchor")
        if anchor and anchor not in names:
            self.wrong("anchor", f"{_shown(anchor)} is not in the line-up{_hint(anchor, names)}")
        rules = [table for table in tables if table is not None]
        whole = len(rules) == len(tables) > 0 and len(bots) == len(listed) > 0
        if kind is not None and settings is not None and whole:
            setup = Setup(tuple(table.players for table in rules), settings, lambda _: 0)
            for where, what in kind.problems(setup, names):
                self.wrong(where, what)
        if self.problems or kind is None or settings is None or clock is None or name is None or seed is None:
            return None
        return Event(
            name,
            kind.NAME,
            tuple(rules),
            tuple(bots),
            settings,
            clock,
            OnForfeit(top["on_forfeit"]),
            top["forgiven"],
            top["anonymous"],
            top["anchor"],
            seed,
            top["rate_unbalanced"],
            Limits(**limits),
        )

    def _list(self, where: str, values: Mapping[str, Any], most: int) -> list[Any]:
        found = values.get(where)
        if found is None or found == []:
            self.wrong(where, f"is missing: write [[{where}]] for each of them")
            return []
        if not isinstance(found, list):
            self.wrong(where, f"must be a list: write [[{where}]] for each of them")
            return []
        if len(found) > most:
            self.wrong(where, f"there are {len(found)}, and {most} is the most there can be")
            return []
        return found

    def _section(
        self, where: str, values: Any, settings: Sequence[Setting], *, beside: Sequence[str] = ()
    ) -> dict[str, Any]:
        """The values of a table of the file, with defaults for those that are left out. Wrong ones are left out."""
        if not isinstance(values, Mapping):
            self.wrong(where or "file", f"must be a table, not {_shown(values)}")
            return {}
        known = {setting.name: setting for setting in settings}
        for name in values:
            if name not in known and name not in beside:
                self.wrong(_place(where, name), f"is no setting{_hint(name, [*known, *beside], all_of_them=True)}")
        found = {}
        for name, setting in known.items():
            if name not in values:
                if isinstance(setting.default, type):
                    self.wrong(_place(where, name), "is missing")
                else:
                    found[name] = setting.default
            elif (value := self._value(_place(where, name), values[name], setting)) is not None:
                found[name] = value
        return found

    def _value(self, where: str, value: Any, setting: Setting) -> Any:
        """A value as the type of its setting; None if it is wrong."""
        kind = setting.default if isinstance(setting.default, type) else type(setting.default)
        if kind is float and type(value) is int and abs(value) < 2**53:
            value = float(value)
        if not _is_a(value, kind):
            self.wrong(where, f"must be {KINDS[kind]}, not {_shown(value)}")
            return None
        if kind is float and not math.isfinite(value):
            self.wrong(where, f"must be a finite number, not {value}")
            return None
        if kind is int and abs(value) >= 2**53:
            self.wrong(where, "is too large")
            return None
        if kind is str and not _is_unicode(value):
            self.wrong(where, "is no Unicode text")
            return None
        if setting.allowed is not None and not setting.allowed(value):
            names = setting.wanted.removeprefix("one of ").split(", ") if kind is str else []
            self.wrong(where, f"must be {setting.wanted}, not {_shown(value)}{_hint(value, names)}")
            return None
        return list(value) if kind is list else value

    def _name(self, where: str, name: str | None) -> str | None:
        try:
            return None if name is None else check_name(name, where)
        except BadField as error:
            self.wrong(where, error.problem)
            return None

    def _seed(self, seed: str | None) -> str | None:
        if seed is None or seed == "":
            return seed
        if not SEED.fullmatch(seed.lower()):
            self.wrong("seed", f"must be 64 hexadecimal digits, not {_shown(seed)}; without a seed one is drawn")
            return None
        if len(set(seed)) == 1:
            self.wrong("seed", "is easy to guess: all its digits are the same; without a seed one is drawn")
            return None
        return seed.lower()

    def _format(self, values: Any) -> tuple[type[Scheme] | None, dict[str, Any] | None]:
        if values is None:
            self.wrong("format", f"is missing: [format] with a kind, {KIND.wanted}")
            return None, None
        if not isinstance(values, Mapping):
            self.wrong("format", f"must be a table: [format] with a kind, {KIND.wanted}")
            return None, None
        if "kind" not in values:
            self.wrong("format.kind", f"is missing: {KIND.wanted}")
            return None, None
        kind = self._value("format.kind", values["kind"], KIND)
        if kind is None:
            return None, None
        before = len(self.problems)
        scheme = formats()[kind]
        found = self._section("format", {k: v for k, v in values.items() if k != "kind"}, scheme.SETTINGS)
        return scheme, found if len(self.problems) == before else None

    def _rules(self, where: str, values: Any) -> Rules | None:
        before = len(self.problems)
        found = self._section(where, values, TABLE)
        broken = len(self.problems) > before
        if broken:  # names can be looked up all the same
            found = {name: found[name] for name in ("game", "edition", "board") if name in found}
        else:
            limit = found["turn_limit"] if "turn_limit" in values else TURNS * found["players"]
            found["turn_limit"] = limit or None
        try:
            rules = Rules(**found)
        except RulesError as error:
            # The rules name several mistakes in one text, most of them with the field in front.
            names = [setting.name for setting in TABLE]
            for problem in re.split(rf"; (?=(?:{'|'.join(names)}): |missions and )", str(error)):
                name, colon, what = problem.partition(": ")
                if not broken or "is none of" in what:
                    self.wrong(f"{where}.{name}" if colon and name in names else where, what if colon else problem)
            return None
        return None if broken else rules

    def bots(self, values: list[Any], place: Callable[[int], str]) -> list[Entrant]:
        """The line-up. One with a wrong name is left out; one that uses something wrong still counts."""
        found: list[Entrant] = []
        names: dict[str, str] = {}
        for number, value in enumerate(values):
            where = place(number)
            bot = self._section(where, value, BOT)
            name = self._name(f"{where}.name", bot.get("name"))
            if "uses" in bot:
                self._uses(f"{where}.uses", bot["uses"])
            if name is None:
                continue
            if name in names:
                self.wrong(f"{where}.name", f"{_shown(name)} is the name of {names[name]} too")
                continue
            names[name] = where
            found.append(Entrant(name, bot.get("uses", CONNECTED)))
        return found

    def _uses(self, where: str, uses: str) -> None:
        if uses == CONNECTED:
            return
        choices = [CONNECTED, *(BUILT_IN + name for name in engine_bots.KINDS)]
        if uses.startswith(COMMAND):
            command = uses.removeprefix(COMMAND)
            try:
                words = shlex.split(command)
            except ValueError:
                self.wrong(where, f"the command has a quote or backslash without an end: {_shown(command)}")
                return
            if not words or not words[0]:
                self.wrong(where, f"there is no command after {COMMAND}")
            elif any(mark in command for mark in "\0\n\r"):
                self.wrong(where, "the command must be one line")
        elif uses.startswith(BUILT_IN):
            if self._anywhere:
                return
            try:
                parse_bot(uses.removeprefix(BUILT_IN))
            except BotNameError as error:
                known = ", ".join(choices[1:])
                self.wrong(where, f"{_shown(uses)} is none of the built-in bots {known}: {error}")
        else:
            near = BUILT_IN + uses if uses in engine_bots.KINDS else uses
            self.wrong(
                where,
                f"must be {', '.join(choices)}, or {COMMAND} and a command, not {_shown(uses)}{_hint(near, choices)}",
            )

    def _clock(self, values: Any) -> ClockRules | None:
        before = len(self.problems)
        found = self._section("clock", values, CLOCK)
        if len(self.problems) > before:
            return None
        try:
            return ClockRules(**found)
        except BadField as error:
            self.wrong(error.name, error.problem)
            return None


def _written(values: Mapping[str, Any], comments: Mapping[tuple[str, str], str]) -> str:
    """Plain values as TOML. A comment for ("section", "") stands above the section, else above its line."""
    lines: list[str] = []

    def write(section: str, items: Mapping[str, Any], comments: Mapping[tuple[str, str], str]) -> None:
        for name, value in items.items():
            if (section, name) in comments:
                lines.append(f"# {comments[section, name]}")
            # JSON writes texts, numbers, lists and truth values as TOML does, but for one character.
            lines.append(f"{name} = {json.dumps(value, ensure_ascii=False)}".replace("\x7f", "\\u007f"))

    write("", {name: value for name, value in values.items() if name not in SECTIONS}, comments)
    for section in SECTIONS:
        found = values[section]
        for number, items in enumerate(found if isinstance(found, list) else [found]):
            first = number == 0
            lines.append("")
            if (section, "") in comments and first:
                lines.append(f"# {comments[section, '']}")
            lines.append(f"[[{section}]]" if isinstance(found, list) else f"[{section}]")
            write(section, items, comments if first else {})
    return "\n".join(lines) + "\n"


def _setting(settings: Sequence[Setting], name: str) -> Setting:
    return next(setting for setting in settings if setting.name == name)


def _place(where: str, name: str) -> str:
    return f"{where}.{clip(str(name))}" if where else clip(str(name))


def _hint(value: Any, names: Sequence[str], *, all_of_them: bool = False) -> str:
    near = difflib.get_close_matches(value[:80], names, 1, 0.6) if isinstance(value, str) else []
    if near:
        return f"; did you mean {near[0]}?"
    return f"; there are {', '.join(names)}" if all_of_them else ""


def _is_a(value: Any, kind: type) -> bool:
    return all(type(item) is str for item in value) if kind is type(value) is list else type(value) is kind


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:79] + "…"


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
