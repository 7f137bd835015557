"""Solvers side by side."""

from __future__ import annotations

import json
from fractions import Fraction

import polars as pl
import pytest
from click.testing import CliRunner

import kilt
from kilt import InputError, Policy
from kilt.cli.commands import cli
from kilt.commands.compare import compare_text
from kilt.solvers.registry import SOLVERS

QUASI = "Zipcode:characters,Age:characters,Education"


def test_all_solvers_side_by_side(hospital):
    names = [name for name, entry in SOLVERS.items() if entry.ends]
    policy = Policy(k=3, t="0.3")
    compared = kilt.compare(hospital, quasi=QUASI, sensitive="Disease", policy=policy, solvers=names, time=600)
    assert {c.solver for c in compared} == set(names)
    made = [c for c in compared if c.exact_stars is not None]
    assert [c.exact_stars for c in made] == sorted(c.exact_stars for c in made)
    assert made[0].exact_stars == made[0].exact_bound == 63
    assert {c.exact_bound for c in made} == {63}
    assert all(c.groups >= 1 and 0 <= c.distance <= Fraction(3, 10) for c in made)
    exact = [c for c in made if c.kind == "exact"]
    assert exact
    assert all(c.exact_stars == 63 and "optimal" in c.remark for c in exact)
    refused = {c.solver: c.remark for c in compared if c.exact_stars is None}
    assert refused["cover"] == "cannot do this: it takes k-anonymity alone"
    assert compared[-1].gap is None
    assert json.loads(json.dumps([c.to_dict() for c in compared]))[0]["stars"] == 63


def test_where_no_solver_brings_a_bound_one_is_found(hospital):
    compared = kilt.compare(hospital, quasi=QUASI, policy=Policy(k=3), solvers="forest, mondrian", time=600)
    assert {c.solver for c in compared} == {"forest", "mondrian"}
    assert all(c.exact_bound is not None and 0 < c.exact_bound <= c.exact_stars for c in compared)
    assert compared[0].distance is None
    assert "at most 6 times the optimum" in compare_text(compared)


def test_who_is_stopped_says_so_and_guarantees_nothing(hospital):
    (found,) = kilt.compare(hospital, quasi=QUASI, policy=Policy(k=3), solvers=["forest"], time=0)
    assert found.remark == "stopped by its time limit; no guarantee"
    release = kilt.anonymize(hospital, quasi=QUASI, keep="Disease", policy=Policy(k=3), solver="forest", time=0)
    assert release.notes == ("the time limit stopped the solver before it finished",)
    assert release.guarantee is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"solvers": "mondrain"}, "'mondrain' is not a solver: did you mean 'mondrian'"),
        ({"solvers": []}, "'solvers' names none"),
        ({"time": -1}, "'time' must be a number of at least 0"),
    ],
)
def test_bad_questions(hospital, given, message):
    with pytest.raises(InputError, match=message):
        kilt.compare(hospital, quasi=QUASI, policy=Policy(k=3), **given)


def test_the_command_prints_a_table(hospital):
    words = ["compare", str(hospital), "--quasi", QUASI, "-k", "3", "--solvers", "subsets,classes,matching"]
    text = CliRunner().invoke(cli, words).output
    assert text.splitlines()[0].split() == ["solver", "stars", "bound", "gap", "groups", "seconds"]
    far = CliRunner().invoke(cli, [*words, "--sensitive", "Disease"]).output
    assert far.splitlines()[0].split() == ["solver", "stars", "bound", "gap", "groups", "largest", "t", "seconds"]
    assert "matching cannot do this" in text
    both = CliRunner().invoke(cli, [*words, "--json"]).output
    assert [entry["solver"] for entry in json.loads(both)] == ["subsets", "classes", "matching"]


def test_a_solver_that_refuses_does_not_cost_the_bound(hospital):
    compared = kilt.compare(hospital, quasi=QUASI, policy=Policy(k=3), solvers="mondrian,matching", time=600)
    assert compared[0].exact_bound == 54
    with pytest.raises(InputError, match="'auto' is not a solver itself"):
        kilt.compare(hospital, quasi=QUASI, policy=Policy(k=3), solvers="auto")


def test_solvers_that_all_refuse():
    with pytest.raises(InputError, match=r"none of these solvers can do this \(matching: it takes k=2"):
        kilt.compare(pl.DataFrame({"q": list("aaabbb")}), quasi="q", policy=Policy(k=3), solvers="matching")


def test_an_optimum_is_proved_alike_in_remark_status_and_text(hospital):
    """What one solver proves in floating point, another proves in integers: then it is plainly optimal."""
    asked = {"quasi": QUASI, "sensitive": "Disease", "policy": Policy(t="0.4"), "time": 600}
    (alone,) = kilt.compare(hospital, solvers="paper-milp", **asked)
    assert (alone.status, alone.remark, alone.proof) == ("optimal (floating point)",) * 2 + ("float",)
    both = kilt.compare(hospital, solvers="paper-milp,subsets", **asked)
    assert {c.solver for c in both} == {"paper-milp", "subsets"}
    assert {(c.status, c.remark, c.proof) for c in both} == {("optimal", "optimal", "exact")}
    assert "floating point" not in compare_text(both)


def test_a_bound_that_equals_the_stars_is_shown_as_they_are(hospital):
    policy = Policy(k=3)
    made = kilt.compare(
        hospital, quasi="Zipcode:prefix=4,2", policy=policy, solvers="exhaustive", weights="Zipcode=1/7"
    )
    assert made[0].exact_stars == made[0].exact_bound
    assert made[0].exact_stars.denominator > 1
    assert made[0].to_dict()["stars"] == made[0].to_dict()["bound"]
    line = compare_text(made).splitlines()[1].split()
    assert line[1] == line[2]
