"""The rules of Hansa Teutonica on bitboards.

Posts are bits of two words. A set of legal actions is a bit set too: sixteen words, see `docs/actions.md` for the ids.
The functions below know nothing of Python; `_teutonica_engine` lends them to the rest of the package. Names such as D5
are rulings of `docs/rules.md`.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from hansa_fast._bits cimport (
    MASK_WORDS, highest, lowest, mask_count, popcount, rng_next, rng_pick,
)
from hansa_fast._engine cimport GREEDY

from hansa_fast import _boards
from hansa_fast._errors import BoardError

cdef int[5] ABILITY_FULL = [4, 5, 3, 3, 3]
cdef int[5] KEY_VALUES = [1, 2, 2, 3, 4]
cdef int[6] ACTION_VALUES = [2, 3, 3, 4, 4, 5]
cdef int[4] BOOK_VALUES = [2, 3, 4, 5]
cdef int[4] BANK_VALUES = [3, 5, 7, 99]     # the last one is all
cdef int[11] MARKER_POINTS = [0, 1, 3, 3, 6, 6, 10, 10, 15, 15, 21]
cdef int[3] PLACE_POINTS = [7, 4, 2]        # east-west and countries

cdef uint64_t ONE = 1


# ---------------------------------------------------------------------------------------------------------------------
# Small readers
# ---------------------------------------------------------------------------------------------------------------------

cdef inline void add_id(uint64_t* mask, int action) noexcept nogil:
    mask[action >> 6] |= ONE << (action & 63)


cdef void occupied(const State* s, uint64_t* out) noexcept nogil:
    out[0] = s.own[0][0] | s.own[1][0] | s.own[2][0] | s.own[3][0] | s.own[4][0]
    out[1] = s.own[0][1] | s.own[1][1] | s.own[2][1] | s.own[3][1] | s.own[4][1]


cdef void free_posts(const Table* t, const State* s, uint64_t* out) noexcept nogil:
    occupied(s, out)
    out[0] = t.all[0] & ~out[0]
    out[1] = t.all[1] & ~out[1]


cdef int owner_at(const State* s, int post) noexcept nogil:
    """The seat whose piece stands on an occupied post."""
    cdef int p
    for p in range(SEATS):
        if has_post(s.own[p], post):
            return p
    return -1


cdef void put_piece(State* s, int seat, int shape, int post) noexcept nogil:
    s.own[seat][post >> 6] |= ONE << (post & 63)
    if shape == MERCHANT:
        s.discs[post >> 6] |= ONE << (post & 63)


cdef void take_piece(State* s, int seat, int post) noexcept nogil:
    s.own[seat][post >> 6] &= ~(ONE << (post & 63))
    s.discs[post >> 6] &= ~(ONE << (post & 63))


cdef int city_offices(const Table* t, const uint64_t* w, int city) noexcept nogil:
    """The printed offices of a city as the low bits of an int, leftmost lowest."""
    cdef int first = t.office_first[city], count = t.office_count[city]
    cdef uint64_t bits = w[first >> 6] >> (first & 63)
    if (first & 63) + count > 64:
        bits |= w[1] << (64 - (first & 63))
    return <int>(bits & ((ONE << count) - 1))


cdef int filled_offices(const Table* t, const State* s, int city) noexcept nogil:
    """How many printed offices are occupied: always the leftmost ones."""
    cdef int p, bits = 0
    for p in range(t.seats):
        bits |= city_offices(t, s.office[p], city)
    return popcount(<uint64_t>bits)


cdef int green_nibble(const State* s, int g, int i) noexcept nogil:
    return <int>((s.green[g][i >> 4] >> (4 * (i & 15))) & 15)


cdef void set_green(State* s, int g, int i, int value) noexcept nogil:
    cdef int shift = 4 * (i & 15)
    s.green[g][i >> 4] &= ~(<uint64_t>15 << shift)
    s.green[g][i >> 4] |= <uint64_t>value << shift


cdef int green_count(const State* s, int g) noexcept nogil:
    cdef int i = 0
    while i < GREEN_OFFICES and green_nibble(s, g, i):
        i += 1
    return i


cdef bint has_any_office(const Table* t, const State* s, int city) noexcept nogil:
    cdef int i
    if filled_offices(t, s, city):
        return True
    for i in range(5):
        if s.extra_city[i] == city + 1:
            return True
    return t.green_of[city] >= 0 and green_nibble(s, t.green_of[city], 0) != 0


cdef int count_offices(const Table* t, const State* s, int seat, int city) noexcept nogil:
    """All offices of a seat in a city, extra and green ones included."""
    cdef int i, n, g = t.green_of[city]
    n = popcount(<uint64_t>city_offices(t, s.office[seat], city))
    for i in range(5):
        if s.extra_city[i] == city + 1 and (s.extra_piece[i] & 7) == seat:
            n += 1
    if g >= 0:
        for i in range(green_count(s, g)):
            if (green_nibble(s, g, i) & 7) == seat + 1:
                n += 1
    return n


cdef int rightmost_rank(const Table* t, const State* s, int seat, int city) noexcept nogil:
    """Orders the seats with an office in the city by their rightmost one (E4)."""
    cdef int i, bits, g = t.green_of[city]
    bits = city_offices(t, s.office[seat], city)
    if bits:
        return 100 + highest(<uint64_t>bits)
    if g >= 0:
        for i in range(green_count(s, g) - 1, -1, -1):
            if (green_nibble(s, g, i) & 7) == seat + 1:
                return 100 + i
    for i in range(5):      # later extras lie further left
        if s.extra_city[i] == city + 1 and (s.extra_piece[i] & 7) == seat:
            return 50 - i
    return 0


cdef int controller(const Table* t, const State* s, int city) noexcept nogil:
    """The seat that controls the city (E4), or -1."""
    cdef int p, n, rank, best = -1, most = 0, best_rank = 0
    for p in range(t.seats):
        n = count_offices(t, s, p, city)
        if n and n >= most:
            rank = rightmost_rank(t, s, p, city)
            if n > most or rank > best_rank:
                best, most, best_rank = p, n, rank
    return best


cdef uint32_t office_cities(const Table* t, const State* s, int seat) noexcept nogil:
    """Bit set of the cities where the seat has an office."""
    cdef int c
    cdef uint32_t bits = 0
    for c in range(t.cities):
        if count_offices(t, s, seat, c):
            bits |= <uint32_t>1 << c
    return bits


cdef uint32_t joined(const Table* t, uint32_t cities, int start) noexcept nogil:
    """The cities of the set that routes join with the start city."""
    cdef uint32_t seen = <uint32_t>1 << start, todo = seen, near
    cdef int c
    while todo:
        c = lowest(todo)
        todo &= todo - 1
        near = t.city_near[c] & cities & ~seen
        seen |= near
        todo |= near
    return seen


cdef bint is_connected(const Table* t, const State* s, int seat) noexcept nogil:
    """Whether the offices of the seat join the two east-west cities (E5)."""
    cdef uint32_t cities = office_cities(t, s, seat)
    cdef int a = t.east_west[0], b = t.east_west[1]
    if not (cities >> a) & 1 or not (cities >> b) & 1:
        return False
    return (joined(t, cities, a) >> b) & 1


cdef int marker_on(const State* s, int route) noexcept nogil:
    return <int>(((s.marker_kind[0] >> route) & 1) | (((s.marker_kind[1] >> route) & 1) << 1)
                 | (((s.marker_kind[2] >> route) & 1) << 2))


cdef void put_marker(State* s, int route, int kind) noexcept nogil:
    cdef int i
    s.marked |= ONE << route
    for i in range(3):
        if (kind >> i) & 1:
            s.marker_kind[i] |= ONE << route


cdef void clear_marker(State* s, int route) noexcept nogil:
    cdef int i
    s.marked &= ~(ONE << route)
    for i in range(3):
        s.marker_kind[i] &= ~(ONE << route)


cdef uint64_t open_routes(const Table* t, const State* s) noexcept nogil:
    """Routes on which a marker may be put now (P4). Offices fill from the left, so a city is full with its last one."""
    cdef uint64_t todo = t.marker_routes & ~s.marked, good = 0
    cdef uint64_t occ[2]
    cdef uint64_t taken[2]
    cdef int r
    occupied(s, occ)
    taken[0] = s.office[0][0] | s.office[1][0] | s.office[2][0] | s.office[3][0] | s.office[4][0]
    taken[1] = s.office[0][1] | s.office[1][1] | s.office[2][1] | s.office[3][1] | s.office[4][1]
    while todo:
        r = lowest(todo)
        todo &= todo - 1
        if not ((occ[0] & t.route_posts[r][0]) | (occ[1] & t.route_posts[r][1])) and (
            (t.route_last[r][0] & ~taken[0]) | (t.route_last[r][1] & ~taken[1])
        ):
            good |= ONE << r
    return good


cdef bint holds_permission(const Table* t, const State* s, int k, int seat) noexcept nogil:
    """Whether the seat may still use the k-th permission this turn (B1, B2)."""
    cdef int city = t.permission_city[k], n
    if (s.permissions >> k) & 1:
        return False
    n = filled_offices(t, s, city)
    return n > 0 and (city_offices(t, s.office[seat], city) >> (n - 1)) & 1


# ---------------------------------------------------------------------------------------------------------------------
# Displacing: rings and answers
# ---------------------------------------------------------------------------------------------------------------------

cdef void nearest(const Table* t, int route, bint anywhere, int shape, const uint64_t* free,
                  uint64_t* out) noexcept nogil:
    """Free posts of the nearest ring that has one for this shape (D5, D6); all of them with the tile (F5)."""
    cdef uint64_t f0 = free[0], f1 = free[1]
    cdef int k
    if shape == TRADER:
        f0 &= t.land[0]
        f1 &= t.land[1]
    out[0] = f0
    out[1] = f1
    if anywhere:
        return
    for k in range(t.rings[route]):
        out[0] = f0 & t.ring[route][k][0]
        out[1] = f1 & t.ring[route][k][1]
        if out[0] | out[1]:
            return
    out[0] = out[1] = 0


cdef inline bint relocates(const State* s, int seat) noexcept nogil:
    return (s.seat[seat].favours >> RELOCATE_ANYWHERE) & 1


cdef void lift_targets(const Table* t, const State* s, int seat, int post, int shape, uint64_t* out) noexcept nogil:
    """Where an own piece lifted from a route may go as an extra (D10). The piece still stands on its post."""
    cdef uint64_t free[2]
    free_posts(t, s, free)
    free[post >> 6] |= ONE << (post & 63)
    nearest(t, s.pend[ANS_ROUTE], relocates(s, seat), shape, free, out)
    out[post >> 6] &= ~(ONE << (post & 63))


cdef void answer_posts(const Table* t, const State* s, uint64_t* m) noexcept nogil:
    """Placements open to the displaced player: the first four words of a mask, all zero if there is none."""
    cdef int v = s.player, shape = s.pend[ANS_SHAPE], other, sh, post, w
    cdef bint anywhere = relocates(s, v)
    cdef const Seat* me = &s.seat[v]
    cdef const uint8_t* source
    cdef uint64_t free[2]
    cdef uint64_t keep[2]
    cdef uint64_t own
    cdef uint64_t got[2]
    free_posts(t, s, free)
    # D8: the stock, then the supply; routes only when the displaced piece is down.
    source = &me.stock[0]
    if not (me.stock[0] | me.stock[1]):
        source = &me.supply[0]
    if s.pend[ANS_DOWN] == NONE:
        nearest(t, s.pend[ANS_ROUTE], anywhere, shape, free, &m[2 * shape])
        other = 1 - shape
        if s.pend[ANS_EXTRAS] and source[other]:
            nearest(t, s.pend[ANS_ROUTE], anywhere, other, free, &m[2 * other])
            # D12: the displaced piece must keep a post.
            keep[0], keep[1] = free[0], free[1]
            if not anywhere:
                keep[0] &= t.reach[s.pend[ANS_ROUTE]][0]
                keep[1] &= t.reach[s.pend[ANS_ROUTE]][1]
            if shape == TRADER:
                keep[0] &= t.land[0]
                keep[1] &= t.land[1]
            if popcount(keep[0]) + popcount(keep[1]) == 1:
                m[2 * other] &= ~keep[0]
                m[2 * other + 1] &= ~keep[1]
        return
    if not s.pend[ANS_EXTRAS]:
        return
    for sh in range(2):
        if source[sh]:
            nearest(t, s.pend[ANS_ROUTE], anywhere, sh, free, &m[2 * sh])
    if not (source[0] | source[1]):
        for w in range(2):
            own = s.own[v][w]
            while own:
                post = 64 * w + lowest(own)
                own &= own - 1
                if post == s.pend[ANS_DOWN]:
                    continue
                sh = has_post(s.discs, post)
                lift_targets(t, s, v, post, sh, got)
                if got[0] | got[1]:
                    add_id(m, 128 * sh + post)


cdef bint can_displace(const Table* t, const State* s, int post, const uint64_t* free) noexcept nogil:
    """Whether the displaced piece would have a post (D11)."""
    cdef int route = t.post_route[post]
    cdef uint64_t f0 = free[0], f1 = free[1]
    if not relocates(s, owner_at(s, post)):
        f0 &= t.reach[route][0]
        f1 &= t.reach[route][1]
    if not has_post(s.discs, post):
        f0 &= t.land[0]
        f1 &= t.land[1]
    return (f0 | f1) != 0


# ---------------------------------------------------------------------------------------------------------------------
# Moving pieces (M3)
# ---------------------------------------------------------------------------------------------------------------------

cdef inline void movable(const State* s, int mode, uint64_t* out) noexcept nogil:
    """Posts whose pieces this move may lift."""
    if mode == MOVE_OWN:
        out[0] = s.own[s.current][0]
        out[1] = s.own[s.current][1]
    else:
        occupied(s, out)
        if mode == MOVE_OPPONENTS:
            out[0] &= ~s.own[s.current][0]
            out[1] &= ~s.own[s.current][1]


cdef inline void goal_posts(const Table* t, int mode, int shape, int source, uint64_t* out) noexcept nogil:
    """Posts a piece lifted from `source` may stand on, occupied or not (M4, B5)."""
    cdef int region
    if t.regions:
        region = t.post_region[source]
        if mode == MOVE_OWN:
            out[0] = t.own_move[region][0]
            out[1] = t.own_move[region][1]
        else:
            out[0] = t.region_posts[region][0]
            out[1] = t.region_posts[region][1]
    else:
        out[0] = t.all[0]
        out[1] = t.all[1]
    if shape == TRADER:
        out[0] &= t.land[0]
        out[1] &= t.land[1]
    out[source >> 6] &= ~(ONE << (source & 63))


cdef inline void exchange_posts(const State* s, int mode, int piece, const uint64_t* goal,
                                uint64_t* out) noexcept nogil:
    """Posts among the goals whose piece may be moved and differs from the one in hand."""
    cdef int seat = piece & 7
    movable(s, mode, out)
    if piece & 8:
        out[0] &= goal[0] & ~(s.own[seat][0] & s.discs[0])
        out[1] &= goal[1] & ~(s.own[seat][1] & s.discs[1])
    else:
        out[0] &= goal[0] & ~(s.own[seat][0] & ~s.discs[0])
        out[1] &= goal[1] & ~(s.own[seat][1] & ~s.discs[1])


cdef bint can_rest(const Table* t, const State* s, int mode, int piece, int source, int left) noexcept nogil:
    """Whether the piece in hand, lifted from `source`, has somewhere to go with this many lifts left."""
    cdef uint64_t goal[2]
    cdef uint64_t free[2]
    cdef uint64_t swap[2]
    cdef int w, post, next_piece
    cdef State after
    goal_posts(t, mode, piece >> 3, source, goal)
    free_posts(t, s, free)
    if (free[0] & goal[0]) | (free[1] & goal[1]):
        return True
    if left == 0:
        return False
    exchange_posts(s, mode, piece, goal, swap)
    for w in range(2):
        while swap[w]:
            post = 64 * w + lowest(swap[w])
            swap[w] &= swap[w] - 1
            after = s[0]
            next_piece = owner_at(s, post) + 8 * has_post(s.discs, post)
            take_piece(&after, next_piece & 7, post)
            put_piece(&after, piece & 7, piece >> 3, post)
            if can_rest(t, &after, mode, next_piece, post, left - 1):
                return True
    return False


cdef bint can_lift(const Table* t, const State* s, int mode, int post, int left) noexcept nogil:
    """Whether the piece on the post may be lifted; `left` lifts are left before it."""
    cdef State after = s[0]
    cdef int piece = owner_at(s, post) + 8 * has_post(s.discs, post)
    take_piece(&after, piece & 7, post)
    return can_rest(t, &after, mode, piece, post, left - 1)


cdef void easy_posts(const Table* t, int mode, const uint64_t* free, uint64_t* out) noexcept nogil:
    """Posts from which a piece of any shape surely has a free post to go to."""
    cdef int g
    cdef uint64_t f0 = free[0] & t.land[0], f1 = free[1] & t.land[1]
    out[0] = out[1] = 0
    if not t.regions:
        if f0 | f1:
            out[0] = t.all[0]
            out[1] = t.all[1]
        return
    for g in range(t.regions):
        if mode == MOVE_OWN:
            if (f0 & t.own_move[g][0]) | (f1 & t.own_move[g][1]):
                out[0] |= t.region_posts[g][0]
                out[1] |= t.region_posts[g][1]
        elif (f0 & t.region_posts[g][0]) | (f1 & t.region_posts[g][1]):
            out[0] |= t.region_posts[g][0]
            out[1] |= t.region_posts[g][1]


cdef void liftable(const Table* t, const State* s, int mode, int left, uint64_t* out) noexcept nogil:
    """Posts whose piece may be lifted now."""
    cdef uint64_t free[2]
    cdef uint64_t easy[2]
    cdef uint64_t hard
    cdef int w, post
    movable(s, mode, out)
    if not (out[0] | out[1]):
        return
    free_posts(t, s, free)
    easy_posts(t, mode, free, easy)
    for w in range(2):
        hard = out[w] & ~easy[w]
        while hard:
            post = 64 * w + lowest(hard)
            hard &= hard - 1
            if not can_lift(t, s, mode, post, left):
                out[w] &= ~(ONE << (post & 63))


cdef void settable(const Table* t, const State* s, uint64_t* out) noexcept nogil:
    """Posts on which the piece in hand may be set."""
    cdef int mode = s.pend[MOVE_MODE], left = s.pend[MOVE_LEFT]
    cdef int piece = s.pend[HAND_PIECE], source = s.pend[HAND_FROM], w, post, other
    cdef uint64_t goal[2]
    cdef uint64_t free[2]
    cdef uint64_t swap[2]
    cdef uint64_t easy[2]
    cdef uint64_t hard
    cdef State after
    goal_posts(t, mode, piece >> 3, source, goal)
    free_posts(t, s, free)
    out[0] = free[0] & goal[0]
    out[1] = free[1] & goal[1]
    if not left:
        return
    exchange_posts(s, mode, piece, goal, swap)
    easy_posts(t, mode, free, easy)
    for w in range(2):
        hard = swap[w] & ~easy[w]
        while hard:
            post = 64 * w + lowest(hard)
            hard &= hard - 1
            after = s[0]
            other = owner_at(s, post) + 8 * has_post(s.discs, post)
            take_piece(&after, other & 7, post)
            put_piece(&after, piece & 7, piece >> 3, post)
            if not can_rest(t, &after, mode, other, post, left - 1):
                swap[w] &= ~(ONE << (post & 63))
        out[w] |= swap[w]


# ---------------------------------------------------------------------------------------------------------------------
# Legal actions
# ---------------------------------------------------------------------------------------------------------------------

cdef void income_ids(const Table* t, const Seat* me, uint64_t* m) noexcept nogil:
    """A1: exactly the bank value (2009), or 1 up to it (big-box); limited by the stock."""
    cdef int traders = me.stock[0], merchants = me.stock[1], cap = BANK_VALUES[me.ability[BANK]], k, top
    if traders + merchants < cap:
        cap = traders + merchants
    if cap == 0:
        return
    if merchants > cap:
        merchants = cap
    if t.first_edition:
        for k in range(merchants + 1):
            if cap - k <= traders:
                add_id(m, ID_INCOME + 32 * k + cap - k)
        return
    for k in range(merchants + 1):
        top = cap - k if cap - k < traders else traders
        m[4 + (k >> 1)] |= ((ONE << (top + 1)) - 1) << (32 * (k & 1))
    m[4] &= ~ONE        # nothing at all is no income


cdef void route_ids(const Table* t, const State* s, const Seat* me, int r, uint64_t* m) noexcept nogil:
    """What establishing the full route r may bring (section 6)."""
    cdef int e, c, k, n, sh
    cdef int has[2]
    has[MERCHANT] = popcount(s.discs[0] & t.route_posts[r][0]) + popcount(s.discs[1] & t.route_posts[r][1])
    has[TRADER] = t.route_size[r] - has[MERCHANT]
    add_id(m, ID_ROUTE_NONE + r)
    for e in range(2):
        c = t.route_city[r][e]
        n = filled_offices(t, s, c)
        if n < t.office_count[c]:       # E11
            k = t.office_first[c] + n
            if has[t.office_shape[k]] and t.office_privilege[k] <= me.ability[PRIVILEGE]:
                add_id(m, ID_OFFICE_A + 40 * e + r)
        if me.unused[ADDITIONAL_POST] and (t.green_of[c] >= 0 or has_any_office(t, s, c)):      # U2
            for sh in range(2):
                if has[sh]:
                    add_id(m, ID_EXTRA + 80 * e + 40 * sh + r)
    for k in range(t.develop_pairs):
        if t.develop_route[k] == r and me.ability[t.develop_ability[k]] < ABILITY_FULL[t.develop_ability[k]]:   # A6
            add_id(m, ID_DEVELOP + k)
    if r == t.prestige_route and has[MERCHANT]:     # E9
        for k in range(t.prestige_slots):
            if not s.prestige[k] and t.prestige_privilege[k] <= me.ability[PRIVILEGE]:
                add_id(m, ID_PRESTIGE + k)


cdef inline void both_offices(const uint64_t* offices, uint64_t* out) noexcept nogil:
    """The offices of the set whose right neighbour is in it too."""
    out[0] = offices[0] & ((offices[0] >> 1) | (offices[1] << 63))
    out[1] = offices[1] & (offices[1] >> 1)


cdef void swap_ids(const Table* t, const State* s, int p, uint64_t* m) noexcept nogil:
    """U4, U5: neighbouring offices of different owners; in the big box one of them is yours."""
    cdef int q, i, left, right, g, w
    cdef uint64_t bits
    cdef uint64_t all_offices[2]
    cdef uint64_t good[2]
    cdef uint64_t pair[2]
    all_offices[0] = all_offices[1] = 0
    for q in range(t.seats):
        all_offices[0] |= s.office[q][0]
        all_offices[1] |= s.office[q][1]
    both_offices(all_offices, good)
    good[0] &= t.swap_lefts[0]
    good[1] &= t.swap_lefts[1]
    for q in range(t.seats):
        both_offices(s.office[q], pair)
        good[0] &= ~pair[0]
        good[1] &= ~pair[1]
    if not t.first_edition:
        good[0] &= s.office[p][0] | (s.office[p][0] >> 1) | (s.office[p][1] << 63)
        good[1] &= s.office[p][1] | (s.office[p][1] >> 1)
    for w in range(2):
        bits = good[w]
        while bits:
            i = lowest(bits)
            bits &= bits - 1
            q = popcount(t.swap_lefts[w] & ((ONE << i) - 1)) + (popcount(t.swap_lefts[0]) if w else 0)
            add_id(m, ID_SWAP + q)
    for g in range(t.greens):
        for i in range(green_count(s, g) - 1):
            left = (green_nibble(s, g, i) & 7) - 1
            right = (green_nibble(s, g, i + 1) & 7) - 1
            if left != right and (t.first_edition or left == p or right == p):
                add_id(m, ID_SWAP_GREEN + 32 * g + i)


cdef void marker_ids(const Table* t, const State* s, const Seat* me, uint64_t* m) noexcept nogil:
    """What the unused markers allow between actions (U1, U8)."""
    cdef int k
    cdef uint64_t got[2]
    if not s.flags & ACTIONS_OVER:
        if me.unused[ACTIONS_3]:
            add_id(m, ID_KIND + ACTIONS_3)
        if me.unused[ACTIONS_4]:
            add_id(m, ID_KIND + ACTIONS_4)
    if me.unused[DEVELOP_ABILITY]:
        for k in range(5):
            if me.ability[k] < ABILITY_FULL[k]:
                add_id(m, ID_ABILITY + k)
    if me.unused[SWAP_POSTS]:
        swap_ids(t, s, s.current, m)
    if me.unused[THREE]:
        if t.first_edition:
            occupied(s, got)
        else:
            liftable(t, s, MOVE_OPPONENTS, 3, got)
        if got[0] | got[1]:
            add_id(m, ID_KIND + THREE)


cdef void pawn_ids(const Table* t, const State* s, uint64_t* m) noexcept nogil:
    """T1, T3."""
    cdef int k, here = s.pawn - 1
    for k in range(t.provinces):
        if not s.flags & PAWN_MOVED and (t.province_near[here] >> k) & 1:
            add_id(m, ID_PAWN + k)
        if s.actions and k != here:
            add_id(m, ID_PAWN_ACTION + k)


cdef inline void full_routes(const Table* t, const State* s, int p, uint64_t* out) noexcept nogil:
    """First posts of the routes all of whose posts hold pieces of the seat. Posts of a route are neighbouring bits."""
    cdef uint64_t a0 = s.own[p][0], a1 = s.own[p][1], x0 = a0, x1 = a1
    cdef int k
    out[0] = a0 & t.first[1][0]
    out[1] = a1 & t.first[1][1]
    for k in range(1, t.longest):
        x0 &= (a0 >> k) | (a1 << (64 - k))
        x1 &= a1 >> k
        out[0] |= x0 & t.first[k + 1][0]
        out[1] |= x1 & t.first[k + 1][1]


cdef void main_ids(const Table* t, const State* s, uint64_t* m) noexcept nogil:
    """The decisions between actions."""
    cdef int p = s.current, k, total, w
    cdef const Seat* me = &s.seat[p]
    cdef uint64_t occ[2]
    cdef uint64_t free[2]
    cdef uint64_t goal[2]
    cdef uint64_t where[2]
    cdef uint64_t full[2]
    cdef uint64_t easy[2]
    cdef uint64_t hard
    add_id(m, ID_DONE)
    if s.actions:
        occupied(s, occ)
        free[0] = t.all[0] & ~occ[0]
        free[1] = t.all[1] & ~occ[1]
        full_routes(t, s, p, full)
        where[0], where[1] = t.all[0], t.all[1]
        if t.seats == 2:        # T4
            where[0], where[1] = t.province_posts[s.pawn - 1][0], t.province_posts[s.pawn - 1][1]
            full[0] &= where[0]
            full[1] &= where[1]
        elif t.permissions:     # B1 to B4
            where[0], where[1] = t.home_posts[0], t.home_posts[1]
            for k in range(t.permissions):
                if holds_permission(t, s, k, p):
                    for w in range(t.regions):
                        if (t.permission_regions[k] >> w) & 1:
                            where[0] |= t.region_posts[w][0]
                            where[1] |= t.region_posts[w][1]
        total = me.supply[0] + me.supply[1]
        if total:
            goal[0], goal[1] = free[0], free[1]
            if total >= 2:      # D1: the replacing piece and the fee
                occ[0] &= ~s.own[p][0]
                occ[1] &= ~s.own[p][1]
                if total == 2:
                    occ[0] &= ~s.discs[0]
                    occ[1] &= ~s.discs[1]
                # D11, at a glance: with so many free posts nobody can be stuck.
                if popcount(free[0] & t.commons[0]) + popcount(free[1] & t.commons[1]) <= t.longest:
                    for w in range(2):
                        hard = occ[w]
                        while hard:
                            k = lowest(hard)
                            hard &= hard - 1
                            if not can_displace(t, s, 64 * w + k, free):
                                occ[w] &= ~(ONE << k)
                goal[0] |= occ[0]
                goal[1] |= occ[1]
            goal[0] &= where[0]
            goal[1] &= where[1]
            if me.supply[0]:
                m[0] = goal[0] & t.land[0]
                m[1] = goal[1] & t.land[1]
            if me.supply[1]:
                m[2] = goal[0]
                m[3] = goal[1]
        income_ids(t, me, m)
        if s.own[p][0] | s.own[p][1]:
            easy_posts(t, MOVE_OWN, free, easy)
            if not ((s.own[p][0] & easy[0]) | (s.own[p][1] & easy[1])):
                liftable(t, s, MOVE_OWN, BOOK_VALUES[me.ability[BOOK]], easy)
            if easy[0] | easy[1]:
                add_id(m, ID_MOVE)
        for w in range(2):
            while full[w]:
                k = lowest(full[w])
                full[w] &= full[w] - 1
                route_ids(t, s, me, t.post_route[64 * w + k], m)
    if me.unused[0] | me.unused[1] | me.unused[2] | me.unused[3] | me.unused[4] | me.unused[5]:
        marker_ids(t, s, me, m)
        if s.favours_open and s.flags & FRESH:      # F2
            total = 0
            for k in range(KINDS):
                total += me.unused[k]
            if total >= 2:
                for k in range(6):
                    if (s.favours_open >> k) & 1:
                        add_id(m, ID_FAVOUR + k)
    if t.seats == 2:
        pawn_ids(t, s, m)


cdef inline void pieces_to_ids(const State* s, const uint64_t* posts, uint64_t* m) noexcept nogil:
    """Occupied posts as ids of the piece that stands there."""
    m[0] = posts[0] & ~s.discs[0]
    m[1] = posts[1] & ~s.discs[1]
    m[2] = posts[0] & s.discs[0]
    m[3] = posts[1] & s.discs[1]


cdef void place_two_posts(const Table* t, const State* s, uint64_t* m) noexcept nogil:
    """X5 and B6: the first four words of a mask."""
    cdef uint64_t free[2]
    free_posts(t, s, free)
    if s.pend[TWO_FOREIGN]:
        free[0] &= t.foreign_posts[0]
        free[1] &= t.foreign_posts[1]
    if s.pend[TWO_TRADERS]:
        m[0] = free[0] & t.land[0]
        m[1] = free[1] & t.land[1]
    if s.pend[TWO_MERCHANTS]:
        m[2] = free[0]
        m[3] = free[1]


cdef void pay_ids(const State* s, uint64_t* m) noexcept nogil:
    """D2: what is left in supply beside the replacing piece."""
    cdef int traders = s.seat[s.current].supply[0], merchants = s.seat[s.current].supply[1]
    if s.pend[PAY_SHAPE] == TRADER:
        traders -= 1
    else:
        merchants -= 1
    if has_post(s.discs, s.pend[PAY_POST]):
        if traders >= 2:
            add_id(m, ID_PAY + 2)
        if traders and merchants:
            add_id(m, ID_PAY + 3)
        if merchants >= 2:
            add_id(m, ID_PAY + 4)
    else:
        if traders:
            add_id(m, ID_PAY)
        if merchants:
            add_id(m, ID_PAY + 1)


cdef void legal_ids(const Table* t, const State* s, uint64_t* m) noexcept nogil:
    """The set of all legal actions."""
    cdef int phase = s.phase, k, sh
    cdef uint64_t got[2]
    cdef uint64_t routes
    cdef const Seat* me
    memset(m, 0, MASK_WORDS * sizeof(uint64_t))
    if phase == PH_MAIN:
        main_ids(t, s, m)
    elif phase == PH_ANSWER:
        answer_posts(t, s, m)
        if s.pend[ANS_DOWN] != NONE:
            add_id(m, ID_DONE)
    elif phase == PH_PAY:
        pay_ids(s, m)
    elif phase == PH_SET:
        k = 2 * (s.pend[HAND_PIECE] >> 3)
        settable(t, s, &m[k])
    elif phase == PH_LIFT:
        liftable(t, s, s.pend[MOVE_MODE], s.pend[MOVE_LEFT], got)
        pieces_to_ids(s, got, m)
        if s.pend[MOVE_LIFTED] or s.pend[MOVE_MODE] == MOVE_ANY:
            add_id(m, ID_DONE)
    elif phase == PH_ANSWER_TO:
        free_posts(t, s, got)
        k = s.pend[HAND_PIECE] >> 3
        nearest(t, s.pend[ANS_ROUTE], relocates(s, s.player), k, got, &m[2 * k])
        m[2 * k + (s.pend[HAND_FROM] >> 6)] &= ~(ONE << (s.pend[HAND_FROM] & 63))
    elif phase == PH_MARKER_ROUTE:
        routes = open_routes(t, s)
        m[ID_ON_ROUTE >> 6] |= routes << (ID_ON_ROUTE & 63)
        m[(ID_ON_ROUTE >> 6) + 1] |= routes >> (64 - (ID_ON_ROUTE & 63))
    elif phase == PH_PUT_MARKER:
        for k in range(KINDS):
            if s.seat[s.current].plate[k]:
                add_id(m, ID_KIND + k)
    elif phase == PH_REMOVE:
        occupied(s, got)
        pieces_to_ids(s, got, m)
        if s.pend[REM_DONE]:
            add_id(m, ID_DONE)
    elif phase == PH_FAVOUR_INCOME:
        me = &s.seat[s.player]
        if me.stock[0]:
            add_id(m, ID_INCOME + 1)
        if me.stock[1]:
            add_id(m, ID_INCOME + 32)
        add_id(m, ID_DONE)
    elif phase == PH_FLIP:
        for k in range(KINDS):
            if s.seat[s.current].unused[k]:
                add_id(m, ID_KIND + k)
    elif phase == PH_DEVELOP_PRIVILEGE:
        add_id(m, ID_ABILITY + PRIVILEGE)
        add_id(m, ID_DONE)
    elif phase == PH_GREEN_OFFICE:
        me = &s.seat[s.current]
        for k in range(t.greens):
            if green_nibble(s, k, GREEN_OFFICES - 1):
                continue
            for sh in range(2):
                if me.supply[sh]:
                    add_id(m, ID_GREEN + 2 * k + sh)
        add_id(m, ID_DONE)
    elif phase == PH_PLACE_TWO:
        place_two_posts(t, s, m)
        add_id(m, ID_DONE)
    elif phase == PH_PAWN:
        for k in range(t.provinces):
            add_id(m, ID_PAWN + k)


# ---------------------------------------------------------------------------------------------------------------------
# Applying an action (taken to be legal)
# ---------------------------------------------------------------------------------------------------------------------

cdef void to_phase(State* s, int phase, int player) noexcept nogil:
    s.phase = <uint8_t>phase
    s.player = <uint8_t>player


cdef inline void to_main(State* s) noexcept nogil:
    memset(s.pend, 0, PENDING)
    to_phase(s, PH_MAIN, s.current)


cdef inline int turn_actions(const Seat* me) noexcept nogil:
    return ACTION_VALUES[me.ability[ACTIONS]] + ((me.favours >> EXTRA_ACTION) & 1)      # F3


cdef void game_over(State* s) noexcept nogil:
    memset(s.pend, 0, PENDING)
    to_phase(s, PH_OVER, NONE)


cdef void finish_route(const Table* t, State* s) noexcept nogil:
    """The end of a route action with its permanent marker: does the game end (E7)?"""
    cdef int p
    for p in range(t.seats):
        if s.seat[p].points >= 20:
            s.end |= END_POINTS
    if s.completed >= t.completed_limit:
        s.end |= END_CITIES
    if s.end:
        game_over(s)
    else:
        to_main(s)


cdef void next_turn(const Table* t, State* s) noexcept nogil:
    s.turn += 1
    if s.turn >= (s.turn_limit if s.turn_limit else LAST_TURN):     # A6
        s.end |= END_TURNS
        game_over(s)
        return
    s.current = <uint8_t>((s.current + 1) % t.seats)
    s.actions = <uint8_t>turn_actions(&s.seat[s.current])
    s.flags = (s.flags & VIEW) | FRESH
    s.permissions = 0
    to_main(s)


cdef void place_markers(const Table* t, State* s) noexcept nogil:
    """P2, P3: the plate is placed as far as routes qualify, then the turn is over."""
    cdef int k
    memset(s.pend, 0, PENDING)
    for k in range(KINDS):
        if s.seat[s.current].plate[k]:
            if open_routes(t, s):
                to_phase(s, PH_PUT_MARKER, s.current)
                return
            break
    next_turn(t, s)


cdef void develop(State* s, int seat, int ability) noexcept nogil:
    cdef Seat* me = &s.seat[seat]
    cdef int before = ACTION_VALUES[me.ability[ACTIONS]]
    me.ability[ability] += 1
    me.supply[MERCHANT if ability == BOOK else TRADER] += 1
    if ability == ACTIONS and ACTION_VALUES[me.ability[ACTIONS]] > before and not s.flags & ACTIONS_OVER:   # A5
        s.actions += 1


cdef void office_made(const Table* t, State* s, int seat) noexcept nogil:
    """E5, E6: the east-west connection, once per player."""
    cdef int k
    for k in range(SEATS):
        if s.east_west[k] == seat + 1:
            return
    if not is_connected(t, s, seat):
        return
    for k in range(SEATS):
        if not s.east_west[k]:
            s.east_west[k] = <uint8_t>(seat + 1)
            if k < 3:
                s.seat[seat].points += PLACE_POINTS[k]
            return


cdef void printed_office(const Table* t, State* s, int seat, int city) noexcept nogil:
    cdef int n = filled_offices(t, s, city), k = t.office_first[city] + n
    s.office[seat][k >> 6] |= ONE << (k & 63)
    if t.office_shape[k] == MERCHANT:
        s.office_discs[k >> 6] |= ONE << (k & 63)
    s.seat[seat].points += t.office_coin[k]     # E10
    if n + 1 == t.office_count[city]:
        s.completed += 1
    office_made(t, s, seat)


cdef void extra_office(const Table* t, State* s, int seat, int city, int shape) noexcept nogil:
    cdef int k
    if t.green_of[city] >= 0 and not has_any_office(t, s, city):    # X2
        s.completed += 1
    k = 4       # the list is kept in the order of cities, within a city in the order of time
    while k and (not s.extra_city[k - 1] or s.extra_city[k - 1] > city + 1):
        s.extra_city[k] = s.extra_city[k - 1]
        s.extra_piece[k] = s.extra_piece[k - 1]
        k -= 1
    s.extra_city[k] = <uint8_t>(city + 1)
    s.extra_piece[k] = <uint8_t>(seat + 8 * shape)
    s.seat[seat].unused[ADDITIONAL_POST] -= 1
    s.seat[seat].used[ADDITIONAL_POST] += 1
    office_made(t, s, seat)


cdef void draw_marker(State* s) noexcept nogil:
    """P1, E8."""
    if s.pile_size:
        s.pile_size -= 1
        s.hidden[s.pile[s.pile_size]] += 1
        s.pile[s.pile_size] = 0
    else:
        s.end |= END_MARKER


cdef void start_permanent(const Table* t, State* s, int kind, int traders, int merchants) noexcept nogil:
    """X4: the permanent marker of a route, if it can do anything; the pieces are those left after the reward."""
    cdef int p = s.current, g
    cdef Seat* me = &s.seat[p]
    cdef uint64_t m[4]
    memset(s.pend, 0, PENDING)
    if kind == PERM_DEVELOP:
        if me.ability[PRIVILEGE] < ABILITY_FULL[PRIVILEGE]:
            to_phase(s, PH_DEVELOP_PRIVILEGE, p)
            return
    elif kind == PERM_MOVE:
        s.pend[MOVE_MODE] = MOVE_ANY
        s.pend[MOVE_LEFT] = 2
        liftable(t, s, MOVE_ANY, 2, m)
        if m[0] | m[1]:
            to_phase(s, PH_LIFT, p)
            return
    elif kind == PERM_GREEN:
        if me.supply[0] | me.supply[1]:
            for g in range(t.greens):
                if not green_nibble(s, g, GREEN_OFFICES - 1):
                    to_phase(s, PH_GREEN_OFFICE, p)
                    return
    elif kind == PERM_PLACE_ROUTE or kind == PERM_PLACE_FOREIGN:
        s.pend[TWO_FOREIGN] = kind == PERM_PLACE_FOREIGN
        s.pend[TWO_TRADERS] = me.stock[0] if s.pend[TWO_FOREIGN] else traders
        s.pend[TWO_MERCHANTS] = me.stock[1] if s.pend[TWO_FOREIGN] else merchants
        s.pend[TWO_LEFT] = 2
        memset(m, 0, sizeof(m))
        place_two_posts(t, s, m)
        if m[0] | m[1] | m[2] | m[3]:
            to_phase(s, PH_PLACE_TWO, p)
            return
    finish_route(t, s)


cdef void apply_route(const Table* t, State* s, int a) noexcept nogil:
    """E1: prestige, marker, reward; then the pieces leave the route."""
    cdef int p = s.current, r, k, e, sh, c
    cdef int control[2]
    cdef int left[2]
    cdef Seat* me = &s.seat[p]
    if a >= ID_PRESTIGE:
        r = t.prestige_route
    elif a >= ID_DEVELOP:
        r = t.develop_route[a - ID_DEVELOP]
    else:
        r = (a - ID_ROUTE_NONE) % 40
    for e in range(2):
        control[e] = controller(t, s, t.route_city[r][e])
        if control[e] >= 0:
            s.seat[control[e]].points += 1
    if (s.marked >> r) & 1:     # E2
        me.unused[marker_on(s, r)] += 1
        clear_marker(s, r)
        draw_marker(s)
    left[MERCHANT] = popcount(s.discs[0] & t.route_posts[r][0]) + popcount(s.discs[1] & t.route_posts[r][1])
    left[TRADER] = t.route_size[r] - left[MERCHANT]
    for k in range(2):
        s.own[p][k] &= ~t.route_posts[r][k]
        s.discs[k] &= ~t.route_posts[r][k]
    if a >= ID_PRESTIGE:
        s.prestige[a - ID_PRESTIGE] = <uint8_t>(p + 1)
        left[MERCHANT] -= 1
    elif a >= ID_DEVELOP:
        develop(s, p, t.develop_ability[a - ID_DEVELOP])
    elif a >= ID_EXTRA:
        sh = ((a - ID_EXTRA) // 40) & 1
        left[sh] -= 1
        extra_office(t, s, p, t.route_city[r][(a - ID_EXTRA) // 80], sh)
    elif a >= ID_OFFICE_A:
        c = t.route_city[r][(a - ID_OFFICE_A) // 40]
        left[t.office_shape[t.office_first[c] + filled_offices(t, s, c)]] -= 1
        printed_office(t, s, p, c)
    me.stock[0] += left[0]
    me.stock[1] += left[1]
    start_permanent(t, s, t.permanent[r], left[0], left[1])


cdef inline void spend_action(State* s) noexcept nogil:
    s.actions -= 1
    s.flags |= ACTED


cdef void start_move(State* s, int mode, int left) noexcept nogil:
    memset(s.pend, 0, PENDING)
    s.pend[MOVE_MODE] = <uint8_t>mode
    s.pend[MOVE_LEFT] = <uint8_t>left
    to_phase(s, PH_LIFT, s.current)


cdef void use_permission(const Table* t, State* s, int post) noexcept nogil:
    """B3: with a choice, the city that lies in the country is spent first."""
    cdef int region = t.post_region[post], i, k
    if not t.permissions or not t.foreign[region]:
        return
    for i in range(4):
        k = t.permission_order[region][i]
        if k == NONE:
            return
        if holds_permission(t, s, k, s.current):
            s.permissions |= 1 << k
            return


cdef void apply_piece(const Table* t, State* s, int post, int shape) noexcept nogil:
    """Place or displace."""
    cdef int p = s.current
    cdef uint64_t occ[2]
    spend_action(s)
    use_permission(t, s, post)
    occupied(s, occ)
    if has_post(occ, post):
        memset(s.pend, 0, PENDING)
        s.pend[PAY_POST] = <uint8_t>post
        s.pend[PAY_SHAPE] = <uint8_t>shape
        to_phase(s, PH_PAY, p)
    else:
        s.seat[p].supply[shape] -= 1
        put_piece(s, p, shape, post)


cdef void apply_swap(const Table* t, State* s, int a) noexcept nogil:
    cdef int q, i, g, left, right, d
    if a >= ID_SWAP_GREEN:
        g = (a - ID_SWAP_GREEN) >> 5
        i = (a - ID_SWAP_GREEN) & 31
        left = green_nibble(s, g, i)
        right = green_nibble(s, g, i + 1)
        set_green(s, g, i, right)
        set_green(s, g, i + 1, left)
        return
    i = t.swap_left[a - ID_SWAP]
    for q in range(t.seats):
        left = has_post(s.office[q], i)
        right = has_post(s.office[q], i + 1)
        if left != right:
            s.office[q][i >> 6] ^= ONE << (i & 63)
            s.office[q][(i + 1) >> 6] ^= ONE << ((i + 1) & 63)
    d = has_post(s.office_discs, i) ^ has_post(s.office_discs, i + 1)
    if d:
        s.office_discs[i >> 6] ^= ONE << (i & 63)
        s.office_discs[(i + 1) >> 6] ^= ONE << ((i + 1) & 63)


cdef inline void use_marker(State* s, int kind) noexcept nogil:
    s.seat[s.current].unused[kind] -= 1
    s.seat[s.current].used[kind] += 1


cdef void apply_main(const Table* t, State* s, int a) noexcept nogil:
    cdef int p = s.current, q, k
    cdef Seat* me = &s.seat[p]
    s.flags &= ~FRESH
    if a < ID_INCOME:
        apply_piece(t, s, a & 127, a >> 7)
    elif a < ID_ROUTE_NONE:
        spend_action(s)
        for k in range(2):
            q = (a - ID_INCOME) >> 5 if k else (a - ID_INCOME) & 31
            me.stock[k] -= q
            me.supply[k] += q
        if t.favours:           # F4
            for q in range(t.seats):
                if q != p and (s.seat[q].favours >> INCOME_FOLLOW) & 1 and (s.seat[q].stock[0] | s.seat[q].stock[1]):
                    to_phase(s, PH_FAVOUR_INCOME, q)
    elif a < ID_PAY:
        spend_action(s)
        apply_route(t, s, a)
    elif a == ID_DONE:
        for k in range(KINDS):
            me.plate[k] += s.hidden[k]
        memset(s.hidden, 0, sizeof(s.hidden))
        place_markers(t, s)
    elif a == ID_MOVE:
        spend_action(s)
        start_move(s, MOVE_OWN, BOOK_VALUES[me.ability[BOOK]])
    elif a < ID_ABILITY:
        k = a - ID_KIND
        use_marker(s, k)
        if k == ACTIONS_3:
            s.actions += 3
        elif k == ACTIONS_4:
            s.actions += 4
        elif t.first_edition:
            memset(s.pend, 0, PENDING)
            s.pend[REM_LEFT] = 3
            to_phase(s, PH_REMOVE, p)
        else:
            start_move(s, MOVE_OPPONENTS, 3)
    elif a < ID_FAVOUR:
        use_marker(s, DEVELOP_ABILITY)
        develop(s, p, a - ID_ABILITY)
    elif a < ID_PAWN:
        memset(s.pend, 0, PENDING)
        s.pend[FLIP_TILE] = <uint8_t>(a - ID_FAVOUR)
        s.pend[FLIP_LEFT] = 2
        to_phase(s, PH_FLIP, p)
    elif a < ID_PAWN_ACTION:
        s.pawn = <uint8_t>(a - ID_PAWN + 1)
        s.flags |= PAWN_MOVED
        if s.flags & ACTED:     # T1
            s.flags |= ACTIONS_OVER
            s.actions = 0
    elif a < ID_GREEN:
        spend_action(s)
        s.pawn = <uint8_t>(a - ID_PAWN_ACTION + 1)
    else:
        use_marker(s, SWAP_POSTS)
        apply_swap(t, s, a)


cdef void apply_pay(State* s, int a) noexcept nogil:
    cdef int p = s.current, post = s.pend[PAY_POST], shape = s.pend[PAY_SHAPE]
    cdef int fee[2]
    cdef int victim = owner_at(s, post), was = has_post(s.discs, post), k
    fee[0] = fee[1] = 0
    k = a - ID_PAY
    if k == 0 or k == 3:
        fee[0] = 1
    elif k == 2:
        fee[0] = 2
    if k == 1 or k == 3:
        fee[1] = 1
    elif k == 4:
        fee[1] = 2
    for k in range(2):
        s.seat[p].supply[k] -= fee[k]
        s.seat[p].stock[k] += fee[k]
    s.seat[p].supply[shape] -= 1
    take_piece(s, victim, post)
    put_piece(s, p, shape, post)
    memset(s.pend, 0, PENDING)
    s.pend[ANS_ROUTE] = 0
    s.pend[ANS_SHAPE] = <uint8_t>was
    s.pend[ANS_DOWN] = NONE
    s.pend[ANS_EXTRAS] = 2 if was or (s.seat[victim].favours >> DISPLACED_TRADER_2) & 1 else 1      # F6
    to_phase(s, PH_ANSWER, victim)


cdef void settle_answer(const Table* t, State* s) noexcept nogil:
    """Once the displaced piece is down: goes on only if an extra can be placed."""
    cdef uint64_t m[4]
    if s.pend[ANS_DOWN] == NONE:
        return
    if s.pend[ANS_EXTRAS]:
        memset(m, 0, sizeof(m))
        answer_posts(t, s, m)
        if m[0] | m[1] | m[2] | m[3]:
            return
    to_main(s)


cdef void apply_answer(const Table* t, State* s, int a) noexcept nogil:
    cdef int v = s.player, post = a & 127, shape = a >> 7
    cdef Seat* me = &s.seat[v]
    cdef uint8_t* source
    if a == ID_DONE:
        to_main(s)
        return
    if s.pend[ANS_DOWN] == NONE and shape == s.pend[ANS_SHAPE]:     # D12
        s.pend[ANS_DOWN] = <uint8_t>post
        put_piece(s, v, shape, post)
    else:
        source = me.stock
        if not (source[0] | source[1]):
            source = me.supply
        if not (source[0] | source[1]):     # D10
            take_piece(s, v, post)
            s.pend[HAND_FROM] = <uint8_t>post
            s.pend[HAND_PIECE] = <uint8_t>(v + 8 * shape)
            s.phase = PH_ANSWER_TO
            return
        source[shape] -= 1
        s.pend[ANS_EXTRAS] -= 1
        put_piece(s, v, shape, post)
    settle_answer(t, s)


cdef void end_move(const Table* t, State* s) noexcept nogil:
    if s.pend[MOVE_MODE] == MOVE_ANY:
        finish_route(t, s)
    else:
        to_main(s)


cdef void apply_set(const Table* t, State* s, int a) noexcept nogil:
    """Set down the piece in hand; an occupied post is an exchange (M3)."""
    cdef int post = a & 127, piece = s.pend[HAND_PIECE], other
    cdef uint64_t got[2]
    occupied(s, got)
    if has_post(got, post):
        other = owner_at(s, post) + 8 * has_post(s.discs, post)
        take_piece(s, other & 7, post)
        put_piece(s, piece & 7, piece >> 3, post)
        s.pend[MOVE_LEFT] -= 1
        s.pend[HAND_FROM] = <uint8_t>post
        s.pend[HAND_PIECE] = <uint8_t>other
        return
    put_piece(s, piece & 7, piece >> 3, post)
    s.pend[HAND_FROM] = 0
    s.pend[HAND_PIECE] = 0
    s.phase = PH_LIFT
    if s.pend[MOVE_LEFT]:
        liftable(t, s, s.pend[MOVE_MODE], s.pend[MOVE_LEFT], got)
        if got[0] | got[1]:
            return
    end_move(t, s)


cdef void apply_id(const Table* t, State* s, int a) noexcept nogil:
    """One decision. The action is taken to be legal."""
    cdef int phase = s.phase, post = a & 127, p, k
    cdef uint64_t got[4]
    if phase == PH_MAIN:
        apply_main(t, s, a)
    elif phase == PH_ANSWER:
        apply_answer(t, s, a)
    elif phase == PH_PAY:
        k = t.post_route[s.pend[PAY_POST]]
        apply_pay(s, a)
        s.pend[ANS_ROUTE] = <uint8_t>k
    elif phase == PH_SET:
        apply_set(t, s, a)
    elif phase == PH_LIFT:
        if a == ID_DONE:
            end_move(t, s)
            return
        p = owner_at(s, post)
        take_piece(s, p, post)
        s.pend[MOVE_LEFT] -= 1
        s.pend[MOVE_LIFTED] = 1
        s.pend[HAND_FROM] = <uint8_t>post
        s.pend[HAND_PIECE] = <uint8_t>(p + 8 * (a >> 7))
        s.phase = PH_SET
    elif phase == PH_ANSWER_TO:
        put_piece(s, s.player, a >> 7, post)
        s.pend[HAND_FROM] = 0
        s.pend[HAND_PIECE] = 0
        s.pend[ANS_EXTRAS] -= 1
        s.phase = PH_ANSWER
        settle_answer(t, s)
    elif phase == PH_PUT_MARKER:
        s.pend[PUT_KIND] = <uint8_t>(a - ID_KIND)
        s.phase = PH_MARKER_ROUTE
    elif phase == PH_MARKER_ROUTE:
        s.seat[s.current].plate[s.pend[PUT_KIND]] -= 1
        put_marker(s, a - ID_ON_ROUTE, s.pend[PUT_KIND])
        place_markers(t, s)
    elif phase == PH_REMOVE:
        if a == ID_DONE:
            to_main(s)
            return
        p = owner_at(s, post)
        take_piece(s, p, post)
        s.seat[p].supply[a >> 7] += 1
        s.pend[REM_LEFT] -= 1
        s.pend[REM_DONE] = 1
        occupied(s, got)
        if not s.pend[REM_LEFT] or not (got[0] | got[1]):
            to_main(s)
    elif phase == PH_FAVOUR_INCOME:
        if a != ID_DONE:
            k = TRADER if a == ID_INCOME + 1 else MERCHANT
            s.seat[s.player].stock[k] -= 1
            s.seat[s.player].supply[k] += 1
        to_main(s)
    elif phase == PH_FLIP:
        use_marker(s, a - ID_KIND)
        s.pend[FLIP_LEFT] -= 1
        if not s.pend[FLIP_LEFT]:
            k = s.pend[FLIP_TILE]
            s.favours_open &= ~(1 << k)
            s.seat[s.current].favours |= 1 << k
            s.flags |= ACTIONS_OVER
            s.actions = 0
            to_main(s)
    elif phase == PH_DEVELOP_PRIVILEGE:
        if a != ID_DONE:
            develop(s, s.current, PRIVILEGE)
        finish_route(t, s)
    elif phase == PH_GREEN_OFFICE:
        if a != ID_DONE:
            k = (a - ID_GREEN) >> 1
            p = s.current
            if not has_any_office(t, s, t.green_city[k]):   # X2
                s.completed += 1
            s.seat[p].supply[(a - ID_GREEN) & 1] -= 1
            set_green(s, k, green_count(s, k), p + 1 + 8 * ((a - ID_GREEN) & 1))
            office_made(t, s, p)
        finish_route(t, s)
    elif phase == PH_PLACE_TWO:
        if a != ID_DONE:
            p = s.current
            s.seat[p].stock[a >> 7] -= 1
            put_piece(s, p, a >> 7, post)
            s.pend[TWO_MERCHANTS if a >> 7 else TWO_TRADERS] -= 1
            s.pend[TWO_LEFT] -= 1
            memset(got, 0, sizeof(got))
            if s.pend[TWO_LEFT]:
                place_two_posts(t, s, got)
            if got[0] | got[1] | got[2] | got[3]:
                return
        finish_route(t, s)
    elif phase == PH_PAWN:
        s.pawn = <uint8_t>(a - ID_PAWN + 1)
        to_main(s)


# ---------------------------------------------------------------------------------------------------------------------
# Scoring
# ---------------------------------------------------------------------------------------------------------------------

cdef void score_region(const Table* t, const State* s, int region, int* points) noexcept nogil:
    """B7, B8, B9: places by controlled cities, then offices; a tie pools as many places as there are tied players."""
    cdef int rank[5]
    cdef int c, p, q, place, tied, pool, k
    for p in range(t.seats):
        points[p] = 0
        rank[p] = 0
    for c in range(t.cities):
        if (t.region_cities[region] >> c) & 1:
            q = controller(t, s, c)
            if q >= 0:
                rank[q] += 1000
            for p in range(t.seats):
                rank[p] += count_offices(t, s, p, c)
    for p in range(t.seats):
        if not rank[p]:
            continue
        place = tied = pool = 0
        for q in range(t.seats):
            if rank[q] > rank[p]:
                place += 1
            elif rank[q] == rank[p]:
                tied += 1
        for k in range(place, place + tied):
            if k < 3:
                pool += PLACE_POINTS[k]
        points[p] = pool // tied


cdef void score_all(const Table* t, const State* s, int score[5][12]) noexcept nogil:
    """Section 11. Columns: track, abilities, markers, prestige, cities, network, missions, four regions, total."""
    cdef int p, k, c, n, best, held
    cdef int control[32]
    cdef int region[5]
    cdef uint32_t cities, part, todo
    cdef const Seat* me
    for c in range(t.cities):
        control[c] = controller(t, s, c)
    for p in range(t.seats):
        me = &s.seat[p]
        for k in range(12):
            score[p][k] = 0
        score[p][0] = me.points
        for k in range(ACTIONS, 5):
            if me.ability[k] == ABILITY_FULL[k]:
                score[p][1] += 7 if (me.favours >> ABILITY_7) & 1 else 4        # F7
        n = 0
        for k in range(KINDS):
            n += me.unused[k] + me.used[k]
        score[p][2] = MARKER_POINTS[n if n < 10 else 10]
        for k in range(t.prestige_slots):
            if s.prestige[k] == p + 1:
                score[p][3] += t.prestige_points[k]
        for c in range(t.cities):
            if control[c] == p:
                score[p][4] += 4 if (me.favours >> CITY_CONTROL_DOUBLE) & 1 else 2
        cities = todo = office_cities(t, s, p)
        best = 0
        while todo:         # N1
            part = joined(t, cities, lowest(todo))
            todo &= ~part
            n = 0
            while part:
                n += count_offices(t, s, p, lowest(part))
                part &= part - 1
            if n > best:
                best = n
        score[p][5] = best * KEY_VALUES[me.ability[KEYS]]
        if me.mission and me.mission != NONE:       # F8
            held = 0
            for k in range(3):
                c = t.mission_city[me.mission - 1][k]
                score[p][6] += (cities >> c) & 1
                held += control[c] == p
            if held == 3:
                score[p][6] += 5
    for k in range(t.regions):
        if t.foreign[k]:
            score_region(t, s, k, region)
            for p in range(t.seats):
                score[p][7 + k] = region[p]
    for p in range(t.seats):
        for k in range(11):
            score[p][11] += score[p][k]


cdef void rank_all(const Table* t, const State* s, int score[5][12], int* ranks) noexcept nogil:
    """N2: shared (2009); or fewer spaces of actions, then more network points, then shared (big-box)."""
    cdef int p, q
    cdef int key[5]
    for p in range(t.seats):
        key[p] = score[p][11] * 10000
        if not t.first_edition:
            key[p] += (9 - s.seat[p].ability[ACTIONS]) * 1000 + score[p][5]
    for p in range(t.seats):
        ranks[p] = 1
        for q in range(t.seats):
            if key[q] > key[p]:
                ranks[p] += 1


# ---------------------------------------------------------------------------------------------------------------------
# Policies, playouts, perft
# ---------------------------------------------------------------------------------------------------------------------

cdef int route_value(const Table* t, const State* s, int a) noexcept nogil:
    """How much the greedy policy likes to establish a route in this way."""
    cdef int p = s.current, r, value, e
    if a >= ID_PRESTIGE:
        return 600 + t.prestige_points[a - ID_PRESTIGE]
    if a >= ID_DEVELOP:
        r = t.develop_route[a - ID_DEVELOP]
        e = t.develop_ability[a - ID_DEVELOP]
        value = 560 if e == ACTIONS else 540 if e == PRIVILEGE else 500
        value -= 40 * s.seat[p].ability[e]
    elif a >= ID_EXTRA:
        r = (a - ID_ROUTE_NONE) % 40
        value = 420
    elif a >= ID_OFFICE_A:
        r = (a - ID_ROUTE_NONE) % 40
        value = 480
    else:
        r = a - ID_ROUTE_NONE
        value = 200
    for e in range(2):
        if controller(t, s, t.route_city[r][e]) == p:
            value += 60
    if (s.marked >> r) & 1:
        value += 90
    return value


cdef struct Taste:          # what the greedy policy works out once a decision
    uint64_t occ[2]
    int route[40]           # value of a piece on the route
    uint64_t known          # routes whose value is known


cdef inline int post_value(const Table* t, const State* s, int post, Taste* taste) noexcept nogil:
    """How much the greedy policy likes a piece here: on routes that are nearly full, with a marker, without rivals."""
    cdef int r = t.post_route[post], p = s.player, own, all_pieces
    if not (taste.known >> r) & 1:
        own = popcount(s.own[p][0] & t.route_posts[r][0]) + popcount(s.own[p][1] & t.route_posts[r][1])
        all_pieces = popcount(taste.occ[0] & t.route_posts[r][0]) + popcount(taste.occ[1] & t.route_posts[r][1])
        taste.route[r] = 60 + 30 * own - 25 * (all_pieces - own) - 12 * (t.route_size[r] - own)
        taste.route[r] += 20 if (s.marked >> r) & 1 else 0
        taste.known |= ONE << r
    return taste.route[r]


cdef inline int greedy_value(const Table* t, const State* s, int a, Taste* taste) noexcept nogil:
    """A plain taste for finishing routes; ties are broken by the generator."""
    cdef int p = s.current, phase = s.phase, total
    cdef const Seat* me = &s.seat[p]
    if phase == PH_MAIN:
        if a < ID_INCOME:
            total = post_value(t, s, a & 127, taste)
            if has_post(taste.occ, a & 127):
                total -= 45 if has_post(s.discs, a & 127) else 20
            return total - (6 if a >= ID_MERCHANT else 0)
        if a < ID_ROUTE_NONE:
            total = ((a - ID_INCOME) & 31) + ((a - ID_INCOME) >> 5)
            return total * 4 + ((a - ID_INCOME) >> 5) + (100 if me.supply[0] + me.supply[1] < 2 else 0)
        if a < ID_PAY:
            return route_value(t, s, a)
        if a == ID_KIND + ACTIONS_3 or a == ID_KIND + ACTIONS_4 or (ID_ABILITY <= a < ID_FAVOUR):
            return 700
        if ID_FAVOUR <= a < ID_PAWN:
            return 100
        if ID_PAWN <= a < ID_PAWN_ACTION:
            return 30 if s.flags & ACTED == 0 else 5
        if ID_PAWN_ACTION <= a < ID_GREEN:
            return 25
        if a == ID_DONE:
            return 10 if s.actions else 40
        return 15
    if a == ID_DONE:
        return 35
    if phase == PH_ANSWER or phase == PH_ANSWER_TO or phase == PH_SET or phase == PH_PLACE_TWO:
        return post_value(t, s, a & 127, taste)
    if phase == PH_LIFT or phase == PH_REMOVE:
        return 34 if has_post(s.own[p], a & 127) else 36
    return 100


cdef int greedy_id(const Table* t, const State* s, const uint64_t* m, uint64_t* rng) noexcept nogil:
    cdef int w, a, value, best = -10000, pick = -1
    cdef uint64_t bits
    cdef Taste taste
    taste.known = 0
    occupied(s, taste.occ)
    for w in range(MASK_WORDS):
        bits = m[w]
        while bits:
            a = 64 * w + lowest(bits)
            bits &= bits - 1
            value = greedy_value(t, s, a, &taste) * 16 + <int>(rng_next(rng) >> 57)
            if value > best:
                best, pick = value, a
    return pick


cdef int choose_id(const Table* t, const State* s, const uint64_t* m, uint64_t* rng, int policy) noexcept nogil:
    """One of the legal ids."""
    return greedy_id(t, s, m, rng) if policy == GREEDY else rng_pick(rng, m, MASK_WORDS)


cdef void drop_twin_posts(const Table* t, const State* s, uint64_t* m) noexcept nogil:
    """Of the posts of a route that are alike (free, or of the same seat and shape) keep the first: no rule tells them
    apart, so that a search need not try all of them."""
    cdef uint64_t todo[2]
    cdef uint64_t same[2]
    cdef uint64_t occ[2]
    cdef int r, shape, w, post, owner, part
    cdef bint disc
    occupied(s, occ)
    for shape in range(2):
        if not m[2 * shape] | m[2 * shape + 1]:
            continue
        for r in range(t.routes):
            for part in range(2):       # posts that take any shape, and the others
                for w in range(2):
                    todo[w] = m[2 * shape + w] & t.route_posts[r][w] & (t.land[w] if part else ~t.land[w])
                while popcount(todo[0]) + popcount(todo[1]) > 1:
                    post = lowest(todo[0]) if todo[0] else 64 + lowest(todo[1])
                    owner = owner_at(s, post)
                    disc = has_post(s.discs, post)
                    for w in range(2):
                        same[w] = todo[w] & (s.own[owner][w] if owner >= 0 else ~occ[w])
                        same[w] &= s.discs[w] if disc else ~s.discs[w]
                        m[2 * shape + w] &= ~same[w]
                        todo[w] &= ~same[w]
                    m[2 * shape + (post >> 6)] |= ONE << (post & 63)


cdef int play_out(const Table* t, State* s, uint64_t* rng, int policy) noexcept nogil:
    """Plays to the end (or the turn limit of the state); returns the number of decisions."""
    cdef uint64_t m[MASK_WORDS]
    cdef int n = 0
    while s.phase != PH_OVER:
        legal_ids(t, s, m)
        apply_id(t, s, greedy_id(t, s, m, rng) if policy == GREEDY else rng_pick(rng, m, MASK_WORDS))
        n += 1
    return n


cdef uint64_t count_leaves(const Table* t, const State* s, int depth) noexcept nogil:
    """Perft: sequences of `depth` decisions; the last one is counted from the mask, not played."""
    cdef uint64_t m[MASK_WORDS]
    cdef uint64_t n = 0, bits
    cdef State after
    cdef int w
    legal_ids(t, s, m)
    if depth == 1:
        return mask_count(m)
    for w in range(MASK_WORDS):
        bits = m[w]
        while bits:
            after = s[0]
            apply_id(t, &after, 64 * w + lowest(bits))
            bits &= bits - 1
            if after.phase != PH_OVER:
                n += count_leaves(t, &after, depth - 1)
    return n


# ---------------------------------------------------------------------------------------------------------------------
# Tables of a board
# ---------------------------------------------------------------------------------------------------------------------

cdef void set_bit(uint64_t* w, int i) noexcept:
    w[i >> 6] |= ONE << (i & 63)


cdef int compile_posts(Table* t, board) except -1:
    """Posts, routes and countries."""
    cdef int post = 0, r = 0, k, g, tavern = 0
    data = board.data
    regions = list(data["regions"])
    t.posts = len(board.posts)
    t.routes = len(board.routes)
    t.regions = len(regions)
    for g, region in enumerate(regions):
        t.foreign[g] = region in board.foreign
    for r, route in enumerate(data["routes"]):
        g = regions.index(route["region"]) if regions else 0
        t.route_first[r] = post
        t.route_size[r] = len(route["posts"])
        t.longest = max(t.longest, t.route_size[r])
        set_bit(t.first[t.route_size[r]], post)
        for k, end in enumerate(("a", "b")):
            t.route_city[r][k] = board.city_index[route[end]]
        t.permanent[r] = 0
        if route["permanent_marker"]:
            t.permanent[r] = _boards.PERMANENT_MARKERS.index(route["permanent_marker"]) + 1
        if route["bonus_marker_allowed"]:
            t.marker_routes |= ONE << r
        if route["tavern"]:
            t.taverns[tavern] = r
            tavern += 1
        for place in route["posts"]:
            set_bit(t.all, post)
            set_bit(t.route_posts[r], post)
            if place["shape"] == "any":
                set_bit(t.land, post)
            t.post_route[post] = r
            t.post_region[post] = g
            if regions:
                set_bit(t.region_posts[g], post)
                if t.foreign[g]:
                    set_bit(t.foreign_posts, post)
                else:
                    set_bit(t.home_posts, post)
            post += 1
    for g in range(t.regions):      # B5
        for k in range(2):
            t.own_move[g][k] = t.region_posts[g][k] | t.home_posts[k]
    return 0


cdef int compile_rings(Table* t) except -1:
    """D5, D14: routes by the number of cities between them, searched through the own country and home only."""
    cdef int origin, r, k
    ends = [{t.route_city[r][0], t.route_city[r][1]} for r in range(t.routes)]
    t.commons[0] = t.land[0]
    t.commons[1] = t.land[1]
    for origin in range(t.routes):
        home = t.post_region[t.route_first[origin]]
        regions = [t.post_region[t.route_first[r]] for r in range(t.routes)]
        allowed = {r for r in range(t.routes) if not t.regions or regions[r] == home or not t.foreign[<int>regions[r]]}
        seen = {origin}
        frontier = {origin}
        t.rings[origin] = 0
        while True:
            cities = set().union(*(ends[r] for r in frontier))
            frontier = {r for r in allowed - seen if ends[r] & cities}
            if not frontier:
                break
            if t.rings[origin] == MAX_RINGS:
                raise BoardError(f"the board is wider than {MAX_RINGS} routes")
            for r in frontier:
                for k in range(2):
                    t.ring[origin][t.rings[origin]][k] |= t.route_posts[r][k]
                    t.reach[origin][k] |= t.route_posts[r][k]
            t.rings[origin] += 1
            seen |= frontier
        for k in range(2):
            t.commons[k] &= t.reach[origin][k] | t.route_posts[origin][k]
    return 0


cdef int compile_cities(Table* t, board) except -1:
    """Cities, offices, permissions, rewards."""
    cdef int c = 0, k = 0, r, g, n
    data = board.data
    regions = list(data["regions"])
    t.cities = len(board.cities)
    for c, city in enumerate(data["cities"]):
        t.office_first[c] = t.offices
        t.office_count[c] = len(city["offices"])
        for office in city["offices"]:
            t.office_privilege[t.offices] = _boards.PRIVILEGES.index(office["privilege"])
            t.office_shape[t.offices] = _boards.SHAPES.index(office["shape"])
            t.office_coin[t.offices] = office["coin"]
            t.offices += 1
        for region in city["regions"]:
            t.region_cities[regions.index(region)] |= <uint32_t>1 << c
        t.green_of[c] = -1
    for r in range(t.routes):
        for k in range(2):
            c = t.route_city[r][k]
            if t.office_count[c]:
                set_bit(t.route_last[r], t.office_first[c] + t.office_count[c] - 1)
        t.city_near[t.route_city[r][0]] |= <uint32_t>1 << t.route_city[r][1]
        t.city_near[t.route_city[r][1]] |= <uint32_t>1 << t.route_city[r][0]
    for k in range(2):
        t.east_west[k] = board.city_index[data["east_west"][k]]
    t.greens = len(board.green_cities)
    for k, c in enumerate(board.green_cities):
        t.green_city[k] = c
        t.green_of[c] = k
    t.develop_pairs = len(board.develop_pairs)
    for k, pair in enumerate(board.develop_pairs):
        t.develop_route[k], t.develop_ability[k] = pair
    t.swap_pairs = len(board.swap_pairs)
    for k, pair in enumerate(board.swap_pairs):
        t.swap_city[k] = pair[0]
        t.swap_left[k] = t.office_first[pair[0]] + pair[1]
        set_bit(t.swap_lefts, t.swap_left[k])
    special = data["special_prestige"]
    t.prestige_route = board.routes.index("-".join(special["route"]))
    t.prestige_slots = len(special["slots"])
    for k, slot in enumerate(special["slots"]):
        t.prestige_points[k] = slot["points"]
        t.prestige_privilege[k] = _boards.PRIVILEGES.index(slot["privilege"])
    permissions = data.get("permissions", [])
    t.permissions = len(permissions)
    for k, permission in enumerate(permissions):
        t.permission_city[k] = board.city_index[permission["city"]]
        for region in permission["regions"]:
            t.permission_regions[k] |= 1 << regions.index(region)
    for g in range(4):
        order = [k for k in range(t.permissions) if (t.permission_regions[k] >> g) & 1]
        order.sort(key=lambda k: not (t.region_cities[g] >> t.permission_city[k]) & 1)      # B3
        for n in range(4):
            t.permission_order[g][n] = order[n] if n < len(order) else NONE
    t.completed_limit = data["completed_cities_limit"]
    return 0


cdef int compile_provinces(Table* t, board) except -1:
    """Section 12: which posts a province borders, and which provinces lie one or two borders away (T1, T2)."""
    cdef int k, n, r, i
    data = board.data["two_player"]
    names = [province["id"] for province in data["provinces"]]
    t.provinces = len(names)
    near = [set() for _ in names]
    for a, b, _kind, _which in data["borders"]:
        near[names.index(a)].add(names.index(b))
        near[names.index(b)].add(names.index(a))
    for k, province in enumerate(data["provinces"]):
        for r in province["routes"]:
            for i in range(2):
                t.province_posts[k][i] |= t.route_posts[r][i]
        for n in near[k] | set().union(*(near[n] for n in near[k])):
            if n != k:
                t.province_near[k] |= <uint32_t>1 << n
    return 0


cdef int compile_table(Table* t, rules, board) except -1:
    """Fill the (zeroed) tables for these rules on this board."""
    cdef int k, i
    t.seats = rules.players
    t.first_edition = rules.edition == "2009"
    t.favours = rules.favours
    t.missions = rules.missions
    compile_posts(t, board)
    compile_rings(t)
    compile_cities(t, board)
    if rules.players == 2:
        compile_provinces(t, board)
    cards = _boards.mission_cards()
    t.mission_cards = len(cards)
    for k, card in enumerate(cards):
        for i in range(3):
            t.mission_city[k][i] = board.city_index.get(card[i], 0)
    for k in range(KINDS):
        t.kind_count[k] = _boards.marker_counts(rules.edition)[k]
        t.kind_gold[k] = _boards.gold_counts(rules.edition)[k]
    return 0
