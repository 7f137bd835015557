"""The finished plan of a release: which copies of each row type go into which group, and what it looks like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kilt.errors import InputError
from kilt.model.ladders import MARK, Encoding, Ladder, Mark
from kilt.model.partition import Partition
from kilt.model.row_types import RowTypes
from kilt.numbers import BoolArray, IntArray


@dataclass(frozen=True)
class ColumnPlan:
    """What a quasi column shows in every group: ``hidden[g]`` says whether ``shown[g]`` replaces the cell."""

    name: str
    shown: list[str | None]
    hidden: BoolArray
    mark: Mark


@dataclass(frozen=True)
class Plan:
    """Entries of a partition in the order of row types, and the look of every group."""

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
        marks: Mapping[str, Mark],
    ) -> Plan:
        """Render the pattern of every group."""
        order = np.argsort(partition.types, kind="stable")
        representative = partition.types[partition.starts[:-1]]
        columns: list[ColumnPlan] = []
        first = 0
        for index, ((name, ladder), encoding) in enumerate(zip(ladders.items(), encodings, strict=True)):
            levels = partition.levels[:, first : first + len(encoding.columns)]
            first += len(encoding.columns)
            domain, mark = types.domain(index, name), marks[name]
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
            columns.append(ColumnPlan(name, shown, hidden, mark))
        return cls(partition.groups[order], partition.counts[order], tuple(columns))

    def row_groups(self, row_types: IntArray) -> IntArray:
        """Return the group of every row, given its row type; copies are assigned in the order of rows."""
        groups = np.empty(len(row_types), dtype=np.int32)
        groups[np.argsort(row_types, kind="stable")] = np.repeat(self.groups, self.counts)
        return groups


def choose_marks(
    types: RowTypes, ladders: Mapping[str, Ladder], typed: Mapping[str, bool], mark: Mark
) -> dict[str, Mark]:
    """Return what a suppressed cell looks like in each quasi column, or raise if it could be mistaken for a value.

    Without a mark of the user's choice it is ``*`` in text columns and null in typed ones.
    """
    if mark is not None and not mark.strip():
        raise InputError("'mark' must have at least one visible character")
    marks: dict[str, Mark] = {}
    for column, (name, ladder) in enumerate(ladders.items()):
        chosen = mark if mark is not None else (MARK if ladder.text_only or not typed[name] else None)
        if chosen is not None and ladder.masks and len(chosen) != 1:
            raise InputError(f"'mark' must be a single character, because '{name}' is masked character by character")
        clashes = ladder.ambiguous(types.domain(column, name), chosen)
        if clashes and chosen is None:
            raise InputError(
                f"'{name}' has missing values, which a suppressed cell of a typed column would look like; "
                "choose a 'mark', such as '*', and the column becomes text"
            )
        if clashes:
            raise InputError(
                f"'{name}' already holds the mark '{chosen}', so that suppressed cells could not be told from it; "
                "choose another 'mark'"
            )
        marks[name] = chosen
    return marks
