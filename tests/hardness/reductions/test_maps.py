"""Maps of solutions both ways, of solutions that need not be optimal."""

from __future__ import annotations

import random
from functools import partial

import pytest

from kilt import InputError
from kilt.hardness import (
    AnonymityToCloseness,
    Bisection,
    BisectionToAnonymity,
    Clique,
    CliqueToHalfClique,
    Graph,
    HalfClique,
    HalfCliqueToAnonymity,
    HalfToFraction,
    LargerHalfClique,
    Matching,
    MatchingToCloseness,
    MatchingToFourPoints,
    random_graph,
    to_anonymity,
)
from support.hardness import largest_matching, some_graph, some_matching


def some_partition(rng, rows, k):
    groups = [[i] for i in range(rows)]
    rng.shuffle(groups)
    while any(len(group) < k for group in groups) or (len(groups) > 1 and rng.random() < 0.2):
        first = groups.pop()
        groups[rng.randrange(len(groups))] += first
        groups.sort(key=len, reverse=True)
    return tuple(tuple(sorted(group)) for group in groups)


def test_back_is_never_worse_than_the_claim_says():
    rng = random.Random(9)
    for _ in range(300):
        graph = some_graph(rng)
        half = len(graph.nodes) // 2
        bisection = BisectionToAnonymity(Bisection(graph))
        fraction = bisection >> partial(HalfToFraction, c=rng.choice(["1/3", "0.3", "1/4"]))
        for reduction in (bisection, fraction):
            groups = some_partition(rng, len(reduction.table.rows), half)
            assert reduction.instance.is_legal(groups)
            claim, value = reduction.claim(), reduction.source.value(reduction.back(groups))
            assert claim.factor * value + claim.constant <= reduction.instance.value(groups)
        clique = HalfCliqueToAnonymity(HalfClique(graph), "0.35")
        groups = some_partition(rng, len(clique.table.rows), half)
        assert clique.source.accepts(clique.back(groups)) >= clique.instance.accepts(groups)


def test_forward_has_the_stars_of_the_claim_for_any_solution():
    rng = random.Random(10)
    for _ in range(300):
        graph, matching = some_graph(rng), some_matching(rng)
        half = rng.sample(graph.nodes, len(graph.nodes) // 2)
        some = [t for t in largest_matching(matching.triples) if rng.random() < 0.6]
        for reduction, solution in [
            (BisectionToAnonymity(Bisection(graph)) >> partial(HalfToFraction, c="0.3"), half),
            (HalfCliqueToAnonymity(HalfClique(graph), "0.35"), half),
            (MatchingToCloseness(matching), some),
            (MatchingToFourPoints(matching, "0.41"), some),
        ]:
            claim, groups = reduction.claim(), reduction.forward(frozenset(solution))
            assert reduction.instance.is_legal(groups)
            value = claim.factor * reduction.source.value(frozenset(solution)) + claim.constant
            if solution is some and len(reduction.back(groups)) > len(some):
                value -= 3  # the three rows that are left are a tuple too
            assert reduction.instance.value(groups) == value


def test_wrong_solutions_are_refused():
    reduction = BisectionToAnonymity(Bisection(random_graph(4, 3)))
    for groups in [((0, 1),), ((0, 1), (1, 2, 3)), ((0, 1, 2, 3), ())]:
        with pytest.raises(InputError, match="not a partition of the 4 rows"):
            reduction.instance.value(groups)
    with pytest.raises(InputError, match="half of 4 nodes is not 3"):
        reduction.source.value(frozenset([1, 2, 3]))
    with pytest.raises(InputError, match="does not have"):
        reduction.source.value(frozenset([1, 9]))
    matching = Matching.numbered(2, [(1, 1, 1), (1, 2, 2)])
    with pytest.raises(InputError, match="share an element"):
        matching.value(frozenset(matching.triples))
    with pytest.raises(InputError, match="may not be chosen"):
        matching.value(frozenset([(2, 2, 2)]))


def test_maps_take_solutions_and_nothing_else():
    prism = Graph.of([(1, 2), (2, 3), (1, 3), (4, 5), (5, 6), (4, 6), (1, 4), (2, 5), (3, 6)])
    bisection = BisectionToAnonymity(Bisection(prism))
    chain = bisection >> partial(HalfToFraction, c="1/4") >> AnonymityToCloseness
    clique = to_anonymity(HalfClique(prism), "0.4")
    larger = LargerHalfClique(HalfClique(prism), 1)
    matching = Matching.numbered(2, [(1, 1, 1), (1, 2, 2), (2, 2, 2)])
    three, four = MatchingToCloseness(matching), MatchingToFourPoints(matching, "0.34")
    for reduction in (bisection, chain, clique, larger):
        for nodes, message in [([1], "half of 6 nodes is not 1"), ([1, 2, 9], "a node that the graph does not have")]:
            with pytest.raises(InputError, match=message):
                reduction.forward(frozenset(nodes))
    with pytest.raises(InputError, match="half of 8 nodes is not 3"):
        larger.back(frozenset([1, 2, 3]))
    with pytest.raises(InputError, match="a solution has 2 nodes, and this one 3"):
        CliqueToHalfClique(Clique(prism, 2)).forward(frozenset([1, 2, 3]))
    for reduction in (three, four):
        for triples, message in [([(1, 1, 1), (1, 2, 2)], "share an element"), ([(2, 1, 1)], "may not be chosen")]:
            with pytest.raises(InputError, match=message):
                reduction.forward(frozenset(triples))
    for reduction in (bisection, chain, clique, three, four):
        rows = tuple(range(len(reduction.table.rows)))
        for groups in [(), ((0, 1, 77),), (rows, ()), (rows[:2],), (("a", *rows[1:]),)]:
            with pytest.raises(InputError, match="not a partition of the"):
                reduction.back(groups)
        with pytest.raises(InputError, match="a group of this partition does not meet the policy"):
            reduction.back((rows[:1], rows[1:]))
    with pytest.raises(InputError, match="does not meet the policy, k=3"):
        AnonymityToCloseness(bisection.target).forward(((0,), (1, 2, 3, 4, 5)))
