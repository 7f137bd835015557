"""Wide tables: groups grow from rows that are near, rows change places, and all stays legal."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilt import Policy
from kilt.kernels.random import Random
from kilt.kernels.search.wide.construct import GrowingPattern
from kilt.model.partition import Partition
from kilt.model.patterns import tightest
from kilt.run.incumbent import Incumbent
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule
from kilt.solvers.common.compile_rules import compile_rules
from kilt.solvers.common.stacked_ladders import stacked
from kilt.solvers.registry import solver
from kilt.solvers.search.schedule import Params, Schedule
from kilt.solvers.search.solver import Run, Search, is_wide
from kilt.solvers.search.wide import neighbours as near
from kilt.solvers.search.wide import swaps
from kilt.solvers.search.wide.construct import Construction, as_pool, merged
from kilt.solvers.search.wide.neighbours import NONE, nearest_neighbours, sorted_blocks
from kilt.solvers.search.wide.swaps import RowSwaps
from support.problems import drawn_problem, problem_of, random_problem, searchable, solved, until_below
from support.profiles import examples

LADDERS = ["suppress", "characters", "suppress", "suppress"]


def table(rows, columns, policy, seed=0, sensitive=0, ladders=None):
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 6, rows)
    taste = rng.integers(0, 3, (6, columns))
    values = np.where(rng.random((rows, columns)) < 0.7, taste[kind], rng.integers(0, 3, (rows, columns)))
    cells = np.concatenate([values + 10, rng.integers(0, 3, (rows, sensitive))], axis=1)
    return problem_of(
        [tuple(map(str, row)) for row in cells], ladders or ["suppress"] * columns, ["equal"] * sensitive, policy
    )


def assert_complete(problem, partition):
    assert problem.rules.meets(partition.as_groups(problem)).all()
    assert np.bincount(partition.types, partition.counts, len(problem.counts)).tolist() == problem.counts.tolist()


def distance(problem, u, v):
    pair = np.array([u, v])
    return Partition.of(problem, pair, np.zeros(2, dtype=np.int64), np.ones(2, dtype=np.int64)).cost // 2


def test_the_nearest_are_those_by_hand():
    problem = table(60, 4, Policy(k=2), ladders=LADDERS)
    n_row_types = len(problem.counts)
    found = nearest_neighbours(problem.codes, stacked(problem), 7, np.random.default_rng(0), StoppingRule())
    for u in range(n_row_types):
        far = sorted(distance(problem, u, v) for v in range(n_row_types) if v != u)
        assert u not in found[u]
        assert len(set(found[u].tolist())) == 7
        assert [distance(problem, u, v) for v in found[u].tolist()] == far[:7]


def test_a_small_block_has_few_neighbours(monkeypatch):
    monkeypatch.setattr(near, "BLOCK_ROWS", 5)
    problem = table(23, 6, Policy(k=2))
    n_row_types = len(problem.counts)
    parts = sorted_blocks(problem.codes, np.random.default_rng(1))
    assert sorted(np.concatenate(parts).tolist()) == list(range(n_row_types))
    assert max(map(len, parts)) <= 5
    found = nearest_neighbours(problem.codes, stacked(problem), 9, np.random.default_rng(1), StoppingRule())
    block_of = np.empty(n_row_types, dtype=np.int64)
    for number, part in enumerate(parts):
        block_of[part] = number
    for u in range(n_row_types):
        mine = found[u][found[u] != NONE]
        assert sorted(mine.tolist()) == [v for v in range(n_row_types) if v != u and block_of[v] == block_of[u]]


def test_nearer_neighbours_are_found_from_time_to_time(monkeypatch):
    monkeypatch.setattr(near, "BLOCK_ROWS", 20)
    problem = table(120, 6, Policy(k=2))
    codes, rng, ladders = np.ascontiguousarray(problem.codes), np.random.default_rng(3), stacked(problem)
    assert len(sorted_blocks(codes, rng)) > 3
    found, totals = None, []
    for _ in range(12):
        found = nearest_neighbours(codes, ladders, 5, rng, StoppingRule(), found)
        far = [[distance(problem, u, v) for v in found[u]] for u in range(len(codes))]
        assert all(each == sorted(each) for each in far)
        assert all(len({*found[u].tolist(), u}) == 6 for u in range(len(codes)))
        totals.append(sum(map(sum, far)))
    assert totals == sorted(totals, reverse=True)
    nearest = [sum(sorted(distance(problem, u, v) for v in range(len(codes)) if v != u)[:5]) for u in range(len(codes))]
    assert sum(nearest) <= totals[-1] < 1.02 * sum(nearest) < totals[0]


@given(st.data(), st.integers(0, 3))
@examples(60)
def test_groups_that_grow_are_legal(data, seed):
    problem = searchable(data, most_rows=12)
    assert_complete(problem, Construction(problem, compile_rules(problem), seed).partition(StoppingRule()))


@given(st.data(), st.integers(0, 3))
@examples(60)
def test_patterns_that_grow_are_large_and_cover_all_neighbours_that_fit(data, seed):
    check_patterns_that_grow(searchable(data, most_rows=12), seed)


def test_a_row_that_would_cost_no_more_at_a_higher_level_does_not_fit():
    rows = [(None, "0", "0"), (None, "0", "1"), ("0", "0", "0"), ("1", "0", "0")]
    check_patterns_that_grow(problem_of(rows, ["bands"], ["equal", "equal"], Policy(k=2)), seed=0)


def check_patterns_that_grow(problem, seed):
    n_row_types, classes = len(problem.counts), problem.sensitive_class.astype(np.int64)
    seeds, ladders, rules = np.arange(n_row_types), stacked(problem), compile_rules(problem)
    codes, few = np.ascontiguousarray(problem.codes), min(3 * rules.min_group_size, n_row_types - 1)
    near_rows = nearest_neighbours(codes, ladders, few, np.random.default_rng(seed), StoppingRule())
    pattern = GrowingPattern(
        codes, ladders, problem.counts, classes, len(problem.sensitive_totals), near_rows, rules, Random(seed + 1)
    )
    types, lengths, levels = pattern.grow_all(seeds)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    assert starts[-1] == len(types)
    assert len(levels) == len(lengths)
    for g, shape in enumerate(levels.tolist()):
        mine = types[starts[g] : starts[g + 1]].tolist()
        shown = [
            tuple(int(c.levels[h][code]) for c, h, code in zip(problem.columns, shape, row, strict=True))
            for row in problem.codes
        ]
        around = [mine[0], *near_rows[mine[0]][near_rows[mine[0]] != NONE].tolist()]
        assert mine == [v for v in around if shown[v] == shown[mine[0]]]
        assert tightest(problem, np.array(mine), np.array([0, len(mine)])).tolist() == [shape]
        assert problem.counts[mine].sum() >= rules.min_group_size
    if rules.size_only and n_row_types == few + 1:
        assert len(lengths) == (n_row_types if problem.rows >= rules.min_group_size else 0)


@given(st.data(), st.integers(0, 3), st.sampled_from([0.1, 3.0]), st.booleans())
@examples(100)
def test_rows_that_change_places_leave_legal_groups(data, seed, temperature, two_hands):
    problem = searchable(data, most_rows=12)
    rules = compile_rules(problem)
    start = solver("greedy").solve(problem, StoppingRule(), silent).partition
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            swaps,
            "PARAMS",
            replace(
                swaps.PARAMS,
                units_per_worker=2 if two_hands else 100,
                moves_until_redistributed=3,
                moves_until_neighbours=7,
            ),
        )
        exchange = RowSwaps(problem, rules, start, StoppingRule(), seed)
        for _ in range(3):
            exchange.anneal(60, temperature)
            groups, copies = np.array(exchange.members.group_of), np.asarray(exchange.members.copies)
            now = Partition.of(problem, exchange.types, groups, copies)
            assert_complete(problem, now)
            assert now.cost <= exchange.cost  # groups with the same pattern are one: that costs no more
            assert_kept(problem, exchange)
    assert_complete(problem, exchange.best)
    assert exchange.best.cost <= exchange.least <= start.cost
    assert solved("exhaustive", problem).partition.cost <= exchange.best.cost


def assert_kept(problem, exchange):
    """What is kept of the groups is what follows from who is where."""
    members, total = exchange.members, 0
    group_of, copies, size, cost = map(np.asarray, (members.group_of, members.copies, members.size, members.cost))
    for g in range(len(size)):
        mine = np.flatnonzero(group_of == g)
        linked, u, before = [], members.head[g], NONE
        while u != NONE:
            assert members.before[u] == before
            linked.append(int(u))
            u, before = members.after[u], u
        assert sorted(linked) == mine.tolist()
        assert size[g] == copies[mine].sum()
        by_class = np.bincount(np.asarray(members.sensitive_class)[mine], copies[mine], members.by_class.shape[1])
        assert np.asarray(members.by_class)[g].tolist() == by_class.tolist()
        assert np.asarray(members.shared_by_others)[mine].tolist() == [
            shared_labels(problem, exchange.types[mine[mine != u]]) or np.asarray(members.shared_by_others)[u].tolist()
            for u in mine
        ]
        if len(mine):
            assert np.asarray(members.shared)[g].tolist() == shared_labels(problem, exchange.types[mine])
            alone = Partition.of(problem, exchange.types[mine], np.zeros_like(mine), copies[mine])
            assert cost[g] == alone.row_costs(problem)[0]
        else:
            assert cost[g] == 0
        total += int(size[g] * cost[g])
    assert total == exchange.cost


def shared_labels(problem, types):
    """Return what rows show at every level of every column but the top, -1 where they do not agree; [] without any."""
    shown = [
        {int(column.levels[h][code]) for code in problem.codes[types, j]}
        for j, column in enumerate(problem.columns)
        for h in range(len(column.levels) - 1)
    ]
    return [labels.pop() if len(labels) == 1 else -1 for labels in shown] if len(types) else []


@given(st.data())
@examples(50)
def test_pools_are_merged_by_pattern(data):
    problem = drawn_problem(data)
    parts = [solved(name, problem).partition for name in ("greedy", "mondrian")]
    pool = merged(problem, [as_pool(problem, part) for part in parts])
    expected = {}
    for part in parts:
        for g, levels in enumerate(part.levels.tolist()):
            mine = part.types[part.groups == g]
            shown = tuple(
                int(c.levels[h][problem.codes[mine[0], j]])
                for j, (c, h) in enumerate(zip(problem.columns, levels, strict=True))
            )
            expected.setdefault((tuple(levels), shown), set()).update(mine.tolist())
    found = [set(pool.types[a:b].tolist()) for a, b in zip(pool.starts[:-1], pool.starts[1:], strict=True)]
    assert sorted(map(sorted, found)) == sorted(map(sorted, expected.values()))
    assert (np.diff(pool.cost) >= 0).all()


def test_what_is_wide():
    assert not is_wide(random_problem(300, 8, 3, Policy(k=4)))
    assert is_wide(table(300, 22, Policy(k=4)))


@pytest.mark.compiled
@pytest.mark.parametrize("policy", [Policy(k=4), Policy(k=3, t=0.3), Policy(k=3, l=2)])
def test_a_wide_table_is_searched_without_its_patterns(policy):
    problem = table(400, 22, policy, sensitive=0 if str(policy) == str(Policy(k=4)) else 1)
    runs = [
        Run(problem, compile_rules(problem), StoppingRule(iterations=60_000), silent, Incumbent(), seed)
        for seed in (0, 0, 1)
    ]
    found = [run.improve(run.start()) for run in runs]
    for partition in found:
        assert_complete(problem, partition)
        for other in ("mondrian", "mondrian-relaxed"):
            assert partition.cost < 0.9 * solved(other, problem).partition.cost
    assert found[0].groups.tolist() == found[1].groups.tolist()
    assert abs(found[0].cost - found[2].cost) < 0.03 * found[0].cost


@pytest.mark.compiled
def test_a_wide_table_in_time():
    problem = table(3_000, 25, Policy(k=5))
    good = int(0.8 * solved("mondrian", problem).partition.cost)
    found = Search().solve(problem, *until_below(problem, good))
    assert_complete(problem, found.partition)
    assert found.bound.cost <= found.partition.cost < good


def test_loading_takes_a_part_without_some_of_the_values():
    rng = np.random.default_rng(0)
    rows = [(*map(str, rng.integers(0, 3, 22)), str(i % 2 if i < 60 else i % 20)) for i in range(300)]
    problem = problem_of(
        sorted(rows, key=lambda row: int(row[-1]) > 1), ["suppress"] * 22, ["equal"], Policy(k=3, t=0.5)
    )
    assert is_wide(problem)
    assert_complete(problem, Search().solve(problem, StoppingRule(seconds=0.3), silent).partition)


def test_nothing_grows_under_a_strict_policy():
    problem = table(400, 22, Policy(k=3, t=0.005), sensitive=1)
    assert_complete(problem, Construction(problem, compile_rules(problem), 0).partition(StoppingRule()))


def test_a_search_that_is_over_looks_for_nobody():
    problem = table(400, 22, Policy(k=4))
    over = StoppingRule(seconds=0)
    found = nearest_neighbours(problem.codes, stacked(problem), 9, np.random.default_rng(0), over)
    assert (found == NONE).all()
    start = Construction(problem, compile_rules(problem), 0).partition(over)
    assert_complete(problem, start)
    exchange = RowSwaps(problem, compile_rules(problem), start, over)
    exchange.anneal(100, 1.0)
    assert_complete(problem, exchange.best)


def test_it_is_as_warm_as_there_are_moves():
    cooling = Schedule(StoppingRule(seconds=100, iterations=1_000_000), Params())
    cooling.moves = 5_000
    assert cooling.total_moves(0.5) == 10_000
    assert Schedule(StoppingRule(iterations=700), Params()).total_moves(0.0) == 700
