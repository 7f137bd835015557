"""Few different rows with any number of copies: all solvers keep to their time, and place every row legally."""

from __future__ import annotations

from time import monotonic, process_time, sleep

import numpy as np
import pytest

from kilt import Policy
from kilt.bounds.lagrangian import lower_bound
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule
from kilt.run.threads import has_abandoned
from kilt.solvers.choose import choose
from kilt.solvers.registry import SOLVERS, solver_info
from kilt.solvers.solve import solve
from support.many_copies import problem_with_copies
from support.problems import legal_groups, problem_of
from support.profiles import is_thorough
from support.strategies import SPACES

SECONDS, SLACK = 0.1, 5.0  # a machine may be busy: what kept to no limit took minutes, or all of the memory
SIZES = (Policy(k=5), Policy(k=1000))
DIVERSE = (
    Policy(l=2),
    Policy(k=3, l="1.5"),
    Policy(l=2, diversity="distinct"),
    Policy(l=2, diversity="recursive:2"),
    Policy(l="2.5", diversity="entropy"),
)
CLOSE = (Policy(t="0.1"), Policy(k=4, t="0.3"))
ASKED = [(policy, "equal") for policy in (*SIZES, *DIVERSE)] + [(p, space) for p in CLOSE for space in SPACES]
ENTROPY = (Policy(l=3, diversity="entropy"), Policy(k=5, l=3, diversity="entropy", t="0.2"))
FEW = [(Policy(k=5), "equal"), (Policy(l=2), "equal"), (Policy(k=4, t="0.3"), "metric"), (Policy(t="0.1"), "ordered")]

COUNTS = {  # rows by their quasi cells and their sensitive value
    "01": (107, 13, 7, 73),
    "02": (26, 43, 32, 27),
    "10": (138, 48, 51, 18),
    "11": (38, 37, 36, 23),
    "12": (27, 15, 71, 19),
    "20": (110, 18, 33, 114),
    "21": (84, 121, 257, 48),
    "22": (77, 43, 155, 92),
}


def keeps_to_its_time(name, problem):
    begin = monotonic()
    solution = solve(problem, name, StoppingRule(seconds=SECONDS), silent)
    assert monotonic() - begin < SECONDS + SLACK, name
    placed = np.zeros_like(problem.counts)
    np.add.at(placed, solution.partition.types, solution.partition.counts)
    assert placed.tolist() == problem.counts.tolist()
    assert legal_groups(problem, solution.partition)
    assert solution.bound is None or solution.bound.cost <= solution.cost
    assert all_ended()
    return solution


def all_ended():
    """Say whether a library that was left behind ends by itself; one that does not would use a core for ever."""
    until = monotonic() + 30
    while has_abandoned() and monotonic() < until:
        sleep(0.02)
    return not has_abandoned()


@pytest.mark.compiled
@pytest.mark.parametrize("copies", [10**3, 10**5, 10**6, 10**12] if is_thorough() else [10**3, 10**12])
@pytest.mark.parametrize(("policy", "space"), ASKED if is_thorough() else ASKED[::3], ids=str)
def test_auto(policy, space, copies):
    keeps_to_its_time("auto", problem_with_copies(24, copies, policy, space))


@pytest.mark.compiled
@pytest.mark.parametrize("copies", [10**2, 10**3, 10**6, 10**12] if is_thorough() else [10**2, 10**12])
@pytest.mark.parametrize("policy", ENTROPY, ids=str)
def test_entropy_that_is_almost_all_there_is(policy, copies):
    """Steps towards a legal group gain ever less near the largest entropy, and the two rules pull apart."""
    problem = problem_with_copies(36, copies, policy, values=4)
    for name in ("auto", "search"):
        if name == "auto" or solver_info(name).load().refuses(problem) is None:
            keeps_to_its_time(name, problem)


@pytest.mark.compiled
@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("copies", [10**3, 10**6, 10**12] if is_thorough() else [10**12])
def test_every_solver(name, copies):
    for policy, space in ASKED if is_thorough() else FEW:
        problem = problem_with_copies(12, copies, policy, space)
        if solver_info(name).load().refuses(problem) is None:
            keeps_to_its_time(name, problem)


@pytest.mark.compiled
@pytest.mark.parametrize(("policy", "space"), ASKED if is_thorough() else FEW, ids=str)
def test_the_bound(policy, space):
    problem = problem_with_copies(12, 10**12, policy, space)
    begin = monotonic()
    assert lower_bound(problem, StoppingRule(seconds=SECONDS), silent).cost >= 0
    assert monotonic() - begin < SECONDS + SLACK


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("types", "policy", "space"), [(12, Policy(l=2), "equal"), (6, Policy(t="0.1"), "ordered")], ids=str
)
def test_exact_solves_what_has_many_copies(types, policy, space):
    """Groups of single rows are too many: the program of patterns finds the optimum at once."""
    problem = problem_with_copies(types, 1_000, policy, space)
    solution = solve(problem, "exact", StoppingRule(seconds=60), silent)
    assert solution.is_optimal
    assert solution.cost < solve(problem, "greedy", StoppingRule(seconds=60), silent).cost


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["matching", "exact"])
def test_two_diversity_of_many_copies_is_proved_in_integers(name):
    rows = [(*cells, str(v)) for cells, counts in COUNTS.items() for v, n in enumerate(counts) for _ in range(n)]
    problem = problem_of(rows, ["suppress"] * 2, ["equal"], Policy(l=2))
    begin = process_time()
    solution = solve(problem, name, StoppingRule(), silent)
    assert (solution.status, problem.stars(solution.cost)) == ("optimal", 70)
    assert process_time() - begin < 15  # a tenth of a second; from the greedy partition it was a minute


@pytest.mark.parametrize(
    ("copies", "policy", "name"),
    [
        (10, Policy(t="0.1"), "exact"),
        (200, Policy(t="0.1"), "exact"),
        (10**3, Policy(l=2, diversity="recursive:2"), "search"),
        (10**6, Policy(t="0.1"), "search"),
        (10**12, Policy(k=5), "exact"),  # most of the copies cannot matter
    ],
)
def test_what_auto_chooses(copies, policy, name):
    assert choose("auto", problem_with_copies(24, copies, policy)).name == name
