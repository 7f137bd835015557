"""The paper's program as it stands, against brute force and against kilt's smaller one."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import paper_program
from kilt import Policy
from support.problems import problem_of, solved
from support.profiles import examples
from support.strategies import SPACES


@given(st.data())
@examples(75)
def test_the_papers_program_agrees_with_brute_force_and_with_the_smaller_one(data):
    columns = data.draw(st.integers(1, 3))
    row = st.tuples(*[st.sampled_from("abc")] * columns, st.sampled_from("0123"))
    rows = data.draw(st.lists(row, min_size=1, max_size=8))
    space = data.draw(st.sampled_from(sorted(SPACES)))
    policy = Policy(t=data.draw(st.sampled_from(["0", "0.1", "0.25", "1/3", "0.5", "0.8", "1"])))
    problem = problem_of(rows, ["suppress"] * columns, [space], policy)
    answer = paper_program.solve(problem)
    assert answer.optimal
    optimum = solved("exhaustive", problem).partition.cost
    assert answer.cost == optimum
    assert solved("milp", problem).partition.cost == optimum


def test_all_programs_agree_on_forty_rows():
    rng = np.random.default_rng(3)
    rows = [tuple(map(str, row)) for row in np.column_stack([rng.integers(0, 3, (40, 3)), rng.integers(0, 3, 40)])]
    problem = problem_of(rows, ["suppress"] * 3, ["equal"], Policy(t="0.2"))
    answer = paper_program.solve(problem)
    assert answer.cost == solved("milp", problem).bound.cost == solved("exact", problem).bound.cost
