"""Proofs where level vectors are many: dividing row types column by column proves what looking everywhere does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from kilt.arrays.ragged import Ragged
from kilt.bounds import lagrangian
from kilt.bounds.incidence import MAX_SCALE as SCALE
from kilt.bounds.lagrangian import lower_bound
from kilt.certificates.proof import near, patterns, refine
from kilt.certificates.proof.evaluate import evaluate_bound
from kilt.certificates.proof.evidence import Evidence
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule
from support.problems import drawn_multipliers, drawn_problem, solved
from support.profiles import examples

UNCHECKED = [HealthCheck.function_scoped_fixture]


@pytest.fixture(params=[1, 5, 1_000])
def chunk(request, monkeypatch):
    """Divide so many entries at a time."""
    monkeypatch.setattr(refine, "CHUNK_ENTRIES", request.param)


@given(st.data(), st.booleans())
@examples(80, UNCHECKED)
def test_any_multipliers_prove_the_same(chunk, data, few):
    problem = drawn_problem(data)
    evidence = Evidence(tuple(range(len(problem.columns))), drawn_multipliers(data, problem), SCALE)
    expected = evaluate_bound(problem, [evidence])
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(patterns, "MANY_LEVEL_VECTORS", 0)
        changed.setattr(refine, "FEW_COLUMNS", 16 if few else 0)
        assert evaluate_bound(problem, [evidence]) == expected
    assert expected <= solved("exhaustive", problem).partition.cost


@given(st.data(), st.sampled_from([1, 64]), st.sampled_from([1, 50, 10**6]))
@examples(120)
def test_any_multipliers_prove_the_same_where_rows_are_joined(data, first_rows, pairs):
    problem = drawn_problem(data)
    evidence = Evidence(tuple(range(len(problem.columns))), drawn_multipliers(data, problem), SCALE)
    expected = evaluate_bound(problem, [evidence])
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(patterns, "MANY_LEVEL_VECTORS", 0)
        changed.setattr(patterns, "VERY_MANY_LEVEL_VECTORS", 0)
        changed.setattr(near, "FIRST_ROWS", first_rows)
        changed.setattr(near, "PAIRS", pairs)
        changed.setattr(near, "JOINT_VALUES", data.draw(st.sampled_from([1, 1_000])))
        assert evaluate_bound(problem, [evidence]) == expected


@given(st.data())
@examples(60, UNCHECKED)
def test_bounds_by_joining_are_true_and_forged_ones_are_not_proved(monkeypatch, data):
    monkeypatch.setattr(patterns, "MANY_LEVEL_VECTORS", 0)
    monkeypatch.setattr(patterns, "VERY_MANY_LEVEL_VECTORS", 0)
    monkeypatch.setattr(lagrangian, "PARAMS", lagrangian.Params(most_level_vectors=0))
    problem = drawn_problem(data)
    optimum = solved("exhaustive", problem).partition.cost
    found = lower_bound(problem, StoppingRule(), silent)
    assert found.cost <= evaluate_bound(problem, found.parts) <= optimum
    raised = found.parts[0].multipliers + np.array([data.draw(st.integers(0, 3 * SCALE)) for _ in problem.counts])
    assert evaluate_bound(problem, [replace(found.parts[0], multipliers=raised)]) <= optimum


@given(st.data())
@examples(60, UNCHECKED)
def test_bounds_are_true_and_forged_ones_are_not_proved(monkeypatch, data):
    monkeypatch.setattr(patterns, "MANY_LEVEL_VECTORS", 0)
    monkeypatch.setattr(lagrangian, "PARAMS", lagrangian.Params(many_level_vectors=0, first_entries=8))
    problem = drawn_problem(data)
    optimum = solved("exhaustive", problem).partition.cost
    found = lower_bound(problem, StoppingRule(), silent)
    assert evaluate_bound(problem, found.parts) == found.cost <= optimum
    raised = found.parts[0].multipliers + np.array([data.draw(st.integers(0, 3 * SCALE)) for _ in problem.counts])
    assert evaluate_bound(problem, [replace(found.parts[0], multipliers=raised)]) <= optimum


def test_groups_of_one_level_vector_come_together_unless_they_have_no_room(chunk):
    rng = np.random.default_rng(1)
    members = Ragged.of_lengths(rng.integers(0, 9, 30), np.full(10, 3))
    found = refine.Buckets(members, np.repeat(np.arange(5), 2)[rng.permutation(10)][:, None], np.arange(10))
    pieces = list(found.chunks())
    assert sum(len(piece.members) for piece in pieces) == 10
    assert np.concatenate([piece.members.values for piece in pieces]).tolist() == members.values.tolist()
    vectors = [levels for levels, _ in found.by_levels()]
    assert vectors == [(level,) for level in range(5)]
    for levels, part in found.by_levels():
        assert part.levels.tolist() == [list(levels)] * 2
        for place, cost in enumerate(part.cost.tolist()):
            begin, end = part.members.starts[place : place + 2]
            assert part.members.values[begin:end].tolist() == members.values[3 * cost : 3 * cost + 3].tolist()
