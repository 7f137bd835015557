"""Exact solvers against each other and on the table of the paper, whatever limits them."""

from __future__ import annotations

import numpy as np
import pytest

import kilt
from kilt import InputError, Policy
from kilt.hardness import planted_matching, random_graph, random_matching, to_closeness
from kilt.hardness.problems.graphs import Bisection
from kilt.run.stopping import StoppingRule
from kilt.solvers.choose import choose
from kilt.solvers.exact.column_generation.minimal_groups import Params
from kilt.solvers.registry import solver
from support.problems import problem_of, solved

EXACT = ["exhaustive", "recursion", "subsets", "milp", "exact"]
QUASI = "Zipcode:characters,Age:characters,Education"


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("k", "names"),
    [
        (2, ["exact", "milp"]),
        (3, ["exact"]),
        (5, ["exact", "milp"]),
        pytest.param(3, ["milp"], marks=pytest.mark.thorough),  # it takes a dozen seconds
    ],
)
def test_wide_tables_of_few_rows_are_solved_exactly(k, names):
    rng = np.random.default_rng(k)
    rows = [tuple(map(str, row)) for row in rng.integers(0, 4, (16, 40))]
    problem = problem_of(rows, ["suppress"] * 40, [], Policy(k=k))
    assert choose("auto", problem).name == "exact"
    answers = [solved(name, problem) for name in ("subsets", *names)]
    assert len({answer.partition.cost for answer in answers}) == 1
    assert all(answer.bound.cost == answer.partition.cost for answer in answers)


@pytest.mark.parametrize("t", ["1/2", "3/4"])
def test_solvers_agree_whether_closeness_is_a_size_or_not(t):
    for seed in range(10):
        instance = to_closeness(Bisection(random_graph(4, 5, seed)), t, compact=t == "3/4").instance
        answers = [instance.solve(name) for name in ("exhaustive", "subsets", "exact", "milp")]
        assert len({answer.stars for answer in answers}) == 1
        assert all(answer.optimal and instance.is_legal(answer.groups) for answer in answers)


def test_matchings_of_many_elements_are_decided():
    yes = to_closeness(planted_matching(30, 90, seed=1)[0], "0.3")
    answer = yes.instance.solve("exact", 600)
    assert answer.optimal
    assert yes.source.accepts(yes.back(answer.groups))
    for seed in range(3):
        drawn = to_closeness(random_matching(12, 24, seed), "0.3")
        one, other = (drawn.instance.solve(name, 600) for name in ("exact", "milp"))
        assert one.optimal
        assert other.optimal
        assert one.stars == other.stars


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
    in_floats = name == "milp" and "t=" not in str(policy)  # closeness is proved in integers
    assert release.status == ("optimal (floating point)" if in_floats else "optimal")
    assert release.proof == ("float" if in_floats else "exact")
    assert ("floating point" in release.summary()) == in_floats


@pytest.mark.parametrize("name", ["subsets", "milp"])
def test_a_time_limit_of_0_still_returns_a_legal_partition(name):
    rng = np.random.default_rng(0)
    rows = [tuple(map(str, row)) for row in rng.integers(0, 3, (14, 5))]
    problem = problem_of(rows, ["suppress"] * 4, ["equal"], Policy(k=3, t="0.4"))
    solved(name, problem, StoppingRule(seconds=0))


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
        assert found.partition.cost == found.bound.cost == 52


@pytest.mark.parametrize("name", ["exact", "milp"])
def test_minimal_groups_cut_short_still_lead_to_the_optimum(name, monkeypatch):
    monkeypatch.setattr("kilt.solvers.exact.column_generation.minimal_groups.PARAMS", Params(max_counts=180))
    rng = np.random.default_rng(2)
    rows = [tuple(map(str, row)) for row in np.column_stack([rng.integers(0, 3, (14, 3)), rng.integers(0, 3, 14)])]
    problem = problem_of(rows, ["suppress"] * 3, ["equal"], Policy(t="0.2"))
    found = solved(name, problem)
    assert found.partition.cost == found.bound.cost == solved("subsets", problem).partition.cost


def test_weights_with_too_many_digits_are_refused(hospital):
    with pytest.raises(InputError, match="too many digits to count with: round them, or write fractions as 1/3"):
        kilt.anonymize(hospital, quasi=QUASI, policy=Policy(k=2), weights={"Age": 0.3333333333333333}, solver="exact")
    release = kilt.anonymize(hospital, quasi=QUASI, policy=Policy(k=2), weights={"Age": "1/3"}, solver="exact")
    assert release.status == "optimal"
