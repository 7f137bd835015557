"""Groups of single sizes close to the shares of the table in a tree: the sweep over its edges.

An edge of the tree cuts off some classes. A group of N rows that has C rows beyond an edge, where the table has R of n,
must carry |C - R N / n| rows over it, and the sum of that times the lengths of edges is its *excess*. Where excess
costs theta, this is a convex function of C for every edge. So the cheapest groups of all sizes are found in one sweep,
in order of the leaves: the costs of further rows beyond an edge are those of the classes beyond it, sorted, and each is
raised by what the edge adds for a row at that place.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.kilt.kernels.bounds.by_size import Members, SizedGroups

from kilt.numbers import BoolArray, FloatArray, IntArray

INFINITY = cython.declare(cython.double, float("inf"))


@cython.final
@cython.cclass
class NestedGroups(SizedGroups):  # type: ignore[misc] # of another kernel
    """Finds groups of a single size among members, in a tree.

    The leaves are the classes ``leaves`` in order; edge e cuts off those from ``edge_first[e]`` on, and is
    ``length[e]`` long. Edges are in the order in which they end, inner ones first: those at the places ``ends[k]`` to
    ``ends[k + 1]`` end behind the k-th leaf, whose edges have the length ``depth[k]`` together. ``parent[e]`` is the
    next larger edge and ``above[k]`` the innermost one of a leaf (the number of edges if there is none). For the size
    that is set edge e carries nothing at ``even[e]`` rows; ``count_of[e]`` of the chosen rows are beyond it.

    In the sweep ``cost`` has what further rows cost, and ``label`` whose they are: a part from ``runs[r]`` on for each
    run that is not merged yet, where the rows of a leaf and of all behind it begin at run ``leaf_run[k]``. What a row
    saves at edges that have too few rows is taken from its cost at once; so edges only add to rows that are too many.
    ``last`` and ``next`` are noted for a tail: what the last chosen row beyond an edge and the next one cost before
    it; then ``price[e]`` is what a row beyond it may cost there. A row of sensitive class c costs
    ``shift_table[p, c]`` more under the pattern p. If that is due to a column of two values, of the second of which
    groups of a size have ``pair[size, 0]`` to ``pair[size, 1]`` rows, then ``pair_value`` is what it adds at most;
    ``pair_classes`` are classes with each value.
    """

    leaves: cython.longlong[::1]
    ends: cython.longlong[::1]
    edge_first: cython.longlong[::1]
    parent: cython.longlong[::1]
    above: cython.longlong[::1]
    length: cython.double[::1]
    depth: cython.double[::1]
    share_of_edge: cython.double[::1]
    even: cython.double[::1]
    count_of: cython.longlong[::1]
    before: cython.longlong[::1]
    shift_table: cython.double[:, ::1]
    shift: cython.double[::1]
    pair: cython.longlong[:, ::1]
    pair_classes: cython.longlong[::1]
    pair_shift: cython.double[::1]
    pair_value: cython.double
    cost: cython.double[::1]
    label: cython.int[::1]
    spare_cost: cython.double[::1]
    spare_label: cython.int[::1]
    runs: cython.longlong[::1]
    leaf_run: cython.longlong[::1]
    n_runs: cython.Py_ssize_t
    top: cython.Py_ssize_t
    last: cython.double[::1]
    next: cython.double[::1]
    price: cython.double[::1]

    def __init__(
        self,
        members: Members,
        allowed: FloatArray,
        leaves: IntArray,
        edges: IntArray,
        length: FloatArray,
        share: FloatArray,
        shift: FloatArray,
        pair: IntArray,
        pair_classes: IntArray,
    ) -> None:
        """Take edges as pairs of leaves, from the first to behind the last, in the order in which they end."""
        SizedGroups.__init__(self, members, np.zeros(len(leaves), dtype=np.int64), 1, allowed)
        self.leaves, self.length, self.share_of_edge, self.shift_table = leaves, length, share, shift
        self.pair, self.pair_classes, self.pair_shift, self.pair_value = pair, pair_classes, np.zeros(2), 0.0
        n_edges, most = len(edges), len(allowed) - 1
        self.edge_first = np.ascontiguousarray(edges[:, 0])
        self.ends = np.searchsorted(edges[:, 1], np.arange(len(leaves) + 1), side="right")
        of_leaf = np.arange(len(leaves))[:, None]
        self.depth = ((edges[:, 0] <= of_leaf) & (of_leaf < edges[:, 1])) @ length
        self.parent, self.above = parents(edges), parents(edges, of_leaf)
        self.even, self.last, self.next = np.zeros((3, n_edges))
        self.price = np.zeros(n_edges + 1)
        self.count_of = np.zeros(n_edges, dtype=np.int64)
        self.shift = np.zeros(len(leaves))
        room = members.reduced_cost.shape[0] + most + 1
        self.cost, self.spare_cost = np.zeros((2, room))
        self.label, self.spare_label = np.zeros((2, room), dtype=np.int32)
        self.runs, self.leaf_run, self.before = np.zeros((3, len(leaves) + 1), dtype=np.int64)
        self.close = 20.0
        self.possible = possible_sizes(share, length, allowed).view(np.uint8)

    @cython.cfunc
    @cython.nogil
    def set_pattern(self, p: cython.Py_ssize_t) -> cython.void:
        """Set the pattern whose members are loaded."""
        for j in range(self.members.n_classes):
            self.shift[j] = 0.0
            if self.shift_table.shape[0] > 0:
                self.shift[j] = self.shift_table[p, self.members.sensitive_class[j]]
        if self.pair.shape[0] > 0:
            for i in range(2):
                self.pair_shift[i] = self.shift_table[p, self.pair_classes[i]]

    @cython.cfunc
    @cython.nogil
    def set_size(self, size: cython.Py_ssize_t) -> cython.void:
        """Set the size."""
        self.size = size
        for e in range(self.even.shape[0]):
            self.even[e] = self.share_of_edge[e] * size
        self.pair_value = 0.0
        if self.pair.shape[0] > 0:
            more = self.pair_shift[1] - self.pair_shift[0]
            self.pair_value = max(self.pair[size, 0] * more, self.pair[size, 1] * more) + size * self.pair_shift[0]

    @cython.cfunc
    @cython.nogil
    def find_cheapest(self, theta: cython.double) -> cython.bint:
        """Choose the rows of least reduced cost where excess costs theta; say whether there are such rows."""
        self.sweep(theta, False)
        if self.top < self.size:
            return False
        for j in range(self.members.n_classes):
            self.chosen[j] = 0
        for i in range(self.size):
            self.chosen[self.label[i]] += 1
        self.count()
        return True

    @cython.cfunc
    @cython.nogil
    def sweep(self, theta: cython.double, noting: cython.bint) -> cython.void:
        """Sort what further rows cost, with all edges.

        It is noted on request what the last one that is chosen beyond every edge costs before it, and the next one.
        """
        self.top, self.n_runs = 0, 0
        for k in range(self.leaves.shape[0]):
            self.leaf_run[k] = self.n_runs
            self.push(k, theta)
            for e in range(self.ends[k], self.ends[k + 1]):
                self.merge_from(self.leaf_run[self.edge_first[e]])
                self.cross(e, 2 * theta * self.length[e], noting)
        self.merge_from(0)

    @cython.cfunc
    @cython.nogil
    @cython.inline
    def push(self, k: cython.Py_ssize_t, theta: cython.double) -> cython.void:
        """Begin a run with the rows of a leaf, less what they save at edges that have too few rows."""
        j = self.place_of(k)
        if j < 0:
            return
        first, number = self.members.first[j], min(self.members.number[j], self.size)
        shift = self.shift[j] - theta * self.depth[k]
        self.runs[self.n_runs] = self.top
        self.n_runs += 1
        for i in range(number):
            self.cost[self.top + i] = self.members.reduced_cost[first + i] + shift
            self.label[self.top + i] = j
        self.top += number

    @cython.cfunc
    @cython.nogil
    @cython.inline
    def merge_from(self, run: cython.Py_ssize_t) -> cython.void:
        """Merge all runs from one on; no more rows are kept than a group has."""
        while self.n_runs > run + 1:
            begin, middle = self.runs[self.n_runs - 2], self.runs[self.n_runs - 1]
            number = self.top - middle
            for i in range(number):
                self.spare_cost[i], self.spare_label[i] = self.cost[middle + i], self.label[middle + i]
            left: cython.Py_ssize_t = middle - 1
            right: cython.Py_ssize_t = number - 1
            place: cython.Py_ssize_t = self.top - 1
            while right >= 0:
                if left >= begin and self.cost[left] > self.spare_cost[right]:
                    self.cost[place], self.label[place] = self.cost[left], self.label[left]
                    left -= 1
                else:
                    self.cost[place], self.label[place] = self.spare_cost[right], self.spare_label[right]
                    right -= 1
                place -= 1
            self.top = min(self.top, begin + self.size)
            self.n_runs -= 1

    @cython.cfunc
    @cython.nogil
    @cython.inline
    def cross(self, e: cython.Py_ssize_t, twice: cython.double, noting: cython.bint) -> cython.void:
        """Raise the costs of the last run by what an edge adds for rows beyond its share."""
        if self.n_runs == self.leaf_run[self.edge_first[e]]:
            if noting:
                self.last[e], self.next[e] = -INFINITY, INFINITY
            return  # no row is beyond it
        begin = self.runs[self.n_runs - 1]
        if noting:
            place = begin + self.count_of[e]
            self.last[e] = self.cost[place - 1] if place > begin else -INFINITY
            self.next[e] = self.cost[place] if place < self.top else INFINITY
        free: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, self.even[e])
        place = begin + free
        if place < self.top:
            self.cost[place] += twice * (free + 1 - self.even[e])
            for i in range(place + 1, self.top):
                self.cost[i] += twice

    @cython.cfunc
    @cython.nogil
    def count(self) -> cython.void:
        """Add up the reduced costs of the chosen rows, and their excess."""
        value: cython.double = 0.0
        excess: cython.double = 0.0
        for j in range(self.members.n_classes):
            number: cython.longlong = self.chosen[j]
            value += self.members.sums[self.members.first[j] + number] + self.shift[j] * number
        self.count_edges()
        for e in range(self.even.shape[0]):
            excess += self.length[e] * abs(self.count_of[e] - self.even[e])
        self.value, self.excess = value - self.pair_value, excess

    @cython.cfunc
    @cython.nogil
    def count_edges(self) -> cython.void:
        """Count the chosen rows beyond every edge, from how many are before each leaf."""
        before: cython.longlong = 0
        for k in range(self.leaves.shape[0]):
            self.before[k] = before
            j = self.place_of(k)
            if j >= 0:
                before += self.chosen[j]
            for e in range(self.ends[k], self.ends[k + 1]):
                self.count_of[e] = before - self.before[self.edge_first[e]]

    @cython.cfunc
    @cython.nogil
    def limit(self) -> cython.double:
        """Return how much excess is allowed."""
        return self.allowed[self.size]

    @cython.cfunc
    @cython.nogil
    def open_class(self) -> cython.Py_ssize_t:
        """Return -1: no class is decided here."""
        return -1

    @cython.cfunc
    @cython.nogil
    def find_tail(
        self,
        least_size: cython.Py_ssize_t,
        theta: cython.double,
        numbers: cython.double[:, ::1],
        i: cython.Py_ssize_t,
    ) -> cython.double:
        """Find the inequality of one pattern from its group of the size that is set; return what groups cost by it.

        Edges are paid as much as makes the chosen rows the cheapest ones.
        """
        if not self.find_cheapest(theta):
            return -INFINITY
        self.sweep(theta, True)
        n_edges = self.even.shape[0]
        last = self.cost[self.size] if self.top > self.size else self.cost[self.size - 1]
        self.price[n_edges] = last
        mean: cython.double = 0.0
        numbers[i, 1] = theta
        for e in range(n_edges - 1, -1, -1):
            a = theta * self.length[e]
            outer = self.price[self.parent[e]]
            count, even = self.count_of[e], self.even[e]
            most = 2 * a * min(1.0, max(0.0, count + 1 - even))  # what the next row pays
            least = 2 * a * min(1.0, max(0.0, count - even))  # what the last one pays
            paid: cython.double = min(max(a, least, outer - self.next[e]), most, outer - self.last[e])
            paid = min(max(paid, 0.0), 2 * a)
            self.price[e] = outer - paid
            numbers[i, 2 + e] = theta * (paid / a - 1) if a > 0 else 0.0
            mean += (paid - a) * self.share_of_edge[e]
        carried = mean + theta * self.allowed[self.size] / self.size
        numbers[i, 0] = max(0.0, last - carried)
        return self.add_up_below(theta, numbers[i, 0] + carried) + least_size * numbers[i, 0]

    @cython.cfunc
    @cython.nogil
    def add_up_below(self, theta: cython.double, limit: cython.double) -> cython.double:
        """Add up what rows cost less than a limit, with what they pay at the edges above them."""
        total: cython.double = 0.0
        outer = self.price[self.parent.shape[0]]
        for k in range(self.leaves.shape[0]):
            j = self.place_of(k)
            if j < 0:
                continue
            paid = outer - self.price[self.above[k]] - theta * self.depth[k] + self.shift[j]
            first = self.members.first[j]
            for place in range(first, first + self.members.number[j]):
                total += min(0.0, self.members.reduced_cost[place] + paid - limit)
        return total

    @cython.cfunc
    @cython.nogil
    @cython.inline
    def place_of(self, k: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Return which of the occurring classes is at a leaf; -1 if it does not occur."""
        c = self.leaves[k]
        j: cython.Py_ssize_t = self.members.class_place[c]
        return j if j < self.members.n_classes and self.members.sensitive_class[j] == c else -1


def parents(edges: IntArray, leaves: IntArray | None = None) -> IntArray:
    """Return for every edge (or leaf) the next edge behind it that contains it; the number of edges if none does."""
    found = np.full(len(edges) if leaves is None else len(leaves), len(edges))
    for e in reversed(range(len(edges))):
        if leaves is None:
            inside = (edges[e, 0] <= edges[:e, 0]) & (edges[:e, 1] <= edges[e, 1])
            found[:e][inside] = e
        else:
            found[((edges[e, 0] <= leaves) & (leaves < edges[e, 1])).ravel()] = e
    return found


def possible_sizes(share: FloatArray, length: FloatArray, allowed: FloatArray) -> BoolArray:
    """Say for every size whether groups can be close: at best every edge carries a part of a row."""
    even = share * np.arange(len(allowed))[:, None]
    return np.asarray(np.abs(even - np.rint(even)) @ length <= allowed + 1e-9)
