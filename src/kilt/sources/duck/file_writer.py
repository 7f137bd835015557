"""Files that a release is written to: a staging file next to its place, which is verified and then renamed into it."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kilt.errors import InputError
from kilt.leftovers import own_name
from kilt.model.marks import ColumnMark
from kilt.sources.base import Source
from kilt.sources.duck.carrying import write
from kilt.sources.duck.table import DuckSource
from kilt.sources.file_format import FileFormat, FileStyle
from kilt.sources.sql.table import SqlSource
from kilt.sources.text_files import require_encodable
from kilt.sources.workbook import require_openpyxl
from kilt.sources.workbook_writer import sheet_title
from kilt.sources.writer import StagedRelease
from kilt.staging import put_in_place, require_writable, temporary_file

FRAME = "a release is written only if the table was read from a file; a frame comes back as 'release.frame'"
SUFFIXES = (".csv", ".tsv", ".tab", ".txt", ".parquet", ".pq", ".xlsx")


@dataclass(frozen=True)
class FileWriter:
    """A file that a release can be written to."""

    form: FileFormat

    @classmethod
    def of(cls, path: Path, data: Any, style: FileStyle | None = None) -> FileWriter:
        """Check, before any work is done, that the file can be written."""
        form = FileFormat.of(path, style)
        if form.is_standard:
            return cls(form)
        name = path.name.lower().removesuffix(".gz").removesuffix(".zst")
        if not name.endswith(SUFFIXES):
            raise InputError(
                f"the output '{path}' must end in one of {', '.join(SUFFIXES)} (then .gz or .zst if wanted)"
            )
        if form.kind != "csv" and form.compression != "none":
            what = "Parquet" if form.kind == "parquet" else "an Excel workbook"
            raise InputError(f"the output '{path}' is {what}, which is compressed by itself: leave out the last ending")
        if form.kind == "excel":
            require_openpyxl(path)
            sheet_title(form.style.sheet)
        require_writable(path, "output", input=data)
        return cls(form)

    @property
    def typed(self) -> bool:
        """Whether the file keeps the types of columns."""
        return self.form.kind == "parquet"

    def require_free(self, source: Source, marks: Mapping[str, ColumnMark]) -> None:
        """Raise if the file is what the table was read from, or if a mark cannot be written in its encoding."""
        for path in source.state.paths if isinstance(source, DuckSource) and not self.form.is_standard else ():
            require_writable(self.form.path, "output", input=path)
        style = getattr(source, "style", None)
        if self.form.kind == "csv" and isinstance(style, FileStyle):
            require_encodable((mark for mark in marks.values() if isinstance(mark, str)), style, "the mark")

    @contextmanager
    def stage(self, released: Source) -> Iterator[StagedRelease]:
        """Write a release to a staging file, and read it back from there; unless it is published, nothing is left."""
        if not isinstance(released, SqlSource):
            raise InputError(FRAME)
        form = self.form.written_like(getattr(released, "style", FileStyle()))
        with _staging_file(form) as (temporary, publish):
            written, formulas = write(released, replace(form, path=temporary))
            yield StagedRelease(written, publish, tuple(formulas))


@contextmanager
def _staging_file(form: FileFormat) -> Iterator[tuple[Path, Callable[[], None]]]:
    """Name a file to write to, and say how its bytes come to where they belong."""
    if form.is_standard:
        with tempfile.TemporaryDirectory(prefix=f"{own_name()}-") as folder:
            temporary = Path(folder) / "release.csv"
            yield temporary, lambda: _print(temporary)
        return
    with temporary_file(form.path) as temporary:
        yield temporary, lambda: put_in_place(temporary, form.path)


def _print(path: Path) -> None:
    """Copy a file to standard output."""
    with path.open("rb") as file:
        shutil.copyfileobj(file, sys.stdout.buffer)
    sys.stdout.buffer.flush()
