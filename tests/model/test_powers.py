from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kilt.model.powers import compare_with_one, coprime_factors, is_one, self_powers
from support.profiles import examples

BASES = st.one_of(st.integers(1, 40), st.sampled_from([32771 * 32779, 32771**2, 32779 * 32783, 10**12]))
POWERS = st.dictionaries(BASES, st.integers(-6, 6), max_size=6)


def product(powers) -> Fraction:
    return math.prod((Fraction(base) ** exponent for base, exponent in powers.items()), start=Fraction(1))


@given(POWERS)
@examples(750)
def test_products_are_compared_as_integers_are(powers):
    exact = product(powers)
    assert compare_with_one(powers) == (exact > 1) - (exact < 1)
    assert is_one(powers) == (exact == 1)


@given(st.lists(st.tuples(BASES, BASES, st.integers(-9, 9)), min_size=1, max_size=5))
@examples(250)
def test_products_that_are_one_are_found(triples):
    powers = Counter()
    for first, second, exponent in triples:
        for base, sign in ((first * second, 1), (first, -1), (second, -1)):
            powers[base] += sign * exponent
    assert compare_with_one(powers) == 0
    powers[32771] += 1
    assert compare_with_one(powers) == 1


@given(st.lists(st.one_of(st.integers(1, 400), st.integers(1, 10**18)), max_size=6))
@examples(250)
def test_coprime_factors_have_nothing_in_common_and_make_up_the_numbers(numbers):
    factors = coprime_factors(numbers)
    assert all(math.gcd(a, b) == 1 for a, b in combinations(factors, 2))
    assert all(factor > 1 for factor in factors)
    for number in numbers:
        rest = number
        for factor in factors:
            while rest % factor == 0:
                rest //= factor
        assert rest == 1


def test_what_differs_far_behind_the_point_is_told_apart():
    large = 10**300
    assert compare_with_one({large + 1: 1, large: -1}) == 1
    assert compare_with_one({large + 1: -(10**6), large: 10**6}) == -1


def test_numbers_to_their_own_power():
    assert self_powers(np.array([3, 0, 1, 3]), -2) == {3: -12, 1: -2}
