"""Parts of a table, some copies of some row types, and how they are cut up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.numbers import IntArray
from kilt.run.progress import Observer, Progress
from kilt.run.stopping import StoppingRule


@dataclass(frozen=True)
class Part:
    """Copies of row types."""

    types: IntArray
    counts: IntArray

    @classmethod
    def whole(cls, problem: Problem) -> Part:
        """Return the whole table."""
        return cls(np.arange(len(problem.counts)), problem.counts)


Sides = tuple[Part, Part]


def cut_up(whole: Part, cut: Callable[[Part], Sides | None], stop: StoppingRule, observer: Observer) -> list[Part]:
    """Cut a part in two, and these again, until no cut is legal, or until stopped."""
    parts, leaves = [whole], []
    while parts:
        part = parts.pop()
        sides = None if stop() else cut(part)
        if sides is None:
            leaves.append(part)
            observer(Progress("solving"))
        else:
            parts.extend(sides)
    return leaves


def are_legal(problem: Problem, sides: Sides) -> bool:
    """Say whether both sides of a cut are legal."""
    size = len(problem.sensitive_totals)
    by_class = [np.bincount(problem.sensitive_class[side.types], side.counts, size) for side in sides]
    return bool(problem.is_legal(np.array(by_class, dtype=np.int64)).all())


def partition_of(problem: Problem, parts: Sequence[Part]) -> Partition:
    """Return the partition whose groups are these parts."""
    types, counts = (np.concatenate([getattr(part, name) for part in parts]) for name in ("types", "counts"))
    return Partition.of(problem, types, np.repeat(np.arange(len(parts)), [len(part.types) for part in parts]), counts)
