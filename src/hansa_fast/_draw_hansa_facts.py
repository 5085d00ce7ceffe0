"""What the picture and the terminal view of Hansa (2004) both need to know; plain data only."""

from collections.abc import Container, Iterable, Mapping, Sequence

from hansa_fast._draw_facts import Data, player_name, plural
from hansa_fast._hansa_board import PILES, check_board

ASPECT = 1.5  # width by height of a board whose file does not say it
UNSOLD_KEPT = 3  # markers a player may keep after the turn (H12)


def parse_good(good: str) -> tuple[str, int]:
    """Colour and barrels of a good: `orange 2` is two barrels of orange."""
    colour, barrels = good.split(" ")
    return colour, int(barrels)


def counted(good: str, count: int) -> str:
    """A good with its number if that is above one: `orange 2 x3`."""
    return f"{good} x{count}" if count > 1 else good


def majority(booths: Sequence[int]) -> int | None:
    """The seat with strictly most booths, who gets the taler of a buyer (H8)."""
    most = max(booths, default=0)
    return booths.index(most) if most and booths.count(most) == 1 else None


def booths_in(state: Data | None, city: str) -> Sequence[int]:
    """Booths by seat in a city."""
    return () if state is None else state["booths"].get(city, [0] * len(state["players"]))


def goods_in(state: Data | None, city: Data) -> Sequence[str | None]:
    """What lies in the warehouses of a city."""
    goods: Sequence[str | None] = (
        [None] * len(city["warehouses"]) if state is None else state["warehouses"][city["name"]]
    )
    return goods


def ports_from(board: Data, city: str) -> list[str]:
    """Where the arrows from a city lead."""
    return [end for start, end in board["routes"] if start == city]


def can_sail(state: Data | None) -> bool:
    """Whether sailing is possible now: it costs a taler."""
    return state is not None and state["phase"] == "main" and state["players"][state["player"]]["talers"] > 0


def is_last_round(board: Data, state: Data) -> bool:
    """Whether a marker was taken from pile five (H5)."""
    full = check_board(board).pile_sizes(len(state["players"]))[-1]
    return len(state["piles"][-1]) < full


def phase_text(state: Data, names: Sequence[str] | None) -> str:
    """What is being decided, in words."""
    phase, pending, ship = state["phase"], state["pending"], state["ship"]
    player = state["players"][state["player"]]
    if phase == "place":
        placed = sum(booths[state["player"]] > 0 for booths in state["booths"].values())
        return f"place two booths, round {placed + 1}"
    if phase == "replenish":
        return "replenish for a taler, or skip"
    if phase == "main":
        return f"main, {'has acted' if state['acted'] else 'may act'} in {ship}"
    if phase == "sell":
        picked = ", ".join(f"{count} {colour}" for colour, count in pending["picked"].items())
        return f"sell in {ship}, picked so far: {picked}"
    if phase == "lose":
        seller = player_name(state["current"], names)
        return f"lose a marker of {pending['colour']}, since {seller} sold {', '.join(pending['sold'])}"
    if phase == "give":
        return f"give, {plural(sum(player['unsold'].values()) - UNSOLD_KEPT, 'marker')} too many"
    return str(phase)


def decision_text(state: Data, names: Sequence[str] | None = None) -> str:
    """Whose decision it is and what is being decided."""
    if state["player"] is None:
        return f"Game over: {', '.join(state['end'])}"
    turn = "" if state["player"] == state["current"] else f" (turn of {player_name(state['current'], names)})"
    return f"{player_name(state['player'], names)} decides{turn}: {phase_text(state, names)}"


def check_names(board: Data, state: Data) -> None:
    """Refuse a state that names what this board does not have; otherwise such things would silently not be drawn."""
    cities = {city["name"]: len(city["warehouses"]) for city in board["cities"]}
    goods = {f"{colour} {barrels}" for colour in board["goods"]["colours"] for barrels in board["goods"]["barrels"]}
    colours = set(board["goods"]["colours"])
    pending: Mapping[str, object] = state["pending"] or {}

    def known(key: str, names: Iterable[object], among: Container[object]) -> None:
        for name in names:
            if name not in among:
                raise ValueError(f"{key}: {board['id']} has no {name!r}")

    known("ship", [state["ship"]], cities)
    known("warehouses", state["warehouses"], cities)
    known("booths", state["booths"], cities)
    known("colours", state["colours"], colours)
    known("removed", state["removed"], goods)
    known("piles", (good for pile in state["piles"] for good in pile if good != "hidden"), goods)
    for key in ("picked", "sold"):
        names = pending.get(key, ())
        known(f"pending.{key}", names if isinstance(names, Iterable) else [names], colours)
    known("pending.colour", [pending["colour"]] if "colour" in pending else [], colours)
    for seat, player in enumerate(state["players"]):
        for key in ("unsold", "sold"):
            known(f"players[{seat}].{key}", player[key], goods)
    for name, spaces in cities.items():
        if len(state["warehouses"].get(name, ())) != spaces:
            raise ValueError(f"warehouses: {name} has {plural(spaces, 'space')}")
        known(f"warehouses.{name}", (good for good in state["warehouses"][name] if good is not None), goods)
    for name, booths in state["booths"].items():
        if len(booths) != len(state["players"]):
            raise ValueError(f"booths: {name} needs a number for each of {plural(len(state['players']), 'seat')}")
    if len(state["piles"]) != PILES:
        raise ValueError(f"piles: there are {PILES}, not {len(state['piles'])}")
