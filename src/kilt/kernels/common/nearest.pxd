cimport cython


@cython.final
cdef class Ladders:
    cdef readonly long long[:, :, ::1] shown
    cdef readonly long long[:, :, ::1] costs
    cdef readonly long long[::1] tops
    cdef Py_ssize_t agreeing(self, Py_ssize_t j, Py_ssize_t h, Py_ssize_t a, Py_ssize_t b) nogil


@cython.final
cdef class TightestPattern:
    cdef Ladders ladders
    cdef long long[::1] values
    cdef long long[::1] columns
    cdef int[:, ::1] places
    cdef long long[::1] levels
    cdef long long[::1] costs
    cdef Py_ssize_t first
    cdef void start(self, Py_ssize_t u) nogil
    cdef void cover(self, Py_ssize_t v) nogil
    cdef long long cost_with(self, Py_ssize_t v) nogil
    cdef Py_ssize_t level_with(self, Py_ssize_t place) nogil
    cdef void find_costs(self) nogil
