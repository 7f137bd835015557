"""How the innermost loops are compiled: they allocate nothing, so that no array is counted as it is handed around.

Counting references took most of the time of a search, and made threads wait for each other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from numba import njit

Function = TypeVar("Function", bound=Callable[..., object])


def lean(function: Function) -> Function:
    """Compile a function that allocates nothing."""
    compiled: Function = njit(cache=True, nogil=True, _nrt=False)(function)  # type: ignore[call-overload]
    return compiled
