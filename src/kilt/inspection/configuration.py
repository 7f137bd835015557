"""Proposals as a configuration: a commented `kilt.toml` that `kilt anonymize --config` takes as it is."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from kilt.errors import InputError, printable
from kilt.numbers import decimal_text, pluralize
from kilt.staging import is_same_file, require_writable, staged_bytes

if TYPE_CHECKING:
    from kilt.inspection.profile import ColumnProfile, Profile

K, L, T = 5, 2, "0.2"  # where to begin: all three are the user's to choose
MOST_VALUES = 1_000  # of a column that l is proposed for: where hardly two rows share a value, it says nothing
COMPRESSED = (".gz", ".zst")
DATABASES = (".duckdb", ".ddb")
HEAD = """\
# Proposed by kilt inspect for a table of {rows}. Nothing is decided yet: read it, change what
# you know better (you know the people; kilt has seen the cells only), then run it with
#   kilt anonymize --config {file}
"""
ROLES = {
    "identifier": "Dropped: they tell who somebody is.",
    "keep": "Released as they are: they tell nothing about single persons.",
    "quasi": "Blurred as little as possible, as their ladders say: others may know them ('suppress': hidden or not).",
    "sensitive": "Released as they are: what the policy protects. A space says how far two values are apart.",
}
MARKS = "What a suppressed cell looks like, where * could be mistaken for a value."
REPORT = "a page on the release, for those who decide"
DIVERSE = "l-diversity: at most 1/l of the rows of a group share a value."
CLOSE = f"""\
# t-closeness: no group is farther than t from the table. Take the # away to ask for it; {T} is a place to begin.
# Smaller is stricter; 0 is met by one group of all rows."""


def write_config(profile: Profile, path: Path, *, force: bool = False) -> None:
    """Write the configuration; never over the table, and over another file only if that is asked for."""
    require_writable(path, "configuration", table=profile.settings.get("input"))
    if path.exists() and not force:
        raise InputError(f"'{path}' exists already: choose another name, or replace it with --force")
    if "input" in profile.settings and is_same_file(path, path.parent / _release_name(profile)):
        raise InputError(f"the configuration '{path}' would be replaced by the release: choose another name")
    text = config_text(profile, path.parent, path.name)
    with staged_bytes(path, text.encode()) as put:
        put()


def config_text(profile: Profile, folder: Path, file: str = "kilt.toml") -> str:
    """Return the text; paths are relative to the folder."""
    if not profile.with_role("quasi"):
        raise InputError("no column could be blurred: all identify persons, are sensitive or are the same in all rows")
    head = HEAD.format(rows=pluralize(profile.rows, "row"), file=printable(file))
    parts = [head, *_settings(profile, folder), *_lists(profile), *_policy(profile), *_tables(profile)]
    return "\n".join(parts).rstrip() + "\n"


def _settings(profile: Profile, folder: Path) -> Iterator[str]:
    """Say where the table is, how it is written, and where the release goes."""
    settings = dict(profile.settings)
    given = settings.pop("input", None)
    if given is None:
        yield "# The table and the release are given on the command line: kilt anonymize TABLE -o RELEASE --config ..."
    else:
        table = given if given == "-" else Path(os.path.relpath(Path(given).absolute(), folder.absolute())).as_posix()
        yield f"input = {quoted(table)}"
        yield f"output = {quoted(_release_name(profile))}"
        yield f"report = {quoted(_report(_release_name(profile)))} # {REPORT}"
    yield from (f"{name} = {quoted(value)}" for name, value in settings.items())
    yield ""


def _release_name(profile: Profile) -> str:
    """Name the release after the table; that of a folder is a folder."""
    given = profile.settings["input"]
    return f"{Path(given).name}-release" if "engine" in profile.settings else release_name(given)


def release_name(given: str) -> str:
    """Name the release of a table after it."""
    if given == "-":
        return "release.csv"
    path = Path(given.partition("?")[0] if any(suffix in given for suffix in DATABASES) else given)
    last = path.suffix if path.suffix.lower() in COMPRESSED else ""
    stem = Path(path.name.removesuffix(last))
    kind = ".csv" if stem.suffix.lower() in (*DATABASES, "", ".xlsm") else stem.suffix
    return f"{stem.stem}-release{kind}{last}"


def _report(output: str) -> str:
    """Name the report after the release."""
    return output.rpartition("release")[0] + "report.html"


def _lists(profile: Profile) -> Iterator[str]:
    for role, columns in (("identifier", profile.with_role("identifier")), ("keep", profile.with_role("keep"))):
        if columns:
            lines = (f"  {quoted(column.name)}, # {printable(column.proposal.reason)}" for column in columns)
            yield "\n".join([f"# {ROLES[role]}", f"{role} = [", *lines, "]", ""])


def _policy(profile: Profile) -> Iterator[str]:
    yield f"# k-anonymity: every group has at least k rows (k up to {profile.possible.k:,} is possible)."
    yield f"k = {min(K, profile.rows)}\n"


def _tables(profile: Profile) -> Iterator[str]:
    quasi, sensitive = profile.with_role("quasi"), profile.with_role("sensitive")
    yield _table("quasi", ROLES["quasi"], ((c, quoted(c.proposal.ladder), c.proposal.reason) for c in quasi))
    marked = [column for column in quasi if column.proposal.mark]
    if marked:
        yield _table("mark", MARKS, ((c, quoted(c.proposal.mark), "") for c in marked))
    if not sensitive:
        return
    yield _table("sensitive", ROLES["sensitive"], ((c, quoted(c.proposal.space), c.proposal.reason) for c in sensitive))
    largest = {each.column: each.l["frequency"] for each in profile.possible.sensitive}
    shared = min(MOST_VALUES, profile.rows // 2)
    diverse = [c for c in sensitive if largest[c.name] >= L and c.distinct <= shared]
    if diverse:
        up_to = ((c, str(L), f"up to {decimal_text(largest[c.name], 2)} is possible") for c in diverse)
        yield _table("l", DIVERSE, up_to)
    asks = {each.column: each.farthest for each in profile.possible.sensitive}
    yield "\n".join([CLOSE, "# [t]", *(f"# {key(c.name)} = {T}{_nothing(asks[c.name])}" for c in sensitive)])


def _nothing(farthest: Fraction | None) -> str:
    return (
        "" if farthest is None or farthest >= 1 else f" # {decimal_text(farthest, 3, up=True)} or more asks for nothing"
    )


def _table(name: str, comment: str, lines: Iterable[tuple[ColumnProfile, str, str]]) -> str:
    written = (f"{key(column.name)} = {word}{f' # {printable(why)}' if why else ''}" for column, word, why in lines)
    return "\n".join([f"# {comment}", f"[{name}]", *written, ""])


def key(name: str) -> str:
    """Write a column as a key of TOML."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else quoted(name)


def quoted(text: str | None) -> str:
    """Write a text as TOML does; a character that an editor would not show, or would obey, is written as its number."""
    return "".join(_shown(each) for each in json.dumps(text or "", ensure_ascii=False))


def _shown(sign: str) -> str:
    if sign.isprintable():
        return sign
    return f"\\u{ord(sign):04x}" if ord(sign) < 1 << 16 else f"\\U{ord(sign):08x}"
