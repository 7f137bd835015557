"""What columns are: identifying ones are found by their values, plain ones are left alone, at any size."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilt.model.detect import PARAMS, ColumnSample, called_name, detect, listed, note, refusal
from kilt.model.looks import is_email, is_file, is_iban, is_name, is_person, is_phone, is_sentence
from support.profiles import examples

EMAILS = ["ann@example.org", "b.cox+1@mail.example.co.uk", "write to eva@example.org please"]
PHONES = [
    "+49 30 1234567",
    "(555) 123-4567",
    "555-123-4567",
    "0171 1234567",
    "01711234567",
    "030/1234567",
    "100-10-1000",
    "123e4567-e89b-12d3-a456-426614174000",
]
IBANS = ["GB82 WEST 1234 5698 7654 32", "DE89370400440532013000", "CH93 0076 2011 6238 5295 7"]
FILES = ["scan_01.jpg", "/data/a b.PDF", "C:\\x\\letter.docx", "a.b.csv"]
PERSONS = ["Ann Smith", "Müller, Hans", "Ludwig van Beethoven", "Dr. Jane O'Neil", "J. R. Smith"]
SENTENCES = ["Patient is stable.", "Came in late; was sent home again", "Called.\nNo answer so far"]
PLAIN = [
    "", "a", "2020-01-31", "31.12.1999", "01/02/2020", "2020-01-01 10:00:00", "12345678", "20201231", "0.1234567",
    "1.234.567", "1 234 567", "-12.5", "02139", "02139-4307", "01310-100", "Married-civ-spouse", "12 @ noon", "3.5",
    "Diseases of the circulatory system", "DE89370400440532013001", "GB00WEST12345698765432", "A41.9", "e.g. this",
]  # fmt: skip


@pytest.mark.parametrize(
    ("looks", "values"),
    [
        (is_email, EMAILS),
        (is_phone, PHONES),
        (is_iban, IBANS),
        (is_file, FILES),
        (is_person, PERSONS),
        (is_name, PERSONS),
        (is_sentence, SENTENCES),
    ],
)
def test_values_are_recognised_by_their_looks(looks, values):
    assert [value for value in values if not looks(value)] == []
    assert looks is is_name or [value for value in PLAIN if looks(value)] == []


def kind(name: str, cells: list[str | None]) -> str:
    return detect(ColumnSample.of(name, Counter(cells))).kind


def test_patterns_identify_whatever_the_number_of_rows():
    assert kind("x", ["ann@example.org", "b", "b"]) == "e-mail"
    assert kind("x", [*PHONES, None, None]) == "phone"
    assert kind("x", IBANS) == "iban"
    assert kind("x", FILES) == "file"
    assert kind("contact", [*PHONES[:1], *EMAILS[:2], *["none"] * 1000]) == "e-mail"
    assert kind("x", [f"value {i}" for i in range(11)] * 9 + EMAILS[:1]) == "plain"  # less than a tenth of the values


def test_a_column_identifies_if_more_than_nine_in_ten_of_at_least_50_rows_differ():
    assert kind("n", [str(i) for i in range(49)]) == "plain"
    assert kind("n", [str(i) for i in range(50)]) == "unique"
    assert kind("n", [str(min(i, 89)) for i in range(100)]) == "plain"
    assert kind("n", [str(min(i, 90)) for i in range(100)]) == "unique"
    assert kind("n", [str(i) if i < 20 else None for i in range(100)]) == "unique"
    assert kind("n", [str(i) if i < 19 else None for i in range(100)]) == "plain"
    assert kind("n", [None] * 100) == "plain"
    found = detect(ColumnSample.of("n", Counter(str(min(i, 950)) for i in range(1000))))
    assert found.reason == "95.1% of its values differ"


def test_free_text_has_many_values():
    remarks = [f"Patient {i} is stable." for i in range(60)]
    assert kind("remark", remarks * 100) == "text"
    assert kind("remark", remarks[:3]) == "text"
    assert kind("answer", ["I agree with this.", "I do not agree with this."] * 100) == "plain"
    assert kind("remark", ["The survey was made in 2020."] * 100) == "plain"


def test_persons_are_known_by_the_name_of_the_column_or_by_their_number():
    assert kind("Name", ["Ann", "Bob", "Ann", "Bob"]) == "person"
    assert kind("patient_name", ["Ann Cox", "Bob Frey"] * 50) == "person"
    assert kind("name", ["4711", "4712"] * 50) == "plain"
    many = [f"{first}nn {last}er" for first in "ABCDEFGHIJ" for last in ("Frey", "Mey", "Bay", "Kay", "Lay")]
    assert kind("who", many * 10) == "person"
    assert kind("who", many * 21) == "plain"
    assert kind("place", ["New York", "Los Angeles", "San Diego"] * 30) == "plain"


@pytest.mark.parametrize("name", ["name", "Surname", "lastName", "patient_name", "name of the patient", "Vorname"])
def test_columns_that_are_called_a_name(name):
    assert called_name(name)


@pytest.mark.parametrize("name", ["drug_name", "country name", "patient", "fname2x", "file-name", "", "12"])
def test_columns_that_are_not_called_a_name(name):
    assert not called_name(name)


@given(st.lists(st.none() | st.text(max_size=8), max_size=40), st.integers(1, 12))
@examples(100)
def test_a_sample_has_the_counts_of_the_column_and_some_of_its_values(cells, most):
    found = ColumnSample.of("c", Counter(cells), most)
    filled = [cell for cell in cells if cell is not None]
    assert (found.rows, found.filled, found.distinct) == (len(cells), len(filled), len(set(filled)))
    assert len(found.values) == len(set(found.values)) <= most
    assert set(found.values) <= set(filled)
    assert bool(found.values) == bool(filled)
    assert len(found.values) == min(most, found.distinct)


@given(st.lists(st.text(max_size=30), max_size=30))
@examples(100)
def test_any_text_has_a_kind_and_no_cell_is_in_the_reason(cells):
    found = detect(ColumnSample.of("c", Counter(cells)))
    assert found.kind == "plain" or found.identifies
    assert not any(len(cell) > 8 and cell in found.reason for cell in cells)


def test_a_long_value_is_looked_at_only_in_part():
    long = "x" * 10 * PARAMS.characters + "@example.org"
    assert kind("c", [long, long + "y"]) == "plain"


def test_sentences_name_all_columns():
    email, ids = (
        detect(ColumnSample.of("mail", Counter(EMAILS))),
        detect(ColumnSample.of("id", Counter(map(str, range(99))))),
    )
    plain = [detect(ColumnSample.of(name, {"1": 2})) for name in ("a", "b", "c")]
    assert refusal(plain) is None
    assert note([email, ids]) is None
    assert refusal([email, *plain, ids]) == (
        "'mail' (looks like e-mail addresses) and 'id' (100% of its values differ) have no role and could identify "
        "persons: give each to --identifier (dropped), --quasi (blurred) or --keep (released as it is)"
    )
    assert note([email, *plain]) == (
        "'a', 'b' and 'c' have no role: they are released unchanged; --keep says that you want them so"
    )
    assert listed(["a"]) == "a"


def test_blank_cells_are_as_good_as_missing_ones():
    assert kind("x", [*([""] * 900), *([" "] * 900), *(str(i) for i in range(100))]) == "unique"
