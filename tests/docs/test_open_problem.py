"""What docs/open_problem.md claims, as far as it can be computed: counterexamples, and theorems on random tables.

The reduction from set cover is tested in tests/hardness/reductions/test_set_cover.py, and t=0 beside the solver.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import chain, combinations, combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import linprog

from kilt import Policy
from kilt.solvers.approximation.residue.smallest import smallest_kept
from support.problems import all_groups, classes_of, problem_of, random_problem, solved, table_of
from support.profiles import examples
from support.strategies import counted

T = [Fraction(0), Fraction(1, 10), Fraction(1, 4), Fraction(2, 5), Fraction(3, 5)]


def distance(group, table):
    """Return the total variation distance of two count vectors."""
    size, rows = sum(group), sum(table)
    return sum(abs(Fraction(c, size) - Fraction(r, rows)) for c, r in zip(group, table, strict=True)) / 2


def totals(counts):
    return [sum(column) for column in zip(*counts, strict=True)]


def smallest_residue(counts, t):
    problem = table_of(counts, Policy(t=t))
    return problem.rows - int(smallest_kept(problem, classes_of(problem)).sum())


@pytest.mark.parametrize("columns", [1, 2, 5])
def test_the_factor_m_is_reached(columns):
    rows = [("0", *"0" * (columns - 1), "a"), ("1", *"0" * (columns - 1), "b")]
    rows += [("2", *"1" * (columns - 1), "a"), ("3", *"1" * (columns - 1), "b")]
    problem = problem_of(rows, ["suppress"] * columns, ["equal"], Policy(t=0))
    assert solved("exhaustive", problem).partition.cost == 4
    assert solved("residue", problem).partition.cost == 4 * columns


# A cover is not a partition.


def test_a_cover_without_stars_where_every_release_has_some():
    classes = ["abb", "aab"]
    legal = {"ab", "aabb", "aaabbb"}
    for rows in classes:
        covered = [set(pair) for pair in combinations(range(3), 2) if "".join(rows[i] for i in pair) in legal]
        assert set().union(*covered) == {0, 1, 2}
    for t in ("0", "0.16"):
        problem = problem_of([(str(i), value) for i, c in enumerate(classes) for value in c], *ONE, Policy(t=t))
        assert solved("exhaustive", problem).partition.cost == 2


ONE = (["suppress"], ["equal"])


def stuck(values, t):
    """Return whether two legal groups can neither share out what they have in common, nor be merged."""
    rows, names = range(len(values)), sorted(set(values))
    table = [values.count(name) for name in names]

    def legal(group):
        return not group or distance([sum(values[i] == name for i in group) for name in names], table) <= t

    groups = [set(g) for size in rows for g in combinations(rows, size + 1) if legal(set(g))]
    return any(not legal(g | h) and not parted(g, h, legal) for g, h in combinations(groups, 2) if g & h)


def parted(g, h, legal):
    common = sorted(g & h)
    kept = chain.from_iterable(combinations(common, size) for size in range(len(common) + 1))
    return any(legal(g - set(mine)) and legal(h - (g & h) | set(mine)) for mine in kept)


def test_two_groups_that_can_neither_be_parted_nor_merged():
    assert stuck("aabb", Fraction(0))
    assert stuck("aabb", Fraction(16, 100))
    assert not stuck("aabb", Fraction(1, 6))
    for size in (1, 2, 3):
        for values in combinations_with_replacement("abc", size):
            assert not any(stuck("".join(values), Fraction(i, 36)) for i in range(37))


# The linear relaxation.


def relaxed(counts, t):
    """Return how many rows each block keeps if parts of rows may be kept: variables d, excess e, excess of the rest."""
    classes, values = len(counts), len(counts[0])
    table, rows, blocks = totals(counts), sum(map(sum, counts)), len(counts) * len(counts[0])
    share = [Fraction(r, rows) for r in table]
    lines, limits = [], []

    def line(entries, limit):
        lines.append(np.zeros(2 * blocks + values))
        for place, number in entries:
            lines[-1][place] += float(number)
        limits.append(float(limit))

    for i in range(classes):
        kept, excess = range(i * values, (i + 1) * values), range(blocks + i * values, blocks + (i + 1) * values)
        for s in range(values):
            line([(kept[s], 1), *((place, -share[s]) for place in kept), (excess[s], -1)], 0)
        line([*((place, 1) for place in excess), *((place, -t) for place in kept)], 0)
    for s in range(values):
        own = [(i * values + s, -1) for i in range(classes)]
        line([*own, *((j, share[s]) for j in range(blocks)), (2 * blocks + s, -1)], 0)
    line([*((2 * blocks + s, 1) for s in range(values)), *((j, t) for j in range(blocks))], t * rows)
    limited = [(0, c) for c in chain.from_iterable(counts)] + [(0, None)] * (blocks + values)
    cost = np.concatenate([-np.ones(blocks), np.zeros(blocks + values)])
    found = linprog(cost, A_ub=np.array(lines), b_ub=limits, bounds=limited, method="highs")
    assert found.status == 0
    return found.x[:blocks].reshape(classes, values)


@pytest.mark.parametrize("p", [1, 2, 5])
def test_the_relaxation_hides_half_a_row_where_all_must_be_hidden(p):
    counts = [[p + 1, p], [p, p]]
    rows = 4 * p + 1
    assert rows - relaxed(counts, Fraction(0)).sum() == pytest.approx(rows / (4 * p + 2))
    for t in (Fraction(0), Fraction(1, rows**2 + 1)):
        assert smallest_residue(counts, t) == rows


def rounded(counts, t, epsilon):
    """Return the integers that the theorem keeps: scale, leave out small classes, and round down."""
    kept, rows = relaxed(counts, t), sum(map(sum, counts))
    types = sum(c > 0 for c in chain.from_iterable(counts))
    if rows <= types / epsilon**2:
        return np.zeros_like(kept, dtype=np.int64)
    least = types * (1 - epsilon) / epsilon**2
    if rows - kept.sum() < least:
        kept *= float(rows - least) / kept.sum()
    for i, each in enumerate(kept):
        if each.sum() < sum(c > 0 for c in counts[i]) / epsilon:
            kept[i] = 0
    return np.floor(kept + 1e-9).astype(np.int64)


@given(
    st.lists(st.lists(st.integers(0, 150), min_size=3, max_size=3), min_size=2, max_size=3),
    st.sampled_from(T),
    st.sampled_from([Fraction(1, 4), Fraction(1, 3), Fraction(1, 2)]),
)
@examples(100)
def test_rounding_the_relaxation_costs_little_and_breaks_t_by_little(counts, t, epsilon):
    assume(min(totals(counts)) > 0)
    table, rows = totals(counts), sum(map(sum, counts))
    types = sum(c > 0 for c in chain.from_iterable(counts))
    kept = rounded(counts, t, epsilon)
    residue = np.array(table) - kept.sum(axis=0)
    for group in [*kept.tolist(), residue.tolist()]:
        assert not any(group) or float(distance(group, table)) <= t + epsilon + 1e-6
    relaxation = rows - float(relaxed(counts, t).sum())
    assert residue.sum() <= max(relaxation + types / epsilon, types / epsilon**2) + 1e-6


@given(counted(3, (2, 3), 2), st.sampled_from(T))
@examples(100)
def test_the_relaxation_is_a_bound(counts, t):
    assume(min(totals(counts)) > 0)
    assert sum(map(sum, counts)) - relaxed(counts, t).sum() <= smallest_residue(counts, t) + 1e-6


# Few classes, or rare values.


def residue_of_few_classes(counts, t):
    """Return the smallest residue by going through the values, for every choice of how many rows each class keeps."""
    rows = sum(map(sum, counts))
    choices = product(*(range(sum(each) + 1) for each in counts))
    return min(rows - sum(sizes) for sizes in choices if can_keep(counts, sizes, t))


def can_keep(counts, sizes, t):
    table, rows = totals(counts), sum(map(sum, counts))
    left = rows - sum(sizes)
    limits = [t * rows * size for size in (*sizes, left)]
    reached = {((0,) * len(sizes), (0,) * (len(sizes) + 1))}
    for value, total in enumerate(table):
        step = set()
        for kept in product(*(range(each[value] + 1) for each in counts)):
            parts = [*zip(kept, sizes, strict=True), (total - sum(kept), left)]
            excess = [max(0, rows * part - size * total) for part, size in parts]
            step |= {(added(before, kept), added(over, excess)) for before, over in reached}
        reached = {each for each in step if all(o <= limit for o, limit in zip(each[1], limits, strict=True))}
    return any(kept == tuple(sizes) for kept, _ in reached)


def added(a, b):
    return tuple(x + y for x, y in zip(a, b, strict=True))


@given(counted(2, (2, 3), 2), st.sampled_from(T))
@examples(60)
def test_few_classes_are_as_good_as_few_values(counts, t):
    assume(min(totals(counts)) > 0)
    assert residue_of_few_classes(counts, t) == smallest_residue(counts, t)


@pytest.mark.parametrize("t", T)
@pytest.mark.parametrize("seed", range(6))
def test_a_release_with_stars_has_a_legal_group_of_them(t, seed):
    problem = random_problem(8, 2, 2 + seed % 4, Policy(t=t), seed)
    optimum = solved("exhaustive", problem).partition.cost
    least = min(map(len, all_groups(problem)))
    assert optimum == 0 or optimum >= least
    assert least >= math.ceil((1 - t) * problem.rows / int(problem.sensitive_totals.max()))
    by_class = classes_of(problem)
    assert (optimum == 0) == bool(problem.is_legal(by_class.table(by_class.counts)).all())


@pytest.mark.parametrize("t", [Fraction(1, 5), Fraction(2, 7), Fraction(1, 2), Fraction(3, 4)])
def test_the_gap_of_the_relaxation_grows_for_every_constant_t(t):
    a, b = t.numerator, t.denominator
    x = 4 * b
    k, rows = 2 * x, 2 * b * x * x
    shared, others = (b - a) * x * k - b * k - 1, x - 1
    table = [b * k + 1, *(shared // others + (i < shared % others) for i in range(others)), int(t * rows)]
    first = [1] * x + [0]
    second = [total - mine for total, mine in zip(table, first, strict=True)]
    assert sum(table) == rows
    assert x * Fraction(table[0], rows) > 1  # so that the whole first class has too few of its first value
    assert distance(first, table) > t
    assert all(distance([1 - (i == j) for i in range(x)] + [0], table) > t for j in range(x))  # nor has a part of it
    part = Fraction(x, (b * k + 1) * shared)
    left = [part * total for total in table]
    kept = [1, *(1 - left[i] for i in range(1, x)), 0]
    rest = [total - gone - mine for total, gone, mine in zip(table, left, kept, strict=True)]
    assert all(0 <= mine <= there for mine, there in zip(rest, second, strict=True))
    assert distance(kept, table) <= t
    assert distance(rest, table) <= t
    assert sum(left) < 1
