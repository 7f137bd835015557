"""Which policies are at least as strict as others."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st

from kilt import AverageCloseness, KAnonymity, LDiversity, Policy, TCloseness
from kilt.errors import InfeasibleError
from kilt.model.diversity import Frequency
from kilt.model.strictness import implies, is_as_strict, strictness
from support.problems import problem_of
from support.profiles import examples
from support.strategies import tables

FORMS = ("frequency", "distinct", "entropy", "recursive:2", "recursive:0.75")
PRINCIPLES = st.one_of(
    st.builds(KAnonymity, st.integers(1, 4)),
    st.builds(LDiversity, st.integers(1, 3), st.sampled_from(FORMS), st.sampled_from([None, "s0"])),
    st.builds(
        TCloseness,
        st.sampled_from(["0", "0.1", "0.25", "1/3", "0.5", "1"]),
        st.sampled_from([None, "equal", "ordered"]),
        st.sampled_from([None, "s0"]),
    ),
    st.builds(AverageCloseness, st.sampled_from(["0", "0.2", "1/3", "1"]), st.sampled_from([None, "s0"])),
)
POLICIES = st.lists(PRINCIPLES, min_size=1, max_size=3).map(lambda principles: Policy(*principles))


@given(st.data())
@examples(100, [HealthCheck.filter_too_much])
def test_what_meets_a_policy_meets_all_that_it_is_as_strict_as(data):
    rows, quasi, sensitive = data.draw(tables(least_sensitive=1))
    strict, loose = data.draw(POLICIES), data.draw(POLICIES)
    assume(is_as_strict(strict, loose))
    try:
        problem = problem_of(rows, quasi, sensitive, strict)
    except InfeasibleError:
        assume(False)
    number = data.draw(st.integers(1, 3))
    group_of = np.array(data.draw(st.lists(st.integers(0, number - 1), min_size=len(rows), max_size=len(rows))))
    by_class = np.zeros((number, len(problem.sensitive_totals)), dtype=np.int64)
    np.add.at(by_class, (group_of, np.repeat(problem.sensitive_class, problem.counts)), 1)
    groups = problem.groups(by_class[by_class.any(axis=1)])
    looser = problem_of(rows, quasi, sensitive, loose).rules  # what is infeasible would raise here
    assert (looser.meets(groups) >= problem.rules.meets(groups)).all()
    assert looser.accepts(groups) >= problem.rules.accepts(groups)


@given(st.lists(POLICIES, min_size=3, max_size=3))
def test_it_is_an_order(policies):
    table = strictness(policies)
    assert table.diagonal().all()
    assert all(table[i, h] for i, j, h in product(range(3), repeat=3) if table[i, j] and table[j, h])


@pytest.mark.parametrize(
    ("strict", "loose"),
    [
        (Policy(k=10), Policy(k=5)),
        (Policy(k=5), Policy(k=5)),
        (Policy(k=5, t="0.1"), Policy(t="0.2")),
        (Policy(l=3, diversity="recursive:2"), Policy(l=2, diversity="recursive:2")),
        (Policy(l="2.5"), Policy(l={"s": 2})),
        (Policy(TCloseness("0.1", "ordered", "s")), Policy(TCloseness("0.2", "ordered", "s"))),
        (Policy(average_t="0.1", k=2), Policy(average_t="0.2")),
        (Policy(k=2), Policy()),
    ],
)
def test_a_stricter_policy(strict, loose):
    assert is_as_strict(strict, loose)
    assert strict == loose or not is_as_strict(loose, strict)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Policy(k=10, t="0.2"), Policy(k=5, t="0.1")),
        (Policy(k=3), Policy(l=3, diversity="distinct")),
        (Policy(l=3), Policy(l=2, diversity="distinct")),
        (Policy(l=3, diversity="entropy"), Policy(l=2)),
        (Policy(l=3, diversity="recursive:2"), Policy(l=2, diversity="recursive:1")),
        (Policy(t={"s": "0.1"}), Policy(t="0.2")),
        (Policy(t={"s": "0.1"}), Policy(t={"r": "0.1"})),
        (Policy(TCloseness("0.1", "ordered")), Policy(TCloseness("0.2"))),
        (Policy(t="0.1"), Policy(average_t="0.2")),
    ],
)
def test_what_is_not_compared(one, other):
    assert not is_as_strict(one, other)


class OddForm(Frequency):
    """A form of somebody else, in which a larger l need not be stricter."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OddForm)

    __hash__ = None


def test_a_form_of_somebody_else_is_not_compared():
    assert not implies(LDiversity(3, OddForm()), LDiversity(2, Frequency()))
