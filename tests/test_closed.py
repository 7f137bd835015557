"""Closed patterns listed by their covers, sets of bits, and rules that ask for a size in other words."""

from __future__ import annotations

from functools import partial
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import naive
from kilt import Metric, Policy, TCloseness
from kilt.arrays.bits import byte_weights, packed, unpacked
from kilt.hardness import planted_matching, random_graph, random_matching, to_closeness
from kilt.hardness.problems.graphs import Bisection
from kilt.kernels.patterns.bits import weight_of
from kilt.model.rules import SizeRule
from kilt.patterns import closed, pool
from kilt.patterns.closed import closed_patterns
from kilt.patterns.pool import Pool, every_pattern, too_many_patterns
from kilt.run.progress import silent
from kilt.run.stopping import Stop
from kilt.solvers.exact.column_generation.columns import Columns
from kilt.solvers.exact.subsets import Lattice
from kilt.solvers.greedy.solver import Greedy
from kilt.solvers.registry import choose, solver
from test_exact import drawn_problem, solved
from test_solvers import problem_of


def listed(pool):
    """A pool as plain data: what every pattern covers, its levels and its cost."""
    return {
        (tuple(pool.types[a:b].tolist()), tuple(levels), cost)
        for a, b, levels, cost in zip(
            pool.starts, pool.starts[1:], pool.levels.tolist(), pool.cost.tolist(), strict=False
        )
    }


def by_covers(problem):
    found = closed_patterns(problem, partial(pool._can_hold, problem), 10**6)
    return Pool.sorted(problem, found)


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_patterns_by_their_covers_are_those_of_all_level_vectors(data):
    problem = drawn_problem(data)
    mine, slow = by_covers(problem), Pool.of(problem)
    assert listed(mine) == listed(slow)
    assert len(mine) == len(slow) == len(listed(slow))
    assert mine.cost.tolist() == sorted(slow.cost.tolist())


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_covers_are_closed_and_all_of_them_are_found(data):
    columns = data.draw(st.integers(1, 6))
    rows = data.draw(st.lists(st.tuples(*[st.sampled_from("ab")] * columns), min_size=1, max_size=7))
    least = data.draw(st.integers(1, 3))
    assume(least <= len(rows))
    problem = problem_of(rows, ["suppress"] * columns, [], Policy(k=least))
    kinds = sorted(set(rows))
    expected = set()
    for size in range(1, len(kinds) + 1):
        for group in combinations(kinds, size):
            shown = [cells[0] if len(set(cells)) == 1 else None for cells in zip(*group, strict=True)]
            cover = [row for row in rows if all(s in (None, cell) for s, cell in zip(shown, row, strict=True))]
            if len(cover) >= least:
                expected.add(tuple(i for i, kind in enumerate(kinds) if kind in cover))
    assert {types for types, _, _ in listed(by_covers(problem))} == expected


def test_small_steps_find_the_same(monkeypatch):
    rng = np.random.default_rng(1)
    rows = [tuple(map(str, row)) for row in rng.integers(0, 3, (40, 9))]
    problem = problem_of(rows, ["suppress"] * 9, [], Policy(k=2))
    whole = listed(by_covers(problem))
    monkeypatch.setattr(closed, "ROOM", 1)
    monkeypatch.setattr(closed, "TESTS", 0)
    assert listed(by_covers(problem)) == whole


def test_patterns_that_are_too_many_are_none(monkeypatch):
    rng = np.random.default_rng(2)
    rows = [tuple(map(str, row)) for row in rng.integers(0, 2, (60, 24))]
    problem = problem_of(rows, ["suppress"] * 24, [], Policy(k=3))
    possible = partial(pool._can_hold, problem)
    assert closed_patterns(problem, possible, 100) is None
    monkeypatch.setattr(closed, "MOST_TESTS", 1000)
    assert every_pattern(problem) is None
    assert too_many_patterns(problem) == (
        "it lists all patterns, and those of 60 different rows and 24 columns with these ladders are too many"
    )
    assert "lists all patterns" in solver("exact").refuses(problem)
    assert choose("auto", problem).name == "search"


def test_wide_tables_of_few_rows_are_solved_exactly():
    rng = np.random.default_rng(3)
    for k in (2, 3, 5):
        rows = [tuple(map(str, row)) for row in rng.integers(0, 4, (16, 40))]
        problem = problem_of(rows, ["suppress"] * 40, [], Policy(k=k))
        assert choose("auto", problem).name == "exact"
        answers = [solved(name, problem) for name in ("subsets", "exact", "milp")]
        assert len({answer.partition.cost for answer in answers}) == 1
        assert all(answer.bound == answer.partition.cost for answer in answers)


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_greedy_over_all_patterns_is_legal(data):
    problem = drawn_problem(data)
    found = Greedy(every_pattern(problem)).solve(problem, Stop(), silent)
    assert problem.rules.meets(found.partition.as_groups(problem)).all()
    assert np.bincount(found.partition.types, found.partition.counts).tolist() == problem.counts.tolist()
    assert found.partition.cost >= solved("exhaustive", problem).partition.cost


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_what_multisets_cost_and_which_are_legal(data):
    problem = drawn_problem(data, most_rows=6)
    lattice = Lattice.of(problem)
    for _ in lattice.fill():
        pass
    sizes = []
    for index in range(1, len(lattice.cost)):
        copies = index // lattice.strides % (problem.counts + 1)
        types = np.repeat(np.arange(len(copies)), copies)
        assert lattice.cost[index] == Columns.of(problem, types, np.array([len(types)])).cost[0]
        by_class = np.bincount(problem.class_of, copies, len(problem.class_totals)).astype(np.int64)
        legal = problem.rules.meets(problem.groups(by_class[None]))[0]
        assert lattice.legal[index] == legal
        sizes += [len(types)] * bool(legal)
    assert lattice.smallest == min(sizes)


@given(st.lists(st.lists(st.booleans(), min_size=70, max_size=70), max_size=5), st.integers(1, 70))
def test_sets_of_bits(rows, width):
    members = np.array([row[:width] for row in rows], dtype=bool).reshape(len(rows), width)
    words = packed(members)
    assert words.shape == (len(rows), 1 + (width > 64))
    assert (unpacked(words, width) == members).all()
    weights = np.arange(1, width + 1) ** 3
    for row, word in zip(members, words, strict=True):
        assert weight_of(word, byte_weights(weights)) == weights[row].sum()


@given(st.integers(1, 7), st.fractions(0, 1, max_denominator=20), st.booleans())
def test_closeness_to_values_that_are_all_different_is_a_size(rows, t, as_metric):
    distance = [[int(i != j) for j in range(rows)] for i in range(rows)]
    problem = problem_of([("a", str(i)) for i in range(rows)], ["suppress"], ["equal"], Policy(t=t))
    if as_metric and rows > 1:
        policy = Policy(TCloseness(t, Metric.of([str(i) for i in range(rows)], distance)))
        problem = problem_of([("a", str(i)) for i in range(rows)], ["suppress"], ["equal"], policy)
    (rule,) = problem.simpler.rules
    assert isinstance(rule, SizeRule)
    assert problem.simpler.sizes == ()
    for size in range(1, rows + 1):
        group = np.array([[1] * size + [0] * (rows - size)])
        assert problem.rules.meets(problem.groups(group))[0] == (size >= rule.k)
        assert (naive.emd(group[0], [1] * rows, distance) <= t + 1e-9) == (size >= rule.k)


@pytest.mark.parametrize(
    ("values", "space", "policy"),
    [
        ("0123", "ordered", Policy(t="0.3")),  # not equally far apart
        ("0012", "equal", Policy(t="0.3")),  # a value of two rows
        ("0123", "equal", Policy(l=2)),
        ("0123", "equal", Policy(l=2, t="0.5")),
    ],
)
def test_other_rules_stay_as_they_are(values, space, policy):
    problem = problem_of([("a", value) for value in values], ["suppress"], [space], policy)
    assert problem.simpler is problem


@pytest.mark.parametrize("t", ["1/2", "3/4"])
def test_solvers_agree_whether_closeness_is_a_size_or_not(t):
    for seed in range(10):
        instance = to_closeness(Bisection(random_graph(4, 5, seed)), t, compact=t == "3/4").instance
        answers = [instance.solve(name) for name in ("exhaustive", "subsets", "exact", "milp")]
        assert len({answer.stars for answer in answers}) == 1
        assert all(answer.optimal and instance.is_legal(answer.groups) for answer in answers)


def test_matchings_of_many_elements_are_decided():
    yes = to_closeness(planted_matching(30, 90, seed=1)[0], "0.3")
    answer = yes.instance.solve("exact", 60)
    assert answer.optimal
    assert yes.source.accepts(yes.back(answer.groups))
    for seed in range(3):
        drawn = to_closeness(random_matching(12, 24, seed), "0.3")
        one, other = (drawn.instance.solve(name, 60) for name in ("exact", "milp"))
        assert one.optimal
        assert other.optimal
        assert one.stars == other.stars
