"""The interface of a game engine; the games themselves are in modules named after them."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from hansa_fast._bits cimport rng_below


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

    cdef int choose(self, const void* state, const uint64_t* mask, uint64_t* rng, int policy) noexcept nogil:
        return -1

    cdef uint64_t perft(self, const void* state, int depth) noexcept nogil:
        return 0

    cdef void totals(self, const void* state, int* points, int* ranks) noexcept nogil:
        pass

    cdef bint needs_hidden(self, const void* state, int action) noexcept nogil:
        return False

    cdef void redeal(self, void* state, int player, uint64_t seed) noexcept nogil:
        pass

    cdef void drop_twins(self, const void* state, uint64_t* mask) noexcept nogil:
        pass

    cdef int start(self, void* state, uint64_t seed, setup, turn_limit) except -1:
        return 0

    cdef bint is_view(self, const void* state) noexcept:
        return False

    cdef int hide(self, void* state, int player) except -1:
        return 0

    cdef int encode(self, const void* state, unsigned char* out) except -1:
        return 0

    cdef int decode(self, const unsigned char* data, void* state) except -1:
        return 0

    cdef tuple phases(self):
        return ("nothing",)

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


cdef int shuffle(list items, uint64_t* rng) except -1:
    """Fisher and Yates, from the end."""
    cdef int i, j
    for i in range(len(items) - 1, 0, -1):
        j = rng_below(rng, i + 1)
        items[i], items[j] = items[j], items[i]
    return 0


cdef void shuffle_bytes(uint8_t* items, int n, uint64_t* rng) noexcept nogil:
    cdef int i, j
    cdef uint8_t item
    for i in range(n - 1, 0, -1):
        j = rng_below(rng, i + 1)
        item = items[i]
        items[i] = items[j]
        items[j] = item


cdef int encode_layout(const void* state, unsigned char* out, int words_64, int words_32, int size) except -1:
    """A state of so many 64-bit words, 32-bit words and then bytes, as bytes: little endian, whatever the machine."""
    cdef const unsigned char* raw = <const unsigned char*>state
    cdef uint64_t long_word
    cdef uint32_t word
    cdef int at = 0, k
    while at < 8 * words_64:
        memcpy(&long_word, &raw[at], 8)
        for k in range(8):
            out[at + k] = <unsigned char>(long_word >> (8 * k))
        at += 8
    while at < 8 * words_64 + 4 * words_32:
        memcpy(&word, &raw[at], 4)
        for k in range(4):
            out[at + k] = <unsigned char>(word >> (8 * k))
        at += 4
    memcpy(&out[at], &raw[at], size - at)
    return 0


cdef int decode_layout(const unsigned char* data, void* state, int words_64, int words_32, int size) except -1:
    """The inverse of `encode_layout`."""
    cdef unsigned char* raw = <unsigned char*>state
    cdef uint64_t long_word
    cdef uint32_t word
    cdef int at = 0, k
    while at < 8 * words_64:
        long_word = 0
        for k in range(8):
            long_word |= <uint64_t>data[at + k] << (8 * k)
        memcpy(&raw[at], &long_word, 8)
        at += 8
    while at < 8 * words_64 + 4 * words_32:
        word = 0
        for k in range(4):
            word |= <uint32_t>data[at + k] << (8 * k)
        memcpy(&raw[at], &word, 4)
        at += 4
    memcpy(&raw[at], &data[at], size - at)
    return 0
