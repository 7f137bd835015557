"""Taxonomies: for every value the path of ever wider labels above it, read from ARX-style files."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from kilt.encodings import decoded_beside
from kilt.errors import InputError

ROOT = "*"


@dataclass(frozen=True)
class Taxonomy:
    """A tree over the values of a column; every path ends in the root ``*`` and has the same length.

    A path that is shorter than the others is padded at its value (the value stays itself for a
    few more levels), so that all values stand at the same depth.
    """

    paths: Mapping[str, tuple[str, ...]]

    @classmethod
    def read(cls, path: str | Path, encoding: str | None = None) -> Taxonomy:
        """Read a file with one line per value, level 0 first, ``;`` (or ``,`` or tab) between levels.

        It is UTF-8, or else has the ``encoding`` of the table.
        """
        lines = read_cells(path, "taxonomy", encoding)
        return cls.of(lines, source=f"the taxonomy '{Path(path).name}'")

    @classmethod
    def of(cls, lines: Sequence[Sequence[str]], source: str = "the taxonomy") -> Taxonomy:
        """Build a taxonomy from one path per value, level 0 first."""
        if not lines:
            raise InputError(f"{source} is empty: it needs one line per value, level 0 first")
        given = {line[0]: tuple(line[1:]) for line in lines}
        if len(given) < len(lines):
            raise InputError(f"{source} lists a value twice: every value needs exactly one line")
        given = {value: path if path[-1:] == (ROOT,) else (*path, ROOT) for value, path in given.items()}
        height = max(map(len, given.values()))
        paths = {value: (value,) * (1 + height - len(path)) + path for value, path in given.items()}
        _check_tree(paths, height, source)
        return cls(paths)

    @cached_property
    def height(self) -> int:
        """How many steps lead from a value to the root."""
        return len(next(iter(self.paths.values()))) - 1

    def meeting(self, values: Sequence[str]) -> int:
        """Return the height of the lowest label that is above all of these values: 0 if they are one."""
        paths = [self.paths[value] for value in values]
        return next(level for level in range(self.height + 1) if len({path[level] for path in paths}) <= 1)

    def paths_of(self, values: Sequence[str | None], column: str) -> list[tuple[str | None, ...]]:
        """Return the path of every value of a column, or raise if one has none.

        The path of the missing value is that of the empty cell; without such a line it is directly under the root.
        """
        self.require([value for value in values if value is not None], column)
        empty = self.paths.get("", (*("",) * self.height, ROOT))
        missing = tuple(label or None for label in empty)
        return [missing if value is None else self.paths[value] for value in values]

    def require(self, values: Sequence[str | None], column: str) -> None:
        """Raise if some value of the column is not a leaf of this tree."""
        missing = sum(1 for value in values if value not in self.paths)
        if missing:
            nulls = " (one of them is the missing value)" if None in values else ""
            raise InputError(
                f"the taxonomy of '{column}' misses {missing} of the column's {len(values)} values{nulls}: "
                "add a line for each"
            )


def _check_tree(paths: Mapping[str, tuple[str, ...]], height: int, source: str) -> None:
    for level in range(height):
        parent: dict[str, str] = {}
        for path in paths.values():
            if parent.setdefault(path[level], path[level + 1]) != path[level + 1]:
                raise InputError(f"{source} is not a tree: a label of level {level} has two different labels above it")


def read_cells(path: str | Path, what: str, encoding: str | None = None) -> list[list[str]]:
    """Read a small delimited file; the delimiter is the one of ``;``, tab and ``,`` that its first line has."""
    shown = f"the {what} file '{path}'"
    try:
        text = decoded_beside(Path(path).read_bytes(), encoding, shown)
    except FileNotFoundError:
        raise InputError(f"{shown} does not exist") from None
    except OSError:
        raise InputError(f"{shown} cannot be read") from None
    delimiter = next((d for d in ";\t," if d in re.split(r"[\r\n]", text, maxsplit=1)[0]), ";")
    try:
        return [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row]
    except csv.Error:
        raise InputError(f"{shown} is not text with cells that are separated by ';', a tab or ','") from None
