"""Changes of a position of Hansa that leave it readable, but hardly right."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import hansa_fast as hf
from tests.conservation import Json
from tests.hansa_engines import CITIES, COLOURS, PILE_SIZES

PHASE_KEYS = ("phase", "pending", "player", "acted", "current")  # what a phase brings along
REASONS = ("pile five", "turn limit")


def goods_boxes(d: Json) -> list[Json]:
    """The places where goods are counted by kind."""
    return [d["removed"], *(player[key] for player in d["players"] for key in ("unsold", "sold"))]


def take_good(d: Json, rng: random.Random) -> str | None:
    """Take a marker from anywhere; the piles keep their form."""
    kind = rng.randrange(3)
    if kind == 0:
        rows = [row for row in d["warehouses"].values() if any(row)]
        if not rows:
            return None
        row = rng.choice(rows)
        place = rng.choice([k for k, good in enumerate(row) if good])
        good, row[place] = row[place], None
        return str(good)
    if kind == 1:
        pile = next((pile for pile in d["piles"] if pile), None)
        return str(pile.pop(0)) if pile else None
    boxes = [box for box in goods_boxes(d) if box]
    if not boxes:
        return None
    box = rng.choice(boxes)
    good = rng.choice(sorted(box))
    box[good] -= 1
    if not box[good]:
        del box[good]
    return str(good)


def put_good(d: Json, good: str, rng: random.Random) -> None:
    """Put a marker anywhere; the piles keep their form."""
    kind = rng.randrange(4)
    if kind == 0:
        rows = [row for row in d["warehouses"].values() if None in row]
        if rows:
            row = rng.choice(rows)
            row[row.index(None)] = good
            return
    if kind == 1:
        for pile, size in reversed(list(zip(d["piles"], PILE_SIZES[len(d["players"])], strict=True))):
            if len(pile) < size:
                pile.insert(0, good)
                return
    box = rng.choice(goods_boxes(d))
    box[good] = box.get(good, 0) + 1


def move_goods(d: Json, rng: random.Random) -> None:
    for _ in range(rng.choice((1, 1, 3, 12))):
        good = take_good(d, rng)
        if good:
            put_good(d, good, rng)


def draw_piles(d: Json, rng: random.Random) -> None:
    """Few markers are left in the piles."""
    markers = [good for pile in d["piles"] for good in pile]
    left = rng.choice((0, 1, 3, PILE_SIZES[len(d["players"])][-1], 15))
    while len(markers) > left:
        good = markers.pop(0)
        d["removed"][good] = d["removed"].get(good, 0) + 1
    d["piles"] = []
    for size in reversed(PILE_SIZES[len(d["players"])]):
        d["piles"].insert(0, markers[-size:])
        del markers[-size:]


def empty_warehouses(d: Json, rng: random.Random) -> None:
    for row in d["warehouses"].values():
        for k, good in enumerate(row):
            if good and rng.random() < 0.8:
                d["removed"][good] = d["removed"].get(good, 0) + 1
                row[k] = None


def move_booths(d: Json, rng: random.Random) -> None:
    for _ in range(rng.choice((1, 1, 4, 15))):
        seat, city = rng.randrange(len(d["players"])), rng.choice(CITIES)
        row = d["booths"].setdefault(city, [0] * len(d["players"]))
        step = rng.choice((-1, 1, 2))
        if row[seat] + step >= 0 and d["players"][seat]["booths"] >= step:
            row[seat] += step
            d["players"][seat]["booths"] -= step
        if not any(row):
            del d["booths"][city]


def turn_talers(d: Json, rng: random.Random) -> None:
    rng.choice(d["players"])["talers"] = rng.choice((0, 1, 2, 3, 4, 6, 17, 20, 34, 48, 60, 61))


def turn_ship(d: Json, rng: random.Random) -> None:
    d["ship"] = rng.choice(CITIES)
    d["acted"] = rng.random() < 0.5


def turn_pending(d: Json, rng: random.Random) -> None:
    """Another value in what the phase has to know."""
    if d["phase"] == "sell":
        picked = {colour: rng.randint(1, 4) for colour in rng.sample(COLOURS, rng.randint(0, 3))}
        d["pending"]["picked"] = {colour: picked[colour] for colour in COLOURS if colour in picked}
    elif d["phase"] == "lose":
        d["pending"]["colour"] = rng.choice(COLOURS)
        if rng.random() < 0.5:
            d["pending"]["sold"] = [colour for colour in COLOURS if rng.random() < 0.4]


def turn_counts(d: Json, rng: random.Random) -> None:
    seats = len(d["players"])
    key = rng.choice(("turn", "turn", "turn_limit", "current", "player", "end", "colours"))
    if key == "turn":
        d["turn"] = rng.choice((0, 1, d["turn"] + seats, 2**31 - 1 - rng.randint(0, 6), 10**6 * seats + d["current"]))
    elif key == "turn_limit":
        d["turn_limit"] = rng.choice((None, 1, d["turn"], d["turn"] + 1, d["turn"] + 2, 2**31 - 1))
    elif key == "end":
        d["end"] = [reason for reason in REASONS if rng.random() < 0.5]
    elif key == "colours":
        d["colours"] = [colour for colour in COLOURS if rng.random() < 0.8]
    else:
        d[key] = rng.randrange(seats)


def hide_piles(d: Json, rng: random.Random) -> None:
    """A view, or a part of one."""
    d["piles"] = [["hidden"] * len(pile) if rng.random() < 0.95 else pile for pile in d["piles"]]


CHANGES: tuple[Callable[[Json, random.Random], None], ...] = (
    move_goods, move_goods, draw_piles, empty_warehouses, move_booths, move_booths, turn_talers, turn_ship,
    turn_pending, turn_pending, turn_counts, hide_piles,
)  # fmt: skip


def change(_rules: hf.Rules, d: Json, rng: random.Random) -> None:
    """Change one thing."""
    rng.choice(CHANGES)(d, rng)


def mend(rules: hf.Rules, d: Json) -> None:
    """Put right what follows from the rest, as far as the errors name it: changed positions pass more of the checks."""
    try:
        hf.State.from_dict(rules, d)
        return
    except hf.PositionError as error:
        problems = error.problems
    for problem in problems:
        if match := re.match(r"current: turn \d+ belongs to seat (\d)", problem):
            if d["player"] == d["current"]:
                d["player"] = int(match[1])
            d["current"] = int(match[1])
        elif match := re.match(r"players\[(\d)\].talers: \d+, but (\d+)", problem):
            d["players"][int(match[1])]["talers"] = int(match[2])
