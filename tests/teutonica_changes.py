"""Changes of a position of Hansa Teutonica that leave it readable, but hardly right."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import hansa_fast as hf
from hansa_fast import _boards
from tests.conservation import DESK, Json

Board = _boards.Board
PHASE_KEYS = ("phase", "pending", "player", "acted", "fresh")  # what a phase brings along


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


def change(rules: hf.Rules, d: Json, rng: random.Random) -> None:
    """Change one thing."""
    rng.choice(CHANGES)(d, _boards.load_board(rules.board), rng)


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
