cimport cython

from kilt.kernels.model.rules cimport ClassCounts, CompiledRules
from kilt.kernels.random cimport Random
from kilt.kernels.search.assignment cimport Assignment, CoverIndex


@cython.final
cdef class Offers:
    cdef CoverIndex index
    cdef Assignment assignment
    cdef CompiledRules rules
    cdef Random random
    cdef Py_ssize_t number
    cdef Py_ssize_t room
    cdef long long[::1] home
    cdef long long[::1] entry
    cdef int[::1] sensitive_class
    cdef long long[::1] free
    cdef double[::1] net
    cdef long long[::1] chosen
    cdef ClassCounts trial
    cdef long long trial_size
    cdef Py_ssize_t[::1] order
    cdef Py_ssize_t[::1] stretch
    cdef Py_ssize_t[::1] edge
    cdef long long[::1] spare
    cdef long long step
    cdef Py_ssize_t step_class
    cdef double step_violation
    cdef double choose(self, Py_ssize_t p, double most) nogil
    cdef void choose_savings(self, Py_ssize_t p) nogil
    cdef double make_legal(self, Py_ssize_t p, double violation, double most) nogil
    cdef void find_step(self, Py_ssize_t p, double violation, long long many, bint only_spare) nogil
    cdef double choose_more(self, Py_ssize_t c, long long change, double cost) nogil
    cdef void sort_by_class(self) nogil
    cdef void sort_by_net(self, Py_ssize_t first, Py_ssize_t last) nogil
    cdef bint is_whole(self, Py_ssize_t at) nogil
    cdef double next_cost(self, Py_ssize_t c, long long sign) nogil
    cdef long long take_next(self, Py_ssize_t c, long long sign, long long most) nogil
