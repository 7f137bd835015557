"""Write src/kilt/data/patients.csv, the table of the tutorial, or check that it is what this script writes.

Its 3,000 stays are drawn by benchmarks/hospital.py from a seed; nobody in it exists. Codes of diagnoses are replaced by
names that a reader knows, the most frequent first, and costs are rounded, as a cost to the cent would tell who it is.
Run from anywhere: python scripts/patients_table.py [--check]
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import polars as pl

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT / "benchmarks"))

from hospital import hospital  # noqa: E402 - found once its folder is on the path

TABLE = ROOT / "src" / "kilt" / "data" / "patients.csv"
ROWS, SEED = 3_000, 7
COLUMNS = ("name", "birth_date", "admission_date", "zip", "sex", "profession", "diagnosis", "cost")
DIAGNOSES = """hypertension,pneumonia,type 2 diabetes,bronchitis,heart failure,asthma,stroke,depression,back pain,
influenza,wrist fracture,kidney stones,appendicitis,migraine,gastritis,anaemia,hip fracture,angina,epilepsy,sepsis,
gallstones,anxiety disorder,skin infection,concussion,hernia,rheumatoid arthritis,lymphoma,tonsillitis,leukaemia,
food poisoning,knee injury,psoriasis,alcohol dependence,hepatitis B,tuberculosis,HIV infection,schizophrenia,
multiple sclerosis,opioid dependence,melanoma""".replace("\n", "").split(",")


def patients() -> str:
    """Return the table as CSV."""
    table = hospital(ROWS, SEED)
    codes = Counter(table["diagnosis"].to_list())
    by_rank = sorted(codes, key=lambda code: (-codes[code], code))
    names = {code: DIAGNOSES[rank % len(DIAGNOSES)] for rank, code in enumerate(by_rank)}
    renamed = table["diagnosis"].replace_strict(names)
    rounded = [round(float(cost), -2) for cost in table["cost"]]
    return str(table.with_columns(diagnosis=renamed, cost=pl.Series(rounded).cast(int)).select(COLUMNS).write_csv())


def main(arguments: list[str]) -> int:
    """Write the table, or with --check say whether it is fresh."""
    if arguments not in ([], ["--check"]):
        print("usage: python scripts/patients_table.py [--check]", file=sys.stderr)
        return 2
    if not arguments:
        TABLE.write_bytes(patients().encode())
        return 0
    if TABLE.read_bytes() == patients().encode():
        return 0
    print(f"{TABLE.name} is not what this script writes: run python scripts/patients_table.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
