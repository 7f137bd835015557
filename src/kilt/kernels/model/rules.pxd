cimport cython


@cython.final
cdef class ClassCounts:
    cdef readonly long long[:, ::1] of


cdef class Rule:
    cdef object given
    cdef Rule next
    cdef long long above
    cdef long long below
    cdef long long[::1] value_of
    cdef bint is_value
    cdef ClassCounts values
    cdef double add_violation(self, double total, ClassCounts counts, Py_ssize_t group, long long size) nogil
    cdef double violation(self, ClassCounts values, Py_ssize_t group, long long size) nogil


@cython.final
cdef class CompiledRules:
    cdef long long size
    cdef list rules
    cdef Rule first
    cdef readonly long long min_group_size
    cdef readonly long long unit
    cdef readonly bint size_only
    cdef double violation(self, ClassCounts counts, Py_ssize_t group, long long size) nogil
    cdef bint meets(self, ClassCounts counts, Py_ssize_t group, long long size) nogil
