"""Work in threads: what does not end in time is left behind, and what fails is not lost."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from kilt.run import threads
from kilt.run.threads import PerThread, has_abandoned, on_all_cores, run_until


def test_work_that_ends_is_waited_for():
    done = []
    assert run_until(lambda: done.append(1), lambda: False)
    assert done == [1]


def test_work_that_does_not_end_is_left_behind(monkeypatch):
    monkeypatch.setattr(threads, "_abandoned", [])
    end = threading.Event()
    assert not run_until(end.wait, lambda: True)
    assert has_abandoned()
    end.set()
    threads._abandoned[0].join(10)
    assert not has_abandoned()


ENDLESS = """
import threading
from kilt.run import threads
threads.LAST_GRACE = 0.1
assert not threads.run_until(threading.Event().wait, lambda: True)
"""


def test_a_process_ends_though_work_that_was_left_behind_does_not():
    done = subprocess.run([sys.executable, "-c", ENDLESS], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_fails_is_raised():
    def fail() -> None:
        raise MemoryError

    with pytest.raises(MemoryError):
        run_until(fail, lambda: False)


def test_parts_keep_their_order():
    assert on_all_cores(lambda part: part * part, range(20)) == [part * part for part in range(20)]


def test_each_thread_has_an_object_of_its_own():
    scratch, found = PerThread(list), []
    thread = threading.Thread(target=lambda: found.append(scratch.mine))
    thread.start()
    thread.join(10)
    assert scratch.mine is scratch.mine
    assert found[0] is not scratch.mine
