"""What the picture and the terminal view both need to know: short names, tracks, and the meaning of a state's phase.

Everything here works on plain data: a parsed board file and the canonical dict of a state.
"""

from collections.abc import Mapping, Sequence
from typing import Any

Data = Mapping[str, Any]

ABILITIES = ("keys", "actions", "privilege", "book", "bank")

# The values of an ability by spaces developed; C is the whole stock.
TRACKS: dict[str, tuple[str, ...]] = {
    "keys": ("1", "2", "2", "3", "4"),
    "actions": ("2", "3", "3", "4", "4", "5"),
    "privilege": ("W", "O", "P", "B"),
    "book": ("2", "3", "4", "5"),
    "bank": ("3", "5", "7", "C"),
}

PRIVILEGE_LETTERS = {"white": "W", "orange": "O", "pink": "P", "black": "B"}

MARKER_LABELS = {
    "additional_post": "extra",
    "swap_posts": "swap",
    "actions_3": "+3",
    "actions_4": "+4",
    "develop_ability": "ability",
    "remove_3": "rem 3",
    "move_3": "move 3",
    "exchange_marker": "exch",
    "tribute": "tribute",
    "block_route": "block",
}

PERMANENT_LABELS = {
    "place_2": "place 2",
    "place_2_wales_scotland": "place 2 in W/S",
    "move_any_2": "move any 2",
    "develop_privilege": "privilege +1",
    "office_in_green_city": "green office",
}

FAVOUR_LABELS = {
    "relocate_anywhere": "relocate anywhere",
    "extra_action": "extra action",
    "income_follow": "income follow",
    "displaced_trader_2": "displaced trader 2",
    "city_control_double": "city control x2",
    "ability_7": "ability 7",
}

EAST_WEST_POINTS = (7, 4, 2)


def marker_label(kind: str) -> str:
    """The short label of a marker kind."""
    return MARKER_LABELS.get(kind, kind.replace("_", " "))


def permanent_label(kind: str) -> str:
    """The short label of a permanent marker."""
    return PERMANENT_LABELS.get(kind, kind.replace("_", " "))


def favour_label(tile: str) -> str:
    """The short label of a favour tile."""
    return FAVOUR_LABELS.get(tile, tile.replace("_", " "))


def route_name(route: Data) -> str:
    """The name of a route of the board file: `a-b`."""
    return f"{route['a']}-{route['b']}"


def post_names(route: Data) -> list[str]:
    """The names of a route's posts, counted from city `a`."""
    return [f"{route_name(route)} {number}" for number in range(1, len(route["posts"]) + 1)]


def parse_piece(piece: str) -> tuple[str, int]:
    """Shape and seat of a piece: `trader 2` is a trader of seat 2."""
    shape, seat = piece.split(" ")
    return shape, int(seat)


def player_name(seat: int, names: Sequence[str] | None) -> str:
    """The given name of a seat, or its number in words."""
    return names[seat] if names is not None and seat < len(names) else f"Seat {seat}"


def count_hidden(markers: Any) -> int:
    """How many markers lie face down, whether given as a list, by kind, or (in a player's view) as a number."""
    if isinstance(markers, Mapping):
        return sum(markers.values())
    return markers if isinstance(markers, int) else len(markers or ())


def piece_in_hand(state: Data) -> str | None:
    """The piece that is neither on the board nor on a desk, because its owner is just placing it."""
    pending = state["pending"] or {}
    if state["phase"] == "set":
        return str(pending["hand"])
    if state["phase"] == "answer-to":
        return f"{pending['hand']} {state['player']}"
    if state["phase"] == "answer" and pending["down"] is None:
        return f"{pending['shape']} {state['player']}"
    return None


def posts_in_question(state: Data) -> dict[str, str]:
    """Posts the pending decision is about, each with a word why."""
    pending = state["pending"] or {}
    words = {"post": "to take", "down": "displaced piece", "from": "lifted from"}
    return {pending[key]: word for key, word in words.items() if pending.get(key) is not None}


def plural(count: int, word: str) -> str:
    """`1 trader`, `2 traders`."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def pending_text(state: Data) -> str:
    """What the phase still has to know, in words; empty when nothing is pending."""
    pending = state["pending"]
    if not pending:
        return ""
    phase = state["phase"]
    if phase == "pay":
        return f"takes {pending['post']} with a {pending['shape']}"
    if phase in ("answer", "answer-to"):
        where = "in hand" if pending["down"] is None else f"now on {pending['down']}"
        text = (
            f"{pending['shape']} displaced from {pending['route']}, {where}, {plural(pending['extras'], 'extra')} left"
        )
        return f"{text}; {pending['hand']} lifted from {pending['from']}" if phase == "answer-to" else text
    if phase in ("lift", "set"):
        text = f"{pending['kind']}, {plural(pending['left'], 'lift')} left"
        if phase == "set":
            return f"{text}; {pending['hand']} lifted from {pending['from']}"
        return text if pending["lifted"] else f"{text}, none made"
    if phase == "remove":
        return f"{pending['left']} left" if pending["removed"] else f"{pending['left']} left, none removed"
    if phase == "flip":
        return f"for {pending['tile']}, {plural(pending['left'], 'marker')} to flip"
    if phase == "place-two":
        shapes = f"{plural(pending['traders'], 'trader')}, {plural(pending['merchants'], 'merchant')}"
        return f"{plural(pending['left'], 'piece')} left, out of {shapes}"
    if phase == "marker-route":
        return f"places {pending['kind']}"
    return ", ".join(f"{key} {value}" for key, value in pending.items())


def decision_text(state: Data, names: Sequence[str] | None = None) -> str:
    """Whose decision it is, in which phase, with how many actions left."""
    if state["player"] is None or state["player"] < 0:
        reasons = ", ".join(state["end"])
        return f"Game over: {reasons}" if reasons else "Game over"
    decides = player_name(state["player"], names)
    turn = "" if state["player"] == state["current"] else f" (turn of {player_name(state['current'], names)})"
    text = f"{decides} decides{turn}: {state['phase']}, {plural(state['actions'], 'action')} left"
    details = pending_text(state)
    return f"{text}: {details}" if details else text


def turn_flags(state: Data) -> list[str]:
    """The facts about the running turn that are true, in words."""
    words = {
        "fresh": "turn not begun",
        "acted": "acted",
        "actions_over": "actions over",
        "pawn_moved": "pawn moved",
    }
    return [word for key, word in words.items() if state[key]]


def turn_text(state: Data) -> str:
    """The number of finished turns and the limit."""
    limit = "" if state["turn_limit"] is None else f" of {state['turn_limit']}"
    return f"Turns finished: {state['turn']}{limit}"


def has_pawn(state: Data | None) -> bool:
    """Whether this is the game with the pawn and its provinces."""
    return state is not None and (state["pawn"] is not None or state["phase"] == "pawn")


def check_names(board: Data, state: Data) -> None:
    """Refuse a state that names what this board does not have; otherwise such pieces would silently not be drawn."""
    cities = {city["name"]: len(city["offices"]) for city in board["cities"]}
    routes = {route_name(route) for route in board["routes"]}
    posts = {post for route in board["routes"] for post in post_names(route)}
    spaces = {str(slot["points"]) for slot in (board.get("special_prestige") or {}).get("slots", ())}
    for key, known in (
        ("posts", posts),
        ("offices", set(cities)),
        ("extra", set(cities)),
        ("green", set(cities)),
        ("markers", routes),
        ("prestige", spaces),
    ):
        for name in state[key]:
            if name not in known:
                raise ValueError(f"{key}: {board['id']} has no {name!r}")
    barred = {route_name(route) for route in board["routes"] if not route["bonus_marker_allowed"]}
    for name in state["markers"]:
        if name in barred:
            raise ValueError(f"markers: no marker may lie on {name}")
    for name, offices in state["offices"].items():
        if len(offices) != cities[name]:
            raise ValueError(f"offices: {name} has {cities[name]} printed offices, not {len(offices)}")
    provinces = {province["id"] for province in (board.get("two_player") or {}).get("provinces", ())}
    if state["pawn"] is not None and state["pawn"] not in provinces:
        raise ValueError(f"pawn: {board['id']} has no province {state['pawn']!r}")
