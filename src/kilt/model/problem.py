"""The problem that solvers see: row types with counts, coded columns with ladders, and the rules."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from kilt.arrays.ragged import bucket
from kilt.errors import InputError
from kilt.model.ladders import CodedColumn, Encoding, Ladder
from kilt.model.measure import GRID
from kilt.model.policy import Policy, SensitiveColumn
from kilt.model.row_types import RowTypes, encode
from kilt.model.rules import ClosenessRule, Groups, Rules, SizeRule
from kilt.model.spaces import Space
from kilt.numbers import ROOM, BoolArray, IntArray

MOST_COST = 2**50  # sums of costs are exact in 64 bits, and in floats
DIGITS = "the weights of the columns have too many digits to count with: round them, or write fractions as 1/3"


@dataclass(frozen=True, eq=False)
class Problem:
    """A table under a policy, as integers. Costs are in units; ``unit`` of them make one star.

    ``credit`` stars are subtracted from the cost of any release: what rows would pay for being shown as they are, where
    a measure counts that in every label. ``type_of`` has the row type of each that was counted, where some of these
    never look different and are one here.
    """

    columns: tuple[CodedColumn, ...]
    codes: IntArray
    counts: IntArray
    sensitive: IntArray
    sizes: tuple[int, ...]
    rules: Rules
    credit: Fraction = Fraction(0)
    type_of: IntArray | None = None

    @classmethod
    def build(
        cls, types: RowTypes, ladders: Mapping[str, Ladder], spaces: Mapping[str, Space], policy: Policy
    ) -> Problem:
        """Code the row types under the ladders, bind the policy, and check that the table itself meets it."""
        return cls.of_encoded(types, encode(types, ladders), spaces, policy)

    @classmethod
    def of_encoded(
        cls, types: RowTypes, encodings: Sequence[Encoding], spaces: Mapping[str, Space], policy: Policy
    ) -> Problem:
        """Make the problem of row types whose quasi columns are coded."""
        coded = [e.codes[types.quasi_codes[:, i]] for i, e in enumerate(encodings)]
        codes = np.ascontiguousarray(np.hstack(coded), dtype=np.int32)
        first, type_of = np.arange(len(codes)), None
        if any(len(np.unique(e.codes, axis=0)) < len(e.codes) for e in encodings):
            first, type_of = _different(codes, types.sensitive_codes)
        named = zip(spaces.items(), types.sensitive, strict=True)
        sensitive = [SensitiveColumn(n, v, types.reference(i), s) for i, ((n, s), v) in enumerate(named)]
        problem = cls(
            columns=tuple(column for e in encodings for column in e.columns),
            codes=codes[first],
            counts=types.counts.astype(np.int64) if type_of is None else _totals(types.counts, type_of),
            sensitive=types.sensitive_codes[first],
            sizes=tuple(map(len, types.sensitive)),
            rules=policy.bind(sensitive),
            credit=sum((e.credit for e in encodings), Fraction(0)),
            type_of=type_of,
        )
        if problem.most_cost >= MOST_COST:
            raise InputError(_why_too_large(problem))
        problem.rules.require_feasible(problem.groups(problem.sensitive_totals[None, :]))
        return problem

    @property
    def rows(self) -> int:
        """The number of rows of the table."""
        return int(self.counts.sum())

    @cached_property
    def unit(self) -> int:
        """How many cost units make one star."""
        costs = {id(cost): cost for column in self.columns for level in column.costs for cost in level}
        return math.lcm(*{cost.denominator for cost in costs.values()})

    @cached_property
    def costs(self) -> tuple[IntArray, ...]:
        """For every coded column what a row pays, by level and code, in units: the cost of the label of the code."""
        return tuple(_in_units(column.costs, self.unit) for column in self.columns)

    def costs_at(self, column: int, level: int) -> IntArray:
        """Return what every row type pays in a column at a level, in units."""
        return np.asarray(self.costs[column][level][self.codes[:, column]])

    @cached_property
    def base(self) -> IntArray:
        """What a row of each type pays in every release, in units: nothing, where level 0 is the value itself."""
        return np.asarray(sum(self.costs_at(column, 0) for column in range(len(self.columns))))

    @cached_property
    def base_cost(self) -> int:
        """What all rows pay in every release, in units."""
        return int(self.counts @ self.base)

    @cached_property
    def highest_cost(self) -> int:
        """The most that a row can pay, in units."""
        return sum(int(cost[-1].max(initial=0)) for cost in self.costs)

    @cached_property
    def most_cost(self) -> int:
        """What it costs to hide everything, in units."""
        return sum(self._top_cost(column) for column in range(len(self.columns)))

    def _top_cost(self, column: int) -> int:
        """Return what it costs to hide a column, in integers that have room for any number."""
        costs, which = np.unique(self.costs_at(column, -1), return_inverse=True)
        rows = np.bincount(which, self.counts)
        return sum(int(cost) * int(number) for cost, number in zip(costs, rows, strict=True))

    def multiplier_scale(self, finest: int) -> int:
        """Return how many multipliers make a unit of cost: the finest, or as many as sums over all rows allow."""
        return max(1, min(finest, ROOM // (256 * max(1, self.most_cost))))

    @cached_property
    def sensitive_class(self) -> IntArray:
        """The sensitive class of every row type: row types agree on all sensitive columns iff it is equal."""
        return bucket(list(self.sensitive.T), len(self.counts)).ids()

    @cached_property
    def sensitive_totals(self) -> IntArray:
        """How many rows of the table are in each sensitive class."""
        return np.bincount(self.sensitive_class, weights=self.counts).astype(np.int64)

    @cached_property
    def sensitive_values(self) -> IntArray:
        """For every sensitive class its value in each sensitive column."""
        values = np.zeros((len(self.sensitive_totals), len(self.sizes)), dtype=np.int64)
        values[self.sensitive_class] = self.sensitive
        return values

    @cached_property
    def presolved(self) -> Problem:
        """The same problem, without sensitive columns if sizes are all that the rules ask for."""
        sizes = [rule.as_size() if isinstance(rule, ClosenessRule) else rule for rule in self.rules]
        if not self.sizes or self.rules.on_release or not all(isinstance(rule, SizeRule) for rule in sizes):
            return self
        size_rules = tuple(rule for rule in sizes if isinstance(rule, SizeRule))
        return replace(self, rules=Rules(size_rules), sensitive=self.sensitive[:, :0], sizes=())

    def groups(self, by_class: IntArray) -> Groups:
        """Return groups, given as counts per sensitive class, as the rules see them."""
        columns = range(len(self.sizes))
        return Groups(by_class.sum(axis=1), tuple(self._counts(by_class, column) for column in columns))

    def is_legal(self, by_class: IntArray) -> BoolArray:
        """Decide for groups, given as counts per sensitive class, whether they meet all rules."""
        return self.rules.meets(self.groups(by_class))

    def _counts(self, by_class: IntArray, column: int) -> IntArray:
        """Add up the sensitive classes that share a value of the column; with one column they mostly are the values.

        In a part of a table a value may be missing.
        """
        values, size = self.sensitive_values[:, column], self.sizes[column]
        if len(self.sizes) == 1 and len(values) == size:
            return by_class
        if len(np.unique(values)) < size:
            counts = np.zeros((len(by_class), size), dtype=by_class.dtype)
            np.add.at(counts.T, values, by_class.T)
            return counts
        order = np.argsort(values, kind="stable")
        starts = np.searchsorted(values[order], np.arange(size))
        return np.asarray(np.add.reduceat(by_class[:, order], starts, axis=1))

    def by_value(self, column: int, by_value: np.ndarray) -> np.ndarray:
        """Return numbers per value of a sensitive column by sensitive class."""
        return np.asarray(by_value[:, self.sensitive_values[:, column]])

    def part(self, types: IntArray, counts: IntArray) -> Problem:
        """Return the problem of some copies of some row types, under the same rules."""
        return replace(
            self, codes=self.codes[types], counts=counts, sensitive=self.sensitive[types], credit=Fraction(0)
        )

    def on(self, columns: Sequence[int]) -> Problem:
        """Return the problem of some of the columns: what a release costs in them is at least what this costs."""
        chosen, codes = tuple(self.columns[j] for j in columns), self.codes[:, list(columns)]
        return replace(self, columns=chosen, codes=codes, credit=Fraction(0))

    def stars(self, cost: int) -> Fraction:
        """Return the cost of all rows in stars."""
        return Fraction(cost, self.unit) - self.credit


def _why_too_large(problem: Problem) -> str:
    """Say why the costs of a problem are more than can be counted with: by weights, or by a nearly constant column."""
    dearest = max(range(len(problem.columns)), key=problem._top_cost)
    if problem.credit and problem.most_cost // problem.unit * GRID >= MOST_COST:
        return (
            f"'{problem.columns[dearest].name}' is nearly constant: by entropy its rare values cost more stars than "
            "can be counted with; choose the 'measure' loss, or leave the column out of 'quasi'"
        )
    return DIGITS


def _different(codes: IntArray, sensitive: IntArray) -> tuple[IntArray, IntArray]:
    """Return the first row type of each that looks different, in their order, and for every row type which it is."""
    alike = bucket([*codes.T, *sensitive.T], len(codes))
    order = np.argsort(alike.first, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return alike.first[order], rank[alike.ids()]


def _totals(counts: IntArray, type_of: IntArray) -> IntArray:
    totals = np.zeros(int(type_of.max()) + 1, dtype=np.int64)
    np.add.at(totals, type_of, counts)
    return totals


def _in_units(costs: Sequence[Sequence[Fraction]], unit: int) -> IntArray:
    """Return costs by level and code as whole numbers of units."""
    different = {id(cost): cost for level in costs for cost in level}  # many codes share one: fractions hash slowly
    whole = {key: cost.numerator * (unit // cost.denominator) for key, cost in different.items()}
    if max(whole.values(), default=0) >= MOST_COST:
        raise InputError(DIGITS)
    return np.array([[whole[id(cost)] for cost in level] for level in costs], dtype=np.int64)
