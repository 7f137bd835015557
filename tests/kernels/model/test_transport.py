"""The compiled transport against the exact one."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kilt.kernels.model.transport import each_transported
from kilt.model.transport import transport
from support.profiles import examples


@given(st.data())
@examples(250)
def test_the_work_under_a_metric_is_that_of_the_transport(data):
    size = data.draw(st.integers(2, 6))
    points = [data.draw(st.tuples(st.integers(0, 9), st.integers(0, 9))) for _ in range(size)]
    distance = [[abs(a - c) + abs(b - d) for c, d in points] for a, b in points]
    difference = data.draw(st.lists(st.integers(-50, 50), min_size=size - 1, max_size=size - 1))
    difference.append(-sum(difference))
    work = each_transported(np.array(distance), np.array([difference, difference]))[1]
    assert work == transport(tuple(difference), tuple(map(tuple, distance))).cost(tuple(difference), distance)
