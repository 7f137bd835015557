"""Transport: the flow and the potential prove the same number."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilt.model.transport import transport
from support.profiles import examples
from support.strategies import metrics


@given(st.data())
@examples(150)
def test_flow_and_potential_prove_the_same_number(data):
    size = data.draw(st.integers(1, 7))
    d = data.draw(metrics(size))
    difference = data.draw(st.lists(st.integers(-50, 50), min_size=size, max_size=size))
    difference[0] -= sum(difference)
    plan = transport(difference, d)
    assert plan.cost(difference, d) == plan.value(difference, d)


def test_a_wrong_certificate_is_refused():
    plan = transport([1, -1], [[0, 3], [3, 0]])
    with pytest.raises(ArithmeticError, match="does not move"):
        plan.cost([2, -2], [[0, 3], [3, 0]])
    with pytest.raises(ArithmeticError, match="steeper"):
        plan.value([1, -1], [[0, 2], [2, 0]])
