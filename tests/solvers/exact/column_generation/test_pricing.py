"""Minimal groups, pricing and the listing of groups against slow twins; multipliers against the optimum."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st

from kilt.patterns.pool import Pool
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule
from kilt.solvers.exact.column_generation.columns import Columns
from kilt.solvers.exact.column_generation.diving import dive
from kilt.solvers.exact.column_generation.master import solve_relaxation
from kilt.solvers.exact.column_generation.minimal_groups import MinimalGroups
from kilt.solvers.exact.column_generation.pricing import MAX_SCALE as SCALE
from kilt.solvers.exact.column_generation.pricing import Pricing
from kilt.solvers.greedy.solver import Greedy
from support.problems import all_groups, drawn_problem, solved
from support.profiles import examples


def drawn_pricing(data, most_rows=7) -> Pricing:
    problem = drawn_problem(data, most_rows)
    minimal_groups = MinimalGroups.of(problem)
    assert minimal_groups is not None
    return Pricing(problem, Pool.of(problem), minimal_groups)


def reduced_costs_of(problem, groups, multipliers):
    columns = Columns.of(problem, np.array([u for g in groups for u in g]), np.array([len(g) for g in groups]))
    return columns.cost * SCALE - np.array([multipliers[list(group)].sum() for group in groups])


def vector_of(minimal_groups: MinimalGroups, group) -> tuple[int, ...]:
    if minimal_groups.distinct:
        return (len(group),)
    return tuple(
        np.bincount(minimal_groups.sensitive_class[list(group)], minlength=minimal_groups.vectors.shape[1]).tolist()
    )


def splits(group, legal: set) -> bool:
    whole = Counter(group)
    for part in product(*(range(count + 1) for count in whole.values())):
        one = tuple(sorted(Counter(dict(zip(whole, part, strict=True))).elements()))
        other = tuple(sorted((whole - Counter(one)).elements()))
        if one in legal and other in legal:
            return True
    return False


@given(st.data())
@examples(200)
def test_minimal_groups_are_the_legal_groups_that_do_not_split(data):
    pricing = drawn_pricing(data)
    problem, minimal_groups = pricing.problem, pricing.minimal_groups
    legal = set(all_groups(problem))
    listed = {tuple(vector) for vector in minimal_groups.vectors.tolist()}
    for group in legal:
        if not splits(group, legal):
            distinct = len(set(minimal_groups.sensitive_class[list(group)].tolist())) == len(group)
            assert vector_of(minimal_groups, group) in listed
            assert distinct or not minimal_groups.distinct
    assert minimal_groups.largest is None


@given(st.data())
@examples(250)
def test_the_cheapest_minimal_group_and_all_groups_within_a_limit(data):
    pricing = drawn_pricing(data)
    problem, minimal_groups = pricing.problem, pricing.minimal_groups
    multipliers = np.array([data.draw(st.integers(-3 * SCALE, 4 * SCALE)) for _ in problem.counts])
    listed = {tuple(vector) for vector in minimal_groups.vectors.tolist()}
    groups = [
        group
        for group in all_groups(problem)
        if vector_of(minimal_groups, group) in listed
        and (
            not minimal_groups.distinct or len(set(minimal_groups.sensitive_class[list(group)].tolist())) == len(group)
        )
    ]
    assume(groups)
    reduced_costs = reduced_costs_of(problem, groups, multipliers)
    cheapest = pricing.find_cheapest(multipliers)
    assert cheapest.reduced_cost.min() == reduced_costs.min()
    best = pricing.columns(cheapest, cheapest.reduced_cost.argmin(keepdims=True))
    assert int(best.cost[0]) * SCALE - int(multipliers[best.types].sum()) == reduced_costs.min()
    limit = data.draw(st.integers(-SCALE, 6 * SCALE))
    found = pricing.list_groups(multipliers, limit, 10_000)
    assert found is not None
    mine = [tuple(sorted(found.types[a:b].tolist())) for a, b in zip(found.starts, found.starts[1:], strict=False)]
    assert sorted(mine) == sorted(group for group, each in zip(groups, reduced_costs, strict=True) if each <= limit)
    if len(mine) > 1:
        assert pricing.list_groups(multipliers, limit, 1) is None


@given(st.data())
@examples(150)
def test_multipliers_are_feasible_and_the_dive_is_legal(data):
    pricing = drawn_pricing(data)
    problem = pricing.problem
    start = Greedy().solve(problem, StoppingRule(), silent).partition
    relaxation = solve_relaxation(pricing, Columns.of_partition(problem, start), StoppingRule())
    groups = all_groups(problem)
    assert reduced_costs_of(problem, groups, relaxation.multipliers.values).min() >= 0
    optimum = solved("exhaustive", problem).partition.cost
    assert relaxation.multipliers.bound <= optimum
    partition = dive(pricing, relaxation, data.draw(st.sampled_from([0.01, 0.3])), StoppingRule())
    assert partition is not None
    assert partition.cost >= optimum
    assert problem.rules.meets(partition.as_groups(problem)).all()
    placed = np.bincount(partition.types, partition.counts, len(problem.counts))
    assert placed.tolist() == problem.counts.tolist()


@given(st.data())
@examples(75, [HealthCheck.filter_too_much])
def test_bounds_hold_when_large_minimal_groups_are_not_listed(data):
    pricing = drawn_pricing(data)
    problem, minimal_groups = pricing.problem, pricing.minimal_groups
    sizes = np.unique(minimal_groups.vectors.sum(axis=1)).tolist()
    assume(len(sizes) > 1 and not minimal_groups.distinct)
    largest = data.draw(st.sampled_from(sizes[:-1]))
    kept = minimal_groups.vectors[minimal_groups.vectors.sum(axis=1) <= largest]
    short = Pricing(problem, pricing.pool, MinimalGroups(minimal_groups.sensitive_class, kept, largest))
    multipliers = np.array([data.draw(st.integers(-3 * SCALE, 4 * SCALE)) for _ in problem.counts])
    feasible = short.feasible(multipliers, min(0, int(short.find_cheapest(multipliers).reduced_cost.min())))
    assert feasible.bound <= solved("exhaustive", problem).partition.cost
    groups = [group for group in all_groups(problem) if len(group) > largest]
    assert feasible.least_unlisted is not None
    if groups:
        assert feasible.least_unlisted <= reduced_costs_of(problem, groups, feasible.values).min()
