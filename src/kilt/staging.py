"""Staging: a file is written next to its place and renamed into it at the end, so that nothing half written is left."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

from kilt.errors import InputError, KiltError
from kilt.leftovers import own_name, remove_left_behind


def require_writable(path: Path, what: str, **others: Any) -> None:
    """Raise unless the file can be written, and is none of the others."""
    for name, other in others.items():
        if isinstance(other, str | PathLike) and is_same_file(path, Path(other)):
            raise InputError(f"the {what} '{path}' is the {name}: choose another file")
    if not path.name or path.is_dir():
        raise InputError(f"the {what} '{path}' is a folder: name a file")
    if path.exists() and not path.is_file():
        raise InputError(f"the {what} '{path}' is not a file that can be replaced")
    if not path.parent.is_dir():
        raise InputError(f"the folder '{path.parent}' of the {what} does not exist")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise InputError(f"the folder '{path.parent}' of the {what} is not writable")


def is_same_file(path: Path, other: Path) -> bool:
    """Say whether two paths lead to one file, which need not exist yet."""
    return path.resolve() == other.resolve() or (path.exists() and other.exists() and path.samefile(other))


@contextmanager
def staged_bytes(path: Path, content: bytes) -> Iterator[Callable[[], None]]:
    """Write a file next to its place; the function that is yielded puts it there."""
    with temporary_file(path) as temporary:
        temporary.write_bytes(content)
        yield lambda: put_in_place(temporary, path)


@contextmanager
def temporary_file(path: Path) -> Iterator[Path]:
    """Name a hidden file next to the target, and leave nothing of it behind, nor of runs that were killed."""
    remove_left_behind(path.parent)
    temporary = path.with_name(f".{own_name()}-{path.name}")
    try:
        yield temporary
    except OSError as error:
        raise KiltError(f"'{path}' cannot be written: {error.strerror}; nothing was written") from None
    finally:
        temporary.unlink(missing_ok=True)


def put_in_place(temporary: Path, path: Path) -> None:
    """Rename a temporary file into its place, once its bytes are on the disk."""
    with temporary.open("rb") as file:
        os.fsync(file.fileno())
    temporary.replace(path)
