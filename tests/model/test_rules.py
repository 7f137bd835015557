"""Rules: the union of legal groups is legal."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kilt import InfeasibleError, Policy
from support.problems import problem_of
from support.profiles import examples
from support.strategies import policies, tables


@given(st.data())
@examples(150)
def test_union_of_legal_groups_is_legal(data):
    rows, quasi, sensitive = data.draw(tables(most_rows=12))
    policy = data.draw(policies(len(sensitive)))
    try:
        problem = problem_of(rows, quasi, sensitive, policy)
    except InfeasibleError:
        assume(False)
    side = data.draw(st.lists(st.integers(0, 2), min_size=len(problem.counts), max_size=len(problem.counts)))
    by_class = np.zeros((3, len(problem.sensitive_totals)), dtype=np.int64)
    np.add.at(by_class, (np.array(side), problem.sensitive_class), problem.counts)
    first, second = by_class[:1], by_class[1:2]
    if first.any() and second.any() and problem.rules.meets(problem.groups(by_class[:2])).all():
        assert problem.rules.meets(problem.groups(first + second))[0]


@pytest.mark.parametrize(
    ("l", "said"),
    [
        ("3", "the largest l that this table allows is 2.5 (2 as a whole number)"),
        ("2.75", "the largest l that this table allows is 2.5"),
    ],
)
def test_an_l_that_cannot_be_met_names_the_largest_that_can(l, said):
    rows = [("a", value) for value in "00112"]
    with pytest.raises(InfeasibleError) as raised:
        problem_of(rows, ["suppress"], ["equal"], Policy(l=l))
    assert str(raised.value).endswith(said)
    assert problem_of(rows, ["suppress"], ["equal"], Policy(l="2.5")).rows == 5
