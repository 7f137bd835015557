"""The finished plan of a release: which copies of each row type go into which group, and what it looks like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kilt.model.ladders import Encoding, Ladder
from kilt.model.marks import HIDDEN, ColumnMark, Indicator, ladder_mark
from kilt.model.partition import Partition
from kilt.model.row_types import RowTypes
from kilt.numbers import BoolArray, IntArray


@dataclass(frozen=True)
class ColumnPlan:
    """What a quasi column shows in every group: ``hidden[g]`` says whether ``shown[g]`` replaces the cell.

    Whether the column becomes text depends on its ladder and mark alone, never on what is hidden.
    """

    name: str
    shown: list[str | None]
    hidden: BoolArray
    mark: ColumnMark
    as_text: bool = True

    @property
    def indicator(self) -> str | None:
        """The name of the column that says which cells are suppressed, if there is one."""
        return self.mark.column if isinstance(self.mark, Indicator) else None

    @property
    def texts(self) -> list[str | None]:
        """What replaces the cells, None for null."""
        marked = self.indicator is not None
        return [None if marked and text == HIDDEN else text for text in self.shown]

    @property
    def suppressed(self) -> BoolArray:
        """Whether a group shows the mark itself."""
        mark = ladder_mark(self.mark)
        return np.asarray(self.hidden & np.array([text == mark for text in self.shown], dtype=bool))


@dataclass(frozen=True)
class Plan:
    """Entries of a partition in the order of row types, and the look of every group.

    The copies of a row type are numbered from 0; an entry has those from ``first_copies`` to ``last_copies``.
    """

    types: IntArray
    groups: IntArray
    counts: IntArray
    columns: tuple[ColumnPlan, ...]

    @classmethod
    def of(
        cls,
        partition: Partition,
        types: RowTypes,
        ladders: Mapping[str, Ladder],
        encodings: Sequence[Encoding],
        marks: Mapping[str, ColumnMark],
    ) -> Plan:
        """Render the pattern of every group."""
        order = np.argsort(partition.types, kind="stable")
        representative = partition.types[partition.starts[:-1]]
        columns: list[ColumnPlan] = []
        first = 0
        for index, ((name, ladder), encoding) in enumerate(zip(ladders.items(), encodings, strict=True)):
            levels = partition.levels[:, first : first + len(encoding.columns)]
            first += len(encoding.columns)
            domain, mark = types.domain(index, name), ladder_mark(marks[name])
            hidden = np.asarray(levels.any(axis=1) | ladder.hides_values)
            shown = [
                ladder.show(domain.values[code], steps, domain, mark) if blurred else domain.values[code]
                for code, steps, blurred in zip(
                    types.quasi_codes[representative, index].tolist(),
                    levels.tolist(),
                    hidden.tolist(),
                    strict=True,
                )
            ]
            as_text = ladder.text_only or isinstance(marks[name], str)
            columns.append(ColumnPlan(name, shown, hidden, marks[name], as_text))
        return cls(partition.types[order], partition.groups[order], partition.counts[order], tuple(columns))

    @property
    def last_copies(self) -> IntArray:
        """The last copy of every entry."""
        return self.first_copies + self.counts - 1

    @cached_property
    def first_copies(self) -> IntArray:
        """The first copy of every entry."""
        before = np.cumsum(self.counts) - self.counts
        starts = np.searchsorted(self.types, self.types)
        return np.asarray(before - before[starts])

    @property
    def is_split(self) -> BoolArray:
        """Whether the row type of an entry is in several groups."""
        return np.asarray(np.bincount(self.types)[self.types] > 1)

    @property
    def split_types(self) -> IntArray:
        """The row types that are in several groups."""
        return np.unique(self.types[self.is_split])

    def row_groups(self, row_types: IntArray, ranks: IntArray) -> IntArray:
        """Return the group of every row, given its row type; the copies of a type are dealt in the order of ranks."""
        groups = np.empty(len(row_types), dtype=np.int32)
        groups[np.lexsort((ranks, row_types))] = np.repeat(self.groups, self.counts)
        return groups
