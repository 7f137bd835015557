"""The classics: Mondrian and Incognito do what their authors say, under any policy, and what they release is legal."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kilt
from kilt import Policy
from kilt.model.partition import Partition
from kilt.model.patterns import useful_levels
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule
from kilt.solvers.classics.incognito import find_lowest_safe, is_safe
from kilt.solvers.classics.mondrian import Part, cut_between, cut_in_half
from support.problems import drawn_problem, problem_of, solved
from support.profiles import examples
from support.strategies import LADDERS, tables

CLASSICS = ["mondrian", "mondrian-relaxed", "incognito", "incognito-tightened"]


@pytest.mark.parametrize("name", CLASSICS)
@given(data=st.data())
@examples(150)
def test_classics_release_legally_and_never_beat_the_optimum(name, data):
    problem = drawn_problem(data)
    assert solved(name, problem).partition.cost >= solved("exhaustive", problem).partition.cost


@pytest.mark.parametrize("name", CLASSICS)
def test_classics_stop_when_told(name):
    problem = problem_of([("a",), ("b",), ("a",), ("b",)], ["suppress"], [], Policy(k=2))
    assert len(solved(name, problem, StoppingRule(interrupted=lambda: True)).partition) == 1
    assert len(solved(name, problem).partition) == 2


@given(st.data())
@examples(150)
def test_cuts_lose_no_row_and_leave_legal_sides(data):
    problem = drawn_problem(data)
    whole = Part(np.arange(len(problem.counts)), problem.counts)
    for codes in problem.codes.T:
        for cut in (cut_between(problem, whole, codes), cut_in_half(problem, whole, codes)):
            if cut is not None:
                placed = sum(np.bincount(side.types, side.counts, len(problem.counts)) for side in cut)
                assert placed.tolist() == problem.counts.tolist()
        strict = cut_between(problem, whole, codes)
        if strict is not None:
            assert codes[strict[0].types].max() < codes[strict[1].types].min()
        relaxed = cut_in_half(problem, whole, codes)
        if relaxed is not None:
            assert 0 <= relaxed[0].counts.sum() - relaxed[1].counts.sum() <= 1


@given(st.data())
@examples(150)
def test_incognito_finds_all_lowest_safe_vectors(data):
    problem = drawn_problem(data)
    useful = useful_levels(problem)
    safe = {vector for vector in product(*useful) if is_safe(problem, vector)}
    assert all(
        upper in safe for vector in safe for upper in product(*useful) if all(np.array(upper) >= np.array(vector))
    )
    lowest = {v for v in safe if not any(w != v and all(np.array(w) <= np.array(v)) for w in safe)}
    assert set(find_lowest_safe(problem, StoppingRule(), silent)) == lowest
    shown = [Partition.full_domain(problem, vector) for vector in safe]
    assert solved("incognito", problem).partition.cost == min(partition.cost for partition in shown)
    tightened = solved("incognito-tightened", problem).partition
    assert tightened.cost == min(partition.tightened(problem).cost for partition in shown)


@given(st.data())
@examples(40)
def test_full_domain_releases_are_verified_whatever_the_ladders(data):
    rows, quasi, _ = data.draw(tables(most_sensitive=0))
    frame = pd.DataFrame(rows, columns=[f"q{i}" for i in range(len(quasi))], dtype=object)
    ladders = {f"q{i}": LADDERS[name] for i, name in enumerate(quasi)}
    policy = Policy(k=data.draw(st.integers(1, len(rows))))
    release = kilt.anonymize(frame, quasi=ladders, policy=policy, solver="incognito", mark="*")
    tightened = kilt.anonymize(frame, quasi=ladders, policy=policy, solver="incognito-tightened", mark="*")
    assert release.verdict.met
    assert release.exact_bound <= tightened.exact_stars <= release.exact_stars == release.verdict.fidelity.stars


def test_a_full_domain_release_has_a_certificate_and_can_be_polished(hospital, tmp_path):
    given = {"quasi": "Zipcode:characters,Age:characters,Education", "policy": Policy(k=2), "solver": "incognito"}
    proof, output = tmp_path / "proof.json", tmp_path / "release.csv"
    release = kilt.anonymize(hospital, **given, output=output, certificate=proof)
    assert {tuple(group.pattern.values())[1:] for group in release.groups} == {("**", "*")}
    assert release.stars == 60
    assert kilt.check(proof, original=hospital, release=output).passed
    assert kilt.anonymize(hospital, **given, polish=True, iterations=2_000).stars <= 55
