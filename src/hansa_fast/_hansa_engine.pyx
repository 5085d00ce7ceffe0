"""The engine of Hansa (2004): the rules of `_hansa` with names, dicts, bytes and checks. Formats: `docs/formats.md`."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from hansa_fast._bits cimport MASK_WORDS, mask_count
from hansa_fast._engine cimport PLANNER, Engine, decode_layout, encode_layout, shuffle, shuffle_bytes
from hansa_fast._hansa cimport *
from hansa_fast._hansa_planner cimport plan_id, plan_out

from hansa_fast import _hansa_board
from hansa_fast._errors import PositionError, RulesError
from hansa_fast._reader import Reader

PHASES = ("place", "replenish", "main", "sell", "lose", "give", "over")
VERBS = frozenset({"place", "replenish", "skip", "sail", "buy", "build", "sell", "finish", "lose", "give", "end"})
REASONS = ("pile five", "turn limit")
CATEGORIES = ("unsold", "sold", "cities", "total")
BLOCKS = ((ID_GIVE, "give"), (ID_LOSE, "lose"), (ID_SELL, "sell"), (ID_BUILD, "build"), (ID_BUY, "buy"))

cdef enum:
    GOODS = 32          # ids of goods
    MOST_MARKERS = 160  # of a board
    MOST_TALERS = 60    # of any seat on any board; taler_problems is stricter


cdef enum:              # of a state, which begins with its longest words and ends with bytes
    WORDS_64 = 0
    WORDS_32 = 47


cdef class Hansa(Engine):
    """Hansa (2004) with its options compiled in."""

    def __cinit__(self, rules):
        memset(&self.table, 0, sizeof(Table))
        self.board = _hansa_board.load_board(rules.board)
        self.seats = rules.players
        self.state_size = sizeof(State)
        compile_table(&self.table, rules, self.board)
        self.piles = self.board.pile_sizes(rules.players)
        names = [None] * GOODS
        for colour, name in enumerate(self.board.colours):
            for barrels in self.board.barrels:
                names[4 * colour + barrels - 1] = f"{name} {barrels}"
        self.goods = tuple(names)

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
        cdef int score[4][4]
        cdef int p
        score_all(&self.table, <const State*>state, score)
        rank_all(&self.table, <const State*>state, score, ranks)
        for p in range(self.table.seats):
            points[p] = score[p][3]

    cdef bint needs_hidden(self, const void* state, int action) noexcept nogil:
        return action == ID_REPLENISH and (<const State*>state).flags & VIEW

    cdef int start(self, void* state, uint64_t seed, setup, turn_limit) except -1:
        """H1, H6, H15. What the set-up does not give is drawn from the seed: colours, goods laid out, piles."""
        cdef State* s = <State*>state
        cdef Table* t = &self.table
        cdef int k, p
        memset(s, 0, sizeof(State))
        parts = read_setup(self, setup)
        colours = list(range(t.colours))
        shuffle(colours, &seed)
        played = parts.get("colours", colours[:self.board.played_colours(t.seats)])
        for k in played:
            s.colours |= 1 << k
        rest = all_markers(t, s.colours)
        for good in parts.get("goods", []) + parts.get("piles", []):
            if good not in rest:
                raise RulesError(f"setup: too many of {self.goods[good]}, or its colour is not in play")
            rest.remove(good)
        shuffle(rest, &seed)
        laid = parts.get("goods", rest[:t.spaces])
        piled = parts.get("piles", rest if "goods" in parts else rest[t.spaces:])
        for k, good in enumerate(laid):
            s.warehouse[k] = good + 1
        s.pile_size = len(piled)
        for k, good in enumerate(reversed(piled)):
            s.pile[k] = good
        for p in range(t.seats):
            s.supply[p] = BOOTHS
            s.talers[p] = INCOME
        s.ship = t.start
        s.turn_limit = turn_limit or 0
        s.phase = PH_PLACE
        return 0

    cdef bint is_view(self, const void* state) noexcept:
        return (<const State*>state).flags & VIEW != 0

    cdef int hide(self, void* state, int player) except -1:
        """Only the order of the piles is hidden, from everybody alike. Nothing once the game is over."""
        cdef State* s = <State*>state
        if s.phase == PH_OVER:
            return 0
        if s.pile_size:
            s.flags |= VIEW
            memset(s.pile, UNKNOWN, s.pile_size)
        return 0

    cdef void redeal(self, void* state, int player, uint64_t seed) noexcept nogil:
        """Shuffle the piles anew."""
        cdef State* s = <State*>state
        cdef const Table* t = &self.table
        cdef uint8_t rest[MOST_MARKERS]
        cdef int g, k, n = 0
        if s.phase == PH_OVER and not s.flags & VIEW:
            return
        for g in range(GOODS):
            if (s.colours >> (g >> 2)) & 1:
                for _ in range(t.good_count[g] - count_known(t, s, g)):
                    rest[n] = g
                    n += 1
        shuffle_bytes(rest, n, &seed)
        for k in range(s.pile_size):
            s.pile[k] = rest[k]
        s.flags &= ~VIEW

    cdef int encode(self, const void* state, unsigned char* out) except -1:
        return encode_layout(state, out, WORDS_64, WORDS_32, sizeof(State))

    cdef int decode(self, const unsigned char* data, void* state) except -1:
        return decode_layout(data, state, WORDS_64, WORDS_32, sizeof(State))

    cdef tuple phases(self):
        return PHASES

    cdef frozenset verbs(self):
        return VERBS

    cdef object unalias(self, text):
        return text

    cdef object describe(self, const void* state, int action):
        if action < ID_SAIL:
            for first, verb in BLOCKS:
                if action >= first:
                    return f"{verb} {self.goods[action - first]}"
        if action < ID_PLACE:
            return f"sail {self.board.cities[action - ID_SAIL]}"
        if action < ID_REPLENISH:
            return f"place {self.board.cities[action - ID_PLACE]}"
        if action == ID_REPLENISH:
            return "replenish"
        if action == ID_END:
            return "end"
        return "finish" if (<const State*>state).phase == PH_SELL else "skip"

    cdef object to_dict(self, const void* state):
        return state_to_dict(self, <const State*>state)

    cdef int from_dict(self, object value, void* state) except -1:
        return state_from_dict(self, value, <State*>state)

    cdef list problems(self, const void* state):
        return state_problems(self, <const State*>state)

    cdef object scores(self, const void* state):
        cdef int score[4][4]
        cdef int p, k
        score_all(&self.table, <const State*>state, score)
        return [{name: score[p][k] for k, name in enumerate(CATEGORIES)} for p in range(self.table.seats)]

    cdef object result(self, const void* state):
        cdef int points[4]
        cdef int ranks[4]
        cdef int p
        self.totals(state, points, ranks)
        return {
            "reasons": end_reasons(<const State*>state),
            "scores": self.scores(state),
            "ranks": [ranks[p] for p in range(self.table.seats)],
            "winners": [p for p in range(self.table.seats) if ranks[p] == 1],
        }


cdef list all_markers(const Table* t, int colours):
    """Every marker of these colours, sorted."""
    cdef int g
    return [g for g in range(GOODS) if (colours >> (g >> 2)) & 1 for _ in range(t.good_count[g])]


cdef int count_known(const Table* t, const State* s, int good) noexcept nogil:
    """Markers of a good outside the piles."""
    cdef int p, k, n = count_good(&s.removed, good)
    for p in range(t.seats):
        n += count_good(&s.unsold[p], good) + count_good(&s.sold[p], good)
    for k in range(t.spaces):
        n += s.warehouse[k] == good + 1
    return n


# ---------------------------------------------------------------------------------------------------------------------
# State to dict
# ---------------------------------------------------------------------------------------------------------------------

cdef list end_reasons(const State* s):
    return [reason for k, reason in enumerate(REASONS) if (s.end >> k) & 1]


cdef dict goods_dict(Hansa engine, const Goods* goods):
    cdef int g
    return {engine.goods[g]: count_good(goods, g) for g in range(GOODS) if (goods.plane[0] >> g) & 1}


cdef list colour_names(Hansa engine, int bits):
    return [name for k, name in enumerate(engine.board.colours) if (bits >> k) & 1]


cdef list pile_lengths(Hansa engine, int left):
    """How many markers each pile has when so many are left in all."""
    out = []
    for size in reversed(engine.piles):
        length = min(size, left)
        out.append(length)
        left -= length
    return out[::-1]


cdef dict state_to_dict(Hansa engine, const State* s):
    cdef const Table* t = &engine.table
    cdef int c, p, k, at = s.pile_size
    cities = engine.board.cities
    pending = None
    if s.phase == PH_SELL:
        pending = {"picked": {name: s.picked[k] for k, name in enumerate(engine.board.colours) if s.picked[k]}}
    elif s.phase == PH_LOSE:
        pending = {"colour": engine.board.colours[s.lost_colour], "sold": colour_names(engine, s.sold_colours)}
    warehouses = {}
    for c in range(t.cities):
        row = [s.warehouse[t.city_space[c][k]] for k in range(t.city_spaces[c])]
        warehouses[cities[c]] = [engine.goods[v - 1] if v else None for v in row]
    booths = {}
    for c in range(t.cities):
        row = [s.booths[p][c] for p in range(t.seats)]
        if any(row):
            booths[cities[c]] = row
    piles = []
    for length in pile_lengths(engine, s.pile_size):
        piles.append([
            "hidden" if s.pile[k] == UNKNOWN else engine.goods[s.pile[k]] for k in range(at - 1, at - 1 - length, -1)
        ])
        at -= length
    return {
        "turn": s.turn,
        "turn_limit": s.turn_limit or None,
        "current": s.current,
        "player": None if s.phase == PH_OVER else s.player,
        "phase": PHASES[s.phase],
        "colours": colour_names(engine, s.colours),
        "ship": cities[s.ship],
        "acted": bool(s.flags & ACTED),
        "warehouses": warehouses,
        "booths": booths,
        "piles": piles,
        "removed": goods_dict(engine, &s.removed),
        "end": end_reasons(s),
        "players": [
            {
                "talers": s.talers[p],
                "booths": s.supply[p],
                "unsold": goods_dict(engine, &s.unsold[p]),
                "sold": goods_dict(engine, &s.sold[p]),
            }
            for p in range(t.seats)
        ],
        "pending": pending,
    }


# ---------------------------------------------------------------------------------------------------------------------
# Dict to state
# ---------------------------------------------------------------------------------------------------------------------

STATE_KEYS = (
    "turn", "turn_limit", "current", "player", "phase", "colours", "ship", "acted", "warehouses", "booths", "piles",
    "removed", "end", "players", "pending",
)
PLAYER_KEYS = ("talers", "booths", "unsold", "sold")


cdef class Names:
    """The names a reader needs."""

    cdef readonly list goods
    cdef readonly list numbers

    def __init__(self, Hansa engine):
        self.numbers = [g for g in range(GOODS) if engine.goods[g] is not None]
        self.goods = [engine.goods[g] for g in self.numbers]


cdef int read_good(reader, Names names, value, where) except -1:
    return names.numbers[reader.name(value, names.goods, where, "goods marker")]


cdef int read_goods(reader, Names names, value, where, Goods* out) except -1:
    for name, count in reader.table(value, where).items():
        good = read_good(reader, names, name, where)
        if reader.number(count, f"{where}.{name}", PLANES) == 0:
            reader.fail(f"{where}.{name}", "zeros are left out")
        elif not (out.plane[0] >> <int>good) & 1:
            for _ in range(<int>count):
                add_good(out, good)
    return 0


cdef int read_colours(Hansa engine, reader, value, where) except -1:
    bits = 0
    for colour in reader.items(value, where, COLOURS):
        bit = 1 << reader.name(colour, engine.board.colours, where, "colour")
        if bit <= bits:
            reader.fail(where, "colours are listed once, in the order of the board file")
        bits |= bit
    return bits


cdef int read_piles(Hansa engine, reader, Names names, value, State* s) except -1:
    cdef int k
    lists = reader.items(value, "piles", len(engine.piles))
    piles = [reader.items(pile, f"piles[{k}]", PILE) for k, pile in enumerate(lists)]
    markers = [marker for pile in piles for marker in pile]
    if [len(pile) for pile in piles] != pile_lengths(engine, len(markers)) or len(markers) > sum(engine.piles):
        reader.fail("piles", f"the piles begin with {engine.piles} markers and are drawn from in order")
        return 0
    s.pile_size = len(markers)
    for k, marker in enumerate(reversed(markers)):
        if marker == "hidden":
            s.pile[k] = UNKNOWN
            s.flags |= VIEW
        else:
            s.pile[k] = read_good(reader, names, marker, "piles")
    return 0


cdef int read_pending(Hansa engine, reader, value, State* s) except -1:
    if s.phase == PH_SELL:
        d = reader.table(value, "pending", ("picked",))
        for colour, count in reader.table(d.get("picked"), "pending.picked").items():
            k = reader.name(colour, engine.board.colours, "pending.picked", "colour")
            s.picked[<int>k] = reader.number(count, f"pending.picked.{colour}", 99)
            if count == 0:
                reader.fail(f"pending.picked.{colour}", "zeros are left out")
    elif s.phase == PH_LOSE:
        d = reader.table(value, "pending", ("colour", "sold"))
        s.lost_colour = reader.name(d.get("colour"), engine.board.colours, "pending.colour", "colour")
        s.sold_colours = read_colours(engine, reader, d.get("sold"), "pending.sold")
    elif value is not None:
        reader.fail("pending", f"must be null in phase {PHASES[s.phase]}")
    return 0


cdef int state_from_dict(Hansa engine, value, State* s) except -1:
    """Fill the state, or raise a `PositionError` that names everything that cannot be read."""
    cdef const Table* t = &engine.table
    cdef int p, c, k
    memset(s, 0, sizeof(State))
    reader = Reader(t.seats)
    names = Names(engine)
    cities = engine.board.cities
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
    s.colours = read_colours(engine, reader, d.get("colours"), "colours")
    s.ship = reader.name(d.get("ship"), cities, "ship", "city")
    if reader.flag(d.get("acted"), "acted"):
        s.flags |= ACTED
    warehouses = reader.table(d.get("warehouses"), "warehouses", cities)
    for c in range(t.cities):
        where = f"warehouses.{cities[c]}"
        row = reader.items(warehouses.get(cities[c], []), where, SPACES)
        if len(row) != t.city_spaces[c]:
            reader.fail(where, f"must list its {t.city_spaces[c]} warehouses")
            continue
        for k, marker in enumerate(row):
            if marker is not None:
                s.warehouse[t.city_space[c][k]] = read_good(reader, names, marker, where) + 1
    for city, row in reader.table(d.get("booths"), "booths").items():
        where = f"booths.{city}"
        c = reader.name(city, cities, "booths", "city")
        row = reader.items(row, where, t.seats)
        if len(row) != t.seats or not any(row):
            reader.fail(where, f"must list {t.seats} numbers, at least one of them not zero")
            continue
        for p, count in enumerate(row):
            s.booths[p][c] = reader.number(count, where, BOOTHS)
    read_piles(engine, reader, names, d.get("piles"), s)
    read_goods(reader, names, d.get("removed"), "removed", &s.removed)
    for reason in reader.items(d.get("end"), "end", 2):
        k = 1 << reader.name(reason, REASONS, "end", "reason")
        if k <= s.end:
            reader.fail("end", f"reasons are listed once, in the order {REASONS}")
        s.end |= k
    players = reader.items(d.get("players"), "players", SEATS)
    if len(players) != t.seats:
        reader.fail("players", f"must list {t.seats} players")
    for p, player in enumerate(players[:t.seats]):
        where = f"players[{p}]"
        mine = reader.table(player, where, PLAYER_KEYS)
        s.talers[p] = reader.number(mine.get("talers"), f"{where}.talers", MOST_TALERS)
        s.supply[p] = reader.number(mine.get("booths"), f"{where}.booths", BOOTHS)
        read_goods(reader, names, mine.get("unsold"), f"{where}.unsold", &s.unsold[p])
        read_goods(reader, names, mine.get("sold"), f"{where}.sold", &s.sold[p])
    read_pending(engine, reader, d.get("pending"), s)
    if reader.wrong:
        raise PositionError(reader.wrong)
    return 0


# ---------------------------------------------------------------------------------------------------------------------
# Checks
# ---------------------------------------------------------------------------------------------------------------------

cdef bint goods_readable(const Table* t, const Goods* goods, uint32_t played) noexcept:
    """Whether the planes lie upon each other and hold only goods that are in play."""
    cdef int k
    for k in range(1, PLANES):
        if goods.plane[k] & ~goods.plane[k - 1]:
            return False
    return not goods.plane[0] & ~played


cdef list range_problems(Hansa engine, const State* s):
    """What could not even be read safely. Nothing else is checked when this finds something."""
    cdef const Table* t = &engine.table
    cdef int p, c, k, v
    cdef uint32_t played = 0
    cdef bint view = s.flags & VIEW != 0
    cdef Goods nothing
    memset(&nothing, 0, sizeof(Goods))
    out = []
    for c in range(t.colours):
        if (s.colours >> c) & 1:
            played |= <uint32_t>15 << (4 * c)
    played &= t.goods
    if s.colours >> t.colours or len(colour_names(engine, s.colours)) != engine.board.played_colours(t.seats):
        out.append(f"colours: {engine.board.played_colours(t.seats)} are played with {t.seats} players")
    if not goods_readable(t, &s.removed, played):
        out.append("removed: goods that are not in play")
    for p in range(SEATS):
        if not goods_readable(t, &s.unsold[p], played if p < t.seats else 0):
            out.append(f"players[{p}].unsold: goods that are not in play")
        if not goods_readable(t, &s.sold[p], played if p < t.seats else 0):
            out.append(f"players[{p}].sold: goods that are not in play")
        for c in range(CITIES):
            if s.booths[p][c] > (BOOTHS if p < t.seats and c < t.cities else 0):
                out.append("booths: where there can be none")
        if s.supply[p] > (BOOTHS if p < t.seats else 0) or s.talers[p] > (MOST_TALERS if p < t.seats else 0):
            out.append(f"players[{p}]: too many booths or talers")
    for k in range(SPACES):
        v = s.warehouse[k]
        if v and (k >= t.spaces or v > GOODS or not (played >> (v - 1)) & 1):
            out.append("warehouses: goods that are not in play")
    if s.pile_size > sum(engine.piles):
        out.append(f"piles: at most {sum(engine.piles)} markers")
    else:
        for k in range(PILE):
            v = s.pile[k]
            if k >= s.pile_size:
                if v:
                    out.append("piles: a marker above the top")
                    break
            elif (v != UNKNOWN) if view else (v >= GOODS or not (played >> v) & 1):
                wrong = "in a view all goods of the piles are hidden" if view else "goods that are not in play"
                out.append(f"piles: {wrong}")
                break
    if view and not s.pile_size:
        out.append("state: nothing is hidden")
    if s.phase > PH_OVER:
        out.append("phase: unknown")
    if s.current >= t.seats or (s.player != NONE if s.phase == PH_OVER else s.player >= t.seats):
        out.append("player: unknown seat")
    if s.ship >= t.cities:
        out.append("ship: unknown city")
    if s.flags >= 4 or s.end >= 4 or s.spare[0] | s.spare[1]:
        out.append("state: unknown flags")
    if s.turn > LAST_TURN or s.turn_limit > LAST_TURN:
        out.append("turn: too large")
    if s.phase != PH_LOSE and s.sold_colours | s.lost_colour:
        out.append("pending: no losses are being taken")
    if s.lost_colour >= t.colours or s.sold_colours & ~s.colours:
        out.append("pending: a colour that is not in play")
    for c in range(COLOURS):
        if s.picked[c] and (s.phase != PH_SELL or not (s.colours >> c) & 1):
            out.append("pending.picked: no such sale is going on")
    return out


cdef list count_problems(Hansa engine, const State* s):
    """Booths and goods are conserved."""
    cdef const Table* t = &engine.table
    cdef int p, c, g, k, n, total, missing = 0
    cdef bint view = s.flags & VIEW != 0
    out = []
    for p in range(t.seats):
        n = s.supply[p]
        for c in range(t.cities):
            n += s.booths[p][c]
        if n != BOOTHS:
            out.append(f"players[{p}]: {n} booths in all, must be {BOOTHS}")
    for g in range(GOODS):
        total = t.good_count[g] if (s.colours >> (g >> 2)) & 1 else 0
        n = count_known(t, s, g)
        for k in range(s.pile_size):
            n += s.pile[k] == g
        missing += total - n
        if n > total or (n < total and not view):
            out.append(f"goods: {n} of {engine.goods[g]} in all, must be {total}")
    if view and missing != s.pile_size:
        out.append(f"goods: {missing} are missing but {s.pile_size} are hidden")
    return out


cdef list place_problems(Hansa engine, const State* s):
    """Before the first turn nothing but the placing of booths has happened."""
    cdef const Table* t = &engine.table
    cdef int p, c, n, rounds
    out = []
    n = 0
    for p in range(t.seats):
        n += (BOOTHS - s.supply[p]) // 2
    if n >= 3 * t.seats:
        out.append("phase: all booths of the set-up are placed")
    for p in range(t.seats):
        rounds = n // t.seats + (p < n % t.seats)
        for c in range(t.cities):
            if s.booths[p][c] not in (0, 2) or (s.booths[p][c] and c == t.start):
                city, start = engine.board.cities[c], engine.board.cities[t.start]
                out.append(f"booths.{city}: the set-up places two in a city, none in {start}")
        if s.supply[p] != BOOTHS - 2 * rounds:
            out.append(f"players[{p}].booths: {BOOTHS - 2 * rounds} must be left in round {n // t.seats + 1}")
        if s.talers[p] != INCOME or s.unsold[p].plane[0] | s.sold[p].plane[0]:
            out.append(f"players[{p}]: begins with {INCOME} talers and without goods")
    if s.player != n % t.seats or s.current != s.player:
        out.append(f"player: seat {n % t.seats} places next")
    if (s.turn or s.end or s.ship != t.start or s.flags & ACTED
            or empty_spaces(t, s) or s.pile_size != sum(engine.piles)):
        out.append("phase: something happened before the set-up was over")
    return out


cdef list taler_problems(Hansa engine, const State* s):
    """Since the last taxes of a seat every marker bought in another's turn has brought it a taler at most."""
    cdef const Table* t = &engine.table
    cdef int p, most, turns
    out = []
    for p in range(t.seats):
        turns = (s.current - p + t.seats) % t.seats     # begun since
        if turns:
            most = KEEP + t.spaces * (turns - 1) + (empty_spaces(t, s) if s.phase != PH_REPLENISH else 0)
        elif s.phase in (PH_GIVE, PH_OVER):
            most = KEEP
        else:
            most = KEEP + INCOME + t.spaces * (t.seats - 1)
        if s.talers[p] > most:
            out.append(f"players[{p}].talers: {s.talers[p]}, but {most} is the most there can be")
    return out


cdef list turn_problems(Hansa engine, const State* s):
    """The turn, the phase and the end of the game."""
    cdef const Table* t = &engine.table
    cdef const Goods* mine = &s.unsold[s.current]
    cdef int c, k, phase = s.phase, picks = 0
    cdef uint64_t m[MASK_WORDS]
    cdef bint closing = s.current + 1 == t.seats and last_round(t, s)
    out = []
    if phase == PH_PLACE:
        return place_problems(engine, s)
    if phase == PH_OVER:
        if s.turn < 1 or s.current != (s.turn - 1) % t.seats:
            out.append("current: must be the seat whose turn was last")
        if s.end == END_PILE:
            if not closing:
                out.append("end: 'pile five' needs a marker taken from pile five and a finished round")
        elif s.end != END_TURNS or closing or s.turn < (s.turn_limit or LAST_TURN):
            out.append("end: 'turn limit' must stand alone, and the limit be reached")
        if count_goods(mine) > KEEP:
            out.append(f"players[{s.current}].unsold: taxes leave {KEEP}")
        return out + taler_problems(engine, s)
    if s.end:
        out.append("end: the game is not over")
    if s.turn >= (s.turn_limit or LAST_TURN):
        out.append("turn: the limit is reached, so the game must be over")
    if s.current != s.turn % t.seats:
        out.append(f"current: turn {s.turn} belongs to seat {s.turn % t.seats}")
    if (s.player == s.current) == (phase == PH_LOSE):
        out.append("player: an opponent of the current seat in phase lose, the current seat in all others")
    if phase in (PH_SELL, PH_LOSE) and not s.flags & ACTED:
        out.append(f"acted: must be true in phase {PHASES[phase]}")
    if phase == PH_REPLENISH:
        if s.flags & ACTED or s.talers[s.current] < INCOME:
            out.append("phase: replenishing comes after the income and before all actions")
        if not s.pile_size or not empty_spaces(t, s):
            out.append("phase: there is nothing to replenish")
        if s.current == 0 and last_round(t, s):
            out.append("piles: pile five was begun in an earlier round, so the game must be over")
    elif phase == PH_SELL:
        for c in range(COLOURS):
            picks += s.picked[c]
            if s.picked[c] > count_colour(&s.sold[s.current], c):
                out.append("pending.picked: more than were sold")
            if s.picked[c] == 1 and not count_colour(mine, c):
                out.append("pending.picked: a colour that cannot be completed")
        if not picks:
            out.append("pending.picked: at least one")
        if not s.booths[s.current][s.ship]:
            out.append("booths: the seller has none where the ship lies")
    elif phase == PH_LOSE:
        if not (s.sold_colours >> s.lost_colour) & 1:
            out.append("pending.colour: not one of the colours sold")
        for c in range(t.colours):
            if (s.sold_colours >> c) & 1 and count_colour(&s.sold[s.current], c) < 2:
                out.append("pending.sold: at least two of each colour are sold")
        if not s.supply[s.current]:
            out.append(f"players[{s.current}].booths: one came back from the sale")
    elif phase == PH_GIVE:
        if count_goods(mine) <= KEEP:
            out.append("phase: nothing has to be given")
    out += taler_problems(engine, s)
    if not out:
        legal_ids(t, s, m)
        k = mask_count(m)
        if phase == PH_SELL and (m[ID_DONE >> 6] >> (ID_DONE & 63)) & 1:
            k -= 1
        if k < 1:
            out.append(f"phase: nothing can be decided in phase {PHASES[phase]}")
    return out


cdef list state_problems(Hansa engine, const State* s):
    """Everything that is inconsistent; an empty list for a position that can be played."""
    out = range_problems(engine, s)
    if not out:
        out = count_problems(engine, s) + turn_problems(engine, s)
    return list(dict.fromkeys(out))


# ---------------------------------------------------------------------------------------------------------------------
# Set-up
# ---------------------------------------------------------------------------------------------------------------------

cdef dict read_setup(Hansa engine, setup):
    """The given parts of a set-up as numbers, checked one by one."""
    cdef const Table* t = &engine.table
    reader = Reader(t.seats)
    names = Names(engine)
    out = {}
    parts = reader.table({} if setup is None else setup, "setup")
    for part in parts:
        reader.name(part, ("colours", "goods", "piles"), "setup", "part of a set-up")
    if "colours" in parts:
        played = engine.board.played_colours(t.seats)
        colours = [
            reader.name(name, engine.board.colours, "setup.colours", "colour")
            for name in reader.items(parts["colours"], "setup.colours", COLOURS)
        ]
        if len(colours) != played or len(set(colours)) != played:
            reader.fail("setup.colours", f"must be {played} different colours")
        out["colours"] = colours
    elif "goods" in parts or "piles" in parts:
        reader.fail("setup", "goods and piles need the colours")
    if "goods" in parts:
        goods = reader.items(parts["goods"], "setup.goods", SPACES)
        out["goods"] = [read_good(reader, names, good, "setup.goods") for good in goods]
        if len(goods) != t.spaces:
            reader.fail("setup.goods", f"must be {t.spaces}, one for each warehouse")
    if "piles" in parts:
        piles = [reader.items(pile, "setup.piles", PILE) for pile in reader.items(parts["piles"], "setup.piles", 5)]
        out["piles"] = [read_good(reader, names, good, "setup.piles") for pile in piles for good in pile]
        if tuple(len(pile) for pile in piles) != engine.piles:
            reader.fail("setup.piles", f"must have {', '.join(str(size) for size in engine.piles)} markers")
    if reader.wrong:
        raise RulesError("; ".join(reader.wrong))
    return out
