cimport cython


@cython.final
cdef class Random:
    cdef unsigned long long state
    cdef double draw(self) nogil
    cdef long long draw_below(self, long long limit) nogil
