"""The cheapest groups that are legal and, as a whole, accepted: for tables of a few rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from kilt.model.problem import Problem
from kilt.numbers import IntArray
from kilt.solvers.common.merging import told_by


@dataclass
class AcceptedGroups:
    """Branch and bound over partitions into legal groups that are accepted as a whole; sets are masks of rows.

    A partition of the rest costs at least what its cheapest one costs, and tells at least what the rest tells as one
    group, since merging groups never adds information. What is told is compared in floats with some room; whether a
    partition is accepted is decided exactly.
    """

    problem: Problem
    by_class: IntArray
    legal: list[bool]
    cost: list[int]
    least_cost: list[int]
    told: list[list[float]]
    most_told: list[float]
    found: list[int] = field(default_factory=list)
    found_cost: int = 0

    @classmethod
    def of(
        cls, problem: Problem, by_class: IntArray, legal: IntArray, cost: IntArray, least_cost: list[int]
    ) -> AcceptedGroups:
        """Compute for every set of rows what it tells as a group."""
        told, most_told = told_by(problem, by_class)
        return cls(problem, by_class, legal.tolist(), cost.tolist(), least_cost, told.T.tolist(), most_told.tolist())

    def cheapest(self, legal_groups: list[int]) -> list[int]:
        """Return the cheapest groups that are accepted; those that are cheapest among all legal ones come first."""
        if self._accepts(legal_groups):
            return legal_groups
        everything = len(self.cost) - 1
        self.found, self.found_cost = [everything], self.cost[everything]
        self._extend([], everything, 0, [0.0] * len(self.most_told))
        return self.found

    def _extend(self, groups: list[int], rest: int, cost: int, told: list[float]) -> None:
        """Try every group for the first row of the rest, the most promising first."""
        if not rest:
            if self._accepts(groups):
                self.found, self.found_cost = groups, cost
            return
        for bound, group in sorted(self._promising(rest, cost)):
            if bound >= self.found_cost:
                break
            after = [total + of[group] for total, of in zip(told, self.told, strict=True)]
            left = rest ^ group
            tells = zip(after, self.told, self.most_told, strict=True)
            if all(total + of[left] <= most for total, of, most in tells):
                self._extend([*groups, group], left, cost + self.cost[group], after)

    def _promising(self, rest: int, cost: int) -> Iterator[tuple[int, int]]:
        """Yield the legal groups of the first row with a bound on the cost, where it is below what is known."""
        first = rest & -rest
        others = part = rest ^ first
        while True:
            group = part | first
            bound = cost + self.cost[group] + self.least_cost[rest ^ group]
            if self.legal[group] and bound < self.found_cost:
                yield bound, group
            if not part:
                return
            part = (part - 1) & others

    def _accepts(self, groups: list[int]) -> bool:
        return self.problem.rules.accepts(self.problem.groups(self.by_class[groups]))
