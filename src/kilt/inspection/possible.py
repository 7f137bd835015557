"""Which policies a table can meet at all: by the union property, those that the table meets as one group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from kilt.model.decimal_sign import in_decimal
from kilt.model.diversity import FORMS, Form, Recursive
from kilt.model.ladders import Domain
from kilt.model.policy import SensitiveColumn
from kilt.model.rules import work_of
from kilt.model.spaces import TreeMetric, parse_space
from kilt.numbers import json_number

MOST_VALUES = 20_000  # of a column whose distances are looked at


@dataclass(frozen=True)
class PossibleOn:
    """What is possible on a sensitive column.

    ``l`` has the largest l of each form. Any t from 0 on can be met; one of ``farthest`` or more asks for nothing,
    because no group is farther from the table than that (None if the column has too many values to tell).
    """

    column: str
    l: Mapping[str, Fraction]
    farthest: Fraction | None

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return {
            "column": self.column,
            "largest_l": {form: json_number(l) for form, l in self.l.items()},
            "smallest_t": 0,
            "t_that_asks_for_nothing": None if self.farthest is None else json_number(self.farthest, up=True),
        }


@dataclass(frozen=True)
class Possible:
    """The largest k of a table, and what is possible on each sensitive column."""

    k: int
    sensitive: tuple[PossibleOn, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return {"largest_k": self.k, "sensitive": [each.to_dict() for each in self.sensitive]}


def possible_on(domain: Domain, space: str, decimal: str = ".") -> PossibleOn:
    """Say what is possible on a sensitive column in a space: equal, ordered or numeric."""
    forms: tuple[Form, ...] = (*FORMS.values(), Recursive(Fraction(1)))
    counts = np.asarray(domain.counts, dtype=np.int64)[None, :]
    largest = {form.name: form.largest(counts) for form in forms}
    if len(domain.values) > MOST_VALUES:
        return PossibleOn(domain.name, largest, None)
    chosen = in_decimal(parse_space(space), decimal)
    return PossibleOn(domain.name, largest, _farthest(SensitiveColumn(domain.name, domain.values, counts[0], chosen)))


def _farthest(column: SensitiveColumn) -> Fraction | None:
    """Return the distance of the group that is farthest from the table.

    The distance is convex, so a group of a single value is among the farthest: the rarest one if all values are equally
    far apart, and the first or the last on a line.
    """
    ground, reference = column.ground, column.reference
    if not isinstance(ground, TreeMetric):  # pragma: no cover - none of the three spaces gives another
        return None
    places = np.array([int(reference.argmin()), int(ground.order[0]), int(ground.order[-1])])
    groups = np.zeros((len(places), len(reference)), dtype=np.int64)
    groups[np.arange(len(places)), places] = 1
    work, whole = work_of(groups, reference, ground)
    return max(Fraction(int(w), int(all_)) for w, all_ in zip(work.tolist(), whole.tolist(), strict=True))
