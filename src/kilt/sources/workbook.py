"""Excel workbooks, through openpyxl: a sheet as rows of text, and a release as a new workbook with one sheet.

A cell is read as it was typed: 5 and not 5.0, a date as 2024-12-31, and a number whose format is all zeros (00000, for
zip codes) with its leading zeros. A column that holds numbers, dates or truth values alone is written as such again.
"""

from __future__ import annotations

import datetime
import re
import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kilt.errors import InputError, KiltError, nearest
from kilt.numbers import pluralize

Row = list[str | None]
NUMBER, DATE, TRUTH, TEXT = "number", "date", "truth", "text"
ZEROS = re.compile(r"0{2,}")
DATE_TEXT = re.compile(r"\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d)?")
MOST_WHOLE = 10**15  # Excel shows so many digits of a number
LOST_DATE = "outside the limits for dates"


@dataclass(frozen=True)
class Sheet:
    """A sheet: its name, its rows (the first has the names of columns), and the kinds of columns that are not text."""

    name: str
    rows: list[Row]
    kinds: dict[str, str]


def require_openpyxl(path: Path) -> None:
    """Raise if workbooks cannot be read or written here."""
    try:
        import openpyxl  # noqa: F401, PLC0415 - only where a workbook is read or written
    except ImportError:
        raise InputError(
            f"'{path}' is an Excel workbook, which needs openpyxl: pip install 'kilt[excel]', or use a CSV file"
        ) from None


def read_sheet(path: Path, sheet: str | None, shown: str) -> Sheet:
    """Read a sheet, the first unless one is named; rows without any cell are left out."""
    require_openpyxl(path)
    with _reading(shown):
        name, found = _scanned(path, sheet, shown)
        if found.formulas:  # read again for what they resulted in, as the program that saved the workbook stored it
            name, found = _scanned(path, name, shown, found.formulas)
    if found.without_result:
        raise InputError(
            f"the sheet '{name}' of {shown} has {pluralize(found.without_result, 'formula')} without a stored result: "
            "open the workbook in Excel and save it"
        )
    if not found.rows:
        raise InputError(f"the sheet '{name}' of {shown} is empty")
    width = max(map(len, found.rows))
    rows = [row + [None] * (width - len(row)) for row in found.rows]
    kinds = {str(column): found.kind(place) for place, column in enumerate(rows[0])}
    return Sheet(name, rows, {column: kind for column, kind in kinds.items() if kind != TEXT})


def _scanned(path: Path, sheet: str | None, shown: str, formulas: Collection[str] = ()) -> tuple[str, _Scan]:
    """Go through the cells of a sheet; where it has formulas, their results count and not they themselves."""
    with _workbook(path, data_only=bool(formulas)) as book:
        names = [each.title for each in book.worksheets]
        if sheet is not None and sheet not in names:
            raise InputError(f"'sheet' names '{sheet}', which is not a sheet of {shown}: {nearest(str(sheet), names)}")
        name = sheet if sheet is not None else names[0]
        book[name].reset_dimensions()  # what a sheet says of its size may be wrong
        scan = _Scan()
        for cells in book[name].iter_rows():
            scan.add(cells, formulas)
    return name, scan


@dataclass
class _Scan:
    """What was found in a sheet: its rows, the kinds of cells in each column, and which cells are formulas."""

    rows: list[Row] = field(default_factory=list)
    kinds: dict[int, set[str]] = field(default_factory=dict)
    formulas: set[str] = field(default_factory=set)
    without_result: int = 0

    def add(self, cells: Sequence[Any], formulas: Collection[str]) -> None:
        """Add a row, unless it is empty."""
        row: Row = []
        for place, cell in enumerate(cells):
            if cell.data_type == "f":
                self.formulas.add(cell.coordinate)
            elif formulas and cell.value is None and cell.data_type == "n":
                self.without_result += getattr(cell, "coordinate", None) in formulas
            text, kind = _read(cell)
            row.append(text)
            if text is not None and self.rows:
                self.kinds.setdefault(place, set()).add(kind)
        while row and row[-1] is None:
            row.pop()
        if row:
            self.rows.append(row)

    def kind(self, place: int) -> str:
        """Return the kind of a column: that of its cells if all are of one kind, else text."""
        kinds = self.kinds.get(place, set())
        return next(iter(kinds)) if len(kinds) == 1 else TEXT


@contextmanager
def _workbook(path: Path, *, data_only: bool) -> Iterator[Any]:
    import openpyxl  # noqa: PLC0415 - only where a workbook is read

    with path.open("rb") as file, closing(openpyxl.load_workbook(file, read_only=True, data_only=data_only)) as book:
        yield book


@contextmanager
def _reading(shown: str) -> Iterator[None]:
    """Say in one sentence that a workbook cannot be read, whatever it is that openpyxl stumbles over."""
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            yield
    except (KiltError, OSError):
        raise
    except Exception:
        raise InputError(
            f"{shown} cannot be read as an Excel workbook: it is damaged, protected by a password, or not an .xlsx file"
        ) from None
    if any(LOST_DATE in str(warning.message) for warning in warned):
        raise InputError(f"{shown} has cells that are formatted as dates, but are none: give them another format")


def _read(cell: Any) -> tuple[str | None, str]:
    """Return the text of a cell, and its kind."""
    value = cell.value
    if value is None or value == "":
        return None, TEXT
    if isinstance(value, bool):
        return str(value).upper(), TRUTH
    if isinstance(value, int | float):
        return _number_text(value, str(cell.number_format or ""))
    if isinstance(value, datetime.datetime):
        timeless = value.time() == datetime.time() and "h" not in str(cell.number_format).lower()
        return (value.date().isoformat() if timeless else value.isoformat(" ")), DATE
    if isinstance(value, datetime.timedelta):
        seconds = round(value.total_seconds())
        return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}", TEXT
    return (value.isoformat() if isinstance(value, datetime.date | datetime.time) else str(value)), TEXT


def _number_text(value: float, number_format: str) -> tuple[str, str]:
    whole = isinstance(value, int) or (value.is_integer() and abs(value) < MOST_WHOLE)
    if whole and value >= 0 and ZEROS.fullmatch(number_format):
        return str(int(value)).zfill(len(number_format)), TEXT
    return (str(int(value)) if whole else repr(value)), NUMBER


def written_as(text: str, kind: str) -> tuple[Any, str]:
    """Return the value and the data type by which a cell is written so that it is read as this text again."""
    if kind == NUMBER and _is_number(text):
        return text, "n"
    if kind == TRUTH and text in ("TRUE", "FALSE"):
        return text == "TRUE", "b"
    if kind == DATE and DATE_TEXT.fullmatch(text) and text >= "1901":
        day = datetime.datetime.fromisoformat(text)
        return (day.date() if len(text) == 10 else day), "d"
    return text, "s"


def _is_number(text: str) -> bool:
    try:
        value: float = float(text) if re.search(r"[.e]", text) else int(text)
    except ValueError:
        return False
    return _number_text(value, "")[0] == text


def csv_lines(rows: Iterable[Row]) -> Iterator[str]:
    """Write rows as CSV in which null is an empty cell, and every text is quoted."""
    for row in rows:
        yield ",".join("" if text is None else '"' + text.replace('"', '""') + '"' for text in row) + "\n"
