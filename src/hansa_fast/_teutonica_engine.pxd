"""The engine of Hansa Teutonica: `_teutonica` with names, dicts, bytes and checks."""

from hansa_fast._engine cimport Engine
from hansa_fast._teutonica cimport State, Table


cdef class Teutonica(Engine):
    cdef Table table
    cdef readonly object board
    cdef readonly tuple kinds       # of markers
    cdef readonly tuple tiles       # of the emperor's favour
    cdef readonly tuple cards       # missions
