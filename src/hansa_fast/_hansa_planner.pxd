"""A rule-based player of Hansa; `docs/opponents.md` tells how it thinks."""

from libc.stdint cimport uint64_t

from hansa_fast._hansa cimport State, Table

cdef int plan_id(const Table* t, const State* s, const uint64_t* m, uint64_t* rng) noexcept nogil
cdef int plan_out(const Table* t, State* s, uint64_t* rng) noexcept nogil
