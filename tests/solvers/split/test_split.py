"""Split: legal, never worse by a second round, the same anywhere, and its bound is one of the whole table."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import kilt
from kilt import InputError, Policy
from kilt.bounds.lagrangian import lower_bound
from kilt.certificates.proof.evaluate import evaluate_bound
from kilt.certificates.proof.evidence import Evidence
from kilt.certificates.proof.in_database import evaluate_bound_in
from kilt.model.partition import Partition
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule
from kilt.solvers.solve import solve
from kilt.solvers.split import solver as split_solver
from kilt.solvers.split.cuts import Items, draw_parts
from kilt.solvers.split.part import PartAnswer, PartTask, solve_part
from kilt.solvers.split.solver import Rounds, Split
from kilt.solvers.split.whole_bound import joined, scaled_down
from kilt.sources.duck.connection import Database
from support.problems import problem_of, random_problem, searchable, solved
from support.profiles import examples

FEW_MOVES = StoppingRule(iterations=300)


def in_order(solve_one, tasks):
    return [solve_one(task) for task in tasks]


@given(st.data(), st.integers(1, 4), st.integers(0, 3))
@examples(60)
def test_it_is_legal_and_its_bound_is_one_of_the_whole_table(data, parts, seed):
    problem = searchable(data)
    made = Split(seed, parts)
    assume(made.refuses(problem) is None)
    solution = solved(made, problem, FEW_MOVES)
    optimum = solved("exhaustive", problem).cost
    assert solution.cost >= optimum
    assert solution.bound is None or solution.bound.cost <= optimum


def test_the_bounds_of_the_parts_do_not_add_up_to_a_bound():
    """Rows that differ in the cut column alone are in different parts, where they must hide all else."""
    rows = [("left" if i % 2 else "right", str(i // 2), "s") for i in range(12)]
    problem = problem_of([row[:2] for row in rows], ["suppress", "suppress"], [], Policy(k=2))
    parts = [np.flatnonzero(problem.codes[:, 0] == code) for code in (0, 1)]
    alone = [solved("exhaustive", problem.part(types, problem.counts[types])) for types in parts]
    assert sum(each.cost for each in alone) == 12
    assert solved("exhaustive", problem).cost == 12
    wide = problem_of([(a, b, b, b) for a, b, _ in rows], ["suppress"] * 4, [], Policy(k=2))
    alone = [solved("exhaustive", wide.part(types, wide.counts[types])) for types in parts]
    assert sum(each.bound.cost for each in alone) == 36 > solved("exhaustive", wide).cost == 12
    solution = solved(Split(0, 2), wide, FEW_MOVES)
    assert solution.bound.cost <= 12


def test_the_bound_is_what_the_joined_multipliers_prove():
    problem = random_problem(800, 5, 2, Policy(k=4)).presolved
    solution = solved(Split(0, 4), problem, StoppingRule(iterations=2_000))
    assert solution.bound.cost == evaluate_bound(problem, solution.bound.parts)
    assert 0.8 * solution.cost < solution.bound.cost <= solution.cost
    evaluate = partial(evaluate_bound_in, Database())
    assert solved(Split(0, 4, evaluate=evaluate), problem, StoppingRule(iterations=2_000)).bound.cost == (
        solution.bound.cost
    )


def test_it_is_near_the_search_and_far_below_mondrian():
    problem = random_problem(2_000, 6, 2, Policy(k=3)).presolved
    stop = StoppingRule(iterations=40_000)
    whole = solved("search", problem, stop).cost
    for parts, most in ((4, 1.04), (8, 1.08)):
        assert solved(Split(0, parts), problem, stop).cost <= most * whole
    assert 1.2 * whole < solved("mondrian", problem).cost


@pytest.mark.parametrize("policy", [Policy(k=3), Policy(k=2, l=2, diversity="distinct")])
def test_a_second_round_keeps_groups_and_is_never_worse(policy, monkeypatch):
    problem = random_problem(700, 5, 3, policy)
    stop = StoppingRule(iterations=6_000)
    twice = solved(Split(1, 4), problem, stop)
    monkeypatch.setattr(split_solver, "PARAMS", split_solver.Params(round_shares=(0.7,)))
    once = solved(Split(1, 4), problem, stop)
    assert twice.cost <= once.cost
    assert twice.bound.cost == once.bound.cost
    best = solved("search", problem, StoppingRule(iterations=20_000)).partition
    rounds = Rounds(Split(1, 4), problem, StoppingRule(iterations=0), silent)
    again, used = rounds.again(0, best, 4, np.zeros(5))
    assert again.cost <= best.cost
    assert used.any()


def test_the_same_comes_out_wherever_parts_are_solved():
    problem = random_problem(300, 5, 3, Policy(k=3, l=2, diversity="distinct"))
    stop = StoppingRule(iterations=1_000)
    first = solved(Split(3, 3), problem, stop)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as processes:
        other = solved(Split(3, 3, map_parts=processes.map), problem, stop)
    assert solved(Split(3, 3, map_parts=in_order, slots=1), problem, stop).cost == first.cost == other.cost
    for name in ("types", "groups", "counts"):
        assert np.array_equal(getattr(first.partition, name), getattr(other.partition, name))
    assert other.bound.cost == first.bound.cost


def test_a_part_goes_as_bytes_and_comes_back_as_bytes():
    problem = random_problem(60, 4, 2, Policy(k=3))
    everything = np.arange(len(problem.counts))
    one = Partition.of(problem, everything, np.zeros_like(everything), problem.counts)
    answer = PartAnswer.of_bytes(solve_part(PartTask(problem, one, 0, iterations=500).to_bytes()))
    assert answer.partition.cost < one.cost
    assert evaluate_bound(problem, answer.evidence) <= answer.partition.cost


def test_evidence_of_different_scales_or_columns():
    problem = random_problem(60, 4, 1, Policy(k=3)).presolved
    labels, _ = draw_parts(problem, Items.of_row_types(problem), 2, np.zeros(4))
    drawn = [np.flatnonzero(labels == part) for part in (0, 1)]
    every, ones = (0, 1, 2, 3), [np.ones(len(types), dtype=np.int64) for types in drawn]
    fine = joined(problem, [(types, (Evidence(every, 7 * one, 5),)) for types, one in zip(drawn, ones, strict=True)])
    assert fine is not None
    assert set(fine[0].multipliers.tolist()) == {7 * 2_000}
    assert fine[0].scale == 10_000
    blocks = [(Evidence(every, ones[0], 5),), (Evidence((0, 1), ones[1], 5), Evidence((2, 3), ones[1], 5))]
    assert joined(problem, list(zip(drawn, blocks, strict=True))) is None
    assert joined(problem, [(types, ()) for types in drawn]) is None


def test_it_keeps_its_time_and_ends_when_interrupted():
    problem = random_problem(900, 5, 2, Policy(k=3)).presolved
    stop = StoppingRule(seconds=1.5)
    assert solved(Split(0, 3), problem, stop).bound.cost > 0
    interrupted = solved(Split(0, 3), problem, StoppingRule(seconds=60, interrupted=lambda: True))
    assert interrupted.bound.cost == 0


def test_a_table_under_closeness_must_fit_on_one_machine():
    problem = random_problem(50, 4, 2, Policy(k=3, t="0.2"))
    with pytest.raises(InputError, match=r"t-closeness, whose row types must fit on one machine, about 350,000 for"):
        solve(problem, "split", FEW_MOVES, silent)


def test_a_table_that_cannot_be_cut_must_fit_on_one_machine(monkeypatch):
    rows = [(str(i % 2), str(i % 2)) for i in range(40)]
    problem = problem_of(rows, ["suppress"], ["equal"], Policy(k=2, l=2, diversity="distinct"))
    assert solved(Split(0, 2), problem, FEW_MOVES).cost == 40
    monkeypatch.setattr(split_solver, "PARAMS", split_solver.Params(row_types_per_part=1))
    with pytest.raises(InputError, match=r"cannot be divided.* must fit on one machine, about .* for every gigabyte"):
        solve(problem, "split", FEW_MOVES, silent)


def test_multipliers_that_are_too_high_are_lowered():
    problem = random_problem(60, 4, 1, Policy(k=3)).presolved
    found = lower_bound(problem, StoppingRule(), silent)
    good = found.parts[0]
    high = replace(good, multipliers=good.multipliers * 10 // 7)
    assert evaluate_bound(problem, [high]) < found.cost
    lowered = scaled_down(problem, (high,), evaluate_bound, StoppingRule())
    assert 0.99 * found.cost <= lowered.cost <= found.cost
    assert lowered.cost == evaluate_bound(problem, lowered.parts)
    at_once = scaled_down(problem, (high,), evaluate_bound, StoppingRule(seconds=0))
    assert at_once.parts[0].multipliers.tolist() == high.multipliers.tolist()


def test_parts_reach_the_solver(tmp_path):
    frame = {f"q{j}": [str((i * (j + 3)) % 5) for i in range(120)] for j in range(3)}
    certificate = tmp_path / "certificate.json"
    table = pl.DataFrame(frame)
    release = kilt.anonymize(
        table, quasi=list(frame), policy=Policy(k=4), solver="split", parts=3, iterations=500, certificate=certificate
    )
    assert release.solver == "split"
    assert release.status == "feasible" or release.gap == 0
    assert kilt.check(certificate, original=table).passed
    for wrong, why in (({"parts": 3}, "'parts' is for the solver 'split'"), ({"solver": "split", "parts": 0}, "0")):
        with pytest.raises(InputError, match=why):
            kilt.anonymize(table, quasi=list(frame), policy=Policy(k=4), **wrong)
