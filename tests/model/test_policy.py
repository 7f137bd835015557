"""Policies: they read like their flags, and hold for each column."""

from __future__ import annotations

from fractions import Fraction

import pytest

import kilt


def test_a_policy_reads_like_its_flags():
    assert str(kilt.Policy(k=5, l=2, t="0.2")) == "k=5, l=2, t=0.2"
    assert str(kilt.Policy(l=2, diversity="distinct", t={"pay": "1/3"})) == "l=2 (distinct), t=1/3 on 'pay'"
    assert kilt.Policy(kilt.KAnonymity(5), kilt.TCloseness("0.2", "ordered", "pay")).columns(["pay", "x"]) == ["pay"]
    assert str(kilt.Policy(l="3.5000000001", diversity="entropy")) == "l=35000000001/10000000000 (entropy)"
    assert str(kilt.Policy(l=2, diversity="recursive:7/3")) == "l=2 (recursive:7/3)"
    assert not kilt.Policy()


def test_several_sensitive_columns_each_with_its_own_space_and_threshold():
    rows = [{"q": str(i % 4), "s": "xyz"[i % 3], "pay": i % 5} for i in range(60)]
    import polars as pl

    frame = pl.DataFrame(rows)
    policy = kilt.Policy(k=3, l={"s": 2}, t={"s": "0.3", "pay": "0.2"})
    release = kilt.anonymize(frame, quasi="q", sensitive="s,pay:ordered", policy=policy)
    assert release.verdict.met
    assert release.verdict.t["pay"] <= Fraction(1, 5)
    with pytest.raises(kilt.InputError, match="'pya' is not a sensitive column: did you mean 'pay'"):
        kilt.anonymize(frame, quasi="q", sensitive="s,pay:ordered", policy=kilt.Policy(t={"pya": "0.2"}))
