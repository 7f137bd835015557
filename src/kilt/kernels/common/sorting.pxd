cimport cython


@cython.final
cdef class Sorter:
    cdef double[::1] keys
    cdef long long[::1] order
    cdef double[::1] selected
    cdef long long[::1] merged
    cdef void sort(self, Py_ssize_t number) nogil
    cdef Py_ssize_t sort_smallest(self, Py_ssize_t number, Py_ssize_t wanted) nogil
    cdef double key_of_rank(self, Py_ssize_t number, Py_ssize_t rank) nogil
    cdef void sort_run(self, Py_ssize_t start, Py_ssize_t stop) nogil
    cdef void merge(self, Py_ssize_t start, Py_ssize_t middle, Py_ssize_t stop) nogil
