cimport cython

from kilt.kernels.model.rules cimport CompiledRules
from kilt.kernels.random cimport Random
from kilt.kernels.search.assignment cimport Assignment, CoverIndex

cdef double INFEASIBLE_COST


@cython.final
cdef class Moves:
    cdef CoverIndex index
    cdef Assignment assignment
    cdef CompiledRules rules
    cdef Random random
    cdef long long stamp
    cdef long long changes
    cdef long long[::1] banned
    cdef double[::1] closing
    cdef unsigned char[::1] known
    cdef double[::1] other
    cdef long long[::1] takes
    cdef long long[::1] gives
    cdef double violation_with(self, Py_ssize_t p, Py_ssize_t c, long long change) nogil
    cdef bint stays_legal(self, Py_ssize_t p, Py_ssize_t c, long long change) nogil
    cdef bint may_take(self, Py_ssize_t p, Py_ssize_t c) nogil
    cdef bint may_give(self, Py_ssize_t p, Py_ssize_t c) nogil
    cdef long long most_copies(self, Py_ssize_t p, Py_ssize_t c, long long sign, long long limit) nogil
    cdef Py_ssize_t elsewhere(self, Py_ssize_t u, Py_ssize_t q) nogil
    cdef double other_cost(self, Py_ssize_t u, Py_ssize_t q) nogil
    cdef double closing_cost(self, Py_ssize_t q) nogil
    cdef void forget(self) nogil
    cdef bint close(self, Py_ssize_t q) nogil
    cdef void close_class(self, Py_ssize_t q, Py_ssize_t c) nogil
    cdef bint relocate(self, Py_ssize_t u, double most) nogil
    cdef bint repair(self, Py_ssize_t q) nogil
    cdef bint remove_one(self, Py_ssize_t q, Py_ssize_t c) nogil
