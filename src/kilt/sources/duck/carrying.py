"""A release of another database, carried into DuckDB to be written to a file, and back to where its original is."""

from __future__ import annotations

from kilt.sources.duck.connection import Database
from kilt.sources.duck.table import DuckSource
from kilt.sources.file_format import FileFormat
from kilt.sources.sql.engine import fresh, listed
from kilt.sources.sql.table import SqlSource


def carried(released: SqlSource, *, typed: bool) -> DuckSource:
    """Bring a release into a database of DuckDB's, cells as text unless the file has types; its rows keep witnesses."""
    database, table = Database(), fresh("carried")
    cells = [released.file_cell(name) if typed else released.text(name) for name in released.columns]
    chosen = [f"{cell} AS c{i}" for i, cell in enumerate(cells)]
    chosen += [f"{each} AS w{i}" for i, each in enumerate(released.witness)]
    database.ingest(table, released.engine.arrow(f"SELECT {listed(chosen)} FROM {released.table}"))
    return DuckSource(database, table, released.columns, [f"w{i}" for i in range(len(released.witness))])


def carried_back(written: DuckSource, released: SqlSource) -> SqlSource:
    """Bring what was read from a file to where the release is from, so that it can be compared with the original."""
    table = fresh("written")
    cells = [f"c{i}" for i in range(len(written.columns))]
    released.engine.ingest(
        table, written.engine.arrow(f"SELECT {listed([*cells, *written.witness])} FROM {written.table}")
    )
    return released.derived(table, written.columns, written.witness)


def write(released: SqlSource, form: FileFormat) -> tuple[SqlSource, list[str]]:
    """Write a release to a file and read it back; return what was read, where the original is.

    Return also the columns whose cells a spreadsheet would take for formulas.
    """
    here = released if isinstance(released, DuckSource) else carried(released, typed=form.kind == "parquet")
    formulas = here.formula_columns() if form.kind == "csv" and not form.escapes else []
    here.write(form)
    written = here.beside(form)
    return written if isinstance(released, DuckSource) else carried_back(written, released), formulas
