"""Minimal groups are listed as far as there is room and time, whatever the counts."""

from __future__ import annotations

from itertools import count, product
from time import monotonic

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilt import Policy
from kilt.solvers.exact.column_generation import minimal_groups as module
from kilt.solvers.exact.column_generation.minimal_groups import MinimalGroups, Params
from support.many_copies import problem_with_copies
from support.problems import drawn_problem
from support.profiles import examples


def sizes_listable(totals, most):
    """Return the largest size up to which there are at most so many vectors, by listing them all."""
    sizes = sorted(sum(vector) for vector in product(*(range(total + 1) for total in totals)))
    whole = [size for size in range(sum(totals) + 1) if sum(1 for each in sizes if each <= size) <= most]
    return max(1, max(whole, default=0))


@given(st.lists(st.integers(1, 5), min_size=1, max_size=4), st.integers(2, 300))
@examples(200)
def test_the_size_up_to_which_vectors_can_be_listed(totals, most):
    assert module._listable(np.array(totals), most * len(totals)) == sizes_listable(totals, most)


@pytest.mark.parametrize("classes", [1, 2, 3, 12, 60])
def test_counts_do_not_matter_where_no_more_can_be_listed(classes):
    begin = monotonic()
    found = {module._listable(np.full(classes, total), Params().max_counts) for total in (10**7, 10**9, 10**12)}
    assert len(found) == 1
    assert monotonic() - begin < 30  # it would take the memory of the machine, and hours


@given(st.data())
@examples(100)
def test_what_is_listed_until_time_is_over_are_all_up_to_a_size(data):
    """Listing in small steps, and ending after any of them, gives the same groups up to the size that is told."""
    problem = drawn_problem(data)
    every = MinimalGroups.of(problem)
    steps = data.draw(st.integers(0, 6))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "PARAMS", Params(decided=data.draw(st.integers(1, 20)), compared=1, few=1))
        asked = count()
        found = MinimalGroups.of(problem, lambda: next(asked) >= steps)
    if found is None:
        return
    largest = problem.rows if found.largest is None else found.largest
    kept = every.vectors[every.vectors.sum(axis=1) <= largest]
    assert sorted(map(tuple, found.vectors.tolist())) == sorted(map(tuple, kept.tolist()))


@given(st.data())
@examples(100)
def test_small_steps_find_the_same(data):
    problem = drawn_problem(data)
    every = MinimalGroups.of(problem)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "PARAMS", Params(decided=3, compared=1, few=1))
        found = MinimalGroups.of(problem)
    assert found.vectors.tolist() == every.vectors.tolist()
    assert found.largest == every.largest


def test_a_first_list_is_there_in_an_instant():
    problem = problem_with_copies(12, 10**6, Policy(t="0.1"), "ordered")
    assert MinimalGroups.of(problem, lambda: True) is None
    asked = count()
    first = MinimalGroups.of(problem, lambda: next(asked) > 100)
    every = MinimalGroups.of(problem)
    assert first.largest < every.largest
    kept = every.vectors[every.vectors.sum(axis=1) <= first.largest]
    assert first.vectors.tolist() == kept.tolist()
