"""Sorting of numbers inside of kernels: a stable order, and the number of a given rank."""

from __future__ import annotations

import cython
import numpy as np

from kilt.numbers import FloatArray, IntArray

RUN = cython.declare(cython.Py_ssize_t, 8)  # numbers that are sorted by insertion, before they are merged


@cython.cclass
class Sorter:
    """Sorts up to so many keys, in scratch space of its own.

    Whoever uses it fills in ``keys``, which stay as they are, and finds their places in ``order``. Equal keys keep
    their order. ``selected`` and ``merged`` are scratch.
    """

    def __init__(self, room: int) -> None:
        self.keys, self.selected = np.empty(room), np.empty(room)
        self.order, self.merged = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64)

    @cython.cfunc
    @cython.nogil
    def sort_smallest(self, number: cython.Py_ssize_t, wanted: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Order the places of the smallest of the first keys, and of all that equal the last one; return how many."""
        if wanted <= 0:
            return 0
        if number <= wanted:
            for place in range(number):
                self.order[place] = place
            self.sort(number)
            return number
        last = self.key_of_rank(number, wanted - 1)
        found: cython.Py_ssize_t = 0
        for place in range(number):
            if self.keys[place] <= last:
                self.order[found] = place
                found += 1
        self.sort(found)
        return found

    @cython.cfunc
    @cython.nogil
    def key_of_rank(self, number: cython.Py_ssize_t, rank: cython.Py_ssize_t) -> cython.double:
        """Return the key that stands at a rank, counted from 0, if the first keys are in rising order (quickselect)."""
        for place in range(number):
            self.selected[place] = self.keys[place]
        first: cython.Py_ssize_t = 0
        last: cython.Py_ssize_t = number - 1
        while first < last:
            low, middle, high = self.selected[first], self.selected[(first + last) // 2], self.selected[last]
            pivot = max(min(low, middle), min(max(low, middle), high))
            left, right = first, last
            while left <= right:
                while self.selected[left] < pivot:
                    left += 1
                while self.selected[right] > pivot:
                    right -= 1
                if left <= right:
                    self.selected[left], self.selected[right] = self.selected[right], self.selected[left]
                    left += 1
                    right -= 1
            if rank <= right:
                last = right
            elif rank >= left:
                first = left
            else:
                return pivot
        return self.selected[rank]

    @cython.cfunc
    @cython.nogil
    def sort(self, number: cython.Py_ssize_t) -> cython.void:
        """Put the first places of ``order`` into the order of their keys (merge sort)."""
        start: cython.Py_ssize_t = 0
        while start < number:
            self.sort_run(start, min(start + RUN, number))
            start += RUN
        length = RUN
        while length < number:
            start = 0
            while start + length < number:
                self.merge(start, start + length, min(start + 2 * length, number))
                start += 2 * length
            length *= 2

    @cython.cfunc
    @cython.nogil
    def sort_run(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.void:
        """Sort a short run by insertion."""
        for next_ in range(start + 1, stop):
            place = self.order[next_]
            key = self.keys[place]
            at: cython.Py_ssize_t = next_
            while at > start and self.keys[self.order[at - 1]] > key:
                self.order[at] = self.order[at - 1]
                at -= 1
            self.order[at] = place

    @cython.cfunc
    @cython.nogil
    def merge(self, start: cython.Py_ssize_t, middle: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.void:
        """Merge two sorted runs, one after the other; the first is moved out of the way."""
        if self.keys[self.order[middle - 1]] <= self.keys[self.order[middle]]:
            return
        for i in range(start, middle):
            self.merged[i] = self.order[i]
        left, right, at = start, middle, start
        while left < middle and right < stop:
            if self.keys[self.order[right]] < self.keys[self.merged[left]]:
                self.order[at] = self.order[right]
                right += 1
            else:
                self.order[at] = self.merged[left]
                left += 1
            at += 1
        while left < middle:
            self.order[at] = self.merged[left]
            left += 1
            at += 1


def smallest_places(keys: FloatArray, wanted: int) -> IntArray:
    """Return the places of the smallest keys in rising order, so many and all that equal the last of these."""
    sorter = Sorter(len(keys))
    given: cython.double[::1] = keys
    number: cython.Py_ssize_t = len(keys)
    most: cython.Py_ssize_t = wanted
    with cython.nogil:
        for place in range(number):
            sorter.keys[place] = given[place]
        found = sorter.sort_smallest(number, most)
    return np.asarray(sorter.order)[:found]
