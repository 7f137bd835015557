"""Indicators: a column says which nulls are suppressed cells, and the verifier reads it as part of the group."""

from __future__ import annotations

import datetime

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kilt
from kilt.errors import VerificationError
from kilt.model.marks import Indicator
from kilt.model.policy import Policy
from kilt.sources.registry import open_source
from kilt.verification.verifier import judge
from support.profiles import examples

CONSTRUCTORS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
CELLS = {"age": [34, 34, None, None, 61], "s": list("xyxyx")}
RELEASED = [(34, False), (34, False), (None, False), (None, True), (None, True)]


@pytest.fixture(params=CONSTRUCTORS)
def make(request):
    return CONSTRUCTORS[request.param]


def rows(frame):
    table = frame.to_dict("list") if isinstance(frame, pd.DataFrame) else None
    table = table or (frame.to_pydict() if isinstance(frame, pa.Table) else frame.to_dict(as_series=False))
    return list(zip(*([None if pd.isna(cell) else cell for cell in cells] for cells in table.values()), strict=True))


def test_nulls_of_its_own_are_told_from_suppressed_cells(make):
    release = kilt.anonymize(make(CELLS), quasi="age", policy=Policy(k=2), mark="age=indicator")
    found = rows(release.frame)
    assert [age for age, _, _ in found[:2]] == [34, 34]
    assert sorted(((age, hidden) for age, _, hidden in found), key=str) == sorted(
        [(34, False), (34, False), *[(None, True)] * 3], key=str
    )
    assert release.stars == 3
    for mark in ({"age": "indicator"}, None):  # named, or found by its name
        verdict = kilt.verify(release.frame, original=make(CELLS), quasi="age", policy=Policy(k=2), mark=mark)
        assert verdict.met, verdict.fidelity
        assert verdict.fidelity.stars == 3
        assert verdict.k == 2


def test_a_group_of_nulls_is_not_one_with_suppressed_cells(make):
    """Three nulls look alike, but the indicator tells one of them from the others."""
    frame = make({"age": [None, None, None, 5], "age_hidden": [True, False, True, False]})
    assert kilt.verify(frame, quasi="age", mark="indicator").k == 1
    assert kilt.verify(frame, quasi="age").k == 1


AGES = st.lists(st.sampled_from([None, 1, 2, 3]), min_size=1, max_size=7)


LADDERS = ("suppress", "bands=2,4", "bands=2,4/from=2", "groups=2")


@given(
    st.sampled_from([*CONSTRUCTORS, "csv", "parquet"]),
    AGES,
    st.sampled_from(LADDERS),
    st.integers(1, 3),
    st.booleans(),
    st.booleans(),
)
@examples(20)
def test_a_release_with_an_indicator_verifies_and_has_its_certificate(
    tmp_path_factory, source, ages, ladder, k, shuffle, with_text
):
    folder = tmp_path_factory.mktemp("indicator")
    k = min(k, len(ages))
    cells = {"age": ages, "town": ["a"] * len(ages)}
    quasi = {"age": ladder, **({"town": "suppress"} if with_text else {})}
    options = {"quasi": quasi, "policy": Policy(k=k), "mark": {"age": "indicator"}}
    data, paths = _stored(source, cells, folder)
    release = kilt.anonymize(data, **options, **paths, shuffle=shuffle, certificate=folder / "proof.json")
    table = paths.get("output", release.frame)
    verdict = kilt.verify(table, **options, **({} if shuffle else {"original": data}))
    assert verdict.met, verdict.fidelity
    assert verdict.k >= k
    assert kilt.check(folder / "proof.json", original=data, release=table).passed
    assert release.verdict.fidelity.stars == release.exact_stars


def _stored(source, cells, folder):
    if source in CONSTRUCTORS:
        made = pa.table({"age": pa.array(cells["age"], pa.int64()), "town": cells["town"]})
        return {"pandas": made.to_pandas, "polars": lambda: pl.from_arrow(made), "pyarrow": lambda: made}[source](), {}
    path = folder / f"in.{source}"
    duckdb.from_arrow(pa.table({"age": pa.array(cells["age"], pa.int64()), "town": cells["town"]})).write_parquet(
        str(folder / "in.parquet")
    )
    if source == "csv":
        pl.DataFrame(cells).write_csv(path)
    return path, {"output": folder / f"out.{source}"}


def test_a_certificate_does_not_take_a_release_without_its_indicator(tmp_path):
    frame = pl.DataFrame(CELLS)
    options = {"quasi": "age", "policy": Policy(k=2), "mark": "indicator"}
    release = kilt.anonymize(frame, **options, certificate=tmp_path / "proof.json").frame
    for forged, message in (
        (release.drop("age_hidden"), "'age' has the indicator 'age_hidden', which is not a column"),
        (release.with_columns(age_hidden=pl.lit(True)), "'age' has 2 cells that must be null"),
        (release.with_columns(age_hidden=pl.lit(False)), "'age' differs from the original"),
    ):
        found = kilt.check(tmp_path / "proof.json", original=frame, release=forged)
        assert not found.passed
        assert message in found.summary()


FORGED = {
    "shows a value": ({"age": [34, 34, 61], "age_hidden": [False, False, True]}, "'age' has 1 cell that must be null"),
    "says nothing": (
        {"age": [34, 34, None], "age_hidden": [False, None, True]},
        "'age_hidden' has 1 cell that must be",
    ),
    "says something else": (
        {"age": [1, 2, None], "age_hidden": ["no", "no", "yes"]},
        "has 3 cells that must be true or",
    ),
    "looks hidden": ({"age": ["(hidden)", "1", "2"], "age_hidden": [False] * 3}, "like '(hidden)', which stands for"),
    "is not there": ({"age": [34, 34, None]}, "'age' has the indicator 'age_hidden', which is not a column"),
}


@pytest.mark.parametrize("cells", FORGED.values(), ids=FORGED)
@pytest.mark.parametrize("kind", ["frame", "file"])
def test_what_is_not_an_indicator_is_refused(tmp_path, cells, kind):
    frame = pl.DataFrame(cells[0])
    frame.write_parquet(tmp_path / "in.parquet")
    source = open_source(frame if kind == "frame" else tmp_path / "in.parquet")
    with pytest.raises(kilt.InputError) as refused:
        judge(source, _roles(source), Policy(k=1), marks={"age": Indicator("age_hidden")})
    assert cells[1] in str(refused.value)
    assert "61" not in str(refused.value)


def _roles(source):
    from kilt.model.roles import Roles

    return Roles.read(source.columns, "age")


def test_a_cell_that_is_null_without_being_called_suppressed_is_a_difference():
    original = pl.DataFrame({"age": [1, 2, None]})
    released = pl.DataFrame(
        {"age": [None, None, None], "age_hidden": [True, False, False]}, schema_overrides={"age": pl.Int64}
    )
    verdict = kilt.verify(released, original=original, quasi="age", mark="indicator")
    assert not verdict.met
    assert verdict.fidelity.problems == ("'age' differs from the original in 1 cell that should be the same",)
    honest = pl.DataFrame({"age": [None] * 3, "age_hidden": [True] * 3}, schema_overrides={"age": pl.Int64})
    assert kilt.verify(honest, original=original, quasi="age", mark="indicator").fidelity.stars == 3


def test_a_source_that_forgets_its_indicator_is_refused(monkeypatch):
    from kilt.sources.frame import FrameSource

    apply = FrameSource.apply
    monkeypatch.setattr(
        FrameSource, "apply", lambda self, *plan: open_source(apply(self, *plan).native.drop("age_hidden"))
    )
    with pytest.raises(kilt.InputError, match="'age' has the indicator 'age_hidden', which is not a column"):
        kilt.anonymize(pl.DataFrame(CELLS), quasi="age", policy=Policy(k=2), mark="indicator")


def test_a_source_that_sets_its_indicator_wrongly_is_refused(monkeypatch):
    from kilt.sources.frame import FrameSource

    apply = FrameSource.apply

    def forged(self, *plan):
        return open_source(apply(self, *plan).native.with_columns(age_hidden=pl.col("age").is_null() & pl.lit(False)))

    monkeypatch.setattr(FrameSource, "apply", forged)
    with pytest.raises(VerificationError, match="'age' differs from the original"):
        kilt.anonymize(pl.DataFrame(CELLS), quasi="age", policy=Policy(k=2), mark="indicator")


def test_a_column_with_the_name_of_an_indicator_need_not_be_one():
    frame = pl.DataFrame({"age": [1, 1], "age_hidden": [True, False]})
    assert kilt.verify(frame, quasi="age").k == 2
    assert kilt.verify(frame, quasi="age,age_hidden").k == 1


def test_a_date_column_of_a_parquet_file_keeps_its_type(tmp_path):
    days = [datetime.date(2000, 1, 1), None, datetime.date(1990, 1, 1)]
    pl.DataFrame({"born": days, "o": [1, 2, 3]}).write_parquet(tmp_path / "in.parquet")
    kilt.anonymize(
        tmp_path / "in.parquet",
        quasi="born",
        policy=Policy(k=3),
        mark="born=indicator",
        output=tmp_path / "out.parquet",
    )
    read = pl.read_parquet(tmp_path / "out.parquet")
    assert read.schema == {"born": pl.Date, "o": pl.Int64, "born_hidden": pl.Boolean}
    assert read["born_hidden"].to_list() == [True] * 3


def test_labels_of_pandas_columns_are_kept_beside_an_indicator():
    frame = pd.DataFrame({0: [1.0, None, 2.0], 1: list("xyz")})
    release = kilt.anonymize(frame, quasi=[0], policy=Policy(k=3), mark="indicator")
    assert release.frame.columns.tolist() == [0, 1, "0_hidden"]
    assert kilt.verify(release.frame, original=frame, quasi=[0], policy=Policy(k=3)).met
