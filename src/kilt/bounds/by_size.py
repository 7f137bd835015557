"""The oracle for closeness with equal distances: groups size by size, and very large ones under linear inequalities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kilt.bounds.incidence import Incidence
from kilt.bounds.linear import LinearOracle, OtherCuts, joined, pattern_multipliers
from kilt.certificates.proof.by_size import is_star, reference_of
from kilt.certificates.proof.evidence import MAX_SIZE, Evidence, PatternMultipliers, PatternTrees
from kilt.certificates.proof.nested import NestedShares
from kilt.kernels.bounds.by_size import Members, SizedGroups, SmallGroups, SortedCovers
from kilt.kernels.bounds.nested import NestedGroups
from kilt.model.rules import ClosenessRule
from kilt.model.spaces import TreeMetric
from kilt.numbers import BoolArray, FloatArray, IntArray
from kilt.run.threads import CHUNKS, PerThread, taken_by


@dataclass(frozen=True)
class Params:
    """Which groups are bounded by their size, and the effort for the others."""

    max_size: int = MAX_SIZE  # rows of a group that is bounded by its size
    max_table: int = 2_000_000  # sizes times sensitive classes, for lack of memory
    proof_size: int = 120  # the same in a proof, if nothing else is said of a pattern
    proof_sizes: tuple[int, ...] = (8, 12, 16, 24, 36, 54, 80, 120, 180, 270, 400, 600)  # what is said, and the largest
    one_by_one: int = 48  # in a tree sizes up to this are all tried; of larger ones every sixteenth
    large_rounds: int = 8  # for groups that are larger: they are few, and their weights must be good
    proof_rounds: int = 5  # for the inequalities of a proof
    margin: float = 1.0  # units of cost: patterns with a reduced cost below that are looked at in every step
    slack: float = 0.002  # of a unit of cost: a proof with so much less needs smaller trees


PARAMS = Params()


@dataclass
class BySizeOracle:
    """Groups close to the shares of the table, of whole rows: exact, in floats, up to ``Params.max_size`` rows.

    Larger groups are bounded by linear inequalities.
    """

    incidence: Incidence
    rule: ClosenessRule
    size: IntArray
    theta: FloatArray
    effort = 2
    period = 10
    proof_effort = 16
    judges_legality = True

    @classmethod
    def of(cls, incidence: Incidence, rule: ClosenessRule) -> BySizeOracle:
        """Start without multipliers of patterns."""
        patterns = len(incidence.pool)
        return cls(incidence, rule, np.zeros(patterns, dtype=np.int64), np.zeros(patterns))

    def least(self, multipliers: IntArray, everywhere: bool = True) -> tuple[float, FloatArray]:
        """Return the sum of the negative least reduced costs, and how many copies of each row type the groups hold.

        If not everywhere, then only under patterns that had a low reduced cost when it was last looked everywhere.
        """
        active = self.incidence.active(multipliers)
        if not everywhere:
            active &= self._is_near
        of_large = self._of_large(multipliers, active & self._is_large)
        reduced_costs, taken = self._of_every_size(multipliers, active, of_large, everywhere)
        if of_large.any():
            taken += self._large.taken(multipliers, (reduced_costs == of_large) & (of_large < 0))
        return float(reduced_costs.sum()), taken

    def near(self, multipliers: IntArray, most: float) -> BoolArray:
        """Mark the patterns that may have a legal group with a reduced cost of at most so many stars."""
        every = np.ones(len(self.size), dtype=bool)
        self._of_every_size(multipliers, every, np.zeros(len(every)), everywhere=True, margin=most)
        return self._is_near

    def _of_large(self, multipliers: IntArray, large: BoolArray) -> FloatArray:
        """Return the least reduced costs of groups that are too large to be bounded by their size."""
        if not large.any():
            return np.zeros(len(large))
        return self._large.reduced_costs(multipliers, large, PARAMS.large_rounds)

    def _of_every_size(
        self,
        multipliers: IntArray,
        active: BoolArray,
        of_large: FloatArray,
        everywhere: bool,
        margin: float = PARAMS.margin,
    ) -> tuple[FloatArray, FloatArray]:
        """Return the least reduced costs, given those of large groups, and the copies of row types in small groups.

        If everywhere, it is noted which patterns have a low reduced cost, and which must be bounded for large groups:
        by convexity those whose groups of the largest size are among the best.
        """
        groups, reduced_costs = self._groups, of_large.copy()
        margin = margin * self.incidence.scale * self.incidence.problem.unit if everywhere else 0.0
        marks, by_class = np.zeros((2, len(active)), dtype=np.uint8), np.zeros_like(self._others.slope)
        self._sorted.sort(np.argsort(-multipliers, kind="stable"), active)

        def lower(chunk: int, taken: FloatArray) -> None:
            groups.mine.lower(chunk, CHUNKS, multipliers, active, reduced_costs, taken, margin, marks, by_class)

        taken = taken_by(len(reduced_costs), len(multipliers), lower)
        if everywhere:
            self._is_near, self._is_large = marks[0] > 0, marks[1] > 0
        else:
            self._is_large |= marks[1] > 0
        if len(by_class):
            patterns = np.flatnonzero(by_class.any(axis=1))
            self._others.tighten(patterns, by_class[patterns])
        return reduced_costs, taken

    @cached_property
    def _others(self) -> OtherCuts:
        """The inequalities of other rules: only where there are several sensitive columns."""
        problem, star = self.incidence.problem, self.incidence.scale * self.incidence.problem.unit
        return OtherCuts(problem, len(self.size), self.rule, star, is_star(problem, self.rule))

    @cached_property
    def _is_near(self) -> BoolArray:
        return np.ones(len(self.size), dtype=bool)

    @cached_property
    def _is_large(self) -> BoolArray:
        return np.zeros(len(self.size), dtype=bool)

    @cached_property
    def _rows(self) -> IntArray:
        """How many rows each pattern covers."""
        pool = self.incidence.pool
        return pool.covers.sums(self.incidence.problem.counts[pool.types])

    @cached_property
    def _max_size(self) -> int:
        classes = len(self.incidence.problem.sensitive_totals)
        return min(PARAMS.max_size, max(PARAMS.proof_size, PARAMS.max_table // classes if self._is_quick else 0))

    @property
    def _is_quick(self) -> bool:
        """Whether the sums of a proof fit into 64 bits at the largest size; larger integers take very long."""
        problem = self.incidence.problem
        unit = 1 if self._nested is None else self._nested.scale
        return 8 * PARAMS.max_size * problem.rows * unit * problem.highest_cost * self.incidence.scale < 2**63

    @cached_property
    def _nested(self) -> NestedShares | None:
        """The edges of the tree, unless all values are equally far apart."""
        problem = self.incidence.problem
        return None if is_star(problem, self.rule) else NestedShares.of(problem, self.rule)

    @cached_property
    def _every(self) -> LinearOracle:
        return LinearOracle.of(self.incidence, self._min_group_size)

    @cached_property
    def _large(self) -> LinearOracle:
        return LinearOracle.of(self.incidence, max(self._min_group_size, self._max_size + 1))

    @property
    def _min_group_size(self) -> int:
        return max(1, self.incidence.problem.rules.min_group_size)

    @property
    def _proof_size(self) -> int:
        return min(PARAMS.proof_size, self._max_size)

    @cached_property
    def _sorted(self) -> SortedCovers:
        return SortedCovers(self.incidence.covers)

    @cached_property
    def _groups(self) -> PerThread[SmallGroups]:
        return PerThread(self._new_groups)

    def _new_groups(self) -> SmallGroups:
        totals, rows = reference_of(self.incidence.problem, self.rule)
        covered = int(self.incidence.problem.counts.sum())
        members = Members(len(totals), self._max_size, covered)
        one_by_one = self._max_size
        if self._nested is None:
            groups = SizedGroups(members, totals, rows, self._allowed(rows))
        else:
            nested, order = self._nested, self._nested.order
            unit = nested.scale * rows
            allowed = np.array([nested.allowed(size) / unit for size in range(self._max_size + 1)])
            length = (nested.weight[order] / nested.scale).astype(np.float64)
            edges = nested.edges[order], length, nested.totals[order] / rows
            groups = NestedGroups(members, allowed, nested.leaves, *edges, self._others.slope, *self._pair())
            one_by_one = PARAMS.one_by_one
        return SmallGroups(self._sorted, groups, self._min_group_size, self.size, self.theta, one_by_one)

    def _pair(self) -> tuple[IntArray, IntArray]:
        """Return the least and largest numbers of rows of a second column's value for each size, and its classes."""
        pair = self._others.pair
        if pair is None:
            return np.zeros((0, 2), dtype=np.int64), np.zeros(2, dtype=np.int64)
        return np.array([pair.numbers(size) for size in range(self._max_size + 1)]), np.array(pair.classes)

    def _allowed(self, rows: int) -> FloatArray:
        """Return the excess that groups of each size may have."""
        t = self.rule.t
        return np.array([(t.numerator * rows * size // t.denominator) / rows for size in range(self._max_size + 1)])

    def evidence(self, multipliers: IntArray) -> Evidence:
        """Return the multipliers of row types, with the multipliers and trees of patterns that go with them.

        Inequalities for groups of all sizes are enough for most patterns. The others are proved size by size, up to the
        size from which on inequalities are enough.
        """
        active = self.incidence.active(multipliers)
        open_ = self._every.reduced_costs(multipliers, active, PARAMS.proof_rounds) < 0
        least, _ = self._of_every_size(multipliers, open_, np.zeros(len(open_)), everywhere=True)
        least = np.minimum(least, self._of_large(multipliers, open_ & self._is_large))
        least -= np.where(least < 0, PARAMS.slack * self.incidence.scale, 0)
        large = self._large_groups(multipliers, open_, least)
        least = np.minimum(least, large.values)
        by_size = self._proofs(multipliers, np.flatnonzero(open_), least, large.largest)
        shifted = np.flatnonzero(open_ & self._others.strength.any(axis=1))
        others = pattern_multipliers(self.incidence, shifted, self._others.alone(shifted))
        own = np.flatnonzero(open_ & (large.largest != self._proof_size))
        return Evidence(
            self.incidence.columns,
            multipliers,
            self.incidence.scale,
            self._proof_size,
            by_size.thetas(self.incidence, self.theta, open_),
            joined(self._every.multipliers(active & ~open_), others),
            joined(*large.proofs),
            by_size.trees(self.incidence),
            pattern_multipliers(self.incidence, own, large.largest[own][:, None]),
        )

    def _large_groups(self, multipliers: IntArray, wanted: BoolArray, least: FloatArray) -> LargeGroupsProof:
        """Find for every pattern a size, as small as can be, from which on an inequality proves the least."""
        largest, values = np.where(wanted, self._max_size, self._proof_size), np.zeros(len(wanted))
        proofs, left = [], wanted.copy()
        for size in (*(each for each in PARAMS.proof_sizes if each < self._max_size), self._max_size):
            left &= self._rows > size
            tails = self._tails(multipliers, left, size + 1)
            found = left & (tails.values >= least)
            if size == self._max_size:
                found = left & np.isfinite(tails.values)
                values[found] = tails.values[found]
            proofs.append(tails.multipliers(self.incidence, self._others, self._nested, found))
            largest[found] = size
            left &= ~found
        if left.any():
            values[left] = self._of_large(multipliers, left)[left]
            proofs.append(self._large.multipliers(left))
        return LargeGroupsProof(largest, values, proofs)

    def _tails(self, multipliers: IntArray, wanted: BoolArray, size: int) -> Tails:
        """Find inequalities for groups of a size or more; patterns that are not wanted have no such groups."""
        patterns, values = np.flatnonzero(wanted), np.zeros(len(wanted))
        width = len(self.incidence.problem.sensitive_totals if self._nested is None else self._nested.order)
        numbers = np.zeros((len(patterns), 2 + width))
        found = np.zeros(len(patterns))
        self._groups.mine.tails(patterns, multipliers, min(size, self._max_size), numbers, found)
        values[patterns] = np.minimum(found, 0)
        return Tails(patterns, numbers, values)

    def _proofs(self, multipliers: IntArray, patterns: IntArray, least: FloatArray, largest: IntArray) -> SizeProofs:
        """Find the thetas and trees that prove the least reduced costs of some patterns."""
        groups = self._groups.mine
        found = [(p, groups.proof(p, multipliers, least[p], largest[p])) for p in patterns.tolist()]
        return SizeProofs([(p, *each) for p, of_sizes in found for each in of_sizes])


@dataclass(frozen=True)
class LargeGroupsProof:
    """For every pattern the largest size that is proved by itself, and what inequalities prove of larger groups.

    ``values`` are lower bounds on their reduced costs where these are below what smaller groups have.
    """

    largest: IntArray
    values: FloatArray
    proofs: Sequence[PatternMultipliers]


@dataclass(frozen=True)
class Tails:
    """Inequalities for large groups under some patterns, and the reduced costs that they prove under every pattern."""

    patterns: IntArray
    numbers: FloatArray
    values: FloatArray

    def multipliers(
        self, incidence: Incidence, others: OtherCuts, nested: NestedShares | None, wanted: BoolArray
    ) -> PatternMultipliers:
        """Return them for the wanted patterns in the form of a proof: a number for every edge.

        With equal distances, what a row pays is half of that and half of theta.
        """
        rule, ground = others.without, others.without.ground
        if not isinstance(ground, TreeMetric):
            raise AssertionError("only trees have sizes")
        kept = wanted[self.patterns] & np.isfinite(self.values[self.patterns]) & (self.numbers[:, 1] > 0)
        size_multiplier, theta, paid = self.numbers[kept, 0], self.numbers[kept, 1], self.numbers[kept, 2:]
        edges = np.zeros((len(paid), len(ground.start))) - theta[:, None]
        if nested is None:
            of_values = np.zeros((len(paid), len(rule.reference)))
            of_values[:, incidence.problem.sensitive_values[:, rule.column]] = paid
            edges += 2 * of_values[:, ground.order[ground.start]]
        else:
            edges[:, nested.order] = paid
        patterns = self.patterns[kept]
        return pattern_multipliers(incidence, patterns, others.numbers(patterns, size_multiplier, edges))


@dataclass(frozen=True)
class SizeProofs:
    """For patterns and sizes a theta, or the nodes of a tree."""

    found: Sequence[tuple[int, int, int, IntArray | None]]

    def thetas(self, incidence: Incidence, theta: FloatArray, wanted: BoolArray) -> PatternMultipliers:
        """Return the thetas of wanted patterns, and those of single sizes."""
        patterns = np.flatnonzero(wanted & (theta > 0))
        single = [(p, size, each) for p, size, each, nodes in self.found if nodes is None]
        p, size, each = np.array(single, dtype=np.int64).reshape(-1, 3).T
        of_patterns = np.column_stack([np.zeros_like(patterns), np.rint(theta[patterns]).astype(np.int64)])
        numbers = np.vstack([of_patterns, np.column_stack([size, each])])
        return pattern_multipliers(incidence, np.concatenate([patterns, p]), numbers)

    def trees(self, incidence: Incidence) -> PatternTrees:
        """Return the trees."""
        divided = [(p, size, nodes) for p, size, _, nodes in self.found if nodes is not None]
        if not divided:
            return PatternTrees()
        numbers = np.array([(size, len(nodes)) for _, size, nodes in divided])
        patterns = pattern_multipliers(incidence, np.array([p for p, _, _ in divided]), numbers)
        nodes = np.concatenate([nodes for _, _, nodes in divided])
        value_of = incidence.problem.sensitive_values[:, 0]
        return PatternTrees(patterns, np.where(nodes < 0, nodes, value_of[np.maximum(nodes, 0)]))
