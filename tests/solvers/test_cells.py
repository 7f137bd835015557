"""Highest levels: the table falls into cells, each of which is solved on its own."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import kilt
from kilt import InfeasibleError, InputError, Policy, Suppression, Taxonomic
from kilt.bounds.lagrangian import lower_bound
from kilt.certificates.proof.evaluate import evaluate_bound
from kilt.model.cells import cells_of, require_legal_cells
from kilt.model.ladders import Limited
from kilt.model.ladders.limited import KEEP
from kilt.model.problem import Problem
from kilt.patterns.pool import Pool
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule
from kilt.solvers.cells import solve_cells
from kilt.solvers.choose import reason_refused
from kilt.solvers.registry import solver_info
from kilt.solvers.solve import certifiable_bound, run, solve
from support import naive
from support.problems import legal_groups, row_types
from support.profiles import examples
from support.strategies import SPACES, TREE, policies

LADDERS = {
    "suppress": Suppression(),
    "keep": KEEP,
    "to": Limited(Taxonomic(TREE), highest="1"),
    "from": Limited(Taxonomic(TREE), least="1"),
    "both": Limited(Taxonomic(TREE), least="1", highest="1"),
}


@st.composite
def limited_problems(draw, most_rows=7):
    names = draw(st.lists(st.sampled_from(sorted(LADDERS)), min_size=1, max_size=3))
    sensitive = draw(st.lists(st.sampled_from(sorted(SPACES)), max_size=1))
    row = st.tuples(*(st.sampled_from("0123") for _ in (*names, *sensitive)))
    rows = draw(st.lists(row, min_size=1, max_size=most_rows))
    types = row_types(rows, len(names))
    ladders = {f"q{i}": LADDERS[name] for i, name in enumerate(names)}
    try:
        problem = Problem.build(
            types, ladders, {f"s{i}": SPACES[s] for i, s in enumerate(sensitive)}, draw(policies(len(sensitive)))
        )
        require_legal_cells(problem)
    except InfeasibleError:
        assume(False)
    return types, problem


def slow_cost(problem, group):
    """Return what a group costs, by its definition; None if it is not legal or has no pattern."""
    counts = Counter(problem.sensitive_class[group].tolist())
    by_class = np.array([[counts[c] for c in range(len(problem.sensitive_totals))]])
    if not problem.is_legal(by_class)[0]:
        return None
    cost = 0
    for index, column in enumerate(problem.columns):
        codes = problem.codes[group, index]
        level = next((h for h, codes_at in enumerate(column.levels) if len(set(codes_at[codes].tolist())) == 1), None)
        if level is None:
            return None
        cost += len(group) * int(problem.costs[index][level, codes[0]])
    return cost


def slow_optimum(problem):
    rows = np.repeat(np.arange(len(problem.counts)), problem.counts).tolist()
    costs = ([slow_cost(problem, [rows[i] for i in group]) for group in p] for p in naive.partitions(range(len(rows))))
    return min((sum(c) for c in costs if None not in c), default=None)


@given(limited_problems(), st.sampled_from(["exhaustive", "exact", "auto", "subsets"]))
@examples(50)
def test_cells_are_solved_to_the_optimum(found, name):
    _, problem = found
    optimum = slow_optimum(problem)
    solution = solve(problem, name, StoppingRule(), silent)
    assert legal_groups(problem, solution.partition)
    assert solution.cost == optimum
    assert solution.bound is not None
    assert solution.bound.cost <= optimum
    if name == "exhaustive":
        assert solution.is_optimal


@given(limited_problems(), st.sampled_from(["search", "greedy", "mondrian", "forest"]))
@examples(60)
def test_bounds_of_cells_hold_and_can_be_written_down(found, name):
    _, problem = found
    optimum = slow_optimum(problem)
    try:
        solution = solve(problem, name, StoppingRule(iterations=100), silent)
    except InputError:
        assume(False)
    assert legal_groups(problem, solution.partition)
    assert solution.cost >= optimum >= solution.bound.cost
    bound = certifiable_bound(problem, solution, StoppingRule(iterations=100), silent)
    assert bound.cost <= optimum
    assert evaluate_bound(problem, bound.parts) == bound.cost or not bound.parts


@given(limited_problems())
@examples(33)
def test_the_lagrangian_bound_of_a_whole_table_knows_its_cells(found):
    _, problem = found
    bound = lower_bound(problem, StoppingRule(), silent)
    assert problem.base_cost <= bound.cost <= slow_optimum(problem)
    assert evaluate_bound(problem, bound.parts) == bound.cost
    pool, cells = Pool.of(problem), cells_of(problem).ids()
    for members in np.split(pool.types, pool.starts[1:-1]):
        assert len(set(cells[members].tolist())) == 1


@given(limited_problems())
@examples(100)
def test_rows_that_never_look_different_are_counted_again(found):
    types, problem = found
    partition = solve(problem, "exhaustive", StoppingRule(), silent).partition
    counted = partition.expanded(problem.type_of, types.counts)
    assert np.bincount(counted.types, counted.counts, len(types.counts)).tolist() == types.counts.tolist()
    of_type = np.arange(len(types.counts)) if problem.type_of is None else problem.type_of
    again = Counter()
    for row_type, group, copies in zip(counted.types, counted.groups, counted.counts, strict=True):
        again[int(of_type[row_type]), int(group)] += int(copies)
    kept = zip(partition.types.tolist(), partition.groups.tolist(), strict=True)
    assert again == Counter(dict(zip(kept, partition.counts.tolist(), strict=True)))


def test_an_impossible_limit_names_the_column_and_the_smallest_cell():
    types = row_types([("a", "x"), ("a", "y"), ("a", "z"), ("b", "x")], 2)
    problem = Problem.build(types, {"sex": KEEP, "age": Suppression()}, {}, Policy(k=2))
    with pytest.raises(InfeasibleError, match=r"'sex' cannot be kept.* 1 of the 2 cells .* smallest .* with 1 row"):
        require_legal_cells(problem)


def test_a_run_says_that_it_solves_before_the_first_cell_is_begun():
    types = row_types([("a", "x"), ("a", "y"), ("b", "x"), ("b", "z")], 2)
    problem = Problem.build(types, {"sex": KEEP, "age": Suppression()}, {}, Policy(k=2))
    seen = []

    def solve_cell(part, limit, observer):
        assert seen[-1] == "solving"
        return solve(part, "exhaustive", limit, observer)

    found = solve_cells(problem, cells_of(problem), solve_cell, StoppingRule(), lambda p: seen.append(p.phase))
    assert set(seen) == {"solving"}
    assert found.is_optimal


@given(limited_problems(), st.sampled_from(["search", "exact", "greedy", "residue", "auto"]))
@examples(40)
def test_stars_and_bound_add_up_while_cells_are_solved(found, name):
    _, problem = found
    optimum, seen = slow_optimum(problem), []
    limit = StoppingRule() if name == "exact" else StoppingRule(iterations=50)
    solution = solve(problem, name, limit, seen.append)
    if len(cells_of(problem)) == 1:
        return
    assert all(problem.stars(optimum) <= told.stars for told in seen)
    assert all(told.bound <= problem.stars(optimum) for told in seen)
    assert all(later.stars <= sooner.stars and sooner.done <= later.done for sooner, later in pairwise(seen))
    assert all(told.stars >= problem.stars(solution.cost) for told in seen)


@given(limited_problems(), st.sampled_from(["residue", "classes", "tp", "cover", "forest", "diameter"]))
@examples(60)
def test_a_guarantee_is_about_what_is_paid_above_the_least_levels(found, name):
    _, problem = found
    info = solver_info(name)
    assume(all(reason_refused(info, part) is None for part in [problem]))
    solution = run(problem, info, StoppingRule(), silent)
    if name == "residue":
        assert solution.factor is not None
    if solution.factor is not None:
        optimum = slow_optimum(problem)
        assert solution.cost - problem.base_cost <= solution.factor * (optimum - problem.base_cost)


@pytest.mark.parametrize("measure", ["loss", "entropy"])
def test_stars_are_those_of_the_table_also_where_copies_were_cut_off(measure):
    frame = pl.DataFrame({"a": ["x"] * 40 + ["y"] * 30 + ["z", "w", "v"], "b": ["1"] * 72 + ["2"]})
    seen = []
    given = {"quasi": "a,b:prefix=1/from=1", "policy": Policy(k=2), "measure": measure, "solver": "exact"}
    release = kilt.anonymize(frame, observer=seen.append, **given)
    assert [told.stars for told in seen if told.stars is not None]
    assert all(told.stars >= release.exact_stars for told in seen if told.stars is not None)
    assert all(told.bound <= release.exact_stars for told in seen if told.bound is not None)
