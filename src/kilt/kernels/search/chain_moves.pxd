cimport cython

from kilt.kernels.model.rules cimport ClassCounts, CompiledRules
from kilt.kernels.random cimport Random
from kilt.kernels.search.assignment cimport Assignment, CoverIndex
from kilt.kernels.search.chains cimport Chains
from kilt.kernels.search.moves cimport Moves


@cython.final
cdef class ChainMoves:
    cdef CoverIndex index
    cdef Assignment assignment
    cdef CompiledRules rules
    cdef Random random
    cdef Moves moves
    cdef readonly Chains chains
    cdef Py_ssize_t classes
    cdef double[::1] saving
    cdef long long[::1] spare
    cdef long long[::1] wanted
    cdef ClassCounts trial
    cdef long long trial_size
    cdef long long tried
    cdef void try_move(
        self, long long[::1] patterns, long long[::1] row_types, double temperature, long long max_closed_size
    ) nogil
    cdef bint try_one(
        self, long long[::1] patterns, long long[::1] row_types, double most, long long max_closed_size
    ) nogil
    cdef void look_around(self) nogil
    cdef void follow(self, Py_ssize_t c) nogil
    cdef bint grow(self, Py_ssize_t p, double most) nogil
    cdef void rate_classes(self, Py_ssize_t p) nogil
    cdef double choose(self, Py_ssize_t p) nogil
    cdef Py_ssize_t choose_class(self, double weight) nogil
    cdef bint dissolve(self, Py_ssize_t q, double most) nogil
    cdef double cost_elsewhere(self, Py_ssize_t e) nogil
