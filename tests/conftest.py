"""What all tests share: the paper's table, and where real tables may be found."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

pytest.register_assert_rewrite("support")

from support.paths import HOSPITAL, ROOT  # noqa: E402 - its assertions are rewritten like those of the tests


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
