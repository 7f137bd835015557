"""The verdict on a table: what it meets, what breaks the policy, its risks, and how it differs from its original."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from kilt.numbers import IntArray, decimal_text, json_number, pluralize


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
class Blurred:
    """What is blurred in a quasi column: how many stars that is, and in how many cells."""

    stars: Fraction
    cells: int


@dataclass(frozen=True)
class Fidelity:
    """How a release differs from its original: what is blurred in each quasi column, and every other difference.

    If rows were not compared one by one but ``matched``, the stars are those of one way to match them. ``pairs`` has
    for every quasi column the cells that differ: what they were, what they are, and their number.
    """

    columns: Mapping[str, Blurred]
    problems: tuple[str, ...]
    matched: bool = False
    pairs: Mapping[str, Sequence[tuple[str | None, str | None, int]]] = field(
        default_factory=dict, repr=False, compare=False
    )

    @property
    def stars(self) -> Fraction:
        """The stars of all quasi columns."""
        return sum((column.stars for column in self.columns.values()), Fraction(0))

    @property
    def cells(self) -> int:
        """How many cells are blurred."""
        return sum(column.cells for column in self.columns.values())

    @property
    def kept(self) -> bool:
        """Whether nothing but blurred quasi cells differs."""
        return not self.problems


@dataclass(frozen=True)
class Verdict:
    """What a table meets: the largest k, the largest l of every form, the smallest t; and what breaks the policy.

    ``average_t`` has the bits that the groups tell of each sensitive column on average. Groups that break the policy
    are ``broken``; the rules that the table as a whole breaks are ``broken_on_release``.
    """

    rows: int
    groups: int
    k: int
    l: dict[str, dict[str, Fraction]]
    t: dict[str, Fraction]
    average_t: dict[str, Fraction]
    policy: str
    broken: tuple[tuple[int, tuple[str, ...]], ...]
    broken_on_release: tuple[str, ...]
    risk: Risk
    c: Fraction
    sizes: IntArray = field(repr=False)
    quasi: tuple[str, ...] = field(repr=False)
    patterns: Callable[[Sequence[int]], list[tuple[str | None, ...]]] = field(repr=False)
    fidelity: Fidelity | None = None

    @property
    def met(self) -> bool:
        """Whether the policy is met and, compared with the original, nothing but stars differs."""
        return self.policy_met and (self.fidelity is None or self.fidelity.kept)

    @property
    def policy_met(self) -> bool:
        """Whether every group, and the table as a whole, meets the policy."""
        return not self.broken and not self.broken_on_release

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
        """Return all of it as plain JSON values; l is rounded down, t and average t up, to 6 digits."""
        found: dict[str, Any] = {
            "rows": self.rows,
            "groups": self.groups,
            "k": self.k,
            "l": {name: {form: json_number(l) for form, l in forms.items()} for name, forms in self.l.items()},
            "recursive_c": json_number(self.c),
            "t": {name: json_number(t, up=True) for name, t in self.t.items()},
            "average_t": {name: json_number(t, up=True) for name, t in self.average_t.items()},
            "policy": self.policy,
            "met": self.met,
            "violations": [{"pattern": v.pattern, "size": v.size, "rules": list(v.rules)} for v in self.violations],
            "broken_on_release": list(self.broken_on_release),
            "risk": {
                name: json_number(getattr(self.risk, name), up=True)
                for name in ("highest", "lowest", "average", "unique")
            },
        }
        if self.fidelity is not None:
            found["fidelity"] = {
                "kept": self.fidelity.kept,
                "stars": json_number(self.fidelity.stars, up=True),
                "cells": self.fidelity.cells,
                "columns": {
                    name: {"stars": json_number(column.stars, up=True), "cells": column.cells}
                    for name, column in self.fidelity.columns.items()
                },
                "problems": list(self.fidelity.problems),
                "matched": self.fidelity.matched,
            }
        return found

    def __repr__(self) -> str:
        closest = ", ".join(f"t={decimal_text(t, up=True)} on '{name}'" for name, t in self.t.items())
        where = f"in {pluralize(len(self.broken), 'group')}" if self.broken else "as a whole"
        verdict = f"meets {self.policy}" if self.policy_met else f"does not meet {self.policy} {where}"
        return (
            f"Verdict({pluralize(self.rows, 'row')} in {pluralize(self.groups, 'group')}, "
            f"k={self.k}{closest and ', ' + closest}; {verdict})"
        )
