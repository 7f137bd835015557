"""Work that is under way: what state it is in, what it has said so far, and what came of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from kilt.errors import KiltError
from kilt.studio.work.worker import Call, Told, Worker

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
    is_abandoned: bool = False
    running: asyncio.Task[None] | None = field(default=None, repr=False)

    @property
    def is_busy(self) -> bool:
        """Whether it is under way."""
        return self.state == "busy"

    def stop(self) -> None:
        """Ask it to come to an end with what it has."""
        if self.is_busy and self.call is not None and self.worker is not None:
            self.worker.stop(self.call)

    async def settle(self, seconds: float) -> None:
        """Wait until it has ended, but no longer than some seconds."""
        if self.is_busy and self.running is not None:
            await asyncio.wait([self.running], timeout=seconds)


class Errands:
    """Sends processes on tasks, and notes what they bring back; some of them last, the others end with their task."""

    def __init__(self, *lasting: Worker) -> None:
        self._lasting = lasting
        self._running: set[asyncio.Task[None]] = set()

    def send(
        self,
        task: Task,
        worker: Worker,
        name: str,
        arguments: Mapping[str, Any],
        told: Told | None = None,
        then: Callable[[], None] = lambda: None,
    ) -> None:
        """Ask a process for something; ``then`` is what comes after it, unless it fails or is abandoned."""
        task.state, task.worker = "busy", worker

        def note(what: Any) -> None:
            task.said = what

        task.call = worker.call(name, told or note, **arguments)
        task.running = asyncio.get_running_loop().create_task(self._finish(task, task.call, worker, then))
        self._running.add(task.running)
        task.running.add_done_callback(self._running.discard)

    def abandon(self, task: Task) -> None:
        """Let work end that nobody waits for; a process of its own is ended with it."""
        task.is_abandoned = True
        task.stop()
        if task.worker is not None and task.worker not in self._lasting:
            task.worker.end()

    async def _finish(self, task: Task, call: Call, worker: Worker, then: Callable[[], None]) -> None:
        try:
            task.result = await call.answer
            task.state = "done"
        except KiltError as error:
            task.problem, task.state = str(error), "failed"
        if worker not in self._lasting:
            worker.end()
        if task.state == "done" and not task.is_abandoned:
            then()
