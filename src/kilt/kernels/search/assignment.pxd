cimport cython

from kilt.kernels.model.rules cimport ClassCounts


@cython.final
cdef class CoverIndex:
    cdef readonly int[::1] sensitive_class
    cdef readonly long long classes
    cdef readonly long long[::1] starts
    cdef readonly int[::1] pattern_of
    cdef readonly int[::1] row_type_of
    cdef readonly long long[::1] first
    cdef readonly long long[::1] class_start
    cdef readonly int[::1] entries
    cdef readonly int[::1] covered
    cdef readonly long long[::1] cost


@cython.final
cdef class LinkedLists:
    cdef readonly int[::1] head
    cdef readonly int[::1] after
    cdef int[::1] before
    cdef void link(self, int e, Py_ssize_t owner) nogil
    cdef void unlink(self, Py_ssize_t e, Py_ssize_t owner) nogil


@cython.final
cdef class Assignment:
    cdef CoverIndex index
    cdef readonly long long[::1] copies
    cdef readonly long long[::1] size
    cdef readonly ClassCounts by_class
    cdef readonly LinkedLists members
    cdef readonly LinkedLists homes
    cdef readonly int[::1] only_home
    cdef readonly long long cost
    cdef readonly long long[::1] version
    cdef long long versions
    cdef Py_ssize_t logged
    cdef int[::1] log_entry
    cdef long long[::1] log_change
    cdef void shift(self, Py_ssize_t e, long long change) nogil
    cdef void move(self, Py_ssize_t e, Py_ssize_t to, long long copies) nogil
    cdef bint has_room(self) nogil
    cdef void undo(self) nogil
