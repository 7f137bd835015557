"""Folders in the file systems of Hadoop (local, HDFS, S3): written beside their place, and renamed into it.

An older release is renamed aside, the new one into its place, and then the older one is removed. Whenever a run is
killed, the older one or the new one is whole: in its place, or beside it under a name by which the next run, which
puts it back, finds it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

from kilt.errors import InputError, KiltError
from kilt.leftovers import is_left_behind, own_name
from kilt.sources.spark_folder import require_no_password
from kilt.sources.sql.spark.connect import is_connected

CONNECT = "a folder cannot be written through Spark Connect, which cannot rename it: give the address of a master"
GLOB = "*?[]{}\\"  # what a path cannot have where others beside it are looked for by their names
SUCCESS = "_SUCCESS"  # the file by which Spark says that a folder is complete


@dataclass(frozen=True)
class Folder:
    """A folder and the file system that it is in."""

    files: Any
    path: Any

    @classmethod
    def of(cls, session: SparkSession, address: str) -> Self:
        """Find the file system of an address, as Spark does."""
        if is_connected(session):
            raise InputError(CONNECT)
        require_no_password(address)
        machine: Any = session._jvm
        try:
            path = machine.org.apache.hadoop.fs.Path(address)
            files = path.getFileSystem(session.sparkContext._jsc.hadoopConfiguration())
            if path.isUriPathAbsolute() or files.getScheme() != "file":
                return cls(files, files.makeQualified(path))
            return cls(files, files.makeQualified(machine.org.apache.hadoop.fs.Path(str(Path(address).absolute()))))
        except Py4JError:
            raise InputError(f"Spark cannot use the address '{address}': is its file system installed?") from None

    def __str__(self) -> str:
        return str(self.path.toString())

    @property
    def name(self) -> str:
        """The last part of the path."""
        return str(self.path.getName())

    @property
    def parent(self) -> Any:
        """The path of the folder that this one is in; None for the root."""
        return self.path.getParent()

    def beside(self, name: str) -> Folder:
        """Return the folder of another name in the same place."""
        return Folder(self.files, self.path.suffix("").getParent().suffix(f"/{name}"))

    def staging(self) -> Folder:
        """Return a hidden folder beside this one that is not there yet."""
        return self.beside(f".{own_name()}-{self.name}")

    @property
    def aside(self) -> Folder:
        """Where the older release is while it is replaced."""
        return self.beside(f".kilt-old-{self.name}")

    def exists(self) -> bool:
        """Say whether it is there."""
        return bool(self.files.exists(self.path))

    def is_folder(self) -> bool:
        """Say whether it is a folder."""
        return self.exists() and bool(self.files.getFileStatus(self.path).isDirectory())

    def is_complete(self) -> bool:
        """Say whether the job that wrote it came to its end."""
        return bool(self.files.exists(self.path.suffix(f"/{SUCCESS}")))

    def file_above(self) -> str | None:
        """Return the file that is where a folder above this one would have to be, if there is one."""
        above = self.parent
        while above is not None and not self.files.exists(above):
            above = above.getParent()
        return None if above is None or self.files.getFileStatus(above).isDirectory() else str(above.toString())

    def within(self, other: Folder) -> bool:
        """Say whether it is another folder, or inside of it."""
        return f"{self}/".startswith(f"{other}/")

    def rename(self, other: Folder) -> None:
        """Rename it to a name that nothing has."""
        if other.exists() or not self.files.rename(self.path, other.path):
            raise KiltError(f"'{self}' could not be renamed to '{other}', which must not exist")

    def remove(self) -> None:
        """Remove it and all that is in it."""
        self.files.delete(self.path, True)


def remove_left_behind(target: Folder) -> None:
    """Remove what killed runs left behind beside a folder."""
    around = target.beside(".kilt-*")
    if any(sign in str(target.parent) for sign in GLOB):
        return
    for found in target.files.globStatus(around.path) or ():
        age = time.time() - found.getModificationTime() / 1000
        if is_left_behind(str(found.getPath().getName()), age):
            target.files.delete(found.getPath(), True)


def recover(target: Folder) -> None:
    """Put back the older release of a run that was killed while it replaced it, or remove what it left of it."""
    if not target.aside.exists():
        return
    if target.exists():
        target.aside.remove()
    else:
        target.aside.rename(target)


def replace(target: Folder, staging: Folder) -> None:
    """Put a complete folder in the place of an older one, which is there until then."""
    if not staging.is_complete():
        raise KiltError(f"Spark did not finish '{staging}': nothing was published")
    if target.exists():
        target.rename(target.aside)
    staging.rename(target)
    target.aside.remove()
