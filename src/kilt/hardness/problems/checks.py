"""What is checked of sources that come from outside: tuples of the right length, and values that can be told apart."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Set
from typing import Any

from kilt.errors import InputError


def has_length(given: Any, count: int) -> bool:
    """Say whether something is a tuple, a list or the like with so many parts, in an order."""
    unordered = isinstance(given, str | Set | Mapping)
    return not unordered and hasattr(given, "__getitem__") and hasattr(given, "__len__") and len(given) == count


def distinct(values: Iterable[Any], what: str) -> tuple[Hashable, ...]:
    """Return the values, each once and in their order, or raise if they cannot be told apart."""
    try:
        return tuple(dict.fromkeys(values))
    except TypeError:
        raise InputError(f"{what} must be a list of numbers, texts or other values that can be hashed") from None
