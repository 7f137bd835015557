"""How far the exact solvers get on tables that are proved to be hard, and whether they find what is known of them.

Run alone: python benchmarks/hardness.py [seconds] [family ...]. Every family is solved in growing sizes by every exact
solver, each size in a process of its own, until one takes longer than so many seconds (60). A line shows the largest
size that was solved to the proven optimum, its rows and columns, and why it went no further. Exits with 1 if an optimum
is not as the source's says, where that is known, or if two solvers disagree. With --named, the named instances
(instances.py) are solved instead, each by every solver that takes it.
"""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import instances
from kilt.errors import InputError
from kilt.hardness import (
    Bisection,
    BisectionToAnonymity,
    HalfClique,
    Matching,
    Reduction,
    planted_bisection,
    planted_clique,
    planted_matching,
    random_graph,
    random_matching,
    to_anonymity,
    to_closeness,
)

SECONDS = 60.0
SOLVERS = ("exhaustive", "subsets", "milp", "exact")


@dataclass(frozen=True)
class Family:
    """Tables of growing size, from a source of that size; ``best`` is the source's optimum where it is known."""

    name: str
    sizes: tuple[int, ...]
    make: Callable[[int], Reduction[Any, Any]]
    best: Callable[[int], int] | None = None


def two_cliques(n: int) -> Bisection:
    return Bisection(planted_bisection(n, n - 2, seed=n)[0])


def sparse(n: int) -> Bisection:
    return Bisection(random_graph(n, 3 * n // 2, seed=n))


def planted_half(n: int) -> HalfClique:
    return HalfClique(planted_clique(n, n // 2, n * n // 5, seed=n)[0])


def solvable(n: int) -> Matching:
    return planted_matching(n, 3 * n, seed=n)[0]


def goal(n: int) -> int:
    return n


EVEN = (4, 8, *range(10, 41, 2))
SETS = (2, 4, 6, 8, 10, *range(15, 101, 5), *range(120, 201, 20))
FAMILIES = (
    Family("bisection, sparse, k=n/2", EVEN, lambda n: BisectionToAnonymity(sparse(n))),
    Family("bisection, two cliques, k=n/2", EVEN, lambda n: to_anonymity(two_cliques(n), "1/2"), lambda n: n - 2),
    Family("bisection, sparse, c=1/4", EVEN, lambda n: to_anonymity(sparse(n), "1/4", compact=True)),
    Family("bisection, sparse, t=1/2", EVEN, lambda n: to_closeness(sparse(n), "1/2")),
    Family("bisection, sparse, t=3/4", EVEN, lambda n: to_closeness(sparse(n), "3/4", compact=True)),
    Family(
        "half-clique, c=0.4", EVEN, lambda n: to_anonymity(planted_half(n), "0.4"), lambda n: n // 2 * (n // 2 - 1) // 2
    ),
    Family(
        "half-clique, t=0.6", EVEN, lambda n: to_closeness(planted_half(n), "0.6"), lambda n: n // 2 * (n // 2 - 1) // 2
    ),
    Family("matching, planted, t=0", SETS, lambda n: to_closeness(solvable(n), 0), goal),
    Family("matching, planted, t=0.3", SETS, lambda n: to_closeness(solvable(n), "0.3"), goal),
    Family("matching, random, t=0.3", SETS, lambda n: to_closeness(random_matching(n, 2 * n, n), "0.3")),
    Family("matching, planted, t=0.4", SETS, lambda n: to_closeness(solvable(n), "0.4"), goal),
    Family(
        "matching, latin, t=0",
        (2, *range(4, 31, 2)),
        lambda n: to_closeness(instances.latin(n), 0),
        lambda n: n - (n % 2 == 0),
    ),
)


@dataclass(frozen=True)
class Run:
    """What became of a table: its stars and bound, or why there are none."""

    stars: int | None
    bound: int | None
    seconds: float
    why: str = ""

    @property
    def optimal(self) -> bool:
        return self.stars is not None and self.stars == self.bound


def work(reduction: Reduction[Any, Any], solver: str, seconds: float, pipe: Connection) -> None:
    started = time.monotonic()
    try:
        found = reduction.instance.solve(solver, seconds)
        pipe.send(Run(found.stars, found.bound, time.monotonic() - started))
    except InputError as error:
        pipe.send(
            Run(None, None, time.monotonic() - started, f"refused: {str(error).partition(': ')[2].partition(';')[0]}")
        )


def run(reduction: Reduction[Any, Any], solver: str, seconds: float) -> Run:
    """Solve in a process of its own, which is ended if it does not end by itself."""
    context = multiprocessing.get_context("spawn")
    mine, other = context.Pipe()
    process = context.Process(target=work, args=(reduction, solver, seconds, other))
    process.start()
    other.close()
    try:
        if not mine.poll(1.5 * seconds + 10):
            return Run(None, None, seconds, "did not stop in time")
        return mine.recv()
    except EOFError:
        return Run(None, None, seconds, "ran out of memory, or crashed")
    finally:
        process.kill()
        process.join()


def climbed(family: Family, solver: str, seconds: float, optimum: dict[int, int]) -> tuple[str, int]:
    """Solve growing sizes up to the first that is not solved; return the line to print, and how many optima are wrong.

    ``optimum`` has what was found before.
    """
    line, then, wrong = f"{'none':>8}{'':>30}", "the largest size of the family", []
    for size in family.sizes:
        reduction = family.make(size)
        done = run(reduction, solver, seconds)
        if done.stars is not None and done.optimal:
            true = family.best is None or reduction.claim().holds(family.best(size), done.stars)
            if not true or optimum.setdefault(size, done.stars) != done.stars:
                wrong.append(f"WRONG OPTIMUM {done.stars:,} at {size}")
        if not done.optimal or done.seconds > seconds:
            gap = f"gap {1 - done.bound / done.stars:.1%}" if done.stars and done.bound else "no bound"
            then = f"{size}: {done.why or f'{gap} after {done.seconds:.0f} s'}"
            break
        table = reduction.table
        line = f"{size:>8}{len(table.rows):>6}{len(table.columns):>9}{done.stars:>8,}{done.seconds:>7.1f}"
    return f"{line}  {'; '.join([then, *wrong])}", len(wrong)


def families(seconds: float, wanted: list[str]) -> int:
    wrong = 0
    print(f"{'family':<32}{'solver':<12}{'largest':>8}{'rows':>6}{'columns':>9}{'stars':>8}{'s':>7}  then")
    for family in [each for each in FAMILIES if not wanted or any(word in each.name for word in wanted)]:
        optimum: dict[int, int] = {}
        for solver in SOLVERS:
            line, mistakes = climbed(family, solver, seconds, optimum)
            wrong += mistakes
            print(f"{family.name:<32}{solver:<12}{line}", flush=True)
    return wrong


def named(seconds: float) -> int:
    wrong = 0
    print(f"{'name':<18}{'best':>5}{'stars':>8}  solvers")
    for each in instances.library():
        source = each.source
        if isinstance(source, Matching):
            reduction: Reduction[Any, Any] = to_closeness(source, 0)
        else:
            reduction = to_anonymity(source, "1/2" if isinstance(source, Bisection) else "0.4")
        told, stars = [], None
        for solver in SOLVERS:
            done = run(reduction, solver, seconds)
            if done.why.startswith("refused"):
                continue
            true = done.optimal and reduction.claim().holds(each.best, done.stars or 0)
            wrong += done.optimal and not true
            stars = done.stars if true else stars
            told.append(f"{solver} {done.seconds:.1f} s{'' if true else ' WRONG' if done.optimal else ' not proved'}")
        print(f"{each.name:<18}{each.best:>5}{stars if stars is not None else '?':>8}  {', '.join(told)}", flush=True)
    return wrong


def main(arguments: list[str]) -> int:
    numbers = [float(word) for word in arguments if word.replace(".", "", 1).isdigit()]
    words = [word for word in arguments if not word.replace(".", "", 1).isdigit() and word != "--named"]
    seconds = numbers[0] if numbers else SECONDS
    wrong = named(seconds) if "--named" in arguments else families(seconds, words)
    print("every optimum is as known" if not wrong else f"{wrong} optima are WRONG")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
