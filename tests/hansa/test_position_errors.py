"""Every inconsistency a position of Hansa can have is named."""

from __future__ import annotations

from typing import Any

import pytest

import hansa_fast as hf
from tests.hansa_engines import CITIES, COLOURS, Port
from tests.mistakes import Change, Suits, add, both, check_named, delete, position, problems_of, set_at
from tests.playing import Json

TWO = hf.Rules(game="hansa", players=2)
THREE = hf.Rules(game="hansa", players=3)
FOUR = hf.Rules(game="hansa", players=4)
KEYS = tuple(THREE.new(seed=1).to_dict())
PLAYER_KEYS = tuple(THREE.new(seed=1).to_dict()["players"][0])

# -- What cannot be read ----------------------------------------------------------------------------------------------

UNREADABLE: list[tuple[str, Change, str]] = [
    *[("main", delete(key), f"state: {key} is missing") for key in KEYS],
    *[("main", delete("players", 2, key), f"players[2]: {key} is missing") for key in PLAYER_KEYS],
    ("main", set_at("trun", 1), "state: 'trun' is no known key; did you mean turn?"),
    ("main", set_at("turn", -4), "turn: must be a whole number from 0 to 2147483647, not -4"),
    ("main", set_at("turn_limit", 0), "turn_limit: must be at least 1, or null"),
    ("main", set_at("turn_limit", "x"), "turn_limit: must be a whole number"),
    ("main", set_at("current", 3), "current: must be a whole number from 0 to 2, not 3"),
    ("main", set_at("player", None), "player: must be a whole number from 0 to 2, not None"),
    ("over", set_at("player", 1), "player: must be null when the game is over"),
    ("main", set_at("phase", "mian"), "phase: 'mian' is no phase; did you mean main?"),
    ("main", set_at("colours", "all"), "colours: must be a list of at most 8"),
    ("main", set_at("colours", ["pink"]), "colours: 'pink' is no colour"),
    ("main", lambda d: d["colours"].reverse(), "colours: colours are listed once, in the order of the board file"),
    ("main", lambda d: d["colours"].insert(0, d["colours"][0]), "colours: colours are listed once"),
    ("main", set_at("ship", "Oslo"), "ship: 'Oslo' is no city"),
    ("main", set_at("acted", 1), "acted: must be true or false, not 1"),
    ("main", set_at("warehouses", []), "warehouses: must be an object"),
    ("main", delete("warehouses", "Riga"), "warehouses: Riga is missing"),
    ("main", set_at("warehouses", "Oslo", [None]), "warehouses: 'Oslo' is no known key"),
    ("main", set_at("warehouses", "Riga", [None]), "warehouses.Riga: must list its 2 warehouses"),
    ("main", set_at("warehouses", "Riga", [None, "pink 1"]), "warehouses.Riga: 'pink 1' is no goods marker"),
    ("main", set_at("warehouses", "Riga", [None, "red 4"]), "warehouses.Riga: 'red 4' is no goods marker"),
    ("main", set_at("warehouses", "Riga", ["hidden", None]), "warehouses.Riga: 'hidden' is no goods marker"),
    ("main", set_at("booths", []), "booths: must be an object"),
    ("main", set_at("booths", "Oslo", [1, 1, 1]), "booths: 'Oslo' is no city"),
    ("main", set_at("booths", "Riga", [1, 1]), "booths.Riga: must list 3 numbers, at least one of them not zero"),
    ("main", set_at("booths", "Riga", [0, 0, 0]), "booths.Riga: must list 3 numbers, at least one of them not zero"),
    ("main", set_at("booths", "Riga", [0, 0, 16]), "booths.Riga: must be a whole number from 0 to 15, not 16"),
    ("main", set_at("piles", {}), "piles: must be a list of at most 5"),
    ("main", lambda d: d["piles"].append([]), "piles: must be a list of at most 5"),
    ("main", lambda d: d["piles"].pop(), "piles: the piles begin with (11, 10, 10, 10, 10) markers"),
    ("main", lambda d: d["piles"].reverse(), "piles: the piles begin with (11, 10, 10, 10, 10) markers"),
    ("main", lambda d: d["piles"][4].append("red 1"), "piles: the piles begin with (11, 10, 10, 10, 10) markers"),
    ("main", set_at("piles", 4, 0, "red 0"), "piles: 'red 0' is no goods marker"),
    ("main", set_at("removed", []), "removed: must be an object"),
    ("main", set_at("removed", "red 1", 0), "removed.red 1: zeros are left out"),
    ("main", set_at("removed", "red 1", 6), "removed.red 1: must be a whole number from 0 to 5, not 6"),
    ("main", set_at("removed", "red", 1), "removed: 'red' is no goods marker"),
    ("main", set_at("end", ["pile six"]), "end: 'pile six' is no reason"),
    ("main", set_at("end", ["turn limit", "pile five"]), "end: reasons are listed once, in the order"),
    ("main", lambda d: d["players"].pop(), "players: must list 3 players"),
    ("main", set_at("players", 0, []), "players[0]: must be an object"),
    ("main", set_at("players", 0, "talers", 61), "players[0].talers: must be a whole number from 0 to 60, not 61"),
    ("main", set_at("players", 0, "booths", 16), "players[0].booths: must be a whole number from 0 to 15, not 16"),
    ("main", set_at("players", 0, "unsold", "red 9", 1), "players[0].unsold: 'red 9' is no goods marker"),
    ("main", set_at("players", 0, "sold", "red 1", -1), "players[0].sold.red 1: must be a whole number from 0 to 5"),
    ("main", set_at("pending", {}), "pending: must be null in phase main"),
    ("sell", set_at("pending", None), "pending: must be an object"),
    ("sell", set_at("pending", {"sold": []}), "pending: picked is missing"),
    ("sell", set_at("pending", "picked", {"pink": 1}), "pending.picked: 'pink' is no colour"),
    ("sell", set_at("pending", "picked", {"red": 0}), "pending.picked.red: zeros are left out"),
    ("sell", set_at("pending", "picked", {"red": 100}), "pending.picked.red: must be a whole number from 0 to 99"),
    ("lose", set_at("pending", {"colour": "red"}), "pending: sold is missing"),
    ("lose", set_at("pending", "colour", "pink"), "pending.colour: 'pink' is no colour"),
    ("lose", set_at("pending", "sold", ["pink"]), "pending.sold: 'pink' is no colour"),
    ("lose", set_at("pending", "sold", ["red", "orange"]), "pending.sold: colours are listed once, in the order"),
]


@pytest.mark.parametrize(("phase", "change", "message"), UNREADABLE, ids=[message[:60] for *_, message in UNREADABLE])
def test_what_cannot_be_read_is_named(phase: str, change: Change, message: str) -> None:
    check_named(THREE, phase, None, change, message)


# -- What does not fit together ---------------------------------------------------------------------------------------


def unused_colour(d: Json) -> str:
    return next(name for name in COLOURS if name not in d["colours"])


def hide_piles(d: Json) -> None:
    d["piles"] = [["hidden"] * len(pile) for pile in d["piles"]]


def hide_one(d: Json) -> None:
    next(pile for pile in d["piles"] if pile)[0] = "hidden"


def lay_unused(d: Json) -> None:
    d["warehouses"]["Riga"][0] = f"{unused_colour(d)} 1"


def pile_unused(d: Json) -> None:
    d["piles"][4][0] = f"{unused_colour(d)} 1"


def hold_unused(where: str) -> Change:
    return lambda d: d["players"][1][where].update({f"{unused_colour(d)} 1": 1})


def move_good(source: str, target: str, number: int = 1) -> Change:
    """Markers from one place to another: `pile`, `laid`, `removed`, or `0 unsold` of seat 0; `me` is the player."""

    def box(d: Json, name: str) -> Json:
        seat, _, what = name.partition(" ")
        found: Json = d["players"][d["current"] if seat == "me" else int(seat)][what] if what else d[name]
        return found

    def change(d: Json) -> None:
        for _ in range(number):
            if source == "pile":
                good = next(pile for pile in d["piles"] if pile).pop(0)
            elif source == "laid":
                row = next(row for row in d["warehouses"].values() if any(row))
                k = next(k for k, good in enumerate(row) if good)
                good, row[k] = row[k], None
            else:
                good = next(iter(box(d, source)))
                box(d, source)[good] -= 1
                if not box(d, source)[good]:
                    del box(d, source)[good]
            box(d, target)[good] = box(d, target).get(good, 0) + 1

    return change


def booths(city: str, seat: int, number: int) -> Change:
    """Booths of a seat from its supply to a city."""

    def change(d: Json) -> None:
        row = d["booths"].setdefault(city, [0] * len(d["players"]))
        row[seat] += number
        d["players"][seat]["booths"] -= number
        if not any(row):
            del d["booths"][city]

    return change


def next_seat(key: str) -> Change:
    return lambda d: d.update({key: (d[key] + 1) % len(d["players"])})


def me(key: str, value: Any) -> Change:
    return lambda d: d["players"][d["current"]].update({key: value})


def before_me(d: Json) -> None:
    """The seat whose taxes were last has more than they leave."""
    d["players"][d["current"] - 1]["talers"] = 20


def no_booth_here(d: Json) -> None:
    row, seat = d["booths"][d["ship"]], d["current"]
    d["players"][seat]["booths"] += row[seat]
    row[seat] = 0
    if not any(row):
        del d["booths"][d["ship"]]


def fill_warehouses(d: Json) -> None:
    for row in d["warehouses"].values():
        for k, good in enumerate(row):
            if good is None:
                row[k] = next(pile for pile in d["piles"] if pile).pop(0)


def pick_unsold(d: Json) -> None:
    """Of a colour more was picked than was ever sold."""
    d["pending"]["picked"] = {next(iter(d["pending"]["picked"])): 14}


def pick_last(d: Json) -> None:
    """Only one marker of a colour is picked, and there is no other."""
    picked, player = d["pending"]["picked"], d["players"][d["current"]]
    colour = next(iter(picked))
    picked.clear()
    picked[colour] = 1
    for good in [good for good in player["unsold"] if good.startswith(colour)]:
        player["sold"][good] = player["sold"].get(good, 0) + player["unsold"].pop(good)


def pick_out_of_play(d: Json) -> None:
    d["pending"]["picked"] = {unused_colour(d): 2}


def sell_rest(d: Json) -> None:
    """Nothing is left to pick, so the sale would have been over."""
    player, picked = d["players"][d["current"]], d["pending"]["picked"]
    for good, number in player["unsold"].items():
        player["sold"][good] = player["sold"].get(good, 0) + number
    player["unsold"] = {}
    for colour in picked:
        picked[colour] = max(2, picked[colour])


def other_colour(d: Json) -> None:
    """The colour asked for is not sold, or nothing of it can be lost."""
    d["pending"]["colour"] = next(name for name in d["colours"] if name not in d["pending"]["sold"])


def nothing_to_lose(d: Json) -> None:
    player, colour = d["players"][d["player"]], d["pending"]["colour"]
    for good in [good for good in player["unsold"] if good.startswith(colour)]:
        d["removed"][good] = d["removed"].get(good, 0) + player["unsold"].pop(good)


def unsell(d: Json) -> None:
    player = d["players"][d["current"]]
    for good, number in player["sold"].items():
        d["removed"][good] = d["removed"].get(good, 0) + number
    player["sold"] = {}


def all_booths_out(d: Json) -> None:
    seat = d["current"]
    booths("Riga", seat, d["players"][seat]["booths"])(d)


def last_markers(d: Json) -> None:
    """Pile five was begun before this round."""
    for pile in d["piles"][:4]:
        move_good("pile", "removed", len(pile))(d)
    move_good("pile", "removed")(d)


def few_unsold(d: Json) -> None:
    goods = sum(d["players"][d["current"]]["unsold"].values())
    move_good("me unsold", "removed", goods - 3)(d)


def is_seat_0(d: Json) -> bool:
    return bool(d["current"] == 0)


def reason_is(reason: str) -> Suits:
    return lambda d: d["end"] == [reason]


def placed(number: int) -> Suits:
    """So many seats have placed in the set-up."""
    return lambda d: sum(15 - player["booths"] for player in d["players"]) == 2 * number


PROBLEMS: list[tuple[str, Suits | None, Change, str]] = [
    # Goods and colours.
    ("main", None, lambda d: d["colours"].pop(), "colours: 5 are played with 3 players"),
    ("main", None, lay_unused, "warehouses: goods that are not in play"),
    ("place", None, pile_unused, "piles: goods that are not in play"),
    ("main", None, hold_unused("unsold"), "players[1].unsold: goods that are not in play"),
    ("main", None, hold_unused("sold"), "players[1].sold: goods that are not in play"),
    ("main", None, lambda d: d["removed"].update({f"{unused_colour(d)} 1": 1}), "removed: goods that are not in play"),
    ("place", None, lambda d: d["removed"].update({f"{d['colours'][0]} 1": 1}), "in all, must be 4"),
    ("place", None, set_at("warehouses", "Riga", [None, None]), "goods: "),
    ("main", None, hide_piles, ""),
    ("place", None, hide_one, "piles: in a view all goods of the piles are hidden"),
    ("place", None, both(hide_piles, set_at("warehouses", "Riga", [None, None])), "are missing but 51 are hidden"),
    ("over", lambda d: sum(map(len, d["piles"])) > 0, hide_piles, ""),
    # Booths.
    ("main", None, add(("players", 1, "booths"), -1), "players[1]: 14 booths in all, must be 15"),
    ("place", None, set_at("booths", "Riga", [0, 2, 0]), "players[1]: "),
    # The set-up.
    ("place", placed(0), booths("Riga", 0, 1), "booths.Riga: the set-up places two in a city, none in Copenhagen"),
    ("place", placed(0), booths("Copenhagen", 0, 2), "booths.Copenhagen: the set-up places two in a city, none in Cop"),
    ("place", placed(0), booths("Riga", 1, 2), "players[1].booths: 15 must be left in round 1"),
    ("place", placed(0), set_at("players", 2, "talers", 4), "players[2]: begins with 3 talers and without goods"),
    ("place", placed(0), move_good("pile", "1 unsold"), "players[1]: begins with 3 talers and without goods"),
    ("place", placed(0), next_seat("player"), "player: seat 0 places next"),
    ("place", placed(0), next_seat("current"), "player: seat 0 places next"),
    ("place", placed(0), set_at("turn", 3), "phase: something happened before the set-up was over"),
    ("place", placed(0), set_at("ship", "Riga"), "phase: something happened before the set-up was over"),
    ("place", placed(0), set_at("acted", True), "phase: something happened before the set-up was over"),
    ("place", placed(0), set_at("end", ["pile five"]), "phase: something happened before the set-up was over"),
    ("place", placed(0), move_good("laid", "removed"), "phase: something happened before the set-up was over"),
    ("place", placed(0), move_good("pile", "removed"), "phase: something happened before the set-up was over"),
    (
        "place",
        placed(0),
        both(*[booths(city, seat, 2) for seat in range(3) for city in CITIES[:3]]),
        "phase: all booths of the set-up are placed",
    ),
    # The turn.
    ("main", None, next_seat("current"), "current: turn"),
    (
        "main",
        None,
        next_seat("player"),
        "player: an opponent of the current seat in phase lose, the current seat in all",
    ),
    ("lose", None, lambda d: d.update(player=d["current"]), "player: an opponent of the current seat in phase lose"),
    ("main", None, set_at("end", ["turn limit"]), "end: the game is not over"),
    ("main", None, lambda d: d.update(turn_limit=d["turn"] or 1, turn=d["turn"] or 1), "turn: "),
    ("main", None, lambda d: d.update(turn=2**31 - 1), "turn: the limit is reached, so the game must be over"),
    ("sell", None, set_at("acted", False), "acted: must be true in phase sell"),
    ("lose", None, set_at("acted", False), "acted: must be true in phase lose"),
    ("main", None, me("talers", 35), "is the most there can be"),
    ("main", None, me("talers", 34), ""),
    ("main", None, before_me, "is the most there can be"),
    ("give", None, me("talers", 4), "talers: 4, but 3 is the most there can be"),
    ("over", None, lambda d: d["players"][d["current"]].update(talers=4), "talers: 4, but 3 is the most there can be"),
    # Replenishing.
    ("replenish", None, set_at("acted", True), "phase: replenishing comes after the income and before all actions"),
    ("replenish", None, me("talers", 2), "phase: replenishing comes after the income and before all actions"),
    ("replenish", None, fill_warehouses, "phase: there is nothing to replenish"),
    ("replenish", is_seat_0, last_markers, "piles: pile five was begun in an earlier round, so the game must be over"),
    # Selling and losing.
    ("sell", None, pick_unsold, "pending.picked: more than were sold"),
    ("sell", None, pick_last, "pending.picked: a colour that cannot be completed"),
    ("sell", None, pick_out_of_play, "pending.picked: no such sale is going on"),
    ("sell", None, set_at("pending", "picked", {}), "pending.picked: at least one"),
    ("sell", None, no_booth_here, "booths: the seller has none where the ship lies"),
    ("sell", None, sell_rest, "phase: nothing can be decided in phase sell"),
    ("lose", None, other_colour, "pending.colour: not one of the colours sold"),
    ("lose", None, lambda d: d["pending"]["sold"].clear(), "pending.colour: not one of the colours sold"),
    ("lose", None, lambda d: d["pending"].update(sold=[unused_colour(d)]), "pending: a colour that is not in play"),
    ("lose", None, unsell, "pending.sold: at least two of each colour are sold"),
    ("lose", None, all_booths_out, "booths: one came back from the sale"),
    ("lose", None, nothing_to_lose, "phase: nothing can be decided in phase lose"),
    # Taxes.
    ("give", None, few_unsold, "phase: nothing has to be given"),
    # The end.
    ("over", None, next_seat("current"), "current: must be the seat whose turn was last"),
    ("over", None, set_at("turn", 0), "current: must be the seat whose turn was last"),
    ("over", None, set_at("end", []), "end: 'turn limit' must stand alone, and the limit be reached"),
    (
        "over",
        reason_is("pile five"),
        set_at("end", ["turn limit"]),
        "end: 'turn limit' must stand alone, and the limit",
    ),
    ("over", reason_is("pile five"), set_at("end", ["pile five", "turn limit"]), "end: 'turn limit' must stand alone"),
    (
        "over",
        reason_is("pile five"),
        lambda d: d.update(current=0, turn=d["turn"] + 1),
        "end: 'pile five' needs a marker",
    ),
    ("over", lambda d: d["players"][2]["sold"], move_good("2 sold", "2 unsold", 4), "players[2].unsold: taxes leave 3"),
]


@pytest.mark.parametrize(
    ("phase", "suits", "change", "message"), PROBLEMS, ids=[f"{entry[0]}: {entry[3][:60]}" for entry in PROBLEMS]
)
def test_what_does_not_fit_together_is_named(phase: str, suits: Suits | None, change: Change, message: str) -> None:
    check_named(THREE, phase, suits, change, message)


def test_all_problems_are_reported_at_once() -> None:
    d = position(THREE, "main")
    d["players"][0]["booths"] = 0 if d["players"][0]["booths"] else 1
    d["current"] = (d["current"] + 1) % 3
    d["end"] = ["pile five"]
    found = problems_of(THREE, d)
    for part in ("players[0]: ", "current: ", "player: ", "end: the game is not over"):
        assert any(problem.startswith(part) for problem in found), (part, found)
    d["ship"], d["acted"], d["extra"] = "Oslo", 0, 1  # what cannot be read comes first, all of it
    assert len(problems_of(THREE, d)) == 3


@pytest.mark.parametrize("rules", [TWO, THREE, FOUR], ids=lambda rules: str(rules.players))
def test_talers_are_bounded_by_what_was_bought(rules: hf.Rules) -> None:
    """Three are left by taxes; then every marker bought by others may have brought one, and the income three more."""
    port = Port(players=rules.players).empty("Riga")
    most = [
        6 + 14 * (rules.players - 1),
        *(3 + 14 * (rules.players - 1 - seat) + 2 for seat in range(1, rules.players)),
    ]
    for seat, talers in enumerate(most):
        assert problems_of(rules, port.talers(seat, talers).to_dict()) == []
        (problem,) = problems_of(rules, port.talers(seat, talers + 1).to_dict())
        assert problem == f"players[{seat}].talers: {talers + 1}, but {talers} is the most there can be"
        port.talers(seat, 0)


# -- Bytes: the same checks, and what only bytes can say --------------------------------------------------------------

HEADER = 8
GOODS = 20  # bytes of a set of goods
TAIL = 9 * GOODS + 8  # where the bytes begin

BYTES: list[tuple[int, int, str]] = [
    (4, 1, "players[0].unsold: goods that are not in play"),  # a second marker of a good without a first
    (3 * GOODS, 1, "players[3].unsold: goods that are not in play"),
    (4 * GOODS + 3, 128, "players[0].sold: goods that are not in play"),
    (8 * GOODS + 3, 128, "removed: goods that are not in play"),
    (9 * GOODS + 3, 128, "turn: too large"),
    (9 * GOODS + 7, 128, "turn: too large"),
    (TAIL + 9, 2, "booths: where there can be none"),
    (TAIL + 3 * 16, 2, "booths: where there can be none"),
    (TAIL, 16, "booths: where there can be none"),
    (TAIL + 64, 16, "players[0]: too many booths or talers"),
    (TAIL + 64 + 3, 1, "players[3]: too many booths or talers"),
    (TAIL + 68, 61, "players[0]: too many booths or talers"),
    (TAIL + 72, 255, "warehouses: goods that are not in play"),
    (TAIL + 72 + 14, 1, "warehouses: goods that are not in play"),
    (TAIL + 88, 200, "piles: goods that are not in play"),
    (TAIL + 88 + 63, 1, "piles: a marker above the top"),
    (TAIL + 152, 1, "pending.picked: no such sale is going on"),
    (TAIL + 160, 52, "piles: at most 51 markers"),
    (TAIL + 161, 255, "colours: 5 are played with 3 players"),
    (TAIL + 162, 9, "ship: unknown city"),
    (TAIL + 163, 3, "player: unknown seat"),
    (TAIL + 164, 255, "player: unknown seat"),
    (TAIL + 165, 7, "phase: unknown"),
    (TAIL + 166, 4, "state: unknown flags"),
    (TAIL + 166, 2, "piles: in a view all goods of the piles are hidden"),
    (TAIL + 167, 4, "state: unknown flags"),
    (TAIL + 168, 1, "pending: no losses are being taken"),
    (TAIL + 169, 7, "pending: a colour that is not in play"),
    (TAIL + 170, 1, "state: unknown flags"),
]


@pytest.mark.parametrize(("offset", "value", "message"), BYTES)
def test_wrong_bytes_are_named(offset: int, value: int, message: str) -> None:
    data = bytearray(THREE.new(seed=1).to_bytes())
    assert data[HEADER + offset] != value
    data[HEADER + offset] = value
    with pytest.raises(hf.PositionError) as caught:
        hf.State.from_bytes(THREE, bytes(data))
    assert any(message in problem for problem in caught.value.problems), caught.value.problems


def test_a_view_hides_something() -> None:
    state = hf.State.from_dict(THREE, Port().piles(0, 0, 0, 0, 0).to_dict())
    data = bytearray(state.to_bytes())
    data[HEADER + TAIL + 166] |= 2
    with pytest.raises(hf.PositionError, match="state: nothing is hidden"):
        hf.State.from_bytes(THREE, data)


def test_bytes_of_other_rules_are_refused() -> None:
    for other in (TWO, FOUR, hf.Rules(players=3)):
        with pytest.raises(hf.PositionError, match="bytes: "):
            hf.State.from_bytes(THREE, other.new(seed=1).to_bytes())
