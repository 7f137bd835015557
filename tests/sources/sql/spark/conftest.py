"""A Spark that the tests of this folder share, one for each process that runs tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support import spark as support

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark() -> SparkSession:
    """A session of our own, or a test that is skipped."""
    if not support.is_here():
        pytest.skip(support.MISSING)
    return support.session()
