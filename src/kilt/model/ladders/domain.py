"""The domain of a column: its different values, and how many rows have each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from kilt.numbers import IntArray

Values = Sequence[str | None]
Mark = str | None  # what a suppressed cell looks like; None is the null of a typed column
MARK = "*"
Made = TypeVar("Made")


@dataclass(frozen=True, eq=False)
class Domain:
    """The different values of the column ``name`` as text (None is null), and the rows that have each."""

    name: str
    values: Values
    counts: IntArray
    _known: dict[tuple[int, str], tuple[object, Any]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, values: Values, name: str = "column") -> Domain:
        """Return the domain of a column in which every value occurs once."""
        return cls(name, values, np.ones(len(values), dtype=np.int64))

    @cached_property
    def places(self) -> dict[str | None, int]:
        """Where each value stands."""
        return {value: place for place, value in enumerate(self.values)}

    @cached_property
    def width(self) -> int:
        """The length of the longest value, at least 1."""
        return max((len(value) for value in self.values if value is not None), default=0) or 1

    def once(self, ladder: object, what: str, make: Callable[[], Made]) -> Made:
        """Return what a ladder makes of this domain; it is made once."""
        key = id(ladder), what
        if key not in self._known:
            self._known[key] = ladder, make()  # the ladder is kept, so that no other gets its id
        made: Made = self._known[key][1]
        return made
