"""The engine of Hansa (2004): `_hansa` with names, dicts, bytes and checks."""

from hansa_fast._engine cimport Engine
from hansa_fast._hansa cimport State, Table


cdef class Hansa(Engine):
    cdef Table table
    cdef readonly object board
    cdef readonly tuple goods       # names by number, None where there is no such good
    cdef readonly tuple piles       # sizes at the start
