"""The independent check of a release: it counts again, from the released cells themselves.

It shares the definitions of the principles with the rest of kilt, but no solver: what a table
meets is read off the table alone. Given the original, it also checks that nothing but
blurred quasi cells differs, and counts their stars.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from kilt.errors import VerificationError
from kilt.model.diversity import FORMS, Form
from kilt.model.information import Information, group_powers
from kilt.model.ladders import Domain, Ladder, Mark
from kilt.model.marks import ColumnMark, ladder_mark
from kilt.model.policy import Policy, SensitiveColumn
from kilt.model.roles import Roles
from kilt.model.rules import Groups, Rules, differences, whole_of
from kilt.model.spaces import GroundDistance
from kilt.numbers import FloatArray, IntArray, decimal_text, pluralize
from kilt.sources.base import CountedRow
from kilt.sources.indicators import merge_indicators
from kilt.sources.tally import Comparison, Tally
from kilt.verification.matching import Matching, QuasiColumn, match
from kilt.verification.verdict import Blurred, Fidelity, Risk, Verdict


class Table(Protocol):
    """What the verifier needs of a table, wherever it lives."""

    def tally(self, quasi: Sequence[str], sensitive: Sequence[str]) -> Tally:
        """Count the groups."""

    def compare(self, original: Any, identifier: Sequence[str], blurred: Sequence[str]) -> Comparison:
        """Compare the cells with those of the original; those of ``blurred`` columns in pairs."""

    def domain(self, column: str) -> Domain:
        """Return the distinct values of a column as text, with the number of rows that have each."""

    def counted_rows(self, columns: Sequence[str]) -> list[CountedRow]:
        """Return what is different in some columns as text, with its number of rows."""

    @property
    def columns(self) -> Sequence[str]:
        """The names of the columns."""

    @property
    def rows(self) -> int:
        """The number of rows."""


def judge(
    table: Table,
    roles: Roles,
    policy: Policy,
    original: Table | None = None,
    marks: Mapping[str, ColumnMark] | None = None,
    *,
    shuffled: bool = False,
) -> Verdict:
    """Count the table and decide; with the original (and the marks of suppressed cells), check fidelity too.

    An indicator is read into its column first: what it says is part of what a group looks like. If the rows of the
    table were ``shuffled``, or have no order, they are matched with rows of the original that they cover.
    """
    table = merge_indicators(table, marks or {})
    tally = table.tally(list(roles.quasi), list(roles.sensitive))
    columns = [
        SensitiveColumn(c.name, c.values, c.reference(), space)
        for c, space in zip(tally.sensitive, roles.sensitive.values(), strict=True)
    ]
    policy.columns([column.name for column in columns])
    rules = policy.bind(columns)
    recursive = policy.recursive
    forms: list[Form] = [*FORMS.values(), recursive]
    largest: dict[str, dict[str, Fraction]] = {column.name: {} for column in columns}
    smallest = {column.name: Fraction(0) for column in columns}
    told: dict[str, Counter[int]] = {column.name: Counter() for column in columns}
    broken: list[tuple[int, tuple[str, ...]]] = []
    for start, groups in tally.blocks():
        broken += _broken(rules, groups, start)
        for index, column in enumerate(columns):
            found, counts = largest[column.name], groups.counts[index]
            for form in forms:
                l = form.largest(counts)
                found[form.name] = min(l, found.get(form.name, l))
            distance = farthest(counts, column.reference, column.ground)
            smallest[column.name] = max(smallest[column.name], distance)
            told[column.name].update(group_powers(counts))
    seen = {name: ladder_mark(mark) for name, mark in (marks or {}).items()}
    information = {column.name: Information.of_parts(told[column.name], column.reference) for column in columns}
    return Verdict(
        rows=int(tally.sizes.sum()),
        groups=len(tally),
        k=int(tally.sizes.min()),
        l=largest,
        t=smallest,
        average_t={name: found.bits() for name, found in information.items()},
        policy=str(policy),
        broken=tuple(broken),
        broken_on_release=tuple(str(rule) for rule in rules.on_release if not rule.allows(information[rule.name])),
        risk=Risk.of(tally.sizes),
        c=recursive.c,
        sizes=tally.sizes,
        quasi=tuple(roles.quasi),
        patterns=tally.patterns,
        fidelity=None if original is None else _fidelity(table, original, roles, seen, shuffled=shuffled),
    )


def _broken(rules: Rules, groups: Groups, start: int) -> list[tuple[int, tuple[str, ...]]]:
    """Return the groups that break some rule, with the names of the rules."""
    verdicts = [(str(rule), rule.meets(groups)) for rule in rules]
    legal = np.logical_and.reduce([v for _, v in verdicts]) if verdicts else np.ones(len(groups), dtype=bool)
    return [
        (start + int(group), tuple(name for name, v in verdicts if not v[group])) for group in np.flatnonzero(~legal)
    ]


def farthest(counts: IntArray, reference: IntArray, ground: GroundDistance) -> Fraction:
    """Return the largest distance of a group to the table: bounds and floats find the candidates, fractions decide."""
    if not len(counts):
        return Fraction(0)
    difference, whole = differences(counts, reference), whole_of(counts, reference, ground)
    farthest_first = np.argsort(-_share(ground.bounds(difference)[1], whole), kind="stable")
    found, step = Fraction(0), 64
    for start in range(0, len(counts), step):
        chosen = farthest_first[start : start + step]
        high = _share(ground.bounds(difference[chosen])[1], whole[chosen])
        chosen = chosen[high > float(found) * (1 - 1e-9)]
        if not len(chosen):
            break
        pairs = set(zip(ground.work(difference[chosen]).tolist(), whole[chosen].tolist(), strict=True))
        found = max(found, *(Fraction(int(work), int(one)) for work, one in pairs))
    return found


def _share(work: IntArray, whole: IntArray) -> FloatArray:
    return np.asarray(work.astype(np.float64) / whole.astype(np.float64))


def _compare(table: Table, original: Table, roles: Roles, marks: Mapping[str, Mark], *, shuffled: bool) -> Comparison:
    """Compare the table with its original, row by row or, if that cannot be, by matching rows."""
    if not shuffled:
        comparison = table.compare(original, roles.identifier, list(roles.quasi))
        if comparison.paired is not None:
            return comparison
    expected = [name for name in original.columns if name not in roles.identifier]
    rows = original.rows, table.rows
    missing = tuple(name for name in expected if name not in table.columns)
    found = Matching({}, 0)
    if rows[0] == rows[1] and not missing:
        columns = [QuasiColumn(n, ladder, original.domain(n), marks.get(n)) for n, ladder in roles.quasi.items()]
        names = [*roles.quasi, *(name for name in expected if name not in roles.quasi)]
        found = match(table.counted_rows(names), original.counted_rows(names), columns)
    added = tuple(name for name in table.columns if name not in expected)
    return Comparison(rows, missing, added, found.differing, {}, found.unmatched, "matching")


def _fidelity(table: Table, original: Table, roles: Roles, marks: Mapping[str, Mark], *, shuffled: bool) -> Fidelity:
    """Check that every cell is its original or, in a quasi column, a blur of it; count the stars."""
    comparison = _compare(table, original, roles, marks, shuffled=shuffled)
    matched = comparison.paired == "matching"
    before, after = comparison.rows
    problems = [f"it has {pluralize(after, 'row')} and the original {before:,}"] if before != after else []
    problems += [f"the column '{name}' is missing" for name in comparison.missing]
    problems += [
        f"the identifier '{name}' is still there" if name in roles.identifier else f"the column '{name}' is new"
        for name in comparison.added
    ]
    columns = {name: Blurred(Fraction(0), 0) for name in roles.quasi}
    if comparison.unmatched:
        left = pluralize(comparison.unmatched, "row")
        problems.append(f"{left} of it cannot be matched with a row of the original that no other row was made of")
        return Fidelity(columns, tuple(problems), matched)
    for name, pairs in comparison.differing.items():
        ladder = roles.quasi[name]
        if pairs or ladder.hides_values:
            found = _compared(ladder, original.domain(name), pairs, marks.get(name))
            columns[name] = Blurred(found.stars, found.cells)
            problems += found.problems(name)
    for name, count in comparison.changed.items():
        problems += _Compared(wrong=count).problems(name)
    if any(comparison.changed.values()) and comparison.paired == "order":
        problems.append(
            "if its rows were shuffled, they cannot be compared with the original row by row: say so with --shuffled"
        )
    return Fidelity(columns, tuple(problems), matched, comparison.differing)


@dataclass(frozen=True)
class _Compared:
    """What the cells of a column cost, how many are blurred, and what is wrong with them."""

    stars: Fraction = Fraction(0)
    cells: int = 0
    wrong: int = 0
    bare: int = 0
    ambiguous: bool = False

    def problems(self, name: str) -> Iterator[str]:
        """Say what is wrong."""
        if self.ambiguous:
            yield f"'{name}' contains the mark of suppressed cells as a value: stars cannot be told from values"
        if self.wrong:
            yield f"'{name}' differs from the original in {pluralize(self.wrong, 'cell')} that should be the same"
        if self.bare:
            yield f"'{name}' shows {pluralize(self.bare, 'value')} that its least level hides"


def _compared(ladder: Ladder, domain: Domain, pairs: Sequence[tuple[Mark, Mark, int]], mark: Mark) -> _Compared:
    """Add up the cells that differ from their original and, if the ladder hides every value, those that do not."""
    same: Counter[str | None] = Counter()
    if ladder.hides_values:
        for value, count in zip(domain.values, domain.counts.tolist(), strict=True):
            same[value] += count
        for was, _, count in pairs:
            same[was] -= count
    blurred: Counter[Fraction | None] = Counter()
    for was, now, count in pairs:
        blurred[ladder.stars(was, now, domain, mark)] += count
    shown: Counter[Fraction | None] = Counter()
    for value, count in same.items():
        shown[ladder.stars(value, value, domain, mark) if count else Fraction(0)] += count
    paid = ((cost, count) for found in (blurred, shown) for cost, count in found.items() if cost is not None)
    stars = sum((cost * count for cost, count in paid), Fraction(0))
    wrong, bare = blurred[None], shown[None]
    cells = blurred.total() - wrong
    return _Compared(stars, cells, wrong, bare, ladder.ambiguous(domain, mark) > 0)


def require_verified(verdict: Verdict, stars: Fraction) -> Verdict:
    """Raise unless the verifier found the policy met, nothing but stars changed, and as many as claimed."""
    fidelity = verdict.fidelity
    if fidelity is None or not verdict.met or fidelity.stars != stars:
        seen = "?" if fidelity is None else decimal_text(fidelity.stars)
        found = "".join(f"; {problem}" for problem in (fidelity.problems if fidelity else ()))
        raise VerificationError(
            "the verifier refused the release, nothing was written: the policy is violated by "
            f"{pluralize(len(verdict.broken), 'group')}"
            + "".join(f" and in {rule}" for rule in verdict.broken_on_release)
            + f", {seen} stars found, {decimal_text(stars)} claimed{found}; please report this as a bug"
        )
    return verdict
