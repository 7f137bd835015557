"""Tuple partitions: each phase does what its proof says."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kilt import InfeasibleError, InputError, LDiversity, Policy
from kilt.run.stopping import StoppingRule
from kilt.solvers.approximation.residue.smallest import smallest_kept
from kilt.solvers.approximation.residue.solver import row_costs
from kilt.solvers.approximation.tp.phases import ResiduePhases, levelled
from kilt.solvers.approximation.tp.solver import least_residue, legal_residue_kept, most_kept
from kilt.solvers.choose import choose
from kilt.solvers.registry import solver_info
from support.lines import lines_not_run
from support.problems import classes_of, drawn_table, problem_of, solved, table_of
from support.profiles import examples, scaled
from support.strategies import tables

PHASES = [
    # rows of each value in each class, l, the phase in which it ends, and its residue
    ([[1, 2], [3, 0], [0, 2]], 2, 1, 6),
    ([[1, 1], [2, 2]], 2, 1, 0),  # nothing is blurred
    ([[1, 0], [0, 1]], 2, 1, 2),  # nothing stays
    ([[3, 1], [0, 1]], 1, 1, 0),  # l=1 is met by any rows
    ([[1, 1, 1], [1, 0, 0]], 2, 2, 2),  # a fat class gives one row
    ([[0, 1, 1], [1, 0, 0]], 2, 2, 3),  # a thin class gives both its pillars
    ([[0, 5, 5], [2, 0, 0]], 2, 2, 4),  # and gives them once only
    ([[1, 0, 0, 0], [0, 1, 0, 0], [1, 0, 1, 1], [0, 1, 1, 1]], 3, 3, 8),  # both thin classes share a pillar
    ([[3, 0, 0, 0], [0, 2, 0, 0], [4, 4, 4, 0], [0, 4, 4, 4], [4, 0, 4, 4]], 3, 3, 14),  # one gives twice, another once
]


def phases(problem, l):
    """The residue by value after phases 1 and 2, and in the end."""
    classes = classes_of(problem)
    kept = most_kept(classes, l)
    first = problem.sensitive_totals - classes.table(kept).sum(axis=0)
    second = ResiduePhases(l, classes.table(kept), first)
    second.second_phase()
    final = classes.counts - legal_residue_kept(classes, kept, l, StoppingRule())
    return first, second.residue, classes.table(final).sum(axis=0)


def legal(counts, l):
    return sum(counts) >= l * max(counts)


def residues(problem, l):
    """All that classes can keep so that they and the residue are legal, by trying everything."""
    table = classes_of(problem).table(classes_of(problem).counts).tolist()
    parts = [[part for part in product(*(range(c + 1) for c in of_class)) if legal(part, l)] for of_class in table]
    for kept in product(*parts):
        if legal(problem.sensitive_totals - np.sum(kept, axis=0), l):
            yield np.array(kept)


def assert_promised(problem, found, l):
    """What is proved for a table is at least what is promised for all."""
    least, most = row_costs(problem)
    assert found.factor <= max(1, l * Fraction(most, least or 1))


@given(st.data())
@examples(300)
def test_guarantees_hold_and_cuts_are_never_dearer(data):
    rows, quasi, sensitive = data.draw(tables(most_rows=9, most_sensitive=1, least_sensitive=1))
    l = data.draw(st.integers(1, 3))
    try:
        problem = problem_of(rows, quasi, sensitive, Policy(k=data.draw(st.integers(1, l)), l=l))
    except InfeasibleError:
        assume(False)
    if data.draw(st.booleans()):
        problem = problem.on([0])  # several row types may share a cell then
    optimum = solved("exhaustive", problem).partition.cost
    plain, cut = solved("tp", problem), solved("tp+", problem)
    for found in (plain, cut):
        assert found.bound.cost <= optimum
        assert found.partition.cost <= found.factor * optimum
        assert_promised(problem, found, l)
        assert found.factor == plain.factor or not found.partition.cost
    assert optimum <= cut.partition.cost <= plain.partition.cost


@given(st.data(), st.integers(1, 3))
@examples(75)
def test_every_residue_contains_the_first_and_the_smallest_is_found(data, l):
    problem = drawn_table(data, Policy(l=l))
    classes = classes_of(problem)
    most, least = classes.table(most_kept(classes, l)), problem.rows
    for kept in residues(problem, l):
        assert (kept <= most).all()
        least = min(least, problem.rows - int(kept.sum()))
    assert least_residue(classes, most_kept(classes, l), l) <= least
    assert problem.rows - smallest_kept(problem, classes).sum() == least


@given(st.data(), st.integers(2, 4))
@examples(200)
def test_how_far_each_phase_is_from_the_smallest_residue(data, l):
    problem = drawn_table(data, Policy(l=l), classes=5, values=(l, l + 1, 5), most=2)
    kept = smallest_kept(problem, classes_of(problem))
    assume(kept is not None)
    smallest_residue = problem.rows - int(kept.sum())
    first, second, final = phases(problem, l)
    assert (second >= first).all()
    assert second.max() == first.max()
    assert (final >= second).all()
    assert legal(final, l)
    if legal(first, l):
        assert final.sum() == smallest_residue
    elif legal(second, l):
        assert final.sum() == second.sum() <= smallest_residue + l - 1
    else:
        assert final.max() > first.max()
    assert smallest_residue <= final.sum() <= max(smallest_residue, (l - 1) * (smallest_residue + 1))


@given(st.integers(0, 2**32 - 1), st.integers(3, 5))
@examples(300)
def test_each_step_of_the_third_phase_does_what_its_proof_says(seed, l):
    phases = dead_end(np.random.default_rng(seed), l)
    least, table = l * phases.height, phases.residue + phases.kept.sum(axis=0)
    while phases.missing > 0:
        before, height, missing = phases.residue == phases.height, phases.height, phases.missing
        assert before.sum() < l
        assert (phases.sizes == l * phases.heights).all()
        phases.third_phase()
        after = phases.residue == phases.height
        assert (phases.height, phases.missing) == (height + 1, missing)
        assert (before | ~after).all()
        assert after.sum() < before.sum()
        assert (phases.sizes == l * phases.heights).all()
        phases.second_phase()
    assert (phases.kept >= 0).all()
    assert (phases.residue + phases.kept.sum(axis=0) == table).all()
    assert phases.residue.sum() <= (l - 1) * (least + 1)


def dead_end(rng, l):
    """Draw a residue and classes with which phase 2 is not enough: classes are thin, and many share its pillars."""
    while True:
        values, full, height = l + rng.integers(4), rng.integers(1, l), rng.integers(1, 4)
        residue = np.append(np.full(full, height), rng.integers(0, height, values - full) * rng.integers(2))
        kept = np.zeros((rng.integers(1, 7), values), dtype=np.int64)
        for each in kept:
            always = rng.permutation(full)[: rng.integers(full + 1)]
            for _ in range(rng.integers(1, 4)):
                others = rng.permutation(np.setdiff1d(np.arange(values), always))
                each[np.append(always, others)[:l]] += 1
        phases = ResiduePhases(l, kept, residue.astype(np.int64))
        if phases.missing > 0 and legal(residue + kept.sum(axis=0), l):
            phases.second_phase()
            if phases.missing > 0:
                return phases


@pytest.mark.compiled
def test_guarantees_on_all_paths():
    rng, reached = np.random.default_rng(0), Counter()
    steps = ("run", "second_phase", "third_phase", "_common", "_drain", "_spare", "_steps", "_give")
    functions = [*(getattr(ResiduePhases, step) for step in steps), levelled, most_kept, least_residue]

    def run():
        while sum(reached.values()) < scaled(450):
            counts, l = needs_third_phase(rng) if rng.integers(3) == 0 else few_rows(rng)
            if not legal(np.sum(counts, axis=0), l):
                continue
            problem = table_of(counts, Policy(l=l))
            first, second, _ = phases(problem, l)
            reached[1 if legal(first, l) else 2 if legal(second, l) else 3] += 1
            found, optimum = solved("tp", problem), solved("exhaustive", problem).partition.cost
            assert found.partition.cost <= found.factor * optimum
            assert_promised(problem, found, l)

    unused = lines_not_run(functions, run)
    assert min(reached[phase] for phase in (1, 2, 3)) > scaled(5)
    assert len(unused) <= 3  # of a run that is stopped
    assert all(line.startswith("ResiduePhases.run") for line in unused)


def needs_third_phase(rng):
    """Two values in rows of their own, and thin classes of three values each of which has one of the two."""
    classes = [(i % 2, *rng.permutation([2, 3, 4])[:2]) for i in range(rng.integers(2, 4))]
    alone = [[int(value == i) for value in range(5)] for i in range(2)]
    return [*alone, *([int(value in each) for value in range(5)] for each in classes)], 3


def few_rows(rng):
    """Up to ten rows in a few classes, with a few values."""
    counts = np.zeros((rng.integers(1, 5), rng.integers(2, 5)), dtype=np.int64)
    for _ in range(rng.integers(2, 11)):
        counts[rng.integers(len(counts)), rng.integers(counts.shape[1])] += 1
    return counts.tolist(), int(rng.integers(1, 4))


@pytest.mark.parametrize(("counts", "l", "phase", "blurred"), PHASES)
def test_each_phase_is_reached(counts, l, phase, blurred):
    problem = table_of(counts, Policy(l=l))
    first, second, final = phases(problem, l)
    assert (1 if legal(first, l) else 2 if legal(second, l) else 3) == phase
    found = solved("tp", problem)
    assert final.sum() == found.partition.sizes()[found.partition.levels.any(axis=1)].sum() == blurred
    if phase == 1:
        least, most = row_costs(problem)
        assert found.factor == (most // least if blurred else 1)


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=5), st.integers(0, 12))
def test_rows_are_taken_evenly_and_none_above_the_height(values, wanted):
    residue, available = np.array(values).T
    taken = levelled(residue, available, wanted)
    room = np.minimum(available, residue.max() - residue)
    assert (taken >= 0).all()
    assert (taken <= room).all()
    assert taken.sum() == min(wanted, room.sum())
    for low, high in product(range(len(values)), repeat=2):
        if taken[high] and taken[low] < room[low]:
            assert residue[low] + taken[low] >= residue[high] + taken[high] - 1


def test_cuts_save_something():
    rows = [(a, b, b) for a in "pq" for b in "xy"]
    problem = problem_of(rows, ["suppress", "suppress"], ["equal"], Policy(l=2))
    assert solved("tp", problem).partition.cost == 8
    assert solved("tp+", problem).partition.cost == 4


def test_when_told_to_stop_all_rows_form_one_group():
    counts, l, _, _ = PHASES[-1]
    problem = table_of(counts, Policy(l=l))
    assert len(solved("tp", problem).partition) > 1
    assert len(solved("tp", problem, StoppingRule(interrupted=lambda: True)).partition) == 1


@pytest.mark.parametrize("name", ["tp", "tp+"])
@pytest.mark.parametrize(
    "policy",
    [
        Policy(k=2),
        Policy(l="1.5"),
        Policy(l=2, diversity="distinct"),
        Policy(k=3, l=2),
        Policy(t="0.5"),
        Policy(l=2, t="0.5"),
        Policy(LDiversity(2), LDiversity(1)),
    ],
    ids=str,
)
def test_other_policies_are_refused(name, policy):
    problem = table_of([[2, 2, 2]], policy)
    with pytest.raises(InputError, match=r"it takes a whole l \(frequency\)"):
        choose(name, problem)


def test_two_sensitive_columns_are_refused_and_the_authors_name_is_known():
    problem = problem_of([("a", "0", "1"), ("a", "1", "0")], ["suppress"], ["equal", "equal"], Policy(l=2))
    assert solver_info("xiao-yi-tao").name == "tp"
    assert solver_info("xiao-yi-tao").load().refuses(problem) is not None
