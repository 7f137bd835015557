"""Columns of every type of DuckDB's: counted, released, verified and written by what their cells look like."""

from __future__ import annotations

import re
from collections import Counter

import duckdb
import pytest

import kilt
from kilt.sources.registry import open_source

POLICY = kilt.Policy(k=2)
KINDS = {
    "float": "['0', '-0', 'nan', '-nan', 'inf', '1e20', '1e-7', '0.1', NULL]::DOUBLE[]",
    "single": "['0.1', '-0', 'nan', '16777217', NULL]::FLOAT[]",
    "decimal": "[1.5, 1.50, -0.01, 99999999.99, NULL]::DECIMAL(10,2)[]",
    "truth": "[true, false, NULL]",
    "day": "['2024-02-29', 'infinity', '0044-03-15 (BC)', NULL]::DATE[]",
    "moment": "['2024-01-01 12:00:00.000001', '2024-01-01 12:00:00', NULL]::TIMESTAMP[]",
    "zoned": "['2024-03-31 02:30:00+01', '2024-03-31 01:30:00+00', '2024-10-27 02:30:00+02', NULL]::TIMESTAMPTZ[]",
    "time": "['12:00:00', '23:59:59.999999', NULL]::TIME[]",
    "span": "['1 month', '30 days', NULL]::INTERVAL[]",
    "id": "['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', NULL]::UUID[]",
    "bytes": "['\\xAA\\x00'::BLOB, 'a'::BLOB, NULL]",
    "text": "['', 'a', 'A', ' a', 'a ', 'ä', 'a\u0308', 'NULL', '\\N', 'x''y\"z', NULL]",
    "folded": "['a', 'A', NULL]",
    "choice": "['y', 'x', NULL]::ENUM('x', 'y', 'unseen')[]",
}
ROWS = 60


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    """A table with a column of every type, written by somebody in Tokyo, and the texts of its cells in UTC."""
    path = tmp_path_factory.mktemp("kinds") / "given.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("SET TimeZone = 'Asia/Tokyo'")
        columns = [
            f'({cells})[1 + (x * {3 + i} // 7) % len({cells})] AS "{name}"'
            for i, (name, cells) in enumerate(KINDS.items())
        ]
        connection.execute(
            f"CREATE TABLE given AS SELECT {', '.join(columns)}, x AS o, x % 3 AS s FROM range({ROWS}) t(x)"
        )
        connection.execute("ALTER TABLE given ALTER folded TYPE VARCHAR COLLATE NOCASE")
    return path


def texts_of(path, table):
    """Return the cells of a table as text, by the number of their row."""
    with duckdb.connect(str(path), read_only=True) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        chosen = ", ".join(f'CAST("{name}" AS VARCHAR)' for name in KINDS)
        return {row[0]: row[1:] for row in connection.execute(f"SELECT o, {chosen} FROM {table}").fetchall()}


def test_cells_are_one_value_exactly_if_they_look_the_same(database):
    source = open_source(f"{database}?table=given")
    for place, name in enumerate(KINDS):
        texts = [cells[place] for cells in texts_of(database, "given").values()]
        assert sorted(source.tally([name], []).sizes.tolist()) == sorted(Counter(texts).values())
        assert len(set(texts)) > 1


@pytest.mark.parametrize("mark", ["indicator", "#"])
def test_columns_of_all_types_are_released_as_they_were(database, tmp_path, mark):
    """Whatever is written, the verifier reads it back and finds nothing changed; here we look ourselves."""
    quasi = ["float", "zoned", "folded", "choice", "decimal"] if mark == "#" else ["single", "moment", "bytes", "truth"]
    roles = {"quasi": quasi, "sensitive": "s", "mark": dict.fromkeys(quasi, mark), "policy": kilt.Policy(k=4)}
    keep = [name for name in (*KINDS, "o") if name not in quasi]
    found = set()
    for output in (f"{database}?table=released", tmp_path / "out.csv", tmp_path / "out.parquet"):
        release = kilt.anonymize(f"{database}?table=given", **roles, keep=keep, solver="mondrian", output=output)
        assert kilt.verify(output, **roles).met
        found.add((release.stars, len(release.groups)))
    assert len(found) == 1
    given, released = texts_of(database, "given"), texts_of(database, "released")
    assert given.keys() == released.keys()
    changed = Counter(
        name
        for o, cells in given.items()
        for name, was, now in zip(KINDS, cells, released[o], strict=True)
        if was != now
    )
    assert set(changed) <= set(quasi)
    assert 0 < sum(changed.values()) <= release.stars
    with duckdb.connect(str(database), read_only=True) as connection:
        kinds = dict(connection.execute("SELECT column_name, column_type FROM (DESCRIBE released)").fetchall())
    assert "unseen" not in kinds["choice"]  # the type of an ENUM would name what is hidden
    assert kinds["decimal"] == ("VARCHAR" if mark == "#" else "DECIMAL(10,2)")


@pytest.mark.parametrize("cell", ["x::HUGEINT", "'12:00:00+01'::TIMETZ"])
def test_what_parquet_cannot_hold_is_refused(cell, tmp_path):
    relation = duckdb.sql(f"SELECT x % 2 AS q, {cell} AS o FROM range(4) t(x)")
    with pytest.raises(kilt.InputError, match="a Parquet file cannot hold 'o'"):
        kilt.anonymize(relation, quasi="q", keep="o", policy=POLICY, output=tmp_path / "out.parquet")
    kilt.anonymize(relation, quasi="q", keep="o", policy=POLICY, output=tmp_path / "out.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


@pytest.mark.parametrize(
    ("cell", "kind", "what"),
    [("{'a': [1]}", "STRUCT", "structs"), ("[1, 2]::INTEGER[2]", "INTEGER[2]", "lists")],
)
def test_a_column_of_nested_values_is_refused_by_name_unless_it_is_dropped(cell, kind, what):
    relation = duckdb.sql(f"SELECT {cell} AS tags, x % 2 AS q FROM range(4) t(x)")
    for roles in ({"quasi": "q,tags"}, {"quasi": "q", "keep": "tags"}, {"quasi": "q"}):
        with pytest.raises(
            kilt.InputError, match=f"'tags' has the type {re.escape(kind)}, which kilt does not compare"
        ):
            kilt.anonymize(relation, **roles, policy=POLICY)
    with pytest.raises(kilt.InputError, match=f"'tags' holds {what}, which are not single values"):
        kilt.verify(relation, quasi="q", sensitive="tags")
    assert kilt.anonymize(relation, quasi="q", identifier="tags", policy=POLICY).frame.columns == ["q"]
