"""Workers share the groups of a search, lose nothing, and repeat themselves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilt import Policy
from kilt.run.stopping import StoppingRule
from kilt.solvers.search import solver as solver_module
from kilt.solvers.search.workers import Workers
from support.problems import random_problem, searchable, solved
from support.profiles import examples
from support.states import assert_lists_agree, assert_no_row_is_lost, state_of


@given(st.data())
@examples(60)
def test_hands_share_the_groups_and_lose_nothing(data):
    problem = searchable(data)
    state = state_of(problem, seed=data.draw(st.integers(0, 99)))
    state.build(np.array([data.draw(st.floats(-2, 6)) * problem.unit for _ in problem.counts]))
    workers = Workers.of(state, data.draw(st.integers(2, 3)), 0)
    for _ in range(5):
        before = workers.cost
        workers.redistribute()
        assert workers.cost == before
        workers.anneal(40, data.draw(st.sampled_from([0.01, 0.5, 3.0])))
        for held in workers.states:
            assert_lists_agree(held)
        assert_no_row_is_lost(state, workers.copies())
    assert state.at(workers.copies()).cost <= workers.cost


@pytest.mark.compiled
def test_hands_repeat_themselves_on_any_number_of_cores(monkeypatch):
    monkeypatch.setattr(solver_module, "PARAMS", replace(solver_module.PARAMS, row_types_per_worker=100))
    problem, found = random_problem(600, 4, 4, Policy(k=4, t="0.4")), []
    for cores in (1, 2, 7):
        monkeypatch.setattr("kilt.solvers.search.solver.ALL_CORES", cores)
        found.append(solved("search", problem, StoppingRule(iterations=30_000)).partition)
    assert len({tuple(partition.groups) for partition in found}) == 1
    assert len({tuple(partition.types) for partition in found}) == 1
