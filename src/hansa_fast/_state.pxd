"""A position of any game."""

from libc.stdint cimport uint64_t
from libc.string cimport memcpy

from hansa_fast._engine cimport Engine


cdef inline void copy_raw(Engine engine, void* to, const void* state) noexcept nogil:
    """All there is to copying a state: it has no pointers."""
    memcpy(to, state, engine.state_size)


cdef class State:
    cdef readonly object rules
    cdef Engine engine
    cdef uint64_t raw[64]       # the state itself: bytes only the engine understands
    cdef uint64_t mask[16]      # its legal actions,
    cdef bint masked            # once they were asked for

    cdef inline const uint64_t* legal(self) noexcept:
        if not self.masked:
            self.engine.legal(self.raw, self.mask)
            self.masked = True
        return self.mask

    cdef inline bint allows(self, int action) noexcept:
        return (self.legal()[action >> 6] >> (action & 63)) & 1


cdef int policy_of(name) except -1
cdef int set_limit(State state, turn_limit) except -1
