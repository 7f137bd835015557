"""The independent check of a release: it counts again, from the released cells themselves.

It shares the definitions of the principles with the rest of kilt, but no solver: what a table
meets is read off the table alone. With the original beside it, it also checks that nothing but
blurred quasi cells differs, and counts their stars.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from kilt.model.diversity import FORMS, Form
from kilt.model.ladders import MARK, Mark
from kilt.model.policy import Policy, SensitiveColumn
from kilt.model.roles import Roles, Spec
from kilt.model.rules import Groups, Rules, differences, whole_of
from kilt.model.spaces import Ground
from kilt.numbers import FloatArray, IntArray, counted, decimal_text, plain
from kilt.sources.registry import open_source
from kilt.sources.tally import Comparison, Tally


class Table(Protocol):
    """What the verifier needs of a table, wherever it lives."""

    def tally(self, quasi: Sequence[str], sensitive: Sequence[str]) -> Tally:
        """Count the groups."""

    def compare(self, original: Any, identifier: Sequence[str], order: IntArray | None) -> Comparison:
        """Put the cells beside those of the original, row by row."""

    def distinct(self, column: str) -> list[str | None]:
        """Return the distinct values of a column as text."""


@dataclass(frozen=True)
class Violation:
    """A group that breaks the policy: what it shows, its size, and the rules it breaks."""

    pattern: dict[str, str | None]
    size: int
    rules: tuple[str, ...]


@dataclass(frozen=True)
class Risk:
    """Prosecutor risk: the chance to pick the right row of somebody who is known to be in the table."""

    highest: Fraction
    lowest: Fraction
    average: Fraction
    unique: Fraction

    @classmethod
    def of(cls, sizes: IntArray) -> Risk:
        """Read the risks off the sizes of the groups."""
        rows = int(sizes.sum())
        return cls(
            highest=Fraction(1, int(sizes.min())),
            lowest=Fraction(1, int(sizes.max())),
            average=Fraction(len(sizes), rows),
            unique=Fraction(int((sizes == 1).sum()), rows),
        )


@dataclass(frozen=True)
class Fidelity:
    """How a release differs from its original: its stars, and every difference that is not a blurred quasi cell."""

    stars: Fraction
    cells: int
    problems: tuple[str, ...]

    @property
    def kept(self) -> bool:
        """Whether nothing but blurred quasi cells differs."""
        return not self.problems


@dataclass(frozen=True)
class Verdict:
    """What a table meets: the largest k, the largest l of every form, the smallest t; and what breaks the policy."""

    rows: int
    groups: int
    k: int
    l: dict[str, dict[str, Fraction]]
    t: dict[str, Fraction]
    policy: str
    broken: tuple[tuple[int, tuple[str, ...]], ...]
    risk: Risk
    c: Fraction
    sizes: IntArray = field(repr=False)
    quasi: tuple[str, ...] = field(repr=False)
    patterns: Callable[[Sequence[int]], list[tuple[str | None, ...]]] = field(repr=False)
    fidelity: Fidelity | None = None

    @property
    def met(self) -> bool:
        """Whether the policy is met and, with the original beside it, nothing but stars differs."""
        return not self.broken and (self.fidelity is None or self.fidelity.kept)

    @cached_property
    def violations(self) -> tuple[Violation, ...]:
        """The groups that break the policy, smallest first."""
        shown = self.patterns([group for group, _ in self.broken])
        found = [
            (int(self.sizes[group]), cells, rules) for (group, rules), cells in zip(self.broken, shown, strict=True)
        ]
        found.sort(key=lambda entry: (entry[0], [(cell is not None, cell or "") for cell in entry[1]]))
        return tuple(Violation(dict(zip(self.quasi, cells, strict=True)), size, rules) for size, cells, rules in found)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain JSON values; l is rounded down and t up, to 6 digits."""
        found: dict[str, Any] = {
            "rows": self.rows,
            "groups": self.groups,
            "k": self.k,
            "l": {name: {form: plain(l) for form, l in forms.items()} for name, forms in self.l.items()},
            "recursive_c": plain(self.c),
            "t": {name: plain(t, up=True) for name, t in self.t.items()},
            "policy": self.policy,
            "met": self.met,
            "violations": [{"pattern": v.pattern, "size": v.size, "rules": list(v.rules)} for v in self.violations],
            "risk": {
                name: plain(getattr(self.risk, name), up=True) for name in ("highest", "lowest", "average", "unique")
            },
        }
        if self.fidelity is not None:
            found["fidelity"] = {
                "kept": self.fidelity.kept,
                "stars": plain(self.fidelity.stars, up=True),
                "cells": self.fidelity.cells,
                "problems": list(self.fidelity.problems),
            }
        return found

    def __repr__(self) -> str:
        closest = ", ".join(f"t={decimal_text(t, up=True)} on '{name}'" for name, t in self.t.items())
        broken = f"does not meet {self.policy} in {counted(len(self.broken), 'group')}"
        verdict = broken if self.broken else f"meets {self.policy}"
        return (
            f"Verdict({counted(self.rows, 'row')} in {counted(self.groups, 'group')}, "
            f"k={self.k}{closest and ', ' + closest}; {verdict})"
        )


def verify(
    table: Any,
    *,
    quasi: Spec,
    sensitive: Spec = None,
    identifier: Spec = None,
    policy: Policy | None = None,
    original: Any = None,
    mark: str | None = None,
    weights: Spec = None,
    delimiter: str | None = None,
) -> Verdict:
    """Say what a table meets: the largest k and l, the smallest t, the risk, and what breaks a policy.

    ``table`` is a frame or the path of a file. With the ``original`` beside it, it is also checked
    that nothing but suppressed quasi cells differs; ``mark`` is what these look like.
    """
    source = open_source(table, delimiter)
    roles = Roles.read(source.columns, quasi, sensitive, None, weights)
    if original is None:
        return check(source, roles, policy or Policy())
    beside = open_source(original, delimiter, source)
    roles = replace(roles, identifier=tuple(Roles.read(beside.columns, list(roles.quasi), None, identifier).identifier))
    marks = {
        name: mark if mark is not None else (MARK if ladder.text_only or not source.typed(name) else None)
        for name, ladder in roles.quasi.items()
    }
    return check(source, roles, policy or Policy(), beside, marks)


def check(
    table: Table,
    roles: Roles,
    policy: Policy,
    original: Table | None = None,
    marks: Mapping[str, Mark] | None = None,
    order: IntArray | None = None,
) -> Verdict:
    """Count the table and decide; with the original (and the marks of suppressed cells), check fidelity too.

    ``order`` says which row of the original each row of the table is, if rows were shuffled.
    """
    tally = table.tally(list(roles.quasi), list(roles.sensitive))
    columns = [
        SensitiveColumn(c.name, c.values, c.reference(), space)
        for c, space in zip(tally.sensitive, roles.sensitive.values(), strict=True)
    ]
    policy.columns([column.name for column in columns])
    rules = policy.bind(columns)
    grounds = [column.space.on(column.values, column.name) for column in columns]
    recursive = policy.recursive
    forms: list[Form] = [*FORMS.values(), recursive]
    largest: dict[str, dict[str, Fraction]] = {column.name: {} for column in columns}
    smallest = {column.name: Fraction(0) for column in columns}
    broken: list[tuple[int, tuple[str, ...]]] = []
    for start, groups in tally.blocks():
        broken += _broken(rules, groups, start)
        for index, (column, ground) in enumerate(zip(columns, grounds, strict=True)):
            found, counts = largest[column.name], groups.counts[index]
            for form in forms:
                l = form.largest(counts)
                found[form.name] = min(l, found.get(form.name, l))
            distance = farthest(counts, column.reference, ground)
            smallest[column.name] = max(smallest[column.name], distance)
    return Verdict(
        rows=int(tally.sizes.sum()),
        groups=len(tally),
        k=int(tally.sizes.min()),
        l=largest,
        t=smallest,
        policy=str(policy),
        broken=tuple(broken),
        risk=Risk.of(tally.sizes),
        c=recursive.c,
        sizes=tally.sizes,
        quasi=tuple(roles.quasi),
        patterns=tally.patterns,
        fidelity=None if original is None else _fidelity(table, original, roles, marks or {}, order),
    )


def _broken(rules: Rules, groups: Groups, start: int) -> list[tuple[int, tuple[str, ...]]]:
    """Return the groups that break some rule, with the names of the rules."""
    verdicts = [(str(rule), rule.meets(groups)) for rule in rules]
    legal = np.logical_and.reduce([v for _, v in verdicts]) if verdicts else np.ones(len(groups), dtype=bool)
    return [
        (start + int(group), tuple(name for name, v in verdicts if not v[group])) for group in np.flatnonzero(~legal)
    ]


def farthest(counts: IntArray, reference: IntArray, ground: Ground) -> Fraction:
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


def _fidelity(
    table: Table, original: Table, roles: Roles, marks: Mapping[str, Mark], order: IntArray | None
) -> Fidelity:
    """Check that every cell is its original or, in a quasi column, a blur of it; count the stars."""
    comparison = table.compare(original, roles.identifier, order)
    before, after = comparison.rows
    problems = [f"it has {counted(after, 'row')} and the original {before:,}"] if before != after else []
    problems += [f"the column '{name}' is missing" for name in comparison.missing]
    problems += [
        f"the identifier '{name}' is still there" if name in roles.identifier else f"the column '{name}' is new"
        for name in comparison.added
    ]
    stars, cells, kept_column_differs = Fraction(0), 0, False
    for name, pairs in comparison.differing.items():
        ladder = roles.quasi.get(name)
        values = original.distinct(name) if ladder is not None and pairs else []
        if ladder is not None and ladder.ambiguous(values, marks.get(name)):
            problems.append(
                f"'{name}' holds what a suppressed cell looks like as a value: stars cannot be told from it"
            )
        widest = [max((value for value in values if value is not None), key=len, default=None)]
        wrong = 0
        for was, now, count in pairs:
            cost = None if ladder is None else ladder.stars(was, now, widest, marks.get(name))
            wrong += 0 if cost is not None else count
            stars += (cost or 0) * count
            cells += 0 if cost is None else count
        if wrong:
            problems.append(f"'{name}' differs from the original in {counted(wrong, 'cell')} that should be the same")
            kept_column_differs = kept_column_differs or ladder is None
    if kept_column_differs and order is None:
        problems.append("if its rows were shuffled, they cannot be compared with the original row by row")
    return Fidelity(stars, cells, tuple(problems))
