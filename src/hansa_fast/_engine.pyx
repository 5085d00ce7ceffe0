"""The interface of a game engine; the games themselves are in modules named after them."""

from libc.stdint cimport uint64_t


cdef class Engine:
    """Base of all games. Every method here is replaced by the game."""

    def __cinit__(self, *_):
        self.texts = {}

    cdef void legal(self, const void* state, uint64_t* mask) noexcept nogil:
        pass

    cdef void apply(self, void* state, int action) noexcept nogil:
        pass

    cdef int player(self, const void* state) noexcept nogil:
        return -1

    cdef int turn(self, const void* state) noexcept nogil:
        return 0

    cdef void limit_turns(self, void* state, int limit) noexcept nogil:
        pass

    cdef int phase_index(self, const void* state) noexcept nogil:
        return 0

    cdef int playout(self, void* state, uint64_t* rng, int policy) noexcept nogil:
        return 0

    cdef int choose(self, const void* state, uint64_t* rng, int policy) noexcept nogil:
        return -1

    cdef uint64_t perft(self, const void* state, int depth) noexcept nogil:
        return 0

    cdef void totals(self, const void* state, int* points, int* ranks) noexcept nogil:
        pass

    cdef bint needs_hidden(self, const void* state, int action) noexcept nogil:
        return False

    cdef int start(self, void* state, uint64_t seed, setup, turn_limit) except -1:
        return 0

    cdef bint is_view(self, const void* state) noexcept:
        return False

    cdef int hide(self, void* state, int player) except -1:
        return 0

    cdef int redeal(self, void* state, int player, uint64_t seed) except -1:
        return 0

    cdef int encode(self, const void* state, unsigned char* out) except -1:
        return 0

    cdef int decode(self, const unsigned char* data, void* state) except -1:
        return 0

    cdef tuple phases(self):
        return ()

    cdef frozenset verbs(self):
        return frozenset()

    cdef object unalias(self, text):
        return text

    cdef object describe(self, const void* state, int action):
        return ""

    cdef object to_dict(self, const void* state):
        return {}

    cdef int from_dict(self, object value, void* state) except -1:
        return 0

    cdef list problems(self, const void* state):
        return []

    cdef object scores(self, const void* state):
        return []

    cdef object result(self, const void* state):
        return {}
