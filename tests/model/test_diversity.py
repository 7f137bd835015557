from __future__ import annotations

import math
from fractions import Fraction
from time import monotonic

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilt import InputError
from kilt.model.diversity import Distinct, Entropy, Frequency, Recursive, entropy_reaches, parse_form, rational_l
from support import naive
from support.profiles import examples

COUNTS = st.lists(st.integers(0, 12), min_size=1, max_size=5).filter(any)
LS = st.one_of(st.integers(1, 6).map(Fraction), st.fractions(1, 6, max_denominator=7))
FORMS = [
    Frequency(),
    Distinct(),
    Entropy(),
    Recursive(Fraction(2)),
    Recursive(Fraction(1, 2)),
    Recursive(Fraction(3, 2)),
]


def slow(form, counts, l) -> bool:
    if isinstance(form, Recursive):
        return naive.recursive(counts, l, form.c)
    return {"frequency": naive.frequency, "distinct": naive.distinct, "entropy": naive.entropy}[form.name](counts, l)


@given(st.sampled_from(FORMS), st.lists(COUNTS, min_size=1, max_size=4), LS)
@examples(750)
def test_every_form_agrees_with_its_slow_twin(form, groups, l):
    l = Fraction(math.ceil(l)) if form.whole else l
    width = max(map(len, groups))
    matrix = np.array([[*g, *[0] * (width - len(g))] for g in groups])
    assert form.meets(matrix, l).tolist() == [slow(form, row.tolist(), l) for row in matrix]


@given(st.sampled_from(FORMS), st.lists(COUNTS, min_size=1, max_size=4))
@examples(500)
def test_the_largest_l_is_met_and_nothing_larger_is(form, groups):
    width = max(map(len, groups))
    matrix = np.array([[*g, *[0] * (width - len(g))] for g in groups])
    largest = form.largest(matrix)
    step = Fraction(1) if form.whole else Fraction(1, 10**6)
    if largest:
        assert all(slow(form, row.tolist(), largest) for row in matrix)
    assert not all(slow(form, row.tolist(), largest + step) for row in matrix)


@given(st.sampled_from(FORMS), COUNTS, COUNTS, LS)
@examples(750)
def test_the_union_of_two_legal_groups_is_legal(form, first, second, l):
    l = Fraction(math.ceil(l)) if form.whole else l
    width = max(len(first), len(second))
    a, b = (np.array([[*g, *[0] * (width - len(g))]]) for g in (first, second))
    if form.meets(a, l)[0] and form.meets(b, l)[0]:
        assert form.meets(a + b, l)[0]


def test_uniform_over_eight_values_has_entropy_l_of_exactly_eight():
    uniform = np.full((1, 8), 125_000)
    assert Entropy().largest(uniform) == 8
    assert Entropy().meets(uniform, Fraction(8))[0]
    assert not Entropy().meets(uniform, 8 + Fraction(1, 10**30))[0]


def test_entropy_of_large_groups_is_decided_beyond_floats():
    counts = [10**9, 10**9 - 1]
    assert not entropy_reaches(counts, Fraction(2))
    assert entropy_reaches(counts, 2 - Fraction(1, 10**17))


def test_dyadic_entropy_ties_are_exact():
    counts = [2**11, 2**10, 2**9, 2**9]  # entropy 7/4 bits, so l = 2^(7/4), which is irrational
    assert entropy_reaches(counts, Fraction(336, 100))
    assert not entropy_reaches(counts, Fraction(337, 100))
    assert Entropy().largest(np.array([counts])) == Fraction(3363585, 10**6)


@given(COUNTS)
@examples(500)
def test_the_largest_entropy_l_is_exact_if_it_is_rational(counts):
    present = [c for c in counts if c]
    size, product = sum(present), math.prod(c**c for c in present)
    root = next((root for root in range(1, size + 1) if root**size == product), None)
    expected = None if root is None else Fraction(size, root)
    assert rational_l(present) == expected
    if expected is not None:
        assert Entropy().largest(np.array([counts])) == expected


def test_rational_entropy_l_is_exact():
    assert Entropy().largest(np.array([[1, 1, 2, 2, 8]])) == Fraction(7, 2)
    assert Entropy().largest(np.array([[4, 4, 0, 0, 0], [1, 1, 2, 2, 8]])) == 2


def test_ties_of_a_million_rows_are_exact_and_fast():
    started = monotonic()
    counts = [2**16, *[1] * 2**16]  # the square root of N / 2 equally frequent values, in lowest terms
    l = Fraction(2**17, 2**8)
    assert rational_l(counts) == l
    assert entropy_reaches(counts, l)
    assert not entropy_reaches(counts, l + Fraction(1, 10**60))
    assert Entropy().meets(np.array([[1, 1, 2, 2, 8]]) * (10**6 + 3), Fraction(7, 2)).all()
    assert monotonic() - started < 5


def test_many_groups_with_a_tie_are_decided_at_once():
    groups = np.tile(np.array([[3, 3, 0], [0, 7, 7], [1, 0, 1]]), (20_000, 1))
    assert Entropy().meets(groups, Fraction(2)).all()
    assert Entropy().largest(groups) == 2


def test_recursive_sorts_from_the_most_frequent_down():
    counts = np.array([[6, 3, 2, 1]])
    assert Recursive(Fraction(2)).meets(counts, Fraction(3))[0] is np.False_  # 6 < 2 (2 + 1) fails
    assert Recursive(Fraction(2)).meets(counts, Fraction(2))[0]  # 6 < 2 (3 + 2 + 1)
    assert Recursive(Fraction(2)).largest(counts) == 2


def test_a_group_of_one_value_meets_no_recursive_l_at_c_1():
    assert Recursive(Fraction(1)).largest(np.array([[5, 0]])) == 0


@pytest.mark.parametrize(
    ("text", "why"), [("recursive", "needs a number c"), ("recursive:-1", "c > 0"), ("entropie", "entropy")]
)
def test_wrong_forms_are_named(text, why):
    with pytest.raises(InputError, match=why):
        parse_form(text)
