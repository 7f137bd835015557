"""Patterns by refinement: up to a ceiling they are those of all level vectors; with multipliers, those that matter."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kilt import Policy
from kilt.bounds.incidence import Incidence
from kilt.bounds.on_demand import OnDemandOracle
from kilt.bounds.oracles import PairOracle, oracle_of
from kilt.kernels.bounds.lagrangian import values_by_size
from kilt.model.problem import Problem
from kilt.patterns.pool import Pool
from kilt.patterns.refined import RefinedPatterns, Work
from support.problems import drawn_multipliers, drawn_problem, problem_of
from support.profiles import examples

NO_LIMIT = Work(10**6, 10**9)
SCALE = 10


def listed(pool: Pool) -> dict[tuple[tuple[int, ...], int], set[int]]:
    """A pool as plain data: what every pattern covers, by its levels and its first row type in the table."""
    bounds = zip(pool.starts, pool.starts[1:], strict=False)
    covers = [set(pool.types[a:b].tolist()) for a, b in bounds]
    names = [(*levels, cost) for levels, cost in zip(pool.levels.tolist(), pool.cost.tolist(), strict=True)]
    return {(name, min(cover)): cover for name, cover in zip(names, covers, strict=True)}


@given(st.data())
@examples(200)
def test_all_patterns_are_found_by_refinement(data):
    problem = drawn_problem(data)
    found = RefinedPatterns(problem).up_to_ceiling(NO_LIMIT)
    assert found.ceiling is None
    assert listed(found) == listed(Pool.of(problem))
    assert found.cost.tolist() == sorted(found.cost.tolist())


@given(st.data(), st.integers(0, 40))
@examples(200)
def test_up_to_a_ceiling_none_is_missing(data, entries):
    problem = drawn_problem(data)
    found = RefinedPatterns(problem).up_to_ceiling(Work(entries, 10**9))
    every = Pool.of(problem)
    cheap = every if found.ceiling is None else every.kept(every.cost < found.ceiling)
    assert listed(found) == listed(cheap)


def _least_reduced_costs(problem: Problem, pool: Pool, multipliers: np.ndarray) -> np.ndarray:
    """The least reduced costs of groups that are large enough, in units of multipliers."""
    size = max(1, problem.rules.min_group_size)
    return values_by_size(multipliers, problem.counts, pool.types, pool.starts, pool.cost * SCALE, size)


@given(st.data(), st.integers(0, 60))
@examples(300)
def test_with_multipliers_all_patterns_below_the_margin_are_found(data, margin):
    problem = drawn_problem(data)
    multipliers = drawn_multipliers(data, problem)
    every = Pool.of(problem)
    below = every.kept(_least_reduced_costs(problem, every, multipliers) < margin)
    patterns = RefinedPatterns(problem, SCALE)
    whole = patterns.priced(multipliers, margin, NO_LIMIT, whole=True)
    assert whole is not None
    assert listed(whole) == listed(below)


@given(st.data())
@examples(300)
def test_what_is_kept_of_a_pattern_has_its_best_group(data):
    problem = drawn_problem(data)
    every = Pool.of(problem)
    oracle = oracle_of(problem, every)
    scale = oracle.incidence.scale
    multipliers = drawn_multipliers(data, problem) * (scale // SCALE)
    pairs = (oracle.second, oracle.lowest, oracle.highest) if isinstance(oracle, PairOracle) else None
    kept = RefinedPatterns(problem, scale, pairs).priced(multipliers, 1, NO_LIMIT, whole=False)
    assert kept is not None
    assert len(kept) <= len(every)
    if OnDemandOracle.of(problem, oracle) is not None:  # rules for which more than enough rows matter need all of them
        assert oracle_of(problem, kept).least(multipliers)[0] == oracle.least(multipliers)[0]


def test_a_list_that_takes_too_much_is_none():
    rng = np.random.default_rng(1)
    rows = [tuple(map(str, row)) for row in rng.integers(0, 3, (60, 6))]
    problem = problem_of(rows, ["suppress"] * 6, [], Policy(k=3))
    patterns = RefinedPatterns(problem, SCALE)
    dear = np.full(len(problem.counts), 7 * SCALE)
    assert patterns.priced(dear, 0, Work(10, 10**9), whole=True) is None
    assert patterns.priced(dear, 0, Work(10**6, 10), whole=True) is None
    some = patterns.priced(dear, 0, NO_LIMIT, whole=True)
    assert some is not None
    assert len(Incidence(problem, some, tuple(range(6))).by_type[0]) == len(problem.counts) + 1
