"""Reduced costs by size alone against a slow twin."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kilt.kernels.bounds.lagrangian import values_by_size
from kilt.patterns.pool import Pool
from support.problems import searchable
from support.profiles import examples


@given(st.data())
@examples(100)
def test_values_by_size_are_those_of_the_cheapest_rows(data):
    problem = searchable(data)
    pool, size = Pool.of(problem), max(1, problem.rules.min_group_size)
    multipliers = np.array([data.draw(st.integers(-3, 9)) for _ in problem.counts])
    values = values_by_size(multipliers, problem.counts, pool.types, pool.starts, pool.cost, size)
    for p in range(len(pool)):
        members = pool.types[pool.starts[p] : pool.starts[p + 1]]
        each = sorted(int(pool.cost[p]) - int(multipliers[u]) for u in members for _ in range(problem.counts[u]))
        taken = max(size, sum(value < 0 for value in each))
        assert values[p] == (sum(each[:taken]) if len(each) >= size else np.inf)
