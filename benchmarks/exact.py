"""Exact solvers on random tables: CPU seconds from a frame to a verified release, stars, bounds; the paper's program.

Run alone: python benchmarks/exact.py [seeds]. A table has columns of 2 to 5 values, all equally likely (data.py); each
line is run for so many seeds (3), and exits with 1 if what is asked for is missed on any of them.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass

import kilt
from data import random_table


@dataclass(frozen=True)
class Case:
    """A random table, a policy, a solver, and what is asked for: CPU seconds and a gap."""

    rows: int
    columns: int
    policy: str
    solver: str
    seconds: float
    gap: float = 0.0

    @property
    def table(self) -> str:
        return f"n={self.rows:,} m={self.columns} {self.policy}"


CASES = [
    Case(16, 5, "k=3", "subsets", 2),
    Case(16, 5, "t=0.3", "subsets", 2),
    Case(20, 5, "k=3", "subsets", 20),
    Case(20, 5, "t=0.3", "subsets", 20),
    Case(200, 7, "k=2", "matching", 5),
    Case(200, 7, "l=2", "matching", 5),
    Case(2000, 8, "k=2", "matching", 60),
    Case(2000, 8, "l=2", "matching", 60),
    Case(400, 5, "t=0.2", "exact", 20),
    Case(1000, 6, "t=0.2", "exact", 120, 0.03),
    Case(300, 7, "k=3", "exact", 120, 0.003),
    Case(300, 7, "k=5", "exact", 180, 0.02),
]
PLAIN = [(40, 3), (60, 4), (100, 4), (400, 5)]  # rows and columns for the paper's program, t=0.2
PLAIN_SECONDS = 60.0


def policy_of(text: str) -> kilt.Policy:
    return kilt.Policy(**dict([text.split("=")]))


def run(case: Case, seed: int) -> tuple[kilt.Release, float]:
    table = random_table(case.rows, case.columns, 3, seed)
    started = time.process_time()
    release = kilt.anonymize(
        table,
        quasi=[name for name in table.columns if name != "s"],
        sensitive="s",
        policy=policy_of(case.policy),
        solver=case.solver,
        time=0.95 * case.seconds,
    )
    return release, time.process_time() - started


def solvers(seeds: int) -> int:
    wrong = 0
    print(f"{'table':<24}{'solver':<10}{'seed':>4}{'stars':>8}{'bound':>8}{'gap':>8}{'CPU s':>8}  asked for")
    for case in CASES:
        for seed in range(seeds):
            release, cpu = run(case, seed)
            gap = 1 - release.bound / release.stars if release.stars else 0.0
            missed = gap > case.gap or cpu > case.seconds
            wrong += missed
            asked = f"{case.seconds:.0f} s, {'optimal' if not case.gap else f'{case.gap:.1%}'}"
            print(
                f"{case.table:<24}{case.solver:<10}{seed:>4}{release.stars:>8,}{release.bound:>8,}{gap:>8.2%}{cpu:>8.2f}"
                f"  {asked}{' MISSED' if missed else ''} ({release.proof} proof)",
                flush=True,
            )
    return wrong


def plain() -> int:
    """Run the paper's program as it stands beside the smaller one and the solver ``exact``, on the same tables."""
    wrong = 0
    print(f"\n{'t=0.2':<16}{'solver':<12}{'stars':>8}{'bound':>8}{'CPU s':>8}")
    for rows, columns in PLAIN:
        optima = set()
        for solver in ("paper-milp", "milp", "exact"):
            release, cpu = run(Case(rows, columns, "t=0.2", solver, PLAIN_SECONDS), 0)
            optima |= {release.stars} if release.status == "optimal" else set()
            print(
                f"{f'n={rows} m={columns}':<16}{solver:<12}{release.stars:>8,}{release.bound:>8,}{cpu:>8.2f}"
                f"  {release.status}",
                flush=True,
            )
        wrong += len(optima) > 1
    return wrong


def main() -> int:
    wrong = solvers(int(sys.argv[1]) if len(sys.argv) > 1 else 3) + plain()
    print("as asked for" if not wrong else f"{wrong} figures are NOT as asked for")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
