"""ARX's Loss of releases of Adult under its usual hierarchies, measured from the released file, beside ARX's figures.

Run alone: python benchmarks/arx_loss.py [--time 60] [--only "k=10"]. It lets kilt release Adult under five policies,
and exits with 1 if a loss is above its target. With --release FILE it measures a release of anybody's instead, under
the policy that --only names.

Nothing of kilt is imported: the command is run, and what it wrote is read. A cell loses (values under the released
label - 1) / (values in the hierarchy file - 1), and the loss of a release is the average over all cells of quasi
columns. Every label must stand above the original value, every other cell must be the original one, and every group
must meet the policy, which is counted again here.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from data import QUASI_A, QUASI_B, adult

Row = dict[str, str]
QUASI = {"A": QUASI_A.split(","), "B": QUASI_B.split(",")}
SENSITIVE = {"A": "salary-class", "B": "occupation"}


@dataclass(frozen=True)
class Case:
    """A setting and a policy, what ARX has, and what is asked for."""

    setting: str
    arx: float
    target: float
    k: int
    l: int = 1
    t: str = "1"

    def __str__(self) -> str:
        return (
            f"{self.setting} k={self.k}" + f", distinct l={self.l}" * (self.l > 1) + f", t={self.t}" * (self.t != "1")
        )

    @property
    def words(self) -> list[str]:
        """The options of the command."""
        diverse = ["-l", str(self.l), "--diversity", "distinct"] if self.l > 1 else []
        return ["-k", str(self.k), *diverse, *(["-t", self.t] if self.t != "1" else [])]


CASES = [
    Case("A", 0.0513, 0.0468, 5),
    Case("A", 0.0744, 0.0690, 10),
    Case("A", 0.173, 0.100, 5, l=2),  # ARX's release is not legal
    Case("A", 0.284, 0.145, 5, t="0.2"),  # neither is this one
    Case("B", 0.458, 0.255, 5, t="0.2"),
]


class Hierarchy:
    """The values of a column, and for every label those under it."""

    def __init__(self, path: Path) -> None:
        with path.open(encoding="utf-8") as file:
            paths = [row for row in csv.reader(file, delimiter=";") if row]
        self.values = {row[0] for row in paths}
        self.under: dict[str, set[str]] = {}
        for row in paths:
            for label in row:
                self.under.setdefault(label, set()).add(row[0])
        if any(self.under[value] != {value} for value in self.values):
            sys.exit(f"{path.name}: a value is also a label above other values, so that a released cell is ambiguous")

    def loss(self, original: str, released: str) -> Fraction:
        """Return what a cell loses; a label that does not stand above the original value is an error."""
        if original not in self.under.get(released, ()):
            raise ValueError("a released label does not stand above the original value")
        return Fraction(len(self.under[released]) - 1, max(1, len(self.values) - 1))


def hierarchy_file(column: str) -> Path:
    return adult().parent / f"adult_hierarchy_{column}.csv"


def read(path: Path) -> list[Row]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=";"))


def loss(original: list[Row], released: list[Row], quasi: list[str]) -> Fraction:
    """Return the average loss of a cell of the quasi columns, row by row."""
    if len(original) != len(released):
        raise ValueError(f"the release has {len(released):,} rows and the original {len(original):,}")
    if any(a[name] != b[name] for a, b in zip(original, released, strict=True) for name in a.keys() - set(quasi)):
        raise ValueError("a column that is not quasi was changed")
    total = Fraction(0)
    for name in quasi:
        hierarchy = Hierarchy(hierarchy_file(name))
        pairs = Counter((a[name], b[name]) for a, b in zip(original, released, strict=True))
        total += sum(number * hierarchy.loss(*pair) for pair, number in pairs.items())
    return total / (len(original) * len(quasi))


def violations(released: list[Row], case: Case) -> int:
    """Count the groups that do not meet the policy; values of the sensitive column are equally far apart."""
    quasi, sensitive = QUASI[case.setting], SENSITIVE[case.setting]
    groups: dict[tuple[str, ...], Counter[str]] = {}
    for row in released:
        groups.setdefault(tuple(row[name] for name in quasi), Counter())[row[sensitive]] += 1
    table = Counter(row[sensitive] for row in released)
    return sum(not is_legal(group, table, case) for group in groups.values())


def is_legal(group: Counter[str], table: Counter[str], case: Case) -> bool:
    size, rows = group.total(), table.total()
    moved = sum(abs(group[value] * rows - number * size) for value, number in table.items())
    return size >= case.k and len(group) >= case.l and Fraction(moved, 2 * size * rows) <= Fraction(case.t)


def release(case: Case, output: Path, seconds: str) -> Path:
    """Let kilt release Adult under a policy."""
    columns = [f"{name}:taxonomy={hierarchy_file(name)}" for name in QUASI[case.setting]]
    words = ["anonymize", str(adult()), "-o", str(output), "--sensitive", SENSITIVE[case.setting], *case.words]
    words += ["--time", seconds, *(word for column in columns for word in ("--quasi", column))]
    done = subprocess.run([sys.executable, "-m", "kilt", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return output


def judge(case: Case, original: list[Row], released: Path) -> bool:
    """Measure a release, print its line, and say whether it is as asked for."""
    rows = read(released)
    found, wrong = loss(original, rows, QUASI[case.setting]), violations(rows, case)
    remark = "" if found <= Fraction(str(case.target)) else "above the target"
    remark = f"{wrong} groups violate the policy" if wrong else remark
    print(f"{case!s:<26}{float(found):>9.4f}{case.arx:>9.4f}{case.target:>9.4f}  {remark}".rstrip(), flush=True)
    return not remark


def main() -> int:
    parser = argparse.ArgumentParser(description="ARX's Loss of releases of Adult.")
    parser.add_argument("--time", default="60", help="seconds for each policy (60)")
    parser.add_argument("--only", default="", help="only the policies in whose name this text is, as in 'k=10'")
    parser.add_argument("--release", type=Path, help="measure this release instead")
    given = parser.parse_args()
    cases = [case for case in CASES if str(case) == given.only] or [case for case in CASES if given.only in str(case)]
    if not cases or (given.release and len(cases) > 1):
        parser.error(f"--only must name {'one' if given.release else 'some'} of: {'; '.join(map(str, CASES))}")
    original = read(adult())
    print(f"{'policy':<26}{'Loss':>9}{'ARX':>9}{'target':>9}")
    with tempfile.TemporaryDirectory() as folder:
        made = [
            judge(case, original, given.release or release(case, Path(folder) / "r.csv", given.time)) for case in cases
        ]
    print("as asked for" if all(made) else f"{made.count(False)} figures are NOT as asked for")
    return int(not all(made))


if __name__ == "__main__":
    sys.exit(main())
