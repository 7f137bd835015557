"""The example tables that ship with kilt, and how to get a copy of one."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from kilt.errors import InputError, nearest
from kilt.staging import require_writable, staged_bytes

EXAMPLES = {
    "hospital": "10 patients of the paper, the table of `kilt demo`",
    "patients": "3,000 stays in a hospital, the table of the tutorial; nobody in it exists",
    "professions": "a taxonomy of the professions of the patients: 80 values in 14 fields",
    "diagnoses": "a taxonomy of the diagnoses of the patients: 40 values in 10 chapters",
}


def example(name: str) -> bytes:
    """Return an example as it ships."""
    if name not in EXAMPLES:
        raise InputError(f"there is no example '{name}': {nearest(name, EXAMPLES)}")
    return (files("kilt") / "data" / f"{name}.csv").read_bytes()


def write_example(name: str, path: Path, *, force: bool = False) -> None:
    """Write a copy of an example, over an existing file only if that is asked for."""
    content = example(name)
    require_writable(path, "copy")
    if path.exists() and not force:
        raise InputError(f"'{path}' exists already: choose another name with -o FILE, or replace it with --force")
    with staged_bytes(path, content) as put:
        put()
