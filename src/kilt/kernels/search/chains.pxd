cimport cython

from kilt.kernels.random cimport Random
from kilt.kernels.search.assignment cimport Assignment, CoverIndex
from kilt.kernels.search.moves cimport Moves


@cython.final
cdef class Chains:
    cdef CoverIndex index
    cdef Assignment assignment
    cdef Random random
    cdef Moves moves
    cdef Py_ssize_t classes
    cdef int visit
    cdef int[::1] visited
    cdef int[::1] from_entry
    cdef int[::1] to_entry
    cdef int[::1] queue
    cdef double[:, ::1] source
    cdef double[:, ::1] sink
    cdef void find_sources(self, Py_ssize_t c) nogil
    cdef void spread_source(self, Py_ssize_t first, Py_ssize_t c) nogil
    cdef void find_sinks(self, Py_ssize_t c) nogil
    cdef void spread_sink(self, Py_ssize_t first, Py_ssize_t c) nogil
    cdef double pull(self, Py_ssize_t p, Py_ssize_t c, double least, double enough) nogil
    cdef void move_along(self, Py_ssize_t q, Py_ssize_t p) nogil
    cdef Py_ssize_t find_chain(self, Py_ssize_t p, Py_ssize_t c, double least, double enough) nogil
    cdef double push(self, Py_ssize_t e, double most, double enough) nogil
    cdef Py_ssize_t find_way_out(self, Py_ssize_t e, double most, double enough) nogil
    cdef bint has_room(self) nogil
