"""What a report must not tell."""

from __future__ import annotations

import json
from datetime import date, timedelta

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kilt
from kilt.report.data.folding import OTHERS, fold
from support.profiles import examples

VALUES = st.lists(st.one_of(st.none(), st.sampled_from("abcdefghijklmnop"), st.text(max_size=3)), min_size=1)
DATES = st.lists(st.dates(date(1920, 1, 1), date(1990, 1, 1)).map(str), min_size=1, max_size=80)
NUMBERS = st.lists(st.one_of(st.integers(-50, 5000), st.floats(-1, 1)).map(str), min_size=1, max_size=80)


@examples(80)
@given(st.one_of(VALUES, NUMBERS, DATES), st.integers(1, 6))
def test_no_name_is_that_of_few_rows(values, fewest):
    folded = fold(values, [1] * len(values), fewest)
    names = [folded.name_of[value] for value in values]
    assert set(names) == set(folded.names)
    if len(values) >= fewest:
        assert min(map(names.count, folded.names)) >= fewest
    else:
        assert folded.names == (OTHERS,)
    for value in set(values):
        if values.count(value) < fewest:
            assert folded.name_of[value] != value


def test_numbers_are_named_by_round_limits():
    folded = fold([str(number) for number in range(1000, 2000)], [3] * 1000, 5)
    assert folded.names[0] == "under 1,100"
    assert folded.names[-1] == "1,900 or more"
    assert folded.name_of["1234"] == "1,200 to under 1,400"


@pytest.mark.parametrize("form", [None, "%d.%m.%Y"])
def test_dates_are_named_by_years(form):
    days = [date(1930, 1, 1) + timedelta(days=30 * number) for number in range(1000)]
    values = [each.isoformat() if form is None else each.strftime(form) for each in days]
    folded = fold([*values, None], [3] * 1000 + [7], 5, date_format=form)
    assert folded.names[:3] == ("before 1940", "1940 to 1949", "1950 to 1959")
    assert folded.names[-2:] == ("2001 or later", "(missing)")
    assert folded.name_of[values[400]] == "1960 to 1970"


def test_dates_of_one_year_are_not_told_apart():
    folded = fold([f"2024-03-{day:02}" for day in range(1, 31)], [3] * 30, 5)
    assert folded.names == ("all dates",)


def test_missing_values_and_values_that_look_like_our_words_are_told_apart():
    folded = fold([None, OTHERS, "x"], [5, 5, 5], 5)
    assert folded.names == ("'(others)'", "(missing)", "x")


TABLE = pl.DataFrame(
    {
        "who": [f"Person{number}" for number in range(8)],
        "zip": ["02139", "02139", "02139", "02139", "94611", "94611", "94611", "77001"],
        "sex": ["f", "f", "m", "m", "f", "f", "m", "m"],
        "disease": ["flu", "flu", "cold", "cold", "flu", "flu", "cold", "kuru"],
    }
)
ROLES = {"identifier": "who", "quasi": "zip,sex", "sensitive": "disease", "policy": kilt.Policy(k=2)}


@pytest.mark.parametrize("detail", ["public", "internal"])
def test_rare_values_rows_and_identifiers_are_not_in_it(detail, tmp_path):
    release = kilt.anonymize(TABLE, **ROLES)
    release.report(tmp_path / "r.html", by="zip,disease", detail=detail)
    report = release.report(tmp_path / "r.json", by="zip,disease", detail=detail)
    for text in ((tmp_path / "r.html").read_text(), (tmp_path / "r.json").read_text()):
        assert "77001" not in text  # one row
        assert "kuru" not in text
        assert not any(name in text for name in TABLE["who"])
        assert ("who" in json.loads(text)["reproduction"]["command"] if text[0] == "{" else True) == (
            detail == "internal" or text[0] != "{"
        )
    assert [each.value for each in report.by[0].values] == ["02139", OTHERS]


CELLS = {"zip": "0123456", "sex": "fm", "disease": "vwxyz"}
ROWS = st.lists(st.tuples(*(st.sampled_from([f"{name}-{sign}" for sign in signs]) for name, signs in CELLS.items())))


@examples(40)
@given(ROWS.filter(lambda rows: len(rows) >= 3), st.integers(2, 3), st.sampled_from(["public", "internal"]))
def test_no_value_of_fewer_than_k_rows_is_named(rows, k, detail):
    """Whatever the table is: of a release, and of the table itself, taken for one that breaks the policy."""
    table = pl.DataFrame(rows, schema=list(CELLS), orient="row")
    asked = {"quasi": "zip,sex", "sensitive": "disease", "policy": kilt.Policy(k=k)}
    how = {"by": "zip,sex,disease", "detail": detail}
    reports = [kilt.anonymize(table, **asked).report(**how), kilt.write_report(table, original=table, **asked, **how)]
    for text in (json.dumps(report.to_dict()) for report in reports):
        for column in zip(*rows, strict=True):
            assert not [value for value in column if column.count(value) < k and value in text]
        assert not [row for row in rows if json.dumps(row)[1:-1] in text]


def test_what_is_internal():
    release = kilt.anonymize(TABLE, **ROLES)
    public, internal = (release.report(detail=detail) for detail in ("public", "internal"))
    assert public.sizes_before is public.reproduction.salt is public.reproduction.dropped is None
    assert public.closeness[0].pattern is None
    assert internal.sizes_before is not None
    assert internal.reproduction.dropped == ("who",)
    assert dict(internal.closeness[0].pattern).keys() == {"zip", "sex"}
    with pytest.raises(kilt.InputError, match="'detail' must be public or internal, not 'all'"):
        release.report(detail="all")


def test_a_group_that_is_too_small_is_not_looked_at():
    report = kilt.write_report(TABLE.drop("who"), original=TABLE, **ROLES)
    assert not report.policy.met
    assert report.closeness[0].group_size >= 2
    alone = kilt.write_report(TABLE.drop("who"), original=TABLE, **{**ROLES, "policy": kilt.Policy(k=3)})
    assert alone.closeness[0].values == ()


def test_the_digest_is_that_of_the_table_and_the_salt():
    release = kilt.anonymize(TABLE, **ROLES)
    salt = "0123456789abcdef" * 2
    digest = release.report(salt=salt).reproduction.digest
    other = kilt.anonymize(TABLE.sample(fraction=1, shuffle=True, seed=3).to_pandas(), **ROLES)
    assert other.report(salt=salt).reproduction.digest == digest  # of any frame, in any order
    assert release.report(salt="f" * 32).reproduction.digest != digest
    assert release.report().reproduction.digest != release.report().reproduction.digest  # a new salt each time
    changed = TABLE.with_columns(sex=pl.Series(["m", *TABLE["sex"][1:]]))
    assert kilt.anonymize(changed, **ROLES).report(salt=salt).reproduction.digest != digest
    with pytest.raises(kilt.InputError, match="32 hexadecimal digits"):
        release.report(salt="pepper")
