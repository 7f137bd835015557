"""What all tests share: how thorough they are, the paper's table, and where real tables may be found."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.register_assert_rewrite("support")

from kilt.kernels import IS_COMPILED  # noqa: E402 - as it is below
from support import browser as browsers  # noqa: E402 - its assertions are rewritten like those of the tests
from support import postgres, profiles  # noqa: E402 - its assertions are rewritten like those of the tests
from support.paths import HOSPITAL, ROOT  # noqa: E402

profiles.register()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is marked as thorough, unless the profile is, and what only compiled kernels can do in time."""
    marks = [] if profiles.is_thorough() else ["thorough"]
    marks += [] if IS_COMPILED else ["compiled"]
    left_out = [item for item in items if any(item.get_closest_marker(mark) for mark in marks)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


@pytest.fixture(scope="session")
def cluster() -> Iterator[postgres.Cluster]:
    """A PostgreSQL of our own; tests that need it are skipped where there is none."""
    pytest.importorskip("adbc_driver_postgresql", reason=postgres.DRIVER)
    if postgres.binaries() is None:
        pytest.skip(postgres.MISSING)
    with postgres.running() as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser of our own; tests that need it are skipped where there is none."""
    with browsers.running() as found:
        yield found


@pytest.fixture
def hospital() -> Path:
    return HOSPITAL


@pytest.fixture
def adult() -> Path:
    """The Adult table, where it is there: beside the project, or where KILT_DATA says."""
    folder = Path(os.environ.get("KILT_DATA", ROOT.parent / "shared" / "data"))
    path = folder / "adult.csv"
    if not path.exists():
        pytest.skip("adult.csv is not here")
    return path
