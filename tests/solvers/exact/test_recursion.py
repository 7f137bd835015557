"""The paper's recursion against brute force."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kilt.solvers.exact.recursion import Recursion
from support.problems import drawn_problem, solved
from support.profiles import examples


@given(st.data())
@examples(150)
def test_the_papers_recursion_agrees_whatever_its_base(data):
    problem = drawn_problem(data, most_rows=7)
    optimum = solved("exhaustive", problem).partition.cost
    for base in (2, 4, 10):
        assert solved(Recursion(base=base), problem).partition.cost == optimum
