"""A DuckDB database in memory that spills to disk and can be interrupted at once."""

from __future__ import annotations

import secrets
import shutil
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import numpy as np

from kilt.numbers import IntArray

Answer = TypeVar("Answer")
_SPILLS: list[Path] = []  # where databases of this process put what has no room in memory


def remove_spilled() -> None:
    """Remove what databases have put on disk, where they will not do so themselves: the process ends at once."""
    for folder in _SPILLS:
        shutil.rmtree(folder, ignore_errors=True)


class Database:
    """Runs SQL; tables have fresh names, so that several runs can share one database."""

    def __init__(self) -> None:
        spill = Path(tempfile.gettempdir()) / f"kilt-{secrets.token_hex(8)}"
        _SPILLS.append(spill)
        self.connection = duckdb.connect(
            ":memory:",
            config={
                "autoinstall_known_extensions": "false",
                "autoload_known_extensions": "false",
                "temp_directory": str(spill),
            },
        )
        self.connection.execute("SET enable_progress_bar = false")

    def run(self, sql: str, **tables: dict[str, Any]) -> None:
        """Run statements; ``tables`` are columns of numpy arrays that they may read."""
        for name, table in tables.items():
            self.connection.register(name, table)
        _interruptible(self.connection, lambda: self.connection.execute(sql))
        for name in tables:
            self.connection.unregister(name)

    def rows(self, sql: str) -> list[Any]:
        """Return the rows of a query."""
        return _interruptible(self.connection, lambda: self.connection.execute(sql).fetchall())

    def columns(self, sql: str) -> dict[str, IntArray]:
        """Return the columns of a query whose cells are integers."""
        found = _interruptible(self.connection, lambda: self.connection.execute(sql).fetchnumpy())
        return {name: np.asarray(cells, dtype=np.int64) for name, cells in found.items()}

    def number(self, sql: str) -> int:
        """Return the one number that a query yields, 0 for null."""
        return int(self.rows(sql)[0][0] or 0)


def fresh(kind: str) -> str:
    """Return a name that no table has."""
    return f"{kind}_{secrets.token_hex(6)}"


def _interruptible(connection: duckdb.DuckDBPyConnection, work: Callable[[], Answer]) -> Answer:
    """Do the work in a thread of its own, so that Ctrl-C reaches us at once and DuckDB through us."""
    answer: list[Answer] = []
    failure: list[BaseException] = []
    begun, done = threading.Event(), threading.Event()

    def job() -> None:
        begun.set()
        try:
            answer.append(work())
        except BaseException as error:  # handed over to the thread that waits
            failure.append(error)
        finally:
            done.set()

    try:
        threading.Thread(target=job).start()
        while not done.wait(0.2):
            pass
    except BaseException:
        begun.wait(0.2)
        while begun.is_set() and not done.wait(0.02):
            connection.interrupt()
        raise
    if failure:
        raise failure[0]
    return answer[0]
