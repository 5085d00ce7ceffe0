"""Broken input for everything that reads input: dicts, bytes, texts, options, set-ups and records.

Whatever is given is either accepted, and then it round-trips and can be played on without ever leaving what the checks
accept, or it is refused with the package's own error, whose message can be printed. Nothing else may happen.

    python -m tests.fuzz --minutes 10 [--seed N] [--target dict]

A trial is known by its target and number; a failing one is repeated by `--target dict --trial 123456`.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import re
import time
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

import hansa_fast as hf
from hansa_fast import _boards
from tests.playing import DESK, RULES, WHOLE, Json, count_pieces, sample, walk_step
from tests.rows import row_name

FAR = 40  # decisions played on from an accepted position
LONGEST_MESSAGE = 60_000

Board = _boards.Board


# -- What may happen --------------------------------------------------------------------------------------------------


def check_refusal(error: hf.HansaError) -> None:
    """The message says something, in so many words, and can be printed."""
    text = str(error)
    assert text.strip()
    assert len(text) < LONGEST_MESSAGE, len(text)
    text.encode("utf-8")
    if isinstance(error, hf.PositionError):
        assert error.problems
        assert all(problem.strip() for problem in error.problems)


def check_saved(state: hf.State, how: str) -> None:
    """The position can be written down and read back; pieces are conserved."""
    d = state.to_dict()
    try:
        assert hf.State.from_dict(state.rules, d) == state
        assert hf.State.from_bytes(state.rules, state.to_bytes()) == state
        assert hf.State.from_dict(state.rules, json.loads(json.dumps(d, allow_nan=False))) == state
    except (hf.PositionError, AssertionError) as error:
        raise AssertionError(f"{how}: {error!r}: {json.dumps(d)}") from error
    for seat in range(state.rules.players):
        assert count_pieces(d, seat) == WHOLE, (how, d)


def check_playable(state: hf.State, rng: random.Random) -> None:
    """An accepted position: everything that is legal can be played, and so on to the end of the game."""
    check_saved(state, "accepted")
    legal = state.legal_actions()
    assert bool(legal) != state.is_over, state.to_dict()
    assert len({state.describe(action) for action in legal}) == len(legal), state.to_dict()
    state.scores()
    seat = rng.randrange(state.rules.players)
    view = state.view(seat)
    assert view.legal_actions() == legal
    check_saved(view, "view")
    full = state.redeal(seat, rng.getrandbits(64))
    check_saved(full, "redeal")
    for action in rng.sample(legal, min(len(legal), 25)):
        then = full.copy()
        then.apply(action)
        check_saved(then, f"after {state.describe(action)}")
    for _ in range(FAR):
        if full.is_over:
            break
        action = walk_step(full, rng)
        text = full.describe(action)
        full.apply(action)
        check_saved(full, f"on the way, after {text}")
    for policy in ("uniform", "greedy"):
        end, _ = hf.playout(full, rng.getrandbits(64), policy=policy, turn_limit=min(full.turn + 60, 2**31 - 1))
        assert end.is_over
        check_saved(end, f"end of a {policy} playout")
        end.result()


def read_position(rules: hf.Rules, d: Any, rng: random.Random) -> bool:
    """One position: accepted and playable, or refused."""
    try:
        state = hf.State.from_dict(rules, d)
    except hf.PositionError as error:
        check_refusal(error)
        return False
    assert state.to_dict() == d
    check_playable(state, rng)
    return True


# -- Garbage ----------------------------------------------------------------------------------------------------------

GARBAGE: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 5, 17, 26, 99, 100, 255, 256, 1023, 1024, 2**31 - 1, 2**31, 2**32, 2**63, 2**64,
    -(2**63), 10**5000, 0.0, 1.0, 2.5, float("nan"), float("inf"), "", " ", "hidden", "trader 0", "merchant 4",
    "trader 9", "main", "over", "\ud800", "\x00", "a\nb", "\u202e", "Lübeck", "Lu\u0308beck",
    "x" * 5000, "0", "٣", [], {}, [[]],
    [None], {"": None}, {"\ud800": 1}, {"a": {"b": []}}, b"bytes", {1: 2}, (1, 2), {1, 2}, object(),
)  # fmt: skip


def garbage(rng: random.Random) -> Any:
    """Something of the wrong kind, sometimes deep or large."""
    kind = rng.random()
    if kind < 0.02:
        deep: Any = []
        for _ in range(3000):
            deep = [deep] if rng.random() < 0.5 else {"a": deep}
        return deep
    if kind < 0.04:
        return {f"key {k}": k for k in range(3000)}
    if kind < 0.06:
        return list(range(3000))
    return rng.choice(GARBAGE)


def places(value: Any, limit: int = 4000) -> list[tuple[Any, Any]]:
    """All (container, key) pairs inside a JSON value."""
    out: list[tuple[Any, Any]] = []
    todo = [value]
    while todo and len(out) < limit:
        one = todo.pop()
        keys = list(one) if isinstance(one, dict) else range(len(one)) if isinstance(one, list) else ()
        for key in keys:
            out.append((one, key))
            todo.append(one[key])
    return out


def spoil(value: Any, rng: random.Random) -> Any:
    """A JSON value with one thing broken."""
    spots = places(value)
    if not spots or rng.random() < 0.02:
        return garbage(rng)
    box, key = rng.choice(spots)
    kind = rng.randrange(7)
    if kind == 0:
        del box[key]
    elif kind == 1:
        box[key] = garbage(rng)
    elif kind == 2 and isinstance(box[key], int):
        box[key] = int(box[key]) + rng.choice((-1, 1, 2, -2, 10))
    elif kind == 3:
        other, where = rng.choice(spots)
        box[key], other[where] = other[where], box[key]  # may well contain itself now
    elif kind == 4 and isinstance(box, dict):
        box[rng.choice(["", "hidden", "turn", "\ud800", "x", str(key) + " ", str(key).upper()])] = box[key]
    elif kind == 5 and isinstance(box, list):
        box.insert(key, rng.choice(box))
    elif isinstance(box[key], str):
        box[key] = spoil_text(box[key], rng)
    else:
        box[key] = garbage(rng)
    return value


def spoil_text(text: str, rng: random.Random) -> str:
    """A text with a few letters changed."""
    letters = list(text)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(letters) + 1)
        kind = rng.randrange(5)
        if kind == 0 and letters:
            del letters[at % len(letters)]
        elif kind == 1:
            letters.insert(at, rng.choice(' 0123456789-abcxyzüÖß@;#[]"\\\n\t\x00\ud800\u202e\u0308İ'))
        elif kind == 2 and letters:
            letters[at % len(letters)] = rng.choice("0123456789 -aeiou")
        elif kind == 3:
            letters[at:at] = letters[: rng.randint(0, 8)]
        else:
            letters = letters[:at]
    return "".join(letters)


# -- Positions that are nearly right ----------------------------------------------------------------------------------


def take_piece(d: Json, rng: random.Random) -> tuple[str, str] | None:
    """Take a piece off the board or a desk; returns (shape, seat)."""
    seat = rng.randrange(len(d["players"]))
    where = rng.choice(("supply", "stock", "posts", "posts", "offices", "extra", "green", "prestige"))
    if where in ("supply", "stock"):
        shape = rng.choice(("trader", "merchant"))
        if d["players"][seat][where][shape + "s"]:
            d["players"][seat][where][shape + "s"] -= 1
            return shape, str(seat)
        return None
    if not d[where]:
        return None
    name = rng.choice(sorted(d[where]))
    if where == "posts":
        shape, owner = d["posts"].pop(name).split()
        return shape, owner
    if where == "prestige":
        return "merchant", str(d["prestige"].pop(name))
    row = d[where][name]
    filled = [k for k, piece in enumerate(row) if piece]
    shape, owner = row[filled[-1]].split()
    row[filled[-1]] = None
    if where != "offices":
        row.pop()
    if not any(row):
        del d[where][name]
    return shape, owner


def put_piece(d: Json, board: Board, piece: tuple[str, str], rng: random.Random) -> None:
    """Put a piece somewhere."""
    shape, seat = piece
    text = f"{shape} {seat}"
    where = rng.choice(("supply", "stock", "posts", "posts", "offices", "offices", "extra", "green", "prestige"))
    if where == "posts":
        free = [post for post in board.posts if post not in d["posts"]]
        if free:
            d["posts"][rng.choice(free)] = text
            return
    elif where == "offices":
        city = rng.choice(board.data["cities"])
        row = d["offices"].get(city["name"], [None] * len(city["offices"]))
        if None in row:
            row[row.index(None)] = text
            d["offices"][city["name"]] = row
            return
    elif where == "extra" and sum(map(len, d["extra"].values())) < 5:
        name = rng.choice(sorted(d["offices"]) or list(board.cities))
        d["extra"].setdefault(name, []).append(text)
        return
    elif where == "green" and board.green_cities:
        d["green"].setdefault(board.cities[rng.choice(board.green_cities)], []).append(text)
        return
    elif where == "prestige" and shape == "merchant":
        free = [s for s in ("7", "8", "9", "11") if s not in d["prestige"]]
        if free:
            d["prestige"][rng.choice(free)] = int(seat)
            return
    d["players"][int(seat)]["stock" if where == "stock" else "supply"][shape + "s"] += 1


def move_piece(d: Json, board: Board, rng: random.Random) -> None:
    for _ in range(rng.choice((1, 1, 3, 12))):
        piece = take_piece(d, rng)
        if piece:
            put_piece(d, board, piece, rng)


def fill_board(d: Json, board: Board, rng: random.Random) -> None:
    """Nearly all posts taken, from supplies and stocks, so that little is free."""
    free = [post for post in board.posts if post not in d["posts"]]
    rng.shuffle(free)
    for post in free[rng.randint(0, 4) :]:
        seat = rng.randrange(len(d["players"]))
        player = d["players"][seat]
        for where in ("stock", "supply"):
            for shape in ("trader", "merchant"):
                if player[where][shape + "s"] and post not in d["posts"]:
                    player[where][shape + "s"] -= 1
                    d["posts"][post] = f"{shape} {seat}"


def move_ability(d: Json, _board: Board, rng: random.Random) -> None:
    player = rng.choice(d["players"])
    ability = rng.choice(sorted(DESK))
    shape = "merchants" if ability == "book" else "traders"
    old, new = player["abilities"][ability], rng.randint(0, DESK[ability])
    player["abilities"][ability] = new
    for _ in range(abs(new - old)):
        place = rng.choice(("supply", "stock"))
        player[place][shape] += 1 if new > old else -1


def move_marker(d: Json, board: Board, rng: random.Random) -> None:
    """A marker from one place to another; what is on routes and plates stays three half of the time."""
    boxes: list[tuple[str, int | None]] = [("pile", None), ("markers", None), ("plate", None)]
    boxes += [(key, seat) for key in ("markers", "used", "plate") for seat in range(len(d["players"]))]

    def box(place: tuple[str, int | None]) -> Any:
        return d[place[0]] if place[1] is None else d["players"][place[1]][place[0]]

    def add(place: tuple[str, int | None], kind: str) -> None:
        there = box(place)
        if isinstance(there, list):
            there.insert(rng.randint(0, len(there)), kind)
        elif place == ("markers", None):
            there[rng.choice(board.routes)] = kind
        else:
            there[kind] = there.get(kind, 0) + 1

    def take(place: tuple[str, int | None]) -> str:
        there = box(place)
        if isinstance(there, list):
            return str(there.pop(rng.randrange(len(there))))
        key = rng.choice(sorted(there))
        if place == ("markers", None):
            return str(there.pop(key))
        there[key] -= 1
        if not there[key]:
            del there[key]
        return str(key)

    full = [place for place in boxes if box(place)]
    source, target = rng.choice(full), rng.choice(boxes)
    waiting = {("markers", None), ("plate", None), *(("plate", seat) for seat in range(len(d["players"])))}
    if (source in waiting) != (target in waiting) and rng.random() < 0.8:
        target = rng.choice([place for place in boxes if (place in waiting) == (source in waiting)])
    add(target, take(source))


def turn_pending(d: Json, board: Board, rng: random.Random) -> None:
    """Another value in what the phase has to know."""
    if not isinstance(d["pending"], dict) or not d["pending"]:
        return
    key = rng.choice(sorted(d["pending"]))
    old = d["pending"][key]
    if key in ("post", "down", "from"):
        d["pending"][key] = rng.choice([*board.posts, *d["posts"]] + [None] * (key == "down") * 10)
    elif key == "route":
        d["pending"][key] = rng.choice(board.routes)
    elif key in ("shape", "hand"):
        seat = f" {rng.randrange(len(d['players']))}" if " " in str(old) else ""
        d["pending"][key] = rng.choice(("trader", "merchant")) + seat
    elif isinstance(old, bool):
        d["pending"][key] = not old
    elif isinstance(old, int):
        d["pending"][key] = rng.randint(0, 5)
    elif key == "tile":
        d["pending"][key] = rng.choice(_boards.favour_tiles())
    elif d["phase"] == "marker-route":
        d["pending"][key] = rng.choice(sorted({*d["pile"], *d["markers"].values()} or {"swap_posts"}))
    else:
        d["pending"][key] = rng.choice(("move", "move_3", "move_any_2"))


def turn_flags(d: Json, _board: Board, rng: random.Random) -> None:
    key = rng.choice(("fresh", "acted", "actions_over", "pawn_moved"))
    d[key] = not d[key]


def turn_counts(d: Json, _board: Board, rng: random.Random) -> None:
    seats = len(d["players"])
    key = rng.choice(("turn", "turn_limit", "actions", "points", "current", "player", "completed", "end", "east_west"))
    if key == "turn":
        d["turn"] = rng.choice(
            (0, 1, seats, d["turn"] + seats, 2**31 - 1 - rng.randint(0, 6), 10**6 * seats + d["current"])
        )
    elif key == "turn_limit":
        d["turn_limit"] = rng.choice((None, 1, d["turn"], d["turn"] + 1, d["turn"] + 2, 2**31 - 1))
    elif key == "actions":
        d["actions"] = rng.choice((0, 1, 2, 3, 4, 5, 6, 9, 13, 20))
    elif key == "points":
        rng.choice(d["players"])["points"] = rng.choice((0, 1, 2, 7, 18, 19, 20, 21, 22, 23, 24, 28, 29, 30, 31, 99))
    elif key in ("current", "player"):
        d[key] = rng.randrange(seats)
    elif key == "completed":
        d["completed"] += rng.choice((-1, 1))
    elif key == "end":
        reasons = ("20 points", "completed cities", "no marker", "turn limit")
        d["end"] = [reason for reason in reasons if rng.random() < 0.3]
    else:
        rng.shuffle(d["east_west"])


def turn_modules(d: Json, board: Board, rng: random.Random) -> None:
    """Tiles, cards, permissions, the pawn."""
    kind = rng.randrange(4)
    if kind == 0:
        owners = [d, *d["players"]]
        source, target = rng.choice(owners), rng.choice(owners)
        if source["favours"]:
            target["favours"].append(source["favours"].pop())
            target["favours"].sort(key=_boards.favour_tiles().index)
    elif kind == 1:
        rng.choice(d["players"])["mission"] = rng.choice([None, "hidden", *map(list, _boards.mission_cards())])
    elif kind == 2:
        cities = [permission["city"] for permission in board.data.get("permissions", [])]
        d["permissions_used"] = [city for city in cities if rng.random() < 0.5]
    elif board.data.get("two_player") and d["pawn"]:
        d["pawn"] = rng.choice(board.data["two_player"]["provinces"])["id"]


def other_phase(d: Json, rng: random.Random, donor: Json) -> None:
    """The phase of another position with what it needs to know."""
    keys = ("phase", "pending", "player", "acted", "fresh")
    for key in keys[: rng.choice((2, 3, 5))]:
        d[key] = copy.deepcopy(donor[key])


def hide_some(d: Json, _board: Board, rng: random.Random) -> None:
    """Parts of a view."""
    if rng.random() < 0.6:
        d["pile"] = ["hidden"] * len(d["pile"])
    if rng.random() < 0.4 and d["plate"]:
        d["plate"] = {"hidden": sum(d["plate"].values())}


CHANGES: tuple[Callable[[Json, Board, random.Random], None], ...] = (
    move_piece, move_piece, move_ability, move_marker, move_marker, turn_pending, turn_pending, turn_flags, turn_counts,
    turn_counts, turn_modules, fill_board, hide_some,
)  # fmt: skip


def mend(rules: hf.Rules, d: Json) -> None:
    """Put right what follows from the rest, as far as the errors name it: changed positions pass more of the checks."""
    for _ in range(2):
        try:
            hf.State.from_dict(rules, d)
            return
        except hf.PositionError as error:
            problems = error.problems
        for problem in problems:
            if match := re.match(r"completed: (\d+) cities are complete", problem):
                d["completed"] = int(match[1])
            elif match := re.match(r"east_west: seat (\d) is connected", problem):
                d["east_west"].append(int(match[1]))
            elif match := re.match(r"east_west: seat (\d) is not connected", problem):
                d["east_west"] = [seat for seat in d["east_west"] if seat != int(match[1])]
            elif match := re.match(r"actions: a fresh turn has (\d+)", problem):
                d["actions"] = int(match[1])
            elif match := re.match(r"current: turn \d+ belongs to seat (\d)", problem):
                d["current"] = int(match[1])
            elif match := re.match(r"extra: seat (\d) has (\d)", problem):
                used = d["players"][int(match[1])]["used"]
                while used.get("additional_post", 0) < int(match[2]) and "additional_post" in d["pile"]:
                    used["additional_post"] = used.get("additional_post", 0) + 1
                    d["pile"].remove("additional_post")


@cache
def dicts(rules: hf.Rules) -> tuple[Json, ...]:
    return tuple(state.to_dict() for state in sample(rules))


# -- Targets: one trial each, from its own generator; true if the input was accepted ----------------------------------


def fuzz_dict(rng: random.Random) -> bool:
    """Positions with one thing of the wrong kind."""
    rules = rng.choice(RULES)
    d: Any = copy.deepcopy(rng.choice(dicts(rules)))
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        d = spoil(d, rng)
    return read_position(rules, d, rng)


def fuzz_position(rng: random.Random) -> bool:
    """Positions of which every part can be read, but which hardly fit together."""
    rules = rng.choice(RULES)
    board = _boards.load_board(rules.board)
    d = copy.deepcopy(rng.choice(dicts(rules)))
    if rng.random() < 0.25:
        other_phase(d, rng, rng.choice(dicts(rules)))
    for _ in range(rng.choice((1, 1, 2, 3, 6))):
        rng.choice(CHANGES)(d, board, rng)
    mend(rules, d)
    return read_position(rules, d, rng)


def fuzz_bytes(rng: random.Random) -> bool:
    """Compact forms with wrong bytes, cut or extended."""
    rules = rng.choice(RULES)
    data = bytearray(rng.choice(sample(rules)).to_bytes())
    kind = rng.random()
    if kind < 0.7:
        for _ in range(rng.choice((1, 1, 2, 4))):
            at = rng.randrange(8, len(data)) if rng.random() < 0.97 else rng.randrange(8)
            near = (data[at] ^ (1 << rng.randrange(8)), (data[at] + 1) & 255)
            data[at] = rng.choice((0, 1, 2, 255, rng.randrange(256), *near))
    elif kind < 0.8:
        start, size = rng.randrange(8, len(data)), rng.randint(1, 40)
        data[start : start + size] = rng.randbytes(len(data[start : start + size]))
    elif kind < 0.9:
        del data[rng.randrange(len(data)) :]
    elif kind < 0.95:
        data += rng.randbytes(rng.randint(1, 9))
    else:
        data = bytearray(rng.randbytes(rng.choice((0, 1, 8, len(data)))))
    value: Any = bytes(data) if rng.random() < 0.95 else garbage(rng)
    try:
        state = hf.State.from_bytes(rules, value)
    except hf.PositionError as error:
        check_refusal(error)
        return False
    assert state.to_bytes() == value
    check_playable(state, rng)
    return True


def fuzz_parse(rng: random.Random) -> bool:
    """Action texts with slips of the pen, and worse."""
    state = rng.choice(sample(rng.choice(RULES)))
    legal = state.legal_actions()
    before = state.to_bytes()
    text: Any
    if rng.random() < 0.1 or not legal:
        text = garbage(rng)
    else:
        text = spoil_text(state.describe(rng.choice(legal)), rng)
        if rng.random() < 0.05:
            text *= rng.choice((2, 50, 5000))
    try:
        action = state.parse(text)
    except (hf.ActionTextError, hf.IllegalActionError) as error:
        check_refusal(error)
        return False
    finally:
        assert state.to_bytes() == before
    assert action in legal
    assert state.parse(state.describe(action)) == action
    return True


def fuzz_rules(rng: random.Random) -> bool:
    """Options of games."""
    options: dict[str, Any] = rng.choice(RULES).to_dict()
    for key in rng.sample(sorted(options), rng.randint(0, 3)):
        likely = [rng.choice(RULES).to_dict()[key], "hansa", 2, 3, 4, 5, True, 1]
        options[key] = rng.choice(likely) if rng.random() < 0.5 else garbage(rng)
    try:
        rules = hf.Rules(**options)
    except hf.RulesError as error:
        check_refusal(error)
        return False
    assert hf.Rules(**rules.to_dict()) == rules
    state = rules.new(seed=rng.getrandbits(64))
    assert hf.State.from_dict(rules, state.to_dict()) == state
    return True


def whole_setup(rules: hf.Rules, rng: random.Random) -> Json:
    """A right set-up, all parts given."""
    d = rules.new(seed=rng.getrandbits(64)).to_dict()
    setup: Json = {"taverns": d["markers"], "pile": d["pile"]}
    if rules.favours:
        setup["favours"] = d["favours"]
    if rules.missions:
        setup["missions"] = [player["mission"] for player in d["players"]]
    return setup


def fuzz_setup(rng: random.Random) -> bool:
    """Explicit set-ups."""
    rules = rng.choice(RULES)
    setup: Any = whole_setup(rules, rng)
    for part in rng.sample(sorted(setup), rng.randint(0, 1)):
        del setup[part]
    for _ in range(rng.choice((0, 1, 1, 2))):
        setup = spoil(setup, rng)
    try:
        state = rules.new(seed=1, setup=setup)
    except hf.RulesError as error:
        check_refusal(error)
        return False
    check_playable(state, rng)
    return True


@cache
def records() -> tuple[str, ...]:
    """Records of short and of finished games."""
    out = []
    for k, rules in enumerate(RULES):
        rng = random.Random(row_name(rules))
        setup = whole_setup(rules, rng) if k % 2 else None
        game = hf.Game(rules, seed=k, setup=setup, tags={"Seat 0": "anna", "Note": 'a "quoted" ü'})
        while not game.state.is_over and (k % 3 == 0 or len(game) < 60) and len(game) < 1500:
            game.play(game.state.choose(rng.getrandbits(64), "greedy"))
        out.append(game.to_text())
    return tuple(out)


LINES = ("", "# a note", "  ", '[A "b"]', '[A "\\ud800"]', '[B\rC "x"]', "9. @0 end", '[Setup "[]"]')


def fuzz_record(rng: random.Random) -> bool:
    """Game records with changed lines."""
    text: Any = rng.choice(records())
    for _ in range(rng.choice((1, 1, 2))):
        kind = rng.random()
        lines = text.split("\n")
        at = rng.randrange(min(len(lines), rng.choice((16, 10**6))))
        if kind < 0.5:
            lines[at] = spoil_text(lines[at], rng)
        elif kind < 0.65:
            del lines[at]
        elif kind < 0.8:
            lines.insert(at, rng.choice(lines))
        elif kind < 0.9:
            lines.insert(at, rng.choice(LINES))
        else:
            del lines[at:]
        text = "\n".join(lines)
    if rng.random() < 0.02:
        text = garbage(rng)
    try:
        game = hf.Game.from_text(text)
    except hf.RecordError as error:
        check_refusal(error)
        return False
    again = game.to_text()
    assert again.encode("utf-8").decode("utf-8") == again
    assert hf.Game.from_text(again.replace("\r\n", "\n").replace("\r", "\n")) == game
    assert game.state_at(len(game)) == game.state
    return True


TARGETS: dict[str, Callable[[random.Random], bool]] = {
    "dict": fuzz_dict,
    "position": fuzz_position,
    "bytes": fuzz_bytes,
    "parse": fuzz_parse,
    "rules": fuzz_rules,
    "setup": fuzz_setup,
    "record": fuzz_record,
}


def run_trial(target: str, number: int) -> bool:
    """The trial of this number; it is the same in every run."""
    try:
        return TARGETS[target](random.Random(f"{target} {number}"))
    except Exception as error:
        raise AssertionError(f"fuzz trial {number} of {target}: {type(error).__name__}: {str(error)[:3000]}") from error


def main() -> None:
    parser = argparse.ArgumentParser(description="Feed broken input to the package for some minutes.")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=None, help="number of the first trial; default: by the clock")
    parser.add_argument("--target", choices=sorted(TARGETS), default=None)
    parser.add_argument("--trial", type=int, default=None, help="only this one trial of the target")
    args = parser.parse_args()
    if args.trial is not None:
        print("accepted" if run_trial(args.target or "dict", args.trial) else "refused")
        return
    names = [args.target] if args.target else sorted(TARGETS)
    number = time.time_ns() if args.seed is None else args.seed
    accepted: Counter[str] = Counter()
    trials: Counter[str] = Counter()
    end = time.monotonic() + 60 * args.minutes
    while time.monotonic() < end:
        for name in names:
            for _ in range(50):
                number += 1
                accepted[name] += run_trial(name, number)
                trials[name] += 1
    for name in names:
        print(f"{name}: {trials[name]} trials, {accepted[name]} accepted")


if __name__ == "__main__":
    main()
