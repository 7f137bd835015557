"""Products of powers of integers, compared with 1 exactly: what entropy and mutual information come down to.

A product is a mapping from its bases, which are positive integers, to their exponents, which may be negative.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from decimal import Decimal, localcontext
from functools import cache
from typing import TypeAlias

import numpy as np

from kilt.numbers import ROOM, IntArray

Powers: TypeAlias = Mapping[int, int]
FIRST_DIGITS = 40  # what these cannot tell from 1 is 1 in almost every case
MAX_PRIME = 2**15


def self_powers(numbers: IntArray, exponent: int = 1) -> Counter[int]:
    """Return the product of x^x over the numbers that are not 0, to a power."""
    values, times = np.unique(numbers[numbers > 0], return_counts=True)
    pairs = zip(values.tolist(), times.tolist(), strict=True)
    return Counter({value: value * many * exponent for value, many in pairs})


def compare_with_one(powers: Powers) -> int:
    """Return 1 if the product is above 1, 0 if it is 1, and -1 if it is below.

    Its logarithm is computed with more and more digits until it is clear. That would never end for 1 itself, so where
    the first digits are not enough, the exponents decide whether it is that.
    """
    powers = {base: exponent for base, exponent in powers.items() if exponent}
    digits = FIRST_DIGITS
    while True:
        total, error = logarithm(powers, digits)
        if abs(total) > error:
            return 1 if total > 0 else -1
        if digits == FIRST_DIGITS and is_one(powers):
            return 0
        digits *= 2


def logarithm(powers: Powers, digits: int = FIRST_DIGITS) -> tuple[Decimal, Decimal]:
    """Return the natural logarithm of the product, and a bound on its rounding error."""
    with localcontext() as context:
        context.prec = digits
        terms = [Decimal(exponent) * Decimal(base).ln() for base, exponent in powers.items()]
        size = sum(map(abs, terms), Decimal(1))
        return sum(terms, Decimal(0)), size * (len(terms) + 8) * Decimal(10) ** (2 - digits)


def is_one(powers: Powers) -> bool:
    """Decide whether the product is 1: over factors of which no two have a common one, all exponents must be 0.

    The small primes are such factors. Counts are mostly products of these and at most one more prime, so that nothing
    is left of a product that is 1; what is left of larger numbers is split further.
    """
    exponents: Counter[int] = Counter()
    for base, exponent in powers.items():
        rest = base
        for prime in _small_primes_of(base):
            times = _multiplicity(prime, base)
            exponents[prime] += times * exponent
            rest //= prime**times
        exponents[rest] += exponent
    left = {base: exponent for base, exponent in exponents.items() if base > 1 and exponent}
    return all(
        sum(exponent * _multiplicity(factor, base) for base, exponent in left.items()) == 0
        for factor in coprime_factors(left)
    )


def coprime_factors(numbers: Iterable[int]) -> list[int]:
    """Return integers above 1, no two with a common factor, of which all these numbers are products.

    A pair with the common factor g is replaced by g and what g leaves of both. That makes the product of all numbers
    smaller, so it ends. Numbers need not be factored into primes, so they may be large.
    """
    found: list[int] = []
    waiting = list(numbers)
    while waiting:
        number = waiting.pop()
        for place, other in enumerate(found):
            common = math.gcd(number, other)
            if common > 1:
                del found[place]
                waiting += [common, number // common, other // common]
                break
        else:
            found += [number] if number > 1 else []
    return found


def _small_primes_of(number: int) -> list[int]:
    """Return the small primes that divide a number."""
    primes = _small_primes() if number < ROOM else _small_primes().astype(object)
    return [int(prime) for prime in primes[number % primes == 0]]


@cache
def _small_primes() -> IntArray:
    """Return the primes below 2^15: what they leave of a number below 2^30 is a prime, or 1."""
    is_prime = np.ones(MAX_PRIME, dtype=bool)
    is_prime[:2] = False
    for number in range(2, math.isqrt(MAX_PRIME) + 1):
        is_prime[number * number :: number] &= not is_prime[number]
    return np.flatnonzero(is_prime)


def _multiplicity(factor: int, number: int) -> int:
    """Return how often a factor divides a number."""
    times = 0
    while number % factor == 0:
        number //= factor
        times += 1
    return times
