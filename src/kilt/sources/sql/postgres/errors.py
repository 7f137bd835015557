"""What PostgreSQL and its driver say, in sentences of our own: theirs can hold cells, queries and passwords."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import adbc_driver_manager as adbc

from kilt.errors import InputError, KiltError

MADE_MEANWHILE = "another session made a table of this name at the same time: run it again"
LOST = re.compile(  # what libpq says, without a state, of a connection that is gone
    "server closed the connection|no connection to the server|terminating connection|could not (send|receive)|"
    "connection (reset|timed out)|broken pipe|SSL SYSCALL|SSL connection has been closed",
    re.IGNORECASE,
)
BY_STATE = {  # the state that a statement ended in, or the class of states
    "42501": "a privilege is missing: kilt needs SELECT on what it reads, USAGE on its schema and TEMPORARY on the "
    "database",
    "25006": "the database can only be read (is it a standby?): kilt needs temporary tables",
    "40001": "another transaction changed the same rows at the same time: run it again",
    "40P01": "the database ended the transaction because of a deadlock: run it again",
    "42P01": "a table of the query does not exist",
    "42703": "a column of the query does not exist",
    "42601": "the query is not a SELECT that the database understands: try it in psql",
    "0A000": "the query must be a SELECT that changes nothing",
    "23505": MADE_MEANWHILE,
    "42P07": MADE_MEANWHILE,
    "42P16": "a column of the query has a type that no table can have: cast it, or leave it out",
    "42701": "two columns of the query have the same name: give each a name of its own with AS",
    "55P03": "the table that is to be replaced is in use by another session: run it again later",
    "57014": "the statement was cancelled",
    "57P01": "the database was shut down",
    "53100": "the disk of the database is full",
    "53200": "the database has not enough memory",
    "22": "a cell cannot be computed as the query says",
    "42": "the query cannot be run",
    "53": "the database has not enough of what it needs (disk, memory, connections)",
    "08": "the connection to the database was lost",
    "57": "the database ended the session",
}
AT_CONNECTION = (  # what a failed connection says -> what we say
    ("password authentication failed|no password supplied", "the login was refused{user}: set PGPASSWORD or ~/.pgpass"),
    ("authentication failed|no pg_hba.conf entry", "the login was refused{user}: ask who runs the database"),
    ('database ".*" does not exist', "the database '{database}' does not exist there"),
    ('role ".*" does not exist', "there is no such login{user}: name another user in the URL or in PGUSER"),
    ("could not translate host name|Name or service not known", "the host is not known"),
    ("Connection refused|No such file", "there is no server at this address"),
    ("timeout expired|timed out", "the server does not answer"),
    ("too many clients|remaining connection slots", "the server has too many connections"),
    ("SSL|certificate", "the encrypted connection cannot be made: see sslmode and sslrootcert"),
    ("invalid URI query parameter|invalid connection option", "a parameter of the URL is not known to PostgreSQL"),
    ("invalid .* value", "a parameter of the URL, or an environment variable, has a value that it cannot have"),
    ("permission denied for database", "you may not connect to this database{user}"),
)


class DatabaseError(KiltError):
    """A statement that the database refused."""


class LostConnectionError(DatabaseError):
    """A session that the server, or something between us and it, has ended."""


@contextmanager
def told_plainly() -> Iterator[None]:
    """Say in one sentence what a statement ended in; nothing of what the database said is repeated."""
    try:
        yield
    except adbc.Error as error:
        state = error.sqlstate or ""
        if state.startswith("08") or (not state and LOST.search(str(error))):
            raise LostConnectionError(f"PostgreSQL: {BY_STATE['08']}") from None
        said = BY_STATE.get(state) or BY_STATE.get(state[:2])
        known = said or "the database refused a statement"
        raise DatabaseError(f"PostgreSQL: {known}{f' [{state}]' if state else ''}") from None


@contextmanager
def connecting(shown: str, user: str, database: str) -> Iterator[None]:
    """Say in one sentence why there is no connection."""
    try:
        yield
    except adbc.Error as error:
        message = str(error)
        said = next((said for sign, said in AT_CONNECTION if re.search(sign, message)), "the connection failed")
        reason = said.format(user=f" for the user '{user}'" if user else "", database=database)
        raise InputError(f"{shown} cannot be reached: {reason}") from None
