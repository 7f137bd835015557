"""A call, seen by the one who works on it."""

from __future__ import annotations

from typing import Any, Protocol


class Calling(Protocol):
    """Something that was asked for: how to tell how far it is, and whether it should come to an end."""

    def tell(self, what: Any) -> None:
        """Say how far it is."""

    def interrupted(self) -> bool:
        """Say whether the studio wants it to come to an end."""
