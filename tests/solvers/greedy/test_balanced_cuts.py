"""Balanced cuts: they lose no row, and both sides are legal."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kilt import Policy
from kilt.run.stopping import StoppingRule
from kilt.solvers.common.part import Part
from kilt.solvers.greedy.balanced_cuts import cut_between
from support.problems import drawn_problem, problem_of, solved
from support.profiles import examples


@given(st.data())
@examples(150)
def test_balanced_cuts_never_beat_the_optimum(data):
    problem = drawn_problem(data)
    assert solved("balanced-cuts", problem).partition.cost >= solved("exhaustive", problem).partition.cost


@given(st.data())
@examples(150)
def test_a_cut_loses_no_row_and_leaves_legal_sides_between_two_values(data):
    problem = drawn_problem(data)
    for codes in problem.codes.T:
        cut = cut_between(problem, Part.whole(problem), codes)
        if cut is not None:
            placed = [np.bincount(side.types, side.counts, len(problem.counts)) for side in cut]
            assert sum(placed).tolist() == problem.counts.tolist()
            assert codes[cut[0].types].max() < codes[cut[1].types].min()


def test_the_most_even_legal_cut_is_taken_where_that_at_the_median_is_not_legal():
    problem = problem_of([("1",)] * 2 + [("2",)] * 4 + [("3",)], ["suppress"], [], Policy(k=2))
    assert len(solved("mondrian", problem).partition) == 1
    assert sorted(solved("balanced-cuts", problem).partition.sizes().tolist()) == [2, 5]
    assert len(solved("balanced-cuts", problem, StoppingRule(interrupted=lambda: True)).partition) == 1
