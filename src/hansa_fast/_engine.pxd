"""What every game gives to the rest of the package: one class, one set of C methods, one set of Python ones."""

from libc.stdint cimport uint8_t, uint64_t

cdef enum:
    STATE_BYTES = 512   # room for a state of any game
    MAX_SEATS = 5


cdef enum Policy:
    UNIFORM = 0
    GREEDY = 1
    PLANNER = 2


cdef class Engine:
    """The rules of one game with its options compiled in. States are plain bytes that only the engine understands."""

    cdef readonly int state_size    # bytes of one state
    cdef readonly int seats
    cdef dict texts     # texts that were parsed and the id they meant

    cdef void legal(self, const void* state, uint64_t* mask) noexcept nogil
    cdef void apply(self, void* state, int action) noexcept nogil
    cdef int player(self, const void* state) noexcept nogil        # -1 when over
    cdef int turn(self, const void* state) noexcept nogil
    cdef void limit_turns(self, void* state, int limit) noexcept nogil
    cdef int phase_index(self, const void* state) noexcept nogil
    cdef int playout(self, void* state, uint64_t* rng, int policy) noexcept nogil
    # One of the mask, which may leave out legal actions: a search asks for the best of those it has not tried.
    cdef int choose(self, const void* state, const uint64_t* mask, uint64_t* rng, int policy) noexcept nogil
    cdef uint64_t perft(self, const void* state, int depth) noexcept nogil
    cdef void totals(self, const void* state, int* points, int* ranks) noexcept nogil
    cdef bint needs_hidden(self, const void* state, int action) noexcept nogil
    cdef void redeal(self, void* state, int player, uint64_t seed) noexcept nogil
    cdef void drop_twins(self, const void* state, uint64_t* mask) noexcept nogil   # keeps one of actions that are alike

    cdef int start(self, void* state, uint64_t seed, setup, turn_limit) except -1
    cdef bint is_view(self, const void* state) noexcept
    cdef int hide(self, void* state, int player) except -1
    cdef int encode(self, const void* state, unsigned char* out) except -1
    cdef int decode(self, const unsigned char* data, void* state) except -1
    cdef tuple phases(self)
    cdef frozenset verbs(self)          # first words of all action texts
    cdef object unalias(self, text)     # a folded text with every alias replaced by the proper name
    cdef object describe(self, const void* state, int action)
    cdef object to_dict(self, const void* state)
    cdef int from_dict(self, object value, void* state) except -1
    cdef list problems(self, const void* state)
    cdef object scores(self, const void* state)
    cdef object result(self, const void* state)


cdef int shuffle(list items, uint64_t* rng) except -1
cdef void shuffle_bytes(uint8_t* items, int n, uint64_t* rng) noexcept nogil     # the same order as `shuffle`
cdef int encode_layout(const void* state, unsigned char* out, int words_64, int words_32, int size) except -1
cdef int decode_layout(const unsigned char* data, void* state, int words_64, int words_32, int size) except -1
