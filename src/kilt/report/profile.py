"""A profile as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from kilt.errors import printable
from kilt.numbers import decimal_text, pluralize
from kilt.report.text import columns_text, part

if TYPE_CHECKING:
    from kilt.inspection.possible import PossibleOn
    from kilt.inspection.profile import ColumnProfile, Profile

HEADER = ("column", "kind", "values", "missing", "unique rows", "proposal")


def profile_text(profile: Profile) -> str:
    """Show the columns, how they single rows out, what is possible, and what is proposed."""
    table = profile.settings.get("input")
    named = f"{'standard input' if table == '-' else printable(table)}: " if table else ""
    lines = [
        f"{named}{pluralize(profile.rows, 'row')}, {pluralize(len(profile.columns), 'column')}",
        "",
        *columns_text(HEADER, [_cells(column, profile.rows) for column in profile.columns]),
        "",
        *_values(profile),
        *_together(profile),
        "why:",
        *(f"  {printable(column.name)}: {printable(column.proposal.reason)}" for column in profile.columns),
        "",
        f"possible: k up to {profile.possible.k:,}",
        *(line for each in profile.possible.sensitive for line in _possible(each)),
        *(f"note: {printable(note)}" for note in profile.notes),
    ]
    return "\n".join(lines)


def _cells(column: ColumnProfile, rows: int) -> tuple[str, ...]:
    proposal = column.proposal
    words = (proposal.role, proposal.ladder, proposal.space, proposal.mark and f"mark {proposal.mark}")
    return (
        printable(column.name),
        column.kind,
        f"{column.distinct:,}",
        f"{column.missing:,}",
        _share(column.unique, rows),
        " ".join(word for word in words if word),
    )


def _values(profile: Profile) -> Iterator[str]:
    """Name frequent values."""
    shown = [column for column in profile.columns if column.values]
    if not shown:
        return
    yield "frequent values:" if profile.shown_from <= 1 else f"values of at least {profile.shown_from} rows:"
    for column in shown:
        values = (f"{_quoted(value)} ({pluralize(rows, 'row')})" for value, rows in column.values)
        yield f"  {printable(column.name)}: {', '.join(values)}"
    yield ""


def _quoted(value: str | None) -> str:
    return "(missing)" if value is None else printable(value) if value.strip() else '""'


def _together(profile: Profile) -> Iterator[str]:
    found, rows = profile.uniqueness, profile.rows
    drawn = "" if found.drawn is None else f" (chosen on {found.drawn:,} rows, counted on all)"
    for what, each in (("pairs", found.pairs), ("triples", found.triples)):
        if each:
            yield f"rows that are unique in {what} of proposed quasi columns{drawn}:"
            yield from (f"  {_named(one.columns)}: {_share(one.unique, rows)}" for one in each)
    if not found.quasi.columns:
        return
    yield f"rows that are unique in all proposed quasi columns: {_share(found.quasi.unique, rows)}"
    yield "of these are left if columns are hidden one after the other, those that help most first:"
    yield from (f"  {printable(step.column)}: {_share(step.left, rows)}" for step in found.order)
    yield ""


def _named(columns: tuple[str, ...]) -> str:
    return ", ".join(map(printable, columns))


def _possible(found: PossibleOn) -> Iterator[str]:
    forms = (f"{decimal_text(l, 3)} {form}{' (c=1)' if form == 'recursive' else ''}" for form, l in found.l.items())
    yield f"possible on '{printable(found.column)}': l up to {', '.join(forms)}"
    open_ = found.farthest is None or found.farthest >= 1
    asks = "" if open_ else f"; {decimal_text(found.farthest or Fraction(0), 3, up=True)} or more asks for nothing"
    yield f"possible on '{printable(found.column)}': t from 0 on{asks}"


def _share(count: int, rows: int) -> str:
    return part(Fraction(count, max(1, rows)))
