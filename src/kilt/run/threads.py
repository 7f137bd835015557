"""Work on all cores, in parts that do not depend on their number."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np

from kilt.kernels.bounds.by_size import CHUNKS
from kilt.numbers import FloatArray

FEW = 1_000  # patterns that are not worth a thread
ALL_CORES = os.cpu_count() or 1
Part = TypeVar("Part")
Found = TypeVar("Found")


class LimitedThread(threading.Thread):
    """A thread that stands beside others, and says how many cores it may use."""

    cores = 1


def for_each_chunk(patterns: int, work: Callable[[int], None]) -> None:
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
    for_each_chunk(patterns, lambda chunk: work(chunk, taken[chunk]))
    return np.asarray(taken.sum(axis=0))


def on_all_cores(work: Callable[[Part], Found], parts: Iterable[Part]) -> list[Found]:
    """Do a work on all parts, by threads: kernels let go of the interpreter."""
    with ThreadPoolExecutor(ALL_CORES) as threads:
        return list(threads.map(work, parts))
