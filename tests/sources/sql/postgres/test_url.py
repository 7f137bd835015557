"""URLs of PostgreSQL: what is read, and what is never shown."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilt.errors import InputError
from kilt.sources.sql.names import TableName
from kilt.sources.sql.postgres.url import PostgresUrl, holds_password, is_postgres_url, shown_location
from support.profiles import examples

NAMES = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1, max_size=8)


@pytest.mark.parametrize(
    ("text", "schema", "name"),
    [
        ("patients", None, "patients"),
        ("ward.patients", "ward", "patients"),
        ('"a.b"."c""d"', "a.b", 'c"d'),
        ('ward."Patients 2024"', "ward", "Patients 2024"),
    ],
)
def test_names_of_tables(text, schema, name):
    assert TableName.parse(text) == TableName(name, schema)


@pytest.mark.parametrize("text", ["", "a.", ".a", "a.b.c", '"a', 'a"b', '"a"b'])
def test_what_is_no_name_is_refused(text):
    with pytest.raises(InputError, match="is not the name of a table"):
        TableName.parse(text)


@given(NAMES, st.none() | NAMES)
@examples(100)
def test_a_quoted_name_is_read_as_it_is(name, schema):
    assert TableName.parse(TableName(name, schema).sql) == TableName(name, schema)


@given(user=NAMES, password=NAMES, table=NAMES)
@examples(200)
def test_the_driver_gets_the_password_and_nobody_else(user, password, table):
    user, secret = quote(user, safe=""), quote(password, safe="")
    url = PostgresUrl.parse(
        f"postgresql://{user}:{secret}@h:5432/db?sslmode=require&password={secret}&table={quote(TableName(table).sql)}"
    )
    assert url.uri == f"postgresql://{user}:{secret}@h:5432/db?sslmode=require&password={secret}"
    assert url.table == TableName(table)
    assert url.holds_password
    assert url.shown.startswith(f"postgresql://{user}@h:5432/db?table=")
    assert PostgresUrl.parse(url.shown).table == url.table
    assert f":{secret}@" not in url.shown
    assert f"={secret}&" not in url.shown


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://ann:p@zz-w0rd@host/db?table=t",
        "postgresql://ann:pazz/w0rd@host/db?table=t",
        "postgresql://ann:pazz?w0rd@host/db?table=t",
        "postgresql://ann:pazz w0rd@host/db?table=t",
        "postgresql://ann:pazz%w0rd@host/db?table=t",
        "postgresql://ann:w0rd:w0[rd@ho:st/db?table=t",
    ],
)
def test_a_url_that_is_not_understood_is_not_shown(text):
    with pytest.raises(InputError) as caught:
        shown_location(text)
    assert "w0rd" not in str(caught.value)
    assert "PostgreSQL URL" in str(caught.value)


def test_what_a_url_says():
    url = PostgresUrl.parse("postgres:///db?host=/tmp/socket&table=a.b")
    assert url.uri == "postgresql:///db?host=/tmp/socket"
    assert url.shown == "postgresql:///db?host=/tmp/socket&table=a.b"
    assert not holds_password("postgresql://ann@host/db")
    assert holds_password("postgresql://ann:x@host/db")
    assert holds_password("POSTGRESQL://host/db?password=x")
    assert not is_postgres_url("patients.csv")
    assert "x-secret" not in repr(PostgresUrl.parse("postgresql://ann:x-secret@host/db?password=x-secret"))


def test_a_query_stands_in_place_of_a_table():
    asked = PostgresUrl.parse("postgresql:///db").with_query("SELECT 1")
    assert asked.query == "SELECT 1"
    with pytest.raises(InputError, match="leave one of them out"):
        PostgresUrl.parse("postgresql:///db?table=t").with_query("SELECT 1")
    assert PostgresUrl.parse("postgresql:///db?query=SELECT%201").query == "SELECT 1"
    with pytest.raises(InputError, match="not by both"):
        PostgresUrl.parse("postgresql:///db?query=SELECT%201&table=t")
