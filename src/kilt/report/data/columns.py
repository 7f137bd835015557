"""Where detail was lost: every quasi column, level by level."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction

from kilt.certificates.question import ladder_text, space_text
from kilt.errors import InputError
from kilt.model.ladders import Domain, Ladder, PathLadder, Priced
from kilt.model.marks import ladder_mark
from kilt.model.spaces import Space
from kilt.numbers import json_number
from kilt.report.data.levels import levels_of
from kilt.report.data.model import ReportColumn, ReportLevel
from kilt.report.data.subject import Subject

Cells = Counter[tuple[str | None, str | None]]  # what cells were and are, with their number
OFF = "not on the ladder"


def columns_of(subject: Subject) -> tuple[ReportColumn, ...]:
    """Describe every quasi column."""
    return tuple(_column(subject, index, name) for index, name in enumerate(subject.roles.quasi))


def _column(subject: Subject, index: int, name: str) -> ReportColumn:
    ladder, blurred = subject.roles.quasi[name], subject.fidelity.columns[name]
    domain, rows = subject.before.domain(index, name), subject.verdict.rows
    cells = cells_of(domain, subject.fidelity.pairs.get(name, ()))
    levels = levels_of(ladder, domain, ladder_mark(subject.marks.get(name)))
    found: Counter[int | None] = Counter()
    for (was, now), count in cells.items():
        found[levels.level(was, now)] += count
    shown = [(found[level], text) for level, text in enumerate(levels.names)]
    shown = [(count, text) for count, text in shown if count or text == levels.names[0]]
    shown += [(found[None], OFF)] if found[None] else []
    entropy, told = entropy_of(_marginal(cells, 0).values()), _information(cells)
    return ReportColumn(
        name=name,
        ladder=ladder_name(ladder),
        levels=tuple(ReportLevel(text, count, count / rows) for count, text in shown),
        cells=blurred.cells,
        stars=json_number(blurred.stars, up=True),
        detail_left=json_number(1 - blurred.stars / (rows * top_stars(ladder, domain))),
        entropy=round(entropy, 6),
        entropy_left=round(told, 6),
        entropy_kept=round(told / entropy, 6) if entropy else 1.0,
    )


def cells_of(domain: Domain, pairs: Iterable[tuple[str | None, str | None, int]]) -> Cells:
    """Count all cells of a column by what they were and are, given those that differ."""
    same: Counter[str | None] = Counter()
    for value, count in zip(domain.values, domain.counts.tolist(), strict=True):
        same[value] += count
    cells: Cells = Counter()
    for was, now, count in pairs:
        cells[was, now] += count
        same[was] -= count
    cells.update({(value, value): count for value, count in same.items() if count > 0})
    return cells


def entropy_of(counts: Iterable[int]) -> float:
    """Return the entropy of a distribution in bits."""
    known = [count for count in counts if count]
    total = sum(known)
    return -sum(count / total * math.log2(count / total) for count in known) if total else 0.0


def _marginal(cells: Cells, side: int) -> Counter[str | None]:
    found: Counter[str | None] = Counter()
    for pair, count in cells.items():
        found[pair[side]] += count
    return found


def _information(cells: Cells) -> float:
    """Return how many bits the released cells tell of the original ones: their mutual information."""
    both = entropy_of(cells.values())
    told = entropy_of(_marginal(cells, 0).values()) + entropy_of(_marginal(cells, 1).values()) - both
    return max(0.0, told)


def top_stars(ladder: Ladder, domain: Domain) -> Fraction:
    """Return what it costs to hide a cell altogether: the weight, for every character if these are hidden alone."""
    inner = ladder.ladder if isinstance(ladder, Priced) else ladder
    pieces = 1 if isinstance(inner, PathLadder) else len(ladder.encode(domain).columns)
    return getattr(ladder, "weight", Fraction(1)) * pieces


def can_blur(ladder: Ladder, domain: Domain) -> bool:
    """Say whether cells may be blurred in steps: the ladder has more than two levels."""
    inner = ladder.ladder if isinstance(ladder, Priced) else ladder
    if isinstance(inner, PathLadder):
        low, high = inner.span(domain)
        return high > low + 1
    return any(len(column.levels) > 2 for column in ladder.encode(domain).columns)


def ladder_name(ladder: Ladder) -> str:
    """Name a ladder; one of another package is named by its class."""
    try:
        return ladder_text(ladder)
    except InputError:
        return type(ladder).__name__


def space_name(space: Space) -> str:
    """Name a space; one of another package is named by its class."""
    try:
        return space_text(space)
    except InputError:
        return type(space).__name__
