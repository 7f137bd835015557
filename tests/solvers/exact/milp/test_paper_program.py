"""The paper's program as it stands, against brute force and against kilt's smaller one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kilt
from kilt import InputError, Policy, TCloseness
from kilt.run.stopping import StoppingRule
from kilt.solvers.choose import choose
from kilt.solvers.exact.milp.paper_program import PaperProgram, distances, sizes
from kilt.solvers.exact.milp.paper_solver import PaperMilp
from support.problems import problem_of, solved
from support.profiles import examples
from support.strategies import SPACES, tables

THRESHOLDS = st.sampled_from(["0", "0.1", "0.25", "1/3", "0.5", "0.8", "1"])


@given(st.data())
@examples(60)
def test_the_papers_program_agrees_with_brute_force_and_with_the_smaller_one(data):
    columns = data.draw(st.integers(1, 3))
    row = st.tuples(*[st.sampled_from("abc")] * columns, st.sampled_from("0123"))
    rows = data.draw(st.lists(row, min_size=1, max_size=8))
    space = data.draw(st.sampled_from(sorted(SPACES)))
    problem = problem_of(rows, ["suppress"] * columns, [space], Policy(t=data.draw(THRESHOLDS)))
    optimum = solved("exhaustive", problem).partition.cost
    assert solved("milp", problem).partition.cost == optimum
    for solver in ("paper-milp", PaperMilp(with_empty=True)):
        found = solved(solver, problem)
        assert found.partition.cost == found.bound.cost == optimum
        assert found.bound.arithmetic == "float"


@given(st.data())
@examples(60)
def test_it_takes_ladders_and_several_sensitive_columns(data):
    rows, quasi, sensitive = data.draw(tables(most_rows=7, least_sensitive=1))
    problem = problem_of(rows, quasi, sensitive, Policy(TCloseness(data.draw(THRESHOLDS))))
    found = solved("paper-milp", problem)
    assert found.partition.cost == found.bound.cost == solved("exhaustive", problem).partition.cost


@given(st.data())
@examples(60)
def test_its_size_is_what_the_paper_says(data):
    rows, quasi, sensitive = data.draw(tables(most_rows=7, least_sensitive=1, most_sensitive=1))
    problem = problem_of(rows, quasi, sensitive, Policy(t="0.3"))
    small, full, most = PaperProgram(problem).sizes, PaperProgram(problem, with_empty=True).sizes, sizes(problem)
    assert full == sizes(problem, with_empty=True)
    assert small.copies == full.copies == most.copies
    assert small.patterns <= most.patterns <= full.patterns
    assert small.flows == small.patterns * problem.sizes[0] ** 2
    if set(quasi) == {"suppress"}:
        alphabet = max(*problem.sizes, *(len(column.levels[0]) for column in problem.columns))
        columns = len(problem.columns)
        assert full.copies == len(problem.counts) * 2**columns
        assert full.patterns == math.prod(len(column.levels[0]) + 1 for column in problem.columns)
        assert full.variables <= 2 * (alphabet + 1) ** (2 * columns + 1)


def test_distances_are_those_of_the_space():
    rows = [("a", str(i)) for i in range(4)]
    problem = problem_of(rows, ["suppress"], ["metric"], Policy(t="0.3"))
    (rule,) = problem.rules
    assert distances(rule).tolist() == [[0, 1, 1, 0.5], [1, 0, 1, 0.5], [1, 1, 0, 0.5], [0.5, 0.5, 0.5, 0]]


def test_all_programs_agree_on_forty_rows():
    rng = np.random.default_rng(3)
    rows = [tuple(map(str, row)) for row in np.column_stack([rng.integers(0, 3, (40, 3)), rng.integers(0, 3, 40)])]
    problem = problem_of(rows, ["suppress"] * 3, ["equal"], Policy(t="0.2"))
    bounds = {solved(name, problem).bound.cost for name in ("paper-milp", "milp", "exact")}
    assert len(bounds) == 1


@pytest.mark.parametrize(("t", "optimum"), [("0.3", 52), ("0.1", 64)])
def test_the_papers_program_solves_the_papers_table(hospital, t, optimum):
    release = kilt.anonymize(
        hospital,
        quasi="Zipcode:characters,Age:characters,Education",
        sensitive="Disease",
        policy=Policy(t=t),
        solver="paper-milp",
    )
    assert release.stars == release.bound == optimum
    assert "floating point" in release.summary()


def test_a_time_limit_of_0_leaves_the_table_as_one_group():
    rng = np.random.default_rng(3)
    rows = [tuple(map(str, row)) for row in np.column_stack([rng.integers(0, 3, (60, 5)), rng.integers(0, 3, 60)])]
    problem = problem_of(rows, ["suppress"] * 5, ["equal"], Policy(t="0.2"))
    found = solved("paper-milp", problem, StoppingRule(seconds=0))
    assert len(found.partition) == 1


def test_what_the_paper_does_not_speak_of_is_refused(hospital):
    described = {"quasi": "Zipcode,Age", "sensitive": "Disease", "solver": "paper-milp"}
    with pytest.raises(InputError, match=r"t-closeness alone, and this policy asks for k=2, l=2 on 'Disease'; these"):
        kilt.anonymize(hospital, policy=Policy(k=2, l=2, t="0.3"), **described)
    release = kilt.anonymize(hospital, policy=Policy(t="0.3"), **described)
    assert (release.status, release.proof) == ("optimal (floating point)", "float")


def test_programs_that_are_too_large_are_refused_with_their_size():
    rows = [tuple(map(str, [*range(i, i + 14), i % 3])) for i in range(30)]
    problem = problem_of(rows, ["suppress"] * 14, ["equal"], Policy(t="0.5"))
    with pytest.raises(InputError, match="at most 200,000 variables, and the paper's program of this table has up to"):
        choose("paper-milp", problem)
    wide = problem_of([("a",) * 200 + ("0",), ("b",) * 200 + ("1",)], ["suppress"] * 200, ["equal"], Policy(t="0.5"))
    for solver in (PaperMilp(), PaperMilp(with_empty=True)):
        assert str(solver.refuses(wide)).endswith("the paper's program of this table has more than a billion")
