"""PostgreSQL as an engine: texts that depend on nothing, bytes that decide, one snapshot."""

from __future__ import annotations

import signal
import threading
import time

import numpy as np
import pytest

from kilt.errors import InputError, KiltError
from kilt.sources.sql.postgres.connection import Postgres
from kilt.sources.sql.postgres.table import PostgresSource
from kilt.sources.sql.postgres.url import PostgresUrl

TEXTS = [  # type, as SQL has it, and the text
    ("float8", "'NaN'", "NaN"),
    ("float8", "'-0.0'", "-0"),
    ("float8", "1e20", "1e+20"),
    ("float8", "0.1::float8 + 0.2", "0.30000000000000004"),
    ("float4", "0.1", "0.1"),
    ("float8", "'-Infinity'", "-Infinity"),
    ("numeric", "1.50", "1.50"),
    ("numeric(30, 20)", "1.5", "1.50000000000000000000"),
    ("numeric", "1e20", "100000000000000000000"),
    ("numeric", "'NaN'", "NaN"),
    ("char(5)", "'ab'", "ab"),
    ("varchar(5)", "'ab  '", "ab  "),
    ('"char"', "'x'", "x"),
    ("name", "'n'", "n"),
    ("boolean", "true", "true"),
    ("date", "'2024-02-29'", "2024-02-29"),
    ("date", "'infinity'", "infinity"),
    ("timestamp", "'2024-02-29 12:00:00.5'", "2024-02-29 12:00:00.5"),
    ("timestamptz", "'2024-07-01 12:00+02'", "2024-07-01 10:00:00+00"),
    ("timetz", "'12:00+02'", "12:00:00+02"),
    ("interval", "'1 day 24 hours'", "1 day 24:00:00"),
    ("bytea", "'\\xdead'", "\\xdead"),
    ("uuid", "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
    ("money", "12.5", "$12.50"),
    ("bit(3)", "B'101'", "101"),
    ("inet", "'10.0.0.1'", "10.0.0.1/32"),
    ("bigint", "9223372036854775807", "9223372036854775807"),
    ("text", "E'a\\\\b\\n''\"'", "a\\b\n'\""),
    ("mood", "'sad'", "sad"),
    ("positive", "3", "3"),
]
REFUSED = {"int[]": "array", "pair": "composite", "json": "json", "jsonb": "jsonb", "int4range": "int4range"}
CELLS = {"int[]": "'{1,2}'", "pair": "ROW(1, 2)", "json": "'{}'", "jsonb": "'{}'", "int4range": "'[1,2)'"}
ODD = """
ALTER ROLE tester SET timezone = 'Pacific/Auckland'; ALTER ROLE tester SET datestyle = 'German, DMY';
ALTER ROLE tester SET intervalstyle = 'iso_8601'; ALTER ROLE tester SET extra_float_digits = -10;
ALTER ROLE tester SET bytea_output = 'escape'
"""


def opened(cluster, table: str) -> PostgresSource:
    return PostgresSource.open(PostgresUrl.parse(cluster.url(table)))


@pytest.fixture(scope="module")
def types(cluster):
    """Types of a user's own, and a session whose settings are odd."""
    cluster.run(
        "DROP TYPE IF EXISTS mood, small, pair CASCADE",
        "DROP COLLATION IF EXISTS careless CASCADE",
        "CREATE TYPE mood AS ENUM ('sad', 'glad')",
        "CREATE DOMAIN small AS int CHECK (VALUE < 9)",
        "CREATE DOMAIN positive AS small NOT NULL CHECK (VALUE > 0)",
        "CREATE TYPE pair AS (a int, b int)",
        "CREATE COLLATION careless (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
        *ODD.split(";"),
    )
    yield cluster
    cluster.run("ALTER ROLE tester RESET ALL")


def test_the_text_of_a_cell_depends_on_nothing(types):
    columns = ", ".join(f"c{i} {kind}" for i, (kind, _, _) in enumerate(TEXTS))
    cells = ", ".join(f"CAST({cell} AS {kind})" for kind, cell, _ in TEXTS)
    types.run("DROP TABLE IF EXISTS texts", f"CREATE TABLE texts ({columns})", f"INSERT INTO texts SELECT {cells}")
    source = opened(types, "texts")
    found = source.counted_rows(source.columns)
    assert found == [(tuple(text for _, _, text in TEXTS), 1)]


@pytest.mark.parametrize("kind", REFUSED)
def test_types_without_a_text_are_refused_by_name(types, kind):
    types.run("DROP TABLE IF EXISTS odd", f"CREATE TABLE odd (a text, strange {kind})")
    types.run(f"INSERT INTO odd VALUES ('x', {CELLS[kind]})")
    source = opened(types, "odd")
    with pytest.raises(InputError, match=rf"'strange' has the type {REFUSED[kind]}"):
        source.require_texts(source.columns)
    source.require_texts(["a"])


def test_what_a_collation_takes_for_the_same_is_not(types):
    types.run(
        "DROP TABLE IF EXISTS careless_words",
        "CREATE TABLE careless_words (word text COLLATE careless, n int)",
        "INSERT INTO careless_words SELECT unnest(ARRAY['Ann', 'ann', 'ANN', 'ann', 'ä', 'Z', NULL]), 1",
    )
    source = opened(types, "careless_words")
    counted = source.count(["word"], ["n"])
    assert counted.types.quasi == ([None, "ANN", "Ann", "Z", "ann", "ä"],)  # in the order of their bytes
    assert counted.types.counts.tolist() == [1, 1, 1, 1, 2, 1]
    assert source.domain("word").values == [None, "ANN", "Ann", "Z", "ann", "ä"]


def test_a_session_sees_one_snapshot_and_shows_nothing(cluster):
    cluster.run("DROP TABLE IF EXISTS moving", "CREATE TABLE moving AS SELECT generate_series(1, 3) AS a")
    source = opened(cluster, "moving")
    assert source.rows == 3
    source.engine.run("CREATE TABLE public.made_meanwhile AS SELECT 1 AS a")
    cluster.run("INSERT INTO moving VALUES (4)", "UPDATE moving SET a = a + 1")
    assert source.rows == 3
    assert sorted(source.counted_rows(["a"])) == [(("1",), 1), (("2",), 1), (("3",), 1)]
    assert cluster.rows("SELECT to_regclass('made_meanwhile')::text") == [(None,)]
    source.engine.close()
    assert cluster.rows("SELECT to_regclass('made_meanwhile')::text") == [(None,)]


def test_tables_of_the_run_come_back_as_they_were_made(cluster):
    engine = Postgres(PostgresUrl.parse(cluster.url()))
    texts = ["a", None, "", " x ", "é\n", "\\N"]
    engine.upload("kilt_up", {"n": np.arange(6), "b": np.arange(6) % 2 == 0, "s": texts})
    assert engine.rows("SELECT s FROM kilt_up ORDER BY n") == [(text,) for text in texts]
    assert engine.integers("SELECT n, b::int AS b FROM kilt_up ORDER BY n")["b"].tolist() == [1, 0, 1, 0, 1, 0]
    assert engine.kinds("kilt_up") == {"n": "bigint", "b": "boolean", "s": "text"}
    engine.create("kilt_same", f"SELECT count(*) AS n FROM kilt_up a JOIN kilt_up b ON {engine.same('a.s', 'b.s')}")
    assert engine.rows("SELECT n FROM kilt_same") == [(6,)]
    engine.drop("kilt_up", "kilt_same")
    engine.close()


def test_joins_on_row_types_are_hash_joins(cluster):
    engine = Postgres(PostgresUrl.parse(cluster.url()))
    engine.create("kilt_a", "SELECT ('v' || n % 100) COLLATE \"C\" AS k FROM generate_series(1, 5000) n")
    joined = f"EXPLAIN SELECT 1 FROM kilt_a a JOIN kilt_a b ON {engine.same('a.k', 'b.k')}".replace("'", "''")
    engine.run(
        "CREATE FUNCTION pg_temp.plan() RETURNS SETOF text LANGUAGE plpgsql AS "
        f"$$ BEGIN RETURN QUERY EXECUTE '{joined}'; END $$"
    )
    assert "Hash Join" in "\n".join(row[0] for row in engine.rows("SELECT pg_temp.plan()"))
    engine.close()


@pytest.fixture
def ctrl_c():
    """SIGINT as in a terminal; what runs in the background of a shell ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c")
def test_an_interrupted_statement_is_cancelled(cluster):
    engine = Postgres(PostgresUrl.parse(cluster.url()))
    main = threading.main_thread().ident
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(300)%' AND state = 'active'"

    def interrupt():
        while cluster.rows(f"{waiting} AND pid <> pg_backend_pid()") == [(0,)]:
            time.sleep(0.02)
        signal.pthread_kill(main, signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        engine.run("SELECT pg_sleep(300)")
    thread.join()
    assert time.monotonic() - started < 60
    until = time.monotonic() + 10
    while cluster.rows(f"{waiting} AND pid <> pg_backend_pid()") != [(0,)]:
        assert time.monotonic() < until
        time.sleep(0.05)
    engine.close()


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELECT 1; DROP TABLE texts", "not a SELECT that the database understands"),
        ("SELECT nothing FROM pg_class", "a column of the query does not exist"),
        ("SELECT * FROM no_such_table", "a table of the query does not exist"),
        ("SELECT 1 / 0 AS a", "a cell cannot be computed"),
        ("SELECT 'secret-cell'::int AS a", "a cell cannot be computed"),
        ("WITH gone AS (DELETE FROM texts RETURNING *) SELECT * FROM gone", "a SELECT that changes nothing"),
        ("SELECT 1 AS a WHERE false", "the query has no rows"),
    ],
)
def test_a_query_that_cannot_be_run_is_explained_without_a_cell(cluster, query, said):
    cluster.run("CREATE TABLE IF NOT EXISTS texts (a text)")
    with pytest.raises(KiltError, match=said) as caught:
        PostgresSource.open(PostgresUrl.parse(cluster.url()).with_query(query))
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_a_table_that_does_not_exist_is_named_with_those_that_are_like_it(cluster):
    cluster.run("DROP TABLE IF EXISTS wardrobe", "CREATE TABLE wardrobe (a int)")
    with pytest.raises(InputError, match=r"'wardrobes' does not exist in .*: did you mean 'wardrobe'"):
        opened(cluster, "wardrobes")
    with pytest.raises(InputError, match="the table 'wardrobe' has no rows"):
        opened(cluster, "wardrobe")
    with pytest.raises(InputError, match="names no table: write postgresql://"):
        PostgresSource.open(PostgresUrl.parse(cluster.url()))
    cluster.run("DROP SCHEMA IF EXISTS attic CASCADE", "CREATE SCHEMA attic", "CREATE TABLE attic.trunk (a int)")
    for name in ("trunk", "Trunk"):
        with pytest.raises(InputError, match=rf"'{name}' does not exist in .*: did you mean 'attic.trunk'"):
            opened(cluster, name)
