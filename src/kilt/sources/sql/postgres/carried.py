"""Rows as Arrow carries them: what the driver has no type for, in a type that every engine knows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

WITNESS = {"w0": "tid", "w1": "oid"}  # what tells the rows of an original apart: where they are, and in which part


def carried_batches(schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> pa.RecordBatchReader:
    """Return batches in types that every engine knows: places of rows, and numbers of any size, are texts."""
    known = pa.schema([(field.name, _carried_type(field.type)) for field in schema])
    rows = (pa.record_batch([_carried(column) for column in batch.columns], schema=known) for batch in batches)
    return pa.RecordBatchReader.from_batches(known, rows)


def plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column with the type that its cells are stored in: numbers of any size are texts."""
    if isinstance(column.type, pa.BaseExtensionType):
        return pa.chunked_array([chunk.storage for chunk in column.chunks], column.type.storage_type)
    return column


def _carried_type(kind: pa.DataType) -> pa.DataType:
    if _is_place(kind):
        return pa.string()
    return kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind


def _carried(column: pa.Array) -> pa.Array:
    if _is_place(column.type):
        return _places(column.storage)
    return column.storage if isinstance(column.type, pa.BaseExtensionType) else column


def _is_place(kind: pa.DataType) -> bool:
    return isinstance(kind, pa.OpaqueType) and kind.type_name == "tid"


def _places(cells: pa.Array) -> pa.Array:
    """Write places as PostgreSQL does: block and number, of which it sends four and two bytes."""
    record = np.dtype([("block", ">u4"), ("number", ">u2")])
    found = np.frombuffer(b"".join(cells.to_pylist()), dtype=record)
    return pa.array([f"({block},{number})" for block, number in found.tolist()], pa.string())
