"""The process that works for the studio: it does one thing after the other, and ends when the studio does.

Whatever it puts on disk is in the studio's private folder, which goes with the studio, whichever of the two ends first.
"""

from __future__ import annotations

import os
import queue
import shutil
import signal
import tempfile
import threading
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from kilt.errors import KiltError, unexpected_text

POLITE = 5  # how much a search steps back behind the page, as `nice` counts it


@dataclass
class Job:
    """A call that is worked on."""

    number: int
    child: Child

    def tell(self, what: Any) -> None:
        """Say how far it is."""
        self.child.send("told", self.number, what)

    def interrupted(self) -> bool:
        """Say whether the studio wants it to come to an end."""
        return self.number in self.child.stopped


class Child:
    """What is called, and what was stopped."""

    def __init__(self, connection: Connection, folder: str) -> None:
        self._connection, self._folder = connection, folder
        self._calls: queue.Queue[tuple[int, str, dict[str, Any]]] = queue.Queue()
        self._sending = threading.Lock()
        self.stopped: set[int] = set()

    def work(self) -> None:
        """Do what comes, one thing after the other."""
        threading.Thread(target=self._listen, daemon=True).start()
        from kilt.studio.work.desk import Desk  # noqa: PLC0415 - heavy: the studio itself does without it

        desk = Desk()
        while True:
            number, name, arguments = self._calls.get()
            self._do(desk, Job(number, self), name, arguments)

    def send(self, what: str, number: int, content: Any) -> None:
        """Say something to the studio; searches and bounds may do so side by side."""
        with self._sending:
            self._connection.send((what, number, content))

    def _do(self, desk: Any, job: Job, name: str, arguments: dict[str, Any]) -> None:
        try:
            answer = ("done", getattr(desk, name)(job, **arguments))
        except KiltError as error:
            answer = ("failed", str(error))
        except Exception as error:  # its text could hold a cell
            answer = ("failed", unexpected_text(error))
        self.send(answer[0], job.number, answer[1])

    def _listen(self) -> None:
        """Take calls and stops; if the studio is gone, go too, with all that lies in its folder."""
        try:
            while True:
                message = self._connection.recv()
                if message[0] == "stop":
                    self.stopped.add(message[1])
                else:
                    self._calls.put(message[1:])
        except (EOFError, OSError):
            shutil.rmtree(self._folder, ignore_errors=True)
            os._exit(0)


def serve(connection: Connection, folder: str, polite: bool) -> None:
    """Work until the studio ends; Ctrl-C is for the studio, which ends its processes itself."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["TMPDIR"] = tempfile.tempdir = folder
    if polite and hasattr(os, "nice"):
        os.nice(POLITE)
    Child(connection, folder).work()
