"""Reading files into DuckDB: their header, and what can be wrong with them.

DuckDB's reader forgives a few things that would lose something: empty cells too many at the end
of a line, spaces around a quoted cell, a compressed file that breaks off. Therefore the bytes of
a CSV file are counted separately, and a table whose cells do not account for them is refused.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb

from kilt.encodings import BOMS, UTF_8, decoded
from kilt.errors import InputError
from kilt.numbers import pluralize
from kilt.sources.duck.connection import Database
from kilt.sources.file_format import FileFormat, FileStyle, quoted
from kilt.sources.sql.names import sql_name
from kilt.sources.text_files import CHUNK, byte_chunks, plain_copy, written_copy
from kilt.sources.workbook import csv_lines, read_sheet

DELIMITERS = ",;\t|"
BOM = BOMS[UTF_8]
LONGEST_LINE = 64_000_000
MOST_BUFFER = 4_000_000_000
NEVER = "\x01\x02"  # a text that no cell is


def load(database: Database, form: FileFormat, table: str) -> tuple[list[str], FileStyle]:
    """Load a file into a table with columns c0, c1, ...; return the user's column names and how the file is written."""
    with _reading(form):
        if form.is_standard:
            return _load_copy(database, form, table)
        if not form.path.exists():
            raise InputError(f"the file '{form.path}' does not exist")
        if form.path.is_dir():
            raise InputError(f"'{form.path}' is a folder: give --engine spark to read it as Parquet, or name a file")
        if not form.path.is_file():
            raise InputError(f"'{form.path}' is not a file")
        if not form.path.stat().st_size:
            raise InputError(f"the file '{form.path}' is empty")
        if form.kind == "parquet":
            return _load_parquet(database, form, table), form.style
        if form.kind == "excel":
            return _load_sheet(database, form, table)
        return (_load_csv if form.style.encoding in (None, UTF_8) else _load_copy)(database, form, table)


def _load_copy(database: Database, form: FileFormat, table: str) -> tuple[list[str], FileStyle]:
    """Load what DuckDB cannot read itself, standard input or another encoding, from a plain copy in UTF-8."""
    with plain_copy(form) as copy, _reading(copy):
        if not copy.path.stat().st_size:
            raise InputError(f"{form.shown} is empty")
        names, style = _load_csv(database, copy, table)
    return names, replace(copy.style, delimiter=style.delimiter)


def _load_sheet(database: Database, form: FileFormat, table: str) -> tuple[list[str], FileStyle]:
    """Load a sheet of a workbook, from a plain copy of its cells."""
    sheet = read_sheet(form.path, form.style.sheet, form.shown)
    with written_copy(form, csv_lines(sheet.rows)) as copy:
        names, _ = _load_csv(database, copy, table)
    return names, replace(form.style, sheet=sheet.name, kinds=tuple(sheet.kinds.items()))


def _load_parquet(database: Database, form: FileFormat, table: str) -> list[str]:
    reader = f"read_parquet({_literal(form.path)}, hive_partitioning=false)"
    kinds = database.kinds(f"SELECT * FROM {reader}")
    check_names(list(kinds), form.shown)
    chosen = ", ".join(f"{sql_name(name)} AS c{i}" for i, name in enumerate(kinds))
    database.create(table, f"SELECT {chosen} FROM {reader}")
    return list(kinds)


@dataclass(frozen=True)
class ByteCount:
    """The bytes of a file: how many there are, and how many are quotes or ends of lines."""

    size: int
    quotes: int
    ends: int
    head: bytes

    @classmethod
    def of(cls, form: FileFormat) -> ByteCount:
        """Count the bytes, decompressed; a compressed file that is damaged shows here, and what is not UTF-8."""
        size = quotes = ends = 0
        head = b""

        def counted() -> Iterator[bytes]:
            nonlocal size, quotes, ends, head
            for chunk in byte_chunks(form):
                head = head or chunk[:CHUNK]
                size += len(chunk)
                quotes += chunk.count(b'"')
                ends += chunk.count(b"\n") + chunk.count(b"\r")
                yield chunk

        for _ in decoded(counted(), None, form.shown):
            pass
        return cls(size, quotes, ends, head)

    @property
    def plain(self) -> int:
        """The bytes that are neither quotes nor ends of lines: they are all in cells, or are delimiters."""
        return self.size - self.quotes - self.ends - (len(BOM) if self.head.startswith(BOM) else 0)


def _load_csv(database: Database, form: FileFormat, table: str) -> tuple[list[str], FileStyle]:
    census = ByteCount.of(form)
    names, delimiter = _header(census, form)
    check_names(names, form.shown)
    reader = _reader(form, census, len(names), delimiter)
    database.create(table, f"SELECT * FROM {reader('')} OFFSET 1")
    if _plain_bytes(database, table, names, census, delimiter) != census.plain:
        database.rows(f"SELECT count(*) FROM {reader(NEVER)}")  # names the line, if cells are too many
        raise InputError(
            f"{form.shown} cannot be read without loss: there are spaces around a quoted cell, or it is damaged"
        )
    return names, replace(form.style, delimiter=delimiter, encoding=UTF_8, bom=census.head.startswith(BOM))


def _reader(form: FileFormat, census: ByteCount, width: int, delimiter: str) -> Callable[[str], str]:
    """Return the call of read_csv, given the text that stands for null."""
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(width))
    longest, buffer = LONGEST_LINE, ""
    if census.quotes and census.size < MOST_BUFFER:  # a quoted end of line must not fall between two buffers
        longest = max(census.size, 1000)
        buffer = f", buffer_size={longest + 1000}"
    call = (
        f"read_csv({_literal(form.path)}, columns={{{columns}}}, auto_detect=false, header=false, skip=0, "
        f"delim={quoted(delimiter)}, quote='\"', escape='\"', comment='', allow_quoted_nulls=false, strict_mode=true, "
        f"null_padding=false, ignore_errors=false, hive_partitioning=false, encoding='utf-8', "
        f"compression='{form.compression}', max_line_size={longest}{buffer}"
    )
    return lambda null: f"{call}, nullstr={quoted(null)})"


def _plain_bytes(database: Database, table: str, names: list[str], census: ByteCount, delimiter: str) -> int:
    """Count in the table what `ByteCount.plain` counts in the file."""
    cells = [f"c{i}" for i in range(len(names))]
    if census.quotes:
        cells = [f"replace(replace(replace({cell}, '\"', ''), chr(10), ''), chr(13), '')" for cell in cells]
    total = " + ".join(f"coalesce(sum(strlen({cell})), 0)" for cell in cells)
    count, size = database.rows(f"SELECT count(*), {total} FROM {table}")[0]
    header = sum(len(re.sub(r'["\r\n]', "", name).encode()) for name in names)
    return int(size) + header + (int(count) + 1) * (len(names) - 1) * len(delimiter.encode())


def _header(census: ByteCount, form: FileFormat) -> tuple[list[str], str]:
    """Return the cells of the first record and the delimiter: the one that finds most cells, unless it is given."""
    text = census.head.removeprefix(BOM).decode("utf-8", errors="replace")
    if not text.strip():
        raise InputError(f"{form.shown_as_file} has no header")
    csv.field_size_limit(CHUNK)
    lines = text.lstrip("\r\n").splitlines(keepends=True)
    headers = {d: next(csv.reader(lines, delimiter=d)) for d in form.style.delimiter or DELIMITERS}
    delimiter = max(headers, key=lambda d: len(headers[d]))
    return headers[delimiter], delimiter


def check_names(names: list[str], shown: str) -> None:
    """Raise if a column has no name, or one that is like another's."""
    if any(not name.strip() for name in names):
        raise InputError(f"the header of {shown} has a column without a name: give every column one")
    seen: dict[str, int] = {}
    for place, name in enumerate(names):
        first = seen.setdefault(name.lower(), place)
        if first != place:
            how = "occurs twice" if names[first] == name else f"differs from '{names[first]}' only in case"
            raise InputError(f"the column name '{name}' of {shown} {how}: every column needs its own")


def _literal(path: Path) -> str:
    """Write a path for SQL so that no character of it is a wildcard."""
    return quoted(re.sub(r"([*?\[])", r"[\1]", str(path.absolute())))


@contextmanager
def _reading(form: FileFormat) -> Iterator[None]:
    """Say in one sentence what is wrong with a file; DuckDB's own words would show cells."""
    try:
        yield
    except duckdb.Error as error:
        raise InputError(_explained(str(error), form.shown)) from None
    except PermissionError:
        raise InputError(f"{form.shown_as_file} may not be read") from None
    except (OSError, EOFError, ValueError) as error:
        raise InputError(f"{form.shown_as_file} is damaged or cannot be read ({type(error).__name__})") from None
    except Exception as error:
        if type(error).__name__ == "ZstdError":
            raise InputError(f"{form.shown_as_file} is damaged: it cannot be decompressed") from None
        raise


def _explained(message: str, shown: str) -> str:
    found = re.match(r"[^\n]*?CSV Error on Line: (\d+)\n", message)
    where = f"line {found.group(1)} of {shown}" if found else shown
    cells = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message)
    if cells:
        return f"{where} has {pluralize(int(cells.group(2)), 'cell')} where the header has {cells.group(1)}"
    reasons = {
        "unicode": f"{where} is not valid UTF-8: save the file as UTF-8",
        "unterminated quote": f"{where} has a quote that is not closed, or text after a closing quote",
        "Maximum line size": f"{where} is longer than {LONGEST_LINE // 10**6} MB",
        "invalid state": f"{where} is not regular CSV: probably its lines end in different ways",
        "No space left": f"there is no space left for the rows of {where}",
        "Out of Memory": f"there is not enough memory for the rows of {where}",
    }
    for sign, sentence in reasons.items():
        if sign.lower() in message.lower():
            return sentence
    return f"{where} cannot be read as {'Parquet' if 'arquet' in message else 'a table'}"
