"""Work that is under way: what state it is in, what it has said so far, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from kilt.studio.work.worker import Call, Worker

State = Literal["idle", "busy", "done", "failed"]


@dataclass(eq=False)
class Task:
    """One kind of work; a new one replaces the one before."""

    state: State = "idle"
    said: Any = None
    result: Any = None
    problem: str | None = None
    about: Any = None  # what it was asked about
    call: Call | None = field(default=None, repr=False)
    worker: Worker | None = field(default=None, repr=False)

    @property
    def is_busy(self) -> bool:
        """Whether it is under way."""
        return self.state == "busy"

    def stop(self) -> None:
        """Ask it to come to an end with what it has."""
        if self.is_busy and self.call is not None and self.worker is not None:
            self.worker.stop(self.call)
