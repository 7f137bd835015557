"""The command ``verify``: what a table meets, and how it differs from its original."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from kilt.model.marks import ColumnMark, MarkSpec, default_mark, read_marks
from kilt.model.measure import Measure
from kilt.model.policy import Policy
from kilt.model.roles import Roles, Spec
from kilt.run.progress import Observer, Progress, silent
from kilt.sources.base import Source, beside_original
from kilt.sources.counted_table import read_decimals
from kilt.sources.file_format import FileStyle
from kilt.sources.indicators import found_indicators
from kilt.sources.registry import open_source
from kilt.verification.verdict import Verdict
from kilt.verification.verifier import judge


def verify(
    table: Any,
    *,
    quasi: Spec,
    sensitive: Spec = None,
    identifier: Spec = None,
    policy: Policy | None = None,
    original: Any = None,
    mark: MarkSpec = None,
    weights: Spec = None,
    measure: Measure | str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
    shuffled: bool = False,
    escape_formulas: bool = False,
    observer: Observer = silent,
) -> Verdict:
    """Say what a table meets: the largest k and l, the smallest t and average t, the risk, and what breaks a policy.

    ``table`` is a frame or the path of a file. With the ``original`` beside it, it is also checked
    that nothing but suppressed quasi cells differs; ``mark`` is what these look like, and stars are counted by the
    ``measure``. If its rows were ``shuffled``, they are matched one to one with rows of the original that they cover.
    ``escape_formulas`` says that the table was written so: what was escaped is read as what it was.
    """
    style = FileStyle(delimiter, encoding, sheet=sheet, escape_formulas=escape_formulas)
    if original is not None:
        given = (quasi, sensitive, identifier, mark, weights, measure, decimal)
        pair = open_beside(table, original, style, *given, observer=observer)
        observer(Progress("verifying"))
        return judge(pair.released, pair.roles, policy or Policy(), pair.original, pair.marks, shuffled=shuffled)
    observer(Progress("reading"))
    source = open_source(table, style)
    roles, marks = _read(source, quasi, sensitive, weights, measure, mark, style.encoding)
    observer(Progress("verifying"))
    return judge(source, read_decimals(roles, decimal, source), policy or Policy(), marks=marks)


@dataclass(frozen=True, eq=False)
class ReleasePair:
    """A release and its original, with the roles of their columns and the marks of suppressed cells."""

    released: Source
    original: Source
    roles: Roles
    marks: Mapping[str, ColumnMark]


def open_beside(
    table: Any,
    original: Any,
    style: FileStyle,
    quasi: Spec,
    sensitive: Spec,
    identifier: Spec,
    mark: MarkSpec,
    weights: Spec,
    measure: Measure | str | None,
    decimal: str | None,
    *,
    observer: Observer,
) -> ReleasePair:
    """Open a release and its original."""
    observer(Progress("reading"))
    source = open_source(table, style)
    roles, given = _read(source, quasi, sensitive, weights, measure, mark, style.encoding)
    observer(Progress("reading the original"))
    beside = open_source(original, replace(style, escape_formulas=False), source)
    moved = beside_original(source, beside)
    kinds = source if moved is source else beside  # a file with types has nulls where the original is not text
    roles = read_decimals(roles, decimal, beside)  # ladders read its values, which may have a type that is lost
    roles = replace(roles, identifier=tuple(Roles.read(beside.columns, list(roles.quasi), None, identifier).identifier))
    marks: dict[str, ColumnMark] = {
        name: given[name] if name in given else default_mark(ladder, typed=kinds.typed(name))
        for name, ladder in roles.quasi.items()
    }
    return ReleasePair(moved, beside, roles, marks)


def _read(
    source: Source,
    quasi: Spec,
    sensitive: Spec,
    weights: Spec,
    measure: Measure | str | None,
    mark: MarkSpec,
    encoding: str | None,
) -> tuple[Roles, dict[str, ColumnMark]]:
    """Read the roles of a release and the marks that are known of it."""
    roles = Roles.read(source.columns, quasi, sensitive, None, weights, measure, encoding=encoding)
    given = read_marks(mark, roles.quasi)
    return roles, given | dict(found_indicators(source, roles, given))
