"""A PostgreSQL that the tests of this folder share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support import postgres


@pytest.fixture(scope="session")
def cluster() -> Iterator[postgres.Cluster]:
    """A server of our own, or a test that is skipped."""
    pytest.importorskip("adbc_driver_postgresql", reason=postgres.DRIVER)
    if postgres.binaries() is None:
        pytest.skip(postgres.MISSING)
    with postgres.running() as found:
        yield found
