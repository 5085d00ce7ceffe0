"""How the planner plays Hansa Teutonica.

Every route is a plan: what its best reward is worth to me (in hundredths of a point at the end of the game) and what it
still costs (in hundredths of an action). The plan with the most worth per action is taken a step further: place,
displace, move, take income, establish. Answers, markers and pieces moved follow from the same plans. Only what the
deciding seat may know is read: never the pile, the plates of this turn or the missions of others.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from hansa_fast._bits cimport MASK_WORDS, highest, lowest, popcount, rng_next
from hansa_fast._teutonica cimport *

cdef int[5] ABILITY_FULL = [4, 5, 3, 3, 3]
cdef int[6] KEY_VALUES = [1, 2, 2, 3, 4, 4]
cdef int[7] ACTION_VALUES = [2, 3, 3, 4, 4, 5, 5]
cdef int[4] BOOK_VALUES = [2, 3, 4, 5]
cdef int[4] BANK_VALUES = [3, 5, 7, 12]     # the last one is all; so much it mostly is
cdef int[5] PAY_ORDER = [0, 2, 3, 1, 4]     # traders rather than merchants
# Markers to flip for a favour, the least missed first.
cdef int[6] FLIP_ORDER = [THREE, SWAP_POSTS, ADDITIONAL_POST, ACTIONS_3, ACTIONS_4, DEVELOP_ABILITY]
cdef int[5] PLACE_POINTS = [7, 4, 2, 0, 0]

cdef enum:
    PATIENCE = 40       # turns of each player, after which nobody shies away from the end

cdef uint64_t ONE = 1

# What things are worth, in hundredths of a point.
cdef enum:
    ACTION = 188          # an action more, each turn
    PIECE = 30            # a piece from the desk in supply
    PRIVILEGE_STEP = 60   # a step of privilege, each turn
    BOOK_STEP = 12        # of the book
    BANK_STEP = 15        # of the bank
    NEARLY_FULL = 136     # an ability that the next step after this one fills
    NETWORK_GROWTH = 30   # offices the network will still gain, each turn
    KEYS_GROWTH = 5       # keys still to come, each turn
    TRAFFIC = 4           # control of a city: its routes established by others, each way and turn
    DETHRONE = 80         # control that another loses
    STRENGTHEN = 40       # control that is held more firmly
    COUNTRY = 375         # control abroad
    PERMISSION = 8        # a permission, each turn
    MISSION = 60          # control of a city of the mission
    FEED = 68             # a point that goes to somebody else
    MARKER = 400          # a marker, used or not
    MARKER_RISE = 50      # the same for each marker one has already
    EXTRA_MARKER = 90     # an extra office to come
    SMALL_MARKER = 38     # a swap, or three pieces moved
    GREEN_OFFICE = 250    # an office in a green city
    PERMANENT = 325       # the other permanent markers
    FAVOUR = 100          # the two markers that a favour costs

# What things cost, in hundredths of an action.
cdef enum:
    GIFT = 45     # displacing: the piece that the other one gains
    REFILL = 30   # income for the pieces used, by the value of the bank
    DELAY = 10    # what cannot be finished this turn
    WAIT = 150    # a permission of a later turn
    RIDE = 45     # the way of the pawn

# Others.
cdef enum:
    GAME_TURNS = 30   # of all players, on most boards
    LONG_GAME = 42    # in Britannia, and with the pawn
    HALF_STEP = 23    # percent: a step of an ability that does not raise its value yet
    APART = 40        # percent: an office outside the network
    CONNECTION = 24   # percent: a city on the way from east to west
    STRAY = 60        # percent: pieces on plans so much worse are free to move
    MERCHANTS = 2     # that income fills the supply up to


cdef struct Plan:
    int worth       # of the best reward with all that comes with the route
    int cost        # hundredths of actions
    int rate        # worth per action
    int reward      # id of establishing it so
    int shape       # that the reward takes from the route, or -1
    int missing     # posts that are not mine
    int rivals      # pieces of others among them
    int pieces      # that the missing posts take out of my supply, fees included


cdef struct Outlook:        # what the planner works out once a decision
    int me
    int turns               # that I expect to have still
    int supply
    int abroad              # my pieces on routes
    uint64_t occ[2]
    uint64_t noise
    int control[32]         # seat or -1
    int mine[32]            # my offices by city
    int most[32]            # most offices of one other seat there
    int filled[32]          # printed offices
    uint32_t cities         # with an office of mine
    uint32_t network        # the largest connected part of them
    int network_offices
    int path                # offices that the east-west connection still needs, 0 if it brings nothing any more
    int path_prize
    uint32_t path_cities    # where such an office brings it nearer
    int develop[5]          # worth of the next step of each ability
    int develop_pair[40]    # best pair by route, or -1
    Plan plan[40]


cdef inline bint is_legal(const uint64_t* m, int a) noexcept nogil:
    return (m[a >> 6] >> (a & 63)) & 1


cdef inline int offices_in(const Table* t, const uint64_t* w, int city) noexcept nogil:
    cdef int first = t.office_first[city], count = t.office_count[city]
    cdef uint64_t bits = w[first >> 6] >> (first & 63)
    if (first & 63) + count > 64:
        bits |= w[1] << (64 - (first & 63))
    return <int>(bits & ((ONE << count) - 1))


cdef inline int on_route(const Table* t, const uint64_t* posts, int r) noexcept nogil:
    return popcount(posts[0] & t.route_posts[r][0]) + popcount(posts[1] & t.route_posts[r][1])


cdef bint in_reach(const Table* t, const State* s, int r) noexcept nogil:
    """Whether the pawn stands where one may act on the route (T4)."""
    if t.seats > 2 or not s.pawn:
        return True
    return on_route(t, t.province_posts[s.pawn - 1], r) != 0


# ---------------------------------------------------------------------------------------------------------------------
# What the position is
# ---------------------------------------------------------------------------------------------------------------------

cdef void look_at_cities(const Table* t, const State* s, Outlook* o) noexcept nogil:
    """Offices and control of every city."""
    cdef int c, q, n, most, rank, best_rank, bits, i
    cdef uint64_t taken[2]
    for i in range(2):
        taken[i] = s.office[0][i] | s.office[1][i] | s.office[2][i] | s.office[3][i] | s.office[4][i]
    o.cities = 0
    for c in range(t.cities):
        o.filled[c] = popcount(<uint64_t>offices_in(t, taken, c)) if t.office_count[c] else 0
        o.control[c] = -1
        o.mine[c] = o.most[c] = 0
        most = best_rank = 0
        if not o.filled[c]:
            continue
        for q in range(t.seats):
            bits = offices_in(t, s.office[q], c)
            if not bits:
                continue
            n = popcount(<uint64_t>bits)
            rank = highest(<uint64_t>bits)
            if n > most or (n == most and rank > best_rank):
                o.control[c], most, best_rank = q, n, rank
            if q == o.me:
                o.mine[c] = n
            elif n > o.most[c]:
                o.most[c] = n
        if o.mine[c]:
            o.cities |= <uint32_t>1 << c
    for i in range(5):
        if s.extra_city[i]:
            look_again(t, s, o, s.extra_city[i] - 1)
    for i in range(t.greens):
        if green_nibble(s, i, 0):
            look_again(t, s, o, t.green_city[i])


cdef void look_again(const Table* t, const State* s, Outlook* o, int c) noexcept nogil:
    """The exact facts of a city with offices that are not printed."""
    cdef int q, n
    o.control[c] = controller(t, s, c)
    o.most[c] = 0
    for q in range(t.seats):
        n = count_offices(t, s, q, c)
        if q == o.me:
            o.mine[c] = n
        elif n > o.most[c]:
            o.most[c] = n
    if o.mine[c]:
        o.cities |= <uint32_t>1 << c


cdef void look_at_network(const Table* t, const State* s, Outlook* o) noexcept nogil:
    """The largest connected part of my cities (N1)."""
    cdef uint32_t todo = o.cities, part, edge, near
    cdef int n, c
    o.network = 0
    o.network_offices = 0
    while todo:
        part = edge = todo & (~todo + 1)
        n = 0
        while edge:
            c = lowest(edge)
            edge &= edge - 1
            n += o.mine[c]
            near = t.city_near[c] & o.cities & ~part
            part |= near
            edge |= near
        todo &= ~part
        if n > o.network_offices:
            o.network_offices = n
            o.network = part


cdef int spread(const Table* t, uint32_t mine, int start, int goal, uint8_t* cost) noexcept nogil:
    """How many cities that are not mine lie on the best way from the start to each city, both ends included."""
    cdef uint32_t seen = 0, layer = <uint32_t>1 << start, edge, near
    cdef int k = 0, c
    if not (mine >> start) & 1:
        k = 1
    while layer:
        edge = layer & mine         # my own cities cost nothing
        while edge:
            c = lowest(edge)
            edge &= edge - 1
            near = t.city_near[c] & mine & ~layer & ~seen
            layer |= near
            edge |= near
        seen |= layer
        near = 0
        edge = layer
        while edge:
            c = lowest(edge)
            edge &= edge - 1
            cost[c] = <uint8_t>k
            near |= t.city_near[c]
        layer = near & ~seen
        k += 1
    return cost[goal]


cdef void look_east_and_west(const Table* t, const State* s, Outlook* o) noexcept nogil:
    """How far the connection is, and which cities bring it nearer (E5, E6)."""
    cdef uint8_t east[32]
    cdef uint8_t west[32]
    cdef int k, c, place = 0
    o.path = 0
    o.path_cities = 0
    for k in range(SEATS):
        if s.east_west[k] == o.me + 1:
            return
        if s.east_west[k]:
            place += 1
    if place > 2:
        return
    o.path_prize = 100 * PLACE_POINTS[place]
    for c in range(32):
        east[c] = west[c] = 100
    o.path = spread(t, o.cities, t.east_west[0], t.east_west[1], east)
    spread(t, o.cities, t.east_west[1], t.east_west[0], west)
    for c in range(t.cities):
        if not (o.cities >> c) & 1 and east[c] + west[c] - 1 == o.path:
            o.path_cities |= <uint32_t>1 << c


cdef int turns_left(const Table* t, const State* s) noexcept nogil:
    """How many turns each player may still have: by points, completed cities and markers."""
    cdef int p, gone = 0, n
    for p in range(t.seats):
        n = s.seat[p].points * 100 // 20
        if n > gone:
            gone = n
    n = s.completed * 100 // t.completed_limit
    if n > gone:
        gone = n
    n = (12 - s.pile_size) * 100 // 13
    if n > gone:
        gone = n
    if gone > 100:
        gone = 100
    n = 1 + (100 - gone) * (LONG_GAME if t.regions or t.provinces else GAME_TURNS) // (100 * t.seats)
    if s.turn_limit and <int>(s.turn_limit - s.turn) // t.seats < n:
        n = 1 + <int>(s.turn_limit - s.turn) // t.seats
    return n


# ---------------------------------------------------------------------------------------------------------------------
# What things are worth
# ---------------------------------------------------------------------------------------------------------------------

cdef int ability_worth(const Table* t, const State* s, Outlook* o, int e) noexcept nogil:
    """The next step of an ability."""
    cdef const Seat* me = &s.seat[o.me]
    cdef int level = me.ability[e], worth, size
    if level >= ABILITY_FULL[e]:
        return 0
    if e == ACTIONS:
        if ACTION_VALUES[level + 1] > ACTION_VALUES[level]:
            worth = ACTION * (o.turns + 1)
        else:
            worth = ACTION * o.turns * HALF_STEP // 100
    elif e == KEYS:
        size = 100 * o.network_offices + NETWORK_GROWTH * o.turns
        if KEY_VALUES[level + 1] > KEY_VALUES[level]:
            worth = size
        else:
            worth = size * HALF_STEP // 100
    elif e == PRIVILEGE:
        worth = PRIVILEGE_STEP * o.turns // (1 + level)
    elif e == BOOK:
        worth = BOOK_STEP * o.turns
    else:
        worth = BANK_STEP * o.turns
    if e != KEYS:
        if level + 1 == ABILITY_FULL[e]:
            worth += 700 if (me.favours >> ABILITY_7) & 1 else 400
        elif level + 2 == ABILITY_FULL[e]:
            worth += NEARLY_FULL
    return worth + PIECE


cdef int office_worth(const Table* t, const State* s, Outlook* o, int c, bint printed) noexcept nogil:
    """One more office in a city: network, control, connection, mission, country."""
    cdef int worth, keys, k, g
    cdef const Seat* me = &s.seat[o.me]
    cdef uint32_t bit = <uint32_t>1 << c
    cdef bint gains
    keys = 100 * KEY_VALUES[me.ability[KEYS]] + KEYS_GROWTH * o.turns
    if not o.cities or (bit | t.city_near[c]) & o.network:
        worth = keys
    else:
        worth = keys * APART // 100
    if o.control[c] != o.me:
        if printed:
            gains = o.mine[c] + 1 >= o.most[c]
        else:
            gains = o.mine[c] + 1 > o.most[c]
        if gains:
            worth += 400 if (me.favours >> CITY_CONTROL_DOUBLE) & 1 else 200
            worth += TRAFFIC * popcount(t.city_near[c]) * o.turns
            if o.control[c] >= 0:
                worth += DETHRONE
            for g in range(t.regions):
                if t.foreign[g] and (t.region_cities[g] >> c) & 1:
                    worth += COUNTRY
            for k in range(t.permissions):
                if t.permission_city[k] == c:
                    worth += PERMISSION * o.turns
    elif o.mine[c] <= o.most[c] + 1:
        worth += STRENGTHEN
    if o.path and (o.path_cities & bit):
        worth += o.path_prize * CONNECTION // (100 * o.path) if o.path > 1 else o.path_prize
    if me.mission and me.mission != NONE:       # F8
        for k in range(3):
            if t.mission_city[me.mission - 1][k] == c:
                worth += MISSION if o.mine[c] else 100 + MISSION
    return worth


cdef int marker_worth(const State* s, Outlook* o, int kind) noexcept nogil:
    """Markers count at the end, and are used before."""
    cdef int k, n = 0, worth
    for k in range(KINDS):
        n += s.seat[o.me].unused[k] + s.seat[o.me].used[k]
    worth = MARKER + MARKER_RISE * (n if n < 9 else 9)
    if kind == ACTIONS_4:
        return worth + 4 * ACTION
    if kind == ACTIONS_3:
        return worth + 3 * ACTION
    if kind == DEVELOP_ABILITY:
        return worth + o.develop[ACTIONS] // 2
    if kind == ADDITIONAL_POST:
        return worth + EXTRA_MARKER
    return worth + SMALL_MARKER


cdef int way_worth(const Table* t, const State* s, Outlook* o, int r) noexcept nogil:
    """What establishing the route brings whatever the reward: control, marker, permanent marker."""
    cdef int e, q, worth = 0
    for e in range(2):
        q = o.control[t.route_city[r][e]]
        if q == o.me:
            worth += 100
        elif q >= 0:
            worth -= FEED
    if (s.marked >> r) & 1:
        worth += marker_worth(s, o, marker_on(s, r))
    e = t.permanent[r]
    if e == PERM_DEVELOP:
        worth += o.develop[PRIVILEGE]
    elif e == PERM_GREEN:
        if o.supply:
            worth += GREEN_OFFICE
    elif e:
        worth += PERMANENT
    return worth


cdef inline void offer(Plan* plan, int reward, int worth, int shape) noexcept nogil:
    if worth > plan.worth:
        plan.worth, plan.reward, plan.shape = worth, reward, shape


cdef void find_reward(const Table* t, const State* s, Outlook* o, const uint64_t* m, int r,
                      const int* has) noexcept nogil:
    """The best way to establish the route: what is legal if that could be done now, else what could be had by then."""
    cdef Plan* plan = &o.plan[r]
    cdef const Seat* me = &s.seat[o.me]
    cdef bint full = plan.missing == 0 and s.phase == PH_MAIN and s.actions and in_reach(t, s, r)
    cdef int way = way_worth(t, s, o, r), e, c, k, sh, worth
    plan.worth = -100000
    plan.reward = ID_ROUTE_NONE + r
    plan.shape = -1
    if not full or is_legal(m, ID_ROUTE_NONE + r):
        offer(plan, ID_ROUTE_NONE + r, way, -1)
    for e in range(2):
        c = t.route_city[r][e]
        if o.filled[c] < t.office_count[c]:
            k = t.office_first[c] + o.filled[c]
            sh = t.office_shape[k]
            if t.office_privilege[k] <= me.ability[PRIVILEGE] and has[sh]:
                if not full or is_legal(m, ID_OFFICE_A + 40 * e + r):
                    worth = way + 100 * t.office_coin[k] + office_worth(t, s, o, c, True)
                    offer(plan, ID_OFFICE_A + 40 * e + r, worth, sh)
        if me.unused[ADDITIONAL_POST] and (t.green_of[c] >= 0 or o.mine[c] + o.most[c]):
            worth = way + office_worth(t, s, o, c, False) - (EXTRA_MARKER if o.turns > 2 else 0)
            for sh in range(2):
                if has[sh] and (not full or is_legal(m, ID_EXTRA + 80 * e + 40 * sh + r)):
                    offer(plan, ID_EXTRA + 80 * e + 40 * sh + r, worth - sh, sh)
    k = o.develop_pair[r]
    if k >= 0 and (not full or is_legal(m, ID_DEVELOP + k)):
        offer(plan, ID_DEVELOP + k, way + o.develop[t.develop_ability[k]], -1)
    if r == t.prestige_route and has[MERCHANT]:
        for k in range(t.prestige_slots):
            if not s.prestige[k] and t.prestige_privilege[k] <= me.ability[PRIVILEGE]:
                if not full or is_legal(m, ID_PRESTIGE + k):
                    offer(plan, ID_PRESTIGE + k, way + 100 * t.prestige_points[k], MERCHANT)


cdef void find_plan(const Table* t, const State* s, Outlook* o, const uint64_t* m, int r) noexcept nogil:
    """Worth and cost of the route."""
    cdef Plan* plan = &o.plan[r]
    cdef const Seat* me = &s.seat[o.me]
    cdef int own, own_discs, discs, boats, k, w, short, stock, book, bank, permits, merchants
    cdef uint64_t posts
    cdef int has[2]
    own = on_route(t, s.own[o.me], r)
    plan.missing = t.route_size[r] - own
    own_discs = discs = boats = 0
    plan.rivals = on_route(t, o.occ, r) - own
    for w in range(2):
        posts = t.route_posts[r][w]
        own_discs += popcount(posts & s.own[o.me][w] & s.discs[w])
        discs += popcount(posts & s.discs[w] & ~s.own[o.me][w])
        boats += popcount(posts & ~t.land[w] & ~s.own[o.me][w])
    plan.pieces = plan.missing + plan.rivals + discs
    merchants = me.supply[MERCHANT] + me.stock[MERCHANT]
    if plan.missing:
        has[MERCHANT] = own_discs + merchants
        has[TRADER] = own - own_discs + me.supply[TRADER] + me.stock[TRADER]
    else:
        has[MERCHANT] = own_discs
        has[TRADER] = own - own_discs
    find_reward(t, s, o, m, r, has)
    plan.rate = 0
    plan.cost = 100 + 100 * plan.missing + GIFT * plan.rivals + GIFT * discs // 2
    bank = BANK_VALUES[me.ability[BANK]]
    short = plan.pieces - o.supply
    if short > 0:
        stock = me.stock[0] + me.stock[1]
        if short > stock:       # my pieces on other routes must come
            if short - stock > o.abroad - own or short - stock > plan.missing - plan.rivals:
                return
            book = BOOK_VALUES[me.ability[BOOK]]
            plan.cost += 100 * ((short - stock + book - 1) // book)
            short = stock
        plan.cost += 100 * ((short + bank - 1) // bank)
    plan.cost += REFILL * plan.pieces // bank
    if boats > merchants:
        return
    if t.regions and plan.missing and t.foreign[t.post_region[t.route_first[r]]]:
        permits = 0
        for k in range(t.permissions):
            if (t.permission_regions[k] >> t.post_region[t.route_first[r]]) & 1 and holds_permission(t, s, k, o.me):
                permits += 1
        if not permits:
            return
        plan.cost += WAIT * ((plan.missing - 1) // permits)
    if not in_reach(t, s, r):
        plan.cost += RIDE
    if s.player == s.current and plan.cost > 100 * s.actions:
        plan.cost += DELAY
    if plan.worth > 0:
        plan.rate = plan.worth * 100 // plan.cost + <int>((o.noise >> r) & 3)


cdef void look(const Table* t, const State* s, const uint64_t* m, uint64_t noise, Outlook* o) noexcept nogil:
    """Everything a decision is made from, for the seat that decides."""
    cdef int r, k, e
    o.me = s.player
    o.noise = noise
    o.turns = turns_left(t, s)
    o.supply = s.seat[o.me].supply[0] + s.seat[o.me].supply[1]
    o.abroad = popcount(s.own[o.me][0]) + popcount(s.own[o.me][1])
    for k in range(2):
        o.occ[k] = s.own[0][k] | s.own[1][k] | s.own[2][k] | s.own[3][k] | s.own[4][k]
    look_at_cities(t, s, o)
    look_at_network(t, s, o)
    look_east_and_west(t, s, o)
    for e in range(5):
        o.develop[e] = ability_worth(t, s, o, e)
    for r in range(t.routes):
        o.develop_pair[r] = -1
    for k in range(t.develop_pairs):
        r = t.develop_route[k]
        e = t.develop_ability[k]
        if o.develop[e] and (o.develop_pair[r] < 0 or o.develop[e] > o.develop[t.develop_ability[o.develop_pair[r]]]):
            o.develop_pair[r] = k
    for r in range(t.routes):
        find_plan(t, s, o, m, r)


cdef int best_route(const Table* t, const Outlook* o) noexcept nogil:
    """The plan with the best rate, or -1."""
    cdef int r, best = -1, rate = 0
    for r in range(t.routes):
        if o.plan[r].rate > rate:
            best, rate = r, o.plan[r].rate
    return best


# ---------------------------------------------------------------------------------------------------------------------
# The race to the end
# ---------------------------------------------------------------------------------------------------------------------

cdef bint is_late(const Table* t, const State* s) noexcept nogil:
    """Whether establishing a route could end the game, and that matters."""
    cdef int p
    if <int>s.turn > PATIENCE * t.seats:
        return False        # behind or not, it must end one day
    if s.completed + 2 >= t.completed_limit or not s.pile_size:
        return True
    for p in range(t.seats):
        if s.seat[p].points >= 11:
            return True
    return False


cdef int ending(const Table* t, const State* s, int me, int a) noexcept nogil:
    """What establishing a route so does: 0 the game goes on, 1 it ends and I win, -1 it ends and I do not."""
    cdef State after = s[0]
    cdef int score[5][12]
    cdef int ranks[5]
    cdef int p
    cdef bint over
    apply_id(t, &after, a)
    over = after.completed >= t.completed_limit or after.end
    for p in range(t.seats):
        over = over or after.seat[p].points >= 20
    if not over:
        return 0
    score_all(t, &after, score)
    for p in range(t.seats):
        if p != me:             # missions of others are hidden
            score[p][11] -= score[p][6]
    rank_all(t, &after, score, ranks)
    return 1 if ranks[me] == 1 else -1


cdef int judge_endings(const Table* t, const State* s, uint64_t* m) noexcept nogil:
    """An action that wins the game at once, or -1; what loses it is taken out of the mask."""
    cdef int a, w, how
    cdef uint64_t bits
    for w in range(ID_ROUTE_NONE >> 6, (ID_PAY >> 6) + 1):
        bits = m[w]
        while bits:
            a = 64 * w + lowest(bits)
            bits &= bits - 1
            if ID_ROUTE_NONE <= a < ID_PAY:
                how = ending(t, s, s.current, a)
                if how > 0:
                    return a
                if how < 0:
                    m[w] &= ~(ONE << (a & 63))
    return -1


# ---------------------------------------------------------------------------------------------------------------------
# Steps of a plan
# ---------------------------------------------------------------------------------------------------------------------

cdef int income_id(const Table* t, const State* s, const Outlook* o, const uint64_t* m) noexcept nogil:
    """As much as the bank gives, with merchants until there are a few in supply."""
    cdef const Seat* me = &s.seat[o.me]
    cdef int total = BANK_VALUES[me.ability[BANK]], merchants, k
    if me.ability[BANK] == 3 or me.stock[0] + me.stock[1] < total:
        total = me.stock[0] + me.stock[1]
    merchants = MERCHANTS - me.supply[MERCHANT]
    if merchants < 0:
        merchants = 0
    if merchants > me.stock[MERCHANT]:
        merchants = me.stock[MERCHANT]
    if merchants > total:
        merchants = total
    if total - merchants > me.stock[TRADER]:
        merchants = total - me.stock[TRADER]
    k = ID_INCOME + 32 * merchants + total - merchants
    return k if total and is_legal(m, k) else -1


cdef int post_id(const Table* t, const State* s, const Outlook* o, const uint64_t* m, int r, int post) noexcept nogil:
    """The piece for a post of this plan."""
    cdef const Plan* plan = &o.plan[r]
    cdef int discs = 0, w, own = t.route_size[r] - plan.missing, shape
    for w in range(2):
        discs += popcount(t.route_posts[r][w] & s.own[o.me][w] & s.discs[w])
    shape = TRADER
    if plan.shape == MERCHANT and not discs:
        shape = MERCHANT
    if shape == TRADER and s.seat[o.me].supply[TRADER] == 0 and plan.shape == TRADER and own == discs \
            and plan.missing == 1:
        return -1
    if is_legal(m, 128 * shape + post):
        return 128 * shape + post
    if shape == MERCHANT and plan.missing == 1 and s.seat[o.me].stock[MERCHANT] and t.route_size[r] > 1:
        return -1       # it needs a merchant: income first
    shape = 1 - shape
    return 128 * shape + post if is_legal(m, 128 * shape + post) else -1


cdef int place_id(const Table* t, const State* s, const Outlook* o, const uint64_t* m, int r) noexcept nogil:
    """Place on the route, on free posts first; then displace, traders first."""
    cdef int k, post, a, round_
    for round_ in range(3):
        for k in range(t.route_size[r]):
            post = t.route_first[r] + k
            if has_post(s.own[o.me], post):
                continue
            if round_ == 0 and has_post(o.occ, post):
                continue
            if round_ == 1 and (not has_post(o.occ, post) or has_post(s.discs, post)):
                continue
            if round_ == 2 and not has_post(s.discs, post):
                continue
            a = post_id(t, s, o, m, r, post)
            if a >= 0:
                return a
    return -1


cdef inline bint is_poor(const State* s, const Outlook* o, int goal) noexcept nogil:
    """Whether the plan can be finished only with pieces from other routes."""
    return o.plan[goal].pieces > o.supply + s.seat[o.me].stock[0] + s.seat[o.me].stock[1]


cdef inline bint is_stray(const State* s, const Outlook* o, int r, int goal) noexcept nogil:
    """Whether my pieces on a route would do much more for the goal."""
    return r != goal and (o.plan[r].rate * 100 < o.plan[goal].rate * STRAY or is_poor(s, o, goal))


cdef int strays(const Table* t, const State* s, const Outlook* o, int goal) noexcept nogil:
    """How many of my pieces stand on such routes."""
    cdef int r, n = 0
    for r in range(t.routes):
        if o.plan[r].missing < t.route_size[r] and is_stray(s, o, r, goal):
            n += t.route_size[r] - o.plan[r].missing
    return n


cdef int pawn_id(const Table* t, const State* s, const Outlook* o, const uint64_t* m, int r,
                 bint free_only) noexcept nogil:
    """Bring the pawn to the route: freely before the first action if possible, else for an action (T1, T3)."""
    cdef int k, q, worth, best = 0, pick = -1, block
    for block in range(1 if free_only else 2):
        for k in range(t.provinces):
            if not is_legal(m, (ID_PAWN_ACTION if block else ID_PAWN) + k):
                continue
            if not block and s.flags & ACTED and s.actions:
                continue
            worth = 0
            for q in range(t.routes):
                if on_route(t, t.province_posts[k], q):
                    worth += o.plan[q].rate // 4 + (100000 if q == r else 0)
            if worth > best and worth >= 100000:
                best, pick = worth, (ID_PAWN_ACTION if block else ID_PAWN) + k
        if pick >= 0:
            return pick
    return -1


cdef int step_id(const Table* t, const State* s, const Outlook* o, const uint64_t* m, int r) noexcept nogil:
    """The next step of a plan, or -1 if there is none now."""
    cdef const Plan* plan = &o.plan[r]
    cdef const Seat* me = &s.seat[o.me]
    cdef int a, free, loose
    if not in_reach(t, s, r):
        return pawn_id(t, s, o, m, r, False)
    if not plan.missing:
        return plan.reward if is_legal(m, plan.reward) else -1
    free = plan.missing - plan.rivals
    if is_legal(m, ID_MOVE) and free:
        loose = strays(t, s, o, r)
        if loose > BOOK_VALUES[me.ability[BOOK]]:
            loose = BOOK_VALUES[me.ability[BOOK]]
        if (loose >= 2 and free >= 2) or (loose and is_poor(s, o, r)):
            return ID_MOVE
    if plan.pieces > o.supply and (o.supply == 0 or (plan.rivals and not free)):
        a = income_id(t, s, o, m)
        if a >= 0:
            return a
    a = place_id(t, s, o, m, r)
    if a < 0 and plan.pieces > 0:
        a = income_id(t, s, o, m)
    return a


# ---------------------------------------------------------------------------------------------------------------------
# Decisions
# ---------------------------------------------------------------------------------------------------------------------

cdef int swap_id(const Table* t, const State* s, const Outlook* o, const uint64_t* m) noexcept nogil:
    """A swap of offices that brings me the control of a city, or -1."""
    cdef int w, a, c
    cdef uint64_t bits
    cdef State after
    for w in range(ID_SWAP >> 6, MASK_WORDS):
        bits = m[w]
        while bits:
            a = 64 * w + lowest(bits)
            bits &= bits - 1
            if a < ID_SWAP:
                continue
            c = t.green_city[(a - ID_SWAP_GREEN) >> 5] if a >= ID_SWAP_GREEN else t.swap_city[a - ID_SWAP]
            if o.control[c] == o.me or not o.mine[c]:
                continue
            after = s[0]
            apply_id(t, &after, a)
            if controller(t, &after, c) == o.me:
                return a
    return -1


cdef int favour_id(const Table* t, const State* s, const Outlook* o, const uint64_t* m) noexcept nogil:
    """A favour that is worth a turn and two markers, or -1."""
    cdef int k, c, worth, best, pick = -1
    cdef const Seat* me = &s.seat[o.me]
    best = FAVOUR + s.actions * ACTION + ACTION * 4 * (me.unused[ACTIONS_3] + me.unused[ACTIONS_4])
    for k in range(6):
        if not is_legal(m, ID_FAVOUR + k):
            continue
        worth = 0
        if k == EXTRA_ACTION:
            worth = ACTION * (o.turns - 1)
        elif k == CITY_CONTROL_DOUBLE:
            for c in range(t.cities):
                worth += 200 if o.control[c] == o.me else 0
        elif k == ABILITY_7:
            for c in range(ACTIONS, 5):
                worth += 300 if me.ability[c] == ABILITY_FULL[c] else 0
        if worth > best:
            best, pick = worth, ID_FAVOUR + k
    return pick


cdef int free_id(const Table* t, const State* s, const Outlook* o, const uint64_t* m, int goal) noexcept nogil:
    """What costs no action and is worth doing now, or -1: favours and markers."""
    cdef int a, e, best = -1
    cdef const Seat* me = &s.seat[o.me]
    if t.favours and s.flags & FRESH:
        a = favour_id(t, s, o, m)
        if a >= 0:
            return a
    if me.unused[DEVELOP_ABILITY]:
        for e in range(5):
            if is_legal(m, ID_ABILITY + e) and (best < 0 or o.develop[e] > o.develop[best]):
                best = e
        if best >= 0:
            return ID_ABILITY + best
    if me.unused[SWAP_POSTS]:
        a = swap_id(t, s, o, m)
        if a >= 0:
            return a
    if goal < 0:
        return -1
    if is_legal(m, ID_KIND + THREE) and s.actions and o.plan[goal].rivals >= (2 if o.turns > 3 else 1):
        return ID_KIND + THREE
    if not s.actions:
        for e in range(ACTIONS_4, ACTIONS_3 - 1, -1):
            if is_legal(m, ID_KIND + e):
                return ID_KIND + e
    return -1


cdef int main_id(const Table* t, const State* s, const uint64_t* legal, Outlook* o, uint64_t noise) noexcept nogil:
    """Between actions."""
    cdef uint64_t m[MASK_WORDS]
    cdef int w, a, r, _k
    for w in range(MASK_WORDS):
        m[w] = legal[w]
    if s.actions and is_late(t, s):
        a = judge_endings(t, s, m)
        if a >= 0:
            return a
    look(t, s, m, noise, o)
    r = best_route(t, o)
    a = free_id(t, s, o, m, r)
    if a >= 0:
        return a
    if s.actions:
        for _k in range(8):
            if r < 0:
                break
            a = step_id(t, s, o, m, r)
            if a >= 0:
                return a
            o.plan[r].rate = 0
            r = best_route(t, o)
        a = income_id(t, s, o, m)
        if a >= 0:
            return a
    elif t.seats == 2 and r >= 0 and not in_reach(t, s, r):
        a = pawn_id(t, s, o, m, r, True)
        if a >= 0:
            return a
    return ID_DONE


cdef inline int rate_with(const Outlook* o, int r) noexcept nogil:
    """The rate of a route once one more piece of mine stands there."""
    cdef int cost = o.plan[r].cost - 120
    if o.plan[r].worth <= 0:
        return 0
    if not o.plan[r].rate:
        return 1
    return o.plan[r].worth * 100 // (cost if cost > 100 else 100)


cdef int put_id(const Table* t, const State* s, const Outlook* o, const uint64_t* m) noexcept nogil:
    """Where a piece that costs no action does most."""
    cdef int w, a, value, best = -1, pick = -1, r
    cdef uint64_t bits
    for w in range(4):
        bits = m[w]
        while bits:
            a = 64 * w + lowest(bits)
            bits &= bits - 1
            if has_post(o.occ, a & 127):
                continue
            r = t.post_route[a & 127]
            value = 4 * rate_with(o, r)
            if a >= ID_MERCHANT:
                value += 2 if o.plan[r].shape == MERCHANT else -2
            if value > best:
                best, pick = value, a
    return pick


cdef int move_goal(const Table* t, const Outlook* o) noexcept nogil:
    """The best plan if it has a free post, else -1."""
    cdef int r = best_route(t, o)
    return r if r >= 0 and o.plan[r].missing > o.plan[r].rivals else -1


cdef int lift_id(const Table* t, const State* s, const Outlook* o, const uint64_t* m) noexcept nogil:
    """A stray piece of mine, or a rival on the route I want; done if there is none."""
    cdef int w, a, r, value, best = -1000000, pick = -1
    cdef int wanted = best_route(t, o), goal = move_goal(t, o)
    cdef uint64_t bits
    for w in range(4):
        bits = m[w]
        while bits:
            a = 64 * w + lowest(bits)
            bits &= bits - 1
            r = t.post_route[a & 127]
            if not has_post(s.own[o.me], a & 127):
                value = 5000 if r == wanted else -3000 + o.plan[r].rate
            elif goal >= 0 and is_stray(s, o, r, goal):
                value = 1000 - o.plan[r].rate
            else:
                value = -5000 - o.plan[r].rate
            if value > best:
                best, pick = value, a
    return ID_DONE if best < -1000 and is_legal(m, ID_DONE) else pick


cdef int set_id(const Table* t, const State* s, const Outlook* o, const uint64_t* m) noexcept nogil:
    """My piece on the route that is planned, a rival's where it hurts least."""
    cdef int w, a, r, value, best = -1000000, pick = -1, goal = move_goal(t, o)
    cdef bint mine = (s.pend[HAND_PIECE] & 7) == o.me
    cdef uint64_t bits
    for w in range(4):
        bits = m[w]
        while bits:
            a = 64 * w + lowest(bits)
            bits &= bits - 1
            r = t.post_route[a & 127]
            if mine:
                value = rate_with(o, r) + (50000 if r == goal else 0)
            else:
                value = -rate_with(o, r)
            if has_post(o.occ, a & 127):
                value -= 100000
            if value > best:
                best, pick = value, a
    return pick


cdef int remove_id(const Table* t, const State* s, const Outlook* o, const uint64_t* m) noexcept nogil:
    """Rivals on the route I want."""
    cdef int goal = best_route(t, o), k, a, w
    cdef uint64_t bits
    if goal >= 0:
        for k in range(t.route_size[goal]):
            a = t.route_first[goal] + k
            if has_post(o.occ, a) and not has_post(s.own[o.me], a):
                return a + 128 * has_post(s.discs, a)
    if is_legal(m, ID_DONE):
        return ID_DONE
    for w in range(4):
        bits = m[w] & ~s.own[o.me][w & 1]
        if bits:
            return 64 * w + lowest(bits)
    return -1


cdef int marker_route_id(const Table* t, const Outlook* o, const uint64_t* m) noexcept nogil:
    """A marker goes where I am most likely to go myself."""
    cdef int r, best = -1, pick = -1
    for r in range(t.routes):
        if is_legal(m, ID_ON_ROUTE + r) and o.plan[r].rate > best:
            best, pick = o.plan[r].rate, ID_ON_ROUTE + r
    return pick


cdef int green_id(const Table* t, const State* s, Outlook* o, const uint64_t* m) noexcept nogil:
    cdef int k, worth, best = 0, pick = ID_DONE
    for k in range(2 * t.greens):
        if is_legal(m, ID_GREEN + k):
            worth = office_worth(t, s, o, t.green_city[k >> 1], True) - (k & 1)
            if worth > best:
                best, pick = worth, ID_GREEN + k
    return pick


cdef int first_of(const uint64_t* m, int base, const int* order) noexcept nogil:
    """The first legal id of a block in this order."""
    cdef int k = 0
    while not is_legal(m, base + order[k]):
        k += 1
    return base + order[k]


cdef int first_id(const uint64_t* m) noexcept nogil:
    cdef int w
    for w in range(MASK_WORDS):
        if m[w]:
            return 64 * w + lowest(m[w])
    return -1


cdef int plan_id(const Table* t, const State* s, const uint64_t* m, uint64_t* rng) noexcept nogil:
    """The action of the planner. The mask has the legal actions."""
    cdef int phase = s.phase, a = -1, k
    cdef uint64_t noise = rng_next(rng)
    cdef Outlook o
    if phase == PH_MAIN:
        a = main_id(t, s, m, &o, noise)
    elif phase == PH_PAY:
        a = first_of(m, ID_PAY, PAY_ORDER)
    elif phase == PH_FLIP:
        a = first_of(m, ID_KIND, FLIP_ORDER)
    elif phase == PH_DEVELOP_PRIVILEGE:
        a = ID_ABILITY + PRIVILEGE
    elif phase == PH_FAVOUR_INCOME:
        a = ID_INCOME + 1 if is_legal(m, ID_INCOME + 1) else ID_INCOME + 32
    elif phase != PH_PUT_MARKER:
        look(t, s, m, noise, &o)
        if phase == PH_ANSWER or phase == PH_ANSWER_TO or phase == PH_PLACE_TWO:
            a = put_id(t, s, &o, m)
            if a < 0 and is_legal(m, ID_DONE):
                a = ID_DONE
        elif phase == PH_LIFT:
            a = lift_id(t, s, &o, m)
        elif phase == PH_SET:
            a = set_id(t, s, &o, m)
        elif phase == PH_REMOVE:
            a = remove_id(t, s, &o, m)
        elif phase == PH_MARKER_ROUTE:
            a = marker_route_id(t, &o, m)
        elif phase == PH_GREEN_OFFICE:
            a = green_id(t, s, &o, m)
        elif phase == PH_PAWN:
            k = best_route(t, &o)
            a = pawn_id(t, s, &o, m, k, True)
    if a < 0 or not is_legal(m, a):
        a = first_id(m)
    return a


cdef int plan_out(const Table* t, State* s, uint64_t* rng) noexcept nogil:
    """Plays to the end (or the turn limit of the state); returns the number of decisions."""
    cdef uint64_t m[MASK_WORDS]
    cdef int n = 0
    while s.phase != PH_OVER:
        legal_ids(t, s, m)
        apply_id(t, s, plan_id(t, s, m, rng))
        n += 1
    return n
