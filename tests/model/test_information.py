"""Average closeness: its decision and its figure agree with the definition, and merging never adds information."""

from __future__ import annotations

import math
from fractions import Fraction
from time import monotonic

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kilt.model.information import Information, group_powers
from support import naive
from support.profiles import examples

GROUP = st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(any)
TABLES = st.lists(GROUP, min_size=1, max_size=5)
BITS = st.one_of(st.fractions(0, 2, max_denominator=12), st.integers(0, 2).map(Fraction))


def in_floats(counts) -> float:
    """The average of the Kullback-Leibler divergence of group and table, in bits."""
    joint = np.array(counts) / np.sum(counts)
    expected = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    here = joint > 0
    return float((joint[here] * np.log2(joint[here] / expected[here])).sum())


@given(TABLES, BITS)
@examples(600)
def test_it_is_decided_as_integers_are(counts, bits):
    assert Information.of(np.array(counts)).at_most(bits) == naive.average(counts, bits)


@given(TABLES)
@examples(200)
def test_the_figure_is_the_least_that_is_met(counts):
    information = Information.of(np.array(counts))
    bits = information.bits()
    assert math.isclose(float(bits), in_floats(counts), abs_tol=2e-6)
    assert information.at_most(bits)
    assert not information.at_most(bits - Fraction(1, 10**6))


@given(TABLES.filter(lambda counts: len(counts) > 1), BITS, st.data())
@examples(200)
def test_merging_never_adds_information(counts, bits, data):
    first, second = data.draw(st.lists(st.integers(0, len(counts) - 1), min_size=2, max_size=2, unique=True))
    union = [a + b for a, b in zip(counts[first], counts[second], strict=True)]
    merged = [*(group for place, group in enumerate(counts) if place not in (first, second)), union]
    before, after = (Information.of(np.array(groups)) for groups in (counts, merged))
    assert after.bits() <= before.bits()
    assert after.at_most(bits) or not before.at_most(bits)
    assert Information.of(np.array([np.sum(counts, axis=0)])).bits() == 0


@given(TABLES, st.integers(1, 4))
@examples(100)
def test_blocks_add_up(counts, size):
    matrix = np.array(counts)
    powers = group_powers(matrix[:size])
    powers.update(group_powers(matrix[size:]))
    assert Information.of_parts(powers, matrix.sum(axis=0)) == Information.of(matrix)


def test_rational_information_is_exact():
    assert Information.of(np.array([[1, 0], [0, 1]])).bits() == 1
    assert Information.of(np.array([[4, 4, 0], [4, 0, 4]])).bits() == Fraction(1, 2)
    assert Information.of(np.array([[3, 6, 9], [5, 10, 15]])).bits() == 0
    assert Information.of(np.array([[2, 1], [1, 2]])).bits() == Fraction(81705, 10**6)  # rounded up


def test_ties_of_huge_counts_are_exact_and_fast():
    started = monotonic()
    shares = np.array([3, 5, 7, 11])
    proportional = Information.of(shares * np.arange(1, 1500)[:, None] * 10**6)
    assert proportional.at_most(Fraction(0))
    assert not Information.of(shares * np.arange(1, 1500)[:, None] * 10**6 + np.array([1, 0, 0, 0])).at_most(
        Fraction(0)
    )
    half = Information.of(np.array([[4, 4, 0], [4, 0, 4]]) * (10**15 + 37))
    assert half.at_most(Fraction(1, 2))
    assert not half.at_most(Fraction(1, 2) - Fraction(1, 10**60))
    assert monotonic() - started < 20
