"""A space: values on a circle, such as weekdays, months or hours."""

from __future__ import annotations

from dataclasses import dataclass

from kilt import InputError
from kilt.model.spaces import GroundDistance, MatrixMetric, Values


@dataclass(frozen=True)
class Circle:
    """Values in a given order; neighbours are equally far apart, and the last is a neighbour of the first."""

    order: tuple[str, ...]

    def on(self, values: Values, column: str) -> GroundDistance:
        """Count the steps between two values, the shorter way round; half a circle is distance 1."""
        missing = sum(1 for value in values if value not in self.order)
        if missing:
            raise InputError(f"the circle of '{column}' misses {missing} of its {len(values)} values")
        size, places = len(self.order), [self.order.index(value) for value in values if value is not None]
        steps = tuple(tuple(min((a - b) % size, (b - a) % size) for b in places) for a in places)
        return MatrixMetric(steps, scale=max(1, size // 2))
