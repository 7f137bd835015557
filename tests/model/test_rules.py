"""Rules: the union of legal groups is legal."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from kilt import InfeasibleError
from support.problems import problem_of
from support.profiles import examples
from support.strategies import policies, tables


@given(st.data())
@examples(150)
def test_union_of_legal_groups_is_legal(data):
    rows, quasi, sensitive = data.draw(tables(most_rows=12))
    policy = data.draw(policies(len(sensitive)))
    try:
        problem = problem_of(rows, quasi, sensitive, policy)
    except InfeasibleError:
        assume(False)
    side = data.draw(st.lists(st.integers(0, 2), min_size=len(problem.counts), max_size=len(problem.counts)))
    by_class = np.zeros((3, len(problem.sensitive_totals)), dtype=np.int64)
    np.add.at(by_class, (np.array(side), problem.sensitive_class), problem.counts)
    first, second = by_class[:1], by_class[1:2]
    if first.any() and second.any() and problem.rules.meets(problem.groups(by_class[:2])).all():
        assert problem.rules.meets(problem.groups(first + second))[0]
