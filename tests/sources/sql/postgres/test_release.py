"""Releases of tables of PostgreSQL: those of DuckDB, cell by cell, wherever they are written to."""

from __future__ import annotations

import csv
from collections import Counter

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kilt
from kilt.model.marks import choose_marks
from kilt.model.partition import Partition
from kilt.sources.counted_table import TableDescription
from kilt.sources.duck.table import DuckSource
from kilt.sources.sql.names import sql_name
from kilt.sources.sql.postgres.table import PostgresSource
from kilt.sources.sql.postgres.url import PostgresUrl
from support.command import call
from support.profiles import examples

NASTY = ["", " ", "a", "A", "ä", "a ", "0", "00", "NULL", "\\N", "'; --", '"', "two\nlines", "tab\t", "★", "a,b"]
CELLS = st.none() | st.sampled_from(NASTY)
ROWS = st.lists(st.tuples(CELLS, CELLS, CELLS, CELLS), min_size=2, max_size=30)
COLUMNS = ["zip", 'the "age"', "note; -- x", "Note"]


def literal(cell: str | None) -> str:
    return "NULL" if cell is None else "'" + cell.replace("'", "''") + "'"


def fill(cluster, name: str, columns: list[str], rows, kind: str = "text") -> None:
    """Make a table of PostgreSQL."""
    named = ", ".join(f"{sql_name(column)} {kind}" for column in columns)
    values = ", ".join(f"({', '.join(map(literal, row))})" for row in rows)
    cluster.run(f"DROP TABLE IF EXISTS {sql_name(name)}", f"CREATE TABLE {sql_name(name)} ({named})")
    cluster.run(f"INSERT INTO {sql_name(name)} VALUES {values}")


def bag(cluster, name: str) -> Counter:
    columns = cluster.rows(
        f"SELECT attname::text FROM pg_attribute WHERE attrelid = '{name}'::regclass AND attnum > 0 ORDER BY attnum"
    )
    cells = ", ".join(f"CAST({sql_name(column)} AS text)" for (column,) in columns)
    return Counter(cluster.rows(f"SELECT {cells} FROM {name}"))


def table(cluster, name: str) -> PostgresSource:
    return PostgresSource.open(PostgresUrl.parse(cluster.url(name)))


def write_csv(path, columns, rows):
    quoted = [",".join("" if cell is None else '"' + cell.replace('"', '""') + '"' for cell in row) for row in rows]
    named = ",".join('"' + name.replace('"', '""') + '"' for name in columns)
    path.write_text("\n".join([named, *quoted]) + "\n", encoding="utf-8", newline="")


@given(rows=ROWS, data=st.data())
@examples(15)
def test_any_plan_gives_the_rows_that_duckdb_gives(cluster, tmp_path_factory, rows, data):
    columns = ["q1", "q2", "s", "other"]
    fill(cluster, "nasty", columns, rows)
    path = tmp_path_factory.mktemp("nasty") / "nasty.csv"
    write_csv(path, columns, rows)
    groups = data.draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))
    here, there = table(cluster, "nasty"), DuckSource.open(path)
    try:
        (ours, our_rows, our_tally), (theirs, their_rows, their_tally) = (
            released(source, groups) for source in (here, there)
        )
    finally:
        here.engine.close()
    assert (ours.quasi, ours.sensitive) == (theirs.quasi, theirs.sensitive)
    assert (ours.quasi_codes == theirs.quasi_codes).all()
    assert (ours.counts == theirs.counts).all()
    assert our_rows == their_rows
    assert (our_tally.sizes == their_tally.sizes).all()


def released(source, groups: list[int]):
    """Apply a plan with these groups, and compare the release with its original."""
    counted = TableDescription(source, quasi="q1,q2", sensitive="s", keep="other").count(kilt.Policy(k=1))
    marks = choose_marks(counted.types, counted.roles.quasi, {"q1": False, "q2": False}, "#?#", source.columns)
    made = counted.apply(counted.plan(split(counted, groups), marks), None)
    comparison = made.compare(source, [], ["q1", "q2"])
    assert comparison.rows == (len(groups), len(groups))
    assert not comparison.unmatched
    assert not any(comparison.changed.values())
    return counted.types, sorted(made.counted_rows(made.columns), key=repr), made.tally(["q1"], ["s"])


def split(counted, groups: list[int]) -> Partition:
    """Put the copies of every row type into groups as drawn, and blur what differs in a group."""
    types = np.repeat(np.arange(len(counted.problem.counts)), counted.problem.counts)
    return Partition.of(counted.problem, types, np.array(groups), np.ones(len(types), dtype=np.int64))


def test_the_same_table_has_the_same_release_in_both(cluster, tmp_path):
    rng = np.random.default_rng(3)
    rows = [tuple(None if x == 0 else NASTY[x] for x in row) for row in rng.integers(0, 9, (300, 4)).tolist()]
    fill(cluster, "same", COLUMNS, rows)
    path = tmp_path / "same.csv"
    columns = [*COLUMNS[:3], "Remark"]  # to DuckDB, names that differ in case are the same
    write_csv(path, columns, rows)
    asked = {"quasi": COLUMNS[:2], "sensitive": COLUMNS[2], "policy": kilt.Policy(k=4, l=2), "mark": "##"}
    there = kilt.anonymize(path, **asked, keep="Remark", iterations=500)
    for seed in (None, 5):
        here = kilt.anonymize(
            cluster.url("same"),
            **asked,
            keep="Note",
            iterations=500,
            output=cluster.url("same_release"),
            shuffle=seed is not None,
            seed=seed or 0,
        )
        assert here.stars == there.stars > 0
        assert here.verdict.to_dict() == there.verdict.to_dict()
        assert bag(cluster, "same_release") == Counter(there.frame.fetchall())
    verdict = kilt.verify(
        cluster.url("same_release"),
        quasi=COLUMNS[:2],
        sensitive=COLUMNS[2],
        policy=asked["policy"],
        original=cluster.url("same"),
        mark="##",
    )
    assert verdict.met
    assert verdict.fidelity.stars == here.stars


@pytest.mark.thorough
def test_a_million_rows_have_the_same_release_in_both(cluster, tmp_path):
    cells = "'z' || n % 97 AS zip, CASE WHEN n % 11 = 0 THEN NULL ELSE 'a' || n % 89 END AS age, 'd' || n % 5 AS d"
    cluster.run("DROP TABLE IF EXISTS many", f"CREATE TABLE many AS SELECT {cells} FROM generate_series(1, 1000000) n")
    write_csv(tmp_path / "many.csv", ["zip", "age", "d"], cluster.rows("SELECT zip, age, d FROM many"))
    asked = {"quasi": "zip,age", "sensitive": "d", "policy": kilt.Policy(k=200, l=2), "solver": "greedy"}
    there = kilt.anonymize(tmp_path / "many.csv", **asked)
    here = kilt.anonymize(cluster.url("many"), **asked, output=cluster.url("many_release"))
    assert here.stars == there.stars > 0
    assert bag(cluster, "many_release") == Counter(there.frame.fetchall())


TYPED = """
CREATE TABLE typed AS SELECT
    (20 + n % 4)::smallint AS age, ('0' || n % 3)::char(4) AS code, (n % 2 = 0) AS flag,
    (n % 5)::numeric(6, 2) AS rate, (n % 2)::float8 / 3 AS ratio, date '2024-01-01' + n % 3 AS day,
    timestamptz '2024-07-01 12:00+02' + (n % 2) * interval '1 day' AS seen, ('k' || n % 4)::varchar(9) AS word,
    n * interval '1 hour' AS spent, n AS visits, ('name ' || n) AS name
FROM generate_series(1, 60) n
"""
KINDS = [
    ("age", "smallint"),
    ("code", "text"),
    ("flag", "boolean"),
    ("rate", "numeric(6,2)"),
    ("ratio", "double precision"),
    ("day", "date"),
    ("seen", "timestamp with time zone"),
    ("word", "character varying(9)"),
    ("spent", "interval"),
    ("visits", "integer"),
]
TYPED_ASKED = {
    "quasi": "age,code,flag,rate,day",
    "sensitive": "word",
    "identifier": "name",
    "keep": "ratio,seen,spent,visits",
    "policy": kilt.Policy(k=6),
    "iterations": 300,
}


@pytest.fixture(scope="module")
def typed(cluster):
    cluster.run("DROP TABLE IF EXISTS typed", TYPED)
    return cluster


def test_columns_keep_their_names_their_order_and_their_types(typed):
    release = kilt.anonymize(typed.url("typed"), **TYPED_ASKED, output=typed.url("typed_release"))
    assert release.stars > 0
    assert (
        typed.rows(
            "SELECT attname::text, format_type(atttypid, atttypmod) FROM pg_attribute "
            "WHERE attrelid = 'typed_release'::regclass AND attnum > 0 ORDER BY attnum"
        )
        == KINDS
    )
    null, star = (f"count(*) FILTER (WHERE {test})" for test in ("age IS NULL", "code = '*'"))
    left = {name: 60 - round(60 * float(part.cells)) for name, part in release.left.items()}
    assert typed.rows(f"SELECT {null}, {star} FROM typed_release") == [(left["age"], left["code"])]
    assert release.frame.column_names == [name for name, _ in KINDS]


@pytest.mark.parametrize("name", ["out.csv", "out.parquet", "out.csv.gz"])
def test_a_release_is_written_to_files_too(typed, tmp_path, name):
    release = kilt.anonymize(typed.url("typed"), **TYPED_ASKED, output=tmp_path / name)
    wanted = kilt.anonymize(typed.url("typed"), **TYPED_ASKED, output=typed.url("typed_release"))
    if name == "out.parquet":
        assert release.stars == wanted.stars
        found = duckdb.read_parquet(str(tmp_path / name))
        kinds = dict(zip(found.columns, map(str, found.types), strict=True))
        assert (kinds["age"], kinds["day"], kinds["visits"]) == ("SMALLINT", "DATE", "INTEGER")
        assert kinds["rate"] == "VARCHAR"  # numbers of PostgreSQL can have more digits than those of a file
        ages = Counter(row[0] for row in found.select("age").fetchall())
        assert ages == Counter(row[0] for row in typed.rows("SELECT age FROM typed_release"))
    else:
        texts = duckdb.read_csv(str(tmp_path / name), all_varchar=True)
        spent = Counter(row[0] for row in texts.select("spent").fetchall())
        assert spent == Counter(row[0] for row in typed.rows("SELECT spent::text FROM typed_release"))
        assert "*" in {row[0] for row in texts.select("age").fetchall()}


@pytest.mark.parametrize("name", ["out.csv", "out.tsv", "out.parquet"])
def test_a_file_is_verified_with_the_table_that_it_is_a_release_of(typed, tmp_path, name):
    release = kilt.anonymize(
        typed.url("typed"), **TYPED_ASKED, output=tmp_path / name, certificate=tmp_path / "proof.json"
    )
    roles = {key: TYPED_ASKED[key] for key in ("quasi", "sensitive", "identifier", "policy")}
    given = {**roles, "original": typed.url("typed")}
    fidelity = kilt.verify(tmp_path / name, **given).fidelity
    assert (fidelity.problems, fidelity.stars) == ((), release.stars)
    proved = kilt.check(tmp_path / "proof.json", original=typed.url("typed"), release=tmp_path / name)
    assert proved.problems == ()
    forged = tmp_path / f"forged_{name}"
    if name == "out.parquet":
        rows = duckdb.read_parquet(str(tmp_path / name))
        rows.project("* REPLACE (-ratio AS ratio)").to_parquet(str(forged))
    else:
        forged.write_text((tmp_path / name).read_text().replace("k1", "k2", 1))
    assert kilt.verify(forged, **given).fidelity.problems != ()


def test_what_is_not_like_other_numbers_and_dates_comes_through(cluster, tmp_path):
    floats, moments = (
        "'NaN', '-0.0', '0.0', '1e20', '-Infinity'",
        "'infinity', '2024-01-01 00:00:00.000001', '0044-03-15 BC'",
    )
    cluster.run(
        "DROP TABLE IF EXISTS unusual",
        f"CREATE TABLE unusual AS SELECT n % 2 AS q, (ARRAY[{floats}])[1 + n % 5]::float8 AS x, "
        f"(ARRAY[{moments}])[1 + n % 3]::timestamp AS at, (ARRAY[{moments}])[1 + n % 3]::date AS day "
        "FROM generate_series(1, 30) n",
    )
    asked = {"quasi": "q", "keep": "x,at,day", "policy": kilt.Policy(k=2)}
    for output in (tmp_path / "out.parquet", tmp_path / "out.csv", cluster.url("unusual_release")):
        assert kilt.anonymize(cluster.url("unusual"), **asked, output=output).verdict.fidelity.problems == ()
    assert bag(cluster, "unusual_release") == bag(cluster, "unusual")


def test_null_and_the_empty_text_stay_apart_in_a_file(cluster, tmp_path):
    fill(cluster, "empties", ["q", "o"], [("", "1"), (None, "2"), ("", "3"), (None, "4")])
    kilt.anonymize(
        cluster.url("empties"), quasi="q", keep="o", policy=kilt.Policy(k=2), output=tmp_path / "out.csv", mark="#"
    )
    with (tmp_path / "out.csv").open(newline="") as file:
        assert sorted(csv.reader(file))[:-1] == [["", "1"], ["", "2"], ["", "3"], ["", "4"]]
    assert '"",1' in (tmp_path / "out.csv").read_text()
    assert "\n,2" in (tmp_path / "out.csv").read_text()


def test_views_queries_parts_and_schemas_are_read(cluster):
    cluster.run(
        "DROP SCHEMA IF EXISTS ward CASCADE",
        "CREATE SCHEMA ward",
        "CREATE TABLE ward.visits (age int, zip text) PARTITION BY LIST (age)",
        "CREATE TABLE ward.young PARTITION OF ward.visits FOR VALUES IN (20, 21)",
        "CREATE TABLE ward.old PARTITION OF ward.visits DEFAULT",
        "INSERT INTO ward.visits SELECT 20 + n % 4, 'z' || n % 2 FROM generate_series(1, 40) n",
        "CREATE VIEW ward.seen AS SELECT age, zip FROM ward.visits",
        "CREATE FOREIGN DATA WRAPPER nothing",
    )
    asked = {"quasi": "age,zip", "policy": kilt.Policy(k=11)}
    stars = set()
    for data, query in (
        (cluster.url("ward.visits"), None),
        (cluster.url("ward.seen"), None),
        (cluster.url(), "SELECT age, zip FROM ward.visits -- all of them"),
        (cluster.url(), "TABLE ward.visits;"),
        (cluster.url(query="SELECT * FROM ward.visits WHERE random() < 2"), None),
    ):
        release = kilt.anonymize(data, **asked, query=query, output=cluster.url('ward."the release"'))
        assert release.verdict.met
        stars.add(release.stars)
        assert len(bag(cluster, 'ward."the release"')) > 0
    assert len(stars) == 1
    cluster.run("DROP FOREIGN DATA WRAPPER nothing")


def test_an_indicator_is_a_column_of_truth_values(cluster):
    rows = [(None, "1"), ("x", "2"), ("y", "3"), ("z", "4")]
    fill(cluster, "flags", ["q", "o"], rows)
    kilt.anonymize(
        cluster.url("flags"),
        quasi="q",
        keep="o",
        policy=kilt.Policy(k=2),
        mark="q=indicator",
        output=cluster.url("flags_release"),
    )
    found = cluster.rows("SELECT q, o, q_hidden FROM flags_release ORDER BY o")
    assert [row[1:] for row in found] == [("1", True), ("2", True), ("3", True), ("4", True)]
    verdict = kilt.verify(cluster.url("flags_release"), quasi="q", policy=kilt.Policy(k=4))
    assert verdict.met


def test_all_commands_take_a_url(cluster, tmp_path):
    cluster.run("DROP TABLE IF EXISTS few")
    cluster.run("CREATE TABLE few AS SELECT n % 3 AS a, n % 2 AS b FROM generate_series(1, 12) n")
    config = tmp_path / "kilt.toml"
    config.write_text(
        f'input = "{cluster.url("few")}"\noutput = "{cluster.url("few_release")}"\nquasi = "a,b"\nk = 3\n'
    )
    for words, code in (
        (("anonymize", "--config", config, "--certificate", tmp_path / "proof.json"), 0),
        (("verify", "--config", config, "--original", cluster.url("few")), 0),
        (("verify", cluster.url("few"), "--config", config), 1),
        (("bound", "--config", config), 0),
        (("bound", cluster.url(), "--query", "SELECT a, b FROM few", "--quasi", "a,b", "-k", "3"), 0),
        (("check", tmp_path / "proof.json", "--original", cluster.url("few")), 0),
        (("compare", "--config", config, "--solvers", "mondrian,cover"), 0),
        (("frontier", cluster.url("few"), "--quasi", "a,b", "-k", "2,3"), 0),
        (("ladder", cluster.url("few"), "a:bands=2"), 0),
    ):
        done = call(*words)
        assert done.returncode == code, (words, done.stdout, done.stderr)
    done = call("bound", tmp_path / "kilt.toml", "--query", "SELECT 1", "--quasi", "a", "-k", "2")
    assert done.returncode == 2
    assert "'query' is for a database" in done.stderr
