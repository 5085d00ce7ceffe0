"""What compared games of Hansa Teutonica should reach: phases, verbs, markers, rare branches, ends."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import ClassVar

import hansa_fast as hf
from tests import coverage
from tests.engines import ABILITIES, DESK, load, marker_kinds, posts
from tests.reference.teutonica import SHAPES, Teutonica
from tests.teutonica_styles import Match, post_of

Branch = coverage.Branch[Teutonica]

PHASES: dict[str, Callable[[hf.Rules], bool]] = {
    "pawn": lambda rules: rules.players == 2,
    "main": lambda _: True,
    "pay": lambda _: True,
    "answer": lambda _: True,
    "answer-to": lambda _: True,
    "lift": lambda _: True,
    "set": lambda _: True,
    "remove": lambda rules: rules.edition == "2009",
    "favour-income": lambda rules: rules.favours,
    "flip": lambda rules: rules.favours,
    "develop-privilege": lambda rules: rules.board == "east",
    "green-office": lambda rules: rules.board == "east",
    "place-two": lambda rules: rules.board == "east" or rules.board.startswith("britannia"),
    "put-marker": lambda _: True,
    "marker-route": lambda _: True,
    "over": lambda _: True,
}
REWARD = re.compile(r" (none|office|develop|extra|prestige)(?: (.*))?$")


def verb_of(match: Match, text: str) -> str:
    """The kind of a legal action: its text without the places on the board."""
    words = text.split()
    verb = words[0]
    twin = match.twin
    if verb == "route":
        found = REWARD.search(text)
        assert found is not None
        kind, what = found.group(1), found.group(2)
        if kind == "extra":
            city, shape = what.rsplit(" ", 1)
            return f"route extra {shape}{' in a green city' if city in twin.green else ''}"
        return f"route {kind}" if kind in ("none", "office") else f"route {kind} {what}"
    if verb == "income":
        return "income with a merchant" if "merchant" in text else "income of traders"
    if verb == "use" and words[1] == "swap_posts":
        return f"use swap_posts{' in a green city' if ' '.join(words[2:-2]) in twin.green else ''}"
    if verb == "pawn":
        moment = "in the set-up" if twin.phase == "pawn" else "after an action" if twin.acted else "before an action"
        return "pawn action" if words[-1] == "action" else f"pawn {moment}"
    if verb in ("place", "displace", "answer", "place-two"):
        return f"{verb} {words[1]}"
    if verb == "set":
        exchange = "exchange" if post_of(match, text) in twin.posts else "free post"
        return f"set {twin.pending['kind']}, {exchange}"
    if verb in ("lift", "finish"):
        return f"{verb} {twin.pending['kind']}"
    if verb in ("skip", "stop", "decline"):
        return f"{verb} in {twin.phase}"
    if verb in ("answer-from", "to", "on", "remove"):
        return verb
    return text


def expected_verbs(rules: hf.Rules) -> set[str]:
    """All that `verb_of` can say under these rules."""
    kinds = list(marker_kinds(rules.edition))
    green = [city["name"] for city in load(rules.board)["cities"] if city["special"] == "green"]
    permanent = {route["permanent_marker"] for route in load(rules.board)["routes"]}
    abilities = {ability for city in load(rules.board)["cities"] for ability in city["abilities"]}
    verbs = {
        "income of traders",
        "income with a merchant",
        "move",
        "end",
        "decline in answer",
        "answer-from",
        "to",
        "on",
    }
    verbs |= {f"{verb} {shape}" for verb in ("place", "displace", "answer") for shape in SHAPES}
    verbs |= {"pay 1 trader", "pay 1 merchant", "pay 2 traders", "pay 1 trader 1 merchant", "pay 2 merchants"}
    verbs |= {"route none", "route office", "route extra trader", "route extra merchant"}
    verbs |= {f"route develop {ability}" for ability in abilities}
    verbs |= {f"route prestige {slot['points']}" for slot in load(rules.board)["special_prestige"]["slots"]}
    verbs |= {"use actions_3", "use actions_4", "use swap_posts"}
    verbs |= {f"use develop_ability {ability}" for ability in ABILITIES}
    verbs |= {f"put-marker {kind}" for kind in kinds}
    moves = ["move"]
    if rules.edition == "2009":
        verbs |= {"use remove_3", "remove", "stop in remove"}
    else:
        verbs.add("use move_3")
        moves.append("move_3")
    if "move_any_2" in permanent:
        moves.append("move_any_2")
    for move in moves:
        verbs |= {f"lift {move}", f"finish {move}", f"set {move}, free post", f"set {move}, exchange"}
    if rules.players == 2:
        verbs |= {"pawn in the set-up", "pawn before an action", "pawn after an action", "pawn action"}
    if rules.favours:
        verbs |= {f"favour {tile['id']}" for tile in load("emperors-favour")["tiles"]}
        verbs |= {f"flip {kind}" for kind in kinds}
        verbs |= {f"favour-income {shape}" for shape in SHAPES} | {"skip in favour-income"}
    if "develop_privilege" in permanent:
        verbs |= {"develop-privilege", "skip in develop-privilege"}
    if permanent & {"place_2", "place_2_wales_scotland"}:
        verbs |= {"place-two trader", "place-two merchant", "skip in place-two"}
    if green:
        verbs |= {f"green-office {city} {shape}" for city in green for shape in SHAPES} | {"skip in green-office"}
        verbs |= {"route extra trader in a green city", "route extra merchant in a green city"}
        verbs |= {"use swap_posts in a green city"}
    return verbs


def is_anywhere(rules: hf.Rules) -> bool:
    """The branch exists in every game."""
    return rules.game == "teutonica"


def has_country(rules: hf.Rules) -> bool:
    """The branch exists where a permission is needed."""
    return rules.board.startswith("britannia")


def has_boats(rules: hf.Rules) -> bool:
    """The branch exists where posts are for merchants only."""
    return len(posts(rules.board)) > len(posts(rules.board, boats=False))


def has_green(rules: hf.Rules) -> bool:
    """The branch exists where cities have no printed office."""
    return rules.board == "east"


def ring_of(match: Match, post: str) -> int:
    """The ring around the origin route in which the post lies; 0 if in none."""
    rings = match.twin.board.rings[match.twin.pending["route"]]
    return next((number for number, ring in enumerate(rings, 1) if post in ring), 0)


def answers_in_ring(least: int, most: int) -> Callable[[Match, str], bool]:
    """Whether the action puts a piece into one of these rings."""

    def is_taken(match: Match, text: str) -> bool:
        if not text.startswith(("answer trader", "answer merchant", "to ")):
            return False
        return not has_tile(match, "relocate_anywhere") and least <= ring_of(match, post_of(match, text)) <= most

    return is_taken


def has_tile(match: Match, tile: str) -> bool:
    """Whether the player who decides owns the tile."""
    return tile in match.twin.players[match.twin.player].favours


def is_extra(match: Match, text: str) -> bool:
    """Whether the action places an extra that is not lifted from a route."""
    if not text.startswith(("answer trader", "answer merchant")):
        return False
    pending = match.twin.pending
    return pending["down"] is not None or text.split()[1] != pending["shape"]


def extra_source(source: str) -> Callable[[Match, str], bool]:
    """Whether the action places an extra from stock or supply (D8)."""

    def is_taken(match: Match, text: str) -> bool:
        player = match.twin.players[match.twin.player]
        return is_extra(match, text) and ("stock" if player.stock.total() else "supply") == source

    return is_taken


def extra_comes_first(match: Match, text: str) -> bool:
    return is_extra(match, text) and match.twin.pending["down"] is None


def trader_passes_boats(match: Match, text: str) -> bool:
    """D6: the trader goes further than a merchant would."""
    if not text.startswith("answer trader") or has_tile(match, "relocate_anywhere"):
        return False
    near = match.twin._nearest_posts(match.twin.player, match.twin.pending["route"], "merchant")
    return bool(near) and ring_of(match, near[0]) < ring_of(match, post_of(match, text))


def free_posts(match: Match) -> int:
    return len(match.twin.board.posts) - len(match.twin.posts)


def can_be_crowded(rules: hf.Rules) -> bool:
    """The branch exists where the pieces suffice for all posts, some kept in hand."""
    return 30 * rules.players - 10 > len(posts(rules.board))


def displacement_is_closed(match: Match, text: str) -> bool:
    """D11: an opponent's piece within reach and purse cannot be displaced."""
    twin = match.twin
    if twin.phase != "main" or twin.actions == 0 or free_posts(match) > 12 or not text:
        return False
    supply = twin.players[twin.current].supply
    if supply["trader"] < 3:
        return False
    return any(
        post in twin.posts
        and twin.posts[post][1] != twin.current
        and post not in twin.board.boats
        and f"displace trader {post}" not in match.actions
        for route in twin._open_routes()
        for post in twin.board.posts_of[route]
    )


def extra_is_held_back(match: Match, text: str) -> bool:
    """D12: a free post of the ring is not offered to an extra, because the displaced piece needs it."""
    twin = match.twin
    if twin.phase != "answer" or twin.pending["down"] is not None or free_posts(match) > 40 or not text:
        return False
    source = twin._open_source(twin.player)
    other = "merchant" if twin.pending["shape"] == "trader" else "trader"
    if source is None or not source[other]:
        return False
    near = twin._nearest_posts(twin.player, twin.pending["route"], other)
    return any(f"answer {other} {post}" not in match.actions for post in near)


def own_post_was_nearest(match: Match, text: str) -> bool:
    """D10: the ring sought for the lifted piece holds its own post, which is not offered."""
    twin = match.twin
    if not text.startswith("to "):
        return False
    return twin.pending["from"] in twin._nearest_posts(twin.player, twin.pending["route"], twin.pending["hand"])


def extra_lifted_again(match: Match, text: str) -> bool:
    """D10: an extra just placed is taken again."""
    return text.startswith("answer-from ") and match.played[-1:] == [f"to {post_of(match, text)}"]


def answers_abroad(match: Match, text: str) -> bool:
    """D14: the origin route lies in Wales or Scotland."""
    twin = match.twin
    return text.startswith("answer ") and twin.board.region[twin.pending["route"]] in twin.board.foreign


def uses_permission(city: str) -> Callable[[Match, str], bool]:
    """B1-B4: placing or displacing abroad by the permission of this city."""

    def is_taken(match: Match, text: str) -> bool:
        twin = match.twin
        if not text.startswith(("place trader", "place merchant", "displace ")):
            return False
        country = twin.board.region[twin.board.route_of[post_of(match, text)]]
        return country in twin.board.foreign and twin._permission_city(country) == city

    return is_taken


def permission_is_spent(match: Match, text: str) -> bool:
    """B2: a permission was used before in this turn."""
    return text.startswith("place ") and bool(match.twin.permissions_used)


def is_moved_abroad(match: Match, text: str) -> bool:
    """B5: a piece in hand comes from Wales or Scotland."""
    twin = match.twin
    return (
        text.startswith("set ") and twin.board.region[twin.board.route_of[twin.pending["from"]]] in twin.board.foreign
    )


def lift_is_refused(match: Match, text: str) -> bool:
    """M3: a piece that may be moved cannot be lifted, for it would have nowhere to go."""
    twin = match.twin
    if twin.phase != "lift" or free_posts(match) > 40 or not text:
        return False
    kind = twin.pending["kind"]
    return any(
        f"lift {post}" not in match.actions for post, piece in twin.posts.items() if twin._may_be_moved(kind, piece)
    )


def marker_waits(match: Match, text: str) -> bool:
    """P3: at the end of a turn no route qualifies."""
    twin = match.twin
    return text == "end" and bool((twin.plate + twin._me.plate).total()) and not twin._marker_routes()


def marker_is_tried_again(match: Match, text: str) -> bool:
    """P3: a marker that waited on the plate can be placed now."""
    return text == "end" and bool(match.twin._me.plate.total()) and bool(match.twin._marker_routes())


def uses_after_last(match: Match, text: str) -> bool:
    """U1: a marker is used when no action is left."""
    return text.startswith("use ") and match.twin.actions == 0 and match.twin.acted


def uses_before_first(match: Match, text: str) -> bool:
    return text.startswith("use ") and not match.twin.acted


def gains_action(match: Match, text: str) -> bool:
    """A5: the number of actions rises."""
    return (
        text.endswith(" actions") and match.twin._me.abilities["actions"] in (0, 2, 4) and not match.twin.actions_over
    )


def gains_no_action(match: Match, text: str) -> bool:
    """A5: the number of actions stays."""
    return text.endswith(" actions") and match.twin._me.abilities["actions"] in (1, 3)


def gains_none_when_over(match: Match, text: str) -> bool:
    """F2, T1: developing actions gives none when the actions are over."""
    return text.endswith(" actions") and match.twin.actions_over


def fills_green(match: Match, text: str) -> bool:
    """X2: the first office of a green city."""
    twin = match.twin
    words = text.split()
    if words[0] == "green-office":
        return not twin._row(" ".join(words[1:-1]))
    found = REWARD.search(text) if words[0] == "route" else None
    if found is None or found.group(1) != "extra":
        return False
    city = found.group(2).rsplit(" ", 1)[0]
    return city in twin.green and not twin._row(city)


def answers_on_origin(match: Match, text: str) -> bool:
    """F5: back on the route it came from."""
    twin = match.twin
    return text.startswith("answer ") and twin.board.route_of[post_of(match, text)] == twin.pending["route"]


def brings_two(match: Match, text: str) -> bool:
    """F6."""
    pending = match.twin.pending
    return text.startswith("answer trader") and pending["shape"] == "trader" and pending["extras"] == 2


def takes_last_marker(match: Match, text: str) -> bool:
    """E8: the last marker of the pile is drawn, which ends nothing."""
    twin = match.twin
    found = REWARD.search(text) if text.startswith("route ") else None
    return found is not None and text[6 : found.start()] in twin.markers and len(twin.pile) == 1


def displaces_merchant(match: Match, text: str) -> bool:
    """D1: the fee is two."""
    return text.startswith("displace ") and match.twin.posts[post_of(match, text)][0] == "merchant"


BRANCHES = [
    Branch("D1 a merchant displaced", is_anywhere, displaces_merchant),
    Branch("D5 ring 1", is_anywhere, answers_in_ring(1, 1)),
    Branch("D5 ring 2", is_anywhere, answers_in_ring(2, 2)),
    Branch("D5 ring 3 or further", can_be_crowded, answers_in_ring(3, 99)),
    Branch("D6 a trader passes boats", has_boats, trader_passes_boats),
    Branch("D8 extra from stock", is_anywhere, extra_source("stock")),
    Branch("D8 extra from supply", is_anywhere, extra_source("supply")),
    Branch("D10 own post was nearest", is_anywhere, own_post_was_nearest),
    Branch("D10 an extra lifted again", is_anywhere, extra_lifted_again),
    Branch("D11 displacement closed", can_be_crowded, displacement_is_closed),
    Branch("D12 extra first", is_anywhere, extra_comes_first),
    Branch("D12 extra held back", can_be_crowded, extra_is_held_back),
    Branch("D14 answer abroad", has_country, answers_abroad),
    Branch("M3 lift refused", lambda rules: has_boats(rules) and can_be_crowded(rules), lift_is_refused),
    Branch("A5 an action more", is_anywhere, gains_action),
    Branch("A5 no action more", is_anywhere, gains_no_action),
    Branch("F2 T1 none when over", lambda rules: rules.favours or rules.players == 2, gains_none_when_over),
    Branch("E8 last marker drawn", is_anywhere, takes_last_marker),
    Branch("P3 marker waits", can_be_crowded, marker_waits),
    Branch("P3 marker tried again", is_anywhere, marker_is_tried_again),
    Branch("U1 before the first action", is_anywhere, uses_before_first),
    Branch("U1 after the last action", is_anywhere, uses_after_last),
    Branch("F5 on the origin route", lambda rules: rules.favours, answers_on_origin),
    Branch("F6 two for a trader", lambda rules: rules.favours, brings_two),
    Branch("X2 first office of a green city", has_green, fills_green),
    Branch("B1 permission of Cardiff", has_country, uses_permission("Cardiff")),
    Branch("B1 permission of London", has_country, uses_permission("London")),
    Branch("B1 permission of Carlisle", lambda rules: rules.board == "britannia-4-5", uses_permission("Carlisle")),
    Branch("B2 second use in a turn", has_country, permission_is_spent),
    Branch("B5 moved out of a country", has_country, is_moved_abroad),
]


@cache
def branches_of(rules: hf.Rules) -> list[Branch]:
    """The branches that exist under these rules."""
    return [branch for branch in BRANCHES if branch.exists(rules)]


END_REASONS = ("20 points", "completed cities", "no marker", "turn limit", "several reasons")
SCORE_PARTS = ("track", "abilities", "markers", "prestige", "cities", "network")


def most_connections(rules: hf.Rules) -> int:
    """How many places of the east-west connection can be expected: on the other boards the way lacks room for more."""
    return min(rules.players, 4) if rules.board.startswith("standard") else 2


class Coverage(coverage.Coverage[Teutonica]):
    """Counts what the compared games reach."""

    alike: ClassVar[Mapping[str, int]] = {"place": 6, "displace": 6}

    def __init__(self, rules: hf.Rules) -> None:
        super().__init__(rules)
        self._connected = 0

    @staticmethod
    def expected(rules: hf.Rules) -> set[str]:
        """All that must be reached in games of these rules."""
        keys = {f"phase {phase}" for phase, exists in PHASES.items() if exists(rules)}
        keys |= {f"verb {verb}" for verb in expected_verbs(rules)}
        keys |= {f"branch {branch.name}" for branch in BRANCHES if branch.exists(rules)}
        keys |= {f"ability {name} {level}" for name in ABILITIES for level in range(DESK[name] + 1)}
        keys |= {f"end {reason}" for reason in END_REASONS}
        keys |= {f"score {part}" for part in SCORE_PARTS} | {"ranks shared", "ranks distinct"}
        keys |= {f"east-west place {number}" for number in range(1, most_connections(rules) + 1)}
        keys |= {f"marker taken {kind}" for kind in marker_kinds(rules.edition)}
        permanent = {route["permanent_marker"] for route in load(rules.board)["routes"]} - {None}
        keys |= {f"permanent {kind}" for kind in permanent}
        if rules.missions:
            keys |= {"score missions", "score missions bonus"}
        if rules.favours:
            keys |= {f"tile owned {tile['id']}" for tile in load("emperors-favour")["tiles"]}
        if has_country(rules):
            keys |= {f"score {country}" for country in load(rules.board)["regions"] if country != "england"}
            keys |= {"country tie pooled"}
        keys |= {
            f"pawn in {p['id']}"
            for p in load(rules.board).get("two_player", {}).get("provinces", ())
            if rules.players == 2
        }
        return keys

    def keys(self, match: Match, text: str) -> list[str]:
        """The verb and the rare branches."""
        taken = [f"branch {branch.name}" for branch in branches_of(match.rules) if branch.is_taken(match, text)]
        return [f"verb {verb_of(match, text)}", *taken]

    def note_before(self, match: Match, text: str) -> None:
        """Abilities, tiles, the pawn and what a route is worth."""
        twin = match.twin
        counts = self.counts
        self._connected = len(twin.east_west)
        if twin.phase == "main":
            for name, level in twin._me.abilities.items():
                counts[f"ability {name} {level}"] += 1
            for tile in twin._me.favours:
                counts[f"tile owned {tile}"] += 1
            if twin.pawn:
                counts[f"pawn in {twin.pawn}"] += 1
            if text.startswith("route "):
                self._route(match, text)

    def _route(self, match: Match, text: str) -> None:
        found = REWARD.search(text)
        assert found is not None
        route = text[6 : found.start()]
        twin = match.twin
        if route in twin.markers:
            self.counts[f"marker taken {twin.markers[route]}"] += 1
        kind = twin.board.routes[route]["permanent_marker"]
        if kind:
            self.counts[f"permanent {kind}"] += 1

    def note_after(self, match: Match) -> None:
        """The places of the east-west connection."""
        for place in range(self._connected + 1, len(match.twin.east_west) + 1):
            self.counts[f"east-west place {min(place, 4)}"] += 1

    def note_end(self, match: Match) -> None:
        """The rarer parts of the scoring."""
        twin = match.twin
        scores = twin.scores()
        self.counts["score missions bonus"] += any(score["missions"] > 4 for score in scores)
        for country in twin.board.foreign:
            points = [score[country] for score in scores if score[country]]
            self.counts["country tie pooled"] += len(set(points)) < len(points)
