"""Average t, a rule on the release as a whole: who takes it meets it, exactly; who does not take it says so."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import kilt
from kilt import InfeasibleError, InputError, Policy
from kilt.bounds.lagrangian import lower_bound
from kilt.model.partition import Partition
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule
from kilt.solvers.base import Solution
from kilt.solvers.choose import able, choose
from kilt.solvers.common.merging import merge_until_accepted
from kilt.solvers.registry import SOLVERS
from kilt.solvers.solve import solve
from support import naive
from support.problems import problem_of
from support.profiles import examples

TAKING = [name for name, info in SOLVERS.items() if info.takes_release_rules]
CELLS = st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.sampled_from("012"), st.sampled_from("01"))
ROWS = st.lists(CELLS, min_size=1, max_size=6)
BITS = st.sampled_from(["0", "0.1", "0.25", "1/3", "0.5", "1"])
SETS = st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("wxyz"), st.sampled_from("012")), min_size=1)


def meets(rows, groups, column, bits) -> bool:
    values = sorted({row[column] for row in rows})
    return naive.average([naive.counts([rows[i] for i in group], column, values) for group in groups], Fraction(bits))


def cheapest(rows, k, first, second) -> int:
    """The least stars of a partition of rows with two quasi and two sensitive columns, by trying all."""
    return min(
        sum(naive.stars([rows[i][:2] for i in group]) for group in groups)
        for groups in naive.partitions(range(len(rows)))
        if all(len(group) >= k for group in groups) and meets(rows, groups, 2, first) and meets(rows, groups, 3, second)
    )


@given(ROWS, st.integers(1, 2), BITS, BITS)
@examples(150)
def test_exhaustive_finds_the_optimum_and_the_bound_is_below_it(rows, k, first, second):
    assume(k <= len(rows))
    policy = Policy(k=k, average_t={"s0": first, "s1": second})
    problem = problem_of(rows, ["suppress"] * 2, ["equal"] * 2, policy)
    solution = solve(problem, "auto", StoppingRule(), silent)
    assert solution.solver == "exhaustive"
    assert solution.is_optimal
    assert solution.cost == cheapest(rows, k, first, second)
    assert problem.rules.accepts(solution.partition.as_groups(problem))
    assert lower_bound(problem, StoppingRule(), silent).cost <= solution.cost


@pytest.mark.parametrize("name", [name for name in TAKING if name not in ("exhaustive", "search")])
@given(SETS, st.integers(1, 3), BITS, st.sampled_from([None, "0.5"]))
@examples(25)
def test_those_who_take_it_meet_it(name, rows, k, bits, t):
    assume(k <= len(rows))
    problem = problem_of(rows, ["suppress"] * 2, ["ordered"], Policy(k=k, t=t, average_t=bits))
    assume(name in able(problem))
    solution = solve(problem, name, StoppingRule(), silent)
    assert problem.is_legal(solution.partition.by_class(problem)).all()
    assert naive.average(solution.partition.as_groups(problem).counts[0].tolist(), Fraction(bits))
    assert solution.bound is not None
    assert solution.bound.cost <= solution.cost


@given(SETS, BITS, st.booleans())
@examples(100)
def test_merging_ends_with_a_release_that_is_accepted(rows, bits, is_over):
    problem = problem_of(rows, ["suppress", "suppress"], ["equal"], Policy(average_t=bits))
    every = np.arange(len(problem.counts))
    start = Partition.of(problem, every, every, problem.counts)
    merged = merge_until_accepted(problem, start, lambda: is_over)
    assert naive.average(merged.as_groups(problem).counts[0].tolist(), Fraction(bits))
    if naive.average(start.as_groups(problem).counts[0].tolist(), Fraction(bits)):
        assert merged is start


def table(rows: int, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    quasi = {name: rng.integers(0, 5, rows).astype(str) for name in "abc"}
    return pl.DataFrame({**quasi, "s": rng.integers(0, 4, rows).astype(str)})


@pytest.mark.parametrize("name", ["auto", "search", "greedy"])
def test_larger_tables_are_released_and_verified(name):
    release = kilt.anonymize(
        table(300), quasi="a,b,c", sensitive="s", policy=Policy(k=2, average_t="0.2"), solver=name, iterations=3_000
    )
    assert release.verdict.average_t["s"] <= Fraction(1, 5)
    assert 0 < release.bound <= release.stars
    again = kilt.verify(release.frame, quasi="a,b,c", sensitive="s", policy=Policy(k=2, average_t="0.2"))
    assert again.met
    assert again.average_t == release.verdict.average_t
    assert release.to_dict()["average_t"]["s"] <= 0.2


def test_a_rule_that_is_met_anyway_costs_nothing():
    given_ = {"quasi": "a,b,c", "sensitive": "s", "solver": "greedy"}
    free = kilt.anonymize(table(200), policy=Policy(k=3), **given_)
    loose = kilt.anonymize(table(200), policy=Policy(k=3, average_t=2), **given_)
    assert loose.stars == free.stars
    assert loose.bound == free.bound


def test_a_limit_may_be_huge_or_tiny():
    given_ = {"quasi": "a,b", "sensitive": "s"}
    assert kilt.anonymize(table(9), policy=Policy(average_t="1e400"), **given_).stars == 0
    tiny = kilt.anonymize(table(9), policy=Policy(average_t="1e-400"), **given_)
    assert tiny.verdict.average_t["s"] == 0


def test_those_who_do_not_take_it_name_those_who_do():
    problem = problem_of([("a", "0"), ("b", "1")] * 10, ["suppress"], ["equal"], Policy(average_t="0.5"))
    for name in ("exact", "classes", "residue", "recursion"):
        with pytest.raises(InputError, match=r"release as a whole; these can: search, greedy, .*mondrian"):
            choose(name, problem)
    compared = kilt.compare(table(30), quasi="a,b", sensitive="s", policy=Policy(average_t=1), solvers="exact,greedy")
    assert [each.exact_stars is None for each in compared] == [False, True]


class OwnSolver:
    """A solver of somebody else that looks at no group at all."""

    def __init__(self, *, takes: bool) -> None:
        self.takes_release_rules = takes

    def refuses(self, problem):
        return None

    def solve(self, problem, stop, observer):
        every = np.arange(len(problem.counts))
        return Solution(Partition.of(problem, every, every, problem.counts))


def test_a_solver_of_somebody_else_is_merged_or_refused():
    given_ = {"quasi": "a,b,c", "sensitive": "s", "policy": Policy(average_t="0.5")}
    with pytest.raises(InputError, match="average t is about the release as a whole"):
        kilt.anonymize(table(40), solver=OwnSolver(takes=False), **given_)
    assert kilt.anonymize(table(40), solver=OwnSolver(takes=True), **given_).verdict.met


def test_polish_never_makes_it_worse():
    given_ = {"quasi": "a,b,c", "sensitive": "s", "policy": Policy(k=2, average_t="0.2"), "solver": "information"}
    rough = kilt.anonymize(table(60), **given_)
    polished = kilt.anonymize(table(60), polish=True, iterations=2_000, **given_)
    assert polished.verdict.met
    assert polished.stars <= rough.stars


def test_a_frontier_goes_over_average_t():
    points = kilt.frontier(table(12), quasi="a,b", sensitive="s", k=2, average_t="0:1:0.5")
    stars = [point.exact_stars for point in points]
    assert [str(point.policy) for point in points] == ["k=2, average t=0", "k=2, average t=0.5", "k=2, average t=1"]
    assert stars == sorted(stars, reverse=True)


def test_what_cannot_be_asked_for_is_said():
    with pytest.raises(InputError, match="'average_t' must be a number of bits, at least 0, not -1"):
        Policy(average_t=-1)
    with pytest.raises(InputError, match="'average_t' needs a sensitive column"):
        kilt.anonymize(table(9), quasi="a", policy=Policy(average_t=1))
    with pytest.raises(InfeasibleError, match="k=10 cannot be met"):
        kilt.anonymize(table(9), quasi="a", sensitive="s", policy=Policy(k=10, average_t=0))


def test_the_verifier_refuses_a_release_that_tells_too_much(monkeypatch, tmp_path):
    monkeypatch.setattr("kilt.solvers.solve.merge_until_accepted", lambda problem, partition, stop: partition)
    output = tmp_path / "release.csv"
    table(40).write_csv(tmp_path / "table.csv")
    with pytest.raises(kilt.VerificationError, match=r"and in average t=0\.1 on 's'"):
        kilt.anonymize(
            tmp_path / "table.csv",
            quasi="a,b,c",
            sensitive="s",
            policy=Policy(average_t="0.1"),
            solver="greedy",
            output=output,
        )
    assert not output.exists()
