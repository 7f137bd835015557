"""A policy on a given table: rules that decide in integers whether groups are legal."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Protocol

import numpy as np

from kilt.errors import InfeasibleError
from kilt.model.diversity import Form, Frequency
from kilt.model.information import Information
from kilt.model.spaces import GroundDistance
from kilt.numbers import BoolArray, FloatArray, IntArray, decimal_text, exact_text, pluralize, widen

MAX_LEAST_SIZE = 1_000  # sizes that are tried to find the least that can be legal under closeness


@dataclass(frozen=True)
class Groups:
    """Groups as the policy sees them: sizes, and for every sensitive column the counts of its values."""

    sizes: IntArray
    counts: tuple[IntArray, ...]

    def __len__(self) -> int:
        return len(self.sizes)


class Rule(Protocol):
    """One principle, on one sensitive column if it is about one."""

    @property
    def column(self) -> int | None:
        """The index of the sensitive column, or None."""

    def meets(self, groups: Groups) -> BoolArray:
        """Decide for every group, exactly."""

    def pressure(self, groups: Groups) -> FloatArray | None:
        """Return for every group and value how much one row less would help; it only guides a search."""

    def possible(self, present: BoolArray) -> BoolArray:
        """Decide for sets of values (one row each) a necessary condition for a legal group with these values only."""

    def infeasible(self, table: Groups) -> str:
        """Say why the table as a whole does not meet this, and what it allows."""

    def __str__(self) -> str:
        """Name the rule as the user gave it."""


@dataclass(frozen=True)
class SizeRule:
    """At least k rows."""

    k: int
    column: None = None

    def meets(self, groups: Groups) -> BoolArray:
        """Decide size >= k."""
        return np.asarray(groups.sizes >= self.k, dtype=bool)

    def pressure(self, groups: Groups) -> None:  # noqa: ARG002 - fewer rows never help
        """Return nothing: no row less makes a group larger."""
        return

    def possible(self, present: BoolArray) -> BoolArray:
        """Any values will do."""
        return np.ones(len(present), dtype=bool)

    def infeasible(self, table: Groups) -> str:
        """Say how many rows there are."""
        rows = int(table.sizes[0])
        return (
            f"k={self.k} cannot be met: the table has {pluralize(rows, 'row')}; the largest k that it allows is {rows}"
        )

    def __str__(self) -> str:
        return f"k={self.k}"


@dataclass(frozen=True)
class DiversityRule:
    """l-diversity of one column, in one form."""

    l: Fraction
    form: Form
    column: int
    name: str
    values: int

    def meets(self, groups: Groups) -> BoolArray:
        """Decide as the form does."""
        return self.form.meets(groups.counts[self.column], self.l)

    def pressure(self, groups: Groups) -> FloatArray:
        """Return the counts: the most frequent value is what breaks diversity."""
        return groups.counts[self.column].astype(np.float64)

    def possible(self, present: BoolArray) -> BoolArray:
        """Every form needs l different values at least."""
        return np.asarray(present.sum(axis=1) >= math.ceil(self.l))

    def infeasible(self, table: Groups) -> str:
        """Say what share the most frequent value has, or how many values there are."""
        counts = table.counts[self.column]
        largest = self.form.largest(counts)
        whole = f" ({math.floor(largest)} as a whole number)" if self.l.denominator == 1 != largest.denominator else ""
        if isinstance(self.form, Frequency):
            share = 100 * int(counts[0].max()) / int(table.sizes[0])
            why = f"{share:.3g}% of the rows share a value of '{self.name}'"
        else:
            why = f"'{self.name}' has {pluralize(int((counts[0] > 0).sum()), 'different value')}"
        return f"{self} cannot be met: {why}; the largest l that this table allows is {decimal_text(largest)}{whole}"

    def __str__(self) -> str:
        form = "" if isinstance(self.form, Frequency) else f" ({self.form})"
        return f"l={decimal_text(self.l)}{form} on '{self.name}'"


@dataclass(frozen=True)
class ClosenessRule:
    """t-closeness of one column: the earth mover's distance to the whole table is at most t."""

    t: Fraction
    ground: GroundDistance
    reference: IntArray
    column: int
    name: str

    def meets(self, groups: Groups) -> BoolArray:
        """Decide work / (scale n N) <= t in integers: by the bounds where they can, else by the work itself."""
        counts = groups.counts[self.column]
        difference, whole = differences(counts, self.reference), whole_of(counts, self.reference, self.ground)
        low, high = self.ground.bounds(difference)
        legal = self._within(high, whole)
        open_ = np.flatnonzero(~legal & self._within(low, whole))
        if len(open_):
            legal[open_] = self._within(self.ground.work(difference[open_]), whole[open_])
        return legal

    def _within(self, work: IntArray, whole: IntArray) -> BoolArray:
        a, b = self.t.numerator, self.t.denominator
        room = max(int(whole.max(initial=0)), int(work.max(initial=0))) * max(a, b)
        return np.asarray(widen(work, room) * b <= widen(whole, room) * a, dtype=bool)

    def as_size(self) -> SizeRule | None:
        """Return the size that this asks for, if every value is that of one row, and all are equally far apart.

        A group of r of n rows is then at distance 1 - r/n from the table.
        """
        if self.ground.least < self.ground.scale or (self.reference != 1).any():
            return None
        return SizeRule(max(1, math.ceil((1 - self.t) * len(self.reference))))

    @cached_property
    def least_size(self) -> int:
        """A size below which no group is legal: its shares are too coarse to be close to those of the table.

        The distance is at least the least one times what the group has too much of, in shares. Of all groups of a size,
        one whose counts are the shares of the table, rounded by largest remainders, has the least too much.
        """
        rows, nearest = int(self.reference.sum()), self.ground.least
        for size in range(1, min(rows, MAX_LEAST_SIZE) + 1):
            shares = widen(self.reference, rows * size) * size
            remainders = np.sort(shares % rows)[::-1]
            missing = size - int((shares // rows).sum())
            too_much = sum((rows - remainders[:missing]).tolist())
            if too_much * nearest * self.t.denominator <= size * rows * self.ground.scale * self.t.numerator:
                return size
        return min(rows, MAX_LEAST_SIZE)

    def pressure(self, groups: Groups) -> FloatArray:
        """Return the slope of the distance, and among equal slopes the share of the table's rows."""
        counts = groups.counts[self.column]
        share = counts / np.maximum(self.reference, 1)
        slope = self.ground.pressure(differences(counts, self.reference))
        return np.asarray(slope + 1e-3 * share / np.maximum(share.max(axis=1, keepdims=True), 1e-300))

    def possible(self, present: BoolArray) -> BoolArray:
        """The share of the absent values must travel at least the least distance (1 if all are equally far)."""
        absent = (~present).astype(np.int64) @ self.reference
        nearest = self.ground.least
        rows = int(self.reference.sum())
        room = rows * max(self.ground.scale * self.t.numerator, nearest * self.t.denominator)
        travel = widen(absent, room) * (nearest * self.t.denominator)
        return np.asarray(travel <= rows * self.ground.scale * self.t.numerator, dtype=bool)

    def infeasible(self, table: Groups) -> str:  # pragma: no cover - the table has distance 0 to itself
        """Say what cannot happen: the whole table is at distance 0 from itself."""
        raise AssertionError(f"{self} fails on the table itself ({len(table)} group)")

    def __str__(self) -> str:
        return f"t={exact_text(self.t)} on '{self.name}'"


@dataclass(frozen=True)
class AverageRule:
    """Average t-closeness of one column, a rule on the release as a whole: group and value share at most t bits.

    Merging groups never adds information, and all rows in one group have none. So it can always be met.
    """

    t: Fraction
    column: int
    name: str

    def meets(self, release: Groups) -> bool:
        """Decide for groups that are all of a release, exactly."""
        return self.allows(Information.of(release.counts[self.column]))

    def allows(self, information: Information) -> bool:
        """Decide for what a release tells of the column."""
        return information.at_most(self.t)

    def __str__(self) -> str:
        return f"average t={exact_text(self.t)} on '{self.name}'"


@dataclass(frozen=True)
class Rules:
    """All rules of a policy on a table; a group is legal if it meets every one.

    A release is accepted if all its groups are legal, and if it meets the rules that are ``on_release`` as a whole.
    """

    rules: tuple[Rule, ...]
    on_release: tuple[AverageRule, ...] = ()

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def meets(self, groups: Groups) -> BoolArray:
        """Decide for every group whether it is legal."""
        legal = np.ones(len(groups), dtype=bool)
        for rule in self.rules:
            legal &= rule.meets(groups)
        return legal

    def accepts(self, release: Groups) -> bool:
        """Decide for legal groups that are all of a release whether they may be released."""
        return all(rule.meets(release) for rule in self.on_release)

    @cached_property
    def min_group_size(self) -> int:
        """A size below which no group is legal."""
        sizes = [rule.k for rule in self.rules if isinstance(rule, SizeRule)]
        return max([1, *sizes, *(rule.least_size for rule in self.rules if isinstance(rule, ClosenessRule))])

    @property
    def is_k_anonymity(self) -> bool:
        """Whether they ask for nothing but a size: k-anonymity."""
        return all(isinstance(rule, SizeRule) for rule in self.rules)

    def require_feasible(self, table: Groups) -> None:
        """Raise unless the table as one group is legal: by the union property, nothing else is then."""
        broken = [rule.infeasible(table) for rule in self.rules if not rule.meets(table).all()]
        if broken:
            close = any(isinstance(rule, ClosenessRule) for rule in self.rules)
            raise InfeasibleError("; ".join(broken) + ("; the smallest t that it allows is 0" if close else ""))


def differences(counts: IntArray, reference: IntArray) -> IntArray:
    """Return n * count - N * reference for groups of N rows in a table of n rows."""
    rows, sizes = int(reference.sum()), counts.sum(axis=1)
    room = 2 * rows * int(sizes.max(initial=0))
    return np.asarray(rows * widen(counts, room) - widen(sizes, room)[:, None] * widen(reference, room))


def work_of(counts: IntArray, reference: IntArray, ground: GroundDistance) -> tuple[IntArray, IntArray]:
    """Return the work of every group and the work that would be a distance of 1, as integers."""
    return ground.work(differences(counts, reference)), whole_of(counts, reference, ground)


def whole_of(counts: IntArray, reference: IntArray, ground: GroundDistance) -> IntArray:
    """Return for every group the work that would be a distance of 1."""
    rows, sizes = int(reference.sum()), counts.sum(axis=1)
    return np.asarray(widen(sizes, ground.scale * rows * int(sizes.max(initial=0))) * (ground.scale * rows))
