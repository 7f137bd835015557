"""Reductions: problems solved by brute force, tables by two exact solvers, and the claim between the two."""

from __future__ import annotations

import math
import random
from collections import Counter
from fractions import Fraction
from functools import partial
from itertools import combinations

import pytest

from kilt import InputError, Policy
from kilt.hardness import (
    AnonymityToCloseness,
    Bisection,
    BisectionToAnonymity,
    Clique,
    CliqueToHalfClique,
    CoverToDiversity,
    Graph,
    HalfClique,
    HalfCliqueToAnonymity,
    HalfToFraction,
    Instance,
    LargerHalfClique,
    Matching,
    MatchingToAnonymity,
    MatchingToCloseness,
    MatchingToDiversity,
    MatchingToFourPoints,
    Table,
    TupleCover,
    planted_clique,
    random_graph,
    random_matching,
    to_anonymity,
)
from kilt.hardness.reductions.matching import rows_with_fourth
from kilt.hardness.reductions.shares import rows_for
from support import naive
from support.hardness import (
    best_bisection,
    cheapest_partition,
    checked,
    clique_of,
    cut,
    densest_half,
    fewest_tuples,
    inside,
    largest_matching,
    most_saved,
    solved,
    some_graph,
    some_matching,
    some_table,
)
from support.profiles import is_thorough, scaled


def test_anonymity_to_closeness():
    rng = random.Random(1)
    for _ in range(scaled(200)):
        table = some_table(rng, (2, 3, 4, 5, 6, 7))
        k = rng.randint(1, len(table.rows))
        reduction = AnonymityToCloseness(Instance(table, Policy(k=k)))
        best = tuple(map(tuple, cheapest_partition(table.rows, k)))
        assert reduction.policy.principles[0].t == 1 - Fraction(k, len(table.rows))
        checked(reduction, best, "exhaustive", "subsets")


def test_a_group_is_close_exactly_if_it_is_large_enough():
    table = Table(("q",), (("a",),) * 7)
    for t in (Fraction(i, 23) for i in range(24)):
        least = math.ceil((1 - t) * 7)
        if least:
            target = AnonymityToCloseness(Instance(table, Policy(k=least)), t).target
            for size in range(1, 7):
                groups = (tuple(range(size)), tuple(range(size, 7)))
                assert target.is_legal(groups) == (least <= size <= 7 - least)


def test_bisection_to_anonymity():
    rng = random.Random(2)
    for number in range(scaled(200)):
        graph = some_graph(rng)
        best = frozenset(best_bisection(graph))
        reduction = BisectionToAnonymity(Bisection(graph, cut(graph, best) - number % 2))
        yes, stars = checked(reduction, best, "exhaustive", "exact" if len(graph.edges) < 6 else "subsets")
        assert yes == (number % 2 == 0)
        half = len(graph.nodes) // 2
        assert stars == half * (len(graph.edges) + cut(graph, best))


@pytest.mark.parametrize("compact", [False, True])
def test_half_to_fraction(compact):
    rng = random.Random(3)
    solvers = ("exact", "subsets") if compact else ("exhaustive", "subsets")
    for _ in range(scaled(110)):
        table = some_table(rng, (4, 6))
        half = len(table.rows) // 2
        source = Instance(table, Policy(k=half))
        c = rng.choice(["1/3", "0.33", "0.3", "2/7", "1/4"] + ["0.22", "1/5", "0.17"] * (half == 2))
        reduction = HalfToFraction(source, c, compact)
        rows = len(reduction.table.rows)
        assert math.ceil(Fraction(c) * rows) == half == reduction.instance.k
        assert math.ceil(Fraction(c) * (rows + 1)) > half
        best = tuple(map(tuple, cheapest_partition(table.rows, half)))
        checked(reduction, best, *solvers)


def test_half_clique_to_anonymity():
    rng = random.Random(4)
    shares = {4: ["0.34", "0.35", "3/8", "0.4"], 6: ["0.34", "0.36", "0.4", "3/7"], 8: ["0.35", "0.4", "4/9"]}
    answers = []
    for number in range(scaled(200)):
        graph = some_graph(rng) if number % 2 else planted_clique(6, 3, rng.randint(3, 9), number)[0]
        c = rng.choice(shares[len(graph.nodes)])
        reduction = HalfCliqueToAnonymity(HalfClique(graph), c)
        assert math.ceil(Fraction(c) * len(reduction.table.rows)) == len(graph.nodes) // 2
        few = len(reduction.table.rows) <= 10
        yes, stars = checked(reduction, frozenset(densest_half(graph)), "exhaustive" if few else "exact", "subsets")
        assert yes == (clique_of(graph, len(graph.nodes) // 2) is not None) == (stars <= reduction.threshold)
        rows, columns = len(reduction.table.rows), len(reduction.table.columns)
        assert stars == rows * columns - most_saved(graph, rows - len(graph.nodes))
        answers.append(yes)
    assert min(answers.count(True), answers.count(False)) > len(answers) // 10


def test_half_cliques_keep_the_answer_and_not_every_optimum():
    graph = random_graph(8, 4, 201058)
    reduction = to_anonymity(HalfClique(graph), "0.4")
    (answer,) = solved(reduction.instance, "subsets")
    most = inside(graph, densest_half(graph))
    densest = [frozenset(half) for half in combinations(graph.nodes, 4) if inside(graph, half) == most]
    assert (min(reduction.instance.value(reduction.forward(half)) for half in densest), answer.stars) == (32, 30)
    assert clique_of(graph, 4) is None
    assert answer.stars > reduction.threshold
    assert not any(reduction.instance.accepts(reduction.forward(half)) for half in densest)
    assert not reduction.source.accepts(reduction.back(answer.groups))


def test_clique_to_half_clique():
    rng = random.Random(5)
    answers = []
    for _ in range(scaled(200)):
        nodes = rng.randint(3, 6)
        pairs = list(combinations(range(nodes), 2))
        graph = Graph.of(rng.sample(pairs, rng.randint(1, len(pairs))), range(nodes))
        source = Clique(graph, rng.randint(2, nodes))
        half = CliqueToHalfClique(source)
        clique = clique_of(graph, source.size)
        found = clique_of(half.target.graph, half.target.half)
        assert (clique is None) == (found is None)
        if clique is not None:
            assert half.target.accepts(half.forward(frozenset(clique)))
            assert source.accepts(half.back(frozenset(found)))
        answers.append(clique is not None)
        if len(half.target.graph.nodes) <= 6 and half.target.graph.edges:
            some = frozenset(clique or graph.nodes[: source.size])
            checked(half >> partial(to_anonymity, c="0.4"), some, "exhaustive", "subsets")
    assert min(answers.count(True), answers.count(False)) > len(answers) // 10


def test_larger_half_cliques_ask_the_same():
    rng = random.Random(6)
    for _ in range(scaled(200)):
        graph = some_graph(rng, (4, 6))
        reduction = LargerHalfClique(HalfClique(graph), rng.randint(0, 2))
        mine, other = clique_of(graph, len(graph.nodes) // 2), clique_of(reduction.target.graph, reduction.target.half)
        assert (mine is None) == (other is None)
        if mine is not None:
            assert reduction.target.accepts(reduction.forward(frozenset(mine)))
            assert reduction.source.accepts(reduction.back(frozenset(other)))


def test_matching_to_closeness():
    rng = random.Random(7)
    answers = []
    for number in range(scaled(200)):
        matching = some_matching(rng)
        t = rng.choice(["0", "0.1", "1/4", "0.33", "33333/100000"])
        best = frozenset(largest_matching(matching.triples))
        second = "exact" if number % 5 == 0 else "subsets"
        yes, stars = checked(MatchingToCloseness(matching, t), best, "exhaustive", second)
        assert yes == (len(best) == matching.size) == (stars <= 3 * matching.size * (len(matching.triples) - 1))
        answers.append(yes)
    assert min(answers.count(True), answers.count(False)) > len(answers) // 10


def test_matching_to_four_points():
    rng = random.Random(8)
    answers = []
    for number in range(scaled(300)):
        matching = some_matching(rng, (1, 2) if number % 10 else (3,), 6)
        t = rng.choice(["1/3", "0.35", "0.4", "0.37"] if matching.size == 1 else ["1/3", "0.34"])
        best = frozenset(largest_matching(matching.triples))
        reduction = MatchingToFourPoints(matching, t)
        second = "subsets" if len(reduction.table.rows) <= 15 else "milp"
        yes, _ = checked(reduction, best, "exact", second)
        answers.append(yes)
    assert min(answers.count(True), answers.count(False)) > len(answers) // 10


@pytest.mark.parametrize("made", [MatchingToAnonymity, MatchingToDiversity])
def test_matching_to_anonymity_and_to_diversity(made):
    rng = random.Random(9)
    answers = []
    for number in range(scaled(200)):
        dimensions = rng.choice([3, 3, 4, 5])
        matching = some_matching(rng, (1, 2, 3) if dimensions < 5 else (1, 2))
        best = frozenset(largest_matching(matching.triples))
        reduction = made(matching, dimensions, compact=number % 2 == 0)
        yes, stars = checked(reduction, best, "exhaustive", "exact" if number % 10 == 0 else "subsets")
        rows, columns = len(reduction.table.rows), len(reduction.table.columns)
        assert rows == dimensions * matching.size
        assert stars == rows * columns - dimensions * len(best)
        assert yes == (len(best) == matching.size) == (stars <= rows * (columns - 1))
        answers.append(yes)
    assert min(answers.count(True), answers.count(False)) > len(answers) // 10


def test_seven_columns_are_enough_if_no_element_is_in_more_than_three_tuples():
    rng = random.Random(10)
    most = 0
    for seed in range(scaled(100)):
        drawn = random_matching(6, 60, seed)
        often: Counter[tuple[int, object]] = Counter()
        triples = []
        for triple in rng.sample(drawn.triples, len(drawn.triples)):
            if all(often[each] < 3 for each in enumerate(triple)):
                often.update(enumerate(triple))
                triples.append(triple)
        matching = Matching.of(triples, drawn.elements)
        reduction = MatchingToDiversity(matching, 3, compact=True)
        assert sorted(j for column in reduction.columns for j in column) == list(range(len(triples)))
        most = max(most, len(reduction.table.columns))
    assert 4 <= most <= 7


def test_cover_to_diversity_with_one_column():
    rng = random.Random(11)
    answers = []
    while len(answers) < (300 if is_thorough() else 50):
        matching = some_matching(rng, (2, 2, 3), 5)
        best = fewest_tuples(matching)
        if best is None:
            with pytest.raises(InputError, match="in no tuple, so that nothing covers"):
                TupleCover(matching)
            continue
        reduction = CoverToDiversity(TupleCover(matching))
        second = "residue" if len(answers) % 50 else "exact"  # with one column, residue finds the optimum
        yes, stars = checked(reduction, frozenset(best), "milp", second)
        least = 3 * matching.size + 1
        assert len(reduction.table.columns) == 1
        assert str(reduction.policy) == f"l={least}"
        assert stars == least * len(best) + 3 * matching.size
        assert yes == (len(largest_matching(matching.triples)) == matching.size)
        answers.append(yes)
    assert min(answers.count(True), answers.count(False)) > len(answers) // 10


def test_the_table_of_a_cover_by_trying_everything():
    matching = Matching.numbered(1, [(1, 1, 1)])
    reduction = CoverToDiversity(TupleCover(matching))
    checked(reduction, frozenset(matching.triples), "exhaustive", "subsets")
    assert reduction.policy == Policy(l=4)


def test_rounding_keeps_groups_of_two_away_from_the_table_for_every_t():
    distance = [[0, 1, 1, 0.5], [1, 0, 1, 0.5], [1, 1, 0, 0.5], [0.5, 0.5, 0.5, 0]]
    for bottom in range(3, 60):
        for top in range(-(-bottom // 3), -(-bottom // 2)):
            t = Fraction(top, bottom)
            for size in (1, 2, 3, 7):
                rows = rows_with_fourth(size, t)
                new = 1 - Fraction(3 * size, rows)
                assert new / 2 <= t
                assert (1 - new) / 2 <= t
                assert Fraction(1, 3) + new / 6 > t
    table = [2, 2, 2, 13]
    new = Fraction(13, 19)
    for group, exact in [
        ((1, 1, 1, 0), new / 2),
        ((0, 0, 0, 1), (1 - new) / 2),
        ((1, 1, 0, 0), Fraction(1, 3) + new / 6),
    ]:
        assert naive.emd(group, table, distance) == pytest.approx(float(exact))


def test_a_new_row_is_needed_to_ask_for_half_a_clique():
    path = Graph.of([(1, 2), (2, 3), (4, 5)], range(1, 7))
    with pytest.raises(InputError, match="leaves no room for a new row in addition to 6 nodes: 4 more are needed"):
        HalfCliqueToAnonymity(HalfClique(path), "0.45")
    unguarded = object.__new__(HalfCliqueToAnonymity)
    object.__setattr__(unguarded, "source", HalfClique(path))
    object.__setattr__(unguarded, "c", "0.45")
    assert clique_of(path, 3) is None
    assert unguarded.instance.solve("exhaustive").stars <= unguarded.threshold  # both groups save: a wrong yes


def test_the_least_size_of_a_group_survives_rounding():
    for half in range(2, 30):
        for bottom in range(2, 60):
            for top in range(1, bottom // 2 + 1):
                c = Fraction(top, bottom)
                rows = rows_for(half, c)
                assert math.ceil(c * rows) == half
                assert c > Fraction(1, 3) or rows - 2 * half >= half
