"""Marks: one for all columns, or one for each; what could be mistaken for a value is refused."""

from __future__ import annotations

import polars as pl
import pytest

import kilt
from kilt.model.marks import Indicator, read_marks

QUASI = ("zip", "age", "a=b")


@pytest.mark.parametrize(
    ("spec", "marks"),
    [
        (None, {}),
        ("?", {"zip": "?", "age": "?", "a=b": "?"}),
        ("=", {"zip": "=", "age": "=", "a=b": "="}),
        ("<>,", {"zip": "<>,", "age": "<>,", "a=b": "<>,"}),
        ("zip=?,age=null", {"zip": "?", "age": None}),
        ("a=b=x", {"a=b": "x"}),
        ("#,age=indicator", {"zip": "#", "age": Indicator("age_hidden"), "a=b": "#"}),
        ("null", {"zip": None, "age": None, "a=b": None}),
        ({"zip": "?", "age": None}, {"zip": "?", "age": None}),
        ({"age": "indicator"}, {"age": Indicator("age_hidden")}),
    ],
)
def test_marks_are_read_as_they_are_written(spec, marks):
    assert read_marks(spec, QUASI) == marks


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (" ", "'mark' must have at least one visible character"),
        ({"zip": " "}, "'mark' must have at least one visible character"),
        ("zpi=?", r"'mark' names 'zpi', which is not a quasi column: did you mean 'zip'\?"),
        ("?,#,age=null", "'mark' must be one text, or one for each column"),
        ("age=,zip=?", "'mark' must be one text, or one for each column"),
        (["?"], "'mark' must be a text, or a mapping from columns to texts, not a list"),
    ],
)
def test_wrong_marks_are_refused(spec, message):
    with pytest.raises(kilt.InputError, match=message):
        read_marks(spec, QUASI)


FRAME = pl.DataFrame({"zip": ["1", "1", "2", "2"], "age": [1, 2, None, None], "s": ["a", "b", "a", "b"]})


def test_every_column_has_its_own_mark():
    frame = FRAME.with_columns(age=pl.Series([1, 2, 3, 4]))
    release = kilt.anonymize(frame, quasi="zip,age,s", policy=kilt.Policy(k=4), mark="zip=?,s=null")
    assert release.frame.to_dict(as_series=False) == {"zip": ["?"] * 4, "age": [None] * 4, "s": [None] * 4}
    assert release.frame.schema == frame.schema
    verdict = kilt.verify(
        release.frame, original=frame, quasi="zip,age,s", policy=kilt.Policy(k=4), mark={"zip": "?", "s": None}
    )
    assert verdict.met
    assert verdict.fidelity.stars == release.exact_stars


@pytest.mark.parametrize(
    ("quasi", "mark", "message"),
    [
        ("age", None, r"'age' has missing values, .* with 'age=\*' the .* with 'age=indicator' a column 'age_hidden'"),
        ("age", "null", "'age' has missing values"),
        ("zip:prefix", "zip=null", "'mark' must be a single character, because 'zip' is masked"),
        ("zip:prefix", "zip=indicator", "'mark' must be a single character, because 'zip' is masked"),
        ("zip", "zip=1", "'zip' already holds the mark '1'"),
        ("s", "indicator", "the indicator of 's' would be the column 's_hidden', which is already there"),
    ],
)
def test_a_mark_that_cannot_be_told_from_a_value_is_refused(quasi, mark, message):
    frame = FRAME.with_columns(S_Hidden=pl.lit(True))
    with pytest.raises(kilt.InputError, match=message.replace("s_hidden", "[sS]_[hH]idden")):
        kilt.anonymize(frame, quasi=quasi, policy=kilt.Policy(k=2), mark=mark)


def test_a_value_like_a_hidden_cell_is_refused():
    frame = pl.DataFrame({"q": ["(hidden)", "b"]})
    with pytest.raises(kilt.InputError, match=r"'q' already holds the mark '\(hidden\)'"):
        kilt.anonymize(frame, quasi="q", policy=kilt.Policy(k=2), mark="indicator")
