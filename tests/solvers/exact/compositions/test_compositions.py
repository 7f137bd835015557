"""Branch and price over compositions, and the list of these, against brute force."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest

from kilt import InfeasibleError, KAnonymity, Policy, TCloseness
from kilt.kernels import IS_COMPILED
from kilt.kernels.exact.compositions import CompositionListing
from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.patterns.pool import every_pattern
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule
from kilt.solvers.base import Solution
from kilt.solvers.choose import choose
from kilt.solvers.exact.compositions.solver import Params, ascend, close_gap, rule_of
from kilt.solvers.exact.compositions.tree import GroupProgram
from kilt.solvers.search.lns import PatternLns
from kilt.solvers.search.solver import search_in_cycles
from support.problems import problem_of, random_problem, solved
from support.profiles import is_thorough

TABLES = 4_000 if is_thorough() else 80 if IS_COMPILED else 30
THRESHOLDS = ["0", "0.1", "0.2", "0.3", "1/3", "0.5"]


def drawn(rng: random.Random) -> Problem | None:
    columns = rng.randint(1, 4)
    ladders = [rng.choice(["suppress", "suppress", "weighted", "characters"]) for _ in range(columns)]
    values = [("abc" if rng.random() < 0.7 else "ab") for _ in range(columns)]
    sensitive = "0123"[: rng.randint(2, 4)]
    rows = [(*map(rng.choice, values), rng.choice(sensitive)) for _ in range(rng.randint(2, 9))]
    principles = [KAnonymity(rng.choice([1, 2, 3]))] if rng.random() < 0.6 else []
    try:
        return problem_of(rows, ladders, ["equal"], Policy(*principles, TCloseness(rng.choice(THRESHOLDS))))
    except InfeasibleError:
        return None


def one_group(problem: Problem) -> Solution:
    every = np.arange(len(problem.counts))
    return Solution(Partition.of(problem, every, np.zeros_like(every), problem.counts))


def test_small_tables_are_closed_in_integers_at_the_optimum_of_brute_force():
    closed = 0
    for seed in range(TABLES):
        problem = drawn(random.Random(seed))
        if problem is None or rule_of(problem) is None or (pool := every_pattern(problem)) is None:
            continue
        optimum = solved("exhaustive", problem).partition.cost
        for effort in (Params(), Params(steps=5, max_compositions=30, max_nodes=3), Params(steps=5, few_nodes=100)):
            found = close_gap(problem, pool, one_group(problem), StoppingRule(), silent, effort)
            assert found.bound is None or found.bound.cost <= optimum <= found.cost, seed
            assert problem.is_legal(found.partition.by_class(problem)).all(), seed
        full = close_gap(problem, pool, one_group(problem), StoppingRule(), silent)
        assert full.status == "optimal", seed
        assert full.cost == optimum, seed
        closed += 1
    assert closed > TABLES // 2


def compositions(totals, rows, t, smallest, reduced_costs, begin, limit):
    """List the compositions by the definition: all counts, the cheapest rows of each class."""
    numbers = [range(begin[c + 1] - begin[c] + 1) for c in range(len(totals))]
    for chosen in product(*numbers):
        size = sum(chosen)
        excess = sum(max(0, n * rows - int(total) * size) for n, total in zip(chosen, totals, strict=True))
        cost = sum(sum(reduced_costs[begin[c] : begin[c] + n]) for c, n in enumerate(chosen))
        if size >= max(1, smallest) and excess <= t * rows * size and cost <= limit:
            yield (*chosen, cost)


@pytest.mark.parametrize("seed", range(60 if IS_COMPILED else 6))
def test_the_list_of_compositions_is_that_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    totals = rng.integers(1, 8, rng.integers(2, 5))
    rows, t, smallest = int(totals.sum()), rng.choice([0.0, 0.25, 0.5]), int(rng.integers(1, 4))
    here = np.minimum(totals, rng.integers(0, 5, len(totals)))
    begin = np.concatenate([[0], np.cumsum(here)]).astype(np.int64)
    reduced = np.concatenate([np.sort(rng.integers(-40, 60, n)) for n in here]).astype(np.int64)
    allowed = np.array([int(t * rows * size) for size in range(rows + 1)], dtype=np.int64)
    limit = int(rng.integers(-60, 100))
    found, costs = np.zeros((20_000, len(totals)), dtype=np.int32), np.zeros(20_000, dtype=np.int64)
    kernel = CompositionListing(totals.astype(np.int64), rows, allowed, smallest)
    number = kernel.list_within(reduced, begin, limit, 10**6, found, costs)
    listed = {(*row, cost) for row, cost in zip(found[:number].tolist(), costs[:number].tolist(), strict=True)}
    assert {tuple(each) for each in (((*row[:-1], row[-1])) for row in listed)} == set(
        compositions(totals, rows, t, smallest, reduced.tolist(), begin.tolist(), limit)
    )
    if number > 1:
        assert kernel.list_within(reduced, begin, limit, 10**6, found[: number - 1], costs) == -1
    assert kernel.list_within(reduced, begin, limit, 0, found, costs) in (-1, 0)


def test_auto_closes_a_table_of_eighty_rows_in_integers_and_always_in_the_same_way():
    problem = random_problem(80 if IS_COMPILED else 24, 4, 5, Policy(k=3, t="0.3"), seed=4)
    assert choose("auto", problem).name == "exact"
    found = solved("exact", problem)
    assert found.status == "optimal"
    assert np.array_equal(found.partition.groups, solved("exact", problem).partition.groups)
    assert solved("milp", problem).cost == found.cost


def test_no_group_is_generated_twice_in_a_tree_though_dual_values_are_rounded(monkeypatch):
    added: dict[int, set[tuple[int, ...]]] = {}
    add = GroupProgram.add

    def noted(program: GroupProgram, groups: list[tuple[int, np.ndarray]]) -> None:
        known = added.setdefault(id(program), set())
        new = {(i, *sorts.tolist()) for i, sorts in groups}
        assert len(new) == len(groups)
        assert not new & known
        known |= new
        programs.append(program)
        add(program, groups)

    programs: list[GroupProgram] = []
    monkeypatch.setattr(GroupProgram, "add", noted)
    for seed in range(8 if IS_COMPILED else 1):
        problem = random_problem(60 if IS_COMPILED else 20, 3, 5, Policy(k=3, t="0.3"), seed=seed)
        pool = every_pattern(problem)
        assert close_gap(problem, pool, one_group(problem), StoppingRule(), silent).is_optimal
    assert programs


def test_a_search_in_cycles_is_legal_and_always_the_same_and_no_worse_than_its_start():
    problem = random_problem(80 if IS_COMPILED else 24, 4, 5, Policy(k=3, t="0.3"), seed=4)
    pool = every_pattern(problem)
    ascent, start = ascend(problem, pool, StoppingRule()), one_group(problem).partition
    given = problem, pool, ascent.multipliers, ascent.scale
    found = search_in_cycles(*given, start, 6, StoppingRule(), seed=1)
    assert problem.is_legal(found.by_class(problem)).all()
    assert found.cost < start.cost
    assert np.array_equal(found.groups, search_in_cycles(*given, start, 6, StoppingRule(), seed=1).groups)
    assert search_in_cycles(*given, found, 1, StoppingRule()).cost <= found.cost
    assert search_in_cycles(*given, found, 0, StoppingRule()) is found


def test_a_window_of_a_larger_table_is_solved_against_the_shares_of_the_whole():
    problem = random_problem(200 if IS_COMPILED else 40, 4, 4, Policy(k=3, t="0.3"), seed=2)
    pool = every_pattern(problem)
    lns, partition = PatternLns(problem, row_types=40.0), solved("greedy", problem).partition
    for _ in range(3):
        better = lns.improve(partition, pool, StoppingRule())
        assert better.cost <= partition.cost
        assert problem.is_legal(better.by_class(problem)).all()
        partition = better
