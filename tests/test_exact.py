"""Exact solvers against brute force, against each other, and on the table of the paper."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import kilt
from kilt import InfeasibleError, InputError, Policy
from kilt.run.progress import silent
from kilt.run.stopping import Stop
from kilt.solvers.exact.column_generation.kernelization import Capped
from kilt.solvers.exact.recursion import Recursion
from kilt.solvers.registry import solver
from strategies import policies, tables
from test_solvers import problem_of

EXACT = ["exhaustive", "recursion", "subsets", "milp", "exact"]
QUASI = "Zipcode:characters,Age:characters,Education"


def drawn_problem(data, most_rows=9, **kinds):
    rows, quasi, sensitive = data.draw(tables(most_rows=most_rows, **kinds))
    policy = data.draw(policies(len(sensitive)))
    try:
        return problem_of(rows, quasi, sensitive, policy)
    except InfeasibleError:
        assume(False)


def solved(name, problem, stop=None):
    made = solver(name) if isinstance(name, str) else name
    solution = made.solve(problem, stop or Stop(), silent)
    assert problem.rules.meets(solution.partition.as_groups(problem)).all()
    placed = np.bincount(solution.partition.types, solution.partition.counts, len(problem.counts))
    assert placed.tolist() == problem.counts.tolist()
    return solution


@given(st.data())
@settings(max_examples=1000, deadline=None)
def test_subsets_agree_with_brute_force(data):
    problem = drawn_problem(data)
    optimum = solved("exhaustive", problem).partition.cost
    found = solved("subsets", problem)
    assert found.partition.cost == found.bound == optimum


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_the_papers_recursion_agrees_whatever_its_base(data):
    problem = drawn_problem(data, most_rows=7)
    optimum = solved("exhaustive", problem).partition.cost
    for base in (2, 4, 10):
        assert solved(Recursion(base=base), problem).partition.cost == optimum


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_the_pattern_program_agrees_with_brute_force(data):
    problem = drawn_problem(data)
    optimum = solved("exhaustive", problem).partition.cost
    found = solved("milp", problem)
    assert found.partition.cost == found.bound == optimum


@given(st.data())
@settings(max_examples=1000, deadline=None)
def test_prices_and_columns_agree_with_brute_force(data):
    problem = drawn_problem(data)
    optimum = solved("exhaustive", problem).partition.cost
    found = solved("exact", problem)
    assert found.partition.cost == found.bound == optimum


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_capped_multiplicities_keep_the_optimum(data):
    columns = data.draw(st.integers(1, 2))
    kinds = data.draw(st.lists(st.tuples(*[st.sampled_from("ab")] * columns), min_size=1, max_size=3, unique=True))
    counts = [data.draw(st.integers(1, 30)) for _ in kinds]
    rows = [kind for kind, count in zip(kinds, counts, strict=True) for _ in range(count)]
    k = data.draw(st.integers(2, 3))
    assume(len(rows) >= k)
    problem = problem_of(rows, ["suppress"] * columns, [], Policy(k=k))
    capped = Capped.of(problem)
    small = solved("subsets", capped.problem).partition
    lifted = capped.lifted(small)
    assert lifted.cost == small.cost == solved("subsets", problem).partition.cost
    assert problem.rules.meets(lifted.as_groups(problem)).all()
    placed = np.bincount(lifted.types, lifted.counts, len(problem.counts))
    assert placed.tolist() == problem.counts.tolist()


def test_a_cap_really_cuts():
    problem = problem_of([("a",)] * 40 + [("b",)], ["suppress"], [], Policy(k=3))
    capped = Capped.of(problem)
    assert capped.problem.rows < problem.rows
    assert capped.lifted(solved("subsets", capped.problem).partition).cost == 3


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize(
    ("policy", "optimum"),
    [
        (Policy(k=2), 46),
        (Policy(k=3), 54),
        (Policy(l=2), 50),
        (Policy(t="0.3"), 52),
        (Policy(t="0.1"), 64),
        (Policy(k=3, t="0.3"), 63),
    ],
    ids=str,
)
def test_the_optima_of_the_papers_table(hospital, name, policy, optimum):
    release = kilt.anonymize(hospital, quasi=QUASI, sensitive="Disease", policy=policy, solver=name)
    assert release.stars == release.bound == optimum
    assert release.status == "optimal"
    assert release.proof == ("float" if name == "milp" else "exact")
    assert ("floating point" in release.summary()) == (name == "milp")


@pytest.mark.parametrize("name", ["subsets", "milp"])
def test_a_time_limit_of_0_still_returns_a_legal_partition(name):
    rng = np.random.default_rng(0)
    rows = [tuple(map(str, row)) for row in rng.integers(0, 3, (14, 5))]
    problem = problem_of(rows, ["suppress"] * 4, ["equal"], Policy(k=3, t="0.4"))
    solved(name, problem, Stop(seconds=0))


def test_subsets_and_the_program_agree_on_sixteen_rows():
    rng = np.random.default_rng(1)
    for policy in (Policy(k=3), Policy(t="0.3"), Policy(k=2, l=2), Policy(l=2, diversity="entropy")):
        rows = [tuple(map(str, row)) for row in np.column_stack([rng.integers(0, 3, (16, 4)), rng.integers(0, 3, 16)])]
        problem = problem_of(rows, ["suppress"] * 4, ["equal"], policy)
        assert solved("subsets", problem).partition.cost == solved("milp", problem).partition.cost


def test_tables_that_are_too_large_are_refused_with_the_size_that_is_not():
    rows = [(str(i), str(i % 7)) for i in range(40)]
    problem = problem_of(rows, ["suppress"] * 2, [], Policy(k=2))
    assert "up to 26 different rows, and this table has 40" in str(solver("subsets").refuses(problem))


def repeated(*kinds):
    return [tuple(cells) for cells, copies in kinds for _ in range(copies)]


def test_many_copies_of_few_rows_are_solved_though_large_groups_are_too_many_to_list():
    rows = repeated(
        (("ac", "bb", "2"), 33), (("ac", "ab", "1"), 13), (("ac", "bb", "3"), 7), (("ac", "bb", "1"), 5),
        (("bb", "b", "1"), 3), (("ac", "bb", "0"), 2), (("ac", "ab", "0"), 2), (("b", "ac", "2"), 1),
        (("b", "abc", "0"), 1), (("ac", "ab", "3"), 1), (("b", "ac", "1"), 1), (("ac", "ab", "2"), 1),
    )  # fmt: skip
    problem = problem_of(rows, ["suppress"] * 2, ["equal"], Policy(k=3, l=2))
    for name in ("exact", "milp"):
        found = solved(name, problem)
        assert found.partition.cost == found.bound == 52


@pytest.mark.parametrize("name", ["exact", "milp"])
def test_atoms_cut_short_still_lead_to_the_optimum(name, monkeypatch):
    monkeypatch.setattr("kilt.solvers.atoms.MOST_COUNTS", 180)
    rng = np.random.default_rng(2)
    rows = [tuple(map(str, row)) for row in np.column_stack([rng.integers(0, 3, (14, 3)), rng.integers(0, 3, 14)])]
    problem = problem_of(rows, ["suppress"] * 3, ["equal"], Policy(t="0.2"))
    found = solved(name, problem)
    assert found.partition.cost == found.bound == solved("subsets", problem).partition.cost


def test_weights_with_too_many_digits_are_refused(hospital):
    with pytest.raises(InputError, match="too many digits to count with: round them, or write fractions as 1/3"):
        kilt.anonymize(hospital, quasi=QUASI, policy=Policy(k=2), weights={"Age": 0.3333333333333333}, solver="exact")
    release = kilt.anonymize(hospital, quasi=QUASI, policy=Policy(k=2), weights={"Age": "1/3"}, solver="exact")
    assert release.status == "optimal"
