cimport cython


@cython.final
cdef class ByteWeights:
    cdef long long[:, ::1] weights
    cpdef long long of_word(self, Py_ssize_t place, unsigned long long word) nogil
