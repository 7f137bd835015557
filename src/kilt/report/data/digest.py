"""The salted digest of an original: who has the table and the salt can show that a release was made of it.

The salt is random and stays with the owner. With a salt that everybody knows, the few cells that a release hides could
be guessed until the digest fits.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets

import numpy as np

from kilt.errors import InputError
from kilt.model.row_types import RowTypes
from kilt.numbers import IntArray


def new_salt() -> str:
    """Return a new salt."""
    return secrets.token_hex(16)


def read_salt(salt: str) -> str:
    """Return a salt that was given, or raise if it is none."""
    if not re.fullmatch(r"[0-9a-f]{32}", salt):
        raise InputError("'salt' must be the 32 hexadecimal digits that an earlier report was made with")
    return salt


def digest_of(types: RowTypes, salt: str) -> str:
    """Return the digest of the quasi and sensitive cells of a table, whatever the order of its rows."""
    sealed = hmac.new(bytes.fromhex(salt), digestmod=hashlib.sha256)
    codes = np.concatenate([types.quasi_codes, types.sensitive_codes], axis=1).astype(np.int64)
    ranked = []
    for place, values in enumerate((*types.quasi, *types.sensitive)):
        order = sorted(set(values), key=lambda value: (value is not None, value or ""))
        rank = {value: number for number, value in enumerate(order)}
        ranked.append(np.array([rank[value] for value in values], dtype=np.int64)[codes[:, place]])
        sealed.update(json.dumps(order, ensure_ascii=False).encode())
    rows, counts = _merged(np.column_stack(ranked), types.counts)
    sealed.update(np.ascontiguousarray(rows, dtype="<i8").tobytes())
    sealed.update(np.ascontiguousarray(counts, dtype="<i8").tobytes())
    return sealed.hexdigest()


def _merged(rows: IntArray, counts: IntArray) -> tuple[IntArray, IntArray]:
    """Sort the rows, and put together those that are the same as text."""
    order = np.lexsort(rows.T[::-1])
    rows, counts = rows[order], counts[order]
    first = np.flatnonzero(np.r_[True, (rows[1:] != rows[:-1]).any(axis=1)])
    return rows[first], np.add.reduceat(counts, first)
