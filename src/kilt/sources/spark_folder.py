"""Folders of Parquet that Spark reads and writes: how they are named before Spark is loaded."""

from __future__ import annotations

import re
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any

from kilt.errors import InputError
from kilt.sources.sql.postgres.url import is_postgres_url

LOGIN = re.compile(r"[\w+.-]+://[^/@]*:[^/@]*@")  # an address with a password in it
FILES = (".csv", ".tsv", ".tab", ".txt", ".xlsx")  # what is written as one file even if Spark has the table


@dataclass(frozen=True)
class SparkFolder(PathLike[str]):
    """A folder of Parquet, at a path or an address that Spark can read; ``master`` is where Spark runs."""

    path: str
    master: str | None = None

    def __post_init__(self) -> None:
        """Raise, without showing it, if a password is in the address."""
        require_no_password(self.path)

    def __fspath__(self) -> str:
        return self.path

    def __str__(self) -> str:
        return self.path


def locate(data: Any, engine: str | None, master: str | None) -> Any:
    """Return a path that the user gave as a folder of Spark's, if that is the engine."""
    if engine is None:
        if master is not None:
            raise InputError("'master' says where Spark runs: give --engine spark too")
        return data
    if engine != "spark":
        raise InputError(f"'engine' must be spark, or left out, not '{engine}'")
    if is_postgres_url(data):
        raise InputError("--engine spark is for folders of Parquet, not for a database: leave it out, or name a folder")
    return SparkFolder(data, master) if isinstance(data, str) and is_folder(data) else data


def is_folder(output: Any) -> bool:
    """Say whether Spark reads or writes something as a folder: unless its name is that of a CSV file or a workbook."""
    if not isinstance(output, str | PathLike):
        return False
    name = fspath(output).lower().removesuffix(".gz").removesuffix(".zst")
    return name != "-" and not name.endswith(FILES)


def require_no_password(address: str) -> None:
    """Raise if a password is in an address, which Spark would show."""
    if LOGIN.match(address):
        raise InputError("the address holds a password: leave it out, and give it to Spark in its configuration")
