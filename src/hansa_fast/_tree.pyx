"""The tree of a search: what one thread of `Search` grows, without the GIL. `docs/search.md` tells the story."""

cimport cython
from libc.math cimport fabs, sqrt
from libc.stdint cimport int16_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from hansa_fast._bits cimport MASK_WORDS, mask_count, rng_next
from hansa_fast._engine cimport MAX_SEATS, Engine
from hansa_fast._state cimport State, copy_raw, policy_of

cdef extern from "<time.h>" nogil:
    int TIME_UTC
    struct timespec:
        long long tv_sec
        long tv_nsec
    int timespec_get(timespec* now, int base)


cdef enum:
    NOTHING = 0xFFFFFFFF    # no node
    ACTIONS = 1024


cdef struct Node:
    uint32_t parent
    uint32_t first          # newest child
    uint32_t next           # older sibling
    uint32_t visits
    uint32_t available      # visits of the parent in which the action was legal
    int16_t action          # that leads here
    uint16_t children
    float value[MAX_SEATS]  # sums over the visits, by seat
    float square[MAX_SEATS]     # of the squares of the values
    float points[MAX_SEATS]
    float place[MAX_SEATS]


cdef struct Growth:         # all an iteration reads and writes, apart from the engine
    # Settings.
    int policy              # of the playouts
    int order               # the policy that says in which order all actions but the first are tried
    int horizon
    double explore
    double win_weight
    double place_weight
    double margin
    double prior[ACTIONS]       # weight of the k-th action in the order of the policy
    double prior_sum[ACTIONS]   # of the first k + 1 weights
    # The tree.
    Node* pool
    uint32_t capacity       # nodes there is room for
    uint32_t size           # nodes in use
    int seats
    int viewer              # the seat whose knowledge is used
    uint64_t root[64]
    uint64_t rng
    # For the bench.
    bint timed
    uint64_t playing        # nanoseconds in playouts, if timed


cdef double USUAL_SPREAD = 0.35     # of values, before there are any

NODE_BYTES = sizeof(Node)


@cython.final
cdef class Tree:
    """A pool of nodes, and the position at its root as one seat sees it."""

    cdef Growth growth
    cdef Engine engine
    cdef uint32_t* moved        # new places of nodes while `advance` moves them
    cdef readonly object rules  # of the position at the root; None before the first

    def __cinit__(self):
        memset(&self.growth, 0, sizeof(Growth))
        self.moved = NULL

    def __init__(self, nodes, playout, order, horizon, explore, win_weight, place_weight, margin):
        cdef Growth* t = &self.growth
        cdef int k
        cdef double total = 0
        t.policy = policy_of(playout)
        t.order = policy_of(order)
        t.horizon = horizon
        t.explore = explore
        t.win_weight = win_weight
        t.place_weight = place_weight
        t.margin = margin
        for k in range(ACTIONS):
            t.prior[k] = 1.0 / (k + 1)
            total += t.prior[k]
            t.prior_sum[k] = total
        free(t.pool)
        free(self.moved)
        t.size = 0
        t.capacity = nodes
        t.pool = <Node*>malloc(t.capacity * sizeof(Node))
        self.moved = <uint32_t*>malloc(t.capacity * sizeof(uint32_t))
        if t.pool is NULL or self.moved is NULL:
            t.capacity = 0
            raise MemoryError(f"no room for {nodes} nodes")

    def __dealloc__(self):
        free(self.growth.pool)
        free(self.moved)

    @property
    def capacity(self):
        """Nodes there is room for."""
        return self.growth.capacity

    @property
    def size(self):
        """Nodes in use."""
        return self.growth.size

    @property
    def viewer(self):
        """The seat whose knowledge is used."""
        return self.growth.viewer

    @property
    def visits(self):
        """Iterations that went through the root."""
        return self.growth.pool[0].visits if self.growth.size else 0

    @property
    def playing(self):
        """Nanoseconds spent in playouts since they are timed."""
        return self.growth.playing

    def time_playouts(self):
        """From now on take the time of playouts, for the bench."""
        self.growth.timed = True

    def plant(self, State state not None, uint64_t seed, bint keep):
        """Take a position as the root. What was found below the root is kept if asked for."""
        cdef Growth* t = &self.growth
        if state.is_over:
            raise ValueError("a tree needs a position with a decision")
        self.rules = state.rules
        self.engine = state.engine
        copy_raw(state.engine, t.root, state.raw)
        t.seats = state.engine.seats
        t.viewer = state.engine.player(state.raw)
        t.rng = seed
        if not keep or not t.size:
            t.size = 0
            new_node(t, NOTHING, -1)

    def advance(self, int action):
        """Go to the child of the root that this action leads to; False (and an empty tree) if there is none."""
        cdef Growth* t = &self.growth
        cdef uint32_t* moved = self.moved
        cdef uint32_t child, kept = 0, i
        cdef Node* node
        if not t.size:
            return False
        child = t.pool[0].first
        while child != NOTHING and t.pool[child].action != action:
            child = t.pool[child].next
        if child == NOTHING:
            t.size = 0
            return False
        # Parents stand before their children, so one pass says what stays and where it goes, and a second moves it.
        with nogil:
            for i in range(t.size):
                if i == child or (i > child and moved[t.pool[i].parent] != NOTHING):
                    moved[i] = kept
                    kept += 1
                else:
                    moved[i] = NOTHING
            t.pool[child].next = NOTHING
            t.pool[child].parent = NOTHING
            for i in range(child, t.size):
                if moved[i] != NOTHING:
                    node = &t.pool[moved[i]]
                    node[0] = t.pool[i]
                    if node.parent != NOTHING:
                        node.parent = moved[node.parent]
                    if node.first != NOTHING:
                        node.first = moved[node.first]
                    if node.next != NOTHING:
                        node.next = moved[node.next]
        t.size = kept
        return True

    def run(self, int iterations):
        """So many iterations."""
        cdef Growth* t = &self.growth
        cdef int _k
        if not t.size:
            raise ValueError("a tree must be planted before it can grow")
        with nogil:
            for _k in range(iterations):
                iterate(t, self.engine)

    def children(self):
        """Per action of the root (action, visits, sums of value, its square, place and points per seat)."""
        cdef Growth* t = &self.growth
        cdef Node* node
        cdef uint32_t child = t.pool[0].first if t.size else NOTHING
        cdef int p
        out = []
        while child != NOTHING:
            node = &t.pool[child]
            out.append((
                node.action,
                node.visits,
                [node.value[p] for p in range(t.seats)],
                [node.square[p] for p in range(t.seats)],
                [node.place[p] for p in range(t.seats)],
                [node.points[p] for p in range(t.seats)],
            ))
            child = node.next
        return out[::-1]

    def line(self, int action, int most):
        """The principal line: the most visited actions, one after the other, beginning with this one."""
        cdef Growth* t = &self.growth
        cdef uint32_t node = 0, child, best
        out = []
        while len(out) < most and t.size:
            best = NOTHING
            child = t.pool[node].first
            while child != NOTHING:
                if node == 0:
                    if t.pool[child].action == action:
                        best = child
                elif best == NOTHING or t.pool[child].visits >= t.pool[best].visits:
                    best = child
                child = t.pool[child].next
            if best == NOTHING:
                break
            out.append(t.pool[best].action)
            node = best
        return out


def distinct_actions(State state not None):
    """Ids of the legal actions, one for all that are alike: what a tree tries."""
    cdef uint64_t mask[MASK_WORDS]
    cdef int a
    state.engine.legal(state.raw, mask)
    state.engine.drop_twins(state.raw, mask)
    return [a for a in range(ACTIONS) if (mask[a >> 6] >> (a & 63)) & 1]


# ---------------------------------------------------------------------------------------------------------------------
# One iteration
# ---------------------------------------------------------------------------------------------------------------------

cdef uint64_t clock_ns() noexcept nogil:
    cdef timespec now
    timespec_get(&now, TIME_UTC)
    return <uint64_t>now.tv_sec * 1000000000 + <uint64_t>now.tv_nsec


cdef uint32_t new_node(Growth* t, uint32_t parent, int action) noexcept nogil:
    """A child of a node, or NOTHING if the pool is full."""
    cdef uint32_t i = t.size
    cdef Node* node
    if i >= t.capacity:
        return NOTHING
    t.size += 1
    node = &t.pool[i]
    memset(node, 0, sizeof(Node))
    node.parent = parent
    node.first = NOTHING
    node.next = NOTHING
    node.action = action
    if parent != NOTHING:
        node.next = t.pool[parent].first
        t.pool[parent].first = i
        t.pool[parent].children += 1
    return i


cdef double spread(const Node* node, int player) noexcept nogil:
    """By how much the values of a seat differ from visit to visit: the unit of curiosity. Where all ways lead to nearly
    the same end, small differences count; where luck decides, they do not."""
    cdef double n = node.visits, mean
    if not node.visits:
        return USUAL_SPREAD
    mean = node.value[player] / n
    return sqrt((max(0.0, node.square[player] - n * mean * mean) + 2 * USUAL_SPREAD * USUAL_SPREAD) / (n + 2))


cdef uint32_t select(Growth* t, uint32_t at, int player, uint64_t* mask, int count) noexcept nogil:
    """The child to go to: the best compromise of value and curiosity among those that are legal now; NOTHING for one
    that is not in the tree yet. What is left in the mask then are the actions that have no node."""
    cdef Node* node = &t.pool[at]
    cdef Node* child
    cdef uint32_t i = node.first, best = NOTHING
    cdef int rank = node.children, a, known = 0
    cdef double scale = t.explore * spread(node, player) / t.prior_sum[count - 1], score, top = -1e9
    while i != NOTHING:
        child = &t.pool[i]
        rank -= 1
        a = child.action
        if (mask[a >> 6] >> (a & 63)) & 1:
            mask[a >> 6] &= ~(<uint64_t>1 << (a & 63))
            known += 1
            child.available += 1
            score = (child.value[player] / child.visits
                     + scale * t.prior[rank] * sqrt(<double>child.available) / (1 + child.visits))
            if score > top:
                top = score
                best = i
        i = child.next
    if known < count:
        score = scale * t.prior[known] * sqrt(<double>node.visits + 1)
        if node.visits:
            score += node.value[player] / node.visits     # before its first visit it counts as much as the others
        if score > top:
            return NOTHING
    return best


cdef void iterate(Growth* t, Engine engine) noexcept nogil:
    """Deal, go down the tree, grow it, play out, and take the result up again."""
    cdef uint64_t state[64]
    cdef uint64_t mask[MASK_WORDS]
    cdef uint32_t at = 0, child
    cdef int player, count, action
    cdef bint grown = False
    copy_raw(engine, state, t.root)
    engine.redeal(state, t.viewer, rng_next(&t.rng))
    while True:
        player = engine.player(state)
        if player < 0:
            break
        engine.legal(state, mask)
        engine.drop_twins(state, mask)
        count = mask_count(mask)
        if grown and count > 1:
            break
        child = select(t, at, player, mask, count)
        if child == NOTHING:
            action = engine.choose(state, mask, &t.rng, t.policy if mask_count(mask) == count else t.order)
            child = new_node(t, at, action)
            if child == NOTHING:        # the pool is full
                break
            t.pool[child].available = 1
            grown = True
        at = child
        engine.apply(state, t.pool[at].action)
    if player >= 0:
        if t.timed:
            t.playing -= clock_ns()
        engine.limit_turns(state, engine.turn(state) + t.horizon)
        engine.playout(state, &t.rng, t.policy)
        if t.timed:
            t.playing += clock_ns()
    give_back(t, engine, at, state)


cdef void give_back(Growth* t, Engine engine, uint32_t at, const void* state) noexcept nogil:
    """Add the result of a playout to all nodes on the way up. Every seat has a value of its own (max^n): a mix of the
    place, the win and the margin to the best of the others."""
    cdef int seats = t.seats, p, q, best, beaten, winners = 0
    cdef int points[MAX_SEATS]
    cdef int ranks[MAX_SEATS]
    cdef float value[MAX_SEATS]
    cdef double ahead
    cdef Node* node
    engine.totals(state, points, ranks)
    for p in range(seats):
        winners += ranks[p] == 1
    for p in range(seats):
        best = -1000
        beaten = 0
        for q in range(seats):
            if q != p:
                best = max(best, points[q])
                beaten += 2 if ranks[p] < ranks[q] else 1 if ranks[p] == ranks[q] else 0
        value[p] = t.place_weight * beaten / (2 * (seats - 1))
        if ranks[p] == 1:
            value[p] += t.win_weight / winners
        ahead = points[p] - best
        value[p] += (1 - t.place_weight - t.win_weight) * 0.5 * (1 + ahead / (t.margin + fabs(ahead)))
    while at != NOTHING:
        node = &t.pool[at]
        node.visits += 1
        for p in range(seats):
            node.value[p] += value[p]
            node.square[p] += value[p] * value[p]
            node.points[p] += points[p]
            node.place[p] += ranks[p]
        at = node.parent
