"""Opening a table, or a place for a release: which source or writer it is, by the look of what was given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from os import PathLike
from typing import Any

from kilt.errors import InputError
from kilt.sources.base import Source, is_object_of, is_source
from kilt.sources.file_format import FileStyle
from kilt.sources.spark_folder import SparkFolder, is_folder
from kilt.sources.sql.postgres.url import is_postgres
from kilt.sources.writer import Writer

GROUP = "kilt.sources"  # the entry points by which packages bring sources of their own


@dataclass(frozen=True)
class Place:
    """Where tables of one kind are: how what the user gave is recognised, and the module that opens it.

    The module, which is imported only where it is needed, has the functions ``open_table`` (what was given, the style
    of files, a source to be compared with or None) and ``open_writer`` (what was given as output, what was given as
    input or None, the style of files). ``extra`` is what has to be installed for it.
    """

    recognises: Callable[[Any], bool]
    module: str
    extra: str | None = None

    def load(self) -> Any:
        """Import the module, or say what has to be installed."""
        try:
            return import_module(self.module)
        except ModuleNotFoundError as error:
            if self.extra is None or (error.name or "").startswith("kilt"):
                raise
            raise InputError(f"this needs more than kilt alone: pip install 'kilt[{self.extra}]'") from None


def _object(*packages: str) -> Callable[[Any], bool]:
    """Recognise an object of a class of one of these packages, without importing it."""
    return lambda data: is_object_of(data, *packages)


def is_spark(data: Any) -> bool:
    """Recognise a frame of Spark's, a folder that it reads, and a source that is one of these."""
    return isinstance(data, SparkFolder) or _object("pyspark")(data) or getattr(data, "kind", None) == SPARK_KIND


SPARK_KIND = "a table of Spark's"  # as its source calls itself
SPARK = Place(is_spark, "kilt.sources.sql.spark.opening", "spark")
PLACES = (  # the first that recognises what was given opens it
    Place(is_postgres, "kilt.sources.sql.postgres.opening", "sql"),
    SPARK,
    Place(_object("duckdb", "_duckdb"), "kilt.sources.duck.opening"),
    Place(lambda data: isinstance(data, str | PathLike), "kilt.sources.duck.opening"),
)


def open_source(data: Any, style: FileStyle | None = None, beside: Source | None = None) -> Source:
    """Open a table; a file can be opened in the same database as another, to compare the two.

    ``style`` is what the user says of how a file is written. A source is taken as it is. An entry point of the group
    ``kilt.sources`` is called with the data and returns a source, or None if the data is not for it.
    """
    if is_source(data):
        return data
    for point in entry_points(group=GROUP):
        found: Source | None = point.load()(data)
        if found is not None:
            return found
    for place in PLACES:
        if place.recognises(data):
            opened: Source = place.load().open_table(data, style, beside)
            return opened
    from kilt.sources.frame import FrameSource  # noqa: PLC0415 - only where a frame is read

    return FrameSource(data)


def open_writer(output: Any, data: Any = None, style: FileStyle | None = None) -> Writer:
    """Return what writes a release of some data, or raise, before any work is done, if it cannot be written there."""
    for place in PLACES:
        if place.recognises(output) or (place is SPARK and is_spark(data) and is_folder(output)):
            opened: Writer = place.load().open_writer(output, data, style)
            return opened
    raise InputError(f"'output' must be the path of a file or the address of a table, not a {type(output).__name__}")
