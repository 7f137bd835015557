"""The command itself: how it begins, how it ends, and what is left then."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the studio is not installed: pip install 'kilt[studio]'")

from kilt.studio.security import Keys
from support.command import PATIENCE, RUN
from support.paths import HOSPITAL
from support.studio import Client, Visitor


class Started(Visitor):
    """A studio in a process of its own, which somebody visits."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [*RUN, "studio", str(HOSPITAL), "--no-browser"],
            env={**os.environ, "TMPDIR": str(folder)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.printed = ""
        while "token=" not in self.printed:
            line = self.process.stdout.readline()
            assert line, self.process.stderr.read()
            self.printed += line
        port = int(re.search(r":(\d+)/\?token=(\S+)", self.printed)[1])
        address = re.search(r"http://127.0.0.1:\d+(\S+)", self.printed)[1]
        cookie = Client(port).get(address).headers["set-cookie"].partition(";")[0].partition("=")[2]
        super().__init__(None, Keys(port, "", cookie))

    def run_for_long(self) -> None:
        """Begin a run that would last."""
        self.wait("/table/live", "Continue")
        self.open(name="patients")
        self.decide("columns")
        self.decide("policy", k="5", l="", t="")
        self.post("/run/start", limit="time", time="900")
        self.wait("/run/live", "stars, best so far")

    def children(self) -> list[int]:
        """Return the processes that work for it; another one of Python's watches over resources, and ends by itself."""
        tasks = Path(f"/proc/{self.process.pid}/task")
        found = [int(pid) for task in tasks.iterdir() for pid in (task / "children").read_text().split()]
        return [pid for pid in found if "spawn_main" in Path(f"/proc/{pid}/cmdline").read_text()]


@pytest.fixture
def started(tmp_path) -> Iterator[Started]:
    if not Path("/proc/self/task").exists():
        pytest.skip("there is no /proc here")
    found = Started(tmp_path)
    yield found
    found.process.kill()
    found.process.wait()
    found.process.stdout.close()
    found.process.stderr.close()


def test_ctrl_c_ends_everything(started):
    started.run_for_long()
    children = started.children()
    assert len(children) >= 2
    (folder,) = started.folder.glob("kilt-*")
    assert (folder.stat().st_mode & 0o777) == 0o700
    started.process.send_signal(signal.SIGINT)
    assert started.process.wait(PATIENCE) == 0
    assert list(started.folder.iterdir()) == []
    assert not any(Path(f"/proc/{child}").exists() for child in children)
    said = started.printed + started.process.stdout.read() + started.process.stderr.read()
    assert "the studio has ended" in said
    assert not re.search("98765|Bachelor|Wagabach|retired", said)  # values of the two tables


def test_a_studio_that_is_killed_leaves_nothing(started):
    started.run_for_long()
    started.process.kill()
    started.process.wait()
    until = time.monotonic() + PATIENCE
    while list(started.folder.iterdir()):
        assert time.monotonic() < until, list(started.folder.rglob("*"))
        time.sleep(0.1)
