"""Incognito (LeFevre, DeWitt, Ramakrishnan 2005): every column has one level for all rows.

A level vector is *safe* if all its buckets are legal. What is safe stays safe one level up, since legal groups are
legal together; and if it is safe, so is what is left of it on fewer columns. So vectors on few columns are tried first,
from low to high, and a vector only if all its parts on one column less are safe. Among the lowest safe vectors on all
columns the cheapest is taken, and the whole table is shown at its levels (*full domain*). No row is left out.

*Tightened* is our own: the same groups, each shown under its tightest pattern.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from kilt.model.partition import Partition
from kilt.model.patterns import Levels, buckets, useful_levels
from kilt.model.problem import Problem
from kilt.run.progress import Observer, Progress
from kilt.run.stopping import StoppingRule
from kilt.solvers.base import Solution

MAX_VECTORS = 100_000
Columns = tuple[int, ...]


@dataclass(frozen=True)
class Incognito:
    """The cheapest release with one level of each column for the whole table, under any policy."""

    tightens: bool = False

    def refuses(self, problem: Problem) -> str | None:
        """Refuse ladders with too many level vectors."""
        vectors = int(np.prod([len(levels) for levels in useful_levels(problem)], dtype=np.float64))
        return None if vectors <= MAX_VECTORS else f"it takes up to {MAX_VECTORS:,} level vectors, not {vectors:,}"

    def solve(self, problem: Problem, stop: StoppingRule, observer: Observer) -> Solution:
        """Find the lowest safe vectors, and take the cheapest; when stopped, the top."""
        shown = [Partition.full_domain(problem, vector) for vector in find_lowest_safe(problem, stop, observer)]
        partitions = [partition.tightened(problem) for partition in shown] if self.tightens else shown
        return Solution(min(partitions, key=lambda partition: partition.cost))


@dataclass(frozen=True)
class TightenedIncognito(Incognito):
    """The cheapest release by the groups of one level for each column, each group shown as tightly as it can be."""

    tightens: bool = True


def find_lowest_safe(problem: Problem, stop: StoppingRule, observer: Observer) -> list[Levels]:
    """Return the safe level vectors that have no safe one below; the top if stopped before they are known."""
    useful = useful_levels(problem)
    columns = range(len(useful))
    safe: dict[Columns, set[Levels]] = {(): {()}}
    for size in range(1, len(useful) + 1):
        for chosen in combinations(columns, size):
            if stop():
                return [tuple(levels[-1] for levels in useful)]
            safe[chosen] = _safe_on(problem, chosen, [useful[j] for j in chosen], safe)
        observer(Progress("solving", size / len(useful)))
    found = safe[tuple(columns)]
    return sorted(vector for vector in found if not any(lower in found for lower in _below(vector, useful)))


def _safe_on(
    problem: Problem, columns: Columns, useful: list[list[int]], safe: dict[Columns, set[Levels]]
) -> set[Levels]:
    """Return the safe vectors on these columns, given those on one column less."""
    found: set[Levels] = set()
    part = problem.on(columns)
    for vector in sorted(product(*useful), key=sum):
        parts = ((columns[:j] + columns[j + 1 :], vector[:j] + vector[j + 1 :]) for j in range(len(columns)))
        if all(levels in safe[fewer] for fewer, levels in parts) and (
            any(lower in found for lower in _below(vector, useful)) or is_safe(part, vector)
        ):
            found.add(vector)
    return found


def _below(vector: Levels, useful: list[list[int]]) -> Iterator[Levels]:
    """Yield the vectors that are one useful level lower in one column."""
    for j, level in enumerate(vector):
        step = useful[j].index(level)
        if step:
            yield (*vector[:j], useful[j][step - 1], *vector[j + 1 :])


def is_safe(problem: Problem, vector: Levels) -> bool:
    """Say whether all buckets of a level vector are legal."""
    found = buckets(problem, vector, np.arange(len(problem.counts)))
    by_class = np.zeros((len(found), len(problem.sensitive_totals)), dtype=np.int64)
    np.add.at(by_class, (found.owner, problem.sensitive_class[found.values]), problem.counts[found.values])
    return bool(problem.is_legal(by_class).all())
