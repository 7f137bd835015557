"""The Mondrian of github.com/mosaicrown/mondrian on Spark, from a folder where it was unpacked; nothing of it is here.

Its Python is FOLDER/.venv/bin/python, with pyspark, pandas before 3, pyarrow, scipy, treelib and binpacking; pandas 3
makes arrays read-only that it writes to. It runs on `local[2]`, with its own defaults: columns are scored by their
number of values, which gave fewer stars than entropy did, and the table is cut into fragments at quantiles of one
column. A cell that it generalizes counts as a star: its group disagrees there.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import duckdb

from data import adult
from engines import cpu_seconds
from kilt.sources.sql.names import sql_name

FRAGMENTS = 4
SUBMIT = "--master local[2] --conf spark.driver.memory=1g --conf spark.ui.enabled=false pyspark-shell"
NUMBERS = ("age",)  # which it cuts at their median


def release(folder: Path, quasi: list[str], k: int) -> dict[str, Any]:
    """Let it release Adult; return the rows, the stars, the size of the smallest group, and the CPU seconds."""
    with tempfile.TemporaryDirectory() as there:
        read = f"read_csv('{adult()}', delim = ';', header = true, all_varchar = true)"
        cells = ", ".join(f"{sql_name(q)}::INT AS {sql_name(q)}" if q in NUMBERS else sql_name(q) for q in quasi)
        duckdb.execute(f"COPY (SELECT {cells} FROM {read}) TO '{there}/table.parquet' (FORMAT parquet)")
        job = {"input": f"{there}/table.parquet", "output": f"{there}/release.parquet", "quasiid_columns": quasi}
        Path(there, "job.json").write_text(json.dumps({**job, "K": k}))
        seconds = _run(folder, Path(there, "job.json"))
        return {**_counted(f"'{there}/release.parquet/*.parquet'", quasi), "cpu": seconds}


def _run(folder: Path, job: Path) -> float:
    """Run it in processes of its own; return their CPU seconds, as they were last seen."""
    python = folder / ".venv" / "bin" / "python"
    environment = {
        **os.environ,
        "PYTHONPATH": str(folder / "distributed" / "mondrian"),
        "PYSPARK_PYTHON": str(python),
        "PYSPARK_SUBMIT_ARGS": SUBMIT,
    }
    command = [str(python), str(folder / "distributed" / "anonymize.py"), str(job), str(FRAGMENTS), "0", "0"]
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(command, env=environment, stdout=said, stderr=said)
        seconds = 0.0
        while process.poll() is None:
            seconds = max(seconds, cpu_seconds([process.pid]) - _own_seconds())
            time.sleep(0.5)
        if process.returncode:
            said.seek(0)
            raise SystemExit(f"mosaicrown failed:\n{said.read()[-2000:]}")
    return seconds


def _own_seconds() -> float:
    """Return the CPU seconds of this process alone."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def _counted(table: str, quasi: list[str]) -> dict[str, int]:
    """Count the stars and the smallest group of what it wrote: generalized cells are sets and ranges."""
    names = [sql_name(name) for name in quasi]
    stars = " + ".join(f"count(*) FILTER (left({name}::VARCHAR, 1) IN ('{{', '['))" for name in names)
    groups = f"SELECT count(*) AS n FROM {table} GROUP BY {', '.join(names)}"
    query = f"SELECT count(*), {stars}, (SELECT min(n) FROM ({groups})) FROM {table}"
    rows, found, smallest = duckdb.execute(query).fetchall()[0]
    return {"rows": rows, "stars": found, "smallest": smallest}
