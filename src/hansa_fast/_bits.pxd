"""Bit helpers and the random generator, inline in every extension that cimports them."""

from libc.stdint cimport uint64_t

cdef extern from "_bits.h" nogil:
    int popcount "hf_popcount" (uint64_t w)
    int lowest "hf_lowest" (uint64_t w)        # index of the lowest set bit; w is not zero
    int highest "hf_highest" (uint64_t w)      # index of the highest set bit; w is not zero
    int pick_bit "hf_pick" (const uint64_t* mask, int words, uint64_t random)   # one of the set bits

cdef enum:
    MASK_WORDS = 16     # 1,024 action ids


cdef inline uint64_t rng_next(uint64_t* rng) noexcept nogil:
    """SplitMix64: the state is a counter, every output a hash of it."""
    cdef uint64_t z
    rng[0] += 0x9E3779B97F4A7C15ULL
    z = rng[0]
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL
    return z ^ (z >> 31)


cdef inline int rng_below(uint64_t* rng, int n) noexcept nogil:
    """A number from 0 to n - 1: the high half of the output, scaled."""
    return <int>(((rng_next(rng) >> 32) * <uint64_t>n) >> 32)


cdef inline int mask_count(const uint64_t* mask) noexcept nogil:
    cdef int i, n = 0
    for i in range(MASK_WORDS):
        n += popcount(mask[i])
    return n


cdef inline int rng_pick(uint64_t* rng, const uint64_t* mask, int words) noexcept nogil:
    """One of the ids of the mask, all equally likely; the same as the `rng_below(rng, count)`-th one."""
    return pick_bit(mask, words, rng_next(rng) >> 32)
