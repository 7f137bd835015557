"""Multiplicities that are capped keep the optimum."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from kilt import Policy
from kilt.solvers.exact.column_generation.kernelization import CappedProblem
from support.problems import problem_of, solved
from support.profiles import examples


@given(st.data())
@examples(200)
def test_capped_multiplicities_keep_the_optimum(data):
    columns = data.draw(st.integers(1, 2))
    row_types = data.draw(st.lists(st.tuples(*[st.sampled_from("ab")] * columns), min_size=1, max_size=3, unique=True))
    counts = [data.draw(st.integers(1, 30)) for _ in row_types]
    rows = [row_type for row_type, count in zip(row_types, counts, strict=True) for _ in range(count)]
    k = data.draw(st.integers(2, 3))
    assume(len(rows) >= k)
    problem = problem_of(rows, ["suppress"] * columns, [], Policy(k=k))
    capped = CappedProblem.of(problem)
    small = solved("subsets", capped.problem).partition
    lifted = capped.lift(small)
    assert lifted.cost == small.cost == solved("subsets", problem).partition.cost
    assert problem.rules.meets(lifted.as_groups(problem)).all()
    placed = np.bincount(lifted.types, lifted.counts, len(problem.counts))
    assert placed.tolist() == problem.counts.tolist()


def test_a_cap_really_cuts():
    problem = problem_of([("a",)] * 40 + [("b",)], ["suppress"], [], Policy(k=3))
    capped = CappedProblem.of(problem)
    assert capped.problem.rows < problem.rows
    assert capped.lift(solved("subsets", capped.problem).partition).cost == 3
