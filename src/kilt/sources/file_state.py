"""Whether files are still what they were when they were read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kilt.errors import InputError


@dataclass(frozen=True)
class FileState:
    """What the system says of some files: which they are, how long, and when they were changed last."""

    paths: tuple[Path, ...]
    found: tuple[tuple[int, ...] | None, ...]

    @classmethod
    def of(cls, *paths: Path) -> FileState:
        """Look at files, which need not exist."""
        return cls(paths, tuple(map(_look, paths)))

    def require_unchanged(self) -> None:
        """Raise if one of the files is another one now, or has changed."""
        if FileState.of(*self.paths) != self:
            raise InputError(f"'{self.paths[0]}' was changed while it was being anonymized: run it again")


def _look(path: Path) -> tuple[int, ...] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
