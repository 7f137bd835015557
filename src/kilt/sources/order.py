"""The order of the values of a column, which is the same wherever the table is."""

from __future__ import annotations

import math


def value_order(text: str | None, *, is_float: bool) -> tuple[bool, bool, float, str]:
    """Return what values sort by: null first, texts as they are.

    Floating-point numbers sort as numbers, -0 before 0 and NaN last: every database writes them in its own way.
    """
    number = float(text) if is_float and text is not None else 0.0
    return text is not None, math.isnan(number), 0.0 if math.isnan(number) else number, text or ""
