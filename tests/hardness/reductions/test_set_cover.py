"""Set cover to t-closeness of one column: every class is rigid, and a residue is legal exactly if it is a cover."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from itertools import combinations

import pytest

from kilt import InputError
from kilt.hardness import CoverToCloseness, SetCover
from support import profiles
from support.hardness import checked

SMALL = ["1/10", "1/5", "1/4", "0.3", "1/3", "2/5", "1/2"]


def smallest_cover(source):
    """Try all numbers of sets."""
    every = range(len(source.sets))
    covers = (c for size in every for c in combinations(every, size + 1) if is_cover(source, c))
    return frozenset(next(covers))


def is_cover(source, chosen):
    return set().union(*(source.sets[i] for i in chosen)) == set().union(*source.sets)


def classes_of(reduction):
    """Return the values of every class, and of the whole table."""
    found: dict[str, Counter[str]] = {}
    for (name,), value in zip(reduction.table.rows, reduction.table.sensitive, strict=True):
        found.setdefault(name, Counter())[value] += 1
    return found, Counter(reduction.table.sensitive)


def overlap(counts, totals):
    """Return sum of min(share in the group, share in the table), times the rows of both."""
    rows, size = totals.total(), counts.total()
    return sum(min(number * rows, size * totals[value]) for value, number in counts.items())


def is_close(counts, totals, t):
    """Decide t-closeness with equal distances: the shares that do not overlap are at most t."""
    return overlap(counts, totals) >= (1 - t) * totals.total() * counts.total()


def largest_overlap(counts, totals, size):
    """Return the largest overlap of a part with so many rows: what each further row of a value adds never grows."""
    rows, gains = totals.total(), []
    for value, number in counts.items():
        full, rest = divmod(size * totals[value], rows)
        gains += [rows] * min(number, full) + [rest] * (number > full)
    gains += [0] * size
    return sum(sorted(gains, reverse=True)[:size])


def assert_rigid(counts, totals, t):
    assert is_close(counts, totals, t)
    for size in range(1, counts.total()):
        assert largest_overlap(counts, totals, size) < (1 - t) * totals.total() * size


def assert_covers_are_the_residues(reduction, classes, totals):
    """Hide every choice of up to three classes of N rows, beside the odd rows."""
    t, sets, rows = reduction.exact_t, [members for members, _ in reduction.sets], reduction.sizes.rows
    odd = sum((counts for name, counts in classes.items() if name.startswith("odd")), Counter())
    regular = {name: counts for name, counts in classes.items() if name.startswith(("set", "dummy"))}
    assert {odd.total(), *(counts.total() for counts in regular.values())} == {rows}
    for hidden in (h for size in range(4) for h in combinations(list(regular)[:9], size)):
        elements = set().union(*(sets[int(name.split()[1])] for name in hidden if name.startswith("set")))
        residue = sum((regular[name] for name in hidden), odd)
        assert is_close(residue, totals, t) == (len(elements) == len(reduction.source.elements))


def assert_proved(reduction):
    """Check all that the proof uses, so that the optimum is N (sets + 1) by trying all covers."""
    t, (classes, totals) = reduction.exact_t, classes_of(reduction)
    some = {kind: counts for name, counts in classes.items() for kind in [name.split()[0]] if kind != "odd"}
    assert set(some) <= {"set", "dummy", "large"}
    for counts in some.values():
        assert_rigid(counts, totals, t)
    for name, counts in classes.items():
        assert is_close(counts, totals, t) == (not name.startswith("odd"))
    enough = len(reduction.source.always_enough)
    assert all(c.total() >= enough * reduction.sizes.rows for name, c in classes.items() if name.startswith("large"))
    assert_covers_are_the_residues(reduction, classes, totals)


def some_cover(rng):
    elements = range(rng.randint(1, 3))
    sets = [rng.sample(elements, rng.randint(1, len(elements))) for _ in range(rng.randint(1, 4))]
    return SetCover.of(sets + [[each] for each in elements if not any(each in s for s in sets)])


def test_every_claim_of_the_proof_on_random_covers():
    rng = random.Random(1)
    for number in range(100 if profiles.is_thorough() else 7):
        reduction = CoverToCloseness(some_cover(rng), SMALL[number % len(SMALL)])
        assert len(reduction.table.rows) == reduction.sizes.all_rows
        assert_proved(reduction)


@pytest.mark.parametrize("t", ["1/5", "2/5", "2/3"])
def test_set_covers_become_releases_and_releases_covers(t):
    source = SetCover.of([[1, 2], [2, 3], [3]])
    reduction = CoverToCloseness(source, t)
    instance, claim = reduction.instance, reduction.claim()
    for chosen in [{0, 2}, {0, 1}, {0, 1, 2}]:
        groups = reduction.forward(frozenset(chosen))
        assert instance.is_legal(groups)
        assert claim.holds(len(chosen), instance.value(groups))
        assert reduction.back(groups) == chosen
    rows = range(len(reduction.table.rows))
    assert source.value(reduction.back((tuple(rows),))) <= 3


def test_a_solver_finds_the_smallest_cover():
    source = SetCover.of([[1], [1]], most=1)
    assert checked(CoverToCloseness(source, "1/4"), smallest_cover(source), "exact") == (True, 48)


def test_a_set_that_covers_nothing_new_changes_nothing():
    for t in map(Fraction, SMALL):
        few, more = (CoverToCloseness(SetCover.of(sets), t) for sets in ([[1]], [[1], [1]]))
        assert few.table == more.table


@pytest.mark.parametrize("t", [0, 1, "1.5", -1, "x"])
def test_t_must_be_between_0_and_1(t):
    with pytest.raises(InputError, match="'t' must be"):
        CoverToCloseness(SetCover.of([[1]]), t)


@pytest.mark.parametrize("sets", [[], [[]], [[[1]]]])
def test_sets_must_have_elements(sets):
    with pytest.raises(InputError, match="cover"):
        SetCover.of(sets)


@pytest.mark.parametrize("solution", [{0}, {5}, {-1}])
def test_what_is_no_cover_is_refused(solution):
    with pytest.raises(InputError, match="solution"):
        SetCover.of([[1], [2]]).value(frozenset(solution))
