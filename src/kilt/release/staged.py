"""A release that is written, but not in its place yet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kilt.sources.base import Source


@dataclass(frozen=True)
class StagedRelease:
    """A release that is written, but not in its place yet: ``table`` is read from it, ``commit`` puts it in place."""

    table: Source
    commit: Callable[[], None]
