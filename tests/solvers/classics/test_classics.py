"""The classics: Mondrian and Incognito do what their authors say, under any policy, and what they release is legal."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import kilt
from kilt import Policy
from kilt.model.partition import Partition
from kilt.model.patterns import useful_levels
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule
from kilt.solvers.classics.incognito import find_lowest_safe, is_safe
from kilt.solvers.classics.mondrian import cut_at_median, cut_in_half
from kilt.solvers.common.part import Part
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
def test_cuts_lose_no_row(data):
    problem = drawn_problem(data)
    whole = Part.whole(problem)
    for codes in problem.codes.T:
        strict, relaxed = cut_at_median(whole, codes), cut_in_half(whole, codes)
        for cut in (strict, relaxed):
            if cut is not None:
                placed = sum(np.bincount(side.types, side.counts, len(problem.counts)) for side in cut)
                assert placed.tolist() == problem.counts.tolist()
        if strict is not None:
            assert codes[strict[0].types].max() < codes[strict[1].types].min()
            assert 2 * strict[0].counts.sum() >= problem.rows
        if relaxed is not None:
            assert codes[relaxed[0].types].max() <= codes[relaxed[1].types].min()
            assert 0 <= relaxed[0].counts.sum() - relaxed[1].counts.sum() <= 1


def mondrian_twin(rows, k, whole=None):
    """Mondrian on rows of numbers, in plain Python."""
    columns = list(zip(*rows, strict=True))
    spans = [max(values) - min(values) for values in columns]
    shares = [Fraction(mine, all_) if all_ else 0 for mine, all_ in zip(spans, whole or spans, strict=True)]
    for column in sorted(range(len(columns)), key=lambda j: (-shares[j], j)):
        median = sorted(columns[column])[(len(rows) - 1) // 2]
        sides = [[row for row in rows if row[column] <= median], [row for row in rows if row[column] > median]]
        if all(len(side) >= k for side in sides):
            return [group for side in sides for group in mondrian_twin(side, k, whole or spans)]
    return [rows]


@given(
    st.lists(st.tuples(*[st.sampled_from([0, 1, 2, 5, 7, 12, 20])] * 3), min_size=2, max_size=40),
    st.integers(1, 4),
)
@examples(200)
def test_mondrian_cuts_as_its_definition_says(rows, k):
    assume(k <= len(rows))
    texts = [tuple(map(str, row)) for row in rows]
    problem = problem_of(texts, ["suppress"] * 3, [], Policy(k=k))
    number = {row: i for i, row in enumerate(sorted(set(texts)))}
    groups = [[number[tuple(map(str, row))] for row in group] for group in mondrian_twin(rows, k)]
    types = np.concatenate(groups)
    owner = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    expected = Partition.of(problem, types, owner, np.ones_like(types))
    found = solved("mondrian", problem).partition
    assert (found.types.tolist(), found.groups.tolist()) == (expected.types.tolist(), expected.groups.tolist())


@pytest.mark.parametrize(
    ("rows", "groups"),
    [
        ([("1", "a"), ("1", "a"), ("1", "b"), ("9", "b")], 2),  # no cut at the median of the first: the next is tried
        ([("1", "a"), ("1", "a"), ("1", "a"), ("9", "a")], 1),
    ],
)
def test_where_mondrian_cuts(rows, groups):
    problem = problem_of(rows, ["suppress", "suppress"], [], Policy(k=2))
    assert len(solved("mondrian", problem).partition) == groups


def test_relaxed_mondrian_shares_out_the_rows_of_the_median():
    problem = problem_of([("1", "a")] * 3 + [("9", "b")], ["suppress", "suppress"], [], Policy(k=2))
    assert len(solved("mondrian", problem).partition) == 1
    assert sorted(solved("mondrian-relaxed", problem).partition.sizes().tolist()) == [2, 2]


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
