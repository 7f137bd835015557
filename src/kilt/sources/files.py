"""Reading files into DuckDB: which format they have, their header, and what can be wrong with them."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from kilt.errors import InputError
from kilt.sources.formats import FileFormat, quoted

DELIMITERS = ",;\t|"
LONGEST_LINE = 64_000_000


def load(connection: duckdb.DuckDBPyConnection, form: FileFormat, table: str) -> tuple[list[str], str | None]:
    """Load a file into a table with columns c0, c1, ...; return the user's column names and the delimiter."""
    if not form.path.exists():
        raise InputError(f"the file '{form.path}' does not exist")
    if not form.path.is_file():
        raise InputError(f"'{form.path}' is not a file")
    if not form.path.stat().st_size:
        raise InputError(f"the file '{form.path}' is empty")
    with _reading(form.path):
        if form.kind == "parquet":
            return _load_parquet(connection, form, table), None
        return _load_csv(connection, form, table)


def _load_parquet(connection: duckdb.DuckDBPyConnection, form: FileFormat, table: str) -> list[str]:
    reader = f"read_parquet({_literal(form.path)})"
    names = [str(row[0]) for row in connection.execute(f"DESCRIBE SELECT * FROM {reader}").fetchall()]
    _check_names(names, form.path)
    chosen = ", ".join(f'"{name.replace(chr(34), chr(34) * 2)}" AS c{i}' for i, name in enumerate(names))
    connection.execute(f"CREATE TABLE {table} AS SELECT {chosen} FROM {reader}")
    return names


def _load_csv(connection: duckdb.DuckDBPyConnection, form: FileFormat, table: str) -> tuple[list[str], str]:
    names, delimiter = _header(connection, form)
    _check_names(names, form.path)
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(names)))
    connection.execute(
        f"CREATE TABLE {table} AS SELECT * FROM read_csv({_literal(form.path)}, columns={{{columns}}}, skip=1, "
        f"delim={quoted(delimiter)}, quote='\"', escape='\"', nullstr='', allow_quoted_nulls=false, "
        f"strict_mode=true, null_padding=false, ignore_errors=false, {_plain_lines(form)})"
    )
    return names, delimiter


def _header(connection: duckdb.DuckDBPyConnection, form: FileFormat) -> tuple[list[str], str]:
    """Return the cells of the first record and the delimiter: the one that finds most cells, unless it is given."""
    lines = connection.execute(
        f"SELECT line FROM read_csv({_literal(form.path)}, columns={{'line': 'VARCHAR'}}, delim='\x01', quote='', "
        f"escape='', nullstr='\x02', strict_mode=false, {_plain_lines(form)}) LIMIT 100"
    ).fetchall()
    text = "\n".join("" if line is None else line for (line,) in lines).lstrip("\ufeff")
    if not text.strip():
        raise InputError(f"the file '{form.path}' has no header")
    headers = {d: next(csv.reader(text.splitlines(keepends=True), delimiter=d)) for d in form.delimiter or DELIMITERS}
    delimiter = max(headers, key=lambda d: len(headers[d]))
    return headers[delimiter], delimiter


def _plain_lines(form: FileFormat) -> str:
    return (
        f"auto_detect=false, header=false, comment='', max_line_size={LONGEST_LINE}, compression='{form.compression}'"
    )


def _check_names(names: list[str], path: Path) -> None:
    if any(not name.strip() for name in names):
        raise InputError(f"the header of '{path}' has a column without a name: give every column one")
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.lower(), name)
        if other is not name:
            how = "occurs twice" if other == name else f"differs from '{other}' only in case"
            raise InputError(f"the column name '{name}' of '{path}' {how}: every column needs its own")


def _literal(path: Path) -> str:
    """Write a path for SQL so that no character of it is a wildcard."""
    return quoted(re.sub(r"([*?\[])", r"[\1]", str(path)))


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Say in one sentence what is wrong with a file; DuckDB's own words would show cells."""
    try:
        yield
    except duckdb.Error as error:
        raise InputError(_explained(str(error), path)) from None


def _explained(message: str, path: Path) -> str:
    found = re.search(r"CSV Error on Line: (\d+)", message)
    where = f"line {found.group(1)} of '{path}'" if found else f"'{path}'"
    cells = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message)
    if cells:
        return f"{where} has {cells.group(2)} cells where the header has {cells.group(1)}"
    reasons = {
        "unicode": f"{where} is not valid UTF-8: save the file as UTF-8",
        "not utf-8": f"{where} is not valid UTF-8: save the file as UTF-8",
        "unterminated quote": f"{where} has a quote that is not closed",
        "Maximum line size": f"{where} is longer than {LONGEST_LINE // 10**6} MB",
        "invalid state": f"{where} is not regular CSV: lines end in different ways, or a quote stands inside a cell",
        "No space left": f"there is no space left for the rows of {where}",
        "Permission denied": f"{where} may not be read",
    }
    for sign, sentence in reasons.items():
        if sign.lower() in message.lower():
            return sentence
    return f"{where} cannot be read as {'Parquet' if 'arquet' in message else 'a table'}"
