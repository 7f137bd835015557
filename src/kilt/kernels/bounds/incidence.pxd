cimport cython


@cython.final
cdef class Covers:
    cdef long long[::1] counts
    cdef long long[::1] sensitive_class
    cdef long long[::1] types
    cdef long long[::1] starts
    cdef long long[::1] type_starts
    cdef int[::1] patterns
    cdef long long[::1] cost
    cdef readonly long long longest
    cdef void mark_active(self, long long[::1] multipliers, unsigned char[::1] active) nogil
