"""A table is read and counted, and whoever waits is told which of the two takes so long."""

from __future__ import annotations

from kilt.model.policy import Policy
from kilt.run.progress import Observer, Progress
from kilt.sources.counted_table import CountedTable, TableDescription


def read_and_count(given: TableDescription, policy: Policy, observer: Observer) -> CountedTable:
    """Read a table, unless that is done, and count its row types."""
    observer(Progress("reading"))
    _ = given.roles
    observer(Progress("counting"))
    return given.count(policy)
