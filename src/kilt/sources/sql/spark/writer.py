"""Folders of Parquet that a release is written to: a hidden folder beside the place, verified and then renamed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from kilt.errors import InputError, KiltError
from kilt.model.marks import ColumnMark
from kilt.sources.base import Source
from kilt.sources.sql.spark.folder import Folder, recover, remove_left_behind, replace
from kilt.sources.sql.spark.table import SparkSource, WrittenSource
from kilt.sources.writer import StagedRelease

MARK_SUCCESS = "mapreduce.fileoutputcommitter.marksuccessfuljobs"


@dataclass(frozen=True)
class FolderWriter:
    """A folder that a release can be written to."""

    target: Folder
    typed: bool = True

    @classmethod
    def of(cls, target: Folder, original: Folder | None = None) -> FolderWriter:
        """Check, before any work is done, that the folder can be written; put back what a killed run left aside."""
        if target.parent is None or target.name == "":
            raise InputError(f"the output '{target}' must be the name of a folder")
        if original is not None and (target.within(original) or original.within(target)):
            raise InputError(
                f"the output '{target}' is the input, or inside of it, or around it: choose another folder"
            )
        if (file := target.file_above()) is not None:
            raise InputError(f"the output '{target}' cannot be made: '{file}' is a file, not a folder")
        recover(target)
        remove_left_behind(target)
        if target.exists() and not (target.is_folder() and target.is_complete()):
            raise InputError(
                f"the output '{target}' is there and is not a folder that Spark wrote (it has no _SUCCESS): choose "
                "another name, or remove it"
            )
        return cls(target)

    def require_free(self, source: Source, marks: Mapping[str, ColumnMark]) -> None:  # noqa: ARG002 - all can be written
        """Raise if a file of the original is in the folder: it would be gone."""
        if not isinstance(source, SparkSource) or not self.target.exists():
            return
        if any(Folder.of(source.engine.session, file).within(self.target) for file in source.files):
            raise InputError(f"the output '{self.target}' is the input, or a part of it: choose another folder")

    @contextmanager
    def stage(self, released: Source) -> Iterator[StagedRelease]:
        """Write a release to a hidden folder, and read it back from there; unless it is published, it is removed."""
        if not isinstance(released, SparkSource):
            raise InputError("a folder is written only by Spark: give --engine spark, or name a file")
        staging = self.target.staging()
        try:
            yield StagedRelease(_written(released, staging), lambda: replace(self.target, staging))
        finally:
            staging.remove()


def _written(released: SparkSource, staging: Folder) -> WrittenSource:
    """Write a release, without its witnesses, and read it back."""
    engine = released.engine
    frame = released.native
    engine.do(lambda: frame.write.option(MARK_SUCCESS, "true").parquet(str(staging)))
    if not staging.is_complete():
        raise KiltError(f"Spark did not finish '{staging}': nothing was published")
    written = WrittenSource.of(engine.session.read.parquet(str(staging)), engine)
    written.made = released
    return written
