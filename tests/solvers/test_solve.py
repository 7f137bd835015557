"""A search that goes on from what another solver found."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kilt import Policy
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule
from kilt.solvers.registry import SOLVERS, solver_info
from kilt.solvers.solve import solve
from support.problems import drawn_problem, drawn_table, random_problem, solved
from support.profiles import examples

OWN = {"tp": Policy(l=2), "tp+": Policy(l=2), "sabre": Policy(t="0.4")}  # the policies that only these take
HEURISTIC = [name for name, entry in SOLVERS.items() if entry.kind != "exact" and name != "search"]


@pytest.mark.parametrize("name", HEURISTIC)
@given(data=st.data())
@examples(10)
def test_polish_never_makes_it_worse_and_keeps_the_guarantee(name, data):
    problem = drawn_table(data, OWN[name]) if name in OWN else drawn_problem(data)
    assume(solver_info(name).load().refuses(problem) is None)
    rough = solved(name, problem)
    polished = solve(problem, name, StoppingRule(iterations=200), silent, polish=True)
    optimum = solved("exhaustive", problem).partition.cost
    assert optimum <= polished.partition.cost <= rough.partition.cost
    assert polished.bound.cost <= optimum
    assert polished.factor == rough.factor
    assert problem.rules.meets(polished.partition.as_groups(problem)).all()
    assert polished.solver in (name, f"{name} + search")


def test_polish_gains_much_on_a_larger_table():
    problem = random_problem(800, 5, 2, Policy(k=4))
    rough = solved("forest", problem)
    polished = solve(problem, "forest", StoppingRule(iterations=50_000), silent, polish=True)
    assert polished.partition.cost < 0.9 * rough.partition.cost
    assert polished.factor == rough.factor == 9
