"""The rules of Hansa (2004) on bit planes.

Goods are bits of a word, cities bits of another; a set of legal actions uses the first four words of a mask, see
`docs/actions.md` for the ids. The functions below know nothing of Python; `_hansa_engine` lends them to the rest of the
package. Names such as H8 are rulings of `docs/rules.md`.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from hansa_fast._bits cimport MASK_WORDS, lowest, popcount, rng_next, rng_pick
from hansa_fast._engine cimport GREEDY

cdef uint64_t ONE = 1
cdef uint32_t FIRST_BARRELS = 0x11111111    # the lowest bit of every colour


# ---------------------------------------------------------------------------------------------------------------------
# Goods
# ---------------------------------------------------------------------------------------------------------------------

cdef void add_good(Goods* goods, int good) noexcept nogil:
    cdef uint32_t bit = <uint32_t>1 << good
    cdef int k = 0
    while goods.plane[k] & bit:
        k += 1
    goods.plane[k] |= bit


cdef void take_good(Goods* goods, int good) noexcept nogil:
    cdef uint32_t bit = <uint32_t>1 << good
    cdef int k = PLANES - 1
    while not goods.plane[k] & bit:
        k -= 1
    goods.plane[k] &= ~bit


cdef int count_good(const Goods* goods, int good) noexcept nogil:
    cdef int k, n = 0
    for k in range(PLANES):
        n += (goods.plane[k] >> good) & 1
    return n


cdef int count_goods(const Goods* goods) noexcept nogil:
    cdef int k, n = 0
    for k in range(PLANES):
        n += popcount(goods.plane[k])
    return n


cdef int count_colour(const Goods* goods, int colour) noexcept nogil:
    cdef int k, n = 0
    for k in range(PLANES):
        n += popcount((goods.plane[k] >> (4 * colour)) & 15)
    return n


cdef inline uint32_t whole_colours(uint32_t bits) noexcept nogil:
    """All goods of the colours of which at least one bit is set."""
    bits |= bits >> 1
    bits |= bits >> 2
    return (bits & FIRST_BARRELS) * 15


cdef inline uint32_t pairs(const Goods* goods) noexcept nogil:
    """All goods of the colours of which there are two markers or more."""
    cdef uint32_t p = goods.plane[0]
    cdef uint32_t a = p & FIRST_BARRELS, b = (p >> 1) & FIRST_BARRELS, c = (p >> 2) & FIRST_BARRELS
    cdef uint32_t d = (p >> 3) & FIRST_BARRELS
    return whole_colours(goods.plane[1]) | (((a & b) | (c & d) | ((a | b) & (c | d))) * 15)


# ---------------------------------------------------------------------------------------------------------------------
# Small readers
# ---------------------------------------------------------------------------------------------------------------------

cdef int empty_spaces(const Table* t, const State* s) noexcept nogil:
    cdef int k, n = 0
    for k in range(t.spaces):
        n += s.warehouse[k] == 0
    return n


cdef bint last_round(const Table* t, const State* s) noexcept nogil:
    """Whether pile five was begun (H5)."""
    return s.pile_size < t.last_pile


cdef inline int majority(const Table* t, const State* s) noexcept nogil:
    """The seat with strictly most booths where the ship lies, or -1 (H8)."""
    cdef int p, n, best = -1, most = 0
    for p in range(t.seats):
        n = s.booths[p][s.ship]
        if n > most:
            best, most = p, n
        elif n == most:
            best = -1
    return best


cdef inline uint32_t goods_here(const Table* t, const State* s) noexcept nogil:
    """The goods in the warehouses of the ship's city."""
    cdef uint32_t bits = 0
    cdef int k, v
    for k in range(t.city_spaces[s.ship]):
        v = s.warehouse[t.city_space[s.ship][k]]
        if v:
            bits |= <uint32_t>1 << (v - 1)
    return bits


cdef inline uint32_t picked_colours(const State* s) noexcept nogil:
    """All goods of the colours picked in this sale."""
    cdef uint32_t bits = 0
    cdef int c
    for c in range(COLOURS):
        if s.picked[c]:
            bits |= <uint32_t>15 << (4 * c)
    return bits


cdef inline uint32_t pickable(const State* s) noexcept nogil:
    """Goods that may be picked next in a sale (H10)."""
    cdef const Goods* mine = &s.unsold[s.current]
    return mine.plane[0] & (picked_colours(s) | pairs(mine))


cdef inline bint sale_complete(const State* s) noexcept nogil:
    cdef int c
    for c in range(COLOURS):
        if s.picked[c] == 1:
            return False
    return True


# ---------------------------------------------------------------------------------------------------------------------
# Legal actions
# ---------------------------------------------------------------------------------------------------------------------

cdef void main_ids(const Table* t, const State* s, uint64_t* m) noexcept nogil:
    cdef int p = s.current
    cdef const Goods* mine = &s.unsold[p]
    m[ID_END >> 6] |= ONE << (ID_END & 63)
    if s.talers[p]:
        m[ID_SAIL >> 6] |= <uint64_t>t.arrows[s.ship] << (ID_SAIL & 63)
    if s.flags & ACTED:
        return
    if s.talers[p] or majority(t, s) == p:
        m[0] |= goods_here(t, s)
    if s.supply[p]:
        m[0] |= <uint64_t>mine.plane[0] << ID_BUILD
    if s.booths[p][s.ship]:
        m[1] |= mine.plane[0] & pairs(mine)


cdef inline void used_ids(const Table* t, const State* s, uint64_t* m) noexcept nogil:
    """The legal actions in the words of the mask that this game uses."""
    cdef int phase = s.phase, c
    m[0] = m[1] = m[2] = m[3] = 0
    if phase == PH_MAIN:
        main_ids(t, s, m)
    elif phase == PH_REPLENISH:
        m[ID_REPLENISH >> 6] |= ONE << (ID_REPLENISH & 63)
        if empty_spaces(t, s) < t.spaces:
            m[ID_DONE >> 6] |= ONE << (ID_DONE & 63)
    elif phase == PH_SELL:
        m[ID_SELL >> 6] |= pickable(s)
        if sale_complete(s):
            m[ID_DONE >> 6] |= ONE << (ID_DONE & 63)
    elif phase == PH_LOSE:
        m[ID_LOSE >> 6] |= <uint64_t>(
            s.unsold[s.player].plane[0] & (<uint32_t>15 << (4 * s.lost_colour))
        ) << (ID_LOSE & 63)
    elif phase == PH_GIVE:
        m[ID_GIVE >> 6] |= s.unsold[s.current].plane[0]
    elif phase == PH_PLACE:
        for c in range(t.cities):
            if c != t.start and not s.booths[s.player][c]:
                m[ID_PLACE >> 6] |= ONE << ((ID_PLACE & 63) + c)


cdef void legal_ids(const Table* t, const State* s, uint64_t* m) noexcept nogil:
    """The set of all legal actions."""
    memset(&m[USED_WORDS], 0, (MASK_WORDS - USED_WORDS) * sizeof(uint64_t))
    used_ids(t, s, m)


# ---------------------------------------------------------------------------------------------------------------------
# Applying an action (taken to be legal)
# ---------------------------------------------------------------------------------------------------------------------

cdef void begin_turn(const Table* t, State* s, int seat) noexcept nogil:
    s.current = s.player = <uint8_t>seat
    s.talers[seat] += INCOME
    s.flags &= ~ACTED
    s.phase = PH_REPLENISH if s.pile_size and empty_spaces(t, s) else PH_MAIN


cdef void game_over(State* s, int reason) noexcept nogil:
    s.end = <uint8_t>reason
    s.phase = PH_OVER
    s.player = NONE


cdef void end_turn(const Table* t, State* s) noexcept nogil:
    cdef int following = (s.current + 1) % t.seats
    s.turn += 1
    if following == 0 and last_round(t, s):     # H5
        game_over(s, END_PILE)
    elif s.turn >= (s.turn_limit if s.turn_limit else <uint32_t>LAST_TURN):     # A6
        game_over(s, END_TURNS)
    else:
        begin_turn(t, s, following)


cdef void apply_replenish(const Table* t, State* s) noexcept nogil:
    """H2, H3: by number, as far as the markers go."""
    cdef int k
    s.talers[s.current] -= 1
    for k in range(t.spaces):
        if not s.warehouse[k] and s.pile_size:
            s.pile_size -= 1
            s.warehouse[k] = s.pile[s.pile_size] + 1
            s.pile[s.pile_size] = 0


cdef void apply_buy(const Table* t, State* s, int good) noexcept nogil:
    cdef int p = s.current, k = 0, owner = majority(t, s)
    while s.warehouse[t.city_space[s.ship][k]] != good + 1:
        k += 1
    s.warehouse[t.city_space[s.ship][k]] = 0
    if owner != p:      # H8
        s.talers[p] -= 1
        if owner >= 0:
            s.talers[owner] += 1
    add_good(&s.unsold[p], good)
    s.flags |= ACTED


cdef void apply_build(State* s, int good) noexcept nogil:
    cdef int p = s.current, n = (good & 3) + 1
    if n > s.supply[p]:     # H9
        n = s.supply[p]
    take_good(&s.unsold[p], good)
    add_good(&s.removed, good)
    s.supply[p] -= n
    s.booths[p][s.ship] += n
    s.flags |= ACTED


cdef void next_loss(const Table* t, State* s, int victim, int colour) noexcept nogil:
    """H11: the next opponent, from this one and colour on, who has something to lose; then the seller goes on."""
    while victim != s.current:
        while colour < t.colours:
            if (s.sold_colours >> colour) & 1 and (s.unsold[victim].plane[0] >> (4 * colour)) & 15:
                s.phase = PH_LOSE
                s.player = <uint8_t>victim
                s.lost_colour = <uint8_t>colour
                return
            colour += 1
        victim = (victim + 1) % t.seats
        colour = 0
    s.phase = PH_MAIN
    s.player = s.current
    s.sold_colours = s.lost_colour = 0


cdef void finish_sale(const Table* t, State* s) noexcept nogil:
    cdef int c
    s.booths[s.current][s.ship] -= 1
    s.supply[s.current] += 1
    for c in range(COLOURS):
        if s.picked[c]:
            s.sold_colours |= 1 << c
            s.picked[c] = 0
    next_loss(t, s, (s.current + 1) % t.seats, 0)


cdef void apply_sell(const Table* t, State* s, int good) noexcept nogil:
    s.flags |= ACTED
    s.phase = PH_SELL
    take_good(&s.unsold[s.current], good)
    add_good(&s.sold[s.current], good)
    s.picked[good >> 2] += 1
    if not pickable(s):
        finish_sale(t, s)


cdef void apply_place(const Table* t, State* s, int city) noexcept nogil:
    """H6: two booths; after the third round of the last seat the game begins."""
    cdef int p = s.player
    s.booths[p][city] = 2
    s.supply[p] -= 2
    if p + 1 == t.seats and s.supply[p] == BOOTHS - 6:
        begin_turn(t, s, 0)
    else:
        s.current = s.player = <uint8_t>((p + 1) % t.seats)


cdef void apply_id(const Table* t, State* s, int a) noexcept nogil:
    """One decision. The action is taken to be legal."""
    cdef int p = s.current
    if a >= ID_REPLENISH:
        if a == ID_END:
            if s.talers[p] > KEEP:      # H12
                s.talers[p] = KEEP
            if count_goods(&s.unsold[p]) > KEEP:
                s.phase = PH_GIVE
            else:
                end_turn(t, s)
        elif s.phase == PH_SELL:
            finish_sale(t, s)
        else:
            if a == ID_REPLENISH:
                apply_replenish(t, s)
            s.phase = PH_MAIN
    elif a >= ID_PLACE:
        apply_place(t, s, a - ID_PLACE)
    elif a >= ID_SAIL:
        s.talers[p] -= 1
        s.ship = <uint8_t>(a - ID_SAIL)
        s.flags &= ~ACTED       # H7
    elif a >= ID_GIVE:
        take_good(&s.unsold[p], a - ID_GIVE)
        add_good(&s.removed, a - ID_GIVE)
        if count_goods(&s.unsold[p]) == KEEP:
            end_turn(t, s)
    elif a >= ID_LOSE:
        take_good(&s.unsold[s.player], a - ID_LOSE)
        add_good(&s.removed, a - ID_LOSE)
        next_loss(t, s, s.player, s.lost_colour + 1)
    elif a >= ID_SELL:
        apply_sell(t, s, a - ID_SELL)
    elif a >= ID_BUILD:
        apply_build(s, a - ID_BUILD)
    else:
        apply_buy(t, s, a)


# ---------------------------------------------------------------------------------------------------------------------
# Scoring
# ---------------------------------------------------------------------------------------------------------------------

cdef void score_all(const Table* t, const State* s, int score[4][4]) noexcept nogil:
    """Columns: unsold, sold, cities, total."""
    cdef int p, q, c, k, b
    cdef bint alone
    for p in range(t.seats):
        score[p][0] = count_goods(&s.unsold[p])
        score[p][1] = score[p][2] = 0
        for k in range(PLANES):
            for b in range(1, 5):
                score[p][1] += (b + 1) * popcount(s.sold[p].plane[k] & t.barrel_goods[b])
        for c in range(t.cities):
            if s.booths[p][c]:
                alone = True
                for q in range(t.seats):
                    alone &= q == p or not s.booths[q][c]
                score[p][2] += 4 if alone else 2
        score[p][3] = score[p][0] + score[p][1] + score[p][2]


cdef void rank_all(const Table* t, const State* s, int score[4][4], int* ranks) noexcept nogil:
    """H14: ties go by booths on the board, then they are shared."""
    cdef int p, q
    for p in range(t.seats):
        ranks[p] = 1
        for q in range(t.seats):
            if score[q][3] > score[p][3] or (score[q][3] == score[p][3] and s.supply[q] < s.supply[p]):
                ranks[p] += 1


# ---------------------------------------------------------------------------------------------------------------------
# Policies, playouts, perft
# ---------------------------------------------------------------------------------------------------------------------

cdef int city_appeal(const Table* t, const State* s, int city) noexcept nogil:
    """How much the greedy policy would like the ship to be in this city."""
    cdef int p = s.current, k, v, value = 0
    for k in range(t.city_spaces[city]):
        v = s.warehouse[t.city_space[city][k]]
        if v:
            value += 4 + 3 * count_colour(&s.unsold[p], (v - 1) >> 2)
    if s.booths[p][city]:
        value += 12 if s.unsold[p].plane[0] & pairs(&s.unsold[p]) else 2
    elif s.unsold[p].plane[0]:
        value += 5
    return value


cdef int greedy_value(const Table* t, const State* s, int a) noexcept nogil:
    """A plain taste for selling sets and standing in many cities; ties are broken by the generator."""
    cdef int p = s.current, barrels = (a & 3) + 1, held
    if a == ID_END:
        return 40
    if a == ID_DONE:
        return 50
    if a == ID_REPLENISH:
        return 20 + 8 * empty_spaces(t, s)
    if a >= ID_PLACE:
        return t.city_spaces[a - ID_PLACE]
    if a >= ID_SAIL:
        return 36 + city_appeal(t, s, a - ID_SAIL)
    if a >= ID_LOSE:
        return 10 - barrels
    if a >= ID_SELL:
        return 100 + barrels
    held = count_goods(&s.unsold[p])
    if a >= ID_BUILD:
        return ((70 if not s.booths[p][s.ship] else 30 + 3 * (held > KEEP))
                - 5 * count_colour(&s.unsold[p], (a & 31) >> 2))
    return 62 + 6 * count_colour(&s.unsold[p], a >> 2) - 12 * (held > KEEP) + barrels


cdef inline int count_used(const uint64_t* m) noexcept nogil:
    return popcount(m[0]) + popcount(m[1]) + popcount(m[2]) + popcount(m[3])


cdef int choose_id(const Table* t, const State* s, const uint64_t* m, uint64_t* rng, int policy) noexcept nogil:
    """One of the legal ids."""
    cdef int w, a, value, best = -10000, pick = -1
    cdef uint64_t bits
    if policy != GREEDY:
        return rng_pick(rng, m, USED_WORDS)
    for w in range(USED_WORDS):
        bits = m[w]
        while bits:
            a = 64 * w + lowest(bits)
            bits &= bits - 1
            value = greedy_value(t, s, a) * 16 + <int>(rng_next(rng) >> 57)
            if value > best:
                best, pick = value, a
    return pick


cdef int play_out(const Table* t, State* s, uint64_t* rng, int policy) noexcept nogil:
    """Plays to the end (or the turn limit of the state); returns the number of decisions."""
    cdef uint64_t m[USED_WORDS]
    cdef int n = 0
    while s.phase != PH_OVER:
        used_ids(t, s, m)
        apply_id(t, s, choose_id(t, s, m, rng, policy))
        n += 1
    return n


cdef uint64_t count_leaves(const Table* t, const State* s, int depth) noexcept nogil:
    """Perft: sequences of `depth` decisions; the last one is counted from the mask, not played."""
    cdef uint64_t m[USED_WORDS]
    cdef uint64_t n = 0, bits
    cdef State after
    cdef int w
    used_ids(t, s, m)
    if depth == 1:
        return count_used(m)
    for w in range(USED_WORDS):
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

cdef int compile_table(Table* t, rules, board) except -1:
    """Fill the (zeroed) tables for these rules on this board."""
    cdef int c, k, colour, barrels, good
    t.seats = rules.players
    t.cities = len(board.cities)
    t.spaces = len(board.spaces)
    t.colours = len(board.colours)
    t.start = board.city_index[board.data["start"]]
    *_, t.last_pile = board.pile_sizes(rules.players)
    for k, c in enumerate(board.spaces):
        t.space_city[k] = c
        t.city_space[c][t.city_spaces[c]] = k
        t.city_spaces[c] += 1
    for a, b in board.data["routes"]:
        t.arrows[board.city_index[a]] |= 1 << board.city_index[b]
    for colour in range(t.colours):
        for barrels, k in board.barrels.items():
            good = 4 * colour + barrels - 1
            t.good_count[good] = k
            t.goods |= <uint32_t>1 << good
            t.barrel_goods[barrels] |= <uint32_t>1 << good
    return 0
