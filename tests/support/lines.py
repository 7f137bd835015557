"""Which lines of functions are run: a property that holds on all paths must have gone through all of them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from types import CodeType, FrameType
from typing import Any


def lines_not_run(functions: Sequence[Callable[..., Any]], action: Callable[[], None]) -> list[str]:
    """Do something, and return the lines of functions that were not run by it, as name:line."""
    codes = [function.__code__ for function in functions]
    left = {code: _lines(code) for code in codes}
    before = sys.gettrace()

    def on_call(frame: FrameType, event: str, argument: object) -> Any:
        return on_line if frame.f_code in left else None

    def on_line(frame: FrameType, event: str, argument: object) -> Any:
        left[frame.f_code].discard(frame.f_lineno)
        return on_line

    sys.settrace(on_call)
    try:
        action()
    finally:
        sys.settrace(before)
    return [f"{code.co_qualname}:{line}" for code in codes for line in sorted(left[code])]


def _lines(code: CodeType) -> set[int]:
    """Return the lines of a function behind its first."""
    return {line for _, _, line in code.co_lines() if line is not None and line > code.co_firstlineno}
