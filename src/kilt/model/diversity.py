"""The forms of l-diversity, each decided in integers on the counts of a group's sensitive values.

Every form is kept by unions of groups; ``docs/policy.md`` has the proofs.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np

from kilt.arrays.ragged import bucket
from kilt.errors import InputError, nearest
from kilt.model.powers import compare_with_one, logarithm, self_powers
from kilt.numbers import BoolArray, IntArray, exact_text, rational, widen


class Form(Protocol):
    """What it means for the counts of a group (one row per group) to be l-diverse."""

    @property
    def name(self) -> str:
        """The name that the command line uses."""

    @property
    def whole(self) -> bool:
        """Whether l counts something, so that it must be a whole number."""

    def meets(self, counts: IntArray, l: Fraction) -> BoolArray:
        """Decide for every group whether it is l-diverse."""

    def largest(self, counts: IntArray) -> Fraction:
        """Return the largest l that every group meets (0 if none)."""

    def cap(self, l: Fraction) -> Fraction | None:
        """Return a number c such that no value can have more than 1/c of the rows; None if there is none."""


@dataclass(frozen=True)
class Frequency:
    """At most a 1/l fraction of a group shares a sensitive value: the paper's reading."""

    name: str = "frequency"
    whole: bool = False

    def __str__(self) -> str:
        return self.name

    def meets(self, counts: IntArray, l: Fraction) -> BoolArray:
        """Decide l * (most frequent) <= size."""
        wide = widen(counts, int(counts.sum(initial=0)) * max(l.numerator, l.denominator))
        return np.asarray(wide.max(axis=1) * l.numerator <= wide.sum(axis=1) * l.denominator, dtype=bool)

    def largest(self, counts: IntArray) -> Fraction:
        """Return the smallest size / (most frequent)."""
        ratios = set(zip(counts.sum(axis=1).tolist(), counts.max(axis=1).tolist(), strict=True))
        return min((Fraction(size, most) for size, most in ratios if most), default=Fraction(0))

    def cap(self, l: Fraction) -> Fraction:
        """It is l itself."""
        return l


@dataclass(frozen=True)
class Distinct:
    """A group has at least l different sensitive values."""

    name: str = "distinct"
    whole: bool = True

    def __str__(self) -> str:
        return self.name

    def meets(self, counts: IntArray, l: Fraction) -> BoolArray:
        """Decide how many values are present."""
        return np.asarray((counts > 0).sum(axis=1) >= math.ceil(l), dtype=bool)

    def largest(self, counts: IntArray) -> Fraction:
        """Return the smallest number of values present."""
        return Fraction(int((counts > 0).sum(axis=1).min(initial=np.iinfo(np.int64).max)) if len(counts) else 0)

    def cap(self, l: Fraction) -> None:
        """One row of each other value is enough."""


@dataclass(frozen=True)
class Entropy:
    """The entropy of a group's sensitive values is at least log l."""

    name: str = "entropy"
    whole: bool = False

    def __str__(self) -> str:
        return self.name

    def meets(self, counts: IntArray, l: Fraction) -> BoolArray:
        """Decide by an interval around the float; what it leaves open is decided exactly."""
        entropy, error = _entropy(counts)
        margin = entropy - math.log(l.numerator) + math.log(l.denominator)
        decided = np.asarray(margin > 0, dtype=bool)
        open_ = np.flatnonzero(np.abs(margin) <= error + 1e-12)
        different, place = _different(counts[open_])
        decided[open_] = np.array([entropy_reaches(group, l) for group in different], dtype=bool)[place]
        return decided

    def largest(self, counts: IntArray) -> Fraction:
        """Return the smallest exp(entropy), exact if it is rational, else rounded down to 6 digits."""
        if not len(counts):
            return Fraction(0)
        entropy, error = _entropy(counts)
        lowest = float(entropy.min())
        close = counts[entropy <= lowest + 2 * float(error.max()) + 1e-9]
        for group in _different(close)[0]:
            exact = rational_l(group)
            if exact is not None and self.meets(close, exact).all():
                return exact
        l = Fraction(math.floor(math.exp(lowest) * 10**6) + 1, 10**6)
        while not self.meets(close, l).all():
            l -= Fraction(1, 10**6)
        return l

    def cap(self, l: Fraction) -> None:
        """There is one, but it is not rational."""


@dataclass(frozen=True)
class Recursive:
    """Recursive (c, l): with counts in descending order, r1 < c (r_l + r_(l+1) + ...)."""

    c: Fraction
    name: str = "recursive"
    whole: bool = True

    def __str__(self) -> str:
        return f"{self.name}:{exact_text(self.c)}"

    def meets(self, counts: IntArray, l: Fraction) -> BoolArray:
        """Decide whether the most frequent value stays below c times the tail."""
        descending = -np.sort(-counts, axis=1)
        tail = descending[:, math.ceil(l) - 1 :].sum(axis=1)
        room = int(counts.sum(initial=0)) * max(self.c.numerator, self.c.denominator)
        most, tail = widen(descending[:, 0], room), widen(tail, room)
        return np.asarray(most * self.c.denominator < tail * self.c.numerator, dtype=bool)

    def largest(self, counts: IntArray) -> Fraction:
        """Return the largest l for this c: tails shrink as l grows, so the lengths that pass are 1 to l."""
        descending = -np.sort(-counts, axis=1)
        tails = np.cumsum(descending[:, ::-1], axis=1)[:, ::-1]
        room = int(counts.sum(initial=0)) * max(self.c.numerator, self.c.denominator)
        most, tails = widen(descending[:, :1], room), widen(tails, room)
        passing = np.asarray(most * self.c.denominator < tails * self.c.numerator, dtype=bool)
        return Fraction(int(passing.sum(axis=1).min()) if len(counts) else 0)

    def cap(self, l: Fraction) -> Fraction:
        """The tail has all rows but the first l - 1 values': r1 < c (N - r1) if l is above 1, else r1 < c N."""
        return 1 / self.c + (1 if l > 1 else 0)


def entropy_reaches(counts: list[int], l: Fraction) -> bool:
    """Decide entropy >= log l exactly: N^N >= l^N * product of c^c, for counts that are not 0."""
    return compare_with_one(_excess(counts, l)) >= 0


def rational_l(counts: list[int]) -> Fraction | None:
    """Return exp(entropy) if it is rational, and None if it is not.

    It is N over the N-th root of the product of c^c. A root of an integer is rational only if it is an integer itself.
    """
    divisor = math.gcd(*counts)
    counts = [c // divisor for c in counts]
    size = max(1, sum(counts))
    root = round((logarithm(self_powers(np.array(counts)))[0] / size).exp())
    l = Fraction(size, root)
    return l if compare_with_one(_excess(counts, l)) == 0 else None


def _excess(counts: list[int], l: Fraction) -> Counter[int]:
    """Return N^N / (l^N * product of c^c), with N and the counts in lowest terms: common factors cancel."""
    divisor = math.gcd(*counts)
    lowest = np.array([c // divisor for c in counts])
    size = int(lowest.sum())
    powers = self_powers(lowest, -1)
    for base, exponent in ((size, size), (l.denominator, size), (l.numerator, -size)):
        powers[base] += exponent
    return powers


def _different(counts: IntArray) -> tuple[list[list[int]], IntArray]:
    """Return the different groups, each as its counts that are not 0 in order; and for every group which one it is."""
    ordered = np.sort(counts, axis=1)
    if len(ordered) == 1:  # a table as one group may have very many values
        return [[c for c in ordered[0].tolist() if c]], np.zeros(1, dtype=np.int64)
    alike = bucket(list(ordered.T), len(ordered))
    return [[c for c in group if c] for group in ordered[alike.first].tolist()], alike.ids()


def _entropy(counts: IntArray) -> tuple[np.ndarray, np.ndarray]:
    """Return the entropy of every group in nats, and a bound on the rounding error."""
    as_float = counts.astype(np.float64)
    size = as_float.sum(axis=1)
    inside = as_float * np.log(np.maximum(as_float, 1.0))
    log_size = np.log(np.maximum(size, 1.0))
    entropy = log_size - inside.sum(axis=1) / np.maximum(size, 1.0)
    return entropy, 1e-15 * (counts.shape[1] + 16) * (log_size + 1)


def parse_form(text: str) -> Form:
    """Read a form as the command line writes it: frequency, distinct, entropy or recursive:C."""
    name, _, argument = text.partition(":")
    if name in FORMS and not argument:
        return FORMS[name]
    if name == "recursive":
        try:
            c = rational(argument)
        except (ValueError, ZeroDivisionError):
            c = Fraction(0)
        if c <= 0:
            raise InputError("diversity 'recursive' needs a number c > 0, as in recursive:2")
        return Recursive(c)
    raise InputError(f"'{text}' is not a form of l-diversity: {nearest(text, [*FORMS, 'recursive:C'])}")


FORMS: dict[str, Form] = {"frequency": Frequency(), "distinct": Distinct(), "entropy": Entropy()}
