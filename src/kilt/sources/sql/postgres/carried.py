"""Rows as Arrow carries them: what the driver has no type for, in a type that every engine knows.

Arrays are made from their buffers: the usual ways of pyarrow import pandas, if it is there, which takes 50 MB.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from kilt.numbers import IntArray
from kilt.sources.sql.engine import Uploaded

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


def integers_of(column: pa.ChunkedArray) -> IntArray:
    """Return the cells of a column of integers."""
    chunks = [np.from_dlpack(chunk).astype(np.int64) for chunk in column.chunks if len(chunk)]
    return np.concatenate(chunks) if chunks else np.empty(0, dtype=np.int64)


def array_of(cells: Uploaded) -> pa.Array:
    """Return integers, truth values or texts as an array."""
    if not isinstance(cells, np.ndarray):
        return _texts(cells)
    if cells.dtype == bool:
        return pa.Array.from_buffers(pa.bool_(), len(cells), [None, _bits(cells)])
    return pa.Array.from_buffers(pa.int64(), len(cells), [None, pa.py_buffer(np.ascontiguousarray(cells, np.int64))])


def _texts(cells: Sequence[str | None]) -> pa.Array:
    encoded = [b"" if cell is None else cell.encode() for cell in cells]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    known = _bits(np.array([cell is not None for cell in cells], dtype=bool))
    return pa.Array.from_buffers(
        pa.large_string(), len(cells), [known, pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
    )


def _bits(flags: np.ndarray) -> pa.Buffer:
    return pa.py_buffer(np.packbits(flags, bitorder="little"))


def _carried_type(kind: pa.DataType) -> pa.DataType:
    if _is_place(kind):
        return pa.large_string()
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
    return _texts([f"({block},{number})" for block, number in found.tolist()])
