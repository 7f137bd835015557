"""The bound of a certificate: the best that can be written down, and never more than its check proves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kilt
from kilt import Policy
from kilt.bounds.lagrangian import lower_bound
from kilt.certificates.proof.evaluate import evaluate_bound
from kilt.certificates.proof.evidence import Bound, Evidence
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule
from kilt.solvers.registry import solver_info
from kilt.solvers.solve import certifiable_bound, run
from support.problems import drawn_problem, random_problem, solved
from support.profiles import examples

OVER = StoppingRule(seconds=0)


@given(st.data())
@examples(30)
def test_it_is_what_its_parts_prove_and_no_more_than_the_optimum(data):
    problem = drawn_problem(data)
    solution = run(problem, solver_info("exact"), StoppingRule(), silent)
    bound = certifiable_bound(problem, solution, StoppingRule(), silent)
    assert bound.arithmetic == "exact"
    assert bound.cost == evaluate_bound(problem, bound.parts)
    assert bound.cost >= lower_bound(problem, StoppingRule(), silent).cost
    assert bound.cost <= solved("exhaustive", problem).partition.cost


@pytest.mark.compiled
@pytest.mark.parametrize("policy", [Policy(k=3), Policy(k=5), Policy(l=2), Policy(l=2, diversity="distinct")], ids=str)
def test_the_multipliers_of_column_generation_are_as_good_as_the_bound_they_gave(policy):
    problem = random_problem(40, 4, 4, policy, seed=5)
    solution = solved("exact", problem)
    assert solution.evidence is not None
    bound = certifiable_bound(problem, solution, StoppingRule(), silent)
    assert bound.cost >= 0.95 * solution.bound.cost > 0
    assert bound.cost >= evaluate_bound(problem, [solution.evidence])


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["exact", "milp", "matching"])
def test_there_is_time_for_a_proof_when_all_of_it_is_over(name):
    problem = random_problem(60, 4, 2, Policy(k=2), seed=5)
    solution = solved(name, problem)
    bound = certifiable_bound(problem, solution, OVER, silent)
    assert bound.cost >= 0.9 * solution.cost


def test_an_optimum_in_floats_becomes_exact_if_the_certificate_proves_it(hospital, tmp_path):
    roles = {"quasi": "Zipcode:characters,Age:characters,Education", "policy": Policy(k=3), "solver": "milp"}
    assert kilt.anonymize(hospital, **roles).status == "optimal (floating point)"
    release = kilt.anonymize(hospital, **roles, certificate=tmp_path / "c.json")
    assert (release.status, release.proof) == ("optimal", "exact")
    found = kilt.check(tmp_path / "c.json", original=hospital)
    assert found.passed
    assert found.bound == release.stars


def test_a_certificate_that_proves_nothing_is_noted(hospital, tmp_path, monkeypatch):
    monkeypatch.setattr("kilt.commands.anonymize.certifiable_bound", lambda problem, *_: nothing(problem))
    release = kilt.anonymize(hospital, quasi="Age", policy=Policy(k=3), certificate=tmp_path / "c.json")
    assert any("the certificate proves nothing" in note for note in release.notes)
    assert kilt.check(tmp_path / "c.json", original=hospital).is_empty


def nothing(problem):
    return Bound(0, (Evidence((0,), np.zeros(len(problem.counts), dtype=np.int64), 1),))


def test_a_limit_can_be_extended_and_shortened():
    rule = StoppingRule(seconds=5)
    assert rule.at_least(2).seconds == 5
    assert 19 < rule.at_least(20).seconds <= 21
    assert 1 < rule.at_most(2).seconds <= 3
    assert rule.at_most(20).seconds == 5
    assert StoppingRule().at_least(2).seconds is None
    assert 2 <= StoppingRule().at_most(2).seconds <= 3
