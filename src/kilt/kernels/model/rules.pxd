cimport cython


@cython.final
cdef class ClassCounts:
    cdef long long[:, ::1] of


cdef class Rule:
    cdef object given
    cdef Rule next
    cdef double violation(self, ClassCounts counts, Py_ssize_t group, long long size) nogil
    cdef double add_violation(self, double total, ClassCounts counts, Py_ssize_t group, long long size) nogil


@cython.final
cdef class CompiledRules:
    cdef list rules
    cdef Rule first
    cdef readonly long long min_group_size
    cdef readonly long long unit
    cdef readonly bint size_only
    cdef double violation(self, ClassCounts counts, Py_ssize_t group, long long size) nogil
