"""The catalogue of solvers: it is complete, and who refuses names those who do not."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from kilt import InputError, Policy
from kilt.cli.commands import cli
from kilt.solvers.registry import ALIASES, SOLVERS, choose, solver_info
from support.problems import problem_of


def test_a_solver_that_refuses_names_those_that_do_not():
    problem = problem_of([(str(i),) for i in range(13)], ["suppress"], [], Policy(k=2))
    with pytest.raises(
        InputError,
        match="at most 12 rows, and this one has 13; these can: subsets, milp, matching, exact, search, greedy",
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
    assert [name for name, entry in SOLVERS.items() if not entry.ends] == ["search"]


def test_authors_are_other_names():
    for alias, name in ALIASES.items():
        assert solver_info(alias) is SOLVERS[name]
    listed = json.loads(CliRunner().invoke(cli, ["solvers", "--json"]).output)
    assert [entry["name"] for entry in listed] == list(SOLVERS)
    assert "park-shim" in next(entry["also"] for entry in listed if entry["name"] == "cover")
    with pytest.raises(InputError, match="did you mean 'park-shim'"):
        solver_info("park-shimm")
