"""Least reduced costs of legal groups, rounded down: groups of single sizes close to the shares of the table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kilt.arrays.ragged import Ragged
from kilt.certificates.proof.evidence import Evidence
from kilt.certificates.proof.linear import stored
from kilt.certificates.proof.patterns import ProofPatterns, starts_of
from kilt.errors import InputError
from kilt.model.problem import Problem
from kilt.model.rules import ClosenessRule
from kilt.model.spaces import TreeMetric
from kilt.numbers import BoolArray, IntArray, max_abs, widen

WIDTHS = (32, 64, 128, 256, 512, 1 << 62)  # patterns with about as many rows are processed together


class SizeProof:
    """Groups of single sizes close to the shares of the table, for equal distances of more than two values.

    A group of N rows may have R N / n rows of a value with R of the table's n rows; all above that is excess, the row
    that crosses the line in part, and the excess is at most t N. So for any theta the reduced cost of a group is at
    least that of the N cheapest rows, where a row pays theta times its excess, less theta t N. A size is left out if no
    N rows have little enough excess.
    """

    def __init__(self, problem: Problem, rule: ClosenessRule, evidence: Evidence) -> None:
        self.problem, self.rule = problem, rule
        self.size_multipliers, self.largest = evidence.size_multipliers, min(evidence.largest, problem.rows)
        self.excess = [self._excess(size) for size in range(self.largest + 1)]

    @classmethod
    def of(cls, problem: Problem, evidence: Evidence) -> SizeProof:
        """Find the rule, and check that single sizes can be proved under it."""
        rule = sized_rule(problem)
        if rule is None:
            raise InputError("groups can be proved size by size only for one sensitive column with equal distances")
        numbers = evidence.size_multipliers.numbers
        if len(numbers) and (numbers.shape[1] != 2 or numbers[:, 0].min() < 0):
            raise InputError("the proof does not have a theta for every size that it names")
        return cls(problem, rule, evidence)

    def least(self, patterns: ProofPatterns) -> IntArray:
        """Return for every pattern a lower bound on the reduced cost of a legal group of up to the largest size."""
        units = self._units(patterns)
        reduced_cost = np.zeros(len(patterns), dtype=np.int64)
        first, numbers = self.size_multipliers.under(patterns.levels)
        place = {int(f): i for i, f in enumerate(patterns.first)}
        theta = np.zeros((len(reduced_cost), self.largest + 1), dtype=np.int64)
        for f, (size, each) in sorted(zip(first.tolist(), numbers.tolist(), strict=True), key=lambda e: e[1][0]):
            if f in place and size <= self.largest:
                theta[place[f], size if size else slice(None)] = max(0, each)
        for width in WIDTHS:
            chosen = np.flatnonzero((units.widths <= width) & (units.widths > 0))
            if len(chosen):
                reduced_cost = stored(reduced_cost, chosen, self._of_lines(units.lines(chosen), theta[chosen]))
                units.widths[chosen] = 0
        return reduced_cost

    def _units(self, patterns: ProofPatterns) -> _Units:
        """Expand row types into rows, no more of a value than the largest size."""
        classes = len(self.problem.sensitive_totals)
        slot = patterns.owner * classes + self.problem.sensitive_class[patterns.types]
        by_class = np.argsort(slot, kind="stable")
        counts = patterns.counts[by_class]
        before = Ragged(by_class, starts_of(slot[by_class])).before(counts)
        number = np.minimum(counts, np.maximum(self.largest - before, 0))
        entry = np.repeat(by_class, number)
        rank = np.repeat(before, number) + np.arange(len(entry))
        rank -= np.repeat(np.cumsum(number) - number, number)
        back = np.lexsort((patterns.reduced_costs[entry], patterns.owner[entry]))
        entry, rank = entry[back], rank[back]
        widths = np.bincount(patterns.owner[entry], minlength=len(patterns))
        place = self.problem.sensitive_class[patterns.types[entry]] * (self.largest + 1) + rank
        return _Units(widths, patterns.reduced_costs[entry], place)

    def _of_lines(self, lines: _Lines, theta: IntArray) -> IntArray:
        """Bound all sizes, for patterns whose rows are in the lines of a matrix, cheap ones first."""
        rows, largest = self.problem.rows, max_abs(lines.reduced_costs)
        sums = np.cumsum(np.where(lines.inside, lines.reduced_costs, 0), axis=1)
        least = np.zeros(len(sums), dtype=np.int64)
        for size in range(max(1, self.problem.rules.min_group_size), min(self.largest, sums.shape[1]) + 1):
            open_ = np.flatnonzero(lines.inside[:, size - 1] & (sums[:, size - 1] < least))
            if not len(open_):
                continue
            excess, allowed = self.excess[size]
            here = excess[lines.place[open_]]
            most = (largest + int(theta[open_, size].max())) * rows * size * 4
            each_theta = widen(theta[open_, size], most)
            each = lines.reduced_costs[open_] * rows + each_theta[:, None] * here
            total = _cheapest(each, lines.inside[open_], size) - each_theta * allowed
            low = np.flatnonzero(total // rows < least[open_])
            if not len(low):
                continue
            legal = _cheapest(here[low], lines.inside[open_[low]], size) <= allowed
            least = stored(least, open_[low[legal]], (total // rows)[low[legal]])
        return least

    def _excess(self, size: int) -> tuple[IntArray, int]:
        """Return for every value and rank the excess of a row, and how much there may be, in n-th parts of a row."""
        rows, reference = self.problem.rows, self.problem.sensitive_totals
        free = reference * size // rows
        ranks = np.arange(self.largest + 1)
        crossing = ((free + 1) * rows - reference * size)[:, None]
        excess = np.where(ranks < free[:, None], 0, np.where(ranks == free[:, None], crossing, rows))
        return excess.ravel(), self.rule.t.numerator * rows * size // self.rule.t.denominator


@dataclass
class _Units:
    """Rows by pattern, cheap ones first: their number in each, their reduced costs, their place (value and rank)."""

    widths: IntArray
    reduced_costs: IntArray
    place: IntArray

    def __post_init__(self) -> None:
        self.begin = np.cumsum(self.widths) - self.widths

    def lines(self, chosen: IntArray) -> _Lines:
        """Return the rows of some patterns as lines of a matrix."""
        widths = self.widths[chosen]
        column = np.arange(int(widths.max()))
        inside = column < widths[:, None]
        at = np.where(inside, self.begin[chosen][:, None] + column, 0)
        return _Lines(inside, self.reduced_costs[at], self.place[at])


@dataclass(frozen=True)
class _Lines:
    """Rows of patterns as lines of a matrix; what is not ``inside`` is not a row."""

    inside: BoolArray
    reduced_costs: IntArray
    place: IntArray


def _cheapest(each: IntArray, inside: BoolArray, number: int) -> IntArray:
    """Add up the least numbers inside each line."""
    far = int(each.max(initial=0)) + 1
    return np.asarray(np.partition(np.where(inside, each, far), number - 1, axis=1)[:, :number].sum(axis=1))


def sized_rule(problem: Problem) -> ClosenessRule | None:
    """Return the rule under which groups can be proved size by size: closeness of one column, all equally far."""
    rules = [rule for rule in problem.rules if isinstance(rule, ClosenessRule)]
    if len(rules) != 1 or len(problem.sizes) != 1 or not isinstance(rules[0].ground, TreeMetric):
        return None
    ground = rules[0].ground
    star = len(ground.start) == len(ground.order) and bool((ground.stop - ground.start == 1).all())
    return rules[0] if star and bool((2 * ground.weight == ground.scale).all()) else None
