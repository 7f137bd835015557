"""Groups of single sizes in a tree against all groups."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilt.kernels.bounds.by_size import Members, SmallGroups, SortedCovers
from kilt.kernels.bounds.nested import NestedGroups
from support.kernels import drawn_covers
from support.profiles import examples

TREES = {
    "star": lambda classes: [(c, c + 1) for c in range(classes)],
    "line": lambda classes: [(0, c) for c in range(1, classes)],
    "taxonomy": lambda classes: [*((c, c + 1) for c in range(classes)), (0, (classes + 1) // 2)],
}
LARGEST = 5
NO_PAIR = np.zeros((0, 2), dtype=np.int64), np.zeros(2, dtype=np.int64)


class Tree:
    """A tree over the classes of some covers, in any order, and what groups may carry."""

    def __init__(self, data, drawn):
        of_cover = np.bincount(drawn.sensitive_class, weights=drawn.counts)
        classes = len(of_cover)
        self.leaves = np.array(data.draw(st.permutations(range(classes))))
        edges = sorted(TREES[data.draw(st.sampled_from(sorted(TREES)))](classes), key=lambda edge: (edge[1], -edge[0]))
        self.edges = np.array(edges, dtype=np.int64).reshape(-1, 2)
        self.length = np.array([data.draw(st.sampled_from([0.25, 0.5, 1.0])) for _ in edges])
        totals = of_cover + [data.draw(st.integers(0, 5)) for _ in range(classes)]
        self.share = self.beyond(totals / totals.sum())
        self.allowed = data.draw(st.sampled_from([0.0, 0.1, 0.2, 0.4])) * np.arange(LARGEST + 1.0)

    def beyond(self, by_class):
        """Add up what is beyond each edge."""
        return np.array([sum(by_class[self.leaves[first:end]]) for first, end in self.edges.tolist()])

    def excess(self, by_class, size):
        """Return what a group carries over all edges."""
        return float(np.abs(self.beyond(by_class) - self.share * size) @ self.length) if len(self.edges) else 0.0


def mixed_least(drawn, p, tree, shift, smallest):
    """Return the least reduced cost of mixtures of two groups of one size, whose excess is allowed on the average.

    The second number is the least where no group of a size has less than its rows without the shifts.
    """
    least, least_above, copies = 0.0, 0.0, drawn.copies_of(p)
    without_shifts = np.cumsum(np.sort(drawn.cost[p] - drawn.multipliers[copies]))
    for size in range(smallest, min(LARGEST, len(copies)) + 1):
        found = set()
        for group in set(combinations(copies.tolist(), size)):
            by_class = np.bincount(drawn.sensitive_class[list(group)], minlength=len(tree.leaves))
            value = size * int(drawn.cost[p]) - int(drawn.multipliers[list(group)].sum()) + float(shift @ by_class)
            found.add((tree.excess(by_class, size) - tree.allowed[size], value))
        low = np.array([each for each in found if each[0] <= 1e-9]).reshape(-1, 2)
        high = np.array([each for each in found if each[0] > 1e-9]).reshape(-1, 2)
        (el, vl), (eh, vh) = low[:, :, None].transpose(1, 0, 2), high.T
        mixed = (vl * eh - vh * el) / (eh - el)
        of_size = min(low[:, 1].min(initial=np.inf), mixed.min(initial=np.inf))
        least, least_above = min(least, of_size), min(least_above, max(of_size, without_shifts[size - 1]))
    return least, least_above


@given(st.data())
@examples(200)
def test_the_least_reduced_cost_is_that_of_a_mixture_of_groups(data):
    drawn = drawn_covers(data, most_row_types=5, most_classes=4)
    tree, patterns, smallest = Tree(data, drawn), len(drawn.cost), data.draw(st.integers(1, 3))
    shifts = st.sampled_from([0.0, 0.0, -1_500.0, 2_500.0])
    shift = np.array([[data.draw(shifts) for _ in tree.leaves] for _ in range(patterns)])
    in_order = SortedCovers(drawn.covers)
    active = drawn.covers.active(drawn.multipliers)
    in_order.sort(np.argsort(-drawn.multipliers, kind="stable"), active)
    members = Members(len(tree.leaves), LARGEST, int(drawn.counts.sum()))
    edges = tree.edges, tree.length, tree.share
    nested = NestedGroups(members, tree.allowed, tree.leaves, *edges, shift, *NO_PAIR)
    size, theta = np.zeros(patterns, dtype=np.int64), np.zeros(patterns)
    groups = SmallGroups(in_order, nested, smallest, size, theta, LARGEST)
    for _ in range(2):  # the second time from where the first one ended
        values, marks = np.zeros(patterns), np.zeros((2, patterns), dtype=np.uint8)
        by_class, taken = np.zeros_like(shift), np.zeros(len(drawn.counts))
        groups.lower(0, 1, drawn.multipliers, active, values, taken, 0.0, marks, by_class)
        for p in range(patterns):
            least, least_above = mixed_least(drawn, p, tree, shift[p], smallest)
            assert least - 25 <= values[p] <= least_above + 25
            if values[p] < 0:
                assert by_class[p].sum() == pytest.approx(size[p])
    looked_at = np.flatnonzero(active)
    numbers, tails = np.zeros((len(looked_at), 2 + len(tree.edges))), np.zeros(len(looked_at))
    groups.tails(looked_at, drawn.multipliers, smallest, numbers, tails)
    for i in np.flatnonzero(np.isfinite(tails)).tolist():
        assert min(0.0, tails[i]) <= mixed_least(drawn, looked_at[i], tree, shift[looked_at[i]], smallest)[0] + 1
        assert (np.abs(numbers[i, 2:]) <= numbers[i, 1] + 1e-6).all()
