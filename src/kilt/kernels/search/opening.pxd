cimport cython

from kilt.kernels.model.rules cimport CompiledRules
from kilt.kernels.random cimport Random
from kilt.kernels.search.assignment cimport Assignment, CoverIndex
from kilt.kernels.search.moves cimport Moves
from kilt.kernels.search.offers cimport Offers


@cython.final
cdef class Opening:
    cdef CoverIndex index
    cdef Assignment assignment
    cdef CompiledRules rules
    cdef Random random
    cdef Moves moves
    cdef Offers offers
    cdef Py_ssize_t n_donors
    cdef long long[::1] donor
    cdef long long[::1] donor_stamp
    cdef Py_ssize_t[::1] first_offer
    cdef Py_ssize_t[::1] next_offer
    cdef unsigned char[::1] closes
    cdef unsigned char[::1] chained
    cdef int[:, ::1] refill
    cdef int[:, ::1] refill_home
    cdef long long[::1] looked
    cdef bint open_pattern(self, Py_ssize_t p, long long max_closed_size, double most) nogil
    cdef void list_offers(self, Py_ssize_t p) nogil
    cdef void list_offer(self, Py_ssize_t home, Py_ssize_t entry, Py_ssize_t u) nogil
    cdef double estimate_savings(self, Py_ssize_t p, long long max_closed_size) nogil
    cdef double offered_by(self, Py_ssize_t q, Py_ssize_t p, long long max_closed_size) nogil
    cdef long long offer_removable(self, Py_ssize_t q, double each) nogil
    cdef long long removable(self, Py_ssize_t q, Py_ssize_t i, long long removed) nogil
    cdef double offer_all(self, Py_ssize_t q, long long cost, long long free, double kept) nogil
    cdef double offer_replaced(self, Py_ssize_t q, Py_ssize_t p, double each) nogil
    cdef double replacement_cost(self, Py_ssize_t q, Py_ssize_t c, Py_ssize_t p) nogil
    cdef double find_replacement(self, Py_ssize_t q, Py_ssize_t c, Py_ssize_t p) nogil
    cdef bint move_in(self, Py_ssize_t p) nogil
    cdef bint repair_donors(self) nogil
