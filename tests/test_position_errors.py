"""Every inconsistency a position can have is named, and all of them at once."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import hansa_fast as hf
from tests.mistakes import Change, Suits, add, both, check_named, delete, problems_of, set_at
from tests.playing import Json, sample
from tests.rows import RULES

FOUR = hf.Rules(edition="big-box", board="standard-4-5", players=4)
FULL = hf.Rules(edition="big-box", board="standard-4-5", players=4, missions=True, favours=True)
OLD = hf.Rules(edition="2009", board="standard-4-5", players=4)
TWO = hf.Rules(edition="2009", board="standard-3", players=2)
EAST = hf.Rules(edition="big-box", board="east", players=3)
BRITAIN = hf.Rules(edition="big-box", board="britannia-4-5", players=4)

POST, ROUTE, CITY = "Arnheim-Duisburg 1", "Arnheim-Duisburg", "Arnheim"
BOAT = {EAST: "Malmö-Visby 2"}


def place(seat: int, shape: str, post: str) -> Change:
    """A piece from the supply on a post."""
    return both(add(("players", seat, "supply", shape + "s"), -1), set_at("posts", post, f"{shape} {seat}"))


def office(seat: int, city: str, row: list[str | None]) -> Change:
    used = sum(piece is not None for piece in row)
    return both(add(("players", seat, "supply", "traders"), -used), set_at("offices", city, row))


# -- What cannot be read ----------------------------------------------------------------------------------------------

KEYS = tuple(FOUR.new(seed=1).to_dict())
PLAYER_KEYS = tuple(FOUR.new(seed=1).to_dict()["players"][0])

UNREADABLE: list[tuple[hf.Rules, str, Change, str]] = [
    *[(FOUR, "main", delete(key), f"state: {key} is missing") for key in KEYS],
    *[(FOUR, "main", delete("players", 2, key), f"players[2]: {key} is missing") for key in PLAYER_KEYS],
    (FOUR, "main", set_at("trun", 1), "state: 'trun' is no known key; did you mean turn?"),
    (FOUR, "main", set_at("turn", -4), "turn: must be a whole number from 0 to 2147483647, not -4"),
    (FOUR, "main", set_at("turn", True), "turn: must be a whole number"),
    (FOUR, "main", set_at("turn", 1.0), "turn: must be a whole number from 0 to 2147483647, not 1.0"),
    (FOUR, "main", set_at("turn", 10**5000), "turn: must be a whole number from 0 to 2147483647, not a number of"),
    (FOUR, "main", set_at("turn", float("nan")), "turn: must be a whole number from 0 to 2147483647, not nan"),
    (FOUR, "main", set_at("turn_limit", 0), "turn_limit: must be at least 1, or null"),
    (FOUR, "main", set_at("turn_limit", "x"), "turn_limit: must be a whole number"),
    (FOUR, "main", set_at("current", 4), "current: must be a whole number from 0 to 3, not 4"),
    (FOUR, "main", set_at("player", None), "player: must be a whole number from 0 to 3, not None"),
    (FOUR, "over", set_at("player", 1), "player: must be null when the game is over"),
    (FOUR, "main", set_at("phase", "mian"), "phase: 'mian' is no phase; did you mean main?"),
    (FOUR, "main", set_at("actions", 100), "actions: must be a whole number from 0 to 99"),
    (FOUR, "main", set_at("fresh", 1), "fresh: must be true or false, not 1"),
    (FOUR, "main", set_at("acted", None), "acted: must be true or false"),
    (FOUR, "main", set_at("actions_over", "no"), "actions_over: must be true or false"),
    (FOUR, "main", set_at("pawn_moved", []), "pawn_moved: must be true or false"),
    (TWO, "main", set_at("pawn", "P99"), "pawn: 'P99' is no province"),
    (FOUR, "main", set_at("permissions_used", {}), "permissions_used: must be a list of at most 4"),
    (
        BRITAIN,
        "main",
        set_at("permissions_used", ["Lonodn"]),
        "is no city that gives a permission; did you mean London?",
    ),
    (BRITAIN, "main", set_at("permissions_used", ["London", "London"]), "permissions_used: cities are listed once"),
    (FOUR, "main", set_at("posts", []), "posts: must be an object with strings as keys, not []"),
    (FOUR, "main", set_at("posts", {1: "trader 0"}), "posts: must be an object with strings as keys"),
    (FOUR, "main", set_at("posts", {f"x {k}": "trader 0" for k in range(300)}), "posts: has 300 entries"),
    (FOUR, "main", set_at("posts", "Arnheim-Duisburg 9", "trader 0"), "posts: 'Arnheim-Duisburg 9' is no post"),
    (FOUR, "main", set_at("posts", POST, "trader 4"), f"posts.{POST}: 'trader 4' is no piece; write 'trader 0'"),
    (FOUR, "main", set_at("posts", POST, 7), f"posts.{POST}: 7 is no piece"),
    (FOUR, "main", set_at("offices", "Atlantis", [None]), "offices: 'Atlantis' is no city"),
    (FOUR, "main", set_at("offices", CITY, ["trader 0"]), f"offices.{CITY}: must list its 4 printed offices"),
    (FOUR, "main", set_at("offices", CITY, [None] * 4), "at least one of them occupied"),
    (FOUR, "main", set_at("offices", CITY, ["cube 0", None, None, None]), f"offices.{CITY}: 'cube 0' is no piece"),
    (FOUR, "main", set_at("extra", "Atlantis", ["trader 0"]), "extra: 'Atlantis' is no city"),
    (FOUR, "main", set_at("extra", CITY, []), f"extra.{CITY}: cities without extra offices are left out"),
    (
        FOUR,
        "main",
        set_at("extra", {CITY: ["trader 0"] * 3, "Duisburg": ["trader 0"] * 3}),
        "at most five extra offices",
    ),
    (EAST, "main", set_at("green", "Lübeck", ["trader 0"]), "green: 'Lübeck' is no green city"),
    (EAST, "main", set_at("green", "Waren", []), "green.Waren: cities without such offices are left out"),
    (EAST, "main", set_at("green", "Waren", ["trader 0"] * 33), "green.Waren: must be a list of at most 32"),
    (FOUR, "main", set_at("prestige", "10", 0), "prestige: '10' is no space of special prestige"),
    (FOUR, "main", set_at("prestige", "8", 9), "prestige.8: must be a whole number from 0 to 3"),
    (FOUR, "main", set_at("completed", 33), "completed: must be a whole number from 0 to 32"),
    (FOUR, "main", set_at("east_west", [7]), "east_west: must be a whole number from 0 to 3"),
    (FOUR, "main", set_at("markers", "Nowhere", "swap_posts"), "markers: 'Nowhere' is no route"),
    (FOUR, "main", set_at("markers", ROUTE, "remove_3"), f"markers.{ROUTE}: 'remove_3' is no kind of marker"),
    (OLD, "main", set_at("markers", ROUTE, "move_3"), f"markers.{ROUTE}: 'move_3' is no kind of marker"),
    (FOUR, "main", set_at("pile", ["actions_5"]), "pile: 'actions_5' is no kind of marker; did you mean actions_"),
    (FOUR, "main", set_at("pile", ["swap_posts"] * 17), "pile: must be a list of at most 16"),
    (
        FOUR,
        "main",
        set_at("plate", "swap_post", 1),
        "plate: 'swap_post' is no kind of marker; did you mean swap_posts?",
    ),
    (FOUR, "main", set_at("plate", "swap_posts", 0), "plate.swap_posts: zeros are left out"),
    (FOUR, "main", set_at("favours", ["extra_acton"]), "favours: 'extra_acton' is no favour tile"),
    (FULL, "main", lambda d: d["favours"].reverse(), "favours: tiles are listed once, in the order of the tile file"),
    (FOUR, "over", set_at("end", ["boredom"]), "end: 'boredom' is no reason"),
    (FOUR, "over", set_at("end", ["no marker", "20 points"]), "end: reasons are listed once, in the order"),
    (FOUR, "main", lambda d: d["players"].pop(), "players: must list 4 players"),
    (FOUR, "main", set_at("players", 0, "anna"), "players[0]: must be an object"),
    (FOUR, "main", set_at("players", 1, "supply", 6), "players[1].supply: must be an object"),
    (
        FOUR,
        "main",
        set_at("players", 1, "stock", "traders", 27),
        "players[1].stock.traders: must be a whole number from 0 to 26",
    ),
    (FOUR, "main", set_at("players", 1, "points", 100), "players[1].points: must be a whole number from 0 to 99"),
    (
        FOUR,
        "main",
        set_at("players", 1, "abilities", "keys", 5),
        "players[1].abilities.keys: must be a whole number from 0 to 4",
    ),
    (FOUR, "main", delete("players", 1, "abilities", "bank"), "players[1].abilities: bank is missing"),
    (
        FOUR,
        "main",
        set_at("players", 1, "markers", "swap_posts", 0),
        "players[1].markers.swap_posts: zeros are left out",
    ),
    (FOUR, "main", set_at("players", 1, "used", "swap", 1), "players[1].used: 'swap' is no kind of marker"),
    (
        FOUR,
        "main",
        set_at("players", 1, "plate", "swap_posts", "1"),
        "players[1].plate.swap_posts: must be a whole number",
    ),
    (
        FULL,
        "main",
        set_at("players", 1, "mission", ["Arnheim"]),
        "players[1].mission: ['Arnheim'] is no mission card; one is",
    ),
    (FOUR, "main", set_at("pending", {}), "pending: must be null in phase main"),
    (FOUR, "pay", set_at("pending", None), "pending: must be an object"),
    (FOUR, "pay", delete("pending", "post"), "pending: post is missing"),
    (FOUR, "pay", set_at("pending", "post", "here"), "pending.post: 'here' is no post"),
    (FOUR, "pay", set_at("pending", "shape", "cube"), "pending.shape: 'cube' is no shape"),
    (FOUR, "answer", set_at("pending", "route", "here"), "pending.route: 'here' is no route"),
    (FOUR, "answer", set_at("pending", "extras", 3), "pending.extras: must be a whole number from 0 to 2"),
    (FOUR, "lift", set_at("pending", "kind", "fly"), "pending.kind: 'fly' is no kind of move"),
    (FOUR, "lift", set_at("pending", "left", 6), "pending.left: must be a whole number from 0 to 5"),
    (FOUR, "lift", set_at("pending", "lifted", 0), "pending.lifted: must be true or false"),
    (FOUR, "set", set_at("pending", "hand", "trader"), "pending.hand: 'trader' is no piece"),
    (OLD, "remove", set_at("pending", "left", 4), "pending.left: must be a whole number from 0 to 3"),
    (FULL, "flip", set_at("pending", "tile", "gold"), "pending.tile: 'gold' is no favour tile"),
    (EAST, "place-two", set_at("pending", "merchants", 5), "pending.merchants: must be a whole number from 0 to 4"),
    (FOUR, "marker-route", set_at("pending", "kind", "blank"), "pending.kind: 'blank' is no kind of marker"),
]


# -- What does not fit together ---------------------------------------------------------------------------------------


def take_all(d: Json) -> None:
    """The supply of seat 0 into its stock."""
    player = d["players"][d["current"]]
    for shape in ("traders", "merchants"):
        player["stock"][shape] += player["supply"][shape]
        player["supply"][shape] = 0


def hidden_pile(d: Json) -> None:
    d["pile"] = ["hidden"] * len(d["pile"])


def move_marker(source: str) -> Change:
    def change(d: Json) -> None:
        d["players"][0]["markers"][d[source].pop() if source == "pile" else d[source].popitem()[1]] = 1

    return change


def other_seat(d: Json) -> None:
    d["player"] = (d["player"] + 1) % len(d["players"])


def opponents_hand(d: Json) -> None:
    shape, seat = d["pending"]["hand"].split()
    d["pending"]["hand"] = f"{shape} {(int(seat) + 1) % len(d['players'])}"


def own_post(d: Json) -> None:
    d["pending"]["post"] = next(post for post, piece in d["posts"].items() if piece.endswith(f" {d['current']}"))


def free_post(key: str) -> Change:
    def change(d: Json) -> None:
        d["pending"][key] = next(
            f"{ROUTE} {n}"
            for n in (1, 2, 3)
            if f"{ROUTE} {n}" not in d["posts"] and d["pending"][key] != f"{ROUTE} {n}"
        )

    return change


def taken_post(key: str) -> Change:
    def change(d: Json) -> None:
        d["pending"][key] = next(post for post in d["posts"] if post not in d["pending"].values())

    return change


def empty_route(d: Json) -> None:
    """A route on which the current player has nothing."""
    own = {post.rsplit(" ", 1)[0] for post, piece in d["posts"].items() if piece.endswith(f" {d['current']}")}
    names = ("Arnheim-Duisburg", "Arnheim-Kampen", "Kampen-Osnabrück", "Bremen-Osnabrück", "Bremen-Minden")
    d["pending"]["route"] = next(name for name in names if name not in own)


def is_down(d: Json) -> bool:
    return d["pending"]["down"] is not None


def kind_is(kind: str) -> Callable[[Json], bool]:
    return lambda d: bool(d["pending"]["kind"] == kind)


def has_trader_in_hand(d: Json) -> bool:
    return bool(d["pending"]["hand"].startswith("trader"))


def three_abilities(d: Json) -> None:
    d["players"][d["current"]]["abilities"]["privilege"] = 3


PROBLEMS: list[tuple[hf.Rules, str, Suits | None, Change, str]] = [
    # Pieces.
    (FOUR, "main", None, add(("players", 0, "supply", "traders"), 1), "players[0]: 27 traders in all, must be 26"),
    (FOUR, "main", None, add(("players", 3, "stock", "merchants"), 2), "players[3]: 6 merchants in all, must be 4"),
    (FOUR, "main", None, set_at("posts", POST, "merchant 1"), "players[1]: 5 merchants in all, must be 4"),
    (FOUR, "main", None, set_at("prestige", "8", 2), "players[2]: 5 merchants in all, must be 4"),
    (FOUR, "main", None, set_at("extra", CITY, ["trader 0"]), "extra: seat 0 has 1 but used only 0 markers for them"),
    (FOUR, "main", None, set_at("extra", CITY, ["trader 0"]), f"extra.{CITY}: no office was there before it"),
    (EAST, "main", None, place(0, "trader", BOAT[EAST]), f"posts.{BOAT[EAST]}: a boat takes merchants only"),
    (
        FOUR,
        "main",
        None,
        office(0, CITY, [None, "trader 0", None, None]),
        f"offices.{CITY}: must be filled from the left",
    ),
    (FOUR, "main", None, office(0, "Kampen", ["trader 0", "trader 0"]), "completed: 1 cities are complete, not 0"),
    (EAST, "main", None, set_at("green", "Waren", ["trader 0"]), "completed: 1 cities are complete, not 0"),
    (FOUR, "main", None, set_at("east_west", [2]), "east_west: seat 2 is not connected"),
    (FOUR, "main", None, set_at("east_west", [2, 2]), "east_west: seat 2 occurs twice"),
    (FOUR, "main", None, set_at("east_west", [2]), "players[2].points: the east-west connection alone gave 7"),
    (
        FOUR,
        "main",
        None,
        set_at("players", 0, "points", 24),
        "players[0].points: the game ends at 20, so 23 is the most",
    ),
    # Markers, tiles, cards.
    (FOUR, "main", None, set_at("markers", ROUTE, "actions_3"), "markers: 3 of actions_3 in all, must be 2"),
    (FOUR, "main", None, set_at("markers", ROUTE, "actions_3"), "markers: 4 on routes and plates together, must be 3"),
    (FOUR, "main", None, move_marker("markers"), "markers: 2 on routes and plates together, must be 3"),
    (FOUR, "main", None, lambda d: d["pile"].pop(), "in all, must be"),
    (FOUR, "main", None, both(hidden_pile, lambda d: d["pile"].pop()), "markers: 12 are missing but 11 are hidden"),
    (EAST, "main", None, set_at("markers", "Malmö-Visby", "actions_3"), "markers: a marker on a route that takes none"),
    (BRITAIN, "main", None, set_at("markers", "Cardiff-Oxford", "actions_3"), "markers: 3 of actions_3 in all"),
    (FOUR, "main", None, set_at("pile", 0, "hidden"), "pile: an unknown kind"),
    (
        FOUR,
        "main",
        None,
        lambda d: d["pile"].__setitem__(slice(1, None), ["hidden"] * 11),
        "(in a view all kinds of the pile are hidden)",
    ),
    (
        FOUR,
        "main",
        None,
        both(hidden_pile, set_at("plate", "actions_3", 1)),
        "plate: in a view the drawn markers are hidden",
    ),
    (FULL, "main", None, lambda d: d["favours"].pop(), "favours: 3 tiles in all, must be 4"),
    (FULL, "main", None, lambda d: d["players"][0]["favours"].append(d["favours"][0]), "favours: a tile occurs twice"),
    (FOUR, "main", None, set_at("favours", ["extra_action"]), "favours: there are none in this game"),
    (FOUR, "main", None, set_at("players", 0, "favours", ["extra_action"]), "players[0].favours: cannot be there"),
    (
        FULL,
        "main",
        None,
        lambda d: d["players"][1].update(mission=d["players"][0]["mission"]),
        "players: two have the same mission",
    ),
    (FULL, "main", None, set_at("players", 1, "mission", None), "players[1].mission: missing or unknown"),
    (
        FOUR,
        "main",
        None,
        set_at("players", 1, "mission", ["Osnabrück", "Stendal", "Paderborn"]),
        "there are no missions in this game",
    ),
    # The turn.
    (FOUR, "main", None, set_at("actions", 3), "actions: a fresh turn has 2"),
    (FOUR, "main", None, both(set_at("fresh", False), set_at("actions", 3)), "actions: at most 2 can be left"),
    (FOUR, "main", None, set_at("acted", True), "fresh: something was done in this turn"),
    (FOUR, "pay", None, set_at("fresh", True), "fresh: cannot be true in phase pay"),
    (FOUR, "main", None, both(set_at("fresh", False), set_at("actions_over", True)), "actions_over: cannot be"),
    (FULL, "main", None, both(set_at("fresh", False), set_at("actions_over", True)), "actions_over: cannot be"),
    (
        FOUR,
        "main",
        None,
        both(set_at("fresh", False), set_at("pawn_moved", True)),
        "pawn_moved: there is no pawn in this game",
    ),
    (FOUR, "main", None, set_at("current", 1), "current: turn 0 belongs to seat 0"),
    (FOUR, "main", None, set_at("player", 1), "player: must be the current one in this phase"),
    (
        FOUR,
        "main",
        None,
        both(lambda d: d["plate"].update({d["markers"].popitem()[1]: 1}), set_at("fresh", False)),
        "acted: must be true after a marker was drawn",
    ),
    (
        BRITAIN,
        "main",
        None,
        both(set_at("permissions_used", ["London"]), set_at("fresh", False)),
        "acted: must be true after a marker was drawn or a permission used",
    ),
    (FOUR, "main", None, set_at("turn_limit", 1), ""),
    (
        FOUR,
        "main",
        None,
        both(set_at("turn_limit", 4), set_at("turn", 4)),
        "turn: the limit is reached, so the game must be over",
    ),
    (
        FOUR,
        "main",
        None,
        both(set_at("turn", 2**31 - 1), set_at("current", 3), set_at("player", 3)),
        "turn: the limit is reached",
    ),
    (
        FOUR,
        "main",
        None,
        set_at("players", 0, "points", 20),
        "players: somebody has 20 points, so the game must be over",
    ),
    (FOUR, "main", None, set_at("end", ["20 points"]), "end: the game is not over"),
    # The pawn.
    (TWO, "main", None, set_at("pawn", None), "pawn: must stand in a province, except before the game"),
    (TWO, "pawn", None, set_at("pawn", "P4"), "pawn: must stand in a province, except before the game"),
    (TWO, "pawn", None, set_at("fresh", False), "fresh: must be true before the game"),
    (TWO, "pawn", None, both(set_at("turn", 2)), "phase: the pawn is put down before the game"),
    (FOUR, "main", None, both(set_at("phase", "pawn")), "pawn: there is none in this game"),
    # The end.
    (FOUR, "over", None, set_at("end", []), "end: a game that is over has a reason"),
    (
        FOUR,
        "over",
        lambda d: "20 points" not in d["end"],
        set_at("end", ["20 points"]),
        "end: '20 points' must be there exactly when somebody has them",
    ),
    (
        FOUR,
        "over",
        None,
        set_at("end", ["completed cities"]),
        "end: 'completed cities' must be there exactly when 10 are complete",
    ),
    (
        FOUR,
        "over",
        lambda d: bool(d["pile"]),
        set_at("end", ["no marker"]),
        "end: 'no marker' but the pile is not empty",
    ),
    (FOUR, "over", None, set_at("end", ["turn limit"]), "end: 'turn limit' must stand alone, and the limit be reached"),
    # Displacing.
    (FOUR, "pay", None, set_at("acted", False), "acted: must be true in phase pay"),
    (FOUR, "pay", None, free_post("post"), "pending.post: must hold an opponent's piece"),
    (FOUR, "pay", None, own_post, "pending.post: must hold an opponent's piece"),
    (FOUR, "pay", None, take_all, "pending: the supply is too small to displace and pay"),
    (FOUR, "answer", None, lambda d: d.update(player=d["current"]), "player: nobody displaces himself"),
    (FOUR, "answer", None, empty_route, "pending.route: the replacing piece must stand there"),
    (FOUR, "answer", is_down, free_post("down"), "pending.down: the displaced piece must stand there"),
    (
        FOUR,
        "answer",
        lambda d: d["pending"]["shape"] == "trader",
        set_at("pending", "extras", 2),
        "pending.extras: a trader brings one",
    ),
    (FOUR, "answer-to", None, set_at("pending", "extras", 0), "pending: an own piece is lifted only as an extra"),
    (
        FOUR,
        "answer-to",
        None,
        lambda d: d["players"][d["player"]]["stock"].update(traders=1),
        "pending: own pieces are lifted only when stock and supply are empty",
    ),
    (FOUR, "answer-to", None, taken_post("from"), "pending.from: must be free while its piece is in hand"),
    # Moving.
    (
        FOUR,
        "lift",
        lambda d: "move_3" not in d["players"][d["current"]]["used"],
        set_at("pending", "kind", "move_3"),
        "pending.kind: no such marker was used",
    ),
    (FOUR, "lift", None, set_at("pending", "kind", "move_any_2"), "pending.kind: no such marker on this board"),
    (FOUR, "lift", kind_is("move"), set_at("acted", False), "acted: must be true after an action"),
    (FOUR, "lift", kind_is("move"), set_at("pending", "left", 5), "at the start, fewer once something was lifted"),
    (FOUR, "lift", None, set_at("pending", "left", 0), "pending.left: nothing can be lifted any more"),
    (
        FOUR,
        "lift",
        None,
        lambda d: d["pending"].update(lifted=not d["pending"]["lifted"]),
        "at the start, fewer once something was lifted",
    ),
    (FOUR, "set", None, set_at("pending", "lifted", False), "pending.lifted: must be true with a piece in hand"),
    (
        FOUR,
        "set",
        lambda d: kind_is("move")(d) and d["pending"]["left"] == 1,
        taken_post("from"),
        "pending.from: must be free while its piece is in hand, or hold",
    ),
    (FOUR, "set", kind_is("move"), opponents_hand, "pending.hand: not a piece this move may lift"),
    (
        EAST,
        "set",
        has_trader_in_hand,
        set_at("pending", "from", BOAT[EAST]),
        "pending.from: a trader cannot come from a boat",
    ),
    # Other phases.
    (
        OLD,
        "remove",
        None,
        lambda d: d["players"][d["current"]]["used"].pop("remove_3"),
        "phase: no such marker was used",
    ),
    (
        OLD,
        "remove",
        None,
        set_at("pending", "left", 0),
        "pending.left: 3 at the start, fewer once something was removed",
    ),
    (FULL, "flip", None, set_at("acted", True), "pending.tile: cannot be bought now"),
    (FULL, "flip", None, set_at("pending", "left", 0), "pending.left: must be 1 or 2"),
    (
        FULL,
        "flip",
        None,
        lambda d: d["players"][d["current"]].update(markers={}),
        "pending.left: too few unused markers",
    ),
    (EAST, "develop-privilege", None, three_abilities, "phase: privilege cannot be developed now"),
    (
        FOUR,
        "main",
        None,
        both(set_at("phase", "green-office"), set_at("fresh", False), set_at("acted", True)),
        "phase: no such marker on this board",
    ),
    (EAST, "green-office", None, take_all, "phase: nothing can be decided in phase green-office"),
    (EAST, "place-two", None, set_at("pending", "traders", 26), "pending: the pieces must lie in stock"),
    (
        BRITAIN,
        "place-two",
        None,
        lambda d: d["pending"].update(traders=d["pending"]["traders"] - 1),
        "pending: the whole stock may be placed from",
    ),
    (EAST, "place-two", None, set_at("acted", False), "acted: must be true in phase place-two"),
    (
        FOUR,
        "marker-route",
        None,
        lambda d: d["players"][d["current"]].update(plate={}),
        "pending.kind: not on the plate",
    ),
    (
        FOUR,
        "put-marker",
        None,
        lambda d: d.update(plate=d["players"][d["current"]]["plate"]),
        "plate: the drawn markers are seen by now",
    ),
    (
        FULL,
        "favour-income",
        None,
        lambda d: d.update(player=d["current"]),
        "player: must be an opponent with the tile income_follow",
    ),
    (
        FOUR,
        "put-marker",
        None,
        lambda d: d["players"][d["current"]].update(plate={}),
        "phase: nothing can be decided in phase put-marker",
    ),
]


@pytest.mark.parametrize(
    ("rules", "phase", "change", "message"), UNREADABLE, ids=lambda v: v[:60] if isinstance(v, str) else ""
)
def test_what_cannot_be_read_is_named(rules: hf.Rules, phase: str, change: Change, message: str) -> None:
    check_named(rules, phase, None, change, message)


@pytest.mark.parametrize(
    ("rules", "phase", "suits", "change", "message"), PROBLEMS, ids=lambda v: v[:60] if isinstance(v, str) else ""
)
def test_what_does_not_fit_together_is_named(
    rules: hf.Rules, phase: str, suits: Suits | None, change: Change, message: str
) -> None:
    check_named(rules, phase, suits, change, message)


@pytest.mark.parametrize("value", [None, [], "state", 7, {1: 2}, [("turn", 0)]])
def test_a_position_is_an_object(value: Any) -> None:
    assert problems_of(FOUR, value)[0].startswith("state: must be an object with strings as keys")


def test_all_problems_are_reported_at_once() -> None:
    d = FULL.new(seed=1).to_dict()
    d["players"][0]["supply"]["traders"] += 1
    d["players"][2]["stock"]["merchants"] += 1
    d["completed"] = 3
    d["east_west"] = [1]
    d["favours"].pop()
    d["actions"] = 9
    d["current"] = 1
    found = problems_of(FULL, d)
    for part in (
        "players[0]: 27",
        "players[2]: 5 merchants",
        "completed: 0",
        "east_west: seat 1",
        "favours: 3",
        "actions:",
        "current:",
    ):
        assert any(problem.startswith(part) for problem in found), (part, found)
    assert len(set(found)) == len(found)
    d["turn"], d["fresh"], d["extra_key"] = "x", 0, 1  # what cannot be read comes first, all of it
    assert len(problems_of(FULL, d)) == 3


def test_the_error_can_be_pickled() -> None:
    error = hf.PositionError(["one", "two"])
    twin = pickle.loads(pickle.dumps(error))
    assert (type(twin), twin.problems, str(twin)) == (hf.PositionError, ["one", "two"], "one; two")
    assert hf.PositionError("one").problems == ["one"]


def test_a_refused_dict_is_left_alone() -> None:
    d = FOUR.new(seed=1).to_dict()
    d["turn"] = -1
    before = copy.deepcopy(d)
    assert problems_of(FOUR, d)
    assert d == before


# -- Bytes: the same checks, and what only bytes can say --------------------------------------------------------------

HEADER = 8
SEAT = 280  # offset of the first desk in the state; a desk has 30 bytes

# (rules, offset, value, message)
BYTES: list[tuple[hf.Rules, int, int, str]] = [
    (FOUR, 4 * 16, 1, "posts: pieces of seat 4, which does not play"),
    (FOUR, 80, 1, "posts: a piece where there is no post"),
    (FOUR, 15, 128, "posts: a piece where there is no post"),
    (FOUR, 96 + 15, 128, "offices: a piece where there is no office"),
    (FOUR, 192, 1, "green: an office that cannot be there"),
    (EAST, 192, 0x10, "green: an office that cannot be there"),
    (EAST, 192, 0x05, "green: an office that cannot be there"),
    (FOUR, 248, 0x3F, "markers: a kind without a marker"),
    (BRITAIN, 240, 0xFF, "markers: a marker on a route that takes none"),
    (FOUR, 272 + 3, 255, "turn: too large"),
    (FOUR, SEAT + 5, 9, "players[0].abilities.keys: at most 4"),
    (FOUR, SEAT + 0, 27, "players[0]: too many pieces"),
    (FOUR, SEAT + 4 * 30, 1, "players[4]: does not play"),
    (FOUR, SEAT + 4 * 30 + 10, 1, "players[4]: does not play"),
    (FOUR, SEAT + 28, 1, "players[0].favours: cannot be there"),
    (FULL, SEAT + 28, 64, "players[0].favours: cannot be there"),
    (FOUR, SEAT + 29, 1, "players[0].mission: there are no missions in this game"),
    (FULL, SEAT + 29, 10, "players[0].mission: missing or unknown"),
    (FULL, SEAT + 29, 255, "players[0].mission: missing or unknown"),
    (FOUR, 472, 17, "pile: too long"),
    (FOUR, 430, 6, "pile: an unknown kind"),
    (FOUR, 430, 7, "pile: an unknown kind"),
    (FOUR, 430 + 15, 1, "pile: an unknown kind"),
    (FOUR, 465 + 6, 1, "plate: an unknown kind"),
    (FOUR, 446, 99, "extra: an office that cannot be there"),
    (FOUR, 447, 1, "extra: the list is not in the order of cities"),
    (FOUR, 451, 1, "extra: the list is not in the order of cities"),
    (FOUR, 460, 5, "east_west: an unknown seat"),
    (FOUR, 461, 1, "east_west: an unknown seat"),
    (FOUR, 456, 5, "prestige: an unknown seat or space"),
    (FOUR, 474, 1, "favours: there are none in this game"),
    (FOUR, 475, 1, "pawn: there is none in this game"),
    (TWO, 475, 16, "pawn: must stand in a province, except before the game"),
    (FOUR, 476, 16, "state: unknown flags"),
    (FOUR, 477, 4, "current: unknown seat"),
    (FOUR, 478, 4, "player: unknown seat"),
    (FOUR, 478, 255, "player: unknown seat"),
    (FOUR, 479, 16, "phase: unknown"),
    (FOUR, 481, 32, "state: unknown flags"),
    (FOUR, 481, 16 | 1, "(in a view all kinds of the pile are hidden)"),
    (FOUR, 482, 1, "state: unknown flags"),
    (FOUR, 483, 1, "pending: a value is out of range in phase main"),
    (FOUR, 491, 1, "state: spare bytes are not zero"),
    (FOUR, 480, 3, "actions: a fresh turn has 2"),
]


@pytest.mark.parametrize(("rules", "offset", "value", "message"), BYTES)
def test_wrong_bytes_are_named(rules: hf.Rules, offset: int, value: int, message: str) -> None:
    data = bytearray(rules.new(seed=1).to_bytes())
    assert data[HEADER + offset] != value
    data[HEADER + offset] = value
    with pytest.raises(hf.PositionError) as caught:
        hf.State.from_bytes(rules, bytes(data))
    assert any(message in problem for problem in caught.value.problems), caught.value.problems


@pytest.mark.parametrize(
    ("phase", "offset", "value", "message"),
    [
        ("pay", 0, 127, "pending: a value is out of range in phase pay"),
        ("answer", 2, 127, "pending.down: unknown post"),
        ("answer", 0, 39, "pending: a value is out of range in phase answer"),
        ("set", 5, 7, "pending.hand: unknown seat"),
        ("set", 4, 127, "pending: a value is out of range in phase set"),
        ("lift", 7, 1, "pending: a value is out of range in phase lift"),
        ("marker-route", 0, 6, "pending: a value is out of range in phase marker-route"),
    ],
)
def test_wrong_bytes_of_a_pending_decision_are_named(phase: str, offset: int, value: int, message: str) -> None:
    state = next(state for state in sample(FOUR) if state.phase == phase)
    data = bytearray(state.to_bytes())
    data[HEADER + 483 + offset] = value
    with pytest.raises(hf.PositionError, match=message):
        hf.State.from_bytes(FOUR, data)


def test_two_pieces_cannot_share_a_place() -> None:
    data = bytearray(FOUR.new(seed=1).to_bytes())
    for base, message in ((0, "posts: two players on one post"), (96, "offices: two players in one office")):
        spoiled = data.copy()
        spoiled[HEADER + base] = spoiled[HEADER + base + 16] = 1
        with pytest.raises(hf.PositionError, match=message):
            hf.State.from_bytes(FOUR, spoiled)


def test_a_view_hides_something() -> None:
    state = next(s for s in sample(OLD) if s.phase == "over" and not s.to_dict()["pile"])
    data = bytearray(state.to_bytes())
    data[HEADER + 481] |= 16
    with pytest.raises(hf.PositionError, match="a view in which nothing is hidden"):
        hf.State.from_bytes(OLD, data)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not a state, or one of another version"),
        (b"HF\x02\x00", "not a state, or one of another version"),
        (b"HF\x01\x00", "bytes: 504 are needed, not 4"),
        (b"HF\x01\x00" + bytes(500), "bytes: a state of other rules"),
        (OLD.new(seed=1).to_bytes(), "bytes: a state of other rules"),
        ("text", "bytes: must be bytes, not 'text'"),
        (504, "bytes: must be bytes, not 504"),
        (None, "bytes: must be bytes, not None"),
    ],
)
def test_bytes_of_something_else_are_refused(data: Any, message: str) -> None:
    with pytest.raises(hf.PositionError, match=message):
        hf.State.from_bytes(FOUR, data)


def test_positions_need_rules() -> None:
    no_rules: Any = "standard-4-5"
    with pytest.raises(TypeError, match=r"rules: must be hansa_fast\.Rules, not str"):
        hf.State.from_dict(no_rules, FOUR.new(seed=1).to_dict())
    with pytest.raises(TypeError, match=r"use Rules\.new"):
        hf.State()


def test_the_turn_limit_may_differ_between_states_of_the_same_rules() -> None:
    limited = hf.Rules(board="standard-4-5", players=4, turn_limit=9)
    d = limited.new(seed=1).to_dict()
    assert hf.State.from_dict(FOUR, d).to_dict() == d
    assert hf.State.from_bytes(FOUR, limited.new(seed=1).to_bytes()).to_dict() == d


def test_every_row_has_its_rules() -> None:
    assert {FOUR, FULL, OLD, TWO, EAST, BRITAIN} <= set(RULES)
