"""The catalogue, solvers side by side, and the search that goes on from what a solver found."""

from __future__ import annotations

import json
from fractions import Fraction

import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import kilt
from kilt import InputError, Policy
from kilt.cli.commands import cli
from kilt.commands.compare import compare_text
from kilt.run.progress import silent
from kilt.run.stopping import Stop
from kilt.solvers.registry import ALIASES, CATALOGUE, entry_of
from kilt.solvers.search.solver import Search
from kilt.solvers.solve import solved as recipe
from test_exact import drawn_problem, solved
from test_search import random_problem
from test_tuples import drawn_table

QUASI = "Zipcode:characters,Age:characters,Education"
OWN = {"tp": Policy(l=2), "tp+": Policy(l=2), "sabre": Policy(t="0.4")}  # the policies that only these take
HEURISTIC = [name for name, entry in CATALOGUE.items() if entry.kind != "exact" and name != "search"]


def test_the_catalogue_is_complete():
    for name, entry in CATALOGUE.items():
        assert entry.load().solve
        assert all(entry.to_dict()[word] for word in ("name", "kind", "guarantee", "takes", "source"))
        assert entry.name == name
    assert {entry.kind for entry in CATALOGUE.values()} == {"exact", "guaranteed", "heuristic"}
    assert [name for name, entry in CATALOGUE.items() if not entry.ends] == ["search"]


def test_authors_are_other_names():
    for alias, name in ALIASES.items():
        assert entry_of(alias) is CATALOGUE[name]
    listed = json.loads(CliRunner().invoke(cli, ["solvers", "--json"]).output)
    assert [entry["name"] for entry in listed] == list(CATALOGUE)
    assert "park-shim" in next(entry["also"] for entry in listed if entry["name"] == "cover")
    with pytest.raises(InputError, match="did you mean 'park-shim'"):
        entry_of("park-shimm")


def test_all_solvers_side_by_side(hospital):
    names = [name for name, entry in CATALOGUE.items() if entry.ends]
    policy = Policy(k=3, t="0.3")
    compared = kilt.compare(hospital, quasi=QUASI, sensitive="Disease", policy=policy, solvers=names, time=120)
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
    compared = kilt.compare(hospital, quasi=QUASI, policy=Policy(k=3), solvers="forest, mondrian", time=3)
    assert {c.solver for c in compared} == {"forest", "mondrian"}
    assert all(c.exact_bound is not None and 0 < c.exact_bound <= c.exact_stars for c in compared)
    assert compared[0].distance is None
    assert "at most 6 times the optimum" in compare_text(compared)


def test_who_is_stopped_says_so_and_guarantees_nothing(hospital):
    (found,) = kilt.compare(hospital, quasi=QUASI, policy=Policy(k=3), solvers=["forest"], time=0)
    assert found.remark == "stopped when its time was over; its guarantee is lost"
    release = kilt.anonymize(hospital, quasi=QUASI, policy=Policy(k=3), solver="forest", time=0)
    assert release.notes == ("the time was over before the solver's end",)
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
    assert text.splitlines()[0].split() == ["solver", "stars", "bound", "gap", "groups", "largest", "t", "seconds"]
    assert "matching cannot do this" in text
    both = CliRunner().invoke(cli, [*words, "--json"]).output
    assert [entry["solver"] for entry in json.loads(both)] == ["subsets", "classes", "matching"]


@pytest.mark.parametrize("name", HEURISTIC)
@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_polish_never_makes_it_worse_and_keeps_the_guarantee(name, data):
    problem = drawn_table(data, OWN[name]) if name in OWN else drawn_problem(data)
    assume(entry_of(name).load().refuses(problem) is None)
    rough = solved(name, problem)
    said, polished, _ = recipe(problem, name, Stop(iterations=200), silent, polish=True)
    optimum = solved("exhaustive", problem).partition.cost
    assert optimum <= polished.partition.cost <= rough.partition.cost
    assert polished.bound <= optimum
    assert polished.factor == rough.factor
    assert problem.rules.meets(polished.partition.as_groups(problem)).all()
    assert said in (name, f"{name} + search")


def test_polish_gains_much_on_a_larger_table():
    problem = random_problem(800, 5, 2, Policy(k=4))
    rough = solved("forest", problem)
    _, polished, _ = recipe(problem, "forest", Stop(iterations=50_000), silent, polish=True)
    assert polished.partition.cost < 0.9 * rough.partition.cost
    assert polished.factor == rough.factor == 9


def test_a_search_goes_on_from_what_is_given():
    problem = random_problem(300, 4, 2, Policy(k=3))
    start = solved("search", problem, Stop(iterations=30_000)).partition
    found = Search(start).solve(problem, Stop(iterations=0), silent)
    assert found.partition.cost <= start.cost


def test_a_solver_that_refuses_does_not_cost_the_bound(hospital):
    compared = kilt.compare(hospital, quasi=QUASI, policy=Policy(k=3), solvers="mondrian,matching", time=3)
    assert compared[0].exact_bound == 54
    with pytest.raises(InputError, match="'auto' chooses one of the others"):
        kilt.compare(hospital, quasi=QUASI, policy=Policy(k=3), solvers="auto")


def test_solvers_that_all_refuse():
    with pytest.raises(InputError, match=r"none of these solvers can do this \(matching: it takes k=2"):
        kilt.compare(pl.DataFrame({"q": list("aaabbb")}), quasi="q", policy=Policy(k=3), solvers="matching")
