"""Releases and verdicts as text for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from kilt.errors import printable_lines
from kilt.model.policy import AverageCloseness, LDiversity
from kilt.numbers import bound_percent, decimal_text, percent, pluralize
from kilt.verification.verdict import Verdict

if TYPE_CHECKING:
    from kilt.release.left import ColumnLeft
    from kilt.release.release import Release

SHOWN = 10


def release_text(release: Release) -> str:
    """Say what was released, how good it is, and what was verified; warnings stand before all else."""
    guarantee = "" if release.guarantee is None else f" ({release.guarantee})"
    lines = [
        *([f"WARNING: {'; '.join(release.warnings)}"] if release.warnings else []),
        f"{pluralize(release.rows, 'row')} in {pluralize(len(release.sizes), 'group')}, {loss(release)}",
        quality(release),
        f"detail left: {left_text(release)}",
        f"verified: {reached(release)}; nothing but stars differs from the original",
        f"solver {release.solver}{guarantee}, {release.seconds - release.verifying_seconds:.1f} s, "
        f"and {release.verifying_seconds:.1f} s to verify and write",
        *(f"note: {note}" for note in release.notes),
    ]
    return printable_lines(lines)


def loss(release: Release) -> str:
    """Say how much is lost, and how much of it must be: in stars, too, where cells are not blurred in steps."""
    stars = "" if release.blurs else f"{release.stars:,} stars: "
    lost = "of the quasi cells are hidden" if release.counts_cells else "of the detail is lost"
    least = release.exact_least / release.most_stars if release.most_stars else Fraction(0)
    must = release.must_be_lost
    at_least = "" if must is None else f"; at least {bound_percent(must, release.lost)} must be"
    return f"{stars}{percent(release.lost)} {lost}{by_least_levels(least)}{at_least}"


def by_least_levels(share: Fraction) -> str:
    """Say what the least levels of ladders cost everybody, where they cost something."""
    return f" ({percent(share)} by the least levels alone)" if share else ""


def left_text(release: Release) -> str:
    """Say how much of each quasi column is left; of many columns, those that have lost the most."""
    worst = sorted(release.left, key=lambda name: release.left[name].detail)[:SHOWN]
    shown = [f"'{name}' {_left(column)}" for name, column in release.left.items() if name in worst]
    others = [column.detail for name, column in release.left.items() if name not in worst]
    rest = [f"and {pluralize(len(others), 'column')} with at least {part(min(others))}"] if others else []
    return ", ".join([*shown, *rest])


def _left(column: ColumnLeft) -> str:
    detail, cells = part(column.detail), part(column.cells)
    return detail if cells == detail else f"{detail} ({cells} of cells untouched)"


def part(share: Fraction) -> str:
    """Write a share that is left, rounded down; only nothing is written as 0%, and only all of it as 100%."""
    return "<0.1%" if 0 < share < Fraction(1, 1000) else f"{decimal_text(100 * share, 1)}%"


def quality(release: Release) -> str:
    """Say how far the stars can be from the optimum."""
    if release.bound is None:
        better = "lose less" if release.blurs else "exist with fewer stars"
        return f"no lower bound is known: a release under {release.policy} may {better}"
    if release.status != "feasible":
        better = "lose less" if release.blurs else "have fewer stars"
        return f"{release.status}: no release under {release.policy} can {better}"
    how = " (proved in floating point)" if release.proof == "float" else ""
    gap = percent(Fraction(release.gap or 0))
    if release.blurs:
        return f"the gap is {gap}{how}: another release under {release.policy} could lose at most that much less"
    return f"no release under {release.policy} can have fewer than {release.bound:,} stars (gap {gap}){how}"


def verdict_text(verdict: Verdict) -> str:
    """Say what a table meets, what breaks the policy, and what the risks are."""
    risk = verdict.risk
    lines = [f"{pluralize(verdict.rows, 'row')} in {pluralize(verdict.groups, 'group')}", f"largest k: {verdict.k}"]
    for name, forms in verdict.l.items():
        known = ", ".join(f"{decimal_text(l)} {_form(form, verdict)}" for form, l in forms.items())
        lines.append(f"largest l of '{name}': {known}")
    lines += [f"smallest t of '{name}': {decimal_text(t, up=True)}" for name, t in verdict.t.items()]
    lines += [f"average t of '{name}': {decimal_text(t, up=True)} bits" for name, t in verdict.average_t.items()]
    lines.append(
        f"re-identification risk of a row: highest {percent(risk.highest)}, average {percent(risk.average)}, "
        f"lowest {percent(risk.lowest)}; {percent(risk.unique)} of the rows are unique"
    )
    return printable_lines([*lines, *_policy_lines(verdict), *_fidelity_lines(verdict)])


def _policy_lines(verdict: Verdict) -> list[str]:
    if verdict.policy == "no principle":
        return []
    if verdict.policy_met:
        return [f"the policy {verdict.policy} is met"]
    if not verdict.broken:
        whole = ", ".join(verdict.broken_on_release)
        return [f"the policy {verdict.policy} is NOT met: the table as a whole violates {whole}"]
    rows = sum(int(verdict.sizes[group]) for group, _ in verdict.broken)
    verb = "violates" if len(verdict.broken) == 1 else "violate"
    lines = [
        f"the policy {verdict.policy} is NOT met: {len(verdict.broken):,} of {pluralize(verdict.groups, 'group')} "
        f"({pluralize(rows, 'row')}) {verb} it",
        *(f"  the table as a whole violates {rule}" for rule in verdict.broken_on_release),
    ]
    for violation in verdict.violations[:SHOWN]:
        pattern = ", ".join("(missing)" if cell is None else cell for cell in violation.pattern.values())
        lines.append(f"  {pluralize(violation.size, 'row'):>9}  [{pattern}]  violates {', '.join(violation.rules)}")
    if len(verdict.broken) > SHOWN:
        lines.append(f"  ... and {len(verdict.broken) - SHOWN:,} more (--json lists them all)")
    return lines


def _fidelity_lines(verdict: Verdict) -> list[str]:
    fidelity = verdict.fidelity
    if fidelity is None:
        return []
    if fidelity.kept:
        stars = decimal_text(fidelity.stars, 2, up=True)
        whole = fidelity.stars == int(fidelity.stars)  # else cells are blurred, and each is a part of a star
        found = f"nothing but {stars} stars{'' if whole else ' (hidden and blurred cells)'} differs from the original"
        return [f"{found}, whose rows are in another order" if fidelity.matched else found]
    return [f"NOT faithful to the original: {problem}" for problem in fidelity.problems]


def _form(form: str, verdict: Verdict) -> str:
    return f"{form} (c={decimal_text(verdict.c)})" if form == "recursive" else form


def reached(release: Release) -> str:
    """Say what the verifier found: k, every l that the policy asks for, t, and average t if the policy asks for it."""
    verdict = release.verdict
    asked = [principle for principle in release.policy.principles if isinstance(principle, LDiversity)]
    diverse = [
        f"l={decimal_text(forms[principle.form.name])} ({_form(principle.form.name, verdict)}) on '{name}'"
        for principle in asked
        for name, forms in verdict.l.items()
        if principle.column in (None, name)
    ]
    closest = [f"t={decimal_text(t, up=True)} on '{name}'" for name, t in verdict.t.items()]
    averaged = [principle for principle in release.policy.principles if isinstance(principle, AverageCloseness)]
    average = [
        f"average t={decimal_text(t, up=True)} on '{name}'"
        for name, t in verdict.average_t.items()
        if any(principle.column in (None, name) for principle in averaged)
    ]
    return ", ".join([f"k={verdict.k}", *diverse, *closest, *average])


def columns_text(header: Sequence[str], rows: Sequence[Sequence[str | None]]) -> list[str]:
    """Lay out cells in columns, one line per row, the header first."""
    table = [list(header), *(["" if cell is None else cell for cell in row] for row in rows)]
    widths = [max(len(row[i]) for row in table) for i in range(len(header))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table]


def figures_text(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lay out names and figures, one line per row, the header first: names to the left, figures to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        (row[0].ljust(widths[0]) + "".join(c.rjust(w + 2) for c, w in zip(row[1:], widths[1:], strict=True))).rstrip()
        for row in rows
    ]
