"""The types of PostgreSQL that have a text of their own, and how a cell is written as this text."""

from __future__ import annotations

TEXT = ("text", "character varying", "character", "name", '"char"', "citext")
FLOATS = ("real", "double precision")
OTHERS = (
    *FLOATS,
    "boolean",
    "smallint",
    "integer",
    "bigint",
    "numeric",
    "money",
    "date",
    "time without time zone",
    "time with time zone",
    "timestamp without time zone",
    "timestamp with time zone",
    "interval",
    "uuid",
    "bytea",
    "bit",
    "bit varying",
    "inet",
    "cidr",
    "macaddr",
    "macaddr8",
    "oid",
    "enum",
    "tid",  # what kilt itself keeps of rows
)
PORTABLE = (  # types whose cells are the same in a file of Parquet
    *FLOATS,
    "boolean",
    "smallint",
    "integer",
    "bigint",
    "date",
    "timestamp without time zone",
    "timestamp with time zone",
    "text",
)
SETTINGS = {  # what the text of a cell depends on, and the plan of a query; a session sets them for itself
    "TimeZone": "UTC",
    "DateStyle": "ISO, YMD",
    "IntervalStyle": "postgres",
    "extra_float_digits": "1",
    "bytea_output": "hex",
    "lc_monetary": "C",
    "standard_conforming_strings": "on",
    "client_encoding": "UTF8",
    "default_transaction_isolation": "repeatable read",
    "application_name": "kilt",
    "statement_timeout": "0",
    "idle_in_transaction_session_timeout": "0",
    "synchronize_seqscans": "off",
    "jit": "off",
    "work_mem": "64MB",
    "temp_buffers": "32MB",
    "enable_mergejoin": "off",  # sorts all rows by texts, which takes ten times as long as a hash join
    "enable_nestloop": "off",
    "enable_sort": "off",  # so that rows are grouped by hashing them; what must be sorted is
}
OPTIONAL = {"client_connection_check_interval": "2s"}  # where a process is killed, its statement ends soon


def is_text(kind: str) -> bool:
    """Say whether a type is that of text."""
    return kind in TEXT


def has_text(kind: str) -> bool:
    """Say whether cells of a type can be compared by their texts."""
    return kind in TEXT or kind in OTHERS


def text(cell: str, kind: str) -> str:
    """Write a cell as text that is compared byte by byte, whatever the collation of its column is."""
    return f'({cell} COLLATE "C")' if kind == "text" else f'(CAST({cell} AS text) COLLATE "C")'
