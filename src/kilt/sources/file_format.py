"""What a file is: its kind, how its cells are separated, and whether it is compressed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from kilt.errors import InputError

COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}


@dataclass(frozen=True)
class FileFormat:
    """A file, and how its cells are written: kind is ``csv`` or ``parquet``; no delimiter means unknown."""

    path: Path
    kind: str
    delimiter: str | None
    compression: str

    @classmethod
    def of(cls, path: Path, delimiter: str | None = None) -> FileFormat:
        """Tell the format from the name."""
        if delimiter is not None and delimiter != "\\t" and (len(delimiter) != 1 or delimiter in '"\r\n'):
            raise InputError("'delimiter' must be a single character that is not a quote or the end of a line")
        suffixes = [suffix.lower() for suffix in path.suffixes]
        compression = COMPRESSIONS.get(suffixes[-1] if suffixes else "", "none")
        suffix = (suffixes[:-1] if compression != "none" else suffixes)[-1:]
        if suffix in ([".parquet"], [".pq"]):
            return cls(path, "parquet", None, compression)
        given = "\t" if delimiter == "\\t" or (delimiter is None and suffix in ([".tsv"], [".tab"])) else delimiter
        return cls(path, "csv", given, compression)

    def written_like(self, delimiter: str | None) -> FileFormat:
        """Return the format of an output: tabs in a .tsv file, else what was asked for, else as in the input."""
        name = self.path.name.lower().removesuffix(".gz").removesuffix(".zst")
        if name.endswith((".tsv", ".tab")):
            return replace(self, delimiter="\t")
        return replace(self, delimiter=self.delimiter or delimiter or ",")

    def copy_options(self) -> str:
        """Return the options of COPY TO."""
        if self.kind == "parquet":
            return "FORMAT parquet"
        return (
            f"FORMAT csv, HEADER true, DELIMITER {quoted(self.delimiter or ',')}, QUOTE '\"', ESCAPE '\"', NULLSTR '', "
            f"COMPRESSION '{self.compression}'"
        )


def quoted(text: str) -> str:
    """Quote a text for SQL."""
    return "'" + text.replace("'", "''") + "'"
