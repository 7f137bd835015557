from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kilt
from kilt.report.text import verdict_text
from support import naive
from support.profiles import examples

TABLE = pl.DataFrame(
    {
        "zip": ["98***", "98***", "97***", "97***", "97***", "1"],
        "sex": ["f", "f", "*", "*", "*", "m"],
        "disease": ["flu", "cold", "flu", "flu", "cold", "flu"],
    }
)


def test_what_a_table_meets():
    verdict = kilt.verify(TABLE, quasi="zip,sex", sensitive="disease")
    assert (verdict.rows, verdict.groups, verdict.k) == (6, 3, 1)
    assert verdict.l["disease"] == {"frequency": 1, "distinct": 1, "entropy": 1, "recursive": 0}
    assert verdict.t["disease"] == Fraction(1, 3)
    assert verdict.risk.highest == 1
    assert verdict.risk.lowest == Fraction(1, 3)
    assert verdict.risk.average == Fraction(3, 6)
    assert verdict.risk.unique == Fraction(1, 6)
    assert verdict.met
    assert verdict.violations == ()


def test_violations_are_named_by_pattern_size_and_rule():
    verdict = kilt.verify(TABLE, quasi="zip,sex", sensitive="disease", policy=kilt.Policy(k=3, t="0.1"))
    assert not verdict.met
    assert [(v.size, v.rules) for v in verdict.violations] == [
        (1, ("k=3", "t=0.1 on 'disease'")),
        (2, ("k=3", "t=0.1 on 'disease'")),
    ]
    assert verdict.violations[1].pattern == {"zip": "98***", "sex": "f"}


def test_rounding_stays_on_the_safe_side():
    found = kilt.verify(TABLE, quasi="zip,sex", sensitive="disease").to_dict()
    assert found["t"]["disease"] == 0.333334
    assert kilt.verify(TABLE, quasi="zip,sex", sensitive="disease", policy=kilt.Policy(t="0.333334")).met
    assert not kilt.verify(TABLE, quasi="zip,sex", sensitive="disease", policy=kilt.Policy(t="0.333333")).met
    assert kilt.verify(TABLE, quasi="zip,sex", sensitive="disease", policy=kilt.Policy(t="1/3")).met


@given(
    st.lists(
        st.tuples(st.sampled_from("ab*"), st.sampled_from(["x", None]), st.sampled_from("012")), min_size=1, max_size=30
    ),
    st.sampled_from(["frame", "file"]),
)
@examples(75)
def test_the_verifier_agrees_with_the_definitions(tmp_path_factory, rows, kind):
    table = pl.DataFrame(rows, schema={"p": pl.String, "q": pl.String, "s": pl.String}, orient="row")
    if kind == "file":
        path = tmp_path_factory.mktemp("verify") / "t.csv"
        table.write_csv(path, null_value="")
        table = path
    verdict = kilt.verify(table, quasi="p,q", sensitive="s")
    groups = list(naive.groups(rows, [0, 1]).values())
    values = sorted({row[2] for row in rows})
    table_counts = naive.counts(rows, 2, values)
    counts = [naive.counts(group, 2, values) for group in groups]
    assert verdict.k == min(map(len, groups))
    assert verdict.groups == len(groups)
    assert verdict.l["s"]["frequency"] == min(Fraction(sum(c), max(c)) for c in counts)
    assert verdict.l["s"]["distinct"] == min(len({row[2] for row in group}) for group in groups)
    far = max(
        sum(abs(Fraction(c, sum(count)) - Fraction(r, len(rows))) for c, r in zip(count, table_counts, strict=True)) / 2
        for count in counts
    )
    assert verdict.t["s"] == far
    assert verdict.risk.average == Fraction(len(groups), len(rows))
    assert verdict.risk.unique == Fraction(sum(1 for group in groups if len(group) == 1), len(rows))


# fidelity


ORIGINAL = pd.DataFrame({"zip": ["98765", "98764", "123"], "age": [30, 30, 31], "note": ["a", "b", None]})


def released(**changes) -> pd.DataFrame:
    good = {"zip": ["9876*", "9876*", "*****"], "age": [30, 30, None], "note": ["a", "b", None]}
    return pd.DataFrame({**good, **changes}).astype({"age": "Int64"})


def fidelity(frame, **options):
    roles = {"quasi": "zip:characters,age", **options}
    return kilt.verify(frame, original=ORIGINAL, **roles).fidelity


def test_nothing_but_stars_differs():
    found = fidelity(released())
    assert found.kept
    assert found.stars == 1 + 1 + 5 + 1
    assert found.cells == 4


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"zip": ["9876*", "9875*", "*****"]}, "'zip' differs from the original in 1 cell that should be the same"),
        ({"zip": ["9876*", "9876*", "****"]}, None),
        ({"zip": ["9876*", "9876", "*****"]}, "'zip' differs"),
        ({"zip": ["9876**", "9876*", "*****"]}, "'zip' differs"),
        ({"age": [30, 31, None]}, "'age' differs from the original in 1 cell"),
        ({"note": ["a", "*", None]}, "'note' differs from the original in 1 cell"),
        ({"note": ["a", "b", "c"]}, "'note' differs"),
        ({"extra": [1, 2, 3]}, "the column 'extra' is new"),
    ],
)
def test_other_differences_are_found(changes, problem):
    found = fidelity(released(**changes))
    if problem is None:
        assert found.kept
    else:
        assert not found.kept
        assert problem in found.problems[0]


def test_missing_rows_and_columns_are_found():
    assert fidelity(released().head(2)).problems == ("it has 2 rows and the original 3",)
    assert fidelity(released().drop(columns="note")).problems == ("the column 'note' is missing",)
    assert fidelity(released().drop(columns="note"), identifier="note").kept
    assert fidelity(released(), identifier="note").problems == ("the identifier 'note' is still there",)


def test_a_prefix_may_only_lose_its_tail():
    masked = released(zip=["98***", "98***", "*****"])
    assert fidelity(masked, quasi="zip:prefix,age", measure="level").stars == Fraction(3 + 3 + 5, 5) + 1
    holes = released(zip=["9*765", "98764", "123"])
    assert not fidelity(holes, quasi="zip:prefix,age").kept
    assert fidelity(holes).kept


def test_suppression_does_not_mask_characters():
    assert not fidelity(released(), quasi="zip,age").kept
    assert fidelity(released(zip=["*", "98764", "*"]), quasi="zip,age").stars == 3


def test_a_taxonomy_may_only_climb():
    taxonomy = kilt.Taxonomy.of([["98765", "987", "*"], ["98764", "987", "*"], ["123", "1", "*"]])
    ladder = kilt.Taxonomic(taxonomy)
    assert fidelity(released(zip=["987", "98764", "*"]), quasi={"zip": ladder, "age": None}).stars == Fraction(5, 2)
    assert not fidelity(released(zip=["987", "98764", "987"]), quasi={"zip": ladder, "age": None}).kept


def test_files_are_compared_too(tmp_path):
    (tmp_path / "a.csv").write_text("q,s\na,1\nb,2\n")
    (tmp_path / "b.csv").write_text("q,s\n*,1\n*,2\n")
    (tmp_path / "c.csv").write_text("q,s\n*,2\n*,1\n")
    assert kilt.verify(tmp_path / "b.csv", quasi="q", original=tmp_path / "a.csv").fidelity.stars == 2
    wrong = kilt.verify(tmp_path / "c.csv", quasi="q", original=tmp_path / "a.csv")
    assert not wrong.met
    with pytest.raises(kilt.InputError, match="give the original as a frame too"):
        kilt.verify(pl.DataFrame({"q": ["a"]}), quasi="q", original=tmp_path / "a.csv")
    with pytest.raises(kilt.InputError, match="give the original as a file too"):
        kilt.verify(tmp_path / "a.csv", quasi="q", original=pl.DataFrame({"q": ["a"]}))


def test_the_verifier_stops_a_release_that_breaks_the_policy(monkeypatch, hospital, tmp_path):
    """If a solver were wrong, nothing would be written."""
    from kilt.model.partition import Partition
    from kilt.solvers.base import Solution
    from kilt.solvers.exact.exhaustive import Exhaustive

    def wrong(self, problem, stop, observer):
        import numpy as np

        each = np.arange(len(problem.counts))
        return Solution(Partition.of(problem, each, each, problem.counts))

    monkeypatch.setattr(Exhaustive, "solve", wrong)
    with pytest.raises(kilt.VerificationError, match="the policy is violated by 10 groups"):
        kilt.anonymize(hospital, quasi="Zipcode", policy=kilt.Policy(k=2), output=tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []


def test_the_verifier_stops_a_release_that_changes_another_cell(monkeypatch, hospital, tmp_path):
    from kilt.sources.duck.table import DuckSource

    apply = DuckSource.apply

    def wrong(self, *given):
        made = apply(self, *given)
        made.engine.run(f"UPDATE {made.table} SET c3 = 'Cancer' WHERE rowid = 0")
        return made

    monkeypatch.setattr(DuckSource, "apply", wrong)
    with pytest.raises(kilt.VerificationError, match="'Disease' differs from the original in 1 cell"):
        kilt.anonymize(hospital, quasi="Zipcode", policy=kilt.Policy(k=2), output=tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []


def test_counting_is_not_shared_with_the_solvers():
    """The verifier's count is its own: a Counter for frames."""
    rows = Counter(TABLE.select("zip", "sex").rows())
    assert sorted(kilt.verify(TABLE, quasi="zip,sex").sizes.tolist()) == sorted(rows.values())


def test_a_null_differs_from_an_empty_text_in_every_character():
    original = pl.DataFrame({"q": [None, "", "abc", "abc"]})
    policy = kilt.Policy(k=2)
    for shown, kept in ((["*", "*", "abc", "abc"], False), (["***", "***", "abc", "abc"], True)):
        verdict = kilt.verify(pl.DataFrame({"q": shown}), quasi="q:characters", policy=policy, original=original)
        assert verdict.met is kept


def test_a_mark_that_is_a_value_is_no_mark():
    original = pl.DataFrame({"q": ["*", "a", "b", "b"]})
    released = pl.DataFrame({"q": ["*", "*", "b", "b"]})
    verdict = kilt.verify(released, quasi="q", policy=kilt.Policy(k=2), original=original)
    assert not verdict.met
    assert "contains the mark" in verdict.fidelity.problems[0]


# average t


def test_what_groups_tell_on_average():
    given_ = {"quasi": "zip,sex", "sensitive": "disease"}
    verdict = kilt.verify(TABLE, policy=kilt.Policy(average_t="0.2"), **given_)
    assert verdict.average_t == {"disease": Fraction(125815, 10**6)}
    assert verdict.met
    assert verdict.to_dict()["average_t"] == {"disease": 0.125815}
    assert kilt.verify(TABLE, policy=kilt.Policy(average_t="0.125815"), **given_).met


def test_a_table_may_violate_the_policy_as_a_whole():
    policy = kilt.Policy(average_t={"disease": "0.125814"})
    verdict = kilt.verify(TABLE, quasi="zip,sex", sensitive="disease", policy=policy)
    assert not verdict.met
    assert verdict.broken == ()
    assert verdict.violations == ()
    assert verdict.broken_on_release == ("average t=0.125814 on 'disease'",)
    assert "as a whole" in repr(verdict)
    both = kilt.verify(TABLE, quasi="zip,sex", sensitive="disease", policy=kilt.Policy(k=2, average_t=0))
    assert "the table as a whole violates average t=0 on 'disease'" in verdict_text(both)
