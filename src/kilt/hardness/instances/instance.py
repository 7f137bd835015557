"""A table under a policy: what all reductions lead to.

Rows are numbered from 0, and a partition is given by the rows of its groups. The stars of a partition are counted here
by the definition of the paper; the solvers count them by row types and patterns.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import ClassVar, TypeAlias

import numpy as np

from kilt.certificates.proof.evidence import Arithmetic, Status, status_of
from kilt.errors import InputError
from kilt.hardness.problems.problem import Goal, OptimizationProblem
from kilt.model.ladders import Suppression, priced
from kilt.model.partition import Partition
from kilt.model.policy import KAnonymity, Policy
from kilt.model.problem import Problem
from kilt.model.row_types import RowTypes
from kilt.model.spaces import EqualDistance, Metric
from kilt.numbers import IntArray, Number
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule
from kilt.solvers.registry import solver as solver_of
from kilt.solvers.solve import solve

Groups: TypeAlias = tuple[tuple[int, ...], ...]

SENSITIVE = "s"
MOST_CELLS = 50_000_000


@dataclass(frozen=True)
class Table:
    """Quasi columns by name, rows of text, and where there is a sensitive column its value in every row.

    A star counts ``weights[j]`` in column j, and 1 where there are no weights.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    sensitive: tuple[str, ...] | None = None
    weights: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if not self.columns:
            raise InputError("this source makes a table without columns: it needs at least one edge or tuple")

    @property
    def weighted(self) -> tuple[int, ...]:
        """What a star counts in every column."""
        return self.weights or (1,) * len(self.columns)

    @property
    def size(self) -> int:
        """What it costs to hide all cells of one row."""
        return sum(self.weighted)

    def to_dict(self) -> dict[str, list[str]]:
        """Return the cells by column, as data frames take them."""
        cells = {name: [row[j] for row in self.rows] for j, name in enumerate(self.columns)}
        return cells if self.sensitive is None else {**cells, SENSITIVE: list(self.sensitive)}

    def to_csv(self) -> str:
        """Return the table as the text of a CSV file."""
        cells = self.to_dict()
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([cells, *zip(*cells.values(), strict=True)])
        return text.getvalue()


@dataclass(frozen=True)
class Answer:
    """What a solver found: the groups, their stars, and a lower bound on any (None if none is proved)."""

    groups: Groups
    stars: int
    bound: int | None = None
    proof: Arithmetic = "exact"

    @property
    def optimal(self) -> bool:
        """Whether the bound proves that there is nothing better, be it in floating point."""
        return self.status != "feasible"

    @property
    def status(self) -> Status:
        """What the bound proves: ``optimal``, ``optimal (floating point)`` or ``feasible``."""
        return status_of(self.stars, self.bound, self.proof)


@dataclass(frozen=True)
class Instance(OptimizationProblem[Groups]):
    """A table under a policy: find the partition with the fewest stars, or one with at most ``threshold``."""

    counts: ClassVar[str] = "stars"
    table: Table
    policy: Policy
    threshold: int | None = None
    space: Metric | None = None

    @property
    def goal(self) -> Goal | None:
        """The threshold."""
        return None if self.threshold is None else Goal(self.threshold)

    @property
    def k(self) -> int:
        """The k of a policy that asks for k-anonymity and nothing else."""
        if [type(principle) for principle in self.policy.principles] != [KAnonymity]:
            raise InputError(f"this reduction starts from k-anonymity, and the policy is {self.policy}")
        return next(principle.k for principle in self.policy.principles if isinstance(principle, KAnonymity))

    def value(self, solution: Groups) -> int:
        """Count the stars of a partition: the rows of every group times the columns on which it disagrees."""
        self._require_partition(solution)
        return sum(len(group) * self._stars_of_a_row(group) for group in solution)

    def is_legal(self, groups: Groups) -> bool:
        """Say whether every group meets the policy."""
        self._require_partition(groups)
        problem, row_type = self._bare.problem, self._bare._counted[1]
        classes = problem.sensitive_class[row_type]
        by_class = np.array([np.bincount(classes[list(g)], minlength=len(problem.sensitive_totals)) for g in groups])
        return bool(problem.is_legal(by_class).all())

    def require(self, solution: Groups) -> None:
        """Raise unless this is a partition, and every group meets the policy."""
        if not self.is_legal(solution):
            raise InputError(f"a group of this partition does not meet the policy, {self.policy}")

    @cached_property
    def problem(self) -> Problem:
        """The problem as the solvers see it."""
        weights = zip(self.table.columns, self.table.weighted, strict=True)
        ladders = {name: priced(Suppression(), Fraction(w)) for name, w in weights}
        spaces = {} if self.table.sensitive is None else {SENSITIVE: self.space or EqualDistance()}
        return Problem.build(self._counted[0], ladders, spaces, self.policy)

    def solve(self, solver: str | None = None, time: Number | None = None) -> Answer:
        """Solve the instance, by default with an exact solver where one takes it."""
        found = solve(self.problem, solver or self.exact_solver() or "auto", StoppingRule.of(time, None), silent)
        groups, bound = self.groups_of(found.partition), found.bound
        return Answer(groups, found.cost) if bound is None else Answer(groups, found.cost, bound.cost, bound.arithmetic)

    def exact_solver(self) -> str | None:
        """Name an exact solver that takes this instance; None if there is none."""
        problem = self.problem.presolved
        two_groups = 3 * problem.rules.min_group_size > problem.rows  # at most: then subsets tries every set only once
        names = ["exhaustive", *(["subsets", "exact"] if two_groups else ["exact", "subsets"])]
        return next((name for name in names if solver_of(name).refuses(self.problem) is None), None)

    def groups_of(self, partition: Partition) -> Groups:
        """Return the rows of every group of a solver's partition; copies are assigned in the order of rows."""
        type_of_row = self._counted[1]
        rows = [iter(np.flatnonzero(type_of_row == row_type).tolist()) for row_type in range(len(self.problem.counts))]
        groups: list[list[int]] = [[] for _ in range(len(partition))]
        for row_type, group, count in zip(partition.types, partition.groups, partition.counts, strict=True):
            groups[group] += islice(rows[row_type], int(count))
        return tuple(sorted(tuple(sorted(group)) for group in groups))

    @cached_property
    def _bare(self) -> Instance:
        """The same rows with nothing but their sensitive values, which are all that a policy looks at."""
        return replace(self, table=Table(("all",), (("",),) * len(self.table.rows), self.table.sensitive))

    @cached_property
    def _counted(self) -> tuple[RowTypes, IntArray]:
        """The row types, and the type of every row."""
        quasi, codes = _coded(list(zip(*self.table.rows, strict=True)))
        sensitive, classes = _coded([] if self.table.sensitive is None else [self.table.sensitive])
        every = np.hstack([codes.reshape(len(self.table.rows), -1), classes.reshape(len(self.table.rows), -1)])
        distinct, where, counts = np.unique(every, axis=0, return_inverse=True, return_counts=True)
        split = len(quasi)
        return RowTypes(quasi, sensitive, distinct[:, :split], distinct[:, split:], counts), where.ravel()

    def _stars_of_a_row(self, group: Sequence[int]) -> int:
        columns = zip(*(self.table.rows[row] for row in group), strict=True)
        weighted = zip(columns, self.table.weighted, strict=True)
        return sum(weight for cells, weight in weighted if len(set(cells)) > 1)

    def _require_partition(self, groups: Groups) -> None:
        every, listed = len(self.table.rows), [row for group in groups for row in group]
        if len(listed) != every or set(listed) != set(range(every)) or not all(groups):
            raise InputError(f"this is not a partition of the {every} rows of the table")


def require_room(rows: int, columns: int) -> None:
    """Raise if a table would be too large to write down."""
    if rows * columns > MOST_CELLS:
        raise InputError(
            f"the table would have {rows:,} rows and {columns:,} columns: take a smaller source, or a c or t that is "
            "not so near to where the reduction ends"
        )


def _coded(columns: Sequence[Sequence[str]]) -> tuple[tuple[tuple[str, ...], ...], IntArray]:
    """Number the values of every column; a row of codes for each row of the table."""
    coded = [np.unique(np.array(column), return_inverse=True) for column in columns]
    values = tuple(tuple(distinct.tolist()) for distinct, _ in coded)
    return values, np.array([codes for _, codes in coded], dtype=np.int32).T
