"""What a killed run leaves behind is hidden, and the next run removes it; what is in use stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import kilt
from kilt import leftovers
from kilt.leftovers import is_left_behind, own_name, remove_left_behind, temporary_folder
from support.paths import HOSPITAL

STAGED = """
import sys, time
from pathlib import Path
from kilt.leftovers import temporary_folder
from kilt.staging import temporary_file
with temporary_file(Path(sys.argv[1])) as temporary:
    temporary.write_text("half a release")
    folder = temporary_folder()
    folder.mkdir()
    print(folder, flush=True)
    time.sleep(600)
"""


def hidden(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.startswith(".")]


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files that nobody else uses."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    leftovers._sweep_once.cache_clear()
    return folder


def test_what_a_killed_run_left_is_removed_by_the_next(tmp_path: Path, temporary: Path) -> None:
    target = tmp_path / "out.csv"
    words = [sys.executable, "-c", STAGED, str(target)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().strip())
        release = {"quasi": "Zipcode,Age", "keep": "Education,Disease", "policy": kilt.Policy(k=2)}
        kilt.anonymize(HOSPITAL, **release, output=target)
        assert len(hidden(tmp_path)) == 1  # it is in use
        assert folder.parent == temporary
        assert folder.exists()
        process.send_signal(signal.SIGKILL)
    assert len(hidden(tmp_path)) == 1
    leftovers._sweep_once.cache_clear()
    kilt.anonymize(HOSPITAL, **release, output=target)
    assert hidden(tmp_path) == []
    assert not folder.exists()


def test_of_other_machines_only_what_is_old_is_left_behind(tmp_path: Path) -> None:
    mine = own_name()
    other = mine.replace(mine.split("-")[1], "0" * 8)
    assert not is_left_behind(mine, 1e9)
    assert not is_left_behind(f".{other}-out.csv", 3_600)
    assert is_left_behind(f".{other}-out.csv", 90_000)
    for name in ("kilt-notes.txt", ".kilt-old-release", "release.csv", f"x{mine}"):
        assert not is_left_behind(name, 1e9)
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (0, 0))
    (tmp_path / f".{other}-folder").mkdir()
    (tmp_path / f".{other}-folder" / "part").touch()
    os.utime(tmp_path / f".{other}-folder", (0, 0))
    remove_left_behind(tmp_path)
    assert len(list(tmp_path.iterdir())) == 4


def test_temporary_folders_go_with_their_process(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leftovers, "_FOLDERS", [])
    folder = temporary_folder()
    folder.mkdir()
    with monkeypatch.context() as patch:
        patch.setattr(os, "getpid", lambda: 1)
        leftovers.remove_folders()  # of a child that was forked
    assert folder.exists()
    leftovers.remove_folders()
    assert not folder.exists()
