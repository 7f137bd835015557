"""Work on patterns, shared out over the cores in parts that do not depend on their number."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from kilt.kernels.bounds.by_size import CHUNKS
from kilt.numbers import FloatArray

FEW = 1_000  # patterns that are not worth a thread
ALL_CORES = os.cpu_count() or 1


class Worker(threading.Thread):
    """A thread that stands beside others, and says how many cores it may use."""

    cores = 1


def shared_out(patterns: int, work: Callable[[int], None]) -> None:
    """Do all parts of a work, by threads: kernels let go of the interpreter."""
    cores = getattr(threading.current_thread(), "cores", ALL_CORES)
    if patterns < FEW or cores == 1:
        for chunk in range(CHUNKS):
            work(chunk)
        return
    with ThreadPoolExecutor(cores) as threads:
        list(threads.map(work, range(CHUNKS)))


def taken_by(patterns: int, kinds: int, work: Callable[[int, FloatArray], None]) -> FloatArray:
    """Do all parts of a work that counts copies of row types, and add up what they count, always in the same order."""
    taken = np.zeros((CHUNKS, kinds))
    shared_out(patterns, lambda chunk: work(chunk, taken[chunk]))
    return np.asarray(taken.sum(axis=0))
