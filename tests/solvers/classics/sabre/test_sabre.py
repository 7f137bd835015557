"""SABRE: buckets bound the distance of any group that draws from them, draws add up, and what is released is legal."""

from __future__ import annotations

from fractions import Fraction
from itertools import count, product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kilt import KAnonymity, Policy, TCloseness
from kilt.kernels.classics.filling import Filling
from kilt.model.patterns import costs_of, tightest
from kilt.model.rules import Groups, work_of
from kilt.run.stopping import StoppingRule
from kilt.solvers.classics.sabre import draws as ectree
from kilt.solvers.classics.sabre.bucketing import bucketings, chain, distances
from kilt.solvers.classics.sabre.draws import ValueDraws, halves
from kilt.solvers.classics.sabre.solver import best_draws, closeness
from kilt.solvers.common.leftovers import place_illegal
from kilt.solvers.common.stacked_ladders import stacked
from kilt.solvers.registry import solver
from support.problems import problem_of, solved
from support.profiles import examples
from support.strategies import SPACES, tables

T = ["0", "0.1", "0.25", "1/3", "0.5", "0.8", "1"]


@st.composite
def close_problems(draw, most_rows=9):
    rows, quasi, sensitive = draw(tables(most_rows=most_rows, least_sensitive=1, most_sensitive=1))
    k = draw(st.integers(1, min(4, len(rows))))
    principles = [TCloseness(draw(st.sampled_from(T))), *([KAnonymity(k)] if draw(st.booleans()) else [])]
    return problem_of(rows, quasi, sensitive, Policy(*principles))


@st.composite
def close_rules(draw, ts=T):
    """A rule of t-closeness on a random table; the values are 0 to 3, or a few numbers."""
    space = draw(st.sampled_from([*SPACES]))
    values = st.sampled_from("0123") if space in ("tree", "metric") else st.integers(0, 9).map(str)
    column = draw(st.lists(values, min_size=1, max_size=14))
    problem = problem_of([("a", value) for value in column], ["suppress"], [space], Policy(t=draw(st.sampled_from(ts))))
    return closeness(problem)


def distance_of(counts, rule):
    work, whole = work_of(np.array([counts]), rule.reference, rule.ground)
    return Fraction(int(work[0]), int(whole[0]))


def worst_groups(draw, buckets):
    """Yield the groups of a draw in which all rows of a bucket have one value; the distance of no other is larger."""
    parts = [buckets.order[a:b] for a, b in zip(buckets.starts[:-1], buckets.starts[1:], strict=True)]
    for values in product(*parts):
        counts = np.zeros(len(buckets.order), dtype=np.int64)
        counts[list(values)] = draw
        yield counts


@given(close_problems())
@examples(100)
def test_it_releases_legally_and_never_beats_the_optimum(problem):
    assert solver("sabre").refuses(problem) is None
    assert solved("sabre", problem).partition.cost >= solved("exhaustive", problem).partition.cost


@given(st.data())
@examples(100)
def test_groups_that_draw_by_the_sizes_of_buckets_are_close(data):
    rule = data.draw(close_rules())
    rows = int(rule.reference.sum())
    for buckets in bucketings(rule):
        bound = Fraction(int(buckets.spread.sum()), rows * rule.ground.scale)
        assert bound <= rule.t
        bucket_of = buckets.of_values()
        counts = np.zeros_like(rule.reference)
        for i, size in enumerate(buckets.rows):
            values = np.flatnonzero(bucket_of == i).tolist()
            for value in data.draw(st.lists(st.sampled_from(values), min_size=int(size), max_size=int(size))):
                counts[value] += 1
        assert distance_of(counts, rule) <= bound
        assert max(distance_of(worst, rule) for worst in worst_groups(buckets.rows, buckets)) <= bound


def test_the_bound_of_buckets_is_reached():
    """Three values on a line, in one bucket: at worst all rows have a value at the end."""
    rule = closeness(problem_of([("a", v) for v in "0012"], ["suppress"], ["ordered"], Policy(t=1)))
    coarse = bucketings(rule)[0]
    assert len(coarse) == 1
    assert Fraction(int(coarse.spread.sum()), 4 * rule.ground.scale) == distance_of([0, 0, 4], rule) == Fraction(5, 8)


@given(st.data())
@examples(100)
def test_close_draws_are_close_whatever_is_drawn(data):
    rule = data.draw(close_rules())
    buckets = data.draw(st.sampled_from(bucketings(rule)))
    draw = [data.draw(st.integers(0, int(size))) for size in buckets.rows]
    assume(any(draw))
    draws = ValueDraws(rule, buckets, 1)
    exact = bool(draws.close(np.array([draw]))[0])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ectree, "MOST_TRANSPORTED", 0)
        assert draws.close(np.array([draw]))[0] <= exact
    assert not exact or all(distance_of(worst, rule) <= rule.t for worst in worst_groups(draw, buckets))
    if len(buckets) == len(buckets.order):  # single values: it is the distance itself
        assert exact == (max(distance_of(worst, rule) for worst in worst_groups(draw, buckets)) <= rule.t)


@given(close_rules(), st.integers(1, 4))
@examples(100)
def test_leaves_sum_up_to_the_buckets_and_cannot_be_halved(rule, least):
    assume(least <= rule.reference.sum())
    for buckets in bucketings(rule):
        draws = ValueDraws(rule, buckets, least)
        leaves, times = draws.leaves()
        assert (times @ leaves).tolist() == buckets.rows.tolist()
        assert draws.legal(leaves).all()
        assert not any((draws.legal(half) & draws.legal(leaves - half)).any() for half in halves(leaves))
    _, best = best_draws(rule, least)
    assert len(best) == max(int(ValueDraws(rule, each, least).leaves()[1].sum()) for each in bucketings(rule))


@given(st.lists(st.lists(st.integers(0, 99), min_size=3, max_size=3), min_size=1, max_size=5))
def test_halves_are_even(draws):
    draws = np.array(draws)
    even, more = halves(draws)
    for half in (even, more):
        assert ((2 * half - draws >= -1) & (2 * half - draws <= 1)).all()
    assert ((2 * even - draws).sum(axis=1) == draws.sum(axis=1) % 2).all()
    assert (more == -(-draws // 2)).all()


@given(close_rules())
@examples(100)
def test_distances_are_those_of_the_ground(rule):
    size = len(rule.reference)
    single = np.eye(size, dtype=np.int64)
    found = distances(rule.ground, size)
    for a, b in product(range(size), repeat=2):
        assert found[a, b] == rule.ground.work((single[a] - single[b])[None, :])[0]
    assert sorted(chain(found, rule.reference).tolist()) == list(range(size))


def test_values_are_chained_along_a_line_and_by_frequency_where_all_are_equally_far():
    line = np.abs(np.subtract.outer(np.array([5, 0, 2, 9]), np.array([5, 0, 2, 9])))
    assert chain(line, np.array([1, 7, 1, 1])).tolist() == [1, 2, 0, 3]
    assert chain(1 - np.eye(3, dtype=np.int64), np.array([2, 9, 4])).tolist() == [1, 2, 0]


@given(st.data())
@examples(100)
def test_groups_are_filled_as_by_its_slow_twin(data):
    problem = data.draw(close_problems())
    kinds = len(problem.counts)
    bucket_of = np.array(data.draw(st.lists(st.integers(0, 2), min_size=kinds, max_size=kinds)))
    order = np.array(data.draw(st.permutations(range(kinds))))
    sizes = np.bincount(bucket_of, problem.counts, 3).astype(np.int64)
    wanted = np.array([data.draw(st.integers(0, int(size))) for size in sizes])
    expected = slowly_filled(problem, bucket_of, order.tolist(), wanted.tolist())
    filling = Filling(problem.codes[order], stacked(problem), bucket_of[order], problem.counts[order])
    places, counts = filling.fill(wanted)
    types = order[places]
    assert list(zip(types.tolist(), counts.tolist(), strict=True)) == expected
    assert np.bincount(bucket_of[types], counts, 3).tolist() == wanted.tolist()
    rest, others = filling.fill(sizes - wanted)
    left = problem.counts - np.bincount(types, counts, kinds).astype(np.int64)
    assert np.bincount(order[rest], others, kinds).tolist() == left.tolist()


def slowly_filled(problem, bucket_of, order, wanted):
    left, group = problem.counts.tolist(), []

    def cost(u):
        types = np.array([*(kind for kind, _ in group), u])
        return int(costs_of(problem, types[:1], tightest(problem, types, np.array([0, len(types)])))[0])

    while any(wanted):
        u = min((u for u in order if left[u] and wanted[bucket_of[u]]), key=cost)
        copies = min(left[u], wanted[bucket_of[u]])
        group.append((u, copies))
        left[u] -= copies
        wanted[bucket_of[u]] -= copies
    return group


@given(close_problems())
@examples(50)
def test_what_is_not_legal_becomes_the_rest(problem):
    """Even groups of single row types, which are hardly ever legal, end legally."""
    every = np.arange(len(problem.counts))
    partition = place_illegal(problem, every, every, problem.counts)
    assert problem.rules.meets(partition.as_groups(problem)).all()
    assert np.bincount(partition.types, partition.counts).tolist() == problem.counts.tolist()


def test_it_stops_when_told():
    rows = [("a", "0"), ("a", "1"), ("b", "0"), ("b", "1"), ("c", "0"), ("c", "1")]
    problem = problem_of(rows, ["suppress"], ["equal"], Policy(k=2, t="0.1"))
    assert len(solved("sabre", problem, StoppingRule(interrupted=lambda: True)).partition) == 1
    calls = count()
    assert len(solved("sabre", problem, StoppingRule(interrupted=lambda: next(calls) > 0)).partition) <= 2
    assert len(solved("sabre", problem).partition) >= 2


@pytest.mark.parametrize(
    ("sensitive", "policy"),
    [
        (["equal"], Policy(k=2)),
        (["equal"], Policy(l=2)),
        (["equal"], Policy(l=2, t="0.5")),
        (["equal", "equal"], Policy(t="0.5")),
    ],
)
def test_other_policies_are_refused(sensitive, policy):
    rows = [("a", *(value for _ in sensitive)) for value in "0011"]
    assert solver("sabre").refuses(problem_of(rows, ["suppress"], sensitive, policy)) == (
        "it takes t-closeness on one sensitive column, with or without k"
    )


def test_too_many_values_are_refused():
    rows = [("a", str(i)) for i in range(501)]
    problem = problem_of(rows, ["suppress"], ["equal"], Policy(t="0.5"))
    assert solver("sabre").refuses(problem) == "it takes up to 500 sensitive values, not 501"


def test_numbers_with_many_digits_have_room():
    rows = [(str(i % 3), f"{i % 4}.{10**17 + i % 4}") for i in range(24)]
    problem = problem_of(rows, ["suppress"], ["numeric"], Policy(k=2, t="0.3"))
    assert closeness(problem).ground.scale > 2**53
    assert len(solved("sabre", problem).partition) > 1


def test_groups_are_met_by_the_rules_themselves():
    """Close draws lead to legal groups: nothing is left to the rest, and there are many groups."""
    rng = np.random.default_rng(3)
    rows = [tuple(map(str, row)) for row in np.column_stack([rng.integers(0, 4, (400, 3)), rng.integers(0, 5, 400)])]
    problem = problem_of(rows, ["suppress"] * 3, ["ordered"], Policy(k=4, t="0.25"))
    rule = closeness(problem)
    buckets, draws = best_draws(rule, 4)
    assert len(draws) > 20
    for draw in draws:
        counts = np.array([next(worst_groups(draw, buckets))])
        assert rule.meets(Groups(counts.sum(axis=1), (counts,))).all()
    assert len(solved("sabre", problem).partition) > 10
