"""Cells of Spark as text, the same whatever the settings of the session are.

`TRY_CAST` does not depend on whether Spark is in ANSI mode, and a timestamp is written in UTC by counting from 1970 on
without a time zone, and has +00 after it, as in other databases. Decimals have all their digits, where Spark would
write 0E-18.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

PLAIN = re.compile(r"boolean|tinyint|smallint|int|bigint|float|double|date|timestamp_ntz|time\(\d\)|interval.*|void")
DECIMAL = re.compile(r"decimal\((\d+),(-?\d+)\)")
TEXT = re.compile(r"string|(var)?char\(\d+\)")
COLLATED = re.compile(r"string collate .+")
SCIENTIFIC = 6  # with more decimal places than this, small decimals are written with an exponent


def is_text(kind: str) -> bool:
    """Say whether a type is that of text."""
    return bool(TEXT.fullmatch(kind) or COLLATED.fullmatch(kind))


def has_text(kind: str) -> bool:
    """Say whether cells of a type can be compared by their texts, which those of nested types cannot."""
    return is_text(kind) or kind in ("binary", "timestamp") or any(each.fullmatch(kind) for each in (PLAIN, DECIMAL))


def text(cell: str, kind: str) -> str:
    """Write a cell as text."""
    if COLLATED.fullmatch(kind):
        return f"({cell} COLLATE UTF8_BINARY)"
    if is_text(kind):
        return cell
    if kind == "variant":
        return f"to_json({cell})"
    if kind == "binary":
        return f"lower(hex({cell}))"
    if kind == "timestamp":
        since = f"timestampadd(MICROSECOND, unix_micros({cell}), TIMESTAMP_NTZ '1970-01-01 00:00:00')"
        return f"TRY_CAST({since} AS STRING) || '+00'"
    cast = f"TRY_CAST({cell} AS STRING)"
    decimal = DECIMAL.fullmatch(kind)
    return _digits(cast, int(decimal[2])) if decimal and int(decimal[2]) > SCIENTIFIC else cast


def _digits(cast: str, places: int) -> str:
    """Write a decimal with all its digits: what stands before the exponent are those that are not leading zeros."""
    digits = f"lpad(translate(split_part({cast}, 'E', 1), '-.', ''), {places}, '0')"
    sign = f"CASE WHEN {cast} LIKE '-%' THEN '-' ELSE '' END"
    return f"CASE WHEN {cast} LIKE '%E%' THEN {sign} || '0.' || {digits} ELSE {cast} END"


def hashes_of(texts: Sequence[str]) -> tuple[str, str]:
    """Return two hashes of 64 bits of the texts of a row: by far faster than one of 128 bits, and as unlikely to meet.

    A null is told from an empty text, and lengths need no place in them, as each text is hashed by itself.
    """
    cells = [each for text in texts for each in (f"coalesce({text}, '')", f"{text} IS NULL")]
    return f"xxhash64({', '.join(cells)})", f"xxhash64('kilt', {', '.join(reversed(cells))})"
