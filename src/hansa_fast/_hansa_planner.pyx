"""How the planner plays Hansa (2004).

A turn is a voyage: the planner sails ahead in thought for a few calls, does at each what gains most (sell, build, buy),
and takes the first step of the voyage that ends best. All worths are hundredths of a point. Only what the seat may know
is read: never the order of the piles.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from hansa_fast._bits cimport MASK_WORDS, lowest, rng_next
from hansa_fast._hansa cimport *

cdef enum:
    HAND = 24           # markers a seat could have at once in thought

# What things are worth, in hundredths of a point.
cdef enum:
    TALER = 98       # a taler kept
    PAIR_LOSS = 90   # what is left of a pair when the other marker is spent
    MAJORITY = 432   # most booths in a city: trade and free goods
    MARGIN = 6       # each booth beyond those of the next one
    BOOTH = 61       # each booth to sell from
    HARM = 332       # a marker that another loses by a sale
    SPACE = 342      # first booths: a warehouse there
    ARROW = 320      # first booths: a way there
    CROWD = 60       # first booths: a booth of another

# Others.
cdef enum:
    SINGLE = 45   # percent of its price that a marker is worth which has no second of its colour
    PAIR = 75     # the same with a second one
    LATE = 12     # markers before pile five from which on single ones lose their worth
    CALLS = 3     # how far a voyage is thought ahead
    NEAR = 5      # markers within reach below which replenishing is worth a taler
    AHEAD = 2     # points of lead from which on the last round may begin


cdef struct Hand:           # what a voyage changes
    uint8_t good[HAND]
    int goods
    uint8_t colour[8]       # markers by colour
    uint8_t booths[16]      # mine, by city
    int supply
    int talers
    uint32_t taken          # warehouses emptied on the way


cdef struct Outlook:        # what the planner works out once a decision
    int me
    bint last               # this is my last turn
    int single              # percent of its full price that a marker is worth which has no second of its colour
    int pair                # the same with a second one
    int rivals[16]          # booths of others by city
    int strongest[16]       # of one other
    int hunters[8]          # others who hold markers of this colour
    int chance[16]          # a hundredth of a point or two by city, so that equals are not always alike


cdef inline bint is_legal(const uint64_t* m, int a) noexcept nogil:
    return (m[a >> 6] >> (a & 63)) & 1


cdef void look(const Table* t, const State* s, uint64_t noise, Outlook* o) noexcept nogil:
    """Everything about the others, for the seat that decides."""
    cdef int p, c, n, left
    o.me = s.player
    o.last = last_round(t, s)
    left = s.pile_size - t.last_pile
    o.single, o.pair = SINGLE, PAIR
    if left < LATE:
        o.single = o.single * (LATE // 2 + left) // (LATE + LATE // 2)
    for c in range(t.cities):
        o.rivals[c] = o.strongest[c] = 0
        o.chance[c] = <int>((noise >> (2 * c)) & 3)
        for p in range(t.seats):
            if p != o.me:
                n = s.booths[p][c]
                o.rivals[c] += n
                if n > o.strongest[c]:
                    o.strongest[c] = n
    for c in range(t.colours):
        o.hunters[c] = 0
        for p in range(t.seats):
            if p != o.me and (s.unsold[p].plane[0] >> (4 * c)) & 15:
                o.hunters[c] += 1


cdef void read_hand(const Table* t, const State* s, const Outlook* o, Hand* h) noexcept nogil:
    cdef int k, g
    cdef uint32_t bits
    memset(h, 0, sizeof(Hand))
    for k in range(PLANES):
        bits = s.unsold[o.me].plane[k]
        while bits:
            g = lowest(bits)
            bits &= bits - 1
            if h.goods < HAND:
                h.good[h.goods] = <uint8_t>g
                h.goods += 1
                h.colour[g >> 2] += 1
    for k in range(t.cities):
        h.booths[k] = s.booths[o.me][k]
    h.supply = s.supply[o.me]
    h.talers = s.talers[o.me]


# ---------------------------------------------------------------------------------------------------------------------
# What things are worth
# ---------------------------------------------------------------------------------------------------------------------

cdef inline int hold_worth(const Outlook* o, const Hand* h, int good) noexcept nogil:
    """An unsold marker: what its sale may bring one day."""
    cdef int price = 100 * ((good & 3) + 2)
    if o.last:
        return 100
    return price * (o.pair if h.colour[good >> 2] > 1 else o.single) // 100


cdef int hand_worth(const Outlook* o, const Hand* h, bint taxed) noexcept nogil:
    """All unsold markers; after taxes only the best three."""
    cdef int k, total = 0, n = h.goods
    cdef int lows[HAND]
    cdef int j, low, _gone
    for k in range(n):
        lows[k] = hold_worth(o, h, h.good[k])
        total += lows[k]
    if taxed and n > KEEP:
        for _gone in range(n - KEEP):
            low = 0
            for j in range(1, n):
                if lows[j] < lows[low]:
                    low = j
            total -= lows[low]
            lows[low] = 1000000
    return total


cdef inline int rest_worth(const Outlook* o, const Hand* h) noexcept nogil:
    """What is in hand when the turn ends here."""
    if o.last:
        return hand_worth(o, h, True)
    return hand_worth(o, h, True) + TALER * (h.talers if h.talers < KEEP else KEEP)


cdef int city_worth(const Outlook* o, int city, int booths) noexcept nogil:
    """Booths in a city: points at the end, and the trade of those who have most of them."""
    cdef int worth = 0
    if not booths:
        return 0
    worth = 400 if not o.rivals[city] else 200
    if not o.last:
        if booths > o.strongest[city]:
            worth += MAJORITY + MARGIN * (booths - o.strongest[city] if booths - o.strongest[city] < 3 else 3)
        worth += BOOTH * (booths if booths < 4 else 4)
    return worth


cdef int sale_worth(const Outlook* o, const Hand* h, int city) noexcept nogil:
    """Selling every colour of which there are two or more here, or 0 if nothing can be sold."""
    cdef int k, g, worth = 0
    cdef uint32_t seen = 0
    if not h.booths[city]:
        return 0
    for k in range(h.goods):
        g = h.good[k]
        if h.colour[g >> 2] > 1:
            worth += 100 * ((g & 3) + 2)
            if not (seen >> (g >> 2)) & 1:
                seen |= <uint32_t>1 << (g >> 2)
                worth += HARM * o.hunters[g >> 2]
    if worth:
        worth += city_worth(o, city, h.booths[city] - 1) - city_worth(o, city, h.booths[city])
    return worth


cdef void sell_all(Hand* h, int city) noexcept nogil:
    cdef int k, n = 0
    cdef uint8_t before[8]
    for k in range(8):
        before[k] = h.colour[k]
        if before[k] > 1:
            h.colour[k] = 0
    for k in range(h.goods):
        if before[h.good[k] >> 2] < 2:
            h.good[n] = h.good[k]
            n += 1
    h.goods = n
    h.booths[city] -= 1
    h.supply += 1


cdef void drop(Hand* h, int k) noexcept nogil:
    h.colour[h.good[k] >> 2] -= 1
    h.goods -= 1
    h.good[k] = h.good[h.goods]


# ---------------------------------------------------------------------------------------------------------------------
# Voyages
# ---------------------------------------------------------------------------------------------------------------------

cdef int act(const Table* t, const State* s, const Outlook* o, const Hand* h, int city, int kind, int which,
             Hand* out) noexcept nogil:
    """Do one thing at a call; returns what it gains at once beside the change of the hand."""
    cdef int gain, n
    out[0] = h[0]
    if kind == ID_SELL:
        gain = sale_worth(o, h, city)
        sell_all(out, city)
        return gain
    if kind == ID_BUILD:
        n = (h.good[which] & 3) + 1
        if n > h.supply:
            n = h.supply
        gain = city_worth(o, city, h.booths[city] + n) - city_worth(o, city, h.booths[city])
        drop(out, which)
        out.booths[city] += n
        out.supply -= n
        return gain
    # Buying: free for the majority, or one taler.
    if h.booths[city] <= o.strongest[city]:
        out.talers -= 1
    out.taken |= <uint32_t>1 << which
    n = s.warehouse[which] - 1
    out.good[out.goods] = <uint8_t>n
    out.goods += 1
    out.colour[n >> 2] += 1
    return 0


cdef int best_build(const Table* t, const State* s, const Outlook* o, const Hand* h, int city) noexcept nogil:
    """The marker whose booths here gain most for what it was worth in hand, or -1."""
    cdef int k, value, best = -1000000, pick = -1, n, here = city_worth(o, city, h.booths[city])
    cdef uint32_t seen = 0
    for k in range(h.goods):
        if (seen >> h.good[k]) & 1:
            continue
        seen |= <uint32_t>1 << h.good[k]
        n = (h.good[k] & 3) + 1
        value = city_worth(o, city, h.booths[city] + (n if n < h.supply else h.supply)) - here
        value -= hold_worth(o, h, h.good[k])
        if h.colour[h.good[k] >> 2] == 2:       # what is left of the pair loses, too
            value -= PAIR_LOSS
        if value > best:
            best, pick = value, k
    return pick


cdef int best_act(const Table* t, const State* s, const Outlook* o, const Hand* h, int city, Hand* out) noexcept nogil:
    """The thing to do at a call that looks best by itself; returns its gain, or -1000000 if there is none."""
    cdef int k, space, value, gain, best = 0, best_gain = -1000000, before = hand_worth(o, h, False)
    cdef Hand after
    if sale_worth(o, h, city) > 0:
        gain = act(t, s, o, h, city, ID_SELL, 0, &after)
        value = gain + hand_worth(o, &after, False) - before
        if value > best:
            best, best_gain = value, gain
            out[0] = after
    if h.supply and h.booths[city] < 3:
        k = best_build(t, s, o, h, city)
        if k >= 0:
            gain = act(t, s, o, h, city, ID_BUILD, k, &after)
            value = gain + hand_worth(o, &after, False) - before
            if value > best:
                best, best_gain = value, gain
                out[0] = after
    if h.goods < HAND and (h.talers or h.booths[city] > o.strongest[city]):
        for k in range(t.city_spaces[city]):
            space = t.city_space[city][k]
            if s.warehouse[space] and not (h.taken >> space) & 1:
                act(t, s, o, h, city, ID_BUY, space, &after)
                value = hand_worth(o, &after, False) - before - TALER * (h.talers - after.talers)
                if value > best:
                    best, best_gain = value, 0
                    out[0] = after
    return best_gain


cdef int voyage(const Table* t, const State* s, const Outlook* o, const Hand* h, int city, bint acted,
                int calls) noexcept nogil:
    """The best that the rest of the turn brings from here on: gains on the way and the hand at its end."""
    cdef int best = rest_worth(o, h), value, gain, c
    cdef uint16_t arrows
    cdef Hand after
    if not acted:
        gain = best_act(t, s, o, h, city, &after)
        if gain > -1000000:
            value = gain + voyage(t, s, o, &after, city, True, calls)
            if value > best:
                best = value
            if after.talers == h.talers:
                return best     # what costs nothing is done
    if calls and h.talers:
        arrows = t.arrows[city]
        while arrows:
            c = lowest(arrows)
            arrows &= arrows - 1
            after = h[0]
            after.talers -= 1
            value = voyage(t, s, o, &after, c, False, calls - 1) + o.chance[c]
            if value > best:
                best = value
    return best


cdef int main_id(const Table* t, const State* s, const uint64_t* m, const Outlook* o) noexcept nogil:
    """The first step of the best voyage."""
    cdef Hand h
    cdef Hand after
    cdef int best, value, pick = ID_END, k, c, space, city = s.ship
    cdef uint16_t arrows
    read_hand(t, s, o, &h)
    best = rest_worth(o, &h)
    if not s.flags & ACTED:
        if sale_worth(o, &h, city) > 0:
            for k in range(h.goods):
                if h.colour[h.good[k] >> 2] > 1 and is_legal(m, ID_SELL + h.good[k]):
                    value = act(t, s, o, &h, city, ID_SELL, 0, &after)
                    value += voyage(t, s, o, &after, city, True, CALLS)
                    if value > best:
                        best, pick = value, ID_SELL + h.good[k]
                    break
        if h.supply:
            k = best_build(t, s, o, &h, city)
            if k >= 0:
                value = act(t, s, o, &h, city, ID_BUILD, k, &after)
                value += voyage(t, s, o, &after, city, True, CALLS)
                if value > best:
                    best, pick = value, ID_BUILD + h.good[k]
        for k in range(t.city_spaces[city]):
            space = t.city_space[city][k]
            if h.goods < HAND and s.warehouse[space] and is_legal(m, ID_BUY + s.warehouse[space] - 1):
                value = act(t, s, o, &h, city, ID_BUY, space, &after)
                value += voyage(t, s, o, &after, city, True, CALLS)
                if value > best:
                    best, pick = value, ID_BUY + s.warehouse[space] - 1
    if h.talers:
        arrows = t.arrows[city]
        while arrows:
            c = lowest(arrows)
            arrows &= arrows - 1
            after = h
            after.talers -= 1
            value = voyage(t, s, o, &after, c, False, CALLS - 1) + o.chance[c]
            if value > best:
                best, pick = value, ID_SAIL + c
    return pick


# ---------------------------------------------------------------------------------------------------------------------
# The other decisions
# ---------------------------------------------------------------------------------------------------------------------

cdef int lead(const Table* t, const State* s, int me) noexcept nogil:
    """My points beyond those of the best other seat, if the game ended now."""
    cdef int score[4][4]
    cdef int p, best = -1000
    score_all(t, s, score)
    for p in range(t.seats):
        if p != me and score[p][3] > best:
            best = score[p][3]
    return score[me][3] - best


cdef int replenish_id(const Table* t, const State* s, const Outlook* o) noexcept nogil:
    """Worth a taler when little lies within reach; what begins the last round only from ahead."""
    cdef int near = 0, c, k, _d, empty = empty_spaces(t, s)
    cdef uint16_t reach = <uint16_t>1 << s.ship, seen = 0
    if not o.last and s.pile_size - empty < t.last_pile and lead(t, s, o.me) < AHEAD:
        return ID_DONE
    for _d in range(3):
        for c in range(t.cities):
            if (reach >> c) & 1 and not (seen >> c) & 1:
                seen |= <uint16_t>1 << c
                reach |= t.arrows[c]
    for c in range(t.cities):
        if (seen >> c) & 1:
            for k in range(t.city_spaces[c]):
                near += s.warehouse[t.city_space[c][k]] != 0
    return ID_REPLENISH if near < NEAR else ID_DONE


cdef int sell_id(const State* s, const uint64_t* m) noexcept nogil:
    """All that can be sold is sold."""
    cdef uint64_t bits = m[1] & 0xFFFFFFFFULL
    return ID_SELL + lowest(bits) if bits else ID_DONE


cdef int give_id(const Table* t, const State* s, const Outlook* o, const uint64_t* m, int base) noexcept nogil:
    """The marker that is missed least."""
    cdef Hand h
    cdef int k, value, worst = 1000000, pick = -1
    read_hand(t, s, o, &h)
    for k in range(h.goods):
        if is_legal(m, base + h.good[k]):
            value = hold_worth(o, &h, h.good[k])
            if value < worst:
                worst, pick = value, base + h.good[k]
    return pick


cdef int settle_id(const Table* t, const State* s, const Outlook* o, const uint64_t* m) noexcept nogil:
    """The first booths: where goods are, where ships come by, and where nobody else is."""
    cdef int c, d, value, best = -1000000, pick = -1
    for c in range(t.cities):
        if is_legal(m, ID_PLACE + c):
            value = SPACE * t.city_spaces[c] - CROWD * o.rivals[c] + o.chance[c]
            for d in range(t.cities):
                if (t.arrows[d] >> c) & 1:
                    value += ARROW
            if value > best:
                best, pick = value, ID_PLACE + c
    return pick


cdef int plan_id(const Table* t, const State* s, const uint64_t* m, uint64_t* rng) noexcept nogil:
    """The action of the planner. The mask has the legal actions."""
    cdef int phase = s.phase
    cdef Outlook o
    if phase == PH_SELL:
        return sell_id(s, m)
    look(t, s, rng_next(rng), &o)
    if phase == PH_MAIN:
        return main_id(t, s, m, &o)
    if phase == PH_GIVE:
        return give_id(t, s, &o, m, ID_GIVE)
    if phase == PH_LOSE:
        return give_id(t, s, &o, m, ID_LOSE)
    if phase == PH_PLACE:
        return settle_id(t, s, &o, m)
    return replenish_id(t, s, &o) if is_legal(m, ID_DONE) else ID_REPLENISH


cdef int plan_out(const Table* t, State* s, uint64_t* rng) noexcept nogil:
    """Plays to the end (or the turn limit of the state); returns the number of decisions."""
    cdef uint64_t m[MASK_WORDS]
    cdef int n = 0
    while s.phase != PH_OVER:
        legal_ids(t, s, m)
        apply_id(t, s, plan_id(t, s, m, rng))
        n += 1
    return n
