"""Reductions: sources solved by brute force, tables by two exact solvers, and the claim between the two."""

from __future__ import annotations

import json
import math
import random
from fractions import Fraction
from functools import partial
from itertools import combinations

import networkx
import pytest
import rustworkx
from click.testing import CliRunner

import instances
import kilt
import naive
from kilt import InputError, Policy
from kilt.cli.commands import cli
from kilt.hardness import (
    AnonymityToCloseness,
    Bisection,
    BisectionToAnonymity,
    Claim,
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
    Table,
    graph_text,
    kind_for,
    matching_text,
    planted_bisection,
    planted_clique,
    planted_matching,
    random_graph,
    random_matching,
    read_graph,
    read_matching,
    to_anonymity,
    to_closeness,
)
from kilt.hardness.reductions.matching import FOUR_POINTS, rows_with_fourth
from kilt.hardness.reductions.shares import rows_for


# what is known of sources without any reduction: everything is tried
def best_bisection(graph):
    return min(combinations(graph.nodes, len(graph.nodes) // 2), key=lambda side: cut(graph, side))


def cut(graph, side):
    return sum((graph.nodes[u] in side) != (graph.nodes[v] in side) for u, v in graph.edges)


def is_clique(graph, nodes):
    edges = {frozenset((graph.nodes[u], graph.nodes[v])) for u, v in graph.edges}
    return all(frozenset(pair) in edges for pair in combinations(nodes, 2))


def clique_of(graph, size):
    return next((c for c in combinations(graph.nodes, size) if is_clique(graph, c)), None)


def inside(graph, nodes):
    return sum(graph.nodes[u] in nodes and graph.nodes[v] in nodes for u, v in graph.edges)


def densest_half(graph):
    return max(combinations(graph.nodes, len(graph.nodes) // 2), key=lambda half: inside(graph, half))


def most_saved(graph, new):
    """The most stars that a group of old rows saves: edges inside the other nodes, for each of its rows."""
    nodes, half = len(graph.nodes), len(graph.nodes) // 2
    others = [s for size in range(max(0, half - new), half + 1) for s in combinations(graph.nodes, size)]
    return max((nodes - len(s)) * inside(graph, s) for s in others)


def largest_matching(triples):
    if not triples:
        return ()
    first, *rest = triples
    free = [t for t in rest if not any(a == b for a, b in zip(t, first, strict=True))]
    return max((largest_matching(rest), (first, *largest_matching(free))), key=len)


def cheapest_partition(rows, k):
    every = naive.partitions(range(len(rows)))
    legal = [groups for groups in every if all(len(group) >= k for group in groups)]
    return min(legal, key=lambda groups: sum(naive.stars([rows[i] for i in group]) for group in groups))


# the check that every reduction must pass
def solved(instance, *solvers):
    answers = [instance.solve(name) for name in solvers]
    for answer in answers:
        assert answer.optimal
        assert instance.is_legal(answer.groups)
        assert instance.value(answer.groups) == answer.stars
    assert len({answer.stars for answer in answers}) == 1
    return answers


def checked(reduction, best, *solvers):
    """Check the claim and both maps on optimal solutions; return whether the answer is yes, and the optimum."""
    source, instance, claim = reduction.source, reduction.instance, reduction.claim()
    answers = solved(instance, *solvers)
    value, stars = source.value(best), answers[0].stars
    assert claim.holds(value, stars)
    yes = source.goal is not None and source.goal.reached(value)
    forward = reduction.forward(best)
    assert instance.is_legal(forward)
    assert instance.accepts(forward) == yes
    if claim.factor is not None:
        assert instance.value(forward) == claim.factor * value + claim.constant
    for answer in answers:
        back = reduction.back(answer.groups)
        assert source.accepts(back) == yes
        if claim.factor is not None and (yes or claim.exact):
            assert source.value(back) == value
    return yes, stars


def some_graph(rng, sizes=(4, 6, 8)):
    nodes = rng.choice(sizes)
    pairs = list(combinations(range(nodes), 2))
    return Graph.of(rng.sample(pairs, rng.randint(1, min(len(pairs), 12))), range(nodes))


def some_matching(rng, sizes=(1, 2, 3), most=9):
    size = rng.choice(sizes)
    every = size**3
    return random_matching(size, rng.randint(1, min(every, most)), rng.randrange(10**6))


def some_table(rng, sizes):
    rows, columns = rng.choice(sizes), rng.randint(1, 3)
    cells = tuple(tuple(rng.choice("abc"[: rng.randint(1, 3)]) for _ in range(columns)) for _ in range(rows))
    return Table(tuple(f"q{j}" for j in range(columns)), cells)


# the reductions, one by one
def test_anonymity_to_closeness():
    rng = random.Random(1)
    for _ in range(200):
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
    for number in range(200):
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
    for _ in range(110):
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
    for number in range(200):
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
    assert min(answers.count(True), answers.count(False)) > 30


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
    for _ in range(200):
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
    assert min(answers.count(True), answers.count(False)) > 50


def test_larger_half_cliques_ask_the_same():
    rng = random.Random(6)
    for _ in range(200):
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
    for number in range(200):
        matching = some_matching(rng)
        t = rng.choice(["0", "0.1", "1/4", "0.33", "33333/100000"])
        best = frozenset(largest_matching(matching.triples))
        second = "exact" if number % 5 == 0 else "subsets"
        yes, stars = checked(MatchingToCloseness(matching, t), best, "exhaustive", second)
        assert yes == (len(best) == matching.size) == (stars <= 3 * matching.size * (len(matching.triples) - 1))
        answers.append(yes)
    assert min(answers.count(True), answers.count(False)) > 40


def test_matching_to_four_points():
    rng = random.Random(8)
    answers = []
    for number in range(200):
        matching = some_matching(rng, (1, 2) if number % 10 else (3,), 6)
        t = rng.choice(["1/3", "0.35", "0.4", "0.37"] if matching.size == 1 else ["1/3", "0.34"])
        best = frozenset(largest_matching(matching.triples))
        reduction = MatchingToFourPoints(matching, t)
        second = "subsets" if len(reduction.table.rows) <= 15 else "milp"
        yes, _ = checked(reduction, best, "exact", second)
        answers.append(yes)
    assert min(answers.count(True), answers.count(False)) > 20


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
    with pytest.raises(InputError, match="leaves no room for a new row beside 6 nodes: 4 more are needed"):
        HalfCliqueToAnonymity(HalfClique(path), "0.45")
    unguarded = object.__new__(HalfCliqueToAnonymity)
    object.__setattr__(unguarded, "source", HalfClique(path))
    object.__setattr__(unguarded, "c", "0.45")
    assert clique_of(path, 3) is None
    assert unguarded.instance.solve("exhaustive").stars <= unguarded.threshold  # both groups save: a wrong yes


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


# solutions that are not optimal
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


# through the solvers to what nobody told them
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


# claims and composition
def test_a_claim_can_fail():
    claim = Claim(("cut", "stars"), (Goal(3), Goal(22)), 2, 16)
    assert claim.holds(3, 22)
    assert not claim.holds(3, 23)
    assert not claim.holds(3, 21)
    decided = Claim(("clique", "stars"), (Goal(1, at_least=True), Goal(30)))
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
    assert left.claim() == right.claim() == Claim(("cut", "stars"), (Goal(3), Goal(36)), 3, 27)
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


# sources
def test_graphs_come_from_objects_pairs_and_files(tmp_path):
    expected = Graph(("a", "b", "c", "d"), ((0, 1), (1, 2)))
    assert Graph.of([("a", "b"), ("b", "c"), ("c", "b")], "abcd") == expected
    drawn = networkx.Graph()
    drawn.add_nodes_from("abcd")
    drawn.add_edge("a", "b")
    drawn.add_edge("b", "c", weight=1)
    assert Graph.of(drawn) == Graph.of(networkx.freeze(drawn)) == expected
    assert Graph.of(networkx.MultiGraph([("a", "b"), ("a", "b"), ("b", "c")])) == Graph.of([("a", "b"), ("b", "c")])
    with pytest.raises(InputError, match="directed"):
        Graph.of(networkx.DiGraph([("a", "b")]))
    with pytest.raises(InputError, match="from a node to itself"):
        Graph.of(networkx.Graph([("a", "a"), ("a", "b")]))
    other = rustworkx.PyGraph()
    other.add_nodes_from("abcd")
    other.add_edges_from([(0, 1, "x"), (1, 2, "y")])
    assert Graph.of(other) == Graph((0, 1, 2, 3), ((0, 1), (1, 2)))
    with pytest.raises(InputError, match="directed"):
        Graph.of(rustworkx.PyDiGraph())
    (tmp_path / "list.txt").write_text("# a path\na b\nb, c\n\nd\n")
    assert read_graph(tmp_path / "list.txt") == expected
    graph = random_graph(7, 9, 3)
    (tmp_path / "graph.col").write_text(graph_text(graph, "drawn"))
    assert read_graph(tmp_path / "graph.col") == graph
    matching = random_matching(3, 7, 3)
    (tmp_path / "matching.txt").write_text(matching_text(matching))
    assert read_matching(tmp_path / "matching.txt") == matching
    (tmp_path / "plain.txt").write_text("x1 y1 z1\nx2 y2 z1\nx2 y1 z2\n")
    assert read_matching(tmp_path / "plain.txt").size == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("e 1 2\n", "line 1: there is 'e' where"),
        ("c nothing\n", "has no line 'p edge SIZE COUNT'"),
        ("p edge 3\n", "line 1: a line 'p edge SIZE COUNT' is due"),
        ("p edge 3 x\n", "line 1: a line 'p edge"),
        ("p 3dm 3 1\ne 1 1 1\n", "line 1: a line 'p edge"),
        ("p edge 1000001 1\n", "1000001 are more than the 1,000,000"),
        (f"p edge {'9' * 5000} 1\n", "line 1: 99999999999999999999 are more than the 1,000,000"),
        (f"p edge 3 {'9' * 5000}\n", "line 1: 99999999999999999999 are more lines than a file can have"),
        (f"p edge 3 1\ne 1 {'9' * 5000}\n", "line 2: 2 numbers from 1 to 3"),
        ("p edge 3 1\ne 1 4\n", "line 2: 2 numbers from 1 to 3 are due"),
        ("p edge 3 1\ne 0 1\n", "line 2: 2 numbers from 1 to 3"),
        ("p edge 3 1\ne 1 2 3\n", "line 2: 2 numbers from 1 to 3"),
        ("p edge 3 1\ne 1 two\n", "line 2: 2 numbers from 1 to 3"),
        ("p edge 3 1\nq 1 2\n", "line 2: there is 'q' where"),
        ("p edge 3 1\np edge 3 1\ne 1 2\n", "line 2: there is a second line 'p'"),
        ("p edge 3 2\ne 1 2\n", "promises 2 lines 'e' and has 1"),
        ("p edge 3 1\ne 2 2\n", "an edge from a node to itself"),
    ],
)
def test_malformed_dimacs(tmp_path, text, message):
    path = tmp_path / "graph.col"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_graph(path)


def test_other_malformed_sources(tmp_path):
    for name, text, message in [
        ("a.txt", "1 2 3\n", "line 1: 1 or 2 names are due, and there are 3"),
        ("b.txt", "# nothing\n", "is empty"),
        ("c.txt", "1 1\n", "an edge from a node to itself"),
    ]:
        (tmp_path / name).write_text(text)
        with pytest.raises(InputError, match=message):
            read_graph(tmp_path / name)
    (tmp_path / "d.txt").write_text("x1 y1 z1\nx2 y1 z1\n")
    with pytest.raises(InputError, match="X has 2, Y has 1, Z has 1"):
        read_matching(tmp_path / "d.txt")
    with pytest.raises(InputError, match="does not exist"):
        read_graph(tmp_path / "none.col")
    (tmp_path / "e.col").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="UTF-8"):
        read_graph(tmp_path / "e.col")


def test_dimacs_files_may_list_both_directions(tmp_path):
    path = tmp_path / "graph.col"
    for count in (1, 2):
        path.write_text(f"c both\np col 3 {count}\ne 1 2\ne 2 1\n")
        assert read_graph(path) == Graph((1, 2, 3), ((0, 1),))


def test_weights_of_nodes_are_skipped(tmp_path):
    path = tmp_path / "graph.col"
    path.write_text("p edge 3 1\nn 1 5\nn 2 7\ne 1 2\n")
    assert read_graph(path) == Graph((1, 2, 3), ((0, 1),))
    path.write_text("p 3dm 1 1\nn 1 5\ne 1 1 1\n")
    with pytest.raises(InputError, match="line 2: there is 'n' where"):
        read_matching(path)


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


# the command
def run(*words, code=0):
    result = CliRunner().invoke(cli, [*map(str, words)])
    if code:
        assert isinstance(result.exception, InputError), result.output
        return str(result.exception)
    assert result.exit_code == 0, result.exception or result.output
    return result.output


@pytest.mark.parametrize(
    ("words", "optimum"),
    [
        (["bisection", "--random", 8, "--edges", 12], lambda s: cut(s.graph, best_bisection(s.graph))),
        (["bisection", "--random", 6, "--edges", 1, "-c", "0.3"], lambda s: cut(s.graph, best_bisection(s.graph))),
        (["bisection", "--random", 4, "-t", "0.7", "--edges", 4, "--compact"], lambda s: 2),
        (["half-clique", "--planted", 6, "-c", "0.4"], lambda s: 3),
        (["clique", "--planted", 5, "--size", 3, "-t", "0.6"], lambda s: 1),
        (["matching", "--planted", 3], lambda s: 3),
        (["matching", "--planted", 2, "--edges", 3, "-t", "0.34"], lambda s: 2),
        (["any", "--planted", 2, "-t", "0.1"], lambda s: 2),
    ],
)
def test_what_the_command_writes_is_anonymized_as_it_is_and_mapped_back(words, optimum, tmp_path):
    from kilt.hardness.instances.request import Request

    table, config = tmp_path / "sub" / "table.csv", tmp_path / "kilt.toml"
    table.parent.mkdir()
    told = json.loads(run("instance", *words, "-o", table, "--config", config, "--json"))
    assert all((tmp_path / path).exists() for path in told["files"])
    assert len(told["files"]) == (3 if "0.34" in words else 2)
    release = json.loads(run("anonymize", "--config", config, "--json"))
    assert release["status"] == "optimal"
    back = json.loads(run("instance", *words, "--release", tmp_path / "sub" / "table-release.csv", "--json"))
    assert back["stars"] == release["stars"]
    flags = {str(name).strip("-"): value for name, value in zip(words[1::2], words[2::2], strict=False)}
    flags = {name: value for name, value in flags.items() if name in ("random", "planted", "edges", "size", "c", "t")}
    source = Request(words[0], **flags).source()
    assert back[source.counts] == optimum(source)


def test_the_command_says_what_is_wrong_and_writes_nothing(tmp_path):
    odd, out, config = tmp_path / "odd.txt", tmp_path / "table.csv", tmp_path / "kilt.toml"
    odd.write_text("1 2\n2 3\n")
    write = ["-o", out, "--config", config]
    for words, message in [
        (["bisection", "--graph", odd, *write], "even number of nodes"),
        (["bisecton", "--graph", odd, *write], "did you mean 'bisection'"),
        (["bisection", *write], "the source is missing"),
        (["bisection", "--graph", odd, "--random", 4, *write], "2 sources, --graph and --random: give one of --graph"),
        (["bisection", "--graph", tmp_path, *write], "is a folder: name a file"),
        (["bisection", "--graph", odd, "--seed", 0, *write], "'seed' has no meaning"),
        (["bisection", "--random", 4, "--most", -4, *write], "'most' must be at least 0, not -4"),
        (["bisection", "--random", 4, "--compact", *write], "'compact' has no meaning"),
        (["half-clique", "--random", 6, "-c", "0.4", "--compact", *write], "'compact' has no meaning"),
        (["matching", "--random", 2, "--compact", *write], "'compact' has no meaning"),
        (["any", "--random", 4, "-t", "0.5", "--compact", *write], "'compact' has no meaning"),
        (["bisection", "--random", 4, "-c", "0", *write], "with 0 every row is a group"),
        (["bisection", "--random", 4, "-c", "", *write], "'c' must be a number"),
        (["bisection", "--planted", 8, "--edges", 29, *write], "room for 0 to 28 edges here, not for 29"),
        (["bisection", "--random", 4, "--release", out, "--config", config], "'config' has no meaning with --release"),
        (["bisection", "--random", 4, "--edges", 3], "give one of the two"),
        (["bisection", "--random", 4, "--edges", 3, "-c", "0.4", *write], "half-clique"),
        (["bisection", "--random", 4, "--edges", 3, "-c", "0.4", "-t", "0.6", *write], "give one of them"),
        (["bisection", "--tuples", odd, *write], "takes a graph"),
        (["matching", "--graph", odd, *write], "takes tuples"),
        (["matching", "--random", 2, "-c", "0.3", *write], "'c' is for graphs"),
        (["half-clique", "--random", 6, "--edges", 7, *write], "'c' or 't' is missing"),
        (["clique", "--random", 6, "--edges", 7, "-c", "0.4", *write], "'size' is missing"),
        (["any", "--random", 4, *write], "give -t"),
        (["matching", "--random", 4, "--most", 3, *write], "'most' has no meaning"),
        (["bisection", "--graph", odd, "--edges", 3, "--size", 2, *write], "'size' has no meaning"),
        (["bisection", "--random", 4, "--edges", 3, "-o", tmp_path / "table.parquet"], "must end in .csv"),
        (["bisection", "--random", 4, "--edges", 3, "-o", tmp_path / "no" / "table.csv"], "does not exist"),
        (["bisection", "--random", 4, "--edges", 3, "-o", out, "--config", tmp_path], "is a folder"),
        (["bisection", "--random", 4, "--edges", 3, "-o", out, "--config", out], "are the same file"),
        (["bisection", "--random", 4, "--edges", 3, "--seed", -1, *write], "'seed' must be"),
        (["any", "--planted", 2, "-t", "0.4", "-o", tmp_path / "a,b.csv", "--config", config], "a comma in its path"),
    ]:
        assert message in run("instance", *words, code=2)
        assert [path.name for path in tmp_path.iterdir()] == ["odd.txt"]


def test_a_graph_is_not_written_over_and_another_release_is_refused(tmp_path):
    graph = tmp_path / "graph.csv"
    graph.write_text("1 2\n2 3\n3 4\n")
    assert "is the source" in run("instance", "bisection", "--graph", graph, "-o", graph, code=2)
    assert graph.read_text() == "1 2\n2 3\n3 4\n"
    run("instance", "bisection", "--graph", graph, "-o", tmp_path / "table.csv")
    shuffled = (tmp_path / "table.csv").read_text().splitlines()
    (tmp_path / "release.csv").write_text("\n".join([shuffled[0], *shuffled[:0:-1]]) + "\n")
    words = ["instance", "bisection", "--graph", graph, "--release", tmp_path / "release.csv"]
    assert "rows must be in their order" in run(*words, code=2)
    (tmp_path / "release.csv").write_text("\n".join(shuffled) + "\n")
    assert "does not meet the policy of this instance, k=2" in run(*words, code=2)
    (tmp_path / "release.csv").write_text("e1,e2\n1,2\n3,4\n")
    assert "is not a release of this instance" in run(*words, code=2)


def test_a_release_is_to_be_written_over_neither_source_nor_configuration(tmp_path):
    graph, table, config = (tmp_path / name for name in ("y-release.csv", "y.csv", "y.toml"))
    graph.write_text("1 2\n2 3\n3 4\n")
    words = ["instance", "bisection", "--graph", graph, "-o", table]
    assert "the release written over the source" in run(*words, "--config", config, code=2)
    other = ["instance", "bisection", "--random", 4, "-o", tmp_path / "z.csv", "--config", tmp_path / "z-release.csv"]
    assert "the release written over the configuration" in run(*other, code=2)
    assert [path.name for path in tmp_path.iterdir()] == ["y-release.csv"]
    run(*words)


def test_the_edges_that_are_asked_for_are_all_there_are():
    from kilt.hardness.instances.request import Request

    for nodes in (4, 6, 8):
        for edges in range(1, nodes * (nodes - 1) // 2 + 1):
            assert len(Request("bisection", planted=nodes, edges=edges).source().graph.edges) == edges
    assert len(Request("bisection", planted=8, edges=10).reduction().table.columns) == 10


def test_without_a_number_as_many_are_drawn_as_fit():
    from kilt.hardness.instances.request import Request

    for request, count in [
        (Request("bisection", random=4), 6),
        (Request("bisection", random=6), 12),
        (Request("bisection", planted=4), 4),
        (Request("half-clique", planted=4, c="0.4"), 3),
        (Request("clique", planted=4, size=4, c="0.4"), 6),
        (Request("matching", planted=1), 1),
        (Request("matching", random=1), 1),
        (Request("matching", planted=2), 6),
    ]:
        source = request.source()
        assert len(source.triples if isinstance(source, Matching) else source.graph.edges) == count
        assert request.reduction().table.rows


def test_tables_go_into_frames():
    pandas = pytest.importorskip("pandas")
    reduction = to_closeness(random_matching(3, 6, 5), "0.2")
    frame = pandas.DataFrame(reduction.table.to_dict())
    release = kilt.anonymize(frame, quasi=list(reduction.table.columns), sensitive="s", policy=reduction.policy)
    assert reduction.instance.solve("subsets").stars == release.stars


def test_the_least_size_of_a_group_survives_rounding():
    for half in range(2, 30):
        for bottom in range(2, 60):
            for top in range(1, bottom // 2 + 1):
                c = Fraction(top, bottom)
                rows = rows_for(half, c)
                assert math.ceil(c * rows) == half
                assert c > Fraction(1, 3) or rows - 2 * half >= half
