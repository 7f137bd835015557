"""The kernel of k-anonymity: row types with many copies lose what cannot matter, and get it back afterwards.

One group per pattern is enough, and a row type is in at most P patterns that are not pure (all levels 0).
If it has (2k-2) P + 1 copies or more, some such group would hold 2k-1 of them; k of those leave for a pure group
at no cost. So with B = (2k-2) P + 1, the optimum is the same when every multiplicity is capped at B, and the copies
that were cut off join the pure group.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod

import numpy as np

from kilt.certificates.proof.evidence import Bound
from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.model.rules import SizeRule
from kilt.run.progress import Observer, Progress


@dataclass(frozen=True)
class CappedProblem:
    """A problem with capped multiplicities, and the way back."""

    original: Problem
    problem: Problem

    @classmethod
    def of(cls, original: Problem) -> CappedProblem:
        """Cap the multiplicities, under a policy that asks for k alone; any other policy is left as it is."""
        rules = original.rules.rules
        if not all(isinstance(rule, SizeRule) for rule in rules):
            return cls(original, original)
        k = original.rules.min_group_size
        impure = prod(len(column.levels) for column in original.columns) - 1
        cap = (2 * k - 2) * impure + 1
        if int(original.counts.max()) <= max(cap, k):
            return cls(original, original)
        return cls(original, replace(original, counts=np.minimum(original.counts, max(cap, k))))

    def lift_bound(self, bound: Bound | None) -> Bound | None:
        """Return a bound for the original: what was cut off pays what it pays in every release."""
        return None if bound is None else replace(bound, cost=bound.cost + self._cut_cost)

    def lift_progress(self, observer: Observer) -> Observer:
        """Observe a solver of the capped problem, and tell of the original."""
        cut = Fraction(self._cut_cost, self.original.unit)
        if not cut:
            return observer

        def tell(progress: Progress) -> None:
            stars, bound = (None if each is None else each + cut for each in (progress.stars, progress.bound))
            observer(replace(progress, stars=stars, bound=bound))

        return tell

    @property
    def _cut_cost(self) -> int:
        return self.original.base_cost - self.problem.base_cost

    def lift(self, partition: Partition) -> Partition:
        """Return the partition of the original: what was cut off goes into the pure group of its row type.

        If the capped solution has no pure group, one of its groups holds 2k-1 copies: k of them make one.
        """
        cut = self.original.counts - self.problem.counts
        types, groups, counts = partition.types, partition.groups, partition.counts.copy()
        fresh = int(groups.max()) + 1
        added: list[tuple[int, int, int]] = []
        pure = partition.levels.sum(axis=1) == 0
        for row_type in np.flatnonzero(cut):
            mine = np.flatnonzero(types == row_type)
            pure_entries = mine[pure[groups[mine]]]
            if len(pure_entries):
                counts[pure_entries[0]] += cut[row_type]
                continue
            largest = mine[counts[mine].argmax()]
            k = self.original.rules.min_group_size
            counts[largest] -= k
            added.append((int(row_type), fresh + len(added), int(cut[row_type]) + k))
        extra = np.array(added, dtype=np.int64).reshape(-1, 3)
        kept = counts > 0
        return Partition.of(
            self.original,
            np.concatenate([types[kept], extra[:, 0]]),
            np.concatenate([groups[kept], extra[:, 1]]),
            np.concatenate([counts[kept], extra[:, 2]]),
        )
