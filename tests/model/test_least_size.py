"""The least size that closeness asks for, against all groups of every size."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kilt import EqualDistance, Numeric, Ordered, Policy, TCloseness
from kilt.model.policy import SensitiveColumn
from kilt.model.rules import Groups
from support.profiles import examples

SPACES = {"equal": EqualDistance(), "ordered": Ordered(), "numeric": Numeric()}


def compositions(size, values):
    """Return all counts of some values with this sum."""
    if values == 1:
        return [(size,)]
    return [(first, *rest) for first in range(size + 1) for rest in compositions(size - first, values - 1)]


@given(
    st.lists(st.integers(1, 9), min_size=1, max_size=4),
    st.fractions(0, 1, max_denominator=12),
    st.sampled_from(sorted(SPACES)),
)
@examples(200)
def test_no_smaller_group_is_legal_and_where_all_are_equally_far_one_of_that_size_is(reference, t, space):
    column = SensitiveColumn("s", [str(i) for i in range(len(reference))], np.array(reference), SPACES[space])
    rules = Policy(TCloseness(t)).bind([column])
    (rule,) = rules
    smallest = next(
        size for size in range(1, sum(reference) + 1) if rule.meets(_groups(compositions(size, len(reference)))).any()
    )
    assert rule.least_size <= smallest
    if space == "equal":
        assert rule.least_size == smallest
    assert rules.min_group_size == rule.least_size


def _groups(counts):
    table = np.array(counts, dtype=np.int64)
    return Groups(table.sum(axis=1), (table,))


def test_k_and_closeness_together_ask_for_the_larger_size():
    column = SensitiveColumn("s", list("ab"), np.array([3, 1]), EqualDistance())
    assert Policy(k=2, t=Fraction(1, 5)).bind([column]).min_group_size == 3
    assert Policy(k=7, t=Fraction(1, 5)).bind([column]).min_group_size == 7
