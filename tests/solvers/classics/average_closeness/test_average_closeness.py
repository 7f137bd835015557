"""Average closeness: it goes down as fast as is proved, both ends of the trade-off are reached, releases are legal."""

from __future__ import annotations

import math
from collections import Counter
from itertools import count, islice, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilt import Policy
from kilt.patterns.pool import Pool
from kilt.run.stopping import StoppingRule
from kilt.solvers.classics.average_closeness.channel import Choices, descend, descent
from kilt.solvers.classics.average_closeness.solver import PARAMS, Params, most_likely_release, trade_off
from kilt.solvers.common.equivalence_classes import equivalence_class
from kilt.solvers.registry import solver
from support.problems import drawn_problem, problem_of, solved
from support.profiles import examples
from support.strategies import tables

LAMBDA = st.sampled_from([0.0, 0.01, 0.1, 0.5, 2.0, 50.0])


@st.composite
def open_problems(draw, most_rows=9):
    """A random table in which every row may be a group."""
    rows, quasi, sensitive = draw(tables(most_rows=most_rows, least_sensitive=1))
    return problem_of(rows, quasi, sensitive, Policy(k=1))


def choices_of(problem):
    return Choices.of(problem, Pool.of(problem))


def information_of(pairs):
    """The mutual information of weighted pairs, in nats."""
    pairs = Counter(pairs)
    one, other = Counter(), Counter()
    for (a, b), weight in pairs.items():
        one[a] += weight
        other[b] += weight
    return sum(w * math.log(w / (one[a] * other[b])) for (a, b), w in pairs.items() if w > 0)


def told_by(problem, choices, channel):
    """The information of a channel, by its definition."""
    alike, pairs = equivalence_class(problem), Counter()
    for u, copies in enumerate(problem.counts.tolist()):
        for c in np.flatnonzero(choices.row == alike[u]).tolist():
            pairs[int(choices.pattern[c]), int(problem.sensitive_class[u])] += copies / problem.rows * float(channel[c])
    return information_of(pairs)


def told_by_rows(problem):
    """The information that quasi rows as they are give."""
    pairs = Counter()
    for row, kind, copies in zip(equivalence_class(problem), problem.sensitive_class, problem.counts, strict=True):
        pairs[int(row), int(kind)] += int(copies) / problem.rows
    return information_of(pairs)


@given(st.data())
@examples(100)
def test_it_releases_legally_and_never_beats_the_optimum(data):
    problem = drawn_problem(data)
    assert solver("information").refuses(problem) is None
    assert solved("information", problem).partition.cost >= solved("exhaustive", problem).partition.cost


@given(st.data())
@examples(100)
def test_information_and_its_slope_are_as_defined(data):
    problem = drawn_problem(data)
    choices = choices_of(problem)
    weights = data.draw(
        st.lists(st.floats(0.01, 1), min_size=len(choices.row), max_size=len(choices.row)).map(np.array)
    )
    channel = np.exp(choices.normal(np.log(weights)))
    assert np.bincount(choices.row, channel) == pytest.approx(1)
    told, information = choices.surprise(channel)
    assert information == pytest.approx(told_by(problem, choices, channel), abs=1e-12)
    assert information == pytest.approx(float((choices.weight * channel) @ told), abs=1e-12)
    chosen = data.draw(st.integers(0, len(channel) - 1))
    nudge = np.zeros_like(channel)
    nudge[chosen] = 1e-6
    slope = (choices.surprise(channel + nudge)[1] - choices.surprise(channel - nudge)[1]) / 2e-6
    assert slope == pytest.approx(float(choices.weight[chosen] * told[chosen]), abs=1e-5)


@given(open_problems(), LAMBDA, st.sampled_from([0.2, 1.0]))
@examples(100)
def test_no_step_makes_it_worse(problem, lambda_, size):
    values = [step.lagrangian(lambda_) for step in islice(descent(choices_of(problem), lambda_, size=size), 30)]
    assert all(after <= before + 1e-12 for before, after in pairwise(values))


@given(open_problems(), LAMBDA)
@examples(100)
def test_it_goes_down_as_fast_as_is_proved(problem, lambda_):
    """After T steps it is at most ln(choices) / T above every channel that shows each row under one pattern."""
    choices, steps = choices_of(problem), 25
    last = next(islice(descent(choices, lambda_), steps, None)).lagrangian(lambda_)
    room = float(np.bincount(choices.row, choices.weight) @ np.log(np.bincount(choices.row))) / steps
    dearest = problem.highest_cost / problem.unit
    assert last <= lambda_ * dearest + room + 1e-9  # all is hidden
    assert last <= told_by_rows(problem) + room + 1e-9  # nothing is hidden


@given(open_problems())
@examples(100)
def test_without_a_price_nothing_is_told_and_at_a_high_price_nothing_is_hidden(problem):
    choices = choices_of(problem)
    free, _ = descend(descent(choices, 0.0), 0.0, max_steps=50, min_gain=0.0)
    assert free.information <= math.log(max(np.bincount(choices.row))) / 50 + 1e-9
    dear, _ = descend(descent(choices, 200.0), 200.0)
    assert dear.stars == pytest.approx(0, abs=1e-9)
    assert dear.information == pytest.approx(told_by_rows(problem), abs=1e-9)


ROWS = [(a, b, "01"[(i * 7) % 5 < 2]) for i, (a, b) in enumerate([*zip("aabbccaab", "xyxyxyxyx", strict=True)] * 3)]


def table(policy):
    return problem_of(ROWS, ["suppress", "suppress"], ["equal"], policy)


def test_the_trade_off_goes_from_nothing_told_to_nothing_hidden():
    points = trade_off(table(Policy(k=1)), [0, 0.001, 0.003, 0.01, 0.03, 0.1, 1, 100], max_steps=20_000)
    assert points[0].information == pytest.approx(0, abs=1e-4)
    assert points[-1].information == pytest.approx(told_by_rows(table(Policy(k=1))), abs=1e-9)
    assert points[-1].stars == pytest.approx(0, abs=1e-9)
    for low, high in pairwise(points):
        assert low.information <= high.information + 1e-4
        assert low.stars >= high.stars - 1e-2
    assert points[0].stars > 0.5
    assert all(point.iterations > 0 for point in points)


def test_patterns_in_which_no_legal_group_fits_are_no_choice():
    assert trade_off(table(Policy(k=3)), [100])[0].stars == pytest.approx(0)
    assert trade_off(table(Policy(k=7)), [100])[0].stars > 0.4


def test_descents_end_when_they_are_told_to():
    assert trade_off(table(Policy(k=1)), [0.1], StoppingRule(interrupted=lambda: True))[0].iterations == 0
    assert trade_off(table(Policy(k=1)), [0], max_steps=7)[0].iterations == 7


def test_rows_are_shown_where_they_are_most_likely():
    problem = table(Policy(k=2))
    choices = choices_of(problem)
    step, _ = descend(descent(choices, 10.0), 10.0)
    assert most_likely_release(problem, choices, step.channel).cost == 0
    top = choices.stars == choices.stars.max()
    assert len(most_likely_release(problem, choices, np.where(top, 1.0, 0.0))) == 1


def test_the_cheapest_of_a_sweep_is_released():
    problem = table(Policy(t="0.1"))
    choices = choices_of(problem)
    first = next(islice(descent(choices, PARAMS.lambdas[0]), PARAMS.max_steps, None))
    assert solved("information", problem).partition.cost <= most_likely_release(problem, choices, first.channel).cost
    assert 0 < solved("information", problem).partition.cost < problem.most_cost


def test_rows_that_make_no_legal_group_have_other_wishes(monkeypatch):
    rng = np.random.default_rng(1)
    rows = [tuple(map(str, row)) for row in rng.integers(0, 4, (200, 4))]
    problem = problem_of(rows, ["suppress"] * 3, ["equal"], Policy(k=3, t="0.4"))
    choices = choices_of(problem)
    channel = next(islice(descent(choices, 0.1), 15, None)).channel
    later = most_likely_release(problem, choices, channel).cost
    monkeypatch.setattr("kilt.solvers.classics.average_closeness.solver.PARAMS", Params(max_rounds=1))
    first = most_likely_release(problem, choices, channel).cost
    monkeypatch.setattr("kilt.solvers.classics.average_closeness.solver.PARAMS", Params(max_rounds=0))
    assert later < first < most_likely_release(problem, choices, channel).cost == problem.most_cost


def test_it_stops_when_told():
    problem = table(Policy(k=2))
    assert len(solved("information", problem, StoppingRule(interrupted=lambda: True)).partition) == 1
    calls = count()
    solved("information", problem, StoppingRule(interrupted=lambda: next(calls) > 8))
    assert len(solved("information", problem).partition) > 1


def test_too_many_patterns_are_refused(monkeypatch):
    monkeypatch.setattr("kilt.solvers.classics.average_closeness.solver.PARAMS", Params(max_entries=20))
    assert solver("information").refuses(table(Policy(k=2))) == (
        "with these ladders it takes up to 5 different rows, and this table has 12"
    )
