"""Where a release is written: to a temporary file beside the target, verified from there, then renamed."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kilt.errors import InputError, KiltError
from kilt.sources.base import Source
from kilt.sources.file_format import FileFormat

if TYPE_CHECKING:
    from kilt.verification.verifier import Verdict

FRAME = "a release is written only if the table was read from a file; a frame comes back as 'release.frame'"
SUFFIXES = (".csv", ".tsv", ".tab", ".txt", ".parquet", ".pq")


@dataclass(frozen=True)
class Target:
    """A file that a release can be written to."""

    form: FileFormat

    @classmethod
    def of(cls, path: Path, data: Any, delimiter: str | None = None) -> Target:
        """Check, before any work is done, that the file can be written."""
        if data is not None and not isinstance(data, str | PathLike):
            raise InputError(FRAME)
        form = FileFormat.of(path, delimiter)
        name = path.name.lower().removesuffix(".gz").removesuffix(".zst")
        if not name.endswith(SUFFIXES):
            raise InputError(
                f"the output '{path}' must end in one of {', '.join(SUFFIXES)} (then .gz or .zst if wanted)"
            )
        if form.kind == "parquet" and form.compression != "none":
            raise InputError(
                f"the output '{path}' is Parquet, which is compressed by itself: leave out the last ending"
            )
        require_writable(path, "output", input=data)
        return cls(form)

    @property
    def typed(self) -> bool:
        """Whether the file keeps the types of columns."""
        return self.form.kind == "parquet"

    def write(self, released: Source, verified: Callable[[Source], Verdict]) -> Verdict:
        """Write, verify what was written, and only then put it in place."""
        from kilt.sources.duck.table import DuckSource  # noqa: PLC0415 - only where a file is written

        if not isinstance(released, DuckSource):
            raise InputError(FRAME)
        form = self.form.written_like(released.delimiter)
        with _temporary(form.path) as temporary:
            released.write(replace(form, path=temporary))
            verdict = verified(released.beside(temporary, form.delimiter))
            _put_in_place(temporary, form.path)
        return verdict


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
def staged(path: Path, content: bytes) -> Iterator[Callable[[], None]]:
    """Write a file beside its place; the function that is handed over puts it there."""
    with _temporary(path) as temporary:
        temporary.write_bytes(content)
        yield lambda: _put_in_place(temporary, path)


@contextmanager
def _temporary(path: Path) -> Iterator[Path]:
    """Name a hidden file beside the target, and leave nothing of it behind."""
    temporary = path.with_name(f".kilt-{secrets.token_hex(6)}-{path.name}")
    try:
        yield temporary
    except OSError as error:
        raise KiltError(f"'{path}' cannot be written: {error.strerror}; nothing was written") from None
    finally:
        temporary.unlink(missing_ok=True)


def _put_in_place(temporary: Path, path: Path) -> None:
    with temporary.open("rb") as file:
        os.fsync(file.fileno())
    temporary.replace(path)
