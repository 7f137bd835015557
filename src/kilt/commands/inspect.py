"""The command ``inspect``: what a table is before any policy, and what could be done with it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from os import PathLike
from typing import Any

from kilt.inspection.kinds import decimal_sign, kind_of
from kilt.inspection.possible import Possible, possible_on
from kilt.inspection.profile import ColumnProfile, Profile
from kilt.inspection.propose import Inspected
from kilt.inspection.uniqueness import uniqueness_of
from kilt.model.column_counts import ColumnCounts
from kilt.model.decimal_sign import POINT, require_decimal
from kilt.model.ladders import Domain
from kilt.run.progress import Observer, Progress, silent
from kilt.sources.base import Source
from kilt.sources.combinations import combinations_of, count_values, nested_in
from kilt.sources.file_format import FileStyle
from kilt.sources.registry import open_source
from kilt.sources.spark_folder import SparkFolder

RARE = 10  # values of fewer rows are not shown, unless the user asks for them
FILE = "duckdb://"


def inspect(
    data: Any,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
    show_values: bool = False,
    observer: Observer = silent,
) -> Profile:
    """Say what a table is before any policy, and propose roles, ladders and spaces; nothing is applied.

    ``data`` is what `kilt.anonymize` takes. Values of fewer than 10 rows, and those of columns that identify persons,
    are not in the profile, unless ``show_values`` is set.
    """
    require_decimal(decimal)
    observer(Progress("reading"))
    source = open_source(data, FileStyle(delimiter, encoding, sheet=sheet))
    counts, domains = [], _Domains(source)
    for place, name in enumerate(source.columns):
        observer(Progress(f"looking at column {place + 1} of {len(source.columns)}"))
        counts.append(count_values(source, name, domains.of))
    typed = {name: source.typed(name) for name in source.columns}
    signs = _decimals(source, [each for each in counts if not typed[each.name]], decimal)
    inspected = [
        Inspected(
            each,
            kind_of(each, signs[each.name], nested_in(source, each.name)),
            partial(domains.of, each.name),
            typed[each.name],
            signs[each.name],
        )
        for each in counts
    ]
    columns = tuple(_profile(each, show_values=show_values) for each in inspected)
    observer(Progress("counting columns together"))
    together = combinations_of(source, [column.name for column in columns if column.proposal.role == "quasi"])
    uniqueness = uniqueness_of(together, source.rows, {each.name: each.distinct for each in counts})
    together.close()
    sensitive = [column for column in columns if column.proposal.role == "sensitive"]
    possible = [possible_on(domains.of(c.name), c.proposal.space or "equal", signs[c.name]) for c in sensitive]
    comma = "," if "," in signs.values() else decimal
    return Profile(
        rows=source.rows,
        columns=columns,
        uniqueness=uniqueness,
        possible=Possible(source.rows, tuple(possible)),
        shown_from=1 if show_values else RARE,
        settings=_settings(data, delimiter=delimiter, encoding=encoding, decimal=comma, sheet=sheet),
        notes=source.notes,
    )


class _Domains:
    """The domains of columns, each read once."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._known: dict[str, Domain] = {}

    def of(self, name: str) -> Domain:
        if name not in self._known:
            self._known[name] = self._source.domain(name)
        return self._known[name]


def _decimals(source: Source, texts: list[ColumnCounts], decimal: str | None) -> Mapping[str, str]:
    """Return the decimal sign of every column; numbers that are typed have a point wherever they are written."""
    style = getattr(source, "style", None)
    of_workbook = dict(style.kinds) if isinstance(style, FileStyle) else {}
    texts = [each for each in texts if each.name not in of_workbook]
    sign = decimal or decimal_sign(texts)
    return {**dict.fromkeys(source.columns, POINT), **{each.name: sign for each in texts}}


def _profile(inspected: Inspected, *, show_values: bool) -> ColumnProfile:
    counts, kind = inspected.counts, inspected.kind
    shown = [(value, rows) for value, rows in counts.frequent if value is not None and value.strip()]
    return ColumnProfile(
        name=counts.name,
        kind=kind.name,
        reason=kind.reason,
        distinct=counts.distinct,
        missing=counts.missing,
        unique=counts.unique,
        values=tuple(each for each in shown if show_values or (each[1] >= RARE and not kind.identifies)),
        proposal=inspected.proposal(),
    )


def _settings(data: Any, **style: str | None) -> dict[str, str]:
    """Return how the table was given; the address of a server is left out, because a password may stand in it."""
    settings = {name: value for name, value in style.items() if value is not None}
    if isinstance(data, SparkFolder):
        settings |= {"engine": "spark", **({"master": data.master} if data.master else {})}
    path = str(data).removeprefix(FILE) if isinstance(data, str | PathLike) else None
    return settings if path is None or "://" in path else {"input": path, **settings}
