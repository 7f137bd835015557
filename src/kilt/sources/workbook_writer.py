"""Writing a table as an Excel workbook: a new one with a single sheet, the same bytes for the same cells."""

from __future__ import annotations

import datetime
import re
import shutil
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kilt.errors import InputError
from kilt.sources.workbook import TEXT, Row, written_as

MOST_ROWS, MOST_COLUMNS, LONGEST_CELL, LONGEST_TITLE = 1_048_576, 16_384, 32_767, 31
FORBIDDEN = re.compile(r"[\\/*?:\[\]]")
UNWRITABLE = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]")  # not in XML, which reads a carriage return as a line feed
ALWAYS = datetime.datetime(2000, 1, 1)  # a workbook that is made twice is the same
ELSE = "write CSV or Parquet instead"
TIMES = re.compile(rb"(<dcterms:(created|modified)[^>]*>)[^<]*")


def write_workbook(
    path: Path, sheet: str | None, names: Sequence[str], rows: Sequence[Row], kinds: Mapping[str, str]
) -> None:
    """Write a header and rows of text; columns of these kinds get cells of their type, all others text."""
    import openpyxl  # noqa: PLC0415 - only where a workbook is written

    _require_writable(names, rows)
    book = openpyxl.Workbook(write_only=True)
    target = book.create_sheet(sheet_title(sheet))
    target.append([_cell(target, name, TEXT) for name in names])
    of_column = [kinds.get(name, TEXT) for name in names]
    for row in rows:
        target.append([_cell(target, text, kind) for text, kind in zip(row, of_column, strict=True)])
    plain = path.with_name(f"{path.name}.zip")
    try:
        book.save(plain)
        _repack(plain, path)
    finally:
        plain.unlink(missing_ok=True)


def sheet_title(sheet: str | None) -> str:
    """Return the name of the sheet that is written, or raise if there can be none of this name."""
    if sheet is not None and (not sheet.strip() or FORBIDDEN.search(sheet)):
        raise InputError(rf"'sheet' must be a name without any of \ / * ? : [ ], and not '{sheet}'")
    return (sheet or "Sheet1")[:LONGEST_TITLE]


def _require_writable(names: Sequence[str], rows: Sequence[Row]) -> None:
    """Raise, before anything is written, if a workbook cannot hold these cells."""
    if len(rows) >= MOST_ROWS or len(names) > MOST_COLUMNS:
        raise InputError(f"the release has more rows or columns than an Excel workbook can hold: {ELSE}")
    if any(all(text is None for text in row) for row in rows):
        raise InputError(f"the release has a row without any cell, which an Excel workbook cannot hold: {ELSE}")
    for row in (names, *rows):
        if any(text is not None and (not 0 < len(text) <= LONGEST_CELL or UNWRITABLE.search(text)) for text in row):
            raise InputError(
                "the release has a cell that an Excel workbook cannot hold, such as the empty text beside missing "
                f"cells, a control character, or more than {LONGEST_CELL:,} characters: {ELSE}"
            )


def _cell(sheet: Any, text: str | None, kind: str) -> Any:
    from openpyxl.cell import WriteOnlyCell  # noqa: PLC0415 - only where a workbook is written

    if text is None:
        return None
    value, data_type = written_as(text, kind)
    cell = WriteOnlyCell(sheet, value=value if data_type == "d" else None)
    if data_type != "d":
        cell._value, cell.data_type = value, data_type  # a text that begins like a formula stays a text
    elif isinstance(value, datetime.datetime):
        cell.number_format = "yyyy-mm-dd hh:mm:ss"
    return cell


def _repack(source: Path, target: Path) -> None:
    """Copy an archive without the times at which it was made."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            entry = zipfile.ZipInfo(name, ALWAYS.timetuple()[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            with old.open(name) as content, new.open(entry, "w") as copy:
                if name == "docProps/core.xml":
                    copy.write(TIMES.sub(rb"\g<1>" + ALWAYS.strftime("%Y-%m-%dT%H:%M:%SZ").encode(), content.read()))
                else:
                    shutil.copyfileobj(content, copy)
