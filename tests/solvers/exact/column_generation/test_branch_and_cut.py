"""Branch and cut against brute force: random lists of groups, with copies, and proofs that hold wherever it stops."""

from __future__ import annotations

from functools import cache

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kilt.arrays.ragged import Ragged
from kilt.run.stopping import StoppingRule
from kilt.solvers.exact.column_generation.branch_and_cut import BranchAndCut
from kilt.solvers.exact.column_generation.columns import Columns
from kilt.solvers.exact.column_generation.parity_cuts import odd_groups, parity_cuts
from kilt.solvers.exact.column_generation.selection import Node, SelectionProgram
from support.profiles import examples

SCALE = 1_000_000
FAR = 10**6


@st.composite
def selections(draw) -> tuple[Columns, np.ndarray]:
    """Groups of two to four copies of at most seven row types, with costs, and how many copies are to be placed."""
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    types = int(rng.integers(1, 8))
    counts = rng.integers(1, 4, types) if rng.random() < 0.5 else np.ones(types, dtype=np.int64)
    sizes = rng.integers(2, 5 if rng.random() < 0.3 else 4, int(rng.integers(1, 25)))
    members = np.concatenate([np.sort(rng.integers(0, types, size)) for size in sizes])
    return Columns(Ragged.of_lengths(members, sizes), rng.integers(0, 12, len(sizes))), counts


def optimum(columns: Columns, counts: np.ndarray) -> int:
    groups = [
        (np.bincount(columns.types[a:b], minlength=len(counts)), int(cost))
        for a, b, cost in zip(columns.starts, columns.starts[1:], columns.cost, strict=False)
    ]

    @cache
    def best(left: tuple[int, ...]) -> int:
        rows = np.array(left)
        if not rows.any():
            return 0
        first = int(np.flatnonzero(rows)[0])
        fitting = [(group, cost) for group, cost in groups if group[first] and (group <= rows).all()]
        return min((cost + best(tuple((rows - group).tolist())) for group, cost in fitting), default=FAR)

    return best(tuple(counts.tolist()))


@given(selections(), st.integers(1, 60))
@examples(600)
def test_the_cheapest_selection_below_a_ceiling_is_found_and_proved(selection, ceiling):
    columns, counts = selection
    least = optimum(columns, counts)
    found = BranchAndCut(SCALE, StoppingRule()).solve(Node.of(columns, counts), ceiling)
    assert found.bound == min(least, ceiling)
    assert (found.groups is not None) == (least < ceiling)
    if found.groups is not None:
        assert int(found.groups.cost.sum()) == least
        assert np.array_equal(np.bincount(found.groups.types, minlength=len(counts)), counts)


@given(selections(), st.integers(0, 6))
@examples(300)
def test_a_tree_that_is_cut_short_proves_a_valid_bound(selection, nodes):
    columns, counts = selection
    least = optimum(columns, counts)
    found = BranchAndCut(SCALE, StoppingRule(), max_programs=nodes).solve(Node.of(columns, counts), FAR)
    assert found.bound <= least
    assert found.groups is None or int(found.groups.cost.sum()) >= least


@given(selections(), st.data())
@examples(300)
def test_multipliers_prove_no_more_than_the_optimum_however_bad_they_are(selection, data):
    columns, counts = selection
    node = Node.of(columns, counts)
    program = SelectionProgram(node, SCALE, 100)
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    for _ in range(int(rng.integers(0, 4))):
        program.cut(rng.random(len(counts)) < 0.5)
    duals = rng.normal(0, 10.0 ** rng.integers(-1, 14), len(counts) + len(program.odd))
    proved = program._prove(np.zeros(len(columns)), duals)
    least = optimum(columns, counts)
    assert least >= FAR or proved.total <= SCALE * least
    assert (proved.reduced_cost >= 0).all()


@given(selections(), st.data())
@examples(300)
def test_groups_that_are_added_later_are_in_the_cuts(selection, data):
    columns, counts = selection
    cut = np.array(data.draw(st.lists(st.booleans(), min_size=len(counts), max_size=len(counts))))
    known = data.draw(st.integers(0, len(columns)))
    first, later = columns.picked(np.arange(known)), columns.picked(np.arange(known, len(columns)))
    program, whole = (
        SelectionProgram(Node.of(first, counts), SCALE, 100),
        SelectionProgram(Node.of(columns, counts), SCALE, 100),
    )
    assert program.cut(cut) == whole.cut(cut)
    program.add(later)
    assert len(program.node.columns) == len(columns)
    assert all(np.array_equal(mine, other) for mine, other in zip(program.odd, whole.odd, strict=True))
    found, expected = program.solve(StoppingRule()), whole.solve(StoppingRule())
    assert abs(found.total - expected.total) <= len(counts) * counts.sum()  # what rounding may lose
    assert (found.reduced_cost >= 0).all()


@given(selections())
@examples(100)
def test_highs_selects_groups_that_hold_every_row_once(selection):
    columns, counts = selection
    found = SelectionProgram(Node.of(columns, counts), SCALE, 100).select(StoppingRule(), max_nodes=1_000)
    least = optimum(columns, counts)
    assert (found is None) == (least >= FAR)
    if found is not None:
        assert int(found.cost.sum()) == least
        assert np.array_equal(np.bincount(found.types, minlength=len(counts)), counts)


@given(selections(), st.data())
@examples(300)
def test_parity_cuts_are_violated_by_the_shares_and_by_no_partition(selection, data):
    columns, counts = selection
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    shares = rng.choice([0, 0, 0.5, 0.5, 1 / 3, 1], len(columns))
    for types in parity_cuts(columns, shares, counts):
        odd = odd_groups(columns, types)
        assert counts[types].sum() % 2 == 1
        assert shares[odd].sum() < 1
    least = optimum(columns, counts)
    found = BranchAndCut(SCALE, StoppingRule()).solve(Node.of(columns, counts), FAR)
    if least < FAR:
        for types in parity_cuts(columns, shares, counts):
            inside = [types[found.groups.types[a:b]].sum() for a, b in _ends(found.groups)]
            assert any(number % 2 for number in inside)


def _ends(groups: Columns) -> list[tuple[int, int]]:
    return list(zip(groups.starts.tolist(), groups.starts[1:].tolist(), strict=False))


def test_an_odd_cycle_is_closed_by_one_cut():
    types = np.array([0, 1, 1, 2, 2, 3, 3, 4, 0, 4, 0, 1, 2])
    columns = Columns(Ragged.of_lengths(types, np.array([2, 2, 2, 2, 2, 3])), np.array([2, 2, 2, 2, 2, 9]))
    tree = BranchAndCut(SCALE, StoppingRule())
    found = tree.solve(Node.of(columns, np.ones(5, dtype=np.int64)), 11)
    assert (found.bound, found.groups, tree.programs) == (11, None, 2)
