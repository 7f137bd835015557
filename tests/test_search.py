"""The search: its law is that of the rules, its moves keep every group legal, it ends where it is told to."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import kilt
from kilt import Policy
from kilt.certificates.proof.evaluate import proved
from kilt.kernels.bounds.incidence import values_by_size
from kilt.kernels.model.legal import scratch, violation
from kilt.kernels.model.transport import transported
from kilt.kernels.search.assignment import COST, LOGGED, undo
from kilt.model.transport import transport
from kilt.patterns.pool import Pool
from kilt.run.progress import silent
from kilt.run.stopping import Stop
from kilt.solvers.common.compile_rules import law_of
from kilt.solvers.registry import choose, solver
from kilt.solvers.search.lns import Windows
from kilt.solvers.search.solver import Search
from kilt.solvers.search.state import Field, narrowed, one_group, with_groups
from kilt.solvers.search.workers import Hands
from test_exact import drawn_problem, solved
from test_solvers import problem_of


def searchable(data, most_rows=9, **kinds):
    problem = drawn_problem(data, most_rows, **kinds)
    assume(Search().refuses(problem) is None)
    return problem


@given(st.data())
@settings(max_examples=750, deadline=None)
def test_the_law_decides_as_the_rules_do(data):
    problem = searchable(data, least_sensitive=1)
    law, classes = law_of(problem), len(problem.class_totals)
    by_class = np.array(data.draw(st.lists(st.integers(0, 6), min_size=classes, max_size=classes)))
    assume(by_class.any())
    broken = violation(law, by_class, int(by_class.sum()), *scratch(law))
    legal = bool(problem.rules.meets(problem.groups(by_class[None, :]))[0])
    assert (broken == 0.0) == legal or _is_a_tie_of_entropy(problem, by_class, broken)


def _is_a_tie_of_entropy(problem, by_class, broken):
    """Floats cannot decide a tie of uneven counts: the law says no there, which is safe."""
    return broken > 0.0 and any("entropy" in str(rule) for rule in problem.rules)


def field_of(problem, partition=None, seed=0):
    whole = one_group(problem)
    start = partition or whole
    return Field.of(with_groups(problem, Pool.of(problem), [start, whole]), law_of(problem), start, problem, seed)


def assert_consistent(field):
    """Everything that is kept beside the copies can be counted again from them, and no row is lost."""
    assert_lists_agree(field)
    assert_no_row_is_lost(field, field.state.copies)


def assert_no_row_is_lost(field, copies):
    assert (copies >= 0).all()
    placed = np.bincount(field.arena.kind_of, copies, len(field.problem.counts))
    assert placed.tolist() == field.problem.counts.tolist()


def assert_lists_agree(field):
    arena, state, problem = field.arena, field.state, field.problem
    size = np.bincount(arena.pattern_of, state.copies, len(arena.cost)).astype(int)
    assert size.tolist() == state.size.tolist()
    assert field.cost == int(size @ arena.cost)
    by_class = np.zeros_like(state.by_class)
    np.add.at(by_class, (arena.pattern_of, arena.class_of[arena.kind_of]), state.copies)
    assert by_class.tolist() == state.by_class.tolist()
    open_ = by_class[size > 0]
    assert problem.rules.meets(problem.groups(open_)).all()
    for head, after, owner in (
        (state.head, state.after, arena.pattern_of),
        (state.home, state.next_home, arena.kind_of),
    ):
        for first in range(len(head)):
            listed, e = [], head[first]
            while e >= 0:
                listed.append(int(e))
                e = after[e]
            assert sorted(listed) == np.flatnonzero((owner == first) & (state.copies > 0)).tolist()


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_every_move_leaves_legal_groups_and_undoing_leaves_no_trace(data):
    problem = searchable(data)
    field = field_of(problem, seed=data.draw(st.integers(0, 99)))
    worth = np.array([data.draw(st.floats(-2, 6)) * problem.unit for _ in problem.counts])
    field.build(worth)
    assert_consistent(field)
    for _ in range(6):
        field.anneal(40, data.draw(st.sampled_from([0.01, 0.5, 3.0])))
        assert_consistent(field)
    partition = field.partition()
    assert partition.cost <= field.cost
    assert problem.rules.meets(partition.as_groups(problem)).all()


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_hands_share_the_groups_and_lose_nothing(data):
    problem = searchable(data)
    field = field_of(problem, seed=data.draw(st.integers(0, 99)))
    field.build(np.array([data.draw(st.floats(-2, 6)) * problem.unit for _ in problem.counts]))
    hands = Hands.of(field, data.draw(st.integers(2, 3)), 0)
    for _ in range(5):
        before = hands.cost
        hands.deal()
        assert hands.cost == before
        hands.anneal(40, data.draw(st.sampled_from([0.01, 0.5, 3.0])))
        for held in hands.fields:
            assert_lists_agree(held)
        assert_no_row_is_lost(field, hands.copies())
    assert field.at(hands.copies()).cost <= hands.cost


def test_hands_repeat_themselves_on_any_number_of_cores(monkeypatch):
    monkeypatch.setattr("kilt.solvers.search.HANDFUL", 100)
    problem, found = random_problem(600, 4, 4, Policy(k=4, t="0.4")), []
    for cores in (1, 2, 7):
        monkeypatch.setattr("kilt.solvers.search.ALL_CORES", cores)
        found.append(solved("search", problem, Stop(iterations=30_000)).partition)
    assert len({tuple(partition.groups) for partition in found}) == 1
    assert len({tuple(partition.types) for partition in found}) == 1


@pytest.mark.parametrize("policy", [Policy(k=5, t="0.3"), Policy(k=20), Policy(k=3, l=3, diversity="distinct")])
def test_patterns_of_many_row_types_lose_no_row(policy):
    problem = random_problem(4000, 5, 6, policy)
    field = field_of(problem)
    field.build(np.full(len(problem.counts), 4.0))
    assert np.diff(field.arena.first).max() > 2_000
    for temperature in (2.0, 0.5, 0.1):
        field.anneal(30_000, temperature)
        assert_no_row_is_lost(field, field.state.copies)
        assert problem.rules.meets(field.partition().as_groups(problem)).all()


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_the_search_is_legal_and_its_bound_holds(data):
    problem = searchable(data)
    optimum = solved("exhaustive", problem).partition.cost
    found = solved("search", problem, Stop(iterations=2_000, seed=data.draw(st.integers(0, 9))))
    assert found.bound <= optimum <= found.partition.cost
    assert not found.parts or proved(problem, found.parts) >= found.bound


def test_the_search_finds_most_optima_of_small_tables():
    rng = np.random.default_rng(5)
    found = 0
    for _ in range(60):
        rows = [tuple(map(str, row)) for row in rng.integers(0, 3, (10, 4))]
        policy = [Policy(k=3), Policy(k=2, t="0.4"), Policy(k=2, l=2, diversity="distinct")][int(rng.integers(3))]
        try:
            problem = problem_of(rows, ["suppress"] * 3, ["equal"], policy)
        except kilt.InfeasibleError:
            continue
        optimum = solved("exhaustive", problem).partition.cost
        found += solved("search", problem, Stop(iterations=20_000)).partition.cost == optimum
    assert found >= 40


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_what_is_undone_was_never_there(data):
    problem = searchable(data)
    field = field_of(problem)
    before = (field.state.copies.copy(), field.cost)
    from kilt.kernels.search.assignment import move

    field.state.total[LOGGED] = 0
    for u in range(len(problem.counts)):
        first, last = field.arena.starts[u], field.arena.starts[u + 1] - 1
        if field.state.copies[last] > 0:
            move(field.arena, field.state, last, first, 1)
    undo(field.arena, field.state)
    assert field.state.copies.tolist() == before[0].tolist()
    assert int(field.state.total[COST]) == before[1]


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_values_by_size_are_those_of_the_cheapest_rows(data):
    problem = searchable(data)
    pool, size = Pool.of(problem), max(1, problem.rules.least_size)
    prices = np.array([data.draw(st.integers(-3, 9)) for _ in problem.counts])
    values = values_by_size(prices, problem.counts, pool.types, pool.starts, pool.cost, size)
    for p in range(len(pool)):
        members = pool.types[pool.starts[p] : pool.starts[p + 1]]
        each = sorted(int(pool.cost[p]) - int(prices[u]) for u in members for _ in range(problem.counts[u]))
        taken = max(size, sum(value < 0 for value in each))
        assert values[p] == (sum(each[:taken]) if len(each) >= size else np.inf)


def random_problem(rows, columns, values, policy, seed=0):
    rng = np.random.default_rng(seed)
    cells = np.column_stack([rng.integers(0, 4, (rows, columns)), rng.integers(0, values, rows)])
    return problem_of([tuple(map(str, row)) for row in cells], ["suppress"] * columns, ["equal"], policy)


POLICIES = [
    (Policy(k=4), 4),
    (Policy(k=4, t="0.2"), 2),
    (Policy(k=4, t="0.3"), 5),
    (Policy(k=3, l=2), 4),
    (Policy(k=3, l=3, diversity="distinct"), 5),
    (Policy(k=3, l=2, diversity="entropy"), 4),
    (Policy(k=3, l=2, diversity="recursive:2"), 4),
]


@pytest.mark.parametrize(("policy", "values"), POLICIES)
def test_the_search_beats_level_greedy_and_repeats_itself(policy, values):
    problem = random_problem(800, 5, values, policy)
    assert choose("auto", problem).name == "search"
    stop = Stop(iterations=60_000, seed=7)
    found, again = (solved("search", problem, stop) for _ in range(2))
    level = solver("greedy").solve(problem, Stop(), silent)
    assert found.partition.cost < level.partition.cost
    assert (found.partition.cost, found.bound) == (again.partition.cost, again.bound)
    assert found.partition.types.tolist() == again.partition.types.tolist()
    assert found.partition.groups.tolist() == again.partition.groups.tolist()
    timed = solved("search", problem, Stop(seconds=3))
    assert timed.partition.cost < level.partition.cost


@pytest.mark.parametrize("ladders", [["prefix", "suppress"], ["characters", "weighted"], ["taxonomy", "suppress"]])
def test_ladders_are_searched_too(ladders):
    rng = np.random.default_rng(2)
    cells = {"taxonomy": lambda: str(rng.integers(0, 4)), "suppress": lambda: "abc"[rng.integers(0, 3)]}
    text = lambda: "".join("ab"[i] for i in rng.integers(0, 2, 3))  # noqa: E731
    rows = [(*(cells.get(name, text)() for name in ladders), str(rng.integers(0, 3))) for _ in range(120)]
    problem = problem_of(rows, ladders, ["ordered"], Policy(k=3, t="0.2"))
    found = solved("search", problem, Stop(iterations=30_000))
    assert found.partition.cost <= solver("greedy").solve(problem, Stop(), silent).partition.cost
    assert found.bound <= found.partition.cost


@given(st.data())
@settings(max_examples=250, deadline=None)
def test_the_work_under_a_metric_is_that_of_the_transport(data):
    size = data.draw(st.integers(2, 6))
    points = [data.draw(st.tuples(st.integers(0, 9), st.integers(0, 9))) for _ in range(size)]
    distance = [[abs(a - c) + abs(b - d) for c, d in points] for a, b in points]
    difference = data.draw(st.lists(st.integers(-50, 50), min_size=size - 1, max_size=size - 1))
    difference.append(-sum(difference))
    room = np.zeros((size + 1) * (size + 5), dtype=np.int64)
    room[:size] = difference
    work = transported(np.array(distance).ravel(), 0, size, room)
    assert work == transport(tuple(difference), tuple(map(tuple, distance))).cost(tuple(difference), distance)


def test_distances_without_room_are_left_to_greedy():
    rows = [(str(i % 70), ("0", "1", "1e14")[i % 3]) for i in range(140)]
    problem = problem_of(rows, ["suppress"], ["numeric"], Policy(k=2, t="0.5"))
    assert "64 bits" in Search().refuses(problem)
    assert choose("auto", problem).name == "greedy"


def test_narrowing_keeps_what_is_used():
    problem = random_problem(200, 4, 3, Policy(k=3))
    partition = solver("greedy").solve(problem, Stop(), silent).partition
    pool = narrowed(problem, Pool.of(problem), partition, 0.0)
    field = Field.of(with_groups(problem, pool, [partition]), law_of(problem), partition, problem, 0)
    assert_consistent(field)
    assert field.partition().groups.tolist() == partition.groups.tolist()


def test_a_gap_that_is_wide_enough_ends_the_search_at_once():
    problem = random_problem(800, 5, 3, Policy(k=4))
    started = time.monotonic()
    found = solved("search", problem, Stop(seconds=60, gap=0.5))
    assert time.monotonic() - started < 30
    assert found.partition.cost * 0.5 <= found.bound


def test_the_same_seed_and_iterations_give_the_same_file(tmp_path):
    rng = np.random.default_rng(1)
    cells = pl.DataFrame({f"q{i}": rng.integers(0, 4, 400) for i in range(4)} | {"s": rng.integers(0, 3, 400)})
    table = tmp_path / "table.csv"
    cells.write_csv(table)
    written = []
    for name in ("a.csv", "b.csv"):
        release = kilt.anonymize(
            table, quasi="q0,q1,q2,q3", sensitive="s", policy=Policy(k=4, t="0.3"), iterations=20_000, seed=3,
            output=tmp_path / name,
        )  # fmt: skip
        written.append((release.stars, release.bound, (tmp_path / name).read_bytes()))
    assert written[0] == written[1]
    other = kilt.anonymize(table, quasi="q0,q1,q2,q3", policy=Policy(k=4), iterations=20_000, seed=4)
    assert other.solver == "search"


def test_interrupted_at_any_moment_it_writes_a_verified_release_or_nothing(tmp_path):
    rng = np.random.default_rng(1)
    table = pl.DataFrame({f"q{i}": rng.integers(0, 9, 3000) for i in range(5)} | {"s": rng.integers(0, 3, 3000)})
    table.write_csv(tmp_path / "table.csv")
    roles = ["--quasi", "q0,q1,q2,q3,q4", "--sensitive", "s", "-k", "5", "-t", "0.3"]
    words = [sys.executable, "-m", "kilt", "anonymize", str(tmp_path / "table.csv"), *roles, "--time", "20"]
    moments, written = random.Random(7), 0
    for attempt in range(8):
        output = tmp_path / f"release{attempt}.csv"
        process = subprocess.Popen([*words, "-o", str(output)], stderr=subprocess.PIPE, stdout=subprocess.PIPE)
        time.sleep(moments.uniform(1.0, 7.0))
        process.send_signal(moments.choice([signal.SIGINT, signal.SIGINT, signal.SIGTERM]))
        process.communicate(timeout=120)
        left = {path.name for path in tmp_path.iterdir()} - {"table.csv", *(f"release{i}.csv" for i in range(8))}
        assert not left
        assert output.exists() == (process.returncode == 0)
        if output.exists():
            written += 1
            verdict = kilt.verify(
                output, quasi="q0,q1,q2,q3,q4", sensitive="s", policy=Policy(k=5, t="0.3"),
                original=tmp_path / "table.csv",
            )  # fmt: skip
            assert verdict.met
    assert written > 0


def test_the_log_has_a_line_a_second(tmp_path):
    rng = np.random.default_rng(1)
    table = pl.DataFrame({f"q{i}": rng.integers(0, 5, 1500) for i in range(5)})
    table.write_csv(tmp_path / "table.csv")
    words = ["anonymize", str(tmp_path / "table.csv"), "-o", str(tmp_path / "r.csv"), "--quasi", "q0,q1,q2,q3,q4"]
    done = subprocess.run(
        [sys.executable, "-m", "kilt", *words, "-k", "4", "--time", "6", "--gap", "0", "--log", "--json"],
        capture_output=True, text=True, check=True, env={**os.environ, "COLUMNS": "100"},
    )  # fmt: skip
    lines = [line.split() for line in done.stderr.splitlines() if "%" in line]
    assert len(lines) >= 3
    stars = [int(line[1].replace(",", "")) for line in lines]
    assert stars == sorted(stars, reverse=True)
    assert json.loads(done.stdout)["stars"] <= stars[-1]


def test_limits_are_checked_and_have_defaults():
    with pytest.raises(kilt.InputError, match="'iterations' must be a whole number of at least 0, not -1"):
        Stop.of(None, None, iterations=-1)
    default = Stop.of(None, None).or_else(60.0, 5, 0.005)
    assert (default.seconds, default.iterations, default.gap) == (60.0, 5, 0.005)
    timed = Stop.of(3, 0).or_else(60.0, 5, 0.005)
    assert (timed.seconds, timed.iterations, timed.gap) == (3.0, None, 0.0)
    counted = Stop.of(None, None, iterations=7).or_else(60.0, 5, 0.005)
    assert (counted.seconds, counted.iterations, counted.gap) == (None, 7, 0.005)


@given(st.data())
@settings(max_examples=50, deadline=None)
def test_windows_never_make_it_worse_and_find_the_optimum_of_a_small_table(data):
    problem = drawn_problem(data)
    start = solver("greedy").solve(problem, Stop(), silent).partition
    assume(start.cost)
    windows = Windows(problem, Pool.of(problem))
    found = windows.improved(start, Stop())
    assert problem.rules.meets(found.as_groups(problem)).all()
    assert np.bincount(found.types, found.counts, len(problem.counts)).tolist() == problem.counts.tolist()
    assert found.cost <= start.cost
    if len(problem.counts) <= windows.kinds and start.levels.any(axis=1).all():
        assert found.cost == solved("exhaustive", problem).partition.cost


def test_windows_alone_come_a_long_way():
    problem = random_problem(240, 4, 2, Policy(k=20), seed=3)
    start = solver("greedy").solve(problem, Stop(), silent).partition
    windows, found = Windows(problem, Pool.of(problem)), start
    for _ in range(15):
        found = windows.improved(found, Stop())
    assert found.cost < start.cost
    assert problem.rules.meets(found.as_groups(problem)).all()
