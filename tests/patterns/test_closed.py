"""Closed patterns: those listed by what they cover are those of all level vectors."""

from __future__ import annotations

from functools import partial
from itertools import combinations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from kilt import Policy
from kilt.patterns import closed, pool
from kilt.patterns.closed import closed_patterns
from kilt.patterns.pool import Pool, every_pattern, too_many_patterns
from kilt.solvers.choose import choose
from kilt.solvers.registry import solver
from support.problems import drawn_problem, problem_of
from support.profiles import examples


def listed(pool):
    """A pool as plain data: what every pattern covers, its levels and its cost."""
    return {
        (tuple(pool.types[a:b].tolist()), tuple(levels), cost)
        for a, b, levels, cost in zip(
            pool.starts, pool.starts[1:], pool.levels.tolist(), pool.cost.tolist(), strict=False
        )
    }


def by_covers(problem):
    found = closed_patterns(problem, partial(pool.can_hold, problem), 10**6)
    return Pool.sorted(problem, found.under, found.levels)


@given(st.data())
@examples(300)
def test_patterns_by_their_covers_are_those_of_all_level_vectors(data):
    problem = drawn_problem(data)
    mine, slow = by_covers(problem), Pool.of(problem)
    assert listed(mine) == listed(slow)
    assert len(mine) == len(slow) == len(listed(slow))
    assert mine.cost.tolist() == sorted(slow.cost.tolist())


@given(st.data())
@examples(150)
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
    monkeypatch.setattr(closed, "PARAMS", closed.Params(chunk_tests=0, chunk_sets=1))
    assert listed(by_covers(problem)) == whole


def test_patterns_that_are_too_many_are_none(monkeypatch):
    rng = np.random.default_rng(2)
    rows = [tuple(map(str, row)) for row in rng.integers(0, 2, (60, 24))]
    problem = problem_of(rows, ["suppress"] * 24, [], Policy(k=3))
    possible = partial(pool.can_hold, problem)
    assert closed_patterns(problem, possible, 100) is None
    monkeypatch.setattr(closed, "PARAMS", closed.Params(max_tests=1000))
    assert every_pattern(problem) is None
    assert too_many_patterns(problem) == (
        "it lists all patterns, and those of 60 different rows and 24 columns with these ladders are too many"
    )
    assert "lists all patterns" in solver("exact").refuses(problem)
    assert choose("auto", problem).name == "search"


@given(st.data(), st.integers(1, 40))
@examples(200)
def test_below_a_ceiling_all_patterns_are_listed(data, most):
    problem = drawn_problem(data)
    every, some = Pool.of(problem), Pool.of(problem, most)
    if some.ceiling is None:
        assert listed(some) == listed(every)
    else:
        below = {pattern for pattern in listed(every) if pattern[2] < some.ceiling}
        assert below <= listed(some) <= listed(every)
