cimport cython
from kilt.kernels.bounds.incidence cimport Covers


@cython.final
cdef class SortedCovers:
    cdef Covers covers
    cdef readonly int[::1] row_types
    cdef long long[::1] next_place


@cython.final
cdef class Members:
    cdef long long most
    cdef Py_ssize_t n_classes
    cdef long long[::1] sensitive_class
    cdef long long[::1] class_place
    cdef long long[::1] first
    cdef long long[::1] number
    cdef int[::1] row_type
    cdef double[::1] reduced_cost
    cdef double[::1] sums
    cdef void load(self, SortedCovers sorted_, long long[::1] multipliers, Py_ssize_t p) nogil


cdef class SizedGroups:
    cdef Members members
    cdef double[::1] allowed
    cdef unsigned char[::1] possible
    cdef long long[:, ::1] free_table
    cdef double[:, ::1] part_table
    cdef long long size
    cdef long long[::1] free
    cdef double[::1] part
    cdef long long[::1] lower
    cdef long long[::1] upper
    cdef long long[::1] chosen
    cdef double[::1] adding
    cdef double[::1] dropping
    cdef double value
    cdef double excess
    cdef double bound
    cdef double theta
    cdef long long[::1] high
    cdef long long[::1] low
    cdef double low_value
    cdef double share
    cdef double close
    cdef void set_pattern(self, Py_ssize_t p) nogil
    cdef void set_size(self, Py_ssize_t size) nogil
    @cython.final
    cdef void set_prices(self, Py_ssize_t j, double theta) nogil
    cdef bint find_cheapest(self, double theta) nogil
    cdef void count(self) nogil
    cdef double limit(self) nogil
    cdef bint find_theta(self, double theta, double enough) nogil
    cdef Py_ssize_t open_class(self) nogil
    cdef double find_tail(self, Py_ssize_t least_size, double theta, double[:, ::1] numbers, Py_ssize_t i) nogil
