"""Sessions of Spark Connect, whose Spark is elsewhere."""

from __future__ import annotations

import atexit
import contextlib
import weakref
from typing import Any

from pyspark.sql import SparkSession

_closed_at_exit: weakref.WeakSet[SparkSession] = weakref.WeakSet()


def is_connected(session: SparkSession) -> bool:
    """Say whether a session is one of Spark Connect's, which has no context of Spark's on this side."""
    return type(session).__module__.startswith("pyspark.sql.connect")


def close_at_exit(session: SparkSession) -> None:
    """Close the connection of a session when the process ends.

    A frame that was frozen tells the server when it is forgotten. Should that be only when the interpreter has taken
    its threads away, it would wait for an answer for ever, unless the connection is closed. The server forgets the
    frames of a session with the session.
    """
    if session not in _closed_at_exit:
        _closed_at_exit.add(session)
        atexit.register(_close, weakref.ref(session))


def _close(reference: weakref.ref[Any]) -> None:
    session = reference()
    if session is not None:
        with contextlib.suppress(Exception):  # it is closed already, or the server is gone
            session.client.close()
