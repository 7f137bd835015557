"""Problems from plain rows, problems that are drawn, and solutions that are checked."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st
from hypothesis.strategies import DataObject, DrawFn

from kilt import InfeasibleError, Policy
from kilt.bounds.incidence import MAX_SCALE as SCALE
from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.model.row_types import RowTypes
from kilt.numbers import IntArray
from kilt.run.progress import Observer, Progress, silent
from kilt.run.stopping import StoppingRule
from kilt.solvers.base import Solution, Solver
from kilt.solvers.common.equivalence_classes import EquivalenceClasses, equivalence_class
from kilt.solvers.registry import solver
from kilt.solvers.search.solver import Search
from support.command import PATIENCE
from support.strategies import SOLVED_LADDERS, SPACES, cell, counted, policies, tables

Row = tuple[str | None, ...]


def row_types(rows: Sequence[Row], quasi: int) -> RowTypes:
    """Count equal rows, whose first cells are the quasi ones."""
    counts = Counter(rows)
    keys = _sorted(counts)
    values = [sorted({row[i] for row in keys}, key=lambda c: (c is not None, c or "")) for i in range(len(keys[0]))]
    codes = np.array([[values[i].index(cell) for i, cell in enumerate(row)] for row in keys], dtype=np.int32)
    return RowTypes(
        quasi=tuple(values[:quasi]),
        sensitive=tuple(values[quasi:]),
        quasi_codes=codes[:, :quasi],
        sensitive_codes=codes[:, quasi:],
        counts=np.array([counts[key] for key in keys]),
    )


def _sorted(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: tuple((cell is not None, cell or "") for cell in row))


def groups_of(rows: Sequence[Row], partition: Partition) -> list[list[int]]:
    """Return the rows of every group of a partition, by their numbers."""
    left = [[i for i, row in enumerate(rows) if row == key] for key in _sorted(set(rows))]
    groups: list[list[int]] = [[] for _ in range(len(partition))]
    for row_type, group, count in zip(partition.types, partition.groups, partition.counts, strict=True):
        groups[group] += [left[row_type].pop() for _ in range(count)]
    assert not any(left)
    return groups


def problem_of(rows: Sequence[Row], quasi: Sequence[str], sensitive: Sequence[str], policy: Policy) -> Problem:
    """Build the problem of rows whose columns have these ladders and these spaces."""
    ladders = {f"q{i}": SOLVED_LADDERS[name] for i, name in enumerate(quasi)}
    spaces = {f"s{i}": SPACES[name] for i, name in enumerate(sensitive)}
    return Problem.build(row_types(rows, len(quasi)), ladders, spaces, policy)


def random_problem(rows: int, columns: int, values: int, policy: Policy, seed: int = 0) -> Problem:
    """Build the problem of random rows with four values in each quasi column."""
    rng = np.random.default_rng(seed)
    cells = np.column_stack([rng.integers(0, 4, (rows, columns)), rng.integers(0, values, rows)])
    return problem_of([tuple(map(str, row)) for row in cells], ["suppress"] * columns, ["equal"], policy)


@st.composite
def tables_with_copies(draw: DrawFn, most_types: int = 6) -> Problem:
    """Draw a table of few row types with copies, under k=2."""
    quasi = draw(st.lists(st.sampled_from(sorted(SOLVED_LADDERS)), min_size=1, max_size=4))
    row = st.tuples(*map(cell, quasi))
    types = draw(st.lists(row, min_size=1, max_size=most_types, unique=True))
    counts = draw(st.lists(st.sampled_from([1, 1, 2, 2, 2, 3, 4, 5]), min_size=len(types), max_size=len(types)))
    rows = [each for each, count in zip(types, counts, strict=True) for _ in range(count)]
    assume(len(rows) <= 13)
    try:
        return problem_of(rows, quasi, [], Policy(k=2))
    except InfeasibleError:
        assume(False)
        raise


def drawn_problem(data: DataObject, most_rows: int = 9, **kinds: object) -> Problem:
    """Draw a small table of any ladders and spaces, and a policy that it can meet."""
    rows, quasi, sensitive = data.draw(tables(most_rows=most_rows, **{"ladders": tuple(SOLVED_LADDERS), **kinds}))
    policy = data.draw(policies(len(sensitive)))
    try:
        return problem_of(rows, quasi, sensitive, policy)
    except InfeasibleError:
        assume(False)
        raise


def searchable(data: DataObject, most_rows: int = 9, **kinds: object) -> Problem:
    """Draw a problem that the search takes."""
    problem = drawn_problem(data, most_rows, **kinds)
    assume(Search().refuses(problem) is None)
    return problem


def rows_of(counts: Sequence[Sequence[int]]) -> list[Row]:
    """Return rows of two quasi columns, which name the class, and a sensitive one."""
    named = [(f"a{i}", f"b{i % 2}", str(value)) for i, of_class in enumerate(counts) for value in range(len(of_class))]
    return [row for row, number in zip(named, np.ravel(counts).tolist(), strict=True) for _ in range(number)]


def table_of(counts: Sequence[Sequence[int]], policy: Policy) -> Problem:
    """Build the problem of classes with so many rows of each sensitive value."""
    return problem_of(rows_of(counts), ["suppress", "suppress"], ["equal"], policy)


def drawn_table(
    data: DataObject, policy: Policy, *, classes: int = 3, values: Sequence[int] = (2, 3), most: int = 2
) -> Problem:
    """Draw classes with counts of sensitive values that can meet the policy."""
    try:
        return table_of(data.draw(counted(classes, values, most)), policy)
    except InfeasibleError:
        assume(False)
        raise


def drawn_multipliers(data: DataObject, problem: Problem) -> IntArray:
    """Draw a multiplier for each row type."""
    return np.array([data.draw(st.integers(-3 * SCALE, 5 * SCALE)) for _ in problem.counts])


def classes_of(problem: Problem) -> EquivalenceClasses:
    """Return the counts of the equivalence classes of a problem."""
    return EquivalenceClasses.of(problem, equivalence_class(problem))


def legal_groups(problem: Problem, partition: Partition) -> bool:
    """Return whether every group meets the rules."""
    return bool(problem.rules.meets(partition.as_groups(problem)).all())


def until_below(problem: Problem, cost: int) -> tuple[StoppingRule, Observer]:
    """Return a rule that ends a run as soon as it costs less, whatever time that takes, and the observer it needs."""
    reached = threading.Event()

    def observe(progress: Progress) -> None:
        if progress.stars is not None and progress.stars < problem.stars(cost):
            reached.set()

    return StoppingRule(seconds=PATIENCE, interrupted=reached.is_set), observe


def solved(
    name: str | Solver, problem: Problem, stop: StoppingRule | None = None, observer: Observer = silent
) -> Solution:
    """Solve, and check that the groups are legal and no row is lost."""
    made = solver(name) if isinstance(name, str) else name
    solution = made.solve(problem, stop or StoppingRule(), observer)
    assert problem.rules.meets(solution.partition.as_groups(problem)).all()
    placed = np.bincount(solution.partition.types, solution.partition.counts, len(problem.counts))
    assert placed.tolist() == problem.counts.tolist()
    return solution


def all_groups(problem: Problem) -> list[tuple[int, ...]]:
    """List the legal multisets of row types, each as a sorted tuple."""
    copies = np.repeat(np.arange(len(problem.counts)), problem.counts)
    found = {
        tuple(copies[list(rows)].tolist())
        for size in range(1, len(copies) + 1)
        for rows in combinations(range(len(copies)), size)
    }
    groups = sorted(found)
    copies_of = np.array([np.bincount(group, minlength=len(problem.counts)) for group in groups])
    by_class = np.zeros((len(groups), len(problem.sensitive_totals)), dtype=np.int64)
    np.add.at(by_class.T, problem.sensitive_class, copies_of.T)
    legal = problem.rules.meets(problem.groups(by_class))
    return [group for group, good in zip(groups, legal, strict=True) if good]
