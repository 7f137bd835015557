"""The paper's recursion against brute force."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilt import Policy
from kilt.run.stopping import StoppingRule
from kilt.solvers.exact.recursion import Recursion
from support.problems import drawn_problem, random_problem, solved
from support.profiles import examples


@given(st.data())
@examples(150)
def test_the_papers_recursion_agrees_whatever_its_base(data):
    problem = drawn_problem(data, most_rows=7)
    optimum = solved("exhaustive", problem).partition.cost
    for base in (2, 4, 10):
        assert solved(Recursion(base), problem).partition.cost == optimum


@given(st.data())
@examples(50)
def test_it_agrees_if_it_remembers_nothing(data):
    problem = drawn_problem(data, most_rows=6)
    optimum = solved("exhaustive", problem).partition.cost
    for base in (3, 5, 10):
        assert solved(Recursion(base, remember=False), problem).partition.cost == optimum


@pytest.mark.parametrize("policy", [Policy(k=3), Policy(t="0.3"), Policy(k=2, l=2)], ids=str)
def test_the_papers_recursion_agrees_above_its_base(policy):
    problem = random_problem(14, 4, 3, policy, seed=5)
    assert solved("recursion", problem).partition.cost == solved("subsets", problem).partition.cost


def test_it_stops_when_its_time_is_over():
    problem = random_problem(18, 4, 3, Policy(k=2), seed=5)
    found = solved("recursion", problem, StoppingRule(seconds=0))
    assert found.bound is None or found.bound.cost <= found.partition.cost
    assert not found.is_optimal


def test_tables_that_are_too_large_are_refused_with_the_size_that_is_not():
    problem = random_problem(21, 4, 3, Policy(k=2))
    assert Recursion().refuses(problem) == "it takes tables of at most 20 rows, and this one has 21"
    assert Recursion(remember=False).refuses(problem) == "it takes tables of at most 12 rows, and this one has 21"
