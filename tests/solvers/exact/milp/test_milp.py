"""The program over patterns against brute force."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from support.problems import drawn_problem, solved
from support.profiles import examples


@given(st.data())
@examples(150)
def test_the_pattern_program_agrees_with_brute_force(data):
    problem = drawn_problem(data)
    optimum = solved("exhaustive", problem).partition.cost
    found = solved("milp", problem)
    assert found.partition.cost == found.bound.cost == optimum
