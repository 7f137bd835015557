"""Files and folders of a run, named so that the next run can tell what a killed one left behind, and removes it.

A name says on which machine and in which process it was made. Where that is this machine, it is left behind if the
process has ended. Of other machines, which may share a disk with this one, and of this one before it was started again,
nobody knows; there it is left behind after a day.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import platform
import re
import secrets
import shutil
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

DAY = 24 * 60 * 60.0
NAMED = re.compile(r"\.?kilt-([0-9a-f]{8})-(\d+)-[0-9a-f]{8}(-.*)?", re.DOTALL)
_FOLDERS: list[Path] = []  # that this process has made in the folder for temporary files


def own_name() -> str:
    """Return a name that nothing has, which says whose it is."""
    return f"kilt-{_machine()}-{os.getpid()}-{secrets.token_hex(4)}"


def is_left_behind(name: str, age: float) -> bool:
    """Say whether something of this name, which was changed so many seconds ago, was left behind by a killed run."""
    found = NAMED.fullmatch(name)
    if found is None:
        return False
    return age > DAY if found[1] != _machine() or os.name != "posix" else not _runs(int(found[2]))


def remove_left_behind(folder: Path) -> None:
    """Remove what killed runs left behind in a folder."""
    for path in folder.glob("*kilt-*"):
        with suppress(OSError):  # it is gone, or somebody else's
            if not is_left_behind(path.name, time.time() - path.lstat().st_mtime):
                continue
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink()


def temporary_folder() -> Path:
    """Name a folder for temporary files, which is removed when this process ends, or after that if it is killed."""
    place = Path(tempfile.gettempdir())
    _sweep_once(place)
    _FOLDERS.append(place / own_name())
    return _FOLDERS[-1]


@atexit.register
def remove_folders() -> None:
    """Remove the temporary folders of this process."""
    for folder in _FOLDERS:
        if f"-{os.getpid()}-" in folder.name:  # a child that was forked leaves them to its parent
            shutil.rmtree(folder, ignore_errors=True)


@cache
def _sweep_once(place: Path) -> None:
    remove_left_behind(place)


@cache
def _machine() -> str:
    """Return what stands for this machine since it was started, and for the processes that are seen from here."""
    seen = [platform.node()]
    for path in (Path("/proc/sys/kernel/random/boot_id"), Path("/proc/self/ns/pid")):
        try:
            seen.append(str(path.stat().st_ino) if "ns" in path.parts else path.read_text())
        except OSError:
            continue
    return hashlib.sha256("\n".join(seen).encode()).hexdigest()[:8]


def _runs(process: int) -> bool:
    """Say whether a process runs, ours or that of somebody else."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
