"""Instances through the solvers to what nobody told them."""

from __future__ import annotations

import networkx
import pytest

import instances
import kilt
from kilt.hardness import (
    Bisection,
    BisectionToAnonymity,
    Graph,
    HalfClique,
    HalfCliqueToAnonymity,
    MatchingToCloseness,
    planted_clique,
    random_graph,
    random_matching,
    to_anonymity,
    to_closeness,
)
from support.hardness import best_bisection, clique_of, cut, densest_half, largest_matching


def test_the_minimum_bisection_of_16_nodes_is_found():
    for seed in range(3):
        graph = random_graph(16, 32, seed)
        for t in (None, "1/2"):
            source = Bisection(graph)
            reduction = BisectionToAnonymity(source) if t is None else to_closeness(source, t)
            answer = reduction.instance.solve()
            assert answer.optimal
            assert source.value(reduction.back(answer.groups)) == cut(graph, best_bisection(graph))


def test_a_clique_of_half_of_14_nodes_is_found_or_denied():
    answers = []
    for seed in range(4):
        graph = planted_clique(14, 7, 45, seed)[0] if seed % 2 else random_graph(14, 60, seed)
        source = HalfClique(graph)
        for reduction in (to_anonymity(source, "0.4"), to_closeness(source, "0.59")):
            answer = reduction.instance.solve()
            assert answer.optimal
            found = source.accepts(reduction.back(answer.groups))
            assert found == (answer.stars <= reduction.threshold) == (clique_of(graph, 7) is not None)
        answers.append(found)
    assert set(answers) == {True, False}


def test_named_graphs_of_networkx_have_their_least_cuts():
    for graph, least in [
        (networkx.petersen_graph(), 5),
        (networkx.hypercube_graph(3), 4),
        (networkx.circular_ladder_graph(6), 4),
        (networkx.cubical_graph(), 4),
    ]:
        reduction = BisectionToAnonymity(Bisection(Graph.of(graph)))
        answer = reduction.instance.solve()
        assert answer.optimal
        assert networkx.cut_size(graph, reduction.back(answer.groups)) == least


@pytest.mark.parametrize("named", instances.library(), ids=lambda named: named.name)
def test_the_named_instances_have_the_optima_that_they_say(named):
    source, value = named.source, None
    if isinstance(source, Bisection):
        value = cut(source.graph, best_bisection(source.graph))
        reduction = BisectionToAnonymity(source)
    elif isinstance(source, HalfClique):
        value = source.value(frozenset(densest_half(source.graph)))
        assert named.why.startswith("yes" if clique_of(source.graph, source.half) else "no")
        reduction = HalfCliqueToAnonymity(source, "0.4")
    else:
        value = len(largest_matching(source.triples))
        reduction = MatchingToCloseness(source)
    assert value == named.best
    answer = reduction.instance.solve()
    assert answer.optimal
    assert reduction.claim().holds(named.best, answer.stars)
    assert source.value(reduction.back(answer.groups)) == named.best


def test_tables_go_into_frames():
    pandas = pytest.importorskip("pandas")
    reduction = to_closeness(random_matching(3, 6, 5), "0.2")
    frame = pandas.DataFrame(reduction.table.to_dict())
    release = kilt.anonymize(frame, quasi=list(reduction.table.columns), sensitive="s", policy=reduction.policy)
    assert reduction.instance.solve("subsets").stars == release.stars
