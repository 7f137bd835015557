"""What a file is: its kind, how its cells are written, and whether it is compressed."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path

from kilt.encodings import UTF_8, encoding_name
from kilt.errors import InputError

COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
STANDARD = Path("-")  # standard input or output, in place of a file
SCHEME = re.compile(r"([A-Za-z][\w+.-]+(?::[\w+.-]+)?):/")  # how an address begins; C:/ is a path


@dataclass(frozen=True)
class FileStyle:
    """How the cells of a file are written; None is what nobody said, and what is found out when it is read."""

    delimiter: str | None = None
    encoding: str | None = None
    bom: bool = False
    sheet: str | None = None
    kinds: tuple[tuple[str, str], ...] = ()  # columns of a workbook that hold numbers, dates or truth values
    escape_formulas: bool = False  # of CSV files: cells like formulas are escaped when written, and unescaped when read

    def checked(self) -> FileStyle:
        """Return it with the names that Python has for these things, or raise if there is something wrong."""
        if self.delimiter not in (None, "\\t") and (len(self.delimiter or "") != 1 or self.delimiter in '"\r\n'):
            raise InputError("'delimiter' must be a single character that is not a quote or the end of a line")
        return replace(
            self,
            delimiter="\t" if self.delimiter == "\\t" else self.delimiter,
            encoding=None if self.encoding is None else encoding_name(self.encoding),
        )

    @property
    def is_plain(self) -> bool:
        """Whether it is UTF-8 without a byte order mark."""
        return self.encoding in (None, UTF_8) and not self.bom


@dataclass(frozen=True)
class FileFormat:
    """A file and how it is written: kind is ``csv``, ``parquet`` or ``excel``.

    ``original`` is what the user calls the file, where it is not read itself but a copy of it.
    """

    path: Path
    kind: str
    style: FileStyle = FileStyle()
    compression: str = "none"
    original: Path | None = None

    @classmethod
    def of(cls, path: Path, style: FileStyle | None = None) -> FileFormat:
        """Tell the format from the name."""
        style = (style or FileStyle()).checked()
        suffixes = [suffix.lower() for suffix in path.suffixes]
        compression = COMPRESSIONS.get(suffixes[-1] if suffixes else "", "none")
        suffix = (suffixes[:-1] if compression != "none" else suffixes)[-1:]
        if suffix in ([".parquet"], [".pq"]):
            return cls(path, "parquet", style, compression)
        if suffix in ([".xlsx"], [".xlsm"]):
            return cls(path, "excel", style, compression)
        if suffix in ([".xls"], [".xlsb"], [".ods"]):
            raise InputError(f"'{path}' is a workbook of a kind that kilt does not know: save it as .xlsx")
        if style.delimiter is None and suffix in ([".tsv"], [".tab"]):
            style = replace(style, delimiter="\t")
        return cls(path, "csv", style, compression)

    @property
    def escapes(self) -> bool:
        """Whether cells like formulas are escaped: other files than CSV keep texts apart from formulas."""
        return self.kind == "csv" and self.style.escape_formulas

    @property
    def is_standard(self) -> bool:
        """Whether it is standard input or output."""
        return self.path == STANDARD

    @property
    def shown(self) -> str:
        """How a message names the file."""
        path = self.original or self.path
        return "standard input" if path == STANDARD else f"'{path}'"

    @property
    def shown_as_file(self) -> str:
        """How a message names the file where nothing before it says that it is one."""
        return self.shown if (self.original or self.path) == STANDARD else f"the file {self.shown}"

    def written_like(self, found: FileStyle) -> FileFormat:
        """Return the format of an output: tabs in a .tsv file, else as asked for, else as in the input."""
        name = self.path.name.lower().removesuffix(".gz").removesuffix(".zst")
        delimiter = "\t" if name.endswith((".tsv", ".tab")) else self.style.delimiter or found.delimiter or ","
        return replace(self, style=replace(found, delimiter=delimiter, escape_formulas=self.escapes))

    def copy_options(self) -> str:
        """Return the options of COPY TO."""
        if self.kind == "parquet":
            return "FORMAT parquet"
        return (
            f"FORMAT csv, HEADER true, DELIMITER {quoted(self.style.delimiter or ',')}, QUOTE '\"', ESCAPE '\"', "
            f"NULLSTR '', COMPRESSION '{self.compression}'"
        )


def require_path(data: str | PathLike[str]) -> None:
    """Raise if something is an address and not a path; what comes after its scheme could be a password."""
    found = SCHEME.match(fspath(data))
    if found and not Path(f"{found[1]}:").exists():
        raise InputError(
            f"addresses that begin with '{found[1]}:' are not known: kilt takes files, "
            "postgresql://host/database?table=NAME, duckdb://FILE?table=NAME and, with --engine spark, folders of "
            "Parquet wherever Spark reads them"
        )


def quoted(text: str) -> str:
    """Quote a text for SQL."""
    return "'" + text.replace("'", "''") + "'"
