"""The classics: Mondrian and Incognito do what their authors say, under any policy, and what they release is legal."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilt import Policy
from kilt.model.patterns import useful_levels
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule
from kilt.solvers.classics.incognito import find_lowest_safe, is_safe, partition_of
from kilt.solvers.classics.mondrian import Part, cut_between, cut_in_half
from support.problems import drawn_problem, problem_of, solved
from support.profiles import examples


@pytest.mark.parametrize("name", ["mondrian", "mondrian-relaxed", "incognito"])
@given(data=st.data())
@examples(150)
def test_classics_release_legally_and_never_beat_the_optimum(name, data):
    problem = drawn_problem(data)
    assert solved(name, problem).partition.cost >= solved("exhaustive", problem).partition.cost


@pytest.mark.parametrize("name", ["mondrian", "mondrian-relaxed", "incognito"])
def test_classics_stop_when_told(name):
    problem = problem_of([("a",), ("b",), ("a",), ("b",)], ["suppress"], [], Policy(k=2))
    assert len(solved(name, problem, StoppingRule(interrupted=lambda: True)).partition) == 1
    assert len(solved(name, problem).partition) == 2


@given(st.data())
@examples(150)
def test_cuts_lose_no_row_and_leave_legal_sides(data):
    problem = drawn_problem(data)
    whole = Part(np.arange(len(problem.counts)), problem.counts)
    for codes in problem.codes.T:
        for cut in (cut_between(problem, whole, codes), cut_in_half(problem, whole, codes)):
            if cut is not None:
                placed = sum(np.bincount(side.types, side.counts, len(problem.counts)) for side in cut)
                assert placed.tolist() == problem.counts.tolist()
        strict = cut_between(problem, whole, codes)
        if strict is not None:
            assert codes[strict[0].types].max() < codes[strict[1].types].min()
        relaxed = cut_in_half(problem, whole, codes)
        if relaxed is not None:
            assert 0 <= relaxed[0].counts.sum() - relaxed[1].counts.sum() <= 1


@given(st.data())
@examples(150)
def test_incognito_finds_all_lowest_safe_vectors(data):
    problem = drawn_problem(data)
    useful = useful_levels(problem)
    safe = {vector for vector in product(*useful) if is_safe(problem, vector)}
    assert all(
        upper in safe for vector in safe for upper in product(*useful) if all(np.array(upper) >= np.array(vector))
    )
    lowest = {v for v in safe if not any(w != v and all(np.array(w) <= np.array(v)) for w in safe)}
    assert set(find_lowest_safe(problem, StoppingRule(), silent)) == lowest
    assert solved("incognito", problem).partition.cost == min(partition_of(problem, v).cost for v in safe)
