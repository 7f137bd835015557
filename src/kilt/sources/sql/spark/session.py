"""A session of Spark's for the command: quiet, and with nothing in it that changes cells while they are read."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from typing import Any

from py4j.protocol import Py4JError
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkException
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from kilt.errors import InputError
from kilt.leftovers import temporary_folder
from kilt.sources.sql.spark.connect import is_connected

SETTINGS = {  # unless the user's configuration of Spark says otherwise
    "spark.app.name": "kilt",
    "spark.ui.enabled": "false",
    "spark.sql.session.timeZone": "UTC",
}
KEPT = {  # whatever it says
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.groupByOrdinal": "true",
    "spark.sql.orderByOrdinal": "true",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",  # a folder zip=02139 stays 02139
}

SLEEP = "7d"  # this computer may sleep for so long without Spark taking its own executor for lost


def open_session(master: str | None = None) -> SparkSession:
    """Return the session of this process, or start one; ``master`` is where it runs, as Spark names it."""
    active = SparkSession.getActiveSession()
    if active is None:
        active = _connect(master) if master is not None and master.startswith("sc://") else _start(master)
    for name, value in KEPT.items():
        if name.startswith("spark.sql."):
            active.conf.set(name, value)
    return active


def require_alive(session: SparkSession) -> None:
    """Raise if a session has ended, perhaps by itself; one of Spark Connect's says so when it is used."""
    if is_connected(session):
        return
    context: Any = session.sparkContext._jsc
    with contextlib.suppress(Py4JError):
        if context is not None and not context.sc().isStopped():
            return
    raise InputError("the session of Spark has ended: start another one, and make the frame again")


def _connect(master: str) -> SparkSession:
    """Connect to a server of Spark's."""
    try:
        return SparkSession.builder.remote(master).getOrCreate()
    except (PySparkException, ImportError) as error:
        needed = "is there a server, and is its client installed? pip install 'pyspark[connect]'"
        raise InputError(f"Spark Connect could not be reached ({type(error).__name__}): {needed}") from None


def _start(master: str | None) -> SparkSession:
    """Start Spark in a process of its own that says nothing, and dies with this one."""
    conf = SparkConf()
    conf.setMaster(master or conf.get("spark.master", "local[*]") or "local[*]")
    for name, value in SETTINGS.items():
        conf.setIfMissing(name, value)
    for name, value in KEPT.items():
        conf.set(name, value)
    is_local = str(conf.get("spark.master")).startswith("local")
    if is_local:
        conf.setIfMissing("spark.network.timeout", SLEEP)
    if is_local and "SPARK_LOCAL_DIRS" not in os.environ:
        conf.setIfMissing("spark.local.dir", str(temporary_folder()))
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said, _own_signals():
        try:
            gateway = launch_gateway(conf, {"stderr": said})
            context = SparkContext(conf=conf, gateway=gateway)
        except Exception as error:
            said.seek(0)
            raise InputError(_not_started(master, said.read(), error)) from None
    if is_local and "PYSPARK_PYTHON" not in os.environ:
        context.pythonExec = sys.executable  # what works here has the Python that we have, and kilt
    atexit.register(_stop, context)
    context.setLogLevel("OFF")
    return SparkSession.builder.getOrCreate()


def _stop(context: SparkContext) -> None:
    """End what was started, so that it removes what it has on disk."""
    with contextlib.suppress(Exception):  # it has ended already
        context.stop()


def _not_started(master: str | None, said: str, error: Exception) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip() and "WARN" not in line]
    told = [line for line in lines if not line.startswith(("at ", "... "))]  # not where in Java it happened
    reason = f"'{told[-1]}'" if told else type(error).__name__
    where = f" at '{master}'" if master else ""
    return f"Spark could not be started{where} ({reason}): it needs Java 17 or newer, and a master that it can reach"


@contextlib.contextmanager
def _own_signals() -> Iterator[None]:
    """Take back the handling of Ctrl-C, which Spark makes its own when it starts."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before: Any = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
