"""A Spark of our own for the tests, where there is one: small, quiet, and started once."""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MISSING = "pyspark and Java 17 are not here: pip install 'kilt[spark]', and install a JDK"
NO_CONNECT = "the client of Spark Connect is not here: pip install 'pyspark[connect]'"
CONNECT = ("grpc", "grpc_status", "google.rpc", "zstandard")  # what it needs
SETTINGS = {
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.codegen.wholeStage": "false",  # to compile a query takes longer than to run it on these tables
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC "
    "-XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote",  # Spark's own classes are in order
}
SUBMIT = " ".join([*(f"--conf '{name}={value}'" for name, value in SETTINGS.items()), "pyspark-shell"])
MASTER = "local[2]"


def is_here() -> bool:
    """Say whether Spark can be started."""
    has_java = shutil.which("java") is not None or "JAVA_HOME" in os.environ
    return has_java and find_spec("pyspark") is not None


def has_connect() -> bool:
    """Say whether Spark Connect can be used."""
    try:
        return is_here() and all(find_spec(name) is not None for name in CONNECT)
    except ModuleNotFoundError:  # the package that google.rpc is in
        return False


def session() -> SparkSession:
    """Return the session that all tests of a process share."""
    from kilt.sources.sql.spark.session import open_session

    os.environ.setdefault("PYSPARK_SUBMIT_ARGS", SUBMIT)
    return open_session(MASTER)
