"""Average closeness: the mutual information of group and sensitive value, which is what a release tells on average.

Over groups of N rows in a table of n rows, where a value has c rows of a group and R of the table, the average of the
Kullback-Leibler divergence of group and table is the sum of c/n log2(c n / (N R)). So n times the information is the
logarithm of n^n and all c^c over all N^N and R^R, which is compared in integers.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from kilt.model.powers import Powers, compare_with_one, logarithm, self_powers
from kilt.numbers import IntArray


@dataclass(frozen=True)
class Information:
    """The mutual information of group and value, in bits: the logarithm of a product of powers over the rows."""

    powers: Powers
    rows: int

    @classmethod
    def of(cls, counts: IntArray) -> Information:
        """Return what groups tell that are all of a release, given as counts of values (one row per group)."""
        return cls.of_parts(group_powers(counts), counts.sum(axis=0))

    @classmethod
    def of_parts(cls, groups: Counter[int], reference: IntArray) -> Information:
        """Return what groups tell, given their powers and how often each value occurs in the table."""
        powers, rows = Counter(groups), int(reference.sum())
        powers.update(self_powers(reference, -1))
        powers.update({rows: rows})
        return cls({base: exponent for base, exponent in powers.items() if exponent}, rows)

    def at_most(self, bits: Fraction) -> bool:
        """Decide whether it is at most so many bits, exactly."""
        powers = Counter({base: exponent * bits.denominator for base, exponent in self.powers.items()})
        powers.update({2: -bits.numerator * self.rows})
        return compare_with_one(powers) <= 0

    def bits(self) -> Fraction:
        """Return the information, exact if it is rational, else rounded up to 6 digits.

        It is rational if and only if nothing but a power of 2 is left of the product.
        """
        twos, odd = 0, Counter[int]()
        for base, exponent in self.powers.items():
            power = base & -base
            twos += exponent * (power.bit_length() - 1)
            odd[base // power] += exponent
        if compare_with_one(odd) == 0:
            return Fraction(twos, self.rows)
        steps = math.floor(float(logarithm(self.powers)[0]) / self.rows / math.log(2) * 10**6) - 1
        while not self.at_most(Fraction(steps, 10**6)):
            steps += 1
        return Fraction(steps, 10**6)


def group_powers(counts: IntArray) -> Counter[int]:
    """Return what groups, given as counts of values, add to the product: all c^c over all N^N."""
    powers = self_powers(counts)
    powers.update(self_powers(counts.sum(axis=1), -1))
    return powers
