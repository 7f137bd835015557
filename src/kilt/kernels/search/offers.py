"""Offers: the rows that could come to a pattern, and the choice of those that make it a legal group at least cost."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.kilt.kernels.model.rules import ClassCounts, CompiledRules
from cython.cimports.kilt.kernels.random import Random
from cython.cimports.kilt.kernels.search.assignment import Assignment, CoverIndex
from cython.cimports.kilt.kernels.search.moves import INFEASIBLE_COST

FREELY = cython.declare(cython.double, 0.2)  # how often rows come that save nothing
STRIDE = cython.declare(cython.double, 0.5)  # rows that come or leave at a time, for each that is too many or too few
SHORT_STEPS = cython.declare(cython.longlong, 1_000)  # that make a group legal; entropy hardly rises near its top,
WALK = cython.declare(cython.longlong, 50)  # so that later ones are longer: twice after each walk of so many
MOST_STEPS = cython.declare(cython.longlong, 3_000)  # after which the group is given up


@cython.cclass
class Offers:
    """Offer i is ``free[i]`` copies that could come from the entry ``home[i]`` to ``entry[i]``.

    They are of a ``sensitive_class[i]``, and each saves ``net[i]``.

    ``chosen[i]`` of them come. ``trial`` counts the rows of the group with the chosen ones. ``order`` has the offers by
    sensitive class and falling savings: those of class c begin at ``stretch[c]``, and the chosen ones end at
    ``edge[c]``; ``spare[c]`` copies of them could still come. ``step`` is the best change of the rows of a class,
    ``step_class``, that was found last, and ``step_violation`` what it leads to.
    """

    def __init__(
        self, index: CoverIndex, assignment: Assignment, rules: CompiledRules, random: Random, room: int
    ) -> None:
        self.index, self.assignment, self.rules, self.random = index, assignment, rules, random
        self.number, self.room = 0, room
        classes = self.assignment.by_class.of.shape[1]
        self.home, self.entry, self.free, self.chosen = np.zeros((4, room), dtype=np.int64)
        self.net, self.sensitive_class = np.zeros(room), np.zeros(room, dtype=np.int32)
        self.trial, self.trial_size = ClassCounts(np.zeros((1, classes), dtype=np.int64)), 0
        self.order = np.zeros(room, dtype=np.intp)
        self.stretch, self.edge = np.zeros(classes + 1, dtype=np.intp), np.zeros(classes, dtype=np.intp)
        self.spare = np.zeros(classes, dtype=np.int64)
        self.step, self.step_class, self.step_violation = 0, 0, 0.0

    @cython.cfunc
    @cython.nogil
    def choose(self, p: cython.Py_ssize_t, most: cython.double) -> cython.double:
        """Choose the offers that save something, then fewer or more of a class until p is legal; return the cost.

        INFEASIBLE_COST if that cannot be, or costs more than the most.
        """
        self.choose_savings(p)
        if self.trial_size == self.assignment.size[p]:
            return INFEASIBLE_COST
        violation = self.rules.violation(self.trial, 0, self.trial_size)
        return self.make_legal(p, violation, most) if violation > 0.0 else 0.0

    @cython.cfunc
    @cython.nogil
    def choose_savings(self, p: cython.Py_ssize_t) -> cython.void:
        """Choose the offers that save something; now and then also those that save nothing."""
        least_net = -1e-9 if self.random.draw() < FREELY else 1e-9
        self.trial_size = self.assignment.size[p]
        for c in range(self.trial.of.shape[1]):
            self.trial.of[0, c] = self.assignment.by_class.of[p, c]
        for i in range(self.number):
            self.chosen[i] = self.free[i] if self.net[i] > least_net else 0
            self.trial.of[0, self.sensitive_class[i]] += self.chosen[i]
            self.trial_size += self.chosen[i]

    @cython.cfunc
    @cython.nogil
    def make_legal(self, p: cython.Py_ssize_t, violation: cython.double, most: cython.double) -> cython.double:
        """Choose fewer or more rows, always of the class that repairs most for its cost; return what that costs.

        A step that goes as far as there are rows may not lower the violation, and would be taken back: from then on,
        no step is rated with rows that are not there, and every one lowers it.
        """
        self.sort_by_class()
        cost: cython.double = 0.0
        stride: cython.double = STRIDE
        only_spare: cython.bint = False
        for taken in range(1, MOST_STEPS + 1):
            self.find_step(p, violation, max(1, cython.cast(cython.longlong, stride * violation)), only_spare)
            if self.step == 0 and stride == STRIDE:
                return INFEASIBLE_COST
            if self.step == 0:
                stride /= 2
                continue
            size: cython.longlong = self.trial_size + self.step
            cost = self.choose_more(self.step_class, self.step, cost)
            if cost > most:
                return INFEASIBLE_COST
            if self.trial_size != size:
                self.step_violation = self.rules.violation(self.trial, 0, self.trial_size)
                only_spare = only_spare or self.step_violation >= violation
            violation = self.step_violation
            if violation <= 0.0:
                return cost
            if taken > SHORT_STEPS and taken % WALK == 0 and stride * violation < self.trial_size:
                stride *= 2
        return INFEASIBLE_COST

    @cython.cfunc
    @cython.nogil
    def find_step(
        self, p: cython.Py_ssize_t, violation: cython.double, many: cython.longlong, only_spare: cython.bint
    ) -> cython.void:
        """Find the class of which so many rows more, or fewer, repair most for their cost; no step if none do."""
        best: cython.double = 0.0
        self.step = 0
        for c in range(self.trial.of.shape[1]):
            for turn in range(2):
                sign: cython.longlong = 1 - 2 * turn
                extra = self.next_cost(c, sign)
                if extra == INFEASIBLE_COST or self.trial_size + sign * many <= 0:
                    continue
                step: cython.longlong = many
                if sign > 0 and only_spare:
                    step = min(many, self.spare[c])
                elif sign < 0:
                    step = -min(many, self.trial.of[0, c] - self.assignment.by_class.of[p, c])
                self.trial.of[0, c] += step
                then = self.rules.violation(self.trial, 0, self.trial_size + step)
                self.trial.of[0, c] -= step
                repaired = (violation - then) / (abs(step) * (max(extra, 0.0) + 0.1 * self.rules.unit))
                if repaired > best:
                    best, self.step, self.step_class, self.step_violation = repaired, step, c, then

    @cython.cfunc
    @cython.nogil
    def choose_more(self, c: cython.Py_ssize_t, change: cython.longlong, cost: cython.double) -> cython.double:
        """Choose so many more rows of a class, or fewer, as far as there are any; return the cost with theirs."""
        sign: cython.longlong = 1 if change > 0 else -1
        done: cython.longlong = 0
        while done != change:
            extra = self.next_cost(c, sign)
            if extra == INFEASIBLE_COST:
                break
            taken = self.take_next(c, sign, abs(change - done))
            cost += taken * extra
            done += sign * taken
        self.trial.of[0, c] += done
        self.trial_size += done
        self.spare[c] -= done
        return cost

    @cython.cfunc
    @cython.nogil
    def sort_by_class(self) -> cython.void:
        """Order the offers by sensitive class and savings, and note where the chosen ones of each class end."""
        classes = self.trial.of.shape[1]
        for c in range(classes + 1):
            self.stretch[c] = 0
        for i in range(self.number):
            if self.free[i] > 0:
                self.stretch[self.sensitive_class[i] + 1] += 1
        for c in range(classes):
            self.stretch[c + 1] += self.stretch[c]
            self.edge[c] = self.stretch[c]
        for i in range(self.number):
            if self.free[i] > 0:
                c = self.sensitive_class[i]
                self.order[self.edge[c]] = i
                self.edge[c] += 1
        for c in range(classes):
            self.sort_by_net(self.stretch[c], self.stretch[c + 1])
            self.edge[c], self.spare[c] = self.stretch[c], 0
            for at in range(self.stretch[c], self.stretch[c + 1]):
                self.spare[c] += self.free[self.order[at]] - self.chosen[self.order[at]]
            while self.edge[c] < self.stretch[c + 1] and self.is_whole(self.edge[c]):
                self.edge[c] += 1

    @cython.cfunc
    @cython.nogil
    def sort_by_net(self, first: cython.Py_ssize_t, last: cython.Py_ssize_t) -> cython.void:
        """Sort a stretch of the order by falling savings (shell sort: nothing is allocated)."""
        gap: cython.Py_ssize_t = 1
        while gap < (last - first) // 3:
            gap = 3 * gap + 1
        while gap > 0:
            for at in range(first + gap, last):
                i = self.order[at]
                back: cython.Py_ssize_t = at
                while back >= first + gap and self.net[self.order[back - gap]] < self.net[i]:
                    self.order[back] = self.order[back - gap]
                    back -= gap
                self.order[back] = i
            gap //= 3

    @cython.cfunc
    @cython.nogil
    def is_whole(self, at: cython.Py_ssize_t) -> cython.bint:
        """Say whether all copies of an offer are chosen, by its place in the order."""
        return self.chosen[self.order[at]] == self.free[self.order[at]]

    @cython.cfunc
    @cython.nogil
    def next_cost(self, c: cython.Py_ssize_t, sign: cython.longlong) -> cython.double:
        """Return what it costs to choose one more row of a class, or one less; INFEASIBLE_COST if there is none."""
        at = self.edge[c]
        if sign > 0:
            return -self.net[self.order[at]] if at < self.stretch[c + 1] else INFEASIBLE_COST
        if at < self.stretch[c + 1] and self.chosen[self.order[at]] > 0:
            return self.net[self.order[at]]
        if at > self.stretch[c] and self.chosen[self.order[at - 1]] > 0:
            return self.net[self.order[at - 1]]
        return INFEASIBLE_COST

    @cython.cfunc
    @cython.nogil
    def take_next(self, c: cython.Py_ssize_t, sign: cython.longlong, most: cython.longlong) -> cython.longlong:
        """Choose more copies of the next offer of a class, or fewer; return how many."""
        at: cython.Py_ssize_t = self.edge[c]
        if sign < 0 and (at == self.stretch[c + 1] or self.chosen[self.order[at]] == 0):
            at -= 1
        i = self.order[at]
        taken: cython.longlong = self.free[i] - self.chosen[i] if sign > 0 else self.chosen[i]
        taken = min(most, taken)
        self.chosen[i] += sign * taken
        if sign > 0:
            while at < self.stretch[c + 1] and self.is_whole(at):
                at += 1
        self.edge[c] = at
        return taken
