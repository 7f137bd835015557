"""A search that goes on from what another solver found."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kilt import InputError, Policy
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule
from kilt.solvers.greedy.solver import Greedy
from kilt.solvers.registry import SOLVERS, solver_info
from kilt.solvers.solve import solve
from support.problems import drawn_problem, drawn_table, random_problem, searchable, solved
from support.profiles import examples

OWN = {"tp": Policy(l=2), "tp+": Policy(l=2), "sabre": Policy(t="0.4")}  # the policies that only these take
HEURISTIC = [name for name, entry in SOLVERS.items() if entry.kind != "exact" and entry.ends]


@pytest.mark.parametrize("name", HEURISTIC)
@given(data=st.data())
@examples(8)
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


@given(data=st.data())
@examples(20)
def test_a_search_goes_on_from_a_partition_that_is_given(data):
    problem = searchable(data)
    best = solved("exhaustive", problem)
    found = solve(problem, "search", StoppingRule(iterations=0), silent, start=best.partition)
    assert (found.cost, found.solver) == (best.cost, "search")
    assert solve(problem, "greedy", StoppingRule(), silent, start=best.partition).cost >= best.cost  # takes none


def test_moves_do_not_limit_an_exact_solver():
    problem = random_problem(30, 3, 2, Policy(k=3))
    for name in ("exact", "milp", "subsets"):
        if solver_info(name).load().refuses(problem) is None:
            with pytest.raises(InputError, match=f"the solver '{name}' makes none: give it a 'time'"):
                solve(problem, name, StoppingRule(iterations=10, gap=0), silent)
    assert solve(problem, "exact", StoppingRule(seconds=60, iterations=10), silent).solver == "exact"
    assert solve(problem, "greedy", StoppingRule(iterations=10), silent).solver == "greedy"


def test_what_auto_chooses_ends_in_time_if_moves_are_counted(monkeypatch):
    limits = []

    class Patient:
        def __init__(self, seed: int = 0) -> None:
            self.seed = seed

        def refuses(self, problem):
            return None

        def solve(self, problem, stop, observer):
            limits.append(stop.seconds)
            return Greedy().solve(problem, stop, observer)

    monkeypatch.setattr("kilt.solvers.exact.column_generation.solver.ColumnGeneration", Patient)
    problem = random_problem(30, 3, 2, Policy(k=3))
    solve(problem, "auto", StoppingRule(iterations=10), silent)
    assert limits[0] == pytest.approx(60, abs=10)


def test_polish_gains_much_on_a_larger_table():
    problem = random_problem(800, 5, 2, Policy(k=4))
    rough = solved("forest", problem)
    polished = solve(problem, "forest", StoppingRule(iterations=50_000), silent, polish=True)
    assert polished.partition.cost < 0.9 * rough.partition.cost
    assert polished.factor == rough.factor == 9
