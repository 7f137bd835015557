"""Planted solutions are there."""

from __future__ import annotations

import pytest

from kilt import InputError
from kilt.hardness import planted_bisection, planted_clique, planted_matching, random_graph
from support.hardness import best_bisection, cut, is_clique


def test_planted_solutions_are_there_and_seeds_repeat():
    for seed in range(50):
        graph, side = planted_bisection(8, 5, seed=seed)
        assert cut(graph, side) == 5 == cut(graph, best_bisection(graph))
        graph, side = planted_bisection(10, 3, 4, seed)
        assert (cut(graph, side), len(graph.edges)) == (3, 11)
        graph, clique = planted_clique(9, 4, 12, seed)
        assert is_clique(graph, clique)
        assert len(graph.edges) == 12
        matching, chosen = planted_matching(4, 9, seed)
        assert matching.accepts(chosen)
        assert len(matching.triples) == 9
        assert planted_matching(4, 9, seed) == (matching, chosen)
    assert random_graph(8, 9, 1) != random_graph(8, 9, 2)
    with pytest.raises(InputError, match="room for 0 to 6 edges here, not for 7"):
        random_graph(4, 7)
