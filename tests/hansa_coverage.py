"""What compared games of Hansa (2004) should reach: phases, verbs, arrows, rare branches, ends."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import hansa_fast as hf
from tests import coverage
from tests.hansa_engines import BOARD, CITIES, COLOURS, KINDS
from tests.hansa_styles import Match
from tests.reference.hansa import Hansa, barrels_of, colour_of, of_colour

Branch = coverage.Branch[Hansa]
Taken = Callable[[Match, str], bool]

PHASES = ("place", "replenish", "main", "sell", "lose", "give", "over")
GOODS_VERBS = ("buy", "build", "sell", "lose", "give")
PLAIN_VERBS = ("replenish", "skip", "finish", "end")


def verb_of(match: Match, text: str) -> str:
    """The kind of a legal action: goods by their barrels, sailing by its arrow."""
    verb, _, what = text.partition(" ")
    if verb in GOODS_VERBS:
        return f"{verb} of {barrels_of(what)}"
    return f"sail {match.twin.ship} to {what}" if verb == "sail" else text


def good_of(text: str) -> str:
    return text.partition(" ")[2]


# --- replenishing ----------------------------------------------------------------------------------


def left(match: Match) -> int:
    """Markers in the piles."""
    return sum(map(len, match.twin.piles))


def replenishes(holds: Callable[[Match, int], bool]) -> Taken:
    """Whether warehouses are filled while this holds; it is told how many are empty."""
    return lambda match, text: text == "replenish" and holds(match, len(match.twin._empty_spaces()))


def drawn(match: Match, empty: int) -> list[int]:
    """How many markers are drawn from each pile."""
    out = []
    for pile in match.twin.piles:
        out.append(min(len(pile), empty))
        empty -= out[-1]
    return out


def fills_both(match: Match, _: int) -> bool:
    empty = [city for city, _ in match.twin._empty_spaces()]
    return len(set(empty)) < len(empty)


def empties_pile_four(match: Match, empty: int) -> bool:
    """H5: exactly, so that nothing of pile five is taken."""
    return drawn(match, empty)[3] == len(match.twin.piles[3]) > 0 == drawn(match, empty)[4]


def begins_pile_five(match: Match, empty: int) -> bool:
    return not match.twin._last_pile_begun() and drawn(match, empty)[4] > 0


def begins_pile_five_last(match: Match, empty: int) -> bool:
    """H5: the last seat of a round does, so the game ends with this turn."""
    return begins_pile_five(match, empty) and match.twin.current == len(match.twin.seats) - 1


# --- buying, building ------------------------------------------------------------------------------


def buys(holds: Callable[[Hansa, int | None], bool]) -> Taken:
    """Whether something is bought while this holds; it is told who has the majority."""
    return lambda match, text: text.startswith("buy ") and holds(match.twin, match.twin._majority(match.twin.ship))


def booths_here(twin: Hansa) -> list[int]:
    return twin.booths[twin.ship]


def cannot_pay(match: Match, _: str) -> bool:
    """H8: goods lie here, but there is no taler for them."""
    twin = match.twin
    if twin.phase != "main" or twin.acted or twin._me.talers or twin._majority(twin.ship) == twin.current:
        return False
    return any(good is not None for good in twin.warehouses[twin.ship])


def equal_markers(match: Match, text: str) -> bool:
    return text.startswith("buy ") and match.twin.warehouses[match.twin.ship].count(good_of(text)) == 2


def builds_fewer(match: Match, text: str) -> bool:
    return text.startswith("build ") and barrels_of(good_of(text)) > match.twin._me.booths


def no_booth_left(match: Match, _: str) -> bool:
    twin = match.twin
    return twin.phase == "main" and not twin.acted and twin._me.booths == 0 and twin._me.unsold.total() > 0


def builds_where_there_are_some(match: Match, text: str) -> bool:
    return text.startswith("build ") and booths_here(match.twin)[match.twin.current] > 0


# --- selling, losing -------------------------------------------------------------------------------


def picked(match: Match) -> dict[str, int]:
    assert match.twin.pending is not None
    found: dict[str, int] = match.twin.pending["picked"]
    return found


def sold_colours(match: Match, text: str) -> int:
    """Colours of the sale that the action finishes; 0 if it finishes none."""
    twin = match.twin
    if text == "finish":
        return len(picked(match))
    if not text.startswith("sell "):
        return 0
    colour = colour_of(good_of(text))
    before = picked(match) if twin.phase == "sell" else {}
    unsold = twin._me.unsold
    colours = {*before, colour}
    further = any(
        of_colour(unsold, other) - (other == colour) > (0 if other in colours else 1) for other in twin.colours
    )
    return 0 if further else len(colours)


def sells_colours(least: int, most: int) -> Taken:
    return lambda match, text: least <= sold_colours(match, text) <= most


def sells_last_booth(match: Match, text: str) -> bool:
    return sold_colours(match, text) > 0 and booths_here(match.twin)[match.twin.current] == 1


def keeps_some(match: Match, text: str) -> bool:
    """H10: of a colour that is sold not all markers are."""
    return text == "finish" and any(of_colour(match.twin._me.unsold, colour) for colour in picked(match))


def pick_is_refused(match: Match, _: str) -> bool:
    """H10: a single marker of a colour cannot be picked."""
    twin = match.twin
    if twin.phase != "main" or twin.acted or not booths_here(twin)[twin.current]:
        return False
    return any(of_colour(twin._me.unsold, colour) == 1 for colour in twin.colours)


def is_forced_pick(match: Match, text: str) -> bool:
    """H10: a colour has one marker yet, so the sale cannot be finished."""
    return text.startswith("sell ") and match.twin.phase == "sell" and "finish" not in match.actions


def no_booth_to_sell(match: Match, _: str) -> bool:
    twin = match.twin
    if twin.phase != "main" or twin.acted or booths_here(twin)[twin.current]:
        return False
    return any(of_colour(twin._me.unsold, colour) >= 2 for colour in twin.colours)


def victims(match: Match, text: str) -> int:
    """Opponents who will lose something by the sale that the action finishes."""
    if not sold_colours(match, text):
        return 0
    twin = match.twin
    colours = {*(picked(match) if twin.phase == "sell" else {})}
    if text != "finish":
        colours.add(colour_of(good_of(text)))
    return sum(
        any(of_colour(twin.players[seat].unsold, colour) for colour in colours)
        for seat in twin.seats
        if seat != twin.current
    )


def loses(holds: Callable[[Match], bool]) -> Taken:
    return lambda match, text: text.startswith("lose ") and holds(match)


def lost_before(match: Match) -> bool:
    """A colour of the same sale was lost before."""
    return bool(match.played) and match.played[-1].startswith("lose ")


def is_second_colour(match: Match) -> bool:
    twin = match.twin
    assert twin.pending is not None
    sold = twin.pending["sold"]
    return lost_before(match) and sold.index(twin.pending["colour"]) > 0


# --- the turn --------------------------------------------------------------------------------------


def steps_of_turn(match: Match) -> list[str]:
    """What was played in this turn, as far as it was played here."""
    out: list[str] = []
    for text in reversed(match.played):
        if text.startswith(("end", "give", "place")):
            break
        out.append(text)
    return out[::-1]


def sailed(match: Match, least: int) -> bool:
    return sum(text.startswith("sail ") for text in steps_of_turn(match)) >= least


def acts_at_start(match: Match, text: str) -> bool:
    """H7: the city where the turn began."""
    begun = match.played and not any(text.startswith("sail ") for text in steps_of_turn(match))
    return bool(begun) and match.twin.phase == "main" and text.startswith(("buy ", "build ", "sell "))


def comes_back(match: Match, text: str) -> bool:
    """H7: an action on a second visit of the same city in this turn."""
    cities = [good_of(step) for step in steps_of_turn(match) if step.startswith("sail ")]
    acts = match.twin.phase == "main" and text.startswith(("buy ", "build ", "sell "))
    return acts and bool(cities) and cities.count(cities[-1]) > 1


def ends_turn(match: Match, text: str) -> bool:
    """The action is the last one of the turn."""
    goods = match.twin._me.unsold.total()
    return (text == "end" and goods <= 3) or (text.startswith("give ") and goods == 4)


def ends_round(match: Match) -> bool:
    return match.twin.current == len(match.twin.seats) - 1


def is_limit(match: Match) -> bool:
    return match.twin.turn + 1 == match.twin.turn_limit


def taxes(talers: bool, goods: int) -> Taken:
    """Whether the turn ends with talers and so many goods (3: or more) above what taxes leave."""

    def is_taken(match: Match, text: str) -> bool:
        me = match.twin._me
        return text == "end" and (me.talers > 3) == talers and min(3, max(0, me.unsold.total() - 3)) == goods

    return is_taken


def everywhere(_: hf.Rules) -> bool:
    """The branch exists with any number of players."""
    return True


def with_three(rules: hf.Rules) -> bool:
    """The branch needs two opponents."""
    return rules.players >= 3


BRANCHES: list[Branch] = [
    Branch("H2 one space", everywhere, replenishes(lambda _, empty: empty == 1)),
    Branch("H2 both spaces of a city", everywhere, replenishes(fills_both)),
    Branch(
        "H2 all spaces, as there is no other answer", everywhere, replenishes(lambda match, _: len(match.actions) == 1)
    ),
    Branch("H2 from two piles", everywhere, replenishes(lambda match, empty: sum(map(bool, drawn(match, empty))) == 2)),
    Branch("H3 too few markers", everywhere, replenishes(lambda match, empty: empty > left(match))),
    Branch("H3 just enough markers", everywhere, replenishes(lambda match, empty: empty == left(match))),
    Branch("H4 from the income alone", everywhere, replenishes(lambda match, _: match.twin._me.talers == 3)),
    Branch("H5 pile four emptied exactly", everywhere, replenishes(empties_pile_four)),
    Branch("H5 pile five begun", everywhere, replenishes(begins_pile_five)),
    Branch("H5 pile five begun by the last seat", everywhere, replenishes(begins_pile_five_last)),
    Branch("H5 replenished in the last round", everywhere, replenishes(lambda match, _: match.twin._last_pile_begun())),
    Branch("H7 action where the turn began", everywhere, acts_at_start),
    Branch("H7 action on a second visit", everywhere, comes_back),
    Branch("H7 five sailings in a turn", everywhere, lambda match, text: text.startswith("sail ") and sailed(match, 4)),
    Branch("H8 free by majority", everywhere, buys(lambda twin, seat: seat == twin.current)),
    Branch(
        "H8 free without a taler", everywhere, buys(lambda twin, seat: seat == twin.current and not twin._me.talers)
    ),
    Branch("H8 paid to the majority", everywhere, buys(lambda twin, seat: seat not in (None, twin.current))),
    Branch(
        "H8 paid to the bank on a tie", everywhere, buys(lambda twin, seat: seat is None and any(booths_here(twin)))
    ),
    Branch(
        "H8 paid to the bank on a tie of others",
        with_three,
        buys(lambda twin, seat: seat is None and 0 < booths_here(twin)[twin.current] < max(booths_here(twin))),
    ),
    Branch("H8 paid to the bank without booths", everywhere, buys(lambda twin, _: not any(booths_here(twin)))),
    Branch("H8 cannot be paid", everywhere, cannot_pay),
    Branch("H8 equal markers", everywhere, equal_markers),
    Branch("H9 fewer booths than barrels", everywhere, builds_fewer),
    Branch("H9 no booth left", everywhere, no_booth_left),
    Branch("H9 more booths in a city", everywhere, builds_where_there_are_some),
    Branch("H10 sale of one colour", everywhere, sells_colours(1, 1)),
    Branch("H10 sale of two colours", everywhere, sells_colours(2, 2)),
    Branch("H10 sale of three colours or more", everywhere, sells_colours(3, 9)),
    Branch("H10 some are kept", everywhere, keeps_some),
    Branch(
        "H10 finished since nothing is left",
        everywhere,
        lambda match, text: text != "finish" and sold_colours(match, text) > 0,
    ),
    Branch("H10 second marker of a colour", everywhere, is_forced_pick),
    Branch("H10 single marker refused", everywhere, pick_is_refused),
    Branch("H10 no booth to sell from", everywhere, no_booth_to_sell),
    Branch("H10 last booth of the city", everywhere, sells_last_booth),
    Branch(
        "H11 nobody loses", everywhere, lambda match, text: sold_colours(match, text) > 0 and not victims(match, text)
    ),
    Branch("H11 one victim", everywhere, lambda match, text: victims(match, text) == 1),
    Branch("H11 two victims or more", with_three, lambda match, text: victims(match, text) > 1),
    Branch("H11 with a choice", everywhere, loses(lambda match: len(match.actions) > 1)),
    Branch("H11 without a choice", everywhere, loses(lambda match: len(match.actions) == 1)),
    Branch("H11 another colour", everywhere, loses(is_second_colour)),
    Branch("H11 past seat 0", everywhere, loses(lambda match: match.twin.player < match.twin.current)),
    Branch("H12 nothing", everywhere, taxes(talers=False, goods=0)),
    Branch("H12 talers only", everywhere, taxes(talers=True, goods=0)),
    Branch("H12 one marker", everywhere, taxes(talers=False, goods=1)),
    Branch("H12 several markers", everywhere, taxes(talers=False, goods=3)),
    Branch("H12 talers and markers", everywhere, taxes(talers=True, goods=2)),
    Branch("H12 in the last turn", everywhere, lambda match, text: text.startswith("give ") and is_limit(match)),
    Branch(
        "A6 limit within a round",
        everywhere,
        lambda match, text: ends_turn(match, text) and is_limit(match) and not ends_round(match),
    ),
    Branch(
        "A6 limit in the last round of all",
        everywhere,
        lambda match, text: ends_turn(match, text) and is_limit(match) and match.twin._last_pile_begun(),
    ),
]


@cache
def branches_of(rules: hf.Rules) -> list[Branch]:
    """The branches that exist under these rules."""
    return [branch for branch in BRANCHES if branch.exists(rules)]


class Coverage(coverage.Coverage[Hansa]):
    """Counts what the compared games reach."""

    def __init__(self, rules: hf.Rules) -> None:
        super().__init__(rules)
        self._turn = 0

    @staticmethod
    def expected(rules: hf.Rules) -> set[str]:
        """All that must be reached in games of these rules."""
        keys = {f"phase {phase}" for phase in PHASES}
        keys |= {f"verb {verb} of {barrels}" for verb in GOODS_VERBS for barrels in KINDS}
        keys |= {f"verb {verb}" for verb in PLAIN_VERBS}
        keys |= {f"verb sail {here} to {there}" for here, there in BOARD["routes"]}
        keys |= {f"verb place {city}" for city in CITIES if city != BOARD["start"]}
        keys |= {f"branch {branch.name}" for branch in branches_of(rules)}
        keys |= {f"asked to replenish: {why}" for why in ("yes", "no space is empty", "no marker is left")}
        keys |= {f"colour played {colour}" for colour in COLOURS}
        if rules.players + 2 < len(COLOURS):
            keys |= {f"colour taken out {colour}" for colour in COLOURS}
        keys |= {"end pile five", "end turn limit", "score unsold", "score sold", "score cities"}
        return keys | {"H14 booths decide", "ranks shared", "ranks distinct", "city alone", "city shared"}

    def keys(self, match: Match, text: str) -> list[str]:
        """The verb and the rare branches."""
        taken = [f"branch {branch.name}" for branch in branches_of(match.rules) if branch.is_taken(match, text)]
        return [f"verb {verb_of(match, text)}", *taken]

    def note_before(self, match: Match, _: str) -> None:
        """Nothing: a position says nothing that its actions do not."""
        self._turn = match.twin.turn

    def note_after(self, match: Match) -> None:
        """Why a turn began with replenishing or not."""
        twin = match.twin
        if twin.turn > self._turn and not twin.is_over:
            why = (
                "yes" if twin.phase == "replenish" else "no marker is left" if left(match) == 0 else "no space is empty"
            )
            self.counts[f"asked to replenish: {why}"] += 1

    def note_end(self, match: Match) -> None:
        """Colours, cities and ties."""
        twin = match.twin
        for colour in COLOURS:
            self.counts[f"colour {'played' if colour in twin.colours else 'taken out'} {colour}"] += 1
        for row in twin.booths.values():
            if any(row):
                self.counts["city shared" if sum(map(bool, row)) > 1 else "city alone"] += 1
        if twin.is_over:
            result = twin.result()
            places: dict[int, set[int]] = {}
            for score, rank in zip(result["scores"], result["ranks"], strict=True):
                places.setdefault(score["total"], set()).add(rank)
            self.counts["H14 booths decide"] += any(len(ranks) > 1 for ranks in places.values())
