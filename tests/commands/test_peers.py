"""What goes wrong in other tools, and must not go wrong here."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import kilt


def test_rows_with_a_missing_quasi_value_are_counted():
    """Counting with a groupby that drops nulls would say k=2."""
    frame = pd.DataFrame({"q": ["a", "a", None], "s": ["x", "y", "x"]})
    assert kilt.verify(frame, quasi="q").k == 1


def test_t_does_not_depend_on_the_index_of_a_frame():
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"q": rng.choice(list("ab"), 60), "s": rng.choice(list("xyz"), 60)})
    expected = kilt.verify(frame, quasi="q", sensitive="s").t
    for seed in range(50):
        shuffled = frame.sample(frac=1, random_state=seed)
        assert kilt.verify(shuffled, quasi="q", sensitive="s").t == expected


def test_entropy_of_a_uniform_group_is_not_truncated():
    frame = pd.DataFrame({"q": ["a"] * 8, "s": list("12345678")})
    assert kilt.verify(frame, quasi="q", sensitive="s").l["s"]["entropy"] == 8


def test_recursive_diversity_sorts_in_descending_order():
    frame = pd.DataFrame({"q": ["a"] * 12, "s": list("111111") + list("222") + list("33") + ["4"]})
    policy = kilt.Policy(l=2, diversity="recursive:2")
    assert kilt.verify(frame, quasi="q", sensitive="s", policy=policy).met
    policy = kilt.Policy(l=3, diversity="recursive:2")
    assert not kilt.verify(frame, quasi="q", sensitive="s", policy=policy).met


def test_a_constant_numeric_sensitive_column_divides_by_nothing():
    frame = pd.DataFrame({"q": ["a", "b"], "s": [7, 7]})
    verdict = kilt.verify(frame, quasi="q", sensitive="s:numeric")
    assert verdict.t["s"] == 0


def test_t_is_measured_against_the_whole_table_and_no_row_is_lost():
    frame = pd.DataFrame({"q": list("aaaabbbb"), "s": list("xxxyyyyx")})
    release = kilt.anonymize(frame, quasi="q", sensitive="s", policy=kilt.Policy(t="0.2"))
    assert len(release.frame) == len(frame)
    assert release.verdict.t["s"] <= Fraction(1, 5)


def test_the_release_has_no_index_column_and_no_row_numbers():
    frame = pd.DataFrame({"q": list("aabb"), "s": list("xyxy")}, index=[10, 20, 30, 40])
    release = kilt.anonymize(frame, quasi="q", sensitive="s", policy=kilt.Policy(k=2))
    assert list(release.frame.columns) == ["q", "s"]
    assert list(release.frame.index) == [10, 20, 30, 40]
    shuffled = kilt.anonymize(frame, quasi="q", sensitive="s", policy=kilt.Policy(k=2), shuffle=True)
    assert list(shuffled.frame.index) == [0, 1, 2, 3]


def test_the_threshold_t_has_an_effect():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {"p": rng.choice(list("abcd"), 60), "q": rng.choice(list("abc"), 60), "s": rng.choice(list("xyz"), 60)}
    )
    stars = [
        kilt.anonymize(frame, quasi="p,q", sensitive="s", policy=kilt.Policy(t=t), time=600).stars
        for t in ("1", "0.5", "0.2", "0.05", "0")
    ]
    assert stars == sorted(stars)
    assert stars[0] == 0
    assert stars[-1] > stars[1]


def test_a_second_call_does_not_return_the_first_calls_data():
    first = pd.DataFrame({"q": list("aabb")})
    second = pd.DataFrame({"q": list("ccdd")})
    kilt.anonymize(first, quasi="q", policy=kilt.Policy(k=2))
    assert kilt.anonymize(second, quasi="q", policy=kilt.Policy(k=2)).frame["q"].tolist() == list("ccdd")


def test_an_infeasible_policy_is_an_error_that_says_what_is_possible():
    frame = pd.DataFrame({"q": list("aabb"), "s": list("xxxy")})
    with pytest.raises(kilt.InfeasibleError, match=r"75% of the rows share a value of 's'; the largest l .* is 1"):
        kilt.anonymize(frame, quasi="q", sensitive="s", policy=kilt.Policy(l=2))
    with pytest.raises(kilt.InfeasibleError, match="the largest k that it allows is 4"):
        kilt.anonymize(frame, quasi="q", sensitive="s", policy=kilt.Policy(k=5))


def test_fully_suppressed_rows_are_not_exempt_from_the_policy():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({name: rng.choice(list("abcdefgh"), 43) for name in "pqrs"})
    release = kilt.anonymize(frame, quasi="p,q,r,s", policy=kilt.Policy(k=10))
    stars = (release.frame == "*").all(axis=1).sum()
    assert stars == 0 or stars >= 10
    assert release.frame.groupby(list("pqrs")).size().min() >= 10
