"""The program over patterns against brute force."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from support.problems import drawn_problem, solved


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_the_pattern_program_agrees_with_brute_force(data):
    problem = drawn_problem(data)
    optimum = solved("exhaustive", problem).partition.cost
    found = solved("milp", problem)
    assert found.partition.cost == found.bound.cost == optimum
