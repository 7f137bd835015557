"""The lemma behind simplex matching, by itself: weights that no good set shows to be negative are not negative in all.

A graph has old nodes, new nodes and leaves. A set of edges is good if the degrees in it are 0, 1, 3 at old nodes, 0, 2,
3 at new nodes and 0, 1 at leaves, and at most two of them are odd.
"""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import linprog

from support.profiles import examples

ALLOWED = {"old": (0, 1, 3), "new": (0, 2, 3), "leaf": (0, 1)}


def random_graph(rng, old: int, new: int, leaves: int) -> tuple[np.ndarray, list[str]]:
    """Return the ends of the edges of a random graph, loops and parallel edges included, and the kinds of its nodes."""
    kinds = ["old"] * old + ["new"] * new + ["leaf"] * leaves
    ends = np.repeat(np.arange(len(kinds)), [1 if kind == "leaf" else 3 for kind in kinds])
    return rng.permutation(ends).reshape(-1, 2), kinds


def good_sets(edges: np.ndarray, kinds: list[str]) -> np.ndarray:
    chosen = (np.arange(1, 1 << len(edges))[:, None] >> np.arange(len(edges))) & 1
    degrees = np.zeros((len(chosen), len(kinds)), dtype=np.int64)
    for i, ends in enumerate(edges):
        for node in ends:
            degrees[:, node] += chosen[:, i]
    legal = np.all([np.isin(degrees[:, node], ALLOWED[kind]) for node, kind in enumerate(kinds)], axis=0)
    return chosen[legal & ((degrees % 2).sum(axis=1) <= 2)]


@given(st.integers(0, 2**32 - 1), st.integers(0, 6), st.integers(0, 6), st.integers(0, 3))
@examples(150)
def test_weights_of_a_negative_sum_have_a_good_set_of_a_negative_sum(seed, old, new, leaves):
    assume((3 * (old + new) + leaves) % 2 == 0)
    assume(0 < 3 * (old + new) + leaves <= 24)
    edges, kinds = random_graph(np.random.default_rng(seed), old, new, leaves)
    good = good_sets(edges, kinds)
    least = linprog(np.ones(len(edges)), -good, np.zeros(len(good)), bounds=(-1, 1))
    assert least.status == 0
    assert least.fun > -1e-7


def test_one_odd_node_more_is_not_needed_but_none_fewer_will_do():
    edges, kinds = np.array([[0, 1], [0, 1], [0, 1]]), ["old", "new"]
    good = good_sets(edges, kinds)
    assert good.tolist() == [[1, 1, 1]]  # both nodes are odd in the only set that is legal
