"""The registry of solvers: it is complete, and who refuses names those who do not."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

import kilt
from kilt import InputError, Policy
from kilt.cli.commands import cli
from kilt.model.partition import Partition
from kilt.solvers.base import Solution
from kilt.solvers.choose import choose
from kilt.solvers.registry import ALIASES, DROPPED_ALIASES, SOLVERS, solver_info
from support.command import run
from support.problems import problem_of


def test_a_solver_that_refuses_names_those_that_do_not():
    problem = problem_of([(str(i),) for i in range(13)], ["suppress"], [], Policy(k=2))
    with pytest.raises(
        InputError,
        match=r"at most 12 rows, and this one has 13; these can: recursion, subsets, milp, matching, .*exact",
    ):
        choose("exhaustive", problem)
    with pytest.raises(InputError, match="did you mean 'greedy'"):
        choose("gredy", problem)
    assert choose("auto", problem).name == "exact"


def test_the_catalogue_is_complete():
    for name, entry in SOLVERS.items():
        assert entry.load().solve
        assert all(entry.to_dict()[word] for word in ("name", "kind", "guarantee", "takes", "source"))
        assert entry.name == name
    assert {entry.kind for entry in SOLVERS.values()} == {"exact", "guaranteed", "heuristic"}
    assert [name for name, entry in SOLVERS.items() if not entry.ends] == ["search", "split"]


def test_authors_are_other_names_of_what_they_published():
    for alias, name in ALIASES.items():
        assert solver_info(alias) is SOLVERS[name]
    listed = json.loads(CliRunner().invoke(cli, ["solvers", "--json"]).output)
    assert [entry["name"] for entry in listed] == list(SOLVERS)
    assert {entry["name"]: entry["also"] for entry in listed if entry["also"]} == {
        "diameter": ["meyerson-williams"],
        "tp": ["xiao-yi-tao"],
    }
    assert not any(SOLVERS[name].source.startswith("after") for name in ALIASES.values())
    with pytest.raises(InputError, match="did you mean 'meyerson-williams'"):
        solver_info("meyerson-wiliams")


@pytest.mark.parametrize(("alias", "name"), DROPPED_ALIASES.items())
def test_names_of_authors_who_published_something_else_go_on_with_a_warning(alias, name):
    rows = [("a", "0"), ("b", "1"), ("a", "1"), ("b", "0")]
    problem = problem_of(rows, ["suppress"], ["equal"], Policy(k=2))
    with pytest.warns(FutureWarning, match=f"'{name}' is no longer called '{alias}'"):
        assert choose(alias, problem) is SOLVERS[name]


def test_whoever_uses_a_dropped_name_is_told_once(hospital, tmp_path):
    words = ["--quasi", "Education", "-k", "3"]
    told = "kilt: 'cover' is no longer called 'park-shim', since it is not quite the published algorithm"
    done = run("anonymize", hospital, "-o", tmp_path / "release.csv", *words, "--solver", "park-shim")
    assert (done.returncode, done.stderr.count(told)) == (0, 1)
    done = run("compare", hospital, *words, "--solvers", "park-shim,classes")
    assert (done.returncode, done.stderr.count(told)) == (0, 1)


class Lossy:
    """A solver of somebody else's that loses a row."""

    def refuses(self, problem):
        return None

    def solve(self, problem, stop, observer):
        every = np.arange(len(problem.counts) - 1)
        return Solution(Partition.of(problem, every, np.zeros_like(every), problem.counts[:-1]))


def test_a_solver_of_somebody_else_that_loses_rows_is_refused(hospital, tmp_path):
    with pytest.raises(kilt.KiltError, match="the solver 'Lossy' did not put every row into exactly one group"):
        kilt.anonymize(hospital, quasi="Zipcode", policy=kilt.Policy(k=2), solver=Lossy(), output=tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_solver_is_said_to_be_none(hospital):
    with pytest.raises(kilt.InputError, match="'solver' must be a name, or an object"):
        kilt.anonymize(hospital, quasi="Zipcode", policy=kilt.Policy(k=2), solver=object())


class Illegal(Lossy):
    """A solver that puts every row into a group of its own."""

    def solve(self, problem, stop, observer):
        every = np.arange(len(problem.counts))
        return Solution(Partition.of(problem, every, every, problem.counts))


class Silent(Lossy):
    """A solver that forgets to return what it found."""

    def solve(self, problem, stop, observer):
        return None


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (Illegal(), "the solver 'Illegal' returned a group that violates the policy"),
        (Silent(), "the solver 'Silent' returned no Solution, but a NoneType"),
        (Illegal, "'solver' must be a name, or an object"),
    ],
)
def test_solvers_of_somebody_else_that_are_wrong_are_named(hospital, tmp_path, wrong, message):
    with pytest.raises(kilt.KiltError, match=message):
        kilt.anonymize(hospital, quasi="Zipcode", policy=kilt.Policy(k=2), solver=wrong, output=tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_policy_is_said_to_be_none(hospital):
    with pytest.raises(kilt.InputError, match="'policy' must be a policy such as"):
        kilt.anonymize(hospital, quasi="Zipcode", policy="k=3")
