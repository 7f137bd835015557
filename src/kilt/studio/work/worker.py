"""A process that works for the studio, seen from the studio: it is called, tells how far it is, and can be stopped."""

from __future__ import annotations

import asyncio
import multiprocessing
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from kilt.errors import KiltError
from kilt.studio.work.child import serve

GONE = "the process that did the work has ended; perhaps there was not enough memory: try it again"
ENDED = "this was abandoned"
Told = Callable[[Any], None]


@dataclass(eq=False)
class Call:
    """Something that a process was asked to do; it is there already, or will be."""

    number: int
    told: Told
    answer: asyncio.Future[Any] = field(repr=False)


class Worker:
    """A process of its own, started when it is first called; all of this runs in the event loop."""

    def __init__(self, folder: Path, *, polite: bool = False) -> None:
        self._folder, self._polite = folder, polite
        self._process: multiprocessing.process.BaseProcess | None = None
        self._connection: Connection | None = None
        self._calls: dict[int, Call] = {}
        self._last = 0

    def start(self) -> None:
        """Start the process, unless it runs; it needs a moment to load what it needs."""
        if self._process is not None and self._process.is_alive():
            return
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        arguments = (theirs, str(self._folder), self._polite)
        self._process = context.Process(target=serve, args=arguments, daemon=True)
        self._process.start()
        theirs.close()
        self._connection = ours
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._listen, args=(ours, loop), daemon=True).start()

    def call(self, name: str, told: Told = lambda _: None, **arguments: Any) -> Call:
        """Ask for something; the answer comes later."""
        self.start()
        self._last += 1
        call = Call(self._last, told, asyncio.get_running_loop().create_future())
        self._calls[call.number] = call
        self._send(("do", call.number, name, arguments))
        return call

    def stop(self, call: Call) -> None:
        """Ask it to come to an end; what it has so far is its answer."""
        if call.number in self._calls:
            self._send(("stop", call.number))

    def end(self) -> None:
        """End the process at once; calls that are not answered fail."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process = None
        self._fail_all(ENDED)

    def _send(self, message: tuple[Any, ...]) -> None:
        try:
            if self._connection is not None:
                self._connection.send(message)
        except OSError:
            self._fail_all(GONE)

    def _listen(self, connection: Connection, loop: asyncio.AbstractEventLoop) -> None:
        """Hand what the process says to the event loop, in a thread of its own."""
        try:
            while True:
                loop.call_soon_threadsafe(self._heard, connection.recv())
        except (EOFError, OSError):
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._lost, connection)
        except RuntimeError:  # the loop has ended, and so does the studio
            return

    def _lost(self, connection: Connection) -> None:
        """Fail what was asked of a process that is no longer there."""
        if connection is self._connection:
            self._fail_all(GONE)

    def _heard(self, message: tuple[Any, ...]) -> None:
        what, number, content = message
        call = self._calls.get(number)
        if call is None:
            return
        if what == "told":
            call.told(content)
            return
        del self._calls[number]
        if call.answer.cancelled():
            return
        if what == "done":
            call.answer.set_result(content)
        else:
            call.answer.set_exception(KiltError(content))

    def _fail_all(self, sentence: str) -> None:
        calls, self._calls = list(self._calls.values()), {}
        for call in calls:
            if not call.answer.done():
                call.answer.set_exception(KiltError(sentence))
