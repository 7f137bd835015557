"""A search that goes on from what another solver found."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kilt import Policy
from kilt.run.progress import silent
from kilt.run.stopping import Stop
from kilt.solvers.registry import CATALOGUE, entry_of
from kilt.solvers.solve import solved as recipe
from support.problems import drawn_problem, drawn_table, random_problem, solved

OWN = {"tp": Policy(l=2), "tp+": Policy(l=2), "sabre": Policy(t="0.4")}  # the policies that only these take
HEURISTIC = [name for name, entry in CATALOGUE.items() if entry.kind != "exact" and name != "search"]


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
