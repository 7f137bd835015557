"""Work on all cores, in chunks that do not depend on their number."""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

import numpy as np

from kilt.numbers import FloatArray

CHUNKS = 16  # of patterns, whatever the number of cores, so that sums are always the same
FEW = 1_000  # patterns for which threads do not pay off
ALL_CORES = os.cpu_count() or 1
Part = TypeVar("Part")
Found = TypeVar("Found")


class LimitedThread(threading.Thread):
    """A thread in the background, with the number of cores that it may use."""

    cores = 1


class PerThread(threading.local, Generic[Part]):
    """One object for each thread, ``mine``, made when it is first asked for: scratch space that is not shared."""

    def __init__(self, make: Callable[[], Part]) -> None:
        self.mine = make()


def for_each_chunk(patterns: int, work: Callable[[int], None]) -> None:
    """Do all chunks of the work, by threads: kernels release the interpreter lock."""
    cores = getattr(threading.current_thread(), "cores", ALL_CORES)
    if patterns < FEW or cores == 1:
        for chunk in range(CHUNKS):
            work(chunk)
        return
    with ThreadPoolExecutor(cores) as threads:
        list(threads.map(work, range(CHUNKS)))


def taken_by(patterns: int, n_row_types: int, work: Callable[[int, FloatArray], None]) -> FloatArray:
    """Do all chunks of a work that counts copies of row types, and add up the counts, always in the same order."""
    taken = np.zeros((CHUNKS, n_row_types))
    for_each_chunk(patterns, lambda chunk: work(chunk, taken[chunk]))
    return np.asarray(taken.sum(axis=0))


def on_all_cores(work: Callable[[Part], Found], parts: Iterable[Part]) -> list[Found]:
    """Do the work on all parts, by threads: kernels release the interpreter lock."""
    with ThreadPoolExecutor(ALL_CORES) as threads:
        return list(threads.map(work, parts))


GRACE = 0.3  # seconds that a library has to end by itself when it is told to
LAST_GRACE = 10.0  # seconds that all of them have together when the process ends
_abandoned: list[threading.Thread] = []


def run_until(work: Callable[[], object], is_over: Callable[[], bool]) -> bool:
    """Do a work that looks at the clock too rarely in a thread, and say whether it ended.

    If it does not end soon after it should, it is left to end when it will; whoever called goes on without it.
    """
    failed: list[BaseException] = []

    def job() -> None:
        try:
            work()
        except BaseException as error:  # handed over to the thread that waits
            failed.append(error)

    thread = threading.Thread(target=job, daemon=True)
    thread.start()
    while thread.is_alive() and not is_over():
        thread.join(0.02)
    thread.join(GRACE)
    if thread.is_alive():
        abandon(thread)
        return False
    if failed:
        raise failed[0]
    return True


def abandon(thread: threading.Thread) -> None:
    """Leave a thread to end when it will: nobody waits for it, but the end of the process for a while."""
    _abandoned.append(thread)


def has_abandoned() -> bool:
    """Say whether some work is still going on that nobody waits for."""
    return any(thread.is_alive() for thread in _abandoned)


@atexit.register
def _wait_for_abandoned() -> None:
    """Let abandoned work end before the interpreter takes away what it uses, unless it goes on for long."""
    until = time.monotonic() + LAST_GRACE
    for thread in _abandoned:
        thread.join(max(0.0, until - time.monotonic()))
