"""Atoms, pricing and the listing of groups against slow twins; prices against the optimum."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from kilt.patterns.pool import Pool
from kilt.run.progress import silent
from kilt.run.stopping import Stop
from kilt.solvers.exact.column_generation.columns import Columns
from kilt.solvers.exact.column_generation.diving import dived
from kilt.solvers.exact.column_generation.master import relaxed
from kilt.solvers.exact.column_generation.minimal_groups import Atoms
from kilt.solvers.exact.column_generation.pricing import FINEST as SCALE
from kilt.solvers.exact.column_generation.pricing import Pricing
from kilt.solvers.greedy.solver import Greedy
from support.problems import all_groups, drawn_problem, solved


def drawn_pricing(data, most_rows=7) -> Pricing:
    problem = drawn_problem(data, most_rows)
    atoms = Atoms.of(problem)
    assert atoms is not None
    return Pricing(problem, Pool.of(problem), atoms)


def values_of(problem, groups, prices):
    columns = Columns.of(problem, np.array([u for g in groups for u in g]), np.array([len(g) for g in groups]))
    return columns.cost * SCALE - np.array([prices[list(group)].sum() for group in groups])


def vector_of(atoms: Atoms, group) -> tuple[int, ...]:
    if atoms.distinct:
        return (len(group),)
    return tuple(np.bincount(atoms.class_of[list(group)], minlength=atoms.vectors.shape[1]).tolist())


def splits(group, legal: set) -> bool:
    whole = Counter(group)
    for part in product(*(range(count + 1) for count in whole.values())):
        one = tuple(sorted(Counter(dict(zip(whole, part, strict=True))).elements()))
        other = tuple(sorted((whole - Counter(one)).elements()))
        if one in legal and other in legal:
            return True
    return False


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_atoms_are_the_legal_groups_that_do_not_split(data):
    pricing = drawn_pricing(data)
    problem, atoms = pricing.problem, pricing.atoms
    legal = set(all_groups(problem))
    listed = {tuple(vector) for vector in atoms.vectors.tolist()}
    for group in legal:
        if not splits(group, legal):
            distinct = len(set(atoms.class_of[list(group)].tolist())) == len(group)
            assert vector_of(atoms, group) in listed
            assert distinct or not atoms.distinct
    assert atoms.largest is None


@given(st.data())
@settings(max_examples=250, deadline=None)
def test_the_cheapest_atom_and_all_groups_within_a_limit(data):
    pricing = drawn_pricing(data)
    problem, atoms = pricing.problem, pricing.atoms
    prices = np.array([data.draw(st.integers(-3 * SCALE, 4 * SCALE)) for _ in problem.counts])
    listed = {tuple(vector) for vector in atoms.vectors.tolist()}
    groups = [
        group
        for group in all_groups(problem)
        if vector_of(atoms, group) in listed
        and (not atoms.distinct or len(set(atoms.class_of[list(group)].tolist())) == len(group))
    ]
    assume(groups)
    values = values_of(problem, groups, prices)
    cheapest = pricing.cheapest(prices)
    assert cheapest.value.min() == values.min()
    best = pricing.columns(cheapest, cheapest.value.argmin(keepdims=True))
    assert int(best.cost[0]) * SCALE - int(prices[best.types].sum()) == values.min()
    limit = data.draw(st.integers(-SCALE, 6 * SCALE))
    found = pricing.within(prices, limit, 10_000)
    assert found is not None
    mine = [tuple(sorted(found.types[a:b].tolist())) for a, b in zip(found.starts, found.starts[1:], strict=False)]
    assert sorted(mine) == sorted(group for group, value in zip(groups, values, strict=True) if value <= limit)
    if len(mine) > 1:
        assert pricing.within(prices, limit, 1) is None


@given(st.data())
@settings(max_examples=250, deadline=None)
def test_prices_are_feasible_and_the_dive_is_legal(data):
    pricing = drawn_pricing(data)
    problem = pricing.problem
    start = Greedy().solve(problem, Stop(), silent).partition
    relaxation = relaxed(pricing, Columns.of_partition(problem, start), Stop())
    groups = all_groups(problem)
    assert values_of(problem, groups, relaxation.prices.values).min() >= 0
    optimum = solved("exhaustive", problem).partition.cost
    assert relaxation.prices.bound <= optimum
    partition = dived(pricing, relaxation, data.draw(st.sampled_from([0.01, 0.3])), Stop())
    assert partition is not None
    assert partition.cost >= optimum
    assert problem.rules.meets(partition.as_groups(problem)).all()
    placed = np.bincount(partition.types, partition.counts, len(problem.counts))
    assert placed.tolist() == problem.counts.tolist()


@given(st.data())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
def test_bounds_hold_when_large_atoms_are_not_listed(data):
    pricing = drawn_pricing(data)
    problem, atoms = pricing.problem, pricing.atoms
    sizes = np.unique(atoms.vectors.sum(axis=1)).tolist()
    assume(len(sizes) > 1 and not atoms.distinct)
    largest = data.draw(st.sampled_from(sizes[:-1]))
    kept = atoms.vectors[atoms.vectors.sum(axis=1) <= largest]
    short = Pricing(problem, pricing.pool, Atoms(atoms.class_of, kept, largest))
    prices = np.array([data.draw(st.integers(-3 * SCALE, 4 * SCALE)) for _ in problem.counts])
    feasible = short.feasible(prices, min(0, int(short.cheapest(prices).value.min())))
    assert feasible.bound <= solved("exhaustive", problem).partition.cost
    groups = [group for group in all_groups(problem) if len(group) > largest]
    assert feasible.beyond is not None
    if groups:
        assert feasible.beyond <= values_of(problem, groups, feasible.values).min()
