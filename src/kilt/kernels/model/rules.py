"""Whether a group is legal, and how far it is from that: all rules on counts per sensitive class, in integers."""

from __future__ import annotations

from typing import Any

import cython
import numpy as np
from cython.cimports.kilt.kernels.model.transport import Transport
from cython.cimports.libc.math import log

from kilt.numbers import IntArray


@cython.cclass
class ClassCounts:
    """The rows of some groups by sensitive class: ``of[group, sensitive_class]``."""

    def __init__(self, of: IntArray) -> None:
        self.of = of


@cython.cclass
class Rule:
    """A rule on the values of one sensitive column, which compares something with the ratio ``above / below``.

    Sensitive class c has the value ``value_of[c]``. ``is_value`` says that sensitive classes are values, as with a
    single column; else these are counted in ``values``, so that no two threads may share a rule. ``next`` is the rule
    that is asked after it.
    """

    def __init__(self, value_of: IntArray, n_values: int, above: int, below: int) -> None:
        self.given: tuple[Any, ...] = (value_of, n_values, above, below)
        self.above, self.below = above, below
        self.value_of, self.values = value_of, ClassCounts(np.zeros((1, n_values), dtype=np.int64))
        self.is_value = np.array_equal(value_of, np.arange(n_values))
        self.next: Rule | None = None

    def copy(self) -> Rule:
        """Return the same rule for another thread."""
        return type(self)(*self.given)

    @cython.cfunc
    @cython.nogil
    def add_violation(
        self, total: cython.double, counts: ClassCounts, group: cython.Py_ssize_t, size: cython.longlong
    ) -> cython.double:
        """Add the violations of a group by this rule and by those that follow."""
        if self.is_value:
            total += self.violation(counts, group, size)
        else:
            for v in range(self.values.of.shape[1]):
                self.values.of[0, v] = 0
            for c in range(self.value_of.shape[0]):
                self.values.of[0, self.value_of[c]] += counts.of[group, c]
            total += self.violation(self.values, 0, size)
        return total if self.next is None else self.next.add_violation(total, counts, group, size)

    @cython.cfunc
    @cython.nogil
    def violation(self, values: ClassCounts, group: cython.Py_ssize_t, size: cython.longlong) -> cython.double:
        """Return 0 if a group with these values is legal, else about how many rows are too many or too few."""
        return 0.0


@cython.cclass
class CompiledRules:
    """All rules of a policy, for one thread: at least ``size`` rows, and what the other ``rules`` ask for.

    ``min_group_size`` is what follows from all of them, ``unit`` the cost of a star, and ``size_only`` says whether
    they ask for nothing but a size.
    """

    def __init__(self, size: int, rules: list[Rule], min_group_size: int, unit: int) -> None:
        self.size, self.rules, self.min_group_size, self.unit = size, rules, min_group_size, unit
        self.size_only, self.first = not rules, rules[0] if rules else None
        for i in range(1, len(rules)):
            last: Rule = rules[i - 1]
            last.next = rules[i]

    def copy(self) -> CompiledRules:
        """Return the same rules for another thread."""
        return CompiledRules(self.size, [rule.copy() for rule in self.rules], self.min_group_size, self.unit)

    @cython.cfunc
    @cython.nogil
    def violation(self, counts: ClassCounts, group: cython.Py_ssize_t, size: cython.longlong) -> cython.double:
        """Return 0 if a group is legal, else about how many rows are too many or too few; only the sign decides."""
        missing: cython.double = max(0, self.size - size)
        return missing if self.first is None else self.first.add_violation(missing, counts, group, size)

    @cython.cfunc
    @cython.nogil
    def meets(self, counts: ClassCounts, group: cython.Py_ssize_t, size: cython.longlong) -> cython.bint:
        """Say whether a group is legal."""
        if size < self.size:
            return False
        return self.first is None or self.first.add_violation(0.0, counts, group, size) == 0.0

    def violation_of(self, by_class: IntArray) -> float:
        """Return the violation of a group with these rows per sensitive class."""
        return self.violation(ClassCounts(by_class.reshape(1, -1)), 0, by_class.sum())


@cython.cclass
class FrequencyRule(Rule):
    """The most frequent value has at most below/above of the rows."""

    @cython.cfunc
    @cython.nogil
    def violation(self, values: ClassCounts, group: cython.Py_ssize_t, size: cython.longlong) -> cython.double:
        """Return how many rows of the most frequent value are too many."""
        most: cython.longlong = 0
        for v in range(values.of.shape[1]):
            most = max(most, values.of[group, v])
        over = most * self.above - size * self.below
        return 0.0 if over <= 0 else over / self.above


@cython.cclass
class DistinctRule(Rule):
    """At least ``above`` different values."""

    @cython.cfunc
    @cython.nogil
    def violation(self, values: ClassCounts, group: cython.Py_ssize_t, size: cython.longlong) -> cython.double:
        """Return how many values are missing."""
        found: cython.longlong = 0
        for v in range(values.of.shape[1]):
            found += values.of[group, v] > 0
        return max(0, self.above - found)


@cython.cclass
class EntropyRule(Rule):
    """An entropy of at least log(above/below): refused where floats are not sure; even counts are decided exactly."""

    @cython.cfunc
    @cython.nogil
    def violation(self, values: ClassCounts, group: cython.Py_ssize_t, size: cython.longlong) -> cython.double:
        """Return about how many rows' worth of entropy is missing."""
        inside: cython.double = 0.0
        found: cython.longlong = 0
        most: cython.longlong = 0
        least: cython.longlong = size
        for v in range(values.of.shape[1]):
            count = values.of[group, v]
            if count > 0:
                inside += count * log(count)
                found += 1
                most, least = max(most, count), min(least, count)
        if most == least:
            return max(0.0, (self.above - found * self.below) / self.below)
        missing = log(self.above / self.below) - log(size) + inside / size
        error = 1e-12 + 1e-15 * (values.of.shape[1] + 16) * (log(size) + 1)
        return 0.0 if missing < -error else max(missing, 1e-9) * size


@cython.cclass
class RecursiveRule(Rule):
    """The most frequent value has less than above/below of the rows of the tail, which begins with the l-th value."""

    l: cython.longlong

    def __init__(self, value_of: IntArray, n_values: int, above: int, below: int, l: int) -> None:
        Rule.__init__(self, value_of, n_values, above, below)
        self.given, self.l = (*self.given, l), l

    @cython.cfunc
    @cython.nogil
    def violation(self, values: ClassCounts, group: cython.Py_ssize_t, size: cython.longlong) -> cython.double:
        """Return how many rows of the most frequent value are too many."""
        tail: cython.longlong = 0
        most: cython.longlong = 0
        for v in range(values.of.shape[1]):
            tail += values.of[group, v]
            most = max(most, values.of[group, v])
        level, left = most, self.l - 1
        while left > 0 and level > 0:
            lower: cython.longlong = 0
            for v in range(values.of.shape[1]):
                if values.of[group, v] == level and left > 0:
                    tail -= level
                    left -= 1
                elif values.of[group, v] < level:
                    lower = max(lower, values.of[group, v])
            level = lower
        over = most * self.below - tail * self.above
        return 0.0 if over < 0 else (over + 1) / self.below


@cython.cclass
class ClosenessRule(Rule):
    """An earth mover's distance from the table of at most above/below, in a space of equal distances.

    The table has ``rows``, ``reference[v]`` of them with the value v; distances are multiples of 1/``scale``.
    """

    rows: cython.longlong
    scale: cython.longlong
    reference: cython.longlong[::1]

    def __init__(
        self, value_of: IntArray, n_values: int, above: int, below: int, reference: IntArray, scale: int
    ) -> None:
        Rule.__init__(self, value_of, n_values, above, below)
        self.given, self.reference, self.scale = (*self.given, reference, scale), reference, scale
        self.rows = reference.sum()

    @cython.cfunc
    @cython.nogil
    def violation(self, values: ClassCounts, group: cython.Py_ssize_t, size: cython.longlong) -> cython.double:
        """Return about how many rows are too far away."""
        work: cython.longlong = 0
        for v in range(self.reference.shape[0]):
            work += abs(self.rows * values.of[group, v] - self.reference[v] * size)
        return self.too_far(work, size)

    @cython.cfunc
    @cython.nogil
    @cython.final
    def too_far(self, work: cython.longlong, size: cython.longlong) -> cython.double:
        """Compare the distance, times the rows of group and table and the scale, with what is allowed."""
        over = work * self.below - self.above * self.scale * self.rows * size
        return 0.0 if over <= 0 else over / (self.below * self.scale * self.rows)


@cython.cclass
class TreeClosenessRule(ClosenessRule):
    """Closeness in a tree: its edges are intervals ``start`` to ``stop`` of the values in ``order``, with a weight.

    ``sums`` adds up what is too much in the values so far.
    """

    order: cython.longlong[::1]
    start: cython.longlong[::1]
    stop: cython.longlong[::1]
    weight: cython.longlong[::1]
    sums: cython.longlong[::1]

    def __init__(
        self,
        value_of: IntArray,
        n_values: int,
        above: int,
        below: int,
        reference: IntArray,
        scale: int,
        edges: tuple[IntArray, IntArray, IntArray, IntArray],
    ) -> None:
        ClosenessRule.__init__(self, value_of, n_values, above, below, reference, scale)
        self.given, self.sums = (*self.given, edges), np.zeros(n_values + 1, dtype=np.int64)
        self.order, self.start, self.stop, self.weight = edges

    @cython.cfunc
    @cython.nogil
    def violation(self, values: ClassCounts, group: cython.Py_ssize_t, size: cython.longlong) -> cython.double:
        """Add up what must pass each edge."""
        for i in range(self.order.shape[0]):
            v = self.order[i]
            self.sums[i + 1] = self.sums[i] + self.rows * values.of[group, v] - self.reference[v] * size
        work: cython.longlong = 0
        for edge in range(self.weight.shape[0]):
            work += self.weight[edge] * abs(self.sums[self.stop[edge]] - self.sums[self.start[edge]])
        return self.too_far(work, size)


@cython.cclass
class MetricClosenessRule(ClosenessRule):
    """Closeness under any metric, by a flow."""

    transport: Transport

    def __init__(
        self,
        value_of: IntArray,
        n_values: int,
        above: int,
        below: int,
        reference: IntArray,
        scale: int,
        distance: IntArray,
    ) -> None:
        ClosenessRule.__init__(self, value_of, n_values, above, below, reference, scale)
        self.given, self.transport = (*self.given, distance), Transport(distance)

    @cython.cfunc
    @cython.nogil
    def violation(self, values: ClassCounts, group: cython.Py_ssize_t, size: cython.longlong) -> cython.double:
        """Send what is too much to where it is missing."""
        for v in range(self.reference.shape[0]):
            self.transport.difference[v] = self.rows * values.of[group, v] - self.reference[v] * size
        return self.too_far(self.transport.cost(), size)
