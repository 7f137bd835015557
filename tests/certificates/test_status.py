"""What is called optimal, and by what: one word for every command."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

import kilt
from kilt import Policy
from kilt.certificates.proof.evidence import Bound, status_of
from kilt.commands.compare import compare_text
from kilt.commands.frontier import frontier_text
from kilt.report.html import release_html
from kilt.solvers.base import Solution
from support.command import call
from support.problems import solved, table_of

QUASI = "Zipcode:characters,Age:characters,Education"
FLOATING = "optimal (floating point)"


def test_the_word():
    assert status_of(5, 5, "exact") == "optimal"
    assert status_of(5, 5, "float") == FLOATING
    assert status_of(5, 4, "exact") == status_of(5, None, "exact") == status_of(5, 4, "float") == "feasible"
    assert status_of(Fraction(1, 3), Fraction(1, 3), "float") == FLOATING


def test_of_equal_bounds_the_exact_one_is_kept():
    partition = solved("exhaustive", table_of([[2, 1], [1, 2]], Policy(k=2))).partition
    floating = Solution(partition, Bound(partition.cost, arithmetic="float"))
    assert floating.status == FLOATING
    exact = floating.with_bound(Bound(partition.cost + 7))
    assert (exact.status, exact.bound.cost) == ("optimal", partition.cost)
    assert exact.with_bound(floating.bound) is exact
    assert floating.with_bound(Bound(partition.cost - 1)) is floating


@pytest.mark.parametrize(("solver", "word"), [("milp", FLOATING), ("exact", "optimal")])
def test_every_command_says_the_same(hospital, tmp_path, solver, word):
    release = kilt.anonymize(hospital, quasi=QUASI, policy=Policy(k=3), solver=solver)
    assert release.status == release.to_dict()["status"] == word
    assert f"bound 54, {word}, k=3" in repr(release)
    assert release.summary().splitlines()[1] == f"{word}: no release under k=3 can have fewer stars"
    assert f"{word}: no release" in release_html(release)
    compared = kilt.compare(hospital, quasi=QUASI, policy=Policy(k=3), solvers=solver)
    assert compared[0].status == compared[0].to_dict()["status"] == compared[0].remark == word
    assert compare_text(compared).splitlines()[1].endswith(f"  {word}")
    points = kilt.frontier(hospital, quasi=QUASI, k=3, solver=solver)
    assert points[0].status == points[0].to_dict()["status"] == word
    assert frontier_text(points).endswith(f"  {word}")
    done = call(
        "anonymize", hospital, "-o", tmp_path / "r.csv", "--quasi", QUASI, "-k", 3, "--solver", solver, "--json"
    )
    assert json.loads(done.stdout)["status"] == word


def test_a_policy_that_cannot_be_met_has_no_status(hospital):
    (point,) = kilt.frontier(hospital, quasi=QUASI, k=11)
    assert point.status is None
    assert point.to_dict()["proof"] is None
