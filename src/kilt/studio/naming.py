"""Names of files that come from a browser, and of those that go back to it."""

from __future__ import annotations

import re

from kilt.errors import InputError
from kilt.inspection.configuration import release_name

KNOWN = (".csv", ".tsv", ".tab", ".txt", ".parquet", ".pq", ".xlsx", ".xlsm")
COMPRESSED = (".gz", ".zst")
LONGEST = 100  # characters


def safe_name(given: str) -> str:
    """Return the last part of a name, without whatever could lead elsewhere or hide it."""
    last = re.split(r"[/\\]", given)[-1]
    kept = "".join(each for each in last if each.isprintable() and each not in '<>:"|?*').strip().lstrip(".-")
    plain = kept.lower()
    for suffix in COMPRESSED:
        plain = plain.removesuffix(suffix)
    if not plain.endswith(KNOWN):
        raise InputError(f"the name of a table must end in one of {', '.join(KNOWN)} (then .gz or .zst if compressed)")
    return kept[-LONGEST:]


def release_file(name: str) -> str:
    """Return how the release of a file is called."""
    found = release_name(name)
    plain = found.lower().removesuffix(".gz").removesuffix(".zst")
    return found if plain.endswith(KNOWN[:-1]) else f"{found}.csv"
