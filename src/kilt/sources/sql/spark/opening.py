"""Opening what Spark reads and writes: DataFrames, and folders of Parquet."""

from __future__ import annotations

from os import fspath
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from kilt.errors import InputError, KiltError
from kilt.sources.base import Source
from kilt.sources.file_format import FileStyle
from kilt.sources.spark_folder import SparkFolder
from kilt.sources.sql.spark.connect import is_connected
from kilt.sources.sql.spark.engine import SparkEngine
from kilt.sources.sql.spark.folder import Folder
from kilt.sources.sql.spark.session import open_session
from kilt.sources.sql.spark.table import SparkSource
from kilt.sources.sql.spark.writer import FolderWriter
from kilt.sources.writer import Writer


def open_table(data: Any, style: FileStyle | None, beside: Source | None) -> Source:
    """Take a frame as it is, or read a folder, in the same session as another table if one is given."""
    if style is not None and any((style.delimiter, style.encoding, style.sheet)):
        raise InputError("'delimiter', 'encoding' and 'sheet' are about files that kilt reads itself: leave them out")
    engine = beside.engine if isinstance(beside, SparkSource) else None
    if isinstance(data, DataFrame):
        same = engine is not None and engine.session is data.sparkSession
        return SparkSource.of(data, engine if same else None)
    if not isinstance(data, SparkFolder):
        raise InputError(f"kilt reads a DataFrame of Spark's, not a {type(data).__name__}")
    engine = engine or SparkEngine(open_session(data.master))
    return SparkSource.of(_read(engine, data.path), engine, f"'{data.path}'")


def _read(engine: SparkEngine, path: str) -> DataFrame:
    """Read a folder of Parquet."""
    shown = path
    if not is_connected(engine.session):
        folder = Folder.of(engine.session, path)
        if not folder.exists() and not any(sign in path for sign in "*?[{"):
            aside = folder.aside
            killed = f": '{aside}' is what a killed run left of it, rename it back" if aside.exists() else ""
            raise InputError(f"'{path}' does not exist where Spark reads it{killed}")
        path = str(folder)
    try:
        return engine.do(lambda: engine.session.read.parquet(path), explained=lambda error: _no_file(error, shown))
    except InputError:
        raise
    except KiltError as error:
        raise InputError(f"'{shown}' cannot be read, is every file in it Parquet? {error}") from None


def _no_file(error: Exception, shown: str) -> InputError | None:
    """Say that a folder has no file for Spark; None for other errors."""
    if not isinstance(error, PySparkException) or error.getCondition() != "UNABLE_TO_INFER_SCHEMA":
        return None
    return InputError(f"'{shown}' has no Parquet file in it: name the folder that has")


def open_writer(output: Any, data: Any, style: FileStyle | None) -> Writer:  # noqa: ARG001 - as all writers are opened
    """Return what writes a release to a folder, in the session that has the table."""
    address = output.path if isinstance(output, SparkFolder) else fspath(output)
    session = _session_of(data, output)
    original = Folder.of(session, data.path) if isinstance(data, SparkFolder) else None
    return FolderWriter.of(Folder.of(session, address), original)


def _session_of(data: Any, output: Any) -> SparkSession:
    if isinstance(data, SparkSource):
        return data.engine.session
    if isinstance(data, DataFrame):
        return data.sparkSession
    named = data if isinstance(data, SparkFolder) else output
    return open_session(named.master if isinstance(named, SparkFolder) else None)
