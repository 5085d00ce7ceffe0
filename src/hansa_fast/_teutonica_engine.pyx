"""The engine of Hansa Teutonica: the rules of `_teutonica` with names, dicts, bytes and checks (`docs/formats.md`)."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from hansa_fast._bits cimport MASK_WORDS, mask_count, popcount
from hansa_fast._engine cimport PLANNER, Engine, decode_layout, encode_layout, shuffle, shuffle_bytes
from hansa_fast._teutonica cimport *
from hansa_fast._teutonica_planner cimport plan_id, plan_out

from hansa_fast import _boards
from hansa_fast._errors import PositionError, RulesError, shown
from hansa_fast._reader import Reader

PHASES = (
    "pawn", "main", "pay", "answer", "answer-to", "lift", "set", "remove", "favour-income", "flip",
    "develop-privilege", "green-office", "place-two", "put-marker", "marker-route", "over",
)
VERBS = frozenset({
    "income", "place", "displace", "move", "route", "use", "favour", "pawn", "end", "pay", "answer", "answer-from",
    "to", "decline", "lift", "set", "finish", "remove", "stop", "favour-income", "flip", "develop-privilege",
    "green-office", "place-two", "put-marker", "on", "skip",
})
REASONS = ("20 points", "completed cities", "no marker", "turn limit")
MOVES = ("move", "move_3", "move_any_2")
SHAPES = _boards.SHAPES
ABILITIES = _boards.ABILITIES
ACTION_SPACES = _boards.ABILITY_VALUES["actions"]
cdef int[5] FULL = [4, 5, 3, 3, 3]
cdef int[4] BOOKS = [2, 3, 4, 5]


cdef enum:              # of a state, which begins with its longest words and ends with bytes
    WORDS_64 = 34
    WORDS_32 = 2


cdef enum:
    MOST_HIDDEN = 64    # markers or mission cards that a redeal can have to shuffle


cdef class Teutonica(Engine):
    """Hansa Teutonica with its options compiled in."""

    def __cinit__(self, rules):
        cdef Table* t = &self.table
        memset(t, 0, sizeof(Table))
        self.board = _boards.load_board(rules.board)
        self.kinds = _boards.marker_kinds(rules.edition)
        self.tiles = _boards.favour_tiles()
        self.cards = _boards.mission_cards()
        self.seats = rules.players
        self.state_size = sizeof(State)
        compile_table(t, rules, self.board)

    cdef void legal(self, const void* state, uint64_t* mask) noexcept nogil:
        legal_ids(&self.table, <const State*>state, mask)

    cdef void apply(self, void* state, int action) noexcept nogil:
        apply_id(&self.table, <State*>state, action)

    cdef int player(self, const void* state) noexcept nogil:
        cdef const State* s = <const State*>state
        return -1 if s.phase == PH_OVER else s.player

    cdef int turn(self, const void* state) noexcept nogil:
        return <int>(<const State*>state).turn

    cdef void limit_turns(self, void* state, int limit) noexcept nogil:
        cdef State* s = <State*>state
        if limit and (not s.turn_limit or <uint32_t>limit < s.turn_limit):
            s.turn_limit = limit

    cdef int phase_index(self, const void* state) noexcept nogil:
        return (<const State*>state).phase

    cdef int playout(self, void* state, uint64_t* rng, int policy) noexcept nogil:
        if policy == PLANNER:
            return plan_out(&self.table, <State*>state, rng)
        return play_out(&self.table, <State*>state, rng, policy)

    cdef int choose(self, const void* state, const uint64_t* mask, uint64_t* rng, int policy) noexcept nogil:
        if policy == PLANNER:
            return plan_id(&self.table, <const State*>state, mask, rng)
        return choose_id(&self.table, <const State*>state, mask, rng, policy)

    cdef uint64_t perft(self, const void* state, int depth) noexcept nogil:
        return count_leaves(&self.table, <const State*>state, depth)

    cdef void totals(self, const void* state, int* points, int* ranks) noexcept nogil:
        cdef int score[5][12]
        cdef int p
        score_all(&self.table, <const State*>state, score)
        rank_all(&self.table, <const State*>state, score, ranks)
        for p in range(self.table.seats):
            points[p] = score[p][11]

    cdef bint needs_hidden(self, const void* state, int action) noexcept nogil:
        cdef const State* s = <const State*>state
        return s.phase == PH_MAIN and action == ID_DONE and s.hidden[UNKNOWN] != 0

    cdef int start(self, void* state, uint64_t seed, setup, turn_limit) except -1:
        """Section 2. Everything is drawn from the seed in a fixed order; the given parts replace what was drawn."""
        cdef State* s = <State*>state
        cdef Table* t = &self.table
        cdef int p, k
        memset(s, 0, sizeof(State))
        gold = [k for k in range(KINDS) for _ in range(t.kind_gold[k])]
        pile = [k for k in range(KINDS) for _ in range(t.kind_count[k] - t.kind_gold[k])]
        tiles = list(range(len(self.tiles)))
        cards = list(range(len(self.cards)))
        for items in (gold, pile, tiles, cards):
            shuffle(items, &seed)
        drawn = {"taverns": gold, "pile": pile, "favours": sorted(tiles[:t.seats]), "missions": cards[:t.seats]}
        drawn.update(read_setup(self, setup))
        for k in range(3):
            put_marker(s, t.taverns[k], drawn["taverns"][k])
        s.pile_size = len(drawn["pile"])
        for k, kind in enumerate(reversed(drawn["pile"])):
            s.pile[k] = kind
        for p in range(t.seats):
            s.seat[p].supply[TRADER] = 5 + p
            s.seat[p].supply[MERCHANT] = 1
            s.seat[p].stock[TRADER] = 6 - p
            if t.missions:
                s.seat[p].mission = drawn["missions"][p] + 1
        if t.favours:
            for k in drawn["favours"]:
                s.favours_open |= 1 << k
        s.turn_limit = turn_limit or 0
        s.actions = ACTION_SPACES[0]
        s.flags = FRESH
        to_phase(s, PH_MAIN, 0)
        if t.seats == 2:        # T6
            to_phase(s, PH_PAWN, 1)
        return 0

    cdef bint is_view(self, const void* state) noexcept:
        return (<const State*>state).flags & VIEW != 0

    cdef int hide(self, void* state, int player) except -1:
        """P1, F8: the pile, what was drawn in this turn, the missions of the others. Nothing once the game is over."""
        cdef State* s = <State*>state
        cdef int k, n = 0
        if s.phase == PH_OVER:
            return 0
        for k in range(s.pile_size):
            s.pile[k] = UNKNOWN
        for k in range(KINDS + 1):
            n += s.hidden[k]
            s.hidden[k] = 0
        s.hidden[UNKNOWN] = n
        if s.pile_size or n or self.table.missions:
            s.flags |= VIEW
        for k in range(self.table.seats):
            if self.table.missions and k != player:
                s.seat[k].mission = NONE
        return 0

    cdef void redeal(self, void* state, int player, uint64_t seed) noexcept nogil:
        """Draw anew, from the seed, all that the player cannot know."""
        cdef State* s = <State*>state
        cdef const Table* t = &self.table
        cdef uint8_t items[MOST_HIDDEN]
        cdef int left[KINDS]
        cdef int k, p, r, own, n = 0, hidden = 0
        if s.phase == PH_OVER and not s.flags & VIEW:
            return
        for k in range(KINDS):
            left[k] = t.kind_count[k]
            for p in range(t.seats):
                left[k] -= s.seat[p].unused[k] + s.seat[p].used[k] + s.seat[p].plate[k]
        for r in range(t.routes):
            if (s.marked >> r) & 1:
                left[marker_on(s, r)] -= 1
        for k in range(KINDS):
            for _ in range(left[k]):
                items[n] = k
                n += 1
        shuffle_bytes(items, n, &seed)
        for k in range(KINDS + 1):
            hidden += s.hidden[k]
            s.hidden[k] = 0
        for k in range(hidden):
            s.hidden[items[k]] += 1
        for k in range(s.pile_size):
            s.pile[k] = items[hidden + k]
        if t.missions:
            own = NONE if player < 0 else s.seat[player].mission
            n = 0
            for k in range(t.mission_cards):
                if k + 1 != own:
                    items[n] = k + 1
                    n += 1
            shuffle_bytes(items, n, &seed)
            for p in range(t.seats):
                if p != player or own == NONE:
                    n -= 1
                    s.seat[p].mission = items[n]
        s.flags &= ~VIEW

    cdef void drop_twins(self, const void* state, uint64_t* mask) noexcept nogil:
        drop_twin_posts(&self.table, <const State*>state, mask)

    cdef int encode(self, const void* state, unsigned char* out) except -1:
        return encode_layout(state, out, WORDS_64, WORDS_32, sizeof(State))

    cdef int decode(self, const unsigned char* data, void* state) except -1:
        return decode_layout(data, state, WORDS_64, WORDS_32, sizeof(State))

    cdef tuple phases(self):
        return PHASES

    cdef frozenset verbs(self):
        return VERBS

    cdef object unalias(self, text):
        for name, aliases in self.board.data.get("aliases", {}).items():
            for alias in aliases:
                text = text.replace(alias.casefold(), name.casefold())
        return text

    cdef object describe(self, const void* state, int action):
        return describe_action(self, <const State*>state, action)

    cdef object to_dict(self, const void* state):
        return state_to_dict(self, <const State*>state)

    cdef int from_dict(self, object value, void* state) except -1:
        return state_from_dict(self, value, <State*>state)

    cdef list problems(self, const void* state):
        return state_problems(self, <const State*>state)

    cdef object scores(self, const void* state):
        cdef int score[5][12]
        cdef int p, k
        score_all(&self.table, <const State*>state, score)
        names = ["track", "abilities", "markers", "prestige", "cities", "network", "missions"]
        columns = list(enumerate(names))
        for k in range(self.table.regions):
            if self.table.foreign[k]:
                columns.append((7 + k, self.board.data["regions"][k]))
        columns.append((11, "total"))
        return [{name: score[p][k] for k, name in columns} for p in range(self.table.seats)]

    cdef object result(self, const void* state):
        cdef const State* s = <const State*>state
        cdef int points[5]
        cdef int ranks[5]
        cdef int p
        self.totals(state, points, ranks)
        return {
            "reasons": end_reasons(s),
            "scores": self.scores(state),
            "ranks": [ranks[p] for p in range(self.table.seats)],
            "winners": [p for p in range(self.table.seats) if ranks[p] == 1],
        }


# ---------------------------------------------------------------------------------------------------------------------
# Texts
# ---------------------------------------------------------------------------------------------------------------------

cdef object pieces_text(int traders, int merchants):
    parts = []
    if traders:
        parts.append(f"{traders} trader{'s' if traders > 1 else ''}")
    if merchants:
        parts.append(f"{merchants} merchant{'s' if merchants > 1 else ''}")
    return " ".join(parts)


cdef object main_text(Teutonica engine, const State* s, int a):
    cdef const Table* t = &engine.table
    cdef uint64_t occ[2]
    cdef int r, g
    board = engine.board
    if a < ID_INCOME:
        occupied(s, occ)
        verb = "displace" if has_post(occ, a & 127) else "place"
        return f"{verb} {SHAPES[a >> 7]} {board.posts[a & 127]}"
    if a < ID_ROUTE_NONE:
        return "income " + pieces_text((a - ID_INCOME) & 31, (a - ID_INCOME) >> 5)
    if a < ID_DEVELOP:
        r = (a - ID_ROUTE_NONE) % 40
        route = f"route {board.routes[r]}"
        if a < ID_OFFICE_A:
            return f"{route} none"
        if a < ID_EXTRA:
            return f"{route} office {board.cities[t.route_city[r][(a - ID_OFFICE_A) // 40]]}"
        city = board.cities[t.route_city[r][(a - ID_EXTRA) // 80]]
        return f"{route} extra {city} {SHAPES[((a - ID_EXTRA) // 40) & 1]}"
    if a < ID_PRESTIGE:
        r = t.develop_route[a - ID_DEVELOP]
        return f"route {board.routes[r]} develop {ABILITIES[t.develop_ability[a - ID_DEVELOP]]}"
    if a < ID_PAY:
        return f"route {board.routes[t.prestige_route]} prestige {t.prestige_points[a - ID_PRESTIGE]}"
    if a < ID_ABILITY:
        return f"use {engine.kinds[a - ID_KIND]}"
    if a < ID_FAVOUR:
        return f"use develop_ability {ABILITIES[a - ID_ABILITY]}"
    if a < ID_PAWN:
        return f"favour {engine.tiles[a - ID_FAVOUR]}"
    if a < ID_PAWN_ACTION:
        return f"pawn {province_name(engine, a - ID_PAWN)}"
    if a < ID_GREEN:
        return f"pawn {province_name(engine, a - ID_PAWN_ACTION)} action"
    if a == ID_MOVE:
        return "move"
    if a == ID_DONE:
        return "end"
    if a < ID_SWAP_GREEN:
        r = t.swap_city[a - ID_SWAP]
        g = t.swap_left[a - ID_SWAP] - t.office_first[r]
    else:
        r = t.green_city[(a - ID_SWAP_GREEN) >> 5]
        g = (a - ID_SWAP_GREEN) & 31
    return f"use swap_posts {board.cities[r]} {g + 1} {g + 2}"


cdef object province_name(Teutonica engine, int k):
    return engine.board.data["two_player"]["provinces"][k]["id"]


cdef object describe_action(Teutonica engine, const State* s, int a):
    """The text of a legal action."""
    cdef int phase = s.phase
    board = engine.board
    if phase == PH_MAIN:
        return main_text(engine, s, a)
    if a == ID_DONE:
        return {PH_ANSWER: "decline", PH_LIFT: "finish", PH_REMOVE: "stop"}.get(phase, "skip")
    if a < ID_INCOME:
        post = board.posts[a & 127]
        if phase == PH_ANSWER:
            if s.pend[ANS_DOWN] != NONE and not (
                s.seat[s.player].stock[0] | s.seat[s.player].stock[1]
                | s.seat[s.player].supply[0] | s.seat[s.player].supply[1]
            ):
                return f"answer-from {post}"
            return f"answer {SHAPES[a >> 7]} {post}"
        if phase == PH_PLACE_TWO:
            return f"place-two {SHAPES[a >> 7]} {post}"
        verb = {PH_ANSWER_TO: "to", PH_LIFT: "lift", PH_SET: "set", PH_REMOVE: "remove"}[phase]
        return f"{verb} {post}"
    if phase == PH_PAY:
        return "pay " + ("1 trader", "1 merchant", "2 traders", "1 trader 1 merchant", "2 merchants")[a - ID_PAY]
    if phase == PH_FAVOUR_INCOME:
        return f"favour-income {SHAPES[a != ID_INCOME + 1]}"
    if phase == PH_FLIP:
        return f"flip {engine.kinds[a - ID_KIND]}"
    if phase == PH_PUT_MARKER:
        return f"put-marker {engine.kinds[a - ID_KIND]}"
    if phase == PH_MARKER_ROUTE:
        return f"on {board.routes[a - ID_ON_ROUTE]}"
    if phase == PH_GREEN_OFFICE:
        city = board.cities[engine.table.green_city[(a - ID_GREEN) >> 1]]
        return f"green-office {city} {SHAPES[(a - ID_GREEN) & 1]}"
    if phase == PH_PAWN:
        return f"pawn {province_name(engine, a - ID_PAWN)}"
    return "develop-privilege"


# ---------------------------------------------------------------------------------------------------------------------
# State to dict
# ---------------------------------------------------------------------------------------------------------------------

cdef list end_reasons(const State* s):
    return [reason for k, reason in enumerate(REASONS) if (s.end >> k) & 1]


cdef object piece_text(int seat, int shape):
    return f"{SHAPES[shape]} {seat}"


cdef dict kind_counts(Teutonica engine, const uint8_t* counts):
    return {kind: counts[k] for k, kind in enumerate(engine.kinds) if counts[k]}


cdef object pending_dict(Teutonica engine, const State* s):
    cdef int phase = s.phase
    posts = engine.board.posts
    if phase == PH_PAY:
        return {"post": posts[s.pend[PAY_POST]], "shape": SHAPES[s.pend[PAY_SHAPE]]}
    if phase == PH_ANSWER or phase == PH_ANSWER_TO:
        out = {
            "route": engine.board.routes[s.pend[ANS_ROUTE]],
            "shape": SHAPES[s.pend[ANS_SHAPE]],
            "down": None if s.pend[ANS_DOWN] == NONE else posts[s.pend[ANS_DOWN]],
            "extras": s.pend[ANS_EXTRAS],
        }
        if phase == PH_ANSWER_TO:
            out.update({"from": posts[s.pend[HAND_FROM]], "hand": SHAPES[s.pend[HAND_PIECE] >> 3]})
        return out
    if phase == PH_LIFT or phase == PH_SET:
        out = {"kind": MOVES[s.pend[MOVE_MODE]], "left": s.pend[MOVE_LEFT], "lifted": bool(s.pend[MOVE_LIFTED])}
        if phase == PH_SET:
            out.update({
                "from": posts[s.pend[HAND_FROM]],
                "hand": piece_text(s.pend[HAND_PIECE] & 7, s.pend[HAND_PIECE] >> 3),
            })
        return out
    if phase == PH_REMOVE:
        return {"left": s.pend[REM_LEFT], "removed": bool(s.pend[REM_DONE])}
    if phase == PH_FLIP:
        return {"tile": engine.tiles[s.pend[FLIP_TILE]], "left": s.pend[FLIP_LEFT]}
    if phase == PH_PLACE_TWO:
        return {"traders": s.pend[TWO_TRADERS], "merchants": s.pend[TWO_MERCHANTS], "left": s.pend[TWO_LEFT]}
    if phase == PH_MARKER_ROUTE:
        return {"kind": engine.kinds[s.pend[PUT_KIND]]}
    return None


cdef dict player_dict(Teutonica engine, const Seat* me):
    mission = None
    if me.mission:
        mission = "hidden" if me.mission == NONE else list(engine.cards[me.mission - 1])
    return {
        "supply": {"traders": me.supply[0], "merchants": me.supply[1]},
        "stock": {"traders": me.stock[0], "merchants": me.stock[1]},
        "points": me.points,
        "abilities": {name: me.ability[k] for k, name in enumerate(ABILITIES)},
        "markers": kind_counts(engine, me.unused),
        "used": kind_counts(engine, me.used),
        "plate": kind_counts(engine, me.plate),
        "favours": [tile for k, tile in enumerate(engine.tiles) if (me.favours >> k) & 1],
        "mission": mission,
    }


cdef dict state_to_dict(Teutonica engine, const State* s):
    cdef const Table* t = &engine.table
    cdef int p, c, k, i
    board = engine.board
    posts = {}
    for k in range(t.posts):
        p = owner_at(s, k)
        if p >= 0:
            posts[board.posts[k]] = piece_text(p, has_post(s.discs, k))
    offices = {}
    for c in range(t.cities):
        if filled_offices(t, s, c):
            row = [None] * t.office_count[c]
            for i in range(t.office_count[c]):
                k = t.office_first[c] + i
                for p in range(t.seats):
                    if has_post(s.office[p], k):
                        row[i] = piece_text(p, has_post(s.office_discs, k))
            offices[board.cities[c]] = row
    extra = {}
    for k in range(5):
        if s.extra_city[k]:
            row = extra.setdefault(board.cities[s.extra_city[k] - 1], [])
            row.append(piece_text(s.extra_piece[k] & 7, s.extra_piece[k] >> 3))
    green = {}
    for k in range(t.greens):
        row = [green_nibble(s, k, i) for i in range(green_count(s, k))]
        if row:
            green[board.cities[t.green_city[k]]] = [piece_text((v & 7) - 1, v >> 3) for v in row]
    plate = kind_counts(engine, s.hidden)
    if s.hidden[UNKNOWN]:
        plate["hidden"] = s.hidden[UNKNOWN]
    return {
        "turn": s.turn,
        "turn_limit": s.turn_limit or None,
        "current": s.current,
        "player": None if s.phase == PH_OVER else s.player,
        "phase": PHASES[s.phase],
        "actions": s.actions,
        "fresh": bool(s.flags & FRESH),
        "acted": bool(s.flags & ACTED),
        "actions_over": bool(s.flags & ACTIONS_OVER),
        "pawn": province_name(engine, s.pawn - 1) if s.pawn else None,
        "pawn_moved": bool(s.flags & PAWN_MOVED),
        "permissions_used": [
            board.cities[t.permission_city[k]] for k in range(t.permissions) if (s.permissions >> k) & 1
        ],
        "posts": posts,
        "offices": offices,
        "extra": extra,
        "green": green,
        "prestige": {str(t.prestige_points[k]): s.prestige[k] - 1 for k in range(t.prestige_slots) if s.prestige[k]},
        "completed": s.completed,
        "east_west": [s.east_west[k] - 1 for k in range(SEATS) if s.east_west[k]],
        "markers": {
            board.routes[k]: engine.kinds[marker_on(s, k)] for k in range(t.routes) if (s.marked >> k) & 1
        },
        "pile": [
            "hidden" if s.pile[k] == UNKNOWN else engine.kinds[s.pile[k]] for k in range(s.pile_size - 1, -1, -1)
        ],
        "plate": plate,
        "favours": [tile for k, tile in enumerate(engine.tiles) if (s.favours_open >> k) & 1],
        "end": end_reasons(s),
        "players": [player_dict(engine, &s.seat[p]) for p in range(t.seats)],
        "pending": pending_dict(engine, s),
    }


# ---------------------------------------------------------------------------------------------------------------------
# Dict to state
# ---------------------------------------------------------------------------------------------------------------------

class PieceReader(Reader):
    """Reads pieces as well."""

    def piece(self, value: object, where: str) -> int:
        """Seat plus 8 for a merchant."""
        if type(value) is str:
            shape, _, seat = value.partition(" ")
            if shape in SHAPES and seat in [str(p) for p in range(self.seats)]:
                return int(seat) + 8 * SHAPES.index(shape)
        self.fail(where, f"{shown(value)} is no piece; write 'trader 0' or 'merchant {self.seats - 1}'")
        return 0


STATE_KEYS = (
    "turn", "turn_limit", "current", "player", "phase", "actions", "fresh", "acted", "actions_over", "pawn",
    "pawn_moved", "permissions_used", "posts", "offices", "extra", "green", "prestige", "completed", "east_west",
    "markers", "pile", "plate", "favours", "end", "players", "pending",
)
PLAYER_KEYS = ("supply", "stock", "points", "abilities", "markers", "used", "plate", "favours", "mission")
PENDING_KEYS = {
    "pay": ("post", "shape"),
    "answer": ("route", "shape", "down", "extras"),
    "answer-to": ("route", "shape", "down", "extras", "from", "hand"),
    "lift": ("kind", "left", "lifted"),
    "set": ("kind", "left", "lifted", "from", "hand"),
    "remove": ("left", "removed"),
    "flip": ("tile", "left"),
    "place-two": ("traders", "merchants", "left"),
    "marker-route": ("kind",),
}


cdef int read_counts(Teutonica engine, reader, value, where, uint8_t* out) except -1:
    for kind, count in reader.table(value, where).items():
        k = reader.name(kind, engine.kinds, where, "kind of marker")
        out[<int>k] = reader.number(count, f"{where}.{kind}", 16)
        if count == 0:
            reader.fail(f"{where}.{kind}", "zeros are left out")
    return 0


cdef int read_tiles(Teutonica engine, reader, value, where) except -1:
    bits = 0
    for tile in reader.items(value, where, 6):
        bit = 1 << reader.name(tile, engine.tiles, where, "favour tile")
        if bit <= bits:
            reader.fail(where, "tiles are listed once, in the order of the tile file")
        bits |= bit
    return bits


cdef int read_card(Teutonica engine, reader, value, where) except -1:
    """Index of a mission card; 0 after a mistake."""
    cards = [list(card) for card in engine.cards]
    if type(value) is list and all(type(city) is str for city in value) and value in cards:
        return cards.index(value)
    reader.fail(where, f"{shown(value)} is no mission card; one is {cards[0]}")
    return 0


cdef int read_player(Teutonica engine, reader, value, where, Seat* me) except -1:
    cdef int k
    d = reader.table(value, where, PLAYER_KEYS)
    for key in ("supply", "stock"):
        pieces = reader.table(d.get(key), f"{where}.{key}", ("traders", "merchants"))
        for k, shape in enumerate(("traders", "merchants")):
            count = reader.number(pieces.get(shape), f"{where}.{key}.{shape}", 26)
            if key == "supply":
                me.supply[k] = count
            else:
                me.stock[k] = count
    me.points = reader.number(d.get("points"), f"{where}.points", 99)
    abilities = reader.table(d.get("abilities"), f"{where}.abilities", ABILITIES)
    for k, name in enumerate(ABILITIES):
        me.ability[k] = reader.number(abilities.get(name), f"{where}.abilities.{name}", FULL[k])
    read_counts(engine, reader, d.get("markers"), f"{where}.markers", me.unused)
    read_counts(engine, reader, d.get("used"), f"{where}.used", me.used)
    read_counts(engine, reader, d.get("plate"), f"{where}.plate", me.plate)
    me.favours = read_tiles(engine, reader, d.get("favours"), f"{where}.favours")
    mission = d.get("mission")
    if type(mission) is str and mission == "hidden":
        me.mission = NONE
    elif mission is not None:
        me.mission = read_card(engine, reader, mission, f"{where}.mission") + 1
    return 0


cdef int read_board(Teutonica engine, reader, d, State* s) except -1:
    """Pieces on posts and in cities."""
    cdef const Table* t = &engine.table
    cdef int c, k, p, i
    board = engine.board
    for post, value in reader.table(d.get("posts"), "posts").items():
        k = reader.name(post, board.posts, "posts", "post")
        p = reader.piece(value, f"posts.{post}")
        put_piece(s, p & 7, p >> 3, k)
    for city, row in reader.table(d.get("offices"), "offices").items():
        where = f"offices.{city}"
        c = reader.name(city, board.cities, "offices", "city")
        row = reader.items(row, where, 8)
        if len(row) != t.office_count[c] or not any(row):
            reader.fail(where, f"must list its {t.office_count[c]} printed offices, at least one of them occupied")
            continue
        for i, value in enumerate(row):
            if value is not None:
                k = t.office_first[c] + i
                p = reader.piece(value, where)
                s.office[p & 7][k >> 6] |= <uint64_t>1 << (k & 63)
                s.office_discs[k >> 6] |= <uint64_t>(p >> 3) << (k & 63)
    extras = []
    for city, row in reader.table(d.get("extra"), "extra").items():
        c = reader.name(city, board.cities, "extra", "city")
        row = reader.items(row, f"extra.{city}", 5)
        if not row:
            reader.fail(f"extra.{city}", "cities without extra offices are left out")
        extras += [(c, reader.piece(value, f"extra.{city}")) for value in row]
    extras.sort(key=lambda entry: entry[0])
    if len(extras) > 5:
        reader.fail("extra", "there are at most five extra offices")
    for k, entry in enumerate(extras[:5]):
        s.extra_city[k] = entry[0] + 1
        s.extra_piece[k] = entry[1]
    greens = [board.cities[c] for c in board.green_cities]
    for city, row in reader.table(d.get("green"), "green").items():
        k = reader.name(city, greens, "green", "green city")
        row = reader.items(row, f"green.{city}", GREEN_OFFICES)
        if not row:
            reader.fail(f"green.{city}", "cities without such offices are left out")
        if greens:
            for i, value in enumerate(row):
                p = reader.piece(value, f"green.{city}")
                set_green(s, k, i, (p & 7) + 1 + (p & 8))
    slots = [str(t.prestige_points[k]) for k in range(t.prestige_slots)]
    for points, seat in reader.table(d.get("prestige"), "prestige").items():
        k = reader.name(points, slots, "prestige", "space of special prestige")
        s.prestige[k] = reader.seat(seat, f"prestige.{points}") + 1
    return 0


cdef int read_markers(Teutonica engine, reader, d, State* s) except -1:
    """Markers on routes, the pile and what was drawn."""
    cdef int r, k
    for route, kind in reader.table(d.get("markers"), "markers").items():
        r = reader.name(route, engine.board.routes, "markers", "route")
        put_marker(s, r, reader.name(kind, engine.kinds, f"markers.{route}", "kind of marker"))
    pile = reader.items(d.get("pile"), "pile", 16)
    s.pile_size = len(pile)
    hidden = (*engine.kinds, "hidden")
    for k, kind in enumerate(reversed(pile)):
        s.pile[k] = reader.name(kind, hidden, "pile", "kind of marker")
    for kind, count in reader.table(d.get("plate"), "plate").items():
        k = reader.name(kind, hidden, "plate", "kind of marker")
        if reader.number(count, f"plate.{kind}", 16) == 0:
            reader.fail(f"plate.{kind}", "zeros are left out")
        else:
            s.hidden[k] = count
    return 0


cdef int read_pending(Teutonica engine, reader, value, State* s) except -1:
    cdef int phase = s.phase
    board = engine.board
    keys = PENDING_KEYS.get(PHASES[phase])
    if keys is None:
        if value is not None:
            reader.fail("pending", f"must be null in phase {PHASES[phase]}")
        return 0
    d = reader.table(value, "pending", keys)

    def post(key):
        return reader.name(d.get(key), board.posts, f"pending.{key}", "post")

    def shape(key):
        return reader.name(d.get(key), SHAPES, f"pending.{key}", "shape")

    if phase == PH_PAY:
        s.pend[PAY_POST] = post("post")
        s.pend[PAY_SHAPE] = shape("shape")
    elif phase == PH_ANSWER or phase == PH_ANSWER_TO:
        s.pend[ANS_ROUTE] = reader.name(d.get("route"), board.routes, "pending.route", "route")
        s.pend[ANS_SHAPE] = shape("shape")
        s.pend[ANS_DOWN] = NONE if d.get("down") is None else post("down")
        s.pend[ANS_EXTRAS] = reader.number(d.get("extras"), "pending.extras", 2)
        if phase == PH_ANSWER_TO:
            s.pend[HAND_FROM] = post("from")
            s.pend[HAND_PIECE] = s.player + 8 * shape("hand")
    elif phase == PH_LIFT or phase == PH_SET:
        s.pend[MOVE_MODE] = reader.name(d.get("kind"), MOVES, "pending.kind", "kind of move")
        s.pend[MOVE_LEFT] = reader.number(d.get("left"), "pending.left", 5)
        s.pend[MOVE_LIFTED] = reader.flag(d.get("lifted"), "pending.lifted")
        if phase == PH_SET:
            s.pend[HAND_FROM] = post("from")
            s.pend[HAND_PIECE] = reader.piece(d.get("hand"), "pending.hand")
    elif phase == PH_REMOVE:
        s.pend[REM_LEFT] = reader.number(d.get("left"), "pending.left", 3)
        s.pend[REM_DONE] = reader.flag(d.get("removed"), "pending.removed")
    elif phase == PH_FLIP:
        s.pend[FLIP_TILE] = reader.name(d.get("tile"), engine.tiles, "pending.tile", "favour tile")
        s.pend[FLIP_LEFT] = reader.number(d.get("left"), "pending.left", 2)
    elif phase == PH_PLACE_TWO:
        s.pend[TWO_TRADERS] = reader.number(d.get("traders"), "pending.traders", 26)
        s.pend[TWO_MERCHANTS] = reader.number(d.get("merchants"), "pending.merchants", 4)
        s.pend[TWO_LEFT] = reader.number(d.get("left"), "pending.left", 2)
        s.pend[TWO_FOREIGN] = has_permanent(&engine.table, PERM_PLACE_FOREIGN)
    elif phase == PH_MARKER_ROUTE:
        s.pend[PUT_KIND] = reader.name(d.get("kind"), engine.kinds, "pending.kind", "kind of marker")
    return 0


cdef int state_from_dict(Teutonica engine, value, State* s) except -1:
    """Fill the state, or raise a `PositionError` that names everything that cannot be read."""
    cdef const Table* t = &engine.table
    cdef int p, k
    memset(s, 0, sizeof(State))
    reader = PieceReader(t.seats)
    d = reader.table(value, "state", STATE_KEYS)
    s.turn = reader.number(d.get("turn"), "turn", LAST_TURN)
    if d.get("turn_limit") is not None:
        s.turn_limit = reader.number(d.get("turn_limit"), "turn_limit", LAST_TURN)
        if not s.turn_limit:
            reader.fail("turn_limit", "must be at least 1, or null")
    s.current = reader.seat(d.get("current"), "current")
    s.phase = reader.name(d.get("phase"), PHASES, "phase", "phase")
    if s.phase == PH_OVER:
        s.player = NONE
        if d.get("player") is not None:
            reader.fail("player", "must be null when the game is over")
    else:
        s.player = reader.seat(d.get("player"), "player")
    s.actions = reader.number(d.get("actions"), "actions", 99)
    for key, bit in (("fresh", FRESH), ("acted", ACTED), ("actions_over", ACTIONS_OVER), ("pawn_moved", PAWN_MOVED)):
        if reader.flag(d.get(key), key):
            s.flags |= bit
    if d.get("pawn") is not None:
        names = [province_name(engine, k) for k in range(t.provinces)]
        s.pawn = reader.name(d.get("pawn"), names, "pawn", "province") + 1
    cities = [engine.board.cities[t.permission_city[k]] for k in range(t.permissions)]
    for city in reader.items(d.get("permissions_used"), "permissions_used", 4):
        k = 1 << reader.name(city, cities, "permissions_used", "city that gives a permission")
        if k <= s.permissions:
            reader.fail("permissions_used", "cities are listed once, in the order of the board file")
        s.permissions |= k
    read_board(engine, reader, d, s)
    s.completed = reader.number(d.get("completed"), "completed", 32)
    for k, seat in enumerate(reader.items(d.get("east_west"), "east_west", t.seats)):
        s.east_west[k] = reader.seat(seat, "east_west") + 1
    read_markers(engine, reader, d, s)
    s.favours_open = read_tiles(engine, reader, d.get("favours"), "favours")
    for reason in reader.items(d.get("end"), "end", 4):
        k = 1 << reader.name(reason, REASONS, "end", "reason")
        if k <= s.end:
            reader.fail("end", f"reasons are listed once, in the order {REASONS}")
        s.end |= k
    players = reader.items(d.get("players"), "players", SEATS)
    if len(players) != t.seats:
        reader.fail("players", f"must list {t.seats} players")
    for p, player in enumerate(players[:t.seats]):
        read_player(engine, reader, player, f"players[{p}]", &s.seat[p])
        if s.seat[p].mission == NONE:
            s.flags |= VIEW
    if s.hidden[UNKNOWN] or (s.pile_size and s.pile[0] == UNKNOWN):
        s.flags |= VIEW
    read_pending(engine, reader, d.get("pending"), s)
    if reader.wrong:
        raise PositionError(reader.wrong)
    return 0


# ---------------------------------------------------------------------------------------------------------------------
# Checks
# ---------------------------------------------------------------------------------------------------------------------

cdef enum:
    LAST_POINTS = 4     # that an action can bring besides the east-west connection: two controlled cities and a coin


cdef bint has_permanent(const Table* t, int kind) noexcept:
    cdef int r
    for r in range(t.routes):
        if t.permanent[r] == kind:
            return True
    return False


cdef list range_problems(Teutonica engine, const State* s):
    """What could not even be read safely. Nothing else is checked when this finds something."""
    cdef const Table* t = &engine.table
    cdef int p, k, i, v
    cdef uint64_t seen[2]
    cdef uint64_t offices[2]
    cdef bint view = s.flags & VIEW != 0
    out = []
    seen[0] = seen[1] = offices[0] = offices[1] = 0
    for p in range(SEATS):
        for k in range(2):
            if s.own[p][k] & seen[k]:
                out.append("posts: two players on one post")
            if s.office[p][k] & offices[k]:
                out.append("offices: two players in one office")
            seen[k] |= s.own[p][k]
            offices[k] |= s.office[p][k]
        if p >= t.seats and (s.own[p][0] | s.own[p][1] | s.office[p][0] | s.office[p][1]):
            out.append(f"posts: pieces of seat {p}, which does not play")
    for k in range(2):
        if seen[k] & ~t.all[k] or s.discs[k] & ~seen[k] or s.office_discs[k] & ~offices[k]:
            out.append("posts: a piece where there is no post")
    for i in range(t.offices, 128):
        if has_post(offices, i):
            out.append("offices: a piece where there is no office")
            break
    for k in range(3):
        for i in range(GREEN_OFFICES):
            v = green_nibble(s, k, i)
            if v and (k >= t.greens or (v & 7) == 0 or (v & 7) > t.seats or i and not green_nibble(s, k, i - 1)):
                out.append("green: an office that cannot be there")
                break
        if s.marker_kind[k] & ~s.marked:
            out.append("markers: a kind without a marker")
    if s.marked & ~t.marker_routes:
        out.append("markers: a marker on a route that takes none")
    for k in range(t.routes):
        if (s.marked >> k) & 1 and marker_on(s, k) >= KINDS:
            out.append("markers: an unknown kind")
    for p in range(SEATS):
        for k in range(5):
            if s.seat[p].ability[k] > (FULL[k] if p < t.seats else 0):
                out.append(f"players[{p}].abilities.{ABILITIES[k]}: at most {FULL[k]}")
        v = s.seat[p].favours
        if v >= 64 or v and (not t.favours or p >= t.seats):
            out.append(f"players[{p}].favours: cannot be there")
        v = s.seat[p].mission
        if p >= t.seats or not t.missions:
            if v:
                out.append(f"players[{p}].mission: there are no missions in this game")
        elif not v or v > t.mission_cards and not (v == NONE and view):
            out.append(f"players[{p}].mission: missing or unknown")
        if p >= t.seats:
            for k in range(KINDS):
                if s.seat[p].unused[k] | s.seat[p].used[k] | s.seat[p].plate[k]:
                    out.append(f"players[{p}]: does not play")
            if s.seat[p].supply[0] | s.seat[p].supply[1] | s.seat[p].stock[0] | s.seat[p].stock[1] | s.seat[p].points:
                out.append(f"players[{p}]: does not play")
        for k in range(2):
            if s.seat[p].supply[k] > 26 or s.seat[p].stock[k] > 26:
                out.append(f"players[{p}]: too many pieces")
    if s.pile_size > 16:
        out.append("pile: too long")
    else:
        for k in range(16):
            v = s.pile[k]
            if v and k >= s.pile_size or k < s.pile_size and (v > UNKNOWN or (v == UNKNOWN) != view):
                out.append("pile: an unknown kind" + (" (in a view all kinds of the pile are hidden)" if view else ""))
                break
    for k in range(KINDS):
        if view and s.hidden[k]:
            out.append("plate: in a view the drawn markers are hidden")
            break
    if s.hidden[UNKNOWN] and not view:
        out.append("plate: an unknown kind")
    if view and not s.pile_size and not s.hidden[UNKNOWN] and not any(s.seat[p].mission == NONE for p in range(SEATS)):
        out.append("state: a view in which nothing is hidden")
    for k in range(5):
        if s.extra_city[k] > t.cities or (s.extra_piece[k] & 7) >= t.seats or s.extra_piece[k] > 15:
            out.append("extra: an office that cannot be there")
        if (s.extra_city[k] and k and not 0 < s.extra_city[k - 1] <= s.extra_city[k]) or (
            s.extra_piece[k] and not s.extra_city[k]
        ):
            out.append("extra: the list is not in the order of cities")
        if s.east_west[k] > t.seats or (s.east_west[k] and k and not s.east_west[k - 1]):
            out.append("east_west: an unknown seat")
    for k in range(4):
        if s.prestige[k] > (t.seats if k < t.prestige_slots else 0):
            out.append("prestige: an unknown seat or space")
    for k in range(<int>sizeof(s.spare)):
        if s.spare[k]:
            out.append("state: spare bytes are not zero")
            break
    if s.favours_open >= 64 or s.favours_open and not t.favours:
        out.append("favours: there are none in this game")
    if s.phase > PH_OVER:
        out.append("phase: unknown")
    if s.current >= t.seats:
        out.append("current: unknown seat")
    if s.player != NONE if s.phase == PH_OVER else s.player >= t.seats:
        out.append("player: unknown seat")
    if s.flags >= 32 or s.end >= 16 or s.permissions >= 1 << t.permissions:
        out.append("state: unknown flags")
    if s.turn > LAST_TURN or s.turn_limit > LAST_TURN:
        out.append("turn: too large")
    if t.seats == 2:
        if s.pawn > t.provinces or (s.pawn == 0) != (s.phase == PH_PAWN):
            out.append("pawn: must stand in a province, except before the game")
    elif s.pawn or s.phase == PH_PAWN:
        out.append("pawn: there is none in this game")
    return out or pending_ranges(engine, s)


cdef list pending_ranges(Teutonica engine, const State* s):
    """The bytes of the pending decision."""
    cdef const Table* t = &engine.table
    cdef int k, phase = s.phase
    cdef int[8] top
    for k in range(PENDING):
        top[k] = 0
    if phase == PH_PAY:
        top[PAY_POST], top[PAY_SHAPE] = t.posts - 1, 1
    elif phase == PH_ANSWER or phase == PH_ANSWER_TO:
        top[ANS_ROUTE], top[ANS_SHAPE], top[ANS_DOWN], top[ANS_EXTRAS] = t.routes - 1, 1, NONE, 2
        if s.pend[ANS_DOWN] >= t.posts and s.pend[ANS_DOWN] != NONE:
            return ["pending.down: unknown post"]
    elif phase == PH_LIFT or phase == PH_SET:
        top[MOVE_MODE], top[MOVE_LEFT], top[MOVE_LIFTED] = 2, 5, 1
    elif phase == PH_REMOVE:
        top[REM_LEFT], top[REM_DONE] = 3, 1
    elif phase == PH_FLIP:
        top[FLIP_TILE], top[FLIP_LEFT] = 5, 2
    elif phase == PH_PLACE_TWO:
        top[TWO_TRADERS], top[TWO_MERCHANTS], top[TWO_LEFT], top[TWO_FOREIGN] = 26, 4, 2, 1
    elif phase == PH_MARKER_ROUTE:
        top[PUT_KIND] = 5
    if phase == PH_SET or phase == PH_ANSWER_TO:
        top[HAND_FROM], top[HAND_PIECE] = t.posts - 1, 15
        if (s.pend[HAND_PIECE] & 7) >= t.seats:
            return ["pending.hand: unknown seat"]
    for k in range(PENDING):
        if s.pend[k] > top[k]:
            return [f"pending: a value is out of range in phase {PHASES[phase]}"]
    return []


cdef int count_pieces(const Table* t, const State* s, int seat, int shape) except -1:
    """All pieces of a seat and shape, the desk and the hand included, the score marker not."""
    cdef int k, i, n = s.seat[seat].supply[shape] + s.seat[seat].stock[shape]
    for k in range(2):
        n += popcount(s.own[seat][k] & (s.discs[k] if shape else ~s.discs[k]))
        n += popcount(s.office[seat][k] & (s.office_discs[k] if shape else ~s.office_discs[k]))
    for k in range(5):
        if s.extra_city[k] and s.extra_piece[k] == seat + 8 * shape:
            n += 1
        if (k == BOOK) == (shape == MERCHANT):
            n += FULL[k] - s.seat[seat].ability[k]
    for k in range(t.greens):
        for i in range(GREEN_OFFICES):
            if green_nibble(s, k, i) == seat + 1 + 8 * shape:
                n += 1
    for k in range(4):
        if shape == MERCHANT and s.prestige[k] == seat + 1:
            n += 1
    if s.phase == PH_ANSWER or s.phase == PH_ANSWER_TO:
        if s.pend[ANS_DOWN] == NONE and seat == s.player and s.pend[ANS_SHAPE] == shape:
            n += 1
    if s.phase == PH_SET or s.phase == PH_ANSWER_TO:
        if s.pend[HAND_PIECE] == seat + 8 * shape:
            n += 1
    return n


cdef list piece_problems(Teutonica engine, const State* s):
    cdef const Table* t = &engine.table
    cdef int p, k, c, bits, n, full = 0
    out = []
    for p in range(t.seats):
        for k, total in enumerate((26, 4)):
            n = count_pieces(t, s, p, k)
            if n != total:
                out.append(f"players[{p}]: {n} {SHAPES[k]}s in all, must be {total} (besides the score marker)")
        n = 0
        for k in range(5):
            if s.extra_city[k] and (s.extra_piece[k] & 7) == p:
                n += 1
        if n > s.seat[p].used[ADDITIONAL_POST]:
            out.append(f"extra: seat {p} has {n} but used only {s.seat[p].used[ADDITIONAL_POST]} markers for them")
    for k in range(t.posts):
        if owner_at(s, k) >= 0 and not has_post(s.discs, k) and not has_post(t.land, k):
            out.append(f"posts.{engine.board.posts[k]}: a boat takes merchants only")
    for c in range(t.cities):
        bits = 0
        for p in range(t.seats):
            bits |= city_offices(t, s.office[p], c)
        if bits & (bits + 1):
            out.append(f"offices.{engine.board.cities[c]}: must be filled from the left")
        if t.green_of[c] >= 0:
            full += has_any_office(t, s, c)
        else:
            full += bits == (1 << t.office_count[c]) - 1
            for k in range(5):
                if s.extra_city[k] == c + 1 and not bits:
                    out.append(f"extra.{engine.board.cities[c]}: no office was there before it")
                    break
    if full != s.completed:
        out.append(f"completed: {full} cities are complete, not {s.completed}")
    seats = [s.east_west[k] - 1 for k in range(5) if s.east_west[k]]
    for p in range(t.seats):
        if seats.count(p) > 1:
            out.append(f"east_west: seat {p} occurs twice")
        if is_connected(t, s, p) != (p in seats):
            out.append(f"east_west: seat {p} {'is not' if p in seats else 'is'} connected")
        k = seats.index(p) if p in seats else 3
        n = (7, 4, 2, 0)[k]
        if s.seat[p].points < n:
            out.append(f"players[{p}].points: the east-west connection alone gave {n}")
        if s.seat[p].points > 19 + LAST_POINTS + n:
            out.append(f"players[{p}].points: the game ends at 20, so {19 + LAST_POINTS + n} is the most there can be")
    return out


cdef list marker_problems(Teutonica engine, const State* s):
    cdef const Table* t = &engine.table
    cdef int p, k, r, n, waiting = 0, unknown = s.hidden[UNKNOWN]
    out = []
    counts = [0] * KINDS
    for k in range(s.pile_size):
        if s.pile[k] == UNKNOWN:
            unknown += 1
        else:
            counts[s.pile[k]] += 1
    for r in range(t.routes):
        if (s.marked >> r) & 1:
            counts[marker_on(s, r)] += 1
            waiting += 1
    waiting += s.hidden[UNKNOWN]
    for k in range(KINDS):
        counts[k] += s.hidden[k]
        waiting += s.hidden[k]
        for p in range(t.seats):
            counts[k] += s.seat[p].unused[k] + s.seat[p].used[k] + s.seat[p].plate[k]
            waiting += s.seat[p].plate[k]
    missing = 0
    for k in range(KINDS):
        missing += t.kind_count[k] - counts[k]
        if counts[k] > t.kind_count[k] or (counts[k] < t.kind_count[k] and not unknown):
            out.append(f"markers: {counts[k]} of {engine.kinds[k]} in all, must be {t.kind_count[k]}")
    if unknown and missing != unknown:
        out.append(f"markers: {missing} are missing but {unknown} are hidden")
    n = 2 if s.end & END_MARKER else 3
    if waiting != n:
        out.append(f"markers: {waiting} on routes and plates together, must be {n}")
    tiles = s.favours_open
    n = popcount(<uint64_t>s.favours_open)
    for p in range(t.seats):
        if tiles & s.seat[p].favours:
            out.append("favours: a tile occurs twice")
        tiles |= s.seat[p].favours
        n += popcount(<uint64_t>s.seat[p].favours)
    if t.favours and n != t.seats:
        out.append(f"favours: {n} tiles in all, must be {t.seats}")
    cards = [s.seat[p].mission for p in range(t.seats) if s.seat[p].mission and s.seat[p].mission != NONE]
    if len(set(cards)) != len(cards):
        out.append("players: two have the same mission")
    return out


cdef list turn_problems(Teutonica engine, const State* s):
    """The turn, the phase and the end of the game."""
    cdef const Table* t = &engine.table
    cdef const Seat* me = &s.seat[s.current]
    cdef int p, k, most, drawn = 0, phase = s.phase
    cdef bint ending = False
    out = []
    for p in range(t.seats):
        ending |= s.seat[p].points >= 20
    if phase == PH_OVER:
        if not s.end:
            out.append("end: a game that is over has a reason")
        if ((s.end & END_POINTS) != 0) != ending:
            out.append("end: '20 points' must be there exactly when somebody has them")
        if ((s.end & END_CITIES) != 0) != (s.completed >= t.completed_limit):
            out.append(f"end: 'completed cities' must be there exactly when {t.completed_limit} are complete")
        if s.end & END_MARKER and s.pile_size:
            out.append("end: 'no marker' but the pile is not empty")
        if s.end & END_TURNS and (s.end != END_TURNS or s.turn < (s.turn_limit or LAST_TURN)):
            out.append("end: 'turn limit' must stand alone, and the limit be reached")
    else:
        if s.end:
            out.append("end: the game is not over")
        if phase not in (PH_DEVELOP_PRIVILEGE, PH_GREEN_OFFICE, PH_PLACE_TWO) and not (
            phase in (PH_LIFT, PH_SET) and s.pend[MOVE_MODE] == MOVE_ANY
        ):
            if ending:
                out.append("players: somebody has 20 points, so the game must be over")
            if s.completed >= t.completed_limit:
                out.append("completed: the game must be over")
        if s.turn >= (s.turn_limit or LAST_TURN):
            out.append("turn: the limit is reached, so the game must be over")
    most = ACTION_SPACES[me.ability[ACTIONS]] + ((me.favours >> EXTRA_ACTION) & 1)
    for k in range(KINDS + 1):
        drawn += s.hidden[k]
    if s.flags & FRESH:
        if s.flags & ~(FRESH | VIEW) or drawn or s.permissions:
            out.append("fresh: something was done in this turn")
        if phase != PH_MAIN and phase != PH_PAWN:
            out.append(f"fresh: cannot be true in phase {PHASES[phase]}")
        if s.actions != most:
            out.append(f"actions: a fresh turn has {most}")
    elif phase == PH_PAWN:
        out.append("fresh: must be true before the game")
    most += 3 * me.used[ACTIONS_3] + 4 * me.used[ACTIONS_4]
    if s.actions > most:
        out.append(f"actions: at most {most} can be left")
    if s.flags & ACTIONS_OVER and (s.actions or not (t.favours or s.flags & PAWN_MOVED)):
        out.append("actions_over: cannot be")
    if s.flags & PAWN_MOVED and t.seats != 2:
        out.append("pawn_moved: there is no pawn in this game")
    if not s.flags & ACTED and (drawn or s.permissions):
        out.append("acted: must be true after a marker was drawn or a permission used")
    if phase == PH_PAWN and (s.turn or s.current):
        out.append("phase: the pawn is put down before the game")
    if s.player != s.current and phase not in (PH_ANSWER, PH_ANSWER_TO, PH_FAVOUR_INCOME, PH_PAWN, PH_OVER):
        out.append("player: must be the current one in this phase")
    if s.current != s.turn % t.seats and phase != PH_OVER:
        out.append(f"current: turn {s.turn} belongs to seat {s.turn % t.seats}")
    return out + pending_problems(engine, s)


cdef list pending_problems(Teutonica engine, const State* s):
    """What the phase needs."""
    cdef const Table* t = &engine.table
    cdef const Seat* me = &s.seat[s.current]
    cdef int phase = s.phase, owner, fee, k, most
    cdef uint64_t free[2]
    cdef uint64_t m[MASK_WORDS]
    out = []
    free_posts(t, s, free)
    if phase in (
        PH_PAY, PH_ANSWER, PH_ANSWER_TO, PH_FAVOUR_INCOME, PH_DEVELOP_PRIVILEGE, PH_GREEN_OFFICE, PH_PLACE_TWO,
    ):
        if not s.flags & ACTED:
            out.append(f"acted: must be true in phase {PHASES[phase]}")
    if phase == PH_PAY:
        owner = owner_at(s, s.pend[PAY_POST])
        fee = 2 if has_post(s.discs, s.pend[PAY_POST]) else 1
        if owner < 0 or owner == s.current:
            out.append("pending.post: must hold an opponent's piece")
        elif not can_displace(t, s, s.pend[PAY_POST], free):
            out.append("pending.post: the displaced piece would have no post")
        if not me.supply[s.pend[PAY_SHAPE]] or me.supply[0] + me.supply[1] < fee + 1:
            out.append("pending: the supply is too small to displace and pay")
        if s.pend[PAY_SHAPE] == TRADER and not has_post(t.land, s.pend[PAY_POST]):
            out.append("pending.shape: a boat takes merchants only")
    elif phase == PH_ANSWER or phase == PH_ANSWER_TO:
        if s.player == s.current:
            out.append("player: nobody displaces himself")
        if not ((s.own[s.current][0] & t.route_posts[s.pend[ANS_ROUTE]][0])
                | (s.own[s.current][1] & t.route_posts[s.pend[ANS_ROUTE]][1])):
            out.append("pending.route: the replacing piece must stand there")
        if s.pend[ANS_DOWN] != NONE:
            if owner_at(s, s.pend[ANS_DOWN]) != s.player or has_post(s.discs, s.pend[ANS_DOWN]) != s.pend[ANS_SHAPE]:
                out.append("pending.down: the displaced piece must stand there")
        k = 1 + ((s.seat[s.player].favours >> DISPLACED_TRADER_2) & 1)
        if s.pend[ANS_SHAPE] == TRADER and s.pend[ANS_EXTRAS] > k:
            out.append("pending.extras: a trader brings one")
        if phase == PH_ANSWER_TO:
            if s.pend[ANS_DOWN] == NONE or not s.pend[ANS_EXTRAS]:
                out.append("pending: an own piece is lifted only as an extra, after the displaced one is down")
            if (s.seat[s.player].stock[0] | s.seat[s.player].stock[1]
                    | s.seat[s.player].supply[0] | s.seat[s.player].supply[1]):
                out.append("pending: own pieces are lifted only when stock and supply are empty")
            if not has_post(free, s.pend[HAND_FROM]):
                out.append("pending.from: must be free while its piece is in hand")
            if (s.pend[HAND_PIECE] & 7) != s.player:
                out.append("pending.hand: must be an own piece")
            if s.pend[HAND_PIECE] < 8 and not has_post(t.land, s.pend[HAND_FROM]):
                out.append("pending.from: a trader cannot come from a boat")
    elif phase == PH_LIFT or phase == PH_SET:
        most = (BOOKS[me.ability[BOOK]], 3, 2)[s.pend[MOVE_MODE]]
        if s.pend[MOVE_MODE] == MOVE_OPPONENTS and (t.first_edition or not me.used[THREE]):
            out.append("pending.kind: no such marker was used")
        if s.pend[MOVE_MODE] == MOVE_ANY and not has_permanent(t, PERM_MOVE):
            out.append("pending.kind: no such marker on this board")
        if s.pend[MOVE_MODE] != MOVE_OPPONENTS and not s.flags & ACTED:
            out.append("acted: must be true after an action")
        if s.pend[MOVE_LEFT] > most or (s.pend[MOVE_LIFTED] != 0) != (s.pend[MOVE_LEFT] < most):
            out.append(f"pending.left: {most} at the start, fewer once something was lifted")
        if phase == PH_SET:
            if not has_post(free, s.pend[HAND_FROM]) and not (
                s.pend[MOVE_LEFT] + 2 <= most and owner_at(s, s.pend[HAND_FROM]) >= 0
            ):
                out.append("pending.from: must be free while its piece is in hand, or hold what it was exchanged for")
            if not s.pend[MOVE_LIFTED]:
                out.append("pending.lifted: must be true with a piece in hand")
            if s.pend[HAND_PIECE] < 8 and not has_post(t.land, s.pend[HAND_FROM]):
                out.append("pending.from: a trader cannot come from a boat")
            k = s.pend[HAND_PIECE] & 7
            if s.pend[MOVE_MODE] != MOVE_ANY and (s.pend[MOVE_MODE] == MOVE_OWN) != (k == s.current):
                out.append("pending.hand: not a piece this move may lift")
        elif not s.pend[MOVE_LEFT]:
            out.append("pending.left: nothing can be lifted any more")
    elif phase == PH_REMOVE:
        if not t.first_edition or not me.used[THREE]:
            out.append("phase: no such marker was used")
        if not s.pend[REM_LEFT] or (s.pend[REM_DONE] != 0) != (s.pend[REM_LEFT] < 3):
            out.append("pending.left: 3 at the start, fewer once something was removed")
    elif phase == PH_FLIP:
        if not t.favours or not (s.favours_open >> s.pend[FLIP_TILE]) & 1 or s.flags & (ACTED | ACTIONS_OVER):
            out.append("pending.tile: cannot be bought now")
        if not s.pend[FLIP_LEFT]:
            out.append("pending.left: must be 1 or 2")
        k = 0
        for most in range(KINDS):
            k += me.unused[most]
        if k < s.pend[FLIP_LEFT]:
            out.append("pending.left: too few unused markers")
    elif phase == PH_DEVELOP_PRIVILEGE:
        if not has_permanent(t, PERM_DEVELOP) or me.ability[PRIVILEGE] == FULL[PRIVILEGE]:
            out.append("phase: privilege cannot be developed now")
    elif phase == PH_GREEN_OFFICE:
        if not has_permanent(t, PERM_GREEN):
            out.append("phase: no such marker on this board")
    elif phase == PH_PLACE_TWO:
        if not has_permanent(t, PERM_PLACE_FOREIGN if s.pend[TWO_FOREIGN] else PERM_PLACE_ROUTE):
            out.append("phase: no such marker on this board")
        if not s.pend[TWO_LEFT] or s.pend[TWO_TRADERS] > me.stock[0] or s.pend[TWO_MERCHANTS] > me.stock[1]:
            out.append("pending: the pieces must lie in stock")
        if s.pend[TWO_FOREIGN] and (s.pend[TWO_TRADERS] != me.stock[0] or s.pend[TWO_MERCHANTS] != me.stock[1]):
            out.append("pending: the whole stock may be placed from")
    elif phase == PH_MARKER_ROUTE:
        if not me.plate[s.pend[PUT_KIND]]:
            out.append("pending.kind: not on the plate")
    elif phase == PH_FAVOUR_INCOME:
        if s.player == s.current or not (s.seat[s.player].favours >> INCOME_FOLLOW) & 1:
            out.append("player: must be an opponent with the tile income_follow")
    if phase == PH_PUT_MARKER or phase == PH_MARKER_ROUTE:
        k = 0
        for most in range(KINDS + 1):
            k += s.hidden[most]
        if k:
            out.append("plate: the drawn markers are seen by now")
    if not out and phase != PH_OVER:
        legal_ids(t, s, m)
        k = mask_count(m)
        if phase != PH_MAIN and (m[ID_DONE >> 6] >> (ID_DONE & 63)) & 1:
            k -= 1
        if k < 1 or (phase == PH_PUT_MARKER and not open_routes(t, s)):
            out.append(f"phase: nothing can be decided in phase {PHASES[phase]}")
    return out


cdef list state_problems(Teutonica engine, const State* s):
    """Everything that is inconsistent; an empty list for a position that can be played."""
    out = range_problems(engine, s)
    if not out:
        out = piece_problems(engine, s) + marker_problems(engine, s) + turn_problems(engine, s)
    return list(dict.fromkeys(out))


# ---------------------------------------------------------------------------------------------------------------------
# Set-up
# ---------------------------------------------------------------------------------------------------------------------

cdef dict read_setup(Teutonica engine, setup):
    """The given parts of a set-up as numbers, checked."""
    cdef const Table* t = &engine.table
    cdef int k
    reader = PieceReader(t.seats)
    out = {}
    parts = reader.table({} if setup is None else setup, "setup")
    for part in parts:
        reader.name(part, ("taverns", "pile", "favours", "missions"), "setup", "part of a set-up")
    routes = [engine.board.routes[t.taverns[k]] for k in range(3)]
    if "taverns" in parts:
        taverns = reader.table(parts["taverns"], "setup.taverns", routes)
        kinds = [reader.name(taverns.get(route), engine.kinds, f"setup.taverns.{route}", "kind") for route in routes]
        gold = [k for k in range(KINDS) for _ in range(t.kind_gold[k])]
        if sorted(kinds) != gold:
            reader.fail("setup.taverns", f"must be {', '.join(engine.kinds[k] for k in gold)} in any order")
        out["taverns"] = kinds
    if "pile" in parts:
        items = reader.items(parts["pile"], "setup.pile", 16)
        pile = [reader.name(kind, engine.kinds, "setup.pile", "kind") for kind in items]
        rest = [k for k in range(KINDS) for _ in range(t.kind_count[k] - t.kind_gold[k])]
        if sorted(pile) != rest:
            counts = ", ".join(f"{t.kind_count[k] - t.kind_gold[k]} {engine.kinds[k]}" for k in range(KINDS))
            reader.fail("setup.pile", f"must hold {counts}")
        out["pile"] = pile
    if "favours" in parts:
        items = reader.items(parts["favours"], "setup.favours", 6)
        tiles = [reader.name(tile, engine.tiles, "setup.favours", "tile") for tile in items]
        if not t.favours or len(set(tiles)) != t.seats or len(tiles) != t.seats:
            reader.fail("setup.favours", f"must be {t.seats} different tiles" if t.favours else "not played with")
        out["favours"] = tiles
    if "missions" in parts:
        chosen = [
            read_card(engine, reader, card, f"setup.missions[{seat}]")
            for seat, card in enumerate(reader.items(parts["missions"], "setup.missions", SEATS))
        ]
        if not t.missions or len(set(chosen)) != t.seats or len(chosen) != t.seats:
            reader.fail("setup.missions", f"must be {t.seats} different cards" if t.missions else "not played with")
        out["missions"] = chosen
    if reader.wrong:
        raise RulesError("; ".join(reader.wrong))
    return out
