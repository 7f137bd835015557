"""The search: it is legal, its bound holds, and it ends where it is told to."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import kilt
from kilt import Policy
from kilt.bounds import lagrangian
from kilt.certificates.proof.evaluate import evaluate_bound
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule
from kilt.solvers.choose import choose
from kilt.solvers.registry import solver
from kilt.solvers.search import solver as solver_module
from kilt.solvers.search.solver import Run, Search
from kilt.solvers.search.state import one_group
from support.command import PATIENCE
from support.problems import problem_of, random_problem, searchable, solved, until_below
from support.profiles import examples


@given(st.data())
@examples(75)
def test_the_search_is_legal_and_its_bound_holds(data):
    problem = searchable(data)
    optimum = solved("exhaustive", problem).partition.cost
    found = solved(Search(seed=data.draw(st.integers(0, 9))), problem, StoppingRule(iterations=2_000))
    assert found.bound.cost <= optimum <= found.partition.cost
    assert not found.bound.parts or evaluate_bound(problem, found.bound.parts) >= found.bound.cost


@given(st.data(), st.booleans())
@examples(60, [HealthCheck.function_scoped_fixture])
def test_the_search_is_legal_over_patterns_on_demand(monkeypatch, data, timed):
    monkeypatch.setattr(lagrangian, "PARAMS", lagrangian.Params(many_level_vectors=0, first_entries=6))
    monkeypatch.setattr(solver_module, "PARAMS", replace(solver_module.PARAMS, min_seconds_for_two=0.0))
    problem = searchable(data)
    optimum = solved("exhaustive", problem).partition.cost
    found = solved(Search(), problem, StoppingRule(0.1) if timed else StoppingRule(iterations=2_000))
    assert found.bound.cost <= optimum <= found.partition.cost
    assert not found.bound.parts or evaluate_bound(problem, found.bound.parts) >= found.bound.cost


def test_patterns_on_demand_find_what_listed_ones_do(monkeypatch):
    problem = random_problem(400, 5, 6, Policy(k=3), seed=2)
    limit = StoppingRule(iterations=60_000)
    listed = solved(Search(), problem, limit).partition.cost
    monkeypatch.setattr(lagrangian, "PARAMS", lagrangian.Params(many_level_vectors=0, first_entries=500))
    found = solved(Search(), problem, limit)
    again = solved(Search(), problem, limit)
    assert found.partition.cost == again.partition.cost
    assert found.partition.cost <= 1.03 * listed


@pytest.mark.compiled
@pytest.mark.parametrize("policy", [Policy(k=4), Policy(k=4, l="1.5")])
def test_rows_change_places_in_the_end_where_patterns_are_on_demand(monkeypatch, policy):
    monkeypatch.setattr(lagrangian, "PARAMS", lagrangian.Params(many_level_vectors=0, first_entries=500))
    problem, swapped = random_problem(400, 5, 2, policy, seed=2), []
    swap_rows = Run.swap_rows

    def watched(run, start, temperatures=None):
        found = swap_rows(run, start, temperatures)
        swapped.append((start.cost, found.cost, temperatures))
        return found

    monkeypatch.setattr(Run, "swap_rows", watched)
    cost = solved(Search(), problem, StoppingRule(iterations=20_000)).partition.cost
    [(before, after, temperatures)] = swapped
    assert temperatures == solver_module.PARAMS.closing_t
    assert cost == after <= before


def test_temperatures_follow_what_a_step_costs():
    rows = [(str(i), str(i % 5)) for i in range(10, 30)]
    suppressed = problem_of(rows, ["suppress", "suppress"], [], Policy(k=2))
    assert solver_module.step_cost(suppressed) == 1
    blurred = problem_of(rows, ["characters", "suppress"], [], Policy(k=2))
    assert 0 < solver_module.step_cost(blurred) <= 1


@pytest.mark.compiled
def test_the_search_finds_most_optima_of_small_tables():
    rng = np.random.default_rng(5)
    found = 0
    for _ in range(30):
        rows = [tuple(map(str, row)) for row in rng.integers(0, 3, (10, 4))]
        policy = [Policy(k=3), Policy(k=2, t="0.4"), Policy(k=2, l=2, diversity="distinct")][int(rng.integers(3))]
        try:
            problem = problem_of(rows, ["suppress"] * 3, ["equal"], policy)
        except kilt.InfeasibleError:
            continue
        optimum = solved("exhaustive", problem).partition.cost
        found += solved("search", problem, StoppingRule(iterations=20_000)).partition.cost == optimum
    assert found >= 20


POLICIES = [
    (Policy(k=4), 4),
    (Policy(k=4, t="0.2"), 2),
    (Policy(k=4, t="0.3"), 5),
    (Policy(k=3, l=2), 4),
    (Policy(k=3, l=3, diversity="distinct"), 5),
    (Policy(k=3, l=2, diversity="entropy"), 4),
    (Policy(k=3, l=2, diversity="recursive:2"), 4),
]


@pytest.mark.compiled
@pytest.mark.parametrize(("policy", "values"), POLICIES)
def test_the_search_beats_level_greedy_and_repeats_itself(policy, values):
    problem = random_problem(400, 5, values, policy)
    assert choose("auto", problem).name == "search"
    stop = StoppingRule(iterations=60_000)
    found, again = (solved(Search(seed=7), problem, stop) for _ in range(2))
    level = solver("greedy").solve(problem, StoppingRule(), silent)
    assert found.partition.cost < level.partition.cost
    assert (found.partition.cost, found.bound.cost) == (again.partition.cost, again.bound.cost)
    assert found.partition.types.tolist() == again.partition.types.tolist()
    assert found.partition.groups.tolist() == again.partition.groups.tolist()


@pytest.mark.compiled
@pytest.mark.parametrize(("policy", "values"), POLICIES)
def test_a_search_that_has_time_beats_level_greedy(policy, values):
    problem = random_problem(400, 5, values, policy)
    level = solver("greedy").solve(problem, StoppingRule(), silent).partition.cost
    assert solved("search", problem, *until_below(problem, level)).partition.cost < level


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("policy", "values"),
    [*POLICIES[1:3], *(pytest.param(*each, marks=pytest.mark.thorough) for each in POLICIES[3:] + POLICIES[:1])],
)
def test_a_search_whose_time_is_over_is_legal_and_its_bound_holds(policy, values):
    problem = random_problem(400, 5, values, policy)
    level = solver("greedy").solve(problem, StoppingRule(), silent).partition.cost
    found = solved("search", problem, StoppingRule(seconds=0.5))
    assert found.bound.cost <= found.partition.cost <= level


@pytest.mark.compiled
@pytest.mark.parametrize("ladders", [["prefix", "suppress"], ["characters", "weighted"], ["taxonomy", "suppress"]])
def test_ladders_are_searched_too(ladders):
    rng = np.random.default_rng(2)
    cells = {"taxonomy": lambda: str(rng.integers(0, 4)), "suppress": lambda: "abc"[rng.integers(0, 3)]}
    text = lambda: "".join("ab"[i] for i in rng.integers(0, 2, 3))  # noqa: E731
    rows = [(*(cells.get(name, text)() for name in ladders), str(rng.integers(0, 3))) for _ in range(120)]
    problem = problem_of(rows, ladders, ["ordered"], Policy(k=3, t="0.2"))
    found = solved("search", problem, StoppingRule(iterations=30_000))
    assert found.partition.cost <= solver("greedy").solve(problem, StoppingRule(), silent).partition.cost
    assert found.bound.cost <= found.partition.cost


def test_distances_without_room_are_left_to_greedy():
    rows = [(str(i % 70), ("0", "1", "1e14")[i % 3]) for i in range(140)]
    problem = problem_of(rows, ["suppress"], ["numeric"], Policy(k=2, t="0.5"))
    assert "64 bits" in Search().refuses(problem)
    assert choose("auto", problem).name == "greedy"


@pytest.mark.compiled
def test_a_gap_that_is_wide_enough_ends_the_search_at_once():
    problem = random_problem(800, 5, 3, Policy(k=4))
    asked, many = count(), 5_000  # it is asked about a hundred times until the gap is small enough
    stop = StoppingRule(seconds=PATIENCE, gap=0.5, interrupted=lambda: next(asked) > many)
    found = solved("search", problem, stop)
    assert next(asked) <= many
    assert found.partition.cost * 0.5 <= found.bound.cost


@pytest.mark.compiled
def test_a_search_goes_on_from_what_is_given():
    problem = random_problem(300, 4, 2, Policy(k=3))
    start = solved("search", problem, StoppingRule(iterations=30_000)).partition
    found = Search(given=start).solve(problem, StoppingRule(iterations=0), silent)
    assert found.partition.cost <= start.cost


@pytest.mark.compiled
@pytest.mark.parametrize("policy", [Policy(k=4, t="0.3"), Policy(k=4, l=2), Policy(k=4)])
@pytest.mark.parametrize("seconds", [0.0, 0.05, 0.3, pytest.param(1.0, marks=pytest.mark.thorough)])
def test_however_short_the_time_what_level_greedy_found_is_never_lost(policy, seconds):
    """A search that has just begun to build by multipliers hands over the better of the two."""
    problem = random_problem(800, 5, 3, policy)
    level = solver("greedy").solve(problem, StoppingRule(), silent)
    assert solved("search", problem, StoppingRule(seconds=seconds)).cost <= level.cost


@pytest.mark.compiled
def test_with_many_sensitive_values_rows_are_swapped(monkeypatch):
    """To choose among all values takes a time that grows with the square of their number."""
    monkeypatch.setattr(solver_module, "PARAMS", replace(solver_module.PARAMS, max_classes=50))
    monkeypatch.setattr(Run, "build", lambda *_: pytest.fail("built by multipliers"))
    rng = np.random.default_rng(3)
    rows = [(*map(str, rng.integers(0, 4, 3)), str(7 * i + rng.integers(0, 5))) for i in range(200)]
    problem = problem_of(rows, ["suppress"] * 3, ["numeric"], Policy(k=3, t="0.1"))
    level = solver("greedy").solve(problem, StoppingRule(), silent)
    assert solved("search", problem, StoppingRule(iterations=20_000)).cost < level.cost
    assert solved("search", problem, StoppingRule(seconds=0.3)).cost <= level.cost


def test_with_many_sensitive_values_a_search_by_sizes_alone_begins(monkeypatch):
    """Most groups of three people have three different values anyway."""
    rng = np.random.default_rng(4)
    rows = [(*map(str, rng.integers(0, 4, 3)), str(7 * i // 3)) for i in range(240)]
    problem = problem_of(rows, ["suppress"] * 3, ["equal"], Policy(k=3, l=2))
    stop = StoppingRule(iterations=2_000)
    as_usual = solved("search", problem, stop)
    monkeypatch.setattr(solver_module, "PARAMS", replace(solver_module.PARAMS, max_classes=50))
    found = solved("search", problem, stop)
    monkeypatch.setattr(Run, "_by_sizes", lambda _, start: start)
    swapped = solved("search", problem, stop)
    assert problem.is_legal(found.partition.by_class(problem)).all()
    assert found.cost < swapped.cost
    assert found.cost <= 1.02 * as_usual.cost


def test_a_partition_that_is_built_badly_does_not_replace_a_better_one(monkeypatch):
    problem = random_problem(400, 5, 2, Policy(k=4, t="0.3"))
    level = solver("greedy").solve(problem, StoppingRule(), silent)
    monkeypatch.setattr(Run, "build", lambda self, *_: one_group(self.problem))
    for stop in (StoppingRule(iterations=0), StoppingRule(seconds=0.3)):
        assert solved("search", problem, stop).cost <= level.cost
