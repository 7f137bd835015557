"""Column generation against brute force."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from support.problems import drawn_problem, solved
from support.profiles import examples


@given(st.data())
@examples(400)
def test_multipliers_and_columns_agree_with_brute_force(data):
    problem = drawn_problem(data)
    optimum = solved("exhaustive", problem).partition.cost
    found = solved("exact", problem)
    assert found.partition.cost == found.bound.cost == optimum
