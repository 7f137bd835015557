cimport cython


@cython.final
cdef class Transport:
    cdef long long[:, ::1] distance
    cdef long long[::1] difference
    cdef long long[::1] path_cost
    cdef long long[::1] origin
    cdef long long[:, ::1] flow
    cdef long long cost(self) nogil
    cdef void find_paths(self, Py_ssize_t source) nogil
    cdef long long send(self, Py_ssize_t source, Py_ssize_t sink) nogil
