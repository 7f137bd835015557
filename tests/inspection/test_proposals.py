"""What is proposed for typical columns, and what is possible on them."""

from __future__ import annotations

from datetime import date, timedelta
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kilt
from kilt.inspection.kinds import NUMBER
from kilt.inspection.possible import possible_on
from kilt.model.ladders import Domain
from kilt.model.rules import work_of
from kilt.model.spaces import parse_space
from kilt.numbers import read_number
from support.profiles import examples

ROWS = 400
DAYS = [date(1930, 1, 1) + timedelta(days=71 * i) for i in range(ROWS)]
COLUMNS = {  # column: cells, kind, and what is proposed
    "name": ([f"{'ABCDEFGH'[i % 8]}nn {'KLMNOPRS'[i // 8 % 8]}ey" for i in range(ROWS)], "identifier", "identifier"),
    "patient_id": ([str(i // 3) for i in range(ROWS)], "identifier", "identifier"),
    "number": ([str(10_000 + i) for i in range(ROWS)], "identifier", "identifier"),
    "mail": ([f"p{i}@example.org" for i in range(ROWS)], "identifier", "identifier"),
    "remark": ([f"Came on day {i} and was well." for i in range(ROWS)], "text", "identifier"),
    "age": ([str(i % 90) for i in range(ROWS)], "number", "quasi bands=5,10,20"),
    "children": ([str(i % 4) for i in range(ROWS)], "number", "quasi suppress"),
    "born": ([day.isoformat() for day in DAYS], "date", "quasi date=month,year,decade"),
    "geboren": ([f"{day:%d.%m.%Y}" for day in DAYS], "date", "quasi date(%d.%m.%Y)=month,year,decade"),
    "visit": ([f"{day:%m/%d/%Y}" for day in DAYS], "date", "quasi date(%m/%d/%Y)=month,year,decade"),
    "seen": ([f"2024-{1 + i % 12:02}-03 12:30:00" for i in range(ROWS)], "date", "quasi date=month,quarter,year"),
    "dob": ([f"{day:%Y%m%d}" for day in DAYS], "date", "quasi date(%Y%m%d)=month,year,decade"),
    "zip": ([f"0{1000 + 37 * i % 8000}" for i in range(ROWS)], "code", "quasi prefix"),
    "plz": ([str(10_000 + 11 * (i % 100)) for i in range(ROWS)], "code", "quasi prefix"),
    "insured": ([f"{'ABCD'[i % 4]}{i % 12:02}-{i % 9:04}" for i in range(ROWS)], "code", "quasi prefix=6,4,2"),
    "ward": ([f"ward {i % 20}" for i in range(ROWS)], "category", "quasi suppress"),
    "sex": (["f", "m"] * (ROWS // 2), "category", "quasi suppress"),
    "smoker": (["0", "1"] * (ROWS // 2), "category", "quasi suppress"),
    "rent": ([f"{300 + 7 * (i % 97)}.50" for i in range(ROWS)], "number", "quasi bands=50,100,200"),
    "debts": ([str(i % 50) if i else "9000000" for i in range(ROWS)], "number", "quasi groups=16,4"),
    "hours": ([str(i % 60) if i % 50 else "unknown" for i in range(ROWS)], "number", "quasi suppress"),
    "diagnosis": (["Flu", "Cold", "Cough", "Flu"] * (ROWS // 4), "category", "sensitive equal"),
    "icd10": ([f"{'ABC'[i % 3]}{i % 11:02}.{i % 3}" for i in range(ROWS)], "code", "sensitive equal"),
    "salary": ([str(20_000 + 13 * i) for i in range(ROWS)], "number", "sensitive numeric"),
    "score": ([str(i % 5) for i in range(ROWS)], "number", "sensitive ordered"),
    "country_of_study": (["DE"] * ROWS, "constant", "keep"),
    "empty": ([None] * ROWS, "constant", "keep"),
    "blank": (["", " ", None, ""] * (ROWS // 4), "constant", "keep"),
    "pregnant": (["yes", None] * (ROWS // 2), "category", "sensitive equal"),
    "member": (["yes", None] * (ROWS // 2), "category", "quasi suppress"),
    "age_class": (["old", "young"] * (ROWS // 2), "category", "quasi suppress"),
}  # fmt: skip


@pytest.fixture(scope="module")
def profile() -> kilt.Profile:
    return kilt.inspect(pl.DataFrame({name: cells for name, (cells, _, _) in COLUMNS.items()}))


@pytest.mark.parametrize("name", COLUMNS)
def test_typical_columns(profile, name):
    column = next(column for column in profile.columns if column.name == name)
    proposal = column.proposal
    words = [proposal.role, proposal.ladder, proposal.space]
    assert (column.kind, " ".join(word for word in words if word)) == COLUMNS[name][1:]
    assert proposal.reason


def test_a_few_values_that_do_not_fit_are_named(profile):
    hours = next(column for column in profile.columns if column.name == "hours")
    assert "1 value is not a number" in hours.proposal.reason


def test_sensitive_columns_that_single_out_rows_are_warned_of(profile):
    salary = next(column for column in profile.columns if column.name == "salary")
    assert "100% of the rows are unique in it alone, and it is released as it is" in salary.proposal.reason


def test_a_decimal_comma_is_found_and_proposed():
    cells = [f"{i % 50},5" for i in range(100)]
    profile = kilt.inspect(pl.DataFrame({"age": cells}))
    assert profile.settings == {"decimal": ","}
    assert profile.columns[0].proposal.ladder == "bands=2,4,8"
    assert 'decimal = ","' in profile.config()
    mixed = kilt.inspect(pl.DataFrame({"age": cells, "rent": [cell.replace(",", ".") for cell in cells]}))
    assert mixed.settings == {}
    with pytest.raises(kilt.InputError, match="'decimal' must be a point or a comma"):
        kilt.inspect(pl.DataFrame({"age": cells}), decimal=";")


def test_a_mark_is_proposed_where_the_usual_one_is_taken():
    frame = pl.DataFrame({"zip": ["0213*", "02139"] * 9, "age": [1, 2, None] * 6, "sex": ["f", "*"] * 9})
    assert [column.proposal.mark for column in kilt.inspect(frame).columns] == ["?", "*", "?"]


@given(st.from_regex(NUMBER["."], fullmatch=True))
@examples(100)
def test_what_looks_like_a_number_can_be_read_as_one(text):
    assert isinstance(read_number(text), Fraction)
    assert isinstance(read_number(text.replace(".", ","), ","), Fraction)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=7), st.sampled_from(["equal", "ordered", "numeric"]))
@examples(60)
def test_what_is_possible_is_what_the_table_as_one_group_meets(counts, space):
    domain = Domain("v", [str(3 * i * i) for i in range(len(counts))], np.array(counts))
    found = possible_on(domain, space)
    rows, largest = sum(counts), max(counts)
    assert found.l["frequency"] == Fraction(rows, largest)
    assert found.l["distinct"] == len(counts)
    ground = parse_space(space).on(domain.values, "v")
    work, whole = work_of(np.eye(len(counts), dtype=np.int64), domain.counts, ground)
    assert found.farthest == max(Fraction(int(w), int(a)) for w, a in zip(work, whole, strict=True))
