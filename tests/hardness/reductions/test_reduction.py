"""Claims, chains of reductions, and what cannot be reduced."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import partial

import pytest

from kilt import InputError, Policy
from kilt.hardness import (
    AnonymityToCloseness,
    Bisection,
    BisectionToAnonymity,
    Clique,
    CliqueToHalfClique,
    Goal,
    Graph,
    HalfClique,
    HalfCliqueToAnonymity,
    HalfToFraction,
    Instance,
    LargerHalfClique,
    Matching,
    MatchingToCloseness,
    MatchingToFourPoints,
    OptimaRelation,
    Table,
    kind_for,
    planted_clique,
    planted_matching,
    random_graph,
    random_matching,
    to_anonymity,
    to_closeness,
)
from kilt.hardness.reductions.matching import FOUR_POINTS
from support.hardness import best_bisection, checked, cut, densest_half, largest_matching, some_graph, some_matching


@pytest.mark.parametrize(
    "t",
    ["0", "0.2", "0.3333", "1/3", "0.34", "1/2", "0.51", "0.55", "0.6", "0.65", "2/3", "0.7", "0.75", "0.8", "0.83"],
)
def test_every_t_has_its_chain(t):
    rng = random.Random(t)
    answers = set()
    for number in range(12):
        if kind_for(t) == "matching":
            source = some_matching(rng, (2,) if number else (1,), 5)
            best = frozenset(largest_matching(source.triples))
        elif kind_for(t) == "half-clique":
            source = HalfClique(some_graph(rng, (6,)))
            best = frozenset(densest_half(source.graph))
        else:
            graph = some_graph(rng, (4, 6) if t == "1/2" else (4,))
            best = frozenset(best_bisection(graph))
            source = Bisection(graph, cut(graph, best) - number % 2)
        reduction = to_closeness(source, t)
        assert reduction.policy.principles[0].t == Fraction(t)
        assert reduction.instance.space == (FOUR_POINTS if Fraction(1, 3) <= Fraction(t) < Fraction(1, 2) else None)
        if t == "0.51":  # c = 0.49 takes 50 nodes: too many rows to solve, so only the maps are tried
            assert len(reduction.table.rows) == 51
            accepted = reduction.instance.accepts(reduction.forward(best))
            assert source.accepts(best) == accepted == source.accepts(reduction.back(reduction.forward(best)))
            answers.add(accepted)
        else:
            second = "exact" if reduction.instance.space else "exhaustive"
            answers.add(checked(reduction, best, "subsets", second)[0])
    assert answers == {True, False}


def test_a_claim_can_fail():
    claim = OptimaRelation(("cut", "stars"), (Goal(3), Goal(22)), 2, 16)
    assert claim.holds(3, 22)
    assert not claim.holds(3, 23)
    assert not claim.holds(3, 21)
    decided = OptimaRelation(("clique", "stars"), (Goal(1, at_least=True), Goal(30)))
    assert decided.holds(1, 30)
    assert decided.holds(0, 31)
    assert not decided.holds(0, 30)
    assert not decided.holds(1, 31)
    assert str(claim) == "stars = 2 * cut + 16; cut at most 3 if and only if stars at most 22"
    assert str(decided) == "clique at least 1 if and only if stars at most 30"


def test_composition():
    graph = random_graph(6, 9, 1)
    first = BisectionToAnonymity(Bisection(graph, 3))
    second = HalfToFraction(first.target, "1/4")
    third = AnonymityToCloseness(second.target)
    left, right = (first >> second) >> third, first >> (second >> third)
    assert left.table == right.table == to_closeness(Bisection(graph, 3), "3/4").table
    assert left.claim() == right.claim() == OptimaRelation(("cut", "stars"), (Goal(3), Goal(36)), 3, 27)
    assert left.threshold == 36
    side = frozenset([1, 2, 3])
    assert left.forward(side) == right.forward(side)
    assert left.back(left.forward(side)) == side
    with pytest.raises(InputError, match="does not start where the first one ends"):
        first >> third
    with pytest.raises(InputError, match="does not lead to a table yet"):
        CliqueToHalfClique(Clique(graph, 3)).table  # noqa: B018


def test_the_compact_table_has_the_same_optimum():
    source = BisectionToAnonymity(Bisection(random_graph(4, 4, 2)))
    plain, compact = (source >> partial(HalfToFraction, c="0.3", compact=each) for each in (False, True))
    assert len(plain.table.columns) == 4 + 16
    assert compact.table.columns == ("e1", "e2", "e3", "e4", "new1")
    assert compact.table.weights == (1, 1, 1, 1, 16)
    assert plain.instance.solve("subsets").stars == compact.instance.solve("exact").stars


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Bisection(random_graph(5, 4)), "even number of nodes, at least 4, and this one has 5"),
        (lambda: Bisection(random_graph(2, 1)), "at least 4, and this one has 2"),
        (lambda: HalfClique(random_graph(7, 4)), "even number of nodes"),
        (lambda: Clique(random_graph(5, 4), 6), "'size' must be from 2 to the 5 nodes there are, not 6"),
        (lambda: Clique(random_graph(5, 4), 1), "'size' must be from 2"),
        (lambda: BisectionToAnonymity(Bisection(random_graph(4, 0))).table, "at least one edge or tuple"),
        (lambda: to_anonymity(Bisection(random_graph(4, 3)), 0), "'c' must be above 0 and at most 1/2, not 0"),
        (lambda: to_anonymity(Bisection(random_graph(4, 3)), "0.6"), "1/2, not 0.6: with more there is only one group"),
        (lambda: to_anonymity(Bisection(random_graph(4, 3)), "0"), "1/2, not 0: with 0 every row is a group"),
        (
            lambda: to_anonymity(random_graph(4, 3), "0.5"),
            "one of Bisection, Clique, HalfClique, Matching, not a Graph",
        ),
        (
            lambda: to_closeness(random_graph(4, 3), "0.5"),
            "one of Bisection, Clique, HalfClique, Matching, not a Graph",
        ),
        (lambda: to_anonymity(Bisection(random_graph(4, 3)), "0.4"), "c=0.4 is hard by a reduction from half-clique"),
        (lambda: to_anonymity(Bisection(random_graph(4, 3)), "x"), "'c' must be a number, not 'x'"),
        (lambda: to_closeness(Bisection(random_graph(4, 3)), "0.2"), "t=0.2 is hard by a reduction from matching"),
        (lambda: to_closeness(Bisection(random_graph(4, 3)), 1), "'t' must be below 1"),
        (lambda: to_closeness(Bisection(random_graph(4, 3)), "1.2"), "'t' must be between 0 and 1, not 1.2"),
        (lambda: MatchingToCloseness(random_matching(2, 3), "1/3"), "'t' must be below 1/3 here"),
        (lambda: MatchingToFourPoints(random_matching(2, 3), "0.5"), "at least 1/3 and below 1/2 here"),
        (lambda: HalfCliqueToAnonymity(HalfClique(random_graph(4, 3)), "0.5"), "above 1/3 and below 1/2 here"),
        (lambda: HalfToFraction(BisectionToAnonymity(Bisection(random_graph(4, 3))).target, "0.4"), "at most 1/3 here"),
        (lambda: HalfToFraction(Instance(Table(("q",), (("a",),) * 4), Policy(k=3)), "0.3"), "from k=3 and n=4"),
        (lambda: AnonymityToCloseness(Instance(Table(("q",), (("a",),) * 4), Policy(k=3)), "0.5"), "not of k=3"),
        (lambda: Graph.of([(1, 1)]), "from a node to itself"),
        (lambda: Graph.of([(1, 2, 3)]), "an edge must be a pair"),
        (lambda: Graph.of([{1, 2}]), "an edge must be a pair"),
        (lambda: Graph.of([{0: 1, 1: 2}]), "an edge must be a pair"),
        (lambda: Graph.of([([1], [2])]), "the nodes of a graph must be a list of numbers, texts"),
        (lambda: Graph.of([(1, 2)], [[3]]), "the nodes of a graph must be"),
        (lambda: Graph.of([(1, 2)], 3), "the nodes of a graph must be"),
        (lambda: Graph((1, 2, 3, 4), ((0, 9),)), "two places among 4 nodes, from 0"),
        (lambda: Graph((1, 2, 3, 4), ((1, 1),)), "two places among 4 nodes"),
        (lambda: Graph((1, 2, 3, 4), ((0, 1, 2),)), "two places among 4 nodes"),
        (lambda: Graph((1, 2), ((0, 1), (1, 0))), "an edge twice"),
        (lambda: Graph((1, 1), ()), "a node twice"),
        (lambda: random_graph(100_000, 3), "from 1 to 3,162 nodes or elements, not 100,000"),
        (lambda: planted_matching(-1, 3), "from 1 to 215 nodes or elements, not -1"),
        (lambda: planted_clique(4, 5, 3), "a clique of 5 does not fit into 4 nodes"),
        (lambda: Graph.of(3), "a graph must be given as pairs of nodes"),
        (lambda: Matching.of([(1, 2)]), "must have three elements"),
        (lambda: Matching.of([]), "X has 0"),
        (lambda: Matching.of([{1, 2, 3}]), "must have three elements"),
        (lambda: Matching.of([([1], 2, 3)]), "the elements of a matching must be"),
        (lambda: Matching.of([(1, 1, 1)], [[[1]], [], []]), "the elements of a matching must be"),
        (lambda: Matching.of([(1, 1, 1)], [(), ()]), "has three sets of elements"),
        (lambda: Matching.of([(1, 1, 1)], [(), (), (), ()]), "has three sets of elements"),
        (lambda: Matching(((1,), (1,)), ()), "has three sets of elements"),
        (lambda: Matching(((1,), (1,), (1,)), ((1, 1, 2),)), "not in its set"),
        (lambda: Matching(((1, 1), (1, 2), (1, 2)), ()), "an element twice"),
        (lambda: Matching(((1,), (1,), (1,)), ((1, 1, 1),) * 2), "a tuple twice"),
        (lambda: LargerHalfClique(HalfClique(random_graph(4, 3)), -1), "'pairs' must be at least 0"),
        (
            lambda: CliqueToHalfClique(Clique(Graph.of([(1, 2)], range(3000)), 2)).target,
            "5,996 rows and 13,474,511 col",
        ),
        (lambda: to_anonymity(Bisection(random_graph(4, 3)), "1e-9").table, "would have 2,000,000,000 rows"),
        (lambda: to_anonymity(HalfClique(random_graph(4, 3)), "0.4999999"), "would have 5,000,000 rows"),
        (lambda: to_closeness(random_matching(2, 3), "0.499999999").table, "would have 3,000,000,000 rows"),
    ],
)
def test_what_cannot_be_reduced_is_said_in_a_sentence(make, message):
    with pytest.raises(InputError, match=message):
        make()
