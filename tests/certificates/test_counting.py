"""Groups that are counted in a proof: any sets and multipliers give a bound, and what is forged is refused."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kilt
from kilt import InputError, Policy
from kilt.bounds.incidence import MAX_SCALE as SCALE
from kilt.bounds.lagrangian import lower_bound
from kilt.bounds.oracles import oracle_of
from kilt.certificates.certificate import Certificate
from kilt.certificates.check import count
from kilt.certificates.proof import patterns
from kilt.certificates.proof.evaluate import evaluate_bound
from kilt.certificates.proof.evidence import CountingCuts, Evidence
from kilt.certificates.proof.in_database import evaluate_bound_in
from kilt.commands.check import check
from kilt.patterns.pool import Pool
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule
from kilt.sources.registry import open_source
from support.problems import all_groups, drawn_multipliers, drawn_problem, problem_of, solved
from support.profiles import examples


def cuts_of(sets, multipliers) -> CountingCuts:
    lengths = np.array([len(each) for each in sets], dtype=np.int64)
    types = np.array([u for each in sets for u in each], dtype=np.int64)
    return CountingCuts(types, lengths, np.array(multipliers, dtype=np.int64))


def drawn_cuts(data, problem) -> CountingCuts:
    """Draw any sets of row types; one may be named more than once."""
    every = st.integers(0, len(problem.counts) - 1)
    sets = data.draw(st.lists(st.lists(every, min_size=1, max_size=12), max_size=5))
    return cuts_of(sets, [data.draw(st.integers(0, 6 * SCALE)) for _ in sets])


@given(st.data())
@examples(500)
def test_any_cuts_give_a_bound_under_any_policy(data):
    problem = drawn_problem(data)
    evidence = oracle_of(problem, Pool.of(problem)).evidence(drawn_multipliers(data, problem))
    optimum = solved("exhaustive", problem).partition.cost
    for _ in range(3):
        assert evaluate_bound(problem, [replace(evidence, counting=drawn_cuts(data, problem))]) <= optimum


@given(st.data())
@examples(200)
def test_the_bound_is_that_of_the_definition(data):
    rows = data.draw(st.lists(st.tuples(*[st.sampled_from("abc")] * 3), min_size=3, max_size=8))
    problem = problem_of(rows, ["suppress"] * 3, [], Policy(k=data.draw(st.integers(1, 3))))
    multipliers, cuts = drawn_multipliers(data, problem), drawn_cuts(data, problem)
    k, groups = problem.rules.min_group_size, all_groups(problem)
    sets = [set(each.tolist()) for each in cuts.sets()]
    total = int(multipliers @ problem.counts)
    for types, multiplier in zip(sets, cuts.multipliers.tolist(), strict=True):
        total -= multiplier * (sum(int(problem.counts[u]) for u in types) // k)
    pool = Pool.of(problem)
    for p in range(len(pool)):
        covered = set(pool.types[pool.starts[p] : pool.starts[p + 1]].tolist())
        least = min(
            len(group) * int(pool.cost[p]) * SCALE - int(multipliers[list(group)].sum())
            for group in groups
            if covered.issuperset(group)
        )
        paid = sum(each for types, each in zip(sets, cuts.multipliers.tolist(), strict=True) if covered <= types)
        total += min(0, least + paid)
    found = evaluate_bound(problem, [Evidence((0, 1, 2), multipliers, SCALE, counting=cuts)])
    assert found == max(0, -(-total // SCALE))


FIVE = [(*"ap",), (*"aq",), (*"ax",), (*"bx",), (*"cx",)]  # three with an a, and three with an x


def test_five_rows_are_no_two_groups_of_three():
    problem = problem_of(FIVE, ["suppress"] * 2, [], Policy(k=3))
    plain = Evidence((0, 1), np.full(5, 4 * SCALE), SCALE)
    counted = replace(plain, counting=cuts_of([range(5)], [10 * SCALE]))
    assert evaluate_bound(problem, [counted]) == solved("exhaustive", problem).partition.cost == 10
    assert evaluate_bound(problem, [plain]) == 0
    assert lower_bound(problem, StoppingRule(), silent).cost == 10


@pytest.mark.parametrize(
    ("sets", "multipliers", "words"),
    [
        ([[0, 5]], [1], "row types that do not exist"),
        ([[-1]], [1], "row types that do not exist"),
        ([[0]], [2**53], "too large"),
        ([[0]] * 2_000, [2**53 - 1] * 2_000, "too large"),
    ],
)
def test_what_cannot_be_counted_is_refused(sets, multipliers, words):
    problem = problem_of(FIVE, ["suppress"] * 2, [], Policy(k=3))
    evidence = Evidence((0, 1), np.full(5, SCALE), SCALE, counting=cuts_of(sets, multipliers))
    with pytest.raises(InputError, match=words):
        evaluate_bound(problem, [evidence])


@pytest.mark.parametrize(
    ("types", "lengths", "multipliers"),
    [
        ([0], [1], [-1]),
        ([0], [1], []),
        ([0], [0, 1], [1, 1]),
        ([0, 1], [1], [1]),
        ([0], [2], [1]),
        ([0], [2, -1], [1, 1]),
    ],
)
def test_cuts_that_are_not_in_order_are_refused(types, lengths, multipliers):
    with pytest.raises(InputError):
        CountingCuts(*(np.array(each, dtype=np.int64) for each in (types, lengths, multipliers)))


def test_groups_are_not_counted_where_only_some_rows_are_listed(monkeypatch):
    problem = problem_of(FIVE, ["suppress"] * 2, [], Policy(k=3))
    evidence = Evidence((0, 1), np.full(5, SCALE), SCALE, counting=cuts_of([range(5)], [SCALE]))
    monkeypatch.setattr(patterns, "MANY_LEVEL_VECTORS", 1)
    refined = evaluate_bound(problem, [evidence])
    monkeypatch.setattr(patterns, "VERY_MANY_LEVEL_VECTORS", 1)
    with pytest.raises(InputError, match="cannot be counted"):
        evaluate_bound(problem, [evidence])
    monkeypatch.undo()
    assert evaluate_bound(problem, [evidence]) == refined


def test_groups_are_not_counted_in_a_database():
    problem = problem_of(FIVE, ["suppress"] * 2, [], Policy(k=3))
    evidence = Evidence((0, 1), np.full(5, SCALE), SCALE, counting=cuts_of([range(5)], [SCALE]))
    with pytest.raises(InputError, match="not evaluated in a database"):
        evaluate_bound_in(None, problem, [evidence])


@pytest.fixture(scope="module")
def counted(tmp_path_factory):
    """A table of which a certificate counts groups."""
    folder = tmp_path_factory.mktemp("counted")
    frame = pl.DataFrame({name: [row[i] for row in FIVE] for i, name in enumerate("ab")})
    frame.write_csv(folder / "table.csv")
    kilt.bound(frame, quasi="a,b", policy=Policy(k=3), certificate=folder / "bound.json")
    return folder


def sealed(counted, **changes):
    """Change the part of the certificate as a forger would who knows the table, and seal it again."""
    found = json.loads((counted / "bound.json").read_text())
    bound = changes.pop("bound", found["bound"])
    part = {**found["parts"][0], **changes}
    certificate = Certificate.of_dict({**found, "bound": bound, "parts": [part]})
    return certificate.sealed(count(open_source(counted / "table.csv"), list(certificate.quasi), []))


def test_a_certificate_counts_groups_in_a_format_of_its_own(counted):
    found = json.loads((counted / "bound.json").read_text())
    assert found["certificate"] == 4
    assert found["parts"][0]["sets"]
    assert check(counted / "bound.json", original=counted / "table.csv").passed


def test_forged_cuts_are_refused(counted):
    found = json.loads((counted / "bound.json").read_text())
    sets, numbers, higher = found["parts"][0]["sets"], found["parts"][0]["counts"], str(int(found["bound"]) + 1)
    every = list(range(found["row_types"]))
    original = counted / "table.csv"
    assert check(sealed(counted), original=original).passed
    for part in ({"counts": [2 * each for each in numbers]}, {"sets": [every for _ in sets]}, {"sets": sets[::-1]}):
        assert not check(sealed(counted, bound=higher, **part), original=original).passed
    assert not check(sealed(counted, sets=[[*each, len(every)] for each in sets]), original=original).passed
    for part in (
        {"counts": [-each for each in numbers]},
        {"counts": numbers[1:]},
        {"counts": [2**53 for _ in numbers]},
        {"sets": [[] for _ in sets]},
        {"sets": [[0.5] for _ in sets]},
        {"sets": sets[0]},
    ):
        with pytest.raises((InputError, TypeError)):
            sealed(counted, **part)


def test_other_certificates_are_written_as_before(tmp_path):
    frame = pl.DataFrame({"a": list("xxyy"), "b": list("pqpq")})
    kilt.bound(frame, quasi="a,b", policy=Policy(k=2), certificate=tmp_path / "bound.json")
    found = json.loads((tmp_path / "bound.json").read_text())
    assert found["certificate"] == 2
    assert "sets" not in found["parts"][0]
    assert check(tmp_path / "bound.json", original=frame).passed
