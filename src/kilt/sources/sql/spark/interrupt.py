"""Work of Spark's that Ctrl-C ends at once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

Answer = TypeVar("Answer")


def interruptible(
    work: Callable[[], Answer], cancel: Callable[[], object], interrupted: Callable[[], bool] = lambda: False
) -> Answer:
    """Do the work in a thread of its own, so that Ctrl-C reaches us and not the bridge to Java, which swallows it.

    Where ``interrupted`` says so, the work is cancelled, and fails by itself.
    """
    answer: list[Answer] = []
    failure: list[BaseException] = []
    done = threading.Event()

    def job() -> None:
        try:
            answer.append(work())
        except BaseException as error:  # handed over to the thread that waits
            failure.append(error)
        finally:
            done.set()

    try:
        threading.Thread(target=job, daemon=True).start()
        while not done.wait(0.2):
            if interrupted():
                cancel()
    except BaseException:
        cancel()
        while not done.wait(0.2):
            cancel()  # what had not begun when it was cancelled has begun now
        raise
    if failure:
        raise failure[0]
    return answer[0]
