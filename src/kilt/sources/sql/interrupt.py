"""Work that Ctrl-C ends at once: it is done in a thread of its own, and cancelled where it is done."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

Answer = TypeVar("Answer")


def interruptible(work: Callable[[], Answer], cancel: Callable[[], None]) -> Answer:
    """Do the work in a thread of its own, so that Ctrl-C reaches us at once, and the library through us."""
    answer: list[Answer] = []
    failure: list[BaseException] = []
    begun, done = threading.Event(), threading.Event()

    def job() -> None:
        begun.set()
        try:
            answer.append(work())
        except BaseException as error:  # handed over to the thread that waits
            failure.append(error)
        finally:
            done.set()

    try:
        threading.Thread(target=job).start()
        while not done.wait(0.2):
            pass
    except BaseException:
        begun.wait(0.2)
        while begun.is_set() and not done.wait(0.02):
            cancel()
        raise
    if failure:
        raise failure[0]
    return answer[0]
