"""Lists of patterns by row type against slow twins."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kilt.bounds.incidence import Incidence
from kilt.kernels.bounds.incidence import by_type
from kilt.patterns.pool import Pool
from support.problems import drawn_multipliers, drawn_problem
from support.profiles import examples


@given(st.data(), st.sampled_from([np.int32, np.int64]))
@examples(100)
def test_entries_by_row_type_are_in_the_order_of_patterns(data, dtype):
    n_row_types = data.draw(st.integers(1, 6))
    covers = data.draw(st.lists(st.sets(st.integers(0, n_row_types - 1)), max_size=6))
    types = np.array([u for cover in covers for u in sorted(cover)], dtype=dtype)
    starts = np.cumsum([0, *map(len, covers)])
    type_starts, patterns, places = by_type(types, starts, n_row_types)
    assert (type_starts.dtype, patterns.dtype, places.dtype) == (np.int64, np.int32, np.int32)
    for u in range(n_row_types):
        mine = slice(type_starts[u], type_starts[u + 1])
        assert patterns[mine].tolist() == [p for p, cover in enumerate(covers) if u in cover]
        assert (types[places[mine]] == u).all()


@given(st.data())
@examples(100)
def test_a_pattern_is_active_if_a_multiplier_exceeds_its_cost(data):
    problem = drawn_problem(data)
    pool, multipliers = Pool.of(problem), drawn_multipliers(data, problem)
    incidence = Incidence(problem, pool, tuple(range(len(problem.columns))))
    covers = np.split(pool.types, pool.starts[1:-1])
    expected = [
        (multipliers[cover] > cost * incidence.scale).any() for cover, cost in zip(covers, pool.cost, strict=True)
    ]
    assert incidence.active(multipliers).tolist() == expected
