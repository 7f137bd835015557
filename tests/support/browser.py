"""A browser for tests of pages: Chromium without a window, and what everybody must be able to use.

It needs Chromium (a package of Debian, or named by CHROMIUM), and playwright and axe-playwright-python from PyPI:
``pip install 'kilt[browser]'``.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

LEVEL_AA = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

VIOLATIONS = """async levels => {
  const found = await axe.run({ runOnly: levels, resultTypes: ["violations"] });
  return found.violations.map(each => `${each.id}: ${each.nodes.map(node => node.target).join(" ")}`);
}"""


@contextlib.contextmanager
def running() -> Iterator[Any]:
    """Start a browser, or skip the test where there is none."""
    sync_api = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: pip install 'kilt[browser]'"
    )
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if chromium is None:
        pytest.skip("there is no chromium: apt-get install chromium")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


def require_accessible(page: Any) -> None:
    """Check a page, whose policy must let axe put its script there, against level AA."""
    axe = pytest.importorskip("axe_playwright_python.base", reason="axe-playwright-python is not installed")
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe.AXE_SCRIPT)
    assert page.evaluate(VIOLATIONS, LEVEL_AA) == []
